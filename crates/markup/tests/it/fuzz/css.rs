//! CSS: what is written reads back the same, and plans do what they say once.

use sitewright_markup::css::{
    CssEdit, CssForm, CssLimits, CssPlace, Origin, Piece, Present, Raw, check_piece, class_of,
    class_view, is_relevant, parse_css, plan_add, plan_upsert, tally_css, write_css,
};

/// Between the stylesheet that is there and the one that comes in.
const BETWEEN: &str = "|||";

/// Whether the parser and the plans do all they promise with these bytes.
pub(crate) fn check(data: &[u8]) -> Result<(), String> {
    let css = String::from_utf8_lossy(data);
    let (base, incoming) = css.split_once(BETWEEN).unwrap_or((&css, ""));
    let base = round_trip(base, &Origin::Author)?;
    let incoming = round_trip(incoming, &Origin::Author)?;
    plans(&base, &incoming)?;
    plans(&incoming, &base)?;
    let mut both = base;
    both.extend(incoming);
    let written = write_css(&both, CssForm::Compact);
    same("side by side", &read(&written, &Origin::Author)?, &both)
}

fn round_trip(css: &str, origin: &Origin) -> Result<Vec<Piece>, String> {
    let pieces = read(css, origin)?;
    for form in [CssForm::Readable, CssForm::Compact] {
        let written = write_css(&pieces, form);
        if written.to_ascii_lowercase().contains("</style") {
            return Err(format!("{written:?} ends a style element"));
        }
        let again = parse_css(&written, origin.clone(), &CssLimits::default())
            .map_err(|error| format!("written, then refused: {error}"))?;
        same("read again", &again.pieces, &pieces)?;
        if !again.problems.is_empty() {
            return Err(format!("{written:?} has {:?}", again.problems));
        }
    }
    let present = Present::default();
    for piece in &pieces {
        check_piece(piece, &CssLimits::default()).map_err(|error| format!("{piece:?}: {error}"))?;
        is_relevant(piece, &present);
        match piece {
            Piece::Block(block) => {
                if let Some(class) = class_of(&block.selector) {
                    class_view(&pieces, &class, &[]);
                }
            }
            Piece::Raw(raw) => drop(Raw::at_rule(raw)),
        }
    }
    Ok(pieces)
}

fn plans(before: &[Piece], incoming: &[Piece]) -> Result<(), String> {
    for planner in [plan_upsert::<usize>, plan_add::<usize>] {
        let plan = |existing: &[Piece]| {
            let named: Vec<(usize, &Piece)> = existing.iter().enumerate().collect();
            planner(&named, incoming.to_vec())
        };
        let after = carry_out(before, &plan(before));
        let written = write_css(&after, CssForm::Readable);
        same("planned", &read(&written, &Origin::Author)?, &after)?;
        let again = tally_css(&plan(&after));
        if (again.created, again.updated) != (0, 0) {
            return Err(format!("planned twice: {again:?}\n{written}"));
        }
    }
    Ok(())
}

fn read(css: &str, origin: &Origin) -> Result<Vec<Piece>, String> {
    // Inputs are far too short to be refused for anything but depth.
    match parse_css(css, origin.clone(), &CssLimits::default()) {
        Ok(parsed) => Ok(parsed.pieces),
        Err(sitewright_markup::css::CssError::TooDeep { .. }) => Ok(Vec::new()),
        Err(error) => Err(format!("refused: {error}")),
    }
}

fn same(what: &str, found: &[Piece], expected: &[Piece]) -> Result<(), String> {
    if found == expected {
        return Ok(());
    }
    Err(format!(
        "{what} differs\nfound:\n{found:#?}\nexpected:\n{expected:#?}"
    ))
}

/// Carries out a plan; ids are positions.
pub(crate) fn carry_out(existing: &[Piece], edits: &[CssEdit<usize>]) -> Vec<Piece> {
    let mut order: Vec<(Slot, Piece)> = existing
        .iter()
        .cloned()
        .enumerate()
        .map(|(position, piece)| (Slot::Old(position), piece))
        .collect();
    let mut inserted = 0;
    for edit in edits {
        match edit {
            CssEdit::Change { id, declarations } => match &mut find(&mut order, Slot::Old(*id)).1 {
                Piece::Block(block) => block.declarations.clone_from(declarations),
                Piece::Raw(raw) => panic!("declarations for {raw:?}"),
            },
            CssEdit::Rewrite { id, text } => match &mut find(&mut order, Slot::Old(*id)).1 {
                Piece::Raw(raw) => raw.text.clone_from(text),
                Piece::Block(block) => panic!("text for {block:?}"),
            },
            CssEdit::Insert { place, piece } => {
                let at = match place {
                    CssPlace::Start => generated(existing),
                    CssPlace::After(id) => position(&order, Slot::Old(*id)) + 1,
                    CssPlace::AfterInserted(nth) => position(&order, Slot::New(*nth)) + 1,
                };
                order.insert(at, (Slot::New(inserted), piece.clone()));
                inserted += 1;
            }
            CssEdit::Keep { .. } | CssEdit::Leave { .. } => {}
        }
    }
    order.into_iter().map(|(_, piece)| piece).collect()
}

/// How many pieces tokens made; they come first.
pub(crate) fn generated(pieces: &[Piece]) -> usize {
    let made = |piece: &&Piece| *piece.origin() == Origin::Framework;
    pieces.iter().take_while(made).count()
}

#[derive(Clone, Copy, PartialEq)]
enum Slot {
    Old(usize),
    New(usize),
}

fn position(order: &[(Slot, Piece)], slot: Slot) -> usize {
    order.iter().position(|(found, _)| *found == slot).unwrap()
}

fn find(order: &mut [(Slot, Piece)], slot: Slot) -> &mut (Slot, Piece) {
    let at = position(order, slot);
    &mut order[at]
}

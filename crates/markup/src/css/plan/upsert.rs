//! Edits what is there.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::super::name::Named;
use super::super::piece::{Block, Declaration, Piece, property_key};
use super::CssEdit;
use super::ground::{Behind, Ground};

/// Plans to make the stylesheet say what is incoming.
///
/// A block merges onto the last block with its selector and wrappers: the properties it names move to the end, and beat
/// `!important` unless they carry it. Without such a block it goes behind its selector's last block, else to the end. Several
/// incoming blocks of one selector and wrappers meet as many existing ones in order, so that planning again after the plan
/// was carried out plans nothing. Raw pieces are replaced by the name they define. Properties that the framework sets there
/// are left alone.
pub fn plan_upsert<I: Clone + Eq>(
    existing: &[(I, &Piece)],
    incoming: Vec<Piece>,
) -> Vec<CssEdit<I>> {
    let mut upsert = Upsert {
        ground: Ground::new(existing),
        softened: BTreeMap::new(),
    };
    let mut writable = Vec::with_capacity(incoming.len());
    for piece in incoming {
        let name = Named::of(&piece);
        if let Some(piece) = upsert.withhold(piece, &name.key) {
            writable.push((piece, name));
        }
    }
    let mut turns: HashMap<String, Turn> = HashMap::new();
    for (_, name) in &writable {
        turns.entry(name.key.clone()).or_default().total += 1;
    }
    for (piece, name) in writable {
        let turn = turns.entry(name.key.clone()).or_default();
        let now = *turn;
        turn.nth += 1;
        upsert.write(piece, &name, now);
    }
    upsert.finish()
}

/// Which of the incoming pieces with one key it is.
#[derive(Clone, Copy, Default)]
struct Turn {
    nth: usize,
    total: usize,
}

struct Upsert<'e, I> {
    ground: Ground<'e, I>,
    /// Blocks whose `!important` gives way.
    softened: BTreeMap<usize, Vec<Declaration>>,
}

impl<I: Clone + Eq> Upsert<'_, I> {
    /// What of a piece may be written; the rest is reported.
    fn withhold(&mut self, piece: Piece, key: &str) -> Option<Piece> {
        let Some(positions) = self.ground.generated.get(key) else {
            return Some(piece);
        };
        let last = *positions.last()?;
        let Piece::Block(block) = piece else {
            self.ground.leave(last, piece);
            return None;
        };
        let generated: HashSet<_> = positions
            .iter()
            .filter_map(|position| match self.ground.existing[*position].1 {
                Piece::Block(block) => Some(&block.declarations),
                Piece::Raw(_) => None,
            })
            .flatten()
            .map(|declaration| property_key(&declaration.property))
            .collect();
        let (kept, free): (Vec<_>, Vec<_>) = block
            .declarations
            .iter()
            .cloned()
            .partition(|declaration| generated.contains(&property_key(&declaration.property)));
        let with = |declarations| {
            Piece::Block(Block {
                declarations,
                ..block.clone()
            })
        };
        if kept.is_empty() && free.is_empty() {
            self.ground.keep(last);
        }
        if !kept.is_empty() {
            self.ground.leave(last, with(kept));
        }
        (!free.is_empty()).then(|| with(free))
    }

    fn write(&mut self, piece: Piece, name: &Named, turn: Turn) {
        let empty = Vec::new();
        let positions = self.ground.editable.get(&name.key).unwrap_or(&empty);
        let first = positions.len().saturating_sub(turn.total);
        let Some(&position) = positions.get(first + turn.nth) else {
            self.ground.insert(piece, name, Behind::Selector);
            return;
        };
        let earlier = positions[..first].to_vec();
        let id = self.ground.existing[position].0.clone();
        let edit = match (self.ground.existing[position].1, piece) {
            (Piece::Block(held), Piece::Block(block)) => {
                self.soften(&earlier, &block.declarations);
                match merge(&held.declarations, block.declarations) {
                    Some(declarations) => CssEdit::Change { id, declarations },
                    None => CssEdit::Keep { id },
                }
            }
            (Piece::Raw(held), Piece::Raw(raw)) if held.text == raw.text => CssEdit::Keep { id },
            (Piece::Raw(_), Piece::Raw(raw)) => CssEdit::Rewrite { id, text: raw.text },
            (Piece::Block(_), piece @ Piece::Raw(_)) | (Piece::Raw(_), piece @ Piece::Block(_)) => {
                self.ground.insert(piece, name, Behind::Selector);
                return;
            }
        };
        self.ground.edits.push(edit);
    }

    /// Takes `!important` from earlier blocks where a later one must win without it.
    fn soften(&mut self, earlier: &[usize], declarations: &[Declaration]) {
        let weak: HashSet<_> = declarations
            .iter()
            .filter(|declaration| !declaration.important)
            .map(|declaration| property_key(&declaration.property))
            .collect();
        for &position in earlier {
            let Piece::Block(block) = self.ground.existing[position].1 else {
                continue;
            };
            let held = self.softened.get(&position).unwrap_or(&block.declarations);
            let beats = |declaration: &Declaration| {
                declaration.important && weak.contains(&property_key(&declaration.property))
            };
            if !held.iter().any(beats) {
                continue;
            }
            let mut softened = held.clone();
            for declaration in softened.iter_mut().filter(|held| beats(held)) {
                declaration.important = false;
            }
            self.softened.insert(position, softened);
        }
    }

    fn finish(self) -> Vec<CssEdit<I>> {
        let Self { ground, softened } = self;
        let mut edits = ground.edits;
        edits.extend(softened.into_iter().map(|(position, declarations)| {
            let id = ground.existing[position].0.clone();
            CssEdit::Change { id, declarations }
        }));
        edits
    }
}

/// What a block says after these declarations came in; nothing when it says so already.
fn merge(held: &[Declaration], incoming: Vec<Declaration>) -> Option<Vec<Declaration>> {
    let touched: HashSet<_> = incoming
        .iter()
        .map(|declaration| property_key(&declaration.property).into_owned())
        .collect();
    let mut merged: Vec<_> = held
        .iter()
        .filter(|declaration| !touched.contains(property_key(&declaration.property).as_ref()))
        .cloned()
        .collect();
    merged.extend(incoming);
    (merged != held).then_some(merged)
}

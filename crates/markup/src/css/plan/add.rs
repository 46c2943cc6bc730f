//! The *add* policy: inserts what is missing.

use std::collections::HashMap;

use super::super::class::class_of;
use super::super::name::Named;
use super::super::piece::{Block, Declaration, Piece, property_key};
use super::CssEdit;
use super::ground::{Behind, Ground};

/// Plans the insertion of what is missing, without changing existing pieces.
///
/// A selector that exists with the same wrappers is left alone, and so is a class that exists in any context: CSS that
/// arrives with new elements must not restyle existing ones. Custom properties that are not set there yet cannot
/// restyle anything, so they are inserted.
pub fn plan_add<I: Clone + Eq>(existing: &[(I, &Piece)], incoming: Vec<Piece>) -> Vec<CssEdit<I>> {
    let mut ground = Ground::new(existing);
    for piece in incoming {
        let name = Named::of(&piece);
        let mates = mates(&ground, &name.key);
        let same = mates
            .iter()
            .rfind(|mate| says_same(existing[**mate].1, &piece));
        match (same, mates.last(), piece) {
            (Some(&same), _, _) => ground.keep(same),
            (None, Some(_), Piece::Block(block)) => add_names(&mut ground, &name, &mates, block),
            (None, Some(&last), piece) => ground.leave(last, piece),
            (None, None, piece) => match class_elsewhere(&ground, &name) {
                Some(position) => ground.leave(position, piece),
                None => ground.insert(piece, &name, Behind::All),
            },
        }
    }
    ground.edits
}

/// The pieces with this key, generated ones last so that their values take precedence.
fn mates<I>(ground: &Ground<'_, I>, key: &str) -> Vec<usize> {
    let found = [&ground.editable, &ground.generated];
    found
        .into_iter()
        .filter_map(|known| known.get(key))
        .flatten()
        .copied()
        .collect()
}

fn says_same(one: &Piece, other: &Piece) -> bool {
    match (one, other) {
        (Piece::Block(one), Piece::Block(other)) => one.declarations == other.declarations,
        (Piece::Raw(one), Piece::Raw(other)) => one.text == other.text,
        (Piece::Block(_), Piece::Raw(_)) | (Piece::Raw(_), Piece::Block(_)) => false,
    }
}

fn class_elsewhere<I>(ground: &Ground<'_, I>, name: &Named) -> Option<usize> {
    let selector = name.selector.as_ref()?;
    class_of(selector)?;
    ground.selectors.get(selector).copied()
}

/// Inserts the custom properties that are new, and leaves the rest alone.
fn add_names<I: Clone + Eq>(
    ground: &mut Ground<'_, I>,
    name: &Named,
    mates: &[usize],
    block: Block,
) {
    let mut set: HashMap<_, (usize, &Declaration)> = HashMap::new();
    for &position in mates {
        if let Piece::Block(mate) = ground.existing[position].1 {
            let declarations = mate.declarations.iter();
            set.extend(declarations.map(|held| (property_key(&held.property), (position, held))));
        }
    }
    let Block {
        wrappers,
        selector,
        declarations,
        origin,
        lock,
    } = block;
    let mut new = Vec::new();
    let mut left = Vec::new();
    let mut holder = mates.last().copied();
    for declaration in declarations {
        match set.get(&property_key(&declaration.property)) {
            None if declaration.property.starts_with("--") => new.push(declaration),
            Some((_, held)) if **held == declaration => {}
            Some((position, _)) => {
                holder = Some(*position);
                left.push(declaration);
            }
            None => left.push(declaration),
        }
    }
    let with = |declarations| {
        Piece::Block(Block {
            wrappers: wrappers.clone(),
            selector: selector.clone(),
            declarations,
            origin: origin.clone(),
            lock,
        })
    };
    match (holder, left.is_empty(), new.is_empty()) {
        (Some(holder), false, _) => ground.leave(holder, with(left)),
        (Some(holder), true, true) => ground.keep(holder),
        (Some(_), true, false) | (None, _, _) => {}
    }
    if !new.is_empty() {
        ground.insert(with(new), name, Behind::All);
    }
}

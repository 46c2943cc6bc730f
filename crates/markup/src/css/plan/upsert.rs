//! The *upsert* policy: edits existing pieces.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::super::name::Named;
use super::super::piece::{Block, Declaration, Piece, property_key};
use super::CssEdit;
use super::ground::{Behind, Ground};

/// Plans edits after which the stylesheet has the effect of the incoming pieces.
///
/// A block merges into the last block with the same selector and wrappers: the properties it sets move to the end. An
/// incoming property without `!important` must still win, so `!important` is removed from the same property in earlier
/// blocks. Without a block to merge into, it is inserted after the last block with its selector, or else at the end.
/// Several incoming blocks with the same selector and wrappers are matched with the last existing ones in order, so
/// that planning is idempotent: a second run after the plan was applied has nothing to do. Raw pieces are replaced by
/// the name they define. Properties that the framework sets for that selector are left alone.
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

/// The position of a piece among the incoming ones with the same key.
#[derive(Clone, Copy, Default)]
struct Turn {
    nth: usize,
    total: usize,
}

struct Upsert<'e, I> {
    ground: Ground<'e, I>,
    /// Blocks that lose an `!important`, by position, with their new declarations.
    softened: BTreeMap<usize, Vec<Declaration>>,
}

impl<I: Clone + Eq> Upsert<'_, I> {
    /// Returns the part of a piece that may be written, and reports the part that tokens generate.
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

    /// Removes `!important` from earlier blocks where a later declaration must win without it.
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

/// The declarations of a block after the merge; `None` when it has them already.
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

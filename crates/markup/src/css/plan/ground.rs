//! The state of a plan: the existing pieces by key, and the places where new ones go.

use std::collections::HashMap;

use super::super::name::{Named, Rank};
use super::super::piece::{Origin, Piece};
use super::{CssEdit, CssLeft, CssPlace};

pub(super) struct Ground<'e, I> {
    pub(super) existing: &'e [(I, &'e Piece)],
    /// Positions of pieces that may be edited, by key.
    pub(super) editable: HashMap<String, Vec<usize>>,
    /// Positions of pieces generated from tokens, by key.
    pub(super) generated: HashMap<String, Vec<usize>>,
    /// The last piece of each selector.
    pub(super) selectors: HashMap<String, usize>,
    pub(super) edits: Vec<CssEdit<I>>,
    /// The insertion point after the last piece of each existing selector.
    behind: HashMap<String, CssPlace<I>>,
    imports: CssPlace<I>,
    namespaces: CssPlace<I>,
    tail: CssPlace<I>,
    inserted: usize,
}

/// After what a new piece is inserted: the pieces of its selector, or all pieces.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Behind {
    Selector,
    All,
}

impl<'e, I: Clone + Eq> Ground<'e, I> {
    pub(super) fn new(existing: &'e [(I, &'e Piece)]) -> Self {
        let mut ground = Self {
            existing,
            editable: HashMap::new(),
            generated: HashMap::new(),
            selectors: HashMap::new(),
            edits: Vec::new(),
            behind: HashMap::new(),
            imports: CssPlace::Start,
            namespaces: CssPlace::Start,
            tail: CssPlace::Start,
            inserted: 0,
        };
        let mut leading = true;
        for (position, (id, piece)) in existing.iter().enumerate() {
            let name = Named::of(piece);
            let place = CssPlace::After(id.clone());
            if let Some(selector) = &name.selector {
                ground.selectors.insert(selector.clone(), position);
            }
            if *piece.origin() == Origin::Framework {
                ground.generated.entry(name.key).or_default().push(position);
                continue;
            }
            match name.rank {
                Rank::Import if leading => {
                    ground.imports = place.clone();
                    ground.namespaces = place.clone();
                }
                Rank::Namespace if leading => ground.namespaces = place.clone(),
                Rank::Import | Rank::Namespace | Rank::LayerOrder => {}
                Rank::Any => leading = false,
            }
            if let Some(selector) = name.selector {
                ground.behind.insert(selector, place.clone());
            }
            ground.tail = place;
            ground.editable.entry(name.key).or_default().push(position);
        }
        ground
    }

    pub(super) fn keep(&mut self, position: usize) {
        let id = self.existing[position].0.clone();
        self.edits.push(CssEdit::Keep { id });
    }

    pub(super) fn leave(&mut self, position: usize, asked: Piece) {
        let (id, piece) = &self.existing[position];
        let why = match piece.origin() {
            Origin::Framework => CssLeft::Framework,
            Origin::Author | Origin::Import { .. } => CssLeft::Exists,
        };
        self.edits.push(CssEdit::Leave {
            id: id.clone(),
            why,
            asked,
        });
    }

    pub(super) fn insert(&mut self, piece: Piece, name: &Named, behind: Behind) {
        let new = CssPlace::AfterInserted(self.inserted);
        self.inserted += 1;
        let of_selector = name
            .selector
            .as_ref()
            .filter(|_| behind == Behind::Selector)
            .and_then(|selector| self.behind.get_mut(selector));
        let slot = match (name.rank, of_selector) {
            (Rank::Import, _) => &mut self.imports,
            (Rank::Namespace, _) => &mut self.namespaces,
            (Rank::Any | Rank::LayerOrder, Some(slot)) => slot,
            (Rank::Any | Rank::LayerOrder, None) => &mut self.tail,
        };
        let place = std::mem::replace(slot, new.clone());
        if self.tail == place {
            self.tail = new.clone();
        }
        if name.rank == Rank::Import && self.namespaces == place {
            self.namespaces = new;
        }
        self.edits.push(CssEdit::Insert { place, piece });
    }
}

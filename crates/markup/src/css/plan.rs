//! Plans how to merge CSS into a stylesheet that already has pieces. There are two policies, one per intent: *upsert*
//! edits existing pieces, *add* inserts what is missing and never changes an existing piece.

use super::piece::{Declaration, Piece};

mod add;
mod ground;
mod upsert;

pub use add::plan_add;
pub use upsert::plan_upsert;

/// One step of a plan; `I` is the caller's id of a piece.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CssEdit<I> {
    /// Replace the declarations of a block.
    Change {
        id: I,
        /// All of its declarations, not only those that change.
        declarations: Vec<Declaration>,
    },
    /// Replace the text of a raw piece.
    Rewrite {
        id: I,
        /// The whole text.
        text: String,
    },
    /// Insert a new piece.
    Insert {
        /// Where the piece goes.
        place: CssPlace<I>,
        piece: Piece,
    },
    /// Nothing to do: the piece already has the requested content.
    Keep {
        /// The piece that stays unchanged.
        id: I,
    },
    /// The piece must not be changed; report this to the author.
    Leave {
        id: I,
        why: CssLeft,
        /// What was requested and not done.
        asked: Piece,
    },
}

/// Where a new piece goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CssPlace<I> {
    /// Before all pieces that are not generated from tokens.
    Start,
    /// Directly after this piece.
    After(I),
    /// Directly after the piece of the plan's n-th insertion, counted from 0.
    AfterInserted(usize),
}

/// Why a piece was left unchanged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CssLeft {
    /// It is generated from tokens; edit the tokens instead.
    Framework,
    /// It exists with other content, and *add* never edits.
    Exists,
}

/// Counts of the pieces that a plan creates, edits and leaves unchanged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CssTally {
    pub created: usize,
    pub updated: usize,
    /// Pieces that already had the requested content.
    pub unchanged: usize,
    /// Pieces that were left unchanged although something else was requested.
    pub left: usize,
}

/// Counts the steps of a plan.
pub fn tally_css<I>(edits: &[CssEdit<I>]) -> CssTally {
    let mut tally = CssTally::default();
    for edit in edits {
        match edit {
            CssEdit::Insert { .. } => tally.created += 1,
            CssEdit::Change { .. } | CssEdit::Rewrite { .. } => tally.updated += 1,
            CssEdit::Keep { .. } => tally.unchanged += 1,
            CssEdit::Leave { .. } => tally.left += 1,
        }
    }
    tally
}

//! Plans how CSS goes into a stylesheet that has pieces already. Two policies, one per intent: *upsert* edits what is there,
//! *add* brings in what is missing and leaves what is there alone.

use super::piece::{Declaration, Piece};

mod add;
mod ground;
mod upsert;

pub use add::plan_add;
pub use upsert::plan_upsert;

/// One step of a plan; `I` is what the caller calls a piece.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CssEdit<I> {
    /// Give a block these declarations.
    Change {
        /// The block.
        id: I,
        /// All of them.
        declarations: Vec<Declaration>,
    },
    /// Give a raw piece this text.
    Rewrite {
        /// The raw piece.
        id: I,
        /// The whole text.
        text: String,
    },
    /// Put in a new piece.
    Insert {
        /// Where.
        place: CssPlace<I>,
        /// What.
        piece: Piece,
    },
    /// Nothing to do: it says so already.
    Keep {
        /// The piece.
        id: I,
    },
    /// Nothing may be done: tell the author.
    Leave {
        /// The piece that stays as it is.
        id: I,
        /// Why.
        why: CssLeft,
        /// What was asked for and not done.
        asked: Piece,
    },
}

/// Where a new piece goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CssPlace<I> {
    /// Before all pieces that tokens did not make.
    Start,
    /// Right behind this piece.
    After(I),
    /// Right behind the new piece of the plan's n-th insertion, from 0.
    AfterInserted(usize),
}

/// Why a piece was left alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CssLeft {
    /// It is generated from tokens; the tokens are to be edited.
    Framework,
    /// It exists and says something else, and adding never edits.
    Exists,
}

/// How many pieces a plan creates, edits and does not touch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CssTally {
    /// New pieces.
    pub created: usize,
    /// Edited pieces.
    pub updated: usize,
    /// Pieces that said so already.
    pub unchanged: usize,
    /// Pieces that were left alone though something else was asked for.
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

//! CSS as an ordered list of pieces: the rules of the source, in source order.
//!
//! Parsing does not fold, move or merge anything, because cascade ties depend on order. A rule that consists of
//! wrappers, one selector and declarations is a [`Block`], which can be edited; everything else is [`Raw`] and stored
//! verbatim in its place. Comments between rules and declarations are dropped; inside values and raw text they are
//! preserved.
//!
//! This module knows nothing about documents: it parses, writes, plans edits and reports what a selector needs. It does
//! not validate property grammar; a declaration that some browser may understand stays as written.

mod addresses;
mod breakpoint;
mod class;
mod limits;
mod media;
mod name;
mod need;
mod parse;
mod piece;
mod plan;
mod prepare;
mod text;
mod tokens;
mod write;

pub use addresses::replace_addresses;
pub use breakpoint::{Breakpoint, CascadeOrder, StyleContext, context_of};
pub use class::{ClassView, ContextView, class_of, class_selector, class_view};
pub use limits::{CssError, CssLimits, CssProblem, CssTrouble};
pub use need::{Present, SelectorNeeds, is_relevant, relevant_pieces, selector_needs};
pub use parse::{ParsedCss, check_piece, parse_css};
pub use piece::{Block, Declaration, Origin, Piece, Raw};
pub use plan::{CssEdit, CssLeft, CssPlace, CssTally, plan_add, plan_upsert, tally_css};
pub use tokens::{
    ColorToken, ColorVariant, FontFile, FontToken, Scale, ScaleEnd, ScaleStep, Screens,
    TokenProblem, Tokens, Utilities, font_face, framework_css,
};
pub use write::{CssForm, write_css};

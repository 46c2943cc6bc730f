//! CSS as an ordered list of pieces: what stood in the source, in its order.
//!
//! Nothing is folded, moved or merged on the way in, because cascade ties depend on order. A rule that is wrappers, one
//! selector and declarations is a [`Block`], which can be edited; all else is [`Raw`], kept word for word in its place.
//! Comments between rules and declarations go; inside values and raw text they stay.
//!
//! This module knows no documents: it reads, writes, plans edits and says what a selector needs. It never judges property
//! grammar; a declaration that some browser may understand stays as it was written.

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

pub use breakpoint::{Breakpoint, StyleContext, context_of};
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

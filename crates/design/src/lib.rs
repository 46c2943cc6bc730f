//! The design library, as data: a base theme, sections in families, each in several layouts, and starters that are made of both.
//!
//! Sections are written as HTML with bindings, as components are. The content tools make components of them; the insert panel and
//! the built-in commands put them on a page as plain HTML. They bring no colours or fonts of their own: they use the tokens of the
//! site, its classes where those mean the same, and fall back to what the page inherits.
//!
//! Nothing here does I/O: what goes onto a site is returned as HTML or as ops.

mod list;
mod picture;
mod section;
mod starter;
mod theme;

pub use section::{HeadingLevel, Section, SectionValues, section, sections};
pub use starter::{Starter, starter, starter_ops};
pub use theme::{BUNDLED_FONTS, BundledFont, THEME_CSS, THEME_TOKENS, theme_ops};

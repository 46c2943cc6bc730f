//! Limits of a stylesheet, and the errors for exceeding them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Limits of one stylesheet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CssLimits {
    /// Bytes of source.
    pub bytes: usize,
    /// Blocks and raw pieces.
    pub pieces: usize,
    /// Declarations of all blocks.
    pub declarations: usize,
    /// Nesting depth of brackets of any kind.
    pub depth: u32,
    /// Bytes of a selector or an at-rule's prelude; a rule with a longer one stays raw.
    pub prelude_bytes: usize,
    /// At-rules around one piece; deeper ones stay raw.
    pub wrappers: usize,
    /// Memory for wrappers, which are stored with every piece.
    pub wrapper_bytes: usize,
}

impl Default for CssLimits {
    fn default() -> Self {
        Self {
            bytes: 4 * 1024 * 1024,
            pieces: 100_000,
            declarations: 300_000,
            depth: 64,
            prelude_bytes: 64 * 1024,
            wrappers: 16,
            wrapper_bytes: 32 * 1024 * 1024,
        }
    }
}

/// Why a stylesheet was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CssError {
    /// Too much text.
    #[error("the CSS has {found} bytes and may have {limit}; split it into several stylesheets")]
    TooLarge {
        /// How many it has.
        found: usize,
        /// How many it may have.
        limit: usize,
    },
    /// Too many rules or declarations.
    #[error("the CSS has more than {limit} {what}; split it into several stylesheets")]
    TooMany {
        /// `rules` or `declarations`.
        what: &'static str,
        /// How many it may have.
        limit: usize,
    },
    /// Brackets nest too deeply.
    #[error("brackets in the CSS are nested more than {limit} deep; close them earlier")]
    TooDeep {
        /// How deep they may be.
        limit: u32,
    },
    /// Wrappers, repeated for every rule inside them, exceed their memory limit.
    #[error("the at-rules around the rules of the CSS are too long; nest fewer of them")]
    TooWrapped,
    /// The piece does not parse back to itself.
    #[error("this is not one rule: {text:?}; check brackets, quotes and semicolons")]
    NotOnePiece {
        /// What was parsed instead, truncated.
        text: String,
    },
}

/// Something that was left out, because every browser leaves it out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct CssProblem {
    /// The line it stood on, from 1.
    pub line: u32,
    /// What it is.
    pub trouble: CssTrouble,
    /// How it begins.
    pub text: String,
}

/// What cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum CssTrouble {
    /// Not a declaration.
    Declaration,
    /// Not a rule.
    Rule,
}

/// The maximum number of listed problems.
pub(super) const PROBLEMS_MAX: usize = 100;

/// The beginning of a text, for messages.
pub(super) fn beginning(text: &str) -> String {
    const CHARS_MAX: usize = 80;
    match text.char_indices().nth(CHARS_MAX) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

//! Parses a stylesheet into pieces.
//!
//! Error recovery follows the CSS standard. What no browser can use is dropped and listed; what a browser may use but
//! does not have the shape of a block stays raw.

use super::limits::{CssError, CssLimits, CssProblem, CssTrouble, PROBLEMS_MAX, beginning};
use super::piece::{Origin, Piece};
use super::prepare::prepare;
use super::write::{CssForm, write_css};

mod body;
mod rules;

/// A parsed stylesheet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParsedCss {
    /// The rules in source order.
    pub pieces: Vec<Piece>,
    /// What was dropped because every browser drops it; at most 100.
    pub problems: Vec<CssProblem>,
}

/// Parses a stylesheet.
///
/// Parsing the output of [`write_css`] gives the same pieces again.
pub fn parse_css(css: &str, origin: Origin, limits: &CssLimits) -> Result<ParsedCss, CssError> {
    if css.len() > limits.bytes {
        return Err(CssError::TooLarge {
            found: css.len(),
            limit: limits.bytes,
        });
    }
    let css = prepare(css, limits.depth)?;
    let mut sheet = Sheet {
        limits,
        origin,
        pieces: Vec::new(),
        problems: Vec::new(),
        wrapper_bytes: 0,
        declarations: 0,
        failure: None,
    };
    rules::read_sheet(&css, &mut sheet);
    match sheet.failure {
        Some(failure) => Err(failure),
        None => Ok(ParsedCss {
            pieces: sheet.pieces,
            problems: sheet.problems,
        }),
    }
}

/// Refuses a piece that would not parse back to itself, such as one with a value that closes its block.
pub fn check_piece(piece: &Piece, limits: &CssLimits) -> Result<(), CssError> {
    let css = write_css([piece], CssForm::Readable);
    let parsed = parse_css(&css, piece.origin().clone(), limits)?;
    // A lock is metadata of a piece and not part of its text.
    if parsed.pieces.as_slice() == [piece.clone().unlocked()] && parsed.problems.is_empty() {
        return Ok(());
    }
    Err(CssError::NotOnePiece {
        text: beginning(&css),
    })
}

struct Sheet<'l> {
    limits: &'l CssLimits,
    origin: Origin,
    pieces: Vec<Piece>,
    problems: Vec<CssProblem>,
    wrapper_bytes: usize,
    declarations: usize,
    failure: Option<CssError>,
}

impl Sheet<'_> {
    fn push(&mut self, piece: Piece) {
        /// The memory of a vector entry and a string besides its text.
        const STRING_BYTES: usize = 48;
        if self.pieces.len() >= self.limits.pieces {
            self.failure = Some(CssError::TooMany {
                what: "rules",
                limit: self.limits.pieces,
            });
            return;
        }
        for wrapper in piece.wrappers() {
            self.wrapper_bytes += wrapper.len() + STRING_BYTES;
        }
        if self.wrapper_bytes > self.limits.wrapper_bytes {
            self.failure = Some(CssError::TooWrapped);
            return;
        }
        self.pieces.push(piece);
    }

    /// Counts a declaration; returns `false` when there are too many.
    fn count_declaration(&mut self) -> bool {
        self.declarations += 1;
        if self.declarations <= self.limits.declarations {
            return true;
        }
        self.failure = Some(CssError::TooMany {
            what: "declarations",
            limit: self.limits.declarations,
        });
        false
    }

    fn problem(&mut self, trouble: CssTrouble, line: u32, text: &str) {
        if self.problems.len() < PROBLEMS_MAX {
            self.problems.push(CssProblem {
                line: line + 1,
                trouble,
                text: beginning(text.trim()),
            });
        }
    }
}

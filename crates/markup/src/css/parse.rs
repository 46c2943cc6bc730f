//! Reads a stylesheet into pieces.
//!
//! Recovery from errors is the CSS standard's. What no browser can use is left out and listed; what one may use and has no
//! block's shape stays raw.

use super::limits::{CssError, CssLimits, CssProblem, CssTrouble, PROBLEMS_MAX, beginning};
use super::piece::{Origin, Piece};
use super::prepare::prepare;
use super::write::{CssForm, write_css};

mod body;
mod rules;

/// A stylesheet, read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParsedCss {
    /// What stood in it, in its order.
    pub pieces: Vec<Piece>,
    /// What was left out because every browser leaves it out; at most 100.
    pub problems: Vec<CssProblem>,
}

/// Reads a stylesheet.
///
/// Reading what [`write_css`] wrote gives the same pieces again.
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

/// Refuses a piece that would not read back as itself, such as a value that closes its block.
pub fn check_piece(piece: &Piece, limits: &CssLimits) -> Result<(), CssError> {
    let css = write_css([piece], CssForm::Readable);
    let parsed = parse_css(&css, piece.origin().clone(), limits)?;
    // A lock is about a piece, not part of its text.
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
        /// What a vector and a string take beside their text.
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

    /// Counts a declaration; false when there are too many.
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

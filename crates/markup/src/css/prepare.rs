//! Makes a source safe to cut into slices: constructs left open at its end are closed as the CSS standard prescribes,
//! and every `</style`, which would end a style element, is escaped.

use std::borrow::Cow;

use cssparser::{ParseError, Parser, Token};

use super::limits::CssError;

/// Returns an equivalent stylesheet with every construct closed and every `</style` written so that HTML does not
/// recognise it.
pub(super) fn prepare(css: &str, depth_max: u32) -> Result<Cow<'_, str>, CssError> {
    let mut scan = Scan {
        css,
        depth_max,
        ends: closing_tags(css),
        next_end: 0,
        insertions: Vec::new(),
        tail: String::new(),
    };
    let mut input = Parser::new(css);
    input.set_nested_block_limit(0);
    if scan.walk(&mut input, 0).is_err() {
        return Err(CssError::TooDeep { limit: depth_max });
    }
    if scan.insertions.is_empty() && scan.tail.is_empty() {
        return Ok(Cow::Borrowed(css));
    }
    let mut prepared = String::with_capacity(css.len() + 16);
    let mut copied = 0;
    for (at, text) in scan.insertions {
        prepared.push_str(&css[copied..at]);
        prepared.push_str(text);
        copied = at;
    }
    prepared.push_str(&css[copied..]);
    prepared.push_str(&scan.tail);
    Ok(Cow::Owned(prepared))
}

/// The offsets of every `</style`, in any case.
pub(super) fn closing_tags(css: &str) -> Vec<usize> {
    css.match_indices("</")
        .map(|(at, _)| at)
        .filter(|at| {
            css.as_bytes()
                .get(at + 2..at + 7)
                .is_some_and(|name| name.eq_ignore_ascii_case(b"style"))
        })
        .collect()
}

struct Scan<'i> {
    css: &'i str,
    depth_max: u32,
    ends: Vec<usize>,
    next_end: usize,
    insertions: Vec<(usize, &'static str)>,
    tail: String,
}

struct TooDeep;

impl Scan<'_> {
    fn walk(&mut self, input: &mut Parser<'_>, depth: u32) -> Result<(), ParseError<TooDeep>> {
        loop {
            let start = input.position().byte_index();
            let Ok(token) = input.next_including_whitespace_and_comments() else {
                return Ok(());
            };
            match token {
                Token::Function(_) | Token::ParenthesisBlock => {
                    self.nested(input, start, ')', depth)?
                }
                Token::SquareBracketBlock => self.nested(input, start, ']', depth)?,
                Token::CurlyBracketBlock => self.nested(input, start, '}', depth)?,
                leaf => {
                    let closer = Closer::of(leaf);
                    let end = input.position().byte_index();
                    self.escape(start, end);
                    if end == self.css.len() {
                        closer.close(&self.css[start..end], &mut self.tail);
                    }
                }
            }
        }
    }

    fn nested(
        &mut self,
        input: &mut Parser<'_>,
        start: usize,
        closer: char,
        depth: u32,
    ) -> Result<(), ParseError<TooDeep>> {
        if depth >= self.depth_max {
            return Err(ParseError::custom(TooDeep));
        }
        self.escape(start, input.position().byte_index());
        let mut inner_end = 0;
        input.parse_nested_block(|inner| {
            self.walk(inner, depth + 1)?;
            inner_end = inner.position().byte_index();
            Ok(())
        })?;
        if input.position().byte_index() == inner_end {
            self.tail.push(closer);
        }
        Ok(())
    }

    /// Escapes every `</style` that begins in the token between `start` and `end`.
    fn escape(&mut self, start: usize, end: usize) {
        while let Some(&at) = self.ends.get(self.next_end).filter(|at| **at < end) {
            debug_assert!(at >= start);
            // Inside a string, an address or a comment a backslash is harmless; between tokens only a comment is.
            let text = if at + 1 < end { "\\" } else { "/**/" };
            self.insertions.push((at + 1, text));
            self.next_end += 1;
        }
    }
}

/// How to close a token that the source ends in.
enum Closer {
    Comment,
    Quoted,
    Address,
    Other,
}

impl Closer {
    fn of(token: &Token<'_>) -> Self {
        match token {
            Token::Comment(_) => Self::Comment,
            Token::QuotedString(_) | Token::BadString(_) => Self::Quoted,
            Token::UnquotedUrl(_) | Token::BadUrl(_) => Self::Address,
            _ => Self::Other,
        }
    }

    fn close(&self, text: &str, tail: &mut String) {
        match self {
            Self::Comment => {
                if text.len() < 4 || !text.ends_with("*/") {
                    tail.push_str("*/");
                }
            }
            Self::Quoted => {
                let quote = if text.starts_with('"') { '"' } else { '\'' };
                if text.len() < 2 || !ends_unescaped(text, quote) {
                    if ends_escaping(text) {
                        tail.push('\n');
                    }
                    tail.push(quote);
                }
            }
            Self::Address => {
                if !ends_unescaped(text, ')') {
                    if ends_escaping(text) {
                        tail.push(char::REPLACEMENT_CHARACTER);
                    }
                    tail.push(')');
                }
            }
            Self::Other => {
                if ends_escaping(text) {
                    tail.push(char::REPLACEMENT_CHARACTER);
                }
            }
        }
    }
}

fn ends_unescaped(text: &str, last: char) -> bool {
    text.strip_suffix(last)
        .is_some_and(|rest| !ends_escaping(rest))
}

/// Whether a text ends in a backslash that would escape the next character.
pub(super) fn ends_escaping(text: &str) -> bool {
    let slashes = text.bytes().rev().take_while(|byte| *byte == b'\\').count();
    slashes % 2 == 1
}

//! Token-level helpers for CSS text.

use std::fmt::Write;

use cssparser::{ParseError, Parser, SourcePosition, Token, TokenSerializationType};

use super::prepare::ends_escaping;

/// What the tokens of a stretch say about it.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Stretch {
    /// Bytes of the first and behind the last token that is neither space nor comment.
    pub(super) span: Option<(SourcePosition, SourcePosition)>,
    /// Whether brackets match and strings end.
    pub(super) sound: bool,
    /// Whether a semicolon stands outside brackets.
    pub(super) semicolon: bool,
}

/// Reads up to the end of this parser's input.
pub(super) fn read_stretch(input: &mut Parser<'_>) -> Stretch {
    let mut stretch = Stretch {
        sound: true,
        ..Stretch::default()
    };
    loop {
        let start = input.position();
        let Ok(token) = input.next_including_whitespace_and_comments() else {
            return stretch;
        };
        let nested = opens(token);
        match token {
            Token::WhiteSpace(_) | Token::Comment(_) => continue,
            Token::Semicolon => stretch.semicolon = true,
            Token::CDO | Token::CDC => stretch.sound = false,
            token if is_bad(token) => stretch.sound = false,
            _ => {}
        }
        if nested && !nested_sound(input) {
            stretch.sound = false;
        }
        let first = stretch.span.map_or(start, |(first, _)| first);
        stretch.span = Some((first, input.position()));
    }
}

/// Whether a block that was just opened is free of parse errors. Recursion is safe because the depth is bounded before.
pub(super) fn nested_sound(input: &mut Parser<'_>) -> bool {
    input
        .parse_nested_block(|inner| {
            let mut sound = true;
            while let Ok(token) = inner.next_including_whitespace_and_comments() {
                sound &= !is_bad(token);
                if opens(token) {
                    sound &= nested_sound(inner);
                }
            }
            Ok::<_, ParseError<()>>(sound)
        })
        .unwrap_or(false)
}

/// Whether a token invalidates whatever contains it: an unmatched closing bracket, an unterminated string or address, a
/// backslash before the end of a line.
pub(super) fn is_bad(token: &Token<'_>) -> bool {
    token.is_parse_error() || *token == Token::Delim('\\')
}

/// Whether a token opens a block.
pub(super) fn opens(token: &Token<'_>) -> bool {
    closer(token).is_some()
}

fn closer(token: &Token<'_>) -> Option<char> {
    match token {
        Token::Function(_) | Token::ParenthesisBlock => Some(')'),
        Token::SquareBracketBlock => Some(']'),
        Token::CurlyBracketBlock => Some('}'),
        _ => None,
    }
}

/// Skips the rest of the input.
pub(super) fn drain(input: &mut Parser<'_>) {
    while input.next_including_whitespace_and_comments().is_ok() {}
}

/// Where white space can be removed without a change of meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Spacing {
    /// Collapses each run to one space; for display.
    Single,
    /// Removes it around commas and combinators; for comparing selectors.
    Selector,
    /// Removes it around punctuation; for comparing the preludes of at-rules.
    Prelude,
}

/// The text without comments and redundant white space.
pub(super) fn tidy(text: &str, spacing: Spacing) -> String {
    let mut tidy = Tidy {
        out: String::with_capacity(text.len()),
        spacing,
        gap: Gap::None,
        last: Token::Comma.serialization_type(),
        tight: true,
    };
    let mut input = Parser::new(text);
    input.set_nested_block_limit(0);
    tidy.walk(&mut input);
    let end = trim_end(&tidy.out).len();
    tidy.out.truncate(end);
    tidy.out
}

/// Trims trailing white space, including the space that only terminates a hexadecimal escape; an escaped space stays.
pub(super) fn trim_end(text: &str) -> &str {
    let trimmed = text.trim_end_matches([' ', '\t', '\n', '\r', '\u{c}']);
    if trimmed.len() < text.len() && ends_escaping(trimmed) {
        &text[..=trimmed.len()]
    } else {
        trimmed
    }
}

enum Gap {
    None,
    Comment,
    Space,
}

struct Tidy {
    out: String,
    spacing: Spacing,
    gap: Gap,
    last: TokenSerializationType,
    /// Whether white space that follows is insignificant.
    tight: bool,
}

impl Tidy {
    fn walk(&mut self, input: &mut Parser<'_>) {
        loop {
            let start = input.position();
            let Ok(token) = input.next_including_whitespace_and_comments() else {
                return;
            };
            match token {
                Token::WhiteSpace(_) => self.gap = Gap::Space,
                Token::Comment(_) => {
                    if matches!(self.gap, Gap::None) {
                        self.gap = Gap::Comment;
                    }
                }
                token => {
                    let kind = token.serialization_type();
                    let tight = self.is_tight(token);
                    let end = closer(token);
                    self.push(input.slice_from(start), kind, tight);
                    if let Some(end) = end {
                        self.nested(input, end);
                    }
                }
            }
        }
    }

    fn nested(&mut self, input: &mut Parser<'_>, end: char) {
        self.tight = true;
        let walked = input.parse_nested_block(|inner| {
            self.walk(inner);
            Ok::<_, ParseError<()>>(())
        });
        debug_assert!(walked.is_ok());
        self.gap = Gap::None;
        self.out.push(end);
        self.last = Token::CloseParenthesis.serialization_type();
        self.tight = false;
    }

    fn push(&mut self, text: &str, kind: TokenSerializationType, tight: bool) {
        match self.gap {
            Gap::Space if !self.tight && !tight => self.out.push(' '),
            Gap::Space | Gap::Comment if self.last.needs_separator_when_before(kind) => {
                self.out.push_str("/**/");
            }
            Gap::Space | Gap::Comment | Gap::None => {}
        }
        self.out.push_str(text);
        self.gap = Gap::None;
        self.last = kind;
        self.tight = tight;
    }

    /// Whether white space around this token is insignificant.
    fn is_tight(&self, token: &Token<'_>) -> bool {
        match (self.spacing, token) {
            (Spacing::Single, _) => false,
            (Spacing::Selector, Token::Comma | Token::Delim('>' | '+' | '~')) => true,
            (Spacing::Selector, _) => false,
            (
                Spacing::Prelude,
                Token::Comma | Token::Colon | Token::Delim('<' | '>' | '=' | '/'),
            ) => true,
            (Spacing::Prelude, _) => false,
        }
    }
}

/// Serialises an identifier, with escapes.
pub(super) fn spell(name: &str) -> String {
    let mut spelled = String::with_capacity(name.len());
    let written = cssparser::serialize_identifier(name, &mut spelled);
    debug_assert!(written.is_ok());
    spelled
}

/// Serialises a string, with quotes and escapes.
pub(super) fn spell_string(text: &str) -> String {
    let mut spelled = String::with_capacity(text.len() + 2);
    spelled.push('"');
    let written = write!(cssparser::CssStringWriter::new(&mut spelled), "{text}");
    debug_assert!(written.is_ok());
    spelled.push('"');
    spelled
}

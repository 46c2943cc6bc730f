//! The identity of a piece: the at-rules around it, and its selector or the name it defines.

use cssparser::{Delimiter, ParseError, Parser, Token};

use super::limits::CssLimits;
use super::parse::parse_css;
use super::piece::{Block, Origin, Piece};
use super::text::{Spacing, drain, tidy};

/// The identity of a piece.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Named {
    /// Two pieces have the same key if the second one edits the first.
    pub(super) key: String,
    /// The selector, for a style rule.
    pub(super) selector: Option<String>,
    pub(super) rank: Rank,
}

/// Where in a stylesheet a piece is allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rank {
    /// Before everything else.
    Import,
    /// After imports, before everything else.
    Namespace,
    /// Between these two, or anywhere.
    LayerOrder,
    /// Anywhere.
    Any,
}

impl Named {
    pub(super) fn of(piece: &Piece) -> Self {
        let mut key = String::new();
        for wrapper in piece.wrappers() {
            key.push_str(&tidy(wrapper, Spacing::Prelude));
            key.push('{');
        }
        let (subject, selector, rank) = match piece {
            Piece::Block(Block { selector, .. }) => {
                let selector = tidy(selector, Spacing::Selector);
                (selector.clone(), Some(selector), Rank::Any)
            }
            Piece::Raw(raw) => name_raw(&raw.text),
        };
        key.push_str(&subject);
        Self {
            key,
            selector,
            rank,
        }
    }
}

fn name_raw(text: &str) -> (String, Option<String>, Rank) {
    let mut input = Parser::new(text);
    let name = match input.next() {
        Ok(Token::AtKeyword(name)) => Some(name.to_ascii_lowercase()),
        _ => None,
    };
    let Some(name) = name else {
        let selector = tidy(prelude(&mut Parser::new(text)), Spacing::Selector);
        // The brace distinguishes it from a block with the same selector: raw text cannot be merged into declarations.
        return (format!("{{{selector}"), Some(selector), Rank::Any);
    };
    let prelude = prelude(&mut input);
    let rank = match name.as_str() {
        "import" => Rank::Import,
        "namespace" => Rank::Namespace,
        "layer" if text.ends_with(';') => Rank::LayerOrder,
        _ => Rank::Any,
    };
    let subject = match name.as_str() {
        "font-face" => font_face(text),
        "namespace" => first_word(prelude),
        name if defines(name) => tidy(prelude, Spacing::Prelude),
        _ => tidy(text, Spacing::Prelude),
    };
    (format!("@{name} {subject}"), None, rank)
}

/// Whether a later at-rule of this kind with the same prelude replaces an earlier one.
fn defines(name: &str) -> bool {
    let name = ["-webkit-", "-moz-", "-o-", "-ms-"]
        .iter()
        .find_map(|prefix| name.strip_prefix(prefix))
        .unwrap_or(name);
    matches!(
        name,
        "keyframes"
            | "property"
            | "counter-style"
            | "font-palette-values"
            | "font-feature-values"
            | "position-try"
            | "page"
            | "color-profile"
            | "view-transition"
    )
}

/// The text before the block or the semicolon.
fn prelude<'i>(input: &mut Parser<'i>) -> &'i str {
    input.set_nested_block_limit(0);
    let start = input.position();
    let read = input.parse_until_before(
        Delimiter::Semicolon | Delimiter::CurlyBracketBlock,
        |input| {
            drain(input);
            Ok::<_, ParseError<()>>(())
        },
    );
    debug_assert!(read.is_ok());
    input.slice_from(start)
}

/// The prefix that a namespace rule defines; empty for the default namespace.
fn first_word(prelude: &str) -> String {
    match Parser::new(prelude).next() {
        Ok(Token::Ident(word)) => word.to_string(),
        _ => String::new(),
    }
}

/// The descriptors that distinguish the faces of one family.
fn font_face(text: &str) -> String {
    const TELLING: [&str; 6] = [
        "font-family",
        "font-weight",
        "font-style",
        "font-stretch",
        "font-width",
        "unicode-range",
    ];
    let body = text
        .split_once('{')
        .map_or("", |(_, rest)| rest.trim_end().trim_end_matches('}'));
    let rule = format!("x{{{body}}}");
    let parsed = parse_css(&rule, Origin::Author, &CssLimits::default());
    let pieces = parsed.map(|parsed| parsed.pieces).unwrap_or_default();
    let [Piece::Block(block)] = pieces.as_slice() else {
        return tidy(text, Spacing::Prelude);
    };
    let mut key = String::new();
    for descriptor in TELLING {
        let value = block
            .declarations
            .iter()
            .rfind(|declaration| declaration.property.eq_ignore_ascii_case(descriptor))
            .map_or(String::new(), |declaration| {
                tidy(&declaration.value, Spacing::Prelude)
            });
        key.push_str(&value.replace(['"', '\''], "").to_ascii_lowercase());
        key.push(';');
    }
    key
}

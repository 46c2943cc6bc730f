//! Rules for the colours, fonts and sizes that the whole site shares.

use super::super::colours;
use super::super::fonts;
use super::super::pattern::{Captures, without_padding};
use super::super::request::{
    ColourToken, Family, FontRole, MissingPart, Request, Shade, Size, Which,
};
use super::super::words::{Number, Token, TokenKind};
use super::Build;

pub(super) const INTENTS: &[(&str, Build)] = &[
    ("colour", |c| {
        let token = token(c.tokens("k"))?;
        let value = Shade::Value(c.colour("c")?);
        Some(Request::Colour { token, value })
    }),
    ("shade", |c| {
        let token = token(c.tokens("k")).or_else(|| named_colour(c.tokens("k")))?;
        let value = if c.says(&["darker"]) {
            Shade::Darker
        } else {
            Shade::Lighter
        };
        Some(Request::Colour { token, value })
    }),
    ("colour-instead", |c| {
        let token = token(c.tokens("k")).or_else(|| named_colour(c.tokens("k")))?;
        let value = Shade::Value(c.colour("c")?);
        Some(Request::Colour { token, value })
    }),
    ("new-colour", |c| {
        let (name, value) = (c.name("n")?.to_lowercase(), c.colour("c")?);
        let is_slug = |c: char| c.is_ascii_alphanumeric() || c == '-';
        let is_name = name.chars().all(is_slug);
        is_name.then_some(Request::NewColour { name, value })
    }),
    ("same-font", |_| {
        let family = Family::SameAs(FontRole::Body);
        let role = FontRole::Headings;
        Some(Request::Font { role, family })
    }),
    ("sans-serif-headings", |_| {
        let (role, family) = (FontRole::Headings, Family::SansSerif);
        Some(Request::Font { role, family })
    }),
    ("font", |c| {
        let role = role(c.tokens("r"))?;
        let family = Family::Named(family(c)?);
        Some(Request::Font { role, family })
    }),
    ("which-font", |c| {
        let name = c.name("f");
        let is_font = name.is_none_or(|name| fonts::system(&name).is_some());
        is_font.then_some(Request::Missing(MissingPart::Font))
    }),
    ("type-size", |c| {
        let (which, size) = (Which::Type, size(c, "n")?);
        Some(Request::Scale { which, size })
    }),
    ("type-scale", |c| {
        if !c.says(&["all", "everywhere", "font"]) {
            return Some(Request::Missing(MissingPart::What));
        }
        let (which, size) = (Which::Type, direction(c));
        Some(Request::Scale { which, size })
    }),
    ("space-size", |c| {
        let (which, size) = (Which::Space, size(c, "n")?);
        Some(Request::Scale { which, size })
    }),
    ("space-scale", |c| {
        let (which, size) = (Which::Space, direction(c));
        Some(Request::Scale { which, size })
    }),
    ("square-corners", |_| {
        let unit = "px".to_owned();
        let none = Number { value: 0.0, unit };
        Some(Request::Radius(Size::Value(none)))
    }),
    ("rounder-corners", |_| Some(Request::Radius(Size::Larger))),
    ("radius", |c| Some(Request::Radius(size(c, "n")?))),
];

/// The role of a colour that these words name.
pub(super) fn token(tokens: &[Token]) -> Option<ColourToken> {
    let tokens = without_padding(tokens);
    if tokens.iter().any(|token| token.kind != TokenKind::Word) {
        return None;
    }
    if let [all, text] = tokens
        && all.is("all")
        && text.is("text")
    {
        return Some(ColourToken::Role("ink"));
    }
    let skipped = [
        "the",
        "colour",
        "our",
        "my",
        "a",
        "site",
        "whole-site",
        "of",
        "all",
        "as",
        "your",
        "for",
    ];
    let rest: Vec<&Token> = tokens
        .iter()
        .filter(|token| !token.is_any(&skipped))
        .collect();
    let [only] = rest.as_slice() else { return None };
    Some(ColourToken::Role(match only.word.as_str() {
        "primary-colour" | "primary" | "brand" => "primary",
        "accent-colour" | "accent" => "accent",
        "ink-colour" | "ink" => "ink",
        "background" => "background",
        "surface" => "surface",
        _ => return None,
    }))
}

/// "the green": the site's colour that looks green.
pub(super) fn named_colour(tokens: &[Token]) -> Option<ColourToken> {
    let words: Vec<&Token> = without_padding(tokens)
        .iter()
        .filter(|token| !token.is_any(&["the", "colour"]))
        .collect();
    let [only] = words.as_slice() else {
        return None;
    };
    colours::rgb(&only.word)?;
    Some(ColourToken::Named(only.word.clone()))
}

fn direction(c: &Captures<'_>) -> Size {
    if c.says(&["smaller", "less", "tighter", "reduce"]) {
        Size::Smaller
    } else {
        Size::Larger
    }
}

pub(super) fn size(c: &Captures<'_>, name: &str) -> Option<Size> {
    let number = c.number(name)?;
    (number.value <= 200.0).then_some(Size::Value(number))
}

/// What the font is for: headings, text, or both.
fn role(tokens: &[Token]) -> Option<FontRole> {
    let is_said = |token: &&Token| {
        token.kind == TokenKind::Word && !token.is_any(&["the", "font", "our", "all"])
    };
    let words = tokens.iter().filter(is_said);
    let words: Vec<&str> = words.map(|token| token.word.as_str()).collect();
    match words.as_slice() {
        ["heading" | "headings" | "title"] => Some(FontRole::Headings),
        ["body" | "text" | "paragraphs" | "texts"] | ["body", "text"] => Some(FontRole::Body),
        ["everywhere" | "everything" | "site" | "whole-site"] => Some(FontRole::All),
        _ => None,
    }
}

/// The name of a font: one that every system has, or any other when it is clear that a font is meant.
fn family(c: &Captures<'_>) -> Option<String> {
    let name = c.name("f")?;
    let mut words = name.split(' ');
    let is_name = words.all(|word| word.starts_with(char::is_uppercase))
        && name.split(' ').count() <= 3
        && c.tokens("f")
            .iter()
            .all(|token| token.kind == TokenKind::Word);
    let is_font = fonts::system(&name).is_some() || is_name && c.says(&["font", "use"]);
    is_font.then_some(name)
}

//! The colours, fonts and sizes that the whole site shares.

use super::super::colours;
use super::super::fonts;
use super::super::pattern::{Captures, without_padding};
use super::super::request::{ColourToken, Family, FontRole, Missing, Request, Shade, Size, Which};
use super::super::words::{Token, TokenKind};
use super::{Build, Rule};

pub(crate) const RULES: &[Rule] = &[
    // Colours of the site.
    Rule {
        patterns: &[
            "make|set|change <k> to? <c>",
            "<k> :|=|→ <c>",
            "<k> <c>",
            "use <c> as|for <k>",
            "<c> as|for <k>",
            "<k> should|must be <c>",
            "can|could <k> be <c>",
            "want <c> for|as <k>",
            "change <k> into <c>",
            "<k> in <c>",
        ],
        example: "make the primary colour blue",
        build: Build::Request(|c| {
            Some(Request::Colour {
                token: token(c.tokens("k"))?,
                value: Shade::Value(c.colour("c")?),
            })
        }),
    },
    Rule {
        patterns: &[
            "make <k> bit? darker|lighter",
            "<k> bit? darker|lighter",
            "bit? darker|lighter <k>",
            "a? darker|lighter <k> would be good|nice",
        ],
        example: "make the accent colour lighter",
        build: Build::Request(|c| {
            let token = token(c.tokens("k")).or_else(|| named_colour(c.tokens("k")))?;
            Some(Request::Colour {
                token,
                value: shade(c),
            })
        }),
    },
    Rule {
        patterns: &[
            "want <c> instead-of <k>",
            "<c> instead-of <k>",
            "use <c> instead-of <k>",
        ],
        example: "",
        build: Build::Request(|c| {
            Some(Request::Colour {
                token: token(c.tokens("k")).or_else(|| named_colour(c.tokens("k")))?,
                value: Shade::Value(c.colour("c")?),
            })
        }),
    },
    Rule {
        patterns: &[
            "add a? colour called|named? <n> <c>",
            "add a? colour <n> :|=? <c>",
            "new colour <n> :? <c>",
        ],
        example: "add a colour called sky #87ceeb",
        build: Build::Request(|c| {
            let name = c.name("n")?;
            name.chars()
                .all(|c| c.is_ascii_alphanumeric() || c == '-')
                .then_some(Request::NewColour {
                    name: name.to_lowercase(),
                    value: c.colour("c")?,
                })
        }),
    },
    // Fonts.
    Rule {
        patterns: &[
            "use the? same font for headings as for text|body",
            "headings in|with the? same font as text|body",
            "same font for headings and text",
        ],
        example: "",
        build: Build::Request(|_| {
            Some(Request::Font {
                role: FontRole::Headings,
                family: Family::SameAs(FontRole::Body),
            })
        }),
    },
    Rule {
        patterns: &[
            "headings without serifs",
            "headings sans-serif",
            "no serifs in headings",
            "make the? headings sans-serif",
        ],
        example: "",
        build: Build::Request(|_| {
            Some(Request::Font {
                role: FontRole::Headings,
                family: Family::SansSerif,
            })
        }),
    },
    Rule {
        patterns: &[
            "change|set|make <r> to? <f>",
            "use <f> for|as|in <r>",
            "<r> in|to|with <f>",
            "<r> :? <f>",
            "<f> for|as <r>",
            "<f> <r>",
            "font :? <f> for <r>",
            "font : <f> for <r>",
        ],
        example: "use Verdana for the text",
        build: Build::Request(|c| {
            let role = role(c.tokens("r"))?;
            let says_font = c.sentence().to_lowercase().contains("font");
            let family = family(c, says_font)?;
            Some(Request::Font {
                role,
                family: Family::Named(family),
            })
        }),
    },
    Rule {
        patterns: &["change|use|set|another|different? the? font", "use <f>"],
        example: "",
        build: Build::Request(|c| {
            let is_font = c.tokens("f").is_empty()
                || c.name("f")
                    .is_some_and(|name| fonts::system(&name).is_some());
            is_font.then_some(Request::Missing(Missing::Font))
        }),
    },
    // Scales.
    Rule {
        patterns: &[
            "base-font-size :|=|to? <n>",
            "set the? base-font-size to <n>",
            "body text <n>",
            "body|base font-size <n>",
            "font-size <n>",
            "set the? font-size to <n>",
        ],
        example: "base font size 20",
        build: Build::Request(|c| {
            Some(Request::Scale {
                which: Which::Type,
                size: size(c, "n")?,
            })
        }),
    },
    Rule {
        patterns: &[
            "make all|the? text|font|texts bit? bigger|smaller",
            "bigger|smaller font|text everywhere",
            "all text bit? bigger|smaller",
            "make the? font bigger|smaller everywhere",
            "font|text bigger|smaller everywhere",
            "bigger|smaller font",
        ],
        example: "make all text a bit bigger",
        build: Build::Request(|c| {
            let bigger = c.sentence().to_lowercase();
            let says_all = ["all", "everywhere", "font"]
                .iter()
                .any(|word| bigger.split(' ').any(|part| part == *word));
            Some(if says_all {
                Request::Scale {
                    which: Which::Type,
                    size: direction(c),
                }
            } else {
                Request::Missing(Missing::What)
            })
        }),
    },
    Rule {
        patterns: &["base-spacing :|=|to? <n>", "set the? base-spacing to <n>"],
        example: "base spacing 32",
        build: Build::Request(|c| {
            Some(Request::Scale {
                which: Which::Space,
                size: size(c, "n")?,
            })
        }),
    },
    Rule {
        patterns: &[
            "more|less spacing everywhere|please? on? all-pages?",
            "tighter|looser spacing",
            "more|less spacing",
            "make the? spacing tighter|bigger|smaller",
            "spacing is to|too much|big , reduce it on? all-pages?",
            "reduce|increase the? spacing on? all-pages?",
        ],
        example: "more white space everywhere",
        build: Build::Request(|c| {
            let said = c.sentence().to_lowercase();
            let less = ["less", "tight", "reduce", "smaller"]
                .iter()
                .any(|word| said.contains(word));
            Some(Request::Scale {
                which: Which::Space,
                size: if less { Size::Smaller } else { Size::Larger },
            })
        }),
    },
];

/// The role of a colour that these words name.
pub(super) fn token(tokens: &[Token]) -> Option<ColourToken> {
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
        "text",
        "as",
        "your",
        "for",
    ];
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
    let rest: Vec<&Token> = tokens
        .iter()
        .filter(|token| !token.is_any(&skipped))
        .collect();
    let [only] = rest.as_slice() else { return None };
    let has = |word: &str| tokens.iter().any(|token| token.is(word));
    if has("text") {
        return None;
    }
    match only.word.as_str() {
        "primary-colour" | "primary" | "brand" => Some(ColourToken::Role("primary")),
        "accent-colour" | "accent" => Some(ColourToken::Role("accent")),
        "ink-colour" | "ink" => Some(ColourToken::Role("ink")),
        "background" => Some(ColourToken::Role("background")),
        "surface" => Some(ColourToken::Role("surface")),
        _ => None,
    }
}

/// "the green": the colour of the site that looks so.
fn named_colour(tokens: &[Token]) -> Option<ColourToken> {
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

fn shade(c: &Captures<'_>) -> Shade {
    if c.sentence().to_lowercase().contains("darker") {
        Shade::Darker
    } else {
        Shade::Lighter
    }
}

fn direction(c: &Captures<'_>) -> Size {
    if c.sentence().to_lowercase().contains("small") {
        Size::Smaller
    } else {
        Size::Larger
    }
}

pub(super) fn size(c: &Captures<'_>, name: &str) -> Option<Size> {
    let number = c.number(name)?;
    (number.value <= 200.0).then_some(Size::Value(number))
}

/// Whose font: headings, text, or both.
fn role(tokens: &[Token]) -> Option<FontRole> {
    let words: Vec<&str> = tokens
        .iter()
        .filter(|token| {
            !token.is_any(&["the", "font", "our", "all"]) && token.kind == TokenKind::Word
        })
        .map(|token| token.word.as_str())
        .collect();
    match words.as_slice() {
        ["heading" | "headings" | "title"] => Some(FontRole::Headings),
        ["body" | "text" | "paragraphs" | "texts"] | ["body", "text"] => Some(FontRole::Body),
        ["everywhere" | "everything" | "site" | "whole-site"] => Some(FontRole::All),
        _ => None,
    }
}

fn family(c: &Captures<'_>, says_font: bool) -> Option<String> {
    let name = c.name("f")?;
    if fonts::system(&name).is_some() {
        return Some(name);
    }
    // Any other name is told by name, when a font is clearly meant.
    let is_name = name
        .split(' ')
        .all(|word| word.starts_with(char::is_uppercase))
        && name.split(' ').count() <= 3;
    let looks_like_font = says_font || c.sentence().to_lowercase().starts_with("use ");
    (is_name
        && looks_like_font
        && c.tokens("f")
            .iter()
            .all(|token| token.kind == TokenKind::Word))
    .then_some(name)
}

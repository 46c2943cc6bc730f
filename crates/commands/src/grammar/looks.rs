//! Rules for styling: colours, sizes, space, corners, and CSS by name.

use super::super::colours;
use super::super::noun::{self, Many, Noun, Phrase};
use super::super::pattern::{Captures, without_padding};
use super::super::request::{Colour, ColourToken, Look, Request, Shade};
use super::super::vocabulary::VOCABULARY;
use super::super::words::{Token, TokenKind, number, tokens, typed};
use super::Build;
use super::tokens::{named_colour, size, token};

pub(super) const INTENTS: &[(&str, Build)] = &[
    ("add-class", |c| {
        let name = c.name("n")?.trim_start_matches('.').to_owned();
        let what = c.thing("x")?;
        Some(Request::AddClass { name, what })
    }),
    ("remove-class", |c| {
        let name = c.name("n")?.trim_start_matches('.').to_owned();
        let what = c.thing("x")?;
        Some(Request::RemoveClass { name, what })
    }),
    ("css", css),
    ("variable", variable),
    ("css-property", property),
    ("two-colours", |c| {
        let background = Look::Background(Colour::Value(c.colour("c")?));
        let text = Look::TextColour(Colour::Value(c.colour("d")?));
        style(c, vec![background, text])
    }),
    ("background", |c| {
        let value = colour(c, "k").or_else(|| colour(c, "c"))?;
        style(c, vec![Look::Background(value)])
    }),
    ("use-colour", |c| {
        let value = colour(c, "k").or_else(|| colour(c, "c"))?;
        style(c, vec![Look::Colour(value)])
    }),
    ("align", align),
    ("mobile-look", |c| {
        let (what, looks) = (c.thing("x")?, looks(c, "v")?);
        let at = Some("mobile");
        is_thing(&what).then_some(Request::Style { what, looks, at })
    }),
    ("more", |c| {
        let looks = looks(c, "v")?;
        Some(Request::More { looks })
    }),
    ("style", |c| {
        let looks = looks(c, "v")?;
        (!c.thing("x")?.is_new).then_some(())?;
        style(c, looks)
    }),
    ("bare-style", |c| {
        // A bare size does not say what it is the size of.
        let is_number = |token: &Token| token.kind == TokenKind::Number;
        (!c.tokens("v").iter().any(is_number)).then_some(())?;
        style(c, looks(c, "v")?)
    }),
];

/// A colour that the sentence names, or one of the site.
fn colour(c: &Captures<'_>, name: &str) -> Option<Colour> {
    let tokens = c.tokens(name);
    if let Some(value) = colours::colour(c.sentence(), tokens) {
        return Some(Colour::Value(value));
    }
    if let Some(ColourToken::Role(role)) = token(tokens) {
        return Some(Colour::Value(format!("var(--{role})")));
    }
    // "the beige one"
    let (one, rest) = without_padding(tokens).split_last()?;
    match named_colour(rest).filter(|_| one.is("one")) {
        Some(ColourToken::Named(name)) => Some(Colour::Like(name)),
        _ => None,
    }
}

fn is_thing(what: &Phrase) -> bool {
    let can_be = match what.noun {
        Some(Noun::Page | Noun::Home | Noun::Site | Noun::Layout | Noun::MenuItem) => false,
        Some(Noun::Text) if what.is_bare() && !what.points => false,
        Some(_) => true,
        None => what.is_pronoun || what.is_quoted || what.name.is_some() && what.many == Many::One,
    };
    can_be && !what.said.is_empty()
}

/// A request to style `<x>` in this way.
pub(super) fn style(c: &Captures<'_>, looks: Vec<Look>) -> Option<Request> {
    let (what, at) = (c.thing("x")?, None);
    is_thing(&what).then_some(Request::Style { what, looks, at })
}

/// Aligning the text of a section aligns the section.
fn align(c: &Captures<'_>) -> Option<Request> {
    let sides = ["left", "right"];
    let side = sides.into_iter().find(|side| c.says(&[side]));
    let looks = vec![Look::property("text-align", side.unwrap_or("center"))];
    let (tokens, at) = (c.tokens("x"), None);
    if let [first, inside, rest @ ..] = tokens
        && first.is_any(&["everything", "all"])
        && inside.is("in")
    {
        let what = noun::phrase(c.sentence(), rest)?;
        return Some(Request::Style { what, looks, at });
    }
    let mut what = c.thing("x")?;
    if what.noun == Some(Noun::Text) && what.name.is_none() && what.ordinal.is_none() {
        // "the text there" refers to the thing mentioned before.
        match what.within.as_slice() {
            [] => what = Phrase::it(),
            [section] => what = section.clone(),
            _ => {}
        }
    }
    is_thing(&what).then_some(Request::Style { what, looks, at })
}

/// "bigger and red", "48px", "bold": a list of styles. Every word must be understood.
fn looks(c: &Captures<'_>, name: &str) -> Option<Vec<Look>> {
    let tokens = without_padding(c.tokens(name));
    let parts = tokens.split(|token| token.is_any(&["and", ","]));
    let padding = ["bit", "much", "even", "a", "little", "more", "way", "all"];
    let look = |part: &[Token]| {
        let said = part.iter().filter(|token| !token.is_any(&padding));
        look(c.sentence(), &said.cloned().collect::<Vec<_>>())
    };
    let found: Vec<Look> = parts.map(look).collect::<Option<_>>()?;
    (!found.is_empty()).then_some(found)
}

fn look(sentence: &str, said: &[Token]) -> Option<Look> {
    if let Some(colour) = colours::colour(sentence, said) {
        return Some(Look::Colour(Colour::Value(colour)));
    }
    let only = match said {
        [only] => only,
        [size, unit] if unit.is_any(&["px", "pixels", "pixel"]) => {
            let size = format!("{}px", number(&size.text)?.value);
            return Some(Look::property("font-size", &size));
        }
        _ => return None,
    };
    if only.kind == TokenKind::Number {
        let number = number(&only.text);
        let number = number.filter(|number| !number.unit.is_empty() && number.unit != "%")?;
        return Some(Look::property("font-size", &number.to_css()));
    }
    // "Hours small" may only describe how they are; a request has a verb or a comparative.
    let is_wish = || {
        let verbs = [
            "make", "change", "set", "turn", "should", "must", "be", "want",
        ];
        tokens(sentence).iter().any(|token| token.is_any(&verbs))
    };
    Some(match only.word.as_str() {
        "bigger" => Look::Bigger,
        "big" if is_wish() => Look::Bigger,
        "smaller" => Look::Smaller,
        "small" | "tiny" if is_wish() => Look::Smaller,
        "bold" | "bolder" => Look::Bold,
        "italic" => Look::property("font-style", "italic"),
        "uppercase" => Look::property("text-transform", "uppercase"),
        "lowercase" => Look::property("text-transform", "lowercase"),
        "underlined" => Look::property("text-decoration", "underline"),
        "centered" => Look::property("text-align", "center"),
        "rounder" => Look::Rounder,
        "darker" => Look::Darker,
        "lighter" => Look::Lighter,
        _ => return None,
    })
}

/// A CSS rule as it was typed.
fn css(c: &Captures<'_>) -> Option<Request> {
    let text = typed(c.sentence(), c.tokens("css"));
    let (selector, rest) = text.split_once('{')?;
    let (selector, body) = (selector.trim(), rest.trim().strip_suffix('}')?);
    let is_plain = !selector.contains(['}', ';', '<', '@'])
        && !body.contains(['{', '}', '<', '@'])
        && body.contains(':');
    let is_tag = |c: char| c.is_ascii_alphanumeric() || c == ' ';
    let is_selector = selector.starts_with(['.', '#']) || selector.chars().all(is_tag);
    (is_plain && is_selector && !selector.is_empty()).then(|| Request::Css(text.to_owned()))
}

/// `--radius: 12px`
fn variable(c: &Captures<'_>) -> Option<Request> {
    let [name] = c.tokens("k") else { return None };
    let slug = name.text.strip_prefix("--")?;
    if slug == "radius" {
        return Some(Request::Radius(size(c, "v")?));
    }
    Some(Request::Colour {
        token: ColourToken::Named(slug.to_owned()),
        value: Shade::Value(c.colour("v")?),
    })
}

fn property(c: &Captures<'_>) -> Option<Request> {
    let [name] = c.tokens("p") else { return None };
    let name = match name.word.as_str() {
        "radius" => "border-radius",
        name => name,
    };
    let value = match name {
        "color" | "background-color" => c.colour("v")?,
        "text-align" | "text-transform" | "font-style" | "font-weight" => {
            let [value] = without_padding(c.tokens("v")) else {
                return None;
            };
            VOCABULARY.css_values.get(&value.word)?.clone()
        }
        name if VOCABULARY.css_lengths.contains(name) => c.number("v")?.to_css(),
        _ => return None,
    };
    match c.tokens("x") {
        [selector] if selector.text.starts_with('.') => {
            let selector = &selector.text;
            Some(Request::Css(format!("{selector} {{ {name}: {value} }}")))
        }
        _ => style(c, vec![Look::property(name, &value)]),
    }
}

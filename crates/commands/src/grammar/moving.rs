//! Rules for moving, copying, hiding and removing existing things.

use super::super::noun::{Noun, Phrase, noun, phrase};
use super::super::pattern::{Captures, without_padding};
use super::super::place;
use super::super::request::{At, MissingPart, Place, Request};
use super::super::vocabulary::VOCABULARY;
use super::super::words::{Token, TokenKind, typed};
use super::Build;

pub(super) const INTENTS: &[(&str, Build)] = &[
    ("swap", swap),
    ("order", |c| {
        let what = c.things("xs")?;
        (what.len() > 1).then_some(Request::Order { what })
    }),
    ("first-then", |c| {
        let what = vec![c.thing("x")?, c.thing("y")?];
        let is_there = |what: &Phrase| !what.is_new && !what.is_pronoun;
        what.iter().all(is_there).then_some(Request::Order { what })
    }),
    ("move", move_thing),
    ("nudge", |c| {
        let is_up = c.says(&["up", "higher"]);
        let at = if is_up { At::Up(1) } else { At::Down(1) };
        Some(Request::Move {
            what: Phrase::it(),
            place: Place {
                at: Some(at),
                ..Place::default()
            },
        })
    }),
    ("copy", |c| {
        let (head, place) = place::split(c.sentence(), c.tokens("x"))?;
        let (what, name) = (phrase(c.sentence(), head)?, None);
        Some(Request::Copy { what, name, place })
    }),
    ("remove", remove_things),
    ("hide-at", |c| {
        let at = if c.says(&["tablet"]) {
            "tablet"
        } else {
            "mobile"
        };
        let (what, at) = (c.thing("x")?, Some(at));
        Some(Request::Hide { what, at })
    }),
    ("hide", |c| {
        let (what, at) = (c.thing("x")?, None);
        Some(Request::Hide { what, at })
    }),
    ("show", |c| {
        let what = c.thing("x")?;
        Some(Request::Show { what })
    }),
    ("again-on", |c| {
        let (what, place) = (None, Some(c.thing("y")?));
        Some(Request::Again { what, place })
    }),
    ("again-for", |c| {
        let (what, place) = (c.thing("x")?, None);
        let is_there = !what.is_new;
        let what = Some(what);
        is_there.then_some(Request::Again { what, place })
    }),
];

fn nth_section(nth: i64) -> Phrase {
    Phrase {
        ordinal: Some(nth),
        ..Phrase::of_noun(Noun::Section, "section")
    }
}

fn swap(c: &Captures<'_>) -> Option<Request> {
    let tokens = without_padding(c.tokens("xs"));
    // "section 2 and 3"
    if let [section, one, and, other] = tokens
        && section.is("section")
        && and.is("and")
    {
        let nth = |token: &Token| token.text.parse().ok().map(nth_section);
        let what = vec![nth(one)?, nth(other)?];
        return Some(Request::Swap { what });
    }
    if let [.., first, two, sections] = tokens
        && first.is("first")
        && two.is("two")
        && sections.is("sections")
    {
        let what = vec![nth_section(1), nth_section(2)];
        return Some(Request::Swap { what });
    }
    let pronouns = ["those", "these", "them", "two", "the", "both"];
    if tokens.iter().all(|token| token.is_any(&pronouns)) {
        let what = vec![Phrase::it()];
        return Some(Request::Swap { what });
    }
    let what = c.things("xs")?;
    match what.len() {
        1 => Some(Request::Missing(MissingPart::Other)),
        2 => Some(Request::Swap { what }),
        _ => None,
    }
}

fn move_thing(c: &Captures<'_>) -> Option<Request> {
    let (what, place) = match c.tokens("p") {
        [] => {
            let (head, place) = place::split(c.sentence(), c.tokens("x"))?;
            (phrase(c.sentence(), head)?, place)
        }
        tokens => (c.thing("x")?, place::place(c.sentence(), tokens)?),
    };
    if place.at.is_none() {
        return place
            .is_there
            .then_some(Request::Missing(MissingPart::Place));
    }
    let is_value =
        |token: &Token| token.kind == TokenKind::Colour || token.is_any(&["bigger", "smaller"]);
    let is_page = what.noun == Some(Noun::Page) && !what.points;
    let is_other = what.is_new || is_page || c.tokens("x").iter().any(is_value);
    (!is_other).then_some(Request::Move { what, place })
}

fn remove_things(c: &Captures<'_>) -> Option<Request> {
    let tokens = without_padding(c.tokens("xs"));
    if tokens.iter().any(Token::is_end) {
        return None;
    }
    // "the sentence We are four people and a dog.": words that begin with a capital are the text itself.
    let start = tokens
        .iter()
        .position(|token| !token.is_any(&["the", "this"]));
    if let [first, name @ ..] = &tokens[start.unwrap_or(0)..]
        && name.len() > 1
        && name[0].text.starts_with(char::is_uppercase)
        && let Some(noun @ (Noun::Text | Noun::Heading(_) | Noun::Button)) = noun(&first.word)
    {
        let name = typed(c.sentence(), name);
        let what = vec![Phrase {
            is_quoted: true,
            name: Some(name.to_owned()),
            ..Phrase::of_noun(noun, name)
        }];
        return Some(Request::Remove { what });
    }
    // "and" may be part of a quoted name.
    let joins = tokens.iter().any(|token| token.is_any(&["and", ","]));
    if !joins || tokens.iter().any(|token| token.kind == TokenKind::Quote) {
        let what = vec![c.thing("xs")?];
        return Some(Request::Remove { what });
    }
    let what = c.things("xs")?;
    let is_order = |part: &Phrase| {
        let first = part.said.split(' ').next().unwrap_or_default();
        let first = first.to_lowercase();
        VOCABULARY.orders.contains(&first) || first == "keep"
    };
    (!what.iter().any(is_order)).then_some(Request::Remove { what })
}

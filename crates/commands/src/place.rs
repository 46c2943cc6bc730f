//! Where something goes, as a sentence says it: "at the bottom of the about page", "between features and opening hours".

use super::noun::{Noun, Phrase, phrase};
use super::request::{At, Place};
use super::words::{Token, TokenKind, number, ordinal};

const STARTS: &[&str] = &[
    "at", "to", "on", "in", "into", "onto", "above", "below", "before", "after", "between", "as",
    "here", "there", "up", "down", "first", "last", "higher", "lower", "left", "right", "behind",
    "from", "inside", "one", "two",
];

/// Splits tokens into the part before the first place and the place; `None` when a part of the place is not understood.
pub(crate) fn split<'t>(sentence: &str, tokens: &'t [Token]) -> Option<(&'t [Token], Place)> {
    for cut in 1..=tokens.len() {
        let is_start = tokens.get(cut).is_none_or(|token| {
            token.kind == TokenKind::Word && STARTS.contains(&token.word.as_str()) || token.is(",")
        });
        if !is_start {
            continue;
        }
        if phrase(sentence, &tokens[..cut]).is_none() {
            continue;
        }
        if let Some(place) = place(sentence, &tokens[cut..]) {
            return Some((&tokens[..cut], place));
        }
    }
    None
}

/// Reads a place; all tokens must belong to it.
pub(crate) fn place(sentence: &str, tokens: &[Token]) -> Option<Place> {
    let mut found = Place::default();
    read(sentence, tokens, &mut found).then_some(found)
}

fn read(sentence: &str, tokens: &[Token], found: &mut Place) -> bool {
    let Some((first, rest)) = tokens.split_first() else {
        return true;
    };
    let go_on = |found: &mut Place, rest: &[Token]| read(sentence, rest, found);
    if first.is_any(&[
        ",", "please", "now", "too", "then", "directly", "right", "again", "just", ".", "instead",
    ]) && !(first.is("right") && found.at.is_none() && rest.is_empty())
    {
        return go_on(found, rest);
    }
    if first.is_any(&["on", "in", "up"])
        && let [there, rest @ ..] = rest
        && there.is_any(&["here", "there"])
    {
        found.is_there = true;
        return go_on(found, rest);
    }
    if first.is_any(&["here", "there"]) {
        found.is_there = true;
        return go_on(found, rest);
    }
    if let Some(used) = fixed(tokens, found) {
        return go_on(found, &tokens[used..]);
    }
    if first.is("between") {
        return between(sentence, rest, found);
    }
    let around: Option<fn(Phrase) -> At> = match first.word.as_str() {
        "above" | "before" => Some(At::Before),
        "below" | "after" | "behind" => Some(At::After),
        _ => None,
    };
    let inside = first.is_any(&[
        "on", "in", "to", "into", "onto", "inside", "from", "at", "of",
    ]);
    if around.is_none() && !inside {
        return false;
    }
    // The longest name is tried first, then shorter ones followed by another place.
    for cut in (1..=rest.len()).rev() {
        let is_cut = rest
            .get(cut)
            .is_none_or(|token| STARTS.contains(&token.word.as_str()) || token.is(","));
        if !is_cut {
            continue;
        }
        let Some(name) = phrase(sentence, &rest[..cut]) else {
            continue;
        };
        let before = found.clone();
        match around {
            Some(at) if found.at.is_none() => found.at = Some(at(name)),
            None if found.into.is_none() => found.into = Some(name),
            _ => return false,
        }
        if go_on(found, &rest[cut..]) {
            return true;
        }
        *found = before;
    }
    false
}

/// Reads a place that needs no name: at the top, last, one down, as third section. Returns how many tokens it takes.
fn fixed(tokens: &[Token], found: &mut Place) -> Option<usize> {
    let is = |at: usize, words: &[&str]| tokens.get(at).is_some_and(|token| token.is_any(words));
    let mut at = 0;
    if is(at, &["at", "to", "on", "as", "in"]) {
        at += 1;
    }
    if is(at, &["the", "very"]) {
        at += 1;
    }
    if is(at, &["very"]) {
        at += 1;
    }
    let word = tokens.get(at)?;
    let edge = match word.word.as_str() {
        "top" | "start" | "beginning" | "front" => Some(At::First),
        "bottom" | "end" | "back" => Some(At::Last),
        _ => None,
    };
    if let Some(edge) = edge {
        found.at.is_none().then_some(())?;
        found.at = Some(edge);
        let behind = at + 1;
        // "of the page" says which page.
        return Some(if is(behind, &["of"]) {
            of_page(tokens, behind)
        } else {
            behind
        });
    }
    if let Some(used) = steps(&tokens[at..], found) {
        return Some(at + used);
    }
    let nth = ordinal(&word.word)?;
    let is_alone = at == 0
        || is(
            at + 1,
            &["place", "put", "section", "position", "one", "item"],
        );
    if !is_alone || found.at.is_some() {
        return None;
    }
    found.at = Some(match nth {
        1 => At::First,
        nth if nth < 0 => At::Last,
        nth => At::Nth(nth),
    });
    Some(
        if is(
            at + 1,
            &["place", "put", "section", "position", "one", "item"],
        ) {
            at + 2
        } else {
            at + 1
        },
    )
}

fn of_page(tokens: &[Token], of: usize) -> usize {
    let mut at = of + 1;
    while tokens
        .get(at)
        .is_some_and(|token| token.is_any(&["the", "this"]))
    {
        at += 1;
    }
    if tokens
        .get(at)
        .is_some_and(|token| token.is_any(&["page", "this-page", "menu", "list"]))
    {
        return at + 1;
    }
    // A name follows, which is read as a place of its own.
    of
}

/// "up", "down two places", "one down", "a bit higher", "to the left".
fn steps(tokens: &[Token], found: &mut Place) -> Option<usize> {
    let count = |at: usize| {
        let token = tokens.get(at)?;
        let many = number(&token.text)?;
        (many.unit.is_empty() && many.value >= 1.0).then_some(many.value as usize)
    };
    let is_bit = tokens.first().is_some_and(|token| token.is("bit"));
    let start = usize::from(is_bit || count(0).is_some());
    let by = count(0);
    let direction: fn(usize) -> At = match tokens.get(start)?.word.as_str() {
        "up" | "higher" | "left" => At::Up,
        "down" | "lower" | "right" => At::Down,
        _ => return None,
    };
    let mut used = start + 1;
    let mut many = by.unwrap_or(1);
    if let Some(by) = count(used) {
        many = by;
        used += 1;
    }
    while tokens.get(used).is_some_and(|token| {
        token.is_any(&[
            "place",
            "places",
            "step",
            "steps",
            "position",
            "positions",
            "bit",
        ])
    }) {
        used += 1;
    }
    found.at.is_none().then_some(())?;
    found.at = Some(direction(many));
    Some(used)
}

fn between(sentence: &str, rest: &[Token], found: &mut Place) -> bool {
    for (at, token) in rest.iter().enumerate() {
        if !token.is("and") || at == 0 {
            continue;
        }
        for cut in (at + 2..=rest.len()).rev() {
            let one = phrase(sentence, &rest[..at]);
            let other = phrase(sentence, &rest[at + 1..cut]);
            let (Some(one), Some(other)) = (one, other) else {
                continue;
            };
            let before = found.clone();
            found.at = Some(At::Between(one, other));
            if read(sentence, &rest[cut..], found) {
                return true;
            }
            *found = before;
        }
    }
    false
}

impl Place {
    /// An unspecified place within a thing.
    pub(crate) fn inside(outer: Phrase) -> Self {
        Self {
            into: Some(outer),
            ..Self::default()
        }
    }

    /// Whether it is in the menu.
    pub(crate) fn is_menu(&self) -> bool {
        let noun = self.into.as_ref().and_then(|into| into.noun);
        noun == Some(Noun::Menu)
    }
}

//! Reads a fact of the corpus and says whether it tells a difference.

use crate::differences::{Difference, Thing};
use crate::snapshot::words;

#[derive(Debug, Clone, PartialEq)]
enum Word {
    Plain(String),
    Quoted(String),
}

/// Whether the facts and the differences come out even.
pub(crate) fn even(
    facts: &[String],
    differences: &[Difference],
    (say, steps): (&str, &[String]),
) -> bool {
    if facts.len() != differences.len() {
        return false;
    }
    let mut left: Vec<&Difference> = differences.iter().collect();
    // Facts that say more are looked for first.
    let mut facts: Vec<&String> = facts.iter().collect();
    facts.sort_by_key(|fact| std::cmp::Reverse(fact.len()));
    for fact in facts {
        let found = left
            .iter()
            .position(|difference| tells(fact, difference, (say, steps)));
        match found {
            Some(at) => {
                left.remove(at);
            }
            None => return false,
        }
    }
    true
}

fn split(fact: &str) -> Vec<Word> {
    let mut found = Vec::new();
    let mut rest = fact.trim();
    while !rest.is_empty() {
        if let Some(after) = rest.strip_prefix('"') {
            let end = after.find('"').unwrap_or(after.len());
            found.push(Word::Quoted(after[..end].to_owned()));
            rest = after.get(end + 1..).unwrap_or_default();
        } else {
            let mut end = rest.find([' ', ',']).unwrap_or(rest.len());
            // A colour such as rgb(1, 2, 3) is one word.
            if rest[..end].contains('(') && !rest[..end].contains(')') {
                end = rest.find(')').map_or(rest.len(), |close| close + 1);
            }
            if end > 0 {
                found.push(Word::Plain(rest[..end].to_owned()));
            }
            rest = &rest[end..];
        }
        rest = rest.trim_start_matches([' ', ',']);
    }
    found
}

struct Reader<'a> {
    words: &'a [Word],
    say: &'a str,
    steps: &'a [String],
}

impl<'a> Reader<'a> {
    fn next(&mut self) -> Option<&'a Word> {
        let (first, rest) = self.words.split_first()?;
        self.words = rest;
        Some(first)
    }

    fn text(&mut self) -> Option<String> {
        match self.next()? {
            Word::Plain(text) | Word::Quoted(text) => Some(text.clone()),
        }
    }

    fn takes(&mut self, word: &str) -> bool {
        let is = self.words.first() == Some(&Word::Plain(word.to_owned()));
        if is {
            self.words = &self.words[1..];
        }
        is
    }

    fn quotes(&mut self) -> Vec<String> {
        let mut found = Vec::new();
        while let Some(Word::Quoted(text)) = self.words.first() {
            found.push(text.clone());
            self.words = &self.words[1..];
        }
        found
    }

    fn same(&self, told: &str, found: &str) -> bool {
        let (told, found) = (words(told), words(found));
        if self.say.contains(&told) {
            told == found
        } else {
            told.to_lowercase() == found.to_lowercase()
        }
    }

    /// Reads a thing and compares it.
    fn thing(&mut self, thing: &Thing) -> bool {
        let Some(kind) = self.text() else {
            return false;
        };
        let kind = if kind == "section" {
            format!("section {}", self.text().unwrap_or_default())
        } else {
            kind
        };
        if kind != thing.kind {
            return false;
        }
        if kind == "image" {
            let src = self.text().unwrap_or_default();
            if src != thing.name {
                return false;
            }
        }
        let quotes = self.quotes();
        quotes
            .iter()
            .all(|quote| thing.texts.iter().any(|text| self.same(quote, text)))
    }

    /// Reads where a thing is and compares it; all must be read.
    fn place(&mut self, thing: &Thing) -> bool {
        while let Some(word) = self.text() {
            let fits = match word.as_str() {
                "in" => self.text().is_some_and(|kind| kind == thing.section),
                "on" => self.text().is_some_and(|page| page == thing.page),
                "first" => thing.nth == 1,
                "last" => thing.nth == thing.count,
                "at" => self.text().and_then(|nth| nth.parse::<usize>().ok()) == Some(thing.nth),
                "before" => self.text().is_some_and(|kind| kind == thing.after),
                "after" => self.text().is_some_and(|kind| kind == thing.before),
                _ => false,
            };
            if !fits {
                return false;
            }
        }
        true
    }
}

fn tells(fact: &str, difference: &Difference, (say, steps): (&str, &[String])) -> bool {
    let words = split(fact);
    let mut fact = Reader {
        words: &words,
        say,
        steps,
    };
    let Some(first) = fact.text() else {
        return false;
    };
    match first.as_str() {
        "+" => plus(&mut fact, difference),
        "-" => minus(&mut fact, difference),
        "~" => tilde(&mut fact, difference),
        "home" => {
            matches!(difference, Difference::Home { title } if fact.text().as_deref() == Some(title))
        }
        "hidden" | "shown" => match difference {
            Difference::Hidden { thing, at, shown } => {
                let (body, told) = split_at(fact.words);
                let mut body = Reader {
                    words: &body,
                    say,
                    steps,
                };
                *shown == (first == "shown")
                    && told == *at
                    && body.thing(thing)
                    && body.place(thing)
            }
            _ => false,
        },
        "order" => order(&mut fact, difference),
        "published" => *difference == Difference::Published && fact.words.is_empty(),
        "opened" => {
            matches!(difference, Difference::Opened { title } if fact.text().as_deref() == Some(title))
        }
        _ => false,
    }
}

/// Splits "at mobile" off the end.
fn split_at(words: &[Word]) -> (Vec<Word>, String) {
    if let [body @ .., Word::Plain(at), Word::Plain(which)] = words
        && at == "at"
        && matches!(which.as_str(), "mobile" | "tablet" | "desktop")
    {
        return (body.to_vec(), which.clone());
    }
    (words.to_vec(), String::new())
}

fn plus(fact: &mut Reader<'_>, difference: &Difference) -> bool {
    match difference {
        Difference::PageAdded {
            title,
            path,
            copied,
        } => fact.takes("page") && page_added(fact, (title, path), copied.as_ref()),
        Difference::MenuAdded {
            label,
            target,
            after,
        } => {
            if !fact.takes("menu") {
                return false;
            }
            let told = fact.text().unwrap_or_default();
            if !fact.same(&told, label)
                || !fact.takes("->")
                || fact.text().as_deref() != Some(target)
            {
                return false;
            }
            if fact.takes("after") {
                fact.text().is_some_and(|told| fact.same(&told, after))
            } else {
                fact.words.is_empty()
            }
        }
        Difference::Token {
            name, value, new, ..
        } => {
            *new && fact.takes("token")
                && fact.text().as_deref() == Some(name)
                && fact.text().is_some_and(|told| same_value(&told, value))
        }
        Difference::Class { name, thing, added } => {
            *added
                && fact.takes("class")
                && fact.text().as_deref() == Some(name)
                && fact.takes("on")
                && fact.thing(thing)
                && fact.place(thing)
        }
        Difference::Added {
            thing,
            copied,
            target,
        } => {
            if !fact.thing(thing) {
                return false;
            }
            if fact.takes("copied") && !copied {
                return false;
            }
            if fact.takes("->") && fact.text().as_deref() != Some(target) {
                return false;
            }
            fact.place(thing)
        }
        _ => false,
    }
}

fn page_added(fact: &mut Reader<'_>, (title, path): (&str, &str), copied: Option<&String>) -> bool {
    if let Some(told) = fact.quotes().first()
        && !fact.same(told, title)
    {
        return false;
    }
    if let Some(Word::Plain(told)) = fact.words.first()
        && told.starts_with('/')
        && fact.text().as_deref() != Some(path)
    {
        return false;
    }
    if fact.takes("copied") {
        return fact.takes("from") && fact.text().as_ref() == copied;
    }
    fact.words.is_empty()
}

fn minus(fact: &mut Reader<'_>, difference: &Difference) -> bool {
    match difference {
        Difference::PageGone { title } => {
            fact.takes("page") && fact.text().as_deref() == Some(title)
        }
        Difference::MenuGone { label } => {
            fact.takes("menu") && fact.text().as_deref() == Some(label)
        }
        Difference::Class { name, thing, added } => {
            !*added
                && fact.takes("class")
                && fact.text().as_deref() == Some(name)
                && fact.takes("on")
                && fact.thing(thing)
                && fact.place(thing)
        }
        Difference::Gone { thing } => fact.thing(thing) && fact.place(thing),
        _ => false,
    }
}

fn tilde(fact: &mut Reader<'_>, difference: &Difference) -> bool {
    match difference {
        Difference::PageField {
            title,
            field,
            value,
        } => {
            fact.takes("page")
                && fact.text().as_deref() == Some(title)
                && fact.text().as_deref() == Some(field)
                && fact
                    .text()
                    .is_some_and(|told| fact.same(&told, value) || told == *value)
        }
        Difference::SiteField { field, value } => {
            fact.takes("site")
                && fact.text().as_deref() == Some(field)
                && fact.text().is_some_and(|told| fact.same(&told, value))
        }
        Difference::Text { old, new, thing } => {
            if !fact.takes("text") {
                return false;
            }
            let (told_old, arrow, told_new) = (
                fact.text().unwrap_or_default(),
                fact.takes("->"),
                fact.text().unwrap_or_default(),
            );
            arrow && words(&told_old) == *old && fact.same(&told_new, new) && fact.place(thing)
        }
        Difference::Link {
            label,
            target,
            thing,
        } => {
            fact.takes("link")
                && fact.text().as_deref() == Some(label)
                && fact.takes("->")
                && fact.text().as_deref() == Some(target)
                && fact.place(thing)
        }
        Difference::Image {
            src,
            field,
            value,
            thing,
        } => {
            fact.takes("image")
                && fact.text().as_deref() == Some(src)
                && fact.text().as_deref() == Some(field)
                && fact.text().is_some_and(|told| fact.same(&told, value))
                && fact.place(thing)
        }
        Difference::Tag { thing, tag } => {
            fact.takes("tag") && fact.thing(thing) && fact.text().as_deref() == Some(tag)
        }
        Difference::Style { .. } => fact.takes("style") && style(fact, difference),
        other => shared(fact, other),
    }
}

/// What the whole site shares: tokens, scales and fonts.
fn shared(fact: &mut Reader<'_>, difference: &Difference) -> bool {
    let number = |fact: &mut Reader<'_>, value: &f64, before: &f64| {
        let (value, before) = (value.to_string(), before.to_string());
        fact.text()
            .is_some_and(|told| compares(&told, &value, &before, &[]))
    };
    match difference {
        Difference::Token {
            name,
            value,
            before,
            new,
        } => {
            !*new
                && fact.takes("token")
                && fact.text().as_deref() == Some(name)
                && fact
                    .text()
                    .is_some_and(|told| compares(&told, value, before, &[]))
        }
        Difference::Type { value, before } => fact.takes("type") && number(fact, value, before),
        Difference::Space { value, before } => fact.takes("space") && number(fact, value, before),
        Difference::Font { role, family } => {
            fact.takes("font")
                && fact.text().as_deref() == Some(role)
                && fact
                    .text()
                    .is_some_and(|told| told.eq_ignore_ascii_case(family))
        }
        _ => false,
    }
}

fn style(fact: &mut Reader<'_>, difference: &Difference) -> bool {
    let Difference::Style {
        thing,
        selector,
        property,
        value,
        before,
        at,
    } = difference
    else {
        return false;
    };
    let (body, told_at) = split_at(fact.words);
    if told_at != *at {
        return false;
    }
    let [subject @ .., Word::Plain(told_property), told_value] = body.as_slice() else {
        return false;
    };
    let (Word::Plain(told_value) | Word::Quoted(told_value)) = told_value;
    // A value of several words, such as hsl(…), is not told of styles.
    if told_property != property || !compares(told_value, value, before, fact.steps) {
        return false;
    }
    if let [Word::Plain(told)] = subject
        && told == selector
    {
        return true;
    }
    thing.as_ref().is_some_and(|thing| {
        let mut subject = Reader {
            words: subject,
            say: fact.say,
            steps: fact.steps,
        };
        subject.thing(thing) && subject.place(thing)
    })
}

fn order(fact: &mut Reader<'_>, difference: &Difference) -> bool {
    let all =
        |fact: &mut Reader<'_>| -> Vec<String> { std::iter::from_fn(|| fact.text()).collect() };
    match difference {
        Difference::OrderMenu { names } => fact.takes("menu") && all(fact) == *names,
        Difference::OrderPage { page, kinds } => {
            matches!(fact.words.first(), Some(Word::Quoted(_)))
                && fact.text().as_deref() == Some(page)
                && all(fact) == *kinds
        }
        Difference::OrderItems { kind, names } => {
            fact.text().as_deref() == Some(kind) && all(fact) == *names
        }
        _ => false,
    }
}

/// Whether a value is what was told, or on the told side of what held before.
fn compares(told: &str, value: &str, before: &str, steps: &[String]) -> bool {
    let (now, was) = (measure(value, steps), measure(before, steps));
    match told {
        "any" => true,
        "larger" | "bolder" | "rounder" => now.zip(was).is_some_and(|(now, was)| now > was),
        "smaller" => now.zip(was).is_some_and(|(now, was)| now < was),
        "darker" | "lighter" => match (light(value), light(before)) {
            (Some(now), Some(was)) => {
                (now < was) == (told == "darker") && (now - was).abs() > 0.001
            }
            _ => false,
        },
        told => same_value(told, value),
    }
}

fn same_value(told: &str, value: &str) -> bool {
    if told.eq_ignore_ascii_case(value) {
        return true;
    }
    if let (Some(one), Some(other)) = (rgb(told), rgb(value)) {
        return one == other;
    }
    match (measure(told, &[]), measure(value, &[])) {
        (Some(one), Some(other)) => (one - other).abs() < 0.001,
        _ => false,
    }
}

/// A value as a number: a length in pixels, or the place in a scale.
fn measure(value: &str, steps: &[String]) -> Option<f64> {
    let first = value.split_whitespace().next().unwrap_or_default();
    if first.is_empty() {
        return Some(0.0);
    }
    if let Some(at) = steps.iter().position(|step| step == first) {
        return Some(at as f64);
    }
    match first {
        "bold" => return Some(700.0),
        "normal" => return Some(400.0),
        "var(--radius)" => return Some(8.0),
        _ => {}
    }
    if let Some(inner) = value
        .strip_prefix("calc(")
        .and_then(|rest| rest.strip_suffix(')'))
    {
        let (of, factor) = inner.split_once(" * ")?;
        return Some(measure(of, steps)? + factor.parse::<f64>().ok()? - 1.0);
    }
    if let Some(rem) = first.strip_suffix("rem") {
        return rem.parse::<f64>().ok().map(|rem| rem * 16.0);
    }
    first.strip_suffix("px").unwrap_or(first).parse().ok()
}

fn light(value: &str) -> Option<f64> {
    let (red, green, blue) = rgb(value)?;
    Some(f64::from(red) + f64::from(green) + f64::from(blue))
}

fn rgb(value: &str) -> Option<(u8, u8, u8)> {
    let named = [
        ("red", "#ff0000"),
        ("blue", "#0000ff"),
        ("black", "#000000"),
        ("white", "#ffffff"),
        ("orange", "#ffa500"),
        ("navy", "#000080"),
        ("gold", "#ffd700"),
        ("coral", "#ff7f50"),
        ("lightgray", "#d3d3d3"),
        ("ivory", "#fffff0"),
        ("forestgreen", "#228b22"),
        ("darkblue", "#00008b"),
        ("whitesmoke", "#f5f5f5"),
    ];
    let value = value.to_lowercase();
    let value = named
        .iter()
        .find(|(name, _)| *name == value)
        .map_or(value.as_str(), |(_, hex)| hex);
    let digits = value.strip_prefix('#')?;
    let long: String = if digits.len() == 3 {
        digits.chars().flat_map(|digit| [digit, digit]).collect()
    } else {
        digits.to_owned()
    };
    let part = |at: usize| u8::from_str_radix(long.get(at..at + 2)?, 16).ok();
    Some((part(0)?, part(2)?, part(4)?))
}

//! Rules for adding sections, items, headings, texts, buttons and pictures.

use super::super::find::kind_named;
use super::super::noun::{Noun, Phrase, phrase};
use super::super::pattern::{Captures, without_padding};
use super::super::place;
use super::super::request::{At, Limit, MissingPart, NewElement, NewItem, Place, Request, Target};
use super::super::words::{Token, TokenKind, typed};
use super::pages::target;
use super::{Build, BuildMany};

pub(super) const INTENTS: &[(&str, Build)] = &[
    ("copy-to", |c| {
        let what = match c.tokens("x") {
            [] => Phrase::it(),
            _ => c.thing("x")?,
        };
        let (name, place) = (None, Place::inside(c.thing("y")?));
        let is_there = !what.is_new && what.noun != Some(Noun::Page);
        is_there.then_some(Request::Copy { what, name, place })
    }),
    ("new-quote", |c| {
        new_item("testimonials", c.name("t")?, c.name("n")?, Place::default())
    }),
    ("new-plan", |c| {
        let (name, price) = (c.name("n")?, c.name("p")?);
        let is_price = price.chars().any(|c| c.is_ascii_digit());
        is_price.then_some(())?;
        new_item("pricing", name, price, Place::default())
    }),
    ("new-text", |c| {
        let (head, place) = place::split(c.sentence(), c.tokens("x"))?;
        let what = phrase(c.sentence(), head)?;
        let text = match what.noun {
            Some(Noun::Image) => c.address("t")?,
            Some(Noun::Text) if what.name.is_none() => c.long_text("t")?,
            _ => return None,
        };
        new_element(what, text, None, place)
    }),
    ("new-button", |c| {
        let (head, place) = place::split(c.sentence(), c.tokens("x"))?;
        let what = phrase(c.sentence(), head)?;
        (what.noun == Some(Noun::Button)).then_some(())?;
        new_element(what, c.name("t")?, Some(target(c, "y")?), place)
    }),
    ("add", add_thing),
    ("section-by-kind", |c| {
        let kind = kind_named(&c.name("x")?)?;
        Some(new_section(kind, None, Place::default()))
    }),
    ("bare-section", bare_section),
];

pub(super) const MANY: &[(&str, BuildMany)] = &[
    ("sections-on-pages", |c| {
        let Some(Noun::Kind(kind)) = c.thing("k")?.noun else {
            return None;
        };
        let pages = c.things("xs")?;
        (pages.len() > 1).then_some(())?;
        let sections = pages.into_iter();
        let sections = sections.map(|page| new_section(kind, None, Place::inside(page)));
        Some(sections.collect())
    }),
    ("several-sections", |c| {
        let is_join = |token: &Token| token.is_any(&[",", "and"]);
        let parts = c.tokens("ks").split(is_join);
        let parts = parts.filter(|part| !part.is_empty());
        let kinds = parts.map(|part| kind_named(typed(c.sentence(), part)));
        let kinds: Vec<&'static str> = kinds.collect::<Option<_>>()?;
        (kinds.len() > 1).then_some(())?;
        let mut place = place::place(c.sentence(), c.tokens("p"))?;
        let sections = kinds.into_iter().map(|kind| {
            let section = new_section(kind, None, place.clone());
            // The next one goes after this one. Without a place, each goes to the end of the content and so behind the one before;
            // by its kind, another section of that kind further up could be meant.
            if place.at.is_some() {
                let mut before = Phrase::of_noun(Noun::Kind(kind), kind);
                before.ordinal = Some(1);
                place.at = Some(At::After(before));
            }
            section
        });
        Some(sections.collect())
    }),
];

fn new_section(kind: &'static str, title: Option<String>, place: Place) -> Request {
    Request::AddSection { kind, title, place }
}

fn new_item(kind: &'static str, name: String, detail: String, place: Place) -> Option<Request> {
    Some(Request::AddItem(NewItem {
        what: Phrase::of_noun(Noun::Item(kind), kind),
        name: Some(name),
        detail: Some(detail),
        place,
    }))
}

fn new_element(
    what: Phrase,
    text: String,
    target: Option<Target>,
    place: Place,
) -> Option<Request> {
    Some(Request::AddElement(NewElement {
        what,
        text: Some(text),
        target,
        place,
    }))
}

/// "add <x>": the kind of thing decides what is created.
fn add_thing(c: &Captures<'_>) -> Option<Request> {
    let tokens = without_padding(c.tokens("x"));
    let (head, mut place) = place::split(c.sentence(), tokens)?;
    if let Some(first) = c.tokens("y").first() {
        let near = c.thing("y")?;
        let before = c.sentence().get(..first.span.0).unwrap_or_default();
        let is_above = before.to_lowercase().contains("above");
        place.at = Some(if is_above {
            At::Before(near)
        } else {
            At::After(near)
        });
    }
    let (head, title) = titled(c.sentence(), head)?;
    let what = phrase(c.sentence(), head)?;
    let before = c.sentence().get(..tokens.first()?.span.0);
    let before = before.unwrap_or_default().trim_end().to_lowercase();
    let ends = |verbs: &[&str]| verbs.iter().any(|verb| before.ends_with(verb));
    let is_kind = matches!(what.noun, Some(Noun::Kind(_)))
        || what.noun.is_none() && kind_named(what.name.as_deref().unwrap_or_default()).is_some();
    // "make the heading …" changes an existing one.
    let is_there = !what.is_new && !is_kind && ends(&["make", "want", "need", "like", "have"]);
    if what.is_pronoun || is_there {
        return None;
    }
    // "put the reviews at the top" moves existing ones.
    let is_moved = ends(&["put"]) && !what.is_new && place.at.is_some() && !said_new(head);
    match what.noun {
        Some(Noun::Kind(_)) if is_moved => None,
        Some(Noun::Kind(kind)) => {
            let is_whole = what.within.is_empty() || matches!(kind, "header" | "footer");
            (what.name.is_none() && is_whole).then(|| new_section(kind, title, place))
        }
        Some(Noun::Section) if what.within.is_empty() => section(&what, title, place),
        None => named(c, head, title, place),
        Some(_) => element(what, title, place),
    }
}

/// A section by the name of its kind. An unknown kind is refused by name and never replaced by a known one.
fn section(what: &Phrase, title: Option<String>, place: Place) -> Option<Request> {
    let Some(name) = &what.name else {
        return Some(match title {
            Some(_) => new_section("text", title, place),
            None => Request::Missing(MissingPart::Section),
        });
    };
    match kind_named(name) {
        Some(kind) => Some(Request::AddSection { kind, title, place }),
        None if what.points || name.split(' ').count() > 3 => None,
        None => Some(Request::Cannot(Limit::Unsupported(format!(
            "a section “{name}”"
        )))),
    }
}

/// An item, a button, a text or a heading.
fn element(what: Phrase, title: Option<String>, place: Place) -> Option<Request> {
    let text = title.or(what.name.clone());
    match what.noun {
        Some(Noun::Item(kind)) => {
            let is_clear = what.name.is_none() || what.is_quoted || kind == "contact";
            is_clear.then_some(Request::AddItem(NewItem {
                name: text,
                what: Phrase { name: None, ..what },
                detail: None,
                place,
            }))
        }
        Some(Noun::Button | Noun::Text | Noun::Heading(_) | Noun::Link) => {
            new_element(Phrase { name: None, ..what }, text?, None, place)
        }
        Some(Noun::Phone) => {
            let text = what.name?;
            new_element(Phrase::of_noun(Noun::Text, "text"), text, None, place)
        }
        _ => None,
    }
}

/// Something without a word for its kind: a kind of section by its name, a picture by its address.
fn named(c: &Captures<'_>, head: &[Token], title: Option<String>, place: Place) -> Option<Request> {
    if let [only] = head
        && only.kind == TokenKind::Address
    {
        let is_placed = place.into.is_some() || place.at.is_some();
        is_placed.then_some(())?;
        let what = Phrase::of_noun(Noun::Image, "picture");
        return new_element(what, only.text.clone(), None, place);
    }
    // "our phone number 0113 496 0000"
    if let Some(at) = head.iter().position(|token| token.is("phone"))
        && let number @ [first, ..] = &head[at + 1..]
        && first.kind == TokenKind::Number
    {
        let text = typed(c.sentence(), number).to_owned();
        let what = Phrase::of_noun(Noun::Text, "text");
        return new_element(what, text, None, place);
    }
    let what = phrase(c.sentence(), head)?;
    let name = what.name.as_deref()?;
    if let Some(kind) = kind_named(name) {
        return Some(new_section(kind, title, place));
    }
    if name == "something" {
        return Some(Request::Missing(MissingPart::Section));
    }
    // Words that are not a known kind are refused by name and never replaced by a known one.
    let is_word = |token: &Token| token.kind == TokenKind::Word;
    let is_plain = what.is_new && head.iter().all(is_word) && what.within.is_empty();
    is_plain.then(|| Request::Cannot(Limit::Unsupported(name.to_owned())))
}

fn said_new(head: &[Token]) -> bool {
    head.first()
        .is_some_and(|token| token.is_any(&["a", "an", "some", "another", "new"]))
}

/// Splits off "with the heading …", "called …" and a quote at the end.
fn titled<'t>(sentence: &str, tokens: &'t [Token]) -> Option<(&'t [Token], Option<String>)> {
    let cut = tokens.iter().enumerate().position(|(at, token)| {
        let next = |offset: usize, words: &[&str]| {
            tokens
                .get(at + offset)
                .is_some_and(|token| token.is_any(words))
        };
        at > 0
            && (token.is_any(&["called", "saying"])
                || token.is("with")
                    && next(1, &["the", "a"])
                    && next(2, &["heading", "title", "text", "words"]))
    });
    if let Some(cut) = cut {
        let behind = if tokens[cut].is("with") {
            cut + 3
        } else {
            cut + 1
        };
        let rest = tokens.get(behind..)?;
        let is_quoted = matches!(rest, [only] if only.kind == TokenKind::Quote);
        // Words without quotes may say what to write about, not what to write.
        if tokens[cut].is("saying") && !is_quoted {
            return None;
        }
        let title = typed(sentence, rest).to_owned();
        return (!title.is_empty()).then_some((&tokens[..cut], Some(title)));
    }
    if let [head @ .., last] = tokens
        && last.kind == TokenKind::Quote
        && !head.is_empty()
    {
        return Some((head, Some(last.text.clone())));
    }
    Some((tokens, None))
}

/// A section without a verb: "photo gallery", "price table under the reviews".
fn bare_section(c: &Captures<'_>) -> Option<Request> {
    let tokens = without_padding(c.tokens("x"));
    let (head, place) = place::split(c.sentence(), tokens)?;
    let what = phrase(c.sentence(), head)?;
    let Some(Noun::Kind(kind)) = what.noun else {
        return None;
    };
    let is_clear = what.is_new
        || head
            .iter()
            .any(|token| token.text.contains(' ') || token.is("section"));
    let is_plain =
        what.name.is_none() && what.within.is_empty() && what.ordinal.is_none() && !what.points;
    let is_new = is_clear && is_plain && !matches!(kind, "header" | "footer");
    (is_new && !head[0].is("the")).then(|| new_section(kind, None, place))
}

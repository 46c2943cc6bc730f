//! Rules for words on the page, links and pictures.

use super::super::noun::{self, Noun, Phrase};
use super::super::pattern::{Captures, without_padding};
use super::super::request::{PictureSource, Replacement, Request};
use super::super::words::{Token, TokenKind, is_picture, typed};
use super::pages::{target, this_page};
use super::{Build, BuildMany};

pub(super) const INTENTS: &[(&str, Build)] = &[
    ("heading-level", |c| {
        let level = (1..=4).find(|level| c.says(&[format!("h{level}").as_str()]))?;
        let what = c.thing("x")?;
        Some(Request::Tag { what, level })
    }),
    ("replace-everywhere", |c| {
        let within = c.says(&["this-page"]).then(this_page);
        replace_all(c, within)
    }),
    ("replace-at", |c| {
        let within = c.thing("w")?;
        let name = within.name.as_deref().unwrap_or_default();
        let is_place = match within.noun {
            Some(Noun::Kind(_) | Noun::Page | Noun::Home | Noun::Section | Noun::Layout) => true,
            _ => name.starts_with('/'),
        };
        is_place.then(|| replace_in(c, within)).flatten()
    }),
    ("replace-in", |c| replace_in(c, c.thing("w")?)),
    ("replace", |c| replace(c, None)),
    ("copyright-year", |c| {
        let new = c.name("n")?;
        let is_year = new.len() == 4 && new.chars().all(|c| c.is_ascii_digit());
        is_year.then(|| {
            Request::Replace(Replacement {
                old: "©".to_owned(),
                is_quoted: true,
                new,
                within: Some(Phrase::of_noun(Noun::Kind("footer"), "the footer")),
                all: false,
            })
        })
    }),
    ("link", |c| {
        let (what, target) = (c.thing("x")?, target(c, "y")?);
        let is_linked = match what.noun {
            None | Some(Noun::Button | Noun::Link | Noun::Text) => true,
            Some(Noun::Image | Noun::Logo) => true,
            Some(_) => what.is_pronoun,
        };
        is_linked.then_some(Request::Link { what, target })
    }),
    ("answer", |c| {
        let what = Phrase {
            is_quoted: true,
            name: Some(c.name("q")?),
            ..Phrase::of_noun(Noun::Answer, "the answer")
        };
        let to = c.text("t")?;
        Some(Request::Text { what, to })
    }),
    ("person", |c| {
        let what = within(Phrase::of_noun(Noun::Person, "the name"), c.thing("y")?);
        let to = c.name("t")?;
        Some(Request::Text { what, to })
    }),
    ("new-contact", |c| {
        let (mut what, to) = (c.thing("x")?, c.name("t")?);
        what.within.extend(c.thing("y"));
        let is_contact = matches!(what.noun, Some(Noun::Phone | Noun::Email | Noun::Address));
        is_contact.then_some(Request::Text { what, to })
    }),
    ("price", |c| {
        let to = price(c.tokens("p"))?;
        let words = ["price", "costs", "raise", "lower", "increase", "reduce"];
        let item = c.thing("x")?;
        let is_price = c.says(&words) || to.starts_with(['£', '$', '€']);
        let is_name = item.name.is_some() && !item.is_pronoun && !item.is_quoted;
        (is_price && is_name && item.noun.is_none()).then_some(())?;
        let item = Phrase {
            noun: Some(Noun::Item("pricing")),
            ..item
        };
        let what = within(Phrase::of_noun(Noun::Price, "the price"), item);
        Some(Request::Text { what, to })
    }),
    ("text-in", |c| {
        let (what, to) = (inside(c.thing("x")?, Noun::Text), c.long_text("t")?);
        Some(Request::Text { what, to })
    }),
    ("long-text", |c| {
        let (what, to) = (c.thing("x")?, c.long_text("t")?);
        Some(Request::Text { what, to })
    }),
    ("text-of", |c| {
        let to = c.text("t").or_else(|| c.long_text("t"))?;
        let what = inside(c.thing("x")?, Noun::Text);
        Some(Request::Text { what, to })
    }),
    ("text-of-it", |c| {
        let mut what = Phrase::it();
        what.noun = c.says(&["button"]).then_some(Noun::Button);
        let to = c.text("t")?;
        Some(Request::Text { what, to })
    }),
    ("write-in", |c| {
        let (what, to) = (c.thing("x")?, c.text("t")?);
        (is_leaf(&what) && c.is_quote("t")).then_some(Request::Text { what, to })
    }),
    ("make-text", |c| {
        let (what, to) = (c.thing("x")?, c.text("t")?);
        let can_be = is_leaf(&what) || what.is_pronoun;
        let last = c.tokens("x").last()?;
        let is_other = last.is_any(&["say", "read", "to", "is", "an", "a"]);
        (c.is_quote("t") && can_be && !is_other).then_some(Request::Text { what, to })
    }),
    ("text", text),
    ("text-after-colon", |c| {
        let (what, to) = (c.thing("x")?, c.long_text("t")?);
        let can_be = is_leaf(&what) || what.is_pronoun && what.points;
        let can_be = can_be || is_contact(&what);
        can_be.then_some(Request::Text { what, to })
    }),
    ("no-alt", |c| {
        let what = inside(c.thing("x")?, Noun::Image);
        let text = String::new();
        Some(Request::Alt { what, text })
    }),
    ("alt", |c| {
        (!c.tokens("t").first()?.is_any(&[":", "="])).then_some(())?;
        let (what, text) = (inside(c.thing("x")?, Noun::Image), c.text("t")?);
        Some(Request::Alt { what, text })
    }),
    ("source", |c| {
        let (what, address) = (c.thing("x")?, c.address("a")?);
        let is_image = match what.noun {
            Some(Noun::Image) => true,
            Some(Noun::Logo | Noun::Kind(_)) => is_picture(&address),
            _ => what.is_pronoun && is_picture(&address),
        };
        let (what, source) = (inside(what, Noun::Image), PictureSource::Address(address));
        is_image.then_some(Request::Source { what, source })
    }),
    ("source-from", |c| {
        let (what, other) = (inside(c.thing("x")?, Noun::Image), c.thing("y")?);
        let is_image = other.noun == Some(Noun::Image);
        let source = PictureSource::Image(other);
        is_image.then_some(Request::Source { what, source })
    }),
];

pub(super) const MANY: &[(&str, BuildMany)] = &[("source-and-alt", |c| {
    let what = inside(c.thing("x")?, Noun::Image);
    let source = PictureSource::Address(c.address("a")?);
    let (image, text) = (what.clone(), c.text("t")?);
    Some(vec![
        Request::Source { what, source },
        Request::Alt { what: image, text },
    ])
})];

fn within(mut what: Phrase, outer: Phrase) -> Phrase {
    what.within.push(outer);
    what
}

/// The text or the picture within a card or a section; for anything else, the thing itself.
fn inside(what: Phrase, noun: Noun) -> Phrase {
    match what.noun {
        Some(Noun::Item(_)) if noun == Noun::Image => what,
        Some(Noun::Item(_) | Noun::Kind(_) | Noun::Section) => Phrase {
            said: what.said.clone(),
            ..within(Phrase::of_noun(noun, ""), what)
        },
        _ => what,
    }
}

/// Whether it is an element with text, not one that contains other elements.
fn is_leaf(what: &Phrase) -> bool {
    matches!(
        what.noun,
        Some(Noun::Heading(_) | Noun::Text | Noun::Button)
    )
}

fn is_contact(what: &Phrase) -> bool {
    matches!(
        what.noun,
        Some(Noun::Link | Noun::Phone | Noun::Email | Noun::Address | Noun::Label)
    )
}

fn replace_all(c: &Captures<'_>, within: Option<Phrase>) -> Option<Request> {
    Some(Request::Replace(Replacement {
        old: c.text("o")?,
        is_quoted: true,
        new: c.text("n")?,
        within,
        all: true,
    }))
}

/// Replaces words in a place: those of a thing there, or every occurrence in it.
fn replace_in(c: &Captures<'_>, place: Phrase) -> Option<Request> {
    let what = c.thing("o")?;
    if what.noun.is_some() && !what.is_quoted {
        let (what, to) = (within(what, place), c.text("n")?);
        return Some(Request::Text { what, to });
    }
    replace(c, Some(place))
}

fn replace(c: &Captures<'_>, within: Option<Phrase>) -> Option<Request> {
    // Words that only name a kind of thing are not a text to replace.
    let is_kind = |token: &Token| {
        token.kind == TokenKind::Word && noun::noun(&token.word).is_some()
            || token.is_any(&["the", "a"])
    };
    let is_bare = c.tokens("o").iter().all(is_kind);
    (c.is_quote("o") || !is_bare).then_some(())?;
    Some(Request::Replace(Replacement {
        old: c.text("o")?,
        is_quoted: c.is_quote("o"),
        new: c.text("n")?,
        within,
        all: false,
    }))
}

fn text(c: &Captures<'_>) -> Option<Request> {
    let (what, to) = (c.thing("x")?, c.text("t")?);
    let can_be = match what.noun {
        None if what.is_pronoun => true,
        None if what.is_new => return None,
        None => {
            let name = what.name.clone()?;
            let old = if what.is_quoted {
                name
            } else {
                typed(c.sentence(), c.tokens("x")).to_owned()
            };
            return Some(Request::Replace(Replacement {
                old,
                is_quoted: what.is_quoted,
                new: to,
                within: what.within.first().cloned(),
                all: false,
            }));
        }
        Some(Noun::Page) if what.name.is_some() || what.points => {
            return Some(Request::Rename { what, to });
        }
        Some(Noun::Item(_) | Noun::Person | Noun::Price | Noun::Answer) => true,
        Some(Noun::MenuItem | Noun::Kind("footer")) => true,
        Some(_) => is_leaf(&what) || is_contact(&what),
    };
    can_be.then_some(Request::Text { what, to })
}

/// A price as it is written. Without a currency sign, the planner uses that of the old price.
fn price(tokens: &[Token]) -> Option<String> {
    let is_digit = |c: char| c.is_ascii_digit() || c == '.' || c == ',';
    let is_number = |text: &str| !text.is_empty() && text.chars().all(is_digit);
    match without_padding(tokens) {
        [only] => {
            let digits = only.text.trim_start_matches(['£', '$', '€']);
            let is_price = only.text.len() > digits.len() || only.kind == TokenKind::Number;
            (is_price && is_number(digits)).then(|| only.text.clone())
        }
        [number, unit] if is_number(&number.text) => {
            let sign = match unit.word.as_str() {
                "pounds" | "pound" => '£',
                "dollars" | "dollar" => '$',
                "euros" | "euro" => '€',
                _ => return None,
            };
            Some(format!("{sign}{}", number.text))
        }
        _ => None,
    }
}

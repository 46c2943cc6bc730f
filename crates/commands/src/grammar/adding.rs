//! Adding: sections, items, headings, texts, buttons, pictures.

use super::super::find::kind_named;
use super::super::noun::{Noun, Phrase, phrase};
use super::super::pattern::{Captures, without_padding};
use super::super::place;
use super::super::request::{At, Limit, Missing, NewElement, NewItem, Place, Request, Target};
use super::super::words::{Token, TokenKind, number, typed};
use super::pages::target;
use super::{Build, Rule};

pub(crate) const RULES: &[Rule] = &[
    Rule {
        patterns: &[
            "want|put|need|add|copy <x> on|to|in|onto <y> too",
            "put one of these on <y> too",
            "want <x> on <y> too",
        ],
        example: "put the opening hours on the contact page as well",
        build: Build::Request(|c| {
            let what = if c.tokens("x").is_empty() {
                Phrase::it()
            } else {
                c.thing("x")?
            };
            if what.is_new || what.noun == Some(Noun::Page) {
                return None;
            }
            let place = Place {
                into: Some(c.thing("y")?),
                ..Place::default()
            };
            Some(Request::Copy {
                what,
                name: None,
                place,
            })
        }),
    },
    Rule {
        patterns: &[
            "add a testimonial|quote|review from|by <n> saying <t>",
            "add a testimonial|quote|review <t> from|by <n>",
        ],
        example: "add a testimonial from “Jo” saying “Best shop in town”",
        build: Build::Request(|c| {
            let what = Phrase {
                is_new: true,
                ..Phrase::of_noun(Noun::Item("testimonials"), "testimonial")
            };
            Some(Request::AddItem(NewItem {
                what,
                name: Some(c.name("t")?),
                detail: Some(c.name("n")?),
                place: Place::default(),
            }))
        }),
    },
    Rule {
        patterns: &["add to the? <x> : <q> answer : <t>"],
        example: "",
        build: Build::Request(|c| {
            let question = typed(c.sentence(), c.tokens("q")).trim().to_owned();
            let into = c.thing("x")?;
            let what = Phrase {
                is_new: true,
                ..Phrase::of_noun(Noun::Item("faq"), "question")
            };
            Some(Request::AddItem(NewItem {
                what,
                name: Some(question),
                detail: Some(c.long_text("t")?),
                place: Place {
                    into: Some(into),
                    ..Place::default()
                },
            }))
        }),
    },
    Rule {
        patterns: &[
            "add|put|insert a? plan|card|service <n> for <p>",
            "add|put a? plan|card called? <n> for <p>",
        ],
        example: "add a plan “Kids service” for £30",
        build: Build::Request(|c| {
            let price = c.name("p")?;
            price.chars().any(|c| c.is_ascii_digit()).then_some(())?;
            let what = Phrase {
                is_new: true,
                ..Phrase::of_noun(Noun::Item("pricing"), "plan")
            };
            Some(Request::AddItem(NewItem {
                what,
                name: Some(c.name("n")?),
                detail: Some(price),
                place: Place::default(),
            }))
        }),
    },
    Rule {
        patterns: &["add|put|write <x> : <t>"],
        example: "add a paragraph to the opening hours: We are closed in August.",
        build: Build::Request(|c| {
            let tokens = c.tokens("x");
            let (head, place) = place::split(c.sentence(), tokens)?;
            let what = phrase(c.sentence(), head)?;
            if what.noun == Some(Noun::Image) {
                return Some(Request::AddElement(NewElement {
                    what,
                    text: Some(c.address("t")?),
                    target: None,
                    place,
                }));
            }
            (what.noun == Some(Noun::Text) && what.name.is_none()).then_some(())?;
            Some(Request::AddElement(NewElement {
                what,
                text: Some(c.long_text("t")?),
                target: None,
                place,
            }))
        }),
    },
    Rule {
        patterns: &["add|put <x> that|which says <t> and goes|leads|links to <y>"],
        example: "put a button under the opening hours that says “Book a slot” and goes to contact",
        build: Build::Request(|c| {
            let (head, place) = place::split(c.sentence(), c.tokens("x"))?;
            let what = phrase(c.sentence(), head)?;
            (what.noun == Some(Noun::Button)).then_some(())?;
            Some(Request::AddElement(NewElement {
                what,
                text: Some(c.name("t")?),
                target: Some(target(c, "y")?),
                place,
            }))
        }),
    },
    Rule {
        patterns: &["add|put|want <k> sections? to|on <xs>"],
        example: "",
        build: Build::Request(|c| {
            let Some(Noun::Kind(kind)) = c.thing("k")?.noun else {
                return None;
            };
            let pages = c.things("xs")?;
            (pages.len() > 1).then_some(())?;
            let add = |page: Phrase| Request::AddSection {
                kind,
                title: None,
                place: Place {
                    into: Some(page),
                    ..Place::default()
                },
            };
            Some(Request::Several(pages.into_iter().map(add).collect()))
        }),
    },
    Rule {
        patterns: &[
            "add|put|want <ks> sections <p>",
            "add|put|want <ks> sections",
        ],
        example: "add pricing and faq sections after the features",
        build: Build::Request(|c| {
            let kinds: Vec<&'static str> = c
                .tokens("ks")
                .split(|token| token.is_any(&[",", "and"]))
                .filter(|part| !part.is_empty())
                .map(|part| kind_named(typed(c.sentence(), part)))
                .collect::<Option<_>>()?;
            (kinds.len() > 1).then_some(())?;
            let place = place::place(c.sentence(), c.tokens("p"))?;
            let mut requests: Vec<Request> = Vec::new();
            for (at, kind) in kinds.iter().enumerate() {
                let behind = at.checked_sub(1).map(|before| {
                    At::After(Phrase {
                        ordinal: Some(1),
                        ..Phrase::of_noun(Noun::Kind(kinds[before]), kinds[before])
                    })
                });
                let place = Place {
                    at: behind.or(place.at.clone()),
                    ..place.clone()
                };
                requests.push(Request::AddSection {
                    kind,
                    title: None,
                    place,
                });
            }
            Some(Request::Several(requests))
        }),
    },
    Rule {
        patterns: &[
            "add|put|want|make|new <x>",
            "below <y> add|put|want <x>",
            "above <y> add|put|want <x>",
        ],
        example: "add a pricing section below the hero",
        build: Build::Request(added),
    },
    Rule {
        patterns: &["new section :? <x>", "section : <x>"],
        example: "",
        build: Build::Request(|c| {
            let kind = kind_named(&c.name("x")?)?;
            Some(Request::AddSection {
                kind,
                title: None,
                place: Place::default(),
            })
        }),
    },
    Rule {
        patterns: &["<x>"],
        example: "",
        build: Build::Request(bare),
    },
];

/// "add <x>": what is to be made follows from the kind of thing.
fn added(c: &Captures<'_>) -> Option<Request> {
    let tokens = without_count(without_padding(c.tokens("x")));
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
    // "make the heading …" changes one that is there.
    let is_there = !what.is_new && !is_kind && ends(&["make", "want", "need", "like", "have"]);
    if what.is_pronoun || is_there {
        return None;
    }
    // "put the reviews at the top" moves what is there.
    let is_moved = ends(&["put"]) && !what.is_new && place.at.is_some() && !said_new(head);
    match what.noun {
        Some(Noun::Kind(_)) if is_moved => None,
        Some(Noun::Kind(kind)) => {
            let is_whole = what.within.is_empty() || matches!(kind, "header" | "footer");
            (what.name.is_none() && is_whole).then_some(Request::AddSection { kind, title, place })
        }
        Some(Noun::Section) if what.within.is_empty() => section(&what, title, place),
        None => named(c, head, place, (what, title)),
        Some(_) => element(what, title, place),
    }
}

/// "3 pricing columns" is one section.
fn without_count(tokens: &[Token]) -> &[Token] {
    match tokens {
        [many, rest @ ..]
            if many.kind == TokenKind::Number
                && number(&many.text).is_some_and(|many| many.value <= 9.0)
                && rest
                    .first()
                    .is_some_and(|token| token.is("pricing-section")) =>
        {
            rest
        }
        all => all,
    }
}

/// A section by the name of its kind; another name is told, and never replaced by one that is known.
fn section(what: &Phrase, title: Option<String>, place: Place) -> Option<Request> {
    let Some(name) = &what.name else {
        return Some(match title {
            Some(_) => Request::AddSection {
                kind: "text",
                title,
                place,
            },
            None => Request::Missing(Missing::Section),
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
            Some(Request::AddElement(NewElement {
                what: Phrase { name: None, ..what },
                text: Some(text?),
                target: None,
                place,
            }))
        }
        Some(Noun::Phone) => Some(Request::AddElement(NewElement {
            what: Phrase::of_noun(Noun::Text, "text"),
            text: Some(what.name?),
            target: None,
            place,
        })),
        _ => None,
    }
}

/// Something without a word for its kind: a kind of section by its name, a picture by its address.
fn named(
    c: &Captures<'_>,
    head: &[Token],
    place: Place,
    (what, title): (Phrase, Option<String>),
) -> Option<Request> {
    if let [only] = head
        && only.kind == TokenKind::Address
    {
        let into = place.into.is_some() || place.at.is_some();
        let what = Phrase::of_noun(Noun::Image, "picture");
        return into.then(|| {
            Request::AddElement(NewElement {
                what,
                text: Some(only.text.clone()),
                target: None,
                place,
            })
        });
    }
    // "our phone number 0113 496 0000"
    if let Some(at) = head.iter().position(|token| token.is("phone"))
        && head
            .get(at + 1)
            .is_some_and(|token| token.kind == TokenKind::Number)
    {
        let text = typed(c.sentence(), &head[at + 1..]).to_owned();
        let what = Phrase::of_noun(Noun::Text, "text");
        return Some(Request::AddElement(NewElement {
            what,
            text: Some(text),
            target: None::<Target>,
            place,
        }));
    }
    let name = what.name.as_deref()?;
    if let Some(kind) = kind_named(name) {
        return Some(Request::AddSection { kind, title, place });
    }
    // Words that are no kind of ours: told by name, and never replaced by one that is.
    let is_plain = what.is_new
        && head.iter().all(|token| token.kind == TokenKind::Word)
        && what.within.is_empty();
    if name == "something" {
        return Some(Request::Missing(Missing::Section));
    }
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
        // Words that are not in quotes may say what to write about, and not what to write.
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
fn bare(c: &Captures<'_>) -> Option<Request> {
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
    (is_clear && is_plain && !matches!(kind, "header" | "footer") && !head[0].is("the")).then_some(
        Request::AddSection {
            kind,
            title: None,
            place,
        },
    )
}

//! Moving, copying, hiding and removing what is there.

use super::super::find::kind_named;
use super::super::noun::{Noun, Phrase, noun, phrase};
use super::super::pattern::{Captures, without_padding};
use super::super::place;
use super::super::request::{At, Missing, Place, Request};
use super::super::words::{Token, TokenKind, typed};
use super::{Build, Rule};

pub(crate) const RULES: &[Rule] = &[
    Rule {
        patterns: &[
            "swap|switch the? places of <xs>",
            "swap|exchange|switch <xs>",
        ],
        example: "swap features and testimonials",
        build: Build::Request(|c| {
            let tokens = c.tokens("xs");
            // "section 2 and 3"
            if let [section, one, and, other] = without_padding(tokens)
                && section.is("section")
                && and.is("and")
            {
                let nth = |token: &Token| {
                    Some(Phrase {
                        ordinal: Some(token.text.parse().ok()?),
                        ..Phrase::of_noun(Noun::Section, &token.text)
                    })
                };
                return Some(Request::Swap {
                    what: vec![nth(one)?, nth(other)?],
                });
            }
            if let [.., first, two, sections] = without_padding(tokens)
                && first.is("first")
                && two.is("two")
                && sections.is("sections")
            {
                let nth = |nth: i64| Phrase {
                    ordinal: Some(nth),
                    ..Phrase::of_noun(Noun::Section, "section")
                };
                return Some(Request::Swap {
                    what: vec![nth(1), nth(2)],
                });
            }
            if without_padding(tokens)
                .iter()
                .all(|token| token.is_any(&["those", "these", "them", "two", "the", "both"]))
            {
                return Some(Request::Swap {
                    what: vec![Phrase::it()],
                });
            }
            let what = c.things("xs")?;
            if what.len() == 1 {
                return Some(Request::Missing(Missing::Other));
            }
            (what.len() == 2).then_some(Request::Swap { what })
        }),
    },
    Rule {
        patterns: &[
            "reorder|order|sort the? sections :? <xs>",
            "order of the? sections :? <xs>",
        ],
        example: "reorder the sections: hero, testimonials, features",
        build: Build::Request(|c| {
            let what = c.things("xs")?;
            (what.len() > 1).then_some(Request::Order { what })
        }),
    },
    Rule {
        patterns: &["<x> first , then? <y>"],
        example: "",
        build: Build::Request(|c| {
            let what = vec![c.thing("x")?, c.thing("y")?];
            what.iter().all(is_there).then_some(Request::Order { what })
        }),
    },
    Rule {
        patterns: &[
            "move|put <x>",
            "want that? <x> goes|comes|to <p>",
            "<x> should|must|can come|go|be <p>",
            "can|could <x> be|go|come <p>",
            "want <x> <p>",
        ],
        example: "move the testimonials to the top",
        build: Build::Request(moved),
    },
    Rule {
        patterns: &["bit? higher|lower|up|down", "one higher|lower|up|down"],
        example: "",
        build: Build::Request(|c| {
            let up = c.sentence().to_lowercase();
            let at = if up.contains("up") || up.contains("higher") {
                At::Up(1)
            } else {
                At::Down(1)
            };
            Some(Request::Move {
                what: Phrase::it(),
                place: Place {
                    at: Some(at),
                    ..Place::default()
                },
            })
        }),
    },
    Rule {
        patterns: &["copy <x>", "make a? copy of <x>"],
        example: "duplicate the features section",
        build: Build::Request(|c| {
            let (head, place) = place::split(c.sentence(), c.tokens("x"))?;
            Some(Request::Copy {
                what: phrase(c.sentence(), head)?,
                name: None,
                place,
            })
        }),
    },
    Rule {
        patterns: &[
            "remove <xs>",
            "take out <xs>",
            "take <xs> out",
            "<xs> can go",
            "take <xs> away",
            "empty|clear <xs>",
        ],
        example: "remove the testimonials",
        build: Build::Request(removed),
    },
    Rule {
        patterns: &[
            "hide <x> on|at|for mobile",
            "hide <x> on|at|for the? tablet",
            "don't show <x> on mobile",
        ],
        example: "hide the opening hours on mobile",
        build: Build::Request(|c| {
            let at = if c.sentence().to_lowercase().contains("tablet") {
                "tablet"
            } else {
                "mobile"
            };
            Some(Request::Hide {
                what: c.thing("x")?,
                at: Some(at),
            })
        }),
    },
    Rule {
        patterns: &["hide <x> now?", "don't show <x> now?", "turn off <x>"],
        example: "hide the testimonials for now",
        build: Build::Request(|c| {
            Some(Request::Hide {
                what: c.thing("x")?,
                at: None,
            })
        }),
    },
    Rule {
        patterns: &[
            "show|unhide|display <x> again",
            "show <x> again now?",
            "unhide <x>",
        ],
        example: "show the testimonials again",
        build: Build::Request(|c| {
            Some(Request::Show {
                what: c.thing("x")?,
            })
        }),
    },
    Rule {
        patterns: &[
            "also on|to|in <y>",
            "on|to|in <y> too",
            "do the same on|for <y>",
            "the? same on <y>",
        ],
        example: "also on services",
        build: Build::Request(|c| {
            Some(Request::Again {
                what: None,
                place: Some(c.thing("y")?),
            })
        }),
    },
    Rule {
        patterns: &["<x> too", "the? same for <x>", "also <x>"],
        example: "",
        build: Build::Request(|c| {
            let what = c.thing("x")?;
            (!what.is_new).then_some(Request::Again {
                what: Some(what),
                place: None,
            })
        }),
    },
];

fn is_there(what: &Phrase) -> bool {
    !what.is_new && !what.is_pronoun
}

fn moved(c: &Captures<'_>) -> Option<Request> {
    let (what, place) = if c.tokens("p").is_empty() {
        let (head, place) = place::split(c.sentence(), c.tokens("x"))?;
        (phrase(c.sentence(), head)?, place)
    } else {
        (c.thing("x")?, place::place(c.sentence(), c.tokens("p"))?)
    };
    let place = match &place.into {
        // "the first section of about to the top": where it goes is the position.
        Some(_) if place.at.is_some() => place,
        None if place.at.is_some() => place,
        _ if place.is_there => return Some(Request::Missing(Missing::Place)),
        _ => return None,
    };
    if what.is_new || what.noun == Some(Noun::Page) && !what.points {
        return None;
    }
    let is_value =
        |token: &Token| token.kind == TokenKind::Colour || token.is_any(&["bigger", "smaller"]);
    (!c.tokens("x").iter().any(is_value)).then_some(Request::Move { what, place })
}

fn removed(c: &Captures<'_>) -> Option<Request> {
    let tokens = without_padding(c.tokens("xs"));
    if tokens.iter().any(Token::is_end) {
        return None;
    }
    // "the sentence We are four people and a dog."
    let mut rest = tokens;
    while let [first, more @ ..] = rest
        && first.is_any(&["the", "this"])
    {
        rest = more;
    }
    if let [first, name @ ..] = rest
        && name.len() > 1
        && name[0].text.starts_with(char::is_uppercase)
        && let Some(noun @ (Noun::Text | Noun::Heading(_) | Noun::Button)) = noun(&first.word)
    {
        let name = typed(c.sentence(), name).to_owned();
        let what = Phrase {
            is_quoted: true,
            name: Some(name.clone()),
            ..Phrase::of_noun(noun, &name)
        };
        return Some(Request::Remove { what: vec![what] });
    }
    // "and" may stand in a name that is quoted as it is: one thing first, then several.
    if !tokens.iter().any(|token| token.is_any(&["and", ","]))
        || tokens.iter().any(|token| token.kind == TokenKind::Quote)
    {
        return Some(Request::Remove {
            what: vec![c.thing("xs")?],
        });
    }
    let what = c.things("xs")?;
    let is_order = |part: &Phrase| {
        let first = part
            .said
            .split(' ')
            .next()
            .unwrap_or_default()
            .to_lowercase();
        super::super::pattern::ORDERS.contains(&first.as_str())
            || kind_named(&first).is_none() && first == "keep"
    };
    (!what.iter().any(is_order)).then_some(Request::Remove { what })
}

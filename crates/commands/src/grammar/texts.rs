//! Words on the page, links and pictures.

use super::super::noun::{Noun, Phrase};
use super::super::pattern::{Captures, without_padding};
use super::super::request::{Replacement, Request, Source};
use super::super::words::{Token, TokenKind, typed};
use super::pages::{target, this_page};
use super::{Build, Rule};

pub(crate) const RULES: &[Rule] = &[
    Rule {
        patterns: &[
            "make <x> an|a h1|h2|h3|h4",
            "turn <x> into an|a? h1|h2|h3|h4",
        ],
        example: "make “Opening hours” an h3",
        build: Build::Request(|c| {
            let said = c.sentence().to_lowercase();
            let level = (1..=4).find(|level| level_of(&level_word(*level), &said))?;
            Some(Request::Tag {
                what: c.thing("x")?,
                level,
            })
        }),
    },
    Rule {
        patterns: &["change|replace <o> to|with|by|into <n> on the other|both|all two|three?"],
        example: "",
        build: Build::Request(|c| {
            Some(Request::Replace(Replacement {
                old: c.text("o")?,
                is_quoted: true,
                new: c.text("n")?,
                within: None,
                all: true,
            }))
        }),
    },
    Rule {
        patterns: &[
            "replace <o> with|by <n> everywhere on this-page",
            "replace <o> with|by <n> everywhere",
        ],
        example: "replace Leeds by York everywhere on this page",
        build: Build::Request(|c| {
            let within = c
                .sentence()
                .to_lowercase()
                .contains("this page")
                .then(this_page);
            Some(Request::Replace(Replacement {
                old: c.text("o")?,
                is_quoted: true,
                new: c.text("n")?,
                within,
                all: true,
            }))
        }),
    },
    Rule {
        patterns: &[
            "change|replace|set <o> to|into|with|by <n> in|on <w>",
            "change|replace <o> to|into|with|by <n> on <w>",
        ],
        example: "replace Leeds with York in the hero",
        build: Build::Request(|c| {
            let within = c.thing("w")?;
            is_place(&within).then_some(())?;
            let what = c.thing("o")?;
            if what.noun.is_some() && !what.is_quoted {
                let what = Phrase {
                    within: [what.within.clone(), vec![within]].concat(),
                    ..what
                };
                return Some(Request::Text {
                    what,
                    to: c.text("n")?,
                });
            }
            replace(c, Some(within))
        }),
    },
    Rule {
        patterns: &[
            "<w> : change|replace <o> to|with|by <n>",
            "in|on <w> change|replace <o> to|with|by <n>",
            "in|on <w> , change <o> to <n>",
        ],
        example: "footer: change 2026 to 2027",
        build: Build::Request(|c| {
            let within = c.thing("w")?;
            let what = c.thing("o")?;
            if what.noun.is_some() && !what.is_quoted {
                let what = Phrase {
                    within: [what.within.clone(), vec![within]].concat(),
                    ..what
                };
                return Some(Request::Text {
                    what,
                    to: c.text("n")?,
                });
            }
            replace(c, Some(within))
        }),
    },
    Rule {
        patterns: &["change <x> from <o> to <n>"],
        example: "",
        build: Build::Request(|c| replace(c, None)),
    },
    Rule {
        patterns: &[
            "change the? copyright year in <w> to <n>",
            "change the? copyright year to <n>",
            "change the? year in <w> to <n>",
        ],
        example: "update the copyright year in the footer to 2027",
        build: Build::Request(|c| {
            let new = c.name("n")?;
            (new.len() == 4 && new.chars().all(|c| c.is_ascii_digit())).then_some(())?;
            Some(Request::Replace(Replacement {
                old: "©".to_owned(),
                is_quoted: true,
                new,
                within: Some(Phrase::of_noun(Noun::Kind("footer"), "the footer")),
                all: false,
            }))
        }),
    },
    Rule {
        patterns: &[
            "put <n> instead-of <o>",
            "<n> instead-of <o>",
            "want <n> instead-of <o>",
        ],
        example: "put “Closed on Monday” instead of “Monday to Friday, 8 to 18”",
        build: Build::Request(|c| replace(c, None)),
    },
    Rule {
        patterns: &[
            "typo in <w> : it is <n> not <o>",
            "typo in <w> , it is <n> not <o>",
        ],
        example: "",
        build: Build::Request(|c| replace(c, Some(c.thing("w")?))),
    },
    Rule {
        patterns: &[
            "there is a spelling mistake , <o> should be <n>",
            "spelling mistake : <o> should be <n>",
            "typo : <o> should be <n>",
        ],
        example: "",
        build: Build::Request(|c| replace(c, None)),
    },
    Rule {
        patterns: &[
            "link <x> to <y>",
            "make <x> go|link|lead|point to <y>",
            "<x> should|must go|link|lead|point to <y>",
            "<x> should open <y> when clicked",
            "<x> link should be <y>",
            "let <x> go to <y>",
        ],
        example: "make the “See our services” button go to the pricing page",
        build: Build::Request(|c| {
            let what = c.thing("x")?;
            let is_linked = matches!(
                what.noun,
                None | Some(Noun::Button | Noun::Link | Noun::Text | Noun::Image | Noun::Logo)
            ) || what.is_pronoun;
            is_linked.then_some(())?;
            Some(Request::Link {
                what,
                target: target(c, "y")?,
            })
        }),
    },
    Rule {
        patterns: &[
            "the? answer to <q> is|should now? be? <t>",
            "change the? answer to <q> to <t>",
        ],
        example: "the answer to “Do you repair e-bikes?” is now “Yes”",
        build: Build::Request(|c| {
            let what = Phrase {
                is_quoted: true,
                name: Some(c.name("q")?),
                ..Phrase::of_noun(Noun::Answer, "the answer")
            };
            Some(Request::Text {
                what,
                to: c.text("t")?,
            })
        }),
    },
    Rule {
        patterns: &[
            "change the? name below <y> to <t>",
            "the? name below <y> should be <t>",
        ],
        example: "",
        build: Build::Request(|c| {
            Some(Request::Text {
                what: Phrase {
                    within: vec![c.thing("y")?],
                    ..Phrase::of_noun(Noun::Person, "the name")
                },
                to: c.name("t")?,
            })
        }),
    },
    Rule {
        patterns: &["new <x> : <t> , please? change <y>", "new <x> : <t>"],
        example: "",
        build: Build::Request(|c| {
            let mut what = c.thing("x")?;
            matches!(what.noun, Some(Noun::Phone | Noun::Email | Noun::Address)).then_some(())?;
            if !c.tokens("y").is_empty() {
                what.within.push(c.thing("y")?);
            }
            Some(Request::Text {
                what,
                to: c.name("t")?,
            })
        }),
    },
    Rule {
        patterns: &[
            "price of|for <x> is|should now? be? <p>",
            "raise|lower|increase|reduce <x> to <p>",
            "<x> costs <p> now?",
            "<x> is <p> now",
            "<x> <p>",
            "the? price of <x> is now <p>",
            "change|set the? price of <x> to <p>",
        ],
        example: "the price of the basic service is now £50",
        build: Build::Request(|c| {
            let price = price(c.tokens("p"))?;
            let says_price = ["cost", "price", "raise", "lower", "increase", "reduce"]
                .iter()
                .any(|word| c.sentence().to_lowercase().contains(word));
            (says_price || price.starts_with(['£', '$', '€'])).then_some(())?;
            let item = c.thing("x")?;
            (item.noun.is_none() && !item.is_pronoun && item.name.is_some() && !item.is_quoted)
                .then_some(())?;
            let what = Phrase {
                within: vec![Phrase {
                    noun: Some(Noun::Item("pricing")),
                    ..item
                }],
                ..Phrase::of_noun(Noun::Price, "the price")
            };
            Some(Request::Text { what, to: price })
        }),
    },
    Rule {
        patterns: &["in <x> write :? <t>"],
        example: "in the custom builds card write: You ride, we build.",
        build: Build::Request(|c| {
            Some(Request::Text {
                what: text_in(c.thing("x")?),
                to: c.long_text("t")?,
            })
        }),
    },
    Rule {
        patterns: &["text of|in <x> : <t>"],
        example: "",
        build: Build::Request(|c| {
            Some(Request::Text {
                what: text_in(c.thing("x")?),
                to: c.long_text("t")?,
            })
        }),
    },
    Rule {
        patterns: &[
            "replace|change <x> with|by|to this :? <t>",
            "rewrite|change <x> as|to : <t>",
            "rewrite <x> as :? <t>",
        ],
        example: "",
        build: Build::Request(|c| {
            Some(Request::Text {
                what: c.thing("x")?,
                to: c.long_text("t")?,
            })
        }),
    },
    Rule {
        patterns: &["<x> : shorter , just <t>"],
        example: "",
        build: Build::Request(|c| {
            Some(Request::Text {
                what: c.thing("x")?,
                to: c.name("t")?,
            })
        }),
    },
    Rule {
        patterns: &[
            "change|set the? text of|in <x> to <t>",
            "change|set <x> text to <t>",
            "the? text of|in <x> should be <t>",
        ],
        example: "change the text of the restoration card to “…”",
        build: Build::Request(|c| {
            Some(Request::Text {
                what: text_in(c.thing("x")?),
                to: c.text("t").or_else(|| c.long_text("t"))?,
            })
        }),
    },
    Rule {
        patterns: &[
            "change|set|update the? text to <t>",
            "change the? button text to <t>",
        ],
        example: "",
        build: Build::Request(|c| {
            let what = Phrase {
                noun: if c.sentence().to_lowercase().contains("button") {
                    Some(Noun::Button)
                } else {
                    None
                },
                ..Phrase::it()
            };
            Some(Request::Text {
                what,
                to: c.text("t")?,
            })
        }),
    },
    Rule {
        patterns: &["write|put <t> in|into|as <x>"],
        example: "write “Bikes, repaired.” in the heading",
        build: Build::Request(|c| {
            let what = c.thing("x")?;
            let is_leaf = matches!(
                what.noun,
                Some(Noun::Heading(_) | Noun::Text | Noun::Button)
            );
            let is_quoted = matches!(c.tokens("t"), [only] if only.kind == TokenKind::Quote);
            (is_leaf && is_quoted).then_some(Request::Text {
                what,
                to: c.text("t")?,
            })
        }),
    },
    Rule {
        patterns: &["make <x> <t>"],
        example: "",
        build: Build::Request(|c| {
            let what = c.thing("x")?;
            let is_quote =
                matches!(without_padding(c.tokens("t")), [only] if only.kind == TokenKind::Quote);
            let is_leaf = what.is_pronoun
                || matches!(
                    what.noun,
                    Some(Noun::Heading(_) | Noun::Text | Noun::Button)
                );
            let is_said = c
                .tokens("x")
                .last()?
                .is_any(&["say", "read", "to", "is", "an", "a"]);
            (is_quote && is_leaf && !is_said).then_some(Request::Text {
                what,
                to: c.text("t")?,
            })
        }),
    },
    Rule {
        patterns: &[
            "change|set|replace|turn <x> to|into|with|by <t>",
            "make <x> say|read <t>",
            "<x> should|must say|read :? <t>",
            "<x> should|must be :? <t>",
            "can|could <x> maybe? say|read <t>",
            "want <x> is <t>",
            "want <x> to say|be <t>",
            "<x> = <t>",
            "<x> → <t>",
            "<x> is now <t>",
            "let <x> say <t>",
        ],
        example: "change the heading to Welcome",
        build: Build::Request(texted),
    },
    Rule {
        patterns: &["<x> : <t>", "change|set <x> : <t>"],
        example: "heading: Ride on!",
        build: Build::Request(|c| {
            let what = c.thing("x")?;
            let is_leaf = matches!(
                what.noun,
                Some(
                    Noun::Heading(_)
                        | Noun::Text
                        | Noun::Button
                        | Noun::Link
                        | Noun::Phone
                        | Noun::Email
                        | Noun::Address
                        | Noun::Label
                )
            ) || what.is_pronoun && what.points;
            let to = c.long_text("t")?;
            is_leaf.then_some(Request::Text { what, to })
        }),
    },
];

pub(crate) const IMAGES: &[Rule] = &[
    Rule {
        patterns: &[
            "clear|remove|empty the? alt of|for|from <x> , it's decorative",
            "clear|remove|empty the? alt of|for|from <x>",
        ],
        example: "",
        build: Build::Request(|c| {
            Some(Request::Alt {
                what: image(c.thing("x")?),
                text: String::new(),
            })
        }),
    },
    Rule {
        patterns: &[
            "set|change the? alt of|for <x> to :? <t>",
            "alt of|for <x> :|= <t>",
            "describe <x> as <t>",
            "<x> : alt :|=? <t>",
            "the? alt of|for <x> should be <t>",
            "<x> alt = <t>",
        ],
        example: "set the alt text of the hero image to “Two mechanics at work”",
        build: Build::Request(|c| {
            let tokens = c.tokens("t");
            (!tokens.first()?.is_any(&[":", "="])).then_some(())?;
            Some(Request::Alt {
                what: image(c.thing("x")?),
                text: c.text("t")?,
            })
        }),
    },
    Rule {
        patterns: &[
            "new image for <x> : <a> , alt <t>",
            "change|set <x> to <a> , alt <t>",
        ],
        example: "",
        build: Build::Request(|c| {
            let what = image(c.thing("x")?);
            let source = Request::Source {
                what: what.clone(),
                source: Source::Address(c.address("a")?),
            };
            Some(Request::Several(vec![
                source,
                Request::Alt {
                    what,
                    text: c.text("t")?,
                },
            ]))
        }),
    },
    Rule {
        patterns: &[
            "change|set|replace|swap <x> to|with|by|for|into <a>",
            "use <a> as|for|in <x>",
            "new image for <x> : <a>",
            "<x> :|=|→ <a>",
        ],
        example: "change the hero picture to /uploads/bench.jpg",
        build: Build::Request(|c| {
            let address = c.address("a")?;
            let what = c.thing("x")?;
            let is_image = matches!(what.noun, Some(Noun::Image | Noun::Logo))
                || what.is_pronoun && !what.said.contains("link")
                || matches!(what.noun, Some(Noun::Kind(_))) && is_picture(&address);
            (is_image && (is_picture(&address) || what.noun == Some(Noun::Image))).then_some(())?;
            Some(Request::Source {
                what: image(what),
                source: Source::Address(address),
            })
        }),
    },
    Rule {
        patterns: &["use <y> in|for|as <x>"],
        example: "use the bench photo from the about page in the hero",
        build: Build::Request(|c| {
            let other = c.thing("y")?;
            (other.noun == Some(Noun::Image)).then_some(())?;
            Some(Request::Source {
                what: image(c.thing("x")?),
                source: Source::Image(other),
            })
        }),
    },
];

fn is_picture(address: &str) -> bool {
    let lower = address.to_lowercase();
    [".jpg", ".jpeg", ".png", ".gif", ".webp", ".svg", ".avif"]
        .iter()
        .any(|ending| lower.ends_with(ending))
}

/// The picture of a section, when a section was named.
fn image(what: Phrase) -> Phrase {
    match what.noun {
        Some(Noun::Kind(_) | Noun::Section) => Phrase {
            said: what.said.clone(),
            within: vec![what],
            ..Phrase::of_noun(Noun::Image, "picture")
        },
        _ => what,
    }
}

/// The text of a card or a section; of anything else, the thing itself.
fn text_in(what: Phrase) -> Phrase {
    match what.noun {
        Some(Noun::Item(_) | Noun::Kind(_) | Noun::Section) => Phrase {
            said: what.said.clone(),
            within: vec![what],
            ..Phrase::of_noun(Noun::Text, "text")
        },
        _ => what,
    }
}

fn is_place(what: &Phrase) -> bool {
    matches!(
        what.noun,
        Some(Noun::Kind(_) | Noun::Page | Noun::Home | Noun::Section | Noun::Layout)
    ) || what
        .name
        .as_deref()
        .is_some_and(|name| name.starts_with('/'))
}

fn replace(c: &Captures<'_>, within: Option<Phrase>) -> Option<Request> {
    let old = c.text("o")?;
    let is_quoted =
        matches!(without_padding(c.tokens("o")), [only] if only.kind == TokenKind::Quote);
    // Colours are set elsewhere, and a thing of a kind is no text.
    let is_kind = |token: &Token| {
        super::super::noun::noun(&token.word).is_some() && token.kind == TokenKind::Word
    };
    let is_bare = c
        .tokens("o")
        .iter()
        .all(|token| is_kind(token) || token.is_any(&["the", "a"]));
    (is_quoted || !is_bare).then_some(Request::Replace(Replacement {
        old,
        is_quoted,
        new: c.text("n")?,
        within,
        all: false,
    }))
}

fn texted(c: &Captures<'_>) -> Option<Request> {
    let (what, to) = (c.thing("x")?, c.text("t")?);
    if what.is_new && what.noun.is_none() {
        return None;
    }
    if what.noun.is_none() && !what.is_pronoun {
        let name = what.name.clone()?;
        let old = typed(c.sentence(), c.tokens("x")).to_owned();
        let old = if what.is_quoted { name } else { old };
        return Some(Request::Replace(Replacement {
            old,
            is_quoted: what.is_quoted,
            new: to,
            within: what.within.first().cloned(),
            all: false,
        }));
    }
    let can_be = match what.noun {
        Some(
            Noun::Heading(_)
            | Noun::Text
            | Noun::Button
            | Noun::Link
            | Noun::Item(_)
            | Noun::Label
            | Noun::Person
            | Noun::Phone
            | Noun::Email
            | Noun::Address
            | Noun::Price
            | Noun::Answer
            | Noun::MenuItem
            | Noun::Kind("footer"),
        ) => true,
        Some(Noun::Page) => what.name.is_some() || what.points,
        None => true,
        _ => false,
    };
    can_be.then_some(())?;
    if what.noun == Some(Noun::Page) {
        return Some(Request::Rename { what, to });
    }
    Some(Request::Text { what, to })
}

/// A price as it is written: with its sign, which the old one gives when it is not said.
fn price(tokens: &[Token]) -> Option<String> {
    let tokens = without_padding(tokens);
    let is_number = |text: &str| {
        !text.is_empty()
            && text
                .chars()
                .all(|c| c.is_ascii_digit() || c == '.' || c == ',')
    };
    match tokens {
        [only] => {
            let digits = only.text.trim_start_matches(['£', '$', '€']);
            (is_number(digits) && only.text.len() > digits.len()
                || only.kind == TokenKind::Number && is_number(digits))
            .then(|| only.text.clone())
        }
        [number, unit] if is_number(&number.text) => match unit.word.as_str() {
            "pounds" | "pound" => Some(format!("£{}", number.text)),
            "dollars" | "dollar" => Some(format!("${}", number.text)),
            "euros" | "euro" => Some(format!("€{}", number.text)),
            _ => None,
        },
        _ => None,
    }
}

fn level_word(level: u8) -> String {
    format!("h{level}")
}

fn level_of(word: &str, sentence: &str) -> bool {
    sentence
        .split(|c: char| !c.is_alphanumeric())
        .any(|part| part == word)
}

//! Looks: colours, fonts, sizes, space, corners, and CSS by name.

use super::super::noun::{Many, Noun, Phrase};
use super::super::pattern::{Captures, without_padding};
use super::super::request::{ColourToken, Look, Missing, Request, Shade, Size};
use super::super::words::{self, Number, Token, TokenKind, number};
use super::super::{colours, noun};
use super::tokens::{size, token};
use super::{Build, Rule};

pub(crate) const RULES: &[Rule] = &[
    // CSS by name.
    Rule {
        patterns: &["remove|take|pull the? class <n> from|off <x>"],
        example: "",
        build: Build::Request(|c| {
            Some(Request::RemoveClass {
                name: c.name("n")?.trim_start_matches('.').to_owned(),
                what: c.thing("x")?,
            })
        }),
    },
    Rule {
        patterns: &["add|put|give the? class <n> to|on <x>"],
        example: "add the class card to the opening hours section",
        build: Build::Request(|c| {
            Some(Request::AddClass {
                name: c.name("n")?.trim_start_matches('.').to_owned(),
                what: c.thing("x")?,
            })
        }),
    },
    Rule {
        patterns: &["<css>"],
        example: ".card { padding: 2rem }",
        build: Build::Request(css),
    },
    Rule {
        patterns: &["set|change <k> to <v>", "<k> : <v>", "<k> = <v>"],
        example: "set --radius to 12px",
        build: Build::Request(variable),
    },
    Rule {
        patterns: &[
            "set|change <x> <p> to <v>",
            "set|change <p> of|on <x> to <v>",
            "<x> <p> <v>",
            "<p> of <x> :? <v>",
        ],
        example: "set max-width of the hero image to 600px",
        build: Build::Request(property),
    },
    // Corners.
    Rule {
        patterns: &[
            "square corners",
            "make the? corners square",
            "no round corners anywhere|everywhere?",
            "sharp corners",
            "corners square",
        ],
        example: "square corners",
        build: Build::Request(|_| {
            Some(Request::Radius(Size::Value(Number {
                value: 0.0,
                unit: "px".to_owned(),
            })))
        }),
    },
    Rule {
        patterns: &[
            "make the? corners rounder|bigger",
            "rounder corners",
            "corners rounder",
            "more round corners",
            "make everything rounder",
        ],
        example: "make the corners rounder",
        build: Build::Request(|_| Some(Request::Radius(Size::Larger))),
    },
    Rule {
        patterns: &[
            "radius <n>",
            "set|change|make the? radius to? <n>",
            "<n> corners",
            "make the? corners <n>",
        ],
        example: "border radius 16px",
        build: Build::Request(|c| Some(Request::Radius(size(c, "n")?))),
    },
    Rule {
        patterns: &[
            "rounder corners on|for|of <x>",
            "make <x> rounder",
            "rounder <x>",
            "<x> rounder",
        ],
        example: "",
        build: Build::Request(|c| style(c, vec![Look::Rounder])),
    },
    Rule {
        patterns: &["only? <x> with <n> corners", "<n> corners on|for <x>"],
        example: "only the cards with 20px corners",
        build: Build::Request(|c| {
            let n = length(c, "n")?;
            style(c, vec![Look::Property("border-radius", n)])
        }),
    },
    Rule {
        patterns: &[
            "put|add a? thin|small? border around|on|to <x>",
            "give <x> a? thin? border",
        ],
        example: "put a thin border around the cards",
        build: Build::Request(|c| {
            style(
                c,
                vec![Look::Property(
                    "border",
                    "1px solid currentcolor".to_owned(),
                )],
            )
        }),
    },
    // One thing.
    Rule {
        patterns: &[
            "<x> background <c> , text <d>",
            "make <x> <c> with <d> text",
            "<x> <c> with <d> text",
        ],
        example: "footer background black, text white",
        build: Build::Request(|c| {
            let looks = vec![
                Look::Background(c.colour("c")?),
                Look::TextColour(c.colour("d")?),
            ];
            style(c, looks)
        }),
    },
    Rule {
        patterns: &["make <x> <c> with <d> text , <y> too"],
        example: "",
        build: Build::Request(|c| {
            let looks = vec![
                Look::Background(c.colour("c")?),
                Look::TextColour(c.colour("d")?),
            ];
            let of = |name: &str| {
                Some(Request::Style {
                    what: c.thing(name)?,
                    looks: looks.clone(),
                    at: None,
                })
            };
            Some(Request::Several(vec![of("x")?, of("y")?]))
        }),
    },
    Rule {
        patterns: &[
            "give <x> <k> as background",
            "<x> background should|must be <c>",
            "background of|for <x> :? <c>",
            "set|change|make the? background of|for <x> to? <c>",
            "<x> background :|=|to? <c>",
            "set|change|make <x> background to? <c>",
        ],
        example: "hero background #222222",
        build: Build::Request(|c| {
            let value = if c.tokens("k").is_empty() {
                value(c.tokens("c"), c)?
            } else {
                value(c.tokens("k"), c)?
            };
            style(c, vec![Look::Background(value)])
        }),
    },
    Rule {
        patterns: &[
            "use <k> for <x>",
            "colour of <x> should be <c>",
            "change|set the? colour of <x> to <c>",
            "make the? colour of <x> <c>",
            "can you change the colour of <x> to <c>",
        ],
        example: "use the primary colour for all headings",
        build: Build::Request(|c| {
            let from = if c.tokens("k").is_empty() { "c" } else { "k" };
            let colour = value(c.tokens(from), c)?;
            style(c, vec![Look::Colour(colour)])
        }),
    },
    Rule {
        patterns: &[
            "less|more padding|room|space in|for|around <x>",
            "give <x> more|less room|space|padding",
            "reduce|increase the? padding of|in <x>",
        ],
        example: "less padding in the hero",
        build: Build::Request(|c| {
            let said = c.sentence().to_lowercase();
            let less = said.contains("less") || said.contains("reduce");
            style(
                c,
                vec![if less {
                    Look::LessPadding
                } else {
                    Look::MorePadding
                }],
            )
        }),
    },
    Rule {
        patterns: &[
            "reduce|increase the? gap between|of <x>",
            "less|more gap|space between <x>",
            "smaller|bigger gap between <x>",
        ],
        example: "reduce the gap between the cards",
        build: Build::Request(|c| {
            let said = c.sentence().to_lowercase();
            let less = ["less", "reduce", "smaller"]
                .iter()
                .any(|word| said.contains(word));
            style(c, vec![if less { Look::LessGap } else { Look::MoreGap }])
        }),
    },
    Rule {
        patterns: &["add|put <n> space|spacing|margin above|before <x>"],
        example: "add 40px space above the reviews",
        build: Build::Request(|c| {
            let n = length(c, "n")?;
            style(c, vec![Look::Property("margin-top", n)])
        }),
    },
    Rule {
        patterns: &["add|put <n> space|spacing|margin below|after <x>"],
        example: "",
        build: Build::Request(|c| {
            let n = length(c, "n")?;
            style(c, vec![Look::Property("margin-bottom", n)])
        }),
    },
    Rule {
        patterns: &["center <x>", "align <x> to? the? center|middle"],
        example: "center the hero text",
        build: Build::Request(|c| aligned(c, "center")),
    },
    Rule {
        patterns: &["align <x> to? the? right"],
        example: "",
        build: Build::Request(|c| aligned(c, "right")),
    },
    Rule {
        patterns: &["align <x> to? the? left"],
        example: "",
        build: Build::Request(|c| aligned(c, "left")),
    },
    Rule {
        patterns: &["underline <x>"],
        example: "underline the links",
        build: Build::Request(|c| {
            style(
                c,
                vec![Look::Property("text-decoration", "underline".to_owned())],
            )
        }),
    },
    Rule {
        patterns: &["make <x> half as wide"],
        example: "",
        build: Build::Request(|c| style(c, vec![Look::Property("width", "50%".to_owned())])),
    },
    Rule {
        patterns: &[
            "on mobile <x> should be <v>",
            "on mobile make <x> <v>",
            "make <x> <v> on mobile",
            "<x> <v> on mobile",
        ],
        example: "on mobile the h1 should be 32px",
        build: Build::Request(|c| {
            let looks = looks(c, "v")?;
            let what = c.thing("x")?;
            is_thing(&what).then_some(Request::Style {
                what,
                looks,
                at: Some("mobile"),
            })
        }),
    },
    Rule {
        patterns: &[
            "increase|reduce|decrease the? size|font-size of <x>",
            "increase|reduce <x> size",
        ],
        example: "",
        build: Build::Request(|c| {
            let look = if c.sentence().to_lowercase().contains("increase") {
                Look::Bigger
            } else {
                Look::Smaller
            };
            style(c, vec![look])
        }),
    },
    Rule {
        patterns: &[
            "<x> is? to|too big|large|long , make it smaller",
            "<x> is? to|too small , make it bigger",
        ],
        example: "",
        build: Build::Request(|c| {
            let look = if c.sentence().to_lowercase().contains("smaller") {
                Look::Smaller
            } else {
                Look::Bigger
            };
            style(c, vec![look])
        }),
    },
    Rule {
        patterns: &[
            "even? <v>",
            "and? make it <v>",
            "no , <v>",
            "bit <v>",
            "rather <v>",
            "still <v>",
        ],
        example: "even bigger",
        build: Build::Request(|c| {
            let looks = looks(c, "v")?;
            Some(Request::More { looks })
        }),
    },
    Rule {
        patterns: &[
            "make|change|set|turn <x> to? <v>",
            "<x> in <v>",
            "<x> should|must be <v>",
            "can|could <x> be <v>",
            "<x> <v>",
        ],
        example: "make the heading bigger and red",
        build: Build::Request(|c| {
            let looks = looks(c, "v")?;
            let what = c.thing("x")?;
            (is_thing(&what) && !what.is_new).then_some(Request::Style {
                what,
                looks,
                at: None,
            })
        }),
    },
    Rule {
        patterns: &["<v> <x> below it", "<v> <x>"],
        example: "red buttons",
        build: Build::Request(|c| {
            // A bare size does not say of what it is the size.
            let has_number = c
                .tokens("v")
                .iter()
                .any(|token| token.kind == TokenKind::Number);
            (!has_number).then_some(())?;
            let looks = looks(c, "v")?;
            let mut what = c.thing("x")?;
            if c.sentence().to_lowercase().contains("below it") && what.noun == Some(Noun::Text) {
                what.within.push(Phrase::it());
            }
            is_thing(&what).then_some(())?;
            Some(Request::Style {
                what,
                looks,
                at: None,
            })
        }),
    },
    Rule {
        patterns: &["change|set the? colour|colours", "another colour"],
        example: "",
        build: Build::Request(|_| Some(Request::Missing(Missing::Colour))),
    },
];

/// A colour as a value of CSS: one that was said, or one of the site.
fn value(tokens: &[Token], c: &Captures<'_>) -> Option<String> {
    if let Some(colour) = colours::colour(c.sentence(), tokens) {
        return Some(colour);
    }
    match token(tokens) {
        Some(ColourToken::Role(role)) => Some(format!("var(--{role})")),
        _ => {
            // "the beige one"
            let words: Vec<&Token> = without_padding(tokens)
                .iter()
                .filter(|token| !token.is_any(&["the", "one", "colour"]))
                .collect();
            let [only] = words.as_slice() else {
                return None;
            };
            colours::rgb(&only.word)?;
            tokens
                .iter()
                .any(|token| token.is("one"))
                .then(|| format!("family:{}", only.word))
        }
    }
}

fn length(c: &Captures<'_>, name: &str) -> Option<String> {
    let number = c.number(name)?;
    let unit = if number.unit.is_empty() {
        "px"
    } else {
        &number.unit
    };
    Some(format!("{}{unit}", number.value))
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

fn style(c: &Captures<'_>, looks: Vec<Look>) -> Option<Request> {
    let what = c.thing("x")?;
    is_thing(&what).then_some(Request::Style {
        what,
        looks,
        at: None,
    })
}

/// Aligning the text of a section aligns the section.
fn aligned(c: &Captures<'_>, to: &str) -> Option<Request> {
    let tokens = c.tokens("x");
    let look = vec![Look::Property("text-align", to.to_owned())];
    if let [first, rest @ ..] = tokens
        && first.is_any(&["everything", "all"])
        && rest.first().is_some_and(|token| token.is("in"))
    {
        let what = noun::phrase(c.sentence(), &rest[1..])?;
        return Some(Request::Style {
            what,
            looks: look,
            at: None,
        });
    }
    let what = c.thing("x")?;
    let what = match (what.noun, what.within.as_slice()) {
        (Some(Noun::Text), [section]) if what.name.is_none() && what.ordinal.is_none() => {
            section.clone()
        }
        _ => what,
    };
    let is_there = what.noun == Some(Noun::Text) && what.is_bare();
    if is_there {
        // "center the text there"
        return Some(Request::Style {
            what: Phrase::it(),
            looks: look,
            at: None,
        });
    }
    is_thing(&what).then_some(Request::Style {
        what,
        looks: look,
        at: None,
    })
}

/// "bigger and red", "48px", "bold": how something is to look. Everything must be understood.
fn looks(c: &Captures<'_>, name: &str) -> Option<Vec<Look>> {
    let tokens = without_padding(c.tokens(name));
    let parts = tokens.split(|token| token.is_any(&["and", ","]));
    let mut found = Vec::new();
    for part in parts {
        let part: Vec<Token> = part
            .iter()
            .filter(|token| {
                !token.is_any(&["bit", "much", "even", "a", "little", "more", "way", "all"])
            })
            .cloned()
            .collect();
        found.push(look(c.sentence(), &part)?);
    }
    (!found.is_empty()).then_some(found)
}

fn look(sentence: &str, tokens: &[Token]) -> Option<Look> {
    if let Some(colour) = colours::colour(sentence, tokens) {
        return Some(Look::Colour(colour));
    }
    let [only] = tokens else {
        return match tokens {
            [number_token, unit] if unit.is_any(&["px", "pixels", "pixel"]) => {
                let number = number(&number_token.text)?;
                Some(Look::Property("font-size", format!("{}px", number.value)))
            }
            _ => None,
        };
    };
    if only.kind == TokenKind::Number {
        let number =
            number(&only.text).filter(|number| !number.unit.is_empty() && number.unit != "%")?;
        return Some(Look::Property(
            "font-size",
            format!("{}{}", number.value, number.unit),
        ));
    }
    // "Hours small" may tell how they are; a wish has a verb or compares.
    let is_wish = || {
        words::tokens(sentence).iter().any(|token| {
            token.is_any(&[
                "make", "change", "set", "turn", "should", "must", "be", "want",
            ])
        })
    };
    Some(match only.word.as_str() {
        "bigger" => Look::Bigger,
        "big" if is_wish() => Look::Bigger,
        "smaller" => Look::Smaller,
        "small" | "tiny" if is_wish() => Look::Smaller,
        "bold" | "bolder" => Look::Bold,
        "italic" => Look::Property("font-style", "italic".to_owned()),
        "uppercase" => Look::Property("text-transform", "uppercase".to_owned()),
        "lowercase" => Look::Property("text-transform", "lowercase".to_owned()),
        "underlined" => Look::Property("text-decoration", "underline".to_owned()),
        "centered" => Look::Property("text-align", "center".to_owned()),
        "rounder" => Look::Rounder,
        "darker" => Look::Darker,
        "lighter" => Look::Lighter,
        _ => return None,
    })
}

/// A rule of CSS as it was typed.
fn css(c: &Captures<'_>) -> Option<Request> {
    let text = super::super::words::typed(c.sentence(), c.tokens("css"));
    let (selector, rest) = text.split_once('{')?;
    let body = rest.trim().strip_suffix('}')?;
    let is_plain = !selector.contains(['}', ';', '<', '@'])
        && !body.contains(['{', '}', '<', '@'])
        && body.contains(':');
    let is_selector = selector.trim().starts_with(['.', '#'])
        || selector
            .trim()
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || c == ' ');
    (is_plain && is_selector && !selector.trim().is_empty()).then(|| Request::Css(text.to_owned()))
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

/// The properties that may be set by name.
const PROPERTIES: &[&str] = &[
    "padding",
    "padding-top",
    "padding-bottom",
    "margin",
    "margin-top",
    "margin-bottom",
    "width",
    "max-width",
    "height",
    "max-height",
    "gap",
    "opacity",
    "line-height",
    "letter-spacing",
    "text-align",
    "border-radius",
    "font-weight",
    "font-style",
    "text-transform",
    "color",
    "background-color",
];

fn property(c: &Captures<'_>) -> Option<Request> {
    let [name] = c.tokens("p") else { return None };
    let name = if name.is("radius") {
        "border-radius"
    } else {
        name.word.as_str()
    };
    let property = PROPERTIES.iter().copied().find(|known| *known == name)?;
    let value = match property {
        "color" | "background-color" => c.colour("v")?,
        "text-align" | "text-transform" | "font-style" | "font-weight" => {
            match without_padding(c.tokens("v")) {
                [only]
                    if only.is_any(&[
                        "left",
                        "right",
                        "center",
                        "justify",
                        "uppercase",
                        "lowercase",
                        "none",
                        "italic",
                        "normal",
                        "bold",
                    ]) =>
                {
                    only.word.clone()
                }
                _ => return None,
            }
        }
        _ => length(c, "v")?,
    };
    let tokens = c.tokens("x");
    if let [selector] = tokens
        && selector.text.starts_with('.')
    {
        return Some(Request::Css(format!(
            "{} {{ {property}: {value} }}",
            selector.text
        )));
    }
    style(c, vec![Look::Property(property, value)])
}

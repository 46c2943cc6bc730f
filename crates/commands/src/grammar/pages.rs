//! Pages, their settings, the site's settings and the menu.

use super::super::call::{PageSetting, SiteSetting};
use super::super::noun::{Noun, Phrase};
use super::super::pattern::{Captures, without_padding};
use super::super::request::{NewPage, Place, Request, Target};
use super::super::words::{self, Token, TokenKind, typed};
use super::new_page::{NOT_NAMES, new_page};
use super::{Build, Rule};

pub(crate) const RULES: &[Rule] = &[
    Rule {
        patterns: &[
            "want <x> again but as <t>",
            "make another page that looks exactly? like <x> , called <t>",
            "make a? copy of <x> called <t>",
            "copy <x> and call|name it? <t>",
            "copy <x> as <t>",
            "make a? page like <x> called <t>",
            "copy <x> , call|name it <t>",
        ],
        example: "copy the services page as “Workshop services”",
        build: Build::Request(|c| {
            Some(Request::Copy {
                what: page(c.thing("x")?)?,
                name: Some(c.name("t")?),
                place: Place::default(),
            })
        }),
    },
    Rule {
        patterns: &["page <x>", "new|another page <x>"],
        example: "",
        build: Build::Request(|c| {
            // Without a verb, only what says first that it is a page.
            let first = c.sentence().find(|c: char| c.is_alphanumeric())?;
            let rest = words::tokens(c.sentence());
            let at = rest.iter().position(|token| token.is("page"))?;
            let end = c.tokens("x").last()?.span.1;
            let tokens: Vec<Token> = rest[at..]
                .iter()
                .filter(|token| token.span.1 <= end)
                .cloned()
                .collect();
            (at <= 3 && rest[at].span.0 >= first).then_some(())?;
            let is_name = |token: &Token| {
                token.kind == TokenKind::Quote
                    || token.kind == TokenKind::Word
                        && !token.is_any(super::super::pattern::ORDERS)
                        && !token.is_any(NOT_NAMES)
            };
            let is_clear = match tokens.as_slice() {
                [_, quote] => quote.kind == TokenKind::Quote,
                [_, sign, name @ ..] => {
                    (sign.kind == TokenKind::Quote
                        || sign.is_any(&["for", "called", ":"]) && name.len() <= 3)
                        && name
                            .iter()
                            .filter(|token| {
                                !token.is_any(&["asap", "!", "with", "the", "address"])
                                    && token.kind != TokenKind::Address
                            })
                            .all(is_name)
                }
                _ => false,
            };
            is_clear.then_some(())?;
            Some(Request::AddPage(new_page(c.sentence(), &tokens)?))
        }),
    },
    Rule {
        patterns: &["add|make|want|put|new <x>"],
        example: "add a page called Team",
        build: Build::Request(|c| {
            let page = new_page(c.sentence(), c.tokens("x"))?;
            Some(Request::AddPage(page))
        }),
    },
    Rule {
        patterns: &[
            "add|make|want|new <n> pages :|for|called <xs>",
            "add|make|want pages :|for|called? <xs>",
        ],
        example: "create pages for Blog, Press and Careers",
        build: Build::Request(|c| {
            let names: Vec<String> = names(c, "xs")?;
            (names.len() > 1).then_some(())?;
            Some(Request::AddPage(NewPage {
                name: Some(names.join("\n")),
                ..NewPage::default()
            }))
        }),
    },
    Rule {
        patterns: &[
            "call|name it <t>",
            "its name should be <t>",
            "call|name it <t> instead",
            "rename it to <t>",
            "and? call it <t>",
        ],
        example: "call it Our people",
        build: Build::Request(|c| Some(Request::NameIt(c.name("t")?))),
    },
    Rule {
        patterns: &["save as new? page :? <t>", "save this-page as <t>"],
        example: "",
        build: Build::Request(|c| {
            Some(Request::Copy {
                what: this_page(),
                name: Some(c.name("t")?),
                place: Place::default(),
            })
        }),
    },
    Rule {
        patterns: &[
            "make|set|use|have <x> as|to the|my|our? homepage",
            "make <x> the|my|our homepage",
            "make <x> the homepage of the site",
            "use <x> as homepage",
            "set <x> as homepage",
            "<x> should|must be the homepage",
            "make <x> homepage",
        ],
        example: "make the pricing page the home page",
        build: Build::Request(|c| {
            Some(Request::Home {
                what: paged(c.thing("x")?),
            })
        }),
    },
    Rule {
        patterns: &[
            "want visitors|people to land on <x> first",
            "visitors|people should land on <x> first",
        ],
        example: "",
        build: Build::Request(|c| {
            Some(Request::Home {
                what: paged(c.thing("x")?),
            })
        }),
    },
    Rule {
        patterns: &[
            "change|set the? address|link of <x> to <a>",
            "the? address|link of <x> should be just? <a>",
            "can|could the? address|link of <x> be <a> instead-of <b>",
            "can|could the? address|link of <x> be <a>",
            "<x> address should be <a>",
            "change|set its address to <a>",
            "its address should be <a>",
            "move <x> to address <a>",
            "change|set <x> address to <a>",
        ],
        example: "change the address of the pricing page to /prices",
        build: Build::Request(|c| {
            let slug = slug(c, "a")?;
            let what = if c.tokens("x").is_empty() {
                Phrase::it()
            } else {
                paged(c.thing("x")?)
            };
            is_page_word(&what).then_some(())?;
            Some(Request::PageSetting {
                what,
                setting: PageSetting::Slug(slug),
            })
        }),
    },
    Rule {
        patterns: &[
            "change|set the? title|name of <x> to <t>",
            "give <x> the name|title <t>",
            "the? title|name of <x> should be <t>",
        ],
        example: "",
        build: Build::Request(|c| {
            let what = c.thing("x")?;
            if what.noun == Some(Noun::Site) {
                return Some(Request::SiteSetting(SiteSetting::Name(c.name("t")?)));
            }
            is_page(&what).then_some(())?;
            Some(Request::Rename {
                what,
                to: c.name("t")?,
            })
        }),
    },
    Rule {
        patterns: &[
            "rename|call|name the? site to? <t>",
            "change the? name of the site to <t>",
            "our company is now called <t> , change the name of the site",
            "the? site is called <t> now",
            "rename the site to <t>",
        ],
        example: "rename the site to Hartley Bikes",
        build: Build::Request(|c| {
            let tokens = c.tokens("t");
            (!tokens.first()?.is_any(&["to"])).then_some(())?;
            Some(Request::SiteSetting(SiteSetting::Name(c.name("t")?)))
        }),
    },
    Rule {
        patterns: &[
            "rename|retitle the? page? <x> to|as|into <t>",
            "<x> should be called <t>",
        ],
        example: "rename the pricing page to Prices",
        build: Build::Request(|c| {
            let what = c.thing("x")?;
            let can_be = matches!(
                what.noun,
                None | Some(
                    Noun::Page
                        | Noun::Home
                        | Noun::Button
                        | Noun::Section
                        | Noun::Heading(_)
                        | Noun::Link
                        | Noun::Label
                )
            );
            (can_be || what.is_pronoun).then_some(Request::Rename {
                what,
                to: c.name("t")?,
            })
        }),
    },
    Rule {
        patterns: &["call|name <x> <t>"],
        example: "",
        build: Build::Request(|c| {
            let what = c.thing("x")?;
            // No word stands between the two, so that it must be clear where the name begins.
            let is_clear = matches!(what.noun, Some(Noun::Page | Noun::Home))
                && c.tokens("x")
                    .last()?
                    .is_any(&["page", "homepage", "this-page"]);
            (is_clear || what.is_pronoun).then_some(Request::Rename {
                what,
                to: c.name("t")?,
            })
        }),
    },
    Rule {
        patterns: &[
            "set|change the? description of|for <x> to :? <t>",
            "description for|of <x> : <t>",
            "set|change <x> description to <t>",
            "the? description of <x> should be <t>",
        ],
        example: "set the description of this page to “…”",
        build: Build::Request(|c| {
            let value = c.long_text("t")?;
            Some(Request::PageSetting {
                what: paged(c.thing("x")?),
                setting: PageSetting::Description(value),
            })
        }),
    },
    Rule {
        patterns: &[
            "hide <x> from google",
            "tell google to stay away from <x>",
            "keep <x> out of google",
            "don't show <x> in google",
        ],
        example: "hide the pricing page from search engines",
        build: Build::Request(|c| {
            let what = c.thing("x")?;
            if what.noun == Some(Noun::Site) {
                return Some(Request::SiteSetting(SiteSetting::DiscourageSearchEngines(
                    true,
                )));
            }
            Some(Request::PageSetting {
                what: paged(what),
                setting: PageSetting::NoIndex(true),
            })
        }),
    },
    Rule {
        patterns: &[
            "make|set <x> a|as? draft",
            "take <x> offline",
            "set <x> to draft",
        ],
        example: "make the sale page a draft",
        build: Build::Request(|c| {
            let what = c.thing("x")?;
            is_page(&what).then_some(())?;
            Some(Request::PageSetting {
                what,
                setting: PageSetting::Draft(true),
            })
        }),
    },
    Rule {
        patterns: &["move|put <x> below <y>"],
        example: "",
        build: Build::Request(|c| {
            let what = c.thing("x")?;
            (what.noun == Some(Noun::Page)).then_some(())?;
            Some(Request::Parent {
                what,
                under: c.thing("y")?,
            })
        }),
    },
    Rule {
        patterns: &[
            "set|change the? site language to <t>",
            "set|change the? language of the site to <t>",
            "site language :|= <t>",
        ],
        example: "set the site language to British English",
        build: Build::Request(|c| {
            let value = language(&c.name("t")?)?;
            Some(Request::SiteSetting(SiteSetting::Language(
                value.to_owned(),
            )))
        }),
    },
    Rule {
        patterns: &["set|change the? favicon to <a>", "use <a> as the? favicon"],
        example: "set the favicon to /uploads/icon.png",
        build: Build::Request(|c| {
            Some(Request::SiteSetting(SiteSetting::Favicon(c.address("a")?)))
        }),
    },
    Rule {
        patterns: &[
            "show me <x>",
            "open|edit|show <x>",
            "go|switch|back|return|jump|take|bring to <x>",
            "take me to <x>",
            "show me? <x>",
            "go back to <x>",
            "edit <x>",
            "want edit <x>",
        ],
        example: "open the pricing page",
        build: Build::Request(|c| {
            let what = c.thing("x")?;
            let is_named = what
                .name
                .as_deref()
                .is_none_or(|name| !name.to_lowercase().starts_with("what "))
                && is_page_word(&what);
            let shows = c
                .tokens("x")
                .iter()
                .any(|token| token.is_any(&["again", "menu"]));
            (is_named
                && !shows
                && !what.is_quoted
                && what.within.is_empty()
                && c.tokens("x").len() <= 5)
                .then_some(())?;
            matches!(
                what.noun,
                None | Some(Noun::Page | Noun::Home | Noun::Layout)
            )
            .then_some(())?;
            Some(Request::Open { what })
        }),
    },
];

/// A phrase that can only mean a page.
fn page(what: Phrase) -> Option<Phrase> {
    (is_page(&what) || what.noun.is_none()).then(|| paged(what))
}

fn is_page(what: &Phrase) -> bool {
    matches!(what.noun, Some(Noun::Page | Noun::Home)) || what.is_pronoun
}

fn is_page_word(what: &Phrase) -> bool {
    matches!(
        what.noun,
        None | Some(Noun::Page | Noun::Home | Noun::Layout)
    ) || what.is_pronoun
}

/// The phrase as a page, when it does not say what it is.
pub(super) fn paged(mut what: Phrase) -> Phrase {
    if what.noun.is_none() && !what.is_pronoun {
        what.noun = Some(Noun::Page);
    }
    what
}

pub(super) fn this_page() -> Phrase {
    Phrase {
        points: true,
        ..Phrase::of_noun(Noun::Page, "this page")
    }
}

pub(super) fn capitalised(name: &str) -> String {
    let mut chars = name.chars();
    match chars.next() {
        Some(first) => first.to_uppercase().chain(chars).collect(),
        None => String::new(),
    }
}

pub(super) fn target(c: &Captures<'_>, name: &str) -> Option<Target> {
    if let Some(address) = c.address(name) {
        return Some(Target::Address(address));
    }
    let what = c.thing(name)?;
    is_page_word(&what).then(|| Target::Page(paged(what)))
}

fn names(c: &Captures<'_>, name: &str) -> Option<Vec<String>> {
    let parts = c
        .tokens(name)
        .split(|token| token.is_any(&[",", "and", "&"]));
    let parts = parts.filter(|part| !part.is_empty());
    parts
        .map(|part| {
            let part = without_padding(part);
            let is_name = part
                .iter()
                .all(|token| !token.is_any(super::super::pattern::ORDERS) && !token.is_end());
            is_name.then(|| capitalised(typed(c.sentence(), part)))
        })
        .collect()
}

fn slug(c: &Captures<'_>, name: &str) -> Option<String> {
    if let Some(address) = c.address(name) {
        return address
            .starts_with('/')
            .then(|| address.trim_matches('/').to_owned());
    }
    match without_padding(c.tokens(name)) {
        [only] if only.kind == TokenKind::Word || only.kind == TokenKind::Quote => {
            Some(only.text.trim_matches('/').to_owned())
        }
        _ => None,
    }
}

fn language(name: &str) -> Option<&'static str> {
    let name = name.to_lowercase();
    let known = [
        ("british english", "en-GB"),
        ("american english", "en-US"),
        ("english", "en"),
        ("german", "de"),
        ("french", "fr"),
        ("spanish", "es"),
        ("italian", "it"),
        ("dutch", "nl"),
        ("polish", "pl"),
        ("portuguese", "pt"),
        ("austrian german", "de-AT"),
        ("swiss german", "de-CH"),
        ("danish", "da"),
        ("swedish", "sv"),
        ("norwegian", "no"),
        ("finnish", "fi"),
        ("czech", "cs"),
        ("japanese", "ja"),
        ("chinese", "zh"),
    ];
    known
        .iter()
        .find(|(word, _)| *word == name)
        .map(|(_, code)| *code)
}

//! The menu: the links in the navigation of the template around all pages.

use super::super::noun::{Noun, Phrase, phrase};
use super::super::place;
use super::super::request::{MenuRequest, NewLink, Place, Request, Target};
use super::pages::{capitalised, paged, target};
use super::{Build, Rule};

pub(crate) const RULES: &[Rule] = &[
    Rule {
        patterns: &[
            "add|put|make|want|new a? menu-item <q> that|which goes|leads|links to <y>",
            "add|put|make|want a? menu-item <q> linking|leading|going|pointing to <y>",
            "add a? menu-item <q> for|to <y>",
        ],
        example: "add a menu item “Prices” that goes to the pricing page",
        build: Build::Request(|c| {
            let label = c.name("q")?;
            Some(Request::Menu(MenuRequest::Add {
                what: Phrase::called(&label),
                link: Some(NewLink {
                    label,
                    target: target(c, "y")?,
                }),
                place: Place::default(),
            }))
        }),
    },
    Rule {
        patterns: &["add|put a? link to our|my|the? <n> <a> in|to|into the? menu"],
        example: "",
        build: Build::Request(|c| {
            let label = capitalised(&c.name("n")?);
            Some(Request::Menu(MenuRequest::Add {
                what: Phrase::called(&label),
                link: Some(NewLink {
                    label,
                    target: Target::Address(c.address("a")?),
                }),
                place: Place::default(),
            }))
        }),
    },
    Rule {
        patterns: &["add|put|link|show|want|list <x>"],
        example: "add pricing to the menu",
        build: Build::Request(|c| {
            let (head, place) = place::split(c.sentence(), c.tokens("x"))?;
            place.is_menu().then_some(())?;
            let what = phrase(c.sentence(), head)?;
            matches!(what.noun, None | Some(Noun::Page | Noun::Home)).then_some(())?;
            if place.at.is_some() && what.noun.is_none() {
                return Some(Request::Menu(MenuRequest::Move { what, place }));
            }
            Some(Request::Menu(MenuRequest::Add {
                what: paged(what),
                link: None,
                place,
            }))
        }),
    },
    Rule {
        patterns: &[
            "<x> is missing in|from the? menu , please? add it?",
            "<x> is missing in|from the? menu",
        ],
        example: "",
        build: Build::Request(|c| {
            Some(Request::Menu(MenuRequest::Add {
                what: paged(c.thing("x")?),
                link: None,
                place: Place::default(),
            }))
        }),
    },
    Rule {
        patterns: &[
            "remove|take <xs> from the? menu",
            "take <xs> out of the? menu",
            "remove <xs> out of the? menu",
            "i don't want <xs> in the? menu",
            "remove the? menu-item <xs>",
        ],
        example: "take About out of the menu",
        build: Build::Request(|c| {
            Some(Request::Menu(MenuRequest::Remove {
                what: c.things("xs")?,
            }))
        }),
    },
    Rule {
        patterns: &[
            "rename <x> in the? menu to <t>",
            "in the? menu it? should say <t> instead-of <x>",
            "in the? menu , it? should say <t> instead-of <x>",
            "change <x> in the? menu to <t>",
            "rename the? menu-item <x> to <t>",
        ],
        example: "rename About in the menu to “Our story”",
        build: Build::Request(|c| {
            Some(Request::Menu(MenuRequest::Label {
                what: c.thing("x")?,
                to: c.name("t")?,
            }))
        }),
    },
    Rule {
        patterns: &[
            "menu order :? <xs>",
            "order of the? menu :? <xs>",
            "reorder the? menu :? <xs>",
            "order the? menu :? <xs>",
        ],
        example: "menu order: Home, Services, About, Contact",
        build: Build::Request(|c| {
            let labels = c.things("xs")?;
            (labels.len() > 1).then_some(Request::Menu(MenuRequest::Order { labels }))
        }),
    },
    Rule {
        patterns: &["move|put <x>"],
        example: "move contact to the front of the menu",
        build: Build::Request(|c| {
            let tokens = c.tokens("x");
            tokens.iter().any(|token| token.is("menu")).then_some(())?;
            let (head, place) = place::split(c.sentence(), tokens)?;
            let ends_in_menu = tokens.last()?.is("menu");
            (ends_in_menu && place.at.is_some()).then_some(())?;
            Some(Request::Menu(MenuRequest::Move {
                what: phrase(c.sentence(), head)?,
                place,
            }))
        }),
    },
];

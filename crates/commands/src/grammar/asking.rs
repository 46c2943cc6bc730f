//! Questions, taking back, publishing.

use super::super::find::kind_named;
use super::super::noun::Noun;
use super::super::pattern::Captures;
use super::super::request::{Limit, Missing, Question, Request};
use super::super::say;
use super::super::words::number;
use super::{Build, Rule};

pub(crate) const HISTORY: &[Rule] = &[
    Rule {
        patterns: &["undo|revert everything|all", "undo|revert all changes"],
        example: "",
        build: Build::Request(|_| Some(Request::Missing(Missing::Count))),
    },
    Rule {
        patterns: &["undo|revert|cancel the? last <n> changes|things|steps|turns"],
        example: "undo the last two changes",
        build: Build::Request(|c| {
            let many = number(&c.name("n")?)?;
            (1.0..=20.0).contains(&many.value).then_some(Request::Undo {
                turns: many.value as usize,
            })
        }),
    },
    Rule {
        patterns: &[
            "undo",
            "undo it|that|this",
            "revert",
            "revert it|that|this",
            "undo the? last thing|change|turn|step|one?",
            "revert the? last thing|change|turn|step",
            "cancel the? last thing|change|turn",
            "take that|it|this back",
            "put it|that back as it was",
            "go back",
            "i don't like it . go back",
            "no that was wrong , undo it|that",
            "put the? old <x> back",
            "nevermind , put it back as it was",
            "restore the? page i just deleted",
            "move back the? page i just deleted",
            "restore it",
        ],
        example: "undo that",
        build: Build::Request(|_| Some(Request::Undo { turns: 1 })),
    },
    Rule {
        patterns: &["remove|change|rename|add|move|hide|copy|replace"],
        example: "",
        build: Build::Request(|_| Some(Request::Missing(Missing::What))),
    },
    Rule {
        patterns: &[
            "add|make|want|new|another a? new? page",
            "new page",
            "add page",
        ],
        example: "",
        build: Build::Request(|_| Some(Request::Missing(Missing::Page))),
    },
    Rule {
        patterns: &["rename the? page|site|this-page"],
        example: "",
        build: Build::Request(|_| Some(Request::Missing(Missing::Name))),
    },
    Rule {
        patterns: &["change|edit the? heading|text|button|paragraph|link|image"],
        example: "",
        build: Build::Request(|_| Some(Request::Missing(Missing::Text))),
    },
    Rule {
        patterns: &["make it|that|this round"],
        example: "",
        build: Build::Request(|_| Some(Request::Missing(Missing::What))),
    },
    Rule {
        patterns: &["yes", "yeah", "sure", "yes please", "yep"],
        example: "",
        build: Build::Request(|_| Some(Request::Missing(Missing::Order))),
    },
    Rule {
        patterns: &[
            "we don't need <x> anymore",
            "i don't like <x>",
            "<x> is over|above|old|finished|done",
            "<x> is? too|to long|short|boring",
            "<x> is ugly|outdated",
        ],
        example: "",
        build: Build::Request(|c| {
            let what = c.thing("x")?;
            (!what.is_pronoun).then_some(Request::Mention { what })
        }),
    },
    Rule {
        patterns: &[
            "redo",
            "redo it|that",
            "do it again , it was fine",
            "do it again",
        ],
        example: "redo",
        build: Build::Request(|_| Some(Request::Redo)),
    },
    Rule {
        patterns: &[
            "publish",
            "publish the? site",
            "publish it|everything|all|this",
            "publish all? my|the|our? changes",
            "go live",
            "push it|everything|this live",
            "put all? my|the|our? changes online|live now?",
            "publish now",
            "publish the? site now",
            "publish it now",
            "looks good , publish it|this",
            "make it live",
            "put it online|live",
        ],
        example: "publish",
        build: Build::Request(|_| Some(Request::Publish)),
    },
    Rule {
        patterns: &[
            "publish only|just? <x>",
            "publish <x> on|at|tomorrow|later|in <t>",
            "publish <x> except <t>",
            "unpublish <x>",
            "take down <x>",
        ],
        example: "",
        build: Build::Request(|c| {
            let said = c.sentence().to_lowercase();
            if said.contains("take down") {
                return Some(Request::Missing(Missing::Removal));
            }
            let what = if said.contains("unpublish") {
                "taking the site offline"
            } else if said.contains("except") || said.contains("page") {
                "publishing only a part of the site"
            } else {
                "publishing at a certain time"
            };
            Some(Request::Cannot(Limit::Unsupported(what.to_owned())))
        }),
    },
];

pub(crate) const RULES: &[Rule] = &[
    ask(
        &[
            "list|show all-pages",
            "list|show all? the? pages",
            "which|what pages do we|you|i have",
            "which|what pages are there",
            "list pages",
            "show me all-pages",
            "show me all? the? pages",
            "before you remove anything , list the? pages",
        ],
        "list all pages",
        |_| Some(Question::Pages),
    ),
    ask(
        &[
            "how many pages does the? site have",
            "how many pages are there|we?",
            "how many pages do we have",
        ],
        "how many pages are there?",
        |_| Some(Question::PageCount),
    ),
    ask(
        &["which|what page is the homepage", "what's the homepage"],
        "",
        |_| Some(Question::HomePage),
    ),
    ask(
        &[
            "show me? the? sections of|on <x>",
            "what's|what is? on|in <x>",
            "list the? sections of|on <x>",
            "read <x>",
            "what does <x> say",
            "summarise|summarize <x>",
            "tell me what is on <x>",
        ],
        "what's on the about page?",
        |c| {
            let what = c.thing("x")?;
            if matches!(what.noun, Some(Noun::Menu)) {
                return Some(Question::Menu);
            }
            if matches!(
                what.noun,
                Some(Noun::Heading(_) | Noun::Text | Noun::Button)
            ) {
                return Some(Question::ListOf(what));
            }
            Some(Question::Contents(what))
        },
    ),
    ask(
        &[
            "what's|what is? the? current? price of|for <x>",
            "how much is|does <x> cost?",
        ],
        "what's the price of the full service?",
        |c| Some(Question::PriceOf(c.thing("x")?)),
    ),
    ask(&["what's|what is? the? alt of|for <x>"], "", |c| {
        Some(Question::AltOf(c.thing("x")?))
    }),
    ask(
        &[
            "which|what images have no|missing? alt",
            "images without alt",
            "list images without alt",
        ],
        "which images have no alt text?",
        |_| Some(Question::NoAlt),
    ),
    ask(&["what's|what is? the? address of|for <x>"], "", |c| {
        Some(Question::AddressOf(c.thing("x")?))
    }),
    ask(
        &["what's|what is? the? radius", "how round are the corners"],
        "",
        |_| Some(Question::Radius),
    ),
    ask(
        &[
            "what|which colours do|are we|you? use|using|there?",
            "list the? colours",
            "what are our colours",
        ],
        "what colours do we use?",
        |_| Some(Question::Colours),
    ),
    ask(
        &[
            "which|what font do|are we|you? use|using|there?",
            "list the? font",
        ],
        "",
        |_| Some(Question::Fonts),
    ),
    ask(&["what's|what is? the? <x>"], "", |c| {
        let what = c.thing("x")?;
        matches!(
            what.noun,
            Some(Noun::Heading(_) | Noun::Phone | Noun::Email | Noun::Address)
        )
        .then_some(Question::ListOf(what))
    }),
    ask(
        &["how many <x> are on|in|there <y>", "how many <x> are there"],
        "how many buttons are on this page?",
        |c| {
            let mut what = c.thing("x")?;
            what.noun?;
            if let Some(within) = c.thing("y") {
                what.within.push(within);
            }
            Some(Question::Count(what))
        },
    ),
    ask(
        &["which|what buttons|links go|lead|link to <x>"],
        "which buttons go to the contact page?",
        |c| Some(Question::LinksTo(c.thing("x")?)),
    ),
    ask(
        &["list|show all? the? <x>", "list|show all <x>"],
        "show all headings",
        |c| {
            let what = c.thing("x")?;
            matches!(
                what.noun,
                Some(Noun::Heading(_) | Noun::Link | Noun::Button | Noun::Image | Noun::Text)
            )
            .then_some(Question::ListOf(what))
        },
    ),
    ask(
        &[
            "is there a page about|for <x>",
            "do we have a page about|for <x>",
        ],
        "",
        |c| Some(Question::PageAbout(c.name("x")?)),
    ),
    ask(
        &[
            "do we already? have a? <x> somewhere",
            "is there a? <x> somewhere",
            "do we have a? <x>",
        ],
        "",
        |c| {
            let what = c.thing("x")?;
            let kind = match what.noun {
                Some(Noun::Kind(kind)) => kind,
                _ => kind_named(what.name.as_deref()?)?,
            };
            Some(Question::HaveKind(kind))
        },
    ),
    ask(
        &[
            "what's in the? menu",
            "what is in the? menu",
            "show the? menu",
        ],
        "what's in the menu?",
        |_| Some(Question::Menu),
    ),
    ask(
        &["where does the? header|footer|menu come from"],
        "",
        |_| Some(Question::Template),
    ),
    ask(
        &[
            "what|which template is|does <x> using|use",
            "what|which template is <x> using",
        ],
        "",
        |_| Some(Question::Template),
    ),
    ask(
        &[
            "what did you just? change|do",
            "what has changed",
            "what was changed",
        ],
        "what did you just change?",
        |_| Some(Question::LastChange),
    ),
    ask(
        &[
            "what have i selected",
            "what's selected",
            "what is selected",
        ],
        "what have I selected?",
        |_| Some(Question::Selected),
    ),
    ask(
        &[
            "where do we say <x>",
            "where is|are <x>",
            "find <x>",
            "search for? <x>",
            "on which pages does the? word? <x> appear",
            "where can i find <x> on the site",
            "where can i find <x>",
            "look for <x>",
            "where does <x> appear",
        ],
        "find “Leeds”",
        |c| {
            let what = c.thing("x")?;
            (!what.is_new).then_some(())?;
            let name = what
                .name
                .or_else(|| Some(c.name("x")?.trim_start_matches("the ").to_owned()))?;
            let name = if matches!(what.noun, Some(Noun::Phone)) {
                "phone".to_owned()
            } else {
                name
            };
            Some(Question::WhereIs(name))
        },
    ),
    ask(
        &[
            "is it live",
            "is the? site live|online|published",
            "when was the? site last published",
            "is it published",
        ],
        "is it live?",
        |_| Some(Question::Fixed(say::LIVE)),
    ),
    ask(
        &[
            "preview",
            "preview it|this|the? site",
            "can i see how it looks before it goes live",
            "show me a preview",
            "preview this-page",
        ],
        "preview",
        |_| Some(Question::Fixed(say::PREVIEW)),
    ),
    ask(
        &["save", "save it|this|everything", "save my changes"],
        "save",
        |_| Some(Question::Fixed(say::SAVED)),
    ),
    ask(
        &[
            "help",
            "what can you do",
            "what can i say|do|ask",
            "what do you understand",
            "commands",
        ],
        "help",
        |_| Some(Question::Help),
    ),
    ask(&["how do i|we <x>", "how can i|we <x>"], "", |_| {
        Some(Question::Help)
    }),
    ask(
        &[
            "are you an? ai|robot|bot|human|person|chatgpt|real",
            "who are you",
            "what are you",
            "are you ai",
            "who made you",
        ],
        "are you an AI?",
        |_| Some(Question::Fixed(say::WHO)),
    ),
    ask(
        &[
            "hi",
            "hello",
            "hey",
            "good morning|afternoon|evening|day",
            "hi there",
            "hello there",
        ],
        "",
        |_| Some(Question::Fixed(say::HELLO)),
    ),
    ask(
        &[
            "thanks",
            "thank you",
            "great",
            "thanks , that's great",
            "ok",
            "okay",
            "cool",
            "nice",
            "perfect",
            "good",
            "very good",
            "well done",
            "thank you very much",
        ],
        "",
        |_| Some(Question::Fixed(say::WELCOME)),
    ),
];

/// What a question is built with.
type Told = fn(&Captures<'_>) -> Option<Question>;

const fn ask(patterns: &'static [&'static str], example: &'static str, told: Told) -> Rule {
    Rule {
        patterns,
        example,
        build: Build::Question(told),
    }
}

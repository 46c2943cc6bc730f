//! From a sentence to requests. A clause is understood as a whole or not at all, and a message only when all of its clauses are.
//!
//! The rules stand in tables by area; the list of what can be done is made from them.

mod adding;
mod asking;
mod clause;
mod guard;
mod looks;
mod menu;
mod moving;
mod new_page;
mod pages;
mod texts;
mod tokens;

pub(crate) use clause::parse;

use super::pattern::Captures;
use super::request::{Question, Request};

/// What came of reading a message.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Parsed {
    pub(crate) requests: Vec<Request>,
    /// The clause that was not understood, when one was not.
    pub(crate) unknown: Option<String>,
}

/// A way of asking: patterns that mean the same.
pub(crate) struct Rule {
    pub(crate) patterns: &'static [&'static str],
    /// For the list of what can be done; empty when another rule stands there for it.
    pub(crate) example: &'static str,
    pub(crate) build: Build,
}

/// What is made of the captures; nothing when they are not what the rule needs.
pub(crate) enum Build {
    Request(fn(&Captures<'_>) -> Option<Request>),
    Question(fn(&Captures<'_>) -> Option<Question>),
}

impl Build {
    fn run(&self, captures: &Captures<'_>) -> Option<Request> {
        match self {
            Self::Request(build) => build(captures),
            Self::Question(build) => build(captures).map(Request::Question),
        }
    }
}

/// A part of what can be done.
pub(crate) struct Area {
    pub(crate) title: &'static str,
    pub(crate) rules: &'static [Rule],
}

/// All rules, in the order they are tried.
pub(crate) const AREAS: &[Area] = &[
    Area {
        title: "Undo and publish",
        rules: asking::HISTORY,
    },
    Area {
        title: "Pages",
        rules: pages::RULES,
    },
    Area {
        title: "Menu",
        rules: menu::RULES,
    },
    Area {
        title: "Colours, fonts and sizes",
        rules: tokens::RULES,
    },
    Area {
        title: "Looks",
        rules: looks::RULES,
    },
    Area {
        title: "Pictures",
        rules: texts::IMAGES,
    },
    Area {
        title: "Sections",
        rules: adding::RULES,
    },
    Area {
        title: "Order",
        rules: moving::RULES,
    },
    Area {
        title: "Words",
        rules: texts::RULES,
    },
    Area {
        title: "Finding",
        rules: asking::RULES,
    },
];

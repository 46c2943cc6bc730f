//! From a sentence to requests. A clause is understood as a whole or not at all, and a message only when all of its clauses are.
//!
//! The ways of asking are in `grammar.toml`, by area; the list of supported requests is generated from it.

mod adding;
mod asking;
mod clause;
mod content;
mod guard;
mod looks;
mod moving;
mod new_page;
mod pages;
mod texts;
mod tokens;

use std::sync::LazyLock;

use serde::Deserialize;

pub(crate) use clause::parse;
pub(crate) use content::{
    ContentMessage, ContentRequest, Day, RULES as CONTENT_RULES, parse as parse_content,
};

use super::pattern::{Captures, Pattern};
use super::request::{Fact, Limit, Look, MissingPart, Question, Request};

/// The result of reading a message.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Interpretation {
    pub(crate) requests: Vec<Request>,
    /// The clause that was not understood, if there is one.
    pub(crate) unknown: Option<String>,
}

#[derive(Deserialize)]
struct Grammar {
    area: Vec<Area>,
}

/// A group of rules, with the heading it has in the list of supported requests.
#[derive(Deserialize)]
pub(crate) struct Area {
    pub(crate) title: String,
    pub(crate) rule: Vec<Rule>,
}

/// A way of asking: patterns that mean the same.
#[derive(Deserialize)]
pub(crate) struct Rule {
    pub(crate) patterns: Vec<Pattern>,
    /// For the list of supported requests; `None` when another rule's example covers this one.
    pub(crate) example: Option<String>,
    #[serde(flatten)]
    meaning: Meaning,
}

/// How the captures become a request.
#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Meaning {
    Missing(MissingPart),
    Question(Question),
    Fact(Fact),
    Cannot(String),
    Look(Look),
    /// A property of `<x>`, with this value or the length `<n>`.
    Property {
        name: String,
        value: Option<String>,
    },
    Intent(Intent),
}

/// Builds a request from captures; returns `None` when they are not of the form it needs.
type Build = fn(&Captures<'_>) -> Option<Request>;
type BuildMany = fn(&Captures<'_>) -> Option<Vec<Request>>;

#[derive(Deserialize)]
#[serde(try_from = "String")]
enum Intent {
    One(Build),
    Many(BuildMany),
}

impl TryFrom<String> for Intent {
    type Error = String;

    fn try_from(name: String) -> Result<Self, String> {
        let mut known = [
            adding::INTENTS,
            asking::INTENTS,
            looks::INTENTS,
            moving::INTENTS,
            pages::INTENTS,
            texts::INTENTS,
            tokens::INTENTS,
        ]
        .into_iter()
        .flatten();
        let one = known.find(|(known, _)| *known == name);
        let one = one.map(|(_, build)| Self::One(*build));
        let mut known = adding::MANY.iter().chain(texts::MANY);
        let many = known.find(|(known, _)| *known == name);
        let many = many.map(|(_, build)| Self::Many(*build));
        one.or(many)
            .ok_or_else(|| format!("there is no intent {name}"))
    }
}

impl Rule {
    fn build(&self, captures: &Captures<'_>) -> Option<Vec<Request>> {
        let request = match &self.meaning {
            Meaning::Missing(missing) => Request::Missing(*missing),
            Meaning::Question(question) => Request::Question(question.clone()),
            Meaning::Fact(fact) => Request::Question(Question::Fact(*fact)),
            Meaning::Cannot(what) => Request::Cannot(Limit::Unsupported(what.clone())),
            Meaning::Look(look) => looks::style(captures, vec![look.clone()])?,
            Meaning::Property { name, value } => {
                let value = match value {
                    Some(value) => value.clone(),
                    None => captures.number("n")?.to_css(),
                };
                looks::style(captures, vec![Look::Property(name.clone(), value)])?
            }
            Meaning::Intent(Intent::One(build)) => build(captures)?,
            Meaning::Intent(Intent::Many(build)) => return build(captures),
        };
        Some(vec![request])
    }
}

/// All rules, in the order in which they are tried. A test checks that the file can be parsed.
pub(crate) static AREAS: LazyLock<Vec<Area>> = LazyLock::new(|| {
    let grammar: Result<Grammar, _> = toml::from_str(include_str!("grammar.toml"));
    grammar.map(|grammar| grammar.area).unwrap_or_default()
});

#[cfg(test)]
mod tests {
    use super::{Grammar, Interpretation, parse};
    use crate::request::{NewPage, Request};

    #[test]
    fn a_page_whose_sections_are_listed_needs_no_verb() {
        let said = "a landing page for a bakery with hero, features, pricing and contact";
        let page = NewPage {
            name: Some("Bakery".to_owned()),
            is_described: true,
            sections: vec!["hero", "features", "pricing", "contact"],
            ..NewPage::default()
        };
        let understood = Interpretation {
            requests: vec![Request::AddPage(page)],
            unknown: None,
        };
        assert_eq!(parse(said), understood);
        assert_eq!(parse("a page for a bakery").requests, Vec::new());
    }

    #[test]
    fn the_grammar_can_be_read_and_names_only_known_intents() {
        let grammar = toml::from_str::<Grammar>(include_str!("grammar.toml"));
        let read = grammar.map(|_| ()).map_err(|error| error.to_string());
        assert_eq!(read, Ok(()));
    }
}

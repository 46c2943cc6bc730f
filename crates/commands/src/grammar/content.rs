//! What can be asked for in the content workspace. A message is one request there: what the next one is about would have to be looked
//! up first.

use std::sync::LazyLock;

use serde::Deserialize;

use super::super::foreign;
use super::super::pattern::{Captures, Clause, Pattern};
use super::super::request::Request;
use super::super::words::{Token, TokenKind, tokens};
use super::clause::{normalise, trim_signs};
use super::guard;

/// Something that a person asks for about content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ContentRequest {
    NewPost {
        title: String,
    },
    NewEntry {
        title: String,
        collection: String,
    },
    Publish {
        post: String,
        day: Option<Day>,
    },
    Archive {
        post: String,
    },
    Delete {
        post: String,
    },
    /// Without a menu, the header's.
    AddToMenu {
        what: String,
        menu: Option<String>,
    },
    ListPosts,
    Help,
}

/// A day as people name it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Day {
    Tomorrow,
    /// The next one, by its English name in lowercase.
    Weekday(&'static str),
    /// In ISO 8601.
    Date(String),
}

/// The result of reading a message.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum ContentMessage {
    Request(ContentRequest),
    /// It is not an instruction, or cannot be one; the request says why.
    Other(Box<Request>),
    Unknown,
}

#[derive(Deserialize)]
struct Grammar {
    rule: Vec<Rule>,
}

#[derive(Deserialize)]
pub(crate) struct Rule {
    intent: Intent,
    /// For the list of supported requests.
    pub(crate) example: Option<String>,
    patterns: Vec<Pattern>,
}

#[derive(Deserialize, Clone, Copy)]
#[serde(rename_all = "kebab-case")]
enum Intent {
    NewPost,
    NewEntry,
    PublishAt,
    Publish,
    Archive,
    Delete,
    AddToMenu,
    ListPosts,
    Help,
}

/// All rules, in the order in which they are tried. A test checks that the file can be parsed.
pub(crate) static RULES: LazyLock<Vec<Rule>> = LazyLock::new(|| {
    let grammar: Result<Grammar, _> = toml::from_str(include_str!("../content.toml"));
    grammar.map(|grammar| grammar.rule).unwrap_or_default()
});

/// Reads a message.
pub(crate) fn parse(sentence: &str) -> ContentMessage {
    let all = tokens(sentence);
    if let Some(words) = foreign::not_english(sentence) {
        let limit = super::super::request::Limit::Language(words);
        return ContentMessage::Other(Box::new(Request::Cannot(limit)));
    }
    if let Some(request) = guard::reason_to_ignore(sentence, &all) {
        return ContentMessage::Other(Box::new(request));
    }
    let tokens = normalise(trim_signs(&all));
    let clause = Clause {
        sentence,
        tokens: &tokens,
    };
    let found = RULES.iter().find_map(|rule| {
        let mut patterns = rule.patterns.iter();
        patterns.find_map(|pattern| pattern.matched(clause, |found| rule.intent.build(found)))
    });
    found.map_or(ContentMessage::Unknown, ContentMessage::Request)
}

impl Intent {
    /// The request of a match; `None` when its captures are not of the form it needs.
    fn build(self, c: &Captures<'_>) -> Option<ContentRequest> {
        Some(match self {
            Self::NewPost => ContentRequest::NewPost {
                title: title(&c.name("x")?),
            },
            Self::NewEntry => ContentRequest::NewEntry {
                title: title(&c.name("x")?),
                collection: c.name("c")?,
            },
            Self::PublishAt => ContentRequest::Publish {
                post: c.name("x")?,
                day: Some(day(c.tokens("t"))?),
            },
            Self::Publish => ContentRequest::Publish {
                post: c.name("x")?,
                day: None,
            },
            Self::Archive => ContentRequest::Archive { post: c.name("x")? },
            Self::Delete => ContentRequest::Delete { post: c.name("x")? },
            Self::AddToMenu => ContentRequest::AddToMenu {
                what: c.name("x")?,
                menu: match c.tokens("m") {
                    [] => None,
                    _ => Some(c.name("m")?),
                },
            },
            Self::ListPosts => ContentRequest::ListPosts,
            Self::Help => ContentRequest::Help,
        })
    }
}

/// A title begins with a capital letter, and is otherwise as it was typed.
fn title(typed: &str) -> String {
    let mut chars = typed.chars();
    let first = chars.next().map(char::to_uppercase);
    first.into_iter().flatten().chain(chars).collect()
}

const WEEKDAYS: [&str; 7] = [
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
];

fn day(tokens: &[Token]) -> Option<Day> {
    let [only] = tokens else { return None };
    if only.kind == TokenKind::Quote {
        return None;
    }
    let typed = only.text.to_lowercase();
    if typed == "tomorrow" {
        return Some(Day::Tomorrow);
    }
    let weekday = WEEKDAYS.into_iter().find(|weekday| typed == *weekday);
    if let Some(weekday) = weekday {
        return Some(Day::Weekday(weekday));
    }
    let is_date = typed.len() == 10 && typed.chars().all(|c| c.is_ascii_digit() || c == '-');
    is_date.then_some(Day::Date(typed))
}

#[cfg(test)]
mod tests {
    use super::{ContentMessage, ContentRequest, Day, Grammar, RULES, parse};

    #[test]
    fn the_grammar_of_content_can_be_read() {
        let grammar = toml::from_str::<Grammar>(include_str!("../content.toml"));
        let read = grammar.map(|_| ()).map_err(|error| error.to_string());
        assert_eq!(read, Ok(()));
    }

    fn check(sentence: &str, expected: ContentRequest) {
        assert_eq!(
            parse(sentence),
            ContentMessage::Request(expected),
            "{sentence}"
        );
    }

    #[test]
    fn plain_forms_are_understood() {
        let new = |title: &str| ContentRequest::NewPost {
            title: title.to_owned(),
        };
        check("write a post about winter tyres", new("Winter tyres"));
        check(
            "Please create a new blog post called “Fixing flats”.",
            new("Fixing flats"),
        );
        let publish = |post: &str, day| ContentRequest::Publish {
            post: post.to_owned(),
            day,
        };
        check(
            "publish the post Winter tyres on Friday",
            publish("Winter tyres", Some(Day::Weekday("friday"))),
        );
        check(
            "publish the post Winter tyres tomorrow",
            publish("Winter tyres", Some(Day::Tomorrow)),
        );
        check(
            "schedule the article \"On Friday\" for 2026-12-24",
            publish("On Friday", Some(Day::Date("2026-12-24".to_owned()))),
        );
        check(
            "publish the post Winter tyres",
            publish("Winter tyres", None),
        );
        check(
            "add Winter tyres to the footer menu",
            ContentRequest::AddToMenu {
                what: "Winter tyres".to_owned(),
                menu: Some("footer".to_owned()),
            },
        );
        check(
            "put the page About in the menu",
            ContentRequest::AddToMenu {
                what: "About".to_owned(),
                menu: None,
            },
        );
        check(
            "add an entry called Trail map to the blog",
            ContentRequest::NewEntry {
                title: "Trail map".to_owned(),
                collection: "blog".to_owned(),
            },
        );
        check(
            "delete the post Winter tyres",
            ContentRequest::Delete {
                post: "Winter tyres".to_owned(),
            },
        );
        check("which posts are there?", ContentRequest::ListPosts);
    }

    #[test]
    fn every_example_is_understood_and_other_sentences_are_not() {
        for example in RULES.iter().filter_map(|rule| rule.example.as_deref()) {
            assert!(
                matches!(parse(example), ContentMessage::Request(_)),
                "{example}"
            );
        }
        for other in [
            "don't publish the post Winter tyres",
            "she said publish the post Winter tyres",
            "should we publish the post Winter tyres?",
            "make the posts nicer",
            "publish",
        ] {
            assert!(
                !matches!(parse(other), ContentMessage::Request(_)),
                "{other}"
            );
        }
    }
}

//! Questions, undo and redo, publishing.

use super::super::find::kind_named;
use super::super::noun::Noun;
use super::super::request::{Question, Request};
use super::super::words::number;
use super::Build;

pub(super) const INTENTS: &[(&str, Build)] = &[
    ("undo", |_| Some(Request::Undo { turns: 1 })),
    ("undo-many", |c| {
        let many = number(&c.name("n")?)?.value;
        let turns = many as usize;
        (1.0..=20.0)
            .contains(&many)
            .then_some(Request::Undo { turns })
    }),
    ("redo", |_| Some(Request::Redo)),
    ("publish", |_| Some(Request::Publish)),
    ("mention", |c| {
        let what = c.thing("x")?;
        Some(Request::Mention { what })
    }),
    ("contents", |c| {
        let what = c.thing("x")?;
        Some(Request::Question(match what.noun {
            Some(Noun::Menu) => Question::Menu,
            Some(Noun::Heading(_) | Noun::Text | Noun::Button) => Question::ListOf(what),
            _ => Question::Contents(what),
        }))
    }),
    ("price-of", |c| {
        Some(Request::Question(Question::PriceOf(c.thing("x")?)))
    }),
    ("alt-of", |c| {
        Some(Request::Question(Question::AltOf(c.thing("x")?)))
    }),
    ("address-of", |c| {
        Some(Request::Question(Question::AddressOf(c.thing("x")?)))
    }),
    ("what-is", |c| {
        let what = c.thing("x")?;
        let is_told = matches!(
            what.noun,
            Some(Noun::Heading(_) | Noun::Phone | Noun::Email | Noun::Address)
        );
        is_told.then_some(Request::Question(Question::ListOf(what)))
    }),
    ("how-many", |c| {
        let mut what = c.thing("x")?;
        what.noun?;
        what.within.extend(c.thing("y"));
        Some(Request::Question(Question::Count(what)))
    }),
    ("links-to", |c| {
        Some(Request::Question(Question::LinksTo(c.thing("x")?)))
    }),
    ("list", |c| {
        let what = c.thing("x")?;
        let is_told = matches!(
            what.noun,
            Some(Noun::Heading(_) | Noun::Link | Noun::Button | Noun::Image | Noun::Text)
        );
        is_told.then_some(Request::Question(Question::ListOf(what)))
    }),
    ("page-about", |c| {
        Some(Request::Question(Question::PageAbout(c.name("x")?)))
    }),
    ("have-kind", |c| {
        let what = c.thing("x")?;
        let kind = match what.noun {
            Some(Noun::Kind(kind)) => kind,
            _ => kind_named(what.name.as_deref()?)?,
        };
        Some(Request::Question(Question::HaveKind(kind.to_owned())))
    }),
    ("where-is", |c| {
        let what = c.thing("x")?;
        (!what.is_new).then_some(())?;
        let name = match (what.noun, what.name) {
            (Some(Noun::Phone), _) => "phone".to_owned(),
            (_, Some(name)) => name,
            (_, None) => c.name("x")?.trim_start_matches("the ").to_owned(),
        };
        Some(Request::Question(Question::WhereIs(name)))
    }),
];

//! Rules for pages, their settings, the site's settings and the menu.

use super::super::call::{PageSetting, SiteSetting};
use super::super::noun::{Noun, Phrase, phrase};
use super::super::pattern::{Captures, without_padding};
use super::super::place;
use super::super::request::{MenuRequest, NewLink, NewPage, Place, Request, Target};
use super::super::vocabulary::VOCABULARY;
use super::super::words::{self, Token, TokenKind, typed};
use super::Build;
use super::new_page::{NOT_NAMES, new_page};

pub(super) const INTENTS: &[(&str, Build)] = &[
    ("copy-page-as", |c| copy_page(page(c.thing("x")?)?, c)),
    ("copy-this-page", |c| copy_page(this_page(), c)),
    ("bare-page", bare_page),
    ("page-of-sections", page_of_sections),
    ("new-page", |c| {
        let page = new_page(c.sentence(), c.tokens("x"))?;
        Some(Request::AddPage(page))
    }),
    ("new-pages", |c| {
        let names = names(c, "xs")?;
        (names.len() > 1).then(|| {
            Request::AddPage(NewPage {
                name: Some(names.join("\n")),
                ..NewPage::default()
            })
        })
    }),
    ("name-it", |c| Some(Request::NameIt(c.name("t")?))),
    ("home-page", |c| {
        let what = paged(c.thing("x")?);
        Some(Request::Home { what })
    }),
    ("page-address", |c| {
        let setting = PageSetting::Slug(slug(c, "a")?);
        let what = match c.tokens("x") {
            [] => Phrase::it(),
            _ => paged(c.thing("x")?),
        };
        is_page_word(&what).then_some(Request::PageSetting { what, setting })
    }),
    ("title", |c| {
        let (what, to) = (c.thing("x")?, c.name("t")?);
        if what.noun == Some(Noun::Site) {
            return Some(Request::SiteSetting(SiteSetting::Name(to)));
        }
        is_page(&what).then_some(Request::Rename { what, to })
    }),
    ("site-name", |c| {
        (!c.tokens("t").first()?.is("to")).then_some(())?;
        Some(Request::SiteSetting(SiteSetting::Name(c.name("t")?)))
    }),
    ("rename", |c| {
        let (what, to) = (c.thing("x")?, c.name("t")?);
        let can_be = match what.noun {
            None | Some(Noun::Page | Noun::Home | Noun::Button | Noun::Section) => true,
            Some(Noun::Heading(_) | Noun::Link | Noun::Label) => true,
            Some(_) => what.is_pronoun,
        };
        can_be.then_some(Request::Rename { what, to })
    }),
    ("call-page", |c| {
        let (what, to) = (c.thing("x")?, c.name("t")?);
        // No word separates the two, so it must be clear where the name begins.
        let ends = c.tokens("x").last()?;
        let is_clear = matches!(what.noun, Some(Noun::Page | Noun::Home))
            && ends.is_any(&["page", "homepage", "this-page"]);
        (is_clear || what.is_pronoun).then_some(Request::Rename { what, to })
    }),
    ("description", |c| {
        let setting = PageSetting::Description(c.long_text("t")?);
        let what = paged(c.thing("x")?);
        Some(Request::PageSetting { what, setting })
    }),
    ("hide-from-search", |c| {
        let what = paged(c.thing("x")?);
        if what.noun == Some(Noun::Site) {
            let setting = SiteSetting::DiscourageSearchEngines(true);
            return Some(Request::SiteSetting(setting));
        }
        let setting = PageSetting::NoIndex(true);
        Some(Request::PageSetting { what, setting })
    }),
    ("draft", |c| {
        let (what, setting) = (c.thing("x")?, PageSetting::Draft(true));
        is_page(&what).then_some(Request::PageSetting { what, setting })
    }),
    ("page-parent", |c| {
        let (what, under) = (c.thing("x")?, c.thing("y")?);
        (what.noun == Some(Noun::Page)).then_some(Request::Parent { what, under })
    }),
    ("site-language", |c| {
        let name = c.name("t")?.to_lowercase();
        let code = VOCABULARY.language_codes.get(&name)?.clone();
        Some(Request::SiteSetting(SiteSetting::Language(code)))
    }),
    ("favicon", |c| {
        Some(Request::SiteSetting(SiteSetting::Favicon(c.address("a")?)))
    }),
    ("open", |c| {
        let (what, tokens) = (c.thing("x")?, c.tokens("x"));
        let name = what.name.as_deref().unwrap_or_default().to_lowercase();
        let is_other = tokens.iter().any(|token| token.is_any(&["again", "menu"]));
        let is_plain = !what.is_quoted && what.within.is_empty() && tokens.len() <= 5;
        let is_page = matches!(
            what.noun,
            None | Some(Noun::Page | Noun::Home | Noun::Layout)
        );
        (is_page && is_plain && !is_other && !name.starts_with("what "))
            .then_some(Request::Open { what })
    }),
    ("menu-link", |c| {
        let (label, target) = (c.name("q")?, target(c, "y")?);
        menu_add(Phrase::called(&label), Some(NewLink { label, target }))
    }),
    ("menu-address", |c| {
        let (label, target) = (capitalised(&c.name("n")?), Target::Address(c.address("a")?));
        menu_add(Phrase::called(&label), Some(NewLink { label, target }))
    }),
    ("menu-page", |c| {
        let (head, place) = place::split(c.sentence(), c.tokens("x"))?;
        let what = phrase(c.sentence(), head)?;
        let can_be = matches!(what.noun, None | Some(Noun::Page | Noun::Home));
        (place.is_menu() && can_be).then_some(())?;
        Some(Request::Menu(match (what.noun, &place.at) {
            (None, Some(_)) => MenuRequest::Move { what, place },
            _ => MenuRequest::Add {
                what: paged(what),
                link: None,
                place,
            },
        }))
    }),
    ("menu-missing", |c| menu_add(paged(c.thing("x")?), None)),
    ("menu-remove", |c| {
        let what = c.things("xs")?;
        Some(Request::Menu(MenuRequest::Remove { what }))
    }),
    ("menu-label", |c| {
        let (what, to) = (c.thing("x")?, c.name("t")?);
        Some(Request::Menu(MenuRequest::Label { what, to }))
    }),
    ("menu-order", |c| {
        let labels = c.things("xs")?;
        (labels.len() > 1).then_some(Request::Menu(MenuRequest::Order { labels }))
    }),
    ("menu-move", |c| {
        let tokens = c.tokens("x");
        let (head, place) = place::split(c.sentence(), tokens)?;
        (tokens.last()?.is("menu") && place.at.is_some()).then_some(())?;
        let what = phrase(c.sentence(), head)?;
        Some(Request::Menu(MenuRequest::Move { what, place }))
    }),
];

fn copy_page(what: Phrase, c: &Captures<'_>) -> Option<Request> {
    Some(Request::Copy {
        what,
        name: Some(c.name("t")?),
        place: Place::default(),
    })
}

fn menu_add(what: Phrase, link: Option<NewLink>) -> Option<Request> {
    let place = Place::default();
    Some(Request::Menu(MenuRequest::Add { what, link, place }))
}

/// "A landing page for a bakery with a hero and prices": without a verb, only a page whose sections are listed.
fn page_of_sections(c: &Captures<'_>) -> Option<Request> {
    let (_, tokens) = from_page(c)?;
    let page = new_page(c.sentence(), &tokens)?;
    (!page.sections.is_empty()).then_some(Request::AddPage(page))
}

/// The tokens from the word "page" to the end of the clause, and the position of that word in the sentence.
fn from_page(c: &Captures<'_>) -> Option<(usize, Vec<Token>)> {
    let all = words::tokens(c.sentence());
    let at = all.iter().position(|token| token.is("page"))?;
    let end = c.tokens("x").last()?.span.1;
    let within = all[at..].iter().filter(|token| token.span.1 <= end);
    Some((at, within.cloned().collect()))
}

/// "page “Hello”": without a verb, only a phrase that begins with the word "page".
fn bare_page(c: &Captures<'_>) -> Option<Request> {
    let (at, tokens) = from_page(c)?;
    let is_name = |token: &Token| match token.kind {
        TokenKind::Quote => true,
        TokenKind::Word => !token.is_order() && !token.is_any(NOT_NAMES),
        _ => false,
    };
    let is_said = |token: &&Token| {
        !token.is_any(&["asap", "!", "with", "the", "address"]) && token.kind != TokenKind::Address
    };
    let is_clear = match tokens.as_slice() {
        [_, quote] => quote.kind == TokenKind::Quote,
        [_, sign, name @ ..] => {
            let announces = sign.is_any(&["for", "called", ":"]) && name.len() <= 3;
            (sign.kind == TokenKind::Quote || announces) && name.iter().filter(is_said).all(is_name)
        }
        _ => false,
    };
    (at <= 3 && is_clear).then_some(())?;
    Some(Request::AddPage(new_page(c.sentence(), &tokens)?))
}

/// Whether a phrase can only mean a page.
fn page(what: Phrase) -> Option<Phrase> {
    (is_page(&what) || what.noun.is_none()).then(|| paged(what))
}

fn is_page(what: &Phrase) -> bool {
    matches!(what.noun, Some(Noun::Page | Noun::Home)) || what.is_pronoun
}

fn is_page_word(what: &Phrase) -> bool {
    let can_be = matches!(
        what.noun,
        None | Some(Noun::Page | Noun::Home | Noun::Layout)
    );
    can_be || what.is_pronoun
}

/// The phrase as a page, unless it names another kind.
fn paged(mut what: Phrase) -> Phrase {
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
    let first = chars.next().into_iter().flat_map(char::to_uppercase);
    first.chain(chars).collect()
}

pub(super) fn target(c: &Captures<'_>, name: &str) -> Option<Target> {
    if let Some(address) = c.address(name) {
        return Some(Target::Address(address));
    }
    let what = c.thing(name)?;
    is_page_word(&what).then(|| Target::Page(paged(what)))
}

fn names(c: &Captures<'_>, name: &str) -> Option<Vec<String>> {
    let is_join = |token: &Token| token.is_any(&[",", "and", "&"]);
    let parts = c.tokens(name).split(is_join);
    let parts = parts.filter(|part| !part.is_empty());
    let name = |part| {
        let part = without_padding(part);
        let mut tokens = part.iter();
        let is_name = tokens.all(|token| !token.is_order() && !token.is_end());
        is_name.then(|| capitalised(typed(c.sentence(), part)))
    };
    parts.map(name).collect()
}

fn slug(c: &Captures<'_>, name: &str) -> Option<String> {
    if let Some(address) = c.address(name) {
        let path = address.starts_with('/');
        return path.then(|| address.trim_matches('/').to_owned());
    }
    match without_padding(c.tokens(name)) {
        [only] if matches!(only.kind, TokenKind::Word | TokenKind::Quote) => {
            Some(only.text.trim_matches('/').to_owned())
        }
        _ => None,
    }
}

//! A page to be created, and the many ways in which its name can be given.

use super::super::noun::{Noun, noun, phrase};
use super::super::pattern::without_padding;
use super::super::request::{LANDING_NAME, NewPage};
use super::super::words::{Token, TokenKind, typed};
use super::pages::capitalised;

/// Words that are not the name of a page unless a verb says that it is to be created.
pub(super) const NOT_NAMES: &[&str] = &[
    "the", "a", "an", "and", "or", "of", "in", "on", "to", "it", "i", "we", "you", "is", "be",
    "should", "not", "this", "that", "with", "please", "for", "about", "up", "by",
];

const ARTICLES: &[&str] = &[
    "a", "an", "another", "new", "one", "more", "me", "empty", "the", "us", "please",
];

/// Reads a page to be created, in the many ways in which its name can be given.
pub(super) fn new_page(sentence: &str, tokens: &[Token]) -> Option<NewPage> {
    let mut tokens = without_padding(tokens);
    let mut is_new = false;
    while let [first, rest @ ..] = tokens
        && first.is_any(ARTICLES)
    {
        is_new |= !first.is("the");
        tokens = rest;
    }
    let at = tokens
        .iter()
        .position(|token| token.is("page") && token.kind == TokenKind::Word)?;
    let (before, after) = (&tokens[..at], &tokens[at + 1..]);
    let is_plain = |token: &Token| {
        token.kind == TokenKind::Word
            && !token.is_order()
            && !token.is_any(&[
                "in", "on", "of", "to", "from", "below", "above", "after", "before", "this",
                "that", "and", "all", "every", "both",
            ])
    };
    if !before.iter().all(is_plain) || before.len() > 4 {
        return None;
    }
    let mut page = NewPage::default();
    if !before.is_empty() {
        page.name = Some(capitalised(typed(sentence, before)));
    }
    if before.is_empty() && after.is_empty() {
        return None;
    }
    attributes(sentence, after, &mut page).then_some(())?;
    let is_verbless = tokens.first()?.span.0 == 0 && !is_new;
    // "pricing page" alone does not ask for anything.
    if is_verbless && (after.is_empty() || !before.is_empty()) {
        return None;
    }
    // "A landing page with a hero" is called Landing until another name is given.
    let kind = tokens[at].text.to_lowercase();
    if page.name.is_none() && kind.starts_with("landing") && !page.sections.is_empty() {
        page.name = Some(LANDING_NAME.to_owned());
        page.is_described = true;
    }
    (page.name.is_some() || !page.sections.is_empty()).then_some(page)
}

/// Reads what follows "page": a name, an address, a parent, sections. Returns whether all of it is understood.
fn attributes(sentence: &str, tokens: &[Token], page: &mut NewPage) -> bool {
    let Some((first, rest)) = tokens.split_first() else {
        return true;
    };
    let go_on = |page: &mut NewPage, rest: &[Token]| attributes(sentence, rest, page);
    if first.is_any(&[",", "please", "and", "?", "!", ".", "asap"]) && !rest.is_empty()
        || first.is_any(&["please", ".", "?", "!", "asap"])
    {
        return go_on(page, rest);
    }
    if let Some(rest) = name_follows(tokens) {
        return named(sentence, rest, page);
    }
    if first.is("at") || first.is("with") && rest.iter().any(|token| token.is("address")) {
        let Some(at) = rest
            .iter()
            .position(|token| token.kind == TokenKind::Address)
        else {
            return false;
        };
        page.slug = Some(rest[at].text.trim_matches('/').to_owned());
        return rest[..at]
            .iter()
            .all(|token| token.is_any(&["the", "address"]))
            && go_on(page, &rest[at + 1..]);
    }
    if first.is("below") {
        page.under = phrase(sentence, rest);
        return page.under.is_some();
    }
    if first.is("with") {
        return sections(rest, page);
    }
    if first.is_any(&["for", "about"]) && page.name.is_none() {
        return described(sentence, rest, page);
    }
    if first.is_any(&["where", "that", "so"]) && !rest.iter().any(|token| token.is("like")) {
        let comma = rest.iter().position(|token| token.is(","));
        return comma.is_some_and(|comma| go_on(page, &rest[comma..]));
    }
    if first.kind == TokenKind::Address && first.text.starts_with('/') && page.name.is_none() {
        let slug = first.text.trim_matches('/');
        page.slug = Some(slug.to_owned());
        page.name = Some(capitalised(&slug.replace('-', " ")));
        return go_on(page, rest);
    }
    if page.name.is_none()
        && (first.kind == TokenKind::Quote || first.text.starts_with(char::is_uppercase))
    {
        return named(sentence, tokens, page);
    }
    false
}

/// The tokens after the words that announce a name.
fn name_follows(tokens: &[Token]) -> Option<&[Token]> {
    const STARTS: &[&[&str]] = &[
        &["with", "the", "name"],
        &["with", "the", "title"],
        &["call", "it"],
        &["name", "it"],
        &["its", "name", "should", "be"],
        &["called"],
        &["name"],
        &[":"],
        &["title"],
    ];
    let fits = |start: &&&[&str]| {
        tokens.len() >= start.len() && start.iter().zip(tokens).all(|(word, token)| token.is(word))
    };
    let longest = STARTS.iter().filter(fits).max_by_key(|start| start.len())?;
    Some(&tokens[longest.len()..])
}

/// "for our new course": words that describe the page and name it until another name is given.
fn described(sentence: &str, tokens: &[Token], page: &mut NewPage) -> bool {
    let is_over = |token: &Token| token.is_end() || token.is("with");
    let end = tokens.iter().position(is_over);
    let (mut words, rest) = tokens.split_at(end.unwrap_or(tokens.len()));
    while let [first, more @ ..] = words
        && first.is_any(&["our", "the", "a", "my", "new"])
    {
        words = more;
    }
    let joins = words.iter().any(|token| token.is_any(&["and", ","]));
    if words.is_empty() || words.len() > 4 || joins {
        return false;
    }
    page.name = Some(capitalised(typed(sentence, words)));
    page.is_described = true;
    attributes(sentence, rest, page)
}

/// Reads a name up to an address, sections, or the end.
fn named(sentence: &str, tokens: &[Token], page: &mut NewPage) -> bool {
    if let [first, rest @ ..] = tokens
        && first.kind == TokenKind::Quote
    {
        page.name = Some(first.text.clone());
        page.is_described = false;
        return attributes(sentence, rest, page);
    }
    let stops = |at: usize| {
        let token = &tokens[at];
        let next = tokens.get(at + 1);
        let is_place = token.is("at") && next.is_some_and(|next| next.kind == TokenKind::Address);
        let is_with = token.is("with")
            && (next.is_some_and(|next| next.is_any(&["a", "an", "the"]))
                || sections(&tokens[at + 1..], &mut NewPage::default()));
        let is_order =
            token.is_any(&["and", ",", "then"]) && next.is_some_and(|next| next.is_order());
        is_place || is_with || is_order || token.is_end()
    };
    let end = (0..tokens.len())
        .find(|at| stops(*at))
        .unwrap_or(tokens.len());
    if holds_another_page(&tokens[..end]) {
        return false;
    }
    let name = typed(sentence, without_padding(&tokens[..end]));
    let name = name.trim_end_matches([',', ';', ':']).trim();
    if name.is_empty()
        || tokens[..end]
            .iter()
            .any(|token| token.kind == TokenKind::Quote)
    {
        return false;
    }
    page.name = Some(name.to_owned());
    page.is_described = false;
    attributes(sentence, &tokens[end..], page)
}

/// "Team, and a page called Jobs" names two pages, each in a clause of its own.
fn holds_another_page(tokens: &[Token]) -> bool {
    let is_join = |token: &Token| token.is_any(&[",", "and", "plus"]);
    tokens.iter().enumerate().any(|(at, token)| {
        let behind = tokens[at + 1..].iter();
        let mut rest = behind.skip_while(|token| is_join(token) || token.is_any(ARTICLES));
        is_join(token) && rest.next().is_some_and(|token| token.is("page"))
    })
}

/// "with a hero, a pricing table and a contact form"
fn sections(tokens: &[Token], page: &mut NewPage) -> bool {
    let parts = tokens.split(|token| token.is_any(&[",", "and"]));
    for part in parts.filter(|part| !part.is_empty()) {
        let words: Vec<&Token> = part
            .iter()
            .filter(|token| {
                !token.is_any(&["a", "an", "the", "section", "sections", "some"]) && !token.is_end()
            })
            .collect();
        let kind = match words.as_slice() {
            [only] => match (noun(&only.word), only.word.as_str()) {
                (Some(Noun::Kind(kind)), _) => kind,
                (_, "pricing") => "pricing",
                (_, "text") => "text",
                (_, "contact") => "contact",
                _ => return false,
            },
            _ => return false,
        };
        page.sections.push(kind);
    }
    !page.sections.is_empty()
}

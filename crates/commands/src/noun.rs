//! How a sentence refers to a thing: "the second button in the hero", "this", "both sale pages", "page Pricing".

use super::words::{Token, TokenKind, number, ordinal, typed};

/// The kind of thing that a word means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Noun {
    Page,
    Home,
    Section,
    Kind(&'static str),
    /// A heading, of this level if one is given.
    Heading(Option<u8>),
    Text,
    Button,
    Link,
    Image,
    Logo,
    /// A card, plan, question, quote or field.
    Item(&'static str),
    Answer,
    Label,
    Menu,
    MenuItem,
    Site,
    Price,
    Person,
    Phone,
    Email,
    Address,
    Copyright,
    Layout,
    Everything,
}

/// The words for each kind of thing.
pub(crate) fn noun(word: &str) -> Option<Noun> {
    Some(match word {
        "page" | "pages" => Noun::Page,
        "homepage" => Noun::Home,
        "section" | "sections" => Noun::Section,
        "hero" => Noun::Kind("hero"),
        "features" => Noun::Kind("features"),
        "pricing-section" => Noun::Kind("pricing"),
        "testimonials" => Noun::Kind("testimonials"),
        "faq" | "questions" => Noun::Kind("faq"),
        "gallery" | "galleries" => Noun::Kind("gallery"),
        "contact-form" | "form" => Noun::Kind("contact"),
        "cta" => Noun::Kind("cta"),
        "text-section" => Noun::Kind("text"),
        "header" => Noun::Kind("header"),
        "footer" => Noun::Kind("footer"),
        "heading" | "headings" | "title" => Noun::Heading(None),
        "h1" => Noun::Heading(Some(1)),
        "h2" => Noun::Heading(Some(2)),
        "h3" => Noun::Heading(Some(3)),
        "h4" => Noun::Heading(Some(4)),
        "paragraph" | "paragraphs" | "text" | "texts" => Noun::Text,
        "button" | "buttons" => Noun::Button,
        "link" | "links" => Noun::Link,
        "image" | "images" => Noun::Image,
        "logo" => Noun::Logo,
        "card" | "cards" | "feature" => Noun::Item("features"),
        "plan" | "plans" => Noun::Item("pricing"),
        "question" => Noun::Item("faq"),
        "quote" | "testimonial" | "review" => Noun::Item("testimonials"),
        "field" => Noun::Item("contact"),
        "answer" => Noun::Answer,
        "label" => Noun::Label,
        "menu" => Noun::Menu,
        "menu-item" => Noun::MenuItem,
        "site" | "whole-site" => Noun::Site,
        "price" | "prices" => Noun::Price,
        "name" => Noun::Person,
        "phone" => Noun::Phone,
        "email" => Noun::Email,
        "address" => Noun::Address,
        "copyright" => Noun::Copyright,
        "layout" | "template" => Noun::Layout,
        "everything" | "everywhere" => Noun::Everything,
        _ => return None,
    })
}

/// "The landing page" is the page of this name, or the home page when there is none.
pub(crate) const LANDING: &str = "landing";

/// How many things are meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Many {
    #[default]
    One,
    Two,
    All,
}

/// A reference to a thing, as the sentence puts it.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Phrase {
    /// As it was typed, for answers.
    pub(crate) said: String,
    /// "it", "this", "that" or "them".
    pub(crate) is_pronoun: bool,
    /// Preceded by "this" or "that".
    pub(crate) points: bool,
    /// Preceded by "a" or "another".
    pub(crate) is_new: bool,
    pub(crate) is_other: bool,
    pub(crate) many: Many,
    pub(crate) ordinal: Option<i64>,
    pub(crate) noun: Option<Noun>,
    /// Its name, as it was typed.
    pub(crate) name: Option<String>,
    pub(crate) is_quoted: bool,
    /// The things it is in or belongs to.
    pub(crate) within: Vec<Phrase>,
}

impl Phrase {
    /// A reference to the selected element, or to what was mentioned before.
    pub(crate) fn it() -> Self {
        Self {
            said: "it".to_owned(),
            is_pronoun: true,
            points: true,
            ..Self::default()
        }
    }

    pub(crate) fn of_noun(noun: Noun, said: &str) -> Self {
        Self {
            said: said.to_owned(),
            noun: Some(noun),
            ..Self::default()
        }
    }

    pub(crate) fn called(name: &str) -> Self {
        Self {
            said: name.to_owned(),
            name: Some(name.to_owned()),
            ..Self::default()
        }
    }

    /// Whether the phrase gives only the kind of thing.
    pub(crate) fn is_bare(&self) -> bool {
        !self.is_pronoun && self.name.is_none() && self.ordinal.is_none() && self.within.is_empty()
    }
}

const ARTICLES: &[&str] = &[
    "the", "a", "an", "my", "our", "your", "some", "any", "of", "every", "each", "all", "both",
    "this", "that", "these", "those", "another", "new", "one", "big", "main", "extra", "more",
    "existing", "current", "whole", "only", "just", "other", "single", "empty", "old", "its",
];

const PRONOUNS: &[&str] = &[
    "it", "this", "that", "them", "these", "those", "one", "ones", "there", "here", "itself",
];

const INSIDE: &[&str] = &[
    "in", "on", "of", "from", "with", "about", "within", "inside", "for", "at",
];

/// Reads a reference to a thing. Every word that is not an article, a kind or a place is taken for its name.
pub(crate) fn phrase(sentence: &str, tokens: &[Token]) -> Option<Phrase> {
    let tokens = trim(tokens);
    if tokens.is_empty()
        || tokens.iter().any(|token| token.kind == TokenKind::Mark)
        || is_no_name(tokens)
    {
        return None;
    }
    let said = typed(sentence, tokens).to_owned();
    let cut = (1..tokens.len()).find(|at| {
        let token = &tokens[*at];
        let is_inside = token.kind == TokenKind::Word && INSIDE.contains(&token.word.as_str());
        // "the about page" is a page, "the question about prices" is a question.
        let next = tokens.get(at + 1);
        let is_name = token.is("about")
            && (next.is_none_or(|next| next.is_any(&["page", "us"])) || tokens[at - 1].is("the"));
        is_inside && !is_name
    });
    let (head, tail) = match cut {
        Some(cut) if cut + 1 < tokens.len() => (&tokens[..cut], Some(&tokens[cut..])),
        _ => (tokens, None),
    };
    let mut found = head_of(sentence, head)?;
    found.said = said;
    if let Some(tail) = tail {
        let inner = phrase(sentence, &tail[1..])?;
        found.take_in(&tail[0].word, inner);
    }
    Some(found)
}

/// Whether the words begin with a verb or contain another request, so that they do not name a thing.
fn is_no_name(tokens: &[Token]) -> bool {
    let is_order = |token: &Token| {
        token.is_order()
            && (token.span.0 == 0 || token.text.chars().all(|c| !c.is_uppercase()))
            && token.kind == TokenKind::Word
    };
    let starts = tokens.len() > 1 && is_order(&tokens[0]) && !tokens[0].is_any(&["name", "link"]);
    let is_page = tokens.last().is_some_and(|token| token.is("page"));
    let is_open = tokens.len() > 1
        && tokens.last().is_some_and(|token| {
            token.is_any(&[
                "the", "a", "an", "of", "and", "in", "on", "to", "for", "with", "from", "i", "we",
                "is", "be",
            ]) && token.kind == TokenKind::Word
        });
    let joins = tokens.windows(2).any(|pair| {
        pair[0].is_any(&["but", "then"])
            || pair[0].is("and")
                && (!is_page || pair[1].is_any(&["the", "a", "an"]) || is_order(&pair[1]))
    });
    // "the text below it" says where something is; it is not a name.
    let is_place = |token: &Token| {
        token.kind == TokenKind::Word
            && token.is_any(&["below", "above"])
            && !token.text.starts_with(char::is_uppercase)
    };
    starts || joins || is_open || tokens.iter().skip(1).any(is_place)
}

impl Phrase {
    /// Adds the part after "in", "of", "with" or "about".
    fn take_in(&mut self, word: &str, mut inner: Phrase) {
        let names_it = matches!(word, "about" | "with" | "for") && self.name.is_none();
        if names_it && inner.noun.is_none() && inner.name.is_some() && !inner.is_pronoun {
            self.name = inner.name.take();
            self.is_quoted = inner.is_quoted;
            self.within.append(&mut inner.within);
        } else if names_it && self.noun == Some(Noun::Section) && inner.noun.is_some() {
            // "the block with the reviews" is the reviews.
            let within = std::mem::take(&mut self.within);
            let said = std::mem::take(&mut self.said);
            *self = inner;
            self.within.extend(within);
            self.said = said;
        } else {
            let outer = std::mem::take(&mut inner.within);
            self.within.push(inner);
            self.within.extend(outer);
        }
    }
}

fn trim(tokens: &[Token]) -> &[Token] {
    let padding = [
        "!", "?", "please", "now", "too", "also", "just", "again", "instead", "anymore", "only",
    ];
    let mut tokens = tokens;
    while let [first, rest @ ..] = tokens
        && first.is_any(&padding)
        && !rest.is_empty()
    {
        tokens = rest;
    }
    while let [rest @ .., last] = tokens
        && (last.is_any(&padding) || last.is_any(&["there", "here"]))
        && !rest.is_empty()
    {
        tokens = rest;
    }
    tokens
}

fn head_of(sentence: &str, tokens: &[Token]) -> Option<Phrase> {
    let mut found = Phrase::default();
    let mut rest = tokens;
    while let [first, more @ ..] = rest {
        let is_article = first.kind == TokenKind::Word && first.is_any(ARTICLES);
        // A name may begin with a word that is also an article: "Our services".
        let is_name = first.text.starts_with(char::is_uppercase)
            && first.span.0 > 0
            && found.ordinal.is_none()
            && !first.is("the");
        if is_article && !is_name {
            found.article(&first.word);
        } else if let Some(nth) = ordinal(&first.word)
            && first.kind != TokenKind::Quote
            && !more.is_empty()
        {
            found.ordinal = Some(nth);
        } else {
            break;
        }
        rest = more;
    }
    match rest {
        [] => {
            let is_it = |token: &Token| token.is_any(&["this", "that", "these", "those", "one"]);
            found.is_pronoun = tokens.iter().any(is_it) || found.ordinal.is_some();
            (found.is_pronoun || found.is_other || found.many == Many::Two).then_some(found)
        }
        [only] if only.is_any(PRONOUNS) => {
            found.is_pronoun = true;
            found.points = true;
            if only.is_any(&["them", "these", "those", "ones"]) {
                found.many = Many::All;
            }
            Some(found)
        }
        rest => {
            kind_and_name(sentence, rest, &mut found);
            Some(found)
        }
    }
}

impl Phrase {
    fn article(&mut self, word: &str) {
        match word {
            "this" | "that" | "these" | "those" => self.points = true,
            "all" | "every" | "each" => self.many = Many::All,
            "both" => self.many = Many::Two,
            "a" | "an" | "another" | "new" | "one" | "more" | "extra" => self.is_new = true,
            "other" => self.is_other = true,
            _ => {}
        }
    }
}

fn kind(token: &Token) -> Option<Noun> {
    noun(&token.word).filter(|_| token.kind == TokenKind::Word)
}

impl Phrase {
    fn name(&mut self, sentence: &str, tokens: &[Token]) {
        if let [only] = tokens {
            self.is_quoted = only.kind == TokenKind::Quote;
        }
        if !tokens.is_empty() {
            self.name = Some(typed(sentence, tokens).to_owned());
        }
    }
}

/// Reads the kind of thing and its name, in either order.
fn kind_and_name(sentence: &str, tokens: &[Token], found: &mut Phrase) {
    let [first, behind @ ..] = tokens else { return };
    if first.is("this-page") {
        found.noun = Some(Noun::Page);
        found.points = true;
        return found.name(sentence, behind);
    }
    // "section 2", "card 3"
    if let ([nth], Some(noun)) = (behind, kind(first))
        && nth.kind == TokenKind::Number
        && let Some(nth) = number(&nth.text)
    {
        found.noun = Some(noun);
        found.ordinal = Some(nth.value as i64);
        return;
    }
    let is_called = |token: &Token| token.is_any(&["called", "saying", "says"]);
    if let Some(called) = behind.iter().position(is_called)
        && let name @ [_, ..] = &behind[called + 1..]
    {
        kind_and_name(sentence, &tokens[..=called], found);
        return found.name(sentence, name);
    }
    if let [before @ .., last] = tokens
        && let Some(noun) = kind(last)
        && !(last.text.starts_with(char::is_uppercase)
            && kind(first).is_some()
            && !behind.is_empty())
    {
        found.noun = Some(noun);
        let is_landing = last.text.to_lowercase().starts_with(LANDING);
        if noun == Noun::Page && is_landing && before.is_empty() {
            found.name = Some(LANDING.to_owned());
            return;
        }
        return qualify(sentence, before, noun, found);
    }
    if let Some(noun) = kind(first).filter(|_| !behind.is_empty()) {
        found.noun = Some(noun);
        return found.name(sentence, behind);
    }
    found.name(sentence, tokens);
}

/// Reads what precedes the kind of thing: its place, its ordinal, or its name.
fn qualify(sentence: &str, mut before: &[Token], noun: Noun, found: &mut Phrase) {
    if let [rest @ .., last] = before
        && let Some(nth) = ordinal(&last.word).filter(|_| last.kind == TokenKind::Word)
    {
        found.ordinal = Some(nth);
        before = rest;
    }
    let [only] = before else {
        return found.name(sentence, before);
    };
    let kind_of_section = match only.word.as_str() {
        _ if only.kind != TokenKind::Word => None,
        "pricing" => Some("pricing"),
        "contact" => Some("contact"),
        "testimonial" => Some("testimonials"),
        "question" => Some("faq"),
        "feature" => Some("features"),
        "text" => Some("text"),
        _ => None,
    };
    match (noun, kind(only)) {
        (Noun::Section, Some(kind @ Noun::Kind(_))) => found.noun = Some(kind),
        (Noun::Section, _) if kind_of_section.is_some() => {
            found.noun = kind_of_section.map(Noun::Kind);
        }
        (noun, Some(outer @ (Noun::Kind(_) | Noun::Menu))) if noun != Noun::Page => {
            found.within.push(Phrase::of_noun(outer, &only.text));
        }
        _ => found.name(sentence, before),
    }
}

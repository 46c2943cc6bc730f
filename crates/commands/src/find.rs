//! Finds what a sentence calls by a name: pages, sections, items, headings, texts, buttons, links, pictures, words of the menu.
//!
//! It never guesses: what fits several things is told as several.

mod kinds;

use super::noun::{Many, Noun, Phrase};
use super::site_view::{Document, KINDS, SiteView, Spot};
use super::words;

/// What a thing is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum What {
    Page,
    Section,
    Item,
    Heading,
    Text,
    Button,
    Link,
    Image,
    MenuItem,
    Element,
}

/// A thing that was found. A page is the root of its document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Hit {
    pub(crate) what: What,
    pub(crate) spot: Spot,
}

/// What was spoken of and is in front, for "it" and "this".
#[derive(Debug, Clone, Default)]
pub(crate) struct Spoken {
    /// Things that the last turn made or changed, or this one did before.
    pub(crate) hits: Vec<Hit>,
    /// A colour that was set.
    pub(crate) colour: Option<String>,
}

pub(crate) struct Finder<'a> {
    pub(crate) view: &'a SiteView,
    /// The document in front.
    pub(crate) here: usize,
    pub(crate) selected: Option<Spot>,
    pub(crate) spoken: &'a Spoken,
}

/// A text in one form for comparing: small letters, without tags and signs.
pub(crate) fn normal(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut in_tag = false;
    for (at, c) in text.char_indices() {
        match c {
            '<' if text[at..].contains('>') => in_tag = true,
            '>' if in_tag => in_tag = false,
            _ if in_tag => {}
            '’' | '‘' => plain.push('\''),
            c if c.is_alphanumeric() || "£$€%@'+#".contains(c) => plain.extend(c.to_lowercase()),
            _ => plain.push(' '),
        }
    }
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// How well a name fits a text: 3 equal, 2 a run of its words, 1 all words of it somewhere, 0 not.
pub(crate) fn fit(name: &str, text: &str) -> u8 {
    let (name, text) = (normal(name), normal(text));
    if name.is_empty() || text.is_empty() {
        return 0;
    }
    if name == text {
        return 3;
    }
    let words: Vec<&str> = text.split(' ').collect();
    let wanted: Vec<&str> = name.split(' ').collect();
    if words.windows(wanted.len()).any(|window| window == wanted) {
        return 2;
    }
    let stem = |word: &str| word.strip_suffix('s').unwrap_or(word).to_owned();
    let stems: Vec<String> = words.iter().map(|word| stem(word)).collect();
    let is_small = |word: &&&str| !matches!(**word, "the" | "a" | "our" | "of" | "and" | "in");
    let mut big = wanted.iter().filter(is_small).peekable();
    if big.peek().is_some() && big.all(|word| stems.contains(&stem(word))) {
        return 1;
    }
    0
}

impl Finder<'_> {
    pub(crate) fn doc(&self, at: usize) -> &Document {
        &self.view.documents[at]
    }

    pub(crate) fn what(&self, spot: Spot) -> What {
        let doc = self.doc(spot.document);
        let node = &doc.nodes[spot.node];
        if doc.root() == Some(spot.node) {
            return What::Page;
        }
        if node.parent == doc.root() {
            return What::Section;
        }
        let is_button =
            node.tag == "button" || node.classes().any(|class| class.starts_with("button"));
        let in_menu = || {
            self.view
                .menu()
                .is_some_and(|(_, links)| links.contains(&spot))
        };
        match node.tag.as_str() {
            "a" if in_menu() => What::MenuItem,
            "a" | "button" if is_button => What::Button,
            "a" => What::Link,
            "img" => What::Image,
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => What::Heading,
            "article" | "details" | "blockquote" | "figure" => What::Item,
            "label" if self.has_field(spot) => What::Item,
            "p" | "cite" | "summary" | "li" | "label" | "figcaption" | "span" | "strong" => {
                What::Text
            }
            _ if node.classes().any(|class| class == "card") => What::Item,
            _ => What::Element,
        }
    }

    fn has_field(&self, spot: Spot) -> bool {
        let doc = self.doc(spot.document);
        let mut within = doc.walk(spot.node).into_iter();
        within.any(|at| matches!(doc.nodes[at].tag.as_str(), "input" | "textarea" | "select"))
    }

    /// What a thing is called in answers.
    pub(crate) fn name(&self, hit: Hit) -> String {
        let doc = self.doc(hit.spot.document);
        let at = hit.spot.node;
        match hit.what {
            What::Page => doc.title.clone(),
            What::Section => match self.section_heading(hit.spot) {
                Some(heading) => format!("{} “{}”", kind_word(&doc.kind_of(at)), doc.text(heading)),
                None => kind_word(&doc.kind_of(at)).to_owned(),
            },
            What::Image => doc.nodes[at].attr("src").unwrap_or("picture").to_owned(),
            _ => {
                let text = self.label(hit.spot);
                let short: String = text.chars().take(60).collect();
                format!("“{short}”")
            }
        }
    }

    /// Where a thing stands, in words.
    pub(crate) fn place(&self, spot: Spot) -> String {
        let doc = self.doc(spot.document);
        let section = doc.section_of(spot.node);
        let kind = section.map(|section| doc.kind_of(section));
        match kind.as_deref() {
            Some("footer") => "in the footer".to_owned(),
            Some("header") => "in the header".to_owned(),
            Some("html") | None => format!("on {}", doc.title),
            Some(kind) if section != Some(spot.node) => {
                format!("in the {} on {}", kind_word(kind), doc.title)
            }
            Some(_) => format!("on {}", doc.title),
        }
    }

    /// The first text of a thing, or what a picture shows.
    pub(crate) fn label(&self, spot: Spot) -> String {
        let doc = self.doc(spot.document);
        let first = doc
            .walk(spot.node)
            .into_iter()
            .find(|at| doc.nodes[*at].tag.is_empty() && !doc.nodes[*at].text.trim().is_empty());
        match first {
            Some(at) if self.what(spot) == What::Item => doc.nodes[at].text.trim().to_owned(),
            _ => doc.text(spot.node),
        }
    }

    pub(crate) fn section_heading(&self, spot: Spot) -> Option<usize> {
        let doc = self.doc(spot.document);
        let mut within = doc.walk(spot.node).into_iter();
        within.find(|at| is_heading(&doc.nodes[*at].tag))
    }

    fn spots(&self, document: usize) -> Vec<Spot> {
        let nodes = self.doc(document).elements().into_iter();
        nodes.map(|node| Spot { document, node }).collect()
    }

    /// Pages and templates by what they are called.
    pub(crate) fn pages(&self, name: &str) -> Vec<Hit> {
        let lower = normal(name);
        let hit = |document| Hit {
            what: What::Page,
            spot: Spot { document, node: 0 },
        };
        if let Some(path) = name.strip_prefix('/') {
            let path = format!("/{}", path.trim_end_matches('/'));
            let found = self
                .view
                .pages()
                .filter(|(_, doc)| doc.path.as_deref() == Some(&path));
            return found.map(|(at, _)| hit(at)).collect();
        }
        let level = |doc: &Document| {
            let slug = doc
                .path
                .as_deref()
                .unwrap_or_default()
                .trim_matches('/')
                .replace('-', " ");
            let by_slug = if slug == lower { 3 } else { 0 };
            fit(name, &doc.title).max(by_slug)
        };
        let levels: Vec<u8> = self.view.documents.iter().map(level).collect();
        let best = levels.iter().copied().max().unwrap_or(0);
        if best == 0 {
            let home = self.view.pages().find(|(_, doc)| doc.is_home());
            return match home {
                Some((at, _))
                    if matches!(lower.as_str(), "home" | "homepage" | "start" | "front") =>
                {
                    vec![hit(at)]
                }
                _ => Vec::new(),
            };
        }
        let least = if best == 3 { 3 } else { 1 };
        let fitting = levels
            .iter()
            .enumerate()
            .filter(|(_, level)| **level >= least);
        fitting.map(|(at, _)| hit(at)).collect()
    }

    /// Everything that fits a phrase, in the order of the site.
    pub(crate) fn find(&self, said: &Phrase) -> Vec<Hit> {
        if said.is_pronoun {
            return self.pronoun(said);
        }
        let Some(scope) = self.scope(said) else {
            return Vec::new();
        };
        let is_pointed = said.points
            && said.name.is_none()
            && said.within.is_empty()
            && !matches!(said.noun, None | Some(Noun::Page | Noun::Home));
        if is_pointed {
            let spoken = self.pronoun(said);
            if !spoken.is_empty() {
                return spoken;
            }
        }
        let mut hits = match said.noun {
            Some(noun) => self.by_noun(noun, said, &scope),
            None => self.by_name(said, &scope),
        };
        if said.is_other {
            hits.retain(|hit| Some(hit.spot) != self.selected && !self.spoken.hits.contains(hit));
        }
        if let Some(nth) = said.ordinal {
            hits = nth_of(&hits, nth).into_iter().collect();
        }
        // What is selected is meant when it is one of several of its kind.
        let is_selected = |hit: &Hit| Some(hit.spot) == self.selected;
        if hits.len() > 1
            && said.is_bare()
            && said.many == Many::One
            && hits.iter().any(is_selected)
        {
            hits.retain(is_selected);
        }
        hits
    }

    fn pronoun(&self, said: &Phrase) -> Vec<Hit> {
        let fits = |hit: &Hit| match said.noun {
            Some(Noun::Page) => hit.what == What::Page,
            Some(Noun::Section) => hit.what == What::Section,
            Some(Noun::Button) => hit.what == What::Button,
            Some(Noun::Image) => hit.what == What::Image,
            Some(Noun::Heading(_)) => hit.what == What::Heading,
            _ => true,
        };
        if let Some(spot) = self.selected {
            let hit = Hit {
                what: self.what(spot),
                spot,
            };
            return Some(hit).into_iter().filter(fits).collect();
        }
        self.spoken.hits.iter().copied().filter(fits).collect()
    }

    fn by_noun(&self, noun: Noun, said: &Phrase, scope: &Scope) -> Vec<Hit> {
        let all = || {
            scope.spots.iter().map(|spot| Hit {
                what: self.what(*spot),
                spot: *spot,
            })
        };
        let of = |what: What| all().filter(|hit| hit.what == what).collect::<Vec<_>>();
        if is_alone(noun) && said.name.is_some() {
            return Vec::new();
        }
        match noun {
            Noun::Page | Noun::Home | Noun::Layout => self.page_like(noun, said),
            Noun::Section => self.named(of(What::Section), said),
            Noun::Kind(kind) => {
                let sections = if matches!(kind, "header" | "footer") {
                    self.layout_sections()
                } else {
                    of(What::Section)
                };
                let of_kind = sections
                    .into_iter()
                    .filter(|hit| self.doc(hit.spot.document).kind_of(hit.spot.node) == kind);
                self.named(of_kind.collect(), said)
            }
            Noun::Heading(level) => self.headings(of(What::Heading), level, said, scope),
            Noun::Text => self.texts(said, scope),
            Noun::Button => self.named(of(What::Button), said),
            Noun::Link => {
                let links = all()
                    .filter(|hit| matches!(hit.what, What::Link | What::Button | What::MenuItem));
                self.named(links.collect(), said)
            }
            Noun::Image => self.images(of(What::Image), said),
            Noun::Logo => self.logo(),
            Noun::Item(kind) => {
                let items = of(What::Item);
                self.items(items, kind, said)
            }
            Noun::MenuItem | Noun::Menu => match said.name {
                Some(_) => self.named(self.menu_items(), said),
                None => self.menu_items(),
            },
            Noun::Label => {
                let labels = all().filter(|hit| self.view.node(hit.spot).tag == "label");
                self.named(labels.collect(), said)
            }
            Noun::Answer => self.answers(said, scope),
            Noun::Person
            | Noun::Price
            | Noun::Phone
            | Noun::Email
            | Noun::Address
            | Noun::Copyright => all().filter(|hit| self.says(*hit, noun)).collect(),
            Noun::Site | Noun::Everything => Vec::new(),
        }
    }

    /// The hits that are called so, by the best fit; all when no name was said.
    fn named(&self, hits: Vec<Hit>, said: &Phrase) -> Vec<Hit> {
        let Some(name) = &said.name else { return hits };
        let levels: Vec<u8> = hits.iter().map(|hit| self.level(*hit, name)).collect();
        let best = levels.iter().copied().max().unwrap_or(0);
        let least = if best == 0 { 4 } else { best };
        let zipped = hits.into_iter().zip(levels);
        zipped
            .filter(|(_, level)| *level >= least)
            .map(|(hit, _)| hit)
            .collect()
    }

    fn level(&self, hit: Hit, name: &str) -> u8 {
        let doc = self.doc(hit.spot.document);
        match hit.what {
            What::Page => fit(name, &doc.title),
            What::Section => {
                let heading = self
                    .section_heading(hit.spot)
                    .map(|at| doc.text(at))
                    .unwrap_or_default();
                let by_kind = if kind_named(name) == Some(doc.kind_of(hit.spot.node).as_str()) {
                    3
                } else {
                    0
                };
                let hours = if normal(name) == "hours" && normal(&heading).contains("hours") {
                    2
                } else {
                    0
                };
                fit(name, &heading).max(by_kind).max(hours)
            }
            What::Image => 0,
            _ => fit(name, &self.label(hit.spot)),
        }
    }

    fn by_name(&self, said: &Phrase, scope: &Scope) -> Vec<Hit> {
        let Some(name) = &said.name else {
            return Vec::new();
        };
        let mut hits: Vec<Hit> = Vec::new();
        if !scope.is_narrow && !said.is_quoted {
            hits.extend(self.pages(name));
            hits.extend(self.named(self.menu_items(), said));
        }
        let all: Vec<Hit> = scope
            .spots
            .iter()
            .map(|spot| Hit {
                what: self.what(*spot),
                spot: *spot,
            })
            .collect();
        let (sections, others): (Vec<Hit>, Vec<Hit>) =
            all.into_iter().partition(|hit| hit.what == What::Section);
        hits.extend(self.named(sections, said));
        let items = others
            .iter()
            .copied()
            .filter(|hit| hit.what == What::Item)
            .collect();
        hits.extend(self.named(items, said));
        let leaves = others.into_iter().filter(|hit| {
            matches!(
                hit.what,
                What::Heading | What::Text | What::Button | What::Link | What::MenuItem
            ) && fit(name, &self.own(*hit)) > 0
        });
        let leaves = self.named(leaves.collect(), said);
        for hit in leaves {
            if !hits.contains(&hit) {
                hits.push(hit);
            }
        }
        hits
    }

    /// Where to look: the page in front, or what was said.
    fn scope(&self, said: &Phrase) -> Option<Scope> {
        let mut documents = vec![self.here];
        let mut inside: Option<Vec<Spot>> = None;
        for outer in said.within.iter().rev() {
            if let Some(found) = self.documents_of(outer) {
                documents = found;
                continue;
            }
            let hits = match outer.noun {
                Some(Noun::Menu) => {
                    let list = self.view.menu().map(|(list, _)| list)?;
                    vec![Hit {
                        what: What::Element,
                        spot: list,
                    }]
                }
                _ => {
                    let narrowed = Finder {
                        here: *documents.first()?,
                        ..*self
                    };
                    let hits = narrowed.find(outer);
                    narrowed.preferred(
                        hits,
                        &[
                            What::Section,
                            What::Item,
                            What::Heading,
                            What::Text,
                            What::Button,
                        ],
                    )
                }
            };
            if hits.is_empty() {
                return None;
            }
            documents = hits.iter().map(|hit| hit.spot.document).collect();
            documents.dedup();
            inside = Some(hits.iter().map(|hit| hit.spot).collect());
        }
        let is_narrow = inside.is_some();
        let mut spots: Vec<Spot> = documents
            .into_iter()
            .flat_map(|at| self.spots(at))
            .collect();
        if let Some(inside) = inside {
            spots.retain(|spot| {
                let holds = |outer: &Spot| {
                    outer.document == spot.document
                        && self.doc(spot.document).is_within(spot.node, outer.node)
                };
                inside.iter().any(holds) && !inside.contains(spot)
            });
        }
        Some(Scope { spots, is_narrow })
    }

    /// The documents that a place means; nothing when it is a place on a page.
    pub(crate) fn documents_of(&self, place: &Phrase) -> Option<Vec<usize>> {
        let found = match (place.noun, &place.name) {
            (Some(Noun::Site | Noun::Everything), _) => (0..self.view.documents.len()).collect(),
            (Some(Noun::Page | Noun::Home | Noun::Layout), _) => {
                let pages = self.page_like(place.noun?, place);
                pages.iter().map(|hit| hit.spot.document).collect()
            }
            (None, Some(name)) if !place.is_quoted => {
                let pages = self.pages(name);
                let exact = pages.len() == 1 && self.is_page_name(name);
                if exact {
                    vec![pages[0].spot.document]
                } else {
                    return None;
                }
            }
            (None, None) if place.is_pronoun => {
                let pages = self
                    .pronoun(place)
                    .into_iter()
                    .filter(|hit| hit.what == What::Page);
                let found: Vec<usize> = pages.map(|hit| hit.spot.document).collect();
                if found.is_empty() { return None } else { found }
            }
            _ => return None,
        };
        let found: Vec<usize> = found;
        (!found.is_empty()).then_some(found)
    }

    /// Whether a page has exactly this name, or is the home page.
    pub(crate) fn is_page_name(&self, name: &str) -> bool {
        let pages = self.pages(name);
        pages.iter().any(|hit| {
            let doc = self.doc(hit.spot.document);
            let slug = doc
                .path
                .as_deref()
                .unwrap_or_default()
                .trim_matches('/')
                .replace('-', " ");
            fit(name, &doc.title) == 3
                || slug == normal(name)
                || name.starts_with('/')
                || doc.is_home() && normal(name) == "home"
        })
    }

    /// Whether a thing is called exactly so, or is a page, which is found by a part of its title.
    pub(crate) fn is_exact(&self, hit: Hit, said: &Phrase) -> bool {
        let Some(name) = &said.name else { return true };
        let is_hours = hit.what == What::Section && normal(name) == "hours";
        hit.what == What::Page
            || is_hours
            || self.level(hit, name) == 3
            || self.level(hit, &said.said) == 3
    }

    /// The hits of the first kind that has some.
    pub(crate) fn preferred(&self, hits: Vec<Hit>, order: &[What]) -> Vec<Hit> {
        for what in order {
            let of: Vec<Hit> = hits
                .iter()
                .copied()
                .filter(|hit| hit.what == *what)
                .collect();
            if !of.is_empty() {
                return of;
            }
        }
        Vec::new()
    }
}

struct Scope {
    spots: Vec<Spot>,
    is_narrow: bool,
}

/// Whether a thing of the kind has no name of its own.
fn is_alone(noun: Noun) -> bool {
    matches!(
        noun,
        Noun::Person
            | Noun::Price
            | Noun::Phone
            | Noun::Email
            | Noun::Address
            | Noun::Copyright
            | Noun::Logo
            | Noun::Home
            | Noun::Layout
    )
}

fn nth_of(hits: &[Hit], nth: i64) -> Option<Hit> {
    match nth {
        ..0 => hits.last().copied(),
        _ => usize::try_from(nth - 1)
            .ok()
            .and_then(|at| hits.get(at).copied()),
    }
}

pub(crate) fn is_heading(tag: &str) -> bool {
    matches!(tag, "h1" | "h2" | "h3" | "h4" | "h5" | "h6")
}

/// What a kind of section is called in answers.
pub(crate) fn kind_word(kind: &str) -> &str {
    match kind {
        "cta" => "call to action",
        "faq" => "FAQ",
        "text" => "text section",
        "html" => "section",
        other => other,
    }
}

/// The kind of section that a word means.
pub(crate) fn kind_named(name: &str) -> Option<&'static str> {
    let tokens = words::tokens(name);
    let [only] = tokens.as_slice() else {
        return None;
    };
    match super::noun::noun(&only.word) {
        Some(Noun::Kind(kind)) => Some(kind),
        Some(Noun::Text) => Some("text"),
        _ => KINDS.iter().copied().find(|kind| *kind == only.word),
    }
}

//! Resolves the names in a sentence to things on the site: pages, sections, items, headings, texts, buttons, links, pictures,
//! menu entries.
//!
//! It never guesses: a name that fits several things returns all of them.

mod kinds;
mod names;

pub(crate) use names::{fit, normal};
use sitewright_site::{BodyId, NodeId};

use super::draft::{Document, Draft, KINDS, Spot};
use super::noun::{Many, Noun, Phrase};
use super::words;

/// The kind of a thing.
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

/// The order in which kinds are preferred when a name fits several: containers first.
pub(crate) const BOXES_FIRST: &[What] = &[
    What::Section,
    What::Item,
    What::Heading,
    What::Text,
    What::Button,
    What::Image,
    What::Link,
    What::Element,
];

/// A thing that was found. A page is represented by the root of its document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Hit {
    pub(crate) what: What,
    pub(crate) spot: Spot,
}

#[derive(Clone, Copy)]
pub(crate) struct Finder<'a> {
    pub(crate) draft: &'a Draft,
    /// The document that is open in the editor.
    pub(crate) here: BodyId,
    pub(crate) selected: Option<Spot>,
    /// What was changed or mentioned most recently, for "it" and "this".
    pub(crate) recent: &'a [Hit],
}

impl<'a> Finder<'a> {
    pub(crate) fn doc(&self, body: BodyId) -> Document<'a> {
        self.draft.doc(body)
    }

    /// The same finder with another document as the current one.
    pub(crate) fn on(&self, here: BodyId) -> Self {
        Self { here, ..*self }
    }

    pub(crate) fn hit(&self, spot: Spot) -> Hit {
        Hit {
            what: self.what(spot),
            spot,
        }
    }

    pub(crate) fn tag(&self, spot: Spot) -> &'a str {
        self.doc(spot.body).tag(spot.node)
    }

    pub(crate) fn what(&self, spot: Spot) -> What {
        let doc = self.doc(spot.body);
        let parent = doc.parent(spot.node);
        if parent.is_none() {
            return What::Page;
        }
        if parent == doc.root() {
            return What::Section;
        }
        let tag = doc.tag(spot.node);
        let is_button =
            tag == "button" || doc.has_class(spot.node, |class| class.starts_with("button"));
        let menu = || self.draft.menu();
        let in_menu = || menu().is_some_and(|(_, links)| links.contains(&spot));
        match tag {
            "a" if in_menu() => What::MenuItem,
            "a" | "button" if is_button => What::Button,
            "a" => What::Link,
            "img" => What::Image,
            tag if is_heading(tag) => What::Heading,
            "li" if is_box(doc, spot.node) => What::Item,
            "article" | "details" | "blockquote" | "figure" if !in_box(doc, spot.node) => {
                What::Item
            }
            "label" if holds_field(doc, spot.node) => What::Item,
            "p" | "cite" | "summary" | "li" | "label" | "figcaption" | "span" | "strong" => {
                What::Text
            }
            _ if doc.has_class(spot.node, |class| class == "card") => What::Item,
            _ => What::Element,
        }
    }

    /// The name of a thing, as answers use it.
    pub(crate) fn name(&self, hit: Hit) -> String {
        let doc = self.doc(hit.spot.body);
        let at = hit.spot.node;
        match hit.what {
            What::Page => doc.title().to_owned(),
            What::Section => match section_heading(doc, at) {
                Some(heading) => format!("{} “{}”", kind_word(doc.kind_of(at)), doc.text(heading)),
                None => kind_word(doc.kind_of(at)).to_owned(),
            },
            What::Image => doc.attr(at, "src"),
            _ => {
                let short: String = self.label(hit.spot).chars().take(60).collect();
                format!("“{short}”")
            }
        }
    }

    /// Describes the location of a thing in words.
    pub(crate) fn place(&self, spot: Spot) -> String {
        let doc = self.doc(spot.body);
        let section = doc.section_of(spot.node);
        match section.map(|section| doc.kind_of(section)) {
            Some(edge @ ("footer" | "header")) => format!("in the {edge}"),
            Some(kind) if kind != "html" && section != Some(spot.node) => {
                format!("in the {} on {}", kind_word(kind), doc.title())
            }
            _ => format!("on {}", doc.title()),
        }
    }

    /// The first text of an item, or the whole text of anything else.
    pub(crate) fn label(&self, spot: Spot) -> String {
        let doc = self.doc(spot.body);
        match doc.first_text(spot.node) {
            Some(first) if self.what(spot) == What::Item => first,
            _ => doc.text(spot.node),
        }
    }

    /// Finds pages and templates by name.
    pub(crate) fn pages(&self, name: &str) -> Vec<Hit> {
        if let Some(path) = name.strip_prefix('/') {
            let path = format!("/{}", path.trim_end_matches('/'));
            let found = self.draft.pages().filter(|doc| doc.path() == path);
            return found.filter_map(page_hit).collect();
        }
        let lower = normal(name);
        let level = |doc: Document<'a>| {
            let by_slug = if has_slug(doc, &lower) { 3 } else { 0 };
            (fit(name, doc.title()).max(by_slug), doc)
        };
        let levels: Vec<(u8, Document<'_>)> = self.draft.documents().map(level).collect();
        let best = levels.iter().map(|(level, _)| *level).max().unwrap_or(0);
        if best == 0 && matches!(lower.as_str(), "home" | "homepage" | "start" | "front") {
            let home = self.draft.pages().find(Document::is_home);
            return home.and_then(page_hit).into_iter().collect();
        }
        let least = if best == 3 { 3 } else { 1 };
        let fitting = levels.into_iter().filter(|(level, _)| *level >= least);
        fitting.filter_map(|(_, doc)| page_hit(doc)).collect()
    }

    /// Returns everything that a phrase may mean, in the order of the site.
    ///
    /// A pronoun, and a demonstrative without a name ("this section"), resolve to the selection or else to the recent things.
    /// Otherwise the phrase's places narrow the scope, the noun or the name selects candidates within it, and an ordinal picks
    /// one of them. Several results mean that the phrase is ambiguous; the caller decides whether to ask.
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
        let recent = if is_pointed {
            self.pronoun(said)
        } else {
            Vec::new()
        };
        if !recent.is_empty() {
            return recent;
        }
        let mut hits = match said.noun {
            Some(noun) => self.by_noun(noun, said, &scope),
            None => self.by_name(said, &scope),
        };
        if said.is_other {
            hits.retain(|hit| Some(hit.spot) != self.selected && !self.recent.contains(hit));
        }
        if let Some(nth) = said.ordinal {
            hits = nth_of(&hits, nth).into_iter().collect();
        }
        // A bare phrase that fits several things of a kind means the selected one.
        let is_selected = |hit: &Hit| Some(hit.spot) == self.selected;
        let is_one = hits.len() > 1 && said.is_bare() && said.many == Many::One;
        if is_one && hits.iter().any(is_selected) {
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
        let meant = match self.selected {
            Some(spot) => vec![self.hit(spot)],
            None => self.recent.to_vec(),
        };
        meant.into_iter().filter(fits).collect()
    }

    fn by_noun(&self, noun: Noun, said: &Phrase, scope: &Scope) -> Vec<Hit> {
        if is_nameless(noun) && said.name.is_some() {
            return Vec::new();
        }
        let all = |fits: &dyn Fn(&Hit) -> bool| -> Vec<Hit> {
            let hits = scope.spots.iter().map(|spot| self.hit(*spot));
            hits.filter(fits).collect()
        };
        let of = |what: What| all(&|hit| hit.what == what);
        match noun {
            Noun::Page | Noun::Home | Noun::Layout => self.page_like(noun, said),
            Noun::Section => self.named(of(What::Section), said),
            Noun::Kind(kind) => {
                let mut sections = match kind {
                    "header" | "footer" => self.layout_sections(),
                    _ => of(What::Section),
                };
                sections.retain(|hit| self.doc(hit.spot.body).kind_of(hit.spot.node) == kind);
                self.named(sections, said)
            }
            Noun::Heading(level) => self.headings(of(What::Heading), level, said, scope),
            Noun::Text => self.texts(said, scope),
            Noun::Button => self.named(of(What::Button), said),
            Noun::Link => {
                let is_link =
                    |hit: &Hit| matches!(hit.what, What::Link | What::Button | What::MenuItem);
                self.named(all(&is_link), said)
            }
            Noun::Image => self.images(of(What::Image), said),
            Noun::Logo => self.logo(),
            Noun::Item(kind) => self.items(of(What::Item), kind, said),
            Noun::MenuItem | Noun::Menu => self.named(self.menu_items(), said),
            Noun::Label => self.named(all(&|hit| self.tag(hit.spot) == "label"), said),
            Noun::Answer => self.answers(of(What::Item), said),
            Noun::Person
            | Noun::Price
            | Noun::Phone
            | Noun::Email
            | Noun::Address
            | Noun::Copyright => all(&|hit| self.says(*hit, noun)),
            Noun::Site | Noun::Everything => Vec::new(),
        }
    }

    /// The hits whose name fits best; all of them when the phrase has no name.
    fn named(&self, hits: Vec<Hit>, said: &Phrase) -> Vec<Hit> {
        let Some(name) = &said.name else { return hits };
        let levels: Vec<u8> = hits.iter().map(|hit| self.level(*hit, name)).collect();
        let best = levels.iter().copied().max().unwrap_or(0).max(1);
        let fitting = hits.into_iter().zip(levels);
        let fitting = fitting.filter(|(_, level)| *level >= best);
        fitting.map(|(hit, _)| hit).collect()
    }

    fn level(&self, hit: Hit, name: &str) -> u8 {
        let doc = self.doc(hit.spot.body);
        match hit.what {
            What::Page => fit(name, doc.title()),
            What::Section if kind_named(name) == Some(doc.kind_of(hit.spot.node)) => 3,
            What::Section => section_heading(doc, hit.spot.node)
                .map_or(0, |heading| fit(name, &doc.text(heading))),
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
        let all: Vec<Hit> = scope.spots.iter().map(|spot| self.hit(*spot)).collect();
        let of = |fits: &dyn Fn(&Hit) -> bool| {
            let fitting = all.iter().copied().filter(fits).collect();
            self.named(fitting, said)
        };
        hits.extend(of(&|hit| hit.what == What::Section));
        hits.extend(of(&|hit| hit.what == What::Item));
        let is_leaf = |hit: &Hit| {
            matches!(
                hit.what,
                What::Heading | What::Text | What::Button | What::Link | What::MenuItem
            ) && fit(name, &self.own_text(hit.spot)) > 0
        };
        for hit in of(&is_leaf) {
            if !hits.contains(&hit) {
                hits.push(hit);
            }
        }
        hits
    }

    /// The nodes to search: those of the current page, or of the places that the phrase names.
    fn scope(&self, said: &Phrase) -> Option<Scope> {
        let mut documents = vec![self.here];
        let mut inside: Option<Vec<Spot>> = None;
        for outer in said.within.iter().rev() {
            if let Some(found) = self.documents_of(outer) {
                documents = found;
                continue;
            }
            let spots: Vec<Spot> = match outer.noun {
                Some(Noun::Menu) => vec![self.draft.menu()?.0],
                _ => {
                    let narrowed = self.on(*documents.first()?);
                    let hits = preferred(narrowed.find(outer), BOXES_FIRST);
                    hits.iter().map(|hit| hit.spot).collect()
                }
            };
            if spots.is_empty() {
                return None;
            }
            documents = spots.iter().map(|spot| spot.body).collect();
            documents.dedup();
            inside = Some(spots);
        }
        let is_narrow = inside.is_some();
        let docs = documents.into_iter().map(|body| self.doc(body));
        let spots = docs.flat_map(|doc| doc.elements().into_iter().map(move |at| doc.spot(at)));
        let mut spots: Vec<Spot> = spots.collect();
        if let Some(inside) = inside {
            spots.retain(|spot| {
                let holds = |outer: &Spot| {
                    outer.body == spot.body && self.doc(spot.body).is_within(spot.node, outer.node)
                };
                inside.iter().any(holds) && !inside.contains(spot)
            });
        }
        Some(Scope { spots, is_narrow })
    }

    /// The documents that a place refers to; `None` when it is a place on a page.
    pub(crate) fn documents_of(&self, place: &Phrase) -> Option<Vec<BodyId>> {
        let bodies = |hits: Vec<Hit>| -> Vec<BodyId> {
            let pages = hits.iter().filter(|hit| hit.what == What::Page);
            pages.map(|hit| hit.spot.body).collect()
        };
        let found = match (place.noun, &place.name) {
            (Some(Noun::Site | Noun::Everything), _) => {
                self.draft.documents().map(|doc| doc.body).collect()
            }
            (Some(noun @ (Noun::Page | Noun::Home | Noun::Layout)), _) => {
                bodies(self.page_like(noun, place))
            }
            (None, Some(name)) if !place.is_quoted && self.is_page_name(name) => {
                let pages = bodies(self.pages(name));
                (pages.len() == 1).then_some(pages)?
            }
            (None, None) if place.is_pronoun => bodies(self.pronoun(place)),
            _ => return None,
        };
        (!found.is_empty()).then_some(found)
    }

    /// Whether a page has exactly this name, or is the home page.
    pub(crate) fn is_page_name(&self, name: &str) -> bool {
        let lower = normal(name);
        self.pages(name).iter().any(|hit| {
            let doc = self.doc(hit.spot.body);
            fit(name, doc.title()) == 3
                || has_slug(doc, &lower)
                || name.starts_with('/')
                || doc.is_home() && lower == "home"
        })
    }

    /// Whether a thing has exactly this name. A page always counts, because it may be found by a part of its title.
    pub(crate) fn is_exact(&self, hit: Hit, said: &Phrase) -> bool {
        let Some(name) = &said.name else { return true };
        // For a section, a run of words of its heading is enough: "the hours" is the section “Opening hours”.
        let least = if hit.what == What::Section { 2 } else { 3 };
        let is_called = |name: &str| self.level(hit, name) >= least;
        hit.what == What::Page || is_called(name) || is_called(&said.said)
    }
}

/// The hits of the first kind in `order` that has any.
pub(crate) fn preferred(hits: Vec<Hit>, order: &[What]) -> Vec<Hit> {
    let of = |what: &What| -> Vec<Hit> {
        let fitting = hits.iter().filter(|hit| hit.what == *what);
        fitting.copied().collect()
    };
    let mut kinds = order.iter().map(of);
    kinds.find(|hits| !hits.is_empty()).unwrap_or_default()
}

struct Scope {
    spots: Vec<Spot>,
    is_narrow: bool,
}

/// Whether things of this kind have no name of their own.
fn is_nameless(noun: Noun) -> bool {
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

/// The document as a hit; `None` while it is not open.
pub(crate) fn page_hit(doc: Document<'_>) -> Option<Hit> {
    let what = What::Page;
    doc.root_spot().map(|spot| Hit { what, spot })
}

fn has_slug(doc: Document<'_>, wanted: &str) -> bool {
    doc.path().trim_matches('/').replace('-', " ") == wanted
}

/// Whether a list item is a card or the like, and not a line of text.
fn is_box(doc: Document<'_>, at: NodeId) -> bool {
    let mut within = doc.walk(at).into_iter();
    doc.tag(at) == "li"
        && within.any(|at| {
            is_heading(doc.tag(at)) || matches!(doc.tag(at), "figure" | "blockquote" | "img")
        })
}

/// Whether something is a part of such a list item.
fn in_box(doc: Document<'_>, at: NodeId) -> bool {
    let mut above = std::iter::successors(doc.parent(at), |at| doc.parent(*at));
    above.any(|at| is_box(doc, at))
}

fn holds_field(doc: Document<'_>, at: NodeId) -> bool {
    let mut within = doc.walk(at).into_iter();
    within.any(|at| matches!(doc.tag(at), "input" | "textarea" | "select"))
}

pub(crate) fn section_heading(doc: Document<'_>, at: NodeId) -> Option<NodeId> {
    let mut within = doc.walk(at).into_iter();
    within.find(|at| is_heading(doc.tag(*at)))
}

/// The nth of several, counted from 1; a negative number means the last.
pub(crate) fn nth_of(hits: &[Hit], nth: i64) -> Option<Hit> {
    match nth {
        ..0 => hits.last().copied(),
        _ => usize::try_from(nth - 1)
            .ok()
            .and_then(|at| hits.get(at).copied()),
    }
}

fn is_heading(tag: &str) -> bool {
    matches!(tag, "h1" | "h2" | "h3" | "h4" | "h5" | "h6")
}

/// The word for a kind of section in answers.
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

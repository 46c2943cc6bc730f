//! Finds things by the kind that the phrase names: headings, texts, pictures, items, and what is in the template.

use super::super::draft::{Document, Spot};
use super::super::noun::{LANDING, Many, Noun, Phrase};
use super::{Finder, Hit, Scope, What, fit, normal, page_hit, section_heading};

impl Finder<'_> {
    /// Whether the text of an element is a price, a phone number, an address or the like.
    pub(super) fn says(&self, hit: Hit, noun: Noun) -> bool {
        let text = self.own_text(hit.spot);
        let is_leaf = !matches!(hit.what, What::Section | What::Page);
        match noun {
            Noun::Person => matches!(self.tag(hit.spot), "cite" | "figcaption"),
            Noun::Price => self
                .doc(hit.spot.body)
                .has_class(hit.spot.node, |class| class == "price"),
            Noun::Phone => is_leaf && is_phone(&text),
            Noun::Email => is_leaf && text.contains('@'),
            Noun::Address => is_leaf && is_street(&text),
            _ => is_leaf && text.contains('©'),
        }
    }

    /// Items in sections of a kind; items of any section when there are none, or when a name identifies the item.
    pub(super) fn items(&self, items: Vec<Hit>, kind: &str, said: &Phrase) -> Vec<Hit> {
        let of_kind = |hit: &&Hit| self.kind_around(hit.spot) == kind;
        let in_kind: Vec<Hit> = items.iter().filter(of_kind).copied().collect();
        let is_any = in_kind.is_empty() || said.name.is_some();
        self.named(if is_any { items } else { in_kind }, said)
    }

    pub(crate) fn own_text(&self, spot: Spot) -> String {
        self.doc(spot.body).own_text(spot.node)
    }

    fn kind_around(&self, spot: Spot) -> &str {
        let doc = self.doc(spot.body);
        let section = doc.section_of(spot.node);
        section.map_or("", |section| doc.kind_of(section))
    }

    pub(super) fn page_like(&self, noun: Noun, said: &Phrase) -> Vec<Hit> {
        let one = |doc: Option<Document<'_>>| doc.and_then(page_hit).into_iter().collect();
        let here = Some(self.doc(self.here));
        match (noun, &said.name) {
            (Noun::Home, _) => one(self.draft.pages().find(Document::is_home)),
            (Noun::Layout, _) => one(self.draft.layout()),
            (_, Some(name)) => match self.pages(name) {
                found if found.is_empty() && name.eq_ignore_ascii_case(LANDING) => {
                    one(self.draft.pages().find(Document::is_home))
                }
                found => found,
            },
            (_, None) if said.points => {
                let recent = self.recent.iter().copied();
                let recent: Vec<Hit> = recent.filter(|hit| hit.what == What::Page).collect();
                if recent.is_empty() || said.said.to_lowercase().starts_with("this") {
                    one(here)
                } else {
                    recent
                }
            }
            (_, None) if said.many == Many::All => {
                self.draft.pages().filter_map(page_hit).collect()
            }
            (_, None) => one(here),
        }
    }

    pub(super) fn layout_sections(&self) -> Vec<Hit> {
        let layout = self.draft.layout();
        let spots = layout.iter().flat_map(|doc| {
            let sections = doc.sections().into_iter();
            sections.map(|node| doc.spot(node))
        });
        spots.map(|spot| self.hit(spot)).collect()
    }

    pub(super) fn menu_items(&self) -> Vec<Hit> {
        let menu = self.draft.menu();
        let links = menu.map(|(_, links)| links).unwrap_or_default();
        links.into_iter().map(|spot| self.hit(spot)).collect()
    }

    pub(super) fn logo(&self) -> Vec<Hit> {
        let sections = self.layout_sections().into_iter();
        let images = sections.flat_map(|hit| self.tagged(hit.spot, "img"));
        images.take(1).collect()
    }

    /// The elements within a thing that have this tag.
    pub(crate) fn tagged(&self, spot: Spot, tag: &str) -> Vec<Hit> {
        let doc = self.doc(spot.body);
        let within = doc.walk(spot.node).into_iter();
        let fitting = within.filter(|at| doc.tag(*at) == tag);
        fitting.map(|node| self.hit(doc.spot(node))).collect()
    }

    pub(super) fn headings(
        &self,
        mut all: Vec<Hit>,
        level: Option<u8>,
        said: &Phrase,
        scope: &Scope,
    ) -> Vec<Hit> {
        if let Some(level) = level {
            all.retain(|hit| self.tag(hit.spot) == format!("h{level}"));
        }
        if said.name.is_some() {
            let found = self.named(all, said);
            if !found.is_empty() {
                return found;
            }
            // "the opening hours heading" is the heading of that section or card.
            let around = self.boxes_called(said, scope).into_iter();
            return around.filter_map(|hit| self.heading_of(hit.spot)).collect();
        }
        if said.many != Many::One || said.ordinal.is_some() {
            return all;
        }
        // The heading of a page or a section is its first one, which is its largest.
        let main = all.iter().find(|hit| self.tag(hit.spot) == "h1");
        main.or(all.first()).copied().into_iter().collect()
    }

    /// The sections and items that a name refers to, whatever kind the phrase says.
    fn boxes_called(&self, said: &Phrase, scope: &Scope) -> Vec<Hit> {
        let mut around = said.clone();
        around.noun = None;
        let mut hits = self.by_name(&around, scope);
        hits.retain(|hit| matches!(hit.what, What::Section | What::Item));
        hits
    }

    pub(crate) fn heading_of(&self, spot: Spot) -> Option<Hit> {
        let doc = self.doc(spot.body);
        let node = section_heading(doc, spot.node)?;
        Some(self.hit(doc.spot(node)))
    }

    pub(super) fn texts(&self, said: &Phrase, scope: &Scope) -> Vec<Hit> {
        let all = scope.spots.iter().map(|spot| self.hit(*spot));
        let is_text = |hit: &Hit| {
            hit.what == What::Text
                && self.tag(hit.spot) == "p"
                && (scope.is_narrow || self.kind_around(hit.spot) != "footer")
        };
        let found = self.named(all.filter(is_text).collect(), said);
        if !found.is_empty() || said.name.is_none() {
            return found;
        }
        let around = self.boxes_called(said, scope).into_iter();
        around.flat_map(|hit| self.tagged(hit.spot, "p")).collect()
    }

    pub(super) fn answers(&self, items: Vec<Hit>, said: &Phrase) -> Vec<Hit> {
        let items = self.named(items, said).into_iter();
        items.flat_map(|hit| self.tagged(hit.spot, "p")).collect()
    }

    pub(super) fn images(&self, all: Vec<Hit>, said: &Phrase) -> Vec<Hit> {
        let Some(name) = &said.name else { return all };
        let wanted = normal(name);
        let fits = |hit: &Hit| {
            let doc = self.doc(hit.spot.body);
            let source = doc.attr(hit.spot.node, "src");
            let source = normal(&source.replace(['-', '_', '/', '.'], " "));
            let is_part = |word: &str| source.split(' ').any(|part| part == word);
            wanted.split(' ').all(is_part) || fit(name, &doc.attr(hit.spot.node, "alt")) > 0
        };
        all.into_iter().filter(fits).collect()
    }
}

fn is_phone(text: &str) -> bool {
    let digits = text.chars().filter(char::is_ascii_digit).count();
    let is_plain = |c: char| c.is_ascii_digit() || " +-()/.".contains(c);
    digits >= 6 && text.chars().all(is_plain)
}

fn is_street(text: &str) -> bool {
    let streets = [
        "lane", "street", "road", "avenue", "square", "way", "st", "rd",
    ];
    let plain = normal(text);
    let starts = plain.starts_with(|c: char| c.is_ascii_digit());
    starts && plain.split(' ').any(|word| streets.contains(&word))
}

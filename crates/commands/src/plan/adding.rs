//! Plans adding sections, items and elements. Text that the sentence does not give is a placeholder, and marked as one.

use sitewright_design::HeadingLevel;
use sitewright_site::{Attr, BodyId, Element, Forest, Kind, Node, NodeId};

use super::super::draft::{Document, Spot, escape_html, html_of};
use super::super::find::{BOXES_FIRST, Hit, What, kind_word, page_hit, preferred};
use super::super::noun::{Noun, Phrase};
use super::super::request::{At, NewElement, NewItem, Place};
use super::super::sections::{self, KnownTexts};
use super::{Outcome, PlanResult, Planner, ask, done, refuse};

/// Where something goes: the parent, and the index among its children.
pub(super) struct Gap {
    pub(super) parent: Spot,
    pub(super) index: usize,
}

impl Planner<'_> {
    /// The page that a place refers to; the current page when it names none.
    fn document_at(&self, place: &Place) -> PlanResult<BodyId> {
        let Some(into) = &place.into else {
            let page = self.recent.iter().find(|hit| hit.what == What::Page);
            let page = page.filter(|_| place.is_there);
            return Ok(page.map_or(self.here, |hit| hit.spot.body));
        };
        let hit = match self.finder().documents_of(into) {
            Some(several) => {
                let docs = several.into_iter().map(|body| self.doc(body));
                self.one(docs.filter_map(page_hit).collect(), into)?
            }
            None => self.hit(into, &[What::Page, What::Section, What::Item])?,
        };
        Ok(hit.spot.body)
    }

    /// The position of a new section among the children of a page's root.
    fn section_gap(&self, kind: &str, place: &Place) -> PlanResult<Gap> {
        let mut body = self.document_at(place)?;
        if let (None, Some(At::Before(other) | At::After(other))) = (&place.into, &place.at)
            && (other.is_pronoun || other.noun == Some(Noun::Page))
        {
            body = self.hit(other, &[What::Section])?.spot.body;
        }
        let doc = self.doc(body);
        let Some(parent) = doc.root_spot() else {
            return refuse(format!("I can’t read “{}”.", doc.title()));
        };
        let end = doc.children(parent.node).len();
        let position = |other: &Phrase| self.section_index(doc, other);
        let index = match &place.at {
            None => before_closing(doc, kind).unwrap_or(end),
            Some(At::Last | At::Down(_)) => end,
            Some(At::First | At::Up(_)) => 0,
            Some(At::Nth(nth)) => {
                let nth = usize::try_from(nth - 1).unwrap_or(0);
                let section = doc.sections().get(nth).and_then(|at| doc.index(*at));
                section.map_or(end, |(_, index)| index)
            }
            // Above the template's footer means at the end of the page.
            Some(At::Before(other)) => position(other)?.unwrap_or(end),
            Some(At::After(other)) => position(other)?.map_or(0, |index| index + 1),
            Some(At::Between(one, other)) => {
                let (one, other) = (position(one)?.unwrap_or(0), position(other)?.unwrap_or(end));
                one.min(other) + 1
            }
        };
        Ok(Gap { parent, index })
    }

    /// The index of the section that a thing is or is in; `None` when it is not on this page.
    fn section_index(&self, doc: Document<'_>, other: &Phrase) -> PlanResult<Option<usize>> {
        let hits = preferred(self.finder().on(doc.body).find(other), BOXES_FIRST);
        let hit = self.one(hits, other)?;
        if hit.spot.body != doc.body {
            return Ok(None);
        }
        let section = doc.section_of(hit.spot.node).unwrap_or(hit.spot.node);
        Ok(doc.index(section).map(|(_, index)| index))
    }

    pub(super) fn add_section(
        &mut self,
        kind: &str,
        title: Option<&str>,
        place: &Place,
    ) -> PlanResult<Outcome> {
        let is_edge = matches!(kind, "header" | "footer");
        if let Some(layout) = self.draft.layout().filter(|_| is_edge) {
            let layout = layout.title();
            return ask(format!(
                "Every page already has a {kind}: it comes from the template “{layout}”. Should I open “{layout}” so you can change it there?"
            ));
        }
        let gap = self.section_gap(kind, place)?;
        let doc = self.doc(gap.parent.body);
        let page = doc.title().to_owned();
        if !doc.is_page() {
            return refuse(format!(
                "“{page}” is a template, and I can’t add sections to it."
            ));
        }
        let index = if kind == "header" { 0 } else { gap.index };
        let known = KnownTexts {
            title: title.map(str::to_owned),
            eyebrow: None,
        };
        let spot = self.insert_section(
            kind,
            known,
            Gap {
                parent: gap.parent,
                index,
            },
        );
        // Sections that are added one after the other are "them".
        let goes_on = self.request > 0
            && self
                .draft
                .steps
                .iter()
                .any(|step| step.request + 1 == self.request);
        self.recent
            .retain(|hit| goes_on && hit.what == What::Section && hit.spot.body == gap.parent.body);
        let section = self.finder().hit(spot);
        self.recent.push(section);
        let marked = match kind {
            "header" => String::new(),
            _ => format!(" {PLACEHOLDERS}"),
        };
        done(if is_edge {
            format!("Added a {kind} to “{page}”, and to no other page.{marked}")
        } else {
            format!("Added a {} section to “{page}”.{marked}", kind_word(kind))
        })
    }

    /// Inserts a section of the library, after the base theme on a site without a look of its own.
    pub(super) fn insert_section(&mut self, kind: &str, known: KnownTexts, gap: Gap) -> Spot {
        // In planning mode the tools for tokens are not on offer; sections have a look without them.
        let has_tokens = self.tools.iter().any(|tool| tool == "set_color_tokens");
        let calls = match has_tokens {
            true => sections::theme_calls(&self.draft),
            false => Vec::new(),
        };
        for call in calls {
            self.call(call);
        }
        let doc = self.doc(gap.parent.body);
        let html = sections::html(kind, known, heading_level(doc), &self.draft);
        self.insert(gap.parent, gap.index, &html)
    }

    /// The section that an item goes into: the one that was named, the one of its kind on the page, or the only one there is.
    fn section_for(&self, kind: &str, place: &Place) -> PlanResult<Spot> {
        if let Some(into) = &place.into {
            let hits = preferred(self.finder().find(into), &[What::Section]);
            if !hits.is_empty() {
                return self.one(hits, into).map(|hit| hit.spot);
            }
        }
        let of_kind = |doc: Document<'_>| -> Vec<Hit> {
            let sections = doc.sections().into_iter();
            let fitting = sections.filter(|at| doc.kind_of(*at) == kind);
            fitting.map(|at| self.finder().hit(doc.spot(at))).collect()
        };
        let wanted = place.into.as_ref();
        let wanted = wanted.and_then(|into| self.finder().documents_of(into));
        let wanted = wanted.and_then(|documents| documents.first().copied());
        let mut found = of_kind(self.doc(wanted.unwrap_or(self.here)));
        if found.is_empty() {
            found = self.draft.documents().flat_map(of_kind).collect();
        }
        let word = kind_word(kind);
        if found.is_empty() {
            return refuse(format!(
                "I can’t find a {word} section. Say “add a {word} section” first."
            ));
        }
        self.one(found, &Phrase::called(word)).map(|hit| hit.spot)
    }

    pub(super) fn add_item(&mut self, item: &NewItem) -> PlanResult<Outcome> {
        let Some(Noun::Item(kind)) = item.what.noun else {
            return Err(self.not_found(&item.what));
        };
        let section = self.section_for(kind, &item.place)?;
        let doc = self.doc(section.body);
        let finder = self.finder();
        let is_item = |node: &NodeId| finder.what(doc.spot(*node)) == What::Item;
        let last = doc.walk(section.node).into_iter().rfind(is_item);
        let word = kind_word(kind);
        let Some((last, (parent, index))) = last.and_then(|last| Some((last, doc.index(last)?)))
        else {
            return refuse(format!(
                "There’s nothing in the {word} section that I could add another one of."
            ));
        };
        let html = another(
            doc.forest(last),
            item.name.as_deref(),
            item.detail.as_deref(),
        );
        let page = doc.title().to_owned();
        let parent = doc.spot(parent);
        let spot = self.insert(parent, index + 1, &html);
        self.recent = vec![self.finder().hit(spot)];
        let called = item.name.as_ref().map(|name| format!(" “{name}”"));
        let marked = if html.contains('[') {
            " What you did not say is a placeholder in square brackets."
        } else {
            ""
        };
        done(format!(
            "Added{} to the {word} on “{page}”.{marked}",
            called.unwrap_or_default()
        ))
    }

    pub(super) fn add_element(&mut self, element: &NewElement) -> PlanResult<Outcome> {
        let NewElement {
            what,
            text,
            target,
            place,
        } = element;
        let text = text.as_deref().unwrap_or_default();
        let address = target.as_ref().map(|target| self.address(target));
        let address = address.transpose()?;
        let href = escape_html(address.as_deref().unwrap_or("#"));
        let words = escape_html(text);
        let html = match what.noun {
            Some(Noun::Button) => format!("<a class=\"button\" href=\"{href}\">{words}</a>"),
            Some(Noun::Link) => format!("<p><a href=\"{href}\">{words}</a></p>"),
            Some(Noun::Heading(level)) => {
                let level = level.unwrap_or(2);
                format!("<h{level}>{words}</h{level}>")
            }
            Some(Noun::Image) if !(text.starts_with('/') || text.starts_with("https://")) => {
                return refuse(format!(
                    "I can’t use “{text}” as a picture. Give its address, starting with / or https://."
                ));
            }
            Some(Noun::Image) => format!("<img src=\"{words}\" alt=\"\">"),
            _ => format!("<p>{words}</p>"),
        };
        let Some(gap) = self.element_gap(what, place, text)? else {
            let html = format!("<section class=\"text\">{html}</section>");
            let gap = self.section_gap("text", place)?;
            let page = self.doc(gap.parent.body).title().to_owned();
            let spot = self.insert(gap.parent, gap.index, &html);
            self.recent = vec![self.finder().hit(spot)];
            return done(format!(
                "Added “{text}” to “{page}” in a section of its own."
            ));
        };
        let place = self.finder().place(gap.parent);
        let spot = self.insert(gap.parent, gap.index, &html);
        self.recent = vec![self.finder().hit(spot)];
        let leads = match (what.noun, &address) {
            (Some(Noun::Button | Noun::Link), None) => {
                " It leads nowhere yet; say where it should go."
            }
            _ => "",
        };
        done(format!("Added “{text}” {place}.{leads}"))
    }

    /// The position of a new element; `None` when it gets a section of its own.
    fn element_gap(&self, what: &Phrase, place: &Place, text: &str) -> PlanResult<Option<Gap>> {
        let near = match (&place.at, &place.into) {
            (Some(At::After(other) | At::Before(other)), _) => other,
            (_, Some(into)) if self.finder().documents_of(into).is_none() => into,
            (_, Some(_)) if matches!(what.noun, Some(Noun::Heading(_))) => return Ok(None),
            _ => {
                return ask(format!(
                    "Where should I put “{text}”? Name a section, for example: in the hero."
                ));
            }
        };
        // A part of its text may identify a place.
        let hit = match preferred(self.finder().find(near), BOXES_FIRST).as_slice() {
            [only] => *only,
            _ => self.hit(near, BOXES_FIRST)?,
        };
        let doc = self.doc(hit.spot.body);
        if matches!(hit.what, What::Section | What::Item) {
            return Ok(Some(self.gap_inside(what.noun, doc, hit.spot.node)));
        }
        let is_before = matches!(place.at, Some(At::Before(_)));
        let gap = doc.index(hit.spot.node).map(|(parent, index)| Gap {
            parent: doc.spot(parent),
            index: if is_before { index } else { index + 1 },
        });
        Ok(gap)
    }

    /// The position of an element in a section: after the last of its kind, or at the end.
    fn gap_inside(&self, noun: Option<Noun>, doc: Document<'_>, section: NodeId) -> Gap {
        let wanted = match noun {
            Some(Noun::Image) => Some(What::Image),
            Some(Noun::Button) => Some(What::Button),
            _ => None,
        };
        let finder = self.finder();
        let is_alike = |node: &NodeId| Some(finder.what(doc.spot(*node))) == wanted;
        let last = doc.walk(section).into_iter().rfind(is_alike);
        let end = (section, doc.children(section).len());
        let behind = last.and_then(|last| doc.index(last));
        let (parent, index) = behind.map_or(end, |(parent, index)| (parent, index + 1));
        Gap {
            parent: doc.spot(parent),
            index,
        }
    }
}

/// The level of a new section's heading: a page has only one main heading.
fn heading_level(doc: Document<'_>) -> HeadingLevel {
    match doc.has_main_heading() {
        true => HeadingLevel::Section,
        false => HeadingLevel::Page,
    }
}

/// Said once about sections that were added, however many they are.
pub(crate) const PLACEHOLDERS: &str =
    "Texts and pictures are placeholders; replace them before you publish.";

/// Where a section without a place goes on a page that ends with a call to action or a footer: in front of them. Another call to
/// action goes behind the one that is there.
fn before_closing(doc: Document<'_>, kind: &str) -> Option<usize> {
    let closes = |at: &NodeId| match doc.kind_of(*at) {
        "footer" => true,
        "cta" => kind != "cta",
        _ => false,
    };
    let sections = doc.sections();
    // A page of nothing but a call to action has no content that it closes.
    let is_closed = !sections.iter().all(&closes);
    let closing = sections.into_iter().rev().take_while(closes).last();
    let closing = closing.filter(|_| is_closed && kind != "footer");
    doc.index(closing?).map(|(_, index)| index)
}

/// Marks an element whose text has not been written yet.
const MARK: &str = "data-placeholder";

/// A copy of an existing item, with the given texts and placeholders for the others.
fn another(mut item: Forest, name: Option<&str>, detail: Option<&str>) -> String {
    let mut texts = [name, detail].into_iter();
    let parents: Vec<Option<usize>> = item
        .0
        .iter()
        .map(|planted| planted.parent.map(|parent| parent as usize))
        .collect();
    let is_kept = |at: usize| {
        let mut above = std::iter::successors(Some(at), |at| parents[*at]);
        above.any(|at| matches!(tag_of(&item.0[at].node), "a" | "button"))
    };
    let kept: Vec<bool> = (0..item.0.len()).map(is_kept).collect();
    for at in (0..item.0.len()).filter(|at| !kept[*at]) {
        let is_field = matches!(tag_of(&item.0[at].node), "input" | "textarea" | "select");
        if is_field {
            rename_field(&mut item.0[at].node, name.unwrap_or("field"));
            continue;
        }
        let classes = item.0[at].node.classes.clone().unwrap_or_default();
        if classes.contains("n-") {
            // A class that belongs to one element would carry its style over to the new one.
            item.0[at].node.classes = None;
        }
        let Kind::Text(text) = &item.0[at].node.kind else {
            continue;
        };
        let holder = parents[at].filter(|_| !text.trim().is_empty());
        let Some(holder) = holder else { continue };
        let given = texts.next().flatten();
        let node = &mut item.0[holder].node;
        let placeholder = placeholder(tag_of(node), node.classes.as_deref().unwrap_or_default());
        if let Kind::Element(element) = &mut node.kind {
            element.attrs.retain(|attr| attr.name.as_str() != MARK);
            if given.is_none() {
                element.attrs.push(Attr::new(MARK, ""));
            }
        }
        item.0[at].node.kind = Kind::Text(given.unwrap_or(placeholder).to_owned());
    }
    html_of(&item)
}

fn tag_of(node: &Node) -> &str {
    match &node.kind {
        Kind::Element(element) => element.tag.as_str(),
        _ => "",
    }
}

fn placeholder(tag: &str, classes: &str) -> &'static str {
    match tag {
        "label" => "[field]",
        _ if classes.contains("price") => "[your price]",
        "cite" | "figcaption" => "[name]",
        "h2" | "h3" | "h4" => "[title]",
        "summary" => "[question]",
        _ => "[your text]",
    }
}

/// Gives a field of a form a new name and type.
fn rename_field(node: &mut Node, name: &str) {
    let name = name.to_lowercase().replace(' ', "-");
    let kind = match name.as_str() {
        "phone" | "telephone" => "tel",
        "email" => "email",
        _ => "text",
    };
    let Kind::Element(element) = &mut node.kind else {
        return;
    };
    if element.tag.as_str() == "textarea" {
        element.tag = "input".into();
        element.attrs.insert(0, Attr::new("type", kind));
    }
    set_attr(element, "name", &name);
    set_attr(element, "type", kind);
}

fn set_attr(element: &mut Element, name: &str, value: &str) {
    for attr in &mut element.attrs {
        if attr.name.as_str() == name {
            value.clone_into(&mut attr.value);
        }
    }
}

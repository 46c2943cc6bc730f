//! Converts the parser's tree to forests: removes what [`super::policy`] refuses, extracts CSS, and recognises loops
//! and outlets.

use html5ever::{Attribute, QualName, ns};

use super::arena::{Arena, DOCUMENT, Data, Id};
use super::import::HtmlMode;
use super::limits::{HtmlError, HtmlLimits};
use super::links::links_sheet;
use super::loops::{MOVED, is_outlet, read_loop, read_outlet, takes_loop};
use super::policy;
use super::removals::Removals;
use super::write::{comment_text, is_raw_text_safe};
use crate::{Attr, Element, Forest, ForestNode, Kind, Name, Namespace, Node};

const NOTES_MAX: usize = 50;

/// The CSS of a `<style>` element.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HtmlStyle {
    pub text: String,
    /// The value of its `media` attribute.
    pub media: Option<String>,
    /// The other attributes of the element.
    pub attrs: Vec<Attr>,
    pub place: HtmlStylePlace,
    /// How many stylesheet links precede it, not counting those in templates and in `<noscript>`.
    pub links_before: usize,
}

/// Where a `<style>` element was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HtmlStylePlace {
    Head,
    /// In the body or in a fragment.
    Body,
    /// In a `<noscript>`: it applies where scripts do not run.
    Noscript,
    /// In a `<template>`: it has no effect until a script uses the template.
    Template,
}

/// Converts parts of one arena and collects styles, removals and notes on the way.
pub(super) struct Planter<'a> {
    arena: &'a Arena,
    mode: &'a HtmlMode,
    limits: HtmlLimits,
    nodes: usize,
    links: usize,
    pub(super) styles: Vec<HtmlStyle>,
    pub(super) removals: Removals,
    pub(super) notes: Vec<String>,
    /// Whether the output may not parse to the same tree again.
    pub(super) is_doubtful: bool,
}

impl<'a> Planter<'a> {
    pub(super) fn new(arena: &'a Arena, mode: &'a HtmlMode, limits: &HtmlLimits) -> Self {
        Self {
            arena,
            mode,
            limits: *limits,
            nodes: 0,
            links: 0,
            styles: Vec::new(),
            removals: Removals::default(),
            notes: arena
                .has_moved_loop
                .then(|| MOVED.to_owned())
                .into_iter()
                .collect(),
            is_doubtful: arena.is_doubtful,
        }
    }

    /// The descendants of a node as a forest.
    pub(super) fn forest(&mut self, root: Id) -> Result<Forest, HtmlError> {
        let mut planted = Vec::new();
        let mut open: Vec<u32> = Vec::new();
        let mut next = self.arena.first(root);
        while let Some(id) = next {
            let parent = open.last().copied();
            let position = self.plant(id, parent, &mut planted)?;
            next = match (position, self.arena.first(id)) {
                (Some(position), Some(first)) => {
                    open.push(position);
                    if open.len() >= self.limits.depth {
                        return Err(HtmlError::Depth {
                            limit: self.limits.depth,
                        });
                    }
                    Some(first)
                }
                _ => self.onward(id, root, &mut open),
            };
        }
        Ok(Forest(planted))
    }

    /// An element as a node without children, whatever its tag.
    pub(super) fn bare(&mut self, id: Id) -> Option<Node> {
        match self.arena.data(id) {
            Data::Element { name, attrs, .. } => Some(self.node(name, attrs)),
            Data::Document | Data::Doctype { .. } | Data::Text(_) | Data::Comment(_) => None,
        }
    }

    fn onward(&self, mut id: Id, root: Id, open: &mut Vec<u32>) -> Option<Id> {
        loop {
            if let Some(next) = self.arena.next(id) {
                return Some(next);
            }
            id = self.arena.parent(id).filter(|parent| *parent != root)?;
            open.pop();
        }
    }

    /// Converts one node. Returns its position, or `None` when it was left out or joined to the preceding text.
    fn plant(
        &mut self,
        id: Id,
        parent: Option<u32>,
        planted: &mut Vec<ForestNode>,
    ) -> Result<Option<u32>, HtmlError> {
        let arena = self.arena;
        let node = match arena.data(id) {
            Data::Text(text) if !self.keeps_text(id, text) || join(planted, parent, text) => None,
            Data::Text(text) => Some(Node::new(Kind::Text(text.to_string()))),
            Data::Comment(text) => Some(Node::new(Kind::Comment(comment_text(text).into_owned()))),
            Data::Element { name, attrs, .. } => self.element(id, name, attrs),
            Data::Document | Data::Doctype { .. } => None,
        };
        let Some(node) = node else { return Ok(None) };
        self.nodes += 1;
        if self.nodes > self.limits.nodes {
            return Err(HtmlError::Nodes {
                limit: self.limits.nodes,
            });
        }
        let position = u32::try_from(planted.len()).unwrap_or(u32::MAX);
        planted.push(ForestNode { parent, node });
        Ok(Some(position))
    }

    fn element(&mut self, id: Id, name: &QualName, attrs: &[Attribute]) -> Option<Node> {
        if policy::refuses_element(&name.local) {
            let at = self.tag_around(id);
            self.removals.add(&name.local.to_ascii_lowercase(), at);
            return None;
        }
        if str::eq_ignore_ascii_case(&name.local, "style") {
            self.harvest(id, attrs);
            return None;
        }
        if self.breaks_out(id, name) {
            let at = self.tag_around(id);
            self.removals
                .add(&format!("HTML element {}", name.local), at);
            return None;
        }
        let node = self.node(name, attrs);
        if let Kind::Element(element) = &node.kind
            && links_sheet(element)
            && matches!(
                self.style_place(id),
                HtmlStylePlace::Head | HtmlStylePlace::Body
            )
        {
            self.links += 1;
        }
        Some(node)
    }

    /// Whether this is an HTML element that a fragment puts into a foreign element. A browser would end the foreign
    /// element before it.
    fn breaks_out(&self, id: Id, name: &QualName) -> bool {
        let HtmlMode::Fragment(context) = self.mode else {
            return false;
        };
        let around = self.arena.parent(id);
        let is_root = around.and_then(|id| self.arena.parent(id)) == Some(DOCUMENT);
        name.ns == ns!(html) && is_root && !takes_html(context)
    }

    fn node(&mut self, name: &QualName, attrs: &[Attribute]) -> Node {
        let mut element = Element {
            tag: Name::from(name.local.clone()),
            namespace: match name.ns {
                ns!(svg) => Namespace::Svg,
                ns!(mathml) => Namespace::MathMl,
                _ => Namespace::Html,
            },
            attrs: Vec::with_capacity(attrs.len()),
        };
        let (mut classes, mut style) = (None, None);
        for attr in attrs {
            let spelling = spelling(&attr.name);
            let value = if !self.refuses(&name.local, spelling.as_str(), attr, attrs) {
                attr.value.to_string()
            } else if policy::is_link(&name.local, spelling.as_str()) {
                policy::NOWHERE.to_owned()
            } else {
                continue;
            };
            match spelling.as_str() {
                "class" => classes = Some(value),
                "style" => style = Some(value),
                _ => element.attrs.push(Attr::new(spelling, value)),
            }
        }
        let mut notes = Vec::new();
        let kind = if takes_loop(&mut element) {
            Kind::Loop(Box::new(read_loop(element.attrs, &mut notes)))
        } else if is_outlet(element.tag.as_str()) {
            read_outlet(element.attrs, &mut notes);
            Kind::Outlet
        } else {
            Kind::Element(element)
        };
        let room = NOTES_MAX.saturating_sub(self.notes.len());
        self.notes.extend(notes.into_iter().take(room));
        Node {
            classes,
            style,
            ..Node::new(kind)
        }
    }

    fn refuses(&mut self, tag: &str, name: &str, attr: &Attribute, attrs: &[Attribute]) -> bool {
        let sibling = |name: &str| {
            attrs
                .iter()
                .find(|attr| &*attr.name.local == name)
                .map(|attr| &*attr.value)
        };
        match policy::refused_attr(tag, name, &attr.value, sibling) {
            Some(what) => {
                self.removals.add(&what, tag);
                true
            }
            None => false,
        }
    }

    fn harvest(&mut self, id: Id, attrs: &[Attribute]) {
        let mut text = String::new();
        for child in self.arena.children(id) {
            match self.arena.data(child) {
                Data::Text(part) => text.push_str(part),
                Data::Element { name, .. } => self.removals.add(&name.local, "style"),
                Data::Document | Data::Doctype { .. } | Data::Comment(_) => {}
            }
        }
        let mut media = None;
        let mut rest = Vec::new();
        for attr in attrs {
            let name = spelling(&attr.name);
            if self.refuses("style", name.as_str(), attr, attrs) {
                continue;
            }
            let value = attr.value.to_string();
            if name.as_str() == "media" {
                media = Some(value);
            } else {
                rest.push(Attr::new(name, value));
            }
        }
        self.styles.push(HtmlStyle {
            text,
            media,
            attrs: rest,
            place: self.style_place(id),
            links_before: self.links,
        });
    }

    fn style_place(&self, id: Id) -> HtmlStylePlace {
        for around in self.arena.lineage(id) {
            if self.is_html(around, "template") {
                return HtmlStylePlace::Template;
            }
            if self.is_html(around, "noscript") {
                return HtmlStylePlace::Noscript;
            }
            if self.is_html(around, "head") {
                return HtmlStylePlace::Head;
            }
        }
        HtmlStylePlace::Body
    }

    fn keeps_text(&mut self, id: Id, text: &str) -> bool {
        let around = self.arena.parent(id).and_then(|id| self.arena.name(id));
        let Some(name) = around.filter(|name| name.ns == ns!(html)) else {
            return true;
        };
        let keeps = !policy::is_raw_text(&name.local) || is_raw_text_safe(text);
        if !keeps {
            self.removals.add("text that reads as markup", &name.local);
        }
        keeps
    }

    fn is_html(&self, id: Id, tag: &str) -> bool {
        self.arena
            .name(id)
            .is_some_and(|name| name.ns == ns!(html) && &*name.local == tag)
    }

    fn tag_around(&self, id: Id) -> &'a str {
        let around = self.arena.parent(id);
        match (self.mode, around.and_then(|id| self.arena.name(id))) {
            (HtmlMode::Fragment(context), _)
                if around.and_then(|id| self.arena.parent(id)) == Some(DOCUMENT) =>
            {
                context.tag.as_str()
            }
            (_, Some(name)) => &name.local,
            (_, None) => "document",
        }
    }
}

/// Whether a foreign element can contain HTML elements.
fn takes_html(element: &Element) -> bool {
    match (element.namespace, element.tag.as_str()) {
        (Namespace::Html, _)
        | (Namespace::Svg, "foreignObject" | "desc" | "title")
        | (Namespace::MathMl, "mi" | "mo" | "mn" | "ms" | "mtext") => true,
        (Namespace::MathMl, "annotation-xml") => element.attrs.iter().any(|attr| {
            attr.name.as_str() == "encoding"
                && ["text/html", "application/xhtml+xml"]
                    .iter()
                    .any(|html| attr.value.eq_ignore_ascii_case(html))
        }),
        (Namespace::Svg | Namespace::MathMl, _) => false,
    }
}

/// The name as written, such as `xlink:href`.
pub(super) fn spelling(name: &QualName) -> Name {
    match &name.prefix {
        Some(prefix) if !prefix.is_empty() => {
            Name::from(format!("{prefix}:{}", name.local).as_str())
        }
        _ => Name::from(name.local.clone()),
    }
}

/// Appends a text to the preceding node if that is a text too. Two texts meet when a node between
/// them was removed.
fn join(planted: &mut [ForestNode], parent: Option<u32>, text: &str) -> bool {
    let Some(last) = planted.last_mut().filter(|last| last.parent == parent) else {
        return false;
    };
    match &mut last.node.kind {
        Kind::Text(before) => {
            before.push_str(text);
            true
        }
        Kind::Element(_) | Kind::Comment(_) | Kind::Loop(_) | Kind::Outlet | Kind::Component(_) => {
            false
        }
    }
}

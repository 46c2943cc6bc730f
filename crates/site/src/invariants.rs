//! The guarantees of import, checked for every op: no op brings code into a document, and none makes a tree that the parser
//! reads back as a different one. So whatever wrote the ops, a published page contains no script that no one approved.
//!
//! Text that is written without escaping is safe only where the parser reads it as text. Hence these rules: text-only elements
//! contain only text, raw text contains no `<`, and SVG and MathML elements appear only where the parser reads their language.

mod language;
mod violation;

use std::collections::HashSet;

use sitewright_markup::css::{CssLimits, Piece, check_piece};
use sitewright_markup::html::{
    is_attr_name, is_raw_text, is_tag_name, is_void, refuses_attr, refuses_element,
};

use crate::field::{put_field, written};
use crate::page::check_spelling;
use crate::site::PARENTS_MAX;
use crate::{
    Attr, BodyId, Element, Entity, Kind, Namespace, NewEntity, NodeId, Op, Page, Site, Tree,
};

use language::{is_annotation, leaves_foreign, reads_html};
pub use violation::Violation;

type InvariantResult = Result<(), Violation>;

/// Checks whether an op may be applied. It reads the op and the surroundings of its target, never the whole document.
pub(crate) fn check(site: &Site, op: &Op) -> InvariantResult {
    match op {
        Op::Put {
            entity: Entity::Node { body, node },
            field,
            value,
        } => site.bodies.get(body).map_or(Ok(()), |tree| {
            put_in_node(tree, *node, field, written(value))
        }),
        Op::Put {
            entity: Entity::Page { id },
            field,
            value,
        } if field.starts_with("settings") => {
            let Some(page) = site.shell.pages.get(*id) else {
                return Ok(());
            };
            let mut changed = page.clone();
            // A value that does not fit is rejected when the op is applied.
            put_field(&mut changed, field, value).map_or(Ok(()), |_was| around(&changed))
        }
        Op::Put {
            entity: Entity::Page { id },
            field,
            value,
        } if matches!(field.as_str(), "slug" | "parentId") => {
            let Some(page) = site.shell.pages.get(*id) else {
                return Ok(());
            };
            let mut changed = page.clone();
            put_field(&mut changed, field, value)
                .map_or(Ok(()), |_was| address(site, *id, &changed))
        }
        Op::Place { body, node, place } => site
            .bodies
            .get(body)
            .map_or(Ok(()), |tree| moves(tree, *node, place.parent)),
        Op::Insert { new } => brings(site, new),
        Op::Put { .. } | Op::Order { .. } | Op::Remove { .. } => Ok(()),
    }
}

fn moves(tree: &Tree, node: NodeId, parent: NodeId) -> InvariantResult {
    let context = Context::of(tree, Some(parent));
    let Some(moved) = tree.node(node) else {
        return Ok(());
    };
    context.takes(&moved.kind)?;
    if !context.in_noscript {
        return Ok(());
    }
    let mut within = tree.walk(node).filter_map(|id| tree.node(id));
    within.try_for_each(|node| match &node.kind {
        Kind::Comment(text) => context.takes_comment(text),
        _ => Ok(()),
    })
}

fn brings(site: &Site, new: &NewEntity) -> InvariantResult {
    match new {
        NewEntity::Nodes { body, nodes, place } => {
            let Some(tree) = site.bodies.get(body) else {
                return Ok(());
            };
            let outside = Context::of(tree, Some(place.parent));
            let list = nodes.nodes();
            forest(
                list.iter().map(|grown| (grown.parent, &grown.node.kind)),
                &outside,
            )
        }
        NewEntity::Page { id, page, tree, .. } => {
            address(site, *id, page)?;
            around(page)?;
            let list = tree.nodes().iter();
            forest(
                list.map(|grown| (grown.parent, &grown.node.kind)),
                &Context::html(),
            )
        }
        NewEntity::Component { tree, .. } => {
            let list = tree.nodes().iter();
            forest(
                list.map(|grown| (grown.parent, &grown.node.kind)),
                &Context::html(),
            )
        }
        NewEntity::Item { pieces, .. } => pieces.iter().try_for_each(|(_, piece)| rule(piece)),
        NewEntity::Piece { piece, .. } => rule(piece),
    }
}

fn rule(piece: &Piece) -> InvariantResult {
    check_piece(piece, &CssLimits::default()).map_err(Violation::Css)
}

/// Checks a page's address: the slug must be valid in a URL, and the page must not be under itself.
fn address(site: &Site, id: BodyId, page: &Page) -> InvariantResult {
    check_spelling(&page.slug)?;
    let pages = &site.shell.pages;
    let mut above = std::iter::successors(page.parent_id, |at| pages.get(*at)?.parent_id);
    if above.by_ref().take(PARENTS_MAX).any(|at| at == id) {
        return Err(Violation::OwnParent);
    }
    // Code that builds an address walks up to the top, so the number of ancestors is limited.
    match above.next() {
        Some(_) => Err(Violation::TooManyParents),
        None => Ok(()),
    }
}

/// Checks the settings around a page's content: doctype, the attributes of `<html>` and `<head>`, and the nodes of the head.
fn around(page: &Page) -> InvariantResult {
    let settings = &page.settings;
    // An empty string means that the page has no doctype.
    if let Some(doctype) = settings.doctype.as_deref().filter(|text| !text.is_empty()) {
        let inner = doctype.strip_suffix('>').unwrap_or_default();
        let declares = inner
            .get(..9)
            .is_some_and(|start| start.eq_ignore_ascii_case("<!doctype"));
        if !declares || inner[1..].contains(['<', '>']) {
            return Err(Violation::Doctype);
        }
    }
    for (tag, attrs) in [
        ("html", &settings.html_attrs),
        ("head", &settings.head_attrs),
    ] {
        // These two elements are not nodes, so class and style are plain attributes on them.
        let plain = |attr: &&Attr| !matches!(attr.name.as_str(), "class" | "style");
        element(&Element {
            tag: tag.into(),
            namespace: Namespace::Html,
            attrs: attrs.iter().filter(plain).cloned().collect(),
        })?;
    }
    let list = settings.head.0.iter();
    forest(
        list.map(|planted| (planted.parent, &planted.node.kind)),
        &Context::html(),
    )
}

/// Checks nodes in document order, each with the position of its parent.
fn forest<'a>(
    nodes: impl Iterator<Item = (Option<u32>, &'a Kind)>,
    outside: &Context<'a>,
) -> InvariantResult {
    let mut contexts: Vec<Context<'a>> = Vec::new();
    for (parent, kind) in nodes {
        let context = match parent {
            None => outside,
            // A list that is not a tree is rejected when the tree is built.
            Some(parent) => match contexts.get(parent as usize) {
                Some(context) => context,
                None => return Ok(()),
            },
        };
        context.takes(kind)?;
        if let Kind::Element(own) = kind {
            element(own)?;
        }
        let inner = context.within(kind);
        contexts.push(inner);
    }
    Ok(())
}

fn element(element: &Element) -> InvariantResult {
    let tag = element.tag.as_str();
    if !is_tag_name(tag) {
        return Err(Violation::TagName {
            tag: tag.to_owned(),
        });
    }
    if refuses_element(tag) {
        return Err(Violation::RefusedElement {
            tag: tag.to_owned(),
        });
    }
    if element.namespace != Namespace::Html && leaves_foreign(element) {
        return Err(Violation::HtmlTagInForeign {
            tag: tag.to_owned(),
        });
    }
    let mut names = HashSet::with_capacity(element.attrs.len());
    for attr in &element.attrs {
        if !names.insert(&attr.name) {
            return Err(Violation::RepeatedAttribute {
                name: attr.name.as_str().to_owned(),
            });
        }
        attribute(element, attr)?;
    }
    Ok(())
}

fn attribute(element: &Element, attr: &Attr) -> InvariantResult {
    let name = attr.name.as_str();
    if !is_attr_name(name) {
        return Err(Violation::AttributeName {
            name: name.to_owned(),
        });
    }
    if name.eq_ignore_ascii_case("class") || name.eq_ignore_ascii_case("style") {
        return Err(Violation::FieldAsAttribute {
            name: name.to_owned(),
        });
    }
    match refuses_attr(element, attr) {
        Some(what) => Err(Violation::RunsCode { what }),
        None => Ok(()),
    }
}

fn put_in_node(tree: &Tree, node: NodeId, field: &str, value: &str) -> InvariantResult {
    let Some(found) = tree.node(node) else {
        return Ok(());
    };
    let context = || Context::of(tree, tree.parent(node));
    match (&found.kind, field) {
        (Kind::Text(_), "text") => context().takes_text(value),
        (Kind::Comment(_), "text") => context().takes_comment(value),
        (Kind::Element(own), "tag") => {
            let renamed = Element {
                tag: value.into(),
                ..own.clone()
            };
            element(&renamed)?;
            let kind = Kind::Element(renamed);
            context().takes(&kind)?;
            // The children must fit the new tag as well.
            let inner = context().within(&kind);
            let mut children = tree.children(node).filter_map(|child| tree.node(child));
            children.try_for_each(|child| inner.takes(&child.kind))
        }
        (Kind::Element(own), field) => match field.strip_prefix("attrs.") {
            Some(name) => {
                let attr = Attr::new(name, value);
                let mut changed = own.clone();
                changed.attrs.retain(|own| own.name != attr.name);
                changed.attrs.push(attr);
                // The whole element is checked, because one attribute can change what another means: a refresh, the icon of a
                // link.
                element(&changed)
            }
            None => Ok(()),
        },
        _ => Ok(()),
    }
}

/// The surroundings of a node, as far as they decide how the parser reads its content.
#[derive(Debug, Clone, Copy)]
struct Context<'a> {
    /// The nearest element; loops and other nodes that write no tag are skipped.
    parent: Option<&'a Element>,
    in_noscript: bool,
}

impl<'a> Context<'a> {
    fn html() -> Self {
        Self {
            parent: None,
            in_noscript: false,
        }
    }

    fn of(tree: &'a Tree, parent: Option<NodeId>) -> Self {
        let mut context = Self::html();
        let above = std::iter::successors(parent, |id| tree.parent(*id));
        for kind in above.filter_map(|id| tree.node(id)).map(|node| &node.kind) {
            if let Kind::Element(element) = kind {
                context.parent = context.parent.or(Some(element));
                context.in_noscript |= is_html(element, "noscript");
            }
        }
        context
    }

    /// The context of the children of a node in this context.
    fn within<'b>(&self, kind: &'b Kind) -> Context<'b>
    where
        'a: 'b,
    {
        match kind {
            Kind::Element(element) => Context {
                parent: Some(element),
                in_noscript: self.in_noscript || is_html(element, "noscript"),
            },
            Kind::Text(_)
            | Kind::Comment(_)
            | Kind::Loop(_)
            | Kind::Outlet
            | Kind::Component(_) => *self,
        }
    }

    fn takes(&self, kind: &Kind) -> InvariantResult {
        match kind {
            Kind::Text(text) => return self.takes_text(text),
            Kind::Comment(text) => return self.takes_comment(text),
            Kind::Element(_) | Kind::Loop(_) | Kind::Outlet | Kind::Component(_) => {}
        }
        if let Some(parent) = self.parent.filter(|parent| holds_text_alone(parent)) {
            return Err(Violation::InTextOnlyElement {
                parent: tag_of(parent),
            });
        }
        self.not_in_void()?;
        let reads_html = self.parent.is_none_or(reads_html);
        match kind {
            Kind::Element(element) => self.takes_language(element, reads_html),
            // Their content is HTML.
            Kind::Outlet | Kind::Component(_) if !reads_html => {
                Err(Violation::HtmlContentInForeign)
            }
            _ => Ok(()),
        }
    }

    fn takes_language(&self, element: &Element, reads_html: bool) -> InvariantResult {
        let tag = element.tag.as_str();
        let parent = self
            .parent
            .map_or(Namespace::Html, |parent| parent.namespace);
        let fits = match element.namespace {
            Namespace::Html => reads_html,
            Namespace::Svg => {
                (reads_html && tag == "svg")
                    || (!reads_html && parent == Namespace::Svg)
                    || self
                        .parent
                        .is_some_and(|parent| is_annotation(parent) && tag == "svg")
            }
            Namespace::MathMl => {
                (reads_html
                    && (tag == "math"
                        || matches!(tag, "mglyph" | "malignmark") && parent == Namespace::MathMl))
                    || (!reads_html && parent == Namespace::MathMl)
            }
        };
        if fits {
            return Ok(());
        }
        Err(Violation::OtherLanguage {
            tag: tag.to_owned(),
            parent: self.parent.map_or_else(|| "body".to_owned(), tag_of),
        })
    }

    fn takes_text(&self, text: &str) -> InvariantResult {
        self.not_in_void()?;
        match self.parent {
            Some(parent)
                if parent.namespace == Namespace::Html
                    && is_raw_text(parent.tag.as_str())
                    && text.contains('<') =>
            {
                Err(Violation::TagInRawText {
                    parent: tag_of(parent),
                })
            }
            Some(_) | None => Ok(()),
        }
    }

    fn takes_comment(&self, text: &str) -> InvariantResult {
        self.not_in_void()?;
        if let Some(parent) = self.parent.filter(|parent| holds_text_alone(parent)) {
            return Err(Violation::InTextOnlyElement {
                parent: tag_of(parent),
            });
        }
        if self.in_noscript && text.to_ascii_lowercase().contains("</noscript") {
            return Err(Violation::NoscriptEndInComment);
        }
        Ok(())
    }

    fn not_in_void(&self) -> InvariantResult {
        match self.parent.filter(|parent| is_void(parent)) {
            Some(parent) => Err(Violation::InVoidElement {
                parent: tag_of(parent),
            }),
            None => Ok(()),
        }
    }
}

fn tag_of(element: &Element) -> String {
    element.tag.as_str().to_owned()
}

fn is_html(element: &Element, tag: &str) -> bool {
    element.namespace == Namespace::Html && element.tag.as_str() == tag
}

/// Whether the parser reads the element's content as text, whatever it contains.
fn holds_text_alone(element: &Element) -> bool {
    let tag = element.tag.as_str();
    element.namespace == Namespace::Html
        && (is_raw_text(tag) || matches!(tag, "title" | "textarea"))
}

#[cfg(test)]
mod tests;

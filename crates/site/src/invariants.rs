//! The guarantees of import, checked for every op: no op brings code into a document, and none makes a tree that the parser
//! reads back as a different one. So whatever wrote the ops, a published page contains no script that no one approved.
//!
//! Two things make a page safe. What is written contains a `<` only where a tag or a comment of ours begins
//! (`markup::html::write`), so no text turns into a tag, wherever the parser may read it. And no element or attribute that runs
//! code is in a document, in any place or spelling; that is checked here for what ops bring, and when bindings are filled for
//! what data brings. The rules about places (text-only elements contain only text, SVG and MathML appear only where the parser
//! reads their language) keep the tree that visitors get the one that was edited.

mod context;
mod language;
mod violation;

use std::collections::HashSet;

use serde_json::Value;
use sitewright_markup::css::{CssLimits, Piece, check_piece};
use sitewright_markup::html::{
    is_attr_name, is_tag_name, parser_spelling, refuses_attr, refuses_element,
};

use crate::field::{put_field, written};
use crate::page::check_spelling;
use crate::site::PARENTS_MAX;
use crate::{
    Attr, BodyId, Element, Entity, Kind, Namespace, NewEntity, NodeId, Op, Page, Site, Subtree,
    Tree,
};

use context::Context;
use language::{leaves_foreign, reads_html};
pub use violation::Violation;

type InvariantResult = Result<(), Violation>;

/// Checks whether an op may be applied. It reads the op and the surroundings of its target, never the whole document.
pub(crate) fn check(site: &Site, op: &Op) -> InvariantResult {
    match op {
        Op::Put {
            entity: Entity::Node { body, node },
            field,
            value,
        } => site
            .bodies
            .get(body)
            .map_or(Ok(()), |tree| put_in_node(tree, *node, field, value)),
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
    match tree.node(node) {
        Some(moved) => fits(tree, node, &moved.kind, &context),
        None => Ok(()),
    }
}

/// Checks a node of this kind, with what its place decides about its descendants. An element decides for its own content, so
/// only loops and other nodes that write no tag are looked into.
fn fits(tree: &Tree, node: NodeId, kind: &Kind, context: &Context<'_>) -> InvariantResult {
    context.takes(kind)?;
    match kind {
        Kind::Loop(_) | Kind::Outlet | Kind::Component(_) => contents_fit(tree, node, context),
        Kind::Element(_) | Kind::Text(_) | Kind::Comment(_) => Ok(()),
    }
}

/// Checks the children of a node in this context.
fn contents_fit(tree: &Tree, node: NodeId, context: &Context<'_>) -> InvariantResult {
    let mut left: Vec<NodeId> = tree.children(node).collect();
    while let Some(id) = left.pop() {
        let Some(child) = tree.node(id) else { continue };
        context.takes(&child.kind)?;
        if !matches!(child.kind, Kind::Element(_)) {
            left.extend(tree.children(id));
        }
    }
    Ok(())
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
            document(tree)
        }
        NewEntity::Component { tree, .. } => document(tree),
        NewEntity::Item { pieces, .. } => pieces.iter().try_for_each(|(_, piece)| rule(piece)),
        NewEntity::Piece { piece, .. } => rule(piece),
        // An entry is data: it is escaped where a page shows it.
        NewEntity::Record { .. } => Ok(()),
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
    for planted in &settings.head.0 {
        if let (None, Kind::Element(own)) = (planted.parent, &planted.node.kind)
            && !HEAD_CONTENT.contains(&own.tag.as_str())
        {
            return Err(Violation::NotInHead {
                tag: own.tag.as_str().to_owned(),
            });
        }
    }
    let list = settings.head.0.iter();
    forest(
        list.map(|planted| (planted.parent, &planted.node.kind)),
        &Context::html(),
    )
}

/// The elements that the parser leaves in the head; at any other it begins the body.
const HEAD_CONTENT: [&str; 7] = [
    "title", "meta", "link", "style", "noscript", "noframes", "template",
];

/// Checks the tree of a document. Its root is written as `body` or not at all, so what is in it is always in HTML.
fn document(tree: &Subtree) -> InvariantResult {
    let list = tree.nodes();
    if let Some(Kind::Element(root)) = list.first().map(|grown| &grown.node.kind) {
        element(root)?;
    }
    let html = Context::html();
    let mut contexts = vec![html];
    contained(
        list.iter()
            .map(|grown| (grown.parent, &grown.node.kind))
            .skip(1),
        &html,
        &mut contexts,
    )
}

/// Checks nodes in document order, each with the position of its parent.
fn forest<'a>(
    nodes: impl Iterator<Item = (Option<u32>, &'a Kind)>,
    outside: &Context<'a>,
) -> InvariantResult {
    contained(nodes, outside, &mut Vec::new())
}

/// Checks nodes that follow others; `contexts` has the context inside each one so far.
fn contained<'a>(
    nodes: impl Iterator<Item = (Option<u32>, &'a Kind)>,
    outside: &Context<'a>,
    contexts: &mut Vec<Context<'a>>,
) -> InvariantResult {
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
    if let Some(spelling) = parser_spelling(element) {
        return Err(Violation::TagSpelling {
            tag: tag.to_owned(),
            spelling,
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
        // The parser keeps the first of several that differ in case alone.
        if !names.insert(attr.name.as_str().to_ascii_lowercase()) {
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

fn put_in_node(tree: &Tree, node: NodeId, field: &str, value: &Value) -> InvariantResult {
    let Some(found) = tree.node(node) else {
        return Ok(());
    };
    let context = || Context::of(tree, tree.parent(node));
    match (&found.kind, field) {
        (Kind::Text(_), "text") => context().takes_text(written(value)),
        (Kind::Element(own), "tag") => changes(
            tree,
            node,
            own,
            Element {
                tag: written(value).into(),
                ..own.clone()
            },
        ),
        (Kind::Element(own), field) => match field.strip_prefix("attrs.") {
            Some(name) => {
                let mut changed = own.clone();
                changed.attrs.retain(|own| own.name.as_str() != name);
                if !value.is_null() {
                    changed.attrs.push(Attr::new(name, written(value)));
                }
                changes(tree, node, own, changed)
            }
            None => Ok(()),
        },
        _ => Ok(()),
    }
}

/// Checks an element as it would become. All of it is checked, because one attribute can change what another means: a refresh,
/// the icon of a link. Its place and its content are checked when the parser would read them in another way.
fn changes(tree: &Tree, node: NodeId, own: &Element, changed: Element) -> InvariantResult {
    element(&changed)?;
    let reads_alike = own.tag == changed.tag && reads_html(own) == reads_html(&changed);
    if reads_alike || tree.parent(node).is_none() {
        return Ok(());
    }
    let context = Context::of(tree, tree.parent(node));
    let kind = Kind::Element(changed);
    context.takes(&kind)?;
    contents_fit(tree, node, &context.within(&kind))
}

#[cfg(test)]
mod tests;

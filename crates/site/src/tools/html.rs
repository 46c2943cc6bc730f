//! Structure as HTML: inserting it, replacing the content of a node, reading it back.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sitewright_markup::html::{
    HtmlLimits, HtmlMode, HtmlStyle, ImportedHtml, import_html, is_void, write_forest,
};
use sitewright_tool::definition::{edit, view};
use sitewright_tool::{ErrorCode, ToolError};

use crate::{
    BodyId, Forest, ForestNode, Kind, Namespace, Need, NewEntity, Node, NodeId, Op, Place, Subtree,
    SubtreeNode, check_bindings, literal_text,
};

use super::css::{self, CssCounts};
use super::work::{LocatedNode, Stop, Work};
use super::{PureBody as _, SiteTool};

/// More nodes than this would exceed the size limit of a change, so importing them would be wasted work.
pub(super) const LIMITS: HtmlLimits = HtmlLimits {
    bytes: 10_000_000,
    nodes: 65_000,
    depth: 512,
    attributes: 256,
};

pub(super) fn tools() -> Vec<SiteTool> {
    let read = view(
        "getNodeHtml",
        "Read a node's HTML",
        "Answers the exact HTML of a node and everything in it.",
    )
    .words("Reading an element", "Read an element")
    .subject("nodeId")
    .heavy()
    .with(read);
    vec![
        edit(
            "insertHtml",
            "Insert HTML",
            "Inserts semantic HTML under a node. Style it with class attributes and a <style> block in the same HTML: new rules are added, \
             existing ones stay as they are. <sw-loop> and <sw-outlet> become loops and outlets. Scripts and event handlers \
             are taken out and reported. HTML of nothing but <style> edits rules as applyCss does.")
        .words("Adding content", "Added content").subject("parentId").with(insert),
        read,
        edit(
            "replaceNodeHtml",
            "Replace what a node holds",
            "Replaces everything in a node by other HTML; the node itself stays. HTML of nothing but <style> edits rules and leaves the node \
             alone.")
        .words("Replacing content", "Replaced content").subject("nodeId").with(replace),
    ]
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct InsertHtml {
    /// The node to insert under.
    pub(crate) parent_id: NodeId,
    /// The place among its children, from 0; last when left out.
    pub(crate) index: Option<u32>,
    /// The HTML.
    pub(crate) html: String,
    /// What braces in it mean; bindings when left out.
    #[serde(default)]
    pub(crate) braces: Braces,
    /// What becomes of an h1 in it; as written when left out.
    #[serde(default)]
    pub(crate) headings: Headings,
}

/// How braces in HTML are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Braces {
    /// `{page.title}` is a binding.
    #[default]
    Bindings,
    /// They are ordinary text, as in HTML from another place.
    Literal,
}

/// How headings in HTML are levelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Headings {
    /// They stay.
    #[default]
    AsWritten,
    /// An h1 becomes an h2 where the page has an h1.
    OneMain,
}

/// What came of it: nodes, or rules when there was nothing but CSS.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct InsertedHtml {
    /// The new nodes directly under the parent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) node_ids: Option<Vec<NodeId>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) css_rules_created: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) css_rules_updated: Option<usize>,
}

impl From<CssCounts> for InsertedHtml {
    fn from(counts: CssCounts) -> Self {
        let CssCounts {
            css_rules_created,
            css_rules_updated,
        } = counts;
        Self {
            node_ids: None,
            css_rules_created: Some(css_rules_created),
            css_rules_updated: Some(css_rules_updated),
        }
    }
}

pub(crate) fn insert(input: InsertHtml, work: &mut Work<'_>) -> Result<InsertedHtml, Stop> {
    let parent = work.find(input.parent_id)?;
    let mut imported = import(work, parent, &input.html, input.braces)?;
    if let Some(css) = only_css(&imported) {
        return css::upsert(work, &css).map(InsertedHtml::from);
    }
    if input.headings == Headings::OneMain && has_main_heading(work, parent.body)? {
        lower_main_headings(&mut imported.content);
    }
    let children: Vec<NodeId> = work.tree(parent.body)?.children(parent.node).collect();
    let index = input
        .index
        .map_or(children.len(), |index| (index as usize).min(children.len()));
    let after = index.checked_sub(1).map(|before| children[before]);
    plant(work, parent, after, imported)
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct ReplaceNodeHtml {
    /// The node whose content is replaced.
    pub(crate) node_id: NodeId,
    /// The HTML.
    pub(crate) html: String,
}

pub(crate) fn replace(input: ReplaceNodeHtml, work: &mut Work<'_>) -> Result<InsertedHtml, Stop> {
    let parent = work.find(input.node_id)?;
    let imported = import(work, parent, &input.html, Braces::Bindings)?;
    if let Some(css) = only_css(&imported) {
        return css::upsert(work, &css).map(InsertedHtml::from);
    }
    let children: Vec<NodeId> = work.tree(parent.body)?.children(parent.node).collect();
    for node in children {
        let child = LocatedNode {
            body: parent.body,
            node,
        };
        let touched = work.touched(child);
        work.step(Op::Remove {
            entity: child.entity(),
        })?;
        work.receipt.removed.push(touched);
    }
    plant(work, parent, None, imported)
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct GetNodeHtml {
    /// The node.
    pub(crate) node_id: NodeId,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct NodeHtml {
    pub(crate) html: String,
}

pub(crate) fn read(input: GetNodeHtml, work: &mut Work<'_>) -> Result<NodeHtml, Stop> {
    let found = work.find(input.node_id)?;
    let subtree = work
        .tree(found.body)?
        .subtree(found.node)
        .ok_or_else(|| Stop::not_found("The node is gone."))?;
    let planted = subtree
        .nodes()
        .iter()
        .map(|grown| {
            let mut node = grown.node.clone();
            if let Kind::Element(element) = &mut node.kind {
                *element = work.site.readdressed(element).into_owned();
            }
            ForestNode {
                parent: grown.parent,
                node,
            }
        })
        .collect();
    let mut html = String::new();
    write_forest(&mut html, &Forest(planted), None);
    Ok(NodeHtml { html })
}

/// Parses HTML in the context of the parent.
fn import(
    work: &mut Work<'_>,
    parent: LocatedNode,
    html: &str,
    braces: Braces,
) -> Result<ImportedHtml, Stop> {
    let mode = match &work.node(parent)?.kind {
        Kind::Element(element) if is_void(element) => {
            return Err(Stop::invalid(format!(
                "<{}> holds nothing; insert beside it, under its parent.",
                element.tag.as_str()
            )));
        }
        Kind::Element(element) => HtmlMode::Fragment(element.clone()),
        Kind::Text(_) | Kind::Comment(_) => {
            return Err(Stop::invalid(
                "Text holds no HTML; insert under its parent.",
            ));
        }
        Kind::Outlet => {
            return Err(Stop::invalid(
                "An outlet holds what it wraps; insert beside it, under its parent.",
            ));
        }
        Kind::Loop(_) | Kind::Component(_) => HtmlMode::body(),
    };
    let mut imported = import_html(html, &mode, &LIMITS)
        .map_err(|error| ToolError::new(ErrorCode::TooLarge, format!("{error}.")))?;
    if imported.content.0.is_empty() && imported.styles.is_empty() && imported.removed.is_empty() {
        return Err(Stop::invalid("There is nothing in the HTML."));
    }
    for ForestNode { node, .. } in &mut imported.content.0 {
        match braces {
            Braces::Bindings => check_node(node)?,
            Braces::Literal => escape_braces(node),
        }
    }
    Ok(imported)
}

/// Keeps braces in a node from being read as bindings.
pub(super) fn escape_braces(node: &mut Node) {
    let escape = |text: &mut String| {
        if let Cow::Owned(escaped) = literal_text(text) {
            *text = escaped;
        }
    };
    match &mut node.kind {
        Kind::Text(text) => escape(text),
        Kind::Element(element) => element
            .attrs
            .iter_mut()
            .for_each(|attr| escape(&mut attr.value)),
        Kind::Comment(_) | Kind::Loop(_) | Kind::Outlet | Kind::Component(_) => {}
    }
    node.classes.iter_mut().for_each(escape);
    node.style.iter_mut().for_each(escape);
}

/// Whether a document has a main heading, which may be in one of its sections.
fn has_main_heading(work: &Work<'_>, body: BodyId) -> Result<bool, Stop> {
    let tree = work.tree(body)?;
    let templates = tree
        .walk(tree.root())
        .filter_map(|id| match &tree.node(id)?.kind {
            Kind::Component(used) => work.site.section_template(used),
            _ => None,
        });
    let closed: Vec<Need> = templates
        .filter(|id| !work.site.bodies.contains_key(id))
        .map(Need::Body)
        .collect();
    match closed.is_empty() {
        true => Ok(work.site.main_heading(body).is_some()),
        false => Err(Stop::Needs(closed)),
    }
}

fn lower_main_headings(content: &mut Forest) {
    for ForestNode { node, .. } in &mut content.0 {
        if let Kind::Element(element) = &mut node.kind
            && element.namespace == Namespace::Html
            && element.tag.as_str() == "h1"
        {
            element.tag = "h2".into();
        }
    }
}

/// Checks that bindings use our syntax; others would be shown as text instead of being filled in.
fn check_node(node: &Node) -> Result<(), Stop> {
    let texts: Vec<&str> = match &node.kind {
        Kind::Text(text) => vec![text],
        Kind::Element(element) => element
            .attrs
            .iter()
            .map(|attr| attr.value.as_str())
            .collect(),
        Kind::Comment(_) | Kind::Loop(_) | Kind::Outlet | Kind::Component(_) => Vec::new(),
    };
    texts.into_iter().try_for_each(|text| {
        check_bindings(text).map_err(|error| Stop::invalid(format!("{error}.")))
    })
}

/// The CSS, when the HTML contains nothing else but white space.
fn only_css(imported: &ImportedHtml) -> Option<String> {
    let blank =
        imported.content.0.iter().all(
            |planted| matches!(&planted.node.kind, Kind::Text(text) if text.trim().is_empty()),
        );
    (blank && !imported.styles.is_empty()).then(|| css_of(&imported.styles))
}

fn css_of(styles: &[HtmlStyle]) -> String {
    let texts = styles.iter().map(|style| match &style.media {
        Some(media) => format!("@media {media} {{\n{}\n}}", style.text),
        None => style.text.clone(),
    });
    texts.collect::<Vec<_>>().join("\n")
}

/// Inserts imported HTML under the parent: the nodes after `after`, the rules that are new, and notes about what was
/// removed.
fn plant(
    work: &mut Work<'_>,
    parent: LocatedNode,
    after: Option<NodeId>,
    imported: ImportedHtml,
) -> Result<InsertedHtml, Stop> {
    let ImportedHtml {
        mut content,
        styles,
        removed,
        notes,
        ..
    } = imported;
    one_outlet(work, parent, &content)?;
    work.site.aim(parent.body, &mut content);
    let mut after = after;
    let mut node_ids = Vec::new();
    for subtree in subtrees(content, work)? {
        let id = subtree.nodes()[0].id;
        let place = Place {
            parent: parent.node,
            after,
        };
        work.step(Op::Insert {
            new: Box::new(NewEntity::Nodes {
                body: parent.body,
                nodes: subtree,
                place,
            }),
        })?;
        let touched = work.touched(LocatedNode {
            body: parent.body,
            node: id,
        });
        work.receipt.created.push(touched);
        node_ids.push(id);
        after = Some(id);
    }
    if !styles.is_empty() {
        css::add(work, &css_of(&styles))?;
    }
    work.receipt.sanitised.extend(removed);
    work.receipt.notes.extend(notes);
    Ok(InsertedHtml {
        node_ids: Some(node_ids),
        css_rules_created: None,
        css_rules_updated: None,
    })
}

fn one_outlet(work: &Work<'_>, parent: LocatedNode, content: &Forest) -> Result<(), Stop> {
    let tree = work.tree(parent.body)?;
    let there = tree
        .walk(tree.root())
        .filter(|node| {
            tree.node(*node)
                .is_some_and(|node| node.kind == Kind::Outlet)
        })
        .count();
    let new = content
        .0
        .iter()
        .filter(|planted| planted.node.kind == Kind::Outlet)
        .count();
    if new > 0 && there + new > 1 {
        return Err(Stop::conflict(
            "A document has one outlet at most, and there is one already.",
        ));
    }
    Ok(())
}

/// Splits a forest into its trees and assigns ids.
fn subtrees(forest: Forest, work: &mut Work<'_>) -> Result<Vec<Subtree>, Stop> {
    let mut trees: Vec<Vec<SubtreeNode>> = Vec::new();
    let mut start = 0;
    for (position, ForestNode { parent, node }) in forest.0.into_iter().enumerate() {
        if parent.is_none() {
            start = position;
            trees.push(Vec::new());
        }
        // Each node comes after its parent, so the parent is in the last tree.
        let within = |parent: u32| u32::try_from(parent as usize - start).unwrap_or(0);
        let grown = SubtreeNode {
            id: work.mint.mint(),
            parent: parent.map(within),
            node,
        };
        if let Some(tree) = trees.last_mut() {
            tree.push(grown);
        }
    }
    let grown = trees.into_iter().map(|nodes| {
        Subtree::new(nodes).map_err(|misplaced| Stop::invalid(format!("{misplaced}.")))
    });
    grown.collect()
}

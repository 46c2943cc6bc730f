//! Rendering: one way for the canvas and the published page. Templates, components and loops are walked where they lie, so a
//! node keeps its id wherever it shows up.
//!
//! Rendering never fetches. What it lacks (a document that is not open, rows of a loop) it asks for, and is called again.

mod compose;
mod head;
mod outside;
mod scope;
mod scripts;
mod walk;

use std::collections::{BTreeMap, HashMap, HashSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{BodyId, Direction, NodeId, Reference, Site};

pub use outside::{
    BadFontQuery, FontQuery, FontReport, Frame, FrameBox, FrameLayout, FrameQuery, FrameReport,
    FrameWarning, FrameWarningKind, Viewport,
};

pub(crate) use compose::templates_for;

/// What a rendering is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// Visitors.
    Publish,
    /// The editor's canvas: every element says which node it is, in `data-sw-node`, and a comment before each text says which
    /// text it is: `sw-text`, its document, its node.
    Canvas,
}

/// What is known of the world outside the documents.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Facts {
    /// The entry the page shows, where it shows one.
    pub entry: Option<Value>,
    /// The collection that entry is from.
    pub collection: Option<String>,
    /// What the address says: `path`, `slug`, `segments`, `query`.
    pub route: Value,
    /// Where the site is for visitors, such as `https://www.example.com`, when that is known.
    pub base: Option<String>,
    /// The rows of loops, as they were asked for.
    pub rows: HashMap<String, Vec<Value>>,
    /// The collections of the site, once they were asked for.
    pub collections: Option<Vec<Collection>>,
    /// Nodes that were looked for and are in no document.
    pub unknown_nodes: HashSet<NodeId>,
    /// Where entries and media are that something points at; nothing for what is gone.
    pub addresses: HashMap<Reference, Option<String>>,
    /// What came of the frames that were asked for.
    pub frames: HashMap<FrameQuery, FrameReport>,
    /// What came of the fonts that were asked for.
    pub fonts: HashMap<FontQuery, FontReport>,
}

/// A collection of entries, as far as pages and loops need to know it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Collection {
    /// The collection.
    pub id: String,
    /// Its short name.
    pub slug: String,
    /// What people call it.
    pub label: String,
    /// Where the addresses of its entries begin, when they have pages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub route_base: Option<String>,
    /// The names of its fields.
    pub fields: Vec<String>,
}

/// What a rendering asks for.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Need {
    /// A document to be opened.
    Body(BodyId),
    /// The document that holds this node, to be opened; a node that nobody has goes into `Facts::unknown_nodes`.
    Owner(NodeId),
    /// The collections of the site, in `Facts::collections`.
    Collections,
    /// Rows, under the key that `Facts::rows` is to have them.
    Rows {
        /// The key.
        key: String,
        /// Which rows.
        query: Box<RowQuery>,
    },
    /// Where an entry or a file is, in `Facts::addresses`.
    Address(Reference),
    /// A look at a rendered document, in `Facts::frames`.
    Frame(FrameQuery),
    /// A web font to be installed, in `Facts::fonts`.
    FontFamily(FontQuery),
}

/// Which rows a loop wants, with its bindings filled in.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RowQuery {
    /// The source, such as `data.rows`.
    pub source: String,
    /// The table, for sources that have several.
    pub table: Option<String>,
    /// The field to sort by.
    pub order: Option<String>,
    /// Which end comes first.
    pub direction: Direction,
    /// How many at most.
    pub limit: Option<u32>,
    /// How many to leave out at the start.
    pub offset: u32,
    /// Which, by field and value.
    pub filter: BTreeMap<String, String>,
}

impl RowQuery {
    /// The key under which the rows are kept: equal for equal wishes.
    pub fn key(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }
}

/// What came of a rendering.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "{T}Outcome")]
pub enum Outcome<T> {
    /// It is done.
    Done(T),
    /// It lacks these; with them in the facts it can be called again.
    Needs(Vec<Need>),
}

/// A rendered page, or a part of one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Rendered {
    /// The whole document, or the part.
    pub html: String,
    /// The page, the templates around it and the components in it, outermost first.
    pub documents: Vec<BodyId>,
    /// What could not be rendered, in sentences: components in themselves, loops without end.
    pub problems: Vec<String>,
}

impl Site {
    /// Renders a page with the templates around it; nothing when there is no such page.
    pub fn render(
        &self,
        page: BodyId,
        purpose: Purpose,
        facts: &Facts,
    ) -> Option<Outcome<Rendered>> {
        let found = self.shell.pages.get(page)?;
        let mut layers = templates_for(self, page, found, facts);
        layers.push(page);
        Some(match walk::body(self, &layers, purpose, facts) {
            Outcome::Needs(needs) => Outcome::Needs(needs),
            Outcome::Done(body) => {
                Outcome::Done(head::document(self, (page, found), (purpose, facts), body))
            }
        })
    }

    /// Renders a node with everything in it for the canvas, as its document alone shows it: a component with the values its
    /// params have when nobody gives any. Nothing when the document is open and has no such node.
    pub fn render_node(
        &self,
        body: BodyId,
        node: NodeId,
        facts: &Facts,
    ) -> Option<Outcome<Rendered>> {
        let Some(tree) = self.bodies.get(&body) else {
            return Some(Outcome::Needs(vec![Need::Body(body)]));
        };
        tree.node(node)?;
        Some(walk::node(self, (body, node), facts))
    }
}

#[cfg(test)]
mod tests;

//! Rendering, with the same code for the canvas and the published page. Templates, components and loops are walked in place and
//! not copied, so a node keeps its id wherever it appears.
//!
//! Rendering never fetches. When something is missing (a document that is not open, rows of a loop), it returns what it needs,
//! and the caller supplies it and renders again.

mod compose;
mod elements;
mod entries;
mod head;
mod outside;
mod scope;
mod scripts;
mod subject;
mod walk;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{BodyId, Direction, ItemId, NodeId, RecordId, Reference, Site};

use subject::Subject;

pub use entries::{EntryFilter, EntryList, EntryOrder, EntryQuery, EntryRow};
pub use outside::{
    BadFontQuery, FontQuery, FontReport, Frame, FrameBox, FrameLayout, FrameQuery, FrameReport,
    FrameWarning, FrameWarningKind, Viewport,
};

pub(crate) use compose::templates_for;
pub use subject::part_address;

/// What a rendering is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    Publish,
    /// The editor's canvas: every element carries its node id in `data-sw-node`, and a comment before each text identifies it:
    /// `sw-text`, its document, its node.
    Canvas,
}

/// Data from outside the documents.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Facts {
    /// The entry that the page shows, if it shows one.
    pub entry: Option<Value>,
    /// The collection of that entry.
    pub collection: Option<String>,
    /// The parts of the requested address: `path`, `slug`, `segments`, `query`.
    pub route: Value,
    /// The public address of the site, such as `https://www.example.com`, if known.
    pub base: Option<String>,
    /// The rows of loops, by the key of `Need::Rows`.
    pub rows: HashMap<String, Vec<Value>>,
    /// Nodes that were requested and are in no document.
    pub unknown_nodes: HashSet<NodeId>,
    /// The addresses of entries and media that something refers to; `None` for those that no longer exist.
    pub addresses: HashMap<Reference, Option<String>>,
    /// The results of the frames that were requested.
    pub frames: HashMap<FrameQuery, FrameReport>,
    /// The results of the fonts that were requested.
    pub fonts: HashMap<FontQuery, FontReport>,
    /// Entries that were requested and do not exist.
    pub unknown_records: HashSet<RecordId>,
    /// The results of the queries for entries.
    pub entries: HashMap<EntryQuery, EntryList>,
    /// Which part of a list with several pages is shown; 0 for the first.
    pub part: u32,
    /// Whether entries are left blank: a list has one row without values, and links to entries lead nowhere. What is rendered then is
    /// the part of a page that does not depend on entries.
    pub has_blank_entries: bool,
}

/// What a rendering asks for.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Need {
    /// A document to be opened.
    Body(BodyId),
    /// The document that holds this node, to be opened; a node that nobody has goes into `Facts::unknown_nodes`.
    Owner(NodeId),
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
    /// An entry of a collection to be opened; one that does not exist goes into `Facts::unknown_records`.
    Record(RecordId),
    /// Entries of collections, in `Facts::entries`.
    Entries(Box<EntryQuery>),
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
    /// The language of the page; absent for the site's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub locale: Option<String>,
}

impl RowQuery {
    /// The key under which the rows are stored; equal for equal queries.
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
    /// The entries of collections that had a part in it: it may look different when one of them changes.
    #[serde(skip)]
    pub used: UsedEntries,
    /// Whether a list goes on in another part of the page.
    #[serde(skip)]
    pub has_more: bool,
}

/// The entries that a page shows or leads to.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct UsedEntries {
    /// The collections that it lists.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub collections: BTreeSet<ItemId>,
    /// The entries that it leads to.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub entries: BTreeSet<RecordId>,
}

impl Site {
    /// Renders a page with the templates around it; `None` if there is no such page.
    pub fn render(
        &self,
        page: BodyId,
        purpose: Purpose,
        facts: &Facts,
    ) -> Option<Outcome<Rendered>> {
        let found = self.shell.pages.get(page)?;
        let mut layers = templates_for(self, page, found, facts);
        layers.push(page);
        let subject = Subject::of_page(self, page, found);
        Some(self.render_subject(&subject, &layers, purpose, facts))
    }

    /// Renders the page of the entry in the facts: in the template for everything, with the template of its collection. Without such
    /// a template, the page has the entry's title and text. `None` if the facts have no entry.
    pub fn render_entry(&self, purpose: Purpose, facts: &Facts) -> Option<Outcome<Rendered>> {
        let collection = facts.collection.as_deref()?;
        let (layers, template) = compose::entry_layers(self, collection);
        let subject = Subject::of_entry(self, template, facts.entry.as_ref()?);
        Some(self.render_subject(&subject, &layers, purpose, facts))
    }

    fn render_subject(
        &self,
        subject: &Subject<'_>,
        layers: &[BodyId],
        purpose: Purpose,
        facts: &Facts,
    ) -> Outcome<Rendered> {
        match walk::body(self, subject, layers, (purpose, facts)) {
            Outcome::Needs(needs) => Outcome::Needs(needs),
            Outcome::Done(body) => {
                Outcome::Done(head::document(self, subject, (purpose, facts), body))
            }
        }
    }

    /// A page with the code that people with the capability for it have written for these documents, and nothing else; empty when
    /// there is none. Whatever else runs on a page of these documents was not authorised.
    pub fn code_page(&self, documents: &[BodyId]) -> String {
        head::code_page(self, documents)
    }

    /// Renders a node with its descendants for the canvas, without the templates around it; in a component, the params have
    /// their defaults. `None` if the document is open and has no such node.
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

//! Nodes: the parts of a document. Every HTML element, text and comment is a node, without loss; loops, outlets and
//! component uses are kinds that HTML does not have.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use html5ever::LocalName;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::Reference;

/// A node without its place in a tree.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Node {
    /// What it is.
    pub kind: Kind,
    /// The text of its `class` attribute, as it was written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub classes: Option<String>,
    /// The text of its `style` attribute, as it was written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub style: Option<String>,
    /// What a person calls it in the layers panel.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// Whether it is left out of every rendering.
    #[serde(default, skip_serializing_if = "is_false")]
    pub hidden: bool,
    /// Whether it is published with its page.
    #[serde(default, skip_serializing_if = "SectionStatus::is_published")]
    pub status: SectionStatus,
    /// What agents may do to it.
    #[serde(default, skip_serializing_if = "Lock::is_open")]
    pub lock: Lock,
    /// Which slot of the component around it fills; only for children of a component's use.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slot: Option<String>,
}

impl Node {
    /// Creates a node of this kind with everything else at its default.
    pub fn new(kind: Kind) -> Self {
        Self {
            kind,
            classes: None,
            style: None,
            label: None,
            hidden: false,
            status: SectionStatus::Published,
            lock: Lock::Open,
            slot: None,
        }
    }
}

/// Whether a section is published with its page. One that is not stays on the canvas, unlike a hidden one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum SectionStatus {
    /// It is.
    #[default]
    Published,
    /// It was taken out of the published page.
    Unpublished,
    /// It is not finished.
    Draft,
}

impl SectionStatus {
    /// Whether visitors see it.
    pub fn is_published(&self) -> bool {
        *self == Self::Published
    }
}

/// What a node is.
// What is large and rare is boxed, so that the many elements and texts stay small.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Kind {
    /// An HTML, SVG or MathML element.
    Element(Element),
    /// Text between tags.
    Text(String),
    /// A comment.
    Comment(String),
    /// Its children once for each row of a source.
    Loop(Box<Loop>),
    /// Where a template takes in the content it wraps.
    Outlet,
    /// A component, filled with props.
    Component(Box<ComponentUse>),
}

/// An element.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Element {
    /// Its tag, such as `section`.
    pub tag: Name,
    /// The language its tag belongs to.
    #[serde(default, skip_serializing_if = "Namespace::is_html")]
    pub namespace: Namespace,
    /// Its attributes in order, without `class` and `style`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attrs: Vec<Attr>,
}

impl Element {
    /// The value of an attribute.
    pub fn attr(&self, name: &str) -> Option<&str> {
        let mut attrs = self.attrs.iter();
        attrs
            .find(|attr| attr.name.as_str() == name)
            .map(|attr| attr.value.as_str())
    }
}

/// An attribute. A name with a prefix is written with it, such as `xlink:href`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Attr {
    /// Its name.
    pub name: Name,
    /// Its value, without character references.
    pub value: String,
    /// What its value points at, when it is an address of something on this site.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<Box<Reference>>,
}

impl Attr {
    /// Creates an attribute without a target.
    pub fn new(name: impl Into<Name>, value: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            value: value.into(),
            target: None,
        }
    }
}

/// The language an element belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Namespace {
    /// HTML.
    #[default]
    Html,
    /// SVG.
    Svg,
    /// MathML.
    MathMl,
}

impl Namespace {
    fn is_html(&self) -> bool {
        *self == Self::Html
    }
}

/// What is repeated and how.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Loop {
    /// The source of rows, such as `data.rows`, `site.pages`, `site.media` or `props.items`.
    pub source: String,
    /// The table, for sources that have several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub table: Option<String>,
    /// The field to sort by.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub order: Option<String>,
    /// Which end comes first.
    #[serde(default)]
    pub direction: Direction,
    /// How many rows at most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// How many rows to leave out at the start.
    #[serde(default)]
    pub offset: u32,
    /// Which rows, by field and value.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub filter: BTreeMap<String, Value>,
    /// Whether the rows beyond the limit are on further pages, with links between them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub paged: bool,
}

/// Which end of an order comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// The least first.
    Asc,
    /// The greatest first.
    #[default]
    Desc,
}

/// A component in use.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ComponentUse {
    /// The component.
    pub id: String,
    /// Values for its params; those left out take the param's default.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub props: BTreeMap<String, Value>,
}

/// What agents (and roles that the site says) may do to a thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Lock {
    /// Everything.
    #[default]
    Open,
    /// Change its text and nothing else.
    TextOnly,
    /// Everything, after a person has agreed.
    Ask,
    /// Nothing.
    Locked,
}

impl Lock {
    /// Whether agents are unrestricted.
    pub fn is_open(&self) -> bool {
        *self == Self::Open
    }
}

/// Trees in the order of their text: each node after its parent, siblings in order. Flat, so that depth costs no stack.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Forest(pub Vec<ForestNode>);

/// A node in a forest.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ForestNode {
    /// The position of its parent in the forest; absent for roots.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<u32>,
    /// The node.
    pub node: Node,
}

/// A tag or attribute name. Names that HTML defines are interned and need no allocation.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Name(LocalName);

impl Name {
    /// The name as written.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<&str> for Name {
    fn from(text: &str) -> Self {
        Self(LocalName::from(text))
    }
}

impl From<LocalName> for Name {
    fn from(name: LocalName) -> Self {
        Self(name)
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:?}", self.as_str())
    }
}

impl Serialize for Name {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for Name {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self::from(
            Cow::<'de, str>::deserialize(deserializer)?.as_ref(),
        ))
    }
}

impl JsonSchema for Name {
    fn schema_name() -> Cow<'static, str> {
        "Name".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string" })
    }
}

fn is_false(value: &bool) -> bool {
    !*value
}

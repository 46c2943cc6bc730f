//! The operations of a plan. These types are the only definition of their fields: the schema, limits, repairs and
//! errors are derived from them.
//!
//! A section is a node directly under the root of its page, or a component use. An item is an element directly under a
//! list (a `ul`, a table's rows, or any element whose children are all alike), or an entry of a component's list prop.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

use crate::tools::settings::given;
use crate::{BadId, BodyId, NodeId};

use super::{PageSettingsPatch, SiteSettingsPatch};

/// The maximum size in bytes of the HTML in one operation.
const HTML_MAX: usize = 200_000;

/// A reference to something that exists, or that an earlier operation of the plan creates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ref<I> {
    /// The id of something that exists.
    Known(I),
    /// The name that the creating operation gave it.
    Made(String),
}

/// A page of the site or of the plan.
pub type PageRef = Ref<BodyId>;
/// A node of the site or of the plan.
pub type NodeRef = Ref<NodeId>;

impl<I: fmt::Display> fmt::Display for Ref<I> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Known(id) => id.fmt(formatter),
            Self::Made(name) => write!(formatter, "@{name}"),
        }
    }
}

impl<I: FromStr<Err = BadId>> FromStr for Ref<I> {
    type Err = BadId;

    fn from_str(text: &str) -> Result<Self, BadId> {
        match text.strip_prefix('@') {
            Some(name) => Ok(Self::Made(name.to_owned())),
            None => text.parse().map(Self::Known),
        }
    }
}

impl<I: fmt::Display> Serialize for Ref<I> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de, I: FromStr<Err = BadId>> Deserialize<'de> for Ref<I> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Cow::<'de, str>::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

impl<I: JsonSchema> JsonSchema for Ref<I> {
    fn schema_name() -> Cow<'static, str> {
        format!("Ref{}", I::schema_name()).into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        // The normaliser recognises references, and what they refer to, by this title.
        json_schema!({
            "type": "string", "title": I::schema_name(),
            "pattern": "^(@[A-Za-z][A-Za-z0-9_-]{0,63}|[0-9a-hjkmnp-tv-z]{12})$"
        })
    }
}

/// An operation of a plan. References are ids as the reading tools show them, or `@name` for what an earlier operation made
/// `as` that name. Positions count elements from 0 as they are at that moment; text between them does not count, and left out
/// means last.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "op", rename_all = "snake_case", deny_unknown_fields)]
pub enum PlanOp {
    /// Makes a page, with its content when html is given.
    CreatePage {
        /// Its title.
        #[schemars(length(min = 1, max = 200))]
        title: String,
        /// Its part of the address; made from the title when left out.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(length(max = 200))]
        slug: Option<String>,
        /// The page it lies under in addresses.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        parent: Option<PageRef>,
        /// What stands in its body. Styles go into a `<style>` block.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(length(max = HTML_MAX))]
        html: Option<String>,
        /// A name for the page, or as a node for its body.
        #[serde(rename = "as", default, skip_serializing_if = "Option::is_none")]
        #[schemars(length(max = 64))]
        name: Option<String>,
    },
    /// Changes a page's title or its part of the address, or both.
    RenamePage {
        /// The page.
        page: PageRef,
        /// Its new title.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(length(min = 1, max = 200))]
        title: Option<String>,
        /// Its new part of the address; `index` makes it the home page.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(length(max = 200))]
        slug: Option<String>,
    },
    /// Removes a page with everything on it.
    RemovePage {
        /// The page.
        page: PageRef,
    },
    /// Puts a page under another one, or elsewhere among its siblings.
    MovePage {
        /// The page.
        page: PageRef,
        /// The page it is to lie under in addresses; null for none, left out to stay.
        #[serde(
            default,
            deserialize_with = "given",
            skip_serializing_if = "Option::is_none"
        )]
        parent: Option<Option<PageRef>>,
        /// Its place among the pages that lie under the same one; left out to stay where it stands in the list.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        position: Option<u32>,
    },
    /// Copies a page with everything on it.
    DuplicatePage {
        /// The page.
        page: PageRef,
        /// The title of the copy.
        #[schemars(length(min = 1, max = 200))]
        title: String,
        /// The copy's part of the address; made from the title when left out.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(length(max = 200))]
        slug: Option<String>,
        /// A name for the copy.
        #[serde(rename = "as", default, skip_serializing_if = "Option::is_none")]
        #[schemars(length(max = 64))]
        name: Option<String>,
    },
    /// Changes settings of a page; those left out stay.
    UpdatePageSettings {
        /// The page.
        page: PageRef,
        /// The settings.
        settings: PageSettingsPatch,
    },
    /// Adds a section to a page: either html, or a component with its props.
    AddSection {
        /// The page.
        page: PageRef,
        /// The HTML. Styles go into a `<style>` block.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(length(max = HTML_MAX))]
        html: Option<String>,
        /// The component, by its id, name or template key.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(length(max = 200))]
        component: Option<String>,
        /// The values of the component's params.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        props: Option<Map<String, Value>>,
        /// Its place among the sections of the page.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        position: Option<u32>,
        /// A name for the first node of it.
        #[serde(rename = "as", default, skip_serializing_if = "Option::is_none")]
        #[schemars(length(max = 64))]
        name: Option<String>,
    },
    /// Adds HTML under a node.
    AddNode {
        /// The node to add under.
        parent: NodeRef,
        /// The HTML. Styles go into a `<style>` block.
        #[schemars(length(min = 1, max = HTML_MAX))]
        html: String,
        /// Its place among the parent's children.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        position: Option<u32>,
        /// A name for the first node of it.
        #[serde(rename = "as", default, skip_serializing_if = "Option::is_none")]
        #[schemars(length(max = 64))]
        name: Option<String>,
    },
    /// Puts HTML in the place of a node or section.
    ReplaceNode {
        /// The node that goes.
        node: NodeRef,
        /// What comes in its place.
        #[schemars(length(min = 1, max = HTML_MAX))]
        html: String,
        /// A name for the first node of it.
        #[serde(rename = "as", default, skip_serializing_if = "Option::is_none")]
        #[schemars(length(max = 64))]
        name: Option<String>,
    },
    /// Replaces everything in a node; the node itself stays.
    ReplaceContent {
        /// The node that stays.
        node: NodeRef,
        /// What it is to hold.
        #[schemars(length(min = 1, max = HTML_MAX))]
        html: String,
    },
    /// Sets props of a node or of a component's use; those left out stay, null takes one away. list_modules names the props.
    UpdateProps {
        /// The node.
        node: NodeRef,
        /// The props and their values.
        props: Map<String, Value>,
        /// The breakpoint, for `hidden` and `style.*` only.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(length(max = 200))]
        breakpoint: Option<String>,
    },
    /// Changes the text of a node that holds nothing but text.
    UpdateText {
        /// The node.
        node: NodeRef,
        /// The text, without markup.
        #[schemars(length(max = 20_000))]
        text: String,
    },
    /// Attaches classes to a node and takes others off.
    UpdateClasses {
        /// The node.
        node: NodeRef,
        /// Classes to attach, without dots.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        #[schemars(length(max = 50), inner(length(max = 200)))]
        add: Vec<String>,
        /// Classes to take off.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        #[schemars(length(max = 50), inner(length(max = 200)))]
        remove: Vec<String>,
    },
    /// Removes a node or section with everything in it.
    RemoveNode {
        /// The node.
        node: NodeRef,
    },
    /// Puts a node or section elsewhere on its page.
    MoveNode {
        /// The node.
        node: NodeRef,
        /// The node it is to stand under; its own parent when left out.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        parent: Option<NodeRef>,
        /// Its place among the children, counted without it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        position: Option<u32>,
    },
    /// Copies a node or section right behind itself.
    DuplicateNode {
        /// The node.
        node: NodeRef,
        /// How many copies; 1 when left out.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(range(min = 1, max = 50))]
        count: Option<u32>,
        /// A name for the first copy.
        #[serde(rename = "as", default, skip_serializing_if = "Option::is_none")]
        #[schemars(length(max = 64))]
        name: Option<String>,
    },
    /// Adds an item to a list: html to a list of nodes, fields to a component's list prop.
    AddItem {
        /// The node that holds the items, or the component's use.
        list: NodeRef,
        /// The list prop of the component; may be left out when it has only one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(length(max = 200))]
        prop: Option<String>,
        /// One element, such as `<li>…</li>`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(length(max = HTML_MAX))]
        html: Option<String>,
        /// The entry of the list prop.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        fields: Option<Map<String, Value>>,
        /// Its place among the items.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        position: Option<u32>,
        /// A name for the new node.
        #[serde(rename = "as", default, skip_serializing_if = "Option::is_none")]
        #[schemars(length(max = 64))]
        name: Option<String>,
    },
    /// Changes an item: html or text of a node, fields of an entry (those left out stay, null takes one away).
    UpdateItem {
        /// The node that holds the items, or the component's use.
        list: NodeRef,
        /// The list prop of the component; may be left out when it has only one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(length(max = 200))]
        prop: Option<String>,
        /// Which item, from 0.
        index: u32,
        /// What the item is to hold.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(length(max = HTML_MAX))]
        html: Option<String>,
        /// The item's text, when text is all it holds.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(length(max = 20_000))]
        text: Option<String>,
        /// The fields of the entry that change.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        fields: Option<Map<String, Value>>,
    },
    /// Removes an item.
    RemoveItem {
        /// The node that holds the items, or the component's use.
        list: NodeRef,
        /// The list prop of the component; may be left out when it has only one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(length(max = 200))]
        prop: Option<String>,
        /// Which item, from 0.
        index: u32,
    },
    /// Puts an item elsewhere in its list.
    MoveItem {
        /// The node that holds the items, or the component's use.
        list: NodeRef,
        /// The list prop of the component; may be left out when it has only one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(length(max = 200))]
        prop: Option<String>,
        /// Which item, from 0.
        index: u32,
        /// Its new place, counted without it.
        position: u32,
    },
    /// Adds CSS rules to the site's stylesheet, or changes those that are there.
    ApplyCss {
        /// The CSS.
        #[schemars(length(min = 1, max = 100_000))]
        css: String,
    },
    /// Changes settings of the site; those left out stay.
    UpdateSiteSettings {
        /// The settings.
        settings: SiteSettingsPatch,
    },
}

impl PlanOp {
    /// The name by which later operations refer to what this one creates.
    pub(super) fn made_name(&self) -> Option<&str> {
        match self {
            Self::CreatePage { name, .. }
            | Self::DuplicatePage { name, .. }
            | Self::AddSection { name, .. }
            | Self::AddNode { name, .. }
            | Self::ReplaceNode { name, .. }
            | Self::DuplicateNode { name, .. }
            | Self::AddItem { name, .. } => name.as_deref(),
            Self::RenamePage { .. }
            | Self::RemovePage { .. }
            | Self::MovePage { .. }
            | Self::UpdatePageSettings { .. }
            | Self::ReplaceContent { .. }
            | Self::UpdateProps { .. }
            | Self::UpdateText { .. }
            | Self::UpdateClasses { .. }
            | Self::RemoveNode { .. }
            | Self::MoveNode { .. }
            | Self::UpdateItem { .. }
            | Self::RemoveItem { .. }
            | Self::MoveItem { .. }
            | Self::ApplyCss { .. }
            | Self::UpdateSiteSettings { .. } => None,
        }
    }

    pub(super) fn makes_page(&self) -> bool {
        matches!(self, Self::CreatePage { .. } | Self::DuplicatePage { .. })
    }

    /// The pages that the operation refers to, each with its field.
    pub(super) fn pages(&self) -> Vec<(&'static str, &PageRef)> {
        match self {
            Self::CreatePage { parent, .. } => {
                parent.iter().map(|parent| ("parent", parent)).collect()
            }
            Self::MovePage { page, parent, .. } => {
                let parent = parent.iter().flatten().map(|parent| ("parent", parent));
                std::iter::once(("page", page)).chain(parent).collect()
            }
            Self::RenamePage { page, .. }
            | Self::RemovePage { page }
            | Self::DuplicatePage { page, .. }
            | Self::UpdatePageSettings { page, .. }
            | Self::AddSection { page, .. } => vec![("page", page)],
            Self::AddNode { .. }
            | Self::ReplaceNode { .. }
            | Self::ReplaceContent { .. }
            | Self::UpdateProps { .. }
            | Self::UpdateText { .. }
            | Self::UpdateClasses { .. }
            | Self::RemoveNode { .. }
            | Self::MoveNode { .. }
            | Self::DuplicateNode { .. }
            | Self::AddItem { .. }
            | Self::UpdateItem { .. }
            | Self::RemoveItem { .. }
            | Self::MoveItem { .. }
            | Self::ApplyCss { .. }
            | Self::UpdateSiteSettings { .. } => Vec::new(),
        }
    }

    /// The nodes that the operation refers to, each with its field.
    pub(super) fn nodes(&self) -> Vec<(&'static str, &NodeRef)> {
        match self {
            Self::AddNode { parent, .. } => vec![("parent", parent)],
            Self::MoveNode { node, parent, .. } => {
                let parent = parent.iter().map(|parent| ("parent", parent));
                std::iter::once(("node", node)).chain(parent).collect()
            }
            Self::ReplaceNode { node, .. }
            | Self::ReplaceContent { node, .. }
            | Self::UpdateProps { node, .. }
            | Self::UpdateText { node, .. }
            | Self::UpdateClasses { node, .. }
            | Self::RemoveNode { node }
            | Self::DuplicateNode { node, .. } => vec![("node", node)],
            Self::AddItem { list, .. }
            | Self::UpdateItem { list, .. }
            | Self::RemoveItem { list, .. }
            | Self::MoveItem { list, .. } => vec![("list", list)],
            Self::CreatePage { .. }
            | Self::RenamePage { .. }
            | Self::RemovePage { .. }
            | Self::MovePage { .. }
            | Self::DuplicatePage { .. }
            | Self::UpdatePageSettings { .. }
            | Self::AddSection { .. }
            | Self::ApplyCss { .. }
            | Self::UpdateSiteSettings { .. } => Vec::new(),
        }
    }
}

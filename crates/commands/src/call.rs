//! The tools that the commands call, with their inputs as types.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sitewright_site::{BodyId, DocumentRef, NodeId};

/// A call of a tool. Serialised as JSON it is the tool's name and its input.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(
    tag = "tool",
    content = "input",
    rename_all = "camelCase",
    rename_all_fields = "camelCase"
)]
pub(crate) enum Call {
    AddPage {
        title: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        slug: Option<String>,
    },
    DuplicatePage {
        page_id: BodyId,
        title: String,
    },
    RenamePage {
        page_id: BodyId,
        title: String,
    },
    DeletePage {
        page_id: BodyId,
    },
    UpdatePageSettings {
        page_id: BodyId,
        #[serde(flatten)]
        setting: PageSetting,
    },
    UpdateSiteSettings(SiteSetting),
    InsertHtml {
        parent_id: NodeId,
        index: usize,
        html: String,
    },
    ReplaceNodeHtml {
        node_id: NodeId,
        html: String,
    },
    UpdateNodeProps {
        node_id: NodeId,
        patch: Map<String, Value>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        breakpoint_id: Option<String>,
    },
    DeleteNode {
        node_id: NodeId,
    },
    DuplicateNode {
        node_id: NodeId,
    },
    MoveNode {
        node_id: NodeId,
        new_parent_id: NodeId,
        new_index: usize,
    },
    AssignClass {
        node_id: NodeId,
        class_id: String,
    },
    RemoveClass {
        node_id: NodeId,
        class_id: String,
    },
    ApplyCss {
        css: String,
    },
    #[serde(rename = "set_color_tokens")]
    SetColorTokens {
        tokens: Vec<ColorValue>,
    },
    #[serde(rename = "set_font_tokens")]
    SetFontTokens {
        tokens: Vec<FontValue>,
    },
    #[serde(rename = "set_type_scale")]
    SetTypeScale {
        min: TypeSize,
        max: TypeSize,
    },
    #[serde(rename = "set_spacing_scale")]
    SetSpacingScale {
        min: SpaceSize,
        max: SpaceSize,
    },
    #[serde(rename = "open_document")]
    OpenDocument {
        document: DocumentRef,
    },
    RevertTurn {},
    Redo {},
    PublishSite {},
}

/// One setting of a page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum PageSetting {
    Slug(String),
    ParentId(BodyId),
    Description(String),
    Draft(bool),
    NoIndex(bool),
}

/// One setting of the site.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum SiteSetting {
    Name(String),
    Language(String),
    Favicon(String),
    DiscourageSearchEngines(bool),
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ColorValue {
    pub(crate) slug: String,
    pub(crate) light_value: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) category: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) dark_value: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FontValue {
    pub(crate) name: String,
    pub(crate) variable: String,
    #[serde(flatten)]
    pub(crate) family: FontSource,
}

/// A family that every system has, or one that is to be installed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum FontSource {
    Fallback(String),
    GoogleFamily(String),
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TypeSize {
    pub(crate) font_size: f64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) scale_ratio: Option<f64>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SpaceSize {
    pub(crate) size: f64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) scale_ratio: Option<f64>,
}

impl Call {
    /// The node that it changes, if it changes one.
    pub(crate) fn node(&self) -> Option<NodeId> {
        match self {
            Self::ReplaceNodeHtml { node_id, .. }
            | Self::UpdateNodeProps { node_id, .. }
            | Self::DeleteNode { node_id }
            | Self::DuplicateNode { node_id }
            | Self::MoveNode { node_id, .. }
            | Self::AssignClass { node_id, .. }
            | Self::RemoveClass { node_id, .. } => Some(*node_id),
            _ => None,
        }
    }

    /// The tool's name and its input, as the tool loop takes them.
    pub(crate) fn to_parts(&self) -> (String, Value) {
        let mut parts = serde_json::to_value(self).unwrap_or_default();
        let tool = parts["tool"].as_str().unwrap_or_default().to_owned();
        (tool, parts["input"].take())
    }

    /// Reads a call from the conversation; `None` for a tool that the commands do not call.
    pub(crate) fn from_parts(tool: &str, input: &Value) -> Option<Self> {
        let parts = serde_json::json!({ "tool": tool, "input": input });
        serde_json::from_value(parts).ok()
    }
}

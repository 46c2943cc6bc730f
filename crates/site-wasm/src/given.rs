//! What the host passes in for a tool or a rendering, as JSON. Maps whose keys are not strings are lists of pairs.

use std::collections::{HashMap, HashSet};

use serde::Deserialize;
use serde_json::Value;
use sitewright_site::{
    BodyId, ChangeId, Facts, FontQuery, FontReport, FrameQuery, FrameReport, NodeId, Reference,
    View,
};

/// A call of a tool.
#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct Call {
    /// What the tool is given.
    pub(crate) input: Value,
    /// What the caller looks at.
    #[serde(default)]
    pub(crate) view: WrittenView,
    /// The change it is for, from which ids are made.
    pub(crate) change: ChangeId,
    /// What is known of the world outside.
    #[serde(default)]
    pub(crate) facts: WrittenFacts,
}

#[derive(Deserialize, Default)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Facts"))]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
pub(crate) struct WrittenFacts {
    entry: Option<Value>,
    collection: Option<String>,
    route: Value,
    rows: HashMap<String, Vec<Value>>,
    unknown_nodes: HashSet<NodeId>,
    addresses: Vec<(Reference, Option<String>)>,
    frames: Vec<(FrameQuery, FrameReport)>,
    fonts: Vec<(FontQuery, FontReport)>,
}

impl From<WrittenFacts> for Facts {
    fn from(written: WrittenFacts) -> Self {
        let WrittenFacts {
            entry,
            collection,
            route,
            rows,
            unknown_nodes,
            addresses,
            frames,
            fonts,
        } = written;
        Self {
            entry,
            collection,
            route,
            // Only published pages need absolute addresses.
            base: None,
            rows,
            unknown_nodes,
            addresses: addresses.into_iter().collect(),
            frames: frames.into_iter().collect(),
            fonts: fonts.into_iter().collect(),
            // Tools on content run on the server.
            ..Self::default()
        }
    }
}

#[derive(Deserialize, Default)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "View"))]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
pub(crate) struct WrittenView {
    current: Option<BodyId>,
    selected: Option<NodeId>,
    breakpoint: Option<String>,
}

impl From<WrittenView> for View {
    fn from(written: WrittenView) -> Self {
        let WrittenView {
            current,
            selected,
            breakpoint,
        } = written;
        Self {
            current,
            selected,
            breakpoint,
        }
    }
}

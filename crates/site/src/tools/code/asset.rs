//! A code file as tools see it, and looking one up.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::tools::work::{Stop, Work};
use crate::{Code, CodeFile, Item, ItemId, List, Placement, Target, Timing};

/// What a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum CodeType {
    Script,
    Style,
}

impl CodeType {
    pub(super) fn of(file: &CodeFile) -> Self {
        match file.code {
            Code::Script { .. } => Self::Script,
            Code::Style => Self::Style,
        }
    }
}

/// How a file is used.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
pub(super) struct Runtime {
    /// Whether it is used at all.
    #[serde(skip_serializing_if = "Option::is_none")]
    enabled: Option<bool>,
    /// The documents it is for; all when left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    target: Option<Target>,
    /// Which of several comes first: the least.
    #[serde(skip_serializing_if = "Option::is_none")]
    priority: Option<i32>,
    /// Whether a script is a module.
    #[serde(skip_serializing_if = "Option::is_none")]
    module: Option<bool>,
    /// Where a script stands.
    #[serde(skip_serializing_if = "Option::is_none")]
    placement: Option<Placement>,
    /// When a script runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    timing: Option<Timing>,
    /// Whether a script also runs on the canvas.
    #[serde(skip_serializing_if = "Option::is_none")]
    in_canvas: Option<bool>,
}

impl Runtime {
    pub(super) fn of(file: &CodeFile) -> Self {
        let common = Self {
            enabled: Some(file.enabled),
            target: Some(file.target.clone()),
            priority: Some(file.priority),
            ..Self::default()
        };
        match file.code {
            Code::Style => common,
            Code::Script {
                module,
                placement,
                timing,
                in_canvas,
            } => Self {
                module: Some(module),
                placement: Some(placement),
                timing: Some(timing),
                in_canvas: Some(in_canvas),
                ..common
            },
        }
    }

    /// Applies the given fields to a file; absent fields stay unchanged.
    pub(super) fn onto(self, mut file: CodeFile) -> CodeFile {
        file.enabled = self.enabled.unwrap_or(file.enabled);
        file.target = self.target.unwrap_or(file.target);
        file.priority = self.priority.unwrap_or(file.priority);
        if let Code::Script {
            module,
            placement,
            timing,
            in_canvas,
        } = &mut file.code
        {
            *module = self.module.unwrap_or(*module);
            *placement = self.placement.unwrap_or(*placement);
            *timing = self.timing.unwrap_or(*timing);
            *in_canvas = self.in_canvas.unwrap_or(*in_canvas);
        }
        file
    }
}

/// A file without its text.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Asset {
    pub(super) file_id: ItemId,
    pub(super) path: String,
    pub(super) r#type: CodeType,
    /// The SHA-256 of the whole text.
    pub(super) hash: String,
    /// How many bytes the text has.
    pub(super) size: usize,
    pub(super) runtime: Runtime,
}

impl Asset {
    pub(super) fn of(file_id: ItemId, file: &CodeFile) -> Self {
        Self {
            file_id,
            path: file.path.clone(),
            r#type: CodeType::of(file),
            hash: hash(&file.content),
            size: file.content.len(),
            runtime: Runtime::of(file),
        }
    }
}

pub(super) fn files<'w>(work: &'w Work<'_>) -> impl Iterator<Item = (ItemId, &'w CodeFile)> {
    work.site
        .shell
        .items
        .list(List::Files)
        .filter_map(|(id, item)| match item {
            Item::File(file) => Some((id, file)),
            _ => None,
        })
}

/// Finds a file by its id or path; one of them must be given.
pub(super) fn one(
    work: &Work<'_>,
    id: Option<ItemId>,
    path: Option<&str>,
) -> Result<(ItemId, CodeFile), Stop> {
    if id.is_none() && path.is_none() {
        return Err(Stop::invalid(
            "Give fileId or path; list_code_assets names both.",
        ));
    }
    let found = files(work)
        .find(|(known, file)| id.map_or(path == Some(file.path.as_str()), |id| id == *known));
    let missing = || {
        Stop::not_found(
            "There is no such script or stylesheet; list_code_assets names those there are.",
        )
    };
    found
        .map(|(id, file)| (id, file.clone()))
        .ok_or_else(missing)
}

pub(super) fn hash(content: &str) -> String {
    Sha256::digest(content)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

//! What a model cannot know from the description and the schema of a tool: one line per tool, in one data file.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use sitewright_site::SiteTool;

/// The lines by the name of their tool. A file that cannot be read gives none, which a test notices.
static LINES: LazyLock<BTreeMap<String, String>> =
    LazyLock::new(|| serde_json::from_str(include_str!("../guidance.json")).unwrap_or_default());

/// The line of a tool, for those that other crates define.
pub fn guidance_of(tool: &str) -> Option<String> {
    LINES.get(tool).cloned()
}

/// A tool with its line.
pub(crate) fn guided(mut tool: SiteTool) -> SiteTool {
    tool.definition.manifest.guidance = LINES.get(tool.definition.name()).cloned();
    tool
}

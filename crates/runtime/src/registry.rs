//! The tools there are, by scope and name.

use std::collections::HashMap;
use std::sync::Arc;

use sitewright_site::{SiteTool, site_tools};
use sitewright_tool::{Scope, ToolManifest};

/// The tools of an instance.
pub struct Registry {
    /// In the order of the documentation.
    names: Vec<String>,
    site: HashMap<String, Arc<SiteTool>>,
}

/// A name that no tool of the scope has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no tool `{name}`{nearest}; `tool list` names those there are")]
pub struct UnknownTool {
    name: String,
    nearest: String,
}

impl Registry {
    /// The tools that are built in.
    pub fn built_in() -> Self {
        let tools = site_tools();
        let named = |tool: SiteTool| (tool.manifest.name.to_string(), Arc::new(tool));
        let site: Vec<(String, Arc<SiteTool>)> = tools.into_iter().map(named).collect();
        Self {
            names: site.iter().map(|(name, _)| name.clone()).collect(),
            site: site.into_iter().collect(),
        }
    }

    /// What the tools of a scope say about themselves; of every scope without one.
    pub fn manifests(&self, scope: Option<Scope>) -> impl Iterator<Item = &ToolManifest> {
        self.names
            .iter()
            .filter_map(|name| self.site.get(name))
            .map(|tool| &tool.manifest)
            .filter(move |manifest| scope.is_none_or(|scope| manifest.scopes.contains(&scope)))
    }

    /// The tool with this name.
    pub(crate) fn find(
        &self,
        scope: Option<Scope>,
        name: &str,
    ) -> Result<Arc<SiteTool>, UnknownTool> {
        let fits =
            |tool: &&Arc<SiteTool>| scope.is_none_or(|scope| tool.manifest.scopes.contains(&scope));
        let found = self.site.get(name).filter(fits).cloned();
        found.ok_or_else(|| UnknownTool {
            name: name.to_owned(),
            nearest: self
                .names
                .iter()
                .find(|known| known.eq_ignore_ascii_case(name))
                .map(|known| format!(" (names count by letter: is it `{known}`?)"))
                .unwrap_or_default(),
        })
    }
}

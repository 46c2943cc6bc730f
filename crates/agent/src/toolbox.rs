//! The tools of a turn: those of its scope that the person may use, and those that are found by searching.
//!
//! A scope's own tools are always on offer. Connected tools are, too, while there are few; when there are many they would crowd the
//! prompt, and `searchTools` finds and activates them.

use std::collections::BTreeSet;
use std::sync::Arc;

use sitewright_llm::ToolSpec;
use sitewright_runtime::{ListedTool, ToolSource};
use sitewright_tool::{Capability, CapabilitySet, Definition, Scope, ToolCapability, TurnRole};

use crate::prompt::Stance;

/// More connected tools than this are not offered at once.
const CONNECTED_MAX: usize = 24;

/// The tools of a turn.
#[derive(Debug)]
pub(crate) struct Toolbox {
    offered: Vec<Definition>,
    /// Found by searching only.
    deferred: Vec<Definition>,
}

impl Toolbox {
    /// Those of the tools there are that a turn may use.
    pub(crate) fn new(
        listed: Vec<ListedTool>,
        scope: Scope,
        stance: Stance,
        capabilities: &CapabilitySet,
    ) -> Self {
        let may_use = |tool: &ListedTool| {
            let Definition { manifest, role, .. } = &tool.definition;
            let fits = match role {
                TurnRole::SubmitsPlan => stance == Stance::Plan,
                TurnRole::ForPeople => false,
                TurnRole::GivesAnswer => stance != Stance::Plan,
                TurnRole::Ordinary | TurnRole::FindsTools | TurnRole::Acknowledges => {
                    stance == Stance::Edit || manifest.capability == ToolCapability::Read
                }
            };
            let elsewhere = tool.source != ToolSource::BuiltIn || role.is_part_of_every_turn();
            let may = !elsewhere || capabilities.has(Capability::ToolsCall);
            manifest.enabled && fits && may
        };
        let (own, connected): (Vec<ListedTool>, Vec<ListedTool>) =
            listed.into_iter().filter(may_use).partition(|tool| {
                tool.source == ToolSource::BuiltIn && belongs(&tool.definition, scope)
            });
        let definitions =
            |tools: Vec<ListedTool>| tools.into_iter().map(|tool| tool.definition).collect();
        let mut offered: Vec<Definition> = definitions(own);
        let connected: Vec<Definition> = definitions(connected);
        if connected.len() <= CONNECTED_MAX {
            offered.extend(connected);
            return Self {
                offered,
                deferred: Vec::new(),
            };
        }
        Self {
            offered,
            deferred: connected,
        }
    }

    /// Those on offer now.
    pub(crate) fn offered(&self) -> &[Definition] {
        &self.offered
    }

    /// Those on offer now, as a model sees them.
    pub(crate) fn specs(&self) -> Arc<[ToolSpec]> {
        self.offered.iter().map(ToolSpec::from).collect()
    }

    /// Puts tools that were found on offer; false when all of them were.
    pub(crate) fn activate(&mut self, names: &BTreeSet<String>) -> bool {
        let found = |tool: &mut Definition| names.contains(tool.name());
        let active: Vec<Definition> = self.deferred.extract_if(.., found).collect();
        let is_more = !active.is_empty();
        self.offered.extend(active);
        is_more
    }

    /// A tool on offer.
    pub(crate) fn get(&self, name: &str) -> Option<&Definition> {
        self.offered.iter().find(|tool| tool.name() == name)
    }
}

/// Whether a tool is one of the scope itself, or one that every turn needs.
fn belongs(definition: &Definition, scope: Scope) -> bool {
    definition.role.is_part_of_every_turn() || definition.manifest.scopes.contains(&scope)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::json;
    use sitewright_runtime::{ListedTool, Registry, ToolSource};
    use sitewright_tool::{CapabilitySet, Definition, Scope};

    use super::{CONNECTED_MAX, Toolbox};
    use crate::prompt::Stance;

    fn connected(count: usize) -> Vec<ListedTool> {
        let mut listed = Registry::built_in().list(Some(Scope::Site));
        listed.extend((0..count).map(|number| ListedTool {
            definition: Definition::imported(serde_json::from_value(json!({
                "name": format!("vendor.tool{number}"), "description": "Looks.", "inputSchema": {}, "outputSchema": {},
                "capability": "read", "timeoutMs": 1000, "retryPolicy": { "maxAttempts": 1 }, "idempotent": true,
            }))
            .expect("a manifest")),
            source: ToolSource::File,
        }));
        listed
    }

    #[test]
    fn many_connected_tools_are_offered_once_they_are_found() {
        let all = CapabilitySet::all();
        let of = |count| Toolbox::new(connected(count), Scope::Site, Stance::Edit, &all);
        assert!(of(CONNECTED_MAX).get("vendor.tool7").is_some());
        let mut many = of(CONNECTED_MAX + 1);
        assert!(many.get("vendor.tool7").is_none());
        assert!(
            many.get("insertHtml").is_some(),
            "a scope's own are always there"
        );
        let found = BTreeSet::from(["vendor.tool7".to_owned(), "made up".to_owned()]);
        assert!(many.activate(&found));
        assert!(many.get("vendor.tool7").is_some());
        assert!(!many.activate(&found), "it was there already");
    }

    #[test]
    fn whoever_may_not_call_tools_is_offered_those_of_the_site_alone() {
        let mine = CapabilitySet::parse(&["site.*", "ai.*"], &CapabilitySet::all()).expect("names");
        let toolbox = Toolbox::new(connected(3), Scope::Site, Stance::Edit, &mine);
        assert!(toolbox.get("vendor.tool1").is_none());
        assert!(toolbox.get("read_document").is_some());
    }
}

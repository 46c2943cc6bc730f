//! The tools of a turn: those of its scope that the user may use, and those that the model can find by searching.
//!
//! A scope's own tools are always on offer. Connected tools are too, as long as there are few. Many of them would crowd the prompt, so
//! they are deferred until `searchTools` finds and activates them; those whose intent tags are in what the person said are on offer from
//! the start.

use std::collections::BTreeSet;
use std::sync::Arc;

use sitewright_llm::ToolSpec;
use sitewright_runtime::{ListedTool, ToolSource};
use sitewright_tool::{Capability, CapabilitySet, Definition, Scope, ToolCapability, TurnRole};

use crate::default_tools::{tags_in, words};
use crate::prompt::Stance;

/// With more connected tools than this, all of them are deferred.
const CONNECTED_MAX: usize = 24;
/// The most deferred tools that are offered because of their intent tags.
const BY_INTENT_MAX: usize = 8;

/// The tools of a turn.
#[derive(Debug)]
pub(crate) struct Toolbox {
    offered: Vec<Definition>,
    /// Offered only once a search has found them.
    deferred: Vec<Definition>,
}

impl Toolbox {
    /// Selects the tools that a turn may use.
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
            let elsewhere = tool.source != ToolSource::BuiltIn;
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

    /// Offers the deferred tools whose intent tags are in a text, those with most of them first.
    pub(crate) fn offer_by_intent(&mut self, text: &str) {
        let said = words(text);
        let tags = |tool: &Definition| tags_in(&said, &tool.manifest);
        let mut fitting: Vec<(usize, String)> = self
            .deferred
            .iter()
            .map(|tool| (tags(tool), tool.name().to_owned()))
            .filter(|(tags, _)| *tags > 0)
            .collect();
        fitting.sort_by(|(one, a), (other, b)| other.cmp(one).then(a.cmp(b)));
        let names = fitting.into_iter().take(BY_INTENT_MAX);
        self.activate(&names.map(|(_, name)| name).collect());
    }

    /// The tools on offer.
    pub(crate) fn offered(&self) -> &[Definition] {
        &self.offered
    }

    /// The tools on offer, as the model sees them.
    pub(crate) fn specs(&self) -> Arc<[ToolSpec]> {
        self.offered.iter().map(ToolSpec::from).collect()
    }

    /// Offers the deferred tools with these names. Returns false if that adds none.
    pub(crate) fn activate(&mut self, names: &BTreeSet<String>) -> bool {
        let found = |tool: &mut Definition| names.contains(tool.name());
        let active: Vec<Definition> = self.deferred.extract_if(.., found).collect();
        let is_more = !active.is_empty();
        self.offered.extend(active);
        is_more
    }

    /// Finds a tool on offer by name.
    pub(crate) fn get(&self, name: &str) -> Option<&Definition> {
        self.offered.iter().find(|tool| tool.name() == name)
    }
}

/// Whether a tool belongs to the scope itself, or is part of every turn.
fn belongs(definition: &Definition, scope: Scope) -> bool {
    definition.role.is_part_of_every_turn() || definition.manifest.scopes.contains(&scope)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::sync::Arc;

    use serde_json::json;
    use sitewright_runtime::{ListedTool, Registry, ToolSource};
    use sitewright_tool::{CapabilitySet, Definition, Scope};

    use super::{CONNECTED_MAX, Toolbox};
    use crate::default_tools;
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
    fn the_three_of_every_turn_are_never_filtered_out() {
        let registry = Registry::built_in();
        for tool in default_tools(&registry, Arc::new(|_, _, _| true)) {
            registry
                .register(ToolSource::BuiltIn, tool)
                .expect("a tool");
        }
        let mine = CapabilitySet::parse(&["ai.chat"], &CapabilitySet::all()).expect("names");
        let vendors = connected(CONNECTED_MAX + 1);
        let vendors: Vec<ListedTool> = vendors
            .into_iter()
            .filter(|tool| tool.source == ToolSource::File)
            .collect();
        for scope in [
            Scope::Site,
            Scope::Content,
            Scope::Data,
            Scope::Plugin,
            Scope::Breadcrumbs,
        ] {
            for stance in [Stance::Edit, Stance::Look, Stance::Plan] {
                let mut listed = registry.list(Some(scope));
                listed.extend(vendors.clone());
                let toolbox = Toolbox::new(listed, scope, stance, &mine);
                let is_offered = |name: &str| toolbox.get(name).is_some();
                assert!(is_offered("searchTools") && is_offered("acknowledgeRequest"));
                // A turn that plans ends with its plan.
                assert_eq!(is_offered("finalAnswer"), stance != Stance::Plan);
            }
        }
    }

    #[test]
    fn tools_whose_intent_tags_were_said_are_offered_at_once() {
        let mut listed = connected(CONNECTED_MAX + 1);
        for (at, tags) in [(3, ["car hire"]), (5, ["flight"]), (7, ["train"])] {
            let tool = listed
                .iter_mut()
                .find(|tool| tool.definition.name() == format!("vendor.tool{at}"));
            tool.expect("a tool").definition.manifest.intent_tags =
                tags.map(str::to_owned).to_vec();
        }
        let mut toolbox = Toolbox::new(listed, Scope::Site, Stance::Edit, &CapabilitySet::all());
        toolbox.offer_by_intent("Book me two flights to Lisbon, and a car to hire there.");
        assert!(toolbox.get("vendor.tool5").is_some());
        assert!(
            toolbox.get("vendor.tool3").is_some(),
            "all words of the tag were said"
        );
        assert!(toolbox.get("vendor.tool7").is_none());
        assert!(toolbox.get("vendor.tool1").is_none(), "it has no tags");
    }

    #[test]
    fn whoever_may_not_call_tools_is_offered_those_of_the_site_alone() {
        let mine = CapabilitySet::parse(&["site.*", "ai.*"], &CapabilitySet::all()).expect("names");
        let toolbox = Toolbox::new(connected(3), Scope::Site, Stance::Edit, &mine);
        assert!(toolbox.get("vendor.tool1").is_none());
        assert!(toolbox.get("read_document").is_some());
    }
}

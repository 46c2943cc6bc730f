//! The registered tools by scope and name. Lookup is by hash, so its cost does not grow with the number of tools.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock, Weak};

use sitewright_site::site_tools;
use sitewright_tool::{
    Definition, ErrorCode, OldCall, OldCallProblem, Scope, ToolError, ToolManifest,
};

use crate::{Call, Tool, ToolSchemas, ToolSource};

/// The tools of an instance. Registering and removing swap in a new list, so that readers work on a consistent snapshot. Cheap to
/// clone; clones share their state.
#[derive(Clone)]
pub struct Registry(Arc<RwLock<Arc<Listing>>>);

/// A weak reference for a tool that searches the registry: the registry owns the tool, so a strong one would be a cycle.
#[derive(Clone)]
pub struct WeakRegistry(Weak<RwLock<Arc<Listing>>>);

impl WeakRegistry {
    /// The registry, unless it has been dropped.
    pub fn upgrade(&self) -> Option<Registry> {
        self.0.upgrade().map(Registry)
    }
}

#[derive(Default, Clone)]
struct Listing {
    /// In order of registration.
    tools: Vec<Arc<Entry>>,
    /// By name; tools of different scopes may share one.
    names: HashMap<String, Vec<Arc<Entry>>>,
    /// Calls by old names.
    old_calls: Arc<HashMap<String, OldCall>>,
}

/// A registered tool.
pub(crate) struct Entry {
    pub(crate) source: ToolSource,
    pub(crate) schemas: ToolSchemas,
    pub(crate) tool: Tool,
}

impl Entry {
    fn new(source: ToolSource, tool: Tool) -> Self {
        Self {
            source,
            schemas: ToolSchemas::new(&tool.definition().manifest),
            tool,
        }
    }

    pub(crate) fn definition(&self) -> &Definition {
        self.tool.definition()
    }

    pub(crate) fn manifest(&self) -> &ToolManifest {
        &self.definition().manifest
    }

    /// Whether the tool is offered in a scope; a tool without scopes is offered in all of them.
    fn is_in(&self, scope: Scope) -> bool {
        let scopes = &self.manifest().scopes;
        scopes.is_empty() || scopes.contains(&scope)
    }
}

/// A name that does not resolve to exactly one usable tool.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UnknownTool {
    /// No tool has this name.
    #[error("there is no tool `{name}`{hint}; `tool list` names those there are")]
    Missing {
        name: String,
        /// Suggests a name that differs in case only, or empty.
        hint: String,
    },
    /// The tool is disabled.
    #[error("`{name}` cannot be used at the moment. {why}")]
    Off {
        name: String,
        /// The guidance of its manifest, which says how to enable it.
        why: String,
    },
    /// Tools in several scopes have this name.
    #[error("`{name}` is a tool of several scopes; say which with `scope`: {scopes}")]
    Ambiguous {
        name: String,
        /// Separated by commas.
        scopes: String,
    },
}

/// Why a tool cannot be registered: another source has its name in one of its scopes.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "there is a tool `{name}` already, from elsewhere ({from}); choose another name, or remove that one first"
)]
pub struct NameTaken {
    name: String,
    from: String,
}

/// A registered tool, for lists.
#[derive(Debug, Clone, PartialEq)]
pub struct ListedTool {
    pub definition: Definition,
    pub source: ToolSource,
}

impl Registry {
    /// A registry with the built-in site tools.
    pub fn built_in() -> Self {
        let mut listing = Listing::default();
        for tool in site_tools() {
            listing.add(Arc::new(Entry::new(ToolSource::BuiltIn, tool.into())));
        }
        Self(Arc::new(RwLock::new(Arc::new(listing))))
    }

    /// A reference that does not keep the registry alive.
    pub fn downgrade(&self) -> WeakRegistry {
        WeakRegistry(Arc::downgrade(&self.0))
    }

    /// The tools of a scope, or all of them, in order of registration. Disabled tools are included.
    pub fn list(&self, scope: Option<Scope>) -> Vec<ListedTool> {
        self.listing()
            .tools
            .iter()
            .filter(|entry| scope.is_none_or(|scope| entry.is_in(scope)))
            .map(|entry| ListedTool {
                definition: entry.definition().clone(),
                source: entry.source.clone(),
            })
            .collect()
    }

    /// Fails if a tool of this source could not be registered.
    pub fn check_name(
        &self,
        source: &ToolSource,
        manifest: &ToolManifest,
    ) -> Result<(), NameTaken> {
        self.listing().check_name(source, manifest)
    }

    /// Adds a tool, or replaces the one of the same name and source. Fails if another source has the name.
    pub fn register(&self, source: ToolSource, tool: Tool) -> Result<(), NameTaken> {
        let entry = Arc::new(Entry::new(source, tool));
        let mut current = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let name = entry.manifest().name.to_string();
        current.check_name(&entry.source, entry.manifest())?;
        let mut listing = Listing::clone(&current);
        listing.remove(|other| {
            other.manifest().name.as_str() == name && meet(other.manifest(), entry.manifest())
        });
        listing.add(entry);
        *current = Arc::new(listing);
        Ok(())
    }

    /// Removes a tool of a source; returns false if the source has no tool with this name.
    pub fn remove(&self, source: &ToolSource, name: &str) -> bool {
        let mut current = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let mut listing = Listing::clone(&current);
        let before = listing.tools.len();
        listing.remove(|entry| entry.source == *source && entry.manifest().name.as_str() == name);
        let removed = listing.tools.len() < before;
        *current = Arc::new(listing);
        removed
    }

    /// Sets the calls by old names that are made as those of today.
    pub fn set_old_calls(&self, calls: Vec<OldCall>) {
        let calls = calls.into_iter().map(|call| (call.old.clone(), call));
        let mut current = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let mut listing = Listing::clone(&current);
        listing.old_calls = Arc::new(calls.collect());
        *current = Arc::new(listing);
    }

    /// The call of today for a call by an old name, with a note about that; any other call as it is. A tool that has the old name wins.
    pub(crate) fn renew(&self, mut call: Call) -> Result<(Call, Option<String>), ToolError> {
        let listing = self.listing();
        let Some(old) = listing.old_calls.get(&call.tool) else {
            return Ok((call, None));
        };
        if listing.names.contains_key(&call.tool) {
            return Ok((call, None));
        }
        let renewed = old
            .renewed(call.arguments)
            .map_err(|problem| match problem {
                OldCallProblem::Removed(instead) => {
                    let message = format!("There is no tool `{}` any more. {instead}", old.old);
                    ToolError::new(ErrorCode::UnknownTool, message)
                }
                OldCallProblem::Arguments(instead) => {
                    ToolError::new(ErrorCode::InvalidInput, instead)
                }
            })?;
        let note = format!("`{}` is called `{}` now.", old.old, renewed.tool);
        call.tool = renewed.tool;
        call.arguments = renewed.arguments;
        call.scope = renewed.scope.or(call.scope);
        Ok((call, Some(note)))
    }

    /// Whether a name resolves to exactly one enabled tool.
    pub fn knows(&self, scope: Option<Scope>, name: &str) -> bool {
        self.find(scope, name).is_ok()
    }

    /// The scope in which a record or a workflow calls a tool by its name alone: that of the breadcrumbs if they have one of the name, else
    /// none, which finds the only tool with it.
    pub fn preferred_scope(&self, name: &str) -> Option<Scope> {
        self.knows(Some(Scope::Breadcrumbs), name)
            .then_some(Scope::Breadcrumbs)
    }

    /// The title of a tool, as shown on screen.
    pub fn title(&self, scope: Scope, name: &str) -> Option<String> {
        let entry = self.find(Some(scope), name).ok()?;
        entry.manifest().title.clone()
    }

    /// The enabled tool with this name; a scope is needed only if several have it.
    pub(crate) fn find(&self, scope: Option<Scope>, name: &str) -> Result<Arc<Entry>, UnknownTool> {
        let listing = self.listing();
        let fits = |entry: &&Arc<Entry>| scope.is_none_or(|scope| entry.is_in(scope));
        let namesakes = listing.names.get(name).map_or(&[][..], Vec::as_slice);
        let is_on = |entry: &&Arc<Entry>| entry.manifest().enabled;
        let mut found = namesakes.iter().filter(fits).filter(is_on);
        let off = || namesakes.iter().find(fits);
        // Calls from before other scopes had the name leave the scope out and mean the site's tool.
        let of_site = |entry: &&Arc<Entry>| entry.manifest().scopes == [Scope::Site];
        match (found.next(), found.next()) {
            (Some(entry), None) => Ok(Arc::clone(entry)),
            (Some(first), Some(second)) if of_site(&first) != of_site(&second) => {
                let entry = if of_site(&first) { first } else { second };
                Ok(Arc::clone(entry))
            }
            (Some(_), Some(_)) => Err(UnknownTool::Ambiguous {
                name: name.to_owned(),
                scopes: scopes_of(namesakes),
            }),
            (None, _) => Err(match off() {
                Some(off) => UnknownTool::Off {
                    name: name.to_owned(),
                    why: off.manifest().guidance.clone().unwrap_or_default(),
                },
                None => UnknownTool::Missing {
                    name: name.to_owned(),
                    hint: listing.nearest(name),
                },
            }),
        }
    }

    /// The tools of a source, in order of registration.
    pub(crate) fn of_source(&self, source: &ToolSource) -> Vec<Arc<Entry>> {
        let listing = self.listing();
        let of_source = listing.tools.iter().filter(|entry| entry.source == *source);
        of_source.cloned().collect()
    }

    fn listing(&self) -> Arc<Listing> {
        Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Listing {
    fn add(&mut self, entry: Arc<Entry>) {
        let name = entry.manifest().name.to_string();
        self.names.entry(name).or_default().push(Arc::clone(&entry));
        self.tools.push(entry);
    }

    fn remove(&mut self, goes: impl Fn(&Entry) -> bool) {
        self.tools.retain(|entry| !goes(entry));
        for namesakes in self.names.values_mut() {
            namesakes.retain(|entry| !goes(entry));
        }
        self.names.retain(|_, namesakes| !namesakes.is_empty());
    }

    fn check_name(&self, source: &ToolSource, manifest: &ToolManifest) -> Result<(), NameTaken> {
        let name = manifest.name.as_str();
        let namesakes = self.names.get(name).map_or(&[][..], Vec::as_slice);
        let elsewhere =
            |other: &&Arc<Entry>| other.source != *source && meet(other.manifest(), manifest);
        match namesakes.iter().find(elsewhere) {
            None => Ok(()),
            Some(other) => Err(NameTaken {
                name: name.to_owned(),
                from: other.source.as_str().to_owned(),
            }),
        }
    }

    fn nearest(&self, name: &str) -> String {
        let known = self.names.keys();
        let mut near = known.filter(|known| known.eq_ignore_ascii_case(name));
        near.next()
            .map(|known| format!(" (names count by letter: is it `{known}`?)"))
            .unwrap_or_default()
    }
}

/// Whether two tools of one name would be offered in the same scope.
fn meet(one: &ToolManifest, other: &ToolManifest) -> bool {
    let (mine, theirs) = (&one.scopes, &other.scopes);
    mine.is_empty() || theirs.is_empty() || mine.iter().any(|scope| theirs.contains(scope))
}

fn scopes_of(namesakes: &[Arc<Entry>]) -> String {
    let names: Vec<String> = namesakes
        .iter()
        .flat_map(|entry| &entry.manifest().scopes)
        .filter_map(|scope| {
            serde_json::to_value(scope)
                .ok()?
                .as_str()
                .map(str::to_owned)
        })
        .collect();
    names.join(", ")
}

//! Tools that run outside this server, and how they get into the registry: from the bootstrap file at the start, and from the rows of
//! those registered over the API on any node.
//!
//! A tool that cannot be used is left out and reported, in the log and to those who manage tools; it never blocks the others.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use secrecy::ExposeSecret as _;
use sitewright_connect::{Registration, RemoteTool, VendorPseudonyms, read_bootstrap};
use sitewright_egress::{Egress, EgressPolicy};
use sitewright_runtime::{Registry, ToolSource};
use sitewright_store::{RegisteredTool, SiteId, StoreError};

use crate::openapi_sources::LoadedDocument;
use crate::{App, Settings};

/// The sources of the tools that are not built in.
pub(crate) struct ToolSources {
    file: Option<BootstrapReport>,
    /// What vendors are told instead of who calls.
    pseudonyms: VendorPseudonyms,
    // A lock, because any request may find that another node has registered a tool.
    loaded: Mutex<LoadedTools>,
}

/// The result of loading the bootstrap file.
#[derive(Clone)]
pub(crate) struct BootstrapReport {
    pub(crate) path: PathBuf,
    /// Names of the tools that were loaded.
    pub(crate) loaded: Vec<String>,
    /// What is wrong with the file or with its entries.
    pub(crate) problems: Vec<String>,
}

#[derive(Default)]
struct LoadedTools {
    version: i64,
    documents: Vec<LoadedDocument>,
    tools: BTreeMap<String, RegisteredRow>,
}

/// A row, and the tool that was made from it.
#[derive(Clone)]
pub(crate) struct RegisteredRow {
    pub(crate) site: SiteId,
    /// The tool, or why it cannot be used.
    pub(crate) tool: Result<RemoteTool, String>,
}

impl ToolSources {
    /// Loads the bootstrap file, if the settings name one.
    pub(crate) fn from_file(
        settings: &Settings,
        registry: &Registry,
        egress: &Egress,
        pseudonyms: VendorPseudonyms,
    ) -> Self {
        let path = settings.tool_manifest_path.as_deref();
        let policy = settings.egress_policy();
        let remote = |registration| {
            RemoteTool::new(registration, egress.clone()).with_pseudonyms(pseudonyms.clone())
        };
        let file = path.map(|path| load_file(path, &policy, registry, &remote));
        Self {
            file,
            pseudonyms,
            loaded: Mutex::default(),
        }
    }

    pub(crate) fn file(&self) -> Option<&BootstrapReport> {
        self.file.as_ref()
    }

    /// The tools that a site has registered, by name.
    pub(crate) fn registered_by(&self, site: &SiteId) -> Vec<(String, RegisteredRow)> {
        let loaded = self.loaded();
        let mine = loaded.tools.iter().filter(|(_, tool)| tool.site == *site);
        mine.map(|(name, tool)| (name.clone(), tool.clone()))
            .collect()
    }

    /// Whether a tool is visible to a site: one that a site registered is visible to that site only.
    pub(crate) fn is_for(&self, site: &SiteId, source: &ToolSource, name: &str) -> bool {
        match source {
            ToolSource::Registered => {
                let loaded = self.loaded();
                loaded
                    .tools
                    .get(name)
                    .is_some_and(|tool| tool.site == *site)
            }
            ToolSource::Connector(_) => {
                let loaded = self.loaded();
                let has = |document: &&LoadedDocument| document.tools.contains(name);
                loaded
                    .documents
                    .iter()
                    .find(has)
                    .is_none_or(|document| document.site == *site)
            }
            ToolSource::BuiltIn | ToolSource::File => true,
        }
    }

    /// The OpenAPI documents of a site.
    pub(crate) fn documents_of(&self, site: &SiteId) -> Vec<LoadedDocument> {
        let loaded = self.loaded();
        let mine = loaded.documents.iter();
        mine.filter(|document| document.site == *site)
            .cloned()
            .collect()
    }

    /// An OpenAPI document of a site.
    pub(crate) fn document(&self, site: &SiteId, name: &str) -> Option<LoadedDocument> {
        let mut mine = self.documents_of(site).into_iter();
        mine.find(|document| document.name == name)
    }

    fn loaded(&self) -> MutexGuard<'_, LoadedTools> {
        self.loaded.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl App {
    /// Loads what any node has registered or removed since the last time; costs one small read when nothing has changed.
    pub(crate) async fn refresh_tools(&self) -> Result<(), StoreError> {
        // Read before the rows, so that the rows are at least as new as the version.
        let version = self.store().registered_tools_version().await?;
        if version <= self.tool_sources().loaded().version {
            return Ok(());
        }
        let rows = self.secrets().registered_tools().await?;
        let documents = self.secrets().openapi_documents().await?;
        let mut loaded = self.tool_sources().loaded();
        // Another task has already loaded newer rows.
        if version <= loaded.version {
            return Ok(());
        }
        let before = std::mem::take(&mut loaded.tools);
        for row in rows {
            let tool = self.tool_of(&row, before.get(&row.name));
            let registered = RegisteredRow {
                site: row.site,
                tool,
            };
            loaded.tools.insert(row.name, registered);
        }
        for name in before.keys() {
            if loaded.tools.get(name).is_none_or(|now| now.tool.is_err()) {
                self.tools().remove(&ToolSource::Registered, name);
            }
        }
        let known = std::mem::take(&mut loaded.documents);
        loaded.documents = self.load_documents(documents, &known);
        loaded.version = version;
        Ok(())
    }

    /// Puts the tool of a row into the registry, unless it is already there unchanged.
    fn tool_of(
        &self,
        row: &RegisteredTool,
        before: Option<&RegisteredRow>,
    ) -> Result<RemoteTool, String> {
        let made = self.make(row).and_then(|tool| {
            let before = before.filter(|before| before.site == row.site);
            if let Some(RegisteredRow { tool: Ok(same), .. }) = before
                && same.registration() == tool.registration()
            {
                return Ok(same.clone());
            }
            // Registering it with other scopes would add a second tool instead of replacing the first.
            self.tools().remove(&ToolSource::Registered, &row.name);
            self.tools()
                .register(ToolSource::Registered, tool.clone().into())
                .map_err(|taken| taken.to_string())?;
            Ok(tool)
        });
        if let Err(reason) = &made {
            tracing::warn!(tool = row.name, reason, "a registered tool cannot be used");
        }
        made
    }

    fn make(&self, row: &RegisteredTool) -> Result<RemoteTool, String> {
        let sealed = row.registration.as_ref();
        let text =
            sealed.ok_or("its row cannot be opened: remove the tool and register it again")?;
        let json = serde_json::from_str(text.expose_secret())
            .map_err(|_error| "its row cannot be read: remove the tool and register it again")?;
        let registration = Registration::check(&json, &self.settings().egress_policy())
            .map_err(|problems| listed(&problems))?;
        Ok(RemoteTool::new(registration, self.egress().clone())
            .with_pseudonyms(self.tool_sources().pseudonyms.clone())
            .only_for(row.site.as_str()))
    }
}

fn load_file(
    path: &Path,
    policy: &EgressPolicy,
    registry: &Registry,
    remote: &dyn Fn(Registration) -> RemoteTool,
) -> BootstrapReport {
    let mut report = BootstrapReport {
        path: path.to_owned(),
        loaded: Vec::new(),
        problems: Vec::new(),
    };
    let file = path.display();
    let bootstrap = match read_bootstrap(path, policy) {
        Ok(bootstrap) => bootstrap,
        Err(problem) => {
            tracing::error!("no tools were loaded from a file: {problem}");
            report.problems.push(problem.to_string());
            return report;
        }
    };
    for entry in bootstrap.refused {
        let name = entry
            .name
            .map_or_else(String::new, |name| format!(" (`{name}`)"));
        let problem = format!(
            "entry {}{name} is refused: {}",
            entry.position,
            listed(&entry.problems)
        );
        report.problems.push(problem);
    }
    for registration in bootstrap.tools {
        let name = registration.manifest.name.to_string();
        let tool = remote(registration);
        match registry.register(ToolSource::File, tool.into()) {
            Ok(()) => report.loaded.push(name),
            Err(taken) => report
                .problems
                .push(format!("`{name}` is refused: {taken}")),
        }
    }
    for problem in &report.problems {
        tracing::error!("in {file}, {problem}");
    }
    if bootstrap.exposes_secrets {
        tracing::warn!(
            "{file} has secrets in it and others on this machine can read it: run `chmod 600` on it, or give headers as \
             {{\"file\": \"path\"}}"
        );
    }
    match report.loaded.as_slice() {
        [] => tracing::warn!("{file} gave no tools"),
        names => tracing::info!("tools from {file}: {}", names.join(", ")),
    }
    report
}

fn listed(problems: &[impl ToString]) -> String {
    let problems: Vec<String> = problems.iter().map(ToString::to_string).collect();
    problems.join("; ")
}

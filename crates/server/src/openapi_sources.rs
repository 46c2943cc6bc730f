//! OpenAPI documents of sites, and how their tools get into the registry.
//!
//! A row stores the texts of a document and not the tools, so that every node derives the same tools from it. A document that cannot be
//! used is reported and never blocks the others.

use std::collections::{BTreeMap, BTreeSet};

use secrecy::{ExposeSecret as _, SecretString};
use serde::{Deserialize, Serialize};
use sitewright_connect::openapi::{
    ApiCredentials, Bundle, Import, OpenApiTool, OperationChoice, SecurityScheme, has_errors,
    import,
};
use sitewright_runtime::ToolSource;
use sitewright_store::{OpenApiDocument, SiteId};
use url::Url;

use crate::App;

/// What the row of a document stores, encrypted.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct StoredDocument {
    pub(crate) bundle: Bundle,
    pub(crate) base_url: Option<Url>,
    /// Secrets by security scheme.
    pub(crate) credentials: BTreeMap<String, String>,
    pub(crate) choice: OperationChoice,
}

impl StoredDocument {
    pub(crate) fn open(sealed: &SecretString) -> Option<Self> {
        serde_json::from_str(sealed.expose_secret()).ok()
    }

    pub(crate) fn seal(&self) -> Result<SecretString, serde_json::Error> {
        Ok(SecretString::from(serde_json::to_string(self)?))
    }

    pub(crate) fn import(&self) -> Import {
        import(&self.bundle, &self.choice)
    }

    /// The tools of the document, ready to be registered.
    pub(crate) fn tools(&self, app: &App, site: &SiteId) -> Result<Vec<OpenApiTool>, String> {
        let import = self.import();
        if has_errors(&import.findings) {
            let first = import.findings.first().map(ToString::to_string);
            return Err(first.unwrap_or_default());
        }
        let credentials = self.credentials.iter();
        let credentials = credentials
            .map(|(name, secret)| (name.clone(), SecretString::from(secret.as_str())))
            .collect();
        let credentials = ApiCredentials::new(credentials);
        for scheme in import.schemes.values() {
            if let SecurityScheme::ClientCredentials { token_url } = scheme {
                vet(app, token_url)?;
            }
        }
        let mut tools = Vec::with_capacity(import.tools.len());
        for tool in import.tools {
            let base = OpenApiTool::base_of(&tool, self.base_url.as_ref())?;
            vet(app, base.as_str())?;
            let tool = OpenApiTool::new(tool, base, import.schemes.clone(), app.egress().clone());
            let tool = tool.with_credentials(credentials.clone());
            tools.push(tool.only_for(site.as_str()));
        }
        Ok(tools)
    }
}

/// Refuses an address that secrets must not be sent to.
fn vet(app: &App, address: &str) -> Result<(), String> {
    let vetted = app.settings().egress_policy().vet(address);
    let vetted = vetted.map_err(|error| format!("{address} cannot be used: {error}"))?;
    match vetted.url.scheme() == "https" || vetted.is_listed {
        true => Ok(()),
        false => Err(format!(
            "{address} would get credentials and arguments in the clear: use https, or have an operator list it in \
             SITEWRIGHT_EGRESS_ALLOW"
        )),
    }
}

/// A document as this node has loaded it.
#[derive(Clone)]
pub(crate) struct LoadedDocument {
    pub(crate) site: SiteId,
    pub(crate) name: String,
    pub(crate) stored: Option<StoredDocument>,
    pub(crate) waiting: Option<StoredDocument>,
    pub(crate) tools: BTreeSet<String>,
    /// Why it cannot be used.
    pub(crate) problem: Option<String>,
}

impl LoadedDocument {
    pub(crate) fn source(name: &str) -> ToolSource {
        ToolSource::Connector(format!("openapi: {name}"))
    }
}

impl App {
    /// Puts the tools of the documents into the registry. Those of a document that has not changed stay.
    pub(crate) fn load_documents(
        &self,
        rows: Vec<OpenApiDocument>,
        before: &[LoadedDocument],
    ) -> Vec<LoadedDocument> {
        let mut loaded = Vec::with_capacity(rows.len());
        for row in rows {
            let stored = row.document.as_ref().and_then(StoredDocument::open);
            let waiting = row.waiting.as_ref().and_then(StoredDocument::open);
            let known = before.iter().find(|known| {
                known.site == row.site && known.name == row.name && known.problem.is_none()
            });
            if let Some(known) = known.filter(|known| known.stored == stored) {
                loaded.push(LoadedDocument {
                    waiting,
                    ..known.clone()
                });
                continue;
            }
            let mut document = LoadedDocument {
                site: row.site,
                name: row.name,
                stored,
                waiting,
                tools: BTreeSet::new(),
                problem: None,
            };
            if let Err(problem) = self.load_document(&mut document, known) {
                tracing::warn!(
                    document = document.name,
                    problem,
                    "an OpenAPI document cannot be used"
                );
                document.problem = Some(problem);
            }
            loaded.push(document);
        }
        for old in before {
            let now = loaded
                .iter()
                .find(|now| now.site == old.site && now.name == old.name);
            let none = BTreeSet::new();
            let kept = now.map_or(&none, |now| &now.tools);
            for name in old.tools.difference(kept) {
                self.tools()
                    .remove(&LoadedDocument::source(&old.name), name);
            }
        }
        loaded
    }

    fn load_document(
        &self,
        document: &mut LoadedDocument,
        before: Option<&LoadedDocument>,
    ) -> Result<(), String> {
        let unreadable = "its row cannot be read: remove the document and add it again";
        let stored = document.stored.as_ref().ok_or(unreadable)?;
        let tools = stored.tools(self, &document.site)?;
        let source = LoadedDocument::source(&document.name);
        // All or nothing: half of a pair would be worse than neither.
        for tool in &tools {
            let manifest = &tool.definition().manifest;
            self.tools()
                .check_name(&source, manifest)
                .map_err(|taken| taken.to_string())?;
        }
        for tool in tools {
            let name = tool.definition().name().to_owned();
            if before.is_some_and(|before| before.tools.contains(&name)) {
                self.tools().remove(&source, &name);
            }
            self.tools()
                .register(source.clone(), tool.into())
                .map_err(|taken| taken.to_string())?;
            document.tools.insert(name);
        }
        Ok(())
    }
}

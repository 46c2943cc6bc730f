//! An instance with the content tools, and ways to call them.

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};
use sitewright_content::content_tools;
use sitewright_runtime::{Call, Pipeline, Registry, Tool, ToolSource, history_tools};
use sitewright_site::Author;
use sitewright_store::{Committer, Place, SiteId, Stamp, Store, Timestamp};
use sitewright_testkit::{FreshDatabase, block_on};
use sitewright_tool::{Capability, CapabilitySet, Envelope, Scope};

/// Makes of each `async fn name(desk: Desk) -> anyhow::Result<()>` two tests, `sqlite::name` and `postgres::name`.
macro_rules! on_both {
    ($($name:ident)*) => { sitewright_testkit::on_both_databases! { crate::desk::run: $($name)* } };
}
pub(crate) use on_both;

pub(crate) fn run<F: Future<Output = Result<()>>>(
    database: Option<FreshDatabase>,
    test: impl FnOnce(Desk) -> F,
) {
    let Some(database) = database else { return };
    block_on(async { test(Desk::open(database).await?).await });
}

pub(crate) struct Desk {
    pub(crate) store: Store,
    pub(crate) site: SiteId,
    pipeline: Pipeline,
    _database: FreshDatabase,
}

/// Someone with all permissions.
pub(crate) fn editor() -> Committer {
    let author = Author::Person {
        id: "ana".to_owned(),
    };
    Committer::new(author, CapabilitySet::all(), Stamp::local(Timestamp::now()))
}

impl Desk {
    async fn open(database: FreshDatabase) -> Result<Self> {
        let store = Store::open(&Place::at(&database.address)).await?;
        let tools = Registry::built_in();
        for tool in content_tools() {
            tools.register(ToolSource::BuiltIn, Tool::from(tool))?;
        }
        for tool in history_tools(&store) {
            tools.register(ToolSource::BuiltIn, tool)?;
        }
        Ok(Self {
            site: store.sites().await?.remove(0).id,
            pipeline: Pipeline::new(store.clone(), tools),
            store,
            _database: database,
        })
    }

    pub(crate) async fn call_as(&self, by: Committer, tool: &str, arguments: Value) -> Envelope {
        let scope = match tool {
            "undo" | "redo" => Scope::Site,
            _ => Scope::Content,
        };
        let call = Call {
            scope: Some(scope),
            ..Call::new(self.site.clone(), tool, arguments, by)
        };
        self.pipeline.call(call).await.into()
    }

    /// The data of a call that must be done.
    pub(crate) async fn done(&self, tool: &str, arguments: Value) -> Result<Value> {
        let told = format!("{tool} {arguments}");
        let envelope = self.call_as(editor(), tool, arguments).await;
        ensure!(envelope.ok, "{told}: {:?}", envelope.error);
        envelope.data.context("data")
    }

    /// The data of a call of a site tool that must be done.
    pub(crate) async fn of_site(&self, tool: &str, arguments: Value) -> Result<Value> {
        let call = Call {
            scope: Some(Scope::Site),
            ..Call::new(self.site.clone(), tool, arguments, editor())
        };
        let envelope = Envelope::from(self.pipeline.call(call).await);
        ensure!(envelope.ok, "{tool}: {:?}", envelope.error);
        envelope.data.context("data")
    }

    /// The message of a call that must be refused.
    pub(crate) async fn refused(&self, tool: &str, arguments: Value) -> Result<String> {
        let told = format!("{tool} {arguments}");
        let envelope = self.call_as(editor(), tool, arguments).await;
        let error = envelope
            .error
            .with_context(|| format!("{told}: {:?}", envelope.data))?;
        Ok(error.message)
    }

    /// The only item of a `get`.
    pub(crate) async fn one(&self, tool: &str, arguments: Value) -> Result<Value> {
        let listing = self.done(tool, arguments).await?;
        ensure!(listing["count"] == json!(1), "{listing}");
        Ok(listing["items"][0].clone())
    }

    /// One field of each item of a `get`.
    pub(crate) async fn each(
        &self,
        tool: &str,
        arguments: Value,
        field: &str,
    ) -> Result<Vec<String>> {
        let listing = self.done(tool, arguments).await?;
        let items = listing["items"].as_array().context("items")?;
        let values = items
            .iter()
            .map(|item| item[field].as_str().unwrap_or_default().to_owned());
        Ok(values.collect())
    }
}

/// Someone with these permissions only.
pub(crate) fn someone(capabilities: &[Capability]) -> Committer {
    Committer {
        capabilities: capabilities.iter().copied().collect(),
        ..editor()
    }
}

/// An agent for someone with all permissions an agent can have.
pub(crate) fn agent() -> Committer {
    Committer {
        author: Author::Agent {
            id: "ana".to_owned(),
        },
        capabilities: CapabilitySet::for_agents(),
        ..editor()
    }
}

//! An instance with the content tools, and ways to call them.

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};
use sitewright_content::content_tools;
use sitewright_runtime::{Call, Pipeline, Registry, Tool, ToolSource, history_tools};
use sitewright_site::Author;
use sitewright_store::{Committer, Place, SiteId, Stamp, Store, Timestamp};
use sitewright_testkit::{Postgres, TempDatabase};
use sitewright_tool::{Capability, CapabilitySet, Envelope, Scope};

/// Makes of each `async fn name(desk: Desk) -> anyhow::Result<()>` two tests, `sqlite::name` and `postgres::name`.
macro_rules! on_both {
    ($($name:ident)*) => {
        mod sqlite {
            $(#[test] fn $name() { crate::desk::run(crate::desk::Fresh::sqlite(), super::$name); })*
        }
        mod postgres {
            $(#[test] fn $name() { crate::desk::run(crate::desk::Fresh::postgres(), super::$name); })*
        }
    };
}
pub(crate) use on_both;

/// A database that is gone after the test.
pub(crate) struct Fresh {
    place: Place,
    _folder: tempfile::TempDir,
    _database: Option<TempDatabase>,
}

impl Fresh {
    pub(crate) fn sqlite() -> Option<Self> {
        let folder = tempfile::tempdir().expect("a temporary folder");
        Some(Self {
            place: Place::File(folder.path().join("test.db")),
            _folder: folder,
            _database: None,
        })
    }

    pub(crate) fn postgres() -> Option<Self> {
        let database = sitewright_testkit::unless_missing(Postgres::shared())?.create_database();
        Some(Self {
            place: Place::Postgres(database.url.clone()),
            _folder: tempfile::tempdir().expect("a temporary folder"),
            _database: Some(database),
        })
    }
}

pub(crate) fn run<F: Future<Output = Result<()>>>(
    fresh: Option<Fresh>,
    test: impl FnOnce(Desk) -> F,
) {
    let Some(fresh) = fresh else { return };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build();
    let test = async { test(Desk::open(fresh).await?).await };
    runtime
        .expect("a runtime")
        .block_on(test)
        .expect("the test");
}

pub(crate) struct Desk {
    pub(crate) store: Store,
    pub(crate) site: SiteId,
    pipeline: Pipeline,
    _fresh: Fresh,
}

/// Someone with all permissions.
pub(crate) fn editor() -> Committer {
    let author = Author::Person {
        id: "ana".to_owned(),
    };
    Committer::new(author, CapabilitySet::all(), Stamp::local(Timestamp::now()))
}

impl Desk {
    async fn open(fresh: Fresh) -> Result<Self> {
        let store = Store::open(&fresh.place).await?;
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
            _fresh: fresh,
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

//! An instance with all tools of the content scope, and an outside world for them.

use anyhow::{Context as _, Result, ensure};
use image::{ImageFormat, Rgb, RgbImage};
use serde_json::Value;
use sitewright_connect::{
    Embedder, Guidance, ImageLibrary, PhotoProviders, ProviderAccess, WebAccess, WebSearchKind,
};
use sitewright_content::{content_tools, guidance_of, old_calls};
use sitewright_egress::{Egress, EgressPolicy, Limits};
use sitewright_media::Library;
use sitewright_runtime::{Call, Pipeline, Registry, Tool, ToolSource, history_tools};
use sitewright_site::Author;
use sitewright_store::{BlobPlace, Blobs, Committer, Place, SiteId, Stamp, Store, Timestamp};
use sitewright_testkit::outside_world::{KEY, OutsideWorld};
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
    pub(crate) site: SiteId,
    pub(crate) library: Library,
    pub(crate) store: Store,
    pub(crate) world: OutsideWorld,
    pub(crate) tools: Registry,
    pipeline: Pipeline,
    _database: FreshDatabase,
}

/// A small picture; another one for each number.
pub(crate) fn picture(number: u8) -> Vec<u8> {
    let picture = RgbImage::from_pixel(8, 6, Rgb([number, 80, 160]));
    let mut bytes = std::io::Cursor::new(Vec::new());
    picture.write_to(&mut bytes, ImageFormat::Png).unwrap();
    bytes.into_inner()
}

/// Someone with all permissions.
pub(crate) fn editor() -> Committer {
    let author = Author::Person {
        id: "ana".to_owned(),
    };
    Committer::new(author, CapabilitySet::all(), Stamp::local(Timestamp::now()))
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

pub(crate) fn egress() -> Egress {
    let policy = EgressPolicy {
        allow: "127.0.0.1/32".parse().unwrap(),
    };
    Egress::new(policy, Limits::default()).unwrap()
}

pub(crate) fn access(base_url: String) -> ProviderAccess {
    ProviderAccess {
        base_url,
        key: Some(KEY.into()),
    }
}

impl Desk {
    async fn open(database: FreshDatabase) -> Result<Self> {
        let store = Store::open(&Place::at(&database.address)).await?;
        let blobs = Blobs::open(&BlobPlace::Folder(database.folder.path().join("blobs")))?;
        let library = Library::new(store.clone(), blobs);
        let world = OutsideWorld::with_picture(picture(200));
        let guidance = Guidance(&guidance_of);
        let images = ImageLibrary {
            store: store.clone(),
            library: library.clone(),
            egress: egress(),
            embedder: None,
        };
        let photos = PhotoProviders {
            egress: egress(),
            pexels: access(world.pexels()),
            unsplash: access(world.unsplash()),
            unsplash_app: "harbour".to_owned(),
            library: library.clone(),
        };
        let web = WebAccess {
            egress: egress(),
            search: access(world.tavily()),
            search_kind: WebSearchKind::Tavily,
        };
        let tools = Registry::built_in();
        let mut all: Vec<Tool> = content_tools().into_iter().map(Tool::from).collect();
        all.extend(images.tools(guidance));
        all.extend(photos.tools(guidance));
        all.extend(web.tools(guidance));
        all.extend(history_tools(&store));
        for tool in all {
            tools.register(ToolSource::BuiltIn, tool)?;
        }
        tools.set_old_calls(old_calls());
        Ok(Self {
            site: store.sites().await?.remove(0).id,
            pipeline: Pipeline::new(store.clone(), tools.clone()),
            store,
            library,
            world,
            tools,
            _database: database,
        })
    }

    /// The same with a service for embeddings, and only the tools for pictures.
    pub(crate) fn with_embedder(self, embedder: &Embedder) -> Result<Self> {
        let images = ImageLibrary {
            store: self.store.clone(),
            library: self.library.clone(),
            egress: egress(),
            embedder: Some(embedder.clone()),
        };
        let tools = Registry::built_in();
        for tool in images.tools(Guidance(&guidance_of)) {
            tools.register(ToolSource::BuiltIn, tool)?;
        }
        Ok(Self {
            pipeline: Pipeline::new(self.store.clone(), tools.clone()),
            tools,
            ..self
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

    pub(crate) async fn call(&self, call: Call) -> Envelope {
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
}

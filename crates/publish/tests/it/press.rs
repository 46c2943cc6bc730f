//! What the tests need: an instance on either database, and ways to change its site and to look at it as a visitor.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context as _, Result};
use bytes::Bytes;
use http::{HeaderMap, Method};
use serde_json::{Value, json};
use sitewright_content::content_tools;
use sitewright_publish::{
    Authorization, Comparison, Host, PublicSite, PublishError, PublishOptions, PublishResult,
    Publisher, ShownRelease, Visit, publishing_tools,
};
use sitewright_runtime::{Call, Pipeline, Registry, Tool, ToolSource};
use sitewright_site::{Author, Change, ChangeId, Entity, FORMAT, Op};
use sitewright_store::{
    Actor, BlobPlace, Blobs, Committer, NewToken, Place, SiteId, Stamp, Store, Timestamp, TokenKind,
};
use sitewright_testkit::{FreshDatabase, block_on};
use sitewright_tool::{CapabilitySet, Envelope};

/// Makes of each `async fn name(press: Press) -> anyhow::Result<()>` two tests, `sqlite::name` and `postgres::name`.
macro_rules! on_both {
    ($($name:ident)*) => { sitewright_testkit::on_both_databases! { crate::press::run: $($name)* } };
}
pub(crate) use on_both;

pub(crate) fn run<F: Future<Output = Result<()>>>(
    database: Option<FreshDatabase>,
    test: impl FnOnce(Press) -> F,
) {
    let Some(database) = database else { return };
    block_on(async { test(Press::open(database, None).await?).await });
}

/// An instance that publishes.
pub(crate) struct Press {
    pub(crate) store: Store,
    pub(crate) pipeline: Pipeline,
    pub(crate) publisher: Publisher,
    pub(crate) site: SiteId,
    pub(crate) database: FreshDatabase,
}

impl Press {
    pub(crate) async fn open(database: FreshDatabase, base: Option<&str>) -> Result<Self> {
        let folder = database.folder.path().to_owned();
        Self::on(database, &folder, base).await
    }

    /// An instance on what another process has made.
    pub(crate) async fn beside_files(address: &str, folder: &Path) -> Result<Self> {
        Self::on(FreshDatabase::of_another(address), folder, None).await
    }

    async fn on(database: FreshDatabase, folder: &Path, base: Option<&str>) -> Result<Self> {
        let store = Store::open(&Place::at(&database.address)).await?;
        let blobs = Blobs::open(&BlobPlace::Folder(folder.join("blobs")))?;
        let publisher = Publisher::new(store.clone(), blobs, public_site(base));
        let tools = Registry::built_in();
        for tool in content_tools() {
            tools.register(ToolSource::BuiltIn, Tool::from(tool))?;
        }
        for tool in publishing_tools(&publisher) {
            tools.register(ToolSource::BuiltIn, tool)?;
        }
        Ok(Self {
            pipeline: Pipeline::new(store.clone(), tools),
            publisher,
            site: store.sites().await?.remove(0).id,
            store,
            database,
        })
    }

    /// The same instance after a restart, with other settings: nothing but rows and files is left.
    pub(crate) async fn restarted(self, base: Option<&str>) -> Result<Self> {
        self.pipeline.close().await;
        self.store.close().await;
        Self::open(self.database, base).await
    }

    /// The names of the files that were written so far.
    pub(crate) fn files(&self) -> Result<BTreeSet<PathBuf>> {
        let mut folders = vec![self.database.folder.path().join("blobs")];
        let mut files = BTreeSet::new();
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder)? {
                let path = entry?.path();
                if path.is_dir() {
                    folders.push(path);
                } else {
                    files.insert(path);
                }
            }
        }
        Ok(files)
    }

    /// A second node on the same database and files.
    pub(crate) async fn beside(&self) -> Result<Publisher> {
        let store = Store::open(&Place::at(&self.database.address)).await?;
        let blobs = Blobs::open(&BlobPlace::Folder(
            self.database.folder.path().join("blobs"),
        ))?;
        Ok(Publisher::new(store, blobs, public_site(None)))
    }

    pub(crate) async fn call(&self, call: Call) -> Envelope {
        self.pipeline.call(call).await.into()
    }

    /// Does something to the draft as somebody who may, and tells what came of it.
    pub(crate) async fn edit(&self, tool: &str, arguments: Value) -> Result<Value> {
        self.edit_as(&local(), tool, arguments).await
    }

    pub(crate) async fn edit_as(
        &self,
        by: &Committer,
        tool: &str,
        arguments: Value,
    ) -> Result<Value> {
        let call = Call {
            is_confirmed: true,
            ..Call::new(self.site.clone(), tool, arguments, by.clone())
        };
        let answer = self.call(call).await;
        anyhow::ensure!(answer.ok, "{tool}: {answer:?}");
        answer.data.context("data")
    }

    /// Adds a page with some HTML, and tells its id.
    pub(crate) async fn page(&self, title: &str, slug: &str, html: &str) -> Result<Value> {
        let added = self
            .edit("addPage", json!({ "title": title, "slug": slug }))
            .await?;
        self.write(&added["pageId"], html).await?;
        Ok(added["pageId"].clone())
    }

    /// Adds HTML to a page.
    pub(crate) async fn write(&self, page: &Value, html: &str) -> Result<Value> {
        self.write_as(&local(), page, html).await
    }

    pub(crate) async fn write_as(&self, by: &Committer, page: &Value, html: &str) -> Result<Value> {
        let id: String = page.as_str().context("an id")?.to_owned();
        let body = id.parse()?;
        let mut live = self.store.live_site(&self.site).await?;
        live.open(body).await?;
        let root = live.site().bodies[&body].root();
        drop(live);
        let at = json!({ "parentId": root, "html": html });
        self.edit_as(by, "insertHtml", at).await
    }

    /// Puts a page under another one.
    pub(crate) async fn put_under(&self, page: &Value, parent: &Value) -> Result<()> {
        let id = page.as_str().context("an id")?.parse()?;
        let change = Change {
            id: ChangeId::from("under".to_owned()),
            author: Author::Local,
            turn: None,
            summary: String::new(),
            ops: vec![Op::Put {
                entity: Entity::Page { id },
                field: "parentId".to_owned(),
                value: parent.clone(),
            }],
            expects: Vec::new(),
            format: FORMAT,
        };
        let mut live = self.store.live_site(&self.site).await?;
        live.commit(&change, &local()).await?;
        Ok(())
    }

    /// The id of the page with a slug.
    pub(crate) async fn id_of(&self, slug: &str) -> Result<Value> {
        let live = self.store.live_site(&self.site).await?;
        let mut pages = live.site().shell.pages.iter();
        let found = pages.find(|(_, page)| page.slug == slug);
        Ok(json!(found.context("a page")?.0))
    }

    pub(crate) async fn compare(&self) -> Result<Comparison, PublishError> {
        self.publisher.compare(&self.site).await
    }

    pub(crate) async fn publish(&self) -> Result<PublishResult, PublishError> {
        self.publish_without(&[]).await
    }

    pub(crate) async fn publish_without(
        &self,
        leave_out: &[&str],
    ) -> Result<PublishResult, PublishError> {
        let wish = PublishOptions {
            leave_out: leave_out.iter().map(ToString::to_string).collect(),
            ..PublishOptions::default()
        };
        let by = Stamp::local(Timestamp::now());
        self.publisher.publish(&self.site, &wish, order(&by)).await
    }

    pub(crate) async fn shown(&self) -> Result<Arc<ShownRelease>> {
        let shown = self.publisher.shown(&self.site).await?;
        shown.context("something is published")
    }

    /// What a visitor sees at an address: the status and the text.
    pub(crate) async fn visit(&self, path: &str) -> Result<(u16, String)> {
        Ok(look(&*self.shown().await?, path))
    }

    /// An agent with a token.
    pub(crate) async fn agent(&self) -> Result<Committer> {
        let new = NewToken {
            site: &self.site,
            name: "agent",
            kind: TokenKind::Agent,
            capabilities: CapabilitySet::all(),
            maker: None,
            parent: None,
            expires_at: None,
        };
        let maker = Stamp::local(Timestamp::now());
        let (_, made) = self.store.create_token(new, &maker).await?;
        let by = Stamp {
            actor: Actor::Token(made.id),
            at: Timestamp::now(),
        };
        let author = Author::Agent {
            id: "ana".to_owned(),
        };
        Ok(Committer::new(author, CapabilitySet::all(), by))
    }
}

pub(crate) fn order(by: &Stamp) -> Authorization<'_> {
    Authorization {
        by,
        call: None,
        agreed: None,
    }
}

pub(crate) fn look(shown: &ShownRelease, path: &str) -> (u16, String) {
    let answer = shown.answer(&Visit {
        method: &Method::GET,
        path,
        query: None,
        headers: &HeaderMap::new(),
        host: Host::Shared,
        base: &|| "http://localhost".to_owned(),
    });
    let status = answer.status().as_u16();
    (status, text(answer.into_body()))
}

fn text(bytes: Bytes) -> String {
    String::from_utf8(bytes.to_vec()).expect("text")
}

/// Whoever sits at the machine.
pub(crate) fn local() -> Committer {
    let by = Stamp::local(Timestamp::now());
    Committer::new(Author::Local, CapabilitySet::all(), by)
}

pub(crate) fn person(id: &str) -> Committer {
    let author = Author::Person { id: id.to_owned() };
    let by = Stamp {
        actor: Actor::User(id.to_owned().into()),
        at: Timestamp::now(),
    };
    Committer::new(author, CapabilitySet::all(), by)
}

fn public_site(base: Option<&str>) -> PublicSite {
    PublicSite {
        base: base.map(str::to_owned),
        host: Host::Shared,
    }
}

//! Fifty writers of one thing: nothing that one of them wrote is lost, and who was too late is told.

use anyhow::{Context as _, Result};
use serde_json::json;
use sitewright_site::{
    Author, Change, ChangeId, Entity, EntryStatus, Expect, FORMAT, Item, ItemId, List, NavItem,
    NavTarget, NewEntity, Op, Record, RecordId,
};
use sitewright_store::{CommitError, DatabaseKind, SiteId, Store};

use crate::both::{Fresh, on_both};
use crate::documents::{main_site, person};

on_both! {
    writers_of_one_entry_lose_nothing
    writers_of_one_page_lose_nothing
    writers_of_one_menu_lose_nothing
}

const WRITERS: usize = 50;

async fn writers_of_one_entry_lose_nothing(fresh: &Fresh) -> Result<()> {
    let store = fresh.open().await;
    let id = RecordId::from(1);
    let live = store.live_site(&main_site()).await?;
    let (collection, _) = live.site().collections().next().context("a blog")?;
    drop(live);
    let record = Record {
        collection,
        slug: "one".to_owned(),
        title: "0".to_owned(),
        locale: None,
        translation_of: None,
        source_digest: None,
        status: EntryStatus::Draft,
        publish_at: None,
        unpublish_at: None,
        sort_order: 0,
        values: [].into(),
    };
    let record = Box::new(record);
    let new = Box::new(NewEntity::Record { id, record });
    let counter = Counter {
        entity: Entity::Record { id },
        field: "title",
    };
    commit(&store, "new", Op::Insert { new }, Vec::new()).await??;
    counter.count_together(fresh, store).await
}

async fn writers_of_one_page_lose_nothing(fresh: &Fresh) -> Result<()> {
    let store = fresh.open().await;
    let live = store.live_site(&main_site()).await?;
    let id = live.site().home_page().context("a page")?;
    drop(live);
    let counter = Counter {
        entity: Entity::Page { id },
        field: "title",
    };
    counter.count_together(fresh, store).await
}

async fn writers_of_one_menu_lose_nothing(fresh: &Fresh) -> Result<()> {
    let store = fresh.open().await;
    let live = store.live_site(&main_site()).await?;
    let (navigation, _) = live.site().navigations().next().context("a menu")?;
    drop(live);
    let id = ItemId::from(9);
    let item = NavItem {
        navigation,
        parent: None,
        label: "0".to_owned(),
        target: NavTarget::Placeholder,
        hidden: false,
    };
    let new = Box::new(NewEntity::Item {
        id,
        item: Box::new(Item::NavItem(item)),
        pieces: Vec::new(),
        after: None,
    });
    commit(&store, "new", Op::Insert { new }, Vec::new()).await??;
    let counter = Counter {
        entity: Entity::Item {
            list: List::NavItems,
            id,
        },
        field: "label",
    };
    counter.count_together(fresh, store).await
}

async fn commit(
    store: &Store,
    id: &str,
    op: Op,
    expects: Vec<Expect>,
) -> Result<Result<(), CommitError>> {
    let change = Change {
        id: ChangeId::from(id.to_owned()),
        author: Author::Local,
        turn: None,
        summary: "Count".to_owned(),
        ops: vec![op],
        expects,
        format: FORMAT,
    };
    let mut live = store.live_site(&main_site()).await?;
    Ok(live.commit(&change, &person()).await.map(drop))
}

/// A text that many writers count up: each reads it, and writes one more than it read; a conflict reads again.
#[derive(Clone, Copy)]
struct Counter {
    entity: Entity,
    field: &'static str,
}

impl Counter {
    /// On Postgres the writers are on two nodes.
    async fn count_together(self, fresh: &Fresh, store: Store) -> Result<()> {
        let site = main_site();
        let (before, _) = self.read(&store, &site).await?;
        let other = match store.backend() {
            DatabaseKind::Postgres => fresh.open().await,
            DatabaseKind::Sqlite => store.clone(),
        };
        let mut writers = tokio::task::JoinSet::new();
        for writer in 0..WRITERS {
            let store = if writer % 2 == 0 {
                store.clone()
            } else {
                other.clone()
            };
            writers.spawn(async move { self.add_one(&store, writer).await });
        }
        let mut conflicts = 0;
        while let Some(written) = writers.join_next().await {
            conflicts += written??;
        }
        let (sum, _) = self.read(&store, &site).await?;
        assert_eq!(sum, before + WRITERS, "{conflicts} conflicts");
        Ok(())
    }

    /// The number, and the revision it was read at. A text that is no number counts as none.
    async fn read(self, store: &Store, site: &SiteId) -> Result<(usize, u64)> {
        let mut live = store.live_site(site).await?;
        if let Entity::Record { id } = self.entity {
            live.open_record(id).await?;
        }
        let value = live.site().field(self.entity, self.field)?;
        let number = value.as_str().and_then(|text| text.parse().ok());
        Ok((number.unwrap_or(0), live.site().rev(self.entity)))
    }

    async fn add_one(self, store: &Store, writer: usize) -> Result<u32> {
        for attempt in 0..10_000 {
            let (number, rev) = self.read(store, &main_site()).await?;
            // Others get their turn between the reading and the writing.
            tokio::task::yield_now().await;
            let op = Op::Put {
                entity: self.entity,
                field: self.field.to_owned(),
                value: json!((number + 1).to_string()),
            };
            let expect = Expect {
                entity: self.entity,
                rev,
            };
            let id = format!("w{writer}-{attempt}");
            match commit(store, &id, op, vec![expect]).await? {
                Ok(()) => return Ok(attempt),
                Err(CommitError::Conflict { .. }) => {}
                Err(other) => return Err(other.into()),
            }
        }
        anyhow::bail!("never got through")
    }
}

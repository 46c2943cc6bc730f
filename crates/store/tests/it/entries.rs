//! Entries of collections: opened from their rows, found by index, unique by slug, deleted into a bin.

use anyhow::{Context as _, Result};
use serde_json::{Value, json};
use sitewright_site::{
    Author, Change, ChangeId, Direction, EntryFilter, EntryOrder, EntryQuery, EntryStatus, FORMAT,
    FieldId, ItemId, RecordId, diff,
};
use sitewright_store::{CommitError, RevertTarget, SiteId, Store};

use crate::both::{Fresh, on_both, proven_clock};
use crate::documents::{main_site, person};

on_both! {
    an_entry_is_opened_from_its_row_and_costs_the_site_nothing
    a_slug_belongs_to_one_entry_of_a_collection
    a_deleted_entry_is_in_the_bin_and_comes_back
    entries_fit_their_fields_or_the_fields_stay
    a_collection_with_entries_stays
    entries_are_found_page_by_page
    the_total_of_a_list_follows_every_change
    a_change_of_an_entry_is_seen_from_both_sides
    the_bin_is_emptied_after_thirty_days
}

/// A site with its blog.
struct Desk {
    store: Store,
    site: SiteId,
    blog: ItemId,
    changes: u32,
}

fn id(number: u64) -> RecordId {
    RecordId::from(number)
}

fn entity(number: u64) -> Value {
    json!({ "type": "record", "id": id(number) })
}

fn put(number: u64, field: &str, value: Value) -> Value {
    json!({ "op": "put", "entity": entity(number), "field": field, "value": value })
}

fn remove(number: u64) -> Value {
    json!({ "op": "remove", "entity": entity(number) })
}

impl Desk {
    async fn open(fresh: &Fresh) -> Result<Self> {
        let store = fresh.open().await;
        let site = main_site();
        let live = store.live_site(&site).await?;
        let (blog, _) = live.site().collections().next().context("a blog")?;
        drop(live);
        Ok(Self {
            store,
            site,
            blog,
            changes: 0,
        })
    }

    /// The same rows, and nothing in memory.
    async fn again(self, fresh: &Fresh) -> Self {
        self.store.close().await;
        Self {
            store: fresh.open().await,
            ..self
        }
    }

    async fn field(&self, name: &str) -> Result<FieldId> {
        let live = self.store.live_site(&self.site).await?;
        let blog = live.site().collection(self.blog).context("a blog")?;
        Ok(blog.field(name).context("a field")?.id)
    }

    fn post(&self, number: u64, slug: &str) -> Value {
        let record =
            json!({ "collection": self.blog, "slug": slug, "title": format!("Post {number}") });
        json!({ "op": "insert", "new": { "type": "record", "id": id(number), "record": record } })
    }

    fn change(&mut self, ops: Vec<Value>) -> Result<Change> {
        self.changes += 1;
        Ok(Change {
            id: ChangeId::from(format!("change-{}", self.changes)),
            author: Author::Local,
            turn: None,
            summary: "Change entries".to_owned(),
            ops: serde_json::from_value(Value::Array(ops))?,
            expects: Vec::new(),
            format: FORMAT,
        })
    }

    async fn commit(&mut self, ops: Vec<Value>) -> Result<Result<u64, CommitError>> {
        let change = self.change(ops)?;
        let mut live = self.store.live_site(&self.site).await?;
        let committed = live.commit(&change, &person()).await;
        Ok(committed.map(|committed| committed.entry.seq))
    }

    /// The message of a refusal.
    async fn refused(&mut self, ops: Vec<Value>) -> Result<String> {
        let refused = self.commit(ops).await?.err().context("it was committed")?;
        Ok(refused.to_string())
    }

    async fn list(&self, query: &EntryQuery) -> Result<Vec<String>> {
        let list = self.store.entries(&self.site, query).await?;
        Ok(list.rows.into_iter().map(|row| row.record.slug).collect())
    }

    fn fields(&self, fields: Value) -> Value {
        let entity = json!({ "type": "item", "list": "collections", "id": self.blog });
        json!({ "op": "put", "entity": entity, "field": "fields", "value": fields })
    }
}

fn all() -> EntryQuery {
    EntryQuery {
        order: EntryOrder::Slug,
        direction: Direction::Asc,
        limit: 100,
        ..EntryQuery::default()
    }
}

async fn an_entry_is_opened_from_its_row_and_costs_the_site_nothing(fresh: &Fresh) -> Result<()> {
    let mut desk = Desk::open(fresh).await?;
    let bare = {
        let live = desk.store.live_site(&desk.site).await?;
        serde_json::to_string(&live.site().shell_snapshot())?
    };
    let posts = (0..300).map(|number| desk.post(number, &format!("post-{number}")));
    let posts: Vec<Value> = posts.collect();
    desk.commit(posts).await??;
    desk.commit(vec![put(7, "title", json!("Seven"))]).await??;
    let desk = desk.again(fresh).await;
    let mut live = desk.store.live_site(&desk.site).await?;
    assert_eq!(serde_json::to_string(&live.site().shell_snapshot())?, bare);
    assert!(live.site().records.is_empty());
    assert!(live.open_record(id(7)).await?);
    assert_eq!(live.site().records[&id(7)].record.title, "Seven");
    assert_eq!(live.site().records.len(), 1);
    assert!(!live.open_record(id(999)).await?);
    Ok(())
}

async fn a_slug_belongs_to_one_entry_of_a_collection(fresh: &Fresh) -> Result<()> {
    let mut desk = Desk::open(fresh).await?;
    desk.commit(vec![desk.post(1, "one"), desk.post(2, "two")])
        .await??;
    let taken = desk.refused(vec![desk.post(3, "one")]).await?;
    assert_eq!(
        taken,
        format!(
            "the entry `Post 1` ({}) has the slug `one`; choose another one",
            id(1)
        )
    );
    let twice = desk
        .refused(vec![desk.post(3, "three"), desk.post(4, "three")])
        .await?;
    assert!(twice.contains("`Post 3`"), "{twice}");
    // A refusal leaves nothing behind, in memory or in rows.
    assert_eq!(desk.list(&all()).await?, ["one", "two"]);
    desk.commit(vec![
        put(1, "slug", json!("two")),
        put(2, "slug", json!("one")),
    ])
    .await??;
    let mut live = desk.store.live_site(&desk.site).await?;
    live.open_record(id(1)).await?;
    assert_eq!(live.site().records[&id(1)].record.slug, "two");
    drop(live);
    desk.commit(vec![
        put(1, "locale", json!("de")),
        put(1, "slug", json!("one")),
    ])
    .await??;
    assert_eq!(desk.list(&all()).await?, ["one", "one"]);
    Ok(())
}

async fn a_deleted_entry_is_in_the_bin_and_comes_back(fresh: &Fresh) -> Result<()> {
    let mut desk = Desk::open(fresh).await?;
    desk.commit(vec![desk.post(1, "one"), desk.post(2, "two")])
        .await??;
    let created = desk.store.entries(&desk.site, &all()).await?.rows[0].created_at;
    desk.commit(vec![remove(1)]).await??;
    assert_eq!(desk.list(&all()).await?, ["two"]);
    let mut desk = desk.again(fresh).await;
    let bin = desk.store.binned_entries(&desk.site, 10).await?;
    assert_eq!((bin.len(), bin[0].id), (1, id(1)));
    // Restored by the history …
    let taken = RevertTarget::Change(ChangeId::from("change-2".to_owned()));
    let mut live = desk.store.live_site(&desk.site).await?;
    let back = ("back".to_owned().into(), "Undo".to_owned());
    live.revert(&taken, back, &person()).await?;
    drop(live);
    let rows = desk.store.entries(&desk.site, &all()).await?.rows;
    assert_eq!((rows.len(), rows[0].created_at), (2, created));
    assert_eq!(desk.store.binned_entries(&desk.site, 10).await?, []);
    // … and from the bin, unless its slug has gone to another.
    desk.commit(vec![remove(1)]).await??;
    desk.commit(vec![put(2, "slug", json!("one"))]).await??;
    let binned = desk
        .store
        .binned_entry(&desk.site, id(1))
        .await?
        .context("in the bin")?;
    let back = json!({ "op": "insert", "new": { "type": "record", "id": id(1), "record": binned.record } });
    let taken = desk.refused(vec![back.clone()]).await?;
    assert!(taken.contains("has the slug `one`"), "{taken}");
    desk.commit(vec![put(2, "slug", json!("two"))]).await??;
    desk.commit(vec![back]).await??;
    assert_eq!(desk.list(&all()).await?, ["one", "two"]);
    Ok(())
}

async fn entries_fit_their_fields_or_the_fields_stay(fresh: &Fresh) -> Result<()> {
    let mut desk = Desk::open(fresh).await?;
    let category = desk.field("category").await?;
    let value = format!("values.{category}");
    let ops = vec![
        desk.post(1, "one"),
        desk.post(2, "two"),
        put(1, &value, json!("news")),
        put(2, &value, json!("7")),
    ];
    desk.commit(ops).await??;
    let field = |name: &str, kind: Value| json!([{ "id": category, "name": name, "kind": kind }]);
    // Another name changes no entry.
    desk.commit(vec![desk.fields(field("topic", json!({ "type": "text" })))])
        .await??;
    let choice = json!({ "type": "choice", "options": ["news"] });
    let misfit = desk
        .refused(vec![desk.fields(field("topic", choice.clone()))])
        .await?;
    assert_eq!(
        misfit,
        format!(
            "these entries do not fit the changed fields: `Post 2` ({}); the first reason is: entry `Post 2`: `topic` must be one of news",
            id(2)
        )
    );
    // With the entries converted in the same change, it is fine.
    let ops = vec![
        desk.fields(field("topic", choice)),
        put(2, &value, json!("news")),
    ];
    desk.commit(ops).await??;
    // A field that is taken away and brought back has its values again.
    desk.commit(vec![desk.fields(json!([]))]).await??;
    desk.commit(vec![put(1, "title", json!("Other"))]).await??;
    let mut live = desk.store.live_site(&desk.site).await?;
    live.open_record(id(1)).await?;
    assert_eq!(
        live.site().records[&id(1)].record.values[&category],
        json!("news")
    );
    Ok(())
}

async fn a_collection_with_entries_stays(fresh: &Fresh) -> Result<()> {
    let mut desk = Desk::open(fresh).await?;
    desk.commit(vec![desk.post(1, "one")]).await??;
    let gone = json!({ "op": "remove", "entity": { "type": "item", "list": "collections", "id": desk.blog } });
    let used = desk.refused(vec![gone.clone()]).await?;
    assert_eq!(used, "the collection `Blog` has entries; delete them first");
    desk.commit(vec![remove(1), gone]).await??;
    let desk = desk.again(fresh).await;
    // It does not come back by itself.
    let live = desk.store.live_site(&desk.site).await?;
    assert_eq!(live.site().collections().count(), 0);
    Ok(())
}

async fn entries_are_found_page_by_page(fresh: &Fresh) -> Result<()> {
    let mut desk = Desk::open(fresh).await?;
    let category = desk.field("category").await?;
    let mut ops = Vec::new();
    for number in 0..7 {
        ops.push(desk.post(number, &format!("p{number}")));
        let word = if number % 2 == 0 { "even" } else { "odd" };
        ops.push(put(number, &format!("values.{category}"), json!(word)));
        ops.push(put(number, "sortOrder", json!(10 - number)));
    }
    ops.push(put(3, "status", json!("published")));
    desk.commit(ops).await??;
    let mut query = EntryQuery {
        limit: 3,
        order: EntryOrder::SortOrder,
        direction: Direction::Asc,
        ..EntryQuery::default()
    };
    let mut pages = Vec::new();
    loop {
        let list = desk.store.entries(&desk.site, &query).await?;
        assert_eq!(list.total, 7);
        pages.push(
            list.rows
                .iter()
                .map(|row| row.record.slug.clone())
                .collect::<Vec<_>>()
                .join(" "),
        );
        match list.next {
            Some(next) => query.cursor = Some(next),
            None => break,
        }
    }
    assert_eq!(pages, ["p6 p5 p4", "p3 p2 p1", "p0"]);
    let filtered = |filter: EntryFilter| EntryQuery { filter, ..all() };
    let odd = EntryFilter {
        values: [(category, "odd".to_owned())].into(),
        ..EntryFilter::default()
    };
    assert_eq!(desk.list(&filtered(odd)).await?, ["p1", "p3", "p5"]);
    let live = EntryFilter {
        status: Some(EntryStatus::Published),
        ..EntryFilter::default()
    };
    assert_eq!(desk.list(&filtered(live)).await?, ["p3"]);
    let one = EntryFilter {
        slug: Some("p5".to_owned()),
        collections: vec![desk.blog],
        ..EntryFilter::default()
    };
    assert_eq!(desk.list(&filtered(one)).await?, ["p5"]);
    let none = EntryFilter {
        collections: vec![ItemId::from(5)],
        ..EntryFilter::default()
    };
    assert_eq!(desk.list(&filtered(none)).await?, Vec::<String>::new());
    let bad = EntryQuery {
        cursor: Some("nonsense".to_owned()),
        ..all()
    };
    assert!(desk.store.entries(&desk.site, &bad).await.is_err());
    Ok(())
}

async fn the_total_of_a_list_follows_every_change(fresh: &Fresh) -> Result<()> {
    let mut desk = Desk::open(fresh).await?;
    // One entry of several is shown, so that the total does not come from the rows.
    let totals = async |desk: &Desk| {
        let mut totals = Vec::new();
        for status in [None, Some(EntryStatus::Draft), Some(EntryStatus::Published)] {
            let query = EntryQuery {
                filter: EntryFilter {
                    collections: vec![desk.blog],
                    status,
                    ..EntryFilter::default()
                },
                limit: 1,
                ..EntryQuery::default()
            };
            totals.push(desk.store.entries(&desk.site, &query).await?.total);
        }
        anyhow::Ok(totals)
    };
    assert_eq!(totals(&desk).await?, [0, 0, 0]);
    let posts = (1..=4).map(|number| desk.post(number, &format!("post-{number}")));
    let posts = posts.collect();
    desk.commit(posts).await??;
    assert_eq!(totals(&desk).await?, [4, 4, 0]);
    let published = json!("published");
    desk.commit(vec![
        put(1, "status", published.clone()),
        put(2, "status", published),
        put(3, "title", json!("Another")),
    ])
    .await??;
    assert_eq!(totals(&desk).await?, [4, 2, 2]);
    desk.commit(vec![remove(1)]).await??;
    assert_eq!(totals(&desk).await?, [3, 2, 1]);
    let deletion = RevertTarget::Change(ChangeId::from("change-3".to_owned()));
    let mut live = desk.store.live_site(&desk.site).await?;
    let undo = ("back".to_owned().into(), "Undo".to_owned());
    live.revert(&deletion, undo, &person()).await?;
    drop(live);
    assert_eq!(totals(&desk).await?, [4, 2, 2]);
    // One that came and went within a change was never there.
    desk.commit(vec![desk.post(9, "nine"), remove(9)]).await??;
    assert_eq!(totals(&desk).await?, [4, 2, 2]);
    Ok(())
}

async fn a_change_of_an_entry_is_seen_from_both_sides(fresh: &Fresh) -> Result<()> {
    let mut desk = Desk::open(fresh).await?;
    let added = desk.commit(vec![desk.post(1, "one")]).await??;
    let author = desk.field("author").await?;
    let changed = desk
        .commit(vec![put(1, &format!("values.{author}"), json!("Ana"))])
        .await??;
    let deleted = desk.commit(vec![remove(1)]).await??;
    for (seq, expected) in [
        (added, "Entry Post 1 added."),
        (changed, "Author of entry Post 1 set to “Ana”."),
        (deleted, "Entry Post 1 removed."),
    ] {
        let past = desk
            .store
            .past_change(&desk.site, seq)
            .await?
            .context("kept")?;
        let (before, after) = past.around.context("little came since")?;
        let told: Vec<String> = diff(&before, &after)
            .into_iter()
            .map(|line| line.sentence)
            .collect();
        assert_eq!(told, [expected]);
    }
    Ok(())
}

async fn the_bin_is_emptied_after_thirty_days(fresh: &Fresh) -> Result<()> {
    let mut desk = Desk::open(fresh).await?;
    desk.commit(vec![desk.post(1, "one")]).await??;
    desk.commit(vec![remove(1)]).await??;
    let day = std::time::Duration::from_secs(24 * 60 * 60);
    let removed = person().by.at;
    for (days, gone) in [(29, 0), (31, 1)] {
        let clock = proven_clock(&desk.store, removed.after(day * days)).await?;
        assert_eq!(
            desk.store.tend_bin(&desk.site, &clock).await?,
            gone,
            "{days}"
        );
    }
    Ok(())
}

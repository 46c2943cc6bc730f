//! Content for people: the collections and menus there are, and the bin. Collections and menus are changed with
//! `POST /admin/api/site/changes`, entries with the content tools.

use http::Method;
use schemars::JsonSchema;
use serde::Serialize;
use sitewright_site::{
    Change, ChangeId, Collection, FORMAT, ItemId, Navigation, NewEntity, Op, RecordId,
};
use sitewright_tool::Capability;

use crate::problem::ApiError;
use crate::route::{Access, Context, Json, Nothing, Route};

/// How many deleted entries are listed.
const BINNED_MAX: u16 = 500;

pub(super) fn routes() -> Vec<Route> {
    let (read, write) = (
        Access::Needs(Capability::ContentRead),
        Access::Needs(Capability::ContentWrite),
    );
    vec![
        Route::new(
            Method::GET,
            "/admin/api/content/collections",
            read,
            "The collections with their fields, and the menus",
            collections,
        ),
        Route::new(
            Method::GET,
            "/admin/api/content/bin",
            read,
            "The deleted entries that can be restored, the last deleted first",
            bin,
        ),
        Route::new(
            Method::POST,
            "/admin/api/content/bin/{id}/restore",
            write,
            "Restore a deleted entry",
            restore,
        ),
    ]
}

/// What content the site can have.
#[derive(Serialize, JsonSchema)]
struct ContentSetup {
    /// The kinds of entries.
    collections: Vec<ListedCollection>,
    /// The menus.
    navigations: Vec<ListedNavigation>,
}

#[derive(Serialize, JsonSchema)]
struct ListedCollection {
    id: ItemId,
    #[serde(flatten)]
    collection: Collection,
}

#[derive(Serialize, JsonSchema)]
struct ListedNavigation {
    id: ItemId,
    #[serde(flatten)]
    navigation: Navigation,
}

async fn collections(context: Context, _: Nothing) -> Result<Json<ContentSetup>, ApiError> {
    let live = context.app.store().live_site(context.site()?).await?;
    let collections = live.site().collections().map(|(id, collection)| {
        let collection = collection.clone();
        ListedCollection { id, collection }
    });
    let navigations = live.site().navigations().map(|(id, navigation)| {
        let navigation = navigation.clone();
        ListedNavigation { id, navigation }
    });
    Ok(Json(ContentSetup {
        collections: collections.collect(),
        navigations: navigations.collect(),
    }))
}

/// The bin.
#[derive(Serialize, JsonSchema)]
struct Bin {
    entries: Vec<BinnedEntry>,
}

/// A deleted entry.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct BinnedEntry {
    id: RecordId,
    /// The collection it was in.
    collection_id: ItemId,
    title: String,
    slug: String,
    /// When it was deleted, in milliseconds since 1970.
    removed_at: i64,
    /// Until when it can be restored.
    kept_until: i64,
}

async fn bin(context: Context, _: Nothing) -> Result<Json<Bin>, ApiError> {
    let store = context.app.store();
    let entries = store.binned_entries(context.site()?, BINNED_MAX).await?;
    let entries = entries.into_iter().map(|entry| BinnedEntry {
        id: entry.id,
        collection_id: entry.record.collection,
        title: entry.record.title,
        slug: entry.record.slug,
        removed_at: entry.removed_at.millis(),
        kept_until: entry.kept_until.millis(),
    });
    Ok(Json(Bin {
        entries: entries.collect(),
    }))
}

/// An entry that was restored.
#[derive(Serialize, JsonSchema)]
struct RestoredEntry {
    id: RecordId,
    /// The change that restored it.
    seq: u64,
}

async fn restore(context: Context, _: Nothing) -> Result<Json<RestoredEntry>, ApiError> {
    let gone = || ApiError::not_found("There is no such entry in the bin.");
    let id: RecordId = context.param("id")?.parse().map_err(|_bad| gone())?;
    let (store, site) = (context.app.store(), context.site()?);
    let entry = store.binned_entry(site, id).await?.ok_or_else(gone)?;
    let by = context.caller.committer(context.now);
    let removed_at = entry.removed_at.millis();
    let change = Change {
        // Restoring the same deletion twice is one change.
        id: ChangeId::of_call("restore", &format!("{id} {removed_at}")),
        author: by.author.clone(),
        turn: None,
        summary: format!("Restore {}", entry.record.title)
            .chars()
            .take(200)
            .collect(),
        ops: vec![Op::Insert {
            new: Box::new(NewEntity::Record {
                id,
                record: Box::new(entry.record),
            }),
        }],
        expects: Vec::new(),
        format: FORMAT,
    };
    let mut live = store.live_site(site).await?;
    let committed = live.commit(&change, &by).await?;
    Ok(Json(RestoredEntry {
        id,
        seq: committed.entry.seq,
    }))
}

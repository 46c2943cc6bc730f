//! Versions of entries: the changes that the log has of one, and going back to one of them.

use http::Method;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use sitewright_site::{Author, Collection, Record, RecordId};
use sitewright_tool::{Capability, ErrorCode};

use super::entries::{entry_id, found, missing};
use super::{ToolData, call_with};
use crate::problem::ApiError;
use crate::route::{Access, Context, Json, Nothing, Route};
use crate::routes::names::Names;

/// How many versions are listed at a time.
const LISTED: u16 = 50;

pub(super) fn routes() -> Vec<Route> {
    let (read, write) = (
        Access::Needs(Capability::ContentRead),
        Access::Needs(Capability::ContentWrite),
    );
    vec![
        Route::new(
            Method::GET,
            "/admin/api/content/entries/{id}/versions",
            read,
            "The versions of an entry, the newest first",
            list,
        ),
        Route::new(
            Method::GET,
            "/admin/api/content/entries/{id}/versions/{version}",
            read,
            "An entry as it was, and what has changed since",
            one,
        ),
        Route::new(
            Method::POST,
            "/admin/api/content/entries/{id}/versions/{version}/restore",
            write,
            "Give an entry the title, slug and fields that it had; its status stays",
            restore,
        )
        .open_to_agents(),
    ]
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct VersionsQuery {
    /// Only versions before this one.
    before: Option<u64>,
}

/// The versions of an entry.
#[derive(Serialize, JsonSchema)]
struct Versions {
    versions: Vec<EntryVersion>,
    /// What to send as `before` for older ones; absent at the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<u64>,
}

/// A version of an entry.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct EntryVersion {
    version: u64,
    /// When it was made, in milliseconds since 1970.
    at: i64,
    author: Author,
    /// What the author is called, while that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    author_name: Option<String>,
    summary: String,
}

async fn list(context: Context, input: VersionsQuery) -> Result<Json<Versions>, ApiError> {
    let (store, site, id) = (context.app.store(), context.site()?, entry_id(&context)?);
    let found = store.entry_history(site, id, input.before, LISTED).await?;
    let is_full = found.len() == usize::from(LISTED);
    let next = found.last().filter(|_| is_full).map(|last| last.seq);
    let names = Names::of(&context.app, site).await?;
    let versions = found.into_iter().map(|entry| EntryVersion {
        version: entry.seq,
        at: entry.at.millis(),
        author_name: names.author(&entry.author),
        author: entry.author,
        summary: entry.summary,
    });
    Ok(Json(Versions {
        versions: versions.collect(),
        next,
    }))
}

/// An entry as it was.
#[derive(Serialize, JsonSchema)]
struct PastEntry {
    version: u64,
    title: String,
    slug: String,
    status: String,
    /// Its fields by name.
    content: Map<String, Value>,
    /// What is different now.
    changes: Vec<FieldChange>,
}

/// A field that is different now.
#[derive(Serialize, JsonSchema)]
struct FieldChange {
    /// `title`, `slug`, `status`, or the name of a field of the collection.
    field: String,
    /// What it was.
    was: Value,
    /// What it is now.
    is: Value,
}

/// An entry as it was at a version, and its collection as it is now.
struct Past {
    id: RecordId,
    version: u64,
    record: Record,
    collection: Collection,
}

async fn past(context: &Context) -> Result<Past, ApiError> {
    let id = entry_id(context)?;
    let version: u64 = context
        .param("version")?
        .parse()
        .map_err(|_bad| missing())?;
    let (store, site) = (context.app.store(), context.site()?);
    let change = store
        .past_change(site, version)
        .await?
        .ok_or_else(missing)?;
    let Some((_, after)) = change.around else {
        let detail = "This version is too far back to be read.";
        return Err(ApiError::new(ErrorCode::Conflict, detail));
    };
    let record = after.records.get(&id).map(|open| open.record.clone());
    let record = record.ok_or_else(missing)?;
    let live = store.live_site(site).await?;
    let collection = live.site().collection(record.collection).cloned();
    Ok(Past {
        id,
        version,
        collection: collection.ok_or_else(missing)?,
        record,
    })
}

/// What an entry says, by the names that answers have for it.
fn said(
    title: &Value,
    slug: &Value,
    status: &Value,
    content: &Map<String, Value>,
) -> Map<String, Value> {
    let own = [("title", title), ("slug", slug), ("status", status)];
    let own = own
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value.clone()));
    let mut all = content.clone();
    all.extend(own);
    all
}

async fn one(context: Context, _: Nothing) -> Result<Json<PastEntry>, ApiError> {
    let Past {
        id,
        version,
        record,
        collection,
    } = past(&context).await?;
    let now = found(&context, id, None).await?;
    let content = collection.named_values(&record);
    let status = record.status.as_str();
    let was = said(
        &json!(record.title),
        &json!(record.slug),
        &json!(status),
        &content,
    );
    let field = |name: &str| now.get(name).cloned().unwrap_or_default();
    let empty = Map::new();
    let current = now.get("content").and_then(Value::as_object);
    let is = said(
        &field("title"),
        &field("slug"),
        &field("status"),
        current.unwrap_or(&empty),
    );
    let names = was
        .keys()
        .chain(is.keys().filter(|name| !was.contains_key(*name)));
    let changes = names.filter_map(|name| {
        let (was, is) = (was.get(name).cloned(), is.get(name).cloned());
        (was != is).then(|| FieldChange {
            field: name.clone(),
            was: was.unwrap_or_default(),
            is: is.unwrap_or_default(),
        })
    });
    let changes = changes.collect();
    Ok(Json(PastEntry {
        version,
        title: record.title,
        slug: record.slug,
        status: status.to_owned(),
        content,
        changes,
    }))
}

async fn restore(context: Context, _: Nothing) -> Result<Json<ToolData>, ApiError> {
    let Past {
        id,
        record,
        collection,
        ..
    } = past(&context).await?;
    let now = found(&context, id, None).await?;
    let mut content = collection.named_values(&record);
    let current = now.get("content").and_then(Value::as_object);
    for name in current.into_iter().flat_map(Map::keys) {
        // A field that it did not have is taken away.
        content.entry(name.clone()).or_insert(Value::Null);
    }
    let arguments = json!({
        "id": id, "title": record.title, "slug": record.slug, "content": content, "sortOrder": record.sort_order,
        "version": now.get("version"),
    });
    let data = call_with(&context, "updateEntry", arguments).await?;
    Ok(Json(ToolData { data }))
}

//! Entries, by the content tools.

use http::Method;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use sitewright_publish::Authorization;
use sitewright_site::{EntryStatus, RecordId};
use sitewright_tool::Capability;

use super::{ToolData, ToolInput, call, call_with};
use crate::problem::ApiError;
use crate::route::{Access, Context, Json, Nothing, Route};

pub(super) fn routes() -> Vec<Route> {
    let (read, write, publish) = (
        Access::Needs(Capability::ContentRead),
        Access::Needs(Capability::ContentWrite),
        Access::Needs(Capability::ContentPublish),
    );
    vec![
        Route::new(
            Method::GET,
            "/admin/api/content/entries",
            read,
            "Entries of a collection, or of all, the newest first",
            list,
        ),
        Route::new(
            Method::POST,
            "/admin/api/content/entries",
            write,
            "Create an entry; takes what the tool createEntry takes",
            create,
        )
        .open_to_agents(),
        Route::new(
            Method::GET,
            "/admin/api/content/entries/{id}",
            read,
            "An entry with its fields and its translations",
            one,
        ),
        Route::new(
            Method::PATCH,
            "/admin/api/content/entries/{id}",
            write,
            "Change an entry; takes what the tool updateEntry takes",
            update,
        )
        .open_to_agents(),
        Route::new(
            Method::DELETE,
            "/admin/api/content/entries/{id}",
            write,
            "Delete an entry; the bin keeps it for 30 days",
            delete,
        )
        .open_to_agents(),
        Route::new(
            Method::POST,
            "/admin/api/content/entries/{id}/publish",
            publish,
            "Publish an entry as it is, at once or at a time; also one that is published and has changed since",
            publish_entry,
        ),
    ]
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct EntriesQuery {
    /// The collection, by id or slug; all when left out.
    collection: Option<String>,
    /// Only the one with this slug.
    slug: Option<String>,
    /// Only those with this status.
    status: Option<EntryStatus>,
    /// In this language; what is not translated comes in the nearest one. All entries, in whatever language, when left out.
    locale: Option<String>,
    /// Whether the fields come with each.
    #[serde(default)]
    include_content: bool,
    /// How many at most.
    limit: Option<u32>,
    /// The `next` of the answer before.
    cursor: Option<String>,
}

async fn list(context: Context, input: EntriesQuery) -> Result<Json<ToolData>, ApiError> {
    let mut arguments = Map::new();
    let is_all = input.collection.is_none() && input.slug.is_none();
    let given = [
        ("all", is_all.then(|| json!(true))),
        ("collectionId", input.collection.map(|named| json!(named))),
        ("slug", input.slug.map(|slug| json!(slug))),
        ("status", input.status.map(|status| json!(status))),
        ("locale", input.locale.map(|locale| json!(locale))),
        ("includeContent", Some(json!(input.include_content))),
        ("limit", input.limit.map(|limit| json!(limit))),
        ("cursor", input.cursor.map(|cursor| json!(cursor))),
    ];
    for (name, value) in given {
        arguments.extend(value.map(|value| (name.to_owned(), value)));
    }
    let data = call_with(&context, "getEntry", Value::Object(arguments)).await?;
    Ok(Json(ToolData { data }))
}

pub(super) fn missing() -> ApiError {
    ApiError::not_found("There is no such entry.")
}

pub(super) fn entry_id(context: &Context) -> Result<RecordId, ApiError> {
    context.param("id")?.parse().map_err(|_bad| missing())
}

/// An entry with its fields, in a language or else the nearest one.
pub(super) async fn found(
    context: &Context,
    id: RecordId,
    locale: Option<String>,
) -> Result<Map<String, Value>, ApiError> {
    let mut arguments = json!({ "id": id, "includeContent": true });
    if let Some(locale) = locale {
        arguments["locale"] = json!(locale);
    }
    let mut data = call_with(context, "getEntry", arguments).await?;
    let items = data.get_mut("items").and_then(Value::as_array_mut);
    match items.and_then(Vec::pop) {
        Some(Value::Object(item)) => Ok(item),
        _ => Err(missing()),
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct LanguageQuery {
    /// The translation into this language, or into the nearest one; the entry itself when left out.
    locale: Option<String>,
}

async fn one(context: Context, input: LanguageQuery) -> Result<Json<ToolData>, ApiError> {
    let data = found(&context, entry_id(&context)?, input.locale).await?;
    Ok(Json(ToolData { data }))
}

async fn create(context: Context, input: ToolInput) -> Result<Json<ToolData>, ApiError> {
    let data = call(&context, "createEntry", input).await?;
    release(&context).await;
    Ok(Json(ToolData { data }))
}

async fn update(context: Context, mut input: ToolInput) -> Result<Json<ToolData>, ApiError> {
    // The tool checks the id after the other fields, so that a wrong field is named although the entry does not exist.
    let id = json!(context.param("id")?);
    input.arguments.insert("id".to_owned(), id);
    let data = call(&context, "updateEntry", input).await?;
    release(&context).await;
    Ok(Json(ToolData { data }))
}

async fn delete(context: Context, _: Nothing) -> Result<Json<ToolData>, ApiError> {
    let arguments = json!({ "ids": [entry_id(&context)?], "confirmed": true });
    let data = call_with(&context, "deleteEntry", arguments).await?;
    release(&context).await;
    Ok(Json(ToolData { data }))
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct PublishEntry {
    /// From when on visitors see it, in ISO 8601; at once when left out.
    publish_at: Option<String>,
    /// Until when visitors see it, in ISO 8601.
    unpublish_at: Option<String>,
    /// The version that was read: refused if the entry has changed since.
    version: Option<u64>,
}

async fn publish_entry(context: Context, input: PublishEntry) -> Result<Json<ToolData>, ApiError> {
    let id = entry_id(&context)?;
    let mut arguments = json!({ "id": id, "status": "published" });
    for (name, value) in [
        ("publishAt", input.publish_at.map(|at| json!(at))),
        ("unpublishAt", input.unpublish_at.map(|at| json!(at))),
        ("version", input.version.map(|version| json!(version))),
    ] {
        if let Some(value) = value {
            arguments[name] = value;
        }
    }
    let data = call_with(&context, "updateEntry", arguments).await?;
    release(&context).await;
    // One that was published before has no new status; what has changed in it since goes out with this.
    let by = context.by();
    let order = Authorization {
        by: &by,
        call: None,
        agreed: None,
    };
    let publisher = context.app.publisher();
    publisher.publish_entry(context.site()?, id, order).await?;
    Ok(Json(ToolData { data }))
}

/// Releases what a request has published or taken away before it is answered. A failure is only logged: what is done is done, and the
/// server tries the release again.
async fn release(context: &Context) {
    let Ok(site) = context.site() else { return };
    if let Err(error) = context.app.publisher().release_due(site, context.now).await {
        let error = &error as &dyn std::error::Error;
        tracing::warn!(error, "an entry could not be released; trying again");
    }
}

//! Content over HTTP. Entries and items of menus are changed by the content tools, through the pipeline; collections and menus are set
//! up by people, so their routes commit changes themselves.

mod collections;
mod entries;
mod navigations;
mod published;
mod versions;

use http::Method;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sitewright_runtime::{Call, CallOutcome};
use sitewright_site::{
    Change, ChangeId, Collection, Entity, Expect, FORMAT, ItemId, List, Navigation, NewEntity, Op,
    RecordId, Reference, RowQuery,
};
use sitewright_store::CallId;
use sitewright_tool::{Capability, ErrorCode, Scope, ToolError};

use crate::problem::ApiError;
use crate::route::{Access, Context, Json, Nothing, Route};

/// How many deleted entries are listed.
const BINNED_MAX: u16 = 500;
/// The most rows of a list that a tab shows.
const ROWS_MAX: u32 = 100;

pub(super) fn routes() -> Vec<Route> {
    let (read, write) = (
        Access::Needs(Capability::ContentRead),
        Access::Needs(Capability::ContentWrite),
    );
    let own = vec![
        Route::new(
            Method::GET,
            "/admin/api/content/collections",
            read,
            "The collections with their fields, and the menus",
            collections,
        ),
        Route::new(
            Method::POST,
            "/admin/api/content/shown",
            Access::Needs(Capability::SiteRead),
            "What pages show of entries: the rows of a list, or where an entry is",
            shown,
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
    ];
    [
        own,
        collections::routes(),
        entries::routes(),
        versions::routes(),
        navigations::routes(),
        published::routes(),
    ]
    .concat()
}

/// What a tool takes, with what belongs to the call itself.
#[derive(Deserialize, JsonSchema)]
struct ToolInput {
    /// The same for every repeat of the same request, which then gets the first one's answer.
    #[serde(rename = "idempotencyKey")]
    idempotency_key: Option<String>,
    /// The fields of the tool.
    #[serde(flatten)]
    arguments: Map<String, Value>,
}

/// What a tool answers.
#[derive(Serialize, JsonSchema)]
struct ToolData {
    #[serde(flatten)]
    data: Map<String, Value>,
}

/// Calls a content tool. A request counts as confirmed; the pipeline still ignores a confirmation from an agent.
async fn call(
    context: &Context,
    tool: &str,
    input: ToolInput,
) -> Result<Map<String, Value>, ApiError> {
    let caller = &context.caller;
    let arguments = Value::Object(input.arguments);
    let call = Call {
        scope: Some(Scope::Content),
        key: input.idempotency_key,
        is_confirmed: true,
        person: caller.user_id().map(ToString::to_string),
        session: caller.session(),
        ..Call::new(
            context.site()?.clone(),
            tool,
            arguments,
            caller.committer(context.now),
        )
    };
    match context.app.pipeline().call(call).await.outcome {
        CallOutcome::Done(answer) => match answer.data {
            Value::Object(data) => Ok(data),
            other => Ok(Map::from_iter([("data".to_owned(), other)])),
        },
        CallOutcome::Waiting(mut pending) => {
            pending.link = Some(format!("{}{}", context.app.address(), pending.path()));
            let error = pending.error();
            Err(ApiError::new(error.code, error.message).with("approval", pending.approval()))
        }
        CallOutcome::Refused(error) | CallOutcome::Unknown(error) => Err(refused(error)),
    }
}

/// The refusal of a tool, with the fields that it names.
fn refused(error: ToolError) -> ApiError {
    let places = error.details.as_ref().map(|details| &details["errors"]);
    let places = places.and_then(Value::as_array).into_iter().flatten();
    let fields = places.filter_map(|place| {
        let pointer = place["pointer"].as_str()?.strip_prefix('/')?;
        Some((pointer.replace('/', "."), error.message.clone()))
    });
    let fields: Vec<(String, String)> = fields.collect();
    match (error.code, fields.is_empty()) {
        (ErrorCode::InvalidInput, false) => ApiError::fields(fields),
        _ => ApiError::new(error.code, error.message),
    }
}

/// Calls a tool with fields of our own.
async fn call_with(
    context: &Context,
    tool: &str,
    arguments: Value,
) -> Result<Map<String, Value>, ApiError> {
    let arguments = match arguments {
        Value::Object(arguments) => arguments,
        _ => Map::new(),
    };
    let idempotency_key = None;
    call(
        context,
        tool,
        ToolInput {
            idempotency_key,
            arguments,
        },
    )
    .await
}

/// A change of what content there can be.
struct Setup {
    id: ChangeId,
    summary: String,
    ops: Vec<Op>,
    expects: Vec<Expect>,
}

/// The id of a new change.
fn change_id() -> ChangeId {
    ChangeId::of_call("content", CallId::new().as_str())
}

/// Commits a change, and returns its sequence number.
async fn commit(context: &Context, setup: Setup) -> Result<u64, ApiError> {
    let by = context.caller.committer(context.now);
    let change = Change {
        id: setup.id,
        author: by.author.clone(),
        turn: None,
        summary: setup.summary.chars().take(200).collect(),
        ops: setup.ops,
        expects: setup.expects,
        format: FORMAT,
    };
    let mut live = context.app.store().live_site(context.site()?).await?;
    let committed = live.commit(&change, &by).await?;
    Ok(committed.entry.seq)
}

/// The expectation that something is at the version that the caller has seen.
fn expects(entity: Entity, version: Option<u64>) -> Vec<Expect> {
    let expect = version.map(|rev| Expect { entity, rev });
    expect.into_iter().collect()
}

/// The id in a path.
fn item_id(context: &Context, what: &str) -> Result<ItemId, ApiError> {
    let id = context.param("id")?.parse();
    id.map_err(|_bad| ApiError::not_found(format!("There is no such {what}.")))
}

/// Something that was set up.
#[derive(Serialize, JsonSchema)]
struct SavedItem {
    id: ItemId,
    /// What to send as `version` with the next change.
    version: u64,
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
    /// What to send with a change: it is refused if the collection has changed since.
    version: u64,
    #[serde(flatten)]
    collection: Collection,
}

#[derive(Serialize, JsonSchema)]
struct ListedNavigation {
    id: ItemId,
    /// What to send with a change: it is refused if the menu has changed since.
    version: u64,
    #[serde(flatten)]
    navigation: Navigation,
}

async fn collections(context: Context, _: Nothing) -> Result<Json<ContentSetup>, ApiError> {
    let live = context.app.store().live_site(context.site()?).await?;
    let collections = live.site().collections().map(|(id, collection)| {
        let collection = collection.clone();
        let version = live.site().rev(Entity::Item {
            list: List::Collections,
            id,
        });
        ListedCollection {
            id,
            version,
            collection,
        }
    });
    let navigations = live.site().navigations().map(|(id, navigation)| {
        let navigation = navigation.clone();
        let version = live.site().rev(Entity::Item {
            list: List::Navigations,
            id,
        });
        ListedNavigation {
            id,
            version,
            navigation,
        }
    });
    Ok(Json(ContentSetup {
        collections: collections.collect(),
        navigations: navigations.collect(),
    }))
}

/// What a page asks for.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ShownQuery {
    /// The rows of a list.
    rows: Option<RowQuery>,
    /// Where an entry or a file is.
    address: Option<Reference>,
}

/// What a page shows of entries.
#[derive(Serialize, JsonSchema)]
struct ShownContent {
    /// The rows, at most 100.
    #[serde(skip_serializing_if = "Option::is_none")]
    rows: Option<Vec<Value>>,
    /// The address; absent for what visitors do not see.
    #[serde(skip_serializing_if = "Option::is_none")]
    address: Option<String>,
}

async fn shown(context: Context, input: ShownQuery) -> Result<Json<ShownContent>, ApiError> {
    let live = context.app.store().live_site(context.site()?).await?;
    let rows = match input.rows {
        Some(mut query) => {
            // A tab shows what fits on a screen.
            query.limit = Some(query.limit.unwrap_or(ROWS_MAX).min(ROWS_MAX));
            Some(live.rows(&query, context.now).await?)
        }
        None => None,
    };
    let address = match &input.address {
        Some(target) => live.address(target, context.now).await?,
        None => None,
    };
    Ok(Json(ShownContent { rows, address }))
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
    let removed_at = entry.removed_at.millis();
    let setup = Setup {
        // Restoring the same deletion twice is one change.
        id: ChangeId::of_call("restore", &format!("{id} {removed_at}")),
        summary: format!("Restored {}", entry.record.title),
        ops: vec![Op::Insert {
            new: Box::new(NewEntity::Record {
                id,
                record: Box::new(entry.record),
            }),
        }],
        expects: Vec::new(),
    };
    let seq = commit(&context, setup).await?;
    Ok(Json(RestoredEntry { id, seq }))
}

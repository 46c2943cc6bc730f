//! Breadcrumbs: records, their versions, their tool requests and their stream of events; and the workflows that requests run.

mod stream;
mod workflows;

use axum::response::{IntoResponse as _, Response};
use http::{Method, StatusCode};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use sitewright_breadcrumbs::{
    BreadcrumbCaller, BreadcrumbError, PostedRecord, RecordPatch, RecordQuery, RecordView, Selector,
};
use sitewright_store::{Breadcrumb, BreadcrumbId, BreadcrumbPage, BreadcrumbRequest};
use sitewright_tool::{Capability, ErrorCode};

use crate::problem::ApiError;
use crate::route::{Access, Answer, Context, Done, Json, Nothing, Route};

/// A thousand requests with inputs of some kilobytes.
const RECORD_BYTES_MAX: usize = 4 * 1024 * 1024;
const PAGE: u16 = 50;
const PAGE_MAX: u16 = 500;

pub(super) fn routes() -> Vec<Route> {
    let reads = Access::Needs(Capability::ToolsRead);
    let writes = Access::Needs(Capability::ToolsCall);
    let one = "/breadcrumbs/{id}";
    // Agents may write records: the pipeline judges the requests that they make.
    let mut routes = vec![
        Route::new(
            Method::POST,
            "/breadcrumbs",
            writes,
            "Create a record and run its tool requests",
            create,
        )
        .up_to(RECORD_BYTES_MAX)
        .open_to_agents(),
        Route::new(Method::GET, "/breadcrumbs", reads, "Find records", list),
        Route::new(
            Method::GET,
            "/breadcrumbs/stream",
            reads,
            "The events of records, as they happen",
            stream::follow,
        ),
        Route::new(Method::GET, one, reads, "A record as models see it", read),
        Route::new(
            Method::GET,
            "/breadcrumbs/{id}/full",
            reads,
            "A record with all its content",
            read_full,
        )
        .closed_to_agents(),
        Route::new(
            Method::GET,
            "/breadcrumbs/{id}/history",
            reads,
            "The versions of a record",
            history,
        ),
        Route::new(
            Method::GET,
            "/breadcrumbs/{id}/requests",
            reads,
            "The tool requests of a record",
            requests,
        ),
        Route::new(
            Method::POST,
            "/breadcrumbs/{id}/stop",
            writes,
            "Stop the tool requests of a record",
            stop,
        )
        .open_to_agents(),
        Route::new(Method::PATCH, one, writes, "Change a record", update)
            .up_to(RECORD_BYTES_MAX)
            .open_to_agents(),
        Route::new(Method::DELETE, one, writes, "Delete a record", delete).open_to_agents(),
    ];
    routes.extend(workflows::routes());
    routes
}

fn caller(context: &Context) -> Result<BreadcrumbCaller, ApiError> {
    Ok(BreadcrumbCaller {
        site: context.site()?.clone(),
        committer: context.caller.committer(context.now),
        person: context.caller.user_id().map(ToString::to_string),
        session: context.caller.session(),
    })
}

fn id(context: &Context) -> Result<BreadcrumbId, ApiError> {
    Ok(BreadcrumbId::from(context.param("id")?.to_owned()))
}

impl From<BreadcrumbError> for ApiError {
    fn from(error: BreadcrumbError) -> Self {
        let text = error.to_string();
        match error {
            BreadcrumbError::Invalid(problems) => {
                let problems = problems.into_iter();
                Self::fields(problems.map(|one| (one.field, one.message)).collect())
            }
            BreadcrumbError::NotFound => Self::not_found(text),
            BreadcrumbError::Conflict(current) => {
                let view = RecordView::for_model(*current);
                Self::new(ErrorCode::Conflict, text)
                    .with("version", serde_json::json!(view.version))
                    .with("current", serde_json::json!(view))
            }
            BreadcrumbError::KeyTaken => Self::new(ErrorCode::Conflict, text),
            BreadcrumbError::ForeignSession(_) | BreadcrumbError::NotOwner => Self::forbidden(text),
            BreadcrumbError::Store(error) => error.into(),
            _ => Self::internal(&error),
        }
    }
}

/// A record that was created.
struct CreatedRecord(Breadcrumb);

impl Answer for CreatedRecord {
    const STATUS: StatusCode = StatusCode::CREATED;

    fn schema(generator: &mut SchemaGenerator) -> Option<Schema> {
        Some(generator.subschema_for::<RecordView>())
    }

    fn respond(self) -> Response {
        let view = RecordView::full(self.0);
        (StatusCode::CREATED, axum::Json(view)).into_response()
    }
}

async fn create(context: Context, posted: PostedRecord) -> Result<CreatedRecord, ApiError> {
    let key = match context.headers.get("idempotency-key") {
        Some(key) => Some(key.to_str().map_err(|_unreadable| {
            ApiError::field("Idempotency-Key", "`Idempotency-Key` must be plain text.")
        })?),
        None => None,
    };
    // Another node may have registered a tool a moment ago that the record requests.
    context.app.refresh_tools().await?;
    let caller = caller(&context)?;
    let created = context
        .app
        .breadcrumbs()
        .create(&caller, posted.record()?, key)
        .await?;
    Ok(CreatedRecord(created))
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ListQuery {
    /// Only records of this schema.
    schema_name: Option<String>,
    /// Only records with this tag; several separated by commas, all of which a record must have.
    tag: Option<String>,
    /// Only records that contain this text.
    q: Option<String>,
    /// Conditions as JSON: `any_tags`, `all_tags`, `schema_name`, `context_match`.
    selector: Option<String>,
    /// Where to go on: `next` of the page before.
    after: Option<i64>,
    /// `asc`, which is usual, or `desc` for the newest first.
    order: Option<Order>,
    /// How many; 50 when left out.
    limit: Option<u16>,
}

#[derive(Deserialize, JsonSchema, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum Order {
    Asc,
    Desc,
}

/// Records.
#[derive(Serialize, JsonSchema)]
struct RecordList {
    breadcrumbs: Vec<RecordView>,
    /// How many there are on this page.
    count: usize,
    /// What to pass as `after` for the next page; absent on the last.
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<i64>,
}

impl From<BreadcrumbPage> for RecordList {
    fn from(page: BreadcrumbPage) -> Self {
        let records = page.breadcrumbs.into_iter();
        let breadcrumbs: Vec<RecordView> = records.map(RecordView::for_model).collect();
        Self {
            count: breadcrumbs.len(),
            breadcrumbs,
            next: page.next,
        }
    }
}

/// The conditions of a query.
fn selector(
    written: Option<&str>,
    schema_name: Option<String>,
    tag: Option<&str>,
) -> Result<Selector, ApiError> {
    let mut selector = match written {
        Some(text) => Selector::parse(text)
            .map_err(|error| ApiError::field("selector", format!("`selector`: {error}.")))?,
        None => Selector::default(),
    };
    if schema_name.is_some() {
        selector.schema_name = schema_name;
    }
    let tags = tag.unwrap_or_default().split(',').map(str::trim);
    let tags = tags.filter(|tag| !tag.is_empty());
    selector.all_tags.extend(tags.map(str::to_owned));
    Ok(selector)
}

async fn list(context: Context, input: ListQuery) -> Result<Json<RecordList>, ApiError> {
    let query = RecordQuery {
        selector: selector(
            input.selector.as_deref(),
            input.schema_name,
            input.tag.as_deref(),
        )?,
        text: input.q,
        after: input.after,
        newest_first: input.order == Some(Order::Desc),
        limit: input.limit.unwrap_or(PAGE).clamp(1, PAGE_MAX),
    };
    let caller = caller(&context)?;
    let page = context.app.breadcrumbs().search(&caller, &query).await?;
    Ok(Json(page.into()))
}

async fn read(context: Context, _: Nothing) -> Result<Json<RecordView>, ApiError> {
    let caller = caller(&context)?;
    let record = context
        .app
        .breadcrumbs()
        .get(&caller, &id(&context)?)
        .await?;
    Ok(Json(RecordView::for_model(record)))
}

async fn read_full(context: Context, _: Nothing) -> Result<Json<RecordView>, ApiError> {
    let caller = caller(&context)?;
    let record = context
        .app
        .breadcrumbs()
        .get(&caller, &id(&context)?)
        .await?;
    Ok(Json(RecordView::full(record)))
}

/// The versions of a record.
#[derive(Serialize, JsonSchema)]
struct RecordHistory {
    /// The oldest first.
    versions: Vec<RecordView>,
}

async fn history(context: Context, _: Nothing) -> Result<Json<RecordHistory>, ApiError> {
    let caller = caller(&context)?;
    let versions = context
        .app
        .breadcrumbs()
        .history(&caller, &id(&context)?)
        .await?;
    Ok(Json(RecordHistory {
        versions: versions.into_iter().map(RecordView::for_model).collect(),
    }))
}

/// The tool requests of a record.
#[derive(Serialize, JsonSchema)]
struct RequestList {
    requests: Vec<RequestInfo>,
}

/// A tool request.
#[derive(Serialize, JsonSchema)]
struct RequestInfo {
    request_id: String,
    tool: String,
    /// `open`, `waiting` for approval, or `answered`.
    state: String,
    /// The record that answers it.
    #[serde(skip_serializing_if = "Option::is_none")]
    response_id: Option<String>,
}

impl From<BreadcrumbRequest> for RequestInfo {
    fn from(request: BreadcrumbRequest) -> Self {
        let tool = request.body["tool"].as_str().unwrap_or_default();
        Self {
            tool: tool.to_owned(),
            request_id: request.request_id,
            state: request.state.as_str().to_owned(),
            response_id: request.response.map(|id| id.to_string()),
        }
    }
}

async fn requests(context: Context, _: Nothing) -> Result<Json<RequestList>, ApiError> {
    let caller = caller(&context)?;
    let requests = context
        .app
        .breadcrumbs()
        .requests(&caller, &id(&context)?)
        .await?;
    Ok(Json(RequestList {
        requests: requests.into_iter().map(RequestInfo::from).collect(),
    }))
}

async fn stop(context: Context, _: Nothing) -> Result<Done, ApiError> {
    let caller = caller(&context)?;
    let is_open = context
        .app
        .breadcrumbs()
        .stop(&caller, &id(&context)?)
        .await?;
    match is_open {
        true => Ok(Done),
        false => Err(ApiError::new(
            ErrorCode::Conflict,
            "This record has no tool request that is still open.",
        )),
    }
}

async fn update(context: Context, patch: RecordPatch) -> Result<Json<RecordView>, ApiError> {
    let caller = caller(&context)?;
    let record = context
        .app
        .breadcrumbs()
        .update(&caller, &id(&context)?, patch)
        .await?;
    // Someone else may have written what the record still holds.
    Ok(Json(match context.caller.is_agent() {
        true => RecordView::for_model(record),
        false => RecordView::full(record),
    }))
}

async fn delete(context: Context, _: Nothing) -> Result<Done, ApiError> {
    let caller = caller(&context)?;
    context
        .app
        .breadcrumbs()
        .delete(&caller, &id(&context)?)
        .await?;
    Ok(Done)
}

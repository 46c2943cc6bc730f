//! `breadcrumb-create`, `breadcrumb-update` and `breadcrumb-search`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sitewright_runtime::{Attempt, Failure, Outside, Tool, ToolOutput};
use sitewright_store::BreadcrumbId;
use sitewright_tool::{Effect, ErrorCode, Taint, ToolError};

use super::tool;
use crate::breadcrumbs::WeakBreadcrumbs;
use crate::selector::ContextMatch;
use crate::{
    BreadcrumbCaller, Breadcrumbs, NewRecord, RecordPatch, RecordQuery, RecordView, Selector,
};

const FOUND_MAX: u16 = 100;

pub(super) fn tools(breadcrumbs: &Breadcrumbs) -> Vec<Tool> {
    let records = || breadcrumbs.downgrade();
    vec![
        Tool::outside(
            tool(
                "breadcrumb-create",
                "Create a record",
                "Creates a record. Answers its `id` and `success`.",
                Effect::Draft,
            )
            .words("Creating a record", "Created a record")
            .tags(&["breadcrumb", "note", "remember", "save"])
            .idempotent(),
            Create(records()),
        ),
        Tool::outside(
            tool(
                "breadcrumb-update",
                "Change a record",
                "Changes a record that still has the `version` you name. Fields that are left out stay. Answers `success` and `new_version`.",
                Effect::Draft,
            )
            .words("Changing a record", "Changed a record")
            .tags(&["breadcrumb", "edit"]),
            Update(records()),
        ),
        Tool::outside(
            tool(
                "breadcrumb-search",
                "Find records",
                "Finds records by tags, schema, text and content. Answers `breadcrumbs`, the newest first, and `count`.",
                Effect::None,
            )
            .words("Looking for records", "Looked for records")
            .tags(&["breadcrumb", "find", "recall"]),
            Search(records()),
        ),
    ]
}

fn upgraded(records: &WeakBreadcrumbs) -> Result<Breadcrumbs, ToolError> {
    let stopped = || ToolError::new(ErrorCode::Unavailable, "The server stops.");
    records.upgrade().ok_or_else(stopped)
}

struct Create(WeakBreadcrumbs);

#[derive(Serialize, JsonSchema)]
struct CreateAnswer {
    /// The record.
    id: String,
    success: bool,
    version: i64,
}

impl Outside for Create {
    type Input = NewRecord;
    type Data = CreateAnswer;

    async fn run(
        &self,
        input: NewRecord,
        attempt: Attempt<'_>,
    ) -> Result<ToolOutput<CreateAnswer>, Failure> {
        let caller = BreadcrumbCaller::of_tool(&attempt)?;
        // The key of the call, so that an attempt after a crash finds the record of the first.
        let key = attempt.idempotency_key;
        let created = upgraded(&self.0)?.create(&caller, input, Some(key)).await;
        let record = created.map_err(ToolError::from)?;
        Ok(ToolOutput::from(CreateAnswer {
            id: record.id.to_string(),
            success: true,
            version: record.version,
        }))
    }
}

struct Update(WeakBreadcrumbs);

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Change {
    /// The record.
    id: String,
    /// The version that is changed; the current one.
    version: i64,
    /// What it is called.
    #[serde(default)]
    title: Option<String>,
    /// All its tags.
    #[serde(default)]
    tags: Option<Vec<String>>,
    /// All its content.
    #[serde(default)]
    context: Option<Map<String, Value>>,
    /// How many seconds it is kept after this.
    #[serde(default)]
    ttl: Option<i64>,
}

#[derive(Serialize, JsonSchema)]
struct UpdateAnswer {
    id: String,
    success: bool,
    /// The version after the change.
    new_version: i64,
}

impl Outside for Update {
    type Input = Change;
    type Data = UpdateAnswer;

    async fn run(
        &self,
        input: Change,
        attempt: Attempt<'_>,
    ) -> Result<ToolOutput<UpdateAnswer>, Failure> {
        let caller = BreadcrumbCaller::of_tool(&attempt)?;
        let id = BreadcrumbId::from(input.id);
        let patch = RecordPatch {
            version: input.version,
            title: input.title,
            tags: input.tags,
            context: input.context,
            visibility: None,
            sensitivity: None,
            ttl: input.ttl,
        };
        let updated = upgraded(&self.0)?.update(&caller, &id, patch).await;
        let record = updated.map_err(ToolError::from)?;
        Ok(ToolOutput::from(UpdateAnswer {
            id: record.id.to_string(),
            success: true,
            new_version: record.version,
        }))
    }
}

struct Search(WeakBreadcrumbs);

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Query {
    /// Tags that a record must have, all of them.
    #[serde(default)]
    tags: Vec<String>,
    /// At least one of these tags.
    #[serde(default)]
    any_tags: Vec<String>,
    /// The schema of the records, such as `note.v1`.
    #[serde(default)]
    schema_name: Option<String>,
    /// A text that they contain.
    #[serde(default)]
    q: Option<String>,
    /// Conditions on their content.
    #[serde(default)]
    context_match: Vec<ContextMatch>,
    /// How many; 20 when left out.
    #[serde(default)]
    #[schemars(range(min = 1, max = 100))]
    limit: Option<u16>,
    /// Where to go on: `next` of the answer before.
    #[serde(default)]
    after: Option<i64>,
}

#[derive(Serialize, JsonSchema)]
struct SearchAnswer {
    breadcrumbs: Vec<RecordView>,
    count: usize,
    /// What to pass as `after` for more.
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<i64>,
}

impl Outside for Search {
    type Input = Query;
    type Data = SearchAnswer;

    async fn run(
        &self,
        input: Query,
        attempt: Attempt<'_>,
    ) -> Result<ToolOutput<SearchAnswer>, Failure> {
        let caller = BreadcrumbCaller::of_tool(&attempt)?;
        let query = RecordQuery {
            selector: Selector {
                any_tags: input.any_tags,
                all_tags: input.tags,
                schema_name: input.schema_name,
                context_match: input.context_match,
            },
            text: input.q,
            after: input.after,
            newest_first: true,
            limit: input.limit.unwrap_or(20).min(FOUND_MAX),
        };
        let page = upgraded(&self.0)?.search(&caller, &query).await;
        let page = page.map_err(ToolError::from)?;
        let is_tainted = |record: &sitewright_store::Breadcrumb| record.taint == Taint::Untrusted;
        let taint = match page.breadcrumbs.iter().any(is_tainted) {
            true => Taint::Untrusted,
            false => Taint::Trusted,
        };
        let breadcrumbs: Vec<RecordView> = page
            .breadcrumbs
            .into_iter()
            .map(RecordView::for_model)
            .collect();
        Ok(ToolOutput {
            taint,
            ..ToolOutput::from(SearchAnswer {
                count: breadcrumbs.len(),
                breadcrumbs,
                next: page.next,
            })
        })
    }
}

//! Workflows: how far each has come.

use http::Method;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sitewright_runtime::WorkflowView;
use sitewright_store::{RunQuery, StoreError};
use sitewright_tool::Capability;

use crate::problem::ApiError;
use crate::route::{Access, Context, Json, Nothing, Route};
use crate::routes::calls::visible_actor;

pub(super) fn routes() -> Vec<Route> {
    let reads = Access::Needs(Capability::ToolsRead);
    vec![
        Route::new(
            Method::GET,
            "/admin/api/workflows",
            reads,
            "One's own workflows, the newest first; everyone's with tools.approve or ai.audit.read",
            list,
        ),
        Route::new(
            Method::GET,
            "/admin/api/workflows/{id}",
            reads,
            "A workflow with its steps",
            one,
        ),
    ]
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct WorkflowsQuery {
    /// Only workflows before this one.
    before: Option<String>,
    /// How many; 20 when left out.
    limit: Option<u16>,
}

/// The workflows of a site.
#[derive(Serialize, JsonSchema)]
struct Workflows {
    /// Newest first, without the inputs and outputs of their steps.
    workflows: Vec<WorkflowView>,
}

async fn list(context: Context, input: WorkflowsQuery) -> Result<Json<Workflows>, ApiError> {
    let limit = input.limit.unwrap_or(20).clamp(1, 100);
    let actor = visible_actor(&context);
    let query = RunQuery {
        actor: actor.as_ref(),
        before: input.before.as_deref(),
        limit,
    };
    let pipeline = context.app.pipeline();
    let workflows = pipeline.workflows(context.site()?, query).await?;
    Ok(Json(Workflows { workflows }))
}

async fn one(context: Context, _: Nothing) -> Result<Json<WorkflowView>, ApiError> {
    let id = context.param("id")?;
    let found = context.app.pipeline().workflow(context.site()?, id).await;
    let missing = || ApiError::not_found("There is no workflow with this id.");
    let mut workflow = match found {
        Err(StoreError::NotFound { .. }) => return Err(missing()),
        other => other?,
    };
    let tools = context.app.tools();
    tools.withhold_personal_data_of_named_tools(&mut workflow.steps);
    match visible_actor(&context) {
        Some(actor) if actor.to_string() != workflow.caller => Err(missing()),
        _ => Ok(Json(workflow)),
    }
}

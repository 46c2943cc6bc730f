//! Workflows: how far each has come.

use http::Method;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sitewright_runtime::WorkflowView;
use sitewright_store::StoreError;
use sitewright_tool::Capability;

use crate::problem::ApiError;
use crate::route::{Access, Context, Json, Nothing, Route};

pub(super) fn routes() -> Vec<Route> {
    let reads = Access::Needs(Capability::ToolsRead);
    vec![
        Route::new(
            Method::GET,
            "/admin/api/workflows",
            reads,
            "The workflows, the newest first",
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
    /// How many; 20 when left out.
    limit: Option<u16>,
}

/// The workflows of a site.
#[derive(Serialize, JsonSchema)]
struct Workflows {
    /// Newest first.
    workflows: Vec<WorkflowView>,
}

async fn list(context: Context, input: WorkflowsQuery) -> Result<Json<Workflows>, ApiError> {
    let limit = input.limit.unwrap_or(20).clamp(1, 100);
    let pipeline = context.app.pipeline();
    let workflows = pipeline.workflows(context.site()?, limit).await?;
    Ok(Json(Workflows { workflows }))
}

async fn one(context: Context, _: Nothing) -> Result<Json<WorkflowView>, ApiError> {
    let id = context.param("id")?;
    let found = context.app.pipeline().workflow(context.site()?, id).await;
    match found {
        Ok(workflow) => Ok(Json(workflow)),
        Err(StoreError::NotFound { .. }) => {
            Err(ApiError::not_found("There is no workflow with this id."))
        }
        Err(error) => Err(error.into()),
    }
}

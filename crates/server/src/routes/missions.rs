//! Missions: what they have done, what is left of them, going on with one and stopping one.

use http::Method;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sitewright_runtime::MissionView;
use sitewright_store::StoreError;
use sitewright_tool::Capability;

use crate::problem::ApiError;
use crate::route::{Access, Context, Json, Nothing, Route};

pub(super) fn routes() -> Vec<Route> {
    let reads = Access::Needs(Capability::ToolsRead);
    let approves = Access::Needs(Capability::ToolsApprove);
    vec![
        Route::new(
            Method::GET,
            "/admin/api/missions",
            reads,
            "The missions, the newest first",
            list,
        ),
        Route::new(
            Method::GET,
            "/admin/api/missions/{id}",
            reads,
            "A mission with its legs",
            one,
        ),
        Route::new(
            Method::POST,
            "/admin/api/missions/{id}/resume",
            approves,
            "Go on with a mission",
            resume,
        ),
        Route::new(
            Method::POST,
            "/admin/api/missions/{id}/stop",
            approves,
            "Stop a mission and take back what it did",
            stop,
        ),
    ]
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct MissionsQuery {
    /// Only missions before this one.
    before: Option<String>,
    /// How many; 50 when left out.
    limit: Option<u16>,
}

/// The missions of a site.
#[derive(Serialize, JsonSchema)]
struct Missions {
    /// Newest first.
    missions: Vec<MissionInfo>,
}

/// A mission.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct MissionInfo {
    /// The mission.
    mission_id: Value,
    /// `running`, `rolling_back`, `completed`, `rolled_back` or `rolled_back_with_residuals`.
    state: Value,
    /// The legs, each with `id`, `state`, and `output` or `error`.
    legs: Value,
    /// What could not be taken back.
    residuals: Value,
    /// Who started it.
    caller: String,
    /// When it started, in ms since 1970.
    at: i64,
    /// When it ended, in ms since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    ended_at: Option<i64>,
}

impl From<MissionView> for MissionInfo {
    fn from(view: MissionView) -> Self {
        let MissionView {
            mut outcome,
            caller,
            at,
            ended_at,
        } = view;
        let mut take = |name: &str| outcome.get_mut(name).map(Value::take).unwrap_or_default();
        Self {
            mission_id: take("missionId"),
            state: take("state"),
            legs: take("legs"),
            residuals: take("residuals"),
            caller,
            at,
            ended_at,
        }
    }
}

async fn list(context: Context, input: MissionsQuery) -> Result<Json<Missions>, ApiError> {
    let limit = input.limit.unwrap_or(50).clamp(1, 200);
    let missions = context
        .app
        .pipeline()
        .missions(context.site()?, input.before.as_deref(), limit)
        .await?;
    Ok(Json(Missions {
        missions: missions.into_iter().map(MissionInfo::from).collect(),
    }))
}

async fn one(context: Context, _: Nothing) -> Result<Json<MissionInfo>, ApiError> {
    let id = context.param("id")?;
    let mission = context.app.pipeline().mission(context.site()?, id).await;
    answer(mission)
}

async fn resume(context: Context, _: Nothing) -> Result<Json<MissionInfo>, ApiError> {
    context.app.refresh_tools().await?;
    let id = context.param("id")?;
    let mission = context
        .app
        .pipeline()
        .resume_mission(context.site()?, id)
        .await;
    answer(mission)
}

async fn stop(context: Context, _: Nothing) -> Result<Json<MissionInfo>, ApiError> {
    context.app.refresh_tools().await?;
    let id = context.param("id")?;
    let mission = context
        .app
        .pipeline()
        .stop_mission(context.site()?, id)
        .await;
    answer(mission)
}

fn answer(mission: Result<MissionView, StoreError>) -> Result<Json<MissionInfo>, ApiError> {
    match mission {
        Ok(mission) => Ok(Json(mission.into())),
        Err(StoreError::NotFound { .. }) => {
            Err(ApiError::not_found("There is no mission with this id."))
        }
        Err(error) => Err(error.into()),
    }
}

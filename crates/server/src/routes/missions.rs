//! Missions: what they have done, what is left of them, going on with one and stopping one.

use http::Method;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sitewright_runtime::{LegActionError, LegDetail, LegPlace, MissionView};
use sitewright_store::{RunQuery, StoreError};
use sitewright_tool::{Capability, ErrorCode, sentence};

use super::calls::visible_actor;
use super::names::Names;
use crate::App;
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
            "One's own missions, the newest first; everyone's with tools.approve or ai.audit.read",
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
            "Stop a mission and cancel what it did",
            stop,
        ),
        Route::new(
            Method::POST,
            "/admin/api/missions/{id}/legs/{leg}/resolve",
            approves,
            "Record that what is left of a leg was taken care of by hand",
            resolve,
        ),
        Route::new(
            Method::POST,
            "/admin/api/missions/{id}/legs/{leg}/cancel",
            approves,
            "Cancel a leg of a completed mission",
            cancel,
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
    #[schemars(with = "String")]
    mission_id: Value,
    /// `running`, `rolling_back`, `completed`, `rolled_back` or `rolled_back_with_residuals`.
    #[schemars(with = "String")]
    state: Value,
    /// The legs.
    #[schemars(with = "Vec<MissionLeg>")]
    legs: Value,
    /// The tools of the legs, and what can be done about them, in the same order.
    leg_details: Vec<LegDetailInfo>,
    /// What could not be taken back.
    #[schemars(with = "Vec<Residual>")]
    residuals: Value,
    /// Who started it.
    caller: String,
    /// When it started, in ms since 1970.
    at: i64,
    /// When it ended, in ms since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    ended_at: Option<i64>,
}

/// A leg of a mission.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "it describes the JSON that the runtime makes")]
struct MissionLeg {
    /// Its name.
    id: String,
    /// `pending`, `in_flight`, `committed`, `failed`, `unknown`, `rollback_pending`, `rolled_back`, `rollback_failed` or
    /// `manual_review`.
    state: String,
    /// What its tool answered.
    output: Option<Value>,
    /// Why it failed, or could not be taken back.
    error: Option<LegError>,
    /// The approval that it waits for.
    approval: Option<LegApprovalInfo>,
}

/// What a list shows of a leg, besides its state.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct LegDetailInfo {
    /// Its tool.
    tool: String,
    /// Whether it can be cancelled although the mission is completed.
    can_be_cancelled: bool,
}

impl From<LegDetail> for LegDetailInfo {
    fn from(detail: LegDetail) -> Self {
        let LegDetail {
            tool,
            can_be_cancelled,
        } = detail;
        Self {
            tool,
            can_be_cancelled,
        }
    }
}

/// Why a leg failed.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "it describes the JSON that the runtime makes")]
struct LegError {
    /// The kind of error.
    code: String,
    /// In sentences.
    message: String,
}

/// An approval that a leg waits for.
#[derive(JsonSchema)]
#[schemars(rename_all = "camelCase")]
#[expect(dead_code, reason = "it describes the JSON that the runtime makes")]
struct LegApprovalInfo {
    /// The call to approve.
    id: String,
    /// Its page.
    path: String,
    /// When it turns into a no, in ms since 1970.
    expires_at: Option<i64>,
}

/// What could not be taken back.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "it describes the JSON that the runtime makes")]
struct Residual {
    /// The leg.
    leg: String,
    /// Its tool.
    tool: String,
    /// The state of the leg.
    state: String,
    /// Why it is left over.
    reason: String,
    /// What its tool answered.
    output: Option<Value>,
    /// Who took care of it, and how.
    resolved: Option<ResidualResolution>,
}

/// What somebody did about a residual.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "it describes the JSON that the runtime makes")]
struct ResidualResolution {
    /// Who, as an actor is written.
    by: String,
    /// What they are called today, while they are known.
    #[schemars(rename = "byName")]
    by_name: Option<String>,
    /// When, in ms since 1970.
    at: i64,
    /// What they did and why.
    note: String,
}

impl MissionInfo {
    fn new(app: &App, view: MissionView, names: &Names) -> Self {
        let MissionView {
            mut outcome,
            details,
            caller,
            at,
            ended_at,
        } = view;
        let legs = outcome["legs"].as_array_mut().into_iter().flatten();
        for (leg, detail) in legs.zip(&details) {
            if let Some(output) = leg.get_mut("output") {
                app.tools()
                    .withhold_personal_data(None, &detail.tool, output);
            }
        }
        app.tools()
            .withhold_personal_data_of_named_tools(&mut outcome["residuals"]);
        for residual in outcome["residuals"].as_array_mut().into_iter().flatten() {
            let by = residual["resolved"]["by"].as_str();
            let name = by.and_then(|by| names.get(by)).cloned();
            if let Some(name) = name {
                residual["resolved"]["byName"] = Value::from(name);
            }
        }
        let mut take = |name: &str| outcome.get_mut(name).map(Value::take).unwrap_or_default();
        Self {
            mission_id: take("missionId"),
            state: take("state"),
            legs: take("legs"),
            leg_details: details.into_iter().map(LegDetailInfo::from).collect(),
            residuals: take("residuals"),
            caller,
            at,
            ended_at,
        }
    }
}

async fn list(context: Context, input: MissionsQuery) -> Result<Json<Missions>, ApiError> {
    let limit = input.limit.unwrap_or(50).clamp(1, 200);
    let site = context.site()?;
    let actor = visible_actor(&context);
    let query = RunQuery {
        actor: actor.as_ref(),
        before: input.before.as_deref(),
        limit,
    };
    let missions = context.app.pipeline().missions(site, query).await?;
    let names = Names::of(&context.app, site).await?;
    let missions = missions.into_iter();
    Ok(Json(Missions {
        missions: missions
            .map(|mission| MissionInfo::new(&context.app, mission, &names))
            .collect(),
    }))
}

async fn one(context: Context, _: Nothing) -> Result<Json<MissionInfo>, ApiError> {
    let id = context.param("id")?;
    let mission = context.app.pipeline().mission(context.site()?, id).await;
    let is_visible = |caller: &str| {
        let actor = visible_actor(&context);
        actor.is_none_or(|actor| actor.to_string() == caller)
    };
    let mission = match mission {
        Ok(mission) if !is_visible(&mission.caller) => {
            Err(StoreError::NotFound { what: "mission" })
        }
        other => other,
    };
    answer(&context, mission).await
}

async fn resume(context: Context, _: Nothing) -> Result<Json<MissionInfo>, ApiError> {
    context.app.refresh_tools().await?;
    let id = context.param("id")?;
    let mission = context
        .app
        .pipeline()
        .resume_mission(context.site()?, id)
        .await;
    answer(&context, mission).await
}

async fn stop(context: Context, _: Nothing) -> Result<Json<MissionInfo>, ApiError> {
    context.app.refresh_tools().await?;
    let id = context.param("id")?;
    let mission = context
        .app
        .pipeline()
        .stop_mission(context.site()?, id)
        .await;
    answer(&context, mission).await
}

/// What somebody did about a residual.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct NewResolution {
    /// What was done and why, for the activity log.
    #[schemars(length(min = 1, max = 1000))]
    note: String,
}

const NOTE_CHARS_MAX: usize = 1000;

async fn resolve(context: Context, input: NewResolution) -> Result<Json<MissionInfo>, ApiError> {
    let note = input.note.trim();
    if note.is_empty() || note.chars().count() > NOTE_CHARS_MAX {
        let message = format!("Say what was done in 1 to {NOTE_CHARS_MAX} characters.");
        return Err(ApiError::field("note", message));
    }
    let pipeline = context.app.pipeline();
    let mission = pipeline
        .resolve_leg(place(&context)?, note, &context.by())
        .await;
    acted(&context, mission).await
}

async fn cancel(context: Context, _: Nothing) -> Result<Json<MissionInfo>, ApiError> {
    context.app.refresh_tools().await?;
    let pipeline = context.app.pipeline();
    let mission = pipeline.cancel_leg(place(&context)?, &context.by()).await;
    acted(&context, mission).await
}

fn place(context: &Context) -> Result<LegPlace<'_>, ApiError> {
    Ok(LegPlace {
        site: context.site()?,
        mission: context.param("id")?,
        leg: context.param("leg")?,
    })
}

async fn acted(
    context: &Context,
    mission: Result<MissionView, LegActionError>,
) -> Result<Json<MissionInfo>, ApiError> {
    let error = match mission {
        Ok(mission) => return answer(context, Ok(mission)).await,
        Err(error) => error,
    };
    let text = sentence(&error.to_string());
    match error {
        LegActionError::Store(error) => answer(context, Err(error)).await,
        LegActionError::NoLeg(_) => Err(ApiError::not_found(text)),
        LegActionError::NoResidual(_) | LegActionError::NotCommitted { .. } => {
            Err(ApiError::new(ErrorCode::Conflict, text))
        }
    }
}

async fn answer(
    context: &Context,
    mission: Result<MissionView, StoreError>,
) -> Result<Json<MissionInfo>, ApiError> {
    match mission {
        Ok(mission) => {
            let names = Names::of(&context.app, context.site()?).await?;
            Ok(Json(MissionInfo::new(&context.app, mission, &names)))
        }
        Err(StoreError::NotFound { .. }) => {
            Err(ApiError::not_found("There is no mission with this id."))
        }
        Err(error) => Err(error.into()),
    }
}

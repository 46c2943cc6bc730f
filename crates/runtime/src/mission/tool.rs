//! `mission.run`: the tool that starts a mission and waits for it.

use serde_json::Value;
use sitewright_store::{Actor, CallId, Permission, SiteId, StoreError};
use sitewright_tool::definition::{Definition, outside};
use sitewright_tool::{Effect, ErrorCode, ToolError, sentence};

use super::engine::{self, MissionStart};
use super::plan::{MissionInput, MissionPlan};
use super::state::{Mission, MissionCaller, MissionState};
use crate::call::failed;
use crate::pipeline::WeakPipeline;
use crate::{Attempt, Failure, Foreseen, Outside, Pipeline, Tool, ToolOutput};

pub(crate) const NAME: &str = "mission.run";
const PREVIEW: &str = "mission.preview";
const TIMEOUT_MS: u32 = 600_000;

/// The tool. It needs the pipeline that runs its legs.
pub fn mission_tool(pipeline: &Pipeline) -> Tool {
    let definition: Definition = outside(
        NAME,
        "Run a mission",
        "Runs several tool calls that belong together, such as booking a flight, a hotel and a car. If one fails, those already done are \
         cancelled again. Legs that do not depend on each other run at the same time. Use `${leg.path}` in arguments for what another \
         leg answered. A person approves the whole mission once.",
        Effect::External,
    )
    .words("Running a mission", "Ran a mission")
    .tags(&["mission", "booking", "trip", "rollback", "several steps"])
    .idempotent()
    .timeout_ms(TIMEOUT_MS)
    .build::<MissionInput, Value>();
    Tool::new(
        definition,
        MissionRun {
            pipeline: pipeline.downgrade(),
        },
    )
}

/// The tool that shows what a mission would do and cost. It does nothing.
pub fn mission_preview_tool(pipeline: &Pipeline) -> Tool {
    let definition: Definition = outside(
        PREVIEW,
        "Preview a mission",
        "Shows what `mission.run` would do with these legs, without doing it: the calls in order, the sum of the amounts that are named, \
         what takes each leg back, and which legs a person would be asked about again because another leg fills in their values.",
        Effect::None,
    )
    .words("Looking at a mission", "Looked at a mission")
    .tags(&["mission", "dry run", "cost", "price"])
    .idempotent()
    .build::<MissionInput, Value>();
    Tool::new(
        definition,
        MissionPreview {
            pipeline: pipeline.downgrade(),
        },
    )
}

struct MissionPreview {
    pipeline: WeakPipeline,
}

impl Outside for MissionPreview {
    type Input = MissionInput;
    type Data = Value;

    async fn run(&self, input: MissionInput, _: Attempt<'_>) -> Result<ToolOutput, Failure> {
        let pipeline = self
            .pipeline
            .upgrade()
            .ok_or_else(|| ToolError::new(ErrorCode::Unavailable, "The server stops."))?;
        let plan = MissionPlan::check(&input, pipeline.tools())?;
        Ok(ToolOutput::from(plan.card()))
    }
}

struct MissionRun {
    pipeline: WeakPipeline,
}

impl MissionRun {
    fn pipeline(&self) -> Result<Pipeline, ToolError> {
        self.pipeline
            .upgrade()
            .ok_or_else(|| ToolError::new(ErrorCode::Unavailable, "The server stops."))
    }
}

impl Outside for MissionRun {
    type Input = MissionInput;
    type Data = Value;

    async fn foresee(
        &self,
        input: MissionInput,
        attempt: Attempt<'_>,
    ) -> Result<Foreseen, ToolError> {
        let plan = MissionPlan::check(&input, self.pipeline()?.tools())?;
        if let Some(committer) = attempt.committer {
            for entry in &plan.tools {
                let needed = entry.definition().needs;
                if !committer.capabilities.has(needed) {
                    let message = format!(
                        "`{}` needs the permission `{needed}`; ask an owner of the site for it.",
                        entry.definition().name()
                    );
                    return Err(ToolError::new(ErrorCode::Forbidden, message));
                }
            }
        }
        Ok(Foreseen {
            preview: Some(plan.card()),
            agreed: Some(plan.agreed()),
            ..Foreseen::default()
        })
    }

    async fn run(&self, input: MissionInput, attempt: Attempt<'_>) -> Result<ToolOutput, Failure> {
        let pipeline = self.pipeline()?;
        let site = SiteId::from(attempt.context.site_id.clone());
        let id = attempt.context.trace_id.clone();
        let existing = match pipeline.store().mission(&site, &id).await {
            Ok(record) => Some(record),
            Err(StoreError::NotFound { .. }) => None,
            Err(error) => return Err(failed(&error).into()),
        };
        if existing.is_none() {
            let plan = MissionPlan::check(&input, pipeline.tools())?;
            if attempt.agreed.is_some_and(|agreed| agreed != plan.agreed()) {
                let message =
                    "The tools of this mission have changed since it was approved. Start it again.";
                return Err(ToolError::new(ErrorCode::Conflict, message).into());
            }
            let (mission, actor) = new_mission(&pipeline, plan, attempt).await?;
            let start = MissionStart {
                id: id.clone(),
                site: site.clone(),
                actor,
                holder: pipeline.node().to_owned(),
                at: attempt.by.at,
            };
            let begun = engine::begin(pipeline.store(), &mission, start).await;
            begun.map_err(|error| failed(&error))?;
        }
        let view = pipeline.driven(&site, &id).await;
        let view = view.map_err(|error| {
            let message = format!(
                "The mission `{id}` goes on, and its state cannot be read: {}",
                sentence(&error.to_string())
            );
            ToolError::new(ErrorCode::Unavailable, message)
        })?;
        Ok(ToolOutput {
            data: view.outcome,
            taint: sitewright_tool::Taint::Untrusted,
            ..ToolOutput::default()
        })
    }
}

async fn new_mission(
    pipeline: &Pipeline,
    plan: MissionPlan,
    attempt: Attempt<'_>,
) -> Result<(Mission, Actor), ToolError> {
    let Some(committer) = attempt.committer else {
        return Err(ToolError::new(
            ErrorCode::Internal,
            "A mission needs a caller.",
        ));
    };
    let site = SiteId::from(attempt.context.site_id.clone());
    let call = CallId::from(attempt.context.trace_id.clone());
    let row = pipeline.store().call(&site, &call).await;
    let row = row.map_err(|error| failed(&error))?;
    let approved_by = match row.life.permission {
        Permission::Approval { by, .. } => Some(by),
        Permission::None | Permission::Policy => None,
    };
    let mission = Mission {
        state: MissionState::Running,
        caller: MissionCaller {
            author: committer.author.clone(),
            capabilities: committer.capabilities.clone(),
            person: attempt.context.user_id.clone(),
            session: attempt.context.session_id.clone(),
            planner: attempt.context.planner_provider.clone(),
            taint: committer.taint,
        },
        approved_by,
        is_stopped: false,
        commits: 0,
        legs: plan.legs,
    };
    Ok((mission, committer.by.actor.clone()))
}

//! `workflow`: the tool that runs a workflow and waits for it.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};
use sitewright_store::{RunQuery, SiteId, StoreError, Timestamp, UNREADABLE, WorkflowRecord};
use sitewright_tool::definition::outside;
use sitewright_tool::{Effect, ErrorCode, Scope, ToolError};

use super::plan::{WorkflowInput, WorkflowPlan};
use super::run::WorkflowRun;
use crate::pipeline::WeakPipeline;
use crate::{Attempt, Failure, Foreseen, Outside, Pipeline, Tool, ToolOutput};

pub(super) const NAME: &str = "workflow";
const TIMEOUT_MS: u32 = 600_000;

/// The tool. It needs the pipeline that runs its steps.
pub fn workflow_tool(pipeline: &Pipeline) -> Tool {
    let definition = outside(
        NAME,
        "Run a workflow",
        "Runs several tools, each as soon as the steps it depends on are done. Use `${stepId.field}` or `${stepId.list[0]}` in an input \
         for what another step answered; the steps that are referred to run first. Answers `results` by step, `executionOrder` and \
         `errors`. A failed step stops the workflow unless `continueOnError` is true.",
        // Its own effect is none that a person would have to approve: the policy judges each step by itself.
        Effect::Draft,
    )
    .words("Running a workflow", "Ran a workflow")
    .scopes(&[Scope::Breadcrumbs])
    .tags(&["workflow", "steps", "pipeline", "chain"])
    .idempotent()
    .timeout_ms(TIMEOUT_MS);
    let pipeline = pipeline.downgrade();
    Tool::outside(definition, WorkflowTool { pipeline })
}

/// What came of a workflow.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct WorkflowOutput {
    /// What each step answered, by its id.
    pub(super) results: Map<String, Value>,
    /// The steps in the order in which they ended.
    pub(super) execution_order: Vec<String>,
    /// The steps that failed or were not run.
    pub(super) errors: Vec<StepFailure>,
    /// What the step that `returnStep` names answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) result: Option<Value>,
}

/// A step that failed or was not run.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(super) struct StepFailure {
    pub(super) step: String,
    pub(super) tool: String,
    /// What went wrong and what to do.
    pub(super) error: String,
}

/// A workflow for people and scripts.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WorkflowView {
    /// The id of the call that runs it.
    pub id: String,
    /// The steps, each with `id`, `tool`, `dependencies`, `state` and, as far as known, `error`. A workflow by itself also has their `input`
    /// and `output`; a list has not.
    pub steps: Value,
    /// Why there are no steps, if what is stored of them cannot be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unreadable: Option<String>,
    /// Who started it.
    pub caller: String,
    /// When it started, in ms since 1970.
    pub at: i64,
    /// When it ended, in ms since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<i64>,
}

impl From<WorkflowRecord> for WorkflowView {
    fn from(record: WorkflowRecord) -> Self {
        let mut body = record.body;
        Self {
            id: record.id,
            steps: body.get_mut("steps").map_or_else(|| json!([]), Value::take),
            unreadable: body[UNREADABLE].as_str().map(ToOwned::to_owned),
            caller: record.actor.to_string(),
            at: record.at.millis(),
            ended_at: record.ended_at.map(Timestamp::millis),
        }
    }
}

impl WorkflowView {
    /// The workflow without what its steps were given and answered.
    fn summary(record: WorkflowRecord) -> Self {
        let mut view = Self::from(record);
        let steps = view.steps.as_array_mut().into_iter().flatten();
        for step in steps.filter_map(Value::as_object_mut) {
            step.remove("input");
            step.remove("output");
        }
        view
    }
}

impl Pipeline {
    /// A workflow of a site.
    pub async fn workflow(&self, site: &SiteId, id: &str) -> Result<WorkflowView, StoreError> {
        Ok(self.store().workflow(site, id).await?.into())
    }

    /// The workflows of a site, newest first, without the inputs and outputs of their steps.
    pub async fn workflows(
        &self,
        site: &SiteId,
        query: RunQuery<'_>,
    ) -> Result<Vec<WorkflowView>, StoreError> {
        let store = self.store();
        store.workflows(site, query, WorkflowView::summary).await
    }
}

struct WorkflowTool {
    pipeline: WeakPipeline,
}

impl WorkflowTool {
    fn pipeline(&self) -> Result<Pipeline, ToolError> {
        self.pipeline
            .upgrade()
            .ok_or_else(|| ToolError::new(ErrorCode::Unavailable, "The server stops."))
    }
}

impl Outside for WorkflowTool {
    type Input = WorkflowInput;
    type Data = WorkflowOutput;

    /// Checks the whole graph, so that a mistake in the last step is found before the first one runs.
    async fn foresee(
        &self,
        input: WorkflowInput,
        _attempt: Attempt<'_>,
    ) -> Result<Foreseen, ToolError> {
        WorkflowPlan::check(&input, self.pipeline()?.tools())?;
        Ok(Foreseen::default())
    }

    async fn run(
        &self,
        input: WorkflowInput,
        attempt: Attempt<'_>,
    ) -> Result<ToolOutput<WorkflowOutput>, Failure> {
        let pipeline = self.pipeline()?;
        let plan = WorkflowPlan::check(&input, pipeline.tools())?;
        let run = WorkflowRun::new(pipeline, plan, attempt).await?;
        run.finish().await
    }
}

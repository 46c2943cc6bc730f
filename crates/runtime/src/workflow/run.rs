//! A workflow on its way: starts what can start, waits for what ends first, and stores the state after each.

use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use sitewright_store::{Committer, SiteId, StoreError, Timestamp, WorkflowRecord};
use sitewright_tool::{ErrorCode, Taint, ToolContext, ToolError};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio_util::sync::{CancellationToken, DropGuard};

use super::plan::{PlannedStep, WorkflowPlan};
use super::tool::{StepFailure, WorkflowOutput};
use crate::call::failed;
use crate::interpolation::{STEP_MARKS, json_bytes};
use crate::schema::is_deeper_than;
use crate::{Attempt, Call, CallOutcome, CallReply, Failure, Pipeline, ToolOutput};

/// How often a step that waits for a person looks for the decision.
const LOOK_EVERY: Duration = Duration::from_millis(500);

/// The most that the inputs and outputs of a workflow have together. All of it is stored again after every step, and is in the
/// workflow's own output.
const STEPS_BYTES_MAX: usize = 4 * 1024 * 1024;
/// The end of the sentences about [`STEPS_BYTES_MAX`].
const TOO_MUCH: &str = "the inputs and outputs of a workflow may have 4 MiB together: ask for less, or split the workflow.";

/// How deep the output of a step may be nested: a few levels less than any value, because the workflow answers with all of them inside.
const OUTPUT_DEPTH_MAX: usize = 100;

/// How far a step is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum StepState {
    Pending,
    Running,
    /// A person has to approve its call.
    Waiting,
    Done,
    Failed,
    /// Not run, because another step failed.
    Skipped,
}

/// A step as it is stored and shown.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct StepRecord {
    id: String,
    tool: String,
    dependencies: Vec<String>,
    state: StepState,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    input: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    output: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    started_at: Option<i64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    ended_at: Option<i64>,
    /// Whether anything in the output came from outside.
    #[serde(default)]
    is_tainted: bool,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct StoredWorkflow {
    steps: Vec<StepRecord>,
    execution_order: Vec<String>,
}

type StepTask = JoinHandle<(usize, CallReply)>;

pub(super) struct WorkflowRun {
    pipeline: Pipeline,
    plan: WorkflowPlan,
    context: ToolContext,
    committer: Committer,
    at: Timestamp,
    steps: Vec<StepRecord>,
    order: Vec<String>,
    running: FuturesUnordered<StepTask>,
    waiting: mpsc::Receiver<usize>,
    tell_waiting: mpsc::Sender<usize>,
    stop: CancellationToken,
    /// Stops the steps when the workflow is dropped, because its own time is over or its caller stopped it.
    _guard: DropGuard,
}

impl WorkflowRun {
    /// A new workflow, or the rest of one that was interrupted.
    pub(super) async fn new(
        pipeline: Pipeline,
        plan: WorkflowPlan,
        attempt: Attempt<'_>,
    ) -> Result<Self, Failure> {
        let Some(committer) = attempt.committer else {
            let message = "A workflow needs a caller.";
            return Err(ToolError::new(ErrorCode::Internal, message).into());
        };
        let site = SiteId::from(attempt.context.site_id.clone());
        let id = &attempt.context.trace_id;
        let stored = match pipeline.store().workflow(&site, id).await {
            Ok(record) => serde_json::from_value(record.body).ok(),
            Err(StoreError::NotFound { .. }) => None,
            Err(error) => return Err(failed(&error).into()),
        };
        let (steps, order) = initial(&plan, stored);
        let stop = CancellationToken::new();
        let (tell_waiting, waiting) = mpsc::channel(16);
        Ok(Self {
            pipeline,
            plan,
            context: attempt.context.clone(),
            committer: Committer {
                is_approved: false,
                ..committer.clone()
            },
            at: attempt.by.at,
            steps,
            order,
            running: FuturesUnordered::new(),
            waiting,
            tell_waiting,
            _guard: stop.clone().drop_guard(),
            stop,
        })
    }

    /// Runs the steps to the end.
    pub(super) async fn finish(mut self) -> Result<ToolOutput<WorkflowOutput>, Failure> {
        loop {
            self.start_ready();
            self.save(None).await?;
            if self.running.is_empty() {
                break;
            }
            tokio::select! {
                Some(ended) = self.running.next() => self.end(ended),
                Some(at) = self.waiting.recv() => {
                    if self.steps[at].state == StepState::Running {
                        self.steps[at].state = StepState::Waiting;
                    }
                }
            }
        }
        self.save(Some(Timestamp::now())).await?;
        self.output().map_err(Failure::answered)
    }

    /// Starts every step whose dependencies are done, and skips those whose dependencies failed.
    fn start_ready(&mut self) {
        loop {
            let mut has_changed = false;
            for at in 0..self.steps.len() {
                if self.steps[at].state != StepState::Pending {
                    continue;
                }
                if let Some(reason) = self.reason_to_skip(at) {
                    self.steps[at].state = StepState::Skipped;
                    self.steps[at].error = Some(reason);
                    has_changed = true;
                    continue;
                }
                let mut dependencies = self.plan.steps[at].dependencies.iter();
                if dependencies.all(|other| self.steps[*other].state == StepState::Done) {
                    self.start(at);
                    has_changed |= self.steps[at].state == StepState::Failed;
                }
            }
            if !has_changed {
                break;
            }
        }
    }

    fn reason_to_skip(&self, at: usize) -> Option<String> {
        let has_failed =
            |step: &&StepRecord| matches!(step.state, StepState::Failed | StepState::Skipped);
        let dependencies = self.plan.steps[at].dependencies.iter();
        let mut dependencies = dependencies.map(|other| &self.steps[*other]);
        if let Some(failed) = dependencies.find(has_failed) {
            return Some(format!(
                "It was not run, because it needs `{}`, which failed.",
                failed.id
            ));
        }
        if self.plan.continue_on_error {
            return None;
        }
        let failed = self.steps.iter().find(has_failed)?;
        Some(format!("It was not run, because `{}` failed.", failed.id))
    }

    fn start(&mut self, at: usize) {
        let step = self.plan.steps[at].clone();
        self.steps[at].started_at = Some(Timestamp::now().millis());
        let known: Vec<&str> = self.steps.iter().map(|step| step.id.as_str()).collect();
        let root = |name: &str| {
            let found = self.steps.iter().find(|step| step.id == name)?;
            found.output.as_ref()
        };
        let input = match STEP_MARKS.fill(&step.input, &root, &known) {
            Ok(input) => input,
            Err(error) => {
                let message =
                    format!("Its input cannot be filled in: {error}. Nothing was called.");
                self.fail(at, message);
                return;
            }
        };
        if !self.has_room_for(&input) {
            let message = format!(
                "Its input has {} bytes, and {TOO_MUCH} Nothing was called.",
                json_bytes(&input)
            );
            self.fail(at, message);
            return;
        }
        let call = self.call(&step, &input);
        self.steps[at].state = StepState::Running;
        self.steps[at].input = Some(input);
        let work = StepWork {
            at,
            pipeline: self.pipeline.clone(),
            call,
            timeout: step.timeout,
            tell_waiting: self.tell_waiting.clone(),
        };
        self.running
            .push(self.pipeline.spawn(async move { (at, work.reply().await) }));
    }

    fn has_room_for(&self, value: &Value) -> bool {
        let steps = self.steps.iter();
        let values = steps.flat_map(|step| [&step.input, &step.output]).flatten();
        json_bytes(value) + values.map(json_bytes).sum::<usize>() <= STEPS_BYTES_MAX
    }

    fn call(&self, step: &PlannedStep, input: &Value) -> Call {
        // What came from outside stays marked, through however many steps.
        let is_tainted = step.uses.iter().any(|other| self.steps[*other].is_tainted);
        let taint = match is_tainted {
            true => Taint::Untrusted,
            false => self.committer.taint,
        };
        let by = Committer {
            taint,
            ..self.committer.clone()
        };
        let site = SiteId::from(self.context.site_id.clone());
        Call {
            scope: step.scope,
            key: Some(format!("workflow:{}:{}", self.context.trace_id, step.id)),
            person: self.context.user_id.clone(),
            session: self.context.session_id.clone(),
            planner: self.context.planner_provider.clone(),
            stop: self.stop.child_token(),
            ..Call::new(site, &step.tool, input.clone(), by)
        }
    }

    fn end(&mut self, ended: Result<(usize, CallReply), tokio::task::JoinError>) {
        let Ok((at, reply)) = ended else {
            // A call that panics is reported by the pipeline; only a stopping runtime ends its tasks.
            self.stop.cancel();
            return;
        };
        self.steps[at].ended_at = Some(Timestamp::now().millis());
        self.steps[at].is_tainted =
            reply.taint == Taint::Untrusted || self.committer.taint == Taint::Untrusted;
        match reply.outcome {
            CallOutcome::Done(answer) if !self.has_room_for(&answer.data) => {
                let message = format!(
                    "It was done, but its output has {} bytes, and {TOO_MUCH} Do not repeat it if it changes anything.",
                    json_bytes(&answer.data)
                );
                self.fail(at, message);
            }
            CallOutcome::Done(answer) if is_deeper_than(&answer.data, OUTPUT_DEPTH_MAX) => {
                let message = format!(
                    "It was done, but its output is nested more than {OUTPUT_DEPTH_MAX} levels deep. Do not repeat it if it changes anything."
                );
                self.fail(at, message);
            }
            CallOutcome::Done(answer) => {
                self.steps[at].state = StepState::Done;
                self.steps[at].output = Some(answer.data);
                self.order.push(self.steps[at].id.clone());
            }
            CallOutcome::Waiting(pending) => self.fail(at, pending.error().message),
            CallOutcome::Refused(error) | CallOutcome::Unknown(error) => {
                self.fail(at, error.message);
            }
        }
    }

    fn fail(&mut self, at: usize, message: String) {
        self.steps[at].state = StepState::Failed;
        self.steps[at].error = Some(message);
        self.steps[at].ended_at = Some(Timestamp::now().millis());
        self.order.push(self.steps[at].id.clone());
        if !self.plan.continue_on_error {
            // Siblings would go on for nothing; they end with an error that says that they were stopped.
            self.stop.cancel();
        }
    }

    async fn save(&self, ended_at: Option<Timestamp>) -> Result<(), Failure> {
        let body = json!({ "steps": self.steps, "executionOrder": self.order });
        let record = WorkflowRecord {
            id: self.context.trace_id.clone(),
            site: SiteId::from(self.context.site_id.clone()),
            actor: self.committer.by.actor.clone(),
            body,
            at: self.at,
            ended_at,
        };
        let saved = self.pipeline.store().save_workflow(&record).await;
        Ok(saved.map_err(|error| failed(&error))?)
    }

    fn output(self) -> Result<ToolOutput<WorkflowOutput>, ToolError> {
        let is_tainted = self.steps.iter().any(|step| step.is_tainted);
        let mut results = Map::new();
        let mut errors = Vec::new();
        for step in &self.steps {
            if let Some(output) = &step.output {
                results.insert(step.id.clone(), output.clone());
            }
            if let Some(error) = &step.error {
                errors.push(StepFailure {
                    step: step.id.clone(),
                    tool: step.tool.clone(),
                    error: error.clone(),
                });
            }
        }
        let result = self.plan.return_step.map(|at| {
            let output = self.steps[at].output.clone();
            output.unwrap_or_default()
        });
        let first = self.order.iter().find_map(|id| {
            let mut failed = errors.iter();
            failed.find(|error| error.step == *id).cloned()
        });
        let output = WorkflowOutput {
            results,
            execution_order: self.order,
            errors,
            result,
        };
        match first {
            Some(first) if !self.plan.continue_on_error => {
                let message = format!(
                    "The step `{}` ({}) failed: {} Correct it and run the workflow again, or set `continueOnError`.",
                    first.step, first.tool, first.error
                );
                let error = ToolError::new(ErrorCode::InvalidInput, message);
                let details = sitewright_tool::write(&output)?;
                Err(error.with(details))
            }
            _ => Ok(ToolOutput {
                taint: match is_tainted {
                    true => Taint::Untrusted,
                    false => Taint::Trusted,
                },
                ..ToolOutput::from(output)
            }),
        }
    }
}

/// The steps as they begin; those that an earlier run of the same call finished keep what they answered.
fn initial(plan: &WorkflowPlan, stored: Option<StoredWorkflow>) -> (Vec<StepRecord>, Vec<String>) {
    let stored = stored.unwrap_or(StoredWorkflow {
        steps: Vec::new(),
        execution_order: Vec::new(),
    });
    let steps = plan.steps.iter().map(|step| {
        let mut finished = stored.steps.iter();
        let finished = finished.find(|done| done.id == step.id && done.state == StepState::Done);
        finished.cloned().unwrap_or_else(|| StepRecord {
            id: step.id.clone(),
            tool: step.tool.clone(),
            dependencies: step
                .dependencies
                .iter()
                .map(|other| plan.steps[*other].id.clone())
                .collect(),
            state: StepState::Pending,
            input: None,
            output: None,
            error: None,
            started_at: None,
            ended_at: None,
            is_tainted: false,
        })
    });
    let steps: Vec<StepRecord> = steps.collect();
    let is_done = |id: &String| {
        let mut steps = steps.iter();
        steps.any(|step| step.id == *id && step.state == StepState::Done)
    };
    let order = stored.execution_order.into_iter().filter(is_done).collect();
    (steps, order)
}

/// The call of one step.
struct StepWork {
    at: usize,
    pipeline: Pipeline,
    call: Call,
    timeout: Duration,
    tell_waiting: mpsc::Sender<usize>,
}

impl StepWork {
    /// Makes the call. While it waits for a person, its time does not count; the same key finds the decision.
    async fn reply(self) -> CallReply {
        loop {
            let stop = self.call.stop.clone();
            let calling = self.pipeline.call(self.call.clone());
            let reply = match tokio::time::timeout(self.timeout, calling).await {
                Ok(reply) => reply,
                Err(_elapsed) => {
                    stop.cancel();
                    let message = format!(
                        "It did not finish within {} s; raise `timeoutSeconds` if it needs longer.",
                        self.timeout.as_secs()
                    );
                    return CallReply::refused(ToolError::new(ErrorCode::Timeout, message));
                }
            };
            if !matches!(reply.outcome, CallOutcome::Waiting(_)) {
                return reply;
            }
            if self.tell_waiting.send(self.at).await.is_err() {
                // The workflow is gone, and nobody needs the reply.
                return reply;
            }
            tokio::select! {
                () = stop.cancelled() => {
                    let message = "It was stopped while it waited for approval.";
                    return CallReply::refused(ToolError::new(ErrorCode::Cancelled, message));
                }
                () = tokio::time::sleep(LOOK_EVERY) => {}
            }
        }
    }
}

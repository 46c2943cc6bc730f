//! The stages of every call, for every kind of caller: resolve, authorise, validate, replay, plan, judge, ask, claim, execute, record.
//!
//! A call that changes something has one row, written before any request is sent to another system. A change to the site is
//! committed in the same transaction as its row, so only external effects can have an unknown outcome. The pipeline does not
//! authenticate callers.

mod approve;
mod personal;
mod predict;
mod replay;
mod run;

use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use sitewright_site::{Change, SiteTool, ToolRun};
use sitewright_store::{
    Actor, CallLife, CallRecord, Committer, Lease, LiveSite, Permission, Refusal, RefusalKind,
    SiteId, SitePolicy, Store, StoreError, Timestamp,
};
use sitewright_tool::{Effect, Envelope, ErrorCode, Taint, ToolError};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tracing::Instrument as _;

use crate::call::{ResolvedCall, failed};
use crate::fonts::NoFonts;
use crate::mission::MissionDrivers;
use crate::planned::planned;
use crate::policies::{CallJudgement, Policies};
use crate::policy::{Decision, PlannedChange, Policy, PolicyProblem};
use crate::read_recorder::{ReadRecorder, RecorderStatus};
use crate::tool::{Body, OutsideTool};
use crate::{
    Answer, Call, CallOutcome, CallReply, Fonts, Foreseen, PendingApproval, Registry, editor,
    headless,
};

use approve::TakenOver;
pub use approve::{CardDecision, DecideError};
pub use predict::PredictedDecision;

/// How long a call waits for approval before it expires.
const ASKED_FOR: Duration = Duration::from_secs(24 * 60 * 60);
/// How much longer a lease lasts than the call may take.
const LEASE_SLACK: Duration = Duration::from_secs(30);
/// How many times a call is planned before a conflict with another node's commit is reported to the caller.
const PLANS_MAX: usize = 3;
/// How many read-only calls of a batch run concurrently.
const LOOKS_AT_ONCE: usize = 8;
/// How long the rows of finished calls are retained.
const KEPT_FOR: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// Runs the tools of an instance. Cheap to clone; clones share their state.
#[derive(Clone)]
pub struct Pipeline(Arc<Parts>);

/// A [`Pipeline`] that may be gone.
#[derive(Clone)]
pub(crate) struct WeakPipeline(Weak<Parts>);

impl WeakPipeline {
    pub(crate) fn upgrade(&self) -> Option<Pipeline> {
        self.0.upgrade().map(Pipeline)
    }
}

struct Parts {
    store: Store,
    tools: Registry,
    fonts: Arc<dyn Fonts>,
    policies: Policies,
    read_recorder: ReadRecorder,
    /// Identifies this process as the holder of its calls' leases.
    node: String,
    /// Calls that continue after their caller is gone, and the recorder.
    tasks: TaskTracker,
    taken_over: TakenOver,
    missions: MissionDrivers,
    /// Cancelled when the pipeline closes: running calls stop, and the recorder writes what it has and stops.
    stopping: CancellationToken,
}

/// What a call would do.
enum Plan {
    /// A site tool planned no change.
    Seen(Box<ToolRun>),
    /// A site tool planned a change that is not committed; the site stays locked until the plan is dropped.
    Change(Box<PlannedCommit>),
    /// The work happens outside the document, with what its tool could foresee.
    Outside(OutsideTool, Box<Foreseen>),
}

struct PlannedCommit {
    live: LiveSite,
    run: ToolRun,
    change: Change,
    facts: PlannedChange,
}

impl Plan {
    /// The digest that an approval of the call is bound to.
    fn bound(&self, resolved: &ResolvedCall) -> String {
        match self {
            Self::Change(planned) => resolved.bound(&planned.change),
            Self::Seen(_) => resolved.bound_elsewhere(None),
            Self::Outside(_, foreseen) => resolved.bound_elsewhere(foreseen.agreed.as_deref()),
        }
    }

    /// The digest for a call that runs without waiting for approval. No one was shown a preview, so outside work is bound to its
    /// arguments alone: its subject may change between planning and running without a conflict.
    fn bound_at_once(&self, resolved: &ResolvedCall) -> String {
        match self {
            Self::Change(planned) => resolved.bound(&planned.change),
            Self::Seen(_) | Self::Outside(..) => resolved.bound_elsewhere(None),
        }
    }

    fn facts(&self) -> PlannedChange {
        match self {
            Self::Change(planned) => planned.facts,
            Self::Seen(_) => PlannedChange::default(),
            Self::Outside(_, foreseen) => foreseen.change,
        }
    }

    /// What the call would do, for the person who decides.
    fn preview(&self) -> Option<Value> {
        match self {
            Self::Change(planned) => {
                let mut preview =
                    json!({ "change": planned.facts, "receipt": planned.run.receipt });
                if let Some(question) = &planned.run.question {
                    preview["question"] = question.clone();
                }
                Some(preview)
            }
            Self::Seen(_) => None,
            Self::Outside(_, foreseen) => foreseen.preview.clone(),
        }
    }
}

impl Pipeline {
    /// A pipeline over these tools. Must be called within a tokio runtime, because it spawns the task that records read-only calls.
    pub fn new(store: Store, tools: Registry) -> Self {
        Self::with_fonts(store, tools, Arc::new(NoFonts))
    }

    /// A pipeline whose tools can install fonts.
    pub fn with_fonts(store: Store, tools: Registry, fonts: Arc<dyn Fonts>) -> Self {
        let (read_recorder, recorder) = ReadRecorder::new();
        let (tasks, stopping) = (TaskTracker::new(), CancellationToken::new());
        tasks.spawn(recorder.run(store.clone(), stopping.clone()));
        Self(Arc::new(Parts {
            store,
            tools,
            fonts,
            policies: Policies::default(),
            read_recorder,
            node: uuid::Uuid::now_v7().simple().to_string(),
            tasks,
            taken_over: TakenOver::new(),
            missions: MissionDrivers::new(),
            stopping,
        }))
    }

    /// A reference that does not keep the pipeline alive, for a tool that makes calls itself.
    pub(crate) fn downgrade(&self) -> WeakPipeline {
        WeakPipeline(Arc::downgrade(&self.0))
    }

    pub(crate) fn store(&self) -> &Store {
        &self.0.store
    }

    pub(crate) fn node(&self) -> &str {
        &self.0.node
    }

    pub(crate) fn mission_drivers(&self) -> &MissionDrivers {
        &self.0.missions
    }

    pub(crate) fn is_stopping(&self) -> bool {
        self.0.stopping.is_cancelled()
    }

    pub(crate) async fn stopped(&self) {
        self.0.stopping.cancelled().await;
    }

    /// Runs something that [`close`](Self::close) waits for.
    pub(crate) fn spawn<F>(&self, work: F) -> tokio::task::JoinHandle<F::Output>
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        self.0.tasks.spawn(work)
    }

    /// The tools it runs.
    pub fn tools(&self) -> &Registry {
        &self.0.tools
    }

    /// Whether read-only calls are being recorded.
    pub fn recorder_status(&self) -> RecorderStatus {
        self.0.read_recorder.status()
    }

    /// Stops running calls, records how they ended, and waits for both.
    pub async fn close(&self) {
        self.0.stopping.cancel();
        self.0.tasks.close();
        self.0.tasks.wait().await;
    }

    /// Runs a call. The reply is `Done` only once the effect has happened. A call by an old name is made as the one of today.
    pub async fn call(&self, call: Call) -> CallReply {
        match self.tools().renew(call) {
            Ok((call, None)) => self.call_of_today(call).await,
            Ok((call, Some(note))) => self.call_of_today(call).await.with_note(note),
            Err(error) => CallReply::refused(error),
        }
    }

    async fn call_of_today(&self, call: Call) -> CallReply {
        let started = Instant::now();
        let span = tracing::info_span!(
            "execute_tool",
            gen_ai.operation.name = "execute_tool",
            gen_ai.tool.name = call.tool,
            gen_ai.conversation.id = call.conversation,
            gen_ai.tool.call.id = tracing::field::Empty,
            sitewright.site = %call.site,
            sitewright.attempts = tracing::field::Empty,
            error.type = tracing::field::Empty,
        );
        let is_known = self.tools().knows(call.scope, &call.tool);
        // Callers choose the name, so an unknown one must not become a metric label of its own.
        let name = if is_known {
            call.tool.clone()
        } else {
            "unknown".to_owned()
        };
        let reply = self.handle(call).instrument(span.clone()).await;
        let mut reply = reply.unwrap_or_else(CallReply::refused);
        let elapsed = started.elapsed();
        reply.latency = elapsed;
        let code = reply.code();
        span.record("sitewright.attempts", reply.attempts);
        if code != "ok" {
            span.record("error.type", code);
        }
        metrics::counter!("sitewright_tool_calls_total", "tool" => name.clone(), "code" => code)
            .increment(1);
        metrics::histogram!("sitewright_tool_call_seconds", "tool" => name).record(elapsed);
        reply
    }

    /// Runs a batch: consecutive read-only calls concurrently, calls that change something one at a time and in order. Each reply is
    /// sent as soon as it is available, with the position of its call.
    pub async fn call_all(&self, calls: Vec<Call>, told: mpsc::Sender<(usize, CallReply)>) {
        use futures_util::StreamExt as _;
        let mut calls = calls.into_iter().enumerate().peekable();
        while let Some((at, call)) = calls.next() {
            let mut together = vec![(at, call)];
            if self.is_read_only(&together[0].1) {
                while let Some(next) = calls.next_if(|(_, next)| self.is_read_only(next)) {
                    together.push(next);
                }
            }
            let mut answers = futures_util::stream::iter(together)
                .map(async |(at, call)| (at, self.call(call).await))
                .buffer_unordered(LOOKS_AT_ONCE);
            while let Some(answer) = answers.next().await {
                // The receiver may be gone; the batch is finished all the same.
                drop(told.send(answer).await);
            }
        }
    }

    fn is_read_only(&self, call: &Call) -> bool {
        let found = self.tools().find(call.scope, &call.tool);
        found.is_ok_and(|entry| entry.definition().effect_of(&call.arguments) == Effect::None)
    }

    async fn handle(&self, call: Call) -> Result<CallReply, ToolError> {
        let resolved = ResolvedCall::of(self.tools(), call)?;
        tracing::Span::current().record("gen_ai.tool.call.id", resolved.id.as_str());
        if let Some(answer) = self.replay(&resolved).await? {
            return Ok(answer);
        }
        self.check_personal_data(&resolved).await?;
        let mut answer = self.plan_and_run(&resolved).await;
        for _ in 1..PLANS_MAX {
            if !matches!(answer, Err(CallStop::Moved(_))) {
                break;
            }
            answer = self.plan_and_run(&resolved).await;
        }
        match answer {
            // A concurrent call with the same key was first.
            Err(CallStop::Twin) => {
                let answer = self.replay_row(&resolved).await?;
                answer.ok_or_else(|| ToolError::new(ErrorCode::Internal, "The call was lost."))
            }
            Err(CallStop::Refused(error) | CallStop::Moved(error)) => {
                // The same call may have run concurrently, and its effect may be why this one fails: removing a page twice with one
                // key must succeed twice.
                if let Some(answer) = self.replay(&resolved).await? {
                    return Ok(answer);
                }
                self.record_read(&resolved, None, &CallReply::refused(error.clone()))
                    .await;
                Err(error)
            }
            Err(CallStop::Recorded(error)) => Err(error),
            Ok(reply) => Ok(reply),
        }
    }

    /// Plans the call, judges the plan by the site's policy, and runs it unless a person has to approve it first.
    ///
    /// Planning comes first because policies decide by what a call would do, not only by its tool. A plan that changes the site keeps
    /// the site locked, so what was judged is exactly what is committed. If the call has to wait, the plan is dropped; its row stores
    /// a preview and a digest of it. After the approval the call is planned again, and a plan with another digest does not run. A
    /// confirmation that comes with the call counts as approval where the caller may approve. A tool that previews always needs
    /// one of the two, even if the policy allows the call.
    async fn plan_and_run(&self, resolved: &ResolvedCall) -> Result<CallReply, CallStop> {
        let plan = self.plan(resolved).await?;
        let judged = self
            .0
            .policies
            .judge(&self.0.store, resolved, plan.facts())
            .await?;
        if let Some(difference) = &judged.shadow {
            tracing::info!(difference, "the policy that is tried decides differently");
        }
        let at_once = || plan.bound_at_once(resolved);
        let repeatable = resolved.is_repeatable();
        let mission = resolved.call.mission.as_ref();
        let asks_until = mission.and_then(|mission| mission.asks_until);
        let life = match (judged.decision, resolved.own_yes()) {
            (Decision::Deny, _) => {
                let refusal = ToolError::new(ErrorCode::Forbidden, judged.why.clone());
                self.record_denial(resolved, &judged.why).await;
                self.record_read(
                    resolved,
                    Some(&judged),
                    &CallReply::refused(refusal.clone()),
                )
                .await;
                return Err(CallStop::Recorded(refusal));
            }
            (Decision::Allow, _) if !resolved.asks_first() => {
                CallLife::allowed(at_once(), repeatable)
            }
            (Decision::Allow | Decision::Ask, _)
                if resolved.call.mission.is_some() && asks_until.is_none() =>
            {
                self.mission_life(resolved, at_once(), repeatable)?
            }
            (Decision::Allow | Decision::Ask, Some(actor)) => {
                CallLife::confirmed(at_once(), repeatable, actor, resolved.call.by.by.at)
            }
            (Decision::Allow | Decision::Ask, None) => {
                let expires = asks_until.unwrap_or(resolved.call.by.by.at.after(ASKED_FOR));
                let life = CallLife::asking(plan.bound(resolved), repeatable, expires);
                return self.ask(resolved, plan, life, &judged).await;
            }
        };
        self.run(resolved, plan, Begin::New(Box::new((life, judged))))
            .await
    }

    /// What allows a call of a mission to run: the approval of the whole mission. A call that takes another back is never asked about,
    /// because a rollback would wait for an answer that nobody gives. A leg of a mission that nobody approved is refused instead of waiting,
    /// because a mission is approved as a whole.
    fn mission_life(
        &self,
        resolved: &ResolvedCall,
        bound: String,
        repeatable: bool,
    ) -> Result<CallLife, ToolError> {
        let mission = resolved.call.mission.as_ref();
        let approver = mission.and_then(|mission| mission.approved_by.as_deref());
        let approver = approver.and_then(Actor::parse);
        match approver {
            Some(actor) => {
                let at = resolved.call.by.by.at;
                Ok(CallLife::confirmed(bound, repeatable, &actor, at))
            }
            None if resolved.is_compensation() => Ok(CallLife::allowed(bound, repeatable)),
            None => Err(ToolError::new(
                ErrorCode::ApprovalRequired,
                "It needs a person's approval, and no one approved the mission.",
            )),
        }
    }

    /// Writes to the audit log that the policy forbade a call. It is refused either way, so a log that cannot be written is only
    /// reported.
    async fn record_denial(&self, resolved: &ResolvedCall, why: &str) {
        let refusal = Refusal {
            kind: RefusalKind::Call,
            site: Some(&resolved.call.site),
            subject: &resolved.call.tool,
            detail: serde_json::json!({ "why": why }),
        };
        let by = &resolved.call.by.by;
        if let Err(error) = self.0.store.record_refusal(refusal, by).await {
            let error = &error as &dyn std::error::Error;
            tracing::warn!(error, "a refused call could not be recorded");
        }
    }

    /// Works out what a call would do, without doing it. Browser tools are planned in the editor's tab if one is connected.
    async fn plan(&self, resolved: &ResolvedCall) -> Result<Plan, ToolError> {
        let tool = match &resolved.entry.tool.0 {
            Body::Pure(tool) => tool,
            Body::Outside(tool) => {
                let foreseen = foreseen(tool, resolved).await?;
                return Ok(Plan::Outside(tool.clone(), Box::new(foreseen)));
            }
        };
        let (live, run, change) = match editor::planned_in_tab(resolved).await? {
            Some((run, None)) => return Ok(Plan::Seen(Box::new(run))),
            Some((run, Some(change))) => {
                let mut live = self.live(resolved).await?;
                for body in change.bodies() {
                    live.open(body).await.map_err(|error| failed(&error))?;
                }
                let mut ours = resolved.change(live.site(), change.ops);
                // The expectations of the tab, not ours: someone may have changed the site since the tab read it.
                ours.expects = change.expects;
                ours.format = change.format;
                (live, run, ours)
            }
            None => {
                let (live, run) = self.plan_here(tool, resolved).await?;
                if run.ops.is_empty() {
                    return Ok(Plan::Seen(Box::new(run)));
                }
                let change = resolved.change(live.site(), run.ops.clone());
                (live, run, change)
            }
        };
        editor::is_as_read(resolved, &live, &change).await?;
        // A person is not asked to approve a change that the gate would refuse even with approval.
        let by = Committer {
            is_approved: true,
            ..resolved.call.by.clone()
        };
        live.admits(&change, &by)
            .map_err(|refused| run::refused(&refused))?;
        let facts = planned(live.site(), &change.ops, &by.author);
        Ok(Plan::Change(Box::new(PlannedCommit {
            live,
            run,
            change,
            facts,
        })))
    }

    /// Runs a site tool on the server's replica.
    async fn plan_here(
        &self,
        tool: &Arc<SiteTool>,
        resolved: &ResolvedCall,
    ) -> Result<(LiveSite, ToolRun), ToolError> {
        let running = headless::run(&self.0.store, &*self.0.fonts, tool, resolved);
        in_time(resolved, running).await
    }

    async fn live(&self, resolved: &ResolvedCall) -> Result<LiveSite, ToolError> {
        let live = self.0.store.live_site(&resolved.call.site).await;
        live.map_err(|error| failed(&error))
    }

    /// Stores a call that has to wait for approval, and replies that it waits.
    async fn ask(
        &self,
        resolved: &ResolvedCall,
        plan: Plan,
        life: CallLife,
        judged: &CallJudgement,
    ) -> Result<CallReply, CallStop> {
        let preview = plan.preview();
        // The plan locks the site, which must not stay locked while the row is written.
        drop(plan);
        let row = CallRecord {
            preview: preview.clone(),
            ..row(resolved, life, judged)?
        };
        if self
            .0
            .store
            .begin_call(&row)
            .await
            .map_err(|error| failed(&error))?
            .is_some()
        {
            return Err(CallStop::Twin);
        }
        tracing::debug!(target: "sitewright::call", stage = "asked");
        let mut pending = PendingApproval::new(&row, &judged.why);
        if resolved.previews() {
            pending.preview = Some(preview.unwrap_or_default());
        }
        let outcome = CallOutcome::Waiting(Box::new(pending));
        Ok(CallReply::new(outcome, Taint::Trusted))
    }

    /// Records a call that changed nothing.
    async fn record_read(
        &self,
        resolved: &ResolvedCall,
        judged: Option<&CallJudgement>,
        reply: &CallReply,
    ) {
        let bound = resolved.digest.clone();
        let error = reply.error();
        let state = match error {
            None => sitewright_store::CallState::Done,
            Some(_) => sitewright_store::CallState::Failed,
        };
        let life = CallLife {
            state,
            ..CallLife::allowed(bound, true)
        };
        let Ok(judged) = judged.map(sitewright_tool::write).transpose() else {
            return;
        };
        // The data may be long and can be read again, and no later call depends on it.
        let outcome = Envelope {
            ok: error.is_none(),
            data: None,
            error,
            taint: reply.taint,
            attempts: reply.attempts,
            ..Envelope::done(Value::Null)
        };
        let arguments = &resolved.call.arguments;
        let row = CallRecord {
            id: resolved.id.clone(),
            site: resolved.call.site.clone(),
            actor: resolved.call.by.by.actor.clone(),
            // Read-only calls don't consume their idempotency key.
            key: resolved.id.to_string(),
            card: resolved.id.to_string(),
            scope: resolved.scope,
            tool: resolved.call.tool.clone(),
            digest: resolved.digest.clone(),
            arguments: resolved.is_short().then(|| arguments.clone()),
            // It never runs again; lists only need to know the turn it belongs to.
            request: json!({ "turn": resolved.call.turn }),
            judged,
            preview: None,
            life,
            outcome: Some(outcome),
            at: resolved.call.by.by.at,
            ended_at: Some(Timestamp::now()),
        };
        self.0.read_recorder.record(row).await;
    }

    fn lease(&self, resolved: &ResolvedCall) -> Lease {
        Lease {
            holder: self.0.node.clone(),
            until: Timestamp::now().after(resolved.within() + LEASE_SLACK),
        }
    }

    /// Replaces the policy of a site. The inner error lists what is wrong with either text; nothing is stored then.
    pub async fn set_policy(
        &self,
        site: &SiteId,
        policy: &SitePolicy,
        by: &sitewright_store::Stamp,
    ) -> Result<Result<(), Vec<PolicyProblem>>, StoreError> {
        for text in [&policy.active, &policy.candidate].into_iter().flatten() {
            if let Err(problems) = Policy::parse(text) {
                return Ok(Err(problems));
            }
        }
        self.0.store.set_policy(site, policy, by).await?;
        self.0.policies.forget(site);
        Ok(Ok(()))
    }
}

/// What an outside tool says a call would do. Read-only tools are not asked.
async fn foreseen(tool: &OutsideTool, resolved: &ResolvedCall) -> Result<Foreseen, ToolError> {
    if resolved.effect() == Effect::None {
        return Ok(Foreseen::default());
    }
    let context = resolved.context();
    let attempt = resolved.attempt(&context, None);
    in_time(
        resolved,
        tool.work.foresee(&resolved.call.arguments, attempt),
    )
    .await
}

/// Limits planning to the timeout of a single attempt.
async fn in_time<T>(
    resolved: &ResolvedCall,
    planning: impl Future<Output = Result<T, ToolError>>,
) -> Result<T, ToolError> {
    let timeout = resolved.entry.manifest().timeout_ms;
    tokio::time::timeout(Duration::from_millis(timeout.into()), planning)
        .await
        .map_err(|_elapsed| {
            let message =
                format!("The tool did not finish within {timeout} ms; nothing was changed.");
            ToolError::new(ErrorCode::Timeout, message)
        })?
}

/// A call that has no row yet, or the row of one that is ready to run: approved, or taken over after a crash.
enum Begin {
    New(Box<(CallLife, CallJudgement)>),
    Agreed(Box<CallRecord>),
}

impl Begin {
    /// Whether a person approved the call.
    fn is_approved(&self) -> bool {
        let life = match self {
            Self::New(new) => &new.0,
            Self::Agreed(row) => &row.life,
        };
        matches!(life.permission, Permission::Approval { .. })
    }

    /// Whether the call was approved with a preview and may do only what that showed.
    fn is_bound_to_foreseen(&self, resolved: &ResolvedCall) -> bool {
        match self {
            Self::New(_) => false,
            Self::Agreed(row) => row.life.bound != resolved.bound_elsewhere(None),
        }
    }
}

/// Why a call ended without a reply from its tool.
enum CallStop {
    /// A concurrent call with the same key was first.
    Twin,
    /// Nothing happened, and nothing is recorded yet.
    Refused(ToolError),
    /// Like `Refused`, because another node changed the site between plan and commit; planning again may succeed.
    Moved(ToolError),
    /// The row already records what happened.
    Recorded(ToolError),
}

impl From<ToolError> for CallStop {
    fn from(error: ToolError) -> Self {
        Self::Refused(error)
    }
}

fn row(
    resolved: &ResolvedCall,
    life: CallLife,
    judged: &CallJudgement,
) -> Result<CallRecord, ToolError> {
    let round = resolved.call.round.clone();
    Ok(CallRecord {
        id: resolved.id.clone(),
        site: resolved.call.site.clone(),
        actor: resolved.call.by.by.actor.clone(),
        key: resolved.key.clone(),
        card: round.unwrap_or_else(|| resolved.id.to_string()),
        scope: resolved.scope,
        tool: resolved.call.tool.clone(),
        digest: resolved.digest.clone(),
        arguments: Some(resolved.call.arguments.clone()),
        request: resolved.request()?,
        judged: Some(sitewright_tool::write(judged)?),
        preview: None,
        life,
        outcome: None,
        at: resolved.call.by.by.at,
        ended_at: None,
    })
}

/// The reply of a site tool. The calling editor is notified of the document that the tool opened.
fn answer(resolved: &ResolvedCall, run: ToolRun) -> CallReply {
    if let (Some(editor), Some(open)) = (&resolved.call.editor, &run.open) {
        editor.opened(open.id);
    }
    let answer = Answer {
        data: run.data,
        images: run.images,
        receipt: Some(run.receipt),
    };
    CallReply::new(CallOutcome::Done(answer), resolved.call.by.taint)
}

fn worse(one: Taint, other: Taint) -> Taint {
    match (one, other) {
        (Taint::Trusted, Taint::Trusted) => Taint::Trusted,
        _ => Taint::Untrusted,
    }
}

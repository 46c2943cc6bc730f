//! Runs a batch of calls through the pipeline, waits for approvals, and reports to the turn's host.
//!
//! A batch never changes the state of the turn itself. The host does that when it handles a report, so dropping a batch at any point
//! cannot leave that state half updated.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use sitewright_llm::ToolCall;
use sitewright_runtime::{Answer, Call, CallOutcome, CallReply, Editor, PendingApproval, Pipeline};
use sitewright_store::{
    CallState, Committer, Stamp, Store, StoreError, Timestamp, TurnRecord, TurnState,
};
use sitewright_tool::{CapabilitySet, Taint, TurnRole, sentence};
use tokio::sync::{Notify, mpsc};

use crate::AgentError;
use crate::board::{ApprovalDecision, ApprovalRequest, Event};
use crate::claimed_changes::ClaimedChanges;
use crate::turn::{Report, Turn};

/// How often waiting calls are polled. Decisions on this node wake the batch at once; those made on other nodes are only seen by polling.
const POLL_EVERY: Duration = Duration::from_secs(1);

/// A batch of calls, with a snapshot of the turn's state when it began.
pub(crate) struct Batch<'a> {
    pub(crate) turn: &'a Turn,
    pub(crate) store: &'a Store,
    pub(crate) pipeline: &'a Pipeline,
    /// Notified when an approval is decided on this node.
    pub(crate) decided: &'a Notify,
    pub(crate) round: u64,
    pub(crate) taint: Taint,
    /// The tools of the calls, by name.
    pub(crate) tools: BTreeMap<String, BatchTool>,
    pub(crate) changes: ClaimedChanges,
    pub(crate) reports: mpsc::Sender<Report>,
}

/// What a batch needs to know about a tool.
pub(crate) struct BatchTool {
    pub(crate) title: Option<String>,
    /// JSON pointer to the id of the document that the tool read, in its answer.
    pub(crate) reads: Option<&'static str>,
    pub(crate) role: TurnRole,
}

impl Batch<'_> {
    pub(crate) async fn run(self, calls: Vec<ToolCall>) {
        if let Err(error) = self.run_calls(calls).await {
            let reason = self.turn.not_stored(&error);
            self.report(Report::Broken(reason)).await;
            self.turn.stop.cancel();
        }
    }

    async fn run_calls(&self, calls: Vec<ToolCall>) -> Result<(), StoreError> {
        let Some(capabilities) = self.capabilities().await? else {
            return Ok(());
        };
        let seq = self.store.live_site(&self.turn.record.site).await?.seq();
        let mut runnable = Vec::with_capacity(calls.len());
        for call in calls {
            match self.mismatches(&call).await? {
                Some(mismatches) => self.report(Report::Objected(call, mismatches)).await,
                None => runnable.push(call),
            }
        }
        // How a request was understood is on record before anything is done about it, in whatever order the model wrote its calls.
        let (first, rest): (Vec<ToolCall>, Vec<ToolCall>) = runnable
            .into_iter()
            .partition(|call| self.role_of(call) == Some(TurnRole::Acknowledges));
        let mut waiting = Vec::new();
        for calls in [&first, &rest] {
            waiting.extend(self.run_together(calls, &capabilities, seq).await);
        }
        if waiting.is_empty() {
            return Ok(());
        }
        self.wait_for_people(waiting, seq).await
    }

    /// Runs calls and reports those that are over. Returns those that wait for a person.
    async fn run_together<'c>(
        &self,
        calls: &'c [ToolCall],
        capabilities: &CapabilitySet,
        seq: u64,
    ) -> Vec<(&'c ToolCall, Box<PendingApproval>)> {
        let made = calls.iter().map(|call| self.call(call, capabilities));
        let made: Vec<Call> = made.collect();
        let (sender, mut replies) = mpsc::channel::<(usize, CallReply)>(made.len().max(1));
        let mut waiting = Vec::new();
        let take = async {
            while let Some((at, reply)) = replies.recv().await {
                match reply.outcome {
                    CallOutcome::Waiting(pending) => waiting.push((&calls[at], pending)),
                    _ => self.finish(&calls[at], reply, seq).await,
                }
            }
        };
        tokio::join!(self.pipeline.call_all(made, sender), take);
        waiting
    }

    fn role_of(&self, call: &ToolCall) -> Option<TurnRole> {
        self.tools.get(&call.tool_name).map(|tool| tool.role)
    }

    /// Claims of a final answer that do not match the site. `None` for other calls, and for mismatches the model already knows about, so
    /// that it is stopped only once for the same reason.
    async fn mismatches(&self, call: &ToolCall) -> Result<Option<Vec<String>>, StoreError> {
        if self.role_of(call) != Some(TurnRole::GivesAnswer) {
            return Ok(None);
        }
        let mismatches = self
            .changes
            .mismatches(self.store, &self.turn.record)
            .await?;
        let is_known = mismatches.is_empty() || self.changes.told == mismatches;
        Ok((!is_known).then_some(mismatches))
    }

    /// What the turn may do at this moment: what its request stated, as far as the actor it runs for still has it. Stops the turn and
    /// returns `None` if the actor may no longer use the site.
    async fn capabilities(&self) -> Result<Option<CapabilitySet>, StoreError> {
        let TurnRecord { site, actor, .. } = &self.turn.record;
        let now = Timestamp::now();
        let Some(present) = self.store.capabilities_of(site, actor, now).await? else {
            let reason = sentence(&AgentError::Inactive.to_string());
            self.report(Report::Broken(reason)).await;
            self.turn.stop.cancel();
            return Ok(None);
        };
        Ok(Some(self.turn.request.capabilities.within(&present)))
    }

    fn call(&self, call: &ToolCall, capabilities: &CapabilitySet) -> Call {
        let Turn {
            record,
            request,
            bridge,
            ..
        } = self.turn;
        let author = request.author();
        let by = Stamp {
            actor: record.actor.clone(),
            at: Timestamp::now(),
        };
        let by = Committer {
            taint: self.taint,
            ..Committer::new(author, capabilities.clone(), by)
        };
        Call {
            scope: Some(request.scope),
            key: Some(format!("{}:{}", record.id, call.tool_call_id)),
            person: request.person.clone(),
            session: record.conversation.to_string(),
            planner: request.provider.as_str().to_owned(),
            conversation: Some(record.conversation.to_string()),
            turn: Some(record.id.to_string()),
            round: Some(format!("{}-{}", record.id, self.round)),
            editor: Some(Arc::clone(bridge) as Arc<dyn Editor>),
            stop: self.turn.stop.clone(),
            ..Call::new(record.site.clone(), &call.tool_name, call.input.clone(), by)
        }
    }

    /// Reports a call that is over. The bridge records what it read first, because later calls of the same batch may rely on that.
    async fn finish(&self, call: &ToolCall, reply: CallReply, seq: u64) {
        let reads = self.tools.get(&call.tool_name).and_then(|tool| tool.reads);
        if let (Some(pointer), CallOutcome::Done(Answer { data, .. })) = (reads, &reply.outcome) {
            let id = data.pointer(pointer).cloned();
            let document = id.and_then(|id| serde_json::from_value(id).ok());
            self.turn.bridge.has_read(document, seq);
        }
        if self.turn.bridge.is_silent() {
            let reason = "The editor did not answer within 90 seconds, so the assistant stopped. Reload the page and try again.";
            self.report(Report::Broken(reason.to_owned())).await;
            self.turn.stop.cancel();
        }
        let report = Report::Over(call.clone(), Box::new(reply), seq);
        self.report(report).await;
    }

    /// Waits until every pending approval is decided, and reports the outcomes.
    ///
    /// Each decision is read from the row of its call, which another node may have written, so waiting combines notification and polling.
    /// A decided call is made again with the same idempotency key, which returns its stored reply. All replies are reported at the end: the
    /// driver drops the batch with the last outcome, and by then the turn must be marked as running again.
    async fn wait_for_people(
        &self,
        asked: Vec<(&ToolCall, Box<PendingApproval>)>,
        seq: u64,
    ) -> Result<(), StoreError> {
        let record = &self.turn.record;
        let ids = asked.iter().map(|(_, pending)| pending.id.clone());
        self.report(Report::Asked(ids.collect())).await;
        // Stored before anyone is asked: the turn must still wait for the decision if this process dies.
        self.store.mark_turn(record, TurnState::Waiting).await?;
        for (call, pending) in &asked {
            self.ask(call, pending).await;
        }
        let mut open = asked;
        let mut replies = Vec::new();
        while !open.is_empty() {
            // Asked anew each time: while a turn waits, its actor may lose a role or be removed.
            let Some(capabilities) = self.capabilities().await? else {
                return Ok(());
            };
            let decided = self.decided.notified();
            let mut still_open = Vec::new();
            for (call, pending) in open {
                let row = self.store.call(&record.site, &pending.id).await?;
                let decision = match row.life.state {
                    CallState::Waiting => {
                        still_open.push((call, pending));
                        continue;
                    }
                    CallState::Denied => ApprovalDecision::Denied,
                    CallState::Expired => ApprovalDecision::Expired,
                    CallState::Ready
                    | CallState::Running
                    | CallState::Done
                    | CallState::Failed
                    | CallState::Unknown => ApprovalDecision::Approved,
                };
                self.turn.board.own(&Event::ApprovalResolved {
                    approval_id: pending.id.to_string(),
                    tool_call_id: call.tool_call_id.clone(),
                    decision,
                });
                self.report(Report::Decided(pending.id)).await;
                // The same idempotency key returns the reply of the first call.
                let again = self.call(call, &capabilities);
                replies.push((call, self.pipeline.call(again).await));
            }
            open = still_open;
            if !open.is_empty() {
                tokio::select! {
                    () = decided => {}
                    () = tokio::time::sleep(POLL_EVERY) => {}
                }
            }
        }
        self.store.mark_turn(record, TurnState::Running).await?;
        self.report(Report::AllDecided).await;
        // This must come last: the driver drops the batch once it has every outcome.
        for (call, reply) in replies {
            self.finish(call, reply, seq).await;
        }
        Ok(())
    }

    async fn ask(&self, call: &ToolCall, pending: &PendingApproval) {
        let row = self.store.call(&self.turn.record.site, &pending.id).await;
        let tool = self.tools.get(&call.tool_name);
        let title = tool.and_then(|tool| tool.title.clone());
        let request = ApprovalRequest {
            approval_id: pending.id.to_string(),
            tool_call_id: call.tool_call_id.clone(),
            tool_name: call.tool_name.clone(),
            title: title.unwrap_or_else(|| call.tool_name.clone()),
            input: call.input.clone(),
            preview: row.ok().and_then(|row| row.preview),
            reason: pending.reason.clone(),
            expires_at: pending.expires.map(Timestamp::millis),
            path: pending.path(),
        };
        self.turn.board.own(&Event::ApprovalRequest(request));
    }

    /// Sends a report. A stopped turn has closed the channel, and its reports are discarded.
    async fn report(&self, report: Report) {
        drop(self.reports.send(report).await);
    }
}

//! A batch of calls under way: it runs them through the pipeline, waits for the people who are asked, and reports to the turn's host.
//!
//! It changes nothing of the turn itself. The host does that when it takes a report in, so a batch that is dropped leaves no half state.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use sitewright_llm::ToolCall;
use sitewright_runtime::{Answer, Call, CallOutcome, CallReply, Editor, PendingApproval, Pipeline};
use sitewright_site::Author;
use sitewright_store::{CallState, Committer, Stamp, Store, StoreError, Timestamp, TurnState};
use sitewright_tool::{Taint, TurnRole};
use tokio::sync::{Notify, mpsc};

use crate::board::{ApprovalDecision, ApprovalRequest, Event};
use crate::claimed_changes::ClaimedChanges;
use crate::turn::{Report, Turn};

/// How often a call that waits for a person is looked at, besides when somebody decides on this node.
const POLL_EVERY: Duration = Duration::from_secs(1);

/// A batch of calls, and what it needs of the turn as it was when the batch began.
pub(crate) struct Batch<'a> {
    pub(crate) turn: &'a Turn,
    pub(crate) store: &'a Store,
    pub(crate) pipeline: &'a Pipeline,
    /// Rung when somebody decides on this node.
    pub(crate) decided: &'a Notify,
    pub(crate) round: u64,
    pub(crate) taint: Taint,
    /// The tools of the calls, by name.
    pub(crate) tools: BTreeMap<String, BatchTool>,
    pub(crate) changes: ClaimedChanges,
    pub(crate) reports: mpsc::Sender<Report>,
}

/// What a batch needs to know of a tool.
pub(crate) struct BatchTool {
    pub(crate) title: Option<String>,
    /// Where the answer names the document it read.
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
        let seq = self.store.live_site(&self.turn.record.site).await?.seq();
        let mut runnable = Vec::with_capacity(calls.len());
        for call in calls {
            match self.mismatches(&call).await? {
                Some(mismatches) => self.report(Report::Objected(call, mismatches)).await,
                None => runnable.push(call),
            }
        }
        let calls: Vec<Call> = runnable.iter().map(|call| self.call(call)).collect();
        let (sender, mut replies) = mpsc::channel::<(usize, CallReply)>(calls.len().max(1));
        let mut waiting = Vec::new();
        let take = async {
            while let Some((at, reply)) = replies.recv().await {
                match reply.outcome {
                    CallOutcome::Waiting(pending) => waiting.push((&runnable[at], pending)),
                    _ => self.finish(&runnable[at], reply, seq).await,
                }
            }
        };
        tokio::join!(self.pipeline.call_all(calls, sender), take);
        if waiting.is_empty() {
            return Ok(());
        }
        self.wait_for_people(waiting, seq).await
    }

    /// What a final answer would claim and is not so; nothing for other calls, and for what the model was told already.
    async fn mismatches(&self, call: &ToolCall) -> Result<Option<Vec<String>>, StoreError> {
        let role = self.tools.get(&call.tool_name).map(|tool| tool.role);
        if role != Some(TurnRole::GivesAnswer) {
            return Ok(None);
        }
        let mismatches = self
            .changes
            .mismatches(self.store, &self.turn.record.site)
            .await?;
        let is_known = mismatches.is_empty() || self.changes.told == mismatches;
        Ok((!is_known).then_some(mismatches))
    }

    fn call(&self, call: &ToolCall) -> Call {
        let Turn {
            record,
            request,
            bridge,
            ..
        } = self.turn;
        let author = Author::Agent {
            id: request.owner.clone(),
        };
        let by = Stamp {
            actor: record.actor.clone(),
            at: Timestamp::now(),
        };
        let by = Committer {
            taint: self.taint,
            ..Committer::new(author, request.capabilities.clone(), by)
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

    /// Reports a call that is over. Later calls of the same batch may rely on what it read, so the desk learns that first.
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

    /// Waits until people have decided on every call that asks, and reports what came of them.
    async fn wait_for_people(
        &self,
        asked: Vec<(&ToolCall, Box<PendingApproval>)>,
        seq: u64,
    ) -> Result<(), StoreError> {
        let record = &self.turn.record;
        let ids = asked.iter().map(|(_, pending)| pending.id.clone());
        self.report(Report::Asked(ids.collect())).await;
        // Whoever hears the question may count on the turn to wait for the answer, whatever happens to this process.
        self.store.mark_turn(record, TurnState::Waiting).await?;
        for (call, pending) in &asked {
            self.ask(call, pending).await;
        }
        let mut open = asked;
        let mut replies = Vec::new();
        while !open.is_empty() {
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
                // The same call with the same key is answered from its row.
                replies.push((call, self.pipeline.call(self.call(call)).await));
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
        // Last of all: the driver drops the batch once it has every outcome.
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

    /// A turn that was stopped does not listen any more.
    async fn report(&self, report: Report) {
        drop(self.reports.send(report).await);
    }
}

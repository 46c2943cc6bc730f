//! Execution: site changes are committed together with their row in one transaction; outside work is claimed first and then sent.

use std::panic::AssertUnwindSafe;
use std::time::Duration;

use futures_util::FutureExt as _;
use sitewright_store::{
    CallInCommit, CallRecord, CommitError, Committer, End, Lease, Permission, Stamp, Step,
    StepError, StepRecord, Timestamp,
};
use sitewright_tool::{Effect, Envelope, ErrorCode, Taint, ToolError, sentence};

use super::{Begin, CallStop, Pipeline, Plan, PlannedCommit, answer, failed, row, worse};

use crate::attempts::{self, AttemptSummary};
use crate::call::ResolvedCall;
use crate::tool::OutsideTool;
use crate::{Answer, CallOutcome, CallReply, Delivery};

/// How many times recording an outcome is attempted.
const RECORD_TRIES: u32 = 5;

impl Pipeline {
    /// Runs a call that is allowed or approved.
    ///
    /// A call that changes nothing just replies and is recorded in the background, unless it already has a row, which then ends. A
    /// change is committed together with the end of its row. Outside work first claims its row under a lease and only then sends the
    /// request, so that a crash in between leaves a row that shows the call as running.
    pub(super) async fn run(
        &self,
        resolved: &ResolvedCall,
        plan: Plan,
        begin: Begin,
    ) -> Result<CallReply, CallStop> {
        tracing::debug!(target: "sitewright::call", stage = "agreed");
        match (plan, begin) {
            (Plan::Seen(run), Begin::New(_)) => {
                let reply = answer(resolved, *run);
                self.record_read(resolved, None, &reply).await;
                Ok(reply)
            }
            (Plan::Seen(run), Begin::Agreed(row)) => {
                let envelope = Envelope::from(answer(resolved, *run));
                self.end(&row, End::Done, &envelope)
                    .await
                    .map_err(not_stepped)?;
                Ok(envelope.into())
            }
            (Plan::Change(planned), begin) => self.commit(resolved, *planned, begin).await,
            (Plan::Outside(tool, _), Begin::New(_)) if resolved.is_read_only_call() => {
                let attempted = attempts::attempt(&tool, resolved, None, &self.0.stopping).await;
                let (_, reply) = ended(resolved, attempted);
                self.record_read(resolved, None, &reply).await;
                Ok(reply)
            }
            (Plan::Outside(tool, foreseen), begin) => {
                let is_bound = begin.is_bound_to_foreseen(resolved);
                let agreed = foreseen.agreed.filter(|_| is_bound);
                let mut resolved = resolved.clone();
                resolved.call.by.is_approved = begin.is_approved();
                self.claim(&resolved, agreed.as_deref(), begin).await?;
                tracing::debug!(target: "sitewright::call", stage = "claimed");
                self.send(resolved, agreed, tool).await
            }
        }
    }

    /// Commits the change of a call and ends its row in the same transaction.
    ///
    /// The envelope is built before the commit because it is stored with the row: after a crash, a repeat of the call finds either
    /// both the change and its reply, or neither. A conflict is reported as `Moved`, so that a new call is planned again.
    async fn commit(
        &self,
        resolved: &ResolvedCall,
        planned: PlannedCommit,
        begin: Begin,
    ) -> Result<CallReply, CallStop> {
        let (row, is_new) = match begin {
            Begin::New(new) => (row(resolved, new.0, &new.1)?, true),
            Begin::Agreed(row) => (*row, false),
        };
        let PlannedCommit {
            mut live,
            run,
            change,
            ..
        } = planned;
        let by = Committer {
            is_approved: matches!(row.life.permission, Permission::Approval { .. }),
            ..resolved.call.by.clone()
        };
        let bound = resolved.bound(&change);
        let envelope = Envelope::from(answer(resolved, run));
        let in_commit = CallInCommit {
            call: &row,
            is_new,
            lease: self.lease(resolved),
            bound: &bound,
            outcome: &envelope,
        };
        match live.commit_call(&change, &by, &in_commit).await {
            Ok(_) => {
                tracing::debug!(target: "sitewright::call", stage = "committed");
                Ok(envelope.into())
            }
            Err(CommitError::CallOver(None)) => Err(CallStop::Twin),
            Err(CommitError::CallOver(Some(why))) => {
                let error = ToolError::new(ErrorCode::Conflict, sentence(&why.to_string()));
                Err(CallStop::Refused(error))
            }
            Err(moved @ CommitError::Conflict { .. }) => Err(CallStop::Moved(refused(&moved))),
            Err(refusal) => Err(CallStop::Refused(refused(&refusal))),
        }
    }

    /// Ends a call that is ready without running anything: claims and finishes its row in one step.
    pub(super) async fn end(
        &self,
        row: &CallRecord,
        end: End,
        envelope: &Envelope,
    ) -> Result<CallRecord, StepError> {
        let by = Stamp {
            actor: row.actor.clone(),
            at: Timestamp::now(),
        };
        let lease = Lease {
            holder: self.0.node.clone(),
            until: by.at,
        };
        let claim = Step::Claim {
            lease,
            at: by.at,
            bound: &row.life.bound,
        };
        let finish = Step::Finish {
            holder: &self.0.node,
            end,
        };
        let stepped = StepRecord {
            outcome: Some(envelope),
            by: &by,
        };
        self.0
            .store
            .step_call(&row.id, &[claim, finish], stepped)
            .await
    }

    /// Records that a request is about to be sent, before it is: after a crash, the row shows that the call may have been sent.
    async fn claim(
        &self,
        resolved: &ResolvedCall,
        agreed: Option<&str>,
        begin: Begin,
    ) -> Result<(), CallStop> {
        let by = self.by(resolved);
        let bound = resolved.bound_elsewhere(agreed);
        let claim = Step::Claim {
            lease: self.lease(resolved),
            at: by.at,
            bound: &bound,
        };
        match begin {
            Begin::New(new) => {
                let mut row = row(resolved, new.0, &new.1)?;
                row.life
                    .take(&claim)
                    .map_err(|why| not_stepped(StepError::No(why)))?;
                let twin = self.0.store.begin_call(&row).await;
                match twin.map_err(|error| failed(&error))? {
                    Some(_) => Err(CallStop::Twin),
                    None => Ok(()),
                }
            }
            Begin::Agreed(row) => {
                let stepped = StepRecord {
                    outcome: None,
                    by: &by,
                };
                self.0
                    .store
                    .step_call(&row.id, &[claim], stepped)
                    .await
                    .map_err(not_stepped)?;
                Ok(())
            }
        }
    }

    /// Sends a claimed call and records its outcome, in a task of its own so that both finish when the caller is gone. A tool that panics
    /// ends its call as unknown, like a connection that broke: it may have sent its request.
    async fn send(
        &self,
        resolved: ResolvedCall,
        agreed: Option<String>,
        tool: OutsideTool,
    ) -> Result<CallReply, CallStop> {
        let pipeline = self.clone();
        let sending = self.0.tasks.spawn(async move {
            let stopping = &pipeline.0.stopping;
            let attempting = attempts::attempt(&tool, &resolved, agreed.as_deref(), stopping);
            let attempted = AssertUnwindSafe(attempting).catch_unwind().await;
            tracing::debug!(target: "sitewright::call", stage = "executed");
            let (end, reply) = match attempted {
                Ok(attempted) => ended(&resolved, attempted),
                Err(_panic) => broken_down(&resolved),
            };
            pipeline.finish(&resolved, end, reply).await
        });
        sending.await.map_err(|_panicked| {
            CallStop::Recorded(ToolError::new(
                ErrorCode::OutcomeUnknown,
                "The tool failed unexpectedly.",
            ))
        })
    }

    /// Records how a call ended. If that fails, the reply says that the outcome is unknown: a repeat would not find it either.
    async fn finish(&self, resolved: &ResolvedCall, end: End, reply: CallReply) -> CallReply {
        let envelope = Envelope::from(reply);
        let mut wait = Duration::from_millis(50);
        for _ in 0..RECORD_TRIES {
            let by = self.by(resolved);
            let step = Step::Finish {
                holder: &self.0.node,
                end,
            };
            let stepped = StepRecord {
                outcome: Some(&envelope),
                by: &by,
            };
            match self.0.store.step_call(&resolved.id, &[step], stepped).await {
                Ok(_) => return envelope.into(),
                Err(error) => {
                    let error = &error as &dyn std::error::Error;
                    tracing::warn!(error, call = %resolved.id, "the end of a call could not be recorded");
                }
            }
            tokio::time::sleep(wait).await;
            wait *= 2;
        }
        let error = ToolError::new(
            ErrorCode::OutcomeUnknown,
            "The tool has answered, and the answer could not be kept. Look in the other system, then settle the call.",
        );
        CallReply::new(CallOutcome::Unknown(error), Taint::Trusted)
    }

    pub(super) fn by(&self, resolved: &ResolvedCall) -> Stamp {
        Stamp {
            actor: resolved.call.by.by.actor.clone(),
            at: Timestamp::now(),
        }
    }
}

/// The end of a call whose tool panicked. One without an effect has failed; the outcome of any other is not known.
fn broken_down(resolved: &ResolvedCall) -> (End, CallReply) {
    tracing::error!(call = %resolved.id, tool = resolved.call.tool, "a tool broke down");
    let taint = resolved.call.by.taint;
    if resolved.effect() == Effect::None {
        let error = ToolError::new(ErrorCode::Internal, "The tool failed unexpectedly.");
        return (
            End::Failed,
            CallReply::new(CallOutcome::Refused(error), taint),
        );
    }
    let error = ToolError::new(
        ErrorCode::OutcomeUnknown,
        "The tool failed unexpectedly, so its outcome is unknown. Check the other system, then settle the call.",
    );
    (
        End::Unknown,
        CallReply::new(CallOutcome::Unknown(error), taint),
    )
}

/// Turns the result of the attempts into the end of the row and the reply.
fn ended(resolved: &ResolvedCall, attempted: AttemptSummary) -> (End, CallReply) {
    let AttemptSummary { result, attempts } = attempted;
    let (end, outcome, taint) = match result {
        Ok(output) => {
            let taint = worse(resolved.call.by.taint, output.taint);
            match resolved.entry.schemas.check_output(&output.data) {
                Ok(()) => {
                    let answer = Answer {
                        data: output.data,
                        images: output.images,
                        receipt: output.receipt,
                    };
                    (End::Done, CallOutcome::Done(answer), taint)
                }
                Err(error) => {
                    let outcome = CallOutcome::Refused(unusable(resolved, error));
                    (End::Failed, outcome, taint)
                }
            }
        }
        Err(failure) => {
            let is_lost =
                resolved.effect() != Effect::None && failure.delivery == Delivery::Unknown;
            // The other side may have written the text of the error.
            let taint = match failure.delivery {
                Delivery::Answered => worse(resolved.call.by.taint, Taint::Untrusted),
                Delivery::Never | Delivery::Unknown => resolved.call.by.taint,
            };
            if is_lost {
                let outcome = CallOutcome::Unknown(attempts::unknown(&failure));
                (End::Unknown, outcome, taint)
            } else {
                (End::Failed, CallOutcome::Refused(failure.error), taint)
            }
        }
    };
    let reply = CallReply {
        attempts,
        ..CallReply::new(outcome, taint)
    };
    (end, reply)
}

/// An answer that does not match its schema does not undo the effect, so the error must not invite a retry.
fn unusable(resolved: &ResolvedCall, error: ToolError) -> ToolError {
    if resolved.effect() == Effect::None {
        return error;
    }
    ToolError {
        message: format!(
            "It was done, and what the tool answered is not what it promised. Do not repeat the call. {}",
            error.message
        ),
        retryable: false,
        ..error
    }
}

fn not_stepped(error: StepError) -> CallStop {
    match error {
        StepError::No(why) => CallStop::Refused(ToolError::new(
            ErrorCode::Conflict,
            sentence(&why.to_string()),
        )),
        StepError::Store(error) => CallStop::Refused(failed(&error)),
    }
}

pub(super) fn refused(refusal: &CommitError) -> ToolError {
    ToolError::new(refusal.code(), sentence(&refusal.to_string()))
}

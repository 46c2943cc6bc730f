//! Executing: committing what is ours with its row in one transaction, and sending what is not, once.

use std::time::Duration;

use sitewright_store::{
    By, CallInCommit, CallRecord, CommitError, Committer, End, Lease, Permission, Step, StepError,
    Stepped, Timestamp,
};
use sitewright_tool::{Effect, Envelope, ErrorCode, Taint, ToolError, sentence};

use super::{Begin, Pipeline, Plan, Planned, Stopped, answer, failed, row, worse};

use crate::attempts::{self, Attempted};
use crate::call::Asked;
use crate::tool::OutsideTool;
use crate::{Answer, CallOutcome, CallReply, Reached};

/// How often writing an outcome down is tried.
const RECORD_TRIES: u32 = 5;

impl Pipeline {
    /// Runs a call that may run.
    pub(super) async fn run(
        &self,
        asked: &Asked,
        plan: Plan,
        begin: Begin,
    ) -> Result<CallReply, Stopped> {
        tracing::debug!(target: "sitewright::call", stage = "agreed");
        match (plan, begin) {
            (Plan::Seen(run), Begin::New(_)) => {
                let reply = answer(asked, *run);
                self.record_read(asked, None, &reply).await;
                Ok(reply)
            }
            (Plan::Seen(run), Begin::Agreed(row)) => {
                let envelope = Envelope::from(answer(asked, *run));
                self.end(&row, End::Done, &envelope)
                    .await
                    .map_err(not_stepped)?;
                Ok(envelope.into())
            }
            (Plan::Change(planned), begin) => self.commit(asked, *planned, begin).await,
            (Plan::Outside(tool, _), Begin::New(_)) if asked.is_look() => {
                let looking = (asked, None);
                let attempted = attempts::attempt(&tool, looking, &self.0.stopping).await;
                let (_, reply) = ended(asked, attempted);
                self.record_read(asked, None, &reply).await;
                Ok(reply)
            }
            (Plan::Outside(tool, foreseen), begin) => {
                let is_bound = begin.is_bound_to_foreseen(asked);
                let agreed = foreseen.agreed.filter(|_| is_bound);
                self.claim(asked, agreed.as_deref(), begin).await?;
                tracing::debug!(target: "sitewright::call", stage = "claimed");
                self.send((asked.clone(), agreed), tool).await
            }
        }
    }

    /// Commits the change of a call; its row ends with it.
    async fn commit(
        &self,
        asked: &Asked,
        planned: Planned,
        begin: Begin,
    ) -> Result<CallReply, Stopped> {
        let (row, is_new) = match begin {
            Begin::New(new) => (row(asked, new.0, &new.1)?, true),
            Begin::Agreed(row) => (*row, false),
        };
        let Planned {
            mut live,
            run,
            change,
            ..
        } = planned;
        let is_approved = matches!(row.life.permission, Permission::Approval { .. });
        let by = Committer {
            is_approved,
            ..asked.call.by.clone()
        };
        let bound = asked.bound(&change);
        let envelope = Envelope::from(answer(asked, run));
        let in_commit = CallInCommit {
            call: &row,
            is_new,
            lease: self.lease(asked),
            bound: &bound,
            outcome: &envelope,
        };
        match live.commit_call(&change, &by, &in_commit).await {
            Ok(_) => {
                tracing::debug!(target: "sitewright::call", stage = "committed");
                Ok(envelope.into())
            }
            Err(CommitError::CallOver(None)) => Err(Stopped::Twin),
            Err(CommitError::CallOver(Some(why))) => {
                let error = ToolError::new(ErrorCode::Conflict, sentence(&why.to_string()));
                Err(Stopped::Refused(error))
            }
            Err(moved @ CommitError::Conflict { .. }) => Err(Stopped::Moved(refused(&moved))),
            Err(refusal) => Err(Stopped::Refused(refused(&refusal))),
        }
    }

    /// Ends a call that is ready and has no more to do.
    pub(super) async fn end(
        &self,
        row: &CallRecord,
        end: End,
        envelope: &Envelope,
    ) -> Result<CallRecord, StepError> {
        let by = By {
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
        let stepped = Stepped {
            outcome: Some(envelope),
            by: &by,
        };
        self.0
            .store
            .step_call(&row.id, &[claim, finish], stepped)
            .await
    }

    /// Writes down that a call is about to leave the house.
    async fn claim(
        &self,
        asked: &Asked,
        agreed: Option<&str>,
        begin: Begin,
    ) -> Result<(), Stopped> {
        let by = self.by(asked);
        let bound = asked.bound_elsewhere(agreed);
        let claim = Step::Claim {
            lease: self.lease(asked),
            at: by.at,
            bound: &bound,
        };
        match begin {
            Begin::New(new) => {
                let mut row = row(asked, new.0, &new.1)?;
                row.life
                    .take(&claim)
                    .map_err(|why| not_stepped(StepError::No(why)))?;
                let twin = self.0.store.begin_call(&row).await;
                match twin.map_err(|error| failed(&error))? {
                    Some(_) => Err(Stopped::Twin),
                    None => Ok(()),
                }
            }
            Begin::Agreed(row) => {
                let stepped = Stepped {
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

    /// Sends a call that is claimed, and writes down what came of it even when its caller is gone by then.
    async fn send(
        &self,
        (asked, agreed): (Asked, Option<String>),
        tool: OutsideTool,
    ) -> Result<CallReply, Stopped> {
        let pipeline = self.clone();
        let sending = self.0.tasks.spawn(async move {
            let sent = (&asked, agreed.as_deref());
            let attempted = attempts::attempt(&tool, sent, &pipeline.0.stopping).await;
            tracing::debug!(target: "sitewright::call", stage = "executed");
            let (end, reply) = ended(&asked, attempted);
            pipeline.finish(&asked, end, reply).await
        });
        sending.await.map_err(|_panicked| {
            Stopped::Recorded(ToolError::new(
                ErrorCode::OutcomeUnknown,
                "The tool broke down.",
            ))
        })
    }

    /// Writes down how a call ended. What cannot be written down is not told as if it were.
    async fn finish(&self, asked: &Asked, end: End, reply: CallReply) -> CallReply {
        let envelope = Envelope::from(reply);
        let mut wait = Duration::from_millis(50);
        for _ in 0..RECORD_TRIES {
            let by = self.by(asked);
            let step = Step::Finish {
                holder: &self.0.node,
                end,
            };
            let stepped = Stepped {
                outcome: Some(&envelope),
                by: &by,
            };
            match self.0.store.step_call(&asked.id, &[step], stepped).await {
                Ok(_) => return envelope.into(),
                Err(error) => {
                    let error = &error as &dyn std::error::Error;
                    tracing::warn!(error, call = %asked.id, "the end of a call could not be recorded");
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

    pub(super) fn by(&self, asked: &Asked) -> By {
        By {
            actor: asked.call.by.by.actor.clone(),
            at: Timestamp::now(),
        }
    }
}

/// What attempts mean for the call, and what its caller learns.
fn ended(asked: &Asked, attempted: Attempted) -> (End, CallReply) {
    let Attempted { result, attempts } = attempted;
    let (end, outcome, taint) = match result {
        Ok(output) => {
            let taint = worse(asked.call.by.taint, output.taint);
            match asked.entry.schemas.check_output(&output.data) {
                Ok(()) => {
                    let answer = Answer {
                        data: output.data,
                        images: output.images,
                        receipt: output.receipt,
                    };
                    (End::Done, CallOutcome::Done(answer), taint)
                }
                Err(error) => {
                    let outcome = CallOutcome::Refused(unusable(asked, error));
                    (End::Failed, outcome, taint)
                }
            }
        }
        Err(failure) => {
            let is_lost = asked.effect() != Effect::None && failure.reached == Reached::Unknown;
            // An error that came from outside may be worded there.
            let taint = match failure.reached {
                Reached::Answered => worse(asked.call.by.taint, Taint::Untrusted),
                Reached::Never | Reached::Unknown => asked.call.by.taint,
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

/// An answer that does not fit says nothing against the effect: that has happened.
fn unusable(asked: &Asked, error: ToolError) -> ToolError {
    if asked.effect() == Effect::None {
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

fn not_stepped(error: StepError) -> Stopped {
    match error {
        StepError::No(why) => Stopped::Refused(ToolError::new(
            ErrorCode::Conflict,
            sentence(&why.to_string()),
        )),
        StepError::Store(error) => Stopped::Refused(failed(&error)),
    }
}

pub(super) fn refused(refusal: &CommitError) -> ToolError {
    ToolError::new(refusal.code(), sentence(&refusal.to_string()))
}

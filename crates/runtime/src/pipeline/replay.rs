//! Replies to repeated calls from the row of the first one.

use std::time::Duration;

use sitewright_store::{CallRecord, CallState, Stamp};
use sitewright_tool::{ErrorCode, Taint, ToolError};
use tokio::time::Instant;

use super::{CardDecision, LEASE_SLACK, Pipeline, failed};
use crate::call::ResolvedCall;
use crate::{CallOutcome, CallReply, PendingApproval};

/// The first and the longest pause between two reads of a row that is still running: a compromise between load on the database
/// and latency for the caller.
const LOOK_FIRST: Duration = Duration::from_millis(10);
const LOOK_LATER: Duration = Duration::from_millis(250);

impl Pipeline {
    /// The reply to a call that was made before with the same idempotency key, or `None` if there is no such call. Calls that only read
    /// are made again instead, which costs less than looking for a row.
    pub(super) async fn replay(
        &self,
        resolved: &ResolvedCall,
    ) -> Result<Option<CallReply>, ToolError> {
        if resolved.call.key.is_none() || resolved.is_read_only_call() {
            return Ok(None);
        }
        self.replay_row(resolved).await
    }

    /// Like [`Self::replay`], also for a call that only reads: it has a row if it had to wait for approval.
    ///
    /// While the first call is running, this waits for it. Reusing the key for a different call is a conflict.
    pub(super) async fn replay_row(
        &self,
        resolved: &ResolvedCall,
    ) -> Result<Option<CallReply>, ToolError> {
        let (site, actor) = (&resolved.call.site, &resolved.call.by.by.actor);
        // The lease of the first call has expired by then; `tend` runs that call again or marks its outcome as unknown.
        let deadline = Instant::now() + resolved.within() + LEASE_SLACK;
        let mut pause = LOOK_FIRST;
        loop {
            let row = self.0.store.call_by_key(site, actor, &resolved.key).await;
            let Some(row) = row.map_err(|error| failed(&error))? else {
                return Ok(None);
            };
            if row.digest != resolved.digest {
                return Err(ToolError::new(
                    ErrorCode::Conflict,
                    "The `idempotencyKey` was used for another call; choose a new one for this.",
                ));
            }
            if row.life.state == CallState::Waiting && self.says_yes_now(resolved, &row).await {
                continue;
            }
            if let Some(reply) = reply_of(&row) {
                return Ok(Some(reply));
            }
            if Instant::now() >= deadline {
                return Err(ToolError::new(
                    ErrorCode::Timeout,
                    "The same call is still running; ask again later with the same `idempotencyKey`.",
                ));
            }
            tokio::select! {
                () = resolved.call.stop.cancelled() => {
                    return Err(ToolError::new(ErrorCode::Cancelled, "The call was stopped; the first one goes on."));
                }
                () = tokio::time::sleep(pause) => pause = (pause * 2).min(LOOK_LATER),
            }
        }
    }
}

impl Pipeline {
    /// Whether the repeat of a waiting call carries a confirmation that counts as approval; if so, the call is approved.
    async fn says_yes_now(&self, resolved: &ResolvedCall, row: &CallRecord) -> bool {
        let Some(actor) = resolved.own_yes() else {
            return false;
        };
        let by = Stamp {
            actor: actor.clone(),
            at: resolved.call.by.by.at,
        };
        let place = (&row.site, row.id.as_str());
        self.decide(place, CardDecision::Yes, &by).await.is_ok()
    }
}

/// The reply stored in a row; `None` while the call is running.
fn reply_of(row: &CallRecord) -> Option<CallReply> {
    let denied =
        |message: &str| CallReply::refused(ToolError::new(ErrorCode::ApprovalDenied, message));
    Some(match row.life.state {
        CallState::Ready | CallState::Running => return None,
        CallState::Waiting => {
            let pending = PendingApproval::new(row, "It needs a person's approval.");
            CallReply::new(CallOutcome::Waiting(Box::new(pending)), Taint::Trusted)
        }
        CallState::Denied => {
            denied("A person denied this call. Do not repeat it; ask what they want instead.")
        }
        CallState::Expired => denied(
            "No one approved this call in time. Make it again with a new `idempotencyKey` if it is still wanted.",
        ),
        CallState::Done | CallState::Failed | CallState::Unknown => match &row.outcome {
            Some(outcome) => CallReply::from(outcome.clone()),
            None => {
                let error = ToolError::new(
                    ErrorCode::OutcomeUnknown,
                    "The server stopped while this was in progress, so its outcome is unknown. Check the other system, then \
                     settle the call.",
                );
                CallReply::new(CallOutcome::Unknown(error), Taint::Trusted)
            }
        },
    })
}

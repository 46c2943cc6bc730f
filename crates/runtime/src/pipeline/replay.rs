//! What a repeat of a call is answered, by the row of the first.

use std::time::Duration;

use sitewright_store::{CallRecord, CallState, Stamp};
use sitewright_tool::{ErrorCode, Taint, ToolError};
use tokio::time::Instant;

use super::{CardDecision, LEASE_SLACK, Pipeline, failed};
use crate::call::ResolvedCall;
use crate::{CallOutcome, CallReply, PendingApproval};

/// How often a row that somebody else is at is looked at: seldom enough for the database, often enough for the caller.
const LOOK_FIRST: Duration = Duration::from_millis(10);
const LOOK_LATER: Duration = Duration::from_millis(250);

impl Pipeline {
    /// The answer to a call that was made before; nothing for one that was not.
    pub(super) async fn replay(
        &self,
        resolved: &ResolvedCall,
    ) -> Result<Option<CallReply>, ToolError> {
        if resolved.call.key.is_none() || resolved.is_read_only_call() {
            return Ok(None);
        }
        let (site, actor) = (&resolved.call.site, &resolved.call.by.by.actor);
        // Whoever runs it is given up for dead then, and the row tells.
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
    /// Whether whoever repeats a call that waits says yes to it this time, and their yes counts.
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

/// The reply that a row holds; nothing while the call is under way.
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
                    "The server stopped while this was under way, so nobody knows whether it was done. Look in the other system, then \
                     settle the call.",
                );
                CallReply::new(CallOutcome::Unknown(error), Taint::Trusted)
            }
        },
    })
}

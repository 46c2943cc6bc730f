//! What the reply to a call means for its leg.

use sitewright_tool::{ErrorCode, ToolError};

use super::state::{LegResult, UndoResult};
use crate::CallOutcome;

pub(super) fn leg_result(outcome: CallOutcome, has_effect: bool) -> LegResult {
    match outcome {
        CallOutcome::Done(answer) => LegResult::Done(answer.data),
        CallOutcome::Unknown(error) => LegResult::Unknown(error),
        CallOutcome::Waiting(pending) => LegResult::Failed(pending.error()),
        CallOutcome::Refused(error) if has_effect && is_done_without_answer(&error) => {
            LegResult::Unknown(error)
        }
        CallOutcome::Refused(error) => LegResult::Failed(error),
    }
}

/// Whether the tool reported success and only its answer cannot be used: the effect has happened.
fn is_done_without_answer(error: &ToolError) -> bool {
    let status = error
        .details
        .as_ref()
        .and_then(|details| details.get("status"));
    match error.code {
        ErrorCode::InvalidOutput => true,
        // With a status, the vendor itself says that something is too large.
        ErrorCode::TooLarge => status.is_none(),
        _ => false,
    }
}

pub(super) fn undo_result(outcome: CallOutcome, conflict_is_done: bool) -> UndoResult {
    let error = match outcome {
        CallOutcome::Done(_) => return UndoResult::Done,
        CallOutcome::Unknown(error) => return UndoResult::Again(error),
        CallOutcome::Waiting(pending) => return UndoResult::Failed(pending.error()),
        CallOutcome::Refused(error) => error,
    };
    let status = error
        .details
        .as_ref()
        .and_then(|details| details["status"].as_u64());
    if is_done_without_answer(&error) || (conflict_is_done && status == Some(409)) {
        return UndoResult::Done;
    }
    match error.retryable {
        true => UndoResult::Again(error),
        false => UndoResult::Failed(error),
    }
}

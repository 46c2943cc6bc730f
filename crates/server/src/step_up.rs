//! Dangerous actions need a recent proof of who is acting: a password, a code or a passkey given in this session within the last
//! minutes. A request without one is refused with the code `step_up_required`; the shell then asks for the proof, posts it to
//! `/admin/api/session/confirm` and repeats the request. Tokens and the command line are not asked: nobody is there to answer.

use std::time::Duration;

use sitewright_tool::ErrorCode;

use crate::caller::Caller;
use crate::problem::ApiError;
use crate::route::Context;

/// How long a proof lasts.
const PROOF_LIFETIME: Duration = Duration::from_secs(10 * 60);

/// Refuses a person whose last proof in this session is too old.
pub(crate) fn require_recent_proof(context: &Context) -> Result<(), ApiError> {
    let Caller::Person(person) = &context.caller else {
        return Ok(());
    };
    if context.now.since(person.session.authenticated_at) <= PROOF_LIFETIME {
        return Ok(());
    }
    Err(ApiError::new(
        ErrorCode::StepUpRequired,
        "Confirm that it is you, then try again.",
    ))
}

//! Failures of remote calls in our own words: the code, whether a retry may help, and whether the request was seen.
//!
//! `Delivery::Never` and `Delivery::Answered` are promises. In doubt the delivery is `Unknown`, so that a change that may have happened
//! is never reported as one that did not.

use http::{HeaderMap, StatusCode};
use serde_json::json;
use sitewright_egress::{EgressError, Part};
use sitewright_runtime::{Delivery, Failure};
use sitewright_tool::{ErrorCode, ToolError};

use crate::wait;

/// The failure for a missing or incomplete answer.
pub(crate) fn of_exchange(tool: &str, error: &EgressError) -> Failure {
    let (code, again, remedy) = match error {
        EgressError::BadUrl { .. } | EgressError::BadHeader { .. } => (
            ErrorCode::Unavailable,
            Again::Useless,
            "Register the tool again with a correct endpoint.",
        ),
        EgressError::Refused { .. } => (
            ErrorCode::Unavailable,
            Again::Useless,
            "Until then the tool cannot be used.",
        ),
        EgressError::Resolve { .. } | EgressError::Connect { .. } => (
            ErrorCode::Unavailable,
            Again::MayHelp,
            "Try again later, or ask its operator.",
        ),
        EgressError::Tls { .. } => (
            ErrorCode::UpstreamError,
            Again::Useless,
            "Its operator has to put its certificate right.",
        ),
        EgressError::Timeout { .. } => (
            ErrorCode::Timeout,
            Again::MayHelp,
            "Try again later, or register it with a longer `timeoutMs`.",
        ),
        EgressError::TooLarge {
            part: Part::Head, ..
        } => (
            ErrorCode::TooLarge,
            Again::Useless,
            "Its operator has to send fewer headers.",
        ),
        EgressError::TooLarge {
            part: Part::Body, ..
        } => (ErrorCode::TooLarge, Again::Useless, "Ask for less."),
        EgressError::TooManyRedirects { .. } => {
            return redirected(tool);
        }
        EgressError::Io { .. } => (ErrorCode::UpstreamError, Again::MayHelp, "Try again later."),
        EgressError::Setup { .. } => (
            ErrorCode::Internal,
            Again::Useless,
            "The server's log says more.",
        ),
        _ => (
            ErrorCode::UpstreamError,
            Again::Useless,
            "The server's log says more.",
        ),
    };
    let delivery = match error.request_may_have_been_sent() {
        true => Delivery::Unknown,
        false => Delivery::Never,
    };
    let mut failure = failure(
        code,
        format!("`{tool}` could not be asked: {error}. {remedy}"),
        delivery,
    );
    if delivery == Delivery::Unknown {
        failure.error.message = format!("`{tool}` gave no whole answer: {error}. {remedy}");
    }
    failure.error.retryable = again == Again::MayHelp;
    failure
}

fn redirected(tool: &str) -> Failure {
    let message = format!(
        "`{tool}` answered with a redirect, which is not followed: secrets and arguments go to the registered endpoint only. \
         Register it with the address it redirects to."
    );
    let mut failure = failure(ErrorCode::UpstreamError, message, Delivery::Answered);
    failure.error.retryable = false;
    failure
}

/// The failure for an answer with an error status. `says` is the vendor's message, ready to be quoted; `credentials` says where the
/// key is configured and what to do when it is rejected.
pub(crate) fn of_status(
    tool: &str,
    status: StatusCode,
    headers: &HeaderMap,
    says: Option<&str>,
    credentials: &str,
) -> Failure {
    let (code, again, sentence) = judged(status);
    let mut message = format!("`{tool}` answered {}: {sentence}", status.as_u16());
    if matches!(status.as_u16(), 401 | 403) {
        message.push_str(credentials);
    }
    if let Some(says) = says {
        message.push_str(&format!(" It says, in its own unchecked words: \"{says}\""));
    }
    // A gateway sends these when the tool itself did not respond, so whether the tool did its work is unknown.
    let delivery = match status {
        StatusCode::BAD_GATEWAY | StatusCode::GATEWAY_TIMEOUT => Delivery::Unknown,
        _ => Delivery::Answered,
    };
    let mut failure = failure(code, message, delivery);
    failure.error.retryable = again == Again::MayHelp;
    failure.error.details = Some(json!({ "status": status.as_u16(), "outsideText": says }));
    failure.retry_after = failure
        .error
        .retryable
        .then(|| wait::asked_for(headers))
        .flatten();
    failure
}

/// The failure for a success whose body violates the contract. The work is done, and only the answer is lost.
pub(crate) fn of_answer(tool: &str, code: ErrorCode, what: &str) -> Failure {
    let message = format!(
        "`{tool}` reported success, and {what}. What it was asked for is probably done: look there before asking again."
    );
    let mut failure = failure(code, message, Delivery::Answered);
    failure.error.retryable = false;
    failure
}

#[derive(PartialEq, Eq, Clone, Copy)]
enum Again {
    MayHelp,
    Useless,
}

fn judged(status: StatusCode) -> (ErrorCode, Again, &'static str) {
    use Again::{MayHelp, Useless};
    use ErrorCode::{
        Conflict, InvalidInput, NotFound, RateLimited, Timeout, TooLarge, UpstreamError,
    };
    match status.as_u16() {
        400 | 422 => (
            InvalidInput,
            Useless,
            "it does not accept the arguments. Correct them and call again.",
        ),
        401 | 403 => (UpstreamError, Useless, "it does not accept the credentials"),
        402 => (
            UpstreamError,
            Useless,
            "the account there has no credit. Its owner has to add some.",
        ),
        404 | 410 => (
            NotFound,
            Useless,
            "what was asked for is not there. Check the arguments; if every call answers so, the endpoint is wrong.",
        ),
        405 => (
            UpstreamError,
            Useless,
            "the endpoint does not take a POST. Register it with the right one.",
        ),
        408 => (
            Timeout,
            MayHelp,
            "the request did not arrive there in time. Try again.",
        ),
        409 => (
            Conflict,
            Useless,
            "it contradicts what is there. Look at the present state first.",
        ),
        413 => (
            TooLarge,
            Useless,
            "the arguments are too large for it. Send less.",
        ),
        425 => (UpstreamError, MayHelp, "it is too early. Try again."),
        429 => (
            RateLimited,
            MayHelp,
            "it is asked too often. Try again later.",
        ),
        501 | 505 => (UpstreamError, Useless, "it cannot do this."),
        500..=599 => (UpstreamError, MayHelp, "it failed. Try again later."),
        400..=499 => (UpstreamError, Useless, "it does not accept the request."),
        _ => (
            UpstreamError,
            Useless,
            "which is neither a success nor an error. Its endpoint may be wrong.",
        ),
    }
}

/// The failure for a site that the tool does not serve, and for which it does not exist.
pub(crate) fn of_other_site(tool: &str) -> Failure {
    let message = format!("There is no tool `{tool}`; `tool list` names those there are.");
    failure(ErrorCode::UnknownTool, message, Delivery::Never)
}

pub(crate) fn failure(code: ErrorCode, message: String, delivery: Delivery) -> Failure {
    Failure {
        error: ToolError::new(code, message),
        delivery,
        retry_after: None,
    }
}

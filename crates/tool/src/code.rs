//! The only enum of error codes. Everything that reports a failure (a tool, a route, the command line) uses one of these, so that
//! a caller can decide what to do next without parsing the message.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Why a call failed, in the words machines compare.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ErrorCode {
    /// No tool has this name here.
    UnknownTool,
    /// The input does not fit its schema.
    InvalidInput,
    /// A tool answered something its own schema refuses.
    InvalidOutput,
    /// Nobody is signed in, or the token is not valid.
    Unauthenticated,
    /// The caller is known and may not do this.
    Forbidden,
    /// The caller must confirm who they are once more.
    StepUpRequired,
    /// A person must approve the call first.
    ApprovalRequired,
    /// A person refused the call, or the request for approval ran out.
    ApprovalDenied,
    /// The thing named does not exist, or the caller may not know that it does.
    NotFound,
    /// The state moved on, or the key was used for something else.
    Conflict,
    /// The caller runs an older version of the shell.
    ReloadRequired,
    /// The input or the answer is over a limit.
    TooLarge,
    /// The call did not finish in its time.
    Timeout,
    /// Too many calls.
    RateLimited,
    /// A limit of money, tokens or rounds was reached.
    BudgetExceeded,
    /// A part this call needs is not there at the moment, or not set up.
    Unavailable,
    /// The disk that would hold the result is full.
    StorageFull,
    /// A system elsewhere answered with an error.
    UpstreamError,
    /// The caller stopped the call.
    Cancelled,
    /// The server stopped while the call ran.
    Interrupted,
    /// The call left the house and its outcome was never learnt.
    OutcomeUnknown,
    /// A defect of ours.
    Internal,
}

impl ErrorCode {
    /// All codes, in the order of the documentation.
    pub const ALL: [Self; 22] = [
        Self::UnknownTool,
        Self::InvalidInput,
        Self::InvalidOutput,
        Self::Unauthenticated,
        Self::Forbidden,
        Self::StepUpRequired,
        Self::ApprovalRequired,
        Self::ApprovalDenied,
        Self::NotFound,
        Self::Conflict,
        Self::ReloadRequired,
        Self::TooLarge,
        Self::Timeout,
        Self::RateLimited,
        Self::BudgetExceeded,
        Self::Unavailable,
        Self::StorageFull,
        Self::UpstreamError,
        Self::Cancelled,
        Self::Interrupted,
        Self::OutcomeUnknown,
        Self::Internal,
    ];

    /// The spelling on the wire; the same as serde's.
    pub fn as_str(self) -> &'static str {
        self.row().0
    }

    /// The HTTP status that carries this code.
    pub fn http_status(self) -> u16 {
        self.row().1
    }

    /// The title of a problem with this code.
    pub fn title(self) -> &'static str {
        self.row().2
    }

    /// Whether the same call, unchanged, may succeed later.
    pub fn is_retryable(self) -> bool {
        matches!(
            self,
            Self::Timeout
                | Self::RateLimited
                | Self::Unavailable
                | Self::StorageFull
                | Self::UpstreamError
                | Self::Interrupted
        )
    }

    fn row(self) -> (&'static str, u16, &'static str) {
        match self {
            Self::UnknownTool => ("unknown_tool", 404, "There is no such tool"),
            Self::InvalidInput => ("invalid_input", 400, "The request is not valid"),
            Self::InvalidOutput => (
                "invalid_output",
                502,
                "The tool answered something unexpected",
            ),
            Self::Unauthenticated => ("unauthenticated", 401, "You are not signed in"),
            Self::Forbidden => ("forbidden", 403, "This is not allowed"),
            Self::StepUpRequired => ("step_up_required", 403, "Confirm that it is you"),
            Self::ApprovalRequired => ("approval_required", 403, "This needs an approval"),
            Self::ApprovalDenied => ("approval_denied", 403, "The approval was refused"),
            Self::NotFound => ("not_found", 404, "Not found"),
            Self::Conflict => ("conflict", 409, "Something changed in the meantime"),
            Self::ReloadRequired => ("reload_required", 409, "Reload the page"),
            Self::TooLarge => ("too_large", 413, "Too large"),
            Self::Timeout => ("timeout", 504, "This took too long"),
            Self::RateLimited => ("rate_limited", 429, "Too many requests"),
            Self::BudgetExceeded => ("budget_exceeded", 402, "The budget is used up"),
            Self::Unavailable => ("unavailable", 503, "Not available at the moment"),
            Self::StorageFull => ("storage_full", 507, "No space left"),
            Self::UpstreamError => ("upstream_error", 502, "Another system reported an error"),
            Self::Cancelled => ("cancelled", 409, "Stopped"),
            Self::Interrupted => ("interrupted", 503, "Interrupted"),
            Self::OutcomeUnknown => ("outcome_unknown", 502, "The outcome is not known"),
            Self::Internal => ("internal", 500, "Something went wrong on the server"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::ErrorCode;

    #[test]
    fn the_spelling_is_the_one_serde_writes_and_reads() {
        for code in ErrorCode::ALL {
            let written = serde_json::to_value(code).unwrap();
            assert_eq!(written, code.as_str());
            assert_eq!(serde_json::from_value::<ErrorCode>(written).unwrap(), code);
        }
    }
}

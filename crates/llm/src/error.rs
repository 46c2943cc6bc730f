//! The failures of providers, classified by what can be done about them.

use std::fmt;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The kind of a failure; a closed list, each with a sentence for people.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ErrorClass {
    /// The key is wrong or may not do this.
    Auth,
    /// No credit, or a spending limit.
    Billing,
    /// The provider does not accept the request.
    InvalidRequest,
    /// The model cannot call tools.
    NoToolSupport,
    /// The conversation is longer than the model's window.
    ContextOverflow,
    /// Too many requests for now.
    RateLimited,
    /// The provider is too busy for now.
    Overloaded,
    /// The provider failed.
    Server,
    /// The provider cannot be reached, or the connection broke.
    Network,
    /// Nothing came for too long.
    TimeoutIdle,
    /// The answer ended before its end.
    StreamTruncated,
    /// The provider said something that is not its protocol.
    Protocol,
    /// The provider declines to answer.
    Refusal,
    /// Somebody stopped it.
    Cancelled,
}

impl ErrorClass {
    /// A sentence for people: what happened, and what to do.
    pub fn sentence(self) -> &'static str {
        match self {
            Self::Auth => {
                "The provider does not accept the key: check the credential in AI settings."
            }
            Self::Billing => {
                "The provider account has no credit left: add credit there or choose another provider."
            }
            Self::InvalidRequest => "The provider did not accept the request.",
            Self::NoToolSupport => "This model cannot use tools: choose another model.",
            Self::ContextOverflow => {
                "The conversation is longer than this model can read: start a new one."
            }
            Self::RateLimited => "The provider limits how often it may be asked: try again later.",
            Self::Overloaded => "The provider is overloaded: try again in a moment.",
            Self::Server => "The provider failed: try again.",
            Self::Network => {
                "The provider cannot be reached: check the network and the base URL of the credential."
            }
            Self::TimeoutIdle => "The provider stopped answering: try again.",
            Self::StreamTruncated => "The answer was cut off: try again.",
            Self::Protocol => {
                "The provider gave an answer that could not be read: check its base URL."
            }
            Self::Refusal => "The provider declined to answer this.",
            Self::Cancelled => "Stopped.",
        }
    }
}

/// Whether sending the same request again can help.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Again {
    /// A retry may help.
    May,
    /// A retry cannot help.
    Never,
}

/// A failure of a provider. It contains no secrets: the provider's texts are shortened and redacted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelError {
    pub class: ErrorClass,
    /// The provider's message, or our own observation; may be empty.
    pub detail: String,
    /// The HTTP status, if there was a response.
    pub status: Option<u16>,
    /// The provider's own error code.
    pub code: Option<String>,
    /// The provider's id of the request, for its support.
    pub request_id: Option<String>,
    /// How long the provider asks to wait.
    pub retry_after: Option<Duration>,
    pub again: Again,
}

impl ModelError {
    /// Creates an error whose class decides whether a retry can help.
    pub fn new(class: ErrorClass, detail: impl Into<String>) -> Self {
        let again = match class {
            ErrorClass::RateLimited
            | ErrorClass::Overloaded
            | ErrorClass::Server
            | ErrorClass::Network
            | ErrorClass::TimeoutIdle
            | ErrorClass::StreamTruncated => Again::May,
            ErrorClass::Auth
            | ErrorClass::Billing
            | ErrorClass::InvalidRequest
            | ErrorClass::NoToolSupport
            | ErrorClass::ContextOverflow
            | ErrorClass::Protocol
            | ErrorClass::Refusal
            | ErrorClass::Cancelled => Again::Never,
        };
        Self {
            class,
            detail: redact(&detail.into()),
            status: None,
            code: None,
            request_id: None,
            retry_after: None,
            again,
        }
    }
}

impl fmt::Display for ModelError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.class.sentence())?;
        if !self.detail.is_empty() {
            write!(out, " ({})", self.detail)?;
        }
        Ok(())
    }
}

impl std::error::Error for ModelError {}

/// The longest detail. What follows in a longer text is of no use to a person.
const DETAIL_CHARS_MAX: usize = 400;

/// Shortens a text from a provider and removes what looks like a secret, because providers quote keys in their errors.
pub(crate) fn redact(text: &str) -> String {
    // An HTML page can have megabytes, so only as much as can be shown is redacted.
    let start: String = text.chars().take(DETAIL_CHARS_MAX * 4).collect();
    let mut words = Vec::new();
    let mut hide_next = false;
    for word in start.split_whitespace() {
        let secret = hide_next || looks_secret(word);
        hide_next = word.trim_end_matches(':').eq_ignore_ascii_case("bearer");
        words.push(if secret { "[redacted]" } else { word });
    }
    let line = words.join(" ");
    if line.chars().count() <= DETAIL_CHARS_MAX {
        return line;
    }
    let mut short: String = line.chars().take(DETAIL_CHARS_MAX).collect();
    short.push('…');
    short
}

fn looks_secret(word: &str) -> bool {
    const STARTS: &[&str] = &["sk-", "sk_", "xai-", "tvly-", "AIza", "key-", "VENICE"];
    let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
    let long = bare.len() >= 12;
    let query = word.split(['?', '&']).any(|part| {
        ["key=", "api_key=", "token=", "access_token="]
            .iter()
            .any(|name| part.starts_with(name))
    });
    query || (long && STARTS.iter().any(|start| bare.starts_with(start)))
}

#[cfg(test)]
mod tests {
    use super::redact;

    #[test]
    fn secrets_and_length_do_not_reach_a_log() {
        let check = |text: &str, expected: &str| assert_eq!(redact(text), expected);
        check(
            "Incorrect API key provided: sk-proj-abcdefghijkl.",
            "Incorrect API key provided: [redacted]",
        );
        check(
            "Authorization: Bearer abc",
            "Authorization: Bearer [redacted]",
        );
        check(
            "GET https://host/v1?key=AIzaSyA1234567890 failed",
            "GET [redacted] failed",
        );
        check("<html>\n  <b>502</b>\n</html>", "<html> <b>502</b> </html>");
        assert_eq!(redact(&"x".repeat(9000)).chars().count(), 401);
    }
}

//! Classifies the errors of all providers, for failed responses and for errors inside a stream.
//!
//! A few specific codes decide first, then the status, then the other codes. The wording of a message counts only for cases in which
//! providers give nothing else. Bodies may be JSON of any shape, HTML from a proxy, or empty.

mod wait;

use http::{HeaderMap, StatusCode};
use serde_json::Value;

use crate::error::{Again, ErrorClass, ModelError, redact};
use crate::message::Format;

/// The error codes of all providers, most specific class first: an error gets the class of the first row that contains one of its codes.
const CODES: &[(ErrorClass, &[&str])] = &[
    (
        ErrorClass::Billing,
        &[
            "billing_error",
            "insufficient_quota",
            "payment_required",
            "enforced_spend_limit_reached",
            "402",
        ],
    ),
    (
        ErrorClass::ContextOverflow,
        &[
            "context_length_exceeded",
            "token_limit_exceeded",
            "model_context_window_exceeded",
        ],
    ),
    (
        ErrorClass::Refusal,
        &[
            "refusal",
            "content_policy_violation",
            "content_filter",
            "image_content_policy_violation",
            "bio_policy",
            "misalignment_policy_violation",
        ],
    ),
    (
        ErrorClass::Auth,
        &[
            "authentication_error",
            "authentication",
            "invalid_api_key",
            "permission_error",
            "permission_denied",
            "401",
        ],
    ),
    (
        ErrorClass::RateLimited,
        &["rate_limit_error", "rate_limit_exceeded", "429"],
    ),
    (
        ErrorClass::Overloaded,
        &["overloaded_error", "provider_overloaded", "503", "529"],
    ),
    (
        ErrorClass::Server,
        &[
            "api_error",
            "server_error",
            "server",
            "timeout_error",
            "timeout",
            "provider_unavailable",
            "internal_server_error",
            "500",
            "502",
            "504",
            "524",
        ],
    ),
    (
        ErrorClass::InvalidRequest,
        &[
            "invalid_request_error",
            "invalid_request",
            "invalid_prompt",
            "not_found_error",
            "not_found",
            "model_not_found",
            "request_too_large",
            "payload_too_large",
            "unprocessable",
            "400",
            "404",
            "413",
            "422",
        ],
    ),
];

/// Classifies a response that is an error.
pub(crate) fn answer(
    format: Format,
    status: StatusCode,
    headers: &HeaderMap,
    body: &[u8],
) -> ModelError {
    let said = ErrorText::read(body);
    let class = match said.class() {
        // These are more specific than any status.
        Some(
            class @ (ErrorClass::Billing
            | ErrorClass::ContextOverflow
            | ErrorClass::Refusal
            | ErrorClass::NoToolSupport),
        ) => class,
        other => by_status(status, &said)
            .or(other)
            .unwrap_or(ErrorClass::Server),
    };
    let mut error = said.error(class);
    error.status = Some(status.as_u16());
    error.request_id = ["request-id", "x-request-id", "x-generation-id", "cf-ray"]
        .iter()
        .find_map(|name| header(headers, name));
    error.retry_after = wait::asked_for(headers);
    if matches!(status.as_u16(), 408 | 409) {
        error.again = Again::May;
    }
    // Anthropic reports a spending cap as a rate limit without `retry-after`, and retrying cannot help.
    let endless = status == StatusCode::TOO_MANY_REQUESTS && !headers.contains_key("retry-after");
    if format == Format::Messages && endless {
        error.again = Again::Never;
    }
    match header(headers, "x-should-retry").as_deref() {
        Some("true") => error.again = Again::May,
        Some("false") => error.again = Again::Never,
        _ => (),
    }
    error
}

/// Classifies an error inside a stream, whose status was 200.
pub(crate) fn payload(value: &Value) -> ModelError {
    let said = ErrorText::from_json(value);
    let class = said.class().unwrap_or(ErrorClass::Server);
    said.error(class)
}

fn by_status(status: StatusCode, said: &ErrorText) -> Option<ErrorClass> {
    Some(match status.as_u16() {
        401 => ErrorClass::Auth,
        402 => ErrorClass::Billing,
        403 if said.moderated => ErrorClass::Refusal,
        403 => ErrorClass::Auth,
        429 => ErrorClass::RateLimited,
        503 | 529 => ErrorClass::Overloaded,
        408 | 409 => ErrorClass::Server,
        400..=499 => ErrorClass::InvalidRequest,
        500..=599 => ErrorClass::Server,
        // A redirect that was not followed, or an error sent with a status of success.
        _ => return None,
    })
}

/// The codes and the message of an error body of any shape.
#[derive(Default)]
struct ErrorText {
    codes: Vec<String>,
    message: String,
    moderated: bool,
}

impl ErrorText {
    fn read(body: &[u8]) -> Self {
        let text = String::from_utf8_lossy(body);
        if let Ok(value) = serde_json::from_str::<Value>(&text) {
            return Self::from_json(&value);
        }
        let message = if text.trim_start().starts_with('<') {
            html_title(&text).unwrap_or_else(|| "an HTML page".to_owned())
        } else {
            text.into_owned()
        };
        Self {
            message,
            ..Self::default()
        }
    }

    fn from_json(value: &Value) -> Self {
        let error = match &value["error"] {
            Value::Null => &value["response"]["error"],
            error => error,
        };
        let codes = [
            &error["details"]["error_code"],
            &error["metadata"]["error_type"],
            &error["error_type"],
            &value["error_type"],
            &value["response"]["error_type"],
            &error["code"],
            &value["code"],
            &error["type"],
            &value["type"],
        ];
        let messages = [
            error,
            &error["message"],
            &value["message"],
            &value["detail"],
        ];
        Self {
            codes: codes.into_iter().filter_map(code).collect(),
            message: messages
                .into_iter()
                .find_map(|message| message.as_str())
                .unwrap_or_default()
                .to_owned(),
            moderated: !error["metadata"]["reasons"].is_null()
                || !error["metadata"]["flagged_input"].is_null(),
        }
    }

    fn class(&self) -> Option<ErrorClass> {
        let words = self.message.to_ascii_lowercase();
        let says = |texts: &[&str]| texts.iter().any(|text| words.contains(text));
        if says(&["does not support tools", "support tool use"]) {
            return Some(ErrorClass::NoToolSupport);
        }
        if says(&[
            "prompt is too long",
            "maximum context length",
            "context window",
            "exceed context limit",
        ]) {
            return Some(ErrorClass::ContextOverflow);
        }
        let given = |codes: &[&str]| self.codes.iter().any(|code| codes.contains(&code.as_str()));
        let row = CODES.iter().find(|(_, codes)| given(codes));
        row.map(|(class, _)| *class)
    }

    fn error(self, class: ErrorClass) -> ModelError {
        let mut error = ModelError::new(class, self.message);
        error.code = self.codes.into_iter().next().map(|code| redact(&code));
        error
    }
}

/// Providers send codes as strings, as numbers or not at all.
fn code(value: &Value) -> Option<String> {
    match value {
        Value::String(text) if text != "error" => Some(text.to_ascii_lowercase()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

fn html_title(text: &str) -> Option<String> {
    let lower = text.to_ascii_lowercase();
    let start = lower.find("<title>")? + "<title>".len();
    let length = lower[start..].find("</title>")?;
    // ASCII lowercasing does not move bytes, so the indices are valid in the original.
    Some(text[start..start + length].to_owned())
}

fn header(headers: &HeaderMap, name: &str) -> Option<String> {
    let value = headers.get(name)?.to_str().ok()?;
    Some(redact(value))
}

#[cfg(test)]
mod tests;

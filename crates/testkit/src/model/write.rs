//! What a provider writes: its streams and its errors.

mod chat;
mod messages;
mod responses;

use serde_json::{Value, json};

use super::Dialect;
use super::fault::Frame;
use super::scenario::{Failure, ModelReply};

/// The events of an answer. `number` makes ids differ from round to round.
pub(super) fn frames(
    dialect: Dialect,
    request: &Value,
    reply: &ModelReply,
    number: usize,
) -> Vec<Frame> {
    match dialect {
        Dialect::Anthropic => messages::frames(request, reply, number),
        Dialect::OpenAi | Dialect::OpenRouter => responses::frames(dialect, request, reply, number),
        Dialect::Ollama | Dialect::Venice => chat::frames(dialect, request, reply, number),
    }
}

/// An error as a body.
pub(super) fn error_body(dialect: Dialect, failure: &Failure) -> Value {
    let message = &failure.message;
    let kind = kind(dialect, failure);
    match dialect {
        Dialect::Anthropic => json!({
            "type": "error",
            "error": { "type": kind, "message": message },
            "request_id": "req_simulated",
        }),
        Dialect::OpenAi => {
            json!({ "error": { "message": message, "type": kind, "param": null, "code": kind } })
        }
        Dialect::OpenRouter => json!({
            "error": { "code": failure.status, "message": message, "metadata": { "error_type": kind } },
            "user_id": "user_simulated",
        }),
        Dialect::Ollama => {
            json!({ "error": { "message": message, "type": kind, "param": null, "code": null } })
        }
        Dialect::Venice => json!({ "error": message }),
    }
}

/// An error in the middle of a stream; a local server just stops.
pub(super) fn error_frame(dialect: Dialect, failure: &Failure) -> Option<Frame> {
    let kind = kind(dialect, failure);
    let message = &failure.message;
    let (name, data) = match dialect {
        Dialect::Anthropic => ("error", error_body(dialect, failure)),
        Dialect::OpenAi => (
            "error",
            json!({ "type": "error", "code": kind, "message": message, "param": null, "sequence_number": 99 }),
        ),
        Dialect::OpenRouter => (
            "response.failed",
            json!({ "type": "response.failed", "sequence_number": 99, "response": {
                "id": "resp_failed", "object": "response", "status": "failed", "output": [], "error_type": kind,
                "error": { "code": "server_error", "message": message },
            } }),
        ),
        Dialect::Ollama => return None,
        Dialect::Venice => (
            "",
            json!({ "id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "m",
                    "error": { "code": kind, "message": message },
                    "choices": [{ "index": 0, "delta": { "content": "" }, "finish_reason": "error" }] }),
        ),
    };
    Some(Frame {
        name: (!name.is_empty()).then(|| name.to_owned()),
        data: data.to_string(),
    })
}

fn kind(dialect: Dialect, failure: &Failure) -> String {
    if let Some(kind) = &failure.kind {
        return kind.clone();
    }
    let anthropic = dialect == Dialect::Anthropic;
    let kind = match failure.status {
        401 if anthropic => "authentication_error",
        401 => "invalid_api_key",
        402 if anthropic => "billing_error",
        402 => "insufficient_quota",
        403 => "permission_error",
        404 => "not_found_error",
        429 if anthropic => "rate_limit_error",
        429 => "rate_limit_exceeded",
        500 if anthropic => "api_error",
        200 | 503 | 529 if anthropic => "overloaded_error",
        200 | 500.. => "server_error",
        _ => "invalid_request_error",
    };
    kind.to_owned()
}

/// A text in the pieces in which it is streamed.
fn pieces(text: &str, size: Option<usize>) -> Vec<String> {
    let characters: Vec<char> = text.chars().collect();
    let size = size.unwrap_or(12).max(1);
    characters
        .chunks(size)
        .map(|piece| piece.iter().collect())
        .collect()
}

fn model(request: &Value) -> &str {
    request["model"].as_str().unwrap_or_default()
}

//! What Anthropic refuses.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{Checked, ensure, known_fields, list, safe_name, text, tools};
use crate::model::short;

const FIELDS: &[&str] = &[
    "model",
    "max_tokens",
    "messages",
    "system",
    "stream",
    "tools",
    "tool_choice",
    "thinking",
    "output_config",
    "stop_sequences",
    "metadata",
    "cache_control",
    "service_tier",
    "speed",
    "inference_geo",
    "temperature",
    "top_p",
    "top_k",
];
const IMAGES: &[&str] = &["image/jpeg", "image/png", "image/gif", "image/webp"];

pub(super) fn check(body: &Value) -> Checked {
    known_fields(body, FIELDS, "")?;
    let most = body["max_tokens"].as_u64();
    ensure(most.is_some_and(|most| most > 0), || {
        "max_tokens: Field required".to_owned()
    })?;
    model_rules(body)?;
    for block in body["system"].as_array().into_iter().flatten() {
        text(&block["text"], "system.text")?;
    }
    let empty = Vec::new();
    let offered = body["tools"].as_array().unwrap_or(&empty);
    let pairs: Vec<(&Value, &Value)> = offered
        .iter()
        .map(|tool| (&tool["name"], &tool["input_schema"]))
        .collect();
    tools(&pairs)?;
    let marks = body.to_string().matches("\"cache_control\"").count();
    ensure(marks <= 4, || {
        format!("{marks} blocks with cache_control, 4 are allowed")
    })?;
    conversation(list(&body["messages"], "messages")?)
}

/// Requests that the newest models refuse.
fn model_rules(body: &Value) -> Checked {
    let model = body["model"].as_str().unwrap_or_default();
    let newest = [
        "claude-opus-5-5",
        "claude-sonnet-5-5",
        "claude-fable-5-1",
        "claude-fable-5-2",
    ];
    let newest = newest.iter().any(|start| model.starts_with(start));
    let old = ["4-5", "4-6"].iter().any(|version| model.contains(version));
    let forced = matches!(body["tool_choice"]["type"].as_str(), Some("any" | "tool"));
    ensure(!(newest && forced), || {
        format!("tool_choice: {model} does not accept a forced tool")
    })?;
    ensure(!(newest && body["thinking"]["type"] == "disabled"), || {
        format!("thinking: {model} always thinks")
    })?;
    let budget = body["thinking"]["budget_tokens"].as_u64();
    ensure(old || budget.is_none(), || {
        format!("thinking: {model} takes no budget_tokens")
    })?;
    if let Some(budget) = budget {
        let most = body["max_tokens"].as_u64().unwrap_or(0);
        ensure((1024..most).contains(&budget), || {
            format!("thinking.budget_tokens: {budget} is not in 1024..{most}")
        })?;
    }
    for name in ["temperature", "top_p", "top_k"] {
        ensure(old || body[name].is_null(), || {
            format!("{name}: {model} does not accept it")
        })?;
    }
    Ok(())
}

fn conversation(messages: &[Value]) -> Checked {
    ensure(!messages.is_empty(), || {
        "messages: at least one message is required".to_owned()
    })?;
    let mut used = BTreeSet::new();
    // Calls of the message before, which this one must answer.
    let mut open: BTreeSet<String> = BTreeSet::new();
    for (at, message) in messages.iter().enumerate() {
        let place = format!("messages.{at}");
        known_fields(message, &["role", "content"], &format!("{place}."))?;
        let expected = if at % 2 == 0 { "user" } else { "assistant" };
        ensure(message["role"] == expected, || {
            format!("{place}: roles must alternate, expected {expected}")
        })?;
        let content = list(&message["content"], &format!("{place}.content"))?;
        ensure(!content.is_empty(), || format!("{place}: content is empty"))?;
        open = match expected {
            "user" => question(&place, content, open)?,
            _ => answer(&place, content, &mut used)?,
        };
    }
    ensure(messages.len() % 2 == 1, || {
        "messages: this model does not support assistant message prefill".to_owned()
    })
}

fn question(
    place: &str,
    content: &[Value],
    mut open: BTreeSet<String>,
) -> Result<BTreeSet<String>, String> {
    let mut other_seen = false;
    for block in content {
        match block["type"].as_str() {
            Some("tool_result") => {
                ensure(!other_seen, || {
                    format!("{place}: tool_result blocks must come first")
                })?;
                let id = text(&block["tool_use_id"], "tool_use_id")?;
                ensure(open.remove(id), || {
                    format!("{place}: unexpected tool_use_id {id:?} in a tool_result block")
                })?;
                for part in block["content"].as_array().into_iter().flatten() {
                    piece(place, part)?;
                }
            }
            _ => {
                other_seen = true;
                piece(place, block)?;
            }
        }
    }
    ensure(open.is_empty(), || {
        format!(
            "{place}: `tool_use` ids were found without `tool_result` blocks immediately after: {open:?}"
        )
    })?;
    Ok(open)
}

fn piece(place: &str, block: &Value) -> Checked {
    match block["type"].as_str() {
        Some("text") => {
            let text = block["text"].as_str().unwrap_or_default();
            ensure(!text.trim().is_empty(), || {
                format!("{place}: text content blocks must be non-empty")
            })
        }
        Some("image") => {
            let source = &block["source"];
            let kind = source["media_type"].as_str().unwrap_or_default();
            ensure(source["type"] == "base64" && IMAGES.contains(&kind), || {
                format!("{place}: invalid image {}", short(source))
            })?;
            text(&source["data"], "image data").map(drop)
        }
        _ => Err(format!("{place}: unexpected block {}", short(block))),
    }
}

fn answer(
    place: &str,
    content: &[Value],
    used: &mut BTreeSet<String>,
) -> Result<BTreeSet<String>, String> {
    let mut open = BTreeSet::new();
    for block in content {
        match block["type"].as_str() {
            Some("text") => piece(place, block)?,
            Some("tool_use") => {
                safe_name(&block["name"], "tool_use.name")?;
                safe_name(&block["id"], "tool_use.id")?;
                let id = text(&block["id"], "tool_use.id")?;
                ensure(used.insert(id.to_owned()), || {
                    format!("{place}: `tool_use` ids must be unique")
                })?;
                ensure(block["input"].is_object(), || {
                    format!("{place}: tool_use.input must be an object")
                })?;
                open.insert(id.to_owned());
            }
            Some("thinking") => {
                ensure(block["thinking"].is_string(), || {
                    format!("{place}: thinking has no text")
                })?;
                text(&block["signature"], "thinking.signature")?;
            }
            Some("redacted_thinking") => drop(text(&block["data"], "redacted_thinking.data")?),
            Some(_) => (),
            None => return Err(format!("{place}: a block has no type")),
        }
    }
    Ok(open)
}

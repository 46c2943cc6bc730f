//! What Ollama and Venice refuse, or silently get wrong.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{Checked, arguments, data_url, ensure, known_fields, list, safe_name, text, tools};
use crate::model::{Dialect, given, short};

const FIELDS: &[&str] = &[
    "model",
    "messages",
    "stream",
    "stream_options",
    "max_tokens",
    "seed",
    "stop",
    "temperature",
    "top_p",
    "response_format",
    "tools",
    "tool_choice",
    "parallel_tool_calls",
    "reasoning_effort",
    "prompt_cache_key",
    "venice_parameters",
];
const LOCAL_IMAGES: &[&str] = &["image/jpeg", "image/png", "image/webp"];
const IMAGES: &[&str] = &["image/jpeg", "image/png", "image/webp", "image/gif"];

pub(super) fn check(dialect: Dialect, body: &Value) -> Checked {
    known_fields(body, FIELDS, "")?;
    if dialect == Dialect::Ollama {
        for ignored in [
            "tool_choice",
            "parallel_tool_calls",
            "prompt_cache_key",
            "venice_parameters",
        ] {
            ensure(!given(&body[ignored]), || {
                format!("{ignored} would be ignored without a word")
            })?;
        }
    }
    let empty = Vec::new();
    let offered = body["tools"].as_array().unwrap_or(&empty);
    let pairs: Vec<(&Value, &Value)> = offered
        .iter()
        .map(|tool| (&tool["function"]["name"], &tool["function"]["parameters"]))
        .collect();
    tools(&pairs)?;
    let mut open: BTreeSet<String> = BTreeSet::new();
    let mut used = BTreeSet::new();
    for (at, message) in list(&body["messages"], "messages")?.iter().enumerate() {
        let place = format!("messages[{at}]");
        let role = message["role"].as_str().unwrap_or_default();
        if role != "tool" {
            ensure(open.is_empty(), || {
                format!("{place}: calls without a result: {open:?}")
            })?;
        }
        match role {
            "system" => {
                ensure(at == 0, || {
                    format!("{place}: the system message must be first")
                })?;
                text(&message["content"], "system content")?;
            }
            "user" => question(dialect, &place, &message["content"])?,
            "assistant" => answer(&place, message, &mut open, &mut used)?,
            "tool" => {
                let id = text(&message["tool_call_id"], "tool_call_id")?;
                ensure(open.remove(id), || {
                    format!("{place}: tool_call_id {id:?} answers no call")
                })?;
                ensure(message["content"].is_string(), || {
                    format!("{place}: a list as content would lose the call's id")
                })?;
            }
            _ => return Err(format!("{place}: unexpected role {}", message["role"])),
        }
    }
    ensure(open.is_empty(), || {
        format!("calls without a result: {open:?}")
    })
}

fn question(dialect: Dialect, place: &str, content: &Value) -> Checked {
    let Value::Array(parts) = content else {
        return text(content, &format!("{place}.content")).map(drop);
    };
    for part in parts {
        match part["type"].as_str() {
            Some("text") => drop(text(&part["text"], "text")?),
            Some("image_url") if dialect == Dialect::Ollama => {
                data_url(&part["image_url"]["url"], LOCAL_IMAGES)?
            }
            Some("image_url") => data_url(&part["image_url"]["url"], IMAGES)?,
            _ => return Err(format!("{place}: unexpected part {}", short(part))),
        }
    }
    Ok(())
}

fn answer(
    place: &str,
    message: &Value,
    open: &mut BTreeSet<String>,
    used: &mut BTreeSet<String>,
) -> Checked {
    let calls = message["tool_calls"]
        .as_array()
        .map(Vec::as_slice)
        .unwrap_or_default();
    let silent = message["content"].as_str().unwrap_or_default().is_empty();
    ensure(!(silent && calls.is_empty()), || {
        format!("{place}: an answer that says nothing")
    })?;
    for call in calls {
        ensure(call["type"] == "function", || {
            format!("{place}: unexpected call {}", short(call))
        })?;
        safe_name(&call["function"]["name"], "tool_calls.name")?;
        arguments(&call["function"]["arguments"])?;
        let id = text(&call["id"], "tool_calls.id")?;
        ensure(used.insert(id.to_owned()), || {
            format!("{place}: duplicate call id {id:?}")
        })?;
        open.insert(id.to_owned());
    }
    Ok(())
}

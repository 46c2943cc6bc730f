//! What OpenAI and OpenRouter refuse.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{
    Checked, absent, arguments, data_url, ensure, known_fields, list, safe_name, text, tools,
};
use crate::model::{Dialect, short};

const FIELDS: &[&str] = &[
    "model",
    "instructions",
    "input",
    "store",
    "include",
    "tools",
    "tool_choice",
    "parallel_tool_calls",
    "reasoning",
    "text",
    "max_output_tokens",
    "temperature",
    "top_p",
    "stream",
    "stream_options",
    "prompt_cache_key",
    "service_tier",
    "metadata",
];
const IMAGES: &[&str] = &["image/jpeg", "image/png", "image/gif", "image/webp"];

pub(super) fn check(dialect: Dialect, body: &Value) -> Checked {
    known_fields(body, FIELDS, "")?;
    ensure(body["store"] == false, || {
        "store must be false: nothing may stay there".to_owned()
    })?;
    absent(
        &body["previous_response_id"],
        "previous_response_id is not supported",
    )?;
    let empty = Vec::new();
    let offered = body["tools"].as_array().unwrap_or(&empty);
    for tool in offered {
        ensure(tool["type"] == "function", || {
            format!("tools: unexpected {}", short(tool))
        })?;
        ensure(tool["strict"].is_boolean(), || {
            "tools.strict must be said".to_owned()
        })?;
    }
    let pairs: Vec<(&Value, &Value)> = offered
        .iter()
        .map(|tool| (&tool["name"], &tool["parameters"]))
        .collect();
    tools(&pairs)?;
    items(dialect, list(&body["input"], "input")?)
}

fn items(dialect: Dialect, items: &[Value]) -> Checked {
    ensure(!items.is_empty(), || "input is empty".to_owned())?;
    let (mut called, mut answered, mut ids) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    for (at, item) in items.iter().enumerate() {
        let place = format!("input[{at}]");
        match item["type"].as_str() {
            Some("message") => message(dialect, &place, item, &mut ids)?,
            Some("function_call") => {
                safe_name(&item["name"], "function_call.name")?;
                safe_name(&item["call_id"], "function_call.call_id")?;
                arguments(&item["arguments"])?;
                let id = item["call_id"].to_string();
                ensure(called.insert(id), || format!("{place}: duplicate call_id"))?;
            }
            Some("function_call_output") => {
                let id = item["call_id"].to_string();
                ensure(called.contains(&id), || {
                    format!("{place}: no tool call found for function call output {id}")
                })?;
                ensure(answered.insert(id), || {
                    format!("{place}: a second output for the same call")
                })?;
                output(&place, &item["output"])?;
            }
            Some("reasoning") => {
                ensure(item["id"].is_null(), || {
                    format!(
                        "{place}: item with id {} not found, nothing is stored",
                        item["id"]
                    )
                })?;
                text(&item["encrypted_content"], "reasoning.encrypted_content")?;
                ensure(item["summary"].is_array(), || {
                    format!("{place}: reasoning.summary is required")
                })?;
                let next = items.get(at + 1).and_then(|next| next["type"].as_str());
                let led = matches!(next, Some("function_call" | "reasoning"))
                    || (next == Some("message") && items[at + 1]["role"] == "assistant");
                ensure(led, || {
                    format!("{place}: 'reasoning' was provided without its required following item")
                })?;
            }
            Some(_) => (),
            None => return Err(format!("{place}: an item has no type")),
        }
    }
    ensure(called == answered, || {
        "no tool output found for a function call".to_owned()
    })
}

fn message(dialect: Dialect, place: &str, item: &Value, ids: &mut BTreeSet<String>) -> Checked {
    let own = item["role"] == "assistant";
    let parts = list(&item["content"], &format!("{place}.content"))?;
    ensure(!parts.is_empty(), || format!("{place}: content is empty"))?;
    if own && dialect == Dialect::OpenRouter {
        let id = text(&item["id"], "message.id")?;
        ensure(ids.insert(id.to_owned()), || {
            format!("{place}: message ids must differ")
        })?;
        ensure(item["status"] == "completed", || {
            format!("{place}: message.status must be completed")
        })?;
    }
    for part in parts {
        match (own, part["type"].as_str()) {
            (true, Some("output_text")) => {
                text(&part["text"], "output_text.text")?;
                ensure(part["annotations"].is_array(), || {
                    format!("{place}: annotations are required")
                })?;
            }
            (false, _) => input_part(place, part)?,
            _ => return Err(format!("{place}: unexpected part {}", short(part))),
        }
    }
    Ok(())
}

fn input_part(place: &str, part: &Value) -> Checked {
    match part["type"].as_str() {
        Some("input_text") => text(&part["text"], "input_text.text").map(drop),
        Some("input_image") => data_url(&part["image_url"], IMAGES),
        _ => Err(format!("{place}: unexpected part {}", short(part))),
    }
}

fn output(place: &str, output: &Value) -> Checked {
    match output {
        Value::String(_) => Ok(()),
        Value::Array(parts) => parts.iter().try_for_each(|part| input_part(place, part)),
        other => Err(format!("{place}: unexpected output {}", short(other))),
    }
}

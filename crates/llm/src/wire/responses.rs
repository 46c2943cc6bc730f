//! OpenAI's Responses API: encodes requests. Nothing is stored at the provider, so every request contains the whole conversation.

use serde_json::{Map, Value, json};

use super::{Quirks, pictures};
use crate::capability::{Sampling, Thinking};
use crate::message::{Block, Echo, Format, Message, Role, ToolResult};
use crate::request::{Effort, ModelRequest, ToolChoice, ToolSpec};
use crate::schema;
use sitewright_tool::WireNames;

pub(super) fn body(request: &ModelRequest<'_>, quirks: &Quirks, names: &WireNames) -> Value {
    let settings = request.settings;
    let rules = settings.capabilities.rules;
    let mut body = json!({
        "model": settings.model,
        "input": items(request, quirks, names),
        "max_output_tokens": settings.max_output_tokens,
        "store": false,
        "stream": true,
    });
    let instructions = request.system.joined();
    if !instructions.is_empty() {
        body["instructions"] = json!(instructions);
    }
    if !request.tools.is_empty() {
        body["parallel_tool_calls"] = json!(settings.parallel_calls);
        if let Some(choice) = tool_choice(request, names) {
            body["tool_choice"] = choice;
        }
    }
    if rules.thinking != Thinking::None {
        body["include"] = json!(["reasoning.encrypted_content"]);
        if quirks.reasoning_summary {
            body["reasoning"]["summary"] = json!("auto");
        }
        if let Some(effort) = settings.effort {
            body["reasoning"]["effort"] = json!(effort_name(effort, rules.thinking));
        }
    }
    let samples = match rules.sampling {
        Sampling::Accepted => true,
        Sampling::WithoutReasoning => settings.effort == Some(Effort::Off),
        Sampling::Refused => false,
    };
    if let Some(temperature) = settings.temperature.filter(|_| samples) {
        body["temperature"] = json!(temperature);
    }
    if let Some(key) = settings.cache_key.as_ref().filter(|_| quirks.cache_key) {
        body["prompt_cache_key"] = json!(key);
    }
    body
}

fn effort_name(effort: Effort, thinking: Thinking) -> &'static str {
    match effort {
        Effort::Off if thinking == Thinking::Always => "low",
        Effort::Off => "none",
        Effort::Low => "low",
        Effort::Medium => "medium",
        Effort::High => "high",
        Effort::XHigh => "xhigh",
        Effort::Max => "max",
    }
}

/// Encodes the tools, sorted by name, so that the same tools always give the same bytes. `strict` is off, because schemas of third-party
/// tools need not meet its requirements.
pub(super) fn tools(specs: &[ToolSpec], names: &WireNames) -> Value {
    let mut tools: Vec<(String, Value)> = specs
        .iter()
        .map(|tool| {
            let name = names.wire(&tool.name);
            let value = json!({
                "type": "function",
                "name": name,
                "description": tool.description,
                "parameters": schema::for_wire(&tool.input_schema),
                "strict": false,
            });
            (name, value)
        })
        .collect();
    tools.sort_by(|one, other| one.0.cmp(&other.0));
    tools.into_iter().map(|(_, tool)| tool).collect()
}

fn tool_choice(request: &ModelRequest<'_>, names: &WireNames) -> Option<Value> {
    let may_force = request.settings.capabilities.rules.forced_tool_choice;
    match &request.settings.tool_choice {
        ToolChoice::None => Some(json!("none")),
        ToolChoice::Any if may_force => Some(json!("required")),
        ToolChoice::Tool(name) if may_force => {
            Some(json!({ "type": "function", "name": names.wire(name) }))
        }
        ToolChoice::Auto | ToolChoice::Any | ToolChoice::Tool(_) => None,
    }
}

fn items(request: &ModelRequest<'_>, quirks: &Quirks, names: &WireNames) -> Vec<Value> {
    let mut items = Vec::new();
    for (number, message) in request.messages.iter().enumerate() {
        match message.role {
            Role::Assistant => {
                let own = answer(message, request, names);
                items.extend(own.into_iter().enumerate().map(|(part, mut item)| {
                    if quirks.message_ids && item["type"] == "message" {
                        item["id"] = json!(format!("msg_{number}_{part}"));
                    }
                    item
                }));
            }
            Role::User => items.extend(question(message, request, quirks)),
            Role::Tool => {
                let results = message.content.iter().filter_map(|block| match block {
                    Block::ToolResult(result) => Some(output(result, request, quirks)),
                    _ => None,
                });
                items.extend(results);
            }
        }
    }
    items
}

fn answer(message: &Message, request: &ModelRequest<'_>, names: &WireNames) -> Vec<Value> {
    let mut items: Vec<Value> = Vec::new();
    for block in &message.content {
        let item = match block {
            Block::Text { text, .. } if text.is_empty() => continue,
            Block::Text { text, echo } => {
                let mut fields = echoed(echo.as_ref(), request).unwrap_or_default();
                let part = json!({ "type": "output_text", "text": text, "annotations": [] });
                fields.insert("type".to_owned(), json!("message"));
                fields.insert("role".to_owned(), json!("assistant"));
                fields.insert("status".to_owned(), json!("completed"));
                fields.insert("content".to_owned(), json!([part]));
                Value::Object(fields)
            }
            Block::ToolCall(call) => json!({
                "type": "function_call",
                "call_id": call.tool_call_id,
                "name": names.wire(&call.tool_name),
                "arguments": call.input.to_string(),
            }),
            Block::Reasoning(echo) => match echoed(Some(echo), request) {
                Some(fields) => Value::Object(fields),
                None => continue,
            },
            Block::Image(_) | Block::ToolResult(_) => continue,
        };
        items.push(item);
    }
    drop_widowed_reasoning(items)
}

fn is_reasoning(item: &Value) -> bool {
    item["type"] == "reasoning"
}

/// Drops reasoning items at the end. The provider refuses a reasoning item that is not followed by the item it led to.
fn drop_widowed_reasoning(items: Vec<Value>) -> Vec<Value> {
    let mut kept: Vec<Value> = Vec::with_capacity(items.len());
    for item in items.into_iter().rev() {
        let led_to_something = kept.last().is_some();
        if !is_reasoning(&item) || led_to_something {
            kept.push(item);
        }
    }
    kept.reverse();
    kept
}

fn echoed(echo: Option<&Echo>, request: &ModelRequest<'_>) -> Option<Map<String, Value>> {
    let fields = echo?.fields_for(Format::Responses, &request.settings.model);
    fields.cloned()
}

fn question(message: &Message, request: &ModelRequest<'_>, quirks: &Quirks) -> Option<Value> {
    let mut parts = Vec::new();
    for block in &message.content {
        match block {
            Block::Text { text, .. } if !text.is_empty() => parts.push(text_part(text)),
            Block::Image(picture) => {
                let (shown, note) = pictures::split(std::slice::from_ref(picture), request, quirks);
                parts.extend(
                    shown
                        .into_iter()
                        .map(|image| image_part(&pictures::data_url(image))),
                );
                parts.extend(note.as_deref().map(text_part));
            }
            _ => (),
        }
    }
    (!parts.is_empty()).then(|| json!({ "type": "message", "role": "user", "content": parts }))
}

/// Encodes a tool's result. The format has no flag for failures; the text says it.
fn output(result: &ToolResult, request: &ModelRequest<'_>, quirks: &Quirks) -> Value {
    let (shown, note) = pictures::split(&result.images, request, quirks);
    let text = pictures::with_note(result.model_text(), note);
    let output = if shown.is_empty() {
        json!(text)
    } else {
        let mut parts = vec![text_part(&text)];
        parts.extend(
            shown
                .into_iter()
                .map(|image| image_part(&pictures::data_url(image))),
        );
        Value::Array(parts)
    };
    json!({ "type": "function_call_output", "call_id": result.tool_call_id, "output": output })
}

fn text_part(text: &str) -> Value {
    json!({ "type": "input_text", "text": text })
}

fn image_part(url: &str) -> Value {
    json!({ "type": "input_image", "image_url": url, "detail": "auto" })
}

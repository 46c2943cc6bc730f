//! The Chat Completions API: encodes requests.

use serde_json::{Value, json};
use sitewright_tool::Image;

use super::{Quirks, pictures};
use crate::capability::Sampling;
use crate::message::{Block, Format, Message, Role, ToolResult};
use crate::request::{Effort, ModelRequest, ToolChoice, ToolSpec};
use crate::schema;
use sitewright_tool::WireNames;

pub(super) fn body(request: &ModelRequest<'_>, quirks: &Quirks, names: &WireNames) -> Value {
    let settings = request.settings;
    let mut body = json!({
        "model": settings.model,
        "messages": conversation(request, quirks, names),
        "max_tokens": settings.max_output_tokens,
        "stream": true,
        "stream_options": { "include_usage": true },
    });
    if quirks.tool_choice && !request.tools.is_empty() {
        if let Some(choice) = tool_choice(request, names) {
            body["tool_choice"] = choice;
        }
        if !settings.parallel_calls {
            body["parallel_tool_calls"] = json!(false);
        }
    }
    // Servers refuse this field for models that cannot think, so it is only sent if an effort is set explicitly.
    if let Some(effort) = settings.effort {
        body["reasoning_effort"] = json!(effort_name(effort));
    }
    let samples = settings.capabilities.rules.sampling == Sampling::Accepted;
    if let Some(temperature) = settings.temperature.filter(|_| samples) {
        body["temperature"] = json!(temperature);
    }
    if let Some(key) = settings.cache_key.as_ref().filter(|_| quirks.cache_key) {
        body["prompt_cache_key"] = json!(key);
    }
    body
}

fn effort_name(effort: Effort) -> &'static str {
    match effort {
        Effort::Off => "none",
        Effort::Low => "low",
        Effort::Medium => "medium",
        Effort::High | Effort::XHigh | Effort::Max => "high",
    }
}

/// Encodes the tools, sorted by name, so that the same tools always give the same bytes.
pub(super) fn tools(specs: &[ToolSpec], names: &WireNames) -> Value {
    let mut tools: Vec<(String, Value)> = specs
        .iter()
        .map(|tool| {
            let name = names.wire(&tool.name);
            let function = json!({
                "name": name,
                "description": tool.description,
                "parameters": schema::for_wire(&tool.input_schema),
            });
            (name, json!({ "type": "function", "function": function }))
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
            Some(json!({ "type": "function", "function": { "name": names.wire(name) } }))
        }
        ToolChoice::Auto | ToolChoice::Any | ToolChoice::Tool(_) => None,
    }
}

fn conversation(request: &ModelRequest<'_>, quirks: &Quirks, names: &WireNames) -> Vec<Value> {
    let mut messages = Vec::new();
    let system = request.system.joined();
    if !system.is_empty() {
        messages.push(json!({ "role": "system", "content": system }));
    }
    for message in request.messages {
        match message.role {
            Role::User => messages.extend(question(message, request, quirks)),
            Role::Assistant => messages.extend(answer(message, request, quirks, names)),
            Role::Tool => messages.extend(results(message, request, quirks)),
        }
    }
    messages
}

/// Encodes a user message. Text alone is sent as a string, because some servers do not support a list of parts.
fn question(message: &Message, request: &ModelRequest<'_>, quirks: &Quirks) -> Option<Value> {
    let mut texts = Vec::new();
    let mut images = Vec::new();
    for block in &message.content {
        match block {
            Block::Text { text, .. } if !text.is_empty() => texts.push(text.clone()),
            Block::Image(picture) => {
                let (shown, note) = pictures::split(std::slice::from_ref(picture), request, quirks);
                images.extend(shown);
                texts.extend(note);
            }
            _ => (),
        }
    }
    user(&texts.join("\n\n"), &images)
}

fn user(text: &str, images: &[&Image]) -> Option<Value> {
    if images.is_empty() {
        return (!text.is_empty()).then(|| json!({ "role": "user", "content": text }));
    }
    let mut parts = Vec::new();
    if !text.is_empty() {
        parts.push(json!({ "type": "text", "text": text }));
    }
    let part = |image: &&Image| json!({ "type": "image_url", "image_url": { "url": pictures::data_url(image) } });
    parts.extend(images.iter().map(part));
    Some(json!({ "role": "user", "content": parts }))
}

fn answer(
    message: &Message,
    request: &ModelRequest<'_>,
    quirks: &Quirks,
    names: &WireNames,
) -> Option<Value> {
    let mut text = String::new();
    let mut calls = Vec::new();
    let mut reasoning = String::new();
    for block in &message.content {
        match block {
            Block::Text { text: more, .. } => text.push_str(more),
            Block::ToolCall(call) => calls.push(json!({
                "id": call.tool_call_id,
                "type": "function",
                "function": { "name": names.wire(&call.tool_name), "arguments": call.input.to_string() },
            })),
            Block::Reasoning(echo) => {
                let fields = echo.fields_for(Format::Chat, &request.settings.model);
                let own = fields.and_then(|fields| fields.get(quirks.reasoning_field?)?.as_str());
                reasoning.push_str(own.unwrap_or_default());
            }
            Block::Image(_) | Block::ToolResult(_) => (),
        }
    }
    if text.is_empty() && calls.is_empty() {
        return None;
    }
    let mut message = json!({ "role": "assistant", "content": text });
    if !calls.is_empty() {
        message["tool_calls"] = Value::Array(calls);
    }
    if let Some(field) = quirks.reasoning_field.filter(|_| !reasoning.is_empty()) {
        message[field] = json!(reasoning);
    }
    Some(message)
}

/// Encodes tool results. They are plain text in this format, so their pictures follow in a user message.
fn results(message: &Message, request: &ModelRequest<'_>, quirks: &Quirks) -> Vec<Value> {
    let mut messages = Vec::new();
    let mut images = Vec::new();
    let mut tools: Vec<&str> = Vec::new();
    for block in &message.content {
        let Block::ToolResult(result) = block else {
            continue;
        };
        let ToolResult {
            tool_call_id,
            tool_name,
            ..
        } = result;
        let (shown, note) = pictures::split(&result.images, request, quirks);
        if !shown.is_empty() && !tools.contains(&tool_name.as_str()) {
            tools.push(tool_name);
        }
        images.extend(shown);
        let content = pictures::with_note(result.model_text(), note);
        messages.push(json!({ "role": "tool", "tool_call_id": tool_call_id, "content": content }));
    }
    if !images.is_empty() {
        let caption = format!("[Pictures from {}]", tools.join(", "));
        messages.extend(user(&caption, &images));
    }
    messages
}

//! Anthropic's Messages API: encodes requests.

use serde_json::{Map, Value, json};
use sitewright_tool::Image;

use super::{Quirks, pictures};
use crate::capability::{Sampling, Thinking};
use crate::message::{Block, Echo, Format, Message, Role, ToolResult};
use crate::request::{Effort, ModelRequest, ToolChoice, ToolSpec};
use crate::schema;
use sitewright_tool::WireNames;

pub(super) fn body(request: &ModelRequest<'_>, quirks: &Quirks, names: &WireNames) -> Value {
    let settings = request.settings;
    let mut body = json!({
        "model": settings.model,
        "max_tokens": settings.max_output_tokens,
        "stream": true,
        "messages": conversation(request, quirks, names),
    });
    let system = system(request);
    if !system.is_empty() {
        body["system"] = Value::Array(system);
    }
    if !request.tools.is_empty()
        && let Some(choice) = tool_choice(request, names)
    {
        body["tool_choice"] = choice;
    }
    let (thinking, effort) = thinking(request);
    if let Some(temperature) = settings.temperature
        && settings.capabilities.rules.sampling == Sampling::Accepted
        && thinking.is_none()
    {
        body["temperature"] = json!(temperature);
    }
    if let Some(thinking) = thinking {
        body["thinking"] = thinking;
    }
    if let Some(effort) = effort {
        body["output_config"] = json!({ "effort": effort });
    }
    body
}

/// Marks the static part for caching. That includes the tools, which come before it. The dynamic part stays uncached.
fn system(request: &ModelRequest<'_>) -> Vec<Value> {
    let [prefix, _, suffix] = request.system.parts();
    let mut blocks = Vec::new();
    if !prefix.is_empty() {
        blocks.push(
            json!({ "type": "text", "text": prefix, "cache_control": { "type": "ephemeral" } }),
        );
    }
    if !suffix.is_empty() {
        blocks.push(json!({ "type": "text", "text": suffix }));
    }
    blocks
}

/// Encodes the tools, sorted by name, so that the same tools always give the same bytes.
pub(super) fn tools(specs: &[ToolSpec], names: &WireNames) -> Value {
    let mut tools: Vec<(String, Value)> = specs
        .iter()
        .map(|tool| {
            let name = names.wire(&tool.name);
            let schema = schema::for_wire(&tool.input_schema);
            let value =
                json!({ "name": name, "description": tool.description, "input_schema": schema });
            (name, value)
        })
        .collect();
    tools.sort_by(|one, other| one.0.cmp(&other.0));
    tools.into_iter().map(|(_, tool)| tool).collect()
}

fn tool_choice(request: &ModelRequest<'_>, names: &WireNames) -> Option<Value> {
    let settings = request.settings;
    let rules = settings.capabilities.rules;
    let budget = rules.thinking == Thinking::Budget
        && settings.effort.is_some_and(|effort| effort != Effort::Off);
    let may_force = rules.forced_tool_choice && !budget;
    let mut choice = match &settings.tool_choice {
        ToolChoice::Any if may_force => json!({ "type": "any" }),
        ToolChoice::Tool(name) if may_force => json!({ "type": "tool", "name": names.wire(name) }),
        ToolChoice::None => return Some(json!({ "type": "none" })),
        ToolChoice::Auto | ToolChoice::Any | ToolChoice::Tool(_) => json!({ "type": "auto" }),
    };
    if !settings.parallel_calls {
        choice["disable_parallel_tool_use"] = json!(true);
    } else if choice["type"] == "auto" {
        return None;
    }
    Some(choice)
}

/// The fields `thinking` and `output_config.effort`, in the form that the model accepts.
fn thinking(request: &ModelRequest<'_>) -> (Option<Value>, Option<&'static str>) {
    let settings = request.settings;
    let rules = settings.capabilities.rules;
    let adaptive = json!({ "type": "adaptive", "display": "summarized" });
    let level = |effort| match effort {
        Effort::Off | Effort::Low => "low",
        Effort::Medium => "medium",
        Effort::High => "high",
        Effort::XHigh if rules.effort_xhigh => "xhigh",
        Effort::XHigh => "high",
        Effort::Max => "max",
    };
    match (rules.thinking, settings.effort) {
        (Thinking::None, _)
        | (Thinking::OnRequest | Thinking::Budget, None | Some(Effort::Off)) => (None, None),
        (Thinking::Budget, Some(effort)) => (budget(effort, settings.max_output_tokens), None),
        (Thinking::ByDefault | Thinking::Always, None) => (Some(adaptive), None),
        (Thinking::ByDefault, Some(Effort::Off)) => (Some(json!({ "type": "disabled" })), None),
        // Turning thinking off is an error for these models; low effort comes closest.
        (Thinking::Always, Some(Effort::Off)) => (Some(adaptive), Some("low")),
        (_, Some(effort)) => (Some(adaptive), Some(level(effort))),
    }
}

/// A token budget for thinking. It is at least 1024, which the API requires, and at most half the output, to leave room for an answer.
fn budget(effort: Effort, max_output_tokens: u32) -> Option<Value> {
    let wanted = match effort {
        Effort::Off | Effort::Low => 2_048,
        Effort::Medium => 8_192,
        Effort::High => 16_384,
        Effort::XHigh | Effort::Max => 32_000,
    };
    let tokens = wanted.min(max_output_tokens / 2);
    (tokens >= 1024).then(|| json!({ "type": "enabled", "budget_tokens": tokens }))
}

/// Encodes strictly alternating messages: everything between two answers of the model becomes one user message.
fn conversation(request: &ModelRequest<'_>, quirks: &Quirks, names: &WireNames) -> Value {
    let mut turns: Vec<(&'static str, Vec<Value>)> = Vec::new();
    for message in request.messages {
        let (role, mut content) = match message.role {
            Role::Assistant => ("assistant", answer(message, request, names)),
            Role::User | Role::Tool => ("user", question(message, request, quirks)),
        };
        if content.is_empty() {
            continue;
        }
        match turns.last_mut() {
            Some((last, blocks)) if *last == role => blocks.append(&mut content),
            _ => turns.push((role, content)),
        }
    }
    for (role, blocks) in &mut turns {
        if *role == "user" {
            // Results must come before any text. The sort is stable, so the rest keeps its order.
            blocks.sort_by_key(|block| block["type"] != "tool_result");
        }
    }
    turns
        .into_iter()
        .map(|(role, content)| json!({ "role": role, "content": content }))
        .collect()
}

fn answer(message: &Message, request: &ModelRequest<'_>, names: &WireNames) -> Vec<Value> {
    let echoed = |echo: &Echo| {
        let fields = echo.fields_for(Format::Messages, &request.settings.model);
        fields.cloned()
    };
    let extra = |echo: &Option<Echo>| -> Map<String, Value> {
        echo.as_ref().and_then(echoed).unwrap_or_default()
    };
    let block = |block: &Block| match block {
        Block::Text { text, .. } if text.trim().is_empty() => None,
        Block::Text { text, echo } => {
            let mut fields = extra(echo);
            fields.insert("type".to_owned(), json!("text"));
            fields.insert("text".to_owned(), json!(text));
            Some(Value::Object(fields))
        }
        Block::ToolCall(call) => {
            let mut fields = extra(&call.echo);
            fields.insert("type".to_owned(), json!("tool_use"));
            fields.insert("id".to_owned(), json!(call.tool_call_id));
            fields.insert("name".to_owned(), json!(names.wire(&call.tool_name)));
            fields.insert("input".to_owned(), call.input.clone());
            Some(Value::Object(fields))
        }
        Block::Reasoning(echo) => echoed(echo).map(Value::Object),
        Block::Image(_) | Block::ToolResult(_) => None,
    };
    message.content.iter().filter_map(block).collect()
}

fn question(message: &Message, request: &ModelRequest<'_>, quirks: &Quirks) -> Vec<Value> {
    let mut blocks = Vec::new();
    for block in &message.content {
        match block {
            Block::Text { text, .. } if !text.trim().is_empty() => blocks.push(text_block(text)),
            Block::Image(picture) => {
                let (shown, note) = pictures::split(std::slice::from_ref(picture), request, quirks);
                blocks.extend(shown.into_iter().map(image_block));
                blocks.extend(note.as_deref().map(text_block));
            }
            Block::ToolResult(result) => blocks.push(result_block(result, request, quirks)),
            Block::Text { .. } | Block::ToolCall(_) | Block::Reasoning(_) => (),
        }
    }
    blocks
}

fn result_block(result: &ToolResult, request: &ModelRequest<'_>, quirks: &Quirks) -> Value {
    let (shown, note) = pictures::split(&result.images, request, quirks);
    let mut content = vec![text_block(&pictures::with_note(result.model_text(), note))];
    content.extend(shown.into_iter().map(image_block));
    let mut block = json!({
        "type": "tool_result",
        "tool_use_id": result.tool_call_id,
        "content": content,
    });
    if !result.ok {
        block["is_error"] = json!(true);
    }
    block
}

fn text_block(text: &str) -> Value {
    json!({ "type": "text", "text": text })
}

fn image_block(image: &Image) -> Value {
    let source = json!({ "type": "base64", "media_type": image.mime_type, "data": image.data });
    json!({ "type": "image", "source": source })
}

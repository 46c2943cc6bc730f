//! Chat completions as Ollama and Venice stream them.

use serde_json::{Value, json};

use super::{model, pieces};
use crate::model::Dialect;
use crate::model::fault::Frame;
use crate::model::scenario::{Block, ModelReply, Usage};

pub(super) fn frames(
    dialect: Dialect,
    request: &Value,
    reply: &ModelReply,
    number: usize,
) -> Vec<Frame> {
    let chunk = |choices: Value| {
        let mut chunk = json!({
            "id": format!("chatcmpl-{number}"), "object": "chat.completion.chunk", "created": 1_790_000_000,
            "model": model(request), "choices": choices,
        });
        if dialect == Dialect::Ollama {
            chunk["system_fingerprint"] = json!("fp_ollama");
        }
        chunk
    };
    let choice = |delta: Value, finish: Value| json!([{ "index": 0, "delta": delta, "finish_reason": finish }]);
    let mut events = vec![chunk(choice(
        json!({ "role": "assistant", "content": "" }),
        Value::Null,
    ))];
    for delta in deltas(dialect, reply) {
        events.push(chunk(choice(delta, Value::Null)));
    }
    let finish = match reply.stop() {
        "toolCalls" => "tool_calls",
        "length" | "contextFull" => "length",
        "refusal" => "content_filter",
        _ => "stop",
    };
    events.push(chunk(choice(json!({}), json!(finish))));
    if request["stream_options"]["include_usage"] == true {
        let mut last = chunk(json!([]));
        last["usage"] = usage(dialect, reply.usage);
        events.push(last);
    }
    let frame = |data: String| Frame { name: None, data };
    let mut frames: Vec<Frame> = events
        .into_iter()
        .map(|event| frame(event.to_string()))
        .collect();
    frames.push(frame("[DONE]".to_owned()));
    frames
}

fn deltas(dialect: Dialect, reply: &ModelReply) -> Vec<Value> {
    let size = reply.faults.piece_chars;
    let mut deltas = Vec::new();
    let mut calls = 0;
    for block in &reply.blocks {
        match block {
            Block::Text(text) => deltas.extend(
                pieces(text, size)
                    .into_iter()
                    .map(|piece| json!({ "content": piece })),
            ),
            Block::Refusal(text) => deltas.push(json!({ "refusal": text })),
            Block::Reasoning { text, .. } => {
                let field = match dialect {
                    Dialect::Ollama => "reasoning",
                    _ => "reasoning_content",
                };
                deltas.extend(
                    pieces(text, size)
                        .into_iter()
                        .map(|piece| json!({ "content": "", field: piece })),
                );
            }
            Block::ToolCall(call) => {
                let whole = |arguments: &str| {
                    json!({ "index": calls, "id": call.id, "type": "function",
                            "function": { "name": call.name, "arguments": arguments } })
                };
                // A local server sends a call whole, the others in fragments.
                if dialect == Dialect::Ollama {
                    deltas.push(json!({ "content": "", "tool_calls": [whole(&call.text())] }));
                } else {
                    deltas.push(json!({ "tool_calls": [whole("")] }));
                    for piece in pieces(&call.text(), size) {
                        deltas.push(json!({ "tool_calls": [{ "index": calls, "function": { "arguments": piece } }] }));
                    }
                }
                calls += 1;
            }
            Block::Raw(raw) => deltas.push(raw.clone()),
        }
    }
    deltas
}

fn usage(dialect: Dialect, usage: Usage) -> Value {
    let Usage {
        input,
        cache_read,
        output,
        reasoning,
        ..
    } = usage;
    let mut value = json!({ "prompt_tokens": input, "completion_tokens": output, "total_tokens": input + output });
    if dialect == Dialect::Venice {
        value["prompt_tokens_details"] = json!({ "cached_tokens": cache_read });
        value["completion_tokens_details"] = json!({ "reasoning_tokens": reasoning });
    }
    value
}

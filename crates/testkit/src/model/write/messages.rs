//! Anthropic's stream.

use serde_json::{Value, json};

use super::{model, pieces};
use crate::model::fault::Frame;
use crate::model::scenario::{Block, Call, ModelReply, Usage};

pub(super) fn frames(request: &Value, reply: &ModelReply, number: usize) -> Vec<Frame> {
    let Usage {
        input,
        cache_read,
        cache_write,
        output,
        reasoning,
        ..
    } = reply.usage;
    let fresh = input - cache_read - cache_write;
    let counts = json!({
        "input_tokens": fresh, "cache_creation_input_tokens": cache_write, "cache_read_input_tokens": cache_read,
        "cache_creation": { "ephemeral_5m_input_tokens": cache_write, "ephemeral_1h_input_tokens": 0 },
        "output_tokens": 1, "service_tier": "standard",
    });
    let mut events = vec![json!({ "type": "message_start", "message": {
        "id": format!("msg_{number:02}"), "type": "message", "role": "assistant", "model": model(request), "content": [],
        "stop_reason": null, "stop_sequence": null, "usage": counts,
    } })];
    for (index, block) in reply.blocks.iter().enumerate() {
        self::block(index, block, reply.faults.piece_chars, &mut events);
    }
    let stop = match reply.stop() {
        "toolCalls" => "tool_use",
        "length" => "max_tokens",
        "refusal" => "refusal",
        "pause" => "pause_turn",
        "contextFull" => "model_context_window_exceeded",
        _ => "end_turn",
    };
    let details = match stop {
        "refusal" => {
            json!({ "type": "refusal", "category": "general_harms", "explanation": "It declines." })
        }
        _ => Value::Null,
    };
    events.push(json!({
        "type": "message_delta",
        "delta": { "stop_reason": stop, "stop_sequence": null, "stop_details": details, "container": null },
        "usage": {
            "output_tokens": output, "input_tokens": fresh, "cache_creation_input_tokens": cache_write,
            "cache_read_input_tokens": cache_read, "output_tokens_details": { "thinking_tokens": reasoning }, "server_tool_use": null,
        },
    }));
    events.push(json!({ "type": "message_stop" }));
    let frame = |event: Value| Frame {
        name: event["type"].as_str().map(str::to_owned),
        data: event.to_string(),
    };
    events.into_iter().map(frame).collect()
}

fn block(index: usize, block: &Block, size: Option<usize>, events: &mut Vec<Value>) {
    let start = |content: Value| json!({ "type": "content_block_start", "index": index, "content_block": content });
    let delta =
        |delta: Value| json!({ "type": "content_block_delta", "index": index, "delta": delta });
    match block {
        Block::Text(text) | Block::Refusal(text) => {
            events.push(start(json!({ "type": "text", "text": "" })));
            let texts = pieces(text, size).into_iter();
            events.extend(texts.map(|text| delta(json!({ "type": "text_delta", "text": text }))));
        }
        Block::Reasoning { text, proof } => {
            events.push(start(
                json!({ "type": "thinking", "thinking": "", "signature": "" }),
            ));
            let texts = pieces(text, size).into_iter();
            events.extend(
                texts.map(|text| delta(json!({ "type": "thinking_delta", "thinking": text }))),
            );
            let signature = proof.clone().unwrap_or_else(|| "EqQBsignature".to_owned());
            events.push(delta(
                json!({ "type": "signature_delta", "signature": signature }),
            ));
        }
        Block::ToolCall(call) => {
            let Call { id, name, .. } = call;
            events.push(start(json!({
                "type": "tool_use", "id": id, "name": name, "input": {}, "caller": { "type": "direct" },
            })));
            // The provider begins with an empty fragment, which is all there is for tools without arguments.
            events.push(delta(
                json!({ "type": "input_json_delta", "partial_json": "" }),
            ));
            let texts = pieces(&call.text(), size).into_iter();
            events
                .extend(texts.map(|text| {
                    delta(json!({ "type": "input_json_delta", "partial_json": text }))
                }));
        }
        Block::Raw(raw) => events.push(start(raw.clone())),
    }
    events.push(json!({ "type": "content_block_stop", "index": index }));
}

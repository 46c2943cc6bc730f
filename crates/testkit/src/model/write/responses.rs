//! OpenAI's stream, and OpenRouter's.

use serde_json::{Value, json};

use super::{model, pieces};
use crate::model::Dialect;
use crate::model::fault::Frame;
use crate::model::scenario::{Block, Call, ModelReply, Usage};

pub(super) fn frames(
    dialect: Dialect,
    request: &Value,
    reply: &ModelReply,
    number: usize,
) -> Vec<Frame> {
    let stop = reply.stop();
    let incomplete = match stop {
        "length" | "contextFull" => Some("max_output_tokens"),
        "refusal"
            if !reply
                .blocks
                .iter()
                .any(|block| matches!(block, Block::Refusal(_))) =>
        {
            Some("content_filter")
        }
        _ => None,
    };
    let mut writer = Writer {
        events: Vec::new(),
        output: Vec::new(),
        number,
        size: reply.faults.piece_chars,
        cut_last: stop == "length",
        last: reply.blocks.len().saturating_sub(1),
    };
    let response = |status: &str, output: &[Value], usage: Value| {
        json!({
            "id": format!("resp_{number:02}"), "object": "response", "created_at": 1_790_000_000, "status": status,
            "model": model(request), "output": output, "error": null, "usage": usage, "incomplete_details": null,
            "instructions": null, "metadata": {}, "parallel_tool_calls": true, "temperature": 1.0, "top_p": 1.0,
            "tool_choice": "auto", "tools": [],
        })
    };
    for kind in ["created", "in_progress"] {
        writer.push(json!({ "type": format!("response.{kind}"), "response": response("in_progress", &[], Value::Null) }));
    }
    for (index, block) in reply.blocks.iter().enumerate() {
        writer.item(index, block);
    }
    let status = if incomplete.is_some() {
        "incomplete"
    } else {
        "completed"
    };
    let mut last = response(status, &writer.output, usage(dialect, reply.usage));
    if let Some(reason) = incomplete {
        last["incomplete_details"] = json!({ "reason": reason });
    }
    writer.push(json!({ "type": format!("response.{status}"), "response": last }));
    let mut frames: Vec<Frame> = writer.events.into_iter().map(frame).collect();
    if dialect == Dialect::OpenRouter {
        frames.push(Frame {
            name: None,
            data: "[DONE]".to_owned(),
        });
    }
    frames
}

fn frame(event: Value) -> Frame {
    Frame {
        name: event["type"].as_str().map(str::to_owned),
        data: event.to_string(),
    }
}

fn usage(dialect: Dialect, usage: Usage) -> Value {
    let Usage {
        input,
        cache_read,
        cache_write,
        output,
        reasoning,
        cost,
    } = usage;
    let mut value = json!({
        "input_tokens": input, "input_tokens_details": { "cached_tokens": cache_read, "cache_write_tokens": cache_write },
        "output_tokens": output, "output_tokens_details": { "reasoning_tokens": reasoning }, "total_tokens": input + output,
    });
    if dialect == Dialect::OpenRouter {
        value["cost"] = json!(cost);
        value["cost_details"] = json!({ "upstream_inference_cost": null });
        value["is_byok"] = json!(false);
    }
    value
}

struct Writer {
    events: Vec<Value>,
    output: Vec<Value>,
    number: usize,
    size: Option<usize>,
    /// The answer runs into its limit in the last item.
    cut_last: bool,
    last: usize,
}

impl Writer {
    fn push(&mut self, mut event: Value) {
        event["sequence_number"] = json!(self.events.len());
        self.events.push(event);
    }

    fn item(&mut self, index: usize, block: &Block) {
        let id = |kind: &str| format!("{kind}_{:02}_{index}", self.number);
        match block {
            Block::Text(text) => self.message(
                index,
                &id("msg"),
                json!({ "type": "output_text", "text": text, "annotations": [], "logprobs": [] }),
            ),
            Block::Refusal(text) => self.message(
                index,
                &id("msg"),
                json!({ "type": "refusal", "refusal": text }),
            ),
            Block::Reasoning { text, proof } => {
                self.reasoning(index, &id("rs"), text, proof.as_deref())
            }
            Block::ToolCall(call) => self.call(index, &id("fc"), call),
            Block::Raw(raw) => {
                self.added(index, raw.clone());
                self.done(index, raw.clone());
            }
        }
    }

    fn added(&mut self, index: usize, item: Value) {
        self.push(
            json!({ "type": "response.output_item.added", "output_index": index, "item": item }),
        );
    }

    fn done(&mut self, index: usize, item: Value) {
        self.push(
            json!({ "type": "response.output_item.done", "output_index": index, "item": item }),
        );
        self.output.push(item);
    }

    fn message(&mut self, index: usize, id: &str, part: Value) {
        let (kind, field) = match part["type"].as_str() {
            Some("refusal") => ("refusal", "refusal"),
            _ => ("output_text", "text"),
        };
        let item = |status: &str, content: Value| json!({ "type": "message", "id": id, "status": status, "role": "assistant", "content": content });
        self.added(index, item("in_progress", json!([])));
        let place = json!({ "item_id": id, "output_index": index, "content_index": 0 });
        let with = |name: &str, more: Value| {
            let mut event = place.clone();
            event["type"] = json!(format!("response.{name}"));
            for (key, value) in more.as_object().cloned().unwrap_or_default() {
                event[key] = value;
            }
            event
        };
        let mut empty = part.clone();
        empty[field] = json!("");
        self.push(with("content_part.added", json!({ "part": empty })));
        let text = part[field].as_str().unwrap_or_default();
        for piece in pieces(text, self.size) {
            self.push(with(
                &format!("{kind}.delta"),
                json!({ "delta": piece, "logprobs": [] }),
            ));
        }
        self.push(with(
            &format!("{kind}.done"),
            json!({ field: text, "logprobs": [] }),
        ));
        self.push(with("content_part.done", json!({ "part": part })));
        self.done(index, item("completed", json!([part])));
    }

    fn reasoning(&mut self, index: usize, id: &str, text: &str, proof: Option<&str>) {
        let item = |summary: Value, encrypted: Value| json!({ "type": "reasoning", "id": id, "summary": summary, "encrypted_content": encrypted });
        self.added(index, item(json!([]), Value::Null));
        let mut summary = json!([]);
        if !text.is_empty() {
            summary = json!([{ "type": "summary_text", "text": text }]);
            let place = |name: &str| json!({ "type": format!("response.{name}"), "item_id": id, "output_index": index, "summary_index": 0 });
            let mut added = place("reasoning_summary_part.added");
            added["part"] = json!({ "type": "summary_text", "text": "" });
            self.push(added);
            for piece in pieces(text, self.size) {
                let mut delta = place("reasoning_summary_text.delta");
                delta["delta"] = json!(piece);
                self.push(delta);
            }
            let mut ended = place("reasoning_summary_text.done");
            ended["text"] = json!(text);
            self.push(ended);
            let mut ended = place("reasoning_summary_part.done");
            ended["part"] = json!({ "type": "summary_text", "text": text });
            self.push(ended);
        }
        self.done(
            index,
            item(summary, json!(proof.unwrap_or("gAAAAsimulated"))),
        );
    }

    fn call(&mut self, index: usize, id: &str, call: &Call) {
        let item = |status: &str, arguments: &str| json!({ "type": "function_call", "id": id, "call_id": call.id, "name": call.name, "status": status, "arguments": arguments });
        let arguments = call.text();
        self.added(index, item("in_progress", ""));
        for piece in pieces(&arguments, self.size) {
            self.push(json!({ "type": "response.function_call_arguments.delta", "item_id": id, "output_index": index, "delta": piece }));
        }
        let cut = self.cut_last && index == self.last;
        if !cut {
            self.push(json!({ "type": "response.function_call_arguments.done", "item_id": id, "output_index": index, "arguments": arguments, "name": call.name }));
        }
        self.done(
            index,
            item(if cut { "incomplete" } else { "completed" }, &arguments),
        );
    }
}

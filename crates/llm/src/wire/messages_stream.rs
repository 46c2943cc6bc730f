//! Anthropic's Messages API: decodes streams.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::{Next, RequestInfo, call, count, failed};
use crate::lenient::Joiner;
use crate::message::{Block, Echo, Format, ToolCall};
use crate::stream::{StopReason, StreamEvent, Usage};

#[derive(Debug)]
pub(super) struct Decoder {
    asked: RequestInfo,
    /// Keyed by the provider's index; a delta need not belong to the latest block.
    blocks: BTreeMap<u64, Open>,
    usage: Usage,
    stop: Option<Value>,
    stop_details: Value,
}

/// A block that is still being received.
#[derive(Debug, Default)]
struct Open {
    start: Map<String, Value>,
    text: String,
    arguments: String,
    signature: Option<Value>,
    citations: Vec<Value>,
    joiner: Joiner,
    closed: bool,
}

impl Open {
    fn kind(&self) -> &str {
        let kind = self.start.get("type").and_then(Value::as_str);
        kind.unwrap_or_default()
    }
}

impl Decoder {
    pub(super) fn new(asked: RequestInfo) -> Self {
        Self {
            asked,
            blocks: BTreeMap::new(),
            usage: Usage::default(),
            stop: None,
            stop_details: Value::Null,
        }
    }

    pub(super) fn event(&mut self, value: &Value, out: &mut Vec<StreamEvent>) -> Next {
        match value["type"].as_str().unwrap_or_default() {
            "message_start" => {
                let message = &value["message"];
                let model = message["model"].as_str().unwrap_or_default().to_owned();
                out.push(StreamEvent::Started { model });
                self.count(&message["usage"], out);
            }
            "content_block_start" => self.start(value),
            "content_block_delta" => self.delta(value, out),
            "content_block_stop" => {
                if let Some(open) = self.block(value) {
                    open.closed = true;
                    if let Some(rest) = open.joiner.end() {
                        open.text.push(rest);
                    }
                }
            }
            "message_delta" => {
                self.count(&value["usage"], out);
                let delta = &value["delta"];
                if !delta["stop_reason"].is_null() {
                    self.stop = Some(delta["stop_reason"].clone());
                    self.stop_details = delta["stop_details"].clone();
                }
            }
            "message_stop" => {
                self.finish(out);
                return Next::Close;
            }
            "error" => return failed(value, out),
            // `ping` and unknown events.
            _ => (),
        }
        Next::GoOn
    }

    /// Emits the text received so far and drops the calls, which may be incomplete.
    pub(super) fn cut_off(&mut self, out: &mut Vec<StreamEvent>) -> Next {
        for open in std::mem::take(&mut self.blocks).into_values() {
            if open.kind() == "text" && !open.text.is_empty() {
                out.push(StreamEvent::Block(Block::text(open.text)));
            }
        }
        Next::GoOn
    }

    fn block(&mut self, value: &Value) -> Option<&mut Open> {
        self.blocks.get_mut(&value["index"].as_u64()?)
    }

    fn start(&mut self, value: &Value) {
        let (Some(index), Value::Object(start)) =
            (value["index"].as_u64(), value["content_block"].clone())
        else {
            return;
        };
        let own = |name: &str| start.get(name).and_then(Value::as_str).unwrap_or_default();
        let text = match own("type") {
            "thinking" => own("thinking"),
            _ => own("text"),
        };
        let open = Open {
            text: text.to_owned(),
            start,
            ..Open::default()
        };
        self.blocks.insert(index, open);
    }

    fn delta(&mut self, value: &Value, out: &mut Vec<StreamEvent>) {
        let Some(open) = self.block(value) else {
            return;
        };
        let delta = &value["delta"];
        let text = |name: &str| delta[name].as_str().unwrap_or_default();
        match delta["type"].as_str().unwrap_or_default() {
            "text_delta" => {
                let piece = open.joiner.push(text("text"));
                open.text.push_str(&piece);
                if !piece.is_empty() {
                    out.push(StreamEvent::Text(piece));
                }
            }
            "thinking_delta" => {
                let piece = open.joiner.push(text("thinking"));
                open.text.push_str(&piece);
                if !piece.is_empty() {
                    out.push(StreamEvent::Reasoning(piece));
                }
            }
            "input_json_delta" => open.arguments.push_str(text("partial_json")),
            "signature_delta" => open.signature = Some(delta["signature"].clone()),
            "citations_delta" => open.citations.push(delta["citation"].clone()),
            _ => (),
        }
    }

    /// Updates the usage. Counts are totals, not increments; null leaves the previous one.
    fn count(&mut self, usage: &Value, out: &mut Vec<StreamEvent>) {
        let own = &mut self.usage;
        let set = |field: &mut u64, value: &Value| {
            if let Some(tokens) = count(value) {
                *field = tokens;
            }
        };
        set(&mut own.prompt_tokens, &usage["input_tokens"]);
        set(&mut own.completion_tokens, &usage["output_tokens"]);
        set(
            &mut own.cache_read_tokens,
            &usage["cache_read_input_tokens"],
        );
        set(
            &mut own.cache_creation_tokens,
            &usage["cache_creation_input_tokens"],
        );
        set(
            &mut own.cache_creation_1h_tokens,
            &usage["cache_creation"]["ephemeral_1h_input_tokens"],
        );
        set(
            &mut own.reasoning_tokens,
            &usage["output_tokens_details"]["thinking_tokens"],
        );
        if usage.is_object() {
            out.push(StreamEvent::Usage(*own));
        }
    }

    fn finish(&mut self, out: &mut Vec<StreamEvent>) {
        let reason = self.stop.take().unwrap_or(Value::Null);
        let blocks = std::mem::take(&mut self.blocks);
        let last = blocks.keys().next_back().copied();
        let length = reason == "max_tokens";
        let (mut calls, mut call_lost) = (0, false);
        for (index, open) in blocks {
            let is_call = open.kind() == "tool_use";
            // The last call of an answer that reached the output limit may look complete without being so.
            if is_call && (!open.closed || (length && Some(index) == last)) {
                call_lost = true;
                continue;
            }
            calls += usize::from(is_call);
            self.block_event(open, out);
        }
        let stop = match reason.as_str().unwrap_or_default() {
            "max_tokens" => StopReason::Length { call_lost },
            "model_context_window_exceeded" => StopReason::ContextFull,
            "pause_turn" => StopReason::Pause,
            "refusal" => StopReason::Refusal {
                explanation: self.stop_details["explanation"].as_str().map(str::to_owned),
            },
            _ if calls > 0 => StopReason::ToolCalls,
            _ => StopReason::End,
        };
        out.push(StreamEvent::Ended(stop));
    }

    fn block_event(&self, open: Open, out: &mut Vec<StreamEvent>) {
        let Open {
            mut start,
            text,
            arguments,
            signature,
            citations,
            ..
        } = open;
        if !citations.is_empty() {
            start.insert("citations".to_owned(), Value::Array(citations));
        }
        let text_of = |name: &str| {
            let value = start.get(name).and_then(Value::as_str);
            value.unwrap_or_default().to_owned()
        };
        match text_of("type").as_str() {
            "text" => {
                let echo = self.extra(start, &["type", "text"]);
                out.push(StreamEvent::Block(Block::Text { text, echo }));
            }
            "tool_use" => {
                // Some gateways send the whole input in the start event, and no fragments.
                let whole = start.get("input").cloned().unwrap_or_else(|| json!({}));
                let arguments = if arguments.trim().is_empty() {
                    whole.to_string()
                } else {
                    arguments
                };
                let own = ToolCall {
                    tool_call_id: text_of("id"),
                    tool_name: self.asked.own_name(&text_of("name")),
                    input: json!({}),
                    echo: self.extra(start, &["type", "id", "name", "input"]),
                };
                call(own, &arguments, out);
            }
            kind => {
                if kind == "thinking" {
                    start.insert("thinking".to_owned(), json!(text));
                    if let Some(signature) = signature {
                        start.insert("signature".to_owned(), signature);
                    }
                }
                if let Ok(input @ Value::Object(_)) = serde_json::from_str(&arguments) {
                    start.insert("input".to_owned(), input);
                }
                out.push(StreamEvent::Block(Block::Reasoning(self.echo(start))));
            }
        }
    }

    fn extra(&self, mut fields: Map<String, Value>, known: &[&str]) -> Option<Echo> {
        fields.retain(|name, value| !known.contains(&name.as_str()) && !value.is_null());
        (!fields.is_empty()).then(|| self.echo(fields))
    }

    fn echo(&self, fields: Map<String, Value>) -> Echo {
        Echo {
            format: Format::Messages,
            model: self.asked.model.clone(),
            fields,
        }
    }
}

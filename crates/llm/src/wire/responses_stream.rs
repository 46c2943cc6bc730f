//! OpenAI's Responses API: decodes streams.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::{Next, RequestInfo, call, count, failed};
use crate::lenient::{Joiner, whole};
use crate::message::{Block, Echo, Format, ToolCall};
use crate::stream::{StopReason, StreamEvent, Usage};

#[derive(Debug)]
pub(super) struct Decoder {
    asked: RequestInfo,
    /// Keyed by their index in the output, because compatible servers omit ids or change them.
    items: BTreeMap<u64, Item>,
    started: bool,
}

/// An item of the output, complete or still being received.
#[derive(Debug, Default)]
struct Item {
    fields: Map<String, Value>,
    /// Whether `fields` are final; they then take precedence over what the deltas added up to.
    done: bool,
    text: String,
    refusal: String,
    arguments: String,
    joiner: Joiner,
}

/// What the items of a finished answer contain, from which the stop reason follows.
#[derive(Default)]
struct AnswerSummary {
    calls: usize,
    call_lost: bool,
    refusal: Option<String>,
}

impl Decoder {
    pub(super) fn new(asked: RequestInfo) -> Self {
        Self {
            asked,
            items: BTreeMap::new(),
            started: false,
        }
    }

    pub(super) fn event(&mut self, value: &Value, out: &mut Vec<StreamEvent>) -> Next {
        let kind = value["type"].as_str().unwrap_or_default();
        match kind {
            "response.created" | "response.queued" | "response.in_progress" => {
                self.begin(&value["response"], out);
            }
            "response.output_item.added" => self.put(value, &value["item"], false),
            "response.output_item.done" => self.put(value, &value["item"], true),
            "response.output_text.delta" => {
                let item = self.item(value);
                let piece = item.joiner.push(text(&value["delta"]));
                item.text.push_str(&piece);
                if !piece.is_empty() {
                    out.push(StreamEvent::Text(piece));
                }
            }
            "response.refusal.delta" => self.item(value).refusal.push_str(text(&value["delta"])),
            "response.function_call_arguments.delta" => {
                self.item(value).arguments.push_str(text(&value["delta"]));
            }
            "response.function_call_arguments.done" => {
                let whole = text(&value["arguments"]);
                if !whole.is_empty() {
                    self.item(value).arguments = whole.to_owned();
                }
            }
            "response.reasoning_summary_part.added" if value["summary_index"] != 0 => {
                out.push(StreamEvent::Reasoning("\n\n".to_owned()));
            }
            "response.reasoning_summary_text.delta" | "response.reasoning_text.delta" => {
                let piece = self.item(value).joiner.push(text(&value["delta"]));
                if !piece.is_empty() {
                    out.push(StreamEvent::Reasoning(piece));
                }
            }
            "response.completed" | "response.incomplete" => {
                self.finish(&value["response"], out);
                return Next::Close;
            }
            "response.failed" | "response.error" | "error" => return failed(value, out),
            _ if !matches!(value["error"], Value::Null | Value::Bool(false)) => {
                return failed(value, out);
            }
            // `keepalive`, built-in tools and unknown events.
            _ => (),
        }
        Next::GoOn
    }

    /// Emits the text received so far and drops the calls, which may be incomplete.
    pub(super) fn cut_off(&mut self, out: &mut Vec<StreamEvent>) -> Next {
        for item in std::mem::take(&mut self.items).into_values() {
            if !item.text.is_empty() {
                out.push(StreamEvent::Block(Block::text(item.text)));
            }
        }
        Next::GoOn
    }

    fn begin(&mut self, response: &Value, out: &mut Vec<StreamEvent>) {
        if !std::mem::replace(&mut self.started, true) {
            let model = text(&response["model"]).to_owned();
            out.push(StreamEvent::Started { model });
        }
    }

    fn item(&mut self, value: &Value) -> &mut Item {
        let index = value["output_index"].as_u64().unwrap_or(0);
        self.items.entry(index).or_default()
    }

    fn put(&mut self, value: &Value, fields: &Value, done: bool) {
        if let Value::Object(fields) = fields {
            let item = self.item(value);
            item.fields.clone_from(fields);
            item.done = done;
        }
    }

    fn finish(&mut self, response: &Value, out: &mut Vec<StreamEvent>) {
        self.begin(response, out);
        // Some servers send items only in the final event.
        for (index, fields) in response["output"]
            .as_array()
            .into_iter()
            .flatten()
            .enumerate()
        {
            let item = self.items.entry(index as u64).or_default();
            if let (false, Value::Object(fields)) = (item.done, fields) {
                item.fields.clone_from(fields);
                item.done = true;
            }
        }
        if let Some(usage) = usage(&response["usage"]) {
            out.push(StreamEvent::Usage(usage));
        }
        let complete = response["status"] != "incomplete";
        let mut found = AnswerSummary::default();
        for item in std::mem::take(&mut self.items).into_values() {
            self.item_events(item, complete, &mut found, out);
        }
        let reason = text(&response["incomplete_details"]["reason"]);
        let stop = match reason {
            "max_output_tokens" => StopReason::Length {
                call_lost: found.call_lost,
            },
            "content_filter" => StopReason::Refusal {
                explanation: found.refusal,
            },
            _ if found.refusal.is_some() => StopReason::Refusal {
                explanation: found.refusal,
            },
            _ if found.call_lost => StopReason::Length { call_lost: true },
            _ if found.calls > 0 => StopReason::ToolCalls,
            _ => StopReason::End,
        };
        out.push(StreamEvent::Ended(stop));
    }

    fn item_events(
        &self,
        item: Item,
        complete: bool,
        found: &mut AnswerSummary,
        out: &mut Vec<StreamEvent>,
    ) {
        let field = |name: &str| {
            let value = item.fields.get(name).and_then(Value::as_str);
            value.unwrap_or_default().to_owned()
        };
        match field("type").as_str() {
            "function_call" => {
                let cut = field("status") == "incomplete" || !(item.done || complete);
                if cut {
                    found.call_lost = true;
                    return;
                }
                found.calls += 1;
                let own = ToolCall {
                    tool_call_id: field("call_id"),
                    tool_name: self.asked.own_name(&field("name")),
                    input: json!({}),
                    echo: None,
                };
                let last_word = field("arguments");
                let arguments = if last_word.is_empty() {
                    item.arguments
                } else {
                    last_word
                };
                call(own, &arguments, out);
            }
            // A text item without a start event has no type; it is a message too.
            "message" | "" => self.message_events(item, found, out),
            "reasoning" => {
                // Reasoning can only be sent back in encrypted form; the provider refuses a bare id.
                let encrypted = item.fields.get("encrypted_content");
                if encrypted
                    .is_some_and(|value| value.as_str().is_some_and(|text| !text.is_empty()))
                {
                    let mut fields = item.fields;
                    fields.remove("id");
                    fields.remove("status");
                    out.push(StreamEvent::Block(Block::Reasoning(self.echo(fields))));
                }
            }
            _ => out.push(StreamEvent::Block(Block::Reasoning(self.echo(item.fields)))),
        }
    }

    fn message_events(&self, item: Item, found: &mut AnswerSummary, out: &mut Vec<StreamEvent>) {
        let mut fields = item.fields;
        let content = fields.remove("content").unwrap_or(Value::Null);
        fields.retain(|name, value| name == "phase" && !value.is_null());
        let echo = (!fields.is_empty()).then(|| self.echo(fields));
        let mut refusal = item.refusal;
        let mut texts = Vec::new();
        for part in content
            .as_array()
            .filter(|_| item.done)
            .into_iter()
            .flatten()
        {
            match text(&part["type"]) {
                "refusal" => text(&part["refusal"]).clone_into(&mut refusal),
                _ => texts.push(whole(text(&part["text"]))),
            }
        }
        if texts.iter().all(String::is_empty) {
            texts = vec![item.text];
        }
        for text in texts.into_iter().filter(|text| !text.is_empty()) {
            let echo = echo.clone();
            out.push(StreamEvent::Block(Block::Text { text, echo }));
        }
        if !refusal.is_empty() {
            found.refusal = Some(refusal);
        }
    }

    fn echo(&self, fields: Map<String, Value>) -> Echo {
        Echo {
            format: Format::Responses,
            model: self.asked.model.clone(),
            fields,
        }
    }
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn usage(value: &Value) -> Option<Usage> {
    let input = &value["input_tokens_details"];
    value.is_object().then(|| Usage {
        prompt_tokens: count(&value["input_tokens"]).unwrap_or(0),
        completion_tokens: count(&value["output_tokens"]).unwrap_or(0),
        cache_read_tokens: count(&input["cached_tokens"]).unwrap_or(0),
        cache_creation_tokens: count(&input["cache_write_tokens"]).unwrap_or(0),
        cache_creation_1h_tokens: 0,
        reasoning_tokens: count(&value["output_tokens_details"]["reasoning_tokens"]).unwrap_or(0),
        cost_usd: value["cost"].as_f64().filter(|cost| *cost >= 0.0),
        estimated: false,
    })
}

//! The Chat Completions API: decodes streams.

use serde_json::{Map, Value, json};

use super::think::{ThinkPart, ThinkTags};
use super::{Next, RequestInfo, call, count, failed};
use crate::lenient::Joiner;
use crate::message::{Block, Echo, Format, ToolCall};
use crate::stream::{StopReason, StreamEvent, Usage};

#[derive(Debug)]
pub(super) struct Decoder {
    asked: RequestInfo,
    started: bool,
    text: String,
    reasoning: String,
    refusal: String,
    tags: ThinkTags,
    joiner: Joiner,
    reasoning_joiner: Joiner,
    calls: Vec<Pending>,
    finish: Option<String>,
}

#[derive(Debug, Default)]
struct Pending {
    index: Option<u64>,
    id: String,
    name: String,
    arguments: String,
}

impl Decoder {
    pub(super) fn new(asked: RequestInfo) -> Self {
        Self {
            asked,
            started: false,
            text: String::new(),
            reasoning: String::new(),
            refusal: String::new(),
            tags: ThinkTags::default(),
            joiner: Joiner::default(),
            reasoning_joiner: Joiner::default(),
            calls: Vec::new(),
            finish: None,
        }
    }

    pub(super) fn event(&mut self, value: &Value, out: &mut Vec<StreamEvent>) -> Next {
        let choice = &value["choices"][0];
        let error = !matches!(value["error"], Value::Null | Value::Bool(false));
        if error || value["object"] == "error" || choice["finish_reason"] == "error" {
            return failed(value, out);
        }
        if !std::mem::replace(&mut self.started, true) {
            let model = text(&value["model"]).to_owned();
            out.push(StreamEvent::Started { model });
        }
        let delta = &choice["delta"];
        for field in ["reasoning", "reasoning_content"] {
            let piece = self.reasoning_joiner.push(text(&delta[field]));
            self.thought(piece, out);
        }
        let piece = self.joiner.push(text(&delta["content"]));
        let said = self.tags.push(&piece);
        self.said(said, out);
        self.refusal.push_str(text(&delta["refusal"]));
        for fragment in delta["tool_calls"].as_array().into_iter().flatten() {
            self.fragment(fragment);
        }
        if let Some(reason) = choice["finish_reason"].as_str() {
            self.finish = Some(reason.to_owned());
        }
        if let Some(usage) = usage(&value["usage"]) {
            out.push(StreamEvent::Usage(usage));
        }
        Next::GoOn
    }

    /// Handles `[DONE]`: the answer is complete, even if no finish reason was sent.
    pub(super) fn said_done(&mut self) {
        self.finish.get_or_insert_with(|| "stop".to_owned());
    }

    /// Handles the end of the bytes. A server that fails midway just stops sending, so without a finish reason the answer was cut off.
    pub(super) fn end(&mut self, out: &mut Vec<StreamEvent>) -> Next {
        let rest = self.tags.end();
        self.said(rest, out);
        let Some(reason) = self.finish.take() else {
            if !self.text.is_empty() {
                let text = std::mem::take(&mut self.text);
                out.push(StreamEvent::Block(Block::text(text)));
            }
            return Next::GoOn;
        };
        self.finished(&reason, out);
        Next::Close
    }

    fn thought(&mut self, piece: String, out: &mut Vec<StreamEvent>) {
        if !piece.is_empty() {
            self.reasoning.push_str(&piece);
            out.push(StreamEvent::Reasoning(piece));
        }
    }

    fn said(&mut self, said: ThinkPart, out: &mut Vec<StreamEvent>) {
        self.thought(said.thought, out);
        if !said.text.is_empty() {
            self.text.push_str(&said.text);
            out.push(StreamEvent::Text(said.text));
        }
    }

    /// Adds a fragment to its call. Fragments are matched by index; a server that repeats an index with another id means another call.
    fn fragment(&mut self, fragment: &Value) {
        let index = fragment["index"].as_u64();
        let id = text(&fragment["id"]);
        let function = &fragment["function"];
        let continues = |call: &Pending| {
            let same_place = index.is_some() && call.index == index;
            let same_id = id.is_empty() || call.id.is_empty() || call.id == id;
            (same_place && same_id) || (index.is_none() && (id.is_empty() || call.id == id))
        };
        let place = self.calls.iter().rposition(continues);
        let place = place.unwrap_or_else(|| {
            self.calls.push(Pending {
                index,
                ..Pending::default()
            });
            self.calls.len() - 1
        });
        let call = &mut self.calls[place];
        if !id.is_empty() {
            id.clone_into(&mut call.id);
        }
        if call.name.is_empty() {
            text(&function["name"]).clone_into(&mut call.name);
        }
        match &function["arguments"] {
            // Some servers send the arguments as an object, as in their native API.
            whole @ Value::Object(_) => call.arguments = whole.to_string(),
            piece => call.arguments.push_str(text(piece)),
        }
    }

    fn finished(&mut self, reason: &str, out: &mut Vec<StreamEvent>) {
        if let Some(field) = self
            .asked
            .reasoning_field
            .filter(|_| !self.reasoning.is_empty())
        {
            let mut fields = Map::new();
            let reasoning = std::mem::take(&mut self.reasoning);
            fields.insert(field.to_owned(), json!(reasoning));
            out.push(StreamEvent::Block(Block::Reasoning(Echo {
                format: Format::Chat,
                model: self.asked.model.clone(),
                fields,
            })));
        }
        if !self.text.is_empty() {
            let text = std::mem::take(&mut self.text);
            out.push(StreamEvent::Block(Block::text(text)));
        }
        let mut pending = std::mem::take(&mut self.calls);
        let length = reason == "length";
        let call_lost = length && pending.pop().is_some();
        let calls = pending.len();
        for pending in pending {
            let own = ToolCall {
                tool_call_id: pending.id,
                tool_name: self.asked.own_name(&pending.name),
                input: json!({}),
                echo: None,
            };
            call(own, &pending.arguments, out);
        }
        let stop = match reason {
            "length" => StopReason::Length { call_lost },
            "content_filter" => self.refused(),
            _ if !self.refusal.is_empty() => self.refused(),
            // Some servers send `stop` although there are calls.
            _ if calls > 0 => StopReason::ToolCalls,
            _ => StopReason::End,
        };
        out.push(StreamEvent::Ended(stop));
    }

    fn refused(&mut self) -> StopReason {
        let explanation = std::mem::take(&mut self.refusal);
        StopReason::Refusal {
            explanation: (!explanation.is_empty()).then_some(explanation),
        }
    }
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn usage(value: &Value) -> Option<Usage> {
    let input = &value["prompt_tokens_details"];
    value.is_object().then(|| Usage {
        prompt_tokens: count(&value["prompt_tokens"]).unwrap_or(0),
        completion_tokens: count(&value["completion_tokens"]).unwrap_or(0),
        cache_read_tokens: count(&input["cached_tokens"]).unwrap_or(0),
        cache_creation_tokens: count(&input["cache_write_tokens"]).unwrap_or(0),
        cache_creation_1h_tokens: 0,
        reasoning_tokens: count(&value["completion_tokens_details"]["reasoning_tokens"])
            .unwrap_or(0),
        cost_usd: value["cost"].as_f64().filter(|cost| *cost >= 0.0),
        estimated: false,
    })
}

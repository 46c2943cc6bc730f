//! The three wire formats: encode neutral requests into bytes, and decode bytes into neutral events.
//!
//! Each format is a pure mapping without I/O, clock or retries, and is written once. Differences between vendors of the same format are
//! data, in [`Quirks`].

mod chat;
mod chat_stream;
mod messages;
mod messages_stream;
mod pictures;
mod responses;
mod responses_stream;
mod think;

use std::sync::Arc;

use serde_json::Value;

use crate::arguments::parse_tool_arguments;
use crate::classify;
use crate::error::{ErrorClass, ModelError};
use crate::lenient;
use crate::message::{Format, ToolCall};
use crate::request::{ModelRequest, ToolSpec};
use crate::sse::SseParser;
use crate::stream::StreamEvent;
use sitewright_tool::WireNames;

/// How a vendor differs from its wire format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Quirks {
    /// Fields to add to every body, as a JSON object.
    pub(crate) fixed_fields: &'static str,
    /// Whether the assistant's messages need an id when they are sent back.
    pub(crate) message_ids: bool,
    /// Whether it supports `tool_choice` and `parallel_tool_calls`.
    pub(crate) tool_choice: bool,
    /// Whether it supports `prompt_cache_key`.
    pub(crate) cache_key: bool,
    /// Whether to request a summary of the reasoning; some vendors refuse that for unverified accounts.
    pub(crate) reasoning_summary: bool,
    /// The field in which reasoning goes back (chat only).
    pub(crate) reasoning_field: Option<&'static str>,
    /// The media types of images that it accepts.
    pub(crate) image_types: &'static [&'static str],
}

/// The encoded tools of a turn. They rarely change between its rounds, so they are encoded once.
#[derive(Debug)]
pub(crate) struct WrittenTools {
    names: Arc<WireNames>,
    /// JSON, or empty if there are no tools.
    json: String,
}

impl WrittenTools {
    pub(crate) fn new(format: Format, specs: &[ToolSpec]) -> Self {
        let names = WireNames::new(specs.iter().map(|tool| tool.name.as_str()));
        let json = match format {
            _ if specs.is_empty() => String::new(),
            Format::Messages => messages::tools(specs, &names).to_string(),
            Format::Responses => responses::tools(specs, &names).to_string(),
            Format::Chat => chat::tools(specs, &names).to_string(),
        };
        Self {
            names: Arc::new(names),
            json,
        }
    }
}

/// Encodes the body of a request.
pub(crate) fn encode(
    format: Format,
    quirks: &Quirks,
    request: &ModelRequest<'_>,
    tools: &WrittenTools,
) -> Vec<u8> {
    let names = &tools.names;
    let mut body = match format {
        Format::Messages => messages::body(request, quirks, names),
        Format::Responses => responses::body(request, quirks, names),
        Format::Chat => chat::body(request, quirks, names),
    };
    if let Ok(Value::Object(fixed)) = serde_json::from_str(quirks.fixed_fields) {
        for (name, value) in fixed {
            body[name] = value;
        }
    }
    let body = body.to_string();
    match (tools.json.as_str(), body.strip_prefix('{')) {
        ("", _) | (_, None) => body.into_bytes(),
        (json, Some(rest)) => format!("{{\"tools\":{json},{rest}").into_bytes(),
    }
}

/// The size limit of a whole stream. A longer one cannot be a real answer.
const STREAM_BYTES_MAX: usize = 128 * 1024 * 1024;

/// Decodes the bytes of one stream into events, wherever its chunks end.
#[derive(Debug)]
pub(crate) struct StreamDecoder {
    sse: SseParser,
    decoder: Decoder,
    bytes: usize,
    state: State,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Open,
    /// The stream has ended or failed; everything after that is ignored.
    Closed,
}

#[derive(Debug)]
enum Decoder {
    Messages(messages_stream::Decoder),
    Responses(responses_stream::Decoder),
    Chat(chat_stream::Decoder),
}

/// What a decoder needs to know about the request.
#[derive(Debug, Clone)]
pub(crate) struct RequestInfo {
    pub(crate) model: String,
    pub(crate) names: Arc<WireNames>,
    /// The field in which reasoning goes back (chat only).
    pub(crate) reasoning_field: Option<&'static str>,
}

impl RequestInfo {
    /// The tool's own name for its name on the wire. An unknown name is returned unchanged, and the loop rejects the call later.
    fn own_name(&self, spelled: &str) -> String {
        self.names.own(spelled).unwrap_or(spelled).to_owned()
    }
}

impl StreamDecoder {
    pub(crate) fn new(format: Format, quirks: &Quirks, model: &str, tools: &WrittenTools) -> Self {
        let asked = RequestInfo {
            model: model.to_owned(),
            names: Arc::clone(&tools.names),
            reasoning_field: quirks.reasoning_field,
        };
        let decoder = match format {
            Format::Messages => Decoder::Messages(messages_stream::Decoder::new(asked)),
            Format::Responses => Decoder::Responses(responses_stream::Decoder::new(asked)),
            Format::Chat => Decoder::Chat(chat_stream::Decoder::new(asked)),
        };
        Self {
            sse: SseParser::default(),
            decoder,
            bytes: 0,
            state: State::Open,
        }
    }

    /// Decodes more bytes and appends the events that they complete.
    pub(crate) fn push(&mut self, bytes: &[u8], out: &mut Vec<StreamEvent>) {
        if self.state == State::Closed {
            return;
        }
        self.bytes = self.bytes.saturating_add(bytes.len());
        let mut frames = Vec::new();
        let read = self.sse.push(bytes, &mut frames);
        for frame in frames {
            self.frame(&frame.data, out);
        }
        if let Err(too_large) = read {
            self.fail(ErrorClass::Protocol, &too_large.to_string(), out);
        } else if self.bytes > STREAM_BYTES_MAX {
            self.fail(ErrorClass::Protocol, "the answer is too large", out);
        }
    }

    /// Handles the end of the bytes. A stream that has not announced its own end was cut off, and fails.
    pub(crate) fn end(&mut self, out: &mut Vec<StreamEvent>) {
        if self.state == State::Closed {
            return;
        }
        let ended = match &mut self.decoder {
            Decoder::Messages(decoder) => decoder.cut_off(out),
            Decoder::Responses(decoder) => decoder.cut_off(out),
            Decoder::Chat(decoder) => decoder.end(out),
        };
        match ended {
            Next::Close => self.state = State::Closed,
            Next::GoOn => {
                self.fail(ErrorClass::StreamTruncated, "the stream ended early", out);
            }
        }
    }

    fn frame(&mut self, data: &str, out: &mut Vec<StreamEvent>) {
        if self.state == State::Closed {
            return;
        }
        if data.trim() == "[DONE]" {
            if let Decoder::Chat(decoder) = &mut self.decoder {
                decoder.said_done();
            }
            return self.end(out);
        }
        let value = match lenient::parse(data) {
            Ok(value) => value,
            Err(error) => {
                let problem = format!("an event is no JSON: {error}");
                return self.fail(ErrorClass::Protocol, &problem, out);
            }
        };
        let next = match &mut self.decoder {
            Decoder::Messages(decoder) => decoder.event(&value, out),
            Decoder::Responses(decoder) => decoder.event(&value, out),
            Decoder::Chat(decoder) => decoder.event(&value, out),
        };
        if next == Next::Close {
            self.state = State::Closed;
        }
    }

    fn fail(&mut self, class: ErrorClass, detail: &str, out: &mut Vec<StreamEvent>) {
        if self.state == State::Open {
            self.state = State::Closed;
            out.push(StreamEvent::Failed(ModelError::new(class, detail)));
        }
    }
}

/// Whether more events can follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Next {
    GoOn,
    Close,
}

/// Emits an error that arrived as an event of the stream.
fn failed(value: &Value, out: &mut Vec<StreamEvent>) -> Next {
    out.push(StreamEvent::Failed(classify::payload(value)));
    Next::Close
}

/// Parses the arguments of a complete call and emits it.
fn call(mut call: ToolCall, arguments: &str, out: &mut Vec<StreamEvent>) {
    let problem = match parse_tool_arguments(arguments) {
        Ok(input) => {
            call.input = input;
            None
        }
        Err(problem) => Some(problem.to_string()),
    };
    out.push(StreamEvent::Call { call, problem });
}

/// Parses a token count. Providers leave counts out or send null, and some send floats.
fn count(value: &Value) -> Option<u64> {
    value.as_u64().or_else(|| {
        let number = value.as_f64()?;
        (number >= 0.0).then_some(number as u64)
    })
}

#[cfg(test)]
mod tests;

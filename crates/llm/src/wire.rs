//! The three wire formats: neutral requests into bytes, bytes into neutral events.
//!
//! Pure mapping, written once per format: no I/O, no clock, no retries. What differs between vendors of one format is data,
//! in [`Quirks`].

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

/// How a vendor departs from its format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Quirks {
    /// Fields of every body, as a JSON object.
    pub(crate) fixed_fields: &'static str,
    /// Messages of the assistant need an id when they are sent back.
    pub(crate) message_ids: bool,
    /// It obeys `tool_choice` and `parallel_tool_calls`.
    pub(crate) tool_choice: bool,
    /// It takes a `prompt_cache_key`.
    pub(crate) cache_key: bool,
    /// It may be asked for a summary of the reasoning; some vendors refuse that to accounts they have not verified.
    pub(crate) reasoning_summary: bool,
    /// The field in which reasoning goes back (chat only).
    pub(crate) reasoning_field: Option<&'static str>,
    /// The pictures it takes.
    pub(crate) image_types: &'static [&'static str],
}

/// The tools of a turn as a format writes them. They stay the same over its rounds, so they are written once.
#[derive(Debug)]
pub(crate) struct WrittenTools {
    names: Arc<WireNames>,
    /// JSON; empty when there are no tools.
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

/// The body of a request.
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

/// The bytes of a whole stream; what a provider sends past this is not an answer any more.
const STREAM_BYTES_MAX: usize = 128 * 1024 * 1024;

/// Makes events of the bytes of one stream, however they are cut.
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
    /// The stream ended or failed; nothing after that counts.
    Closed,
}

#[derive(Debug)]
enum Decoder {
    Messages(messages_stream::Decoder),
    Responses(responses_stream::Decoder),
    Chat(chat_stream::Decoder),
}

/// What every decoder needs to know about the request.
#[derive(Debug, Clone)]
pub(crate) struct RequestInfo {
    pub(crate) model: String,
    pub(crate) names: Arc<WireNames>,
    /// The field in which reasoning goes back (chat only).
    pub(crate) reasoning_field: Option<&'static str>,
}

impl RequestInfo {
    /// The tool behind a spelling; what nobody has is left as it is, and found to be unknown later.
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

    /// Reads more bytes and appends what they say.
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

    /// The bytes are at their end: a stream that did not say so itself was cut off.
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

/// Whether more can come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Next {
    GoOn,
    Close,
}

/// An error that came as an event.
fn failed(value: &Value, out: &mut Vec<StreamEvent>) -> Next {
    out.push(StreamEvent::Failed(classify::payload(value)));
    Next::Close
}

/// A complete call, its arguments parsed.
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

/// A count of tokens; providers leave them out, send null, and some send floats.
fn count(value: &Value) -> Option<u64> {
    value.as_u64().or_else(|| {
        let number = value.as_f64()?;
        (number >= 0.0).then_some(number as u64)
    })
}

#[cfg(test)]
mod tests;

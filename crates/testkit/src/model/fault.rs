//! Frames into bytes, and bytes into the ways they go wrong.

use std::time::Duration;

use serde_json::json;

use super::scenario::{Failure, Faults};
use super::{Dialect, write};
use crate::vendor::{Answer, Reply};

/// One event before it is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Frame {
    /// The `event` field, for formats that have it.
    pub(super) name: Option<String>,
    pub(super) data: String,
}

pub(super) fn answer(dialect: Dialect, mut frames: Vec<Frame>, faults: &Faults) -> Answer {
    if let Some(count) = faults.end_after.or(faults.stall_after) {
        frames.truncate(count);
    }
    if let Some(count) = faults.error_after {
        frames.truncate(count);
        let failure = Failure {
            status: 200,
            kind: faults.error_kind.clone(),
            message: "the simulator was told to fail".to_owned(),
            ..Failure::default()
        };
        frames.extend(write::error_frame(dialect, &failure));
    }
    let mut parts: Vec<Vec<u8>> = Vec::new();
    for (number, frame) in frames.iter().enumerate() {
        let mut text = String::new();
        if faults.bom && number == 0 {
            text.push('\u{feff}');
        }
        if faults.keepalives {
            text.push_str(&keepalive(dialect, faults));
        }
        if faults.unknown_events && number > 0 {
            text.push_str(&written(&unknown(dialect), faults));
        }
        text.push_str(&written(frame, faults));
        parts.push(text.into_bytes());
    }
    if let Some(size) = faults.chunk_bytes {
        let whole = parts.concat();
        parts = whole.chunks(size.max(1)).map(<[u8]>::to_vec).collect();
    }
    let headers = vec![
        (
            "content-type".to_owned(),
            "text/event-stream; charset=utf-8".to_owned(),
        ),
        ("cache-control".to_owned(), "no-cache".to_owned()),
    ];
    if let Some(bytes) = faults.disconnect_at {
        let mut body = parts.concat();
        body.truncate(bytes);
        return Answer::Raw(broken_off(&headers, &body));
    }
    if let Some(pause) = faults.drip_ms {
        let mut reply = Reply::new(200, parts.concat());
        reply.headers = headers;
        let pause = Duration::from_millis(pause);
        return Answer::Drip { reply, pause };
    }
    if faults.stall_after.is_some() {
        return Answer::Stall { headers, parts };
    }
    Answer::Chunks { headers, parts }
}

fn written(frame: &Frame, faults: &Faults) -> String {
    let end = match faults {
        Faults { crlf: true, .. } => "\r\n",
        Faults { lone_cr: true, .. } => "\r",
        _ => "\n",
    };
    let colon = if faults.tight { ":" } else { ": " };
    let mut text = String::new();
    if let Some(name) = &frame.name {
        text.push_str(&format!("event{colon}{name}{end}"));
    }
    text.push_str(&format!("data{colon}{}{end}{end}", frame.data));
    text
}

fn keepalive(dialect: Dialect, faults: &Faults) -> String {
    let event = |name: &str| Frame {
        name: Some(name.to_owned()),
        data: json!({ "type": name, "sequence_number": 0 }).to_string(),
    };
    let comment = ": OPENROUTER PROCESSING\n\n".to_owned();
    match dialect {
        Dialect::Anthropic => written(&event("ping"), faults),
        Dialect::OpenAi => written(&event("keepalive"), faults),
        Dialect::OpenRouter => comment + &written(&event("response.keep_alive"), faults),
        Dialect::Ollama | Dialect::Venice => comment,
    }
}

fn unknown(dialect: Dialect) -> Frame {
    let kind = "something.new";
    let data = match dialect {
        Dialect::Ollama | Dialect::Venice => {
            json!({ "object": kind, "choices": [], "extra": { "x": 1 } })
        }
        _ => json!({ "type": kind, "payload": { "x": 1 } }),
    };
    Frame {
        name: Some(kind.to_owned()),
        data: data.to_string(),
    }
}

/// A chunked answer whose end never comes.
fn broken_off(headers: &[(String, String)], body: &[u8]) -> Vec<u8> {
    let mut bytes = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n".to_vec();
    for (name, value) in headers {
        bytes.extend(format!("{name}: {value}\r\n").bytes());
    }
    bytes.extend(b"\r\n");
    if !body.is_empty() {
        bytes.extend(format!("{:x}\r\n", body.len()).bytes());
        bytes.extend(body);
        bytes.extend(b"\r\n");
    }
    bytes
}

//! A turn as a stream: a line of JSON for each event, and for notices about the stream itself.

use std::borrow::Cow;
use std::convert::Infallible;
use std::time::Duration;

use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use futures_util::stream::{self, Stream};
use http::header::{CACHE_CONTROL, CONTENT_TYPE};
use http::{HeaderValue, StatusCode};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Serialize;
use sitewright_agent::{Tab, TurnHandle, Watch};
use tokio_util::sync::CancellationToken;

use crate::route::{Answer, Context};

/// After this time without an event, a ping shows that the turn is alive.
const PING_EVERY: Duration = Duration::from_secs(15);
const LINES: &str = "application/x-ndjson";

/// A line about the stream itself.
#[derive(Serialize, JsonSchema)]
#[serde(tag = "type", rename_all = "camelCase")]
enum StreamNotice {
    /// The turn is alive.
    Ping,
    /// The last line of a turn that goes on without the server, because it waits for a person: follow it again after the restart.
    GoingAway,
}

impl StreamNotice {
    fn line(&self) -> Option<String> {
        let written = serde_json::to_string(self);
        let written = written
            .inspect_err(|error| tracing::error!(%error, "a line of a turn cannot be written"));
        Some(written.ok()? + "\n")
    }
}

/// Any line of a turn.
struct TurnLine;

impl JsonSchema for TurnLine {
    fn schema_name() -> Cow<'static, str> {
        "TurnLine".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "object",
            "properties": {
                "seq": { "type": "integer", "minimum": 0, "description": "The number of an event, from 1." },
            },
            "oneOf": [Watch::line_schema(generator), generator.subschema_for::<StreamNotice>()],
        })
    }
}

/// A turn as lines of JSON.
pub(super) struct Lines {
    watch: Watch,
    tab: Option<Tab>,
    turns_ended: CancellationToken,
    is_over: bool,
}

impl Answer for Lines {
    const STATUS: StatusCode = StatusCode::OK;

    fn schema(_: &mut SchemaGenerator) -> Option<Schema> {
        None
    }

    fn stream(generator: &mut SchemaGenerator) -> Option<(&'static str, Schema)> {
        Some((LINES, generator.subschema_for::<TurnLine>()))
    }

    fn respond(self) -> Response {
        let mut response = Response::new(Body::from_stream(self.stream()));
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(LINES));
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        // A buffering proxy would delay the turn.
        headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
        response
    }
}

impl Lines {
    pub(super) fn new(context: &Context, sent: TurnHandle) -> Self {
        Self {
            watch: sent.watch,
            tab: sent.tab,
            turns_ended: context.app.turns_ended().clone(),
            is_over: false,
        }
    }

    fn stream(self) -> impl Stream<Item = Result<Bytes, Infallible>> {
        stream::unfold(self, async |mut lines| {
            if lines.is_over {
                return None;
            }
            let line = tokio::select! {
                biased;
                // Polled first: a turn that the shutdown interrupts reports its own end.
                line = tokio::time::timeout(PING_EVERY, lines.watch.next()) => match line {
                    Ok(line) => line.map(|line| format!("{line}\n")),
                    Err(_elapsed) => StreamNotice::Ping.line(),
                },
                () = lines.turns_ended.cancelled() => {
                    lines.is_over = true;
                    StreamNotice::GoingAway.line()
                }
            };
            // A tab counts as gone once its stream has ended.
            if line.is_none() {
                lines.tab = None;
            }
            line.map(|line| (Ok(Bytes::from(line)), lines))
        })
    }
}

//! The stream of records: every event once, in order, from any point on.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::time::Duration;

use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse as _, Response};
use futures_util::stream::{self, Stream};
use http::StatusCode;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sitewright_breadcrumbs::{BreadcrumbCaller, RecordView, Selector};
use sitewright_store::{BreadcrumbEvent, Wake};
use sitewright_tool::ErrorCode;
use tokio::time::Instant;

use super::{caller, selector};
use crate::App;
use crate::problem::ApiError;
use crate::route::{Answer, Context};

const PAGE: u16 = 200;
/// After this time a stream ends and the client reconnects, so that it does not outlive the caller's permissions.
const STREAM_LIFE: Duration = Duration::from_secs(300);
/// Polling interval, because a node may miss another node's announcement.
const LOOK_EVERY: Duration = Duration::from_secs(5);
const RETRY_AFTER: Duration = Duration::from_secs(1);
const KEEP_ALIVE: Duration = Duration::from_secs(15);

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct StreamQuery {
    /// The number of the last event that is known already, 0 for all; only new events when left out. A `Last-Event-ID` header counts more.
    after: Option<i64>,
    /// Only records of this schema.
    schema_name: Option<String>,
    /// Only records with this tag; several separated by commas, all of which a record must have.
    tag: Option<String>,
    /// Conditions as JSON: `any_tags`, `all_tags`, `schema_name`, `context_match`.
    selector: Option<String>,
}

/// An event of the stream, by its name.
#[derive(JsonSchema)]
#[serde(tag = "event", content = "data", rename_all = "camelCase")]
#[expect(dead_code, reason = "describes what `RecordStream` writes")]
enum RecordStreamEvent {
    /// A record was created.
    Created(RecordEvent),
    /// A record was changed.
    Updated(RecordEvent),
    /// A record was deleted.
    Deleted(RecordEvent),
    /// A tool request of the record needs a person's approval.
    Waiting(RecordEvent),
    /// The server stops.
    GoingAway,
}

/// Something that happened to a record.
#[derive(Serialize, JsonSchema)]
struct RecordEvent {
    /// Its number; also the `id` of the event.
    seq: i64,
    event: String,
    id: String,
    version: i64,
    schema_name: String,
    tags: Vec<String>,
    /// In ms since 1970.
    at: i64,
    /// The record as this event left it; absent once it is deleted.
    #[serde(skip_serializing_if = "Option::is_none")]
    breadcrumb: Option<RecordView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    detail: Option<Value>,
}

impl From<BreadcrumbEvent> for RecordEvent {
    fn from(event: BreadcrumbEvent) -> Self {
        Self {
            seq: event.seq,
            event: event.kind.as_str().to_owned(),
            id: event.id.to_string(),
            version: event.version,
            schema_name: event.schema_name,
            tags: event.tags,
            at: event.at.millis(),
            breadcrumb: event.breadcrumb.map(RecordView::for_model),
            detail: event.detail,
        }
    }
}

pub(super) struct RecordStream(Box<Follower>);

impl Answer for RecordStream {
    const STATUS: StatusCode = StatusCode::OK;

    fn schema(_: &mut SchemaGenerator) -> Option<Schema> {
        None
    }

    fn stream(generator: &mut SchemaGenerator) -> Option<(&'static str, Schema)> {
        Some((
            "text/event-stream",
            generator.subschema_for::<RecordStreamEvent>(),
        ))
    }

    fn respond(self) -> Response {
        Sse::new(self.0.stream())
            .keep_alive(KeepAlive::new().interval(KEEP_ALIVE))
            .into_response()
    }
}

pub(super) async fn follow(context: Context, input: StreamQuery) -> Result<RecordStream, ApiError> {
    let site = context.site()?.clone();
    let selector = selector(
        input.selector.as_deref(),
        input.schema_name,
        input.tag.as_deref(),
    )?;
    let resumed = context.headers.get("last-event-id");
    let resumed = resumed.and_then(|id| id.to_str().ok()?.trim().parse().ok());
    // Subscribe before reading, so that no event falls between the two.
    let wake = context.app.store().wake_for_breadcrumbs(&site);
    let last = match resumed.or(input.after) {
        Some(after) => after.max(0),
        None => context.app.store().last_breadcrumb_event(&site).await?,
    };
    let mut follower = Follower {
        caller: caller(&context)?,
        app: context.app,
        selector,
        last,
        pending: VecDeque::new(),
        wake,
        ends: Instant::now() + STREAM_LIFE,
        is_over: false,
    };
    follower.read().await?;
    Ok(RecordStream(Box::new(follower)))
}

/// A client that follows the records of a site.
struct Follower {
    app: App,
    caller: BreadcrumbCaller,
    selector: Selector,
    /// The last event that was read.
    last: i64,
    pending: VecDeque<BreadcrumbEvent>,
    wake: Wake,
    ends: Instant,
    /// Whether the client has been notified that the server is stopping.
    is_over: bool,
}

impl Follower {
    /// Reads the next page. Returns false if there is nothing new.
    async fn read(&mut self) -> Result<bool, ApiError> {
        let records = self.app.breadcrumbs();
        let events = records.events(&self.caller, self.last, PAGE).await?;
        let events = events.ok_or_else(|| {
            ApiError::new(
                ErrorCode::ReloadRequired,
                "These events are no longer kept; list the records, then follow with `after=0` what is left of them.",
            )
        })?;
        let Some(newest) = events.last() else {
            return Ok(false);
        };
        self.last = newest.seq;
        self.pending.extend(events);
        Ok(true)
    }

    fn is_meant(&self, event: &BreadcrumbEvent) -> bool {
        match &event.breadcrumb {
            Some(record) => self.selector.matches(record),
            None => {
                let needs_content = !self.selector.context_match.is_empty();
                !needs_content && self.selector.matches_event(&event.schema_name, &event.tags)
            }
        }
    }

    fn stream(self: Box<Self>) -> impl Stream<Item = Result<Event, Infallible>> {
        stream::unfold(self, async |mut follower| {
            let event = match follower.next().await? {
                Some(event) => {
                    let event = RecordEvent::from(event);
                    Event::default()
                        .id(event.seq.to_string())
                        .event(&event.event)
                        .json_data(&event)
                }
                None => Ok(Event::default()
                    .event("goingAway")
                    .retry(RETRY_AFTER)
                    .data("{}")),
            };
            let event = event
                .inspect_err(|error| tracing::error!(%error, "an event cannot be written"))
                .ok()?;
            Some((Ok(event), follower))
        })
    }

    /// The next event, or that the server stops. `None` ends the stream, after which the client reconnects.
    async fn next(&mut self) -> Option<Option<BreadcrumbEvent>> {
        loop {
            if self.is_over {
                return None;
            }
            while let Some(event) = self.pending.pop_front() {
                if self.is_meant(&event) {
                    return Some(Some(event));
                }
            }
            if self.read().await.ok()? {
                continue;
            }
            tokio::select! {
                () = self.app.stopping().cancelled() => {
                    self.is_over = true;
                    return Some(None);
                }
                () = tokio::time::sleep_until(self.ends) => return None,
                goes_on = self.wake.changed() => if !goes_on { return None },
                () = tokio::time::sleep(LOOK_EVERY) => {}
            }
        }
    }
}

//! Following the changes of a site, in one response or as a stream. The stream also reports presence.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::time::Duration;

use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse as _, Response};
use futures_util::stream::{self, Stream};
use http::StatusCode;
use http::header::ACCEPT;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use sitewright_site::Logged;
use sitewright_store::{Changes, SiteId, UserId, Wake};
use sitewright_tool::ErrorCode;
use tokio::sync::watch;
use tokio::time::Instant;

use super::presence::{Present, present};

use crate::App;
use crate::problem::ApiError;
use crate::route::{Answer, Context};

/// The maximum number of changes in one response.
const PAGE: u16 = 500;
/// After this time a stream ends and the client reconnects, so that it does not outlive the caller's permissions.
const STREAM_LIFE: Duration = Duration::from_secs(120);
/// Polling interval, because a node may miss another node's announcement.
const LOOK_EVERY: Duration = Duration::from_secs(5);
/// How long a client should wait before it reconnects to a server that has stopped.
const RETRY_AFTER: Duration = Duration::from_secs(1);
const KEEP_ALIVE: Duration = Duration::from_secs(15);

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ChangesQuery {
    /// The last entry that is known already; 0 for all.
    after: u64,
}

/// Changes, the oldest first.
#[derive(Serialize, JsonSchema)]
struct ChangesPage {
    /// The last entry of the log. There are more to ask for when it is greater than that of the last change here.
    seq: u64,
    /// The changes.
    changes: Vec<Logged>,
}

/// Changes in one response, or as they arrive.
pub(super) enum Following {
    Page(Changes),
    Stream(Box<Follower>),
}

impl Answer for Following {
    const STATUS: StatusCode = StatusCode::OK;

    fn schema(generator: &mut SchemaGenerator) -> Option<Schema> {
        Some(generator.subschema_for::<ChangesPage>())
    }

    fn stream(generator: &mut SchemaGenerator) -> Option<(&'static str, Schema)> {
        Some(("text/event-stream", generator.subschema_for::<SiteEvent>()))
    }

    fn respond(self) -> Response {
        match self {
            Self::Page(Changes { entries, end }) => axum::Json(ChangesPage {
                seq: end,
                changes: entries,
            })
            .into_response(),
            Self::Stream(follower) => Sse::new(follower.stream())
                .keep_alive(KeepAlive::new().interval(KEEP_ALIVE))
                .into_response(),
        }
    }
}

pub(super) async fn changes(context: Context, input: ChangesQuery) -> Result<Following, ApiError> {
    let site = context.site()?.clone();
    let streams = context
        .headers
        .get(ACCEPT)
        .and_then(|accept| accept.to_str().ok())
        .is_some_and(|accept| accept.contains("text/event-stream"));
    // Subscribe before reading, so that no change falls between the two.
    let wake = streams.then(|| context.app.store().wake(&site));
    let found = page(&context.app, &site, input.after).await?;
    let Some(wake) = wake else {
        return Ok(Following::Page(found));
    };
    Ok(Following::Stream(Box::new(Follower {
        reader: context.caller.user_id().cloned(),
        people: context.app.presence().changed(),
        turns: context.app.agent().running_changed(),
        told: None,
        app: context.app,
        site,
        last: input.after,
        waiting: found.entries.into(),
        wake,
        ends: Instant::now() + STREAM_LIFE,
        is_over: false,
    })))
}

async fn page(app: &App, site: &SiteId, after: u64) -> Result<Changes, ApiError> {
    let found = app.store().changes(site, after, PAGE).await?;
    found.ok_or_else(|| {
        ApiError::new(
            ErrorCode::ReloadRequired,
            "These changes are no longer kept one by one; load the documents again.",
        )
    })
}

/// A client that follows the changes of a site.
pub(super) struct Follower {
    app: App,
    site: SiteId,
    reader: Option<UserId>,
    last: u64,
    waiting: VecDeque<Logged>,
    wake: Wake,
    people: watch::Receiver<()>,
    turns: watch::Receiver<()>,
    /// Presence as it was last sent.
    told: Option<Present>,
    ends: Instant,
    /// Whether the client has been notified that the server is stopping.
    is_over: bool,
}

/// An event of the stream, by its name.
#[derive(JsonSchema)]
#[serde(tag = "event", content = "data", rename_all = "camelCase")]
enum SiteEvent {
    /// A change was committed.
    Change(Box<Logged>),
    /// Who is there has changed.
    Presence(Present),
    /// The server stops.
    GoingAway,
}

impl Follower {
    fn stream(self: Box<Self>) -> impl Stream<Item = Result<Event, Infallible>> {
        stream::unfold(self, async |mut follower| {
            let event = match follower.next().await? {
                SiteEvent::Change(entry) => {
                    follower.last = entry.seq;
                    let id = entry.seq.to_string();
                    Event::default().id(id).event("change").json_data(&entry)
                }
                SiteEvent::Presence(present) => {
                    Event::default().event("presence").json_data(&present)
                }
                SiteEvent::GoingAway => Ok(Event::default()
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

    /// The next event; `None` ends the stream, after which the client reconnects.
    async fn next(&mut self) -> Option<SiteEvent> {
        loop {
            if self.is_over {
                return None;
            }
            if let Some(entry) = self.waiting.pop_front() {
                return Some(SiteEvent::Change(Box::new(entry)));
            }
            self.people.mark_unchanged();
            self.turns.mark_unchanged();
            let now = present(&self.app, &self.site, self.reader.as_ref())
                .await
                .ok()?;
            if self.told.as_ref() != Some(&now) {
                self.told = Some(now.clone());
                return Some(SiteEvent::Presence(now));
            }
            tokio::select! {
                () = self.app.stopping().cancelled() => {
                    self.is_over = true;
                    return Some(SiteEvent::GoingAway);
                }
                () = tokio::time::sleep_until(self.ends) => return None,
                goes_on = self.wake.changed() => if !goes_on { return None },
                goes_on = self.people.changed() => match goes_on { Ok(()) => continue, Err(_) => return None },
                goes_on = self.turns.changed() => match goes_on { Ok(()) => continue, Err(_) => return None },
                () = tokio::time::sleep(LOOK_EVERY) => {}
            }
            self.waiting = page(&self.app, &self.site, self.last)
                .await
                .ok()?
                .entries
                .into();
        }
    }
}

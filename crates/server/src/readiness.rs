//! Whether requests can be served, tested by doing a little of what they do: writing a row and a file, and checking that calls can be
//! recorded. Anyone may ask, so a result is cached for a second and only one probe runs at a time.

use std::time::Duration;

use sitewright_store::{StoreError, Timestamp};
use sitewright_tool::sentence;
use tokio::sync::Mutex;
use tokio::time::{Instant, timeout};

use crate::App;

/// How long a probe may take. Anything slower counts as unavailable.
const ANSWER_WITHIN: Duration = Duration::from_millis(1500);
/// How long a result is cached.
const FRESH_FOR: Duration = Duration::from_secs(1);

/// The result of the last probe.
#[derive(Default)]
pub(crate) struct Readiness(Mutex<Option<Answer>>);

struct Answer {
    at: Instant,
    /// What prevents requests from being served.
    obstacle: Option<String>,
}

impl Readiness {
    /// What prevents requests from being served at the moment, as a sentence; `None` when they can be.
    pub(crate) async fn obstacle(&self, app: &App) -> Option<String> {
        // Callers that arrive during a probe wait for its result, which takes a bounded time.
        let mut last = self.0.lock().await;
        if let Some(answer) = last.as_ref()
            && answer.at.elapsed() < FRESH_FOR
        {
            return answer.obstacle.clone();
        }
        let obstacle = probe(app).await;
        if let Some(obstacle) = &obstacle {
            tracing::warn!(obstacle, "not ready");
        }
        *last = Some(Answer {
            at: Instant::now(),
            obstacle: obstacle.clone(),
        });
        obstacle
    }
}

async fn probe(app: &App) -> Option<String> {
    let (rows, files) = tokio::join!(
        timeout(ANSWER_WITHIN, app.store().probe(Timestamp::now())),
        timeout(ANSWER_WITHIN, app.blobs().probe()),
    );
    let status = app.pipeline().recorder_status();
    let recorder = status.is_failing.then(|| {
        format!(
            "Calls of tools cannot be recorded: {} are waiting.",
            status.waiting
        )
    });
    obstacle("database", rows)
        .or_else(|| obstacle("file storage", files))
        .or(recorder)
}

fn obstacle(
    part: &str,
    probed: Result<Result<(), StoreError>, tokio::time::error::Elapsed>,
) -> Option<String> {
    match probed {
        Ok(Ok(())) => None,
        Ok(Err(error)) => {
            tracing::warn!(error = &error as &dyn std::error::Error, "a probe failed");
            Some(sentence(&error.to_string()))
        }
        Err(_elapsed) => Some(format!("The {part} does not answer in time.")),
    }
}

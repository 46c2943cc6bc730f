//! Attempts of outside tools: each has a timeout, and only those that are safe to repeat are retried.

use std::time::Duration;

use serde_json::json;
use sitewright_tool::{ErrorCode, ToolError, ToolManifest};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::call::ResolvedCall;
use crate::tool::OutsideTool;
use crate::{Attempt, Delivery, Failure, ToolOutput};

/// The longest pause between two attempts.
const PAUSE_MAX: Duration = Duration::from_secs(60);
/// The base of the backoff if the manifest has none.
const BACKOFF: Duration = Duration::from_millis(250);

/// The result of the last attempt, and how many there were.
pub(crate) struct AttemptSummary {
    pub(crate) result: Result<ToolOutput, Failure>,
    pub(crate) attempts: u8,
}

/// Runs the tool until it succeeds, a retry would be unsafe or pointless, or the time for the whole call is up.
///
/// An attempt that times out or is stopped counts as possibly delivered, so it is retried only for an idempotent tool. When the
/// call is stopped during a pause, the failure of the attempt before it is returned.
pub(crate) async fn attempt(
    tool: &OutsideTool,
    resolved: &ResolvedCall,
    agreed: Option<&str>,
    stopping: &CancellationToken,
) -> AttemptSummary {
    let manifest = &tool.definition.manifest;
    let deadline = Instant::now() + resolved.within();
    let context = resolved.context();
    let mut attempts = 0;
    loop {
        attempts += 1;
        let left = deadline.saturating_duration_since(Instant::now());
        let timeout = Duration::from_millis(u64::from(manifest.timeout_ms)).min(left);
        let attempt = Attempt {
            timeout,
            ..resolved.attempt(&context, agreed)
        };
        let running = tool.work.run(&resolved.call.arguments, attempt);
        // Dropping the attempt stops it, but the request may already have been sent.
        let result = tokio::select! {
            biased;
            () = stopped(resolved, stopping) => Err(lost(ErrorCode::Cancelled, "The call was stopped.".to_owned())),
            result = running => result,
            () = tokio::time::sleep(timeout) => {
                let message = format!("The tool did not answer within {} ms.", timeout.as_millis());
                Err(lost(ErrorCode::Timeout, message))
            }
        };
        let Err(failure) = result else {
            return AttemptSummary { result, attempts };
        };
        let left = deadline.saturating_duration_since(Instant::now());
        let Some(pause) = pause(manifest, &failure, attempts, left, random()) else {
            return AttemptSummary {
                result: Err(failure),
                attempts,
            };
        };
        tokio::select! {
            () = stopped(resolved, stopping) => return AttemptSummary { result: Err(failure), attempts },
            () = tokio::time::sleep(pause) => {}
        }
    }
}

/// Resolves when the caller cancels the call or the server stops.
async fn stopped(resolved: &ResolvedCall, stopping: &CancellationToken) {
    tokio::select! {
        () = resolved.call.stop.cancelled() => {}
        () = stopping.cancelled() => {}
    }
}

fn lost(code: ErrorCode, message: String) -> Failure {
    Failure {
        error: ToolError::new(code, message),
        delivery: Delivery::Unknown,
        retry_after: None,
    }
}

/// How long to wait before the next attempt, or `None` if there must not be one. Exponential backoff with full jitter; `random` is
/// between 0 and 1.
fn pause(
    manifest: &ToolManifest,
    failure: &Failure,
    attempts: u8,
    left: Duration,
    random: f64,
) -> Option<Duration> {
    // A request that was never sent can be sent again even if the tool is not idempotent.
    let is_harmless = manifest.idempotent || failure.delivery == Delivery::Never;
    if !failure.error.retryable || !is_harmless || attempts >= manifest.retry_policy.max_attempts {
        return None;
    }
    let backoff = manifest.retry_policy.backoff_ms;
    let backoff = backoff.map_or(BACKOFF, |millis| Duration::from_millis(u64::from(millis)));
    let ceiling = backoff
        .saturating_mul(1 << (attempts - 1).min(16))
        .min(PAUSE_MAX);
    let pause = ceiling.mul_f64(random);
    // The jitter is added to the requested delay, so that clients do not all come back at the same moment.
    let pause = failure.retry_after.map_or(pause, |after| after + pause);
    (pause < left).then_some(pause)
}

fn random() -> f64 {
    // If there is no randomness, the longest pause is the safe choice.
    let bits = getrandom::u32().unwrap_or(u32::MAX);
    f64::from(bits) / f64::from(u32::MAX)
}

/// The error for a call with side effects that got no answer.
pub(crate) fn unknown(failure: &Failure) -> ToolError {
    ToolError::new(
        ErrorCode::OutcomeUnknown,
        format!(
            "No response came back, so its outcome is unknown: {} It is not sent again automatically. Check the other system, \
             then settle the call.",
            failure.error.message
        ),
    )
    .with(json!({ "cause": failure.error.code }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn manifest(idempotent: bool) -> ToolManifest {
        let manifest = json!({
            "name": "mail.send", "description": "Sends.", "inputSchema": {"type": "object"}, "outputSchema": {},
            "capability": "write", "timeoutMs": 1000, "retryPolicy": {"maxAttempts": 3, "backoffMs": 100}, "idempotent": idempotent,
        });
        serde_json::from_value(manifest).unwrap()
    }

    fn failure(code: ErrorCode, delivery: Delivery) -> Failure {
        Failure {
            error: ToolError::new(code, "No."),
            delivery,
            retry_after: None,
        }
    }

    const LEFT: Duration = Duration::from_secs(10);

    #[test]
    fn only_what_can_do_no_harm_twice_is_tried_again() {
        use Delivery::{Answered, Never, Unknown};
        use ErrorCode::{InvalidInput, Timeout, UpstreamError};
        for (idempotent, code, delivery, again) in [
            (true, Timeout, Unknown, true),
            (true, UpstreamError, Answered, true),
            (true, InvalidInput, Answered, false),
            (false, Timeout, Unknown, false),
            (false, UpstreamError, Answered, false),
            (false, UpstreamError, Never, true),
        ] {
            let pause = pause(
                &manifest(idempotent),
                &failure(code, delivery),
                1,
                LEFT,
                0.5,
            );
            assert_eq!(pause.is_some(), again, "{idempotent} {code:?} {delivery:?}");
        }
    }

    #[test]
    fn pauses_grow_are_spread_and_end() {
        let failed = failure(ErrorCode::Timeout, Delivery::Unknown);
        let millis = |attempts, random| {
            pause(&manifest(true), &failed, attempts, LEFT, random).map(|pause| pause.as_millis())
        };
        assert_eq!((millis(1, 1.0), millis(2, 1.0)), (Some(100), Some(200)));
        assert_eq!((millis(1, 0.0), millis(2, 0.25)), (Some(0), Some(50)));
        assert_eq!(millis(3, 1.0), None, "the third was the last");
    }

    #[test]
    fn whoever_asks_to_be_left_alone_is_unless_there_is_no_time() {
        let mut failed = failure(ErrorCode::RateLimited, Delivery::Answered);
        failed.retry_after = Some(Duration::from_secs(2));
        let at = |left| pause(&manifest(true), &failed, 1, left, 0.5);
        assert_eq!(at(LEFT), Some(Duration::from_millis(2050)));
        assert_eq!(at(Duration::from_secs(2)), None);
    }
}

//! The retry policy for all providers: whether to send a request again, and after which pause.
//!
//! The loop applies it only if nothing of the answer has been shown yet, because shown text cannot be taken back.

use std::time::Duration;

use crate::error::{Again, ModelError};

/// How often a request is retried; the same number as in the providers' own clients.
pub(crate) const RETRIES_MAX: u32 = 2;

/// A provider that asks for a longer pause than this is treated as down.
const WAIT_MAX: Duration = Duration::from_secs(60);

/// The pause before attempt `retries + 2`, or `None` if the request should not be retried. `jitter` is between 0 and 1.
pub(crate) fn pause(error: &ModelError, retries: u32, jitter: f64) -> Option<Duration> {
    if retries >= RETRIES_MAX || error.again == Again::Never {
        return None;
    }
    if let Some(asked) = error.retry_after {
        return (asked <= WAIT_MAX).then_some(asked);
    }
    let seconds = (0.5 * f64::from(1_u32 << retries.min(8))).min(8.0);
    let factor = 1.0 - 0.25 * jitter.clamp(0.0, 1.0);
    Some(Duration::from_secs_f64(seconds * factor))
}

#[cfg(test)]
mod tests {
    use super::pause;
    use crate::error::{ErrorClass, ModelError};
    use std::time::Duration;

    #[test]
    fn pauses_grow_and_end() {
        let error = ModelError::new(ErrorClass::Overloaded, "");
        let millis = |retries, jitter| pause(&error, retries, jitter).map(|wait| wait.as_millis());
        assert_eq!(millis(0, 0.0), Some(500));
        assert_eq!(millis(0, 1.0), Some(375));
        assert_eq!(millis(1, 0.0), Some(1000));
        assert_eq!(millis(2, 0.0), None);
    }

    #[test]
    fn what_the_provider_asks_for_counts_unless_it_is_absurd() {
        let asking = |seconds| {
            let mut error = ModelError::new(ErrorClass::RateLimited, "");
            error.retry_after = Some(Duration::from_secs(seconds));
            pause(&error, 0, 0.5)
        };
        assert_eq!(asking(7), Some(Duration::from_secs(7)));
        assert_eq!(asking(3600), None);
    }

    #[test]
    fn k08_no_credit_and_bad_requests_are_never_repeated() {
        for class in [
            ErrorClass::Billing,
            ErrorClass::Auth,
            ErrorClass::InvalidRequest,
        ] {
            assert_eq!(pause(&ModelError::new(class, ""), 0, 0.5), None);
        }
    }
}

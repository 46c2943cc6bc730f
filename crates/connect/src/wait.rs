//! How long a vendor asks us to wait.

use std::time::Duration;

use http::HeaderMap;
use http::header::{DATE, RETRY_AFTER};
use jiff::Timestamp;
use jiff::fmt::rfc2822::DateTimeParser;

/// Longer waits are reduced to this.
const WAIT_MAX: Duration = Duration::from_secs(24 * 60 * 60);

/// What `Retry-After` asks for: seconds, or a date, which is compared with the answer's own `Date` so that our clock does not matter.
/// `None` when it is absent or invalid.
pub(crate) fn asked_for(headers: &HeaderMap) -> Option<Duration> {
    let text = |name| headers.get(name)?.to_str().ok().map(str::trim);
    let after = text(RETRY_AFTER)?;
    let wait = match after.parse::<f64>() {
        Ok(seconds) if seconds > WAIT_MAX.as_secs_f64() => WAIT_MAX,
        Ok(seconds) => Duration::try_from_secs_f64(seconds).ok()?,
        Err(_no_number) => {
            let time = |text: &str| DateTimeParser::new().parse_timestamp(text).ok();
            let now: Timestamp = time(text(DATE)?)?;
            Duration::try_from(time(after)?.duration_since(now)).ok()?
        }
    };
    (!wait.is_zero()).then_some(wait.min(WAIT_MAX))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use http::{HeaderMap, HeaderName, HeaderValue};

    use super::asked_for;

    fn check(lines: &[(&'static str, &'static str)], expected_ms: Option<u64>) {
        let line = |(name, value): &(&'static str, &'static str)| {
            (
                HeaderName::from_static(name),
                HeaderValue::from_static(value),
            )
        };
        let headers: HeaderMap = lines.iter().map(line).collect();
        assert_eq!(
            asked_for(&headers),
            expected_ms.map(Duration::from_millis),
            "{lines:?}"
        );
    }

    #[test]
    fn a_wait_is_seconds_or_a_time_after_the_answer() {
        const NOW: (&str, &str) = ("date", "Sun, 15 Nov 2026 12:00:00 GMT");
        check(&[("retry-after", "2")], Some(2_000));
        check(&[("retry-after", "0.25")], Some(250));
        check(
            &[NOW, ("retry-after", "Sun, 15 Nov 2026 12:00:30 GMT")],
            Some(30_000),
        );
        check(
            &[NOW, ("retry-after", "Sun, 15 Nov 2026 11:00:30 GMT")],
            None,
        );
        check(&[("retry-after", "Sun, 15 Nov 2026 12:00:30 GMT")], None);
        check(&[], None);
    }

    #[test]
    fn nonsense_asks_for_nothing_and_a_year_for_a_day() {
        for nonsense in ["soon", "-1", "0", "NaN", "-inf", ""] {
            check(&[("retry-after", nonsense)], None);
        }
        for long in ["31536000", "1e300", "inf"] {
            check(&[("retry-after", long)], Some(24 * 60 * 60 * 1000));
        }
    }
}

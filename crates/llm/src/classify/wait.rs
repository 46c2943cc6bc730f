//! Parses how long a provider asks to wait, in all the forms that providers use.
//!
//! Absolute times are compared with the response's own `Date` header, so the result does not depend on the local clock.

use std::time::Duration;

use http::HeaderMap;
use jiff::Timestamp;
use jiff::fmt::rfc2822::DateTimeParser;

/// The wait that the headers ask for; `None` if they contain none, or one that cannot be parsed.
pub(super) fn asked_for(headers: &HeaderMap) -> Option<Duration> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    if let Some(millis) = text("retry-after-ms").and_then(|text| text.trim().parse::<f64>().ok()) {
        return positive(millis / 1000.0);
    }
    let now = text("date").and_then(http_date);
    if let Some(after) = text("retry-after") {
        return match after.trim().parse::<f64>() {
            Ok(seconds) => positive(seconds),
            Err(_) => until(http_date(after)?, now),
        };
    }
    let limits = ["requests", "tokens", "input-tokens", "output-tokens"];
    let resets = limits.iter().flat_map(|what| {
        [
            (
                format!("anthropic-ratelimit-{what}-remaining"),
                format!("anthropic-ratelimit-{what}-reset"),
            ),
            (
                format!("x-ratelimit-remaining-{what}"),
                format!("x-ratelimit-reset-{what}"),
            ),
        ]
    });
    resets
        .filter(|(remaining, _)| text(remaining).is_some_and(|left| left.trim() == "0"))
        .filter_map(|(_, reset)| reset_in(text(&reset)?, now))
        .max()
}

/// Parses a reset: a duration (`6m0s`), a time (RFC 3339), or a number, which means seconds, or seconds or milliseconds since 1970.
fn reset_in(text: &str, now: Option<Timestamp>) -> Option<Duration> {
    let text = text.trim();
    if let Ok(number) = text.parse::<f64>() {
        return match number {
            n if n > 1e12 => until(Timestamp::from_millisecond(n as i64).ok()?, now),
            n if n > 1e9 => until(Timestamp::from_second(n as i64).ok()?, now),
            n => positive(n),
        };
    }
    if let Ok(time) = text.parse::<Timestamp>() {
        return until(time, now);
    }
    spelled_out(text)
}

/// Parses a duration such as `12ms`, `1s`, `6m0s` or `1h2m3.5s`.
fn spelled_out(text: &str) -> Option<Duration> {
    let mut seconds = 0.0;
    let mut rest = text;
    while !rest.is_empty() {
        let unit_at = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let number: f64 = rest[..unit_at].parse().ok()?;
        let units = &rest[unit_at..];
        let length = units
            .find(|c: char| c.is_ascii_digit())
            .unwrap_or(units.len());
        seconds += number
            * match &units[..length] {
                "ms" => 0.001,
                "s" => 1.0,
                "m" => 60.0,
                "h" => 3600.0,
                "d" => 86400.0,
                _ => return None,
            };
        rest = &units[length..];
    }
    positive(seconds)
}

fn until(time: Timestamp, now: Option<Timestamp>) -> Option<Duration> {
    Duration::try_from(time.duration_since(now?)).ok()
}

fn positive(seconds: f64) -> Option<Duration> {
    (seconds > 0.0)
        .then(|| Duration::try_from_secs_f64(seconds).ok())
        .flatten()
}

fn http_date(text: &str) -> Option<Timestamp> {
    DateTimeParser::new().parse_timestamp(text.trim()).ok()
}

#[cfg(test)]
mod tests {
    use super::asked_for;
    use http::{HeaderMap, HeaderName, HeaderValue};

    fn check(lines: &[(&'static str, &'static str)], expected_ms: Option<u128>) {
        let headers: HeaderMap = lines
            .iter()
            .map(|(name, value)| {
                (
                    HeaderName::from_static(name),
                    HeaderValue::from_static(value),
                )
            })
            .collect();
        let waits = asked_for(&headers).map(|wait| wait.as_millis());
        assert_eq!(waits, expected_ms, "{lines:?}");
    }

    const NOW: (&str, &str) = ("date", "Sun, 15 Nov 2026 12:00:00 GMT");

    #[test]
    fn retry_after_is_milliseconds_seconds_or_a_date() {
        check(
            &[("retry-after-ms", "1500.5"), ("retry-after", "9")],
            Some(1500),
        );
        check(&[("retry-after", "2")], Some(2000));
        check(&[("retry-after", "0.25")], Some(250));
        check(&[("retry-after", "0")], None);
        check(
            &[NOW, ("retry-after", "Sun, 15 Nov 2026 12:00:30 GMT")],
            Some(30_000),
        );
        check(&[("retry-after", "Sun, 15 Nov 2026 12:00:30 GMT")], None);
        check(&[("retry-after", "soon")], None);
    }

    #[test]
    fn k34_resets_are_read_in_every_providers_form() {
        let anthropic = ("anthropic-ratelimit-tokens-reset", "2026-11-15T12:00:07Z");
        check(
            &[
                NOW,
                ("anthropic-ratelimit-tokens-remaining", "0"),
                anthropic,
            ],
            Some(7000),
        );
        check(
            &[
                NOW,
                ("anthropic-ratelimit-tokens-remaining", "12"),
                anthropic,
            ],
            None,
        );
        let empty = ("x-ratelimit-remaining-requests", "0");
        check(
            &[empty, ("x-ratelimit-reset-requests", "6m0s")],
            Some(360_000),
        );
        check(&[empty, ("x-ratelimit-reset-requests", "12ms")], Some(12));
        check(
            &[NOW, empty, ("x-ratelimit-reset-requests", "1794744010")],
            Some(10_000),
        );
        check(
            &[NOW, empty, ("x-ratelimit-reset-requests", "1794744003000")],
            Some(3000),
        );
        check(
            &[
                ("x-ratelimit-remaining-tokens", "0"),
                ("x-ratelimit-reset-tokens", "4"),
            ],
            Some(4000),
        );
        check(&[empty, ("x-ratelimit-reset-requests", "later")], None);
    }
}

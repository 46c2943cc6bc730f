//! Times as tools write them: ISO 8601.

use jiff::civil;
use jiff::tz::TimeZone;
use sitewright_site::Stop;

/// A time of the input in milliseconds since 1970. A day alone means its beginning in UTC.
pub(crate) fn read(field: &str, text: &str) -> Result<i64, Stop> {
    let time = text.parse::<jiff::Timestamp>().ok();
    let day = || {
        let day = text.parse::<civil::Date>().ok()?;
        Some(day.to_zoned(TimeZone::UTC).ok()?.timestamp())
    };
    let Some(time) = time.or_else(day) else {
        let message = format!(
            "{field} must be a time such as 2026-03-31T18:00:00Z, or a day such as 2026-03-31."
        );
        return Err(Stop::invalid_at(field, message));
    };
    Ok(time.as_millisecond())
}

/// A time for an answer; `None` for one beyond the calendar.
pub(crate) fn written(millis: i64) -> Option<String> {
    let time = jiff::Timestamp::from_millisecond(millis).ok()?;
    Some(time.to_string())
}

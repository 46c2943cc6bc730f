//! Formatters of bindings: dates, numbers and text, in the conventions of the site's language where they are known.

use serde_json::Value;

/// A formatter, applied to a value before it is shown.
#[derive(Debug, PartialEq)]
pub(super) enum Formatter<'a> {
    Date(&'a str),
    Number(Option<usize>),
    Upper,
    Lower,
    Capitalize,
    Plain,
    Truncate(usize),
}

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
const DECIMALS_MAX: usize = 10;

impl<'a> Formatter<'a> {
    pub(super) fn parse(text: &'a str) -> Option<Self> {
        let (name, argument) = match text.split_once('(') {
            Some((name, rest)) => (name, Some(rest.strip_suffix(')')?)),
            None => (text, None),
        };
        match (name, argument) {
            ("date", pattern) => Some(Self::Date(pattern.unwrap_or("d MMMM yyyy"))),
            ("number", None) => Some(Self::Number(None)),
            ("number", Some(decimals)) => Some(Self::Number(Some(
                decimals
                    .parse()
                    .ok()
                    .filter(|count| *count <= DECIMALS_MAX)?,
            ))),
            ("upper", None) => Some(Self::Upper),
            ("lower", None) => Some(Self::Lower),
            ("capitalize", None) => Some(Self::Capitalize),
            ("plain", None) => Some(Self::Plain),
            ("truncate", Some(length)) => Some(Self::Truncate(length.parse().ok()?)),
            _ => None,
        }
    }

    /// The formatted value. A value that does not fit the formatter, such as a word for a date, is shown unformatted.
    pub(super) fn apply(&self, value: &Value, language: &str) -> String {
        match self {
            Self::Date(pattern) => {
                Moment::of(value).map_or_else(|| plain(value), |moment| moment.shown(pattern))
            }
            Self::Number(decimals) => {
                number(value, *decimals, language).unwrap_or_else(|| plain(value))
            }
            Self::Upper => plain(value).to_uppercase(),
            Self::Lower => plain(value).to_lowercase(),
            Self::Capitalize => {
                let text = plain(value);
                let mut chars = text.chars();
                chars
                    .next()
                    .map(|first| first.to_uppercase().chain(chars).collect())
                    .unwrap_or_default()
            }
            Self::Plain => without_tags(&plain(value)),
            Self::Truncate(length) => truncated(&plain(value), *length),
        }
    }
}

/// The key of the HTML in the value of a rich text.
const RICH_TEXT: &str = "richText";

/// The value of a rich text, as bindings see it.
pub(crate) fn rich_text(html: String) -> Value {
    Value::Object(
        [(RICH_TEXT.to_owned(), Value::String(html))]
            .into_iter()
            .collect(),
    )
}

/// The HTML of a rich text, which is still to be imported; `None` for any other value.
pub(crate) fn rich_html(value: &Value) -> Option<&str> {
    let values = value.as_object().filter(|values| values.len() == 1)?;
    values.get(RICH_TEXT)?.as_str()
}

/// A value as text. Rich text loses its formatting.
pub(crate) fn plain_text(value: &Value) -> String {
    plain(value)
}

/// A value as text, without a formatter.
pub(super) fn plain(value: &Value) -> String {
    if let Some(html) = rich_html(value) {
        let text = without_tags(html);
        let text = [
            ("&lt;", "<"),
            ("&gt;", ">"),
            ("&quot;", "\""),
            ("&amp;", "&"),
        ]
        .iter()
        .fold(text, |text, (reference, char)| {
            text.replace(reference, char)
        });
        return text.trim().to_owned();
    }
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Bool(_) | Value::Number(_) | Value::Object(_) => value.to_string(),
        Value::Array(items) => items.iter().map(plain).collect::<Vec<_>>().join(", "),
    }
}

/// Elements whose content is code and no text.
const CODE: [&str; 2] = ["script", "style"];

/// The text of markup, without its tags and without code. Bindings are escaped when they are written, so this is for appearance and
/// not for safety.
fn without_tags(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        let (before, tag) = rest.split_at(at);
        kept.push_str(before);
        rest = behind_tag(tag);
    }
    kept.push_str(rest);
    kept
}

/// What follows the tag at the beginning, or the whole element if its content is code. Nothing follows one without an end.
fn behind_tag(text: &str) -> &str {
    let opened = CODE.iter().find(|name| is_tag(text, "<", name));
    let end = match opened {
        Some(name) => {
            let mut ends = text.match_indices("</");
            let end = ends.find(|(at, _)| is_tag(&text[*at..], "</", name));
            end.map(|(at, _)| &text[at..])
        }
        None => Some(text),
    };
    end.and_then(|end| end.split_once('>'))
        .map_or("", |(_, behind)| behind)
}

/// Whether a text begins with a tag of this name, which HTML takes in any case.
fn is_tag(text: &str, start: &str, name: &str) -> bool {
    let Some(named) = text.strip_prefix(start) else {
        return false;
    };
    let (Some(found), Some(behind)) = (named.get(..name.len()), named.get(name.len()..)) else {
        return false;
    };
    found.eq_ignore_ascii_case(name)
        && behind.starts_with(|next: char| next.is_ascii_whitespace() || ['>', '/'].contains(&next))
}

fn truncated(text: &str, length: usize) -> String {
    if text.chars().count() <= length {
        return text.to_owned();
    }
    let kept: String = text.chars().take(length).collect();
    format!("{}…", kept.trim_end())
}

fn number(value: &Value, decimals: Option<usize>, language: &str) -> Option<String> {
    let number = match value {
        Value::Number(number) => number.as_f64()?,
        Value::String(text) => text.trim().parse().ok()?,
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => return None,
    };
    let written = decimals.map_or_else(
        || number.abs().to_string(),
        |decimals| format!("{:.decimals$}", round_half_up(number.abs(), decimals)),
    );
    let (whole, fraction) = written
        .split_once('.')
        .map_or((written.as_str(), None), |(whole, fraction)| {
            (whole, Some(fraction))
        });
    let (group, point) = separators(language);
    let mut grouped = String::new();
    for (position, digit) in whole.chars().enumerate() {
        if position > 0 && (whole.len() - position) % 3 == 0 {
            grouped.push_str(group);
        }
        grouped.push(digit);
    }
    let sign = if number < 0.0 { "-" } else { "" };
    Some(match fraction {
        Some(fraction) => format!("{sign}{grouped}{point}{fraction}"),
        None => format!("{sign}{grouped}"),
    })
}

/// Rounds halves away from zero, as people expect; Rust's formatting rounds them to even.
fn round_half_up(number: f64, decimals: usize) -> f64 {
    let factor = 10f64.powi(i32::try_from(decimals).unwrap_or(0));
    (number * factor).round() / factor
}

/// The separators of thousands and of the fraction.
fn separators(language: &str) -> (&'static str, &'static str) {
    match language.split('-').next().unwrap_or_default() {
        "de" | "es" | "it" | "nl" | "pt" | "da" | "id" | "tr" | "el" | "hr" | "ro" | "sl" => {
            (".", ",")
        }
        "fr" | "cs" | "sk" | "pl" | "sv" | "nb" | "no" | "fi" | "uk" | "ru" | "hu" | "bg"
        | "et" | "lv" | "lt" => ("\u{202f}", ","),
        _ => (",", "."),
    }
}

/// A time in ISO 8601, to the minute.
pub(crate) fn iso_time(millis: i64) -> String {
    Moment::from_millis(millis).shown("yyyy-MM-ddTHH:mm:00Z")
}

/// A point in time, in UTC.
struct Moment {
    year: i64,
    month: usize,
    day: u32,
    hour: u32,
    minute: u32,
}

impl Moment {
    /// Parses milliseconds since 1970, or the beginning of an ISO 8601 text.
    fn of(value: &Value) -> Option<Self> {
        match value {
            Value::Number(millis) => Some(Self::from_millis(millis.as_i64()?)),
            Value::String(text) => Self::from_text(text),
            Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
        }
    }

    fn from_text(text: &str) -> Option<Self> {
        let part = |range: std::ops::Range<usize>| {
            text.get(range).and_then(|part| part.parse::<u32>().ok())
        };
        let well_formed =
            text.as_bytes().get(4) == Some(&b'-') && text.as_bytes().get(7) == Some(&b'-');
        let (year, month, day) = (part(0..4)?, part(5..7)?, part(8..10)?);
        if !well_formed || !(1..=12).contains(&month) || !(1..=31).contains(&day) {
            return None;
        }
        let (hour, minute) = (part(11..13).unwrap_or(0), part(14..16).unwrap_or(0));
        Some(Self {
            year: i64::from(year),
            month: month as usize,
            day,
            hour,
            minute,
        })
    }

    /// Converts milliseconds to a date by the civil calendar's 400-year cycle.
    fn from_millis(millis: i64) -> Self {
        let minutes = millis.div_euclid(60_000);
        let days = minutes.div_euclid(24 * 60);
        let shifted = days + 719_468;
        let era = shifted.div_euclid(146_097);
        let day_of_era = shifted.rem_euclid(146_097);
        let year_of_era =
            (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let month_from_march = (5 * day_of_year + 2) / 153;
        let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
        let month = if month_from_march < 10 {
            month_from_march + 3
        } else {
            month_from_march - 9
        };
        let year = year_of_era + era * 400 + i64::from(month <= 2);
        let of_day = minutes.rem_euclid(24 * 60);
        let small = |number: i64| u32::try_from(number).unwrap_or(0);
        Self {
            year,
            month: usize::try_from(month).unwrap_or(1),
            day: small(day),
            hour: small(of_day / 60),
            minute: small(of_day % 60),
        }
    }

    fn shown(&self, pattern: &str) -> String {
        let name = MONTHS
            .get(self.month.saturating_sub(1))
            .copied()
            .unwrap_or_default();
        let mut shown = String::new();
        let mut rest = pattern;
        while let Some(first) = rest.chars().next() {
            let run = rest.chars().take_while(|char| *char == first).count();
            let (token, behind) = rest.split_at(run * first.len_utf8());
            match token {
                "yyyy" => shown.push_str(&format!("{:04}", self.year)),
                "MMMM" => shown.push_str(name),
                "MMM" => shown.push_str(&name[..3]),
                "MM" => shown.push_str(&format!("{:02}", self.month)),
                "M" => shown.push_str(&self.month.to_string()),
                "dd" => shown.push_str(&format!("{:02}", self.day)),
                "d" => shown.push_str(&self.day.to_string()),
                "HH" => shown.push_str(&format!("{:02}", self.hour)),
                "mm" => shown.push_str(&format!("{:02}", self.minute)),
                other => shown.push_str(other),
            }
            rest = behind;
        }
        shown
    }
}

#[cfg(test)]
mod tests {
    use super::{Moment, plain, rich_text};

    #[test]
    fn rich_text_as_plain_text_has_no_code() {
        for (html, expected) in [
            (
                "<p>Hello <em>you</em> <script>alert(1)</script></p>",
                "Hello you",
            ),
            ("a<STYLE media='x'>p > b { }</Style >b", "ab"),
            ("a<script>let b = \"</div>\";</script >c", "ac"),
            ("a<script>never ends", "a"),
            ("a<scripted>b</scripted><s>c</s>", "abc"),
            ("1 &lt; 2 &amp; <b>3</b>", "1 < 2 & 3"),
        ] {
            assert_eq!(plain(&rich_text(html.to_owned())), expected, "{html}");
        }
    }

    #[test]
    fn milliseconds_are_dates_on_both_sides_of_1970() {
        for (millis, expected) in [
            (0, "1970-01-01 00.00"),
            (-1, "1969-12-31 23.59"),
            (951_782_400_000, "2000-02-29 00.00"),
            (1_794_737_037_825, "2026-11-15 10.03"),
            (253_402_300_799_999, "9999-12-31 23.59"),
        ] {
            assert_eq!(
                Moment::from_millis(millis).shown("yyyy-MM-dd HH.mm"),
                expected
            );
        }
    }
}

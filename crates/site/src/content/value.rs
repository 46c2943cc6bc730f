//! Whether a value fits the field it is for.

use serde_json::{Map, Value};

use super::collection::{Field, FieldKind};
use crate::RecordId;
use crate::page::check_spelling;

/// The longest text of one field, in characters.
const TEXT_MAX: usize = 500_000;
/// The most elements of a list.
const LIST_MAX: usize = 1_000;

/// A value that does not fit its field.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{field}` {reason}")]
pub struct BadValue {
    /// The path to the field, by names, such as `steps[2].text`.
    pub field: String,
    /// What it must be, beginning with a verb.
    pub reason: String,
}

impl BadValue {
    fn new(field: &str, reason: impl Into<String>) -> Self {
        Self {
            field: field.to_owned(),
            reason: reason.into(),
        }
    }

    fn within(mut self, outer: &str) -> Self {
        self.field = format!("{outer}.{}", self.field);
        self
    }
}

/// Checks a value whose keys are field ids, as entries store it.
pub(crate) fn check_value(field: &Field, value: &Value) -> Result<(), BadValue> {
    let name = field.name.as_str();
    let bad = |reason: &str| Err(BadValue::new(name, reason));
    match (&field.kind, value) {
        // Null is "not set" in every kind; entries store it by leaving the field out.
        (_, Value::Null) => Ok(()),
        (FieldKind::Text { max }, Value::String(text)) => {
            let most = max.map_or(TEXT_MAX, |max| max as usize);
            match text.chars().count() {
                found if found > most => Err(BadValue::new(
                    name,
                    format!("may have {most} characters and has {found}; shorten it"),
                )),
                _ => Ok(()),
            }
        }
        (FieldKind::RichText, Value::String(text)) if text.chars().count() <= TEXT_MAX => Ok(()),
        (FieldKind::RichText, Value::String(_)) => Err(BadValue::new(
            name,
            format!("may have {TEXT_MAX} characters; split it"),
        )),
        (FieldKind::Text { .. } | FieldKind::RichText, _) => bad("must be text"),
        (FieldKind::Number { min, max }, Value::Number(number)) => {
            check_range(name, number.as_f64().unwrap_or(f64::NAN), *min, *max)
        }
        (FieldKind::Number { .. }, _) => bad("must be a number, without quotes"),
        (FieldKind::Boolean, Value::Bool(_)) | (FieldKind::Json, _) => Ok(()),
        (FieldKind::Boolean, _) => bad("must be true or false, without quotes"),
        (FieldKind::Date, Value::String(text)) if is_date(text) => Ok(()),
        (FieldKind::Date, _) => {
            bad("must be a date such as `2026-03-31`, or a time such as `2026-03-31T18:00:00Z`")
        }
        (FieldKind::Choice { options }, Value::String(word)) if options.contains(word) => Ok(()),
        (FieldKind::Choice { options }, _) => Err(BadValue::new(
            name,
            format!("must be one of {}", options.join(", ")),
        )),
        (FieldKind::Reference { .. }, value) if is_record(value) => Ok(()),
        (FieldKind::Reference { .. }, _) => bad("must be the id of an entry; getEntry names them"),
        (FieldKind::References { .. }, Value::Array(ids))
            if ids.len() <= LIST_MAX && ids.iter().all(is_record) =>
        {
            Ok(())
        }
        (FieldKind::References { .. }, _) => {
            bad("must be a list of ids of entries; getEntry names them")
        }
        (FieldKind::Media, value) if is_media(value) => Ok(()),
        (FieldKind::Media, _) => bad(
            "must be an address such as `/uploads/…`, or `{ \"url\": …, \"alt\": … }`; getImage names what there is",
        ),
        (FieldKind::Slug, Value::String(slug)) if check_spelling(slug).is_ok() => Ok(()),
        (FieldKind::Slug, _) => bad("must be letters, digits and hyphens, such as `about-us`"),
        (FieldKind::Group { fields }, Value::Object(values)) => {
            check_group(fields, values).map_err(|error| error.within(name))
        }
        (FieldKind::Group { fields }, _) => Err(BadValue::new(
            name,
            format!("must be an object with {}", names(fields)),
        )),
        (FieldKind::Repeater { fields }, Value::Array(items)) if items.len() <= LIST_MAX => {
            check_items(name, fields, items)
        }
        (FieldKind::Repeater { fields }, _) => Err(BadValue::new(
            name,
            format!(
                "must be a list of at most {LIST_MAX} objects with {}",
                names(fields)
            ),
        )),
    }
}

fn check_items(name: &str, fields: &[Field], items: &[Value]) -> Result<(), BadValue> {
    for (at, item) in items.iter().enumerate() {
        let path = format!("{name}[{at}]");
        let Value::Object(values) = item else {
            let reason = format!("must be an object with {}", names(fields));
            return Err(BadValue::new(&path, reason));
        };
        check_group(fields, values).map_err(|error| error.within(&path))?;
    }
    Ok(())
}

fn check_group(fields: &[Field], values: &Map<String, Value>) -> Result<(), BadValue> {
    for field in fields {
        if let Some(value) = values.get(&field.id.to_string()) {
            check_value(field, value)?;
        }
    }
    Ok(())
}

/// Whether a field has nothing in it that a visitor could see.
pub(crate) fn is_empty(value: Option<&Value>) -> bool {
    match value {
        None | Some(Value::Null) => true,
        Some(Value::String(text)) => text.trim().is_empty(),
        Some(Value::Array(items)) => items.is_empty(),
        Some(Value::Object(fields)) => fields.is_empty(),
        Some(Value::Bool(_) | Value::Number(_)) => false,
    }
}

fn check_range(
    name: &str,
    number: f64,
    min: Option<f64>,
    max: Option<f64>,
) -> Result<(), BadValue> {
    let is_within = min.is_none_or(|min| number >= min)
        && max.is_none_or(|max| number <= max)
        && !number.is_nan();
    if is_within {
        return Ok(());
    }
    let reason = match (min, max) {
        (Some(min), Some(max)) => format!("must be from {min} to {max}"),
        (Some(min), None) => format!("must be at least {min}"),
        (None, Some(max)) => format!("must be at most {max}"),
        (None, None) => "must be a number".to_owned(),
    };
    Err(BadValue::new(name, reason))
}

fn names(fields: &[Field]) -> String {
    let names: Vec<String> = fields
        .iter()
        .map(|field| format!("`{}`", field.name))
        .collect();
    names.join(", ")
}

fn is_record(value: &Value) -> bool {
    value
        .as_str()
        .is_some_and(|text| text.parse::<RecordId>().is_ok())
}

fn is_media(value: &Value) -> bool {
    let is_address = |value: &Value| {
        value.as_str().is_some_and(|text| {
            let is_ours = text.starts_with('/') && !text.starts_with("//");
            is_ours || text.starts_with("https://") || text.starts_with("http://")
        })
    };
    match value {
        Value::Object(fields) => {
            fields.get("url").is_some_and(is_address)
                && fields.iter().all(|(name, value)| {
                    matches!(name.as_str(), "url" | "alt") && value.is_string()
                })
        }
        value => is_address(value),
    }
}

/// Whether a text is a day of the calendar, with or without a time and its zone.
fn is_date(text: &str) -> bool {
    let (day, time) = match text.split_once('T') {
        Some((day, time)) => (day, Some(time)),
        None => (text, None),
    };
    is_day(day) && time.is_none_or(is_time)
}

fn is_day(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let [year, month, day] = parts[..] else {
        return false;
    };
    let (Some(year), Some(month), Some(day)) = (digits(year, 4), digits(month, 2), digits(day, 2))
    else {
        return false;
    };
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        2 if is_leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => 0,
    };
    (1..=days).contains(&day)
}

fn is_time(text: &str) -> bool {
    let zone = text.find(['Z', '+', '-']);
    let (clock, zone) = text.split_at(zone.unwrap_or(text.len()));
    let is_zone = match zone {
        "" | "Z" => true,
        offset => is_clock(&offset[1..]),
    };
    let clock = match clock.split_once('.') {
        Some((clock, fraction)) if fraction.bytes().all(|byte| byte.is_ascii_digit()) => clock,
        Some(_) => return false,
        None => clock,
    };
    is_zone && is_clock(clock)
}

fn is_clock(text: &str) -> bool {
    let parts: Vec<&str> = text.split(':').collect();
    (2..=3).contains(&parts.len())
        && parts
            .iter()
            .zip([24, 60, 61])
            .all(|(part, most)| digits(part, 2).is_some_and(|number| number < most))
}

fn digits(text: &str, length: usize) -> Option<u32> {
    let fits = text.len() == length && text.bytes().all(|byte| byte.is_ascii_digit());
    fits.then(|| text.parse().ok()).flatten()
}

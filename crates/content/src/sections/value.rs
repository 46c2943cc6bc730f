//! Whether a value fits the field of a section template, and how a new value goes with the one before.

use serde_json::{Map, Value, json};
use sitewright_site::{Param, ParamKind, Stop};

/// The longest text of one field, in characters.
const TEXT_MAX: usize = 100_000;
/// The most items of a list.
const LIST_MAX: usize = 500;

/// The field with a name; refused with those there are.
pub(super) fn field<'f>(
    fields: &'f [Param],
    argument: &str,
    name: &str,
) -> Result<&'f Param, Stop> {
    fields
        .iter()
        .find(|field| field.name == name)
        .ok_or_else(|| {
            let names: Vec<&str> = fields.iter().map(|field| field.name.as_str()).collect();
            let message = format!(
                "{argument}: there is no field `{name}` here; the fields are {}.",
                names.join(", ")
            );
            Stop::invalid_at(argument, message)
        })
}

/// The picture field with a name; refused with those there are.
pub(super) fn image_field<'f>(fields: &'f [Param], name: &str) -> Result<&'f Param, Stop> {
    let is_image = |field: &&Param| field.kind == ParamKind::Image;
    let found = fields.iter().filter(is_image);
    let mut found = found.filter(|field| field.name == name);
    found.next().ok_or_else(|| {
        let names: Vec<&str> = fields
            .iter()
            .filter(is_image)
            .map(|field| field.name.as_str())
            .collect();
        let there = match names.is_empty() {
            true => "it has none".to_owned(),
            false => format!("it has {}", names.join(", ")),
        };
        let message = format!("imageField: `{name}` is no picture field of this section; {there}.");
        Stop::invalid_at("imageField", message)
    })
}

/// A value as it is stored, merged into the one before. Fails when it does not fit.
pub(super) fn stored(field: &Param, before: Option<&Value>, value: &Value) -> Result<Value, Stop> {
    let path = format!("content/{}", field.name);
    let value = fitting(field.kind, &path, value, field)?;
    Ok(match (before, value) {
        // A new address of a picture or button keeps its words, and the other way round.
        (Some(Value::Object(before)), Value::Object(given))
            if matches!(field.kind, ParamKind::Image | ParamKind::Link) =>
        {
            let mut merged = before.clone();
            if given.contains_key("url") && !given.contains_key("imageId") {
                merged.remove("imageId");
            }
            merged.extend(given);
            Value::Object(merged)
        }
        (_, value) => value,
    })
}

fn fitting(kind: ParamKind, path: &str, value: &Value, field: &Param) -> Result<Value, Stop> {
    let bad = |reason: String| {
        let name = path.trim_start_matches("content/");
        Err(Stop::invalid_at(path, format!("`{name}` {reason}.")))
    };
    match (kind, value) {
        (_, Value::Null) => Ok(Value::Null),
        (ParamKind::String | ParamKind::RichText | ParamKind::Color, Value::String(text))
            if text.chars().count() <= TEXT_MAX =>
        {
            Ok(value.clone())
        }
        (ParamKind::String | ParamKind::RichText | ParamKind::Color, _) => {
            bad(format!("must be text of at most {TEXT_MAX} characters"))
        }
        (ParamKind::Number, Value::Number(_)) | (ParamKind::Boolean, Value::Bool(_)) => {
            Ok(value.clone())
        }
        (ParamKind::Number, _) => bad("must be a number, without quotes".to_owned()),
        (ParamKind::Boolean, _) => bad("must be true or false, without quotes".to_owned()),
        (ParamKind::Url, Value::String(url)) if is_address(url) => Ok(value.clone()),
        (ParamKind::Url, _) => bad(
            "must be an address such as `/about`, `https://…`, `mailto:…` or `#part`".to_owned(),
        ),
        (ParamKind::Enum, Value::String(word)) if field.options.contains(word) => Ok(value.clone()),
        (ParamKind::Enum, _) => bad(format!("must be one of {}", field.options.join(", "))),
        (ParamKind::Image, Value::String(url)) if is_picture(url) => Ok(json!({ "url": url })),
        (ParamKind::Image, Value::Object(given)) => object(given, &["url", "alt", "imageId"], path),
        (ParamKind::Image, _) => bad(
            "must be `{ \"url\": \"/uploads/…\", \"alt\": … }`; getImage names what there is"
                .to_owned(),
        ),
        (ParamKind::Link, Value::Object(given)) => object(given, &["label", "url"], path),
        (ParamKind::Link, _) => bad("must be `{ \"label\": …, \"url\": … }`".to_owned()),
        (ParamKind::List, Value::Array(items)) if items.len() <= LIST_MAX => {
            let items = items
                .iter()
                .enumerate()
                .map(|(at, item)| list_item(field, &format!("{path}/{at}"), item));
            Ok(Value::Array(items.collect::<Result<_, Stop>>()?))
        }
        (ParamKind::List, _) => {
            let names: Vec<&str> = field.fields.keys().map(String::as_str).collect();
            bad(format!(
                "must be a list of at most {LIST_MAX} objects with {}",
                names.join(", ")
            ))
        }
    }
}

fn list_item(field: &Param, path: &str, item: &Value) -> Result<Value, Stop> {
    let names: Vec<&str> = field.fields.keys().map(String::as_str).collect();
    let refuse = |message: String| Err(Stop::invalid_at(path, message));
    let Value::Object(given) = item else {
        return refuse(format!(
            "Each of `{}` must be an object with {}.",
            field.name,
            names.join(", ")
        ));
    };
    let mut stored = Map::new();
    for (name, value) in given {
        let Some(kind) = field.fields.get(name) else {
            return refuse(format!(
                "There is no field `{name}` in `{}`; its fields are {}.",
                field.name,
                names.join(", ")
            ));
        };
        let value = fitting(*kind, &format!("{path}/{name}"), value, field)?;
        if !value.is_null() {
            stored.insert(name.clone(), value);
        }
    }
    Ok(Value::Object(stored))
}

/// A picture or a button: text by these names, of which `url` is an address.
fn object(given: &Map<String, Value>, names: &[&str], path: &str) -> Result<Value, Stop> {
    for (name, value) in given {
        let fits = match (names.contains(&name.as_str()), value) {
            (true, Value::String(url)) if name == "url" => is_address(url),
            (true, Value::String(text)) => text.chars().count() <= TEXT_MAX,
            _ => false,
        };
        if !fits {
            let message = format!(
                "`{name}` does not fit here; it takes {} as text, and url must be an address.",
                names.join(", ")
            );
            return Err(Stop::invalid_at(path, message));
        }
    }
    Ok(Value::Object(given.clone()))
}

fn is_picture(text: &str) -> bool {
    (text.starts_with('/') && !text.starts_with("//")) || text.starts_with("https://")
}

/// Whether a text can be the target of a link. A binding is allowed: it is filled in where the section is shown.
fn is_address(text: &str) -> bool {
    let text = text.trim();
    let scheme = text
        .split_once(':')
        .map(|(scheme, _)| scheme.to_ascii_lowercase());
    let is_known = |scheme: &str| matches!(scheme, "http" | "https" | "mailto" | "tel");
    let is_scheme = |scheme: &str| {
        scheme.starts_with(|first: char| first.is_ascii_alphabetic())
            && scheme
                .chars()
                .all(|char| char.is_ascii_alphanumeric() || "+-.".contains(char))
    };
    let length = text.chars().count();
    (1..=2_000).contains(&length)
        && !text.chars().any(char::is_control)
        && match scheme {
            Some(scheme) if is_scheme(&scheme) => is_known(&scheme),
            Some(_) | None => true,
        }
}

#[cfg(test)]
mod tests {
    use super::is_address;

    #[test]
    fn addresses_that_run_code_are_none() {
        for (text, fits) in [
            ("/about", true),
            ("https://example.com/a:b", true),
            ("mailto:a@example.com", true),
            ("#top", true),
            ("about", true),
            ("{page.permalink}", true),
            ("javascript:alert(1)", false),
            (" JavaScript:alert(1)", false),
            ("data:text/html,x", false),
            ("java\nscript:alert(1)", false),
            ("", false),
        ] {
            assert_eq!(is_address(text), fits, "{text}");
        }
    }
}

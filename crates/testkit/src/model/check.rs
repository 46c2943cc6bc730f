//! What a provider refuses. Stricter than the real ones where they are lenient: what they merge or mend is still a mistake.

mod chat;
mod messages;
mod responses;

use std::collections::BTreeSet;

use serde_json::Value;

use super::{Dialect, given, short};
use crate::vendor::Received;

type Checked = Result<(), String>;

/// Says what is wrong with a request for an answer.
pub(super) fn request(dialect: Dialect, received: &Received) -> Checked {
    let header = |name: &str| received.header(name).unwrap_or_default();
    ensure(
        header("content-type").starts_with("application/json"),
        || "content-type must be application/json".to_owned(),
    )?;
    let bearer = header("authorization").starts_with("Bearer ");
    match dialect {
        Dialect::Anthropic => {
            ensure(
                matches!(header("anthropic-version"), "2023-06-01" | "2026-10-21"),
                || "anthropic-version is required".to_owned(),
            )?;
            ensure(bearer == header("x-api-key").is_empty(), || {
                "one of x-api-key and authorization is required".to_owned()
            })?;
        }
        Dialect::OpenAi | Dialect::OpenRouter | Dialect::Venice => {
            ensure(bearer, || "authorization: Bearer is required".to_owned())?;
        }
        Dialect::Ollama => (),
    }
    let body: Value = serde_json::from_slice(&received.body)
        .map_err(|error| format!("the body is no JSON: {error}"))?;
    ensure(
        body["model"]
            .as_str()
            .is_some_and(|model| !model.is_empty()),
        || "model: Field required".to_owned(),
    )?;
    ensure(body["stream"] == true, || {
        "this simulator only streams".to_owned()
    })?;
    match dialect {
        Dialect::Anthropic => messages::check(&body),
        Dialect::OpenAi | Dialect::OpenRouter => responses::check(dialect, &body),
        Dialect::Ollama | Dialect::Venice => chat::check(dialect, &body),
    }
}

fn ensure(holds: bool, problem: impl FnOnce() -> String) -> Checked {
    if holds { Ok(()) } else { Err(problem()) }
}

fn known_fields(value: &Value, known: &[&str], place: &str) -> Checked {
    for name in value
        .as_object()
        .into_iter()
        .flat_map(|fields| fields.keys())
    {
        ensure(known.contains(&name.as_str()), || {
            format!("{place}{name}: Extra inputs are not permitted")
        })?;
    }
    Ok(())
}

fn list<'a>(value: &'a Value, place: &str) -> Result<&'a Vec<Value>, String> {
    value
        .as_array()
        .ok_or_else(|| format!("{place} must be a list, not {}", short(value)))
}

fn text<'a>(value: &'a Value, place: &str) -> Result<&'a str, String> {
    let text = value.as_str().filter(|text| !text.is_empty());
    text.ok_or_else(|| {
        format!(
            "{place} must be a text that is not empty, not {}",
            short(value)
        )
    })
}

/// `^[a-zA-Z0-9_-]{1,64}$`.
fn safe_name(value: &Value, place: &str) -> Checked {
    let name = text(value, place)?;
    let safe = name.len() <= 64
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
    ensure(safe, || {
        format!("{place}: {name:?} does not match ^[a-zA-Z0-9_-]{{1,64}}$")
    })
}

/// Tools: names that are safe and differ, schemas that are objects and hold nothing a provider refuses.
fn tools(tools: &[(&Value, &Value)]) -> Checked {
    let mut names = BTreeSet::new();
    for (name, schema) in tools {
        safe_name(name, "tools.name")?;
        ensure(names.insert(name.to_string()), || {
            format!("tools: {name} is there twice")
        })?;
        ensure(schema["type"] == "object", || {
            format!("tools.{name}: the schema must be of type object")
        })?;
        for keyword in ["$schema", "oneOf", "anyOf", "allOf"] {
            ensure(schema[keyword].is_null(), || {
                format!("tools.{name}: {keyword} is not allowed at the root")
            })?;
        }
    }
    let sorted = tools
        .windows(2)
        .all(|pair| pair[0].0.as_str() <= pair[1].0.as_str());
    ensure(sorted, || {
        "tools are not sorted, which defeats prompt caches".to_owned()
    })
}

/// Arguments as text: JSON of an object.
fn arguments(value: &Value) -> Checked {
    let parsed: Option<Value> = value
        .as_str()
        .and_then(|text| serde_json::from_str(text).ok());
    ensure(parsed.is_some_and(|value| value.is_object()), || {
        format!("invalid tool call arguments {}", short(value))
    })
}

fn data_url(value: &Value, types: &[&str]) -> Checked {
    let url = value.as_str().unwrap_or_default();
    let fits = types
        .iter()
        .any(|kind| url.starts_with(&format!("data:{kind};base64,")));
    ensure(fits || url.starts_with("https://"), || {
        format!("invalid image {}", short(value))
    })
}

fn absent(value: &Value, problem: &str) -> Checked {
    ensure(!given(value), || problem.to_owned())
}

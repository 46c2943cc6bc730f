//! The tools.

use std::io::Read as _;

use anyhow::{Context as _, Result};
use serde_json::{Value, json};
use sitewright_tool::ErrorCode;

use crate::api::{Api, Refusal};
use crate::arguments::Tool;
use crate::output::{self, card, table, text};

pub(crate) async fn run(api: &Api, command: Tool, as_json: bool) -> Result<()> {
    match command {
        Tool::List { scope } => {
            let tools = list(api, scope.as_deref()).await?;
            output::result(as_json, &tools, overview)
        }
        Tool::Describe { name, scope } => {
            let tools = list(api, scope.as_deref()).await?;
            let mut all = tools.as_array().into_iter().flatten();
            let found = all.find(|tool| tool["name"] == name.as_str());
            let unknown = || {
                let detail =
                    format!("There is no tool `{name}`. `sitewright tool list` lists all tools.");
                Refusal::new(ErrorCode::UnknownTool, detail)
            };
            output::result(as_json, found.ok_or_else(unknown)?, description)
        }
        Tool::Call {
            name,
            scope,
            input,
            args,
            key,
            yes,
        } => {
            let mut body = json!({ "tool": name, "arguments": arguments(&input.unwrap_or(args))?, "confirmed": yes });
            if let Some(scope) = scope {
                body["scope"] = json!(scope);
            }
            if let Some(key) = key {
                body["idempotencyKey"] = json!(key);
            }
            let envelope = api.post("/tools/call", body).await?;
            if envelope["ok"] == true {
                return output::result(as_json, &envelope, answer);
            }
            Err(refusal(envelope).into())
        }
    }
}

/// The tool's error, and for a call that waits the command that decides on it.
pub(super) fn refusal(envelope: Value) -> Refusal {
    let error = &envelope["error"];
    let mut detail = text(error, "message");
    if let Some(id) = error["details"]["approval"]["id"].as_str() {
        detail.push_str(&format!(
            "\nTo approve: sitewright approvals approve {id}\nTo approve automatically next time, add --yes to the call."
        ));
    }
    Refusal {
        code: text(error, "code"),
        detail,
        body: envelope,
    }
}

async fn list(api: &Api, scope: Option<&str>) -> Result<Value> {
    let path = match scope {
        Some(scope) => {
            let query: String = url::form_urlencoded::byte_serialize(scope.as_bytes()).collect();
            format!("/tools?scope={query}")
        }
        None => "/tools".to_owned(),
    };
    Ok(api.get(&path).await?["tools"].take())
}

/// The arguments as given, from a file, or from standard input.
fn arguments(given: &str) -> Result<Value> {
    let invalid = |detail: String| Refusal::new(ErrorCode::InvalidInput, detail);
    let given = match given.strip_prefix('@') {
        Some(file) => std::fs::read_to_string(file)
            .map_err(|error| invalid(format!("--args: {file} cannot be read: {error}.")))?,
        None if given == "-" => {
            let mut text = String::new();
            std::io::stdin()
                .read_to_string(&mut text)
                .context("standard input cannot be read")?;
            text
        }
        None => given.to_owned(),
    };
    let parsed = serde_json::from_str(&given).map_err(|error| {
        invalid(format!(
            "--args is not valid JSON: {error}. Write it as '{{\"name\": \"value\"}}'."
        ))
    })?;
    Ok(parsed)
}

fn overview(tools: &Value) -> String {
    let row = |tool: &Value| {
        vec![
            text(tool, "name"),
            text(tool, "capability"),
            text(tool, "title"),
        ]
    };
    let rows: Vec<Vec<String>> = tools.as_array().into_iter().flatten().map(row).collect();
    table(&["NAME", "READS OR WRITES", "WHAT"], &rows)
}

fn description(tool: &Value) -> String {
    let pretty = |schema: &Value| serde_json::to_string_pretty(schema).unwrap_or_default();
    format!(
        "{}: {}\n{}\n\nTakes\n{}\n\nAnswers\n{}",
        text(tool, "name"),
        text(tool, "title"),
        text(tool, "description"),
        pretty(&tool["inputSchema"]),
        pretty(&tool["outputSchema"]),
    )
}

/// A tool's reply and what it changed, for people.
fn answer(envelope: &Value) -> String {
    let mut lines = Vec::new();
    for (field, word) in [
        ("created", "made"),
        ("changed", "changed"),
        ("unchanged", "left as it was"),
        ("removed", "removed"),
        ("missing", "not found"),
    ] {
        let things = envelope["receipt"][field].as_array();
        for thing in things.into_iter().flatten() {
            let name = thing["name"].as_str().unwrap_or_default();
            lines.push(format!(
                "{word}: {} {} {name}",
                text(thing, "kind"),
                text(thing, "id")
            ));
        }
    }
    lines.extend(remarks(&envelope["receipt"]));
    if envelope["card"].is_object() {
        lines.push(card::result(&envelope["card"]));
        return lines.join("\n");
    }
    let data = &envelope["data"];
    if data.as_object().is_none_or(|object| !object.is_empty()) {
        lines.push(serde_json::to_string_pretty(data).unwrap_or_default());
    }
    if lines.is_empty() {
        lines.push("Done.".to_owned());
    }
    lines.join("\n")
}

/// What a receipt says besides what was made, changed and removed.
pub(super) fn remarks(receipt: &Value) -> Vec<String> {
    let taken_out = receipt["sanitised"].as_array().into_iter().flatten();
    let taken_out = taken_out.map(|thing| {
        let (count, what, place) = (&thing["count"], text(thing, "what"), text(thing, "at"));
        format!("removed as unsafe: {count} × {what} in {place}")
    });
    let notes = receipt["notes"].as_array().into_iter().flatten();
    let notes = notes.filter_map(Value::as_str).map(str::to_owned);
    taken_out.chain(notes).collect()
}

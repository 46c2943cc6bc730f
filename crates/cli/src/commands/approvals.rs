//! Calls that wait for approval, and calls whose outcome is unknown.

use anyhow::Result;
use serde_json::{Value, json};

use crate::api::{Api, Refusal};
use crate::arguments::{Approvals, SettledAs};
use crate::output::{self, card, table, text, when};

pub(crate) async fn run(api: &Api, command: Approvals, as_json: bool) -> Result<()> {
    match command {
        Approvals::List { unknown: false } => {
            let waiting = api.get("/admin/api/approvals").await?;
            output::result(as_json, &waiting["approvals"], cards)
        }
        Approvals::List { unknown: true } => {
            let calls = api.get("/admin/api/calls?state=unknown").await?;
            output::result(as_json, &calls["calls"], unknown)
        }
        Approvals::Approve { id } => decide(api, &id, "approve", as_json).await,
        Approvals::Deny { id } => decide(api, &id, "deny", as_json).await,
        Approvals::Settle { id, found } => {
            let found = match found {
                SettledAs::Happened => "happened",
                SettledAs::DidNotHappen => "did_not_happen",
                SettledAs::SendAgain => "send_again",
            };
            let call = api
                .post(&format!("/admin/api/calls/{id}"), json!({ "found": found }))
                .await?;
            output::result(as_json, &call, told)
        }
    }
}

async fn decide(api: &Api, id: &str, decision: &str, as_json: bool) -> Result<()> {
    let body = json!({ "decision": decision });
    let card = api
        .post(&format!("/admin/api/approvals/{id}"), body)
        .await?;
    let calls = card["calls"].as_array().into_iter().flatten();
    let failed: Vec<String> = calls
        .filter(|call| call["state"] == "failed")
        .map(told)
        .collect();
    if failed.is_empty() {
        return output::result(as_json, &card, |card| {
            let calls = card["calls"].as_array().into_iter().flatten();
            calls.map(told).collect::<Vec<_>>().join("\n")
        });
    }
    Err(Refusal {
        code: "failed".to_owned(),
        detail: failed.join("\n"),
        body: card,
    }
    .into())
}

fn cards(cards: &Value) -> String {
    let all = cards.as_array().into_iter().flatten();
    let calls: Vec<&Value> = all
        .flat_map(|card| card["calls"].as_array().into_iter().flatten())
        .collect();
    if calls.is_empty() {
        return "Nothing to approve.".to_owned();
    }
    let rows: Vec<Vec<String>> = calls.iter().map(|call| row(call)).collect();
    let mut parts = vec![table(&["CALL", "WHEN (UTC)", "WHO", "TOOL", "WITH"], &rows)];
    parts.extend(calls.iter().filter_map(|call| card::confirmation(call)));
    parts.join("\n\n")
}

fn unknown(calls: &Value) -> String {
    let rows: Vec<Vec<String>> = calls.as_array().into_iter().flatten().map(row).collect();
    if rows.is_empty() {
        return "No calls with an unknown outcome.".to_owned();
    }
    table(&["CALL", "WHEN (UTC)", "WHO", "TOOL", "WITH"], &rows)
}

/// How much of the arguments a line shows.
const SHOWN: usize = 80;

fn row(call: &Value) -> Vec<String> {
    let who = if call["callerName"].is_null() {
        text(call, "caller")
    } else {
        text(call, "callerName")
    };
    let arguments = call["arguments"].to_string();
    let shown = match arguments.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &arguments[..end]),
        None => arguments,
    };
    let at = call["at"].as_i64().map(when).unwrap_or_default();
    vec![text(call, "id"), at, who, text(call, "tool"), shown]
}

/// The outcome of a call, in a sentence.
fn told(call: &Value) -> String {
    let (tool, id) = (text(call, "tool"), text(call, "id"));
    match call["state"].as_str().unwrap_or_default() {
        "done" => format!("{tool} was done ({id})."),
        "denied" => format!("{tool} was denied ({id})."),
        "failed" => format!(
            "{tool} was not done ({id}): {}",
            text(&call["outcome"]["error"], "message")
        ),
        "unknown" => format!("{tool} was sent, but its outcome is unknown ({id})."),
        state => format!("{tool} is {state} ({id})."),
    }
}

//! The policy of the site.

use std::io::Read as _;

use anyhow::{Context as _, Result};
use serde_json::{Value, json};
use sitewright_tool::ErrorCode;

use crate::api::{Api, Refusal};
use crate::arguments::Policy;
use crate::output::{self, text};

const PATH: &str = "/admin/api/policy";

pub(crate) async fn run(api: &Api, command: Policy, as_json: bool) -> Result<()> {
    match command {
        Policy::Show => {
            let policy = api.get(PATH).await?;
            output::result(as_json, &policy, |policy| {
                text(policy, "active").trim_end().to_owned()
            })
        }
        Policy::Test { file } => {
            let body = json!({ "policy": read(&file)? });
            let trial = api.post("/admin/api/policy/test", body).await?;
            output::result(as_json, &trial, differences)
        }
        Policy::Why { id } => {
            let call = api.get(&format!("/admin/api/calls/{id}")).await?;
            output::result(as_json, &call, why)
        }
        Policy::Set {
            file,
            shipped: _,
            shadow,
        } => {
            let given = file.as_deref().map(read).transpose()?;
            let current = api.get(PATH).await?;
            let kept = (current["isShipped"] == false).then(|| current["active"].clone());
            let body = match shadow {
                true => json!({ "active": kept, "candidate": given }),
                false => json!({ "active": given, "candidate": null }),
            };
            let policy = api.put(PATH, body).await?;
            output::result(as_json, &policy, |policy| told(policy).to_owned())
        }
    }
}

fn told(policy: &Value) -> &'static str {
    match (&policy["candidate"], policy["isShipped"] == true) {
        (Value::String(_), _) => {
            "The policy is being tried alongside the active one; it decides nothing."
        }
        (_, true) => "The default policy is now active.",
        (_, false) => "This policy is now active.",
    }
}

fn read(file: &str) -> Result<String> {
    if file == "-" {
        let mut text = String::new();
        std::io::stdin()
            .read_to_string(&mut text)
            .context("standard input cannot be read")?;
        return Ok(text);
    }
    let unreadable = |error| {
        Refusal::new(
            ErrorCode::InvalidInput,
            format!("{file} cannot be read: {error}."),
        )
    };
    Ok(std::fs::read_to_string(file).map_err(unreadable)?)
}

fn differences(trial: &Value) -> String {
    let differences = trial["differences"].as_array().into_iter().flatten();
    let mut lines: Vec<String> = differences
        .map(|one| {
            format!(
                "{} ({}): {} then, {} now. {}",
                text(one, "tool"),
                text(one, "id"),
                text(one, "was"),
                text(one, "wouldBe"),
                text(one, "why")
            )
        })
        .collect();
    let judged = &trial["judged"];
    lines.push(match lines.len() {
        0 => format!("The policy is valid. It decides all {judged} recorded calls the same way."),
        count => {
            format!(
                "The policy is valid. It decides {count} of {judged} recorded calls differently."
            )
        }
    });
    lines.join("\n")
}

fn why(call: &Value) -> String {
    let said = match call["why"].as_str() {
        Some(why) => why.to_owned(),
        None => "It only read data, and the policy allowed it.".to_owned(),
    };
    let approved = match call["approvedBy"].as_str() {
        Some(name) => format!("\nApproved by {name}."),
        None => String::new(),
    };
    format!(
        "{} is {}.\n{said}{approved}",
        text(call, "tool"),
        text(call, "state")
    )
}

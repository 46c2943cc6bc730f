//! Missions: calls that succeed together or are taken back.

use anyhow::Result;
use serde_json::{Value, json};

use crate::api::Api;
use crate::arguments::Mission;
use crate::output::{self, table, text, when};

const MISSIONS: &str = "/admin/api/missions";

pub(crate) async fn run(api: &Api, command: Mission, as_json: bool) -> Result<()> {
    match command {
        Mission::List => {
            let missions = api.get(MISSIONS).await?;
            output::result(as_json, &missions["missions"], list)
        }
        Mission::Show { id } => {
            let mission = api.get(&format!("{MISSIONS}/{id}")).await?;
            output::result(as_json, &mission, told)
        }
        Mission::Resume { id } => {
            let mission = api
                .post(&format!("{MISSIONS}/{id}/resume"), json!({}))
                .await?;
            output::result(as_json, &mission, told)
        }
        Mission::Resolve { id, leg, note } => {
            let path = format!("{MISSIONS}/{id}/legs/{leg}/resolve");
            let mission = api.post(&path, json!({ "note": note })).await?;
            output::result(as_json, &mission, told)
        }
        Mission::Cancel { id, leg } => {
            let path = format!("{MISSIONS}/{id}/legs/{leg}/cancel");
            let mission = api.post(&path, json!({})).await?;
            output::result(as_json, &mission, told)
        }
        Mission::Stop { id } => {
            let mission = api
                .post(&format!("{MISSIONS}/{id}/stop"), json!({}))
                .await?;
            output::result(as_json, &mission, told)
        }
    }
}

fn list(missions: &Value) -> String {
    let row = |mission: &Value| {
        let legs = mission["legs"].as_array().map_or(0, Vec::len);
        vec![
            text(mission, "missionId"),
            text(mission, "state"),
            legs.to_string(),
            when(mission["at"].as_i64().unwrap_or_default()),
        ]
    };
    let rows: Vec<Vec<String>> = missions.as_array().into_iter().flatten().map(row).collect();
    table(&["ID", "STATE", "LEGS", "STARTED"], &rows)
}

fn told(mission: &Value) -> String {
    let mut lines = vec![format!(
        "{} is {}.",
        text(mission, "missionId"),
        text(mission, "state")
    )];
    for leg in mission["legs"].as_array().into_iter().flatten() {
        let error = leg["error"]["message"].as_str();
        let error = error.map(|error| format!(": {error}")).unwrap_or_default();
        lines.push(format!(
            "  {}  {}{error}",
            text(leg, "id"),
            text(leg, "state")
        ));
        if let Some(approval) = leg["approval"]["id"].as_str() {
            lines.push(format!(
                "    Waiting for approval: sitewright approvals approve {approval}"
            ));
        }
    }
    for residual in mission["residuals"].as_array().into_iter().flatten() {
        let resolved = match residual["resolved"]["note"].as_str() {
            Some(note) => format!(
                " (resolved by {}: {note})",
                text(&residual["resolved"], "by")
            ),
            None => String::new(),
        };
        lines.push(format!(
            "Not cancelled, {}: {}{resolved}",
            text(residual, "leg"),
            text(residual, "reason")
        ));
    }
    lines.join("\n")
}

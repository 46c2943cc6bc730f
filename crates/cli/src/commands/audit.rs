//! The activity log.

use anyhow::Result;
use serde_json::{Value, json};

use crate::api::{Api, Refusal};
use crate::arguments::Audit;
use crate::output::{self, table, text, when};

pub(crate) async fn run(api: &Api, command: Audit, as_json: bool) -> Result<()> {
    match command {
        Audit::Verify { expect } => {
            let body = json!({ "expect": expect });
            let report = api.post("/admin/api/audit/verify", body).await?;
            if report["ok"] == true {
                return output::result(as_json, &report, verification);
            }
            let (code, detail) = (String::new(), verification(&report));
            let body = report;
            Err(Refusal { code, detail, body }.into())
        }
        Audit::Redact { id } => {
            let path = format!("/admin/api/audit/{id}/redact");
            let answer = api.post(&path, json!({})).await?;
            output::result(as_json, &answer, |_| "Details erased.".to_owned())
        }
        Audit::List { limit } => {
            let page = api.get(&format!("/admin/api/audit?limit={limit}")).await?;
            output::result(as_json, &page["entries"], list)
        }
    }
}

fn verification(report: &Value) -> String {
    let counts = format!(
        "{} entries in the chain, {} written a moment ago, {} redacted; site changes covered: {}.",
        report["sealed"], report["unsealed"], report["redacted"], report["changes"]
    );
    let counts = match report["cut"].as_i64() {
        Some(cut) if cut > 0 => format!("{counts} {cut} older entries were deleted."),
        _ => counts,
    };
    match report["broken"].as_str() {
        None => match report["head"].as_str() {
            Some(head) => format!("The log is intact: {counts}\nHead: {head}"),
            None => format!("The log is intact: {counts}"),
        },
        Some(place) => format!("The log has been altered: {place}.\n{counts}"),
    }
}

fn list(entries: &Value) -> String {
    let row = |entry: &Value| {
        let who = if entry["actorName"].is_null() {
            text(entry, "actor")
        } else {
            text(entry, "actorName")
        };
        let when = entry["at"].as_i64().map(when).unwrap_or_default();
        vec![when, who, text(entry, "action"), text(entry, "subject")]
    };
    let rows: Vec<Vec<String>> = entries.as_array().into_iter().flatten().map(row).collect();
    table(&["WHEN (UTC)", "WHO", "WHAT", "ABOUT"], &rows)
}

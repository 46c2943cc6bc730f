//! Publishing, rolling back, and past releases.

use std::collections::BTreeSet;

use anyhow::Result;
use serde_json::{Value, json};

use crate::api::{Api, Refusal};
use crate::arguments::Publish;
use crate::output::{self, counted, table, text, when};

pub(crate) async fn run(api: &Api, command: Publish, as_json: bool) -> Result<()> {
    let Publish {
        preview,
        leave_out,
        note,
    } = command;
    if preview {
        let compared = api.get("/admin/api/site/publish").await?;
        return output::result(as_json, &compared, overview);
    }
    let mut body = json!({ "leaveOut": leave_out });
    if let Some(note) = note {
        body["note"] = json!(note);
    }
    let published = api.post("/admin/api/site/publish", body).await?;
    output::result(as_json, &published, |published| {
        told(published, "Published")
    })
}

/// Rolls back to a release, or to the previous one.
pub(crate) async fn roll_back(api: &Api, to: Option<u64>, as_json: bool) -> Result<()> {
    let mut arguments = json!({});
    if let Some(number) = to {
        arguments["to"] = json!(number);
    }
    let call = json!({ "tool": "rollbackSite", "scope": "site", "arguments": arguments, "confirmed": true });
    let mut envelope = api.post("/tools/call", call).await?;
    if envelope["ok"] != true {
        let error = &envelope["error"];
        return Err(Refusal {
            code: text(error, "code"),
            detail: text(error, "message"),
            body: json!({ "code": error["code"], "detail": error["message"] }),
        }
        .into());
    }
    output::result(as_json, &envelope["data"].take(), |rolled| {
        told(rolled, "Rolled back to")
    })
}

pub(crate) async fn releases(api: &Api, limit: u16, as_json: bool) -> Result<()> {
    let listed = api
        .get(&format!("/admin/api/site/releases?limit={limit}"))
        .await?;
    output::result(as_json, &listed["releases"], |releases| {
        let all = releases.as_array().into_iter().flatten();
        let rows: Vec<Vec<String>> = all.map(row).collect();
        if rows.is_empty() {
            return "Nothing has been published yet.".to_owned();
        }
        table(&["RELEASE", "WHEN (UTC)", "WHO", "PAGES", "NOTE"], &rows)
    })
}

fn row(release: &Value) -> Vec<String> {
    let who = match &release["byName"] {
        Value::String(name) => name.clone(),
        _ => text(release, "by"),
    };
    let mark = match release["isCurrent"] == true {
        true => " (live)",
        false => "",
    };
    vec![
        format!("{}{mark}", text(release, "number")),
        release["at"].as_i64().map(when).unwrap_or_default(),
        who,
        text(release, "pages"),
        text(release, "note"),
    ]
}

/// What visitors see now, in a sentence.
fn told(published: &Value, verb: &str) -> String {
    let number = text(published, "release");
    let pages = published["pages"].as_u64().unwrap_or(0);
    let pages = usize::try_from(pages).unwrap_or(usize::MAX);
    let mut lines = vec![match published["isNew"] == false {
        true => format!("Release {number} is already live; nothing has changed."),
        false => {
            let pages = counted(pages, "page", "pages");
            format!("{verb} release {number} with {pages}.")
        }
    }];
    let changes = published["changes"].as_array();
    lines.extend(changes.into_iter().flatten().map(|change| {
        let (kind, address) = (text(change, "change"), text(change, "address"));
        format!("{kind}: {address} {}", text(change, "title"))
    }));
    let listed = changes.map_or(0, Vec::len) as u64;
    let more = published["changed"]
        .as_u64()
        .unwrap_or(0)
        .saturating_sub(listed);
    if more > 0 {
        lines.push(format!("and {more} more"));
    }
    let damaged = published["damaged"].as_array().into_iter().flatten();
    let damaged: BTreeSet<String> = damaged.map(|damaged| text(damaged, "address")).collect();
    lines.extend(damaged.into_iter().map(|address| {
        format!("damaged: {address} (its stored file is lost or corrupt; publish the draft, or restore the file from a backup)")
    }));
    lines.join("\n")
}

fn overview(compared: &Value) -> String {
    let changes = compared["changes"].as_array().into_iter().flatten();
    let rows: Vec<Vec<String>> = changes
        .map(|change| {
            let authors = change["authors"].as_array().into_iter().flatten();
            let names = authors.map(|author| match &author["name"] {
                Value::String(name) => name.clone(),
                _ => text(author, "kind"),
            });
            vec![
                text(change, "change"),
                text(change, "address"),
                text(change, "title"),
                names.collect::<Vec<_>>().join(", "),
            ]
        })
        .collect();
    let mut out = match rows.is_empty() {
        true => "There is nothing to publish.\n".to_owned(),
        false => table(&["WHAT", "ADDRESS", "TITLE", "BY"], &rows),
    };
    for problem in compared["problems"].as_array().into_iter().flatten() {
        out.push_str(problem.as_str().unwrap_or_default());
        out.push('\n');
    }
    out
}

//! Whether the stored data can be read, and how to recover when it cannot.

use std::fs;
use std::io::Write as _;
use std::path::Path;

use anyhow::{Context as _, Result};
use serde_json::{Value, json};
use sitewright_tool::ErrorCode;

use crate::api::{Api, Refusal};
use crate::arguments::Doctor;
use crate::output::{self, text};

pub(crate) async fn run(api: &Api, command: Doctor, as_json: bool) -> Result<()> {
    let Doctor {
        all_files,
        repair,
        recover,
        restore_point,
        export,
    } = command;
    if let Some(file) = export {
        return write_export(api, &file, as_json).await;
    }
    if recover {
        let input = json!({ "restorePoint": restore_point });
        let recovered = api.post("/admin/api/doctor/recover", input).await?;
        return output::result(as_json, &recovered, recovery);
    }
    if repair {
        let report = api.post("/admin/api/doctor/repair", json!({})).await?;
        return output::result(as_json, &report, files);
    }
    let found = api
        .get(&format!("/admin/api/doctor?allFiles={all_files}"))
        .await?;
    if found["ok"] == true {
        return output::result(as_json, &found, diagnosis);
    }
    let (code, detail) = (String::new(), diagnosis(&found));
    let body = found;
    Err(Refusal { code, detail, body }.into())
}

async fn write_export(api: &Api, file: &Path, as_json: bool) -> Result<()> {
    let shown = file.display();
    if file.exists() {
        let detail = format!("{shown} already exists; choose another file.");
        return Err(Refusal::new(ErrorCode::Conflict, detail).into());
    }
    let bytes = api.bytes("/admin/api/doctor/export").await?;
    let mut out =
        fs::File::create_new(file).with_context(|| format!("{shown} cannot be created"))?;
    out.write_all(&bytes)
        .and_then(|()| out.sync_all())
        .with_context(|| format!("{shown} cannot be written"))?;
    let done = json!({ "file": file, "bytes": bytes.len() });
    output::result(as_json, &done, |done| {
        format!("Wrote {} bytes to {shown}.", done["bytes"])
    })
}

fn diagnosis(found: &Value) -> String {
    let mut lines: Vec<String> = Vec::new();
    let damage = found["damage"].as_array().into_iter().flatten();
    lines.extend(damage.map(damaged_part));
    if !lines.is_empty() {
        lines.push(ways_out(&found["restorePoints"]));
    }
    if let Some(place) = found["audit"].as_str() {
        lines.push(format!("The activity log has been altered: {place}."));
    }
    lines.push(files(&found["files"]));
    if found["ok"] == true {
        lines.insert(
            0,
            "No problems found: every document, the activity log and all files are readable."
                .to_owned(),
        );
    }
    lines.join("\n")
}

fn damaged_part(part: &Value) -> String {
    let what = match (part["document"].as_str(), part["title"].as_str()) {
        (None, _) => "The site is read-only".to_owned(),
        (Some(id), title) => format!(
            "The document \"{}\" ({id}) is read-only",
            title.unwrap_or_default()
        ),
    };
    match part["entry"].as_u64() {
        Some(entry) => format!(
            "{what}: entry {entry} of its log cannot be read ({}). It is shown as it was before.",
            text(part, "reason")
        ),
        None => format!("{what}: {}.", text(part, "reason")),
    }
}

fn ways_out(points: &Value) -> String {
    let points: Vec<String> = points
        .as_array()
        .into_iter()
        .flatten()
        .map(Value::to_string)
        .collect();
    let from_a_point = match points.is_empty() {
        true => "There is no restore point yet.".to_owned(),
        false => format!(
            "Or restore to a restore point with --recover --restore-point ENTRY ({}).",
            points.join(", ")
        ),
    };
    format!(
        "Save everything first with `sitewright doctor --export FILE`. Then keep what can be read with \
         `sitewright doctor --recover`. {from_a_point}"
    )
}

fn recovery(recovered: &Value) -> String {
    match recovered["entry"].as_u64() {
        None => "Nothing is damaged. Nothing was changed.".to_owned(),
        Some(entry) => {
            let parts = recovered["damage"].as_array().map_or(0, Vec::len);
            format!(
                "The site can be edited again. Damaged parts: {parts}. The recovery is entry {entry} of the history."
            )
        }
    }
}

fn files(report: &Value) -> String {
    let counts = format!("Files: {} intact", report["intact"]);
    let bad: Vec<String> = ["missing", "corrupt", "unreadable", "repaired"]
        .iter()
        .filter(|kind| report[**kind].as_u64().is_some_and(|count| count > 0))
        .map(|kind| format!("{} {kind}", report[*kind]))
        .collect();
    if bad.is_empty() {
        return format!("{counts}.");
    }
    let mut lines = vec![format!("{counts}, {}.", bad.join(", "))];
    for blob in report["damaged"].as_array().into_iter().flatten() {
        let addresses: Vec<String> = blob["addresses"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|address| {
                format!(
                    "{} (release {})",
                    text(address, "address"),
                    address["release"]
                )
            })
            .collect();
        let whose = match addresses.is_empty() {
            true => format!(
                "{} {}{}",
                text(blob, "kind"),
                text(blob, "name"),
                text(blob, "family")
            ),
            false => addresses.join(", "),
        };
        let repaired = match blob["isRepaired"] == true {
            true => "written again",
            false => "not repaired",
        };
        lines.push(format!("  {}: {whose}, {repaired}", text(blob, "damage")));
    }
    if report["repaired"] == 0 {
        lines.push("Rebuild what can be rebuilt with `sitewright doctor --repair`.".to_owned());
    }
    lines.join("\n")
}

//! How much the site holds, and what is about to be deleted.

use anyhow::Result;
use serde_json::Value;

use crate::api::Api;
use crate::output::{self, text};

pub(crate) async fn run(api: &Api, as_json: bool) -> Result<()> {
    let found = api.get("/admin/api/storage").await?;
    output::result(as_json, &found, |found| {
        let limits = found["limits"].as_array().into_iter().flatten();
        let mut lines: Vec<String> = limits.map(limit).collect();
        lines.push(next(&found["next"]));
        lines.join("\n")
    })
}

fn limit(limit: &Value) -> String {
    format!(
        "{} of {} {} ({})",
        limit["used"],
        limit["most"],
        text(limit, "what"),
        text(limit, "setting")
    )
}

fn next(next: &Value) -> String {
    let releases = next["releases"].as_array().map_or(0, Vec::len) as u64;
    let counts = [
        ("releases", releases),
        ("conversations", count(next, "conversations")),
        ("usage records", count(next, "usage")),
        ("activity log entries", count(next, "audit")),
        ("files", count(next, "files")),
    ];
    let parts: Vec<String> = counts
        .iter()
        .filter(|(_, count)| *count > 0)
        .map(|(what, count)| format!("{count} {what}"))
        .collect();
    let waiting = match count(next, "filesWaiting") {
        0 => String::new(),
        files => format!(" Unused files, kept for a day: {files}."),
    };
    if next["isClockTrusted"] != true {
        return format!(
            "Nothing is deleted because of its age until the server has run for a week.{waiting}"
        );
    }
    match parts.is_empty() {
        true => format!("Nothing to delete.{waiting}"),
        false => format!(
            "Deleted within the hour: {} ({} bytes of files).{waiting}",
            parts.join(", "),
            next["fileBytes"]
        ),
    }
}

fn count(next: &Value, name: &str) -> u64 {
    next[name].as_u64().unwrap_or_default()
}

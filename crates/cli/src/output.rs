//! What people and scripts read: results on standard output, failures on standard error (with `--json`, both as JSON on standard
//! output).

pub(crate) mod card;

use std::io::{self, Write as _};
use std::process::ExitCode;

use anyhow::Result;
use serde_json::{Value, json};
use sitewright_server::{BadSetting, FolderError, ServeError};
use sitewright_tool::ErrorCode;

use crate::api::Refusal;

/// Prints a line for people, and flushes it even into a pipe.
pub(crate) fn line(text: &str) -> Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{text}")?;
    Ok(out.flush()?)
}

/// Prints the result: as JSON if requested, else as the given text.
pub(crate) fn result(
    json: bool,
    value: &Value,
    words: impl FnOnce(&Value) -> String,
) -> Result<()> {
    if json {
        line(&serde_json::to_string(value)?)
    } else {
        line(words(value).trim_end())
    }
}

/// Prints a failure and returns the exit code.
pub(crate) fn failure(error: &anyhow::Error, json: bool) -> ExitCode {
    let refusal = error.downcast_ref::<Refusal>();
    let written = if json {
        let body = refusal.map_or_else(
            || json!({ "code": code(error).as_str(), "detail": chain(error) }),
            |refusal| refusal.body.clone(),
        );
        line(&body.to_string())
    } else {
        writeln!(io::stderr().lock(), "sitewright: {}", chain(error)).map_err(anyhow::Error::from)
    };
    // If no one can read it, the exit code is all that is left.
    match written {
        Ok(()) | Err(_) => ExitCode::FAILURE,
    }
}

/// The code for a failure that did not come from a server.
fn code(error: &anyhow::Error) -> ErrorCode {
    if error.is::<BadSetting>() {
        ErrorCode::InvalidInput
    } else if error.is::<FolderError>() || error.is::<ServeError>() {
        ErrorCode::Unavailable
    } else {
        ErrorCode::Internal
    }
}

/// The error with its causes, in one line.
pub(crate) fn chain(error: &anyhow::Error) -> String {
    let mut causes: Vec<String> = Vec::new();
    for cause in error.chain().map(ToString::to_string) {
        // Some errors repeat their cause in their own text.
        if causes.last().is_none_or(|last| !last.contains(&cause)) {
            causes.push(cause);
        }
    }
    causes.join(": ")
}

/// Rows under headings, each column as wide as its widest cell.
pub(crate) fn table(headings: &[&str], rows: &[Vec<String>]) -> String {
    let width = |column: usize| {
        let cells = rows.iter().map(|row| row[column].chars().count());
        cells
            .chain([headings[column].chars().count()])
            .max()
            .unwrap_or(0)
    };
    let widths: Vec<usize> = (0..headings.len()).map(width).collect();
    let write = |cells: &mut dyn Iterator<Item = &str>| {
        let padded: Vec<String> = cells
            .zip(&widths)
            .map(|(cell, width)| format!("{cell:<width$}"))
            .collect();
        padded.join("  ").trim_end().to_owned() + "\n"
    };
    let mut text = write(&mut headings.iter().copied());
    for row in rows {
        text.push_str(&write(&mut row.iter().map(String::as_str)));
    }
    text
}

/// A text field of a response.
pub(crate) fn text(value: &Value, field: &str) -> String {
    match &value[field] {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

/// A number with what it counts, such as "1 page" and "2 pages".
pub(crate) fn counted(number: usize, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

/// A time in readable form.
pub(crate) fn when(millis: i64) -> String {
    let time = jiff::Timestamp::from_millisecond(millis).unwrap_or_default();
    time.strftime("%Y-%m-%d %H:%M:%S").to_string()
}

//! The bootstrap file: `{ "tools": [{ manifest, endpoint, staticHeaders }] }`, read once at the start.
//!
//! An invalid entry is rejected by name and the others load; an invalid file is reported and nothing of it loads. Neither stops the
//! start. A value in `staticHeaders` may be `{ "file": "path" }` instead of the secret itself, so that the file can be shared.

use std::collections::HashSet;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};
use sitewright_egress::EgressPolicy;

use crate::registration::{Registration, RegistrationProblem};

const FILE_BYTES_MAX: u64 = 16 * 1024 * 1024;
const SECRET_BYTES_MAX: u64 = 8 * 1024;
const TOOLS_MAX: usize = 1_000;

/// The content of the file.
#[derive(Debug, Default)]
pub struct Bootstrap {
    /// The tools that may be registered, in the order of the file.
    pub tools: Vec<Registration>,
    /// The entries that were rejected, in the order of the file.
    pub refused: Vec<RefusedEntry>,
    /// Whether other users of this machine can read the file although it contains secrets.
    pub exposes_secrets: bool,
}

/// An entry that was rejected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefusedEntry {
    /// Its index in the file.
    pub position: usize,
    /// The name in its manifest, if it has one.
    pub name: Option<String>,
    /// Everything that is wrong with it.
    pub problems: Vec<RegistrationProblem>,
}

/// Why the file cannot be used at all.
#[derive(Debug, thiserror::Error)]
pub enum BadBootstrap {
    #[error("{} cannot be read ({source}); correct ORCHESTRATOR_TOOL_MANIFEST_PATH, or remove it", .path.display())]
    Unreadable {
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    #[error("{} is larger than {FILE_BYTES_MAX} bytes; it should hold manifests of tools only", .path.display())]
    TooLarge {
        /// The bootstrap file.
        path: PathBuf,
    },
    /// It is not JSON.
    #[error("{} is not valid JSON: {problem}", .path.display())]
    NoJson {
        path: PathBuf,
        /// What is wrong, with line and column.
        problem: String,
    },
    /// It is JSON of another shape.
    #[error("{} is not of the form {{\"tools\": [{{\"manifest\": …, \"endpoint\": …}}]}}: {problem}", .path.display())]
    WrongForm {
        path: PathBuf,
        /// What is wrong with its shape.
        problem: String,
    },
}

/// Reads the file.
pub fn read_bootstrap(path: &Path, policy: &EgressPolicy) -> Result<Bootstrap, BadBootstrap> {
    let unreadable = |source| BadBootstrap::Unreadable {
        path: path.to_owned(),
        source,
    };
    let bytes = read_up_to(path, FILE_BYTES_MAX)
        .map_err(unreadable)?
        .ok_or_else(|| BadBootstrap::TooLarge {
            path: path.to_owned(),
        })?;
    let json: Value = serde_json::from_slice(&bytes).map_err(|error| BadBootstrap::NoJson {
        path: path.to_owned(),
        // serde's message names a position and a kind of token, never the content, which may be a secret.
        problem: error.to_string(),
    })?;
    let entries = entries_of(json).map_err(|problem| BadBootstrap::WrongForm {
        path: path.to_owned(),
        problem,
    })?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let mut bootstrap = Bootstrap::default();
    let mut holds_secrets = false;
    let mut names = HashSet::new();
    for (position, mut entry) in entries.into_iter().enumerate() {
        let name = entry
            .pointer("/manifest/name")
            .and_then(Value::as_str)
            .map(|name| name.chars().take(128).collect::<String>());
        let checked = fill_in_secrets(&mut entry, folder).and_then(|has_secrets| {
            holds_secrets |= has_secrets;
            let registration = Registration::check(&entry, policy)?;
            match names.insert(registration.manifest.name.clone()) {
                true => Ok(registration),
                false => Err(vec![RegistrationProblem {
                    field: "manifest.name".to_owned(),
                    problem: "is the name of an entry before it".to_owned(),
                    remedy: "choose another name, or remove one of the entries".to_owned(),
                }]),
            }
        });
        match checked {
            Ok(registration) => bootstrap.tools.push(registration),
            Err(problems) => bootstrap.refused.push(RefusedEntry {
                position,
                name,
                problems,
            }),
        }
    }
    bootstrap.exposes_secrets = holds_secrets && is_readable_by_others(path).map_err(unreadable)?;
    Ok(bootstrap)
}

fn entries_of(json: Value) -> Result<Vec<Value>, String> {
    let Value::Object(mut fields) = json else {
        return Err("it is no object".to_owned());
    };
    let tools = fields.shift_remove("tools");
    if let Some(other) = fields.keys().next() {
        let short: String = other.chars().take(60).collect();
        return Err(format!("it has a field `{short}`, which means nothing"));
    }
    match tools {
        Some(Value::Array(entries)) if entries.len() <= TOOLS_MAX => Ok(entries),
        Some(Value::Array(entries)) => Err(format!(
            "it has {} tools, and {TOOLS_MAX} are allowed",
            entries.len()
        )),
        Some(_) => Err("`tools` is no list".to_owned()),
        None => Err("it has no field `tools`".to_owned()),
    }
}

/// Replaces references to files with the secrets in them. Returns whether the entry itself contains secrets.
fn fill_in_secrets(entry: &mut Value, folder: &Path) -> Result<bool, Vec<RegistrationProblem>> {
    let Some(headers) = entry
        .get_mut("staticHeaders")
        .and_then(Value::as_object_mut)
    else {
        return Ok(false);
    };
    let mut stands_in_the_open = false;
    let mut problems = Vec::new();
    for (name, value) in headers {
        match value {
            Value::Object(reference) => match secret_in_file(reference, folder) {
                Ok(secret) => *value = Value::String(secret),
                Err((problem, remedy)) => problems.push(RegistrationProblem {
                    field: format!(
                        "staticHeaders.{}",
                        name.chars().take(60).collect::<String>()
                    ),
                    problem,
                    remedy: remedy.to_owned(),
                }),
            },
            _ => stands_in_the_open = true,
        }
    }
    match problems.is_empty() {
        true => Ok(stands_in_the_open),
        false => Err(problems),
    }
}

fn secret_in_file(
    reference: &Map<String, Value>,
    folder: &Path,
) -> Result<String, (String, &'static str)> {
    let path = match (
        reference.get("file").and_then(Value::as_str),
        reference.len(),
    ) {
        (Some(path), 1) => folder.join(path),
        _ => {
            let remedy =
                "give a text, or {\"file\": \"path\"} with the path of a file that holds it";
            return Err(("is an object of another form".to_owned(), remedy));
        }
    };
    let shown = path.display();
    let bytes = read_up_to(&path, SECRET_BYTES_MAX)
        .map_err(|error| {
            (
                format!("cannot be read from {shown} ({error})"),
                "make the file readable, or correct its path",
            )
        })?
        .ok_or_else(|| {
            (
                format!("is too long in {shown}"),
                "put the value alone into the file",
            )
        })?;
    let text = String::from_utf8(bytes).map_err(|_error| {
        (
            format!("is no text in {shown}"),
            "put the value into the file as text",
        )
    })?;
    // Editors and `echo` end a file with a line break.
    Ok(text.trim_end_matches(['\n', '\r']).to_owned())
}

/// Reads a file; `None` when it is longer than the limit.
fn read_up_to(path: &Path, limit: u64) -> io::Result<Option<Vec<u8>>> {
    // Opening a pipe would block until there is a writer; devices and folders have no usable content.
    if !std::fs::metadata(path)?.is_file() {
        return Err(io::Error::other("it is no regular file"));
    }
    let file = File::open(path)?;
    let mut bytes = Vec::new();
    file.take(limit + 1).read_to_end(&mut bytes)?;
    Ok((bytes.len() as u64 <= limit).then_some(bytes))
}

fn is_readable_by_others(path: &Path) -> io::Result<bool> {
    use std::os::unix::fs::PermissionsExt as _;
    Ok(std::fs::metadata(path)?.permissions().mode() & 0o044 != 0)
}

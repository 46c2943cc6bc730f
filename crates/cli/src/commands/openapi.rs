//! OpenAPI documents whose operations become tools.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context as _, Result};
use serde_json::{Value, json};
use sitewright_connect::openapi::{
    Bundle, Finding, FindingLevel, OperationChoice, has_errors, import,
};
use sitewright_tool::ErrorCode;

use crate::api::{Api, Refusal};
use crate::arguments::OpenApi;
use crate::output::{self, counted, table, text};

const DOCUMENTS: &str = "/admin/api/openapi";

/// Checks a document without an instance. The exit code is 1 if it would be refused.
pub(crate) fn lint(file: &Path, as_json: bool) -> Result<()> {
    let bundle = read(file)?;
    let findings = import(&bundle, &OperationChoice::Marked).findings;
    let report = json!({ "findings": findings });
    if has_errors(&findings) {
        return Err(Refusal {
            code: ErrorCode::InvalidInput.as_str().to_owned(),
            detail: told(file, &findings),
            body: report,
        }
        .into());
    }
    output::result(as_json, &report, |_| told(file, &findings))
}

fn read(file: &Path) -> Result<Bundle> {
    Bundle::read(file)
        .map_err(|error| Refusal::new(ErrorCode::InvalidInput, format!("{error}.")).into())
}

/// The findings as compilers write them.
fn told(file: &Path, findings: &[Finding]) -> String {
    let name = file.display();
    let mut lines = Vec::new();
    let mut errors = 0;
    for finding in findings {
        let level = match finding.level {
            FindingLevel::Error => "error",
            FindingLevel::Warning => "warning",
        };
        errors += usize::from(finding.level == FindingLevel::Error);
        // A finding in another file says which.
        let (place, pointer) = match finding.pointer.split_once('#') {
            Some((other, pointer)) if !other.starts_with('/') => (other.to_owned(), pointer),
            _ => (name.to_string(), finding.pointer.as_str()),
        };
        lines.push(format!("{level}[{}]: {}", finding.code, finding.message));
        lines.push(format!("  --> {place}:{} ({pointer})", finding.line));
    }
    let warnings = findings.len() - errors;
    lines.push(match (errors, warnings) {
        (0, 0) => format!("{name}: no problems"),
        _ => format!(
            "{name}: {}, {}",
            counted(errors, "error", "errors"),
            counted(warnings, "warning", "warnings")
        ),
    });
    lines.join("\n")
}

pub(crate) async fn run(api: &Api, command: OpenApi, as_json: bool) -> Result<()> {
    match command {
        OpenApi::Lint { file } => lint(&file, as_json),
        OpenApi::Add {
            document,
            base_url,
            credentials_stdin,
            operation,
            all_operations,
        } => {
            let mut body = json!({ "operations": operation, "allOperations": all_operations });
            match document.starts_with("https://") || document.starts_with("http://") {
                // The server fetches it, so that the same addresses are allowed as for its calls.
                true => body["url"] = json!(document),
                false => {
                    let bundle = read(Path::new(&document))?;
                    body["root"] = json!(bundle.root);
                    body["files"] = json!(bundle.files);
                }
            }
            if let Some(base_url) = base_url {
                body["baseUrl"] = json!(base_url);
            }
            if credentials_stdin {
                body["credentials"] = json!(credentials()?);
            }
            added(api.post(DOCUMENTS, body).await?, as_json)
        }
        OpenApi::List => {
            let documents = api.get(DOCUMENTS).await?;
            output::result(as_json, &documents["documents"], list)
        }
        OpenApi::Review { name, accept, .. } => {
            let reviewed = api.post(&path(&name), json!({ "accept": accept })).await?;
            output::result(as_json, &reviewed, |_| match accept {
                true => "The new version is now in use.".to_owned(),
                false => "The current version was kept.".to_owned(),
            })
        }
        OpenApi::Remove { name } => {
            api.delete(&path(&name)).await?;
            output::result(as_json, &json!({ "removed": name }), |_| {
                "Document removed, with its tools.".to_owned()
            })
        }
        OpenApi::Grant { tool } => {
            let grants = api
                .post("/admin/api/personal-data", json!({ "tool": tool }))
                .await?;
            output::result(as_json, &grants["grants"], grants_table)
        }
        OpenApi::Grants => {
            let grants = api.get("/admin/api/personal-data").await?;
            output::result(as_json, &grants["grants"], grants_table)
        }
        OpenApi::Revoke { tool } => {
            api.delete(&format!("/admin/api/personal-data/{}", encoded(&tool)))
                .await?;
            output::result(as_json, &json!({ "revoked": tool }), |_| {
                "Access revoked.".to_owned()
            })
        }
    }
}

fn added(mut reply: Value, as_json: bool) -> Result<()> {
    if reply["outcome"] == "waiting" {
        let weakened = reply["weakened"].as_array().into_iter().flatten();
        let weakened: Vec<&str> = weakened.filter_map(Value::as_str).collect();
        let name = text(&reply, "name");
        let detail = format!(
            "The new version drops guarantees and needs a review:\n{}\nTo use it: sitewright openapi review \"{name}\" --accept",
            weakened.join("\n")
        );
        return Err(Refusal {
            code: ErrorCode::ApprovalRequired.as_str().to_owned(),
            detail,
            body: reply,
        }
        .into());
    }
    let tools = json!({ "tools": reply["tools"].take() });
    output::result(as_json, &tools, |tools| {
        let names = tools["tools"].as_array().into_iter().flatten();
        let names: Vec<&str> = names.filter_map(Value::as_str).collect();
        names.join("\n")
    })
}

/// Secrets by security scheme, as a JSON object on standard input.
fn credentials() -> Result<BTreeMap<String, String>> {
    let text =
        std::io::read_to_string(std::io::stdin()).context("standard input cannot be read")?;
    serde_json::from_str(&text).map_err(|_error| {
        let detail = "Standard input is not a JSON object such as {\"apiKey\": \"…\"}.".to_owned();
        Refusal::new(ErrorCode::InvalidInput, detail).into()
    })
}

fn path(name: &str) -> String {
    format!("{DOCUMENTS}/{}", encoded(name))
}

fn encoded(name: &str) -> String {
    let encoded: String = url::form_urlencoded::byte_serialize(name.as_bytes()).collect();
    encoded.replace('+', "%20")
}

fn list(documents: &Value) -> String {
    let row = |document: &Value| {
        let tools = document["tools"].as_array().map_or(0, Vec::len);
        let note = match (
            document["problem"].as_str(),
            document["weakened"].as_array(),
        ) {
            (Some(problem), _) => problem.to_owned(),
            (None, Some(_)) => "a new version needs a review".to_owned(),
            (None, None) => String::new(),
        };
        vec![
            text(document, "name"),
            tools.to_string(),
            text(document, "baseUrl"),
            note,
        ]
    };
    let rows: Vec<Vec<String>> = documents
        .as_array()
        .into_iter()
        .flatten()
        .map(row)
        .collect();
    table(&["NAME", "TOOLS", "ADDRESS", "NOTE"], &rows)
}

fn grants_table(grants: &Value) -> String {
    let row = |grant: &Value| vec![text(grant, "tool"), text(grant, "field")];
    let rows: Vec<Vec<String>> = grants.as_array().into_iter().flatten().map(row).collect();
    table(&["TOOL", "PERSONAL DATA"], &rows)
}

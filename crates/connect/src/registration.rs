//! The description of a remote tool: its manifest, its endpoint, and the headers that go with every call.
//!
//! All problems of a registration are reported at once, each with its field and a remedy. What a vendor must not decide about itself is
//! rejected here: an effect that would avoid approval, an endpoint in a private network, a header that frames the message.

use std::fmt;

use http::header::{self, HeaderMap, HeaderName, HeaderValue};
use serde::Serialize;
use serde_json::{Map, Value, json};
use sitewright_egress::{EgressError, EgressPolicy};
use sitewright_runtime::check_manifest;
use sitewright_tool::{Effect, Execution, ToolCapability, ToolManifest};
use url::Url;

const HEADERS_MAX: usize = 32;
const HEADER_NAME_BYTES_MAX: usize = 128;
const HEADER_VALUE_BYTES_MAX: usize = 8 * 1024;
const ENDPOINT_BYTES_MAX: usize = 2_000;
/// How much of an invalid name is quoted.
const QUOTED_CHARS_MAX: usize = 60;

/// A remote tool that may be registered.
#[derive(Debug, Clone, PartialEq)]
pub struct Registration {
    /// What the tool says about itself.
    pub manifest: ToolManifest,
    /// Where it is called. The query may contain a secret.
    pub endpoint: Url,
    /// Headers that go with every call; all are secrets and marked as sensitive.
    pub static_headers: HeaderMap,
    /// Whether the person who connects the tool says that nothing sent to it can do harm. Not part of the manifest, because a vendor
    /// must not say so about itself.
    pub is_harmless: bool,
}

/// A problem with a registration.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RegistrationProblem {
    /// The field, such as `manifest.timeoutMs` or `staticHeaders.x-api-key`; empty for the registration itself.
    pub field: String,
    /// What is wrong.
    pub problem: String,
    /// What to do about it.
    pub remedy: String,
}

impl RegistrationProblem {
    fn new(
        field: impl Into<String>,
        problem: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Self {
        Self {
            field: field.into(),
            problem: problem.into(),
            remedy: remedy.into(),
        }
    }
}

impl fmt::Display for RegistrationProblem {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            field,
            problem,
            remedy,
        } = self;
        match field.as_str() {
            "" => write!(out, "the registration {problem}: {remedy}"),
            field => write!(out, "`{field}` {problem}: {remedy}"),
        }
    }
}

/// Headers that the client sets itself, besides those that frame the message.
static OURS: [HeaderName; 5] = [
    header::ACCEPT_ENCODING,
    header::CONTENT_ENCODING,
    header::CONTENT_TYPE,
    header::USER_AGENT,
    IDEMPOTENCY_KEY,
];

/// Headers that decide where a message goes or ends, and hop-by-hop headers.
static FRAMING: [HeaderName; 12] = [
    header::CONNECTION,
    header::CONTENT_LENGTH,
    header::EXPECT,
    header::HOST,
    header::PROXY_AUTHENTICATE,
    header::PROXY_AUTHORIZATION,
    header::TE,
    header::TRAILER,
    header::TRANSFER_ENCODING,
    header::UPGRADE,
    HeaderName::from_static("keep-alive"),
    HeaderName::from_static("proxy-connection"),
];

/// Every attempt of a call sends the same key in this header.
pub(crate) const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");

impl Registration {
    /// Parses `{ manifest, endpoint, staticHeaders?, harmless? }`, or returns everything that is wrong with it.
    pub fn check(value: &Value, policy: &EgressPolicy) -> Result<Self, Vec<RegistrationProblem>> {
        let Some(fields) = value.as_object() else {
            return Err(vec![RegistrationProblem::new(
                "",
                "is not an object",
                "send a JSON object with `manifest`, `endpoint` and, if needed, `staticHeaders` and `harmless`",
            )]);
        };
        let mut problems = Vec::new();
        let manifest = take(check_own_manifest(fields.get("manifest")), &mut problems);
        let endpoint = take(
            check_endpoint(fields.get("endpoint"), policy),
            &mut problems,
        );
        let static_headers = take(check_headers(fields.get("staticHeaders")), &mut problems);
        let is_harmless = take(check_harmless(fields.get("harmless")), &mut problems);
        for name in fields.keys() {
            if !matches!(
                name.as_str(),
                "manifest" | "endpoint" | "staticHeaders" | "harmless"
            ) {
                problems.push(RegistrationProblem::new(
                    shortened(name),
                    "is no field of a registration",
                    "leave it out, or correct its spelling",
                ));
            }
        }
        match (manifest, endpoint, static_headers, is_harmless) {
            (Some(manifest), Some(endpoint), Some(static_headers), Some(is_harmless))
                if problems.is_empty() =>
            {
                Ok(Self {
                    manifest,
                    endpoint,
                    static_headers,
                    is_harmless,
                })
            }
            _ => Err(problems),
        }
    }

    /// The registration as JSON that [`check`](Self::check) accepts. It contains the secrets, so it must be stored encrypted.
    pub fn to_json(&self) -> Value {
        let headers: Map<String, Value> = self
            .static_headers
            .iter()
            .map(|(name, value)| {
                let text = String::from_utf8_lossy(value.as_bytes());
                (name.to_string(), json!(text))
            })
            .collect();
        json!({
            "manifest": self.manifest, "endpoint": self.endpoint.as_str(), "staticHeaders": headers, "harmless": self.is_harmless,
        })
    }
}

fn take<T>(
    checked: Result<T, Vec<RegistrationProblem>>,
    problems: &mut Vec<RegistrationProblem>,
) -> Option<T> {
    match checked {
        Ok(value) => Some(value),
        Err(found) => {
            problems.extend(found);
            None
        }
    }
}

fn check_own_manifest(manifest: Option<&Value>) -> Result<ToolManifest, Vec<RegistrationProblem>> {
    let manifest = manifest.ok_or_else(|| {
        vec![RegistrationProblem::new(
            "manifest",
            "is missing",
            "give the manifest of the tool as an object",
        )]
    })?;
    let manifest = check_manifest(manifest).map_err(|problems| {
        let problems = problems.into_iter().map(|found| {
            let field = match found.field.as_str() {
                "" => "manifest".to_owned(),
                field => format!("manifest.{field}"),
            };
            RegistrationProblem::new(field, found.problem, found.remedy)
        });
        problems.collect::<Vec<_>>()
    })?;
    let mut problems = Vec::new();
    // Our log cannot revert what a remote tool does, whatever its manifest says; `draft` would let it run without approval.
    if manifest.capability == ToolCapability::Write && manifest.effect() != Effect::External {
        problems.push(RegistrationProblem::new(
            "manifest.effect",
            "is not `external`, and the tool changes something elsewhere",
            "say `external`, or leave `effect` out",
        ));
    }
    if manifest.execution == Execution::Browser {
        problems.push(RegistrationProblem::new(
            "manifest.execution",
            "is `browser`, and a remote tool is called by the server",
            "say `server`, or leave `execution` out",
        ));
    }
    match problems.is_empty() {
        true => Ok(manifest),
        false => Err(problems),
    }
}

fn check_endpoint(
    endpoint: Option<&Value>,
    policy: &EgressPolicy,
) -> Result<Url, Vec<RegistrationProblem>> {
    const WANTS: &str =
        "give the address of the tool, such as https://vendor.example.com/tools/pim/getProduct";
    let bad = |problem: String, remedy: &str| {
        Err(vec![RegistrationProblem::new("endpoint", problem, remedy)])
    };
    let Some(endpoint) = endpoint else {
        return bad("is missing".to_owned(), WANTS);
    };
    let Some(text) = endpoint.as_str().filter(|text| !text.trim().is_empty()) else {
        return bad("is no text".to_owned(), WANTS);
    };
    if text.len() > ENDPOINT_BYTES_MAX {
        let problem = format!("is {} bytes long", text.len());
        return bad(problem, &format!("use at most {ENDPOINT_BYTES_MAX}"));
    }
    let vetted = match policy.vet(text) {
        Ok(vetted) => vetted,
        Err(EgressError::Refused { host, reason, .. }) => {
            return bad(
                format!("leads to {host}, which may not be reached ({reason})"),
                "use a public address, or have an operator list it in SITEWRIGHT_EGRESS_ALLOW",
            );
        }
        Err(EgressError::BadUrl { problem, .. }) => {
            return bad(format!("cannot be used ({problem})"), WANTS);
        }
        Err(other) => return bad(format!("cannot be used ({other})"), WANTS),
    };
    if vetted.url.scheme() != "https" && !vetted.is_listed {
        let host = vetted.url.host_str().unwrap_or_default().to_owned();
        return bad(
            "is not https, so that its headers and answers could be read and changed on the way"
                .to_owned(),
            &format!("use https, or have an operator list {host} in SITEWRIGHT_EGRESS_ALLOW"),
        );
    }
    if vetted.url.fragment().is_some() {
        return bad(
            "has a part after `#`, which is never sent".to_owned(),
            "leave that part out",
        );
    }
    Ok(vetted.url)
}

fn check_headers(headers: Option<&Value>) -> Result<HeaderMap, Vec<RegistrationProblem>> {
    let Some(headers) = headers else {
        return Ok(HeaderMap::new());
    };
    let whole = |problem: &str, remedy: String| {
        Err(vec![RegistrationProblem::new(
            "staticHeaders",
            problem,
            remedy,
        )])
    };
    let Some(headers) = headers.as_object() else {
        return whole(
            "is not an object",
            "give an object such as {\"x-api-key\": \"…\"}, or leave it out".to_owned(),
        );
    };
    if headers.len() > HEADERS_MAX {
        return whole("has too many headers", format!("use at most {HEADERS_MAX}"));
    }
    let mut checked = HeaderMap::new();
    let mut problems = Vec::new();
    for (name, value) in headers {
        let result = check_header_name(name, &checked)
            .and_then(|name| Ok((name, check_header_value(value)?)));
        match result {
            Ok((name, value)) => {
                checked.insert(name, value);
            }
            Err((problem, remedy)) => {
                let field = format!("staticHeaders.{}", shortened(name));
                problems.push(RegistrationProblem::new(field, problem, remedy));
            }
        }
    }
    match problems.is_empty() {
        true => Ok(checked),
        false => Err(problems),
    }
}

fn check_harmless(harmless: Option<&Value>) -> Result<bool, Vec<RegistrationProblem>> {
    match harmless {
        None => Ok(false),
        Some(Value::Bool(harmless)) => Ok(*harmless),
        Some(_) => Err(vec![RegistrationProblem::new(
            "harmless",
            "is neither true nor false",
            "say true if nothing that is sent to the tool can do harm, or leave it out",
        )]),
    }
}

type Wrong = (&'static str, String);

fn check_header_name(text: &str, others: &HeaderMap) -> Result<HeaderName, Wrong> {
    let name = HeaderName::try_from(text)
        .ok()
        .filter(|_| text.len() <= HEADER_NAME_BYTES_MAX)
        .ok_or_else(|| {
            let remedy = format!("use letters, digits and `-`, at most {HEADER_NAME_BYTES_MAX}");
            ("is no name of a header", remedy)
        })?;
    if FRAMING.contains(&name) {
        return Err((
            "decides where the message goes or ends, and is set with each call",
            "leave it out".to_owned(),
        ));
    }
    if OURS.contains(&name) {
        return Err((
            "is set by Sitewright with each call",
            "leave it out".to_owned(),
        ));
    }
    if others.contains_key(&name) {
        return Err((
            "is there twice, in different case",
            "leave one of them out".to_owned(),
        ));
    }
    Ok(name)
}

/// An invalid value is never quoted, because it is a secret.
fn check_header_value(value: &Value) -> Result<HeaderValue, Wrong> {
    let text = value
        .as_str()
        .ok_or_else(|| ("is no text", "give the value as a text".to_owned()))?;
    if text.is_empty() {
        return Err((
            "is empty",
            "give a value, or leave the header out".to_owned(),
        ));
    }
    if text.len() > HEADER_VALUE_BYTES_MAX {
        return Err((
            "is too long",
            format!("use at most {HEADER_VALUE_BYTES_MAX} bytes"),
        ));
    }
    if text.trim() != text {
        return Err((
            "begins or ends with a blank or a line break",
            "remove it".to_owned(),
        ));
    }
    let is_printable = text.bytes().all(|byte| matches!(byte, b' '..=b'~'));
    let mut value = HeaderValue::try_from(text)
        .ok()
        .filter(|_| is_printable)
        .ok_or_else(|| {
            let remedy = "use printable ASCII characters only".to_owned();
            ("has characters that no header may have", remedy)
        })?;
    value.set_sensitive(true);
    Ok(value)
}

fn shortened(text: &str) -> String {
    let mut characters = text.chars();
    let short: String = characters.by_ref().take(QUOTED_CHARS_MAX).collect();
    match characters.next() {
        Some(_) => format!("{short}…"),
        None => short,
    }
}

#[cfg(test)]
#[path = "registration_tests.rs"]
mod tests;

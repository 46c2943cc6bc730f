//! `httpGet` and `httpPost`: one request to an address that the caller names, through `egress` like any other.

use std::collections::BTreeMap;

use http::Method;
use http::header::{HeaderName, HeaderValue};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sitewright_egress::{Egress, Request, Response};
use sitewright_runtime::{Attempt, Failure, Foreseen, Outside, ToolOutput};
use sitewright_tool::{ErrorCode, ToolError};

use super::{GET, POST, WebAccess, untrusted};
use crate::exchange::{BodyRead, read};
use crate::failure;

/// The most bytes of an answer.
const ANSWER_BYTES_MAX: usize = 256 * 1024;
/// The most bytes of a body.
const BODY_BYTES_MAX: usize = 1024 * 1024;
const HEADERS_MAX: usize = 32;
/// Headers that belong to the connection, and not to whoever sends a request.
const RESERVED: [&str; 8] = [
    "host",
    "content-length",
    "connection",
    "transfer-encoding",
    "upgrade",
    "te",
    "trailer",
    "expect",
];

pub(super) struct HttpGetTool(pub(super) WebAccess);
pub(super) struct HttpPostTool(pub(super) WebAccess);

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct HttpGet {
    /// The address.
    #[schemars(length(min = 1, max = 4000))]
    url: String,
    /// Headers to send.
    #[serde(default)]
    headers: BTreeMap<String, String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct HttpPost {
    /// The address.
    #[schemars(length(min = 1, max = 4000))]
    url: String,
    /// What to send: text as it is, anything else as JSON.
    body: Value,
    /// Headers to send.
    #[serde(default)]
    headers: BTreeMap<String, String>,
    /// Required for sending. The first call returns a preview; set true to execute.
    #[serde(default, rename = "confirmed")]
    #[expect(dead_code, reason = "the pipeline reads it before the tool runs")]
    is_confirmed: bool,
}

/// What a server answered.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct HttpAnswer {
    /// Whether the status says success.
    success: bool,
    status: u16,
    headers: BTreeMap<String, String>,
    /// The body as text.
    body: String,
    /// The body, if it is JSON.
    #[serde(skip_serializing_if = "Option::is_none")]
    json: Option<Value>,
    /// Whether there is more than 256 KB.
    truncated: bool,
}

impl Outside for HttpGetTool {
    type Input = HttpGet;
    type Data = HttpAnswer;

    async fn run(
        &self,
        input: HttpGet,
        attempt: Attempt<'_>,
    ) -> Result<ToolOutput<HttpAnswer>, Failure> {
        let request = Request::get(&input.url);
        // Headers may carry a key, which is for the named address alone.
        let redirects = if input.headers.is_empty() { 5 } else { 0 };
        let request = with_headers(request, &input.headers)?.with_max_redirects(redirects);
        exchange(&self.0.egress, GET, request, attempt).await
    }
}

impl Outside for HttpPostTool {
    type Input = HttpPost;
    type Data = HttpAnswer;

    async fn foresee(&self, input: HttpPost, _: Attempt<'_>) -> Result<Foreseen, ToolError> {
        let body = written(&input.body)?;
        with_headers(Request::new(Method::POST, &input.url), &input.headers)?;
        let shown: String = body.chars().take(2_000).collect();
        let names: Vec<&String> = input.headers.keys().collect();
        let item =
            json!({ "url": input.url, "headers": names, "bytes": body.len(), "body": shown });
        let message = "Send 1 request?";
        let question = json!({ "requiresConfirmation": true, "message": message, "items": [item] });
        Ok(Foreseen {
            preview: Some(json!({ "question": question })),
            ..Foreseen::default()
        })
    }

    async fn run(
        &self,
        input: HttpPost,
        attempt: Attempt<'_>,
    ) -> Result<ToolOutput<HttpAnswer>, Failure> {
        let body = written(&input.body)?;
        let mut headers = input.headers;
        let has_type = headers
            .keys()
            .any(|name| name.eq_ignore_ascii_case("content-type"));
        if !has_type {
            let kind = match input.body {
                Value::String(_) => "text/plain; charset=utf-8",
                _ => "application/json",
            };
            headers.insert("content-type".to_owned(), kind.to_owned());
        }
        let request =
            with_headers(Request::post(&input.url, body), &headers)?.with_max_redirects(0);
        exchange(&self.0.egress, POST, request, attempt).await
    }
}

fn written(body: &Value) -> Result<String, ToolError> {
    let text = match body {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    match text.len() > BODY_BYTES_MAX {
        true => Err(ToolError::new(ErrorCode::TooLarge, "body may have 1 MB.")),
        false => Ok(text),
    }
}

fn with_headers(
    mut request: Request,
    headers: &BTreeMap<String, String>,
) -> Result<Request, ToolError> {
    let refuse = |message: String| Err(ToolError::new(ErrorCode::InvalidInput, message));
    if headers.len() > HEADERS_MAX {
        return refuse(format!("headers may have {HEADERS_MAX} of them."));
    }
    for (name, value) in headers {
        let lower = name.to_ascii_lowercase();
        if RESERVED.contains(&lower.as_str()) || lower.starts_with("proxy-") {
            return refuse(format!(
                "headers: `{name}` is set by the connection itself; leave it out."
            ));
        }
        let parsed = (HeaderName::try_from(&lower), HeaderValue::try_from(value));
        let (Ok(name), Ok(mut value)) = parsed else {
            return refuse(format!(
                "headers: `{name}` cannot be sent; names and values are plain text on one line."
            ));
        };
        value.set_sensitive(true);
        request = request.with_header(name, value);
    }
    Ok(request)
}

async fn exchange(
    egress: &Egress,
    tool: &str,
    request: Request,
    attempt: Attempt<'_>,
) -> Result<ToolOutput<HttpAnswer>, Failure> {
    let request = request.with_total(attempt.timeout).with_max_body(u64::MAX);
    let sent = egress.send(request).await;
    let Response {
        status,
        headers,
        mut body,
        ..
    } = sent.map_err(|error| failure::of_exchange(tool, &error))?;
    let (bytes, truncated) = match read(&mut body, ANSWER_BYTES_MAX).await {
        Ok(BodyRead::Whole(bytes)) => (bytes, false),
        Ok(BodyRead::CutOff(bytes)) => (bytes, true),
        Err((_, error)) => return Err(failure::of_exchange(tool, &error)),
    };
    let shown = headers.iter().filter_map(|(name, value)| {
        // A session at another server is nothing that a model or a log needs.
        let is_secret = name == http::header::SET_COOKIE;
        (!is_secret).then(|| Some((name.to_string(), value.to_str().ok()?.to_owned())))?
    });
    Ok(untrusted(HttpAnswer {
        success: status.is_success(),
        status: status.as_u16(),
        headers: shown.collect(),
        json: serde_json::from_slice(&bytes).ok(),
        body: String::from_utf8_lossy(&bytes).into_owned(),
        truncated,
    }))
}

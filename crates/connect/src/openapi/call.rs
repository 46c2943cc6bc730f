//! Calls an operation: one request per attempt, with the credentials that its document asks for.

use std::collections::BTreeMap;
use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::StatusCode;
use http::header::{self, HeaderMap, HeaderName, HeaderValue};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::{Map, Value, json};
use sitewright_egress::{Egress, Request};
use sitewright_runtime::{
    Attempt, Delivery, Failure, Foreseen, Outside, Tool, ToolOutput, field_label, vendor_key,
};
use sitewright_tool::{Definition, ErrorCode, Taint, ToolError, digest};
use url::Url;

use super::access_token::{AccessTokens, TokenRequest};
use super::extension::CONFIRMATIONS;
use super::import::ImportedTool;
use super::security::{NeededScheme, SecurityScheme};
use crate::exchange::{self, Answer};
use crate::failure;
use crate::registration::IDEMPOTENCY_KEY;
use crate::remote::ANSWER_BYTES_MAX;

pub(super) const CREDENTIALS: &str =
    ". Somebody who manages tools has to add the document again with valid credentials.";

/// The secrets of a document, and the access tokens that were fetched with them. Clones share the tokens.
#[derive(Debug, Clone, Default)]
pub struct ApiCredentials {
    secrets: BTreeMap<String, SecretString>,
    tokens: AccessTokens,
}

impl ApiCredentials {
    /// Secrets by the name of their security scheme.
    pub fn new(secrets: BTreeMap<String, SecretString>) -> Self {
        Self {
            secrets,
            tokens: AccessTokens::default(),
        }
    }
}

/// An operation that can be called. Its answers are untrusted.
#[derive(Clone)]
pub struct OpenApiTool {
    tool: ImportedTool,
    base: Url,
    schemes: BTreeMap<String, SecurityScheme>,
    credentials: ApiCredentials,
    egress: Egress,
    /// The only site it serves.
    site: String,
    /// A digest of everything that an approval of a call relies on.
    version: String,
}

impl OpenApiTool {
    /// An operation at a base address. `schemes` says how the credentials are sent.
    pub fn new(
        tool: ImportedTool,
        base: Url,
        schemes: BTreeMap<String, SecurityScheme>,
        egress: Egress,
    ) -> Self {
        let version = digest(&json!({
            "manifest": tool.definition.manifest, "base": base.as_str(), "path": tool.request.path, "method": tool.request.method,
        }));
        Self {
            tool,
            base,
            schemes,
            credentials: ApiCredentials::default(),
            egress,
            site: String::new(),
            version,
        }
    }

    /// Sets the secrets.
    #[must_use]
    pub fn with_credentials(mut self, credentials: ApiCredentials) -> Self {
        self.credentials = credentials;
        self
    }

    /// Limits the tool to one site. For the others it does not exist.
    #[must_use]
    pub fn only_for(mut self, site: impl Into<String>) -> Self {
        self.site = site.into();
        self
    }

    /// The base address of a tool: the one that a person gave, or the document's own.
    pub fn base_of(tool: &ImportedTool, given: Option<&Url>) -> Result<Url, String> {
        if let Some(given) = given {
            return Ok(given.clone());
        }
        let name = tool.definition.name();
        let declared = tool.request.server.as_deref();
        let missing = || {
            format!("`{name}` has no address: the document has no `servers`, so give a base URL")
        };
        let declared = declared.ok_or_else(missing)?;
        Url::parse(declared).map_err(|_bad| {
            format!("`{name}` has the address `{declared}`, which is not complete: give a base URL")
        })
    }

    /// Everything about the tool except how it is called.
    pub fn definition(&self) -> &Definition {
        &self.tool.definition
    }

    fn name(&self) -> &str {
        self.tool.definition.name()
    }

    async fn send(&self, arguments: &Value, attempt: Attempt<'_>) -> Result<ToolOutput, Failure> {
        let name = self.name();
        if self.site != attempt.context.site_id {
            return Err(failure::of_other_site(name));
        }
        let mut is_second_try = false;
        loop {
            let secrets = self.secrets().await?;
            let request = self.request(arguments, attempt, &secrets)?;
            let answer = exchange::send(&self.egress, name, request, ANSWER_BYTES_MAX).await?;
            match answer {
                Answer::Success { headers, body } => {
                    return Ok(ToolOutput {
                        data: data_in(&body, &headers),
                        taint: Taint::Untrusted,
                        ..ToolOutput::default()
                    });
                }
                // A token may end before its time. A vendor that answers 401 has done nothing, so the call is made once more.
                Answer::Refusal(refusal)
                    if refusal.status == StatusCode::UNAUTHORIZED
                        && !secrets.tokens.is_empty()
                        && !is_second_try =>
                {
                    self.reject_tokens(&secrets);
                    is_second_try = true;
                }
                Answer::Refusal(refusal) => {
                    return Err(refusal.failure(name, &secrets.values(), CREDENTIALS));
                }
            }
        }
    }

    fn request(
        &self,
        arguments: &Value,
        attempt: Attempt<'_>,
        secrets: &SentSecrets,
    ) -> Result<Request, ToolError> {
        let empty = Map::new();
        let arguments = arguments.as_object().unwrap_or(&empty);
        let unwritable = |problem: String| {
            let message = format!(
                "The call of `{}` cannot be written: {problem}.",
                self.name()
            );
            ToolError::new(ErrorCode::InvalidInput, message)
        };
        let written = self.tool.request.write(arguments).map_err(unwritable)?;
        let base = self.base.as_str().trim_end_matches('/');
        let mut url = format!("{base}{}", written.target);
        for pair in &secrets.query {
            let sign = if url.contains('?') { '&' } else { '?' };
            url.push(sign);
            url.push_str(pair.expose_secret());
        }
        let mut request = Request::new(written.method.clone(), url).with_total(attempt.timeout);
        if let Some(body) = written.body {
            request = request.with_body(body);
        }
        let mut headers = written.headers;
        for (name, value) in &secrets.headers {
            // Cookies of parameters and of credentials share one header.
            match (name == header::COOKIE, headers.get(header::COOKIE)) {
                (true, Some(own)) => {
                    let both = [own.as_bytes(), b"; ", value.as_bytes()].concat();
                    let both = HeaderValue::from_bytes(&both)
                        .map_err(|_bad| unwritable("a cookie is invalid".to_owned()))?;
                    headers.insert(header::COOKIE, both);
                }
                _ => {
                    headers.insert(name.clone(), value.clone());
                }
            }
        }
        if !headers.contains_key(header::ACCEPT) {
            headers.insert(header::ACCEPT, HeaderValue::from_static("application/json"));
        }
        let key = vendor_key(attempt.context, self.name(), attempt.idempotency_key);
        let key = HeaderValue::try_from(key)
            .map_err(|_bad| unwritable("its key is invalid".to_owned()))?;
        headers.insert(IDEMPOTENCY_KEY, key);
        for (name, value) in &headers {
            request = request.with_header(name.clone(), value.clone());
        }
        Ok(request)
    }

    /// The credentials of the first alternative that is complete.
    async fn secrets(&self) -> Result<SentSecrets, Failure> {
        let mut sent = SentSecrets::default();
        for needed in self.needed_schemes()? {
            let name = &needed.name;
            let (Some(scheme), Some(secret)) =
                (self.schemes.get(name), self.credentials.secrets.get(name))
            else {
                continue;
            };
            let added = match self.token_request(needed) {
                None => sent.add(scheme, secret),
                Some(request) => {
                    let token = self.credentials.tokens.get(&self.egress, request).await?;
                    let added = sent.add(&SecurityScheme::Bearer, &token);
                    sent.tokens.push((needed.clone(), token));
                    added
                }
            };
            added.ok_or_else(|| {
                let message =
                    format!("The credential `{name}` has characters that cannot be sent.");
                ToolError::new(ErrorCode::Unavailable, message)
            })?;
        }
        Ok(sent)
    }

    fn needed_schemes(&self) -> Result<&[NeededScheme], ToolError> {
        let alternatives = &self.tool.request.security.alternatives;
        if alternatives.is_empty() {
            return Ok(&[]);
        }
        let has = |needed: &NeededScheme| self.credentials.secrets.contains_key(&needed.name);
        let complete = alternatives.iter().find(|needed| needed.iter().all(has));
        complete.map(Vec::as_slice).ok_or_else(|| {
            let wanted: Vec<String> = alternatives
                .iter()
                .map(|needed| {
                    let names: Vec<&str> = needed.iter().map(|one| one.name.as_str()).collect();
                    names.join(" and ")
                })
                .collect();
            let message = format!(
                "`{}` needs credentials that are not there: {}. Somebody who manages tools has to add the document with them. Nothing \
                 was sent.",
                self.name(),
                wanted.join(", or ")
            );
            let mut error = ToolError::new(ErrorCode::Unavailable, message);
            error.retryable = false;
            error
        })
    }

    /// How the access token of a scheme is fetched; nothing for a scheme whose secret is sent itself.
    fn token_request<'a>(&'a self, needed: &'a NeededScheme) -> Option<TokenRequest<'a>> {
        let client = self.credentials.secrets.get(&needed.name)?;
        match self.schemes.get(&needed.name)? {
            SecurityScheme::ClientCredentials { token_url } => Some(TokenRequest {
                tool: self.name(),
                url: token_url,
                scopes: &needed.scopes,
                client,
            }),
            _ => None,
        }
    }

    fn reject_tokens(&self, sent: &SentSecrets) {
        for (needed, token) in &sent.tokens {
            if let Some(request) = self.token_request(needed) {
                self.credentials.tokens.reject(request, token);
            }
        }
    }

    /// The card of a structured confirmation: the call's own arguments, those that its kind names first.
    fn card(&self, arguments: &Value) -> Option<Value> {
        let manifest = &self.tool.definition.manifest;
        let kind = manifest.confirmation.as_deref()?;
        let (_, first) = CONFIRMATIONS.iter().find(|(known, _)| *known == kind)?;
        let given = arguments.as_object()?;
        let ranked = |name: &String| {
            first
                .iter()
                .position(|known| known == name)
                .unwrap_or(usize::MAX)
        };
        let mut names: Vec<&String> = given.keys().collect();
        names.sort_by_key(|name| ranked(name));
        let fields: Vec<Value> = names
            .into_iter()
            .map(|name| {
                let described = &manifest.input_schema["properties"][name]["title"];
                let label = described
                    .as_str()
                    .map_or_else(|| field_label(name), str::to_owned);
                json!({ "name": name, "label": label, "value": given[name] })
            })
            .collect();
        Some(json!({
            "kind": kind, "title": manifest.title, "summary": manifest.description, "fields": fields,
            "host": self.base.host_str(), "cancels": manifest.cancels, "personalData": manifest.pii_required,
        }))
    }
}

/// Credentials in the places where they are sent.
#[derive(Default)]
struct SentSecrets {
    headers: Vec<(HeaderName, HeaderValue)>,
    query: Vec<SecretString>,
    /// Access tokens among the headers, which may have to be replaced.
    tokens: Vec<(NeededScheme, SecretString)>,
}

impl SentSecrets {
    fn add(&mut self, scheme: &SecurityScheme, secret: &SecretString) -> Option<()> {
        let secret = secret.expose_secret();
        let (name, text) = match scheme {
            SecurityScheme::Header { name } => {
                (HeaderName::try_from(name).ok()?, secret.to_owned())
            }
            SecurityScheme::Cookie { name } => (header::COOKIE, format!("{name}={secret}")),
            // The secret of the client itself is sent to the token endpoint alone.
            SecurityScheme::ClientCredentials { .. } => return None,
            SecurityScheme::Bearer => (header::AUTHORIZATION, format!("Bearer {secret}")),
            SecurityScheme::Basic => (
                header::AUTHORIZATION,
                format!("Basic {}", STANDARD.encode(secret)),
            ),
            SecurityScheme::Query { name } => {
                let encode = |text: &str| utf8_percent_encode(text, NON_ALPHANUMERIC).to_string();
                let pair = format!("{}={}", encode(name), encode(secret));
                self.query.push(SecretString::from(pair));
                return Some(());
            }
        };
        let mut value = HeaderValue::try_from(text).ok()?;
        value.set_sensitive(true);
        self.headers.push((name, value));
        Some(())
    }

    /// The secrets that must not be repeated from an answer.
    fn values(&self) -> HeaderMap {
        let mut values = HeaderMap::new();
        for (name, value) in &self.headers {
            values.append(name.clone(), value.clone());
        }
        for pair in &self.query {
            let secret = pair
                .expose_secret()
                .split_once('=')
                .map(|(_, secret)| secret);
            if let Some(Ok(value)) = secret.map(HeaderValue::from_str) {
                values.append(HeaderName::from_static("query"), value);
            }
        }
        values
    }
}

/// The answer as JSON: parsed, as text, or as base64.
fn data_in(bytes: &[u8], headers: &HeaderMap) -> Value {
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return json!({});
    }
    if let Ok(value) = serde_json::from_slice(bytes) {
        return value;
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => json!(text),
        Err(_binary) => {
            let kind = headers
                .get(header::CONTENT_TYPE)
                .and_then(|kind| kind.to_str().ok());
            json!({ "contentType": kind, "base64": STANDARD.encode(bytes) })
        }
    }
}

impl Outside for OpenApiTool {
    type Input = Value;
    type Data = Value;

    async fn foresee(
        &self,
        arguments: Value,
        _attempt: Attempt<'_>,
    ) -> Result<Foreseen, ToolError> {
        Ok(Foreseen {
            preview: self.card(&arguments),
            agreed: Some(self.version.clone()),
            ..Foreseen::default()
        })
    }

    async fn run(&self, arguments: Value, attempt: Attempt<'_>) -> Result<ToolOutput, Failure> {
        if attempt.agreed.is_some_and(|agreed| agreed != self.version) {
            let message = "The document of this tool has changed since the call was approved. Make the call again.";
            return Err(Failure {
                delivery: Delivery::Never,
                ..ToolError::new(ErrorCode::Conflict, message).into()
            });
        }
        self.send(&arguments, attempt).await
    }
}

impl From<OpenApiTool> for Tool {
    fn from(tool: OpenApiTool) -> Self {
        Self::new(tool.tool.definition.clone(), tool)
    }
}

impl fmt::Debug for OpenApiTool {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = out.debug_struct("OpenApiTool");
        debug.field("name", &self.name()).finish_non_exhaustive()
    }
}

//! Access tokens of OAuth 2 by client credentials: fetched when a call needs one, used until they expire or the vendor rejects them.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::Method;
use http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderValue};
use secrecy::{ExposeSecret as _, SecretString};
use serde::Deserialize;
use sitewright_egress::{Egress, Request};
use sitewright_runtime::{Delivery, Failure};
use sitewright_tool::{ErrorCode, ToolError};

use super::call::CREDENTIALS;
use crate::exchange::{self, Answer};
use crate::failure;

const ANSWER_BYTES_MAX: usize = 64 * 1024;
/// A token is replaced this long before it expires, so that it is still valid when the request arrives.
const MARGIN: Duration = Duration::from_secs(30);

/// A token endpoint with what is asked of it.
#[derive(Clone, Copy)]
pub(super) struct TokenRequest<'a> {
    /// The tool that needs the token, for errors.
    pub(super) tool: &'a str,
    pub(super) url: &'a str,
    pub(super) scopes: &'a [String],
    /// `id:secret` of the client.
    pub(super) client: &'a SecretString,
}

impl TokenRequest<'_> {
    fn key(&self) -> TokenKey {
        TokenKey {
            url: self.url.to_owned(),
            scopes: self.scopes.join(" "),
        }
    }
}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct TokenKey {
    url: String,
    scopes: String,
}

#[derive(Debug)]
struct AccessToken {
    value: SecretString,
    /// Until the vendor rejects it, if it did not say.
    valid_until: Option<Instant>,
}

/// The access tokens of a document, shared by its tools.
#[derive(Debug, Clone, Default)]
pub(super) struct AccessTokens(Arc<Mutex<BTreeMap<TokenKey, AccessToken>>>);

/// What a token endpoint answers (RFC 6749 §5.1).
#[derive(Deserialize)]
struct TokenAnswer {
    access_token: SecretString,
    expires_in: Option<u64>,
}

impl AccessTokens {
    /// A valid token. Two calls that need one at the same time may both fetch it; either works.
    pub(super) async fn get(
        &self,
        egress: &Egress,
        request: TokenRequest<'_>,
    ) -> Result<SecretString, Failure> {
        if let Some(token) = self.stored(&request.key()) {
            return Ok(token);
        }
        // Without a token the call itself is never sent.
        let fetched = fetch(egress, request).await.map_err(|failure| Failure {
            delivery: Delivery::Never,
            ..failure
        })?;
        let valid_for = fetched.expires_in.map(Duration::from_secs);
        let token = AccessToken {
            value: fetched.access_token.clone(),
            valid_until: valid_for
                .and_then(|time| Instant::now().checked_add(time.saturating_sub(MARGIN))),
        };
        let mut tokens = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        tokens.insert(request.key(), token);
        Ok(fetched.access_token)
    }

    fn stored(&self, key: &TokenKey) -> Option<SecretString> {
        let tokens = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let token = tokens.get(key)?;
        let is_valid = token.valid_until.is_none_or(|end| Instant::now() < end);
        is_valid.then(|| token.value.clone())
    }

    /// Drops a token that the vendor rejected, unless another call has replaced it already.
    pub(super) fn reject(&self, request: TokenRequest<'_>, rejected: &SecretString) {
        let mut tokens = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let key = request.key();
        let is_same = |token: &AccessToken| token.value.expose_secret() == rejected.expose_secret();
        if tokens.get(&key).is_some_and(is_same) {
            tokens.remove(&key);
        }
    }
}

async fn fetch(egress: &Egress, wanted: TokenRequest<'_>) -> Result<TokenAnswer, Failure> {
    let authorization = authorization(wanted.client).ok_or_else(|| {
        let message = format!(
            "The credential of `{}` is not `id:secret` of an OAuth client{CREDENTIALS}",
            wanted.tool
        );
        ToolError::new(ErrorCode::Unavailable, message)
    })?;
    let mut secrets = HeaderMap::new();
    secrets.insert(AUTHORIZATION, authorization.clone());
    let request = Request::new(Method::POST, wanted.url)
        .with_header(AUTHORIZATION, authorization)
        .with_header(ACCEPT, HeaderValue::from_static("application/json"))
        .with_header(
            CONTENT_TYPE,
            HeaderValue::from_static("application/x-www-form-urlencoded"),
        )
        .with_body(form(wanted.scopes).into_bytes());
    match exchange::send(egress, wanted.tool, request, ANSWER_BYTES_MAX).await? {
        Answer::Success { body, .. } => serde_json::from_slice(&body).map_err(|_unreadable| {
            let problem = "the answer of its token endpoint has no `access_token`";
            failure::of_answer(wanted.tool, ErrorCode::Unavailable, problem)
        }),
        Answer::Refusal(refusal) => Err(refusal.failure(wanted.tool, &secrets, CREDENTIALS)),
    }
}

fn form(scopes: &[String]) -> String {
    let mut form = url::form_urlencoded::Serializer::new(String::new());
    form.append_pair("grant_type", "client_credentials");
    if !scopes.is_empty() {
        form.append_pair("scope", &scopes.join(" "));
    }
    form.finish()
}

/// `Basic` with id and secret, each encoded as RFC 6749 §2.3.1 demands.
fn authorization(client: &SecretString) -> Option<HeaderValue> {
    let (id, secret) = client.expose_secret().split_once(':')?;
    let encode = |text: &str| {
        let encoded = url::form_urlencoded::byte_serialize(text.as_bytes());
        encoded.collect::<String>()
    };
    let pair = format!("{}:{}", encode(id), encode(secret));
    let mut value = HeaderValue::try_from(format!("Basic {}", STANDARD.encode(pair))).ok()?;
    value.set_sensitive(true);
    Some(value)
}

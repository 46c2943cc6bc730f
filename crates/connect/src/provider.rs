//! A provider that our own tools use, with a key from the settings.

use std::time::Duration;

use http::header::{HeaderMap, HeaderName, HeaderValue};
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::Value;
use sitewright_egress::{Egress, Request};
use sitewright_runtime::{Delivery, Failure};
use sitewright_tool::ErrorCode;

use crate::exchange::{self, Answer, Refusal};
use crate::failure;

/// The address of a provider, and the key for it.
#[derive(Debug, Clone)]
pub struct ProviderAccess {
    /// The address that paths are appended to, such as `https://api.openai.com/v1`.
    pub base_url: String,
    /// Without a key the tool is disabled.
    pub key: Option<SecretString>,
}

/// What a tool needs to send requests to its provider.
pub(crate) struct ProviderRequest<'a> {
    pub(crate) egress: &'a Egress,
    pub(crate) tool: &'a str,
    /// The header with the key.
    pub(crate) key: (HeaderName, HeaderValue),
    /// The setting that contains the key, for error messages.
    pub(crate) setting: &'static str,
    pub(crate) answer_max: usize,
}

/// The result of a request.
pub(crate) enum ProviderReply {
    Json(Value),
    Refused(Refusal),
}

impl ProviderAccess {
    /// The address of a path at the provider.
    pub(crate) fn url(&self, path: &str) -> String {
        format!("{}{path}", self.base_url.trim_end_matches('/'))
    }

    /// The header that carries the key, with the given prefix.
    pub(crate) fn header(
        &self,
        name: HeaderName,
        before: &str,
    ) -> Option<(HeaderName, HeaderValue)> {
        let key = self.key.as_ref()?.expose_secret().trim();
        let mut value = HeaderValue::try_from(format!("{before}{key}")).ok()?;
        value.set_sensitive(true);
        Some((name, value))
    }
}

impl ProviderRequest<'_> {
    /// Sends a request and parses the answer as JSON.
    pub(crate) async fn ask(
        &self,
        request: Request,
        timeout: Duration,
    ) -> Result<ProviderReply, Failure> {
        let (name, value) = self.key.clone();
        let request = request.with_header(name, value).with_total(timeout);
        match exchange::send(self.egress, self.tool, request, self.answer_max).await? {
            Answer::Refusal(refusal) => Ok(ProviderReply::Refused(refusal)),
            Answer::Success { body, .. } => serde_json::from_slice(&body)
                .map(ProviderReply::Json)
                .map_err(|_no_json| {
                    let what = "its answer is not JSON";
                    failure::of_answer(self.tool, ErrorCode::InvalidOutput, what)
                }),
        }
    }

    /// An error response in our own words.
    pub(crate) fn failure(&self, refused: &Refusal) -> Failure {
        let mut secrets = HeaderMap::new();
        secrets.insert(self.key.0.clone(), self.key.1.clone());
        let credentials = format!(
            " in the setting `{}`. Whoever runs this server has to set a valid one.",
            self.setting
        );
        refused.failure(self.tool, &secrets, &credentials)
    }
}

/// The failure for a tool that was called without its key. The registry prevents that, but a test may do it.
pub(crate) fn no_key(tool: &str, remedy: &str) -> Failure {
    let message = format!("`{tool}` has no usable key. {remedy}");
    let mut failure = failure::failure(ErrorCode::Unavailable, message, Delivery::Never);
    failure.error.retryable = false;
    failure
}

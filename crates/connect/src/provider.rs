//! A provider that our own tools use, with a key from the settings.

use std::time::Duration;

use http::StatusCode;
use http::header::{HeaderMap, HeaderName, HeaderValue};
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::Value;
use sitewright_egress::{Egress, Request, Response};
use sitewright_runtime::{Delivery, Failure};
use sitewright_tool::ErrorCode;

use crate::failure;
use crate::reading::{BodyRead, ERROR_BYTES_MAX, read};
use crate::vendor_text;

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

/// An error response, for code that knows the provider's conventions.
pub(crate) struct ProviderRefusal {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
}

/// The result of a request.
pub(crate) enum ProviderReply {
    Json(Value),
    Refused(ProviderRefusal),
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
    /// Sends a request and parses the answer as JSON. Redirects are not followed: the key is for this server alone.
    pub(crate) async fn ask(
        &self,
        request: Request,
        timeout: Duration,
    ) -> Result<ProviderReply, Failure> {
        let (name, value) = self.key.clone();
        let request = request
            .with_header(name, value)
            .with_total(timeout)
            .with_max_body(u64::MAX)
            .with_max_redirects(0);
        let sent = self.egress.send(request).await;
        let Response {
            status,
            headers,
            mut body,
            ..
        } = sent.map_err(|error| failure::of_exchange(self.tool, &error))?;
        if !status.is_success() {
            let (BodyRead::Whole(body) | BodyRead::CutOff(body)) = read(&mut body, ERROR_BYTES_MAX)
                .await
                .unwrap_or_else(|(text, _)| BodyRead::CutOff(text));
            return Ok(ProviderReply::Refused(ProviderRefusal {
                status,
                headers,
                body,
            }));
        }
        match read(&mut body, self.answer_max).await {
            Ok(BodyRead::Whole(text)) => serde_json::from_slice(&text)
                .map(ProviderReply::Json)
                .map_err(|_no_json| {
                    failure::of_answer(
                        self.tool,
                        ErrorCode::InvalidOutput,
                        "its answer is not JSON",
                    )
                }),
            Ok(BodyRead::CutOff(_)) => Err(failure::of_answer(
                self.tool,
                ErrorCode::TooLarge,
                &format!("its answer is larger than {} bytes", self.answer_max),
            )),
            Err((_, error)) => Err(failure::of_exchange(self.tool, &error)),
        }
    }

    /// An error response in our own words.
    pub(crate) fn failure(&self, refused: &ProviderRefusal) -> Failure {
        let mut secrets = HeaderMap::new();
        secrets.insert(self.key.0.clone(), self.key.1.clone());
        let says = vendor_text::quoted(&refused.body, &secrets);
        let credentials = format!(
            " in the setting `{}`. Whoever runs this server has to set a valid one.",
            self.setting
        );
        failure::of_status(
            self.tool,
            refused.status,
            &refused.headers,
            says.as_deref(),
            &credentials,
        )
    }
}

/// The failure for a tool that was called without its key. The registry prevents that, but a test may do it.
pub(crate) fn no_key(tool: &str, remedy: &str) -> Failure {
    let message = format!("`{tool}` has no usable key. {remedy}");
    let mut failure = failure::failure(ErrorCode::Unavailable, message, Delivery::Never);
    failure.error.retryable = false;
    failure
}

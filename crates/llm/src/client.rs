//! The HTTP client of a provider: sends a request, and reads its stream or its list of models. This is the only part of the crate that
//! does I/O with models, and all of it goes through `egress`.

use std::borrow::Cow;
use std::fmt;
use std::pin::Pin;
use std::time::Duration;

use bytes::Bytes;
use http::header::{self, HeaderName, HeaderValue};
use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;
use sitewright_egress::{Body, Egress, EgressError, Request, Response};
use tokio::time::{Instant, Sleep, sleep, timeout};

use crate::classify;
use crate::error::{Again, ErrorClass, ModelError};
use crate::models::{ModelInfo, ModelList};
use crate::provider::{Auth, Provider, ProviderId};

/// The idle timeout of a stream; keep-alives reset it.
const IDLE: Duration = Duration::from_secs(120);
/// How much of an error body is read.
const ERROR_BYTES_MAX: usize = 64 * 1024;
const STREAM_BYTES_MAX: u64 = 256 * 1024 * 1024;
const LIST_BYTES_MAX: u64 = 32 * 1024 * 1024;
const LIST_TIME: Duration = Duration::from_secs(30);
/// The most pages of a list; a server that sends more is taken to be looping.
const PAGES_MAX: usize = 20;
/// The most models whose details are requested, which takes one request each.
const DETAILS_MAX: usize = 100;

/// A provider at an address, with a key.
#[derive(Clone)]
pub struct ModelClient {
    egress: Egress,
    provider: ProviderId,
    base_url: String,
    api_key: Option<SecretString>,
    idle: Duration,
}

impl ModelClient {
    /// Creates a client. Without a base URL it uses the provider's default.
    pub fn new(
        egress: Egress,
        provider: ProviderId,
        base_url: Option<&str>,
        api_key: Option<SecretString>,
    ) -> Self {
        let own = provider.record().base_url;
        Self {
            egress,
            provider,
            base_url: base_url.unwrap_or(own).to_owned(),
            api_key,
            idle: IDLE,
        }
    }

    /// Sets the idle timeout of streams.
    #[must_use]
    pub fn with_idle(mut self, idle: Duration) -> Self {
        self.idle = idle;
        self
    }

    /// The provider of this client.
    pub fn provider(&self) -> ProviderId {
        self.provider
    }

    /// Lists the models on offer.
    pub async fn list_models(&self) -> Result<Vec<ModelInfo>, ModelError> {
        let list = self.provider.record().models;
        let mut models = Vec::new();
        let mut after: Option<String> = None;
        for _ in 0..PAGES_MAX {
            let url = Provider::url(&self.base_url, &list.path(after.as_deref()));
            let answer = self.json(Request::get(url)).await?;
            let page = list.read(&answer).ok_or_else(no_list)?;
            models.extend(page.models);
            after = page.next;
            if after.is_none() {
                break;
            }
        }
        for model in models.iter_mut().take(DETAILS_MAX) {
            if let Some((path, body)) = list.detail(model) {
                let request = Request::post(Provider::url(&self.base_url, path), body).with_header(
                    header::CONTENT_TYPE,
                    HeaderValue::from_static("application/json"),
                );
                // A list without some details is better than none.
                if let Ok(answer) = self.json(request).await {
                    ModelList::add_detail(model, &answer);
                }
            }
        }
        Ok(models)
    }

    /// Lists the models like [`list_models`](Self::list_models), but fails if the key does not work, even where the list itself is public.
    pub async fn check(&self) -> Result<Vec<ModelInfo>, ModelError> {
        if let Some(path) = self.provider.record().key_path {
            let url = Provider::url(&self.base_url, path);
            let answer = self.json(Request::get(url)).await?;
            let left = answer["data"]["limit_remaining"].as_f64();
            if left.is_some_and(|left| left <= 0.0) {
                let detail = "the spending limit of the key is reached";
                return Err(ModelError::new(ErrorClass::Billing, detail));
            }
        }
        self.list_models().await
    }

    async fn json(&self, request: Request) -> Result<Value, ModelError> {
        let request = request.with_total(LIST_TIME).with_max_body(LIST_BYTES_MAX);
        let response = self.exchange(request, LIST_TIME).await?;
        let body = response.body.collect().await.map_err(unreachable)?;
        serde_json::from_slice(&body).map_err(|_no_json| no_list())
    }

    /// Sends the body of a round and waits until its stream begins. `total` limits the whole exchange.
    pub(crate) async fn open(
        &self,
        body: Vec<u8>,
        total: Duration,
    ) -> Result<ModelStream, ModelError> {
        let record = self.provider.record();
        let url = Provider::url(&self.base_url, record.path);
        let request = Request::post(url, body)
            .with_header(
                header::CONTENT_TYPE,
                HeaderValue::from_static("application/json"),
            )
            .with_header(
                header::ACCEPT,
                HeaderValue::from_static("text/event-stream"),
            )
            // A compressing proxy would buffer events.
            .with_header(
                header::ACCEPT_ENCODING,
                HeaderValue::from_static("identity"),
            )
            .with_total(total)
            .with_max_body(STREAM_BYTES_MAX);
        let response = self.exchange(request, record.first_byte).await?;
        let kind = response.headers.get(header::CONTENT_TYPE);
        let kind = kind.and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        // Some gateways send errors with a success status.
        if kind.starts_with("application/json") || kind.starts_with("text/html") {
            let mut error = self.failure(response).await;
            if error.class == ErrorClass::Server && error.detail.is_empty() {
                error = ModelError::new(ErrorClass::Protocol, "the answer is no stream");
            }
            return Err(error);
        }
        Ok(ModelStream {
            body: response.body,
            idle: self.idle,
            silence: Box::pin(sleep(self.idle)),
        })
    }

    async fn exchange(&self, request: Request, patience: Duration) -> Result<Response, ModelError> {
        let request = self.signed(request)?.with_max_redirects(0);
        let sent = timeout(patience, self.egress.send(request)).await;
        let response = match sent {
            Ok(answer) => answer.map_err(unreachable)?,
            Err(_elapsed) => return Err(silent(patience)),
        };
        if response.status.is_success() {
            return Ok(response);
        }
        Err(self.failure(response).await)
    }

    async fn failure(&self, response: Response) -> ModelError {
        let Response {
            status,
            headers,
            mut body,
            ..
        } = response;
        let mut text = Vec::new();
        // An error body that breaks off is still useful up to that point.
        while text.len() < ERROR_BYTES_MAX {
            match timeout(self.idle, body.chunk()).await {
                Ok(Ok(Some(chunk))) => text.extend_from_slice(&chunk),
                Ok(Ok(None) | Err(_)) | Err(_) => break,
            }
        }
        text.truncate(ERROR_BYTES_MAX);
        let text = self.without_key(&text);
        classify::answer(self.provider.record().format, status, &headers, &text)
    }

    /// Removes our key from a provider's text. Some providers quote it, and `redact` only recognises keys of known forms.
    fn without_key<'a>(&self, text: &'a [u8]) -> Cow<'a, [u8]> {
        let key = self.api_key.as_ref().map(|key| key.expose_secret().trim());
        let Some(key) = key.filter(|key| !key.is_empty()) else {
            return Cow::Borrowed(text);
        };
        let text = String::from_utf8_lossy(text);
        Cow::Owned(text.replace(key, "[redacted]").into_bytes())
    }

    /// Removes our key from the detail of an error.
    pub(crate) fn discreet(&self, mut error: ModelError) -> ModelError {
        let said = self.without_key(error.detail.as_bytes());
        error.detail = String::from_utf8_lossy(&said).into_owned();
        error
    }

    fn signed(&self, mut request: Request) -> Result<Request, ModelError> {
        let record = self.provider.record();
        for (name, value) in record.headers {
            request = request.with_header(
                HeaderName::from_static(name),
                HeaderValue::from_static(value),
            );
        }
        let Some(key) = &self.api_key else {
            return Ok(request);
        };
        let key = key.expose_secret().trim();
        let (name, text) = match record.auth {
            Auth::Header(name) => (HeaderName::from_static(name), key.to_owned()),
            Auth::Bearer => (header::AUTHORIZATION, format!("Bearer {key}")),
        };
        let unusable =
            |_| ModelError::new(ErrorClass::Auth, "the key has characters that no key has");
        let mut value = HeaderValue::try_from(text).map_err(unusable)?;
        value.set_sensitive(true);
        Ok(request.with_header(name, value))
    }
}

impl fmt::Debug for ModelClient {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = out.debug_struct("ModelClient");
        debug
            .field("provider", &self.provider)
            .finish_non_exhaustive()
    }
}

/// The body of a streaming response. Dropping it closes the connection.
#[derive(Debug)]
pub(crate) struct ModelStream {
    body: Body,
    idle: Duration,
    /// One timer, reset for each chunk, because creating one for each of thousands of chunks is wasteful.
    silence: Pin<Box<Sleep>>,
}

impl ModelStream {
    /// Returns the next bytes, or `None` at the end. Fails if nothing arrives within the idle timeout.
    pub(crate) async fn chunk(&mut self) -> Result<Option<Bytes>, ModelError> {
        self.silence.as_mut().reset(Instant::now() + self.idle);
        tokio::select! {
            biased;
            chunk = self.body.chunk() => chunk.map_err(unreachable),
            () = &mut self.silence => Err(silent(self.idle)),
        }
    }
}

fn no_list() -> ModelError {
    ModelError::new(ErrorClass::Protocol, "the answer is no list of models")
}

fn silent(patience: Duration) -> ModelError {
    let detail = format!("nothing came for {} s", patience.as_secs_f64());
    ModelError::new(ErrorClass::TimeoutIdle, detail)
}

fn unreachable(error: EgressError) -> ModelError {
    let class = match &error {
        EgressError::Timeout { .. } => ErrorClass::TimeoutIdle,
        EgressError::TooLarge { .. } => ErrorClass::Protocol,
        _ => ErrorClass::Network,
    };
    let hopeless = matches!(
        error,
        EgressError::BadUrl { .. }
            | EgressError::BadHeader { .. }
            | EgressError::Refused { .. }
            | EgressError::Tls { .. }
            | EgressError::TooManyRedirects { .. }
            | EgressError::Setup { .. }
    );
    let mut failure = ModelError::new(class, error.to_string());
    if hopeless {
        failure.again = Again::Never;
    }
    failure
}

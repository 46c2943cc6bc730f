//! Requests and responses.

use std::fmt;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};
use tokio::time::{Instant, timeout_at};
use url::Url;

use crate::error::{EgressError, Part, Sent};
use crate::failure;

/// A request; nothing is checked before it is sent.
#[derive(Clone)]
pub struct Request {
    pub(crate) method: Method,
    pub(crate) url: String,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Option<Bytes>,
    pub(crate) total: Option<Duration>,
    pub(crate) max_body: Option<u64>,
    pub(crate) max_redirects: Option<usize>,
}

impl Request {
    /// A request without headers and body, with the client's limits.
    pub fn new(method: Method, url: impl Into<String>) -> Self {
        Self {
            method,
            url: url.into(),
            headers: HeaderMap::new(),
            body: None,
            total: None,
            max_body: None,
            max_redirects: None,
        }
    }

    /// A GET request.
    pub fn get(url: impl Into<String>) -> Self {
        Self::new(Method::GET, url)
    }

    /// A POST request.
    pub fn post(url: impl Into<String>, body: impl Into<Bytes>) -> Self {
        Self::new(Method::POST, url).with_body(body)
    }

    /// Adds a header. On a redirect to another origin only a few harmless ones, such as `Accept`, are forwarded.
    ///
    /// Headers that frame the message or name its host make [`Egress::send`](crate::Egress::send) fail.
    #[must_use]
    pub fn with_header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.append(name, value);
        self
    }

    /// Sets the body.
    #[must_use]
    pub fn with_body(mut self, body: impl Into<Bytes>) -> Self {
        self.body = Some(body.into());
        self
    }

    /// Overrides the client's time limit for the whole exchange, including the body.
    #[must_use]
    pub fn with_total(mut self, total: Duration) -> Self {
        self.total = Some(total);
        self
    }

    /// Overrides the client's limit on the decoded body.
    #[must_use]
    pub fn with_max_body(mut self, max_body: u64) -> Self {
        self.max_body = Some(max_body);
        self
    }

    /// Overrides the client's limit on redirects; with 0, a redirect is an error.
    #[must_use]
    pub fn with_max_redirects(mut self, max_redirects: usize) -> Self {
        self.max_redirects = Some(max_redirects);
        self
    }
}

/// An answer, whatever its status.
#[non_exhaustive]
pub struct Response {
    pub status: StatusCode,
    /// The headers; those about an encoding are removed when the body was decoded.
    pub headers: HeaderMap,
    /// Where the answer came from, after redirects.
    pub url: Url,
    /// The body, still to be read.
    pub body: Body,
}

/// A body that arrives in chunks, within the limits of its request. Dropping it ends the transfer.
pub struct Body {
    pub(crate) response: reqwest::Response,
    pub(crate) host: String,
    pub(crate) received: u64,
    pub(crate) bounds: Bounds,
}

/// The limits that apply once a request has been sent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    pub(crate) deadline: Instant,
    pub(crate) total: Duration,
    pub(crate) max_body: u64,
}

impl Body {
    /// The next chunk; `None` at the end.
    pub async fn chunk(&mut self) -> Result<Option<Bytes>, EgressError> {
        // `timeout_at` polls the data first, and a fast sender could always have some ready.
        if Instant::now() >= self.bounds.deadline {
            return Err(self.timeout());
        }
        let chunk = match timeout_at(self.bounds.deadline, self.response.chunk()).await {
            Ok(Ok(chunk)) => chunk,
            Ok(Err(error)) => return Err(failure::while_talking(error, &self.host)),
            Err(_elapsed) => return Err(self.timeout()),
        };
        let length = chunk.as_ref().map_or(0, |chunk| chunk.len() as u64);
        self.received = self.received.saturating_add(length);
        if self.received > self.bounds.max_body {
            return Err(self.too_large());
        }
        Ok(chunk)
    }

    /// Reads the whole body.
    pub async fn collect(mut self) -> Result<Bytes, EgressError> {
        let mut whole = BytesMut::new();
        while let Some(chunk) = self.chunk().await? {
            whole.extend_from_slice(&chunk);
        }
        Ok(whole.freeze())
    }

    pub(crate) fn too_large(&self) -> EgressError {
        EgressError::TooLarge {
            host: self.host.clone(),
            part: Part::Body,
            limit: self.bounds.max_body,
        }
    }

    fn timeout(&self) -> EgressError {
        EgressError::Timeout {
            host: self.host.clone(),
            limit: self.bounds.total,
            sent: Sent::Maybe,
        }
    }
}

// URLs, headers and bodies may contain secrets, so Debug output shows none of them.

impl fmt::Debug for Request {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = formatter.debug_struct("Request");
        debug.field("method", &self.method).finish_non_exhaustive()
    }
}

impl fmt::Debug for Response {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = formatter.debug_struct("Response");
        debug.field("status", &self.status);
        debug.field("body", &self.body).finish_non_exhaustive()
    }
}

impl fmt::Debug for Body {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = formatter.debug_struct("Body");
        debug.field("host", &self.host);
        debug
            .field("received", &self.received)
            .finish_non_exhaustive()
    }
}

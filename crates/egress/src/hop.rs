//! One request in a chain of redirects, and how the next one differs from it.

use bytes::Bytes;
use http::header::{self, HeaderName};
use http::{HeaderMap, Method, StatusCode};
use url::Url;

use crate::destination::{Destination, EgressPolicy};
use crate::error::{EgressError, Sent, UrlProblem};
use crate::message::Request;

/// A checked request to one host.
pub(crate) struct Hop {
    pub(crate) method: Method,
    pub(crate) destination: Destination,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Option<Bytes>,
}

/// Headers that decide where a request goes or ends. Callers pass on what models and documents say, so these are rejected rather than
/// overwritten.
static FRAMING: [HeaderName; 11] = [
    header::CONNECTION,
    header::CONTENT_LENGTH,
    header::EXPECT,
    header::HOST,
    header::PROXY_AUTHORIZATION,
    header::TE,
    header::TRAILER,
    header::TRANSFER_ENCODING,
    header::UPGRADE,
    HeaderName::from_static("keep-alive"),
    HeaderName::from_static("proxy-connection"),
];

/// Headers that another origin may see. Anything else could be a secret, whatever its name.
static HARMLESS: [HeaderName; 6] = [
    header::ACCEPT,
    header::ACCEPT_LANGUAGE,
    header::CONTENT_LANGUAGE,
    header::CONTENT_TYPE,
    header::RANGE,
    header::USER_AGENT,
];

impl Hop {
    /// The request as the caller wrote it.
    pub(crate) fn first(policy: &EgressPolicy, request: Request) -> Result<Self, EgressError> {
        if let Some(name) = FRAMING
            .iter()
            .find(|name| request.headers.contains_key(*name))
        {
            let name = name.clone();
            return Err(EgressError::BadHeader { name });
        }
        Ok(Self {
            destination: policy.check_text(&request.url)?,
            method: request.method,
            headers: request.headers,
            body: request.body,
        })
    }

    /// The request that a redirect asks for; returns the destination when the answer is not a redirect.
    pub(crate) fn next(
        self,
        policy: &EgressPolicy,
        status: StatusCode,
        headers: &HeaderMap,
    ) -> Result<Next, EgressError> {
        let Some(url) = redirect_target(&self.destination.url, status, headers)? else {
            return Ok(Next::Arrived(self.destination));
        };
        let mut next = self;
        if next.destination.url.origin() != url.origin() {
            next.keep_harmless_headers();
        }
        if turns_into_get(status, &next.method) {
            next.method = Method::GET;
            next.body = None;
            next.headers.remove(header::CONTENT_TYPE);
            next.headers.remove(header::CONTENT_LANGUAGE);
            next.headers.remove(header::CONTENT_ENCODING);
        }
        next.destination = policy.check(url)?;
        Ok(Next::Redirected(next))
    }

    fn keep_harmless_headers(&mut self) {
        let mut kept = HeaderMap::new();
        for name in &HARMLESS {
            for value in self.headers.get_all(name) {
                kept.append(name, value.clone());
            }
        }
        self.headers = kept;
    }
}

/// What follows an answer.
pub(crate) enum Next {
    Arrived(Destination),
    Redirected(Hop),
}

fn redirect_target(
    from: &Url,
    status: StatusCode,
    headers: &HeaderMap,
) -> Result<Option<Url>, EgressError> {
    // The other 3xx statuses are answers in their own right.
    if !matches!(status.as_u16(), 301 | 302 | 303 | 307 | 308) {
        return Ok(None);
    }
    let Some(location) = headers.get(header::LOCATION) else {
        return Ok(None);
    };
    let bad_url = |problem| EgressError::BadUrl {
        problem,
        sent: Sent::Maybe,
    };
    let Ok(location) = std::str::from_utf8(location.as_bytes()) else {
        return Err(bad_url(UrlProblem::NotText));
    };
    let url = from
        .join(location)
        .map_err(|problem| bad_url(UrlProblem::Unreadable(problem)))?;
    if from.scheme() == "https" && url.scheme() == "http" {
        return Err(bad_url(UrlProblem::Downgrade));
    }
    Ok(Some(url))
}

/// As browsers do it: 303 always turns into a GET, and 301 and 302 do for a POST.
fn turns_into_get(status: StatusCode, method: &Method) -> bool {
    match status {
        StatusCode::SEE_OTHER => method != Method::HEAD,
        StatusCode::MOVED_PERMANENTLY | StatusCode::FOUND => method == Method::POST,
        _ => false,
    }
}

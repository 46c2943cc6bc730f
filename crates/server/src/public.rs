//! The public site, from memory. Before set-up it redirects to set-up; before anything is published it says so on a plain page.
//!
//! Serving a published page needs no query: the release in memory is replaced as a whole when something is published.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use axum::body::Body;
use axum::response::{Html, IntoResponse as _, Redirect, Response};
use http::header::{
    CONTENT_SECURITY_POLICY, REFERRER_POLICY, STRICT_TRANSPORT_SECURITY, X_CONTENT_TYPE_OPTIONS,
};
use http::request::Parts;
use http::{HeaderValue, Method, StatusCode};
use metrics::{Counter, Histogram};
use sitewright_publish::{Host, Visit};
use sitewright_store::{SiteId, StoreError};

use crate::App;
use crate::Settings;
use crate::origin::Origin;
use crate::problem::ApiError;
use crate::router::{measure, peer};

const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'",
);

/// Browsers that have seen the site over https use nothing else for a year. Subdomains are not ours to decide about.
pub(crate) const OVER_HTTPS: HeaderValue = HeaderValue::from_static("max-age=31536000");

/// What is known about the public site and never changes once it is known.
#[derive(Default)]
pub(crate) struct Front {
    site: OnceLock<SiteId>,
    is_set_up: AtomicBool,
    usual: OnceLock<Usual>,
}

/// Metric handles for the most common responses; looking them up by name for each request would cost more than the response.
struct Usual {
    found: Counter,
    unchanged: Counter,
    seconds: Histogram,
}

impl Usual {
    fn find() -> Self {
        let counter = |status: &'static str| metrics::counter!("sitewright_http_requests_total", "area" => "public", "method" => "GET", "status" => status);
        Self {
            found: counter("200"),
            unchanged: counter("304"),
            seconds: metrics::histogram!("sitewright_http_request_seconds", "area" => "public"),
        }
    }
}

impl Front {
    /// The site that visitors see: the first one there is.
    pub(crate) async fn site(&self, app: &App) -> Result<&SiteId, StoreError> {
        if let Some(site) = self.site.get() {
            return Ok(site);
        }
        let first = app.store().sites().await?.into_iter().next();
        let first = first.ok_or(StoreError::NotFound { what: "site" })?.id;
        Ok(self.site.get_or_init(|| first))
    }

    fn count(&self, method: &Method, status: StatusCode, seconds: f64) {
        let usual = self.usual.get_or_init(Usual::find);
        let counter = match (method.as_str(), status.as_u16()) {
            ("GET", 200) => &usual.found,
            ("GET", 304) => &usual.unchanged,
            _ => return measure(method, "/", status.as_u16(), seconds),
        };
        counter.increment(1);
        usual.seconds.record(seconds);
    }

    async fn is_set_up(&self, app: &App) -> Result<bool, StoreError> {
        if self.is_set_up.load(Ordering::Relaxed) {
            return Ok(true);
        }
        let is_set_up = !app.store().setup_required().await?;
        self.is_set_up.store(is_set_up, Ordering::Relaxed);
        Ok(is_set_up)
    }
}

/// Answers every address that belongs neither to the administration nor to an API.
pub(crate) async fn answer(app: &App, request: &Parts) -> Response {
    let started = Instant::now();
    let answered = try_answer(app, request).await;
    let mut response = answered.unwrap_or_else(|error| ApiError::from(error).into_response());
    let headers = response.headers_mut();
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(
        REFERRER_POLICY,
        HeaderValue::from_static("strict-origin-when-cross-origin"),
    );
    if app.settings().is_public_over_https() {
        headers.insert(STRICT_TRANSPORT_SECURITY, OVER_HTTPS);
    }
    let status = response.status();
    let path = request.uri.path();
    tracing::debug!(path, status = status.as_u16(), "a visitor was answered");
    app.front()
        .count(&request.method, status, started.elapsed().as_secs_f64());
    response
}

async fn try_answer(app: &App, request: &Parts) -> Result<Response, StoreError> {
    if !matches!(request.method, Method::GET | Method::HEAD) {
        return Ok(ApiError::method_not_allowed().into_response());
    }
    let site = app.front().site(app).await?;
    let uri = &request.uri;
    let Some(shown) = app.publisher().shown(site).await? else {
        return nothing_published(app, uri.path()).await;
    };
    let origin = || {
        let authority = uri.authority().map(|authority| authority.as_str());
        let peer = peer(&request.extensions);
        Origin::of(app.settings(), peer, &request.headers, authority)
    };
    let host = match app.settings().admin_url {
        None => Host::Shared,
        Some(_) => site_host(app.settings(), &origin()),
    };
    let visit = Visit {
        method: &request.method,
        path: uri.path(),
        query: uri.query(),
        headers: &request.headers,
        host,
        base: &|| origin().base(),
    };
    Ok(shown.answer(&visit).map(Body::from))
}

/// What else is served on the host of a request. With a host of its own, the administration cannot be reached by code in pages.
pub(crate) fn site_host(settings: &Settings, origin: &Origin) -> Host {
    match settings.admin_url.is_some() && !origin.serves_admin(settings) {
        true => Host::Own,
        false => Host::Shared,
    }
}

async fn nothing_published(app: &App, path: &str) -> Result<Response, StoreError> {
    Ok(match path {
        "/" if !app.front().is_set_up(app).await? => Redirect::to("/admin/setup").into_response(),
        "/" => page(
            StatusCode::OK,
            "Nothing is published here yet",
            "The owner of this site has not published it. Come back later.",
        ),
        _ => page(
            StatusCode::NOT_FOUND,
            "There is no such page",
            "Check the address, or go back to the home page.",
        ),
    })
}

/// A built-in plain page.
pub(crate) fn page(status: StatusCode, title: &str, text: &str) -> Response {
    let html = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>{title}</title>\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n<meta name=\"robots\" content=\"noindex\">\n<style>\n\
         :root {{ color-scheme: light dark; font: 1.125rem/1.6 system-ui, sans-serif; }}\n\
         body {{ max-width: 36rem; margin: 20vh auto 0; padding: 0 1.5rem; }}\nh1 {{ font-size: 1.5rem; line-height: 1.25; }}\n\
         </style>\n</head>\n<body>\n<main>\n<h1>{title}</h1>\n<p>{text}</p>\n</main>\n</body>\n</html>\n"
    );
    let mut response = (status, Html(html)).into_response();
    response
        .headers_mut()
        .insert(CONTENT_SECURITY_POLICY, POLICY);
    response
}

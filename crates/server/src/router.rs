//! The router: every route of the table goes through the same steps, and every response gets the same headers, log entry and metrics.

use std::any::Any;
use std::time::Instant;

use axum::Router;
use axum::extract::rejection::RawPathParamsRejection;
use axum::extract::{RawPathParams, Request, State};
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{MethodFilter, MethodRouter, any, on};
use http::header::{
    AUTHORIZATION, CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderName,
    REFERRER_POLICY, STRICT_TRANSPORT_SECURITY, X_CONTENT_TYPE_OPTIONS,
};
use http::{HeaderMap, HeaderValue, Method};
use sitewright_store::{RefusalKind, Timestamp};
use sitewright_tool::ErrorCode;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::{DefaultPredicate, NotForContentType, Predicate as _};
use tracing::Instrument as _;

use crate::caller::{Caller, Credentials, identify};
use crate::origin::{Origin, Peer};
use crate::problem::ApiError;
use crate::public::OVER_HTTPS;
use crate::refusals::RefusedRequest;
use crate::route::{Access, AgentAccess, Context, Hosts, Input, Route};
use crate::{App, public, routes, shell};

/// Scripts, styles and connections of the administration come from this server only; wasm needs its own keyword.
const ADMIN_POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; \
     connect-src 'self'; frame-src 'self'; manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
);

/// Builds the router for everything an instance serves over HTTP.
pub fn router(app: &App) -> Router {
    let (admin, shared): (Vec<Route>, Vec<Route>) = routes::all()
        .into_iter()
        .partition(|route| route.hosts == Hosts::Admin);
    let shell_app = app.clone();
    let shell = move |request: Request| {
        let app = shell_app.clone();
        async move { shell::answer(&app, &request) }
    };
    let public_app = app.clone();
    let public = move |request: Request| {
        let app = public_app.clone();
        let (parts, _) = request.into_parts();
        async move { public::answer(&app, &parts).await }
    };
    let admin = table(app, admin)
        .route("/admin", any(shell.clone()))
        .route("/admin/", any(shell.clone()))
        .route("/admin/{*path}", any(shell))
        .method_not_allowed_fallback(|| async { ApiError::method_not_allowed() })
        .layer(CatchPanicLayer::custom(panicked))
        .layer(from_fn_with_state(app.clone(), protect_admin));
    let shared = table(app, shared)
        .method_not_allowed_fallback(|| async { ApiError::method_not_allowed() })
        .layer(CatchPanicLayer::custom(panicked))
        .layer(from_fn_with_state(app.clone(), protect_shared));
    admin
        .merge(shared)
        .layer(from_fn(surround))
        .layer(CompressionLayer::new().compress_when(
            // Compression would hold a line back until more lines follow.
            DefaultPredicate::new().and(NotForContentType::const_new("application/x-ndjson")),
        ))
        // Visitors' pages are compressed already and should cost as little as possible, so they bypass the layers above.
        .fallback_service(any(public).layer(CatchPanicLayer::custom(panicked)))
}

fn table(app: &App, routes: Vec<Route>) -> Router {
    routes.into_iter().fold(Router::new(), |router, route| {
        router.route(route.path, endpoint(app, route))
    })
}

fn endpoint(app: &App, route: Route) -> MethodRouter {
    let app = app.clone();
    let filter = MethodFilter::try_from(route.method.clone()).unwrap_or(MethodFilter::GET);
    on(
        filter,
        move |params: Result<RawPathParams, RawPathParamsRejection>, request: Request| {
            let (app, route) = (app.clone(), route.clone());
            async move {
                let Ok(params) = params else {
                    return ApiError::not_found("The address is not valid UTF-8.").into_response();
                };
                let params = params
                    .iter()
                    .map(|(name, value)| (name.to_owned(), value.to_owned()))
                    .collect();
                handle(app, route, params, request)
                    .await
                    .unwrap_or_else(ApiError::into_response)
            }
        },
    )
}

async fn handle(
    app: App,
    route: Route,
    params: Vec<(String, String)>,
    request: Request,
) -> Result<Response, ApiError> {
    let (parts, body) = request.into_parts();
    let peer = peer(&parts.extensions);
    let origin = Origin::of(
        app.settings(),
        peer,
        &parts.headers,
        parts.uri.authority().map(|authority| authority.as_str()),
    );
    if route.hosts == Hosts::Admin {
        require_admin_host(&app, &origin, peer)?;
    }
    let now = Timestamp::now();
    let refuse = async |kind, caller: &Caller| {
        let refused = RefusedRequest {
            kind,
            actor: caller.by(now).actor,
            site: caller.site().ok().map(|site| site.id.clone()),
            address: origin.client.to_string(),
            subject: format!("{} {}", route.method, route.path),
        };
        app.refusals().note(app.store(), refused, now).await;
    };
    if peer != Peer::Local
        && let Err(too_many) = app.rate_limits().count(route.pace, origin.client)
    {
        refuse(RefusalKind::Throttle, &Caller::Anonymous).await;
        return Err(too_many);
    }
    let credentials = Credentials {
        peer,
        origin: &origin,
        method: &parts.method,
        headers: &parts.headers,
    };
    let caller = match identify(&app, &credentials, now).await {
        Ok(caller) => caller,
        Err(unknown) => {
            if parts.headers.contains_key(AUTHORIZATION) {
                refuse(RefusalKind::SignIn, &Caller::Anonymous).await;
            }
            return Err(unknown);
        }
    };
    if let Err(forbidden) = authorise(&route, &caller) {
        // Without a sign-in, nothing is refused yet: the shell asks for one.
        if !matches!(caller, Caller::Anonymous) {
            refuse(RefusalKind::Access, &caller).await;
        }
        return Err(forbidden);
    }
    let input = Input {
        query: parts.uri.query().map(str::to_owned),
        content_type: parts.headers.get(CONTENT_TYPE).cloned(),
        body,
        body_limit: route.body_limit,
        time_limit: route.time_limit,
    };
    let context = Context {
        app,
        caller,
        origin,
        headers: parts.headers,
        now,
        params,
    };
    (route.run)(context, input).await
}

fn authorise(route: &Route, caller: &Caller) -> Result<(), ApiError> {
    if route.agents == AgentAccess::Closed && caller.is_agent() {
        return Err(ApiError::forbidden(
            "An agent's token cannot do this directly, because the policy would not be asked. Call a tool instead, with \
             POST /tools/call; GET /tools lists them. People and their scripts may use this address.",
        ));
    }
    match (route.access, caller) {
        (Access::Public, _) | (Access::Local, Caller::Local { .. }) => Ok(()),
        (_, Caller::Anonymous) => caller.site().map(drop),
        (Access::SignedIn, _) => Ok(()),
        (Access::Local, _) => Err(ApiError::forbidden(
            "This can only be done on the machine itself, with `sitewright`.",
        )),
        (Access::Needs(capability), caller) if caller.capabilities().has(capability) => Ok(()),
        (Access::Needs(capability), _) => Err(ApiError::forbidden(format!(
            "This needs the capability {capability}, which your role or token does not have."
        ))),
    }
}

pub(crate) fn require_admin_host(app: &App, origin: &Origin, peer: Peer) -> Result<(), ApiError> {
    if peer == Peer::Local || origin.serves_admin(app.settings()) {
        return Ok(());
    }
    Err(ApiError::not_found(
        "The administration is not served on this host name; use the one set as admin_url.",
    ))
}

/// The other end of the connection. A request without this extension did not come through one of our listeners and is treated as
/// coming from an unknown network address.
pub(crate) fn peer(extensions: &http::Extensions) -> Peer {
    extensions
        .get::<Peer>()
        .copied()
        .unwrap_or(Peer::Network(([0, 0, 0, 0], 0).into()))
}

/// Applies to every response: a request id in the log, metrics, and restrictive security headers.
async fn surround(request: Request, next: Next) -> Response {
    let id = uuid::Uuid::now_v7().simple().to_string();
    let method = request.method().clone();
    let path = logged_path(request.uri().path()).to_owned();
    let span = tracing::info_span!("request", %id, %method, path);
    let started = Instant::now();
    let mut response = next.run(request).instrument(span.clone()).await;
    let status = response.status();
    let elapsed = started.elapsed();
    span.in_scope(|| {
        tracing::debug!(
            status = status.as_u16(),
            ms = elapsed.as_secs_f64() * 1000.0,
            "answered"
        )
    });
    measure(&method, &path, status.as_u16(), elapsed.as_secs_f64());
    let headers = response.headers_mut();
    set(
        headers,
        HeaderName::from_static("x-request-id"),
        HeaderValue::from_str(&id).ok(),
    );
    set(
        headers,
        X_CONTENT_TYPE_OPTIONS,
        Some(HeaderValue::from_static("nosniff")),
    );
    set(
        headers,
        REFERRER_POLICY,
        Some(HeaderValue::from_static("strict-origin-when-cross-origin")),
    );
    response
}

/// The path as it may be logged: that of a preview is its secret.
fn logged_path(path: &str) -> &str {
    const PREVIEW: &str = "/preview/";
    if path.starts_with(PREVIEW) {
        PREVIEW
    } else {
        path
    }
}

/// Restricts what a browser does with a response of the administration and its APIs.
async fn protect_admin(State(app): State<App>, request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    if app.settings().is_admin_over_https() {
        set(headers, STRICT_TRANSPORT_SECURITY, Some(OVER_HTTPS));
    }
    set(headers, CONTENT_SECURITY_POLICY, Some(ADMIN_POLICY));
    set(
        headers,
        HeaderName::from_static("x-frame-options"),
        Some(HeaderValue::from_static("DENY")),
    );
    set(
        headers,
        HeaderName::from_static("cross-origin-opener-policy"),
        Some(HeaderValue::from_static("same-origin")),
    );
    let features = "camera=(), microphone=(), geolocation=(), payment=(), usb=()";
    set(
        headers,
        HeaderName::from_static("permissions-policy"),
        Some(HeaderValue::from_static(features)),
    );
    set(
        headers,
        CACHE_CONTROL,
        Some(HeaderValue::from_static("no-store")),
    );
    response
}

/// Keeps browsers on https for what the public host name serves besides pages.
async fn protect_shared(State(app): State<App>, request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    if app.settings().is_public_over_https() {
        set(
            response.headers_mut(),
            STRICT_TRANSPORT_SECURITY,
            Some(OVER_HTTPS),
        );
    }
    response
}

/// Sets a header unless the response has set it itself.
fn set(headers: &mut HeaderMap, name: HeaderName, value: Option<HeaderValue>) {
    if let Some(value) = value {
        headers.entry(name).or_insert(value);
    }
}

pub(crate) fn measure(method: &Method, path: &str, status: u16, seconds: f64) {
    // Labels must have few values: the area, not the path, which clients can make up.
    let area = match path.split('/').nth(1) {
        Some("admin") if path.starts_with("/admin/api/") => "api",
        Some("admin") => "shell",
        Some("healthz" | "readyz" | "metrics") => "probe",
        _ => "public",
    };
    let known = [
        Method::GET,
        Method::HEAD,
        Method::POST,
        Method::PUT,
        Method::PATCH,
        Method::DELETE,
    ];
    let method = if known.contains(method) {
        method.as_str().to_owned()
    } else {
        "other".to_owned()
    };
    let status = status.to_string();
    metrics::counter!("sitewright_http_requests_total", "area" => area, "method" => method, "status" => status).increment(1);
    metrics::histogram!("sitewright_http_request_seconds", "area" => area).record(seconds);
}

fn panicked(cause: Box<dyn Any + Send>) -> Response {
    let text = cause
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| cause.downcast_ref::<&str>().copied());
    tracing::error!(panic = text.unwrap_or("unknown"), "a request panicked");
    ApiError::new(
        ErrorCode::Internal,
        "Something went wrong on the server. Its log has the details. Try again.",
    )
    .into_response()
}

#[cfg(test)]
#[path = "doors_tests.rs"]
mod doors_tests;
#[cfg(test)]
#[path = "router_tests.rs"]
mod tests;

//! Probes for process supervisors and monitoring.

use axum::response::{IntoResponse as _, Response};
use http::header::CONTENT_TYPE;
use http::{Method, StatusCode};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use sitewright_tool::{Capability, ErrorCode};

use crate::caller::Caller;
use crate::origin::Transport;
use crate::problem::ApiError;
use crate::route::{Access, Answer, Context, Json, Nothing, Route};

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::new(
            Method::GET,
            "/healthz",
            Access::Public,
            "Whether the process runs",
            alive,
        )
        .on_every_host(),
        Route::new(
            Method::GET,
            "/readyz",
            Access::Public,
            "Whether requests can be served",
            ready,
        )
        .on_every_host(),
        Route::new(
            Method::GET,
            "/metrics",
            Access::Public,
            "Numbers for Prometheus; from this machine or with a token",
            metrics,
        )
        .on_every_host(),
    ]
}

/// The state of the process.
#[derive(Serialize, JsonSchema)]
struct Health {
    /// `ok`.
    status: &'static str,
    /// The version of Sitewright.
    version: &'static str,
}

const OK: Health = Health {
    status: "ok",
    version: env!("CARGO_PKG_VERSION"),
};

async fn alive(_: Context, _: Nothing) -> Result<Json<Health>, ApiError> {
    Ok(Json(OK))
}

async fn ready(context: Context, _: Nothing) -> Result<Json<Health>, ApiError> {
    match context.app.readiness().obstacle(&context.app).await {
        None => Ok(Json(OK)),
        Some(obstacle) => Err(ApiError::new(ErrorCode::Unavailable, obstacle)),
    }
}

/// Metrics in the Prometheus text format.
struct Exposition(String);

impl Answer for Exposition {
    const STATUS: StatusCode = StatusCode::OK;

    fn schema(_: &mut SchemaGenerator) -> Option<Schema> {
        None
    }

    fn respond(self) -> Response {
        (
            [(CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")],
            self.0,
        )
            .into_response()
    }
}

async fn metrics(context: Context, _: Nothing) -> Result<Exposition, ApiError> {
    let allowed = match &context.caller {
        Caller::Local { .. } => true,
        Caller::Anonymous => from_this_machine(&context),
        caller @ (Caller::Person(_) | Caller::Token { .. }) => {
            caller.capabilities().has(Capability::SettingsManage)
        }
    };
    if !allowed {
        return Err(ApiError::forbidden(
            "The numbers are shown to this machine, or with a token that has settings.manage.",
        ));
    }
    Ok(Exposition(crate::meters::render()))
}

/// Whether the request originated on this machine. Behind a local proxy every visitor appears to be local; a public address in the
/// settings, a forwarding header or another host name reveals the proxy.
fn from_this_machine(context: &Context) -> bool {
    let settings = context.app.settings();
    let forwarded = [
        "forwarded",
        "via",
        "x-forwarded-for",
        "x-forwarded-host",
        "x-forwarded-proto",
        "x-real-ip",
    ];
    settings.public_url.is_none()
        && settings.admin_url.is_none()
        && context.origin.client.is_loopback()
        && context.origin.transport() == Transport::Loopback
        && !forwarded
            .iter()
            .any(|name| context.headers.contains_key(*name))
}

//! The assistant's usage, by person, scope, model and day.

use http::Method;
use schemars::JsonSchema;
use serde::Deserialize;
use sitewright_agent::{AiAudit, Window};
use sitewright_tool::Capability;

use crate::problem::ApiError;
use crate::route::{Access, Context, Json, Route};

pub(super) fn routes() -> Vec<Route> {
    vec![Route::new(
        Method::GET,
        "/admin/api/ai/audit",
        Access::Needs(Capability::AiAuditRead),
        "What the assistant used, by person, scope, model and day",
        read,
    )]
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct AiAuditQuery {
    /// From when on, in ISO 8601; 30 days ago when left out.
    since: Option<String>,
    /// The time zone whose days are meant, such as Europe/Bratislava; UTC when left out.
    tz: Option<String>,
}

async fn read(context: Context, query: AiAuditQuery) -> Result<Json<AiAudit>, ApiError> {
    let window = Window::parse(query.since.as_deref(), query.tz.as_deref(), context.now)
        .map_err(|bad| ApiError::field(bad.field, bad.message))?;
    let audit = AiAudit::read(context.app.store(), context.site()?, &window).await?;
    Ok(Json(audit))
}

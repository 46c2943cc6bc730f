//! Links that show the draft of a page to anyone who has one, until they expire. A link is encrypted with the instance's key and is
//! not stored.

use std::time::Duration;

use axum::response::{Html, IntoResponse as _, Response};
use bytes::Bytes;
use http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, HeaderName, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
};
use http::{HeaderValue, Method, StatusCode};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use sitewright_site::BodyId;
use sitewright_store::{SiteId, Timestamp};
use sitewright_tool::Capability;

use crate::App;
use crate::problem::ApiError;
use crate::public::{page, site_host};
use crate::route::{Access, Answer, Context, Json, Nothing, Route};

const PURPOSE: &str = "preview";
const HOUR: Duration = Duration::from_secs(60 * 60);
/// How long a link is valid by default.
const HOURS: u32 = 24 * 7;
const HOURS_MAX: u32 = 24 * 30;

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::new(
            Method::POST,
            "/admin/api/site/preview-link",
            Access::Needs(Capability::SiteWrite),
            "Make a link that shows the draft of a page to whoever has it",
            create,
        ),
        Route::new(
            Method::GET,
            "/preview/{token}",
            Access::Public,
            "The draft of a page, for whoever has the link",
            show,
        ),
    ]
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct NewLink {
    /// The page.
    page_id: String,
    /// How long the link works, at most 720 hours; 168 (a week) when left out.
    hours: Option<u32>,
}

/// A link to the draft of a page.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Link {
    /// Where whoever has it sees the draft.
    url: String,
    /// When it stops working, in milliseconds since 1970.
    expires_at: i64,
}

/// The content of a link.
#[derive(Serialize, Deserialize)]
struct Sealed {
    site: SiteId,
    page: BodyId,
    until: Timestamp,
}

async fn create(context: Context, input: NewLink) -> Result<Json<Link>, ApiError> {
    let hours = input.hours.unwrap_or(HOURS);
    if !(1..=HOURS_MAX).contains(&hours) {
        return Err(ApiError::field(
            "hours",
            format!("`hours` must be from 1 to {HOURS_MAX}."),
        ));
    }
    let page: BodyId = input
        .page_id
        .parse()
        .map_err(|bad| ApiError::field("pageId", format!("`pageId`: {bad}.")))?;
    let site = context.site()?.clone();
    let live = context.app.store().live_site(&site).await?;
    if live.site().shell.pages.get(page).is_none() {
        return Err(ApiError::not_found(format!("There is no page {page}.")));
    }
    drop(live);
    let until = context.now.after(HOUR * hours);
    let sealed = serde_json::to_string(&Sealed { site, page, until })
        .map_err(|error| ApiError::internal(&error))?;
    let token = context.app.secrets().seal_token(PURPOSE, &sealed)?;
    Ok(Json(Link {
        url: format!("{}/preview/{token}", public_address(&context.app)),
        expires_at: until.millis(),
    }))
}

/// The public address of the site.
fn public_address(app: &App) -> String {
    let declared = app.settings().public_url.as_ref();
    declared.map_or_else(
        || app.local_address(),
        |url| url.as_str().trim_end_matches('/').to_owned(),
    )
}

/// The draft of a page, or why it cannot be shown.
enum Preview {
    Draft { html: Bytes, policy: HeaderValue },
    Expired,
    Gone,
}

impl Answer for Preview {
    const STATUS: StatusCode = StatusCode::OK;

    fn schema(_: &mut SchemaGenerator) -> Option<Schema> {
        None
    }

    fn respond(self) -> Response {
        let mut response = match self {
            Self::Draft { html, policy } => {
                let mut response = Html(html).into_response();
                let headers = response.headers_mut();
                headers.insert(CONTENT_SECURITY_POLICY, policy);
                response
            }
            Self::Expired => page(
                StatusCode::GONE,
                "This link has expired",
                "Ask whoever sent it to you for a new one.",
            ),
            Self::Gone => page(
                StatusCode::NOT_FOUND,
                "There is nothing to see here",
                "The link is not whole, or the page does not exist any more. Ask whoever sent it to you for a new one.",
            ),
        };
        let headers = response.headers_mut();
        let no_index = HeaderName::from_static("x-robots-tag");
        headers.insert(no_index, HeaderValue::from_static("noindex"));
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        // The address is the secret, so it must not leak in a Referer header.
        headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
        headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        response
    }
}

async fn show(context: Context, _: Nothing) -> Result<Preview, ApiError> {
    let token = context.param("token")?;
    let opened = context.app.secrets().open_token(PURPOSE, token);
    let sealed: Option<Sealed> = opened.and_then(|text| serde_json::from_str(&text).ok());
    let Some(Sealed { site, page, until }) = sealed else {
        return Ok(Preview::Gone);
    };
    if context.now >= until {
        return Ok(Preview::Expired);
    }
    let rendered = context.app.publisher().preview(&site, page).await?;
    let host = site_host(context.app.settings(), &context.origin);
    Ok(rendered.map_or(Preview::Gone, |page| Preview::Draft {
        // Unpublished code must not act with the session of the person who views it, and unauthorised code must not run at all.
        policy: page.draft_policy(host),
        html: page.html,
    }))
}

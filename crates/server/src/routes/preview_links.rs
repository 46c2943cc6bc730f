//! Links that show the draft of a page to anyone who has one, until they expire, are withdrawn, or their maker may no longer sign in.
//! The address holds the id of the link, encrypted with the instance's key.

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
use sitewright_store::{PreviewLink, PreviewLinkId};
use sitewright_tool::Capability;

use crate::App;
use crate::problem::ApiError;
use crate::public::{page, site_host};
use crate::route::{Access, Answer, Context, Done, Json, Nothing, Route};
use crate::routes::names::Names;

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
            "/admin/api/site/preview-links",
            Access::Needs(Capability::SiteWrite),
            "The links that show the draft of a page",
            list,
        )
        .closed_to_agents(),
        Route::new(
            Method::DELETE,
            "/admin/api/site/preview-links/{id}",
            Access::Needs(Capability::SiteWrite),
            "Withdraw a link",
            withdraw,
        ),
        Route::new(
            Method::GET,
            "/preview/{token}",
            Access::Public,
            "The draft of a page, for whoever has the link",
            show,
        )
        .on_every_host(),
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

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct LinksQuery {
    /// The page.
    page_id: String,
}

/// The links to a page that work.
#[derive(Serialize, JsonSchema)]
struct Links {
    /// The newest first.
    links: Vec<Link>,
}

/// A link to the draft of a page.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Link {
    /// The link.
    id: String,
    /// Who made it, while that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    made_by: Option<String>,
    /// Where whoever has it sees the draft.
    url: String,
    /// When it stops working, in milliseconds since 1970.
    expires_at: i64,
}

async fn create(context: Context, input: NewLink) -> Result<Json<Link>, ApiError> {
    let hours = input.hours.unwrap_or(HOURS);
    if !(1..=HOURS_MAX).contains(&hours) {
        return Err(ApiError::field(
            "hours",
            format!("`hours` must be from 1 to {HOURS_MAX}."),
        ));
    }
    let page = parse_page(&input.page_id)?;
    let site = context.site()?.clone();
    let live = context.app.store().live_site(&site).await?;
    if live.site().shell.pages.get(page).is_none() {
        return Err(ApiError::not_found(format!("There is no page {page}.")));
    }
    drop(live);
    let until = context.now.after(HOUR * hours);
    let store = context.app.store();
    let mine = context.by();
    // Opening the dialog again gives the same link instead of one more.
    let again = store
        .preview_links(&site, page, context.now)
        .await?
        .into_iter()
        .find(|link| {
            let lifetime = link.expires_at.since(link.created_at);
            link.actor == mine.actor
                && lifetime == HOUR * hours
                && context.now.since(link.created_at) < HOUR
        });
    let link = match again {
        Some(link) => link,
        None => store.create_preview_link(&site, page, until, &mine).await?,
    };
    let names = Names::of(&context.app, &site).await?;
    Ok(Json(describe(&context.app, &link, &names)?))
}

async fn list(context: Context, input: LinksQuery) -> Result<Json<Links>, ApiError> {
    let page = parse_page(&input.page_id)?;
    let site = context.site()?;
    let names = Names::of(&context.app, site).await?;
    let links = context
        .app
        .store()
        .preview_links(site, page, context.now)
        .await?;
    let links = links
        .iter()
        .map(|link| describe(&context.app, link, &names));
    Ok(Json(Links {
        links: links.collect::<Result<_, _>>()?,
    }))
}

async fn withdraw(context: Context, _: Nothing) -> Result<Done, ApiError> {
    let id = PreviewLinkId::from(context.param("id")?.to_owned());
    context
        .app
        .store()
        .withdraw_preview_link(context.site()?, &id, &context.by())
        .await?;
    Ok(Done)
}

fn parse_page(text: &str) -> Result<BodyId, ApiError> {
    text.parse()
        .map_err(|bad| ApiError::field("pageId", format!("`pageId`: {bad}.")))
}

fn describe(app: &App, link: &PreviewLink, names: &Names) -> Result<Link, ApiError> {
    let token = app.secrets().seal_token(PURPOSE, link.id.as_str())?;
    Ok(Link {
        id: link.id.to_string(),
        made_by: names.get(&link.actor.to_string()).cloned(),
        url: format!("{}/preview/{token}", public_address(app)),
        expires_at: link.expires_at.millis(),
    })
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
                "The link is incomplete, or the page no longer exists. Ask whoever sent it to you for a new one.",
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
    let store = context.app.store();
    let id = context.app.secrets().open_token(PURPOSE, token);
    let link = match id.map(PreviewLinkId::from) {
        Some(id) => store.preview_link(&id).await?,
        None => None,
    };
    let Some(link) = link else {
        return Ok(Preview::Gone);
    };
    if context.now >= link.expires_at {
        return Ok(Preview::Expired);
    }
    let maker = store
        .capabilities_of(&link.site, &link.actor, context.now)
        .await?;
    if !maker.is_some_and(|capabilities| capabilities.has(Capability::SiteWrite)) {
        return Ok(Preview::Gone);
    }
    let rendered = context
        .app
        .publisher()
        .preview(&link.site, link.page)
        .await?;
    let host = site_host(context.app.settings(), &context.origin);
    Ok(rendered.map_or(Preview::Gone, |page| Preview::Draft {
        // Unpublished code must not act with the session of the person who views it, and unauthorised code must not run at all.
        policy: page.draft_policy(host),
        html: page.html,
    }))
}

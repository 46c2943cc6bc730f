//! Fonts: installing a family on the site, and serving its files to everyone. The bytes at an address never change, so browsers can
//! cache them.

use axum::response::{IntoResponse as _, Response};
use bytes::Bytes;
use http::header::{
    ACCESS_CONTROL_ALLOW_ORIGIN, CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE,
};
use http::{HeaderValue, Method, StatusCode};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Deserialize;
use sitewright_connect::FontError;
use sitewright_site::{FontFamily, FontQuery};
use sitewright_store::{BlobId, StoreError};
use sitewright_tool::{Capability, ErrorCode, sentence};

use crate::problem::ApiError;
use crate::route::{Access, Answer, Context, Json, Nothing, Route};

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::new(
            Method::POST,
            "/admin/api/cms/fonts/install",
            Access::Needs(Capability::SiteWrite),
            "Fetch the files of a family and keep them here",
            install,
        ),
        Route::new(
            Method::GET,
            "/uploads/fonts/{file}",
            Access::Public,
            "A file of an installed font",
            show,
        )
        .for_files()
        .on_every_host(),
    ]
}

/// A family to install.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct NewFont {
    /// The family as Google Fonts writes it, such as `Open Sans`.
    google_family: String,
    /// Weights, with `italic` behind them for slanted ones; 400 and 700 when left out.
    variants: Option<Vec<String>>,
    /// Subsets such as `latin-ext`; `latin` when left out.
    subsets: Option<Vec<String>>,
}

/// A font file.
struct Font(Bytes);

impl Answer for Font {
    const STATUS: StatusCode = StatusCode::OK;

    fn schema(_: &mut SchemaGenerator) -> Option<Schema> {
        None
    }

    fn respond(self) -> Response {
        let mut response = self.0.into_response();
        let headers = response.headers_mut();
        for (name, value) in [
            (CONTENT_TYPE, "font/woff2"),
            (CACHE_CONTROL, "public, max-age=31536000, immutable"),
            (CONTENT_SECURITY_POLICY, "default-src 'none'; sandbox"),
            // Browsers load fonts with CORS, and sandboxed pages have an opaque origin.
            (ACCESS_CONTROL_ALLOW_ORIGIN, "*"),
        ] {
            headers.insert(name, HeaderValue::from_static(value));
        }
        response
    }
}

async fn install(context: Context, input: NewFont) -> Result<Json<FontFamily>, ApiError> {
    let NewFont {
        google_family,
        variants,
        subsets,
    } = input;
    let wish = FontQuery::of(&google_family, variants.as_deref(), subsets.as_deref())
        .map_err(|bad| ApiError::field(bad.field, bad.message))?;
    let fonts = context.app.fonts();
    let family = fonts
        .family(context.site()?, &wish, &context.by())
        .await
        .map_err(refusal)?;
    Ok(Json(family))
}

fn refusal(error: FontError) -> ApiError {
    let code = match &error {
        FontError::Off => ErrorCode::Unavailable,
        FontError::Unknown => ErrorCode::NotFound,
        FontError::NoSubset(_) => ErrorCode::InvalidInput,
        FontError::TooMuch => ErrorCode::TooLarge,
        FontError::Slow => ErrorCode::Timeout,
        FontError::Store(_) => ErrorCode::Internal,
        _ => ErrorCode::UpstreamError,
    };
    match error {
        FontError::Store(error) => error.into(),
        other => ApiError::new(code, sentence(&other.to_string())),
    }
}

async fn show(context: Context, _: Nothing) -> Result<Font, ApiError> {
    let none = || ApiError::not_found("There is no such font.");
    let file = context.param("file")?;
    let blob = file.strip_suffix(".woff2").and_then(BlobId::parse);
    let blob = blob.ok_or_else(none)?;
    let found = context.app.fonts().file(&blob).await;
    let found = found.map_err(|error| match error {
        StoreError::NotFound { .. } | StoreError::DamagedFile { .. } => ApiError::lost_file(&error),
        other => other.into(),
    })?;
    found.map(Font).ok_or_else(none)
}

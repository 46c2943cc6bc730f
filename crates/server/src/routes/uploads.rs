//! The pictures of the site, for everyone. The bytes at an address never change, so browsers can cache them.

use axum::response::{IntoResponse as _, Response};
use bytes::Bytes;
use http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use http::{HeaderValue, Method, StatusCode};
use schemars::{Schema, SchemaGenerator};
use sitewright_media::{Format, MediaError};
use sitewright_store::{MediaId, StoreError};

use crate::problem::ApiError;
use crate::route::{Access, Answer, Context, Nothing, Route};

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::new(
            Method::GET,
            "/uploads/{id}/{file}",
            Access::Public,
            "A picture in one of its sizes",
            show,
        )
        .for_files()
        .on_every_host(),
    ]
}

struct Picture(Format, Bytes);

impl Answer for Picture {
    const STATUS: StatusCode = StatusCode::OK;

    fn schema(_: &mut SchemaGenerator) -> Option<Schema> {
        None
    }

    fn respond(self) -> Response {
        let mut response = self.1.into_response();
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(self.0.mime()));
        headers.insert(
            CACHE_CONTROL,
            HeaderValue::from_static("public, max-age=31536000, immutable"),
        );
        // Opened on its own, the file must not be able to run anything.
        headers.insert(
            CONTENT_SECURITY_POLICY,
            HeaderValue::from_static("default-src 'none'; sandbox"),
        );
        response
    }
}

async fn show(context: Context, _: Nothing) -> Result<Picture, ApiError> {
    let id = MediaId::from(context.param("id")?.to_owned());
    let found = context
        .app
        .library()
        .file(&id, context.param("file")?)
        .await;
    let found = found.map_err(|error| match error {
        MediaError::Store(
            error @ (StoreError::NotFound { .. } | StoreError::DamagedFile { .. }),
        ) => ApiError::lost_file(&error),
        MediaError::Store(error) => error.into(),
        other => ApiError::internal(&other),
    })?;
    let (format, bytes) = found.ok_or_else(|| ApiError::not_found("There is no such picture."))?;
    Ok(Picture(format, bytes))
}

//! The administration's shell, embedded in the binary with its assets compressed in advance. A debug build reads it from `web/dist`
//! instead, so that changes to the shell need no new binary.

use axum::extract::Request;
use axum::response::{IntoResponse as _, Response};
use http::header::{
    ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG,
    IF_NONE_MATCH, VARY, X_FRAME_OPTIONS,
};
use http::{HeaderMap, HeaderValue, Method, StatusCode};
use rust_embed::{EmbeddedFile, RustEmbed};

use crate::App;
use crate::origin::Origin;
use crate::problem::ApiError;
use crate::router::{peer, require_admin_host};

#[derive(RustEmbed)]
#[folder = "../../web/dist"]
#[allow_missing = true]
struct Shell;

/// The frame that the editor renders pages of the site into. It runs no scripts and loads only from this server.
const CANVAS: &str = "canvas.html";
const CANVAS_POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; font-src 'self' data:; media-src 'self'; \
     base-uri 'none'; form-action 'none'; frame-ancestors 'self'; sandbox allow-same-origin",
);

const NOT_BUILT: &str = "<!doctype html><html lang=\"en\"><title>Sitewright</title><h1>The shell is not built</h1>\
    <p>Run <code>cargo xtask web</code> and reload this page.</p></html>";

/// A file of the shell, or its page for every address that is not a file.
pub(crate) fn answer(app: &App, request: &Request) -> Response {
    let path = request.uri().path();
    let peer = peer(request.extensions());
    let authority = request
        .uri()
        .authority()
        .map(|authority| authority.as_str());
    let origin = Origin::of(app.settings(), peer, request.headers(), authority);
    if let Err(error) = require_admin_host(app, &origin, peer) {
        return error.into_response();
    }
    if path.starts_with("/admin/api/") {
        return ApiError::not_found("There is nothing at this address of the API.").into_response();
    }
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        return ApiError::method_not_allowed().into_response();
    }
    let name = path.trim_start_matches("/admin").trim_start_matches('/');
    let is_file = name
        .rsplit('/')
        .next()
        .is_some_and(|last| last.contains('.'));
    if !is_file {
        return file("index.html", request.headers()).unwrap_or_else(|| {
            (
                StatusCode::SERVICE_UNAVAILABLE,
                [(CONTENT_TYPE, "text/html; charset=utf-8")],
                NOT_BUILT,
            )
                .into_response()
        });
    }
    let mut response = file(name, request.headers())
        .unwrap_or_else(|| ApiError::not_found("There is no such file.").into_response());
    if name == CANVAS {
        // On a 304 too: its headers replace those that the browser has cached.
        let headers = response.headers_mut();
        headers.insert(CONTENT_SECURITY_POLICY, CANVAS_POLICY);
        headers.insert(X_FRAME_OPTIONS, HeaderValue::from_static("SAMEORIGIN"));
    }
    response
}

fn file(name: &str, headers: &HeaderMap) -> Option<Response> {
    let plain = Shell::get(name)?;
    let content_type = HeaderValue::from_str(&with_charset(plain.metadata.mimetype())).ok()?;
    let (encoding, chosen) = compressed(name, headers).unwrap_or((None, plain));
    // The ETag is of the bytes that are sent: another encoding of the same file is another representation.
    let hash = hex::encode(chosen.metadata.sha256_hash());
    let etag = HeaderValue::from_str(&format!("\"{hash}\"")).ok()?;
    // Asset names change with their content, so they can be cached forever; the page must be revalidated.
    let keep = if name.starts_with("assets/") {
        "public, max-age=31536000, immutable"
    } else {
        "no-cache"
    };
    if headers.get(IF_NONE_MATCH) == Some(&etag) {
        return Some(
            (
                StatusCode::NOT_MODIFIED,
                [
                    (ETAG, etag),
                    (CACHE_CONTROL, HeaderValue::from_static(keep)),
                ],
            )
                .into_response(),
        );
    }
    let mut response = chosen.data.into_response();
    let answer = response.headers_mut();
    answer.insert(CONTENT_TYPE, content_type);
    answer.insert(ETAG, etag);
    answer.insert(CACHE_CONTROL, HeaderValue::from_static(keep));
    answer.insert(VARY, HeaderValue::from_static("accept-encoding"));
    if let Some(encoding) = encoding {
        answer.insert(CONTENT_ENCODING, HeaderValue::from_static(encoding));
    }
    Some(response)
}

/// The smallest precompressed form that the browser accepts.
fn compressed(name: &str, headers: &HeaderMap) -> Option<(Option<&'static str>, EmbeddedFile)> {
    let accepted = headers.get(ACCEPT_ENCODING)?.to_str().ok()?;
    let takes = |encoding: &str| {
        accepted.split(',').any(|item| {
            let mut parts = item.split(';').map(str::trim);
            parts.next() == Some(encoding)
                && !parts.any(|weight| matches!(weight, "q=0" | "q=0.0" | "q=0.00" | "q=0.000"))
        })
    };
    let forms = [("br", "br"), ("gzip", "gz")];
    forms.into_iter().find_map(|(encoding, ending)| {
        let file = takes(encoding).then(|| Shell::get(&format!("{name}.{ending}")))??;
        Some((Some(encoding), file))
    })
}

fn with_charset(mimetype: &str) -> String {
    if mimetype.starts_with("text/") {
        format!("{mimetype}; charset=utf-8")
    } else {
        mimetype.to_owned()
    }
}

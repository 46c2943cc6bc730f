//! The public site. Before set-up it leads to set-up; before anything is published it says so on a plain page.

use axum::response::{Html, IntoResponse as _, Redirect, Response};
use http::header::CONTENT_SECURITY_POLICY;
use http::{HeaderValue, Method, StatusCode};

use crate::App;
use crate::problem::ApiError;

const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'",
);

/// Answers every address that is neither the administration's nor an API's.
pub(crate) async fn answer(app: &App, method: &Method, path: &str) -> Response {
    if !matches!(*method, Method::GET | Method::HEAD) {
        return ApiError::method_not_allowed().into_response();
    }
    let setup_required = match app.store().setup_required().await {
        Ok(required) => required,
        Err(error) => return ApiError::from(error).into_response(),
    };
    match path {
        "/" if setup_required => Redirect::to("/admin/setup").into_response(),
        "/" => page(
            StatusCode::OK,
            "Nothing is published here yet",
            "The owner of this site has not published it. Come back later.",
        ),
        _ => page(
            StatusCode::NOT_FOUND,
            "There is no such page",
            "Check the address, or go back to the start page.",
        ),
    }
}

fn page(status: StatusCode, title: &str, text: &str) -> Response {
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

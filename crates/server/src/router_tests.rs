//! Walks the table that the router is built from, and sends a request to every route.

use std::collections::BTreeSet;

use axum::body::Body;
use http::{Request, StatusCode};
use serde_json::Value;
use sitewright_store::{NewToken, Stamp, Timestamp, TokenKind};
use sitewright_tool::{Capability, CapabilitySet};
use tower::ServiceExt as _;

use super::router;
use crate::route::Access;
use crate::{App, Settings, routes};

/// The routes that anyone may use, each with the reason.
const PUBLIC: [(&str, &str); 13] = [
    ("GET /healthz", "says only that the process runs"),
    ("GET /readyz", "says only that it can serve"),
    ("GET /uploads/{id}/{file}", "pictures are for visitors"),
    ("GET /uploads/fonts/{file}", "fonts are for visitors"),
    ("GET /preview/{token}", "needs the link"),
    ("GET /metrics", "checks for itself: this machine or a token"),
    (
        "GET /admin/api/session",
        "the sign-in page asks what it can show",
    ),
    ("POST /admin/api/session", "signing in"),
    ("POST /admin/api/setup", "needs the one-time link"),
    ("POST /admin/api/password-links/redeem", "needs the link"),
    (
        "POST /admin/api/session/passkey",
        "signing in needs no session",
    ),
    (
        "POST /admin/api/session/passkey/start",
        "the same for everyone, and writes nothing",
    ),
    (
        "POST /admin/api/session/second-step",
        "needs the ticket of the first step",
    ),
];

async fn app() -> (App, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let settings = Settings {
        data: folder.path().to_owned(),
        ..Settings::default()
    };
    (App::open(settings).await.unwrap(), folder)
}

async fn knock(app: &App, method: &str, path: &str, token: Option<&str>) -> (StatusCode, Value) {
    let path = path.replace("{id}", "x").replace("{key}", "x");
    let mut request = Request::builder()
        .method(method)
        .uri(path)
        .header("host", "localhost");
    if let Some(token) = token {
        request = request.header("authorization", format!("Bearer {token}"));
    }
    let response = router(app)
        .oneshot(request.body(Body::empty()).unwrap())
        .await
        .unwrap();
    let status = response.status();
    // A stream ends minutes later.
    let kind = response.headers().get("content-type");
    if kind.is_some_and(|kind| kind == "text/event-stream") {
        return (status, Value::Null);
    }
    let bytes = axum::body::to_bytes(response.into_body(), 1 << 20)
        .await
        .unwrap();
    (status, serde_json::from_slice(&bytes).unwrap_or_default())
}

#[test]
fn the_public_routes_are_these() {
    let public: BTreeSet<String> = routes::all()
        .iter()
        .filter(|route| route.access == Access::Public)
        .map(|route| format!("{} {}", route.method, route.path))
        .collect();
    let known: BTreeSet<String> = PUBLIC
        .iter()
        .map(|(route, _)| (*route).to_owned())
        .collect();
    assert_eq!(public, known);
}

/// A pattern with a parameter in one of its first segments could match what belongs to the assistant.
#[test]
fn no_other_route_takes_what_is_under_the_assistants_path() {
    let assistant = ["", "admin", "api", "ai"];
    for route in routes::all() {
        if route.path.starts_with("/admin/api/ai/") {
            continue;
        }
        let segments: Vec<&str> = route.path.split('/').collect();
        let differs = assistant
            .iter()
            .enumerate()
            .any(|(at, part)| match segments.get(at) {
                Some(segment) => !segment.starts_with('{') && segment != part,
                None => true,
            });
        assert!(differs, "{}", route.path);
    }
}

#[test]
fn no_route_stands_twice() {
    let mut seen = BTreeSet::new();
    for route in routes::all() {
        assert!(
            seen.insert(format!("{} {}", route.method, route.path)),
            "{} {}",
            route.method,
            route.path
        );
    }
}

#[tokio::test]
async fn every_other_route_is_closed_to_strangers() {
    let (app, _folder) = app().await;
    for route in routes::all()
        .iter()
        .filter(|route| route.access != Access::Public)
    {
        let (status, body) = knock(&app, route.method.as_str(), route.path, None).await;
        assert_eq!(
            (status, &body["code"]),
            (StatusCode::UNAUTHORIZED, &Value::from("unauthenticated")),
            "{} {}",
            route.method,
            route.path
        );
    }
}

#[tokio::test]
async fn every_route_with_a_capability_is_closed_without_it() {
    let (app, _folder) = app().await;
    let site = app.store().sites().await.unwrap().remove(0);
    let now = Timestamp::now();
    let make = async |capabilities: CapabilitySet| {
        let new = NewToken {
            site: &site.id,
            name: "t",
            kind: TokenKind::Script,
            capabilities,
            maker: None,
            parent: None,
            expires_at: None,
        };
        app.store()
            .create_token(new, &Stamp::local(now))
            .await
            .unwrap()
            .0
            .expose()
            .to_owned()
    };
    for route in routes::all() {
        let (method, path) = (route.method.as_str(), route.path);
        let closed = match route.access {
            Access::Public | Access::SignedIn => continue,
            Access::Local => make(CapabilitySet::all()).await,
            Access::Needs(capability) => {
                let only: CapabilitySet = [capability].into_iter().collect();
                let (status, _) = knock(&app, method, path, Some(&make(only).await)).await;
                assert!(
                    !matches!(status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN),
                    "{method} {path} with {capability}: {status}"
                );
                // Without those that include it, either.
                let includes = |other: Capability| {
                    let other: CapabilitySet = [other].into_iter().collect();
                    other.has(capability)
                };
                let all = CapabilitySet::all();
                make(all.iter().filter(|other| !includes(*other)).collect()).await
            }
        };
        let (status, body) = knock(&app, method, path, Some(&closed)).await;
        assert_eq!(
            (status, &body["code"]),
            (StatusCode::FORBIDDEN, &Value::from("forbidden")),
            "{method} {path}"
        );
    }
}

/// Visitors are served from memory: the database may be gone altogether.
#[tokio::test]
async fn published_pages_need_no_database() {
    let (app, _folder) = app().await;
    let site = app.front().site(&app).await.unwrap().clone();
    let by = Stamp::local(Timestamp::now());
    let order = sitewright_publish::Authorization {
        by: &by,
        call: None,
        agreed: None,
    };
    let wish = sitewright_publish::PublishOptions::default();
    app.publisher().publish(&site, &wish, order).await.unwrap();
    assert_eq!(knock(&app, "GET", "/", None).await.0, StatusCode::OK);
    app.store().close().await;
    for (path, status) in [("/", 200), ("/robots.txt", 200), ("/nowhere", 404)] {
        assert_eq!(knock(&app, "GET", path, None).await.0, status, "{path}");
    }
    assert_eq!(knock(&app, "GET", "/readyz", None).await.0, 503);
}

#[tokio::test]
async fn a_link_to_a_draft_stops_working_when_its_time_is_over() {
    let (app, _folder) = app().await;
    let site = app.front().site(&app).await.unwrap().clone();
    let live = app.store().live_site(&site).await.unwrap();
    let (page, _) = live.site().shell.pages.iter().next().unwrap();
    drop(live);
    let now = Timestamp::now();
    let hour = std::time::Duration::from_secs(60 * 60);
    let by = Stamp::local(now.before(hour));
    for (until, status) in [(now.after(hour), 200), (now, 410)] {
        let link = app.store().create_preview_link(&site, page, until, &by);
        let id = link.await.unwrap().id;
        let token = app.secrets().seal_token("preview", id.as_str()).unwrap();
        let path = format!("/preview/{token}");
        assert_eq!(knock(&app, "GET", &path, None).await.0, status);
        let other = app.secrets().seal_token("other", id.as_str()).unwrap();
        let path = format!("/preview/{other}");
        assert_eq!(knock(&app, "GET", &path, None).await.0, 404);
    }
}

//! Bad input of every kind: a 4xx with a code and a sentence, never a 500.

use axum::body::Body;
use http::header::{CONTENT_SECURITY_POLICY, CONTENT_TYPE, COOKIE, HOST};
use http::{Request, StatusCode};
use serde_json::json;

use crate::instance::{Browser, Instance, PASSWORD};

fn raw(method: &str, path: &str, content_type: &str, body: impl Into<Body>) -> Request<Body> {
    let builder = Request::builder()
        .method(method)
        .uri(path)
        .header(HOST, "localhost:8080")
        .header(CONTENT_TYPE, content_type);
    builder.body(body.into()).expect("a request")
}

#[tokio::test]
async fn a_bad_body_is_refused_with_the_reason() {
    let (instance, _) = Instance::owned().await;
    let json = "application/json";
    let deep = "[".repeat(100_000);
    let large = format!("{{\"email\": \"{}\"}}", "x".repeat(2 * 1024 * 1024));
    let cases: [(&str, Vec<u8>, &str); 10] = [
        (
            json,
            b"{".to_vec(),
            "400 invalid_input: The input cannot be read: EOF while parsing an object at line 1 column 1.",
        ),
        (
            json,
            b"".to_vec(),
            "400 invalid_input: The body is empty; send a JSON object.",
        ),
        (
            json,
            b"[]".to_vec(),
            "400 invalid_input: The body must be a JSON object: { … }.",
        ),
        (
            json,
            b"{\"email\": 7, \"password\": \"x\"}".to_vec(),
            "400 invalid_input: `email`: invalid type: integer `7`, expected a string at line 1 column 11.",
        ),
        (
            json,
            b"{\"email\": \"a\"}".to_vec(),
            "400 invalid_input: `password` is missing.",
        ),
        (
            json,
            b"{\"email\": \"a\", \"password\": \"b\", \"admin\": true}".to_vec(),
            "400 invalid_input: `admin`: unknown field `admin`, expected `email` or `password` at line 1 column 39.",
        ),
        (
            json,
            b"{\"email\": \"a\", \"password\": \"b\"} extra".to_vec(),
            "400 invalid_input: There is something behind the JSON object: trailing characters at line 1 column 33.",
        ),
        (
            "text/plain",
            b"{\"email\": \"a\", \"password\": \"b\"}".to_vec(),
            "400 invalid_input: Send the body as JSON, with the header content-type: application/json.",
        ),
        (
            json,
            large.into_bytes(),
            "413 too_large: The body is larger than the 1048576 bytes allowed here.",
        ),
        (json, deep.into_bytes(), ""),
    ];
    for (content_type, body, expected) in cases {
        let answer = instance
            .send(raw("POST", "/admin/api/session", content_type, body))
            .await;
        assert_eq!(answer.headers[CONTENT_TYPE], "application/problem+json");
        if expected.is_empty() {
            assert_eq!(answer.status, StatusCode::BAD_REQUEST);
        } else {
            assert_eq!(answer.said(), expected);
        }
    }
}

#[tokio::test]
async fn a_body_that_is_not_utf8_is_refused() {
    let (instance, _) = Instance::owned().await;
    let json = "application/json";
    let invalid_utf8 = instance
        .send(raw(
            "POST",
            "/admin/api/session",
            json,
            b"{\"email\": \"\xff\"}".to_vec(),
        ))
        .await;
    assert_eq!(invalid_utf8.status, StatusCode::BAD_REQUEST);
}

#[tokio::test]
async fn a_bad_address_is_refused() {
    let (instance, ada) = Instance::owned().await;
    for (path, status) in [
        ("/admin/api/nothing", 404),
        ("/admin/api/audit?limit=many", 400),
        ("/admin/api/audit?limit=0", 400),
        ("/admin/api/audit?limit=10&limit=20", 400),
        ("/admin/api/audit?before=%FF%00", 200),
        ("/admin/api/session?expect=%FF", 400),
        ("/admin/api/session?other=1", 400),
    ] {
        let answer = ada.get(&instance, path).await;
        assert_eq!(answer.status.as_u16(), status, "{path}: {answer:?}");
        assert!(
            status == 200 || answer.body["code"].is_string(),
            "{path}: {answer:?}"
        );
    }
    let nowhere = ada
        .call(&instance, "POST", "/admin/api/nowhere", json!({}))
        .await
        .said();
    assert_eq!(
        nowhere,
        "404 not_found: There is nothing at this address of the API."
    );
    let unreadable = ada
        .call(&instance, "DELETE", "/admin/api/users/%FF", json!({}))
        .await
        .said();
    assert_eq!(unreadable, "404 not_found: The address is not valid UTF-8.");
    for (method, path) in [
        ("PUT", "/admin/api/session"),
        ("POST", "/admin/api/users/x"),
        ("DELETE", "/"),
        ("BREW", "/admin/api/users"),
    ] {
        let answer = ada.call(&instance, method, path, json!({})).await;
        assert_eq!(
            (answer.status.as_u16(), &answer.body["code"]),
            (405, &json!("invalid_input")),
            "{method} {path}"
        );
    }
}

#[tokio::test]
async fn a_bad_session_is_nobodys() {
    let (instance, _) = Instance::owned().await;
    for cookie in [
        "sitewright=",
        "sitewright=guess",
        "sitewright=\u{fc}",
        "a; b; sitewright",
        "__Host-sitewright=guess",
    ] {
        let mut request = crate::instance::request("GET", "/admin/api/account", None);
        request.headers_mut().insert(
            COOKIE,
            http::HeaderValue::from_bytes(cookie.as_bytes()).expect("a header"),
        );
        assert_eq!(
            instance.send(request).await.status.as_u16(),
            401,
            "{cookie}"
        );
    }
}

#[tokio::test]
async fn people_with_unusual_names_and_addresses_are_refused_or_kept_as_they_are() {
    let (instance, ada) = Instance::owned().await;
    let accepted = json!({ "email": "x@example.com", "role": "viewer", "name": "<script>alert(1)</script> \u{1f980}" });
    let made = ada
        .call(&instance, "POST", "/admin/api/users", accepted)
        .await
        .body;
    assert_eq!(made["user"]["name"], "<script>alert(1)</script> \u{1f980}");
    for (field, value) in [
        ("name", "a\nb".to_owned()),
        ("name", "x".repeat(101)),
        ("email", "not an address".to_owned()),
        ("email", "a@b.c\u{0}".to_owned()),
    ] {
        let mut body = json!({ "email": "y@example.com", "role": "viewer", "name": "Y" });
        body[field] = json!(value);
        let refused = ada.call(&instance, "POST", "/admin/api/users", body).await;
        assert_eq!(
            (refused.status.as_u16(), &refused.body["errors"][0]["field"]),
            (400, &json!(field))
        );
    }
    let taken = json!({ "email": "X@example.com", "role": "viewer" });
    let refused = ada
        .call(&instance, "POST", "/admin/api/users", taken)
        .await
        .said();
    assert_eq!(
        refused,
        "409 conflict: The address `x@example.com` is taken."
    );
}

#[tokio::test]
async fn every_answer_closes_what_need_not_be_open() {
    let (instance, ada) = Instance::owned().await;
    for path in [
        "/admin/api/session",
        "/admin/api/nothing",
        "/admin/settings/people",
    ] {
        let answer = ada.get(&instance, path).await;
        let policy = answer.headers[CONTENT_SECURITY_POLICY]
            .to_str()
            .expect("a policy");
        assert!(
            policy.starts_with("default-src 'none'; script-src 'self' 'wasm-unsafe-eval'"),
            "{path}"
        );
        assert!(!policy.contains("unsafe-inline"), "{path}");
        assert_eq!(answer.headers["x-content-type-options"], "nosniff");
        assert_eq!(answer.headers["x-frame-options"], "DENY");
    }
    let api = ada.get(&instance, "/admin/api/session").await;
    assert_eq!(api.headers["cache-control"], "no-store");
    for path in ["/admin", "/admin/", "/admin/settings/people"] {
        assert_ne!(
            ada.get(&instance, path).await.status.as_u16(),
            404,
            "{path}"
        );
    }
}

/// Pages of the site are shown in it, with whatever they hold.
#[tokio::test]
async fn the_frame_of_the_canvas_runs_nothing_and_is_framed_by_us_alone() {
    let (instance, ada) = Instance::owned().await;
    let answer = ada.get(&instance, "/admin/canvas.html").await;
    let policy = answer.headers[CONTENT_SECURITY_POLICY]
        .to_str()
        .expect("a policy");
    let directives: Vec<&str> = policy.split(';').map(str::trim).collect();
    for directive in [
        "default-src 'none'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'self'",
        "sandbox allow-same-origin",
    ] {
        assert!(directives.contains(&directive), "{directive}: {policy}");
    }
    // Whatever is not named falls back to nothing at all.
    assert!(
        !policy.contains("script-src") && !policy.contains("connect-src"),
        "{policy}"
    );
    assert_eq!(answer.headers["x-frame-options"], "SAMEORIGIN");
    assert_eq!(answer.headers["x-content-type-options"], "nosniff");
}

#[tokio::test]
async fn plain_http_over_a_network_refuses_the_password_before_it_is_checked() {
    let (instance, _) = Instance::owned().await;
    let mut request = crate::instance::request(
        "POST",
        "/admin/api/session",
        Some(json!({ "email": "ada@example.com", "password": PASSWORD })),
    );
    request
        .headers_mut()
        .insert(HOST, "sitewright.lan:8080".parse().expect("a header"));
    let refused = instance.send(request).await;
    assert_eq!(refused.status.as_u16(), 403);
    assert!(refused.headers.get("set-cookie").is_none());
    let mut page = crate::instance::request("GET", "/admin/api/session", None);
    page.headers_mut()
        .insert(HOST, "sitewright.lan:8080".parse().expect("a header"));
    let session = instance.send(page).await.body;
    assert_eq!(session["signInBlocked"], refused.body["detail"]);
}

#[tokio::test]
async fn before_set_up_everything_but_set_up_is_closed() {
    let instance = Instance::new().await;
    let start = Browser::default().get(&instance, "/").await;
    assert_eq!(
        (start.status.as_u16(), &start.headers["location"]),
        (303, &http::HeaderValue::from_static("/admin/setup"))
    );
    assert_eq!(
        Browser::default()
            .get(&instance, "/admin/api/session")
            .await
            .body["setupRequired"],
        true
    );
    assert_eq!(
        Browser::default()
            .get(&instance, "/admin/api/users")
            .await
            .status
            .as_u16(),
        401
    );
    let (instance, _) = Instance::owned().await;
    let start = Browser::default().get(&instance, "/").await;
    assert!(
        start
            .body
            .as_str()
            .is_some_and(|page| page.contains("Nothing is published here yet"))
    );
    assert_eq!(
        Browser::default()
            .get(&instance, "/some/page")
            .await
            .status
            .as_u16(),
        404
    );
}

#[tokio::test]
async fn the_numbers_are_for_this_machine_and_not_for_whoever_a_proxy_lets_in() {
    let ask = async |public: Option<&str>, host: &str, header: Option<&'static str>| {
        let instance = Instance::with(|settings| {
            settings.public_url = public.map(|url| url.parse().expect("a url"));
        })
        .await;
        let mut request = crate::instance::request("GET", "/metrics", None);
        request
            .headers_mut()
            .insert(HOST, host.parse().expect("a header"));
        if let Some(header) = header {
            request
                .headers_mut()
                .insert(header, "203.0.113.9".parse().expect("a header"));
        }
        let here = std::net::SocketAddr::from(([127, 0, 0, 1], 40_000));
        request
            .extensions_mut()
            .insert(sitewright_server::Peer::Network(here));
        instance.send(request).await.status.as_u16()
    };
    let public = Some("https://www.example.com");
    assert_eq!(ask(None, "127.0.0.1:8080", None).await, 200);
    for (public, host, header) in [
        (None, "www.example.com", None),
        (None, "127.0.0.1:8080", Some("x-forwarded-for")),
        (None, "127.0.0.1:8080", Some("forwarded")),
        (public, "127.0.0.1:8080", None),
        (public, "www.example.com", None),
    ] {
        assert_eq!(
            ask(public, host, header).await,
            403,
            "{public:?} {host} {header:?}"
        );
    }
}

//! An instance in a temporary folder, and a browser that keeps a cookie.

use std::net::SocketAddr;

use axum::Router;
use axum::body::Body;
use http::header::{AUTHORIZATION, CONTENT_TYPE, COOKIE, HOST, ORIGIN, SET_COOKIE};
use http::{HeaderMap, Request, StatusCode};
use http_body_util::BodyExt as _;
use serde_json::{Value, json};
use sitewright_server::{App, Peer, Settings, router};
use tower::ServiceExt as _;

pub(crate) const PASSWORD: &str = "correct horse battery";

pub(crate) struct Instance {
    pub(crate) app: App,
    pub(crate) router: Router,
    pub(crate) settings: Settings,
    _folder: tempfile::TempDir,
}

/// An answer, read to its end.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Value,
}

impl Answer {
    /// The status and, for a refusal, its code and sentence.
    pub(crate) fn said(&self) -> String {
        match (self.body["code"].as_str(), self.body["detail"].as_str()) {
            (Some(code), Some(detail)) => format!("{} {code}: {detail}", self.status.as_u16()),
            _ => self.status.as_u16().to_string(),
        }
    }
}

impl Instance {
    pub(crate) async fn new() -> Self {
        Self::with(|_| {}).await
    }

    pub(crate) async fn with(change: impl FnOnce(&mut Settings)) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mut settings = Settings {
            data: folder.path().to_owned(),
            // Nothing leaves the machine in tests.
            model_prices_url: "off".to_owned(),
            google_fonts_url: "off".to_owned(),
            ..Settings::default()
        };
        change(&mut settings);
        let app = App::open(settings.clone()).await.expect("an instance");
        Self {
            router: router(&app),
            app,
            settings,
            _folder: folder,
        }
    }

    /// An instance that Ada has set up, and her browser.
    pub(crate) async fn owned() -> (Self, Browser) {
        Self::owned_with(|_| {}).await
    }

    pub(crate) async fn owned_with(change: impl FnOnce(&mut Settings)) -> (Self, Browser) {
        let instance = Self::with(change).await;
        let owner = json!({ "email": "ada@example.com", "name": "Ada", "password": PASSWORD, "siteName": "Engines", "firstSite": "bare" });
        let done = instance
            .local("POST", "/admin/api/setup/local", owner)
            .await;
        assert_eq!(done.said(), "200");
        let mut browser = Browser::default();
        assert_eq!(
            browser
                .sign_in(&instance, "ada@example.com", PASSWORD)
                .await
                .said(),
            "200"
        );
        (instance, browser)
    }

    /// The same instance after a start with other settings, or seen by another process.
    pub(crate) async fn opened_again(self, change: impl FnOnce(&mut Settings)) -> Self {
        let mut settings = self.settings.clone();
        change(&mut settings);
        let app = App::open(settings).await.expect("an instance");
        Self {
            router: router(&app),
            app,
            ..self
        }
    }

    /// A call of the machine itself.
    pub(crate) async fn local(&self, method: &str, path: &str, body: Value) -> Answer {
        let mut request = request(method, path, Some(body));
        request.extensions_mut().insert(Peer::Local);
        self.send(request).await
    }

    /// A call with a token.
    pub(crate) async fn with_token(
        &self,
        token: &str,
        method: &str,
        path: &str,
        body: Value,
    ) -> Answer {
        let mut request = request(method, path, Some(body));
        let header = format!("Bearer {token}").parse().expect("a header");
        request.headers_mut().insert(AUTHORIZATION, header);
        self.send(request).await
    }

    /// Adds somebody who has a password, and returns their browser.
    pub(crate) async fn member(&self, email: &str, role: &str) -> Browser {
        let body = json!({ "email": email, "role": role, "password": PASSWORD });
        assert_eq!(
            self.local("POST", "/admin/api/users", body).await.said(),
            "200"
        );
        let mut browser = Browser::default();
        assert_eq!(browser.sign_in(self, email, PASSWORD).await.said(), "200");
        browser
    }

    pub(crate) async fn send(&self, mut request: Request<Body>) -> Answer {
        let visitor = Peer::Network(SocketAddr::from(([192, 0, 2, 7], 40_000)));
        if request.extensions().get::<Peer>().is_none() {
            request.extensions_mut().insert(visitor);
        }
        let response = self
            .router
            .clone()
            .oneshot(request)
            .await
            .expect("an answer");
        let (parts, body) = response.into_parts();
        let bytes = body.collect().await.expect("a body").to_bytes();
        let body = serde_json::from_slice(&bytes)
            .unwrap_or_else(|_| Value::String(String::from_utf8_lossy(&bytes).into_owned()));
        Answer {
            status: parts.status,
            headers: parts.headers,
            body,
        }
    }
}

/// A browser: a cookie, the token its page knows, and the address it was opened at.
#[derive(Debug, Default, Clone)]
pub(crate) struct Browser {
    pub(crate) cookie: Option<String>,
    pub(crate) csrf: Option<String>,
}

impl Browser {
    pub(crate) async fn sign_in(
        &mut self,
        instance: &Instance,
        email: &str,
        password: &str,
    ) -> Answer {
        let answer = self
            .call(
                instance,
                "POST",
                "/admin/api/session",
                json!({ "email": email, "password": password }),
            )
            .await;
        self.keep(&answer);
        answer
    }

    /// Keeps what an answer gave: the cookie and the page's token.
    pub(crate) fn keep(&mut self, answer: &Answer) {
        if let Some(cookie) = answer.headers.get(SET_COOKIE) {
            let text = cookie.to_str().expect("a cookie");
            self.cookie = text.split(';').next().map(str::to_owned);
            self.csrf = answer.body["csrfToken"].as_str().map(str::to_owned);
        }
    }

    pub(crate) async fn get(&self, instance: &Instance, path: &str) -> Answer {
        instance.send(self.dress(request("GET", path, None))).await
    }

    pub(crate) async fn call(
        &self,
        instance: &Instance,
        method: &str,
        path: &str,
        body: Value,
    ) -> Answer {
        instance
            .send(self.dress(request(method, path, Some(body))))
            .await
    }

    pub(crate) fn dress(&self, mut request: Request<Body>) -> Request<Body> {
        let headers = request.headers_mut();
        headers.insert(ORIGIN, "http://localhost:8080".parse().expect("a header"));
        if let Some(cookie) = &self.cookie {
            headers.insert(COOKIE, cookie.parse().expect("a header"));
        }
        if let Some(csrf) = &self.csrf {
            headers.insert("x-csrf-token", csrf.parse().expect("a header"));
        }
        request
    }
}

pub(crate) fn request(method: &str, path: &str, body: Option<Value>) -> Request<Body> {
    let builder = Request::builder()
        .method(method)
        .uri(path)
        .header(HOST, "localhost:8080");
    match body {
        Some(body) if method != "DELETE" => builder
            .header(CONTENT_TYPE, "application/json")
            .body(Body::from(body.to_string()))
            .expect("a request"),
        _ => builder.body(Body::empty()).expect("a request"),
    }
}

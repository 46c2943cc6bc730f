//! Knocks at every route of the table as everyone who could, and compares the whole table of answers with the reviewed one.

use std::fmt::Write as _;

use axum::body::Body;
use http::{Method, Request, StatusCode};
use sitewright_store::{
    BuiltInRole, NewOwner, NewSession, NewToken, NewUser, SiteId, Stamp, Timestamp, TokenKind,
    UserId,
};
use sitewright_tool::CapabilitySet;
use tower::ServiceExt as _;

use crate::caller::CSRF_HEADER;
use crate::route::{AgentAccess, Hosts, Route};
use crate::router::router;
use crate::{App, Settings, routes};

/// The headers by which a caller is known.
type Credentials = Vec<(&'static str, String)>;

async fn app(settings: Settings) -> (App, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let settings = Settings {
        data: folder.path().to_owned(),
        ..settings
    };
    (App::open(settings).await.unwrap(), folder)
}

async fn token(app: &App, site: &SiteId, kind: TokenKind) -> Credentials {
    token_of(app, site, kind, None).await
}

async fn token_of(
    app: &App,
    site: &SiteId,
    kind: TokenKind,
    maker: Option<&UserId>,
) -> Credentials {
    let new = NewToken {
        site,
        name: "t",
        kind,
        capabilities: CapabilitySet::all(),
        maker,
        parent: None,
        expires_at: None,
    };
    let by = Stamp::local(Timestamp::now());
    let (secret, _) = app.store().create_token(new, &by).await.unwrap();
    vec![("authorization", format!("Bearer {}", secret.expose()))]
}

async fn person(app: &App, site: &SiteId, email: &str) -> Credentials {
    let by = Stamp::local(Timestamp::now());
    let new = NewUser {
        email,
        name: "Vera",
        password_hash: None,
        role: BuiltInRole::Viewer.key(),
    };
    let user = app.store().add_member(site, new, &by).await.unwrap();
    let new = NewSession {
        user: &user.user.id,
        site,
        user_agent: "",
        address: "",
    };
    let made = app.store().create_session(new, Timestamp::now()).await;
    let (secret, session) = made.unwrap();
    vec![
        ("cookie", format!("sitewright={}", secret.expose())),
        (CSRF_HEADER, session.csrf_token),
    ]
}

async fn knock(app: &App, route: &Route, host: &str, as_whom: &Credentials) -> StatusCode {
    let path = route
        .path
        .replace(['{', '}'], "")
        .replace("scope", "site")
        .replace("seq", "1");
    let mut request = Request::builder()
        .method(&route.method)
        .uri(path)
        .header("host", host);
    for (name, value) in as_whom {
        request = request.header(*name, value);
    }
    let response = router(app).oneshot(request.body(Body::empty()).unwrap());
    response.await.unwrap().status()
}

/// `no` when nobody is known, `-` when it is not for this caller, and `+` when the handler decides.
fn word(status: StatusCode) -> &'static str {
    match status {
        StatusCode::UNAUTHORIZED => "no",
        StatusCode::FORBIDDEN => "-",
        _ => "+",
    }
}

/// H1, H2: a route that an agent may use without the pipeline would show here as `+` in the column of agents.
#[tokio::test]
async fn every_route_says_whom_it_lets_in() {
    let (app, _folder) = app(Settings::default()).await;
    let site = app.store().sites().await.unwrap().remove(0).id;
    let owner = NewOwner {
        email: "owner@example.com",
        name: "Olga",
        password_hash: "",
        site_name: "Site",
    };
    let by = Stamp::local(Timestamp::now());
    app.store().set_up(owner, &by).await.unwrap();
    let viewer = person(&app, &site, "viewer@example.com").await;
    let removed = person(&app, &site, "removed@example.com").await;
    let left = app.store().user_by_email("removed@example.com").await;
    let left = left.unwrap().unwrap().id;
    let left_token = token_of(&app, &site, TokenKind::Script, Some(&left)).await;
    app.store().remove_member(&site, &left, &by).await.unwrap();
    let callers = [
        Credentials::new(),
        viewer,
        token(&app, &site, TokenKind::Agent).await,
        token(&app, &site, TokenKind::Script).await,
        removed,
        left_token,
    ];
    let mut table = format!(
        "{:<7} {:<66} {:<7} {:<7} {:<7} {:<7} {:<7} their token\n",
        "method", "path", "nobody", "viewer", "agent", "script", "removed"
    );
    let mut all = routes::all();
    all.sort_by_key(|route| (route.path, route.method.to_string()));
    for route in all {
        // Ends the session that knocks.
        let ends_session = ["/admin/api/session", "/admin/api/account"].contains(&route.path);
        if route.method == Method::DELETE && ends_session {
            continue;
        }
        write!(table, "{:<7} {:<66}", route.method.as_str(), route.path).unwrap();
        for caller in &callers {
            let status = knock(&app, &route, "localhost", caller).await;
            write!(table, " {:<7}", word(status)).unwrap();
        }
        table.truncate(table.trim_end().len());
        table.push('\n');
    }
    insta::assert_snapshot!(table);
}

/// H1: what is not a read is closed to agents unless the route says otherwise, whatever their token allows.
#[tokio::test]
async fn h1_agents_change_nothing_but_by_the_pipeline() {
    let (app, _folder) = app(Settings::default()).await;
    let site = app.store().sites().await.unwrap().remove(0).id;
    let agent = token(&app, &site, TokenKind::Agent).await;
    for route in routes::all() {
        let status = knock(&app, &route, "localhost", &agent).await;
        if route.agents == AgentAccess::Closed {
            assert!(
                status == 403 || status == 401,
                "{} {}: {status}",
                route.method,
                route.path
            );
        }
    }
}

/// M5: the APIs answer on the administration's host name only, wherever their path begins.
#[tokio::test]
async fn m5_the_public_host_serves_no_api() {
    let settings = Settings {
        public_url: Some("https://www.example.com".parse().unwrap()),
        admin_url: Some("https://admin.example.com".parse().unwrap()),
        ..Settings::default()
    };
    let (app, _folder) = app(settings).await;
    let site = app.store().sites().await.unwrap().remove(0).id;
    let script = token(&app, &site, TokenKind::Script).await;
    let admin = routes::all()
        .into_iter()
        .filter(|route| route.hosts == Hosts::Admin);
    for route in admin {
        let status = knock(&app, &route, "www.example.com", &script).await;
        assert_eq!(status, 404, "{} {}", route.method, route.path);
    }
    let shared = routes::all()
        .into_iter()
        .filter(|route| route.hosts == Hosts::Every);
    let shared: Vec<&str> = shared.map(|route| route.path).collect();
    insta::assert_debug_snapshot!(shared);
}

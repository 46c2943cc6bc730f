//! Publishing over HTTP: what the dialog shows, who may, what visitors get, going back, and links to drafts.

use http::Request;
use http::header::{ACCEPT_ENCODING, IF_NONE_MATCH};
use serde_json::{Value, json};
use sitewright_server::Peer;

use crate::instance::{Answer, Browser, Instance, request};

const PUBLISH: &str = "/admin/api/site/publish";
const RELEASES: &str = "/admin/api/site/releases";

async fn tool(instance: &Instance, ada: &Browser, name: &str, arguments: Value) -> Value {
    let call = json!({ "tool": name, "scope": "site", "arguments": arguments, "confirmed": true });
    let answer = ada.call(instance, "POST", "/tools/call", call).await.body;
    assert_eq!(answer["ok"], true, "{answer}");
    answer["data"].clone()
}

/// Adds a page with a heading, and tells its id.
async fn page(instance: &Instance, ada: &Browser, title: &str) -> String {
    let added = tool(instance, ada, "addPage", json!({ "title": title })).await;
    let id = added["pageId"].as_str().expect("an id").to_owned();
    write(instance, ada, &id, &format!("<h1>{title}</h1>")).await;
    id
}

async fn write(instance: &Instance, ada: &Browser, page: &str, html: &str) {
    let path = format!("/admin/api/site/document?body={page}");
    let document = ada.get(instance, &path).await.body;
    let root = document["body"]["nodes"][0]["id"].clone();
    let at = json!({ "parentId": root, "html": html });
    tool(instance, ada, "insertHtml", at).await;
}

async fn visit(instance: &Instance, path: &str) -> Answer {
    instance.send(request("GET", path, None)).await
}

fn header(answer: &Answer, name: &str) -> Option<String> {
    let value = answer.headers.get(name);
    value.map(|value| value.to_str().expect("text").to_owned())
}

async fn publish(instance: &Instance, browser: &Browser, body: Value) -> Answer {
    browser.call(instance, "POST", PUBLISH, body).await
}

async fn agent_token(instance: &Instance, ada: &Browser) -> String {
    let body = json!({ "name": "Claude", "kind": "agent", "capabilities": ["all"] });
    let made = ada.call(instance, "POST", "/admin/api/tokens", body).await;
    made.body["token"].as_str().expect("a token").to_owned()
}

#[tokio::test]
async fn the_dialog_lists_what_would_change_and_each_can_be_left_out() {
    let (instance, ada) = Instance::owned().await;
    page(&instance, &ada, "About").await;
    page(&instance, &ada, "News").await;
    let shown = ada.get(&instance, PUBLISH).await.body;
    let addresses = |shown: &Value| -> Vec<String> {
        let changes = shown["changes"].as_array().expect("a list").iter();
        changes
            .map(|change| format!("{} {}", change["change"], change["address"]))
            .collect()
    };
    assert_eq!(
        addresses(&shown),
        [
            "\"new\" \"/\"",
            "\"new\" \"/404.html\"",
            "\"new\" \"/about\"",
            "\"new\" \"/news\""
        ]
    );
    let author = &shown["changes"][2]["authors"][0];
    assert_eq!(
        (&author["kind"], &author["name"]),
        (&json!("person"), &json!("Ada"))
    );
    assert_eq!(shown.get("release"), None);
    let wish = json!({ "leaveOut": ["/news"], "version": shown["version"], "note": "First" });
    let published = publish(&instance, &ada, wish.clone()).await;
    assert_eq!(published.said(), "200");
    let body = &published.body;
    assert_eq!(
        (&body["release"], &body["isNew"], &body["pages"]),
        (&json!(1), &json!(true), &json!(2))
    );
    assert_eq!(visit(&instance, "/about").await.status, 200);
    assert_eq!(visit(&instance, "/news").await.status, 404);
    assert_eq!(
        addresses(&ada.get(&instance, PUBLISH).await.body),
        ["\"new\" \"/news\""]
    );
    let stale = publish(&instance, &ada, wish).await;
    assert_eq!(
        stale.said(),
        "409 conflict: The site or what is published of it changed since you looked; look at what would change again, then publish."
    );
    let wrong = publish(&instance, &ada, json!({ "leaveOut": ["/nowhere"] })).await;
    assert!(
        wrong
            .said()
            .starts_with("400 invalid_input: `leaveOut`: there is no page at `/nowhere`"),
        "{}",
        wrong.said()
    );
}

#[tokio::test]
async fn editors_publish_viewers_do_not_and_agents_ask() {
    let (instance, ada) = Instance::owned().await;
    let token = agent_token(&instance, &ada).await;
    let asked = instance
        .with_token(&token, "POST", PUBLISH, json!({}))
        .await;
    assert_eq!(asked.body["code"], "approval_required", "{asked:?}");
    let link = asked.body["approval"]["link"].as_str().expect("a link");
    let id = asked.body["approval"]["id"].as_str().expect("an id");
    assert!(link.ends_with(&format!("/admin/approvals/{id}")), "{link}");
    assert_eq!(visit(&instance, "/about").await.status, 404);
    let viewer = instance.member("vera@example.com", "viewer").await;
    assert_eq!(publish(&instance, &viewer, json!({})).await.status, 403);
    assert_eq!(viewer.get(&instance, PUBLISH).await.status, 200);
    let editor = instance.member("ed@example.com", "editor").await;
    let published = publish(&instance, &editor, json!({})).await;
    assert_eq!(published.said(), "200");
    let listed = ada.get(&instance, RELEASES).await.body;
    let release = &listed["releases"][0];
    assert_eq!(
        (&release["byName"], &release["isCurrent"]),
        (&json!("ed"), &json!(true))
    );
    // What the agent asked for has been done by somebody else, so a yes comes too late.
    let path = format!("/admin/api/approvals/{id}");
    let yes = ada.call(&instance, "POST", &path, json!({ "decision": "approve" }));
    let call = &yes.await.body["calls"][0];
    assert_eq!(call["state"], "failed", "{call}");
}

#[tokio::test]
async fn an_earlier_release_is_shown_again() {
    let (instance, ada) = Instance::owned().await;
    publish(&instance, &ada, json!({})).await;
    page(&instance, &ada, "About").await;
    publish(&instance, &ada, json!({})).await;
    let listed = ada.get(&instance, RELEASES).await.body["releases"].clone();
    let numbers: Vec<&Value> = listed
        .as_array()
        .expect("a list")
        .iter()
        .map(|release| &release["number"])
        .collect();
    assert_eq!(numbers, [2, 1]);
    let path = format!(
        "{RELEASES}/{}/restore",
        listed[1]["id"].as_str().expect("an id")
    );
    let restored = ada.call(&instance, "POST", &path, json!({})).await;
    assert_eq!(
        (&restored.body["release"], &restored.body["before"]),
        (&json!(1), &json!(2))
    );
    assert_eq!(visit(&instance, "/about").await.status, 404);
    let listed = ada
        .get(&instance, &format!("{RELEASES}?limit=1"))
        .await
        .body;
    assert_eq!(
        (&listed["releases"][0]["isCurrent"], &listed["next"]),
        (&json!(false), &json!(2))
    );
    let nope = format!("{RELEASES}/nope/restore");
    let unknown = ada.call(&instance, "POST", &nope, json!({})).await;
    assert_eq!(unknown.said(), "404 not_found: There is no such release.");
    let viewer = instance.member("vera@example.com", "viewer").await;
    assert_eq!(
        viewer
            .call(&instance, "POST", &path, json!({}))
            .await
            .status,
        403
    );
}

#[tokio::test]
async fn visitors_get_pages_as_browsers_want_them() {
    let (instance, ada) = Instance::owned().await;
    let nothing = visit(&instance, "/").await;
    assert_eq!(nothing.status, 200);
    assert!(
        nothing
            .body
            .as_str()
            .is_some_and(|html| html.contains("Nothing is published here yet"))
    );
    let about = page(&instance, &ada, "About").await;
    write(
        &instance,
        &ada,
        &about,
        &"<p>Long enough to be compressed.</p>".repeat(50),
    )
    .await;
    publish(&instance, &ada, json!({})).await;
    let plain = visit(&instance, "/about").await;
    for (name, expected) in [
        ("content-type", "text/html; charset=utf-8"),
        ("cache-control", "public, max-age=0, must-revalidate"),
        ("vary", "accept-encoding"),
        ("x-content-type-options", "nosniff"),
        (
            "content-security-policy",
            "script-src 'none'; object-src 'none'; base-uri 'self'; form-action 'self'; frame-src 'self'; frame-ancestors 'self'",
        ),
    ] {
        assert_eq!(header(&plain, name).as_deref(), Some(expected), "{name}");
    }
    let with = |headers: Vec<(http::HeaderName, String)>| {
        let mut visit = request("GET", "/about", None);
        for (name, value) in headers {
            visit
                .headers_mut()
                .insert(name, value.parse().expect("a value"));
        }
        instance.send(visit)
    };
    for (wish, expected) in [("gzip", "gzip"), ("gzip, br", "br")] {
        let packed = with(vec![(ACCEPT_ENCODING, wish.to_owned())]).await;
        assert_eq!(
            header(&packed, "content-encoding").as_deref(),
            Some(expected)
        );
        let tag = header(&packed, "etag").expect("a tag");
        assert_ne!(Some(&tag), header(&plain, "etag").as_ref());
        let again = with(vec![
            (ACCEPT_ENCODING, wish.to_owned()),
            (IF_NONE_MATCH, tag),
        ])
        .await;
        assert_eq!(again.status, 304);
    }
    // What only other encodings could shorten is sent as it is, not compressed anew.
    let other = with(vec![(ACCEPT_ENCODING, "zstd, deflate".to_owned())]).await;
    assert_eq!(header(&other, "content-encoding"), None);
}

#[tokio::test]
async fn addresses_that_are_none_lead_nowhere_and_a_head_has_no_body() {
    let (instance, ada) = Instance::owned().await;
    page(&instance, &ada, "About").await;
    publish(&instance, &ada, json!({})).await;
    let plain = visit(&instance, "/about").await;
    let slash = visit(&instance, "/about/?a=b").await;
    assert_eq!(
        (slash.status.as_u16(), header(&slash, "location").as_deref()),
        (308, Some("/about?a=b"))
    );
    let gone = visit(&instance, "/nowhere").await;
    assert_eq!(gone.status, 404);
    assert!(
        gone.body
            .as_str()
            .is_some_and(|html| html.contains("Engines")),
        "{gone:?}"
    );
    let posted = instance
        .send(request("POST", "/about", Some(json!({}))))
        .await;
    assert_eq!(posted.status, 405);
    let head = instance.send(request("HEAD", "/about", None)).await;
    assert_eq!((head.status.as_u16(), &head.body), (200, &json!("")));
    assert_eq!(
        header(&head, "content-length"),
        header(&plain, "content-length")
    );
}

#[tokio::test]
async fn code_of_pages_is_free_only_on_a_host_of_its_own() {
    let policy = async |admin_url: Option<&str>, host: &str| {
        let (instance, ada) = Instance::owned_with(|settings| {
            settings.admin_url = admin_url.map(|url| url.parse().expect("an address"));
        })
        .await;
        let local = async |path: &str, body: Value| {
            let mut request = request("POST", path, Some(body));
            request.extensions_mut().insert(Peer::Local);
            instance.send(request).await
        };
        drop(ada);
        let code = json!({ "headCode": "<script>x()</script>" });
        let call = json!({ "tool": "updateSiteSettings", "arguments": code, "confirmed": true });
        assert_eq!(local("/tools/call", call).await.body["ok"], true);
        assert_eq!(local(PUBLISH, json!({})).await.status, 200);
        let visit = Request::builder().uri("/").header("host", host);
        let answer = instance.send(visit.body(axum::body::Body::empty()).expect("a request"));
        let answer = answer.await;
        let policy = answer.headers.get("content-security-policy");
        policy.map(|policy| policy.to_str().expect("text").to_owned())
    };
    // H3: on a host of its own, the scripts that were published may run and no others.
    let hash = "'sha256-D6IGS8VMvCoyaR/l0h9tERrBTATY01CoPS7l6xDv0kI='";
    let listed = format!(
        "script-src 'self' https: 'unsafe-eval' {hash}; object-src 'none'; base-uri 'self'"
    );
    let closed = "form-action 'self'; frame-src 'self'; frame-ancestors 'self'";
    let sandbox = Some(format!(
        "sandbox allow-scripts allow-forms allow-popups; {listed}; {closed}"
    ));
    assert_eq!(policy(None, "localhost:8080").await, sandbox);
    let admin = Some("http://localhost:8080");
    assert_eq!(
        policy(admin, "localhost:8080").await,
        sandbox,
        "pages on the administration's host"
    );
    assert_eq!(policy(admin, "www.example.com").await, Some(listed));
}

#[tokio::test]
async fn files_of_a_release_can_be_fetched_and_are_never_shown() {
    let (instance, ada) = Instance::owned().await;
    let none = ada
        .get(&instance, &format!("{RELEASES}/current/files"))
        .await;
    assert!(
        none.said()
            .starts_with("404 not_found: Nothing has been published yet."),
        "{}",
        none.said()
    );
    let about = page(&instance, &ada, "About").await;
    write(
        &instance,
        &ada,
        &about,
        "<img src=\"/uploads/abc/320.jpg\" alt=\"\">",
    )
    .await;
    publish(&instance, &ada, json!({})).await;
    let listed = ada
        .get(&instance, &format!("{RELEASES}/current/files"))
        .await
        .body;
    let paths: Vec<&str> = listed["files"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|file| file["path"].as_str())
        .collect();
    assert_eq!(
        paths,
        [
            "404.html",
            "about/index.html",
            "index.html",
            "robots.txt",
            "_headers",
            "nginx-headers.conf"
        ]
    );
    assert_eq!(listed["uploads"], json!(["/uploads/abc/320.jpg"]));
    let file = ada
        .get(
            &instance,
            &format!("{RELEASES}/current/file?address=%2Fabout"),
        )
        .await;
    assert_eq!(file.headers["content-type"], "application/octet-stream");
    assert_eq!(file.headers["content-disposition"], "attachment");
    assert_eq!(file.body, visit(&instance, "/about").await.body);
    let secret = ada
        .get(
            &instance,
            &format!("{RELEASES}/current/file?address=%2F..%2Fsecret.key"),
        )
        .await;
    assert_eq!(secret.status, 404);
}

#[tokio::test]
async fn a_link_shows_the_draft_until_it_expires() {
    let (instance, ada) = Instance::owned().await;
    let about = page(&instance, &ada, "About").await;
    let make = async |body: Value| {
        ada.call(&instance, "POST", "/admin/api/site/preview-link", body)
            .await
    };
    let link = make(json!({ "pageId": about, "hours": 1 })).await.body;
    let url = link["url"].as_str().expect("an address");
    let path = url.find("/preview/").map(|at| &url[at..]).expect("a path");
    let draft = visit(&instance, path).await;
    assert_eq!(draft.status, 200);
    assert!(
        draft
            .body
            .as_str()
            .is_some_and(|html| html.contains("<h1>About</h1>")),
        "{draft:?}"
    );
    for (name, expected) in [
        ("x-robots-tag", "noindex"),
        ("cache-control", "no-store"),
        ("referrer-policy", "no-referrer"),
        (
            "content-security-policy",
            "sandbox allow-scripts allow-forms allow-popups; script-src 'none'; object-src 'none'; base-uri 'self'; \
             form-action 'self'; frame-src 'self'; frame-ancestors 'self'",
        ),
    ] {
        assert_eq!(draft.headers[name], expected);
    }
    write(&instance, &ada, &about, "<p>Newer</p>").await;
    let newer = visit(&instance, path).await;
    assert!(
        newer
            .body
            .as_str()
            .is_some_and(|html| html.contains("Newer")),
        "it is the draft as it is"
    );
    assert_eq!(
        visit(&instance, "/about").await.status,
        404,
        "and nothing is published"
    );
    let (start, end) = path.split_at(path.len() - 10);
    let other = if end.starts_with('A') { 'B' } else { 'A' };
    let forged = format!("{start}{other}{}", &end[1..]);
    for wrong in [forged.as_str(), "/preview/x", "/preview/..%2f..%2fetc"] {
        assert_eq!(visit(&instance, wrong).await.status, 404, "{wrong}");
    }
    tool(&instance, &ada, "deletePage", json!({ "pageId": about })).await;
    assert_eq!(visit(&instance, path).await.status, 404);
}

#[tokio::test]
async fn a_link_is_made_by_those_who_may_change_the_page() {
    let (instance, ada) = Instance::owned().await;
    let about = page(&instance, &ada, "About").await;
    let make = async |body: Value| {
        ada.call(&instance, "POST", "/admin/api/site/preview-link", body)
            .await
    };
    for (body, expected) in [
        (
            json!({ "pageId": about, "hours": 0 }),
            "400 invalid_input: `hours` must be from 1 to 720.",
        ),
        (
            json!({ "pageId": about, "hours": 721 }),
            "400 invalid_input: `hours` must be from 1 to 720.",
        ),
        (
            json!({ "pageId": "aaaaaaaaaaaa" }),
            "404 not_found: There is no page aaaaaaaaaaaa.",
        ),
    ] {
        assert_eq!(make(body).await.said(), expected);
    }
    let viewer = instance.member("vera@example.com", "viewer").await;
    let refused = viewer.call(
        &instance,
        "POST",
        "/admin/api/site/preview-link",
        json!({ "pageId": about }),
    );
    assert_eq!(refused.await.status, 403);
}

//! Code on pages over HTTP: what an agent without the capability for it cannot bring, and the headers that pages are sent with.

use http::Request;
use serde_json::{Value, json};
use sitewright_markup::html::{HtmlLimits, find_code};

use crate::instance::{Answer, Browser, Instance, request};

const PUBLISH: &str = "/admin/api/site/publish";
const ATTACK: &str = "</noscript><img src=x onerror=alert(1)>";

async fn visit(instance: &Instance, path: &str) -> Answer {
    instance.send(request("GET", path, None)).await
}

/// The token of an agent that may change the site and write no code.
async fn editor_token(instance: &Instance, ada: &Browser) -> String {
    let body = json!({ "name": "Claude", "kind": "agent", "capabilities": ["site.read", "site.write", "tools.call"] });
    let made = ada.call(instance, "POST", "/admin/api/tokens", body).await;
    made.body["token"].as_str().expect("a token").to_owned()
}

/// The home page and the root of its tree.
async fn home(instance: &Instance, ada: &Browser) -> (Value, Value) {
    let pages = ada.get(instance, "/admin/api/site/document").await.body;
    let page = pages["shell"]["shell"]["pages"][0][0].clone();
    let id = page.as_str().expect("a page");
    let path = format!("/admin/api/site/document?body={id}");
    let document = ada.get(instance, &path).await.body;
    (page, document["body"]["nodes"][0]["id"].clone())
}

fn runs_nothing(html: &str) {
    let found = find_code(html, &HtmlLimits::default()).expect("a page");
    assert!(found.is_empty(), "{found:?} in {html}");
}

/// H3, row 5, end to end: two ordinary tools of an agent, then the page as visitors get it and as a preview.
#[tokio::test]
async fn h3_an_agents_tools_bring_no_code_to_visitors() {
    let (instance, ada) = Instance::owned().await;
    let (page, root) = home(&instance, &ada).await;
    let token = editor_token(&instance, &ada).await;
    let call = async |tool: &str, arguments: Value| {
        let call = json!({ "tool": tool, "scope": "site", "arguments": arguments });
        instance
            .with_token(&token, "POST", "/tools/call", call)
            .await
            .body
    };
    let html = "<noscript><xmp>{page.title}</xmp></noscript><p>Hello</p>";
    let inserted = call("insertHtml", json!({ "parentId": root, "html": html })).await;
    assert_eq!(inserted["ok"], true, "{inserted}");
    let renamed = call("renamePage", json!({ "pageId": page, "title": ATTACK })).await;
    assert_eq!(renamed["ok"], true, "{renamed}");
    let compared = ada.get(&instance, PUBLISH).await.body;
    assert_eq!(compared["changes"][0]["hasScripts"], false, "{compared}");
    let published = ada.call(&instance, "POST", PUBLISH, json!({})).await;
    assert_eq!(published.status, 200, "{published:?}");
    let shown = visit(&instance, "/").await;
    let shown = shown.body.as_str().expect("a page");
    assert!(shown.contains("<p>Hello</p>"), "{shown}");
    runs_nothing(shown);
    let link = json!({ "pageId": page });
    let link = ada
        .call(&instance, "POST", "/admin/api/site/preview-link", link)
        .await;
    let url = link.body["url"].as_str().expect("an address");
    let path = url.find("/preview/").map(|at| &url[at..]).expect("a path");
    runs_nothing(visit(&instance, path).await.body.as_str().expect("a page"));
}

/// H3, rows 1 to 4, as the ops that an agent's token could send by itself.
#[tokio::test]
async fn h3_ops_from_outside_bring_no_code_to_visitors() {
    let (instance, ada) = Instance::owned().await;
    let (page, root) = home(&instance, &ada).await;
    let comment = json!({ "comment": format!("</title></xmp>{ATTACK}") });
    let nodes = |tag: &str| {
        json!([
            { "id": "0000000000a1", "node": { "kind": { "element": { "tag": tag } } } },
            { "id": "0000000000a2", "parent": 0, "node": { "kind": { "element": { "tag": "p" } } } },
            { "id": "0000000000a3", "parent": 1, "node": { "kind": comment } },
        ])
    };
    let insert = |nodes: Value| {
        json!({ "op": "insert",
        "new": { "type": "nodes", "body": page, "nodes": nodes, "place": { "parent": root } } })
    };
    let send = async |id: &str, op: Value| {
        let change = json!({ "id": id, "summary": "s", "format": 1, "ops": [op] });
        ada.call(&instance, "POST", "/admin/api/site/changes", change)
            .await
    };
    for tag in ["TITLE", "XMP", "NOSCRIPT", "Textarea"] {
        let refused = send(&format!("change-{tag}"), insert(nodes(tag))).await;
        assert!(refused.status.is_client_error(), "{tag}: {refused:?}");
    }
    assert_eq!(send("change-div", insert(nodes("div"))).await.status, 200);
    let rename = json!({ "op": "put", "field": "tag", "value": "noscript",
        "entity": { "type": "node", "body": page, "node": "0000000000a1" } });
    assert_eq!(send("change-tag", rename).await.status, 200);
    assert_eq!(
        ada.call(&instance, "POST", PUBLISH, json!({})).await.status,
        200
    );
    let shown = visit(&instance, "/").await;
    runs_nothing(shown.body.as_str().expect("a page"));
}

fn header(answer: &Answer, name: &str) -> Option<String> {
    let value = answer.headers.get(name);
    value.map(|value| value.to_str().expect("text").to_owned())
}

/// L6: https stays https, for visitors and for the administration.
#[tokio::test]
async fn l6_browsers_are_told_to_stay_on_https() {
    let told = async |public: Option<&str>, admin: Option<&str>| {
        let url = |url: Option<&str>| url.map(|url| url.parse().expect("an address"));
        let instance = Instance::with(|settings| {
            settings.public_url = url(public);
            settings.admin_url = url(admin);
        })
        .await;
        let host = |host: &str, path: &str| {
            let request = Request::builder().uri(path.to_owned()).header("host", host);
            request.body(axum::body::Body::empty()).expect("a request")
        };
        let public = instance.send(host("www.example.com", "/")).await;
        let admin = instance
            .send(host("admin.example.com", "/admin/api/session"))
            .await;
        let name = "strict-transport-security";
        (header(&public, name), header(&admin, name))
    };
    let year = Some("max-age=31536000".to_owned());
    assert_eq!(told(None, None).await, (None, None));
    let https = Some("https://www.example.com");
    assert_eq!(told(https, None).await, (year.clone(), year.clone()));
    let admin = Some("https://admin.example.com");
    let http = Some("http://www.example.com");
    assert_eq!(told(http, admin).await, (None, year));
}

//! The documents of the site over HTTP.

use axum::body::Body;
use http_body_util::BodyExt as _;
use serde_json::{Value, json};
use tower::ServiceExt as _;

use crate::instance::{Browser, Instance, request};

const DOCUMENT: &str = "/admin/api/site/document";
const CHANGES: &str = "/admin/api/site/changes";

/// The home page and its root.
async fn home(instance: &Instance, browser: &Browser) -> (String, String) {
    let shell = browser.get(instance, DOCUMENT).await;
    assert_eq!(shell.said(), "200");
    let id = shell.body["shell"]["shell"]["pages"][0][0]
        .as_str()
        .expect("a page")
        .to_owned();
    let body = browser
        .get(instance, &format!("{DOCUMENT}?body={id}"))
        .await;
    let root = body.body["body"]["nodes"][0]["id"]
        .as_str()
        .expect("a root")
        .to_owned();
    (id, root)
}

fn retitle(id: &str, page: &str, title: &str) -> Value {
    let op = json!({ "op": "put", "entity": { "type": "page", "id": page }, "field": "title", "value": title });
    json!({ "id": id, "summary": "Retitle", "ops": [op], "format": 1 })
}

#[tokio::test]
async fn a_page_is_read_and_changed() {
    let (instance, ada) = Instance::owned().await;
    let (page, root) = home(&instance, &ada).await;
    let text = json!({ "op": "insert", "new": {
        "type": "nodes", "body": page, "place": { "parent": root },
        "nodes": [{ "id": "000000000001", "node": { "kind": { "text": "Hello" } } }],
    }});
    let change = json!({ "id": "c1", "summary": "Say hello", "ops": [text], "format": 1 });
    let made = ada.call(&instance, "POST", CHANGES, change.clone()).await;
    assert_eq!(
        (made.said(), &made.body["seq"]),
        ("200".to_owned(), &json!(2))
    );
    let again = ada.call(&instance, "POST", CHANGES, change).await;
    assert_eq!(
        (&again.body["seq"], &again.body["repeated"]),
        (&json!(2), &json!(true))
    );
    let read = ada
        .get(&instance, &format!("{DOCUMENT}?body={page}"))
        .await
        .body;
    assert_eq!(read["body"]["nodes"][1]["node"]["kind"]["text"], "Hello");
    assert_eq!(read["body"]["revs"], json!([2, 2]));
    let log = ada.get(&instance, &format!("{CHANGES}?after=1")).await.body;
    assert_eq!(
        (&log["seq"], &log["changes"][0]["summary"]),
        (&json!(2), &json!("Say hello"))
    );
    assert_eq!(log["changes"][0]["author"]["kind"], "person");
    let undo = json!({ "id": "u1", "change": "c1" });
    let undone = ada
        .call(&instance, "POST", "/admin/api/site/reverts", undo)
        .await;
    assert_eq!(
        (undone.said(), &undone.body["left"]),
        ("200".to_owned(), &json!([]))
    );
    let history = ada.get(&instance, "/admin/api/site/history").await.body;
    let summaries: Vec<&str> = history["changes"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|change| change["summary"].as_str())
        .collect();
    assert_eq!(
        summaries,
        ["Undid a change", "Say hello", "Created the site"]
    );
    assert_eq!(
        history["changes"][1]["documents"],
        json!([{ "id": page, "title": "Home" }])
    );
}

#[tokio::test]
async fn the_history_is_filtered_by_author() {
    const HISTORY: &str = "/admin/api/site/history";
    let (instance, ada) = Instance::owned().await;
    let (page, _) = home(&instance, &ada).await;
    let change = retitle("c1", &page, "Start");
    let made = ada.call(&instance, "POST", CHANGES, change).await;
    assert_eq!(made.said(), "200");
    let session = ada.get(&instance, "/admin/api/session").await.body;
    let person = session["user"]["id"].as_str().expect("a person");
    let seqs = async |author: String| {
        let found = ada
            .get(&instance, &format!("{HISTORY}?author={author}"))
            .await;
        let changes = found.body["changes"].as_array().cloned();
        let seqs = changes.unwrap_or_default().into_iter();
        seqs.map(|change| change["seq"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(seqs(format!("person:{person}")).await, [json!(2)]);
    assert_eq!(seqs("local".to_owned()).await, [json!(1)]);
    assert!(seqs(format!("agent:{person}")).await.is_empty());
    let bad = ada.get(&instance, &format!("{HISTORY}?author=robot")).await;
    assert_eq!(bad.body["errors"][0]["field"], "author");
}

#[tokio::test]
async fn the_document_that_holds_a_node_is_found() {
    let (instance, ada) = Instance::owned().await;
    let (page, root) = home(&instance, &ada).await;
    let by_node = async |node: &str| ada.get(&instance, &format!("{DOCUMENT}?node={node}")).await;
    let found = by_node(&root).await;
    assert_eq!(
        (found.said(), &found.body["id"]),
        ("200".to_owned(), &json!(page))
    );
    assert_eq!(found.body["body"]["nodes"][0]["id"], json!(root));
    assert_eq!(
        by_node("000000000009").await.said(),
        "404 not_found: No document has a node 000000000009."
    );
    assert_eq!(by_node("x").await.body["errors"][0]["field"], "node");
}

#[tokio::test]
async fn refusals_say_what_to_do() {
    let (instance, ada) = Instance::owned().await;
    let (page, _) = home(&instance, &ada).await;
    let post = async |body: Value| ada.call(&instance, "POST", CHANGES, body).await;
    let entity = json!({ "type": "page", "id": page });
    assert_eq!(post(retitle("a", &page, "One")).await.said(), "200");
    let mut late = retitle("b", &page, "Two");
    late["expects"] = json!([{ "entity": entity, "rev": 1 }]);
    let conflict = post(late).await;
    assert_eq!(
        conflict.said(),
        "409 conflict: Someone else changed this first; read it again and repeat what still applies."
    );
    assert_eq!(conflict.body["touched"], json!([entity]));
    assert_eq!(conflict.body["newer"][0]["id"], "a");
    let mut old = retitle("c", &page, "Two");
    old["format"] = json!(0);
    assert_eq!(post(old).await.body["code"], "reload_required");
    assert_eq!(
        post(retitle("a", &page, "Other")).await.said(),
        "409 conflict: There is another change with the id `a`."
    );
    let unknown = json!({ "id": "d", "summary": "x", "format": 1, "ops": [{ "op": "explode" }] });
    assert_eq!(post(unknown).await.body["errors"][0]["field"], "ops[0].op");
    assert_eq!(
        post(retitle("e", "000000000009", "x")).await.said(),
        "404 not_found: None of this can be applied any more: what it refers to no longer exists."
    );
    let missing = ada
        .get(&instance, &format!("{DOCUMENT}?body=000000000009"))
        .await;
    assert_eq!(
        missing.said(),
        "404 not_found: There is no page, template or component 000000000009."
    );
    let both = json!({ "id": "u", "change": "a", "after": 1 });
    let refused = ada
        .call(&instance, "POST", "/admin/api/site/reverts", both)
        .await;
    assert_eq!(
        refused.said(),
        "400 invalid_input: Say what to undo with one of `change`, `turn` and `after`."
    );
}

/// A change of four megabytes is more than other routes take.
#[tokio::test]
async fn a_large_change_is_taken() {
    let (instance, ada) = Instance::owned().await;
    let (page, _) = home(&instance, &ada).await;
    let large = "x".repeat(3 * 1024 * 1024);
    assert_eq!(
        ada.call(&instance, "POST", CHANGES, retitle("a", &page, &large))
            .await
            .said(),
        "200"
    );
    let larger = "x".repeat(5 * 1024 * 1024);
    let refused = ada
        .call(&instance, "POST", CHANGES, retitle("b", &page, &larger))
        .await;
    assert_eq!(refused.body["code"], "too_large");
}

#[tokio::test]
async fn viewers_read_and_editors_write_no_code() {
    let (instance, ada) = Instance::owned().await;
    let (page, _) = home(&instance, &ada).await;
    let viewer = instance.member("vera@example.com", "viewer").await;
    assert_eq!(viewer.get(&instance, DOCUMENT).await.said(), "200");
    let refused = viewer
        .call(&instance, "POST", CHANGES, retitle("v", &page, "V"))
        .await;
    assert_eq!(refused.status.as_u16(), 403);
    let editor = instance.member("edda@example.com", "editor").await;
    assert_eq!(
        editor
            .call(&instance, "POST", CHANGES, retitle("e", &page, "E"))
            .await
            .said(),
        "200"
    );
    let head = json!({ "op": "put", "entity": { "type": "site" }, "field": "headCode", "value": "<script></script>" });
    let code = json!({ "id": "h", "summary": "Code", "ops": [head], "format": 1 });
    let refused = editor.call(&instance, "POST", CHANGES, code.clone()).await;
    assert_eq!(
        refused.said(),
        "403 forbidden: This needs the permission `site.code`, to write scripts and code for pages."
    );
    assert_eq!(
        ada.call(&instance, "POST", CHANGES, code).await.said(),
        "200"
    );
    let log = ada.get(&instance, "/admin/api/audit").await.body;
    assert_eq!(log["entries"][0]["action"], "site.code_changed");
}

/// The stream of changes after an entry.
async fn follow(instance: &Instance, browser: &Browser, after: u64) -> Body {
    let mut ask = browser.dress(request("GET", &format!("{CHANGES}?after={after}"), None));
    ask.headers_mut().insert(
        http::header::ACCEPT,
        "text/event-stream".parse().expect("a header"),
    );
    let visitor = sitewright_server::Peer::Network(([192, 0, 2, 7], 40_000).into());
    ask.extensions_mut().insert(visitor);
    let answer = instance.router.clone().oneshot(ask).await;
    let answer = answer.expect("an answer");
    let kind = &answer.headers()[http::header::CONTENT_TYPE];
    assert_eq!(kind, "text/event-stream");
    answer.into_body()
}

/// The next event of a kind.
async fn event(body: &mut Body, kind: &str) -> String {
    loop {
        let frame = body.frame().await.expect("more").expect("a frame");
        let bytes = frame.into_data().expect("data").to_vec();
        let text = String::from_utf8(bytes).expect("text");
        if text.contains(&format!("event: {kind}")) {
            return text;
        }
    }
}

fn told(event: &str) -> Value {
    let data = event.lines().find_map(|line| line.strip_prefix("data: "));
    serde_json::from_str(data.expect("data")).expect("JSON")
}

#[tokio::test]
async fn people_see_who_else_is_on_which_page() {
    let (instance, ada) = Instance::owned().await;
    let (page, _) = home(&instance, &ada).await;
    let bob = instance.member("bob@example.com", "viewer").await;
    let mut body = follow(&instance, &ada, 1).await;
    let nobody = told(&event(&mut body, "presence").await);
    assert_eq!(nobody, json!({ "people": [], "turns": [] }));
    let path = "/admin/api/site/presence";
    let here = json!({ "page": page, "tab": "t1" });
    let said = bob.call(&instance, "PUT", path, here.clone()).await;
    assert_eq!(said.said(), "200");
    let seen = told(&event(&mut body, "presence").await);
    assert_eq!(seen, said.body);
    let people = &seen["people"];
    assert_eq!(
        (&people[0]["name"], &people[0]["page"]),
        (&json!("bob"), &json!(page))
    );
    // Saying the same again is no news; the next is that Bob has gone.
    bob.call(&instance, "PUT", path, here).await;
    let gone = json!({ "page": null, "tab": "t1" });
    bob.call(&instance, "PUT", path, gone).await;
    let seen = told(&event(&mut body, "presence").await);
    assert_eq!(seen, nobody);
    let bad = bob
        .call(&instance, "PUT", path, json!({ "page": "?" }))
        .await;
    assert_eq!(bad.body["errors"][0]["field"], "page");
}

#[tokio::test]
async fn a_change_is_told_line_by_line_however_long_ago_it_was() {
    let (instance, ada) = Instance::owned().await;
    let (page, root) = home(&instance, &ada).await;
    let insert = json!({ "op": "insert", "new": {
        "type": "nodes", "body": page, "place": { "parent": root },
        "nodes": [
            { "id": "000000000001", "node": { "kind": { "element": { "tag": "h1" } } } },
            { "id": "000000000002", "parent": 0, "node": { "kind": { "text": "Hello" } } },
        ],
    }});
    let node = json!({ "type": "node", "body": page, "node": "000000000002" });
    let put = |value: &str| json!({ "op": "put", "entity": node, "field": "text", "value": value });
    let removed = json!({ "op": "remove", "entity": { "type": "node", "body": page, "node": "000000000001" } });
    let steps = [insert, put("Good day"), put(&"x".repeat(900)), removed];
    for (at, op) in steps.into_iter().enumerate() {
        let change = json!({ "id": format!("c{at}"), "summary": "Step", "ops": [op], "format": 1 });
        let made = ada.call(&instance, "POST", CHANGES, change).await;
        assert_eq!(made.said(), "200");
        let retitled = retitle(&format!("t{at}"), &page, &format!("Title {at}"));
        ada.call(&instance, "POST", CHANGES, retitled).await;
    }
    let told = async |seq: u64| {
        let path = format!("/admin/api/site/history/{seq}");
        let change = ada.get(&instance, &path).await.body;
        let lines = change["lines"].as_array().expect("lines").clone();
        lines
            .into_iter()
            .map(|line| line["sentence"].as_str().expect("words").to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(told(2).await, ["Heading “Hello” added."]);
    assert_eq!(
        told(3).await,
        ["Title of page Title 0 changed from “Home” to “Title 0”."]
    );
    assert_eq!(
        told(4).await,
        ["Text of heading changed from “Hello” to “Good day”."]
    );
    assert_eq!(told(8).await.len(), 1, "what is gone again");
    let long = ada.get(&instance, "/admin/api/site/history/6").await.body;
    let line = &long["lines"][0];
    let after = line["after"].as_str().expect("a value");
    assert_eq!(
        (&line["before"], &line["title"], after.chars().count()),
        (&json!("Good day"), &json!("Title 3"), 501)
    );
    let first = ada.get(&instance, "/admin/api/site/history/1").await.body;
    assert_eq!(first["summary"], "Created the site");
    let of_page = format!("/admin/api/site/history?document={page}");
    let of_page = ada.get(&instance, &of_page).await.body;
    assert_eq!(of_page["changes"].as_array().expect("a list").len(), 5);
    for nothing in ["99", "x"] {
        let path = format!("/admin/api/site/history/{nothing}");
        assert_eq!(ada.get(&instance, &path).await.status, 404);
    }
}

#[tokio::test]
async fn changes_come_as_they_happen() {
    let (instance, ada) = Instance::owned().await;
    let (page, _) = home(&instance, &ada).await;
    assert_eq!(
        ada.call(&instance, "POST", CHANGES, retitle("a", &page, "One"))
            .await
            .said(),
        "200"
    );
    let mut body = follow(&instance, &ada, 1).await;
    let mut next = async || event(&mut body, "change").await;
    let first = next().await;
    assert!(
        first.contains("id: 2") && first.contains("event: change") && first.contains("\"One\""),
        "{first}"
    );
    assert_eq!(
        ada.call(&instance, "POST", CHANGES, retitle("b", &page, "Two"))
            .await
            .said(),
        "200"
    );
    let second = next().await;
    assert!(
        second.contains("id: 3") && second.contains("\"Two\""),
        "{second}"
    );
}

#[tokio::test]
async fn tools_are_listed_and_called() {
    let (instance, ada) = Instance::owned().await;
    let tools = ada.get(&instance, "/tools?scope=site").await.body;
    let names: Vec<&str> = tools["tools"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|tool| tool["name"].as_str())
        .collect();
    assert!(names.len() >= 35, "{names:?}");
    let call = async |tool: &str, arguments: Value| {
        let body = json!({ "tool": tool, "scope": "site", "arguments": arguments });
        ada.call(&instance, "POST", "/tools/call", body).await.body
    };
    let added = call("addPage", json!({ "title": "About us" })).await;
    assert_eq!(added["ok"], true, "{added}");
    let root = added["data"]["rootNodeId"].clone();
    // The page is not the one that is open: the node leads to it.
    let inserted = call(
        "insertHtml",
        json!({ "parentId": root, "html": "<h1>Hello</h1>" }),
    )
    .await;
    assert_eq!(inserted["ok"], true, "{inserted}");
    let page = added["data"]["pageId"].clone();
    let read = call(
        "read_document",
        json!({ "document": { "type": "page", "id": page } }),
    )
    .await;
    assert!(read["data"].to_string().contains("Hello"), "{read}");
    let home = call("read_document", json!({})).await;
    assert!(!home["data"].to_string().contains("Hello"), "{home}");
    let wrong = call("addPage", json!({ "title": 7 })).await;
    assert_eq!(
        (&wrong["ok"], &wrong["error"]["code"]),
        (&json!(false), &json!("invalid_input"))
    );
    let unknown = call("addpage", json!({})).await;
    assert_eq!(
        unknown["error"]["message"],
        "There is no tool `addpage` (names count by letter: is it `addPage`?); `tool list` names those there are."
    );
    let viewer = instance.member("vera@example.com", "viewer").await;
    let refused = viewer
        .call(
            &instance,
            "POST",
            "/tools/call",
            json!({ "tool": "addPage", "arguments": { "title": "X" } }),
        )
        .await;
    assert!(
        refused.status.as_u16() == 403 || refused.body["error"]["code"] == "forbidden",
        "{refused:?}"
    );
}

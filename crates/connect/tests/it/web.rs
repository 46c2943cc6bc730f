//! browseImages, importImage, searchWeb, fetchContent, httpGet and httpPost against vendors over sockets.

use anyhow::{Context as _, Result};
use serde_json::{Value, json};
use sitewright_connect::{Guidance, ProviderAccess, WebAccess, WebSearchKind};
use sitewright_runtime::{Attempt, Tool};
use sitewright_store::{Stamp, Timestamp};
use sitewright_tool::{Taint, ToolContext};

use crate::desk::{Desk, agent, editor, egress, on_both};

on_both! {
    photographs_are_browsed_and_imported_with_their_credit
    pages_are_read_and_each_address_has_its_answer
    requests_are_sent_when_they_are_confirmed
}

async fn photographs_are_browsed_and_imported_with_their_credit(desk: Desk) -> Result<()> {
    let search = json!({ "query": "desk & window", "orientation": "square", "color": "brown" });
    let envelope = desk.call_as(editor(), "browseImages", search).await;
    assert_eq!(envelope.taint, Taint::Untrusted);
    let found = envelope.data.context("data")?;
    let items = found["items"].as_array().context("items")?;
    let providers: Vec<&Value> = items.iter().map(|item| &item["provider"]).collect();
    assert_eq!(providers, [&json!("pexels"), &json!("unsplash")]);
    assert_eq!(
        found["notes"],
        json!(["Unsplash has no filter for `brown`, so its photographs are of all colours."])
    );
    assert_eq!(
        desk.world.paths(),
        [
            "/pexels/search?query=desk+%26+window&per_page=10&orientation=square&color=brown",
            "/unsplash/search/photos?query=desk+%26+window&per_page=10&content_filter=high&orientation=squarish",
        ]
    );
    let one = json!({ "query": "desk", "provider": "pexels", "limit": 1 });
    assert_eq!(desk.done("browseImages", one).await?["count"], json!(1));
    let saved = desk
        .done(
            "importImage",
            json!({ "provider": "pexels", "photoId": 12345678 }),
        )
        .await?;
    assert!(
        saved["url"]
            .as_str()
            .context("an address")?
            .starts_with("/uploads/")
    );
    assert_eq!(saved["item"]["credit"]["text"], "Photo by Ada on Pexels");
    assert_eq!(saved["item"]["description"], "A desk by the window");
    let before = desk.world.paths().len();
    let import = json!({ "provider": "unsplash", "photoId": "u1" });
    let saved = desk.done("importImage", import).await?;
    // The same bytes are one picture, with the credit that it has.
    assert_eq!(saved["item"]["credit"]["author"], "Ada");
    assert_eq!(
        desk.world.paths()[before..],
        [
            "/unsplash/photos/u1",
            "/web/picture",
            "/unsplash/photos/u1/download?ixid=M3w"
        ]
    );
    let refused = desk
        .refused(
            "importImage",
            json!({ "provider": "pexels", "photoId": "../x" }),
        )
        .await?;
    assert_eq!(
        refused,
        "photoId must be the photoId of an item that browseImages returned."
    );
    Ok(())
}

async fn pages_are_read_and_each_address_has_its_answer(desk: Desk) -> Result<()> {
    let urls = ["/page", "/missing", "/picture", "/endless"].map(|path| desk.world.web(path));
    let arguments = json!({ "urls": urls });
    let envelope = desk.call_as(editor(), "fetchContent", arguments).await;
    assert_eq!(envelope.taint, Taint::Untrusted);
    let found = envelope.data.context("data")?;
    assert_eq!(found["count"], json!(2));
    assert_eq!(found["items"][0]["title"], "Kilns");
    assert_eq!(
        found["items"][0]["content"],
        "# Kilns\n\nThey reach **1,200** degrees."
    );
    assert_eq!(found["items"][1]["error"], "It answered 404.");
    assert_eq!(found["items"][2]["error"], "It is no text but image/png.");
    assert_eq!(found["items"][3]["truncated"], json!(true));
    let plain = json!({ "urls": [desk.world.web("/page")], "format": "text" });
    let plain = desk.done("fetchContent", plain).await?;
    assert_eq!(
        plain["items"][0]["content"],
        "Kilns\n\nThey reach 1,200 degrees."
    );
    let inside = json!({ "urls": ["http://169.254.169.254/latest/meta-data/"] });
    let inside = desk.done("fetchContent", inside).await?;
    assert_eq!(
        (&inside["success"], &inside["count"]),
        (&json!(false), &json!(0))
    );
    let quick = desk
        .done("searchWeb", json!({ "query": "kilns", "mode": "quick" }))
        .await?;
    assert_eq!(
        (
            &quick["count"],
            &quick["items"][0]["snippet"],
            &quick["answer"],
            &quick["items"][0]["text"]
        ),
        (&json!(1), &json!("About kilns"), &Value::Null, &Value::Null)
    );
    let deep = json!({ "query": "kilns", "mode": "deep", "numResults": 10, "urls": [desk.world.web("/page")] });
    let deep = desk.done("searchWeb", deep).await?;
    assert_eq!(deep["answer"], "Kilns reach 1,200 degrees.");
    assert_eq!(deep["pages"][0]["title"], "Kilns");
    let asked = desk.world.requests();
    let asked = asked
        .iter()
        .rfind(|request| request.path == "/tavily/search")
        .context("a search")?;
    let body: Value = serde_json::from_slice(&asked.body)?;
    assert_eq!(
        (&body["max_results"], &body["search_depth"]),
        (&json!(10), &json!("advanced"))
    );
    Ok(())
}

async fn requests_are_sent_when_they_are_confirmed(desk: Desk) -> Result<()> {
    let url = desk.world.web("/echo");
    let get = json!({ "url": url, "headers": { "X-Probe": "a" } });
    let got = desk.done("httpGet", get).await?;
    assert_eq!(
        (
            &got["status"],
            &got["json"]["method"],
            &got["json"]["header"]
        ),
        (&json!(200), &json!("GET"), &json!("a"))
    );
    assert_eq!(
        desk.done("httpGet", json!({ "url": desk.world.web("/missing") }))
            .await?["success"],
        json!(false)
    );
    let before = desk.world.paths().len();
    let post = json!({ "url": url, "body": { "a": 1 }, "headers": { "authorization": "canary" } });
    let preview = desk.done("httpPost", post.clone()).await?;
    assert_eq!(
        (
            &preview["requiresConfirmation"],
            &preview["message"],
            &preview["items"][0]["url"]
        ),
        (&json!(true), &json!("Send 1 request?"), &json!(url))
    );
    assert!(!preview.to_string().contains("canary"), "{preview}");
    let mut confirmed = post.clone();
    confirmed["confirmed"] = json!(true);
    // A model cannot confirm its own call.
    let asked = desk.call_as(agent(), "httpPost", confirmed.clone()).await;
    assert_eq!(
        asked.data.context("a preview")?["requiresConfirmation"],
        json!(true)
    );
    assert_eq!(desk.world.paths().len(), before, "nothing was sent");
    let sent = desk.done("httpPost", confirmed).await?;
    assert_eq!(sent["json"]["body"], "{\"a\":1}");
    for (headers, message) in [
        (
            json!({ "Host": "x" }),
            "headers: `Host` is set by the connection itself; leave it out.",
        ),
        (
            json!({ "a b": "x" }),
            "headers: `a b` cannot be sent; names and values are plain text on one line.",
        ),
    ] {
        let arguments = json!({ "url": url, "headers": headers });
        assert_eq!(desk.refused("httpGet", arguments).await?, message);
    }
    Ok(())
}

#[tokio::test]
async fn a_search_engine_of_ones_own_needs_no_key_and_its_pages_are_read() {
    let world = sitewright_testkit::outside_world::OutsideWorld::with_picture(Vec::new());
    let web = |url: String, search_kind| WebAccess {
        egress: egress(),
        search: ProviderAccess {
            base_url: url,
            key: None,
        },
        search_kind,
    };
    let none = |_: &str| None;
    let off = web(world.tavily(), WebSearchKind::Tavily).tools(Guidance(&none));
    assert!(
        !off[0].definition().manifest.enabled,
        "without a key it is off"
    );
    let tools = web(world.searxng(), WebSearchKind::Searxng).tools(Guidance(&none));
    let deep = called(&tools[0], json!({ "query": "kilns", "mode": "deep" })).await;
    assert_eq!(
        deep["items"][0]["text"],
        "# Kilns\n\nThey reach **1,200** degrees."
    );
    assert_eq!(
        deep["notes"],
        json!(["This search engine writes no answer; the first pages are here to be read."])
    );
    assert_eq!(world.paths()[0], "/searxng/search?q=kilns&format=json");
}

async fn called(tool: &Tool, arguments: Value) -> Value {
    let context = ToolContext {
        site_id: "site-1".to_owned(),
        session_id: "session-1".to_owned(),
        user_id: None,
        trace_id: "trace-1".to_owned(),
        planner_provider: "none".to_owned(),
    };
    let attempt = Attempt {
        scope: None,
        by: &Stamp::local(Timestamp::from_millis(0)),
        committer: None,
        agreed: None,
        context: &context,
        idempotency_key: "call-1",
        timeout: std::time::Duration::from_secs(20),
    };
    let work = tool.outside_work().unwrap();
    work.run(&arguments, attempt).await.unwrap().data
}

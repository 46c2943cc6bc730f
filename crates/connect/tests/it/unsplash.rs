//! Unsplash as its documentation describes it, over a socket.

use std::time::Duration;

use serde_json::{Value, json};
use sitewright_connect::{ProviderAccess, Unsplash};
use sitewright_egress::{Egress, EgressPolicy, Limits};
use sitewright_runtime::{Attempt, Failure, Tool, ToolOutput};
use sitewright_store::{Stamp, Timestamp};
use sitewright_testkit::vendor::{Answer, Reply, Vendor};
use sitewright_tool::{Taint, ToolContext};

fn tools(base_url: &str, key: Option<&str>) -> Vec<Tool> {
    let policy = EgressPolicy {
        allow: "127.0.0.1/32".parse().unwrap(),
    };
    let provider = ProviderAccess {
        base_url: base_url.to_owned(),
        key: key.map(Into::into),
    };
    let egress = Egress::new(policy, Limits::default()).unwrap();
    Unsplash::new(egress, provider, "harbour site").tools()
}

async fn call(tool: &Tool, arguments: Value) -> Result<ToolOutput, Failure> {
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
        timeout: Duration::from_secs(20),
    };
    let work = tool.outside_work().unwrap();
    work.run(&arguments, attempt).await
}

fn photo(id: &str, base: &str) -> Value {
    json!({
        "id": id, "slug": "sunset", "width": 4000, "height": 3000, "color": "#262626", "description": null,
        "alt_description": "mountain at sunset",
        "urls": {
            "raw": format!("https://images.unsplash.com/photo-{id}?ixid=M3w&ixlib=rb-4"),
            "full": format!("https://images.unsplash.com/photo-{id}?ixid=M3w&q=85"),
            "regular": format!("https://images.unsplash.com/photo-{id}?ixid=M3w&w=1080"),
            "small": format!("https://images.unsplash.com/photo-{id}?ixid=M3w&w=400"),
            "thumb": format!("https://images.unsplash.com/photo-{id}?ixid=M3w&w=200")
        },
        "links": {
            "self": "https://api.unsplash.com/photos/x", "html": format!("https://unsplash.com/photos/sunset-{id}"),
            "download_location": format!("{base}/photos/{id}/download?ixid=M3w")
        },
        "user": { "id": "u1", "username": "ansel", "name": "Ansel <A>", "links": { "html": "https://unsplash.com/@ansel" } }
    })
}

#[tokio::test]
async fn a_search_answers_photographs_with_whom_to_credit() {
    let vendor = Vendor::answering(|_| {
        let mut bare = photo("c", "");
        bare["alt_description"] = Value::Null;
        bare["user"] = json!({});
        let broken = json!({ "id": "b", "urls": { "regular": "javascript:alert(1)" }, "links": { "html": "https://unsplash.com/b" } });
        let answer = json!({ "total": 4, "total_pages": 1, "results": [photo("a", ""), broken, bare, photo("d", ""), photo("e", "")] });
        Answer::ok(answer.to_string())
    });
    let [search, _] = &tools(&vendor.url("/"), Some("k3y-canary"))[..] else {
        panic!("two tools");
    };
    let output = call(
        search,
        json!({ "query": "mountain sunset & sea", "limit": 3 }),
    )
    .await
    .unwrap();
    assert_eq!(output.taint, Taint::Untrusted);
    let items = output.data["items"].as_array().unwrap();
    assert_eq!(
        items.len(),
        3,
        "no more than asked for, and without the one that is no photograph"
    );
    assert_eq!(
        items[0],
        json!({
            "id": "a",
            "imageUrl": "https://images.unsplash.com/photo-a?ixid=M3w&w=1080",
            "thumbUrl": "https://images.unsplash.com/photo-a?ixid=M3w&w=200",
            "alt": "mountain at sunset",
            "author": "Ansel <A>",
            "sourceUrl": "https://unsplash.com/photos/sunset-a?utm_source=harbour+site&utm_medium=referral"
        })
    );
    assert_eq!(
        (&items[1]["alt"], &items[1]["author"]),
        (&json!(""), &json!("Unsplash"))
    );
    let asked = &vendor.requests()[0];
    assert_eq!(
        asked.path,
        "/search/photos?query=mountain+sunset+%26+sea&per_page=3&content_filter=high"
    );
    assert_eq!(asked.header("authorization"), Some("Client-ID k3y-canary"));
    assert_eq!(
        (asked.method.as_str(), asked.header("accept-version")),
        ("GET", Some("v1"))
    );
}

/// Unsplash counts a photograph when it is used and not when it is found.
#[tokio::test]
async fn using_a_photograph_reports_it_where_the_photograph_says() {
    let vendor = Vendor::answering(|received| {
        let host = received.header("host").unwrap();
        match received.path.as_str() {
            "/photos/a" => Answer::ok(photo("a", &format!("http://{host}")).to_string()),
            "/photos/stolen" => Answer::ok(photo("a", "http://127.0.0.1:9").to_string()),
            "/photos/a/download?ixid=M3w" => {
                Answer::ok(r#"{"url": "https://images.unsplash.com/photo-a"}"#)
            }
            _ => Answer::Reply(Reply::new(404, r#"{"errors": ["Couldn't find Photo"]}"#)),
        }
    });
    let [_, use_photo] = &tools(&vendor.url(""), Some("k3y-canary"))[..] else {
        panic!("two tools");
    };
    let output = call(use_photo, json!({ "id": "a" })).await.unwrap();
    assert_eq!(output.data["photo"]["id"], "a");
    assert_eq!(
        output.data["credit"],
        "Photo by <a href=\"https://unsplash.com/@ansel?utm_source=harbour+site&amp;utm_medium=referral\">Ansel &lt;A&gt;</a> on \
         <a href=\"https://unsplash.com/?utm_source=harbour+site&amp;utm_medium=referral\">Unsplash</a>"
    );
    let asked: Vec<_> = vendor
        .requests()
        .into_iter()
        .map(|request| {
            (
                request.path.clone(),
                request.header("authorization").map(str::to_owned),
            )
        })
        .collect();
    let key = Some("Client-ID k3y-canary".to_owned());
    assert_eq!(
        asked,
        [
            ("/photos/a".to_owned(), key.clone()),
            ("/photos/a/download?ixid=M3w".to_owned(), key)
        ]
    );
    // The key does not go to a place that an answer names.
    let stolen = call(use_photo, json!({ "id": "stolen" }))
        .await
        .unwrap_err();
    assert_eq!(stolen.error.code.as_str(), "invalid_output");
    assert_eq!(vendor.requests().len(), 3);
    let none = call(use_photo, json!({ "id": "none" })).await.unwrap_err();
    assert_eq!(none.error.code.as_str(), "not_found");
    assert!(
        none.error.message.contains("Couldn't find Photo"),
        "{}",
        none.error.message
    );
}

#[tokio::test]
async fn what_unsplash_refuses_is_told_in_our_words() {
    for (status, body, code, retryable, sentence) in [
        (
            403,
            "Rate Limit Exceeded\n",
            "rate_limited",
            true,
            "has used up what its key may ask in an hour",
        ),
        (
            401,
            r#"{"errors": ["OAuth error: k3y-canary is invalid"]}"#,
            "upstream_error",
            false,
            "the setting `unsplash_access_key`",
        ),
        (
            403,
            r#"{"errors": ["Forbidden"]}"#,
            "upstream_error",
            false,
            "the setting `unsplash_access_key`",
        ),
        (410, "", "invalid_input", false, "Use other words"),
        (503, "", "upstream_error", true, "Try again later"),
    ] {
        let vendor = Vendor::scripted([Answer::Reply(Reply::new(status, body))]);
        let tools = tools(&vendor.url(""), Some("k3y-canary"));
        let error = call(&tools[0], json!({ "query": "x" }))
            .await
            .unwrap_err()
            .error;
        assert_eq!(
            (error.code.as_str(), error.retryable),
            (code, retryable),
            "{status}"
        );
        assert!(error.message.contains(sentence), "{}", error.message);
        assert!(!format!("{error:?}").contains("canary"), "{error:?}");
    }
    let vendor = Vendor::scripted([Answer::ok("{}")]);
    let error = call(
        &tools(&vendor.url(""), Some("k"))[0],
        json!({ "query": "x" }),
    )
    .await
    .unwrap_err()
    .error;
    assert_eq!(error.code.as_str(), "invalid_output");
}

#[tokio::test]
async fn without_a_key_it_is_off_says_what_to_set_and_asks_nobody() {
    let vendor = Vendor::scripted([]);
    for tool in tools(&vendor.url(""), None) {
        let manifest = &tool.definition().manifest;
        assert!(!manifest.enabled);
        assert!(
            manifest
                .guidance
                .as_deref()
                .unwrap()
                .contains("SITEWRIGHT_UNSPLASH_ACCESS_KEY")
        );
        let arguments = match tool.definition().name() {
            "unsplash.search" => json!({ "query": "x" }),
            _ => json!({ "id": "a" }),
        };
        let error = call(&tool, arguments).await.unwrap_err().error;
        assert_eq!(
            (error.code.as_str(), error.retryable),
            ("unavailable", false)
        );
    }
    assert_eq!(vendor.connections(), 0);
}

//! What a chat takes from its request, and what it sends to the provider and to tools elsewhere.

use serde_json::{Value, json};
use sitewright_testkit::model::{Dialect, ModelSimulator, Scenario};
use sitewright_testkit::vendor::{Answer, Reply, Vendor};

use super::{Stage, answers, calls, model, of_type, says, text};
use crate::instance::Browser;

const CHAT: &str = "/admin/api/ai/chat/site";

#[tokio::test]
async fn a_chat_without_the_pages_token_is_refused_and_reaches_nobody() {
    let stage = Stage::new(Dialect::Anthropic, json!([says("Hello.")])).await;
    let conversation = stage.conversation().await;
    let body = json!({ "conversationId": conversation, "prompt": "hello" });
    for csrf in [None, Some("forged".to_owned())] {
        let forged = Browser {
            csrf,
            ..stage.ada.clone()
        };
        let refused = forged
            .call(&stage.instance, "POST", CHAT, body.clone())
            .await;
        assert_eq!(
            refused.said(),
            "403 forbidden: The header x-csrf-token is missing or old; reload the page and try again."
        );
    }
    let read = stage
        .get(&format!("/admin/api/ai/conversations/{conversation}"))
        .await;
    assert_eq!(read["messages"], json!([]), "nothing was said");
    assert_eq!(stage.simulator.rounds_left(), 1);
    assert_eq!(text(&stage.say(&conversation, "hello").await), "Hello.");
}

/// The first credential becomes the default, so a conversation with the second one tells whether its row counts.
#[tokio::test]
async fn a_turn_uses_the_credential_and_the_model_of_its_conversation() {
    let stage = Stage::new(Dialect::Anthropic, json!([says("From the default.")])).await;
    let rounds = json!({ "rounds": [says("From the other one.")] }).to_string();
    let other = ModelSimulator::start(Dialect::Anthropic, Scenario::from_json(&rounds));
    let body = json!({
        "providerId": "anthropic", "label": "Other", "apiKey": "sk-other", "baseUrl": other.base_url(),
    });
    let added = stage.post("/admin/api/ai/credentials", body).await;
    let chosen = "claude-haiku-5-5";
    assert_ne!(chosen, model(Dialect::Anthropic));
    let body = json!({ "scope": "site", "credentialId": added["id"], "modelId": chosen });
    let begun = stage.post("/admin/api/ai/conversations", body).await;
    let conversation = begun["id"].as_str().expect("a conversation");
    let events = stage.say(conversation, "hello").await;
    assert_eq!(text(&events), "From the other one.");
    assert_eq!(
        (other.requests().len(), &other.requests()[0]["model"]),
        (1, &json!(chosen))
    );
    let received = other.received();
    let turn = received.iter().find(|request| request.method == "POST");
    assert_eq!(
        turn.and_then(|request| request.header("x-api-key")),
        Some("sk-other")
    );
    assert_eq!(stage.simulator.requests(), Vec::<Value>::new());

    let events = stage.say(&stage.conversation().await, "hello").await;
    assert_eq!(text(&events), "From the default.");
    assert_eq!(
        stage.simulator.requests()[0]["model"],
        model(Dialect::Anthropic)
    );
}

#[tokio::test]
async fn a_malformed_or_absent_snapshot_is_as_good_as_none() {
    let snapshots = [
        None,
        Some(json!(null)),
        Some(json!({})),
        Some(json!("a page")),
        Some(json!(7)),
        Some(json!([["currentDocument"]])),
        Some(json!({ "currentDocument": "index", "selectedNodeId": 7, "activeBreakpointId": [] })),
        Some(json!({ "currentDocument": { "id": "no id" }, "selectedNodeId": { "id": 1 } })),
        Some(json!({ "page": { "nodes": 3 }, "site": null, "somethingElse": true })),
    ];
    let rounds: Vec<Value> = snapshots.iter().map(|_| says("Here I am.")).collect();
    let stage = Stage::new(Dialect::Anthropic, json!(rounds)).await;
    for snapshot in &snapshots {
        let conversation = stage.conversation().await;
        let mut body = json!({ "conversationId": conversation, "prompt": "hello" });
        if let Some(snapshot) = snapshot {
            body["snapshot"] = snapshot.clone();
        }
        let events = stage.open(body).await.rest().await;
        assert_eq!(text(&events), "Here I am.", "{snapshot:?}: {events:#?}");
        assert_eq!(
            events.last().expect("an end")["type"],
            "done",
            "{snapshot:?}"
        );
    }
    let sent = stage.simulator.requests();
    assert_eq!(sent.len(), snapshots.len());
    for (request, snapshot) in sent.iter().zip(&snapshots) {
        assert_eq!(request["system"], sent[0]["system"], "{snapshot:?}");
    }
}

/// A document that is not there can be named by a tab that did not hear yet that it was deleted.
#[tokio::test]
async fn a_snapshot_of_what_is_gone_does_not_break_the_turn() {
    let rounds = json!([
        calls("c1", "read_document", json!({})),
        says("I have read it.")
    ]);
    let stage = Stage::new(Dialect::Anthropic, rounds).await;
    let conversation = stage.conversation().await;
    let gone = "00000000000000000000000000";
    let body = json!({
        "conversationId": conversation, "prompt": "read it", "executor": "headless",
        "snapshot": { "currentDocument": { "type": "page", "id": gone }, "selectedNodeId": gone, "activeBreakpointId": "none" },
    });
    let events = stage.open(body).await.rest().await;
    assert_eq!(text(&events), "I have read it.", "{events:#?}");
    assert_eq!(events.last().expect("an end")["type"], "done");
}

/// With the tools as they are defined, and not with ones that a test calls heavy.
#[tokio::test]
async fn only_the_latest_result_of_each_heavy_tool_is_sent_in_full() {
    let before = Stage::new(Dialect::Anthropic, json!([])).await;
    let root = before.root().await;
    let Stage { instance, ada, .. } = before;
    let html = || json!({ "nodeId": root });
    let light = || json!({ "family": "colors" });
    let rounds = json!([
        calls("c1", "read_document", json!({})),
        calls("c2", "getNodeHtml", html()),
        calls("c3", "list_tokens", light()),
        calls("c4", "read_document", json!({})),
        calls("c5", "getNodeHtml", html()),
        calls("c6", "list_tokens", light()),
        says("I have seen it."),
    ]);
    let stage = Stage::on(instance, ada, Dialect::Anthropic, rounds).await;
    let conversation = stage.conversation().await;
    let events = stage.say(&conversation, "look at it").await;
    assert_eq!(text(&events), "I have seen it.", "{events:#?}");
    assert!(
        of_type(&events, "toolResult")
            .iter()
            .all(|result| result["ok"] == true),
        "{events:#?}"
    );
    let requests = stage.simulator.requests();
    let last = requests.last().expect("a request");
    let removed: Vec<(String, bool)> = last["messages"]
        .as_array()
        .expect("messages")
        .iter()
        .filter_map(|message| message["content"].as_array())
        .flatten()
        .filter(|block| block["type"] == "tool_result")
        .map(|block| {
            let id = block["tool_use_id"].as_str().expect("an id").to_owned();
            let content = block["content"].to_string();
            (
                id,
                content.contains("Earlier") && content.contains("removed"),
            )
        })
        .collect();
    let expected = [
        ("c1", true),
        ("c2", true),
        ("c3", false),
        ("c4", false),
        ("c5", false),
        ("c6", false),
    ];
    assert_eq!(
        removed,
        expected.map(|(id, removed)| (id.to_owned(), removed))
    );
}

/// What a model calls elsewhere is part of its conversation, and told who asked for it.
#[tokio::test]
async fn a_remote_tool_learns_the_conversation_and_the_provider_of_a_turn() {
    let vendor = Vendor::answering(|_| Answer::ok(r#"{"data": 1}"#));
    let mut sessions = Vec::new();
    for dialect in Dialect::ALL {
        let rounds = json!([
            calls("c1", "echo_say", json!({ "a": 1 })),
            says("It said one.")
        ]);
        let stage = Stage::new(dialect, rounds).await;
        let registration = json!({
            "manifest": {
                "name": "echo_say", "description": "Echoes", "inputSchema": { "type": "object" }, "outputSchema": {},
                "capability": "read", "timeoutMs": 20_000, "retryPolicy": { "maxAttempts": 1 }, "idempotent": true
            },
            "endpoint": vendor.url("/echo")
        });
        stage.post("/tools/register", registration).await;
        let conversation = stage.conversation().await;
        let events = stage.say(&conversation, "ask the echo").await;
        assert_eq!(text(&events), "It said one.", "{dialect:?}: {events:#?}");
        let received = vendor.requests();
        let body: Value =
            serde_json::from_slice(&received.last().expect("a request").body).expect("JSON");
        let context = &body["context"];
        assert_eq!(context["plannerProvider"], dialect.id(), "{body}");
        // L17: a pseudonym for the conversation, and one for the person.
        assert_ne!(context["sessionId"], conversation);
        assert!(!sessions.contains(&context["sessionId"]), "{body}");
        sessions.push(context["sessionId"].clone());
        let users = stage.get("/admin/api/users").await;
        assert!(context["userId"].is_string());
        assert_ne!(context["userId"], users["users"][0]["id"]);
    }
    assert_eq!(vendor.requests().len(), Dialect::ALL.len());
}

/// A registered tool as every provider's model gets it: its description as written, its schema as registered.
#[tokio::test]
async fn descriptions_and_schemas_of_tools_reach_every_provider_unchanged() {
    let description = "Looks a product up by its “SKU” <exactly>.\nUse it before prices are named; 5 % are gone by then.";
    let schema = json!({
        "type": "object", "additionalProperties": false, "required": ["sku"],
        "properties": {
            "sku": { "type": "string", "minLength": 3, "description": "The number on the label." },
            "market": { "type": "string", "enum": ["eu", "us"] },
        },
    });
    for dialect in Dialect::ALL {
        let stage = Stage::new(dialect, json!([says("Hello.")])).await;
        let registration = json!({
            "manifest": {
                "name": "pim_getProduct", "description": description, "inputSchema": schema, "outputSchema": {},
                "capability": "read", "timeoutMs": 20_000, "retryPolicy": { "maxAttempts": 1 }, "idempotent": true
            },
            "endpoint": "https://pim.example/products"
        });
        stage.post("/tools/register", registration).await;
        let conversation = stage.conversation().await;
        stage.say(&conversation, "hello").await;
        let sent = stage.simulator.requests().remove(0);
        let tools = sent["tools"].as_array().expect("tools");
        // Chat formats wrap a tool into a function; the others have its fields beside each other.
        let tool = |tool: &Value| tool.get("function").unwrap_or(tool).clone();
        let tools: Vec<Value> = tools.iter().map(tool).collect();
        let found = |name: &str| tools.iter().find(|tool| tool["name"] == name).cloned();
        let registered = found("pim_getProduct").expect("the tool");
        assert_eq!(registered["description"], description, "{dialect:?}");
        let parameters = |tool: &Value| {
            let at = ["input_schema", "parameters"];
            let found = at.iter().find_map(|name| tool.get(name));
            found.expect("a schema").clone()
        };
        assert_eq!(parameters(&registered), schema, "{dialect:?}");
        let own = stage.get("/tools").await;
        let own = own["tools"].as_array().expect("tools").iter();
        let mut own = own.filter(|tool| tool["name"] == "applyCss");
        let listed = own.next().expect("a tool of the site");
        let offered = found("applyCss").expect("a tool of the site");
        assert_eq!(parameters(&offered), listed["inputSchema"], "{dialect:?}");
        assert_eq!(offered["description"], listed["description"], "{dialect:?}");
    }
}

#[tokio::test]
async fn an_error_of_a_vendor_is_the_result_that_the_model_reads() {
    let vendor = Vendor::answering(|_| Answer::Reply(Reply::new(404, "No such product: SKU-1")));
    for dialect in Dialect::ALL {
        let rounds = json!([
            calls("c1", "pim_getProduct", json!({ "sku": "SKU-1" })),
            { "expect": ["answered 404: what was asked for is not there", "No such product: SKU-1"], "reply": { "blocks": [{ "text": "It is not there." }] } },
        ]);
        let stage = Stage::new(dialect, rounds).await;
        let registration = json!({
            "manifest": {
                "name": "pim_getProduct", "description": "Looks a product up", "inputSchema": { "type": "object" }, "outputSchema": {},
                "capability": "read", "timeoutMs": 20_000, "retryPolicy": { "maxAttempts": 1 }, "idempotent": true
            },
            "endpoint": vendor.url("/product")
        });
        stage.post("/tools/register", registration).await;
        let conversation = stage.conversation().await;
        let events = stage.say(&conversation, "what is SKU-1?").await;
        assert_eq!(
            text(&events),
            "It is not there.",
            "{dialect:?}: {events:#?}"
        );
    }
}

#[tokio::test]
async fn collections_are_read_from_the_site_and_not_from_the_snapshot() {
    let stage = Stage::new(
        Dialect::Anthropic,
        json!([calls("c1", "list_post_types", json!({})), says("There.")]),
    )
    .await;
    let new = json!({ "slug": "goods", "label": "Goods", "routeBase": "/goods" });
    stage.post("/admin/api/content/collections", new).await;
    let conversation = stage.conversation().await;
    let snapshot = json!({ "postTypes": [{ "slug": "made-up" }], "collections": [], "site": { "collections": [] } });
    let said = json!({ "conversationId": conversation, "prompt": "what is there?", "executor": "headless", "snapshot": snapshot });
    stage.open(said).await.rest().await;
    let answers = answers(&stage);
    let types = answers[0]["postTypes"].as_array().expect("types").iter();
    let slugs: Vec<&Value> = types.map(|one| &one["slug"]).collect();
    assert_eq!(slugs, ["blog", "goods"]);
}

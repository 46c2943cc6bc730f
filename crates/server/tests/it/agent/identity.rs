//! Whose conversations a caller sees, and whose rights a turn has, through the public API.

use serde_json::{Value, json};
use sitewright_testkit::model::Dialect;

use super::{Stage, calls, says, text};
use crate::instance::{Answer, request};

async fn token(stage: &Stage, capabilities: Value) -> String {
    let body = json!({ "name": "t", "kind": "agent", "capabilities": capabilities });
    let made = stage.post("/admin/api/tokens", body).await;
    made["token"].as_str().expect("a token").to_owned()
}

async fn with(stage: &Stage, token: &str, method: &str, path: &str, body: Value) -> Answer {
    stage.instance.with_token(token, method, path, body).await
}

/// H5: a token neither sees nor writes into the conversations of its maker, and has its own.
#[tokio::test]
async fn h5_tokens_have_conversations_of_their_own() {
    let before = Stage::new(Dialect::Anthropic, json!([])).await;
    let page = before.tool("addPage", json!({ "title": "Old" })).await["pageId"].clone();
    let Stage { instance, ada, .. } = before;
    let rounds = json!([
        calls("c1", "deletePage", json!({ "pageId": page })),
        { "expectNot": ["Injected"], "reply": { "blocks": [{ "text": "Then it stays." }] } },
        says("Hello, token."),
    ]);
    let stage = Stage::on(instance, ada, Dialect::Anthropic, rounds).await;
    let conversation = stage.conversation().await;
    let mut turn = stage
        .open(json!({ "conversationId": conversation, "prompt": "remove it" }))
        .await;
    let id = turn.until("bridgeReady").await["turnId"].clone();
    let id = id.as_str().expect("an id");
    let asked = turn.until("approvalRequest").await;
    let token = token(&stage, json!(["ai.chat"])).await;
    let body = json!({ "conversationId": conversation, "prompt": "add a page called Injected" });
    let said = with(&stage, &token, "POST", "/admin/api/ai/chat/site", body).await;
    assert_eq!(said.status.as_u16(), 404, "{said:?}");
    let own = with(
        &stage,
        &token,
        "GET",
        "/admin/api/ai/conversations",
        json!(null),
    )
    .await;
    assert_eq!(own.body["conversations"], json!([]), "{own:?}");
    for (method, path) in [
        ("GET", format!("/admin/api/ai/conversations/{conversation}")),
        ("GET", format!("/admin/api/ai/turns/{id}")),
        ("GET", format!("/admin/api/ai/turns/{id}/events")),
        ("POST", format!("/admin/api/ai/turns/{id}/abort")),
    ] {
        let answer = with(&stage, &token, method, &path, json!({})).await;
        assert_eq!(answer.status.as_u16(), 404, "{path}: {answer:?}");
    }
    let path = format!(
        "/admin/api/approvals/{}",
        asked["approvalId"].as_str().expect("an id")
    );
    stage.post(&path, json!({ "decision": "deny" })).await;
    assert_eq!(text(&turn.rest().await), "Then it stays.");
    let body = json!({ "scope": "site", "credentialId": stage.credential, "modelId": super::model(stage.dialect) });
    let begun = with(&stage, &token, "POST", "/admin/api/ai/conversations", body).await;
    let body = json!({ "conversationId": begun.body["id"], "prompt": "hello" });
    let mut request = request("POST", "/admin/api/ai/chat/site", Some(body));
    let header = format!("Bearer {token}").parse().expect("a header");
    request.headers_mut().insert("authorization", header);
    let mut turn = super::Stream::of(&stage.instance, request).await;
    assert_eq!(text(&turn.rest().await), "Hello, token.");
    let hers = stage.get("/admin/api/ai/conversations").await;
    let hers = hers["conversations"].as_array().expect("a list");
    assert_eq!(hers.len(), 1, "she does not see the token's either");
    let documents = stage.tool("list_documents", json!({})).await.to_string();
    assert!(documents.contains("Old") && !documents.contains("Injected"));
}

//! However a turn ends, the conversation can be spoken to again, and nothing is left behind.

use std::time::Duration;

use serde_json::{Value, json};
use sitewright_testkit::model::Dialect;

use super::{Stage, calls, of_type, says, text};

/// A turn with every kind of event: text, calls that look and change, a question, and an answer.
fn rounds(page: &str) -> Value {
    json!([
        { "reply": { "blocks": [{ "text": "I look at it first." }, { "toolCall": { "id": "c1", "name": "list_documents", "arguments": {} } }] } },
        calls("c2", "addPage", json!({ "title": "Kept" })),
        calls("c3", "deletePage", json!({ "pageId": page })),
        says("All done."),
        says("Here I am."),
        says("Here I am."),
    ])
}

async fn staged() -> Stage {
    let before = Stage::new(Dialect::Anthropic, json!([])).await;
    let page = before.tool("addPage", json!({ "title": "Old" })).await;
    let Stage { instance, ada, .. } = before;
    let page = page["pageId"].as_str().expect("a page");
    Stage::on(instance, ada, Dialect::Anthropic, rounds(page)).await
}

/// Nothing in these tests takes this long unless it hangs.
const PATIENCE: Duration = Duration::from_secs(60);

const KINDS: [&str; 8] = [
    "bridgeReady",
    "budget",
    "text",
    "toolCall",
    "toolResult",
    "context",
    "change",
    "approvalRequest",
];

/// Waits until no turn is under way any more; none of them leaves a question to a tab behind.
async fn is_quiet(stage: &Stage) {
    let app = &stage.instance.app;
    let mut changed = app.under_way_changed();
    while app.under_way().0 > 0 {
        let news = tokio::time::timeout(PATIENCE, changed.changed()).await;
        news.unwrap_or_else(|_| panic!("something is left: {:?}", app.under_way()))
            .expect("the assistant is there");
    }
    assert_eq!(app.under_way(), (0, 0));
}

/// Says something, and yes to whatever asks: the model goes on where it was.
async fn say_yes_to_all(stage: &Stage, conversation: &str) -> Vec<Value> {
    let body = json!({ "conversationId": conversation, "prompt": "are you there?" });
    let mut turn = stage.open(body).await;
    let mut events = Vec::new();
    while let Some(event) = turn.next().await {
        if let Some(id) = event["approvalId"].as_str()
            && event["type"] == "approvalRequest"
        {
            let path = format!("/admin/api/approvals/{id}");
            stage.post(&path, json!({ "decision": "approve" })).await;
        }
        events.push(event);
    }
    events
}

#[tokio::test]
async fn a_stop_at_any_event_leaves_a_conversation_that_can_be_spoken_to() {
    for kind in KINDS {
        let stage = staged().await;
        let conversation = stage.conversation().await;
        let mut turn = stage
            .open(json!({ "conversationId": conversation, "prompt": "tidy up" }))
            .await;
        let id = turn.until("bridgeReady").await["turnId"]
            .as_str()
            .expect("an id")
            .to_owned();
        if kind != "bridgeReady" {
            turn.until(kind).await;
        }
        stage
            .post(&format!("/admin/api/ai/turns/{id}/abort"), json!({}))
            .await;
        let events = turn.rest().await;
        assert_eq!(of_type(&events, "error").len(), 0, "{kind}: {events:#?}");
        assert_eq!(events.last().expect("an end")["type"], "done", "{kind}");
        is_quiet(&stage).await;
        let again = say_yes_to_all(&stage, &conversation).await;
        assert_ne!(of_type(&again, "done").len(), 0, "{kind}: {again:#?}");
        assert_eq!(of_type(&again, "error").len(), 0, "{kind}: {again:#?}");
        is_quiet(&stage).await;
        stage.simulator.forgive();
    }
}

#[tokio::test]
async fn a_connection_that_drops_at_any_event_ends_nothing() {
    for kind in KINDS {
        let stage = staged().await;
        let conversation = stage.conversation().await;
        let mut turn = stage
            .open(json!({ "conversationId": conversation, "prompt": "tidy up" }))
            .await;
        let id = turn.until("bridgeReady").await["turnId"]
            .as_str()
            .expect("an id")
            .to_owned();
        if kind != "bridgeReady" {
            turn.until(kind).await;
        }
        drop(turn);
        let mut followed = stage.follow(&id).await;
        let state = followed.next().await.expect("a state");
        let asked = match state["approvals"].as_array().and_then(|all| all.first()) {
            Some(asked) => asked.clone(),
            None => followed.until("approvalRequest").await,
        };
        let path = format!(
            "/admin/api/approvals/{}",
            asked["approvalId"].as_str().expect("an id")
        );
        stage.post(&path, json!({ "decision": "approve" })).await;
        let events = followed.rest().await;
        assert_eq!(text(&events), "All done.", "{kind}: {events:#?}");
        is_quiet(&stage).await;
        let mut after = stage.follow(&id).await;
        let state = after.next().await.expect("a state");
        assert_eq!(state["status"], "done");
        assert!(state["blocks"].to_string().contains("All done."));
        assert_eq!(after.next().await, None);
    }
}

#[tokio::test]
async fn a_provider_that_fails_in_the_middle_is_told_and_what_was_said_stays() {
    let broken = json!({ "reply": { "blocks": [{ "text": "I begin with this and go on." }], "faults": { "errorAfter": 6, "errorKind": "overloaded_error", "pieceChars": 3 } } });
    let stage = Stage::new(Dialect::Anthropic, json!([broken, says("Better now.")])).await;
    let conversation = stage.conversation().await;
    let events = stage.say(&conversation, "hello").await;
    let error = events.last().expect("an end");
    assert_eq!(
        (&error["type"], &error["class"]),
        (&json!("error"), &json!("overloaded")),
        "{events:#?}"
    );
    let read = stage
        .get(&format!("/admin/api/ai/conversations/{conversation}"))
        .await;
    assert_eq!(read["lastTurn"]["state"], "failed");
    let log = stage.get("/admin/api/audit?limit=50").await;
    let entries = log["entries"].as_array().expect("entries");
    let failed = entries
        .iter()
        .find(|entry| entry["action"] == "ai.chat.failed");
    assert_eq!(failed.expect("an entry")["subject"], read["lastTurn"]["id"]);
    assert!(
        read["messages"][1]["content"][0]["text"]
            .as_str()
            .is_some_and(|text| text.starts_with("I b")),
        "{read}"
    );
    assert_eq!(
        text(&stage.say(&conversation, "and now?").await),
        "Better now."
    );
    is_quiet(&stage).await;
}

#[tokio::test]
async fn without_a_model_or_with_nonsense_the_answer_says_what_to_do() {
    let stage = Stage::new(Dialect::Anthropic, json!([])).await;
    let conversation = stage.conversation().await;
    let say = async |body: Value| {
        let answer = stage
            .ada
            .call(&stage.instance, "POST", "/admin/api/ai/chat/site", body)
            .await;
        answer.said()
    };
    assert_eq!(
        say(json!({ "conversationId": conversation, "prompt": "  " })).await,
        "400 invalid_input: `prompt` is empty; say something."
    );
    assert_eq!(
        say(json!({ "conversationId": "nowhere", "prompt": "x" })).await,
        "404 not_found: There is no such conversation."
    );
    let picture = json!({ "conversationId": conversation, "prompt": "x", "images": [{ "mimeType": "text/html", "data": "" }] });
    assert!(
        say(picture)
            .await
            .contains("is not a picture that can be sent")
    );
    let elsewhere = stage
        .ada
        .call(
            &stage.instance,
            "POST",
            "/admin/api/ai/chat/content",
            json!({ "conversationId": conversation, "prompt": "x" }),
        )
        .await;
    assert!(
        elsewhere
            .said()
            .contains("This conversation is about `site`"),
        "{elsewhere:?}"
    );
    for scope in ["site", "content", "data", "plugin", "breadcrumbs"] {
        let cleared = stage
            .ada
            .call(
                &stage.instance,
                "DELETE",
                &format!("/admin/api/ai/defaults/{scope}"),
                Value::Null,
            )
            .await;
        assert_eq!(cleared.said(), "204");
    }
    let begun = stage
        .post("/admin/api/ai/conversations", json!({ "scope": "site" }))
        .await;
    assert_eq!(
        say(json!({ "conversationId": begun["id"], "prompt": "x" })).await,
        "400 invalid_input: No AI provider is chosen for this: choose a model, or set a default in AI settings."
    );
}

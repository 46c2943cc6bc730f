//! People and a turn: approvals, what is said meanwhile, edits of others, budgets, and what somebody may not do.

use serde_json::{Value, json};
use sitewright_testkit::model::Dialect;

use super::{Stage, calls, of_type, says, text};

/// A stage with a page that can be deleted, and its id.
async fn with_page(rounds: impl Fn(&str) -> Value) -> (Stage, String) {
    let before = Stage::new(Dialect::Anthropic, json!([])).await;
    let added = before.tool("addPage", json!({ "title": "Old" })).await;
    let page = added["pageId"].as_str().expect("a page").to_owned();
    let Stage { instance, ada, .. } = before;
    let stage = Stage::on(instance, ada, Dialect::Anthropic, rounds(&page)).await;
    (stage, page)
}

async fn pages(stage: &Stage) -> String {
    stage.tool("list_documents", json!({})).await.to_string()
}

#[tokio::test]
async fn a_call_that_asks_waits_in_the_stream_and_goes_on_after_a_yes() {
    let rounds = |page: &str| {
        json!([
            calls("c1", "deletePage", json!({ "pageId": page })),
            { "expect": ["\\\"ok\\\":true"], "reply": { "blocks": [{ "text": "It is gone." }] } },
        ])
    };
    let (stage, page) = with_page(rounds).await;
    let conversation = stage.conversation().await;
    let mut turn = stage
        .open(json!({ "conversationId": conversation, "prompt": "remove the old page" }))
        .await;
    let asked = turn.until("approvalRequest").await;
    assert_eq!(asked["toolName"], "deletePage");
    assert_eq!(asked["preview"]["change"]["pagesRemoved"], 1, "{asked}");
    assert!(
        pages(&stage).await.contains(&page),
        "nothing happens before the yes"
    );
    let path = format!(
        "/admin/api/approvals/{}",
        asked["approvalId"].as_str().expect("an id")
    );
    stage.post(&path, json!({ "decision": "approve" })).await;
    let events = turn.rest().await;
    assert_eq!(
        of_type(&events, "approvalResolved")[0]["decision"],
        "approved"
    );
    assert_eq!(text(&events), "It is gone.");
    assert!(!pages(&stage).await.contains(&page));
}

#[tokio::test]
async fn a_no_is_told_to_the_model_with_what_to_do() {
    let rounds = |page: &str| {
        json!([
            calls("c1", "deletePage", json!({ "pageId": page })),
            { "expect": ["A person denied this call", "ask what they want instead"], "reply": { "blocks": [{ "text": "Then it stays." }] } },
        ])
    };
    let (stage, page) = with_page(rounds).await;
    let conversation = stage.conversation().await;
    let mut turn = stage
        .open(json!({ "conversationId": conversation, "prompt": "remove it" }))
        .await;
    let asked = turn.until("approvalRequest").await;
    let path = format!(
        "/admin/api/approvals/{}",
        asked["approvalId"].as_str().expect("an id")
    );
    stage.post(&path, json!({ "decision": "deny" })).await;
    let events = turn.rest().await;
    assert_eq!(text(&events), "Then it stays.");
    assert!(pages(&stage).await.contains(&page));
}

#[tokio::test]
async fn stopping_a_turn_that_waits_takes_its_question_back() {
    let rounds = |page: &str| {
        json!([
            calls("c1", "deletePage", json!({ "pageId": page })),
            says("Hello again.")
        ])
    };
    let (stage, page) = with_page(rounds).await;
    let conversation = stage.conversation().await;
    let mut turn = stage
        .open(json!({ "conversationId": conversation, "prompt": "remove it" }))
        .await;
    let id = turn.until("bridgeReady").await["turnId"]
        .as_str()
        .expect("an id")
        .to_owned();
    turn.until("approvalRequest").await;
    let stopped = stage
        .post(&format!("/admin/api/ai/turns/{id}/abort"), json!({}))
        .await;
    assert_eq!(stopped["stopped"], true);
    let events = turn.rest().await;
    assert_eq!(
        events.last().expect("an end")["outcome"],
        "stopped",
        "{events:#?}"
    );
    let inbox = stage.get("/admin/api/approvals").await;
    assert_eq!(inbox["approvals"], json!([]));
    assert!(pages(&stage).await.contains(&page));
    assert_eq!(
        text(&stage.say(&conversation, "hello?").await),
        "Hello again."
    );
}

#[tokio::test]
async fn what_is_said_meanwhile_is_taken_up_at_the_next_round() {
    let rounds = |page: &str| {
        json!([
            calls("c1", "deletePage", json!({ "pageId": page })),
            { "expect": ["and make it blue"], "reply": { "blocks": [{ "text": "Blue it is." }] } },
        ])
    };
    let (stage, _) = with_page(rounds).await;
    let conversation = stage.conversation().await;
    let mut turn = stage
        .open(json!({ "conversationId": conversation, "prompt": "remove it" }))
        .await;
    let asked = turn.until("approvalRequest").await;
    let mut second = stage
        .open(json!({ "conversationId": conversation, "prompt": "and make it blue" }))
        .await;
    assert_eq!(second.next().await.expect("a state")["status"], "waiting");
    let queued = second.until("queued").await;
    assert_eq!(queued["text"], "and make it blue");
    let path = format!(
        "/admin/api/approvals/{}",
        asked["approvalId"].as_str().expect("an id")
    );
    stage.post(&path, json!({ "decision": "approve" })).await;
    let events = turn.rest().await;
    assert_eq!(of_type(&events, "takenUp")[0]["text"], "and make it blue");
    assert_eq!(text(&events), "Blue it is.");
    assert_eq!(text(&second.rest().await), "Blue it is.");
}

#[tokio::test]
async fn what_no_round_takes_up_has_a_turn_of_its_own() {
    let stuck = json!({ "reply": { "blocks": [{ "text": "One moment." }], "faults": { "stallAfter": 4 } } });
    let answer = json!({ "expect": ["second thing"], "reply": { "blocks": [{ "text": "Second answer." }] } });
    let rounds = json!([stuck, answer]);
    let stage = Stage::new(Dialect::Anthropic, rounds).await;
    let conversation = stage.conversation().await;
    let mut turn = stage
        .open(json!({ "conversationId": conversation, "prompt": "first thing" }))
        .await;
    let first = turn.until("bridgeReady").await["turnId"].clone();
    let first = first.as_str().expect("an id");
    // A round that has not begun would take the second thing up.
    turn.until("text").await;
    let mut second = stage
        .open(json!({ "conversationId": conversation, "prompt": "second thing" }))
        .await;
    second.until("queued").await;
    stage
        .post(&format!("/admin/api/ai/turns/{first}/abort"), json!({}))
        .await;
    let next = second.until("nextTurn").await;
    let mut followed = stage.follow(next["turnId"].as_str().expect("an id")).await;
    let state = followed.next().await.expect("a state");
    assert_eq!(state["blocks"][0]["text"], "second thing");
    // It may have said a part of it, or all, before anybody looked.
    let so_far = state["blocks"][1]["text"].as_str().unwrap_or_default();
    let rest = text(&followed.rest().await);
    assert_eq!(format!("{so_far}{rest}"), "Second answer.");
    turn.rest().await;
}

#[tokio::test]
async fn an_edit_of_a_person_wins_and_the_model_is_told_to_read_again() {
    let before = Stage::new(Dialect::Anthropic, json!([])).await;
    let root = before.root().await;
    let made = before
        .tool(
            "insertHtml",
            json!({ "parentId": root, "html": "<h1>First</h1>" }),
        )
        .await;
    let node = made["nodeIds"][0].as_str().expect("a node").to_owned();
    let doomed = before.tool("addPage", json!({ "title": "Old" })).await;
    let Stage { instance, ada, .. } = before;
    let rename =
        |id: &str, label: &str| calls(id, "renameNode", json!({ "nodeId": node, "label": label }));
    let rounds = json!([
        calls("c1", "read_document", json!({})),
        // Waiting for a yes leaves time for a person to edit.
        calls("c2", "deletePage", json!({ "pageId": doomed["pageId"] })),
        rename("c3", "Title of mine"),
        { "expect": ["Someone else has changed this", "read_document"], "reply": { "blocks": [{ "toolCall": { "id": "c4", "name": "read_document", "arguments": {} } }] } },
        rename("c5", "Heading"),
        says("Renamed."),
    ]);
    let stage = Stage::on(instance, ada, Dialect::Anthropic, rounds).await;
    // The home page is open again.
    let conversation = stage.conversation().await;
    let home = stage.tool("list_documents", json!({})).await["documents"][0]["document"].clone();
    let body = json!({ "conversationId": conversation, "prompt": "name it", "executor": "headless", "snapshot": { "currentDocument": home } });
    let mut turn = stage.open(body).await;
    let asked = turn.until("approvalRequest").await;
    stage
        .tool(
            "renameNode",
            json!({ "nodeId": node, "label": "Ada's title" }),
        )
        .await;
    let path = format!(
        "/admin/api/approvals/{}",
        asked["approvalId"].as_str().expect("an id")
    );
    stage.post(&path, json!({ "decision": "approve" })).await;
    let events = turn.rest().await;
    assert_eq!(text(&events), "Renamed.", "{events:#?}");
    let results: Vec<&Value> = of_type(&events, "toolResult")
        .iter()
        .map(|result| &result["ok"])
        .collect();
    assert_eq!(results, [true, false, true, true], "{events:#?}");
}

#[tokio::test]
async fn a_final_answer_is_held_against_what_happened() {
    let rounds = json!([
        calls("c1", "deleteNode", json!({ "nodeId": "00000000000000000000000000" })),
        calls("c2", "finalAnswer", json!({ "text": "I removed it." })),
        { "expect": ["the last call of deleteNode failed"], "reply": { "blocks": [{ "toolCall": { "id": "c3", "name": "finalAnswer", "arguments": { "text": "I could not remove it." } } }] } },
    ]);
    let stage = Stage::new(Dialect::Anthropic, rounds).await;
    let conversation = stage.conversation().await;
    let events = stage.say(&conversation, "remove the node").await;
    assert_eq!(text(&events), "I could not remove it.", "{events:#?}");
}

#[tokio::test]
async fn somebody_who_may_not_write_gets_tools_that_look() {
    let stage = Stage::new(Dialect::Anthropic, json!([says("I can only look.")])).await;
    let role = json!({ "name": "Reader", "capabilities": ["ai.chat", "site.read", "tools.call"] });
    let made = stage
        .ada
        .call(&stage.instance, "PUT", "/admin/api/roles/reader", role)
        .await;
    assert!(made.status.is_success(), "{made:?}");
    let eve = stage.instance.member("eve@example.com", "reader").await;
    let body = json!({ "scope": "site", "credentialId": stage.credential, "modelId": super::model(stage.dialect) });
    let begun = eve
        .call(&stage.instance, "POST", "/admin/api/ai/conversations", body)
        .await;
    let body = json!({ "conversationId": begun.body["id"], "prompt": "add a page" });
    let request = crate::instance::request("POST", "/admin/api/ai/chat/site", Some(body));
    let mut turn = super::Stream::of(&stage.instance, eve.dress(request)).await;
    assert_eq!(text(&turn.rest().await), "I can only look.");
    let sent = stage.simulator.requests().remove(0);
    let names: Vec<&str> = sent["tools"]
        .as_array()
        .expect("tools")
        .iter()
        .filter_map(|tool| tool["name"].as_str())
        .collect();
    assert!(
        names.contains(&"read_document") && !names.contains(&"insertHtml"),
        "{names:?}"
    );
    assert!(sent["system"].to_string().contains("Looking only"));
    let viewer = stage.instance.member("vera@example.com", "viewer").await;
    let refused = viewer
        .call(
            &stage.instance,
            "POST",
            "/admin/api/ai/conversations",
            json!({ "scope": "site" }),
        )
        .await;
    assert_eq!(refused.status.as_u16(), 403);
}

#[tokio::test]
async fn a_turn_stops_at_its_cap_and_a_month_before_it_begins() {
    let stage = Stage::new(
        Dialect::Anthropic,
        json!([
            calls("c1", "addPage", json!({ "title": "Kept" })),
            says("never asked")
        ]),
    )
    .await;
    let caps = json!({ "turnUsd": 0.000001, "userMonthUsd": 0.000001 });
    let set = stage
        .ada
        .call(&stage.instance, "PUT", "/admin/api/ai/budget", caps)
        .await;
    assert!(set.status.is_success(), "{set:?}");
    let conversation = stage.conversation().await;
    let events = stage.say(&conversation, "add a page").await;
    let reached = of_type(&events, "budget");
    assert_eq!(
        reached.last().expect("a budget")["limit"],
        "cost",
        "{events:#?}"
    );
    assert_eq!(events.last().expect("an end")["outcome"], "budget");
    assert!(pages(&stage).await.contains("Kept"), "what was done stays");
    let body = json!({ "conversationId": conversation, "prompt": "more" });
    let refused = stage
        .ada
        .call(&stage.instance, "POST", "/admin/api/ai/chat/site", body)
        .await;
    assert_eq!(refused.body["code"], "budget_exceeded", "{refused:?}");
    assert_eq!(stage.simulator.rounds_left(), 1);
}

#[tokio::test]
async fn the_brief_of_people_is_in_the_prompt_and_the_prefix_stays_the_same() {
    let stage = Stage::new(Dialect::Anthropic, json!([says("One."), says("Two.")])).await;
    let brief = json!({ "brief": "We sell engines. Never say cheap." });
    let set = stage
        .ada
        .call(&stage.instance, "PUT", "/admin/api/ai/brief", brief)
        .await;
    assert!(set.status.is_success(), "{set:?}");
    let conversation = stage.conversation().await;
    stage.say(&conversation, "first").await;
    stage.tool("addPage", json!({ "title": "Between" })).await;
    stage.say(&conversation, "second").await;
    let sent = stage.simulator.requests();
    assert!(sent[0]["system"].to_string().contains("Never say cheap."));
    assert_eq!(sent[0]["system"][0], sent[1]["system"][0], "the prefix");
    assert_ne!(sent[0]["system"], sent[1]["system"], "the rest");
    assert_eq!(sent[0]["tools"], sent[1]["tools"]);
}

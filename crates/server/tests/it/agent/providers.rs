//! The same request with every provider, and what is kept of it.

use serde_json::{Value, json};
use sitewright_testkit::model::Dialect;

use super::{PLANTED, Stage, landing_page, of_type, text};
use crate::ai::with_loopback;

#[tokio::test]
async fn every_provider_builds_a_landing_page_as_asked() {
    let mut pages = Vec::new();
    for dialect in Dialect::ALL {
        let (instance, ada) = with_loopback().await;
        let before = Stage::on(instance, ada, dialect, json!([])).await;
        let root = before.root().await;
        let Stage { instance, ada, .. } = before;
        let stage = Stage::on(instance, ada, dialect, landing_page(&root)).await;
        let conversation = stage.conversation().await;
        let asked = "build a landing page with hero, pricing and footer";
        let events = stage.say(&conversation, asked).await;
        let mut failed = of_type(&events, "toolResult");
        failed.retain(|result| result["ok"] != true);
        assert!(failed.is_empty(), "{dialect:?}: {failed:#?}");
        assert_eq!(
            text(&events),
            "The page has a hero, prices and a footer now."
        );
        assert_eq!(events[0]["type"], "bridgeReady", "{events:#?}");
        assert_eq!(
            events.last().expect("an end")["type"],
            "done",
            "{events:#?}"
        );
        assert_eq!(of_type(&events, "change").len(), 4);
        assert_eq!(of_type(&events, "toolRequest").len(), 0);
        let budget = of_type(&events, "budget")[0];
        assert_eq!(
            (&budget["phase"], &budget["capUsd"]),
            (&json!("before"), &json!(2.0))
        );
        assert_eq!(stage.simulator.rounds_left(), 0);
        pages.push(stage.page().await);
    }
    assert!(
        pages[0].contains("<h1>Engines that think</h1>"),
        "{}",
        pages[0]
    );
    assert!(pages.iter().all(|page| *page == pages[0]), "{pages:#?}");
}

#[tokio::test]
async fn a_conversation_keeps_what_was_said_and_used() {
    let rounds = json!([
        super::calls("c1", "addPage", json!({ "title": "About" })),
        super::says("There is an About page now."),
        { "expect": ["Add About", "There is an About page now.", "pageId", "What was the page?"], "reply": { "blocks": [{ "text": "About." }] } },
    ]);
    let stage = Stage::new(Dialect::Anthropic, rounds).await;
    let conversation = stage.conversation().await;
    stage.say(&conversation, "Add About").await;
    let events = stage.say(&conversation, "What was the page?").await;
    assert_eq!(text(&events), "About.");
    let path = format!("/admin/api/ai/conversations/{conversation}");
    let read = stage.get(&path).await;
    assert_eq!(read["conversation"]["title"], "Add About");
    assert!(
        read["conversation"]["contextTokens"]
            .as_u64()
            .is_some_and(|tokens| tokens > 0)
    );
    let roles: Vec<&str> = read["messages"]
        .as_array()
        .expect("messages")
        .iter()
        .filter_map(|message| message["role"].as_str())
        .collect();
    assert_eq!(
        roles,
        [
            "user",
            "assistant",
            "tool",
            "assistant",
            "user",
            "assistant"
        ]
    );
    let result = &read["messages"][2]["content"][0];
    assert_eq!(
        (&result["kind"], &result["ok"]),
        (&json!("toolResult"), &json!(true))
    );
    let audit = stage.get("/admin/api/ai/audit").await;
    assert_eq!(audit["totals"]["runs"], 2, "{audit}");
    assert!(
        audit["totals"]["costUsd"]
            .as_f64()
            .is_some_and(|cost| cost > 0.0)
    );
    let log = stage.get("/admin/api/audit?limit=50").await.to_string();
    assert!(log.contains("ai.chat.completed"), "{log}");
    // History is not shown to others.
    let eve = stage.instance.member("eve@example.com", "editor").await;
    let denied = eve.get(&stage.instance, &path).await;
    assert_eq!(
        denied.said(),
        "404 not_found: There is no such conversation."
    );
}

#[tokio::test]
async fn an_answer_has_the_tokens_of_its_turn_and_their_cost_at_the_prices_of_the_picker() {
    let stage = Stage::new(Dialect::Anthropic, json!([super::says("Hello.")])).await;
    let conversation = stage.conversation().await;
    stage.say(&conversation, "Say hello").await;
    let path = format!("/admin/api/ai/conversations/{conversation}");
    let read = stage.get(&path).await;
    let answer = &read["messages"][1];
    assert_eq!(answer["role"], "assistant", "{read}");
    let turn = answer["turnId"].as_str().expect("a turn");
    let turn = stage.get(&format!("/admin/api/ai/turns/{turn}")).await;
    let (outcome, usage) = (&turn["outcome"], &turn["outcome"]["usage"]);
    let path = format!(
        "/admin/api/ai/providers/anthropic/models?credentialId={}",
        stage.credential
    );
    let offer = stage.get(&path).await;
    let models = offer["models"].as_array().expect("models");
    let model = models.iter().find(|model| model["id"] == outcome["model"]);
    let price = &model.expect("the model of the turn")["pricing"];
    let number = |value: &Value| value.as_f64().expect("a number");
    let parts = [
        ("promptTokens", "prompt"),
        ("completionTokens", "completion"),
        ("cacheReadTokens", "cacheRead"),
        ("cacheCreationTokens", "cacheWrite"),
    ];
    let costs = parts.map(|(tokens, each)| number(&usage[tokens]) * number(&price[each]));
    let cost: f64 = costs.iter().sum();
    assert!(cost > 0.0, "{turn} {price}");
    assert!(
        (number(&outcome["costUsd"]) - cost / 1e6).abs() < 1e-9,
        "{turn} {price}"
    );
}

#[tokio::test]
async fn keys_appear_nowhere() {
    let rounds = json!([
        super::calls("c1", "addPage", json!({ "title": "About" })),
        { "error": { "status": 401, "message": format!("the key {PLANTED} is wrong") } },
    ]);
    let stage = Stage::new(Dialect::OpenAi, rounds).await;
    let conversation = stage.conversation().await;
    let events = stage.say(&conversation, "Add About").await;
    assert_eq!(
        events.last().expect("an end")["type"],
        "error",
        "{events:#?}"
    );
    let mut everything = format!("{events:?}");
    for path in [
        format!("/admin/api/ai/conversations/{conversation}"),
        "/admin/api/ai/conversations".to_owned(),
        "/admin/api/ai/credentials".to_owned(),
        "/admin/api/ai/audit".to_owned(),
        "/admin/api/audit?limit=100".to_owned(),
        "/admin/api/calls".to_owned(),
        "/tools".to_owned(),
    ] {
        everything.push_str(&stage.get(&path).await.to_string());
    }
    for request in stage.simulator.requests() {
        everything.push_str(&request.to_string());
    }
    for file in std::fs::read_dir(&stage.instance.settings.data).expect("a folder") {
        let path = file.expect("a file").path();
        if path.is_file() {
            let bytes = std::fs::read(&path).expect("bytes");
            everything.push_str(&String::from_utf8_lossy(&bytes));
        }
    }
    assert!(!everything.contains(PLANTED), "a key was seen");
    assert!(
        !everything.contains("sk-planted"),
        "a part of a key was seen"
    );
}

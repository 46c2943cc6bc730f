//! The built-in commands: whole turns without any credential, through the same route and with the same approvals.

use serde_json::{Value, json};

use super::Stream;
use crate::ai::with_loopback;
use crate::instance::{Browser, Instance, request};

async fn say(instance: &Instance, ada: &Browser, conversation: &str, prompt: &str) -> Vec<Value> {
    let body = json!({ "conversationId": conversation, "prompt": prompt });
    let request = request("POST", "/admin/api/ai/chat/site", Some(body));
    Stream::of(instance, ada.dress(request)).await.rest().await
}

async fn titles(instance: &Instance, ada: &Browser) -> Vec<String> {
    let body = json!({ "tool": "list_documents", "scope": "site", "arguments": {} });
    let answer = ada.call(instance, "POST", "/tools/call", body).await.body;
    let documents = answer["data"]["documents"].as_array().cloned();
    let titles = documents.unwrap_or_default().into_iter();
    titles
        .map(|document| document["title"].as_str().unwrap_or_default().to_owned())
        .collect()
}

fn words(events: &[Value]) -> String {
    let texts = events.iter().filter(|event| event["type"] == "text");
    texts.filter_map(|event| event["text"].as_str()).collect()
}

#[tokio::test]
async fn without_a_key_a_page_is_added_and_taken_back_and_nothing_is_counted() {
    let (instance, ada) = with_loopback().await;
    let begun = ada
        .call(
            &instance,
            "POST",
            "/admin/api/ai/conversations",
            json!({ "scope": "site" }),
        )
        .await;
    let conversation = begun.body["id"]
        .as_str()
        .expect("a conversation")
        .to_owned();
    let events = say(&instance, &ada, &conversation, "add a team page").await;
    assert_eq!(words(&events), "Added the page “Team” at /team.");
    assert_eq!(titles(&instance, &ada).await, ["Home", "Team"]);
    let costs = ["usage", "context", "budget"];
    let counted = events
        .iter()
        .filter(|event| costs.iter().any(|kind| event["type"] == *kind));
    assert_eq!(counted.count(), 0, "{events:?}");
    let events = say(&instance, &ada, &conversation, "undo that").await;
    assert_eq!(
        words(&events),
        "Took back the last change. Say “redo” to have it again."
    );
    assert_eq!(titles(&instance, &ada).await, ["Home"]);
    let events = say(
        &instance,
        &ada,
        &conversation,
        "make it all look more modern",
    )
    .await;
    assert!(words(&events).contains("Connect a provider in AI settings"));
}

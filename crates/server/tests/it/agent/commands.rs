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

#[tokio::test]
async fn the_list_over_http_is_the_one_of_the_documentation() {
    let (instance, ada) = Instance::owned().await;
    let list = ada.get(&instance, "/admin/api/ai/commands").await.body;
    let groups = list["groups"].as_array().expect("groups");
    let page = include_str!("../../../../../docs/commands.md");
    let mut examples = 0;
    for group in groups {
        let title = group["title"].as_str().expect("a title");
        assert!(page.contains(&format!("\n## {title}\n")), "{title}");
        for example in group["examples"].as_array().expect("examples") {
            let line = format!("\n- {}\n", example.as_str().expect("words"));
            assert!(page.contains(&line), "{line}");
            examples += 1;
        }
    }
    assert!(examples > 50, "{examples}");
}

#[tokio::test]
async fn others_see_whose_turn_is_under_way() {
    let (instance, ada) = with_loopback().await;
    let bob = instance.member("bob@example.com", "viewer").await;
    let begun = json!({ "scope": "site" });
    let begun = ada
        .call(&instance, "POST", "/admin/api/ai/conversations", begun)
        .await;
    let conversation = begun.body["id"].as_str().expect("a conversation");
    let body = json!({ "conversationId": conversation, "prompt": "publish the site" });
    let request = request("POST", "/admin/api/ai/chat/site", Some(body));
    let mut stream = Stream::of(&instance, ada.dress(request)).await;
    stream.until("approvalRequest").await;
    let path = "/admin/api/site/presence";
    let nowhere = json!({ "page": null });
    let seen = bob.call(&instance, "PUT", path, nowhere.clone()).await.body;
    let turn = &seen["turns"][0];
    assert_eq!(
        (&turn["who"]["name"], &turn["conversation"]),
        (&json!("Ada"), &Value::Null)
    );
    let seen = ada.call(&instance, "PUT", path, nowhere).await.body;
    assert_eq!(seen["turns"][0]["conversation"], conversation);
}

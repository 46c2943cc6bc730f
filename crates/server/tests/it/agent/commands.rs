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

/// Says something and approves what it asks for.
async fn say_and_approve(
    instance: &Instance,
    ada: &Browser,
    conversation: &str,
    prompt: &str,
) -> Vec<Value> {
    let body = json!({ "conversationId": conversation, "prompt": prompt });
    let request = request("POST", "/admin/api/ai/chat/site", Some(body));
    let mut turn = Stream::of(instance, ada.dress(request)).await;
    let asked = turn.until("approvalRequest").await;
    let path = format!(
        "/admin/api/approvals/{}",
        asked["approvalId"].as_str().expect("an id")
    );
    let yes = json!({ "decision": "approve" });
    assert_eq!(ada.call(instance, "POST", &path, yes).await.said(), "200");
    turn.rest().await
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
    // Taking the page back removes it, and removing a page asks.
    let events = say_and_approve(&instance, &ada, &conversation, "undo that").await;
    assert_eq!(
        words(&events),
        "Undid the last change. Say “redo” to bring it back."
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

async fn conversation(instance: &Instance, ada: &Browser) -> String {
    let path = "/admin/api/ai/conversations";
    let begun = ada
        .call(instance, "POST", path, json!({ "scope": "site" }))
        .await;
    begun.body["id"]
        .as_str()
        .expect("a conversation")
        .to_owned()
}

#[tokio::test]
async fn a_landing_page_is_built_on_the_empty_page_with_one_main_heading() {
    let (instance, ada) = with_loopback().await;
    let conversation = conversation(&instance, &ada).await;
    let prompt = "build a landing page with hero, pricing and footer";
    let events = say(&instance, &ada, &conversation, prompt).await;
    assert_eq!(
        words(&events),
        "Built on the empty page “Home”: hero, pricing and footer. Texts and pictures are placeholders; replace them before you publish."
    );
    let body = json!({ "tool": "read_document", "scope": "site", "arguments": {} });
    let read = ada.call(&instance, "POST", "/tools/call", body).await.body["data"].to_string();
    let count = |needle: &str| read.matches(needle).count();
    assert_eq!(
        (count("<h1"), count("<h2"), count("<footer")),
        (1, 1, 1),
        "{read}"
    );
    assert_eq!(titles(&instance, &ada).await, ["Home"]);
}

#[tokio::test]
async fn a_plan_of_the_commands_is_accepted_in_part() {
    let (instance, ada) = with_loopback().await;
    let conversation = conversation(&instance, &ada).await;
    let prompt = "add a page called Team with a hero and a gallery, and a page called Jobs";
    let body = json!({ "conversationId": conversation, "prompt": prompt, "mode": "plan" });
    let request = request("POST", "/admin/api/ai/chat/site", Some(body));
    let events = Stream::of(&instance, ada.dress(request)).await.rest().await;
    let plan = events.iter().find(|event| event["type"] == "plan");
    let plan = plan.unwrap_or_else(|| panic!("no plan in {events:?}"));
    let log = json!([
        "Adds the page “Team”.",
        "Adds a hero section.",
        "Adds a gallery section.",
        "Adds the page “Jobs”.",
        "Adds a section.",
    ]);
    assert_eq!(plan["plan"]["plan"]["change_log"], log, "{plan}");
    assert_eq!(titles(&instance, &ada).await, ["Home"]);
    let turn = events[0]["turnId"].as_str().expect("an id");
    let path = format!("/admin/api/ai/turns/{turn}/plan");
    let done = ada
        .call(&instance, "POST", &path, json!({ "accept": [0, 1] }))
        .await;
    assert_eq!(done.said(), "200", "{}", done.body);
    assert_eq!(titles(&instance, &ada).await, ["Home", "Team"]);
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
async fn examples_are_about_pages_of_the_site() {
    let (instance, ada) = with_loopback().await;
    let begun = json!({ "scope": "site" });
    let begun = ada
        .call(&instance, "POST", "/admin/api/ai/conversations", begun)
        .await;
    let conversation = begun.body["id"].as_str().expect("an id").to_owned();
    say(&instance, &ada, &conversation, "add a page called The team").await;
    let list = ada.get(&instance, "/admin/api/ai/commands").await.body;
    let text = list.to_string();
    assert!(text.contains("open the team page"), "{text}");
    assert!(!text.contains("pricing page"), "{text}");
    say(
        &instance,
        &ada,
        &conversation,
        "rename the team page to Crew",
    )
    .await;
    assert_eq!(titles(&instance, &ada).await, ["Home", "Crew"]);
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

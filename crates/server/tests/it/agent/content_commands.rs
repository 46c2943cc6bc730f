//! The built-in commands in the content workspace.

use serde_json::{Value, json};

use super::{Stream, text};
use crate::ai::with_loopback;
use crate::instance::{Browser, Instance, request};

struct Chat {
    instance: Instance,
    ada: Browser,
    conversation: Value,
}

impl Chat {
    async fn begin() -> Self {
        let (instance, ada) = with_loopback().await;
        let path = "/admin/api/ai/conversations";
        let begin = json!({ "scope": "content" });
        let begun = ada.call(&instance, "POST", path, begin).await.body;
        let conversation = begun["id"].clone();
        Self {
            instance,
            ada,
            conversation,
        }
    }

    /// Says something, and yes to what it asks for.
    async fn say(&self, prompt: &str) -> String {
        let said = json!({ "conversationId": self.conversation, "prompt": prompt });
        let said = request("POST", "/admin/api/ai/chat/content", Some(said));
        let mut turn = Stream::of(&self.instance, self.ada.dress(said)).await;
        let mut events = Vec::new();
        while let Some(event) = turn.next().await {
            if event["type"] == "approvalRequest" {
                let id = event["approvalId"].as_str().expect("an id");
                let path = format!("/admin/api/approvals/{id}");
                let yes = json!({ "decision": "approve" });
                let approved = self.ada.call(&self.instance, "POST", &path, yes).await;
                assert_eq!(approved.said(), "200");
            }
            events.push(event);
        }
        text(&events)
    }

    /// The items that a tool finds.
    async fn found(&self, tool: &str, arguments: Value) -> Vec<Value> {
        let call = json!({ "tool": tool, "scope": "content", "arguments": arguments });
        let answer = self
            .ada
            .call(&self.instance, "POST", "/tools/call", call)
            .await;
        let items = answer.body["data"]["items"].as_array().cloned();
        items.unwrap_or_else(|| panic!("{answer:?}"))
    }

    async fn post(&self) -> Value {
        let slug = json!({ "slug": "winter-tyres" });
        self.found("getPost", slug).await.remove(0)
    }
}

#[tokio::test]
async fn a_post_is_written_and_put_into_a_menu() {
    let chat = Chat::begin().await;
    assert_eq!(
        chat.say("write a post about winter tyres").await,
        "Started the draft “Winter tyres” in Blog. Text in square brackets is a placeholder; replace it before you publish."
    );
    let post = chat.post().await;
    assert_eq!(
        (&post["status"], &post["content"]["body"]),
        (
            &json!("draft"),
            &json!("[Write about “Winter tyres” here.]")
        )
    );
    assert_eq!(
        chat.say("add winter tyres to the footer menu").await,
        "Added “Winter tyres” to the menu “Footer”."
    );
    let items = json!({ "navigationId": "footer", "all": true });
    let items = chat.found("getNavItem", items).await;
    assert_eq!((items.len(), &items[0]["targetId"]), (1, &post["id"]));
    assert_eq!(
        chat.say("put the page Home in the menu").await,
        "Added “Home” to the menu “Header”."
    );
    assert_eq!(
        chat.say("add an entry called Trail map to the blog").await,
        "Added the draft “Trail map” to Blog."
    );
    assert_eq!(chat.found("getPost", json!({ "all": true })).await.len(), 2);
}

#[tokio::test]
async fn a_post_is_scheduled_and_deleted_after_a_yes() {
    let chat = Chat::begin().await;
    chat.say("write a post about winter tyres").await;
    let told = chat.say("publish the post winter tyres on Friday").await;
    let goes_live = "The post “Winter tyres” goes live on Friday, ";
    assert!(told.starts_with(goes_live), "{told}");
    let post = chat.post().await;
    assert_eq!(post["status"], "published");
    let at = post["publishAt"].as_str().unwrap_or_default();
    assert!(at.ends_with("T09:00:00Z"), "{post}");
    assert_eq!(
        chat.say("which posts are there?").await,
        "There are “Winter tyres”."
    );
    assert_eq!(
        chat.say("publish the post Summer tyres").await,
        "There is no “Summer tyres”. Ask “which posts are there?” to see them."
    );
    assert_eq!(
        chat.say("publish the post winter tyres on 2001-01-01")
            .await,
        "2001-01-01 isn’t in the future. Choose another day, or leave it out to publish now."
    );
    assert_eq!(
        chat.say("delete the post Winter tyres").await,
        "Deleted the post “Winter tyres”. You can restore it for 30 days."
    );
    let left = chat.found("getPost", json!({ "all": true })).await;
    assert_eq!(left, Vec::<Value>::new());
}

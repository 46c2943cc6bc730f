//! Content over HTTP: what there is, and the bin.

use serde_json::{Value, json};

use crate::instance::{Browser, Instance};

const BIN: &str = "/admin/api/content/bin";

async fn tool(instance: &Instance, by: &Browser, name: &str, arguments: Value) -> Value {
    let call = json!({ "tool": name, "scope": "content", "arguments": arguments });
    by.call(instance, "POST", "/tools/call", call).await.body
}

#[tokio::test]
async fn a_deleted_entry_is_restored_from_the_bin() {
    let (instance, ada) = Instance::owned().await;
    let setup = ada.get(&instance, "/admin/api/content/collections").await;
    assert_eq!(setup.said(), "200");
    let collection = &setup.body["collections"][0];
    assert_eq!(
        (&collection["slug"], &collection["fields"][0]["name"]),
        (&json!("blog"), &json!("body"))
    );
    assert_eq!(setup.body["navigations"][1]["slug"], "footer");
    let post = json!({ "collectionSlug": "blog", "slug": "a", "title": "A", "content": { "body": "Words" } });
    let made = tool(&instance, &ada, "createPost", post.clone()).await;
    assert_eq!(made["ok"], true, "{made}");
    let preview = tool(&instance, &ada, "deletePost", json!({ "slugs": ["a"] })).await;
    assert_eq!(preview["data"]["requiresConfirmation"], true, "{preview}");
    let delete = json!({ "slugs": ["a"], "confirmed": true });
    let deleted = tool(&instance, &ada, "deletePost", delete.clone()).await;
    assert_eq!(deleted["data"]["deleted"][0]["slug"], "a", "{deleted}");
    let bin = ada.get(&instance, BIN).await.body;
    let id = bin["entries"][0]["id"].as_str().expect("an id").to_owned();
    let restore = format!("{BIN}/{id}/restore");
    let viewer = instance.member("vic@example.com", "viewer").await;
    assert_eq!(
        viewer
            .call(&instance, "POST", &restore, json!({}))
            .await
            .status
            .as_u16(),
        403
    );
    assert_eq!(
        ada.call(&instance, "POST", &restore, json!({}))
            .await
            .said(),
        "200"
    );
    let back = tool(&instance, &ada, "getPost", json!({ "slug": "a" })).await;
    assert_eq!(back["data"]["items"][0]["content"]["body"], "Words");
    assert_eq!(
        ada.call(&instance, "POST", &restore, json!({}))
            .await
            .status
            .as_u16(),
        404
    );
    // While another entry has its slug, it stays in the bin.
    tool(&instance, &ada, "deletePost", delete).await;
    tool(&instance, &ada, "createPost", post).await;
    assert_eq!(
        ada.call(&instance, "POST", &restore, json!({}))
            .await
            .status
            .as_u16(),
        409
    );
}

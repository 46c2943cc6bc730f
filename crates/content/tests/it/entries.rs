//! getEntry, createEntry, updateEntry, deleteEntry.

use anyhow::{Context as _, Result};
use serde_json::{Value, json};
use sitewright_site::RecordId;
use sitewright_tool::Capability;

use crate::desk::{Desk, agent, on_both, someone};

on_both! {
    an_entry_is_created_read_changed_and_deleted
    exactly_one_selector_is_taken
    a_list_has_pages_and_filters
    what_does_not_fit_is_refused_by_name
    a_delete_shows_first_what_it_would_delete
    a_delete_takes_all_or_nothing
    deleting_names_who_refers_to_it
    permissions_and_approval_hold
    undo_reaches_entries
    a_hundred_are_deleted_at_once
}

async fn entry(desk: &Desk, slug: &str) -> Result<String> {
    let arguments = json!({ "collectionId": "blog", "slug": slug, "title": slug.to_uppercase() });
    let saved = desk.done("createEntry", arguments).await?;
    Ok(saved["id"].as_str().context("an id")?.to_owned())
}

async fn an_entry_is_created_read_changed_and_deleted(desk: Desk) -> Result<()> {
    let arguments = json!({ "collectionId": "blog", "slug": "hello", "title": "Hello",
        "content": { "body": "Words", "author": "Ana" }, "sortOrder": 3, "publishAt": "2026-03-31" });
    let saved = desk.done("createEntry", arguments).await?;
    let id = saved["id"].as_str().context("an id")?;
    assert_eq!(saved["item"]["permalink"], "/blog/hello");
    let light = desk.one("getEntry", json!({ "id": id })).await?;
    assert_eq!(light["content"], Value::Null);
    assert_eq!(
        (&light["status"], &light["publishAt"]),
        (&json!("draft"), &json!("2026-03-31T00:00:00Z"))
    );
    let merge = json!({ "id": id, "content": { "author": null, "excerpt": "Short" }, "slug": "hi", "publishAt": null });
    desk.done("updateEntry", merge).await?;
    let whole = desk
        .one("getEntry", json!({ "slug": "hi", "includeContent": true }))
        .await?;
    assert_eq!(
        whole["content"],
        json!({ "body": "Words", "excerpt": "Short" })
    );
    assert_eq!(
        (&whole["title"], &whole["publishAt"], &whole["sortOrder"]),
        (&json!("Hello"), &Value::Null, &json!(3))
    );
    desk.done("deleteEntry", json!({ "ids": [id], "confirmed": true }))
        .await?;
    let none = desk.done("getEntry", json!({ "id": id })).await?;
    assert_eq!(
        (&none["success"], &none["count"], &none["items"]),
        (&json!(true), &json!(0), &json!([]))
    );
    assert_eq!(desk.store.binned_entries(&desk.site, 10).await?.len(), 1);
    Ok(())
}

async fn exactly_one_selector_is_taken(desk: Desk) -> Result<()> {
    let every = "Provide id, slug, collectionId, query, or set all: true";
    assert_eq!(
        desk.refused("getEntry", json!({})).await?,
        format!("{every}.")
    );
    assert_eq!(
        desk.refused("getEntry", json!({ "slug": "a", "all": true }))
            .await?,
        format!("{every}, and only one of them; this call has slug and all.")
    );
    for fine in [
        json!({ "collectionId": "blog" }),
        json!({ "collectionId": "blog", "all": true }),
        json!({ "collectionId": "blog", "slug": "a" }),
    ] {
        desk.done("getEntry", fine).await?;
    }
    Ok(())
}

async fn a_list_has_pages_and_filters(desk: Desk) -> Result<()> {
    for slug in ["a", "b", "c"] {
        entry(&desk, slug).await?;
    }
    let first = desk
        .done("getEntry", json!({ "all": true, "limit": 2 }))
        .await?;
    assert_eq!((&first["count"], &first["total"]), (&json!(2), &json!(3)));
    let rest = desk
        .done(
            "getEntry",
            json!({ "all": true, "limit": 2, "cursor": first["next"] }),
        )
        .await?;
    assert_eq!((&rest["count"], &rest["next"]), (&json!(1), &Value::Null));
    let published = desk
        .done("getEntry", json!({ "all": true, "status": "published" }))
        .await?;
    assert_eq!(published["count"], json!(0));
    let limit = desk
        .refused("getEntry", json!({ "all": true, "limit": 0 }))
        .await?;
    assert_eq!(limit, "limit must be from 1 to 200; use cursor for more.");
    Ok(())
}

async fn what_does_not_fit_is_refused_by_name(desk: Desk) -> Result<()> {
    entry(&desk, "taken").await?;
    let create = |field: &str, value: Value| {
        let mut arguments = json!({ "collectionId": "blog", "slug": "x", "title": "X" });
        arguments[field] = value;
        arguments
    };
    for (arguments, expected) in [
        (
            create("content", json!({ "nonsense": 1 })),
            "There is no field `nonsense` here; the fields are body, excerpt, author, category, cover, featuredImage.",
        ),
        (
            create("content", json!({ "body": 1 })),
            "Entry `X`: `body` must be text.",
        ),
        (
            create("slug", json!("a b")),
            "`a b` is not a valid address: use letters, digits and hyphens, such as `about-us`.",
        ),
        (
            create("publishAt", json!("soon")),
            "publishAt must be a time such as 2026-03-31T18:00:00Z, or a day such as 2026-03-31.",
        ),
    ] {
        assert_eq!(desk.refused("createEntry", arguments).await?, expected);
    }
    let elsewhere = desk
        .refused("createEntry", create("collectionId", json!("shop")))
        .await?;
    assert!(
        elsewhere.starts_with("collectionId: there is no collection `shop`; there are `blog` ("),
        "{elsewhere}"
    );
    let unknown = desk
        .refused("createEntry", create("colour", json!("red")))
        .await?;
    assert!(unknown.contains("colour"), "{unknown}");
    let archived = desk
        .refused("createEntry", create("status", json!("archived")))
        .await?;
    assert!(archived.contains("status"), "{archived}");
    let taken = desk
        .refused("createEntry", create("slug", json!("taken")))
        .await?;
    assert!(taken.starts_with("The entry `TAKEN` ("), "{taken}");
    let nothing = desk
        .refused("updateEntry", json!({ "id": "000000000009" }))
        .await?;
    assert_eq!(
        nothing,
        "There is no entry 000000000009; getEntry names those there are."
    );
    Ok(())
}

async fn a_delete_shows_first_what_it_would_delete(desk: Desk) -> Result<()> {
    let ids = [entry(&desk, "a").await?, entry(&desk, "b").await?];
    let item = json!({ "navigationId": "header", "label": "A", "targetType": "entry", "targetId": ids[0] });
    desk.done("createNavItem", item).await?;
    let preview = desk.done("deleteEntry", json!({ "ids": ids })).await?;
    assert_eq!(preview["requiresConfirmation"], json!(true));
    assert_eq!(preview["message"], "Delete 2 entries?");
    assert_eq!(preview["items"][0]["navItems"], json!(["A"]));
    assert_eq!(preview["items"][1]["title"], "B");
    assert_eq!(
        desk.each("getEntry", json!({ "all": true }), "slug")
            .await?
            .len(),
        2
    );
    let deleted = desk
        .done("deleteEntry", json!({ "ids": ids, "confirmed": true }))
        .await?;
    assert_eq!(deleted["deleted"][0]["slug"], "a");
    let menu = desk
        .done(
            "getNavItem",
            json!({ "navigationId": "header", "all": true }),
        )
        .await?;
    assert_eq!(menu["count"], json!(0));
    Ok(())
}

async fn a_delete_takes_all_or_nothing(desk: Desk) -> Result<()> {
    let id = entry(&desk, "a").await?;
    let missing = json!({ "ids": [id, "000000000001", "000000000002"], "confirmed": true });
    assert_eq!(
        desk.refused("deleteEntry", missing).await?,
        "There is no entry 000000000001, 000000000002; nothing was deleted. getEntry names those there are."
    );
    desk.one("getEntry", json!({ "id": id })).await?;
    assert_eq!(
        desk.refused("deleteEntry", json!({ "ids": [] })).await?,
        "ids is empty; name at least one."
    );
    assert_eq!(
        desk.refused("deleteEntry", json!({ "ids": [id, id] }))
            .await?,
        "ids names something twice."
    );
    Ok(())
}

async fn deleting_names_who_refers_to_it(desk: Desk) -> Result<()> {
    let mut live = desk.store.live_site(&desk.site).await?;
    let (blog, collection) = live.site().collections().next().context("a blog")?;
    let mut fields = json!(collection.fields);
    fields
        .as_array_mut()
        .context("fields")?
        .push(json!({ "id": "000000000001", "name": "related", "kind": { "type": "references" } }));
    let op = json!({ "op": "put", "entity": { "type": "item", "list": "collections", "id": blog }, "field": "fields", "value": fields });
    let change = json!({ "id": "fields", "author": { "kind": "local" }, "summary": "", "ops": [op], "format": 1 });
    live.commit(&serde_json::from_value(change)?, &crate::desk::editor())
        .await?;
    drop(live);
    let (one, two) = (entry(&desk, "one").await?, entry(&desk, "two").await?);
    desk.done(
        "updateEntry",
        json!({ "id": two, "content": { "related": [one] } }),
    )
    .await?;
    let preview = desk.done("deleteEntry", json!({ "ids": [one] })).await?;
    assert_eq!(preview["items"][0]["referredToBy"], json!(["TWO"]));
    Ok(())
}

async fn permissions_and_approval_hold(desk: Desk) -> Result<()> {
    let id = entry(&desk, "a").await?;
    let reader = || someone(&[Capability::ContentRead, Capability::ToolsCall]);
    assert!(
        desk.call_as(reader(), "getEntry", json!({ "id": id }))
            .await
            .ok
    );
    let title = json!({ "id": id, "title": "Other" });
    assert!(
        !desk
            .call_as(reader(), "updateEntry", title.clone())
            .await
            .ok
    );
    let writer = || {
        someone(&[
            Capability::ContentRead,
            Capability::ContentWrite,
            Capability::ToolsCall,
        ])
    };
    assert!(desk.call_as(writer(), "updateEntry", title).await.ok);
    // Publishing needs a permission of its own, and asks.
    let publish = json!({ "id": id, "status": "published" });
    let refused = desk.call_as(writer(), "updateEntry", publish.clone()).await;
    let message = refused.error.context("a refusal")?.message;
    assert!(message.contains("content.publish"), "{message}");
    let asked = desk.call_as(agent(), "updateEntry", publish).await;
    assert_eq!(
        asked.error.context("it asks")?.code.as_str(),
        "approval_required"
    );
    // A model cannot confirm its own call.
    let delete = json!({ "ids": [id], "confirmed": true });
    let preview = desk.call_as(agent(), "deleteEntry", delete).await;
    assert_eq!(
        preview.data.context("a preview")?["requiresConfirmation"],
        json!(true)
    );
    desk.one("getEntry", json!({ "id": id, "status": "draft" }))
        .await?;
    Ok(())
}

async fn undo_reaches_entries(desk: Desk) -> Result<()> {
    let id = entry(&desk, "a").await?;
    desk.done("updateEntry", json!({ "id": id, "title": "Other" }))
        .await?;
    desk.done("undo", json!({})).await?;
    assert_eq!(
        desk.one("getEntry", json!({ "id": id })).await?["title"],
        "A"
    );
    desk.done("deleteEntry", json!({ "ids": [id], "confirmed": true }))
        .await?;
    desk.done("undo", json!({})).await?;
    assert_eq!(
        desk.one("getEntry", json!({ "id": id })).await?["title"],
        "A"
    );
    desk.done("redo", json!({})).await?;
    assert_eq!(
        desk.done("getEntry", json!({ "id": id })).await?["count"],
        json!(0)
    );
    Ok(())
}

async fn a_hundred_are_deleted_at_once(desk: Desk) -> Result<()> {
    let mut live = desk.store.live_site(&desk.site).await?;
    let (blog, _) = live.site().collections().next().context("a blog")?;
    let slugs: Vec<String> = (0..100).map(|number| format!("p{number}")).collect();
    let posts = slugs.iter().zip(1u64..).map(|(slug, number)| {
        let record = json!({ "collection": blog, "slug": slug, "title": slug });
        json!({ "op": "insert", "new": { "type": "record", "id": RecordId::from(number), "record": record } })
    });
    let ops: Vec<Value> = posts.collect();
    let change = json!({ "id": "posts", "author": { "kind": "local" }, "summary": "", "ops": ops, "format": 1 });
    live.commit(&serde_json::from_value(change)?, &crate::desk::editor())
        .await?;
    drop(live);
    let deleted = desk
        .done("deletePost", json!({ "slugs": slugs, "confirmed": true }))
        .await?;
    assert_eq!(deleted["deleted"].as_array().map(Vec::len), Some(100));
    let left = desk.done("getPost", json!({ "all": true })).await?;
    assert_eq!(left["total"], json!(0));
    Ok(())
}

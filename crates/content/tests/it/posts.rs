//! getPost, createPost, updatePost, deletePost.

use anyhow::{Context as _, Result};
use serde_json::{Value, json};

use crate::desk::{Desk, on_both};

on_both! {
    a_post_is_a_draft_until_it_is_published
    an_update_keeps_what_it_does_not_name
    posts_are_listed_by_collection_status_and_category
    a_slug_of_two_collections_is_ambiguous
    posts_are_deleted_by_slug
}

fn post(slug: &str) -> Value {
    json!({ "collectionSlug": "blog", "slug": slug, "title": slug.to_uppercase(),
        "content": { "body": "# Words", "cover": { "url": "/uploads/a.jpg", "alt": "A cat" } } })
}

async fn a_post_is_a_draft_until_it_is_published(desk: Desk) -> Result<()> {
    let status = desk.refused("createPost", {
        let mut wrong = post("a");
        wrong["status"] = json!("published");
        wrong
    });
    assert!(status.await?.contains("status"));
    let saved = desk.done("createPost", post("a")).await?;
    assert_eq!(saved["item"]["status"], "draft");
    let publish = json!({ "slug": "a", "status": "published", "confirmed": true });
    desk.done("updatePost", publish).await?;
    let live = desk.one("getPost", json!({ "slug": "blog/a" })).await?;
    assert_eq!(live["status"], "published");
    assert!(live["publishedAt"].is_string(), "{live}");
    desk.done(
        "updatePost",
        json!({ "slug": "a", "status": "archived", "confirmed": true }),
    )
    .await?;
    assert_eq!(
        desk.one("getPost", json!({ "slug": "a" })).await?["status"],
        "archived"
    );
    Ok(())
}

async fn an_update_keeps_what_it_does_not_name(desk: Desk) -> Result<()> {
    let mut arguments = post("a");
    for (field, value) in [
        ("author", "Ana"),
        ("excerpt", "Short"),
        ("category", "news"),
        ("featuredImage", "/uploads/a.jpg"),
    ] {
        arguments[field] = json!(value);
    }
    desk.done("createPost", arguments).await?;
    desk.done(
        "updatePost",
        json!({ "slug": "a", "content": { "body": "Other" }, "author": "Ben" }),
    )
    .await?;
    let post = desk.one("getPost", json!({ "slug": "a" })).await?;
    assert_eq!(
        post["content"],
        json!({ "body": "Other", "excerpt": "Short", "author": "Ben", "category": "news",
            "cover": { "url": "/uploads/a.jpg", "alt": "A cat" }, "featuredImage": "/uploads/a.jpg" })
    );
    let nothing = desk.refused("updatePost", json!({ "slug": "a" })).await?;
    assert_eq!(
        nothing,
        "There is nothing to change in this call; send the fields that are to be different."
    );
    Ok(())
}

async fn posts_are_listed_by_collection_status_and_category(desk: Desk) -> Result<()> {
    for slug in ["a", "b", "c"] {
        desk.done("createPost", post(slug)).await?;
    }
    desk.done("updatePost", json!({ "slug": "b", "category": "news" }))
        .await?;
    desk.done(
        "updatePost",
        json!({ "slug": "c", "category": "news", "status": "published", "confirmed": true }),
    )
    .await?;
    let mut news = desk
        .each(
            "getPost",
            json!({ "all": true, "category": "news" }),
            "slug",
        )
        .await?;
    news.sort();
    assert_eq!(news, ["b", "c"]);
    let live =
        json!({ "all": true, "category": "news", "status": "published", "collectionSlug": "blog" });
    assert_eq!(desk.each("getPost", live, "slug").await?, ["c"]);
    for (slug, found) in [("a", 0), ("b", 1)] {
        let one = json!({ "slug": slug, "category": "news" });
        assert_eq!(
            desk.each("getPost", one, "slug").await?.len(),
            found,
            "{slug}"
        );
    }
    let light = desk.done("getPost", json!({ "all": true })).await?;
    assert_eq!(
        (&light["total"], &light["items"][0]["content"]),
        (&json!(3), &Value::Null)
    );
    assert_eq!(
        desk.refused("getPost", json!({})).await?,
        "Provide slug, collectionSlug, query, or set all: true."
    );
    Ok(())
}

async fn a_slug_of_two_collections_is_ambiguous(desk: Desk) -> Result<()> {
    let news = json!({ "type": "collection", "slug": "news", "label": "News", "routeBase": "/news",
        "fields": [{ "id": "000000000001", "name": "body", "kind": { "type": "richText" } }] });
    let op =
        json!({ "op": "insert", "new": { "type": "item", "id": "000000000077", "item": news } });
    let change = json!({ "id": "news", "author": { "kind": "local" }, "summary": "", "ops": [op], "format": 1 });
    let mut live = desk.store.live_site(&desk.site).await?;
    live.commit(&serde_json::from_value(change)?, &crate::desk::editor())
        .await?;
    drop(live);
    desk.done("createPost", post("a")).await?;
    desk.done(
        "createPost",
        json!({ "collectionSlug": "news", "slug": "a", "title": "A", "content": {} }),
    )
    .await?;
    let ambiguous = desk
        .refused("updatePost", json!({ "slug": "a", "title": "B" }))
        .await?;
    for named in ["`blog/a`", "`news/a`"] {
        assert!(ambiguous.contains(named), "{ambiguous}");
    }
    desk.done("updatePost", json!({ "slug": "news/a", "title": "B" }))
        .await?;
    desk.done(
        "updatePost",
        json!({ "slug": "a", "collectionSlug": "blog", "title": "C" }),
    )
    .await?;
    assert_eq!(
        desk.one("getPost", json!({ "slug": "a", "collectionSlug": "news" }))
            .await?["title"],
        "B"
    );
    let author = desk
        .refused("updatePost", json!({ "slug": "news/a", "author": "Ana" }))
        .await?;
    assert_eq!(
        author,
        "There is no field `author` here; the fields are body."
    );
    Ok(())
}

async fn posts_are_deleted_by_slug(desk: Desk) -> Result<()> {
    desk.done("createPost", post("a")).await?;
    let preview = desk.done("deletePost", json!({ "slugs": ["a"] })).await?;
    assert_eq!(
        (&preview["requiresConfirmation"], &preview["message"]),
        (&json!(true), &json!("Delete 1 post?"))
    );
    let missing = desk
        .refused(
            "deletePost",
            json!({ "slugs": ["a", "b"], "confirmed": true }),
        )
        .await?;
    assert_eq!(
        missing,
        "There is no post `b`; nothing was deleted. getPost names those there are."
    );
    let deleted = desk
        .done(
            "deletePost",
            json!({ "slugs": ["blog/a"], "confirmed": true }),
        )
        .await?;
    assert_eq!(deleted["deleted"][0]["title"], "A");
    assert!(
        deleted["note"]
            .as_str()
            .context("a note")?
            .contains("30 days")
    );
    Ok(())
}

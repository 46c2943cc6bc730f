//! Entries and menus on published pages.

use anyhow::Result;
use serde_json::json;

use crate::press::{Press, on_both};

on_both! {
    a_list_shows_the_entries_that_visitors_see
    a_menu_is_shown_where_a_page_loops_over_it
}

const LIST: &str = "<instatic-loop data-source-id=\"data.rows\" data-table-id=\"blog\" data-order-by=\"slug\" data-direction=\"asc\">\
    <p>{currentEntry.title} by {currentEntry.author|nobody} at {currentEntry.permalink}</p></instatic-loop>";
const MENU: &str = "<instatic-loop data-source-id=\"site.navigation\" data-table-id=\"header\">\
    <a href=\"{currentEntry.url}\">{currentEntry.label}</a></instatic-loop>";

async fn post(press: &Press, slug: &str) -> Result<()> {
    let post = json!({ "collectionSlug": "blog", "slug": slug, "title": slug.to_uppercase(), "content": {}, "author": "Ana" });
    press.edit("createPost", post).await?;
    Ok(())
}

/// Publishes, and tells what is at an address.
async fn published(press: &Press, path: &str) -> Result<String> {
    press.publish().await?;
    Ok(press.visit(path).await?.1)
}

async fn a_list_shows_the_entries_that_visitors_see(press: Press) -> Result<()> {
    press.page("News", "news", LIST).await?;
    post(&press, "b").await?;
    post(&press, "a").await?;
    let drafts = published(&press, "/news").await?;
    assert!(!drafts.contains("by Ana"), "{drafts}");
    for slug in ["a", "b"] {
        press
            .edit("updatePost", json!({ "slug": slug, "status": "published" }))
            .await?;
    }
    let both = published(&press, "/news").await?;
    assert!(
        both.contains("<p>A by Ana at /blog/a</p><p>B by Ana at /blog/b</p>"),
        "{both}"
    );
    // A page that was rendered before shows what has changed since.
    press
        .edit("updatePost", json!({ "slug": "a", "title": "Other" }))
        .await?;
    press
        .edit(
            "updatePost",
            json!({ "slug": "b", "publishAt": "2999-01-01" }),
        )
        .await?;
    let changed = published(&press, "/news").await?;
    assert!(
        changed.contains("<p>Other by Ana at /blog/a</p>"),
        "{changed}"
    );
    assert!(!changed.contains("<p>B by"), "{changed}");
    press.edit("deletePost", json!({ "slugs": ["a"] })).await?;
    let none = published(&press, "/news").await?;
    assert!(!none.contains("by Ana"), "{none}");
    Ok(())
}

async fn a_menu_is_shown_where_a_page_loops_over_it(press: Press) -> Result<()> {
    let page = press.page("News", "news", MENU).await?;
    post(&press, "a").await?;
    press
        .edit("updatePost", json!({ "slug": "a", "status": "published" }))
        .await?;
    let found = press.edit("getPost", json!({ "slug": "a" })).await?;
    for (label, target) in [
        ("Page", json!({ "targetType": "page", "targetId": page })),
        (
            "Post",
            json!({ "targetType": "entry", "targetId": found["items"][0]["id"] }),
        ),
        (
            "Web",
            json!({ "targetType": "url", "url": "https://example.com" }),
        ),
    ] {
        let mut item = target;
        item["navigationId"] = json!("header");
        item["label"] = json!(label);
        press.edit("createNavItem", item).await?;
    }
    let menu = published(&press, "/news").await?;
    let expected = "<a href=\"/news\">Page</a><a href=\"/blog/a\">Post</a><a href=\"https://example.com\">Web</a>";
    assert!(menu.contains(expected), "{menu}");
    Ok(())
}

//! Entries and menus on published pages.

use anyhow::Result;
use serde_json::json;

use crate::press::{Press, local, on_both, order};

on_both! {
    a_list_shows_the_entries_that_visitors_see
    a_menu_is_shown_where_a_page_loops_over_it
    an_entry_has_a_page_in_the_template_of_its_collection
    publishing_an_entry_releases_its_page_and_the_lists_that_show_it
    a_page_with_other_changes_is_not_released_with_an_entry
    an_edit_of_a_published_entry_does_not_go_out_with_another_entry
    what_is_edited_between_decision_and_release_does_not_go_out
    a_scheduled_entry_is_released_when_its_time_has_come
    a_long_list_goes_on_on_further_pages
    pages_of_entries_are_rendered_again_only_when_they_look_different
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

/// A template for posts.
async fn template(press: &Press, html: &str) -> Result<serde_json::Value> {
    let page = press.page("Post", "post-template", html).await?;
    let target = json!({ "kind": "postTypes", "tableSlugs": ["blog"] });
    press
        .edit(
            "setPageTemplate",
            json!({ "pageId": page, "target": target }),
        )
        .await?;
    Ok(page)
}

/// Creates a post that visitors see.
async fn live_post(press: &Press, slug: &str, body: &str) -> Result<()> {
    let post = json!({ "collectionSlug": "blog", "slug": slug, "title": slug.to_uppercase(), "content": { "body": body },
        "excerpt": format!("About {slug}") });
    press.edit("createPost", post).await?;
    press
        .edit("updatePost", json!({ "slug": slug, "status": "published" }))
        .await?;
    Ok(())
}

async fn an_entry_has_a_page_in_the_template_of_its_collection(press: Press) -> Result<()> {
    live_post(&press, "a", "Hello *you* <script>alert(1)</script>").await?;
    // Without a template it shows what it has.
    let bare = published(&press, "/blog/a").await?;
    assert!(
        bare.contains("<h1>A</h1><p>Hello <em>you</em> </p>"),
        "{bare}"
    );
    template(
        &press,
        "<h2>{currentEntry.title} at {route.path}</h2><div>{currentEntry.body}</div><p>{currentEntry.body}</p>",
    )
    .await?;
    let page = published(&press, "/blog/a").await?;
    for part in [
        "<h2>A at /blog/a</h2><div><p>Hello <em>you</em> </p>",
        "<p>Hello you</p>",
        "<title>A",
        "content=\"About a\"",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    assert!(!page.contains("alert"), "{page}");
    let sitemap = press.visit("/sitemap.xml").await?.1;
    assert!(sitemap.contains("/blog/a</loc>"), "{sitemap}");
    press
        .edit("updatePost", json!({ "slug": "a", "status": "archived" }))
        .await?;
    press.publish().await?;
    assert_eq!(press.visit("/blog/a").await?.0, 404);
    Ok(())
}

/// Releases the entries that are due, and tells which addresses changed.
async fn released(press: &Press) -> Result<Vec<String>> {
    let now = sitewright_store::Timestamp::now();
    let released = press.publisher.release_due(&press.site, now).await?;
    assert!(released.left.is_empty(), "{:?}", released.left);
    let published = released.published;
    let changes = published.map_or_else(Vec::new, |published| published.changes);
    Ok(changes.into_iter().map(|change| change.address).collect())
}

async fn publishing_an_entry_releases_its_page_and_the_lists_that_show_it(
    press: Press,
) -> Result<()> {
    template(&press, "<h2>{currentEntry.title}</h2>").await?;
    press.page("News", "news", LIST).await?;
    press.page("About", "about", "<p>About</p>").await?;
    live_post(&press, "a", "One").await?;
    // Before the site is published, there is no release to add to.
    assert_eq!(released(&press).await?, Vec::<String>::new());
    press.publish().await?;
    assert_eq!(press.visit("/blog/a").await?.0, 200);
    let about = press.id_of("about").await?;
    press.write(&about, "<p>Not yet</p>").await?;
    live_post(&press, "b", "Two").await?;
    assert_eq!(released(&press).await?, ["/blog/b", "/news"]);
    assert!(press.visit("/news").await?.1.contains("/blog/b"));
    assert_eq!(press.visit("/blog/b").await?.0, 200);
    assert!(!press.visit("/about").await?.1.contains("Not yet"));
    assert!(press.visit("/sitemap.xml").await?.1.contains("/blog/b"));
    assert_eq!(released(&press).await?, Vec::<String>::new());
    press.edit("deletePost", json!({ "slugs": ["a"] })).await?;
    assert_eq!(released(&press).await?, ["/blog/a", "/news"]);
    assert_eq!(press.visit("/blog/a").await?.0, 404);
    assert!(!press.visit("/news").await?.1.contains("/blog/a"));
    // What is released is what publishing the whole site would make of it.
    let rest = press.compare().await?.changes;
    assert_eq!(rest.len(), 1, "{rest:?}");
    assert_eq!(rest[0].address, "/about");
    Ok(())
}

async fn a_page_with_other_changes_is_not_released_with_an_entry(press: Press) -> Result<()> {
    let news = press.page("News", "news", LIST).await?;
    press.publish().await?;
    press.write(&news, "<p>Not yet</p>").await?;
    live_post(&press, "a", "One").await?;
    let now = sitewright_store::Timestamp::now();
    let released = press.publisher.release_due(&press.site, now).await?;
    assert_eq!(released.left, ["/news"]);
    assert_eq!(press.visit("/blog/a").await?.0, 200);
    assert!(!press.visit("/news").await?.1.contains("Not yet"));
    Ok(())
}

/// An agent may edit drafts unasked, so an edit that went out beside something that a person published would be a way around the policy.
async fn an_edit_of_a_published_entry_does_not_go_out_with_another_entry(
    press: Press,
) -> Result<()> {
    press.page("News", "news", LIST).await?;
    live_post(&press, "a", "One").await?;
    press.publish().await?;
    press
        .edit("updatePost", json!({ "slug": "a", "title": "Not yet" }))
        .await?;
    live_post(&press, "b", "Two").await?;
    assert_eq!(released(&press).await?, ["/blog/b", "/news"]);
    let news = press.visit("/news").await?.1;
    assert!(
        news.contains("<p>A by") && news.contains("<p>B by"),
        "{news}"
    );
    assert!(!press.visit("/blog/a").await?.1.contains("Not yet"));
    // Whoever publishes the entry, or the site, publishes the edit.
    let found = press.edit("getPost", json!({ "slug": "a" })).await?;
    let id = serde_json::from_value(found["items"][0]["id"].clone())?;
    let by = local();
    let publisher = &press.publisher;
    publisher
        .publish_entry(&press.site, id, order(&by.by))
        .await?;
    for path in ["/news", "/blog/a"] {
        assert!(press.visit(path).await?.1.contains("Not yet"), "{path}");
    }
    press
        .edit("updatePost", json!({ "slug": "b", "title": "Later" }))
        .await?;
    press.publish().await?;
    live_post(&press, "c", "Three").await?;
    released(&press).await?;
    assert!(press.visit("/news").await?.1.contains("<p>Later by"));
    Ok(())
}

/// The release of an entry comes after the decision: in a moment, or at the time of its schedule.
async fn what_is_edited_between_decision_and_release_does_not_go_out(press: Press) -> Result<()> {
    press.publish().await?;
    live_post(&press, "a", "One").await?;
    press
        .edit("updatePost", json!({ "slug": "a", "title": "Sneaked in" }))
        .await?;
    assert_eq!(released(&press).await?, ["/blog/a"]);
    let page = press.visit("/blog/a").await?.1;
    assert!(page.contains("<h1>A</h1>"), "{page}");
    assert_eq!(press.compare().await?.changes.len(), 1, "the edit waits");
    Ok(())
}

async fn a_scheduled_entry_is_released_when_its_time_has_come(press: Press) -> Result<()> {
    press.page("News", "news", LIST).await?;
    press.publish().await?;
    let post = json!({ "collectionSlug": "blog", "slug": "a", "title": "A", "content": {}, "publishAt": "2999-01-01",
        "unpublishAt": "2999-02-01" });
    press.edit("createPost", post).await?;
    press
        .edit("updatePost", json!({ "slug": "a", "status": "published" }))
        .await?;
    assert_eq!(released(&press).await?, Vec::<String>::new());
    let begin = press.store.next_due(&press.site).await?;
    let begin = begin.expect("it is scheduled");
    // Of two nodes that are awake at that time, one has it; after a restart it is still there.
    let press = press.restarted(None).await?;
    let lease = std::time::Duration::from_secs(60);
    let due = press.store.claim_due(&press.site, begin, lease).await?;
    assert_eq!(due.len(), 1);
    let second = press.store.claim_due(&press.site, begin, lease).await?;
    assert_eq!(second, []);
    press.store.settle_due(&press.site, &due).await?;
    let end = press.store.next_due(&press.site).await?;
    assert!(end > Some(begin), "{end:?}");
    Ok(())
}

async fn a_long_list_goes_on_on_further_pages(press: Press) -> Result<()> {
    let paged = LIST.replace(
        "data-direction",
        "data-limit=\"2\" data-paged=\"\" data-direction",
    );
    press.page("News", "news", &paged).await?;
    for slug in ["a", "b", "c", "d", "e"] {
        live_post(&press, slug, "").await?;
    }
    press.publish().await?;
    let shown = |html: &str| -> Vec<char> {
        let slugs = html.match_indices(" at /blog/");
        slugs
            .filter_map(|(at, found)| html[at + found.len()..].chars().next())
            .collect()
    };
    let (_, first) = press.visit("/news").await?;
    assert_eq!(shown(&first), ['a', 'b'], "{first}");
    assert!(
        first.contains(
            "<nav class=\"paging\"><span aria-current=\"page\">1</span> <a rel=\"next\" href=\"/news/page/2\">2</a></nav>"
        ),
        "{first}"
    );
    assert_eq!(shown(&press.visit("/news/page/2").await?.1), ['c', 'd']);
    let (_, last) = press.visit("/news/page/3").await?;
    assert_eq!(shown(&last), ['e'], "{last}");
    assert!(
        last.contains(
            "<a rel=\"prev\" href=\"/news/page/2\">2</a> <span aria-current=\"page\">3</span></nav>"
        ),
        "{last}"
    );
    assert_eq!(press.visit("/news/page/4").await?.0, 404);
    press
        .edit("updatePost", json!({ "slug": "e", "status": "draft" }))
        .await?;
    assert_eq!(
        released(&press).await?,
        ["/blog/e", "/news/page/2", "/news/page/3"]
    );
    assert_eq!(press.visit("/news/page/3").await?.0, 404);
    Ok(())
}

async fn pages_of_entries_are_rendered_again_only_when_they_look_different(
    press: Press,
) -> Result<()> {
    let post = template(&press, "<h2>{currentEntry.title}</h2>").await?;
    live_post(&press, "a", "> One").await?;
    press.publish().await?;
    // Another page says nothing about the page of an entry; a rule for what is in its text does, and so does its template.
    press.page("Other", "other", "<p>Other</p>").await?;
    assert_eq!(press.compare().await?.changes.len(), 1);
    press.write(&post, "<div>{currentEntry.body}</div>").await?;
    press.publish().await?;
    let css = json!({ "css": "blockquote { color: red; }" });
    press.edit("applyCss", css).await?;
    press.publish().await?;
    let page = press.visit("/blog/a").await?.1;
    assert!(page.contains("color: red"), "{page}");
    Ok(())
}

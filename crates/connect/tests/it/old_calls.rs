//! Every call of the migration table, by its old name and with its old arguments.

use std::cell::RefCell;
use std::collections::BTreeSet;

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};
use sitewright_content::old_calls;

use crate::desk::{Desk, editor, on_both};
use crate::library::added;

on_both! {
    every_old_call_has_the_effect_of_the_new_one
    what_has_no_single_call_today_is_refused_with_the_calls_to_make
}

/// Makes old calls, and remembers which.
struct OldCaller<'a> {
    desk: &'a Desk,
    made: RefCell<BTreeSet<String>>,
}

impl OldCaller<'_> {
    async fn call(&self, old: &str, arguments: Value) -> Result<Value> {
        let told = format!("{old} {arguments}");
        self.made.borrow_mut().insert(old.to_owned());
        let envelope = self.desk.call_as(editor(), old, arguments).await;
        ensure!(envelope.ok, "{told}: {:?}", envelope.error);
        let notes = envelope.receipt.context("a receipt")?.notes;
        let note = format!("`{old}` is called `");
        ensure!(
            notes.iter().any(|line| line.starts_with(&note)),
            "{told}: {notes:?}"
        );
        envelope.data.context("data")
    }

    /// One field of the only item of a `get`.
    async fn one(&self, old: &str, arguments: Value, field: &str) -> Result<Value> {
        let listing = self.call(old, arguments).await?;
        ensure!(listing["count"] == json!(1), "{old}: {listing}");
        Ok(listing["items"][0][field].clone())
    }
}

async fn every_old_call_has_the_effect_of_the_new_one(desk: Desk) -> Result<()> {
    let caller = OldCaller {
        desk: &desk,
        made: RefCell::default(),
    };
    let image =
        added(&desk, 1, json!({ "description": "Fishing boats" })).await?["imageId"].clone();
    let page = pages(&caller).await?;
    sections(&caller, &page, &image).await?;
    images(&caller, &image).await?;
    let delete = json!({ "id": page, "confirmed": true });
    caller.call("cms_deletePage", delete).await?;
    let left = caller.call("cms_listPages", json!({})).await?;
    assert_eq!(left["count"], json!(1));
    menus(&caller).await?;
    posts(&caller).await?;
    outside(&caller).await?;
    let mut made = caller.made.take();
    removed(&desk, &mut made).await?;
    // The tools of a turn are not part of this registry.
    renamed(&mut made)?;
    let all: BTreeSet<String> = old_calls().into_iter().map(|call| call.old).collect();
    assert_eq!(made, all);
    assert_eq!(all.len(), 50);
    Ok(())
}

async fn removed(desk: &Desk, made: &mut BTreeSet<String>) -> Result<()> {
    for (old, text) in [
        ("cms_createPageWithContent", "createSection"),
        ("cms_replaceImage", "updateSection with imageId"),
        ("search_vector", "getPage or getSection with query"),
        ("cms_findResource", "the get tool"),
        ("plan_analyzeTask", "no tool for planning"),
    ] {
        let refused = desk.call_as(editor(), old, json!({ "a": 1 })).await;
        let error = refused.error.context("a refusal")?;
        assert_eq!(error.code.as_str(), "unknown_tool");
        let begin = format!("There is no tool `{old}` any more. ");
        assert!(
            error.message.starts_with(&begin) && error.message.contains(text),
            "{}",
            error.message
        );
        made.insert(old.to_owned());
    }
    Ok(())
}

fn renamed(made: &mut BTreeSet<String>) -> Result<()> {
    for (old, tool, arguments) in [
        ("tool_search", "searchTools", json!({ "query": "mail" })),
        ("final_answer", "finalAnswer", json!({ "text": "Done" })),
        (
            "acknowledge",
            "acknowledgeRequest",
            json!({ "text": "I see" }),
        ),
    ] {
        let all = old_calls();
        let found = all.iter().find(|call| call.old == old).context(old)?;
        let renewed = found.renewed(arguments.clone());
        let renewed = renewed.ok().context(old)?;
        assert_eq!(
            (renewed.tool.as_str(), renewed.arguments),
            (tool, arguments)
        );
        made.insert(old.to_owned());
    }
    Ok(())
}

async fn pages(caller: &OldCaller<'_>) -> Result<Value> {
    let new = json!({ "name": "About", "slug": "about" });
    let page = caller.call("cms_createPage", new).await?["pageId"].clone();
    let slug = json!({ "slug": "about" });
    assert_eq!(caller.one("cms_getPage", slug, "id").await?, page);
    let all = caller.call("cms_listPages", json!({})).await?;
    assert_eq!(all["count"], json!(2));
    let change = json!({ "id": page, "name": "Us" });
    caller.call("cms_updatePage", change).await?;
    let id = json!({ "id": page });
    assert_eq!(caller.one("cms_getPage", id, "name").await?, "Us");
    Ok(page)
}

async fn sections(caller: &OldCaller<'_>, page: &Value, image: &Value) -> Result<()> {
    let templates = caller.call("cms_listSectionTemplates", json!({})).await?;
    assert_eq!(templates["count"], json!(10));
    let key = json!({ "templateKey": "hero" });
    let found = caller.one("cms_getSectionFields", key, "key").await?;
    assert_eq!(found, "hero");
    let new = json!({ "pageId": page, "templateKey": "hero", "content": { "title": "Hi" } });
    let id = caller.call("cms_addSectionToPage", new.clone()).await?["pageSectionId"].clone();
    let of_page = json!({ "pageId": page });
    let found = caller
        .one("cms_getPageSections", of_page.clone(), "pageSectionId")
        .await?;
    assert_eq!(found, id);
    let change = json!({ "pageSectionId": id, "content": { "text": "There" } });
    caller.call("cms_updateSectionContent", change).await?;
    let attach = json!({ "pageSectionId": id, "imageId": image, "imageField": "image" });
    caller.call("cms_addImageToSection", attach).await?;
    let attach = json!({ "pageSectionId": id, "imageId": image, "imageField": "backgroundImage" });
    caller.call("cms_updateSectionImage", attach).await?;
    let one = json!({ "pageSectionId": id });
    let content = caller
        .one("cms_getSectionContent", one.clone(), "content")
        .await?;
    assert_eq!(
        (&content["title"], &content["text"]),
        (&json!("Hi"), &json!("There"))
    );
    for field in ["image", "backgroundImage"] {
        assert_eq!(content[field]["imageId"], *image, "{field}");
    }
    let other = caller.call("cms_addSectionToPage", new).await?["pageSectionId"].clone();
    let preview = caller.desk.done("cms_deletePageSection", one).await?;
    assert_eq!(preview["message"], "Delete 1 section?");
    let delete = json!({ "pageSectionId": id, "confirmed": true });
    caller.call("cms_deletePageSection", delete).await?;
    let delete = json!({ "pageSectionIds": [other], "confirmed": true });
    caller.call("cms_deletePageSections", delete).await?;
    let left = caller.call("cms_getPageSections", of_page).await?;
    assert_eq!(left["count"], json!(0));
    Ok(())
}

async fn images(caller: &OldCaller<'_>, image: &Value) -> Result<()> {
    for (old, arguments) in [
        ("cms_findImage", json!({ "query": "fishing" })),
        ("cms_searchImages", json!({ "query": "boats", "limit": 5 })),
        ("cms_listAllImages", json!({})),
    ] {
        assert_eq!(caller.one(old, arguments, "id").await?, *image, "{old}");
    }
    let delete = json!({ "id": image, "confirmed": true });
    caller.call("cms_deleteImage", delete).await?;
    let left = caller.call("cms_listAllImages", json!({})).await?;
    assert_eq!(left["count"], json!(0));
    Ok(())
}

async fn menus(caller: &OldCaller<'_>) -> Result<()> {
    let item = json!({ "label": "About", "href": "/about", "location": "header" });
    caller.call("cms_addNavigationItem", item).await?;
    assert_eq!(
        caller.one("cms_getNavigation", json!({}), "url").await?,
        "/about"
    );
    let change = json!({ "label": "About", "newLabel": "Us", "href": "/us" });
    caller.call("cms_updateNavigationItem", change).await?;
    caller
        .call(
            "cms_toggleNavigationItem",
            json!({ "label": "Us", "visible": false }),
        )
        .await?;
    let shown = caller.call("cms_getNavigation", json!({})).await?["items"][0].clone();
    assert_eq!(
        (&shown["label"], &shown["url"], &shown["visible"]),
        (&json!("Us"), &json!("/us"), &json!(false))
    );
    caller
        .call(
            "cms_removeNavigationItem",
            json!({ "label": "Us", "confirmed": true }),
        )
        .await?;
    assert_eq!(
        caller.call("cms_getNavigation", json!({})).await?["count"],
        json!(0)
    );
    Ok(())
}

async fn posts(caller: &OldCaller<'_>) -> Result<()> {
    let post = json!({ "collectionSlug": "blog", "slug": "a", "title": "A", "content": { "body": "Text" } });
    let id = caller.call("cms_createPost", post).await?["id"].clone();
    caller
        .call("cms_updatePost", json!({ "slug": "a", "title": "B" }))
        .await?;
    assert_eq!(
        caller
            .one("cms_getPost", json!({ "slug": "a" }), "title")
            .await?,
        "B"
    );
    for (old, status) in [
        ("cms_publishPost", "published"),
        ("cms_archivePost", "archived"),
    ] {
        caller
            .call(old, json!({ "slug": "a", "confirmed": true }))
            .await?;
        assert_eq!(
            caller
                .one("cms_listPosts", json!({ "status": status }), "slug")
                .await?,
            "a"
        );
    }
    assert_eq!(
        caller
            .one(
                "cms_getCollectionEntries",
                json!({ "collectionId": "blog" }),
                "id"
            )
            .await?,
        id
    );
    let content = caller
        .one("cms_getEntryContent", json!({ "id": id }), "content")
        .await?;
    assert_eq!(content["body"], "Text");
    caller
        .call("cms_deletePost", json!({ "slug": "a", "confirmed": true }))
        .await?;
    assert_eq!(
        caller.call("cms_listPosts", json!({})).await?["count"],
        json!(0)
    );
    Ok(())
}

async fn outside(caller: &OldCaller<'_>) -> Result<()> {
    let world = &caller.desk.world;
    for provider in ["pexels", "unsplash"] {
        let search = format!("{provider}_searchPhotos");
        let photo = caller
            .one(&search, json!({ "query": "desk", "perPage": 3 }), "photoId")
            .await?;
        let saved = caller
            .call(
                &format!("{provider}_downloadPhoto"),
                json!({ "photoId": photo }),
            )
            .await?;
        assert!(saved["imageId"].is_string());
    }
    let quick = caller
        .call("web_quickSearch", json!({ "query": "kilns" }))
        .await?;
    assert_eq!(quick["answer"], Value::Null);
    let deep = caller
        .call("web_deepResearch", json!({ "query": "kilns" }))
        .await?;
    assert!(deep["answer"].is_string());
    let page = caller
        .one(
            "web_fetchContent",
            json!({ "urls": [world.web("/page")] }),
            "title",
        )
        .await?;
    assert_eq!(page, "Kilns");
    let got = caller
        .call("http_get", json!({ "url": world.web("/echo") }))
        .await?;
    assert_eq!(got["json"]["method"], "GET");
    let post = json!({ "url": world.web("/echo"), "body": "x", "confirmed": true });
    assert_eq!(caller.call("http_post", post).await?["json"]["body"], "x");
    Ok(())
}

async fn what_has_no_single_call_today_is_refused_with_the_calls_to_make(desk: Desk) -> Result<()> {
    let both = json!({ "label": "A", "href": "/a", "location": "both" });
    assert_eq!(
        desk.refused("cms_addNavigationItem", both).await?,
        "`location: both` takes two calls: createNavItem with navigationId `header`, and again with `footer`."
    );
    let moved = json!({ "label": "A", "location": "footer" });
    assert_eq!(
        desk.refused("cms_updateNavigationItem", moved).await?,
        "An item does not move to another menu: create it there with createNavItem, and delete this one with deleteNavItem."
    );
    let missing = json!({ "label": "Nobody", "visible": false });
    assert_eq!(
        desk.refused("cms_toggleNavigationItem", missing).await?,
        "There is no menu item /Nobody; getNavItem names those there are."
    );
    Ok(())
}

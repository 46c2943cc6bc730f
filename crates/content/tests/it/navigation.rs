//! getNavItem, createNavItem, updateNavItem, deleteNavItem.

use anyhow::{Context as _, Result};
use serde_json::{Value, json};

use crate::desk::{Desk, on_both};

on_both! {
    items_are_added_read_moved_hidden_and_deleted
    a_target_is_what_its_type_says
    a_menu_is_full_at_five
    items_lie_under_others
    menus_are_apart
}

async fn item(desk: &Desk, label: &str, parent: Option<&str>) -> Result<String> {
    let arguments = json!({ "navigationId": "header", "label": label, "targetType": "url", "url": "https://example.com", "parentId": parent });
    let saved = desk.done("createNavItem", arguments).await?;
    Ok(saved["id"].as_str().context("an id")?.to_owned())
}

async fn labels(desk: &Desk) -> Result<Vec<String>> {
    desk.each(
        "getNavItem",
        json!({ "navigationId": "header", "all": true }),
        "label",
    )
    .await
}

async fn items_are_added_read_moved_hidden_and_deleted(desk: Desk) -> Result<()> {
    let mut ids = Vec::new();
    for label in ["A", "B", "C"] {
        ids.push(item(&desk, label, None).await?);
    }
    assert_eq!(labels(&desk).await?, ["A", "B", "C"]);
    desk.done("updateNavItem", json!({ "id": ids[2], "sortOrder": 0 }))
        .await?;
    assert_eq!(labels(&desk).await?, ["C", "A", "B"]);
    desk.done(
        "updateNavItem",
        json!({ "id": ids[2], "sortOrder": 1, "visible": false, "label": "See" }),
    )
    .await?;
    let moved = desk
        .one(
            "getNavItem",
            json!({ "navigationId": "header", "label": "See" }),
        )
        .await?;
    assert_eq!(
        (&moved["visible"], &moved["sortOrder"], &moved["href"]),
        (&json!(false), &json!(1), &json!("https://example.com"))
    );
    let preview = desk
        .done("deleteNavItem", json!({ "ids": [ids[0]] }))
        .await?;
    assert_eq!(preview["message"], "Delete 1 menu item?");
    desk.done(
        "deleteNavItem",
        json!({ "ids": [ids[0]], "confirmed": true }),
    )
    .await?;
    assert_eq!(labels(&desk).await?, ["See", "B"]);
    desk.done("undo", json!({})).await?;
    assert_eq!(labels(&desk).await?, ["A", "See", "B"]);
    assert_eq!(
        desk.refused("getNavItem", json!({})).await?,
        "Provide id, or navigationId with label or all: true."
    );
    let all = desk.refused("getNavItem", json!({ "all": true })).await?;
    assert!(
        all.starts_with("navigationId is needed unless the call is by id; there are `header` ("),
        "{all}"
    );
    Ok(())
}

async fn a_target_is_what_its_type_says(desk: Desk) -> Result<()> {
    let create = |target: Value| {
        let mut arguments = json!({ "navigationId": "header", "label": "X" });
        for (field, value) in target.as_object().expect("an object") {
            arguments[field.as_str()] = value.clone();
        }
        arguments
    };
    let live = desk.store.live_site(&desk.site).await?;
    let page = live.site().home_page().context("a page")?;
    drop(live);
    let home = desk
        .done(
            "createNavItem",
            create(json!({ "targetType": "page", "targetId": page })),
        )
        .await?;
    assert_eq!(home["item"]["href"], "/");
    let post = json!({ "collectionId": "blog", "slug": "a", "title": "A" });
    let post = desk.done("createEntry", post).await?["id"].clone();
    let entry = desk
        .done(
            "createNavItem",
            create(json!({ "targetType": "entry", "targetId": post })),
        )
        .await?;
    assert_eq!(entry["item"]["href"], "/blog/a");
    desk.done(
        "createNavItem",
        create(json!({ "targetType": "placeholder" })),
    )
    .await?;
    for wrong in [
        json!({ "targetType": "page", "targetId": "000000000001" }),
        json!({ "targetType": "entry", "targetId": "000000000001" }),
        json!({ "targetType": "page" }),
        json!({ "targetType": "url" }),
        json!({ "targetType": "url", "url": "javascript:alert(1)" }),
        json!({ "targetType": "placeholder", "url": "/a" }),
        json!({ "targetType": "page", "targetId": page, "url": "/a" }),
        json!({ "targetType": "somewhere" }),
    ] {
        desk.refused("createNavItem", create(wrong)).await?;
    }
    assert_eq!(labels(&desk).await?.len(), 3);
    Ok(())
}

async fn a_menu_is_full_at_five(desk: Desk) -> Result<()> {
    let mut last = String::new();
    for label in ["A", "B", "C", "D", "E"] {
        last = item(&desk, label, None).await?;
    }
    let sixth = json!({ "navigationId": "header", "label": "F", "targetType": "placeholder" });
    let full = desk.refused("createNavItem", sixth).await?;
    assert_eq!(
        full,
        "The menu `Header` may have 5 items at the top level; put this one under another with parentId, or delete one first."
    );
    let below = item(&desk, "F", Some(&last)).await?;
    let up = desk
        .refused("updateNavItem", json!({ "id": below, "parentId": null }))
        .await?;
    assert!(up.contains("may have 5 items"), "{up}");
    Ok(())
}

async fn items_lie_under_others(desk: Desk) -> Result<()> {
    let top = item(&desk, "Top", None).await?;
    let mid = item(&desk, "Mid", Some(&top)).await?;
    let low = item(&desk, "Low", Some(&mid)).await?;
    desk.refused("updateNavItem", json!({ "id": top, "parentId": low }))
        .await?;
    desk.refused("updateNavItem", json!({ "id": top, "parentId": top }))
        .await?;
    desk.refused(
        "updateNavItem",
        json!({ "id": top, "parentId": "000000000001" }),
    )
    .await?;
    let preview = desk.done("deleteNavItem", json!({ "ids": [top] })).await?;
    assert_eq!(preview["items"][0]["with"], json!(["Low", "Mid"]));
    desk.done("updateNavItem", json!({ "id": low, "parentId": null }))
        .await?;
    desk.done("deleteNavItem", json!({ "ids": [top], "confirmed": true }))
        .await?;
    assert_eq!(labels(&desk).await?, ["Low"]);
    Ok(())
}

async fn menus_are_apart(desk: Desk) -> Result<()> {
    item(&desk, "A", None).await?;
    let footer =
        json!({ "navigationId": "footer", "label": "B", "targetType": "url", "url": "/b" });
    desk.done("createNavItem", footer).await?;
    assert_eq!(labels(&desk).await?, ["A"]);
    let other = desk
        .refused(
            "getNavItem",
            json!({ "navigationId": "sidebar", "all": true }),
        )
        .await?;
    assert!(other.contains("there is no menu `sidebar`"), "{other}");
    Ok(())
}

//! getPage, createPage, updatePage, deletePage of the content scope.

use anyhow::{Context as _, Result};
use serde_json::{Value, json};

use crate::desk::{Desk, agent, on_both};

on_both! {
    a_page_is_created_read_moved_and_deleted
    pages_are_found_in_every_way
    a_page_with_children_is_deleted_with_them_or_not_at_all
    addresses_are_checked
    agents_do_not_lift_protection
}

async fn page(desk: &Desk, slug: &str, parent: Option<&str>) -> Result<String> {
    let arguments = json!({ "name": slug.to_uppercase(), "slug": slug, "parentId": parent });
    let saved = desk.done("createPage", arguments).await?;
    Ok(saved["pageId"].as_str().context("an id")?.to_owned())
}

async fn a_page_is_created_read_moved_and_deleted(desk: Desk) -> Result<()> {
    let arguments = json!({ "name": "About", "slug": "about", "meta": { "description": "Us" }, "indexing": false });
    let id = desk.done("createPage", arguments).await?["pageId"].clone();
    let shown = desk.one("getPage", json!({ "id": id })).await?;
    assert_eq!(
        (&shown["permalink"], &shown["indexing"], &shown["meta"]),
        (
            &json!("/about"),
            &json!(false),
            &json!({ "description": "Us" })
        )
    );
    let team = page(&desk, "team", None).await?;
    desk.done(
        "updatePage",
        json!({ "id": team, "parentId": id, "name": "The team", "meta": { "description": "Who" } }),
    )
    .await?;
    let moved = desk.one("getPage", json!({ "slug": "about/team" })).await?;
    assert_eq!(
        (&moved["name"], &moved["parentId"]),
        (&json!("The team"), &id)
    );
    desk.done(
        "updatePage",
        json!({ "slug": "team", "updates": { "parentId": null, "indexing": false } }),
    )
    .await?;
    let back = desk.one("getPage", json!({ "id": team })).await?;
    assert_eq!(
        (&back["permalink"], &back["meta"]["description"]),
        (&json!("/team"), &json!("Who"))
    );
    let item = json!({ "navigationId": "header", "label": "Team", "targetType": "page", "targetId": team });
    desk.done("createNavItem", item).await?;
    let preview = desk.done("deletePage", json!({ "ids": [team] })).await?;
    assert_eq!(
        (&preview["message"], &preview["items"][0]["navItems"]),
        (&json!("Delete 1 page?"), &json!(["Team"]))
    );
    desk.done("deletePage", json!({ "ids": [team], "confirmed": true }))
        .await?;
    assert_eq!(
        desk.done("getPage", json!({ "id": team })).await?["count"],
        json!(0)
    );
    desk.done("undo", json!({})).await?;
    assert_eq!(
        desk.one("getPage", json!({ "id": team })).await?["permalink"],
        "/team"
    );
    Ok(())
}

async fn pages_are_found_in_every_way(desk: Desk) -> Result<()> {
    let about = page(&desk, "about", None).await?;
    let jobs = page(&desk, "jobs", Some(&about)).await?;
    page(&desk, "jobs", None).await?;
    assert_eq!(
        desk.each("getPage", json!({ "all": true }), "permalink")
            .await?,
        ["/", "/about", "/about/jobs", "/jobs"]
    );
    assert_eq!(
        desk.each("getPage", json!({ "parentId": about }), "id")
            .await?,
        std::slice::from_ref(&jobs)
    );
    assert_eq!(
        desk.each("getPage", json!({ "query": "ABOUT jobs" }), "id")
            .await?,
        std::slice::from_ref(&jobs)
    );
    let with = desk
        .one(
            "getPage",
            json!({ "id": about, "includeChildren": true, "includeContent": true }),
        )
        .await?;
    assert_eq!(
        (&with["children"][0]["id"], &with["sections"]),
        (&json!(jobs), &json!([]))
    );
    // A bare slug is also the path of the page at the root.
    assert_eq!(
        desk.one("getPage", json!({ "slug": "jobs" })).await?["permalink"],
        "/jobs"
    );
    let none = desk.refused("getPage", json!({})).await?;
    assert_eq!(none, "Provide id, slug, parentId, query, or set all: true.");
    let first = desk
        .done("getPage", json!({ "all": true, "limit": 3 }))
        .await?;
    assert_eq!(
        (&first["count"], &first["total"], &first["next"]),
        (&json!(3), &json!(4), &json!("3"))
    );
    let rest = desk
        .done("getPage", json!({ "all": true, "limit": 3, "cursor": "3" }))
        .await?;
    assert_eq!((&rest["count"], &rest["next"]), (&json!(1), &Value::Null));
    Ok(())
}

async fn a_page_with_children_is_deleted_with_them_or_not_at_all(desk: Desk) -> Result<()> {
    let about = page(&desk, "about", None).await?;
    page(&desk, "jobs", Some(&about)).await?;
    let refused = desk
        .refused("deletePage", json!({ "ids": [about], "confirmed": true }))
        .await?;
    assert_eq!(
        refused,
        "Pages lie under `ABOUT`: `JOBS`. Delete or move them first, or set cascade: true."
    );
    let preview = desk
        .done("deletePage", json!({ "ids": [about], "cascade": true }))
        .await?;
    assert_eq!(preview["message"], "Delete 2 pages?");
    desk.done(
        "deletePage",
        json!({ "ids": [about], "cascade": true, "confirmed": true }),
    )
    .await?;
    let left = desk.done("getPage", json!({ "all": true })).await?;
    let home = left["items"][0]["id"].clone();
    assert_eq!(left["count"], json!(1));
    let last = desk
        .refused("deletePage", json!({ "ids": [home], "confirmed": true }))
        .await?;
    assert_eq!(
        last,
        "These are all the pages, and a site needs one. Create another page first."
    );
    Ok(())
}

async fn addresses_are_checked(desk: Desk) -> Result<()> {
    let about = page(&desk, "about", None).await?;
    let jobs = page(&desk, "jobs", Some(&about)).await?;
    let taken = desk
        .refused("createPage", json!({ "name": "A", "slug": "about" }))
        .await?;
    assert_eq!(
        taken,
        format!("The page `ABOUT` ({about}) has the slug `about`; choose another one.")
    );
    let cycle = desk
        .refused("updatePage", json!({ "id": about, "parentId": jobs }))
        .await?;
    assert_eq!(cycle, "parentId: `JOBS` lies under this page itself.");
    let reserved = desk
        .refused("createPage", json!({ "name": "A", "slug": "admin" }))
        .await?;
    assert!(reserved.contains("is reserved by Sitewright"), "{reserved}");
    let unknown = desk
        .refused(
            "createPage",
            json!({ "name": "A", "slug": "a", "meta": { "keywords": "x" } }),
        )
        .await?;
    assert!(unknown.contains("keywords"), "{unknown}");
    desk.done("updatePage", json!({ "id": about, "slug": "index" }))
        .await?;
    assert_eq!(
        desk.each("getPage", json!({ "all": true }), "permalink")
            .await?,
        ["/home", "/", "/index/jobs"]
    );
    Ok(())
}

async fn agents_do_not_lift_protection(desk: Desk) -> Result<()> {
    let arguments = json!({ "name": "Kept", "slug": "kept", "isProtected": true });
    let id = desk.done("createPage", arguments).await?["pageId"].clone();
    let refused = desk
        .refused("deletePage", json!({ "ids": [id], "confirmed": true }))
        .await?;
    assert_eq!(
        refused,
        "The page `Kept` is protected and cannot be deleted."
    );
    let lift = json!({ "id": id, "isProtected": false });
    assert!(!desk.call_as(agent(), "updatePage", lift.clone()).await.ok);
    desk.done("updatePage", lift).await?;
    Ok(())
}

//! What holds for every tool of the content scope, as one table.

use anyhow::{Context as _, Result};
use serde_json::{Value, json};
use sitewright_runtime::Call;
use sitewright_tool::{Capability, Scope};

use crate::desk::{Desk, agent, editor, on_both, someone};
use crate::library::added;

on_both! {
    every_tool_keeps_its_contract
    every_operation_of_the_validation_table_has_its_tool
}

/// A call that is valid, for each tool, on things that exist.
async fn calls(desk: &Desk) -> Result<Vec<(&'static str, Value)>> {
    let page = desk
        .done("createPage", json!({ "name": "About", "slug": "about" }))
        .await?["pageId"]
        .clone();
    let section = json!({ "pageId": page, "templateKey": "hero", "content": { "title": "Hi" } });
    let section = desk.done("createSection", section).await?["pageSectionId"].clone();
    let image = added(desk, 1, json!({ "description": "Boats" })).await?["imageId"].clone();
    let item =
        json!({ "navigationId": "header", "label": "About", "targetType": "url", "url": "/a" });
    let item = desk.done("createNavItem", item).await?["id"].clone();
    let post = json!({ "collectionSlug": "blog", "slug": "a", "title": "A", "content": { "body": "Text" } });
    let entry = desk.done("createPost", post).await?["id"].clone();
    let echo = desk.world.web("/echo");
    Ok(vec![
        ("getPage", json!({ "id": page })),
        ("createPage", json!({ "name": "B", "slug": "b" })),
        ("updatePage", json!({ "id": page, "name": "C" })),
        ("getSectionTemplate", json!({ "all": true })),
        ("getSection", json!({ "pageId": page })),
        (
            "createSection",
            json!({ "pageId": page, "templateKey": "text" }),
        ),
        (
            "updateSection",
            json!({ "pageSectionId": section, "hidden": true }),
        ),
        ("getImage", json!({ "id": image })),
        ("createImage", json!({ "uploadId": image })),
        ("updateImage", json!({ "id": image, "tags": ["a"] })),
        ("getPost", json!({ "slug": "a" })),
        (
            "createPost",
            json!({ "collectionSlug": "blog", "slug": "b", "title": "B", "content": {} }),
        ),
        ("updatePost", json!({ "slug": "a", "title": "C" })),
        (
            "getNavItem",
            json!({ "navigationId": "header", "all": true }),
        ),
        (
            "createNavItem",
            json!({ "navigationId": "header", "label": "B", "targetType": "placeholder" }),
        ),
        ("updateNavItem", json!({ "id": item, "visible": false })),
        ("getEntry", json!({ "id": entry })),
        (
            "createEntry",
            json!({ "collectionId": "blog", "slug": "c", "title": "C" }),
        ),
        ("updateEntry", json!({ "id": entry, "title": "D" })),
        ("browseImages", json!({ "query": "desk" })),
        (
            "importImage",
            json!({ "provider": "pexels", "photoId": 12345678 }),
        ),
        ("searchWeb", json!({ "query": "kilns", "mode": "quick" })),
        ("fetchContent", json!({ "urls": [desk.world.web("/page")] })),
        ("httpGet", json!({ "url": echo })),
        ("httpPost", json!({ "url": echo, "body": "x" })),
        ("deleteSection", json!({ "ids": [section] })),
        ("deleteNavItem", json!({ "ids": [item] })),
        ("deletePost", json!({ "slugs": ["a"] })),
        ("deleteEntry", json!({ "ids": [entry] })),
        ("deleteImage", json!({ "ids": [image] })),
        ("deletePage", json!({ "ids": [page] })),
    ])
}

fn confirmed(arguments: &Value) -> Value {
    let mut confirmed = arguments.clone();
    confirmed["confirmed"] = json!(true);
    confirmed
}

async fn every_tool_keeps_its_contract(desk: Desk) -> Result<()> {
    let calls = calls(&desk).await?;
    let mut named: Vec<&str> = calls.iter().map(|(tool, _)| *tool).collect();
    named.sort_unstable();
    let listed = desk.tools.list(Some(Scope::Content));
    let mut all: Vec<&str> = listed
        .iter()
        .filter(|tool| tool.definition.manifest.scopes == [Scope::Content])
        .map(|tool| tool.definition.name())
        .collect();
    all.sort_unstable();
    assert_eq!(named, all);
    for (tool, arguments) in &calls {
        unknown_field_is_refused(&desk, tool, arguments).await?;
        permission_is_needed(&desk, tool, arguments).await?;
        stale_base_is_a_conflict(&desk, tool, arguments).await?;
    }
    for (tool, arguments) in &calls {
        let asks = tool.starts_with("delete") || *tool == "httpPost";
        if asks {
            approval_is_needed(&desk, tool, arguments).await?;
        }
    }
    for (tool, arguments) in &calls {
        // An entry is also a post, and is deleted once.
        if *tool == "deleteEntry" {
            continue;
        }
        let data = desk.done(tool, confirmed_if(tool, arguments)).await?;
        if tool.starts_with("get") {
            assert_eq!(data["success"], json!(true), "{tool}");
            let items = data["items"]
                .as_array()
                .with_context(|| format!("{tool}: items"))?;
            assert_eq!(data["count"], json!(items.len()), "{tool}");
            assert!(!items.is_empty(), "{tool}");
        }
    }
    Ok(())
}

fn confirmed_if(tool: &str, arguments: &Value) -> Value {
    match tool.starts_with("delete") || tool == "httpPost" {
        true => confirmed(arguments),
        false => arguments.clone(),
    }
}

async fn unknown_field_is_refused(desk: &Desk, tool: &str, arguments: &Value) -> Result<()> {
    let mut wrong = arguments.clone();
    wrong["nonsense"] = json!(1);
    let refused = desk.call_as(editor(), tool, wrong).await;
    let error = refused
        .error
        .with_context(|| format!("{tool} takes nonsense"))?;
    assert_eq!(error.code.as_str(), "invalid_input", "{tool}");
    let details = error.details.unwrap_or_default().to_string();
    assert!(
        error.message.contains("nonsense") || details.contains("nonsense"),
        "{tool}: {} {details}",
        error.message
    );
    Ok(())
}

async fn permission_is_needed(desk: &Desk, tool: &str, arguments: &Value) -> Result<()> {
    let is_open = matches!(
        tool,
        "browseImages" | "searchWeb" | "fetchContent" | "httpGet"
    );
    let nobody = match is_open {
        true => someone(&[]),
        false => someone(&[Capability::ToolsCall]),
    };
    let refused = desk
        .call_as(nobody, tool, confirmed_if(tool, arguments))
        .await;
    let error = refused
        .error
        .with_context(|| format!("{tool} needs no permission"))?;
    assert_eq!(
        error.code.as_str(),
        "forbidden",
        "{tool}: {}",
        error.message
    );
    Ok(())
}

/// A call by someone who read the site before anything was on it.
async fn stale_base_is_a_conflict(desk: &Desk, tool: &str, arguments: &Value) -> Result<()> {
    let is_about_the_log = !tool.ends_with("Image") && !tool.starts_with("http");
    let changes = tool.starts_with("update") || tool.starts_with("delete");
    if !(is_about_the_log && changes) {
        return Ok(());
    }
    let call = Call {
        scope: Some(Scope::Content),
        read_up_to: Some(0),
        ..Call::new(
            desk.site.clone(),
            tool,
            confirmed_if(tool, arguments),
            editor(),
        )
    };
    let refused = desk.call(call).await;
    let error = refused
        .error
        .with_context(|| format!("{tool} takes a stale base: {:?}", refused.data))?;
    assert_eq!(error.code.as_str(), "conflict", "{tool}: {}", error.message);
    Ok(())
}

async fn approval_is_needed(desk: &Desk, tool: &str, arguments: &Value) -> Result<()> {
    for by in [agent(), editor()] {
        let arguments = match by.author {
            sitewright_site::Author::Agent { .. } => confirmed(arguments),
            _ => arguments.clone(),
        };
        let asked = desk.call_as(by, tool, arguments).await;
        let data = asked
            .data
            .with_context(|| format!("{tool}: {:?}", asked.error))?;
        assert_eq!(data["requiresConfirmation"], json!(true), "{tool}");
        let message = data["message"].as_str().unwrap_or_default();
        assert!(
            message.ends_with('?') && message.contains('1'),
            "{tool}: {message}"
        );
        assert_eq!(data["items"].as_array().map(Vec::len), Some(1), "{tool}");
    }
    Ok(())
}

/// The table at the end of the specification, each row by its tool.
async fn every_operation_of_the_validation_table_has_its_tool(desk: Desk) -> Result<()> {
    let parent = desk
        .done("createPage", json!({ "name": "A", "slug": "a" }))
        .await?["pageId"]
        .clone();
    let child = json!({ "name": "B", "slug": "b", "parentId": parent });
    let page = desk.done("createPage", child).await?["pageId"].clone();
    desk.done(
        "updatePage",
        json!({ "id": page, "parentId": null, "name": "Bee" }),
    )
    .await?;
    assert_eq!(
        desk.done("getPage", json!({ "all": true })).await?["count"],
        json!(3)
    );
    assert_eq!(
        desk.done("getPage", json!({ "slug": "b" })).await?["items"][0]["name"],
        "Bee"
    );
    let section = json!({ "pageId": page, "templateKey": "hero" });
    let section = desk.done("createSection", section).await?["pageSectionId"].clone();
    for change in [
        json!({ "status": "published" }),
        json!({ "hidden": true }),
        json!({ "sortOrder": 0 }),
    ] {
        let mut change = change;
        change["pageSectionId"] = section.clone();
        desk.done("updateSection", change).await?;
    }
    assert_eq!(
        desk.done("getSection", json!({ "pageId": page })).await?["count"],
        json!(1)
    );
    desk.done(
        "deleteSection",
        json!({ "ids": [section], "confirmed": true }),
    )
    .await?;
    let item =
        json!({ "navigationId": "footer", "label": "B", "targetType": "page", "targetId": page });
    let item = desk.done("createNavItem", item).await?["id"].clone();
    let all = json!({ "navigationId": "footer", "all": true });
    assert_eq!(desk.done("getNavItem", all).await?["count"], json!(1));
    desk.done("deleteNavItem", json!({ "ids": [item], "confirmed": true }))
        .await?;
    let entry = json!({ "collectionId": "blog", "slug": "e", "title": "E" });
    let entry = desk.done("createEntry", entry).await?["id"].clone();
    let all = json!({ "collectionId": "blog", "all": true });
    assert_eq!(desk.done("getEntry", all).await?["count"], json!(1));
    desk.done("deleteEntry", json!({ "ids": [entry], "confirmed": true }))
        .await?;
    let image = added(&desk, 7, json!({})).await?["imageId"].clone();
    assert_eq!(
        desk.done("getImage", json!({ "all": true })).await?["count"],
        json!(1)
    );
    desk.done("deleteImage", json!({ "ids": [image], "confirmed": true }))
        .await?;
    desk.done("deletePage", json!({ "ids": [page], "confirmed": true }))
        .await?;
    assert_eq!(
        desk.done("getPage", json!({ "all": true })).await?["count"],
        json!(2)
    );
    Ok(())
}

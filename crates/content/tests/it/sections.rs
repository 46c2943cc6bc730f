//! getSectionTemplate, getSection, createSection, updateSection, deleteSection.

use anyhow::{Context as _, Result, bail};
use serde_json::{Value, json};
use sitewright_site::{BodyId, Facts, Need, Outcome, Purpose};
use sitewright_store::{BlobId, MediaId, MediaRow, MediaVariant, Stamp, Timestamp};

use crate::desk::{Desk, on_both};

on_both! {
    templates_are_found_in_every_way
    a_section_is_created_read_changed_and_deleted
    every_template_makes_a_section_that_renders
    sections_keep_their_order
    visitors_see_published_sections_only
    pictures_go_into_fields_that_the_template_has
    undo_leaves_the_template_to_the_sections_of_others
    what_does_not_fit_is_refused_by_name
    deleting_sections_is_all_or_nothing
}

async fn page(desk: &Desk) -> Result<String> {
    let arguments = json!({ "name": "About", "slug": "about" });
    let saved = desk.done("createPage", arguments).await?;
    Ok(saved["pageId"].as_str().context("an id")?.to_owned())
}

async fn section(desk: &Desk, page: &str, title: &str) -> Result<String> {
    let arguments = json!({ "pageId": page, "templateKey": "hero", "content": { "title": title } });
    let saved = desk.done("createSection", arguments).await?;
    Ok(saved["pageSectionId"].as_str().context("an id")?.to_owned())
}

/// A picture in the library, without its files.
pub(crate) async fn picture(desk: &Desk, alt: &str) -> Result<MediaRow> {
    let row = MediaRow {
        id: MediaId::new(),
        site: desk.site.clone(),
        blob: BlobId::of(alt.as_bytes()),
        format: "image/png".to_owned(),
        width: 640,
        height: 320,
        bytes: 9,
        is_animated: false,
        name: "harbour.png".to_owned(),
        alt: alt.to_owned(),
        credit: None,
        variants: vec![MediaVariant {
            width: 640,
            height: 320,
            format: "image/jpeg".to_owned(),
            blob: BlobId::of(b"640").to_string(),
            bytes: 9,
        }],
        tags: Vec::new(),
        categories: Vec::new(),
        created_at: Timestamp::now(),
    };
    Ok(desk
        .store
        .add_media(&row, &Stamp::local(Timestamp::now()))
        .await?)
}

/// What a page shows: to visitors, or in the editor.
async fn rendered(desk: &Desk, page: &str, purpose: Purpose) -> Result<String> {
    let id: BodyId = page.parse().ok().context("a page")?;
    let mut live = desk.store.live_site(&desk.site).await?;
    live.open(id).await?;
    let mut facts = Facts::default();
    for _ in 0..8 {
        match live.site().render(id, purpose, &facts).context("a page")? {
            Outcome::Done(rendered) => {
                assert_eq!(rendered.problems, Vec::<String>::new());
                return Ok(rendered.html);
            }
            Outcome::Needs(needs) => {
                for need in needs {
                    match need {
                        Need::Body(body) => {
                            live.open(body).await?;
                        }
                        Need::Rows { key, query } => {
                            let rows = live.rows(&query, Timestamp::now()).await?;
                            facts.rows.insert(key, rows);
                        }
                        other => bail!("{other:?}"),
                    }
                }
            }
        }
    }
    bail!("it needs more and more")
}

async fn templates_are_found_in_every_way(desk: Desk) -> Result<()> {
    let all = desk
        .done("getSectionTemplate", json!({ "all": true }))
        .await?;
    assert_eq!((&all["success"], &all["count"]), (&json!(true), &json!(10)));
    let hero = desk
        .one("getSectionTemplate", json!({ "key": "hero" }))
        .await?;
    let by_id = desk
        .one("getSectionTemplate", json!({ "id": hero["id"] }))
        .await?;
    assert_eq!(hero, by_id);
    let fields: Vec<&str> = hero["fields"]
        .as_array()
        .context("fields")?
        .iter()
        .filter_map(|field| field["name"].as_str())
        .collect();
    assert_eq!(fields, ["title", "text", "image", "backgroundImage", "cta"]);
    let page = page(&desk).await?;
    section(&desk, &page, "One").await?;
    assert_eq!(
        desk.one("getSectionTemplate", json!({ "key": "hero" }))
            .await?,
        hero,
        "the same before and after its first section"
    );
    let none = desk
        .done("getSectionTemplate", json!({ "key": "nothing" }))
        .await?;
    assert_eq!((&none["count"], &none["items"]), (&json!(0), &json!([])));
    assert_eq!(
        desk.refused("getSectionTemplate", json!({})).await?,
        "Provide id, key, or set all: true."
    );
    assert_eq!(
        desk.refused("getSectionTemplate", json!({ "key": "hero", "all": true }))
            .await?,
        "Provide id, key, or set all: true, and only one of them; this call has key and all."
    );
    Ok(())
}

async fn a_section_is_created_read_changed_and_deleted(desk: Desk) -> Result<()> {
    let page = page(&desk).await?;
    let content =
        json!({ "title": "Hello", "text": "Two\nlines", "cta": { "label": "Go", "url": "/shop" } });
    let arguments = json!({ "pageId": page, "templateKey": "hero", "content": content });
    let saved = desk.done("createSection", arguments).await?;
    let id = saved["pageSectionId"].clone();
    assert_eq!(saved["item"]["content"], content);
    let light = desk.one("getSection", json!({ "pageId": page })).await?;
    assert_eq!(
        (
            &light["templateKey"],
            &light["status"],
            &light["hidden"],
            &light["content"]
        ),
        (
            &json!("hero"),
            &json!("published"),
            &json!(false),
            &Value::Null
        )
    );
    let change = json!({ "pageSectionId": id, "content": { "title": "Welcome", "text": null, "cta": { "label": "Shop" } } });
    desk.done("updateSection", change).await?;
    let read = json!({ "pageSectionId": id, "includeContent": true });
    let changed = desk.one("getSection", read.clone()).await?;
    assert_eq!(
        changed["content"],
        json!({ "title": "Welcome", "cta": { "label": "Shop", "url": "/shop" } }),
        "what is not named stays"
    );
    assert_eq!(
        desk.each("getSection", json!({ "query": "WELC shop" }), "templateKey")
            .await?,
        ["hero"]
    );
    let on_page = desk
        .one("getPage", json!({ "id": page, "includeContent": true }))
        .await?;
    assert_eq!(on_page["sections"][0]["content"]["title"], "Welcome");
    let preview = desk.done("deleteSection", json!({ "ids": [id] })).await?;
    assert_eq!(
        (
            &preview["requiresConfirmation"],
            &preview["message"],
            &preview["items"][0]["page"]
        ),
        (&json!(true), &json!("Delete 1 section?"), &json!("About"))
    );
    assert_eq!(desk.one("getSection", read.clone()).await?, changed);
    let deleted = desk
        .done("deleteSection", json!({ "ids": [id], "confirmed": true }))
        .await?;
    assert_eq!(deleted["deleted"][0]["templateKey"], "hero");
    assert_eq!(
        desk.done("getSection", read.clone()).await?["count"],
        json!(0)
    );
    desk.done("undo", json!({})).await?;
    assert_eq!(desk.one("getSection", read).await?, changed);
    Ok(())
}

async fn every_template_makes_a_section_that_renders(desk: Desk) -> Result<()> {
    let page = page(&desk).await?;
    let keys = desk
        .each("getSectionTemplate", json!({ "all": true }), "key")
        .await?;
    for key in &keys {
        let arguments = json!({ "pageId": page, "templateKey": key });
        desk.done("createSection", arguments).await?;
    }
    let content = json!({ "title": "Prices", "items": [{ "title": "A day", "price": "20", "url": "/book" }] });
    let arguments = json!({ "pageId": page, "templateKey": "pricing", "content": content });
    desk.done("createSection", arguments).await?;
    let html = rendered(&desk, &page, Purpose::Publish).await?;
    for key in &keys {
        assert!(
            html.contains(&format!("<section class=\"section-base section-{key}\"")),
            "{key}"
        );
        assert!(
            html.contains(&format!(".section-{key}")),
            "the styles of {key}"
        );
    }
    assert!(
        html.contains("<a class=\"button\" href=\"/book\">Choose</a>"),
        "{html}"
    );
    let body = html.split("<body").nth(1).context("a body")?;
    assert!(!body.contains("<img") && !body.contains("{item") && !body.contains("<h1"));
    Ok(())
}

async fn sections_keep_their_order(desk: Desk) -> Result<()> {
    let page = page(&desk).await?;
    let mut ids = Vec::new();
    for title in ["a", "b", "c"] {
        ids.push(section(&desk, &page, title).await?);
    }
    let texts = async || {
        desk.each("getSection", json!({ "pageId": page }), "text")
            .await
    };
    let first = json!({ "pageId": page, "templateKey": "text", "content": { "title": "d" }, "sortOrder": 1 });
    desk.done("createSection", first).await?;
    assert_eq!(texts().await?, ["a", "d", "b", "c"]);
    for (order, expected) in [
        (0, ["c", "a", "d", "b"]),
        (2, ["a", "d", "c", "b"]),
        (99, ["a", "d", "b", "c"]),
        (3, ["a", "d", "b", "c"]),
    ] {
        let moving = json!({ "pageSectionId": ids[2], "sortOrder": order });
        desk.done("updateSection", moving).await?;
        assert_eq!(texts().await?, expected, "{order}");
    }
    let shown = desk
        .one("getSection", json!({ "pageSectionId": ids[2] }))
        .await?;
    assert_eq!(shown["sortOrder"], json!(3));
    Ok(())
}

async fn visitors_see_published_sections_only(desk: Desk) -> Result<()> {
    let page = page(&desk).await?;
    let new = json!({ "pageId": page, "templateKey": "text", "content": { "title": "Soon" }, "status": "draft" });
    let id = desk.done("createSection", new).await?["pageSectionId"].clone();
    for (change, in_editor, for_visitors) in [
        (json!({ "status": "unpublished" }), true, false),
        (json!({ "status": "draft" }), true, false),
        (json!({ "status": "published" }), true, true),
        (json!({ "hidden": true }), false, false),
        (json!({ "hidden": false }), true, true),
    ] {
        let mut arguments = change.clone();
        arguments["pageSectionId"] = id.clone();
        desk.done("updateSection", arguments).await?;
        for (purpose, is_shown) in [
            (Purpose::Canvas, in_editor),
            (Purpose::Publish, for_visitors),
        ] {
            let html = rendered(&desk, &page, purpose).await?;
            assert_eq!(html.contains("Soon"), is_shown, "{change} {purpose:?}");
        }
    }
    Ok(())
}

async fn pictures_go_into_fields_that_the_template_has(desk: Desk) -> Result<()> {
    let (page, row) = (page(&desk).await?, picture(&desk, "Boats at dawn").await?);
    let (id, url) = (section(&desk, &page, "Hi").await?, row.url());
    let attach = json!({ "pageSectionId": id, "imageId": row.id.as_str(), "imageField": "backgroundImage", "content": { "text": "Both" } });
    let saved = desk.done("updateSection", attach).await?;
    assert_eq!(
        saved["item"]["content"],
        json!({ "title": "Hi", "text": "Both", "backgroundImage": { "url": url, "alt": "Boats at dawn", "imageId": row.id.as_str() } })
    );
    let own = json!({ "pageSectionId": id, "imageId": row.id.as_str(), "imageField": "image", "alt": "Our harbour" });
    assert_eq!(
        desk.done("updateSection", own).await?["item"]["content"]["image"]["alt"],
        "Our harbour"
    );
    let by_address = json!({ "pageSectionId": id, "content": { "image": url } });
    let kept = desk.done("updateSection", by_address).await?;
    assert_eq!(
        kept["item"]["content"]["image"],
        json!({ "url": url, "alt": "Our harbour" })
    );
    let html = rendered(&desk, &page, Purpose::Publish).await?;
    assert!(
        html.contains(&format!("src=\"{url}\" alt=\"Boats at dawn\"")),
        "{html}"
    );
    for (field, message) in [
        (
            "cover",
            "imageField: `cover` is no picture field of this section; it has image, backgroundImage.",
        ),
        (
            "title",
            "imageField: `title` is no picture field of this section; it has image, backgroundImage.",
        ),
    ] {
        let wrong = json!({ "pageSectionId": id, "imageId": row.id.as_str(), "imageField": field });
        assert_eq!(desk.refused("updateSection", wrong).await?, message);
    }
    let unknown = json!({ "pageSectionId": id, "imageId": "0198", "imageField": "image" });
    assert_eq!(
        desk.refused("updateSection", unknown).await?,
        "There is no image 0198; getImage names those there are."
    );
    Ok(())
}

async fn undo_leaves_the_template_to_the_sections_of_others(desk: Desk) -> Result<()> {
    let page = page(&desk).await?;
    section(&desk, &page, "First").await?;
    section(&desk, &page, "Second").await?;
    desk.done("undo", json!({})).await?;
    desk.done("undo", json!({})).await?;
    assert_eq!(
        desk.done("getSection", json!({ "pageId": page })).await?["count"],
        json!(0)
    );
    desk.done("redo", json!({})).await?;
    let html = rendered(&desk, &page, Purpose::Publish).await?;
    assert!(
        html.contains("First") && html.contains(".section-hero"),
        "{html}"
    );
    Ok(())
}

async fn what_does_not_fit_is_refused_by_name(desk: Desk) -> Result<()> {
    let page = page(&desk).await?;
    let id = section(&desk, &page, "Hi").await?;
    let template = desk
        .one("getSectionTemplate", json!({ "key": "hero" }))
        .await?["id"]
        .clone();
    let template = template.as_str().context("an id")?;
    for (tool, arguments, message) in [
        ("getSection", json!({}), "Provide pageSectionId, pageId, or query.".to_owned()),
        ("updateSection", json!({ "pageSectionId": id }), "Provide content, or imageId + imageField.".to_owned()),
        ("updateSection", json!({ "pageSectionId": id, "imageId": "x" }), "imageId, imageField and alt go together: provide imageId + imageField.".to_owned()),
        ("updateSection", json!({ "pageSectionId": template, "hidden": true }), format!("pageSectionId: {template} is the id of the template `hero`. Use the pageSectionId that createSection and getSection return.")),
        ("updateSection", json!({ "pageSectionId": id, "content": { "headline": "x" } }), "content: there is no field `headline` here; the fields are title, text, image, backgroundImage, cta.".to_owned()),
        ("updateSection", json!({ "pageSectionId": id, "content": { "title": 3 } }), "`title` must be text of at most 100000 characters.".to_owned()),
        ("updateSection", json!({ "pageSectionId": id, "content": { "cta": { "url": "javascript:alert(1)" } } }), "`url` does not fit here; it takes label, url as text, and url must be an address.".to_owned()),
        ("createSection", json!({ "pageId": page, "templateKey": "banner" }), "templateKey: there is no section template `banner`; there are hero, features, text, gallery, quote, cta, contact, faq, pricing, posts.".to_owned()),
        ("createSection", json!({ "pageId": page, "templateKey": "faq", "content": { "items": [{ "question": "?" }] } }), "There is no field `question` in `items`; its fields are text, title.".to_owned()),
    ] {
        assert_eq!(desk.refused(tool, arguments.clone()).await?, message, "{tool} {arguments}");
    }
    let plain = json!({ "parentId": root_of(&desk, &page).await?, "html": "<p>Plain</p>" });
    let inserted = desk.of_site("insertHtml", plain).await?;
    let plain = inserted["nodeIds"][0].clone();
    let shown = desk
        .one("getSection", json!({ "pageSectionId": plain }))
        .await?;
    assert_eq!(
        (&shown["templateKey"], &shown["text"]),
        (&json!("html"), &json!("Plain"))
    );
    let refused = desk
        .refused(
            "updateSection",
            json!({ "pageSectionId": plain, "content": { "title": "x" } }),
        )
        .await?;
    assert!(
        refused.starts_with("This section was made without a template"),
        "{refused}"
    );
    desk.done(
        "updateSection",
        json!({ "pageSectionId": plain, "sortOrder": 0 }),
    )
    .await?;
    Ok(())
}

async fn root_of(desk: &Desk, page: &str) -> Result<String> {
    let mut live = desk.store.live_site(&desk.site).await?;
    let id: BodyId = page.parse().ok().context("a page")?;
    live.open(id).await?;
    let tree = live.site().bodies.get(&id).context("a tree")?;
    Ok(tree.root().to_string())
}

async fn deleting_sections_is_all_or_nothing(desk: Desk) -> Result<()> {
    let page = page(&desk).await?;
    let (one, two) = (
        section(&desk, &page, "a").await?,
        section(&desk, &page, "b").await?,
    );
    let gone = "000000000007";
    let refused = desk
        .refused(
            "deleteSection",
            json!({ "ids": [one, gone], "confirmed": true }),
        )
        .await?;
    assert_eq!(
        refused,
        format!(
            "There is no section {gone}; nothing was deleted. getSection names those of a page."
        )
    );
    assert_eq!(
        desk.done("getSection", json!({ "pageId": page })).await?["count"],
        json!(2)
    );
    let with_page = desk.done("deletePage", json!({ "ids": [page] })).await?;
    assert_eq!(with_page["items"][0]["sections"], json!(2));
    let preview = desk
        .done("deleteSection", json!({ "ids": [one, two] }))
        .await?;
    assert_eq!(preview["message"], "Delete 2 sections?");
    desk.done(
        "deleteSection",
        json!({ "ids": [one, two], "confirmed": true }),
    )
    .await?;
    assert_eq!(
        desk.done("getSection", json!({ "pageId": page })).await?["count"],
        json!(0)
    );
    Ok(())
}

//! Entries in several languages: variants, fallbacks, and the mark that a source has changed.

use anyhow::{Context as _, Result};
use serde_json::{Value, json};

use crate::desk::{Desk, on_both};

on_both! {
    a_translation_is_found_by_language_and_else_the_nearest
    a_change_of_the_source_marks_its_translations
    a_translation_must_fit_what_it_translates
    deleting_an_entry_names_and_takes_its_translations
}

/// A post with a translation into each of these languages; the id of the post first.
async fn translated(desk: &Desk, slug: &str, locales: &[&str]) -> Result<Vec<String>> {
    let new = json!({ "collectionId": "blog", "slug": slug, "title": slug, "content": { "body": "Words" } });
    let made = desk.done("createEntry", new).await?;
    let mut ids = vec![made["id"].as_str().context("an id")?.to_owned()];
    for locale in locales {
        let new = json!({ "collectionId": "blog", "slug": slug, "title": format!("{slug} {locale}"),
            "locale": locale, "translationOf": ids[0] });
        let made = desk.done("createEntry", new).await?;
        ids.push(made["id"].as_str().context("an id")?.to_owned());
    }
    Ok(ids)
}

async fn a_translation_is_found_by_language_and_else_the_nearest(desk: Desk) -> Result<()> {
    let ids = translated(&desk, "tea", &["pt", "pt-BR", "de"]).await?;
    translated(&desk, "bread", &["pt"]).await?;
    for (locale, title) in [
        ("de", "tea de"),
        ("pt-BR", "tea pt-BR"),
        ("pt-PT", "tea pt"),
        ("fr", "tea"),
        ("en", "tea"),
    ] {
        for id in [&ids[0], &ids[1]] {
            let found = desk
                .one("getEntry", json!({ "id": id, "locale": locale }))
                .await?;
            assert_eq!(found["title"], title, "{locale}");
        }
        let found = desk
            .one("getEntry", json!({ "slug": "tea", "locale": locale }))
            .await?;
        assert_eq!(found["title"], title, "{locale}");
    }
    let own = desk.one("getPost", json!({ "slug": "tea" })).await?;
    assert_eq!(own["id"], json!(ids[0]), "the source has the slug first");
    let german = desk.one("getEntry", json!({ "id": ids[3] })).await?;
    assert_eq!(
        (&german["permalink"], &german["translationOf"]),
        (&json!("/de/blog/tea"), &json!(ids[0]))
    );
    for (locale, titles) in [
        ("pt-BR", ["bread pt", "tea pt-BR"]),
        ("de", ["bread", "tea de"]),
        ("it", ["bread", "tea"]),
    ] {
        let list = json!({ "collectionId": "blog", "locale": locale });
        let list = desk.done("getEntry", list).await?;
        let items = list["items"].as_array().context("items")?;
        let mut found: Vec<&Value> = items.iter().map(|item| &item["title"]).collect();
        found.sort_by_key(|title| title.to_string());
        assert_eq!(found, titles, "{locale}");
        assert_eq!(list["total"], 2, "{locale}");
    }
    Ok(())
}

async fn a_change_of_the_source_marks_its_translations(desk: Desk) -> Result<()> {
    let ids = translated(&desk, "tea", &["de"]).await?;
    let marks = async || -> Result<(Value, Value)> {
        let source = desk.one("getEntry", json!({ "id": ids[0] })).await?;
        let german = desk.one("getEntry", json!({ "id": ids[1] })).await?;
        Ok((
            source["translations"][0]["sourceChanged"].clone(),
            german["sourceChanged"].clone(),
        ))
    };
    assert_eq!(marks().await?, (json!(false), json!(false)));
    // What is no text to translate marks nothing.
    let order = json!({ "id": ids[0], "sortOrder": 3, "slug": "green-tea" });
    desk.done("updateEntry", order).await?;
    assert_eq!(marks().await?, (json!(false), json!(false)));
    let words = json!({ "id": ids[0], "content": { "body": "Other words" } });
    desk.done("updateEntry", words).await?;
    assert_eq!(marks().await?, (json!(true), json!(true)));
    let mend = json!({ "id": ids[1], "title": "Tee" });
    desk.done("updateEntry", mend).await?;
    assert_eq!(marks().await?, (json!(true), json!(true)));
    let mend =
        json!({ "id": ids[1], "content": { "body": "Andere Worte" }, "matchesSource": true });
    desk.done("updateEntry", mend).await?;
    assert_eq!(marks().await?, (json!(false), json!(false)));
    Ok(())
}

async fn a_translation_must_fit_what_it_translates(desk: Desk) -> Result<()> {
    let ids = translated(&desk, "tea", &["de"]).await?;
    let new = |locale: Value, source: &str| json!({ "collectionId": "blog", "slug": "x", "title": "X", "locale": locale, "translationOf": source });
    for (arguments, expected) in [
        (
            new(json!("de"), &ids[0]),
            format!("`tea de` ({}) is the translation into `de`; update that entry.", ids[1]),
        ),
        (
            new(Value::Null, &ids[0]),
            "A translation needs its language: send locale, such as `de`.".to_owned(),
        ),
        (
            new(json!("fr"), &ids[1]),
            "translationOf must be an entry of the same collection that is no translation itself.".to_owned(),
        ),
        (
            new(json!("en"), &ids[0]),
            "`en` is the site's own language; leave locale out for it.".to_owned(),
        ),
        (
            new(json!("Deutsch"), &ids[0]),
            "Entry `X`: `locale` must be the tag of a language, such as `de` or `pt-BR`; a translation needs one.".to_owned(),
        ),
    ] {
        assert_eq!(desk.refused("createEntry", arguments).await?, expected);
    }
    let own = json!({ "id": ids[0], "matchesSource": true });
    assert_eq!(
        desk.refused("updateEntry", own).await?,
        "matchesSource is for translations; this entry translates none."
    );
    Ok(())
}

async fn deleting_an_entry_names_and_takes_its_translations(desk: Desk) -> Result<()> {
    let ids = translated(&desk, "tea", &["de", "fr"]).await?;
    let deleted = desk
        .done("deleteEntry", json!({ "ids": [ids[0]], "confirmed": true }))
        .await?;
    let mut named: Vec<&Value> = deleted["deleted"][0]["translations"]
        .as_array()
        .context("translations")?
        .iter()
        .collect();
    named.sort_by_key(|title| title.to_string());
    assert_eq!(named, ["tea de", "tea fr"]);
    let left = desk.done("getEntry", json!({ "all": true })).await?;
    assert_eq!(left["total"], 0);
    assert_eq!(desk.store.binned_entries(&desk.site, 10).await?.len(), 3);
    Ok(())
}

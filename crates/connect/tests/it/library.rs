//! getImage, createImage, updateImage, deleteImage.

use anyhow::{Context as _, Result};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use sitewright_connect::Embedder;
use sitewright_media::MediaError;
use sitewright_store::{MediaId, Stamp, StoreError, Timestamp};
use sitewright_tool::Taint;

use crate::desk::{Desk, access, editor, egress, on_both, picture};

on_both! {
    an_image_is_added_found_described_and_deleted
    images_come_from_addresses_and_uploads_too
    images_are_searched_by_their_words
    images_are_searched_by_meaning_when_there_is_an_embedder
    deleting_names_the_uses_and_the_bin_gives_back
    hostile_files_are_refused_in_words
    both_cover_fields_take_an_image
}

pub(crate) async fn added(desk: &Desk, number: u8, more: Value) -> Result<Value> {
    let mut arguments =
        json!({ "buffer": STANDARD.encode(picture(number)), "filename": format!("p{number}.png") });
    for (name, value) in more.as_object().context("an object")? {
        arguments[name] = value.clone();
    }
    desk.done("createImage", arguments).await
}

async fn an_image_is_added_found_described_and_deleted(desk: Desk) -> Result<()> {
    let saved = added(
        &desk,
        1,
        json!({ "description": "Boats", "tags": ["sea", "sea", " "] }),
    )
    .await?;
    let id = saved["imageId"].clone();
    let url = saved["url"].as_str().context("an address")?;
    assert!(url.starts_with("/uploads/"), "{url}");
    let one = desk.done("getImage", json!({ "id": id })).await?;
    assert_eq!((&one["success"], &one["count"]), (&json!(true), &json!(1)));
    let item = &one["items"][0];
    assert_eq!(
        (
            &item["description"],
            &item["tags"],
            &item["status"],
            &item["usedIn"],
            &item["filename"]
        ),
        (
            &json!("Boats"),
            &json!(["sea"]),
            &json!("completed"),
            &json!([]),
            &json!("p1.png")
        )
    );
    let change = json!({ "id": id, "categories": ["Harbour"] });
    let changed = desk.done("updateImage", change).await?;
    assert_eq!(
        (
            &changed["item"]["description"],
            &changed["item"]["tags"],
            &changed["item"]["categories"]
        ),
        (&json!("Boats"), &json!(["sea"]), &json!(["Harbour"])),
        "what is not named stays"
    );
    added(&desk, 2, json!({})).await?;
    let all = desk
        .done("getImage", json!({ "all": true, "limit": 1 }))
        .await?;
    assert_eq!((&all["count"], &all["total"]), (&json!(1), &json!(2)));
    let next = json!({ "all": true, "limit": 1, "cursor": all["next"] });
    assert_eq!(desk.done("getImage", next).await?["items"][0]["id"], id);
    for (status, count) in [("completed", 2), ("processing", 0)] {
        let listed = desk
            .done("getImage", json!({ "all": true, "status": status }))
            .await?;
        assert_eq!(listed["count"], json!(count), "{status}");
    }
    is_deleted(&desk, &id).await
}

async fn is_deleted(desk: &Desk, id: &Value) -> Result<()> {
    let preview = desk.done("deleteImage", json!({ "ids": [id] })).await?;
    assert_eq!(
        (&preview["requiresConfirmation"], &preview["message"]),
        (&json!(true), &json!("Delete 1 image?"))
    );
    assert_eq!(
        desk.done("getImage", json!({ "id": id })).await?["count"],
        json!(1)
    );
    let deleted = desk
        .done("deleteImage", json!({ "ids": [id], "confirmed": true }))
        .await?;
    assert_eq!(deleted["deleted"][0]["filename"], "p1.png");
    assert_eq!(
        desk.done("getImage", json!({ "id": id })).await?["count"],
        json!(0)
    );
    Ok(())
}

async fn images_come_from_addresses_and_uploads_too(desk: Desk) -> Result<()> {
    let by_address = json!({ "url": desk.world.web("/picture"), "description": "From afar" });
    let envelope = desk.call_as(editor(), "createImage", by_address).await;
    assert_eq!(envelope.taint, Taint::Untrusted);
    let saved = envelope.data.context("data")?;
    assert_eq!(saved["item"]["filename"], "picture");
    let again = desk
        .done("createImage", json!({ "uploadId": saved["imageId"] }))
        .await?;
    assert_eq!(again["imageId"], saved["imageId"]);
    let data = format!("data:image/png;base64,{}", STANDARD.encode(picture(3)));
    desk.done("createImage", json!({ "buffer": data })).await?;
    for (arguments, message) in [
        (
            json!({}),
            "Provide exactly one of buffer, url and uploadId.",
        ),
        (
            json!({ "buffer": "eA==", "uploadId": "x" }),
            "Provide exactly one of buffer, url and uploadId.",
        ),
        (
            json!({ "buffer": "eA==", "sessionId": "another" }),
            "sessionId is not the session of this call; leave it out.",
        ),
        (
            json!({ "uploadId": "x" }),
            "There is no image x; nothing was changed. getImage names those there are.",
        ),
    ] {
        assert_eq!(desk.refused("createImage", arguments).await?, message);
    }
    let missing = json!({ "url": desk.world.web("/missing") });
    let refused = desk.refused("createImage", missing).await?;
    assert!(refused.contains("the address answered 404"), "{refused}");
    Ok(())
}

async fn images_are_searched_by_their_words(desk: Desk) -> Result<()> {
    let boats = added(&desk, 1, json!({ "description": "Fishing-boats at DAWN" })).await?;
    added(
        &desk,
        2,
        json!({ "description": "A kiln", "tags": ["Öfen"] }),
    )
    .await?;
    for (query, expected) in [
        ("fishing dawn", 1),
        ("boat", 1),
        ("öfen", 1),
        ("p2", 1),
        ("kiln dawn", 0),
        ("'; drop table media --", 0),
        ("\"* & |", 0),
    ] {
        let found = desk.done("getImage", json!({ "query": query })).await?;
        assert_eq!(found["count"], json!(expected), "{query}");
        assert_eq!(found["search"], "fullText");
    }
    let id = &boats["imageId"];
    let change = json!({ "id": id, "description": "A bakery" });
    desk.done("updateImage", change).await?;
    let found = desk.done("getImage", json!({ "query": "dawn" })).await?;
    assert_eq!(found["count"], json!(0), "old words are forgotten");
    desk.done("deleteImage", json!({ "ids": [id], "confirmed": true }))
        .await?;
    let found = desk.done("getImage", json!({ "query": "bakery" })).await?;
    assert_eq!(found["count"], json!(0), "what is in the bin is not found");
    assert_eq!(
        desk.refused("getImage", json!({ "query": "a", "all": true }))
            .await?,
        "Provide id, query, or set all: true, and only one of them; this call has query and all."
    );
    assert_eq!(
        desk.refused("getImage", json!({})).await?,
        "Provide id, query, or set all: true."
    );
    Ok(())
}

async fn images_are_searched_by_meaning_when_there_is_an_embedder(desk: Desk) -> Result<()> {
    let embedder = |base_url: String| Embedder {
        egress: egress(),
        service: access(base_url),
        model: "small".to_owned(),
    };
    let service = embedder(desk.world.embeddings());
    let desk = desk.with_embedder(&service)?;
    let boats = added(&desk, 1, json!({ "description": "Two boats" })).await?;
    let kiln = added(&desk, 2, json!({ "description": "A kiln" })).await?;
    let ids = async |query: &str| {
        let found = desk.done("getImage", json!({ "query": query })).await?;
        assert_eq!(found["search"], "hybrid");
        let items = found["items"].as_array().context("items")?;
        let ids: Vec<Value> = items.iter().map(|item| item["id"].clone()).collect();
        assert_eq!(found["total"], json!(ids.len()));
        anyhow::Ok(ids)
    };
    assert_eq!(
        ids("vessel").await?,
        [] as [Value; 0],
        "nothing is embedded yet"
    );
    assert!(service.embed_pictures(&desk.store).await?);
    assert!(
        !service.embed_pictures(&desk.store).await?,
        "once is enough"
    );
    let (boats, kiln) = (&boats["imageId"], &kiln["imageId"]);
    assert_eq!(ids("vessel").await?, [boats.clone(), kiln.clone()]);
    assert_eq!(ids("oven").await?, [kiln.clone(), boats.clone()]);
    assert_eq!(ids("kiln").await?[0], *kiln, "words and meaning agree");
    // New words are embedded anew, and what is deleted is not near to anything.
    let change = json!({ "id": boats, "description": "An oven" });
    desk.done("updateImage", change).await?;
    assert_eq!(ids("vessel").await?, std::slice::from_ref(kiln));
    assert!(service.embed_pictures(&desk.store).await?);
    let gone = json!({ "ids": [kiln], "confirmed": true });
    desk.done("deleteImage", gone).await?;
    assert_eq!(ids("kiln").await?, std::slice::from_ref(boats));
    // Without the service the words still find it, and the answer says so.
    let away = embedder(desk.world.web("/missing"));
    let desk = desk.with_embedder(&away)?;
    let found = desk.done("getImage", json!({ "query": "oven" })).await?;
    assert_eq!(
        (&found["search"], &found["count"]),
        (&json!("fullText"), &json!(1))
    );
    let note = found["note"].as_str().context("a note")?;
    assert!(note.starts_with("Found by words only: "), "{note}");
    assert!(
        away.embed_pictures(&desk.store).await.is_ok(),
        "nothing is left to embed"
    );
    Ok(())
}

async fn deleting_names_the_uses_and_the_bin_gives_back(desk: Desk) -> Result<()> {
    let saved = added(&desk, 1, json!({ "description": "Boats" })).await?;
    let id = saved["imageId"].as_str().context("an id")?.to_owned();
    let page = desk
        .done("createPage", json!({ "name": "About", "slug": "about" }))
        .await?;
    let section = json!({ "pageId": page["pageId"], "templateKey": "hero", "content": { "image": saved["url"] } });
    desk.done("createSection", section).await?;
    let shown = desk.done("getImage", json!({ "id": id })).await?;
    assert_eq!(shown["items"][0]["usedIn"], json!(["About"]));
    let preview = desk.done("deleteImage", json!({ "ids": [id] })).await?;
    assert_eq!(preview["items"][0]["usedIn"], json!(["About"]));
    let refused = desk
        .refused(
            "deleteImage",
            json!({ "ids": [id, "none"], "confirmed": true }),
        )
        .await?;
    assert_eq!(
        refused,
        "There is no image none; nothing was changed. getImage names those there are."
    );
    assert_eq!(
        desk.done("getImage", json!({ "id": id })).await?["count"],
        json!(1)
    );
    desk.done("deleteImage", json!({ "ids": [id], "confirmed": true }))
        .await?;
    let media = MediaId::from(id.clone());
    assert_eq!(
        desk.library.file(&media, "8.jpg").await?,
        None,
        "its address is gone"
    );
    let binned = desk.library.binned(&desk.site, 10).await?;
    assert_eq!(binned.len(), 1);
    let by = Stamp::local(Timestamp::now());
    desk.library.restore(&desk.site, &media, &by).await?;
    assert_eq!(
        desk.done("getImage", json!({ "query": "boats" })).await?["count"],
        json!(1)
    );
    let twice = desk.library.restore(&desk.site, &media, &by).await;
    assert!(matches!(
        twice,
        Err(MediaError::Store(StoreError::NotFound { .. }))
    ));
    // The same file once more brings it back from the bin, too.
    desk.done("deleteImage", json!({ "ids": [id], "confirmed": true }))
        .await?;
    assert_eq!(added(&desk, 1, json!({})).await?["imageId"], json!(id));
    Ok(())
}

async fn hostile_files_are_refused_in_words(desk: Desk) -> Result<()> {
    let whole = picture(1);
    let mut huge = whole.clone();
    huge[16..24].copy_from_slice(&[0, 0, 0x27, 0x10, 0, 0, 0x27, 0x10]);
    let page = [
        &b"\x89PNG\r\n\x1a\n"[..],
        b"<script>alert('canary')</script>",
    ]
    .concat();
    for (name, bytes, words) in [
        (
            "photo.png",
            b"<svg xmlns='http://www.w3.org/2000/svg' onload='x()'/>".to_vec(),
            "the file is an svg",
        ),
        (
            "photo.jpg",
            b"%PDF-1.7 canary".to_vec(),
            "the file is a pdf",
        ),
        ("photo.gif", page, "damaged"),
        ("photo.png", whole[..40].to_vec(), "damaged"),
        ("photo.png", huge, ""),
        ("photo.png", Vec::new(), "the file is empty"),
    ] {
        let arguments = json!({ "buffer": STANDARD.encode(&bytes), "filename": name });
        let message = desk.refused("createImage", arguments).await?;
        assert!(message.to_lowercase().contains(words), "{name}: {message}");
    }
    assert_eq!(
        desk.done("getImage", json!({ "all": true })).await?["total"],
        json!(0)
    );
    // A picture with a wrong extension, and code behind its pixels, is what its bytes are, without the code.
    let behind = [whole.as_slice(), b"<?php canary ?>"].concat();
    let arguments = json!({ "buffer": STANDARD.encode(behind), "filename": "shell.php" });
    let saved = desk.done("createImage", arguments).await?;
    let url = saved["url"].as_str().context("an address")?;
    let (id, file) = url
        .trim_start_matches("/uploads/")
        .split_once('/')
        .context("a file")?;
    let served = desk
        .library
        .file(&MediaId::from(id.to_owned()), file)
        .await?;
    let (_, bytes) = served.context("its bytes")?;
    assert!(!bytes.windows(6).any(|window| window == b"canary"), "{url}");
    assert!(!url.contains("php"), "{url}");
    Ok(())
}

async fn both_cover_fields_take_an_image(desk: Desk) -> Result<()> {
    let url = added(&desk, 1, json!({})).await?["url"].clone();
    let post = json!({
        "collectionSlug": "blog", "slug": "a", "title": "A", "featuredImage": url,
        "content": { "body": "Text", "cover": { "url": url, "alt": "Boats" } }
    });
    desk.done("createPost", post).await?;
    let cover = json!({ "slug": "a", "content": { "cover": { "url": url, "alt": "Others" } } });
    desk.done("updatePost", cover).await?;
    let read = desk.done("getPost", json!({ "slug": "a" })).await?;
    let content = &read["items"][0]["content"];
    assert_eq!(
        (
            &content["featuredImage"],
            &content["cover"],
            &content["body"]
        ),
        (
            &url,
            &json!({ "url": url, "alt": "Others" }),
            &json!("Text")
        )
    );
    Ok(())
}

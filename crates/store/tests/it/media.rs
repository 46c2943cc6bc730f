//! The rows of assets.

use anyhow::Result;
use serde_json::json;
use sitewright_store::{
    BlobId, MediaChange, MediaId, MediaRow, MediaVariant, SiteId, Stamp, StoreError,
};

use crate::both::{Fresh, on_both};
use crate::people::NOW;

on_both! {
    an_asset_reads_back_as_it_was
    the_same_bytes_are_one_asset_of_a_site
    assets_are_listed_the_newest_first_and_searched
    an_asset_is_named_and_removed_on_its_own_site_only
    blobs_that_another_asset_has_are_not_free
}

pub(crate) fn row(site: &SiteId) -> MediaRow {
    let variant = |width: u32| MediaVariant {
        width,
        height: width / 2,
        format: "image/jpeg".to_owned(),
        blob: BlobId::of(&width.to_be_bytes()).to_string(),
        bytes: u64::from(width),
    };
    MediaRow {
        id: MediaId::new(),
        site: site.clone(),
        blob: BlobId::of(b"harbour"),
        format: "image/png".to_owned(),
        width: 4000,
        height: 2000,
        bytes: 5_000_000_000,
        is_animated: true,
        name: "Häfen 🛟".to_owned(),
        alt: String::new(),
        credit: Some(json!({ "author": "Ada" })),
        variants: vec![variant(320), variant(640)],
        tags: Vec::new(),
        categories: Vec::new(),
        created_at: NOW,
    }
}

async fn an_asset_reads_back_as_it_was(fresh: &Fresh) -> Result<()> {
    let store = fresh.open().await;
    let site = store.sites().await?.remove(0).id;
    let row = row(&site);
    assert_eq!(store.add_media(&row, &Stamp::local(NOW)).await?, row);
    assert_eq!(store.media(&row.id).await?, Some(row.clone()));
    assert_eq!(store.media_of(&site, &row.blob).await?, Some(row));
    assert_eq!(store.media(&MediaId::new()).await?, None);
    Ok(())
}

async fn the_same_bytes_are_one_asset_of_a_site(fresh: &Fresh) -> Result<()> {
    let store = fresh.open().await;
    let site = store.sites().await?.remove(0).id;
    let by = Stamp::local(NOW);
    let (one, two) = (row(&site), row(&site));
    let (first, second) = tokio::join!(store.add_media(&one, &by), store.add_media(&two, &by));
    assert_eq!(first?, second?);
    let other = store.create_site("second", "Second", NOW).await?.id;
    let theirs = row(&other);
    assert_eq!(store.add_media(&theirs, &by).await?, theirs);
    let told = store.audit_page(&site, None, 10).await?.entries;
    let told = told.iter().filter(|entry| entry.action == "media.added");
    assert_eq!(told.count(), 1);
    Ok(())
}

async fn assets_are_listed_the_newest_first_and_searched(fresh: &Fresh) -> Result<()> {
    let store = fresh.open().await;
    let site = store.sites().await?.remove(0).id;
    let by = Stamp::local(NOW);
    for (name, alt) in [
        ("Boat 50%.png", ""),
        ("Quay", "Two BOATS_"),
        ("Gull!", "a bird"),
    ] {
        let asset = MediaRow {
            blob: BlobId::of(name.as_bytes()),
            name: name.to_owned(),
            alt: alt.to_owned(),
            ..row(&site)
        };
        store.add_media(&asset, &by).await?;
    }
    let found = async |search: &str| -> Result<Vec<String>> {
        let page = store.media_page(&site, search, None, 10).await?;
        Ok(page.rows.into_iter().map(|row| row.name).collect())
    };
    assert_eq!(found("").await?, ["Gull!", "Quay", "Boat 50%.png"]);
    assert_eq!(found("boat").await?, ["Quay", "Boat 50%.png"]);
    assert_eq!(found("50%").await?, ["Boat 50%.png"]);
    assert_eq!(found("_").await?, ["Quay"]);
    assert_eq!(found("l!").await?, ["Gull!"]);
    let first = store.media_page(&site, "", None, 2).await?;
    assert_eq!(first.rows.len(), 2);
    let rest = store.media_page(&site, "", first.next.as_ref(), 2).await?;
    assert_eq!(
        (rest.rows[0].name.as_str(), rest.next),
        ("Boat 50%.png", None)
    );
    Ok(())
}

async fn an_asset_is_named_and_removed_on_its_own_site_only(fresh: &Fresh) -> Result<()> {
    let store = fresh.open().await;
    let site = store.sites().await?.remove(0).id;
    let other = store.create_site("second", "Second", NOW).await?.id;
    let by = Stamp::local(NOW);
    let asset = store.add_media(&row(&site), &by).await?;
    let change = MediaChange {
        name: None,
        alt: Some("A harbour".to_owned()),
        ..MediaChange::default()
    };
    assert!(matches!(
        store.change_media(&other, &asset.id, &change, &by).await,
        Err(StoreError::NotFound { .. })
    ));
    let changed = store.change_media(&site, &asset.id, &change, &by).await?;
    assert_eq!(
        (changed.name.as_str(), changed.alt.as_str()),
        ("Häfen 🛟", "A harbour")
    );
    assert!(matches!(
        store.remove_media(&other, &asset.id, &by).await,
        Err(StoreError::NotFound { .. })
    ));
    assert_eq!(store.remove_media(&site, &asset.id, &by).await?.len(), 3);
    assert_eq!(store.media(&asset.id).await?, None);
    Ok(())
}

async fn blobs_that_another_asset_has_are_not_free(fresh: &Fresh) -> Result<()> {
    let store = fresh.open().await;
    let site = store.sites().await?.remove(0).id;
    let by = Stamp::local(NOW);
    let one = store.add_media(&row(&site), &by).await?;
    let two = MediaRow {
        blob: BlobId::of(b"quay"),
        variants: one.variants[..1].to_vec(),
        ..row(&site)
    };
    store.add_media(&two, &by).await?;
    let free = store.remove_media(&site, &one.id, &by).await?;
    let large = BlobId::of(&640_u32.to_be_bytes());
    assert_eq!(free, [large, one.blob]);
    Ok(())
}

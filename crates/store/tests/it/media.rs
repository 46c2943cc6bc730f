//! The rows of assets.

use anyhow::Result;
use serde_json::json;
use sitewright_store::{BlobId, By, MediaId, MediaRow, MediaVariant, SiteId};

use crate::both::{Fresh, on_both};
use crate::people::NOW;

on_both! {
    an_asset_reads_back_as_it_was
    the_same_bytes_are_one_asset_of_a_site
}

fn row(site: &SiteId) -> MediaRow {
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
        created_at: NOW,
    }
}

async fn an_asset_reads_back_as_it_was(fresh: &Fresh) -> Result<()> {
    let store = fresh.open().await;
    let site = store.sites().await?.remove(0).id;
    let row = row(&site);
    assert_eq!(store.add_media(&row, &By::local(NOW)).await?, row);
    assert_eq!(store.media(&row.id).await?, Some(row.clone()));
    assert_eq!(store.media_of(&site, &row.blob).await?, Some(row));
    assert_eq!(store.media(&MediaId::new()).await?, None);
    Ok(())
}

async fn the_same_bytes_are_one_asset_of_a_site(fresh: &Fresh) -> Result<()> {
    let store = fresh.open().await;
    let site = store.sites().await?.remove(0).id;
    let by = By::local(NOW);
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

//! Pictures in a store: once each, with everything that is needed to serve them.

use bytes::Bytes;
use image::ImageFormat;
use sitewright_media::{BYTES_MAX, Format, Library, MediaError, NewPicture};
use sitewright_store::{BlobPlace, Blobs, MediaId, Place, SiteId, Stamp, Store, Timestamp};

use crate::{contains, file, photograph, with_exif};

struct Kept {
    library: Library,
    store: Store,
    site: SiteId,
    _folder: tempfile::TempDir,
}

const NOW: Timestamp = Timestamp::from_millis(1_800_000_000_000);

async fn kept() -> Kept {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(&Place::File(folder.path().join("db")))
        .await
        .unwrap();
    let blobs = Blobs::open(&BlobPlace::Folder(folder.path().join("blobs"))).unwrap();
    let site = store.sites().await.unwrap().remove(0).id;
    Kept {
        library: Library::new(store.clone(), blobs),
        store,
        site,
        _folder: folder,
    }
}

fn picture(bytes: Vec<u8>) -> NewPicture {
    NewPicture {
        bytes: Bytes::from(bytes),
        name: "Harbour\0.png".to_owned(),
        alt: "x".repeat(5_000),
        credit: Some(serde_json::json!({ "author": "Ada" })),
    }
}

#[tokio::test]
async fn a_picture_is_kept_with_its_sizes_and_served_without_its_metadata() {
    let kept = kept().await;
    let jpeg = with_exif(&file(photograph(800, 400), ImageFormat::Jpeg), 6);
    let asset = kept
        .library
        .add(&kept.site, picture(jpeg.clone()), &Stamp::local(NOW))
        .await
        .unwrap();
    let row = asset.row();
    assert_eq!(
        (row.width, row.height, row.format.as_str(), row.bytes),
        (400, 800, "image/jpeg", jpeg.len() as u64)
    );
    assert_eq!((row.name.as_str(), row.alt.len()), ("Harbour.png", 1_000));
    let id = &row.id;
    assert_eq!(asset.url(), format!("/uploads/{id}/400.jpg"));
    assert_eq!(
        asset.srcset(),
        format!("/uploads/{id}/320.jpg 320w, /uploads/{id}/400.jpg 400w")
    );
    let (format, bytes) = kept.library.file(id, "320.jpg").await.unwrap().unwrap();
    assert_eq!(format, Format::Jpeg);
    assert!(!contains(&bytes, b"canary"));
    assert_eq!(kept.library.asset(id).await.unwrap().unwrap(), asset);
    for (id, name) in [
        (id, "321.jpg"),
        (id, "../320.jpg"),
        (id, ""),
        (&MediaId::new(), "320.jpg"),
    ] {
        assert_eq!(kept.library.file(id, name).await.unwrap(), None, "{name}");
    }
}

#[tokio::test]
async fn the_same_bytes_are_one_asset_of_a_site_also_at_the_same_time() {
    let kept = kept().await;
    let png = file(photograph(40, 40), ImageFormat::Png);
    let by = Stamp::local(NOW);
    let (one, two) = tokio::join!(
        kept.library.add(&kept.site, picture(png.clone()), &by),
        kept.library.add(&kept.site, picture(png.clone()), &by)
    );
    let (one, two) = (one.unwrap(), two.unwrap());
    assert_eq!(one, two);
    let other = kept
        .store
        .create_site("second", "Second", NOW)
        .await
        .unwrap()
        .id;
    let theirs = kept.library.add(&other, picture(png), &by).await.unwrap();
    assert_ne!(theirs.row().id, one.row().id);
    let page = kept.store.audit_page(&kept.site, None, 10).await.unwrap();
    let told = page
        .entries
        .iter()
        .filter(|entry| entry.action == "media.added");
    assert_eq!(told.count(), 1);
}

#[tokio::test]
async fn what_is_refused_leaves_nothing() {
    let kept = kept().await;
    let by = Stamp::local(NOW);
    let large = kept
        .library
        .add(&kept.site, picture(vec![0; BYTES_MAX + 1]), &by)
        .await;
    assert!(
        matches!(large, Err(MediaError::TooLarge { .. })),
        "{large:?}"
    );
    let page = kept
        .library
        .add(&kept.site, picture(b"<html>".to_vec()), &by)
        .await;
    assert!(matches!(page, Err(MediaError::Picture(_))), "{page:?}");
    let page = kept.store.audit_page(&kept.site, None, 10).await.unwrap();
    assert!(
        page.entries
            .iter()
            .all(|entry| entry.action != "media.added")
    );
}

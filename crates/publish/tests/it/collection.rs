//! L10: old releases and their files are collected, and what is left can be shown, rolled back to and published again.

use std::time::Duration;

use anyhow::Result;
use serde_json::{Value, json};
use sitewright_publish::{CheckOptions, PublishError};
use sitewright_store::{BlobPlace, Blobs, CollectionMode, ReleaseLimits, Stamp, Timestamp};

use crate::press::{Press, on_both, order};

on_both! {
    l10_collected_releases_leave_the_others_whole
}

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

async fn retitle(press: &Press, page: &Value, title: &str) -> Result<()> {
    let input = json!({ "pageId": page, "title": title });
    press.edit("renamePage", input).await?;
    press.publish().await?;
    Ok(())
}

/// Rounds on two days, so that files that lose their name in the first go in the second. Returns how many releases and files went.
async fn collect(press: &Press, count: usize, from: Timestamp) -> Result<(usize, u64)> {
    let blobs = BlobPlace::Folder(press.database.folder.path().join("blobs"));
    let (blobs, site) = (Blobs::open(&blobs)?, &press.site);
    let limits = ReleaseLimits {
        count,
        age: 90 * DAY,
    };
    let (mut releases, mut files) = (0, 0);
    for days in 0..12 {
        let clock = press.store.retention_clock(from.after(days * DAY)).await?;
        let apply = CollectionMode::Apply;
        let gone = press.store.collect_releases(site, limits, &clock, apply);
        releases += gone.await?.len();
        let gone = press.store.collect_blobs(&blobs, site, &clock, apply);
        files += gone.await?.count;
    }
    Ok((releases, files))
}

async fn whole_releases(press: &Press) -> Result<usize> {
    let options = CheckOptions {
        all_releases: true,
        ..CheckOptions::default()
    };
    let report = press.publisher.check(&press.site, options).await?;
    assert!(report.is_sound(), "{report:?}");
    Ok(report.releases)
}

async fn l10_collected_releases_leave_the_others_whole(press: Press) -> Result<()> {
    let page = press.page("T0", "about", "<p>Us</p>").await?;
    for title in ["T1", "T2", "T3", "T4"] {
        retitle(&press, &page, title).await?;
    }
    let before = press.files()?.len();
    let (releases, files) = collect(&press, 2, Timestamp::now().after(200 * DAY)).await?;
    assert_eq!((releases, whole_releases(&press).await?), (2, 2));
    assert!(files > 0);
    assert_eq!(press.files()?.len() as u64, before as u64 - files);
    assert!(press.visit("/about").await?.1.contains("T4"));
    let by = Stamp::local(Timestamp::now());
    let gone = press.publisher.roll_back(&press.site, Some(1), order(&by));
    assert!(matches!(gone.await, Err(PublishError::UnknownRelease(1))));
    let back = press.publisher.roll_back(&press.site, Some(3), order(&by));
    back.await?;
    assert!(press.visit("/about").await?.1.contains("T3"));
    // The same bytes as in the first release, which is gone: they are written anew.
    retitle(&press, &page, "T1").await?;
    assert_eq!(whole_releases(&press).await?, 3);
    // Nothing of what is there is garbage.
    let (_, files) = collect(&press, 3, Timestamp::now().after(220 * DAY)).await?;
    assert_eq!((files, whole_releases(&press).await?), (0, 3));
    let press = press.restarted(None).await?;
    assert!(press.visit("/about").await?.1.contains("T1"));
    Ok(())
}

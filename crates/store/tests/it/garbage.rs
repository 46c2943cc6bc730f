//! L10: blobs that nothing names are deleted, and no other blob ever is: not beside an upload or a publication, not by two nodes at
//! once, and not by a process that dies half way.

use std::process::Command;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use bytes::Bytes;
use sitewright_store::{
    BlobId, BlobPlace, Blobs, CollectedBlobs, CollectionMode, MediaRow, Place, SiteId, Stamp,
    Store, StoreError, Timestamp,
};
use sitewright_testkit::AbortAt;

use crate::both::{Fresh, on_both, proven_clock};
use crate::media::row;
use crate::people::NOW;

on_both! {
    l10_a_blob_without_a_name_goes_a_day_after_it_was_noticed
    l10_a_clock_that_is_not_proven_deletes_nothing
    l10_a_blob_that_is_claimed_again_stays_though_it_was_garbage
    l10_a_claim_waits_for_a_deletion_that_is_under_way
    l10_uploads_and_deletions_at_once_lose_nothing
    l10_nodes_that_collect_at_once_delete_each_blob_once
    l10_a_process_that_dies_while_it_collects_leaves_work_for_the_next
    l10_a_removed_picture_frees_its_space_at_once_unless_somebody_adds_it_again
}

const HOUR: Duration = Duration::from_secs(60 * 60);
const DAY: Duration = Duration::from_secs(24 * 60 * 60);
const STAGE: &str = "SITEWRIGHT_TEST_DIES_AT";
const DATABASE: &str = "SITEWRIGHT_TEST_DATABASE";
const FILES: &str = "SITEWRIGHT_TEST_FILES";

struct Instance {
    store: Store,
    site: SiteId,
    blobs: Blobs,
    folder: tempfile::TempDir,
}

impl Instance {
    async fn new(fresh: &Fresh) -> Result<Self> {
        let store = fresh.open().await;
        let folder = tempfile::tempdir()?;
        Ok(Self {
            site: store.sites().await?.remove(0).id,
            blobs: Blobs::open(&BlobPlace::Folder(folder.path().to_owned()))?,
            store,
            folder,
        })
    }

    async fn put(&self, text: &'static str) -> Result<BlobId> {
        let bytes = Bytes::from_static(text.as_bytes());
        Ok(self.blobs.put(&self.site, bytes).await?)
    }

    async fn has(&self, blob: &BlobId) -> bool {
        self.blobs.size(&self.site, blob).await.is_ok()
    }

    /// A round of collection by a clock that is proven.
    async fn collect(&self, at: Timestamp) -> Result<CollectedBlobs> {
        let clock = proven_clock(&self.store, at).await?;
        let collecting =
            self.store
                .collect_blobs(&self.blobs, &self.site, &clock, CollectionMode::Apply);
        Ok(collecting.await?)
    }

    /// A picture whose only blob is this text.
    fn picture(&self, text: &str) -> MediaRow {
        MediaRow {
            blob: BlobId::of(text.as_bytes()),
            bytes: text.len() as u64,
            variants: Vec::new(),
            ..row(&self.site)
        }
    }

    /// Adds a picture as an upload does: claims, writes, names.
    async fn upload(&self, text: &'static str, at: Timestamp) -> Result<MediaRow> {
        let picture = self.picture(text);
        let names = [picture.blob.clone()];
        self.store.claim_blobs(&self.site, &names, at).await?;
        self.put(text).await?;
        Ok(self.store.add_media(&picture, &Stamp::local(at)).await?)
    }
}

async fn l10_a_blob_without_a_name_goes_a_day_after_it_was_noticed(fresh: &Fresh) -> Result<()> {
    let instance = Instance::new(fresh).await?;
    let garbage = instance.put("garbage").await?;
    let used = instance.upload("used", NOW).await?.blob;
    let waiting = CollectedBlobs {
        waiting: 1,
        ..CollectedBlobs::default()
    };
    assert_eq!(instance.collect(NOW).await?, waiting);
    assert_eq!(instance.collect(NOW.after(DAY)).await?, waiting);
    let clock = proven_clock(&instance.store, NOW.after(DAY + HOUR)).await?;
    let (site, blobs) = (&instance.site, &instance.blobs);
    let previewing = instance
        .store
        .collect_blobs(blobs, site, &clock, CollectionMode::Preview);
    let preview = previewing.await?;
    assert!(instance.has(&garbage).await, "a preview deletes nothing");
    let collected = instance.collect(NOW.after(DAY + HOUR)).await?;
    let expected = CollectedBlobs {
        count: 1,
        bytes: 7,
        waiting: 0,
    };
    assert_eq!((preview, collected), (expected, expected));
    assert!(!instance.has(&garbage).await);
    assert!(instance.has(&used).await);
    Ok(())
}

async fn l10_a_clock_that_is_not_proven_deletes_nothing(fresh: &Fresh) -> Result<()> {
    let instance = Instance::new(fresh).await?;
    let garbage = instance.put("garbage").await?;
    instance.collect(NOW).await?;
    let ahead = NOW.after(400 * DAY);
    let clock = instance.store.retention_clock(ahead).await?;
    assert!(!clock.is_trusted());
    let (site, blobs) = (&instance.site, &instance.blobs);
    let collecting = instance
        .store
        .collect_blobs(blobs, site, &clock, CollectionMode::Apply);
    assert_eq!(collecting.await?.count, 0);
    assert!(instance.has(&garbage).await);
    Ok(())
}

/// The bytes are there already, so the upload does not write them: only the claim protects them until the row is written.
async fn l10_a_blob_that_is_claimed_again_stays_though_it_was_garbage(fresh: &Fresh) -> Result<()> {
    let instance = Instance::new(fresh).await?;
    let blob = instance.put("the same").await?;
    instance.collect(NOW).await?;
    let later = NOW.after(2 * DAY);
    let names = [blob.clone()];
    instance
        .store
        .claim_blobs(&instance.site, &names, later)
        .await?;
    instance.put("the same").await?;
    assert_eq!(instance.collect(later.after(HOUR)).await?.count, 0);
    let picture = instance.picture("the same");
    let by = Stamp::local(later);
    instance.store.add_media(&picture, &by).await?;
    assert_eq!(instance.collect(later.after(9 * DAY)).await?.count, 0);
    assert!(instance.has(&blob).await);
    Ok(())
}

async fn l10_a_claim_waits_for_a_deletion_that_is_under_way(fresh: &Fresh) -> Result<()> {
    let instance = Instance::new(fresh).await?;
    let picture = instance.upload("picture", NOW).await?;
    let by = Stamp::local(NOW);
    // The lease is taken and the bytes are not deleted yet.
    let (site, store) = (&instance.site, &instance.store);
    let leased = store.remove_media(site, &picture.id, &by).await?;
    assert_eq!(leased, std::slice::from_ref(&picture.blob));
    let claiming = async {
        let at = NOW.after(Duration::from_secs(1));
        store.claim_blobs(site, &leased, at).await?;
        let there = instance.has(&picture.blob).await;
        Ok::<_, StoreError>(there)
    };
    let deleting = store.delete_leased(&instance.blobs, site, &leased);
    let (there, deleted) = tokio::join!(claiming, deleting);
    deleted?;
    assert!(!there?, "the claim came after the bytes were gone");
    // Whoever claimed it writes the bytes anew, and they stay.
    instance.put("picture").await?;
    let later = NOW.after(3 * HOUR);
    assert_eq!(instance.collect(later).await?.count, 0);
    assert!(instance.has(&picture.blob).await);
    Ok(())
}

/// Many rounds of everything at once, each at a later time, on two nodes. Whatever has a row has its bytes.
async fn l10_uploads_and_deletions_at_once_lose_nothing(fresh: &Fresh) -> Result<()> {
    const TEXTS: [&str; 4] = ["one", "two", "three", "four"];
    let instance = Instance::new(fresh).await?;
    let other = Instance {
        store: fresh.open().await,
        site: instance.site.clone(),
        blobs: instance.blobs.clone(),
        folder: tempfile::tempdir()?,
    };
    for round in 0..12_u32 {
        let now = NOW.after(round * 2 * DAY);
        let uploads = async |node: &Instance| {
            for text in TEXTS {
                node.upload(text, now).await?;
            }
            Ok::<_, anyhow::Error>(())
        };
        let removals = async {
            let page = other.store.media_page(&other.site, "", None, 10).await?;
            for picture in page.rows {
                let by = Stamp::local(now);
                let removed = other.store.remove_media(&other.site, &picture.id, &by);
                let leased = match removed.await {
                    Ok(leased) => leased,
                    Err(StoreError::NotFound { .. }) => continue,
                    Err(error) => return Err(error),
                };
                let deleting = other
                    .store
                    .delete_leased(&other.blobs, &other.site, &leased);
                deleting.await?;
            }
            Ok(())
        };
        let rounds = async { tokio::try_join!(instance.collect(now), other.collect(now)) };
        let (first, second, removed, collected) =
            tokio::join!(uploads(&instance), uploads(&other), removals, rounds);
        first?;
        second?;
        removed?;
        collected?;
        let page = instance.store.media_page(&instance.site, "", None, 10);
        for picture in page.await?.rows {
            ensure!(instance.has(&picture.blob).await, "lost in round {round}");
        }
    }
    Ok(())
}

async fn l10_nodes_that_collect_at_once_delete_each_blob_once(fresh: &Fresh) -> Result<()> {
    let instance = Instance::new(fresh).await?;
    for text in ["a", "b", "c", "d", "e"] {
        instance.put(text).await?;
    }
    instance.collect(NOW).await?;
    let second = fresh.open().await;
    let clock = proven_clock(&instance.store, NOW.after(2 * DAY)).await?;
    let (site, blobs) = (&instance.site, &instance.blobs);
    let (one, two) = tokio::join!(
        instance
            .store
            .collect_blobs(blobs, site, &clock, CollectionMode::Apply),
        second.collect_blobs(blobs, site, &clock, CollectionMode::Apply)
    );
    assert_eq!(one?.count + two?.count, 5);
    Ok(())
}

/// The process that dies. Run by itself it does nothing.
#[test]
#[expect(
    clippy::disallowed_methods,
    reason = "the parent tells its child what to do"
)]
fn dies_at_the_stage_it_is_told() {
    let Ok(stage) = std::env::var(STAGE) else {
        return;
    };
    let database = std::env::var(DATABASE).expect("a database");
    let files = std::env::var(FILES).expect("a folder");
    AbortAt::stage(&["sitewright::retention"], stage);
    let place = match database.starts_with("postgres") {
        true => Place::Postgres(database),
        false => Place::File(database.into()),
    };
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let collected = runtime.block_on(async {
        let store = Store::open(&place).await?;
        let blobs = Blobs::open(&BlobPlace::Folder(files.into()))?;
        let site = store.sites().await?.remove(0).id;
        let clock = proven_clock(&store, NOW.after(2 * DAY)).await?;
        let collecting = store.collect_blobs(&blobs, &site, &clock, CollectionMode::Apply);
        anyhow::Ok(collecting.await?)
    });
    collected.expect("the collection");
}

async fn l10_a_process_that_dies_while_it_collects_leaves_work_for_the_next(
    fresh: &Fresh,
) -> Result<()> {
    let instance = Instance::new(fresh).await?;
    let used = instance.upload("used", NOW).await?.blob;
    for stage in ["leased", "deleted"] {
        let garbage = [instance.put("x").await?, instance.put("y").await?];
        instance.collect(NOW).await?;
        let database = match &fresh.place {
            Place::File(path) => path.display().to_string(),
            Place::Postgres(url) => url.clone(),
        };
        let died = Command::new(std::env::current_exe()?)
            .args(["--exact", "garbage::dies_at_the_stage_it_is_told"])
            .env(STAGE, stage)
            .env(DATABASE, database)
            .env(FILES, instance.folder.path())
            .output()?;
        ensure!(!died.status.success(), "it did not die at {stage}");
        // The lease of the dead process is over two minutes later.
        let at = NOW.after(2 * DAY);
        assert_eq!(instance.collect(at).await?.count, 0, "{stage}");
        let at = at.after(HOUR);
        assert_eq!(instance.collect(at).await?.count, 2, "{stage}");
        for blob in garbage {
            ensure!(!instance.has(&blob).await, "left after {stage}");
        }
        ensure!(instance.has(&used).await, "lost after {stage}");
        // Marks are gone, so a later round starts with clean ones.
        instance.collect(NOW).await?;
    }
    Ok(())
}

async fn l10_a_removed_picture_frees_its_space_at_once_unless_somebody_adds_it_again(
    fresh: &Fresh,
) -> Result<()> {
    let instance = Instance::new(fresh).await?;
    let (site, store) = (&instance.site, &instance.store);
    let first = instance.upload("picture", NOW).await?;
    // Somebody else is between claiming and naming the same bytes.
    let names = [first.blob.clone()];
    store.claim_blobs(site, &names, NOW).await?;
    let by = Stamp::local(NOW);
    let leased = store.remove_media(site, &first.id, &by).await?;
    assert_eq!(leased, [], "somebody is about to use it");
    let second = store.add_media(&instance.picture("picture"), &by).await?;
    assert!(instance.has(&second.blob).await);
    let leased = store.remove_media(site, &second.id, &by).await?;
    store.delete_leased(&instance.blobs, site, &leased).await?;
    assert!(!instance.has(&second.blob).await);
    store
        .media(&second.id)
        .await?
        .is_none()
        .then_some(())
        .context("the row is gone")
}

//! In-memory cache of the releases that visitors see. A release is always replaced as a whole.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use sitewright_store::{
    BlobId, Blobs, Release, ReleaseFile, ReleaseRoutes, SiteId, Store, StoreError,
};

use crate::compose::files_of;
use crate::shown::{DamagedAddress, ShownRelease};
use crate::stored::{FileForm, FilesRead, StoredFile, read_files};

/// How many damaged files each refresh reads again, so that a refresh stays cheap when a whole folder is gone.
const READ_AGAIN_MAX: usize = 256;
/// How many damaged addresses are logged individually.
const LOGGED_MAX: usize = 100;

/// The shown release of each site.
#[derive(Debug, Default)]
pub(crate) struct ReleaseCache {
    /// Every request reads this, so the lock is held only to clone the `Arc`.
    shown: RwLock<HashMap<SiteId, Option<Arc<ShownRelease>>>>,
    /// Held while a release is loaded, so that concurrent refreshes load it once.
    loading: tokio::sync::Mutex<()>,
    /// Where the next refresh continues when there are more damaged files than it reads.
    read_again_from: AtomicUsize,
}

/// Where releases and their files are stored.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Places<'a> {
    pub(crate) store: &'a Store,
    pub(crate) blobs: &'a Blobs,
}

impl ReleaseCache {
    /// The cached release of a site. The outer `None` means not loaded yet; the inner one means that nothing is published.
    #[expect(
        clippy::option_option,
        reason = "not to know is something else than to know that there is nothing"
    )]
    pub(crate) fn get(&self, site: &SiteId) -> Option<Option<Arc<ShownRelease>>> {
        let shown = self.shown.read().unwrap_or_else(PoisonError::into_inner);
        shown.get(site).cloned()
    }

    fn put(&self, site: &SiteId, release: Option<Arc<ShownRelease>>) {
        let mut shown = self.shown.write().unwrap_or_else(PoisonError::into_inner);
        shown.insert(site.clone(), release);
    }

    /// Loads the current release, unless it is cached already. Damaged files of a cached release are read again, because an operator
    /// may have restored them or another node may have rewritten them. Files in `fresh` are trusted as given and not read.
    pub(crate) async fn refresh(
        &self,
        places: Places<'_>,
        site: &SiteId,
        fresh: &HashMap<BlobId, StoredFile>,
    ) -> Result<Option<Arc<ShownRelease>>, StoreError> {
        let _loading = self.loading.lock().await;
        let current = places.store.current_release(site).await?;
        let before = self.get(site).flatten();
        let Some(current) = current else {
            self.put(site, None);
            return Ok(None);
        };
        let is_shown = |shown: &&Arc<ShownRelease>| shown.release.id == current;
        let known = match before.as_ref().filter(is_shown) {
            Some(shown) if shown.damaged_files().is_empty() => return Ok(before),
            Some(shown) => {
                let found = self.read_again(places, site, shown, fresh).await?;
                if found.is_empty() {
                    return Ok(before);
                }
                let mut known = shown.files();
                known.extend(found);
                known
            }
            None => {
                // Most files are unchanged from the previous release.
                let mut known = before
                    .as_ref()
                    .map(|shown| shown.files())
                    .unwrap_or_default();
                known.extend(
                    fresh
                        .iter()
                        .map(|(file, stored)| (file.clone(), stored.clone())),
                );
                known
            }
        };
        let release = places.store.release(site, &current).await?;
        let routes = places.store.release_routes(site, &current).await?;
        let shown = load(places, site, release, routes, known).await?;
        log_damage(site, &shown, before.as_deref());
        let shown = Arc::new(shown);
        self.put(site, Some(Arc::clone(&shown)));
        Ok(Some(shown))
    }

    /// The damaged files of a release whose state in storage has changed.
    async fn read_again(
        &self,
        Places { store, blobs }: Places<'_>,
        site: &SiteId,
        shown: &ShownRelease,
        fresh: &HashMap<BlobId, StoredFile>,
    ) -> Result<HashMap<BlobId, StoredFile>, StoreError> {
        let damaged = shown.damaged_files();
        let is_fresh = |(file, _): &(&BlobId, &StoredFile)| damaged.contains_key(file);
        let fresh = fresh.iter().filter(is_fresh);
        let mut found: HashMap<BlobId, StoredFile> = fresh
            .map(|(file, stored)| (file.clone(), stored.clone()))
            .collect();
        let mut files: Vec<BlobId> = damaged.keys().cloned().collect();
        files.retain(|file| !found.contains_key(file));
        files.sort_unstable();
        if files.len() > READ_AGAIN_MAX {
            let from = self
                .read_again_from
                .fetch_add(READ_AGAIN_MAX, Ordering::Relaxed);
            let from = from % files.len();
            files.rotate_left(from);
            files.truncate(READ_AGAIN_MAX);
        }
        let rows = rows_of(store, site, &files).await?;
        let read = read_files(blobs, site, rows).await?;
        for (file, mut stored) in read.files {
            let before = damaged.get(&file);
            if before.is_some_and(|before| before.damaged == stored.damaged) {
                continue;
            }
            // Bytes recovered earlier are retained, even if the last intact form has disappeared since.
            if stored.packed.is_none() {
                stored.packed = before.and_then(|before| before.packed.clone());
            }
            found.insert(file, stored);
        }
        Ok(found)
    }
}

/// Loads a release; files that are not in `known` are read from storage.
pub(crate) async fn load(
    Places { store, blobs }: Places<'_>,
    site: &SiteId,
    release: Release,
    routes: ReleaseRoutes,
    mut known: HashMap<BlobId, StoredFile>,
) -> Result<ShownRelease, StoreError> {
    let mut missing = files_of(&routes);
    missing.retain(|file| !known.contains_key(file));
    let rows = rows_of(store, site, &missing).await?;
    let FilesRead { files, failure } = read_files(blobs, site, rows).await?;
    // If not a single file can be read, storage itself is down. Showing every address as damaged would be wrong.
    if known.is_empty()
        && let Some(failure) = failure
    {
        return Err(failure);
    }
    known.extend(files);
    Ok(ShownRelease::new(release, routes, &known))
}

/// The rows of files. A file without a row is still read by its name, as plain bytes only.
pub(crate) async fn rows_of(
    store: &Store,
    site: &SiteId,
    files: &[BlobId],
) -> Result<Vec<ReleaseFile>, StoreError> {
    let mut rows = store.release_files(site, files).await?;
    if rows.len() < files.len() {
        let known: HashSet<BlobId> = rows.iter().map(|row| row.blob.clone()).collect();
        let unknown = files.iter().filter(|file| !known.contains(file));
        rows.extend(unknown.map(|file| ReleaseFile {
            blob: file.clone(),
            bytes: 0,
            brotli: None,
            gzip: None,
        }));
    }
    Ok(rows)
}

/// Logs each damaged address once, and not again while it stays damaged.
fn log_damage(site: &SiteId, shown: &ShownRelease, before: Option<&ShownRelease>) {
    let before = before.map(ShownRelease::damaged).unwrap_or_default();
    let known: HashSet<(&str, FileForm)> = before
        .iter()
        .map(|damaged| (damaged.address.as_str(), damaged.form))
        .collect();
    let is_new =
        |damaged: &&DamagedAddress| !known.contains(&(damaged.address.as_str(), damaged.form));
    let mut damaged = shown.damaged().iter().filter(is_new);
    for damaged in damaged.by_ref().take(LOGGED_MAX) {
        let DamagedAddress {
            address,
            form,
            damage,
            cause,
            is_served,
        } = damaged;
        tracing::error!(
            %site, address, ?form, ?damage, cause, is_served,
            "a stored file of the published site is damaged; publish again to write it anew"
        );
    }
    let more = damaged.count();
    if more > 0 {
        tracing::error!(%site, more, "more stored files of the published site are damaged");
    }
}

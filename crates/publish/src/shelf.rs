//! The releases that visitors see, in memory, each replaced as a whole.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

use futures_util::{StreamExt as _, TryStreamExt as _};
use sitewright_store::{
    BlobId, Blobs, Release, ReleaseFile, ReleaseRoutes, SiteId, Store, StoreError,
};

use crate::compress::Packed;
use crate::shown::Shown;

/// How many files are read or written at once.
pub(crate) const AT_ONCE: usize = 16;

/// What visitors of the sites see.
#[derive(Debug, Default)]
pub(crate) struct Shelf {
    /// A lock, because every request reads it; it is held for a look only.
    shown: RwLock<HashMap<SiteId, Option<Arc<Shown>>>>,
    /// Held while a release is loaded, so that it is loaded once.
    loading: tokio::sync::Mutex<()>,
}

impl Shelf {
    /// What visitors of a site see, as far as it was looked for: nothing inside when nothing is published.
    #[expect(
        clippy::option_option,
        reason = "not to know is something else than to know that there is nothing"
    )]
    pub(crate) fn get(&self, site: &SiteId) -> Option<Option<Arc<Shown>>> {
        let shown = self.shown.read().unwrap_or_else(PoisonError::into_inner);
        shown.get(site).cloned()
    }

    fn put(&self, site: &SiteId, release: Option<Arc<Shown>>) {
        let mut shown = self.shown.write().unwrap_or_else(PoisonError::into_inner);
        shown.insert(site.clone(), release);
    }

    /// Loads the release that counts, unless it is there.
    pub(crate) async fn refresh(
        &self,
        (store, blobs): (&Store, &Blobs),
        site: &SiteId,
        fresh: &HashMap<BlobId, Packed>,
    ) -> Result<Option<Arc<Shown>>, StoreError> {
        let _loading = self.loading.lock().await;
        let current = store.current_release(site).await?;
        let before = self.get(site).flatten();
        let Some(current) = current else {
            self.put(site, None);
            return Ok(None);
        };
        if let Some(before) = before.as_ref().filter(|shown| shown.release.id == current) {
            return Ok(Some(Arc::clone(before)));
        }
        let release = store.release(site, &current).await?;
        let routes = store.release_routes(site, &current).await?;
        // Most files are those of the release before.
        let mut known = before.map(|shown| shown.packed()).unwrap_or_default();
        known.extend(
            fresh
                .iter()
                .map(|(file, packed)| (file.clone(), packed.clone())),
        );
        let shown = load((store, blobs), site, (release, routes), known).await?;
        let shown = Arc::new(shown);
        self.put(site, Some(Arc::clone(&shown)));
        Ok(Some(shown))
    }
}

/// A release with all its files.
pub(crate) async fn load(
    (store, blobs): (&Store, &Blobs),
    site: &SiteId,
    (release, routes): (Release, ReleaseRoutes),
    mut known: HashMap<BlobId, Packed>,
) -> Result<Shown, StoreError> {
    let mut missing: Vec<BlobId> = routes.values().map(|route| route.file.clone()).collect();
    missing.sort_unstable();
    missing.dedup();
    missing.retain(|file| !known.contains_key(file));
    let files = store.release_files(site, &missing).await?;
    let reading = futures_util::stream::iter(files).map(|file| read(blobs, site, file));
    let read: Vec<(BlobId, Packed)> = reading.buffer_unordered(AT_ONCE).try_collect().await?;
    known.extend(read);
    Shown::new(release, routes, &known).ok_or(StoreError::Corrupt { what: "release" })
}

async fn read(
    blobs: &Blobs,
    site: &SiteId,
    file: ReleaseFile,
) -> Result<(BlobId, Packed), StoreError> {
    let form = async |blob: Option<&BlobId>| match blob {
        Some(blob) => blobs.get(site, blob).await.map(Some),
        None => Ok(None),
    };
    let packed = Packed {
        plain: blobs.get(site, &file.blob).await?,
        brotli: form(file.brotli.as_ref()).await?,
        gzip: form(file.gzip.as_ref()).await?,
    };
    Ok((file.blob, packed))
}

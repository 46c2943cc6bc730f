//! Stores pictures: the original and its sizes as blobs, one row per asset, the same bytes once per site.

use std::sync::Arc;

use bytes::Bytes;
use serde_json::Value;
use sitewright_store::{
    BlobId, Blobs, MediaChange, MediaId, MediaRow, MediaVariant, RetentionClock, SiteId, Stamp,
    Store, StoreError, Timestamp,
};
use tokio::sync::Semaphore;

use crate::format::Format;
use crate::picture::{BadPicture, PreparedPicture, prepare};

/// The maximum size of a file.
pub const BYTES_MAX: usize = 50 * 1024 * 1024;
/// How many pictures are decoded at once; each may take 150 MB.
const AT_ONCE: usize = 1;
const NAME_CHARS_MAX: usize = 200;
const ALT_CHARS_MAX: usize = 1_000;
/// The longest tag or category, and the most of them.
const WORD_CHARS_MAX: usize = 60;
const WORDS_MAX: usize = 50;

/// The pictures of an instance. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Library {
    store: Store,
    blobs: Blobs,
    places: Arc<Semaphore>,
}

/// A picture to be stored.
#[derive(Debug, Clone)]
pub struct NewPicture {
    pub bytes: Bytes,
    /// Its display name; truncated when long.
    pub name: String,
    /// Its alternative text; truncated when long.
    pub alt: String,
    /// Whom to credit.
    pub credit: Option<Value>,
}

/// A picture with the name of its original.
struct NamedPicture {
    picture: NewPicture,
    blob: BlobId,
}

/// A stored picture.
#[derive(Debug, Clone, PartialEq)]
pub struct Asset(MediaRow);

/// Why a picture was not stored.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MediaError {
    #[error("the file has {found} bytes, and {BYTES_MAX} are allowed: make it smaller")]
    TooLarge {
        /// Its size in bytes.
        found: usize,
    },
    /// The file is not a usable picture.
    #[error(transparent)]
    Picture(#[from] BadPicture),
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The work was abandoned because the server is stopping.
    #[error("the picture was not finished")]
    Stopped,
}

impl Library {
    /// The pictures in a store.
    pub fn new(store: Store, blobs: Blobs) -> Self {
        Self {
            store,
            blobs,
            places: Arc::new(Semaphore::new(AT_ONCE)),
        }
    }

    /// Verifies that a file is a picture, generates its sizes and stores all of it.
    ///
    /// Bytes that the site already has return the existing asset, with its name and text. A crash in the middle leaves unreferenced
    /// blobs, which are collected a day later, and a retry succeeds.
    pub async fn add(
        &self,
        site: &SiteId,
        picture: NewPicture,
        by: &Stamp,
    ) -> Result<Asset, MediaError> {
        let found = picture.bytes.len();
        if found > BYTES_MAX {
            return Err(MediaError::TooLarge { found });
        }
        // Hashing and decoding fifty megabytes would block the async threads.
        let bytes = picture.bytes.clone();
        let blob = blocking(move || BlobId::of(&bytes)).await?;
        if let Some(there) = self.store.media_of(site, &blob).await? {
            return Ok(Asset(there));
        }
        let place = Arc::clone(&self.places).acquire_owned().await;
        let place = place.map_err(|_closed| MediaError::Stopped)?;
        let bytes = picture.bytes.clone();
        let prepared = blocking(move || {
            let prepared = prepare(&bytes);
            drop(place);
            prepared
        })
        .await??;
        let row = self.keep(site, NamedPicture { picture, blob }, prepared, by);
        Ok(Asset(row.await?))
    }

    async fn keep(
        &self,
        site: &SiteId,
        NamedPicture {
            picture,
            blob: original,
        }: NamedPicture,
        prepared: PreparedPicture,
        by: &Stamp,
    ) -> Result<MediaRow, MediaError> {
        let length = picture.bytes.len() as u64;
        let mut blobs: Vec<BlobId> = prepared
            .sizes
            .iter()
            .map(|size| BlobId::of(&size.bytes))
            .collect();
        blobs.push(original);
        self.store.claim_blobs(site, &blobs, by.at).await?;
        let blob = self.blobs.put(site, picture.bytes).await?;
        let mut variants = Vec::new();
        for size in prepared.sizes {
            let bytes = size.bytes.len() as u64;
            let blob = self.blobs.put(site, Bytes::from(size.bytes)).await?;
            variants.push(MediaVariant {
                width: size.width,
                height: size.height,
                format: size.format.mime().to_owned(),
                blob: blob.to_string(),
                bytes,
            });
        }
        let row = MediaRow {
            id: MediaId::new(),
            site: site.clone(),
            blob,
            format: prepared.format.mime().to_owned(),
            width: prepared.width,
            height: prepared.height,
            bytes: length,
            is_animated: prepared.is_animated,
            name: shortened(&picture.name, NAME_CHARS_MAX),
            alt: shortened(&picture.alt, ALT_CHARS_MAX),
            credit: picture.credit,
            variants,
            tags: Vec::new(),
            categories: Vec::new(),
            created_at: by.at,
        };
        Ok(self.store.add_media(&row, by).await?)
    }

    /// The asset with this id.
    pub async fn asset(&self, id: &MediaId) -> Result<Option<Asset>, MediaError> {
        Ok(self.store.media(id).await?.map(Asset))
    }

    /// The newest assets of a site before `before`, at most `limit`, and the value to pass as `before` for older ones. With a search,
    /// only those whose name or text contains it.
    pub async fn page(
        &self,
        site: &SiteId,
        search: &str,
        before: Option<&MediaId>,
        limit: u16,
    ) -> Result<(Vec<Asset>, Option<MediaId>), MediaError> {
        let page = self.store.media_page(site, search, before, limit).await?;
        Ok((page.rows.into_iter().map(Asset).collect(), page.next))
    }

    /// Sets what is said about an asset; long texts are truncated.
    pub async fn change(
        &self,
        site: &SiteId,
        id: &MediaId,
        change: MediaChange,
        by: &Stamp,
    ) -> Result<Asset, MediaError> {
        let change = MediaChange {
            name: change.name.map(|name| shortened(&name, NAME_CHARS_MAX)),
            alt: change.alt.map(|alt| shortened(&alt, ALT_CHARS_MAX)),
            tags: change.tags.map(words),
            categories: change.categories.map(words),
        };
        let row = self.store.change_media(site, id, &change, by).await?;
        Ok(Asset(row))
    }

    /// The assets that have words beginning like each word of a text, the best first, and how many there are in all.
    pub async fn search(
        &self,
        site: &SiteId,
        text: &str,
        limit: u32,
        offset: u32,
    ) -> Result<(Vec<Asset>, u64), MediaError> {
        let hits = self.store.search_media(site, text, limit, offset).await?;
        Ok((hits.rows.into_iter().map(Asset).collect(), hits.total))
    }

    /// How many assets a site has.
    pub async fn count(&self, site: &SiteId) -> Result<u64, MediaError> {
        Ok(self.store.count_media(site).await?)
    }

    /// Puts assets into the bin: all of them, or none when one does not exist. Their addresses are gone at once.
    pub async fn bin(
        &self,
        site: &SiteId,
        ids: &[MediaId],
        by: &Stamp,
    ) -> Result<Vec<Asset>, MediaError> {
        let rows = self.store.bin_media(site, ids, by).await?;
        Ok(rows.into_iter().map(Asset).collect())
    }

    /// Takes an asset out of the bin.
    pub async fn restore(
        &self,
        site: &SiteId,
        id: &MediaId,
        by: &Stamp,
    ) -> Result<Asset, MediaError> {
        Ok(Asset(self.store.restore_media(site, id, by).await?))
    }

    /// The assets in the bin, the last deleted first, each with the time until which it can be restored.
    pub async fn binned(
        &self,
        site: &SiteId,
        limit: u16,
    ) -> Result<Vec<(Asset, Timestamp)>, MediaError> {
        let binned = self.store.binned_media(site, limit).await?;
        let binned = binned.into_iter();
        Ok(binned
            .map(|found| (Asset(found.row), found.kept_until))
            .collect())
    }

    /// Deletes for good what was in the bin for longer than it keeps things.
    pub async fn tend_bin(
        &self,
        site: &SiteId,
        clock: &RetentionClock,
        by: &Stamp,
    ) -> Result<(), MediaError> {
        for id in self.store.expired_media(site, clock).await? {
            self.remove(site, &id, by).await?;
        }
        Ok(())
    }

    /// Deletes an asset and its files. The caller must have checked that nothing uses it.
    ///
    /// A crash in the middle leaves unreferenced blobs, and so does somebody who adds the same picture at this moment. Both are
    /// collected later.
    pub async fn remove(&self, site: &SiteId, id: &MediaId, by: &Stamp) -> Result<(), MediaError> {
        let leased = self.store.remove_media(site, id, by).await?;
        let deleting = self.store.delete_leased(&self.blobs, site, &leased);
        Ok(deleting.await?)
    }

    /// The file of a size, by the name in [`Asset::url`], with its format; `None` when there is none.
    pub async fn file(
        &self,
        id: &MediaId,
        name: &str,
    ) -> Result<Option<(Format, Bytes)>, MediaError> {
        let Some(Asset(row)) = self.asset(id).await? else {
            return Ok(None);
        };
        let found = row.variants.iter().find_map(|variant| {
            let format = Format::of_mime(&variant.format)?;
            let blob = BlobId::parse(&variant.blob)?;
            (variant.file_name() == name).then_some((format, blob))
        });
        match found {
            Some((format, blob)) => Ok(Some((format, self.blobs.get(&row.site, &blob).await?))),
            None => Ok(None),
        }
    }
}

impl Asset {
    /// The database row.
    pub fn row(&self) -> &MediaRow {
        &self.0
    }

    /// The address of the largest size. The bytes at this address never change.
    pub fn url(&self) -> String {
        self.0.url()
    }

    /// The address of the smallest size, for lists.
    pub fn thumbnail(&self) -> String {
        let first = self.0.variants.first();
        first.map_or_else(String::new, |variant| self.0.url_of(variant))
    }

    /// All sizes for a `srcset`: `/uploads/…/320.jpg 320w, …`.
    pub fn srcset(&self) -> String {
        let sizes = self.0.variants.iter();
        let sizes = sizes.map(|variant| format!("{} {}w", self.0.url_of(variant), variant.width));
        sizes.collect::<Vec<_>>().join(", ")
    }
}

/// Words of editors: short, each once, not too many.
fn words(list: Vec<String>) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for word in list {
        let word = shortened(word.trim(), WORD_CHARS_MAX);
        if !word.is_empty() && !words.contains(&word) && words.len() < WORDS_MAX {
            words.push(word);
        }
    }
    words
}

fn shortened(text: &str, chars_max: usize) -> String {
    // A database may reject a zero character.
    text.chars()
        .filter(|character| *character != '\0')
        .take(chars_max)
        .collect()
}

/// Runs blocking work on a thread for it.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, MediaError> {
    tokio::task::spawn_blocking(work)
        .await
        .map_err(|_ended| MediaError::Stopped)
}

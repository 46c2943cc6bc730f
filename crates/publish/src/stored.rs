//! Files of releases in storage: reads and verifies them, restores them from an intact form, and writes them.
//!
//! A file is stored in up to three forms: plain, brotli and gzip. Each form is named by the hash of its bytes, so damage is detected,
//! and any intact form is enough to rebuild the others.

use std::collections::HashMap;
use std::error::Error as _;

use bytes::Bytes;
use futures_util::stream::TryChunksError;
use futures_util::{StreamExt as _, TryStreamExt as _};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sitewright_store::{BlobId, Blobs, ReleaseFile, SiteId, StoreError, Timestamp};

use crate::PublishError;
use crate::compress::{PackedBytes, pack, unpack_brotli, unpack_gzip};
use crate::release_cache::Places;

/// How many files are read or written at once.
const AT_ONCE: usize = 16;
/// How many files are claimed in one transaction, and then written.
const CLAIMED_AT_ONCE: usize = 64;
/// How many files are compressed at once. Kept low because visitors need the CPU too.
const PACKED_AT_ONCE: usize = 2;
/// If more files than this fail to read for a reason other than damage, the storage as a whole is treated as failing.
const UNREADABLE_MAX: usize = 16;

/// A form in which a file is stored and sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum FileForm {
    /// Compressed with brotli.
    Brotli,
    /// Compressed with gzip.
    Gzip,
    /// As it is.
    Plain,
}

/// What is wrong with a stored file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Damage {
    /// It is not there.
    Missing,
    /// It holds other bytes than those it is named by.
    Corrupt,
    /// The storage gives an error for it.
    Unreadable,
}

/// A form of a file that is damaged in storage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DamagedForm {
    pub(crate) form: FileForm,
    pub(crate) blob: BlobId,
    pub(crate) damage: Damage,
    /// The storage's error message, if any.
    pub(crate) cause: Option<String>,
}

/// A file of a release as found in storage.
#[derive(Debug, Clone)]
pub(crate) struct StoredFile {
    /// Its bytes, verified or rebuilt from an intact form; `None` when no form is intact.
    pub(crate) packed: Option<PackedBytes>,
    pub(crate) damaged: Vec<DamagedForm>,
}

impl StoredFile {
    /// A file whose forms in storage are all intact.
    pub(crate) fn intact(packed: PackedBytes) -> Self {
        Self {
            packed: Some(packed),
            damaged: Vec::new(),
        }
    }
}

/// The result of reading files.
pub(crate) struct FilesRead {
    pub(crate) files: HashMap<BlobId, StoredFile>,
    /// Set when every single file failed to read for a reason other than damage.
    pub(crate) failure: Option<StoreError>,
}

/// Reads files and verifies them against their names. Damage is reported per file; an error means that the storage as a whole fails.
pub(crate) async fn read_files(
    blobs: &Blobs,
    site: &SiteId,
    files: Vec<ReleaseFile>,
) -> Result<FilesRead, StoreError> {
    let count = files.len();
    let mut reading = futures_util::stream::iter(files)
        .map(|file| read_file(blobs, site, file))
        .buffer_unordered(AT_ONCE);
    let mut read = HashMap::with_capacity(count);
    let (mut unreadable, mut failure) = (0, None);
    while let Some(found) = reading.next().await {
        read.insert(found.file, found.stored);
        if let Some(error) = found.failure {
            unreadable += 1;
            if unreadable > UNREADABLE_MAX {
                return Err(error);
            }
            failure = Some(error);
        }
    }
    Ok(FilesRead {
        files: read,
        failure: failure.filter(|_| unreadable == count),
    })
}

struct FoundFile {
    file: BlobId,
    stored: StoredFile,
    /// The storage error of a form that could not be read for a reason other than damage.
    failure: Option<StoreError>,
}

async fn read_file(blobs: &Blobs, site: &SiteId, file: ReleaseFile) -> FoundFile {
    let ReleaseFile {
        blob,
        bytes: length,
        brotli,
        gzip,
    } = file;
    let (mut damaged, mut failure) = (Vec::new(), None);
    let mut read = async |form: FileForm, blob: &BlobId| {
        let error = match blobs.get(site, blob).await {
            Ok(bytes) => return Some(bytes),
            Err(error) => error,
        };
        let (damage, cause) = match error {
            StoreError::NotFound { .. } => (Damage::Missing, None),
            StoreError::DamagedFile { .. } => (Damage::Corrupt, None),
            other => {
                let cause = other.source().map(ToString::to_string);
                failure = Some(other);
                (Damage::Unreadable, cause)
            }
        };
        damaged.push(DamagedForm {
            form,
            blob: blob.clone(),
            damage,
            cause,
        });
        None
    };
    let plain = read(FileForm::Plain, &blob).await;
    let packed_brotli = match &brotli {
        Some(blob) => read(FileForm::Brotli, blob).await,
        None => None,
    };
    let packed_gzip = match &gzip {
        Some(blob) => read(FileForm::Gzip, blob).await,
        None => None,
    };
    let packed = match plain {
        Some(plain) if damaged.is_empty() => Some(PackedBytes {
            plain,
            brotli: packed_brotli,
            gzip: packed_gzip,
        }),
        plain => {
            let intact = IntactForms {
                file: blob.clone(),
                length,
                plain,
                brotli: packed_brotli,
                gzip: packed_gzip,
            };
            // A panic in the blocking task counts as nothing restored.
            let made = tokio::task::spawn_blocking(move || intact.restore()).await;
            made.ok().flatten()
        }
    };
    FoundFile {
        file: blob,
        stored: StoredFile { packed, damaged },
        failure,
    }
}

/// The forms of a damaged file that are intact.
struct IntactForms {
    file: BlobId,
    length: u64,
    plain: Option<Bytes>,
    brotli: Option<Bytes>,
    gzip: Option<Bytes>,
}

impl IntactForms {
    /// Rebuilds the missing forms; `None` when no form is intact.
    fn restore(self) -> Option<PackedBytes> {
        let is_file = |bytes: &Bytes| BlobId::of(bytes) == self.file;
        let unpacked_brotli = || unpack_brotli(self.brotli.as_ref()?, self.length);
        let unpacked_gzip = || unpack_gzip(self.gzip.as_ref()?, self.length);
        let plain = self
            .plain
            .clone()
            .or_else(|| unpacked_brotli().filter(is_file))
            .or_else(|| unpacked_gzip().filter(is_file))?;
        let made = pack(plain);
        Some(PackedBytes {
            plain: made.plain,
            brotli: self.brotli.or(made.brotli),
            gzip: self.gzip.or(made.gzip),
        })
    }
}

/// A file to be compressed and written.
pub(crate) struct FileToWrite {
    pub(crate) file: BlobId,
    pub(crate) content: Content,
}

/// The bytes of a file, compressed or not yet.
pub(crate) enum Content {
    Plain(Bytes),
    Packed(PackedBytes),
}

/// Written files: rows for the database, contents for the cache.
#[derive(Debug, Default)]
pub(crate) struct WrittenFiles {
    pub(crate) rows: Vec<ReleaseFile>,
    pub(crate) files: HashMap<BlobId, StoredFile>,
}

/// Compresses files and writes every form. Forms that are already stored intact are not written again. The names of all forms are
/// claimed first, so that none of them is deleted as garbage before the rows are written.
pub(crate) async fn write_files(
    Places { store, blobs }: Places<'_>,
    site: &SiteId,
    files: Vec<FileToWrite>,
) -> Result<WrittenFiles, PublishError> {
    let mut packing = futures_util::stream::iter(files)
        .map(compress)
        .buffer_unordered(PACKED_AT_ONCE)
        .try_chunks(CLAIMED_AT_ONCE);
    let mut all = WrittenFiles::default();
    while let Some(chunk) = packing.next().await {
        let chunk = chunk.map_err(|TryChunksError(_, error)| error)?;
        let names: Vec<BlobId> = chunk.iter().flat_map(|file| file.row.blobs()).collect();
        store.claim_blobs(site, &names, Timestamp::now()).await?;
        let writing = futures_util::stream::iter(chunk).map(|file| write_file(blobs, site, file));
        let written: Vec<PackedFile> = writing.buffer_unordered(AT_ONCE).try_collect().await?;
        for PackedFile { row, packed } in written {
            all.files
                .insert(row.blob.clone(), StoredFile::intact(packed));
            all.rows.push(row);
        }
    }
    // Two nodes that write the same rows must lock them in the same order, or the database aborts one of them as a deadlock.
    all.rows
        .sort_unstable_by(|one, other| one.blob.cmp(&other.blob));
    Ok(all)
}

struct PackedFile {
    row: ReleaseFile,
    packed: PackedBytes,
}

async fn compress(FileToWrite { file, content }: FileToWrite) -> Result<PackedFile, PublishError> {
    let packing = tokio::task::spawn_blocking(move || {
        let packed = match content {
            Content::Packed(packed) => packed,
            Content::Plain(bytes) => pack(bytes),
        };
        let name = |bytes: &Bytes| BlobId::of(bytes);
        let row = ReleaseFile {
            blob: file,
            bytes: packed.plain.len() as u64,
            brotli: packed.brotli.as_ref().map(name),
            gzip: packed.gzip.as_ref().map(name),
        };
        PackedFile { row, packed }
    });
    packing.await.map_err(|_panicked| PublishError::BrokeDown)
}

async fn write_file(
    blobs: &Blobs,
    site: &SiteId,
    file: PackedFile,
) -> Result<PackedFile, PublishError> {
    let PackedBytes {
        plain,
        brotli,
        gzip,
    } = &file.packed;
    let forms = [Some(plain), brotli.as_ref(), gzip.as_ref()];
    let writing = forms.into_iter().flatten();
    let writing = writing.map(|bytes| blobs.put(site, bytes.clone()));
    futures_util::future::try_join_all(writing).await?;
    Ok(file)
}

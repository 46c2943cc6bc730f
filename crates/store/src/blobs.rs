//! Bytes that are too large for a row, addressed by their content. The same bytes are stored once per site.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::TryStreamExt as _;
use object_store::aws::AmazonS3Builder;
use object_store::local::LocalFileSystem;
use object_store::path::Path;
use object_store::prefix::PrefixStore;
use object_store::{
    BackoffConfig, ClientOptions, ObjectStore, ObjectStoreExt, PutMode, PutOptions, RetryConfig,
};
use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::{SiteId, StoreError};

/// Where blobs are stored.
#[derive(Debug, Clone)]
pub enum BlobPlace {
    /// A folder, created if missing.
    Folder(PathBuf),
    /// A bucket of S3, or of any service that speaks its protocol.
    S3(S3Place),
}

/// A bucket and how to reach it.
#[derive(Debug, Clone)]
pub struct S3Place {
    pub bucket: String,
    /// The prefix of every key; may be empty.
    pub prefix: String,
    pub region: String,
    /// The address of the service; none for Amazon's.
    pub endpoint: Option<String>,
    pub access_key_id: String,
    pub secret_access_key: SecretString,
}

/// The name of a blob: the SHA-256 of its bytes in hexadecimal.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct BlobId(String);

/// A text that is not the name of a blob.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not the name of a stored file")]
pub struct BadBlobId(String);

impl TryFrom<String> for BlobId {
    type Error = BadBlobId;

    fn try_from(text: String) -> Result<Self, BadBlobId> {
        Self::parse(&text).ok_or(BadBlobId(text))
    }
}

impl From<BlobId> for String {
    fn from(id: BlobId) -> Self {
        id.0
    }
}

impl BlobId {
    /// The name of these bytes.
    pub fn of(bytes: &[u8]) -> Self {
        Self(hex::encode(Sha256::digest(bytes)))
    }

    /// Parses a name; none if it is not valid.
    pub fn parse(text: &str) -> Option<Self> {
        let valid = text.len() == 64
            && text
                .bytes()
                .all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte));
        valid.then(|| Self(text.to_owned()))
    }

    /// The name as it is stored and sent.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for BlobId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// The blobs of an instance. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Blobs(pub(crate) Arc<dyn ObjectStore>, pub(crate) Reach);

/// What is between this process and the blobs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reach {
    Disk,
    Network,
}

impl Blobs {
    /// Opens the blob store. No request is sent to a bucket until it is used.
    pub fn open(place: &BlobPlace) -> Result<Self, StoreError> {
        match place {
            BlobPlace::Folder(path) => {
                private_folder(path).map_err(|source| StoreError::File {
                    path: path.display().to_string(),
                    source,
                })?;
                let folder = LocalFileSystem::new_with_prefix(path)?.with_fsync(true);
                Ok(Self(Arc::new(folder), Reach::Disk))
            }
            BlobPlace::S3(s3) => {
                if rustls::crypto::CryptoProvider::get_default().is_none() {
                    // Losing the race to another thread means that a provider is installed, which is all that is needed.
                    drop(rustls::crypto::ring::default_provider().install_default());
                }
                // `within` limits the time of a whole operation; these limit its parts.
                let client = ClientOptions::new()
                    .with_connect_timeout(ANSWER_WITHIN / 2)
                    .with_timeout_disabled();
                let mut builder = AmazonS3Builder::new()
                    .with_client_options(client)
                    .with_retry(RETRIES)
                    .with_bucket_name(&s3.bucket)
                    .with_region(&s3.region)
                    .with_access_key_id(&s3.access_key_id)
                    .with_secret_access_key(s3.secret_access_key.expose_secret());
                if let Some(endpoint) = &s3.endpoint {
                    builder = builder
                        .with_endpoint(endpoint)
                        .with_allow_http(endpoint.starts_with("http://"));
                }
                let bucket = PrefixStore::new(builder.build()?, s3.prefix.as_str());
                Ok(Self(Arc::new(bucket), Reach::Network))
            }
        }
    }

    /// Stores bytes and returns their name. An intact file of that name is not written again. A damaged one is replaced atomically,
    /// so that a concurrent reader gets either the old bytes or the new ones.
    pub async fn put(&self, site: &SiteId, bytes: Bytes) -> Result<BlobId, StoreError> {
        let id = BlobId::of(&bytes);
        match self.write(site, &id, &bytes, PutMode::Create).await {
            Err(object_store::Error::AlreadyExists { .. }) => {}
            written => return written.map(|()| id).map_err(StoreError::from),
        }
        match self.get(site, &id).await {
            Ok(_) => {}
            Err(StoreError::NotFound { .. } | StoreError::DamagedFile { .. }) => {
                self.write(site, &id, &bytes, PutMode::Overwrite).await?;
            }
            Err(error) => return Err(error),
        }
        Ok(id)
    }

    async fn write(
        &self,
        site: &SiteId,
        id: &BlobId,
        bytes: &Bytes,
        mode: PutMode,
    ) -> Result<(), object_store::Error> {
        let options = PutOptions {
            mode,
            ..PutOptions::default()
        };
        let (size, place) = (bytes.len(), location(site, id));
        let putting = self.0.put_opts(&place, bytes.clone().into(), options);
        self.within(size, putting).await.map(drop)
    }

    /// The bytes with this name, verified against it: damaged bytes are an error.
    pub async fn get(&self, site: &SiteId, id: &BlobId) -> Result<Bytes, StoreError> {
        let place = location(site, id);
        let found = self.within(0, self.0.get(&place)).await.map_err(missing)?;
        let size = usize::try_from(found.meta.size).unwrap_or(usize::MAX);
        let bytes = self.within(size, found.bytes()).await?;
        match BlobId::of(&bytes) == *id {
            true => Ok(bytes),
            false => Err(StoreError::DamagedFile { blob: id.clone() }),
        }
    }

    /// A range of the bytes with this name. It cannot be verified, because the name is the hash of the whole.
    pub async fn get_range(
        &self,
        site: &SiteId,
        id: &BlobId,
        range: Range<u64>,
    ) -> Result<Bytes, StoreError> {
        let size = usize::try_from(range.end.saturating_sub(range.start)).unwrap_or(usize::MAX);
        let place = location(site, id);
        self.within(size, self.0.get_range(&place, range))
            .await
            .map_err(missing)
    }

    /// The number of bytes with this name.
    pub async fn size(&self, site: &SiteId, id: &BlobId) -> Result<u64, StoreError> {
        let place = location(site, id);
        let found = self.within(0, self.0.head(&place)).await;
        Ok(found.map_err(missing)?.size)
    }

    /// The expected files, by name and size, that are missing or have a different size. This only uses a listing and reads no file,
    /// so different bytes of the same size go unnoticed.
    pub async fn find_missing(
        &self,
        site: &SiteId,
        expected: &HashMap<BlobId, u64>,
    ) -> Result<HashSet<BlobId>, StoreError> {
        let found = self.list(site).await?;
        let is_missing = |(blob, size): &(&BlobId, &u64)| found.get(*blob) != Some(*size);
        let missing = expected.iter().filter(is_missing);
        Ok(missing.map(|(blob, _)| blob.clone()).collect())
    }

    /// All blobs of a site with their sizes.
    pub(crate) async fn list(&self, site: &SiteId) -> Result<HashMap<BlobId, u64>, StoreError> {
        let mut found = HashMap::new();
        let mut listed = self.0.list(Some(&Path::from_iter([site.as_str()])));
        while let Some(entry) = self.within(LISTED_BYTES, listed.try_next()).await? {
            if let Some(id) = entry.location.filename().and_then(BlobId::parse) {
                found.insert(id, entry.size);
            }
        }
        Ok(found)
    }

    /// Removes the bytes. Succeeds if there are none.
    pub async fn remove(&self, site: &SiteId, id: &BlobId) -> Result<(), StoreError> {
        let place = location(site, id);
        match self.within(0, self.0.delete(&place)).await {
            Ok(()) | Err(object_store::Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }
}

/// How long a bucket has to answer, in addition to the time that the bytes need for the transfer.
const ANSWER_WITHIN: Duration = Duration::from_millis(1800);
/// The approximate size in bytes of a page of a listing.
const LISTED_BYTES: usize = 256 * 1024;
/// The slowest transfer to wait for. Publishing sends dozens of files at once over one connection, so each of them may be slow.
const BYTES_PER_SECOND_MIN: u64 = 8 * 1024;
/// A request that fails or breaks off is retried for as long as its operation has time.
const RETRIES: RetryConfig = RetryConfig {
    backoff: BackoffConfig {
        init_backoff: Duration::from_millis(100),
        max_backoff: Duration::from_secs(1),
        base: 2.0,
    },
    max_retries: 4,
    retry_timeout: Duration::from_secs(60),
};

impl Blobs {
    /// Cancels an operation that transfers this many bytes if a bucket does not answer in time. A
    /// disk has no limit: it answers, or fails on its own.
    pub(crate) async fn within<T>(
        &self,
        bytes: usize,
        operation: impl Future<Output = object_store::Result<T>>,
    ) -> object_store::Result<T> {
        if self.1 == Reach::Disk {
            return operation.await;
        }
        let limit = time_for(bytes);
        match tokio::time::timeout(limit, operation).await {
            Ok(done) => done,
            Err(_elapsed) => Err(object_store::Error::Generic {
                store: "S3",
                source: format!("no answer within {limit:?}").into(),
            }),
        }
    }
}

fn time_for(bytes: usize) -> Duration {
    let bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
    ANSWER_WITHIN + Duration::from_millis(bytes.saturating_mul(1000) / BYTES_PER_SECOND_MIN)
}

fn location(site: &SiteId, id: &BlobId) -> Path {
    Path::from_iter([site.as_str(), &id.as_str()[..2], id.as_str()])
}

fn missing(error: object_store::Error) -> StoreError {
    match error {
        object_store::Error::NotFound { .. } => StoreError::NotFound { what: "file" },
        other => other.into(),
    }
}

/// Creates a folder that no other user of the machine can read.
fn private_folder(path: &std::path::Path) -> std::io::Result<()> {
    use std::os::unix::fs::DirBuilderExt as _;
    std::fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(path)
}

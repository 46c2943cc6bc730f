//! Errors of the store, with one variant for each way the caller can react.

use std::error::Error;
use std::io;

use sitewright_site::BodyId;

use crate::BlobId;

/// Why the store did not do what the caller asked for.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// What the caller named does not exist.
    #[error("there is no such {what}")]
    NotFound {
        /// The kind of thing, in words for people.
        what: &'static str,
    },
    /// The value is in use; the caller can choose another one.
    #[error("{what} `{value}` is taken")]
    Taken {
        /// The kind of thing, in words for people.
        what: &'static str,
        /// The requested value.
        value: String,
    },
    /// The change would break a rule that spans several rows.
    #[error("{rule}")]
    Refused {
        /// The rule, as a sentence.
        rule: &'static str,
    },
    /// The site holds as much as it may; the caller can remove something, or an operator can raise the limit.
    #[error("the limit of {most} {what} is reached: {remedy}, or raise the setting `{setting}`")]
    LimitReached {
        /// What is counted, in words for people.
        what: &'static str,
        most: u64,
        /// The setting that changes the limit.
        setting: &'static str,
        /// What the caller can do.
        remedy: &'static str,
    },
    /// Something else depends on it; the caller can remove that dependency first.
    #[error("{what} is in use: {by}")]
    InUse {
        /// The kind of thing, in words for people.
        what: &'static str,
        /// What depends on it, in words for people.
        by: String,
    },
    /// The given key is not the one that the secrets were encrypted with. Nothing was changed.
    #[error(
        "the secret key does not fit this instance: its secrets were encrypted with the key {stored}, and the key at hand is {given}; \
         start with the right key in SITEWRIGHT_SECRET_KEY or in the data folder's `secret.key` (nothing was changed)"
    )]
    WrongKey {
        /// The fingerprint stored with the instance.
        stored: String,
        /// The fingerprint of the given key, or `missing`.
        given: String,
    },
    /// The given key is not 32 bytes written as 64 hexadecimal digits.
    #[error(
        "{place} must hold 64 hexadecimal digits (32 bytes), as `openssl rand -hex 32` prints them"
    )]
    MalformedKey {
        /// Where the key was read from.
        place: String,
    },
    /// A row does not contain what this version writes.
    #[error("the stored {what} cannot be read")]
    Corrupt {
        /// The kind of thing that could not be read.
        what: &'static str,
    },
    /// A row contains text that this version cannot parse.
    #[error("the stored {what} cannot be read: {reason}")]
    Unreadable {
        /// The kind of thing that could not be read.
        what: &'static str,
        /// The parser's message, with the position.
        reason: String,
    },
    /// No snapshot and no entry of a document can be read. Other documents are not affected.
    #[error("the document {document} cannot be read; `sitewright doctor` shows how to recover it")]
    UnreadableDocument {
        /// The document that is lost.
        document: BodyId,
    },
    /// A stored file does not contain the bytes whose hash is its name. Storing those bytes again repairs it.
    #[error(
        "the stored file {blob} does not hold what was written to it; publish again when it belongs to a page, else restore it from a backup"
    )]
    DamagedFile {
        /// The name of the damaged file.
        blob: BlobId,
    },
    /// The address of the database or of the blob store is not usable.
    #[error("{0}")]
    Misconfigured(String),
    /// The caller sent text that the databases cannot store or search for. Nothing was changed.
    #[error("the text has a zero character in it, which cannot be stored")]
    Unstorable,
    /// There is no space left for the database or the files. The caller can retry once there is.
    #[error("the disk that holds the {holds} is full; free some space, then try again")]
    DiskFull {
        /// What is stored on the disk, in words for people.
        holds: &'static str,
        /// The error of the database or of the file storage.
        #[source]
        source: Box<dyn Error + Send + Sync>,
    },
    /// The database did not answer, or returned an error.
    #[error("the database is not available")]
    Database(#[source] sqlx::Error),
    /// The database was migrated by a newer version. Nothing was changed.
    #[error(
        "the database was written by a newer version of Sitewright, whose step {step} this version does not know: start that version, \
         or restore a backup from before it was used (nothing was changed)"
    )]
    NewerVersion {
        /// The migration that this version does not have.
        step: i64,
    },
    /// A migration failed.
    #[error("the database could not be prepared")]
    Migration(#[source] sqlx::migrate::MigrateError),
    /// The blob store did not answer, or returned an error.
    #[error("the file storage is not available")]
    Blobs(#[source] object_store::Error),
    /// A file of the data folder could not be read or written.
    #[error("{path} cannot be used")]
    File {
        path: String,
        #[source]
        source: io::Error,
    },
}

impl From<sqlx::Error> for StoreError {
    fn from(error: sqlx::Error) -> Self {
        // Postgres' `character_not_in_repertoire`; the input is always a `str`, so the only such character is NUL.
        let code = error.as_database_error().and_then(|error| error.code());
        match code.as_deref() {
            Some("22021") => Self::Unstorable,
            Some(code) if DISK_FULL_CODES.contains(&code) => Self::DiskFull {
                holds: "database",
                source: error.into(),
            },
            _ if is_out_of_space(&error) => Self::DiskFull {
                holds: "database",
                source: error.into(),
            },
            _ => Self::Database(error),
        }
    }
}

impl From<object_store::Error> for StoreError {
    fn from(error: object_store::Error) -> Self {
        if is_out_of_space(&error) {
            return Self::DiskFull {
                holds: "files",
                source: error.into(),
            };
        }
        Self::Blobs(error)
    }
}

/// SQLite's `SQLITE_FULL` and `SQLITE_IOERR_SHMSIZE` (the index of its log could not grow), and Postgres' `disk_full`.
const DISK_FULL_CODES: [&str; 3] = ["13", "4874", "53100"];

/// Whether the operating system reported, anywhere in the chain of causes, that a disk or a quota is full.
fn is_out_of_space(error: &(dyn Error + 'static)) -> bool {
    let mut cause = Some(error);
    while let Some(error) = cause {
        let kind = error.downcast_ref::<io::Error>().map(io::Error::kind);
        if let Some(io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded) = kind {
            return true;
        }
        cause = error.source();
    }
    false
}

impl From<sqlx::migrate::MigrateError> for StoreError {
    fn from(error: sqlx::migrate::MigrateError) -> Self {
        match error {
            // Migrations are never removed, so one that is missing here was added by a newer version.
            sqlx::migrate::MigrateError::VersionMissing(step) => Self::NewerVersion { step },
            other => Self::Migration(other),
        }
    }
}

impl StoreError {
    /// Turns the database's error about a duplicate into [`StoreError::Taken`].
    pub(crate) fn on_duplicate(error: sqlx::Error, what: &'static str, value: &str) -> Self {
        match error.as_database_error() {
            Some(database) if database.is_unique_violation() => Self::Taken {
                what,
                value: value.to_owned(),
            },
            _ => Self::from(error),
        }
    }
}

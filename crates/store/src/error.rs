//! Why a repository said no. One variant per thing the caller can do about it.

use std::error::Error;
use std::io;

use sitewright_site::BodyId;

use crate::BlobId;

/// Why the store did not do what it was asked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The caller named something that is not there.
    #[error("there is no such {what}")]
    NotFound {
        /// The kind of thing, in a person's words.
        what: &'static str,
    },
    /// The caller can choose another value.
    #[error("{what} `{value}` is taken")]
    Taken {
        /// The kind of thing, in a person's words.
        what: &'static str,
        /// What was asked for.
        value: String,
    },
    /// The change would break a rule that holds over several rows.
    #[error("{rule}")]
    Refused {
        /// The rule, as a sentence.
        rule: &'static str,
    },
    /// Something else rests on it; the caller can let go of it there first.
    #[error("{what} is in use: {by}")]
    InUse {
        /// The kind of thing, in a person's words.
        what: &'static str,
        /// What rests on it, in a person's words.
        by: String,
    },
    /// The key at hand is not the one the secrets were encrypted with. Nothing was changed.
    #[error(
        "the secret key does not fit this instance: its secrets were encrypted with the key {stored}, and the key at hand is {given}; \
         start with the right key in SITEWRIGHT_SECRET_KEY or in the data folder's `secret.key` (nothing was changed)"
    )]
    WrongKey {
        /// Fingerprint kept with the instance.
        stored: String,
        /// Fingerprint of the key at hand, or `missing`.
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
    /// A row does not hold what this version wrote.
    #[error("the stored {what} cannot be read")]
    Corrupt {
        /// The kind of thing that could not be read.
        what: &'static str,
    },
    /// A row holds text that this version cannot read.
    #[error("the stored {what} cannot be read: {reason}")]
    Unreadable {
        /// The kind of thing that could not be read.
        what: &'static str,
        /// What the parser said, with the place.
        reason: String,
    },
    /// No snapshot and no entry of a document can be read. Other documents are not affected.
    #[error("the document {document} cannot be read; `sitewright doctor` shows how to recover it")]
    UnreadableDocument {
        /// The document.
        document: BodyId,
    },
    /// A stored file does not hold the bytes that it is named by. Storing those bytes again makes it whole.
    #[error(
        "the stored file {blob} does not hold what was written to it; publish again when it belongs to a page, else restore it from a backup"
    )]
    DamagedFile {
        /// The name of the file.
        blob: BlobId,
    },
    /// The address of the database or of the blob store is not usable.
    #[error("{0}")]
    Misconfigured(String),
    /// The caller sent text that no database of ours can hold or look for. Nothing was changed.
    #[error("the text has a zero character in it, which cannot be stored")]
    Unstorable,
    /// There is no space left where the database or the files are kept. The caller can try again once there is.
    #[error("the disk that holds the {holds} is full; free some space, then try again")]
    DiskFull {
        /// What lies on the disk, in a person's words.
        holds: &'static str,
        /// What the database or the file storage said.
        #[source]
        source: Box<dyn Error + Send + Sync>,
    },
    /// The database did not answer, or answered with an error.
    #[error("the database is not available")]
    Database(#[source] sqlx::Error),
    /// The database was brought up to date by a version that came after this one. Nothing was changed.
    #[error(
        "the database was written by a newer version of Sitewright, whose step {step} this version does not know: start that version, \
         or restore a backup from before it was used (nothing was changed)"
    )]
    NewerVersion {
        /// The migration that this version does not have.
        step: i64,
    },
    /// The schema could not be brought up to date.
    #[error("the database could not be prepared")]
    Migration(#[source] sqlx::migrate::MigrateError),
    /// The blob store did not answer, or answered with an error.
    #[error("the file storage is not available")]
    Blobs(#[source] object_store::Error),
    /// A file of the data folder could not be read or written.
    #[error("{path} cannot be used")]
    File {
        /// The file.
        path: String,
        /// What the system said.
        #[source]
        source: io::Error,
    },
}

impl From<sqlx::Error> for StoreError {
    fn from(error: sqlx::Error) -> Self {
        // Postgres' `character_not_in_repertoire`; what arrives here is a `str`, so the one such character is zero.
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

/// Whether the system said, somewhere below an error, that a disk or a quota is full.
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
            // Migrations are never taken out, so one that is not here was added later.
            sqlx::migrate::MigrateError::VersionMissing(step) => Self::NewerVersion { step },
            other => Self::Migration(other),
        }
    }
}

impl StoreError {
    /// Turns the database's word for a duplicate into ours.
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

//! A real Postgres in a temporary folder.
//!
//! The server runs under a small shell that waits for our end of a pipe to close, so it stops when its owner is dropped, when
//! the test process exits (statics are never dropped) and when it is killed. Settings make it small, not unsafe: `fsync` stays
//! on, because crash tests run against it.

mod binaries;
mod database;
mod supervised;

use std::path::PathBuf;
use std::sync::OnceLock;

use crate::{Missing, Prerequisite, unless_left_out};
pub use binaries::Binaries;
pub use database::TempDatabase;
use supervised::Supervised;

/// The variable that names a running server, as a base URL, for `Postgres::shared`.
pub const SHARED_POSTGRES_VARIABLE: &str = "SITEWRIGHT_TEST_POSTGRES";

/// A Postgres server that tests may do anything to.
#[derive(Debug)]
pub struct Postgres {
    url: String,
    psql: PathBuf,
    /// Absent when the server was given to us by its address.
    _server: Option<Supervised>,
}

impl Postgres {
    /// Starts a server of its own on a free port of loopback; it stops when the value is dropped.
    ///
    /// # Errors
    /// When the Postgres programs are not installed, or left out.
    ///
    /// # Panics
    /// When they are there and the server does not start; its log is in the message.
    pub fn start() -> Result<Self, Missing> {
        unless_left_out(Prerequisite::Postgres)?;
        let binaries = Binaries::find()?;
        let server = Supervised::start(&binaries);
        Ok(Self {
            url: server.url(),
            psql: binaries.psql,
            _server: Some(server),
        })
    }

    /// The server that tests share: the one `SITEWRIGHT_TEST_POSTGRES` names, else one started for this process.
    ///
    /// # Errors
    /// When the Postgres programs are not installed, or left out.
    pub fn shared() -> Result<&'static Self, Missing> {
        static SHARED: OnceLock<Result<Postgres, Missing>> = OnceLock::new();
        SHARED
            .get_or_init(|| {
                unless_left_out(Prerequisite::Postgres)?;
                match std::env::var(SHARED_POSTGRES_VARIABLE) {
                    Ok(url) if !url.is_empty() => Ok(Self {
                        url,
                        psql: Binaries::find()?.psql,
                        _server: None,
                    }),
                    _ => Self::start(),
                }
            })
            .as_ref()
            .map_err(Clone::clone)
    }

    /// The address of the server's maintenance database.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Makes an empty database, dropped with the value. Many processes may do so at once.
    ///
    /// # Panics
    /// When the server refuses.
    #[must_use]
    pub fn create_database(&self) -> TempDatabase {
        TempDatabase::create(&self.psql, &self.url)
    }
}

#[cfg(test)]
mod tests;

//! Runs one test on both databases.

use std::future::Future;

use crate::{Postgres, TempDatabase, unless_missing};

/// An empty database and a folder that are gone after the test.
pub struct FreshDatabase {
    /// The path of a SQLite file, or the address of a Postgres database.
    pub address: String,
    /// A folder for the rest of an instance.
    pub folder: tempfile::TempDir,
    _database: Option<TempDatabase>,
}

impl FreshDatabase {
    /// A SQLite file that does not exist yet.
    pub fn sqlite() -> Option<Self> {
        let folder = tempfile::tempdir().expect("a temporary folder");
        // The name holds every sign that an address would read as something else.
        let file = folder.path().join("a b?c#d%20.db");
        Some(Self {
            address: file.to_str().expect("a folder in UTF-8").to_owned(),
            folder,
            _database: None,
        })
    }

    /// A database of the shared Postgres; `None` when the person asked to do without.
    pub fn postgres() -> Option<Self> {
        let database = unless_missing(Postgres::shared())?.create_database();
        Some(Self {
            address: database.url.clone(),
            folder: tempfile::tempdir().expect("a temporary folder"),
            _database: Some(database),
        })
    }

    /// The database of another process, with a folder of its own. It stays after the test.
    pub fn of_another(address: &str) -> Self {
        Self {
            address: address.to_owned(),
            folder: tempfile::tempdir().expect("a temporary folder"),
            _database: None,
        }
    }
}

/// Runs a test to its end, on threads enough for two to be at work.
pub fn block_on(test: impl Future<Output = anyhow::Result<()>>) {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build();
    runtime
        .expect("a runtime")
        .block_on(test)
        .expect("the test");
}

/// Makes of each name two tests, `sqlite::name` and `postgres::name`, by calling `run(Option<FreshDatabase>, super::name)`.
#[macro_export]
macro_rules! on_both_databases {
    ($run:path: $($name:ident)*) => {
        mod sqlite {
            $(#[test] fn $name() { $run($crate::FreshDatabase::sqlite(), super::$name); })*
        }
        mod postgres {
            $(#[test] fn $name() { $run($crate::FreshDatabase::postgres(), super::$name); })*
        }
    };
}

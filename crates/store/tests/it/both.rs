//! Runs one test on both databases.

use std::time::Duration;

use sitewright_store::{KeySource, Place, RetentionClock, Secrets, Store, Timestamp};
use sitewright_testkit::{Postgres, TempDatabase};

/// A database that is gone after the test.
pub(crate) struct Fresh {
    pub(crate) place: Place,
    _folder: tempfile::TempDir,
    _database: Option<TempDatabase>,
}

impl Fresh {
    pub(crate) fn sqlite() -> Option<Self> {
        let folder = tempfile::tempdir().expect("a temporary folder");
        // The name holds every sign that an address would read as something else.
        let place = Place::File(folder.path().join("a b?c#d%20.db"));
        Some(Self {
            place,
            _folder: folder,
            _database: None,
        })
    }

    pub(crate) fn postgres() -> Option<Self> {
        let database = sitewright_testkit::unless_missing(Postgres::shared())?.create_database();
        let folder = tempfile::tempdir().expect("a temporary folder");
        let place = Place::Postgres(database.url.clone());
        Some(Self {
            place,
            _folder: folder,
            _database: Some(database),
        })
    }

    /// The secrets of a store, under a fixed key.
    pub(crate) async fn secrets(store: &Store) -> Secrets {
        let key = KeySource::Given("a1".repeat(32).into());
        Secrets::open(store, &key).await.expect("the key fits")
    }

    pub(crate) async fn open(&self) -> Store {
        Store::open(&self.place).await.expect("the database opens")
    }
}

/// A clock that has shown the right time for more than a week up to `now`.
pub(crate) async fn proven_clock(store: &Store, now: Timestamp) -> anyhow::Result<RetentionClock> {
    const DAY: Duration = Duration::from_secs(24 * 60 * 60);
    for days in [12, 6] {
        store.retention_clock(now.before(days * DAY)).await?;
    }
    Ok(store.retention_clock(now).await?)
}

/// Makes of each `async fn name(fresh: &Fresh) -> anyhow::Result<()>` two tests, `sqlite::name` and `postgres::name`.
macro_rules! on_both {
    ($($name:ident)*) => {
        mod sqlite {
            $(#[test] fn $name() { crate::both::run($crate::both::Fresh::sqlite(), async |fresh| super::$name(fresh).await); })*
        }
        mod postgres {
            $(#[test] fn $name() { crate::both::run($crate::both::Fresh::postgres(), async |fresh| super::$name(fresh).await); })*
        }
    };
}
pub(crate) use on_both;

pub(crate) fn run(fresh: Option<Fresh>, test: impl AsyncFnOnce(&Fresh) -> anyhow::Result<()>) {
    let Some(fresh) = fresh else { return };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build();
    runtime
        .expect("a runtime")
        .block_on(test(&fresh))
        .expect("the test");
}

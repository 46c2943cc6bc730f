//! Runs one test on both databases.

use std::time::Duration;

use sitewright_store::{KeySource, Place, RetentionClock, Secrets, Store, Timestamp};
use sitewright_testkit::{FreshDatabase, block_on};

/// A database that is gone after the test.
pub(crate) struct Fresh {
    pub(crate) place: Place,
    _database: FreshDatabase,
}

impl From<FreshDatabase> for Fresh {
    fn from(database: FreshDatabase) -> Self {
        Self {
            place: Place::at(&database.address),
            _database: database,
        }
    }
}

impl Fresh {
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
    ($($name:ident)*) => { sitewright_testkit::on_both_databases! { crate::both::run: $($name)* } };
}
pub(crate) use on_both;

pub(crate) fn run(
    database: Option<FreshDatabase>,
    test: impl AsyncFnOnce(&Fresh) -> anyhow::Result<()>,
) {
    let Some(database) = database else { return };
    let fresh = Fresh::from(database);
    block_on(test(&fresh));
}

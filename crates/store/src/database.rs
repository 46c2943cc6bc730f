//! Opens the database and hands out connections. SQLite has one writer and many readers; Postgres has one pool for both.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use sqlx::any::{AnyConnectOptions, AnyPoolOptions};
use sqlx::pool::PoolConnection;
use sqlx::{Any, AnyConnection, AnyPool, Connection as _, Row as _, Transaction};
use tokio::sync::Notify;
use tokio::time::Instant;

use crate::documents::{BREADCRUMBS, Bell, CHANGES, Lives};
use crate::{Quotas, StoreError};

/// Where an instance's database is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// A SQLite file, created if missing.
    File(PathBuf),
    /// A Postgres address, `postgres://…`.
    Postgres(String),
}

impl Place {
    /// A place written as a Postgres address, or as the path of a SQLite file.
    pub fn at(address: &str) -> Self {
        let schemes = ["postgres://", "postgresql://"];
        match schemes.iter().any(|scheme| address.starts_with(scheme)) {
            true => Self::Postgres(address.to_owned()),
            false => Self::File(address.into()),
        }
    }
}

/// The database in use, for the few places that depend on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DatabaseKind {
    Sqlite,
    Postgres,
}

impl DatabaseKind {
    /// The name to show to people.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sqlite => "SQLite",
            Self::Postgres => "Postgres",
        }
    }
}

/// The rows of an instance. Cheap to clone; all clones share the connections.
#[derive(Debug, Clone)]
pub struct Store {
    reader: AnyPool,
    writer: AnyPool,
    backend: DatabaseKind,
    /// Wakes the sealer of the audit chain after an entry is committed.
    pub(crate) audit_written: Arc<Notify>,
    /// The address to listen at for notifications of other nodes.
    pub(crate) postgres: Option<Arc<str>>,
    pub(crate) bell: Bell,
    pub(crate) breadcrumb_bell: Bell,
    pub(crate) lives: Arc<Lives>,
    pub(crate) quotas: Quotas,
    /// When a caller last timed out waiting for a connection to Postgres; cleared once a connection succeeds.
    missed_at: Arc<Mutex<Option<Instant>>>,
}

/// A write transaction. Dropping it without `commit` rolls it back.
pub(crate) type Write = Transaction<'static, Any>;
/// A read transaction: all its statements see one snapshot of the database.
pub(crate) type ReadTransaction = Transaction<'static, Any>;

const READERS: u32 = 4;
const POSTGRES_CONNECTIONS: u32 = 16;
/// How long a caller waits for a connection to SQLite, that is, for the writers queued before it.
const SQLITE_TIMEOUT: Duration = Duration::from_secs(10);
/// How long a caller waits for a connection to Postgres. The pool is large, so a connection that is not free by then is unlikely to come.
const POSTGRES_TIMEOUT: Duration = Duration::from_millis(1500);
/// How long startup waits for a Postgres that is starting at the same time.
const START_TIMEOUT: Duration = Duration::from_secs(10);
const WRITER_PRAGMAS: &str = "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL";

impl Store {
    /// Opens the database, runs migrations and makes sure that there is a site.
    ///
    /// Opening again changes nothing. Two nodes may open the same Postgres at the same time. A new SQLite file must be opened by
    /// one process at a time; the caller must ensure that.
    pub async fn open(place: &Place) -> Result<Self, StoreError> {
        sqlx::any::install_default_drivers();
        let store = match place {
            Place::File(path) => open_sqlite(path).await?,
            Place::Postgres(address) => open_postgres(address).await?,
        };
        sqlx::migrate!("./migrations").run(&store.writer).await?;
        store.begin_search().await?;
        store.ensure_a_site().await?;
        Ok(store)
    }

    /// The database in use.
    pub fn backend(&self) -> DatabaseKind {
        self.backend
    }

    /// Waits for running statements and closes every connection; SQLite merges its write-ahead log into the file.
    pub async fn close(&self) {
        self.bell.close();
        self.breadcrumb_bell.close();
        self.reader.close().await;
        self.writer.close().await;
    }

    pub(crate) fn reader(&self) -> &AnyPool {
        &self.reader
    }

    /// Begins a transaction for statements that must agree with each other, such as reading a snapshot and the entries since.
    pub(crate) async fn read(&self) -> Result<ReadTransaction, StoreError> {
        let begin = match self.backend {
            DatabaseKind::Sqlite => "BEGIN",
            DatabaseKind::Postgres => "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
        };
        Ok(self.reader.begin_with(begin).await?)
    }

    pub(crate) async fn write(&self) -> Result<Write, StoreError> {
        let begin = match self.backend {
            // A deferred transaction that reads first could lose its snapshot to another process before it writes.
            DatabaseKind::Sqlite => "BEGIN IMMEDIATE",
            DatabaseKind::Postgres => "BEGIN",
        };
        self.unless_missed()?;
        self.note(self.writer.begin_with(begin).await)
    }

    /// A connection for reading.
    pub(crate) async fn connection(&self) -> Result<PoolConnection<Any>, StoreError> {
        self.unless_missed()?;
        self.note(self.reader.acquire().await)
    }

    /// Fails at once while Postgres is unreachable. Otherwise, callers that queue for one site
    /// would each run into the full timeout, one after the other.
    fn unless_missed(&self) -> Result<(), StoreError> {
        const FRESH_FOR: Duration = Duration::from_secs(1);
        let missed = *self
            .missed_at
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        match missed {
            Some(at) if at.elapsed() < FRESH_FOR => Err(sqlx::Error::PoolTimedOut.into()),
            _ => Ok(()),
        }
    }

    /// Records whether a connection could be acquired.
    fn note<T>(&self, acquired: Result<T, sqlx::Error>) -> Result<T, StoreError> {
        let missed = match &acquired {
            Err(sqlx::Error::PoolTimedOut) if self.backend == DatabaseKind::Postgres => {
                Some(Instant::now())
            }
            _ => None,
        };
        *self
            .missed_at
            .lock()
            .unwrap_or_else(PoisonError::into_inner) = missed;
        Ok(acquired?)
    }
}

async fn open_sqlite(path: &Path) -> Result<Store, StoreError> {
    make_private(path).map_err(|source| StoreError::File {
        path: path.display().to_string(),
        source,
    })?;
    let writer = sqlite_pool(path, "rwc", 1, WRITER_PRAGMAS).await?;
    // Readers connect after the writer, which creates the file and its write-ahead log.
    let reader = sqlite_pool(path, "ro", READERS, "PRAGMA query_only = ON").await?;
    Ok(Store {
        reader,
        writer,
        backend: DatabaseKind::Sqlite,
        audit_written: Arc::default(),
        postgres: None,
        bell: Bell::new(CHANGES),
        breadcrumb_bell: Bell::new(BREADCRUMBS),
        lives: Arc::default(),
        quotas: Quotas::default(),
        missed_at: Arc::default(),
    })
}

/// Creates the file before SQLite does, so that no other user of the machine can read it; SQLite gives its log the same permissions.
fn make_private(path: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::OpenOptionsExt as _;
    std::fs::OpenOptions::new()
        .append(true)
        .create(true)
        .mode(0o600)
        .open(path)
        .map(drop)
}

async fn sqlite_pool(
    path: &Path,
    mode: &str,
    connections: u32,
    pragmas: &'static str,
) -> Result<AnyPool, StoreError> {
    let address = format!("sqlite://{}?mode={mode}", percent_encoded(path)?);
    let options: AnyConnectOptions = address.parse()?;
    prepare_file(path, &options, pragmas).await?;
    let pool = AnyPoolOptions::new()
        .max_connections(connections)
        .acquire_timeout(SQLITE_TIMEOUT)
        .test_before_acquire(false)
        .after_release(|connection, _| Box::pin(has_no_transaction(connection)))
        .after_connect(move |connection, _| {
            Box::pin(async move {
                sqlx::raw_sql("PRAGMA busy_timeout = 10000; PRAGMA foreign_keys = ON")
                    .execute(&mut *connection)
                    .await?;
                sqlx::raw_sql(pragmas).execute(connection).await?;
                Ok(())
            })
        })
        .connect_with(options)
        .await;
    pool.map_err(|error| unusable_file(path, error))
}

/// Whether a connection may go back to its pool. SQLite ends a transaction on its own when the disk is full or fails. The rollback
/// of sqlx then finds no transaction and fails, and from then on sqlx assumes that one is open and refuses to begin another. Such a
/// connection is closed, and the pool opens a new one.
async fn has_no_transaction(connection: &mut AnyConnection) -> Result<bool, sqlx::Error> {
    if !connection.is_in_transaction() {
        return Ok(true);
    }
    // A dropped transaction is rolled back by the connection's thread, which answers the ping only after that.
    connection.ping().await?;
    Ok(!connection.is_in_transaction())
}

/// Opens the file once before a pool does. A pool would retry for ten seconds to open a damaged file. Also, the time that a slow disk
/// needs to convert a new file to write-ahead logging would count as waiting for a connection, so startup on a busy machine would fail.
async fn prepare_file(
    path: &Path,
    options: &AnyConnectOptions,
    pragmas: &'static str,
) -> Result<(), StoreError> {
    let look = async {
        let mut connection = AnyConnection::connect_with(options).await?;
        sqlx::raw_sql("PRAGMA schema_version")
            .execute(&mut connection)
            .await?;
        sqlx::raw_sql(pragmas).execute(&mut connection).await?;
        connection.close().await
    };
    look.await.map_err(|error| unusable_file(path, error))
}

/// Why a SQLite file could not be opened. On a full disk, SQLite only reports that the files it creates next to the database cannot
/// be opened or read, so free space is tested here.
fn unusable_file(path: &Path, error: sqlx::Error) -> StoreError {
    let scratch = path.with_extension("db-space");
    let source = match std::fs::write(&scratch, [0; 64 * 1024]) {
        Err(full) if full.kind() == std::io::ErrorKind::StorageFull => Some(full),
        Err(_) | Ok(()) => None,
    };
    // The file may not exist; a leftover does no harm.
    drop(std::fs::remove_file(&scratch));
    match source {
        Some(full) => StoreError::DiskFull {
            holds: "database",
            source: full.into(),
        },
        None => StoreError::File {
            path: path.display().to_string(),
            source: std::io::Error::other(error),
        },
    }
}

async fn open_postgres(address: &str) -> Result<Store, StoreError> {
    let unusable = |reason: &str| {
        StoreError::Misconfigured(format!(
            "DATABASE_URL is not an address such as postgres://user:password@host:5432/name: {reason}"
        ))
    };
    // sqlx would accept the address of any database it supports, and the rest of the crate would treat that as Postgres.
    if !address.starts_with("postgres://") && !address.starts_with("postgresql://") {
        return Err(unusable("it does not begin with postgres://"));
    }
    let options: AnyConnectOptions = address
        .parse()
        .map_err(|error: sqlx::Error| unusable(&error.to_string()))?;
    wait_for_postgres(&options).await?;
    let pool = AnyPoolOptions::new()
        .max_connections(POSTGRES_CONNECTIONS)
        .acquire_timeout(POSTGRES_TIMEOUT)
        .test_before_acquire(false)
        .before_acquire(|connection, _| Box::pin(is_outside_a_transaction(connection)))
        .connect_with(options)
        .await?;
    Ok(Store {
        reader: pool.clone(),
        writer: pool,
        backend: DatabaseKind::Postgres,
        audit_written: Arc::default(),
        postgres: Some(address.into()),
        bell: Bell::new(CHANGES),
        breadcrumb_bell: Bell::new(BREADCRUMBS),
        lives: Arc::default(),
        quotas: Quotas::default(),
        missed_at: Arc::default(),
    })
}

/// Whether a pooled connection answers and has no open transaction; the pool closes and replaces any other. A caller that is dropped
/// while its `BEGIN` is on the way leaves a transaction that sqlx does not count and never rolls back, so the server is asked:
/// `now()` stands still within a transaction. This takes the place of the pool's ping, at the same cost. It has to be a simple query:
/// a prepared one is several messages, each with a time of its own, so the answer would always be no.
async fn is_outside_a_transaction(connection: &mut AnyConnection) -> Result<bool, sqlx::Error> {
    let row = sqlx::raw_sql("SELECT now() = statement_timestamp() AS is_outside")
        .fetch_one(connection)
        .await?;
    row.try_get("is_outside")
}

/// Waits until a connection succeeds. On timeout, returns the last error.
async fn wait_for_postgres(options: &AnyConnectOptions) -> Result<(), sqlx::Error> {
    const PAUSE: Duration = Duration::from_millis(100);
    let ends = Instant::now() + START_TIMEOUT;
    loop {
        let connecting = AnyConnection::connect_with(options);
        let refused = match tokio::time::timeout_at(ends, connecting).await {
            Ok(Ok(connection)) => return connection.close().await,
            Ok(Err(refused)) => refused,
            Err(_elapsed) => {
                let late = std::io::Error::from(std::io::ErrorKind::TimedOut);
                return Err(sqlx::Error::Io(late));
            }
        };
        let may_be_starting = match &refused {
            sqlx::Error::Io(error) => error.kind() == std::io::ErrorKind::ConnectionRefused,
            // Postgres' `cannot_connect_now`.
            sqlx::Error::Database(error) => error.code().as_deref() == Some("57P03"),
            _ => false,
        };
        if !may_be_starting || Instant::now() + PAUSE >= ends {
            return Err(refused);
        }
        tokio::time::sleep(PAUSE).await;
    }
}

/// The path, percent-encoded for sqlx's address: `?`, `#`, `%` and spaces would otherwise end or change it.
fn percent_encoded(path: &Path) -> Result<String, StoreError> {
    let text = path.to_str().ok_or_else(|| {
        StoreError::Misconfigured(format!("the path {} is not valid UTF-8", path.display()))
    })?;
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"/._-~".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            encoded.push_str(&format!("%{byte:02X}"));
        }
    }
    Ok(encoded)
}

#[cfg(test)]
#[path = "database_tests.rs"]
mod tests;

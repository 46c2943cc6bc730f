//! Opening the database and handing out connections. SQLite has one writer and many readers; Postgres one pool for both.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use sqlx::any::{AnyConnectOptions, AnyPoolOptions};
use sqlx::pool::PoolConnection;
use sqlx::{Any, AnyConnection, AnyPool, Connection as _, Transaction};
use tokio::sync::Notify;
use tokio::time::Instant;

use crate::StoreError;
use crate::documents::{Bell, Lives};

/// Which database an instance lives in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// A SQLite file, made when missing.
    File(PathBuf),
    /// A Postgres address, `postgres://…`.
    Postgres(String),
}

/// The database in use, for the few places that must know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Backend {
    /// SQLite.
    Sqlite,
    /// Postgres.
    Postgres,
}

impl Backend {
    /// The name a person knows.
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
    backend: Backend,
    /// Wakes the sealer of the audit chain when an entry was committed.
    pub(crate) audit_written: Arc<Notify>,
    /// The address to listen at for what other nodes announce.
    pub(crate) postgres: Option<Arc<str>>,
    pub(crate) bell: Bell,
    pub(crate) lives: Arc<Lives>,
    /// When a caller last waited for a connection to Postgres in vain; nothing once one was had again.
    missed_at: Arc<Mutex<Option<Instant>>>,
}

/// A writing transaction. Dropped without `commit`, it leaves nothing.
pub(crate) type Write = Transaction<'static, Any>;
/// A reading transaction: all its statements see the database as of one moment.
pub(crate) type ReadTransaction = Transaction<'static, Any>;

const READERS: u32 = 4;
const POSTGRES_CONNECTIONS: u32 = 16;
/// How long a caller waits for a connection to SQLite, that is, for those who write before it.
const SQLITE_TIMEOUT: Duration = Duration::from_secs(10);
/// How long a caller waits for a connection to Postgres, which has many: one that is not there by then will not come.
const POSTGRES_TIMEOUT: Duration = Duration::from_millis(1500);
/// How long a start waits for a Postgres that starts at the same time.
const START_TIMEOUT: Duration = Duration::from_secs(10);
const WRITER_PRAGMAS: &str = "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL";

impl Store {
    /// Opens the database, brings its schema up to date and makes sure that there is a site.
    ///
    /// Opening again changes nothing. Two nodes may open one Postgres at the same time; a new SQLite file must be opened by
    /// one process at a time, which is for the caller to see to.
    pub async fn open(place: &Place) -> Result<Self, StoreError> {
        sqlx::any::install_default_drivers();
        let store = match place {
            Place::File(path) => open_sqlite(path).await?,
            Place::Postgres(address) => open_postgres(address).await?,
        };
        sqlx::migrate!("./migrations").run(&store.writer).await?;
        store.ensure_a_site().await?;
        Ok(store)
    }

    /// The database in use.
    pub fn backend(&self) -> Backend {
        self.backend
    }

    /// Waits for running statements and closes every connection; SQLite folds its log into the file.
    pub async fn close(&self) {
        self.bell.close();
        self.reader.close().await;
        self.writer.close().await;
    }

    pub(crate) fn reader(&self) -> &AnyPool {
        &self.reader
    }

    /// Several statements that must agree with each other, such as a snapshot and the entries since.
    pub(crate) async fn read(&self) -> Result<ReadTransaction, StoreError> {
        let begin = match self.backend {
            Backend::Sqlite => "BEGIN",
            Backend::Postgres => "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
        };
        Ok(self.reader.begin_with(begin).await?)
    }

    pub(crate) async fn write(&self) -> Result<Write, StoreError> {
        let begin = match self.backend {
            // A deferred transaction that reads first could lose its snapshot to another process before it writes.
            Backend::Sqlite => "BEGIN IMMEDIATE",
            Backend::Postgres => "BEGIN",
        };
        self.unless_missed()?;
        self.note(self.writer.begin_with(begin).await)
    }

    /// A connection to read with.
    pub(crate) async fn connection(&self) -> Result<PoolConnection<Any>, StoreError> {
        self.unless_missed()?;
        self.note(self.reader.acquire().await)
    }

    /// Refuses at once while Postgres is away. Callers that queue for one site would otherwise find that out one after the other,
    /// each in its full time.
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

    /// Remembers whether a connection could be had.
    fn note<T>(&self, acquired: Result<T, sqlx::Error>) -> Result<T, StoreError> {
        let missed = match &acquired {
            Err(sqlx::Error::PoolTimedOut) if self.backend == Backend::Postgres => {
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
    // Readers connect after the writer, which makes the file and its log.
    let reader = sqlite_pool(path, "ro", READERS, "PRAGMA query_only = ON").await?;
    Ok(Store {
        reader,
        writer,
        backend: Backend::Sqlite,
        audit_written: Arc::default(),
        postgres: None,
        bell: Bell::default(),
        lives: Arc::default(),
        missed_at: Arc::default(),
    })
}

/// Makes the file before SQLite does, so that nobody else on the machine can read it; the log beside it takes after it.
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

/// Whether a connection may go back to its pool. SQLite ends a transaction by itself when the disk is full or fails; the rollback
/// of sqlx then finds none and fails, and sqlx believes for good that a transaction is open and refuses to begin another one. Such a
/// connection is closed, and the pool opens a new one.
async fn has_no_transaction(connection: &mut AnyConnection) -> Result<bool, sqlx::Error> {
    if !connection.is_in_transaction() {
        return Ok(true);
    }
    // A transaction that was dropped is rolled back by the connection's thread, which answers after that.
    connection.ping().await?;
    Ok(!connection.is_in_transaction())
}

/// Opens the file once before a pool does. A pool would try for ten seconds to open a file that is damaged; and the time that a
/// slow disk needs to turn a new file into one with a log counts as waiting for a connection, so that a start on a busy machine
/// would fail.
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

/// Why a file of SQLite could not be opened. SQLite makes files beside it, and says that they cannot be opened or read when the disk
/// is full, so that is looked at here.
fn unusable_file(path: &Path, error: sqlx::Error) -> StoreError {
    let scratch = path.with_extension("db-space");
    let source = match std::fs::write(&scratch, [0; 64 * 1024]) {
        Err(full) if full.kind() == std::io::ErrorKind::StorageFull => Some(full),
        Err(_) | Ok(()) => None,
    };
    // Not there when it could not be made; a rest of it does no harm.
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
    // sqlx would take the address of another database it knows, which the rest of us would take for Postgres.
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
        .connect_with(options)
        .await?;
    Ok(Store {
        reader: pool.clone(),
        writer: pool,
        backend: Backend::Postgres,
        audit_written: Arc::default(),
        postgres: Some(address.into()),
        bell: Bell::default(),
        lives: Arc::default(),
        missed_at: Arc::default(),
    })
}

/// Waits until a connection can be made. The last refusal is the reason why none could.
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

/// The path as sqlx wants it in an address: `?`, `#`, `%` and blanks would otherwise end or change it.
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

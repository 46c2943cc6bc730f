//! What one SQL text costs: the store through sqlx's `Any` against the same statements on sqlx's typed SQLite pool, in one
//! process, on one disk, taking turns so that noise hits both. Prints a JSON object per measure for `cargo xtask bench`.

#![expect(
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a benchmark that cannot run has failed, and it prints"
)]

use std::time::{Duration, Instant};

use sitewright_store::{NewToken, Place, Stamp, Store, Timestamp, TokenKind, TokenSecret};
use sitewright_tool::CapabilitySet;
use sqlx::Row as _;
use sqlx::sqlite::{
    SqliteConnectOptions, SqliteJournalMode, SqlitePool, SqlitePoolOptions, SqliteSynchronous,
};

const ROUNDS: usize = 2_000;

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .expect("a runtime");
    runtime.block_on(measure());
}

async fn measure() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = Store::open(&Place::File(folder.path().join("store.db")))
        .await
        .expect("a store");
    let bare = bare_pool(&folder.path().join("bare.db")).await;
    let site = store.sites().await.expect("sites").remove(0).id;
    let (secret, token) = store
        .create_token(new_token(&site), &Stamp::local(Timestamp::now()))
        .await
        .expect("a token");
    store
        .token(&secret, Timestamp::now())
        .await
        .expect("a first use");
    bare_write(&bare, "known").await;

    let mut reads = Pair::default();
    let mut commits = Pair::default();
    for round in 0..ROUNDS {
        reads.product.push(timed(read(&store, &secret)).await);
        reads.baseline.push(timed(bare_read(&bare)).await);
        let by = Stamp::local(Timestamp::now());
        commits.product.push(
            timed(async {
                store
                    .create_token(new_token(&token.site), &by)
                    .await
                    .map(drop)
                    .expect("a token")
            })
            .await,
        );
        commits
            .baseline
            .push(timed(bare_write(&bare, &round.to_string())).await);
    }
    reads.print("one row by its key");
    commits.print("a commit of two rows");
}

fn new_token(site: &sitewright_store::SiteId) -> NewToken<'_> {
    NewToken {
        site,
        name: "bench",
        kind: TokenKind::Script,
        capabilities: CapabilitySet::all(),
        maker: None,
        parent: None,
        expires_at: None,
    }
}

async fn read(store: &Store, secret: &TokenSecret) {
    store
        .token(secret, Timestamp::now())
        .await
        .expect("a read")
        .expect("a token");
}

async fn bare_pool(path: &std::path::Path) -> SqlitePool {
    let options = SqliteConnectOptions::new()
        .filename(path)
        .create_if_missing(true)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Full);
    let pool = SqlitePoolOptions::new()
        .max_connections(1)
        .test_before_acquire(false)
        .connect_with(options)
        .await
        .expect("a pool");
    let schema = "CREATE TABLE tokens (secret_hash TEXT PRIMARY KEY, a TEXT, b TEXT, c TEXT, d TEXT, e BIGINT); \
                  CREATE TABLE audit (id TEXT PRIMARY KEY, a TEXT, b TEXT, c TEXT, d BIGINT)";
    sqlx::raw_sql(schema)
        .execute(&pool)
        .await
        .expect("a schema");
    pool
}

async fn bare_read(pool: &SqlitePool) {
    let row = sqlx::query("SELECT * FROM tokens WHERE secret_hash = $1")
        .bind("known")
        .fetch_one(pool)
        .await
        .expect("a row");
    let _fields: (String, String, i64) = (row.get("a"), row.get("d"), row.get("e"));
}

async fn bare_write(pool: &SqlitePool, key: &str) {
    let mut write = pool.begin().await.expect("a transaction");
    let capabilities = "x".repeat(300);
    for statement in [
        "INSERT INTO tokens VALUES ($1, $2, $3, $4, $5, $6)",
        "INSERT INTO audit VALUES ($1, $2, $3, $4, $6)",
    ] {
        let query = sqlx::query(statement)
            .bind(key)
            .bind("main")
            .bind("bench")
            .bind(&capabilities)
            .bind("script")
            .bind(1_i64);
        query.execute(&mut *write).await.expect("a row");
    }
    write.commit().await.expect("a commit");
}

async fn timed(work: impl Future<Output = ()>) -> Duration {
    let started = Instant::now();
    work.await;
    started.elapsed()
}

#[derive(Default)]
struct Pair {
    product: Vec<Duration>,
    baseline: Vec<Duration>,
}

impl Pair {
    fn print(mut self, measure: &str) {
        let median = |times: &mut Vec<Duration>| {
            times.sort_unstable();
            times[times.len() / 2].as_secs_f64() * 1e6
        };
        let (product, baseline) = (median(&mut self.product), median(&mut self.baseline));
        let line = serde_json::json!({ "measure": measure, "productMicros": product, "baselineMicros": baseline });
        println!("{line}");
    }
}

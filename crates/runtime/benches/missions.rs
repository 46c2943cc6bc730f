//! What it costs that missions are durable. Prints a JSON object per measure for `cargo xtask bench`.

#![expect(
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a benchmark that cannot run has failed, and it prints"
)]

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use sitewright_runtime::{
    Attempt, Call, Failure, Outside, Pipeline, Registry, Tool, ToolOutput, ToolSource, mission_tool,
};
use sitewright_site::Author;
use sitewright_store::{Committer, Place, SiteId, Stamp, Store, Timestamp};
use sitewright_testkit::postgres::Postgres;
use sitewright_tool::{CapabilitySet, Definition, ToolManifest};
use sqlx::postgres::PgPool;
use sqlx::sqlite::{
    SqliteConnectOptions, SqliteJournalMode, SqlitePool, SqlitePoolOptions, SqliteSynchronous,
};

const ROUNDS: usize = 60;
const LEGS: usize = 5;
const AT_ONCE: usize = 200;

enum Bare {
    Sqlite(SqlitePool),
    Postgres(PgPool),
}

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .expect("a runtime");
    let folder = tempfile::tempdir().expect("a folder");
    let file = Place::File(folder.path().join("bench.db"));
    runtime.block_on(async {
        let bare = Bare::Sqlite(bare_sqlite(&folder.path().join("bare.db")).await);
        measure("SQLite", &file, bare).await;
    });
    if let Some(postgres) = sitewright_testkit::unless_missing(Postgres::shared()) {
        let (product, baseline) = (postgres.create_database(), postgres.create_database());
        let place = Place::Postgres(product.url.clone());
        runtime.block_on(async {
            let pool = PgPool::connect(&baseline.url).await.expect("a database");
            measure("Postgres", &place, Bare::Postgres(pool)).await;
        });
    }
}

async fn measure(name: &str, place: &Place, bare: Bare) {
    let store = Store::open(place).await.expect("a store");
    let pipeline = Pipeline::new(store.clone(), Registry::built_in());
    let manifest = json!({
        "name": "book", "description": "Books.", "inputSchema": { "type": "object" }, "outputSchema": {}, "capability": "write",
        "timeoutMs": 60_000, "retryPolicy": { "maxAttempts": 1 }, "idempotent": false,
    });
    let manifest: ToolManifest = serde_json::from_value(manifest).expect("a manifest");
    let tools = pipeline.tools();
    let book = Tool::new(Definition::imported(manifest), Book);
    tools.register(ToolSource::File, book).expect("a free name");
    tools
        .register(ToolSource::BuiltIn, mission_tool(&pipeline))
        .expect("a free name");
    bare.prepare().await;
    run(&pipeline, true).await;
    steps(name, &pipeline, &bare).await;
    at_once(name, &pipeline, &bare).await;
    pipeline.close().await;
    store.close().await;
}

/// What a mission adds to each of its calls, and what such a leg takes altogether, against a bare commit, turn about.
async fn steps(name: &str, pipeline: &Pipeline, bare: &Bare) {
    let (mut missions, mut calls, mut commits) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        missions.push(timed(run(pipeline, true)).await);
        calls.push(timed(call_alone(pipeline)).await);
        for _ in 0..LEGS {
            commits.push(timed(bare.commit()).await);
        }
    }
    #[expect(clippy::cast_precision_loss, reason = "five legs")]
    let legs = LEGS as f64;
    let (leg, call) = (micros(&mut missions) / legs, micros(&mut calls) / legs);
    let commit = micros(&mut commits);
    let (added, ratio) = (leg - call, (leg - call) / commit);
    print(
        &format!("what a mission adds to a call on {name}, against a bare commit"),
        (format!("{added:.0} µs"), format!("{commit:.0} µs"), ratio),
        json!({ "text": format!("at most 2.5 bare commits, found {ratio:.2}"), "met": ratio <= 2.5 }),
    );
    print(
        &format!("a whole leg on {name}, its call included, against a bare commit"),
        (
            format!("{leg:.0} µs"),
            format!("{commit:.0} µs"),
            leg / commit,
        ),
        Value::Null,
    );
}

/// The calls of a mission's legs, made one by one without a mission.
async fn call_alone(pipeline: &Pipeline) {
    for leg in 0..LEGS {
        let site = SiteId::from("main".to_owned());
        let call = Call {
            is_confirmed: true,
            ..Call::new(site, "book", json!({ "what": leg }), caller())
        };
        let reply = pipeline.call(call).await;
        assert!(reply.error().is_none(), "{reply:?}");
    }
}

/// Many missions at the same time against as many bare commits, one after the other.
async fn at_once(name: &str, pipeline: &Pipeline, bare: &Bare) {
    let started = Instant::now();
    let missions = (0..AT_ONCE).map(|_| run(pipeline, false));
    futures_util::future::join_all(missions).await;
    let product = started.elapsed();
    let started = Instant::now();
    for _ in 0..AT_ONCE * LEGS * 4 {
        bare.commit().await;
    }
    let baseline = started.elapsed();
    let ratio = product.as_secs_f64() / baseline.as_secs_f64();
    print(
        &format!("200 missions of 5 legs at once on {name}, against 4,000 bare commits"),
        (seconds(product), seconds(baseline), ratio),
        Value::Null,
    );
}

/// Runs a mission of five legs, which all succeed.
async fn run(pipeline: &Pipeline, one_by_one: bool) {
    let legs: Vec<Value> = (0..LEGS)
        .map(|leg| {
            let dependencies: Vec<String> = match leg.checked_sub(1) {
                Some(before) if one_by_one => vec![format!("leg{before}")],
                _ => Vec::new(),
            };
            json!({ "id": format!("leg{leg}"), "tool": "book", "arguments": { "what": leg }, "dependencies": dependencies })
        })
        .collect();
    let site = SiteId::from("main".to_owned());
    let call = Call {
        is_confirmed: true,
        ..Call::new(site, "mission.run", json!({ "legs": legs }), caller())
    };
    let reply = pipeline.call(call).await;
    assert!(reply.error().is_none(), "{reply:?}");
}

fn caller() -> Committer {
    Committer::new(
        Author::Local,
        CapabilitySet::all(),
        Stamp::local(Timestamp::now()),
    )
}

async fn timed(work: impl Future<Output = ()>) -> Duration {
    let started = Instant::now();
    work.await;
    started.elapsed()
}

struct Book;

impl Outside for Book {
    type Input = Value;
    type Data = Value;

    async fn run(&self, input: Value, _: Attempt<'_>) -> Result<ToolOutput, Failure> {
        Ok(json!({ "booked": input["what"] }).into())
    }
}

impl Bare {
    async fn prepare(&self) {
        let sql = "CREATE TABLE bare (id BIGINT PRIMARY KEY, body TEXT NOT NULL)";
        let row = "INSERT INTO bare (id, body) VALUES (1, '')";
        match self {
            Self::Sqlite(pool) => {
                sqlx::query(sql).execute(pool).await.expect("a table");
                sqlx::query(row).execute(pool).await.expect("a row");
            }
            Self::Postgres(pool) => {
                sqlx::query(sql).execute(pool).await.expect("a table");
                sqlx::query(row).execute(pool).await.expect("a row");
            }
        }
    }

    async fn commit(&self) {
        let sql = "UPDATE bare SET body = $1 WHERE id = 1";
        let body = "x".repeat(2_000);
        match self {
            Self::Sqlite(pool) => {
                let written = sqlx::query(sql).bind(body).execute(pool).await;
                written.expect("a commit");
            }
            Self::Postgres(pool) => {
                let written = sqlx::query(sql).bind(body).execute(pool).await;
                written.expect("a commit");
            }
        }
    }
}

async fn bare_sqlite(path: &std::path::Path) -> SqlitePool {
    let options = SqliteConnectOptions::new()
        .filename(path)
        .create_if_missing(true)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Full);
    let pool = SqlitePoolOptions::new().max_connections(1);
    pool.connect_with(options).await.expect("a database")
}

fn micros(times: &mut [Duration]) -> f64 {
    times.sort_unstable();
    times[times.len() / 2].as_secs_f64() * 1e6
}

fn seconds(time: Duration) -> String {
    format!("{:.2} s", time.as_secs_f64())
}

fn print(measure: &str, (product, baseline, ratio): (String, String, f64), target: Value) {
    println!(
        "{}",
        json!({ "measure": measure, "product": product, "baseline": baseline, "ratio": ratio, "target": target })
    );
}

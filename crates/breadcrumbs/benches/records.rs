//! From publishing a record to reading the answer of its request, with many records in the database. Prints a JSON object per measure for
//! `cargo xtask bench`. An argument sets how many records there are.

#![expect(
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a benchmark that cannot run has failed, and it prints"
)]

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use sitewright_agent::{Agent, Models};
use sitewright_breadcrumbs::{
    BreadcrumbCaller, BreadcrumbParts, Breadcrumbs, NewRecord, breadcrumb_tools,
};
use sitewright_egress::{AllowList, Egress, EgressPolicy, Limits};
use sitewright_llm::Refresh;
use sitewright_runtime::{Pipeline, Registry, ToolSource};
use sitewright_site::Author;
use sitewright_store::{Committer, KeySource, Place, Secrets, SiteId, Stamp, Store, Timestamp};
use sitewright_tool::CapabilitySet;
use sqlx::sqlite::{
    SqliteConnectOptions, SqliteJournalMode, SqlitePool, SqlitePoolOptions, SqliteSynchronous,
};

const RECORDS: usize = 100_000;
const RUNS: usize = 500;

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .expect("a runtime");
    let given = std::env::args().find_map(|argument| argument.parse().ok());
    runtime.block_on(measure(given.unwrap_or(RECORDS)));
}

struct Bench {
    store: Store,
    breadcrumbs: Breadcrumbs,
    site: SiteId,
}

impl Bench {
    async fn open(folder: &std::path::Path) -> Self {
        let place = Place::File(folder.join("bench.db"));
        let store = Store::open(&place).await.expect("a store");
        let key = KeySource::File(folder.join("secret.key"));
        let secrets = Secrets::open(&store, &key).await.expect("a key");
        let policy = EgressPolicy {
            allow: AllowList::default(),
        };
        let egress = Egress::new(policy, Limits::default()).expect("a client");
        let models = Models::new(store.clone(), secrets.clone(), egress, Refresh::Off);
        let pipeline = Pipeline::new(store.clone(), Registry::built_in());
        let everybody = Arc::new(|_: &SiteId, _: &ToolSource, _: &str| true);
        let agent = Agent::new(store.clone(), pipeline.clone(), models, everybody);
        let breadcrumbs = Breadcrumbs::new(BreadcrumbParts {
            store: store.clone(),
            secrets,
            pipeline: pipeline.clone(),
            agent: agent.clone(),
        });
        for tool in breadcrumb_tools(&breadcrumbs, agent.models()) {
            let registered = pipeline.tools().register(ToolSource::BuiltIn, tool);
            registered.expect("a free name");
        }
        let site = store.sites().await.expect("sites").remove(0).id;
        Self {
            store,
            breadcrumbs,
            site,
        }
    }

    fn caller(&self) -> BreadcrumbCaller {
        let by = Stamp::local(Timestamp::now());
        BreadcrumbCaller {
            site: self.site.clone(),
            committer: Committer::new(Author::Local, CapabilitySet::all(), by),
            person: None,
            session: "bench".to_owned(),
        }
    }

    async fn create(&self, record: Value) {
        let record: NewRecord = serde_json::from_value(record).expect("a record");
        let created = self.breadcrumbs.create(&self.caller(), record, None).await;
        created.expect("a record");
    }

    /// Publishes a record and waits for the answer as a client of the stream does.
    async fn answer(&self, number: usize) -> Duration {
        let mut wake = self.store.wake_for_breadcrumbs(&self.site);
        let mut last = self.last().await;
        let begun = Instant::now();
        self.create(json!({
            "schema_name": "agent.response.v1", "title": "Response", "tags": ["session:bench"],
            "context": { "tool_requests": [
                { "tool": "echo", "input": { "message": number }, "requestId": "echo-1", "return_to_llm": false },
            ] },
        }))
        .await;
        loop {
            let events = self.breadcrumbs.events(&self.caller(), last, 100).await;
            let events = events.expect("events").expect("all of them");
            if events
                .iter()
                .any(|event| event.schema_name == "tool.response.v1")
            {
                return begun.elapsed();
            }
            last = events.last().map_or(last, |event| event.seq);
            wake.changed().await;
        }
    }

    async fn last(&self) -> i64 {
        let last = self.store.last_breadcrumb_event(&self.site).await;
        last.expect("a number")
    }
}

async fn bare_pool(path: &std::path::Path) -> SqlitePool {
    let options = SqliteConnectOptions::new()
        .filename(path)
        .create_if_missing(true)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Full);
    let pool = SqlitePoolOptions::new().max_connections(1);
    let pool = pool.connect_with(options).await.expect("a pool");
    sqlx::query("CREATE TABLE records (id INTEGER PRIMARY KEY, body TEXT NOT NULL)")
        .execute(&pool)
        .await
        .expect("a table");
    pool
}

/// A yardstick for the disk: four commits, whatever number the product makes.
async fn bare_commits(pool: &SqlitePool) -> Duration {
    let begun = Instant::now();
    for _ in 0..4 {
        sqlx::query("INSERT INTO records (body) VALUES ($1)")
            .bind("x".repeat(500))
            .execute(pool)
            .await
            .expect("a commit");
    }
    begun.elapsed()
}

async fn measure(records: usize) {
    let folder = tempfile::tempdir().expect("a folder");
    let bench = Bench::open(folder.path()).await;
    for number in 0..records {
        bench
            .create(json!({
                "schema_name": "note.v1", "title": format!("Note {number}"), "tags": ["note", format!("batch:{}", number % 100)],
                "context": { "number": number, "text": "Some words of an ordinary note, a line long." },
            }))
            .await;
    }
    let bare = bare_pool(&folder.path().join("bare.db")).await;
    let (mut times, mut commits) = (Vec::with_capacity(RUNS), Vec::with_capacity(RUNS));
    for number in 0..RUNS {
        times.push(bench.answer(number).await);
        commits.push(bare_commits(&bare).await);
    }
    times.sort_unstable();
    commits.sort_unstable();
    for (name, part) in [("p50", RUNS / 2), ("p99", RUNS * 99 / 100)] {
        let [time, commit] = [&times, &commits].map(|all| all[part].as_secs_f64() * 1e3);
        let mut line = json!({
            "measure": format!("publish to response with {records} records, {name}"), "product": format!("{time:.2} ms"),
            "baseline": format!("{commit:.2} ms"), "ratio": time / commit,
        });
        if name == "p50" {
            line["target"] =
                json!({ "text": format!("under 5 ms, found {time:.2}"), "met": time < 5.0 });
        }
        println!("{line}");
    }
    bench.breadcrumbs.close().await;
    bench.store.close().await;
}

//! A process that dies at each durable boundary of a mission of five legs, forward and while it rolls back: afterwards every booking is
//! kept by a completed mission, cancelled, or listed, and none was made twice.
//!
//! The test runs its own program again as the process that dies. That one counts what the pipeline tells of its stages and aborts at
//! the one it is to die at, which is as sudden as being killed.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};
use sitewright_runtime::{Call, Pipeline, Registry, ToolSource, mission_tool};
use sitewright_store::{Place, Store, Timestamp};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

use crate::agency::{Agency, connect_agency};
use crate::stage::{Fresh, Stage, call, keyed, local, main_site};

const BOUNDARY: &str = "SITEWRIGHT_TEST_MISSION_DIES_AT";
const DATABASE: &str = "SITEWRIGHT_TEST_MISSION_DATABASE";
const EFFECTS: &str = "SITEWRIGHT_TEST_MISSION_EFFECTS";
/// More boundaries than a mission of five legs has.
const BOUNDARIES_MAX: usize = 200;

/// Aborts at the n-th boundary.
struct AbortAtCount {
    left: AtomicUsize,
}

impl Subscriber for AbortAtCount {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        ["sitewright::call", "sitewright::mission"].contains(&metadata.target())
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}

    fn event(&self, _: &Event<'_>) {
        if self.left.fetch_sub(1, Ordering::SeqCst) == 1 {
            std::process::abort();
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum End {
    Completes,
    RollsBack,
}

fn trip(end: End) -> Call {
    let leg = |id: &str, tool: &str, behaviour: &str, dependencies: &[&str]| json!({ "id": id, "tool": tool, "arguments": { "what": id, "behaviour": behaviour }, "dependencies": dependencies });
    let last = match end {
        End::Completes => leg("e", "book", "", &["d"]),
        End::RollsBack => leg("e", "book_by_key", "lost", &["d"]),
    };
    let legs = [
        leg("a", "book", "", &[]),
        leg("b", "book_by_key", "", &[]),
        leg("c", "book_safely", "lost", &["a"]),
        leg("d", "book", "", &["b", "c"]),
        last,
    ];
    let trip = call("mission.run", json!({ "legs": legs }), &local());
    keyed(
        "trip",
        Call {
            is_confirmed: true,
            ..trip
        },
    )
}

async fn opened(place: &Place, effects: PathBuf) -> anyhow::Result<(Store, Pipeline, Arc<Agency>)> {
    let store = Store::open(place).await?;
    let pipeline = Pipeline::new(store.clone(), Registry::built_in());
    let agency = Arc::new(Agency::in_file(effects));
    connect_agency(&pipeline, &agency)?;
    pipeline
        .tools()
        .register(ToolSource::BuiltIn, mission_tool(&pipeline))?;
    Ok((store, pipeline, agency))
}

/// The process that dies. Run by itself it does nothing.
#[test]
#[expect(
    clippy::disallowed_methods,
    reason = "the parent tells its child what to do"
)]
fn dies_at_the_boundary_it_is_told() {
    let Ok(boundary) = std::env::var(BOUNDARY) else {
        return;
    };
    let (count, end) = boundary.split_once(' ').expect("a number and an end");
    let left = AtomicUsize::new(count.parse().expect("a number"));
    tracing::subscriber::set_global_default(AbortAtCount { left }).expect("one listener");
    let database = std::env::var(DATABASE).expect("a database");
    let effects = PathBuf::from(std::env::var(EFFECTS).expect("a file"));
    let place = match database.starts_with("postgres") {
        true => Place::Postgres(database),
        false => Place::File(database.into()),
    };
    let end = match end {
        "Completes" => End::Completes,
        _ => End::RollsBack,
    };
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(async {
        let (_, pipeline, _) = opened(&place, effects).await.expect("an instance");
        pipeline.call(trip(end)).await;
    });
    std::process::exit(3);
}

/// Lets a process die at a boundary and goes on with what it left. Returns false if the mission has no such boundary.
async fn survives(fresh: &Fresh, boundary: usize, end: End) -> anyhow::Result<bool> {
    let folder = tempfile::tempdir()?;
    let effects = folder.path().join("effects");
    let database = match &fresh.place {
        Place::File(path) => path.display().to_string(),
        Place::Postgres(url) => url.clone(),
    };
    let died = Command::new(std::env::current_exe()?)
        .args([
            "--exact",
            "mission_crash::dies_at_the_boundary_it_is_told",
            "--nocapture",
        ])
        .env(BOUNDARY, format!("{boundary} {end:?}"))
        .env(DATABASE, database)
        .env(EFFECTS, &effects)
        .output()?;
    let (store, pipeline, agency) = opened(&fresh.place, effects).await?;
    pipeline.resume().await?;
    // With Postgres, leases of a process that died run out first.
    let later = Timestamp::now().after(std::time::Duration::from_secs(3600));
    pipeline.tend(later).await?;
    pipeline.taken_over_calls_ended().await;
    let mut last = json!({ "state": "none", "legs": [], "residuals": [] });
    for mission in pipeline.missions(&main_site(), None, 10).await? {
        let id = mission.outcome["missionId"]
            .as_str()
            .unwrap_or_default()
            .to_owned();
        last = pipeline.resume_mission(&main_site(), &id).await?.outcome;
    }
    let context = format!("{end:?}, boundary {boundary}: {last}\n{:#?}", agency.all());
    check(&last, &agency, &context);
    pipeline.close().await;
    store.close().await;
    Ok(died.status.code() != Some(3))
}

fn check(mission: &Value, agency: &Agency, context: &str) {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for line in agency.all() {
        *counts.entry(line).or_default() += 1;
    }
    assert!(
        counts.values().all(|count| *count == 1),
        "something was done twice: {context}"
    );
    let kept = agency.kept();
    match mission["state"].as_str() {
        Some("completed") => assert_eq!(kept, ["a", "b", "c", "d", "e"], "{context}"),
        Some("rolled_back") => assert_eq!(kept, [""; 0], "{context}"),
        Some("rolled_back_with_residuals") => {
            let residuals = mission["residuals"].as_array().into_iter().flatten();
            let residuals: Vec<&str> = residuals
                .filter_map(|residual| residual["leg"].as_str())
                .collect();
            for what in &kept {
                assert!(
                    residuals.contains(&what.as_str()),
                    "{what} is lost: {context}"
                );
            }
        }
        // The process died before anything was stored.
        Some("none") => assert_eq!(kept, [""; 0], "{context}"),
        other => assert_eq!(
            other,
            Some("completed"),
            "the mission is not over: {context}"
        ),
    }
}

fn sweep(fresh: fn() -> Option<Fresh>, end: End, every: usize) {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    for boundary in (1..BOUNDARIES_MAX).step_by(every) {
        let Some(fresh) = fresh() else { return };
        let prepared = runtime.block_on(Stage::open(fresh)).expect("an instance");
        runtime.block_on(async {
            prepared.pipeline.close().await;
            prepared.store.close().await;
        });
        let survived = runtime.block_on(survives(&prepared.fresh, boundary, end));
        if !survived.expect("the test") {
            assert!(boundary > 20, "there were only {boundary} boundaries");
            return;
        }
        assert!(
            boundary + every < BOUNDARIES_MAX,
            "the mission has more boundaries than are tried"
        );
    }
}

#[test]
fn a_death_on_the_way_forward_loses_nothing_on_sqlite() {
    sweep(Fresh::sqlite, End::Completes, 1);
}

#[test]
fn a_death_while_rolling_back_loses_nothing_on_sqlite() {
    sweep(Fresh::sqlite, End::RollsBack, 1);
}

#[test]
fn a_death_on_the_way_forward_loses_nothing_on_postgres() {
    sweep(Fresh::postgres, End::Completes, 3);
}

#[test]
fn a_death_while_rolling_back_loses_nothing_on_postgres() {
    sweep(Fresh::postgres, End::RollsBack, 3);
}

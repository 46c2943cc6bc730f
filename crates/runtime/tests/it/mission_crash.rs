//! A process that dies at each durable boundary of a mission of five legs, forward and while it rolls back: afterwards every booking is
//! kept by a completed mission, cancelled, or listed, and none was made twice.
//!
//! The test runs its own program again as the process that dies. That one counts what the pipeline tells of its stages and aborts at
//! the one it is to die at, which is as sudden as being killed.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;

use serde_json::{Value, json};
use sitewright_runtime::{Call, CardDecision, Pipeline, Registry, ToolSource, mission_tool};
use sitewright_store::{CallFilter, CallState, DatabaseKind, Place, Store, Timestamp};
use sitewright_testkit::{AbortAt, FreshDatabase};

use crate::agency::{Agency, connect_agency};
use crate::stage::{EVERYONE, Stage, ana, call, keyed, local, main_site};

const BOUNDARY: &str = "SITEWRIGHT_TEST_MISSION_DIES_AT";
const DATABASE: &str = "SITEWRIGHT_TEST_MISSION_DATABASE";
const EFFECTS: &str = "SITEWRIGHT_TEST_MISSION_EFFECTS";
/// More boundaries than a mission of five legs has.
const BOUNDARIES_MAX: usize = 200;

#[derive(Debug, Clone, Copy, PartialEq)]
enum End {
    Completes,
    RollsBack,
    /// The last leg asks again, and a person approves it.
    Approved,
}

fn trip(end: End) -> Call {
    let leg = |id: &str, tool: &str, behaviour: &str, dependencies: &[&str]| json!({ "id": id, "tool": tool, "arguments": { "what": id, "behaviour": behaviour }, "dependencies": dependencies });
    let last = match end {
        End::Completes => leg("e", "book", "", &["d"]),
        End::RollsBack => leg("e", "book_by_key", "lost", &["d"]),
        End::Approved => {
            let mut last = leg("e", "book_confirmed", "", &["d"]);
            last["arguments"]["price"] = json!("${d.booking}");
            last
        }
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
    let count = count.parse().expect("a number");
    AbortAt::count(&["sitewright::call", "sitewright::mission"], count);
    let database = std::env::var(DATABASE).expect("a database");
    let effects = PathBuf::from(std::env::var(EFFECTS).expect("a file"));
    let place = Place::at(&database);
    let end = match end {
        "Completes" => End::Completes,
        "Approved" => End::Approved,
        _ => End::RollsBack,
    };
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(async {
        let (store, pipeline, _) = opened(&place, effects).await.expect("an instance");
        pipeline.call(trip(end)).await;
        if end == End::Approved {
            approve_and_go_on(&store, &pipeline)
                .await
                .expect("an approval");
        }
    });
    std::process::exit(3);
}

/// Approves what waits, and goes on with the missions.
async fn approve_and_go_on(store: &Store, pipeline: &Pipeline) -> anyhow::Result<Value> {
    let calls = store
        .calls(&main_site(), CallFilter::default(), 100)
        .await?;
    for call in calls {
        if call.life.state == CallState::Waiting {
            let place = (&main_site(), call.id.as_str());
            pipeline.decide(place, CardDecision::Yes, &ana()).await?;
        }
    }
    let mut last = json!({ "state": "none", "legs": [], "residuals": [] });
    for mission in pipeline.missions(&main_site(), EVERYONE).await? {
        let id = mission.outcome["missionId"]
            .as_str()
            .unwrap_or_default()
            .to_owned();
        last = pipeline.resume_mission(&main_site(), &id).await?.outcome;
    }
    Ok(last)
}

/// How a process ended.
struct Death {
    /// False if the mission has no such boundary.
    was_sudden: bool,
    /// Whether a leg waited for its approval.
    was_waiting: bool,
}

/// Lets a process die at a boundary and goes on with what it left.
async fn survives(fresh: &FreshDatabase, boundary: usize, end: End) -> anyhow::Result<Death> {
    let folder = tempfile::tempdir()?;
    let effects = folder.path().join("effects");
    let died = Command::new(std::env::current_exe()?)
        .args([
            "--exact",
            "mission_crash::dies_at_the_boundary_it_is_told",
            "--nocapture",
        ])
        .env(BOUNDARY, format!("{boundary} {end:?}"))
        .env(DATABASE, &fresh.address)
        .env(EFFECTS, &effects)
        .output()?;
    let (store, pipeline, agency) = opened(&Place::at(&fresh.address), effects).await?;
    let left = store
        .calls(&main_site(), CallFilter::default(), 100)
        .await?;
    let was_waiting = left
        .iter()
        .any(|call| call.life.state == CallState::Waiting);
    match store.backend() {
        DatabaseKind::Sqlite => pipeline.resume().await?,
        // Leases of a process that died run out first. Approvals do not within this time.
        DatabaseKind::Postgres => {
            let later = Timestamp::now().after(std::time::Duration::from_secs(1200));
            pipeline.tend(later).await?;
        }
    }
    pipeline.taken_over_calls_ended().await;
    // The first round may come to the leg that asks.
    approve_and_go_on(&store, &pipeline).await?;
    let last = approve_and_go_on(&store, &pipeline).await?;
    let context = format!("{end:?}, boundary {boundary}: {last}\n{:#?}", agency.all());
    check(&last, &agency, &context);
    if was_waiting {
        assert_eq!(last["state"], "completed", "{context}");
    }
    pipeline.close().await;
    store.close().await;
    Ok(Death {
        was_sudden: died.status.code() != Some(3),
        was_waiting,
    })
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

fn sweep(fresh: fn() -> Option<FreshDatabase>, end: End, every: usize) {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let mut waits = 0;
    // A mission that asks is the same as one that completes until it asks.
    let first = if end == End::Approved { 20 } else { 1 };
    for boundary in (first..BOUNDARIES_MAX).step_by(every) {
        let Some(fresh) = fresh() else { return };
        let prepared = runtime.block_on(Stage::open(fresh)).expect("an instance");
        runtime.block_on(async {
            prepared.pipeline.close().await;
            prepared.store.close().await;
        });
        let death = runtime.block_on(survives(&prepared.database, boundary, end));
        let death = death.expect("the test");
        waits += u32::from(death.was_waiting);
        if !death.was_sudden {
            assert!(boundary > 20, "there were only {boundary} boundaries");
            assert_eq!(
                waits > 0,
                end == End::Approved,
                "{waits} deaths while a leg waited"
            );
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
    sweep(FreshDatabase::sqlite, End::Completes, 1);
}

#[test]
fn a_death_while_rolling_back_loses_nothing_on_sqlite() {
    sweep(FreshDatabase::sqlite, End::RollsBack, 1);
}

#[test]
fn a_death_on_the_way_forward_loses_nothing_on_postgres() {
    sweep(FreshDatabase::postgres, End::Completes, 3);
}

#[test]
fn a_death_while_rolling_back_loses_nothing_on_postgres() {
    sweep(FreshDatabase::postgres, End::RollsBack, 3);
}

#[test]
fn a_death_around_an_approval_loses_nothing_on_sqlite() {
    sweep(FreshDatabase::sqlite, End::Approved, 2);
}

#[test]
fn a_death_around_an_approval_loses_nothing_on_postgres() {
    sweep(FreshDatabase::postgres, End::Approved, 2);
}

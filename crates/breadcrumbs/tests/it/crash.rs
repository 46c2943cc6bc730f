//! R5: a process that dies at any boundary of a record's requests leaves exactly one answer to each, once another goes on.
//!
//! The test runs its own program again as the process that dies. That one counts what the pipeline and the runner tell of their stages,
//! and aborts at the one it is told.

use std::path::Path;
use std::process::Command;

use anyhow::Result;
use sitewright_store::Place;
use sitewright_testkit::AbortAt;
use tokio::runtime::Runtime;

use crate::exactly_once::request_ids;
use crate::stage::{Node, World};

const BOUNDARY: &str = "SITEWRIGHT_TEST_BOUNDARY";
const DATABASE: &str = "SITEWRIGHT_TEST_DATABASE";
const REQUESTS: usize = 3;
/// More boundaries than a record with three requests has.
const BOUNDARIES_MAX: usize = 40;
/// The exit code of a process that reached the end.
const LIVED: i32 = 3;

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
    let boundary = boundary.parse().expect("a number");
    AbortAt::count(&["sitewright::call", "sitewright::breadcrumb"], boundary);
    let database = std::env::var(DATABASE).expect("a database");
    let runtime = Runtime::new().expect("a runtime");
    let lived = runtime.block_on(async {
        let world = World::new();
        world.gate.add_permits(2 * REQUESTS);
        let node = Node::open(&Place::File(database.into()), &world).await?;
        node.ask("slow", REQUESTS).await?;
        node.until_quiet().await
    });
    lived.expect("an answered record");
    std::process::exit(LIVED);
}

#[test]
fn a_death_at_any_boundary_leaves_one_answer_to_each_request() {
    let runtime = Runtime::new().expect("a runtime");
    for boundary in 1..BOUNDARIES_MAX {
        let folder = tempfile::tempdir().expect("a folder");
        let database = folder.path().join("sitewright.db");
        let died = die_at(boundary, &database).expect("a process");
        let gone_on = runtime.block_on(go_on(&database));
        let answers = gone_on.expect("an instance");
        assert_eq!(answers, ["r0", "r1", "r2"], "boundary {boundary}");
        if !died {
            // Each request is claimed, executed and called.
            assert!(boundary > 3 * REQUESTS, "only {boundary} boundaries");
            return;
        }
    }
    panic!("the record has more boundaries than are tried");
}

/// Whether a process died there; false if it has no such boundary.
fn die_at(boundary: usize, database: &Path) -> Result<bool> {
    let died = Command::new(std::env::current_exe()?)
        .args([
            "--exact",
            "crash::dies_at_the_boundary_it_is_told",
            "--nocapture",
        ])
        .env(BOUNDARY, boundary.to_string())
        .env(DATABASE, database)
        .output()?;
    Ok(died.status.code() != Some(LIVED))
}

/// The requests that have an answer after another process went on with what is there.
async fn go_on(database: &Path) -> Result<Vec<String>> {
    let world = World::new();
    world.gate.add_permits(2 * REQUESTS);
    let node = Node::open(&Place::File(database.to_owned()), &world).await?;
    node.pipeline.resume().await?;
    node.breadcrumbs.resume().await?;
    node.until_quiet().await?;
    let answers = node.answers().await?;
    node.close().await;
    Ok(request_ids(&answers))
}

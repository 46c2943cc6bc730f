//! Exactly one answer per request: after a restart, on several nodes, and when two processes work on one record.

use anyhow::Result;
use sitewright_store::Place;
use sitewright_testkit::Postgres;

use crate::stage::{Node, World};

pub(crate) fn request_ids(answers: &[sitewright_store::Breadcrumb]) -> Vec<String> {
    let ids = answers.iter();
    let mut ids: Vec<String> = ids
        .filter_map(|answer| answer.context["request_id"].as_str().map(str::to_owned))
        .collect();
    ids.sort();
    ids
}

/// A process that stops in the middle of a record leaves the rest to the next one.
#[tokio::test]
async fn requests_that_a_process_left_open_are_answered_after_a_restart() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let place = Place::File(folder.path().join("sitewright.db"));
    let world = World::new();
    let first = Node::open(&place, &world).await?;
    first.ask("slow", 3).await?;
    world.begun.acquire_many(3).await?.forget();
    world.gate.add_permits(1);
    first.until_answered(1).await?;
    first.close().await;
    let second = Node::open(&place, &world).await?;
    second.pipeline.resume().await?;
    second.breadcrumbs.resume().await?;
    world.gate.add_permits(10);
    let answers = second.until_answered(3).await?;
    second.until_quiet().await?;
    assert_eq!(request_ids(&answers), ["r0", "r1", "r2"]);
    assert_eq!(second.answers().await?.len(), 3);
    second.close().await;
    Ok(())
}

/// R5: nothing is lost or repeated, whoever else works on the same record at the same time.
#[tokio::test]
async fn two_nodes_that_take_the_same_record_answer_it_once() -> Result<()> {
    let Some(postgres) = sitewright_testkit::unless_missing(Postgres::shared()) else {
        return Ok(());
    };
    let database = postgres.create_database();
    let place = Place::Postgres(database.url.clone());
    let world = World::new();
    let one = Node::open(&place, &world).await?;
    let two = Node::open(&place, &world).await?;
    let record = one.ask("slow", 5).await?;
    world.begun.acquire_many(5).await?.forget();
    // The second takes the run over although the first is alive, as after a long pause of the first.
    let run = two.store.breadcrumb_run(&two.site, &record.id).await?;
    let run = run.expect("a run");
    let past = sitewright_store::Timestamp::from_millis(1);
    assert!(two.store.take_breadcrumb_run(&run, "gone", past).await?);
    two.breadcrumbs.tend().await?;
    world.gate.add_permits(20);
    two.until_answered(5).await?;
    one.until_quiet().await?;
    let answers = two.answers().await?;
    assert_eq!(request_ids(&answers), ["r0", "r1", "r2", "r3", "r4"]);
    assert_eq!(
        world.count(),
        5,
        "their calls have the same keys, so each effect happened once"
    );
    one.close().await;
    two.close().await;
    Ok(())
}

#[tokio::test]
async fn the_same_delivery_twice_makes_one_record_and_one_answer() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let place = Place::File(folder.path().join("sitewright.db"));
    let world = World::new();
    let node = Node::open(&place, &world).await?;
    world.gate.add_permits(10);
    let record = serde_json::json!({
        "schema_name": "agent.response.v1", "title": "Response",
        "context": { "tool_requests": [{ "tool": "slow", "input": {}, "requestId": "once", "return_to_llm": false }] },
    });
    let mut ids = Vec::new();
    for _ in 0..3 {
        let new = serde_json::from_value(record.clone())?;
        let made = node
            .breadcrumbs
            .create(&node.caller(), new, Some("key"))
            .await?;
        ids.push(made.id);
    }
    ids.dedup();
    assert_eq!(ids.len(), 1);
    node.until_quiet().await?;
    assert_eq!((node.answers().await?.len(), world.count()), (1, 1));
    node.close().await;
    Ok(())
}

//! A process that dies at each stage of publishing, on both databases: visitors see the old release or the new one, the call that
//! was at it comes to its end once, and the same call again publishes nothing more.
//!
//! The test runs its own program again as the process that dies. That one listens to what publishing tells of its stages and aborts
//! at the one it is to die at, which is as sudden as being killed.

use std::process::Command;
use std::time::Duration;

use anyhow::{Context as _, Result};
use serde_json::json;
use sitewright_runtime::Call;
use sitewright_store::{CallState, KeySource, Secrets, Timestamp};
use sitewright_testkit::{AbortAt, FreshDatabase};

use crate::press::{Press, local};

const STAGE: &str = "SITEWRIGHT_TEST_DIES_AT";
const DATABASE: &str = "SITEWRIGHT_TEST_DATABASE";
const FOLDER: &str = "SITEWRIGHT_TEST_FOLDER";
const KEY: &str = "the-call";

fn the_call(press: &Press) -> Call {
    Call {
        key: Some(KEY.to_owned()),
        is_confirmed: true,
        ..Call::new(press.site.clone(), "publishSite", json!({}), local())
    }
}

/// The process that dies. Run by itself it does nothing.
#[test]
#[expect(
    clippy::disallowed_methods,
    reason = "the parent tells its child what to do"
)]
fn dies_at_the_stage_it_is_told() {
    let Ok(stage) = std::env::var(STAGE) else {
        return;
    };
    let database = std::env::var(DATABASE).expect("a database");
    let folder = std::env::var(FOLDER).expect("a folder");
    AbortAt::stage(&["sitewright::publish", "sitewright::call"], stage);
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(async {
        let press = Press::beside_files(&database, folder.as_ref())
            .await
            .expect("an instance");
        press.call(the_call(&press)).await;
    });
    std::process::exit(3);
}

async fn after_dying(fresh: FreshDatabase, stage: &str) -> Result<()> {
    let press = Press::open(fresh, None).await?;
    press.page("About", "about", "<p>First</p>").await?;
    press.publish().await?;
    let about = press.id_of("about").await?;
    press.write(&about, "<p>Second</p>").await?;
    press.page("More", "more", "<p>More</p>").await?;
    press.pipeline.close().await;
    press.store.close().await;
    let died = Command::new(std::env::current_exe()?)
        .args([
            "--exact",
            "crash::dies_at_the_stage_it_is_told",
            "--nocapture",
        ])
        .env(STAGE, stage)
        .env(DATABASE, &press.database.address)
        .env(FOLDER, press.database.folder.path())
        .output()?;
    assert_eq!(
        died.status.code(),
        None,
        "it was to die at {stage}: {died:?}"
    );
    let press = Press::open(press.database, None).await?;
    let (_, seen) = press.visit("/about").await?;
    let is_new = press.visit("/more").await?.0 == 200;
    assert_eq!(seen.contains("Second"), is_new, "{stage}: half of it");
    assert_eq!(is_new, ["switched", "executed"].contains(&stage), "{stage}");
    // Somebody writes before the call is gone on with, which is no conflict: nobody was shown what it would publish.
    press.page("Later", "later", "<p>Later</p>").await?;
    // Leases tell where another process may live; nobody waits for them here.
    press.pipeline.resume().await?;
    press.pipeline.taken_over_calls_ended().await;
    let later = Timestamp::now().after(Duration::from_secs(2 * 60 * 60));
    press.pipeline.tend(later).await?;
    press.pipeline.taken_over_calls_ended().await;
    let actor = local().by.actor;
    let row = press.store.call_by_key(&press.site, &actor, KEY).await?;
    if stage == "agreed" {
        assert_eq!(row, None, "nothing was begun");
    } else {
        let row = row.context("a row")?;
        assert_eq!(row.life.state, CallState::Done, "{stage}: {row:?}");
        assert_eq!(press.visit("/more").await?.0, 200, "{stage}");
        let status = if is_new { 404 } else { 200 };
        assert_eq!(press.visit("/later").await?.0, status, "{stage}");
    }
    // The caller, who knows nothing, makes the same call again.
    let again = press.call(the_call(&press)).await;
    assert!(again.ok, "{stage}: {again:?}");
    assert_eq!(press.visit("/more").await?.0, 200, "{stage}");
    let numbers: Vec<u64> = press
        .store
        .releases(&press.site, None, 10)
        .await?
        .iter()
        .map(|release| release.number)
        .collect();
    assert_eq!(numbers, [2, 1], "{stage}: published once");
    let key = KeySource::Given("a1".repeat(32).into());
    let secrets = Secrets::open(&press.store, &key).await?;
    secrets.seal_audit().await?;
    assert_eq!(secrets.verify_audit(None).await?.broken, None, "{stage}");
    Ok(())
}

#[test]
fn whoever_publishes_may_die_at_any_stage() {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    for stage in ["agreed", "claimed", "written", "switched", "executed"] {
        for fresh in [FreshDatabase::sqlite(), FreshDatabase::postgres()]
            .into_iter()
            .flatten()
        {
            runtime
                .block_on(after_dying(fresh, stage))
                .expect("the test");
        }
    }
}

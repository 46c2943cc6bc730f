//! A process that dies at each stage of a call, on both databases: afterwards the call is finished, refused, waiting or listed as
//! unknown, nothing was done twice, and the audit log holds.
//!
//! The test runs its own program again as the process that dies. That one listens to what the pipeline tells of its stages and
//! aborts at the one it is to die at, which is as sudden as being killed.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::json;
use sitewright_runtime::{Call, CardDecision, Pipeline, Registry};
use sitewright_store::{CallRecord, CallState, KeySource, Place, Secrets, Store};
use sitewright_testkit::{AbortAt, FreshDatabase};
use sitewright_tool::{Envelope, ErrorCode};

use crate::stage::{Stage, ana, call, code, connect_file, keyed, local, main_site};

const STAGE: &str = "SITEWRIGHT_TEST_DIES_AT";
const DATABASE: &str = "SITEWRIGHT_TEST_DATABASE";
const EFFECTS: &str = "SITEWRIGHT_TEST_EFFECTS";

/// What the process that dies is doing.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Doing {
    /// Adding a page.
    Draft,
    /// Sending a letter, which must not be sent twice.
    Letter,
    /// The same where the other side takes the same key for the same letter.
    SafeLetter,
    /// Asking to remove a page, and being told yes.
    Removal,
}

const KEY: &str = "the-call";

fn the_call(doing: Doing) -> Call {
    let tool = match doing {
        Doing::Draft => call("addPage", json!({ "title": "News" }), &local()),
        Doing::Letter | Doing::SafeLetter => Call {
            is_confirmed: true,
            ..call("mail.send", json!({ "to": "ana" }), &local())
        },
        Doing::Removal => call("deletePage", json!({ "pageId": "home" }), &local()),
    };
    keyed(KEY, tool)
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
    let (stage, doing) = stage.split_once(' ').expect("a stage and a deed");
    let database = std::env::var(DATABASE).expect("a database");
    let effects = PathBuf::from(std::env::var(EFFECTS).expect("a file"));
    AbortAt::stage(&["sitewright::call"], stage.to_owned());
    let place = Place::at(&database);
    let doing = [
        Doing::Draft,
        Doing::Letter,
        Doing::SafeLetter,
        Doing::Removal,
    ]
    .into_iter()
    .find(|known| format!("{known:?}") == doing)
    .expect("a deed");
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(async {
        let store = Store::open(&place).await.expect("the database opens");
        let pipeline = Pipeline::new(store.clone(), Registry::built_in());
        connect_file(&pipeline, doing == Doing::SafeLetter, &effects).expect("a tool");
        let mut the_call = the_call(doing);
        if doing == Doing::Removal {
            the_call.arguments["pageId"] = json!(removable(&store).await);
        }
        let answer = Envelope::from(pipeline.call(the_call).await);
        if code(&answer) == Some(ErrorCode::ApprovalRequired) {
            let details = answer
                .error
                .and_then(|error| error.details)
                .unwrap_or_default();
            let id = details["approval"]["id"]
                .as_str()
                .unwrap_or_default()
                .to_owned();
            pipeline
                .decide((&main_site(), &id), CardDecision::Yes, &ana())
                .await
                .expect("a yes");
        }
    });
    std::process::exit(3);
}

/// The page that is to be removed: the one that is not the home page.
async fn removable(store: &Store) -> String {
    let live = store.live_site(&main_site()).await.expect("the site");
    let mut pages = live.site().shell.pages.iter();
    let found = pages.find(|(_, page)| page.title == "Old");
    found
        .map(|(id, _)| id.to_string())
        .expect("a page to remove")
}

/// What is left after a death at a stage.
struct Left {
    row: Option<CallRecord>,
    pages: usize,
    effects: usize,
}

async fn after_dying(fresh: FreshDatabase, stage: &str, doing: Doing) -> anyhow::Result<Left> {
    let folder = tempfile::tempdir()?;
    let effects = folder.path().join("effects");
    std::fs::write(&effects, "")?;
    let before = Stage::open(fresh).await?;
    let old = before
        .call(call("addPage", json!({ "title": "Old" }), &local()))
        .await;
    assert!(old.ok, "{old:?}");
    before.pipeline.close().await;
    before.store.close().await;
    let died = Command::new(std::env::current_exe()?)
        .args([
            "--exact",
            "crash::dies_at_the_stage_it_is_told",
            "--nocapture",
        ])
        .env(STAGE, format!("{stage} {doing:?}"))
        .env(DATABASE, &before.database.address)
        .env(EFFECTS, &effects)
        .output()?;
    assert_eq!(
        died.status.code(),
        None,
        "it was to die at {stage}: {died:?}"
    );
    let after = Stage::open(before.database).await?;
    connect_file(&after.pipeline, doing == Doing::SafeLetter, &effects)?;
    // Leases tell where another process may live; nobody waits for them here.
    let later = sitewright_store::Timestamp::now().after(std::time::Duration::from_secs(60 * 60));
    after.pipeline.resume().await?;
    after.pipeline.taken_over_calls_ended().await;
    after.pipeline.tend(later).await?;
    after.pipeline.taken_over_calls_ended().await;
    let key = KeySource::Given("a1".repeat(32).into());
    let secrets = Secrets::open(&after.store, &key).await?;
    secrets.seal_audit().await?;
    assert_eq!(secrets.verify_audit(None).await?.broken, None, "{stage}");
    let actor = local().by.actor;
    let row = after.store.call_by_key(&main_site(), &actor, KEY).await?;
    let live = after.store.live_site(&main_site()).await?;
    let pages = live.site().shell.pages.iter().count();
    drop(live);
    // The caller, who knows nothing, makes the same call again.
    if doing != Doing::Removal {
        let again = after.call(the_call(doing)).await;
        let is_unknown = code(&again) == Some(ErrorCode::OutcomeUnknown);
        assert!(again.ok || is_unknown, "{stage}: {again:?}");
        let expected = row.as_ref().map(|row| row.life.state == CallState::Unknown);
        assert_eq!(is_unknown, expected.unwrap_or(false), "{stage}");
    }
    let effects = lines(&effects)?;
    after.store.close().await;
    Ok(Left {
        row,
        pages,
        effects,
    })
}

fn lines(path: &Path) -> anyhow::Result<usize> {
    Ok(std::fs::read_to_string(path)?.lines().count())
}

fn on_each(test: impl AsyncFn(FreshDatabase) -> anyhow::Result<()>) {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    for fresh in [FreshDatabase::sqlite(), FreshDatabase::postgres()]
        .into_iter()
        .flatten()
    {
        runtime.block_on(test(fresh)).expect("the test");
    }
}

#[test]
fn a_draft_is_committed_whole_or_not_at_all() {
    on_each(async |fresh| {
        let left = after_dying(fresh, "agreed", Doing::Draft).await?;
        assert_eq!((left.row.map(|row| row.life.state), left.pages), (None, 2));
        Ok(())
    });
    on_each(async |fresh| {
        let left = after_dying(fresh, "committed", Doing::Draft).await?;
        assert_eq!(
            (left.row.map(|row| row.life.state), left.pages),
            (Some(CallState::Done), 3)
        );
        Ok(())
    });
}

#[test]
fn a_letter_that_may_have_left_is_unknown_and_never_sent_twice() {
    for (stage, effects) in [("claimed", 0), ("executed", 1)] {
        on_each(async |fresh| {
            let left = after_dying(fresh, stage, Doing::Letter).await?;
            assert_eq!(
                left.row.map(|row| row.life.state),
                Some(CallState::Unknown),
                "{stage}"
            );
            assert_eq!(left.effects, effects, "{stage}");
            Ok(())
        });
    }
}

#[test]
fn a_letter_that_may_be_repeated_is_sent_after_the_restart_and_counts_once() {
    for stage in ["claimed", "executed"] {
        on_each(async |fresh| {
            let left = after_dying(fresh, stage, Doing::SafeLetter).await?;
            assert_eq!(
                left.row.map(|row| row.life.state),
                Some(CallState::Done),
                "{stage}"
            );
            assert_eq!(left.effects, 1, "{stage}");
            Ok(())
        });
    }
}

#[test]
fn a_removal_waits_or_happens_once() {
    for (stage, state, pages) in [
        ("asked", CallState::Waiting, 2),
        ("decided", CallState::Done, 1),
        ("committed", CallState::Done, 1),
    ] {
        on_each(async |fresh| {
            let left = after_dying(fresh, stage, Doing::Removal).await?;
            let now = left.row.map(|row| row.life.state);
            // An hour later nobody has decided, which is not yet a no.
            assert_eq!((now, left.pages), (Some(state), pages), "{stage}");
            Ok(())
        });
    }
}

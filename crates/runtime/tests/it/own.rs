//! Calls on our own data: looked at or committed with their row, done once, and marked.

use serde_json::{Value, json};
use sitewright_runtime::Call;
use sitewright_site::Author;
use sitewright_store::{Actor, CallState, Committer, LiveSite};
use sitewright_tool::{Capability, CapabilitySet, Envelope, ErrorCode, Taint};

use crate::stage::{Stage, call, code, keyed, local, main_site, on_both};

on_both! {
    a_call_that_looks_is_recorded_behind_its_back
    long_arguments_of_a_call_that_looks_are_not_kept
    a_change_and_the_row_of_its_call_are_one
    a_repeat_with_the_same_key_gets_the_first_answer
    a_key_belongs_to_one_call_and_one_caller
    twins_at_the_same_time_change_the_site_once
    twins_that_remove_the_same_thing_have_both_removed_it
    what_did_nothing_does_not_use_its_key_up
    whoever_may_not_is_refused_before_anything_is_planned
    what_was_made_under_taint_is_marked
    a_batch_answers_in_its_order
}

fn page(title: &str) -> Value {
    json!({ "title": title })
}

async fn titles(stage: &Stage) -> anyhow::Result<Vec<String>> {
    let live: LiveSite = stage.store.live_site(&main_site()).await?;
    let pages = live.site().shell.pages.iter();
    Ok(pages.map(|(_, page)| page.title.clone()).collect())
}

async fn make(stage: &Stage, key: &str, title: &str) -> Envelope {
    let add = call("addPage", page(title), &local());
    stage.call(keyed(key, add)).await
}

async fn a_call_that_looks_is_recorded_behind_its_back(stage: Stage) -> anyhow::Result<()> {
    let answer = stage
        .call(call("list_documents", json!({}), &local()))
        .await;
    assert!(answer.ok, "{answer:?}");
    stage.pipeline.close().await;
    let calls = stage.calls().await?;
    assert_eq!(calls.len(), 1);
    assert_eq!(
        (calls[0].tool.as_str(), calls[0].life.state),
        ("list_documents", CallState::Done)
    );
    assert_eq!(
        calls[0]
            .outcome
            .as_ref()
            .and_then(|outcome| outcome.data.clone()),
        None
    );
    Ok(())
}

async fn long_arguments_of_a_call_that_looks_are_not_kept(stage: Stage) -> anyhow::Result<()> {
    for length in [4_000, 5_000] {
        let arguments = json!({ "document": { "type": "page", "id": "x".repeat(length) } });
        let answer = stage.call(call("read_document", arguments, &local())).await;
        assert_eq!(code(&answer), Some(ErrorCode::InvalidInput));
    }
    stage.pipeline.close().await;
    let mut kept = Vec::new();
    for call in stage.calls().await? {
        kept.push(call.arguments.is_some());
    }
    kept.sort_unstable();
    assert_eq!(kept, [false, true]);
    Ok(())
}

async fn a_change_and_the_row_of_its_call_are_one(stage: Stage) -> anyhow::Result<()> {
    let answer = make(&stage, "k", "News").await;
    assert!(answer.ok, "{answer:?}");
    let calls = stage.calls().await?;
    let history = stage.store.history(&main_site(), None, None, 1).await?;
    assert_eq!(calls.len(), 1);
    assert_eq!(calls[0].life.state, CallState::Done);
    assert_eq!(history.entries[0].id.as_str(), calls[0].id.as_str());
    assert_eq!(
        calls[0]
            .outcome
            .as_ref()
            .and_then(|outcome| outcome.data.clone()),
        answer.data
    );
    let audit = stage.store.audit_page(&main_site(), None, 10).await?;
    assert!(
        audit
            .entries
            .iter()
            .any(|entry| entry.action == "call.done")
    );
    Ok(())
}

async fn a_repeat_with_the_same_key_gets_the_first_answer(stage: Stage) -> anyhow::Result<()> {
    let first = make(&stage, "k", "News").await;
    let stage = stage.restarted().await?;
    let again = make(&stage, "k", "News").await;
    assert_eq!((first.data, first.receipt), (again.data, again.receipt));
    assert_eq!(
        titles(&stage)
            .await?
            .iter()
            .filter(|title| *title == "News")
            .count(),
        1
    );
    Ok(())
}

async fn a_key_belongs_to_one_call_and_one_caller(stage: Stage) -> anyhow::Result<()> {
    make(&stage, "k", "News").await;
    assert_eq!(
        code(&make(&stage, "k", "Other").await),
        Some(ErrorCode::Conflict)
    );
    let ben = Committer {
        author: Author::Person {
            id: "ben".to_owned(),
        },
        by: sitewright_store::Stamp {
            actor: Actor::User("ben".to_owned().into()),
            ..local().by
        },
        ..local()
    };
    let other = stage
        .call(keyed("k", call("addPage", page("Other"), &ben)))
        .await;
    assert!(other.ok, "{other:?}");
    let spaced = stage
        .call(keyed("a key", call("addPage", page("x"), &ben)))
        .await;
    assert_eq!(code(&spaced), Some(ErrorCode::InvalidInput));
    Ok(())
}

async fn twins_at_the_same_time_change_the_site_once(stage: Stage) -> anyhow::Result<()> {
    let answers = futures_util::future::join_all((0..8).map(|_| make(&stage, "k", "News"))).await;
    assert!(answers.iter().all(|answer| answer.ok), "{answers:?}");
    assert!(answers.iter().all(|answer| answer.data == answers[0].data));
    assert_eq!(
        titles(&stage)
            .await?
            .iter()
            .filter(|title| *title == "News")
            .count(),
        1
    );
    assert_eq!(stage.calls().await?.len(), 1);
    Ok(())
}

/// The second one is planned when the first is done, and its page is gone by then.
async fn twins_that_remove_the_same_thing_have_both_removed_it(stage: Stage) -> anyhow::Result<()> {
    let made = make(&stage, "add", "News").await.data.unwrap_or_default();
    let removals = (0..8).map(|_| {
        let remove = call("deletePage", json!({ "pageId": made["pageId"] }), &local());
        let remove = Call {
            is_confirmed: true,
            ..keyed("remove", remove)
        };
        stage.call(remove)
    });
    let answers = futures_util::future::join_all(removals).await;
    for answer in &answers {
        assert!(answer.ok, "{answer:?}");
        assert_eq!(answer.receipt, answers[0].receipt);
    }
    assert!(!titles(&stage).await?.contains(&"News".to_owned()));
    assert_eq!(stage.calls().await?.len(), 2);
    Ok(())
}

async fn what_did_nothing_does_not_use_its_key_up(stage: Stage) -> anyhow::Result<()> {
    let rename = || {
        let input = json!({ "pageId": "0".repeat(32), "title": "x" });
        keyed("k", call("renamePage", input, &local()))
    };
    let refused = stage.call(rename()).await;
    assert!(!refused.ok, "{refused:?}");
    assert!(make(&stage, "k", "News").await.ok);
    stage.pipeline.close().await;
    let states: Vec<CallState> = stage
        .calls()
        .await?
        .iter()
        .map(|call| call.life.state)
        .collect();
    assert_eq!(states.len(), 2);
    assert!(states.contains(&CallState::Failed) && states.contains(&CallState::Done));
    Ok(())
}

async fn whoever_may_not_is_refused_before_anything_is_planned(stage: Stage) -> anyhow::Result<()> {
    let reader = Committer {
        capabilities: [Capability::SiteRead]
            .into_iter()
            .collect::<CapabilitySet>(),
        ..local()
    };
    let refused = stage.call(call("addPage", page("x"), &reader)).await;
    assert_eq!(code(&refused), Some(ErrorCode::Forbidden));
    let unknown = stage.call(call("constructor", json!({}), &local())).await;
    assert_eq!(code(&unknown), Some(ErrorCode::UnknownTool));
    Ok(())
}

async fn what_was_made_under_taint_is_marked(stage: Stage) -> anyhow::Result<()> {
    let tainted = Committer {
        taint: Taint::Untrusted,
        ..local()
    };
    let answer = stage
        .call(call("addPage", page("From outside"), &tainted))
        .await;
    assert!(answer.ok, "drafts run under taint: {answer:?}");
    assert_eq!(answer.taint, Taint::Untrusted);
    make(&stage, "k", "Ours").await;
    let history = stage.store.history(&main_site(), None, None, 2).await?;
    let taints: Vec<Taint> = history.entries.iter().map(|entry| entry.taint).collect();
    assert_eq!(taints, [Taint::Trusted, Taint::Untrusted]);
    Ok(())
}

async fn a_batch_answers_in_its_order(stage: Stage) -> anyhow::Result<()> {
    let look = || call("list_documents", json!({}), &local());
    let add = |title: &str| -> Call { call("addPage", page(title), &local()) };
    let batch = vec![look(), add("One"), look(), look(), add("Two"), look()];
    let (told, mut heard) = tokio::sync::mpsc::channel(batch.len());
    stage.pipeline.call_all(batch, told).await;
    let mut answers = Vec::new();
    while let Some(answer) = heard.recv().await {
        answers.push(answer);
    }
    answers.sort_by_key(|(at, _)| *at);
    let answers: Vec<Envelope> = answers
        .into_iter()
        .map(|(_, answer)| answer.into())
        .collect();
    let seen = |answer: &Envelope| {
        answer
            .data
            .as_ref()
            .map(ToString::to_string)
            .unwrap_or_default()
    };
    let has = |position: usize, title: &str| seen(&answers[position]).contains(title);
    assert!(answers.iter().all(|answer| answer.ok), "{answers:?}");
    assert!(!has(0, "One") && has(2, "One") && has(3, "One") && !has(3, "Two") && has(5, "Two"));
    Ok(())
}

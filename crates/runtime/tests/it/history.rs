//! Taking back as tools: what the caller's own turns changed, in order, and again; never what others did.

use anyhow::Context as _;
use serde_json::{Value, json};
use sitewright_runtime::{Call, CardDecision, ToolSource, history_tools};
use sitewright_store::{CallRecord, Committer};
use sitewright_tool::{Envelope, ErrorCode};

use crate::stage::{Stage, ana, call, code, local, main_site, on_both};

on_both! {
    turns_are_taken_back_one_by_one_and_done_again
    what_others_did_stays
    m3_a_removal_that_is_undone_and_redone_asks_each_time
    m3_code_that_comes_back_by_undo_asks
    m3_an_approved_undo_does_only_what_was_shown
}

async fn stage(stage: Stage) -> anyhow::Result<(Stage, Committer)> {
    for tool in history_tools(&stage.store) {
        stage.pipeline.tools().register(ToolSource::BuiltIn, tool)?;
    }
    let agent = stage.agent().await?;
    Ok((stage, agent))
}

async fn in_turn(
    stage: &Stage,
    turn: &str,
    (tool, input): (&str, Value),
    by: &Committer,
) -> Envelope {
    let call = Call {
        turn: Some(turn.to_owned()),
        ..call(tool, input, by)
    };
    stage.call(call).await
}

async fn titles(stage: &Stage) -> anyhow::Result<Vec<String>> {
    let live = stage.store.live_site(&main_site()).await?;
    let pages = live.site().shell.pages.iter();
    Ok(pages.map(|(_, page)| page.title.clone()).collect())
}

async fn turns_are_taken_back_one_by_one_and_done_again(fresh: Stage) -> anyhow::Result<()> {
    let (stage, agent) = stage(fresh).await?;
    for (turn, title) in [("one", "Team"), ("one", "Jobs"), ("two", "Press")] {
        let added = in_turn(&stage, turn, ("addPage", json!({ "title": title })), &agent).await;
        assert!(added.ok, "{:?}", added.error);
    }
    let back = async |tool: &'static str| {
        let answer = in_turn(&stage, "later", (tool, json!({})), &agent).await;
        approved(&stage, answer).await.expect("an approval")
    };
    let answer = back("revertTurn").await;
    assert_eq!(
        answer.data,
        Some(json!({ "takenBack": ["Added a page"], "left": 0 }))
    );
    assert_eq!(titles(&stage).await?, ["Home", "Team", "Jobs"]);
    assert!(back("revertTurn").await.ok);
    assert_eq!(titles(&stage).await?, ["Home"]);
    let nothing = back("revertTurn").await;
    assert_eq!(code(&nothing), Some(ErrorCode::NotFound));
    assert!(back("redo").await.ok);
    assert_eq!(titles(&stage).await?.len(), 3);
    assert!(back("redo").await.ok);
    assert_eq!(titles(&stage).await?.len(), 4);
    assert_eq!(code(&back("redo").await), Some(ErrorCode::NotFound));
    // What was done again can be taken back again, and single changes as well.
    assert!(back("revertTurn").await.ok);
    assert_eq!(titles(&stage).await?.len(), 3);
    assert!(back("undo").await.ok);
    assert_eq!(titles(&stage).await?.len(), 2);
    Ok(())
}

async fn what_others_did_stays(fresh: Stage) -> anyhow::Result<()> {
    let (stage, agent) = stage(fresh).await?;
    let person = local();
    let added = in_turn(
        &stage,
        "hers",
        ("addPage", json!({ "title": "Team" })),
        &person,
    )
    .await;
    assert!(added.ok);
    let nothing = in_turn(&stage, "mine", ("revertTurn", json!({})), &agent).await;
    assert_eq!(code(&nothing), Some(ErrorCode::NotFound));
    assert_eq!(titles(&stage).await?, ["Home", "Team"]);
    Ok(())
}

/// Approves a call that waits, and answers what it then did; a call that does not wait answers as it is.
async fn approved(stage: &Stage, answer: Envelope) -> anyhow::Result<Envelope> {
    if code(&answer) != Some(ErrorCode::ApprovalRequired) {
        return Ok(answer);
    }
    let waiting = newest(stage).await?;
    let place = (&main_site(), waiting.id.as_str());
    let decided = stage
        .pipeline
        .decide(place, CardDecision::Yes, &ana())
        .await?;
    let done = decided.into_iter().next().context("a call")?;
    done.outcome.context("an outcome")
}

async fn newest(stage: &Stage) -> anyhow::Result<CallRecord> {
    let calls = stage.calls().await?;
    calls.into_iter().next().context("a call")
}

/// M3: one yes to a removal is one removal, however often it is undone and redone.
async fn m3_a_removal_that_is_undone_and_redone_asks_each_time(fresh: Stage) -> anyhow::Result<()> {
    let (stage, agent) = stage(fresh).await?;
    let act = async |tool: &str, input: Value| in_turn(&stage, "one", (tool, input), &agent).await;
    let added = act("addPage", json!({ "title": "Team" })).await;
    let page = added.data.context("a page")?["pageId"].clone();
    let removed = act("deletePage", json!({ "pageId": page })).await;
    assert_eq!(code(&removed), Some(ErrorCode::ApprovalRequired));
    assert!(approved(&stage, removed).await?.ok);
    assert_eq!(titles(&stage).await?, ["Home"]);
    let back = act("undo", json!({})).await;
    assert!(back.ok, "bringing a page back is a draft: {back:?}");
    for _ in 0..2 {
        let again = act("redo", json!({})).await;
        assert_eq!(code(&again), Some(ErrorCode::ApprovalRequired), "{again:?}");
        assert_eq!(titles(&stage).await?, ["Home", "Team"]);
        let preview = newest(&stage).await?.preview.context("a preview")?;
        assert_eq!(preview["change"]["pagesRemoved"], 1, "{preview}");
    }
    Ok(())
}

/// M3: the same for scripts.
async fn m3_code_that_comes_back_by_undo_asks(fresh: Stage) -> anyhow::Result<()> {
    let (stage, agent) = stage(fresh).await?;
    let act = async |tool: &str, input: Value| in_turn(&stage, "one", (tool, input), &agent).await;
    let script = json!({ "path": "menu.js", "content": "open()", "type": "script" });
    let written = act("write_code_asset", script).await;
    assert_eq!(
        code(&written),
        Some(ErrorCode::ApprovalRequired),
        "{written:?}"
    );
    assert!(approved(&stage, written).await?.ok);
    let undone = act("undo", json!({})).await;
    assert_eq!(code(&undone), Some(ErrorCode::ApprovalRequired));
    assert!(approved(&stage, undone).await?.ok);
    let redone = act("redo", json!({})).await;
    assert_eq!(code(&redone), Some(ErrorCode::ApprovalRequired));
    let preview = newest(&stage).await?.preview.context("a preview")?;
    assert_eq!(preview["change"]["codeTouched"], true, "{preview}");
    Ok(())
}

/// M3: a yes to undoing one change does not undo another that was made meanwhile.
async fn m3_an_approved_undo_does_only_what_was_shown(fresh: Stage) -> anyhow::Result<()> {
    let (stage, agent) = stage(fresh).await?;
    let act = async |tool: &str, input: Value| in_turn(&stage, "one", (tool, input), &agent).await;
    assert!(act("addPage", json!({ "title": "Team" })).await.ok);
    let undo = act("undo", json!({})).await;
    assert_eq!(code(&undo), Some(ErrorCode::ApprovalRequired));
    let waiting = newest(&stage).await?;
    assert!(act("addPage", json!({ "title": "Jobs" })).await.ok);
    let place = (&main_site(), waiting.id.as_str());
    let decided = stage
        .pipeline
        .decide(place, CardDecision::Yes, &ana())
        .await?;
    let outcome = decided[0].outcome.as_ref().context("an outcome")?;
    assert_eq!(code(outcome), Some(ErrorCode::Conflict), "{outcome:?}");
    assert_eq!(titles(&stage).await?, ["Home", "Team", "Jobs"]);
    Ok(())
}

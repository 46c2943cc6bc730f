//! Taking back as tools: what the caller's own turns changed, in order, and again; never what others did.

use serde_json::{Value, json};
use sitewright_runtime::{Call, ToolSource, history_tools};
use sitewright_store::Committer;
use sitewright_tool::{Envelope, ErrorCode};

use crate::stage::{Stage, call, code, local, main_site, on_both};

on_both! {
    turns_are_taken_back_one_by_one_and_done_again
    what_others_did_stays
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
    let back = |tool: &'static str| in_turn(&stage, "later", (tool, json!({})), &agent);
    let answer = back("revertTurn").await;
    assert_eq!(
        answer.data,
        Some(json!({ "takenBack": ["Add a page"], "left": 0 }))
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

//! Tools elsewhere that know what they would do: it is judged, shown to whoever is asked, and done as it was shown or not at all.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::{Value, json};
use sitewright_runtime::{
    Attempt, Call, CardDecision, Failure, Foreseen, Outside, PlannedChange, Tool, ToolOutput,
    ToolSource,
};
use sitewright_store::{CallState, Committer};
use sitewright_tool::definition::outside;
use sitewright_tool::{Capability, CapabilitySet, Effect, ErrorCode, ToolError};

use crate::stage::{Stage, ana, call, code, keyed, local, main_site, on_both};

on_both! {
    what_is_foreseen_is_judged_and_shown
    a_yes_counts_for_what_was_foreseen_only
    a_call_that_nobody_was_asked_about_does_what_it_finds
    a_tool_says_what_its_callers_may_do_and_whose_word_counts
}

/// Shows a board to everybody. What stands on it is outside the call, and may be wiped while somebody is asked.
struct Poster {
    board: Arc<AtomicU64>,
    /// What others add to the board right after each look ahead.
    added_by_others: Arc<AtomicU64>,
}

impl Outside for Poster {
    type Input = Value;
    type Data = Value;

    async fn foresee(&self, _: Value, _: Attempt<'_>) -> Result<Foreseen, ToolError> {
        let added = self.added_by_others.load(Ordering::SeqCst);
        let board = self.board.fetch_add(added, Ordering::SeqCst);
        Ok(Foreseen {
            change: PlannedChange {
                publishes: true,
                ..PlannedChange::default()
            },
            preview: Some(json!({ "board": board })),
            agreed: Some(board.to_string()),
        })
    }

    async fn run(&self, _: Value, attempt: Attempt<'_>) -> Result<ToolOutput, Failure> {
        Ok(ToolOutput::from(
            json!({ "shown": attempt.agreed, "by": attempt.by.actor.to_string() }),
        ))
    }
}

/// Registers the tool, and gives the number on its board and what others add to it.
fn connect(stage: &Stage) -> anyhow::Result<(Arc<AtomicU64>, Arc<AtomicU64>)> {
    let (board, added_by_others) = (Arc::new(AtomicU64::new(1)), Arc::new(AtomicU64::new(0)));
    let definition = outside(
        "board.show",
        "Show the board",
        "Shows the board.",
        Effect::Durable,
    )
    .needs(Capability::SitePublish)
    .confirmed_by(Capability::SitePublish)
    .idempotent();
    let tool = Poster {
        board: Arc::clone(&board),
        added_by_others: Arc::clone(&added_by_others),
    };
    stage
        .pipeline
        .tools()
        .register(ToolSource::BuiltIn, Tool::outside(definition, tool))?;
    Ok((board, added_by_others))
}

/// Has an agent ask, and tells the id of the call that waits.
async fn asked(stage: &Stage, key: &str) -> anyhow::Result<String> {
    let agent = stage.agent().await?;
    let wish = keyed(key, call("board.show", json!({}), &agent));
    let answer = stage.call(wish).await;
    assert_eq!(code(&answer), Some(ErrorCode::ApprovalRequired));
    let details = answer.error.and_then(|error| error.details);
    let id = details.unwrap_or_default()["approval"]["id"].clone();
    id.as_str()
        .map(str::to_owned)
        .ok_or_else(|| anyhow::anyhow!("an id"))
}

async fn decided(stage: &Stage, id: &str) -> anyhow::Result<(CallState, Value)> {
    let mut calls = stage
        .pipeline
        .decide((&main_site(), id), CardDecision::Yes, &ana())
        .await?;
    let call = calls.remove(0);
    Ok((call.life.state, serde_json::to_value(call.outcome)?))
}

async fn what_is_foreseen_is_judged_and_shown(stage: Stage) -> anyhow::Result<()> {
    connect(&stage)?;
    let id = asked(&stage, "k").await?;
    let row = stage.store.call(&main_site(), &id.clone().into()).await?;
    assert_eq!(row.preview, Some(json!({ "board": 1 })));
    let judged = row.judged.unwrap_or_default();
    assert_eq!(judged["change"]["publishes"], true);
    let why = judged["why"].as_str().unwrap_or_default();
    assert!(why.contains("Publishing shows the site"), "{why}");
    let (state, outcome) = decided(&stage, &id).await?;
    assert_eq!(state, CallState::Done, "{outcome}");
    assert_eq!(outcome["data"]["shown"], "1");
    Ok(())
}

async fn a_yes_counts_for_what_was_foreseen_only(stage: Stage) -> anyhow::Result<()> {
    let (board, _) = connect(&stage)?;
    let id = asked(&stage, "k").await?;
    board.store(2, Ordering::SeqCst);
    let (state, outcome) = decided(&stage, &id).await?;
    assert_eq!(state, CallState::Failed, "{outcome}");
    assert_eq!(outcome["error"]["code"], "conflict", "{outcome}");
    Ok(())
}

async fn a_call_that_nobody_was_asked_about_does_what_it_finds(stage: Stage) -> anyhow::Result<()> {
    let (board, added_by_others) = connect(&stage)?;
    added_by_others.store(1, Ordering::SeqCst);
    let show = || Call {
        is_confirmed: true,
        ..call("board.show", json!({}), &local())
    };
    let done = stage.call(show()).await;
    assert!(done.ok, "{done:?}");
    assert_eq!(done.data.unwrap_or_default()["shown"], Value::Null);
    assert_eq!(board.load(Ordering::SeqCst), 2);
    // Whoever was asked before they said yes was shown something, and that is gone by now.
    let asks = |is_confirmed| Call {
        is_confirmed,
        ..keyed("later", call("board.show", json!({}), &local()))
    };
    let answer = stage.call(asks(false)).await;
    assert_eq!(code(&answer), Some(ErrorCode::ApprovalRequired));
    let answer = stage.call(asks(true)).await;
    assert_eq!(code(&answer), Some(ErrorCode::Conflict), "{answer:?}");
    Ok(())
}

async fn a_tool_says_what_its_callers_may_do_and_whose_word_counts(
    stage: Stage,
) -> anyhow::Result<()> {
    connect(&stage)?;
    let show = |capabilities: &[Capability]| {
        let by = Committer {
            capabilities: capabilities.iter().copied().collect::<CapabilitySet>(),
            ..local()
        };
        stage.call(Call {
            is_confirmed: true,
            ..call("board.show", json!({}), &by)
        })
    };
    let refused = show(&[Capability::ToolsCall, Capability::ToolsApprove]).await;
    assert_eq!(code(&refused), Some(ErrorCode::Forbidden));
    let done = show(&[Capability::SitePublish]).await;
    assert!(done.ok, "{done:?}");
    assert_eq!(done.data.unwrap_or_default()["by"], "local");
    Ok(())
}

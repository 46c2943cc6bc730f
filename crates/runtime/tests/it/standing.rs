//! Whatever runs later than it was requested: with what its caller may do by then, and never for a caller who is gone.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use serde_json::{Value, json};
use sitewright_runtime::{
    Attempt, Call, CardDecision, DecideError, Failure, Outside, Tool, ToolOutput, ToolSource,
};
use sitewright_site::Author;
use sitewright_store::{
    Actor, BuiltInRole, CallRecord, CallState, Committer, NewOwner, NewToken, NewUser, Permission,
    Stamp, Step, StepRecord, Timestamp, TokenKind, UserId,
};
use sitewright_tool::{CapabilitySet, Definition, Effect, ErrorCode, ToolCapability};
use tokio::sync::Notify;

use crate::stage::{Stage, ana, call, code, keyed, local, main_site, on_both};

on_both! {
    m2_a_call_that_waited_runs_with_what_its_caller_may_do_by_then
    m2_waiting_calls_of_a_removed_member_are_withdrawn
    m2_waiting_calls_of_a_disabled_person_and_of_a_revoked_token_are_withdrawn
    m2_a_member_who_is_gone_does_nothing_even_after_a_yes
    m11_looking_after_calls_does_not_wait_for_them
    a_tool_that_breaks_down_ends_its_call
    a_call_without_a_turn_does_not_own_the_changes_of_others
    a_decision_whose_grant_cannot_be_given_changes_nothing
}

fn now() -> Stamp {
    Stamp::local(Timestamp::now())
}

/// An editor of the site.
async fn editor(stage: &Stage) -> anyhow::Result<(UserId, Committer)> {
    // A site needs an owner before anybody else can be removed from it.
    let owner = NewOwner {
        email: "ada@example.com",
        name: "Ada",
        password_hash: "x",
        site_name: "Engines",
    };
    stage.store.set_up(owner, &now()).await?;
    let new = NewUser {
        email: "eve@example.com",
        name: "Eve",
        password_hash: None,
        role: BuiltInRole::Editor.key(),
    };
    let member = stage.store.add_member(&main_site(), new, &now()).await?;
    let id = member.user.id;
    let role = stage.store.role(&main_site(), &member.role).await?;
    let author = Author::Person { id: id.to_string() };
    let by = Stamp {
        actor: Actor::User(id.clone()),
        at: Timestamp::now(),
    };
    Ok((id, Committer::new(author, role.capabilities, by)))
}

/// A call that removes a page and waits.
async fn asked(stage: &Stage, by: &Committer) -> anyhow::Result<CallRecord> {
    let added = stage
        .call(call("addPage", json!({ "title": "News" }), &local()))
        .await;
    let id = added.data.context("a page")?["pageId"].clone();
    let remove = keyed("k", call("deletePage", json!({ "pageId": id }), by));
    let answer = stage.call(remove).await;
    assert_eq!(code(&answer), Some(ErrorCode::ApprovalRequired));
    row_of(stage, by).await
}

async fn row_of(stage: &Stage, by: &Committer) -> anyhow::Result<CallRecord> {
    let (site, actor) = (main_site(), &by.by.actor);
    let row = stage.store.call_by_key(&site, actor, "k").await?;
    row.context("a row")
}

async fn state(stage: &Stage, row: &CallRecord) -> anyhow::Result<CallState> {
    Ok(stage.store.call(&main_site(), &row.id).await?.life.state)
}

async fn pages(stage: &Stage) -> anyhow::Result<usize> {
    let live = stage.store.live_site(&main_site()).await?;
    Ok(live.site().shell.pages.iter().count())
}

async fn yes(stage: &Stage, row: &CallRecord) -> Result<Vec<CallRecord>, DecideError> {
    let place = (&main_site(), row.id.as_str());
    let decision = CardDecision::Yes;
    stage.pipeline.decide(place, decision, &ana()).await
}

/// M2: an editor's removal does not run after the editor was made a viewer.
async fn m2_a_call_that_waited_runs_with_what_its_caller_may_do_by_then(
    stage: Stage,
) -> anyhow::Result<()> {
    let (eve, by) = editor(&stage).await?;
    let row = asked(&stage, &by).await?;
    let viewer = BuiltInRole::Viewer.key();
    stage
        .store
        .set_role(&main_site(), &eve, &viewer, &now())
        .await?;
    let decided = yes(&stage, &row).await?;
    let outcome = decided[0].outcome.as_ref().context("an outcome")?;
    assert_eq!(code(outcome), Some(ErrorCode::Forbidden), "{outcome:?}");
    assert_eq!(pages(&stage).await?, 2);
    Ok(())
}

/// M2: nobody is asked about calls of somebody who was removed, nor about those of their tokens.
async fn m2_waiting_calls_of_a_removed_member_are_withdrawn(stage: Stage) -> anyhow::Result<()> {
    let (eve, by) = editor(&stage).await?;
    let own = asked(&stage, &by).await?;
    let by_token = token_of(&stage, &eve, &by).await?;
    let of_token = asked(&stage, &by_token).await?;
    let of_others = asked(&stage, &stage.agent().await?).await?;
    stage
        .store
        .remove_member(&main_site(), &eve, &now())
        .await?;
    assert_eq!(state(&stage, &own).await?, CallState::Denied);
    assert_eq!(state(&stage, &of_token).await?, CallState::Denied);
    assert_eq!(state(&stage, &of_others).await?, CallState::Waiting);
    assert!(yes(&stage, &own).await.is_err());
    Ok(())
}

async fn token_of(stage: &Stage, maker: &UserId, by: &Committer) -> anyhow::Result<Committer> {
    let new = NewToken {
        site: &main_site(),
        name: "of Eve",
        kind: TokenKind::Agent,
        capabilities: CapabilitySet::all(),
        maker: Some(maker),
        parent: None,
        expires_at: None,
    };
    let (_, token) = stage.store.create_token(new, &now()).await?;
    let stamp = Stamp {
        actor: Actor::Token(token.id),
        at: Timestamp::now(),
    };
    let author = Author::Agent {
        id: maker.to_string(),
    };
    Ok(Committer::new(author, by.capabilities.clone(), stamp))
}

async fn m2_waiting_calls_of_a_disabled_person_and_of_a_revoked_token_are_withdrawn(
    stage: Stage,
) -> anyhow::Result<()> {
    let (eve, by) = editor(&stage).await?;
    let own = asked(&stage, &by).await?;
    let by_token = token_of(&stage, &eve, &by).await?;
    let of_token = asked(&stage, &by_token).await?;
    let Actor::Token(token) = &by_token.by.actor else {
        anyhow::bail!("a token calls");
    };
    stage
        .store
        .revoke_token(&main_site(), token, None, &now())
        .await?;
    assert_eq!(state(&stage, &of_token).await?, CallState::Denied);
    assert_eq!(state(&stage, &own).await?, CallState::Waiting);
    stage.store.set_disabled(&eve, true, &now()).await?;
    assert_eq!(state(&stage, &own).await?, CallState::Denied);
    Ok(())
}

/// M2: the same when the yes was given before the member was removed, and the process died in between.
async fn m2_a_member_who_is_gone_does_nothing_even_after_a_yes(stage: Stage) -> anyhow::Result<()> {
    let (eve, by) = editor(&stage).await?;
    let row = asked(&stage, &by).await?;
    let who = ana();
    let step = Step::Approve {
        by: &who.actor,
        at: who.at,
    };
    let stepped = StepRecord {
        outcome: None,
        by: &who,
    };
    stage.store.step_call(&row.id, &[step], stepped).await?;
    stage
        .store
        .remove_member(&main_site(), &eve, &now())
        .await?;
    let stage = stage.restarted().await?;
    stage.pipeline.resume().await?;
    stage.pipeline.taken_over_calls_ended().await;
    let row = stage.store.call(&main_site(), &row.id).await?;
    assert!(matches!(row.life.permission, Permission::Approval { .. }));
    assert_eq!(row.life.state, CallState::Failed);
    assert_eq!(pages(&stage).await?, 2);
    Ok(())
}

/// A tool that says when it begins, and then waits to be let go or breaks down.
#[derive(Clone)]
struct Slow {
    begun: Arc<Notify>,
    go: Arc<Notify>,
    breaks_down: bool,
}

impl Outside for Slow {
    type Input = Value;
    type Data = Value;

    async fn run(&self, _: Value, _: Attempt<'_>) -> Result<ToolOutput, Failure> {
        self.begun.notify_one();
        assert!(!self.breaks_down, "the tool breaks down, as it was told");
        self.go.notified().await;
        Ok(ToolOutput::from(json!({ "sent": true })))
    }
}

fn connect(stage: &Stage, breaks_down: bool) -> anyhow::Result<Slow> {
    let tool = Slow {
        begun: Arc::default(),
        go: Arc::default(),
        breaks_down,
    };
    let manifest = json!({
        "name": "mail.send", "description": "Sends a letter.", "inputSchema": { "type": "object" }, "outputSchema": {},
        "capability": "write", "timeoutMs": 60_000, "idempotent": true, "retryPolicy": { "maxAttempts": 1 },
    });
    let definition = Definition::imported(serde_json::from_value(manifest)?);
    assert_eq!(definition.manifest.effect(), Effect::External);
    assert_eq!(definition.manifest.capability, ToolCapability::Write);
    let source = ToolSource::File;
    stage
        .pipeline
        .tools()
        .register(source, Tool::new(definition, tool.clone()))?;
    Ok(tool)
}

/// M11: a call that was approved before a crash and takes long holds up neither the others nor whoever looks after them.
async fn m11_looking_after_calls_does_not_wait_for_them(stage: Stage) -> anyhow::Result<()> {
    let tool = connect(&stage, false)?;
    let agent = stage.agent().await?;
    let send = keyed("k", call("mail.send", json!({}), &agent));
    let waits = stage.call(send).await;
    assert_eq!(code(&waits), Some(ErrorCode::ApprovalRequired), "{waits:?}");
    let row = row_of(&stage, &agent).await?;
    let who = ana();
    let step = Step::Approve {
        by: &who.actor,
        at: who.at,
    };
    let stepped = StepRecord {
        outcome: None,
        by: &who,
    };
    stage.store.step_call(&row.id, &[step], stepped).await?;
    stage.pipeline.tend(Timestamp::now()).await?;
    tool.begun.notified().await;
    assert_eq!(state(&stage, &row).await?, CallState::Running);
    stage.pipeline.tend(Timestamp::now()).await?;
    tool.go.notify_one();
    stage.pipeline.taken_over_calls_ended().await;
    assert_eq!(state(&stage, &row).await?, CallState::Done);
    Ok(())
}

/// Its row does not stay as running until the lease is over.
async fn a_tool_that_breaks_down_ends_its_call(stage: Stage) -> anyhow::Result<()> {
    connect(&stage, true)?;
    let send = Call {
        is_confirmed: true,
        ..keyed("k", call("mail.send", json!({}), &local()))
    };
    let answer = stage.call(send).await;
    assert_eq!(code(&answer), Some(ErrorCode::OutcomeUnknown), "{answer:?}");
    let rows = stage.calls().await?;
    assert_eq!(rows[0].life.state, CallState::Unknown);
    assert_eq!(
        rows[0].outcome.as_ref().and_then(code),
        Some(ErrorCode::OutcomeUnknown)
    );
    Ok(())
}

/// Both have no turn, which does not make the second the author of the first.
async fn a_call_without_a_turn_does_not_own_the_changes_of_others(
    stage: Stage,
) -> anyhow::Result<()> {
    let added = stage
        .call(call("addPage", json!({ "title": "News" }), &local()))
        .await;
    let page = added.data.context("a page")?["pageId"].clone();
    let read_up_to = stage.store.live_site(&main_site()).await?.seq();
    let rename = |title: &str| {
        let input = json!({ "pageId": page, "title": title });
        call("renamePage", input, &local())
    };
    assert!(stage.call(rename("Hers")).await.ok);
    let late = Call {
        read_up_to: Some(read_up_to),
        ..rename("Mine")
    };
    let refused = stage.call(late).await;
    assert_eq!(code(&refused), Some(ErrorCode::Conflict), "{refused:?}");
    Ok(())
}

/// A yes that is refused because of its grant leaves the call waiting: it was said that nothing was changed.
async fn a_decision_whose_grant_cannot_be_given_changes_nothing(
    stage: Stage,
) -> anyhow::Result<()> {
    let agent = stage.agent().await?;
    let added = stage
        .call(call("addPage", json!({ "title": "News" }), &local()))
        .await;
    let page = added.data.context("a page")?["pageId"].clone();
    let remove = Call {
        conversation: Some("talk".to_owned()),
        person: Some("ana".to_owned()),
        ..keyed("k", call("deletePage", json!({ "pageId": page }), &agent))
    };
    stage.call(remove).await;
    let row = row_of(&stage, &agent).await?;
    let place = (&main_site(), row.id.as_str());
    let too_long = CardDecision::YesAndAlike(Duration::from_secs(48 * 60 * 60));
    assert!(
        stage
            .pipeline
            .decide(place, too_long, &ana())
            .await
            .is_err()
    );
    assert_eq!(state(&stage, &row).await?, CallState::Waiting);
    let hour = CardDecision::YesAndAlike(Duration::from_secs(60 * 60));
    stage.pipeline.decide(place, hour, &ana()).await?;
    let (site, now) = (main_site(), Timestamp::now());
    assert_eq!(stage.store.grants(&site, "talk", now).await?.len(), 1);
    assert_eq!(state(&stage, &row).await?, CallState::Done);
    Ok(())
}

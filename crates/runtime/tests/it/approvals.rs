//! What waits for a person: shown, decided by people only, run once and only as agreed, over restarts too.

use std::time::Duration;

use serde_json::json;
use sitewright_runtime::{Call, CardDecision, DecideError, Decision};
use sitewright_site::Author;
use sitewright_store::{
    CallId, CallRecord, CallState, Committer, SettledOutcome, SitePolicy, Stamp, StepError,
    Timestamp,
};
use sitewright_tool::{CapabilitySet, Envelope, ErrorCode, Scope};

use crate::stage::{Stage, ana, call, code, keyed, local, main_site, on_both};

on_both! {
    removing_a_page_waits_and_runs_once_after_a_yes
    a_yes_with_the_repeat_counts_from_a_person
    a_no_is_final
    nobody_deciding_is_a_no
    what_changed_since_the_yes_does_not_run
    only_people_decide
    no_caller_and_no_way_in_gets_past_the_block
    a_caller_who_is_gone_by_then_does_nothing
    calls_of_a_round_share_a_card
    a_grant_covers_the_kind_in_its_conversation_and_nothing_else
    what_was_agreed_to_before_a_crash_runs_after_it
    a_policy_of_the_site_counts_at_once
    a_policy_that_is_tried_decides_nothing
}

/// Adds a page and has an agent ask for its removal, with the key `k`.
async fn asked(stage: &Stage, agent: &Committer) -> anyhow::Result<(Call, CallRecord)> {
    let added = stage
        .call(call("addPage", json!({ "title": "News" }), &local()))
        .await;
    let id = added.data.unwrap_or_default()["pageId"].clone();
    let remove = keyed("k", call("deletePage", json!({ "pageId": id }), agent));
    let answer = stage.call(remove.clone()).await;
    assert_eq!(
        code(&answer),
        Some(ErrorCode::ApprovalRequired),
        "{answer:?}"
    );
    let details = answer
        .error
        .and_then(|error| error.details)
        .unwrap_or_default();
    let row = stage
        .store
        .call_by_key(&main_site(), &agent.by.actor, "k")
        .await?;
    let row = row.ok_or_else(|| anyhow::anyhow!("there is a row"))?;
    assert_eq!(details["approval"]["id"], row.id.as_str());
    assert_eq!(details["idempotencyKey"], "k");
    Ok((remove, row))
}

async fn pages(stage: &Stage) -> anyhow::Result<usize> {
    let live = stage.store.live_site(&main_site()).await?;
    Ok(live.site().shell.pages.iter().count())
}

async fn yes(stage: &Stage, row: &CallRecord) -> Result<Vec<CallRecord>, DecideError> {
    let place = (&main_site(), row.id.as_str());
    stage
        .pipeline
        .decide(place, CardDecision::Yes, &ana())
        .await
}

async fn removing_a_page_waits_and_runs_once_after_a_yes(stage: Stage) -> anyhow::Result<()> {
    let agent = stage.agent().await?;
    let (remove, row) = asked(&stage, &agent).await?;
    assert_eq!(
        row.preview
            .as_ref()
            .map(|preview| preview["change"]["pagesRemoved"].clone()),
        Some(json!(1))
    );
    assert_eq!(pages(&stage).await?, 2);
    assert_eq!(
        code(&stage.call(remove.clone()).await),
        Some(ErrorCode::ApprovalRequired)
    );
    let stage = stage.restarted().await?;
    let decided = yes(&stage, &row).await?;
    assert_eq!(
        decided[0].life.state,
        CallState::Done,
        "{:?}",
        decided[0].outcome
    );
    assert_eq!(pages(&stage).await?, 1);
    let answer = stage.call(remove).await;
    assert!(answer.ok, "{answer:?}");
    assert!(yes(&stage, &row).await.is_err(), "one yes is one run");
    let newest = stage.store.history(&main_site(), None, None, 1).await?;
    assert_eq!(newest.entries[0].id.as_str(), row.id.as_str());
    Ok(())
}

async fn a_yes_with_the_repeat_counts_from_a_person(stage: Stage) -> anyhow::Result<()> {
    for (by, counts) in [(local(), true), (stage.agent().await?, false)] {
        let (mut remove, _) = asked(&stage, &by).await?;
        remove.is_confirmed = true;
        remove.by.by.at = Timestamp::now();
        let answer = stage.call(remove).await;
        assert_eq!(answer.ok, counts, "{answer:?}");
    }
    assert_eq!(pages(&stage).await?, 2);
    Ok(())
}

async fn a_no_is_final(stage: Stage) -> anyhow::Result<()> {
    let agent = stage.agent().await?;
    let (remove, row) = asked(&stage, &agent).await?;
    let place = (&main_site(), row.id.as_str());
    stage
        .pipeline
        .decide(place, CardDecision::No, &ana())
        .await?;
    assert_eq!(
        code(&stage.call(remove).await),
        Some(ErrorCode::ApprovalDenied)
    );
    assert!(yes(&stage, &row).await.is_err());
    assert_eq!(pages(&stage).await?, 2);
    Ok(())
}

async fn nobody_deciding_is_a_no(stage: Stage) -> anyhow::Result<()> {
    let agent = stage.agent().await?;
    let (remove, row) = asked(&stage, &agent).await?;
    let later = Timestamp::now().after(Duration::from_secs(25 * 60 * 60));
    stage.pipeline.tend(later).await?;
    assert_eq!(
        stage.store.call(&main_site(), &row.id).await?.life.state,
        CallState::Expired
    );
    assert_eq!(
        code(&stage.call(remove).await),
        Some(ErrorCode::ApprovalDenied)
    );
    assert!(yes(&stage, &row).await.is_err());
    assert_eq!(pages(&stage).await?, 2);
    Ok(())
}

async fn what_changed_since_the_yes_does_not_run(stage: Stage) -> anyhow::Result<()> {
    let agent = stage.agent().await?;
    let (remove, row) = asked(&stage, &agent).await?;
    let id = remove.arguments["pageId"].clone();
    let renamed = json!({ "pageId": id, "title": "Press" });
    let renamed = stage.call(call("renamePage", renamed, &local())).await;
    assert!(renamed.ok, "{renamed:?}");
    let decided = yes(&stage, &row).await?;
    assert_eq!(decided[0].life.state, CallState::Failed);
    assert_eq!(code(&stage.call(remove).await), Some(ErrorCode::Conflict));
    assert_eq!(pages(&stage).await?, 2);
    Ok(())
}

async fn only_people_decide(stage: Stage) -> anyhow::Result<()> {
    let agent = stage.agent().await?;
    let (_, row) = asked(&stage, &agent).await?;
    let by_token = Stamp {
        at: Timestamp::now(),
        ..agent.by.clone()
    };
    let place = (&main_site(), row.id.as_str());
    let refused = stage
        .pipeline
        .decide(place, CardDecision::Yes, &by_token)
        .await;
    assert!(matches!(refused, Err(DecideError::Step(StepError::No(_)))));
    assert_eq!(pages(&stage).await?, 2);
    Ok(())
}

/// A call as it may be made: alone, with its scope, in a turn of a conversation, and twice under one key.
fn ways_to_call(plain: &Call) -> Vec<Call> {
    let named = Call {
        scope: Some(Scope::Site),
        ..plain.clone()
    };
    let in_a_turn = Call {
        person: Some("ana".to_owned()),
        planner: "anthropic".to_owned(),
        conversation: Some("c1".to_owned()),
        turn: Some("t1".to_owned()),
        round: Some("t1-1".to_owned()),
        ..plain.clone()
    };
    let twice = keyed(CallId::new().as_str(), plain.clone());
    vec![plain.clone(), named, in_a_turn, twice.clone(), twice]
}

/// Makes a call in every way there is; each must be held for approval.
async fn is_held(stage: &Stage, plain: Call) {
    let calls = ways_to_call(&plain);
    let (told, mut answers) = tokio::sync::mpsc::channel(calls.len());
    let mut expected = calls.len();
    for call in calls.clone() {
        let answer = stage.call(call).await;
        assert_eq!(
            code(&answer),
            Some(ErrorCode::ApprovalRequired),
            "{:?} calls {}: {answer:?}",
            plain.by.author,
            plain.tool
        );
    }
    stage.pipeline.call_all(calls, told).await;
    while let Some((_, reply)) = answers.recv().await {
        let answer = Envelope::from(reply);
        assert_eq!(
            code(&answer),
            Some(ErrorCode::ApprovalRequired),
            "{:?} calls {}: {answer:?}",
            plain.by.author,
            plain.tool
        );
        expected -= 1;
    }
    assert_eq!(expected, 0);
    let foretold = stage.pipeline.predict_decision(plain).await;
    assert_eq!(
        foretold.map(|foretold| foretold.decision).ok(),
        Some(Decision::Ask)
    );
}

/// Whoever calls, however they call and whatever they say about it: nothing that asks is done before a person's yes.
async fn no_caller_and_no_way_in_gets_past_the_block(stage: Stage) -> anyhow::Result<()> {
    stage.connect(json!({}))?;
    let added = call("addPage", json!({ "title": "News" }), &local());
    let page = stage.call(added).await.data.unwrap_or_default()["pageId"].clone();
    let agent = stage.agent().await?;
    let id = || "ana".to_owned();
    let script = Author::Script { id: id() };
    let script = Committer::new(script, CapabilitySet::all(), agent.by.clone());
    let person = Committer::new(Author::Person { id: id() }, CapabilitySet::all(), ana());
    let approving = CapabilitySet::parse(&["tools.approve"], &CapabilitySet::all())?;
    let may_not_approve = CapabilitySet::all().beyond(&approving);
    let helper = Committer::new(Author::Person { id: id() }, may_not_approve, ana());
    for (tool, arguments) in [
        ("mail.send", json!({ "to": "ana" })),
        ("deletePage", json!({ "pageId": page })),
    ] {
        for (by, is_confirmed) in [
            (&local(), false),
            (&person, false),
            (&script, false),
            (&agent, false),
            // Their word that they mean it does not count.
            (&agent, true),
            (&helper, true),
        ] {
            let plain = Call {
                is_confirmed,
                ..call(tool, arguments.clone(), by)
            };
            is_held(&stage, plain).await;
        }
    }
    let (site, by) = (main_site(), ana());
    let waiting = stage.calls().await?;
    assert!(
        waiting
            .iter()
            .any(|row| row.life.state == CallState::Waiting)
    );
    for row in &waiting {
        let settle = (&site, &row.id);
        let settled = stage
            .pipeline
            .settle(settle, SettledOutcome::SendAgain, &by);
        assert!(settled.await.is_err(), "it is not in doubt");
        let place = (&site, row.id.as_str());
        let by_token = stage.pipeline.decide(place, CardDecision::Yes, &agent.by);
        assert!(by_token.await.is_err(), "a token is no person");
    }
    stage.pipeline.tend(Timestamp::now()).await?;
    stage.pipeline.taken_over_calls_ended().await;
    let stage = stage.restarted().await?;
    stage.connect(json!({}))?;
    stage.pipeline.resume().await?;
    stage.pipeline.taken_over_calls_ended().await;
    assert_eq!(stage.outside.attempts(), 0, "nothing was sent");
    assert_eq!(pages(&stage).await?, 2, "nothing was removed");
    Ok(())
}

async fn a_caller_who_is_gone_by_then_does_nothing(stage: Stage) -> anyhow::Result<()> {
    let agent = stage.agent().await?;
    let (_, row) = asked(&stage, &agent).await?;
    let sitewright_store::Actor::Token(token) = &agent.by.actor else {
        anyhow::bail!("an agent has a token");
    };
    let by = Stamp::local(Timestamp::now());
    stage
        .store
        .revoke_token(&main_site(), token, None, &by)
        .await?;
    assert!(yes(&stage, &row).await.is_err(), "nobody is asked any more");
    let row = stage.store.call(&main_site(), &row.id).await?;
    assert_eq!(row.life.state, CallState::Denied);
    assert_eq!(pages(&stage).await?, 2);
    Ok(())
}

async fn calls_of_a_round_share_a_card(stage: Stage) -> anyhow::Result<()> {
    stage.connect(json!({}))?;
    let agent = stage.agent().await?;
    for to in ["ana", "ben"] {
        let call = call("mail.send", json!({ "to": to }), &agent);
        let call = Call {
            round: Some("turn-1/2".to_owned()),
            ..call
        };
        assert_eq!(
            code(&stage.call(call).await),
            Some(ErrorCode::ApprovalRequired)
        );
    }
    let decided = stage
        .pipeline
        .decide((&main_site(), "turn-1/2"), CardDecision::Yes, &ana())
        .await?;
    assert!(
        decided
            .iter()
            .all(|call| call.life.state == CallState::Done),
        "{decided:?}"
    );
    assert_eq!(stage.outside.done().len(), 2);
    Ok(())
}

async fn a_grant_covers_the_kind_in_its_conversation_and_nothing_else(
    stage: Stage,
) -> anyhow::Result<()> {
    let agent = stage.agent().await?;
    let mut ids = Vec::new();
    for title in ["One", "Two", "Three"] {
        let added = stage
            .call(call("addPage", json!({ "title": title }), &local()))
            .await;
        ids.push(added.data.unwrap_or_default()["pageId"].clone());
    }
    let remove = async |position: usize, conversation: &str| -> Envelope {
        let mut call = call("deletePage", json!({ "pageId": ids[position] }), &agent);
        call.by.by.at = Timestamp::now();
        let person = Some("ana".to_owned());
        let conversation = Some(conversation.to_owned());
        stage
            .call(Call {
                person,
                conversation,
                ..call
            })
            .await
    };
    let answer = remove(0, "c1").await;
    let details = answer
        .error
        .and_then(|error| error.details)
        .unwrap_or_default();
    let id = details["approval"]["id"]
        .as_str()
        .unwrap_or_default()
        .to_owned();
    let site = main_site();
    let alike = |seconds| CardDecision::YesAndAlike(Duration::from_secs(seconds));
    let decide = async |decided, by: Stamp| stage.pipeline.decide((&site, &id), decided, &by).await;
    let ben = Stamp {
        actor: sitewright_store::Actor::User("ben".to_owned().into()),
        ..ana()
    };
    assert!(matches!(
        decide(alike(60), ben).await,
        Err(DecideError::NotTheirConversation)
    ));
    assert!(matches!(
        decide(alike(25 * 60 * 60), ana()).await,
        Err(DecideError::Grant(_))
    ));
    decide(alike(60), ana()).await?;
    assert!(remove(1, "c1").await.ok);
    assert_eq!(
        code(&remove(2, "c2").await),
        Some(ErrorCode::ApprovalRequired)
    );
    let audit = stage.store.audit_page(&site, None, 50).await?;
    let names_it = |entry: &&sitewright_store::AuditEntry| {
        entry
            .detail
            .as_ref()
            .is_some_and(|detail| detail.get("grant").is_some())
    };
    assert!(
        audit.entries.iter().filter(names_it).count() >= 2,
        "given, and used"
    );
    Ok(())
}

async fn what_was_agreed_to_before_a_crash_runs_after_it(stage: Stage) -> anyhow::Result<()> {
    let agent = stage.agent().await?;
    let (remove, row) = asked(&stage, &agent).await?;
    let by = ana();
    let step = sitewright_store::Step::Approve {
        by: &by.actor,
        at: by.at,
    };
    let stepped = sitewright_store::StepRecord {
        outcome: None,
        by: &by,
    };
    stage.store.step_call(&row.id, &[step], stepped).await?;
    let stage = stage.restarted().await?;
    stage.pipeline.resume().await?;
    stage.pipeline.taken_over_calls_ended().await;
    assert!(stage.call(remove).await.ok);
    assert_eq!(pages(&stage).await?, 1);
    Ok(())
}

const NOTHING_RUNS: &str =
    "@id(\"none\") @reason(\"Nothing runs today.\") forbid (principal, action, resource);";

async fn a_policy_of_the_site_counts_at_once(stage: Stage) -> anyhow::Result<()> {
    let look = || call("list_documents", json!({}), &local());
    assert!(stage.call(look()).await.ok);
    let set = async |active: Option<&str>| {
        let policy = SitePolicy {
            active: active.map(str::to_owned),
            candidate: None,
        };
        stage
            .pipeline
            .set_policy(&main_site(), &policy, &ana())
            .await
    };
    assert!(
        set(Some("permit (principal")).await?.is_err(),
        "what cannot be read is not kept"
    );
    assert!(stage.call(look()).await.ok);
    assert!(set(Some(NOTHING_RUNS)).await?.is_ok());
    let refused = stage.call(look()).await;
    assert_eq!(code(&refused), Some(ErrorCode::Forbidden));
    let message = refused.error.map(|error| error.message).unwrap_or_default();
    assert!(message.contains("Nothing runs today."), "{message}");
    // M7: who tried what is in the audit log.
    let logged = stage.store.audit_page(&main_site(), None, 1).await?;
    assert_eq!(logged.entries[0].action, "call.refused");
    assert_eq!(logged.entries[0].subject.as_deref(), Some("list_documents"));
    assert!(set(None).await?.is_ok());
    assert!(stage.call(look()).await.ok);
    Ok(())
}

async fn a_policy_that_is_tried_decides_nothing(stage: Stage) -> anyhow::Result<()> {
    let policy = SitePolicy {
        active: None,
        candidate: Some(NOTHING_RUNS.to_owned()),
    };
    assert!(
        stage
            .pipeline
            .set_policy(&main_site(), &policy, &ana())
            .await?
            .is_ok()
    );
    let added = stage
        .call(call("addPage", json!({ "title": "x" }), &local()))
        .await;
    assert!(added.ok, "{added:?}");
    let calls = stage.calls().await?;
    let judged = calls[0].judged.clone().unwrap_or_default();
    assert_eq!(judged["decision"], "allow");
    assert!(
        judged["shadow"]
            .as_str()
            .unwrap_or_default()
            .contains("would be refused"),
        "{judged}"
    );
    Ok(())
}

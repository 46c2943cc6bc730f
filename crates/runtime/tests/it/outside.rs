//! Calls whose work is elsewhere: sent once, repeated only where that does no harm, and never told as done when nobody knows.

use serde_json::json;
use sitewright_runtime::Call;
use sitewright_store::{CallId, CallState, SettledOutcome};
use sitewright_tool::{Envelope, ErrorCode, Taint};

use crate::stage::{Behaviour, Stage, ana, call, code, keyed, local, main_site, on_both};

on_both! {
    what_does_not_fit_is_never_sent
    a_write_whose_answer_is_lost_is_sent_once_and_unknown
    a_write_that_never_left_is_tried_again
    a_write_that_may_be_repeated_is_and_the_other_side_does_it_once
    a_refusal_is_not_tried_again
    an_answer_that_does_not_fit_does_not_undo_the_effect
    twins_at_the_same_time_send_once
    an_unknown_outcome_is_settled_by_a_person
    an_outcome_that_cannot_be_settled_stays_unknown
    a_call_that_is_stopped_stops_its_work
    reads_run_without_asking_and_writes_ask
    what_comes_from_outside_is_marked
}

/// Sends a letter, as somebody who may approve and says so.
fn send(key: &str) -> Call {
    let send = call("mail.send", json!({ "to": "ana" }), &local());
    keyed(
        key,
        Call {
            is_confirmed: true,
            ..send
        },
    )
}

async fn sent(stage: &Stage, behaviours: &[Behaviour]) -> Envelope {
    stage.outside.will(behaviours);
    stage.call(send("k")).await
}

async fn what_does_not_fit_is_never_sent(stage: Stage) -> anyhow::Result<()> {
    stage.connect(json!({}))?;
    let wrong = Call {
        is_confirmed: true,
        ..call("mail.send", json!({ "to": 1 }), &local())
    };
    let refused = stage.call(wrong).await;
    assert_eq!(code(&refused), Some(ErrorCode::InvalidInput));
    let details = refused
        .error
        .and_then(|error| error.details)
        .unwrap_or_default();
    assert_eq!(details["errors"][0]["pointer"], "/to");
    assert_eq!(stage.outside.attempts(), 0);
    Ok(())
}

async fn a_write_whose_answer_is_lost_is_sent_once_and_unknown(stage: Stage) -> anyhow::Result<()> {
    stage.connect(json!({}))?;
    for (number, lost) in [Behaviour::DoesItAndHangs, Behaviour::DoesItAndDropsTheLine]
        .into_iter()
        .enumerate()
    {
        stage.outside.will(&[lost]);
        let key = format!("k{number}");
        let answer = stage.call(send(&key)).await;
        assert_eq!(code(&answer), Some(ErrorCode::OutcomeUnknown));
        assert_eq!(answer.attempts, 1);
        // Asking again tells the same and sends nothing.
        assert_eq!(
            code(&stage.call(send(&key)).await),
            Some(ErrorCode::OutcomeUnknown)
        );
    }
    assert_eq!(stage.outside.done().len(), 2);
    // Neither a restart nor time sends it again.
    let stage = stage.restarted().await?;
    stage.connect(json!({}))?;
    stage.pipeline.resume().await?;
    stage.pipeline.taken_over_calls_ended().await;
    assert_eq!(stage.outside.done().len(), 2);
    let states: Vec<CallState> = stage
        .calls()
        .await?
        .iter()
        .map(|call| call.life.state)
        .collect();
    assert_eq!(states, [CallState::Unknown, CallState::Unknown]);
    Ok(())
}

async fn a_write_that_never_left_is_tried_again(stage: Stage) -> anyhow::Result<()> {
    stage.connect(json!({}))?;
    let answer = sent(&stage, &[Behaviour::IsDown, Behaviour::IsDown]).await;
    assert!(answer.ok, "{answer:?}");
    assert_eq!((answer.attempts, stage.outside.done().len()), (3, 1));
    stage.outside.will(&[Behaviour::IsDown; 3]);
    let down = stage.call(send("other")).await;
    assert_eq!(
        (code(&down), down.attempts),
        (Some(ErrorCode::UpstreamError), 3)
    );
    assert_eq!(stage.outside.done().len(), 1);
    Ok(())
}

async fn a_write_that_may_be_repeated_is_and_the_other_side_does_it_once(
    stage: Stage,
) -> anyhow::Result<()> {
    stage.connect(json!({ "idempotent": true }))?;
    let answer = sent(
        &stage,
        &[Behaviour::DoesItAndDropsTheLine, Behaviour::IsBusy],
    )
    .await;
    assert!(answer.ok, "{answer:?}");
    assert_eq!(answer.attempts, 3);
    assert_eq!(
        stage.outside.done(),
        ["k"],
        "every attempt has the same key"
    );
    Ok(())
}

async fn a_refusal_is_not_tried_again(stage: Stage) -> anyhow::Result<()> {
    stage.connect(json!({ "idempotent": true }))?;
    let answer = sent(&stage, &[Behaviour::Refuses]).await;
    assert_eq!(
        (code(&answer), answer.attempts),
        (Some(ErrorCode::InvalidInput), 1)
    );
    let again = stage.call(send("k")).await;
    assert_eq!(code(&again), Some(ErrorCode::InvalidInput));
    assert_eq!(stage.outside.attempts(), 1);
    Ok(())
}

async fn an_answer_that_does_not_fit_does_not_undo_the_effect(stage: Stage) -> anyhow::Result<()> {
    stage.connect(json!({ "idempotent": true }))?;
    let answer = sent(&stage, &[Behaviour::DoesItAndAnswersNonsense]).await;
    assert_eq!(
        (code(&answer), answer.attempts),
        (Some(ErrorCode::InvalidOutput), 1)
    );
    let error = answer.error.unwrap_or_else(|| unreachable!("it failed"));
    assert!(
        !error.retryable && error.message.starts_with("It was done"),
        "{error:?}"
    );
    assert_eq!(
        code(&stage.call(send("k")).await),
        Some(ErrorCode::InvalidOutput)
    );
    assert_eq!(stage.outside.done(), ["k"]);
    Ok(())
}

async fn twins_at_the_same_time_send_once(stage: Stage) -> anyhow::Result<()> {
    stage.connect(json!({}))?;
    let twins = (0..8).map(|_| stage.call(send("k")));
    let answers = futures_util::future::join_all(twins).await;
    assert!(answers.iter().all(|answer| answer.ok), "{answers:?}");
    assert_eq!(stage.outside.done(), ["k"]);
    Ok(())
}

async fn an_unknown_outcome_is_settled_by_a_person(stage: Stage) -> anyhow::Result<()> {
    stage.connect(json!({}))?;
    sent(&stage, &[Behaviour::DoesItAndDropsTheLine]).await;
    let id = stage.calls().await?[0].id.clone();
    let site = main_site();
    let again = stage
        .pipeline
        .settle((&site, &id), SettledOutcome::SendAgain, &ana())
        .await;
    assert!(again.is_err(), "it might be done twice");
    let settled = stage
        .pipeline
        .settle((&site, &id), SettledOutcome::Happened, &ana())
        .await?;
    assert_eq!(settled.life.state, CallState::Done);
    assert!(stage.call(send("k")).await.ok);
    assert!(
        stage
            .pipeline
            .settle((&site, &id), SettledOutcome::DidNotHappen, &ana())
            .await
            .is_err()
    );

    stage.connect(json!({ "idempotent": true }))?;
    stage.outside.will(&[Behaviour::DoesItAndDropsTheLine; 3]);
    stage.call(send("other")).await;
    let id = stage.calls().await?[0].id.clone();
    let settled = stage
        .pipeline
        .settle((&site, &id), SettledOutcome::SendAgain, &ana())
        .await?;
    assert_eq!(
        settled.life.state,
        CallState::Done,
        "the other side knows the key"
    );
    assert_eq!(stage.outside.done(), ["k", "other"]);
    Ok(())
}

/// Each way in which settling fails leaves the call as it was, so that the right person can still settle it.
async fn an_outcome_that_cannot_be_settled_stays_unknown(stage: Stage) -> anyhow::Result<()> {
    stage.connect(json!({}))?;
    sent(&stage, &[Behaviour::DoesItAndDropsTheLine]).await;
    let id = stage.calls().await?[0].id.clone();
    let elsewhere = stage.store.create_site("two", "Two", ana().at).await?.id;
    let agent = stage.agent().await?.by;
    let (here, unknown) = (main_site(), CallId::new());
    let happened = SettledOutcome::Happened;
    for (site, call, by, reason) in [
        (&elsewhere, &id, ana(), "there is no such call"),
        (&here, &unknown, ana(), "there is no such call"),
        (&here, &id, agent, "sign in to decide"),
    ] {
        let refused = stage.pipeline.settle((site, call), happened, &by).await;
        let told = refused
            .map(|call| call.life.state)
            .map_err(|error| error.to_string());
        assert!(
            matches!(&told, Err(told) if told.contains(reason)),
            "{told:?}"
        );
        assert_eq!(stage.calls().await?[0].life.state, CallState::Unknown);
    }
    let settled = stage
        .pipeline
        .settle((&here, &id), happened, &ana())
        .await?;
    assert_eq!(settled.life.state, CallState::Done);
    Ok(())
}

async fn a_call_that_is_stopped_stops_its_work(stage: Stage) -> anyhow::Result<()> {
    stage.connect(json!({ "capability": "read", "timeoutMs": 60_000 }))?;
    stage.outside.will(&[Behaviour::DoesItAndHangs]);
    let look = call("mail.send", json!({ "to": "ana" }), &local());
    let stop = look.stop.clone();
    let running = stage.call(look);
    let (answer, ()) = tokio::join!(running, async {
        while stage.outside.done().is_empty() {
            tokio::task::yield_now().await;
        }
        stop.cancel();
    });
    assert_eq!(code(&answer), Some(ErrorCode::Cancelled));
    // A write goes on when its caller is gone, and its end is kept.
    stage.connect(json!({}))?;
    stage.outside.will(&[Behaviour::DoesItAndHangs]);
    let before = stage.outside.done().len();
    tokio::select! {
        answer = stage.call(send("k")) => panic!("it answered: {answer:?}"),
        () = async {
            while stage.outside.done().len() == before {
                tokio::task::yield_now().await;
            }
        } => {}
    }
    let answer = stage.call(send("k")).await;
    assert_eq!(code(&answer), Some(ErrorCode::OutcomeUnknown));
    Ok(())
}

async fn reads_run_without_asking_and_writes_ask(stage: Stage) -> anyhow::Result<()> {
    stage.connect(json!({ "capability": "read" }))?;
    let agent = stage.agent().await?;
    let read = stage
        .call(call("mail.send", json!({ "to": "ana" }), &agent))
        .await;
    assert!(read.ok, "{read:?}");
    stage.connect(json!({}))?;
    let asks = Call {
        is_confirmed: true,
        ..call("mail.send", json!({ "to": "ana" }), &agent)
    };
    let answer = stage.call(asks).await;
    assert_eq!(
        code(&answer),
        Some(ErrorCode::ApprovalRequired),
        "a model's word counts for nothing"
    );
    assert_eq!(stage.outside.done().len(), 1);
    Ok(())
}

async fn what_comes_from_outside_is_marked(stage: Stage) -> anyhow::Result<()> {
    stage.connect(json!({ "capability": "read" }))?;
    let read = stage
        .call(call("mail.send", json!({ "to": "ana" }), &local()))
        .await;
    assert_eq!(read.taint, Taint::Untrusted);
    Ok(())
}

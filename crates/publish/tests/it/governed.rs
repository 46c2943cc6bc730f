//! Publishing as a tool: an agent asks, a person's own word counts, a yes is for what was shown, and nothing happens twice.

use anyhow::{Context as _, Result};
use serde_json::{Value, json};
use sitewright_runtime::{Call, CardDecision};
use sitewright_store::{Actor, CallState, Committer, Stamp, Timestamp};
use sitewright_tool::{Capability, CapabilitySet, Envelope, ErrorCode};

use crate::press::{Press, local, on_both, person};

on_both! {
    an_agent_asks_and_a_yes_publishes_what_was_shown
    what_changed_since_it_was_shown_is_not_published
    a_persons_own_word_counts_and_an_agents_does_not
    whoever_may_not_publish_cannot
    looking_needs_no_yes
    going_back_asks_too
    a_repeat_of_a_call_publishes_nothing_more
}

fn call(press: &Press, tool: &str, arguments: Value, by: &Committer) -> Call {
    Call::new(press.site.clone(), tool, arguments, by.clone())
}

fn code(answer: &Envelope) -> Option<ErrorCode> {
    answer.error.as_ref().map(|error| error.code)
}

/// Has an agent ask, and tells the call that waits.
async fn asked(press: &Press, tool: &str) -> Result<String> {
    let agent = press.agent().await?;
    let answer = press.call(call(press, tool, json!({}), &agent)).await;
    assert_eq!(
        code(&answer),
        Some(ErrorCode::ApprovalRequired),
        "{answer:?}"
    );
    let details = answer
        .error
        .and_then(|error| error.details)
        .context("details")?;
    Ok(details["approval"]["id"]
        .as_str()
        .context("an id")?
        .to_owned())
}

async fn yes(press: &Press, id: &str) -> Result<(CallState, Envelope)> {
    let by = Stamp {
        actor: Actor::User("ana".to_owned().into()),
        at: Timestamp::now(),
    };
    let place = (&press.site, id);
    let mut calls = press.pipeline.decide(place, CardDecision::Yes, &by).await?;
    let call = calls.pop().context("a call")?;
    Ok((call.life.state, call.outcome.context("an outcome")?))
}

async fn an_agent_asks_and_a_yes_publishes_what_was_shown(press: Press) -> Result<()> {
    press.page("About", "about", "<p>Us</p>").await?;
    let id = asked(&press, "publishSite").await?;
    assert!(press.publisher.shown(&press.site).await?.is_none());
    let row = press.store.call(&press.site, &id.clone().into()).await?;
    let preview = row.preview.context("a preview")?;
    assert_eq!(
        (&preview["changed"], &preview["pages"]),
        (&json!(3), &json!(2))
    );
    assert_eq!(preview["changes"][2]["address"], "/about");
    let judged = row.judged.context("a judgement")?;
    let why = judged["why"].as_str().unwrap_or_default();
    assert!(
        why.contains("Publishing shows the site to everybody"),
        "{why}"
    );
    let (state, outcome) = yes(&press, &id).await?;
    assert_eq!(state, CallState::Done, "{outcome:?}");
    let data = outcome.data.context("data")?;
    assert_eq!(
        (&data["release"], &data["isNew"], &data["before"]),
        (&json!(1), &json!(true), &Value::Null)
    );
    assert_eq!(press.visit("/about").await?.0, 200);
    let release = &press.store.releases(&press.site, None, 1).await?[0];
    assert!(
        matches!(release.actor, Actor::Token(_)),
        "{:?}",
        release.actor
    );
    Ok(())
}

async fn what_changed_since_it_was_shown_is_not_published(press: Press) -> Result<()> {
    let id = asked(&press, "publishSite").await?;
    press.page("Hidden", "hidden", "<p>Slipped in</p>").await?;
    let (state, outcome) = yes(&press, &id).await?;
    assert_eq!(
        (state, code(&outcome)),
        (CallState::Failed, Some(ErrorCode::Conflict))
    );
    assert!(press.publisher.shown(&press.site).await?.is_none());
    Ok(())
}

async fn a_persons_own_word_counts_and_an_agents_does_not(press: Press) -> Result<()> {
    let confirmed = |by: &Committer| Call {
        is_confirmed: true,
        ..call(&press, "publishSite", json!({ "note": "Spring" }), by)
    };
    let agent = press.agent().await?;
    let answer = press.call(confirmed(&agent)).await;
    assert_eq!(code(&answer), Some(ErrorCode::ApprovalRequired));
    // An editor may publish and may not approve what others want.
    let editor = Committer {
        capabilities: [Capability::SiteRead, Capability::SitePublish]
            .into_iter()
            .collect(),
        ..person("eddy")
    };
    let answer = press.call(confirmed(&editor)).await;
    assert!(answer.ok, "{answer:?}");
    let release = &press.store.releases(&press.site, None, 1).await?[0];
    assert_eq!(
        (release.note.as_str(), release.actor.to_string().as_str()),
        ("Spring", "user:eddy")
    );
    // Whoever sits at the machine needs nobody else's yes.
    press.page("About", "about", "<p>Us</p>").await?;
    assert!(press.call(confirmed(&local())).await.ok);
    Ok(())
}

async fn whoever_may_not_publish_cannot(press: Press) -> Result<()> {
    let everything_else = Capability::ALL
        .iter()
        .copied()
        .filter(|capability| *capability != Capability::SitePublish);
    let by = Committer {
        capabilities: everything_else.collect::<CapabilitySet>(),
        ..local()
    };
    for tool in ["publishSite", "rollbackSite"] {
        let answer = press.call(Call {
            is_confirmed: true,
            ..call(&press, tool, json!({}), &by)
        });
        assert_eq!(code(&answer.await), Some(ErrorCode::Forbidden), "{tool}");
    }
    assert!(press.publisher.shown(&press.site).await?.is_none());
    Ok(())
}

async fn looking_needs_no_yes(press: Press) -> Result<()> {
    let agent = press.agent().await?;
    let answer = press
        .call(call(&press, "previewPublish", json!({}), &agent))
        .await;
    let data = answer.data.context("data")?;
    assert_eq!(
        (&data["release"], &data["changed"]),
        (&Value::Null, &json!(2))
    );
    assert!(data["version"].is_string());
    Ok(())
}

async fn going_back_asks_too(press: Press) -> Result<()> {
    press.publish().await?;
    press.page("About", "about", "<p>Us</p>").await?;
    press.publish().await?;
    let id = asked(&press, "rollbackSite").await?;
    assert_eq!(press.visit("/about").await?.0, 200);
    let (state, outcome) = yes(&press, &id).await?;
    assert_eq!(state, CallState::Done, "{outcome:?}");
    assert_eq!(press.visit("/about").await?.0, 404);
    // A yes to go back from one release is none to go back from another.
    let id = {
        press.publish().await?;
        asked(&press, "rollbackSite").await?
    };
    press.page("More", "more", "<p>More</p>").await?;
    press.publish().await?;
    let (state, outcome) = yes(&press, &id).await?;
    assert_eq!(
        (state, code(&outcome)),
        (CallState::Failed, Some(ErrorCode::Conflict))
    );
    assert_eq!(press.visit("/more").await?.0, 200);
    Ok(())
}

async fn a_repeat_of_a_call_publishes_nothing_more(press: Press) -> Result<()> {
    let publish = || Call {
        key: Some("once".to_owned()),
        is_confirmed: true,
        ..call(&press, "publishSite", json!({}), &local())
    };
    let first = press.call(publish()).await;
    press.page("About", "about", "<p>Us</p>").await?;
    let again = press.call(publish()).await;
    assert_eq!(first.data, again.data);
    assert_eq!(press.visit("/about").await?.0, 404);
    assert_eq!(press.store.releases(&press.site, None, 10).await?.len(), 1);
    Ok(())
}

//! What turns may spend of a month, when several run at once.

use std::time::Duration;

use anyhow::Result;
use futures_util::future::join_all;
use serde_json::json;
use sitewright_store::{
    Actor, Conversation, ConversationId, SiteId, SpendingCaps, SpendingMonth, Stamp, Store,
    TurnEnding, TurnId, TurnRecord, TurnState, UsageId, UsageRow,
};
use sitewright_tool::Scope;

use crate::both::{Fresh, on_both};
use crate::people::NOW;

on_both! {
    l8_turns_reserve_what_is_left_one_after_another
    l8_of_many_turns_at_once_one_gets_the_last_money
    a_run_without_a_price_counts_at_an_assumed_one
}

/// Begins a turn in a conversation of its own.
async fn begun(store: &Store, site: &SiteId) -> Result<TurnRecord> {
    let conversation = Conversation {
        id: ConversationId::new(),
        site: site.clone(),
        owner: "local".to_owned(),
        scope: Scope::Site,
        title: String::new(),
        credential: None,
        model: None,
        context_tokens: None,
        is_tainted: false,
        created_at: NOW,
        updated_at: NOW,
    };
    let by = Stamp::local(NOW);
    store.create_conversation(&conversation, &by).await?;
    let turn = TurnRecord {
        id: TurnId::new(),
        site: site.clone(),
        conversation: conversation.id,
        actor: Actor::Local,
        state: TurnState::Running,
        request: json!({}),
        outcome: None,
        holder: "here".to_owned(),
        held_until: NOW.after(Duration::from_secs(30)),
        started_at: NOW,
        ended_at: None,
    };
    store.begin_turn(&turn, "[]").await?;
    Ok(turn)
}

fn month(tokens: u64, cost: u64) -> SpendingMonth {
    SpendingMonth {
        since: NOW,
        caps: caps(tokens, cost),
        assumed_picodollars_per_token: 2,
    }
}

fn caps(tokens: u64, cost: u64) -> SpendingCaps {
    SpendingCaps {
        tokens: Some(tokens),
        cost_picodollars: Some(cost),
    }
}

pub(crate) fn used(turn: &TurnRecord, tokens: u64, cost: Option<u64>) -> UsageRow {
    UsageRow {
        id: UsageId::new(),
        site: turn.site.clone(),
        turn_id: turn.id.clone(),
        conversation_id: turn.conversation.clone(),
        user_id: turn.actor.clone(),
        scope: Scope::Site,
        provider_id: "anthropic".to_owned(),
        model_id: "claude".to_owned(),
        prompt_tokens: tokens,
        completion_tokens: 0,
        cache_read_tokens: 0,
        cache_creation_tokens: 0,
        tokens,
        cost_picodollars: cost,
        at: NOW,
    }
}

async fn l8_turns_reserve_what_is_left_one_after_another(fresh: &Fresh) -> Result<()> {
    let store = fresh.open().await;
    let site = store.sites().await?.remove(0).id;
    let (one, two, three) = (
        begun(&store, &site).await?,
        begun(&store, &site).await?,
        begun(&store, &site).await?,
    );
    let month = month(100, 1000);
    let own = caps(60, 200);
    let left = store.reserve_spending(&one, own, &month).await?;
    assert_eq!(left, Some(caps(100, 1000)));
    let left = store.reserve_spending(&two, own, &month).await?;
    assert_eq!(left, Some(caps(40, 800)), "60 and 200 are set aside");
    assert_eq!(store.reserve_spending(&three, own, &month).await?, None);
    // What a turn uses comes out of what it has reserved.
    store.record_usage(&used(&one, 50, Some(100))).await?;
    let left = store.spending_left(&site, &Actor::Local, &month).await?;
    assert_eq!(left, caps(0, 600));
    // What it has not used is there again once it is over.
    let outcome = json!({});
    let ending = TurnEnding {
        state: TurnState::Done,
        outcome: &outcome,
        context_tokens: None,
    };
    store.end_turn(&one, ending, &Stamp::local(NOW)).await?;
    let left = store.reserve_spending(&three, own, &month).await?;
    assert_eq!(left, Some(caps(10, 700)));
    Ok(())
}

async fn l8_of_many_turns_at_once_one_gets_the_last_money(fresh: &Fresh) -> Result<()> {
    let store = fresh.open().await;
    let site = store.sites().await?.remove(0).id;
    let mut turns = Vec::new();
    for _ in 0..8 {
        turns.push(begun(&store, &site).await?);
    }
    let month = month(100, 100);
    let own = caps(100, 100);
    let reserving = turns
        .iter()
        .map(|turn| store.reserve_spending(turn, own, &month));
    let mut got = 0;
    for reserved in join_all(reserving).await {
        got += usize::from(reserved?.is_some());
    }
    assert_eq!(got, 1);
    Ok(())
}

async fn a_run_without_a_price_counts_at_an_assumed_one(fresh: &Fresh) -> Result<()> {
    let store = fresh.open().await;
    let site = store.sites().await?.remove(0).id;
    let turn = begun(&store, &site).await?;
    store.record_usage(&used(&turn, 30, None)).await?;
    store.record_usage(&used(&turn, 10, Some(5))).await?;
    let month = month(100, 100);
    let left = store.spending_left(&site, &Actor::Local, &month).await?;
    assert_eq!(left, caps(60, 35));
    Ok(())
}

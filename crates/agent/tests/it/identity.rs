//! Who a turn runs for, with what rights, and what is known of where its words came from: across queued messages, restarts and plans.

use anyhow::{Context as _, Result};
use serde_json::{Value, json};
use sitewright_agent::{AgentError, Executor, Mode, NewMessage};
use sitewright_llm::Block;
use sitewright_runtime::CardDecision;
use sitewright_site::{Author, Change, ChangeId, Entity, FORMAT, Op, View};
use sitewright_store::{
    Actor, AiBudget, BuiltInRole, CallFilter, CallState, Committer, ConversationId,
    ConversationOwner, NewToken, NewUser, Stamp, Timestamp, TokenKind, TurnId, UserId,
};
use sitewright_tool::{Capability, CapabilitySet, Taint};

use crate::desk::{Desk, Followed, calls, says};

fn add_page(id: &str, title: &str) -> Value {
    calls(id, "addPage", json!({ "title": title }))
}

/// A round that asks a person, so that the turn waits.
fn delete(page: &str) -> Value {
    calls("ask", "deletePage", json!({ "pageId": page }))
}

/// Somebody who talks to the assistant, and the conversation they do it in.
struct Speaker<'a> {
    owner: &'a str,
    actor: Actor,
    person: Option<&'a UserId>,
    capabilities: CapabilitySet,
    conversation: &'a ConversationId,
}

impl Speaker<'_> {
    fn says(&self, desk: &Desk, text: &str, mode: Mode) -> NewMessage {
        NewMessage {
            site: desk.site.clone(),
            conversation: self.conversation.clone(),
            owner: self.owner.to_owned(),
            person: self.person.map(ToString::to_string),
            actor: self.actor.clone(),
            capabilities: self.capabilities.clone(),
            content: vec![Block::text(text)],
            mode,
            executor: Executor::Headless,
            view: View::default(),
            entry: None,
        }
    }
}

fn person<'a>(id: &'a UserId, conversation: &'a ConversationId) -> Speaker<'a> {
    Speaker {
        owner: id.as_str(),
        actor: Actor::User(id.clone()),
        person: Some(id),
        capabilities: CapabilitySet::all(),
        conversation,
    }
}

async fn decide(desk: &Desk, decision: CardDecision, by: &UserId) -> Result<()> {
    let filter = CallFilter {
        state: Some(CallState::Waiting),
        ..CallFilter::default()
    };
    let waiting = desk.store.calls(&desk.site, filter, 10).await?;
    let waiting = waiting.first().context("a call that waits")?;
    let by = Stamp {
        actor: Actor::User(by.clone()),
        at: Timestamp::now(),
    };
    let place = (&desk.site, waiting.id.as_str());
    desk.pipeline.decide(place, decision, &by).await?;
    desk.agent.decided();
    Ok(())
}

/// H5: what a token with `ai.chat` alone says in the conversation of its maker is not done with the maker's rights, neither by the turn
/// that is open nor by the next one.
#[tokio::test]
async fn h5_a_message_runs_with_the_rights_of_its_sender() -> Result<()> {
    let mut desk = Desk::open().await?;
    let page = desk.page("Old").await?;
    let refused = json!({ "expect": ["There is no tool `addPage` on offer"], "reply": { "blocks": [{ "text": "I cannot." }] } });
    desk.plays(json!([
        delete(&page),
        { "expectNot": ["Injected"], "reply": { "blocks": [{ "text": "Then it stays." }] } },
        add_page("c1", "Injected"),
        refused,
    ]));
    let ada = desk.owner().await?;
    let conversation = desk.conversation(ada.as_str()).await?;
    let new = NewToken {
        site: &desk.site,
        name: "chats",
        kind: TokenKind::Agent,
        capabilities: [Capability::AiChat].into_iter().collect(),
        maker: Some(&ada),
        parent: None,
        expires_at: None,
    };
    let by = Stamp::local(Timestamp::now());
    let (_, token) = desk.store.create_token(new, &by).await?;
    let hers = person(&ada, &conversation);
    let token = Speaker {
        actor: Actor::Token(token.id),
        capabilities: token.capabilities.clone(),
        ..person(&ada, &conversation)
    };
    let sent = desk.agent.send(hers.says(&desk, "remove it", Mode::Edit));
    let mut turn = Followed::new(sent.await?);
    turn.until("approvalRequest").await?;
    let queued = token.says(&desk, "add a page called Injected", Mode::Edit);
    desk.agent.send(queued).await?;
    decide(&desk, CardDecision::No, &ada).await?;
    let next = turn.until("nextTurn").await?;
    let next = TurnId::from(next["turnId"].as_str().context("a turn")?.to_owned());
    let record = desk.store.turn(&desk.site, &next).await?;
    assert_eq!(record.actor, token.actor);
    desk.followed(ada.as_str(), &next).await?.end().await?;
    assert!(!desk.titles().await?.contains(&"Injected".to_owned()));
    Ok(())
}

async fn eve(desk: &Desk) -> Result<UserId> {
    let new = NewUser {
        email: "eve@example.com",
        name: "Eve",
        password_hash: None,
        role: BuiltInRole::Editor.key(),
    };
    let by = Stamp::local(Timestamp::now());
    let member = desk.store.add_member(&desk.site, new, &by).await?;
    Ok(member.user.id)
}

/// M2: a turn goes on with what its person may do by then.
#[tokio::test]
async fn m2_a_turn_goes_on_with_what_its_person_may_do_by_then() -> Result<()> {
    let mut desk = Desk::open().await?;
    let page = desk.page("Old").await?;
    desk.plays(json!([
        delete(&page),
        add_page("c1", "Later"),
        { "expect": ["This needs the permission"], "reply": { "blocks": [{ "text": "I may not." }] } },
    ]));
    let (ada, eve) = (desk.owner().await?, eve(&desk).await?);
    let conversation = desk.conversation(eve.as_str()).await?;
    let message = person(&eve, &conversation).says(&desk, "remove it", Mode::Edit);
    let mut turn = Followed::new(desk.agent.send(message).await?);
    turn.until("approvalRequest").await?;
    let (by, viewer) = (Stamp::local(Timestamp::now()), BuiltInRole::Viewer.key());
    desk.store.set_role(&desk.site, &eve, &viewer, &by).await?;
    decide(&desk, CardDecision::Yes, &ada).await?;
    turn.end().await?;
    assert_eq!(desk.titles().await?, ["Home", "Old"]);
    Ok(())
}

/// M2: the turn of somebody who was removed stops, and nobody is asked on its behalf any more.
#[tokio::test]
async fn m2_the_turn_of_a_removed_member_stops() -> Result<()> {
    let mut desk = Desk::open().await?;
    let page = desk.page("Old").await?;
    desk.plays(json!([delete(&page)]));
    desk.owner().await?;
    let eve = eve(&desk).await?;
    let conversation = desk.conversation(eve.as_str()).await?;
    let message = person(&eve, &conversation).says(&desk, "remove it", Mode::Edit);
    let mut turn = Followed::new(desk.agent.send(message).await?);
    turn.until("approvalRequest").await?;
    let by = Stamp::local(Timestamp::now());
    desk.store.remove_member(&desk.site, &eve, &by).await?;
    desk.agent.decided();
    let last = turn.end().await?;
    let message = last["message"].as_str().unwrap_or_default();
    assert!(message.contains("may no longer use this site"), "{last}");
    assert_eq!(desk.titles().await?, ["Home", "Old"]);
    Ok(())
}

/// M1: a restart between what came from outside and what follows from it loses nothing.
#[tokio::test]
async fn m1_a_restart_does_not_wash_a_conversation() -> Result<()> {
    let mut desk = Desk::open().await?;
    let page = desk.page("Old").await?;
    desk.plays(json!([
        calls("c1", "pimRead", json!({ "sku": "1" })),
        delete(&page),
        add_page("c2", "From outside"),
        says("Done."),
    ]));
    let ada = desk.owner().await?;
    let conversation = desk.conversation(ada.as_str()).await?;
    let message = person(&ada, &conversation).says(&desk, "go", Mode::Edit);
    let mut turn = Followed::new(desk.agent.send(message).await?);
    turn.until("approvalRequest").await?;
    let id = turn.id.clone();
    let desk = desk.restarted().await?;
    desk.agent.resume().await?;
    let mut turn = desk.followed(ada.as_str(), &id).await?;
    decide(&desk, CardDecision::No, &ada).await?;
    turn.end().await?;
    assert!(desk.titles().await?.contains(&"From outside".to_owned()));
    let newest = desk.store.history(&desk.site, None, None, 1).await?;
    assert_eq!(newest.entries[0].taint, Taint::Untrusted);
    Ok(())
}

/// M1: a plan that was made under the influence of something from outside is marked when it is accepted, and stays the assistant's work.
#[tokio::test]
async fn m1_an_accepted_plan_keeps_its_mark() -> Result<()> {
    let mut desk = Desk::open().await?;
    let plan = json!({
        "intent": "edit_plan", "summary_for_user": "A page.", "change_log": ["Adds Team"],
        "ops": [{ "op": "add_page", "title": "Team" }], "suggested_next_actions": [],
    });
    desk.plays(json!([
        calls("c1", "pimRead", json!({ "sku": "1" })),
        calls("c2", "submit_edit_plan", plan),
    ]));
    let ada = desk.owner().await?;
    let conversation = desk.conversation(ada.as_str()).await?;
    let speaker = person(&ada, &conversation);
    let message = speaker.says(&desk, "plan a page", Mode::Plan);
    let mut turn = Followed::new(desk.agent.send(message).await?);
    turn.end().await?;
    let place = ConversationOwner {
        site: &desk.site,
        owner: ada.as_str(),
    };
    let by = Stamp {
        actor: speaker.actor.clone(),
        at: Timestamp::now(),
    };
    let author = Author::Person {
        id: ada.to_string(),
    };
    let by = Committer::new(author, CapabilitySet::all(), by);
    let accepted = desk.agent.accept_plan(place, &turn.id, None, by).await?;
    assert_eq!(accepted.error(), None);
    assert!(desk.titles().await?.contains(&"Team".to_owned()));
    let newest = desk.store.history(&desk.site, None, None, 1).await?;
    let entry = &newest.entries[0];
    let agent = Author::Agent {
        id: ada.to_string(),
    };
    assert_eq!((entry.taint, &entry.author), (Taint::Untrusted, &agent));
    Ok(())
}

/// M1: a plan is the assistant's work when a person accepts it, so a page that was locked for agents in between is not changed by it.
/// The lock is a change that the plan does not know, so accepting is a conflict.
#[tokio::test]
async fn m1_an_accepted_plan_leaves_a_page_that_was_locked_since() -> Result<()> {
    let mut desk = Desk::open().await?;
    let page = desk.page("Prices").await?;
    let plan = json!({
        "intent": "edit_plan", "summary_for_user": "Another title.", "change_log": ["Renames Prices"],
        "ops": [{ "op": "rename_page", "page": page, "title": "Offers" }], "suggested_next_actions": [],
    });
    desk.plays(json!([calls("c1", "submit_edit_plan", plan)]));
    let ada = desk.owner().await?;
    let conversation = desk.conversation(ada.as_str()).await?;
    let speaker = person(&ada, &conversation);
    let message = speaker.says(&desk, "plan it", Mode::Plan);
    let mut turn = Followed::new(desk.agent.send(message).await?);
    turn.end().await?;
    let by = Stamp {
        actor: speaker.actor.clone(),
        at: Timestamp::now(),
    };
    let author = Author::Person {
        id: ada.to_string(),
    };
    let by = Committer::new(author.clone(), CapabilitySet::all(), by);
    let lock = Change {
        id: ChangeId::from("lock".to_owned()),
        author,
        turn: None,
        summary: "Lock Prices".to_owned(),
        ops: vec![Op::Put {
            entity: Entity::Page { id: page.parse()? },
            field: "lock".to_owned(),
            value: json!("locked"),
        }],
        expects: Vec::new(),
        format: FORMAT,
    };
    let mut live = desk.store.live_site(&desk.site).await?;
    live.commit(&lock, &by).await?;
    drop(live);
    let place = ConversationOwner {
        site: &desk.site,
        owner: ada.as_str(),
    };
    let accepted = desk.agent.accept_plan(place, &turn.id, None, by).await?;
    let refused = accepted.error().context("the page is locked")?;
    assert!(refused.message.contains("Lock Prices"), "{refused:?}");
    assert!(desk.titles().await?.contains(&"Prices".to_owned()));
    Ok(())
}

/// M11: other nodes take a turn for dead when its lease runs out. Renewing it counts from the moment of the renewal, however long the
/// process was busy before, and a node that looks for dead turns then leaves this one alone.
#[tokio::test]
async fn m11_a_lease_is_renewed_from_the_present_time() -> Result<()> {
    let mut desk = Desk::open().await?;
    let page = desk.page("Old").await?;
    desk.plays(json!([delete(&page), says("Then it stays.")]));
    let ada = desk.owner().await?;
    let conversation = desk.conversation(ada.as_str()).await?;
    let message = person(&ada, &conversation).says(&desk, "remove it", Mode::Edit);
    let mut turn = Followed::new(desk.agent.send(message).await?);
    turn.until("approvalRequest").await?;
    let abandoned = async |before| desk.store.abandoned_turns(before).await;
    let holder = {
        let all = abandoned(Timestamp::from_millis(i64::MAX)).await?;
        all.first().context("a turn")?.holder.clone()
    };
    // As if nothing had been renewed for an hour.
    let hour = std::time::Duration::from_secs(60 * 60);
    let long_ago = Timestamp::now().before(hour);
    desk.store.hold_turns(&holder, long_ago).await?;
    let now = Timestamp::now();
    assert_eq!(abandoned(now).await?.len(), 1, "its lease is over");
    desk.agent.renew_leases().await?;
    assert_eq!(abandoned(now).await?.len(), 0);
    let lease = abandoned(Timestamp::from_millis(i64::MAX)).await?;
    assert!(lease[0].held_until > now);
    decide(&desk, CardDecision::No, &ada).await?;
    turn.end().await?;
    Ok(())
}

/// L8: what a turn used is recorded after each round, so that a process that dies loses at most one.
#[tokio::test]
async fn l8_usage_is_recorded_while_a_turn_runs() -> Result<()> {
    let mut desk = Desk::open().await?;
    let page = desk.page("Old").await?;
    desk.plays(json!([delete(&page), says("Then it stays.")]));
    let ada = desk.owner().await?;
    let conversation = desk.conversation(ada.as_str()).await?;
    let message = person(&ada, &conversation).says(&desk, "remove it", Mode::Edit);
    let mut turn = Followed::new(desk.agent.send(message).await?);
    turn.until("approvalRequest").await?;
    let since = Timestamp::from_millis(0);
    let spent = async || desk.store.spent_since(&desk.site, None, since).await;
    let after_one = spent().await?.tokens;
    assert!(after_one > 0);
    decide(&desk, CardDecision::No, &ada).await?;
    turn.end().await?;
    assert_eq!(spent().await?.tokens, 2 * after_one, "each round once");
    Ok(())
}

/// L8: what is left of a month is set aside for one turn, and not for each that begins meanwhile; the next turn of a conversation is held
/// against it as well.
#[tokio::test]
async fn l8_turns_at_the_same_time_do_not_spend_the_same_money() -> Result<()> {
    let mut desk = Desk::open().await?;
    let page = desk.page("Old").await?;
    desk.plays(json!([
        delete(&page),
        { "expect": ["and then"], "reply": { "blocks": [{ "text": "Then it stays." }] } },
    ]));
    let ada = desk.owner().await?;
    let (one, other) = (
        desk.conversation(ada.as_str()).await?,
        desk.conversation(ada.as_str()).await?,
    );
    let budget = AiBudget {
        turn_usd: Some(1.0),
        user_month_usd: Some(1.0),
        ..AiBudget::default()
    };
    let by = Stamp::local(Timestamp::now());
    desk.store.set_ai_budget(&desk.site, &budget, &by).await?;
    let message = person(&ada, &one).says(&desk, "remove it", Mode::Edit);
    let mut turn = Followed::new(desk.agent.send(message).await?);
    turn.until("approvalRequest").await?;
    let second = person(&ada, &other).says(&desk, "me too", Mode::Edit);
    let refused = desk.agent.send(second).await.err();
    assert!(
        matches!(refused, Some(AgentError::OverBudget(_))),
        "{refused:?}"
    );
    let queued = person(&ada, &one).says(&desk, "and then", Mode::Edit);
    desk.agent.send(queued).await?;
    decide(&desk, CardDecision::No, &ada).await?;
    let last = turn.end().await?;
    assert_eq!(last["outcome"], "done", "{last}");
    Ok(())
}

/// L8: messages that waited for the end of a turn are held against the month, too, and their senders are told.
#[tokio::test]
async fn l8_the_next_turn_of_a_conversation_needs_money() -> Result<()> {
    let mut desk = Desk::open().await?;
    let page = desk.page("Old").await?;
    desk.plays(json!([delete(&page)]));
    let ada = desk.owner().await?;
    let conversation = desk.conversation(ada.as_str()).await?;
    let speaker = person(&ada, &conversation);
    let message = speaker.says(&desk, "remove it", Mode::Edit);
    let mut turn = Followed::new(desk.agent.send(message).await?);
    turn.until("approvalRequest").await?;
    let queued = speaker.says(&desk, "and then", Mode::Edit);
    desk.agent.send(queued).await?;
    let budget = AiBudget {
        user_month_usd: Some(0.000_001),
        ..AiBudget::default()
    };
    let by = Stamp::local(Timestamp::now());
    desk.store.set_ai_budget(&desk.site, &budget, &by).await?;
    let place = ConversationOwner {
        site: &desk.site,
        owner: ada.as_str(),
    };
    assert!(desk.agent.abort(place, &turn.id).await?);
    let last = turn.end().await?;
    let told = last["message"].as_str().unwrap_or_default();
    assert!(
        told.starts_with("What was said meanwhile was not taken up. This month's limit"),
        "{last}"
    );
    Ok(())
}

//! Conversations, their messages and their turns.

use std::time::Duration;

use anyhow::{Result, bail};
use serde_json::json;
use sitewright_store::{
    Actor, Conversation, ConversationId, ConversationOwner, ConversationPatch, NewTurnMessage,
    QueuedMessage, SiteId, Stamp, Store, StoreError, TokenId, TurnBegun, TurnEnding, TurnId,
    TurnRecord, TurnState,
};
use sitewright_tool::Scope;

use crate::both::{Fresh, on_both};
use crate::people::NOW;

on_both! {
    a_conversation_is_its_owners_alone
    what_is_said_during_a_turn_waits_for_its_next_round
    only_one_of_two_senders_begins_a_turn
    only_the_holder_of_a_turn_writes_and_ends_it
    an_interrupted_turn_opens_again_while_it_is_the_last
    h5_a_turn_takes_up_only_what_its_own_actor_sent
    m1_the_mark_of_a_message_is_there_with_the_message
    l7_a_process_that_was_taken_over_adds_no_message
}

fn message(content: &str) -> NewTurnMessage<'_> {
    NewTurnMessage {
        role: "assistant",
        content,
        is_tainted: false,
        at: NOW,
    }
}

pub(crate) fn conversation(site: &SiteId, owner: &str) -> Conversation {
    Conversation {
        id: ConversationId::new(),
        site: site.clone(),
        owner: owner.to_owned(),
        scope: Scope::Site,
        title: "Häuser".to_owned(),
        credential: None,
        model: Some("offline".to_owned()),
        context_tokens: None,
        is_tainted: false,
        created_at: NOW,
        updated_at: NOW,
    }
}

pub(crate) fn turn(conversation: &Conversation, holder: &str) -> TurnRecord {
    TurnRecord {
        id: TurnId::new(),
        site: conversation.site.clone(),
        conversation: conversation.id.clone(),
        actor: Actor::Local,
        state: TurnState::Running,
        request: json!({ "mode": "edit" }),
        outcome: None,
        holder: holder.to_owned(),
        held_until: NOW.after(Duration::from_secs(30)),
        started_at: NOW,
        ended_at: None,
    }
}

async fn begun(fresh: &Fresh) -> Result<(Store, Conversation)> {
    let store = fresh.open().await;
    let site = store.sites().await?.remove(0).id;
    let conversation = conversation(&site, "ada");
    store
        .create_conversation(&conversation, &Stamp::local(NOW))
        .await?;
    Ok((store, conversation))
}

async fn end(store: &Store, turn: &TurnRecord, state: TurnState) -> Result<bool> {
    let (outcome, by) = (json!({}), Stamp::local(NOW));
    let ending = TurnEnding {
        state,
        outcome: &outcome,
        context_tokens: Some(12),
    };
    Ok(store.end_turn(turn, ending, &by).await?)
}

async fn a_conversation_is_its_owners_alone(fresh: &Fresh) -> Result<()> {
    let (store, ours) = begun(fresh).await?;
    let owner = |owner| ConversationOwner {
        site: &ours.site,
        owner,
    };
    let (mine, theirs) = (owner("ada"), owner("bob"));
    assert_eq!(store.conversation(mine, &ours.id).await?, ours);
    assert_eq!(
        store.conversations(mine, None, 10).await?,
        std::slice::from_ref(&ours)
    );
    assert_eq!(store.conversations(mine, Some(Scope::Data), 10).await?, []);
    assert!(store.conversation(theirs, &ours.id).await.is_err());
    let patch = ConversationPatch {
        title: Some("Boats".to_owned()),
        model: Some((Some("c1".to_owned()), Some("m1".to_owned()))),
    };
    let changed = store.change_conversation(mine, &ours.id, &patch).await?;
    assert_eq!(
        (changed.title.as_str(), changed.model.as_deref()),
        ("Boats", Some("m1"))
    );
    let by = Stamp::local(NOW);
    assert!(
        store
            .delete_conversation(theirs, &ours.id, &by)
            .await
            .is_err()
    );
    let under_way = turn(&ours, "here");
    store.begin_turn(&under_way, "[1]").await?;
    let refused = store.delete_conversation(mine, &ours.id, &by).await;
    assert!(matches!(refused, Err(StoreError::Refused { .. })));
    end(&store, &under_way, TurnState::Done).await?;
    store.delete_conversation(mine, &ours.id, &by).await?;
    assert_eq!(store.messages(&ours.id).await?, []);
    Ok(())
}

async fn what_is_said_during_a_turn_waits_for_its_next_round(fresh: &Fresh) -> Result<()> {
    let (store, conversation) = begun(fresh).await?;
    let first = turn(&conversation, "here");
    assert_eq!(store.begin_turn(&first, "[1]").await?, TurnBegun::Yes);
    let second = turn(&conversation, "here");
    let TurnBegun::Queued(open) = store.begin_turn(&second, "[2]").await? else {
        bail!("two turns at once")
    };
    assert_eq!(open.id, first.id);
    store.add_message(&first, message("[3]")).await?;
    assert_eq!(store.take_up_said(&first).await?, ["[2]"]);
    assert_eq!(store.take_up_said(&first).await?, Vec::<String>::new());
    let contents = async || -> Result<Vec<String>> {
        let all = store.messages(&conversation.id).await?;
        Ok(all.into_iter().map(|message| message.content).collect())
    };
    assert_eq!(contents().await?, ["[1]", "[3]", "[2]"]);
    // What no round took up becomes a turn of its own.
    store
        .begin_turn(&turn(&conversation, "here"), "[4]")
        .await?;
    end(&store, &first, TurnState::Done).await?;
    let next = turn(&conversation, "here");
    assert_eq!(store.begin_queued_turn(&next).await?, ["[4]"]);
    end(&store, &next, TurnState::Done).await?;
    let nothing = turn(&conversation, "here");
    assert_eq!(
        store.begin_queued_turn(&nothing).await?,
        Vec::<String>::new()
    );
    assert!(store.turn(&conversation.site, &nothing.id).await.is_err());
    store
        .shorten_messages(&conversation.id, &[(2, "[]".to_owned())])
        .await?;
    assert_eq!(contents().await?, ["[1]", "[]", "[2]", "[4]"]);
    let told = store
        .conversation(
            ConversationOwner {
                site: &conversation.site,
                owner: "ada",
            },
            &conversation.id,
        )
        .await?;
    assert_eq!((told.context_tokens, told.is_tainted), (Some(12), false));
    Ok(())
}

async fn only_one_of_two_senders_begins_a_turn(fresh: &Fresh) -> Result<()> {
    let (store, conversation) = begun(fresh).await?;
    let (one, two) = (turn(&conversation, "a"), turn(&conversation, "b"));
    let (first, second) =
        tokio::join!(store.begin_turn(&one, "[1]"), store.begin_turn(&two, "[2]"));
    let begun = [first?, second?];
    assert_eq!(
        begun
            .iter()
            .filter(|begun| **begun == TurnBegun::Yes)
            .count(),
        1
    );
    Ok(())
}

async fn only_the_holder_of_a_turn_writes_and_ends_it(fresh: &Fresh) -> Result<()> {
    let (store, conversation) = begun(fresh).await?;
    let here = turn(&conversation, "here");
    store.begin_turn(&here, "[1]").await?;
    assert_eq!(store.abandoned_turns(NOW).await?, []);
    let later = NOW.after(Duration::from_mins(1));
    assert_eq!(
        store.abandoned_turns(later).await?,
        std::slice::from_ref(&here)
    );
    store
        .hold_turns("here", later.after(Duration::from_mins(1)))
        .await?;
    assert_eq!(store.abandoned_turns(later).await?, []);
    assert!(store.take_over_turn(&here, "there", later).await?);
    assert!(!store.take_over_turn(&here, "elsewhere", later).await?);
    assert!(store.add_message(&here, message("[]")).await.is_err());
    assert!(store.mark_turn(&here, TurnState::Waiting).await.is_err());
    assert!(!end(&store, &here, TurnState::Done).await?);
    let there = TurnRecord {
        holder: "there".to_owned(),
        ..here
    };
    store.mark_turn(&there, TurnState::Waiting).await?;
    assert!(end(&store, &there, TurnState::Stopped).await?);
    assert!(!end(&store, &there, TurnState::Done).await?, "it ends once");
    Ok(())
}

async fn an_interrupted_turn_opens_again_while_it_is_the_last(fresh: &Fresh) -> Result<()> {
    let (store, conversation) = begun(fresh).await?;
    let first = turn(&conversation, "here");
    store.begin_turn(&first, "[1]").await?;
    assert!(
        !store.reopen_turn(&first, "there", NOW).await?,
        "it is open"
    );
    end(&store, &first, TurnState::Interrupted).await?;
    assert!(store.reopen_turn(&first, "there", NOW).await?);
    let there = TurnRecord {
        holder: "there".to_owned(),
        ..first.clone()
    };
    end(&store, &there, TurnState::Interrupted).await?;
    let second = turn(&conversation, "here");
    assert_eq!(store.begin_turn(&second, "[2]").await?, TurnBegun::Yes);
    assert!(
        !store.reopen_turn(&first, "there", NOW).await?,
        "it is not the last"
    );
    let newest = store.turns(&conversation.id, 10).await?;
    assert_eq!(newest.len(), 2);
    assert_eq!(newest[0].id, second.id);
    Ok(())
}

/// H5: what a token says while a person's turn is open waits for a turn of its own.
async fn h5_a_turn_takes_up_only_what_its_own_actor_sent(fresh: &Fresh) -> Result<()> {
    let (store, conversation) = begun(fresh).await?;
    let of_person = turn(&conversation, "here");
    store.begin_turn(&of_person, "[1]").await?;
    let token = Actor::Token(TokenId::from("t1".to_owned()));
    let of_token = TurnRecord {
        actor: token.clone(),
        request: json!({ "mode": "plan" }),
        ..turn(&conversation, "here")
    };
    store.begin_turn(&of_token, "[2]").await?;
    store
        .begin_turn(&turn(&conversation, "here"), "[3]")
        .await?;
    assert_eq!(store.take_up_said(&of_person).await?, ["[3]"]);
    let queued = store.queued_message(&conversation.id).await?;
    let expected = QueuedMessage {
        actor: token,
        request: json!({ "mode": "plan" }),
    };
    assert_eq!(queued, Some(expected));
    let nothing = Vec::<String>::new();
    assert_eq!(
        store.begin_queued_turn(&of_token).await?,
        nothing,
        "one at a time"
    );
    end(&store, &of_person, TurnState::Done).await?;
    let next = turn(&conversation, "here");
    assert_eq!(store.begin_queued_turn(&next).await?, nothing, "not theirs");
    assert_eq!(store.begin_queued_turn(&of_token).await?, ["[2]"]);
    assert_eq!(store.queued_message(&conversation.id).await?, None);
    Ok(())
}

/// M1: the turn need not end for its conversation to count as tainted.
async fn m1_the_mark_of_a_message_is_there_with_the_message(fresh: &Fresh) -> Result<()> {
    let (store, conversation) = begun(fresh).await?;
    let under_way = turn(&conversation, "here");
    store.begin_turn(&under_way, "[1]").await?;
    let place = ConversationOwner {
        site: &conversation.site,
        owner: "ada",
    };
    let is_tainted = async || -> Result<bool> {
        Ok(store
            .conversation(place, &conversation.id)
            .await?
            .is_tainted)
    };
    store.add_message(&under_way, message("[2]")).await?;
    assert!(!is_tainted().await?);
    let from_outside = NewTurnMessage {
        is_tainted: true,
        ..message("[3]")
    };
    store.add_message(&under_way, from_outside).await?;
    assert!(is_tainted().await?);
    store.add_message(&under_way, message("[4]")).await?;
    assert!(is_tainted().await?, "it stays");
    let marks = store.messages(&conversation.id).await?;
    let marks: Vec<bool> = marks.iter().map(|message| message.is_tainted).collect();
    assert_eq!(marks, [false, false, true, false]);
    Ok(())
}

/// L7: whatever a process that lost its turn still writes is there before the other one has it, or not at all.
async fn l7_a_process_that_was_taken_over_adds_no_message(fresh: &Fresh) -> Result<()> {
    let (store, conversation) = begun(fresh).await?;
    for _ in 0..40 {
        let here = turn(&conversation, "here");
        store.begin_turn(&here, "[1]").await?;
        let taking = async {
            assert!(store.take_over_turn(&here, "there", NOW).await?);
            store.messages(&conversation.id).await
        };
        let (added, seen) = tokio::join!(store.add_message(&here, message("[2]")), taking);
        let now = store.messages(&conversation.id).await?;
        assert_eq!(seen?, now, "{added:?}");
        let there = TurnRecord {
            holder: "there".to_owned(),
            ..here
        };
        end(&store, &there, TurnState::Done).await?;
    }
    Ok(())
}

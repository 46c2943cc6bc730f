//! The turns of the assistant. The process that runs a turn holds a lease on its row and renews it; if the process dies, another
//! one finds the row once the lease has run out. Other nodes are notified of what the row and the messages of a turn say, so that
//! they can show a turn they do not run.

use serde_json::Value;
use sqlx::Row;
use sqlx::any::AnyRow;

use crate::audit::Record;
use crate::conversations::append;
use crate::database::Write;
use crate::documents::announce;
use crate::reservations::release;
use crate::{Actor, ConversationId, SiteId, Stamp, Store, StoreError, Timestamp, TurnId};

/// The state of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TurnState {
    /// A process runs it.
    Running,
    /// A person must decide first.
    Waiting,
    Done,
    Failed,
    /// A person stopped it.
    Stopped,
    /// The process that ran it died; the turn can be continued.
    Interrupted,
}

impl TurnState {
    const ALL: [Self; 6] = [
        Self::Running,
        Self::Waiting,
        Self::Done,
        Self::Failed,
        Self::Stopped,
        Self::Interrupted,
    ];

    /// The stored spelling.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Waiting => "waiting",
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Stopped => "stopped",
            Self::Interrupted => "interrupted",
        }
    }

    /// Whether the turn is not over yet.
    pub fn is_open(self) -> bool {
        matches!(self, Self::Running | Self::Waiting)
    }
}

/// A turn of the assistant, as its row stores it.
#[derive(Debug, Clone, PartialEq)]
pub struct TurnRecord {
    pub id: TurnId,
    pub site: SiteId,
    pub conversation: ConversationId,
    /// The actor on whose behalf it runs.
    pub actor: Actor,
    pub state: TurnState,
    /// What is needed to continue it.
    pub request: Value,
    pub outcome: Option<Value>,
    /// The process that runs it.
    pub holder: String,
    /// When the holder's lease runs out unless it is renewed.
    pub held_until: Timestamp,
    pub started_at: Timestamp,
    pub ended_at: Option<Timestamp>,
}

/// How a turn ended.
#[derive(Debug, Clone, Copy)]
pub struct TurnEnding<'a> {
    pub state: TurnState,
    pub outcome: &'a Value,
    /// How much of the model's context the conversation fills; without it the conversation keeps its number.
    pub context_tokens: Option<u64>,
}

/// A message to add to an open turn.
#[derive(Debug, Clone, Copy)]
pub struct NewTurnMessage<'a> {
    /// Who wrote it: `user`, `assistant` or `tool`.
    pub role: &'a str,
    /// The content, as JSON.
    pub content: &'a str,
    /// Whether it brings something from outside into the conversation.
    pub is_tainted: bool,
    pub at: Timestamp,
}

/// The oldest message that was sent during a turn and has not been taken up.
#[derive(Debug, Clone, PartialEq)]
pub struct QueuedMessage {
    /// Who sent it. Only a turn of the same actor may take it up.
    pub actor: Actor,
    /// What a turn of its own needs, as its sender's request stated it.
    pub request: Value,
}

/// The field of a turn's request that says that somebody asked to stop it. It is part of what is needed to continue the turn: whoever
/// takes it over must stop it too.
const STOP_ASKED: &str = "stopAsked";

impl TurnRecord {
    /// Whether somebody asked to stop the turn, on whichever node.
    pub fn is_stop_asked(&self) -> bool {
        self.request[STOP_ASKED] == true
    }
}

/// Whether a turn began.
#[derive(Debug, Clone, PartialEq)]
pub enum TurnBegun {
    Yes,
    /// Another turn of the conversation is open; the message waits for that turn's next round.
    Queued(Box<TurnRecord>),
}

impl Store {
    /// Begins a turn with a person's message. If another turn of the conversation is open, the message is queued for that one instead.
    pub async fn begin_turn(
        &self,
        turn: &TurnRecord,
        content: &str,
    ) -> Result<TurnBegun, StoreError> {
        let mut write = self.write().await?;
        let open = open_turn(&mut write, turn).await?;
        if let Some(open) = open {
            sqlx::query(
                "INSERT INTO said_meanwhile (id, conversation_id, actor, request, content, at) VALUES ($1, $2, $3, $4, $5, $6)",
            )
            .bind(turn.id.as_str())
            .bind(turn.conversation.as_str())
            .bind(turn.actor.to_string())
            .bind(turn.request.to_string())
            .bind(content)
            .bind(turn.started_at.millis())
            .execute(&mut *write)
            .await?;
            write.commit().await?;
            return Ok(TurnBegun::Queued(Box::new(open)));
        }
        insert(&mut write, turn).await?;
        append(&mut write, turn, user_message(content, turn.started_at)).await?;
        write.commit().await?;
        Ok(TurnBegun::Yes)
    }

    /// The oldest message that waits in a conversation, by whomever it was sent.
    pub async fn queued_message(
        &self,
        conversation: &ConversationId,
    ) -> Result<Option<QueuedMessage>, StoreError> {
        let row = sqlx::query(
            "SELECT actor, request FROM said_meanwhile WHERE conversation_id = $1 ORDER BY id LIMIT 1",
        )
        .bind(conversation.as_str())
        .fetch_optional(self.reader())
        .await?;
        row.as_ref().map(queued).transpose()
    }

    /// Begins a turn with the messages of its actor that were queued during the last one. Returns none, and no turn begins, if there are
    /// none or another turn of the conversation is open.
    pub async fn begin_queued_turn(&self, turn: &TurnRecord) -> Result<Vec<String>, StoreError> {
        let mut write = self.write().await?;
        if open_turn(&mut write, turn).await?.is_some() {
            write.rollback().await?;
            return Ok(Vec::new());
        }
        let said = take_said(&mut write, turn).await?;
        if said.is_empty() {
            write.rollback().await?;
            return Ok(said);
        }
        insert(&mut write, turn).await?;
        write.commit().await?;
        Ok(said)
    }

    /// Moves the queued messages of the turn's own actor into the conversation during an open turn, and returns them.
    pub async fn take_up_said(&self, turn: &TurnRecord) -> Result<Vec<String>, StoreError> {
        let waiting = sqlx::query(
            "SELECT id FROM said_meanwhile WHERE conversation_id = $1 AND actor = $2 LIMIT 1",
        )
        .bind(turn.conversation.as_str())
        .bind(turn.actor.to_string())
        .fetch_optional(self.reader())
        .await?;
        // Most rounds have no queued messages, and a write transaction would make them wait for other writers.
        if waiting.is_none() {
            return Ok(Vec::new());
        }
        let mut write = self.write().await?;
        still_ours(&mut write, turn).await?;
        let said = take_said(&mut write, turn).await?;
        write.commit().await?;
        Ok(said)
    }

    /// Adds a message to an open turn. Fails if the turn is over or another process holds it. A message that brings something from
    /// outside marks its conversation in the same transaction, so that the mark is there before anything builds on the message.
    pub async fn add_message(
        &self,
        turn: &TurnRecord,
        message: NewTurnMessage<'_>,
    ) -> Result<u64, StoreError> {
        let mut write = self.write().await?;
        still_ours(&mut write, turn).await?;
        let seq = append(&mut write, turn, message).await?;
        announce(self, &mut write, &turn.site).await?;
        write.commit().await?;
        Ok(seq)
    }

    /// Replaces messages by their shortened form once their turn is over.
    pub async fn shorten_messages(
        &self,
        conversation: &ConversationId,
        shorter: &[(u64, String)],
    ) -> Result<(), StoreError> {
        if shorter.is_empty() {
            return Ok(());
        }
        let mut write = self.write().await?;
        for (seq, content) in shorter {
            sqlx::query("UPDATE messages SET content = $1 WHERE conversation_id = $2 AND seq = $3")
                .bind(content)
                .bind(conversation.as_str())
                .bind(i64::try_from(*seq).unwrap_or(i64::MAX))
                .execute(&mut *write)
                .await?;
        }
        write.commit().await?;
        Ok(())
    }

    /// Marks an open turn as waiting for a person, or as running again.
    pub async fn mark_turn(&self, turn: &TurnRecord, state: TurnState) -> Result<(), StoreError> {
        let mut write = self.write().await?;
        still_ours(&mut write, turn).await?;
        sqlx::query("UPDATE turns SET state = $1 WHERE id = $2")
            .bind(state.as_str())
            .bind(turn.id.as_str())
            .execute(&mut *write)
            .await?;
        announce(self, &mut write, &turn.site).await?;
        write.commit().await?;
        Ok(())
    }

    /// Asks the process that runs a turn to stop it. Returns false if the turn is over.
    pub async fn ask_turn_to_stop(&self, turn: &TurnRecord) -> Result<bool, StoreError> {
        let mut request = turn.request.clone();
        request[STOP_ASKED] = Value::Bool(true);
        let mut write = self.write().await?;
        let asked = sqlx::query(
            "UPDATE turns SET request = $1 WHERE id = $2 AND state IN ('running', 'waiting')",
        )
        .bind(request.to_string())
        .bind(turn.id.as_str())
        .execute(&mut *write)
        .await?;
        announce(self, &mut write, &turn.site).await?;
        write.commit().await?;
        Ok(asked.rows_affected() == 1)
    }

    /// Ends a turn and records it in the activity log. Returns false if it is already over, or another process holds it.
    pub async fn end_turn(
        &self,
        turn: &TurnRecord,
        ending: TurnEnding<'_>,
        by: &Stamp,
    ) -> Result<bool, StoreError> {
        let TurnEnding {
            state,
            outcome,
            context_tokens,
        } = ending;
        let mut write = self.write().await?;
        let ended = sqlx::query(
            "UPDATE turns SET state = $1, outcome = $2, ended_at = $3 WHERE id = $4 AND holder = $5 AND state IN ('running', 'waiting')",
        )
        .bind(state.as_str())
        .bind(outcome.to_string())
        .bind(by.at.millis())
        .bind(turn.id.as_str())
        .bind(&turn.holder)
        .execute(&mut *write)
        .await?;
        if ended.rows_affected() == 0 {
            write.rollback().await?;
            return Ok(false);
        }
        release(&mut write, &turn.id).await?;
        sqlx::query(
            "UPDATE conversations SET updated_at = $1, context_tokens = COALESCE($2, context_tokens) WHERE id = $3",
        )
        .bind(by.at.millis())
        .bind(context_tokens.map(|tokens| i64::try_from(tokens).unwrap_or(i64::MAX)))
        .bind(turn.conversation.as_str())
        .execute(&mut *write)
        .await?;
        let action = match state {
            TurnState::Done => "ai.chat.completed",
            TurnState::Stopped => "ai.chat.stopped",
            TurnState::Running
            | TurnState::Waiting
            | TurnState::Failed
            | TurnState::Interrupted => "ai.chat.failed",
        };
        // A plan may be long, and is already stored in the turn's row.
        let mut told = outcome.clone();
        if let Some(told) = told.as_object_mut() {
            told.remove("plan");
        }
        Record::of(action)
            .on(&turn.site)
            .about(turn.id.as_str())
            .with(told)
            .save(&mut write, by)
            .await?;
        announce(self, &mut write, &turn.site).await?;
        self.commit(write).await?;
        Ok(true)
    }

    /// Renews the lease of all open turns of a process.
    pub async fn hold_turns(&self, holder: &str, until: Timestamp) -> Result<(), StoreError> {
        let mut write = self.write().await?;
        sqlx::query(
            "UPDATE turns SET held_until = $1 WHERE holder = $2 AND state IN ('running', 'waiting')",
        )
        .bind(until.millis())
        .bind(holder)
        .execute(&mut *write)
        .await?;
        write.commit().await?;
        Ok(())
    }

    /// Takes over a turn whose holder is gone. Returns false if another process was faster, or the turn is over.
    pub async fn take_over_turn(
        &self,
        turn: &TurnRecord,
        holder: &str,
        until: Timestamp,
    ) -> Result<bool, StoreError> {
        let mut write = self.write().await?;
        let taken = sqlx::query(
            "UPDATE turns SET holder = $1, held_until = $2 WHERE id = $3 AND holder = $4 AND state IN ('running', 'waiting')",
        )
        .bind(holder)
        .bind(until.millis())
        .bind(turn.id.as_str())
        .bind(&turn.holder)
        .execute(&mut *write)
        .await?;
        write.commit().await?;
        Ok(taken.rows_affected() == 1)
    }

    /// Reopens an interrupted turn. Returns false if it is not interrupted, or another turn of the conversation is open.
    pub async fn reopen_turn(
        &self,
        turn: &TurnRecord,
        holder: &str,
        until: Timestamp,
    ) -> Result<bool, StoreError> {
        let mut write = self.write().await?;
        let reopened = sqlx::query(
            "UPDATE turns SET state = 'running', outcome = NULL, ended_at = NULL, holder = $1, held_until = $2 \
             WHERE id = $3 AND state = 'interrupted' AND NOT EXISTS (SELECT 1 FROM turns AS newer \
             WHERE newer.conversation_id = $4 AND newer.id > $3)",
        )
        .bind(holder)
        .bind(until.millis())
        .bind(turn.id.as_str())
        .bind(turn.conversation.as_str())
        .execute(&mut *write)
        .await?;
        write.commit().await?;
        Ok(reopened.rows_affected() == 1)
    }

    /// One turn of a site.
    pub async fn turn(&self, site: &SiteId, id: &TurnId) -> Result<TurnRecord, StoreError> {
        let row = sqlx::query("SELECT * FROM turns WHERE site_id = $1 AND id = $2")
            .bind(site.as_str())
            .bind(id.as_str())
            .fetch_optional(self.reader())
            .await?;
        row.as_ref()
            .map(record)
            .transpose()?
            .ok_or(StoreError::NotFound { what: "turn" })
    }

    /// The turns of a conversation, newest first.
    pub async fn turns(
        &self,
        conversation: &ConversationId,
        limit: u16,
    ) -> Result<Vec<TurnRecord>, StoreError> {
        let rows =
            sqlx::query("SELECT * FROM turns WHERE conversation_id = $1 ORDER BY id DESC LIMIT $2")
                .bind(conversation.as_str())
                .bind(i64::from(limit))
                .fetch_all(self.reader())
                .await?;
        rows.iter().map(record).collect()
    }

    /// The open turns of all sites whose lease ran out at or before `before`.
    pub async fn abandoned_turns(&self, before: Timestamp) -> Result<Vec<TurnRecord>, StoreError> {
        let rows = sqlx::query(
            "SELECT * FROM turns WHERE state IN ('running', 'waiting') AND held_until <= $1 ORDER BY id LIMIT 500",
        )
        .bind(before.millis())
        .fetch_all(self.reader())
        .await?;
        rows.iter().map(record).collect()
    }
}

async fn insert(write: &mut Write, turn: &TurnRecord) -> Result<(), StoreError> {
    sqlx::query(
        "INSERT INTO turns (id, site_id, conversation_id, actor, state, request, outcome, holder, held_until, started_at, ended_at) \
         VALUES ($1, $2, $3, $4, $5, $6, NULL, $7, $8, $9, NULL)",
    )
    .bind(turn.id.as_str())
    .bind(turn.site.as_str())
    .bind(turn.conversation.as_str())
    .bind(turn.actor.to_string())
    .bind(turn.state.as_str())
    .bind(turn.request.to_string())
    .bind(&turn.holder)
    .bind(turn.held_until.millis())
    .bind(turn.started_at.millis())
    .execute(&mut **write)
    .await?;
    Ok(())
}

/// The open turn of a conversation. The conversation's row is locked, so that two senders cannot both begin a turn.
async fn open_turn(write: &mut Write, turn: &TurnRecord) -> Result<Option<TurnRecord>, StoreError> {
    sqlx::query("UPDATE conversations SET updated_at = $1 WHERE id = $2")
        .bind(turn.started_at.millis())
        .bind(turn.conversation.as_str())
        .execute(&mut **write)
        .await?;
    let open = sqlx::query(
        "SELECT * FROM turns WHERE conversation_id = $1 AND state IN ('running', 'waiting')",
    )
    .bind(turn.conversation.as_str())
    .fetch_optional(&mut **write)
    .await?;
    open.as_ref().map(record).transpose()
}

/// Moves the queued messages of the turn's actor into the turn.
async fn take_said(write: &mut Write, turn: &TurnRecord) -> Result<Vec<String>, StoreError> {
    let rows = sqlx::query(
        "SELECT id, content, at FROM said_meanwhile WHERE conversation_id = $1 AND actor = $2 ORDER BY id",
    )
    .bind(turn.conversation.as_str())
    .bind(turn.actor.to_string())
    .fetch_all(&mut **write)
    .await?;
    let mut said = Vec::with_capacity(rows.len());
    for row in &rows {
        let content: String = row.try_get("content")?;
        let at = Timestamp::from_millis(row.try_get("at")?);
        append(write, turn, user_message(&content, at)).await?;
        // By id: on Postgres another node may have added a message since the rows were read, and deleting all of the conversation
        // would lose it.
        sqlx::query("DELETE FROM said_meanwhile WHERE id = $1")
            .bind(row.try_get::<String, _>("id")?)
            .execute(&mut **write)
            .await?;
        said.push(content);
    }
    Ok(said)
}

fn user_message(content: &str, at: Timestamp) -> NewTurnMessage<'_> {
    NewTurnMessage {
        role: "user",
        content,
        is_tainted: false,
        at,
    }
}

/// Fails unless the turn is open and still held by this process: one that was presumed dead must
/// not write next to the process that took over.
///
/// A write and not a read: on Postgres it locks the row until the transaction ends, so that no other process can take the turn over
/// between this check and the writes that rely on it.
async fn still_ours(write: &mut Write, turn: &TurnRecord) -> Result<(), StoreError> {
    let ours = sqlx::query(
        "UPDATE turns SET holder = holder WHERE id = $1 AND holder = $2 AND state IN ('running', 'waiting') RETURNING id",
    )
    .bind(turn.id.as_str())
    .bind(&turn.holder)
    .fetch_optional(&mut **write)
    .await?;
    ours.map(drop).ok_or(StoreError::NotFound {
        what: "turn under way",
    })
}

fn queued(row: &AnyRow) -> Result<QueuedMessage, StoreError> {
    let corrupt = || StoreError::Corrupt {
        what: "queued message",
    };
    let request: &str = row.try_get("request")?;
    Ok(QueuedMessage {
        actor: Actor::parse(row.try_get("actor")?).ok_or_else(corrupt)?,
        request: serde_json::from_str(request).map_err(|_bad| corrupt())?,
    })
}

fn record(row: &AnyRow) -> Result<TurnRecord, StoreError> {
    let corrupt = || StoreError::Corrupt { what: "turn" };
    let json = |text: &str| serde_json::from_str(text).map_err(|_bad| corrupt());
    let state: &str = row.try_get("state")?;
    let outcome: Option<&str> = row.try_get("outcome")?;
    let ended_at: Option<i64> = row.try_get("ended_at")?;
    Ok(TurnRecord {
        id: TurnId::from(row.try_get::<String, _>("id")?),
        site: SiteId::from(row.try_get::<String, _>("site_id")?),
        conversation: ConversationId::from(row.try_get::<String, _>("conversation_id")?),
        actor: Actor::parse(row.try_get("actor")?).ok_or_else(corrupt)?,
        state: TurnState::ALL
            .into_iter()
            .find(|known| known.as_str() == state)
            .ok_or_else(corrupt)?,
        request: json(row.try_get("request")?)?,
        outcome: outcome.map(json).transpose()?,
        holder: row.try_get("holder")?,
        held_until: Timestamp::from_millis(row.try_get("held_until")?),
        started_at: Timestamp::from_millis(row.try_get("started_at")?),
        ended_at: ended_at.map(Timestamp::from_millis),
    })
}

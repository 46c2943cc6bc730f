//! The turns of the assistant. A process that is at one holds it for a while and says so again and again; when it dies, another
//! finds the row.

use serde_json::Value;
use sqlx::Row;
use sqlx::any::AnyRow;

use crate::audit::Record;
use crate::conversations::append;
use crate::database::Write;
use crate::{Actor, ConversationId, SiteId, Stamp, Store, StoreError, Timestamp, TurnId};

/// Where a turn is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TurnState {
    /// Somebody is at it.
    Running,
    /// A person must decide first.
    Waiting,
    /// It came to its end.
    Done,
    /// It failed.
    Failed,
    /// A person stopped it.
    Stopped,
    /// The process that was at it died; it can be continued.
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

    /// The word for it.
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

    /// Whether it is still under way.
    pub fn is_open(self) -> bool {
        matches!(self, Self::Running | Self::Waiting)
    }
}

/// A turn.
#[derive(Debug, Clone, PartialEq)]
pub struct TurnRecord {
    /// The turn.
    pub id: TurnId,
    /// The site it is about.
    pub site: SiteId,
    /// The conversation it belongs to.
    pub conversation: ConversationId,
    /// On whose behalf.
    pub actor: Actor,
    /// Where it is.
    pub state: TurnState,
    /// What is needed to go on with it.
    pub request: Value,
    /// How it ended.
    pub outcome: Option<Value>,
    /// The process that is at it.
    pub holder: String,
    /// Until when that is believed without another sign of life.
    pub held_until: Timestamp,
    /// When it began.
    pub started_at: Timestamp,
    /// When it ended.
    pub ended_at: Option<Timestamp>,
}

/// Whether a turn began.
#[derive(Debug, Clone, PartialEq)]
pub enum TurnBegun {
    /// It did.
    Yes,
    /// Another turn of the conversation is under way; what was said waits for its next round.
    Queued(Box<TurnRecord>),
}

impl Store {
    /// Begins a turn with what a person said. While another one is under way, it is kept for that one instead.
    pub async fn begin_turn(
        &self,
        turn: &TurnRecord,
        content: &str,
    ) -> Result<TurnBegun, StoreError> {
        let mut write = self.write().await?;
        // The row is what makes two senders take turns.
        sqlx::query("UPDATE conversations SET updated_at = $1 WHERE id = $2")
            .bind(turn.started_at.millis())
            .bind(turn.conversation.as_str())
            .execute(&mut *write)
            .await?;
        let open = sqlx::query(
            "SELECT * FROM turns WHERE conversation_id = $1 AND state IN ('running', 'waiting')",
        )
        .bind(turn.conversation.as_str())
        .fetch_optional(&mut *write)
        .await?;
        if let Some(open) = open {
            sqlx::query(
                "INSERT INTO said_meanwhile (id, conversation_id, content, at) VALUES ($1, $2, $3, $4)",
            )
            .bind(turn.id.as_str())
            .bind(turn.conversation.as_str())
            .bind(content)
            .bind(turn.started_at.millis())
            .execute(&mut *write)
            .await?;
            write.commit().await?;
            return Ok(TurnBegun::Queued(Box::new(record(&open)?)));
        }
        insert(&mut write, turn).await?;
        append(
            &mut write,
            &turn.conversation,
            (&turn.id, "user", content),
            turn.started_at,
        )
        .await?;
        write.commit().await?;
        Ok(TurnBegun::Yes)
    }

    /// Begins a turn with what was said while the last one was under way; nothing when nothing was.
    pub async fn begin_queued_turn(&self, turn: &TurnRecord) -> Result<Vec<String>, StoreError> {
        let mut write = self.write().await?;
        let said = take_said(&mut write, turn).await?;
        if said.is_empty() {
            write.rollback().await?;
            return Ok(said);
        }
        insert(&mut write, turn).await?;
        write.commit().await?;
        Ok(said)
    }

    /// Takes up what was said while a turn is under way: from now on it belongs to the conversation.
    pub async fn take_up_said(&self, turn: &TurnRecord) -> Result<Vec<String>, StoreError> {
        let waiting = sqlx::query("SELECT id FROM said_meanwhile WHERE conversation_id = $1")
            .bind(turn.conversation.as_str())
            .fetch_optional(self.reader())
            .await?;
        // Most rounds have nothing to take up, and a write would make them wait for others.
        if waiting.is_none() {
            return Ok(Vec::new());
        }
        let mut write = self.write().await?;
        let said = take_said(&mut write, turn).await?;
        write.commit().await?;
        Ok(said)
    }

    /// Adds a message to a turn that is under way here; refused when another process has it, or nobody.
    pub async fn add_message(
        &self,
        turn: &TurnRecord,
        (role, content): (&str, &str),
        at: Timestamp,
    ) -> Result<u64, StoreError> {
        let mut write = self.write().await?;
        still_ours(&mut write, turn).await?;
        let message = (&turn.id, role, content);
        let seq = append(&mut write, &turn.conversation, message, at).await?;
        write.commit().await?;
        Ok(seq)
    }

    /// Writes what is left of a message, once its turn is over.
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

    /// Says that a turn waits for a person, or goes on.
    pub async fn mark_turn(&self, turn: &TurnRecord, state: TurnState) -> Result<(), StoreError> {
        let mut write = self.write().await?;
        still_ours(&mut write, turn).await?;
        sqlx::query("UPDATE turns SET state = $1 WHERE id = $2")
            .bind(state.as_str())
            .bind(turn.id.as_str())
            .execute(&mut *write)
            .await?;
        write.commit().await?;
        Ok(())
    }

    /// Ends a turn, and tells the activity log; false when it was over already.
    pub async fn end_turn(
        &self,
        turn: &TurnRecord,
        (state, outcome): (TurnState, &Value),
        (context_tokens, is_tainted): (Option<u64>, bool),
        by: &Stamp,
    ) -> Result<bool, StoreError> {
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
        sqlx::query(
            "UPDATE conversations SET updated_at = $1, context_tokens = COALESCE($2, context_tokens), \
             is_tainted = CASE WHEN $3 = 1 THEN 1 ELSE is_tainted END WHERE id = $4",
        )
        .bind(by.at.millis())
        .bind(context_tokens.map(|tokens| i64::try_from(tokens).unwrap_or(i64::MAX)))
        .bind(i64::from(is_tainted))
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
        // A plan may be long, and stands in the row of the turn.
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
        self.commit(write).await?;
        Ok(true)
    }

    /// Says that a process is still at its turns.
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

    /// Takes over a turn that nobody is at any more; false when somebody was faster.
    pub async fn take_over_turn(
        &self,
        turn: &TurnRecord,
        (holder, until): (&str, Timestamp),
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

    /// Opens a turn that was interrupted again; false when it was not, or another one is under way.
    pub async fn reopen_turn(
        &self,
        turn: &TurnRecord,
        (holder, until): (&str, Timestamp),
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

    /// A turn of a site.
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

    /// The turns of a conversation, the newest first.
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

    /// The turns of every site that are under way, or should be: whoever was at them has not been heard of since `before`.
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

async fn take_said(write: &mut Write, turn: &TurnRecord) -> Result<Vec<String>, StoreError> {
    let rows = sqlx::query(
        "SELECT id, content, at FROM said_meanwhile WHERE conversation_id = $1 ORDER BY id",
    )
    .bind(turn.conversation.as_str())
    .fetch_all(&mut **write)
    .await?;
    let mut said = Vec::with_capacity(rows.len());
    for row in &rows {
        let content: String = row.try_get("content")?;
        let at = Timestamp::from_millis(row.try_get("at")?);
        let message = (&turn.id, "user", content.as_str());
        append(write, &turn.conversation, message, at).await?;
        said.push(content);
    }
    sqlx::query("DELETE FROM said_meanwhile WHERE conversation_id = $1")
        .bind(turn.conversation.as_str())
        .execute(&mut **write)
        .await?;
    Ok(said)
}

/// A process that was thought dead must not write beside the one that took over.
async fn still_ours(write: &mut Write, turn: &TurnRecord) -> Result<(), StoreError> {
    let ours = sqlx::query(
        "SELECT id FROM turns WHERE id = $1 AND holder = $2 AND state IN ('running', 'waiting')",
    )
    .bind(turn.id.as_str())
    .bind(&turn.holder)
    .fetch_optional(&mut **write)
    .await?;
    ours.map(drop).ok_or(StoreError::NotFound {
        what: "turn under way",
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

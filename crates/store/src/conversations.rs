//! Conversations with the assistant and their messages. Only `agent` interprets the content of a message.

use serde_json::json;
use sitewright_tool::Scope;
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, Row};

use crate::audit::Record;
use crate::database::Write;
use crate::quotas;
use crate::turns::{NewTurnMessage, TurnRecord};
use crate::{ConversationId, SiteId, Stamp, Store, StoreError, Timestamp, TurnId};

/// Selects the conversations of one owner on one site. To anyone else, they do not even exist.
#[derive(Debug, Clone, Copy)]
pub struct ConversationOwner<'a> {
    pub site: &'a SiteId,
    pub owner: &'a str,
}

/// A conversation of a person with the assistant.
#[derive(Debug, Clone, PartialEq)]
pub struct Conversation {
    pub id: ConversationId,
    pub site: SiteId,
    /// The actor it belongs to; no one else can see it.
    pub owner: String,
    /// Determines which tools the conversation has.
    pub scope: Scope,
    /// The title in the list.
    pub title: String,
    /// The credential in use; none for the built-in commands.
    pub credential: Option<String>,
    /// The model in use.
    pub model: Option<String>,
    /// How much of the model's context window it fills, as of its last round.
    pub context_tokens: Option<u64>,
    /// Whether any of its messages brought something from outside.
    pub is_tainted: bool,
    pub created_at: Timestamp,
    /// When its last message was added.
    pub updated_at: Timestamp,
}

/// A message as stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessageRow {
    /// Its position in the conversation.
    pub seq: u64,
    pub turn: TurnId,
    /// Who wrote it: `user`, `assistant` or `tool`.
    pub role: String,
    /// The content, as JSON.
    pub content: String,
    /// Whether it brought something from outside into the conversation.
    pub is_tainted: bool,
    pub at: Timestamp,
}

/// A partial update of a conversation; `None` leaves a part as it is.
#[derive(Debug, Clone, Default)]
pub struct ConversationPatch {
    pub title: Option<String>,
    /// The new credential and model.
    pub model: Option<(Option<String>, Option<String>)>,
}

impl Store {
    /// Marks a conversation as influenced by something from outside.
    pub async fn taint_conversation(&self, id: &ConversationId) -> Result<(), StoreError> {
        let mut write = self.write().await?;
        sqlx::query("UPDATE conversations SET is_tainted = 1 WHERE id = $1")
            .bind(id.as_str())
            .execute(&mut *write)
            .await?;
        write.commit().await?;
        Ok(())
    }

    /// Creates a conversation.
    pub async fn create_conversation(
        &self,
        conversation: &Conversation,
        by: &Stamp,
    ) -> Result<(), StoreError> {
        let mut write = self.write().await?;
        sqlx::query(
            "INSERT INTO conversations (id, site_id, owner, scope, title, credential_id, model_id, context_tokens, is_tainted, created_at, \
             updated_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
        )
        .bind(conversation.id.as_str())
        .bind(conversation.site.as_str())
        .bind(&conversation.owner)
        .bind(conversation.scope.as_str())
        .bind(&conversation.title)
        .bind(conversation.credential.as_deref())
        .bind(conversation.model.as_deref())
        .bind(conversation.context_tokens.map(|tokens| i64::try_from(tokens).unwrap_or(i64::MAX)))
        .bind(i64::from(conversation.is_tainted))
        .bind(conversation.created_at.millis())
        .bind(conversation.updated_at.millis())
        .execute(&mut *write)
        .await?;
        let (site, owner) = (&conversation.site, &conversation.owner);
        let limit = self.quotas.for_conversations();
        limit
            .check_rows(&mut write, quotas::CONVERSATIONS_OF, site, owner)
            .await?;
        Record::of("ai.conversation.created")
            .on(&conversation.site)
            .about(conversation.id.as_str())
            .with(json!({ "scope": conversation.scope }))
            .save(&mut write, by)
            .await?;
        self.commit(write).await
    }

    /// The conversations of an owner, newest first.
    pub async fn conversations(
        &self,
        ConversationOwner { site, owner }: ConversationOwner<'_>,
        scope: Option<Scope>,
        limit: u16,
    ) -> Result<Vec<Conversation>, StoreError> {
        let rows = sqlx::query(
            "SELECT * FROM conversations WHERE site_id = $1 AND owner = $2 AND ($3 = '' OR scope = $3) \
             ORDER BY updated_at DESC, id DESC LIMIT $4",
        )
        .bind(site.as_str())
        .bind(owner)
        .bind(scope.map_or("", Scope::as_str))
        .bind(i64::from(limit))
        .fetch_all(self.reader())
        .await?;
        rows.iter().map(conversation).collect()
    }

    /// One conversation of an owner.
    pub async fn conversation(
        &self,
        ConversationOwner { site, owner }: ConversationOwner<'_>,
        id: &ConversationId,
    ) -> Result<Conversation, StoreError> {
        let row = sqlx::query(
            "SELECT * FROM conversations WHERE site_id = $1 AND owner = $2 AND id = $3",
        )
        .bind(site.as_str())
        .bind(owner)
        .bind(id.as_str())
        .fetch_optional(self.reader())
        .await?;
        row.as_ref()
            .map(conversation)
            .transpose()?
            .ok_or(StoreError::NotFound {
                what: "conversation",
            })
    }

    /// Changes the title of a conversation, or the credential and model that it uses.
    pub async fn change_conversation(
        &self,
        ConversationOwner { site, owner }: ConversationOwner<'_>,
        id: &ConversationId,
        patch: &ConversationPatch,
    ) -> Result<Conversation, StoreError> {
        let before = self
            .conversation(ConversationOwner { site, owner }, id)
            .await?;
        let (credential, model) = patch
            .model
            .clone()
            .unwrap_or((before.credential, before.model));
        let title = patch.title.clone().unwrap_or(before.title);
        let mut write = self.write().await?;
        sqlx::query(
            "UPDATE conversations SET title = $1, credential_id = $2, model_id = $3 WHERE site_id = $4 AND owner = $5 AND id = $6",
        )
        .bind(title)
        .bind(credential)
        .bind(model)
        .bind(site.as_str())
        .bind(owner)
        .bind(id.as_str())
        .execute(&mut *write)
        .await?;
        write.commit().await?;
        self.conversation(ConversationOwner { site, owner }, id)
            .await
    }

    /// Deletes a conversation with all its messages. Fails while a turn is open.
    pub async fn delete_conversation(
        &self,
        ConversationOwner { site, owner }: ConversationOwner<'_>,
        id: &ConversationId,
        by: &Stamp,
    ) -> Result<(), StoreError> {
        self.conversation(ConversationOwner { site, owner }, id)
            .await?;
        let mut write = self.write().await?;
        let open = sqlx::query(
            "SELECT id FROM turns WHERE conversation_id = $1 AND state IN ('running', 'waiting')",
        )
        .bind(id.as_str())
        .fetch_optional(&mut *write)
        .await?;
        if open.is_some() {
            return Err(StoreError::Refused {
                rule: "The assistant is at work in this conversation; stop it first.",
            });
        }
        delete_rows(&mut write, id.as_str()).await?;
        Record::of("ai.conversation.deleted")
            .on(site)
            .about(id.as_str())
            .save(&mut write, by)
            .await?;
        self.commit(write).await
    }

    /// What people wrote about the site for the assistant.
    pub async fn site_brief(&self, site: &SiteId) -> Result<Option<String>, StoreError> {
        let row = sqlx::query("SELECT brief FROM site_briefs WHERE site_id = $1")
            .bind(site.as_str())
            .fetch_optional(self.reader())
            .await?;
        Ok(row.map(|row| row.try_get("brief")).transpose()?)
    }

    /// Sets what people wrote about the site for the assistant; an empty text removes it.
    pub async fn set_site_brief(
        &self,
        site: &SiteId,
        brief: &str,
        by: &Stamp,
    ) -> Result<(), StoreError> {
        let mut write = self.write().await?;
        sqlx::query("DELETE FROM site_briefs WHERE site_id = $1")
            .bind(site.as_str())
            .execute(&mut *write)
            .await?;
        if !brief.is_empty() {
            sqlx::query("INSERT INTO site_briefs (site_id, brief) VALUES ($1, $2)")
                .bind(site.as_str())
                .bind(brief)
                .execute(&mut *write)
                .await?;
        }
        Record::of("ai.brief.changed")
            .on(site)
            .with(json!({ "characters": brief.chars().count() }))
            .save(&mut write, by)
            .await?;
        self.commit(write).await
    }

    /// The role and content of every message, in order: all that the next request needs. For a long
    /// conversation, that is much less than the full rows.
    pub async fn said(&self, id: &ConversationId) -> Result<Vec<(String, String)>, StoreError> {
        let rows = sqlx::query(
            "SELECT role, content FROM messages WHERE conversation_id = $1 ORDER BY seq",
        )
        .bind(id.as_str())
        .fetch_all(self.reader())
        .await?;
        rows.iter()
            .map(|row| Ok((row.try_get("role")?, row.try_get("content")?)))
            .collect()
    }

    /// The messages of a conversation, in order.
    pub async fn messages(&self, id: &ConversationId) -> Result<Vec<MessageRow>, StoreError> {
        let rows = sqlx::query(
            "SELECT seq, turn_id, role, content, is_tainted, at FROM messages WHERE conversation_id = $1 ORDER BY seq",
        )
        .bind(id.as_str())
        .fetch_all(self.reader())
        .await?;
        rows.iter().map(message).collect()
    }
}

/// Appends a message and returns its position. Must run in the caller's transaction; it locks the conversation's row.
pub(crate) async fn append(
    write: &mut AnyConnection,
    turn: &TurnRecord,
    message: NewTurnMessage<'_>,
) -> Result<u64, StoreError> {
    let NewTurnMessage {
        role,
        content,
        is_tainted,
        at,
    } = message;
    // Updating the row locks it, so two writers cannot take the same position.
    sqlx::query(
        "UPDATE conversations SET updated_at = $1, is_tainted = CASE WHEN $2 = 1 THEN 1 ELSE is_tainted END WHERE id = $3",
    )
    .bind(at.millis())
    .bind(i64::from(is_tainted))
    .bind(turn.conversation.as_str())
    .execute(&mut *write)
    .await?;
    let last = sqlx::query(
        "SELECT COALESCE(MAX(seq), 0) AS last FROM messages WHERE conversation_id = $1",
    )
    .bind(turn.conversation.as_str())
    .fetch_one(&mut *write)
    .await?;
    let seq = last.try_get::<i64, _>("last")? + 1;
    sqlx::query(
        "INSERT INTO messages (conversation_id, seq, turn_id, role, content, is_tainted, at) VALUES ($1, $2, $3, $4, $5, $6, $7)",
    )
    .bind(turn.conversation.as_str())
    .bind(seq)
    .bind(turn.id.as_str())
    .bind(role)
    .bind(content)
    .bind(i64::from(is_tainted))
    .bind(at.millis())
    .execute(&mut *write)
    .await?;
    Ok(seq.unsigned_abs())
}

/// Deletes a conversation with everything in it.
pub(crate) async fn delete_rows(write: &mut Write, id: &str) -> Result<(), StoreError> {
    for part in [
        "DELETE FROM messages WHERE conversation_id = $1",
        "DELETE FROM said_meanwhile WHERE conversation_id = $1",
        "DELETE FROM turns WHERE conversation_id = $1",
        "DELETE FROM grants WHERE conversation = $1",
        "DELETE FROM conversations WHERE id = $1",
    ] {
        sqlx::query(part).bind(id).execute(&mut **write).await?;
    }
    Ok(())
}

fn conversation(row: &AnyRow) -> Result<Conversation, StoreError> {
    let scope: &str = row.try_get("scope")?;
    let tokens: Option<i64> = row.try_get("context_tokens")?;
    Ok(Conversation {
        id: ConversationId::from(row.try_get::<String, _>("id")?),
        site: SiteId::from(row.try_get::<String, _>("site_id")?),
        owner: row.try_get("owner")?,
        scope: Scope::ALL
            .into_iter()
            .find(|known| known.as_str() == scope)
            .ok_or(StoreError::Corrupt {
                what: "conversation",
            })?,
        title: row.try_get("title")?,
        credential: row.try_get("credential_id")?,
        model: row.try_get("model_id")?,
        context_tokens: tokens.map(i64::unsigned_abs),
        is_tainted: row.try_get::<i64, _>("is_tainted")? != 0,
        created_at: Timestamp::from_millis(row.try_get("created_at")?),
        updated_at: Timestamp::from_millis(row.try_get("updated_at")?),
    })
}

fn message(row: &AnyRow) -> Result<MessageRow, StoreError> {
    Ok(MessageRow {
        seq: row.try_get::<i64, _>("seq")?.unsigned_abs(),
        turn: TurnId::from(row.try_get::<String, _>("turn_id")?),
        role: row.try_get("role")?,
        content: row.try_get("content")?,
        is_tainted: row.try_get::<i64, _>("is_tainted")? != 0,
        at: Timestamp::from_millis(row.try_get("at")?),
    })
}

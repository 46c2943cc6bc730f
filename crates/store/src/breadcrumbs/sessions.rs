//! The sessions that records name in their tags.

use sqlx::Row;

use crate::{ConversationId, SiteId, Store, StoreError};

/// What came of naming a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SessionClaim {
    /// It belongs to the caller.
    Own {
        /// The conversation whose model gets the session's results, once there is one.
        conversation: Option<ConversationId>,
    },
    /// It belongs to somebody else.
    Foreign,
}

impl Store {
    /// Finds the session with this name, or makes it the owner's. A conversation is a session under its own id.
    pub async fn claim_session(
        &self,
        site: &SiteId,
        session: &str,
        owner: &str,
    ) -> Result<SessionClaim, StoreError> {
        if let Some(claim) = self.session_claim(site, session, owner).await? {
            return Ok(claim);
        }
        let conversation =
            sqlx::query("SELECT owner FROM conversations WHERE site_id = $1 AND id = $2")
                .bind(site.as_str())
                .bind(session)
                .fetch_optional(self.reader())
                .await?;
        let conversation_owner: Option<String> =
            conversation.map(|row| row.try_get("owner")).transpose()?;
        if conversation_owner
            .as_ref()
            .is_some_and(|other| other != owner)
        {
            return Ok(SessionClaim::Foreign);
        }
        let mut write = self.write().await?;
        sqlx::query(
            "INSERT INTO breadcrumb_sessions (site_id, session, owner, conversation_id) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING",
        )
        .bind(site.as_str())
        .bind(session)
        .bind(owner)
        .bind(conversation_owner.map(|_| session.to_owned()))
        .execute(&mut *write)
        .await?;
        write.commit().await?;
        let claim = self.session_claim(site, session, owner).await?;
        claim.ok_or(StoreError::Corrupt { what: "session" })
    }

    async fn session_claim(
        &self,
        site: &SiteId,
        session: &str,
        owner: &str,
    ) -> Result<Option<SessionClaim>, StoreError> {
        let row = sqlx::query(
            "SELECT owner, conversation_id FROM breadcrumb_sessions WHERE site_id = $1 AND session = $2",
        )
        .bind(site.as_str())
        .bind(session)
        .fetch_optional(self.reader())
        .await?;
        let Some(row) = row else {
            return Ok(None);
        };
        let conversation: Option<String> = row.try_get("conversation_id")?;
        Ok(Some(match row.try_get::<String, _>("owner")? == owner {
            true => SessionClaim::Own {
                conversation: conversation.map(ConversationId::from),
            },
            false => SessionClaim::Foreign,
        }))
    }

    /// Gives a session the conversation whose model gets its results, unless it has one. Returns the one it has then.
    pub async fn set_session_conversation(
        &self,
        site: &SiteId,
        session: &str,
        conversation: &ConversationId,
    ) -> Result<ConversationId, StoreError> {
        let mut write = self.write().await?;
        let row = sqlx::query(
            "UPDATE breadcrumb_sessions SET conversation_id = COALESCE(conversation_id, $1) WHERE site_id = $2 AND session = $3 \
             RETURNING conversation_id",
        )
        .bind(conversation.as_str())
        .bind(site.as_str())
        .bind(session)
        .fetch_optional(&mut *write)
        .await?;
        write.commit().await?;
        let row = row.ok_or(StoreError::NotFound { what: "session" })?;
        Ok(ConversationId::from(
            row.try_get::<String, _>("conversation_id")?,
        ))
    }
}

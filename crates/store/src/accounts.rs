//! Changes to a whole account: a new password, ending its sessions and tokens, deleting it.

use serde_json::json;
use sqlx::Row;

use crate::account_notices::{AccountEvent, notify};
use crate::audit::{Record, Stamp};
use crate::database::Write;
use crate::people::{require_instance_owner, require_site_owner, set_password};
use crate::second_factors::delete_second_factor;
use crate::{SessionId, SiteId, Store, StoreError, UserId};

/// What people who deleted their account are called.
pub const FORMER_USER_NAME: &str = "Someone who left";

/// A new password for a person.
#[derive(Debug)]
pub struct NewPassword<'a> {
    pub user: &'a UserId,
    pub password_hash: &'a str,
    /// The session that does not end.
    pub keep: Option<&'a SessionId>,
    pub tokens: TokensAfterPassword,
}

/// What happens to a person's API tokens when their password changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokensAfterPassword {
    End,
    Keep,
}

impl Store {
    /// Stores a new password and ends every session of the person except the one to keep.
    pub async fn set_password(&self, new: NewPassword<'_>, by: &Stamp) -> Result<(), StoreError> {
        let mut write = self.write().await?;
        set_password(&mut write, new.user, new.password_hash).await?;
        end_sessions(&mut write, new.user, new.keep).await?;
        let ends_tokens = new.tokens == TokensAfterPassword::End;
        if ends_tokens {
            end_tokens(&mut write, new.user).await?;
        }
        notify(&mut write, new.user, AccountEvent::PasswordChanged, "", by).await?;
        Record::of("user.password_changed")
            .about(new.user.as_str())
            .with(json!({ "tokensEnded": ends_tokens }))
            .save(&mut write, by)
            .await?;
        self.commit(write).await
    }

    /// Ends every session of a person.
    pub async fn end_sessions(&self, user: &UserId, by: &Stamp) -> Result<(), StoreError> {
        let mut write = self.write().await?;
        end_sessions(&mut write, user, None).await?;
        notify(&mut write, user, AccountEvent::SessionsEnded, "", by).await?;
        Record::of("user.sessions_ended")
            .about(user.as_str())
            .save(&mut write, by)
            .await?;
        self.commit(write).await
    }

    /// Ends whatever gives access to a person's account: sessions, tokens on every site, and links for a new password.
    pub async fn end_everything(&self, user: &UserId, by: &Stamp) -> Result<(), StoreError> {
        let mut write = self.write().await?;
        end_sessions(&mut write, user, None).await?;
        end_tokens(&mut write, user).await?;
        sqlx::query("DELETE FROM links WHERE user_id = $1 AND used_at IS NULL")
            .bind(user.as_str())
            .execute(&mut *write)
            .await?;
        Record::of("user.everything_ended")
            .about(user.as_str())
            .save(&mut write, by)
            .await?;
        self.commit(write).await
    }

    /// Deletes an account: nobody can sign in to it, and nothing personal of it remains. The row stays without a name, because pages,
    /// calls and the audit log refer to it as their author. Fails for the last owner of a site or of the instance.
    pub async fn delete_account(&self, user: &UserId, by: &Stamp) -> Result<(), StoreError> {
        let mut write = self.write().await?;
        let deleted = sqlx::query(
            "UPDATE users SET email = $1, name = $2, password_hash = NULL, instance_owner = 0, disabled = 1, deleted_at = $3 \
             WHERE id = $4 AND deleted_at IS NULL",
        )
        // No address has a colon and no domain, so the name cannot collide with a person's.
        .bind(format!("deleted:{user}"))
        .bind(FORMER_USER_NAME)
        .bind(by.at.millis())
        .bind(user.as_str())
        .execute(&mut *write)
        .await?;
        if deleted.rows_affected() == 0 {
            return Err(StoreError::NotFound { what: "person" });
        }
        let rows = sqlx::query("DELETE FROM members WHERE user_id = $1 RETURNING site_id")
            .bind(user.as_str())
            .fetch_all(&mut *write)
            .await?;
        for row in rows {
            require_site_owner(
                &mut write,
                &SiteId::from(row.try_get::<String, _>("site_id")?),
            )
            .await?;
        }
        require_instance_owner(&mut write).await?;
        end_sessions(&mut write, user, None).await?;
        end_tokens(&mut write, user).await?;
        delete_second_factor(&mut write, user).await?;
        for gone in [
            "DELETE FROM links WHERE user_id = $1",
            "DELETE FROM passkeys WHERE user_id = $1",
            "DELETE FROM preferences WHERE user_id = $1",
            "DELETE FROM account_notices WHERE user_id = $1",
        ] {
            sqlx::query(gone)
                .bind(user.as_str())
                .execute(&mut *write)
                .await?;
        }
        delete_conversations(&mut write, user).await?;
        Record::of("user.deleted")
            .about(user.as_str())
            .save(&mut write, by)
            .await?;
        self.commit(write).await
    }
}

/// Deletes a person's conversations with the assistant, except those in which it is at work: a turn needs its rows to end.
async fn delete_conversations(write: &mut Write, user: &UserId) -> Result<(), StoreError> {
    for gone in [
        "DELETE FROM messages WHERE conversation_id IN (SELECT id FROM conversations WHERE owner = $1 \
         AND id NOT IN (SELECT conversation_id FROM turns WHERE state IN ('running', 'waiting')))",
        "DELETE FROM said_meanwhile WHERE conversation_id IN (SELECT id FROM conversations WHERE owner = $1 \
         AND id NOT IN (SELECT conversation_id FROM turns WHERE state IN ('running', 'waiting')))",
        "DELETE FROM turns WHERE conversation_id IN (SELECT id FROM conversations WHERE owner = $1 \
         AND id NOT IN (SELECT conversation_id FROM turns WHERE state IN ('running', 'waiting')))",
        "DELETE FROM conversations WHERE owner = $1 \
         AND id NOT IN (SELECT conversation_id FROM turns WHERE state IN ('running', 'waiting'))",
    ] {
        sqlx::query(gone)
            .bind(user.as_str())
            .execute(&mut **write)
            .await?;
    }
    Ok(())
}

pub(crate) async fn end_sessions(
    write: &mut Write,
    user: &UserId,
    keep: Option<&SessionId>,
) -> Result<(), StoreError> {
    sqlx::query("DELETE FROM sessions WHERE user_id = $1 AND id <> $2")
        .bind(user.as_str())
        .bind(keep.map_or("", |session| session.as_str()))
        .execute(&mut **write)
        .await?;
    Ok(())
}

/// Deletes a person's tokens and all tokens that were made with them, which have the same maker.
pub(crate) async fn end_tokens(write: &mut Write, user: &UserId) -> Result<(), StoreError> {
    sqlx::query("DELETE FROM tokens WHERE user_id = $1")
        .bind(user.as_str())
        .execute(&mut **write)
        .await?;
    Ok(())
}

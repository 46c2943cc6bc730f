//! One-time links: for setting up an instance, and for choosing a person's password.

use std::time::Duration;

use serde_json::json;
use sqlx::Row;
use sqlx::any::AnyRow;

use crate::account_notices::{AccountEvent, notify};
use crate::accounts::{end_sessions, end_tokens};
use crate::audit::{Record, Stamp};
use crate::database::Write;
use crate::people;
use crate::sessions::{hash, random_text};
use crate::{Store, StoreError, Timestamp, UserId};

/// What a link can be used for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LinkPurpose {
    /// Creating the first account.
    Setup,
    /// Choosing this person's password.
    Password(UserId),
}

/// A link, which is handed out once.
#[derive(Debug, Clone)]
pub struct OneTimeLink {
    /// The secret part of the address.
    pub token: String,
    /// When it stops working.
    pub expires_at: Timestamp,
}

const SETUP_LIFETIME: Duration = Duration::from_secs(24 * 60 * 60);
const PASSWORD_LIFETIME: Duration = Duration::from_secs(7 * 24 * 60 * 60);
const SPENT: StoreError = StoreError::Refused {
    rule: "This link has expired or was already used; ask for a new one.",
};

impl Store {
    /// Creates a link, and invalidates earlier ones for the same purpose.
    pub async fn create_link(
        &self,
        purpose: &LinkPurpose,
        by: &Stamp,
    ) -> Result<OneTimeLink, StoreError> {
        let (name, user, lifetime) = match purpose {
            LinkPurpose::Setup => ("setup", None, SETUP_LIFETIME),
            LinkPurpose::Password(user) => ("password", Some(user), PASSWORD_LIFETIME),
        };
        let link = OneTimeLink {
            token: random_text()?,
            expires_at: by.at.after(lifetime),
        };
        let mut write = self.write().await?;
        if let Some(user) = user {
            sqlx::query("DELETE FROM links WHERE user_id = $1 AND used_at IS NULL")
                .bind(user.as_str())
                .execute(&mut *write)
                .await?;
            // Somebody who was just invited needs no warning about their invitation.
            if has_password(&mut write, user).await? {
                notify(&mut write, user, AccountEvent::PasswordLinkMade, "", by).await?;
            }
            Record::of("user.password_link_made")
                .about(user.as_str())
                .save(&mut write, by)
                .await?;
        } else {
            sqlx::query("DELETE FROM links WHERE purpose = 'setup' AND used_at IS NULL")
                .execute(&mut *write)
                .await?;
        }
        sqlx::query("INSERT INTO links (secret_hash, purpose, user_id, created_at, expires_at) VALUES ($1, $2, $3, $4, $5)")
            .bind(hash(&link.token))
            .bind(name)
            .bind(user.map(UserId::as_str))
            .bind(by.at.millis())
            .bind(link.expires_at.millis())
            .execute(&mut *write)
            .await?;
        self.commit(write).await?;
        Ok(link)
    }

    /// Whether a set-up link is valid, without using it.
    pub async fn setup_link_works(&self, token: &str, now: Timestamp) -> Result<bool, StoreError> {
        Ok(self.valid_link("setup", token, now).await?.is_some())
    }

    /// Whose password a link sets. Fails unless the link is valid; does not use it.
    pub async fn password_link_owner(
        &self,
        token: &str,
        now: Timestamp,
    ) -> Result<UserId, StoreError> {
        let row = self.valid_link("password", token, now).await?;
        let owner: Option<String> = row.ok_or(SPENT)?.try_get("user_id")?;
        owner.map(UserId::from).ok_or(SPENT)
    }

    async fn valid_link(
        &self,
        purpose: &str,
        token: &str,
        now: Timestamp,
    ) -> Result<Option<AnyRow>, StoreError> {
        let row = sqlx::query(
            "SELECT user_id FROM links WHERE secret_hash = $1 AND purpose = $2 AND used_at IS NULL AND expires_at > $3",
        )
        .bind(hash(token))
        .bind(purpose)
        .bind(now.millis())
        .fetch_optional(self.reader())
        .await?;
        Ok(row)
    }

    /// Uses up a password link: stores the password, ends the person's sessions and tokens, and returns whose link it was.
    pub async fn redeem_password_link(
        &self,
        token: &str,
        password_hash: &str,
        now: Timestamp,
    ) -> Result<UserId, StoreError> {
        let mut write = self.write().await?;
        let user = spend(&mut write, token, now).await?;
        let had_password = has_password(&mut write, &user).await?;
        people::set_password(&mut write, &user, password_hash).await?;
        end_sessions(&mut write, &user, None).await?;
        end_tokens(&mut write, &user).await?;
        let by = Stamp::user(&user, now);
        if had_password {
            let event = AccountEvent::PasswordChanged;
            notify(&mut write, &user, event, "link", &by).await?;
        }
        Record::of("user.password_changed")
            .about(user.as_str())
            .with(json!({ "by": "link" }))
            .save(&mut write, &by)
            .await?;
        self.commit(write).await?;
        Ok(user)
    }
}

async fn spend(write: &mut Write, token: &str, now: Timestamp) -> Result<UserId, StoreError> {
    // Finding the link and marking it as used is one statement, so that two visitors cannot both use it.
    let row = sqlx::query(
        "UPDATE links SET used_at = $1 WHERE secret_hash = $2 AND purpose = 'password' AND used_at IS NULL AND expires_at > $1 \
         RETURNING user_id",
    )
    .bind(now.millis())
    .bind(hash(token))
    .fetch_optional(&mut **write)
    .await?;
    let user: Option<String> = row.ok_or(SPENT)?.try_get("user_id")?;
    user.map(UserId::from)
        .ok_or(StoreError::Corrupt { what: "link" })
}

async fn has_password(write: &mut Write, user: &UserId) -> Result<bool, StoreError> {
    let row = sqlx::query("SELECT id FROM users WHERE id = $1 AND password_hash IS NOT NULL")
        .bind(user.as_str())
        .fetch_optional(&mut **write)
        .await?;
    Ok(row.is_some())
}

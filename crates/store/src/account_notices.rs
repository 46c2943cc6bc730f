//! What people are told about changes to their own accounts, so that they notice one that they did not make.

use sqlx::Row;
use sqlx::any::AnyRow;

use crate::audit::{Actor, Stamp};
use crate::database::Write;
use crate::{NoticeId, Store, StoreError, Timestamp, UserId};

/// A change to an account.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AccountEvent {
    PasswordChanged,
    /// Somebody made a link with which a new password can be chosen.
    PasswordLinkMade,
    RoleChanged,
    TokenCreated,
    PasskeyAdded,
    PasskeyRemoved,
    SecondFactorOn,
    SecondFactorOff,
    RecoveryCodeUsed,
    RecoveryCodesReplaced,
    SessionsEnded,
}

impl AccountEvent {
    const ALL: [Self; 11] = [
        Self::PasswordChanged,
        Self::PasswordLinkMade,
        Self::RoleChanged,
        Self::TokenCreated,
        Self::PasskeyAdded,
        Self::PasskeyRemoved,
        Self::SecondFactorOn,
        Self::SecondFactorOff,
        Self::RecoveryCodeUsed,
        Self::RecoveryCodesReplaced,
        Self::SessionsEnded,
    ];

    /// The stored spelling.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::PasswordChanged => "password_changed",
            Self::PasswordLinkMade => "password_link_made",
            Self::RoleChanged => "role_changed",
            Self::TokenCreated => "token_created",
            Self::PasskeyAdded => "passkey_added",
            Self::PasskeyRemoved => "passkey_removed",
            Self::SecondFactorOn => "second_factor_on",
            Self::SecondFactorOff => "second_factor_off",
            Self::RecoveryCodeUsed => "recovery_code_used",
            Self::RecoveryCodesReplaced => "recovery_codes_replaced",
            Self::SessionsEnded => "sessions_ended",
        }
    }
}

/// One change, as the person sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccountNotice {
    pub id: NoticeId,
    pub at: Timestamp,
    pub event: AccountEvent,
    pub by: NoticeAuthor,
    /// What the change was about, such as the name of a token; may be empty.
    pub about: String,
}

/// Who made a change to an account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoticeAuthor {
    /// The person themselves.
    Owner,
    /// Somebody else, by name; none if they no longer exist.
    Person(Option<String>),
    /// The holder of a token, by the token's name; none if it no longer exists.
    Token(Option<String>),
    /// The command line on the machine itself.
    Machine,
}

/// The number of notices that are shown.
const SHOWN_MAX: i64 = 50;
const USER_NAME: &str = "SELECT name FROM users WHERE id = $1";
const TOKEN_NAME: &str = "SELECT name FROM tokens WHERE id = $1";
/// The number of notices that are stored for a person; older ones are deleted.
const STORED_MAX: i64 = 200;

impl Store {
    /// The notices of a person that they have not dismissed, newest first.
    pub async fn account_notices(&self, user: &UserId) -> Result<Vec<AccountNotice>, StoreError> {
        let rows = sqlx::query(
            "SELECT id, at, event, actor, about FROM account_notices WHERE user_id = $1 ORDER BY at DESC, id DESC LIMIT $2",
        )
        .bind(user.as_str())
        .bind(SHOWN_MAX)
        .fetch_all(self.reader())
        .await?;
        let mut notices = Vec::with_capacity(rows.len());
        for row in &rows {
            notices.push(self.notice(row, user).await?);
        }
        Ok(notices)
    }

    /// Deletes a notice of the person. Succeeds if there is none.
    pub async fn dismiss_notice(&self, user: &UserId, id: &NoticeId) -> Result<(), StoreError> {
        let mut write = self.write().await?;
        sqlx::query("DELETE FROM account_notices WHERE user_id = $1 AND id = $2")
            .bind(user.as_str())
            .bind(id.as_str())
            .execute(&mut *write)
            .await?;
        self.commit(write).await
    }

    async fn notice(&self, row: &AnyRow, user: &UserId) -> Result<AccountNotice, StoreError> {
        const CORRUPT: StoreError = StoreError::Corrupt { what: "notice" };
        let event: String = row.try_get("event")?;
        let event = AccountEvent::ALL
            .into_iter()
            .find(|known| known.as_str() == event);
        let actor: String = row.try_get("actor")?;
        let by = match Actor::parse(&actor).ok_or(CORRUPT)? {
            Actor::User(id) if id == *user => NoticeAuthor::Owner,
            Actor::User(id) => NoticeAuthor::Person(self.name_of(USER_NAME, id.as_str()).await?),
            Actor::Token(id) => NoticeAuthor::Token(self.name_of(TOKEN_NAME, id.as_str()).await?),
            Actor::Local | Actor::Anonymous => NoticeAuthor::Machine,
        };
        Ok(AccountNotice {
            id: NoticeId::from(row.try_get::<String, _>("id")?),
            at: Timestamp::from_millis(row.try_get("at")?),
            event: event.ok_or(CORRUPT)?,
            by,
            about: row.try_get("about")?,
        })
    }

    async fn name_of(&self, query: &'static str, id: &str) -> Result<Option<String>, StoreError> {
        let row = sqlx::query(query)
            .bind(id)
            .fetch_optional(self.reader())
            .await?;
        Ok(row.map(|row| row.try_get("name")).transpose()?)
    }
}

/// Adds a notice for a person, in the transaction of the change it is about.
pub(crate) async fn notify(
    write: &mut Write,
    user: &UserId,
    event: AccountEvent,
    about: &str,
    by: &Stamp,
) -> Result<(), StoreError> {
    sqlx::query("INSERT INTO account_notices (id, user_id, at, event, actor, about) VALUES ($1, $2, $3, $4, $5, $6)")
        .bind(NoticeId::new().as_str())
        .bind(user.as_str())
        .bind(by.at.millis())
        .bind(event.as_str())
        .bind(by.actor.to_string())
        .bind(about)
        .execute(&mut **write)
        .await?;
    // Bounded by number and not by age: a wrong clock must not delete what a person has not seen.
    sqlx::query(
        "DELETE FROM account_notices WHERE user_id = $1 AND id NOT IN \
         (SELECT id FROM account_notices WHERE user_id = $1 ORDER BY at DESC, id DESC LIMIT $2)",
    )
    .bind(user.as_str())
    .bind(STORED_MAX)
    .execute(&mut **write)
    .await?;
    Ok(())
}

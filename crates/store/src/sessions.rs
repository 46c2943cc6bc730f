//! Server-side sessions. The browser has a secret and the row only its hash, so a stolen database gives access to no session.

use std::fmt;
use std::time::Duration;

use serde_json::json;
use sha2::{Digest, Sha256};
use sqlx::Row;
use sqlx::any::AnyRow;

use crate::audit::{Record, Stamp};
use crate::database::Write;
use crate::{SessionId, SiteId, Store, StoreError, Timestamp, UserId};

/// The secret that proves a session. Never logged and never stored.
#[derive(Clone)]
pub struct SessionSecret(String);

impl SessionSecret {
    /// Generates a secret.
    pub fn random() -> Result<Self, StoreError> {
        random_text().map(Self)
    }

    /// A secret from a cookie.
    pub fn from_cookie(text: &str) -> Self {
        Self(text.to_owned())
    }

    /// The text for the cookie.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for SessionSecret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("SessionSecret(…)")
    }
}

/// A person's session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    pub id: SessionId,
    pub user: UserId,
    /// The site that the session is working on.
    pub site: SiteId,
    /// What our own pages must send with every change.
    pub csrf_token: String,
    /// The browser's `User-Agent`.
    pub user_agent: String,
    /// The client's address.
    pub address: String,
    pub created_at: Timestamp,
    /// When it was last used, accurate to a minute.
    pub last_seen_at: Timestamp,
    /// When it ends unless it is used.
    pub expires_at: Timestamp,
    /// When the person last proved who they are.
    pub authenticated_at: Timestamp,
}

/// A session to create.
#[derive(Debug)]
pub struct NewSession<'a> {
    /// Who signs in.
    pub user: &'a UserId,
    /// The site to start with.
    pub site: &'a SiteId,
    /// The browser's `User-Agent`.
    pub user_agent: &'a str,
    /// The client's address.
    pub address: &'a str,
}

/// How long a session lasts without being used.
const IDLE_LIFETIME: Duration = Duration::from_secs(14 * 24 * 60 * 60);
/// How long a session lasts, however much it is used.
const LIFETIME: Duration = Duration::from_secs(90 * 24 * 60 * 60);
/// A use is recorded at most this often, so that most requests that only read do not write.
const SEEN_STEP: Duration = Duration::from_secs(60);

impl Store {
    /// Creates a session.
    pub async fn create_session(
        &self,
        new: NewSession<'_>,
        now: Timestamp,
    ) -> Result<(SessionSecret, Session), StoreError> {
        let mut write = self.write().await?;
        let made = insert_session(&mut write, &new, now).await?;
        self.commit(write).await?;
        Ok(made)
    }

    /// The session with this secret, unless it has expired. Marks it as used.
    pub async fn session(
        &self,
        secret: &SessionSecret,
        now: Timestamp,
    ) -> Result<Option<Session>, StoreError> {
        let row = sqlx::query(
            "SELECT * FROM sessions WHERE secret_hash = $1 AND expires_at > $2 AND created_at > $3",
        )
        .bind(hash(secret.expose()))
        .bind(now.millis())
        .bind(now.before(LIFETIME).millis())
        .fetch_optional(self.reader())
        .await?;
        let Some(session) = row.as_ref().map(session).transpose()? else {
            return Ok(None);
        };
        if now.since(session.last_seen_at) < SEEN_STEP {
            return Ok(Some(session));
        }
        match self.extend_session(&session, now).await {
            // With a full disk, people can still read; anything they try to save reports the full disk.
            Ok(()) | Err(StoreError::DiskFull { .. }) => Ok(Some(session)),
            Err(error) => Err(error),
        }
    }

    async fn extend_session(&self, session: &Session, now: Timestamp) -> Result<(), StoreError> {
        let mut write = self.write().await?;
        sqlx::query("UPDATE sessions SET last_seen_at = $1, expires_at = $2 WHERE id = $3")
            .bind(now.millis())
            .bind(expiry(session.created_at, now).millis())
            .bind(session.id.as_str())
            .execute(&mut *write)
            .await?;
        write.commit().await?;
        Ok(())
    }

    /// The active sessions of a person, newest first.
    pub async fn sessions_of(
        &self,
        user: &UserId,
        now: Timestamp,
    ) -> Result<Vec<Session>, StoreError> {
        let rows = sqlx::query("SELECT * FROM sessions WHERE user_id = $1 AND expires_at > $2 ORDER BY last_seen_at DESC, id")
            .bind(user.as_str())
            .bind(now.millis())
            .fetch_all(self.reader())
            .await?;
        rows.iter().map(session).collect()
    }

    /// Ends a session of the person. Succeeds if it has already ended.
    pub async fn end_session(
        &self,
        user: &UserId,
        session: &SessionId,
        by: &Stamp,
    ) -> Result<(), StoreError> {
        let mut write = self.write().await?;
        let ended = sqlx::query("DELETE FROM sessions WHERE id = $1 AND user_id = $2")
            .bind(session.as_str())
            .bind(user.as_str())
            .execute(&mut *write)
            .await?;
        if ended.rows_affected() > 0 {
            Record::of("session.ended")
                .about(user.as_str())
                .save(&mut write, by)
                .await?;
        }
        self.commit(write).await
    }

    /// Records that the person has proved who they are once more.
    pub async fn mark_authenticated(
        &self,
        session: &SessionId,
        by: &Stamp,
    ) -> Result<(), StoreError> {
        let mut write = self.write().await?;
        sqlx::query("UPDATE sessions SET authenticated_at = $1 WHERE id = $2")
            .bind(by.at.millis())
            .bind(session.as_str())
            .execute(&mut *write)
            .await?;
        Record::of("session.confirmed").save(&mut write, by).await?;
        self.commit(write).await
    }

    /// Deletes expired sessions, one-time links, preview links, tickets and attempt counts.
    pub async fn sweep(&self, now: Timestamp) -> Result<(), StoreError> {
        let mut write = self.write().await?;
        sqlx::query("DELETE FROM sessions WHERE expires_at <= $1")
            .bind(now.millis())
            .execute(&mut *write)
            .await?;
        let a_day_ago = now.before(Duration::from_secs(24 * 60 * 60));
        sqlx::query("DELETE FROM links WHERE expires_at <= $1")
            .bind(a_day_ago.millis())
            .execute(&mut *write)
            .await?;
        sqlx::query("DELETE FROM preview_links WHERE expires_at <= $1")
            .bind(a_day_ago.millis())
            .execute(&mut *write)
            .await?;
        sqlx::query("DELETE FROM spent_tickets WHERE expires_at <= $1")
            .bind(a_day_ago.millis())
            .execute(&mut *write)
            .await?;
        sqlx::query("DELETE FROM throttle WHERE started_at <= $1")
            .bind(a_day_ago.millis())
            .execute(&mut *write)
            .await?;
        write.commit().await?;
        Ok(())
    }
}

pub(crate) async fn insert_session(
    write: &mut Write,
    new: &NewSession<'_>,
    now: Timestamp,
) -> Result<(SessionSecret, Session), StoreError> {
    let secret = SessionSecret::random()?;
    let session = Session {
        id: SessionId::new(),
        user: new.user.clone(),
        site: new.site.clone(),
        csrf_token: random_text()?,
        user_agent: new.user_agent.chars().take(200).collect(),
        address: new.address.to_owned(),
        created_at: now,
        last_seen_at: now,
        expires_at: expiry(now, now),
        authenticated_at: now,
    };
    sqlx::query(
        "INSERT INTO sessions (id, secret_hash, user_id, site_id, csrf_token, user_agent, address, created_at, last_seen_at, \
         expires_at, authenticated_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $8)",
    )
    .bind(session.id.as_str())
    .bind(hash(secret.expose()))
    .bind(session.user.as_str())
    .bind(session.site.as_str())
    .bind(&session.csrf_token)
    .bind(&session.user_agent)
    .bind(&session.address)
    .bind(session.created_at.millis())
    .bind(session.last_seen_at.millis())
    .bind(session.expires_at.millis())
    .execute(&mut **write)
    .await?;
    let by = Stamp::user(&session.user, now);
    Record::of("session.began")
        .about(session.user.as_str())
        .with(json!({ "address": session.address }))
        .save(write, &by)
        .await?;
    Ok((secret, session))
}

fn expiry(created_at: Timestamp, now: Timestamp) -> Timestamp {
    now.after(IDLE_LIFETIME).min(created_at.after(LIFETIME))
}

/// 32 random bytes as text for a cookie, a header or an address.
pub(crate) fn random_text() -> Result<String, StoreError> {
    use base64::Engine as _;
    let mut bytes = [0u8; 32];
    getrandom::fill(&mut bytes).map_err(|error| {
        StoreError::Misconfigured(format!("the system gives no random bytes: {error}"))
    })?;
    Ok(base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(bytes))
}

/// The hash of a secret, for storing. The secrets are long and random, so a plain hash is enough.
pub(crate) fn hash(secret: &str) -> String {
    hex::encode(Sha256::digest(secret))
}

fn session(row: &AnyRow) -> Result<Session, StoreError> {
    Ok(Session {
        id: SessionId::from(row.try_get::<String, _>("id")?),
        user: UserId::from(row.try_get::<String, _>("user_id")?),
        site: SiteId::from(row.try_get::<String, _>("site_id")?),
        csrf_token: row.try_get("csrf_token")?,
        user_agent: row.try_get("user_agent")?,
        address: row.try_get("address")?,
        created_at: Timestamp::from_millis(row.try_get("created_at")?),
        last_seen_at: Timestamp::from_millis(row.try_get("last_seen_at")?),
        expires_at: Timestamp::from_millis(row.try_get("expires_at")?),
        authenticated_at: Timestamp::from_millis(row.try_get("authenticated_at")?),
    })
}

//! API tokens. A token belongs to one site and never allows more than its creator may do at the time it is used.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::json;
use sitewright_tool::CapabilitySet;
use sqlx::Row;
use sqlx::any::AnyRow;

use crate::account_notices::{AccountEvent, notify};
use crate::audit::{Actor, Record, Stamp};
use crate::calls::withdraw_calls;
use crate::quotas;
use crate::roles::{capabilities_from, capabilities_text};
use crate::sessions::{hash, random_text};
use crate::{SiteId, Store, StoreError, Timestamp, TokenId, UserId};

/// What kind of client uses a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TokenKind {
    /// A program written by people, which does what they wrote.
    Script,
    /// A model, whose confirmations do not count as a person's.
    Agent,
}

impl TokenKind {
    /// The stored spelling; the same as serde's.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Script => "script",
            Self::Agent => "agent",
        }
    }

    /// What a token of this kind may allow at most.
    pub fn capabilities_max(self) -> CapabilitySet {
        match self {
            Self::Script => CapabilitySet::all(),
            Self::Agent => CapabilitySet::for_agents(),
        }
    }
}

/// A complete token, shown once.
#[derive(Clone)]
pub struct TokenSecret(String);

impl TokenSecret {
    /// A token from a header; none if the text cannot be one of our tokens.
    pub fn from_header(text: &str) -> Option<Self> {
        text.starts_with(PREFIX).then(|| Self(text.to_owned()))
    }

    /// The text to show.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for TokenSecret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("TokenSecret(swt_…)")
    }
}

/// A token as stored, without its secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    pub id: TokenId,
    pub site: SiteId,
    pub name: String,
    pub kind: TokenKind,
    /// The upper limit of what it allows.
    pub capabilities: CapabilitySet,
    /// Who created it; none if it was created on the machine itself.
    pub maker: Option<UserId>,
    pub created_at: Timestamp,
    pub expires_at: Option<Timestamp>,
    /// When it was last used, accurate to an hour.
    pub last_used_at: Option<Timestamp>,
}

/// A token to create.
#[derive(Debug)]
pub struct NewToken<'a> {
    pub site: &'a SiteId,
    pub name: &'a str,
    pub kind: TokenKind,
    /// The upper limit of what it allows.
    pub capabilities: CapabilitySet,
    /// Who creates it.
    pub maker: Option<&'a UserId>,
    /// The token that was used to create it, if any; revoking that one removes this one as well.
    pub parent: Option<&'a TokenId>,
    pub expires_at: Option<Timestamp>,
}

const PREFIX: &str = "swt_";
/// A use is recorded at most this often, so that not every call with a token writes.
const USED_STEP: std::time::Duration = std::time::Duration::from_secs(60 * 60);

impl Store {
    /// Creates a token.
    pub async fn create_token(
        &self,
        new: NewToken<'_>,
        by: &Stamp,
    ) -> Result<(TokenSecret, Token), StoreError> {
        let secret = TokenSecret(format!("{PREFIX}{}", random_text()?));
        let token = Token {
            id: TokenId::new(),
            site: new.site.clone(),
            name: new.name.to_owned(),
            kind: new.kind,
            capabilities: new.capabilities,
            maker: new.maker.cloned(),
            created_at: by.at,
            expires_at: new.expires_at,
            last_used_at: None,
        };
        let mut write = self.write().await?;
        sqlx::query(
            "INSERT INTO tokens (id, site_id, secret_hash, name, kind, capabilities, user_id, created_at, expires_at, \
             parent_id) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
        )
        .bind(token.id.as_str())
        .bind(token.site.as_str())
        .bind(hash(secret.expose()))
        .bind(&token.name)
        .bind(token.kind.as_str())
        .bind(capabilities_text(&token.capabilities))
        .bind(token.maker.as_ref().map(UserId::as_str))
        .bind(by.at.millis())
        .bind(token.expires_at.map(Timestamp::millis))
        .bind(new.parent.map(TokenId::as_str))
        .execute(&mut *write)
        .await?;
        let limit = self.quotas.for_tokens();
        limit
            .check_rows(&mut write, quotas::TOKENS, &token.site, "")
            .await?;
        if let Some(maker) = &token.maker {
            notify(
                &mut write,
                maker,
                AccountEvent::TokenCreated,
                &token.name,
                by,
            )
            .await?;
        }
        Record::of("token.created").on(&token.site).about(token.id.as_str()).with(json!({ "name": token.name, "kind": token.kind, "capabilities": token.capabilities })).save(&mut write, by)
        .await?;
        self.commit(write).await?;
        Ok((secret, token))
    }

    /// The token with this secret, unless it has expired. Marks it as used.
    pub async fn token(
        &self,
        secret: &TokenSecret,
        now: Timestamp,
    ) -> Result<Option<Token>, StoreError> {
        let row = sqlx::query("SELECT * FROM tokens WHERE secret_hash = $1 AND (expires_at IS NULL OR expires_at > $2)")
            .bind(hash(secret.expose()))
            .bind(now.millis())
            .fetch_optional(self.reader())
            .await?;
        let Some(token) = row.as_ref().map(token).transpose()? else {
            return Ok(None);
        };
        if token
            .last_used_at
            .is_none_or(|used| now.since(used) >= USED_STEP)
        {
            match self.mark_token_used(&token.id, now).await {
                // With a full disk, calls that only read continue to work; anything that writes reports the full disk.
                Ok(()) | Err(StoreError::DiskFull { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(Some(token))
    }

    async fn mark_token_used(&self, id: &TokenId, now: Timestamp) -> Result<(), StoreError> {
        let mut write = self.write().await?;
        sqlx::query("UPDATE tokens SET last_used_at = $1 WHERE id = $2")
            .bind(now.millis())
            .bind(id.as_str())
            .execute(&mut *write)
            .await?;
        write.commit().await?;
        Ok(())
    }

    /// The tokens of a site, newest first; with `maker`, only those of that person.
    pub async fn tokens(
        &self,
        site: &SiteId,
        maker: Option<&UserId>,
    ) -> Result<Vec<Token>, StoreError> {
        let rows = sqlx::query(
            "SELECT * FROM tokens WHERE site_id = $1 AND ($2 IS NULL OR user_id = $2) ORDER BY created_at DESC, id DESC",
        )
        .bind(site.as_str())
        .bind(maker.map(UserId::as_str))
        .fetch_all(self.reader())
        .await?;
        rows.iter().map(token).collect()
    }

    /// Removes a token of the site and those created with it; they stop working at once. With
    /// `maker`, only removes a token of that person.
    pub async fn revoke_token(
        &self,
        site: &SiteId,
        id: &TokenId,
        maker: Option<&UserId>,
        by: &Stamp,
    ) -> Result<(), StoreError> {
        let mut write = self.write().await?;
        let removed = sqlx::query(
            "WITH RECURSIVE family (id) AS (SELECT id FROM tokens WHERE site_id = $1 AND id = $2 AND ($3 IS NULL OR user_id = $3) \
             UNION SELECT tokens.id FROM tokens JOIN family ON tokens.parent_id = family.id) \
             DELETE FROM tokens WHERE id IN (SELECT id FROM family) RETURNING id",
        )
        .bind(site.as_str())
        .bind(id.as_str())
        .bind(maker.map(UserId::as_str))
        .fetch_all(&mut *write)
        .await?;
        if removed.is_empty() {
            return Err(StoreError::NotFound { what: "token" });
        }
        for row in &removed {
            let token = Actor::Token(TokenId::from(row.try_get::<String, _>("id")?));
            withdraw_calls(&mut write, &token, Some(site), by).await?;
        }
        Record::of("token.revoked")
            .on(site)
            .about(id.as_str())
            .save(&mut write, by)
            .await?;
        self.commit(write).await
    }
}

fn token(row: &AnyRow) -> Result<Token, StoreError> {
    Ok(Token {
        id: TokenId::from(row.try_get::<String, _>("id")?),
        site: SiteId::from(row.try_get::<String, _>("site_id")?),
        name: row.try_get("name")?,
        kind: kind_from(row)?,
        capabilities: capabilities_from(row.try_get("capabilities")?)?,
        maker: row
            .try_get::<Option<String>, _>("user_id")?
            .map(UserId::from),
        created_at: Timestamp::from_millis(row.try_get("created_at")?),
        expires_at: row
            .try_get::<Option<i64>, _>("expires_at")?
            .map(Timestamp::from_millis),
        last_used_at: row
            .try_get::<Option<i64>, _>("last_used_at")?
            .map(Timestamp::from_millis),
    })
}

pub(crate) fn kind_from(row: &AnyRow) -> Result<TokenKind, StoreError> {
    let stored: String = row.try_get("kind")?;
    [TokenKind::Script, TokenKind::Agent]
        .into_iter()
        .find(|kind| kind.as_str() == stored)
        .ok_or(StoreError::Corrupt { what: "token" })
}

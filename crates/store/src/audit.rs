//! The audit log: who did what. An entry is written in the transaction of the change it describes; `audit_chain` gives it its place
//! in the chain soon after.

use std::fmt;

use serde::Serialize;
use sha2::{Digest, Sha256};
use sqlx::Row;
use sqlx::any::AnyRow;

use crate::database::Write;
use crate::documents::{HISTORY_COLLAPSED, HISTORY_SEALED};
use crate::{AuditId, SiteId, Store, StoreError, Timestamp, TokenId, UserId};

/// Who did something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Actor {
    /// A person who is signed in.
    User(UserId),
    /// The holder of an API token.
    Token(TokenId),
    /// Anyone with access to the data folder: the command line on the machine itself.
    Local,
    /// Someone unidentified, such as the visitor of a one-time link.
    Anonymous,
}

impl Actor {
    /// Parses what `Display` writes.
    pub fn parse(text: &str) -> Option<Self> {
        match text.split_once(':') {
            Some(("user", id)) => Some(Self::User(UserId::from(id.to_owned()))),
            Some(("token", id)) => Some(Self::Token(TokenId::from(id.to_owned()))),
            None if text == "local" => Some(Self::Local),
            None if text == "anonymous" => Some(Self::Anonymous),
            _ => None,
        }
    }
}

impl fmt::Display for Actor {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::User(id) => write!(formatter, "user:{id}"),
            Self::Token(id) => write!(formatter, "token:{id}"),
            Self::Local => formatter.write_str("local"),
            Self::Anonymous => formatter.write_str("anonymous"),
        }
    }
}

/// An entry as it is read back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AuditEntry {
    pub id: AuditId,
    pub at: Timestamp,
    /// The actor as stored: `user:ID`, `token:ID`, `local` or `anonymous`.
    pub actor: String,
    /// The current name of that person or token; none if it no longer exists.
    pub actor_name: Option<String>,
    /// What was done, such as `user.created`.
    pub action: String,
    /// What it was done to.
    pub subject: Option<String>,
    /// Details as JSON; none once redacted.
    pub detail: Option<serde_json::Value>,
    /// The place in the chain; none until the entry is sealed.
    pub seq: Option<i64>,
}

/// A page of entries, newest first.
#[derive(Debug, Clone)]
pub struct AuditPage {
    pub entries: Vec<AuditEntry>,
    /// What to pass as `before` to get older entries; none on the last page.
    pub next: Option<AuditId>,
}

/// Who makes a change, and when. Every change that adds an audit entry takes one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stamp {
    pub actor: Actor,
    pub at: Timestamp,
}

impl Stamp {
    /// The stamp of a change made on the machine itself.
    pub fn local(at: Timestamp) -> Self {
        Self {
            actor: Actor::Local,
            at,
        }
    }

    /// The stamp of a change made by a person.
    pub fn user(user: &UserId, at: Timestamp) -> Self {
        Self {
            actor: Actor::User(user.clone()),
            at,
        }
    }
}

/// What was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RefusalKind {
    /// A sign-in with the wrong password, code or address.
    SignIn,
    /// A client that sent too many requests.
    Throttle,
    /// A request for which the caller lacks a capability.
    Access,
    /// A call that the policy forbids.
    Call,
}

impl RefusalKind {
    /// The name of the audit entry.
    pub fn action(self) -> &'static str {
        match self {
            Self::SignIn => "session.refused",
            Self::Throttle => "throttle.reached",
            Self::Access => "access.refused",
            Self::Call => "call.refused",
        }
    }
}

/// A refused request, for the audit log.
#[derive(Debug)]
pub struct Refusal<'a> {
    pub kind: RefusalKind,
    pub site: Option<&'a SiteId>,
    /// The account, route or capability.
    pub subject: &'a str,
    pub detail: serde_json::Value,
}

/// An entry that is about to be written.
pub(crate) struct Record<'a> {
    site: Option<&'a SiteId>,
    action: &'static str,
    subject: Option<&'a str>,
    detail: serde_json::Value,
}

impl<'a> Record<'a> {
    pub(crate) fn of(action: &'static str) -> Self {
        Self {
            site: None,
            action,
            subject: None,
            detail: serde_json::json!({}),
        }
    }

    pub(crate) fn on(self, site: &'a SiteId) -> Self {
        Self {
            site: Some(site),
            ..self
        }
    }

    pub(crate) fn about(self, subject: &'a str) -> Self {
        Self {
            subject: Some(subject),
            ..self
        }
    }

    pub(crate) fn with(self, detail: serde_json::Value) -> Self {
        Self { detail, ..self }
    }

    /// Adds the entry to the transaction of the change it describes.
    pub(crate) async fn save(self, write: &mut Write, by: &Stamp) -> Result<(), StoreError> {
        let Self {
            site,
            action,
            subject,
            detail,
        } = self;
        let id = AuditId::new();
        let actor = by.actor.to_string();
        let at = by.at.millis();
        let detail = detail.to_string();
        let site = site.map(SiteId::as_str);
        let (at_text, id_text) = (at.to_string(), id.as_str());
        let digest = digest(&[
            Some(id_text),
            Some(&at_text),
            site,
            Some(&actor),
            Some(action),
            subject,
            Some(&detail),
        ]);
        sqlx::query(
            "INSERT INTO audit (id, at, site_id, actor, action, subject, detail, digest) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
        )
        .bind(id_text)
        .bind(at)
        .bind(site)
        .bind(actor)
        .bind(action)
        .bind(subject)
        .bind(detail)
        .bind(digest)
        .execute(&mut **write)
        .await?;
        Ok(())
    }
}

impl Store {
    /// Commits a transaction and wakes the sealer.
    pub(crate) async fn commit(&self, write: Write) -> Result<(), StoreError> {
        write.commit().await?;
        self.audit_written.notify_one();
        Ok(())
    }

    /// Records that requests were refused.
    pub async fn record_refusal(&self, refusal: Refusal<'_>, by: &Stamp) -> Result<(), StoreError> {
        let mut write = self.write().await?;
        Record {
            site: refusal.site,
            action: refusal.kind.action(),
            subject: Some(refusal.subject),
            detail: refusal.detail,
        }
        .save(&mut write, by)
        .await?;
        self.commit(write).await
    }

    /// Waits until this process has committed an entry since the last call.
    pub async fn audit_written(&self) {
        self.audit_written.notified().await;
    }

    /// Entries of a site and of the instance from before `before`, newest first.
    pub async fn audit_page(
        &self,
        site: &SiteId,
        before: Option<&AuditId>,
        limit: u16,
    ) -> Result<AuditPage, StoreError> {
        // Ids sort by time, so the page needs no second sort key; `~` sorts after every id.
        let rows = sqlx::query(
            "SELECT audit.id, audit.at, audit.actor, audit.action, audit.subject, audit.detail, audit.seq, \
             COALESCE(users.name, tokens.name) AS actor_name FROM audit \
             LEFT JOIN users ON audit.actor = 'user:' || users.id LEFT JOIN tokens ON audit.actor = 'token:' || tokens.id \
             WHERE (audit.site_id = $1 OR audit.site_id IS NULL) AND audit.id < $2 AND audit.action NOT IN ($4, $5) \
             ORDER BY audit.id DESC LIMIT $3",
        )
        .bind(site.as_str())
        .bind(before.map_or("~", AuditId::as_str))
        .bind(i64::from(limit))
        .bind(HISTORY_SEALED)
        .bind(HISTORY_COLLAPSED)
        .fetch_all(self.reader())
        .await?;
        let entries = rows.iter().map(entry).collect::<Result<Vec<_>, _>>()?;
        let full = entries.len() == usize::from(limit);
        let next = entries
            .last()
            .filter(|_| full)
            .map(|entry| entry.id.clone());
        Ok(AuditPage { entries, next })
    }
}

fn entry(row: &AnyRow) -> Result<AuditEntry, StoreError> {
    let detail: Option<String> = row.try_get("detail")?;
    let detail = detail.map(|text| {
        serde_json::from_str(&text).map_err(|_error| StoreError::Corrupt {
            what: "audit entry",
        })
    });
    Ok(AuditEntry {
        id: AuditId::from(row.try_get::<String, _>("id")?),
        at: Timestamp::from_millis(row.try_get("at")?),
        actor: row.try_get("actor")?,
        actor_name: row.try_get("actor_name")?,
        action: row.try_get("action")?,
        subject: row.try_get("subject")?,
        detail: detail.transpose()?,
        seq: row.try_get("seq")?,
    })
}

pub(crate) fn row_digest(row: &AnyRow, detail: Option<&str>) -> Result<String, StoreError> {
    let at: i64 = row.try_get("at")?;
    let (id, actor, action): (String, String, String) = (
        row.try_get("id")?,
        row.try_get("actor")?,
        row.try_get("action")?,
    );
    let (site, subject): (Option<String>, Option<String>) =
        (row.try_get("site_id")?, row.try_get("subject")?);
    Ok(digest(&[
        Some(&id),
        Some(&at.to_string()),
        site.as_deref(),
        Some(&actor),
        Some(&action),
        subject.as_deref(),
        detail,
    ]))
}

/// Hashes every field with its length, so that no two different entries hash the same bytes.
pub(crate) fn digest(fields: &[Option<&str>]) -> String {
    let mut hash = Sha256::new();
    for field in fields {
        match field {
            Some(text) => {
                hash.update(format!("{}:", text.len()));
                hash.update(text);
            }
            None => hash.update("-:"),
        }
    }
    hex::encode(hash.finalize())
}

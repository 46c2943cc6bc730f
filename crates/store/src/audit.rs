//! The audit log: who did what, in a hash chain that reveals whether an entry was changed, removed or inserted.
//!
//! An entry is written in the transaction of the change it describes, without a place in the chain; the sealer assigns one soon
//! after. The chain has a single end, and linking at commit would make every writer wait for every other, so sealing happens in
//! batches. The chain covers digests, so the detail of an entry can be redacted later without breaking it.

use std::fmt;

use serde::Serialize;
use sha2::{Digest, Sha256};
use sqlx::Row;
use sqlx::any::AnyRow;

use crate::database::Write;
use crate::documents::{HISTORY_COLLAPSED, HISTORY_SEALED, HistorySeals};
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
    pub(crate) fn parse(text: &str) -> Option<Self> {
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

/// The result of verifying the whole chain.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ChainReport {
    /// Entries with a place in the chain.
    pub sealed: i64,
    /// Entries that the sealer has not reached yet.
    pub unsealed: i64,
    /// Sealed entries whose detail is redacted; their digest is still verified as a link of the chain.
    pub redacted: i64,
    /// Changes in the histories of sites that the chain covers.
    pub changes: u64,
    /// The first place where the chain is broken, with the reason.
    pub broken: Option<String>,
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

const SEAL_BATCH: i64 = 500;
const VERIFY_PAGE: i64 = 1000;

impl Store {
    /// Commits a transaction and wakes the sealer.
    pub(crate) async fn commit(&self, write: Write) -> Result<(), StoreError> {
        write.commit().await?;
        self.audit_written.notify_one();
        Ok(())
    }

    /// Waits until this process has committed an entry since the last call.
    pub async fn audit_written(&self) {
        self.audit_written.notified().await;
    }

    /// Gives every unsealed entry its place in the chain, and returns how many there were.
    ///
    /// Several nodes may call this at once: the end of the chain is a row, and its lock serializes them.
    pub async fn seal_audit(&self) -> Result<usize, StoreError> {
        let mut sealed = 0;
        loop {
            let batch = self.seal_batch().await?;
            sealed += batch;
            if batch < usize::try_from(SEAL_BATCH).unwrap_or(usize::MAX) {
                return Ok(sealed);
            }
        }
    }

    async fn seal_batch(&self) -> Result<usize, StoreError> {
        let waiting = sqlx::query("SELECT id FROM audit WHERE seq IS NULL LIMIT 1")
            .fetch_optional(self.reader())
            .await?;
        if waiting.is_none() {
            return Ok(0);
        }
        let mut write = self.write().await?;
        // On Postgres, writing the unchanged value locks the row, with the same SQL text as on SQLite.
        let head = sqlx::query("UPDATE audit_head SET seq = seq WHERE id = 1 RETURNING seq, chain")
            .fetch_one(&mut *write)
            .await?;
        let mut seq: i64 = head.try_get("seq")?;
        let mut chain: String = head.try_get("chain")?;
        let rows =
            sqlx::query("SELECT id, digest FROM audit WHERE seq IS NULL ORDER BY at, id LIMIT $1")
                .bind(SEAL_BATCH)
                .fetch_all(&mut *write)
                .await?;
        for row in &rows {
            seq += 1;
            chain = link(&chain, seq, row.try_get("digest")?);
            sqlx::query("UPDATE audit SET seq = $1, chain = $2 WHERE id = $3")
                .bind(seq)
                .bind(&chain)
                .bind(row.try_get::<String, _>("id")?)
                .execute(&mut *write)
                .await?;
        }
        sqlx::query("UPDATE audit_head SET seq = $1, chain = $2 WHERE id = 1")
            .bind(seq)
            .bind(&chain)
            .execute(&mut *write)
            .await?;
        write.commit().await?;
        Ok(rows.len())
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

    /// Verifies the whole chain by recomputing every digest and link, then the histories of sites as far as the chain covers them.
    pub async fn verify_audit(&self) -> Result<ChainReport, StoreError> {
        let report = self.walk_audit().await?;
        match report.broken {
            None => Ok(report),
            // Old changes may have been collapsed between two reads, so only a fault that a second pass finds as well is reported.
            Some(_) => self.walk_audit().await,
        }
    }

    async fn walk_audit(&self) -> Result<ChainReport, StoreError> {
        let head = sqlx::query("SELECT seq, chain FROM audit_head WHERE id = 1")
            .fetch_one(self.reader())
            .await?;
        let unsealed = sqlx::query("SELECT COUNT(*) AS n FROM audit WHERE seq IS NULL")
            .fetch_one(self.reader())
            .await?;
        let mut walk = Walk {
            seq: 0,
            chain: String::new(),
            redacted: 0,
        };
        let mut broken = None;
        let mut histories = HistorySeals::default();
        loop {
            let rows = sqlx::query(
                "SELECT id, at, site_id, actor, action, subject, detail, digest, seq, chain FROM audit \
                 WHERE seq > $1 ORDER BY seq LIMIT $2",
            )
            .bind(walk.seq)
            .bind(VERIFY_PAGE)
            .fetch_all(self.reader())
            .await?;
            if rows.is_empty() {
                break;
            }
            for row in &rows {
                if let Some(reason) = walk.step(row)? {
                    broken = broken.or(Some(reason));
                }
                histories.collect(row)?;
            }
        }
        let (head_seq, head_chain): (i64, String) = (head.try_get("seq")?, head.try_get("chain")?);
        if broken.is_none() && walk.seq < head_seq {
            broken = Some(format!(
                "entries {} to {head_seq} at the end are missing",
                walk.seq + 1
            ));
        }
        // Entries that were sealed after the head was read are beyond it and prove nothing about it.
        if broken.is_none() && walk.seq == head_seq && walk.chain != head_chain {
            broken = Some(format!(
                "the chain does not end in entry {head_seq} as recorded"
            ));
        }
        let waiting = sqlx::query("SELECT site_id, action, detail FROM audit WHERE seq IS NULL")
            .fetch_all(self.reader())
            .await?;
        for row in &waiting {
            histories.collect(row)?;
        }
        let histories = histories.verify(self).await?;
        Ok(ChainReport {
            sealed: walk.seq,
            unsealed: unsealed.try_get("n")?,
            redacted: walk.redacted,
            changes: histories.sealed,
            broken: broken.or(histories.broken),
        })
    }
}

struct Walk {
    seq: i64,
    chain: String,
    redacted: i64,
}

impl Walk {
    /// Verifies the next entry and returns what is wrong with it. Continues from the stored link, so that one fault is reported once.
    fn step(&mut self, row: &AnyRow) -> Result<Option<String>, StoreError> {
        let seq: i64 = row.try_get("seq")?;
        let stored_digest: String = row.try_get("digest")?;
        let stored_chain: Option<String> = row.try_get("chain")?;
        let detail: Option<String> = row.try_get("detail")?;
        let expected_chain = link(&self.chain, seq, &stored_digest);
        let reason = if seq != self.seq + 1 {
            Some(format!(
                "entries {} to {} are missing",
                self.seq + 1,
                seq - 1
            ))
        } else if detail.is_some() && row_digest(row, detail.as_deref())? != stored_digest {
            Some(format!("entry {seq} was changed"))
        } else if stored_chain.as_deref() != Some(&expected_chain) {
            Some(format!("entry {seq} does not follow from the one before"))
        } else {
            None
        };
        self.redacted += i64::from(detail.is_none());
        self.seq = seq;
        self.chain = stored_chain.unwrap_or(expected_chain);
        Ok(reason)
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

fn row_digest(row: &AnyRow, detail: Option<&str>) -> Result<String, StoreError> {
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

pub(crate) fn link(previous: &str, seq: i64, digest: &str) -> String {
    hex::encode(Sha256::digest(format!("{previous}|{seq}|{digest}")))
}

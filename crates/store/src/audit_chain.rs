//! The chain of the audit log: it reveals whether an entry was changed, removed or inserted.
//!
//! Entries are written without a place in the chain, and the sealer assigns one soon after. The chain has a single end, and linking
//! at commit would make every writer wait for every other, so sealing happens in batches. The chain covers digests, so the detail of
//! an entry can be redacted later; an entry of its own says who did that.
//!
//! A link is an HMAC, under a key that only holders of the instance's key can read. Whoever can write the database but not read that
//! key cannot compute a link. They can still cut the chain short at an earlier link; only a head that was kept elsewhere shows that.
//! A beginning that was deleted because of its age leaves an entry with the link that it ended in (`audit_cut`).
//! Earlier versions linked with a plain hash: such links are accepted before the first signed one and nowhere else.

use std::fmt;
use std::str::FromStr;

use hmac::{Hmac, KeyInit as _, Mac as _};
use serde::Serialize;
use sha2::{Digest as _, Sha256};
use sqlx::Row;
use sqlx::any::AnyRow;
use zeroize::Zeroizing;

use crate::audit::{Record, Stamp, row_digest};
use crate::audit_cut::{AUDIT_CUT, AuditCut};
use crate::documents::HistorySeals;
use crate::{AuditId, Secrets, StoreError};

const SEAL_BATCH: i64 = 500;
const VERIFY_PAGE: i64 = 1000;
const REDACTED: &str = "audit.redacted";

/// The key that signs links.
#[derive(Clone)]
pub(crate) struct AuditKey(pub(crate) Zeroizing<[u8; 32]>);

impl AuditKey {
    /// Another key for one purpose, from which this one cannot be computed. No link is computed from such a text.
    pub(crate) fn derive(&self, purpose: &str) -> Result<[u8; 32], StoreError> {
        let mut mac = Hmac::<Sha256>::new_from_slice(self.0.as_slice())
            .map_err(|_error| StoreError::Corrupt { what: "audit key" })?;
        mac.update(format!("key for {purpose}").as_bytes());
        Ok(mac.finalize().into_bytes().into())
    }

    pub(crate) fn link(
        &self,
        previous: &str,
        seq: i64,
        digest: &str,
    ) -> Result<String, StoreError> {
        let mut mac = Hmac::<Sha256>::new_from_slice(self.0.as_slice())
            .map_err(|_error| StoreError::Corrupt { what: "audit key" })?;
        mac.update(format!("{previous}|{seq}|{digest}").as_bytes());
        Ok(hex::encode(mac.finalize().into_bytes()))
    }
}

/// A link without a key, as in the histories of sites, whose last links are entries of the audit log.
pub(crate) fn unsigned_link(previous: &str, seq: i64, digest: &str) -> String {
    hex::encode(Sha256::digest(format!("{previous}|{seq}|{digest}")))
}

/// The end of the chain at some time, written `SEQ:LINK`. Kept outside the database, it proves that nothing up to it was cut off.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChainHead {
    pub seq: i64,
    pub link: String,
}

impl fmt::Display for ChainHead {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}", self.seq, self.link)
    }
}

/// A text that is not the head of a chain.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "it is not a head as `sitewright audit verify` prints it: a number, a colon and 64 hexadecimal digits"
)]
pub struct MalformedHead;

impl FromStr for ChainHead {
    type Err = MalformedHead;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (seq, link) = text.trim().split_once(':').ok_or(MalformedHead)?;
        let seq = seq.parse().map_err(|_error| MalformedHead)?;
        let is_hex = |digit: u8| digit.is_ascii_digit() || (b'a'..=b'f').contains(&digit);
        if seq < 1 || link.len() != 64 || !link.bytes().all(is_hex) {
            return Err(MalformedHead);
        }
        Ok(Self {
            seq,
            link: link.to_owned(),
        })
    }
}

/// The result of verifying the whole chain.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ChainReport {
    /// Entries with a place in the chain.
    pub sealed: i64,
    /// Entries that were deleted from its beginning because they were too old.
    pub cut: i64,
    /// Entries that the sealer has not reached yet.
    pub unsealed: i64,
    /// Sealed entries whose detail is redacted; their digest is still verified as a link of the chain.
    pub redacted: i64,
    /// Changes in the histories of sites that the chain covers.
    pub changes: u64,
    /// The last link; none while nothing is sealed.
    #[serde(skip)]
    pub head: Option<ChainHead>,
    /// The first place where the chain is broken, with the reason.
    pub broken: Option<String>,
}

impl Secrets {
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
            .fetch_optional(self.store().reader())
            .await?;
        if waiting.is_none() {
            return Ok(0);
        }
        let mut write = self.store().write().await?;
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
            chain = self.audit_key().link(&chain, seq, row.try_get("digest")?)?;
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

    /// Adds and seals an entry if the chain ends in a link without a signature, so that its end is signed from then on.
    pub(crate) async fn sign_older_audit(&self, by: &Stamp) -> Result<(), StoreError> {
        let last = sqlx::query(
            "SELECT audit.seq, audit.digest, audit.chain, COALESCE(before.chain, '') AS previous FROM audit \
             LEFT JOIN audit AS before ON before.seq = audit.seq - 1 WHERE audit.seq = (SELECT seq FROM audit_head WHERE id = 1)",
        )
        .fetch_optional(self.store().reader())
        .await?;
        let Some(last) = last else {
            return Ok(());
        };
        let previous: String = last.try_get("previous")?;
        let plain = unsigned_link(&previous, last.try_get("seq")?, last.try_get("digest")?);
        if last.try_get::<Option<String>, _>("chain")? != Some(plain) {
            return Ok(());
        }
        let mut write = self.store().write().await?;
        Record::of("audit.signed").save(&mut write, by).await?;
        self.store().commit(write).await?;
        self.seal_audit().await?;
        Ok(())
    }

    /// Erases the detail of an entry, which may hold personal data. An entry of its own records who did it.
    pub async fn redact_audit(&self, id: &AuditId, by: &Stamp) -> Result<(), StoreError> {
        let mut write = self.store().write().await?;
        let redacted = sqlx::query(
            "UPDATE audit SET detail = NULL WHERE id = $1 AND action <> $2 AND action <> $3",
        )
        .bind(id.as_str())
        .bind(REDACTED)
        .bind(AUDIT_CUT)
        .execute(&mut *write)
        .await?;
        if redacted.rows_affected() == 0 {
            return Err(StoreError::NotFound {
                what: "audit entry",
            });
        }
        Record::of(REDACTED)
            .about(id.as_str())
            .save(&mut write, by)
            .await?;
        self.store().commit(write).await
    }

    /// Verifies the whole chain by recomputing every digest and link, then the histories of sites as far as the chain covers them.
    /// With `expected`, the chain must also contain that link.
    pub async fn verify_audit(
        &self,
        expected: Option<&ChainHead>,
    ) -> Result<ChainReport, StoreError> {
        let report = self.walk_audit(expected).await?;
        match report.broken {
            None => Ok(report),
            // Old changes may have been collapsed between two reads, so only a fault that a second pass finds as well is reported.
            Some(_) => self.walk_audit(expected).await,
        }
    }

    async fn walk_audit(&self, expected: Option<&ChainHead>) -> Result<ChainReport, StoreError> {
        let reader = self.store().reader();
        let head = sqlx::query("SELECT seq, chain FROM audit_head WHERE id = 1")
            .fetch_one(reader)
            .await?;
        let recorded = ChainHead {
            seq: head.try_get("seq")?,
            link: head.try_get("chain")?,
        };
        let cut = AuditCut::newest(reader, self.audit_key()).await?;
        let mut walk = Walk::new(self.audit_key(), cut.head());
        let begin = walk.seq;
        let mut histories = HistorySeals::default();
        loop {
            let rows = sqlx::query(
                "SELECT id, at, site_id, actor, action, subject, detail, digest, seq, chain, \
                 CASE WHEN detail IS NULL THEN (SELECT COUNT(*) FROM audit AS later WHERE later.action = $3 AND later.subject = audit.id) \
                 ELSE 0 END AS redactions FROM audit WHERE seq > $1 ORDER BY seq LIMIT $2",
            )
            .bind(walk.seq)
            .bind(VERIFY_PAGE)
            .bind(REDACTED)
            .fetch_all(reader)
            .await?;
            if rows.is_empty() {
                break;
            }
            for row in &rows {
                walk.step(row, expected)?;
                histories.collect(row)?;
            }
        }
        walk.finish(&recorded, expected);
        let waiting = sqlx::query("SELECT site_id, action, detail FROM audit WHERE seq IS NULL")
            .fetch_all(reader)
            .await?;
        for row in &waiting {
            histories.collect(row)?;
        }
        let histories = histories.verify(self.store()).await?;
        Ok(ChainReport {
            sealed: walk.seq - begin,
            cut: begin,
            unsealed: i64::try_from(waiting.len()).unwrap_or(i64::MAX),
            redacted: walk.redacted,
            changes: histories.sealed,
            head: (walk.seq > begin).then_some(ChainHead {
                seq: walk.seq,
                link: walk.chain,
            }),
            broken: walk.broken.or(histories.broken),
        })
    }
}

/// A walk along the chain, from its first entry to its last.
struct Walk<'a> {
    key: &'a AuditKey,
    /// Where it began; entries up to here were cut.
    begin: i64,
    seq: i64,
    chain: String,
    is_signed: bool,
    redacted: i64,
    /// The first fault.
    broken: Option<String>,
}

impl<'a> Walk<'a> {
    fn new(key: &'a AuditKey, cut: ChainHead) -> Self {
        Self {
            key,
            begin: cut.seq,
            seq: cut.seq,
            chain: cut.link,
            is_signed: false,
            redacted: 0,
            broken: None,
        }
    }

    /// Verifies the next entry. Continues from the stored link, so that one fault is reported once.
    fn step(&mut self, row: &AnyRow, expected: Option<&ChainHead>) -> Result<(), StoreError> {
        let seq: i64 = row.try_get("seq")?;
        let stored_digest: String = row.try_get("digest")?;
        let stored_chain: Option<String> = row.try_get("chain")?;
        let detail: Option<String> = row.try_get("detail")?;
        let redactions: i64 = row.try_get("redactions")?;
        let signed = self.key.link(&self.chain, seq, &stored_digest)?;
        let follows = if stored_chain.as_deref() == Some(&signed) {
            self.is_signed = true;
            true
        } else {
            let plain = unsigned_link(&self.chain, seq, &stored_digest);
            !self.is_signed && stored_chain.as_deref() == Some(&plain)
        };
        let fault = if seq != self.seq + 1 {
            Some(format!(
                "entries {} to {} are missing",
                self.seq + 1,
                seq - 1
            ))
        } else if detail.is_some() && row_digest(row, detail.as_deref())? != stored_digest {
            Some(format!("entry {seq} was changed"))
        } else if detail.is_none() && redactions == 0 {
            Some(format!(
                "the details of entry {seq} were erased, and no entry says by whom"
            ))
        } else if !follows {
            Some(format!("entry {seq} does not follow from the one before"))
        } else if expected
            .is_some_and(|head| head.seq == seq && Some(&head.link) != stored_chain.as_ref())
        {
            Some(format!(
                "entry {seq} is not the one of the head that was given"
            ))
        } else {
            None
        };
        self.broken = self.broken.take().or(fault);
        self.redacted += i64::from(detail.is_none());
        self.seq = seq;
        self.chain = stored_chain.unwrap_or(signed);
        Ok(())
    }

    /// Verifies the end of the chain.
    fn finish(&mut self, recorded: &ChainHead, expected: Option<&ChainHead>) {
        let fault = if self.seq < recorded.seq {
            Some(format!(
                "entries {} to {} at the end are missing",
                self.seq + 1,
                recorded.seq
            ))
        // Entries that were sealed after the head was read are beyond it and prove nothing about it.
        } else if self.seq == recorded.seq && self.chain != recorded.link {
            Some(format!(
                "the chain does not end in entry {} as recorded",
                recorded.seq
            ))
        } else if self.seq > self.begin && !self.is_signed {
            Some("no entry is signed with the key of this instance".to_owned())
        } else if expected.is_some_and(|head| head.seq <= self.begin) {
            Some(format!(
                "the entry of the head that was given was deleted with those up to {}, because they were too old; check against a newer head",
                self.begin
            ))
        } else {
            expected.filter(|head| head.seq > self.seq).map(|head| {
                format!(
                    "entries {} to {} at the end are missing",
                    self.seq + 1,
                    head.seq
                )
            })
        };
        self.broken = self.broken.take().or(fault);
    }
}

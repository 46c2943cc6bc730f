//! Deletes the beginning of the audit log when it is older than its period, so that the rest can still be verified.
//!
//! The transaction that deletes writes an entry with the last link that it deleted, and what the deleted entries said about the histories
//! of sites. The walk along the chain begins at that link. Whoever can write the database could add such an entry, too, and the sealer
//! would give it a place; so the entry carries a proof, an HMAC under the key that signs links.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::json;
use sqlx::{AnyPool, Row};

use crate::audit::{Record, Stamp};
use crate::audit_chain::{AuditKey, ChainHead};
use crate::documents::HistorySeals;
use crate::{CollectionMode, RetentionClock, Secrets, StoreError};

pub(crate) const AUDIT_CUT: &str = "audit.cut";
/// How many entries one transaction deletes.
const CUT_MAX: i64 = 5_000;
/// How many transactions one round makes.
const CUTS_MAX: usize = 20;

/// The detail of the entry about a cut.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct AuditCut {
    /// The last entry that was deleted.
    to: i64,
    /// Its link.
    link: String,
    proof: String,
}

impl AuditCut {
    fn new(key: &AuditKey, to: i64, link: String) -> Result<Self, StoreError> {
        let proof = key.link(AUDIT_CUT, to, &link)?;
        Ok(Self { to, link, proof })
    }

    fn beginning() -> Self {
        Self {
            to: 0,
            link: String::new(),
            proof: String::new(),
        }
    }

    /// The newest cut whose proof is right; the beginning of the chain if there is none.
    pub(crate) async fn newest(reader: &AnyPool, key: &AuditKey) -> Result<Self, StoreError> {
        let rows = sqlx::query("SELECT detail FROM audit WHERE action = $1")
            .bind(AUDIT_CUT)
            .fetch_all(reader)
            .await?;
        let mut newest = Self::beginning();
        for row in &rows {
            let detail: Option<String> = row.try_get("detail")?;
            let cut = detail.and_then(|detail| serde_json::from_str::<Self>(&detail).ok());
            let Some(cut) = cut.filter(|cut| cut.to > newest.to) else {
                continue;
            };
            if key.link(AUDIT_CUT, cut.to, &cut.link)? == cut.proof {
                newest = cut;
            }
        }
        Ok(newest)
    }

    /// Where the walk along the chain begins.
    pub(crate) fn head(self) -> ChainHead {
        ChainHead {
            seq: self.to,
            link: self.link,
        }
    }
}

impl Secrets {
    /// Deletes the beginning of the audit log that is older than this, as far as the clock can be trusted, and returns the number of
    /// deleted entries. The newest sealed entry stays. Any number of nodes may do this at once.
    pub async fn cut_audit(
        &self,
        age: Duration,
        clock: &RetentionClock,
        collection: CollectionMode,
    ) -> Result<u64, StoreError> {
        let Some(before) = clock.cutoff(age) else {
            return Ok(0);
        };
        if collection == CollectionMode::Preview {
            let mut connection = self.store().connection().await?;
            let (first, last) = old_entries(&mut connection, before.millis()).await?;
            return Ok((last - first + 1).max(0).unsigned_abs());
        }
        let mut count = 0;
        for _ in 0..CUTS_MAX {
            let cut = self.cut_step(before.millis(), clock).await?;
            count += cut;
            if cut < CUT_MAX.unsigned_abs() {
                break;
            }
        }
        Ok(count)
    }

    async fn cut_step(&self, before: i64, clock: &RetentionClock) -> Result<u64, StoreError> {
        let mut write = self.store().write().await?;
        // The lock of the chain's end, so that nobody seals or cuts at the same time.
        sqlx::query("UPDATE audit_head SET seq = seq WHERE id = 1")
            .execute(&mut *write)
            .await?;
        let (first, last) = old_entries(&mut write, before).await?;
        let last = last.min(first.saturating_add(CUT_MAX - 1));
        if last < first {
            write.rollback().await?;
            return Ok(0);
        }
        let rows = sqlx::query(
            "SELECT site_id, action, detail, seq, chain FROM audit WHERE seq <= $1 ORDER BY seq",
        )
        .bind(last)
        .fetch_all(&mut *write)
        .await?;
        let mut histories = HistorySeals::default();
        for row in &rows {
            histories.collect(row)?;
        }
        let link = rows.last().map(|row| row.try_get::<String, _>("chain"));
        let link = link.transpose()?.unwrap_or_default();
        let cut = AuditCut::new(self.audit_key(), last, link)?;
        let gone = sqlx::query("DELETE FROM audit WHERE seq <= $1")
            .bind(last)
            .execute(&mut *write)
            .await?;
        let mut detail = json!(cut);
        detail["histories"] = histories.summarize();
        Record::of(AUDIT_CUT)
            .with(detail)
            .save(&mut write, &Stamp::local(clock.now()))
            .await?;
        self.store().commit(write).await?;
        Ok(gone.rows_affected())
    }
}

/// The first sealed entry, and the last one before which all are older than `before`. Never the newest sealed one.
async fn old_entries(
    connection: &mut sqlx::AnyConnection,
    before: i64,
) -> Result<(i64, i64), StoreError> {
    let row = sqlx::query(
        "SELECT COALESCE(MIN(seq), 1) AS first, COALESCE(MAX(seq), 0) - 1 AS last, \
         COALESCE((SELECT MIN(seq) FROM audit WHERE seq IS NOT NULL AND at >= $1) - 1, MAX(seq), 0) AS old FROM audit WHERE seq IS NOT NULL",
    )
    .bind(before)
    .fetch_one(connection)
    .await?;
    let (last, old): (i64, i64) = (row.try_get("last")?, row.try_get("old")?);
    Ok((row.try_get("first")?, last.min(old)))
}

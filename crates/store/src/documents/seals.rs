//! Puts the history of a site under the audit chain, so that `Secrets::verify_audit` finds a change that was altered or removed.
//!
//! The rows of the log form a hash chain. At intervals, the hash up to the last entry is written to the audit log, which has a
//! chain of its own. As with sealing there, hashing happens after the commit, so that it adds no time to an edit; until then an
//! entry is as unprotected as an audit entry that is not sealed yet. When old entries are collapsed, the hash up to the last of
//! them is written as well, and verification starts from there.

use std::collections::{HashMap, HashSet, VecDeque};
use std::ops::RangeInclusive;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, Row};

use super::log;
use super::recovery::SITE_RECOVERED;
use crate::audit::{Record, digest};
use crate::audit_chain::unsigned_link;
use crate::audit_cut::AUDIT_CUT;
use crate::{SiteId, Stamp, Store, StoreError, Timestamp};

/// The actions of audit entries that carry hashes. They describe nothing that anyone did, so lists for people leave them out.
pub(crate) const HISTORY_SEALED: &str = "site.history_sealed";
pub(crate) const HISTORY_COLLAPSED: &str = "site.history_collapsed";

/// How many entries are read at once, and the maximum that one audit entry covers.
const PAGE: i64 = 200;
const SEAL_MAX: u64 = 2000;

/// The content of an audit entry about a site's log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Seal {
    /// The first entry that it covers; not set for collapsed entries, where only the last one is recorded.
    #[serde(default)]
    from: u64,
    /// The last entry that it covers.
    to: u64,
    /// The chain's hash up to that entry.
    chain: String,
}

/// A position in the log with the chain's hash up to it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Mark {
    seq: u64,
    chain: String,
}

impl Mark {
    fn extend(&mut self, row: &AnyRow) -> Result<(), StoreError> {
        let seq = log::number(row, "seq")?;
        self.chain = unsigned_link(&self.chain, log::signed(seq), &row_digest(row)?);
        self.seq = seq;
        Ok(())
    }
}

impl Store {
    /// Writes the hashes of unsealed changes into the audit log, and returns how many changes were sealed.
    ///
    /// Several nodes may call this at once: a node that finds that another was faster does nothing.
    pub async fn seal_histories(&self, now: Timestamp) -> Result<u64, StoreError> {
        let mut count = 0;
        for site in self.sites().await? {
            loop {
                let sealed = self.seal_history(&site.id, now).await?;
                count += sealed;
                if sealed < SEAL_MAX {
                    break;
                }
            }
        }
        Ok(count)
    }

    async fn seal_history(&self, site: &SiteId, now: Timestamp) -> Result<u64, StoreError> {
        // Rows of the log never change, so they are read and hashed before taking the lock.
        let mut connection = self.connection().await?;
        let Some((begin, end)) = unsealed(&mut connection, site).await? else {
            return Ok(0);
        };
        let end = end.min(begin.seq + SEAL_MAX);
        let mut mark = begin.clone();
        walk(&mut connection, site, begin.seq + 1..=end, |row| {
            mark.extend(row)
        })
        .await?;
        drop(connection);
        let mut write = self.write().await?;
        log::lock(&mut write, site).await?;
        let found = unsealed(&mut write, site).await?;
        // Another node sealed or collapsed entries in the meantime.
        if found.is_none_or(|(mark, _)| mark != begin) || mark == begin {
            write.rollback().await?;
            return Ok(0);
        }
        sqlx::query("UPDATE site_logs SET sealed_seq = $1, sealed_chain = $2 WHERE site_id = $3")
            .bind(log::signed(mark.seq))
            .bind(&mark.chain)
            .bind(site.as_str())
            .execute(&mut *write)
            .await?;
        let sealed = mark.seq - begin.seq;
        let seal = Seal {
            from: begin.seq + 1,
            to: mark.seq,
            chain: mark.chain,
        };
        Record::of(HISTORY_SEALED)
            .on(site)
            .with(json!(seal))
            .save(&mut write, &Stamp::local(now))
            .await?;
        self.commit(write).await?;
        Ok(sealed)
    }
}

/// Where sealing continues, and the last entry of the log; none if everything is sealed.
async fn unsealed(
    connection: &mut AnyConnection,
    site: &SiteId,
) -> Result<Option<(Mark, u64)>, StoreError> {
    let row = sqlx::query(
        "SELECT seq, kept_from, sealed_seq, sealed_chain FROM site_logs WHERE site_id = $1 AND seq > sealed_seq",
    )
    .bind(site.as_str())
    .fetch_optional(connection)
    .await?;
    let Some(row) = row else { return Ok(None) };
    let sealed = log::number(&row, "sealed_seq")?;
    let mark = match sealed {
        // A log without seals starts its chain at the oldest stored entry, and the entries already in it are trusted as found.
        0 => Mark {
            seq: log::number(&row, "kept_from")?.saturating_sub(1),
            chain: String::new(),
        },
        seq => Mark {
            seq,
            chain: row.try_get("sealed_chain")?,
        },
    };
    Ok(Some((mark, log::number(&row, "seq")?)))
}

/// Seals the entries up to `upto`, which are about to be deleted, so that the remaining ones can still be verified. Must run in the
/// transaction that deletes them, under the lock of the log.
pub(super) async fn seal_collapse(
    write: &mut crate::database::Write,
    site: &SiteId,
    upto: u64,
    now: Timestamp,
) -> Result<(), StoreError> {
    let row = sqlx::query(
        "SELECT kept_from, sealed_seq, collapsed_chain FROM site_logs WHERE site_id = $1",
    )
    .bind(site.as_str())
    .fetch_one(&mut **write)
    .await?;
    let mut mark = Mark {
        seq: log::number(&row, "kept_from")?.saturating_sub(1),
        chain: row.try_get("collapsed_chain")?,
    };
    let sealed = log::number(&row, "sealed_seq")?;
    walk(&mut *write, site, mark.seq + 1..=upto, |row| {
        mark.extend(row)
    })
    .await?;
    sqlx::query("UPDATE site_logs SET collapsed_chain = $1 WHERE site_id = $2")
        .bind(&mark.chain)
        .bind(site.as_str())
        .execute(&mut **write)
        .await?;
    if sealed < upto {
        sqlx::query("UPDATE site_logs SET sealed_seq = $1, sealed_chain = $2 WHERE site_id = $3")
            .bind(log::signed(upto))
            .bind(&mark.chain)
            .bind(site.as_str())
            .execute(&mut **write)
            .await?;
    }
    let seal = json!({ "to": upto, "chain": mark.chain });
    Record::of(HISTORY_COLLAPSED)
        .on(site)
        .with(seal)
        .save(write, &Stamp::local(now))
        .await
}

/// What the audit log says about the histories of sites, collected while its chain is verified.
#[derive(Debug, Default)]
pub(crate) struct HistorySeals(HashMap<String, SiteSeals>);

#[derive(Debug, Default)]
struct SiteSeals {
    seals: Vec<Seal>,
    /// The newest seal of a collapse.
    collapsed: Option<Seal>,
    /// The entries that recovered the site; the number before each is a gap that no entry has.
    recovered: HashSet<u64>,
}

impl SiteSeals {
    fn begin_at(&mut self, seal: Seal) {
        if self.collapsed.as_ref().is_none_or(|last| last.to < seal.to) {
            self.collapsed = Some(seal);
        }
    }

    /// Where verification begins: at the newest collapse, or else before the first seal.
    fn begin(&self) -> Option<Mark> {
        let collapsed = self.collapsed.as_ref().map(|collapsed| Mark {
            seq: collapsed.to,
            chain: collapsed.chain.clone(),
        });
        collapsed.or_else(|| {
            let first = self.seals.iter().min_by_key(|seal| seal.to)?;
            Some(Mark {
                seq: first.from.saturating_sub(1),
                chain: String::new(),
            })
        })
    }
}

/// The result of verifying the histories.
#[derive(Debug, Default)]
pub(crate) struct HistoryReport {
    /// The number of changes that the audit chain covers.
    pub(crate) sealed: u64,
    /// The first place that does not match its seal.
    pub(crate) broken: Option<String>,
}

impl HistorySeals {
    /// Adds an entry of the audit log. A redacted entry is ignored.
    pub(crate) fn collect(&mut self, row: &AnyRow) -> Result<(), StoreError> {
        let action: String = row.try_get("action")?;
        if action == SITE_RECOVERED {
            return self.collect_recovery(row);
        }
        if action == AUDIT_CUT {
            return self.collect_summary(row);
        }
        if action != HISTORY_SEALED && action != HISTORY_COLLAPSED {
            return Ok(());
        }
        let detail: Option<String> = row.try_get("detail")?;
        let site: Option<String> = row.try_get("site_id")?;
        let seal = detail.and_then(|detail| serde_json::from_str::<Seal>(&detail).ok());
        let (Some(seal), Some(site)) = (seal, site) else {
            return Ok(());
        };
        let known = self.0.entry(site).or_default();
        match action == HISTORY_SEALED {
            true => known.seals.push(seal),
            false => known.begin_at(seal),
        }
        Ok(())
    }

    fn collect_recovery(&mut self, row: &AnyRow) -> Result<(), StoreError> {
        let detail: Option<String> = row.try_get("detail")?;
        let site: Option<String> = row.try_get("site_id")?;
        let detail = detail.and_then(|detail| serde_json::from_str::<Value>(&detail).ok());
        let entry = detail.and_then(|detail| detail["entry"].as_u64());
        if let Some((site, entry)) = site.zip(entry) {
            self.0.entry(site).or_default().recovered.insert(entry);
        }
        Ok(())
    }

    /// What remains to be known about the histories when the entries collected so far are deleted: for each site where verification
    /// begins, the last seal, and the recoveries.
    pub(crate) fn summarize(&self) -> Value {
        let site = |(site, known): (&String, &SiteSeals)| {
            let last = known.seals.iter().max_by_key(|seal| seal.to);
            let seals: Vec<&Seal> = last.into_iter().collect();
            let summary = json!({
                "begin": known.begin().map(|Mark { seq, chain }| Seal { from: 0, to: seq, chain }),
                "seals": seals, "recovered": known.recovered,
            });
            (site.clone(), summary)
        };
        self.0
            .iter()
            .map(site)
            .collect::<serde_json::Map<_, _>>()
            .into()
    }

    /// Adds what [`Self::summarize`] wrote.
    fn collect_summary(&mut self, row: &AnyRow) -> Result<(), StoreError> {
        #[derive(Deserialize)]
        struct Summary {
            begin: Option<Seal>,
            seals: Vec<Seal>,
            recovered: HashSet<u64>,
        }
        let detail: Option<String> = row.try_get("detail")?;
        let detail = detail.and_then(|detail| serde_json::from_str::<Value>(&detail).ok());
        let histories = detail.map(|mut detail| detail["histories"].take());
        let histories = histories.and_then(|histories| {
            serde_json::from_value::<HashMap<String, Summary>>(histories).ok()
        });
        for (site, summary) in histories.into_iter().flatten() {
            let known = self.0.entry(site).or_default();
            known.seals.extend(summary.seals);
            known.recovered.extend(summary.recovered);
            if let Some(begin) = summary.begin {
                known.begin_at(begin);
            }
        }
        Ok(())
    }

    /// Verifies the logs of all sites against their seals.
    pub(crate) async fn verify(self, store: &Store) -> Result<HistoryReport, StoreError> {
        let mut report = HistoryReport::default();
        let mut connection = store.connection().await?;
        for (site, mut known) in self.0 {
            known.seals.sort_unstable_by_key(|seal| seal.to);
            let site = SiteId::from(site);
            let (sealed, broken) = verify_site(&mut connection, &site, known).await?;
            report.sealed += sealed;
            let named = broken.map(|place| format!("{place} in the history of the site `{site}`"));
            report.broken = report.broken.or(named);
        }
        Ok(report)
    }
}

/// Returns how many entries were checked, and the first place that does not match its seal.
///
/// Hashing starts at the newest collapse, whose hash the audit log holds, or else at the first seal. It recomputes the chain row by
/// row up to the end of the log and compares it at each seal. A missing number is a fault, unless the audit log records the
/// recovery that left the gap. The audit log only holds hashes at seals, so an altered row is reported as a range of changes.
async fn verify_site(
    connection: &mut AnyConnection,
    site: &SiteId,
    known: SiteSeals,
) -> Result<(u64, Option<String>), StoreError> {
    let Some(begin) = known.begin() else {
        return Ok((0, None));
    };
    let sealed = known
        .seals
        .last()
        .map_or(begin.seq, |seal| seal.to.max(begin.seq));
    let mut seals: VecDeque<Seal> = known.seals.into();
    seals.retain(|seal| seal.to > begin.seq);
    // Entries that are not sealed yet must not be missing either.
    let end = log::end(connection, site).await?.unwrap_or(0).max(sealed);
    let (mut mark, mut checked) = (begin.clone(), begin.seq);
    let mut broken = None;
    walk(connection, site, begin.seq + 1..=end, |row| {
        let (expected, found) = (mark.seq + 1, log::number(row, "seq")?);
        mark.extend(row)?;
        let is_recovery = found == expected + 1 && known.recovered.contains(&found);
        if found != expected && !is_recovery {
            broken.get_or_insert_with(|| missing(expected, found - 1));
        }
        if let Some(seal) = seals.pop_front_if(|seal| seal.to <= found) {
            if seal.to != found || seal.chain != mark.chain {
                broken.get_or_insert_with(|| changed(checked + 1, seal.to));
            }
            checked = seal.to;
        }
        Ok(())
    })
    .await?;
    if mark.seq < end {
        broken.get_or_insert_with(|| missing(mark.seq + 1, end));
    }
    Ok((sealed - begin.seq, broken))
}

fn missing(from: u64, to: u64) -> String {
    if from == to {
        return format!("change {from} is missing");
    }
    format!("changes {from} to {to} are missing")
}

fn changed(from: u64, to: u64) -> String {
    if from == to {
        return format!("change {from} was altered");
    }
    format!("one of the changes {from} to {to} was altered")
}

/// Calls `take` for each row of the log in the range, oldest first.
async fn walk(
    connection: &mut AnyConnection,
    site: &SiteId,
    seqs: RangeInclusive<u64>,
    mut take: impl FnMut(&AnyRow) -> Result<(), StoreError>,
) -> Result<(), StoreError> {
    let (mut from, upto) = (log::signed(*seqs.start()), log::signed(*seqs.end()));
    loop {
        let rows = sqlx::query(
            "SELECT seq, change_id, digest, author, turn, summary, at, format, ops, replaced, left_out, bytes, tainted \
             FROM site_changes WHERE site_id = $1 AND seq >= $2 AND seq <= $3 ORDER BY seq LIMIT $4",
        )
        .bind(site.as_str())
        .bind(from)
        .bind(upto)
        .bind(PAGE)
        .fetch_all(&mut *connection)
        .await?;
        for row in &rows {
            take(row)?;
            from = row.try_get::<i64, _>("seq")? + 1;
        }
        if rows.is_empty() {
            return Ok(());
        }
    }
}

/// The digest of everything that a row of the log holds.
fn row_digest(row: &AnyRow) -> Result<String, StoreError> {
    let number = |column: &str| {
        row.try_get::<i64, _>(column)
            .map(|number| number.to_string())
    };
    let text = |column: &str| row.try_get::<String, _>(column);
    let turn: Option<String> = row.try_get("turn")?;
    Ok(digest(&[
        Some(&number("seq")?),
        Some(&text("change_id")?),
        Some(&text("digest")?),
        Some(&text("author")?),
        turn.as_deref(),
        Some(&text("summary")?),
        Some(&number("at")?),
        Some(&number("format")?),
        Some(&text("ops")?),
        Some(&text("replaced")?),
        Some(&text("left_out")?),
        Some(&number("bytes")?),
        Some(&number("tainted")?),
    ]))
}

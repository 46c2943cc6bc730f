//! A past change: the site before it and after it.
//!
//! Snapshots hold the current state, so the past is computed backwards from there: later changes are undone, op by op, on a copy
//! that holds only the documents the change touched.

use sitewright_site::{Done, Op, PriorState, RecordId, Site};
use sqlx::{AnyConnection, Row};

use super::history::{HistoryEntry, entry};
use super::log;
use super::touched::Touched;
use crate::{SiteId, Store, StoreError};

/// The maximum number of changes to undo, and their maximum size in bytes.
const SINCE_MAX: i64 = 2_000;
const BYTES_MAX: i64 = 16 * 1024 * 1024;

/// A past change.
#[derive(Debug)]
pub struct PastChange {
    pub entry: HistoryEntry,
    /// The shell and the documents and entries the change touched, before and after it. None if there are too many later changes, if a recovery
    /// came later, or if an op cannot be undone.
    pub around: Option<(Site, Site)>,
}

impl Store {
    /// A change, and the site before and after it; none if it has been collapsed.
    pub async fn past_change(
        &self,
        site: &SiteId,
        seq: u64,
    ) -> Result<Option<PastChange>, StoreError> {
        let mut live = self.live_site(site).await?;
        let mut connection = self.reader().acquire().await?;
        let row = sqlx::query(
            "SELECT seq, change_id, author, turn, summary, at, tainted FROM site_changes WHERE site_id = $1 AND seq = $2",
        )
        .bind(site.as_str())
        .bind(log::signed(seq))
        .fetch_optional(&mut *connection)
        .await?;
        let Some(row) = row else { return Ok(None) };
        let entry = entry(&row)?;
        let touched = touched(&mut connection, site, seq).await?;
        let mut copy = Site::from_shell(live.site().shell_snapshot());
        for body in &touched.bodies {
            live.open_with(&mut connection, *body).await?;
            if let Some(tree) = live.site().bodies.get(body) {
                copy.bodies.insert(*body, tree.clone());
            }
        }
        for id in &touched.records {
            live.open_record_with(&mut connection, *id).await?;
            if let Some(open) = live.site().records.get(id) {
                copy.open_record(*id, open.clone());
            }
        }
        live.tidy();
        let end = live.seq();
        drop(live);
        // No ops lead from before a recovery to the current site, so undoing cannot cross it either.
        let since = match log::recovered_at(&mut connection, site).await? > seq {
            true => None,
            false => since(&mut connection, site, seq, end).await?,
        };
        let around = since.and_then(|since| around(copy, &since, &touched, seq));
        Ok(Some(PastChange { entry, around }))
    }
}

impl Store {
    /// The changes of an entry of a collection, the newest first, before a sequence number.
    pub async fn entry_history(
        &self,
        site: &SiteId,
        id: RecordId,
        before: Option<u64>,
        limit: u16,
    ) -> Result<Vec<HistoryEntry>, StoreError> {
        let rows = sqlx::query(
            "SELECT c.seq, c.change_id, c.author, c.turn, c.summary, c.at, c.tainted FROM site_change_bodies b \
             JOIN site_changes c ON c.site_id = b.site_id AND c.seq = b.seq \
             WHERE b.site_id = $1 AND b.body_id = $2 AND b.seq < $3 ORDER BY b.seq DESC LIMIT $4",
        )
        .bind(site.as_str())
        .bind(format!("{}{id}", log::RECORD))
        .bind(before.map_or(i64::MAX, log::signed))
        .bind(i64::from(limit))
        .fetch_all(self.reader())
        .await?;
        rows.iter().map(entry).collect()
    }
}

/// The documents that a change touched.
async fn touched(
    connection: &mut AnyConnection,
    site: &SiteId,
    seq: u64,
) -> Result<Touched, StoreError> {
    let rows =
        sqlx::query("SELECT body_id FROM site_change_bodies WHERE site_id = $1 AND seq = $2")
            .bind(site.as_str())
            .bind(log::signed(seq))
            .fetch_all(connection)
            .await?;
    let mut touched = Touched::default();
    for row in &rows {
        touched.add(row.try_get("body_id")?)?;
    }
    Ok(touched)
}

/// The ops of a change and of later changes to the same documents, newest first; none if there are too many.
async fn since(
    connection: &mut AnyConnection,
    site: &SiteId,
    from: u64,
    upto: u64,
) -> Result<Option<Vec<(u64, Vec<Done>)>>, StoreError> {
    const SAME: &str = "FROM site_changes c WHERE c.site_id = $1 AND c.seq >= $2 AND c.seq <= $3 AND EXISTS \
         (SELECT 1 FROM site_change_bodies b WHERE b.site_id = c.site_id AND b.seq = c.seq AND b.body_id IN \
         (SELECT a.body_id FROM site_change_bodies a WHERE a.site_id = $1 AND a.seq = $2))";
    let sizes = format!(
        "SELECT COUNT(*) AS entries, CAST(COALESCE(SUM(c.bytes), 0) AS BIGINT) AS bytes {SAME}"
    );
    let size = sqlx::query(sqlx::AssertSqlSafe(sizes))
        .bind(site.as_str())
        .bind(log::signed(from))
        .bind(log::signed(upto))
        .fetch_one(&mut *connection)
        .await?;
    if size.try_get::<i64, _>("entries")? > SINCE_MAX
        || size.try_get::<i64, _>("bytes")? > BYTES_MAX
    {
        return Ok(None);
    }
    let entries = format!("SELECT c.seq, c.format, c.ops, c.replaced {SAME} ORDER BY c.seq DESC");
    let rows = sqlx::query(sqlx::AssertSqlSafe(entries))
        .bind(site.as_str())
        .bind(log::signed(from))
        .bind(log::signed(upto))
        .fetch_all(connection)
        .await?;
    let mut found = Vec::new();
    for row in &rows {
        let ops: Vec<Op> = log::stored(row, "ops")?;
        let replaced: Vec<PriorState> = log::stored(row, "replaced")?;
        let steps = ops.into_iter().zip(replaced);
        let steps = steps.map(|(op, was)| Done::of_log(op, was)).collect();
        found.push((log::number(row, "seq")?, steps));
    }
    Ok(Some(found))
}

/// Undoes everything after a change, then the change itself.
fn around(
    mut copy: Site,
    since: &[(u64, Vec<Done>)],
    touched: &Touched,
    target: u64,
) -> Option<(Site, Site)> {
    let concerns = |op: &Op| {
        let scope = op.scope();
        let is_open = |body| touched.bodies.contains(&body);
        let is_entry = |id| touched.records.contains(&id);
        scope.body().is_some_and(is_open)
            || scope.record().is_some_and(is_entry)
            || (scope.includes_shell() && touched.shell)
    };
    let mut after = None;
    for (seq, steps) in since {
        if *seq == target {
            after = Some(copy.clone());
        }
        for done in steps.iter().rev().filter(|done| concerns(&done.op)) {
            copy.rewind(done).ok()?;
        }
    }
    Some((copy, after?))
}

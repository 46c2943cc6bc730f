//! History: listing changes, reverting them, and collapsing old ones into restore points.

use std::time::Duration;

use sitewright_site::{
    Author, BodyId, Change, ChangeId, Done, Entity, FORMAT, Logged, Op, PriorState, Site,
};
use sitewright_tool::Taint;
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, Row};

use super::commit::{CommitError, CommittedChange, Committer};
use super::live::LiveSite;
use super::{log, seals};
use crate::{RetentionClock, SiteId, Store, StoreError, Timestamp};

/// The changes of a site, newest first.
#[derive(Debug, Clone, PartialEq)]
pub struct History {
    pub entries: Vec<HistoryEntry>,
    /// What to pass as `before` to get older changes; none on the last page.
    pub next: Option<u64>,
    /// The oldest change that is stored individually; the state before it is only available from restore points.
    pub kept_from: u64,
    /// Newest first.
    pub restore_points: Vec<RestorePoint>,
}

/// Which changes of a site to list.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct HistoryFilter {
    /// Only those that touch this document.
    pub document: Option<BodyId>,
    /// Only those of this author.
    pub author: Option<Author>,
}

/// A change, without its ops.
#[derive(Debug, Clone, PartialEq)]
pub struct HistoryEntry {
    /// Its sequence number in the log.
    pub seq: u64,
    pub id: ChangeId,
    pub author: Author,
    /// The turn of the conversation that made the change.
    pub turn: Option<String>,
    pub summary: String,
    /// When it was committed.
    pub at: Timestamp,
    /// Whether anything from outside had a part in the change.
    pub taint: Taint,
}

/// The whole site as it was at an entry. Restore points are permanent, unlike single changes, which are collapsed after a while.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RestorePoint {
    /// The entry whose state it holds.
    pub seq: u64,
    /// When the point was made.
    pub at: Timestamp,
}

/// A section of the log.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Changes {
    /// Oldest first.
    pub entries: Vec<Logged>,
    /// The last entry of the log.
    pub end: u64,
}

/// What a revert would do.
#[derive(Debug, Clone, PartialEq)]
pub struct PlannedRevert {
    pub ops: Vec<Op>,
    /// Entities that stay as they are, because someone changed them after the reverted change.
    pub left: Vec<Entity>,
}

/// Which changes to revert.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RevertTarget {
    Change(ChangeId),
    /// Every change of a turn.
    Turn(String),
    /// Everything after an entry, which restores the site as it was then.
    After(u64),
}

/// How long changes are stored individually before they are collapsed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HistoryLimits {
    /// The maximum age.
    pub age: Duration,
    /// The maximum number of bytes per site.
    pub bytes: u64,
}

/// How far ahead of this node's clock a restore point may be before it counts as wrong: clocks of nodes differ a little.
const AHEAD_MAX: Duration = Duration::from_secs(24 * 60 * 60);
/// The time between two restore points.
const BETWEEN_POINTS: Duration = Duration::from_secs(30 * 24 * 60 * 60);

impl Store {
    /// Up to `limit` changes of a site from before an entry; with a document, only the changes that touch it.
    pub async fn history(
        &self,
        site: &SiteId,
        document: Option<BodyId>,
        before: Option<u64>,
        limit: u16,
    ) -> Result<History, StoreError> {
        let author = None;
        self.filtered_history(site, HistoryFilter { document, author }, before, limit)
            .await
    }

    /// Up to `limit` changes of a site from before an entry that match a filter.
    pub async fn filtered_history(
        &self,
        site: &SiteId,
        filter: HistoryFilter,
        before: Option<u64>,
        limit: u16,
    ) -> Result<History, StoreError> {
        let HistoryFilter { document, author } = filter;
        let author = author.as_ref().map(log::written).transpose()?;
        let rows = sqlx::query(
            "SELECT c.seq, c.change_id, c.author, c.turn, c.summary, c.at, c.tainted FROM site_changes c \
             WHERE c.site_id = $1 AND c.seq < $2 AND ($3 = '' OR EXISTS (SELECT 1 FROM site_change_bodies b \
             WHERE b.site_id = c.site_id AND b.seq = c.seq AND b.body_id = $3)) AND ($4 = '' OR c.author = $4) \
             ORDER BY c.seq DESC LIMIT $5",
        )
        .bind(site.as_str())
        .bind(before.map_or(i64::MAX, log::signed))
        .bind(document.map(|id| id.to_string()).unwrap_or_default())
        .bind(author.unwrap_or_default())
        .bind(i64::from(limit))
        .fetch_all(self.reader())
        .await?;
        let entries = rows.iter().map(entry).collect::<Result<Vec<_>, _>>()?;
        let is_full = entries.len() == usize::from(limit);
        let mut connection = self.reader().acquire().await?;
        let kept_from = log::kept_from(&mut connection, site).await?;
        Ok(History {
            next: entries.last().filter(|_| is_full).map(|entry| entry.seq),
            entries,
            kept_from,
            restore_points: self.restore_points(site).await?,
        })
    }

    /// The restore points of a site, newest first.
    pub async fn restore_points(&self, site: &SiteId) -> Result<Vec<RestorePoint>, StoreError> {
        let rows = sqlx::query(
            "SELECT seq, at FROM site_restore_points WHERE site_id = $1 ORDER BY seq DESC",
        )
        .bind(site.as_str())
        .fetch_all(self.reader())
        .await?;
        rows.iter().map(point).collect()
    }

    /// Up to `limit` changes after an entry, oldest first, and the end of the log. None if they have been collapsed.
    pub async fn changes(
        &self,
        site: &SiteId,
        after: u64,
        limit: u16,
    ) -> Result<Option<Changes>, StoreError> {
        let row = sqlx::query("SELECT seq, kept_from FROM site_logs WHERE site_id = $1")
            .bind(site.as_str())
            .fetch_optional(self.reader())
            .await?;
        let Some(row) = row else {
            return Ok((after == 0).then(Changes::default));
        };
        if after + 1 < log::number(&row, "kept_from")? {
            return Ok(None);
        }
        let mut connection = self.reader().acquire().await?;
        let entries = log::entries(&mut connection, site, after, u32::from(limit)).await?;
        Ok(Some(Changes {
            end: log::number(&row, "seq")?,
            entries,
        }))
    }

    /// The ops of one change with what they replaced; empty if it has been collapsed.
    pub async fn steps(&self, site: &SiteId, id: &ChangeId) -> Result<Vec<Done>, StoreError> {
        let mut connection = self.reader().acquire().await?;
        steps(&mut connection, site, &RevertTarget::Change(id.clone())).await
    }

    /// Makes a restore point if the last one is a month old, and collapses the changes that exceed the limits. Age only counts as
    /// far as the clock can be trusted. Returns the number of collapsed changes.
    pub async fn tend_history(
        &self,
        site: &SiteId,
        limits: HistoryLimits,
        clock: &RetentionClock,
    ) -> Result<u64, StoreError> {
        let mut live = self.live_site(site).await?;
        // Collapsing a damaged site would snapshot the state before the damage, and delete the entries that might still be repaired.
        if live.damage().is_some() {
            return Ok(0);
        }
        let last = sqlx::query(
            "SELECT seq, at FROM site_restore_points WHERE site_id = $1 ORDER BY seq DESC LIMIT 1",
        )
        .bind(site.as_str())
        .fetch_optional(self.reader())
        .await?;
        let last = last.as_ref().map(point).transpose()?;
        // A restore point in the future was made while the clock was wrong; waiting for that time could take years.
        let is_due = last.is_none_or(|point| {
            clock.now().since(point.at) > BETWEEN_POINTS || point.at > clock.now().after(AHEAD_MAX)
        });
        let last_seq = last.map_or(0, |point| point.seq);
        if is_due && last_seq < live.seq() {
            live.mark_restore_point(log::signed(last_seq), clock.now())
                .await?;
        }
        let mut connection = self.reader().acquire().await?;
        let upto = too_old(&mut connection, site, limits, clock).await?;
        drop(connection);
        match upto {
            Some(upto) => live.collapse(upto, clock.now()).await,
            None => Ok(0),
        }
    }
}

impl LiveSite {
    /// Reverts changes by committing a new change. Entities that someone changed after the reverted change are skipped and returned.
    ///
    /// For [`RevertTarget::After`], if entries since then have been collapsed, the whole site is
    /// restored from the restore point at that entry.
    pub async fn revert(
        &mut self,
        taken: &RevertTarget,
        (id, summary): (ChangeId, String),
        by: &Committer,
    ) -> Result<(CommittedChange, Vec<Entity>), CommitError> {
        let planned = self.plan_revert(taken).await?;
        let committed = self.go_back(planned.ops, id, summary, by).await?;
        Ok((committed, planned.left))
    }

    /// Works out what [`Self::revert`] would do, without doing it. The documents that the ops are about are open afterwards.
    pub async fn plan_revert(
        &mut self,
        taken: &RevertTarget,
    ) -> Result<PlannedRevert, CommitError> {
        let mut connection = self.store.reader().acquire().await?;
        if let RevertTarget::After(point) = taken
            && *point + 1 < log::kept_from(&mut connection, &self.id).await?
        {
            let target = log::restore_point(&mut connection, &self.id, *point).await?;
            drop(connection);
            return self.plan_restore(target).await;
        }
        let done = steps(&mut connection, &self.id, taken).await?;
        drop(connection);
        if done.is_empty() {
            return Err(CommitError::UnknownChange);
        }
        for op in done.iter().map(|done| &done.op) {
            if let Some(body) = op.scope().body() {
                self.open(body).await?;
            }
            if let Some(id) = op.scope().record() {
                self.open_record(id).await?;
            }
        }
        let seq = self.seq() + 1;
        let reverted = self.site_mut().revert(done.iter(), seq);
        let ops: Vec<Op> = reverted
            .applied
            .done
            .iter()
            .map(|done| done.op.clone())
            .collect();
        self.live.is_sound = self.site_mut().undo_all(&reverted.applied).is_ok();
        if ops.is_empty() {
            return Err(CommitError::NothingToRevert);
        }
        Ok(PlannedRevert {
            ops,
            left: reverted.left,
        })
    }

    /// The ops that restore the whole site to the state of a restore point.
    async fn plan_restore(&mut self, target: Option<Site>) -> Result<PlannedRevert, CommitError> {
        let Some(target) = target else {
            return Err(CommitError::NoRestorePoint);
        };
        let shell = &self.site().shell;
        let pages = shell.pages.iter().map(|(id, _)| id);
        let components = shell.components.iter().map(|(id, _)| id);
        for body in pages.chain(components).collect::<Vec<_>>() {
            self.open(body).await?;
        }
        let ops = self.site().ops_to(&target);
        if ops.is_empty() {
            return Err(CommitError::AlreadyRestored);
        }
        Ok(PlannedRevert {
            ops,
            left: Vec::new(),
        })
    }

    /// Commits the ops of a revert. Fails with a conflict if someone touches the same entities in the meantime.
    async fn go_back(
        &mut self,
        ops: Vec<Op>,
        id: ChangeId,
        summary: String,
        by: &Committer,
    ) -> Result<CommittedChange, CommitError> {
        let change = Change {
            id,
            author: by.author.clone(),
            turn: None,
            summary,
            expects: self.site().expects(&ops),
            ops,
            format: FORMAT,
        };
        self.commit(&change, by).await
    }

    /// Makes a restore point of the current state: a snapshot of every document that changed since the last point.
    async fn mark_restore_point(&mut self, since: i64, now: Timestamp) -> Result<(), StoreError> {
        let (store, site) = (self.store.clone(), self.id.clone());
        let mut write = store.write().await?;
        let end = self.write_down_changed(&mut write, since, i64::MAX).await?;
        sqlx::query("UPDATE site_snapshots SET restore_point = 1 WHERE site_id = $1 AND seq = $2")
            .bind(site.as_str())
            .bind(log::signed(end))
            .execute(&mut *write)
            .await?;
        sqlx::query("INSERT INTO site_restore_points (site_id, seq, at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING")
            .bind(site.as_str())
            .bind(log::signed(end))
            .bind(now.millis())
            .execute(&mut *write)
            .await?;
        write.commit().await?;
        Ok(())
    }

    /// Deletes the entries up to `upto`. Snapshots of the documents they touch are written first, so that nothing needs the entries.
    async fn collapse(&mut self, upto: u64, now: Timestamp) -> Result<u64, StoreError> {
        let (store, site) = (self.store.clone(), self.id.clone());
        let mut write = store.write().await?;
        self.write_down_changed(&mut write, 0, log::signed(upto))
            .await?;
        seals::seal_collapse(&mut write, &site, upto, now).await?;
        sqlx::query("DELETE FROM site_change_bodies WHERE site_id = $1 AND seq <= $2")
            .bind(site.as_str())
            .bind(log::signed(upto))
            .execute(&mut *write)
            .await?;
        let gone = sqlx::query("DELETE FROM site_changes WHERE site_id = $1 AND seq <= $2")
            .bind(site.as_str())
            .bind(log::signed(upto))
            .execute(&mut *write)
            .await?;
        sqlx::query("UPDATE site_logs SET kept_from = $1 WHERE site_id = $2")
            .bind(log::signed(upto + 1))
            .bind(site.as_str())
            .execute(&mut *write)
            .await?;
        store.commit(write).await?;
        Ok(gone.rows_affected())
    }

    /// Writes a snapshot, at the end of the log, of every document that entries of a range touch. Returns the end of the log.
    async fn write_down_changed(
        &mut self,
        write: &mut AnyConnection,
        after: i64,
        upto: i64,
    ) -> Result<u64, StoreError> {
        let end = log::lock(write, &self.id)
            .await?
            .ok_or(StoreError::NotFound { what: "site" })?;
        self.catch_up(write, end).await?;
        let rows = sqlx::query(
            "SELECT DISTINCT body_id FROM site_change_bodies WHERE site_id = $1 AND seq > $2 AND seq <= $3",
        )
        .bind(self.id.as_str())
        .bind(after)
        .bind(upto)
        .fetch_all(&mut *write)
        .await?;
        for row in &rows {
            self.write_down(write, &row.try_get::<String, _>("body_id")?, end)
                .await?;
        }
        Ok(end)
    }

    async fn write_down(
        &mut self,
        write: &mut AnyConnection,
        body: &str,
        end: u64,
    ) -> Result<(), StoreError> {
        let site = self.id.clone();
        if body == log::SHELL {
            let shell = self.site().shell_snapshot();
            return log::write_snapshot(write, &site, body, end, &shell).await;
        }
        // The row of an entry is its snapshot.
        if body.starts_with(log::RECORD) {
            return Ok(());
        }
        let id: BodyId = body
            .parse()
            .map_err(|_bad| StoreError::Corrupt { what: "document" })?;
        if self.open_with(write, id).await? {
            if self.damage_of(id).is_some() {
                return Err(StoreError::UnreadableDocument { document: id });
            }
            let document = self.site().body_snapshot(id);
            log::write_snapshot(write, &site, body, end, &document).await?;
            self.live.tidy(&[]);
        }
        Ok(())
    }
}

/// The last entry that exceeds the limits of age or size. The newest entry never does.
async fn too_old(
    connection: &mut AnyConnection,
    site: &SiteId,
    limits: HistoryLimits,
    clock: &RetentionClock,
) -> Result<Option<u64>, StoreError> {
    let end = log::end(connection, site).await?.unwrap_or(0);
    let by_age = match clock.cutoff(limits.age) {
        Some(before) => entries_before(connection, site, before).await?,
        None => None,
    };
    let by_bytes = sqlx::query(
        "SELECT MAX(seq) AS seq FROM (SELECT seq, SUM(bytes) OVER (ORDER BY seq DESC) AS total FROM site_changes \
         WHERE site_id = $1) AS sums WHERE total > $2",
    )
    .bind(site.as_str())
    .bind(log::signed(limits.bytes))
    .fetch_one(&mut *connection)
    .await?;
    let by_bytes: Option<i64> = by_bytes.try_get("seq")?;
    let Some(upto) = by_age.max(by_bytes) else {
        return Ok(None);
    };
    let upto = u64::try_from(upto).unwrap_or(0).min(end.saturating_sub(1));
    Ok((upto > 0).then_some(upto))
}

/// The last entry from before `time` with no newer one before it. An entry that a wrong clock dated
/// too early therefore does not get newer entries deleted.
async fn entries_before(
    connection: &mut AnyConnection,
    site: &SiteId,
    time: Timestamp,
) -> Result<Option<i64>, StoreError> {
    let row = sqlx::query(
        "SELECT MAX(seq) AS seq FROM site_changes WHERE site_id = $1 AND seq < COALESCE( \
         (SELECT MIN(seq) FROM site_changes WHERE site_id = $1 AND at >= $2), $3)",
    )
    .bind(site.as_str())
    .bind(time.millis())
    .bind(i64::MAX)
    .fetch_one(connection)
    .await?;
    Ok(row.try_get("seq")?)
}

/// The ops of the changes, in the order in which they were applied.
async fn steps(
    connection: &mut AnyConnection,
    site: &SiteId,
    taken: &RevertTarget,
) -> Result<Vec<Done>, StoreError> {
    // The empty string matches nothing: no change has an empty id, and no turn an empty name.
    let (change, turn, after) = match taken {
        RevertTarget::Change(id) => (id.as_str(), "", i64::MAX),
        RevertTarget::Turn(turn) => ("", turn.as_str(), i64::MAX),
        RevertTarget::After(seq) => ("", "", log::signed(*seq)),
    };
    let rows = sqlx::query(
        "SELECT ops, replaced, format FROM site_changes WHERE site_id = $1 AND \
         (change_id = $2 OR turn = $3 OR seq > $4) ORDER BY seq",
    )
    .bind(site.as_str())
    .bind(change)
    .bind(turn)
    .bind(after)
    .fetch_all(connection)
    .await?;
    let mut done = Vec::new();
    for row in &rows {
        let ops: Vec<Op> = log::stored(row, "ops")?;
        let replaced: Vec<PriorState> = log::stored(row, "replaced")?;
        done.extend(
            ops.into_iter()
                .zip(replaced)
                .map(|(op, was)| Done::of_log(op, was)),
        );
    }
    Ok(done)
}

pub(super) fn entry(row: &AnyRow) -> Result<HistoryEntry, StoreError> {
    Ok(HistoryEntry {
        seq: log::number(row, "seq")?,
        id: ChangeId::from(row.try_get::<String, _>("change_id")?),
        author: log::json(row, "author")?,
        turn: row.try_get("turn")?,
        summary: row.try_get("summary")?,
        at: Timestamp::from_millis(row.try_get("at")?),
        taint: match row.try_get::<i64, _>("tainted")? {
            0 => Taint::Trusted,
            _ => Taint::Untrusted,
        },
    })
}

fn point(row: &AnyRow) -> Result<RestorePoint, StoreError> {
    Ok(RestorePoint {
        seq: log::number(row, "seq")?,
        at: Timestamp::from_millis(row.try_get("at")?),
    })
}

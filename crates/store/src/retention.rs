//! Deletes what is older than its period: releases, conversations and usage. `tend_history` and `forget_calls` do the same for changes
//! and calls, `blob_marks` for files, `audit_cut` for the audit log. The server runs all of them in one round.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use serde_json::json;
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, Row};

use crate::audit::Record;
use crate::blob_marks::{for_names, lock_files};
use crate::conversations::delete_rows;
use crate::database::Write;
use crate::releases::last_switch;
use crate::{
    BlobId, ReleaseId, ReleaseRoutes, RetentionClock, SiteId, Stamp, Store, StoreError, Timestamp,
};

/// Whether what is too old is deleted or only counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CollectionMode {
    /// Counts what would be deleted now.
    Preview,
    Apply,
}

/// Which releases stay.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReleaseLimits {
    /// How many of the newest stay, and as many up to the one that visitors see.
    pub count: usize,
    /// Releases that visitors saw within this time stay as well.
    pub age: Duration,
}

/// How many conversations are deleted in one transaction.
const CONVERSATIONS_PER_STEP: i64 = 100;
/// Budgets count the current month. Younger usage is never deleted, whatever the period.
const USAGE_AGE_MIN: Duration = Duration::from_secs(62 * 24 * 60 * 60);
/// The shortest age at which a release is deleted: other nodes may still be showing the one before, and a planned rollback may wait.
const RELEASE_AGE_MIN: Duration = Duration::from_secs(24 * 60 * 60);

impl Store {
    /// Deletes releases that exceed the limits, and returns their numbers. The one that visitors see always stays, and so does one
    /// that a rollback was planned to within the time. Their files lose their name and are collected later.
    pub async fn collect_releases(
        &self,
        site: &SiteId,
        limits: ReleaseLimits,
        clock: &RetentionClock,
        collection: CollectionMode,
    ) -> Result<Vec<u64>, StoreError> {
        let Some(before) = clock.cutoff(limits.age.max(RELEASE_AGE_MIN)) else {
            return Ok(Vec::new());
        };
        let mut write = self.write().await?;
        lock_files(&mut write, site).await?;
        let doomed = old_releases(&mut write, site, limits.count, before).await?;
        let numbers: Vec<u64> = doomed.iter().map(|release| release.number).collect();
        if doomed.is_empty() || collection == CollectionMode::Preview {
            write.rollback().await?;
            return Ok(numbers);
        }
        for release in &doomed {
            for part in [
                "DELETE FROM release_switches WHERE release_id = $1",
                "DELETE FROM releases WHERE id = $1",
            ] {
                sqlx::query(part)
                    .bind(release.id.as_str())
                    .execute(&mut *write)
                    .await?;
            }
        }
        forget_files(&mut write, site).await?;
        Record::of("site.releases_collected")
            .on(site)
            .with(json!({ "numbers": numbers }))
            .save(&mut write, &Stamp::local(clock.now()))
            .await?;
        self.commit(write).await?;
        Ok(numbers)
    }

    /// Keeps a release from being collected for a while, because a rollback to it is planned.
    pub async fn plan_rollback(
        &self,
        site: &SiteId,
        release: &ReleaseId,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let mut write = self.write().await?;
        sqlx::query("UPDATE releases SET planned_at = $1 WHERE site_id = $2 AND id = $3")
            .bind(now.millis())
            .bind(site.as_str())
            .bind(release.as_str())
            .execute(&mut *write)
            .await?;
        write.commit().await?;
        Ok(())
    }

    /// Deletes conversations of a site without a message within this time, and returns how many. One in which the assistant is at
    /// work stays.
    pub async fn collect_conversations(
        &self,
        site: &SiteId,
        age: Duration,
        clock: &RetentionClock,
        collection: CollectionMode,
    ) -> Result<u64, StoreError> {
        let Some(before) = clock.cutoff(age) else {
            return Ok(0);
        };
        if collection == CollectionMode::Preview {
            let mut connection = self.connection().await?;
            let old = old_conversations(&mut connection, site, before, i64::MAX).await?;
            return Ok(old.len() as u64);
        }
        let mut deleted = 0;
        loop {
            let mut write = self.write().await?;
            let step = CONVERSATIONS_PER_STEP;
            let old = old_conversations(&mut write, site, before, step).await?;
            for id in &old {
                delete_rows(&mut write, id).await?;
            }
            deleted += old.len() as u64;
            if old.is_empty() {
                write.rollback().await?;
                return Ok(deleted);
            }
            Record::of("ai.conversations.collected")
                .on(site)
                .with(json!({ "count": old.len() }))
                .save(&mut write, &Stamp::local(clock.now()))
                .await?;
            self.commit(write).await?;
        }
    }

    /// Deletes records of what the assistant used that are older than this, and returns how many. Those of the current month and the
    /// one before always stay, because budgets and estimates are computed from them.
    pub async fn collect_usage(
        &self,
        age: Duration,
        clock: &RetentionClock,
        collection: CollectionMode,
    ) -> Result<u64, StoreError> {
        let Some(before) = clock.cutoff(age.max(USAGE_AGE_MIN)) else {
            return Ok(0);
        };
        if collection == CollectionMode::Preview {
            let row = sqlx::query("SELECT COUNT(*) AS count FROM ai_usage WHERE at < $1")
                .bind(before.millis())
                .fetch_one(self.reader())
                .await?;
            return Ok(row.try_get::<i64, _>("count")?.unsigned_abs());
        }
        let mut write = self.write().await?;
        let gone = sqlx::query("DELETE FROM ai_usage WHERE at < $1")
            .bind(before.millis())
            .execute(&mut *write)
            .await?;
        write.commit().await?;
        Ok(gone.rows_affected())
    }
}

/// A release that is too old.
struct OldRelease {
    id: ReleaseId,
    number: u64,
}

async fn old_releases(
    write: &mut Write,
    site: &SiteId,
    count: usize,
    before: Timestamp,
) -> Result<Vec<OldRelease>, StoreError> {
    let current = last_switch(write, site).await?.map(|(release, _)| release);
    let shown_until = last_shown(write, site).await?;
    let rows = sqlx::query(
        "SELECT id, number, at, planned_at FROM releases WHERE site_id = $1 ORDER BY number DESC",
    )
    .bind(site.as_str())
    .fetch_all(&mut **write)
    .await?;
    let (mut newest, mut up_to_current) = (0, 0);
    let mut is_past_current = false;
    let mut old = Vec::new();
    for row in &rows {
        let id = ReleaseId::from(row.try_get::<String, _>("id")?);
        let is_current = current.as_ref() == Some(&id);
        is_past_current |= is_current;
        newest += 1;
        up_to_current += usize::from(is_past_current);
        let used_at = row
            .try_get::<i64, _>("at")?
            .max(row.try_get("planned_at")?)
            .max(shown_until.get(&id).copied().unwrap_or(0));
        let is_counted = newest <= count || (is_past_current && up_to_current <= count);
        if is_current || is_counted || used_at >= before.millis() {
            continue;
        }
        old.push(OldRelease {
            id,
            number: row.try_get::<i64, _>("number")?.unsigned_abs(),
        });
    }
    Ok(old)
}

/// When visitors last saw each release: the time of the switch that replaced it.
async fn last_shown(
    connection: &mut AnyConnection,
    site: &SiteId,
) -> Result<HashMap<ReleaseId, i64>, StoreError> {
    let rows =
        sqlx::query("SELECT release_id, at FROM release_switches WHERE site_id = $1 ORDER BY turn")
            .bind(site.as_str())
            .fetch_all(connection)
            .await?;
    let read = |row: &AnyRow| -> Result<(ReleaseId, i64), StoreError> {
        let release = ReleaseId::from(row.try_get::<String, _>("release_id")?);
        Ok((release, row.try_get("at")?))
    };
    let switches = rows.iter().map(read).collect::<Result<Vec<_>, _>>()?;
    let until = switches.windows(2).filter_map(|pair| match pair {
        [(release, _), (_, replaced_at)] => Some((release.clone(), *replaced_at)),
        _ => None,
    });
    Ok(until.collect())
}

/// Deletes the rows of files that no release has any more.
async fn forget_files(write: &mut Write, site: &SiteId) -> Result<(), StoreError> {
    const CORRUPT: StoreError = StoreError::Corrupt { what: "release" };
    let releases = sqlx::query("SELECT routes FROM releases WHERE site_id = $1")
        .bind(site.as_str())
        .fetch_all(&mut **write)
        .await?;
    let mut used = HashSet::new();
    for row in &releases {
        let routes: ReleaseRoutes =
            serde_json::from_str(row.try_get("routes")?).map_err(|_error| CORRUPT)?;
        used.extend(routes.into_values().map(|route| route.file));
    }
    let files = sqlx::query("SELECT blob FROM release_files WHERE site_id = $1")
        .bind(site.as_str())
        .fetch_all(&mut **write)
        .await?;
    let mut unused = Vec::new();
    for row in &files {
        let blob = BlobId::parse(row.try_get("blob")?).ok_or(CORRUPT)?;
        if !used.contains(&blob) {
            unused.push(blob);
        }
    }
    for_names(write, "DELETE FROM release_files WHERE", site, &unused)
        .await
        .map(drop)
}

async fn old_conversations(
    connection: &mut AnyConnection,
    site: &SiteId,
    before: Timestamp,
    limit: i64,
) -> Result<Vec<String>, StoreError> {
    let rows = sqlx::query(
        "SELECT id FROM conversations WHERE site_id = $1 AND updated_at < $2 AND NOT EXISTS \
         (SELECT 1 FROM turns WHERE conversation_id = conversations.id AND state IN ('running', 'waiting')) \
         ORDER BY updated_at LIMIT $3",
    )
    .bind(site.as_str())
    .bind(before.millis())
    .bind(limit)
    .fetch_all(connection)
    .await?;
    rows.iter().map(|row| Ok(row.try_get("id")?)).collect()
}

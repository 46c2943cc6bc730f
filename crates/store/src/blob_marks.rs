//! Which blobs are garbage, and how they are deleted without taking one that somebody is about to use.
//!
//! A blob is written before the row that names it, and storage has no transaction that covers both. So whoever writes blobs claims
//! their names first ([`Store::claim_blobs`]), then writes the bytes, then the row. A blob that was claimed lately is never deleted,
//! whether or not its bytes were there before. Deleting takes the opposite order: a lease on the name in the database, the bytes, then
//! the mark. A claim that meets a lease waits until the bytes are gone, and its owner writes them anew.
//!
//! Every transaction here, and every one that names blobs, locks the row of the site first, so that on Postgres a claim and a lease
//! cannot miss each other. What a process leaves behind when it dies is a mark, which the next round of any node deals with. One
//! thing cannot be excluded: a process that is frozen between checking its lease and deleting the bytes, for longer than the lease.

use std::collections::HashSet;
use std::time::Duration;

use serde::Serialize;
use sqlx::{AnyConnection, Row};
use tokio::time::Instant;

use crate::database::Write;
use crate::{
    BlobId, Blobs, CollectionMode, MediaVariant, ReleaseRoutes, RetentionClock, SiteId, Store,
    StoreError, Timestamp,
};

/// How long a blob without a name is left alone. Writing blobs and naming them takes minutes at most.
const GRACE: Duration = Duration::from_secs(24 * 60 * 60);
/// How long one process alone may delete the bytes of a name.
const LEASE: Duration = Duration::from_secs(120);
/// A process stops deleting this long after it took the lease, well before another may take it.
const DELETE_WITHIN: Duration = Duration::from_secs(60);
/// How many blobs are leased at once.
const BATCH: usize = 500;
/// How many batches one round deletes.
const BATCHES_MAX: usize = 20;
/// The number of values per statement; both databases allow many more.
const PER_STATEMENT: usize = 200;
/// How often, and how many times, a claim looks whether a blob that is being deleted is gone.
const WAIT_STEP: Duration = Duration::from_millis(100);
const WAITS_MAX: usize = 50;

/// Blobs that were deleted, or would be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct CollectedBlobs {
    /// How many.
    pub count: u64,
    /// Their size.
    pub bytes: u64,
    /// How many have no name but are still within the grace period.
    pub waiting: u64,
}

/// Locks what says which blobs a site has. Held to the end of the transaction.
pub(crate) async fn lock_files(write: &mut AnyConnection, site: &SiteId) -> Result<(), StoreError> {
    // On Postgres, writing the unchanged value locks the row, with the same SQL text as on SQLite.
    sqlx::query("UPDATE sites SET name = name WHERE id = $1")
        .bind(site.as_str())
        .execute(write)
        .await?;
    Ok(())
}

/// Ends claims on blobs that the transaction has named.
pub(crate) async fn end_claims(
    write: &mut AnyConnection,
    site: &SiteId,
    blobs: &[BlobId],
) -> Result<(), StoreError> {
    let sql = "UPDATE blob_marks SET claims = claims - 1 WHERE claims > 0 AND";
    for_names(write, sql, site, blobs).await.map(drop)
}

impl Store {
    /// Keeps blobs from being deleted as garbage for the next day. To be called before their bytes are written; the row that names
    /// them has to follow within that time. Waits for a process that is deleting one of them at the moment.
    pub async fn claim_blobs(
        &self,
        site: &SiteId,
        blobs: &[BlobId],
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let mut blobs = blobs.to_vec();
        blobs.sort_unstable();
        blobs.dedup();
        for _ in 0..WAITS_MAX {
            if self.try_claim(site, &blobs, now).await? {
                return Ok(());
            }
            tokio::time::sleep(WAIT_STEP).await;
        }
        Err(StoreError::Refused {
            rule: "The same file is being deleted at the moment. Try again in two minutes.",
        })
    }

    async fn try_claim(
        &self,
        site: &SiteId,
        blobs: &[BlobId],
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        let mut write = self.write().await?;
        lock_files(&mut write, site).await?;
        for chunk in blobs.chunks(PER_STATEMENT) {
            let rows: Vec<String> = (0..chunk.len())
                .map(|at| format!("($1, ${}, $2, 1)", at + 3))
                .collect();
            let sql = format!(
                "INSERT INTO blob_marks (site_id, blob, at, claims) VALUES {} ON CONFLICT (site_id, blob) DO UPDATE \
                 SET at = excluded.at, claims = blob_marks.claims + 1, removing_until = NULL \
                 WHERE blob_marks.removing_until IS NULL OR blob_marks.removing_until < excluded.at",
                rows.join(", ")
            );
            let mut query = sqlx::query(sqlx::AssertSqlSafe(sql))
                .bind(site.as_str())
                .bind(now.millis());
            for blob in chunk {
                query = query.bind(blob.as_str());
            }
            let claimed = query.execute(&mut *write).await?;
            if claimed.rows_affected() < chunk.len() as u64 {
                write.rollback().await?;
                return Ok(false);
            }
        }
        write.commit().await?;
        Ok(true)
    }

    /// Deletes the blobs of a site that nothing has named for a day, as far as the clock can be trusted, and notes those that it
    /// finds without a name for the first time. Any number of nodes may do this at once.
    pub async fn collect_blobs(
        &self,
        blobs: &Blobs,
        site: &SiteId,
        clock: &RetentionClock,
        collection: CollectionMode,
    ) -> Result<CollectedBlobs, StoreError> {
        let named = self.blob_names(site).await?;
        let mut unnamed = blobs.list(site).await?;
        unnamed.retain(|blob, _| !named.contains(blob));
        let garbage: Vec<BlobId> = unnamed.keys().cloned().collect();
        let count = |deleted: &HashSet<BlobId>| CollectedBlobs {
            count: deleted.len() as u64,
            bytes: deleted.iter().filter_map(|blob| unnamed.get(blob)).sum(),
            waiting: garbage
                .iter()
                .filter(|blob| !deleted.contains(blob))
                .count() as u64,
        };
        if collection == CollectionMode::Preview {
            let mut connection = self.connection().await?;
            let mut due = due(&mut connection, site, clock, usize::MAX).await?;
            due.retain(|blob| unnamed.contains_key(blob));
            return Ok(count(&due.into_iter().collect()));
        }
        self.mark_garbage(site, &garbage, clock.now()).await?;
        let mut deleted = HashSet::new();
        for _ in 0..BATCHES_MAX {
            let leased = self.lease_garbage(site, clock).await?;
            let is_last = leased.len() < BATCH;
            tracing::debug!(target: "sitewright::retention", stage = "leased");
            self.delete_leased(blobs, site, &leased).await?;
            deleted.extend(leased);
            if is_last {
                break;
            }
        }
        Ok(count(&deleted))
    }

    /// Notes blobs that have no name. One that is noted or claimed already keeps its time.
    async fn mark_garbage(
        &self,
        site: &SiteId,
        garbage: &[BlobId],
        now: Timestamp,
    ) -> Result<(), StoreError> {
        for chunk in garbage.chunks(PER_STATEMENT) {
            let mut write = self.write().await?;
            lock_files(&mut write, site).await?;
            for blob in chunk {
                sqlx::query(
                    "INSERT INTO blob_marks (site_id, blob, at, claims) VALUES ($1, $2, $3, 0) ON CONFLICT DO NOTHING",
                )
                .bind(site.as_str())
                .bind(blob.as_str())
                .bind(now.millis())
                .execute(&mut *write)
                .await?;
            }
            write.commit().await?;
        }
        Ok(())
    }

    /// Takes the lease on blobs whose grace period is over and that still have no name. Marks of blobs that have a name by now go.
    async fn lease_garbage(
        &self,
        site: &SiteId,
        clock: &RetentionClock,
    ) -> Result<Vec<BlobId>, StoreError> {
        let mut write = self.write().await?;
        lock_files(&mut write, site).await?;
        let due = due(&mut write, site, clock, BATCH).await?;
        if due.is_empty() {
            write.rollback().await?;
            return Ok(Vec::new());
        }
        let named = names(&mut write, site).await?;
        let (named, garbage): (Vec<BlobId>, Vec<BlobId>) =
            due.into_iter().partition(|blob| named.contains(blob));
        for_names(&mut write, "DELETE FROM blob_marks WHERE", site, &named).await?;
        let until = clock.now().after(LEASE).millis();
        let lease = format!("UPDATE blob_marks SET removing_until = {until} WHERE");
        for_names(&mut write, &lease, site, &garbage).await?;
        write.commit().await?;
        Ok(garbage)
    }

    /// Takes the lease on blobs that a transaction has just taken the name from, unless another row names them or somebody has
    /// claimed them. Returns those that may be deleted.
    pub(crate) async fn lease_unnamed(
        &self,
        write: &mut Write,
        site: &SiteId,
        blobs: &[BlobId],
        now: Timestamp,
    ) -> Result<Vec<BlobId>, StoreError> {
        let named = names(write, site).await?;
        let mut leased = Vec::new();
        for blob in blobs {
            if named.contains(blob) || leased.contains(blob) {
                continue;
            }
            let taken = sqlx::query(
                "INSERT INTO blob_marks (site_id, blob, at, claims, removing_until) VALUES ($1, $2, $3, 0, $4) \
                 ON CONFLICT (site_id, blob) DO UPDATE SET removing_until = excluded.removing_until \
                 WHERE blob_marks.claims = 0 AND blob_marks.removing_until IS NULL",
            )
            .bind(site.as_str())
            .bind(blob.as_str())
            .bind(now.millis())
            .bind(now.after(LEASE).millis())
            .execute(&mut **write)
            .await?;
            if taken.rows_affected() > 0 {
                leased.push(blob.clone());
            }
        }
        Ok(leased)
    }

    /// Deletes the bytes of blobs that this process has the lease on, then their marks. Returns when its time is over, too.
    pub async fn delete_leased(
        &self,
        blobs: &Blobs,
        site: &SiteId,
        leased: &[BlobId],
    ) -> Result<(), StoreError> {
        let started = Instant::now();
        let mut deleted = Vec::with_capacity(leased.len());
        for blob in leased {
            if started.elapsed() > DELETE_WITHIN {
                break;
            }
            blobs.remove(site, blob).await?;
            deleted.push(blob.clone());
            tracing::debug!(target: "sitewright::retention", stage = "deleted");
        }
        let mut write = self.write().await?;
        lock_files(&mut write, site).await?;
        let forget = "DELETE FROM blob_marks WHERE removing_until IS NOT NULL AND";
        for_names(&mut write, forget, site, &deleted).await?;
        write.commit().await?;
        Ok(())
    }

    async fn blob_names(&self, site: &SiteId) -> Result<HashSet<BlobId>, StoreError> {
        let mut connection = self.connection().await?;
        names(&mut connection, site).await
    }
}

/// The blobs whose grace period is over, whether or not they have a name by now.
async fn due(
    connection: &mut AnyConnection,
    site: &SiteId,
    clock: &RetentionClock,
    limit: usize,
) -> Result<Vec<BlobId>, StoreError> {
    let Some(before) = clock.cutoff(GRACE) else {
        return Ok(Vec::new());
    };
    let rows = sqlx::query(
        "SELECT blob FROM blob_marks WHERE site_id = $1 AND (at < $2 OR removing_until IS NOT NULL) \
         AND (removing_until IS NULL OR removing_until < $3) ORDER BY blob LIMIT $4",
    )
    .bind(site.as_str())
    .bind(before.millis())
    .bind(clock.now().millis())
    .bind(i64::try_from(limit).unwrap_or(i64::MAX))
    .fetch_all(connection)
    .await?;
    let read = |row: &sqlx::any::AnyRow| blob_of(row.try_get("blob")?);
    rows.iter().map(read).collect()
}

/// Every blob that a row of the site names. A row that cannot be read is an error, so that nothing is deleted on a guess.
async fn names(
    connection: &mut AnyConnection,
    site: &SiteId,
) -> Result<HashSet<BlobId>, StoreError> {
    let mut names = HashSet::new();
    let media = sqlx::query("SELECT blob, variants FROM media WHERE site_id = $1")
        .bind(site.as_str())
        .fetch_all(&mut *connection)
        .await?;
    for row in &media {
        names.insert(blob_of(row.try_get("blob")?)?);
        let variants: Vec<MediaVariant> =
            serde_json::from_str(row.try_get("variants")?).map_err(|_error| CORRUPT)?;
        for variant in variants {
            names.insert(blob_of(&variant.blob)?);
        }
    }
    let files = sqlx::query(
        "SELECT blob, brotli, gzip FROM release_files WHERE site_id = $1 \
         UNION ALL SELECT blob, NULL, NULL FROM fonts WHERE site_id = $1",
    )
    .bind(site.as_str())
    .fetch_all(&mut *connection)
    .await?;
    for row in &files {
        for column in ["blob", "brotli", "gzip"] {
            if let Some(blob) = row.try_get::<Option<&str>, _>(column)? {
                names.insert(blob_of(blob)?);
            }
        }
    }
    let releases = sqlx::query("SELECT routes FROM releases WHERE site_id = $1")
        .bind(site.as_str())
        .fetch_all(connection)
        .await?;
    for row in &releases {
        let routes: ReleaseRoutes =
            serde_json::from_str(row.try_get("routes")?).map_err(|_error| CORRUPT)?;
        names.extend(routes.into_values().map(|route| route.file));
    }
    Ok(names)
}

const CORRUPT: StoreError = StoreError::Corrupt {
    what: "name of a file",
};

fn blob_of(text: &str) -> Result<BlobId, StoreError> {
    BlobId::parse(text).ok_or(CORRUPT)
}

/// Executes a statement that ends in its condition for blobs of a site, a few hundred at a time. Returns how many rows it changed.
pub(crate) async fn for_names(
    write: &mut AnyConnection,
    sql: &str,
    site: &SiteId,
    blobs: &[BlobId],
) -> Result<u64, StoreError> {
    let mut changed = 0;
    for chunk in blobs.chunks(PER_STATEMENT) {
        let places: Vec<String> = (2..=chunk.len() + 1).map(|at| format!("${at}")).collect();
        let sql = format!("{sql} site_id = $1 AND blob IN ({})", places.join(", "));
        let mut query = sqlx::query(sqlx::AssertSqlSafe(sql)).bind(site.as_str());
        for blob in chunk {
            query = query.bind(blob.as_str());
        }
        changed += query.execute(&mut *write).await?.rows_affected();
    }
    Ok(changed)
}

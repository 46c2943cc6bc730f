//! Assets that were deleted, until they are gone for good.

use serde_json::json;
use sqlx::Row as _;

use super::{BinnedMedia, COLUMNS, MediaRow, read};
use crate::audit::Record;
use crate::{MediaId, RetentionClock, SiteId, Stamp, Store, StoreError, Timestamp};

/// How long the bin keeps what was deleted.
const BIN_AGE: std::time::Duration = std::time::Duration::from_secs(30 * 24 * 60 * 60);

impl Store {
    /// Puts assets into the bin: all of them, or none when one does not exist.
    pub async fn bin_media(
        &self,
        site: &SiteId,
        ids: &[MediaId],
        by: &Stamp,
    ) -> Result<Vec<MediaRow>, StoreError> {
        let mut write = self.write().await?;
        let mut rows = Vec::with_capacity(ids.len());
        for id in ids {
            let sql = format!(
                "UPDATE media SET deleted_at = $1 WHERE site_id = $2 AND id = $3 AND deleted_at = 0 RETURNING {COLUMNS}"
            );
            let row = sqlx::query(sqlx::AssertSqlSafe(sql))
                .bind(by.at.millis().max(1))
                .bind(site.as_str())
                .bind(id.as_str())
                .fetch_optional(&mut *write)
                .await?;
            let row = read(&row.ok_or(StoreError::NotFound { what: "picture" })?)?;
            row.search_key().remove(&mut write).await?;
            Record::of("media.binned")
                .on(site)
                .about(id.as_str())
                .with(json!({ "name": row.name }))
                .save(&mut write, by)
                .await?;
            rows.push(row);
        }
        self.commit(write).await?;
        Ok(rows)
    }

    /// Takes an asset out of the bin.
    pub async fn restore_media(
        &self,
        site: &SiteId,
        id: &MediaId,
        by: &Stamp,
    ) -> Result<MediaRow, StoreError> {
        let mut write = self.write().await?;
        let sql = format!(
            "UPDATE media SET deleted_at = 0 WHERE site_id = $1 AND id = $2 AND deleted_at > 0 RETURNING {COLUMNS}"
        );
        let row = sqlx::query(sqlx::AssertSqlSafe(sql))
            .bind(site.as_str())
            .bind(id.as_str())
            .fetch_optional(&mut *write)
            .await?;
        let row = read(&row.ok_or(StoreError::NotFound { what: "picture" })?)?;
        row.search_key().write(&mut write, &row.words()).await?;
        Record::of("media.restored")
            .on(site)
            .about(id.as_str())
            .with(json!({ "name": row.name }))
            .save(&mut write, by)
            .await?;
        self.commit(write).await?;
        Ok(row)
    }

    /// The deleted assets of a site that can be restored, the last deleted first.
    pub async fn binned_media(
        &self,
        site: &SiteId,
        limit: u16,
    ) -> Result<Vec<BinnedMedia>, StoreError> {
        let sql = format!(
            "SELECT {COLUMNS}, deleted_at FROM media WHERE site_id = $1 AND deleted_at > 0 ORDER BY deleted_at DESC, id LIMIT $2"
        );
        let rows = sqlx::query(sqlx::AssertSqlSafe(sql))
            .bind(site.as_str())
            .bind(i64::from(limit))
            .fetch_all(self.reader())
            .await?;
        let binned = rows.iter().map(|row| {
            let removed_at = Timestamp::from_millis(row.try_get("deleted_at")?);
            Ok(BinnedMedia {
                row: read(row)?,
                removed_at,
                kept_until: removed_at.after(BIN_AGE),
            })
        });
        binned.collect()
    }

    /// Some of the assets that were in the bin for longer than it keeps things.
    pub async fn expired_media(
        &self,
        site: &SiteId,
        clock: &RetentionClock,
    ) -> Result<Vec<MediaId>, StoreError> {
        let Some(before) = clock.cutoff(BIN_AGE) else {
            return Ok(Vec::new());
        };
        let rows = sqlx::query(
            "SELECT id FROM media WHERE site_id = $1 AND deleted_at > 0 AND deleted_at < $2 ORDER BY deleted_at LIMIT 200",
        )
        .bind(site.as_str())
        .bind(before.millis())
        .fetch_all(self.reader())
        .await?;
        let ids = rows
            .iter()
            .map(|row| Ok(MediaId::from(row.try_get::<String, _>("id")?)));
        ids.collect()
    }
}

//! Which blobs are files of installed fonts, and whose. How a font is got is for `connect`.

use serde_json::json;
use sqlx::Row;

use crate::audit::Record;
use crate::{BlobId, By, SiteId, Store, StoreError};

impl Store {
    /// Keeps note of the files of a family. Files that the site has already change nothing.
    pub async fn add_fonts(
        &self,
        site: &SiteId,
        family: &str,
        files: &[BlobId],
        by: &By,
    ) -> Result<(), StoreError> {
        let mut write = self.write().await?;
        let mut added = 0;
        for blob in files {
            let done = sqlx::query(
                "INSERT INTO fonts (blob, site_id, family, installed_at) VALUES ($1, $2, $3, $4) \
                 ON CONFLICT (blob, site_id) DO NOTHING",
            )
            .bind(blob.as_str())
            .bind(site.as_str())
            .bind(family)
            .bind(by.at.millis())
            .execute(&mut *write)
            .await?;
            added += done.rows_affected();
        }
        if added > 0 {
            Record::of("font.installed")
                .on(site)
                .about(family)
                .with(json!({ "files": added }))
                .save(&mut write, by)
                .await?;
        }
        self.commit(write).await
    }

    /// A site that has installed this file; nothing when it is no font.
    pub async fn font_site(&self, blob: &BlobId) -> Result<Option<SiteId>, StoreError> {
        let row = sqlx::query("SELECT site_id FROM fonts WHERE blob = $1 LIMIT 1")
            .bind(blob.as_str())
            .fetch_optional(self.reader())
            .await?;
        row.map(|row| Ok(SiteId::from(row.try_get::<String, _>("site_id")?)))
            .transpose()
    }
}

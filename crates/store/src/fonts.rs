//! Which blobs are files of installed fonts, and on which site. `connect` fetches the fonts.

use serde_json::json;
use sqlx::Row;
use sqlx::any::AnyRow;

use crate::audit::Record;
use crate::blob_marks::{end_claims, lock_files};
use crate::quotas;
use crate::{BlobId, SiteId, Stamp, Store, StoreError};

/// A file of an installed font.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FontFile {
    pub blob: BlobId,
    pub family: String,
}

impl Store {
    /// Records the files of a family. Files that the site already has are unchanged.
    pub async fn add_fonts(
        &self,
        site: &SiteId,
        family: &str,
        files: &[BlobId],
        by: &Stamp,
    ) -> Result<(), StoreError> {
        let mut write = self.write().await?;
        lock_files(&mut write, site).await?;
        end_claims(&mut write, site, files).await?;
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
            let limit = self.quotas.for_font_files();
            limit
                .check_rows(&mut write, quotas::FONT_FILES, site, "")
                .await?;
            Record::of("font.installed")
                .on(site)
                .about(family)
                .with(json!({ "files": added }))
                .save(&mut write, by)
                .await?;
        }
        self.commit(write).await
    }

    /// The font files that a site has installed, each with its family.
    pub async fn fonts(&self, site: &SiteId) -> Result<Vec<FontFile>, StoreError> {
        let rows =
            sqlx::query("SELECT blob, family FROM fonts WHERE site_id = $1 ORDER BY family, blob")
                .bind(site.as_str())
                .fetch_all(self.reader())
                .await?;
        let read = |row: &AnyRow| -> Result<FontFile, StoreError> {
            let blob = BlobId::parse(row.try_get("blob")?);
            Ok(FontFile {
                blob: blob.ok_or(StoreError::Corrupt { what: "font" })?,
                family: row.try_get("family")?,
            })
        };
        rows.iter().map(read).collect()
    }

    /// A site that has installed this file; none if it is not a font.
    pub async fn font_site(&self, blob: &BlobId) -> Result<Option<SiteId>, StoreError> {
        let row = sqlx::query("SELECT site_id FROM fonts WHERE blob = $1 LIMIT 1")
            .bind(blob.as_str())
            .fetch_optional(self.reader())
            .await?;
        row.map(|row| Ok(SiteId::from(row.try_get::<String, _>("site_id")?)))
            .transpose()
    }
}

//! The rows of assets. What bytes mean and how variants are made is for `media`.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sqlx::Row;
use sqlx::any::AnyRow;

use crate::audit::Record;
use crate::{BlobId, MediaId, SiteId, Stamp, Store, StoreError, Timestamp};

/// An asset of a site.
#[derive(Debug, Clone, PartialEq)]
pub struct MediaRow {
    /// The asset.
    pub id: MediaId,
    /// The site it belongs to.
    pub site: SiteId,
    /// The original as it came.
    pub blob: BlobId,
    /// What the original is, such as `image/png`.
    pub format: String,
    /// How wide it is, upright.
    pub width: u32,
    /// How high it is, upright.
    pub height: u32,
    /// How many bytes the original has.
    pub bytes: u64,
    /// Whether the original moves.
    pub is_animated: bool,
    /// What people call it.
    pub name: String,
    /// What it shows, for those who cannot see it.
    pub alt: String,
    /// Whom to name beside it, where somebody asks for that.
    pub credit: Option<Value>,
    /// What is served of it, smallest first.
    pub variants: Vec<MediaVariant>,
    /// When it was added.
    pub created_at: Timestamp,
}

/// One size of an asset.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MediaVariant {
    /// Its width.
    pub width: u32,
    /// Its height.
    pub height: u32,
    /// What it is, such as `image/jpeg`.
    pub format: String,
    /// Its bytes, by name.
    pub blob: String,
    /// How many there are.
    pub bytes: u64,
}

/// What of an asset is to be different.
#[derive(Debug, Clone, Default)]
pub struct MediaChange {
    /// What people call it.
    pub name: Option<String>,
    /// What it shows.
    pub alt: Option<String>,
}

/// Assets, the newest first.
#[derive(Debug, Clone, PartialEq)]
pub struct MediaPage {
    /// The assets.
    pub rows: Vec<MediaRow>,
    /// What to pass as `before` for older ones.
    pub next: Option<MediaId>,
}

const COLUMNS: &str = "id, site_id, blob, format, width, height, bytes, is_animated, name, alt, credit, variants, created_at";

impl Store {
    /// Adds an asset. When the site has one of the same bytes, that one is given back and nothing is added.
    pub async fn add_media(&self, row: &MediaRow, by: &Stamp) -> Result<MediaRow, StoreError> {
        let mut write = self.write().await?;
        let added = sqlx::query(
            "INSERT INTO media (id, site_id, blob, format, width, height, bytes, is_animated, name, alt, credit, variants, created_at) \
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) ON CONFLICT (site_id, blob) DO NOTHING",
        )
        .bind(row.id.as_str())
        .bind(row.site.as_str())
        .bind(row.blob.as_str())
        .bind(&row.format)
        .bind(i64::from(row.width))
        .bind(i64::from(row.height))
        .bind(i64::try_from(row.bytes).unwrap_or(i64::MAX))
        .bind(i64::from(row.is_animated))
        .bind(&row.name)
        .bind(&row.alt)
        .bind(row.credit.as_ref().map(ToString::to_string))
        .bind(json!(row.variants).to_string())
        .bind(row.created_at.millis())
        .execute(&mut *write)
        .await?;
        if added.rows_affected() == 0 {
            write.rollback().await?;
            let there = self.media_of(&row.site, &row.blob).await?;
            return there.ok_or(StoreError::NotFound { what: "asset" });
        }
        Record::of("media.added")
            .on(&row.site)
            .about(row.id.as_str())
            .with(json!({ "name": row.name, "format": row.format, "bytes": row.bytes }))
            .save(&mut write, by)
            .await?;
        self.commit(write).await?;
        Ok(row.clone())
    }

    /// The asset with this id, of whichever site.
    pub async fn media(&self, id: &MediaId) -> Result<Option<MediaRow>, StoreError> {
        let sql = format!("SELECT {COLUMNS} FROM media WHERE id = $1");
        let row = sqlx::query(sqlx::AssertSqlSafe(sql))
            .bind(id.as_str())
            .fetch_optional(self.reader())
            .await?;
        row.as_ref().map(read).transpose()
    }

    /// The assets of a site that came before one, at most `limit`; with a search, those whose name or text holds it.
    pub async fn media_page(
        &self,
        site: &SiteId,
        search: &str,
        before: Option<&MediaId>,
        limit: u16,
    ) -> Result<MediaPage, StoreError> {
        // Ids are made later for what comes later, so that they are the order.
        let sql = format!(
            "SELECT {COLUMNS} FROM media WHERE site_id = $1 AND ($2 = '' OR id < $2) \
             AND (LOWER(name) LIKE $3 ESCAPE '!' OR LOWER(alt) LIKE $3 ESCAPE '!') ORDER BY id DESC LIMIT $4"
        );
        let rows = sqlx::query(sqlx::AssertSqlSafe(sql))
            .bind(site.as_str())
            .bind(before.map_or("", MediaId::as_str))
            .bind(holding(search))
            .bind(i64::from(limit))
            .fetch_all(self.reader())
            .await?;
        let rows = rows.iter().map(read).collect::<Result<Vec<_>, _>>()?;
        let is_full = rows.len() == usize::from(limit);
        Ok(MediaPage {
            next: rows.last().filter(|_| is_full).map(|row| row.id.clone()),
            rows,
        })
    }

    /// Writes what people call an asset and what it shows.
    pub async fn change_media(
        &self,
        site: &SiteId,
        id: &MediaId,
        change: &MediaChange,
        by: &Stamp,
    ) -> Result<MediaRow, StoreError> {
        let mut write = self.write().await?;
        let sql = format!(
            "UPDATE media SET name = COALESCE($1, name), alt = COALESCE($2, alt) WHERE site_id = $3 AND id = $4 \
             RETURNING {COLUMNS}"
        );
        let row = sqlx::query(sqlx::AssertSqlSafe(sql))
            .bind(change.name.as_deref())
            .bind(change.alt.as_deref())
            .bind(site.as_str())
            .bind(id.as_str())
            .fetch_optional(&mut *write)
            .await?;
        let row = row.ok_or(StoreError::NotFound { what: "picture" })?;
        let row = read(&row)?;
        Record::of("media.changed")
            .on(site)
            .about(id.as_str())
            .with(json!({ "name": row.name, "alt": row.alt }))
            .save(&mut write, by)
            .await?;
        self.commit(write).await?;
        Ok(row)
    }

    /// Takes an asset out, and tells which of its blobs no other asset of the site has.
    pub async fn remove_media(
        &self,
        site: &SiteId,
        id: &MediaId,
        by: &Stamp,
    ) -> Result<Vec<BlobId>, StoreError> {
        let mut write = self.write().await?;
        let sql = format!("DELETE FROM media WHERE site_id = $1 AND id = $2 RETURNING {COLUMNS}");
        let row = sqlx::query(sqlx::AssertSqlSafe(sql))
            .bind(site.as_str())
            .bind(id.as_str())
            .fetch_optional(&mut *write)
            .await?;
        let row = read(&row.ok_or(StoreError::NotFound { what: "picture" })?)?;
        let variants = row.variants.iter();
        let variants = variants.filter_map(|variant| BlobId::parse(&variant.blob));
        let mut free = Vec::new();
        for blob in variants.chain([row.blob.clone()]) {
            let other = sqlx::query(
                "SELECT 1 FROM media WHERE site_id = $1 AND (blob = $2 OR variants LIKE '%' || $2 || '%') LIMIT 1",
            )
            .bind(site.as_str())
            .bind(blob.as_str())
            .fetch_optional(&mut *write)
            .await?;
            if other.is_none() && !free.contains(&blob) {
                free.push(blob);
            }
        }
        Record::of("media.removed")
            .on(site)
            .about(id.as_str())
            .with(json!({ "name": row.name }))
            .save(&mut write, by)
            .await?;
        self.commit(write).await?;
        Ok(free)
    }

    /// The asset of a site that was made of these bytes.
    pub async fn media_of(
        &self,
        site: &SiteId,
        blob: &BlobId,
    ) -> Result<Option<MediaRow>, StoreError> {
        let sql = format!("SELECT {COLUMNS} FROM media WHERE site_id = $1 AND blob = $2");
        let row = sqlx::query(sqlx::AssertSqlSafe(sql))
            .bind(site.as_str())
            .bind(blob.as_str())
            .fetch_optional(self.reader())
            .await?;
        row.as_ref().map(read).transpose()
    }
}

/// A pattern for texts that hold this one, whatever signs are in it.
fn holding(search: &str) -> String {
    let mut pattern = "%".to_owned();
    for character in search.to_lowercase().chars() {
        if matches!(character, '%' | '_' | '!') {
            pattern.push('!');
        }
        pattern.push(character);
    }
    pattern + "%"
}

fn read(row: &AnyRow) -> Result<MediaRow, StoreError> {
    const CORRUPT: StoreError = StoreError::Corrupt { what: "asset" };
    let number = |name: &str| -> Result<u32, StoreError> {
        u32::try_from(row.try_get::<i64, _>(name)?).map_err(|_error| CORRUPT)
    };
    let credit: Option<String> = row.try_get("credit")?;
    Ok(MediaRow {
        id: MediaId::from(row.try_get::<String, _>("id")?),
        site: SiteId::from(row.try_get::<String, _>("site_id")?),
        blob: BlobId::parse(row.try_get("blob")?).ok_or(CORRUPT)?,
        format: row.try_get("format")?,
        width: number("width")?,
        height: number("height")?,
        bytes: u64::try_from(row.try_get::<i64, _>("bytes")?).map_err(|_error| CORRUPT)?,
        is_animated: row.try_get::<i64, _>("is_animated")? != 0,
        name: row.try_get("name")?,
        alt: row.try_get("alt")?,
        credit: credit
            .map(|text| serde_json::from_str(&text))
            .transpose()
            .map_err(|_error| CORRUPT)?,
        variants: serde_json::from_str(row.try_get("variants")?).map_err(|_error| CORRUPT)?,
        created_at: Timestamp::from_millis(row.try_get("created_at")?),
    })
}

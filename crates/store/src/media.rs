//! The rows of assets. `media` interprets the bytes and makes the variants.

mod bin;
mod find;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sqlx::Row;
use sqlx::any::AnyRow;

use crate::audit::Record;
use crate::blob_marks::{end_claims, lock_files};
use crate::conditions::{Conditions, SqlValue};
use crate::quotas;
use crate::search::{SearchKey, SearchKind, words};
use crate::{BlobId, MediaId, SiteId, Stamp, Store, StoreError, Timestamp};

/// An asset of a site.
#[derive(Debug, Clone, PartialEq)]
pub struct MediaRow {
    pub id: MediaId,
    pub site: SiteId,
    /// The original as it was uploaded.
    pub blob: BlobId,
    /// The media type of the original, such as `image/png`.
    pub format: String,
    /// In upright orientation.
    pub width: u32,
    /// In upright orientation.
    pub height: u32,
    /// The size of the original.
    pub bytes: u64,
    /// Whether the original is animated.
    pub is_animated: bool,
    pub name: String,
    /// The alternative text, for people who cannot see the image.
    pub alt: String,
    /// Whom to credit next to it, if the source requires that.
    pub credit: Option<Value>,
    /// The sizes that are served, smallest first.
    pub variants: Vec<MediaVariant>,
    /// Words of editors to find it by.
    pub tags: Vec<String>,
    /// The groups that editors put it into.
    pub categories: Vec<String>,
    pub created_at: Timestamp,
}

impl MediaRow {
    /// The blobs of the original and of all sizes.
    pub(crate) fn blobs(&self) -> Vec<BlobId> {
        let sizes = self.variants.iter();
        let sizes = sizes.filter_map(|variant| BlobId::parse(&variant.blob));
        sizes.chain([self.blob.clone()]).collect()
    }

    /// The address of the largest size. The bytes at this address never change.
    pub fn url(&self) -> String {
        let largest = self.variants.last();
        largest.map_or_else(String::new, |variant| self.url_of(variant))
    }

    /// The address of a size.
    pub fn url_of(&self, variant: &MediaVariant) -> String {
        format!("/uploads/{}/{}", self.id, variant.file_name())
    }

    /// The words by which it is found.
    fn words(&self) -> String {
        let lists = self.tags.iter().chain(&self.categories);
        let author = self.credit.as_ref().and_then(|credit| credit.get("author"));
        let author = author.and_then(Value::as_str);
        let texts = [self.name.as_str(), self.alt.as_str()].into_iter();
        words(texts.chain(lists.map(String::as_str)).chain(author))
    }

    fn search_key(&self) -> SearchKey<'_> {
        SearchKey {
            site: &self.site,
            kind: SearchKind::Media,
            id: self.id.as_str(),
        }
    }

    /// The bytes of the original and of all sizes.
    pub(crate) fn stored_bytes(&self) -> u64 {
        let sizes = self.variants.iter().map(|variant| variant.bytes);
        sizes.fold(self.bytes, u64::saturating_add)
    }
}

/// One size of an asset.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MediaVariant {
    pub width: u32,
    pub height: u32,
    /// The media type, such as `image/jpeg`.
    pub format: String,
    /// The name of its blob.
    pub blob: String,
    pub bytes: u64,
}

impl MediaVariant {
    /// The name of its file, such as `640.jpg`.
    pub fn file_name(&self) -> String {
        let extension = match self.format.strip_prefix("image/") {
            Some("jpeg") => "jpg",
            Some(other) => other,
            None => "bin",
        };
        format!("{}.{extension}", self.width)
    }
}

/// A partial update of an asset; `None` leaves a part as it is.
#[derive(Debug, Clone, Default)]
pub struct MediaChange {
    pub name: Option<String>,
    /// The alternative text.
    pub alt: Option<String>,
    pub tags: Option<Vec<String>>,
    pub categories: Option<Vec<String>>,
}

/// A deleted asset, as long as the bin keeps it.
#[derive(Debug, Clone, PartialEq)]
pub struct BinnedMedia {
    pub row: MediaRow,
    pub removed_at: Timestamp,
    /// Until when it can be restored.
    pub kept_until: Timestamp,
}

/// Assets that a search found.
#[derive(Debug, Clone, PartialEq)]
pub struct MediaHits {
    /// The best first.
    pub rows: Vec<MediaRow>,
    /// How many there are in all.
    pub total: u64,
}

/// A page of assets, newest first.
#[derive(Debug, Clone, PartialEq)]
pub struct MediaPage {
    pub rows: Vec<MediaRow>,
    /// What to pass as `before` to get older assets; none on the last page.
    pub next: Option<MediaId>,
}

const COLUMNS: &str = "id, site_id, blob, format, width, height, bytes, is_animated, name, alt, credit, variants, tags, categories, \
                       created_at";

impl Store {
    /// Adds an asset. If the site already has one with the same bytes, returns that one and adds nothing.
    pub async fn add_media(&self, row: &MediaRow, by: &Stamp) -> Result<MediaRow, StoreError> {
        let mut write = self.write().await?;
        lock_files(&mut write, &row.site).await?;
        let blobs = row.blobs();
        end_claims(&mut write, &row.site, &blobs).await?;
        // One statement, so that nobody removes the row between finding it and reading it. A picture in the bin comes back.
        let sql = format!(
            "INSERT INTO media (id, site_id, blob, format, width, height, bytes, is_animated, name, alt, credit, variants, created_at, \
             stored_bytes, tags, categories) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16) \
             ON CONFLICT (site_id, blob) DO UPDATE SET deleted_at = 0 RETURNING {COLUMNS}"
        );
        let stored = sqlx::query(sqlx::AssertSqlSafe(sql))
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
            .bind(i64::try_from(row.stored_bytes()).unwrap_or(i64::MAX))
            .bind(json!(row.tags).to_string())
            .bind(json!(row.categories).to_string())
            .fetch_one(&mut *write)
            .await?;
        let stored = read(&stored)?;
        stored
            .search_key()
            .write(&mut write, &stored.words())
            .await?;
        if stored.id != row.id {
            self.commit(write).await?;
            return Ok(stored);
        }
        let limit = self.quotas.for_media();
        limit
            .check_rows(&mut write, quotas::MEDIA_BYTES, &row.site, "")
            .await?;
        Record::of("media.added")
            .on(&row.site)
            .about(row.id.as_str())
            .with(json!({ "name": row.name, "format": row.format, "bytes": row.bytes }))
            .save(&mut write, by)
            .await?;
        self.commit(write).await?;
        Ok(stored)
    }

    /// The asset with this id, on any site.
    pub async fn media(&self, id: &MediaId) -> Result<Option<MediaRow>, StoreError> {
        let sql = format!("SELECT {COLUMNS} FROM media WHERE id = $1 AND deleted_at = 0");
        let row = sqlx::query(sqlx::AssertSqlSafe(sql))
            .bind(id.as_str())
            .fetch_optional(self.reader())
            .await?;
        row.as_ref().map(read).transpose()
    }

    /// Up to `limit` assets of a site from before one; with a search, only those whose name or alternative text contains it.
    pub async fn media_page(
        &self,
        site: &SiteId,
        search: &str,
        before: Option<&MediaId>,
        limit: u16,
    ) -> Result<MediaPage, StoreError> {
        let mut conditions = Conditions::default();
        conditions.and("site_id = ", SqlValue::Text(site.as_str().to_owned()));
        conditions.condition("deleted_at = 0");
        if let Some(before) = before {
            conditions.and("id < ", SqlValue::Text(before.as_str().to_owned()));
        }
        if !search.is_empty() {
            let text = conditions.place(SqlValue::Text(holding(search)));
            conditions.condition(&format!(
                "(LOWER(name) LIKE {text} ESCAPE '!' OR LOWER(alt) LIKE {text} ESCAPE '!')"
            ));
        }
        // Later ids sort after earlier ones, so they give the order.
        let sql = format!(
            "SELECT {COLUMNS} FROM media WHERE {} ORDER BY id DESC LIMIT {limit}",
            conditions.sql
        );
        let rows = conditions.bound(&sql).fetch_all(self.reader()).await?;
        let rows = rows.iter().map(read).collect::<Result<Vec<_>, _>>()?;
        let is_full = rows.len() == usize::from(limit);
        Ok(MediaPage {
            next: rows.last().filter(|_| is_full).map(|row| row.id.clone()),
            rows,
        })
    }

    /// Changes what is said about an asset.
    pub async fn change_media(
        &self,
        site: &SiteId,
        id: &MediaId,
        change: &MediaChange,
        by: &Stamp,
    ) -> Result<MediaRow, StoreError> {
        let mut write = self.write().await?;
        let sql = format!(
            "UPDATE media SET name = COALESCE($1, name), alt = COALESCE($2, alt), tags = COALESCE($5, tags), \
             categories = COALESCE($6, categories) WHERE site_id = $3 AND id = $4 AND deleted_at = 0 RETURNING {COLUMNS}"
        );
        let row = sqlx::query(sqlx::AssertSqlSafe(sql))
            .bind(change.name.as_deref())
            .bind(change.alt.as_deref())
            .bind(site.as_str())
            .bind(id.as_str())
            .bind(change.tags.as_ref().map(|tags| json!(tags).to_string()))
            .bind(
                change
                    .categories
                    .as_ref()
                    .map(|list| json!(list).to_string()),
            )
            .fetch_optional(&mut *write)
            .await?;
        let row = row.ok_or(StoreError::NotFound { what: "picture" })?;
        let row = read(&row)?;
        row.search_key().write(&mut write, &row.words()).await?;
        Record::of("media.changed")
            .on(site)
            .about(id.as_str())
            .with(json!({ "name": row.name, "alt": row.alt }))
            .save(&mut write, by)
            .await?;
        self.commit(write).await?;
        Ok(row)
    }

    /// Removes an asset, and returns those of its blobs that nothing else names. The caller has the lease on them and calls
    /// [`Store::delete_leased`].
    pub async fn remove_media(
        &self,
        site: &SiteId,
        id: &MediaId,
        by: &Stamp,
    ) -> Result<Vec<BlobId>, StoreError> {
        let mut write = self.write().await?;
        lock_files(&mut write, site).await?;
        let sql = format!("DELETE FROM media WHERE site_id = $1 AND id = $2 RETURNING {COLUMNS}");
        let row = sqlx::query(sqlx::AssertSqlSafe(sql))
            .bind(site.as_str())
            .bind(id.as_str())
            .fetch_optional(&mut *write)
            .await?;
        let row = read(&row.ok_or(StoreError::NotFound { what: "picture" })?)?;
        row.search_key().remove(&mut write).await?;
        let blobs = row.blobs();
        let leased = self.lease_unnamed(&mut write, site, &blobs, by.at).await?;
        Record::of("media.removed")
            .on(site)
            .about(id.as_str())
            .with(json!({ "name": row.name }))
            .save(&mut write, by)
            .await?;
        self.commit(write).await?;
        Ok(leased)
    }

    /// The asset of a site that was made from these bytes.
    pub async fn media_of(
        &self,
        site: &SiteId,
        blob: &BlobId,
    ) -> Result<Option<MediaRow>, StoreError> {
        let sql = format!(
            "SELECT {COLUMNS} FROM media WHERE site_id = $1 AND blob = $2 AND deleted_at = 0"
        );
        let row = sqlx::query(sqlx::AssertSqlSafe(sql))
            .bind(site.as_str())
            .bind(blob.as_str())
            .fetch_optional(self.reader())
            .await?;
        row.as_ref().map(read).transpose()
    }
}

/// A LIKE pattern for texts that contain this one, with wildcards escaped.
pub(crate) fn holding(search: &str) -> String {
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
        tags: serde_json::from_str(row.try_get("tags")?).map_err(|_error| CORRUPT)?,
        categories: serde_json::from_str(row.try_get("categories")?).map_err(|_error| CORRUPT)?,
        created_at: Timestamp::from_millis(row.try_get("created_at")?),
    })
}

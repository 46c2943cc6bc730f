//! Finding assets: by their words, and as rows of loops.

use super::{COLUMNS, MediaHits, MediaRow, read};
use crate::documents::stored_number;
use crate::search::SearchTerms;
use crate::{DatabaseKind, SiteId, Store, StoreError};
use serde_json::{Value, json};
use sitewright_site::{Direction, RowQuery};

/// The most rows of a loop.
const ROWS_MAX: u32 = 1_000;
/// How many assets from before there was an index are read at a time.
const BATCH: i64 = 500;

impl Store {
    /// The assets of a site that have words beginning like each word of a text, the best first.
    pub async fn search_media(
        &self,
        site: &SiteId,
        text: &str,
        limit: u32,
        offset: u32,
    ) -> Result<MediaHits, StoreError> {
        let Some(terms) = SearchTerms::of(self.backend(), text) else {
            return Ok(MediaHits {
                rows: Vec::new(),
                total: 0,
            });
        };
        let fits = format!(
            "m.site_id = $1 AND m.deleted_at = 0 AND m.id IN (SELECT s.id FROM search_texts s WHERE s.site_id = $1 \
             AND s.kind = 'media' AND {})",
            terms.condition("$2")
        );
        let count = sqlx::query(sqlx::AssertSqlSafe(format!(
            "SELECT COUNT(*) AS found FROM media m WHERE {fits}"
        )));
        let count = count.bind(site.as_str()).bind(&terms.bound);
        let total = stored_number(&count.fetch_one(self.reader()).await?, "found")?;
        let rank = match self.backend() {
            DatabaseKind::Sqlite => {
                "(SELECT i.rank FROM search_index i JOIN search_texts s ON s.number = i.rowid WHERE i.search_index MATCH $2 \
                 AND s.site_id = $1 AND s.kind = 'media' AND s.id = m.id)"
            }
            DatabaseKind::Postgres => {
                "(SELECT -ts_rank(to_tsvector('simple', s.words), to_tsquery('simple', $2)) FROM search_texts s \
                 WHERE s.site_id = $1 AND s.kind = 'media' AND s.id = m.id)"
            }
        };
        let columns: Vec<String> = COLUMNS
            .split(',')
            .map(|name| format!("m.{}", name.trim()))
            .collect();
        let sql = format!(
            "SELECT {} FROM media m WHERE {fits} ORDER BY {rank}, m.id DESC LIMIT $3 OFFSET $4",
            columns.join(", ")
        );
        let rows = sqlx::query(sqlx::AssertSqlSafe(sql))
            .bind(site.as_str())
            .bind(&terms.bound)
            .bind(i64::from(limit))
            .bind(i64::from(offset))
            .fetch_all(self.reader())
            .await?;
        let rows = rows.iter().map(read).collect::<Result<Vec<_>, _>>()?;
        Ok(MediaHits { rows, total })
    }

    /// How many assets a site has.
    pub async fn count_media(&self, site: &SiteId) -> Result<u64, StoreError> {
        let row = sqlx::query(
            "SELECT COUNT(*) AS found FROM media WHERE site_id = $1 AND deleted_at = 0",
        )
        .bind(site.as_str())
        .fetch_one(self.reader())
        .await?;
        stored_number(&row, "found")
    }

    /// The assets that a loop shows, as bindings see them.
    pub(crate) async fn media_rows(
        &self,
        site: &SiteId,
        query: &RowQuery,
    ) -> Result<Vec<Value>, StoreError> {
        let order = match query.order.as_deref() {
            Some("filename") => "name",
            _ => "id",
        };
        let direction = match query.direction {
            Direction::Asc => "ASC",
            Direction::Desc => "DESC",
        };
        let sql = format!(
            "SELECT {COLUMNS} FROM media WHERE site_id = $1 AND deleted_at = 0 AND ($2 = '' OR id = $2) \
             AND ($3 = '' OR format = $3) ORDER BY {order} {direction}, id LIMIT $4 OFFSET $5"
        );
        let wanted = |name: &str| query.filter.get(name).cloned().unwrap_or_default();
        let rows = sqlx::query(sqlx::AssertSqlSafe(sql))
            .bind(site.as_str())
            .bind(wanted("id"))
            .bind(wanted("mimeType"))
            .bind(i64::from(query.limit.unwrap_or(100).min(ROWS_MAX)))
            .bind(i64::from(query.offset))
            .fetch_all(self.reader())
            .await?;
        rows.iter().map(|row| Ok(shown(&read(row)?))).collect()
    }

    /// Writes the words of some assets from before there was an index; false when there are none left.
    pub(crate) async fn fill_media(&self) -> Result<bool, StoreError> {
        let mut write = self.write().await?;
        let sql = format!(
            "SELECT {COLUMNS} FROM media WHERE deleted_at = 0 AND NOT EXISTS (SELECT 1 FROM search_texts s \
             WHERE s.site_id = media.site_id AND s.kind = 'media' AND s.id = media.id) LIMIT $1"
        );
        let rows = sqlx::query(sqlx::AssertSqlSafe(sql))
            .bind(BATCH)
            .fetch_all(&mut *write)
            .await?;
        for row in &rows {
            let row = read(row)?;
            row.search_key().write(&mut write, &row.words()).await?;
        }
        write.commit().await?;
        Ok(!rows.is_empty())
    }
}

fn shown(row: &MediaRow) -> Value {
    json!({
        "id": row.id.as_str(), "filename": row.name, "url": row.url(), "alt": row.alt, "mimeType": row.format,
        "width": row.width, "height": row.height, "createdAt": row.created_at.millis(),
    })
}

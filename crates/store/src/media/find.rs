//! Finding assets: by their words, and as rows of loops.

use super::{COLUMNS, MediaHits, MediaRow, read};
use crate::conditions::{Conditions, SqlValue};
use crate::documents::stored_number;
use crate::search::{SearchKind, SearchTerms};
use crate::{SiteId, Store, StoreError};
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
        let [count, page] = media_search_statements(&terms);
        let count = sqlx::query(sqlx::AssertSqlSafe(count));
        let count = count.bind(site.as_str()).bind(&terms.bound);
        let total = stored_number(&count.fetch_one(self.reader()).await?, "found")?;
        let rows = sqlx::query(sqlx::AssertSqlSafe(page))
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
        let mut conditions = Conditions::default();
        conditions.and("site_id = ", SqlValue::Text(site.as_str().to_owned()));
        conditions.condition("deleted_at = 0");
        for (name, column) in [("id", "id = "), ("mimeType", "format = ")] {
            let wanted = query.filter.get(name).filter(|wanted| !wanted.is_empty());
            if let Some(wanted) = wanted {
                conditions.and(column, SqlValue::Text(wanted.clone()));
            }
        }
        let sql = format!(
            "SELECT {COLUMNS} FROM media WHERE {} ORDER BY {order} {direction}, id LIMIT {} OFFSET {}",
            conditions.sql,
            query.limit.unwrap_or(100).min(ROWS_MAX),
            query.offset
        );
        let rows = conditions.bound(&sql).fetch_all(self.reader()).await?;
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

/// The statements for the number of assets that a search finds and for a page of them. The words of a deleted asset are deleted with it,
/// so the number and the order come from the words alone, and only the rows of the page are read.
fn media_search_statements(terms: &SearchTerms) -> [String; 2] {
    let count = terms.ids_by_hit(SearchKind::Media, "$2");
    let page = terms.scored_ids(SearchKind::Media, "$2");
    let columns: Vec<String> = COLUMNS
        .split(',')
        .map(|name| format!("m.{}", name.trim()))
        .collect();
    [
        format!("SELECT COUNT(*) AS found FROM ({count}) f"),
        format!(
            "SELECT {} FROM ({page} ORDER BY score, id DESC LIMIT $3 OFFSET $4) f CROSS JOIN media m \
             WHERE m.id = f.id AND m.site_id = $1 AND m.deleted_at = 0 ORDER BY f.score, m.id DESC",
            columns.join(", ")
        ),
    ]
}

fn shown(row: &MediaRow) -> Value {
    json!({
        "id": row.id.as_str(), "filename": row.name, "url": row.url(), "alt": row.alt, "mimeType": row.format,
        "width": row.width, "height": row.height, "createdAt": row.created_at.millis(),
    })
}

#[cfg(test)]
mod tests {
    use sitewright_testkit::FreshDatabase;

    use super::media_search_statements;
    use crate::conditions::{Conditions, SqlValue};
    use crate::search::SearchTerms;
    use crate::{Place, Store};

    #[tokio::test]
    async fn a_search_reads_each_hit_once_and_only_the_rows_of_its_page() {
        let database = FreshDatabase::sqlite().unwrap();
        let store = Store::open(&Place::at(&database.address)).await.unwrap();
        let terms = SearchTerms::of(store.backend(), "boat").unwrap();
        let mut conditions = Conditions::default();
        conditions.place(SqlValue::Text("site".to_owned()));
        conditions.place(SqlValue::Text(terms.bound.clone()));
        let [count, page] = media_search_statements(&terms);
        let count = store.plan(&count, &conditions).await;
        conditions.place(SqlValue::Number(50));
        conditions.place(SqlValue::Number(0));
        let page = store.plan(&page, &conditions).await;
        for plan in [&count, &page] {
            assert_eq!(plan.matches("VIRTUAL TABLE").count(), 1, "{plan}");
            assert!(plan.contains("search_texts_1 (number=?)"), "{plan}");
            assert!(!plan.contains("CORRELATED"), "{plan}");
        }
        let row = "SEARCH m USING INDEX media_by_deletion (site_id=? AND deleted_at=? AND id=?)";
        assert!(page.contains(row), "{page}");
    }
}

//! Finding entries of collections by index: one by its id or slug, or a page of those that fit a filter.

use sitewright_site::{Direction, EntryList, EntryOrder, EntryQuery, EntryRow, Record, RecordId};
use sqlx::Row;
use sqlx::any::AnyRow;

use crate::documents::{stored, stored_number};
use crate::{RetentionClock, SiteId, Store, StoreError, Timestamp};

/// The most entries of one page.
const LIMIT_MAX: u32 = 1_000;
/// How long the bin keeps what was deleted.
const BIN_AGE: std::time::Duration = std::time::Duration::from_secs(30 * 24 * 60 * 60);
const COLUMNS: &str =
    "e.id, e.seq, e.format, e.document, e.created_at, e.updated_at, e.published_at";

/// A deleted entry, as long as the bin keeps it.
#[derive(Debug, Clone, PartialEq)]
pub struct BinnedEntry {
    pub id: RecordId,
    pub record: Record,
    pub removed_at: Timestamp,
    /// Until when it can be restored.
    pub kept_until: Timestamp,
}

impl Store {
    /// The entries that fit a query.
    pub async fn entries(
        &self,
        site: &SiteId,
        query: &EntryQuery,
    ) -> Result<EntryList, StoreError> {
        let filter = Filter::of(site, query);
        let total = match query.filter.id {
            Some(_) => None,
            None => Some(self.count_entries(&filter).await?),
        };
        let mut page = filter.clone();
        page.go_on(query)?;
        let (key, direction) = (column(query.order), order(query.direction));
        let limit = query.limit.clamp(1, LIMIT_MAX);
        let sql = format!(
            "SELECT {COLUMNS} FROM content_entries e WHERE {} ORDER BY e.{key} {direction}, e.id {direction} \
             LIMIT {} OFFSET {}",
            page.sql,
            limit + 1,
            query.offset
        );
        let rows = page.bound(&sql).fetch_all(self.reader()).await?;
        let mut rows = rows.iter().map(entry).collect::<Result<Vec<_>, _>>()?;
        let is_more = rows.len() > limit as usize;
        rows.truncate(limit as usize);
        Ok(EntryList {
            total: total.unwrap_or(rows.len() as u64),
            next: rows
                .last()
                .filter(|_| is_more)
                .map(|row| cursor(row, query.order)),
            rows,
        })
    }

    async fn count_entries(&self, filter: &Filter) -> Result<u64, StoreError> {
        let sql = format!(
            "SELECT COUNT(*) AS entries FROM content_entries e WHERE {}",
            filter.sql
        );
        let row = filter.bound(&sql).fetch_one(self.reader()).await?;
        stored_number(&row, "entries")
    }

    /// The deleted entries of a site that can be restored, the last deleted first.
    pub async fn binned_entries(
        &self,
        site: &SiteId,
        limit: u16,
    ) -> Result<Vec<BinnedEntry>, StoreError> {
        let rows = sqlx::query(
            "SELECT id, format, document, removed_at FROM content_bin WHERE site_id = $1 ORDER BY removed_at DESC, id LIMIT $2",
        )
        .bind(site.as_str())
        .bind(i64::from(limit))
        .fetch_all(self.reader())
        .await?;
        rows.iter().map(binned).collect()
    }

    /// A deleted entry that can be restored.
    pub async fn binned_entry(
        &self,
        site: &SiteId,
        id: RecordId,
    ) -> Result<Option<BinnedEntry>, StoreError> {
        let row = sqlx::query(
            "SELECT id, format, document, removed_at FROM content_bin WHERE site_id = $1 AND id = $2",
        )
        .bind(site.as_str())
        .bind(id.to_string())
        .fetch_optional(self.reader())
        .await?;
        row.as_ref().map(binned).transpose()
    }

    /// Deletes for good what was in the bin for longer than it keeps things. Returns how much.
    pub async fn tend_bin(&self, site: &SiteId, clock: &RetentionClock) -> Result<u64, StoreError> {
        let Some(before) = clock.cutoff(BIN_AGE) else {
            return Ok(0);
        };
        let mut write = self.write().await?;
        let gone = sqlx::query("DELETE FROM content_bin WHERE site_id = $1 AND removed_at < $2")
            .bind(site.as_str())
            .bind(before.millis())
            .execute(&mut *write)
            .await?;
        write.commit().await?;
        Ok(gone.rows_affected())
    }
}

/// The condition of a query, with the values it is bound to.
#[derive(Clone)]
struct Filter {
    sql: String,
    values: Vec<SqlValue>,
}

#[derive(Clone)]
enum SqlValue {
    Text(String),
    Number(i64),
}

impl Filter {
    fn of(site: &SiteId, query: &EntryQuery) -> Self {
        let wanted = &query.filter;
        let mut filter = Self {
            sql: String::new(),
            values: Vec::new(),
        };
        filter.and("e.site_id = ", SqlValue::Text(site.as_str().to_owned()));
        if let Some(id) = wanted.id {
            filter.and("e.id = ", SqlValue::Text(id.to_string()));
        }
        if !wanted.collections.is_empty() {
            let ids = wanted.collections.iter();
            let places: Vec<String> = ids
                .map(|id| filter.place(SqlValue::Text(id.to_string())))
                .collect();
            filter.condition(&format!("e.collection_id IN ({})", places.join(", ")));
        }
        if let Some(slug) = &wanted.slug {
            filter.and("e.slug = ", SqlValue::Text(slug.clone()));
        }
        if let Some(status) = wanted.status {
            filter.and("e.status = ", SqlValue::Text(status.as_str().to_owned()));
        }
        if let Some(now) = wanted.visible_at {
            let now = filter.place(SqlValue::Number(now));
            filter.condition(&format!(
                "(e.publish_at IS NULL OR e.publish_at <= {now}) AND (e.unpublish_at IS NULL OR e.unpublish_at > {now})"
            ));
        }
        if let Some(locale) = &wanted.locale {
            filter.and("e.locale = ", SqlValue::Text(locale.clone()));
        }
        for (field, value) in &wanted.values {
            let has = filter.has_value(&field.to_string(), value);
            filter.condition(&has);
        }
        let any: Vec<String> = wanted
            .any_value
            .iter()
            .map(|(field, value)| filter.has_value(&field.to_string(), value))
            .collect();
        if !any.is_empty() {
            filter.condition(&format!("({})", any.join(" OR ")));
        }
        if let Some(id) = wanted.refers_to {
            let id = filter.place(SqlValue::Text(id.to_string()));
            filter.condition(&format!(
                "e.id IN (SELECT v.entry_id FROM content_values v WHERE v.site_id = $1 AND v.value = {id})"
            ));
        }
        filter
    }

    /// The condition that a field has a value.
    fn has_value(&mut self, field: &str, value: &str) -> String {
        let field = self.place(SqlValue::Text(field.to_owned()));
        let value = self.place(SqlValue::Text(value.to_owned()));
        format!(
            "e.id IN (SELECT v.entry_id FROM content_values v WHERE v.site_id = $1 AND v.value = {value} AND v.field_id = {field})"
        )
    }

    /// Leaves out everything up to the cursor.
    fn go_on(&mut self, query: &EntryQuery) -> Result<(), StoreError> {
        let Some(cursor) = &query.cursor else {
            return Ok(());
        };
        let refused = || StoreError::Refused {
            rule: "this is not a cursor of this list; leave it out to begin again",
        };
        let (id, key) = cursor.split_at_checked(12).ok_or_else(refused)?;
        id.parse::<RecordId>().map_err(|_bad| refused())?;
        let is_text = matches!(query.order, EntryOrder::Title | EntryOrder::Slug);
        let key = match is_text {
            true => SqlValue::Text(key.to_owned()),
            false => SqlValue::Number(key.parse().map_err(|_bad| refused())?),
        };
        let (key, id) = (self.place(key), self.place(SqlValue::Text(id.to_owned())));
        let column = column(query.order);
        let beyond = match query.direction {
            Direction::Asc => '>',
            Direction::Desc => '<',
        };
        self.condition(&format!(
            "(e.{column} {beyond} {key} OR (e.{column} = {key} AND e.id {beyond} {id}))"
        ));
        Ok(())
    }

    fn and(&mut self, left: &str, value: SqlValue) {
        let place = self.place(value);
        self.condition(&format!("{left}{place}"));
    }

    fn condition(&mut self, condition: &str) {
        if !self.sql.is_empty() {
            self.sql.push_str(" AND ");
        }
        self.sql.push_str(condition);
    }

    /// The placeholder of a value.
    fn place(&mut self, value: SqlValue) -> String {
        self.values.push(value);
        format!("${}", self.values.len())
    }

    fn bound<'q>(&self, sql: &str) -> sqlx::query::Query<'q, sqlx::Any, sqlx::any::AnyArguments> {
        let mut query = sqlx::query(sqlx::AssertSqlSafe(sql.to_owned()));
        for value in &self.values {
            query = match value {
                SqlValue::Text(text) => query.bind(text.clone()),
                SqlValue::Number(number) => query.bind(*number),
            };
        }
        query
    }
}

fn column(order: EntryOrder) -> &'static str {
    match order {
        EntryOrder::CreatedAt => "created_at",
        EntryOrder::UpdatedAt => "updated_at",
        EntryOrder::PublishedAt => "published_at",
        EntryOrder::SortOrder => "sort_order",
        EntryOrder::Title => "title",
        EntryOrder::Slug => "slug",
    }
}

fn order(direction: Direction) -> &'static str {
    match direction {
        Direction::Asc => "ASC",
        Direction::Desc => "DESC",
    }
}

/// Where a page ends: the id of its last entry, and what it is ordered by.
fn cursor(row: &EntryRow, order: EntryOrder) -> String {
    let mut text = row.id.to_string();
    let number = match order {
        EntryOrder::CreatedAt => row.created_at,
        EntryOrder::UpdatedAt => row.updated_at,
        EntryOrder::PublishedAt => row.published_at.unwrap_or(0),
        EntryOrder::SortOrder => row.record.sort_order,
        EntryOrder::Title => {
            text.push_str(&row.record.title);
            return text;
        }
        EntryOrder::Slug => {
            text.push_str(&row.record.slug);
            return text;
        }
    };
    text.push_str(&number.to_string());
    text
}

fn record_id(row: &AnyRow) -> Result<RecordId, StoreError> {
    let id: String = row.try_get("id")?;
    id.parse()
        .map_err(|_bad| StoreError::Corrupt { what: "entry" })
}

fn entry(row: &AnyRow) -> Result<EntryRow, StoreError> {
    let published_at: i64 = row.try_get("published_at")?;
    Ok(EntryRow {
        id: record_id(row)?,
        record: stored(row, "document")?,
        rev: stored_number(row, "seq")?,
        created_at: row.try_get("created_at")?,
        updated_at: row.try_get("updated_at")?,
        published_at: (published_at != 0).then_some(published_at),
    })
}

fn binned(row: &AnyRow) -> Result<BinnedEntry, StoreError> {
    let removed_at = Timestamp::from_millis(row.try_get("removed_at")?);
    Ok(BinnedEntry {
        id: record_id(row)?,
        record: stored(row, "document")?,
        removed_at,
        kept_until: removed_at.after(BIN_AGE),
    })
}

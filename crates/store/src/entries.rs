//! Finding entries of collections by index: one by its id or slug, or a page of those that fit a filter.

#[cfg(test)]
mod plan_tests;
mod statement;

use sitewright_site::{
    EntryFilter, EntryList, EntryOrder, EntryQuery, EntryRow, ItemId, Record, RecordId,
};
use sqlx::Row;
use sqlx::any::AnyRow;

use crate::conditions::{Conditions, SqlValue};
use crate::documents::{EntryState, stored, stored_number};
use crate::{DatabaseKind, RetentionClock, SiteId, Store, StoreError, Timestamp};
use statement::{COLUMNS, EntryAccess, EntrySource, EntryStatement, is_counted, probe};

/// How long the bin keeps what was deleted.
const BIN_AGE: std::time::Duration = std::time::Duration::from_secs(30 * 24 * 60 * 60);
const IDS_PER_STATEMENT: usize = 200;
/// How many entries are looked up and sorted rather than found by walking through a collection. A lookup costs ten times a step of a
/// walk, and a walk to a page of 50 among 100,000 entries of which this many fit goes through 2,500.
const LOOKED_UP_MAX: u64 = 2_000;

/// A deleted entry, as long as the bin keeps it.
#[derive(Debug, Clone, PartialEq)]
pub struct BinnedEntry {
    pub id: RecordId,
    pub record: Record,
    pub removed_at: Timestamp,
    /// Until when it can be restored.
    pub kept_until: Timestamp,
}

/// An entry that visitors see, without what is in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedEntry {
    pub id: RecordId,
    pub collection: ItemId,
    pub slug: String,
}

impl Store {
    /// The entries that fit a query, as they are being edited.
    pub async fn entries(
        &self,
        site: &SiteId,
        query: &EntryQuery,
    ) -> Result<EntryList, StoreError> {
        self.entries_in(EntryState::Draft, site, query).await
    }

    /// The entries that fit a query, in either state.
    pub async fn entries_in(
        &self,
        state: EntryState,
        site: &SiteId,
        query: &EntryQuery,
    ) -> Result<EntryList, StoreError> {
        let source = EntrySource {
            backend: self.backend(),
            state,
            site,
        };
        let kept = match state == EntryState::Draft && is_counted(&query.filter) {
            true => {
                let statement = EntryStatement::new(source, query, EntryAccess::ByOrder);
                let (sql, conditions) = statement.kept_count();
                Some(self.number_of_entries(&sql, conditions).await?)
            }
            false => None,
        };
        let access = self.entry_access(source, &query.filter, kept).await?;
        let statement = EntryStatement::new(source, query, access);
        let (sql, conditions) = statement.page()?;
        let rows = conditions.bound(&sql).fetch_all(self.reader()).await?;
        let mut rows = rows.iter().map(entry).collect::<Result<Vec<_>, _>>()?;
        let limit = statement.limit() as usize;
        let is_more = rows.len() > limit;
        rows.truncate(limit);
        // A first page that holds everything needs no counting, above all one entry by its id or slug.
        let is_all = !is_more && query.cursor.is_none() && query.offset == 0;
        let total = match (is_all, kept) {
            (true, _) => rows.len() as u64,
            (false, Some(kept)) => kept,
            (false, None) => {
                let (sql, conditions) = statement.count();
                self.number_of_entries(&sql, conditions).await?
            }
        };
        Ok(EntryList {
            total,
            next: rows
                .last()
                .filter(|_| is_more)
                .map(|row| cursor(row, query.order)),
            rows,
        })
    }

    /// The entries with these ids as they are being edited, in no particular order; those that do not exist are left out.
    pub async fn entries_with_ids(
        &self,
        site: &SiteId,
        ids: &[RecordId],
    ) -> Result<Vec<EntryRow>, StoreError> {
        self.entries_with_ids_in(EntryState::Draft, site, ids).await
    }

    pub(crate) async fn entries_with_ids_in(
        &self,
        state: EntryState,
        site: &SiteId,
        ids: &[RecordId],
    ) -> Result<Vec<EntryRow>, StoreError> {
        let table = state.entries();
        let mut found = Vec::with_capacity(ids.len());
        for ids in ids.chunks(IDS_PER_STATEMENT) {
            let mut filter = Conditions::default();
            filter.and("e.site_id = ", SqlValue::Text(site.as_str().to_owned()));
            let ids = ids.iter().map(ToString::to_string);
            filter.and_one_of("e.id", ids);
            let sql = format!("SELECT {COLUMNS} FROM {table} e WHERE {}", filter.sql);
            let rows = filter.bound(&sql).fetch_all(self.reader()).await?;
            for row in &rows {
                found.push(entry(row)?);
            }
        }
        Ok(found)
    }

    /// The entries of collections that visitors see at a time, those in the site's own language first.
    pub async fn visible_entries(
        &self,
        site: &SiteId,
        collections: &[ItemId],
        now: Timestamp,
    ) -> Result<Vec<ListedEntry>, StoreError> {
        if collections.is_empty() {
            return Ok(Vec::new());
        }
        let mut filter = Conditions::default();
        filter.and("e.site_id = ", SqlValue::Text(site.as_str().to_owned()));
        filter.and("e.status = ", SqlValue::Text("published".to_owned()));
        filter.and_visible_at(now.millis());
        filter.and_one_of(
            "e.collection_id",
            collections.iter().map(ToString::to_string),
        );
        let sql = format!(
            "SELECT e.id, e.collection_id, e.slug FROM content_entries e WHERE {} ORDER BY e.locale, e.created_at, e.id",
            filter.sql
        );
        let rows = filter.bound(&sql).fetch_all(self.reader()).await?;
        rows.iter().map(listed).collect()
    }

    /// The entries whose schedule made visitors see something else after one time and until another.
    pub async fn entries_timed(
        &self,
        site: &SiteId,
        after: Timestamp,
        until: Timestamp,
    ) -> Result<Vec<RecordId>, StoreError> {
        let rows = sqlx::query(
            "SELECT id FROM content_entries WHERE site_id = $1 AND publish_at > $2 AND publish_at <= $3 \
             UNION SELECT id FROM content_entries WHERE site_id = $1 AND unpublish_at > $2 AND unpublish_at <= $3",
        )
        .bind(site.as_str())
        .bind(after.millis())
        .bind(until.millis())
        .fetch_all(self.reader())
        .await?;
        rows.iter().map(record_id).collect()
    }

    /// The cheaper way to the entries of a list. `kept` is how many fit, where that is known.
    async fn entry_access(
        &self,
        source: EntrySource<'_>,
        filter: &EntryFilter,
        kept: Option<u64>,
    ) -> Result<EntryAccess, StoreError> {
        let is_few = filter.id.is_some()
            || filter.slug.is_some()
            || filter.family.is_some()
            || filter.refers_to.is_some();
        if is_few {
            return Ok(EntryAccess::ByMatch);
        }
        let number = match (kept, probe(source, filter, LOOKED_UP_MAX + 1)) {
            // Only an index by status makes fewer of them than all.
            (Some(kept), _) if filter.status.is_some() && filter.collections.len() == 1 => kept,
            (Some(_), _) | (None, None) => return Ok(EntryAccess::ByOrder),
            // Postgres has statistics, and reads a lookup either way.
            (None, Some(_)) if source.backend == DatabaseKind::Postgres => 0,
            (None, Some((sql, conditions))) => self.number_of_entries(&sql, &conditions).await?,
        };
        Ok(match number <= LOOKED_UP_MAX {
            true => EntryAccess::ByMatch,
            false => EntryAccess::ByOrder,
        })
    }

    async fn number_of_entries(
        &self,
        sql: &str,
        conditions: &Conditions,
    ) -> Result<u64, StoreError> {
        let row = conditions.bound(sql).fetch_one(self.reader()).await?;
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

fn listed(row: &AnyRow) -> Result<ListedEntry, StoreError> {
    let collection: String = row.try_get("collection_id")?;
    Ok(ListedEntry {
        id: record_id(row)?,
        collection: collection
            .parse()
            .map_err(|_bad| StoreError::Corrupt { what: "entry" })?,
        slug: row.try_get("slug")?,
    })
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

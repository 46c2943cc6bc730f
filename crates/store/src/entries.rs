//! Finding entries of collections by index: one by its id or slug, or a page of those that fit a filter.

use sitewright_site::{
    Direction, EntryFilter, EntryList, EntryOrder, EntryQuery, EntryRow, ItemId, Record, RecordId,
};
use sqlx::Row;
use sqlx::any::AnyRow;

use crate::conditions::{Conditions, SqlValue};
use crate::documents::{EntryState, stored, stored_number};
use crate::search::SearchTerms;
use crate::{DatabaseKind, RetentionClock, SiteId, Store, StoreError, Timestamp};

/// The most entries of one page.
const LIMIT_MAX: u32 = 1_000;
/// More than a language tag has parts.
const LANGUAGES_MAX: usize = 12;
/// How long the bin keeps what was deleted.
const BIN_AGE: std::time::Duration = std::time::Duration::from_secs(30 * 24 * 60 * 60);
const IDS_PER_STATEMENT: usize = 200;
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
        let table = state.entries();
        let filter = Conditions::of_entries(self.backend(), state, site, query);
        let mut page = filter.clone();
        page.go_on(query)?;
        let (key, direction) = (sort_key(query), order(query.direction));
        let limit = query.limit.clamp(1, LIMIT_MAX);
        let sql = format!(
            "SELECT {COLUMNS} FROM {table} e WHERE {} ORDER BY {key} {direction}, e.id {direction} LIMIT {} OFFSET {}",
            page.sql,
            limit + 1,
            query.offset
        );
        let rows = page.bound(&sql).fetch_all(self.reader()).await?;
        let mut rows = rows.iter().map(entry).collect::<Result<Vec<_>, _>>()?;
        let is_more = rows.len() > limit as usize;
        rows.truncate(limit as usize);
        // A first page that holds everything needs no counting, above all one entry by its id or slug.
        let is_all = !is_more && query.cursor.is_none() && query.offset == 0;
        let total = match is_all {
            true => rows.len() as u64,
            false => self.count_entries(state, &query.filter, &filter).await?,
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

    async fn count_entries(
        &self,
        state: EntryState,
        wanted: &EntryFilter,
        filter: &Conditions,
    ) -> Result<u64, StoreError> {
        // Counting costs the more the more there are. The columns of both tables have the same names.
        let (number, table) = match state == EntryState::Draft && is_counted(wanted) {
            true => (
                "CAST(COALESCE(SUM(e.entries), 0) AS BIGINT)",
                "content_counts",
            ),
            false => ("COUNT(*)", state.entries()),
        };
        let sql = format!(
            "SELECT {number} AS entries FROM {table} e WHERE {}",
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

/// What a query is sorted by. Few entries have the same slug, but SQLite, which has no statistics, would rather walk through an index in
/// the right order than sort them; it does not for an expression.
fn sort_key(query: &EntryQuery) -> String {
    let column = column(query.order);
    match (&query.filter.slug, query.order) {
        (None, _) => format!("e.{column}"),
        (Some(_), EntryOrder::Title | EntryOrder::Slug) => format!("(e.{column} || '')"),
        (Some(_), _) => format!("(e.{column} + 0)"),
    }
}

/// The languages to look for, the nearest first; the site's own, which is the empty text, comes last. Their number is bounded, because
/// the condition for each names all before it, and anyone who may read can send a tag of thousands of parts.
fn fallbacks(locale: &str) -> Vec<&str> {
    let mut languages = vec![locale];
    let mut rest = locale;
    while languages.len() < LANGUAGES_MAX
        && let Some((shorter, _)) = rest.rsplit_once('-')
    {
        languages.push(shorter);
        rest = shorter;
    }
    if !locale.is_empty() {
        languages.push("");
    }
    languages
}

/// Whether `content_counts` knows how many entries fit: those of collections, with any status or one.
fn is_counted(filter: &EntryFilter) -> bool {
    let EntryFilter {
        id: None,
        collections: _,
        slug: None,
        status: _,
        visible_at: None,
        locale: None,
        falls_back: _,
        family: None,
        values,
        any_value,
        refers_to: None,
        search: None,
    } = filter
    else {
        return false;
    };
    values.is_empty() && any_value.is_empty()
}

impl Conditions {
    fn of_entries(
        backend: DatabaseKind,
        state: EntryState,
        site: &SiteId,
        query: &EntryQuery,
    ) -> Self {
        let wanted = &query.filter;
        let mut filter = Self::default();
        filter.and("e.site_id = ", SqlValue::Text(site.as_str().to_owned()));
        if let Some(id) = wanted.id {
            filter.and("e.id = ", SqlValue::Text(id.to_string()));
        }
        if !wanted.collections.is_empty() {
            let ids = wanted.collections.iter().map(ToString::to_string);
            // An expression, so that SQLite looks for the slug and not through the collection.
            let column = match wanted.slug {
                Some(_) => "(e.collection_id || '')",
                None => "e.collection_id",
            };
            filter.and_one_of(column, ids);
        }
        if let Some(slug) = &wanted.slug {
            filter.and("e.slug = ", SqlValue::Text(slug.clone()));
        }
        if let Some(status) = wanted.status {
            filter.and("e.status = ", SqlValue::Text(status.as_str().to_owned()));
        }
        if let Some(now) = wanted.visible_at {
            filter.and_visible_at(now);
        }
        match &wanted.locale {
            Some(locale) if wanted.falls_back => filter.and_nearest(locale, state, wanted),
            Some(locale) => filter.and("e.locale = ", SqlValue::Text(locale.clone())),
            None => {}
        }
        if let Some(id) = wanted.family {
            let id = filter.place(SqlValue::Text(id.to_string()));
            filter.condition(&format!("(e.id = {id} OR e.translation_of = {id})"));
        }
        for (field, value) in &wanted.values {
            let has = filter.has_value(state, &field.to_string(), value);
            filter.condition(&has);
        }
        let any: Vec<String> = wanted
            .any_value
            .iter()
            .map(|(field, value)| filter.has_value(state, &field.to_string(), value))
            .collect();
        if !any.is_empty() {
            filter.condition(&format!("({})", any.join(" OR ")));
        }
        if let Some(id) = wanted.refers_to {
            let id = filter.place(SqlValue::Text(id.to_string()));
            filter.condition(&format!(
                "e.id IN (SELECT v.entry_id FROM {} v WHERE v.site_id = $1 AND v.value = {id})",
                state.values()
            ));
        }
        if let Some(search) = &wanted.search {
            filter.search(SearchTerms::of(backend, search));
        }
        filter
    }

    fn and_one_of(&mut self, column: &str, values: impl Iterator<Item = String>) {
        let places: Vec<String> = values
            .map(|value| self.place(SqlValue::Text(value)))
            .collect();
        self.condition(&format!("{column} IN ({})", places.join(", ")));
    }

    fn and_visible_at(&mut self, now: i64) {
        let now = self.place(SqlValue::Number(now));
        self.condition(&format!(
            "(e.publish_at IS NULL OR e.publish_at <= {now}) AND (e.unpublish_at IS NULL OR e.unpublish_at > {now})"
        ));
    }

    /// Of each entry and its translations, the one in the language or else the nearest: one for which there is none in a nearer
    /// language that would fit, too.
    fn and_nearest(&mut self, locale: &str, state: EntryState, wanted: &EntryFilter) {
        let languages = fallbacks(locale);
        if languages.len() == 1 {
            return self.and("e.locale = ", SqlValue::Text(locale.to_owned()));
        }
        let places: Vec<String> = languages
            .iter()
            .map(|language| self.place(SqlValue::Text((*language).to_owned())))
            .collect();
        let mut fits = String::new();
        if let Some(status) = wanted.status {
            let status = self.place(SqlValue::Text(status.as_str().to_owned()));
            fits.push_str(&format!(" AND n.status = {status}"));
        }
        if let Some(now) = wanted.visible_at {
            let now = self.place(SqlValue::Number(now));
            fits.push_str(&format!(
                " AND (n.publish_at IS NULL OR n.publish_at <= {now}) AND (n.unpublish_at IS NULL OR n.unpublish_at > {now})"
            ));
        }
        let choices = places.iter().enumerate().map(|(at, place)| match at {
            0 => format!("e.locale = {place}"),
            at => format!(
                "(e.locale = {place} AND NOT EXISTS (SELECT 1 FROM {} n WHERE n.site_id = $1 AND n.translation_of = \
                 CASE WHEN e.translation_of = '' THEN e.id ELSE e.translation_of END AND n.locale IN ({}){fits}))",
                state.entries(),
                places[..at].join(", ")
            ),
        });
        let choices: Vec<String> = choices.collect();
        self.condition(&format!("({})", choices.join(" OR ")));
    }

    /// The condition that an entry has words. A search without words finds nothing.
    fn search(&mut self, terms: Option<SearchTerms>) {
        let Some(terms) = terms else {
            return self.condition("1 = 0");
        };
        let place = self.place(SqlValue::Text(terms.bound.clone()));
        self.condition(&format!(
            "e.id IN (SELECT s.id FROM search_texts s WHERE s.site_id = $1 AND s.kind = 'entry' AND {})",
            terms.condition(&place)
        ));
    }

    /// The condition that a field has a value.
    fn has_value(&mut self, state: EntryState, field: &str, value: &str) -> String {
        let field = self.place(SqlValue::Text(field.to_owned()));
        let value = self.place(SqlValue::Text(value.to_owned()));
        format!(
            "e.id IN (SELECT v.entry_id FROM {} v WHERE v.site_id = $1 AND v.value = {value} AND v.field_id = {field})",
            state.values()
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

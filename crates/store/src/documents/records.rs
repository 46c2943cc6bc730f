//! Entries of collections: the parts of a site that are opened one by one, and whose rows are always current.
//!
//! Unlike a document, an entry has no snapshots and is never replayed. Its row is written in the transaction of the change that
//! touches it, so opening one costs one row, however many there are and however long the log is.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use sitewright_site::{
    Applied, Author, Change, ChangeId, EntryFilter, EntryList, EntryQuery, EntryRow, EntryStatus,
    FORMAT, FieldId, Mention, NewEntity, OpenRecord, PriorState, Record, RecordId, Reference,
    RowQuery, content_ops,
};
use sitewright_tool::CapabilitySet;
use sqlx::{AnyConnection, Row};

use super::commit::{CommitError, Committer};
use super::live::LiveSite;
use super::log;
use crate::search::{SearchKey, SearchKind, words_of_entry};
use crate::{MediaId, SiteId, Stamp, StoreError, Timestamp};

/// The longest value that filters find, in bytes.
const VALUE_MAX: usize = 200;
/// The most values of one field that filters find.
const VALUES_MAX: usize = 100;

impl LiveSite {
    /// Opens an entry of a collection; returns false if none has this id.
    pub async fn open_record(&mut self, id: RecordId) -> Result<bool, StoreError> {
        if self.site().records.contains_key(&id) {
            return Ok(true);
        }
        let mut read = self.store.read().await?;
        let is_there = self.open_record_with(&mut read, id).await?;
        read.rollback().await?;
        Ok(is_there)
    }

    pub(super) async fn open_record_with(
        &mut self,
        connection: &mut AnyConnection,
        id: RecordId,
    ) -> Result<bool, StoreError> {
        if self.site().records.contains_key(&id) {
            return Ok(true);
        }
        let Some(open) = stored_record(connection, &self.id, id).await? else {
            return Ok(false);
        };
        // The row may be newer than the replica, because another node has written it since.
        let at = open.rev.max(self.seq());
        let replica = &mut self.live.replica;
        replica.open_record(id, open, at).map_err(log::astray)?;
        Ok(true)
    }

    /// The entries that fit a query.
    pub async fn entries(&self, query: &EntryQuery) -> Result<EntryList, StoreError> {
        let Self { store, id, .. } = self;
        store.entries_in(self.entry_state, id, query).await
    }

    /// The entries with these ids; those that do not exist are left out.
    pub async fn entries_with_ids(&self, ids: &[RecordId]) -> Result<Vec<EntryRow>, StoreError> {
        let Self { store, id, .. } = self;
        store.entries_with_ids_in(self.entry_state, id, ids).await
    }

    /// The rows that a loop shows at a time, as bindings see them.
    pub async fn rows(&self, query: &RowQuery, now: Timestamp) -> Result<Vec<Value>, StoreError> {
        if query.source == "site.media" {
            return self.store.media_rows(&self.id, query).await;
        }
        let Some(wanted) = self.site().entry_query(query, now.millis()) else {
            return Ok(Vec::new());
        };
        let list = self.entries(&wanted).await?;
        let rows = list.rows.iter();
        Ok(rows.map(|row| self.site().entry_row(row)).collect())
    }

    /// The address of an entry or a file that something refers to; none if visitors do not see it.
    pub async fn address(
        &self,
        target: &Reference,
        now: Timestamp,
    ) -> Result<Option<String>, StoreError> {
        let id = match target {
            Reference::Entry { id } => id,
            Reference::Media { id } => {
                let found = self.store.media(&MediaId::from(id.clone())).await?;
                let found = found.filter(|row| row.site == self.id);
                return Ok(found.map(|row| row.url()));
            }
            Reference::Page { .. } => return Ok(None),
        };
        let Ok(id) = id.parse() else {
            return Ok(None);
        };
        let query = EntryQuery {
            filter: EntryFilter {
                id: Some(id),
                ..EntryFilter::default()
            },
            limit: 1,
            ..EntryQuery::default()
        };
        let list = self.entries(&query).await?;
        let row = list.rows.first();
        Ok(row.and_then(|row| self.site().entry_address(row, now.millis())))
    }

    /// Writes the rows of the entries that a change touched: as they are now, or into the bin.
    pub(super) async fn write_records(
        &self,
        write: &mut AnyConnection,
        applied: &Applied,
        seq: u64,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let touched = touched_records(applied);
        let mut before = BTreeMap::new();
        // All rows are taken out before the first one is written, so that two entries can swap their slugs.
        for id in &touched {
            before.insert(*id, take_row(write, &self.id, *id).await?);
        }
        for id in touched {
            let row = RecordRow {
                site: &self.id,
                id,
                times: before.get(&id).copied().flatten(),
                now,
            };
            match self.site().records.get(&id) {
                Some(open) => row.write(write, &open.record, seq).await?,
                None => {
                    row.search_key(&id.to_string()).remove(write).await?;
                    if let Some(record) = removed(applied, id) {
                        row.write_to_bin(write, record).await?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Gives a site from before there was content its first collections and menus.
    pub(super) async fn begin_content(&mut self) -> Result<(), StoreError> {
        let id = ChangeId::of_call("content", self.id.as_str());
        let change = Change {
            ops: content_ops(id.clone()),
            id,
            author: Author::Local,
            turn: None,
            summary: "Add a blog and menus".to_owned(),
            expects: Vec::new(),
            format: FORMAT,
        };
        let stamp = Stamp::local(Timestamp::now());
        let by = Committer::new(Author::Local, CapabilitySet::all(), stamp);
        match self.commit(&change, &by).await {
            Ok(_) => {}
            Err(CommitError::Store(error)) => return Err(error),
            // A site without a blog is better than one that does not open.
            Err(refused) => {
                tracing::warn!(site = %self.id, reason = %refused, "the site got no first collections");
            }
        }
        let mut write = self.store.write().await?;
        mark_content_begun(&mut write, &self.id).await?;
        write.commit().await?;
        Ok(())
    }
}

/// Records that a site has its first collections and menus, so that they do not come back when people delete them.
pub(super) async fn mark_content_begun(
    write: &mut AnyConnection,
    site: &SiteId,
) -> Result<(), StoreError> {
    sqlx::query("UPDATE site_logs SET content_begun = 1 WHERE site_id = $1")
        .bind(site.as_str())
        .execute(write)
        .await?;
    Ok(())
}

/// Whether a site has its first collections and menus.
pub(super) async fn has_content_begun(
    connection: &mut AnyConnection,
    site: &SiteId,
) -> Result<bool, StoreError> {
    let row = sqlx::query("SELECT content_begun FROM site_logs WHERE site_id = $1")
        .bind(site.as_str())
        .fetch_one(connection)
        .await?;
    Ok(row.try_get::<i64, _>("content_begun")? != 0)
}

/// The entries that contain a text, which must not contain LIKE wildcards. Documents of entries have no index, so every one is read;
/// this is for deleting a file, which happens rarely.
pub(super) async fn mentions(
    connection: &mut AnyConnection,
    site: &SiteId,
    text: &str,
) -> Result<Vec<Mention>, StoreError> {
    let rows = sqlx::query(
        "SELECT title FROM content_entries WHERE site_id = $1 AND document LIKE $2 \
         UNION SELECT title FROM published_entries WHERE site_id = $1 AND document LIKE $2 ORDER BY title LIMIT 100",
    )
    .bind(site.as_str())
    .bind(format!("%{text}%"))
    .fetch_all(connection)
    .await?;
    let titles = rows.iter().map(|row| row.try_get::<String, _>("title"));
    titles
        .map(|title| {
            Ok(Mention {
                document: None,
                name: format!("Entry {}", title?),
            })
        })
        .collect()
}

/// The entries that ops touched.
pub(super) fn touched_records(applied: &Applied) -> BTreeSet<RecordId> {
    let scopes = applied.done.iter().map(|done| done.op.scope());
    scopes.filter_map(|scope| scope.record()).collect()
}

/// An entry as its row has it.
pub(super) async fn stored_record(
    connection: &mut AnyConnection,
    site: &SiteId,
    id: RecordId,
) -> Result<Option<OpenRecord>, StoreError> {
    let row = sqlx::query(
        "SELECT seq, format, document FROM content_entries WHERE site_id = $1 AND id = $2",
    )
    .bind(site.as_str())
    .bind(id.to_string())
    .fetch_optional(connection)
    .await?;
    row.map(|row| {
        Ok(OpenRecord {
            record: log::stored(&row, "document")?,
            rev: log::number(&row, "seq")?,
        })
    })
    .transpose()
}

/// What an entry was when ops removed it.
fn removed(applied: &Applied, id: RecordId) -> Option<&Record> {
    applied.done.iter().rev().find_map(|done| match &done.was {
        PriorState::Removed(new) => match &**new {
            NewEntity::Record { id: gone, record } if *gone == id => Some(&**record),
            _ => None,
        },
        _ => None,
    })
}

/// When an entry was created and published.
#[derive(Clone, Copy)]
struct RecordTimes {
    created_at: i64,
    published_at: i64,
}

/// Takes the row of an entry out, with what filters find of it.
async fn take_row(
    write: &mut AnyConnection,
    site: &SiteId,
    id: RecordId,
) -> Result<Option<RecordTimes>, StoreError> {
    let row = sqlx::query(
        "DELETE FROM content_entries WHERE site_id = $1 AND id = $2 RETURNING created_at, published_at, collection_id, status",
    )
    .bind(site.as_str())
    .bind(id.to_string())
    .fetch_optional(&mut *write)
    .await?;
    let Some(row) = row else { return Ok(None) };
    let count = EntryCount {
        site,
        collection: row.try_get("collection_id")?,
        status: row.try_get("status")?,
    };
    count.add(write, -1).await?;
    sqlx::query("DELETE FROM content_values WHERE site_id = $1 AND entry_id = $2")
        .bind(site.as_str())
        .bind(id.to_string())
        .execute(write)
        .await?;
    Ok(Some(times(&row)?))
}

fn times(row: &sqlx::any::AnyRow) -> Result<RecordTimes, StoreError> {
    Ok(RecordTimes {
        created_at: row.try_get("created_at")?,
        published_at: row.try_get("published_at")?,
    })
}

/// The number of entries of a collection that have a status.
struct EntryCount<'a> {
    site: &'a SiteId,
    collection: String,
    status: String,
}

impl EntryCount<'_> {
    async fn add(self, write: &mut AnyConnection, entries: i64) -> Result<(), StoreError> {
        sqlx::query(
            "INSERT INTO content_counts (site_id, collection_id, status, entries) VALUES ($1, $2, $3, $4) \
             ON CONFLICT (site_id, collection_id, status) DO UPDATE SET entries = content_counts.entries + EXCLUDED.entries",
        )
        .bind(self.site.as_str())
        .bind(self.collection)
        .bind(self.status)
        .bind(entries)
        .execute(write)
        .await?;
        Ok(())
    }
}

/// A row that is to be written.
struct RecordRow<'a> {
    site: &'a SiteId,
    id: RecordId,
    /// The times of the row before; none for an entry that was not there.
    times: Option<RecordTimes>,
    now: Timestamp,
}

impl RecordRow<'_> {
    async fn write(
        &self,
        write: &mut AnyConnection,
        record: &Record,
        seq: u64,
    ) -> Result<(), StoreError> {
        // An entry that comes back from the bin keeps the times it had.
        let times = match self.times {
            Some(times) => Some(times),
            None => self.take_from_bin(write).await?,
        };
        let now = self.now.millis();
        let published_at = match (
            record.publish_at,
            times.map_or(0, |times| times.published_at),
        ) {
            (Some(at), _) => at,
            (None, 0) if record.status == EntryStatus::Published => now,
            (None, first) => first,
        };
        sqlx::query(
            "INSERT INTO content_entries (site_id, id, collection_id, slug, locale, status, title, publish_at, unpublish_at, \
             published_at, sort_order, created_at, updated_at, seq, format, document, translation_of) \
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)",
        )
        .bind(self.site.as_str())
        .bind(self.id.to_string())
        .bind(record.collection.to_string())
        .bind(&record.slug)
        .bind(record.locale.as_deref().unwrap_or_default())
        .bind(record.status.as_str())
        .bind(&record.title)
        .bind(record.publish_at)
        .bind(record.unpublish_at)
        .bind(published_at)
        .bind(record.sort_order)
        .bind(times.map_or(now, |times| times.created_at))
        .bind(now)
        .bind(log::signed(seq))
        .bind(i64::from(FORMAT))
        .bind(log::written(record)?)
        .bind(record.translation_of.map_or_else(String::new, |id| id.to_string()))
        .execute(&mut *write)
        .await?;
        let count = EntryCount {
            site: self.site,
            collection: record.collection.to_string(),
            status: record.status.as_str().to_owned(),
        };
        count.add(write, 1).await?;
        let words = words_of_entry(record);
        self.search_key(&self.id.to_string())
            .write(write, &words)
            .await?;
        for (field, value) in short_values(record) {
            sqlx::query("INSERT INTO content_values (site_id, entry_id, field_id, value) VALUES ($1, $2, $3, $4)")
                .bind(self.site.as_str())
                .bind(self.id.to_string())
                .bind(field.to_string())
                .bind(value)
                .execute(&mut *write)
                .await?;
        }
        Ok(())
    }

    fn search_key<'k>(&'k self, id: &'k str) -> SearchKey<'k> {
        SearchKey {
            site: self.site,
            kind: SearchKind::Entry,
            id,
        }
    }

    async fn take_from_bin(
        &self,
        write: &mut AnyConnection,
    ) -> Result<Option<RecordTimes>, StoreError> {
        let row = sqlx::query(
            "DELETE FROM content_bin WHERE site_id = $1 AND id = $2 RETURNING created_at, published_at",
        )
        .bind(self.site.as_str())
        .bind(self.id.to_string())
        .fetch_optional(write)
        .await?;
        row.as_ref().map(times).transpose()
    }

    async fn write_to_bin(
        &self,
        write: &mut AnyConnection,
        record: &Record,
    ) -> Result<(), StoreError> {
        // One that came and went within a change was never there.
        let Some(times) = self.times else {
            return Ok(());
        };
        sqlx::query(
            "INSERT INTO content_bin (site_id, id, collection_id, slug, title, published_at, created_at, removed_at, format, document) \
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
        )
        .bind(self.site.as_str())
        .bind(self.id.to_string())
        .bind(record.collection.to_string())
        .bind(&record.slug)
        .bind(&record.title)
        .bind(times.published_at)
        .bind(times.created_at)
        .bind(self.now.millis())
        .bind(i64::from(FORMAT))
        .bind(log::written(record)?)
        .execute(write)
        .await?;
        Ok(())
    }
}

/// The values that filters find: words, numbers and what an entry refers to.
fn short_values(record: &Record) -> BTreeSet<(FieldId, String)> {
    let mut values = BTreeSet::new();
    for (field, value) in &record.values {
        let several = value.as_array().map(Vec::as_slice);
        let single = std::slice::from_ref(value);
        for one in several.unwrap_or(single).iter().take(VALUES_MAX) {
            let text = match one {
                Value::String(text) => text.clone(),
                Value::Number(number) => number.to_string(),
                Value::Bool(yes) => yes.to_string(),
                Value::Null | Value::Array(_) | Value::Object(_) => continue,
            };
            if text.len() <= VALUE_MAX {
                values.insert((*field, text));
            }
        }
    }
    values
}

//! Records: creating, reading, replacing, deleting and listing them.

use std::time::Duration;

use sitewright_tool::Taint;
use sqlx::Row;
use sqlx::any::AnyRow;

use super::events::{EventKind, NewEvent, add_event};
use super::runs::{NewBreadcrumbRun, insert_run};
use super::{
    Breadcrumb, BreadcrumbFilter, BreadcrumbPage, BreadcrumbReader, CONFIG_SCHEMA,
    CreatedBreadcrumb, IdempotencyKey, Sensitivity, Visibility,
};
use crate::audit::Record;
use crate::conditions::{Conditions, SqlValue};
use crate::database::Write;
use crate::documents::{BREADCRUMBS, announce_on};
use crate::quotas::Limit;
use crate::stored_json::stored_json;
use crate::{Actor, BreadcrumbId, RetentionClock, SiteId, Stamp, Store, StoreError, Timestamp};

/// The most records of a site.
const RECORDS: Limit = Limit {
    most: 5_000_000,
    what: "breadcrumbs",
    setting: "breadcrumbs_max",
    remedy: "delete some, or give them a ttl",
};
pub(super) const COLUMNS: &str = "b.id, b.site_id, b.owner, b.schema_name, b.seq, b.created_by, b.created_at, b.expires_at, \
     v.version, v.title, v.tags, v.context, v.visibility, v.sensitivity, v.ttl, v.tainted, v.updated_by, v.updated_at";

impl Store {
    /// Stores a new record, its event and, if it makes tool requests, its run, all or nothing.
    pub async fn create_breadcrumb(
        &self,
        new: &Breadcrumb,
        run: Option<&NewBreadcrumbRun>,
        key: Option<IdempotencyKey<'_>>,
    ) -> Result<CreatedBreadcrumb, StoreError> {
        let mut write = self.write().await?;
        if let Some(key) = key
            && let Some(found) = by_key(&mut write, new, key).await?
        {
            write.rollback().await?;
            return Ok(found);
        }
        let inserted = insert(&mut write, new, key).await;
        let record = match inserted {
            // On Postgres, a concurrent request with the same key may have been first.
            Err(StoreError::Database(sqlx::Error::Database(error)))
                if key.is_some() && error.is_unique_violation() =>
            {
                drop(write);
                let mut write = self.write().await?;
                let key = key.ok_or(StoreError::Corrupt { what: "breadcrumb" })?;
                let found = by_key(&mut write, new, key).await?;
                write.rollback().await?;
                return found.ok_or(StoreError::Corrupt { what: "breadcrumb" });
            }
            other => other?,
        };
        if let Some(run) = run {
            insert_run(&mut write, &record, run).await?;
        }
        self.commit_breadcrumbs(write, &record.site).await?;
        Ok(CreatedBreadcrumb::New(record))
    }

    /// Commits and wakes everyone who follows the site's records.
    pub(super) async fn commit_breadcrumbs(
        &self,
        mut write: Write,
        site: &SiteId,
    ) -> Result<(), StoreError> {
        announce_on(BREADCRUMBS, self, &mut write, site).await?;
        self.commit(write).await?;
        self.breadcrumb_bell.ring(site);
        Ok(())
    }

    /// One record in its current version.
    pub async fn breadcrumb(
        &self,
        reader: BreadcrumbReader<'_>,
        id: &BreadcrumbId,
    ) -> Result<Breadcrumb, StoreError> {
        let mut versions = self.breadcrumb_versions(reader, id, true).await?;
        versions
            .pop()
            .ok_or(StoreError::NotFound { what: "breadcrumb" })
    }

    /// Every version of a record, the oldest first.
    pub async fn breadcrumb_history(
        &self,
        reader: BreadcrumbReader<'_>,
        id: &BreadcrumbId,
    ) -> Result<Vec<Breadcrumb>, StoreError> {
        // A version may have been visible to more people than the record is, and to models.
        let current = self.breadcrumb(reader, id).await?;
        let mut versions = self.breadcrumb_versions(reader, id, false).await?;
        for version in &mut versions {
            version.sensitivity = version.sensitivity.max(current.sensitivity);
        }
        Ok(versions)
    }

    async fn breadcrumb_versions(
        &self,
        reader: BreadcrumbReader<'_>,
        id: &BreadcrumbId,
        only_current: bool,
    ) -> Result<Vec<Breadcrumb>, StoreError> {
        let current = match only_current {
            true => "AND v.version = b.version",
            false => "",
        };
        let sql = format!(
            "SELECT {COLUMNS} FROM breadcrumbs b JOIN breadcrumb_versions v ON v.breadcrumb_id = b.id {current} \
             WHERE b.site_id = $1 AND b.id = $2 AND (b.expires_at IS NULL OR b.expires_at > $3) \
             AND (v.visibility <> 'private' OR b.owner = $4 OR $5 = 1) ORDER BY v.version"
        );
        let rows = sqlx::query(sqlx::AssertSqlSafe(sql))
            .bind(reader.site.as_str())
            .bind(id.as_str())
            .bind(reader.now.millis())
            .bind(reader.owner.unwrap_or_default())
            .bind(i64::from(reader.owner.is_none()))
            .fetch_all(self.reader())
            .await?;
        rows.iter().map(record).collect()
    }

    /// Replaces the content of a record whose current version is still `changed.version`, and counts it up. Returns `None`, and changes
    /// nothing, if the record has another version by now.
    pub async fn replace_breadcrumb(
        &self,
        changed: &Breadcrumb,
        by: &Stamp,
    ) -> Result<Option<Breadcrumb>, StoreError> {
        let mut write = self.write().await?;
        let replaced = sqlx::query(
            "UPDATE breadcrumbs SET version = version + 1, expires_at = $1, search = $2 \
             WHERE site_id = $3 AND id = $4 AND version = $5",
        )
        .bind(changed.expires_at.map(Timestamp::millis))
        .bind(&changed.search)
        .bind(changed.site.as_str())
        .bind(changed.id.as_str())
        .bind(changed.version)
        .execute(&mut *write)
        .await?;
        if replaced.rows_affected() == 0 {
            write.rollback().await?;
            return Ok(None);
        }
        let record = Breadcrumb {
            version: changed.version + 1,
            updated_by: by.actor.clone(),
            updated_at: by.at,
            ..changed.clone()
        };
        insert_version(&mut write, &record).await?;
        sqlx::query("DELETE FROM breadcrumb_tags WHERE breadcrumb_id = $1")
            .bind(record.id.as_str())
            .execute(&mut *write)
            .await?;
        insert_tags(&mut write, &record).await?;
        add_event(
            &mut write,
            NewEvent::about(&record, EventKind::Updated),
            by.at,
        )
        .await?;
        audit(&mut write, &record, "breadcrumb.config_changed", by).await?;
        self.commit_breadcrumbs(write, &record.site).await?;
        Ok(Some(record))
    }

    /// Deletes a record with its versions; its events stay, without content.
    pub async fn delete_breadcrumb(
        &self,
        record: &Breadcrumb,
        by: &Stamp,
    ) -> Result<(), StoreError> {
        let mut write = self.write().await?;
        remove(&mut write, &record.id).await?;
        add_event(
            &mut write,
            NewEvent::about(record, EventKind::Deleted),
            by.at,
        )
        .await?;
        audit(&mut write, record, "breadcrumb.config_deleted", by).await?;
        self.commit_breadcrumbs(write, &record.site).await
    }

    /// Lists records. A private record of somebody else is never listed, and one that must not be searched is not found by text.
    pub async fn breadcrumbs(
        &self,
        reader: BreadcrumbReader<'_>,
        filter: BreadcrumbFilter<'_>,
    ) -> Result<BreadcrumbPage, StoreError> {
        let mut conditions = listed(reader, filter);
        let order = match filter.newest_first {
            true => "DESC",
            false => "ASC",
        };
        let limit = conditions.place(SqlValue::Number(i64::from(filter.limit) + 1));
        let sql = format!(
            "SELECT {COLUMNS} FROM breadcrumbs b JOIN breadcrumb_versions v ON v.breadcrumb_id = b.id AND v.version = b.version \
             WHERE {} ORDER BY b.seq {order} LIMIT {limit}",
            conditions.sql
        );
        let rows = conditions.bound(&sql).fetch_all(self.reader()).await?;
        let mut breadcrumbs: Vec<Breadcrumb> = rows.iter().map(record).collect::<Result<_, _>>()?;
        let has_more = breadcrumbs.len() > usize::from(filter.limit);
        breadcrumbs.truncate(usize::from(filter.limit));
        let next = breadcrumbs.last().map(|last| last.seq);
        Ok(BreadcrumbPage {
            next: next.filter(|_| has_more),
            breadcrumbs,
        })
    }

    /// Deletes records whose time is over, events and runs older than `age`, as far as the clock can be trusted. Returns how many records.
    pub async fn forget_breadcrumbs(
        &self,
        clock: &RetentionClock,
        age: Duration,
    ) -> Result<u64, StoreError> {
        let (Some(now), Some(before)) = (clock.cutoff(Duration::ZERO), clock.cutoff(age)) else {
            return Ok(0);
        };
        let mut write = self.write().await?;
        let rows = sqlx::query(
            "SELECT id FROM breadcrumbs WHERE expires_at < $1 ORDER BY expires_at LIMIT 10000",
        )
        .bind(now.millis())
        .fetch_all(&mut *write)
        .await?;
        for row in &rows {
            let id: String = row.try_get("id")?;
            remove(&mut write, &BreadcrumbId::from(id)).await?;
        }
        for sql in [
            "DELETE FROM breadcrumb_events WHERE at < $1",
            "DELETE FROM breadcrumb_requests WHERE breadcrumb_id IN (SELECT breadcrumb_id FROM breadcrumb_runs WHERE due IS NULL AND at < $1)",
            "DELETE FROM breadcrumb_runs WHERE due IS NULL AND at < $1",
            "DELETE FROM workflow_runs WHERE ended_at < $1",
        ] {
            sqlx::query(sql)
                .bind(before.millis())
                .execute(&mut *write)
                .await?;
        }
        write.commit().await?;
        Ok(u64::try_from(rows.len()).unwrap_or(u64::MAX))
    }
}

/// The conditions on `breadcrumbs b` and its current version `v`.
fn listed(reader: BreadcrumbReader<'_>, filter: BreadcrumbFilter<'_>) -> Conditions {
    let text = |text: &str| SqlValue::Text(text.to_owned());
    let mut listed = Conditions::default();
    // The site is the first value: `$1` below.
    listed.and("b.site_id = ", text(reader.site.as_str()));
    let now = listed.place(SqlValue::Number(reader.now.millis()));
    listed.condition(&format!("(b.expires_at IS NULL OR b.expires_at > {now})"));
    if let Some(owner) = reader.owner {
        let owner = listed.place(text(owner));
        listed.condition(&format!("(v.visibility <> 'private' OR b.owner = {owner})"));
    }
    if let Some(schema_name) = filter.schema_name {
        listed.and("b.schema_name = ", text(schema_name));
    }
    for tag in filter.tags {
        let tag = listed.place(text(tag));
        listed.condition(&format!(
            "b.seq IN (SELECT t.seq FROM breadcrumb_tags t WHERE t.site_id = $1 AND t.tag = {tag})"
        ));
    }
    if let Some(words) = filter.text {
        let pattern = listed.place(text(&crate::media::holding(words)));
        listed.condition(&format!("b.search LIKE {pattern} ESCAPE '!'"));
    }
    if let Some(after) = filter.after {
        let beyond = match filter.newest_first {
            true => "b.seq < ",
            false => "b.seq > ",
        };
        listed.and(beyond, SqlValue::Number(after));
    }
    listed
}

/// The record that was created with this key.
async fn by_key(
    write: &mut Write,
    new: &Breadcrumb,
    key: IdempotencyKey<'_>,
) -> Result<Option<CreatedBreadcrumb>, StoreError> {
    let sql = format!(
        "SELECT {COLUMNS}, b.key_digest FROM breadcrumbs b JOIN breadcrumb_versions v ON v.breadcrumb_id = b.id AND v.version = 1 \
         WHERE b.site_id = $1 AND b.owner = $2 AND b.idempotency_key = $3"
    );
    let row = sqlx::query(sqlx::AssertSqlSafe(sql))
        .bind(new.site.as_str())
        .bind(&new.owner)
        .bind(key.key)
        .fetch_optional(&mut **write)
        .await?;
    let Some(row) = row else {
        return Ok(None);
    };
    let digest: Option<String> = row.try_get("key_digest")?;
    Ok(Some(match digest.as_deref() == Some(key.digest) {
        true => CreatedBreadcrumb::Repeated(record(&row)?),
        false => CreatedBreadcrumb::KeyTaken,
    }))
}

/// Inserts a record in its first version, with its event; returns it with its sequence number.
pub(super) async fn insert(
    write: &mut Write,
    new: &Breadcrumb,
    key: Option<IdempotencyKey<'_>>,
) -> Result<Breadcrumb, StoreError> {
    let event = NewEvent::about(new, EventKind::Created);
    let seq = add_event(write, event, new.created_at).await?;
    // Counting costs more with every record, so only one of a thousand counts.
    if seq % 1000 == 0 {
        let sql = "SELECT COUNT(*) AS used FROM breadcrumbs WHERE site_id = $1 AND id <> $2";
        RECORDS
            .check_rows(&mut *write, sql, &new.site, new.id.as_str())
            .await?;
    }
    let record = Breadcrumb {
        seq,
        version: 1,
        ..new.clone()
    };
    sqlx::query(
        "INSERT INTO breadcrumbs (id, site_id, owner, schema_name, version, seq, created_by, created_at, expires_at, search, \
         idempotency_key, key_digest) VALUES ($1, $2, $3, $4, 1, $5, $6, $7, $8, $9, $10, $11)",
    )
    .bind(record.id.as_str())
    .bind(record.site.as_str())
    .bind(&record.owner)
    .bind(&record.schema_name)
    .bind(record.seq)
    .bind(record.created_by.to_string())
    .bind(record.created_at.millis())
    .bind(record.expires_at.map(Timestamp::millis))
    .bind(&record.search)
    .bind(key.map(|key| key.key))
    .bind(key.map(|key| key.digest))
    .execute(&mut **write)
    .await?;
    insert_version(write, &record).await?;
    insert_tags(write, &record).await?;
    let by = Stamp {
        actor: record.created_by.clone(),
        at: record.created_at,
    };
    audit(write, &record, "breadcrumb.config_created", &by).await?;
    Ok(record)
}

async fn insert_version(write: &mut Write, record: &Breadcrumb) -> Result<(), StoreError> {
    let tags = serde_json::to_string(&record.tags).map_err(|_unwritable| StoreError::Unstorable)?;
    sqlx::query(
        "INSERT INTO breadcrumb_versions (breadcrumb_id, version, title, tags, context, visibility, sensitivity, ttl, tainted, \
         updated_by, updated_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
    )
    .bind(record.id.as_str())
    .bind(record.version)
    .bind(&record.title)
    .bind(tags)
    .bind(record.context.to_string())
    .bind(record.visibility.as_str())
    .bind(record.sensitivity.as_str())
    .bind(record.ttl)
    .bind(i64::from(record.taint == Taint::Untrusted))
    .bind(record.updated_by.to_string())
    .bind(record.updated_at.millis())
    .execute(&mut **write)
    .await?;
    Ok(())
}

async fn insert_tags(write: &mut Write, record: &Breadcrumb) -> Result<(), StoreError> {
    for tag in &record.tags {
        sqlx::query(
            "INSERT INTO breadcrumb_tags (site_id, tag, seq, breadcrumb_id) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING",
        )
        .bind(record.site.as_str())
        .bind(tag)
        .bind(record.seq)
        .bind(record.id.as_str())
        .execute(&mut **write)
        .await?;
    }
    Ok(())
}

async fn remove(write: &mut Write, id: &BreadcrumbId) -> Result<(), StoreError> {
    for sql in [
        "DELETE FROM breadcrumb_tags WHERE breadcrumb_id = $1",
        "DELETE FROM breadcrumb_versions WHERE breadcrumb_id = $1",
        "DELETE FROM breadcrumbs WHERE id = $1",
    ] {
        sqlx::query(sql)
            .bind(id.as_str())
            .execute(&mut **write)
            .await?;
    }
    Ok(())
}

async fn audit(
    write: &mut Write,
    record: &Breadcrumb,
    action: &'static str,
    by: &Stamp,
) -> Result<(), StoreError> {
    if record.schema_name != CONFIG_SCHEMA {
        return Ok(());
    }
    Record::of(action)
        .on(&record.site)
        .about(record.id.as_str())
        .save(write, by)
        .await
}

pub(super) fn record(row: &AnyRow) -> Result<Breadcrumb, StoreError> {
    const CORRUPT: StoreError = StoreError::Corrupt { what: "breadcrumb" };
    let text = |column: &str| row.try_get::<String, _>(column);
    let actor =
        |column: &str| -> Result<Actor, StoreError> { Actor::parse(&text(column)?).ok_or(CORRUPT) };
    let expires_at: Option<i64> = row.try_get("expires_at")?;
    let tainted: i64 = row.try_get("tainted")?;
    Ok(Breadcrumb {
        id: BreadcrumbId::from(text("id")?),
        site: SiteId::from(text("site_id")?),
        owner: text("owner")?,
        schema_name: text("schema_name")?,
        title: text("title")?,
        tags: serde_json::from_str(&text("tags")?).map_err(|_unreadable| CORRUPT)?,
        context: stored_json(&text("context")?),
        version: row.try_get("version")?,
        visibility: Visibility::parse(&text("visibility")?).ok_or(CORRUPT)?,
        sensitivity: Sensitivity::parse(&text("sensitivity")?).ok_or(CORRUPT)?,
        ttl: row.try_get("ttl")?,
        expires_at: expires_at.map(Timestamp::from_millis),
        taint: match tainted {
            0 => Taint::Trusted,
            _ => Taint::Untrusted,
        },
        seq: row.try_get("seq")?,
        created_by: actor("created_by")?,
        created_at: Timestamp::from_millis(row.try_get("created_at")?),
        updated_by: actor("updated_by")?,
        updated_at: Timestamp::from_millis(row.try_get("updated_at")?),
        search: String::new(),
    })
}

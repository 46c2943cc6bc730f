//! The events of a site's records, in one order.

use serde_json::Value;
use sqlx::Row;
use sqlx::any::AnyRow;

use super::records::{COLUMNS, record};
use super::{Breadcrumb, BreadcrumbReader, Sensitivity, Visibility};
use crate::database::Write;
use crate::{BreadcrumbId, SiteId, Store, StoreError, Timestamp};

/// What happened to a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EventKind {
    Created,
    Updated,
    Deleted,
    /// A tool request of the record waits for a person's approval.
    Waiting,
}

impl EventKind {
    const ALL: [Self; 4] = [Self::Created, Self::Updated, Self::Deleted, Self::Waiting];

    /// Its name in rows and streams.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Updated => "updated",
            Self::Deleted => "deleted",
            Self::Waiting => "waiting",
        }
    }
}

/// An event, with the record as that version left it.
#[derive(Debug, Clone, PartialEq)]
pub struct BreadcrumbEvent {
    pub seq: i64,
    pub kind: EventKind,
    pub id: BreadcrumbId,
    pub version: i64,
    pub schema_name: String,
    pub tags: Vec<String>,
    pub at: Timestamp,
    pub detail: Option<Value>,
    /// `None` once the record is deleted.
    pub breadcrumb: Option<Breadcrumb>,
}

/// An event that is about to be added.
pub(super) struct NewEvent<'a> {
    pub(super) record: &'a Breadcrumb,
    pub(super) kind: EventKind,
    pub(super) detail: Option<&'a Value>,
}

impl<'a> NewEvent<'a> {
    pub(super) fn about(record: &'a Breadcrumb, kind: EventKind) -> Self {
        Self {
            record,
            kind,
            detail: None,
        }
    }
}

/// Adds an event and returns its number. From here to the commit, no other event of the site can be added.
pub(super) async fn add_event(
    write: &mut Write,
    event: NewEvent<'_>,
    at: Timestamp,
) -> Result<i64, StoreError> {
    let NewEvent {
        record,
        kind,
        detail,
    } = event;
    let row = sqlx::query(
        "INSERT INTO breadcrumb_logs (site_id, seq) VALUES ($1, 1) \
         ON CONFLICT (site_id) DO UPDATE SET seq = breadcrumb_logs.seq + 1 RETURNING seq",
    )
    .bind(record.site.as_str())
    .fetch_one(&mut **write)
    .await?;
    let seq: i64 = row.try_get("seq")?;
    let tags = serde_json::to_string(&record.tags).map_err(|_unwritable| StoreError::Unstorable)?;
    sqlx::query(
        "INSERT INTO breadcrumb_events (site_id, seq, kind, breadcrumb_id, version, schema_name, owner, visibility, tags, detail, at) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
    )
    .bind(record.site.as_str())
    .bind(seq)
    .bind(kind.as_str())
    .bind(record.id.as_str())
    .bind(record.version.max(1))
    .bind(&record.schema_name)
    .bind(&record.owner)
    .bind(record.visibility.as_str())
    .bind(tags)
    .bind(detail.map(Value::to_string))
    .bind(at.millis())
    .execute(&mut **write)
    .await?;
    Ok(seq)
}

impl Store {
    /// The events after a number, the oldest first. Returns `None` if events after it have been deleted already. Events that the reader
    /// may not see leave gaps in the numbers.
    pub async fn breadcrumb_events(
        &self,
        reader: BreadcrumbReader<'_>,
        after: i64,
        limit: u16,
    ) -> Result<Option<Vec<BreadcrumbEvent>>, StoreError> {
        let first =
            sqlx::query("SELECT MIN(seq) AS first FROM breadcrumb_events WHERE site_id = $1")
                .bind(reader.site.as_str())
                .fetch_one(self.reader())
                .await?;
        let first: Option<i64> = first.try_get("first")?;
        if first.is_some_and(|first| after.saturating_add(1) < first) && after > 0 {
            return Ok(None);
        }
        let sql = format!(
            "SELECT e.seq AS event_seq, e.kind, e.breadcrumb_id, e.version AS event_version, e.schema_name AS event_schema, \
             e.tags AS event_tags, e.detail, e.at, c.sensitivity AS current_sensitivity, c.visibility AS current_visibility, \
             {COLUMNS} FROM breadcrumb_events e \
             LEFT JOIN breadcrumbs b ON b.id = e.breadcrumb_id \
             LEFT JOIN breadcrumb_versions c ON c.breadcrumb_id = b.id AND c.version = b.version \
             LEFT JOIN breadcrumb_versions v ON v.breadcrumb_id = b.id AND v.version = e.version \
             WHERE e.site_id = $1 AND e.seq > $2 AND (e.visibility <> 'private' OR e.owner = $3 OR $4 = 1) \
             ORDER BY e.seq LIMIT $5"
        );
        let rows = sqlx::query(sqlx::AssertSqlSafe(sql))
            .bind(reader.site.as_str())
            .bind(after)
            .bind(reader.owner.unwrap_or_default())
            .bind(i64::from(reader.owner.is_none()))
            .bind(i64::from(limit))
            .fetch_all(self.reader())
            .await?;
        let events: Result<Vec<BreadcrumbEvent>, StoreError> =
            rows.iter().map(|row| event(row, reader)).collect();
        events.map(Some)
    }

    /// The number of a site's last event; 0 if there is none.
    pub async fn last_breadcrumb_event(&self, site: &SiteId) -> Result<i64, StoreError> {
        let row = sqlx::query("SELECT seq FROM breadcrumb_logs WHERE site_id = $1")
            .bind(site.as_str())
            .fetch_optional(self.reader())
            .await?;
        Ok(row.map(|row| row.try_get("seq")).transpose()?.unwrap_or(0))
    }

    /// Adds an event about something that happened to a tool request of a record.
    pub async fn tell_about_breadcrumb(
        &self,
        about: &Breadcrumb,
        kind: EventKind,
        detail: &Value,
    ) -> Result<(), StoreError> {
        let mut write = self.write().await?;
        let event = NewEvent {
            detail: Some(detail),
            ..NewEvent::about(about, kind)
        };
        add_event(&mut write, event, Timestamp::now()).await?;
        self.commit_breadcrumbs(write, &about.site).await
    }
}

fn event(row: &AnyRow, reader: BreadcrumbReader<'_>) -> Result<BreadcrumbEvent, StoreError> {
    const CORRUPT: StoreError = StoreError::Corrupt {
        what: "event of a breadcrumb",
    };
    let kind: String = row.try_get("kind")?;
    let kind = EventKind::ALL.into_iter().find(|one| one.as_str() == kind);
    let tags: String = row.try_get("event_tags")?;
    let detail: Option<String> = row.try_get("detail")?;
    let title: Option<String> = row.try_get("title")?;
    let stored = title.map(|_| stored_version(row)).transpose()?;
    let is_visible = |record: &Breadcrumb| {
        let is_mine = reader.owner.is_none_or(|owner| owner == record.owner);
        let is_there = record.expires_at.is_none_or(|at| at > reader.now);
        is_there && (is_mine || record.visibility != Visibility::Private)
    };
    Ok(BreadcrumbEvent {
        seq: row.try_get("event_seq")?,
        kind: kind.ok_or(CORRUPT)?,
        id: BreadcrumbId::from(row.try_get::<String, _>("breadcrumb_id")?),
        version: row.try_get("event_version")?,
        schema_name: row.try_get("event_schema")?,
        tags: serde_json::from_str(&tags).map_err(|_unreadable| CORRUPT)?,
        at: Timestamp::from_millis(row.try_get("at")?),
        detail: detail
            .map(|detail| serde_json::from_str(&detail))
            .transpose()
            .map_err(|_unreadable| CORRUPT)?,
        breadcrumb: stored.filter(is_visible),
    })
}

/// The version of an event, as guarded as its record is today: whoever made the record private or sensitive since meant all of it.
fn stored_version(row: &AnyRow) -> Result<Breadcrumb, StoreError> {
    const CORRUPT: StoreError = StoreError::Corrupt { what: "breadcrumb" };
    let mut version = record(row)?;
    let sensitivity: String = row.try_get("current_sensitivity")?;
    let visibility: String = row.try_get("current_visibility")?;
    let sensitivity = Sensitivity::parse(&sensitivity).ok_or(CORRUPT)?;
    version.sensitivity = version.sensitivity.max(sensitivity);
    if Visibility::parse(&visibility).ok_or(CORRUPT)? == Visibility::Private {
        version.visibility = Visibility::Private;
    }
    Ok(version)
}

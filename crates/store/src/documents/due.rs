//! When what visitors see of entries changes: which entries are to be released, and when.

use std::collections::BTreeSet;
use std::time::Duration;

use sitewright_site::{
    Applied, Entity, EntryStatus, NewEntity, Op, PriorState, Record, RecordId, Site,
};
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, Row};

use super::live::LiveSite;
use super::published;
use crate::{Actor, SiteId, Stamp, Store, StoreError, Timestamp};

/// The most entries of one release.
const CLAIMED_MAX: i64 = 500;

/// An entry that is to be released.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DueEntry {
    pub id: RecordId,
    pub due_at: Timestamp,
    /// Who decided it.
    pub actor: Actor,
}

impl LiveSite {
    /// Publishes the entries that a change published, archived, scheduled or deleted as the change leaves them, and records when they
    /// are to be released. What is released later is what was decided on here, whatever is edited in between.
    pub(super) async fn write_due(
        &self,
        write: &mut AnyConnection,
        applied: &Applied,
        by: &Stamp,
    ) -> Result<(), StoreError> {
        for id in self.decided(applied) {
            published::copy(write, &self.id, id).await?;
            sqlx::query("DELETE FROM content_due WHERE site_id = $1 AND entry_id = $2")
                .bind(self.id.as_str())
                .bind(id.to_string())
                .execute(&mut *write)
                .await?;
            let record = self.site().records.get(&id).map(|open| &open.record);
            for due_at in times(record, by.at) {
                sqlx::query(
                    "INSERT INTO content_due (site_id, entry_id, due_at, actor, claimed_until) VALUES ($1, $2, $3, $4, 0)",
                )
                .bind(self.id.as_str())
                .bind(id.to_string())
                .bind(due_at.millis())
                .bind(by.actor.to_string())
                .execute(&mut *write)
                .await?;
            }
        }
        Ok(())
    }

    /// The entries about whose visibility a change decided.
    fn decided(&self, applied: &Applied) -> BTreeSet<RecordId> {
        let done = applied.done.iter();
        let ids = done.filter_map(|done| decided_by(&done.op, &done.was, self.site()));
        ids.collect()
    }
}

fn decided_by(op: &Op, was: &PriorState, site: &Site) -> Option<RecordId> {
    let is_public = |record: &Record| record.status != EntryStatus::Draft;
    match op {
        Op::Put {
            entity: Entity::Record { id },
            field,
            ..
        } => {
            let open = site.records.get(id);
            let is_timed = || open.is_some_and(|open| is_public(&open.record));
            let decides = match field.as_str() {
                "status" => true,
                "publishAt" | "unpublishAt" => is_timed(),
                _ => false,
            };
            decides.then_some(*id)
        }
        Op::Insert { new } => match &**new {
            NewEntity::Record { id, record } if is_public(record) => Some(*id),
            _ => None,
        },
        Op::Remove { .. } => match was {
            PriorState::Removed(new) => match &**new {
                NewEntity::Record { id, record } if is_public(record) => Some(*id),
                _ => None,
            },
            _ => None,
        },
        Op::Put { .. } | Op::Place { .. } | Op::Order { .. } => None,
    }
}

/// When an entry is to be released: now, and when its schedule says so.
fn times(record: Option<&Record>, now: Timestamp) -> BTreeSet<Timestamp> {
    let published = record.filter(|record| record.status == EntryStatus::Published);
    let later = published
        .into_iter()
        .flat_map(|record| [record.publish_at, record.unpublish_at]);
    let later = later.flatten().map(Timestamp::from_millis);
    let mut times: BTreeSet<Timestamp> = later.filter(|at| *at > now).collect();
    times.insert(now);
    times
}

impl Store {
    /// Takes the entries that are to be released by now. Until the lease ends, nobody else gets them.
    pub async fn claim_due(
        &self,
        site: &SiteId,
        now: Timestamp,
        lease: Duration,
    ) -> Result<Vec<DueEntry>, StoreError> {
        let mut write = self.write().await?;
        let rows = sqlx::query(
            "UPDATE content_due SET claimed_until = $1 WHERE site_id = $2 AND due_at <= $3 AND claimed_until <= $3 \
             AND entry_id IN (SELECT entry_id FROM content_due WHERE site_id = $2 AND due_at <= $3 AND claimed_until <= $3 \
             ORDER BY due_at LIMIT $4) RETURNING entry_id, due_at, actor",
        )
        .bind(now.after(lease).millis())
        .bind(site.as_str())
        .bind(now.millis())
        .bind(CLAIMED_MAX)
        .fetch_all(&mut *write)
        .await?;
        write.commit().await?;
        rows.iter().map(due).collect()
    }

    /// Forgets entries that were released.
    pub async fn settle_due(&self, site: &SiteId, settled: &[DueEntry]) -> Result<(), StoreError> {
        let mut write = self.write().await?;
        for DueEntry { id, due_at, .. } in settled {
            sqlx::query(
                "DELETE FROM content_due WHERE site_id = $1 AND entry_id = $2 AND due_at = $3",
            )
            .bind(site.as_str())
            .bind(id.to_string())
            .bind(due_at.millis())
            .execute(&mut *write)
            .await?;
        }
        write.commit().await?;
        Ok(())
    }

    /// When an entry of a site is next to be released, or tried again.
    pub async fn next_due(&self, site: &SiteId) -> Result<Option<Timestamp>, StoreError> {
        let row = sqlx::query(
            "SELECT MIN(CASE WHEN claimed_until > due_at THEN claimed_until ELSE due_at END) AS next FROM content_due WHERE site_id = $1",
        )
        .bind(site.as_str())
        .fetch_one(self.reader())
        .await?;
        let next: Option<i64> = row.try_get("next")?;
        Ok(next.map(Timestamp::from_millis))
    }
}

fn due(row: &AnyRow) -> Result<DueEntry, StoreError> {
    let corrupt = || StoreError::Corrupt { what: "entry" };
    let (id, actor): (String, String) = (row.try_get("entry_id")?, row.try_get("actor")?);
    Ok(DueEntry {
        id: id.parse().map_err(|_bad| corrupt())?,
        due_at: Timestamp::from_millis(row.try_get("due_at")?),
        actor: Actor::parse(&actor).ok_or_else(corrupt)?,
    })
}

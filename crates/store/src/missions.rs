//! The rows of missions. Their state is the runtime's; this crate keeps it, and lets one process at a time change it.
//!
//! A row has a version. Whoever saves names the version it read, so that a process whose lease another has taken cannot overwrite what
//! the other did.

use std::time::Duration;

use serde_json::{Value, json};
use sqlx::Row;
use sqlx::any::AnyRow;

use crate::audit::Record;
use crate::{Actor, RetentionClock, RunQuery, SiteId, Stamp, Store, StoreError, Timestamp};

/// A mission as its row stores it.
#[derive(Debug, Clone, PartialEq)]
pub struct MissionRecord {
    /// The id of the call that started it.
    pub id: String,
    pub site: SiteId,
    pub actor: Actor,
    /// The state in words, for lists and the activity log.
    pub state: String,
    /// The whole state, for the runtime.
    pub body: Value,
    pub version: i64,
    /// The process that works on it.
    pub holder: String,
    /// When a process should look at it next; `None` once it ended.
    pub due: Option<Timestamp>,
    pub at: Timestamp,
    pub ended_at: Option<Timestamp>,
}

impl Store {
    /// Stores a new mission. Returns the existing one if there is one with this id.
    pub async fn begin_mission(
        &self,
        mission: &MissionRecord,
    ) -> Result<Option<MissionRecord>, StoreError> {
        let mut write = self.write().await?;
        let inserted = sqlx::query(
            "INSERT INTO missions (id, site_id, actor, state, body, version, holder, due, at, ended_at) \
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT (id) DO NOTHING",
        )
        .bind(&mission.id)
        .bind(mission.site.as_str())
        .bind(mission.actor.to_string())
        .bind(&mission.state)
        .bind(mission.body.to_string())
        .bind(mission.version)
        .bind(&mission.holder)
        .bind(mission.due.map(Timestamp::millis))
        .bind(mission.at.millis())
        .bind(mission.ended_at.map(Timestamp::millis))
        .execute(&mut *write)
        .await?;
        if inserted.rows_affected() == 0 {
            write.rollback().await?;
            return self.mission(&mission.site, &mission.id).await.map(Some);
        }
        audit(&mut write, mission).await?;
        self.commit(write).await?;
        Ok(None)
    }

    /// Saves a mission whose row still has the version that was read, and counts the version up. Returns false, and saves nothing, if
    /// another process has saved it since.
    pub async fn save_mission(&self, mission: &mut MissionRecord) -> Result<bool, StoreError> {
        let mut write = self.write().await?;
        if !update(&mut write, mission).await? {
            write.rollback().await?;
            return Ok(false);
        }
        if mission.due.is_none() {
            audit(&mut write, mission).await?;
        }
        self.commit(write).await?;
        mission.version += 1;
        Ok(true)
    }

    /// Like [`Self::save_mission`], for what a person did about it, which the activity log records.
    pub async fn save_mission_step(
        &self,
        mission: &mut MissionRecord,
        step: &MissionStep<'_>,
    ) -> Result<bool, StoreError> {
        let mut write = self.write().await?;
        if !update(&mut write, mission).await? {
            write.rollback().await?;
            return Ok(false);
        }
        Record::of(step.action)
            .on(&mission.site)
            .about(&mission.id)
            .with(step.detail.clone())
            .save(&mut write, step.by)
            .await?;
        self.commit(write).await?;
        mission.version += 1;
        Ok(true)
    }

    /// One mission of a site.
    pub async fn mission(&self, site: &SiteId, id: &str) -> Result<MissionRecord, StoreError> {
        let row = sqlx::query("SELECT * FROM missions WHERE site_id = $1 AND id = $2")
            .bind(site.as_str())
            .bind(id)
            .fetch_optional(self.reader())
            .await?;
        row.as_ref()
            .map(record)
            .transpose()?
            .ok_or(StoreError::NotFound { what: "mission" })
    }

    /// The missions of a site, newest first.
    pub async fn missions(
        &self,
        site: &SiteId,
        query: RunQuery<'_>,
    ) -> Result<Vec<MissionRecord>, StoreError> {
        // Ids sort by time, and `~` sorts after every id.
        let rows = sqlx::query(
            "SELECT * FROM missions WHERE site_id = $1 AND id < $2 AND ($3 = '' OR actor = $3) ORDER BY id DESC LIMIT $4",
        )
        .bind(site.as_str())
        .bind(query.before.unwrap_or("~"))
        .bind(query.actor.map_or_else(String::new, ToString::to_string))
        .bind(i64::from(query.limit))
        .fetch_all(self.reader())
        .await?;
        rows.iter().map(record).collect()
    }

    /// The missions of all sites that are not over, with those that are due first.
    pub async fn open_missions(&self) -> Result<Vec<MissionRecord>, StoreError> {
        let rows =
            sqlx::query("SELECT * FROM missions WHERE due IS NOT NULL ORDER BY due LIMIT 500")
                .fetch_all(self.reader())
                .await?;
        rows.iter().map(record).collect()
    }

    /// Deletes missions that ended longer ago than `age`, as far as the clock can be trusted, and returns how many were deleted.
    pub async fn forget_missions(
        &self,
        clock: &RetentionClock,
        age: Duration,
    ) -> Result<u64, StoreError> {
        let Some(before) = clock.cutoff(age) else {
            return Ok(0);
        };
        let mut write = self.write().await?;
        let gone = sqlx::query("DELETE FROM missions WHERE ended_at < $1")
            .bind(before.millis())
            .execute(&mut *write)
            .await?;
        write.commit().await?;
        Ok(gone.rows_affected())
    }
}

/// Something that a person did about a mission.
#[derive(Debug, Clone)]
pub struct MissionStep<'a> {
    /// As the activity log names it, such as `mission.resolved`.
    pub action: &'static str,
    pub detail: Value,
    pub by: &'a Stamp,
}

/// Returns false if the row has another version.
async fn update(
    write: &mut crate::database::Write,
    mission: &MissionRecord,
) -> Result<bool, StoreError> {
    let saved = sqlx::query(
        "UPDATE missions SET state = $1, body = $2, version = version + 1, holder = $3, due = $4, ended_at = $5 \
         WHERE id = $6 AND version = $7",
    )
    .bind(&mission.state)
    .bind(mission.body.to_string())
    .bind(&mission.holder)
    .bind(mission.due.map(Timestamp::millis))
    .bind(mission.ended_at.map(Timestamp::millis))
    .bind(&mission.id)
    .bind(mission.version)
    .execute(&mut **write)
    .await?;
    Ok(saved.rows_affected() > 0)
}

async fn audit(
    write: &mut crate::database::Write,
    mission: &MissionRecord,
) -> Result<(), StoreError> {
    let action = match mission.ended_at {
        None => "mission.begun",
        Some(_) => "mission.ended",
    };
    let by = Stamp {
        actor: mission.actor.clone(),
        at: mission.ended_at.unwrap_or(mission.at),
    };
    Record::of(action)
        .on(&mission.site)
        .about(&mission.id)
        .with(json!({ "state": mission.state }))
        .save(write, &by)
        .await
}

fn record(row: &AnyRow) -> Result<MissionRecord, StoreError> {
    let corrupt = || StoreError::Corrupt { what: "mission" };
    let actor: String = row.try_get("actor")?;
    let body: String = row.try_get("body")?;
    let time = |column: &str| -> Result<Option<Timestamp>, StoreError> {
        let millis: Option<i64> = row.try_get(column)?;
        Ok(millis.map(Timestamp::from_millis))
    };
    Ok(MissionRecord {
        id: row.try_get("id")?,
        site: SiteId::from(row.try_get::<String, _>("site_id")?),
        actor: Actor::parse(&actor).ok_or_else(corrupt)?,
        state: row.try_get("state")?,
        body: serde_json::from_str(&body).map_err(|_unreadable| corrupt())?,
        version: row.try_get("version")?,
        holder: row.try_get("holder")?,
        due: time("due")?,
        at: time("at")?.ok_or_else(corrupt)?,
        ended_at: time("ended_at")?,
    })
}

//! Drives missions: makes the calls that the state asks for, and saves the state before each. What came of a call is in the call's own
//! row, so it is saved in the mission together with what follows from it.
//!
//! One process drives a mission at a time. It holds the row by its name and by `due`, the time at which others may take over; saving
//! names the version that was read, so a process that lost the mission notices at its next step. Its calls are safe even then: both
//! processes use the same keys.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use serde_json::Value;
use sitewright_store::{
    Actor, CallRecord, DatabaseKind, MissionRecord, RunQuery, SiteId, Store, StoreError, Timestamp,
};
use tokio::sync::watch;

use super::drive::Drive;
use super::state::{Leg, Mission, MissionState};
use crate::Pipeline;
use crate::call::mission_of;

/// How long a process may be silent before another takes its mission over.
pub(super) const LEASE: Duration = Duration::from_secs(60);

/// The missions that this process drives. A lock and not a message: they end in tasks of their own.
pub(crate) struct MissionDrivers {
    ids: Mutex<HashSet<String>>,
    changed: watch::Sender<()>,
}

impl MissionDrivers {
    pub(crate) fn new() -> Self {
        Self {
            ids: Mutex::default(),
            changed: watch::Sender::default(),
        }
    }

    /// Returns false if this process drives it already.
    fn begin(&self, id: &str) -> bool {
        self.ids().insert(id.to_owned())
    }

    fn end(&self, id: &str) {
        self.ids().remove(id);
        self.changed.send_replace(());
    }

    fn ids(&self) -> std::sync::MutexGuard<'_, HashSet<String>> {
        self.ids.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A mission for people and scripts.
#[derive(Debug, Clone, PartialEq)]
pub struct MissionView {
    /// `missionId`, `state`, `legs` and `residuals`.
    pub outcome: Value,
    /// What lists show of the legs besides, in the same order.
    pub details: Vec<LegDetail>,
    /// Who started it.
    pub caller: String,
    /// When it started, in ms since 1970.
    pub at: i64,
    /// When it ended, in ms since 1970.
    pub ended_at: Option<i64>,
}

/// What a list shows of a leg, besides what `mission.run` answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LegDetail {
    pub tool: String,
    /// Whether a person can cancel it although the mission is completed.
    pub can_be_cancelled: bool,
}

fn view(record: &MissionRecord) -> Result<MissionView, StoreError> {
    let mission = parsed(record)?;
    let detail = |leg: &Leg| LegDetail {
        tool: leg.tool.clone(),
        can_be_cancelled: mission.can_be_cancelled(leg),
    };
    Ok(MissionView {
        outcome: mission.view(&record.id),
        details: mission.legs.iter().map(detail).collect(),
        caller: record.actor.to_string(),
        at: record.at.millis(),
        ended_at: record.ended_at.map(Timestamp::millis),
    })
}

pub(super) fn parsed(record: &MissionRecord) -> Result<Mission, StoreError> {
    serde_json::from_value(record.body.clone())
        .map_err(|_unreadable| StoreError::Corrupt { what: "mission" })
}

impl Pipeline {
    /// A mission of a site.
    pub async fn mission(&self, site: &SiteId, id: &str) -> Result<MissionView, StoreError> {
        view(&self.store().mission(site, id).await?)
    }

    /// The missions of a site, newest first.
    pub async fn missions(
        &self,
        site: &SiteId,
        query: RunQuery<'_>,
    ) -> Result<Vec<MissionView>, StoreError> {
        let records = self.store().missions(site, query).await?;
        records.iter().map(view).collect()
    }

    /// Goes on with a mission that is not over, and returns it when it is over or has to wait. Attempts that wait for their time are
    /// made at once.
    pub async fn resume_mission(&self, site: &SiteId, id: &str) -> Result<MissionView, StoreError> {
        self.change_mission(site, id, |mission| {
            for leg in &mut mission.legs {
                if let Some(undo) = &mut leg.undo {
                    undo.next_at = undo.next_at.min(Timestamp::now());
                }
            }
        })
        .await?;
        self.driven(site, id).await
    }

    /// Stops a mission: nothing more starts, and what is done is taken back.
    pub async fn stop_mission(&self, site: &SiteId, id: &str) -> Result<MissionView, StoreError> {
        self.change_mission(site, id, |mission| {
            if mission.state == MissionState::Running {
                mission.is_stopped = true;
            }
        })
        .await?;
        self.driven(site, id).await
    }

    /// Goes on with the missions whose legs waited for a decision that was just made. A process that dies before finds them by their time.
    pub(crate) fn go_on_with_missions(&self, decided: &[CallRecord]) {
        for call in decided {
            let Some(mission) = mission_of(call) else {
                continue;
            };
            let (pipeline, site) = (self.clone(), call.site.clone());
            self.spawn(async move {
                if let Err(error) = pipeline.driven(&site, &mission).await {
                    let error = &error as &dyn std::error::Error;
                    tracing::warn!(
                        error,
                        mission,
                        "a mission could not go on; it is tried again"
                    );
                }
            });
        }
    }

    /// Changes a mission that this process does not drive; waits until it does not.
    async fn change_mission(
        &self,
        site: &SiteId,
        id: &str,
        change: impl Fn(&mut Mission) + Send,
    ) -> Result<(), StoreError> {
        loop {
            let mut record = self.store().mission(site, id).await?;
            let mut mission = parsed(&record)?;
            if mission.is_settled() {
                return Ok(());
            }
            change(&mut mission);
            put(&mut record, &mission)?;
            if self.store().save_mission(&mut record).await? {
                return Ok(());
            }
        }
    }

    /// Drives a mission until it is over or waits, and returns it.
    pub(crate) async fn driven(&self, site: &SiteId, id: &str) -> Result<MissionView, StoreError> {
        let drivers = self.mission_drivers();
        loop {
            let mut changed = drivers.changed.subscribe();
            if drivers.begin(id) {
                let pipeline = self.clone();
                let (its_site, its_id) = (site.clone(), id.to_owned());
                let driving = self.spawn(async move {
                    let driven = pipeline.drive(&its_site, &its_id).await;
                    pipeline.mission_drivers().end(&its_id);
                    driven
                });
                match driving.await {
                    Ok(driven) => driven?,
                    Err(_panicked) => {
                        drivers.end(id);
                        tracing::error!(mission = id, "a mission broke down");
                    }
                }
                break;
            }
            // The sender lives as long as the pipeline.
            drop(changed.changed().await);
            if self.is_stopping() {
                break;
            }
        }
        self.mission(site, id).await
    }

    /// Periodic work: takes over missions whose time has come. With SQLite there is no other process, so after a restart all of the
    /// previous one's missions are due.
    pub(crate) async fn tend_missions(
        &self,
        now: Timestamp,
        is_start: bool,
    ) -> Result<(), StoreError> {
        let is_alone = is_start && self.store().backend() == DatabaseKind::Sqlite;
        for record in self.store().open_missions().await? {
            let is_due = record.due.is_some_and(|due| due <= now);
            let is_orphan = is_alone && record.holder != self.node();
            if !is_due && !is_orphan {
                continue;
            }
            let pipeline = self.clone();
            self.spawn(async move {
                if let Err(error) = pipeline.driven(&record.site, &record.id).await {
                    let error = &error as &dyn std::error::Error;
                    tracing::warn!(
                        error,
                        mission = record.id,
                        "a mission could not go on; it is tried again"
                    );
                }
            });
        }
        Ok(())
    }

    async fn drive(&self, site: &SiteId, id: &str) -> Result<(), StoreError> {
        let record = self.store().mission(site, id).await?;
        let mission = parsed(&record)?;
        if mission.is_settled() {
            return Ok(());
        }
        Drive::new(self, record, mission).run().await
    }
}

pub(super) fn put(record: &mut MissionRecord, mission: &Mission) -> Result<(), StoreError> {
    record.state = mission.state.as_str().to_owned();
    record.body = serde_json::to_value(mission)
        .map_err(|_unwritable| StoreError::Corrupt { what: "mission" })?;
    Ok(())
}

/// Tells how far a mission has come; tests listen to it and die there.
pub(super) fn stage(name: &str) {
    tracing::debug!(target: "sitewright::mission", stage = name);
}

/// A new mission for the row.
pub(crate) async fn begin(
    store: &Store,
    mission: &Mission,
    start: MissionStart,
) -> Result<(), StoreError> {
    let mut record = MissionRecord {
        id: start.id,
        site: start.site,
        actor: start.actor,
        state: String::new(),
        body: Value::Null,
        version: 0,
        holder: start.holder,
        due: Some(start.at.after(LEASE)),
        at: start.at,
        ended_at: None,
    };
    put(&mut record, mission)?;
    // A mission that exists is the same one after a crash.
    store.begin_mission(&record).await?;
    stage("begun");
    Ok(())
}

/// What a new row needs besides the mission.
pub(crate) struct MissionStart {
    pub(crate) id: String,
    pub(crate) site: SiteId,
    pub(crate) actor: Actor,
    pub(crate) holder: String,
    pub(crate) at: Timestamp,
}

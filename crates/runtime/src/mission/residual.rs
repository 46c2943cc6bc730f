//! What a person does about a mission that is over: settling what could not be taken back, and cancelling a leg later.

use serde_json::json;
use sitewright_store::{MissionStep, SiteId, Stamp, StoreError, Timestamp};

use super::engine::{LEASE, MissionView, parsed, put};
use super::state::{LegState, Mission, Resolution};
use crate::Pipeline;

/// Why nothing can be done about a leg.
#[derive(Debug, thiserror::Error)]
pub enum LegActionError {
    /// The mission has no such leg.
    #[error("the mission has no leg `{0}`")]
    NoLeg(String),
    /// The leg left nothing behind.
    #[error("nothing of the leg `{0}` is left over, so there is nothing to resolve")]
    NoResidual(String),
    /// The leg is not one that a completed mission holds on to.
    #[error(
        "the leg `{leg}` is {state}; only a committed leg of a completed mission can be cancelled"
    )]
    NotCommitted {
        /// The leg.
        leg: String,
        /// Its state.
        state: &'static str,
    },
    /// The mission cannot be read or saved.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// A leg of a stored mission.
#[derive(Debug, Clone, Copy)]
pub struct LegPlace<'a> {
    /// The site of the mission.
    pub site: &'a SiteId,
    /// The id of the mission.
    pub mission: &'a str,
    /// The id of the leg.
    pub leg: &'a str,
}

impl Pipeline {
    /// Records that a person took care of what is left of a leg, and how.
    pub async fn resolve_leg(
        &self,
        place: LegPlace<'_>,
        note: &str,
        by: &Stamp,
    ) -> Result<MissionView, LegActionError> {
        let LegPlace {
            site,
            mission: id,
            leg,
        } = place;
        let change = |mission: &mut Mission, at: usize| {
            let found = &mut mission.legs[at];
            if found.residual.is_none() {
                return Err(LegActionError::NoResidual(leg.to_owned()));
            }
            found.resolution = Some(Resolution {
                by: by.actor.to_string(),
                at: by.at,
                note: note.to_owned(),
            });
            Ok(())
        };
        let step = MissionStep {
            action: "mission.resolved",
            detail: json!({ "leg": leg, "note": note }),
            by,
        };
        self.change_leg(place, step, change).await?;
        Ok(self.mission(site, id).await?)
    }

    /// Takes back a leg of a completed mission. The mission stays completed; the leg says what came of it.
    pub async fn cancel_leg(
        &self,
        place: LegPlace<'_>,
        by: &Stamp,
    ) -> Result<MissionView, LegActionError> {
        let LegPlace {
            site,
            mission: id,
            leg,
        } = place;
        let change = |mission: &mut Mission, at: usize| {
            let found = &mission.legs[at];
            if !mission.can_be_cancelled(found) {
                return Err(LegActionError::NotCommitted {
                    leg: leg.to_owned(),
                    state: found.state.as_str(),
                });
            }
            mission.legs[at].state = LegState::RollbackPending;
            Ok(())
        };
        let step = MissionStep {
            action: "mission.leg_cancelled",
            detail: json!({ "leg": leg }),
            by,
        };
        self.change_leg(place, step, change).await?;
        Ok(self.driven(site, id).await?)
    }

    async fn change_leg(
        &self,
        place: LegPlace<'_>,
        step: MissionStep<'_>,
        change: impl Fn(&mut Mission, usize) -> Result<(), LegActionError>,
    ) -> Result<(), LegActionError> {
        let LegPlace {
            site,
            mission: id,
            leg,
        } = place;
        loop {
            let mut record = self.store().mission(site, id).await?;
            let mut mission = parsed(&record)?;
            let at = mission.legs.iter().position(|found| found.id == leg);
            let at = at.ok_or_else(|| LegActionError::NoLeg(leg.to_owned()))?;
            change(&mut mission, at)?;
            if mission.state.is_over() && !mission.is_settled() {
                record.due = Some(Timestamp::now().after(LEASE));
            }
            put(&mut record, &mission)?;
            if self.store().save_mission_step(&mut record, &step).await? {
                return Ok(());
            }
        }
    }
}

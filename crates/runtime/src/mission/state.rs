//! The state of a mission, without I/O or clock.
//!
//! A leg goes `pending → in_flight → committed | failed | unknown`. As soon as one is not committed, no other starts; those that run are
//! waited for. Then everything that may have had an effect is taken back, the newest first: `rollback_pending → rolled_back |
//! rollback_failed | manual_review`. What could not be taken back is a residual.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sitewright_site::Author;
use sitewright_store::Timestamp;
use sitewright_tool::{CapabilitySet, Taint, ToolError};

/// The state of a mission.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MissionState {
    /// Legs are under way.
    Running,
    /// A leg failed, and the others are taken back.
    RollingBack,
    /// Every leg is committed.
    Completed,
    /// Nothing is left of it.
    RolledBack,
    /// Something could not be taken back.
    RolledBackWithResiduals,
}

impl MissionState {
    /// The spelling in replies and rows; the same as serde's.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::RollingBack => "rolling_back",
            Self::Completed => "completed",
            Self::RolledBack => "rolled_back",
            Self::RolledBackWithResiduals => "rolled_back_with_residuals",
        }
    }

    /// Whether the mission is over.
    pub fn is_over(self) -> bool {
        match self {
            Self::Running | Self::RollingBack => false,
            Self::Completed | Self::RolledBack | Self::RolledBackWithResiduals => true,
        }
    }
}

/// The state of a leg.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LegState {
    /// It has not started, and may never.
    Pending,
    /// Its call is under way.
    InFlight,
    /// Its call did what was asked.
    Committed,
    /// Its call had no effect.
    Failed,
    /// Its call may have had its effect.
    Unknown,
    /// It is being taken back.
    RollbackPending,
    /// It was taken back.
    RolledBack,
    /// It could not be taken back.
    RollbackFailed,
    /// Only a person can take it back.
    ManualReview,
}

impl LegState {
    /// The spelling in replies; the same as serde's.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::InFlight => "in_flight",
            Self::Committed => "committed",
            Self::Failed => "failed",
            Self::Unknown => "unknown",
            Self::RollbackPending => "rollback_pending",
            Self::RolledBack => "rolled_back",
            Self::RollbackFailed => "rollback_failed",
            Self::ManualReview => "manual_review",
        }
    }
}

/// What a call that a mission makes has besides its arguments. Only missions make one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MissionCall {
    /// The key that the other side sees: repeats of one effect have rows of their own, and this one key.
    pub(crate) effect_key: String,
    /// Who approved the mission, as an actor is written; `None` if the policy let it run without.
    pub(crate) approved_by: Option<String>,
    /// Whether it takes another call back, which nobody is asked about.
    pub(crate) is_compensation: bool,
}

/// A mission, as its row stores it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Mission {
    pub(crate) state: MissionState,
    pub(crate) caller: MissionCaller,
    pub(crate) approved_by: Option<String>,
    /// Whether a person stopped it.
    pub(crate) is_stopped: bool,
    /// How many legs are committed so far; the next one gets this number.
    pub(crate) commits: u32,
    pub(crate) legs: Vec<Leg>,
}

/// On whose behalf the calls are made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct MissionCaller {
    pub(crate) author: Author,
    pub(crate) capabilities: CapabilitySet,
    pub(crate) person: Option<String>,
    pub(crate) session: String,
    pub(crate) planner: String,
    pub(crate) taint: Taint,
}

/// A leg of a mission.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Leg {
    pub(crate) id: String,
    pub(crate) tool: String,
    /// As they were given, with references.
    pub(crate) arguments: Value,
    /// The legs that must be committed before, by index.
    pub(crate) dependencies: Vec<usize>,
    pub(crate) state: LegState,
    /// The arguments that were sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) input: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) output: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) error: Option<ToolError>,
    /// How often the call was made. A repeat has a row of its own and the same key at the vendor.
    #[serde(default)]
    pub(crate) attempts: u32,
    /// The order in which legs took effect, and since when it may be taken back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) effect: Option<LegEffect>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) undo: Option<Undo>,
    /// Why a person has to look at it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) residual: Option<String>,
}

/// When a leg took effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct LegEffect {
    pub(crate) order: u32,
    pub(crate) at: Timestamp,
}

/// The call that takes a leg back.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Undo {
    pub(crate) tool: String,
    pub(crate) arguments: Value,
    pub(crate) attempts: u32,
    pub(crate) next_at: Timestamp,
    /// No attempt is made after this.
    pub(crate) until: Timestamp,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) error: Option<ToolError>,
}

/// What a mission does next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Next {
    /// Starts these legs, by index.
    Start(Vec<usize>),
    /// Waits for calls that are under way.
    Wait,
    /// Works out how to take this leg back.
    PrepareUndo(usize),
    /// Makes the call that takes this leg back.
    Undo(usize),
    /// Waits until this time.
    Sleep(Timestamp),
    /// Ends in this state.
    End(MissionState),
}

/// What came of a leg's call.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum LegResult {
    Done(Value),
    Failed(ToolError),
    /// It may have had its effect, or has had it and its answer is unusable.
    Unknown(ToolError),
}

/// What came of taking a leg back.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum UndoResult {
    Done,
    /// It may work later.
    Again(ToolError),
    /// It will not.
    Failed(ToolError),
}

/// The pauses after the first attempts to take a leg back, in seconds; then they grow up to the longest.
const PAUSES: [u64; 3] = [1, 4, 16];
const PAUSE_MAX: u64 = 300;

impl Mission {
    /// What to do next. Asked again after every result.
    pub(crate) fn next(&self, now: Timestamp) -> Next {
        let is_under_way = self.legs.iter().any(|leg| leg.state == LegState::InFlight);
        match self.state {
            MissionState::Running => {
                let is_broken = self.is_stopped
                    || self
                        .legs
                        .iter()
                        .any(|leg| matches!(leg.state, LegState::Failed | LegState::Unknown));
                if is_broken {
                    return match is_under_way {
                        true => Next::Wait,
                        false => self.next_undo(now),
                    };
                }
                if self.legs.iter().all(|leg| leg.state == LegState::Committed) {
                    return Next::End(MissionState::Completed);
                }
                let ready: Vec<usize> = (0..self.legs.len())
                    .filter(|at| self.is_ready(*at))
                    .collect();
                match ready.is_empty() {
                    true => Next::Wait,
                    false => Next::Start(ready),
                }
            }
            MissionState::RollingBack => self.next_undo(now),
            MissionState::Completed
            | MissionState::RolledBack
            | MissionState::RolledBackWithResiduals => Next::End(self.state),
        }
    }

    fn is_ready(&self, at: usize) -> bool {
        let leg = &self.legs[at];
        let is_committed = |other: &usize| {
            self.legs
                .get(*other)
                .is_some_and(|leg| leg.state == LegState::Committed)
        };
        leg.state == LegState::Pending && leg.dependencies.iter().all(is_committed)
    }

    /// The newest effect is taken back first, and the next one only when that is over: a later booking may rely on an earlier one. A leg
    /// that has to wait for its next attempt does not hold up the others.
    fn next_undo(&self, now: Timestamp) -> Next {
        let mut open: Vec<usize> = (0..self.legs.len())
            .filter(|at| {
                let leg = &self.legs[*at];
                let may_have_effect = leg.effect.is_some();
                let is_open = match leg.state {
                    LegState::Committed | LegState::RollbackPending => true,
                    LegState::Unknown => leg.residual.is_none(),
                    LegState::Pending
                    | LegState::InFlight
                    | LegState::Failed
                    | LegState::RolledBack
                    | LegState::RollbackFailed
                    | LegState::ManualReview => false,
                };
                may_have_effect && is_open
            })
            .collect();
        open.sort_by_key(|at| std::cmp::Reverse(self.legs[*at].effect.map(|effect| effect.order)));
        let mut sleep: Option<Timestamp> = None;
        for at in open {
            match &self.legs[at].undo {
                None => return Next::PrepareUndo(at),
                Some(undo) if undo.next_at <= now => return Next::Undo(at),
                Some(undo) => {
                    let sooner = sleep.is_none_or(|known| undo.next_at < known);
                    sleep = if sooner { Some(undo.next_at) } else { sleep };
                }
            }
        }
        if let Some(until) = sleep {
            return Next::Sleep(until);
        }
        let has_residuals = self.legs.iter().any(|leg| leg.residual.is_some());
        Next::End(match has_residuals {
            true => MissionState::RolledBackWithResiduals,
            false => MissionState::RolledBack,
        })
    }

    /// Records what came of a leg. `has_effect` says whether its tool leaves anything behind.
    pub(crate) fn finish_leg(
        &mut self,
        at: usize,
        result: LegResult,
        has_effect: bool,
        now: Timestamp,
    ) {
        let order = self.commits;
        let effect = has_effect.then_some(LegEffect { order, at: now });
        let Some(leg) = self.legs.get_mut(at) else {
            return;
        };
        match result {
            LegResult::Done(output) => {
                leg.state = LegState::Committed;
                leg.output = Some(output);
                leg.effect = effect;
                self.commits += 1;
            }
            LegResult::Failed(error) => {
                leg.state = LegState::Failed;
                leg.error = Some(error);
            }
            LegResult::Unknown(error) => {
                leg.state = LegState::Unknown;
                leg.error = Some(error);
                leg.effect = effect;
                self.commits += 1;
            }
        }
    }

    /// Records what came of an attempt to take a leg back.
    pub(crate) fn finish_undo(&mut self, at: usize, result: UndoResult, now: Timestamp) {
        let Some(leg) = self.legs.get_mut(at) else {
            return;
        };
        let Some(undo) = &mut leg.undo else {
            return;
        };
        undo.attempts += 1;
        match result {
            UndoResult::Done => {
                leg.state = LegState::RolledBack;
                undo.error = None;
            }
            UndoResult::Failed(error) => {
                leg.residual = Some(format!("It could not be taken back: {}", error.message));
                leg.state = LegState::RollbackFailed;
                undo.error = Some(error);
            }
            UndoResult::Again(error) => {
                let index = usize::try_from(undo.attempts.saturating_sub(1)).unwrap_or(usize::MAX);
                let seconds = PAUSES.get(index).copied().unwrap_or_else(|| {
                    let doublings =
                        u32::try_from(index.saturating_sub(PAUSES.len() - 1)).unwrap_or(u32::MAX);
                    16_u64.saturating_mul(1 << doublings.min(8)).min(PAUSE_MAX)
                });
                let next_at = now.after(std::time::Duration::from_secs(seconds));
                if next_at > undo.until {
                    leg.residual = Some(format!(
                        "It could not be taken back after {} attempts: {}",
                        undo.attempts, error.message
                    ));
                    leg.state = LegState::RollbackFailed;
                } else {
                    undo.next_at = next_at;
                }
                undo.error = Some(error);
            }
        }
    }

    /// Records that only a person can take a leg back.
    pub(crate) fn leave_to_person(&mut self, at: usize, reason: String) {
        if let Some(leg) = self.legs.get_mut(at) {
            // That an outcome is unknown says more than that somebody has to look.
            if leg.state != LegState::Unknown {
                leg.state = LegState::ManualReview;
            }
            leg.residual = Some(reason);
        }
    }

    /// The outputs of a mission in the form that callers rely on.
    pub(crate) fn view(&self, id: &str) -> Value {
        let legs: Vec<Value> = self
            .legs
            .iter()
            .map(|leg| {
                let mut view = json!({ "id": leg.id, "state": leg.state.as_str() });
                if let Some(output) = &leg.output {
                    view["output"] = output.clone();
                }
                let error = leg.undo.as_ref().and_then(|undo| undo.error.as_ref());
                if let Some(error) = error.or(leg.error.as_ref()) {
                    view["error"] = json!({ "code": error.code, "message": error.message });
                }
                view
            })
            .collect();
        json!({ "missionId": id, "state": self.state.as_str(), "legs": legs, "residuals": self.residuals() })
    }

    /// What could not be taken back, or not yet.
    fn residuals(&self) -> Vec<Value> {
        let mut residuals = Vec::new();
        for leg in &self.legs {
            let waiting = match (&leg.undo, leg.state) {
                (Some(undo), LegState::RollbackPending) if undo.attempts > 0 => {
                    Some("It is not taken back yet; it is tried again.".to_owned())
                }
                _ => None,
            };
            let Some(reason) = leg.residual.clone().or(waiting) else {
                continue;
            };
            let mut residual = json!({
                "leg": leg.id, "tool": leg.tool, "state": leg.state.as_str(), "reason": reason,
            });
            if let Some(output) = &leg.output {
                residual["output"] = output.clone();
            }
            residuals.push(residual);
        }
        residuals
    }
}

#[cfg(test)]
#[path = "state_tests.rs"]
mod tests;

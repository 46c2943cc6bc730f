//! The state of a mission, without I/O or clock.
//!
//! A leg goes `pending → in_flight → committed | failed | unknown`. As soon as one is not committed, no other starts; those that run are
//! waited for. Then everything that may have had an effect is taken back, the newest first: `rollback_pending → rolled_back |
//! rollback_failed | manual_review`. What could not be taken back is a residual.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use sitewright_site::Author;
use sitewright_store::{CallId, Timestamp};
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
    /// The mission. Empty in rows from before it was stored.
    #[serde(default)]
    pub(crate) id: String,
    /// Who approved the mission, as an actor is written; `None` if the policy let it run without.
    pub(crate) approved_by: Option<String>,
    /// Whether it takes another call back, which nobody is asked about.
    pub(crate) is_compensation: bool,
    /// Its arguments contain values that the mission's card could not show: if it needs an approval, it needs one of its own, which can be
    /// given until this time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) asks_until: Option<Timestamp>,
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
    /// The approval that the leg waits for while it is pending.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) approval: Option<LegApproval>,
    /// What a person did about the residual.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) resolution: Option<Resolution>,
}

impl Leg {
    /// Its call waits for an approval of its own.
    pub(crate) fn wait_for_approval(&mut self, approval: LegApproval) {
        self.state = LegState::Pending;
        self.approval = Some(approval);
    }

    /// Whether it is being taken back.
    pub(crate) fn is_being_cancelled(&self) -> bool {
        self.state == LegState::RollbackPending
    }

    /// The approval was decided on: asking for the same call again finds what came of it.
    pub(crate) fn go_on_after_approval(&mut self) {
        self.state = LegState::InFlight;
        self.approval = None;
    }
}

/// What a person did about something that could not be taken back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Resolution {
    /// Who, as an actor is written.
    pub(crate) by: String,
    pub(crate) at: Timestamp,
    /// What they did, and why.
    pub(crate) note: String,
}

/// A call that a person has to approve before its leg goes on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct LegApproval {
    pub(crate) call: CallId,
    pub(crate) expires: Option<Timestamp>,
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
    /// Waits for a person to approve a leg; nothing else can be done.
    AwaitApproval,
    /// Takes back the question whether this leg may run.
    Withdraw(usize),
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
                let waiting = self.legs.iter().position(|leg| leg.approval.is_some());
                if is_broken {
                    return match (waiting, is_under_way) {
                        (Some(at), _) => Next::Withdraw(at),
                        (None, true) => Next::Wait,
                        (None, false) => self.next_undo(now),
                    };
                }
                if self.legs.iter().all(|leg| leg.state == LegState::Committed) {
                    return Next::End(MissionState::Completed);
                }
                let ready: Vec<usize> = (0..self.legs.len())
                    .filter(|at| self.is_ready(*at))
                    .collect();
                match (ready.is_empty(), waiting, is_under_way) {
                    (false, ..) => Next::Start(ready),
                    (true, Some(_), false) => Next::AwaitApproval,
                    (true, ..) => Next::Wait,
                }
            }
            MissionState::RollingBack => self.next_undo(now),
            MissionState::Completed
            | MissionState::RolledBack
            | MissionState::RolledBackWithResiduals => {
                let cancelled =
                    (0..self.legs.len()).filter(|at| self.legs[*at].is_being_cancelled());
                self.next_attempt(cancelled.collect(), now)
                    .unwrap_or(Next::End(self.state))
            }
        }
    }

    /// Whether nothing is left to do, not even a leg that a person cancelled later.
    pub(crate) fn is_settled(&self) -> bool {
        self.state.is_over() && !self.legs.iter().any(Leg::is_being_cancelled)
    }

    fn is_ready(&self, at: usize) -> bool {
        let leg = &self.legs[at];
        let is_committed = |other: &usize| {
            self.legs
                .get(*other)
                .is_some_and(|leg| leg.state == LegState::Committed)
        };
        let is_new = leg.state == LegState::Pending && leg.approval.is_none();
        is_new && leg.dependencies.iter().all(is_committed)
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
        if let Some(next) = self.next_attempt(open, now) {
            return next;
        }
        let has_residuals = self.legs.iter().any(|leg| leg.residual.is_some());
        Next::End(match has_residuals {
            true => MissionState::RolledBackWithResiduals,
            false => MissionState::RolledBack,
        })
    }

    /// The next attempt to take one of these legs back, in this order; `None` if there are none.
    fn next_attempt(&self, open: Vec<usize>, now: Timestamp) -> Option<Next> {
        let mut sleep: Option<Timestamp> = None;
        for at in open {
            match &self.legs[at].undo {
                None => return Some(Next::PrepareUndo(at)),
                Some(undo) if undo.next_at <= now => return Some(Next::Undo(at)),
                Some(undo) => {
                    let sooner = sleep.is_none_or(|known| undo.next_at < known);
                    sleep = if sooner { Some(undo.next_at) } else { sleep };
                }
            }
        }
        sleep.map(Next::Sleep)
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
                leg.residual = Some(format!("It couldn't be cancelled: {}", error.message));
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
                        "It couldn't be cancelled after {} attempts: {}",
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
}

#[cfg(test)]
#[path = "state_tests.rs"]
mod tests;

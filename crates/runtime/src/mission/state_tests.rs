//! Missions in a simulated world: vendors that fail, time out before and after they commit, and processes that die at any step.

use std::collections::HashMap;
use std::time::Duration;

use serde_json::json;
use sitewright_site::Author;
use sitewright_store::Timestamp;
use sitewright_tool::{CapabilitySet, ErrorCode, Taint, ToolError};

use super::{
    Leg, LegApproval, LegResult, LegState, Mission, MissionCaller, MissionState, Next, Undo,
    UndoResult,
};

const START: i64 = 1_000_000;
const WINDOW: Duration = Duration::from_secs(60);

fn mission(dependencies: &[&[usize]]) -> Mission {
    let legs = dependencies
        .iter()
        .enumerate()
        .map(|(at, dependencies)| Leg {
            id: format!("leg{at}"),
            tool: "book".to_owned(),
            arguments: json!({}),
            dependencies: dependencies.to_vec(),
            state: LegState::Pending,
            input: None,
            output: None,
            error: None,
            attempts: 0,
            effect: None,
            undo: None,
            residual: None,
            approval: None,
            resolution: None,
        });
    Mission {
        state: MissionState::Running,
        caller: MissionCaller {
            author: Author::Local,
            capabilities: CapabilitySet::all(),
            person: None,
            session: "s".to_owned(),
            planner: "none".to_owned(),
            taint: Taint::Trusted,
        },
        approved_by: Some("local".to_owned()),
        is_stopped: false,
        commits: 0,
        legs: legs.collect(),
    }
}

/// A small generator, so that a seed gives the same run on every machine.
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % end
    }

    fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }
}

fn error(code: ErrorCode) -> ToolError {
    ToolError::new(code, "No.")
}

#[derive(Clone, Copy, PartialEq)]
enum Approval {
    Needed,
    Given,
    Denied,
    Withdrawn,
}

/// The vendors, and the rows that remember what came of each call.
struct World {
    random: Random,
    now: Timestamp,
    /// Whether a leg's booking exists at its vendor.
    booked: HashMap<usize, bool>,
    /// How often each leg took effect.
    effects: HashMap<usize, u32>,
    can_be_undone: HashMap<usize, bool>,
    /// The legs that need an approval of their own, and what was decided about them.
    approvals: HashMap<usize, Approval>,
    legs: HashMap<(usize, u32), LegResult>,
    undos: HashMap<(usize, u32), UndoResult>,
}

impl World {
    fn book(&mut self, at: usize, attempt: u32) -> LegResult {
        if let Some(known) = self.legs.get(&(at, attempt)) {
            return known.clone();
        }
        let (takes_effect, result) = match self.random.below(10) {
            0 => (false, LegResult::Failed(error(ErrorCode::UpstreamError))),
            1 => (false, LegResult::Unknown(error(ErrorCode::OutcomeUnknown))),
            2 => (true, LegResult::Unknown(error(ErrorCode::OutcomeUnknown))),
            _ => (true, LegResult::Done(json!({ "id": at }))),
        };
        if takes_effect {
            *self.effects.entry(at).or_default() += 1;
            self.booked.insert(at, true);
        }
        self.legs.insert((at, attempt), result.clone());
        result
    }

    /// A person decides about a leg that waits, unless that is done already.
    fn decide(&mut self, at: usize) {
        let decision = match self.random.chance(80) {
            true => Approval::Given,
            false => Approval::Denied,
        };
        let approval = self.approvals.get_mut(&at).unwrap();
        if *approval == Approval::Needed {
            *approval = decision;
        }
    }

    fn cancel(&mut self, at: usize, attempt: u32) -> UndoResult {
        if let Some(known) = self.undos.get(&(at, attempt)) {
            return known.clone();
        }
        let result = match self.random.below(10) {
            0 => UndoResult::Failed(error(ErrorCode::InvalidInput)),
            1 | 2 => UndoResult::Again(error(ErrorCode::UpstreamError)),
            // It is cancelled, and the answer is lost.
            3 => {
                self.booked.insert(at, false);
                UndoResult::Again(error(ErrorCode::OutcomeUnknown))
            }
            _ => {
                self.booked.insert(at, false);
                UndoResult::Done
            }
        };
        self.undos.insert((at, attempt), result.clone());
        result
    }
}

fn call(mission: &mut Mission, world: &mut World, at: usize) {
    let result = match world.approvals.get(&at) {
        Some(Approval::Needed) => {
            let call = "call".to_owned().into();
            mission.legs[at].wait_for_approval(LegApproval {
                call,
                expires: None,
            });
            return;
        }
        Some(Approval::Denied | Approval::Withdrawn) => {
            LegResult::Failed(error(ErrorCode::ApprovalDenied))
        }
        Some(Approval::Given) | None => world.book(at, mission.legs[at].attempts),
    };
    mission.finish_leg(at, result, true, world.now);
}

/// One step of the driver, as `engine` takes it.
fn step(mission: &mut Mission, world: &mut World) -> bool {
    let now = world.now;
    match mission.next(now) {
        Next::Start(legs) => {
            for at in legs {
                mission.legs[at].state = LegState::InFlight;
                mission.legs[at].attempts += 1;
            }
        }
        Next::Wait => {
            let running =
                (0..mission.legs.len()).filter(|at| mission.legs[*at].state == LegState::InFlight);
            let running: Vec<usize> = running.collect();
            let pick = usize::try_from(world.random.below(running.len() as u64)).unwrap();
            call(mission, world, running[pick]);
        }
        Next::AwaitApproval => {
            let at = mission
                .legs
                .iter()
                .position(|leg| leg.approval.is_some())
                .unwrap();
            world.decide(at);
            mission.legs[at].go_on_after_approval();
        }
        Next::Withdraw(at) => {
            // Somebody may have approved it at the last moment.
            if world.random.chance(30) {
                world.decide(at);
            }
            match world.approvals[&at] {
                Approval::Needed | Approval::Withdrawn => {
                    world.approvals.insert(at, Approval::Withdrawn);
                    mission.legs[at].approval = None;
                }
                Approval::Given | Approval::Denied => mission.legs[at].go_on_after_approval(),
            }
        }
        Next::PrepareUndo(at) => {
            mission.state = MissionState::RollingBack;
            if !world.can_be_undone[&at] {
                mission.leave_to_person(at, "Nobody can.".to_owned());
            } else {
                mission.legs[at].state = LegState::RollbackPending;
                mission.legs[at].undo = Some(Undo {
                    tool: "cancel".to_owned(),
                    arguments: json!({}),
                    attempts: 0,
                    next_at: now,
                    until: now.after(WINDOW),
                    error: None,
                });
            }
        }
        Next::Undo(at) => {
            let attempt = mission.legs[at].undo.as_ref().unwrap().attempts;
            let result = world.cancel(at, attempt);
            mission.finish_undo(at, result, now);
        }
        Next::Sleep(until) => world.now = until,
        Next::End(state) => {
            mission.state = state;
            return false;
        }
    }
    true
}

fn run(seed: u64) -> (Mission, World) {
    let mut random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
    let count = 1 + random.below(6);
    let mut dependencies: Vec<Vec<usize>> = Vec::new();
    for at in 0..count {
        let others = (0..at).filter(|_| random.chance(30));
        dependencies.push(
            others
                .map(|other| usize::try_from(other).unwrap())
                .collect(),
        );
    }
    let dependencies: Vec<&[usize]> = dependencies.iter().map(Vec::as_slice).collect();
    let mut mission = mission(&dependencies);
    let can_be_undone = (0..mission.legs.len())
        .map(|at| (at, random.chance(90)))
        .collect();
    let approvals = (0..mission.legs.len())
        .filter(|_| random.chance(20))
        .map(|at| (at, Approval::Needed))
        .collect();
    let mut world = World {
        random,
        now: Timestamp::from_millis(START),
        booked: HashMap::new(),
        effects: HashMap::new(),
        can_be_undone,
        approvals,
        legs: HashMap::new(),
        undos: HashMap::new(),
    };
    let mut saved = mission.clone();
    for _ in 0..10_000 {
        let goes_on = step(&mut mission, &mut world);
        // A process that dies here has not saved the step; the calls it made are in their rows.
        if world.random.chance(15) {
            mission = saved.clone();
            continue;
        }
        saved = mission.clone();
        if !goes_on {
            return (mission, world);
        }
    }
    panic!("seed {seed}: the mission does not end: {mission:?}");
}

/// Every effect is kept by a completed mission, taken back, or listed; and none happens twice.
#[test]
fn ten_thousand_missions_with_faults_lose_nothing() {
    for seed in 0..10_000 {
        let (mission, world) = run(seed);
        if seed % 100 == 0 {
            let row = serde_json::to_value(&mission).unwrap();
            assert_eq!(
                serde_json::from_value::<Mission>(row).unwrap(),
                mission,
                "seed {seed}"
            );
        }
        let is_completed = mission.state == MissionState::Completed;
        for (at, leg) in mission.legs.iter().enumerate() {
            let is_booked = world.booked.get(&at) == Some(&true);
            let is_accounted = match is_completed {
                true => is_booked && leg.state == LegState::Committed,
                false => !is_booked || leg.residual.is_some(),
            };
            assert!(is_accounted, "seed {seed}, leg {at}: {mission:?}");
            assert!(
                world.effects.get(&at).is_none_or(|count| *count == 1),
                "seed {seed}, leg {at}"
            );
            let approval = world.approvals.get(&at);
            assert!(
                approval.is_none_or(|approval| *approval == Approval::Given)
                    || !world.effects.contains_key(&at),
                "seed {seed}: {at} ran without its approval"
            );
            for other in leg.dependencies.iter().filter(|_| is_booked) {
                assert!(
                    world.effects.contains_key(other),
                    "seed {seed}: {at} ran before {other}"
                );
            }
        }
        let has_residuals = mission.legs.iter().any(|leg| leg.residual.is_some());
        let expected = match (is_completed, has_residuals) {
            (true, _) => MissionState::Completed,
            (false, false) => MissionState::RolledBack,
            (false, true) => MissionState::RolledBackWithResiduals,
        };
        assert_eq!(mission.state, expected, "seed {seed}");
    }
}

#[test]
fn a_seed_gives_the_same_mission_again() {
    for seed in [1, 77, 9_999] {
        assert_eq!(run(seed).0, run(seed).0);
    }
}

fn now() -> Timestamp {
    Timestamp::from_millis(START)
}

#[test]
fn legs_start_when_those_they_depend_on_are_committed() {
    let mut mission = mission(&[&[], &[0], &[]]);
    assert_eq!(mission.next(now()), Next::Start(vec![0, 2]));
    mission.legs[0].state = LegState::InFlight;
    mission.legs[2].state = LegState::InFlight;
    assert_eq!(mission.next(now()), Next::Wait);
    mission.finish_leg(0, LegResult::Done(json!(1)), true, now());
    assert_eq!(
        mission.next(now()),
        Next::Start(vec![1]),
        "a slow leg does not hold up the others"
    );
}

#[test]
fn the_newest_effect_is_taken_back_first_and_nothing_new_starts() {
    let mut mission = mission(&[&[], &[0], &[1], &[]]);
    for at in [0, 1] {
        mission.finish_leg(at, LegResult::Done(json!(at)), true, now());
    }
    mission.finish_leg(
        2,
        LegResult::Failed(error(ErrorCode::UpstreamError)),
        true,
        now(),
    );
    assert_eq!(mission.next(now()), Next::PrepareUndo(1));
    mission.leave_to_person(1, "Nobody can.".to_owned());
    assert_eq!(mission.next(now()), Next::PrepareUndo(0));
    mission.leave_to_person(0, "Nobody can.".to_owned());
    assert_eq!(
        mission.next(now()),
        Next::End(MissionState::RolledBackWithResiduals)
    );
    assert_eq!(mission.legs[3].state, LegState::Pending);
}

#[test]
fn attempts_to_take_back_come_after_growing_pauses_until_the_window_ends() {
    let mut mission = mission(&[&[]]);
    mission.finish_leg(0, LegResult::Done(json!(1)), true, now());
    mission.state = MissionState::RollingBack;
    mission.legs[0].state = LegState::RollbackPending;
    mission.legs[0].undo = Some(Undo {
        tool: "cancel".to_owned(),
        arguments: json!({}),
        attempts: 0,
        next_at: now(),
        until: now().after(Duration::from_secs(120)),
        error: None,
    });
    let mut at = now();
    let mut pauses = Vec::new();
    while mission.legs[0].state == LegState::RollbackPending {
        mission.finish_undo(0, UndoResult::Again(error(ErrorCode::UpstreamError)), at);
        let next = mission.legs[0].undo.as_ref().unwrap().next_at;
        pauses.push((next.millis() - at.millis()) / 1000);
        at = next;
    }
    assert_eq!(pauses, [1, 4, 16, 32, 64, 0]);
    assert_eq!(
        mission.next(at),
        Next::End(MissionState::RolledBackWithResiduals)
    );
}

//! Drives missions: makes the calls that the state asks for, and saves the state before and after each.
//!
//! One process drives a mission at a time. It holds the row by its name and by `due`, the time at which others may take over; saving
//! names the version that was read, so a process that lost the mission notices at its next step. Its calls are safe even then: both
//! processes use the same keys.

use std::collections::{BTreeSet, HashSet};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use serde::Serialize;
use serde_json::Value;
use sitewright_store::{
    Actor, Committer, DatabaseKind, MissionRecord, SiteId, Stamp, Store, StoreError, Timestamp,
};
use sitewright_tool::{CapabilitySet, Effect, ErrorCode, Scope, Taint, ToolContext, ToolError};
use tokio::sync::watch;
use tokio::task::JoinHandle;

use super::state::{
    LegResult, LegState, Mission, MissionCall, MissionState, Next, Undo, UndoResult,
};
use super::undo::{counterpart, undo_arguments};
use crate::interpolation::STEP_MARKS;
use crate::registry::Entry;
use crate::{Call, CallOutcome, CallReply, Pipeline, vendor_key};

/// How long a process may be silent before another takes its mission over.
const LEASE: Duration = Duration::from_secs(60);
/// How often a process that waits for a call renews its lease.
const RENEWAL: Duration = Duration::from_secs(20);
/// A process waits this long for the next attempt to take a leg back; for a longer pause it lets the mission go.
const SHORT_PAUSE: Duration = Duration::from_secs(6);
/// How often the call of a leg is sent again when its outcome is unknown and its vendor recognises repeats.
const SENDS_MAX: u32 = 4;

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
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MissionView {
    /// `missionId`, `state`, `legs` and `residuals`.
    #[serde(flatten)]
    pub outcome: Value,
    /// Who started it.
    pub caller: String,
    /// When it started, in ms since 1970.
    pub at: i64,
    /// When it ended, in ms since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<i64>,
}

fn view(record: &MissionRecord) -> Result<MissionView, StoreError> {
    let mission = parsed(record)?;
    Ok(MissionView {
        outcome: mission.view(&record.id),
        caller: record.actor.to_string(),
        at: record.at.millis(),
        ended_at: record.ended_at.map(Timestamp::millis),
    })
}

fn parsed(record: &MissionRecord) -> Result<Mission, StoreError> {
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
        before: Option<&str>,
        limit: u16,
    ) -> Result<Vec<MissionView>, StoreError> {
        let records = self.store().missions(site, before, limit).await?;
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
            if mission.state.is_over() {
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
        if mission.state.is_over() {
            return Ok(());
        }
        let mut drive = Drive {
            pipeline: self,
            record,
            mission,
            calls: FuturesUnordered::new(),
            called: BTreeSet::new(),
        };
        drive.run().await
    }
}

fn put(record: &mut MissionRecord, mission: &Mission) -> Result<(), StoreError> {
    record.state = mission.state.as_str().to_owned();
    record.body = serde_json::to_value(mission)
        .map_err(|_unwritable| StoreError::Corrupt { what: "mission" })?;
    Ok(())
}

/// A mission while this process drives it.
struct Drive<'a> {
    pipeline: &'a Pipeline,
    record: MissionRecord,
    mission: Mission,
    /// The calls of legs, as tasks of their own. A call that were polled only while this waits for it could hold the one connection
    /// that writes to SQLite, which saving the mission then waits for.
    calls: FuturesUnordered<JoinHandle<LegReply>>,
    /// The legs whose calls are under way.
    called: BTreeSet<usize>,
}

struct LegReply {
    at: usize,
    reply: CallReply,
}

impl Drive<'_> {
    async fn run(&mut self) -> Result<(), StoreError> {
        if !self.save().await? {
            return Ok(());
        }
        loop {
            self.call_legs_in_flight().await?;
            let now = Timestamp::now();
            match self.mission.next(now) {
                Next::Start(legs) => self.start(&legs),
                Next::Wait => {
                    if !self.wait().await? {
                        return Ok(());
                    }
                }
                Next::PrepareUndo(at) => self.prepare_undo(at, now),
                Next::Undo(at) => {
                    if !self.undo(at).await? {
                        return Ok(());
                    }
                }
                Next::Sleep(until) => {
                    let pause = millis_between(now, until);
                    if pause > SHORT_PAUSE {
                        self.record.due = Some(until);
                        self.put()?;
                        self.pipeline.store().save_mission(&mut self.record).await?;
                        return Ok(());
                    }
                    tokio::select! {
                        () = self.pipeline.stopped() => return Ok(()),
                        () = tokio::time::sleep(pause) => {}
                    }
                    continue;
                }
                Next::End(state) => {
                    self.mission.state = state;
                    self.record.ended_at = Some(Timestamp::now());
                    self.record.due = None;
                    self.put()?;
                    let is_saved = self.pipeline.store().save_mission(&mut self.record).await?;
                    stage("ended");
                    if is_saved && state == MissionState::RolledBackWithResiduals {
                        tracing::warn!(
                            mission = self.record.id,
                            "a mission left something that could not be taken back"
                        );
                    }
                    return Ok(());
                }
            }
            if !self.save().await? {
                return Ok(());
            }
        }
    }

    fn put(&mut self) -> Result<(), StoreError> {
        put(&mut self.record, &self.mission)
    }

    /// Saves the state and renews the lease. Returns false if another process has the mission.
    async fn save(&mut self) -> Result<bool, StoreError> {
        self.put()?;
        self.record.holder = self.pipeline.node().to_owned();
        self.record.due = Some(Timestamp::now().after(LEASE));
        let is_saved = self.pipeline.store().save_mission(&mut self.record).await?;
        stage("saved");
        Ok(is_saved)
    }

    /// Fills in the arguments of legs. Their calls begin when that is saved.
    fn start(&mut self, legs: &[usize]) {
        for at in legs {
            let filled = {
                let outputs = &self.mission.legs;
                let root = |name: &str| {
                    let leg = outputs.iter().find(|leg| leg.id == name)?;
                    leg.output.as_ref()
                };
                let known: Vec<&str> = outputs.iter().map(|leg| leg.id.as_str()).collect();
                STEP_MARKS.fill(&outputs[*at].arguments, &root, &known)
            };
            match filled {
                Ok(input) => {
                    let leg = &mut self.mission.legs[*at];
                    leg.input = Some(input);
                    leg.state = LegState::InFlight;
                    leg.attempts += 1;
                }
                Err(error) => {
                    let error = ToolError::new(
                        ErrorCode::InvalidInput,
                        format!("Its arguments cannot be filled in: {error}."),
                    );
                    let now = Timestamp::now();
                    self.mission
                        .finish_leg(*at, LegResult::Failed(error), false, now);
                }
            }
        }
    }

    /// Makes the calls of legs that are in flight and not called by this process yet; after a crash, that finds what came of them.
    async fn call_legs_in_flight(&mut self) -> Result<(), StoreError> {
        for at in 0..self.mission.legs.len() {
            if self.mission.legs[at].state == LegState::InFlight && self.called.insert(at) {
                let call = self.leg_call(at).await?;
                let pipeline = self.pipeline.clone();
                self.calls.push(self.pipeline.spawn(async move {
                    let reply = pipeline.call(call).await;
                    LegReply { at, reply }
                }));
            }
        }
        Ok(())
    }

    /// Waits for the next call to end. Returns false if this process must let the mission go.
    async fn wait(&mut self) -> Result<bool, StoreError> {
        // Nothing is under way, so waiting here would never end; whoever looks at the mission next starts over.
        if self.calls.is_empty() {
            return Ok(false);
        }
        let next = tokio::time::timeout(RENEWAL, self.calls.next());
        let reply = tokio::select! {
            () = self.pipeline.stopped() => return Ok(false),
            reply = next => reply,
        };
        let LegReply { at, reply } = match reply {
            Ok(Some(Ok(ended))) => ended,
            // The row of the call says what came of it; whoever takes the mission over finds it there.
            Ok(Some(Err(_panicked))) => return Ok(false),
            // Only the lease is renewed.
            Ok(None) | Err(_) => return Ok(true),
        };
        // A call that ended because the server stops is looked at after the restart.
        if self.pipeline.is_stopping() {
            return Ok(false);
        }
        self.called.remove(&at);
        let entry = self.entry(&self.mission.legs[at].tool);
        let manifest = entry.as_ref().map(|entry| entry.manifest());
        let has_effect = manifest.is_none_or(|manifest| manifest.effect() != Effect::None);
        let is_idempotent = manifest.is_some_and(|manifest| manifest.idempotent);
        let result = leg_result(reply.outcome, has_effect);
        let leg = &mut self.mission.legs[at];
        if let LegResult::Unknown(error) = &result
            && error.code == ErrorCode::OutcomeUnknown
            && is_idempotent
            && leg.attempts < SENDS_MAX
        {
            // The vendor recognises the key, so sending again cannot do it twice.
            leg.attempts += 1;
            return Ok(true);
        }
        self.mission
            .finish_leg(at, result, has_effect, Timestamp::now());
        Ok(true)
    }

    fn entry(&self, tool: &str) -> Option<std::sync::Arc<Entry>> {
        let tools = self.pipeline.tools();
        let found = tools.find(None, tool);
        found
            .or_else(|_ambiguous| tools.find(Some(Scope::Site), tool))
            .ok()
    }

    fn prepare_undo(&mut self, at: usize, now: Timestamp) {
        self.mission.state = MissionState::RollingBack;
        let leg = &self.mission.legs[at];
        let prepared = self.undo_of(at);
        match prepared {
            Err(reason) => {
                let reason = match leg.state {
                    LegState::Unknown => format!("Nobody knows whether it was done. {reason}"),
                    _ => reason,
                };
                self.mission.leave_to_person(at, reason);
            }
            Ok(undo) if undo.until < now => {
                let reason = "The time in which it could be taken back is over.".to_owned();
                self.mission.leave_to_person(at, reason);
            }
            Ok(undo) => {
                let leg = &mut self.mission.legs[at];
                leg.undo = Some(undo);
                leg.state = LegState::RollbackPending;
            }
        }
    }

    fn undo_of(&self, at: usize) -> Result<Undo, String> {
        let leg = &self.mission.legs[at];
        let gone = |name: &str| format!("The tool `{name}` is no longer there.");
        let forward = self.entry(&leg.tool).ok_or_else(|| gone(&leg.tool))?;
        let forward = forward.definition();
        let tool = counterpart(forward)?;
        let cancel = self.entry(tool).ok_or_else(|| gone(tool))?;
        let key = vendor_key(&self.context(), &leg.tool, &self.effect_key(at));
        let arguments = undo_arguments(leg, forward, cancel.definition(), &key)?;
        let since = leg.effect.map_or(self.record.at, |effect| effect.at);
        let window = Duration::from_secs(forward.rollback.window_seconds.into());
        Ok(Undo {
            tool: tool.to_owned(),
            arguments,
            attempts: 0,
            next_at: since,
            until: since.after(window),
            error: None,
        })
    }

    /// Makes one attempt to take a leg back. Returns false if this process must let the mission go.
    async fn undo(&mut self, at: usize) -> Result<bool, StoreError> {
        let Some(undo) = self.mission.legs[at].undo.clone() else {
            return Ok(true);
        };
        let effect_key = format!("{}:undo", self.effect_key(at));
        let mission = MissionCall {
            effect_key: effect_key.clone(),
            approved_by: self.mission.approved_by.clone(),
            is_compensation: true,
        };
        // Whoever started the mission may have lost their permissions since; what they did is taken back all the same.
        let capabilities = self.mission.caller.capabilities.clone();
        let call = Call {
            key: Some(format!("{effect_key}:{}", undo.attempts + 1)),
            mission: Some(mission),
            ..self.call(&undo.tool, undo.arguments, capabilities)
        };
        let reply = self.pipeline.call(call).await;
        if self.pipeline.is_stopping() {
            return Ok(false);
        }
        let cancel = self.entry(&undo.tool);
        let conflict_is_done =
            cancel.is_some_and(|cancel| cancel.definition().rollback.conflict_means_cancelled);
        let result = undo_result(reply.outcome, conflict_is_done);
        self.mission.finish_undo(at, result, Timestamp::now());
        Ok(true)
    }

    async fn leg_call(&mut self, at: usize) -> Result<Call, StoreError> {
        let leg = &self.mission.legs[at];
        let now = Timestamp::now();
        let present = self
            .pipeline
            .store()
            .capabilities_of(&self.record.site, &self.record.actor, now)
            .await?;
        let capabilities = self
            .mission
            .caller
            .capabilities
            .within(&present.unwrap_or_default());
        let effect_key = self.effect_key(at);
        let mission = MissionCall {
            effect_key: effect_key.clone(),
            approved_by: self.mission.approved_by.clone(),
            is_compensation: false,
        };
        let mut call = Call {
            key: Some(format!("{effect_key}:{}", leg.attempts)),
            mission: Some(mission),
            ..self.call(
                &leg.tool,
                leg.input.clone().unwrap_or_default(),
                capabilities,
            )
        };
        // What a vendor answered is in the arguments of the legs that use it.
        if leg.input.as_ref() != Some(&leg.arguments) {
            call.by.taint = Taint::Untrusted;
        }
        Ok(call)
    }

    fn call(&self, tool: &str, arguments: Value, capabilities: CapabilitySet) -> Call {
        let caller = &self.mission.caller;
        let by = Stamp {
            actor: self.record.actor.clone(),
            at: Timestamp::now(),
        };
        let committer = Committer {
            taint: caller.taint,
            ..Committer::new(caller.author.clone(), capabilities, by)
        };
        let is_known = self.pipeline.tools().find(None, tool).is_ok();
        Call {
            scope: (!is_known).then_some(Scope::Site),
            person: caller.person.clone(),
            session: caller.session.clone(),
            planner: caller.planner.clone(),
            ..Call::new(self.record.site.clone(), tool, arguments, committer)
        }
    }

    /// The key of a leg's effect: the same however often the call is made.
    fn effect_key(&self, at: usize) -> String {
        format!("mission:{}:{}", self.record.id, self.mission.legs[at].id)
    }

    fn context(&self) -> ToolContext {
        let caller = &self.mission.caller;
        ToolContext {
            site_id: self.record.site.to_string(),
            session_id: caller.session.clone(),
            user_id: caller.person.clone(),
            trace_id: self.record.id.clone(),
            planner_provider: caller.planner.clone(),
        }
    }
}

/// Tells how far a mission has come; tests listen to it and die there.
fn stage(name: &str) {
    tracing::debug!(target: "sitewright::mission", stage = name);
}

fn millis_between(now: Timestamp, until: Timestamp) -> Duration {
    let millis = until.millis().saturating_sub(now.millis());
    Duration::from_millis(u64::try_from(millis).unwrap_or_default())
}

fn leg_result(outcome: CallOutcome, has_effect: bool) -> LegResult {
    match outcome {
        CallOutcome::Done(answer) => LegResult::Done(answer.data),
        CallOutcome::Unknown(error) => LegResult::Unknown(error),
        CallOutcome::Waiting(pending) => LegResult::Failed(pending.error()),
        CallOutcome::Refused(error) if has_effect && is_done_without_answer(&error) => {
            LegResult::Unknown(error)
        }
        CallOutcome::Refused(error) => LegResult::Failed(error),
    }
}

/// Whether the tool reported success and only its answer cannot be used: the effect has happened.
fn is_done_without_answer(error: &ToolError) -> bool {
    let status = error
        .details
        .as_ref()
        .and_then(|details| details.get("status"));
    match error.code {
        ErrorCode::InvalidOutput => true,
        // With a status, the vendor itself says that something is too large.
        ErrorCode::TooLarge => status.is_none(),
        _ => false,
    }
}

fn undo_result(outcome: CallOutcome, conflict_is_done: bool) -> UndoResult {
    let error = match outcome {
        CallOutcome::Done(_) => return UndoResult::Done,
        CallOutcome::Unknown(error) => return UndoResult::Again(error),
        CallOutcome::Waiting(pending) => return UndoResult::Failed(pending.error()),
        CallOutcome::Refused(error) => error,
    };
    let status = error
        .details
        .as_ref()
        .and_then(|details| details["status"].as_u64());
    if is_done_without_answer(&error) || (conflict_is_done && status == Some(409)) {
        return UndoResult::Done;
    }
    match error.retryable {
        true => UndoResult::Again(error),
        false => UndoResult::Failed(error),
    }
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

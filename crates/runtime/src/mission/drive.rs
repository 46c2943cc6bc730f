//! One mission while this process drives it: the calls of its legs, the approvals they wait for, and taking them back.

use std::collections::BTreeSet;
use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use serde_json::Value;
use sitewright_store::{
    CallState, Committer, MissionRecord, Stamp, Step, StepError, StepRecord, StoreError, Timestamp,
};
use sitewright_tool::{CapabilitySet, Effect, ErrorCode, Scope, Taint, ToolContext, ToolError};
use tokio::task::JoinHandle;

use super::engine::{LEASE, put, stage};
use super::result::{leg_result, undo_result};
use super::state::{
    LegApproval, LegResult, LegState, Mission, MissionCall, MissionState, Next, Undo,
};
use super::undo::{UndoSource, counterpart, undo_arguments};
use super::unseen::has_unseen_values;
use crate::interpolation::STEP_MARKS;
use crate::registry::Entry;
use crate::{Call, CallOutcome, CallReply, Pipeline, vendor_key};

/// How often a process that waits for a call renews its lease.
const RENEWAL: Duration = Duration::from_secs(20);
/// A process waits this long for the next attempt to take a leg back; for a longer pause it lets the mission go.
const SHORT_PAUSE: Duration = Duration::from_secs(6);
/// The longest time that a leg waits for its own approval.
const APPROVAL: Duration = Duration::from_secs(24 * 60 * 60);
/// How often the call of a leg is sent again when its outcome is unknown and its vendor recognises repeats.
const SENDS_MAX: u32 = 4;

/// A mission while this process drives it.
pub(super) struct Drive<'a> {
    pipeline: &'a Pipeline,
    record: MissionRecord,
    mission: Mission,
    /// The calls of legs, as tasks of their own. A call that were polled only while this waits for it could hold the one connection
    /// that writes to SQLite, which saving the mission then waits for.
    calls: FuturesUnordered<JoinHandle<LegReply>>,
    /// The legs whose calls are under way.
    called: BTreeSet<usize>,
    /// Whether a leg has ended since the last save. Its call's row says what came of it, so it is saved with what follows from it.
    has_unsaved_end: bool,
}

struct LegReply {
    at: usize,
    reply: CallReply,
}

impl<'a> Drive<'a> {
    pub(super) fn new(pipeline: &'a Pipeline, record: MissionRecord, mission: Mission) -> Self {
        Self {
            pipeline,
            record,
            mission,
            calls: FuturesUnordered::new(),
            called: BTreeSet::new(),
            has_unsaved_end: false,
        }
    }

    pub(super) async fn run(&mut self) -> Result<(), StoreError> {
        if !self.save().await? {
            return Ok(());
        }
        loop {
            self.look_at_approvals().await?;
            self.call_legs_in_flight().await?;
            let now = Timestamp::now();
            let next = self.mission.next(now);
            let is_saved_next =
                matches!(next, Next::Start(_) | Next::PrepareUndo(_) | Next::End(_));
            if self.has_unsaved_end && !is_saved_next && !self.save().await? {
                return Ok(());
            }
            match next {
                Next::Start(legs) => self.start(&legs),
                Next::Wait => {
                    if !self.wait().await? {
                        return Ok(());
                    }
                    if self.has_unsaved_end {
                        continue;
                    }
                }
                Next::AwaitApproval => return self.let_go(now.after(LEASE)).await,
                Next::Withdraw(at) => self.withdraw(at).await?,
                Next::PrepareUndo(at) => self.prepare_undo(at, now),
                Next::Undo(at) => {
                    if !self.undo(at).await? {
                        return Ok(());
                    }
                }
                Next::Sleep(until) => {
                    let pause = millis_between(now, until);
                    if pause > SHORT_PAUSE {
                        return self.let_go(until).await;
                    }
                    tokio::select! {
                        () = self.pipeline.stopped() => return Ok(()),
                        () = tokio::time::sleep(pause) => {}
                    }
                    continue;
                }
                Next::End(state) => return self.end(state).await,
            }
            if !self.save().await? {
                return Ok(());
            }
        }
    }

    async fn end(&mut self, state: MissionState) -> Result<(), StoreError> {
        self.mission.state = state;
        self.record.ended_at = Some(self.record.ended_at.unwrap_or_else(Timestamp::now));
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
        Ok(())
    }

    /// Lets other processes have the mission, this one included, from a time on.
    async fn let_go(&mut self, due: Timestamp) -> Result<(), StoreError> {
        self.record.due = Some(due);
        self.put()?;
        self.pipeline.store().save_mission(&mut self.record).await?;
        Ok(())
    }

    /// Legs whose approval was decided on go on: their calls have run by then, or were refused, and the rows say what came of them.
    async fn look_at_approvals(&mut self) -> Result<(), StoreError> {
        for at in 0..self.mission.legs.len() {
            let Some(approval) = &self.mission.legs[at].approval else {
                continue;
            };
            let row = self
                .pipeline
                .store()
                .call(&self.record.site, &approval.call)
                .await?;
            if row.life.state != CallState::Waiting {
                self.mission.legs[at].go_on_after_approval();
            }
        }
        Ok(())
    }

    /// Takes the question back that a leg waits for, so that nobody can approve it after the rollback. If somebody just did, the call
    /// has its way, and its leg is taken back like the others.
    async fn withdraw(&mut self, at: usize) -> Result<(), StoreError> {
        let leg = &mut self.mission.legs[at];
        let Some(approval) = &leg.approval else {
            return Ok(());
        };
        let by = Stamp::local(Timestamp::now());
        let stepped = StepRecord {
            outcome: None,
            by: &by,
        };
        let store = self.pipeline.store();
        match store
            .step_call(&approval.call, &[Step::Withdraw], stepped)
            .await
        {
            Ok(_) => leg.approval = None,
            Err(StepError::No(_)) => leg.go_on_after_approval(),
            Err(StepError::Store(error)) => return Err(error),
        }
        Ok(())
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
        self.has_unsaved_end = false;
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
        if let CallOutcome::Waiting(pending) = &reply.outcome {
            let approval = LegApproval {
                call: pending.id.clone(),
                expires: pending.expires,
            };
            self.mission.legs[at].wait_for_approval(approval);
            return Ok(true);
        }
        // The leg stays in flight, and the call is asked for again.
        if self.is_still_running(at, &reply.outcome).await? {
            return Ok(true);
        }
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
        self.has_unsaved_end = true;
        Ok(true)
    }

    /// Whether a call was only not awaited any longer: another process runs it, or nobody has taken it over yet.
    async fn is_still_running(&self, at: usize, outcome: &CallOutcome) -> Result<bool, StoreError> {
        let CallOutcome::Refused(error) = outcome else {
            return Ok(false);
        };
        if error.code != ErrorCode::Timeout {
            return Ok(false);
        }
        let key = self.call_key(at);
        let (site, actor) = (&self.record.site, &self.record.actor);
        let row = self.pipeline.store().call_by_key(site, actor, &key).await?;
        let state = row.map(|row| row.life.state);
        Ok(matches!(state, Some(CallState::Ready | CallState::Running)))
    }

    fn entry(&self, tool: &str) -> Option<std::sync::Arc<Entry>> {
        let tools = self.pipeline.tools();
        let found = tools.find(None, tool);
        found
            .or_else(|_ambiguous| tools.find(Some(Scope::Site), tool))
            .ok()
    }

    fn prepare_undo(&mut self, at: usize, now: Timestamp) {
        if !self.mission.state.is_over() {
            self.mission.state = MissionState::RollingBack;
        }
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
                let reason = "It can no longer be cancelled: the time for that is over.".to_owned();
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
        let nothing = Value::Object(serde_json::Map::new());
        let done = UndoSource {
            input: leg.input.as_ref().unwrap_or(&nothing),
            output: leg.output.as_ref(),
            key: Some(&key),
        };
        let arguments = undo_arguments(done, forward, cancel.definition())?;
        let since = leg.effect.map_or(self.record.at, |effect| effect.at);
        let window = Duration::from_secs(forward.rollback.window_seconds.into());
        // A person who cancels later gets an attempt in any case: the vendor knows best whether it is too late.
        let grace = match self.mission.state.is_over() {
            true => Timestamp::now().after(LEASE),
            false => since,
        };
        Ok(Undo {
            tool: tool.to_owned(),
            arguments,
            attempts: 0,
            next_at: since,
            until: since.after(window).max(grace),
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
            id: self.record.id.clone(),
            approved_by: self.mission.approved_by.clone(),
            is_compensation: true,
            asks_until: None,
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
        // The card of the mission could not show these values, so its approval does not cover them.
        let is_unseen = has_unseen_values(leg, &self.mission.legs);
        let mission = MissionCall {
            effect_key: self.effect_key(at),
            id: self.record.id.clone(),
            approved_by: self.mission.approved_by.clone(),
            is_compensation: false,
            asks_until: is_unseen.then(|| self.approval_deadline(now)),
        };
        let mut call = Call {
            key: Some(self.call_key(at)),
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

    /// Until when a person may approve a leg: a day at most, and no longer than leaves half of the remaining time to take back each leg
    /// that is done.
    fn approval_deadline(&self, now: Timestamp) -> Timestamp {
        let mut deadline = now.after(APPROVAL);
        for leg in &self.mission.legs {
            let entry = self.entry(&leg.tool);
            let rollback = entry.as_ref().map(|entry| &entry.definition().rollback);
            let (Some(effect), Some(rollback)) = (leg.effect, rollback) else {
                continue;
            };
            if rollback.tool.is_some() {
                let window = Duration::from_secs(rollback.window_seconds.into());
                let left = millis_between(now, effect.at.after(window));
                deadline = deadline.min(now.after(left / 2));
            }
        }
        deadline
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

    /// The key of the latest call of a leg. A repeat after an unknown outcome has a row of its own.
    fn call_key(&self, at: usize) -> String {
        format!("{}:{}", self.effect_key(at), self.mission.legs[at].attempts)
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

fn millis_between(now: Timestamp, until: Timestamp) -> Duration {
    let millis = until.millis().saturating_sub(now.millis());
    Duration::from_millis(u64::try_from(millis).unwrap_or_default())
}

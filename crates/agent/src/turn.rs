//! A turn under way: what it needs to go on, and the loop's host, which stores what is said and runs the calls.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::future::BoxFuture;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sitewright_llm::{
    Block, Message, News, ProviderId, ToolCall, ToolOutcome, ToolResult, TurnEvent, TurnHost, Usage,
};
use sitewright_runtime::{Call, Pipeline};
use sitewright_site::{Author, BodyId, NodeId, SUBMIT_EDIT_PLAN, View};
use sitewright_store::{
    By, CallId, CallState, Committer, Store, StoreError, Timestamp, TurnRecord, TurnState,
};
use sitewright_tool::{
    Capability, CapabilitySet, Envelope, ErrorCode, Scope, Taint, ToolCapability,
};
use tokio::sync::{Notify, mpsc};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::board::{ApprovalRequest, Board, Event, SubmittedPlan};
use crate::deeds::Deeds;
use crate::default_tools::{FINAL_ANSWER, SEARCH_TOOLS, found_names};
use crate::desk::Desk;
use crate::history;
use crate::prompt::Stance;
use crate::toolbox::Toolbox;

/// How often a call that waits for a person is looked at, besides when somebody decides here.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// What a turn does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// It changes things.
    #[default]
    Edit,
    /// It hands in a plan.
    Plan,
}

/// Where tools of the editor run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Executor {
    /// In a tab, while one is there.
    Browser,
    /// On the server.
    Headless,
}

/// What is kept of a turn to go on with it.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Kept {
    pub(crate) owner: String,
    pub(crate) person: Option<String>,
    pub(crate) scope: Scope,
    pub(crate) mode: Mode,
    pub(crate) executor: Executor,
    pub(crate) provider: ProviderId,
    pub(crate) credential: Option<String>,
    pub(crate) model: String,
    pub(crate) capabilities: CapabilitySet,
    pub(crate) current: Option<BodyId>,
    pub(crate) selected: Option<NodeId>,
    pub(crate) breakpoint: Option<String>,
}

impl Kept {
    pub(crate) fn view(&self) -> View {
        View {
            current: self.current,
            selected: self.selected,
            breakpoint: self.breakpoint.clone(),
        }
    }

    pub(crate) fn stance(&self) -> Stance {
        match self.mode {
            Mode::Plan => Stance::Plan,
            Mode::Edit if self.capabilities.has(Capability::AiToolsWrite) => Stance::Edit,
            Mode::Edit => Stance::Look,
        }
    }
}

/// A turn under way on this node.
pub(crate) struct Turn {
    pub(crate) record: TurnRecord,
    pub(crate) kept: Kept,
    pub(crate) board: Arc<Board>,
    pub(crate) desk: Arc<Desk>,
    pub(crate) stop: CancellationToken,
}

/// What the loop left for the end of a turn.
#[derive(Debug, Default)]
pub(crate) struct Left {
    pub(crate) usage: Option<Usage>,
    pub(crate) context_tokens: Option<u64>,
    pub(crate) last: Option<TurnEvent>,
    pub(crate) plan: Option<Value>,
    pub(crate) answer: Option<String>,
    /// Why the turn cannot go on, in words.
    pub(crate) broken: Option<String>,
    /// Calls that wait for a person.
    pub(crate) waiting: Vec<CallId>,
}

/// The host of the loop.
pub(crate) struct Host<'a> {
    pub(crate) turn: &'a Turn,
    pub(crate) store: &'a Store,
    pub(crate) pipeline: &'a Pipeline,
    /// Rung when somebody decides on this node.
    pub(crate) decided: &'a Notify,
    pub(crate) toolbox: Mutex<Toolbox>,
    pub(crate) has_new_tools: AtomicBool,
    pub(crate) is_tainted: AtomicBool,
    pub(crate) rounds: AtomicU64,
    pub(crate) left: Mutex<Left>,
    pub(crate) deeds: Mutex<Deeds>,
    pub(crate) waited: Mutex<Waited>,
}

/// How long a turn has waited for people.
#[derive(Debug, Default)]
pub(crate) struct Waited {
    so_far: Duration,
    since: Option<Instant>,
}

impl TurnHost for Host<'_> {
    fn event(&self, event: TurnEvent) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            match &event {
                TurnEvent::Message(message) => return self.keep(message).await,
                // They are told once the rows say so, too: whoever hears the end may speak again at once.
                TurnEvent::Done | TurnEvent::Error { .. } => {
                    self.left().last = Some(event);
                    return;
                }
                TurnEvent::Usage(usage) => {
                    self.left().usage = Some(*usage);
                    // Built-in commands cost nothing, and say nothing about cost.
                    if self.turn.kept.provider == ProviderId::Offline {
                        return;
                    }
                }
                TurnEvent::Context { context_tokens } => {
                    if self.turn.kept.provider == ProviderId::Offline {
                        return;
                    }
                    self.left().context_tokens = Some(*context_tokens);
                }
                _ => {}
            }
            self.turn.board.model(&event);
        })
    }

    fn run(&self, batch: Vec<ToolCall>, done: mpsc::Sender<ToolOutcome>) -> BoxFuture<'_, ()> {
        Box::pin(self.run_batch(batch, done))
    }

    fn news(&self) -> BoxFuture<'_, News> {
        Box::pin(async {
            let said = match self.store.take_up_said(&self.turn.record).await {
                Ok(said) => said,
                Err(error) => {
                    self.broke(&error);
                    return News::default();
                }
            };
            let mut messages = Vec::new();
            for content in said {
                let Ok(content) = serde_json::from_str::<Vec<Block>>(&content) else {
                    continue;
                };
                let text = text_of(&content);
                self.turn.board.own(&Event::TakenUp { text });
                messages.push(Message {
                    role: sitewright_llm::Role::User,
                    content,
                });
            }
            let is_new = self.has_new_tools.swap(false, Ordering::Relaxed);
            News {
                said: messages,
                tools: is_new.then(|| self.toolbox().specs()),
            }
        })
    }

    fn waited(&self) -> Duration {
        let waited = self.waited.lock().unwrap_or_else(PoisonError::into_inner);
        let now = waited
            .since
            .map(|since| since.elapsed())
            .unwrap_or_default();
        waited.so_far + now
    }
}

impl Host<'_> {
    pub(crate) fn left(&self) -> MutexGuard<'_, Left> {
        self.left.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn toolbox(&self) -> MutexGuard<'_, Toolbox> {
        self.toolbox.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn deeds(&self) -> MutexGuard<'_, Deeds> {
        self.deeds.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps a message before anything builds on it.
    async fn keep(&self, message: &Message) {
        let role = history::role(message.role);
        let kept = match serde_json::to_string(&message.content) {
            Ok(content) => {
                let at = Timestamp::now();
                let message = (role, content.as_str());
                self.store.add_message(&self.turn.record, message, at).await
            }
            Err(_unwritable) => Err(StoreError::Unstorable),
        };
        if let Err(error) = kept {
            self.broke(&error);
        }
    }

    /// The turn cannot go on.
    fn broke(&self, error: &StoreError) {
        tracing::error!(
            error = error as &dyn std::error::Error,
            turn = %self.turn.record.id,
            "a turn cannot go on"
        );
        self.left().broken.get_or_insert_with(|| {
            "The conversation could not be stored, so the assistant stopped. Try again.".to_owned()
        });
        self.turn.stop.cancel();
    }

    async fn run_batch(&self, batch: Vec<ToolCall>, done: mpsc::Sender<ToolOutcome>) {
        let round = self.rounds.fetch_add(1, Ordering::Relaxed);
        let seq = match self.store.live_site(&self.turn.record.site).await {
            Ok(live) => live.seq(),
            Err(error) => return self.broke(&error),
        };
        let mut runnable = Vec::with_capacity(batch.len());
        for call in batch {
            match self.objection(&call).await {
                Some(objection) => {
                    let result = ToolResult::failed(&call, objection);
                    let outcome = ToolOutcome {
                        result,
                        ends_turn: false,
                    };
                    drop(done.send(outcome).await);
                }
                None => runnable.push(call),
            }
        }
        let calls = runnable.iter().map(|call| self.call(call, round));
        let calls: Vec<Call> = calls.collect();
        let (told, mut heard) = mpsc::channel(calls.len().max(1));
        let mut waiting = Vec::new();
        let take = async {
            while let Some((at, envelope)) = heard.recv().await {
                match approval_of(&envelope) {
                    Some(id) => waiting.push((at, id, envelope)),
                    None => self.settle(&runnable[at], envelope, seq, &done).await,
                }
            }
        };
        tokio::join!(self.pipeline.call_all(calls.clone(), told), take);
        if !waiting.is_empty() {
            let asked = waiting
                .into_iter()
                .map(|(at, id, envelope)| (&runnable[at], id, envelope))
                .collect();
            self.wait_for_people(asked, (round, seq), &done).await;
        }
        if self.turn.desk.is_silent() {
            self.left().broken = Some(
                "The editor did not answer within 90 seconds, so the assistant stopped. Reload the page and try again.".to_owned(),
            );
            self.turn.stop.cancel();
        }
    }

    /// Why a call is not made at all.
    async fn objection(&self, call: &ToolCall) -> Option<String> {
        if call.tool_name != FINAL_ANSWER {
            return None;
        }
        let deeds = self.deeds().clone();
        let wrong = deeds.mismatches(self.store, &self.turn.record.site).await;
        match wrong {
            Ok(wrong) if wrong.is_empty() || self.deeds().was_told(&wrong) => None,
            Ok(wrong) => Some(format!(
                "Before you answer, look at this again: {}. Put it right, or give an answer that says so.",
                wrong.join("; ")
            )),
            Err(error) => {
                self.broke(&error);
                Some("What was changed could not be looked at.".to_owned())
            }
        }
    }

    fn call(&self, call: &ToolCall, round: u64) -> Call {
        let Turn {
            record, kept, desk, ..
        } = self.turn;
        let taint = match self.is_tainted.load(Ordering::Relaxed) {
            true => Taint::Untrusted,
            false => Taint::Trusted,
        };
        let by = Committer {
            taint,
            ..Committer::new(
                Author::Agent {
                    id: kept.owner.clone(),
                },
                kept.capabilities.clone(),
                By {
                    actor: record.actor.clone(),
                    at: Timestamp::now(),
                },
            )
        };
        Call {
            scope: Some(kept.scope),
            key: Some(format!("{}:{}", record.id, call.tool_call_id)),
            person: kept.person.clone(),
            session: record.conversation.to_string(),
            planner: kept.provider.as_str().to_owned(),
            conversation: Some(record.conversation.to_string()),
            turn: Some(record.id.to_string()),
            round: Some(format!("{}-{round}", record.id)),
            editor: Some(Arc::clone(desk) as Arc<dyn sitewright_runtime::Editor>),
            stop: self.turn.stop.clone(),
            ..Call::new(record.site.clone(), &call.tool_name, call.input.clone(), by)
        }
    }

    /// Takes in what a tool answered and hands it on to the loop.
    async fn settle(
        &self,
        call: &ToolCall,
        envelope: Envelope,
        seq: u64,
        done: &mpsc::Sender<ToolOutcome>,
    ) {
        let name = call.tool_name.as_str();
        if envelope.taint == Taint::Untrusted {
            self.is_tainted.store(true, Ordering::Relaxed);
        }
        if envelope.ok {
            let data = envelope.data.as_ref();
            match name {
                "read_document" => {
                    let id = data.map(|data| data["document"]["id"].clone());
                    let body = id.and_then(|id| serde_json::from_value(id).ok());
                    self.turn.desk.has_read(body, seq);
                }
                SEARCH_TOOLS => {
                    let names: BTreeSet<String> = data.into_iter().flat_map(found_names).collect();
                    if self.toolbox().activate(&names) {
                        self.has_new_tools.store(true, Ordering::Relaxed);
                    }
                }
                SUBMIT_EDIT_PLAN => self.hand_in(data, seq),
                FINAL_ANSWER => {
                    let text = data.and_then(|data| data["text"].as_str());
                    self.left().answer = text.map(str::to_owned);
                }
                _ => {}
            }
        }
        let is_write = self
            .toolbox()
            .get(name)
            .is_some_and(|tool| tool.capability == ToolCapability::Write);
        if is_write {
            self.deeds().add(name, &envelope);
            if let Some(receipt) = envelope.receipt.as_ref().filter(|_| envelope.ok) {
                self.turn.board.own(&Event::Change {
                    tool_call_id: call.tool_call_id.clone(),
                    tool_name: name.to_owned(),
                    receipt: serde_json::to_value(receipt).unwrap_or_default(),
                });
            }
        }
        let ends_turn = envelope.ok && matches!(name, SUBMIT_EDIT_PLAN | FINAL_ANSWER);
        let outcome = ToolOutcome {
            ends_turn,
            ..ToolOutcome::new(call, envelope)
        };
        // A turn that was stopped does not listen any more.
        drop(done.send(outcome).await);
    }

    fn hand_in(&self, data: Option<&Value>, seq: u64) {
        let Some(plan) = data else { return };
        let mut left = self.left();
        let submitted = SubmittedPlan {
            base_seq: seq,
            plan: plan.clone(),
        };
        left.plan = Some(serde_json::json!(submitted));
        left.answer = plan["plan"]["summary_for_user"].as_str().map(str::to_owned);
        drop(left);
        self.turn.board.own(&Event::Plan {
            turn_id: self.turn.record.id.to_string(),
            plan: submitted,
        });
    }

    /// Waits until people have decided on every call that asks, and hands on what came of them.
    async fn wait_for_people(
        &self,
        asked: Vec<(&ToolCall, CallId, Envelope)>,
        (round, seq): (u64, u64),
        done: &mpsc::Sender<ToolOutcome>,
    ) {
        let _clock = self.start_waiting();
        self.left().waiting = asked.iter().map(|(_, id, _)| id.clone()).collect();
        // Whoever hears the question may count on the turn to wait for the answer, whatever happens to this process.
        if let Err(error) = self
            .store
            .mark_turn(&self.turn.record, TurnState::Waiting)
            .await
        {
            return self.broke(&error);
        }
        for (call, id, envelope) in &asked {
            self.ask(call, id, envelope).await;
        }
        let mut open = asked;
        let mut answers = Vec::new();
        while !open.is_empty() {
            let decided = self.decided.notified();
            let mut still_open = Vec::new();
            for (call, id, envelope) in open {
                let row = match self.store.call(&self.turn.record.site, &id).await {
                    Ok(row) => row,
                    Err(error) => return self.broke(&error),
                };
                if row.life.state == CallState::Waiting {
                    still_open.push((call, id, envelope));
                    continue;
                }
                self.turn.board.own(&Event::ApprovalResolved {
                    approval_id: id.to_string(),
                    tool_call_id: call.tool_call_id.clone(),
                    decision: match row.life.state {
                        CallState::Denied => "denied",
                        CallState::Expired => "expired",
                        _ => "approved",
                    },
                });
                self.left().waiting.retain(|waiting| *waiting != id);
                // The row tells what came of it.
                answers.push((call, self.pipeline.call(self.call(call, round)).await));
            }
            open = still_open;
            if !open.is_empty() {
                tokio::select! {
                    () = decided => {}
                    () = tokio::time::sleep(LOOK_EVERY) => {}
                }
            }
        }
        if let Err(error) = self
            .store
            .mark_turn(&self.turn.record, TurnState::Running)
            .await
        {
            return self.broke(&error);
        }
        // Last of all: once every answer is in, the loop goes on and this is not looked after any more.
        for (call, answer) in answers {
            self.settle(call, answer, seq, done).await;
        }
    }

    async fn ask(&self, call: &ToolCall, id: &CallId, envelope: &Envelope) {
        let row = self.store.call(&self.turn.record.site, id).await.ok();
        let error = envelope.error.as_ref();
        let title = self
            .toolbox()
            .get(&call.tool_name)
            .and_then(|tool| tool.title.clone());
        let request = ApprovalRequest {
            approval_id: id.to_string(),
            tool_call_id: call.tool_call_id.clone(),
            tool_name: call.tool_name.clone(),
            title: title.unwrap_or_else(|| call.tool_name.clone()),
            input: call.input.clone(),
            preview: row.as_ref().and_then(|row| row.preview.clone()),
            reason: error.map(|error| error.message.clone()).unwrap_or_default(),
            expires_at: row.and_then(|row| row.life.expires.map(Timestamp::millis)),
            path: format!("/admin/approvals/{id}"),
        };
        self.turn.board.own(&Event::ApprovalRequest(request));
    }

    fn start_waiting(&self) -> Clock<'_> {
        let mut waited = self.waited.lock().unwrap_or_else(PoisonError::into_inner);
        waited.since = Some(Instant::now());
        Clock(&self.waited)
    }
}

/// Stops the clock of waiting, however the waiting ends.
struct Clock<'a>(&'a Mutex<Waited>);

impl Drop for Clock<'_> {
    fn drop(&mut self) {
        let mut waited = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(since) = waited.since.take() {
            waited.so_far += since.elapsed();
        }
    }
}

/// The call that waits for a person, where an answer says so.
fn approval_of(envelope: &Envelope) -> Option<CallId> {
    let details = match &envelope.error {
        Some(error) if error.code == ErrorCode::ApprovalRequired => error.details.as_ref(),
        Some(_) => None,
        None => envelope.data.as_ref(),
    };
    let id = details?.get("approval")?.get("id")?.as_str()?;
    Some(CallId::from(id.to_owned()))
}

/// The words of a message.
pub(crate) fn text_of(content: &[Block]) -> String {
    let texts: Vec<&str> = content
        .iter()
        .filter_map(|block| match block {
            Block::Text { text, .. } => Some(text.as_str()),
            _ => None,
        })
        .collect();
    texts.join("\n")
}

//! The assistant of an instance: starts, finds, stops and resumes turns, and takes over those of a process that died.
//!
//! A turn is a task of this process, and everything that must survive a crash is in its rows. Closing a connection only ends that
//! watcher's subscription; the turn continues.

use std::collections::HashMap;
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::FutureExt as _;
use serde_json::{Value, json};
use sitewright_llm::{Block, ProviderId};
use sitewright_runtime::{CardDecision, Pipeline, TabAnswer};
use sitewright_site::{RecordId, View};
use sitewright_store::{
    Actor, CallId, Conversation, ConversationId, ConversationOwner, ConversationPatch,
    DatabaseKind, SiteId, Stamp, Store, StoreError, Timestamp, TurnBegun, TurnEnding, TurnId,
    TurnRecord, TurnState,
};
use sitewright_tool::{CapabilitySet, Scope};
use tokio::sync::{Notify, watch};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::board::{Board, Event, ShownBlock, Watch, shown};
use crate::bridge::{EditorBridge, Tab};
use crate::default_tools::ToolVisibility;
use crate::history;
use crate::outcome::{TurnOutcome, TurnStatus};
use crate::turn::{Executor, Mode, Turn, TurnRequest, text_of};
use crate::{AgentError, Models};

/// The lease on a turn: how long its holder counts as alive without renewing it.
const HELD_FOR: Duration = Duration::from_secs(60);
/// The longest title derived from a first message.
const TITLE_CHARS_MAX: usize = 60;
/// The model id that selects the built-in commands instead of a provider.
pub const OFFLINE: &str = "offline";

/// The assistant of an instance. Cheap to clone; clones share their state.
#[derive(Clone)]
pub struct Agent(pub(crate) Arc<Parts>);

pub(crate) struct Parts {
    pub(crate) store: Store,
    pub(crate) pipeline: Pipeline,
    pub(crate) models: Models,
    pub(crate) visible: ToolVisibility,
    /// Identifies this process as the holder of its turns.
    node: String,
    live: Mutex<HashMap<TurnId, Arc<Turn>>>,
    /// Notified whenever a turn begins or ends on this node.
    live_changed: watch::Sender<()>,
    pub(crate) decided: Notify,
    pub(crate) tasks: TaskTracker,
    pub(crate) stopping: CancellationToken,
}

/// A request that a turn sent to a tab.
#[derive(Debug, Clone, Copy)]
pub struct TabRequest<'a> {
    /// The connection of the tab to its turn.
    pub bridge: &'a str,
    /// The request, unique within its bridge.
    pub request: &'a str,
}

/// A message to send to a conversation, and the caller on whose behalf its turn runs.
#[derive(Debug, Clone)]
pub struct NewMessage {
    pub site: SiteId,
    pub conversation: ConversationId,
    /// The owner of the conversation.
    pub owner: String,
    /// The person the actor acts for, if there is one.
    pub person: Option<String>,
    /// The author of the message.
    pub actor: Actor,
    /// The author's capabilities. The assistant has no others, and not those that no agent has.
    pub capabilities: CapabilitySet,
    pub content: Vec<Block>,
    /// Whether the turn edits the site or proposes a plan.
    pub mode: Mode,
    /// Where the editor's tools run.
    pub executor: Executor,
    /// What the author's editor shows.
    pub view: View,
    /// The entry that the author's content workspace has open.
    pub entry: Option<RecordId>,
}

/// A caller's connection to a turn.
pub struct TurnHandle {
    pub turn: TurnId,
    pub watch: Watch,
    /// The attached tab. Dropping it detaches the tab, and the server takes over its tools.
    pub tab: Option<Tab>,
}

impl TurnHandle {
    /// A connection without a tab.
    pub(crate) fn of(turn: TurnId, watch: Watch) -> Self {
        Self {
            turn,
            watch,
            tab: None,
        }
    }
}

/// A turn that is running on this node.
#[derive(Debug, Clone, PartialEq)]
pub struct RunningTurn {
    pub turn: TurnId,
    pub conversation: ConversationId,
    /// The actor on whose behalf it runs.
    pub actor: Actor,
    /// The person the actor acts for, if there is one.
    pub person: Option<String>,
}

impl From<&Turn> for RunningTurn {
    fn from(turn: &Turn) -> Self {
        Self {
            turn: turn.record.id.clone(),
            conversation: turn.record.conversation.clone(),
            actor: turn.record.actor.clone(),
            person: turn.request.person.clone(),
        }
    }
}

impl Agent {
    /// Creates an assistant that calls tools through this pipeline; `visible` decides which tools a site may know of.
    pub fn new(store: Store, pipeline: Pipeline, models: Models, visible: ToolVisibility) -> Self {
        Self(Arc::new(Parts {
            store,
            pipeline,
            models,
            visible,
            node: uuid::Uuid::now_v7().simple().to_string(),
            live: Mutex::default(),
            live_changed: watch::Sender::default(),
            decided: Notify::new(),
            tasks: TaskTracker::new(),
            stopping: CancellationToken::new(),
        }))
    }

    /// The models and credentials of the instance.
    pub fn models(&self) -> &Models {
        &self.0.models
    }

    /// Creates a conversation. Without a model it gets the default of its scope, or the built-in commands if the site has no credentials.
    pub async fn begin_conversation(
        &self,
        ConversationOwner { site, owner }: ConversationOwner<'_>,
        scope: Scope,
        model: Option<(Option<String>, String)>,
        by: &Stamp,
    ) -> Result<Conversation, AgentError> {
        let (credential, model) = match model {
            Some((credential, model)) => (credential, Some(model)),
            None => self.default_model(site, scope).await?,
        };
        let conversation = Conversation {
            id: ConversationId::new(),
            site: site.clone(),
            owner: owner.to_owned(),
            scope,
            title: String::new(),
            credential,
            model,
            context_tokens: None,
            is_tainted: false,
            created_at: by.at,
            updated_at: by.at,
        };
        self.0.store.create_conversation(&conversation, by).await?;
        Ok(conversation)
    }

    async fn default_model(
        &self,
        site: &SiteId,
        scope: Scope,
    ) -> Result<(Option<String>, Option<String>), AgentError> {
        let default = self.0.store.ai_default(site, scope).await?;
        if let Some(default) = default {
            return Ok((
                Some(default.credential_id.to_string()),
                Some(default.model_id),
            ));
        }
        let has_any = !self.0.store.credentials(site).await?.is_empty();
        Ok((None, (!has_any).then(|| OFFLINE.to_owned())))
    }

    /// Sends a message to a conversation: starts a turn, or queues the message for the one that is running.
    pub async fn send(&self, sending: NewMessage) -> Result<TurnHandle, AgentError> {
        let store = &self.0.store;
        let place = ConversationOwner {
            site: &sending.site,
            owner: sending.owner.as_str(),
        };
        let conversation = store.conversation(place, &sending.conversation).await?;
        let request = self.request(&conversation, &sending).await?;
        let now = Timestamp::now();
        let newest = store.turns(&conversation.id, 1).await?;
        // A message for an open turn is paid for by what that turn has reserved.
        if newest.first().is_none_or(|turn| !turn.state.is_open()) {
            self.within_month(&request, &sending.site, &sending.actor, now)
                .await?;
        }
        let record = self.record(&conversation, &sending.actor, &request, now)?;
        let content = serde_json::to_string(&sending.content)
            .map_err(|_unwritable| StoreError::Unstorable)?;
        let text = text_of(&sending.content);
        match store.begin_turn(&record, &content).await? {
            TurnBegun::Queued(open) => {
                let live = self.live().get(&open.id).cloned();
                let Some(turn) = live else {
                    return Ok(self.watch_rows(*open).await?);
                };
                let watch = turn.board.watch();
                turn.board.own(&Event::Queued { text });
                Ok(TurnHandle {
                    turn: open.id,
                    watch,
                    tab: None,
                })
            }
            TurnBegun::Yes => {
                self.name(&conversation, &text).await?;
                let seq = store.live_site(&record.site).await?.seq();
                let start = TurnStart {
                    begin: Begin::New,
                    blocks: vec![ShownBlock::User { text }],
                    seq,
                };
                Ok(self.start(record, request, start))
            }
        }
    }

    /// Resumes an interrupted turn. Fails with [`AgentError::NotInterrupted`] if the turn cannot be reopened, and with
    /// [`AgentError::Inactive`] if the actor it runs for may no longer use the site.
    pub async fn go_on(
        &self,
        ConversationOwner { site, owner }: ConversationOwner<'_>,
        id: &TurnId,
    ) -> Result<TurnHandle, AgentError> {
        let record = self.turn_of(ConversationOwner { site, owner }, id).await?;
        let now = Timestamp::now();
        if self
            .0
            .store
            .capabilities_of(site, &record.actor, now)
            .await?
            .is_none()
        {
            return Err(AgentError::Inactive);
        }
        let until = now.after(HELD_FOR);
        let node = self.0.node.as_str();
        if !self.0.store.reopen_turn(&record, node, until).await? {
            return Err(AgentError::NotInterrupted);
        }
        self.again(TurnRecord {
            holder: node.to_owned(),
            held_until: until,
            state: TurnState::Running,
            ended_at: None,
            ..record
        })
        .await
    }

    /// Subscribes to the events of a turn, beginning with a snapshot of its state. A tab that names the bridge is attached again.
    pub async fn watch(
        &self,
        ConversationOwner { site, owner }: ConversationOwner<'_>,
        id: &TurnId,
        bridge: Option<&str>,
    ) -> Result<TurnHandle, AgentError> {
        let record = self.turn_of(ConversationOwner { site, owner }, id).await?;
        let live = self.live().get(id).cloned();
        let Some(turn) = live else {
            return Ok(self.watch_rows(record).await?);
        };
        let is_tab = bridge.is_some_and(|bridge| bridge == turn.bridge.bridge_id);
        Ok(TurnHandle {
            turn: id.clone(),
            watch: turn.board.watch(),
            tab: is_tab.then(|| turn.bridge.attach_tab()),
        })
    }

    /// Stops a turn, on whichever node it runs. Returns false if it is over.
    pub async fn abort(
        &self,
        ConversationOwner { site, owner }: ConversationOwner<'_>,
        id: &TurnId,
    ) -> Result<bool, AgentError> {
        let record = self.turn_of(ConversationOwner { site, owner }, id).await?;
        let live = self.live().get(id).cloned();
        let Some(turn) = live else {
            return Ok(record.state.is_open() && self.0.store.ask_turn_to_stop(&record).await?);
        };
        turn.stop.cancel();
        Ok(true)
    }

    /// Delivers a tab's answer. Returns false if no call waits for it any more.
    pub fn answer(
        &self,
        owner: &str,
        asked: TabRequest<'_>,
        answer: TabAnswer,
        view: Option<View>,
    ) -> bool {
        let Some(turn) = self.turn_at(owner, asked.bridge) else {
            return false;
        };
        // The answer lets the next call run, and that call must see the new view.
        if let Some(view) = view {
            turn.bridge.shows(view);
        }
        turn.bridge.answered(asked.request, answer)
    }

    /// What the assistant said at the end of a turn; `None` while the turn is open, or if it ended without an answer.
    pub async fn final_text(
        &self,
        site: &SiteId,
        id: &TurnId,
    ) -> Result<Option<String>, AgentError> {
        let record = self.0.store.turn(site, id).await?;
        if record.state != TurnState::Done {
            return Ok(None);
        }
        let messages = self.messages_of(&record).await?;
        let mut answers = messages
            .iter()
            .rev()
            .filter(|message| message.role == sitewright_llm::Role::Assistant)
            .map(|message| text_of(&message.content));
        Ok(answers.find(|text| !text.trim().is_empty()))
    }

    /// The state of a turn.
    pub async fn turn_state(&self, site: &SiteId, id: &TurnId) -> Result<TurnState, AgentError> {
        Ok(self.0.store.turn(site, id).await?.state)
    }

    /// Whether the call that a tab was asked to run is a write; `None` if no call waits for its answer.
    pub fn waits_for(&self, owner: &str, asked: TabRequest<'_>) -> Option<bool> {
        let turn = self.turn_at(owner, asked.bridge)?;
        turn.bridge.waits_for(asked.request)
    }

    /// Wakes the turns that wait for an approval, after a decision was made on this node.
    pub fn decided(&self) {
        self.0.decided.notify_waiters();
    }

    /// The number of turns running on this node, and of answers from tabs that they wait for.
    pub fn under_way(&self) -> (usize, usize) {
        let live = self.live();
        let pending = live.values().map(|turn| turn.bridge.pending()).sum();
        (live.len(), pending)
    }

    /// The turns of a site that are running on this node, oldest first.
    pub fn running(&self, site: &SiteId) -> Vec<RunningTurn> {
        let live = self.live();
        let turns = live.values().filter(|turn| turn.record.site == *site);
        let mut running: Vec<RunningTurn> = turns.map(|turn| RunningTurn::from(&**turn)).collect();
        running.sort_by(|one, other| one.turn.cmp(&other.turn));
        running
    }

    /// Notifies when a turn begins or ends on this node.
    pub fn running_changed(&self) -> watch::Receiver<()> {
        self.0.live_changed.subscribe()
    }

    /// Recovers after a restart: turns that wait for a person are resumed, those that were running become interrupted.
    pub async fn resume(&self) -> Result<(), StoreError> {
        // Only one process can hold a SQLite file, so the holder of these turns is gone and their leases need not run out first.
        let before = match self.0.store.backend() {
            DatabaseKind::Sqlite => Timestamp::from_millis(i64::MAX),
            DatabaseKind::Postgres => Timestamp::now(),
        };
        self.take_over(before).await
    }

    /// Renews the leases on this process's turns. It reads the clock itself: a time from before slow work would set a lease that has run
    /// out already.
    pub async fn renew_leases(&self) -> Result<(), StoreError> {
        if self.live().is_empty() {
            return Ok(());
        }
        let until = Timestamp::now().after(HELD_FOR);
        self.0.store.hold_turns(&self.0.node, until).await
    }

    /// Takes over turns of other processes whose lease has run out.
    pub async fn take_over_abandoned(&self) -> Result<(), StoreError> {
        self.take_over(Timestamp::now()).await
    }

    async fn take_over(&self, before: Timestamp) -> Result<(), StoreError> {
        for record in self.0.store.abandoned_turns(before).await? {
            let now = Timestamp::now();
            let until = now.after(HELD_FOR);
            let is_ours = record.holder == self.0.node;
            let (store, node) = (&self.0.store, self.0.node.as_str());
            if is_ours || !store.take_over_turn(&record, node, until).await? {
                continue;
            }
            let record = TurnRecord {
                holder: self.0.node.clone(),
                held_until: until,
                ..record
            };
            let present = self
                .0
                .store
                .capabilities_of(&record.site, &record.actor, now)
                .await?;
            if record.state == TurnState::Waiting && present.is_some() && !record.is_stop_asked() {
                if let Err(error) = self.again(record).await {
                    let error = &error as &dyn std::error::Error;
                    tracing::warn!(error, "a turn that waited cannot go on");
                }
                continue;
            }
            let (state, status) = match record.is_stop_asked() {
                true => (TurnState::Stopped, TurnStatus::Stopped),
                false => (TurnState::Interrupted, TurnStatus::Interrupted),
            };
            let outcome = json!(TurnOutcome::new(status));
            let by = Stamp {
                actor: record.actor.clone(),
                at: now,
            };
            let ending = TurnEnding {
                state,
                outcome: &outcome,
                context_tokens: None,
            };
            self.0.store.end_turn(&record, ending, &by).await?;
        }
        Ok(())
    }

    /// Stops every turn of this process. Running turns become interrupted and can be resumed; those that wait for a person stay waiting.
    pub async fn close(&self) {
        self.0.stopping.cancel();
        for turn in self.live().values() {
            turn.stop.cancel();
        }
        self.0.tasks.close();
        self.0.tasks.wait().await;
        self.0.models.close().await;
    }

    pub(crate) async fn turn_of(
        &self,
        ConversationOwner { site, owner }: ConversationOwner<'_>,
        id: &TurnId,
    ) -> Result<TurnRecord, AgentError> {
        let record = self.0.store.turn(site, id).await?;
        // A caller who cannot see the conversation must not learn that the turn exists.
        self.0
            .store
            .conversation(ConversationOwner { site, owner }, &record.conversation)
            .await?;
        Ok(record)
    }

    fn turn_at(&self, owner: &str, bridge: &str) -> Option<Arc<Turn>> {
        let live = self.live();
        let mut turns = live.values();
        let found =
            turns.find(|turn| turn.bridge.bridge_id == bridge && turn.request.owner == owner);
        found.cloned()
    }

    fn live(&self) -> MutexGuard<'_, HashMap<TurnId, Arc<Turn>>> {
        self.0.live.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn request(
        &self,
        conversation: &Conversation,
        sending: &NewMessage,
    ) -> Result<TurnRequest, AgentError> {
        let chosen = (conversation.credential.clone(), conversation.model.clone());
        let (credential, model) = match chosen {
            (credential, Some(model)) => (credential, Some(model)),
            (_, None) => {
                self.default_model(&sending.site, conversation.scope)
                    .await?
            }
        };
        let model = model.ok_or(AgentError::ChooseModel)?;
        let provider = match &credential {
            None if model == OFFLINE => ProviderId::Offline,
            None => return Err(AgentError::ChooseModel),
            Some(id) => {
                let id = id.clone().into();
                let credential = self.0.store.credential(&sending.site, &id).await;
                let credential = match credential {
                    Err(StoreError::NotFound { .. }) => return Err(AgentError::ChooseModel),
                    other => other?,
                };
                let corrupt = |_unknown| StoreError::Corrupt { what: "credential" };
                credential.provider_id.parse().map_err(corrupt)?
            }
        };
        Ok(TurnRequest {
            owner: sending.owner.clone(),
            person: sending.person.clone(),
            scope: conversation.scope,
            mode: sending.mode,
            executor: sending.executor,
            provider,
            credential,
            model,
            capabilities: sending.capabilities.within(&CapabilitySet::for_agents()),
            current: sending.view.current,
            selected: sending.view.selected,
            breakpoint: sending.view.breakpoint.clone(),
            entry: sending.entry,
        })
    }

    fn record(
        &self,
        conversation: &Conversation,
        actor: &Actor,
        request: &TurnRequest,
        now: Timestamp,
    ) -> Result<TurnRecord, StoreError> {
        Ok(TurnRecord {
            id: TurnId::new(),
            site: conversation.site.clone(),
            conversation: conversation.id.clone(),
            actor: actor.clone(),
            state: TurnState::Running,
            request: serde_json::to_value(request).map_err(|_unwritable| StoreError::Unstorable)?,
            outcome: None,
            holder: self.0.node.clone(),
            held_until: now.after(HELD_FOR),
            started_at: now,
            ended_at: None,
        })
    }

    /// Names an untitled conversation after the first line of its first message.
    async fn name(&self, conversation: &Conversation, text: &str) -> Result<(), StoreError> {
        if !conversation.title.is_empty() {
            return Ok(());
        }
        let line = text.lines().next().unwrap_or_default().trim();
        let title: String = line.chars().take(TITLE_CHARS_MAX).collect();
        let patch = ConversationPatch {
            title: Some(title),
            model: None,
        };
        let place = ConversationOwner {
            site: &conversation.site,
            owner: conversation.owner.as_str(),
        };
        self.0
            .store
            .change_conversation(place, &conversation.id, &patch)
            .await?;
        Ok(())
    }

    /// Restarts the task of a turn from its rows.
    async fn again(&self, record: TurnRecord) -> Result<TurnHandle, AgentError> {
        let request = self
            .request_of(&record.request, &record.site, &record.actor)
            .await?;
        let start = TurnStart {
            begin: Begin::Again,
            blocks: shown(&self.messages_of(&record).await?),
            seq: self.0.store.live_site(&record.site).await?.seq(),
        };
        Ok(self.start(record, request, start))
    }

    /// A stored request, with the capabilities that were stored as far as its actor still has them.
    pub(crate) async fn request_of(
        &self,
        stored: &Value,
        site: &SiteId,
        actor: &Actor,
    ) -> Result<TurnRequest, AgentError> {
        let corrupt = |_bad| StoreError::Corrupt { what: "turn" };
        let request: TurnRequest = serde_json::from_value(stored.clone()).map_err(corrupt)?;
        let now = Timestamp::now();
        let present = self.0.store.capabilities_of(site, actor, now).await?;
        let present = present.ok_or(AgentError::Inactive)?;
        Ok(TurnRequest {
            capabilities: request.capabilities.within(&present),
            ..request
        })
    }

    pub(crate) async fn messages_of(
        &self,
        record: &TurnRecord,
    ) -> Result<Vec<sitewright_llm::Message>, StoreError> {
        let mut rows = self.0.store.messages(&record.conversation).await?;
        rows.retain(|row| row.turn == record.id);
        rows.iter()
            .map(|row| history::message(&row.role, &row.content))
            .collect()
    }

    /// Spawns the task of a turn.
    fn start(&self, record: TurnRecord, request: TurnRequest, start: TurnStart) -> TurnHandle {
        let TurnStart { begin, blocks, seq } = start;
        let board = Board::new(record.id.as_str(), record.conversation.as_str(), blocks);
        let board = Arc::new(board);
        let bridge = Arc::new(EditorBridge::new(Arc::clone(&board), request.view(), seq));
        let turn = Arc::new(Turn {
            record,
            request,
            board,
            bridge,
            stop: CancellationToken::new(),
        });
        let id = turn.record.id.clone();
        self.live().insert(id.clone(), Arc::clone(&turn));
        self.0.live_changed.send_replace(());
        let watch = match begin {
            Begin::New => turn.board.watch().without_state(),
            Begin::Again => turn.board.watch(),
        };
        let is_tab = turn.request.executor == Executor::Browser && begin == Begin::New;
        let tab = is_tab.then(|| turn.bridge.attach_tab());
        turn.board.own(&Event::BridgeReady {
            bridge_id: turn.bridge.bridge_id.clone(),
            turn_id: id.to_string(),
            epoch: turn.board.epoch(),
        });
        let agent = self.clone();
        self.0
            .tasks
            .spawn(async move { agent.work(turn, begin).await });
        TurnHandle {
            turn: id,
            watch,
            tab,
        }
    }

    /// Runs a turn to its end. A panic ends the turn as failed; otherwise its row would stay open and its watchers would wait forever.
    async fn work(&self, turn: Arc<Turn>, begin: Begin) {
        let run = AssertUnwindSafe(self.run(&turn, begin == Begin::Again)).catch_unwind();
        let ended = tokio::select! {
            ended = run => ended,
            never = self.heed_stop(&turn) => match never {},
        };
        if ended.is_err() {
            tracing::error!(turn = %turn.record.id, "a turn broke down");
            let outcome = TurnOutcome::failed("The assistant broke down.");
            self.end(&turn, TurnState::Failed, &outcome, None).await;
            turn.board.model(&sitewright_llm::TurnEvent::Error {
                message: "The assistant broke down; this is a mistake of ours. Try again."
                    .to_owned(),
                class: sitewright_llm::ErrorClass::Server,
            });
        }
        self.forget(&turn);
    }

    /// Removes a turn from those running on this node.
    pub(crate) fn forget(&self, turn: &Turn) {
        self.live().remove(&turn.record.id);
        self.0.live_changed.send_replace(());
    }

    /// Stores the end of a turn. Returns false if it was over already, or if the write fails, which is logged here.
    pub(crate) async fn end(
        &self,
        turn: &Turn,
        state: TurnState,
        outcome: &TurnOutcome,
        context_tokens: Option<u64>,
    ) -> bool {
        let by = Stamp {
            actor: turn.record.actor.clone(),
            at: Timestamp::now(),
        };
        let ending = TurnEnding {
            state,
            outcome: &json!(outcome),
            context_tokens,
        };
        let ended = self.0.store.end_turn(&turn.record, ending, &by).await;
        ended.unwrap_or_else(|error| {
            let error = &error as &dyn std::error::Error;
            tracing::error!(error, turn = %turn.record.id, "the end of a turn could not be stored");
            false
        })
    }

    /// Starts a turn for messages that were queued during the last one and that it did not pick up. Returns `None` if there are none.
    ///
    /// The turn runs for the sender of the oldest message, with what the sender's own request stated, and not with what the last turn had.
    pub(crate) async fn next_turn(&self, turn: &Turn) -> Result<Option<TurnId>, AgentError> {
        let store = &self.0.store;
        let Some(queued) = store.queued_message(&turn.record.conversation).await? else {
            return Ok(None);
        };
        let site = &turn.record.site;
        let request = self
            .request_of(&queued.request, site, &queued.actor)
            .await?;
        // No tab waits for this turn.
        let request = TurnRequest {
            executor: Executor::Headless,
            ..request
        };
        let place = ConversationOwner {
            site,
            owner: request.owner.as_str(),
        };
        let conversation = store.conversation(place, &turn.record.conversation).await?;
        let now = Timestamp::now();
        self.within_month(&request, site, &queued.actor, now)
            .await?;
        let record = self.record(&conversation, &queued.actor, &request, now)?;
        let said = store.begin_queued_turn(&record).await?;
        if said.is_empty() {
            return Ok(None);
        }
        let corrupt = |_bad| StoreError::Corrupt { what: "message" };
        let mut blocks = Vec::with_capacity(said.len());
        for content in &said {
            let content: Vec<Block> = serde_json::from_str(content).map_err(corrupt)?;
            blocks.push(ShownBlock::User {
                text: text_of(&content),
            });
        }
        let start = TurnStart {
            begin: Begin::New,
            blocks,
            seq: store.live_site(site).await?.seq(),
        };
        let started = self.start(record, request, start);
        Ok(Some(started.turn))
    }

    /// Denies the approvals that a stopped turn still waits for, so that no one can approve them afterwards.
    pub(crate) async fn withdraw(&self, turn: &Turn, waiting: &[CallId]) {
        let by = Stamp {
            actor: turn.record.actor.clone(),
            at: Timestamp::now(),
        };
        for id in waiting {
            let place = (&turn.record.site, id.as_str());
            // If someone decides at the same moment, this fails, and their decision is as good.
            let _decided = self.0.pipeline.decide(place, CardDecision::No, &by).await;
        }
    }
}

/// The state in which the task of a turn starts.
struct TurnStart {
    begin: Begin,
    /// What watchers see first.
    blocks: Vec<ShownBlock>,
    /// The log entry up to which the model has seen the site.
    seq: u64,
}

/// Whether a turn is new or resumed from its rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Begin {
    New,
    Again,
}

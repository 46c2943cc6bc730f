//! A running turn: the request it was started with, and the loop's host, which stores messages and runs calls.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sitewright_llm::{
    Block, Catalogue, Message, News, ProviderId, Role, ToolCall, ToolOutcome, ToolResult,
    TurnEvent, TurnHost, Usage, resolve_cost_usd,
};
use sitewright_runtime::{Answer, CallOutcome, CallReply, CallResult, Pipeline};
use sitewright_site::{Author, BodyId, NodeId, RecordId, View};
use sitewright_store::{CallId, NewTurnMessage, Store, StoreError, Timestamp, TurnRecord, UsageId};
use sitewright_tool::{Capability, CapabilitySet, Scope, Taint, ToolCapability, TurnRole};
use tokio::sync::{Notify, mpsc};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::batch::{Batch, BatchTool};
use crate::board::{Board, Event};
use crate::bridge::EditorBridge;
use crate::claimed_changes::ClaimedChanges;
use crate::default_tools::{FoundTools, Text};
use crate::history;
use crate::outcome::SubmittedPlan;
use crate::prompt::Stance;
use crate::toolbox::Toolbox;
use crate::usage::ModelRun;

/// Whether a turn edits or plans.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// It changes the site.
    #[default]
    Edit,
    /// It submits an edit plan for a person to accept.
    Plan,
}

/// Where the editor's tools run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Executor {
    /// In a tab while one is attached, otherwise on the server.
    Browser,
    /// On the server.
    Headless,
}

/// The request that started a turn, stored so that another process can resume it.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TurnRequest {
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
    /// The entry that the content workspace has open. Rows from before it had a conversation have none.
    #[serde(default)]
    pub(crate) entry: Option<RecordId>,
}

impl TurnRequest {
    pub(crate) fn view(&self) -> View {
        View {
            current: self.current,
            selected: self.selected,
            breakpoint: self.breakpoint.clone(),
        }
    }

    /// The author of what the turn changes: the assistant, for the person behind the turn or, without one, for its owner.
    pub(crate) fn author(&self) -> Author {
        let person = self.person.as_ref().unwrap_or(&self.owner);
        Author::Agent { id: person.clone() }
    }

    pub(crate) fn stance(&self) -> Stance {
        match self.mode {
            Mode::Plan => Stance::Plan,
            Mode::Edit if self.capabilities.has(Capability::AiToolsWrite) => Stance::Edit,
            Mode::Edit => Stance::Look,
        }
    }
}

/// A turn that is running on this node.
pub(crate) struct Turn {
    pub(crate) record: TurnRecord,
    pub(crate) request: TurnRequest,
    pub(crate) board: Arc<Board>,
    pub(crate) bridge: Arc<EditorBridge>,
    pub(crate) stop: CancellationToken,
}

impl Turn {
    /// Logs that a part of the turn could not be stored, and returns the message for the user.
    pub(crate) fn not_stored(&self, error: &StoreError) -> String {
        let error = error as &dyn std::error::Error;
        tracing::error!(error, turn = %self.record.id, "a turn cannot go on");
        "The conversation could not be stored, so the assistant stopped. Try again.".to_owned()
    }
}

/// What the loop collects for the end of a turn.
#[derive(Debug, Default)]
pub(crate) struct TurnResult {
    pub(crate) usage: Option<Usage>,
    pub(crate) context_tokens: Option<u64>,
    /// Whether any untrusted content has entered the conversation.
    pub(crate) is_tainted: bool,
    pub(crate) plan: Option<SubmittedPlan>,
    pub(crate) answer: Option<String>,
    /// Why the turn cannot continue, as a sentence for the user.
    pub(crate) broken: Option<String>,
    /// Calls that wait for a person.
    pub(crate) waiting: Vec<CallId>,
}

/// The host of the loop: stores messages, runs calls, and collects the result of the turn.
pub(crate) struct Host<'a> {
    pub(crate) turn: &'a Turn,
    pub(crate) store: &'a Store,
    pub(crate) pipeline: &'a Pipeline,
    /// Notified when an approval is decided on this node.
    pub(crate) decided: &'a Notify,
    pub(crate) toolbox: Toolbox,
    pub(crate) has_new_tools: bool,
    pub(crate) rounds: u64,
    pub(crate) result: TurnResult,
    pub(crate) changes: ClaimedChanges,
    pub(crate) waiting: WaitClock,
    pub(crate) usage: UsageLog,
}

/// What is needed to record the usage of a turn after each round. The row has one id while the turn runs in this process, so that each
/// write replaces the one before; a process that dies loses at most the round it was in.
pub(crate) struct UsageLog {
    pub(crate) id: UsageId,
    pub(crate) prices: Arc<Catalogue>,
}

/// Measures how long a turn has waited for people; its time limit does not count that.
#[derive(Debug, Default)]
pub(crate) struct WaitClock {
    so_far: Duration,
    since: Option<Instant>,
}

impl WaitClock {
    fn start(&mut self) {
        self.since = Some(Instant::now());
    }

    fn stop(&mut self) {
        if let Some(since) = self.since.take() {
            self.so_far += since.elapsed();
        }
    }

    fn elapsed(&self) -> Duration {
        self.so_far + self.since.map(|since| since.elapsed()).unwrap_or_default()
    }
}

/// What a batch of calls reports to its host.
pub(crate) enum Report {
    /// A call is over. The number is the log entry at which its batch began.
    Over(ToolCall, Box<CallReply>, u64),
    /// A final answer was not accepted, because the changes it would claim do not match the site.
    Objected(ToolCall, Vec<String>),
    /// These calls wait for a person.
    Asked(Vec<CallId>),
    /// A person has decided about this call.
    Decided(CallId),
    /// No call of the batch waits for a person any more.
    AllDecided,
    /// The turn cannot continue, for this reason.
    Broken(String),
}

impl<'a> TurnHost for Host<'a> {
    type Report = Report;
    type Batch = BoxFuture<'a, ()>;

    fn event(&mut self, event: TurnEvent) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            match &event {
                TurnEvent::Message(message) => return self.store_message(message).await,
                // `Agent::finish` announces the end once it is stored: a client may send its next message as soon as it hears of it.
                TurnEvent::Done | TurnEvent::Error { .. } => return,
                TurnEvent::Usage(usage) => {
                    self.result.usage = Some(*usage);
                    // Built-in commands cost nothing, so watchers get no usage event.
                    if self.turn.request.provider == ProviderId::Offline {
                        return;
                    }
                    self.record_usage(usage).await;
                }
                TurnEvent::Context {
                    context_tokens,
                    used,
                } => {
                    if self.turn.request.provider == ProviderId::Offline {
                        return;
                    }
                    self.result.context_tokens = Some(*context_tokens);
                    self.record_usage(used).await;
                }
                _ => {}
            }
            self.turn.board.model(&event);
        })
    }

    fn run(&mut self, calls: Vec<ToolCall>, reports: mpsc::Sender<Report>) -> Self::Batch {
        let batch = Batch {
            turn: self.turn,
            store: self.store,
            pipeline: self.pipeline,
            decided: self.decided,
            round: self.rounds,
            taint: match self.result.is_tainted {
                true => Taint::Untrusted,
                false => Taint::Trusted,
            },
            tools: self.tools_of(&calls),
            changes: self.changes.clone(),
            reports,
        };
        self.rounds += 1;
        Box::pin(batch.run(calls))
    }

    fn report(&mut self, report: Report) -> Option<ToolOutcome> {
        match report {
            Report::Over(call, reply, seq) => Some(self.take_reply(&call, *reply, seq)),
            Report::Objected(call, mismatches) => {
                let message = format!(
                    "Before you answer, look at this again: {}. Put it right, or give an answer that says so.",
                    mismatches.join("; ")
                );
                self.changes.told = mismatches;
                Some(ToolOutcome {
                    result: ToolResult::failed(&call, message),
                    ends_turn: false,
                })
            }
            Report::Asked(calls) => {
                self.waiting.start();
                self.result.waiting = calls;
                None
            }
            Report::Decided(id) => {
                self.result.waiting.retain(|waiting| *waiting != id);
                None
            }
            Report::AllDecided => {
                self.waiting.stop();
                None
            }
            Report::Broken(reason) => {
                self.result.broken.get_or_insert(reason);
                None
            }
        }
    }

    fn news(&mut self) -> BoxFuture<'_, News> {
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
                    role: Role::User,
                    content,
                });
            }
            let is_new = std::mem::take(&mut self.has_new_tools);
            News {
                said: messages,
                tools: is_new.then(|| self.toolbox.specs()),
            }
        })
    }

    fn waited(&self) -> Duration {
        self.waiting.elapsed()
    }
}

impl Host<'_> {
    fn role_of(&self, tool: &str) -> TurnRole {
        let tool = self.toolbox.get(tool);
        tool.map_or(TurnRole::Ordinary, |tool| tool.role)
    }

    fn tools_of(&self, calls: &[ToolCall]) -> BTreeMap<String, BatchTool> {
        let tool_of = |call: &ToolCall| {
            let definition = self.toolbox.get(&call.tool_name)?;
            let tool = BatchTool {
                title: definition.manifest.title.clone(),
                reads: definition.reads,
                role: definition.role,
            };
            Some((call.tool_name.clone(), tool))
        };
        calls.iter().filter_map(tool_of).collect()
    }

    /// Records what the turn has used so far.
    async fn record_usage(&self, usage: &Usage) {
        let Turn {
            record, request, ..
        } = self.turn;
        let cost = resolve_cost_usd(&self.usage.prices, request.provider, &request.model, usage);
        let run = ModelRun {
            site: record.site.clone(),
            turn_id: record.id.clone(),
            conversation_id: record.conversation.clone(),
            user_id: record.actor.clone(),
            scope: request.scope,
            provider: request.provider,
            model_id: request.model.clone(),
        };
        let row = run.row(self.usage.id.clone(), usage, cost, Timestamp::now());
        if let Err(error) = self.store.record_usage(&row).await {
            let error = &error as &dyn std::error::Error;
            tracing::error!(error, turn = %record.id, "what a turn used could not be recorded");
        }
    }

    /// Stores a message before anything builds on it. What a model wrote or a tool answered after something from outside came in may be
    /// influenced by it; what a person wrote is not.
    async fn store_message(&mut self, message: &Message) {
        let stored = match serde_json::to_string(&message.content) {
            Ok(content) => {
                let message = NewTurnMessage {
                    role: history::role(message.role),
                    content: &content,
                    is_tainted: self.result.is_tainted && message.role != Role::User,
                    at: Timestamp::now(),
                };
                self.store.add_message(&self.turn.record, message).await
            }
            Err(_unwritable) => Err(StoreError::Unstorable),
        };
        if let Err(error) = stored {
            self.broke(&error);
        }
    }

    fn broke(&mut self, error: &StoreError) {
        let reason = self.turn.not_stored(error);
        self.result.broken.get_or_insert(reason);
        self.turn.stop.cancel();
    }

    /// Applies the reply to a call to the state of the turn, and converts it for the loop.
    fn take_reply(&mut self, call: &ToolCall, reply: CallReply, seq: u64) -> ToolOutcome {
        let name = call.tool_name.as_str();
        let role = self.role_of(name);
        let tool = self.toolbox.get(name);
        let is_write = tool.is_some_and(|tool| tool.manifest.capability == ToolCapability::Write);
        self.result.is_tainted |= reply.taint == Taint::Untrusted;
        if let CallOutcome::Done(Answer { data, .. }) = &reply.outcome {
            match role {
                TurnRole::FindsTools => {
                    let found = FoundTools::deserialize(data).ok();
                    let tools = found.into_iter().flat_map(|found| found.tools);
                    let names: BTreeSet<String> = tools.map(|tool| tool.name).collect();
                    self.has_new_tools |= self.toolbox.activate(&names);
                }
                TurnRole::SubmitsPlan => self.submit_plan(data, seq),
                TurnRole::GivesAnswer => {
                    let answer = Text::deserialize(data).ok();
                    self.result.answer = answer.map(|answer| answer.text);
                }
                TurnRole::Ordinary | TurnRole::Acknowledges | TurnRole::ForPeople => {
                    self.show_card(call, data);
                }
            }
        }
        if is_write {
            self.changes.add(name, &reply.outcome);
            if let CallOutcome::Done(Answer {
                receipt: Some(receipt),
                ..
            }) = &reply.outcome
            {
                self.turn.board.own(&Event::Change {
                    tool_call_id: call.tool_call_id.clone(),
                    tool_name: name.to_owned(),
                    receipt: serde_json::to_value(receipt).unwrap_or_default(),
                });
            }
        }
        let is_done = matches!(reply.outcome, CallOutcome::Done(_));
        ToolOutcome {
            ends_turn: is_done && role.ends_turn(),
            ..ToolOutcome::new(call, reply.into())
        }
    }

    fn show_card(&self, call: &ToolCall, data: &Value) {
        let card = self.pipeline.tools().result_card(CallResult {
            scope: None,
            tool: &call.tool_name,
            arguments: &call.input,
            data,
        });
        if let Some(card) = card {
            self.turn.board.own(&Event::Card {
                tool_call_id: call.tool_call_id.clone(),
                card,
            });
        }
    }

    fn submit_plan(&mut self, plan: &Value, base_seq: u64) {
        self.result.answer = plan["plan"]["summary_for_user"].as_str().map(str::to_owned);
        let submitted = SubmittedPlan {
            base_seq,
            plan: plan.clone(),
        };
        self.turn.board.own(&Event::Plan {
            turn_id: self.turn.record.id.to_string(),
            plan: submitted.clone(),
        });
        self.result.plan = Some(submitted);
    }
}

/// The text blocks of a message, joined by line breaks.
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

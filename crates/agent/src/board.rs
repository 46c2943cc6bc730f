//! Broadcasts a running turn to any number of watchers: a snapshot of its state, then every event after it.
//!
//! Watchers never slow the turn down. One that lags gets a new snapshot instead of the events it missed. A board lives in memory only,
//! because everything durable is in the rows.

mod event;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use schemars::{Schema, SchemaGenerator, json_schema};
use serde_json::{Value, json};
use sitewright_llm::{Block, CallStatus, Message, Role, TurnEvent};
use tokio::sync::broadcast;

use crate::outcome::{SubmittedPlan, TurnStatus};

use event::StateEvent;
pub(crate) use event::{
    ApprovalDecision, ApprovalRequest, BudgetPhase, Estimate, Event, ShownBlock,
};

/// How many events a watcher may lag before it gets a new snapshot.
const BEHIND_MAX: usize = 1024;

/// The state of a turn as watchers see it, and the channel of its events.
#[derive(Debug)]
pub(crate) struct Board {
    state: Mutex<State>,
    lines: broadcast::Sender<Line>,
}

#[derive(Debug, Clone)]
struct Line {
    seq: u64,
    text: Arc<str>,
    is_last: bool,
}

#[derive(Debug)]
struct State {
    turn: String,
    conversation: String,
    /// Identifies this board: a resumed turn gets a new one, and sequence numbers are only comparable within one epoch.
    epoch: String,
    seq: u64,
    status: TurnStatus,
    blocks: Vec<ShownBlock>,
    approvals: BTreeMap<String, ApprovalRequest>,
    plan: Option<SubmittedPlan>,
    context_tokens: Option<u64>,
    is_over: bool,
}

impl Board {
    /// A board for a turn that starts or resumes with these blocks.
    pub(crate) fn new(turn: &str, conversation: &str, blocks: Vec<ShownBlock>) -> Self {
        let (lines, _) = broadcast::channel(BEHIND_MAX);
        let state = State {
            turn: turn.to_owned(),
            conversation: conversation.to_owned(),
            epoch: uuid::Uuid::now_v7().simple().to_string(),
            seq: 0,
            status: TurnStatus::Running,
            blocks,
            approvals: BTreeMap::new(),
            plan: None,
            context_tokens: None,
            is_over: false,
        };
        Self {
            state: Mutex::new(state),
            lines,
        }
    }

    /// A closed board with the state that the rows of a turn describe: watchers get the snapshot and no events.
    pub(crate) fn of_rows(
        turn: &str,
        conversation: &str,
        blocks: Vec<ShownBlock>,
        status: TurnStatus,
        plan: Option<SubmittedPlan>,
    ) -> Self {
        let board = Self::new(turn, conversation, blocks);
        let mut state = board.state();
        state.status = status;
        state.plan = plan;
        state.is_over = true;
        drop(state);
        board
    }

    /// Replaces what is shown by what the rows of a turn say, for a turn that runs on another node. Watchers get a new snapshot if
    /// anything differs.
    pub(crate) fn replace(
        &self,
        blocks: Vec<ShownBlock>,
        status: TurnStatus,
        plan: Option<SubmittedPlan>,
    ) {
        let mut state = self.state();
        let before = state.written();
        state.blocks = blocks;
        state.status = status;
        state.plan = plan;
        if state.written() == before {
            return;
        }
        state.seq += 1;
        let line = Line {
            seq: state.seq,
            text: state.written(),
            is_last: false,
        };
        // Sending fails if there are no watchers, which is fine.
        drop(self.lines.send(line));
    }

    /// Whether anybody watches.
    pub(crate) fn is_watched(&self) -> bool {
        self.lines.receiver_count() > 0
    }

    /// Publishes an event of the model's loop. Messages are skipped; they are only stored.
    pub(crate) fn model(&self, event: &TurnEvent) {
        if matches!(event, TurnEvent::Message(_)) {
            return;
        }
        let written = serde_json::to_value(event);
        let is_last = matches!(event, TurnEvent::Error { .. } | TurnEvent::Done);
        let mut state = self.state();
        state.take_in(event);
        self.tell(state, written.unwrap_or(Value::Null), is_last);
    }

    /// Publishes one of the agent's own events.
    pub(crate) fn own(&self, event: &Event) {
        let written = serde_json::to_value(event).unwrap_or(Value::Null);
        let mut state = self.state();
        match event {
            Event::ApprovalRequest(request) => {
                state.status = TurnStatus::Waiting;
                state
                    .approvals
                    .insert(request.tool_call_id.clone(), request.clone());
            }
            Event::ApprovalResolved { tool_call_id, .. } => {
                state.approvals.remove(tool_call_id);
                if state.approvals.is_empty() {
                    state.status = TurnStatus::Running;
                }
            }
            Event::TakenUp { text } => state.blocks.push(ShownBlock::User { text: text.clone() }),
            Event::Plan { plan, .. } => state.plan = Some(plan.clone()),
            Event::Done { outcome } => state.status = *outcome,
            _ => {}
        }
        let is_last = matches!(event, Event::Done { .. });
        self.tell(state, written, is_last);
    }

    /// Publishes text of the assistant that did not come from the loop.
    pub(crate) fn text(&self, text: &str) {
        self.model(&TurnEvent::Text {
            text: text.to_owned(),
        });
    }

    fn tell(&self, mut state: MutexGuard<'_, State>, mut event: Value, is_last: bool) {
        state.seq += 1;
        state.is_over |= is_last;
        event["seq"] = json!(state.seq);
        let line = Line {
            seq: state.seq,
            text: event.to_string().into(),
            is_last,
        };
        // Sending fails if there are no watchers, which is fine.
        drop(self.lines.send(line));
    }

    /// Subscribes to the events from now on, beginning with a snapshot of the state.
    pub(crate) fn watch(self: &Arc<Self>) -> Watch {
        let state = self.state();
        Watch {
            lines: self.lines.subscribe(),
            first: Some(state.written()),
            seen: state.seq,
            is_over: state.is_over,
            epoch: state.epoch.clone(),
            board: Arc::clone(self),
        }
    }

    /// The epoch in which this board's sequence numbers are valid.
    pub(crate) fn epoch(&self) -> String {
        self.state().epoch.clone()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn written(&self) -> Arc<str> {
        let event = Event::State(StateEvent {
            turn_id: self.turn.clone(),
            conversation_id: self.conversation.clone(),
            epoch: self.epoch.clone(),
            seq: self.seq,
            status: self.status,
            blocks: self.blocks.clone(),
            approvals: self.approvals.values().cloned().collect(),
            plan: self.plan.clone(),
            context_tokens: self.context_tokens,
        });
        json!(event).to_string().into()
    }

    fn take_in(&mut self, event: &TurnEvent) {
        match event {
            TurnEvent::Text { text } => match self.blocks.last_mut() {
                Some(ShownBlock::Text { text: so_far }) => so_far.push_str(text),
                _ => self.blocks.push(ShownBlock::Text { text: text.clone() }),
            },
            TurnEvent::ToolCall {
                tool_call_id,
                tool_name,
                input,
                ..
            } => self.blocks.push(ShownBlock::ToolCall {
                tool_call_id: tool_call_id.clone(),
                tool_name: tool_name.clone(),
                input: input.clone(),
                status: CallStatus::Pending,
                error: None,
            }),
            TurnEvent::ToolResult {
                tool_call_id,
                ok,
                error,
                ..
            } => answer(&mut self.blocks, tool_call_id, *ok, error.as_deref()),
            TurnEvent::Context { context_tokens, .. } => {
                self.context_tokens = Some(*context_tokens)
            }
            TurnEvent::Error { .. } => self.status = TurnStatus::Failed,
            _ => {}
        }
    }
}

fn answer(blocks: &mut [ShownBlock], id: &str, ok: bool, why: Option<&str>) {
    let mut newest = blocks.iter_mut().rev();
    let found = newest.find_map(|block| match block {
        ShownBlock::ToolCall {
            tool_call_id,
            status,
            error,
            ..
        } if tool_call_id == id => Some((status, error)),
        _ => None,
    });
    if let Some((status, error)) = found {
        *status = if ok {
            CallStatus::Ok
        } else {
            CallStatus::Error
        };
        *error = why.map(str::to_owned);
    }
}

/// Converts stored messages into the blocks that watchers see.
pub(crate) fn shown(messages: &[Message]) -> Vec<ShownBlock> {
    let mut blocks = Vec::new();
    for message in messages {
        for block in &message.content {
            match block {
                Block::Text { text, .. } if message.role == Role::User => {
                    blocks.push(ShownBlock::User { text: text.clone() });
                }
                Block::Text { text, .. } => blocks.push(ShownBlock::Text { text: text.clone() }),
                Block::ToolCall(call) => blocks.push(ShownBlock::ToolCall {
                    tool_call_id: call.tool_call_id.clone(),
                    tool_name: call.tool_name.clone(),
                    input: call.input.clone(),
                    status: CallStatus::Pending,
                    error: None,
                }),
                Block::ToolResult(result) => answer(
                    &mut blocks,
                    &result.tool_call_id,
                    result.ok,
                    result.error.as_deref(),
                ),
                Block::Image(_) | Block::Reasoning(_) => {}
            }
        }
    }
    blocks
}

/// A subscription to the events of a turn.
#[derive(Debug)]
pub struct Watch {
    board: Arc<Board>,
    lines: broadcast::Receiver<Line>,
    first: Option<Arc<str>>,
    epoch: String,
    seen: u64,
    is_over: bool,
}

impl Watch {
    /// Skips the initial snapshot if the client has already seen everything up to now, in this epoch.
    #[must_use]
    pub fn after(self, epoch: &str, seq: u64) -> Self {
        match self.epoch == epoch && self.seen == seq && !self.is_over {
            true => self.without_state(),
            false => self,
        }
    }

    /// Skips the initial snapshot, for the client that started the turn.
    #[must_use]
    pub(crate) fn without_state(mut self) -> Self {
        self.first = None;
        self
    }

    /// The schema of a line: an event of the model's loop or one of the agent's own. Each also carries its sequence number, `seq`.
    pub fn line_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "oneOf": [
                generator.subschema_for::<TurnEvent>(),
                generator.subschema_for::<Event>(),
            ],
        })
    }

    /// Returns the next event as a line of JSON, or `None` once the turn is over.
    pub async fn next(&mut self) -> Option<Arc<str>> {
        if let Some(first) = self.first.take() {
            return Some(first);
        }
        while !self.is_over {
            match self.lines.recv().await {
                Ok(line) if line.seq <= self.seen => {}
                Ok(line) => {
                    self.seen = line.seq;
                    self.is_over = line.is_last;
                    return Some(line.text);
                }
                Err(broadcast::error::RecvError::Lagged(_)) => {
                    let again = self.board.watch();
                    let first = again.first.clone();
                    *self = again;
                    self.first = None;
                    return first;
                }
                Err(broadcast::error::RecvError::Closed) => return None,
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::Value;
    use sitewright_llm::TurnEvent;

    use super::{BEHIND_MAX, Board, Event};
    use crate::outcome::TurnStatus;

    fn said(text: &str) -> TurnEvent {
        TurnEvent::Text {
            text: text.to_owned(),
        }
    }

    fn read(line: Option<Arc<str>>) -> Value {
        serde_json::from_str(&line.expect("an event")).expect("JSON")
    }

    #[tokio::test]
    async fn a_watcher_gets_the_state_and_then_every_event_once() {
        let board = Arc::new(Board::new("t", "c", Vec::new()));
        board.model(&said("Hel"));
        let mut watch = board.watch();
        board.model(&said("lo"));
        board.own(&Event::Done {
            outcome: TurnStatus::Done,
        });
        let state = read(watch.next().await);
        assert_eq!(state["type"], "state");
        assert_eq!(state["blocks"][0]["text"], "Hel");
        assert_eq!(read(watch.next().await)["text"], "lo");
        let last = read(watch.next().await);
        assert_eq!((&last["type"], &last["seq"]), (&"done".into(), &3.into()));
        assert_eq!(watch.next().await, None);
    }

    #[tokio::test]
    async fn a_watcher_that_falls_behind_gets_the_state_again() {
        let board = Arc::new(Board::new("t", "c", Vec::new()));
        let mut watch = board.watch().without_state();
        for _ in 0..BEHIND_MAX + 10 {
            board.model(&said("x"));
        }
        let state = read(watch.next().await);
        assert_eq!(state["blocks"][0]["text"], "x".repeat(BEHIND_MAX + 10));
        board.model(&said("y"));
        assert_eq!(read(watch.next().await)["text"], "y");
    }

    #[tokio::test]
    async fn whoever_comes_after_the_end_gets_the_state_alone() {
        let board = Arc::new(Board::new("t", "c", Vec::new()));
        board.own(&Event::Done {
            outcome: TurnStatus::Stopped,
        });
        let mut watch = board.watch();
        assert_eq!(read(watch.next().await)["status"], "stopped");
        assert_eq!(watch.next().await, None);
    }
}

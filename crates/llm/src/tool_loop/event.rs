//! What goes into the loop and what comes out of it.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use sitewright_tool::Envelope;

use super::Budget;
use crate::error::{ErrorClass, ModelError};
use crate::message::{Message, ToolCall, ToolResult};
use crate::stream::{StreamEvent, Usage};

/// Something that happened.
#[derive(Debug, Clone, PartialEq)]
pub enum LoopInput {
    /// The turn begins.
    Begin,
    /// The stream of the round said something; what keeps it from speaking at all is a [`StreamEvent::Failed`].
    Stream(StreamEvent),
    /// A tool answered.
    ToolDone(ToolOutcome),
    /// No more results will come for this batch.
    ToolsEnded,
    /// The pause is over.
    Woke,
    /// Time has passed.
    Tick,
    /// Somebody stopped the turn.
    Abort,
}

/// Something to do.
#[derive(Debug, Clone, PartialEq)]
pub enum LoopOutput {
    /// Send [`ToolLoop::request_body`](super::ToolLoop::request_body) and read its stream.
    Send,
    /// Wait, then say [`LoopInput::Woke`].
    Wait(Duration),
    /// Run these calls.
    Run(Vec<ToolCall>),
    /// Close the stream, give up the tools.
    Close,
    /// Tell the world.
    Emit(TurnEvent),
    /// The turn is over.
    Over(Ending),
}

/// How a turn ended.
#[derive(Debug, Clone, PartialEq)]
pub enum Ending {
    /// The model has said what it wanted to say.
    Done,
    /// A tool said that this is the end.
    EndedByTool,
    /// Somebody stopped it.
    Stopped,
    /// A limit was reached.
    OutOfBudget(Budget),
    /// The answer ran into the output limit.
    CutOff,
    /// The provider declines.
    Refused {
        /// What it said about that.
        explanation: Option<String>,
    },
    /// It failed.
    Failed(ModelError),
}

/// Why a turn failed, for people and for whoever decides what to offer them next.
#[derive(Debug, Clone, PartialEq)]
pub struct TurnFailure {
    pub message: String,
    pub class: ErrorClass,
}

impl Ending {
    /// Why the turn failed; nothing for one that did not.
    pub fn failure(&self) -> Option<TurnFailure> {
        let error = match self {
            Self::Done | Self::EndedByTool | Self::Stopped | Self::OutOfBudget(_) => return None,
            Self::CutOff => {
                return Some(TurnFailure {
                    message:
                        "The answer reached the output limit and was cut off: ask it to go on."
                            .to_owned(),
                    class: ErrorClass::StreamTruncated,
                });
            }
            Self::Refused { explanation } => {
                let detail = explanation.clone().unwrap_or_default();
                &ModelError::new(ErrorClass::Refusal, detail)
            }
            Self::Failed(error) => error,
        };
        Some(TurnFailure {
            message: error.to_string(),
            class: error.class,
        })
    }
}

/// What a tool answered, as the loop needs it.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolOutcome {
    /// The answer.
    pub result: ToolResult,
    /// The turn is over once this batch is.
    pub ends_turn: bool,
}

impl ToolOutcome {
    /// The answer to a call.
    pub fn new(call: &ToolCall, envelope: Envelope) -> Self {
        let error = envelope.error.map(|error| error.message);
        Self {
            result: ToolResult {
                tool_call_id: call.tool_call_id.clone(),
                tool_name: call.tool_name.clone(),
                ok: envelope.ok,
                data: envelope.data,
                error,
                receipt: envelope.receipt,
                images: envelope.images,
            },
            ends_turn: false,
        }
    }
}

/// Where a call of a turn stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum CallStatus {
    Pending,
    Ok,
    Error,
}

/// What a turn tells the world. Written as JSON, it is an event of the chat stream.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "type", rename_all = "camelCase")]
#[schemars(rename = "ModelEvent")]
pub enum TurnEvent {
    /// More text of the answer.
    Text {
        /// The text.
        text: String,
    },
    /// More of the reasoning that the provider shows.
    Reasoning {
        /// The text.
        text: String,
    },
    /// The model calls a tool.
    #[serde(rename_all = "camelCase")]
    ToolCall {
        /// The call.
        tool_call_id: String,
        /// The tool.
        tool_name: String,
        /// The arguments as the model gave them.
        input: Value,
        status: CallStatus,
    },
    /// A tool answered.
    #[serde(rename_all = "camelCase")]
    ToolResult {
        /// The call.
        tool_call_id: String,
        /// The tool.
        tool_name: String,
        /// Whether it did what was asked.
        ok: bool,
        /// Why not.
        #[serde(skip_serializing_if = "Option::is_none")]
        error: Option<String>,
    },
    /// A message is complete and belongs to the conversation: store it before the turn goes on.
    #[schemars(skip)]
    Message(Message),
    /// How full the window is after a round.
    #[serde(rename_all = "camelCase")]
    Context {
        /// The input of the latest round, in tokens.
        context_tokens: u64,
    },
    /// What the whole turn used, for billing.
    Usage(Usage),
    /// A limit was reached.
    Budget(Budget),
    /// The provider failed before it said anything, and is asked again.
    #[serde(rename_all = "camelCase")]
    Retry {
        /// After this pause.
        after_ms: u64,
        /// Why.
        reason: String,
    },
    /// The turn failed.
    Error {
        /// In words.
        message: String,
        /// The kind.
        class: ErrorClass,
    },
    /// The turn is over. Watchers are told by whoever runs the turn, with how it ended.
    #[schemars(skip)]
    Done,
}

impl TurnEvent {
    pub(super) fn tool_call(call: &ToolCall) -> Self {
        Self::ToolCall {
            tool_call_id: call.tool_call_id.clone(),
            tool_name: call.tool_name.clone(),
            input: call.input.clone(),
            status: CallStatus::Pending,
        }
    }

    pub(super) fn tool_result(result: &ToolResult) -> Self {
        Self::ToolResult {
            tool_call_id: result.tool_call_id.clone(),
            tool_name: result.tool_name.clone(),
            ok: result.ok,
            error: result.error.clone(),
        }
    }
}

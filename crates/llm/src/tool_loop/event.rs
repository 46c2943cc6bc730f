//! The inputs, outputs and events of the loop.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use sitewright_tool::Envelope;

use super::ReachedLimit;
use crate::error::{ErrorClass, ModelError};
use crate::message::{Message, ToolCall, ToolResult};
use crate::stream::{StreamEvent, Usage};

/// Something that happened, for the loop to handle.
#[derive(Debug, Clone, PartialEq)]
pub enum LoopInput {
    /// The turn begins.
    Begin,
    /// An event of the round's stream. A stream that could not be opened is a [`StreamEvent::Failed`].
    Stream(StreamEvent),
    /// A tool answered.
    ToolDone(ToolOutcome),
    /// No more results will come for this batch.
    ToolsEnded,
    /// The pause is over.
    Woke,
    /// Time has passed.
    Tick,
    /// The turn is stopped from outside: by the user, or because the server or the host cannot continue it.
    Abort,
}

/// Something for the driver to do.
#[derive(Debug, Clone, PartialEq)]
pub enum LoopOutput {
    /// Send [`ToolLoop::request_body`](super::ToolLoop::request_body) and read its stream.
    Send,
    /// Wait, then send [`LoopInput::Woke`].
    Wait(Duration),
    /// Run these calls.
    Run(Vec<ToolCall>),
    /// Close the stream and abandon the running tools.
    Close,
    /// Pass this event to the host.
    Emit(TurnEvent),
    /// The turn is over.
    Over(Ending),
}

/// How a turn ended.
#[derive(Debug, Clone, PartialEq)]
pub enum Ending {
    /// The model has finished its answer.
    Done,
    /// A tool call ended the turn, such as a final answer.
    EndedByTool,
    /// It was stopped from outside.
    Stopped,
    /// A limit was reached.
    OutOfBudget(ReachedLimit),
    /// The answer reached the output limit.
    CutOff,
    /// The provider declined to answer.
    Refused {
        /// The provider's reason.
        explanation: Option<String>,
    },
    /// The provider failed, and retries did not help or were not possible.
    Failed(ModelError),
}

/// Why a turn failed: a message for people, and a class by which a client decides what to offer next.
#[derive(Debug, Clone, PartialEq)]
pub struct TurnFailure {
    pub message: String,
    pub class: ErrorClass,
}

impl Ending {
    /// Why the turn failed; `None` if it did not.
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

/// The result of a call, as the loop needs it.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolOutcome {
    pub result: ToolResult,
    /// Whether the turn ends once this batch is complete.
    pub ends_turn: bool,
}

impl ToolOutcome {
    /// Converts a tool's envelope into the outcome of a call that does not end the turn.
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
        /// What the turn used so far, so that a host can record it while the turn runs. Not part of the stream.
        #[serde(skip)]
        #[schemars(skip)]
        used: Usage,
    },
    /// What the whole turn used, for billing.
    Usage(Usage),
    /// A limit was reached.
    Budget(ReachedLimit),
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

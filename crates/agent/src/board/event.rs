//! The agent's own events on a board, in addition to those of the model's loop.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use sitewright_llm::CallStatus;
use sitewright_runtime::ResultCard;
use sitewright_tool::Receipt;

use crate::outcome::{SubmittedPlan, TurnStatus};

/// An event of ours, beside those of the model's loop.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(tag = "type", rename_all = "camelCase")]
#[schemars(rename = "BoardEvent")]
pub(crate) enum Event {
    /// A tab can run tools under this id.
    #[serde(rename_all = "camelCase")]
    BridgeReady {
        bridge_id: String,
        turn_id: String,
        epoch: String,
    },
    /// A tool is to be run in the tab.
    #[serde(rename_all = "camelCase")]
    ToolRequest {
        request_id: String,
        tool_name: String,
        input: Value,
        /// The id that the change must have.
        change_id: String,
    },
    /// A person must decide.
    ApprovalRequest(ApprovalRequest),
    /// A person has decided.
    #[serde(rename_all = "camelCase")]
    ApprovalResolved {
        approval_id: String,
        tool_call_id: String,
        decision: ApprovalDecision,
    },
    /// A plan is there to be looked at.
    #[serde(rename_all = "camelCase")]
    Plan {
        turn_id: String,
        #[serde(flatten)]
        plan: SubmittedPlan,
    },
    /// The site was changed.
    #[serde(rename_all = "camelCase")]
    Change {
        tool_call_id: String,
        tool_name: String,
        #[schemars(with = "Receipt")]
        receipt: Value,
    },
    /// A connected tool answered something structured.
    #[serde(rename_all = "camelCase")]
    Card {
        tool_call_id: String,
        card: ResultCard,
    },
    /// What the turn may use, before it begins.
    #[serde(rename_all = "camelCase")]
    Budget {
        phase: BudgetPhase,
        cap_usd: Option<f64>,
        cap_tokens: u64,
        estimate: Option<Estimate>,
        price_known: bool,
    },
    /// Somebody said something while the turn was under way.
    #[serde(rename_all = "camelCase")]
    Queued { text: String },
    /// The turn has taken up what was said meanwhile.
    #[serde(rename_all = "camelCase")]
    TakenUp { text: String },
    /// What was said meanwhile is answered by a turn of its own.
    #[serde(rename_all = "camelCase")]
    NextTurn { turn_id: String },
    /// The turn is over.
    #[serde(rename_all = "camelCase")]
    Done { outcome: TurnStatus },
    /// Everything of the turn so far.
    State(StateEvent),
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ApprovalRequest {
    pub(crate) approval_id: String,
    pub(crate) tool_call_id: String,
    pub(crate) tool_name: String,
    pub(crate) title: String,
    pub(crate) input: Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) preview: Option<Value>,
    pub(crate) reason: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) expires_at: Option<i64>,
    pub(crate) path: String,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct StateEvent {
    pub(super) turn_id: String,
    pub(super) conversation_id: String,
    pub(super) epoch: String,
    pub(super) seq: u64,
    pub(super) status: TurnStatus,
    pub(super) blocks: Vec<ShownBlock>,
    pub(super) approvals: Vec<ApprovalRequest>,
    pub(super) plan: Option<SubmittedPlan>,
    pub(super) context_tokens: Option<u64>,
}

/// What a person decided about a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ApprovalDecision {
    Approved,
    Denied,
    Expired,
}

/// When a budget is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum BudgetPhase {
    Before,
}

/// What turns like this one cost so far.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "CostEstimate")]
pub(crate) struct Estimate {
    pub(crate) low_usd: f64,
    pub(crate) high_usd: f64,
    pub(crate) turns: usize,
}

/// A piece of a turn as it is shown.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "camelCase")]
#[schemars(rename = "ShownBlock")]
pub(crate) enum ShownBlock {
    /// What a person said.
    User { text: String },
    /// What the assistant said.
    Text { text: String },
    /// A call and what came of it.
    #[serde(rename_all = "camelCase")]
    ToolCall {
        tool_call_id: String,
        tool_name: String,
        input: Value,
        status: CallStatus,
        #[serde(skip_serializing_if = "Option::is_none")]
        error: Option<String>,
    },
}

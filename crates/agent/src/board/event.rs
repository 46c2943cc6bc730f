//! The events that a board shows beside those of the model's loop.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use sitewright_tool::Receipt;

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
        #[schemars(extend("enum" = ["approved", "denied", "expired"]))]
        decision: &'static str,
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
    /// What the turn may use, before it begins.
    #[serde(rename_all = "camelCase")]
    Budget {
        #[schemars(extend("const" = "before"))]
        phase: &'static str,
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
    Done {
        #[schemars(with = "TurnStatus")]
        outcome: &'static str,
    },
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

/// A plan, and the last entry of the log when it was made.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SubmittedPlan {
    pub(crate) base_seq: u64,
    pub(crate) plan: Value,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct StateEvent {
    pub(super) turn_id: String,
    pub(super) conversation_id: String,
    pub(super) epoch: String,
    pub(super) seq: u64,
    #[schemars(with = "TurnStatus")]
    pub(super) status: &'static str,
    pub(super) blocks: Vec<Shown>,
    #[schemars(with = "Vec<ApprovalRequest>")]
    pub(super) approvals: Vec<Value>,
    #[schemars(with = "Option<SubmittedPlan>")]
    pub(super) plan: Option<Value>,
    pub(super) context_tokens: Option<u64>,
}

/// Where a turn is, as boards tell it: the states of its row, and `budget` for one that a limit ended.
#[derive(JsonSchema)]
#[serde(rename_all = "camelCase")]
#[expect(dead_code, reason = "only its schema is used: boards pass on words")]
enum TurnStatus {
    Running,
    Waiting,
    Done,
    Failed,
    Stopped,
    Interrupted,
    Budget,
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
pub(crate) enum Shown {
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
        #[schemars(extend("enum" = ["pending", "ok", "error"]))]
        status: &'static str,
        #[serde(skip_serializing_if = "Option::is_none")]
        error: Option<String>,
    },
}

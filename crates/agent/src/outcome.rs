//! How a turn ended, as stored in its row and as sent to watchers.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sitewright_llm::{Ending, ErrorClass, ProviderId, ReachedLimit, TurnFailure, Usage};
use sitewright_store::{TurnRecord, TurnState};

/// The outcome of a turn, as stored in its row and returned by the API.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TurnOutcome {
    pub(crate) ended: TurnStatus,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) provider: Option<ProviderId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) model: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) usage: Option<Usage>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) cost_usd: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) error: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) limit: Option<ReachedLimit>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) plan: Option<SubmittedPlan>,
}

/// A plan, and the entry of the log at which it was made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SubmittedPlan {
    pub(crate) base_seq: u64,
    pub(crate) plan: Value,
}

/// Where a turn stands, in the words of the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum TurnStatus {
    Running,
    /// A person has to decide first.
    Waiting,
    Done,
    /// It ended at a limit.
    Budget,
    Stopped,
    Interrupted,
    Failed,
}

impl From<TurnState> for TurnStatus {
    fn from(state: TurnState) -> Self {
        match state {
            TurnState::Running => Self::Running,
            TurnState::Waiting => Self::Waiting,
            TurnState::Done => Self::Done,
            TurnState::Failed => Self::Failed,
            TurnState::Stopped => Self::Stopped,
            TurnState::Interrupted => Self::Interrupted,
        }
    }
}

/// How a turn ended: the state for its row, the status and the failure for watchers.
pub(crate) struct TurnEnd {
    pub(crate) state: TurnState,
    pub(crate) status: TurnStatus,
    pub(crate) failure: Option<TurnFailure>,
}

impl TurnEnd {
    /// Classifies the end of the loop. `broken` is set if the turn had to end although the loop itself did not fail.
    pub(crate) fn new(ending: &Ending, broken: Option<&str>, is_server_stopping: bool) -> Self {
        let failure = match broken {
            Some(reason) => Some(TurnFailure {
                message: reason.to_owned(),
                class: ErrorClass::Server,
            }),
            None => ending.failure(),
        };
        let (state, status) = match ending {
            _ if failure.is_some() => (TurnState::Failed, TurnStatus::Failed),
            Ending::OutOfBudget(_) => (TurnState::Done, TurnStatus::Budget),
            Ending::Stopped if is_server_stopping => {
                (TurnState::Interrupted, TurnStatus::Interrupted)
            }
            Ending::Stopped => (TurnState::Stopped, TurnStatus::Stopped),
            Ending::Done
            | Ending::EndedByTool
            | Ending::CutOff
            | Ending::Refused { .. }
            | Ending::Failed(_) => (TurnState::Done, TurnStatus::Done),
        };
        Self {
            state,
            status,
            failure,
        }
    }
}

impl TurnOutcome {
    /// An outcome with this status and no further details.
    pub(crate) fn new(ended: TurnStatus) -> Self {
        Self {
            ended,
            provider: None,
            model: None,
            usage: None,
            cost_usd: None,
            error: None,
            limit: None,
            plan: None,
        }
    }

    pub(crate) fn failed(message: &str) -> Self {
        Self {
            error: Some(message.to_owned()),
            ..Self::new(TurnStatus::Failed)
        }
    }

    /// The outcome stored in a row; `None` if there is none or it cannot be parsed.
    pub fn of(record: &TurnRecord) -> Option<Self> {
        Self::deserialize(record.outcome.as_ref()?).ok()
    }
}

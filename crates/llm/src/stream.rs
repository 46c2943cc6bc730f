//! The events of a model's stream, in a form that all wire formats share.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::ModelError;
use crate::message::{Block, ToolCall};

/// An event of a stream.
#[derive(Debug, Clone, PartialEq)]
pub enum StreamEvent {
    /// The model began to answer. It reports its real name here, where the request may have used an alias.
    Started {
        /// The model as the provider names it.
        model: String,
    },
    /// More text.
    Text(String),
    /// More of the reasoning that the provider shows.
    Reasoning(String),
    /// A block of the answer other than a call. Blocks and calls arrive in order, at the end of the stream.
    Block(Block),
    /// A complete call. Calls that were cut off are never emitted.
    Call {
        /// The call; its id may be empty or not unique.
        call: ToolCall,
        /// Why its arguments cannot be used, as a sentence for the model. The call then has no arguments.
        problem: Option<String>,
    },
    /// Totals so far. Each event replaces the previous one.
    Usage(Usage),
    /// The stream ended properly.
    Ended(StopReason),
    /// The stream failed. No event follows.
    Failed(ModelError),
}

/// Why a model stopped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StopReason {
    /// The answer is complete. Unknown reasons count as this one.
    End,
    /// It waits for the results of its calls.
    ToolCalls,
    /// The output limit was reached.
    Length {
        /// Whether a call was cut off, and is missing from the answer.
        call_lost: bool,
    },
    /// The context window is full.
    ContextFull,
    /// The provider or the model declined to answer.
    Refusal {
        /// The reason it gave.
        explanation: Option<String>,
    },
    /// The provider asks to be called again with the answer so far.
    Pause,
}

/// Tokens of a round, as the provider counts them: whether `prompt_tokens` includes cached input differs, and
/// [`normalize_context_tokens`](crate::normalize_context_tokens) evens that out.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Usage {
    /// Input.
    pub prompt_tokens: u64,
    /// Output, reasoning included.
    pub completion_tokens: u64,
    /// Input that came from a cache.
    #[serde(default)]
    pub cache_read_tokens: u64,
    /// Input that was written to a cache.
    #[serde(default)]
    pub cache_creation_tokens: u64,
    /// The part of `cache_creation_tokens` that is kept for an hour, which costs more.
    #[serde(default)]
    pub cache_creation_1h_tokens: u64,
    /// The part of the output that was reasoning.
    #[serde(default)]
    pub reasoning_tokens: u64,
    /// What the provider says it charged, in US dollars.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
    /// The stream broke off before it said what it used; these numbers are a guess.
    #[serde(default)]
    pub estimated: bool,
}

impl Usage {
    /// Adds the usage of a round. Input is summed too, because it is billed in every round.
    pub(crate) fn add(&mut self, round: &Self) {
        let Self {
            prompt_tokens,
            completion_tokens,
            cache_read_tokens,
            cache_creation_tokens,
            cache_creation_1h_tokens,
            reasoning_tokens,
            cost_usd,
            estimated,
        } = round;
        self.prompt_tokens = self.prompt_tokens.saturating_add(*prompt_tokens);
        self.completion_tokens = self.completion_tokens.saturating_add(*completion_tokens);
        self.cache_read_tokens = self.cache_read_tokens.saturating_add(*cache_read_tokens);
        self.cache_creation_tokens = self
            .cache_creation_tokens
            .saturating_add(*cache_creation_tokens);
        self.cache_creation_1h_tokens = self
            .cache_creation_1h_tokens
            .saturating_add(*cache_creation_1h_tokens);
        self.reasoning_tokens = self.reasoning_tokens.saturating_add(*reasoning_tokens);
        if let Some(cost) = cost_usd {
            self.cost_usd = Some(self.cost_usd.unwrap_or(0.0) + cost);
        }
        self.estimated |= estimated;
    }
}

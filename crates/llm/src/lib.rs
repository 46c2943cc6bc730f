//! Model providers over HTTP and SSE, and the one tool loop they share.
//!
//! Three wire formats (`wire`) turn neutral messages into bytes and streams into neutral events; a provider is a record on
//! one of them. [`ToolLoop`] is a turn as a pure state machine, and [`run_turn`] drives it over `egress`. [`Prices`] knows
//! what models cost.
//!
//! It stores nothing, runs no tool, reads no environment and has no clock of its own but the one that waits; no provider's
//! SDK is involved. Keys are shown to the provider's address and to nobody else, logs included.

mod capability;
mod error;
mod message;
mod models;
mod prompt;
mod provider;
mod request;
mod stream;

mod arguments;
mod classify;
mod lenient;
mod retry;
mod schema;
mod sse;
mod wire;

mod client;
mod driver;
mod history;
mod price;
mod tool_loop;

pub use capability::{Capabilities, Tier};
pub use client::ModelClient;
pub use driver::{Backend, LocalModel, News, TurnHost, run_turn};
pub use error::{Again, ErrorClass, ModelError};
pub use history::INTERRUPTED_TOOL_RESULT_ERROR;
pub use message::{Block, Echo, Format, Message, Role, ToolCall, ToolResult};
pub use models::ModelInfo;
pub use price::{
    BadCatalogue, Catalogue, ModelPrice, OutgoingPermission, PriceStore, Prices, Rate, Refresh,
    StoredCatalogue, normalize_context_tokens, pricing_key, resolve_cost_usd,
};
pub use prompt::{SYSTEM_PROMPT_DYNAMIC_BOUNDARY, SystemPrompt, prompt_cache_key};
pub use provider::{CredentialShape, Provider, ProviderId, UnknownProvider};
pub use request::{Effort, ModelSettings, ToolChoice, ToolSpec};
pub use stream::{Stop, StreamEvent, Usage};
pub use tool_loop::{
    Budget, CallStatus, Ending, Limit, LoopInput, LoopOutput, ToolLoop, ToolOutcome, TurnEvent,
    TurnFailure, TurnLimits, TurnPlan,
};

//! Model providers over HTTP and SSE, and the one tool loop they share.
//!
//! Three wire formats (`wire`) encode neutral messages and decode streams into neutral events; a provider is a record that uses one of
//! them. [`ToolLoop`] is a turn as a pure state machine, and [`run_turn`] drives it over `egress`. [`Prices`] knows what models cost.
//!
//! The crate stores nothing, runs no tools, reads no environment variables, uses a clock only for timeouts, and depends on no provider's
//! SDK. A key is sent to its provider's address and appears nowhere else, including logs.

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
pub use stream::{StopReason, StreamEvent, Usage};
pub use tool_loop::{
    CallStatus, Ending, Limit, LoopInput, LoopOutput, ReachedLimit, ToolLoop, ToolOutcome,
    TurnEvent, TurnFailure, TurnLimits, TurnPlan,
};

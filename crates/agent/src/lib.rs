//! Conversations with a model: their messages, the tools on offer, where those run, and what it all costs.
//!
//! The durable state of a turn is its rows; the task that runs it can be lost and rebuilt from them. This crate knows no routes and
//! writes no SQL; it talks to models through `llm` and calls tools through `runtime`.

mod agent;
mod batch;
mod board;
mod bridge;
mod built_in;
mod claimed_changes;
mod completion;
mod credentials;
mod default_tools;
mod elsewhere;
mod error;
mod history;
mod models;
mod outcome;
mod plans;
mod prices;
mod prompt;
mod run;
mod toolbox;
mod turn;
mod usage;

pub use agent::{Agent, NewMessage, OFFLINE, RunningTurn, TabRequest, TurnHandle};
pub use board::Watch;
pub use bridge::Tab;
pub use completion::{Completion, CompletionAccess, CompletionRequest};
pub use credentials::{AccessChange, CredentialError, NewAccess};
pub use default_tools::{ToolVisibility, default_tools};
pub use error::AgentError;
pub use models::{CredentialTest, ModelOffer, Models, Offer, Quote};
pub use outcome::TurnOutcome;
pub use plans::{AppliedPlan, PlanPreview};
pub use turn::{Executor, Mode};
pub use usage::{
    AiAudit, BadWindow, ModelRun, UsageByDay, UsageByModel, UsageByScope, UsageByUser, UsageTotals,
    Window, month_start, usd,
};

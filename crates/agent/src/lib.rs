//! A conversation with a model: what is said, which tools are on offer, where they run, and what it cost.
//!
//! A turn is an object of the server whose durable state is rows. This crate knows no routes and writes no SQL; it
//! speaks to models through `llm` and calls tools through `runtime`.

mod agent;
mod batch;
mod board;
mod bridge;
mod built_in;
mod claimed_changes;
mod credentials;
mod default_tools;
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

pub use agent::{Agent, NewMessage, OFFLINE, RunningTurn, TurnHandle};
pub use board::Watch;
pub use bridge::Tab;
pub use credentials::{AccessChange, CredentialError, NewAccess};
pub use default_tools::{ToolVisibility, default_tools};
pub use error::AgentError;
pub use models::{CredentialTest, ModelOffer, Models, Offer, Quote};
pub use turn::{Executor, Mode};
pub use usage::{
    AiAudit, BadWindow, ModelRun, UsageByDay, UsageByModel, UsageByScope, UsageByUser, UsageTotals,
    Window, month_start, usd,
};

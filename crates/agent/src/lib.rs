//! A conversation with a model: what is said, which tools are on offer, where they run, and what it cost.
//!
//! A turn is an object of the server whose durable state is rows. This crate knows no routes and writes no SQL; it
//! speaks to models through `llm` and calls tools through `runtime`.

mod agent;
mod batch;
mod board;
mod built_in;
mod claimed_changes;
mod credentials;
mod default_tools;
mod desk;
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

pub use agent::{Agent, OFFLINE, RunningTurn, Sending, Sent};
pub use board::Watch;
pub use credentials::{AccessChange, CredentialError, NewAccess};
pub use default_tools::{Visible, default_tools};
pub use desk::Tab;
pub use error::AgentError;
pub use models::{ModelOffer, Models, Offer, Quote, Tested};
pub use turn::{Executor, Mode};
pub use usage::{
    AiAudit, BadWindow, ModelRun, UsageByDay, UsageByModel, UsageByScope, UsageByUser, UsageTotals,
    Window, month_start, usd,
};

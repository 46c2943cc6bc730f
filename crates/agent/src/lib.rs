//! A conversation with a model: what is said, which tools are on offer, where they run, and what it cost.
//!
//! A turn is an object of the server whose durable state is rows. This crate knows no routes and writes no SQL; it
//! speaks to models through `llm` and calls tools through `runtime`.

mod credentials;
mod models;
mod prices;
mod usage;

pub use credentials::{AccessChange, CredentialError, NewAccess};
pub use models::{ModelOffer, Models, Offer, Quote, Tested};
pub use usage::{
    AiAudit, BadWindow, ModelRun, UsageByDay, UsageByModel, UsageByScope, UsageByUser, UsageTotals,
    Window, month_start, picodollars, usd,
};

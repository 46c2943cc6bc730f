//! Prices and context windows of models: one list for the model picker and for the cost of a turn.
//!
//! The list is OpenRouter's, which also has the models of other providers. A copy is built in, so that the first turn has a price
//! without network access; [`Prices`] keeps it fresh.

mod catalogue;
mod cost;
mod key;
mod memo;

pub use catalogue::{BadCatalogue, Catalogue, ModelPrice, Rate};
pub use cost::{normalize_context_tokens, resolve_cost_usd};
pub use key::pricing_key;
pub use memo::{OutgoingPermission, PriceStore, Prices, Refresh, StoredCatalogue};

//! What a tool is, and the types that every interface of Sitewright shares: manifests, contexts, envelopes, error codes,
//! capabilities.
//!
//! Pure and wasm-safe: no clock, randomness, environment, files, threads or async. It knows nothing about HTTP except the status
//! of each error code, and does not run tools.

mod canonical;
mod capability;
mod code;
mod context;
pub mod definition;
mod envelope;
mod manifest;
mod name;
mod old_call;
mod reader;
mod sentence;
mod tagged;
mod typed;
mod wire_name;

pub use canonical::{canonical, digest};
pub use capability::{Capability, CapabilitySet, UnknownCapability};
pub use code::ErrorCode;
pub use context::ToolContext;
pub use definition::{
    Definition, DefinitionBuilder, Destination, Reversibility, Rollback, TurnRole, Words,
};
pub use envelope::{Envelope, Image, Receipt, Sanitised, Taint, ToolError, Touched};
pub use manifest::{Compensation, Effect, Execution, RetryPolicy, ToolCapability, ToolManifest};
pub use name::{BadToolName, Scope, ToolName};
pub use old_call::{OldCall, OldCallProblem, RenewedCall};
pub use reader::{Misread, Tagged, read, read_tagged};
pub use sentence::sentence;
pub use typed::{parse, schema_of, write};
pub use wire_name::WireNames;

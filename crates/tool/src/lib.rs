//! The vocabulary every face of Sitewright shares: error codes and capabilities.
//!
//! Pure and wasm-safe: no clock, randomness, environment, files, threads or async. It knows nothing of HTTP beyond the
//! status number that belongs to a code.

mod capability;
mod code;

pub use capability::{Capability, CapabilitySet, UnknownCapability};
pub use code::ErrorCode;

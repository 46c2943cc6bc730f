//! Runs tools. Site tools are pure functions; here they get what they lack from the store, and their change is committed.
//!
//! It never decides who is calling: whoever calls says on whose behalf.

mod headless;
mod registry;

pub use headless::Call;
pub use registry::{Registry, UnknownTool};

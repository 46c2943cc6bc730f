//! Runs tools. Site tools are pure functions; here they get what they lack from the store, and their change is committed.
//!
//! It never decides who is calling: whoever calls says on whose behalf.

mod headless;
mod registry;
mod tool;

pub use headless::Call;
pub use registry::{Listed, NameTaken, Registry, UnknownTool};
pub use tool::{Attempt, Failure, Output, Reached, Running, Source, Tool};

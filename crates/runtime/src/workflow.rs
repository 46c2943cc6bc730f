//! Workflows: a graph of tool calls in which later steps use what earlier ones answered.
//!
//! A step starts as soon as the steps it depends on are done; there are no levels, so a slow step delays only what depends on it. The
//! whole graph is checked before the first call. The policy judges each step by itself. What has been done is stored after every
//! step, and the calls have fixed keys, so a workflow that is resumed after a crash repeats nothing that has an effect.

mod plan;
mod run;
mod tool;

pub use tool::{WorkflowView, workflow_tool};

//! Runs tools. Site tools are pure functions; here they get what they lack from the store, and their change is committed.
//!
//! It never decides who is calling: whoever calls says on whose behalf.

mod headless;
mod manifest;
mod policy;
mod registry;
mod schema;
mod tool;

pub use headless::Call;
pub use manifest::{ManifestProblem, check_manifest};
pub use policy::{
    BadGrant, Decision, Difference, FACTS_SCHEMA, Fact, GRANT_MS_MAX, Grant, GrantFor, Judgement,
    PlannedChange, Policy, PolicyProblem, Principal, Reason, SHIPPED, Shadowed, Verdict, Why,
    judge_in_shadow,
};
pub use registry::{Listed, NameTaken, Registry, UnknownTool};
pub use schema::{BadSchema, MISFITS_MAX, Misfit, Schema, ToolSchemas};
pub use tool::{Attempt, Failure, Output, Reached, Running, Source, Tool};

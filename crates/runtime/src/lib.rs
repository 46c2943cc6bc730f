//! Runs tools: one pipeline for every call, with a row per call, policy, approvals and attempts.
//!
//! Site tools are pure functions; here they get what they lack from the store, and their change is committed. It never decides who
//! is calling: whoever calls says on whose behalf.

mod attempts;
mod call;
mod editor;
mod fonts;
mod headless;
mod history;
mod looks;
mod manifest;
mod outcome;
mod pipeline;
mod planned;
mod policies;
mod policy;
mod registry;
mod schema;
mod tool;

pub use call::Call;
pub use editor::{Editor, EditorCall, NoTab, TabAnswer};
pub use fonts::Fonts;
pub use history::history_tools;
pub use looks::RecorderStatus;
pub use manifest::{ManifestProblem, check_manifest};
pub use outcome::{Answer, CallOutcome, CallReply, PendingApproval};
pub use pipeline::{DecideError, Decided, Foretold, Pipeline};
pub use policies::Judged;
pub use policy::{
    BadGrant, Decision, Difference, FACTS_SCHEMA, Fact, GRANT_MS_MAX, Grant, GrantFor, Judgement,
    PlannedChange, Policy, PolicyProblem, Principal, Reason, SHIPPED, Shadowed, Verdict, Why,
    judge_in_shadow,
};
pub use registry::{ListedTool, NameTaken, Registry, UnknownTool, WeakRegistry};
pub use schema::{BadSchema, MISFITS_MAX, Misfit, Schema, ToolSchemas};
pub use tool::{Attempt, ErasedOutside, Failure, Foreseen, Output, Outside, Reached, Source, Tool};

//! Runs tools: one pipeline for every call, with a row per call, policy, approvals and attempts.
//!
//! Site tools are pure functions; this crate loads what they need from the store and commits their change. It does not authenticate:
//! the caller says on whose behalf a call is made.

mod attempts;
mod call;
mod editor;
mod fonts;
mod headless;
mod history;
mod interpolation;
#[cfg(test)]
mod interpolation_tests;
mod manifest;
mod mission;
mod outcome;
mod personal_data;
mod pipeline;
mod planned;
mod policies;
mod policy;
mod read_recorder;
mod registry;
mod result_card;
mod schema;
mod tool;
mod vendor_key;
mod workflow;

pub use call::{Call, turn_of};
pub use editor::{Editor, EditorCall, NoTab, TabAnswer};
pub use fonts::Fonts;
pub use history::history_tools;
pub use interpolation::{InterpolationError, Marks, STEP_MARKS, StepReference, TEMPLATE_MARKS};
pub use manifest::{ManifestProblem, check_manifest};
pub use mission::{
    LegActionError, LegDetail, LegPlace, LegState, MissionCall, MissionState, MissionView,
    mission_preview_tool, mission_tool,
};
pub use outcome::{Answer, CallOutcome, CallReply, PendingApproval};
pub use pipeline::{CardDecision, DecideError, Pipeline, PredictedDecision};
pub use policies::CallJudgement;
pub use policy::{
    BadGrant, Decision, Difference, FACTS_SCHEMA, Fact, GRANT_MS_MAX, Grant, GrantFor, Judgement,
    PlannedChange, Policy, PolicyProblem, Principal, Reason, SHIPPED, ShadowJudgement, Verdict,
    Why, judge_in_shadow,
};
pub use read_recorder::RecorderStatus;
pub use registry::{ListedTool, NameTaken, Registry, UnknownTool, WeakRegistry};
pub use result_card::{
    CallResult, CardField, CardItem, CardKind, FollowUp, ResultCard, field_label,
};
pub use schema::{BadSchema, MISFITS_MAX, Misfit, Schema, ToolSchemas};
pub use tool::{
    Attempt, Delivery, ErasedOutside, Failure, Foreseen, Outside, Tool, ToolOutput, ToolSource,
};
pub use vendor_key::vendor_key;
pub use workflow::{WorkflowView, workflow_tool};

//! The edit plan: operations that a model proposes together, and a person accepts in whole or in part.
//!
//! [`normalise`] parses a model's output, repairs common mistakes of form and reports each repair; it never changes the
//! meaning of a plan. [`EditPlan::run`] applies the operations to the site through the functions of its tools and then
//! undoes everything, so a run is both validation and preview. Nothing here commits, asks a person or decides: reasons
//! for caution are returned to the caller.

mod act;
mod caution;
mod check;
mod component;
mod item;
mod naming;
mod normalise;
mod op;
mod page_ref;
mod problem;
mod run;
mod sentence;
mod settings;
mod shape;
mod slip;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sitewright_tool::schema_of;

pub use caution::Caution;
pub use normalise::{NormalisedPlan, Refused, normalise};
pub use op::{NodeRef, PageRef, PlanOp, Ref};
pub use problem::{PlanProblem, PlanProblemKind};
pub use run::{Accept, OpOutcome, OpStatus, PlanRun};
pub use settings::{PageSettingsPatch, SiteSettingsPatch};
pub use slip::{Repair, Slip};

/// The tool with which a model submits its plan.
pub const SUBMIT_EDIT_PLAN: &str = "submit_edit_plan";
/// The maximum number of operations in a plan.
pub(crate) const PLAN_OPS_MAX: usize = 200;
/// The maximum size of a plan in bytes, as JSON.
pub(crate) const PLAN_BYTES_MAX: usize = 2 * 1024 * 1024;
/// The maximum number of nodes that a plan may insert.
pub(crate) const PLAN_NODES_MAX: usize = 20_000;
/// The maximum number of suggestions for what to do next.
pub(crate) const SUGGESTIONS_MAX: usize = 5;

/// What a model proposes to do to the site.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EditPlan {
    /// What this is: a plan of edits, a question back, or an answer that needs no edits.
    pub intent: Intent,
    /// What will be different, the question, or the answer, in plain words for the person.
    #[schemars(length(min = 1, max = 4_000))]
    pub summary_for_user: String,
    /// One sentence for each thing that changes.
    #[serde(default)]
    #[schemars(length(max = PLAN_OPS_MAX), inner(length(max = 500)))]
    pub change_log: Vec<String>,
    /// The operations, done in this order; later ones see what earlier ones did. Empty unless the intent is edit_plan.
    #[serde(default)]
    #[schemars(length(max = PLAN_OPS_MAX))]
    pub ops: Vec<PlanOp>,
    /// What the person may want to ask for next, at most five.
    #[serde(default)]
    #[schemars(length(max = SUGGESTIONS_MAX), inner(length(max = 200)))]
    pub suggested_next_actions: Vec<String>,
}

/// What a plan is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Intent {
    /// Edits.
    EditPlan,
    /// A question, because what to do is not clear.
    NeedsClarification,
    /// An answer; nothing is edited.
    ContentAnswer,
}

/// The schema of a plan as models see it.
pub fn edit_plan_schema() -> Value {
    schema_of::<EditPlan>()
}

#[cfg(test)]
mod tests;

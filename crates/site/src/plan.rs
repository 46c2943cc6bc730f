//! The edit plan: what a model proposes as a whole, and a person accepts fully or in part.
//!
//! [`normalise`] parses what a model wrote, repairs common mistakes of form and reports them; it never changes the meaning of a
//! plan. [`EditPlan::run`] runs the operations on the site through its tools and undoes everything, so that a run is both the
//! validation and the preview. Nothing here writes, asks a person or decides: reasons for caution are returned to the caller,
//! which does.

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

/// The tool by which a model submits its plan.
pub const SUBMIT_EDIT_PLAN: &str = "submit_edit_plan";
/// The maximum number of operations in a plan.
pub(crate) const PLAN_OPS_MAX: usize = 200;
/// The maximum size of a plan as JSON, in bytes.
pub(crate) const PLAN_BYTES_MAX: usize = 2 * 1024 * 1024;
/// The maximum number of nodes a plan may add.
pub(crate) const PLAN_NODES_MAX: usize = 20_000;
/// The maximum number of suggestions for next steps.
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

/// The JSON schema of a plan, as shown to a model.
pub fn edit_plan_schema() -> Value {
    schema_of::<EditPlan>()
}

#[cfg(test)]
mod tests;

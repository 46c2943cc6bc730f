//! Edit plans as tools: submitting one, previewing its result, and applying the operations that a person accepted.
//!
//! All three run the plan on the site and undo it. Only `apply_edit_plan` returns its ops, as the change of the call.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sitewright_tool::definition::{edit, query};
use sitewright_tool::{ErrorCode, ToolError, TurnRole};

use super::work::{Stop, Work};
use super::{PureBody as _, SiteTool};
use crate::{
    Accept, BodyId, Caution, DiffLine, EditPlan, Facts, OpOutcome, Outcome, PlanProblem, PlanRun,
    Purpose, Repair, SUBMIT_EDIT_PLAN, Site, edit_plan_schema, normalise,
};

/// The tool that applies the accepted part of a plan.
pub const APPLY_EDIT_PLAN: &str = "apply_edit_plan";
/// The tool that shows a page as a plan would leave it.
pub const PREVIEW_EDIT_PLAN: &str = "preview_edit_plan";
/// The maximum number of problems that are reported to a model at once.
const PROBLEMS_MAX: usize = 12;

pub(super) fn tools() -> Vec<SiteTool> {
    vec![
        query(SUBMIT_EDIT_PLAN, "Hand in a plan", "Hands in the plan of edits. Nothing is changed: a person looks at it and accepts all, some or none of its operations. This ends the turn.")
            .words("Submitting the plan", "Submitted the plan")
            .role(TurnRole::SubmitsPlan)
            .input_schema(edit_plan_schema())
            .with(submit),
        query(PREVIEW_EDIT_PLAN, "Look at a page as a plan would leave it", "Shows a page as the accepted operations of a plan would leave it, and what would be different. Nothing is changed.")
            .words("Previewing the plan", "Previewed the plan")
            .role(TurnRole::ForPeople)
            .with(preview),
        edit(APPLY_EDIT_PLAN, "Apply a plan", "Applies the accepted operations of a plan as one change: all of them or none.")
            .words("Applying the plan", "Applied the plan")
            .role(TurnRole::ForPeople)
            .on_server()
            .with(apply),
    ]
}

/// A plan of which a part may be accepted.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct PlanSelection {
    /// The plan, as it was handed in.
    #[schemars(schema_with = "any_object")]
    plan: Value,
    /// The positions of the accepted operations; all when left out.
    #[serde(default)]
    accept: Option<BTreeSet<usize>>,
    /// The page to show.
    #[serde(default)]
    page_id: Option<BodyId>,
}

/// Accepts any object: plans are parsed by `normalise`, which repairs what a strict schema would refuse.
fn any_object(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    schemars::json_schema!({ "type": "object" })
}

/// What a plan would do.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct PlanReport {
    plan: EditPlan,
    repairs: Vec<Repair>,
    outcomes: Vec<OpOutcome>,
    diff: Vec<DiffLine>,
    cautions: Vec<Caution>,
    /// The page to look at.
    page_id: Option<BodyId>,
}

#[derive(Serialize, JsonSchema)]
struct PlanPreview {
    #[serde(flatten)]
    report: PlanReport,
    /// The page as the plan would leave it; null when the plan removes it.
    html: Option<String>,
}

/// A plan that was run on the site and undone.
struct RehearsedPlan {
    plan: EditPlan,
    repairs: Vec<Repair>,
    run: PlanRun,
}

impl RehearsedPlan {
    fn report(&self, page_id: Option<BodyId>, current: Option<BodyId>) -> PlanReport {
        let opened = self.run.open.as_ref().map(|open| open.id);
        PlanReport {
            plan: self.plan.clone(),
            repairs: self.repairs.clone(),
            outcomes: self.run.outcomes.clone(),
            diff: self.run.diff.clone(),
            cautions: self.run.cautions.clone(),
            page_id: page_id.or(opened).or(current),
        }
    }
}

fn submit(plan: Value, work: &mut Work<'_>) -> Result<PlanReport, Stop> {
    let rehearsed = rehearse(plan, &Accept::All, work)?;
    if !rehearsed.run.is_clean() {
        return Err(wrong(rehearsed.run.all_problems(), &rehearsed.repairs).into());
    }
    Ok(finish(rehearsed, None, work))
}

fn preview(input: PlanSelection, work: &mut Work<'_>) -> Result<PlanPreview, Stop> {
    let accept = input.accept.map_or(Accept::All, Accept::Only);
    let rehearsed = rehearse(input.plan, &accept, work)?;
    let page = rehearsed.report(input.page_id, work.view.current).page_id;
    let rendered = page.and_then(|page| render_after(work.site, &rehearsed.run, page, work.facts));
    let html = match rendered {
        Some(Outcome::Needs(needs)) => return Err(Stop::Needs(needs)),
        Some(Outcome::Done(html)) => Some(html),
        None => None,
    };
    Ok(PlanPreview {
        report: finish(rehearsed, input.page_id, work),
        html,
    })
}

fn apply(input: PlanSelection, work: &mut Work<'_>) -> Result<PlanReport, Stop> {
    let accept = input.accept.map_or(Accept::All, Accept::Only);
    let rehearsed = rehearse(input.plan, &accept, work)?;
    if !rehearsed.run.is_clean() {
        return Err(not_applicable(&rehearsed.plan, &rehearsed.run, work.site).into());
    }
    for op in &rehearsed.run.ops {
        work.step(op.clone())?;
    }
    Ok(finish(rehearsed, input.page_id, work))
}

/// Runs a plan and undoes it.
fn rehearse(plan: Value, accept: &Accept, work: &mut Work<'_>) -> Result<RehearsedPlan, Stop> {
    let normalised = normalise(plan, work.site)
        .map_err(|refused| wrong(refused.problems.iter(), &refused.repairs))?;
    let change = work.mint.change().clone();
    let run = normalised
        .plan
        .run(accept, work.site, work.view, (work.facts, change))?;
    match run {
        Outcome::Done(run) => Ok(RehearsedPlan {
            plan: normalised.plan,
            repairs: normalised.repairs,
            run,
        }),
        Outcome::Needs(needs) => Err(Stop::Needs(needs)),
    }
}

fn finish(rehearsed: RehearsedPlan, page_id: Option<BodyId>, work: &mut Work<'_>) -> PlanReport {
    let report = rehearsed.report(page_id, work.view.current);
    work.receipt = rehearsed.run.receipt;
    work.open = rehearsed.run.open;
    report
}

/// Renders a page as a plan would leave it; `None` when the page would not exist.
fn render_after(
    site: &Site,
    run: &PlanRun,
    page: BodyId,
    facts: &Facts,
) -> Option<Outcome<String>> {
    let mut after = site.clone();
    after.apply_all(&run.ops, 0);
    Some(match after.render(page, Purpose::Publish, facts)? {
        Outcome::Done(rendered) => Outcome::Done(rendered.html),
        Outcome::Needs(needs) => Outcome::Needs(needs),
    })
}

/// Explains to a person why nothing of what they accepted was applied.
fn not_applicable(plan: &EditPlan, run: &PlanRun, site: &Site) -> ToolError {
    let left_out = run.steps_left_out();
    if left_out.is_empty() {
        let problems: Vec<&PlanProblem> = run.all_problems().collect();
        let message = format!(
            "The plan cannot be applied, and nothing was changed:{}",
            list(&problems)
        );
        return ToolError::new(ErrorCode::InvalidInput, message)
            .with(json!({ "problems": problems }));
    }
    let name = |index: usize| match plan.step_title(index, site) {
        Some(title) => format!("step {} ({})", index + 1, title.trim_end_matches('.')),
        None => format!("step {}", index + 1),
    };
    let sentences = left_out.iter().take(PROBLEMS_MAX).map(|(step, needed)| {
        let names: Vec<String> = needed.iter().map(|index| name(*index)).collect();
        let (are, them) = match needed.len() {
            1 => ("is", "it"),
            _ => ("are", "them"),
        };
        let sentence = format!(
            "{} needs {}, which {are} not accepted. Accept {them} too, or leave step {} out.",
            name(*step),
            names.join(" and "),
            step + 1
        );
        sitewright_tool::sentence(&sentence)
    });
    let sentences: Vec<String> = sentences.collect();
    let missing: Vec<Value> = left_out
        .iter()
        .map(|(step, needed)| json!({ "step": step, "needs": needed }))
        .collect();
    let message = format!("{} Nothing was changed.", sentences.join(" "));
    ToolError::new(ErrorCode::InvalidInput, message).with(json!({ "missing": missing }))
}

/// Explains to a model what is wrong with its plan, so that it can submit a better one.
fn wrong<'a>(problems: impl Iterator<Item = &'a PlanProblem>, repairs: &[Repair]) -> ToolError {
    let problems: Vec<&PlanProblem> = problems.collect();
    let message = format!(
        "The plan cannot be applied as it is. Correct these and hand in the whole plan again:{}",
        list(&problems)
    );
    ToolError::new(ErrorCode::InvalidInput, message)
        .with(json!({ "problems": problems, "repairs": repairs }))
}

/// The first problems, one per line.
fn list(problems: &[&PlanProblem]) -> String {
    let shown = problems.iter().take(PROBLEMS_MAX);
    let mut lines: String = shown.map(|problem| format!("\n- {problem}")).collect();
    let more = problems.len().saturating_sub(PROBLEMS_MAX);
    if more > 0 {
        lines.push_str(&format!("\n- and {more} more"));
    }
    lines
}

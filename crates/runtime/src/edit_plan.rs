//! Edit plans as tools: handing one in, looking at what it would do, and applying what a person accepted of it.
//!
//! All three run the plan on the site and take it back; only `apply_edit_plan` hands its steps to the pipeline.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sitewright_site::{
    Accept, BodyId, ChangeId, EditPlan, Facts, OpOutcome, Outcome, PlanProblem, PlanRun, Purpose,
    Repair, SUBMIT_EDIT_PLAN, Site, ToolRun, View, edit_plan_schema, normalise,
};
use sitewright_tool::{
    Effect, ErrorCode, Execution, RetryPolicy, Scope, ToolCapability, ToolError, ToolManifest,
    ToolName, write,
};

use crate::registry::PureTool;

/// The tool that applies what a person accepted of a plan.
pub const APPLY_EDIT_PLAN: &str = "apply_edit_plan";
/// The tool that shows a page as a plan would leave it.
pub const PREVIEW_EDIT_PLAN: &str = "preview_edit_plan";
/// The most problems that a model is told at once.
const PROBLEMS_MAX: usize = 12;

pub(crate) fn tools() -> Vec<Box<dyn PureTool>> {
    let all = [Use::Submit, Use::Preview, Use::Apply];
    all.into_iter()
        .map(|of| -> Box<dyn PureTool> {
            Box::new(PlanTool {
                manifest: of.manifest(),
                of,
            })
        })
        .collect()
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Use {
    Submit,
    Preview,
    Apply,
}

struct PlanTool {
    manifest: ToolManifest,
    of: Use,
}

/// A plan of which a part may be accepted.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Chosen {
    plan: Value,
    #[serde(default)]
    accept: Option<BTreeSet<usize>>,
    #[serde(default)]
    page_id: Option<BodyId>,
}

/// What a plan would do.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Told<'a> {
    plan: &'a EditPlan,
    repairs: &'a [Repair],
    outcomes: &'a [OpOutcome],
    diff: &'a [sitewright_site::DiffLine],
    cautions: &'a [sitewright_site::Caution],
    /// The page to look at.
    page_id: Option<BodyId>,
}

impl Use {
    fn manifest(self) -> ToolManifest {
        let (name, title, description, capability) = match self {
            Self::Submit => (
                SUBMIT_EDIT_PLAN,
                "Hand in a plan",
                "Hands in the plan of edits. Nothing is changed: a person looks at it and accepts all, some or none of its operations. This ends the turn.",
                ToolCapability::Read,
            ),
            Self::Preview => (
                PREVIEW_EDIT_PLAN,
                "Look at a page as a plan would leave it",
                "Shows a page as the accepted operations of a plan would leave it, and what would be different. Nothing is changed.",
                ToolCapability::Read,
            ),
            Self::Apply => (
                APPLY_EDIT_PLAN,
                "Apply a plan",
                "Applies the accepted operations of a plan as one change: all of them or none.",
                ToolCapability::Write,
            ),
        };
        let chosen = json!({
            "type": "object",
            "properties": {
                "plan": { "type": "object", "description": "The plan, as it was handed in." },
                "accept": {
                    "type": "array", "items": { "type": "integer", "minimum": 0 },
                    "description": "The positions of the accepted operations; all when left out."
                },
                "pageId": { "type": "string", "description": "The page to show." },
            },
            "required": ["plan"],
            "additionalProperties": false,
        });
        ToolManifest {
            name: ToolName::from_static(name),
            description: description.to_owned(),
            input_schema: match self {
                Self::Submit => edit_plan_schema(),
                Self::Preview | Self::Apply => chosen,
            },
            output_schema: json!({ "type": "object" }),
            capability,
            timeout_ms: 90_000,
            retry_policy: RetryPolicy {
                max_attempts: 1,
                backoff_ms: None,
            },
            idempotent: capability == ToolCapability::Read,
            title: Some(title.to_owned()),
            scopes: vec![Scope::Site],
            execution: Execution::Server,
            effect: Some(match capability {
                ToolCapability::Read => Effect::None,
                ToolCapability::Write => Effect::Draft,
            }),
            confirmation: None,
            cancels: None,
            cancel_for: None,
            compensation: None,
            pii_required: Vec::new(),
            intent_tags: Vec::new(),
            guidance: None,
            heavy: false,
            aliases: Vec::new(),
            enabled: true,
        }
    }
}

impl PureTool for PlanTool {
    fn manifest(&self) -> &ToolManifest {
        &self.manifest
    }

    fn run(
        &self,
        input: Value,
        site: &mut Site,
        view: &View,
        (facts, change): (&Facts, ChangeId),
    ) -> Result<Outcome<ToolRun>, ToolError> {
        let chosen = match self.of {
            Use::Submit => Chosen {
                plan: input,
                accept: None,
                page_id: None,
            },
            Use::Preview | Use::Apply => sitewright_tool::parse(input)?,
        };
        let normalised = normalise(chosen.plan, site)
            .map_err(|refused| wrong(refused.problems.iter(), &refused.repairs))?;
        let plan = &normalised.plan;
        let accept = chosen.accept.map_or(Accept::All, Accept::Only);
        let run = match plan.run(&accept, site, view, (facts, change))? {
            Outcome::Done(run) => run,
            Outcome::Needs(needs) => return Ok(Outcome::Needs(needs)),
        };
        match self.of {
            Use::Apply if !run.is_clean() => return Err(not_applicable(plan, &run, site)),
            Use::Submit if !run.is_clean() => {
                return Err(wrong(run.all_problems(), &normalised.repairs));
            }
            Use::Submit | Use::Preview | Use::Apply => {}
        }
        let page_id = chosen.page_id.or(run.open.map(|open| open.id));
        let page_id = page_id.or(view.current);
        let told = Told {
            plan,
            repairs: &normalised.repairs,
            outcomes: &run.outcomes,
            diff: &run.diff,
            cautions: &run.cautions,
            page_id,
        };
        let mut data = write(&told)?;
        if self.of == Use::Preview
            && let Some(page) = page_id
        {
            match after(site, &run, page, facts) {
                Some(Outcome::Needs(needs)) => return Ok(Outcome::Needs(needs)),
                Some(Outcome::Done(html)) => data["html"] = html.into(),
                None => data["html"] = Value::Null,
            }
        }
        Ok(Outcome::Done(ToolRun {
            data,
            ops: match self.of {
                Use::Apply => run.ops,
                Use::Submit | Use::Preview => Vec::new(),
            },
            receipt: run.receipt,
            open: run.open,
            images: Vec::new(),
        }))
    }
}

/// A page as a plan would leave it; nothing when it would not be there.
fn after(site: &Site, run: &PlanRun, page: BodyId, facts: &Facts) -> Option<Outcome<String>> {
    let mut after = site.clone();
    after.apply_all(&run.ops, 0);
    Some(match after.render(page, Purpose::Publish, facts)? {
        Outcome::Done(rendered) => Outcome::Done(rendered.html),
        Outcome::Needs(needs) => Outcome::Needs(needs),
    })
}

/// Tells a person why nothing of what they accepted was applied.
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

/// Tells a model what is wrong with its plan, so that it can hand in a better one.
fn wrong<'a>(problems: impl Iterator<Item = &'a PlanProblem>, repairs: &[Repair]) -> ToolError {
    let problems: Vec<&PlanProblem> = problems.collect();
    let message = format!(
        "The plan cannot be applied as it is. Correct these and hand in the whole plan again:{}",
        list(&problems)
    );
    ToolError::new(ErrorCode::InvalidInput, message)
        .with(json!({ "problems": problems, "repairs": repairs }))
}

/// The first problems, each on its line.
fn list(problems: &[&PlanProblem]) -> String {
    let shown = problems.iter().take(PROBLEMS_MAX);
    let mut lines: String = shown.map(|problem| format!("\n- {problem}")).collect();
    let more = problems.len().saturating_sub(PROBLEMS_MAX);
    if more > 0 {
        lines.push_str(&format!("\n- and {more} more"));
    }
    lines
}

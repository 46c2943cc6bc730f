//! The input of `workflow`: steps, checked before the first of them runs.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sitewright_tool::{ErrorCode, Scope, ToolError, TurnRole, sentence};

use super::tool::NAME;
use crate::Registry;
use crate::interpolation::STEP_MARKS;
use crate::registry::Entry;

/// The most steps of a workflow.
const STEPS_MAX: usize = 200;
const ID_CHARS_MAX: usize = 64;
/// How long the call of a step may take if the step does not say.
const STEP_SECONDS: u32 = 60;

/// What a workflow is to do.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct WorkflowInput {
    /// The steps. Those that do not depend on each other run at the same time.
    #[schemars(length(min = 1, max = 200))]
    pub(crate) steps: Vec<StepInput>,
    /// The step whose answer is the `result` of the workflow.
    #[serde(default)]
    pub(crate) return_step: Option<String>,
    /// Whether steps that do not depend on a failed one go on.
    #[serde(default)]
    pub(crate) continue_on_error: bool,
}

/// One call of a workflow.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct StepInput {
    /// The name by which other steps refer to it.
    pub(crate) id: String,
    /// The tool to call.
    pub(crate) tool: String,
    /// The scope of the tool, if several have one of this name.
    #[serde(default)]
    pub(crate) scope: Option<Scope>,
    /// Its input. `${step.path[0]}` is replaced by what that step answered: the value itself if nothing stands around it, else text.
    #[serde(default)]
    pub(crate) input: Map<String, Value>,
    /// The steps that must be done before. Those whose answers it uses need not be named.
    #[serde(default)]
    pub(crate) dependencies: Vec<String>,
    /// How long its call may take, in seconds; 60 when left out.
    #[serde(default)]
    #[schemars(range(min = 1, max = 600))]
    pub(crate) timeout_seconds: Option<u32>,
}

/// A step that can run.
#[derive(Debug, Clone)]
pub(crate) struct PlannedStep {
    pub(crate) id: String,
    pub(crate) tool: String,
    pub(crate) scope: Option<Scope>,
    pub(crate) input: Value,
    /// Positions of the steps it waits for.
    pub(crate) dependencies: BTreeSet<usize>,
    /// Positions of the steps whose answers are in its input.
    pub(crate) uses: BTreeSet<usize>,
    pub(crate) timeout: Duration,
}

/// A workflow that can run.
#[derive(Debug, Clone)]
pub(crate) struct WorkflowPlan {
    pub(crate) steps: Vec<PlannedStep>,
    pub(crate) return_step: Option<usize>,
    pub(crate) continue_on_error: bool,
}

impl WorkflowPlan {
    /// Checks steps: ids, tools, references and the fields they name, inputs without references, and that no step waits for itself.
    pub(crate) fn check(input: &WorkflowInput, tools: &Registry) -> Result<Self, ToolError> {
        let indexes = indexes(input)?;
        let entries = input.steps.iter().map(|step| find(tools, step));
        let entries: Vec<_> = entries.collect::<Result<_, ToolError>>()?;
        let mut steps = Vec::with_capacity(input.steps.len());
        for (step, (entry, scope)) in input.steps.iter().zip(&entries) {
            let arguments = Value::Object(step.input.clone());
            let references = STEP_MARKS
                .references(&arguments)
                .map_err(|error| bad(format!("In the step `{}`, {error}.", step.id)))?;
            let mut uses = BTreeSet::new();
            for reference in &references {
                let at = position(&indexes, step, &reference.step)?;
                uses.insert(at);
                if let Some(field) = &reference.first_field {
                    check_field(step, &input.steps[at], &entries[at].0, field)?;
                }
            }
            // Input with references is checked by the tool's schema once they are filled in.
            if references.is_empty() {
                let fits = entry.schemas.check_input(&arguments);
                fits.map_err(|error| ToolError {
                    message: format!("In the step `{}`: {}", step.id, error.message),
                    ..error
                })?;
            }
            let mut dependencies = uses.clone();
            for name in &step.dependencies {
                dependencies.insert(position(&indexes, step, name)?);
            }
            let seconds = step.timeout_seconds.unwrap_or(STEP_SECONDS).clamp(1, 600);
            steps.push(PlannedStep {
                id: step.id.clone(),
                tool: step.tool.clone(),
                scope: *scope,
                input: arguments,
                dependencies,
                uses,
                timeout: Duration::from_secs(u64::from(seconds)),
            });
        }
        check_circles(&steps)?;
        let return_step = match &input.return_step {
            None => None,
            Some(name) => Some(*indexes.get(name.as_str()).ok_or_else(|| {
                bad(format!(
                    "`returnStep` names `{name}`, and the steps are {}.",
                    listed(indexes.keys().copied())
                ))
            })?),
        };
        Ok(Self {
            steps,
            return_step,
            continue_on_error: input.continue_on_error,
        })
    }
}

fn bad(message: String) -> ToolError {
    ToolError::new(ErrorCode::InvalidInput, message)
}

fn listed<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<String> = names.take(30).map(|name| format!("`{name}`")).collect();
    names.join(", ")
}

fn position(
    indexes: &BTreeMap<&str, usize>,
    step: &StepInput,
    name: &str,
) -> Result<usize, ToolError> {
    indexes.get(name).copied().ok_or_else(|| {
        bad(format!(
            "The step `{}` refers to `{name}`, and the steps are {}.",
            step.id,
            listed(indexes.keys().copied())
        ))
    })
}

/// Refuses a reference to a field that the tool of the referenced step never answers, as far as its output schema says.
fn check_field(
    step: &StepInput,
    source: &StepInput,
    entry: &Entry,
    field: &str,
) -> Result<(), ToolError> {
    let schema = &entry.manifest().output_schema;
    let Some(fields) = schema.get("properties").and_then(Value::as_object) else {
        return Ok(());
    };
    let is_open = schema
        .get("additionalProperties")
        .is_some_and(|more| *more != Value::Bool(false));
    let has_variants = ["anyOf", "oneOf", "allOf", "patternProperties", "$ref"]
        .iter()
        .any(|keyword| schema.get(*keyword).is_some());
    if fields.is_empty() || is_open || has_variants || fields.contains_key(field) {
        return Ok(());
    }
    Err(bad(format!(
        "The step `{}` uses `${{{}.{field}}}`, and `{}` answers no `{field}`. It answers {}: use one of these.",
        step.id,
        source.id,
        source.tool,
        listed(fields.keys().map(String::as_str))
    )))
}

fn check_circles(steps: &[PlannedStep]) -> Result<(), ToolError> {
    let mut done = vec![false; steps.len()];
    loop {
        let is_free =
            |at: &usize| !done[*at] && steps[*at].dependencies.iter().all(|other| done[*other]);
        let free: Vec<usize> = (0..steps.len()).filter(is_free).collect();
        if free.is_empty() {
            break;
        }
        for at in free {
            done[at] = true;
        }
    }
    let stuck = steps.iter().zip(&done).filter(|(_, done)| !**done);
    let stuck: Vec<&str> = stuck.map(|(step, _)| step.id.as_str()).collect();
    match stuck.is_empty() {
        true => Ok(()),
        false => Err(bad(format!(
            "The steps {} wait for each other: take one of their dependencies or references out.",
            listed(stuck.into_iter())
        ))),
    }
}

/// The positions of the steps by their ids.
fn indexes(input: &WorkflowInput) -> Result<BTreeMap<&str, usize>, ToolError> {
    if input.steps.is_empty() || input.steps.len() > STEPS_MAX {
        return Err(bad(format!("A workflow has 1 to {STEPS_MAX} steps.")));
    }
    let mut indexes = BTreeMap::new();
    for (at, step) in input.steps.iter().enumerate() {
        let is_name =
            |character: char| character.is_ascii_alphanumeric() || matches!(character, '_' | '-');
        let is_good = (1..=ID_CHARS_MAX).contains(&step.id.len()) && step.id.chars().all(is_name);
        if !is_good {
            let shown: String = step.id.chars().take(ID_CHARS_MAX).collect();
            return Err(bad(format!(
                "`{shown}` is no id of a step: use 1 to {ID_CHARS_MAX} letters, digits, `_` or `-`."
            )));
        }
        if indexes.insert(step.id.as_str(), at).is_some() {
            return Err(bad(format!(
                "Two steps have the id `{}`: give each its own.",
                step.id
            )));
        }
    }
    Ok(indexes)
}

fn find(tools: &Registry, step: &StepInput) -> Result<(Arc<Entry>, Option<Scope>), ToolError> {
    let scope = step.scope.or_else(|| tools.preferred_scope(&step.tool));
    let found = tools.find(scope, &step.tool).map_err(|error| {
        bad(format!(
            "The step `{}` cannot run: {}",
            step.id,
            sentence(&error.to_string())
        ))
    });
    let entry = found?;
    let is_ordinary = entry.definition().role == TurnRole::Ordinary && step.tool != NAME;
    match is_ordinary {
        true => Ok((entry, scope)),
        false => Err(bad(format!(
            "`{}` cannot be a step of a workflow; the step `{}` needs another tool.",
            step.tool, step.id
        ))),
    }
}

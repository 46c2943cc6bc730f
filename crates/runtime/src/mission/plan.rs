//! The input of `mission.run`: legs, checked before anybody is asked to approve them.

use std::collections::BTreeMap;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use sitewright_tool::{Effect, ErrorCode, Scope, ToolError, TurnRole, digest, sentence};

use super::state::{Leg, LegState};
use super::unseen::has_unseen_references;
use crate::Registry;
use crate::interpolation::STEP_MARKS;
use crate::registry::Entry;

/// The most legs of a mission.
const LEGS_MAX: usize = 50;
const ID_CHARS_MAX: usize = 64;
/// Arguments that name an amount of money, for the sum that the card shows.
const AMOUNTS: &[&str] = &["total", "price", "amount", "cost", "deposit"];

/// What a mission is to do.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct MissionInput {
    /// The legs. Those that do not depend on each other run at the same time.
    #[schemars(length(min = 1, max = 50))]
    pub(crate) legs: Vec<LegInput>,
}

/// One call of a mission.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct LegInput {
    /// The name by which other legs refer to it.
    pub(crate) id: String,
    /// The tool to call.
    pub(crate) tool: String,
    /// Its arguments. `${leg.path}` is replaced by what that leg answered.
    #[serde(default)]
    pub(crate) arguments: Map<String, Value>,
    /// The legs that must be done before. Those whose answers it uses need not be named.
    #[serde(default)]
    pub(crate) dependencies: Vec<String>,
}

/// Legs that can run, with their tools.
pub(crate) struct MissionPlan {
    pub(crate) legs: Vec<Leg>,
    pub(crate) tools: Vec<Arc<Entry>>,
}

impl MissionPlan {
    /// Checks legs: names, tools, references, and that none waits for itself.
    pub(crate) fn check(input: &MissionInput, tools: &Registry) -> Result<Self, ToolError> {
        let bad = |message: String| ToolError::new(ErrorCode::InvalidInput, message);
        let indexes = indexes(input)?;
        let mut plan = Self {
            legs: Vec::with_capacity(input.legs.len()),
            tools: Vec::with_capacity(input.legs.len()),
        };
        for leg in &input.legs {
            let entry = find(tools, &leg.tool, &leg.id)?;
            let arguments = Value::Object(leg.arguments.clone());
            let used = STEP_MARKS
                .steps(&arguments)
                .map_err(|error| bad(format!("In the leg `{}`, {error}.", leg.id)))?;
            // Only literal arguments can be checked already; the others are when they are known.
            if used.is_empty() {
                entry
                    .schemas
                    .check_input(&arguments)
                    .map_err(|error| ToolError {
                        message: format!("In the leg `{}`: {}", leg.id, error.message),
                        ..error
                    })?;
            }
            let mut dependencies = Vec::new();
            for name in leg.dependencies.iter().chain(&used) {
                let Some(at) = indexes.get(name.as_str()) else {
                    let known: Vec<&str> = indexes.keys().copied().collect();
                    return Err(bad(format!(
                        "The leg `{}` depends on `{name}`, and the legs are `{}`.",
                        leg.id,
                        known.join("`, `")
                    )));
                };
                if !dependencies.contains(at) {
                    dependencies.push(*at);
                }
            }
            plan.legs.push(Leg {
                id: leg.id.clone(),
                tool: leg.tool.clone(),
                arguments,
                dependencies,
                state: LegState::Pending,
                input: None,
                output: None,
                error: None,
                attempts: 0,
                effect: None,
                undo: None,
                residual: None,
                approval: None,
                resolution: None,
            });
            plan.tools.push(entry);
        }
        plan.check_circles()?;
        Ok(plan)
    }

    fn check_circles(&self) -> Result<(), ToolError> {
        let mut done = vec![false; self.legs.len()];
        loop {
            let is_free = |at: &usize| {
                !done[*at] && self.legs[*at].dependencies.iter().all(|other| done[*other])
            };
            let free: Vec<usize> = (0..self.legs.len()).filter(is_free).collect();
            if free.is_empty() {
                break;
            }
            for at in free {
                done[at] = true;
            }
        }
        let stuck = self.legs.iter().zip(&done).filter(|(_, done)| !**done);
        let stuck: Vec<&str> = stuck.map(|(leg, _)| leg.id.as_str()).collect();
        match stuck.is_empty() {
            true => Ok(()),
            false => Err(ToolError::new(
                ErrorCode::InvalidInput,
                format!(
                    "The legs `{}` wait for each other: take one of their dependencies out.",
                    stuck.join("`, `")
                ),
            )),
        }
    }

    /// What a person approves: the legs as they are shown, and the tools as they are now.
    pub(crate) fn agreed(&self) -> String {
        let legs = self.legs.iter().zip(&self.tools).map(|(leg, entry)| {
            let definition = entry.definition();
            let back = definition.rollback.tool.as_ref();
            json!({
                "id": leg.id, "arguments": leg.arguments, "dependencies": leg.dependencies, "tool": definition.manifest,
                "rollback": back, "template": definition.rollback.template,
            })
        });
        digest(&json!(legs.collect::<Vec<Value>>()))
    }

    /// The card of the mission.
    pub(crate) fn card(&self) -> Value {
        let books = |id: &str| {
            let mut legs = self.legs.iter().zip(&self.tools);
            let found = legs.find(|(leg, _)| leg.id == id);
            found.is_some_and(|(_, entry)| entry.manifest().effect() != Effect::None)
        };
        let legs: Vec<Value> = self
            .legs
            .iter()
            .zip(&self.tools)
            .map(|(leg, entry)| {
                let definition = entry.definition();
                let manifest = entry.manifest();
                let dependencies = leg.dependencies.iter().map(|at| &self.legs[*at].id);
                let has_effect = manifest.effect() != Effect::None;
                let asks_again =
                    has_effect && has_unseen_references(&leg.arguments, &books);
                json!({
                    "id": leg.id, "tool": leg.tool, "title": manifest.title, "arguments": leg.arguments,
                    "dependencies": dependencies.collect::<Vec<&String>>(), "hasEffect": has_effect,
                    "confirmation": manifest.confirmation, "takenBackBy": definition.rollback.tool,
                    "compensation": manifest.compensation, "personalData": manifest.pii_required,
                    "asksAgain": asks_again,
                })
            })
            .collect();
        json!({ "kind": "structured-trip", "legs": legs, "total": self.total() })
    }

    /// The sum of the amounts that are named, by currency. An amount that comes from an earlier leg is not known yet.
    fn total(&self) -> Value {
        let mut sums: BTreeMap<String, f64> = BTreeMap::new();
        for leg in &self.legs {
            let currency = leg.arguments["currency"].as_str().unwrap_or_default();
            let amounts = AMOUNTS
                .iter()
                .filter_map(|name| leg.arguments[*name].as_f64());
            if let Some(amount) = amounts.into_iter().next() {
                *sums.entry(currency.to_owned()).or_default() += amount;
            }
        }
        json!(sums)
    }
}

/// The positions of the legs by their ids.
fn indexes(input: &MissionInput) -> Result<BTreeMap<&str, usize>, ToolError> {
    let bad = |message: String| ToolError::new(ErrorCode::InvalidInput, message);
    if input.legs.is_empty() || input.legs.len() > LEGS_MAX {
        return Err(bad(format!("A mission has 1 to {LEGS_MAX} legs.")));
    }
    let mut indexes: BTreeMap<&str, usize> = BTreeMap::new();
    for (at, leg) in input.legs.iter().enumerate() {
        let is_name =
            |character: char| character.is_ascii_alphanumeric() || matches!(character, '_' | '-');
        let is_good = (1..=ID_CHARS_MAX).contains(&leg.id.len()) && leg.id.chars().all(is_name);
        if !is_good {
            let shown: String = leg.id.chars().take(ID_CHARS_MAX).collect();
            return Err(bad(format!(
                "`{shown}` is no id of a leg: use 1 to {ID_CHARS_MAX} letters, digits, `_` or `-`."
            )));
        }
        if indexes.insert(&leg.id, at).is_some() {
            return Err(bad(format!(
                "Two legs have the id `{}`: give each its own.",
                leg.id
            )));
        }
    }
    Ok(indexes)
}

fn find(tools: &Registry, name: &str, leg: &str) -> Result<Arc<Entry>, ToolError> {
    // A name that several scopes have is taken from the site's, as a call without a scope cannot say which it means.
    let found = tools
        .find(None, name)
        .or_else(|error| tools.find(Some(Scope::Site), name).map_err(|_also| error));
    let entry = found.map_err(|error| {
        let message = format!(
            "The leg `{leg}` cannot run: {}",
            sentence(&error.to_string())
        );
        ToolError::new(ErrorCode::InvalidInput, message)
    })?;
    let is_ordinary = entry.definition().role == TurnRole::Ordinary && name != super::tool::NAME;
    match is_ordinary {
        true => Ok(entry),
        false => Err(ToolError::new(
            ErrorCode::InvalidInput,
            format!("`{name}` cannot be a leg of a mission; the leg `{leg}` needs another tool."),
        )),
    }
}

//! The plan for a message while it runs: which of its calls were made, which are next, and what to say at the end.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sitewright_llm::{Echo, Format, ToolCall};
use sitewright_site::SUBMIT_EDIT_PLAN;

use super::{CallRecord, Next};
use crate::draft::{Step, made_ids};
use crate::plan::Outcome;
use crate::proposal::proposal;
use crate::request::Reason;
use crate::say;

/// The maximum number of calls in a round.
const CALLS_MAX: usize = 40;

/// The plan for a message. It travels with the first call, so that an interrupted turn resumes from its messages alone: planning
/// again would run on a site that part of the plan has already changed.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Plan {
    pub(super) steps: Vec<Step>,
    pub(super) outcomes: Vec<Outcome>,
}

/// Marks the echo of a call as ours; no provider's model has this name.
const MODEL: &str = "built-in commands";

impl Plan {
    pub(super) fn of_call(call: &ToolCall) -> Option<Self> {
        let echo = call.echo.as_ref().filter(|echo| echo.model == MODEL)?;
        serde_json::from_value(echo.fields.get("plan")?.clone()).ok()
    }

    fn echo(&self) -> Option<Echo> {
        let plan = serde_json::to_value(self).ok()?;
        Some(Echo {
            format: Format::Chat,
            model: MODEL.to_owned(),
            fields: Map::from_iter([("plan".to_owned(), plan)]),
        })
    }

    /// Submits the steps as an edit plan.
    pub(super) fn propose(&self) -> Next {
        let not_done = self.outcomes.iter().filter_map(|outcome| match outcome {
            Outcome::Refused(why) => Some(why.clone()),
            Outcome::NeedsProvider(what) => Some(format!("“{what}”: {}", say::PROVIDER)),
            _ => None,
        });
        let proposal = proposal(&self.steps, &not_done.collect::<Vec<_>>());
        let input = proposal.and_then(|plan| serde_json::to_value(plan).ok());
        match input {
            Some(input) => Next::Call(vec![tool_call(0, SUBMIT_EDIT_PLAN.to_owned(), input)]),
            None => Next::Say("I can’t plan this. Turn off “Plan first” and I’ll do it right away. You can undo it.".to_owned()),
        }
    }

    /// Returns the next calls, or the final answer when none are left.
    ///
    /// The steps are matched in order with the calls made since the message. A step that was called contributes its result: the
    /// ids it really created, or a failure of its request. A step that needs an id of a call without a result yet ends the round;
    /// if there is no call left to wait for, its request has failed. The remaining steps of a failed request are skipped.
    pub(super) fn next(&self, since: &[CallRecord<'_>]) -> Next {
        let mut made = since.iter().peekable();
        let mut failures: HashMap<usize, String> = HashMap::new();
        // Ids on the copy, with the ids that the real calls returned once they have.
        let mut ids: HashMap<String, Option<String>> = HashMap::new();
        let mut calls = Vec::new();
        for step in &self.steps {
            let (tool, input) = step.call.to_parts();
            let input = with_real_ids(&input, &ids);
            let is_it = |made: &&CallRecord<'_>| {
                made.call.tool_name == tool && Some(&made.call.input) == input.as_ref()
            };
            let recorded = made.next_if(is_it);
            let done = recorded.and_then(|made| made.result.filter(|result| result.ok));
            if recorded.is_some() && done.is_none() {
                let why = recorded.and_then(|made| made.result?.error.clone());
                failures.entry(step.request).or_insert_with(|| {
                    why.unwrap_or_else(|| "The tool did not answer.".to_owned())
                });
            }
            let real = done.and_then(|result| result.data.as_ref());
            let real = real.map(made_ids).unwrap_or_default();
            for (at, id) in made_ids(&step.answer).into_iter().enumerate() {
                ids.insert(id.to_owned(), real.get(at).map(|id| (*id).to_owned()));
            }
            if recorded.is_some() || failures.contains_key(&step.request) {
                continue;
            }
            let Some(input) = input else {
                // It depends on a result that has not arrived yet, or never will because its call failed.
                if calls.is_empty() {
                    let why = "It depends on something that didn’t work.".to_owned();
                    failures.insert(step.request, why);
                    continue;
                }
                break;
            };
            calls.push(tool_call(calls.len(), tool, input));
            if calls.len() >= CALLS_MAX {
                break;
            }
        }
        if calls.is_empty() {
            return Next::Say(words_for(&self.outcomes, &failures));
        }
        if since.is_empty() {
            calls[0].echo = self.echo();
        }
        Next::Call(calls)
    }
}

fn tool_call(at: usize, tool_name: String, input: Value) -> ToolCall {
    ToolCall {
        tool_call_id: format!("command-{at}"),
        tool_name,
        input,
        echo: None,
    }
}

/// Replaces ids of the copy by those that earlier calls really created; `None` while one of those calls has no result.
fn with_real_ids(input: &Value, ids: &HashMap<String, Option<String>>) -> Option<Value> {
    match input {
        Value::String(text) => match ids.get(text) {
            Some(real) => real.clone().map(Value::String),
            None => Some(input.clone()),
        },
        Value::Object(fields) => {
            let fields = fields
                .iter()
                .map(|(name, value)| Some((name.clone(), with_real_ids(value, ids)?)));
            fields.collect::<Option<Map<_, _>>>().map(Value::Object)
        }
        other => Some(other.clone()),
    }
}

fn words_for(outcomes: &[Outcome], failures: &HashMap<usize, String>) -> String {
    let (mut done, mut not_done, mut told) = (Vec::new(), Vec::new(), Vec::new());
    for (at, outcome) in outcomes.iter().enumerate() {
        match (outcome, failures.get(&at)) {
            (Outcome::Done(words), None) => done.push(words.clone()),
            (Outcome::Done(_), Some(why)) => not_done.push(format!("That didn’t work. {why}")),
            (Outcome::Told(words), _) => told.push(words.clone()),
            (Outcome::Ignored(words), _) if outcomes.len() == 1 && !words.is_empty() => {
                told.push(words.clone());
            }
            (Outcome::Ignored(_), _) => {}
            (Outcome::Refused(why), _) => not_done.push(why.clone()),
            (Outcome::NeedsProvider(what), _) => {
                not_done.push(format!("“{what}”: {}", say::PROVIDER));
            }
            (Outcome::Asked { question, choices }, _) => {
                not_done.push(say::question_text(question, choices));
            }
        }
    }
    if !done.is_empty() || !not_done.is_empty() {
        told.push(say::report(&done, &not_done));
    }
    if told.is_empty() {
        return say::ignore_words(Reason::Unclear).to_owned();
    }
    told.join("\n")
}

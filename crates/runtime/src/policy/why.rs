//! Explains a decision to people.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::Serialize;

use super::Decision;
use super::fact::Facts;

/// The explanation of a decision.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Why {
    /// The policies that decided; none when no policy allowed the call.
    pub policies: Vec<Arc<Reason>>,
    /// The facts of the call that they read.
    pub facts: Vec<Fact>,
    /// The error of the evaluation, if there was one; the call is refused then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    #[serde(skip)]
    decision: Decision,
}

/// A policy's own explanation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Reason {
    /// The policy's `@id`.
    pub policy: String,
    /// Its `@reason`.
    pub text: String,
    /// The names of the facts it reads.
    pub facts: Vec<String>,
}

/// A fact of a call that mattered for the decision.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Fact {
    /// Its name in policies.
    pub name: String,
    /// A description for people.
    pub text: String,
}

impl Why {
    pub(super) fn of(decision: Decision, policies: Vec<Arc<Reason>>, facts: &Facts<'_>) -> Self {
        let names: BTreeSet<&str> = policies
            .iter()
            .flat_map(|reason| &reason.facts)
            .map(String::as_str)
            .collect();
        let facts = names.into_iter().filter_map(|name| {
            facts.told(name).map(|text| Fact {
                name: name.to_owned(),
                text,
            })
        });
        Self {
            facts: facts.collect(),
            policies,
            error: None,
            decision,
        }
    }

    pub(super) fn failed(reason: &str) -> Self {
        Self {
            policies: Vec::new(),
            facts: Vec::new(),
            error: Some(reason.to_owned()),
            decision: Decision::Deny,
        }
    }

    /// The explanation in sentences.
    pub fn sentences(&self) -> String {
        if let Some(error) = &self.error {
            return format!(
                "It was refused because it could not be judged: {error}. Correct the policy."
            );
        }
        let beginning = match self.decision {
            Decision::Allow => "It runs.",
            Decision::Ask => "It needs a person's approval.",
            Decision::Deny => "It is not allowed, and approval would not change that.",
        };
        let mut sentences = vec![beginning.to_owned()];
        if self.policies.is_empty() {
            sentences.push("No policy allows it.".to_owned());
        }
        let reasons = self.policies.iter();
        sentences
            .extend(reasons.map(|reason| format!("{} (policy `{}`)", reason.text, reason.policy)));
        if !self.facts.is_empty() {
            let facts: Vec<&str> = self.facts.iter().map(|fact| fact.text.as_str()).collect();
            sentences.push(format!("What mattered: {}.", facts.join("; ")));
        }
        sentences.join(" ")
    }
}

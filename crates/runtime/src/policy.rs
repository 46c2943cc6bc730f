//! Whether a call runs, waits for a yes, or is refused: policies in Cedar, judged over facts that Rust put together.
//!
//! Pure and synchronous: no clock, no store. A policy sees a fixed, typed record of facts and nothing of the call's JSON but flat
//! arguments, so no argument can pass for an entity or a fact. Every error of an evaluation refuses the call.

mod argument;
mod fact;
mod grant;
mod language;
mod limit;
mod shadow;
mod why;

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use cedar_policy::{Authorizer, Decision as CedarDecision, Entities, PolicySet, Response};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sitewright_tool::{Effect, Execution, Scope, Taint};

pub use grant::{BadGrant, GRANT_MS_MAX, Grant, GrantFor};
pub use language::{FACTS_SCHEMA, PolicyProblem, SHIPPED};
pub use shadow::{Difference, ShadowJudgement, judge_in_shadow};
pub use why::{Fact, Reason, Why};

use fact::Facts;
use language::{CheckedPolicies, PolicyQuery};
use limit::on_deep_stack;

/// What is judged: who would call which tool, and what that would do.
#[derive(Debug, Clone, Copy)]
pub struct Judgement<'a> {
    /// Who calls.
    pub principal: Principal<'a>,
    /// The person on whose behalf it is done.
    pub person: Option<&'a str>,
    /// The tool's name.
    pub tool: &'a str,
    /// The part of Sitewright it is called in.
    pub scope: Scope,
    /// What it leaves behind.
    pub effect: Effect,
    /// Where it would run.
    pub execution: Execution,
    /// What it would change.
    pub change: PlannedChange,
    /// Whether something from outside had a part in it.
    pub taint: Taint,
    /// Whether it uses or shows personal data.
    pub personal_data: bool,
    /// The arguments of the call.
    pub arguments: &'a Value,
    /// What a person allowed for this conversation; the call's own [`GrantFor`] decides whether it counts.
    pub grants: &'a [Grant],
    /// The conversation it belongs to; without one no grant counts.
    pub conversation: Option<&'a str>,
    /// The time, in milliseconds since 1970.
    pub now_ms: i64,
}

/// Who calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Principal<'a> {
    /// A person, by id.
    User(&'a str),
    /// A model at work, by the id of its conversation's or token's owner, as the caller sees fit.
    Agent(&'a str),
    /// A script, by the id of its token.
    Client(&'a str),
}

/// The size and the kinds of a planned change; all zero for a call that plans none.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct PlannedChange {
    /// Pages that would be different, be new or be gone.
    pub pages_touched: u32,
    /// Pages that would be gone.
    pub pages_removed: u32,
    /// Nodes that would be gone.
    pub nodes_removed: u32,
    /// Whether scripts would be different.
    pub code_touched: bool,
    /// Whether code in the head of pages would be different.
    pub head_code: bool,
    /// Whether visitors would see something else.
    pub publishes: bool,
    /// Locked things that would be different, of those whose lock counts for the caller.
    pub locks_touched: u32,
}

/// What happens to a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Decision {
    /// It runs.
    Allow,
    /// It waits until a person says yes.
    Ask,
    /// It is not allowed, and approval would not change that.
    Deny,
}

impl Decision {
    /// The stored spelling; the same as serde's.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Deny => "deny",
        }
    }
}

/// A decision and what led to it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Verdict {
    /// What happens to the call.
    pub decision: Decision,
    /// What led to it.
    pub why: Why,
}

/// A set of policies, parsed and checked.
#[derive(Debug)]
pub struct Policy {
    policies: PolicySet,
    reasons: language::Reasons,
    /// The facts that any policy looks at; others are not put together.
    read: language::ReadFacts,
    language: language::Language,
    authorizer: Authorizer,
    /// Verdicts by the facts they follow from. Most calls of a site are alike, and an evaluation costs more than everything else
    /// around a read. A lock and not a snapshot, because every judgement may add to it; it is held for a lookup only.
    known: Mutex<HashMap<String, Verdict>>,
}

/// How many verdicts are kept before they are all forgotten.
const KNOWN_MAX: usize = 1024;

impl Policy {
    /// Parses policies and checks each against the facts there are.
    pub fn parse(text: &str) -> Result<Self, Vec<PolicyProblem>> {
        let language = language::Language::new()?;
        let CheckedPolicies {
            policies,
            reasons,
            read,
        } = language.parse(text)?;
        Ok(Self {
            policies,
            reasons,
            read,
            language,
            authorizer: Authorizer::new(),
            known: Mutex::default(),
        })
    }

    /// The policy that Sitewright comes with.
    pub fn shipped() -> Result<Self, Vec<PolicyProblem>> {
        Self::parse(SHIPPED)
    }

    /// Judges a call, as it is and as if a person had approved it.
    pub fn judge(&self, judgement: &Judgement<'_>) -> Verdict {
        let facts = Facts::of(judgement);
        // Arguments are hardly ever the same twice.
        if self.read.reads_arguments() {
            return self.evaluate(judgement, &facts);
        }
        let key = facts.key(&self.read);
        if let Some(known) = self.known().get(&key) {
            return known.clone();
        }
        let verdict = self.evaluate(judgement, &facts);
        let mut known = self.known();
        if known.len() >= KNOWN_MAX {
            known.clear();
        }
        known.insert(key, verdict.clone());
        verdict
    }

    /// What is in the map is whole whatever happened to a thread that held it.
    fn known(&self) -> MutexGuard<'_, HashMap<String, Verdict>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn evaluate(&self, judgement: &Judgement<'_>, facts: &Facts<'_>) -> Verdict {
        on_deep_stack(|| match self.answers(judgement, facts) {
            Ok((plain, approved)) => self.verdict(facts, &plain, &approved),
            Err(reason) => Verdict {
                decision: Decision::Deny,
                why: Why::failed(&reason),
            },
        })
    }

    /// The two answers: without an approval, and with one. They differ in nothing else.
    fn answers(
        &self,
        judgement: &Judgement<'_>,
        facts: &Facts<'_>,
    ) -> Result<(Response, Response), String> {
        let (arguments, complete) = if self.read.reads_arguments() {
            argument::entities(&self.language, judgement.arguments)?
        } else {
            (Entities::empty(), true)
        };
        let ask = |approved: bool| {
            let asked = PolicyQuery { approved, complete };
            let request = self.language.request(facts, &self.read, asked)?;
            let answer = self
                .authorizer
                .is_authorized(&request, &self.policies, &arguments);
            Ok::<_, String>(answer)
        };
        Ok((ask(false)?, ask(true)?))
    }

    fn verdict(&self, facts: &Facts<'_>, plain: &Response, approved: &Response) -> Verdict {
        // Cedar skips a policy that fails, so a failing `forbid` would let the call through.
        let failed = [plain, approved]
            .into_iter()
            .flat_map(|answer| answer.diagnostics().errors());
        if let Some(error) = failed.into_iter().next() {
            return Verdict {
                decision: Decision::Deny,
                why: Why::failed(&error.to_string()),
            };
        }
        let is_allowed = |answer: &Response| answer.decision() == CedarDecision::Allow;
        let (decision, decisive) = match (is_allowed(plain), is_allowed(approved)) {
            (true, true) => (Decision::Allow, plain),
            (false, true) => (Decision::Ask, plain),
            // Allowed only without an approval: no reading of that is safe.
            (true | false, false) => (Decision::Deny, approved),
        };
        Verdict {
            decision,
            why: Why::of(
                decision,
                self.reasons.named(decisive.diagnostics().reason()),
                facts,
            ),
        }
    }
}

impl Drop for Policy {
    /// An expression is dropped level by level, wherever the last owner lets go of it.
    fn drop(&mut self) {
        let policies = std::mem::take(&mut self.policies);
        on_deep_stack(|| drop(policies));
    }
}

#[cfg(test)]
#[path = "policy_limit_tests.rs"]
mod limit_tests;

#[cfg(test)]
#[path = "policy_tests.rs"]
mod tests;

#[cfg(test)]
#[path = "policy_grant_tests.rs"]
mod grant_tests;

//! Decides whether a call runs, waits for approval or is refused: Cedar policies, evaluated on facts that Rust code collects.
//!
//! Pure and synchronous: no clock, no store. A policy sees a fixed, typed record of facts and, of the call's JSON, only flattened
//! arguments, so no argument can pass for an entity or a fact. Any error during evaluation refuses the call.

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
use sitewright_tool::{Destination, Effect, Execution, Scope, Taint};

pub use grant::{BadGrant, GRANT_MS_MAX, Grant, GrantFor};
pub use language::{FACTS_SCHEMA, PolicyProblem, SHIPPED};
pub use shadow::{Difference, ShadowJudgement, judge_in_shadow};
pub use why::{Fact, Reason, Why};

use fact::Facts;
use language::{CheckedPolicies, PolicyQuery};
use limit::on_deep_stack;

/// The input of a judgement: who would call which tool, and what that would do.
#[derive(Debug, Clone, Copy)]
pub struct Judgement<'a> {
    pub principal: Principal<'a>,
    /// The person on whose behalf it is done.
    pub person: Option<&'a str>,
    pub tool: &'a str,
    pub scope: Scope,
    pub effect: Effect,
    pub execution: Execution,
    pub change: PlannedChange,
    pub taint: Taint,
    /// Whether the tool uses or shows personal data.
    pub personal_data: bool,
    /// Where the arguments go.
    pub destination: Destination,
    pub arguments: &'a Value,
    /// The grants to consider; one counts only if it covers this call, see [`Grant::covers`].
    pub grants: &'a [Grant],
    /// The conversation of the call; without one no grant counts.
    pub conversation: Option<&'a str>,
    /// The current time, in milliseconds since 1970.
    pub now_ms: i64,
}

/// Who calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Principal<'a> {
    /// A person, by id.
    User(&'a str),
    /// A model, by the id of the owner of its conversation or token; the caller chooses which.
    Agent(&'a str),
    /// A script, by the id of its token.
    Client(&'a str),
}

/// The size and kind of a planned change; all zero for a call that plans none.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct PlannedChange {
    /// Pages that would be created, changed or removed.
    pub pages_touched: u32,
    pub pages_removed: u32,
    pub nodes_removed: u32,
    /// Whether scripts would change.
    pub code_touched: bool,
    /// Whether code in the head of pages would change.
    pub head_code: bool,
    /// Whether visitors would see the change.
    pub publishes: bool,
    /// Locked entities that would change, counting only locks that apply to the caller.
    pub locks_touched: u32,
}

/// What a policy decides about a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Decision {
    Allow,
    /// The call waits for a person's approval.
    Ask,
    /// The call is refused, and approval would not change that.
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

/// A decision and its explanation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Verdict {
    pub decision: Decision,
    pub why: Why,
}

/// A parsed and validated set of policies.
#[derive(Debug)]
pub struct Policy {
    policies: PolicySet,
    reasons: language::Reasons,
    /// The facts that at least one policy reads; others are not built.
    read: language::ReadFacts,
    language: language::Language,
    authorizer: Authorizer,
    /// A cache of verdicts by the facts they follow from. Most calls of a site are alike, and an evaluation costs more than the
    /// rest of a read-only call. A lock and not a snapshot, because every judgement may add to it; it is held for a lookup or an
    /// insertion only.
    known: Mutex<HashMap<String, Verdict>>,
}

/// How many verdicts are cached before the cache is cleared.
const KNOWN_MAX: usize = 1024;

impl Policy {
    /// Parses policies and validates each against the schema of facts.
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

    /// The default policy of Sitewright.
    pub fn shipped() -> Result<Self, Vec<PolicyProblem>> {
        Self::parse(SHIPPED)
    }

    /// Judges a call.
    ///
    /// Cedar only knows allow and deny, so each call is evaluated twice: as it is, and as if a person had approved it. Allowed both
    /// times means allow, allowed only with approval means ask, and everything else means deny. The verdict is a function of the facts
    /// that the policies read, so it is cached by those, unless a policy reads arguments.
    pub fn judge(&self, judgement: &Judgement<'_>) -> Verdict {
        let facts = Facts::of(judgement);
        // Arguments are hardly ever the same twice, so caching would not pay.
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

    /// The cache. A poisoned lock is fine: the map is consistent even if a thread panicked while holding it.
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

    /// Cedar's two answers: without approval and with it. The requests differ in nothing else.
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
        // Cedar skips a policy whose evaluation fails, so a failing `forbid` would let the call through.
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
            // Allowed only without approval: no interpretation of that is safe.
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
    /// Cedar drops expressions by recursion, and the last owner may be on a thread with a small stack.
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

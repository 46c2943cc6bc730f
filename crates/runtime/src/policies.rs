//! A cache of the sites' parsed policies, and judging calls by them. A change by another node takes effect at the next refresh.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use sitewright_site::Author;
use sitewright_store::{GrantRow, SiteId, SitePolicy, Store, StoreError};
use sitewright_tool::{Destination, Effect, ErrorCode, Execution, Scope, Taint, ToolError};

use crate::call::{ResolvedCall, failed};
use crate::policy::{
    Decision, Grant, GrantFor, Judgement, PlannedChange, Policy, PolicyProblem, Principal, Verdict,
    judge_in_shadow,
};

/// The facts that a call was judged by, and the verdict. With the arguments, enough to judge the call again by another policy.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CallJudgement {
    author: Author,
    person: Option<String>,
    tool: String,
    scope: Scope,
    effect: Effect,
    execution: Execution,
    change: PlannedChange,
    taint: Taint,
    personal_data: bool,
    /// Rows from before it was recorded count as calls that stay here: they were judged so.
    #[serde(default = "here")]
    destination: Destination,
    conversation: Option<String>,
    at: i64,
    pub decision: Decision,
    /// Why, in sentences.
    pub why: String,
    /// The grant that let it run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grant: Option<Grant>,
    /// How the candidate policy would have decided differently, in sentences.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shadow: Option<String>,
}

fn here() -> Destination {
    Destination::Here
}

impl CallJudgement {
    fn new(resolved: &ResolvedCall, change: PlannedChange) -> Self {
        let (call, manifest) = (&resolved.call, resolved.entry.manifest());
        Self {
            author: call.by.author.clone(),
            person: call.person.clone(),
            tool: call.tool.clone(),
            scope: resolved.scope,
            effect: resolved.effect(),
            execution: manifest.execution,
            change,
            taint: call.by.taint,
            personal_data: !manifest.pii_required.is_empty(),
            destination: resolved.entry.definition().destination,
            conversation: call.conversation.clone(),
            at: call.by.by.at.millis(),
            decision: Decision::Deny,
            why: String::new(),
            grant: None,
            shadow: None,
        }
    }

    fn judgement<'a>(&'a self, arguments: &'a Value, grants: &'a [Grant]) -> Judgement<'a> {
        Judgement {
            principal: match &self.author {
                Author::Person { id } => Principal::User(id),
                Author::Local => Principal::User("local"),
                Author::Agent { id } => Principal::Agent(id),
                Author::Script { id } => Principal::Client(id),
            },
            person: self.person.as_deref(),
            tool: &self.tool,
            scope: self.scope,
            effect: self.effect,
            execution: self.execution,
            change: self.change,
            taint: self.taint,
            personal_data: self.personal_data,
            destination: self.destination,
            arguments,
            grants,
            conversation: self.conversation.as_deref(),
            now_ms: self.at,
        }
    }

    /// The author on whose behalf the call was made.
    pub fn author(&self) -> &Author {
        &self.author
    }

    /// Whether a person may give a grant for calls of this kind in its conversation.
    pub fn can_be_granted(&self) -> bool {
        let grant = |(about, _): (GrantFor<'_>, String)| Grant::give(&about, 0, 1).ok();
        self.grant_for().and_then(grant).is_some()
    }

    /// What a grant for calls like this would cover, and the effect as it is stored. `None` outside a conversation or without a
    /// person.
    pub(crate) fn grant_for(&self) -> Option<(GrantFor<'_>, String)> {
        let effect = serde_json::to_value(self.effect).ok()?;
        let about = GrantFor {
            tool: &self.tool,
            effect: self.effect,
            change: self.change,
            conversation: self.conversation.as_deref()?,
            person: self.person.as_deref()?,
        };
        Some((about, effect.as_str()?.to_owned()))
    }

    /// The verdict of a policy on the same call.
    pub fn by(&self, policy: &Policy, arguments: &Value) -> Verdict {
        policy.judge(&self.judgement(arguments, self.grant.as_slice()))
    }
}

/// The parsed policies by site. A lock and not a snapshot, because every first call of a site adds to it.
#[derive(Debug, Default)]
pub(crate) struct Policies(Mutex<HashMap<SiteId, Arc<ParsedPolicies>>>);

#[derive(Debug)]
struct ParsedPolicies {
    written: SitePolicy,
    active: Policy,
    /// The candidate policy, or why it cannot be used. It decides nothing, so a broken one must not stop calls either.
    candidate: Option<Result<Policy, Vec<PolicyProblem>>>,
}

impl ParsedPolicies {
    fn of(written: SitePolicy) -> Result<Self, Vec<PolicyProblem>> {
        let active = match &written.active {
            Some(text) => Policy::parse(text)?,
            None => Policy::shipped()?,
        };
        let candidate = written.candidate.as_deref().map(Policy::parse);
        Ok(Self {
            written,
            active,
            candidate,
        })
    }
}

impl Policies {
    /// Reads the stored policies again and drops those that have changed from the cache.
    pub(crate) async fn refresh(&self, store: &Store) -> Result<(), StoreError> {
        let known: Vec<SiteId> = self.lock().keys().cloned().collect();
        for site in known {
            let written = store.policy(&site).await?;
            let is_same = self
                .lock()
                .get(&site)
                .is_some_and(|parsed| parsed.written == written);
            if !is_same {
                self.lock().remove(&site);
            }
        }
        Ok(())
    }

    /// Drops the policy of a site from the cache.
    pub(crate) fn forget(&self, site: &SiteId) {
        self.lock().remove(site);
    }

    /// Judges a call by the active policy of its site, first without and then, if it would have to ask, with each grant.
    pub(crate) async fn judge(
        &self,
        store: &Store,
        resolved: &ResolvedCall,
        change: PlannedChange,
    ) -> Result<CallJudgement, ToolError> {
        let policy = self.of(store, &resolved.call.site).await?;
        let mut judged = CallJudgement::new(resolved, change);
        policy.judge(&mut judged, &resolved.call.arguments, &[]);
        // Grants cost a query, and few calls need one.
        if judged.decision == Decision::Ask
            && let Some(conversation) = &resolved.call.conversation
        {
            let rows = store
                .grants(&resolved.call.site, conversation, resolved.call.by.by.at)
                .await
                .map_err(|error| failed(&error))?;
            let grants: Vec<Grant> = rows.into_iter().filter_map(grant).collect();
            for grant in grants {
                policy.judge(
                    &mut judged,
                    &resolved.call.arguments,
                    std::slice::from_ref(&grant),
                );
                if judged.decision == Decision::Allow {
                    judged.grant = Some(grant);
                    break;
                }
            }
        }
        Ok(judged)
    }

    async fn of(&self, store: &Store, site: &SiteId) -> Result<Arc<ParsedPolicies>, ToolError> {
        let known = self.lock().get(site).cloned();
        if let Some(parsed) = known {
            return Ok(parsed);
        }
        let written = store.policy(site).await.map_err(|error| failed(&error))?;
        // The policy was checked when it was saved, but against the limits and facts of that version. Without a valid policy nothing
        // may run.
        let parsed = ParsedPolicies::of(written).map_err(|problems| {
            ToolError::new(
                ErrorCode::Forbidden,
                format!(
                    "No tool runs, because the policy of this site cannot be used: {}. Replace it with `sitewright policy set \
                     FILE`, or with the one Sitewright comes with: `sitewright policy set --shipped`.",
                    sentences(&problems)
                ),
            )
        })?;
        let parsed = Arc::new(parsed);
        self.lock().insert(site.clone(), Arc::clone(&parsed));
        Ok(parsed)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<SiteId, Arc<ParsedPolicies>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ParsedPolicies {
    fn judge(&self, judged: &mut CallJudgement, arguments: &Value, grants: &[Grant]) {
        let judgement = judged.judgement(arguments, grants);
        let (verdict, shadow) = match &self.candidate {
            None => (self.active.judge(&judgement), None),
            Some(Err(problems)) => {
                let shadow = format!(
                    "The policy that is tried cannot be used: {}.",
                    sentences(problems)
                );
                (self.active.judge(&judgement), Some(shadow))
            }
            Some(Ok(candidate)) => {
                let shadowed = judge_in_shadow(&self.active, candidate, &judgement);
                let difference = shadowed.difference.map(|difference| difference.sentence());
                (shadowed.verdict, difference)
            }
        };
        judged.decision = verdict.decision;
        judged.why = verdict.why.sentences();
        judged.shadow = shadow;
    }
}

fn sentences(problems: &[PolicyProblem]) -> String {
    let problems: Vec<String> = problems.iter().map(ToString::to_string).collect();
    problems.join("; ")
}

/// A stored grant as the policy reads it. One with an unknown effect does not count.
fn grant(row: GrantRow) -> Option<Grant> {
    Some(Grant {
        effect: serde_json::from_value(Value::String(row.effect)).ok()?,
        tool: row.tool,
        conversation: row.conversation,
        person: row.person,
        given_ms: row.given_at.millis(),
        expires_ms: row.expires_at.millis(),
    })
}

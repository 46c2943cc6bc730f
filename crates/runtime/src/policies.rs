//! The policies of the sites, parsed, and judging by them. Another node's change is seen when the rows are looked at again.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use sitewright_site::Author;
use sitewright_store::{GrantRow, SiteId, SitePolicy, Store, StoreError};
use sitewright_tool::{Effect, ErrorCode, Execution, Scope, Taint, ToolError};

use crate::call::{ResolvedCall, failed};
use crate::policy::{
    Decision, Grant, GrantFor, Judgement, PlannedChange, Policy, PolicyProblem, Principal, Verdict,
    judge_in_shadow,
};

/// What a call was judged by, and the verdict: enough to judge it again by another policy.
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
    conversation: Option<String>,
    at: i64,
    /// What was decided.
    pub decision: Decision,
    /// Why, in sentences.
    pub why: String,
    /// The grant that let it run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grant: Option<Grant>,
    /// What the policy that is being tried would have made different.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shadow: Option<String>,
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
            arguments,
            grants,
            conversation: self.conversation.as_deref(),
            now_ms: self.at,
        }
    }

    /// Who drove whoever called.
    pub fn author(&self) -> &Author {
        &self.author
    }

    /// Whether a person may allow more calls of the kind in its conversation.
    pub fn can_be_granted(&self) -> bool {
        let grant = |(about, _): (GrantFor<'_>, String)| Grant::give(&about, 0, 1).ok();
        self.grant_for().and_then(grant).is_some()
    }

    /// What a grant for calls like this would be for, and the effect as it is written; nothing outside a conversation.
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

    /// What a policy would say to the same call.
    pub fn by(&self, policy: &Policy, arguments: &Value) -> Verdict {
        policy.judge(&self.judgement(arguments, self.grant.as_slice()))
    }
}

/// The policies of the sites.
#[derive(Debug, Default)]
pub(crate) struct Policies(Mutex<HashMap<SiteId, Arc<ParsedPolicies>>>);

#[derive(Debug)]
struct ParsedPolicies {
    written: SitePolicy,
    active: Policy,
    /// The policy that is tried, or why it cannot be: it decides nothing, so it must not stop calls either.
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
    /// Looks at the rows again.
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

    /// Forgets what a site had written.
    pub(crate) fn forget(&self, site: &SiteId) {
        self.lock().remove(site);
    }

    /// Judges a call.
    pub(crate) async fn judge(
        &self,
        store: &Store,
        resolved: &ResolvedCall,
        change: PlannedChange,
    ) -> Result<CallJudgement, ToolError> {
        let policy = self.of(store, &resolved.call.site).await?;
        let mut judged = CallJudgement::new(resolved, change);
        policy.judge(&mut judged, (&resolved.call.arguments, &[]));
        // Grants are a row to be read, and few calls need one.
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
                    (&resolved.call.arguments, std::slice::from_ref(&grant)),
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
        // It was checked when it was saved, by the limits and the facts of that version. Without a policy nothing may run.
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
    fn judge(&self, judged: &mut CallJudgement, (arguments, grants): (&Value, &[Grant])) {
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

/// A row as the policy reads it; one that says what no grant says is none.
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

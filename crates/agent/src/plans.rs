//! Previews a submitted edit plan, and applies the steps that a person accepts.
//!
//! A plan is applied at most once. Earlier acceptances are found in the rows of calls, so this also holds across processes.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};
use sitewright_runtime::{Call, CallReply};
use sitewright_site::{APPLY_EDIT_PLAN, Author, BodyId, ChangeId, PREVIEW_EDIT_PLAN};
use sitewright_store::{CallRecord, CallState, Committer, ConversationOwner, SiteId, TurnId};
use sitewright_tool::{Envelope, ErrorCode, Receipt, Scope, Taint, ToolError};

use crate::outcome::{SubmittedPlan, TurnOutcome};
use crate::{Agent, AgentError};

/// What a preview of a plan shows.
#[derive(Debug, Default)]
pub struct PlanPreview {
    /// The operations to show, by their position in the plan; all if absent.
    pub accept: Option<Vec<usize>>,
    /// The page to render; the first one that changes if absent.
    pub page: Option<BodyId>,
}

/// A plan that was applied.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AppliedPlan {
    /// The positions of the applied operations; all when left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    accept: Option<Vec<usize>>,
    /// What really happened to the site.
    receipt: Receipt,
}

impl Agent {
    /// How a turn's plan was applied; `None` if it has none, or nobody has accepted it.
    pub async fn applied_plan(
        &self,
        site: &SiteId,
        turn: &TurnId,
    ) -> Result<Option<AppliedPlan>, AgentError> {
        let calls = self.0.store.calls_of_card(site, &card_of(turn)).await?;
        Ok(calls.into_iter().find_map(|call| {
            let outcome = call.outcome.filter(|outcome| outcome.ok)?;
            let accept = call.arguments.unwrap_or_default()["accept"].take();
            Some(AppliedPlan {
                accept: serde_json::from_value(accept).ok(),
                receipt: outcome.receipt.unwrap_or_default(),
            })
        }))
    }

    /// Applies the accepted steps of a turn's plan as one change.
    ///
    /// A plan is applied at most once, no matter who accepts it or how often. Accepting the same steps again returns the first reply;
    /// accepting other steps is a conflict. An acceptance that failed can be retried. Fails with [`AgentError::NoPlan`] if the turn has
    /// no plan.
    pub async fn accept_plan(
        &self,
        ConversationOwner { site, owner }: ConversationOwner<'_>,
        id: &TurnId,
        accept: Option<Vec<usize>>,
        by: Committer,
    ) -> Result<CallReply, AgentError> {
        let call = self
            .plan_call(ConversationOwner { site, owner }, id, by)
            .await?;
        let acceptance = Acceptance::new(id, &call.arguments, accept);
        let key = match self.earlier(site, &acceptance).await? {
            Earlier::Answer(first) => return Ok(*first),
            Earlier::Without { failures } => format!("{}-{failures}", acceptance.card),
        };
        let answer = self
            .0
            .pipeline
            .call(Call {
                tool: APPLY_EDIT_PLAN.to_owned(),
                arguments: acceptance.arguments.clone(),
                key: Some(key),
                round: Some(acceptance.card.clone()),
                change_id: Some(acceptance.change_id()),
                ..call
            })
            .await;
        // Two acceptances at once may count different failures and so have different keys. The second is refused because its change id
        // is taken, so it gets the first one's reply here.
        if answer.error().is_some()
            && let Earlier::Answer(first) = self.earlier(site, &acceptance).await?
        {
            return Ok(*first);
        }
        Ok(answer)
    }

    /// Looks up the result of an earlier acceptance of the plan.
    async fn earlier(&self, site: &SiteId, acceptance: &Acceptance) -> Result<Earlier, AgentError> {
        let calls = self.0.store.calls_of_card(site, &acceptance.card).await?;
        let has_failed = |call: &CallRecord| match call.life.state {
            CallState::Failed | CallState::Denied | CallState::Expired => true,
            CallState::Waiting
            | CallState::Ready
            | CallState::Running
            | CallState::Done
            | CallState::Unknown => false,
        };
        let failures = calls.iter().filter(|call| has_failed(call)).count();
        let first = calls.into_iter().find(|call| !has_failed(call));
        Ok(match first {
            Some(first) if first.arguments.as_ref() != Some(&acceptance.arguments) => {
                let accepted = first.arguments.unwrap_or_default()["accept"].take();
                Earlier::Answer(Box::new(
                    Envelope::failed(accepted_already(accepted)).into(),
                ))
            }
            Some(CallRecord {
                outcome: Some(outcome),
                ..
            }) => Earlier::Answer(Box::new(outcome.into())),
            Some(_) | None => Earlier::Without { failures },
        })
    }

    /// Renders a page as the plan, or the accepted part of it, would leave it. Changes nothing.
    pub async fn preview_plan(
        &self,
        ConversationOwner { site, owner }: ConversationOwner<'_>,
        id: &TurnId,
        preview: PlanPreview,
        by: Committer,
    ) -> Result<CallReply, AgentError> {
        let call = self
            .plan_call(ConversationOwner { site, owner }, id, by)
            .await?;
        let mut arguments = json!({ "plan": call.arguments });
        if let Some(accept) = preview.accept {
            arguments["accept"] = json!(accept);
        }
        if let Some(page) = preview.page {
            arguments["pageId"] = json!(page);
        }
        Ok(self
            .0
            .pipeline
            .call(Call {
                tool: PREVIEW_EDIT_PLAN.to_owned(),
                arguments,
                ..call
            })
            .await)
    }

    /// A call about the plan of a turn, with the plan as its arguments and the log entry at which the plan was made as its base.
    ///
    /// The plan is the assistant's work, so the change is made in its name: locks for agents count, and if something from outside had a
    /// part in the conversation, the change is marked so. It may do what the turn was allowed and the caller is allowed now. A person
    /// or a script that accepts it has reviewed it, which is the approval; an agent's own acceptance is none.
    async fn plan_call(
        &self,
        ConversationOwner { site, owner }: ConversationOwner<'_>,
        id: &TurnId,
        by: Committer,
    ) -> Result<Call, AgentError> {
        let record = self.turn_of(ConversationOwner { site, owner }, id).await?;
        let place = ConversationOwner { site, owner };
        let conversation = self
            .0
            .store
            .conversation(place, &record.conversation)
            .await?;
        let request = self
            .request_of(&record.request, site, &record.actor)
            .await?;
        let accepted_by = match by.author {
            Author::Person { .. } | Author::Local | Author::Script { .. } => {
                Some(by.by.actor.clone())
            }
            Author::Agent { .. } => None,
        };
        let by = Committer {
            author: request.author(),
            capabilities: request.capabilities.within(&by.capabilities),
            taint: match conversation.is_tainted {
                true => Taint::Untrusted,
                false => by.taint,
            },
            ..by
        };
        let submitted = TurnOutcome::of(&record).and_then(|outcome| outcome.plan);
        let SubmittedPlan { base_seq, plan } = submitted.ok_or(AgentError::NoPlan)?;
        let plan = plan["plan"].clone();
        Ok(Call {
            scope: Some(Scope::Site),
            conversation: Some(record.conversation.to_string()),
            turn: Some(id.to_string()),
            read_up_to: Some(base_seq),
            person: request.person,
            accepted_by,
            ..Call::new(site.clone(), APPLY_EDIT_PLAN, plan, by)
        })
    }
}

/// The acceptance of a plan in canonical form: steps are sorted and unique, and accepting all of them equals naming none.
struct Acceptance {
    turn: TurnId,
    /// Shared by all calls that accept this plan, so that they can be found.
    card: String,
    arguments: Value,
}

impl Acceptance {
    fn new(turn: &TurnId, plan: &Value, accept: Option<Vec<usize>>) -> Self {
        let accept: Option<BTreeSet<usize>> =
            accept.map(|accept| accept.into_iter().collect::<BTreeSet<usize>>());
        let steps = plan["ops"].as_array().map_or(0, Vec::len);
        let mut arguments = json!({ "plan": plan });
        if let Some(accept) = accept.filter(|accept| !accept.iter().copied().eq(0..steps)) {
            arguments["accept"] = json!(accept);
        }
        Self {
            turn: turn.clone(),
            card: card_of(turn),
            arguments,
        }
    }

    /// The same for every acceptance of the plan. The site's log accepts a change id only once, so the plan cannot be applied twice.
    fn change_id(&self) -> ChangeId {
        ChangeId::of_call(self.turn.as_str(), "plan")
    }
}

/// The card of the calls that accept a turn's plan.
fn card_of(turn: &TurnId) -> String {
    format!("plan-{turn}")
}

/// The result of looking for an earlier acceptance.
enum Earlier {
    /// The reply to return: that of the first acceptance, or a conflict with it.
    Answer(Box<CallReply>),
    /// The plan was not applied; this many acceptances failed.
    Without { failures: usize },
}

fn accepted_already(accepted: Value) -> ToolError {
    let steps: Vec<String> = accepted
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_u64)
        .map(|index| (index + 1).to_string())
        .collect();
    let what = match steps.as_slice() {
        [] => "with all its steps".to_owned(),
        [step] => format!("with step {step} alone"),
        steps => format!("with the steps {}", steps.join(", ")),
    };
    let message = format!(
        "This plan was accepted before, {what}, and a plan is applied once. Ask for a new plan for anything else."
    );
    ToolError::new(ErrorCode::Conflict, message).with(json!({ "accepted": accepted }))
}

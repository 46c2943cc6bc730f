//! The plan of a turn, once it is handed in: looking at it, and applying what a person accepts of it.
//!
//! A plan is applied once. The rows of calls tell what became of earlier acceptances, also to another process.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use sitewright_runtime::{Call, CallReply};
use sitewright_site::{APPLY_EDIT_PLAN, BodyId, ChangeId, PREVIEW_EDIT_PLAN};
use sitewright_store::{CallRecord, CallState, Committer, ConversationOwner, SiteId, TurnId};
use sitewright_tool::{Envelope, ErrorCode, Scope, ToolError};

use crate::outcome::{SubmittedPlan, TurnOutcome};
use crate::{Agent, AgentError};

impl Agent {
    /// Applies what a person accepted of the plan of a turn, as one change.
    ///
    /// A plan is applied once, whoever accepts it and however often: a repeat gets the answer to the first, and an acceptance of
    /// other steps than the first a conflict.
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
                // Accepting is the yes of whoever looked at it.
                is_confirmed: true,
                ..call
            })
            .await;
        // Keys are the caller's own. Somebody who uses a token and a browser at the same time is two callers, and the one that
        // comes second is refused for the id of its change.
        if answer.error().is_some()
            && let Earlier::Answer(first) = self.earlier(site, &acceptance).await?
        {
            return Ok(*first);
        }
        Ok(answer)
    }

    /// What became of the plan before.
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

    /// A page as the plan of a turn, or a part of it, would leave it.
    pub async fn preview_plan(
        &self,
        ConversationOwner { site, owner }: ConversationOwner<'_>,
        id: &TurnId,
        (accept, page): (Option<Vec<usize>>, Option<BodyId>),
        by: Committer,
    ) -> Result<CallReply, AgentError> {
        let call = self
            .plan_call(ConversationOwner { site, owner }, id, by)
            .await?;
        let mut arguments = json!({ "plan": call.arguments });
        if let Some(accept) = accept {
            arguments["accept"] = json!(accept);
        }
        if let Some(page) = page {
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

    /// A call about the plan of a turn, with the plan as its arguments.
    async fn plan_call(
        &self,
        ConversationOwner { site, owner }: ConversationOwner<'_>,
        id: &TurnId,
        by: Committer,
    ) -> Result<Call, AgentError> {
        let record = self.turn_of(ConversationOwner { site, owner }, id).await?;
        let submitted = TurnOutcome::of(&record).and_then(|outcome| outcome.plan);
        let SubmittedPlan { base_seq, plan } = submitted.ok_or(AgentError::NoPlan)?;
        let plan = plan["plan"].clone();
        Ok(Call {
            scope: Some(Scope::Site),
            conversation: Some(record.conversation.to_string()),
            turn: Some(id.to_string()),
            read_up_to: Some(base_seq),
            ..Call::new(site.clone(), APPLY_EDIT_PLAN, plan, by)
        })
    }
}

/// The acceptance of a plan, written the same way however it was said.
struct Acceptance {
    turn: TurnId,
    /// What the calls that accept the plan have in common.
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
            card: format!("plan-{turn}"),
            arguments,
        }
    }

    /// The same for every acceptance of the plan: the log of the site takes one change of an id.
    fn change_id(&self) -> ChangeId {
        ChangeId::of_call(self.turn.as_str(), "plan")
    }
}

/// What became of a plan that may have been accepted before.
enum Earlier {
    /// The answer to who accepts it again.
    Answer(Box<CallReply>),
    /// It was not applied; so many acceptances came to nothing.
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

//! Tool calls: those that wait for approval, the outcomes of the others, and the policy that decides.

use std::time::Duration;

use http::Method;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sitewright_runtime::{
    CallJudgement, CallResult, CardDecision, DecideError, ResultCard, turn_of,
};
use sitewright_site::Author;
use sitewright_store::{
    Actor, CallFilter, CallId, CallRecord, CallState, Permission, SettledOutcome, StepError,
};
use sitewright_tool::{Capability, Envelope, ErrorCode, sentence};

use super::names::Names;
use crate::App;
use crate::problem::ApiError;
use crate::route::{Access, Context, Json, Nothing, Route};

pub(super) fn routes() -> Vec<Route> {
    const APPROVAL: &str = "/admin/api/approvals/{id}";
    const CALL: &str = "/admin/api/calls/{id}";
    let reads = Access::Needs(Capability::ToolsRead);
    let approves = Access::Needs(Capability::ToolsApprove);
    vec![
        Route::new(
            Method::GET,
            "/admin/api/approvals",
            reads,
            "What waits for a person",
            waiting,
        ),
        Route::new(
            Method::GET,
            APPROVAL,
            reads,
            "What a card or a call is about",
            card,
        ),
        Route::new(
            Method::POST,
            APPROVAL,
            approves,
            "Decide on a card or a call",
            decide,
        ),
        Route::new(
            Method::GET,
            "/admin/api/calls",
            reads,
            "The calls of tools, the newest first",
            list,
        ),
        Route::new(Method::GET, CALL, reads, "A call and what came of it", one),
        Route::new(
            Method::POST,
            CALL,
            approves,
            "Settle a call whose outcome is unknown",
            settle,
        ),
    ]
}

/// A call of a tool.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct CallInfo {
    /// The call.
    id: String,
    /// The card on which it is decided; calls of one round share one.
    card: String,
    /// The tool.
    tool: String,
    /// What the tool is called on screen.
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    /// The scope it was called in.
    scope: String,
    /// Who called: `user:ID`, `token:ID` or `local`.
    caller: String,
    /// What that person or token is called today, while it exists.
    #[serde(skip_serializing_if = "Option::is_none")]
    caller_name: Option<String>,
    /// Who drove the caller when it called, where that was looked at.
    #[serde(skip_serializing_if = "Option::is_none")]
    caller_kind: Option<CallerKind>,
    /// The turn of a conversation in which it was made.
    #[serde(skip_serializing_if = "Option::is_none")]
    turn: Option<String>,
    /// What went in; absent when it was only looked at and is long.
    #[serde(skip_serializing_if = "Option::is_none")]
    arguments: Option<Value>,
    /// Where it is: `waiting`, `ready`, `running`, `done`, `failed`, `unknown`, `denied` or `expired`.
    state: String,
    /// What it would do, for a change of the site.
    #[serde(skip_serializing_if = "Option::is_none")]
    preview: Option<Value>,
    /// What the policy decided: `allow`, `ask` or `deny`.
    #[serde(skip_serializing_if = "Option::is_none")]
    decision: Option<String>,
    /// Why the policy decided so.
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<String>,
    /// Who approved it.
    #[serde(skip_serializing_if = "Option::is_none")]
    approved_by: Option<String>,
    /// Whether it can be allowed for more calls of its kind in its conversation.
    can_be_granted: bool,
    /// Whether it may be sent again when its outcome is unknown.
    can_be_repeated: bool,
    /// When it was made, in ms since 1970.
    at: i64,
    /// When waiting turns into a no, in ms since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    expires_at: Option<i64>,
    /// When it ended, in ms since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    ended_at: Option<i64>,
    /// What came of it; of a call that only looked, whether it went well.
    #[serde(skip_serializing_if = "Option::is_none")]
    outcome: Option<Envelope>,
    /// The answer of a connected tool for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    card_of_answer: Option<ResultCard>,
}

/// Who drives whoever calls.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum CallerKind {
    /// A person, also at the machine itself.
    Person,
    /// A model.
    Agent,
    /// A program written by people.
    Script,
}

impl From<&Author> for CallerKind {
    fn from(author: &Author) -> Self {
        match author {
            Author::Person { .. } | Author::Local => Self::Person,
            Author::Agent { .. } => Self::Agent,
            Author::Script { .. } => Self::Script,
        }
    }
}

/// Calls that are decided together.
#[derive(Serialize, JsonSchema)]
struct Card {
    /// The card.
    id: String,
    /// Its calls, in the order in which they were made.
    calls: Vec<CallInfo>,
}

/// What waits for a person, the oldest first.
#[derive(Serialize, JsonSchema)]
struct Waiting {
    /// The cards.
    approvals: Vec<Card>,
}

/// Calls, the newest first.
#[derive(Serialize, JsonSchema)]
struct Calls {
    /// The calls.
    calls: Vec<CallInfo>,
    /// What to pass as `before` for older ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<String>,
}

const WAITING_MAX: u16 = 500;

async fn waiting(context: Context, _: Nothing) -> Result<Json<Waiting>, ApiError> {
    let site = context.site()?;
    let actor = visible_actor(&context);
    let filter = CallFilter {
        state: Some(CallState::Waiting),
        actor: actor.as_ref(),
        before: None,
    };
    let mut calls = context.app.store().calls(site, filter, WAITING_MAX).await?;
    calls.reverse();
    let names = Names::of(&context.app, site).await?;
    let mut approvals: Vec<Card> = Vec::new();
    for call in calls {
        let info = info(&context.app, call, &names);
        match approvals.iter_mut().find(|card| card.id == info.card) {
            Some(card) => card.calls.push(info),
            None => approvals.push(Card {
                id: info.card.clone(),
                calls: vec![info],
            }),
        }
    }
    Ok(Json(Waiting { approvals }))
}

async fn card(context: Context, _: Nothing) -> Result<Json<Card>, ApiError> {
    let id = context.param("id")?;
    let mut calls = context
        .app
        .store()
        .calls_of_card(context.site()?, id)
        .await?;
    if let Some(actor) = visible_actor(&context) {
        calls.retain(|call| call.actor == actor);
    }
    if calls.is_empty() {
        return Err(ApiError::not_found(
            "There is no such card and no such call.",
        ));
    }
    Ok(Json(Card {
        id: id.to_owned(),
        calls: infos(&context, calls).await?,
    }))
}

/// What a person decides.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Decision {
    /// Whether it runs.
    decision: Verdict,
    /// With a yes: for how many seconds others of the kind run in the same conversation without asking, at most a day.
    alike_for_seconds: Option<u32>,
}

/// Yes or no.
#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Verdict {
    /// It runs.
    Approve,
    /// It does not.
    Deny,
}

async fn decide(context: Context, input: Decision) -> Result<Json<Card>, ApiError> {
    let decided = match (input.decision, input.alike_for_seconds) {
        (Verdict::Approve, None) => CardDecision::Yes,
        (Verdict::Approve, Some(seconds)) => {
            CardDecision::YesAndAlike(Duration::from_secs(u64::from(seconds)))
        }
        (Verdict::Deny, None) => CardDecision::No,
        (Verdict::Deny, Some(_)) => {
            return Err(ApiError::invalid(
                "`alikeForSeconds` goes with an approval; leave it out.",
            ));
        }
    };
    let id = context.param("id")?;
    let place = (context.site()?, id);
    let calls = context
        .app
        .pipeline()
        .decide(place, decided, &context.by())
        .await
        .map_err(undecided)?;
    context.app.agent().decided();
    context.app.breadcrumbs().decided();
    Ok(Json(Card {
        id: id.to_owned(),
        calls: infos(&context, calls).await?,
    }))
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct CallsQuery {
    /// Only calls in this state, such as `unknown`.
    state: Option<String>,
    /// Only calls made before this one.
    before: Option<String>,
    /// How many, at most 200; 50 when left out.
    limit: Option<u16>,
}

async fn list(context: Context, input: CallsQuery) -> Result<Json<Calls>, ApiError> {
    let state = input.state.as_deref().map(state_of).transpose()?;
    let before = input.before.map(CallId::from);
    let actor = visible_actor(&context);
    let filter = CallFilter {
        state,
        actor: actor.as_ref(),
        before: before.as_ref(),
    };
    let limit = input.limit.unwrap_or(50).clamp(1, 200);
    let calls = context
        .app
        .store()
        .calls(context.site()?, filter, limit)
        .await?;
    let is_full = calls.len() == usize::from(limit);
    let next = calls
        .last()
        .filter(|_| is_full)
        .map(|call| call.id.to_string());
    Ok(Json(Calls {
        calls: infos(&context, calls).await?,
        next,
    }))
}

/// Whose calls the caller may see: `None` for everyone's. What a tool was given and answered may come from a private conversation.
pub(super) fn visible_actor(context: &Context) -> Option<Actor> {
    let capabilities = context.caller.capabilities();
    let sees_all = [Capability::ToolsApprove, Capability::AiAuditRead]
        .into_iter()
        .any(|capability| capabilities.has(capability));
    (!sees_all).then(|| context.by().actor)
}

fn state_of(text: &str) -> Result<CallState, ApiError> {
    let found = CallState::ALL
        .into_iter()
        .find(|state| state.as_str() == text);
    found.ok_or_else(|| {
        let states: Vec<&str> = CallState::ALL.iter().map(|state| state.as_str()).collect();
        ApiError::invalid(format!("`state` must be one of {}.", states.join(", ")))
    })
}

async fn one(context: Context, _: Nothing) -> Result<Json<CallInfo>, ApiError> {
    let id = CallId::from(context.param("id")?.to_owned());
    let site = context.site()?;
    let call = context.app.store().call(site, &id).await?;
    if visible_actor(&context).is_some_and(|actor| actor != call.actor) {
        return Err(ApiError::not_found("There is no such call of yours."));
    }
    let names = Names::of(&context.app, site).await?;
    Ok(Json(info(&context.app, call, &names)))
}

/// What somebody found out.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Settled {
    /// Whether it was done, or that it may be sent again because the other side takes the same key for the same call.
    found: FoundOut,
}

/// What came of a call whose outcome was unknown.
#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum FoundOut {
    /// It was done.
    Happened,
    /// It was not done.
    DidNotHappen,
    /// It is to be sent again.
    SendAgain,
}

async fn settle(context: Context, input: Settled) -> Result<Json<CallInfo>, ApiError> {
    let id = CallId::from(context.param("id")?.to_owned());
    let found = match input.found {
        FoundOut::Happened => SettledOutcome::Happened,
        FoundOut::DidNotHappen => SettledOutcome::DidNotHappen,
        FoundOut::SendAgain => SettledOutcome::SendAgain,
    };
    let site = context.site()?;
    let call = context
        .app
        .pipeline()
        .settle((site, &id), found, &context.by())
        .await
        .map_err(undecided)?;
    let names = Names::of(&context.app, site).await?;
    Ok(Json(info(&context.app, call, &names)))
}

fn undecided(error: DecideError) -> ApiError {
    let text = error.to_string();
    match error {
        DecideError::Step(StepError::Store(error)) => error.into(),
        DecideError::Step(StepError::No(sitewright_store::NoStep::NotAPerson))
        | DecideError::NotTheirConversation => ApiError::new(ErrorCode::Forbidden, sentence(&text)),
        DecideError::Step(StepError::No(_)) => ApiError::new(ErrorCode::Conflict, sentence(&text)),
        DecideError::Grant(_) => ApiError::invalid(sentence(&text)),
    }
}

/// Whoever decides about a call has to see what it sends; the log does not show it.
fn withhold_personal_data(app: &App, call: &mut CallRecord) {
    let outcome = call.outcome.as_mut();
    let data = outcome.and_then(|outcome| outcome.data.as_mut());
    let shown = [call.arguments.as_mut(), call.preview.as_mut(), data];
    for value in shown.into_iter().flatten() {
        app.tools()
            .withhold_personal_data(Some(call.scope), &call.tool, value);
    }
}

async fn infos(context: &Context, calls: Vec<CallRecord>) -> Result<Vec<CallInfo>, ApiError> {
    let names = Names::of(&context.app, context.site()?).await?;
    let calls = calls.into_iter();
    Ok(calls.map(|call| info(&context.app, call, &names)).collect())
}

fn info(app: &App, mut call: CallRecord, names: &Names) -> CallInfo {
    if call.life.state != CallState::Waiting {
        withhold_personal_data(app, &mut call);
    }
    let turn = turn_of(&call).map(str::to_owned);
    let judged: Option<CallJudgement> = call
        .judged
        .and_then(|judged| serde_json::from_value(judged).ok());
    let caller = call.actor.to_string();
    let approved_by = match &call.life.permission {
        Permission::Approval { by, .. } => Some(names.get(by).unwrap_or(by).clone()),
        Permission::None | Permission::Policy => None,
    };
    let data = call
        .outcome
        .as_ref()
        .and_then(|outcome| outcome.data.as_ref());
    let card_of_answer = data.and_then(|data| {
        app.tools().result_card(CallResult {
            scope: Some(call.scope),
            tool: &call.tool,
            arguments: call.arguments.as_ref().unwrap_or(&Value::Null),
            data,
        })
    });
    CallInfo {
        id: call.id.to_string(),
        card: call.card,
        title: app.tools().title(call.scope, &call.tool),
        tool: call.tool,
        scope: call.scope.as_str().to_owned(),
        caller_name: names.get(&caller).cloned(),
        caller_kind: judged.as_ref().map(|judged| judged.author().into()),
        caller,
        turn,
        arguments: call.arguments,
        state: call.life.state.as_str().to_owned(),
        preview: call.preview,
        can_be_granted: judged.as_ref().is_some_and(CallJudgement::can_be_granted),
        decision: judged
            .as_ref()
            .map(|judged| judged.decision.as_str().to_owned()),
        why: judged.map(|judged| judged.why),
        approved_by,
        can_be_repeated: call.life.repeatable,
        at: call.at.millis(),
        expires_at: call.life.expires.map(sitewright_store::Timestamp::millis),
        ended_at: call.ended_at.map(sitewright_store::Timestamp::millis),
        outcome: call.outcome,
        card_of_answer,
    }
}

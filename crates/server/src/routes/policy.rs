//! The policy of a site: reading, replacing and testing it.

use http::Method;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sitewright_runtime::{Call, CallJudgement, Policy, PolicyProblem, SHIPPED};
use sitewright_site::Author;
use sitewright_store::{CallFilter, SitePolicy};
use sitewright_tool::{Capability, Scope};

use crate::problem::ApiError;
use crate::route::{Access, Context, Json, Nothing, Route};
use crate::routes::tools::ARGUMENTS_MAX;
use crate::step_up::require_recent_proof;

pub(super) fn routes() -> Vec<Route> {
    const PATH: &str = "/admin/api/policy";
    let reads = Access::Needs(Capability::ToolsRead);
    let manages = Access::Needs(Capability::ToolsManage);
    vec![
        Route::new(Method::GET, PATH, reads, "The policy of the site", read),
        Route::new(
            Method::PUT,
            PATH,
            manages,
            "Replace the policy of the site",
            replace,
        ),
        Route::new(
            Method::POST,
            "/admin/api/policy/test",
            manages,
            "Judge recorded calls by a policy",
            test,
        ),
        Route::new(
            Method::POST,
            "/admin/api/policy/decision",
            reads,
            "What would be decided about a call, without making it",
            decide,
        )
        .up_to(ARGUMENTS_MAX)
        .open_to_agents(),
    ]
}

/// The policy of a site, in Cedar.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct PolicyInfo {
    /// The policy that counts.
    active: String,
    /// Whether that is the one Sitewright comes with.
    is_shipped: bool,
    /// A policy that is tried beside it and decides nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    candidate: Option<String>,
}

fn told(policy: SitePolicy) -> PolicyInfo {
    PolicyInfo {
        is_shipped: policy.active.is_none(),
        active: policy.active.unwrap_or_else(|| SHIPPED.to_owned()),
        candidate: policy.candidate,
    }
}

async fn read(context: Context, _: Nothing) -> Result<Json<PolicyInfo>, ApiError> {
    Ok(Json(told(
        context.app.store().policy(context.site()?).await?,
    )))
}

/// A policy to be kept.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct NewPolicy {
    /// The policy that counts; the one Sitewright comes with when left out.
    active: Option<String>,
    /// A policy that is tried beside it.
    candidate: Option<String>,
}

/// The maximum length of a policy.
const POLICY_MAX: usize = 256 * 1024;

async fn replace(context: Context, input: NewPolicy) -> Result<Json<PolicyInfo>, ApiError> {
    require_recent_proof(&context)?;
    for text in [&input.active, &input.candidate].into_iter().flatten() {
        check_length(text)?;
    }
    let policy = SitePolicy {
        active: input.active,
        candidate: input.candidate,
    };
    let site = context.site()?;
    let saved = context
        .app
        .pipeline()
        .set_policy(site, &policy, &context.by())
        .await?;
    saved.map_err(|problems| unreadable(&problems))?;
    Ok(Json(told(policy)))
}

fn check_length(text: &str) -> Result<(), ApiError> {
    if text.len() <= POLICY_MAX {
        return Ok(());
    }
    Err(ApiError::invalid(format!(
        "A policy may have {POLICY_MAX} bytes; make it shorter."
    )))
}

fn unreadable(problems: &[PolicyProblem]) -> ApiError {
    let problems: Vec<String> = problems.iter().map(ToString::to_string).collect();
    ApiError::invalid(format!(
        "The policy cannot be used: {}.",
        problems.join("; ").trim_end_matches('.')
    ))
}

/// A policy to be tried.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Tried {
    /// The policy.
    policy: String,
}

/// What a policy would have decided about the calls of the last 30 days that changed or would have changed something.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Trial {
    /// How many calls were judged.
    judged: usize,
    /// The calls it would have decided otherwise, the newest first.
    differences: Vec<Otherwise>,
}

/// A call that would have been decided otherwise.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Otherwise {
    /// The call.
    id: String,
    /// The tool.
    tool: String,
    /// What was decided.
    was: String,
    /// What would have been decided.
    would_be: String,
    /// Why.
    why: String,
}

const PAGE: u16 = 200;
/// The maximum number of past calls that a test evaluates.
const JUDGED_MAX: usize = 10_000;

async fn test(context: Context, input: Tried) -> Result<Json<Trial>, ApiError> {
    check_length(&input.policy)?;
    let policy = Policy::parse(&input.policy).map_err(|problems| unreadable(&problems))?;
    let (mut judged, mut differences) = (0, Vec::new());
    let mut before = None;
    while judged < JUDGED_MAX {
        let filter = CallFilter {
            state: None,
            actor: None,
            before: before.as_ref(),
        };
        let calls = context
            .app
            .store()
            .calls(context.site()?, filter, PAGE)
            .await?;
        let Some(last) = calls.last() else { break };
        before = Some(last.id.clone());
        for call in calls {
            let recorded = call
                .judged
                .and_then(|judged| serde_json::from_value::<CallJudgement>(judged).ok());
            let (Some(recorded), Some(arguments)) = (recorded, call.arguments) else {
                continue;
            };
            judged += 1;
            let verdict = recorded.by(&policy, &arguments);
            if verdict.decision != recorded.decision {
                differences.push(Otherwise {
                    id: call.id.to_string(),
                    tool: call.tool,
                    was: recorded.decision.as_str().to_owned(),
                    would_be: verdict.decision.as_str().to_owned(),
                    why: verdict.why.sentences(),
                });
            }
        }
    }
    Ok(Json(Trial {
        judged,
        differences,
    }))
}

/// A call to be judged.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Supposed {
    /// The tool.
    tool: String,
    /// The scope it belongs to; may be left out while no two scopes have a tool of the name.
    scope: Option<Scope>,
    /// What would go in; left out, the tool is judged by what it is.
    arguments: Option<Value>,
    /// Who would call; you, when left out.
    r#as: Option<Supposing>,
}

/// Who would make a call.
#[derive(Clone, Copy, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Supposing {
    /// Whoever asks.
    Me,
    /// The assistant on behalf of whoever asks.
    Agent,
}

/// What would be decided.
#[derive(Serialize, JsonSchema)]
struct WouldDecide {
    /// `allow`, `ask` (a person must say yes) or `deny`.
    decision: &'static str,
    /// Why, in sentences.
    why: String,
    /// The permission that is missing, when that is why.
    #[serde(skip_serializing_if = "Option::is_none")]
    capability: Option<Capability>,
}

async fn decide(context: Context, input: Supposed) -> Result<Json<WouldDecide>, ApiError> {
    let caller = &context.caller;
    let mut by = caller.committer(context.now);
    if input.r#as == Some(Supposing::Agent) {
        let id = caller.user_id().map(ToString::to_string);
        by.author = Author::Agent {
            id: id.unwrap_or_else(|| caller.session()),
        };
    }
    let arguments = input.arguments.unwrap_or(Value::Null);
    let call = Call {
        scope: input.scope,
        person: caller.user_id().map(ToString::to_string),
        ..Call::new(context.site()?.clone(), &input.tool, arguments, by)
    };
    let told = context.app.pipeline().predict_decision(call).await;
    let told = told.map_err(|error| ApiError::new(error.code, error.message))?;
    Ok(Json(WouldDecide {
        decision: told.decision.as_str(),
        why: told.why,
        capability: told.lacks,
    }))
}

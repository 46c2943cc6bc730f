//! The tools: listing them, and calling one.

use http::Method;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sitewright_runtime::{Call, CallOutcome, CallResult, ResultCard};
use sitewright_tool::{Capability, Envelope, Scope, ToolManifest};

use crate::problem::ApiError;
use crate::route::{Access, Context, Json, Route};

/// Large, because arguments may contain the HTML and CSS of whole pages.
pub(super) const ARGUMENTS_MAX: usize = 16 * 1024 * 1024;

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::new(
            Method::GET,
            "/tools",
            Access::Needs(Capability::ToolsRead),
            "The tools there are",
            list,
        ),
        Route::new(
            Method::POST,
            "/tools/call",
            Access::Needs(Capability::ToolsCall),
            "Call a tool",
            call,
        )
        .up_to(ARGUMENTS_MAX)
        .open_to_agents(),
    ]
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ToolsQuery {
    /// Only tools of this scope.
    scope: Option<Scope>,
}

/// The tools there are.
#[derive(Serialize, JsonSchema)]
struct Tools {
    /// What each says about itself.
    tools: Vec<ListedTool>,
}

/// A tool.
#[derive(Serialize, JsonSchema)]
struct ListedTool {
    /// What it says about itself.
    #[serde(flatten)]
    manifest: ToolManifest,
    /// Where it comes from, such as `built-in`.
    source: String,
}

async fn list(context: Context, input: ToolsQuery) -> Result<Json<Tools>, ApiError> {
    context.app.refresh_tools().await?;
    let site = context.site()?;
    let sources = context.app.tool_sources();
    let mut listed = context.app.tools().list(input.scope);
    listed.retain(|tool| sources.is_for(site, &tool.source, tool.definition.name()));
    let tools = listed.into_iter().map(|tool| ListedTool {
        source: tool.source.as_str().to_owned(),
        manifest: tool.definition.manifest,
    });
    Ok(Json(Tools {
        tools: tools.collect(),
    }))
}

/// A call of a tool.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct ToolCall {
    /// The tool.
    tool: String,
    /// The scope it belongs to; may be left out while no two scopes have a tool of the name.
    scope: Option<Scope>,
    /// What goes in, as the tool's input schema says; nothing when left out.
    arguments: Option<Value>,
    /// The same for every repeat of the same call, which then gets the first one's answer; without one a repeat is a new call.
    idempotency_key: Option<String>,
    /// That you mean it, for a tool that would ask a person first. Counts only from those who may approve, never from an agent.
    #[serde(default)]
    confirmed: bool,
}

/// What came of a call.
#[derive(Serialize, JsonSchema)]
struct CalledTool {
    #[serde(flatten)]
    envelope: Envelope,
    /// The answer of a connected tool for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    card: Option<ResultCard>,
}

async fn call(context: Context, input: ToolCall) -> Result<Json<CalledTool>, ApiError> {
    let arguments = input.arguments.unwrap_or_else(|| serde_json::json!({}));
    // Another node may have registered it a moment ago.
    if !context.app.tools().knows(input.scope, &input.tool) {
        context.app.refresh_tools().await?;
    }
    let caller = &context.caller;
    let call = Call {
        scope: input.scope,
        key: input.idempotency_key,
        is_confirmed: input.confirmed,
        person: caller.user_id().map(ToString::to_string),
        session: caller.session(),
        ..Call::new(
            context.site()?.clone(),
            &input.tool,
            arguments.clone(),
            caller.committer(context.now),
        )
    };
    let mut reply = context.app.pipeline().call(call).await;
    if let CallOutcome::Waiting(pending) = &mut reply.outcome {
        pending.link = Some(format!("{}{}", context.app.address(), pending.path()));
    }
    let card = match &reply.outcome {
        CallOutcome::Done(answer) => context.app.tools().result_card(CallResult {
            scope: input.scope,
            tool: &input.tool,
            arguments: &arguments,
            data: &answer.data,
        }),
        CallOutcome::Waiting(_) | CallOutcome::Refused(_) | CallOutcome::Unknown(_) => None,
    };
    Ok(Json(CalledTool {
        envelope: reply.into(),
        card,
    }))
}

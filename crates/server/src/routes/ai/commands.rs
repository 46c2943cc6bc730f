//! What the built-in commands understand, generated from the rules themselves.

use http::Method;
use schemars::JsonSchema;
use serde::Serialize;
use sitewright_commands::{CommandGroup, command_groups};
use sitewright_tool::Capability;

use crate::problem::ApiError;
use crate::route::{Access, Context, Json, Nothing, Route};

pub(super) fn routes() -> Vec<Route> {
    vec![Route::new(
        Method::GET,
        "/admin/api/ai/commands",
        Access::Needs(Capability::AiChat),
        "What the built-in commands understand",
        list,
    )]
}

/// What the built-in commands understand.
#[derive(Serialize, JsonSchema)]
struct CommandList {
    /// By what it is about.
    groups: Vec<CommandExamples>,
}

/// Ways of asking.
#[derive(Serialize, JsonSchema)]
struct CommandExamples {
    /// What they are about.
    title: &'static str,
    /// One example of each.
    examples: Vec<&'static str>,
}

async fn list(_: Context, _: Nothing) -> Result<Json<CommandList>, ApiError> {
    let group = |CommandGroup { title, examples }| CommandExamples { title, examples };
    Ok(Json(CommandList {
        groups: command_groups().into_iter().map(group).collect(),
    }))
}

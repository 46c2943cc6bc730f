//! What the built-in commands understand, generated from the rules themselves.

use http::Method;
use schemars::JsonSchema;
use serde::Serialize;
use sitewright_commands::{CommandGroup, command_groups, command_groups_for};
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
    /// One example of each, about pages of the site where the caller can see them.
    examples: Vec<String>,
}

async fn list(context: Context, _: Nothing) -> Result<Json<CommandList>, ApiError> {
    let group = |CommandGroup { title, examples }| CommandExamples { title, examples };
    let groups = if context.caller.capabilities().has(Capability::SiteRead) {
        let live = context.app.store().live_site(context.site()?).await?;
        command_groups_for(live.site())
    } else {
        command_groups()
    };
    Ok(Json(CommandList {
        groups: groups.into_iter().map(group).collect(),
    }))
}

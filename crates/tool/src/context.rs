//! What a tool knows about the call it runs for.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Where a call belongs. Made by the server; a model never supplies ids of people or sites.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ToolContext {
    /// The site it is about.
    pub site_id: String,
    /// The conversation, the sign-in or the token it is part of.
    pub session_id: String,
    /// The person behind it, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_id: Option<String>,
    /// The id under which it is traced.
    pub trace_id: String,
    /// The provider of the model that planned it; `none` when no model is involved.
    pub planner_provider: String,
}

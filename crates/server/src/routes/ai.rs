//! The assistant: model providers, default models, budgets and usage.

mod audit;
mod budget;
mod chat;
mod commands;
mod conversations;
mod credentials;
mod defaults;
mod models;
mod turn_lines;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};
use sitewright_store::{Actor, CredentialId, TurnState};
use sitewright_tool::Scope;

use crate::problem::ApiError;
use crate::route::{Context, Route};

pub(super) fn routes() -> Vec<Route> {
    [
        chat::routes(),
        conversations::routes(),
        credentials::routes(),
        defaults::routes(),
        models::routes(),
        commands::routes(),
        audit::routes(),
        budget::routes(),
    ]
    .concat()
}

/// Where a turn is.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "TurnState")]
enum TurnStateWord {
    Running,
    Waiting,
    Done,
    Failed,
    Stopped,
    Interrupted,
}

impl From<TurnState> for TurnStateWord {
    fn from(state: TurnState) -> Self {
        match state {
            TurnState::Running => Self::Running,
            TurnState::Waiting => Self::Waiting,
            TurnState::Done => Self::Done,
            TurnState::Failed => Self::Failed,
            TurnState::Stopped => Self::Stopped,
            TurnState::Interrupted => Self::Interrupted,
        }
    }
}

/// Distinguishes a field that is null from one that is absent.
fn present<'de, T, D>(deserializer: D) -> Result<Option<Option<T>>, D::Error>
where
    T: Deserialize<'de>,
    D: Deserializer<'de>,
{
    Option::deserialize(deserializer).map(Some)
}

/// The owner of the caller's conversations: a person, a token or the machine itself. A token has conversations of its own and neither
/// sees nor continues those of the person who made it: what it says must not run with that person's rights.
fn owner(context: &Context) -> String {
    match context.by().actor {
        Actor::User(user) => user.to_string(),
        actor @ (Actor::Token(_) | Actor::Local | Actor::Anonymous) => actor.to_string(),
    }
}

/// The credential in the path.
fn credential_id(context: &Context) -> Result<CredentialId, ApiError> {
    Ok(CredentialId::from(context.param("id")?.to_owned()))
}

/// The scope in the path.
fn scope(context: &Context) -> Result<Scope, ApiError> {
    let written = context.param("scope")?;
    let found = Scope::ALL
        .into_iter()
        .find(|scope| scope.as_str() == written);
    found.ok_or_else(|| {
        ApiError::not_found(
            "There is no such scope: use site, content, data, plugin or breadcrumbs.",
        )
    })
}

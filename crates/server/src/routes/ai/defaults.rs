//! The model that conversations of a scope start with.

use http::Method;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sitewright_store::{AiDefault, CredentialId, StoreError};
use sitewright_tool::{Capability, Scope};

use super::scope;
use crate::problem::ApiError;
use crate::route::{Access, Context, Done, Json, Nothing, Route};

pub(super) fn routes() -> Vec<Route> {
    const PATH: &str = "/admin/api/ai/defaults";
    const ONE: &str = "/admin/api/ai/defaults/{scope}";
    let chats = Access::Needs(Capability::AiChat);
    let manages = Access::Needs(Capability::AiProvidersManage);
    vec![
        Route::new(Method::GET, PATH, chats, "The default of each scope", list),
        Route::new(
            Method::PUT,
            PATH,
            manages,
            "Set the default of a scope",
            put,
        ),
        Route::new(Method::GET, ONE, chats, "The default of a scope", read),
        Route::new(
            Method::PUT,
            ONE,
            manages,
            "Set the default of a scope",
            put_one,
        ),
        Route::new(
            Method::DELETE,
            ONE,
            manages,
            "Clear the default of a scope",
            clear,
        ),
    ]
}

/// Defaults, in the order of the scopes.
#[derive(Serialize, JsonSchema)]
struct Defaults {
    /// The defaults; scopes without one are not in it.
    defaults: Vec<ScopeDefault>,
}

/// The model of a scope.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct ScopeDefault {
    /// Where it counts.
    scope: Scope,
    /// Whose access is used.
    credential_id: String,
    /// The model, as its provider names it.
    model_id: String,
}

/// The model of the scope in the path.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct DefaultChoice {
    /// Whose access is used.
    credential_id: String,
    /// The model, as its provider names it.
    model_id: String,
}

async fn list(context: Context, _: Nothing) -> Result<Json<Defaults>, ApiError> {
    let defaults = context.app.store().ai_defaults(context.site()?).await?;
    let defaults = defaults.into_iter().map(ScopeDefault::from).collect();
    Ok(Json(Defaults { defaults }))
}

async fn read(context: Context, _: Nothing) -> Result<Json<ScopeDefault>, ApiError> {
    let scope = scope(&context)?;
    let found = context
        .app
        .store()
        .ai_default(context.site()?, scope)
        .await?;
    let none = || ApiError::not_found("This scope has no default: choose a model for it first.");
    Ok(Json(found.map(ScopeDefault::from).ok_or_else(none)?))
}

async fn put(context: Context, input: ScopeDefault) -> Result<Json<ScopeDefault>, ApiError> {
    const MODEL_CHARS_MAX: usize = 200;
    let model = input.model_id.trim();
    if model.is_empty() || model.chars().count() > MODEL_CHARS_MAX {
        let message = format!("Name a model, in at most {MODEL_CHARS_MAX} characters.");
        return Err(ApiError::field("modelId", message));
    }
    if input.credential_id == "offline" {
        let message = "The built-in commands need no default: they are there without one.";
        return Err(ApiError::field("credentialId", message));
    }
    let default = AiDefault {
        scope: input.scope,
        credential_id: CredentialId::from(input.credential_id),
        model_id: model.to_owned(),
    };
    let by = context.by();
    let store = context.app.store();
    match store.set_ai_default(context.site()?, &default, &by).await {
        Ok(()) => Ok(Json(default.into())),
        Err(StoreError::NotFound { .. }) => Err(ApiError::field(
            "credentialId",
            "There is no such credential: GET /admin/api/ai/credentials lists them.",
        )),
        Err(error) => Err(error.into()),
    }
}

async fn put_one(context: Context, input: DefaultChoice) -> Result<Json<ScopeDefault>, ApiError> {
    let default = ScopeDefault {
        scope: scope(&context)?,
        credential_id: input.credential_id,
        model_id: input.model_id,
    };
    put(context, default).await
}

async fn clear(context: Context, _: Nothing) -> Result<Done, ApiError> {
    let scope = scope(&context)?;
    let store = context.app.store();
    store
        .clear_ai_default(context.site()?, scope, &context.by())
        .await?;
    Ok(Done)
}

impl From<AiDefault> for ScopeDefault {
    fn from(default: AiDefault) -> Self {
        Self {
            scope: default.scope,
            credential_id: default.credential_id.to_string(),
            model_id: default.model_id,
        }
    }
}

//! Credentials of model providers. Keys are write-only.

use http::Method;
use schemars::JsonSchema;
use secrecy::SecretString;
use serde::{Deserialize, Serialize};
use sitewright_agent::{AccessChange, CredentialTest, NewAccess};
use sitewright_store::{AiDefault, Credential};
use sitewright_tool::{Capability, Scope};

use super::{credential_id, present};
use crate::problem::ApiError;
use crate::route::{Access, Context, Done, Json, Nothing, Route};
use crate::step_up::require_recent_proof;

pub(super) fn routes() -> Vec<Route> {
    const PATH: &str = "/admin/api/ai/credentials";
    const ONE: &str = "/admin/api/ai/credentials/{id}";
    let chats = Access::Needs(Capability::AiChat);
    let manages = Access::Needs(Capability::AiProvidersManage);
    vec![
        Route::new(
            Method::GET,
            PATH,
            chats,
            "The credentials of model providers, without their keys",
            list,
        ),
        Route::new(
            Method::POST,
            PATH,
            manages,
            "Add a credential; scopes without a default get one",
            add,
        ),
        Route::new(
            Method::PATCH,
            ONE,
            manages,
            "Replace parts of a credential",
            change,
        ),
        Route::new(
            Method::DELETE,
            ONE,
            manages,
            "Forget a credential that no default rests on",
            remove,
        ),
        Route::new(
            Method::POST,
            "/admin/api/ai/credentials/{id}/test",
            manages,
            "Ask the provider whether it accepts a credential",
            test,
        ),
    ]
}

/// Credentials, the oldest first.
#[derive(Serialize, JsonSchema)]
struct Credentials {
    /// The credentials.
    credentials: Vec<CredentialInfo>,
}

/// A credential without its key.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct CredentialInfo {
    /// The credential.
    id: String,
    /// The provider.
    provider_id: String,
    /// What people call it.
    label: String,
    /// Where the provider is; absent at its own address.
    #[serde(skip_serializing_if = "Option::is_none")]
    base_url: Option<String>,
    /// Whether there is a key.
    has_key: bool,
    /// When it was added, in ms since 1970.
    created_at: i64,
    /// The scopes it is the default of.
    default_for: Vec<Scope>,
}

/// A credential to be added.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct NewCredential {
    /// The provider: anthropic, openai, openrouter, ollama or venice.
    provider_id: String,
    /// What to call it.
    label: String,
    /// The key; Ollama needs none.
    #[schemars(with = "Option<String>")]
    api_key: Option<SecretString>,
    /// Where the provider is, when it is not at its own address.
    base_url: Option<String>,
}

/// What is to be different; what is left out stays.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct CredentialChange {
    /// What to call it.
    label: Option<String>,
    /// Another key; null takes it away, where the provider needs none.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Option<String>")]
    api_key: Option<Option<SecretString>>,
    /// Another address; null is the provider's own. One that leads to another host needs the key again.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Option<String>")]
    base_url: Option<Option<String>>,
}

async fn list(context: Context, _: Nothing) -> Result<Json<Credentials>, ApiError> {
    let (store, site) = (context.app.store(), context.site()?);
    let defaults = store.ai_defaults(site).await?;
    let credentials = store.credentials(site).await?.into_iter();
    let credentials = credentials
        .map(|credential| info(credential, &defaults))
        .collect();
    Ok(Json(Credentials { credentials }))
}

async fn add(context: Context, input: NewCredential) -> Result<Json<CredentialInfo>, ApiError> {
    require_recent_proof(&context)?;
    let new = NewAccess {
        provider_id: input.provider_id,
        label: input.label,
        base_url: input.base_url,
        api_key: input.api_key,
    };
    let models = context.app.models();
    let credential = models
        .add_credential(context.site()?, &new, &context.by())
        .await?;
    told(&context, credential).await
}

async fn change(
    context: Context,
    input: CredentialChange,
) -> Result<Json<CredentialInfo>, ApiError> {
    require_recent_proof(&context)?;
    let change = AccessChange {
        label: input.label,
        base_url: input.base_url,
        api_key: input.api_key,
    };
    let id = credential_id(&context)?;
    let models = context.app.models();
    let credential = models
        .change_credential(context.site()?, &id, &change, &context.by())
        .await?;
    told(&context, credential).await
}

async fn remove(context: Context, _: Nothing) -> Result<Done, ApiError> {
    require_recent_proof(&context)?;
    let id = credential_id(&context)?;
    let models = context.app.models();
    models
        .remove_credential(context.site()?, &id, &context.by())
        .await?;
    Ok(Done)
}

async fn test(context: Context, _: Nothing) -> Result<Json<CredentialTest>, ApiError> {
    let id = credential_id(&context)?;
    let models = context.app.models();
    let tested = models
        .test_credential(context.site()?, &id, context.now)
        .await?;
    Ok(Json(tested))
}

async fn told(context: &Context, credential: Credential) -> Result<Json<CredentialInfo>, ApiError> {
    let defaults = context.app.store().ai_defaults(context.site()?).await?;
    Ok(Json(info(credential, &defaults)))
}

fn info(credential: Credential, defaults: &[AiDefault]) -> CredentialInfo {
    let default_for = defaults
        .iter()
        .filter(|default| default.credential_id == credential.id)
        .map(|default| default.scope)
        .collect();
    CredentialInfo {
        id: credential.id.to_string(),
        provider_id: credential.provider_id,
        label: credential.label,
        base_url: credential.base_url,
        has_key: credential.has_key,
        created_at: credential.created_at.millis(),
        default_for,
    }
}

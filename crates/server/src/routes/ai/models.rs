//! The supported providers, and the models that a credential gives access to.

use http::Method;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sitewright_agent::Offer;
use sitewright_llm::{CredentialShape, ProviderId};
use sitewright_store::CredentialId;
use sitewright_tool::Capability;

use crate::problem::ApiError;
use crate::route::{Access, Context, Json, Nothing, Route};

pub(super) fn routes() -> Vec<Route> {
    let chats = Access::Needs(Capability::AiChat);
    vec![
        Route::new(
            Method::GET,
            "/admin/api/ai/providers",
            chats,
            "The model providers there are",
            providers,
        ),
        Route::new(
            Method::GET,
            "/admin/api/ai/providers/{id}/models",
            chats,
            "The models of a provider, with windows and prices",
            models,
        ),
    ]
}

/// Providers.
#[derive(Serialize, JsonSchema)]
struct Providers {
    /// The providers.
    providers: Vec<ProviderInfo>,
}

/// A provider.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ProviderInfo {
    /// Its id.
    id: ProviderId,
    /// What people call it.
    name: &'static str,
    /// What its credentials consist of.
    shape: CredentialShape,
    /// Where it is, unless a credential says otherwise.
    base_url: &'static str,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct ModelsQuery {
    /// The credential with which the provider is asked.
    credential_id: String,
}

async fn providers(_: Context, _: Nothing) -> Result<Json<Providers>, ApiError> {
    let info = |id: ProviderId| {
        let record = id.record();
        ProviderInfo {
            id,
            name: record.name,
            shape: record.credential,
            base_url: record.base_url,
        }
    };
    let providers = ProviderId::ALL.into_iter().map(info).collect();
    Ok(Json(Providers { providers }))
}

async fn models(context: Context, query: ModelsQuery) -> Result<Json<Offer>, ApiError> {
    let provider: ProviderId = context
        .param("id")?
        .parse()
        .map_err(|unknown| ApiError::not_found(sitewright_tool::sentence(&format!("{unknown}"))))?;
    let id = CredentialId::from(query.credential_id);
    let site = context.site()?;
    let credential = context.app.store().credential(site, &id).await?;
    if credential.provider_id != provider.as_str() {
        let name = provider.record().name;
        let message = format!("This credential is not for {name}: choose one of its own.");
        return Err(ApiError::field("credentialId", message));
    }
    let offer = context.app.models().offer(site, &id, context.now).await?;
    Ok(Json(offer))
}

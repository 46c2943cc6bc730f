//! Roles: the built-in ones are read-only, a site's own can be created and changed.

use http::Method;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sitewright_store::{Role as StoredRole, RoleKey, StoreError};
use sitewright_tool::{Capability, CapabilitySet};

use crate::problem::ApiError;
use crate::route::{Access, Context, Done, Json, Nothing, Route};
use crate::routes::users::check_name;
use crate::step_up::require_recent_proof;

pub(super) fn routes() -> Vec<Route> {
    const ONE: &str = "/admin/api/roles/{key}";
    let manage = Access::Needs(Capability::UsersManage);
    vec![
        Route::new(
            Method::GET,
            "/admin/api/roles",
            manage,
            "The roles of the site",
            list,
        ),
        Route::new(
            Method::PUT,
            ONE,
            manage,
            "Make or change a role of the site's own",
            put,
        ),
        Route::new(
            Method::DELETE,
            ONE,
            manage,
            "Remove a role that no one has",
            remove,
        ),
    ]
}

/// The roles of the site, and what roles are made of.
#[derive(Serialize, JsonSchema)]
struct Roles {
    /// The built-in roles, then the site's own by name.
    roles: Vec<Role>,
    /// Every capability there is.
    capabilities: Vec<CapabilityInfo>,
}

/// A role.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Role {
    /// Its name in the API.
    key: String,
    /// Its name on screen.
    name: String,
    /// What it allows.
    capabilities: CapabilitySet,
    /// Whether it is the same everywhere and cannot be changed.
    built_in: bool,
}

impl From<StoredRole> for Role {
    fn from(role: StoredRole) -> Self {
        let StoredRole {
            key,
            name,
            capabilities,
            built_in,
        } = role;
        Self {
            key: key.to_string(),
            name,
            capabilities,
            built_in,
        }
    }
}

/// A capability and what it allows.
#[derive(Serialize, JsonSchema)]
struct CapabilityInfo {
    /// Its name in the API.
    name: Capability,
    /// What it allows.
    description: String,
}

/// A role as it is to be.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct RoleChange {
    /// Its name on screen.
    name: String,
    /// What it allows.
    capabilities: CapabilitySet,
}

async fn list(context: Context, _: Nothing) -> Result<Json<Roles>, ApiError> {
    let roles = context.app.store().roles(context.site()?).await?;
    let capabilities = Capability::ALL.iter().map(|&name| CapabilityInfo {
        name,
        description: name.description().to_owned(),
    });
    Ok(Json(Roles {
        roles: roles.into_iter().map(Role::from).collect(),
        capabilities: capabilities.collect(),
    }))
}

async fn put(context: Context, input: RoleChange) -> Result<Json<Role>, ApiError> {
    require_recent_proof(&context)?;
    let key = RoleKey::parse(context.param("key")?).ok_or_else(|| {
        ApiError::field("key", "The key of a role is 1 to 40 lower-case letters, digits and hyphens, beginning with a letter.")
    })?;
    let beyond = input.capabilities.beyond(&context.caller.capabilities());
    if !beyond.is_empty() {
        return Err(ApiError::forbidden(format!(
            "A role cannot allow what you are not allowed to do yourself: {beyond}."
        )));
    }
    require_standing_over(&context, &key).await?;
    let role = StoredRole {
        key,
        name: check_name("name", &input.name)?,
        capabilities: input.capabilities,
        built_in: false,
    };
    context
        .app
        .store()
        .put_role(context.site()?, &role, &context.by())
        .await?;
    Ok(Json(Role::from(role)))
}

async fn remove(context: Context, _: Nothing) -> Result<Done, ApiError> {
    let missing = || ApiError::not_found("There is no such role.");
    let key = RoleKey::parse(context.param("key")?).ok_or_else(missing)?;
    require_recent_proof(&context)?;
    require_standing_over(&context, &key).await?;
    context
        .app
        .store()
        .remove_role(context.site()?, &key, &context.by())
        .await?;
    Ok(Done)
}

/// Nobody may change or remove a role that allows more than they may do: people with that role would lose what the caller could not
/// take from them one by one.
async fn require_standing_over(context: &Context, key: &RoleKey) -> Result<(), ApiError> {
    let present = match context.app.store().role(context.site()?, key).await {
        Ok(role) => role.capabilities,
        Err(StoreError::NotFound { .. }) => return Ok(()),
        Err(error) => return Err(error.into()),
    };
    let beyond = present.beyond(&context.caller.capabilities());
    if beyond.is_empty() {
        return Ok(());
    }
    Err(ApiError::forbidden(format!(
        "The role `{key}` allows what you are not allowed to do yourself: {beyond}."
    )))
}

//! The people of a site: inviting them, changing their roles, disabling them.
//!
//! No one can give a role that allows more than they may do themselves, nor modify someone who may do more; only owners can modify
//! owners.

use http::Method;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sitewright_store::{
    BuiltInRole, LinkPurpose, Member, NewUser as NewMember, RoleKey, StoreError, UserId,
};
use sitewright_tool::{Capability, CapabilitySet};

use crate::caller::Caller;
use crate::common_passwords::refuse_words;
use crate::problem::ApiError;
use crate::route::{Access, Context, Done, Json, Nothing, Route};
use crate::step_up::require_recent_proof;
use crate::{password, sign_in};

pub(super) fn routes() -> Vec<Route> {
    const LIST: &str = "/admin/api/users";
    const ONE: &str = "/admin/api/users/{id}";
    let manage = Access::Needs(Capability::UsersManage);
    vec![
        Route::new(Method::GET, LIST, manage, "The people of the site", list),
        Route::new(Method::POST, LIST, manage, "Invite someone", invite),
        Route::new(
            Method::PATCH,
            ONE,
            manage,
            "Change someone's name, role or access",
            change,
        ),
        Route::new(
            Method::DELETE,
            ONE,
            manage,
            "Remove someone from the site",
            remove,
        ),
        Route::new(
            Method::POST,
            "/admin/api/users/{id}/password-link",
            manage,
            "Make a link to choose a new password",
            link,
        ),
        Route::new(
            Method::DELETE,
            "/admin/api/users/{id}/sessions",
            manage,
            "Sign someone out everywhere",
            end_sessions,
        ),
        Route::new(
            Method::DELETE,
            "/admin/api/users/{id}/second-factor",
            manage,
            "Turn off someone's two-step sign-in",
            remove_second_factor,
        ),
        Route::new(
            Method::DELETE,
            "/admin/api/users/{id}/account",
            manage,
            "Delete someone's account",
            delete_account,
        ),
    ]
}

/// The people of the site.
#[derive(Serialize, JsonSchema)]
struct Users {
    /// The people, by name.
    users: Vec<User>,
}

/// Somebody with a role on the site.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct User {
    /// The person.
    id: String,
    /// Where they are reached.
    email: String,
    /// What they are called.
    name: String,
    /// Their role on the site.
    role: String,
    /// Whether they are kept from signing in.
    disabled: bool,
    /// Whether they have yet to choose a password.
    invited: bool,
    /// Whether they stand above every site.
    instance_owner: bool,
    /// Whether signing in asks them for a code as well.
    second_factor: bool,
    /// When the account was made, in ms since 1970.
    created_at: i64,
}

impl User {
    fn new(member: Member, second_factor: bool) -> Self {
        let Member { user, role } = member;
        Self {
            id: user.id.to_string(),
            email: user.email,
            name: user.name,
            role: role.to_string(),
            disabled: user.disabled,
            invited: user.password_hash.is_none(),
            instance_owner: user.instance_owner,
            second_factor,
            created_at: user.created_at.millis(),
        }
    }
}

/// Somebody to invite.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct NewUser {
    /// Where they are reached.
    email: String,
    /// What they are called; the part before the @ when left out.
    #[serde(default)]
    name: String,
    /// Their role on the site.
    role: String,
    /// Their password, from the command line only; without one they choose it with the link.
    password: Option<String>,
}

/// Somebody invited.
#[derive(Serialize, JsonSchema)]
struct Invitation {
    /// The person.
    user: User,
    /// The link to send them; absent when they have a password already.
    #[serde(skip_serializing_if = "Option::is_none")]
    link: Option<PasswordLink>,
}

/// A link with which somebody chooses a password, once.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct PasswordLink {
    /// The address to open in a browser.
    url: String,
    /// When it stops working, in ms since 1970.
    expires_at: i64,
}

/// What to change about somebody; what is left out stays.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct UserChange {
    /// What they are called.
    name: Option<String>,
    /// Their role on the site.
    role: Option<String>,
    /// Whether they are kept from signing in.
    disabled: Option<bool>,
}

async fn list(context: Context, _: Nothing) -> Result<Json<Users>, ApiError> {
    let (store, site) = (context.app.store(), context.site()?);
    let factors = store.members_with_second_factor(site).await?;
    let members = store.members(site).await?.into_iter();
    let users = members.map(|member| {
        let second_factor = factors.contains(&member.user.id);
        User::new(member, second_factor)
    });
    Ok(Json(Users {
        users: users.collect(),
    }))
}

async fn invite(context: Context, input: NewUser) -> Result<Json<Invitation>, ApiError> {
    require_recent_proof(&context)?;
    let email = sign_in::parse_email(&input.email)?;
    let name = name_or_address(&input.name, &email)?;
    let role = grantable(&context, &input.role).await?;
    let password_hash = match input.password {
        Some(_) if !matches!(context.caller, Caller::Local { .. }) => {
            return Err(ApiError::field(
                "password",
                "People choose their own password with the link; leave this out.",
            ));
        }
        Some(chosen) => {
            password::check("password", &chosen, &email)?;
            refuse_words("password", &chosen, &[&name, site_name(&context)?])?;
            Some(password::hash(chosen).await?)
        }
        None => None,
    };
    let new = NewMember {
        email: &email,
        name: &name,
        password_hash: password_hash.as_deref(),
        role,
    };
    let member = context
        .app
        .store()
        .add_member(context.site()?, new, &context.by())
        .await?;
    // An account that other sites have invited belongs to its person: a link would let this site's administrator take it over.
    let is_ours = !member.user.instance_owner
        && context.app.store().sites_of(&member.user.id).await?.len() <= 1;
    let link = if member.user.password_hash.is_none() && is_ours {
        Some(password_link(&context, &member.user.id).await?)
    } else {
        None
    };
    let user = described(&context, member).await?;
    Ok(Json(Invitation { user, link }))
}

async fn change(context: Context, input: UserChange) -> Result<Json<User>, ApiError> {
    require_recent_proof(&context)?;
    let member = touchable(&context).await?;
    let (store, id, by) = (context.app.store(), &member.user.id, context.by());
    // Everything is validated before anything is written.
    let name = input
        .name
        .map(|name| check_name("name", &name))
        .transpose()?;
    let role = match &input.role {
        Some(role) => Some(grantable(&context, role).await?),
        None => None,
    };
    if name.is_some() || input.disabled.is_some() {
        refuse_shared_account(&context, id).await?;
    }
    if let Some(role) = role {
        store.set_role(context.site()?, id, &role, &by).await?;
    }
    if let Some(disabled) = input.disabled {
        store.set_disabled(id, disabled, &by).await?;
    }
    if let Some(name) = name {
        store.rename_user(id, &name, &by).await?;
    }
    let member = store.member(context.site()?, id).await?;
    Ok(Json(described(&context, member).await?))
}

async fn described(context: &Context, member: Member) -> Result<User, ApiError> {
    let factor = context.app.store().second_factor(&member.user.id).await?;
    Ok(User::new(member, factor.is_some()))
}

async fn remove(context: Context, _: Nothing) -> Result<Done, ApiError> {
    require_recent_proof(&context)?;
    let member = touchable(&context).await?;
    context
        .app
        .store()
        .remove_member(context.site()?, &member.user.id, &context.by())
        .await?;
    Ok(Done)
}

async fn link(context: Context, _: Nothing) -> Result<Json<PasswordLink>, ApiError> {
    let user = touchable_account(&context).await?;
    Ok(Json(password_link(&context, &user).await?))
}

async fn end_sessions(context: Context, _: Nothing) -> Result<Done, ApiError> {
    let user = touchable_account(&context).await?;
    let store = context.app.store();
    store.end_sessions(&user, &context.by()).await?;
    Ok(Done)
}

async fn remove_second_factor(context: Context, _: Nothing) -> Result<Done, ApiError> {
    let user = touchable_account(&context).await?;
    let store = context.app.store();
    store.remove_second_factor(&user, &context.by()).await?;
    Ok(Done)
}

async fn delete_account(context: Context, _: Nothing) -> Result<Done, ApiError> {
    let user = touchable_account(&context).await?;
    let store = context.app.store();
    store.delete_account(&user, &context.by()).await?;
    Ok(Done)
}

async fn password_link(context: &Context, user: &UserId) -> Result<PasswordLink, ApiError> {
    let link = context
        .app
        .store()
        .create_link(&LinkPurpose::Password(user.clone()), &context.by())
        .await?;
    let base = match context.caller {
        Caller::Local { .. } => context.app.address(),
        _ => context.origin.base(),
    };
    Ok(PasswordLink {
        url: format!("{base}/admin/join#token={}", link.token),
        expires_at: link.expires_at.millis(),
    })
}

/// The requested role, if the caller may give it.
async fn grantable(context: &Context, role: &str) -> Result<RoleKey, ApiError> {
    let unknown = || ApiError::field("role", format!("There is no role `{role}` on this site."));
    let key = RoleKey::parse(role).ok_or_else(unknown)?;
    let role = context
        .app
        .store()
        .role(context.site()?, &key)
        .await
        .map_err(|error| match error {
            StoreError::NotFound { .. } => unknown(),
            other => other.into(),
        })?;
    require_standing(context, &key, &role.capabilities)?;
    Ok(key)
}

/// The person in the path, if the caller may modify them.
async fn touchable(context: &Context) -> Result<Member, ApiError> {
    let id = UserId::from(context.param("id")?.to_owned());
    let site = context.site()?;
    let member = context.app.store().member(site, &id).await?;
    let capabilities = match context.app.store().role(site, &member.role).await {
        Ok(role) => role.capabilities,
        Err(StoreError::NotFound { .. }) => CapabilitySet::default(),
        Err(error) => return Err(error.into()),
    };
    if member.user.instance_owner && !is_instance_owner(&context.caller) {
        return Err(ApiError::forbidden(
            "Only an owner of the instance can do this to another owner.",
        ));
    }
    require_standing(context, &member.role, &capabilities)?;
    Ok(member)
}

/// The person in the path, if the caller may modify their whole account and has recently proved who they are.
async fn touchable_account(context: &Context) -> Result<UserId, ApiError> {
    require_recent_proof(context)?;
    let member = touchable(context).await?;
    refuse_shared_account(context, &member.user.id).await?;
    Ok(member.user.id)
}

fn require_standing(
    context: &Context,
    role: &RoleKey,
    capabilities: &CapabilitySet,
) -> Result<(), ApiError> {
    let owner = match &context.caller {
        Caller::Local { .. } => true,
        Caller::Person(person) => person.role == "owner",
        Caller::Anonymous | Caller::Token { .. } => false,
    };
    if *role == BuiltInRole::Owner.key() && !owner {
        return Err(ApiError::forbidden(
            "Only an owner can make or change owners.",
        ));
    }
    let beyond = capabilities.beyond(&context.caller.capabilities());
    if beyond.is_empty() {
        return Ok(());
    }
    Err(ApiError::forbidden(format!(
        "The role `{role}` allows what you are not allowed to do yourself: {beyond}."
    )))
}

/// An account with roles on other sites must not be renamed, disabled or taken over by one site's administrator.
async fn refuse_shared_account(context: &Context, user: &UserId) -> Result<(), ApiError> {
    if is_instance_owner(&context.caller) || context.app.store().sites_of(user).await?.len() <= 1 {
        return Ok(());
    }
    Err(ApiError::forbidden(
        "This person also works on other sites; only an owner of the instance can change their account.",
    ))
}

fn is_instance_owner(caller: &Caller) -> bool {
    match caller {
        Caller::Local { .. } => true,
        Caller::Person(person) => person.user.instance_owner,
        Caller::Anonymous | Caller::Token { .. } => false,
    }
}

fn site_name(context: &Context) -> Result<&str, ApiError> {
    Ok(context.caller.site()?.name.as_str())
}

/// Checks a display name: not empty, one line, not too long.
pub(super) fn check_name(field: &str, name: &str) -> Result<String, ApiError> {
    let name = name.trim();
    if name.is_empty() || name.chars().count() > 100 || name.chars().any(char::is_control) {
        return Err(ApiError::field(
            field,
            "Enter a name of 1 to 100 characters on one line.",
        ));
    }
    Ok(name.to_owned())
}

pub(super) fn name_or_address(name: &str, email: &str) -> Result<String, ApiError> {
    let name = if name.trim().is_empty() {
        email.split('@').next().unwrap_or(email)
    } else {
        name
    };
    check_name("name", name)
}

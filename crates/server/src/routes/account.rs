//! A person's own account: name, password and sessions.

use std::collections::BTreeMap;

use http::Method;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sitewright_store::{SessionId, UserId};

use crate::problem::ApiError;
use crate::route::{Access, Context, Done, Json, Nothing, Route};
use crate::routes::session::Person;
use crate::routes::users::check_name;
use crate::{password, sign_in};

const PREFERENCE_NAME_MAX: usize = 50;
const PREFERENCE_MAX: usize = 200;

pub(super) fn routes() -> Vec<Route> {
    const PATH: &str = "/admin/api/account";
    vec![
        Route::new(
            Method::GET,
            PATH,
            Access::SignedIn,
            "Your account and its sessions",
            show,
        ),
        Route::new(
            Method::PATCH,
            PATH,
            Access::SignedIn,
            "Change your account",
            change,
        ),
        Route::new(
            Method::POST,
            "/admin/api/account/password",
            Access::SignedIn,
            "Change your password",
            change_password,
        ),
        Route::new(
            Method::DELETE,
            "/admin/api/account/sessions/{id}",
            Access::SignedIn,
            "End one of your sessions",
            end_session,
        ),
    ]
}

/// Your account.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Account {
    /// You.
    person: Person,
    /// When the account was made, in ms since 1970.
    created_at: i64,
    /// What the administration remembers for you, by names of its own.
    preferences: BTreeMap<String, String>,
    /// Where you are signed in, the most recently used first.
    sessions: Vec<SessionInfo>,
}

/// A place where you are signed in.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct SessionInfo {
    /// The session.
    id: String,
    /// Whether it is the one that asks.
    current: bool,
    /// When it began, in ms since 1970.
    created_at: i64,
    /// When it was last used, in ms since 1970.
    last_seen_at: i64,
    /// When it ends if it is not used, in ms since 1970.
    expires_at: i64,
    /// The browser, as it names itself.
    user_agent: String,
    /// Where it came from.
    address: String,
}

/// What to change about your account; what is left out stays.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct AccountChange {
    /// What you are called.
    name: Option<String>,
    /// What to remember, by names of at most 50 characters; null forgets. Values have at most 200 characters.
    #[serde(default)]
    preferences: BTreeMap<String, Option<String>>,
}

/// The old password and the new one.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct PasswordChange {
    /// The password you have.
    current_password: String,
    /// The password you want.
    new_password: String,
}

async fn show(context: Context, _: Nothing) -> Result<Json<Account>, ApiError> {
    let id = context.caller.person()?.user.id.clone();
    account(&context, &id).await
}

async fn change(context: Context, input: AccountChange) -> Result<Json<Account>, ApiError> {
    let id = context.caller.person()?.user.id.clone();
    if let Some(name) = input.name {
        let name = check_name("name", &name)?;
        context
            .app
            .store()
            .rename_user(&id, &name, &context.by())
            .await?;
    }
    if !input.preferences.is_empty() {
        check_preferences(&input.preferences)?;
        let store = context.app.store();
        store.set_preferences(&id, &input.preferences).await?;
    }
    account(&context, &id).await
}

fn check_preferences(values: &BTreeMap<String, Option<String>>) -> Result<(), ApiError> {
    let is_long = |text: &str, most: usize| text.chars().nth(most).is_some();
    let bad = values.iter().find(|(name, value)| {
        name.is_empty()
            || is_long(name, PREFERENCE_NAME_MAX)
            || value
                .as_deref()
                .is_some_and(|value| is_long(value, PREFERENCE_MAX))
    });
    match bad {
        Some(_) => Err(ApiError::field(
            "preferences",
            format!(
                "A preference has a name of at most {PREFERENCE_NAME_MAX} and a value of at most {PREFERENCE_MAX} characters."
            ),
        )),
        None => Ok(()),
    }
}

async fn change_password(context: Context, input: PasswordChange) -> Result<Done, ApiError> {
    let person = context.caller.person()?;
    password::check("newPassword", &input.new_password, &person.user.email)?;
    // Someone who finds an unlocked browser must not be able to guess the password without limit.
    let attempt = sign_in::Attempt::new(&person.user.email, context.origin.client);
    attempt.count(&context.app, context.now).await?;
    if !password::verify(input.current_password, person.user.password_hash.clone()).await? {
        return Err(ApiError::field(
            "currentPassword",
            "This is not your password.",
        ));
    }
    attempt.succeeded(&context.app).await?;
    let hash = password::hash(input.new_password).await?;
    context
        .app
        .store()
        .set_password(
            &person.user.id,
            &hash,
            Some(&person.session.id),
            &context.by(),
        )
        .await?;
    Ok(Done)
}

async fn end_session(context: Context, _: Nothing) -> Result<Done, ApiError> {
    let user = &context.caller.person()?.user.id;
    let session = SessionId::from(context.param("id")?.to_owned());
    context
        .app
        .store()
        .end_session(user, &session, &context.by())
        .await?;
    Ok(Done)
}

async fn account(context: &Context, id: &UserId) -> Result<Json<Account>, ApiError> {
    let current = &context.caller.person()?.session.id;
    let user = context.app.store().user(id).await?;
    let sessions = context.app.store().sessions_of(id, context.now).await?;
    let sessions = sessions.into_iter().map(|session| SessionInfo {
        current: session.id == *current,
        id: session.id.to_string(),
        created_at: session.created_at.millis(),
        last_seen_at: session.last_seen_at.millis(),
        expires_at: session.expires_at.millis(),
        user_agent: session.user_agent,
        address: session.address,
    });
    Ok(Json(Account {
        preferences: context.app.store().preferences(id).await?,
        person: Person::from(&user),
        created_at: user.created_at.millis(),
        sessions: sessions.collect(),
    }))
}

//! A person's own account: name, password and sessions.

use std::collections::BTreeMap;

use http::Method;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sitewright_store::{
    AccountNotice, NewPassword, NoticeAuthor, NoticeId, SessionId, TokensAfterPassword, UserId,
};

use crate::caller::set_cookie;
use crate::common_passwords::refuse_words;
use crate::password;
use crate::problem::ApiError;
use crate::route::{Access, Context, Done, Json, Nothing, Route, WithCookie};
use crate::routes::confirmation::check_password;
use crate::routes::passkeys::PasskeyInfo;
use crate::routes::session::Person;
use crate::routes::users::check_name;
use crate::step_up::require_recent_proof;

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
        Route::new(
            Method::POST,
            "/admin/api/account/end-everything",
            Access::SignedIn,
            "End all your sessions and tokens",
            end_everything,
        ),
        Route::new(
            Method::DELETE,
            "/admin/api/account/notices/{id}",
            Access::SignedIn,
            "Dismiss a notice about your account",
            dismiss_notice,
        ),
        Route::new(
            Method::DELETE,
            PATH,
            Access::SignedIn,
            "Delete your account",
            delete,
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
    /// The second step of signing in; absent when there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    second_factor: Option<SecondFactorInfo>,
    /// Your passkeys, the oldest first.
    passkeys: Vec<PasskeyInfo>,
    /// Changes to your account that you have not dismissed, the newest first.
    notices: Vec<Notice>,
}

/// The second step of signing in.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct SecondFactorInfo {
    /// Since when it is on, in ms since 1970.
    since: i64,
    /// How many recovery codes were not used.
    recovery_codes_left: i64,
}

/// A change to your account.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Notice {
    /// The notice.
    id: String,
    /// When it happened, in ms since 1970.
    at: i64,
    /// What happened, such as `password_changed`.
    event: String,
    /// What it was about, such as the name of a token; empty where nothing is to be said.
    about: String,
    /// Who did it.
    by: NoticeBy,
    /// The name of the person or token that did it; absent when it was you, or when they are gone.
    #[serde(skip_serializing_if = "Option::is_none")]
    by_name: Option<String>,
}

/// Who changed an account.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum NoticeBy {
    /// You yourself.
    You,
    /// Another person.
    Person,
    /// A token.
    Token,
    /// The command line.
    Machine,
}

impl From<AccountNotice> for Notice {
    fn from(notice: AccountNotice) -> Self {
        let AccountNotice {
            id,
            at,
            event,
            by,
            about,
        } = notice;
        let (by, by_name) = match by {
            NoticeAuthor::Owner => (NoticeBy::You, None),
            NoticeAuthor::Person(name) => (NoticeBy::Person, name),
            NoticeAuthor::Token(name) => (NoticeBy::Token, name),
            NoticeAuthor::Machine => (NoticeBy::Machine, None),
        };
        Self {
            id: id.to_string(),
            at: at.millis(),
            event: event.as_str().to_owned(),
            about,
            by,
            by_name,
        }
    }
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
    /// Whether your API tokens stop working, in case somebody else has one; yes when left out.
    #[serde(default = "yes")]
    end_tokens: bool,
}

fn yes() -> bool {
    true
}

/// The password, for ending everything.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct EndEverything {
    /// Your password.
    password: String,
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
    let words = [person.user.name.as_str(), person.site.name.as_str()];
    refuse_words("newPassword", &input.new_password, &words)?;
    check_password(&context, person, "currentPassword", input.current_password).await?;
    let hash = password::hash(input.new_password).await?;
    let tokens = if input.end_tokens {
        TokensAfterPassword::End
    } else {
        TokensAfterPassword::Keep
    };
    let new = NewPassword {
        user: &person.user.id,
        password_hash: &hash,
        keep: Some(&person.session.id),
        tokens,
    };
    context.app.store().set_password(new, &context.by()).await?;
    Ok(Done)
}

async fn end_everything(
    context: Context,
    input: EndEverything,
) -> Result<WithCookie<Done>, ApiError> {
    let person = context.caller.person()?;
    check_password(&context, person, "password", input.password).await?;
    let store = context.app.store();
    store.end_everything(&person.user.id, &context.by()).await?;
    signed_out(&context)
}

async fn dismiss_notice(context: Context, _: Nothing) -> Result<Done, ApiError> {
    let user = &context.caller.person()?.user.id;
    let notice = NoticeId::from(context.param("id")?.to_owned());
    context.app.store().dismiss_notice(user, &notice).await?;
    Ok(Done)
}

async fn delete(context: Context, _: Nothing) -> Result<WithCookie<Done>, ApiError> {
    let user = &context.caller.person()?.user.id;
    require_recent_proof(&context)?;
    let store = context.app.store();
    store.delete_account(user, &context.by()).await?;
    signed_out(&context)
}

fn signed_out(context: &Context) -> Result<WithCookie<Done>, ApiError> {
    let cookie = set_cookie(context.origin.transport(), None)?;
    Ok(WithCookie(Done, cookie))
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
    let store = context.app.store();
    let user = store.user(id).await?;
    let sessions = store.sessions_of(id, context.now).await?;
    let passkeys = store.passkeys_of(id).await?.into_iter();
    let notices = store.account_notices(id).await?.into_iter();
    let second_factor = store.second_factor(id).await?;
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
        second_factor: second_factor.map(|factor| SecondFactorInfo {
            since: factor.since.millis(),
            recovery_codes_left: factor.recovery_codes_left,
        }),
        passkeys: passkeys.map(PasskeyInfo::from).collect(),
        notices: notices.map(Notice::from).collect(),
        preferences: store.preferences(id).await?,
        person: Person::from(&user),
        created_at: user.created_at.millis(),
        sessions: sessions.collect(),
    }))
}

//! A person's passkeys, and signing in with one.

use http::Method;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sitewright_store::{Passkey, PasskeyId, RefusalKind};

use crate::passkeys::{self, Ceremony, CeremonyAnswer};
use crate::problem::ApiError;
use crate::route::{Access, Context, Done, Json, Nothing, Route, WithCookie};
use crate::routes::session::{self, Session};
use crate::routes::users::check_name;
use crate::step_up::require_recent_proof;

pub(super) fn routes() -> Vec<Route> {
    const ONE: &str = "/admin/api/account/passkeys/{id}";
    vec![
        Route::new(
            Method::POST,
            "/admin/api/session/passkey/start",
            Access::Public,
            "Begin to prove who you are with a passkey",
            begin_sign_in,
        ),
        Route::new(
            Method::POST,
            "/admin/api/session/passkey",
            Access::Public,
            "Sign in with a passkey",
            sign_in,
        ),
        Route::new(
            Method::POST,
            "/admin/api/account/passkeys/start",
            Access::SignedIn,
            "Begin to make a passkey",
            begin,
        ),
        Route::new(
            Method::POST,
            "/admin/api/account/passkeys",
            Access::SignedIn,
            "Add the passkey that the browser has made",
            add,
        ),
        Route::new(
            Method::PATCH,
            ONE,
            Access::SignedIn,
            "Rename a passkey",
            rename,
        ),
        Route::new(
            Method::DELETE,
            ONE,
            Access::SignedIn,
            "Remove a passkey",
            remove,
        ),
    ]
}

/// What the browser needs to ask an authenticator.
#[derive(Serialize, JsonSchema)]
struct PasskeyCeremony {
    /// Goes back with the authenticator's answer.
    ticket: String,
    /// The options of WebAuthn, as JSON.
    options: Value,
}

impl From<Ceremony> for PasskeyCeremony {
    fn from(ceremony: Ceremony) -> Self {
        let Ceremony { ticket, options } = ceremony;
        Self { ticket, options }
    }
}

/// What an authenticator answered.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct PasskeyProof {
    /// The ticket from the start.
    ticket: String,
    /// The answer of WebAuthn, as JSON.
    credential: Value,
}

impl PasskeyProof {
    pub(super) fn answer(&self) -> CeremonyAnswer<'_> {
        CeremonyAnswer {
            ticket: &self.ticket,
            credential: &self.credential,
        }
    }
}

/// A passkey that the browser has made.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct NewPasskey {
    /// The ticket from the start.
    ticket: String,
    /// The answer of WebAuthn, as JSON.
    credential: Value,
    /// What to call it.
    name: String,
}

/// A passkey's new name.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct PasskeyChange {
    /// What to call it.
    name: String,
}

/// A passkey of yours.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct PasskeyInfo {
    /// The passkey.
    id: String,
    /// What you call it.
    name: String,
    /// When it was added, in ms since 1970.
    created_at: i64,
    /// When it was last used, in ms since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    last_used_at: Option<i64>,
}

impl From<Passkey> for PasskeyInfo {
    fn from(passkey: Passkey) -> Self {
        Self {
            id: passkey.id.to_string(),
            name: passkey.name,
            created_at: passkey.created_at.millis(),
            last_used_at: passkey.last_used_at.map(|at| at.millis()),
        }
    }
}

async fn begin_sign_in(context: Context, _: Nothing) -> Result<Json<PasskeyCeremony>, ApiError> {
    Ok(Json(passkeys::begin_proof(&context)?.into()))
}

async fn sign_in(
    context: Context,
    input: PasskeyProof,
) -> Result<WithCookie<Json<Session>>, ApiError> {
    context
        .origin
        .check(&context.headers)
        .map_err(ApiError::forbidden)?;
    session::refuse_plain_http(&context)?;
    // Nobody can guess a signature, so tries are not counted by account; the pace of the route keeps a client from having us verify
    // them without limit.
    let user = match passkeys::finish_proof(&context, input.answer()).await {
        Ok(user) => user,
        Err(refused) => {
            session::note_refusal(&context, RefusalKind::SignIn, "passkey".to_owned()).await;
            return Err(refused);
        }
    };
    let user = context.app.store().user(&user).await?;
    if user.disabled {
        return Err(ApiError::forbidden(
            "This account is disabled. Ask an owner of the site.",
        ));
    }
    session::start_verified(&context, &user).await
}

async fn begin(context: Context, _: Nothing) -> Result<Json<PasskeyCeremony>, ApiError> {
    let person = context.caller.person()?;
    require_recent_proof(&context)?;
    let ceremony = passkeys::begin_registration(&context, person).await?;
    Ok(Json(ceremony.into()))
}

async fn add(context: Context, input: NewPasskey) -> Result<Json<PasskeyInfo>, ApiError> {
    let user = &context.caller.person()?.user.id;
    require_recent_proof(&context)?;
    let name = check_name("name", &input.name)?;
    let answer = CeremonyAnswer {
        ticket: &input.ticket,
        credential: &input.credential,
    };
    let id = passkeys::finish_registration(&context, user, &name, answer).await?;
    one(&context, &id).await
}

async fn rename(context: Context, input: PasskeyChange) -> Result<Json<PasskeyInfo>, ApiError> {
    let user = &context.caller.person()?.user.id;
    let name = check_name("name", &input.name)?;
    let id = PasskeyId::from(context.param("id")?.to_owned());
    context.app.store().rename_passkey(user, &id, &name).await?;
    one(&context, &id).await
}

async fn remove(context: Context, _: Nothing) -> Result<Done, ApiError> {
    let user = &context.caller.person()?.user.id;
    require_recent_proof(&context)?;
    let id = PasskeyId::from(context.param("id")?.to_owned());
    context
        .app
        .store()
        .remove_passkey(user, &id, &context.by())
        .await?;
    Ok(Done)
}

async fn one(context: &Context, id: &PasskeyId) -> Result<Json<PasskeyInfo>, ApiError> {
    let user = &context.caller.person()?.user.id;
    let all = context.app.store().passkeys_of(user).await?;
    let found = all.into_iter().find(|passkey| passkey.id == *id);
    let missing = || ApiError::not_found("There is no such passkey.");
    Ok(Json(found.ok_or_else(missing)?.into()))
}

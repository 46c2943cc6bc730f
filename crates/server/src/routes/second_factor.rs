//! Turning the second factor of one's own account on and off, and giving its code when signing in.

use http::Method;
use schemars::JsonSchema;
use secrecy::{ExposeSecret as _, SecretString};
use serde::{Deserialize, Serialize};
use sitewright_store::{NewSecondFactor, RefusalKind, UserId};

use crate::problem::ApiError;
use crate::route::{Access, Context, Done, Json, Nothing, Route, WithCookie};
use crate::routes::session::{self, SecondStepState, Session};
use crate::second_factor;
use crate::sign_in::Attempt;
use crate::step_up::require_recent_proof;
use crate::ticket::{Ticket, TicketPurpose};

pub(super) fn routes() -> Vec<Route> {
    const PATH: &str = "/admin/api/account/second-factor";
    vec![
        Route::new(
            Method::POST,
            "/admin/api/session/second-step",
            Access::Public,
            "Give the code that signing in asks for after the password",
            second_step,
        ),
        Route::new(
            Method::POST,
            "/admin/api/account/second-factor/start",
            Access::SignedIn,
            "A new secret for your authenticator app",
            begin,
        ),
        Route::new(
            Method::POST,
            PATH,
            Access::SignedIn,
            "Turn two-step sign-in on",
            turn_on,
        ),
        Route::new(
            Method::DELETE,
            PATH,
            Access::SignedIn,
            "Turn two-step sign-in off",
            turn_off,
        ),
        Route::new(
            Method::POST,
            "/admin/api/account/recovery-codes",
            Access::SignedIn,
            "Replace your recovery codes",
            replace_codes,
        ),
    ]
}

/// The second step of a sign-in.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct SecondStepCode {
    /// The ticket that the first step answered.
    ticket: String,
    /// The six digits of the authenticator app, or a recovery code.
    code: String,
}

/// A secret to put into an authenticator app.
#[derive(Serialize, JsonSchema)]
struct NewAuthenticator {
    /// Goes back with the first code.
    ticket: String,
    /// The secret, for typing.
    secret: String,
    /// The same as an address, for a QR code.
    url: String,
}

/// The first code of an authenticator app.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct FirstCode {
    /// The ticket from the start.
    ticket: String,
    /// The six digits that the app shows.
    code: String,
}

/// Codes for when the device is lost, each for one use.
#[derive(Serialize, JsonSchema)]
struct RecoveryCodes {
    /// The codes, in full for this once.
    codes: Vec<String>,
}

/// The state between showing a secret and receiving its first code.
#[derive(Serialize, Deserialize)]
struct NewSecondFactorState {
    user: UserId,
    secret: String,
}

async fn second_step(
    context: Context,
    input: SecondStepCode,
) -> Result<WithCookie<Json<Session>>, ApiError> {
    context
        .origin
        .check(&context.headers)
        .map_err(ApiError::forbidden)?;
    session::refuse_plain_http(&context)?;
    let (app, now) = (&context.app, context.now);
    let ticket: Ticket<SecondStepState> =
        Ticket::open(app, TicketPurpose::SecondStep, &input.ticket, now)?;
    let user = app.store().user(&ticket.state.user).await?;
    let attempt = Attempt::new(&user.email, context.origin.client);
    attempt.count(app, now).await?;
    second_factor::count_attempt(app, &user.id, now).await?;
    if user.disabled || !ticket.state.is_current(&user) {
        return Err(ApiError::forbidden(
            "Your account was changed in the meantime. Sign in again.",
        ));
    }
    if !second_factor::accept(app, &user.id, &input.code, now).await? {
        session::note_refusal(&context, RefusalKind::SignIn, user.email).await;
        return Err(wrong_code());
    }
    ticket.spend(app).await?;
    attempt.succeeded(app).await?;
    session::start_verified(&context, &user).await
}

async fn begin(context: Context, _: Nothing) -> Result<Json<NewAuthenticator>, ApiError> {
    let person = context.caller.person()?;
    require_recent_proof(&context)?;
    let secret = second_factor::new_secret()?;
    let url = second_factor::otpauth_url(&secret, &person.site.name, &person.user);
    let state = NewSecondFactorState {
        user: person.user.id.clone(),
        secret: secret.expose_secret().to_owned(),
    };
    let ticket = Ticket::issue(
        &context.app,
        TicketPurpose::NewSecondFactor,
        state,
        context.now,
    )?;
    Ok(Json(NewAuthenticator {
        ticket,
        secret: secret.expose_secret().to_owned(),
        url,
    }))
}

async fn turn_on(context: Context, input: FirstCode) -> Result<Json<RecoveryCodes>, ApiError> {
    let user = &context.caller.person()?.user.id;
    require_recent_proof(&context)?;
    let ticket: Ticket<NewSecondFactorState> = Ticket::open(
        &context.app,
        TicketPurpose::NewSecondFactor,
        &input.ticket,
        context.now,
    )?;
    if ticket.state.user != *user {
        return Err(ApiError::forbidden(
            "This was started from another account. Start again.",
        ));
    }
    let secret = SecretString::from(ticket.state.secret.as_str());
    let step = second_factor::step_of(&secret, &input.code, context.now)?;
    let step = step.ok_or_else(wrong_code)?;
    ticket.spend(&context.app).await?;
    let codes = second_factor::new_recovery_codes()?;
    let new = NewSecondFactor {
        user,
        secret: &secret,
        step,
        recovery_codes: &codes,
    };
    context
        .app
        .secrets()
        .put_second_factor(new, &context.by())
        .await?;
    Ok(Json(shown(&codes)))
}

async fn turn_off(context: Context, _: Nothing) -> Result<Done, ApiError> {
    let user = &context.caller.person()?.user.id;
    require_recent_proof(&context)?;
    context
        .app
        .store()
        .remove_second_factor(user, &context.by())
        .await?;
    Ok(Done)
}

async fn replace_codes(context: Context, _: Nothing) -> Result<Json<RecoveryCodes>, ApiError> {
    let user = &context.caller.person()?.user.id;
    require_recent_proof(&context)?;
    let codes = second_factor::new_recovery_codes()?;
    context
        .app
        .store()
        .replace_recovery_codes(user, &codes, &context.by())
        .await?;
    Ok(Json(shown(&codes)))
}

pub(super) fn wrong_code() -> ApiError {
    ApiError::field(
        "code",
        "That code is wrong or has already been used. Wait for a new one and try again.",
    )
}

fn shown(codes: &[SecretString]) -> RecoveryCodes {
    RecoveryCodes {
        codes: codes
            .iter()
            .map(second_factor::shown_recovery_code)
            .collect(),
    }
}

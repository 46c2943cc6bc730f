//! Proving once more who you are, for what needs a recent proof.

use http::Method;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::caller::Person;
use crate::passkeys;
use crate::password::HashClaim;
use crate::problem::ApiError;
use crate::route::{Access, Context, Done, Json, Nothing, Route};
use crate::routes::passkeys::PasskeyProof;
use crate::routes::second_factor::wrong_code;
use crate::{password, second_factor, sign_in};

pub(super) fn routes() -> Vec<Route> {
    const PATH: &str = "/admin/api/session/confirm";
    vec![
        Route::new(
            Method::GET,
            PATH,
            Access::SignedIn,
            "The ways in which you can prove who you are",
            list,
        ),
        Route::new(
            Method::POST,
            PATH,
            Access::SignedIn,
            "Prove who you are once more",
            confirm,
        ),
    ]
}

/// The ways in which you can prove who you are.
#[derive(Serialize, JsonSchema)]
struct ProofMethods {
    /// The best one first.
    methods: Vec<ProofMethod>,
}

/// A way to prove who you are.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum ProofMethod {
    /// With one of your passkeys.
    Passkey,
    /// With your password.
    Password,
    /// With a code of your authenticator app.
    Code,
}

/// A proof of who you are: one of the fields.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Proof {
    /// Your password.
    password: Option<String>,
    /// A code of your authenticator app, or a recovery code.
    code: Option<String>,
    /// The answer of one of your passkeys.
    passkey: Option<PasskeyProof>,
}

async fn list(context: Context, _: Nothing) -> Result<Json<ProofMethods>, ApiError> {
    let user = &context.caller.person()?.user.id;
    let store = context.app.store();
    let mut methods = Vec::new();
    let reachable = passkeys::unavailable(&context.app, &context.origin).is_none();
    if reachable && !store.passkeys_of(user).await?.is_empty() {
        methods.push(ProofMethod::Passkey);
    }
    methods.push(ProofMethod::Password);
    if store.second_factor(user).await?.is_some() {
        methods.push(ProofMethod::Code);
    }
    Ok(Json(ProofMethods { methods }))
}

async fn confirm(context: Context, input: Proof) -> Result<Done, ApiError> {
    let person = context.caller.person()?;
    match input {
        Proof {
            password: Some(password),
            code: None,
            passkey: None,
        } => check_password(&context, person, "password", password).await?,
        Proof {
            password: None,
            code: Some(code),
            passkey: None,
        } => check_code(&context, person, &code).await?,
        Proof {
            password: None,
            code: None,
            passkey: Some(proof),
        } => check_passkey(&context, person, &proof).await?,
        _ => {
            return Err(ApiError::invalid(
                "Give a password, a code or a passkey, and only one of them.",
            ));
        }
    }
    context
        .app
        .store()
        .mark_authenticated(&person.session.id, &context.by())
        .await?;
    Ok(Done)
}

/// Checks a person's own password. Someone who finds an unlocked browser must not be able to guess it without limit.
pub(super) async fn check_password(
    context: &Context,
    person: &Person,
    field: &str,
    password: String,
) -> Result<(), ApiError> {
    let attempt = sign_in::Attempt::new(&person.user.email, context.origin.client);
    attempt.count(&context.app, context.now).await?;
    let claim = HashClaim::take(&attempt.email, &attempt.client)?;
    let hash = person.user.password_hash.clone();
    if !password::verify(password, hash, claim).await? {
        return Err(ApiError::field(field, "That password is incorrect."));
    }
    attempt.succeeded(&context.app).await
}

async fn check_code(context: &Context, person: &Person, code: &str) -> Result<(), ApiError> {
    let user = &person.user.id;
    second_factor::count_attempt(&context.app, user, context.now).await?;
    if second_factor::accept(&context.app, user, code, context.now).await? {
        return Ok(());
    }
    Err(wrong_code())
}

async fn check_passkey(
    context: &Context,
    person: &Person,
    proof: &PasskeyProof,
) -> Result<(), ApiError> {
    let owner = passkeys::finish_proof(context, proof.answer()).await?;
    if owner == person.user.id {
        return Ok(());
    }
    Err(ApiError::forbidden(
        "This passkey belongs to another account. Choose one of yours.",
    ))
}

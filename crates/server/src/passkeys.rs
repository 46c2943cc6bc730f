//! Passkeys (WebAuthn): the ceremonies between a browser's authenticator and us. A passkey always verifies its user, by a fingerprint
//! or a PIN, so it stands for a password and a second factor.
//!
//! The relying party is the administration's own address. Without one in the settings it is `localhost`, because a passkey is bound to
//! a name and cannot be made for an IP address.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sitewright_store::{NewPasskey, Passkey, PasskeyId, Timestamp, UserId};
use url::{Host, Url};
use uuid::Uuid;
use webauthn_rs::prelude::{
    DiscoverableAuthentication, Passkey as Credential, PasskeyRegistration, PublicKeyCredential,
    RegisterPublicKeyCredential, Webauthn, WebauthnBuilder, WebauthnError,
};

use crate::App;
use crate::caller::Person;
use crate::origin::Origin;
use crate::problem::ApiError;
use crate::route::Context;
use crate::ticket::{Ticket, TicketPurpose};

/// The first half of a ceremony.
pub(crate) struct Ceremony {
    /// What the second half must come with.
    pub(crate) ticket: String,
    /// For `navigator.credentials`, as JSON.
    pub(crate) options: Value,
}

/// The state between the two halves of making a passkey.
#[derive(Serialize, Deserialize)]
struct NewPasskeyState {
    user: UserId,
    registration: PasskeyRegistration,
}

/// Why passkeys cannot be used at this address; none if they can.
pub(crate) fn unavailable(app: &App, origin: &Origin) -> Option<String> {
    relying_party_url(app, origin).err()
}

/// Begins to make a passkey for a person.
pub(crate) async fn begin_registration(
    context: &Context,
    person: &Person,
) -> Result<Ceremony, ApiError> {
    let webauthn = relying_party(context)?;
    let known = context.app.store().passkeys_of(&person.user.id).await?;
    let known: Result<Vec<Credential>, ApiError> = known.iter().map(credential).collect();
    let known = known?.iter().map(|key| key.cred_id().clone()).collect();
    let (challenge, state) = webauthn
        .start_passkey_registration(
            handle(&person.user.id)?,
            &person.user.email,
            &person.user.name,
            Some(known),
        )
        .map_err(|error| ApiError::internal(&error))?;
    let mut options =
        serde_json::to_value(&challenge.public_key).map_err(|error| ApiError::internal(&error))?;
    // People sign in without typing their address first, for which the authenticator itself must know the account.
    options["authenticatorSelection"]["residentKey"] = json!("required");
    options["authenticatorSelection"]["requireResidentKey"] = json!(true);
    let state = NewPasskeyState {
        user: person.user.id.clone(),
        registration: state,
    };
    let ticket = Ticket::issue(&context.app, TicketPurpose::NewPasskey, state, context.now)?;
    Ok(Ceremony { ticket, options })
}

/// Stores the passkey that the authenticator has made.
pub(crate) async fn finish_registration(
    context: &Context,
    user: &UserId,
    name: &str,
    answer: CeremonyAnswer<'_>,
) -> Result<PasskeyId, ApiError> {
    let webauthn = relying_party(context)?;
    let made: RegisterPublicKeyCredential = parse(answer.credential)?;
    let ticket: Ticket<NewPasskeyState> = Ticket::open(
        &context.app,
        TicketPurpose::NewPasskey,
        answer.ticket,
        context.now,
    )?;
    let state = ticket.spend(&context.app).await?;
    if state.user != *user {
        return Err(ApiError::forbidden(
            "This was started from another account. Start again.",
        ));
    }
    let made = webauthn
        .finish_passkey_registration(&made, &state.registration)
        .map_err(|error| refused(&error))?;
    let new = NewPasskey {
        user,
        credential_id: &URL_SAFE_NO_PAD.encode(made.cred_id()),
        name,
        credential: &stored(&made)?,
    };
    Ok(context.app.store().add_passkey(new, &context.by()).await?)
}

/// The second half of a ceremony, as the browser sends it.
pub(crate) struct CeremonyAnswer<'a> {
    pub(crate) ticket: &'a str,
    pub(crate) credential: &'a Value,
}

/// Begins a proof that somebody has one of their passkeys. It is the same for everyone, so it reveals no account.
pub(crate) fn begin_proof(context: &Context) -> Result<Ceremony, ApiError> {
    let webauthn = relying_party(context)?;
    let (challenge, state) = webauthn
        .start_discoverable_authentication()
        .map_err(|error| ApiError::internal(&error))?;
    let options =
        serde_json::to_value(&challenge.public_key).map_err(|error| ApiError::internal(&error))?;
    let ticket = Ticket::issue(&context.app, TicketPurpose::Passkey, state, context.now)?;
    Ok(Ceremony { ticket, options })
}

/// Whose passkey the browser has proved to have.
pub(crate) async fn finish_proof(
    context: &Context,
    answer: CeremonyAnswer<'_>,
) -> Result<UserId, ApiError> {
    let webauthn = relying_party(context)?;
    let (app, now): (&App, Timestamp) = (&context.app, context.now);
    let proof: PublicKeyCredential = parse(answer.credential)?;
    let ticket: Ticket<DiscoverableAuthentication> =
        Ticket::open(app, TicketPurpose::Passkey, answer.ticket, now)?;
    let (owner, id) = webauthn
        .identify_discoverable_authentication(&proof)
        .map_err(|error| refused(&error))?;
    let found = app.store().passkey(&URL_SAFE_NO_PAD.encode(id)).await?;
    let unknown = || ApiError::forbidden("This passkey has been removed. Sign in another way.");
    let passkey = found.ok_or_else(unknown)?;
    if handle(&passkey.user)? != owner {
        return Err(unknown());
    }
    let mut key = credential(&passkey)?;
    let state = ticket.spend(app).await?;
    let proven = webauthn
        .finish_discoverable_authentication_v2(&proof, state, &key)
        .map_err(|error| refused(&error))?;
    key.update_credential(&proven);
    app.store()
        .use_passkey(&passkey.id, &stored(&key)?, now)
        .await?;
    Ok(passkey.user)
}

fn relying_party(context: &Context) -> Result<Webauthn, ApiError> {
    let url = relying_party_url(&context.app, &context.origin).map_err(ApiError::forbidden)?;
    let domain = url.domain().unwrap_or_default();
    WebauthnBuilder::new(domain, &url)
        .and_then(|builder| builder.rp_name("Sitewright").build())
        .map_err(|error| ApiError::internal(&error))
}

/// The address that passkeys are bound to, if the request came to it; else why they cannot be used.
fn relying_party_url(app: &App, origin: &Origin) -> Result<Url, String> {
    let settings = app.settings();
    let declared = settings.admin_url.as_ref().or(settings.public_url.as_ref());
    let here = Url::parse(&origin.base()).ok();
    let here = here.filter(|url| matches!(url.host(), Some(Host::Domain(_))));
    let name = match declared {
        Some(url) => url.origin().ascii_serialization(),
        None => "localhost".to_owned(),
    };
    let fits = |url: &Url| match declared {
        Some(declared) => url.origin() == declared.origin(),
        None => url.domain() == Some("localhost"),
    };
    here.filter(fits).ok_or_else(|| {
        let advice = match declared {
            Some(_) => "open this page there",
            None => "open this page there, or set public_url",
        };
        format!("Passkeys work only at {name}; {advice}.")
    })
}

fn handle(user: &UserId) -> Result<Uuid, ApiError> {
    Uuid::parse_str(user.as_str()).map_err(|error| ApiError::internal(&error))
}

fn credential(passkey: &Passkey) -> Result<Credential, ApiError> {
    serde_json::from_str(&passkey.credential).map_err(|error| ApiError::internal(&error))
}

fn stored(credential: &Credential) -> Result<String, ApiError> {
    serde_json::to_string(credential).map_err(|error| ApiError::internal(&error))
}

fn parse<T: serde::de::DeserializeOwned>(sent: &Value) -> Result<T, ApiError> {
    serde_json::from_value(sent.clone()).map_err(|error| {
        ApiError::field(
            "credential",
            format!("This is not what an authenticator answers: {error}."),
        )
    })
}

fn refused(error: &WebauthnError) -> ApiError {
    tracing::info!(%error, "a passkey was refused");
    ApiError::forbidden("The passkey could not be verified. Try again, or sign in another way.")
}

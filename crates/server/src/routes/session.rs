//! Signing in and out, and what the shell needs to know about the current user.

use http::Method;
use http::header::USER_AGENT;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use sitewright_store::{Actor, NewSession, RefusalKind, SessionSecret, Site, User, UserId};
use sitewright_tool::CapabilitySet;

use crate::App;
use crate::caller::{Caller, dropped_cookie, person, set_cookie};
use crate::password::HashClaim;
use crate::problem::ApiError;
use crate::refusals::RefusedRequest;
use crate::route::{Access, Context, Done, Json, Nothing, Route, WithCookie};
use crate::ticket::{Ticket, TicketPurpose};
use crate::{passkeys, password, sign_in};

pub(super) fn routes() -> Vec<Route> {
    const PATH: &str = "/admin/api/session";
    vec![
        Route::new(
            Method::GET,
            PATH,
            Access::Public,
            "Who is signed in, and what they may do",
            show,
        ),
        Route::new(Method::POST, PATH, Access::Public, "Sign in", begin),
        Route::new(Method::DELETE, PATH, Access::SignedIn, "Sign out", end),
    ]
}

/// What the shell needs to know about whoever looks at it.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Session {
    /// Whether nobody has set this instance up.
    setup_required: bool,
    /// Whether somebody is signed in.
    signed_in: bool,
    /// Why signing in cannot work at this address; absent when it can.
    #[serde(skip_serializing_if = "Option::is_none")]
    sign_in_blocked: Option<String>,
    /// Who is signed in.
    #[serde(skip_serializing_if = "Option::is_none")]
    user: Option<Person>,
    /// The site they are working on.
    #[serde(skip_serializing_if = "Option::is_none")]
    site: Option<SiteRef>,
    /// The name of the site that visitors see here, once something is published; for the sign-in page.
    #[serde(skip_serializing_if = "Option::is_none")]
    public_site_name: Option<String>,
    /// The sites they may work on.
    sites: Vec<SiteRef>,
    /// Their role on the site.
    #[serde(skip_serializing_if = "Option::is_none")]
    role: Option<String>,
    /// What they may do there.
    capabilities: CapabilitySet,
    /// What a page must send as `x-csrf-token` with every change.
    #[serde(skip_serializing_if = "Option::is_none")]
    csrf_token: Option<String>,
    /// What is left to do before somebody is signed in.
    #[serde(skip_serializing_if = "Option::is_none")]
    second_step: Option<SecondStep>,
    /// Why passkeys cannot be used at this address; absent when they can.
    #[serde(skip_serializing_if = "Option::is_none")]
    passkeys_blocked: Option<String>,
    /// The version of Sitewright.
    version: String,
}

/// The password was right, and a code of the authenticator app is needed too.
#[derive(Serialize, JsonSchema)]
struct SecondStep {
    /// Goes back with the code.
    ticket: String,
}

/// The state between the two steps of a sign-in.
#[derive(Serialize, Deserialize)]
pub(super) struct SecondStepState {
    pub(super) user: UserId,
    /// A digest of the password's hash; a new password invalidates what the old one began.
    password: String,
}

impl SecondStepState {
    fn new(user: &User) -> Self {
        let hash = user.password_hash.as_deref().unwrap_or_default();
        Self {
            user: user.id.clone(),
            password: hex::encode(Sha256::digest(hash)),
        }
    }

    /// Whether the person still has the password that the first step was done with.
    pub(super) fn is_current(&self, user: &User) -> bool {
        Self::new(user).password == self.password
    }
}

/// A person.
#[derive(Serialize, JsonSchema)]
pub(super) struct Person {
    /// The person.
    id: String,
    /// Where they are reached.
    email: String,
    /// What they are called.
    name: String,
}

impl From<&User> for Person {
    fn from(user: &User) -> Self {
        Self {
            id: user.id.to_string(),
            email: user.email.clone(),
            name: user.name.clone(),
        }
    }
}

/// A site.
#[derive(Serialize, JsonSchema)]
struct SiteRef {
    /// The site.
    id: String,
    /// Its short name.
    slug: String,
    /// Its name.
    name: String,
}

impl From<&Site> for SiteRef {
    fn from(site: &Site) -> Self {
        Self {
            id: site.id.to_string(),
            slug: site.slug.clone(),
            name: site.name.clone(),
        }
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct ShowSession {
    /// `signed-in`: answer 401 with the likely reason when nobody is, as right after signing in.
    expect: Option<Expectation>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Expectation {
    SignedIn,
}

/// An address and a password.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct SignIn {
    /// The address of the account.
    email: String,
    /// Its password.
    password: String,
}

async fn show(context: Context, input: ShowSession) -> Result<Json<Session>, ApiError> {
    if matches!(
        (&input.expect, &context.caller),
        (Some(Expectation::SignedIn), Caller::Anonymous)
    ) {
        return Err(ApiError::unauthenticated(dropped_cookie(&context.origin)));
    }
    Ok(Json(describe(&context, &context.caller).await?))
}

async fn begin(context: Context, input: SignIn) -> Result<WithCookie<Json<Session>>, ApiError> {
    // Without a session there is no CSRF token to check; the origin check keeps other sites from signing a user in here.
    context
        .origin
        .check(&context.headers)
        .map_err(ApiError::forbidden)?;
    refuse_plain_http(&context)?;
    let attempt = sign_in::Attempt::new(&input.email, context.origin.client);
    if let Err(too_many) = attempt.count(&context.app, context.now).await {
        note_refusal(&context, RefusalKind::Throttle, attempt.email).await;
        return Err(too_many);
    }
    let user = context.app.store().user_by_email(&attempt.email).await?;
    let hash = user
        .as_ref()
        .filter(|user| !user.disabled)
        .and_then(|user| user.password_hash.clone());
    let claim = HashClaim::take(&attempt.email, &attempt.client)?;
    let fits = password::verify(input.password, hash, claim).await?;
    let Some(user) = user.filter(|_| fits) else {
        note_refusal(&context, RefusalKind::SignIn, attempt.email).await;
        return Err(ApiError::unauthenticated(
            "The email address or password is incorrect.",
        ));
    };
    // With a second factor the count is reset by its code: whoever has only the password must not reset it.
    if context.app.store().second_factor(&user.id).await?.is_none() {
        attempt.succeeded(&context.app).await?;
    }
    start(&context, &user).await
}

/// Records a failed sign-in to an account.
pub(super) async fn note_refusal(context: &Context, kind: RefusalKind, account: String) {
    let refused = RefusedRequest {
        kind,
        actor: Actor::Anonymous,
        site: None,
        address: context.origin.client.to_string(),
        subject: account,
    };
    let app = &context.app;
    app.refusals().note(app.store(), refused, context.now).await;
}

async fn end(context: Context, _: Nothing) -> Result<WithCookie<Done>, ApiError> {
    let person = context.caller.person()?;
    context
        .app
        .store()
        .end_session(&person.user.id, &person.session.id, &context.by())
        .await?;
    Ok(WithCookie(
        Done,
        set_cookie(context.origin.transport(), None)?,
    ))
}

pub(super) fn refuse_plain_http(context: &Context) -> Result<(), ApiError> {
    match context.origin.sign_in_blocked(&context.app.local_address()) {
        Some(reason) => Err(ApiError::forbidden(reason)),
        None => Ok(()),
    }
}

/// Starts a session for a person who has proved one factor, a password or a link; if they have a second one, asks for it instead.
pub(super) async fn start(
    context: &Context,
    user: &User,
) -> Result<WithCookie<Json<Session>>, ApiError> {
    if context.app.store().second_factor(&user.id).await?.is_none() {
        return start_verified(context, user).await;
    }
    let state = SecondStepState::new(user);
    let ticket = Ticket::issue(&context.app, TicketPurpose::SecondStep, state, context.now)?;
    let nobody = describe(context, &Caller::Anonymous).await?;
    let session = Session {
        second_step: Some(SecondStep { ticket }),
        ..nobody
    };
    let cookie = set_cookie(context.origin.transport(), None)?;
    Ok(WithCookie(Json(session), cookie))
}

/// Starts a session for a person who has proved every factor they have.
pub(super) async fn start_verified(
    context: &Context,
    user: &User,
) -> Result<WithCookie<Json<Session>>, ApiError> {
    let store = context.app.store();
    let mut sites = if user.instance_owner {
        store.sites().await?
    } else {
        store.sites_of(&user.id).await?
    };
    if sites.is_empty() {
        return Err(ApiError::forbidden(
            "You no longer have access to a site. Ask an owner to add you again.",
        ));
    }
    let site = sites.swap_remove(0);
    let agent = context
        .headers
        .get(USER_AGENT)
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default();
    let address = context.origin.client.to_string();
    let new = NewSession {
        user: &user.id,
        site: &site.id,
        user_agent: agent,
        address: &address,
    };
    let (secret, session): (SessionSecret, _) = store.create_session(new, context.now).await?;
    let caller = person(&context.app, session, None).await?;
    let cookie = set_cookie(context.origin.transport(), Some(&secret))?;
    Ok(WithCookie(Json(describe(context, &caller).await?), cookie))
}

/// The name of an unpublished site is not told to people who have not signed in.
async fn public_site_name(app: &App) -> Result<Option<String>, ApiError> {
    let Some(site) = app.store().sites().await?.into_iter().next() else {
        return Ok(None);
    };
    let is_published = app.publisher().shown(&site.id).await?.is_some();
    Ok(is_published.then_some(site.name))
}

async fn describe(context: &Context, caller: &Caller) -> Result<Session, ApiError> {
    let store = context.app.store();
    let blank = Session {
        setup_required: store.setup_required().await?,
        signed_in: false,
        sign_in_blocked: context.origin.sign_in_blocked(&context.app.local_address()),
        user: None,
        site: caller.site().ok().map(SiteRef::from),
        public_site_name: public_site_name(&context.app).await?,
        sites: Vec::new(),
        role: None,
        capabilities: caller.capabilities(),
        csrf_token: None,
        second_step: None,
        passkeys_blocked: passkeys::unavailable(&context.app, &context.origin),
        version: env!("CARGO_PKG_VERSION").to_owned(),
    };
    let Caller::Person(person) = caller else {
        return Ok(blank);
    };
    let sites = if person.user.instance_owner {
        store.sites().await?
    } else {
        store.sites_of(&person.user.id).await?
    };
    Ok(Session {
        signed_in: true,
        user: Some(Person::from(&person.user)),
        sites: sites.iter().map(SiteRef::from).collect(),
        role: Some(person.role.clone()),
        csrf_token: Some(person.session.csrf_token.clone()),
        ..blank
    })
}

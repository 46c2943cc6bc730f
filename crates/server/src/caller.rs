//! Who is calling, and what they may do. A request comes from a person (by session cookie), from a token, from this machine, or is
//! anonymous.

use http::header::{AUTHORIZATION, COOKIE};
use http::{HeaderMap, HeaderValue, Method};
use sha2::{Digest, Sha256};
use sitewright_site::Author;
use sitewright_store::{
    Actor, Committer, Session, SessionSecret, Site, SiteId, Stamp, StoreError, Timestamp, Token,
    TokenKind, TokenSecret, User, UserId,
};
use sitewright_tool::CapabilitySet;

use crate::App;
use crate::origin::{Origin, Peer, Transport};
use crate::problem::ApiError;

/// The header that the shell sends with every change.
pub(crate) const CSRF_HEADER: &str = "x-csrf-token";
/// The header that selects a site where there are several.
pub(crate) const SITE_HEADER: &str = "sitewright-site";

#[derive(Debug)]
pub(crate) enum Caller {
    Anonymous,
    /// A process that can open the data folder; may do everything.
    Local {
        site: Site,
    },
    Person(Box<Person>),
    Token {
        token: Box<Token>,
        site: Site,
        capabilities: CapabilitySet,
    },
}

/// A person who is signed in, on the site they work on.
#[derive(Debug)]
pub(crate) struct Person {
    pub(crate) user: User,
    pub(crate) session: Session,
    pub(crate) site: Site,
    pub(crate) role: String,
    pub(crate) capabilities: CapabilitySet,
}

impl Caller {
    pub(crate) fn capabilities(&self) -> CapabilitySet {
        match self {
            Self::Anonymous => CapabilitySet::default(),
            Self::Local { .. } => CapabilitySet::all(),
            Self::Person(person) => person.capabilities.clone(),
            Self::Token { capabilities, .. } => capabilities.clone(),
        }
    }

    /// The site the call is about.
    pub(crate) fn site(&self) -> Result<&Site, ApiError> {
        match self {
            Self::Anonymous => Err(not_signed_in()),
            Self::Local { site } | Self::Token { site, .. } => Ok(site),
            Self::Person(person) => Ok(&person.site),
        }
    }

    pub(crate) fn person(&self) -> Result<&Person, ApiError> {
        match self {
            Self::Person(person) => Ok(person),
            Self::Anonymous => Err(not_signed_in()),
            Self::Local { .. } | Self::Token { .. } => Err(ApiError::forbidden(
                "This is about a person's own account; sign in to use it.",
            )),
        }
    }

    /// Whether a model drives the caller.
    pub(crate) fn is_agent(&self) -> bool {
        matches!(self, Self::Token { token, .. } if token.kind == TokenKind::Agent)
    }

    /// The person who makes the call, if it is one.
    pub(crate) fn user_id(&self) -> Option<&UserId> {
        match self {
            Self::Anonymous | Self::Local { .. } => None,
            Self::Person(person) => Some(&person.user.id),
            Self::Token { token, .. } => token.maker.as_ref(),
        }
    }

    /// Identifies the sign-in or the token that calls belong to.
    pub(crate) fn session(&self) -> String {
        match self {
            Self::Person(person) => person.session.id.to_string(),
            Self::Anonymous | Self::Local { .. } | Self::Token { .. } => {
                self.by(Timestamp::from_millis(0)).actor.to_string()
            }
        }
    }

    /// The author of a change to the site, with their permissions.
    pub(crate) fn committer(&self, at: Timestamp) -> Committer {
        let author = match self {
            Self::Anonymous | Self::Local { .. } => Author::Local,
            Self::Person(person) => Author::Person {
                id: person.user.id.to_string(),
            },
            Self::Token { token, .. } => match token.kind {
                TokenKind::Script => Author::Script {
                    id: token.id.to_string(),
                },
                TokenKind::Agent => Author::Agent {
                    id: token
                        .maker
                        .as_ref()
                        .map_or_else(|| token.id.to_string(), ToString::to_string),
                },
            },
        };
        Committer::new(author, self.capabilities(), self.by(at))
    }

    pub(crate) fn by(&self, at: Timestamp) -> Stamp {
        let actor = match self {
            Self::Anonymous => Actor::Anonymous,
            Self::Local { .. } => Actor::Local,
            Self::Person(person) => Actor::User(person.user.id.clone()),
            Self::Token { token, .. } => Actor::Token(token.id.clone()),
        };
        Stamp { actor, at }
    }
}

/// The parts of a request that identify the caller.
pub(crate) struct Credentials<'a> {
    pub(crate) peer: Peer,
    pub(crate) origin: &'a Origin,
    pub(crate) method: &'a Method,
    pub(crate) headers: &'a HeaderMap,
}

/// Identifies the caller. An invalid token is an error; an expired session makes the caller anonymous.
pub(crate) async fn identify(
    app: &App,
    credentials: &Credentials<'_>,
    now: Timestamp,
) -> Result<Caller, ApiError> {
    let chosen = chosen_site(credentials.headers)?;
    if credentials.peer == Peer::Local {
        return Ok(Caller::Local {
            site: only_or_chosen(app, chosen).await?,
        });
    }
    if let Some(header) = credentials.headers.get(AUTHORIZATION) {
        return by_token(app, header, chosen, now).await;
    }
    let Some(secret) = session_cookie(credentials.headers, credentials.origin.transport()) else {
        return Ok(Caller::Anonymous);
    };
    let Some(session) = app.store().session(&secret, now).await? else {
        return Ok(Caller::Anonymous);
    };
    if !credentials.method.is_safe() {
        credentials
            .origin
            .check(credentials.headers)
            .map_err(ApiError::forbidden)?;
        check_csrf(credentials.headers, &session)?;
    }
    person(app, session, chosen).await
}

async fn by_token(
    app: &App,
    header: &HeaderValue,
    chosen: Option<&str>,
    now: Timestamp,
) -> Result<Caller, ApiError> {
    let refused = || {
        ApiError::unauthenticated(
            "The token is not valid: it was revoked, has expired, or was never made here.",
        )
    };
    let text = header.to_str().ok().and_then(|text| text.split_once(' '));
    let secret = text
        .filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"))
        .and_then(|(_, secret)| TokenSecret::from_header(secret.trim()))
        .ok_or_else(|| {
            ApiError::unauthenticated("Send the token as `Authorization: Bearer swt_…`.")
        })?;
    let token = app.store().token(&secret, now).await?.ok_or_else(refused)?;
    let site = app.store().site(&token.site).await?;
    if chosen.is_some_and(|slug| slug != site.slug) {
        return Err(ApiError::forbidden(format!(
            "This token belongs to the site `{}`.",
            site.slug
        )));
    }
    let granted = token.capabilities.within(&token.kind.capabilities_max());
    // A token never has more capabilities than its maker has at this moment.
    let capabilities = match &token.maker {
        None => granted,
        Some(maker) => {
            let user = app.store().user(maker).await?;
            if user.disabled {
                return Err(refused());
            }
            let (_, capabilities) = standing(app, &user, &site.id).await?;
            granted.within(&capabilities)
        }
    };
    Ok(Caller::Token {
        token: Box::new(token),
        site,
        capabilities,
    })
}

/// The person a session belongs to, on the selected site or else on the session's own.
pub(crate) async fn person(
    app: &App,
    session: Session,
    chosen: Option<&str>,
) -> Result<Caller, ApiError> {
    let user = app.store().user(&session.user).await?;
    if user.disabled {
        return Ok(Caller::Anonymous);
    }
    let site = match chosen {
        Some(slug) => app.store().site_by_slug(slug).await?,
        None => app.store().site(&session.site).await?,
    };
    let (role, capabilities) = standing(app, &user, &site.id).await?;
    Ok(Caller::Person(Box::new(Person {
        user,
        session,
        site,
        role,
        capabilities,
    })))
}

/// A person's role on a site and its capabilities. Without a role, or with one that no longer exists, they may do nothing there.
async fn standing(
    app: &App,
    user: &User,
    site: &SiteId,
) -> Result<(String, CapabilitySet), ApiError> {
    if user.instance_owner {
        return Ok(("owner".to_owned(), CapabilitySet::all()));
    }
    let member = match app.store().member(site, &user.id).await {
        Ok(member) => member,
        Err(StoreError::NotFound { .. }) => {
            return Err(ApiError::forbidden(
                "You have no role on this site; ask its owner to add you.",
            ));
        }
        Err(error) => return Err(error.into()),
    };
    let capabilities = match app.store().role(site, &member.role).await {
        Ok(role) => role.capabilities,
        Err(StoreError::NotFound { .. }) => CapabilitySet::default(),
        Err(error) => return Err(error.into()),
    };
    Ok((member.role.to_string(), capabilities))
}

fn chosen_site(headers: &HeaderMap) -> Result<Option<&str>, ApiError> {
    let unreadable = |_error| {
        ApiError::invalid(format!(
            "The header {SITE_HEADER} is not the short name of a site."
        ))
    };
    headers
        .get(SITE_HEADER)
        .map(|value| value.to_str().map_err(unreadable))
        .transpose()
}

async fn only_or_chosen(app: &App, chosen: Option<&str>) -> Result<Site, ApiError> {
    if let Some(slug) = chosen {
        return Ok(app.store().site_by_slug(slug).await?);
    }
    let mut sites = app.store().sites().await?;
    if sites.len() > 1 {
        let slugs: Vec<&str> = sites.iter().map(|site| site.slug.as_str()).collect();
        return Err(ApiError::invalid(format!(
            "There are several sites; choose one with --site: {}.",
            slugs.join(", ")
        )));
    }
    sites
        .pop()
        .ok_or_else(|| ApiError::not_found("There is no site."))
}

fn not_signed_in() -> ApiError {
    ApiError::unauthenticated("Sign in first, or send a token as `Authorization: Bearer swt_…`.")
}

fn check_csrf(headers: &HeaderMap, session: &Session) -> Result<(), ApiError> {
    let sent = headers
        .get(CSRF_HEADER)
        .map(HeaderValue::as_bytes)
        .unwrap_or_default();
    // Comparing hashes takes the same time wherever the texts differ.
    if Sha256::digest(sent) == Sha256::digest(session.csrf_token.as_bytes()) {
        return Ok(());
    }
    Err(ApiError::forbidden(format!(
        "The header {CSRF_HEADER} is missing or old; reload the page and try again."
    )))
}

/// The name of the session cookie. Browsers accept a `__Host-` cookie only over https, and never let another host set it.
fn cookie_name(transport: Transport) -> &'static str {
    match transport {
        Transport::Https => "__Host-sitewright",
        Transport::Loopback | Transport::Plain => "sitewright",
    }
}

fn session_cookie(headers: &HeaderMap, transport: Transport) -> Option<SessionSecret> {
    let name = cookie_name(transport);
    let pairs = headers
        .get_all(COOKIE)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(';'));
    let value = pairs
        .filter_map(|pair| pair.trim().split_once('='))
        .find(|(key, _)| *key == name)
        .map(|(_, value)| value);
    value
        .filter(|value| !value.is_empty())
        .map(SessionSecret::from_cookie)
}

/// The header that makes the browser store the session cookie; without a value, delete it.
pub(crate) fn set_cookie(
    transport: Transport,
    secret: Option<&SessionSecret>,
) -> Result<HeaderValue, ApiError> {
    let name = cookie_name(transport);
    let secure = if transport == Transport::Https {
        "; Secure"
    } else {
        ""
    };
    let (value, age) = secret.map_or(("", 0), |secret| (secret.expose(), 400 * 24 * 60 * 60));
    let text = format!("{name}={value}; Path=/; HttpOnly; SameSite=Lax; Max-Age={age}{secure}");
    HeaderValue::from_str(&text).map_err(|error| ApiError::internal(&error))
}

/// Why a browser may have dropped the cookie that it was just given.
pub(crate) fn dropped_cookie(origin: &Origin) -> String {
    let base = origin.base();
    match origin.transport() {
        Transport::Https => format!(
            "You signed in, but your browser did not keep the cookie. Sitewright believes that it is reached at {base} and marked \
             the cookie as secure: if the address in your browser does not begin with https://, correct public_url or your proxy. \
             Otherwise allow cookies for this site."
        ),
        Transport::Loopback | Transport::Plain => format!(
            "You signed in at {base}, but your browser did not keep the cookie. Allow cookies for this site and sign in again."
        ),
    }
}

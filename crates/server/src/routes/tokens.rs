//! API tokens, never with more capabilities than their maker. People see and revoke their own; those who manage users see all of the
//! site's.

use std::collections::HashMap;
use std::time::Duration;

use http::Method;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sitewright_store::{NewToken as StoredNewToken, Token, TokenId, TokenKind, UserId};
use sitewright_tool::{Capability, CapabilitySet};

use crate::caller::Caller;
use crate::problem::ApiError;
use crate::route::{Access, Context, Done, Json, Nothing, Route};
use crate::routes::users::check_name;
use crate::step_up::require_recent_proof;

const DEFAULT_DAYS: u32 = 90;

pub(super) fn routes() -> Vec<Route> {
    const PATH: &str = "/admin/api/tokens";
    vec![
        Route::new(
            Method::GET,
            PATH,
            Access::SignedIn,
            "Your tokens; all of the site's for those who manage users",
            list,
        ),
        Route::new(Method::POST, PATH, Access::SignedIn, "Make a token", create),
        Route::new(
            Method::DELETE,
            "/admin/api/tokens/{id}",
            Access::SignedIn,
            "Revoke a token",
            revoke,
        ),
    ]
}

/// Tokens, the newest first.
#[derive(Serialize, JsonSchema)]
struct Tokens {
    /// The tokens.
    tokens: Vec<TokenInfo>,
    /// What a token that you make can allow, by its kind.
    grantable: Grantable,
}

/// What a new token can allow at most.
#[derive(Serialize, JsonSchema)]
struct Grantable {
    /// One for a program written by people.
    script: CapabilitySet,
    /// One for a model.
    agent: CapabilitySet,
}

impl Grantable {
    fn by(maker: &Caller) -> Self {
        let within = |kind: TokenKind| maker.capabilities().within(&kind.capabilities_max());
        Self {
            script: within(TokenKind::Script),
            agent: within(TokenKind::Agent),
        }
    }
}

/// A token without its secret.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct TokenInfo {
    /// The token.
    id: String,
    /// What its maker calls it.
    name: String,
    /// Who drives its holder.
    kind: Kind,
    /// What it allows at most.
    capabilities: CapabilitySet,
    /// When it was made, in ms since 1970.
    created_at: i64,
    /// When it stops working, in ms since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    expires_at: Option<i64>,
    /// When it was last used, in ms since 1970, to an hour.
    #[serde(skip_serializing_if = "Option::is_none")]
    last_used_at: Option<i64>,
    /// Who made it.
    created_by: String,
}

/// Who drives the holder of a token.
#[derive(Clone, Copy, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Kind {
    /// A program written by people.
    Script,
    /// A model, whose confirmations count for nothing.
    Agent,
}

impl From<TokenKind> for Kind {
    fn from(kind: TokenKind) -> Self {
        match kind {
            TokenKind::Script => Self::Script,
            TokenKind::Agent => Self::Agent,
        }
    }
}

/// A token to be made.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct NewToken {
    /// What to call it.
    name: String,
    /// Who drives its holder.
    kind: Kind,
    /// What it allows: capabilities, groups such as `site.*`, or `all` for everything you may do.
    capabilities: Vec<String>,
    /// After how many days it stops working; 90 when left out.
    expires_in_days: Option<u32>,
    /// Whether it works until it is revoked; only for scripts.
    #[serde(default)]
    never_expires: bool,
}

/// A new token, in full for this once.
#[derive(Serialize, JsonSchema)]
struct CreatedToken {
    /// The token: `swt_…`.
    token: String,
    /// What it is.
    info: TokenInfo,
}

async fn list(context: Context, _: Nothing) -> Result<Json<Tokens>, ApiError> {
    let tokens = context
        .app
        .store()
        .tokens(context.site()?, mine_only(&context)?)
        .await?;
    let mut names = HashMap::new();
    for member in context.app.store().members(context.site()?).await? {
        names.insert(member.user.id, member.user.name);
    }
    let tokens = tokens
        .into_iter()
        .map(|token| info(token, &names))
        .collect();
    let grantable = Grantable::by(&context.caller);
    Ok(Json(Tokens { tokens, grantable }))
}

async fn create(context: Context, input: NewToken) -> Result<Json<CreatedToken>, ApiError> {
    require_recent_proof(&context)?;
    let name = check_name("name", &input.name)?;
    let kind = match input.kind {
        Kind::Script => TokenKind::Script,
        Kind::Agent => TokenKind::Agent,
    };
    let mine = context
        .caller
        .capabilities()
        .within(&kind.capabilities_max());
    let capabilities = CapabilitySet::parse(&input.capabilities, &mine)
        .map_err(|error| ApiError::field("capabilities", format!("{error}.")))?;
    if capabilities.is_empty() {
        return Err(ApiError::field(
            "capabilities",
            "Choose at least one capability that you have and that a token of this kind may allow, or `all` for all of them.",
        ));
    }
    let beyond = capabilities.beyond(&mine);
    if kind == TokenKind::Agent {
        let kept = beyond.beyond(&CapabilitySet::for_agents());
        if !kept.is_empty() {
            return Err(ApiError::forbidden(format!(
                "An agent's token never allows this: {kept}. Use a script's token for it."
            )));
        }
    }
    if !beyond.is_empty() {
        return Err(ApiError::forbidden(format!(
            "A token cannot allow what you are not allowed to do yourself: {beyond}."
        )));
    }
    let lifetime = lifetime(&input)?;
    let parent = match &context.caller {
        Caller::Token { token, .. } => Some(&**token),
        Caller::Anonymous | Caller::Local { .. } | Caller::Person(_) => None,
    };
    let asked = lifetime.map(|lifetime| context.now.after(lifetime));
    let new = StoredNewToken {
        site: context.site()?,
        name: &name,
        kind,
        capabilities,
        maker: context.caller.user_id(),
        parent: parent.map(|parent| &parent.id),
        // A token never outlives the token it was made with.
        expires_at: asked
            .into_iter()
            .chain(parent.and_then(|parent| parent.expires_at))
            .min(),
    };
    let (secret, token) = context.app.store().create_token(new, &context.by()).await?;
    let mut names = HashMap::new();
    if let Some(maker) = &token.maker {
        names.insert(maker.clone(), context.app.store().user(maker).await?.name);
    }
    Ok(Json(CreatedToken {
        token: secret.expose().to_owned(),
        info: info(token, &names),
    }))
}

/// How long a new token works; none for one that works until it is revoked.
fn lifetime(input: &NewToken) -> Result<Option<Duration>, ApiError> {
    let days = match (input.expires_in_days, input.never_expires, input.kind) {
        (None, false, _) => DEFAULT_DAYS,
        (Some(0), _, _) => {
            return Err(ApiError::field(
                "expiresInDays",
                "A token must work for at least a day.",
            ));
        }
        (Some(days), false, _) => days,
        (None, true, Kind::Script) => return Ok(None),
        (None, true, Kind::Agent) => {
            return Err(ApiError::field(
                "neverExpires",
                "A token for an agent must expire.",
            ));
        }
        (Some(_), true, _) => {
            return Err(ApiError::field(
                "neverExpires",
                "Give a number of days or let it never expire, not both.",
            ));
        }
    };
    Ok(Some(Duration::from_secs(u64::from(days) * 24 * 60 * 60)))
}

async fn revoke(context: Context, _: Nothing) -> Result<Done, ApiError> {
    let id = TokenId::from(context.param("id")?.to_owned());
    context
        .app
        .store()
        .revoke_token(context.site()?, &id, mine_only(&context)?, &context.by())
        .await?;
    Ok(Done)
}

/// Whose tokens the caller may see: `None` for everyone's, else one person's.
fn mine_only(context: &Context) -> Result<Option<&UserId>, ApiError> {
    if context.caller.capabilities().has(Capability::UsersManage) {
        return Ok(None);
    }
    let nobody = || {
        ApiError::forbidden(
            "This token was made on the machine itself and has no tokens of its own to see.",
        )
    };
    context.caller.user_id().map(Some).ok_or_else(nobody)
}

fn info(token: Token, names: &HashMap<UserId, String>) -> TokenInfo {
    let created_by = match &token.maker {
        Some(maker) => names
            .get(maker)
            .cloned()
            .unwrap_or_else(|| "Someone who left".to_owned()),
        None => "The command line".to_owned(),
    };
    TokenInfo {
        id: token.id.to_string(),
        name: token.name,
        kind: token.kind.into(),
        capabilities: token.capabilities,
        created_at: token.created_at.millis(),
        expires_at: token.expires_at.map(|at| at.millis()),
        last_used_at: token.last_used_at.map(|at| at.millis()),
        created_by,
    }
}

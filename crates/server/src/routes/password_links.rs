//! Choosing a password with a link, after an invitation or when it was forgotten.

use http::Method;
use schemars::JsonSchema;
use serde::Deserialize;
use sitewright_store::StoreError;

use crate::common_passwords::refuse_words;
use crate::password;
use crate::problem::ApiError;
use crate::route::{Access, Context, Json, Route, WithCookie};
use crate::routes::session::{self, Session};

pub(super) fn routes() -> Vec<Route> {
    let path = "/admin/api/password-links/redeem";
    vec![Route::new(
        Method::POST,
        path,
        Access::Public,
        "Choose a password with a link",
        redeem,
    )]
}

/// A link and the password chosen with it.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct RedeemPasswordLink {
    /// What the link carries.
    token: String,
    /// The new password.
    password: String,
}

async fn redeem(
    context: Context,
    input: RedeemPasswordLink,
) -> Result<WithCookie<Json<Session>>, ApiError> {
    context
        .origin
        .check(&context.headers)
        .map_err(ApiError::forbidden)?;
    session::refuse_plain_http(&context)?;
    let spent = |error| match error {
        StoreError::Refused { rule } => ApiError::forbidden(rule),
        other => other.into(),
    };
    let store = context.app.store();
    // Before the password is hashed: a stranger without a link must not cost 20 MB and a core.
    let owner = store
        .password_link_owner(&input.token, context.now)
        .await
        .map_err(spent)?;
    let owner = store.user(&owner).await?;
    password::check("password", &input.password, &owner.email)?;
    let sites = store.sites_of(&owner.id).await?;
    let names = sites.iter().map(|site| site.name.as_str());
    let words: Vec<&str> = names.chain([owner.name.as_str()]).collect();
    refuse_words("password", &input.password, &words)?;
    let hash = password::hash(input.password).await?;
    let user = store
        .redeem_password_link(&input.token, &hash, context.now)
        .await
        .map_err(spent)?;
    let user = store.user(&user).await?;
    if user.disabled {
        return Err(ApiError::forbidden(
            "This account is disabled. Ask an owner of the site.",
        ));
    }
    session::start(&context, &user).await
}

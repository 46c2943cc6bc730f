//! Choosing a password with a link, after an invitation or when it was forgotten.

use http::Method;
use schemars::JsonSchema;
use serde::Deserialize;
use sitewright_store::StoreError;

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
    password::check("password", &input.password, "")?;
    let hash = password::hash(input.password).await?;
    let redeemed = context
        .app
        .store()
        .redeem_password_link(&input.token, &hash, context.now)
        .await;
    let user = redeemed.map_err(|error| match error {
        StoreError::Refused { rule } => ApiError::forbidden(rule),
        other => other.into(),
    })?;
    let user = context.app.store().user(&user).await?;
    if user.disabled {
        return Err(ApiError::forbidden(
            "This account is disabled; ask an owner of the site.",
        ));
    }
    session::start(&context, &user).await
}

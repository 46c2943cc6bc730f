//! Creating the first account, by the one-time link or on this machine.

use http::Method;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sitewright_store::{NewOwner, User};

use crate::common_passwords::refuse_words;
use crate::problem::ApiError;
use crate::route::{Access, Context, Json, Nothing, Route, WithCookie};
use crate::routes::session::{self, Person, Session};
use crate::routes::users::{check_name, name_or_address};
use crate::settings::FirstSite;
use crate::{example, password, sign_in};

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::new(
            Method::POST,
            "/admin/api/setup",
            Access::Public,
            "Make the first account with the one-time link",
            by_link,
        ),
        Route::new(
            Method::POST,
            "/admin/api/setup/local",
            Access::Local,
            "Make the first account from the command line",
            locally,
        ),
        Route::new(
            Method::POST,
            "/admin/api/setup/link",
            Access::Local,
            "Make a one-time link for setting up",
            make_link,
        ),
    ]
}

/// The first account and the first site.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Setup {
    /// What the one-time link carries.
    token: String,
    /// Where the owner is reached.
    email: String,
    /// What they are called; the part before the @ when left out.
    #[serde(default)]
    name: String,
    /// Their password.
    password: String,
    /// What the site is called.
    #[serde(default = "unnamed")]
    site_name: String,
    /// What the site has at first; as the settings say when left out.
    first_site: Option<FirstSite>,
}

/// The first account and the first site.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Owner {
    /// Where the owner is reached.
    email: String,
    /// What they are called; the part before the @ when left out.
    #[serde(default)]
    name: String,
    /// Their password.
    password: String,
    /// What the site is called.
    #[serde(default = "unnamed")]
    site_name: String,
    /// What the site has at first; as the settings say when left out.
    first_site: Option<FirstSite>,
}

fn unnamed() -> String {
    "My site".to_owned()
}

/// Who owns the instance now.
#[derive(Serialize, JsonSchema)]
struct SetUp {
    /// The owner.
    user: Person,
}

/// A one-time link.
#[derive(Serialize, JsonSchema)]
struct SetupLink {
    /// The address to open in a browser.
    url: String,
}

async fn by_link(context: Context, input: Setup) -> Result<WithCookie<Json<Session>>, ApiError> {
    context
        .origin
        .check(&context.headers)
        .map_err(ApiError::forbidden)?;
    session::refuse_plain_http(&context)?;
    let Setup {
        token,
        email,
        name,
        password,
        site_name,
        first_site,
    } = input;
    if !context.app.store().setup_required().await? {
        return Err(ApiError::forbidden(
            "This instance is already set up; sign in instead.",
        ));
    }
    if !context
        .app
        .store()
        .setup_link_works(&token, context.now)
        .await?
    {
        let detail = "This set-up link has expired or is not complete. Run `sitewright setup --link` on the server for a new one.";
        return Err(ApiError::forbidden(detail));
    }
    let user = create(
        &context,
        Owner {
            email,
            name,
            password,
            site_name,
            first_site,
        },
    )
    .await?;
    session::start(&context, &user).await
}

async fn locally(context: Context, input: Owner) -> Result<Json<SetUp>, ApiError> {
    let user = create(&context, input).await?;
    Ok(Json(SetUp {
        user: Person::from(&user),
    }))
}

async fn create(context: &Context, owner: Owner) -> Result<User, ApiError> {
    let email = sign_in::parse_email(&owner.email)?;
    let name = name_or_address(&owner.name, &email)?;
    let site_name = check_name("siteName", &owner.site_name)?;
    password::check("password", &owner.password, &email)?;
    refuse_words("password", &owner.password, &[&name, &site_name])?;
    let password_hash = password::hash(owner.password).await?;
    let new = NewOwner {
        email: &email,
        name: &name,
        password_hash: &password_hash,
        site_name: &site_name,
    };
    let user = context.app.store().set_up(new, &context.by()).await?;
    let first = owner.first_site;
    let first = first.unwrap_or(context.app.settings().first_site);
    if let Err(error) = example::begin(&context.app, &site_name, first, &context.by()).await {
        // The account exists; an empty site is a usable start as well.
        let error = &error as &dyn std::error::Error;
        tracing::error!(error, "the first site could not be begun");
    }
    Ok(user)
}

async fn make_link(context: Context, _: Nothing) -> Result<Json<SetupLink>, ApiError> {
    let url = context.app.setup_link().await?;
    let done = || {
        ApiError::new(
            sitewright_tool::ErrorCode::Conflict,
            "This instance is already set up; sign in instead.",
        )
    };
    Ok(Json(SetupLink {
        url: url.ok_or_else(done)?,
    }))
}

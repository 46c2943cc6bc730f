//! The first account.

use std::io::Read as _;

use anyhow::{Context as _, Result};
use serde_json::json;

use crate::api::Api;
use crate::arguments::{Setup, Starter};
use crate::output;

pub(crate) async fn run(api: &Api, setup: Setup, as_json: bool) -> Result<()> {
    let Some(email) = setup.email else {
        let link = api.post("/admin/api/setup/link", json!({})).await?;
        return output::result(as_json, &link, |link| output::text(link, "url"));
    };
    let mut body = json!({ "email": email, "password": read_password()? });
    if let Some(name) = setup.name {
        body["name"] = json!(name);
    }
    if let Some(site_name) = setup.site_name {
        body["siteName"] = json!(site_name);
    }
    let starter = setup.starter.or(setup.empty.then_some(Starter::Empty));
    if let Some(starter) = starter {
        body["firstSite"] = json!(starter.key());
    }
    let done = api.post("/admin/api/setup/local", body).await?;
    output::result(as_json, &done, |done| {
        format!(
            "{} is now the owner of this instance.",
            output::text(&done["user"], "email")
        )
    })
}

/// Reads a password from standard input.
pub(crate) fn read_password() -> Result<String> {
    read_secret("password")
}

/// Reads a secret from standard input, without the line break.
pub(crate) fn read_secret(what: &str) -> Result<String> {
    let mut secret = String::new();
    std::io::stdin()
        .take(64 * 1024)
        .read_to_string(&mut secret)
        .with_context(|| format!("the {what} could not be read from standard input"))?;
    Ok(secret.trim_end_matches(['\r', '\n']).to_owned())
}

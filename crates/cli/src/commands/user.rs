//! The people of the site.

use anyhow::Result;
use serde_json::{Value, json};
use sitewright_tool::ErrorCode;

use crate::api::{Api, Refusal};
use crate::arguments::User;
use crate::commands::setup::read_password;
use crate::output::{self, table, text};

const USERS: &str = "/admin/api/users";

pub(crate) async fn run(api: &Api, command: User, as_json: bool) -> Result<()> {
    match command {
        User::List => {
            let users = api.get(USERS).await?;
            output::result(as_json, &users["users"], list)
        }
        User::Add {
            email,
            role,
            name,
            password_stdin,
        } => {
            let mut body = json!({ "email": email, "role": role });
            if let Some(name) = name {
                body["name"] = json!(name);
            }
            if password_stdin {
                body["password"] = json!(read_password()?);
            }
            let invited = api.post(USERS, body).await?;
            output::result(as_json, &invited, |invited| invitation(&email, invited))
        }
        User::Role { email, role } => {
            let user = change(api, &email, json!({ "role": role })).await?;
            output::result(as_json, &user, |user| {
                format!("{email} is now {}.", text(user, "role"))
            })
        }
        User::Disable { email } => {
            let user = change(api, &email, json!({ "disabled": true })).await?;
            output::result(as_json, &user, |_| {
                format!("{email} can no longer sign in.")
            })
        }
        User::Enable { email } => {
            let user = change(api, &email, json!({ "disabled": false })).await?;
            output::result(as_json, &user, |_| format!("{email} can sign in again."))
        }
        User::PasswordLink { email } => {
            let path = format!("{}/password-link", one(api, &email).await?);
            let link = api.post(&path, json!({})).await?;
            output::result(as_json, &link, |link| text(link, "url"))
        }
        User::Remove { email } => {
            api.delete(&one(api, &email).await?).await?;
            output::result(as_json, &json!({ "removed": email }), |_| {
                format!("{email} was removed from this site.")
            })
        }
        User::EndSessions { email } => {
            delete_part(api, &email, "sessions").await?;
            output::result(as_json, &json!({ "signedOut": email }), |_| {
                format!("{email} is signed out everywhere.")
            })
        }
        User::ResetSecondFactor { email } => {
            delete_part(api, &email, "second-factor").await?;
            output::result(as_json, &json!({ "reset": email }), |_| {
                format!("Two-step sign-in is off for {email}.")
            })
        }
        User::Delete { email } => {
            delete_part(api, &email, "account").await?;
            output::result(as_json, &json!({ "deleted": email }), |_| {
                format!("The account {email} was deleted.")
            })
        }
    }
}

fn invitation(email: &str, invited: &Value) -> String {
    match invited["link"]["url"].as_str() {
        Some(url) => format!("Send this link to {email}. It works once, within a week:\n{url}"),
        None => format!("{email} can sign in now."),
    }
}

/// Deletes something that belongs to a person.
async fn delete_part(api: &Api, email: &str, part: &str) -> Result<Value> {
    let person = one(api, email).await?;
    api.delete(&format!("{person}/{part}")).await
}

async fn change(api: &Api, email: &str, change: Value) -> Result<Value> {
    api.patch(&one(api, email).await?, change).await
}

/// The API path of a person.
async fn one(api: &Api, email: &str) -> Result<String> {
    let users = api.get(USERS).await?;
    let mut found = users["users"].as_array().into_iter().flatten();
    let user = found.find(|user| text(user, "email").eq_ignore_ascii_case(email));
    let nobody = || {
        let detail = format!("no one on this site has the email address {email}");
        Refusal::new(ErrorCode::NotFound, detail)
    };
    let id = user
        .and_then(|user| user["id"].as_str())
        .ok_or_else(nobody)?;
    Ok(format!("{USERS}/{id}"))
}

fn list(users: &Value) -> String {
    let state = |user: &Value| {
        let state = if user["disabled"] == true {
            "disabled"
        } else if user["invited"] == true {
            "invited"
        } else {
            "active"
        };
        state.to_owned()
    };
    let rows: Vec<Vec<String>> = users
        .as_array()
        .into_iter()
        .flatten()
        .map(|user| {
            vec![
                text(user, "email"),
                text(user, "name"),
                text(user, "role"),
                state(user),
            ]
        })
        .collect();
    table(&["EMAIL", "NAME", "ROLE", "STATE"], &rows)
}

//! API tokens.

use anyhow::Result;
use serde_json::{Value, json};

use crate::api::Api;
use crate::arguments::{Token, TokenKind};
use crate::output::{self, table, text};

const TOKENS: &str = "/admin/api/tokens";

pub(crate) async fn run(api: &Api, command: Token, as_json: bool) -> Result<()> {
    match command {
        Token::Create {
            name,
            capabilities,
            kind,
            expires_in_days,
            never_expires,
        } => {
            let kind = match kind {
                TokenKind::Script => "script",
                TokenKind::Agent => "agent",
            };
            let mut body = json!({ "name": name, "kind": kind, "capabilities": capabilities });
            if let Some(days) = expires_in_days {
                body["expiresInDays"] = json!(days);
            }
            if never_expires {
                body["neverExpires"] = json!(true);
            }
            let created = api.post(TOKENS, body).await?;
            output::result(as_json, &created, |created| {
                let limits = text(&created["info"], "capabilities");
                format!(
                    "{}\nKeep it safe: you won't see it again. It allows {limits}.",
                    text(created, "token")
                )
            })
        }
        Token::List => {
            let tokens = api.get(TOKENS).await?;
            output::result(as_json, &tokens["tokens"], list)
        }
        Token::Revoke { id } => {
            api.delete(&format!("{TOKENS}/{id}")).await?;
            output::result(as_json, &json!({ "revoked": id }), |_| {
                "Token revoked.".to_owned()
            })
        }
    }
}

fn list(tokens: &Value) -> String {
    let row = |token: &Value| {
        vec![
            text(token, "id"),
            text(token, "name"),
            text(token, "kind"),
            text(token, "createdBy"),
        ]
    };
    let rows: Vec<Vec<String>> = tokens.as_array().into_iter().flatten().map(row).collect();
    table(&["ID", "NAME", "KIND", "MADE BY"], &rows)
}

//! Access to model providers.

use anyhow::Result;
use serde_json::{Value, json};

use crate::api::{Api, Refusal};
use crate::arguments::Credential;
use crate::commands::setup::read_secret;
use crate::output::{self, table, text};

const CREDENTIALS: &str = "/admin/api/ai/credentials";

pub(crate) async fn run(api: &Api, command: Credential, as_json: bool) -> Result<()> {
    match command {
        Credential::Add {
            provider,
            label,
            base_url,
            api_key_stdin,
        } => {
            let mut body = json!({ "providerId": provider, "label": label });
            if let Some(base_url) = base_url {
                body["baseUrl"] = json!(base_url);
            }
            if api_key_stdin {
                body["apiKey"] = json!(read_secret("key")?);
            }
            let added = api.post(CREDENTIALS, body).await?;
            output::result(as_json, &added, |added| {
                let scopes = scopes(added);
                let begins = match scopes.is_empty() {
                    true => "It is not a default.".to_owned(),
                    false => format!("It is the default for {scopes}."),
                };
                format!("{}\n{begins}", text(added, "id"))
            })
        }
        Credential::List => {
            let credentials = api.get(CREDENTIALS).await?;
            output::result(as_json, &credentials["credentials"], list)
        }
        Credential::Test { id } => {
            let path = format!("{CREDENTIALS}/{id}/test");
            let tested = api.post(&path, json!({})).await?;
            if tested["ok"] == true {
                return output::result(as_json, &tested, |tested| text(tested, "message"));
            }
            let (code, detail) = (text(&tested, "code"), text(&tested, "message"));
            let body = tested;
            Err(Refusal { code, detail, body }.into())
        }
        Credential::Remove { id } => {
            api.delete(&format!("{CREDENTIALS}/{id}")).await?;
            output::result(as_json, &json!({ "removed": id }), |_| {
                "Credential deleted, with its key.".to_owned()
            })
        }
    }
}

fn scopes(credential: &Value) -> String {
    let scopes = credential["defaultFor"].as_array().into_iter().flatten();
    let scopes: Vec<&str> = scopes.filter_map(Value::as_str).collect();
    scopes.join(", ")
}

fn list(credentials: &Value) -> String {
    let row = |credential: &Value| {
        vec![
            text(credential, "id"),
            text(credential, "label"),
            text(credential, "providerId"),
            scopes(credential),
        ]
    };
    let rows = credentials.as_array().into_iter().flatten();
    let rows: Vec<Vec<String>> = rows.map(row).collect();
    table(&["ID", "LABEL", "PROVIDER", "DEFAULT FOR"], &rows)
}

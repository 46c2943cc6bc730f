//! The secret key of an instance.

use anyhow::Result;
use serde_json::{Value, json};
use sitewright_server::{Folder, rotate_secret_key};
use sitewright_tool::ErrorCode;

use crate::api::{Refusal, settings, take_folder};
use crate::arguments::{Key, Target};
use crate::commands::setup::read_secret;
use crate::output::{self, text};

pub(crate) async fn run(target: &Target, command: Key, as_json: bool) -> Result<()> {
    let Key::Rotate { key_stdin } = command;
    if target.server.is_some() {
        let detail = "The key can only be rotated on the server's own machine, without --server.";
        return Err(Refusal::new(ErrorCode::InvalidInput, detail.to_owned()).into());
    }
    let settings = settings(target, None)?;
    let folder = settings.data.display().to_string();
    if !settings.data.join("sitewright.lock").exists() {
        let detail = format!("There is no Sitewright in {folder}. Check --data.");
        return Err(Refusal::new(ErrorCode::NotFound, detail).into());
    }
    let next = match key_stdin {
        true => Some(read_secret("key")?),
        false => None,
    };
    let is_setting = next.is_some();
    let _lock = match take_folder(&settings.data).await? {
        Folder::Ours(lock) => lock,
        Folder::Served(_) => {
            let detail = format!("A server is using {folder}. Stop it, then rotate the key.");
            return Err(Refusal::new(ErrorCode::Conflict, detail).into());
        }
    };
    let rotated = rotate_secret_key(&settings, next).await?;
    let result = json!({ "fingerprint": rotated.fingerprint, "secrets": rotated.secrets });
    output::result(as_json, &result, |result| sentence(result, is_setting))
}

fn sentence(result: &Value, is_setting: bool) -> String {
    let advice = if is_setting {
        "Start every server with the new key."
    } else {
        "Back up the new secret.key and destroy copies of the old one."
    };
    format!(
        "The key is now {}. Re-encrypted secrets: {}. {advice}",
        text(result, "fingerprint"),
        result["secrets"]
    )
}

//! Replacing the secret key of an instance that no server is using.

use secrecy::SecretString;
use sitewright_store::{KeyRotation, NextKey, Secrets, Stamp, Store, Timestamp};

use crate::{Settings, StartError};

/// Encrypts every secret again with another key: a random one where the key is a file, or `next` where it is a setting. The caller
/// holds the lock of the data folder.
pub async fn rotate_secret_key(
    settings: &Settings,
    next: Option<String>,
) -> Result<KeyRotation, StartError> {
    let store = Store::open(&settings.database()).await?;
    let next = match next {
        Some(key) => NextKey::Given(SecretString::from(key)),
        None => NextKey::Random,
    };
    let by = Stamp::local(Timestamp::now());
    let rotated = Secrets::rotate_key(&store, &settings.key_source(), next, &by).await;
    store.close().await;
    Ok(rotated?)
}

//! Replacing the instance's key: every secret is decrypted with the old key and encrypted with the new one in one transaction.
//!
//! With a key file, the new key is first written beside it as `secret.key.next`, and takes its place after the commit. The database
//! says which of the two is current, by its fingerprint, so a process that dies at any instant leaves a key that fits: before the
//! commit the old file, after it the one beside it, which [`current_key`] then moves into place.

use std::path::{Path, PathBuf};

use secrecy::{ExposeSecret, SecretString};
use serde_json::json;
use sqlx::Row;

use crate::audit::{Record, Stamp};
use crate::database::Write;
use crate::secrets::{AUDIT_KEY, FINGERPRINT, SecretKey, read_key, rename_durably, write_key};
use crate::{CredentialId, KeySource, Secrets, SiteId, Store, StoreError, UserId};
use crate::{credentials, openapi_documents, registered_tools};

/// The key to change to.
#[derive(Debug)]
pub enum NextKey {
    /// A random one, for an instance whose key is in a file.
    Random,
    /// This one, for an instance whose key is in the settings, as 64 hexadecimal digits.
    Given(SecretString),
}

/// What a rotation did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyRotation {
    /// The fingerprint of the new key.
    pub fingerprint: String,
    /// How many secrets were encrypted again.
    pub secrets: usize,
}

/// Tells how far a rotation has come; tests listen to it and die there.
macro_rules! stage {
    ($name:literal) => {
        tracing::debug!(target: "sitewright::key", stage = $name, "rotating the secret key")
    };
}

impl Secrets {
    /// Replaces the instance's key. No other process may be using the instance: it could not read secrets any more. Tokens that were
    /// sealed with the old key, such as links to previews, stop working.
    pub async fn rotate_key(
        store: &Store,
        source: &KeySource,
        next: NextKey,
        by: &Stamp,
    ) -> Result<KeyRotation, StoreError> {
        let old = Self::open(store, source).await?;
        let (key, file) = match (source, next) {
            (KeySource::File(path), NextKey::Random) => (SecretKey::random()?, Some(path)),
            (KeySource::Given(_), NextKey::Given(text)) => {
                (SecretKey::parse(text.expose_secret(), "the new key")?, None)
            }
            (KeySource::File(_), NextKey::Given(_)) => {
                return Err(StoreError::Refused {
                    rule: "The key of this instance is in a file; a new one is made for it.",
                });
            }
            (KeySource::Given(_), NextKey::Random) => {
                return Err(StoreError::Refused {
                    rule: "The key of this instance is in its settings; give the new one.",
                });
            }
        };
        if let Some(path) = file {
            write_key(&beside(path), &key)?;
        }
        stage!("key written");
        let new = old.with_key(&key)?;
        let fingerprint = key.fingerprint();
        let mut write = store.write().await?;
        // Writing the row first locks it, so that a node that stores a secret meanwhile waits and then sees the new fingerprint.
        sqlx::query("UPDATE instance SET value = $1 WHERE name = $2")
            .bind(&fingerprint)
            .bind(FINGERPRINT)
            .execute(&mut *write)
            .await?;
        sqlx::query("UPDATE instance SET value = $1 WHERE name = $2")
            .bind(new.seal_audit_key()?)
            .bind(AUDIT_KEY)
            .execute(&mut *write)
            .await?;
        let secrets = encrypt_again(&mut write, &old, &new).await?;
        Record::of("instance.key_rotated")
            .with(json!({ "fingerprint": fingerprint, "secrets": secrets }))
            .save(&mut write, by)
            .await?;
        stage!("rows written");
        store.commit(write).await?;
        stage!("committed");
        if let Some(path) = file {
            move_into_place(path)?;
        }
        stage!("done");
        Ok(KeyRotation {
            fingerprint,
            secrets,
        })
    }
}

/// The key in the file, or the one beside it if a rotation was interrupted after its commit.
pub(crate) fn current_key(path: &Path, stored: &str) -> Result<Option<SecretKey>, StoreError> {
    let key = read_key(path)?;
    if key.as_ref().is_some_and(|key| key.fingerprint() == stored) {
        return Ok(key);
    }
    match read_key(&beside(path))? {
        Some(next) if next.fingerprint() == stored => {
            move_into_place(path)?;
            Ok(Some(next))
        }
        _ => Ok(key),
    }
}

fn beside(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".next");
    PathBuf::from(name)
}

fn move_into_place(path: &Path) -> Result<(), StoreError> {
    rename_durably(&beside(path), path).map_err(|source| StoreError::File {
        path: path.display().to_string(),
        source,
    })
}

async fn encrypt_again(
    write: &mut Write,
    old: &Secrets,
    new: &Secrets,
) -> Result<usize, StoreError> {
    let mut count = 0;
    let rows = sqlx::query("SELECT site_id, name, sealed FROM secrets")
        .fetch_all(&mut **write)
        .await?;
    for row in &rows {
        let site = SiteId::from(row.try_get::<String, _>("site_id")?);
        let name: &str = row.try_get("name")?;
        let secret = old.open_sealed(&site, name, row.try_get("sealed")?)?;
        sqlx::query("UPDATE secrets SET sealed = $1 WHERE site_id = $2 AND name = $3")
            .bind(new.seal(&site, name, &secret)?)
            .bind(site.as_str())
            .bind(name)
            .execute(&mut **write)
            .await?;
        count += 1;
    }
    count += encrypt_tools_again(write, old, new).await?;
    count += encrypt_documents_again(write, old, new).await?;
    count += encrypt_credentials_again(write, old, new).await?;
    count += encrypt_second_factors_again(write, old, new).await?;
    Ok(count)
}

async fn encrypt_tools_again(
    write: &mut Write,
    old: &Secrets,
    new: &Secrets,
) -> Result<usize, StoreError> {
    let rows = sqlx::query("SELECT name, site_id, sealed FROM registered_tools")
        .fetch_all(&mut **write)
        .await?;
    for row in &rows {
        let site = SiteId::from(row.try_get::<String, _>("site_id")?);
        let name: &str = row.try_get("name")?;
        let bound = registered_tools::bound_name(name);
        let secret = old.open_sealed(&site, &bound, row.try_get("sealed")?)?;
        sqlx::query("UPDATE registered_tools SET sealed = $1 WHERE name = $2")
            .bind(new.seal(&site, &bound, &secret)?)
            .bind(name)
            .execute(&mut **write)
            .await?;
    }
    Ok(rows.len())
}

async fn encrypt_documents_again(
    write: &mut Write,
    old: &Secrets,
    new: &Secrets,
) -> Result<usize, StoreError> {
    let rows = sqlx::query("SELECT site_id, name, sealed, waiting FROM openapi_documents")
        .fetch_all(&mut **write)
        .await?;
    let mut count = 0;
    for row in &rows {
        let site = SiteId::from(row.try_get::<String, _>("site_id")?);
        let name: &str = row.try_get("name")?;
        let bound = openapi_documents::bound_name(name);
        let again = |sealed: &str| -> Result<String, StoreError> {
            let secret = old.open_sealed(&site, &bound, sealed)?;
            new.seal(&site, &bound, &secret)
        };
        let waiting: Option<String> = row.try_get("waiting")?;
        count += 1 + usize::from(waiting.is_some());
        sqlx::query(
            "UPDATE openapi_documents SET sealed = $1, waiting = $2 WHERE site_id = $3 AND name = $4",
        )
        .bind(again(row.try_get("sealed")?)?)
        .bind(waiting.map(|sealed| again(&sealed)).transpose()?)
        .bind(site.as_str())
        .bind(name)
        .execute(&mut **write)
        .await?;
    }
    Ok(count)
}

async fn encrypt_credentials_again(
    write: &mut Write,
    old: &Secrets,
    new: &Secrets,
) -> Result<usize, StoreError> {
    let rows = sqlx::query(
        "SELECT id, site_id, sealed_key FROM ai_credentials WHERE sealed_key IS NOT NULL",
    )
    .fetch_all(&mut **write)
    .await?;
    for row in &rows {
        let site = SiteId::from(row.try_get::<String, _>("site_id")?);
        let id = CredentialId::from(row.try_get::<String, _>("id")?);
        let bound = credentials::bound_name(&id);
        let secret = old.open_sealed(&site, &bound, row.try_get("sealed_key")?)?;
        sqlx::query("UPDATE ai_credentials SET sealed_key = $1 WHERE id = $2")
            .bind(new.seal(&site, &bound, &secret)?)
            .bind(id.as_str())
            .execute(&mut **write)
            .await?;
    }
    Ok(rows.len())
}

async fn encrypt_second_factors_again(
    write: &mut Write,
    old: &Secrets,
    new: &Secrets,
) -> Result<usize, StoreError> {
    let rows = sqlx::query("SELECT user_id, sealed FROM totp")
        .fetch_all(&mut **write)
        .await?;
    for row in &rows {
        let user = UserId::from(row.try_get::<String, _>("user_id")?);
        let secret = old.open_for_user(&user, row.try_get("sealed")?)?;
        sqlx::query("UPDATE totp SET sealed = $1 WHERE user_id = $2")
            .bind(new.seal_for_user(&user, &secret)?)
            .bind(user.as_str())
            .execute(&mut **write)
            .await?;
    }
    Ok(rows.len())
}

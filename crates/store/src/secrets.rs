//! Secrets at rest: XChaCha20-Poly1305 with one key per instance. A ciphertext is bound to its site and name, so a row that is
//! copied to another place cannot be decrypted.
//!
//! The key comes from the settings, or from a file that is created at the first start. Its fingerprint is stored with the instance,
//! so a wrong key is detected before anything is read or written.

use std::fs;
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use chacha20poly1305::aead::{Aead, Payload};
use chacha20poly1305::{KeyInit, XChaCha20Poly1305, XNonce};
use secrecy::{ExposeSecret, SecretString};
use sha2::{Digest, Sha256};
use sqlx::Row;
use zeroize::Zeroizing;

use crate::audit::{Record, Stamp};
use crate::audit_chain::AuditKey;
use crate::database::Write;
use crate::key_rotation;
use crate::{SiteId, Store, StoreError, Timestamp, UserId};

/// Where the key comes from.
#[derive(Debug, Clone)]
pub enum KeySource {
    /// From the settings, as 64 hexadecimal digits.
    Given(SecretString),
    /// From this file, which is created (readable only by its owner) if the instance has no key yet.
    File(PathBuf),
}

/// The key of an instance.
#[derive(Clone)]
pub struct SecretKey(Zeroizing<[u8; 32]>);

/// The secrets of an instance.
#[derive(Clone)]
pub struct Secrets {
    store: Store,
    cipher: XChaCha20Poly1305,
    /// Of the key that the cipher uses.
    fingerprint: String,
    audit_key: AuditKey,
}

pub(crate) const FINGERPRINT: &str = "secret_key_fingerprint";
/// The key of the audit chain, encrypted; random instead of derived, so that it stays the same when the instance gets another key.
pub(crate) const AUDIT_KEY: &str = "audit_key";
const NONCE_BYTES: usize = 24;

impl SecretKey {
    pub(crate) fn random() -> Result<Self, StoreError> {
        let mut bytes = Zeroizing::new([0u8; 32]);
        getrandom::fill(bytes.as_mut_slice()).map_err(|error| {
            StoreError::Misconfigured(format!("the system gives no random bytes: {error}"))
        })?;
        Ok(Self(bytes))
    }

    pub(crate) fn parse(text: &str, place: &str) -> Result<Self, StoreError> {
        let mut bytes = Zeroizing::new([0u8; 32]);
        hex::decode_to_slice(text.trim(), bytes.as_mut_slice()).map_err(|_error| {
            StoreError::MalformedKey {
                place: place.to_owned(),
            }
        })?;
        Ok(Self(bytes))
    }

    pub(crate) fn fingerprint(&self) -> String {
        let mut hash = Sha256::new();
        hash.update("sitewright secret key\n");
        hash.update(self.0.as_slice());
        hex::encode(&hash.finalize()[..8])
    }
}

impl Secrets {
    /// Loads the key, or creates one for a new instance. Fails if the key is not the one that the instance uses.
    pub async fn open(store: &Store, source: &KeySource) -> Result<Self, StoreError> {
        let stored = stored_value(store, FINGERPRINT).await?;
        let key = match (source, &stored) {
            (KeySource::Given(text), _) => {
                SecretKey::parse(text.expose_secret(), "SITEWRIGHT_SECRET_KEY")?
            }
            (KeySource::File(path), Some(stored)) => match key_rotation::current_key(path, stored)?
            {
                Some(key) => key,
                None => {
                    return Err(StoreError::WrongKey {
                        stored: stored.clone(),
                        given: format!("missing from {}", path.display()),
                    });
                }
            },
            (KeySource::File(path), None) => match read_key(path)? {
                Some(key) => key,
                None => make_key(path)?,
            },
        };
        let given = key.fingerprint();
        let stored = match stored {
            Some(stored) => stored,
            None => claim_value(store, FINGERPRINT, &given).await?,
        };
        if stored != given {
            return Err(StoreError::WrongKey { stored, given });
        }
        let cipher = cipher(&key)?;
        let secrets = Self {
            fingerprint: given,
            audit_key: load_audit_key(store, &cipher).await?,
            store: store.clone(),
            cipher,
        };
        secrets
            .sign_older_audit(&Stamp::local(Timestamp::now()))
            .await?;
        Ok(secrets)
    }

    /// The same secrets under another key, which the instance does not have yet.
    pub(crate) fn with_key(&self, key: &SecretKey) -> Result<Self, StoreError> {
        Ok(Self {
            fingerprint: key.fingerprint(),
            cipher: cipher(key)?,
            audit_key: self.audit_key.clone(),
            store: self.store.clone(),
        })
    }

    /// The key of the audit chain as it is stored.
    pub(crate) fn seal_audit_key(&self) -> Result<String, StoreError> {
        let key = self.audit_key.0.as_slice();
        let sealed = encrypt(&self.cipher, key, &token_for(AUDIT_KEY))?;
        Ok(STANDARD.encode(sealed))
    }

    /// Stores a secret and replaces an earlier one of the same name.
    pub async fn put(
        &self,
        site: &SiteId,
        name: &str,
        secret: &SecretString,
        by: &Stamp,
    ) -> Result<(), StoreError> {
        let sealed = self.seal(site, name, secret)?;
        let mut write = self.store.write().await?;
        self.require_current_key(&mut write).await?;
        sqlx::query(
            "INSERT INTO secrets (site_id, name, sealed, updated_at) VALUES ($1, $2, $3, $4) \
             ON CONFLICT (site_id, name) DO UPDATE SET sealed = excluded.sealed, updated_at = excluded.updated_at",
        )
        .bind(site.as_str())
        .bind(name)
        .bind(sealed)
        .bind(by.at.millis())
        .execute(&mut *write)
        .await?;
        Record::of("secret.stored")
            .on(site)
            .about(name)
            .save(&mut write, by)
            .await?;
        self.store.commit(write).await
    }

    /// Reads a secret; none if there is none of that name.
    pub async fn get(&self, site: &SiteId, name: &str) -> Result<Option<SecretString>, StoreError> {
        let row = sqlx::query("SELECT sealed FROM secrets WHERE site_id = $1 AND name = $2")
            .bind(site.as_str())
            .bind(name)
            .fetch_optional(self.store.reader())
            .await?;
        row.map(|row| self.open_sealed(site, name, row.try_get("sealed")?))
            .transpose()
    }

    /// Removes a secret. Succeeds if there is none.
    pub async fn remove(&self, site: &SiteId, name: &str, by: &Stamp) -> Result<(), StoreError> {
        let mut write = self.store.write().await?;
        let removed = sqlx::query("DELETE FROM secrets WHERE site_id = $1 AND name = $2")
            .bind(site.as_str())
            .bind(name)
            .execute(&mut *write)
            .await?;
        if removed.rows_affected() > 0 {
            Record::of("secret.removed")
                .on(site)
                .about(name)
                .save(&mut write, by)
                .await?;
        }
        self.store.commit(write).await
    }

    /// Encrypts a text into a token that only this instance can create or read. It is safe to use
    /// in a URL. A token for one purpose is not valid for another.
    pub fn seal_token(&self, purpose: &str, text: &str) -> Result<String, StoreError> {
        let sealed = encrypt(&self.cipher, text.as_bytes(), &token_for(purpose))?;
        Ok(URL_SAFE_NO_PAD.encode(sealed))
    }

    /// Decrypts a token of [`Secrets::seal_token`]; none if it is not a valid token for this purpose.
    pub fn open_token(&self, purpose: &str, token: &str) -> Option<String> {
        let sealed = URL_SAFE_NO_PAD.decode(token).ok()?;
        let text = decrypt(&self.cipher, &sealed, &token_for(purpose)).ok()?;
        String::from_utf8(text.to_vec()).ok()
    }

    /// A key of this instance for one purpose. It stays the same when the secret key is replaced.
    pub fn derive_key(&self, purpose: &str) -> Result<[u8; 32], StoreError> {
        self.audit_key.derive(purpose)
    }

    pub(crate) fn store(&self) -> &Store {
        &self.store
    }

    pub(crate) fn audit_key(&self) -> &AuditKey {
        &self.audit_key
    }

    pub(crate) fn seal(
        &self,
        site: &SiteId,
        name: &str,
        secret: &SecretString,
    ) -> Result<String, StoreError> {
        let plain = secret.expose_secret().as_bytes();
        Ok(STANDARD.encode(encrypt(&self.cipher, plain, &bound_to(site, name))?))
    }

    pub(crate) fn open_sealed(
        &self,
        site: &SiteId,
        name: &str,
        sealed: &str,
    ) -> Result<SecretString, StoreError> {
        self.open_bound(&bound_to(site, name), sealed)
    }

    /// Encrypts a secret of a person, which belongs to no site.
    pub(crate) fn seal_for_user(
        &self,
        user: &UserId,
        secret: &SecretString,
    ) -> Result<String, StoreError> {
        let plain = secret.expose_secret().as_bytes();
        Ok(STANDARD.encode(encrypt(&self.cipher, plain, &bound_to_user(user))?))
    }

    pub(crate) fn open_for_user(
        &self,
        user: &UserId,
        sealed: &str,
    ) -> Result<SecretString, StoreError> {
        self.open_bound(&bound_to_user(user), sealed)
    }

    /// Fails if the instance has another key by now: another process has rotated it, and what this one encrypts could not be read
    /// again.
    pub(crate) async fn require_current_key(&self, write: &mut Write) -> Result<(), StoreError> {
        let row = sqlx::query("SELECT value FROM instance WHERE name = $1")
            .bind(FINGERPRINT)
            .fetch_one(&mut **write)
            .await?;
        let stored: String = row.try_get("value")?;
        if stored == self.fingerprint {
            return Ok(());
        }
        Err(StoreError::WrongKey {
            stored,
            given: self.fingerprint.clone(),
        })
    }

    fn open_bound(&self, bound_to: &[u8], sealed: &str) -> Result<SecretString, StoreError> {
        const CORRUPT: StoreError = StoreError::Corrupt { what: "secret" };
        let bytes = STANDARD.decode(sealed).map_err(|_error| CORRUPT)?;
        let plain = decrypt(&self.cipher, &bytes, bound_to)?;
        let text = std::str::from_utf8(&plain).map_err(|_error| CORRUPT)?;
        Ok(SecretString::from(text))
    }
}

fn cipher(key: &SecretKey) -> Result<XChaCha20Poly1305, StoreError> {
    let bytes = key.0.as_slice().try_into();
    let bytes = bytes.map_err(|_error| StoreError::Corrupt { what: "key" })?;
    Ok(XChaCha20Poly1305::new(bytes))
}

fn encrypt(
    cipher: &XChaCha20Poly1305,
    plain: &[u8],
    bound_to: &[u8],
) -> Result<Vec<u8>, StoreError> {
    let mut nonce = [0u8; NONCE_BYTES];
    getrandom::fill(&mut nonce).map_err(|error| {
        StoreError::Misconfigured(format!("the system gives no random bytes: {error}"))
    })?;
    let payload = Payload {
        msg: plain,
        aad: bound_to,
    };
    let ciphertext = cipher
        .encrypt(&XNonce::from(nonce), payload)
        .map_err(|_error| StoreError::Corrupt { what: "secret" })?;
    Ok([nonce.as_slice(), &ciphertext].concat())
}

fn decrypt(
    cipher: &XChaCha20Poly1305,
    sealed: &[u8],
    bound_to: &[u8],
) -> Result<Zeroizing<Vec<u8>>, StoreError> {
    const CORRUPT: StoreError = StoreError::Corrupt { what: "secret" };
    let (nonce, ciphertext) = sealed.split_first_chunk::<NONCE_BYTES>().ok_or(CORRUPT)?;
    let payload = Payload {
        msg: ciphertext,
        aad: bound_to,
    };
    let plain = cipher
        .decrypt(&XNonce::from(*nonce), payload)
        .map_err(|_error| CORRUPT)?;
    Ok(Zeroizing::new(plain))
}

fn bound_to(site: &SiteId, name: &str) -> Vec<u8> {
    format!("{}\n{name}", site.as_str()).into_bytes()
}

/// The associated data of a person's secret. Neither a site's id nor the purpose of a token begins with a line break.
fn bound_to_user(user: &UserId) -> Vec<u8> {
    format!("\n\n{user}").into_bytes()
}

/// The associated data of a token. That of a secret begins with the id of a site, so it never begins with a line break.
fn token_for(purpose: &str) -> Vec<u8> {
    format!("\n{purpose}").into_bytes()
}

/// Reads the key of the audit chain, or creates it.
async fn load_audit_key(store: &Store, cipher: &XChaCha20Poly1305) -> Result<AuditKey, StoreError> {
    let sealed = match stored_value(store, AUDIT_KEY).await? {
        Some(sealed) => sealed,
        None => {
            let key = encrypt(
                cipher,
                SecretKey::random()?.0.as_slice(),
                &token_for(AUDIT_KEY),
            )?;
            claim_value(store, AUDIT_KEY, &STANDARD.encode(key)).await?
        }
    };
    const CORRUPT: StoreError = StoreError::Corrupt { what: "audit key" };
    let sealed = STANDARD.decode(sealed).map_err(|_error| CORRUPT)?;
    let plain = decrypt(cipher, &sealed, &token_for(AUDIT_KEY))?;
    let mut key = Zeroizing::new([0u8; 32]);
    if plain.len() != key.len() {
        return Err(CORRUPT);
    }
    key.copy_from_slice(&plain);
    Ok(AuditKey(key))
}

async fn stored_value(store: &Store, name: &str) -> Result<Option<String>, StoreError> {
    let row = sqlx::query("SELECT value FROM instance WHERE name = $1")
        .bind(name)
        .fetch_optional(store.reader())
        .await?;
    Ok(row.map(|row| row.try_get("value")).transpose()?)
}

/// Stores a value unless there is one, and returns the stored one. Two nodes may start on a new database at the same time: the first
/// to claim decides.
async fn claim_value(store: &Store, name: &str, given: &str) -> Result<String, StoreError> {
    let mut write = store.write().await?;
    let row = sqlx::query(
        "INSERT INTO instance (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = instance.value RETURNING value",
    )
    .bind(name)
    .bind(given)
    .fetch_one(&mut *write)
    .await?;
    write.commit().await?;
    Ok(row.try_get("value")?)
}

pub(crate) fn read_key(path: &Path) -> Result<Option<SecretKey>, StoreError> {
    match fs::read_to_string(path) {
        Ok(text) => SecretKey::parse(&Zeroizing::new(text), &path.display().to_string()).map(Some),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(StoreError::File {
            path: path.display().to_string(),
            source,
        }),
    }
}

fn make_key(path: &Path) -> Result<SecretKey, StoreError> {
    let key = SecretKey::random()?;
    write_key(path, &key)?;
    Ok(key)
}

/// Writes the key to a temporary file and renames it, so that a crash leaves either no key or a complete one.
pub(crate) fn write_key(path: &Path, key: &SecretKey) -> Result<(), StoreError> {
    let beside = path.with_extension("new");
    let text = Zeroizing::new(format!("{}\n", hex::encode(key.0.as_slice())));
    let write = || -> io::Result<()> {
        let mut file = fs::OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(true)
            .mode(0o600)
            .open(&beside)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        rename_durably(&beside, path)
    };
    write().map_err(|source| StoreError::File {
        path: path.display().to_string(),
        source,
    })
}

/// Renames a file so that it has its new name after a power failure, too.
pub(crate) fn rename_durably(from: &Path, to: &Path) -> io::Result<()> {
    fs::rename(from, to)?;
    match to.parent() {
        Some(folder) => fs::File::open(folder)?.sync_all(),
        None => Ok(()),
    }
}

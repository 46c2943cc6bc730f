//! Passwords: Argon2id, on blocking threads, a few at a time so that a flood of sign-ins cannot use up the memory.

use std::sync::LazyLock;

use argon2::Argon2;
use argon2::password_hash::{PasswordHasher as _, PasswordVerifier as _};
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;

use crate::problem::ApiError;

const MIN_CHARS: usize = 12;
const MAX_BYTES: usize = 1024;

/// Each hash takes about 20 MB and one core for some 30 ms.
static AT_ONCE: Semaphore = Semaphore::const_new(4);

/// A hash that matches no password, so that an unknown address takes as long as a wrong password.
static NOBODY: LazyLock<Option<String>> =
    LazyLock::new(|| hash_now("a password that nobody has").ok());

/// Rejects a password that is too easy to guess or too long to hash.
pub(crate) fn check(field: &str, password: &str, email: &str) -> Result<(), ApiError> {
    if password.chars().count() < MIN_CHARS {
        return Err(ApiError::field(
            field,
            format!("Choose a password of at least {MIN_CHARS} characters."),
        ));
    }
    if password.len() > MAX_BYTES {
        return Err(ApiError::field(
            field,
            format!("Choose a password of at most {MAX_BYTES} bytes."),
        ));
    }
    if password.eq_ignore_ascii_case(email) {
        return Err(ApiError::field(
            field,
            "Choose a password that is not your email address.",
        ));
    }
    crate::common_passwords::check(field, password, email)
}

/// Hashes a password for storage.
pub(crate) async fn hash(password: String) -> Result<String, ApiError> {
    let _permit = AT_ONCE
        .acquire()
        .await
        .map_err(|error| ApiError::internal(&error))?;
    let hashed = spawn_blocking(move || hash_now(&password))
        .await
        .map_err(|error| ApiError::internal(&error))?;
    hashed.map_err(|error| ApiError::internal(&error))
}

/// Whether the password matches the hash. Without a hash it returns `false` after the same amount of work.
pub(crate) async fn verify(password: String, hash: Option<String>) -> Result<bool, ApiError> {
    if password.len() > MAX_BYTES {
        return Ok(false);
    }
    let _permit = AT_ONCE
        .acquire()
        .await
        .map_err(|error| ApiError::internal(&error))?;
    let verify = move || {
        let somebody = hash.is_some();
        let fits = hash.as_ref().or(NOBODY.as_ref()).is_some_and(|hash| {
            Argon2::default()
                .verify_password(password.as_bytes(), hash.as_str())
                .is_ok()
        });
        fits && somebody
    };
    spawn_blocking(verify)
        .await
        .map_err(|error| ApiError::internal(&error))
}

fn hash_now(password: &str) -> Result<String, argon2::password_hash::Error> {
    Ok(Argon2::default()
        .hash_password(password.as_bytes())?
        .to_string())
}

//! Codes of an authenticator app (RFC 6238) and recovery codes. A code is accepted once, and guesses are counted per account.

use std::time::Duration;

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use secrecy::{ExposeSecret, SecretString};
use sitewright_store::{Throttle, ThrottleVerdict, ThrottledSubject, Timestamp, User, UserId};
use sitewright_tool::ErrorCode;
use totp_rs::{Builder, Secret, Totp};

use crate::App;
use crate::problem::ApiError;

/// How many recovery codes a person gets.
const RECOVERY_CODES: usize = 10;
/// Letters and digits without `i`, `l`, `o` and `1`, which are easily confused; 32 of them, so that a byte maps to one evenly.
const CODE_LETTERS: &[u8; 32] = b"abcdefghjkmnpqrstuvwxyz023456789";
/// 24 letters have 120 bits, too many to find from a plain hash.
const CODE_LENGTH: usize = 24;

/// Three codes of a million fit at any time, so an attacker who has the password needs years at this rate.
const GUESSES: Throttle = Throttle {
    attempts: 20,
    span: Duration::from_secs(60 * 60),
};

/// A new secret for an authenticator app, in base32.
pub(crate) fn new_secret() -> Result<SecretString, ApiError> {
    let mut bytes = [0u8; 20];
    fill_random(&mut bytes)?;
    Ok(SecretString::from(
        Secret::new(Box::from(bytes)).to_base32(),
    ))
}

/// The address in the QR code that authenticator apps read.
pub(crate) fn otpauth_url(secret: &SecretString, site_name: &str, user: &User) -> String {
    let encode = |text: &str| utf8_percent_encode(text, NON_ALPHANUMERIC).to_string();
    let issuer = encode(site_name);
    format!(
        "otpauth://totp/{issuer}:{}?secret={}&issuer={issuer}",
        encode(&user.email),
        secret.expose_secret()
    )
}

/// The time step of a code; none if it is not one of the secret's at this time.
pub(crate) fn step_of(
    secret: &SecretString,
    code: &str,
    now: Timestamp,
) -> Result<Option<i64>, ApiError> {
    let secret = Secret::try_from_base32(secret.expose_secret())
        .map_err(|error| ApiError::internal(&error))?;
    let totp: Totp = Builder::new()
        .with_secret(secret)
        .build()
        .map_err(|error| ApiError::internal(&error))?;
    let digits: String = code.chars().filter(|char| !char.is_whitespace()).collect();
    if digits.len() != 6 || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Ok(None);
    }
    let seconds = u64::try_from(now.millis() / 1000).unwrap_or_default();
    let step = totp.check(&digits, seconds);
    Ok(step.and_then(|step| i64::try_from(step).ok()))
}

/// Counts an attempt to give a code, and refuses it when there were too many.
pub(crate) async fn count_attempt(
    app: &App,
    user: &UserId,
    now: Timestamp,
) -> Result<(), ApiError> {
    let guesses = ThrottledSubject {
        subject: subject(user),
        rule: GUESSES,
    };
    let verdict = app.store().attempt(&[guesses], now).await?;
    let ThrottleVerdict::Wait(wait) = verdict else {
        return Ok(());
    };
    let minutes = wait.as_secs().div_ceil(60).max(1);
    let unit = if minutes == 1 { "minute" } else { "minutes" };
    let detail = format!("There were too many wrong codes. Wait {minutes} {unit} and try again.");
    Err(ApiError::new(ErrorCode::RateLimited, detail).retry_after(wait.as_secs().max(1)))
}

/// Whether this is a code of the person's app, or one of their recovery codes, that was not used before. It is used up.
pub(crate) async fn accept(
    app: &App,
    user: &UserId,
    code: &str,
    now: Timestamp,
) -> Result<bool, ApiError> {
    let Some(secret) = app.secrets().second_factor_secret(user).await? else {
        return Ok(false);
    };
    let accepted = match step_of(&secret, code, now)? {
        Some(step) => app.store().accept_code_step(user, step).await?,
        None => {
            let code = normal_recovery_code(code);
            app.store().spend_recovery_code(user, &code, now).await?
        }
    };
    if accepted {
        app.store().forget_attempts(&subject(user)).await?;
    }
    Ok(accepted)
}

/// New recovery codes, as they are stored.
pub(crate) fn new_recovery_codes() -> Result<Vec<SecretString>, ApiError> {
    let code = || {
        let mut bytes = [0u8; CODE_LENGTH];
        fill_random(&mut bytes)?;
        let letters = bytes
            .iter()
            .map(|byte| char::from(CODE_LETTERS[usize::from(byte % 32)]));
        Ok(SecretString::from(letters.collect::<String>()))
    };
    (0..RECOVERY_CODES).map(|_| code()).collect()
}

/// A recovery code as people read it: in groups of four.
pub(crate) fn shown_recovery_code(code: &SecretString) -> String {
    let letters: Vec<char> = code.expose_secret().chars().collect();
    let groups: Vec<String> = letters
        .chunks(4)
        .map(|group| group.iter().collect())
        .collect();
    groups.join("-")
}

/// Hyphens, spaces and capitals are how people write a code down.
fn normal_recovery_code(code: &str) -> SecretString {
    let letters = code
        .chars()
        .filter(|char| char.is_ascii_alphanumeric())
        .take(CODE_LENGTH + 1);
    SecretString::from(letters.collect::<String>().to_ascii_lowercase())
}

fn subject(user: &UserId) -> String {
    format!("second factor of {user}")
}

fn fill_random(bytes: &mut [u8]) -> Result<(), ApiError> {
    getrandom::fill(bytes).map_err(|error| ApiError::internal(&error))
}

#[cfg(test)]
mod tests {
    use secrecy::{ExposeSecret as _, SecretString};
    use sitewright_store::Timestamp;

    use super::{new_recovery_codes, normal_recovery_code, shown_recovery_code, step_of};

    /// The test vectors of RFC 6238, appendix B, for SHA-1, with their last six digits.
    #[test]
    fn codes_are_those_of_the_rfc() {
        let secret = SecretString::from("GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ");
        for (seconds, code) in [
            (59, "287082"),
            (1_111_111_109, "081804"),
            (1_111_111_111, "050471"),
            (1_234_567_890, "005924"),
            (2_000_000_000, "279037"),
        ] {
            let at = |seconds: i64| Timestamp::from_millis(seconds * 1000);
            let found = |seconds: i64| step_of(&secret, code, at(seconds)).ok().flatten();
            assert_eq!(found(seconds), Some(seconds / 30), "{code}");
            assert_eq!(found(seconds + 30), Some(seconds / 30), "a step late");
            assert_eq!(found(seconds + 60), None, "two steps late");
        }
    }

    #[test]
    fn a_recovery_code_reads_back_as_people_type_it() {
        let codes = new_recovery_codes().ok().unwrap_or_default();
        assert_eq!(codes.len(), 10);
        for code in codes {
            let shown = shown_recovery_code(&code);
            assert_eq!(shown.len(), 29, "{shown}");
            let typed = format!(" {} ", shown.to_uppercase().replace('-', " "));
            let read = normal_recovery_code(&typed);
            assert_eq!(read.expose_secret(), code.expose_secret());
        }
    }
}

//! Rate limits for signing in. There are three counts: this account from this client, any account from this client, and this account
//! from anywhere; the last is generous, so that strangers cannot lock a person out cheaply.

use std::net::IpAddr;
use std::time::Duration;

use sitewright_store::{Throttle, ThrottleVerdict, ThrottledSubject, Timestamp};
use sitewright_tool::ErrorCode;

use crate::App;
use crate::problem::ApiError;
use crate::rate_limit::household;

const SPAN: Duration = Duration::from_secs(15 * 60);
const PAIR: Throttle = Throttle {
    attempts: 10,
    span: SPAN,
};
const CLIENT: Throttle = Throttle {
    attempts: 60,
    span: SPAN,
};
const ACCOUNT: Throttle = Throttle {
    attempts: 100,
    span: SPAN,
};

/// One attempt to sign in.
pub(crate) struct Attempt {
    /// The address, normalized as in accounts.
    pub(crate) email: String,
    pub(crate) client: String,
}

impl Attempt {
    /// A text that cannot be an address is counted as the empty one, which no account has: it may be too long for a key, or contain
    /// characters that a database rejects.
    pub(crate) fn new(email: &str, client: IpAddr) -> Self {
        Self {
            email: parse_email(email).unwrap_or_default(),
            client: household(client).to_string(),
        }
    }

    /// Counts the attempt, and refuses it when there were too many.
    pub(crate) async fn count(&self, app: &App, now: Timestamp) -> Result<(), ApiError> {
        let counted = |subject: String, rule: Throttle| ThrottledSubject { subject, rule };
        // Once the client or the account is refused, no further rows are made, whatever addresses the client makes up.
        let counts = [
            counted(format!("sign-in from {}", self.client), CLIENT),
            counted(self.pair(), PAIR),
            counted(format!("sign-in to {}", self.email), ACCOUNT),
        ];
        let ThrottleVerdict::Wait(wait) = app.store().attempt(&counts, now).await? else {
            return Ok(());
        };
        let minutes = wait.as_secs().div_ceil(60).max(1);
        let unit = if minutes == 1 { "minute" } else { "minutes" };
        let detail = format!("Too many attempts. Wait {minutes} {unit} and try again.");
        Err(ApiError::new(ErrorCode::RateLimited, detail).retry_after(wait.as_secs().max(1)))
    }

    /// Resets the count of this account from this client.
    pub(crate) async fn succeeded(&self, app: &App) -> Result<(), ApiError> {
        Ok(app.store().forget_attempts(&self.pair()).await?)
    }

    fn pair(&self) -> String {
        format!("sign-in to {} from {}", self.email, self.client)
    }
}

/// Normalizes an address as in accounts: trimmed and in lower case.
pub(crate) fn normal_email(email: &str) -> String {
    email.trim().to_lowercase()
}

/// Parses the address of a new account.
pub(crate) fn parse_email(email: &str) -> Result<String, ApiError> {
    let email = normal_email(email);
    let plausible = email.split_once('@').is_some_and(|(name, domain)| {
        !name.is_empty()
            && domain.contains('.')
            && !domain.starts_with('.')
            && !domain.ends_with('.')
            && !domain.contains('@')
    });
    let clean = !email
        .chars()
        .any(|char| char.is_whitespace() || char.is_control() || "<>,;\"()".contains(char));
    if plausible && clean && email.len() <= 254 {
        return Ok(email);
    }
    Err(ApiError::field(
        "email",
        "Enter an email address such as ada@example.com.",
    ))
}

#[cfg(test)]
mod tests {
    use super::{Attempt, parse_email};

    #[test]
    fn addresses_are_read_as_people_write_them_and_nonsense_is_refused() {
        assert_eq!(
            parse_email(" Ada@Example.COM ").ok().as_deref(),
            Some("ada@example.com")
        );
        for nonsense in [
            "",
            "ada",
            "ada@",
            "@example.com",
            "ada@example",
            "a b@example.com",
            "a@b@c.de",
            "<a@b.de>",
            "a@.de",
            "a\n@b.de",
        ] {
            assert!(parse_email(nonsense).is_err(), "{nonsense:?}");
        }
    }

    /// The count's row has the address in its key: Postgres rejects a key that is too long, and a zero byte.
    #[test]
    fn what_is_no_address_is_counted_as_one_nobody_has() {
        let of = |email: &str| Attempt::new(email, "192.0.2.1".parse().unwrap()).email;
        assert_eq!(of(" Ada@Example.com"), "ada@example.com");
        assert_eq!(of("a\0@example.com"), "");
        assert_eq!(of(&format!("{}@example.com", "a".repeat(300))), "");
    }
}

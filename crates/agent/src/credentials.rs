//! Credentials of model providers: validation, storage, and the client made from one.
//!
//! A key only ever moves from the caller to the store and from there to a client. It appears in no error, response or log line, and it
//! is never sent to a host other than the one it was given for.

use secrecy::{ExposeSecret, SecretString};
use sitewright_egress::{EgressError, EgressPolicy};
use sitewright_llm::{CredentialShape, ModelClient, ModelError, ProviderId};
use sitewright_store::{
    Credential, CredentialChange, CredentialId, NewCredential, SiteId, Stamp, StoreError,
};
use sitewright_tool::sentence;
use url::{Host, Url};

use crate::Models;

/// A credential to add.
#[derive(Debug)]
pub struct NewAccess {
    pub provider_id: String,
    pub label: String,
    /// The base URL, if it is not the provider's default.
    pub base_url: Option<String>,
    pub api_key: Option<SecretString>,
}

/// Changes to a credential; `None` leaves a field unchanged.
#[derive(Debug, Default)]
pub struct AccessChange {
    pub label: Option<String>,
    /// The base URL; `Some(None)` resets it to the provider's default.
    pub base_url: Option<Option<String>>,
    /// The key; `Some(None)` removes it, which only works for providers that need none.
    pub api_key: Option<Option<SecretString>>,
}

/// Why an operation on a credential failed.
#[derive(Debug, thiserror::Error)]
pub enum CredentialError {
    /// The caller can send another value.
    #[error("{message}")]
    Invalid {
        /// The field's name in the request.
        field: &'static str,
        /// What is wrong and how to fix it.
        message: String,
    },
    /// The provider failed.
    #[error(transparent)]
    Provider(#[from] ModelError),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

const LABEL_CHARS_MAX: usize = 100;
const KEY_BYTES_MAX: usize = 4096;
const URL_BYTES_MAX: usize = 2048;

impl Models {
    /// Creates a client for the provider of a credential.
    pub async fn client(
        &self,
        site: &SiteId,
        id: &CredentialId,
    ) -> Result<ModelClient, CredentialError> {
        let secret = self
            .store()
            .credential_secret(site, id, self.secrets())
            .await?;
        let provider = known(&secret.provider_id)?;
        let base_url = secret.base_url.as_deref();
        Ok(ModelClient::new(
            self.egress().clone(),
            provider,
            base_url,
            secret.key,
        ))
    }

    /// Adds a credential, and makes it the default of the scopes that have none.
    ///
    /// If the provider cannot be reached, the defaults stay unchanged and the credential is still added.
    pub async fn add_credential(
        &self,
        site: &SiteId,
        new: &NewAccess,
        by: &Stamp,
    ) -> Result<Credential, CredentialError> {
        let provider = provider_for_credential(&new.provider_id)?;
        let label = check_label(&new.label)?;
        let key = new.api_key.as_ref().map(check_key).transpose()?;
        check_shape(provider, key.is_some())?;
        let base_url = new.base_url.as_deref().map(str::trim);
        let base_url = base_url.filter(|text| !text.is_empty());
        if let Some(base_url) = base_url {
            check_base_url(self.egress().policy(), base_url, key.is_some())?;
        }
        let new = NewCredential {
            site,
            provider_id: provider.as_str(),
            label,
            base_url,
            key: key.as_ref(),
        };
        let credential = self.secrets().add_credential(&new, by).await?;
        self.seed_defaults(site, &credential.id, by).await;
        Ok(credential)
    }

    /// Changes parts of a credential.
    ///
    /// A key is bound to the host it was given for: changing the host requires sending the key again. Otherwise, anyone who may edit the
    /// address could have the stored key sent to a host of their own.
    pub async fn change_credential(
        &self,
        site: &SiteId,
        id: &CredentialId,
        change: &AccessChange,
        by: &Stamp,
    ) -> Result<Credential, CredentialError> {
        let before = self.store().credential(site, id).await?;
        let provider = known(&before.provider_id)?;
        let label = change.label.as_deref().map(check_label).transpose()?;
        let key = match &change.api_key {
            Some(Some(key)) => Some(Some(check_key(key)?)),
            Some(None) => Some(None),
            None => None,
        };
        let has_key = key.as_ref().map_or(before.has_key, Option::is_some);
        check_shape(provider, has_key)?;
        let base_url = change.base_url.as_ref().map(|text| {
            let text = text.as_deref().map(str::trim);
            text.filter(|text| !text.is_empty())
        });
        if let Some(base_url) = base_url {
            if let Some(base_url) = base_url {
                check_base_url(self.egress().policy(), base_url, has_key)?;
            }
            let own = provider.record().base_url;
            let moves = origin(base_url.unwrap_or(own))
                != origin(before.base_url.as_deref().unwrap_or(own));
            if moves && before.has_key && key.is_none() {
                return Err(invalid(
                    "apiKey",
                    "The address leads to another host. Send the key together with it, so that it cannot be sent \
                     somewhere without being given again.",
                ));
            }
        }
        let change = CredentialChange {
            label,
            base_url,
            key: key.as_ref().map(Option::as_ref),
        };
        let credential = self
            .secrets()
            .change_credential(site, id, &change, by)
            .await?;
        self.forget(id);
        Ok(credential)
    }

    /// Removes a credential. Fails while a default uses it.
    pub async fn remove_credential(
        &self,
        site: &SiteId,
        id: &CredentialId,
        by: &Stamp,
    ) -> Result<(), CredentialError> {
        self.store().remove_credential(site, id, by).await?;
        self.forget(id);
        Ok(())
    }
}

pub(crate) fn invalid(field: &'static str, message: impl Into<String>) -> CredentialError {
    let message = message.into();
    CredentialError::Invalid { field, message }
}

/// Parses the provider of a stored credential; an unknown one means that the row is corrupt.
pub(crate) fn known(provider_id: &str) -> Result<ProviderId, CredentialError> {
    let corrupt = |_unknown| StoreError::Corrupt { what: "credential" };
    Ok(provider_id.parse().map_err(corrupt)?)
}

fn provider_for_credential(id: &str) -> Result<ProviderId, CredentialError> {
    match id.parse() {
        Ok(ProviderId::Offline) => {
            let message = "`offline` is the built-in commands, which need no credential.";
            Err(invalid("providerId", message))
        }
        Ok(provider) => Ok(provider),
        Err(unknown) => Err(invalid("providerId", sentence(&format!("{unknown}")))),
    }
}

fn check_label(label: &str) -> Result<&str, CredentialError> {
    let label = label.trim();
    let length = label.chars().count();
    if length == 0 || length > LABEL_CHARS_MAX || label.chars().any(char::is_control) {
        let message = format!("Give a label of 1 to {LABEL_CHARS_MAX} characters, in one line.");
        return Err(invalid("label", message));
    }
    Ok(label)
}

/// Validates a key, and trims the whitespace that copying adds.
fn check_key(key: &SecretString) -> Result<SecretString, CredentialError> {
    let text = key.expose_secret().trim();
    if text.is_empty() {
        return Err(invalid("apiKey", "The key is empty."));
    }
    if text.len() > KEY_BYTES_MAX || !text.bytes().all(|byte| byte.is_ascii_graphic()) {
        let message = format!(
            "A key has at most {KEY_BYTES_MAX} characters, and no blanks or letters beyond ASCII. Copy it again."
        );
        return Err(invalid("apiKey", message));
    }
    Ok(SecretString::from(text))
}

fn check_shape(provider: ProviderId, has_key: bool) -> Result<(), CredentialError> {
    let record = provider.record();
    match record.credential {
        CredentialShape::ApiKey if !has_key => {
            let message = format!("{} needs a key: send it as `apiKey`.", record.name);
            Err(invalid("apiKey", message))
        }
        CredentialShape::ApiKey | CredentialShape::Endpoint => Ok(()),
    }
}

/// Validates a base URL. An address that egress refuses is still accepted: an operator may allow it later, and until then the test of
/// the credential reports the refusal.
pub(crate) fn check_base_url(
    policy: &EgressPolicy,
    text: &str,
    has_key: bool,
) -> Result<(), CredentialError> {
    let bad = |message: String| Err(invalid("baseUrl", message));
    if text.len() > URL_BYTES_MAX {
        return bad(format!("An address has at most {URL_BYTES_MAX} bytes."));
    }
    let (url, is_listed) = match policy.vet(text) {
        Ok(vetted) => (vetted.url, vetted.is_listed),
        // An internal address. Egress sends nothing there until an operator allows it, so the key is safe.
        Err(EgressError::Refused { .. }) => return check_parts(text),
        Err(error) => {
            let problem = sentence(&error.to_string());
            return bad(format!(
                "{problem} Give one such as https://api.example.com."
            ));
        }
    };
    check_parts(text)?;
    let stays_here = match url.host() {
        Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        Some(Host::Ipv4(_) | Host::Ipv6(_)) | None => false,
    };
    if url.scheme() == "http" && has_key && !is_listed && !stays_here {
        let host = url.host_str().unwrap_or_default();
        return bad(format!(
            "The key could be read on the way: use https, or have an operator list {host} in SITEWRIGHT_EGRESS_ALLOW."
        ));
    }
    Ok(())
}

/// Refuses a query or fragment: paths are appended to a base URL, and would end up inside it.
fn check_parts(text: &str) -> Result<(), CredentialError> {
    let bare = Url::parse(text).is_ok_and(|url| url.query().is_none() && url.fragment().is_none());
    match bare {
        true => Ok(()),
        false => Err(invalid(
            "baseUrl",
            "A base URL has no part behind `?` or `#`: leave it out.",
        )),
    }
}

fn origin(base_url: &str) -> Option<url::Origin> {
    Url::parse(base_url).ok().map(|url| url.origin())
}

#[cfg(test)]
mod tests {
    use super::{CredentialError, check_base_url, check_key};
    use secrecy::{ExposeSecret, SecretString};
    use sitewright_egress::EgressPolicy;

    fn check(text: &str, has_key: bool, expected: &str) {
        let policy = EgressPolicy {
            allow: "10.1.2.3/32, gateway.example:8080".parse().unwrap(),
        };
        let said = match check_base_url(&policy, text, has_key) {
            Ok(()) => "kept".to_owned(),
            Err(error) => error.to_string(),
        };
        assert_eq!(said, expected, "{text}");
    }

    #[test]
    fn base_urls_that_can_be_used_are_kept() {
        check("https://api.example.com/v1", true, "kept");
        check("http://localhost:11434", true, "kept");
        check("http://10.1.2.3:8000", true, "kept");
        check("http://gateway.example:8080/openai", true, "kept");
        check("http://models.example.com", false, "kept");
        // Egress refuses this address, which only the test of the credential reports.
        check("http://192.168.1.5:11434", true, "kept");
    }

    #[test]
    fn base_urls_that_cannot_are_refused_with_the_remedy() {
        check(
            "http://models.example.com",
            true,
            "The key could be read on the way: use https, or have an operator list models.example.com in \
             SITEWRIGHT_EGRESS_ALLOW.",
        );
        let bare = "A base URL has no part behind `?` or `#`: leave it out.";
        check("https://api.example.com/v1?key=abc", true, bare);
        check("http://127.0.0.1:9/#x", true, bare);
        check(
            "api.example.com",
            true,
            "The address cannot be used: relative URL without a base. Give one such as https://api.example.com.",
        );
        check(
            "https://user:secret@api.example.com",
            true,
            "The address cannot be used: it contains a user name or password. Give one such as \
             https://api.example.com.",
        );
    }

    #[test]
    fn a_key_is_taken_without_what_copying_adds_and_never_quoted() {
        let taken = |text: &str| check_key(&SecretString::from(text));
        assert_eq!(taken(" sk-1 \n").unwrap().expose_secret(), "sk-1");
        for bad in ["", " \n", "sk 1", "sk-ü", "sk-1\nsk-2"] {
            let error: CredentialError = taken(bad).unwrap_err();
            assert!(!error.to_string().contains("sk"), "{error}");
        }
    }
}

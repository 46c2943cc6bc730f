//! Secrets in records `tool.config.v1`: taken out of the record before it is stored, and put back only for the tool that uses them.
//!
//! A record keeps `{"sealed": true}` in their place, in every version, so no view, search, stream or backup of records can show one.

use std::collections::BTreeMap;

use secrecy::{ExposeSecret as _, SecretString};
use serde_json::{Map, Value, json};
use sitewright_store::{BreadcrumbId, Secrets, Sensitivity, SiteId, Stamp, StoreError};

/// Parts of names whose values are secrets.
const SECRET_NAMES: &[&str] = &[
    "key",
    "token",
    "secret",
    "password",
    "passphrase",
    "authorization",
    "credential",
];

/// The secrets of a configuration, by JSON pointer: texts and numbers.
type SecretValues = BTreeMap<String, Value>;

fn sealed_mark() -> Value {
    json!({ "sealed": true })
}

fn secret_name(id: &BreadcrumbId) -> String {
    format!("breadcrumb/{id}")
}

/// Takes the secrets out of the content of a configuration. Those that `before` has and that are still marked stay.
pub(crate) fn take_secrets(
    context: &mut Map<String, Value>,
    sensitivity: Sensitivity,
    before: &SecretValues,
) -> SecretValues {
    let mut taken = SecretValues::new();
    if let Some(config) = context.get_mut("config") {
        let mut walk = Walk {
            takes_all: sensitivity == Sensitivity::Secret,
            before,
            taken: &mut taken,
        };
        walk.visit(config, "", false);
    }
    taken
}

struct Walk<'a> {
    takes_all: bool,
    before: &'a SecretValues,
    taken: &'a mut SecretValues,
}

impl Walk<'_> {
    fn visit(&mut self, value: &mut Value, pointer: &str, is_secret: bool) {
        if *value == sealed_mark() {
            if let Some(secret) = self.before.get(pointer) {
                self.taken.insert(pointer.to_owned(), secret.clone());
            }
            return;
        }
        match value {
            Value::String(_) if is_secret || self.takes_all => self.take(value, pointer),
            // A PIN is as secret as a password.
            Value::Number(_) if is_secret => self.take(value, pointer),
            Value::Array(items) => {
                for (at, item) in items.iter_mut().enumerate() {
                    self.visit(item, &format!("{pointer}/{at}"), is_secret);
                }
            }
            Value::Object(fields) => {
                for (name, field) in fields.iter_mut() {
                    let lower = name.to_lowercase();
                    let is_limit = lower.starts_with("max_") || lower.ends_with("_tokens");
                    let is_named = SECRET_NAMES.iter().any(|part| lower.contains(part));
                    let escaped = name.replace('~', "~0").replace('/', "~1");
                    let is_secret = is_secret || (is_named && !is_limit);
                    self.visit(field, &format!("{pointer}/{escaped}"), is_secret);
                }
            }
            Value::String(_) | Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    fn take(&mut self, value: &mut Value, pointer: &str) {
        let secret = std::mem::replace(value, sealed_mark());
        self.taken.insert(pointer.to_owned(), secret);
    }
}

/// The stored secrets of a record.
pub(crate) async fn stored_secrets(
    secrets: &Secrets,
    site: &SiteId,
    id: &BreadcrumbId,
) -> Result<SecretValues, StoreError> {
    let Some(text) = secrets.get(site, &secret_name(id)).await? else {
        return Ok(SecretValues::new());
    };
    serde_json::from_str(text.expose_secret()).map_err(|_unreadable| StoreError::Corrupt {
        what: "configuration",
    })
}

/// Stores the secrets of a record, or removes those it had.
pub(crate) async fn store_secrets(
    secrets: &Secrets,
    site: &SiteId,
    id: &BreadcrumbId,
    sealed: &SecretValues,
    by: &Stamp,
) -> Result<(), StoreError> {
    if sealed.is_empty() {
        return secrets.remove(site, &secret_name(id), by).await;
    }
    let text = serde_json::to_string(sealed).map_err(|_unwritable| StoreError::Unstorable)?;
    let text = SecretString::from(text);
    secrets.put(site, &secret_name(id), &text, by).await
}

/// The configuration with its secrets, for the tool that uses it.
pub(crate) fn with_secrets(mut config: Value, sealed: &SecretValues) -> Value {
    for (pointer, secret) in sealed {
        if let Some(place) = config.pointer_mut(pointer) {
            *place = secret.clone();
        }
    }
    config
}

/// The configuration without its secrets.
pub(crate) fn without_secrets(mut config: Map<String, Value>) -> Map<String, Value> {
    config.retain(|_, value| *value != sealed_mark());
    config
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use sitewright_store::Sensitivity;

    use super::{SecretValues, take_secrets, with_secrets};

    fn taken(
        mut context: Value,
        sensitivity: Sensitivity,
        before: &SecretValues,
    ) -> (Value, SecretValues) {
        let fields = context.as_object_mut().unwrap();
        let sealed = take_secrets(fields, sensitivity, before);
        (context, sealed)
    }

    #[test]
    fn secrets_leave_the_record_and_come_back_for_the_tool() {
        let config = json!({ "apiKey": "sk-1", "model": "m", "max_tokens": 5, "auth": { "Authorization": "Bearer x" } });
        let context = json!({ "tool_name": "openrouter", "config": config });
        let (stored, sealed) = taken(context, Sensitivity::Low, &SecretValues::new());
        assert_eq!(
            stored["config"],
            json!({ "apiKey": { "sealed": true }, "model": "m", "max_tokens": 5, "auth": { "Authorization": { "sealed": true } } })
        );
        assert_eq!(with_secrets(stored["config"].clone(), &sealed), config);
    }

    /// Neither a number nor a deep place keeps a secret in the record.
    #[test]
    fn secrets_are_taken_whatever_their_type_and_depth() {
        let deep = (0..40).fold(
            json!({ "pin_secret": 4711 }),
            |inner, _| json!({ "a": inner }),
        );
        let context = json!({ "config": deep });
        let (stored, sealed) = taken(context, Sensitivity::Low, &SecretValues::new());
        assert!(!stored.to_string().contains("4711"), "{stored}");
        assert_eq!(with_secrets(stored["config"].clone(), &sealed), deep);
    }

    #[test]
    fn a_mark_keeps_the_secret_and_a_new_value_replaces_it() {
        let first = json!({ "config": { "api_key": "one", "other_token": "two" } });
        let (stored, before) = taken(first, Sensitivity::Low, &SecretValues::new());
        let mut second = stored;
        second["config"]["api_key"] = json!("three");
        let (stored, sealed) = taken(second, Sensitivity::Low, &before);
        assert_eq!(
            with_secrets(stored["config"].clone(), &sealed),
            json!({ "api_key": "three", "other_token": "two" })
        );
    }

    #[test]
    fn every_text_of_a_secret_configuration_is_taken() {
        let context = json!({ "config": { "model": "m", "n": 1 } });
        let (stored, _) = taken(context, Sensitivity::Secret, &SecretValues::new());
        assert_eq!(
            stored["config"],
            json!({ "model": { "sealed": true }, "n": 1 })
        );
    }
}

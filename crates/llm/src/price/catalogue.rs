//! The price list itself.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::key::{is_dated, pricing_key};

/// The exact price of one token, in trillionths of a US dollar.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Rate(u64);

impl Rate {
    /// The rate in US dollars per million tokens, the usual way to quote it.
    pub fn per_million(self) -> f64 {
        self.0 as f64 / 1e6
    }

    /// The inverse of [`per_million`](Self::per_million); `None` for negative numbers and NaN.
    pub(crate) fn from_per_million(dollars: f64) -> Option<Self> {
        (dollars >= 0.0).then_some(Self((dollars * 1e6).round() as u64))
    }

    pub(super) fn times(self, tokens: u64) -> u128 {
        u128::from(self.0) * u128::from(tokens)
    }

    /// Parses a decimal such as `0.0000025` without a detour through floats; `None` for what is not a price, such as `-1`.
    fn parse(text: &str) -> Option<Self> {
        const DIGITS: usize = 12;
        let (whole, fraction) = text.trim().split_once('.').unwrap_or((text.trim(), ""));
        let fraction: String = fraction.chars().take(DIGITS).collect();
        let digits = format!("{whole}{fraction:0<DIGITS$}");
        if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            // Some entries use scientific notation, such as 2.5e-06.
            let dollars: f64 = text.trim().parse().ok()?;
            return (dollars >= 0.0).then_some(Self((dollars * 1e12).round() as u64));
        }
        digits.parse().ok().map(Self)
    }
}

/// The prices and the context window of a model; `None` is unknown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ModelPrice {
    /// Input and output together, in tokens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context_window: Option<u64>,
    /// Input.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt: Option<Rate>,
    /// Output.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub completion: Option<Rate>,
    /// Input from a cache.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_read: Option<Rate>,
    /// Input that is written to a cache.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_write: Option<Rate>,
    /// Input that is written to a cache for an hour.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_write_1h: Option<Rate>,
}

/// Prices and windows by [`pricing_key`].
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Catalogue {
    models: BTreeMap<String, ModelPrice>,
}

/// The text is not a list of models.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the price list could not be read: {0}")]
pub struct BadCatalogue(String);

/// The most entries that are read; the real list has hundreds.
const MODELS_MAX: usize = 20_000;

impl Catalogue {
    /// The built-in list.
    pub fn bundled() -> Arc<Self> {
        let read = Self::from_openrouter(include_bytes!("../../data/models.json"));
        // A test parses the file, so the default is never used.
        Arc::new(read.unwrap_or_default())
    }

    /// Parses OpenRouter's `/api/v1/models`. Entries without an id are left out.
    pub fn from_openrouter(body: &[u8]) -> Result<Self, BadCatalogue> {
        let value: Value =
            serde_json::from_slice(body).map_err(|error| BadCatalogue(error.to_string()))?;
        let entries = value["data"]
            .as_array()
            .ok_or_else(|| BadCatalogue("it has no `data`".to_owned()))?;
        let mut models = BTreeMap::new();
        // Dated and undated names share a key. The undated one has the current price, so it is inserted last and wins.
        for dated in [true, false] {
            for entry in entries.iter().take(MODELS_MAX) {
                let Some(id) = entry["id"].as_str() else {
                    continue;
                };
                if is_dated(id) == dated {
                    models.insert(pricing_key(id), ModelPrice::from_openrouter(entry));
                }
            }
        }
        if models.is_empty() {
            return Err(BadCatalogue("it names no models".to_owned()));
        }
        Ok(Self { models })
    }

    /// Looks up a model by any of its names.
    pub fn get(&self, model: &str) -> Option<&ModelPrice> {
        self.models.get(&pricing_key(model))
    }

    /// The number of models in the list.
    pub fn len(&self) -> usize {
        self.models.len()
    }

    /// Whether the list has no models.
    pub fn is_empty(&self) -> bool {
        self.models.is_empty()
    }
}

impl ModelPrice {
    /// Parses an entry of OpenRouter's list.
    pub(crate) fn from_openrouter(entry: &Value) -> Self {
        let pricing = &entry["pricing"];
        let rate = |name: &str| pricing[name].as_str().and_then(Rate::parse);
        Self {
            context_window: entry["context_length"]
                .as_u64()
                .filter(|window| *window > 0),
            prompt: rate("prompt"),
            completion: rate("completion"),
            cache_read: rate("input_cache_read"),
            cache_write: rate("input_cache_write"),
            cache_write_1h: rate("input_cache_write_1h"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Catalogue, Rate};
    use serde_json::json;

    #[test]
    fn prices_are_exact_decimals() {
        let check =
            |text, rate: Option<u64>| assert_eq!(Rate::parse(text), rate.map(Rate), "{text}");
        check("0.0000025", Some(2_500_000));
        check("0", Some(0));
        check("0.000000000000000001", Some(0));
        check("2.5e-06", Some(2_500_000));
        check("-1", None);
        check("free", None);
    }

    #[test]
    fn the_built_in_list_prices_what_people_start_with() {
        let bundled = Catalogue::bundled();
        for model in ["claude-opus-5-5", "claude-haiku-4-5-20251001", "gpt-6-sol"] {
            let entry = bundled.get(model).unwrap();
            assert!(
                entry.prompt.is_some() && entry.completion.is_some(),
                "{model}"
            );
            assert!(entry.context_window.is_some(), "{model}");
        }
    }

    #[test]
    fn the_undated_name_is_the_one_that_counts() {
        let entry = |id: &str, prompt: &str| json!({ "id": id, "context_length": 8, "pricing": { "prompt": prompt } });
        let list = json!({ "data": [
            entry("openai/gpt-4o", "0.0000025"),
            entry("openai/gpt-4o-2024-05-13", "0.000005"),
            { "no": "id" },
        ] });
        let catalogue = Catalogue::from_openrouter(list.to_string().as_bytes()).unwrap();
        let price = catalogue.get("gpt-4o-2024-08-06").unwrap();
        assert_eq!(price.prompt, Some(Rate(2_500_000)));
        assert_eq!(catalogue.len(), 1);
    }

    #[test]
    fn what_is_no_list_is_refused() {
        let read = |text: &str| {
            Catalogue::from_openrouter(text.as_bytes())
                .unwrap_err()
                .to_string()
        };
        assert_eq!(
            read("{}"),
            "the price list could not be read: it has no `data`"
        );
        assert_eq!(
            read(r#"{"data":[]}"#),
            "the price list could not be read: it names no models"
        );
    }
}

//! Selectors: which records someone is interested in.
//!
//! A selector that cannot be understood is refused, and a comparison that makes no sense for a value does not match. So a typo never
//! selects more than was meant.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sitewright_store::{Breadcrumb, Sensitivity};

const MATCHES_MAX: usize = 20;

/// Which records are meant. All conditions must hold.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Selector {
    /// At least one of these tags.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub any_tags: Vec<String>,
    /// All of these tags.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub all_tags: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schema_name: Option<String>,
    /// Conditions on the content.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub context_match: Vec<ContextMatch>,
}

/// A condition on the content of a record.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ContextMatch {
    /// Where to look, such as `$.status` or `$.items[0].price`.
    pub path: String,
    pub op: MatchOp,
    /// What to compare with; not needed for `exists`.
    #[serde(default)]
    pub value: Value,
}

/// How a value is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MatchOp {
    Eq,
    Ne,
    Gt,
    Gte,
    Lt,
    Lte,
    /// A list that holds the value, or a text that contains it.
    Contains,
    /// A list that holds one of the values.
    ContainsAny,
    Exists,
}

/// Why a selector cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadSelector {
    #[error("`{0}` is no path: write `$.field`, `$.a.b` or `$.list[0]`")]
    Path(String),
    #[error("a selector has at most {MATCHES_MAX} conditions")]
    TooMany,
    #[error("`contains_any` needs a list of values")]
    NoList,
    #[error("it cannot be read: {0}")]
    Unreadable(String),
}

impl Selector {
    /// Parses and checks a selector that is written as JSON.
    pub fn parse(text: &str) -> Result<Self, BadSelector> {
        let selector: Self = serde_json::from_str(text)
            .map_err(|error| BadSelector::Unreadable(error.to_string()))?;
        selector.check()?;
        Ok(selector)
    }

    /// Fails unless every condition can be evaluated.
    pub fn check(&self) -> Result<(), BadSelector> {
        if self.context_match.len() > MATCHES_MAX {
            return Err(BadSelector::TooMany);
        }
        for condition in &self.context_match {
            if parts(&condition.path).is_none() {
                let shown: String = condition.path.chars().take(60).collect();
                return Err(BadSelector::Path(shown));
            }
            if condition.op == MatchOp::ContainsAny && !condition.value.is_array() {
                return Err(BadSelector::NoList);
            }
        }
        Ok(())
    }

    /// Whether a record is meant. What models may not see cannot be found by its content either: one condition after another would tell
    /// all of it.
    pub fn matches(&self, record: &Breadcrumb) -> bool {
        let is_open = record.sensitivity == Sensitivity::Low || self.context_match.is_empty();
        is_open && self.matches_parts(&record.schema_name, &record.tags, &record.context)
    }

    /// Whether the record of an event is meant, as far as its schema and tags say.
    pub fn matches_event(&self, schema: &str, tags: &[String]) -> bool {
        self.matches_parts(schema, tags, &Value::Null)
    }

    pub(crate) fn matches_parts(&self, schema: &str, tags: &[String], context: &Value) -> bool {
        let has = |tag: &String| tags.contains(tag);
        self.schema_name.as_ref().is_none_or(|name| name == schema)
            && (self.any_tags.is_empty() || self.any_tags.iter().any(has))
            && self.all_tags.iter().all(has)
            && self
                .context_match
                .iter()
                .all(|condition| condition.holds(context))
    }
}

impl ContextMatch {
    fn holds(&self, context: &Value) -> bool {
        let Some(parts) = parts(&self.path) else {
            return false;
        };
        let mut found = context;
        for part in parts {
            let next = match part {
                Part::Field(name) => found.get(name),
                Part::Item(index) => found.get(index),
            };
            let Some(next) = next else {
                return false;
            };
            found = next;
        }
        let numbers = || Some((found.as_f64()?, self.value.as_f64()?));
        let compared = |fits: fn(f64, f64) -> bool| numbers().is_some_and(|(a, b)| fits(a, b));
        match self.op {
            MatchOp::Exists => true,
            MatchOp::Eq => *found == self.value,
            MatchOp::Ne => *found != self.value,
            MatchOp::Gt => compared(|a, b| a > b),
            MatchOp::Gte => compared(|a, b| a >= b),
            MatchOp::Lt => compared(|a, b| a < b),
            MatchOp::Lte => compared(|a, b| a <= b),
            MatchOp::Contains => match (found, &self.value) {
                (Value::Array(items), value) => items.contains(value),
                (Value::String(text), Value::String(part)) => text.contains(part.as_str()),
                _ => false,
            },
            MatchOp::ContainsAny => match (found, &self.value) {
                (Value::Array(items), Value::Array(values)) => {
                    values.iter().any(|value| items.contains(value))
                }
                _ => false,
            },
        }
    }
}

enum Part<'a> {
    Field(&'a str),
    Item(usize),
}

fn parts(path: &str) -> Option<Vec<Part<'_>>> {
    let mut parts = Vec::new();
    for name in path.strip_prefix("$.")?.split('.') {
        let (name, mut items) = name.split_at(name.find('[').unwrap_or(name.len()));
        if name.is_empty() {
            return None;
        }
        parts.push(Part::Field(name));
        while !items.is_empty() {
            let (index, rest) = items.strip_prefix('[')?.split_once(']')?;
            parts.push(Part::Item(index.parse().ok()?));
            items = rest;
        }
    }
    Some(parts)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::Selector;

    fn check(selector: Value, expected: bool) {
        let parsed = Selector::parse(&selector.to_string()).unwrap();
        let tags = ["a".to_owned(), "session:1".to_owned()];
        let context = json!({ "status": "error", "n": 5, "list": [{ "x": 1 }, "y"], "none": null });
        let found = parsed.matches_parts("tool.response.v1", &tags, &context);
        assert_eq!(found, expected, "{selector}");
    }

    fn condition(path: &str, op: &str, value: Value) -> Value {
        json!({ "context_match": [{ "path": path, "op": op, "value": value }] })
    }

    #[test]
    fn all_conditions_must_hold() {
        check(json!({}), true);
        check(
            json!({ "schema_name": "tool.response.v1", "any_tags": ["a", "b"], "all_tags": ["session:1"] }),
            true,
        );
        check(json!({ "schema_name": "other" }), false);
        check(json!({ "any_tags": ["b"] }), false);
        check(json!({ "all_tags": ["a", "b"] }), false);
        check(condition("$.status", "eq", json!("error")), true);
        check(condition("$.n", "gt", json!(4)), true);
        check(condition("$.n", "gt", json!(5)), false);
        check(condition("$.list[0].x", "lte", json!(1)), true);
        check(condition("$.list", "contains", json!("y")), true);
        check(condition("$.list", "contains_any", json!(["z", "y"])), true);
        check(condition("$.none", "exists", Value::Null), true);
    }

    /// R6: what is not understood or not there selects nothing.
    #[test]
    fn selectors_fail_closed() {
        check(condition("$.missing", "ne", json!(1)), false);
        check(condition("$.status", "gt", json!(1)), false);
        check(condition("$.n", "contains", json!(5)), false);
        for (bad, expected) in [
            (
                condition("status", "eq", json!(1)),
                "`status` is no path: write `$.field`, `$.a.b` or `$.list[0]`",
            ),
            (
                condition("$.list[x]", "eq", json!(1)),
                "`$.list[x]` is no path: write `$.field`, `$.a.b` or `$.list[0]`",
            ),
            (
                condition("$.n", "contains_any", json!(1)),
                "`contains_any` needs a list of values",
            ),
        ] {
            let error = Selector::parse(&bad.to_string()).unwrap_err();
            assert_eq!(error.to_string(), expected);
        }
        for unknown in [
            condition("$.n", "matches", json!(1)),
            json!({ "tags": ["a"] }),
        ] {
            let error = Selector::parse(&unknown.to_string()).unwrap_err();
            assert!(error.to_string().contains("unknown"), "{error}");
        }
    }
}

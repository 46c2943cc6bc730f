//! Calls by the names that tools had before: each is turned into the call that has its effect today.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::Scope;

/// How a call by an old name is made today.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct OldCall {
    /// The old name.
    pub old: String,
    /// The tool that does it today; none for a tool that was removed.
    pub tool: Option<String>,
    /// The scope of that tool; none for a tool of every scope.
    #[serde(default)]
    pub scope: Option<Scope>,
    /// For a removed tool: what to do instead.
    pub instead: Option<String>,
    /// Arguments that are filled in where the call has none.
    #[serde(default)]
    default: Map<String, Value>,
    /// New arguments made of old ones: `{location}/{label}`. The old ones are left out.
    #[serde(default)]
    compose: BTreeMap<String, String>,
    /// New arguments that go with an old one, whatever its value.
    #[serde(default)]
    imply: BTreeMap<String, Map<String, Value>>,
    /// Arguments by their new names.
    #[serde(default)]
    rename: BTreeMap<String, String>,
    /// Arguments that are one element of a list today.
    #[serde(default)]
    wrap: BTreeMap<String, String>,
    /// Arguments with a fixed value.
    #[serde(default)]
    set: Map<String, Value>,
    /// Values that no single call has the effect of, each with what to do instead.
    #[serde(default)]
    refuse: BTreeMap<String, BTreeMap<String, String>>,
}

/// A call as it is made today.
#[derive(Debug, Clone, PartialEq)]
pub struct RenewedCall {
    pub tool: String,
    pub scope: Option<Scope>,
    pub arguments: Value,
}

/// Why an old call cannot be turned into one of today, with what to do instead.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OldCallProblem {
    /// The tool was removed.
    Removed(String),
    /// These arguments need several calls.
    Arguments(String),
}

impl OldCall {
    /// The call of today that has the effect of this one.
    pub fn renewed(&self, arguments: Value) -> Result<RenewedCall, OldCallProblem> {
        let Some(tool) = &self.tool else {
            let instead = self.instead.clone().unwrap_or_default();
            return Err(OldCallProblem::Removed(instead));
        };
        let arguments = match arguments {
            Value::Object(given) => Value::Object(self.arguments(given)?),
            other => other,
        };
        Ok(RenewedCall {
            tool: tool.clone(),
            scope: self.scope,
            arguments,
        })
    }

    fn arguments(
        &self,
        mut given: Map<String, Value>,
    ) -> Result<Map<String, Value>, OldCallProblem> {
        for (name, refused) in &self.refuse {
            let text = given.get(name).map(text_of).unwrap_or_default();
            let any = refused.get("*").filter(|_| given.contains_key(name));
            if let Some(instead) = refused.get(&text).or(any) {
                return Err(OldCallProblem::Arguments(instead.clone()));
            }
        }
        for (name, value) in &self.default {
            given.entry(name.clone()).or_insert_with(|| value.clone());
        }
        let implied: Vec<Map<String, Value>> = self
            .imply
            .iter()
            .filter(|(name, _)| given.contains_key(*name))
            .map(|(_, more)| more.clone())
            .collect();
        let composed: Vec<(String, Value)> = self
            .compose
            .iter()
            .map(|(name, pattern)| (name.clone(), Value::String(filled(pattern, &given))))
            .collect();
        for pattern in self.compose.values() {
            for name in names_in(pattern) {
                given.remove(name);
            }
        }
        for (old, new) in &self.rename {
            if let Some(value) = given.remove(old) {
                given.entry(new.clone()).or_insert(value);
            }
        }
        given.extend(composed);
        given.extend(implied.into_iter().flatten());
        for (old, new) in &self.wrap {
            match given.remove(old) {
                Some(Value::Array(list)) => drop(given.insert(new.clone(), Value::Array(list))),
                Some(one) => drop(given.insert(new.clone(), Value::Array(vec![one]))),
                None => {}
            }
        }
        given.extend(self.set.clone());
        Ok(given)
    }
}

fn text_of(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// The names in the braces of a pattern.
fn names_in(pattern: &str) -> impl Iterator<Item = &str> {
    let parts = pattern.split('{').skip(1);
    parts.filter_map(|part| part.split_once('}').map(|(name, _)| name))
}

fn filled(pattern: &str, given: &Map<String, Value>) -> String {
    names_in(pattern).fold(pattern.to_owned(), |text, name| {
        let value = given.get(name).map(text_of).unwrap_or_default();
        text.replace(&format!("{{{name}}}"), &value)
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{OldCall, OldCallProblem};

    #[test]
    fn arguments_are_renamed_wrapped_composed_and_filled_in() {
        let written = json!({
            "old": "rename_item", "tool": "updateItem", "scope": "content", "default": { "place": "top" },
            "compose": { "id": "{place}/{label}" }, "rename": { "newLabel": "label", "href": "url" },
            "imply": { "href": { "type": "url" } }, "wrap": { "tag": "tags" }, "set": { "kept": true },
            "refuse": { "place": { "both": "Make two calls." } }
        });
        let old: OldCall = serde_json::from_value(written).unwrap();
        let arguments = json!({ "label": "A", "newLabel": "B", "href": "/b", "tag": "x" });
        assert_eq!(
            old.renewed(arguments).unwrap().arguments,
            json!({ "id": "top/A", "label": "B", "url": "/b", "type": "url", "tags": ["x"], "kept": true })
        );
        assert_eq!(
            old.renewed(json!({ "place": "both" })),
            Err(OldCallProblem::Arguments("Make two calls.".to_owned()))
        );
    }
}

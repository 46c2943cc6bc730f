//! Converts a tool's input schema into a form that every provider accepts.
//!
//! Providers support different parts of JSON Schema. What all of them support stays; what some refuse is removed or rewritten. Calls
//! are validated against the tool's own schema, so this does not weaken validation.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

/// Formats that are part of JSON Schema; `uint32` and the like are not.
const FORMATS: &[&str] = &[
    "date-time",
    "date",
    "time",
    "duration",
    "email",
    "hostname",
    "ipv4",
    "ipv6",
    "uri",
    "uuid",
];

/// Returns the schema to send: with an object at its root, and without external references and non-standard formats.
pub(crate) fn for_wire(schema: &Value) -> Value {
    let mut schema = cleaned(schema);
    if !schema.is_object() {
        schema = json!({});
    }
    flatten_root(&mut schema);
    if let Value::Object(root) = &mut schema {
        root.insert("type".to_owned(), json!("object"));
        root.entry("properties").or_insert_with(|| json!({}));
    }
    schema
}

fn cleaned(value: &Value) -> Value {
    match value {
        Value::Array(items) => Value::Array(items.iter().map(cleaned).collect()),
        Value::Object(fields) => {
            let mut out = Map::new();
            for (key, value) in fields {
                // The keys of these are names that the tool chose, not keywords.
                let value = match (key.as_str(), value) {
                    ("properties" | "$defs" | "definitions", Value::Object(named)) => {
                        let named = named
                            .iter()
                            .map(|(name, schema)| (name.clone(), cleaned(schema)));
                        Value::Object(named.collect())
                    }
                    ("default" | "const" | "enum" | "examples", value) => value.clone(),
                    (_, value) => cleaned(value),
                };
                if keeps(key, &value) {
                    out.insert(key.clone(), value);
                }
            }
            Value::Object(out)
        }
        other => other.clone(),
    }
}

fn keeps(key: &str, value: &Value) -> bool {
    match (key, value) {
        ("$schema" | "$id" | "$comment", _) => false,
        ("$ref", Value::String(target)) => target.starts_with('#'),
        ("format", Value::String(format)) => FORMATS.contains(&format.as_str()),
        _ => true,
    }
}

/// Replaces a choice at the root, which providers refuse, with one object that has the properties of all branches.
fn flatten_root(schema: &mut Value) {
    for choice in ["anyOf", "oneOf", "allOf"] {
        let Some(Value::Array(branches)) =
            schema.as_object_mut().and_then(|root| root.remove(choice))
        else {
            continue;
        };
        let branches: Vec<Value> = branches
            .iter()
            .map(|branch| resolved(branch, schema))
            .collect();
        let required = |branch: &Value| -> BTreeSet<String> {
            let names = branch["required"].as_array().into_iter().flatten();
            names
                .filter_map(|name| name.as_str().map(str::to_owned))
                .collect()
        };
        let all: Vec<BTreeSet<String>> = branches.iter().map(required).collect();
        let together = all.iter().cloned().reduce(|one, other| match choice {
            "allOf" => one.union(&other).cloned().collect(),
            _ => one.intersection(&other).cloned().collect(),
        });
        let mut needed = required(schema);
        needed.extend(together.unwrap_or_default());
        for branch in branches {
            let Value::Object(mut fields) = branch else {
                continue;
            };
            if let Some(Value::Object(properties)) = fields.remove("properties") {
                for (name, property) in properties {
                    merge_property(&mut schema["properties"], name, property);
                }
            }
        }
        schema["required"] = json!(needed);
    }
}

/// Adds a property. One that occurs in several branches, such as a tag, accepts the values of any of them.
fn merge_property(properties: &mut Value, name: String, property: Value) {
    if !properties.is_object() {
        *properties = json!({});
    }
    let seat = &mut properties[&name];
    *seat = match seat.take() {
        Value::Null => property,
        same if same == property => same,
        Value::Object(mut choice) if choice.len() == 1 && choice.contains_key("anyOf") => {
            if let Some(Value::Array(options)) = choice.get_mut("anyOf")
                && !options.contains(&property)
            {
                options.push(property);
            }
            Value::Object(choice)
        }
        other => json!({ "anyOf": [other, property] }),
    };
}

fn resolved(branch: &Value, root: &Value) -> Value {
    let target = branch["$ref"]
        .as_str()
        .and_then(|target| target.strip_prefix('#'));
    let found = target.and_then(|pointer| root.pointer(pointer));
    found.unwrap_or(branch).clone()
}

#[cfg(test)]
mod tests {
    use super::for_wire;
    use serde_json::{Value, json};

    fn check(schema: Value, expected: Value) {
        assert_eq!(for_wire(&schema), expected);
    }

    #[test]
    fn k19_what_some_providers_refuse_is_taken_out() {
        check(
            json!({
                "$schema": "https://json-schema.org/draft/2020-12/schema",
                "properties": {
                    "count": { "type": "integer", "format": "uint32" },
                    "when": { "type": "string", "format": "date-time" },
                    "other": { "$ref": "https://example.com/schema.json" },
                    "own": { "$ref": "#/$defs/Own" },
                    "format": { "type": "string" },
                },
                "$defs": { "Own": { "type": "string", "default": { "$schema": "data" } } },
            }),
            json!({
                "type": "object",
                "properties": {
                    "count": { "type": "integer" },
                    "when": { "type": "string", "format": "date-time" },
                    "other": {},
                    "own": { "$ref": "#/$defs/Own" },
                    "format": { "type": "string" },
                },
                "$defs": { "Own": { "type": "string", "default": { "$schema": "data" } } },
            }),
        );
    }

    #[test]
    fn the_root_is_always_an_object() {
        check(json!(true), json!({ "type": "object", "properties": {} }));
        check(json!({}), json!({ "type": "object", "properties": {} }));
    }

    #[test]
    fn a_choice_at_the_root_becomes_one_object() {
        check(
            json!({ "oneOf": [
                { "type": "object", "properties": { "kind": { "const": "a" }, "x": { "type": "string" } }, "required": ["kind", "x"] },
                { "$ref": "#/$defs/B" },
            ], "$defs": { "B": { "properties": { "kind": { "const": "b" } }, "required": ["kind"] } } }),
            json!({
                "type": "object",
                "properties": { "kind": { "anyOf": [{ "const": "a" }, { "const": "b" }] }, "x": { "type": "string" } },
                "required": ["kind"],
                "$defs": { "B": { "properties": { "kind": { "const": "b" } }, "required": ["kind"] } },
            }),
        );
    }
}

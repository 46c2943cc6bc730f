//! What was stored once is read for ever: fixtures of each format, frozen the day it came, that hold every variant and every
//! field there is.

#![expect(clippy::unwrap_used, reason = "a panic in a test is a failed test")]

use std::collections::BTreeSet;

use schemars::{JsonSchema, schema_for};
use serde::Serialize;
use serde_json::Value;
use sitewright_site::{
    Author, BodySnapshot, Change, PriorState, ShellSnapshot, StoredFormat, read_stored,
    upgrade_change,
};

const CHANGE: &str = include_str!("../fixtures/format-1/change.json");
/// Came later than the format: it adds kinds of entities and changes none.
const CONTENT: &str = include_str!("../fixtures/format-1/content.json");
const AUTHORS: &str = include_str!("../fixtures/format-1/authors.json");
const REPLACED: &str = include_str!("../fixtures/format-1/replaced.json");
const SHELL: &str = include_str!("../fixtures/format-1/shell.json");
const BODY: &str = include_str!("../fixtures/format-1/body.json");

/// Defaults that are left out when they are written.
const NEVER_WRITTEN: [&str; 3] = [
    "Namespace|\"html\"",
    "Origin|\"author\"",
    "SectionStatus|\"published\"",
];

fn reads_as_itself<T: StoredFormat + Serialize>(fixture: &str) {
    let read: T = read_stored(1, fixture).unwrap();
    let expected: Value = serde_json::from_str(fixture).unwrap();
    assert_eq!(serde_json::to_value(&read).unwrap(), expected);
}

#[test]
fn the_first_format_is_read_without_loss() {
    reads_as_itself::<Change>(CHANGE);
    reads_as_itself::<Change>(CONTENT);
    reads_as_itself::<Vec<PriorState>>(REPLACED);
    reads_as_itself::<ShellSnapshot>(SHELL);
    reads_as_itself::<BodySnapshot>(BODY);
    let authors: Vec<Author> = serde_json::from_str(AUTHORS).unwrap();
    let expected: Value = serde_json::from_str(AUTHORS).unwrap();
    assert_eq!(serde_json::to_value(&authors).unwrap(), expected);
    let change = upgrade_change(serde_json::from_str(CHANGE).unwrap()).unwrap();
    assert_eq!(change, serde_json::from_str(CHANGE).unwrap());
}

#[test]
fn the_fixtures_hold_every_variant_and_every_field() {
    let mut missing = &uncovered::<Change>(CHANGE) & &uncovered::<Change>(CONTENT);
    missing
        .retain(|place| !place.starts_with("Author") && !NEVER_WRITTEN.contains(&place.as_str()));
    missing.extend(uncovered::<Vec<Author>>(AUTHORS));
    // What the others are made of is in the change.
    let own = |missing: BTreeSet<String>, names: &[&str]| -> Vec<String> {
        let is_own = |place: &String| names.iter().any(|name| place.starts_with(name));
        missing.into_iter().filter(is_own).collect()
    };
    missing.extend(own(uncovered::<Vec<PriorState>>(REPLACED), &["Was"]));
    missing.extend(own(
        uncovered::<ShellSnapshot>(SHELL),
        &["Shell", "Items", "SiteSettings"],
    ));
    missing.extend(own(uncovered::<BodySnapshot>(BODY), &["BodySnapshot"]));
    assert_eq!(missing, BTreeSet::new());
}

/// The variants and fields of a type that a fixture does not hold.
fn uncovered<T: JsonSchema>(fixture: &str) -> BTreeSet<String> {
    let schema = schema_for!(T).to_value();
    let mut cover = Cover {
        definitions: schema["$defs"].clone(),
        known: BTreeSet::new(),
        held: BTreeSet::new(),
    };
    let root = T::schema_name().into_owned();
    cover.list(&root, &schema);
    for (name, definition) in cover.definitions.clone().as_object().into_iter().flatten() {
        cover.list(name, definition);
    }
    cover.walk(&root, &schema, &serde_json::from_str(fixture).unwrap());
    &cover.known - &cover.held
}

/// What a schema says there can be, and what was found of it.
struct Cover {
    definitions: Value,
    known: BTreeSet<String>,
    held: BTreeSet<String>,
}

impl Cover {
    /// Notes every variant and field below a schema, definitions apart.
    fn list(&mut self, name: &str, schema: &Value) {
        if !schema.is_object() {
            return;
        }
        for (field, inner) in schema["properties"].as_object().into_iter().flatten() {
            self.known.insert(format!("{name}.{field}"));
            self.list(&format!("{name}.{field}"), inner);
        }
        for value in schema["enum"]
            .as_array()
            .into_iter()
            .flatten()
            .filter(|value| !value.is_null())
        {
            self.known.insert(format!("{name}={value}"));
        }
        for branch in branches(schema) {
            let variant = format!("{name}|{}", variant(branch));
            if branch["type"] != "null" && branch.get("$ref").is_none() {
                self.known.insert(variant.clone());
                self.list(&variant, branch);
            }
        }
        for key in ["items", "additionalProperties"] {
            self.list(&format!("{name}[]"), &schema[key]);
        }
    }

    /// Notes what of a schema a value holds.
    fn walk(&mut self, name: &str, schema: &Value, value: &Value) {
        if !schema.is_object() {
            return;
        }
        if let Some(reference) = schema["$ref"].as_str() {
            let name = reference.rsplit('/').next().unwrap_or_default();
            let definition = self.definitions[name].clone();
            self.walk(name, &definition, value);
        }
        for (field, inner) in schema["properties"].as_object().into_iter().flatten() {
            if let Some(value) = value.get(field) {
                self.held.insert(format!("{name}.{field}"));
                self.walk(&format!("{name}.{field}"), inner, value);
            }
        }
        self.held.insert(format!("{name}={value}"));
        for branch in branches(schema).into_iter().cloned().collect::<Vec<_>>() {
            if matches(&branch, value) {
                let variant = format!("{name}|{}", variant(&branch));
                self.held.insert(variant.clone());
                self.walk(&variant, &branch, value);
            }
        }
        let inner = format!("{name}[]");
        for value in value.as_array().into_iter().flatten() {
            self.walk(&inner, &schema["items"], value);
        }
        let listed = schema["prefixItems"].as_array().into_iter().flatten();
        for (schema, value) in listed.zip(value.as_array().into_iter().flatten()) {
            self.walk(&inner, schema, value);
        }
        for (field, value) in value.as_object().into_iter().flatten() {
            if schema["properties"].get(field).is_none() {
                self.walk(&inner, &schema["additionalProperties"], value);
            }
        }
    }
}

fn branches(schema: &Value) -> Vec<&Value> {
    let lists = ["oneOf", "anyOf"]
        .into_iter()
        .filter_map(|key| schema[key].as_array());
    lists.flatten().collect()
}

/// What tells a variant from its siblings: its constant, its tag, its only field, or what it refers to.
fn variant(branch: &Value) -> String {
    let tag = branch["properties"]
        .as_object()
        .into_iter()
        .flatten()
        .find_map(|(field, inner)| {
            let tag = inner.get("const")?;
            Some(format!("{field}:{tag}"))
        });
    let constant = || branch.get("const").map(Value::to_string);
    let field = || branch["required"][0].as_str().map(str::to_owned);
    let reference = || branch["$ref"].as_str().map(str::to_owned);
    tag.or_else(constant)
        .or_else(field)
        .or_else(reference)
        .unwrap_or_else(|| branch["type"].to_string())
}

fn matches(branch: &Value, value: &Value) -> bool {
    let of_type = |name: &str| match name {
        "null" => value.is_null(),
        "string" => value.is_string(),
        "object" => value.is_object(),
        "array" => value.is_array(),
        "boolean" => value.is_boolean(),
        _ => value.is_number(),
    };
    if let Some(constant) = branch.get("const") {
        return constant == value;
    }
    if let Some(values) = branch["enum"].as_array() {
        return values.contains(value);
    }
    let tags = branch["properties"].as_object().into_iter().flatten();
    let tags_fit = tags
        .filter_map(|(field, inner)| Some((field, inner.get("const")?)))
        .all(|(field, tag)| value.get(field) == Some(tag));
    let required = branch["required"].as_array().into_iter().flatten();
    let has_all = required
        .filter_map(Value::as_str)
        .all(|field| value.get(field).is_some());
    tags_fit && has_all && branch["type"].as_str().is_none_or(of_type)
}

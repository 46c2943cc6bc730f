//! Schemas of documents, and what they become.

use serde_json::{Value, json};
use sitewright_runtime::Schema;

use super::{Direction, SchemaWriter};
use crate::openapi::bundle::{Bundle, Documents};
use crate::openapi::finding::Findings;

fn written(document: &Value, direction: Direction) -> (Value, Vec<String>) {
    let bundle = Bundle::single("api.json", document.to_string());
    let documents = Documents::parse(&bundle);
    let mut findings = Findings::default();
    let mut writer = SchemaWriter::new(&documents, direction);
    let root = documents.root().unwrap();
    let schema = root.get("schema").unwrap();
    let written = writer.write(&schema, &mut findings);
    let written = writer.finish(written, &schema.place, &mut findings);
    Schema::compile(&written).unwrap();
    let findings = findings.sorted();
    let codes = findings
        .iter()
        .map(|one| format!("{} {}", one.code, one.pointer));
    (written, codes.collect())
}

fn check(schema: Value, expected: Value) {
    let (written, findings) = written(&json!({ "schema": schema }), Direction::Request);
    assert_eq!(written, expected);
    assert_eq!(findings, [""; 0]);
}

#[test]
fn what_3_0_spells_differently_is_translated() {
    check(
        json!({ "type": "string", "nullable": true, "enum": ["a"] }),
        json!({ "type": ["string", "null"], "enum": ["a", null] }),
    );
    check(
        json!({ "type": "number", "minimum": 1, "exclusiveMinimum": true, "maximum": 9, "exclusiveMaximum": false }),
        json!({ "type": "number", "maximum": 9, "exclusiveMinimum": 1 }),
    );
    check(
        json!({ "allOf": [{ "type": "object" }], "nullable": true }),
        json!({ "anyOf": [{ "allOf": [{ "type": "object" }] }, { "type": "null" }] }),
    );
    check(
        json!({ "type": "string", "example": "x", "xml": {}, "x-hint": 1, "discriminator": {} }),
        json!({ "type": "string", "examples": ["x"] }),
    );
    check(
        json!({ "exclusiveMinimum": 3, "type": ["integer", "null"] }),
        json!({ "exclusiveMinimum": 3, "type": ["integer", "null"] }),
    );
}

#[test]
fn circular_references_become_definitions() {
    let document = json!({
        "schema": { "$ref": "#/components/schemas/Node" },
        "components": { "schemas": { "Node": {
            "type": "object", "properties": { "next": { "$ref": "#/components/schemas/Node" } },
        } } },
    });
    let (schema, findings) = written(&document, Direction::Request);
    assert_eq!(
        schema,
        json!({
            "$ref": "#/$defs/Node",
            "$defs": { "Node": { "type": "object", "properties": { "next": { "$ref": "#/$defs/Node" } } } },
        })
    );
    assert_eq!(findings, [""; 0]);
}

#[test]
fn a_name_of_two_definitions_is_told_apart() {
    let document = json!({
        "schema": { "anyOf": [{ "$ref": "#/a/X" }, { "$ref": "#/b/X" }] },
        "a": { "X": { "type": "string" } }, "b": { "X": { "type": "number" } },
    });
    let (schema, _) = written(&document, Direction::Request);
    assert_eq!(
        schema,
        json!({
            "anyOf": [{ "$ref": "#/$defs/X" }, { "$ref": "#/$defs/X_2" }],
            "$defs": { "X": { "type": "string" }, "X_2": { "type": "number" } },
        })
    );
}

#[test]
fn values_that_no_validator_accepts_are_ignored_with_a_warning() {
    let schema = json!({
        "type": "object", "required": true,
        "properties": {
            "a": { "type": "any", "minLength": -1 },
            "b": { "pattern": "(" },
            "c": { "enum": [] },
            "d": { "$ref": "#/nowhere" },
        },
    });
    let (written, findings) = written(&json!({ "schema": schema }), Direction::Request);
    assert_eq!(
        written,
        json!({ "type": "object", "properties": { "a": {}, "b": {}, "c": {}, "d": {} } })
    );
    assert_eq!(
        findings,
        [
            "unresolved-ref /schema/properties/d/$ref",
            "invalid-schema /schema/required",
            "invalid-schema /schema/properties/a/type",
            "invalid-schema /schema/properties/a/minLength",
            "invalid-schema /schema/properties/c/enum",
            "invalid-schema /schema",
        ]
    );
}

#[test]
fn properties_of_the_other_direction_are_left_out() {
    let document = json!({
        "schema": {
            "type": "object", "required": ["id", "secret", "name"],
            "properties": {
                "id": { "type": "string", "readOnly": true },
                "secret": { "$ref": "#/secret" },
                "name": { "type": "string" },
            },
        },
        "secret": { "type": "string", "writeOnly": true },
    });
    let names = |direction| {
        let (schema, _) = written(&document, direction);
        let properties: Vec<String> = schema["properties"]
            .as_object()
            .unwrap()
            .keys()
            .cloned()
            .collect();
        (properties, schema["required"].clone())
    };
    assert_eq!(
        names(Direction::Request),
        (
            vec!["secret".to_owned(), "name".to_owned()],
            json!(["secret", "name"])
        )
    );
    assert_eq!(
        names(Direction::Answer),
        (
            vec!["id".to_owned(), "name".to_owned()],
            json!(["id", "name"])
        )
    );
}

/// A chain of definitions of 1 KB each, of which only the first fit.
#[test]
fn a_schema_that_is_too_large_accepts_anything_far_from_the_operation() {
    let mut parts = serde_json::Map::new();
    for at in 0..400 {
        let next = json!({ "$ref": format!("#/parts/p{}", (at + 1) % 400) });
        let part = json!({ "type": "object", "description": "x".repeat(1000), "properties": { "next": next } });
        parts.insert(format!("p{at}"), part);
    }
    let document = json!({ "schema": { "$ref": "#/parts/p0" }, "parts": parts });
    let (schema, findings) = written(&document, Direction::Request);
    assert!(schema.to_string().len() < 200 * 1024);
    assert_eq!(findings, ["large-schema /schema"]);
    let deep = (0..200).fold(
        json!({}),
        |inner, _| json!({ "type": "array", "items": inner }),
    );
    let text = deep.to_string();
    // The JSON parser itself stops at 128 levels, so half of them are in another part.
    assert!(serde_json::from_str::<Value>(&text).is_err());
    let half = (0..50).fold(
        json!({ "$ref": "#/rest" }),
        |inner, _| json!({ "type": "array", "items": inner }),
    );
    written(
        &json!({ "schema": half, "rest": { "type": "string" } }),
        Direction::Request,
    );
}

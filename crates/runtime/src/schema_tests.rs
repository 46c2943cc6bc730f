use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use jsonschema::Registry;
use serde_json::{Value, json};
use sitewright_testkit::packages::Package;
use sitewright_testkit::unless_missing;
use sitewright_tool::{ErrorCode, ToolManifest};

use super::{MISFITS_MAX, Schema, ToolSchemas};

fn misfits(schema: &Value, value: &Value) -> Vec<String> {
    let schema = Schema::compile(schema).unwrap();
    let misfits = schema.check(value).err().unwrap_or_default();
    misfits
        .iter()
        .map(|misfit| format!("{} {}", misfit.pointer, misfit.message))
        .collect()
}

fn check(schema: Value, value: Value, expected: &[&str]) {
    assert_eq!(misfits(&schema, &value), expected, "{schema} {value}");
}

fn refused(schema: &Value) -> String {
    Schema::compile(schema).unwrap_err().to_string()
}

#[test]
fn a_misfit_says_where_and_what_would_be_right() {
    check(
        json!({ "type": "integer" }),
        json!("x"),
        &[" must be a whole number, and is \"x\""],
    );
    check(
        json!({ "type": ["string", "null"] }),
        json!(1),
        &[" must be null or a text, and is 1"],
    );
    check(
        json!({ "properties": { "a/b": { "items": { "minimum": 3 } } } }),
        json!({ "a/b": [4, 2] }),
        &["/a~1b/1 must be at least 3, and is 2"],
    );
    check(
        json!({ "required": ["sku", "a/b"] }),
        json!({}),
        &["/sku is missing", "/a~1b is missing"],
    );
    check(
        json!({ "properties": { "a": {} }, "additionalProperties": false }),
        json!({ "a": 1, "b": 2 }),
        &[" has unknown fields, which must go: `b`"],
    );
    check(
        json!({ "enum": ["left", "right"] }),
        json!("up"),
        &[" must be one of \"left\", \"right\", and is \"up\""],
    );
    check(json!({ "const": 1 }), json!(2), &[" must be 1, and is 2"]);
    check(
        json!({ "maxLength": 2 }),
        json!("äöü"),
        &[" must have at most 2 characters, and has 3"],
    );
    check(
        json!({ "pattern": "^a+$" }),
        json!("b"),
        &[" must match the pattern `^a+$`, and is \"b\""],
    );
    check(
        json!({ "minItems": 1 }),
        json!([]),
        &[" must have at least 1 items, and has 0"],
    );
    check(
        json!({ "uniqueItems": true }),
        json!([1, 1]),
        &[" must not have the same item twice"],
    );
    check(
        json!({ "properties": { "a": false } }),
        json!({ "a": 1 }),
        &["/a must not be there"],
    );
    check(
        json!({ "propertyNames": { "maxLength": 1 } }),
        json!({ "ab": 1 }),
        &[
            " has the field \"ab\", whose name does not fit: it must have at most 1 characters, and has 2",
        ],
    );
}

#[test]
fn of_several_forms_the_nearest_is_told() {
    let schema = json!({ "anyOf": [
        { "type": "string" },
        { "type": "object", "properties": { "id": { "type": "integer" } }, "required": ["id"] },
    ] });
    check(
        schema.clone(),
        json!({ "id": "x" }),
        &["/id must be a whole number, and is \"x\""],
    );
    check(
        schema,
        json!(1),
        &[" fits none of its 2 forms; the nearest says: must be an object, and is 1"],
    );
}

#[test]
fn twenty_misfits_are_enough() {
    let value: Vec<&str> = vec!["x"; 5_000];
    let found = misfits(&json!({ "items": { "type": "integer" } }), &json!(value));
    assert_eq!(found.len(), MISFITS_MAX);
}

#[test]
fn a_long_value_is_not_quoted_whole() {
    let found = misfits(&json!({ "const": "a" }), &json!("x".repeat(1_000_000)));
    assert!(found[0].len() < 200, "{}", found[0].len());
}

#[test]
fn nothing_is_fetched() {
    for reference in [
        "https://example.com/a.json",
        "http://127.0.0.1:1/a.json",
        "file:///etc/hostname",
        "#/$defs/none",
    ] {
        let problem =
            refused(&json!({ "type": "object", "properties": { "a": { "$ref": reference } } }));
        assert!(
            problem.starts_with("has a reference that leads nowhere (")
                && problem.ends_with("point `$ref` into the same document, such as `#/$defs/name`"),
            "{problem}"
        );
    }
}

#[test]
fn what_is_no_schema_is_refused_with_the_place() {
    assert_eq!(
        refused(&json!({ "properties": { "a": { "type": "strin" } } })),
        "is not a JSON Schema 2020-12: `/properties/a/type` fits none of its 2 forms; the nearest says: must be a list, and is \"strin\""
    );
    assert_eq!(
        refused(&json!({ "minimum": "3" })),
        "is not a JSON Schema 2020-12: `/minimum` must be a number, and is \"3\""
    );
    assert_eq!(
        refused(&json!(3)),
        "is not a JSON Schema 2020-12: must be true or false or an object, and is 3"
    );
    let bad_pattern = refused(&json!({ "pattern": "(" }));
    assert!(
        bad_pattern.starts_with("is not a JSON Schema 2020-12: "),
        "{bad_pattern}"
    );
}

#[test]
fn schemas_of_older_drafts_are_read_as_this_one() {
    for draft in [
        "http://json-schema.org/draft-07/schema#",
        "http://json-schema.org/draft-04/schema#",
    ] {
        let schema = json!({
            "$schema": draft, "type": "object", "properties": { "sku": { "$ref": "#/definitions/sku" } },
            "definitions": { "sku": { "type": "string" } },
        });
        check(
            schema,
            json!({ "sku": 1 }),
            &["/sku must be a text, and is 1"],
        );
    }
}

#[test]
fn data_that_looks_like_a_reference_is_data() {
    let schema = json!({ "const": { "$ref": "#/x" }, "properties": { "const": { "$ref": "#/$defs/a" } }, "$defs": { "a": true } });
    check(schema, json!({ "$ref": "#/x" }), &[]);
}

#[test]
fn formats_are_notes() {
    check(
        json!({ "type": "string", "format": "email" }),
        json!("not an address"),
        &[],
    );
}

#[test]
fn recursive_schemas_check_nested_values_and_end() {
    let tree = json!({
        "type": "object",
        "properties": { "name": { "type": "string" }, "children": { "type": "array", "items": { "$ref": "#" } } },
        "required": ["name"],
    });
    check(
        tree.clone(),
        json!({ "name": "a", "children": [{ "name": "b", "children": [{ "name": 1 }] }] }),
        &["/children/0/children/0/name must be a text, and is 1"],
    );
    let mut deep = json!({ "name": "leaf" });
    for _ in 0..500 {
        deep = Value::Array(vec![deep]);
    }
    assert_eq!(
        misfits(&tree, &deep),
        [" is nested too deeply: use at most 120 levels"]
    );
    // A schema that only refers to itself accepts everything.
    check(json!({ "$ref": "#" }), json!(1), &[]);
    check(
        json!({ "$defs": { "a": { "$ref": "#/$defs/b" }, "b": { "$ref": "#/$defs/a" } }, "$ref": "#/$defs/a" }),
        json!(1),
        &[],
    );
}

/// Without the bound these checks would practically never end, so a test that ends proves that there is one.
#[test]
fn patterns_that_go_back_for_ever_are_given_up() {
    let hostile = "a".repeat(5_000) + "!";
    for pattern in ["^(a+)+$", "^(a|a)*$", "(?=a)(a+)+$", "^(?:(a+)\\1?)+$"] {
        let found = misfits(&json!({ "pattern": pattern }), &json!(hostile));
        assert_eq!(found.len(), 1, "{pattern}: {found:?}");
    }
    assert_eq!(
        misfits(&json!({ "pattern": "^(a*)*b\\1$" }), &json!(hostile)),
        [" could not be held against its pattern within the steps allowed; make it shorter"]
    );
    // Giving up differs from not matching: a value that must not match is refused too.
    let schema = json!({ "not": { "pattern": "^(a*)*b\\1$" } });
    assert!(!misfits(&schema, &json!(hostile)).is_empty());
    let huge = refused(&json!({ "pattern": "((a{1000}){1000}){1000}" }));
    assert!(huge.starts_with("is not a JSON Schema"), "{huge}");
}

#[test]
fn references_that_double_and_double_again_end() {
    for (reference, inside) in [("#/$defs/d", false), ("#d", false), ("#/$defs/d", true)] {
        let mut defs = serde_json::Map::new();
        for level in 0..60 {
            let below = json!({ "$ref": format!("{reference}{}", level + 1) });
            let doubled = json!({ "$anchor": format!("d{level}"), "allOf": [below, below] });
            defs.insert(format!("d{level}"), doubled);
        }
        defs.insert("d60".to_owned(), json!({ "$anchor": "d60" }));
        let mut doubled = json!({ "$ref": format!("{reference}0"), "$defs": defs });
        if inside {
            doubled["$id"] = json!("https://example.com/inner");
            doubled = json!({ "items": doubled });
        }
        let value = if inside { json!([1]) } else { json!(1) };
        assert_eq!(
            misfits(&doubled, &value),
            [" takes too many steps to check: send a smaller value, or simplify the schema"]
        );
    }
}

#[test]
fn references_that_lead_to_each_other_in_every_order_end() {
    let defs = (0..12).map(|number| {
        let others = (0..12).filter(|other| *other != number);
        let others: Vec<Value> = others
            .map(|other| json!({ "$ref": format!("#/$defs/d{other}") }))
            .collect();
        (
            format!("d{number}"),
            json!({ "allOf": others, "maximum": 100 }),
        )
    });
    let schema = json!({ "$ref": "#/$defs/d0", "$defs": defs.collect::<serde_json::Map<_, _>>() });
    assert_eq!(
        misfits(&schema, &json!(1)),
        [" takes too many steps to check: send a smaller value, or simplify the schema"]
    );
}

#[test]
fn a_value_with_too_many_readings_is_refused_without_particulars() {
    let form = |needs: &str| json!({ "type": "object", "properties": { "a": { "$ref": "#" } }, "required": [needs] });
    let schema = json!({ "anyOf": [form("x"), form("y")] });
    let nested = |levels: usize| {
        (0..levels).fold(json!({}), |inner, _| {
            let mut outer = serde_json::Map::new();
            outer.insert("a".to_owned(), inner);
            outer.insert("x".to_owned(), json!(1));
            outer.insert("y".to_owned(), json!(1));
            Value::Object(outer)
        })
    };
    assert_eq!(
        misfits(&schema, &nested(3)),
        ["/a/a/a fits none of its 2 forms; the nearest says: `/a/a/a/y` is missing"]
    );
    let found = misfits(&schema, &nested(40));
    assert_eq!(found.len(), 1);
    assert!(
        found[0].starts_with(" takes too many steps") || found[0].starts_with(" does not fit"),
        "{found:?}"
    );
}

#[test]
fn a_tool_s_schemas_refuse_with_the_code_and_the_places() {
    let manifest: ToolManifest = serde_json::from_value(json!({
        "name": "pim.getProduct", "description": "A product", "capability": "read", "timeoutMs": 3000,
        "retryPolicy": { "maxAttempts": 2 }, "idempotent": true,
        "inputSchema": { "type": "object", "properties": { "sku": { "type": "string" }, "n": { "minimum": 1 } }, "required": ["sku"] },
        "outputSchema": { "type": "object", "required": ["title"] },
    }))
    .unwrap();
    let schemas = ToolSchemas::new(&manifest);
    schemas.check_input(&json!({ "sku": "1" })).unwrap();
    let error = schemas.check_input(&json!({ "n": 0 })).unwrap_err();
    assert_eq!(error.code, ErrorCode::InvalidInput);
    let places: Vec<&str> = error.details.as_ref().unwrap()["errors"]
        .as_array()
        .unwrap()
        .iter()
        .map(|e| e["pointer"].as_str().unwrap())
        .collect();
    assert_eq!(places, ["/sku", "/n"]);
    assert_eq!(
        error.message,
        "The input at `/sku`: is missing (1 more in `details`). Correct it and call again."
    );
    let error = schemas.check_output(&json!({})).unwrap_err();
    assert_eq!(
        (error.code, error.message.as_str()),
        (
            ErrorCode::InvalidOutput,
            "The tool's answer at `/title`: is missing. The tool has to be corrected, or its `outputSchema`."
        )
    );
}

/// Runs all required 2020-12 cases of the JSON Schema Test Suite through [`Schema::compile_with`] and [`Schema::check`].
#[test]
fn the_json_schema_test_suite_passes() {
    let lock = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/schema_suite.json");
    let package = Package::locked(Path::new(lock)).remove(0);
    let Some(folder) = unless_missing(package.locate()) else {
        return;
    };
    let suite = folder.join("json");
    let known = remote_documents(&suite.join("remotes"));
    let known: Vec<(&str, &Value)> = known
        .iter()
        .map(|(uri, document)| (uri.as_str(), document))
        .collect();
    let mut registry = Registry::new();
    for (uri, document) in known {
        registry = registry.add(uri, document).unwrap();
    }
    let registry = registry.prepare().unwrap();
    let mut count = 0;
    let mut failures = Vec::new();
    for file in json_files(&suite.join("tests/draft2020-12")) {
        for group in read(&file).as_array().unwrap() {
            let schema = Schema::compile_with(&group["schema"], Some(&registry));
            for case in group["tests"].as_array().unwrap() {
                count += 1;
                let fits = schema
                    .as_ref()
                    .map(|schema| schema.check(&case["data"]).is_ok());
                if fits != Ok(case["valid"] == true) {
                    let name = file.file_name().unwrap().to_string_lossy().into_owned();
                    failures.push(format!(
                        "{name}: {} | {} | {fits:?}",
                        group["description"], case["description"]
                    ));
                }
            }
        }
    }
    assert_eq!(failures, Vec::<String>::new());
    assert!(count > 1_200, "only {count} cases");
}

/// The documents that the suite expects, by URI.
fn remote_documents(folder: &Path) -> BTreeMap<String, Value> {
    let mut documents = BTreeMap::new();
    let mut pending = vec![folder.to_owned()];
    while let Some(next) = pending.pop() {
        for file in json_files(&next) {
            let path = file
                .strip_prefix(folder)
                .unwrap()
                .to_string_lossy()
                .replace('\\', "/");
            // Documents of other drafts are not needed here, and some are not valid schemas of this one.
            if !path.starts_with("draft") || path.starts_with("draft2020-12") {
                documents.insert(format!("http://localhost:1234/{path}"), read(&file));
            }
        }
        let folders = fs::read_dir(&next)
            .unwrap()
            .map(|entry| entry.unwrap().path());
        pending.extend(folders.filter(|path| path.is_dir()));
    }
    documents
}

fn json_files(folder: &Path) -> Vec<PathBuf> {
    let paths = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> = paths
        .filter(|path| path.extension().is_some_and(|end| end == "json"))
        .collect();
    files.sort();
    files
}

fn read(file: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap()
}

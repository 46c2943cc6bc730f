//! Documents and the tools and requests that they become. Each case of the bug list of other importers is a test here.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use sitewright_runtime::Schema;

use super::{Import, ImportedTool, OperationChoice, import};
use crate::openapi::bundle::Bundle;

fn imported(document: &Value) -> Import {
    let bundle = Bundle::single("api.json", document.to_string());
    let import = import(&bundle, &OperationChoice::All);
    for tool in &import.tools {
        let manifest = &tool.definition.manifest;
        Schema::compile(&manifest.input_schema).unwrap();
        Schema::compile(&manifest.output_schema).unwrap();
    }
    import
}

/// A document with these paths.
fn document(paths: Value) -> Value {
    json!({ "openapi": "3.0.3", "info": { "title": "Shop", "version": "1" }, "paths": paths })
}

fn tool(document: &Value, name: &str) -> ImportedTool {
    let import = imported(document);
    let names: Vec<&str> = import
        .tools
        .iter()
        .map(|tool| tool.definition.name())
        .collect();
    let found = import
        .tools
        .iter()
        .find(|tool| tool.definition.name() == name);
    found
        .unwrap_or_else(|| panic!("{names:?} {:?}", import.findings))
        .clone()
}

/// The request that a call makes, as `METHOD target`, header lines and body. The arguments must fit the tool's own schema.
fn sent(tool: &ImportedTool, arguments: Value) -> Vec<String> {
    let schema = Schema::compile(&tool.definition.manifest.input_schema).unwrap();
    schema.check(&arguments).unwrap();
    let written = tool.request.write(arguments.as_object().unwrap()).unwrap();
    let mut lines = vec![format!("{} {}", written.method, written.target)];
    for (name, value) in &written.headers {
        lines.push(format!("{name}: {}", value.to_str().unwrap()));
    }
    if let Some(body) = written.body {
        lines.push(String::from_utf8(body).unwrap());
    }
    lines
}

fn parameter(name: &str, place: &str) -> Value {
    json!({ "name": name, "in": place, "required": place == "path", "schema": { "type": "string" } })
}

#[test]
fn parameters_of_every_place_and_of_the_path_arrive_beside_a_body() {
    let document = document(json!({ "/shops/{shop}/items": {
        "parameters": [parameter("shop", "path"), parameter("lang", "query")],
        "post": {
            "operationId": "addItem",
            "parameters": [parameter("X-Trace", "header"), parameter("sid", "cookie"),
                { "name": "lang", "in": "query", "required": true, "schema": { "type": "string", "enum": ["de", "en"] } }],
            "requestBody": { "required": true, "content": { "application/vnd.shop+json": { "schema": {
                "type": "object", "required": ["sku"], "properties": { "sku": { "type": "string" }, "count": { "type": "integer" } },
            } } } },
        },
    } }));
    let tool = tool(&document, "addItem");
    let schema = &tool.definition.manifest.input_schema;
    assert_eq!(schema["required"], json!(["shop", "lang", "sku"]));
    assert_eq!(schema["properties"]["lang"]["enum"], json!(["de", "en"]));
    let arguments =
        json!({ "shop": "a/b", "lang": "de", "X-Trace": "t", "sid": "s", "sku": "1", "count": 2 });
    assert_eq!(
        sent(&tool, arguments),
        [
            "POST /shops/a%2Fb/items?lang=de",
            "x-trace: t",
            "cookie: sid=s",
            "content-type: application/vnd.shop+json",
            r#"{"sku":"1","count":2}"#,
        ]
    );
}

#[test]
fn one_name_in_several_places_is_told_apart() {
    let document = document(json!({ "/users/{id}": { "put": {
        "operationId": "move",
        "parameters": [parameter("id", "path"), parameter("id", "query"), parameter("id", "header")],
        "requestBody": { "content": { "application/json": { "schema": {
            "type": "object", "properties": { "id": { "type": "integer" } }, "additionalProperties": false,
        } } } },
    } } }));
    let arguments = json!({ "id": "a", "query_id": "b", "header_id": "c", "body_id": 4 });
    assert_eq!(
        sent(&tool(&document, "move"), arguments),
        [
            "PUT /users/a?id=b",
            "id: c",
            "content-type: application/json",
            r#"{"id":4}"#
        ]
    );
}

#[test]
fn a_placeholder_that_occurs_twice_is_filled_twice() {
    let document = document(
        json!({ "/a/{x}/b/{x}": { "get": { "operationId": "twice", "parameters": [parameter("x", "path")] } } }),
    );
    assert_eq!(
        sent(&tool(&document, "twice"), json!({ "x": "1" })),
        ["GET /a/1/b/1"]
    );
}

#[test]
fn bodies_that_are_no_objects_are_one_argument() {
    let body = |media: &str, schema: Value| {
        document(
            json!({ "/x": { "post": { "operationId": "put", "requestBody": {
            "required": true, "content": { media: { "schema": schema } },
        } } } }),
        )
    };
    let list = body(
        "application/json",
        json!({ "type": "array", "items": { "type": "integer" } }),
    );
    assert_eq!(
        sent(&tool(&list, "put"), json!({ "body": [1, 2] })),
        ["POST /x", "content-type: application/json", "[1,2]"]
    );
    let either = body(
        "application/json",
        json!({ "oneOf": [
        { "type": "object", "required": ["a"], "properties": { "a": {} } }, { "type": "object", "required": ["b"], "properties": { "b": {} } },
    ] }),
    );
    assert_eq!(
        sent(&tool(&either, "put"), json!({ "body": { "b": 1 } })),
        ["POST /x", "content-type: application/json", r#"{"b":1}"#]
    );
    let text = body("text/plain", json!({ "type": "string" }));
    assert_eq!(
        sent(&tool(&text, "put"), json!({ "body": "hi" })),
        ["POST /x", "content-type: text/plain", "hi"]
    );
    let bytes = body("image/png", json!({ "type": "string", "format": "binary" }));
    assert_eq!(
        sent(&tool(&bytes, "put"), json!({ "body": "aGk=" })),
        ["POST /x", "content-type: image/png", "hi"]
    );
}

#[test]
fn forms_are_encoded() {
    let schema = json!({ "type": "object", "properties": {
        "a": { "type": "string" }, "tags": { "type": "array", "items": { "type": "string" } }, "o": { "type": "object" },
    } });
    let body = |media: &str| {
        document(
            json!({ "/x": { "post": { "operationId": "put", "requestBody": { "content": { media: { "schema": schema } } } } } }),
        )
    };
    let arguments = json!({ "a": "1 & 2", "tags": ["x", "y"], "o": { "k": 1 } });
    assert_eq!(
        sent(
            &tool(&body("application/x-www-form-urlencoded"), "put"),
            arguments.clone()
        ),
        [
            "POST /x",
            "content-type: application/x-www-form-urlencoded",
            "a=1%20%26%202&tags=x&tags=y&o=%7B%22k%22%3A1%7D",
        ]
    );
    let parts = sent(&tool(&body("multipart/form-data"), "put"), arguments);
    assert_eq!(
        parts[2]
            .matches("Content-Disposition: form-data; name=\"tags\"")
            .count(),
        2,
        "{parts:?}"
    );
}

#[test]
fn parts_of_an_all_of_are_put_together() {
    let mut document = document(
        json!({ "/x": { "post": { "operationId": "put", "requestBody": { "required": true, "content": {
        "application/json": { "schema": { "allOf": [
            { "$ref": "#/components/schemas/Base" },
            { "type": "object", "required": ["b"], "properties": { "b": { "type": "integer" }, "id": { "minLength": 2 } } },
        ] } },
    } } } } }),
    );
    document["components"] = json!({ "schemas": { "Base": {
        "type": "object", "required": ["id"], "properties": { "id": { "type": "string" }, "made": { "type": "string", "readOnly": true } },
    } } });
    let tool = tool(&document, "put");
    let schema = &tool.definition.manifest.input_schema;
    assert_eq!(
        schema["properties"],
        json!({ "id": { "allOf": [{ "type": "string" }, { "minLength": 2 }] }, "b": { "type": "integer" } })
    );
    assert_eq!(schema["required"], json!(["id", "b"]));
}

/// An optional body may be left out; once one of its fields is there, the others that it needs must be.
#[test]
fn an_optional_body_is_whole_or_absent() {
    let document = document(
        json!({ "/x": { "post": { "operationId": "put", "requestBody": { "content": { "application/json": {
        "schema": { "type": "object", "required": ["a"], "properties": { "a": {}, "b": {} } },
    } } } } } }),
    );
    let tool = tool(&document, "put");
    assert_eq!(sent(&tool, json!({})), ["POST /x"]);
    let schema = Schema::compile(&tool.definition.manifest.input_schema).unwrap();
    assert!(schema.check(&json!({ "b": 1 })).is_err());
    assert!(schema.check(&json!({ "b": 1, "a": 1 })).is_ok());
}

#[test]
fn fields_that_the_document_allows_go_into_the_body() {
    let open = |additional: Option<Value>| {
        let mut schema = json!({ "type": "object", "properties": { "a": {} } });
        if let Some(additional) = additional {
            schema["additionalProperties"] = additional;
        }
        document(
            json!({ "/x": { "post": { "operationId": "put", "requestBody": {
            "required": true, "content": { "application/json": { "schema": schema } },
        } } } }),
        )
    };
    assert_eq!(
        sent(&tool(&open(None), "put"), json!({ "more": 1 })),
        ["POST /x", "content-type: application/json", r#"{"more":1}"#]
    );
    let closed = tool(&open(Some(json!(false))), "put");
    let schema = Schema::compile(&closed.definition.manifest.input_schema).unwrap();
    assert!(schema.check(&json!({ "more": 1 })).is_err());
}

#[test]
fn paths_that_share_an_item_keep_their_operations() {
    let mut document = document(
        json!({ "/a": { "$ref": "#/components/pathItems/one" }, "/b": { "$ref": "#/components/pathItems/one" } }),
    );
    document["components"] =
        json!({ "pathItems": { "one": { "get": { "operationId": "look" } } } });
    let import = imported(&document);
    let targets: BTreeSet<&str> = import
        .tools
        .iter()
        .map(|tool| tool.request.path.as_str())
        .collect();
    let names: BTreeSet<&str> = import
        .tools
        .iter()
        .map(|tool| tool.definition.name())
        .collect();
    assert_eq!(
        (targets.len(), names.len()),
        (2, 2),
        "{:?}",
        import.findings
    );
}

#[test]
fn names_fit_stay_the_same_and_do_not_depend_on_the_order() {
    let long = "a".repeat(200);
    let other = format!("{long}b");
    let operations = [
        ("/1", json!({ "operationId": "repos/list-for user" })),
        ("/2", json!({ "operationId": long })),
        ("/3", json!({ "operationId": other })),
        (
            "/4/{id}",
            json!({ "parameters": [parameter("id", "path")] }),
        ),
        ("/5", json!({ "operationId": "__proto__" })),
        ("/6", json!({ "operationId": "ünïcode" })),
    ];
    let names = |operations: &[(&str, Value)]| -> BTreeSet<String> {
        let mut paths = serde_json::Map::new();
        for (path, operation) in operations {
            paths.insert((*path).to_owned(), json!({ "get": operation }));
        }
        let import = imported(&document(Value::Object(paths)));
        import
            .tools
            .iter()
            .map(|tool| tool.definition.name().to_owned())
            .collect()
    };
    let forward = names(&operations);
    let mut backward = operations.clone();
    backward.reverse();
    assert_eq!(forward, names(&backward));
    assert_eq!(forward.len(), 6);
    assert!(forward.iter().all(|name| name.len() <= 64), "{forward:?}");
    assert!(
        forward
            .iter()
            .any(|name| name.starts_with("repos_list-for_user_")),
        "{forward:?}"
    );
    assert!(
        forward.iter().any(|name| name.starts_with("get_4_id_")),
        "{forward:?}"
    );
}

#[test]
fn arguments_have_names_that_models_may_use() {
    let document = document(
        json!({ "/x": { "get": { "operationId": "find", "parameters": [
        parameter("filter[name]", "query"), parameter("$top", "query"), parameter("top", "query"), parameter("ü", "query"),
    ] } } }),
    );
    let arguments = json!({ "filter_name": "a", "top": "b", "query_top": "c", "query": "d" });
    let tool = tool(&document, "find");
    let names: BTreeSet<&String> = tool.definition.manifest.input_schema["properties"]
        .as_object()
        .unwrap()
        .keys()
        .collect();
    assert_eq!(names.len(), 4, "{names:?}");
    let [line] = sent(&tool, arguments).try_into().unwrap();
    for pair in ["filter%5Bname%5D=a", "%C3%BC=d"] {
        assert!(line.contains(pair), "{line}");
    }
}

#[test]
fn servers_have_their_variables_filled() {
    let mut document = document(json!({
        "/x": { "get": { "operationId": "a" } },
        "/y": { "servers": [{ "url": "https://y.example" }], "get": { "operationId": "b" } },
    }));
    document["servers"] = json!([{ "url": "https://{region}.example/{v}", "variables": { "region": { "default": "eu" }, "v": { "default": "v2" } } }]);
    assert_eq!(
        tool(&document, "a").request.server.as_deref(),
        Some("https://eu.example/v2")
    );
    assert_eq!(
        tool(&document, "b").request.server.as_deref(),
        Some("https://y.example")
    );
}

#[test]
fn vendors_that_declare_the_key_are_safe_to_ask_again() {
    let document = document(json!({
        "/x": {
            "post": { "operationId": "a", "parameters": [parameter("Idempotency-Key", "header")] },
            "delete": { "operationId": "b" },
            "patch": { "operationId": "c" },
        },
    }));
    let flags = ["a", "b", "c"].map(|name| tool(&document, name).definition.manifest.idempotent);
    assert_eq!(flags, [true, true, false]);
    assert_eq!(
        tool(&document, "a").definition.manifest.input_schema["properties"],
        json!({})
    );
}

#[test]
fn the_same_document_gives_the_same_tools() {
    let text = include_str!("../../tests/openapi/flights.yaml");
    let bundle = Bundle::single("flights.yaml", text);
    let once = import(&bundle, &OperationChoice::Marked);
    let again = import(&bundle, &OperationChoice::Marked);
    assert_eq!(once.tools, again.tools);
    assert_eq!(once.tools.len(), 2, "{:?}", once.findings);
}

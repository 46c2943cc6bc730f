//! The OpenAPI document of this API, generated from the table of routes and the types of their handlers.

use http::Method;
use schemars::Schema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};
use sitewright_tool::Capability;

use crate::problem::{ApiError, Problem};
use crate::route::{Access, Context, InputSource, Json, Nothing, Route};

pub(super) fn routes() -> Vec<Route> {
    let path = "/admin/api/openapi.json";
    vec![Route::new(
        Method::GET,
        path,
        Access::Needs(Capability::ToolsRead),
        "This document",
        show,
    )]
}

async fn show(_: Context, _: Nothing) -> Result<Json<Value>, ApiError> {
    Ok(Json(document()))
}

/// Generates the document.
pub(crate) fn document() -> Value {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.definitions_path = "/components/schemas".into();
        settings.meta_schema = None;
    });
    let mut generator = settings.into_generator();
    let problem = generator.subschema_for::<Problem>();
    let mut paths: Map<String, Value> = Map::new();
    for route in super::all() {
        let input = (route.input)(&mut generator);
        let output = (route.output)(&mut generator).map(|schema| ("application/json", schema));
        let outputs = output.into_iter().chain((route.stream)(&mut generator));
        let input = resolve(&input.to_value(), generator.definitions());
        let mut operation = json!({
            "operationId": operation_id(&route),
            "summary": route.summary,
            "security": security(route.access),
            "x-sitewright-access": access(route.access),
            "responses": {
                route.status.as_str(): answer(outputs),
                "default": {
                    "description": "A problem, in words and with a code",
                    "content": { "application/problem+json": { "schema": problem.as_value() } },
                },
            },
        });
        let mut parameters = path_parameters(route.path);
        let content = match route.source {
            InputSource::Query => None,
            InputSource::Json => {
                let schema = (route.input)(&mut generator);
                Some(json!({ "application/json": { "schema": schema } }))
            }
            InputSource::File => Some(json!({ "application/octet-stream": { "schema": {} } })),
        };
        if route.source != InputSource::Json {
            parameters.extend(query_parameters(&input));
        }
        if let (Some(object), Some(content)) = (operation.as_object_mut(), content) {
            object.insert("requestBody".to_owned(), json!({ "content": content }));
        }
        if let (Some(object), false) = (operation.as_object_mut(), parameters.is_empty()) {
            object.insert("parameters".to_owned(), Value::Array(parameters));
        }
        let item = paths.entry(route.path).or_insert_with(|| json!({}));
        if let Some(item) = item.as_object_mut() {
            item.insert(route.method.as_str().to_ascii_lowercase(), operation);
        }
    }
    json!({
        "openapi": "3.1.0",
        "info": { "title": "Sitewright", "version": env!("CARGO_PKG_VERSION"), "license": { "name": "MIT OR Apache-2.0" } },
        "paths": paths,
        "components": {
            "schemas": generator.take_definitions(true),
            "securitySchemes": {
                "token": { "type": "http", "scheme": "bearer" },
                "session": { "type": "apiKey", "in": "cookie", "name": "__Host-sitewright" },
            },
        },
    })
}

fn answer(outputs: impl Iterator<Item = (&'static str, Schema)>) -> Value {
    let content: Map<String, Value> = outputs
        .map(|(media_type, schema)| (media_type.to_owned(), json!({ "schema": schema })))
        .collect();
    if content.is_empty() {
        return json!({ "description": "Done" });
    }
    json!({ "description": "Done", "content": content })
}

fn security(access: Access) -> Value {
    match access {
        Access::Public | Access::Local => json!([]),
        Access::SignedIn | Access::Needs(_) => json!([{ "token": [] }, { "session": [] }]),
    }
}

fn access(access: Access) -> String {
    match access {
        Access::Public => "public".to_owned(),
        Access::SignedIn => "signed-in".to_owned(),
        Access::Needs(capability) => capability.to_string(),
        Access::Local => "local".to_owned(),
    }
}

/// `GET /admin/api/users/{id}` is `getUsersId`.
fn operation_id(route: &Route) -> String {
    let parts = route
        .path
        .trim_start_matches("/admin/api")
        .split(['/', '-', '.']);
    let words = parts
        .map(|part| part.trim_matches(['{', '}']))
        .filter(|part| !part.is_empty());
    let name: String = words
        .map(|word| word[..1].to_ascii_uppercase() + &word[1..])
        .collect();
    route.method.as_str().to_ascii_lowercase() + &name
}

fn path_parameters(path: &str) -> Vec<Value> {
    let names = path
        .split('/')
        .filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'));
    names.map(|name| json!({ "name": name, "in": "path", "required": true, "schema": { "type": "string" } })).collect()
}

fn query_parameters(input: &Value) -> Vec<Value> {
    let properties = input.get("properties").and_then(Value::as_object);
    let described = properties.into_iter().flatten();
    described.map(|(name, schema)| json!({ "name": name, "in": "query", "required": false, "schema": schema })).collect()
}

fn resolve(schema: &Value, definitions: &Map<String, Value>) -> Value {
    let name = schema
        .get("$ref")
        .and_then(Value::as_str)
        .and_then(|reference| reference.rsplit('/').next());
    name.and_then(|name| definitions.get(name))
        .unwrap_or(schema)
        .clone()
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_document_the_shell_is_built_from_is_this_one() {
        let path = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../../web/src/generated/openapi.json"
        );
        let document = serde_json::to_string_pretty(&super::document()).unwrap() + "\n";
        sitewright_testkit::check_generated(path, &document);
    }
}

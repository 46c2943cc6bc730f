//! The schemas of the records that Sitewright itself understands. Records of other schemas may hold any object.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use serde::Deserialize;
use serde_json::{Map, Value, json};
use sitewright_runtime::Schema;

use crate::FieldProblem;

pub(crate) const AGENT_RESPONSE: &str = "agent.response.v1";
pub(crate) const TOOL_REQUEST: &str = "tool.request.v1";
pub(crate) const TOOL_RESPONSE: &str = "tool.response.v1";
pub(crate) const TOOL_CONFIG: &str = "tool.config.v1";
/// The most requests of one record.
const REQUESTS_MAX: usize = 1000;

/// A request as it is written in a record.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct ToolRequest {
    pub(crate) tool: String,
    pub(crate) input: Map<String, Value>,
    #[serde(rename = "requestId")]
    pub(crate) request_id: String,
    #[serde(default)]
    pub(crate) return_to_llm: bool,
    #[serde(default)]
    pub(crate) config_id: Option<String>,
}

fn request_fields() -> Value {
    json!({
        "tool": { "type": "string", "minLength": 1, "maxLength": 128 },
        "input": { "type": "object" },
        "requestId": { "type": "string", "minLength": 1, "maxLength": 128 },
        "config_id": { "type": "string", "minLength": 1, "maxLength": 64 },
    })
}

fn document(schema_name: &str) -> Option<Value> {
    let mut request = request_fields();
    Some(match schema_name {
        AGENT_RESPONSE => {
            request["return_to_llm"] = json!({ "type": "boolean" });
            json!({
                "type": "object",
                "properties": {
                    "message": { "type": "string" },
                    "tool_requests": {
                        "type": "array",
                        "maxItems": REQUESTS_MAX,
                        "items": {
                            "type": "object",
                            "required": ["tool", "input", "requestId", "return_to_llm"],
                            "properties": request,
                            "additionalProperties": false,
                        },
                    },
                    "created_breadcrumbs": { "type": "array" },
                    "llm_hints": { "type": "object" },
                },
                "additionalProperties": false,
            })
        }
        TOOL_REQUEST => {
            for name in ["requestedBy", "workflowId", "stepId"] {
                request[name] = json!({ "type": "string" });
            }
            json!({
                "type": "object",
                "required": ["tool", "input", "requestId"],
                "properties": request,
                "additionalProperties": false,
            })
        }
        TOOL_RESPONSE => json!({
            "type": "object",
            "required": ["request_id", "tool", "status", "output"],
            "properties": {
                "request_id": { "type": "string", "minLength": 1, "maxLength": 128 },
                "tool": { "type": "string", "minLength": 1, "maxLength": 128 },
                "status": { "enum": ["success", "error"] },
                "output": {},
                "error": { "type": "string" },
            },
            "additionalProperties": false,
            "if": { "properties": { "status": { "const": "error" } } },
            "then": { "required": ["error"] },
        }),
        TOOL_CONFIG => json!({
            "type": "object",
            "required": ["tool_name", "config"],
            "properties": {
                "tool_name": { "type": "string", "minLength": 1, "maxLength": 128 },
                "config": { "type": "object" },
                "last_updated": { "type": "string" },
                "llm_hints": { "type": "object" },
            },
            "additionalProperties": false,
        }),
        _ => return None,
    })
}

/// The compiled schemas, in the order of the names.
fn compiled(schema_name: &str) -> Option<&'static Schema> {
    static SCHEMAS: OnceLock<Vec<(&'static str, Schema)>> = OnceLock::new();
    let schemas = SCHEMAS.get_or_init(|| {
        [AGENT_RESPONSE, TOOL_REQUEST, TOOL_RESPONSE, TOOL_CONFIG]
            .into_iter()
            .filter_map(|name| Some((name, Schema::compile(&document(name)?).ok()?)))
            .collect()
    });
    let found = schemas.iter().find(|(name, _)| *name == schema_name);
    found.map(|(_, schema)| schema)
}

/// Checks the content of a record against the schema it names.
pub(crate) fn check_context(schema_name: &str, context: &Map<String, Value>) -> Vec<FieldProblem> {
    let Some(schema) = compiled(schema_name) else {
        return Vec::new();
    };
    let value = Value::Object(context.clone());
    if let Err(misfits) = schema.check(&value) {
        let problems = misfits.into_iter().map(|misfit| {
            let field = field_of(&misfit.pointer);
            FieldProblem {
                message: format!("`{field}`: {}.", misfit.message.trim_end_matches('.')),
                field,
            }
        });
        return problems.collect();
    }
    if schema_name != AGENT_RESPONSE {
        return Vec::new();
    }
    let mut seen = BTreeSet::new();
    let requests = tool_requests(schema_name, context);
    let repeated = requests.iter().enumerate().filter(|(_, request)| {
        // The first one of an id is fine.
        !seen.insert(request.request_id.clone())
    });
    repeated
        .map(|(at, request)| FieldProblem {
            field: format!("context.tool_requests[{at}].requestId"),
            message: format!(
                "Two requests have the `requestId` `{}`: give each its own.",
                request.request_id
            ),
        })
        .collect()
}

/// The requests of a record whose content fits its schema.
pub(crate) fn tool_requests(schema_name: &str, context: &Map<String, Value>) -> Vec<ToolRequest> {
    let parse = |value: &Value| serde_json::from_value(value.clone()).ok();
    match schema_name {
        AGENT_RESPONSE => {
            let requests = context.get("tool_requests").and_then(Value::as_array);
            requests.into_iter().flatten().filter_map(parse).collect()
        }
        TOOL_REQUEST => {
            let request = parse(&Value::Object(context.clone()));
            request.into_iter().collect()
        }
        _ => Vec::new(),
    }
}

/// `/tool_requests/0/input` as `context.tool_requests[0].input`.
fn field_of(pointer: &str) -> String {
    let mut field = "context".to_owned();
    for part in pointer.split('/').skip(1) {
        let part = part.replace("~1", "/").replace("~0", "~");
        match part.parse::<usize>() {
            Ok(index) => field.push_str(&format!("[{index}]")),
            Err(_) => field.push_str(&format!(".{part}")),
        }
    }
    field
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::check_context;

    fn check(schema_name: &str, context: Value, expected: &[&str]) {
        let problems = check_context(schema_name, context.as_object().unwrap());
        let fields: Vec<&str> = problems.iter().map(|one| one.field.as_str()).collect();
        assert_eq!(fields, expected, "{problems:?}");
    }

    fn requests(requests: Value) -> Value {
        json!({ "message": "m", "tool_requests": requests })
    }

    #[test]
    fn every_field_of_a_request_is_needed_and_named_when_it_is_missing() {
        let whole =
            json!({ "tool": "echo", "input": {}, "requestId": "e-1", "return_to_llm": false });
        check("agent.response.v1", requests(json!([whole])), &[]);
        for field in ["tool", "input", "requestId", "return_to_llm"] {
            let mut without = whole.clone();
            without.as_object_mut().unwrap().remove(field);
            let problems = check_context(
                "agent.response.v1",
                requests(json!([without])).as_object().unwrap(),
            );
            assert_eq!(
                problems[0].field,
                format!("context.tool_requests[0].{field}")
            );
            assert!(problems[0].message.contains(field), "{problems:?}");
        }
    }

    #[test]
    fn request_ids_are_unique_in_their_record() {
        let one = |id: &str| json!({ "tool": "echo", "input": {}, "requestId": id, "return_to_llm": false });
        check(
            "agent.response.v1",
            requests(json!([one("llm-001"), one("calc-1"), one("search-abc")])),
            &[],
        );
        check(
            "agent.response.v1",
            requests(json!([one("a"), one("b"), one("a")])),
            &["context.tool_requests[2].requestId"],
        );
    }

    #[test]
    fn wrong_types_and_unknown_fields_are_refused() {
        check(
            "agent.response.v1",
            json!({ "message": 1 }),
            &["context.message"],
        );
        check("agent.response.v1", json!({ "msg": "x" }), &["context"]);
        check(
            "tool.request.v1",
            json!({ "tool": "x" }),
            &["context.input", "context.requestId"],
        );
        check(
            "tool.response.v1",
            json!({ "request_id": "a", "tool": "t", "status": "maybe", "output": {} }),
            &["context.status"],
        );
        check(
            "tool.response.v1",
            json!({ "request_id": "a", "tool": "t", "status": "error", "output": {} }),
            &["context.error"],
        );
        check(
            "tool.config.v1",
            json!({ "tool_name": "t", "config": [] }),
            &["context.config"],
        );
        check("note.v1", json!({ "anything": [1] }), &[]);
    }
}

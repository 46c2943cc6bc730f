//! Tools made from Rust types: the schema, the parsing and the validation of an input all come from its type.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::reader::read;
use crate::{ErrorCode, ToolError};

/// The JSON Schema of a type. Definitions are inlined, because some model providers do not follow references.
///
/// In the browser it is always null: nothing there needs it, and it would be a tenth of the whole wasm module.
pub fn schema_of<T: JsonSchema>() -> Value {
    if cfg!(target_arch = "wasm32") {
        return Value::Null;
    }
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.meta_schema = None;
        settings.inline_subschemas = true;
    });
    let mut schema = settings
        .into_generator()
        .into_root_schema_for::<T>()
        .to_value();
    if let Some(object) = schema.as_object_mut() {
        object.remove("title");
    }
    schema
}

/// Parses an input. The error names the place that does not match, as a JSON pointer.
pub fn parse<T: DeserializeOwned>(input: Value) -> Result<T, ToolError> {
    if !input.is_object() {
        return Err(invalid("", "the input must be an object"));
    }
    read(&input).map_err(|misread| invalid(&misread.pointer(), misread.reason()))
}

/// Serializes an answer.
pub fn write<T: Serialize>(output: &T) -> Result<Value, ToolError> {
    serde_json::to_value(output).map_err(|error| {
        ToolError::new(
            ErrorCode::Internal,
            format!("the answer cannot be written: {error}"),
        )
    })
}

fn invalid(pointer: &str, reason: &str) -> ToolError {
    let place = if pointer.is_empty() {
        "the input".to_owned()
    } else {
        format!("`{pointer}`")
    };
    let mut error = ToolError::new(
        ErrorCode::InvalidInput,
        format!("{place}: {reason}. Correct it and call again."),
    );
    error.details = Some(json!({ "errors": [{ "pointer": pointer, "message": reason }] }));
    error
}

#[cfg(test)]
mod tests {
    use schemars::JsonSchema;
    use serde::Deserialize;
    use serde_json::{Value, json};

    #[derive(Debug, Deserialize, JsonSchema)]
    #[serde(deny_unknown_fields, rename_all = "camelCase")]
    struct Move {
        #[expect(dead_code, reason = "only parsed")]
        node_id: String,
        #[expect(dead_code, reason = "only parsed")]
        targets: Vec<Target>,
    }

    #[derive(Debug, Deserialize, JsonSchema)]
    #[serde(deny_unknown_fields)]
    struct Target {
        #[expect(dead_code, reason = "only parsed")]
        index: u32,
    }

    fn refused(input: Value) -> String {
        let error = super::parse::<Move>(input).unwrap_err();
        let pointer = error.details.unwrap()["errors"][0]["pointer"]
            .as_str()
            .unwrap()
            .to_owned();
        format!("{pointer} | {}", error.message)
    }

    #[test]
    fn a_bad_input_is_refused_with_its_place() {
        assert_eq!(
            refused(json!({ "nodeId": "a", "targets": [{ "index": 0 }, { "index": -1 }] })),
            "/targets/1/index | `/targets/1/index`: invalid value: integer `-1`, expected u32. Correct it and call again."
        );
        assert_eq!(
            refused(json!({ "nodeId": "a", "targets": [], "a/b": 1 })),
            "/a~1b | `/a~1b`: unknown field `a/b`, expected `nodeId` or `targets`. Correct it and call again."
        );
        assert_eq!(
            refused(json!([])),
            " | the input: the input must be an object. Correct it and call again."
        );
        assert_eq!(
            refused(json!({ "targets": [] })),
            " | the input: missing field `nodeId`. Correct it and call again."
        );
    }

    #[test]
    fn the_schema_of_a_type_needs_nothing_beside_it() {
        assert_eq!(
            super::schema_of::<Move>(),
            json!({
                "type": "object",
                "properties": {
                    "nodeId": { "type": "string" },
                    "targets": {
                        "type": "array",
                        "items": {
                            "type": "object",
                            "properties": { "index": { "type": "integer", "format": "uint32", "minimum": 0 } },
                            "additionalProperties": false,
                            "required": ["index"],
                        },
                    },
                },
                "additionalProperties": false,
                "required": ["nodeId", "targets"],
            })
        );
    }
}

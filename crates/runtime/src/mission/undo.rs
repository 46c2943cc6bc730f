//! The arguments of the call that takes a leg back.

use serde_json::{Map, Value, json};
use sitewright_tool::{Compensation, Definition, Effect, Reversibility};

use crate::interpolation::TEMPLATE_MARKS;

/// Why nobody but a person can take a leg back; otherwise the name of the tool that does.
pub(crate) fn counterpart(definition: &Definition) -> Result<&str, String> {
    let rollback = &definition.rollback;
    if definition.manifest.compensation == Some(Compensation::Manual) {
        return Err("Its vendor says that only a person can take it back.".to_owned());
    }
    if rollback.reversibility == Some(Reversibility::Irreversible) {
        return Err("It can't be cancelled.".to_owned());
    }
    match (&rollback.tool, definition.manifest.effect()) {
        (Some(tool), _) => Ok(tool.as_str()),
        (None, Effect::Draft) => {
            Err("It changed the draft: undo it in the site's history.".to_owned())
        }
        (None, _) => Err("No tool takes it back.".to_owned()),
    }
}

/// A call that is to be taken back.
#[derive(Debug, Clone, Copy)]
pub(crate) struct UndoSource<'a> {
    pub(crate) input: &'a Value,
    /// What it answered, if that is known.
    pub(crate) output: Option<&'a Value>,
    /// Its key as its vendor saw it, if that is known.
    pub(crate) key: Option<&'a str>,
}

/// The arguments with which `cancel` takes a call of `forward` back.
pub(crate) fn undo_arguments(
    done: UndoSource<'_>,
    forward: &Definition,
    cancel: &Definition,
) -> Result<Value, String> {
    let inputs = done.input;
    if let Some(template) = &forward.rollback.template {
        let root = |name: &str| match name {
            "outputs" => done.output,
            "inputs" => Some(inputs),
            _ => None,
        };
        return TEMPLATE_MARKS
            .fill(template, &root, &["outputs", "inputs"])
            .map_err(|error| format!("What takes it back cannot be filled in: {error}."));
    }
    if cancel.rollback.takes_everything {
        let mut all = match done.output.cloned() {
            Some(Value::Object(fields)) => fields,
            Some(other) => Map::from_iter([("output".to_owned(), other)]),
            None => Map::new(),
        };
        if let Some(key) = done.key {
            all.entry("idempotency_key").or_insert_with(|| json!(key));
        }
        return Ok(Value::Object(all));
    }
    let schema = &cancel.manifest.input_schema;
    let mut arguments = Map::new();
    for name in schema["properties"]
        .as_object()
        .into_iter()
        .flat_map(Map::keys)
    {
        let output = done.output.and_then(|output| output.get(name));
        // A null in the answer says that the vendor has no value, so the input's is better.
        let value = output
            .filter(|value| !value.is_null())
            .or_else(|| inputs.get(name));
        if let Some(value) = value {
            arguments.insert(name.clone(), value.clone());
        }
    }
    let required = schema["required"].as_array().into_iter().flatten();
    let missing = required
        .filter_map(Value::as_str)
        .find(|name| !arguments.contains_key(*name));
    match missing {
        Some(name) => Err(format!(
            "`{}` needs `{name}`, and neither its answer nor its input has it.",
            cancel.name()
        )),
        None => Ok(Value::Object(arguments)),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use sitewright_tool::{Definition, ToolManifest};

    use super::{UndoSource, undo_arguments};

    fn definition(input: Value) -> Definition {
        let manifest = json!({
            "name": "x", "description": "X", "inputSchema": input, "outputSchema": {}, "capability": "write", "timeoutMs": 1000,
            "retryPolicy": { "maxAttempts": 1 }, "idempotent": false, "cancels": "y",
        });
        let manifest: ToolManifest = serde_json::from_value(manifest).unwrap();
        Definition::imported(manifest)
    }

    fn check(
        output: Option<Value>,
        change: impl FnOnce(&mut Definition, &mut Definition),
        expected: Result<Value, &str>,
    ) {
        let schema =
            json!({ "type": "object", "required": ["id"], "properties": { "id": {}, "why": {} } });
        let (mut forward, mut cancel) =
            (definition(json!({ "type": "object" })), definition(schema));
        change(&mut forward, &mut cancel);
        let done = UndoSource {
            input: &json!({ "id": "in", "why": "w", "offer": 1 }),
            output: output.as_ref(),
            key: Some("k"),
        };
        let found = undo_arguments(done, &forward, &cancel);
        assert_eq!(found, expected.map_err(ToOwned::to_owned));
    }

    #[test]
    fn same_named_fields_come_from_the_answer_and_then_from_the_input() {
        check(
            Some(json!({ "id": 7 })),
            |_, _| {},
            Ok(json!({ "id": 7, "why": "w" })),
        );
        check(
            Some(json!({ "id": null })),
            |_, _| {},
            Ok(json!({ "id": "in", "why": "w" })),
        );
        check(None, |_, _| {}, Ok(json!({ "id": "in", "why": "w" })));
        let needs_number = |_: &mut Definition, cancel: &mut Definition| {
            cancel.manifest.input_schema["required"] = json!(["number"]);
        };
        check(
            None,
            needs_number,
            Err("`x` needs `number`, and neither its answer nor its input has it."),
        );
    }

    #[test]
    fn a_tool_without_a_schema_gets_the_answer_and_the_key() {
        let open =
            |_: &mut Definition, cancel: &mut Definition| cancel.rollback.takes_everything = true;
        check(
            Some(json!({ "id": 7 })),
            open,
            Ok(json!({ "id": 7, "idempotency_key": "k" })),
        );
        check(None, open, Ok(json!({ "idempotency_key": "k" })));
    }

    #[test]
    fn a_template_says_what_goes_where() {
        let template = |forward: &mut Definition, _: &mut Definition| {
            forward.rollback.template =
                Some(json!({ "id": "{{outputs.b.id}}", "why": "offer {{inputs.offer}}" }));
        };
        check(
            Some(json!({ "b": { "id": 3 } })),
            template,
            Ok(json!({ "id": 3, "why": "offer 1" })),
        );
        check(
            None,
            template,
            Err(
                "What takes it back cannot be filled in: `outputs.b.id` names no step; there are `outputs`, `inputs`.",
            ),
        );
    }
}

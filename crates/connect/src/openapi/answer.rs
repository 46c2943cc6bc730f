//! The schema of what an operation answers.

use serde_json::{Value, json};

use super::body::is_json;
use super::bundle::{Documents, Located};
use super::finding::Findings;
use super::operation::FoundOperation;
use super::schema::{Direction, SchemaWriter};

/// What is known about the answers of an operation.
pub(crate) struct ToolAnswer {
    pub(crate) schema: Value,
    /// The properties that a successful answer is known to have; `None` if nothing is known.
    pub(crate) properties: Option<Vec<String>>,
    /// Whether the document declares the status 409.
    pub(crate) declares_conflict: bool,
}

/// Reads the responses of an operation. Without a schema for every success, any answer is accepted.
pub(crate) fn tool_answer(
    found: &FoundOperation<'_>,
    documents: &Documents,
    findings: &mut Findings,
) -> ToolAnswer {
    let responses = found.operation.get("responses");
    let fields = responses
        .as_ref()
        .map(|responses| responses.fields())
        .unwrap_or_default();
    let declares_conflict = fields.iter().any(|(status, _)| *status == "409");
    let is_success = |status: &str| status.starts_with('2');
    let mut successes: Vec<Located<'_>> = Vec::new();
    for (_, response) in fields.iter().filter(|(status, _)| is_success(status)) {
        match documents.resolve(response.clone()) {
            Ok(response) => successes.push(response),
            Err(problem) => {
                let message = format!("The reference cannot be followed: {problem}.");
                findings.error(documents, &response.place, "unresolved-ref", message);
            }
        }
    }
    let schemas: Vec<Option<Located<'_>>> = successes.iter().map(json_schema).collect();
    let is_loose = |schema: &Located<'_>| match documents.resolve(schema.clone()) {
        Ok(schema) => schema
            .value
            .as_object()
            .is_none_or(serde_json::Map::is_empty),
        Err(_) => false,
    };
    let place = responses
        .as_ref()
        .map_or(&found.operation.place, |responses| &responses.place);
    if schemas.iter().flatten().next().is_none() {
        findings.warn(
            documents,
            place,
            "missing-response-schema",
            "No successful answer has a JSON schema, so nothing checks it and cards cannot show it: describe the answer.",
        );
    } else if let Some(loose) = schemas.iter().flatten().find(|schema| is_loose(schema)) {
        findings.warn(
            documents,
            &loose.place,
            "loose-response-schema",
            "The schema of the answer accepts anything: describe its properties.",
        );
    }
    let mut writer = SchemaWriter::new(documents, Direction::Answer);
    let known: Vec<&Located<'_>> = schemas.iter().flatten().collect();
    let is_complete = !known.is_empty() && schemas.iter().all(Option::is_some);
    let schema = match (is_complete, known.as_slice()) {
        (false, _) | (_, []) => json!({}),
        (true, [one]) => writer.write(one, findings),
        (true, several) => {
            let all: Vec<Value> = several
                .iter()
                .map(|one| writer.write(one, findings))
                .collect();
            json!({ "anyOf": all })
        }
    };
    let schema = match schema {
        Value::Bool(_) => json!({}),
        schema => schema,
    };
    let properties = known
        .first()
        .map(|schema| property_names(schema, documents, 0));
    ToolAnswer {
        schema: writer.finish(schema, place, findings),
        properties,
        declares_conflict,
    }
}

fn json_schema<'a>(response: &Located<'a>) -> Option<Located<'a>> {
    let content = response.get("content")?;
    let mut media = content.fields().into_iter();
    let (_, json) = media.find(|(name, _)| is_json(name))?;
    json.get("schema")
}

/// The properties of an object, those of its `allOf` included.
fn property_names(schema: &Located<'_>, documents: &Documents, depth: usize) -> Vec<String> {
    let Ok(schema) = documents.resolve(schema.clone()) else {
        return Vec::new();
    };
    let properties = schema.value.get("properties").and_then(Value::as_object);
    let mut names: Vec<String> = properties
        .into_iter()
        .flat_map(|fields| fields.keys().cloned())
        .collect();
    if depth < 8 {
        for part in schema
            .get("allOf")
            .map(|parts| parts.items())
            .unwrap_or_default()
        {
            names.extend(property_names(&part, documents, depth + 1));
        }
    }
    names
}

//! Schemas of an OpenAPI document as JSON Schema 2020-12.
//!
//! What 3.0 spells differently is translated, references become `$defs`, and keywords with values that no validator accepts are left
//! out with a warning: a wrong `pattern` must not make an operation unusable. The result is bounded; definitions that are too far
//! away from the operation accept anything, and the vendor checks them.

use std::collections::{BTreeMap, VecDeque};

use serde_json::{Map, Value, json};
use sitewright_runtime::Schema;

use super::bundle::{Documents, Located, Place};
use super::finding::Findings;

/// Leaves room for the parameters within the runtime's limit of 256 KB.
const BYTES_MAX: usize = 160 * 1024;
/// The runtime accepts 64 levels of JSON; a schema keyword adds up to two.
const DEPTH_MAX: usize = 24;
/// How many keywords may be removed until a schema compiles.
const REPAIRS_MAX: usize = 40;
/// Longer examples cost a model more than they tell it.
const EXAMPLE_BYTES_MAX: usize = 200;

/// Whether a schema describes what is sent or what is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Direction {
    Request,
    Answer,
}

/// Translates the schemas of one tool, which share their definitions.
pub(crate) struct SchemaWriter<'a> {
    documents: &'a Documents,
    direction: Direction,
    names: BTreeMap<Place, String>,
    pending: VecDeque<Located<'a>>,
}

impl<'a> SchemaWriter<'a> {
    pub(crate) fn new(documents: &'a Documents, direction: Direction) -> Self {
        Self {
            documents,
            direction,
            names: BTreeMap::new(),
            pending: VecDeque::new(),
        }
    }

    /// A schema, with references to definitions that [`finish`](Self::finish) adds.
    pub(crate) fn write(&mut self, schema: &Located<'a>, findings: &mut Findings) -> Value {
        self.convert(schema, 0, findings)
    }

    /// Adds the definitions to the schema of a tool, and makes sure that it compiles.
    pub(crate) fn finish(
        mut self,
        mut schema: Value,
        place: &Place,
        findings: &mut Findings,
    ) -> Value {
        let mut definitions = Map::new();
        let mut bytes = schema.to_string().len();
        let mut is_cut = false;
        // Breadth first, so that what is near to the operation is kept.
        while let Some(target) = self.pending.pop_front() {
            let Some(name) = self.names.get(&target.place).cloned() else {
                continue;
            };
            let written = match bytes < BYTES_MAX {
                true => self.convert(&target, 0, findings),
                false => json!({}),
            };
            let length = written.to_string().len();
            let fits = bytes + length <= BYTES_MAX;
            is_cut |= !fits;
            bytes += if fits {
                length + name.len() + 8
            } else {
                name.len() + 10
            };
            definitions.insert(name, if fits { written } else { json!({}) });
        }
        if is_cut {
            findings.warn(
                self.documents,
                place,
                "large-schema",
                format!("The schema is larger than {BYTES_MAX} bytes, so its outer parts accept anything; split it."),
            );
        }
        if !definitions.is_empty()
            && let Some(fields) = schema.as_object_mut()
        {
            fields.insert("$defs".to_owned(), Value::Object(definitions));
        }
        self.repair(schema, place, findings)
    }

    /// Removes keywords until the schema compiles.
    fn repair(&self, mut schema: Value, place: &Place, findings: &mut Findings) -> Value {
        for _ in 0..REPAIRS_MAX {
            let problem = match Schema::compile(&schema) {
                Ok(_) => return schema,
                Err(problem) => problem,
            };
            findings.warn(
                self.documents,
                place,
                "invalid-schema",
                format!(
                    "A schema is ignored in part, because it {}. Correct it.",
                    problem.message
                ),
            );
            let (parent, keyword) = problem.pointer.rsplit_once('/').unwrap_or(("", ""));
            let removed = match schema.pointer_mut(parent) {
                Some(Value::Object(fields)) => fields.shift_remove(keyword).is_some(),
                _ => false,
            };
            if !removed {
                break;
            }
        }
        match Schema::compile(&schema) {
            Ok(_) => schema,
            Err(_still_bad) => json!({ "type": "object" }),
        }
    }

    fn convert(&mut self, schema: &Located<'a>, depth: usize, findings: &mut Findings) -> Value {
        let fields = match schema.value {
            Value::Bool(flag) => return Value::Bool(*flag),
            Value::Object(fields) => fields,
            _ => {
                self.drop(schema, findings, "is no schema");
                return json!({});
            }
        };
        if depth > DEPTH_MAX {
            return json!({});
        }
        if let Some(reference) = fields.get("$ref").and_then(Value::as_str) {
            return self.reference(schema, reference, findings);
        }
        let mut out = Map::new();
        for (name, value) in fields {
            let part = Located {
                place: schema.place.child(name),
                value,
            };
            self.keyword(name, &part, depth, (&mut out, findings));
        }
        self.leave_out_one_way(schema, &mut out);
        translate_bounds(fields, &mut out);
        if fields.get("nullable") == Some(&Value::Bool(true)) {
            return nullable(out);
        }
        Value::Object(out)
    }

    fn reference(
        &mut self,
        schema: &Located<'a>,
        reference: &str,
        findings: &mut Findings,
    ) -> Value {
        let target = self
            .documents
            .target(&schema.place.file, reference)
            .and_then(|target| self.documents.resolve(target));
        let target = match target {
            Ok(target) => target,
            Err(problem) => {
                let place = schema.place.child("$ref");
                let message = format!("The reference cannot be followed: {problem}.");
                findings.error(self.documents, &place, "unresolved-ref", message);
                return json!({});
            }
        };
        let name = match self.names.get(&target.place) {
            Some(name) => name.clone(),
            None => {
                let name = self.definition_name(&target.place);
                self.names.insert(target.place.clone(), name.clone());
                self.pending.push_back(target);
                name
            }
        };
        let mut out = json!({ "$ref": format!("#/$defs/{name}") });
        // 3.1 allows a description beside a reference, and it says what the value is for here.
        if let Some(description) = schema.text("description") {
            out["description"] = json!(description);
        }
        out
    }

    fn definition_name(&self, place: &Place) -> String {
        let last = place.pointer.rsplit('/').next().unwrap_or_default();
        let plain: String = last
            .chars()
            .filter(|character| character.is_ascii_alphanumeric() || *character == '_')
            .collect();
        let plain = if plain.is_empty() {
            "part".to_owned()
        } else {
            plain
        };
        let is_taken = |name: &String| self.names.values().any(|known| known == name);
        let mut name = plain.clone();
        let mut count = 1;
        while is_taken(&name) {
            count += 1;
            name = format!("{plain}_{count}");
        }
        name
    }

    fn keyword(
        &mut self,
        name: &str,
        part: &Located<'a>,
        depth: usize,
        into: (&mut Map<String, Value>, &mut Findings),
    ) {
        let (out, findings) = into;
        let value = part.value;
        let below = depth + 1;
        let written = match name {
            "items" | "additionalItems" if value.is_array() => {
                let items = part.items();
                let items = items.iter().map(|item| self.convert(item, below, findings));
                out.insert("prefixItems".to_owned(), Value::Array(items.collect()));
                return;
            }
            "items"
            | "additionalProperties"
            | "not"
            | "contains"
            | "propertyNames"
            | "if"
            | "then"
            | "else"
            | "unevaluatedProperties"
            | "unevaluatedItems"
                if value.is_object() || value.is_boolean() =>
            {
                Some(self.convert(part, below, findings))
            }
            "allOf" | "anyOf" | "oneOf" | "prefixItems" => {
                let items = part.items();
                let items: Vec<Value> = items
                    .iter()
                    .map(|item| self.convert(item, below, findings))
                    .collect();
                (!items.is_empty()).then_some(Value::Array(items))
            }
            "properties" | "patternProperties" | "dependentSchemas" if value.is_object() => {
                let fields = value.as_object().into_iter().flatten();
                let mut map = Map::new();
                for (name, value) in fields {
                    let place = part.place.child(name);
                    let field = Located { place, value };
                    map.insert(name.clone(), self.convert(&field, below, findings));
                }
                Some(Value::Object(map))
            }
            "example" => {
                let is_short = value.to_string().len() <= EXAMPLE_BYTES_MAX;
                if is_short {
                    out.insert("examples".to_owned(), json!([value]));
                }
                return;
            }
            name => match plain_keyword(name, value) {
                Keyword::Kept => Some(value.clone()),
                Keyword::Changed(value) => Some(value),
                Keyword::Unknown => return,
                Keyword::Wrong => None,
            },
        };
        match written {
            Some(written) => {
                out.insert(name.to_owned(), written);
            }
            None => self.drop(part, findings, "has a value that it cannot have"),
        }
    }

    fn drop(&self, part: &Located<'a>, findings: &mut Findings, what: &str) {
        let name = part.place.pointer.rsplit('/').next().unwrap_or_default();
        let message = format!("`{name}` {what}, so it is ignored. Correct it.");
        findings.warn(self.documents, &part.place, "invalid-schema", message);
    }

    /// A property that only answers have is not part of a request, and the other way round.
    fn leave_out_one_way(&self, schema: &Located<'a>, out: &mut Map<String, Value>) {
        let mark = match self.direction {
            Direction::Request => "readOnly",
            Direction::Answer => "writeOnly",
        };
        let Some(properties) = schema.get("properties") else {
            return;
        };
        for (name, value) in properties.value.as_object().into_iter().flatten() {
            let property = Located {
                place: properties.place.child(name),
                value,
            };
            let is_marked = |located: &Located<'_>| located.value.get(mark) == Some(&json!(true));
            let is_one_way = is_marked(&property)
                || self
                    .documents
                    .resolve(property)
                    .is_ok_and(|target| is_marked(&target));
            if !is_one_way {
                continue;
            }
            if let Some(Value::Object(properties)) = out.get_mut("properties") {
                properties.shift_remove(name);
            }
            if let Some(Value::Array(required)) = out.get_mut("required") {
                required.retain(|known| known.as_str() != Some(name));
            }
        }
    }
}

enum Keyword {
    Kept,
    Changed(Value),
    /// Not a keyword of JSON Schema, or one that is of no use here.
    Unknown,
    Wrong,
}

const TYPES: &[&str] = &[
    "array", "boolean", "integer", "null", "number", "object", "string",
];

fn plain_keyword(name: &str, value: &Value) -> Keyword {
    let kept = |fits: bool| if fits { Keyword::Kept } else { Keyword::Wrong };
    match name {
        "title" | "description" | "format" | "contentEncoding" | "contentMediaType" | "pattern" => {
            kept(value.is_string())
        }
        "minLength" | "maxLength" | "minItems" | "maxItems" | "minProperties" | "maxProperties"
        | "minContains" | "maxContains" => kept(value.is_u64()),
        "minimum" | "maximum" => kept(value.is_number()),
        "multipleOf" => kept(value.as_f64().is_some_and(|number| number > 0.0)),
        // The boolean form of 3.0 is translated together with its bound.
        "exclusiveMinimum" | "exclusiveMaximum" if value.is_boolean() => Keyword::Unknown,
        "exclusiveMinimum" | "exclusiveMaximum" => kept(value.is_number()),
        "uniqueItems" | "deprecated" => kept(value.is_boolean()),
        "const" | "default" => Keyword::Kept,
        "enum" => match value.as_array() {
            Some(values) if !values.is_empty() => Keyword::Changed(distinct(values)),
            _ => Keyword::Wrong,
        },
        "examples" => match value.is_array() && value.to_string().len() <= EXAMPLE_BYTES_MAX {
            true => Keyword::Kept,
            false => Keyword::Unknown,
        },
        "required" => match value.as_array() {
            Some(names) if names.iter().all(Value::is_string) => Keyword::Changed(distinct(names)),
            _ => Keyword::Wrong,
        },
        "dependentRequired" => kept(value.as_object().is_some_and(|fields| {
            let is_names = |names: &Value| {
                names.as_array().is_some_and(|names| {
                    names.iter().all(Value::is_string)
                        && distinct(names).as_array().map(Vec::len) == Some(names.len())
                })
            };
            fields.values().all(is_names)
        })),
        "type" => kept(match value {
            Value::String(name) => TYPES.contains(&name.as_str()),
            Value::Array(names) => {
                let is_type =
                    |name: &Value| name.as_str().is_some_and(|name| TYPES.contains(&name));
                !names.is_empty()
                    && names.iter().all(is_type)
                    && distinct(names).as_array().map(Vec::len) == Some(names.len())
            }
            _ => false,
        }),
        _ => Keyword::Unknown,
    }
}

fn distinct(values: &[Value]) -> Value {
    let mut seen: Vec<Value> = Vec::with_capacity(values.len());
    let mut keys = std::collections::HashSet::new();
    for value in values {
        if keys.insert(value.to_string()) {
            seen.push(value.clone());
        }
    }
    Value::Array(seen)
}

/// `exclusiveMinimum: true` of 3.0 makes its `minimum` exclusive.
fn translate_bounds(fields: &Map<String, Value>, out: &mut Map<String, Value>) {
    for (flag, bound) in [
        ("exclusiveMinimum", "minimum"),
        ("exclusiveMaximum", "maximum"),
    ] {
        if fields.get(flag) == Some(&Value::Bool(true))
            && let Some(limit) = out.shift_remove(bound)
        {
            out.insert(flag.to_owned(), limit);
        }
    }
}

/// `nullable: true` of 3.0.
fn nullable(mut out: Map<String, Value>) -> Value {
    let Some(kind) = out.get("type").cloned() else {
        if out.is_empty() {
            return json!({});
        }
        return json!({ "anyOf": [out, { "type": "null" }] });
    };
    let mut kinds = match kind {
        Value::Array(kinds) => kinds,
        kind => vec![kind],
    };
    if !kinds.contains(&json!("null")) {
        kinds.push(json!("null"));
    }
    out.insert("type".to_owned(), Value::Array(kinds));
    if let Some(Value::Array(values)) = out.get_mut("enum")
        && !values.contains(&Value::Null)
    {
        values.push(Value::Null);
    }
    Value::Object(out)
}

#[cfg(test)]
#[path = "schema_tests.rs"]
mod tests;

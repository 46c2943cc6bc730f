//! The input of a tool made from an operation: one object whose properties are the parameters and the fields of the body.
//!
//! Two things with one name would overwrite each other, so the second gets the name of its place in front (`body_id`). A body that is
//! no plain object is one property, `body`.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use super::body::{BodyPlan, BodyShape, Media, body_shape};
use super::bundle::{Documents, Located};
use super::finding::Findings;
use super::operation::FoundOperation;
use super::parameter::{Location, Parameter, Style, Writing};
use super::schema::{Direction, SchemaWriter};

/// What model providers accept as the name of a property.
const ARGUMENT_CHARS_MAX: usize = 64;
/// The header with which a vendor recognises repeats. The runtime fills it, never a model.
pub(crate) const IDEMPOTENCY_KEY: &str = "idempotency-key";

/// The input of a tool, and where each argument goes.
pub(crate) struct ToolInput {
    pub(crate) schema: Value,
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) body: BodyPlan,
    /// Whether the vendor declares that it recognises repeats.
    pub(crate) has_key_header: bool,
    /// Whether the operation declares neither parameters nor a body.
    pub(crate) is_undeclared: bool,
}

#[derive(Default)]
struct Arguments {
    taken: BTreeSet<String>,
    properties: Map<String, Value>,
    required: Vec<String>,
}

impl Arguments {
    /// Gives away a name that is free and that model providers accept.
    fn name(&mut self, wanted: &str, place: &str) -> String {
        let plain: String = wanted
            .chars()
            .map(|character| match character {
                'a'..='z' | 'A'..='Z' | '0'..='9' | '_' | '-' | '.' => character,
                _ => '_',
            })
            .collect();
        let plain = match plain.trim_matches('_') {
            "" => place,
            trimmed if trimmed.len() < plain.len() && wanted != plain => trimmed,
            _ => plain.as_str(),
        };
        let short = |name: &str, room: usize| name.chars().take(room).collect::<String>();
        let mut name = short(plain, ARGUMENT_CHARS_MAX);
        let mut count = 1;
        while !self.taken.insert(name.clone()) {
            name = match count {
                1 => format!(
                    "{place}_{}",
                    short(plain, ARGUMENT_CHARS_MAX - place.len() - 1)
                ),
                count => format!(
                    "{place}_{}_{count}",
                    short(plain, ARGUMENT_CHARS_MAX - place.len() - 6)
                ),
            };
            count += 1;
        }
        name
    }

    fn add(&mut self, name: &str, schema: Value, is_required: bool) {
        self.properties.insert(name.to_owned(), schema);
        if is_required {
            self.required.push(name.to_owned());
        }
    }
}

/// Builds the input of an operation.
pub(crate) fn tool_input(
    found: &FoundOperation<'_>,
    documents: &Documents,
    findings: &mut Findings,
) -> ToolInput {
    let mut writer = SchemaWriter::new(documents, Direction::Request);
    let mut arguments = Arguments::default();
    let mut parameters = Vec::new();
    let mut has_key_header = false;
    let declared = declared_parameters(found, documents, findings);
    let is_without_parameters = declared.is_empty();
    for ((location, name), parameter) in declared {
        if location == Location::Header {
            let lower = name.to_ascii_lowercase();
            // OpenAPI says to ignore these; they are described by the body and the security schemes.
            if ["accept", "content-type", "authorization"].contains(&lower.as_str()) {
                continue;
            }
            if lower == IDEMPOTENCY_KEY {
                has_key_header = true;
                continue;
            }
        }
        let argument = arguments.name(name, location.as_str());
        let (writing, schema) = writing(location, &parameter, documents, findings);
        let mut schema = match schema {
            Some(schema) => writer.write(&schema, findings),
            None => json!({}),
        };
        describe(&mut schema, parameter.text("description"));
        let is_required =
            location == Location::Path || parameter.value.get("required") == Some(&json!(true));
        arguments.add(&argument, schema, is_required);
        parameters.push(Parameter {
            argument,
            name: name.to_owned(),
            location,
            writing,
        });
    }
    check_placeholders(found, &parameters, documents, findings);
    let body = found.operation.get("requestBody");
    let is_undeclared = is_without_parameters && body.is_none();
    let (body, rest) = match body {
        None => (BodyPlan::None, InputRest::closed()),
        Some(body) => add_body(
            body,
            (found, documents),
            (&mut arguments, &mut writer),
            findings,
        ),
    };
    let mut schema = json!({ "type": "object", "properties": arguments.properties });
    if !arguments.required.is_empty() {
        schema["required"] = json!(arguments.required);
    }
    if let Some(additional) = rest.additional {
        schema["additionalProperties"] = additional;
    }
    if !rest.together.is_empty() {
        schema["dependentRequired"] = json!(rest.together);
    }
    ToolInput {
        schema: writer.finish(schema, &found.operation.place, findings),
        parameters,
        body,
        has_key_header,
        is_undeclared,
    }
}

/// What the input schema says besides its properties.
struct InputRest {
    additional: Option<Value>,
    /// Fields of an optional body that are needed once one of its fields is given.
    together: BTreeMap<String, Vec<String>>,
}

impl InputRest {
    fn closed() -> Self {
        Self {
            additional: Some(json!(false)),
            together: BTreeMap::new(),
        }
    }
}

fn add_body<'a>(
    body: Located<'a>,
    around: (&FoundOperation<'a>, &'a Documents),
    into: (&mut Arguments, &mut SchemaWriter<'a>),
    findings: &mut Findings,
) -> (BodyPlan, InputRest) {
    let ((found, documents), (arguments, writer)) = (around, into);
    let Some(shape) = body_shape(body, found, documents, findings) else {
        return (BodyPlan::None, InputRest::closed());
    };
    match shape {
        BodyShape::Fields {
            media,
            fields,
            additional,
            is_required,
        } => {
            let mut plan = BTreeMap::new();
            let mut needed = Vec::new();
            for field in fields {
                let schema = match field.schemas.as_slice() {
                    [] => json!({}),
                    [one] => writer.write(one, findings),
                    several => {
                        let all = several.iter().map(|one| writer.write(one, findings));
                        json!({ "allOf": all.collect::<Vec<Value>>() })
                    }
                };
                if is_one_way(&field.schemas, documents) {
                    continue;
                }
                let argument = arguments.name(field.name, "body");
                arguments.add(&argument, schema, field.is_required && is_required);
                if field.is_required {
                    needed.push(argument.clone());
                }
                plan.insert(argument, field.name.to_owned());
            }
            let together = match is_required {
                true => BTreeMap::new(),
                false => together(&plan, &needed),
            };
            let additional = additional.map(|schema| writer.write(&schema, findings));
            let is_open = additional != Some(json!(false));
            let plan = BodyPlan::Fields {
                media,
                fields: plan,
                is_open,
                is_required,
            };
            (
                plan,
                InputRest {
                    additional,
                    together,
                },
            )
        }
        BodyShape::Whole {
            media,
            schema,
            is_required,
        } => {
            let argument = arguments.name("body", "body");
            let mut written = match (&media, schema) {
                (Media::Binary(_), _) | (_, None) => json!({}),
                (_, Some(schema)) => writer.write(&schema, findings),
            };
            if let Media::Binary(_) | Media::Text(_) = media {
                written = json!({ "type": "string" });
            }
            describe(&mut written, Some("The body of the request."));
            arguments.add(&argument, written, is_required);
            (BodyPlan::Whole { media, argument }, InputRest::closed())
        }
    }
}

/// Whether a field is only in answers.
fn is_one_way(schemas: &[Located<'_>], documents: &Documents) -> bool {
    schemas.iter().any(|schema| {
        let resolved = documents.resolve(schema.clone());
        resolved.is_ok_and(|schema| schema.value.get("readOnly") == Some(&json!(true)))
    })
}

fn together(plan: &BTreeMap<String, String>, needed: &[String]) -> BTreeMap<String, Vec<String>> {
    let mut together = BTreeMap::new();
    for argument in plan.keys() {
        let others: Vec<String> = needed
            .iter()
            .filter(|one| *one != argument)
            .cloned()
            .collect();
        if !others.is_empty() {
            together.insert(argument.clone(), others);
        }
    }
    together
}

/// The parameters of the operation and of its path; the operation's own replace those of the path.
fn declared_parameters<'a>(
    found: &FoundOperation<'a>,
    documents: &'a Documents,
    findings: &mut Findings,
) -> BTreeMap<(Location, &'a str), Located<'a>> {
    let mut declared = BTreeMap::new();
    let own = found.operation.get("parameters");
    let lists = found.path_parameters.iter().cloned().chain(own);
    for parameter in lists.flat_map(|list| list.items()) {
        let place = parameter.place.clone();
        let parameter = match documents.resolve(parameter) {
            Ok(parameter) => parameter,
            Err(problem) => {
                let message = format!("The reference cannot be followed: {problem}.");
                findings.error(documents, &place, "unresolved-ref", message);
                continue;
            }
        };
        let location = parameter.text("in").and_then(Location::parse);
        match (location, parameter.text("name")) {
            (Some(location), Some(name)) if !name.is_empty() => {
                declared.insert((location, name), parameter);
            }
            _ => findings.error(
                documents,
                &parameter.place,
                "invalid-parameter",
                "A parameter needs a `name`, and `in` with one of `path`, `query`, `header`, `cookie`.",
            ),
        }
    }
    declared
}

fn writing<'a>(
    location: Location,
    parameter: &Located<'a>,
    documents: &Documents,
    findings: &mut Findings,
) -> (Writing, Option<Located<'a>>) {
    if let Some(content) = parameter.get("content") {
        let media = content.fields().into_iter().next();
        return (
            Writing::Json,
            media.and_then(|(_, media)| media.get("schema")),
        );
    }
    let given = parameter.text("style");
    let style = given
        .and_then(Style::parse)
        .filter(|style| location.allows(*style));
    if given.is_some() && style.is_none() {
        findings.warn(
            documents,
            &parameter.place.child("style"),
            "invalid-parameter",
            format!(
                "This style cannot be used in a {}, so the default is.",
                location.as_str()
            ),
        );
    }
    let style = style.unwrap_or_else(|| location.default_style());
    let explode = parameter.value.get("explode").and_then(Value::as_bool);
    let writing = Writing::Styled {
        style,
        explode: explode.unwrap_or(style == Style::Form),
        allow_reserved: parameter.value.get("allowReserved") == Some(&json!(true)),
    };
    (writing, parameter.get("schema"))
}

/// A description beside the schema is what a model reads about the argument.
fn describe(schema: &mut Value, description: Option<&str>) {
    if let (Some(fields), Some(description)) = (schema.as_object_mut(), description)
        && !fields.contains_key("description")
    {
        fields.insert("description".to_owned(), json!(description));
    }
}

/// Every placeholder of the path needs a parameter, or it would be sent as it stands.
fn check_placeholders(
    found: &FoundOperation<'_>,
    parameters: &[Parameter],
    documents: &Documents,
    findings: &mut Findings,
) {
    let in_path: BTreeSet<&str> = parameters
        .iter()
        .filter(|parameter| parameter.location == Location::Path)
        .map(|parameter| parameter.name.as_str())
        .collect();
    let placeholders = placeholders(found.path);
    for name in &placeholders {
        if !in_path.contains(name) {
            findings.error(
                documents,
                &found.operation.place,
                "undeclared-placeholder",
                format!("The path has `{{{name}}}` and no parameter `{name}` with `in: path`: declare it."),
            );
        }
    }
    for name in in_path.iter().filter(|name| !placeholders.contains(*name)) {
        findings.warn(
            documents,
            &found.operation.place,
            "unused-parameter",
            format!("The parameter `{name}` is not in the path, so it is never sent: write `{{{name}}}` into the path."),
        );
    }
}

/// The names in braces.
pub(crate) fn placeholders(path: &str) -> BTreeSet<&str> {
    let parts = path.split('{').skip(1);
    parts
        .filter_map(|part| part.split_once('}'))
        .map(|(name, _)| name)
        .collect()
}

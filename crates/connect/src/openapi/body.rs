//! The body of a request: which media type is sent, and whether its fields can be arguments of their own.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::bundle::{Documents, Located};
use super::finding::Findings;
use super::operation::FoundOperation;

/// How deep `allOf` may be nested within itself.
const MERGE_DEPTH_MAX: usize = 8;

/// The type of a body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Media {
    /// JSON, with its exact media type.
    Json(String),
    Form,
    Multipart,
    Text(String),
    /// Bytes, given as base64.
    Binary(String),
}

impl Media {
    fn of(name: &str) -> Self {
        let essence = name
            .split(';')
            .next()
            .unwrap_or_default()
            .trim()
            .to_ascii_lowercase();
        match essence.as_str() {
            "application/x-www-form-urlencoded" => Self::Form,
            "multipart/form-data" => Self::Multipart,
            essence if is_json(essence) => Self::Json(concrete(name, "application/json")),
            essence if essence.starts_with("text/") || essence.ends_with("xml") => {
                Self::Text(concrete(name, "text/plain"))
            }
            _ => Self::Binary(concrete(name, "application/octet-stream")),
        }
    }

    /// JSON first, because it keeps types.
    fn rank(&self) -> u8 {
        match self {
            Self::Json(_) => 0,
            Self::Form => 1,
            Self::Multipart => 2,
            Self::Text(_) => 3,
            Self::Binary(_) => 4,
        }
    }
}

/// Whether a media type is JSON, such as `application/vnd.api+json`.
pub(crate) fn is_json(name: &str) -> bool {
    let essence = name.split(';').next().unwrap_or_default().trim();
    let essence = essence.to_ascii_lowercase();
    essence == "application/json"
        || essence == "text/json"
        || essence.ends_with("+json")
        || essence == "*/*"
        || essence == "application/*"
}

/// A range such as `*/*` cannot be sent.
fn concrete(name: &str, default: &str) -> String {
    match name.contains('*') {
        true => default.to_owned(),
        false => name.to_owned(),
    }
}

/// How a tool fills the body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum BodyPlan {
    None,
    /// From arguments of their own: argument by argument, the field that it fills.
    Fields {
        media: Media,
        fields: BTreeMap<String, String>,
        /// Whether arguments that are nothing else are fields, too.
        is_open: bool,
        is_required: bool,
    },
    /// From one argument.
    Whole {
        media: Media,
        argument: String,
    },
    /// All arguments, as JSON.
    Everything,
}

/// What a body looks like.
pub(crate) enum BodyShape<'a> {
    /// A plain object.
    Fields {
        media: Media,
        fields: Vec<BodyField<'a>>,
        additional: Option<Located<'a>>,
        is_required: bool,
    },
    /// Anything else.
    Whole {
        media: Media,
        schema: Option<Located<'a>>,
        is_required: bool,
    },
}

pub(crate) struct BodyField<'a> {
    pub(crate) name: &'a str,
    /// More than one where parts of an `allOf` say something about it.
    pub(crate) schemas: Vec<Located<'a>>,
    pub(crate) is_required: bool,
}

/// The body of an operation; `None` if it has no content.
pub(crate) fn body_shape<'a>(
    body: Located<'a>,
    found: &FoundOperation<'a>,
    documents: &'a Documents,
    findings: &mut Findings,
) -> Option<BodyShape<'a>> {
    let place = body.place.clone();
    let body = match documents.resolve(body) {
        Ok(body) => body,
        Err(problem) => {
            let message = format!("The reference cannot be followed: {problem}.");
            findings.error(documents, &place, "unresolved-ref", message);
            return None;
        }
    };
    let is_required = body.value.get("required") == Some(&json!(true));
    let content = body.get("content")?;
    let mut choices: Vec<(Media, Located<'a>)> = content
        .fields()
        .into_iter()
        .map(|(name, media)| (Media::of(name), media))
        .collect();
    choices.sort_by_key(|(media, _)| media.rank());
    let (media, declared) = choices.into_iter().next()?;
    let schema = declared.get("schema");
    let is_structured = matches!(media, Media::Json(_) | Media::Form | Media::Multipart);
    let merged = schema
        .clone()
        .filter(|_| is_structured)
        .and_then(|schema| plain_object(schema, documents, 0));
    if let Some(merged) = merged {
        return Some(BodyShape::Fields {
            media,
            additional: merged.additional,
            fields: merged.fields,
            is_required,
        });
    }
    let is_object = schema
        .as_ref()
        .is_some_and(|schema| is_object(schema.clone(), documents, 0));
    if found.extensions.is_tool && !(is_structured && is_object) {
        let place = schema
            .as_ref()
            .map_or(&declared.place, |schema| &schema.place);
        findings.error(
            documents,
            place,
            "non-object-input",
            "The input of a tool is an object, and this body is something else: describe it as `type: object` with properties.",
        );
    }
    Some(BodyShape::Whole {
        media,
        schema,
        is_required,
    })
}

struct PlainObject<'a> {
    fields: Vec<BodyField<'a>>,
    additional: Option<Located<'a>>,
}

/// The fields of a schema that is an object and nothing more. Parts of an `allOf` are put together.
fn plain_object<'a>(
    schema: Located<'a>,
    documents: &'a Documents,
    depth: usize,
) -> Option<PlainObject<'a>> {
    let schema = documents.resolve(schema).ok()?;
    let fields = schema.value.as_object()?;
    const OTHER_RULES: &[&str] = &[
        "oneOf",
        "anyOf",
        "not",
        "if",
        "patternProperties",
        "propertyNames",
        "minProperties",
        "maxProperties",
        "dependentRequired",
        "dependentSchemas",
        "unevaluatedProperties",
        "enum",
        "const",
    ];
    let is_nullable = fields.get("nullable") == Some(&json!(true));
    if depth > MERGE_DEPTH_MAX
        || is_nullable
        || OTHER_RULES.iter().any(|rule| fields.contains_key(*rule))
    {
        return None;
    }
    let kind = fields.get("type");
    if kind.is_some_and(|kind| *kind != json!("object")) {
        return None;
    }
    let parts = schema
        .get("allOf")
        .map(|parts| parts.items())
        .unwrap_or_default();
    // Without a type, only properties say that it is an object.
    if kind.is_none() && !fields.contains_key("properties") && parts.is_empty() {
        return None;
    }
    let mut merged = PlainObject {
        fields: Vec::new(),
        additional: schema.get("additionalProperties"),
    };
    for part in parts {
        let part = plain_object(part, documents, depth + 1)?;
        // A part that forbids other fields would forbid those of its siblings.
        if part
            .additional
            .as_ref()
            .is_some_and(|additional| *additional.value != json!(true))
        {
            return None;
        }
        for field in part.fields {
            merged.add(field);
        }
    }
    let required: Vec<&str> = fields
        .get("required")
        .and_then(Value::as_array)
        .map(|names| names.iter().filter_map(Value::as_str).collect())
        .unwrap_or_default();
    if let Some(properties) = schema.get("properties") {
        for (name, value) in properties.value.as_object()? {
            let place = properties.place.child(name);
            merged.add(BodyField {
                name,
                schemas: vec![Located { place, value }],
                is_required: false,
            });
        }
    }
    for name in required {
        match merged.fields.iter_mut().find(|field| field.name == name) {
            Some(field) => field.is_required = true,
            // Required and not described: it can still be given.
            None => merged.add(BodyField {
                name,
                schemas: Vec::new(),
                is_required: true,
            }),
        }
    }
    Some(merged)
}

impl<'a> PlainObject<'a> {
    fn add(&mut self, field: BodyField<'a>) {
        match self
            .fields
            .iter_mut()
            .find(|known| known.name == field.name)
        {
            Some(known) => {
                known.schemas.extend(field.schemas);
                known.is_required |= field.is_required;
            }
            None => self.fields.push(field),
        }
    }
}

/// Whether every value of a schema is an object.
fn is_object(schema: Located<'_>, documents: &Documents, depth: usize) -> bool {
    let Ok(schema) = documents.resolve(schema) else {
        return false;
    };
    if depth > MERGE_DEPTH_MAX {
        return false;
    }
    match schema.value.get("type") {
        Some(kind) => return *kind == json!("object"),
        None if schema.value.get("properties").is_some() => return true,
        None => {}
    }
    let parts = |name: &str| {
        schema
            .get(name)
            .map(|parts| parts.items())
            .unwrap_or_default()
    };
    let every = |name: &str| {
        let parts = parts(name);
        !parts.is_empty()
            && parts
                .into_iter()
                .all(|part| is_object(part, documents, depth + 1))
    };
    let some = parts("allOf")
        .into_iter()
        .any(|part| is_object(part, documents, depth + 1));
    some || every("oneOf") || every("anyOf")
}

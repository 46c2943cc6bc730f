//! The shapes of a plan and its operations, derived from their schema so that they are defined only once.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde_json::{Value, json};

use super::edit_plan_schema;

/// What a field accepts.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Form {
    Text,
    Page,
    Node,
    Integer,
    Boolean,
    Texts,
    Ops,
    /// An object with arbitrary fields.
    Object,
    /// An object with these fields.
    Settings(Shape),
}

/// A field.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Field {
    pub(super) form: Form,
    pub(super) required: bool,
    /// Whether null means something other than leaving the field out.
    pub(super) keeps_null: bool,
    /// The maximum number of characters or entries.
    pub(super) most: Option<u64>,
    /// The maximum number of characters of an entry.
    pub(super) entry_most: Option<u64>,
    /// The allowed values.
    pub(super) choices: Vec<String>,
}

/// The fields of an object.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Shape(pub(super) BTreeMap<String, Field>);

impl Shape {
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }
}

/// The shapes of a plan and all its operations.
pub(super) struct Shapes {
    pub(super) plan: Shape,
    pub(super) ops: BTreeMap<String, Shape>,
    examples: BTreeMap<String, Value>,
}

impl Shapes {
    /// An example of an operation.
    pub(super) fn example(&self, op: &str) -> Option<&Value> {
        self.examples.get(op)
    }
}

pub(super) static SHAPES: LazyLock<Shapes> = LazyLock::new(|| {
    let schema = edit_plan_schema();
    let variants = schema["properties"]["ops"]["items"]["oneOf"].as_array();
    let ops = variants.into_iter().flatten().filter_map(|variant| {
        let name = variant["properties"]["op"]["const"].as_str()?;
        let mut shape = shape(variant, &|field| name == "move_page" && field == "parent");
        shape.0.remove("op");
        Some((name.to_owned(), shape))
    });
    let examples = examples().into_iter().filter_map(|example| {
        let name = example["op"].as_str()?.to_owned();
        Some((name, example))
    });
    Shapes {
        plan: shape(&schema, &|_| false),
        ops: ops.collect(),
        examples: examples.collect(),
    }
});

fn shape(schema: &Value, keeps_null: &dyn Fn(&str) -> bool) -> Shape {
    let required = schema["required"].as_array();
    let required = |name: &str| required.is_some_and(|names| names.iter().any(|one| one == name));
    let properties = schema["properties"].as_object();
    let fields = properties.into_iter().flatten().map(|(name, schema)| {
        let field = Field {
            form: form(schema),
            required: required(name),
            keeps_null: keeps_null(name),
            most: schema["maxLength"].as_u64().or(schema["maxItems"].as_u64()),
            entry_most: schema["items"]["maxLength"].as_u64(),
            choices: choices(schema),
        };
        (name.clone(), field)
    });
    Shape(fields.collect())
}

fn choices(schema: &Value) -> Vec<String> {
    let listed = schema["enum"].as_array().into_iter().flatten();
    let described = schema["oneOf"].as_array().into_iter().flatten();
    let texts = listed.chain(described.map(|one| &one["const"]));
    texts
        .filter_map(|text| text.as_str().map(str::to_owned))
        .collect()
}

fn form(schema: &Value) -> Form {
    let is = |name: &str| match &schema["type"] {
        Value::String(only) => only == name,
        Value::Array(several) => several.iter().any(|one| one == name),
        _ => false,
    };
    match schema["title"].as_str() {
        Some("BodyId") => Form::Page,
        Some("NodeId") => Form::Node,
        _ if is("integer") => Form::Integer,
        _ if is("boolean") => Form::Boolean,
        _ if is("array") && schema["items"]["oneOf"].is_array() => Form::Ops,
        _ if is("array") => Form::Texts,
        _ if schema["properties"].is_object() => Form::Settings(shape(schema, &|_| true)),
        _ if is("object") => Form::Object,
        _ => Form::Text,
    }
}

/// An example of each operation.
pub(super) fn examples() -> Vec<Value> {
    vec![
        json!({ "op": "create_page", "title": "Pricing", "html": "<section><h1>Pricing</h1></section>", "as": "pricing" }),
        json!({ "op": "rename_page", "page": "00000000000a", "title": "About us" }),
        json!({ "op": "remove_page", "page": "00000000000a" }),
        json!({ "op": "move_page", "page": "00000000000a", "parent": null, "position": 0 }),
        json!({ "op": "duplicate_page", "page": "00000000000a", "title": "About us, shorter" }),
        json!({ "op": "update_page_settings", "page": "00000000000a", "settings": { "description": "Who we are." } }),
        json!({ "op": "add_section", "page": "00000000000a", "html": "<section><h2>Opening hours</h2></section>", "position": 1 }),
        json!({ "op": "add_node", "parent": "00000000000b", "html": "<p>New</p>" }),
        json!({ "op": "replace_node", "node": "00000000000b", "html": "<p>Other</p>" }),
        json!({ "op": "replace_content", "node": "00000000000b", "html": "<p>Other</p>" }),
        json!({ "op": "update_props", "node": "00000000000b", "props": { "href": "/contact" } }),
        json!({ "op": "update_text", "node": "00000000000b", "text": "Welcome" }),
        json!({ "op": "update_classes", "node": "00000000000b", "add": ["hero"], "remove": ["plain"] }),
        json!({ "op": "remove_node", "node": "00000000000b" }),
        json!({ "op": "move_node", "node": "00000000000b", "position": 0 }),
        json!({ "op": "duplicate_node", "node": "00000000000b" }),
        json!({ "op": "add_item", "list": "00000000000b", "html": "<li>Third</li>" }),
        json!({ "op": "update_item", "list": "00000000000b", "index": 0, "text": "First" }),
        json!({ "op": "remove_item", "list": "00000000000b", "index": 2 }),
        json!({ "op": "move_item", "list": "00000000000b", "index": 2, "position": 0 }),
        json!({ "op": "apply_css", "css": ".hero { padding: 4rem }" }),
        json!({ "op": "update_site_settings", "settings": { "name": "Our bakery" } }),
    ]
}

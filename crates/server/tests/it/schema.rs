//! Makes input from the schemas of the OpenAPI document: as a route asks for it, and not quite.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

/// How deep examples are filled in; schemas may contain themselves.
const DEPTH_MAX: usize = 5;

/// The schemas that others refer to.
pub(crate) struct Schemas<'a>(&'a Value);

/// What a schema asks for, as far as these tests look.
#[derive(Debug, Clone)]
pub(crate) struct Shape {
    /// The JSON types that are taken; empty when any is.
    kinds: BTreeSet<String>,
    example: Value,
    /// The forms of an object: one, or one for each variant of an enum.
    objects: Vec<ObjectShape>,
    is_unsigned: bool,
}

#[derive(Debug, Clone)]
struct ObjectShape {
    fields: BTreeMap<String, Shape>,
    required: BTreeSet<String>,
}

impl<'a> Schemas<'a> {
    pub(crate) fn new(components: &'a Value) -> Self {
        Self(components)
    }

    pub(crate) fn shape(&self, schema: &Value) -> Shape {
        self.shape_within(schema, DEPTH_MAX)
    }

    fn resolve<'b>(&'b self, schema: &'b Value) -> &'b Value {
        match schema["$ref"].as_str() {
            Some(reference) => {
                let name = reference.rsplit('/').next().unwrap_or_default();
                self.resolve(&self.0[name])
            }
            None => schema,
        }
    }

    fn shape_within(&self, schema: &Value, depth: usize) -> Shape {
        let schema = self.resolve(schema);
        let forms = ["anyOf", "oneOf"]
            .into_iter()
            .find_map(|key| schema[key].as_array());
        if let Some(forms) = forms {
            let shapes = forms.iter().map(|form| self.shape_within(form, depth));
            return Shape::any_of(shapes.collect(), self.object(schema, depth));
        }
        let kinds = kinds(schema);
        let object = self.object(schema, depth);
        Shape {
            example: example(schema, &kinds, object.as_ref()),
            is_unsigned: schema["minimum"].as_u64().is_some(),
            objects: object.into_iter().collect(),
            kinds,
        }
    }

    fn object(&self, schema: &Value, depth: usize) -> Option<ObjectShape> {
        let properties = schema["properties"].as_object().filter(|_| depth > 0)?;
        let fields = properties.iter().map(|(name, property)| {
            let mut shape = self.shape_within(property, depth - 1);
            if let Some(usual) = usual(name)
                && shape.kinds.contains("string")
                && shape.example == json!("x")
            {
                shape.example = usual;
            }
            (name.clone(), shape)
        });
        let required = schema["required"].as_array().into_iter().flatten();
        let required = required.filter_map(|name| name.as_str().map(str::to_owned));
        Some(ObjectShape {
            fields: fields.collect(),
            required: required.collect(),
        })
    }
}

/// A value that gets past the first check, for fields whose name says what they hold.
fn usual(name: &str) -> Option<Value> {
    Some(match name {
        "email" => json!("grace@example.com"),
        "password" | "current" | "new" => json!("correct horse battery"),
        "role" => json!("viewer"),
        "decision" => json!("approve"),
        "pageId" | "id" => json!("3wgfmh69etm5"),
        _ => return None,
    })
}

fn kinds(schema: &Value) -> BTreeSet<String> {
    let values = schema["enum"].as_array().into_iter().flatten();
    let values = values.chain(schema.get("const")).map(kind_of);
    let types = match &schema["type"] {
        Value::String(one) => vec![one.clone()],
        Value::Array(several) => several
            .iter()
            .filter_map(|one| one.as_str().map(str::to_owned))
            .collect(),
        _ => values.map(str::to_owned).collect(),
    };
    types.into_iter().collect()
}

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

fn example(schema: &Value, kinds: &BTreeSet<String>, object: Option<&ObjectShape>) -> Value {
    if let Some(one) = schema.get("const").or_else(|| schema["enum"].get(0)) {
        return one.clone();
    }
    if let Some(object) = object {
        return Value::Object(object.example());
    }
    let takes = |kind: &str| kinds.contains(kind);
    match () {
        () if takes("string") => json!("x"),
        () if takes("integer") || takes("number") => json!(schema["minimum"].as_u64().unwrap_or(1)),
        () if takes("boolean") => json!(false),
        () if takes("array") => json!([]),
        () if takes("object") => json!({}),
        () => Value::Null,
    }
}

impl ObjectShape {
    /// An object with every field, so that a test reaches all of them.
    fn example(&self) -> Map<String, Value> {
        let fields = self.fields.iter();
        fields
            .map(|(name, field)| (name.clone(), field.example.clone()))
            .collect()
    }
}

impl Shape {
    fn any_of(shapes: Vec<Self>, shared: Option<ObjectShape>) -> Self {
        let takes_any = shapes.iter().any(|shape| shape.kinds.is_empty());
        let kinds = shapes.iter().flat_map(|shape| shape.kinds.clone());
        let first = shapes.iter().find(|shape| !shape.example.is_null());
        let mut objects: Vec<ObjectShape> = shapes
            .iter()
            .flat_map(|shape| shape.objects.clone())
            .collect();
        for (object, shared) in objects.iter_mut().zip(std::iter::repeat(&shared)) {
            if let Some(shared) = shared {
                object.fields.extend(shared.fields.clone());
                object.required.extend(shared.required.clone());
            }
        }
        let example = match (objects.first(), first) {
            (Some(object), _) => Value::Object(object.example()),
            (None, first) => first.map(|shape| shape.example.clone()).unwrap_or_default(),
        };
        Self {
            kinds: match takes_any {
                true => BTreeSet::new(),
                false => kinds.collect(),
            },
            example,
            is_unsigned: shapes.iter().any(|shape| shape.is_unsigned),
            objects,
        }
    }

    /// Bodies with every field: one for each form of the object.
    pub(crate) fn examples(&self) -> Vec<Map<String, Value>> {
        self.objects.iter().map(ObjectShape::example).collect()
    }

    /// The fields of the form that has these fields.
    pub(crate) fn fields_of(
        &self,
        whole: &Map<String, Value>,
    ) -> impl Iterator<Item = (&String, &Self)> {
        self.form_of(whole)
            .into_iter()
            .flat_map(|form| &form.fields)
    }

    pub(crate) fn requires(&self, whole: &Map<String, Value>, field: &str) -> bool {
        self.form_of(whole)
            .is_some_and(|form| form.required.contains(field))
    }

    fn form_of(&self, whole: &Map<String, Value>) -> Option<&ObjectShape> {
        self.objects.iter().find(|form| form.example() == *whole)
    }

    /// Values of types that are not taken, and numbers that no field can hold.
    pub(crate) fn wrong_values(&self) -> Vec<Value> {
        if self.kinds.is_empty() {
            return Vec::new();
        }
        let takes = |kind: &str| self.kinds.contains(kind);
        let all = [
            json!(null),
            json!(true),
            json!("x"),
            json!([1]),
            json!({ "a": 1 }),
        ];
        let mut wrong: Vec<Value> = all
            .into_iter()
            .filter(|value| !takes(kind_of(value)))
            .collect();
        if !takes("number") {
            wrong.push(json!(0.5));
            if !takes("integer") {
                wrong.push(json!(7));
            }
            if takes("integer") {
                wrong.push(json!(1e300));
            }
        }
        if takes("integer") && self.is_unsigned {
            wrong.push(json!(-1));
        }
        wrong
    }

    /// Values of the types that are taken, which are strange all the same.
    pub(crate) fn odd_values(&self, strings: &[&str]) -> Vec<Value> {
        let takes = |kind: &str| self.kinds.is_empty() || self.kinds.contains(kind);
        let mut odd = Vec::new();
        if takes("string") {
            odd.extend(strings.iter().map(|text| json!(text)));
            odd.push(json!("y".repeat(20_000)));
        }
        if takes("integer") || takes("number") {
            odd.extend([
                json!(0),
                json!(u32::MAX),
                json!(i64::MAX),
                json!(u64::MAX),
                json!(-1),
            ]);
        }
        if takes("array") {
            odd.extend([
                json!([]),
                json!(["\0"]),
                json!([null, {}, 7]),
                json!(vec!["x"; 2000]),
            ]);
        }
        if takes("object") {
            let deep = (0..100).fold(json!(1), |inner, _| json!({ "a": inner }));
            odd.extend([json!({}), json!({ "\0": "\0", "": [] }), deep]);
        }
        odd
    }

    /// Text for a query that cannot be read as what is asked for.
    pub(crate) fn wrong_texts(&self) -> Vec<&'static str> {
        match self.kinds.contains("integer") && !self.kinds.contains("string") {
            true => vec![
                "many",
                "1.5",
                "99999999999999999999",
                "%FF",
                "-99999999999999999999",
            ],
            false => Vec::new(),
        }
    }

    pub(crate) fn example_text(&self) -> String {
        match &self.example {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        }
    }
}

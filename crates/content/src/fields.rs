//! Translating between the names of fields, which tools speak, and their ids, which entries store.

use serde_json::{Map, Value};
use sitewright_site::{Collection, Field, FieldId, FieldKind, Stop};

/// A value by field id.
pub(crate) struct FieldValue {
    pub(crate) field: FieldId,
    pub(crate) value: Value,
}

/// The values of an input, by field id. A name that is no field is refused, with those there are.
pub(crate) fn by_id(
    collection: &Collection,
    content: &Map<String, Value>,
) -> Result<Vec<FieldValue>, Stop> {
    let mut values = Vec::with_capacity(content.len());
    for (name, value) in content {
        let field = field(&collection.fields, "content", name)?;
        let path = format!("content/{name}");
        values.push(FieldValue {
            field: field.id,
            value: inner_by_id(field, &path, value)?,
        });
    }
    Ok(values)
}

/// The value of one field of an input, which has a name of its own there.
pub(crate) fn one_by_id(
    collection: &Collection,
    name: &str,
    value: Value,
) -> Result<FieldValue, Stop> {
    let field = field(&collection.fields, name, name)?;
    Ok(FieldValue {
        field: field.id,
        value,
    })
}

fn field<'f>(fields: &'f [Field], place: &str, name: &str) -> Result<&'f Field, Stop> {
    fields
        .iter()
        .find(|field| field.name == name)
        .ok_or_else(|| {
            let names: Vec<&str> = fields.iter().map(|field| field.name.as_str()).collect();
            let message = format!(
                "There is no field `{name}` here; the fields are {}.",
                names.join(", ")
            );
            Stop::invalid_at(place, message)
        })
}

/// Replaces the names in groups and lists. What does not fit is left to the check of the entry, which names the remedy.
fn inner_by_id(outer: &Field, path: &str, value: &Value) -> Result<Value, Stop> {
    match (&outer.kind, value) {
        (FieldKind::Group { fields }, Value::Object(named)) => {
            Ok(Value::Object(object_by_id(fields, path, named)?))
        }
        (FieldKind::Repeater { fields }, Value::Array(items)) => {
            let items = items.iter().map(|item| match item {
                Value::Object(named) => Ok(Value::Object(object_by_id(fields, path, named)?)),
                other => Ok(other.clone()),
            });
            Ok(Value::Array(items.collect::<Result<_, Stop>>()?))
        }
        (_, value) => Ok(value.clone()),
    }
}

fn object_by_id(
    fields: &[Field],
    path: &str,
    named: &Map<String, Value>,
) -> Result<Map<String, Value>, Stop> {
    let mut values = Map::new();
    for (name, value) in named {
        let field = field(fields, path, name)?;
        let path = format!("{path}/{name}");
        values.insert(field.id.to_string(), inner_by_id(field, &path, value)?);
    }
    Ok(values)
}

/// A value merged into the one before: a group keeps the fields that are not named, everything else is replaced.
pub(crate) fn merged(before: Option<&Value>, value: &Value, kind: &FieldKind) -> Value {
    match (before, value, kind) {
        (Some(Value::Object(before)), Value::Object(named), FieldKind::Group { .. }) => {
            let mut merged = before.clone();
            for (id, value) in named {
                match value {
                    Value::Null => merged.remove(id),
                    value => merged.insert(id.clone(), value.clone()),
                };
            }
            Value::Object(merged)
        }
        _ => value.clone(),
    }
}

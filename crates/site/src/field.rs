//! Fields: what `put` writes. A node's fields are read and written in place; those of everything else through their JSON form,
//! which checks the type of a value.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use sitewright_markup::css::{CssLimits, Piece, check_piece};

use crate::{Attr, Item, Kind, Node, Reference};

/// A field that does not exist, or a value that does not fit.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadField {
    /// The entity has no such field.
    #[error("there is no field `{0}` here")]
    Unknown(String),
    /// The value has the wrong type.
    #[error("`{field}`: {reason}")]
    Value {
        /// The field's name.
        field: String,
        /// Why the value does not fit.
        reason: String,
    },
}

/// The value of a field, and its position where the order matters.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct FieldValue {
    pub(crate) value: Value,
    pub(crate) at: Option<usize>,
}

impl FieldValue {
    fn value(value: impl Serialize) -> Self {
        Self {
            value: serde_json::to_value(value).unwrap_or_default(),
            at: None,
        }
    }
}

/// The value of a node's field; null for an optional one that is not set.
pub(crate) fn node_field(node: &Node, field: &str) -> Result<FieldValue, BadField> {
    let unknown = || BadField::Unknown(field.to_owned());
    let held = match (field, &node.kind) {
        ("classes", _) => FieldValue::value(&node.classes),
        ("style", _) => FieldValue::value(&node.style),
        ("label", _) => FieldValue::value(&node.label),
        ("slot", _) => FieldValue::value(&node.slot),
        ("hidden", _) => FieldValue::value(node.hidden),
        ("status", _) => FieldValue::value(node.status),
        ("lock", _) => FieldValue::value(node.lock),
        ("text", Kind::Text(text) | Kind::Comment(text)) => FieldValue::value(text),
        ("tag", Kind::Element(element)) => FieldValue::value(&element.tag),
        ("loop", Kind::Loop(looped)) => FieldValue::value(looped),
        ("component", Kind::Component(used)) => FieldValue::value(&used.id),
        (_, Kind::Element(element)) => {
            let name = field.strip_prefix("attrs.").ok_or_else(unknown)?;
            let at = element
                .attrs
                .iter()
                .position(|attr| attr.name.as_str() == name);
            FieldValue {
                value: at.map_or(Value::Null, |at| attr_value(&element.attrs[at])),
                at,
            }
        }
        (_, Kind::Component(used)) => {
            let name = field.strip_prefix("props.").ok_or_else(unknown)?;
            FieldValue {
                value: used.props.get(name).cloned().unwrap_or_default(),
                at: None,
            }
        }
        _ => return Err(unknown()),
    };
    Ok(held)
}

/// Writes a node's field and returns the previous value. A new attribute is added last, unless `at` gives its former position.
pub(crate) fn put_node_field(
    node: &mut Node,
    field: &str,
    value: &Value,
    at: Option<usize>,
) -> Result<FieldValue, BadField> {
    let unknown = || BadField::Unknown(field.to_owned());
    let held = node_field(node, field)?;
    match (field, &mut node.kind) {
        ("classes", _) => node.classes = read(field, value)?,
        ("style", _) => node.style = read(field, value)?,
        ("label", _) => node.label = read(field, value)?,
        ("slot", _) => node.slot = read(field, value)?,
        ("hidden", _) => node.hidden = read(field, value)?,
        ("status", _) => node.status = read(field, value)?,
        ("lock", _) => node.lock = read(field, value)?,
        ("text", Kind::Text(text) | Kind::Comment(text)) => *text = read(field, value)?,
        ("tag", Kind::Element(element)) => element.tag = read(field, value)?,
        ("loop", Kind::Loop(looped)) => **looped = read(field, value)?,
        ("component", Kind::Component(used)) => used.id = read(field, value)?,
        (_, Kind::Element(element)) => {
            let name = field.strip_prefix("attrs.").ok_or_else(unknown)?;
            let attr = match value {
                Value::Null => None,
                Value::String(text) => Some(Attr::new(name, text.as_str())),
                pointing => {
                    let Pointing { value, target } = read(field, pointing)?;
                    let target = Some(Box::new(target));
                    Some(Attr {
                        target,
                        ..Attr::new(name, value)
                    })
                }
            };
            put_attr(&mut element.attrs, name, attr, at.or(held.at));
        }
        (_, Kind::Component(used)) => {
            let name = field.strip_prefix("props.").ok_or_else(unknown)?;
            match value {
                Value::Null => used.props.remove(name),
                value => used.props.insert(name.to_owned(), value.clone()),
            };
        }
        _ => return Err(unknown()),
    }
    Ok(held)
}

fn put_attr(attrs: &mut Vec<Attr>, name: &str, attr: Option<Attr>, at: Option<usize>) {
    attrs.retain(|known| known.name.as_str() != name);
    if let Some(attr) = attr {
        let at = at.unwrap_or(attrs.len()).min(attrs.len());
        attrs.insert(at, attr);
    }
}

/// An attribute with a target, as ops write it. One without a target is written as a plain string.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Pointing {
    value: String,
    target: Reference,
}

/// The value of an attribute, as ops write it.
pub(crate) fn attr_value(attr: &Attr) -> Value {
    match &attr.target {
        None => Value::from(attr.value.as_str()),
        Some(target) => json!({ "value": attr.value, "target": target }),
    }
}

/// The text of an attribute value, with or without a target.
pub(crate) fn written(value: &Value) -> &str {
    let text = value.as_str().or_else(|| value.get("value")?.as_str());
    text.unwrap_or_default()
}

/// The value of a field of anything but a node.
pub(crate) fn field_of<T: Serialize>(thing: &T, field: &str) -> Result<Value, BadField> {
    Ok(held(&object_of(thing, field)?, field))
}

/// Writes a field of anything but a node and returns the previous value.
pub(crate) fn put_field<T: Serialize + DeserializeOwned>(
    thing: &mut T,
    field: &str,
    value: &Value,
) -> Result<Value, BadField> {
    let mut object = object_of(thing, field)?;
    let held = replace(&mut object, field, value)?;
    *thing = read(field, &Value::Object(object))?;
    Ok(held)
}

fn held(object: &Map<String, Value>, field: &str) -> Value {
    let (head, rest) = split(field);
    let value = object.get(head);
    let value = match rest {
        None => value,
        Some(rest) => value.and_then(|value| value.get(rest)),
    };
    value.cloned().unwrap_or_default()
}

fn replace(object: &mut Map<String, Value>, field: &str, value: &Value) -> Result<Value, BadField> {
    let held = held(object, field);
    let (head, rest) = split(field);
    let target = match rest {
        None => object,
        Some(_) => match object
            .entry(head)
            .or_insert_with(|| Value::Object(Map::new()))
        {
            Value::Object(inner) => inner,
            _ => return Err(BadField::Unknown(field.to_owned())),
        },
    };
    let name = rest.unwrap_or(head);
    if value.is_null() {
        target.remove(name)
    } else {
        target.insert(name.to_owned(), value.clone())
    };
    Ok(held)
}

/// The value of a field of an item. The kind of the item is not a field.
pub(crate) fn item_field(item: &Item, field: &str) -> Result<Value, BadField> {
    match item {
        Item::Breakpoint(inner) => field_of(inner, field),
        Item::Sheet(inner) => field_of(inner, field),
        Item::Color(inner) => field_of(inner, field),
        Item::Font(inner) => field_of(inner, field),
        Item::TypeScale(inner) | Item::SpacingScale(inner) => field_of(inner, field),
        Item::Family(inner) => field_of(inner, field),
        Item::File(inner) => field_of(inner, field),
        Item::Collection(inner) => field_of(inner, field),
        Item::Navigation(inner) => field_of(inner, field),
        Item::NavItem(inner) => field_of(inner, field),
    }
}

/// Writes a field of an item and returns the previous value.
pub(crate) fn put_item_field(
    item: &mut Item,
    field: &str,
    value: &Value,
) -> Result<Value, BadField> {
    match item {
        Item::Breakpoint(inner) => put_field(inner, field, value),
        Item::Sheet(inner) => put_field(inner, field, value),
        Item::Color(inner) => put_field(inner, field, value),
        Item::Font(inner) => put_field(inner, field, value),
        Item::TypeScale(inner) | Item::SpacingScale(inner) => put_field(inner, field, value),
        Item::Family(inner) => put_field(inner, field, value),
        Item::File(inner) => put_field(inner, field, value),
        Item::Collection(inner) => put_field(inner, field, value),
        Item::Navigation(inner) => put_field(inner, field, value),
        Item::NavItem(inner) => put_field(inner, field, value),
    }
}

/// The value of a field of a rule.
pub(crate) fn piece_field(piece: &Piece, field: &str) -> Result<Value, BadField> {
    match piece {
        Piece::Block(block) => field_of(block, field),
        Piece::Raw(raw) => field_of(raw, field),
    }
}

/// Writes a field of a rule and returns the previous value. Fails if the rule would not parse back as itself.
pub(crate) fn put_piece_field(
    piece: &mut Piece,
    field: &str,
    value: &Value,
) -> Result<Value, BadField> {
    let mut changed = piece.clone();
    let held = match &mut changed {
        Piece::Block(block) => put_field(block, field, value)?,
        Piece::Raw(raw) => put_field(raw, field, value)?,
    };
    check_piece(&changed, &CssLimits::default()).map_err(|error| BadField::Value {
        field: field.to_owned(),
        reason: error.to_string(),
    })?;
    *piece = changed;
    Ok(held)
}

fn object_of<T: Serialize>(thing: &T, field: &str) -> Result<Map<String, Value>, BadField> {
    match serde_json::to_value(thing) {
        Ok(Value::Object(object)) => Ok(object),
        Ok(_) | Err(_) => Err(BadField::Unknown(field.to_owned())),
    }
}

fn split(field: &str) -> (&str, Option<&str>) {
    field
        .split_once('.')
        .map_or((field, None), |(head, rest)| (head, Some(rest)))
}

fn read<T: DeserializeOwned>(field: &str, value: &Value) -> Result<T, BadField> {
    sitewright_tool::read(value).map_err(|error| BadField::Value {
        field: field.to_owned(),
        reason: error.to_string(),
    })
}

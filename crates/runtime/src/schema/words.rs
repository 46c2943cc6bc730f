//! Turns validation errors into sentences: where, what is wrong, and what would be right.

use jsonschema::ValidationError;
use jsonschema::error::{TypeKind, ValidationErrorKind};
use serde_json::Value;

use super::{BadSchema, Misfit};

/// How much of a value or a pattern is quoted.
const QUOTED_CHARS_MAX: usize = 60;
/// How many choices are listed.
const CHOICES_MAX: usize = 12;

pub(super) fn misfit(error: &ValidationError<'_>) -> Misfit {
    let pointer = error.instance_path().to_string();
    match error.kind() {
        // The pointer is that of the missing field, so that a form can show the error there.
        ValidationErrorKind::Required { property } => Misfit {
            pointer: format!("{pointer}/{}", escaped(&plain(property))),
            message: "is missing".to_owned(),
        },
        ValidationErrorKind::AnyOf { context } | ValidationErrorKind::OneOfNotValid { context } => {
            nearest(pointer, context)
        }
        kind => Misfit {
            message: sentence(kind, error.instance()),
            pointer,
        },
    }
}

pub(super) fn bad_schema(error: &ValidationError<'_>) -> BadSchema {
    let reference = match error.kind() {
        ValidationErrorKind::Referencing(reason) => Some(reason.to_string()),
        _ => None,
    };
    if let Some(reason) = reference {
        return BadSchema {
            pointer: error.schema_path().to_string(),
            message: format!(
                "has a reference that leads nowhere ({}): references are not fetched, so point `$ref` into the same \
                 document, such as `#/$defs/name`",
                shortened(&reason)
            ),
        };
    }
    let found = misfit(error);
    let place = match found.pointer.as_str() {
        "" => String::new(),
        pointer => format!("`{pointer}` "),
    };
    BadSchema {
        message: format!("is not a JSON Schema 2020-12: {place}{}", found.message),
        pointer: found.pointer,
    }
}

/// Explains by which form a value most likely was meant: the one whose first error is deepest, then the one with fewest errors.
fn nearest(pointer: String, forms: &[Vec<ValidationError<'static>>]) -> Misfit {
    let depth = |error: &ValidationError<'_>| error.instance_path().as_str().matches('/').count();
    let meant = forms
        .iter()
        .filter_map(|errors| {
            errors
                .first()
                .map(|first| (depth(first), errors.len(), first))
        })
        .max_by(|(depth, count, _), (other_depth, other_count, _)| {
            depth.cmp(other_depth).then(other_count.cmp(count))
        });
    let message = match meant {
        Some((_, _, error)) if error.instance_path().as_str() == pointer => {
            let inner = misfit(error);
            if inner.pointer == pointer {
                format!(
                    "fits none of its {} forms; the nearest says: {}",
                    forms.len(),
                    inner.message
                )
            } else {
                format!(
                    "fits none of its {} forms; the nearest says: `{}` {}",
                    forms.len(),
                    inner.pointer,
                    inner.message
                )
            }
        }
        Some((_, _, error)) => return misfit(error),
        None => format!("fits none of its {} forms", forms.len()),
    };
    Misfit { pointer, message }
}

fn sentence(kind: &ValidationErrorKind, found: &Value) -> String {
    use ValidationErrorKind as Kind;
    let is = || shown(found);
    match kind {
        Kind::Type { kind } => format!("must be {}, and is {}", types(kind), is()),
        Kind::Enum { options } => format!("must be {}, and is {}", choices(options), is()),
        Kind::Constant { expected_value } => {
            format!("must be {}, and is {}", shown(expected_value), is())
        }
        Kind::Pattern { pattern } => {
            let pattern = shortened(pattern);
            format!("must match the pattern `{pattern}`, and is {}", is())
        }
        Kind::Format { format } => format!("must be a {format}, and is {}", is()),
        Kind::UniqueItems => "must not have the same item twice".to_owned(),
        Kind::Contains => "lacks an item of the kind that must be in it".to_owned(),
        Kind::AdditionalProperties { unexpected } | Kind::UnevaluatedProperties { unexpected } => {
            format!("has unknown fields, which must go: {}", listed(unexpected))
        }
        Kind::UnevaluatedItems { unexpected } => {
            format!("has items beyond those allowed: {}", listed(unexpected))
        }
        Kind::PropertyNames { error } => {
            let (name, reason) = (shown(error.instance()), misfit(error).message);
            format!("has the field {name}, whose name does not fit: it {reason}")
        }
        Kind::FalseSchema => "must not be there".to_owned(),
        Kind::Not { schema } => {
            let form = shortened(&schema.to_string());
            format!("must not be of the form {form}, and is {}", is())
        }
        Kind::OneOfMultipleValid { .. } => {
            "fits several of its forms and must fit exactly one".to_owned()
        }
        Kind::BacktrackLimitExceeded { .. } | Kind::RegexEngineFailure { .. } => {
            "could not be held against its pattern within the steps allowed; make it shorter"
                .to_owned()
        }
        Kind::Custom { message, .. } => shortened(message),
        Kind::Referencing(reason) => shortened(&reason.to_string()),
        kind => bound(kind, found).unwrap_or_else(|| format!("does not fit `{}`", kind.keyword())),
    }
}

/// The sentence for a value, length or count outside its bounds; `None` for other errors.
fn bound(kind: &ValidationErrorKind, found: &Value) -> Option<String> {
    use ValidationErrorKind as Kind;
    let (right, is) = match kind {
        Kind::Minimum { limit } => (format!("be at least {limit}"), None),
        Kind::Maximum { limit } => (format!("be at most {limit}"), None),
        Kind::ExclusiveMinimum { limit } => (format!("be more than {limit}"), None),
        Kind::ExclusiveMaximum { limit } => (format!("be less than {limit}"), None),
        Kind::MultipleOf { multiple_of } => (format!("be a multiple of {multiple_of}"), None),
        Kind::MinLength { limit } => (format!("have at least {limit} characters"), None),
        Kind::MaxLength { limit } => {
            let length = found.as_str().map_or(0, |text| text.chars().count());
            (format!("have at most {limit} characters"), Some(length))
        }
        Kind::MinItems { limit } => (format!("have at least {limit} items"), Some(count(found))),
        Kind::MaxItems { limit } => (format!("have at most {limit} items"), Some(count(found))),
        Kind::AdditionalItems { limit } => {
            (format!("have at most {limit} items"), Some(count(found)))
        }
        Kind::MinProperties { limit } => {
            (format!("have at least {limit} fields"), Some(count(found)))
        }
        Kind::MaxProperties { limit } => {
            (format!("have at most {limit} fields"), Some(count(found)))
        }
        _ => return None,
    };
    Some(match is {
        Some(count) => format!("must {right}, and has {count}"),
        None => format!("must {right}, and is {}", shown(found)),
    })
}

fn types(kind: &TypeKind) -> String {
    let named = |kind: &jsonschema::JsonType| match kind {
        jsonschema::JsonType::Array => "a list",
        jsonschema::JsonType::Boolean => "true or false",
        jsonschema::JsonType::Integer => "a whole number",
        jsonschema::JsonType::Null => "null",
        jsonschema::JsonType::Number => "a number",
        jsonschema::JsonType::Object => "an object",
        jsonschema::JsonType::String => "a text",
    };
    match kind {
        TypeKind::Single(kind) => named(kind).to_owned(),
        TypeKind::Multiple(kinds) => {
            let names: Vec<&str> = kinds.iter().map(|kind| named(&kind)).collect();
            names.join(" or ")
        }
    }
}

fn choices(options: &Value) -> String {
    let options = options.as_array().map(Vec::as_slice).unwrap_or_default();
    let named: Vec<String> = options.iter().take(CHOICES_MAX).map(shown).collect();
    let more = match options.len().saturating_sub(CHOICES_MAX) {
        0 => String::new(),
        more => format!(" or one of {more} others"),
    };
    match named.as_slice() {
        [only] => only.clone(),
        named => format!("one of {}{more}", named.join(", ")),
    }
}

fn count(found: &Value) -> usize {
    match found {
        Value::Array(items) => items.len(),
        Value::Object(fields) => fields.len(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 0,
    }
}

fn listed(names: &[String]) -> String {
    let named: Vec<String> = names
        .iter()
        .take(CHOICES_MAX)
        .map(|name| format!("`{}`", shortened(name)))
        .collect();
    let more = match names.len().saturating_sub(CHOICES_MAX) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("{}{more}", named.join(", "))
}

fn shown(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(flag) => flag.to_string(),
        Value::Number(number) => number.to_string(),
        Value::String(text) => format!("\"{}\"", shortened(text)),
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "an object".to_owned(),
    }
}

fn plain(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), ToOwned::to_owned)
}

fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

fn shortened(text: &str) -> String {
    let mut characters = text.chars();
    let short: String = characters.by_ref().take(QUOTED_CHARS_MAX).collect();
    if characters.next().is_some() {
        format!("{short}…")
    } else {
        short
    }
}

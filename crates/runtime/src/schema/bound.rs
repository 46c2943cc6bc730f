//! An end to every check. References are what makes a small schema do much: they can double and double again, or lead through
//! a deep value in every possible way. So each is followed only while there are steps left.
//!
//! `{"$ref": x}` is rewritten to `{"allOf": [{"if": {KEYWORD: true}, "then": {"$ref": x}, "else": false}]}`, which means the same as
//! long as the keyword holds. When it stops holding, everything still to be looked at ends at once, and the answer is thrown away.

use std::cell::Cell;

use jsonschema::paths::Location;
use jsonschema::{Keyword, ValidationError};
use serde_json::{Map, Value, json};

/// How many references one check may follow.
const STEPS_MAX: u32 = 100_000;
/// No schema of a vendor has it by accident; one that has only counts more steps.
pub(super) const KEYWORD: &str = "sitewright-step";

/// Fields that hold data and not schemas.
const DATA: [&str; 4] = ["const", "enum", "default", "examples"];
/// Fields that hold schemas under names of the author's choice.
const NAMED: [&str; 5] = [
    "properties",
    "patternProperties",
    "$defs",
    "definitions",
    "dependentSchemas",
];
/// What the names of drafts 3 to 7 have in common.
const OLD_DRAFTS: &str = "json-schema.org/draft-0";
const REFERENCES: [&str; 3] = ["$ref", "$dynamicRef", "$recursiveRef"];

thread_local! {
    /// The steps left to the check that runs on this thread. The validator's keywords are shared by all threads and are handed
    /// nothing of the check they serve.
    static STEPS_LEFT: Cell<u32> = const { Cell::new(0) };
}

/// Runs a check; nothing when it ran out of steps, in which case its answer means nothing.
pub(super) fn within<T>(check: impl FnOnce() -> T) -> Option<T> {
    STEPS_LEFT.set(STEPS_MAX);
    let answer = check();
    (STEPS_LEFT.get() > 0).then_some(answer)
}

struct Step;

impl<'i> Keyword<'i> for Step {
    fn validate(&self, instance: &'i Value) -> Result<(), ValidationError<'i>> {
        if self.is_valid(instance) {
            Ok(())
        } else {
            Err(ValidationError::custom("too many steps"))
        }
    }

    fn is_valid(&self, _: &'i Value) -> bool {
        let left = STEPS_LEFT.get().saturating_sub(1);
        STEPS_LEFT.set(left);
        left > 0
    }
}

#[expect(clippy::unnecessary_wraps, reason = "the validator's signature")]
pub(super) fn keyword<'a>(
    _: &'a Map<String, Value>,
    _: &'a Value,
    _: Location,
) -> Result<Box<dyn for<'i> Keyword<'i>>, ValidationError<'a>> {
    Ok(Box::new(Step))
}

/// The schema with every reference counted.
pub(super) fn references(schema: &Value) -> Value {
    let mut schema = schema.clone();
    count(&mut schema);
    schema
}

fn count(part: &mut Value) {
    match part {
        Value::Array(items) => items.iter_mut().for_each(count),
        Value::Object(fields) => {
            for (name, field) in fields.iter_mut() {
                match field {
                    Value::Object(named) if NAMED.contains(&name.as_str()) => {
                        named.values_mut().for_each(count);
                    }
                    field if !DATA.contains(&name.as_str()) => count(field),
                    _ => {}
                }
            }
            wrap(fields);
            // Before 2019 a schema knew no `if` or nothing beside `$ref`; such schemas are read as 2020-12, stricter if anything.
            let is_old = |named: &Value| named.as_str().is_some_and(|uri| uri.contains(OLD_DRAFTS));
            if fields.get("$schema").is_some_and(is_old) {
                fields.shift_remove("$schema");
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn wrap(fields: &mut Map<String, Value>) {
    for name in REFERENCES {
        let is_reference = fields.get(name).is_some_and(Value::is_string);
        let all = fields.get("allOf");
        // What is no list is refused by the validator; nothing is hidden from it.
        if !is_reference || all.is_some_and(|all| !all.is_array()) {
            continue;
        }
        let Some(reference) = fields.shift_remove(name) else {
            continue;
        };
        let all = fields.entry("allOf").or_insert_with(|| json!([]));
        if let Some(all) = all.as_array_mut() {
            // Behind what is there, so that pointers into the list keep their meaning.
            all.push(
                json!({ "if": { KEYWORD: true }, "then": { name: reference }, "else": false }),
            );
        }
    }
}

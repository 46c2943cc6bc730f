//! Bounds the work of a check. References let a small schema cause exponential work: they can double at every level, or walk a deep
//! value in every possible way. So a check follows only a limited number of them.
//!
//! `{"$ref": x}` is rewritten to `{"allOf": [{"if": {KEYWORD: true}, "then": {"$ref": x}, "else": false}]}`, which is equivalent while
//! the keyword is valid. Once the steps are used up, it becomes invalid, every remaining reference fails at once, and the result
//! of the check is discarded.

use std::cell::Cell;

use jsonschema::paths::Location;
use jsonschema::{Keyword, ValidationError};
use serde_json::{Map, Value, json};

/// How many references one check may follow.
const STEPS_MAX: u32 = 100_000;
/// Unlikely to occur in a vendor's schema; if it does, it only uses up additional steps.
pub(super) const KEYWORD: &str = "sitewright-step";

/// Fields that contain data and not schemas.
const DATA: [&str; 4] = ["const", "enum", "default", "examples"];
/// Fields that contain schemas under names that the author chooses.
const NAMED: [&str; 5] = [
    "properties",
    "patternProperties",
    "$defs",
    "definitions",
    "dependentSchemas",
];
/// The common part of the URIs of drafts 3 to 7.
const OLD_DRAFTS: &str = "json-schema.org/draft-0";
const REFERENCES: [&str; 3] = ["$ref", "$dynamicRef", "$recursiveRef"];

thread_local! {
    /// The steps left for the check on this thread. A thread-local, because the validator's keywords are shared by all threads and
    /// receive no context of the check they run in.
    static STEPS_LEFT: Cell<u32> = const { Cell::new(0) };
}

/// Runs a check. Returns `None` if it ran out of steps, because its result is meaningless then.
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

/// The schema with every reference wrapped, so that following it counts as a step.
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
            // Drafts before 2019-09 have no `if`, or ignore keywords beside `$ref`, so the rewrite would not work there. Such schemas are
            // read as 2020-12, which is stricter if anything.
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
        // An `allOf` that is not a list is left as it is, so that the validator refuses it.
        if !is_reference || all.is_some_and(|all| !all.is_array()) {
            continue;
        }
        let Some(reference) = fields.shift_remove(name) else {
            continue;
        };
        let all = fields.entry("allOf").or_insert_with(|| json!([]));
        if let Some(all) = all.as_array_mut() {
            // Appended, so that pointers to existing items of the list stay valid.
            all.push(
                json!({ "if": { KEYWORD: true }, "then": { name: reference }, "else": false }),
            );
        }
    }
}

//! JSON Schema 2020-12 for the input and output of tools: compiled once, with errors in plain words.
//!
//! It never fetches: a `$ref` must point into the same document, or the schema is refused. Formats are annotations and not checked,
//! as the standard says. Everything is bounded: schemas in size and depth, values in depth, a check in the number of references it
//! follows, and patterns in backtracking.

mod bound;
mod words;

use std::sync::OnceLock;

use jsonschema::{Draft, PatternOptions, Registry, Validator};
use serde::Serialize;
use serde_json::{Value, json};
use sitewright_tool::{ErrorCode, ToolError, ToolManifest};

/// The maximum number of misfits reported for a value.
pub const MISFITS_MAX: usize = 20;
/// The longest schema, written as JSON.
const SCHEMA_BYTES_MAX: usize = 256 * 1024;
/// How deep a schema may be nested.
const SCHEMA_DEPTH_MAX: usize = 64;
/// How deep a value may be nested. The JSON parser reads 127 levels, and what is stored with a value around it needs a few of them:
/// a deeper value could be stored and never read again.
const VALUE_DEPTH_MAX: usize = 120;
const PATTERN_STEPS_MAX: usize = 10_000;
const PATTERN_BYTES_MAX: usize = 1024 * 1024;

/// A compiled schema.
#[derive(Debug)]
pub struct Schema {
    validator: Validator,
}

/// A part of a value that does not match its schema.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Misfit {
    /// A JSON pointer into the value; empty for the value itself.
    pub pointer: String,
    /// What is wrong and what would be right.
    pub message: String,
}

/// Why a JSON value cannot be used as a schema.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct BadSchema {
    /// A JSON pointer into the schema.
    pub pointer: String,
    /// What is wrong with it and what to do.
    pub message: String,
}

impl Schema {
    /// Compiles a schema; without `$schema` it is taken as 2020-12.
    pub fn compile(schema: &Value) -> Result<Self, BadSchema> {
        Self::compile_with(schema, None)
    }

    /// The same with other documents that references may point to.
    fn compile_with(schema: &Value, known: Option<&Registry<'_>>) -> Result<Self, BadSchema> {
        check_size(schema)?;
        let schema = &bound::references(schema);
        let patterns = PatternOptions::fancy_regex()
            .backtrack_limit(PATTERN_STEPS_MAX)
            .size_limit(PATTERN_BYTES_MAX)
            .dfa_size_limit(PATTERN_BYTES_MAX);
        let mut options = jsonschema::options()
            .offline()
            .should_validate_formats(false)
            .with_keyword(bound::KEYWORD, bound::keyword)
            .with_pattern_options(patterns);
        if schema.get("$schema").is_none() {
            options = options.with_draft(Draft::Draft202012);
        }
        if let Some(known) = known {
            options = options.with_registry(known);
        }
        let validator = options
            .build(schema)
            .map_err(|error| words::bad_schema(&error))?;
        Ok(Self { validator })
    }

    /// Checks a value. Reports at most [`MISFITS_MAX`] misfits.
    pub fn check(&self, value: &Value) -> Result<(), Vec<Misfit>> {
        if is_deeper_than(value, VALUE_DEPTH_MAX) {
            return Err(vec![Misfit {
                pointer: String::new(),
                message: format!("is nested too deeply: use at most {VALUE_DEPTH_MAX} levels"),
            }]);
        }
        // Most values are valid, and this check collects no errors.
        match bound::within(|| self.validator.is_valid(value)) {
            Some(true) => return Ok(()),
            Some(false) => {}
            None => {
                return Err(vec![Misfit {
                    pointer: String::new(),
                    message: "takes too many steps to check: send a smaller value, or simplify the schema"
                        .to_owned(),
                }]);
            }
        }
        let misfits = bound::within(|| {
            let errors = self.validator.iter_errors(value).take(MISFITS_MAX);
            let mut misfits: Vec<Misfit> = errors.map(|error| words::misfit(&error)).collect();
            misfits.dedup();
            misfits
        });
        // Collecting errors may run out of steps where validation did not: it walks every branch, and validation stops at the first
        // match.
        Err(misfits.unwrap_or_else(|| {
            vec![Misfit {
                pointer: String::new(),
                message: "does not fit the schema, and is nested too deeply to say where: try smaller parts of it"
                    .to_owned(),
            }]
        }))
    }
}

/// The two schemas of a tool, each compiled on first use and cached.
#[derive(Debug)]
pub struct ToolSchemas {
    input: Lazy,
    output: Lazy,
}

#[derive(Debug)]
struct Lazy {
    source: Value,
    compiled: OnceLock<Result<Schema, BadSchema>>,
}

impl ToolSchemas {
    /// The schemas of a manifest, not compiled yet.
    pub fn new(manifest: &ToolManifest) -> Self {
        let lazy = |source: &Value| Lazy {
            source: source.clone(),
            compiled: OnceLock::new(),
        };
        Self {
            input: lazy(&manifest.input_schema),
            output: lazy(&manifest.output_schema),
        }
    }

    /// Refuses arguments that do not match, with `invalid_input` and the pointers of the misfits.
    pub fn check_input(&self, input: &Value) -> Result<(), ToolError> {
        let misfits = self.input.check(input, "inputSchema")?;
        told(
            misfits,
            ErrorCode::InvalidInput,
            "The input",
            "Correct it and call again.",
        )
    }

    /// Refuses an answer that does not match, with `invalid_output` and the pointers of the misfits.
    pub fn check_output(&self, output: &Value) -> Result<(), ToolError> {
        let misfits = self.output.check(output, "outputSchema")?;
        let remedy = "The tool has to be corrected, or its `outputSchema`.";
        told(
            misfits,
            ErrorCode::InvalidOutput,
            "The tool's answer",
            remedy,
        )
    }
}

impl Lazy {
    fn check(&self, value: &Value, field: &str) -> Result<Vec<Misfit>, ToolError> {
        let compiled = self.compiled.get_or_init(|| Schema::compile(&self.source));
        match compiled {
            Ok(schema) => Ok(schema.check(value).err().unwrap_or_default()),
            Err(error) => Err(ToolError::new(
                ErrorCode::Internal,
                format!(
                    "The tool's `{field}` is no schema: {error}. Register the tool with a correct one."
                ),
            )),
        }
    }
}

fn told(misfits: Vec<Misfit>, code: ErrorCode, what: &str, remedy: &str) -> Result<(), ToolError> {
    let Some(first) = misfits.first() else {
        return Ok(());
    };
    let place = match first.pointer.as_str() {
        "" => String::new(),
        pointer => format!(" at `{pointer}`"),
    };
    let others = match misfits.len() - 1 {
        0 => String::new(),
        others => format!(" ({others} more in `details`)"),
    };
    let message = format!("{what}{place}: {}{others}. {remedy}", first.message);
    let mut error = ToolError::new(code, message);
    error.details = Some(json!({ "errors": misfits }));
    Err(error)
}

fn check_size(schema: &Value) -> Result<(), BadSchema> {
    let bad = |message: String| BadSchema {
        pointer: String::new(),
        message,
    };
    // Depth comes before size, because `to_string` recurses as deep as the value.
    if is_deeper_than(schema, SCHEMA_DEPTH_MAX) {
        return Err(bad(format!(
            "is nested more than {SCHEMA_DEPTH_MAX} levels deep: move parts of it to `$defs`"
        )));
    }
    let bytes = schema.to_string().len();
    if bytes > SCHEMA_BYTES_MAX {
        return Err(bad(format!(
            "is {bytes} bytes long, and {SCHEMA_BYTES_MAX} are allowed: leave out what the tool does not need"
        )));
    }
    Ok(())
}

/// Whether a value has more levels than this. Does not recurse, so a deep value cannot overflow the stack.
pub(crate) fn is_deeper_than(value: &Value, levels: usize) -> bool {
    let mut pending = vec![(value, 1)];
    while let Some((value, level)) = pending.pop() {
        if level > levels {
            return true;
        }
        match value {
            Value::Array(items) => pending.extend(items.iter().map(|item| (item, level + 1))),
            Value::Object(fields) => {
                pending.extend(fields.values().map(|field| (field, level + 1)));
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
    false
}

#[cfg(test)]
#[path = "schema_tests.rs"]
mod tests;

//! Problems of a plan, worded so that its author can correct them.

use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

/// The maximum number of characters of the offending value that are quoted.
const FOUND_MAX: usize = 120;

/// Something wrong with a plan.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct PlanProblem {
    /// Where in the plan, as a JSON pointer.
    pub pointer: String,
    /// What kind of problem it is.
    pub kind: PlanProblemKind,
    /// What was there.
    pub found: String,
    /// What would be right, in sentences.
    pub expected: String,
    /// How it can look.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub example: Option<Value>,
}

/// What kind of problem it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PlanProblemKind {
    /// It does not fit the schema, or cannot be done so.
    Invalid,
    /// It can mean several things.
    Ambiguous,
    /// What it names is not there.
    NotFound,
    /// It would leave everything as it is.
    NoEffectiveChange,
    /// It is over a limit.
    TooLarge,
    /// The site does not allow it as it is.
    Conflict,
}

impl PlanProblem {
    pub(super) fn new(
        kind: PlanProblemKind,
        pointer: impl Into<String>,
        found: impl Into<String>,
        expected: impl Into<String>,
    ) -> Self {
        Self {
            pointer: pointer.into(),
            kind,
            found: found.into(),
            expected: expected.into(),
            example: None,
        }
    }

    pub(super) fn invalid(
        pointer: impl Into<String>,
        found: impl Into<String>,
        expected: impl Into<String>,
    ) -> Self {
        Self::new(PlanProblemKind::Invalid, pointer, found, expected)
    }

    pub(super) fn with_example(mut self, example: Option<&Value>) -> Self {
        self.example = example.cloned();
        self
    }
}

impl fmt::Display for PlanProblem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            pointer,
            kind: _,
            found,
            expected,
            example,
        } = self;
        match pointer.as_str() {
            "" => formatter.write_str("The plan")?,
            pointer => write!(formatter, "`{pointer}`")?,
        }
        write!(formatter, ": found {found}. {expected}")?;
        match example {
            Some(example) => write!(formatter, " For example: {example}"),
            None => Ok(()),
        }
    }
}

/// A value in a few words.
pub(super) fn short(value: &Value) -> String {
    let written = match value {
        Value::Null => return "null".to_owned(),
        Value::Array(list) if list.is_empty() => return "an empty list".to_owned(),
        Value::Array(_) | Value::Object(_) | Value::Bool(_) | Value::Number(_) => value.to_string(),
        Value::String(text) => format!("`{text}`"),
    };
    cut(&written)
}

fn cut(written: &str) -> String {
    if written.chars().count() <= FOUND_MAX {
        return written.to_owned();
    }
    let start: String = written.chars().take(FOUND_MAX).collect();
    format!("{start}…")
}

/// Appends a part to a JSON pointer.
pub(super) fn below(pointer: &str, part: &str) -> String {
    format!("{pointer}/{}", part.replace('~', "~0").replace('/', "~1"))
}

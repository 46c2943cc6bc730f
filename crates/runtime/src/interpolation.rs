//! Values from earlier steps in the arguments of later ones: `${flight.booking.id}`, `${flight.legs[0]}`.
//!
//! A text that is one reference and nothing else keeps the JSON type of the value. A reference within a text is written as text, and
//! must be a text, a number or a boolean. A path that leads nowhere is an error: nothing is sent with a placeholder in it. `$${` is a
//! literal `${`. Names of fields are never replaced.

use std::collections::BTreeSet;

use serde_json::Value;

/// Longer references are refused.
const REFERENCE_BYTES_MAX: usize = 500;
/// The most that references may bring into one value. Steps that each repeat the step before several times would otherwise grow
/// exponentially.
const FILLED_BYTES_MAX: usize = 1024 * 1024;

/// Why a value cannot be filled in.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InterpolationError {
    /// It is not written as a reference.
    #[error("`{0}` is no reference: write it as `${{step.field}}` or `${{step.list[0]}}`")]
    Syntax(String),
    /// No step has this name.
    #[error("`{reference}` names no step; there are {known}")]
    UnknownStep {
        /// As it is written.
        reference: String,
        /// The steps there are.
        known: String,
    },
    /// The step's output has no such part.
    #[error("`{reference}` leads nowhere: at `{at}` there are {known}")]
    Missing {
        /// As it is written.
        reference: String,
        /// How far it leads.
        at: String,
        /// What is there.
        known: String,
    },
    /// A list or an object within a text.
    #[error(
        "`{0}` is a list or an object, which cannot be part of a text: make it the whole value"
    )]
    NotScalar(String),
    /// What the references stand for is too much for one value.
    #[error(
        "with `{0}` it has more than {FILLED_BYTES_MAX} bytes: refer to a smaller part of what the step answered"
    )]
    TooLarge(String),
}

/// How references are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Marks {
    open: &'static str,
    close: &'static str,
    /// Put before `open`, it makes the text literal.
    escape: Option<&'static str>,
}

/// `${step.path}`, as workflows and missions write references.
pub const STEP_MARKS: Marks = Marks {
    open: "${",
    close: "}",
    escape: Some("$"),
};

/// `{{outputs.path}}`, as templates of compensations write them.
pub const TEMPLATE_MARKS: Marks = Marks {
    open: "{{",
    close: "}}",
    escape: None,
};

/// A reference to what a step answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StepReference {
    /// As it is written, without the marks.
    pub text: String,
    /// The step.
    pub step: String,
    /// The field that the path begins with; `None` for an item of a list or the whole answer.
    pub first_field: Option<String>,
    /// The field that the path ends in; `None` for an item of a list or the whole answer.
    pub field: Option<String>,
}

impl StepReference {
    fn parse(text: &str) -> Result<Self, InterpolationError> {
        let path = Path::parse(text)?;
        let field = |part: Option<&Part<'_>>| match part {
            Some(Part::Field(name)) => Some((*name).to_owned()),
            Some(Part::Item(_)) | None => None,
        };
        Ok(Self {
            text: text.to_owned(),
            step: path.step.to_owned(),
            first_field: field(path.parts.first()),
            field: field(path.parts.last()),
        })
    }
}

/// A part of a text.
enum Piece<'a> {
    Text(&'a str),
    Reference(&'a str),
}

impl Marks {
    /// Replaces the references in a value. `root` finds the value of a step; the steps in `known` are named in errors.
    pub fn fill<'v>(
        self,
        value: &Value,
        root: &dyn Fn(&str) -> Option<&'v Value>,
        known: &[&str],
    ) -> Result<Value, InterpolationError> {
        let mut filling = Filling {
            marks: self,
            root,
            known,
            bytes_left: FILLED_BYTES_MAX,
        };
        filling.fill(value)
    }

    /// The steps that a value refers to.
    pub fn steps(self, value: &Value) -> Result<BTreeSet<String>, InterpolationError> {
        let references = self.references(value)?.into_iter();
        Ok(references.map(|reference| reference.step).collect())
    }

    /// The references in a value.
    pub fn references(self, value: &Value) -> Result<Vec<StepReference>, InterpolationError> {
        let mut references = Vec::new();
        let mut pending = vec![value];
        while let Some(value) = pending.pop() {
            match value {
                Value::String(text) => {
                    for piece in self.pieces(text)? {
                        if let Piece::Reference(text) = piece {
                            references.push(StepReference::parse(text)?);
                        }
                    }
                }
                Value::Array(items) => pending.extend(items),
                Value::Object(fields) => pending.extend(fields.values()),
                _ => {}
            }
        }
        Ok(references)
    }

    fn pieces(self, text: &str) -> Result<Vec<Piece<'_>>, InterpolationError> {
        let mut pieces = Vec::new();
        let mut rest = text;
        while let Some(at) = rest.find(self.open) {
            let before = &rest[..at];
            let escaped = self.escape.and_then(|escape| before.strip_suffix(escape));
            let inside = &rest[at + self.open.len()..];
            if let Some(before) = escaped {
                pieces.push(Piece::Text(before));
                pieces.push(Piece::Text(self.open));
                rest = inside;
                continue;
            }
            if !before.is_empty() {
                pieces.push(Piece::Text(before));
            }
            let end = inside.find(self.close).ok_or_else(|| {
                let shown: String = rest[at..].chars().take(60).collect();
                InterpolationError::Syntax(shown)
            })?;
            pieces.push(Piece::Reference(inside[..end].trim()));
            rest = &inside[end + self.close.len()..];
        }
        if !rest.is_empty() {
            pieces.push(Piece::Text(rest));
        }
        Ok(pieces)
    }
}

/// A value whose references are being replaced.
struct Filling<'f, 'v> {
    marks: Marks,
    root: &'f dyn Fn(&str) -> Option<&'v Value>,
    known: &'f [&'f str],
    bytes_left: usize,
}

impl<'v> Filling<'_, 'v> {
    fn fill(&mut self, value: &Value) -> Result<Value, InterpolationError> {
        Ok(match value {
            Value::String(text) => self.fill_text(text)?,
            Value::Array(items) => {
                let items: Result<Vec<Value>, _> =
                    items.iter().map(|item| self.fill(item)).collect();
                Value::Array(items?)
            }
            Value::Object(fields) => {
                let mut filled = serde_json::Map::with_capacity(fields.len());
                for (name, value) in fields {
                    filled.insert(name.clone(), self.fill(value)?);
                }
                Value::Object(filled)
            }
            other => other.clone(),
        })
    }

    fn fill_text(&mut self, text: &str) -> Result<Value, InterpolationError> {
        let pieces = self.marks.pieces(text)?;
        if let [Piece::Reference(reference)] = pieces.as_slice() {
            return self.found(reference).cloned();
        }
        let mut filled = String::with_capacity(text.len());
        for piece in pieces {
            match piece {
                Piece::Text(text) => filled.push_str(text),
                Piece::Reference(reference) => match self.found(reference)? {
                    Value::String(text) => filled.push_str(text),
                    Value::Number(number) => filled.push_str(&number.to_string()),
                    Value::Bool(flag) => filled.push_str(&flag.to_string()),
                    Value::Null | Value::Array(_) | Value::Object(_) => {
                        return Err(InterpolationError::NotScalar(reference.to_owned()));
                    }
                },
            }
        }
        Ok(Value::String(filled))
    }

    /// What a reference stands for.
    fn found(&mut self, reference: &str) -> Result<&'v Value, InterpolationError> {
        let path = Path::parse(reference)?;
        let unknown = || InterpolationError::UnknownStep {
            reference: reference.to_owned(),
            known: listed(self.known.iter().map(|name| (*name).to_owned())),
        };
        let root = (self.root)(path.step).ok_or_else(unknown)?;
        let value = path.follow(reference, root)?;
        self.bytes_left = self
            .bytes_left
            .checked_sub(json_bytes(value))
            .ok_or_else(|| InterpolationError::TooLarge(reference.to_owned()))?;
        Ok(value)
    }
}

/// About how many bytes a value has as JSON text; escapes in texts are not counted.
pub(crate) fn json_bytes(value: &Value) -> usize {
    match value {
        Value::Null | Value::Bool(_) => 4,
        Value::Number(_) => 8,
        Value::String(text) => text.len() + 2,
        Value::Array(items) => 2 + items.iter().map(|item| json_bytes(item) + 1).sum::<usize>(),
        Value::Object(fields) => {
            let fields = fields.iter();
            2 + fields
                .map(|(name, value)| name.len() + 4 + json_bytes(value))
                .sum::<usize>()
        }
    }
}

struct Path<'a> {
    step: &'a str,
    parts: Vec<Part<'a>>,
}

enum Part<'a> {
    Field(&'a str),
    Item(usize),
}

impl<'a> Path<'a> {
    fn parse(reference: &'a str) -> Result<Self, InterpolationError> {
        let bad = || {
            let shown: String = reference.chars().take(60).collect();
            InterpolationError::Syntax(shown)
        };
        let is_name = |name: &str| {
            !name.is_empty()
                && !name.contains(|character: char| {
                    character.is_whitespace() || matches!(character, '$' | '{' | '}' | '[' | ']')
                })
        };
        if reference.len() > REFERENCE_BYTES_MAX {
            return Err(bad());
        }
        let mut parts = Vec::new();
        let mut names = reference.split('.');
        let step = names.next().unwrap_or_default();
        let (step, items) = step.split_at(step.find('[').unwrap_or(step.len()));
        if !is_name(step) {
            return Err(bad());
        }
        read_items(items, &mut parts).ok_or_else(bad)?;
        for name in names {
            // `a.[0]` is a spelling of `a[0]` that models use.
            let (name, items) = name.split_at(name.find('[').unwrap_or(name.len()));
            if is_name(name) {
                parts.push(Part::Field(name));
            } else if !name.is_empty() || items.is_empty() {
                return Err(bad());
            }
            read_items(items, &mut parts).ok_or_else(bad)?;
        }
        Ok(Self { step, parts })
    }

    fn follow<'v>(
        &self,
        reference: &str,
        root: &'v Value,
    ) -> Result<&'v Value, InterpolationError> {
        let mut at = self.step.to_owned();
        let mut value = root;
        for part in &self.parts {
            let next = match (part, value) {
                (Part::Field(name), Value::Object(fields)) => fields.get(*name),
                (Part::Item(index), Value::Array(items)) => items.get(*index),
                _ => None,
            };
            value = next.ok_or_else(|| InterpolationError::Missing {
                reference: reference.to_owned(),
                at: at.clone(),
                known: contents(value),
            })?;
            match part {
                Part::Field(name) => at.push_str(&format!(".{name}")),
                Part::Item(index) => at.push_str(&format!("[{index}]")),
            }
        }
        Ok(value)
    }
}

/// `[0][1]`.
fn read_items<'a>(text: &'a str, parts: &mut Vec<Part<'a>>) -> Option<()> {
    let mut rest = text;
    while !rest.is_empty() {
        let (index, after) = rest.strip_prefix('[')?.split_once(']')?;
        parts.push(Part::Item(index.parse().ok()?));
        rest = after;
    }
    Some(())
}

/// What a value has inside, so that whoever wrote the reference can correct it.
fn contents(value: &Value) -> String {
    match value {
        Value::Object(fields) => listed(fields.keys().cloned()),
        Value::Array(items) => format!("{} items", items.len()),
        Value::Null => "null".to_owned(),
        Value::Bool(_) | Value::Number(_) | Value::String(_) => "no fields".to_owned(),
    }
}

fn listed(names: impl Iterator<Item = String>) -> String {
    let names: Vec<String> = names.take(20).map(|name| format!("`{name}`")).collect();
    match names.is_empty() {
        true => "none".to_owned(),
        false => names.join(", "),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{STEP_MARKS, TEMPLATE_MARKS};

    fn filled(value: Value) -> Result<Value, String> {
        let flight = json!({ "id": "F1", "price": 99.5, "ok": true, "seats": [{ "row": 12 }, "x"], "none": null, "a b": 1 });
        let root = |name: &str| (name == "flight").then_some(&flight);
        let filled = STEP_MARKS.fill(&value, &root, &["flight", "hotel"]);
        filled.map_err(|error| error.to_string())
    }

    #[test]
    fn a_whole_value_keeps_its_type() {
        for (text, expected) in [
            ("${flight.price}", json!(99.5)),
            ("${flight.ok}", json!(true)),
            ("${flight.seats}", json!([{ "row": 12 }, "x"])),
            ("${flight.seats[0].row}", json!(12)),
            ("${flight.seats.[1]}", json!("x")),
            ("${ flight.none }", json!(null)),
        ] {
            assert_eq!(filled(json!(text)), Ok(expected), "{text}");
        }
        assert_eq!(
            filled(json!({ "${flight.id}": ["${flight.id}", 1, null] })),
            Ok(json!({ "${flight.id}": ["F1", 1, null] }))
        );
    }

    #[test]
    fn a_part_of_a_text_is_text() {
        for (text, expected) in [
            ("no ${flight.id}: ${flight.price}", "no F1: 99.5"),
            ("${flight.id}${flight.ok}", "F1true"),
            ("costs $5 and $${flight.id}", "costs $5 and ${flight.id}"),
            ("plain", "plain"),
            ("", ""),
        ] {
            assert_eq!(filled(json!(text)), Ok(json!(expected)), "{text}");
        }
    }

    /// What a value contains is data: a reference in it is not followed.
    #[test]
    fn values_are_not_read_again() {
        let trap = json!({ "id": "${flight.secret}" });
        let root = |_: &str| Some(&trap);
        let filled = STEP_MARKS
            .fill(&json!("x ${flight.id}"), &root, &[])
            .unwrap();
        assert_eq!(filled, json!("x ${flight.secret}"));
    }

    #[test]
    fn what_cannot_be_filled_is_an_error_that_says_what_there_is() {
        for (text, expected) in [
            (
                "${hotel.id}",
                "`hotel.id` names no step; there are `flight`, `hotel`",
            ),
            (
                "${flight.seats[0].column}",
                "`flight.seats[0].column` leads nowhere: at `flight.seats[0]` there are `row`",
            ),
            (
                "${flight.seats[9]}",
                "`flight.seats[9]` leads nowhere: at `flight.seats` there are 2 items",
            ),
            (
                "${flight.id.x}",
                "`flight.id.x` leads nowhere: at `flight.id` there are no fields",
            ),
            (
                "x ${flight.seats}",
                "`flight.seats` is a list or an object, which cannot be part of a text: make it the whole value",
            ),
            (
                "${flight",
                "`${flight` is no reference: write it as `${step.field}` or `${step.list[0]}`",
            ),
            (
                "${}",
                "`` is no reference: write it as `${step.field}` or `${step.list[0]}`",
            ),
            (
                "${flight..id}",
                "`flight..id` is no reference: write it as `${step.field}` or `${step.list[0]}`",
            ),
            (
                "${flight.seats[x]}",
                "`flight.seats[x]` is no reference: write it as `${step.field}` or `${step.list[0]}`",
            ),
        ] {
            assert_eq!(filled(json!(text)), Err(expected.to_owned()), "{text}");
        }
    }

    #[test]
    fn the_steps_of_a_value_are_found_anywhere_in_it() {
        let value =
            json!({ "a": ["${one.x} and ${two}"], "b": { "c": "${three[0]}", "d": "$${four}" } });
        let steps: Vec<String> = STEP_MARKS.steps(&value).unwrap().into_iter().collect();
        assert_eq!(steps, ["one", "three", "two"]);
    }

    #[test]
    fn templates_have_marks_of_their_own() {
        let outputs = json!({ "booking": { "id": 7 } });
        let root = |name: &str| (name == "outputs").then_some(&outputs);
        let filled = |text: &str| TEMPLATE_MARKS.fill(&json!(text), &root, &["outputs"]);
        assert_eq!(filled("{{outputs.booking.id}}"), Ok(json!(7)));
        assert_eq!(filled("no {{ outputs.booking.id }}."), Ok(json!("no 7.")));
        assert_eq!(filled("${outputs.x}"), Ok(json!("${outputs.x}")));
    }
}

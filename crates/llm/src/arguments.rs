//! Parses the arguments of tool calls, for all providers.
//!
//! Fragments are joined and parsed once the call is complete, because a single fragment is not valid JSON. Invalid arguments are not
//! repaired; the call fails, and the model gets the reason.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

use crate::lenient;

/// Why arguments cannot be used, as a sentence for the model.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum BadArguments {
    /// Cut off, or not JSON at all.
    #[error("the arguments are no JSON: {0}. Send the call again with one JSON object.")]
    NotJson(String),
    /// JSON, but a list, a text or a number.
    #[error("the arguments must be one JSON object, not {0}. Send the call again with an object.")]
    NotObject(&'static str),
}

/// Parses the joined fragments of a call. Empty or blank text means no arguments.
pub(crate) fn parse_tool_arguments(text: &str) -> Result<Value, BadArguments> {
    if text.trim().is_empty() {
        return Ok(Value::Object(Map::new()));
    }
    let readable = lenient::without_halves(text);
    let Distinct(value) = serde_json::from_str(&readable)
        .map_err(|error| BadArguments::NotJson(error.to_string()))?;
    match value {
        Value::Object(_) => Ok(value),
        Value::Null => Err(BadArguments::NotObject("null")),
        Value::Bool(_) => Err(BadArguments::NotObject("true or false")),
        Value::Number(_) => Err(BadArguments::NotObject("a number")),
        Value::String(_) => Err(BadArguments::NotObject("a text")),
        Value::Array(_) => Err(BadArguments::NotObject("a list")),
    }
}

/// A JSON value without duplicate keys. There is no way to know which of two values the model meant, so duplicates are an error.
struct Distinct(Value);

impl<'de> Deserialize<'de> for Distinct {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(DistinctVisitor)
    }
}

struct DistinctVisitor;

impl<'de> Visitor<'de> for DistinctVisitor {
    type Value = Distinct;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Distinct, E> {
        Ok(Distinct(Value::Null))
    }

    fn visit_bool<E>(self, value: bool) -> Result<Distinct, E> {
        Ok(Distinct(Value::Bool(value)))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Distinct, E> {
        Ok(Distinct(Value::from(value)))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Distinct, E> {
        Ok(Distinct(Value::from(value)))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Distinct, E> {
        Ok(Distinct(
            Number::from_f64(value).map_or(Value::Null, Value::Number),
        ))
    }

    fn visit_str<E>(self, value: &str) -> Result<Distinct, E> {
        Ok(Distinct(Value::String(value.to_owned())))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Distinct, A::Error> {
        let mut list = Vec::new();
        while let Some(Distinct(item)) = items.next_element()? {
            list.push(item);
        }
        Ok(Distinct(Value::Array(list)))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Distinct, A::Error> {
        let mut map = Map::new();
        while let Some((key, Distinct(value))) = entries.next_entry::<String, Distinct>()? {
            if map.contains_key(&key) {
                return Err(A::Error::custom(format_args!("`{key}` is there twice")));
            }
            map.insert(key, value);
        }
        Ok(Distinct(Value::Object(map)))
    }
}

#[cfg(test)]
mod tests {
    use super::parse_tool_arguments;
    use proptest::prelude::*;
    use serde_json::{Value, json};

    fn check(text: &str, expected: Result<Value, &str>) {
        let got = parse_tool_arguments(text).map_err(|error| error.to_string());
        assert_eq!(got, expected.map_err(str::to_owned), "{text}");
    }

    #[test]
    fn k09_blank_arguments_are_no_arguments() {
        check("", Ok(json!({})));
        check(" \n", Ok(json!({})));
        check("{}", Ok(json!({})));
    }

    #[test]
    fn k10_what_is_no_object_or_names_a_key_twice_is_told_to_the_model() {
        check(
            "[1]",
            Err(
                "the arguments must be one JSON object, not a list. Send the call again with an object.",
            ),
        );
        check(
            r#"{"a":{"b":1,"b":2}}"#,
            Err(
                "the arguments are no JSON: `b` is there twice at line 1 column 18. Send the call again with one JSON object.",
            ),
        );
        check(
            r#"{"city":"Os"#,
            Err(
                "the arguments are no JSON: EOF while parsing a string at line 1 column 11. Send the call again with one JSON object.",
            ),
        );
        check(
            "{}{}",
            Err(
                "the arguments are no JSON: trailing characters at line 1 column 3. Send the call again with one JSON object.",
            ),
        );
    }

    #[test]
    fn k11_escapes_are_parsed_however_a_model_writes_them() {
        check(
            r#"{"u":"a\/b","s":"sn\u00f8","e":"\ud83d\ude00","n":1.5,"l":[null,true,-3]}"#,
            Ok(json!({"u": "a/b", "s": "snø", "e": "😀", "n": 1.5, "l": [null, true, -3]})),
        );
        check(r#"{"half":"\ud83d"}"#, Ok(json!({"half": "\u{fffd}"})));
    }

    proptest! {
        #[test]
        fn what_json_writes_is_read_back(text in ".*", number in any::<i64>()) {
            let value = json!({ "text": text, "list": [number, { "deep": number }] });
            prop_assert_eq!(parse_tool_arguments(&value.to_string()), Ok(value));
        }

        #[test]
        fn any_text_is_an_answer_and_no_panic(text in ".{0,80}") {
            drop(parse_tool_arguments(&text));
        }
    }
}

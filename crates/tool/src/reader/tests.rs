//! Types are read from values as serde reads them from text, and errors name the place that does not match.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer};
use serde_json::{Value, json};

use super::{read, read_tagged};

#[derive(Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Whole {
    name: String,
    small: Option<u8>,
    #[serde(default)]
    rate: f64,
    #[serde(default)]
    pairs: Vec<(String, i32)>,
    #[serde(default)]
    sides: BTreeMap<Side, Shape>,
    #[serde(default)]
    anything: Value,
    step: Option<Step>,
}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Side {
    Left,
    Right,
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Shape {
    Point,
    Circle(u32),
    Line { length: u32 },
}

#[derive(Debug, PartialEq)]
enum Step {
    Stop,
    Go { far: u32, then: Option<Box<Step>> },
}

#[derive(Deserialize)]
#[serde(remote = "Step", rename_all = "lowercase", deny_unknown_fields)]
enum Outside {
    Stop,
    Go { far: u32, then: Option<Box<Step>> },
}

impl<'de> Deserialize<'de> for Step {
    fn deserialize<D: Deserializer<'de>>(source: D) -> Result<Self, D::Error> {
        read_tagged("kind", source, |variant| Outside::deserialize(variant))
    }
}

#[test]
fn everything_json_can_say_is_read() {
    let value = json!({
        "name": "x", "small": 255, "rate": 1, "pairs": [["a", -1], ["b", 2]], "anything": { "a": [null, 1.5, true] },
        "sides": { "left": "point", "right": { "line": { "length": 3 } } },
        "step": { "far": 1, "kind": "go", "then": { "kind": "stop" } },
    });
    let whole: Whole = read(&value).unwrap();
    let expected = Whole {
        name: "x".to_owned(),
        small: Some(255),
        rate: 1.0,
        pairs: vec![("a".to_owned(), -1), ("b".to_owned(), 2)],
        sides: [
            (Side::Left, Shape::Point),
            (Side::Right, Shape::Line { length: 3 }),
        ]
        .into(),
        anything: json!({ "a": [null, 1.5, true] }),
        step: Some(Step::Go {
            far: 1,
            then: Some(Box::new(Step::Stop)),
        }),
    };
    assert_eq!(whole, expected);
    assert_eq!(serde_json::from_value::<Whole>(value).unwrap(), expected);
    let sparse: Whole = read(&json!({ "name": "x", "small": null })).unwrap();
    assert_eq!((sparse.small, sparse.step), (None, None));
    assert_eq!(read::<Shape>(&json!({ "circle": 3 })), Ok(Shape::Circle(3)));
}

#[test]
fn what_does_not_fit_is_told_with_its_place() {
    let check = |value: Value, expected: &str| {
        let misread = read::<Whole>(&value).unwrap_err();
        assert_eq!(misread.to_string(), expected, "{value}");
    };
    check(json!([]), "invalid type: sequence, expected struct Whole");
    check(json!({}), "missing field `name`");
    check(
        json!({ "name": null }),
        "`/name`: invalid type: null, expected a string",
    );
    check(
        json!({ "name": "x", "small": 256 }),
        "`/small`: invalid value: integer `256`, expected u8",
    );
    check(
        json!({ "name": "x", "pairs": [["a", 1], ["b", "c"]] }),
        "`/pairs/1/1`: invalid type: string \"c\", expected i32",
    );
    check(
        json!({ "name": "x", "pairs": [["a"]] }),
        "`/pairs/0`: invalid length 1, expected a tuple of size 2",
    );
    check(
        json!({ "name": "x", "pairs": [["a", 1, 2, 3]] }),
        "`/pairs/0/2`: there are 2 values too many",
    );
    check(
        json!({ "name": "x", "sides": { "left": { "line": { "length": true } } } }),
        "`/sides/left/line/length`: invalid type: boolean `true`, expected u32",
    );
    check(
        json!({ "name": "x", "sides": { "left": {} } }),
        "`/sides/left`: invalid type: map, expected a name, or an object of one field",
    );
    check(
        json!({ "name": "x", "a/b~c": 1 }),
        "`/a~1b~0c`: unknown field `a/b~c`, expected one of `name`, `small`, `rate`, `pairs`, `sides`, `anything`, `step`",
    );
}

#[test]
fn what_a_tag_says_is_checked_where_it_stands() {
    let check = |value: Value, expected: &str| {
        let misread = read::<Step>(&value).unwrap_err();
        assert_eq!(misread.to_string(), expected, "{value}");
    };
    check(json!({ "far": 1 }), "missing field `kind`");
    check(
        json!({ "kind": "run" }),
        "`/kind`: unknown variant `run`, expected `stop` or `go`",
    );
    check(
        json!({ "kind": "stop", "far": 1 }),
        "unknown field `far`, there are no fields",
    );
    check(
        json!({ "kind": "go", "far": -1 }),
        "`/far`: invalid value: integer `-1`, expected u32",
    );
    check(
        json!("stop"),
        "invalid type: string \"stop\", expected an object with `kind`",
    );
    let twice = serde_json::from_str::<Step>(r#"{ "kind": "stop", "kind": "stop" }"#);
    assert_eq!(
        twice.unwrap_err().to_string(),
        "duplicate field `kind` at line 1 column 34"
    );
}

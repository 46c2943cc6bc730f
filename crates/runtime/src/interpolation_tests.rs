//! Interpolation against a second evaluator, which is small enough to be right by reading it.

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use crate::interpolation::STEP_MARKS;

/// Values of every type, with texts that look like references.
fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        (-1e6..1e6).prop_map(|number: f64| json!(number)),
        "[a-z${}. \\[\\]]{0,8}".prop_map(Value::from),
        Just(json!("${s.a}")),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map("[abc]", inner, 0..4)
                .prop_map(|fields| Value::Object(fields.into_iter().collect::<Map<_, _>>())),
        ]
    })
}

/// A piece of a text: words without marks, an escaped mark, or a reference by its path.
#[derive(Debug, Clone)]
enum Piece {
    Words(String),
    Escaped,
    StepReference(Vec<PathPart>),
}

#[derive(Debug, Clone)]
enum PathPart {
    Field(String),
    Item(usize),
}

fn piece() -> impl Strategy<Value = Piece> {
    let part = prop_oneof![
        "[abc]".prop_map(PathPart::Field),
        (0..3_usize).prop_map(PathPart::Item),
    ];
    prop_oneof![
        "[a-z ]{1,6}".prop_map(Piece::Words),
        Just(Piece::Escaped),
        prop::collection::vec(part, 0..4).prop_map(Piece::StepReference),
    ]
}

fn written(pieces: &[Piece]) -> String {
    let one = |piece: &Piece| match piece {
        Piece::Words(words) => words.clone(),
        Piece::Escaped => "$${".to_owned(),
        Piece::StepReference(path) => {
            let path: String = path
                .iter()
                .map(|part| match part {
                    PathPart::Field(name) => format!(".{name}"),
                    PathPart::Item(index) => format!("[{index}]"),
                })
                .collect();
            format!("${{s{path}}}")
        }
    };
    pieces.iter().map(one).collect()
}

/// The second evaluator: it gets the pieces and never sees the text. `None` means that nothing may be called.
fn expected(pieces: &[Piece], root: &Value) -> Option<Value> {
    let follow = |path: &[PathPart]| {
        path.iter().try_fold(root, |value, part| match part {
            PathPart::Field(name) => value.as_object()?.get(name),
            PathPart::Item(index) => value.as_array()?.get(*index),
        })
    };
    if let [Piece::StepReference(path)] = pieces {
        return follow(path).cloned();
    }
    let mut text = String::new();
    for piece in pieces {
        match piece {
            Piece::Words(words) => text.push_str(words),
            Piece::Escaped => text.push_str("${"),
            Piece::StepReference(path) => match follow(path)? {
                Value::String(inner) => text.push_str(inner),
                Value::Number(number) => text.push_str(&number.to_string()),
                Value::Bool(flag) => text.push_str(&flag.to_string()),
                Value::Null | Value::Array(_) | Value::Object(_) => return None,
            },
        }
    }
    Some(Value::String(text))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    /// Types are kept, texts in values are never read again as references, and a path that leads nowhere is an error.
    #[test]
    fn both_evaluators_agree(root in value(), pieces in prop::collection::vec(piece(), 0..5)) {
        let find = |name: &str| (name == "s").then_some(&root);
        let input = json!({ "x": [written(&pieces)] });
        let filled = STEP_MARKS.fill(&input, &find, &["s"]).ok();
        let expected = expected(&pieces, &root).map(|value| json!({ "x": [value] }));
        prop_assert_eq!(filled, expected);
    }

    /// Whatever is written, it is filled in or refused; and what has no mark stays as it is.
    #[test]
    fn any_text_is_filled_in_or_refused(text in "[ -~]{0,40}", root in value()) {
        let find = |name: &str| (name == "s").then_some(&root);
        let filled = STEP_MARKS.fill(&json!(text), &find, &["s"]);
        if !text.contains("${") {
            prop_assert_eq!(filled, Ok(json!(text)));
        }
    }
}

//! Properties of every plan: normalising twice changes nothing, and any input gets an answer, however malformed.

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::Bench;
use crate::plan::shape::{SHAPES, examples};
use crate::plan::{Accept, normalise};
use crate::{ChangeId, Outcome};

/// One of the examples, referring to pages and nodes of the bench, with some slips.
fn op() -> impl Strategy<Value = Value> {
    let count = examples().len();
    let pages = prop_oneof![
        Just("/about"),
        Just("Team"),
        Just("000000000001"),
        Just("press")
    ];
    (0..count, pages, any::<[bool; 6]>()).prop_map(|(at, page, slips)| {
        let example = examples().remove(at);
        let mut op = Map::new();
        for (key, value) in example.as_object().cloned().unwrap_or_default() {
            let value = match key.as_str() {
                "page" => json!(page),
                "node" | "list" if slips[0] => {
                    json!(format!("uid=\"{}\"", value.as_str().unwrap()))
                }
                "position" | "index" if slips[1] => json!(value.to_string()),
                "props" | "settings" if slips[2] => json!(value.to_string()),
                "as" => Value::Null,
                _ => value,
            };
            let key = if slips[3] { camel(&key) } else { key };
            op.insert(key, value);
        }
        if slips[4] {
            let tag = op.remove("op").unwrap_or_default();
            return json!({ tag.as_str().unwrap_or_default(): op });
        }
        if slips[5] {
            return json!(Value::Object(op).to_string());
        }
        Value::Object(op)
    })
}

fn camel(name: &str) -> String {
    let mut upper = false;
    let mut camel = String::new();
    for char in name.chars() {
        if char == '_' {
            upper = true;
        } else {
            camel.push(if upper {
                char.to_ascii_uppercase()
            } else {
                char
            });
            upper = false;
        }
    }
    camel
}

fn plan() -> impl Strategy<Value = Value> {
    let texts = || proptest::collection::vec("[a-z ]{0,9}", 0..7);
    (proptest::collection::vec(op(), 1..6), texts(), texts(), any::<[bool; 4]>()).prop_map(
        |(ops, log, suggestions, slips)| {
            let mut plan = json!({ "intent": "edit_plan", "summary_for_user": "x", "suggestedNextActions": suggestions });
            plan["ops"] = if slips[0] { json!(json!(ops).to_string()) } else { json!(ops) };
            if slips[1] {
                plan["changeLog"] = json!(log);
            }
            if slips[2] {
                plan = json!({ "plan": plan });
            }
            if slips[3] {
                plan = json!(format!("```json\n{plan}\n```"));
            }
            plan
        },
    )
}

/// JSON of any shape, with keys that plans use.
fn anything() -> impl Strategy<Value = Value> {
    let names: Vec<String> = SHAPES
        .plan
        .names()
        .chain(SHAPES.ops.keys().map(String::as_str))
        .chain(SHAPES.ops.values().flat_map(|shape| shape.names()))
        .chain(["op", "plan", "args", "type", "page_slug"])
        .map(str::to_owned)
        .collect();
    let name = move || proptest::sample::select(names.clone());
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        ".{0,12}".prop_map(Value::from),
        name().prop_map(Value::from),
        Just(json!("00000000002s")),
        Just(json!("/about")),
    ];
    leaf.prop_recursive(4, 48, 6, move |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            proptest::collection::btree_map(name(), inner.clone(), 0..6)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
            inner.prop_map(|value| Value::from(value.to_string())),
        ]
    })
}

fn stays_as_it_is(written: Value, bench: &Bench) -> Result<(), TestCaseError> {
    let Ok(first) = normalise(written, &bench.site) else {
        return Ok(());
    };
    let again = json!(first.plan);
    let second = normalise(again, &bench.site);
    let second = second.map_err(|refused| TestCaseError::fail(format!("{refused:?}")))?;
    prop_assert_eq!(second.repairs, vec![]);
    prop_assert_eq!(second.plan, first.plan);
    Ok(())
}

#[test]
fn a_normalised_plan_normalises_to_itself() {
    let bench = Bench::new();
    let mut runner = proptest::test_runner::TestRunner::default();
    let result = runner.run(&plan(), |written| {
        let read = normalise(written.clone(), &bench.site);
        prop_assert!(read.is_ok(), "{written} gave {:?}", read.map(|_| ()));
        stays_as_it_is(written, &bench)
    });
    assert_eq!(result, Ok(()));
}

#[test]
fn anything_at_all_is_answered() {
    let bench = Bench::new();
    let mut runner = proptest::test_runner::TestRunner::default();
    let wrapped = anything()
        .prop_map(|ops| json!({ "intent": "edit_plan", "summary_for_user": "x", "ops": ops }));
    let result = runner.run(&prop_oneof![anything(), wrapped], |written| {
        stays_as_it_is(written, &bench)
    });
    assert_eq!(result, Ok(()));
}

#[test]
fn whatever_a_plan_does_can_be_applied_and_the_site_stays_until_then() {
    let bench = Bench::new();
    let nodes: Vec<String> = ["top", "hero", "intro", "list", "one", "services", "about"]
        .map(|name| bench.node(name).to_string())
        .to_vec();
    let aimed = (op(), proptest::sample::select(nodes));
    let aimed = aimed.prop_map(|(op, node)| {
        let text = op.to_string().replace("00000000000b", &node);
        let text = text.replace("00000000000a", "000000000002");
        serde_json::from_str::<Value>(&text).unwrap()
    });
    let mut runner = proptest::test_runner::TestRunner::default();
    let result = runner.run(&proptest::collection::vec(aimed, 1..8), |ops| {
        let mut site = bench.site.clone();
        let plan = bench.plan(json!(ops));
        let change = ChangeId::from("c".to_owned());
        let outcome = plan.run(&Accept::All, &mut site, &bench.view, (&bench.facts, change));
        prop_assert!(site == bench.site);
        let Ok(Outcome::Done(run)) = outcome else {
            return Err(TestCaseError::fail("it is done or told"));
        };
        prop_assert_eq!(site.apply_all(&run.ops, 9).rejected, vec![]);
        prop_assert_eq!(crate::diff(&bench.site, &site), run.diff);
        Ok(())
    });
    assert_eq!(result, Ok(()));
}

//! Checks a plan: its fields against their shapes, and rules that a schema cannot express. What depends on the site is
//! checked by running the plan.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::naming::nearest;
use super::normalise::Desk;
use super::problem::{PlanProblem, PlanProblemKind, below, short};
use super::shape::{Field, Form, SHAPES, Shape};
use super::{EditPlan, Intent, PageSettingsPatch, PlanOp, SiteSettingsPatch};

/// Checks an object against its shape.
pub(super) fn fields(
    pointer: &str,
    map: &Map<String, Value>,
    shape: &Shape,
    example: Option<&Value>,
    desk: &mut Desk,
) {
    for (key, value) in map {
        let pointer = below(pointer, key);
        let Some(field) = shape.0.get(key) else {
            desk.refuse(unknown_field(&pointer, key, shape).with_example(example));
            continue;
        };
        // A value that already has a problem is not reported twice.
        if value.is_null() && field.keeps_null || desk.has_problem_below(&pointer) {
            continue;
        }
        if let Some(problem) = misfit(&pointer, value, field) {
            desk.refuse(problem.with_example(example));
        } else if let (Form::Settings(inner), Value::Object(settings)) = (&field.form, value) {
            fields(&pointer, settings, inner, example, desk);
        }
    }
    for (name, field) in &shape.0 {
        if field.required && !map.contains_key(name) {
            let expected = format!("`{name}` is needed: {}.", wanted(field));
            let problem = PlanProblem::invalid(below(pointer, name), "nothing", expected);
            desk.refuse(problem.with_example(example));
        }
    }
}

fn unknown_field(pointer: &str, key: &str, shape: &Shape) -> PlanProblem {
    let near = nearest(key, shape.names());
    let near = near.map_or_else(String::new, |near| format!(" Perhaps `{near}` is meant."));
    let names: Vec<&str> = shape.names().collect();
    let expected = format!("The fields here are {}.{near}", names.join(", "));
    PlanProblem::invalid(pointer, format!("an unknown field `{key}`"), expected)
}

fn misfit(pointer: &str, value: &Value, field: &Field) -> Option<PlanProblem> {
    let too_many = |count: usize| field.most.filter(|most| count as u64 > *most);
    let too_large = |found: String, expected: String| {
        PlanProblem::new(PlanProblemKind::TooLarge, pointer, found, expected)
    };
    match (&field.form, value) {
        (Form::Text, Value::String(text)) => {
            if !field.choices.is_empty() && !field.choices.contains(text) {
                return Some(PlanProblem::invalid(
                    pointer,
                    short(value),
                    format!("It must be {}.", wanted(field)),
                ));
            }
            let chars = text.chars().count();
            too_many(chars).map(|most| {
                too_large(
                    format!("{chars} characters"),
                    format!("At most {most} characters fit; shorten it."),
                )
            })
        }
        (Form::Page | Form::Node, Value::String(text)) => {
            let id_or_name = text.starts_with('@') || text.parse::<crate::NodeId>().is_ok();
            (!id_or_name).then(|| {
                PlanProblem::invalid(
                    pointer,
                    short(value),
                    format!(
                        "It must be {}. Ids are read from the site and never made up.",
                        wanted(field)
                    ),
                )
            })
        }
        (Form::Integer, Value::Number(number)) => {
            let fits = number
                .as_u64()
                .is_some_and(|number| u32::try_from(number).is_ok());
            (!fits).then(|| {
                PlanProblem::invalid(
                    pointer,
                    short(value),
                    "It must be a whole number from 0.".to_owned(),
                )
            })
        }
        (Form::Boolean, Value::Bool(_)) => None,
        (Form::Object | Form::Settings(_), Value::Object(_)) => None,
        (Form::Ops, Value::Array(list)) => too_many(list.len()).map(|most| {
            too_large(
                format!("{} operations", list.len()),
                format!("A plan has at most {most}; do the rest in a second one."),
            )
        }),
        (Form::Texts, Value::Array(list)) => texts(pointer, list, field),
        _ => Some(PlanProblem::invalid(
            pointer,
            short(value),
            format!("It must be {}.", wanted(field)),
        )),
    }
}

fn texts(pointer: &str, list: &[Value], field: &Field) -> Option<PlanProblem> {
    if let Some(most) = field.most.filter(|most| list.len() as u64 > *most) {
        return Some(PlanProblem::new(
            PlanProblemKind::TooLarge,
            pointer,
            format!("{} entries", list.len()),
            format!("At most {most} fit; leave some out."),
        ));
    }
    list.iter().enumerate().find_map(|(at, entry)| {
        let pointer = format!("{pointer}/{at}");
        let Some(text) = entry.as_str() else {
            let expected = "It must be a text.";
            return Some(PlanProblem::invalid(pointer, short(entry), expected));
        };
        let chars = text.chars().count();
        let most = field.entry_most.filter(|most| chars as u64 > *most)?;
        Some(PlanProblem::new(
            PlanProblemKind::TooLarge,
            pointer,
            format!("{chars} characters"),
            format!("At most {most} characters fit; shorten it."),
        ))
    })
}

/// What a field accepts, in a few words.
fn wanted(field: &Field) -> String {
    let what = match &field.form {
        Form::Text if !field.choices.is_empty() => {
            return format!("one of {}", field.choices.join(", "));
        }
        Form::Text => "a text",
        Form::Page => "the id of a page, or `@name` of one that an earlier operation makes",
        Form::Node => "the id of a node, or `@name` of one that an earlier operation makes",
        Form::Integer => "a whole number from 0",
        Form::Boolean => "true or false",
        Form::Texts => "a list of texts",
        Form::Ops => "a list of operations",
        Form::Object => "an object",
        Form::Settings(inner) => {
            let names: Vec<&str> = inner.names().collect();
            return format!("an object with some of {}", names.join(", "));
        }
    };
    what.to_owned()
}

/// Parses the operations; those that do not fit their shape become problems.
pub(super) fn parsed(ops: Vec<Value>, desk: &mut Desk) -> Vec<PlanOp> {
    let mut typed = Vec::with_capacity(ops.len());
    for (at, value) in ops.into_iter().enumerate() {
        let pointer = format!("/ops/{at}");
        let Some(op) = value.get("op").filter(|_| value.is_object()) else {
            let expected = "An operation is an object whose `op` says what it does.";
            let example = SHAPES.example("update_text");
            desk.refuse(
                PlanProblem::invalid(pointer, short(&value), expected).with_example(example),
            );
            continue;
        };
        let known = op.as_str().and_then(|name| SHAPES.ops.get_key_value(name));
        let (Some((name, shape)), Value::Object(map)) = (known, &value) else {
            desk.refuse(unknown_op(&pointer, op));
            continue;
        };
        let example = SHAPES.example(name);
        let mut map = map.clone();
        map.remove("op");
        fields(&pointer, &map, shape, example, desk);
        match serde_json::from_value(value.clone()) {
            Ok(op) => typed.push(op),
            // The shape accepts it and the type does not; any other mismatch has been reported above.
            Err(error) if !desk.has_problem_below(&pointer) => {
                let expected = format!("{error}.");
                desk.refuse(
                    PlanProblem::invalid(pointer, short(&value), expected).with_example(example),
                );
            }
            Err(_) => {}
        }
    }
    typed
}

fn unknown_op(pointer: &str, op: &Value) -> PlanProblem {
    let names = || SHAPES.ops.keys().map(String::as_str);
    let near = op.as_str().and_then(|name| nearest(name, names()));
    let named = names().collect::<Vec<_>>().join(", ");
    let near_text = near.map_or_else(String::new, |near| format!(" Perhaps `{near}` is meant."));
    let expected = format!("The operations are {named}.{near_text}");
    let problem = PlanProblem::invalid(below(pointer, "op"), short(op), expected);
    problem.with_example(near.and_then(|near| SHAPES.example(near)))
}

/// Checks the rules of a plan that a schema cannot express.
pub(super) fn plan(plan: &EditPlan, desk: &mut Desk) {
    if plan.summary_for_user.trim().is_empty() {
        let expected =
            "Say in a sentence what will be different, what you ask, or what the answer is.";
        desk.refuse(PlanProblem::invalid(
            "/summary_for_user",
            "an empty text",
            expected,
        ));
    }
    match (plan.intent, plan.ops.len()) {
        (Intent::EditPlan, 0) => {
            let expected = "A plan of edits has at least one operation. To ask or answer without editing, use the intent needs_clarification or content_answer.";
            desk.refuse(
                PlanProblem::invalid("/ops", "no operations", expected)
                    .with_example(SHAPES.example("update_text")),
            );
        }
        (Intent::NeedsClarification | Intent::ContentAnswer, count) if count > 0 => {
            let expected = "A question or an answer edits nothing. Leave the operations out, or use the intent edit_plan.";
            desk.refuse(PlanProblem::invalid(
                "/ops",
                format!("{count} operations"),
                expected,
            ));
        }
        _ => {}
    }
    names(plan, desk);
    for (at, op) in plan.ops.iter().enumerate() {
        if let Some((found, expected)) = incomplete(op) {
            let pointer = format!("/ops/{at}");
            let name = op_name(op);
            let example = SHAPES.example(&name);
            desk.refuse(PlanProblem::invalid(pointer, found, expected).with_example(example));
        }
    }
}

/// The name of an operation.
pub(super) fn op_name(op: &PlanOp) -> String {
    let written = serde_json::to_value(op).unwrap_or_default();
    written["op"].as_str().unwrap_or_default().to_owned()
}

/// Checks that each name is defined once, and used only after its definition.
fn names(plan: &EditPlan, desk: &mut Desk) {
    let mut given: BTreeMap<&str, bool> = BTreeMap::new();
    for (at, op) in plan.ops.iter().enumerate() {
        let mut used: Vec<(&str, &str, bool)> = Vec::new();
        for (field, page) in op.pages() {
            if let super::Ref::Made(name) = page {
                used.push((field, name, true));
            }
        }
        for (field, node) in op.nodes() {
            if let super::Ref::Made(name) = node {
                used.push((field, name, false));
            }
        }
        for (field, name, as_page) in used {
            let pointer = format!("/ops/{at}/{field}");
            let expected = match given.get(name) {
                Some(true) => continue,
                Some(false) if !as_page => continue,
                Some(false) => format!("`@{name}` is a node, and a page is needed here."),
                None if given.is_empty() => {
                    "No earlier operation gives a name; give one with `as`, or use an id."
                        .to_owned()
                }
                None => {
                    let names: Vec<String> =
                        given.keys().map(|name| format!("`@{name}`")).collect();
                    format!(
                        "The names that earlier operations give are {}.",
                        names.join(", ")
                    )
                }
            };
            let found = format!("`@{name}`");
            desk.refuse(PlanProblem::new(
                PlanProblemKind::NotFound,
                pointer,
                found,
                expected,
            ));
        }
        let Some(name) = op.made_name() else { continue };
        let pointer = format!("/ops/{at}/as");
        let fine = name.starts_with(|char: char| char.is_ascii_alphabetic())
            && name
                .chars()
                .all(|char| char.is_ascii_alphanumeric() || matches!(char, '-' | '_'));
        if !fine {
            let expected = "A name begins with a letter and has letters, digits, `-` and `_`, such as `pricing`.";
            desk.refuse(PlanProblem::invalid(
                &pointer,
                format!("`{name}`"),
                expected,
            ));
        }
        if given.insert(name, op.makes_page()).is_some() {
            let expected = "An earlier operation gives this name already; choose another one.";
            desk.refuse(PlanProblem::invalid(
                &pointer,
                format!("`{name}`"),
                expected,
            ));
        }
    }
}

/// What makes an operation incomplete or ambiguous, and what to write instead.
fn incomplete(op: &PlanOp) -> Option<(&'static str, &'static str)> {
    let one = |given: &[bool]| given.iter().filter(|given| **given).count() == 1;
    match op {
        PlanOp::RenamePage { title, slug, .. } if title.is_none() && slug.is_none() => Some((
            "neither title nor slug",
            "Give the new title, the new slug, or both.",
        )),
        PlanOp::MovePage {
            parent, position, ..
        } if parent.is_none() && position.is_none() => Some((
            "neither parent nor position",
            "Give the page it is to lie under (null for none), its position, or both.",
        )),
        PlanOp::AddSection {
            html,
            component,
            props,
            ..
        } => {
            if !one(&[html.is_some(), component.is_some()]) {
                Some((
                    "not exactly one of html and component",
                    "Give either html or a component.",
                ))
            } else if props.is_some() && component.is_none() {
                Some((
                    "props beside html",
                    "Props are for components; write them as attributes in the html.",
                ))
            } else {
                None
            }
        }
        PlanOp::AddItem { html, fields, .. } if !one(&[html.is_some(), fields.is_some()]) => {
            Some((
                "not exactly one of html and fields",
                "Give html for a list of nodes, or fields for a component's list prop.",
            ))
        }
        PlanOp::UpdateItem {
            html, text, fields, ..
        } if !one(&[html.is_some(), text.is_some(), fields.is_some()]) => Some((
            "not exactly one of html, text and fields",
            "Give html or text for a list of nodes, or fields for a component's list prop.",
        )),
        PlanOp::UpdateClasses { add, remove, .. } if add.is_empty() && remove.is_empty() => {
            Some(("no classes", "Name classes to add, to remove, or both."))
        }
        PlanOp::UpdateProps { props, .. } if props.is_empty() => {
            Some(("no props", "Name at least one prop and its value."))
        }
        PlanOp::UpdatePageSettings { settings, .. }
            if *settings == PageSettingsPatch::default() =>
        {
            Some(("no settings", "Name at least one setting to change."))
        }
        PlanOp::UpdateSiteSettings { settings } if *settings == SiteSettingsPatch::default() => {
            Some(("no settings", "Name at least one setting to change."))
        }
        _ => None,
    }
}

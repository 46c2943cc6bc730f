//! Parses a plan as a model wrote it. Mistakes of form are repaired and reported; anything that would require a guess
//! is a problem.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::Site;

use super::naming::{ARGUMENTS, FIELDS, OPERATIONS, TAGS, WRAPPERS, squash};
use super::problem::{PlanProblem, PlanProblemKind, below, short};
use super::shape::{Form, SHAPES, Shape};
use super::slip::{Repair, Slip};
use super::{EditPlan, PLAN_BYTES_MAX, PLAN_OPS_MAX, SUGGESTIONS_MAX, check, page_ref, sentence};

/// How many layers of wrapping around a plan are removed.
const WRAPPED_MAX: usize = 4;

/// A plan that can be run.
#[derive(Debug, Clone, PartialEq)]
pub struct NormalisedPlan {
    pub plan: EditPlan,
    /// The repairs that were made.
    pub repairs: Vec<Repair>,
}

/// Why a plan cannot be run.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Refused {
    /// What is wrong.
    pub problems: Vec<PlanProblem>,
    /// What was put right before.
    pub repairs: Vec<Repair>,
}

/// Parses and repairs a plan. Of the site, only the pages are read.
///
/// Succeeds only when no problem is left; a refusal lists the problems and the repairs that were made before.
pub fn normalise(input: Value, site: &Site) -> Result<NormalisedPlan, Refused> {
    let mut desk = Desk::default();
    let plan = desk.read(input, site);
    let Desk { repairs, problems } = desk;
    match plan {
        Some(plan) if problems.is_empty() => Ok(NormalisedPlan { plan, repairs }),
        _ => Err(Refused { problems, repairs }),
    }
}

/// Collects repairs and problems while a plan is parsed.
#[derive(Default)]
pub(super) struct Desk {
    repairs: Vec<Repair>,
    problems: Vec<PlanProblem>,
}

impl Desk {
    pub(super) fn repair(
        &mut self,
        slip: Slip,
        pointer: &str,
        found: impl Into<String>,
        written: impl Into<String>,
    ) {
        self.repairs.push(Repair {
            slip,
            pointer: pointer.to_owned(),
            found: found.into(),
            written: written.into(),
        });
    }

    pub(super) fn refuse(&mut self, problem: PlanProblem) {
        self.problems.push(problem);
    }

    pub(super) fn has_problem_below(&self, pointer: &str) -> bool {
        let within = |problem: &PlanProblem| {
            let rest = problem.pointer.strip_prefix(pointer);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        self.problems.iter().any(within)
    }

    fn read(&mut self, input: Value, site: &Site) -> Option<EditPlan> {
        let mut plan = self.unpacked(input)?;
        self.field_names("", &mut plan, &SHAPES.plan);
        self.absent("", &mut plan, &SHAPES.plan);
        self.forms("", &mut plan, &SHAPES.plan);
        self.intent(&mut plan);
        self.suggestions(&mut plan);
        check::fields("", &plan, &SHAPES.plan, None, self);
        let ops = match plan.remove("ops") {
            Some(Value::Array(ops)) => ops,
            _ => Vec::new(),
        };
        if ops.len() > PLAN_OPS_MAX {
            return None;
        }
        let ops = ops.into_iter().enumerate();
        let mut ops: Vec<Value> = ops
            .map(|(at, op)| self.op(&format!("/ops/{at}"), op))
            .collect();
        page_ref::resolve(&mut ops, site, self);
        let typed = check::parsed(ops, self);
        plan.insert("ops".to_owned(), json!([]));
        if !self.problems.is_empty() {
            return None;
        }
        let mut plan: EditPlan = match serde_json::from_value(Value::Object(plan)) {
            Ok(plan) => plan,
            Err(error) => {
                let expected = "Correct it and submit the plan again.";
                self.refuse(PlanProblem::invalid("", error.to_string(), expected));
                return None;
            }
        };
        plan.ops = typed;
        check::plan(&plan, self);
        if plan.change_log.is_empty() && !plan.ops.is_empty() {
            plan.change_log = plan
                .ops
                .iter()
                .map(|op| sentence::of(op, &plan.ops, site))
                .collect();
            let written = format!("{} sentences", plan.change_log.len());
            self.repair(Slip::ChangeLogMissing, "/change_log", "nothing", written);
        }
        Some(plan)
    }

    /// Unwraps the object that is the plan.
    fn unpacked(&mut self, input: Value) -> Option<Map<String, Value>> {
        let mut value = input;
        for _ in 0..=WRAPPED_MAX {
            value = match value {
                Value::String(text) => self.parsed_text(&text)?,
                Value::Object(map) => match wrapper_of(&map) {
                    Some(key) => {
                        self.repair(
                            Slip::Wrapped,
                            "",
                            format!("`{key}`"),
                            "what stands under it",
                        );
                        let mut map = map;
                        map.remove(&key).unwrap_or_default()
                    }
                    None if size(&map) > PLAN_BYTES_MAX => {
                        self.too_long(size(&map));
                        return None;
                    }
                    None => return Some(map),
                },
                other => {
                    let expected = "A plan is an object with intent, summary_for_user, change_log, ops and suggested_next_actions.";
                    self.refuse(PlanProblem::invalid("", short(&other), expected));
                    return None;
                }
            };
        }
        let expected = "Submit the plan itself, not packed into other objects or texts.";
        self.refuse(PlanProblem::invalid(
            "",
            "a plan that is packed too often",
            expected,
        ));
        None
    }

    fn parsed_text(&mut self, text: &str) -> Option<Value> {
        if text.len() > PLAN_BYTES_MAX {
            self.too_long(text.len());
            return None;
        }
        let inner = match unfenced(text) {
            Some(inner) => {
                self.repair(
                    Slip::Fenced,
                    "",
                    "a text with code fences",
                    "what stands between them",
                );
                inner
            }
            None => text.trim(),
        };
        match serde_json::from_str(inner) {
            Ok(value) => {
                self.repair(Slip::PlanAsText, "", "a text", "the JSON in it");
                Some(value)
            }
            Err(error) => {
                let found = format!("a text that is no JSON ({error})");
                let expected = "Submit the plan as an object, or as strict JSON without comments and trailing commas.";
                self.refuse(PlanProblem::invalid("", found, expected));
                None
            }
        }
    }

    fn too_long(&mut self, bytes: usize) {
        let expected = format!("A plan may have {PLAN_BYTES_MAX} bytes; split it into several.");
        let found = format!("{bytes} bytes");
        self.refuse(PlanProblem::new(
            PlanProblemKind::TooLarge,
            "",
            found,
            expected,
        ));
    }

    /// Renames fields to their proper names when the meaning is unambiguous.
    fn field_names(&mut self, pointer: &str, map: &mut Map<String, Value>, shape: &Shape) {
        let unknown = map.keys().filter(|key| !shape.0.contains_key(*key));
        let wanted: Vec<(String, &str, Slip)> = unknown
            .filter_map(|key| {
                let (field, slip) = field_for(key, map, shape)?;
                Some((key.clone(), field, slip))
            })
            .collect();
        for (key, field, slip) in &wanted {
            let rivals = wanted.iter().filter(|(_, other, _)| other == field).count();
            if rivals > 1 {
                continue;
            }
            let value = map.remove(key).unwrap_or_default();
            map.insert((*field).to_owned(), value);
            self.repair(
                *slip,
                &below(pointer, key),
                format!("`{key}`"),
                format!("`{field}`"),
            );
        }
    }

    /// Removes fields that are null where null means the same as absent.
    fn absent(&mut self, pointer: &str, map: &mut Map<String, Value>, shape: &Shape) {
        let nulls: Vec<String> = map
            .iter()
            .filter(|(key, value)| {
                let keeps = shape.0.get(*key).is_some_and(|field| field.keeps_null);
                value.is_null() && !keeps
            })
            .map(|(key, _)| key.clone())
            .collect();
        for key in nulls {
            map.remove(&key);
            self.repair(
                Slip::NullForAbsent,
                &below(pointer, &key),
                "null",
                "nothing",
            );
        }
    }

    /// Converts values to the form that their field takes.
    fn forms(&mut self, pointer: &str, map: &mut Map<String, Value>, shape: &Shape) {
        for (key, value) in map.iter_mut() {
            let Some(field) = shape.0.get(key) else {
                continue;
            };
            let pointer = below(pointer, key);
            let formed = match &field.form {
                Form::Integer => integer(value).map(|value| (Slip::NumberAsText, value)),
                Form::Boolean => boolean(value).map(|value| (Slip::NumberAsText, value)),
                Form::Texts | Form::Ops => list(value),
                Form::Object | Form::Settings(_) => held_json(value)
                    .filter(Value::is_object)
                    .map(|value| (Slip::FieldAsText, value)),
                Form::Node => unmarked(value).map(|value| (Slip::MarkedId, value)),
                Form::Page => page(value),
                Form::Text => None,
            };
            if let Some((slip, formed)) = formed {
                self.repair(slip, &pointer, short(value), short(&formed));
                *value = formed;
            }
            if let (Form::Settings(inner), Value::Object(settings)) = (&field.form, value) {
                self.field_names(&pointer, settings, inner);
                self.forms(&pointer, settings, inner);
            }
        }
    }

    fn intent(&mut self, plan: &mut Map<String, Value>) {
        match plan.get("intent") {
            Some(Value::String(written)) => {
                let choices = SHAPES.plan.0.get("intent").map(|field| &field.choices);
                let meant = choices
                    .into_iter()
                    .flatten()
                    .find(|choice| squash(choice) == squash(written));
                if let Some(meant) = meant.filter(|meant| *meant != written) {
                    self.repair(
                        Slip::FieldSpelling,
                        "/intent",
                        format!("`{written}`"),
                        format!("`{meant}`"),
                    );
                    plan.insert("intent".to_owned(), json!(meant));
                }
            }
            None if plan
                .get("ops")
                .and_then(Value::as_array)
                .is_some_and(|ops| !ops.is_empty()) =>
            {
                plan.insert("intent".to_owned(), json!("edit_plan"));
                self.repair(Slip::IntentMissing, "/intent", "nothing", "`edit_plan`");
            }
            _ => {}
        }
    }

    fn suggestions(&mut self, plan: &mut Map<String, Value>) {
        let Some(Value::Array(list)) = plan.get_mut("suggested_next_actions") else {
            return;
        };
        if list.len() > SUGGESTIONS_MAX {
            let found = format!("{} suggestions", list.len());
            list.truncate(SUGGESTIONS_MAX);
            let written = format!("the first {SUGGESTIONS_MAX}");
            self.repair(
                Slip::TooManySuggestions,
                "/suggested_next_actions",
                found,
                written,
            );
        }
    }

    fn op(&mut self, pointer: &str, value: Value) -> Value {
        let value = match held_json(&value).filter(Value::is_object) {
            Some(held) => {
                self.repair(Slip::FieldAsText, pointer, short(&value), "the JSON in it");
                held
            }
            None => value,
        };
        let Value::Object(mut map) = value else {
            return value;
        };
        self.tag(pointer, &mut map);
        let Some(shape) = self.op_name(pointer, &mut map) else {
            return Value::Object(map);
        };
        self.arguments(pointer, &mut map, shape);
        // The tag is not a field of any shape and must not be treated as one.
        let tag = map.remove("op").unwrap_or_default();
        self.field_names(pointer, &mut map, shape);
        self.settings_inside(pointer, &mut map, shape);
        self.absent(pointer, &mut map, shape);
        self.forms(pointer, &mut map, shape);
        map.insert("op".to_owned(), tag);
        Value::Object(map)
    }

    /// Moves the name of the operation to `op`.
    fn tag(&mut self, pointer: &str, map: &mut Map<String, Value>) {
        if map.contains_key("op") {
            return;
        }
        if map.len() == 1
            && let Some((key, Value::Object(inner))) = map.iter().next()
            && operation(key).is_some()
        {
            let (key, mut inner) = (key.clone(), inner.clone());
            self.repair(
                Slip::OpNested,
                pointer,
                format!("`{key}` around the operation"),
                "the operation",
            );
            inner.insert("op".to_owned(), json!(key));
            *map = inner;
            return;
        }
        let is_tag = |key: &str| squash(key) == "op" || TAGS.contains(&squash(key).as_str());
        let mut tags = map.iter().filter(|(key, value)| {
            is_tag(key) && value.as_str().is_some_and(|name| operation(name).is_some())
        });
        if let (Some((key, value)), None) = (tags.next(), tags.next()) {
            let (key, value) = (key.clone(), value.clone());
            map.remove(&key);
            map.insert("op".to_owned(), value);
            self.repair(
                Slip::TagName,
                &below(pointer, &key),
                format!("`{key}`"),
                "`op`",
            );
        }
    }

    fn op_name(&mut self, pointer: &str, map: &mut Map<String, Value>) -> Option<&'static Shape> {
        let written = map.get("op")?.as_str()?.to_owned();
        let name = operation(&written)?;
        if name != written {
            map.insert("op".to_owned(), json!(name));
            let pointer = below(pointer, "op");
            self.repair(
                Slip::OpName,
                &pointer,
                format!("`{written}`"),
                format!("`{name}`"),
            );
        }
        SHAPES.ops.get(name)
    }

    /// Moves the fields out of `args` and similar keys.
    fn arguments(&mut self, pointer: &str, map: &mut Map<String, Value>, shape: &Shape) {
        let mut others = map.keys().filter(|key| *key != "op");
        let (Some(key), None) = (others.next().cloned(), others.next()) else {
            return;
        };
        if shape.0.contains_key(&key) || !ARGUMENTS.contains(&squash(&key).as_str()) {
            return;
        }
        let value = map.get(&key).cloned().unwrap_or_default();
        let Value::Object(inner) = held_json(&value).unwrap_or(value) else {
            return;
        };
        map.remove(&key);
        let inner = inner.into_iter().filter(|(name, _)| name != "op");
        map.extend(inner);
        self.repair(
            Slip::OpNested,
            &below(pointer, &key),
            format!("`{key}` around the fields"),
            "the fields",
        );
    }

    /// Moves settings that are next to `settings` into it.
    fn settings_inside(&mut self, pointer: &str, map: &mut Map<String, Value>, shape: &Shape) {
        let Some((Form::Settings(inner), holder)) = shape
            .0
            .get("settings")
            .map(|field| (&field.form, "settings"))
        else {
            return;
        };
        let known = |key: &String| {
            let name = inner.names().find(|name| squash(name) == squash(key));
            name.filter(|_| !shape.0.contains_key(key))
        };
        let outside: Vec<(String, &str)> = map
            .keys()
            .filter_map(|key| Some((key.clone(), known(key)?)))
            .collect();
        for (key, name) in outside {
            if map.get(holder).is_some_and(|held| !held.is_object()) {
                return;
            }
            let Some(value) = map.remove(&key) else {
                continue;
            };
            let held = map.entry(holder).or_insert_with(|| json!({}));
            if let Some(held) = held.as_object_mut().filter(|held| !held.contains_key(name)) {
                held.insert(name.to_owned(), value);
                let written = format!("`{holder}.{name}`");
                self.repair(
                    Slip::SettingsOutside,
                    &below(pointer, &key),
                    format!("`{key}`"),
                    written,
                );
            } else {
                map.insert(key, value);
            }
        }
    }
}

/// The key that a plan is wrapped in, if any.
fn wrapper_of(map: &Map<String, Value>) -> Option<String> {
    let packs = |key: &str| WRAPPERS.contains(&squash(key).as_str());
    let mut wrappers = map
        .iter()
        .filter(|(key, value)| packs(key) && (value.is_object() || value.is_string()));
    let (key, _) = wrappers.next()?;
    // Besides the wrapped plan, only the keys of a tool call are allowed.
    let of_a_call = |name: &str| matches!(name, "name" | "tool" | "id" | "type");
    let alone = map
        .iter()
        .all(|(other, value)| other == key || (of_a_call(&squash(other)) && value.is_string()));
    alone.then(|| key.clone())
}

fn size(map: &Map<String, Value>) -> usize {
    fn of(value: &Value) -> usize {
        match value {
            Value::Null | Value::Bool(_) | Value::Number(_) => 8,
            Value::String(text) => text.len() + 2,
            Value::Array(list) => 2 + list.iter().map(of).sum::<usize>(),
            Value::Object(map) => size(map),
        }
    }
    map.iter()
        .map(|(key, value)| key.len() + 4 + of(value))
        .sum()
}

/// The text between code fences, if there are exactly two.
fn unfenced(text: &str) -> Option<&str> {
    let parts: Vec<&str> = text.split("```").collect();
    let [_, fenced, _] = parts.as_slice() else {
        return None;
    };
    let (language, rest) = fenced.split_once('\n')?;
    let is_language = language.trim().chars().all(char::is_alphanumeric);
    Some(if is_language {
        rest.trim()
    } else {
        fenced.trim()
    })
}

/// The field that a key refers to, and the slip that this repairs.
fn field_for<'a>(key: &str, map: &Map<String, Value>, shape: &'a Shape) -> Option<(&'a str, Slip)> {
    let squashed = squash(key);
    let free = |name: &&str| !map.contains_key(*name);
    if let Some(field) = shape.names().find(|name| squash(name) == squashed) {
        return Some((field, Slip::FieldSpelling)).filter(|(name, _)| free(name));
    }
    let mut meant = shape.names().filter(free).filter(|name| {
        let others = FIELDS.iter().find(|(field, _)| field == name);
        others.is_some_and(|(_, others)| others.contains(&squashed.as_str()))
    });
    match (meant.next(), meant.next()) {
        (Some(field), None) => Some((field, Slip::FieldName)),
        _ => None,
    }
}

/// The operation that a name refers to.
fn operation(written: &str) -> Option<&'static str> {
    let squashed = squash(written);
    let known = SHAPES.ops.keys().map(String::as_str);
    let spelled = known.into_iter().find(|name| squash(name) == squashed);
    spelled.or_else(|| {
        let named = OPERATIONS
            .iter()
            .find(|(_, others)| others.contains(&squashed.as_str()));
        named.map(|(name, _)| *name)
    })
}

/// The list or object that a string contains as JSON.
fn held_json(value: &Value) -> Option<Value> {
    let text = value.as_str()?.trim();
    let held: Value = serde_json::from_str(text).ok()?;
    (held.is_array() || held.is_object()).then_some(held)
}

fn integer(value: &Value) -> Option<Value> {
    match value {
        Value::String(text) => text.trim().parse::<u32>().ok().map(Value::from),
        Value::Number(number) if !number.is_u64() => {
            let number = number.as_f64()?;
            let whole = number.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(&number);
            whole.then(|| Value::from(number as u64))
        }
        _ => None,
    }
}

fn boolean(value: &Value) -> Option<Value> {
    match value.as_str()?.trim() {
        "true" => Some(Value::Bool(true)),
        "false" => Some(Value::Bool(false)),
        _ => None,
    }
}

fn list(value: &Value) -> Option<(Slip, Value)> {
    match held_json(value) {
        Some(held) if held.is_array() => return Some((Slip::FieldAsText, held)),
        _ => {}
    }
    (value.is_string() || value.is_object()).then(|| (Slip::OneForList, json!([value])))
}

/// An id without the marks around it.
fn unmarked(value: &Value) -> Option<Value> {
    let written = value.as_str()?;
    let mut text = written.trim();
    loop {
        let before = text;
        for prefix in ["uid=", "uid:", "id=", "id:", "#"] {
            text = text.strip_prefix(prefix).unwrap_or(text);
        }
        text = text
            .trim_matches(['"', '\'', '`', '<', '>', '[', ']', ' '])
            .trim();
        if text == before {
            break;
        }
    }
    let is_ref = text.starts_with('@') || text.parse::<crate::NodeId>().is_ok();
    (is_ref && text != written).then(|| json!(text))
}

fn page(value: &Value) -> Option<(Slip, Value)> {
    if let Value::Object(document) = value {
        let id = ["id", "pageId", "path", "slug", "title"]
            .into_iter()
            .find_map(|key| document.get(key).filter(|value| value.is_string()));
        return id.map(|id| (Slip::DocumentForPage, id.clone()));
    }
    unmarked(value).map(|value| (Slip::MarkedId, value))
}

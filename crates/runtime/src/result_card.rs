//! A connected tool's structured answer as people read it: a card for what was looked up, a receipt for what was done, each with what can be
//! done next. The values are the vendor's and are shown as text.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};
use sitewright_tool::{Definition, Effect, Scope};

use crate::mission::{UndoSource, undo_arguments};
use crate::registry::Entry;
use crate::{Registry, ToolSource};

const FIELDS_MAX: usize = 16;
const ITEMS_MAX: usize = 20;
const ACTIONS_MAX: usize = 4;
const VALUE_CHARS_MAX: usize = 300;

/// An answer for people.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ResultCard {
    /// What the call was.
    pub kind: CardKind,
    /// What the tool is called on screen.
    pub title: String,
    /// The values of the answer.
    pub fields: Vec<CardField>,
    /// The entries of a list in the answer, such as offers.
    pub items: Vec<CardItem>,
    /// How many values and entries are not shown.
    pub left_out: usize,
    /// What can be done next.
    pub actions: Vec<FollowUp>,
}

/// What a card tells of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum CardKind {
    /// Something was looked up.
    Card,
    /// Something was done.
    Receipt,
}

/// A value with its label.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CardField {
    /// For people.
    pub label: String,
    /// As text.
    pub value: String,
}

/// An entry of a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CardItem {
    /// Its values.
    pub fields: Vec<CardField>,
}

/// A call that the answer makes possible. It is made like any other: the policy decides whether it asks.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct FollowUp {
    /// The tool.
    pub tool: String,
    /// What the tool is called on screen.
    pub title: String,
    /// What goes in.
    pub arguments: Value,
}

/// A call that succeeded, as far as a card needs it.
#[derive(Debug, Clone, Copy)]
pub struct CallResult<'a> {
    pub scope: Option<Scope>,
    pub tool: &'a str,
    pub arguments: &'a Value,
    pub data: &'a Value,
}

impl Registry {
    /// The card of an answer; `None` for built-in tools, which have receipts of their own, and for answers without structure.
    pub fn result_card(&self, call: CallResult<'_>) -> Option<ResultCard> {
        let entry = self.find(call.scope, call.tool).ok()?;
        if entry.source == ToolSource::BuiltIn {
            return None;
        }
        let manifest = entry.manifest();
        let mut card = ResultCard {
            kind: match manifest.effect() {
                Effect::None => CardKind::Card,
                _ => CardKind::Receipt,
            },
            title: title(entry.definition()),
            fields: Vec::new(),
            items: Vec::new(),
            left_out: 0,
            actions: Vec::new(),
        };
        match call.data {
            Value::Object(fields) => card.add_object(fields, &manifest.output_schema),
            Value::Array(items) => card.add_items(items, &manifest.output_schema["items"]),
            _ => return None,
        }
        if card.fields.is_empty() && card.items.is_empty() {
            return None;
        }
        card.actions = self.follow_ups(&entry, call);
        Some(card)
    }

    /// What takes the call back comes first, then the tools of the same source whose input the answer has.
    fn follow_ups(&self, entry: &Entry, call: CallResult<'_>) -> Vec<FollowUp> {
        let forward = entry.definition();
        let mut actions = Vec::new();
        let of_source = self.of_source(&entry.source);
        for other in of_source.iter().filter(|other| other.manifest().enabled) {
            let definition = other.definition();
            let way_back = forward.rollback.tool.as_ref().map(|tool| tool.as_str());
            let is_way_back = way_back == Some(definition.name());
            let arguments = match is_way_back {
                true => {
                    let done = UndoSource {
                        input: call.arguments,
                        output: Some(call.data),
                        key: None,
                    };
                    undo_arguments(done, forward, definition).ok()
                }
                false if definition.name() == forward.name() => None,
                // What takes another call back is no next step of this one.
                false if definition.manifest.cancel_for.is_some() => None,
                false => filled(definition, call),
            };
            let Some(arguments) = arguments else { continue };
            let action = FollowUp {
                tool: definition.name().to_owned(),
                title: title(definition),
                arguments,
            };
            match is_way_back {
                true => actions.insert(0, action),
                false => actions.push(action),
            }
        }
        actions.truncate(ACTIONS_MAX);
        actions
    }
}

impl ResultCard {
    fn add_object(&mut self, fields: &Map<String, Value>, schema: &Value) {
        for (name, value) in fields {
            if let Value::Array(items) = value
                && items.iter().any(Value::is_object)
                && self.items.is_empty()
            {
                self.add_items(items, &schema["properties"][name]["items"]);
                continue;
            }
            for field in fields_of(name, value, &schema["properties"][name]) {
                match self.fields.len() < FIELDS_MAX {
                    true => self.fields.push(field),
                    false => self.left_out += 1,
                }
            }
        }
    }

    fn add_items(&mut self, items: &[Value], schema: &Value) {
        self.left_out += items.len().saturating_sub(ITEMS_MAX);
        for item in items.iter().take(ITEMS_MAX) {
            let mut fields = match item {
                Value::Object(fields) => fields
                    .iter()
                    .flat_map(|(name, value)| fields_of(name, value, &schema["properties"][name]))
                    .collect(),
                other => fields_of("", other, schema),
            };
            self.left_out += fields.len().saturating_sub(FIELDS_MAX);
            fields.truncate(FIELDS_MAX);
            self.items.push(CardItem { fields });
        }
    }
}

/// The fields of a value: one, or for an object those one level below.
fn fields_of(name: &str, value: &Value, schema: &Value) -> Vec<CardField> {
    let own = || {
        let titled = schema["title"].as_str().map(str::to_owned);
        titled.unwrap_or_else(|| field_label(name))
    };
    match value {
        Value::Object(parts) => parts
            .iter()
            .filter_map(|(part, value)| {
                let label = format!("{} {}", own(), field_label(part).to_lowercase());
                Some(CardField {
                    label,
                    value: text_of(value)?,
                })
            })
            .collect(),
        other => {
            let field = |value| CardField {
                label: own(),
                value,
            };
            text_of(other).map(field).into_iter().collect()
        }
    }
}

/// A value as a person reads it; `None` for nothing.
fn text_of(value: &Value) -> Option<String> {
    let text = match value {
        Value::Null => return None,
        Value::Bool(true) => "yes".to_owned(),
        Value::Bool(false) => "no".to_owned(),
        Value::Number(number) => number.to_string(),
        Value::String(text) => text.clone(),
        Value::Array(items) => {
            let texts: Vec<String> = items.iter().filter_map(text_of).collect();
            texts.join(", ")
        }
        Value::Object(_) => value.to_string(),
    };
    if text.is_empty() {
        return None;
    }
    let mut shown: String = text.chars().take(VALUE_CHARS_MAX).collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    Some(shown)
}

/// The required input of a tool, from the answer and then from the arguments; `None` if a value is missing, or if none comes from the
/// answer, because the tool has nothing to do with it then.
fn filled(definition: &Definition, call: CallResult<'_>) -> Option<Value> {
    let required = definition.manifest.input_schema["required"].as_array()?;
    let mut arguments = Map::new();
    let mut uses_answer = false;
    for name in required.iter().filter_map(Value::as_str) {
        let is_value = |value: &&Value| !value.is_null() && !value.is_object();
        let answered = call.data.get(name).filter(is_value);
        uses_answer |= answered.is_some();
        let value = answered.or_else(|| call.arguments.get(name))?;
        arguments.insert(name.to_owned(), value.clone());
    }
    uses_answer.then_some(Value::Object(arguments))
}

fn title(definition: &Definition) -> String {
    let title = definition.manifest.title.clone();
    title.unwrap_or_else(|| field_label(definition.name()))
}

/// A field's name for people: `check_in` becomes `Check in`.
pub fn field_label(name: &str) -> String {
    let words = name.replace(['_', '-', '.'], " ");
    let mut characters = words.chars();
    let first = characters
        .next()
        .map(|first| first.to_uppercase().to_string());
    first.unwrap_or_default() + characters.as_str()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use sitewright_tool::{Definition, ToolManifest};

    use super::{CallResult, CardKind, ResultCard};
    use crate::{Attempt, Failure, Outside, Registry, Tool, ToolOutput, ToolSource};

    struct Silent;

    impl Outside for Silent {
        type Input = Value;
        type Data = Value;

        async fn run(&self, _: Value, _: Attempt<'_>) -> Result<ToolOutput, Failure> {
            Ok(ToolOutput::default())
        }
    }

    fn tools() -> Registry {
        let registry = Registry::built_in();
        let source = ToolSource::Connector("openapi: hotels".to_owned());
        let object = |required: &[&str]| {
            let properties: serde_json::Map<String, Value> = required
                .iter()
                .map(|name| ((*name).to_owned(), json!({})))
                .collect();
            json!({ "type": "object", "required": required, "properties": properties })
        };
        for (name, title, capability, required) in [
            ("find", "Find a room", "read", &["city"][..]),
            ("book", "Book a room", "write", &["room"]),
            ("cancel", "Cancel the booking", "write", &["booking"]),
            ("look", "Look the booking up", "read", &["booking"]),
            ("rate", "Rate the stay", "write", &["stay"]),
        ] {
            let mut manifest = json!({
                "name": name, "title": title, "description": title, "inputSchema": object(required), "outputSchema": {},
                "capability": capability, "timeoutMs": 1000, "retryPolicy": { "maxAttempts": 1 }, "idempotent": false,
            });
            if name == "book" {
                manifest["cancels"] = json!("cancel");
            }
            if name == "cancel" {
                manifest["cancelFor"] = json!("book");
            }
            let manifest: ToolManifest = serde_json::from_value(manifest).unwrap();
            let tool = Tool::new(Definition::imported(manifest), Silent);
            registry.register(source.clone(), tool).unwrap();
        }
        registry
    }

    fn card(tool: &str, arguments: &Value, data: &Value) -> Option<ResultCard> {
        tools().result_card(CallResult {
            scope: None,
            tool,
            arguments,
            data,
        })
    }

    fn lines(card: &ResultCard) -> Vec<String> {
        let fields = card.fields.iter();
        fields
            .map(|field| format!("{}: {}", field.label, field.value))
            .collect()
    }

    #[test]
    fn what_was_done_is_a_receipt_with_its_way_back_first() {
        let data = json!({
            "booking": "b1", "price": { "amount": 80, "currency": "EUR" }, "paid": false, "extras": ["bed", "tea"], "note": null,
        });
        let card = card("book", &json!({ "room": "r1" }), &data).unwrap();
        assert_eq!(
            (card.kind, card.title.as_str()),
            (CardKind::Receipt, "Book a room")
        );
        let mut shown = lines(&card);
        shown.sort();
        assert_eq!(
            shown,
            [
                "Booking: b1",
                "Extras: bed, tea",
                "Paid: no",
                "Price amount: 80",
                "Price currency: EUR"
            ]
        );
        let actions: Vec<(&str, &Value)> = card
            .actions
            .iter()
            .map(|action| (action.tool.as_str(), &action.arguments))
            .collect();
        let booking = json!({ "booking": "b1" });
        assert_eq!(actions, [("cancel", &booking), ("look", &booking)]);
    }

    #[test]
    fn a_list_is_a_card_of_its_entries() {
        let rooms: Vec<Value> = (0..30).map(|room| json!({ "room": room })).collect();
        let card = card(
            "find",
            &json!({ "city": "LIS" }),
            &json!({ "count": 30, "rooms": rooms }),
        )
        .unwrap();
        assert_eq!(card.kind, CardKind::Card);
        assert_eq!(lines(&card), ["Count: 30"]);
        assert_eq!((card.items.len(), card.left_out), (20, 10));
        assert_eq!(card.items[0].fields[0].value, "0");
        assert_eq!(card.actions, [], "nothing takes a whole list");
    }

    #[test]
    fn answers_without_structure_and_built_in_tools_have_no_card() {
        let none = json!({});
        for data in [json!("text"), json!(7), json!({}), json!([])] {
            assert_eq!(card("look", &none, &data), None);
        }
        assert_eq!(card("read_document", &none, &json!({ "a": 1 })), None);
    }
}

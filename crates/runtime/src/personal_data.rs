//! Keeps personal data out of what is read later. People see it while they decide about a call; once the call is over, the values of
//! the fields that its tool declares as personal are not shown any more.

use serde_json::Value;
use sitewright_tool::Scope;

use crate::Registry;

/// What is shown in place of personal data.
const WITHHELD: &str = "[personal data]";

impl Registry {
    /// Arguments, a card or an answer of a tool without the values of personal fields. The legs of a mission and the steps of a workflow
    /// name tools of their own, whose fields are withheld as well.
    pub fn withhold_personal_data(&self, scope: Option<Scope>, tool: &str, value: &mut Value) {
        self.withhold(value, &self.personal_fields(scope, tool));
    }

    /// The same for values that name their tools themselves: steps of a workflow, and what a mission left.
    pub fn withhold_personal_data_of_named_tools(&self, value: &mut Value) {
        self.withhold(value, &[]);
    }

    fn personal_fields(&self, scope: Option<Scope>, tool: &str) -> Vec<String> {
        let found = self.find(scope, tool);
        found.map_or_else(
            // A tool that is gone declares nothing any more.
            |_unknown| Vec::new(),
            |entry| entry.manifest().pii_required.clone(),
        )
    }

    fn withhold(&self, value: &mut Value, personal: &[String]) {
        match value {
            Value::Object(fields) => {
                let named = fields.get("tool").and_then(Value::as_str);
                let own = named.map(|tool| self.personal_fields(None, tool));
                let personal = own.as_deref().unwrap_or(personal);
                // A row of a card has the name and the value of a field.
                let name = fields.get("name").and_then(Value::as_str);
                let is_row = name.is_some_and(|name| personal.iter().any(|one| one == name));
                for (key, value) in fields.iter_mut() {
                    match personal.contains(key) || (is_row && key == "value") {
                        true => *value = Value::from(WITHHELD),
                        false => self.withhold(value, personal),
                    }
                }
            }
            Value::Array(items) => {
                for item in items {
                    self.withhold(item, personal);
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
}

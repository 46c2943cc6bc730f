//! What a tool declares about itself. The eight fields of the contract are required of every tool; the others have defaults.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{Scope, ToolName};

/// A tool's own description: what it takes, what it answers, how it may be run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct ToolManifest {
    /// The tool's name, unique in its scope.
    pub name: ToolName,
    /// What it is for, in a few sentences a model can act on.
    pub description: String,
    /// The JSON Schema of its input.
    pub input_schema: Value,
    /// The JSON Schema of the data it answers.
    pub output_schema: Value,
    /// Whether it only looks or also changes.
    pub capability: ToolCapability,
    /// How long one attempt may take, 250 to 600 000 ms.
    #[schemars(range(min = 250, max = 600_000))]
    pub timeout_ms: u32,
    /// How often a failed attempt may be repeated.
    pub retry_policy: RetryPolicy,
    /// Whether the same call may be made again without doing more.
    pub idempotent: bool,
    /// The name on screen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Where it is offered; everywhere when empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scopes: Vec<Scope>,
    /// Where it runs.
    #[serde(default)]
    pub execution: Execution,
    /// What a run leaves behind. Left out, it is taken from the capability: a read leaves nothing, a write is `external`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effect: Option<Effect>,
    /// How a person is asked before it runs: `none`, `preview`, or `structured-` and a kind.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confirmation: Option<String>,
    /// The tool that takes back what this one did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cancels: Option<ToolName>,
    /// The tool whose doing this one takes back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cancel_for: Option<ToolName>,
    /// How completely it can be taken back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compensation: Option<Compensation>,
    /// Personal data it needs, which goes to it only with the person's grant.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pii_required: Vec<String>,
    /// Words for finding it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub intent_tags: Vec<String>,
    /// A line for the prompt, while the tool is on offer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub guidance: Option<String>,
    /// Whether its answers are large and go stale, so that only the newest stays in a conversation.
    #[serde(default)]
    pub heavy: bool,
    /// Older names it still answers to.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<ToolName>,
    /// Whether it may be used at the moment.
    #[serde(default = "enabled")]
    pub enabled: bool,
}

fn enabled() -> bool {
    true
}

impl ToolManifest {
    /// The effect of a run. A write that does not declare one is treated as external.
    pub fn effect(&self) -> Effect {
        self.effect.unwrap_or(match self.capability {
            ToolCapability::Read => Effect::None,
            ToolCapability::Write => Effect::External,
        })
    }
}

/// Whether a tool only looks or also changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ToolCapability {
    /// It only looks.
    Read,
    /// It changes something.
    Write,
}

/// How often a failed attempt may be repeated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct RetryPolicy {
    /// Attempts in all, 1 to 5.
    #[schemars(range(min = 1, max = 5))]
    pub max_attempts: u8,
    /// The pause before the second attempt, from which the others grow.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backoff_ms: Option<u32>,
}

/// Where a tool runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Execution {
    /// In the server.
    #[default]
    Server,
    /// In the editor's tab when one is there, else in the server.
    Browser,
}

/// What a run leaves behind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Effect {
    /// Nothing.
    None,
    /// A change of the draft, which the log can undo.
    Draft,
    /// A change of ours that undo does not reach, such as publishing.
    Durable,
    /// Something outside: money, messages, other systems.
    External,
}

/// How completely a run can be taken back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Compensation {
    /// As if it had never been.
    Perfect,
    /// Mostly.
    BestEffort,
    /// Only by a person.
    Manual,
}

#[cfg(test)]
mod tests {
    use super::{Effect, ToolManifest};
    use serde_json::{Value, json};

    fn vendor() -> Value {
        json!({
            "name": "pim.getProduct", "description": "A product by its number", "inputSchema": { "type": "object" },
            "outputSchema": { "type": "object" }, "capability": "write", "timeoutMs": 3000, "retryPolicy": { "maxAttempts": 2 },
            "idempotent": true
        })
    }

    #[test]
    fn the_eight_fields_are_enough_and_each_is_needed() {
        let manifest: ToolManifest = serde_json::from_value(vendor()).unwrap();
        assert_eq!(
            (manifest.enabled, manifest.effect()),
            (true, Effect::External)
        );
        for field in vendor().as_object().unwrap().keys() {
            let mut without = vendor();
            without.as_object_mut().unwrap().remove(field);
            let error = serde_json::from_value::<ToolManifest>(without)
                .unwrap_err()
                .to_string();
            assert_eq!(error, format!("missing field `{field}`"));
        }
    }

    #[test]
    fn writing_and_reading_give_the_same_manifest() {
        let manifest: ToolManifest = serde_json::from_value(vendor()).unwrap();
        let written = serde_json::to_value(&manifest).unwrap();
        assert_eq!(
            serde_json::from_value::<ToolManifest>(written).unwrap(),
            manifest
        );
    }
}

//! The request of one round, before it is encoded in a wire format.

use serde_json::Value;
use sitewright_tool::Definition;

use crate::capability::Capabilities;
use crate::message::Message;
use crate::prompt::SystemPrompt;

/// A tool as a model sees it.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolSpec {
    /// The tool's own name, from which its name on the wire is derived.
    pub name: String,
    pub description: String,
    /// A JSON Schema.
    pub input_schema: Value,
    /// Whether only its newest result stays in a conversation.
    pub heavy: bool,
    /// The boolean argument that asks for pictures; it is set only for models that can see.
    pub pictures: Option<&'static str>,
}

impl From<&Definition> for ToolSpec {
    fn from(definition: &Definition) -> Self {
        let manifest = &definition.manifest;
        Self {
            pictures: definition.pictures,
            name: manifest.name.as_str().to_owned(),
            description: manifest.description.clone(),
            input_schema: manifest.input_schema.clone(),
            heavy: manifest.heavy,
        }
    }
}

/// Whether the model must call a tool.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum ToolChoice {
    /// The model decides.
    #[default]
    Auto,
    /// It must not call tools.
    None,
    /// It must call some tool. Has no effect on models that refuse a forced choice.
    Any,
    /// It must call this tool. Has no effect on models that refuse a forced choice.
    Tool(String),
}

/// How much a model should think.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Effort {
    /// No thinking, if the model allows that; otherwise little.
    Off,
    Low,
    Medium,
    High,
    /// More than high, for models that have such a level.
    XHigh,
    Max,
}

/// Settings of a round that stay the same over a turn.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelSettings {
    /// The model's id at its provider.
    pub model: String,
    /// What the model can do.
    pub capabilities: Capabilities,
    /// The most tokens it may write in a round, including reasoning.
    pub max_output_tokens: u32,
    /// How much it should think; `None` leaves that to the model.
    pub effort: Option<Effort>,
    /// Sent only to models that accept it.
    pub temperature: Option<f64>,
    /// Whether it must call a tool.
    pub tool_choice: ToolChoice,
    /// Whether it may call several tools at once.
    pub parallel_calls: bool,
    /// Routes requests with the same prefix to the same cache; see [`prompt_cache_key`](crate::prompt_cache_key).
    pub cache_key: Option<String>,
}

impl ModelSettings {
    /// The settings that a turn of the agent uses.
    pub fn new(model: impl Into<String>, capabilities: Capabilities) -> Self {
        Self {
            model: model.into(),
            max_output_tokens: capabilities.max_output_tokens.min(32_000),
            capabilities,
            effort: None,
            temperature: None,
            tool_choice: ToolChoice::Auto,
            parallel_calls: true,
            cache_key: None,
        }
    }
}

/// One round, ready to be encoded.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ModelRequest<'a> {
    pub(crate) settings: &'a ModelSettings,
    pub(crate) system: &'a SystemPrompt,
    pub(crate) messages: &'a [Message],
    pub(crate) tools: &'a [ToolSpec],
}

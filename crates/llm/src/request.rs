//! What is asked of a model in one round, before any format is chosen.

use serde_json::Value;
use sitewright_tool::Definition;

use crate::capability::Capabilities;
use crate::message::Message;
use crate::prompt::SystemPrompt;

/// A tool as a model sees it.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolSpec {
    /// Its own name; the spelling on the wire is made from it.
    pub name: String,
    /// What it is for.
    pub description: String,
    /// The JSON Schema of its input.
    pub input_schema: Value,
    /// Whether only its newest answer stays in a conversation.
    pub heavy: bool,
    /// The boolean argument that asks for pictures, which only models that can see get.
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
    /// As it likes.
    #[default]
    Auto,
    /// It must not.
    None,
    /// It must call some tool, where the model accepts being told so.
    Any,
    /// It must call this tool, where the model accepts being told so.
    Tool(String),
}

/// How much a model should think.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Effort {
    /// Not at all, where the model allows it.
    Off,
    /// Little.
    Low,
    /// Some.
    Medium,
    /// Much.
    High,
    /// More than that.
    XHigh,
    /// As much as it can.
    Max,
}

/// Settings of a round that stay the same over a turn.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelSettings {
    /// The model's id at its provider.
    pub model: String,
    /// What it can do.
    pub capabilities: Capabilities,
    /// The most it may write in a round, reasoning included.
    pub max_output_tokens: u32,
    /// How much it should think; left to the model when not set.
    pub effort: Option<Effort>,
    /// Sent only to models that accept it.
    pub temperature: Option<f64>,
    /// Whether it must call a tool.
    pub tool_choice: ToolChoice,
    /// Whether it may ask for several tools at once.
    pub parallel_calls: bool,
    /// Routes requests with the same prefix to the same cache; see [`prompt_cache_key`](crate::prompt_cache_key).
    pub cache_key: Option<String>,
}

impl ModelSettings {
    /// What a turn of the agent uses.
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

/// One round, ready to be written in a format.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ModelRequest<'a> {
    /// The settings.
    pub(crate) settings: &'a ModelSettings,
    /// The system prompt.
    pub(crate) system: &'a SystemPrompt,
    /// The conversation.
    pub(crate) messages: &'a [Message],
    /// The tools on offer.
    pub(crate) tools: &'a [ToolSpec],
}

//! Provider-neutral messages: lists of blocks.
//!
//! This is also the stored form, so its shape must stay compatible. What only one provider understands (signed thinking, encrypted
//! reasoning, unknown fields) is carried in an [`Echo`] and sent back to the model that created it, and to no other.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sitewright_tool::{Image, Receipt};

/// One message of a conversation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Message {
    /// Who speaks.
    pub role: Role,
    /// What is said, in order.
    pub content: Vec<Block>,
}

impl Message {
    /// Creates a message from a person.
    pub fn user(text: impl Into<String>) -> Self {
        Self {
            role: Role::User,
            content: vec![Block::text(text)],
        }
    }

    /// Creates a message from the model.
    pub fn assistant(content: Vec<Block>) -> Self {
        Self {
            role: Role::Assistant,
            content,
        }
    }
}

/// Who speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// A person, or a note in a person's place.
    User,
    /// The model.
    Assistant,
    /// Answers of tools; holds [`Block::ToolResult`] only.
    Tool,
}

/// A piece of a message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "camelCase")]
#[schemars(rename = "MessageBlock")]
pub enum Block {
    /// Text.
    #[serde(rename_all = "camelCase")]
    Text {
        /// The text.
        text: String,
        /// What the provider sent with it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        echo: Option<Echo>,
    },
    /// A picture, in a person's message.
    Image(Image),
    /// The model asks for a tool.
    ToolCall(ToolCall),
    /// What a tool answered.
    ToolResult(ToolResult),
    /// Reasoning, or another block that only its own model understands; sent back unmodified.
    Reasoning(Echo),
}

impl Block {
    /// Creates a text block that did not come from a provider.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text {
            text: text.into(),
            echo: None,
        }
    }
}

/// A model's request to run a tool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ModelToolCall")]
pub struct ToolCall {
    /// Unique in the conversation.
    pub tool_call_id: String,
    /// The tool's own name, not its spelling on the wire.
    pub tool_name: String,
    /// The arguments: always an object.
    pub input: Value,
    /// What the provider sent with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub echo: Option<Echo>,
}

/// What a tool answered to a call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ToolResult {
    /// The call.
    pub tool_call_id: String,
    /// The tool's own name.
    pub tool_name: String,
    /// Whether it did what was asked.
    pub ok: bool,
    /// What it answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<Value>,
    /// Why it failed, in words for the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// What really happened to the site.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub receipt: Option<Receipt>,
    /// Pictures, for models that can see.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub images: Vec<Image>,
}

impl ToolResult {
    /// Creates a failure that is reported on behalf of the tool.
    pub fn failed(call: &ToolCall, error: impl Into<String>) -> Self {
        Self {
            tool_call_id: call.tool_call_id.clone(),
            tool_name: call.tool_name.clone(),
            ok: false,
            data: None,
            error: Some(error.into()),
            receipt: None,
            images: Vec::new(),
        }
    }

    /// The result as the text that a model reads; the same for every provider.
    pub(crate) fn model_text(&self) -> String {
        let mut fields = Map::new();
        fields.insert("ok".to_owned(), Value::Bool(self.ok));
        if let Some(data) = &self.data {
            fields.insert("data".to_owned(), data.clone());
        }
        if let Some(error) = &self.error {
            fields.insert("error".to_owned(), Value::String(error.clone()));
        }
        if let Some(receipt) = self
            .receipt
            .as_ref()
            .and_then(|receipt| serde_json::to_value(receipt).ok())
        {
            fields.insert("receipt".to_owned(), receipt);
        }
        Value::Object(fields).to_string()
    }
}

/// Something a provider sent that goes back to it as it was.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Echo {
    /// The format it is written in.
    pub format: Format,
    /// The model that made it, as it was asked for; another model does not get it.
    pub model: String,
    /// The raw fields.
    pub fields: Map<String, Value>,
}

impl Echo {
    /// The fields, if they were created by this model in this format.
    pub(crate) fn fields_for(&self, format: Format, model: &str) -> Option<&Map<String, Value>> {
        (self.format == format && self.model == model).then_some(&self.fields)
    }
}

/// A wire format: how requests and streams are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// Anthropic's `POST /v1/messages`.
    Messages,
    /// OpenAI's `POST /responses`.
    Responses,
    /// `POST /chat/completions`.
    Chat,
}

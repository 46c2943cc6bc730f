//! The reply to every call, whoever makes it and wherever the tool runs.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::ErrorCode;

/// The answer to a call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Envelope {
    /// Whether it did what was asked.
    pub ok: bool,
    /// What it answered, on success.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<Value>,
    /// Why it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<ToolError>,
    /// Pictures for models that can see.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub images: Vec<Image>,
    /// What really happened to the site.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub receipt: Option<Receipt>,
    /// Whether anything in it came from outside.
    #[serde(default)]
    pub taint: Taint,
    /// How long the call took.
    pub latency_ms: u64,
    /// How many attempts it took.
    pub attempts: u8,
}

impl Envelope {
    /// A successful reply with data.
    pub fn done(data: Value) -> Self {
        Self {
            ok: true,
            data: Some(data),
            error: None,
            images: Vec::new(),
            receipt: None,
            taint: Taint::Trusted,
            latency_ms: 0,
            attempts: 1,
        }
    }

    /// A reply with an error.
    pub fn failed(error: ToolError) -> Self {
        Self {
            ok: false,
            data: None,
            error: Some(error),
            ..Self::done(Value::Null)
        }
    }
}

/// Why a call failed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ToolError {
    /// For machines.
    pub code: ErrorCode,
    /// What happened and what to try next.
    pub message: String,
    /// Whether the same call may succeed later.
    pub retryable: bool,
    /// Particulars, such as the places in the input that are wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub details: Option<Value>,
}

impl ToolError {
    /// An error that is retryable if its code is.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            retryable: code.is_retryable(),
            details: None,
        }
    }

    /// Adds details.
    pub fn with(self, details: Value) -> Self {
        Self {
            details: Some(details),
            ..self
        }
    }
}

/// A picture.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Image {
    /// Its type, such as `image/png`.
    pub mime_type: String,
    /// Its bytes in base64.
    pub data: String,
}

/// Whether an answer can be trusted to carry no instructions of strangers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Taint {
    /// Made of our own data only.
    #[default]
    Trusted,
    /// Something in it came from outside.
    Untrusted,
}

/// What a call really did. A call never says ok for what did not happen: what was asked and did not happen stands here too.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Receipt {
    /// What is new.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub created: Vec<Touched>,
    /// What is different.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changed: Vec<Touched>,
    /// What was asked for and was so already.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unchanged: Vec<Touched>,
    /// What is gone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub removed: Vec<Touched>,
    /// What was named and is not there.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<Touched>,
    /// What was in the input and was taken out because it is not safe.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sanitised: Vec<Sanitised>,
    /// Anything else the caller should know, in sentences.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// A thing that a call touched.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Touched {
    /// The kind of thing, such as `node`, `page` or `rule`.
    pub kind: String,
    /// Its id.
    pub id: String,
    /// What a person calls it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// In how many other places it is used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub also_used_in: Option<u32>,
}

/// Something taken out of the input because it is not safe.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Sanitised {
    /// What it was, such as `script` or `onclick`.
    pub what: String,
    /// The tag it stood on or in.
    pub at: String,
    /// How often.
    pub count: u32,
}

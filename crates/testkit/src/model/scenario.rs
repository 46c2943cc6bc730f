//! Scenarios: what a model says, round by round, and how its provider misbehaves.

use serde::Deserialize;
use serde_json::Value;

/// What a model does.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Scenario {
    /// What it is about; for readers.
    #[serde(default)]
    pub about: String,
    /// The answers.
    pub rounds: Vec<Round>,
    /// Which request gets which of them.
    #[serde(default)]
    pub order: Order,
}

/// How the round is chosen that answers a request.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Order {
    /// Each request gets the next one, whatever it says.
    #[default]
    Requests,
    /// The first one whose calls are not all in the history of the request.
    ///
    /// So a request that is sent again, because its answer was lost, gets the same answer again, as it would from a model.
    History,
}

impl Scenario {
    /// Reads a scenario.
    ///
    /// # Panics
    /// When it is none.
    pub fn from_json(text: &str) -> Self {
        serde_json::from_str(text).unwrap_or_else(|error| panic!("no scenario: {error}"))
    }

    /// The scenario in a file of the folder `scenarios` of this crate, by its name without the ending.
    ///
    /// # Panics
    /// When there is none.
    pub fn named(name: &str) -> Self {
        let path = format!("{}/scenarios/{name}.json", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(&path);
        Self::from_json(&text.unwrap_or_else(|error| panic!("no scenario {path}: {error}")))
    }

    /// One round that answers with a text.
    pub fn says(text: &str) -> Self {
        let reply = ModelReply {
            blocks: vec![Block::Text(text.to_owned())],
            ..ModelReply::default()
        };
        Self {
            rounds: vec![Round {
                reply: Some(reply),
                ..Round::default()
            }],
            ..Self::default()
        }
    }

    /// The same scenario with faults in every reply.
    #[must_use]
    pub fn with_faults(mut self, faults: &Faults) -> Self {
        for reply in self
            .rounds
            .iter_mut()
            .filter_map(|round| round.reply.as_mut())
        {
            reply.faults = faults.clone();
        }
        self
    }
}

/// What happens to one request.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Round {
    /// Texts that the request must contain somewhere.
    #[serde(default)]
    pub expect: Vec<String>,
    /// Texts that it must not contain.
    #[serde(default)]
    pub expect_not: Vec<String>,
    /// The answer.
    #[serde(default)]
    pub reply: Option<ModelReply>,
    /// An error instead.
    #[serde(default)]
    pub error: Option<Failure>,
}

impl Round {
    /// Whether the history of a request shows that this round was played: it has calls, and all of them are there.
    pub(super) fn is_in(&self, history: &str) -> bool {
        let mut calls = self.reply.iter().flat_map(ModelReply::calls).peekable();
        calls.peek().is_some() && calls.all(|call| history.contains(&format!("\"{}\"", call.id)))
    }

    pub(super) fn missing_in(&self, body: &Value) -> Option<String> {
        let text = body.to_string();
        let missing = self.expect.iter().find(|wanted| !text.contains(*wanted));
        if let Some(missing) = missing {
            return Some(format!("the request does not contain {missing:?}"));
        }
        let unwanted = self.expect_not.iter().find(|wanted| text.contains(*wanted));
        unwanted.map(|unwanted| format!("the request contains {unwanted:?}"))
    }
}

fn fill(arguments: &mut Value, history: &str) {
    match arguments {
        Value::Object(fields) => fields.values_mut().for_each(|value| fill(value, history)),
        Value::Array(items) => items.iter_mut().for_each(|value| fill(value, history)),
        Value::String(text) => {
            let name = text.strip_prefix("{{last ");
            let name = name.and_then(|text| text.strip_suffix("}}"));
            let Some(name) = name else { return };
            let field = format!("\"{name}\":\"");
            let value = history.rsplit_once(&field).map(|(_, rest)| rest);
            let value = value.and_then(|rest| rest.split('"').next());
            *text = value.unwrap_or_default().to_owned();
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// An answer of a model.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct ModelReply {
    /// What it says.
    #[serde(default)]
    pub blocks: Vec<Block>,
    /// Why it stops: `end`, `toolCalls`, `length`, `refusal`, `pause` or `contextFull`. Left out, the blocks decide.
    #[serde(default)]
    pub stop: Option<String>,
    /// What it used.
    #[serde(default)]
    pub usage: Usage,
    /// How the provider misbehaves.
    #[serde(default)]
    pub faults: Faults,
}

impl ModelReply {
    /// The reply to a request: `{{last NAME}}` in an argument of a call is the last text that a field of this name has in the request.
    /// So a call can name what an earlier call made.
    pub(super) fn filled_from(mut self, body: &Value) -> Self {
        // Results are JSON within JSON, so the quotes of their fields are escaped, some of them twice.
        let history = body.to_string().replace('\\', "");
        for block in &mut self.blocks {
            if let Block::ToolCall(call) = block {
                fill(&mut call.arguments, &history);
            }
        }
        self
    }

    pub(super) fn calls(&self) -> impl Iterator<Item = &Call> {
        self.blocks.iter().filter_map(|block| match block {
            Block::ToolCall(call) => Some(call),
            _ => None,
        })
    }

    pub(super) fn stop(&self) -> &str {
        match &self.stop {
            Some(stop) => stop,
            None if self.calls().next().is_some() => "toolCalls",
            None => "end",
        }
    }
}

/// A piece of an answer.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub enum Block {
    /// Text.
    Text(String),
    /// Reasoning; the text may be empty, the proof is what goes back.
    Reasoning {
        /// What is shown.
        #[serde(default)]
        text: String,
        /// The signature, or the encrypted form.
        #[serde(default)]
        proof: Option<String>,
    },
    /// A call.
    ToolCall(Call),
    /// The model declines, in these words.
    Refusal(String),
    /// A block or an item that nobody has heard of.
    Raw(Value),
}

/// A call of a tool.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Call {
    /// Its id.
    pub id: String,
    /// The tool, as spelled on the wire.
    pub name: String,
    /// The arguments: an object, or a text that is sent as it is, well-formed or not.
    #[serde(default)]
    pub arguments: Value,
}

impl Call {
    /// The arguments as the model writes them.
    pub(super) fn text(&self) -> String {
        match &self.arguments {
            Value::String(text) => text.clone(),
            Value::Null => String::new(),
            other => other.to_string(),
        }
    }
}

/// Tokens, neutral: the input is all of it.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
pub struct Usage {
    /// All input.
    pub input: u64,
    /// The part of it that came from a cache.
    pub cache_read: u64,
    /// The part of it that was written to a cache.
    pub cache_write: u64,
    /// All output.
    pub output: u64,
    /// The part of it that was reasoning.
    pub reasoning: u64,
    /// What was charged, for providers that say so.
    pub cost: f64,
}

impl Default for Usage {
    fn default() -> Self {
        Self {
            input: 1000,
            cache_read: 600,
            cache_write: 100,
            output: 50,
            reasoning: 10,
            cost: 0.0012,
        }
    }
}

/// How a provider misbehaves while it answers.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
pub struct Faults {
    /// Lines end with CR LF.
    pub crlf: bool,
    /// Lines end with CR.
    pub lone_cr: bool,
    /// The stream begins with a byte order mark.
    pub bom: bool,
    /// No space behind `data:`.
    pub tight: bool,
    /// Comments and pings stand between the events.
    pub keepalives: bool,
    /// Events of types that nobody has heard of stand between the events.
    pub unknown_events: bool,
    /// The bytes arrive in chunks of this size, also in the middle of characters.
    pub chunk_bytes: Option<usize>,
    /// The connection breaks after this many bytes of the stream.
    pub disconnect_at: Option<usize>,
    /// The stream ends, as if it were complete, after this many events.
    pub end_after: Option<usize>,
    /// An error comes as an event after this many events.
    pub error_after: Option<usize>,
    /// The kind of that error.
    pub error_kind: Option<String>,
    /// Nothing more comes after this many events, and the connection stays.
    pub stall_after: Option<usize>,
    /// Each byte takes this long.
    pub drip_ms: Option<u64>,
    /// Texts and arguments come in pieces of this many characters.
    pub piece_chars: Option<usize>,
}

/// An answer that failed before it began.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
pub struct Failure {
    /// The status.
    pub status: u16,
    /// The provider's kind of error; left out, the status decides.
    pub kind: Option<String>,
    /// Its words.
    pub message: String,
    /// The header `retry-after`.
    pub retry_after: Option<String>,
    /// The whole body, instead of the provider's own form.
    pub body: Option<String>,
}

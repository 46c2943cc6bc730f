//! Providers: thin records on top of the wire formats. A compatible vendor needs one more record and no protocol code.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::message::Format;
use crate::models::ModelList;
use crate::wire::Quirks;

/// A provider we have a record of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ProviderId {
    /// Anthropic.
    Anthropic,
    /// OpenAI.
    OpenAi,
    /// OpenRouter.
    OpenRouter,
    /// Ollama, on one's own machine.
    Ollama,
    /// Venice.
    Venice,
    /// The commands that are built in. They are no model: nothing leaves the house, and no credential is for them.
    Offline,
}

/// No provider has this id.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no provider `{0}`: use anthropic, openai, openrouter, ollama or venice")]
pub struct UnknownProvider(String);

impl ProviderId {
    /// All providers that are reached over the network.
    pub const ALL: [Self; 5] = [
        Self::Anthropic,
        Self::OpenAi,
        Self::OpenRouter,
        Self::Ollama,
        Self::Venice,
    ];

    /// The id as a string.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Anthropic => "anthropic",
            Self::OpenAi => "openai",
            Self::OpenRouter => "openrouter",
            Self::Ollama => "ollama",
            Self::Venice => "venice",
            Self::Offline => "offline",
        }
    }

    /// The provider's record.
    pub fn record(self) -> &'static Provider {
        match self {
            Self::Anthropic => &ANTHROPIC,
            Self::OpenAi => &OPENAI,
            Self::OpenRouter => &OPENROUTER,
            Self::Ollama => &OLLAMA,
            Self::Venice => &VENICE,
            Self::Offline => &OFFLINE,
        }
    }
}

impl fmt::Display for ProviderId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.as_str())
    }
}

impl FromStr for ProviderId {
    type Err = UnknownProvider;

    fn from_str(text: &str) -> Result<Self, UnknownProvider> {
        let mut all = Self::ALL.into_iter().chain([Self::Offline]);
        let found = all.find(|id| id.as_str() == text);
        found.ok_or_else(|| UnknownProvider(text.to_owned()))
    }
}

/// What a credential for a provider consists of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum CredentialShape {
    /// A key is needed.
    ApiKey,
    /// An address is needed; a key is optional.
    Endpoint,
}

/// Whether `prompt_tokens` of a provider includes input from its cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum InputTokens {
    All,
    WithoutCached,
}

/// How a key is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Auth {
    /// In a header of its own.
    Header(&'static str),
    /// `Authorization: Bearer`.
    Bearer,
}

/// The static description of a provider.
#[derive(Debug)]
pub struct Provider {
    /// The display name.
    pub name: &'static str,
    /// The default base URL, which a credential can override.
    pub base_url: &'static str,
    /// What its credentials consist of.
    pub credential: CredentialShape,
    /// The wire format of its requests and streams.
    pub format: Format,
    /// Whether its models run on the user's own machine and cost nothing.
    pub runs_locally: bool,
    pub(crate) path: &'static str,
    pub(crate) auth: Auth,
    pub(crate) headers: &'static [(&'static str, &'static str)],
    pub(crate) input_tokens: InputTokens,
    /// Timeout for the first byte; longer for local models, which may have to be loaded first.
    pub(crate) first_byte: Duration,
    /// Whether an empty answer is retried once, because it may be a cold start.
    pub(crate) retries_empty: bool,
    pub(crate) models: ModelList,
    /// The path that checks the key itself, for providers whose list of models is public.
    pub(crate) key_path: Option<&'static str>,
    /// Models to offer while the list cannot be fetched.
    pub fallback_models: &'static [&'static str],
    pub(crate) quirks: Quirks,
}

impl Provider {
    /// Joins a path to a base URL that the user wrote, with or without `/v1` or a slash at the end.
    pub(crate) fn url(base_url: &str, path: &str) -> String {
        let base = base_url.trim().trim_end_matches('/');
        let base = match path.starts_with("/v1/") || path.starts_with("/api/") {
            true => base.strip_suffix("/v1").unwrap_or(base),
            false => base,
        };
        format!("{base}{path}")
    }
}

const IMAGES: &[&str] = &["image/jpeg", "image/png", "image/gif", "image/webp"];
const PATIENCE: Duration = Duration::from_secs(120);

const PLAIN: Quirks = Quirks {
    fixed_fields: "{}",
    message_ids: false,
    tool_choice: true,
    cache_key: true,
    reasoning_summary: false,
    reasoning_field: None,
    image_types: IMAGES,
};

static ANTHROPIC: Provider = Provider {
    name: "Anthropic",
    base_url: "https://api.anthropic.com",
    credential: CredentialShape::ApiKey,
    format: Format::Messages,
    runs_locally: false,
    path: "/v1/messages",
    auth: Auth::Header("x-api-key"),
    headers: &[("anthropic-version", "2023-06-01")],
    input_tokens: InputTokens::WithoutCached,
    first_byte: PATIENCE,
    retries_empty: false,
    models: ModelList::Anthropic,
    key_path: None,
    fallback_models: &["claude-opus-5-5", "claude-sonnet-5-5", "claude-haiku-5-5"],
    quirks: PLAIN,
};

static OPENAI: Provider = Provider {
    name: "OpenAI",
    base_url: "https://api.openai.com/v1",
    credential: CredentialShape::ApiKey,
    format: Format::Responses,
    runs_locally: false,
    path: "/responses",
    auth: Auth::Bearer,
    headers: &[],
    input_tokens: InputTokens::All,
    first_byte: PATIENCE,
    retries_empty: false,
    models: ModelList::OpenAi,
    key_path: None,
    fallback_models: &["gpt-6-astra", "gpt-6-sol", "gpt-6-luna"],
    quirks: Quirks {
        fixed_fields: r#"{"stream_options":{"include_obfuscation":false}}"#,
        ..PLAIN
    },
};

static OPENROUTER: Provider = Provider {
    name: "OpenRouter",
    base_url: "https://openrouter.ai/api/v1",
    credential: CredentialShape::ApiKey,
    format: Format::Responses,
    runs_locally: false,
    path: "/responses",
    auth: Auth::Bearer,
    headers: &[("x-openrouter-title", "Sitewright")],
    input_tokens: InputTokens::All,
    first_byte: PATIENCE,
    retries_empty: true,
    models: ModelList::OpenRouter,
    key_path: Some("/key"),
    fallback_models: &["anthropic/claude-opus-5.5", "openai/gpt-6-sol"],
    quirks: Quirks {
        message_ids: true,
        reasoning_summary: true,
        ..PLAIN
    },
};

static OLLAMA: Provider = Provider {
    name: "Ollama",
    base_url: "http://localhost:11434",
    credential: CredentialShape::Endpoint,
    format: Format::Chat,
    runs_locally: true,
    path: "/v1/chat/completions",
    auth: Auth::Bearer,
    headers: &[],
    input_tokens: InputTokens::All,
    first_byte: Duration::from_secs(600),
    retries_empty: false,
    models: ModelList::Ollama,
    key_path: None,
    fallback_models: &["qwen3", "gpt-oss:20b", "gemma4"],
    quirks: Quirks {
        tool_choice: false,
        cache_key: false,
        reasoning_field: Some("reasoning"),
        image_types: &["image/jpeg", "image/png", "image/webp"],
        ..PLAIN
    },
};

static VENICE: Provider = Provider {
    name: "Venice",
    base_url: "https://api.venice.ai/api/v1",
    credential: CredentialShape::ApiKey,
    format: Format::Chat,
    runs_locally: false,
    path: "/chat/completions",
    auth: Auth::Bearer,
    headers: &[],
    input_tokens: InputTokens::All,
    first_byte: PATIENCE,
    retries_empty: false,
    models: ModelList::Venice,
    key_path: None,
    fallback_models: &["kimi-k3", "zai-org-glm-5-2", "venice-uncensored-1-2"],
    quirks: Quirks {
        // Its own system prompt would come before ours.
        fixed_fields: r#"{"venice_parameters":{"include_venice_system_prompt":false}}"#,
        ..PLAIN
    },
};

static OFFLINE: Provider = Provider {
    name: "Built-in commands (no AI)",
    base_url: "",
    credential: CredentialShape::Endpoint,
    format: Format::Chat,
    runs_locally: true,
    path: "",
    auth: Auth::Bearer,
    headers: &[],
    input_tokens: InputTokens::All,
    first_byte: PATIENCE,
    retries_empty: false,
    models: ModelList::Ollama,
    key_path: None,
    fallback_models: &["offline"],
    quirks: PLAIN,
};

#[cfg(test)]
mod tests {
    use super::{Provider, ProviderId};

    #[test]
    fn addresses_are_made_from_any_spelling_of_the_base() {
        let check = |base: &str, path: &str, url: &str| assert_eq!(Provider::url(base, path), url);
        check(
            "https://api.anthropic.com",
            "/v1/messages",
            "https://api.anthropic.com/v1/messages",
        );
        check(
            "https://gateway/anthropic/v1/",
            "/v1/messages",
            "https://gateway/anthropic/v1/messages",
        );
        check(
            "https://api.openai.com/v1/",
            "/responses",
            "https://api.openai.com/v1/responses",
        );
        check(
            "http://localhost:11434",
            "/v1/chat/completions",
            "http://localhost:11434/v1/chat/completions",
        );
        check(
            "http://localhost:11434/v1",
            "/api/tags",
            "http://localhost:11434/api/tags",
        );
    }

    #[test]
    fn a_provider_is_found_by_its_id() {
        for id in ProviderId::ALL.into_iter().chain([ProviderId::Offline]) {
            assert_eq!(id.as_str().parse(), Ok(id));
        }
        let error = "openia".parse::<ProviderId>().unwrap_err().to_string();
        assert_eq!(
            error,
            "there is no provider `openia`: use anthropic, openai, openrouter, ollama or venice"
        );
    }
}

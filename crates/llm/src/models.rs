//! Parses the model lists of providers.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::capability::{Capabilities, Tier};
use crate::price::{ModelPrice, Rate};

/// A model as its provider describes it; what the provider does not say is not known.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, Default)]
#[serde(rename_all = "camelCase")]
pub struct ModelInfo {
    /// Its id at the provider.
    pub id: String,
    /// What people call it.
    pub name: String,
    /// Whether it can look at pictures.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vision_input: Option<bool>,
    /// Whether it can call tools.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools: Option<bool>,
    /// Input and output together, in tokens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context_window: Option<u64>,
    /// The most it writes in one answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_output_tokens: Option<u32>,
    /// Its place among the others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tier: Option<Tier>,
    /// When it will be switched off, as the provider writes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retires_at: Option<String>,
    /// What it costs there, where the list says so. It is no part of the wire: what people are shown is for the caller.
    #[serde(skip)]
    pub price: Option<ModelPrice>,
}

impl ModelInfo {
    fn named(id: &str, name: Option<&str>) -> Self {
        let known = Capabilities::of(id);
        Self {
            id: id.to_owned(),
            name: name.unwrap_or(id).to_owned(),
            tier: known.tier,
            ..Self::default()
        }
    }
}

/// The format of a provider's list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ModelList {
    Anthropic,
    OpenAi,
    OpenRouter,
    Ollama,
    Venice,
}

/// A page of a list, and the cursor of the next one.
#[derive(Debug, PartialEq)]
pub(crate) struct Page {
    pub(crate) models: Vec<ModelInfo>,
    pub(crate) next: Option<String>,
}

impl ModelList {
    /// The path of the first page, or of the one after a cursor.
    pub(crate) fn path(self, after: Option<&str>) -> String {
        match (self, after) {
            (Self::Anthropic, None) => "/v1/models?limit=1000".to_owned(),
            (Self::Anthropic, Some(after)) => format!("/v1/models?limit=1000&after_id={after}"),
            (Self::OpenAi | Self::OpenRouter, _) => "/models".to_owned(),
            (Self::Ollama, _) => "/api/tags".to_owned(),
            (Self::Venice, _) => "/models?type=text".to_owned(),
        }
    }

    /// The path and body of a request for details that the list lacks; `None` if it lacks none.
    pub(crate) fn detail(self, model: &ModelInfo) -> Option<(&'static str, String)> {
        let asks = self == Self::Ollama && model.vision_input.is_none();
        asks.then(|| ("/api/show", json!({ "model": model.id }).to_string()))
    }

    /// Adds the details from the response to that request.
    pub(crate) fn add_detail(model: &mut ModelInfo, body: &Value) {
        let can = |word: &str| {
            let list = body["capabilities"].as_array();
            list.map(|list| list.iter().any(|item| item == word))
        };
        model.vision_input = can("vision");
        model.tools = can("tools");
    }

    /// Parses a page; `None` if the body is not a list. Models that cannot be used here are left out.
    pub(crate) fn read(self, body: &Value) -> Option<Page> {
        let entries = match self {
            Self::Ollama => body["models"].as_array()?,
            _ => body["data"].as_array()?,
        };
        let one = match self {
            Self::Anthropic => anthropic,
            Self::OpenAi => openai,
            Self::OpenRouter => openrouter,
            Self::Ollama => ollama,
            Self::Venice => venice,
        };
        let more = self == Self::Anthropic && body["has_more"] == true;
        // The id becomes part of a query string, so one with other characters is ignored.
        let plain = |id: &&str| {
            id.bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'))
        };
        let last = body["last_id"].as_str().filter(plain);
        Some(Page {
            models: entries.iter().filter_map(one).collect(),
            next: last.filter(|_| more).map(str::to_owned),
        })
    }
}

fn tokens(value: &Value) -> Option<u32> {
    value.as_u64().and_then(|count| u32::try_from(count).ok())
}

fn anthropic(entry: &Value) -> Option<ModelInfo> {
    let mut model = ModelInfo::named(entry["id"].as_str()?, entry["display_name"].as_str());
    if entry["lifecycle"] == "retired" {
        return None;
    }
    // Gateways leave the capabilities out. Every Anthropic model can see and call tools.
    let image = entry["capabilities"]["image_input"]["supported"].as_bool();
    model.vision_input = Some(image.unwrap_or(true));
    model.tools = Some(true);
    model.context_window = entry["max_input_tokens"].as_u64();
    model.max_output_tokens = tokens(&entry["max_tokens"]);
    model.retires_at = entry["retires_at"].as_str().map(str::to_owned);
    Some(model)
}

/// OpenAI's list also contains models for speech, pictures and embeddings without marking them, so they are filtered by name.
fn openai(entry: &Value) -> Option<ModelInfo> {
    const OTHERS: &[&str] = &[
        "image",
        "audio",
        "realtime",
        "transcribe",
        "tts",
        "embedding",
        "moderation",
        "search",
        "instruct",
        "whisper",
        "dall-e",
        "sora",
    ];
    let id = entry["id"].as_str()?;
    let writes = id.starts_with("gpt-") || id.starts_with("chatgpt-") || id.starts_with("o3");
    if !writes || OTHERS.iter().any(|other| id.contains(other)) {
        return None;
    }
    let mut model = ModelInfo::named(id, None);
    model.vision_input = Some(true);
    model.tools = Some(true);
    model.retires_at = entry["shutdown_date"].as_str().map(str::to_owned);
    Some(model)
}

fn openrouter(entry: &Value) -> Option<ModelInfo> {
    let lists = |value: &Value, word: &str| {
        value
            .as_array()
            .map(|list| list.iter().any(|item| item == word))
    };
    let mut model = ModelInfo::named(entry["id"].as_str()?, entry["name"].as_str());
    let architecture = &entry["architecture"];
    if lists(&architecture["output_modalities"], "text") == Some(false) {
        return None;
    }
    model.vision_input = lists(&architecture["input_modalities"], "image");
    model.tools = lists(&entry["supported_parameters"], "tools");
    model.context_window = entry["context_length"].as_u64();
    model.max_output_tokens = tokens(&entry["top_provider"]["max_completion_tokens"]);
    model.retires_at = entry["expiration_date"].as_str().map(str::to_owned);
    model.price = Some(ModelPrice::from_openrouter(entry));
    Some(model)
}

/// The context window is left out: the one a model supports is not the one its server was started with.
fn ollama(entry: &Value) -> Option<ModelInfo> {
    let id = entry["name"].as_str().or_else(|| entry["model"].as_str())?;
    let mut model = ModelInfo::named(id, None);
    let capabilities = entry["capabilities"].as_array();
    let can = |word: &str| capabilities.map(|list| list.iter().any(|item| item == word));
    if can("completion") == Some(false) {
        return None;
    }
    model.vision_input = can("vision");
    model.tools = can("tools");
    Some(model)
}

fn venice(entry: &Value) -> Option<ModelInfo> {
    let spec = &entry["model_spec"];
    if entry["type"].as_str().is_some_and(|kind| kind != "text") {
        return None;
    }
    let mut model = ModelInfo::named(entry["id"].as_str()?, spec["name"].as_str());
    model.vision_input = spec["capabilities"]["supportsVision"].as_bool();
    model.tools = spec["capabilities"]["supportsFunctionCalling"].as_bool();
    model.context_window = spec["availableContextTokens"].as_u64();
    let rate = |name: &str| {
        spec["pricing"][name]["usd"]
            .as_f64()
            .and_then(Rate::from_per_million)
    };
    model.price = Some(ModelPrice {
        context_window: model.context_window,
        prompt: rate("input"),
        completion: rate("output"),
        cache_read: rate("cache_input"),
        cache_write: None,
        cache_write_1h: None,
    });
    Some(model)
}

#[cfg(test)]
mod tests {
    use super::{ModelInfo, ModelList};
    use crate::capability::Tier;
    use serde_json::{Value, json};

    fn read(list: ModelList, body: &Value) -> Vec<ModelInfo> {
        list.read(body).unwrap().models
    }

    #[test]
    fn anthropics_list_has_pages_windows_and_lifecycles() {
        let body = json!({ "data": [
            { "type": "model", "id": "claude-opus-5-5", "display_name": "Claude Opus 5.5", "lifecycle": "active",
              "max_input_tokens": 1_000_000, "max_tokens": 128_000, "capabilities": { "image_input": { "supported": true } } },
            { "id": "claude-2", "lifecycle": "retired" },
            { "id": "claude-sonnet-4-5", "display_name": "old gateway" },
        ], "has_more": true, "first_id": "claude-opus-5-5", "last_id": "claude-sonnet-4-5" });
        let page = ModelList::Anthropic.read(&body).unwrap();
        assert_eq!(page.next.as_deref(), Some("claude-sonnet-4-5"));
        assert_eq!(page.models.len(), 2);
        let first = &page.models[0];
        assert_eq!(
            (
                first.context_window,
                first.max_output_tokens,
                first.tier,
                first.vision_input
            ),
            (
                Some(1_000_000),
                Some(128_000),
                Some(Tier::Smartest),
                Some(true)
            )
        );
    }

    #[test]
    fn openais_list_is_cut_down_to_models_that_write() {
        let ids = [
            "gpt-6-sol",
            "text-embedding-3-small",
            "gpt-image-2",
            "gpt-6-realtime",
            "whisper-1",
            "o3",
        ];
        let data: Vec<Value> = ids
            .iter()
            .map(|id| json!({ "id": id, "object": "model" }))
            .collect();
        let models = read(
            ModelList::OpenAi,
            &json!({ "object": "list", "data": data }),
        );
        let found: Vec<&str> = models.iter().map(|model| model.id.as_str()).collect();
        assert_eq!(found, ["gpt-6-sol", "o3"]);
    }

    #[test]
    fn openrouters_list_says_what_a_model_can_do() {
        let models = read(
            ModelList::OpenRouter,
            &json!({ "data": [
            { "id": "z-ai/glm-5.3-flash", "name": "GLM", "context_length": 1_310_720,
              "architecture": { "input_modalities": ["text"], "output_modalities": ["text"] },
              "top_provider": { "max_completion_tokens": 65_536 }, "supported_parameters": ["tools", "max_tokens"] },
            { "id": "draws/only", "architecture": { "output_modalities": ["image"] } },
        ] }),
        );
        assert_eq!(models.len(), 1);
        assert_eq!(
            (
                models[0].vision_input,
                models[0].tools,
                models[0].context_window
            ),
            (Some(false), Some(true), Some(1_310_720))
        );
    }

    #[test]
    fn ollamas_models_have_no_window_and_venices_have() {
        let models = read(
            ModelList::Ollama,
            &json!({ "models": [
            { "name": "qwen3:8b", "details": { "context_length": 40_960 }, "capabilities": ["completion", "tools"] },
            { "name": "nomic-embed-text", "capabilities": ["embedding"] },
        ] }),
        );
        assert_eq!(models.len(), 1);
        assert_eq!(
            (
                models[0].context_window,
                models[0].vision_input,
                models[0].tools
            ),
            (None, Some(false), Some(true))
        );
        let models = read(
            ModelList::Venice,
            &json!({ "data": [
            { "id": "kimi-k3", "type": "text", "model_spec": { "availableContextTokens": 1_000_000,
              "capabilities": { "supportsVision": true, "supportsFunctionCalling": true } } },
        ] }),
        );
        assert_eq!(
            (models[0].context_window, models[0].vision_input),
            (Some(1_000_000), Some(true))
        );
    }

    #[test]
    fn lists_that_name_prices_are_believed() {
        let router = read(
            ModelList::OpenRouter,
            &json!({ "data": [{ "id": "a/b", "context_length": 8,
                "pricing": { "prompt": "0.000004", "completion": "0.00002", "input_cache_read": "0.0000002" } }] }),
        );
        let venice = read(
            ModelList::Venice,
            &json!({ "data": [{ "id": "k", "type": "text",
                "model_spec": { "pricing": { "input": { "usd": 0.15 }, "output": { "usd": 3 }, "cache_input": { "usd": -1 } } } }] }),
        );
        let quoted = |models: &[ModelInfo]| {
            let price = models[0].price.clone().unwrap();
            [price.prompt, price.completion, price.cache_read]
                .map(|rate| rate.map(|rate| rate.per_million()))
        };
        assert_eq!(quoted(&router), [Some(4.0), Some(20.0), Some(0.2)]);
        assert_eq!(quoted(&venice), [Some(0.15), Some(3.0), None]);
    }

    #[test]
    fn what_is_no_list_is_none() {
        assert_eq!(ModelList::OpenAi.read(&json!({ "error": "x" })), None);
    }
}

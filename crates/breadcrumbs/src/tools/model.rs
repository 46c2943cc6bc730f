//! `openrouter`, `venice` and `ollama_local`: one answer of a model.

use schemars::JsonSchema;
use secrecy::SecretString;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sitewright_agent::{CompletionAccess, CompletionRequest, Models};
use sitewright_llm::{Block, Message, ProviderId};
use sitewright_runtime::{Attempt, Failure, Outside, Tool, ToolOutput};
use sitewright_store::SiteId;
use sitewright_tool::{Destination, Effect, ErrorCode, Taint, ToolError, sentence};

use super::tool;
use crate::breadcrumbs::WeakBreadcrumbs;
use crate::{BreadcrumbCaller, Breadcrumbs};

const TIMEOUT_MS: u32 = 180_000;
const MESSAGES_MAX: usize = 200;

pub(super) fn tools(breadcrumbs: &Breadcrumbs, models: &Models) -> Vec<Tool> {
    let providers = [
        (
            "openrouter",
            "Ask a model at OpenRouter",
            ProviderId::OpenRouter,
        ),
        ("venice", "Ask a model at Venice", ProviderId::Venice),
        ("ollama_local", "Ask a local model", ProviderId::Ollama),
    ];
    let made = providers.into_iter().map(|(name, title, provider)| {
        let definition = tool(
            name,
            title,
            "Asks a model once. Takes `messages`, each with `role` (system, user or assistant) and `content`. Answers `content`, `model`, \
             `usage` and `cost_estimate` in US dollars. The key and other settings come from `config_id`, or from AI settings.",
            // It spends, and the budget of AI settings limits how much; nobody is asked each time.
            Effect::None,
        )
        .words("Asking a model", "Asked a model")
        .tags(&["llm", "ai", "generate", "analyse"])
        .sends_to(Destination::Vendor)
        .timeout_ms(TIMEOUT_MS);
        let work = AskModel {
            name,
            provider,
            records: breadcrumbs.downgrade(),
            models: models.clone(),
        };
        Tool::outside(definition, work)
    });
    made.collect()
}

struct AskModel {
    name: &'static str,
    provider: ProviderId,
    records: WeakBreadcrumbs,
    models: Models,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Question {
    /// The conversation, the oldest first.
    #[schemars(length(min = 1, max = 200))]
    messages: Vec<ModelMessage>,
    /// The model; that of the configuration or of AI settings when left out.
    #[serde(default)]
    model: Option<String>,
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 2.0))]
    temperature: Option<f64>,
    /// The most that it may write.
    #[serde(default)]
    #[schemars(range(min = 1))]
    max_tokens: Option<u32>,
    /// A `tool.config.v1` record with `api_key`, `base_url`, `model`, `temperature` or `max_tokens`.
    #[serde(default)]
    config_id: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ModelMessage {
    role: SpeakerRole,
    content: String,
}

#[derive(Deserialize, JsonSchema, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum SpeakerRole {
    System,
    User,
    Assistant,
}

#[derive(Serialize, JsonSchema)]
struct ModelAnswer {
    /// What the model says.
    content: String,
    /// The model that said it.
    model: String,
    usage: TokenUse,
    /// In US dollars; null if nobody knows the price.
    cost_estimate: Option<f64>,
}

#[derive(Serialize, JsonSchema)]
struct TokenUse {
    prompt_tokens: u64,
    completion_tokens: u64,
    total_tokens: u64,
}

/// What a configuration may say.
#[derive(Default)]
struct ModelConfig {
    model: Option<String>,
    temperature: Option<f64>,
    max_tokens: Option<u32>,
    access: Option<CompletionAccess>,
}

impl Outside for AskModel {
    type Input = Question;
    type Data = ModelAnswer;

    async fn run(
        &self,
        input: Question,
        attempt: Attempt<'_>,
    ) -> Result<ToolOutput<ModelAnswer>, Failure> {
        if input.messages.len() > MESSAGES_MAX {
            let message = format!("`messages` has at most {MESSAGES_MAX} entries.");
            return Err(ToolError::new(ErrorCode::InvalidInput, message).into());
        }
        let config = match &input.config_id {
            Some(config_id) => self.config(config_id, &attempt).await?,
            None => ModelConfig::default(),
        };
        let request = CompletionRequest {
            site: SiteId::from(attempt.context.site_id.clone()),
            actor: attempt.by.actor.clone(),
            provider: self.provider,
            call: attempt.context.trace_id.clone(),
            access: config.access.unwrap_or(CompletionAccess::Stored),
            model: input.model.or(config.model),
            system: joined_system(&input.messages),
            messages: input.messages.iter().filter_map(message).collect(),
            temperature: input.temperature.or(config.temperature),
            max_output_tokens: input.max_tokens.or(config.max_tokens),
            timeout: attempt.timeout,
        };
        let completed = self.models.complete(request).await.map_err(|error| {
            let failed = ToolError::new(error.code(), sentence(&error.to_string()));
            Failure::answered(failed)
        })?;
        Ok(ToolOutput {
            // A model repeats what its input says, whoever wrote that.
            taint: Taint::Untrusted,
            ..ToolOutput::from(ModelAnswer {
                content: completed.content,
                model: completed.model,
                usage: TokenUse {
                    prompt_tokens: completed.usage.prompt_tokens,
                    completion_tokens: completed.usage.completion_tokens,
                    total_tokens: completed.total_tokens,
                },
                cost_estimate: completed.cost_usd,
            })
        })
    }
}

impl AskModel {
    async fn config(
        &self,
        config_id: &str,
        attempt: &Attempt<'_>,
    ) -> Result<ModelConfig, ToolError> {
        let stopped = || ToolError::new(ErrorCode::Unavailable, "The server stops.");
        let records = self.records.upgrade().ok_or_else(stopped)?;
        let caller = BreadcrumbCaller::of_tool(attempt)?;
        let config = records.configuration(&caller, config_id, self.name).await?;
        let text = |names: &[&str]| {
            let mut found = names.iter().filter_map(|name| config.get(*name)?.as_str());
            found.next().map(str::to_owned)
        };
        let key = text(&["api_key", "apiKey", "key"]);
        let base_url = text(&["base_url", "baseUrl"]);
        let max_tokens = config.get("max_tokens").and_then(Value::as_u64);
        // A configuration that says nothing about access leaves it to AI settings.
        let has_access = key.is_some() || base_url.is_some();
        Ok(ModelConfig {
            model: text(&["model"]),
            temperature: config.get("temperature").and_then(Value::as_f64),
            max_tokens: max_tokens.and_then(|most| u32::try_from(most).ok()),
            access: has_access.then(|| CompletionAccess::Given {
                base_url,
                key: key.map(SecretString::from),
            }),
        })
    }
}

fn joined_system(messages: &[ModelMessage]) -> String {
    let system = messages
        .iter()
        .filter(|said| said.role == SpeakerRole::System);
    let texts: Vec<&str> = system.map(|said| said.content.as_str()).collect();
    texts.join("\n\n")
}

fn message(said: &ModelMessage) -> Option<Message> {
    match said.role {
        SpeakerRole::System => None,
        SpeakerRole::User => Some(Message::user(said.content.as_str())),
        SpeakerRole::Assistant => {
            Some(Message::assistant(vec![Block::text(said.content.as_str())]))
        }
    }
}

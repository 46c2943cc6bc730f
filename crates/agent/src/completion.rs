//! A single answer of a model, for tools that ask one: no conversation, no tools, but the same providers, budget and usage as turns.

use std::future::{Ready, ready};
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use secrecy::SecretString;
use sitewright_llm::{
    Backend, Capabilities, Ending, Message, ModelClient, ModelSettings, ProviderId, SystemPrompt,
    ToolCall, ToolLoop, ToolOutcome, TurnEvent, TurnHost, TurnLimits, TurnPlan, Usage,
    normalize_context_tokens, resolve_cost_usd, run_turn,
};
use sitewright_store::{Actor, ConversationId, CredentialId, SiteId, Timestamp, TurnId, UsageId};
use sitewright_tool::Scope;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::credentials::check_base_url;
use crate::run::{month, over_budget};
use crate::usage::ModelRun;
use crate::{AgentError, CredentialError, Models};

/// A request for one answer.
#[derive(Debug, Clone)]
pub struct CompletionRequest {
    pub site: SiteId,
    /// Whose budget it is charged to.
    pub actor: Actor,
    pub provider: ProviderId,
    /// The call that asks.
    pub call: String,
    pub access: CompletionAccess,
    /// `None` takes the site's default model, if it is one of the provider.
    pub model: Option<String>,
    pub system: String,
    pub messages: Vec<Message>,
    pub temperature: Option<f64>,
    pub max_output_tokens: Option<u32>,
    pub timeout: Duration,
}

/// How the provider is reached.
#[derive(Debug, Clone)]
pub enum CompletionAccess {
    /// By the site's credential for the provider.
    Stored,
    /// By what a configuration says.
    Given {
        base_url: Option<String>,
        key: Option<SecretString>,
    },
}

/// An answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Completion {
    pub content: String,
    /// The model as the provider names it.
    pub model: String,
    pub usage: Usage,
    /// Input and output together.
    pub total_tokens: u64,
    /// `None` if nobody knows the price.
    pub cost_usd: Option<f64>,
}

impl Models {
    /// Asks a model once.
    pub async fn complete(&self, request: CompletionRequest) -> Result<Completion, AgentError> {
        let now = Timestamp::now();
        let store = self.store();
        let budget = store.ai_budget(&request.site).await?;
        let left = store
            .spending_left(&request.site, &request.actor, &month(&budget, now))
            .await?;
        if left.is_used_up() {
            return Err(over_budget(&budget));
        }
        let (client, default_model) = self.access(&request).await?;
        let model = request.model.clone().or(default_model);
        let model = model.ok_or(AgentError::ChooseModel)?;
        let capabilities = Capabilities::of(&model);
        let mut settings = ModelSettings::new(model.as_str(), capabilities);
        settings.temperature = request.temperature;
        if let Some(most) = request.max_output_tokens {
            settings.max_output_tokens = settings.max_output_tokens.min(most);
        }
        let prices = self.catalogue(now).await;
        let mut tool_loop = ToolLoop::new(TurnPlan {
            provider: request.provider,
            settings,
            system: SystemPrompt::new(request.system.as_str(), ""),
            tools: Arc::from([]),
            history: request.messages.clone(),
            goes_on: false,
            limits: TurnLimits {
                rounds: 1,
                time: request.timeout,
                tokens: budget.turn_tokens,
                cost_usd: budget.turn_usd,
            },
            prices: Arc::clone(&prices),
            seed: now.millis().unsigned_abs(),
        });
        let mut answer = Answer::default();
        let never = CancellationToken::new();
        let backend = Backend::Provider(&client);
        let ending = run_turn(&mut tool_loop, backend, &mut answer, &never).await;
        let usage = answer.usage.unwrap_or_default();
        let cost_usd = resolve_cost_usd(&prices, request.provider, &model, &usage);
        self.record(&request, &model, &usage, cost_usd).await?;
        if let Some(error) = failure(ending, &answer.text) {
            return Err(error);
        }
        Ok(Completion {
            content: answer.text,
            model: match tool_loop.answering_model() {
                "" => model,
                named => named.to_owned(),
            },
            total_tokens: normalize_context_tokens(request.provider, &usage)
                .saturating_add(usage.completion_tokens),
            usage,
            cost_usd,
        })
    }

    async fn access(
        &self,
        request: &CompletionRequest,
    ) -> Result<(ModelClient, Option<String>), AgentError> {
        let provider = request.provider;
        match &request.access {
            CompletionAccess::Given { base_url, key } => {
                if let Some(base_url) = base_url {
                    check_base_url(self.egress().policy(), base_url, key.is_some())?;
                }
                let egress = self.egress().clone();
                let client = ModelClient::new(egress, provider, base_url.as_deref(), key.clone());
                Ok((client, None))
            }
            CompletionAccess::Stored => {
                let credentials = self.store().credentials(&request.site).await?;
                let mut of_provider = credentials.into_iter();
                let found =
                    of_provider.find(|credential| credential.provider_id == provider.as_str());
                let Some(credential) = found else {
                    return Err(AgentError::Credential(CredentialError::Invalid {
                        field: "config_id",
                        message: format!(
                            "There is no access to {}: name a configuration with `config_id`, or add a key in AI settings.",
                            provider.record().name
                        ),
                    }));
                };
                let client = self.client(&request.site, &credential.id).await?;
                let model = self.default_model(request, &credential.id).await?;
                Ok((client, model))
            }
        }
    }

    async fn default_model(
        &self,
        request: &CompletionRequest,
        credential: &CredentialId,
    ) -> Result<Option<String>, AgentError> {
        let default = self
            .store()
            .ai_default(&request.site, Scope::Breadcrumbs)
            .await?;
        let default = default.filter(|default| default.credential_id == *credential);
        Ok(default.map(|default| default.model_id))
    }

    async fn record(
        &self,
        request: &CompletionRequest,
        model: &str,
        usage: &Usage,
        cost_usd: Option<f64>,
    ) -> Result<(), AgentError> {
        let run = ModelRun {
            site: request.site.clone(),
            turn_id: TurnId::from(request.call.clone()),
            conversation_id: ConversationId::from(request.call.clone()),
            user_id: request.actor.clone(),
            scope: Scope::Breadcrumbs,
            provider: request.provider,
            model_id: model.to_owned(),
        };
        let row = run.row(UsageId::new(), usage, cost_usd, Timestamp::now());
        Ok(self.store().record_usage(&row).await?)
    }
}

fn failure(ending: Ending, text: &str) -> Option<AgentError> {
    match ending {
        Ending::Done => None,
        // What was written before the limit is an answer all the same.
        Ending::CutOff | Ending::OutOfBudget(_) if !text.is_empty() => None,
        Ending::Failed(error) => Some(AgentError::Credential(CredentialError::Provider(error))),
        other => {
            let message = other.failure().map(|failure| failure.message);
            let message = message.unwrap_or_else(|| "The model did not answer.".to_owned());
            Some(AgentError::Credential(CredentialError::Invalid {
                field: "messages",
                message,
            }))
        }
    }
}

/// Collects the answer. No tools are on offer, so there are no batches.
#[derive(Default)]
struct Answer {
    text: String,
    usage: Option<Usage>,
}

impl TurnHost for Answer {
    type Report = ();
    type Batch = Ready<()>;

    fn event(&mut self, event: TurnEvent) -> BoxFuture<'_, ()> {
        match event {
            TurnEvent::Text { text } => self.text.push_str(&text),
            TurnEvent::Usage(usage) => self.usage = Some(usage),
            _ => {}
        }
        Box::pin(ready(()))
    }

    fn run(&mut self, _batch: Vec<ToolCall>, _reports: mpsc::Sender<()>) -> Ready<()> {
        ready(())
    }

    fn report(&mut self, (): ()) -> Option<ToolOutcome> {
        None
    }
}

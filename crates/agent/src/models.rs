//! The models that a credential gives access to: listed live by the provider, and completed from the price list.
//!
//! Lists are cached in memory for a few minutes. No request is sent before there is a credential.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;
use sitewright_egress::Egress;
use sitewright_llm::{
    Catalogue, ErrorClass, ModelError, ModelInfo, ModelPrice, Prices, ProviderId, Rate, Refresh,
    Tier,
};
use sitewright_store::{AiDefault, CredentialId, Secrets, SiteId, Stamp, Store, Timestamp};
use sitewright_tool::Scope;
use tokio::time::timeout;

use crate::credentials::{CredentialError, known};
use crate::prices::KeptPrices;

/// Access to the models of an instance. Cheap to clone; clones share their state.
#[derive(Clone)]
pub struct Models(Arc<Parts>);

struct Parts {
    store: Store,
    secrets: Secrets,
    egress: Egress,
    prices: Prices,
    /// A lock rather than a message, because it is held only for a single map operation.
    lists: Mutex<HashMap<CredentialId, ModelListing>>,
}

/// A cached list, and when it was fetched.
#[derive(Clone)]
struct ModelListing {
    at: Timestamp,
    models: Arc<[ModelInfo]>,
}

/// What a credential gives access to.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Offer {
    /// The models, in the provider's order.
    pub models: Vec<ModelOffer>,
    /// Whether the provider named them; otherwise they are the usual ones, which it may not have.
    pub live: bool,
    /// Why the provider did not name them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

/// A model to choose from.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ModelOffer {
    /// The model.
    #[serde(flatten)]
    pub model: ModelInfo,
    /// What it costs, in US dollars per million tokens; absent when nobody knows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pricing: Option<Quote>,
}

/// What a model costs, in US dollars per million tokens.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Quote {
    /// Input.
    pub prompt: f64,
    /// Output.
    pub completion: f64,
    /// Input from a cache.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_read: Option<f64>,
    /// Input that is written to a cache.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_write: Option<f64>,
}

/// What came of trying a credential.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CredentialTest {
    /// Whether the provider accepts it.
    pub ok: bool,
    /// What happened and what to do, for a person.
    pub message: String,
    /// The kind of failure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<ErrorClass>,
    /// How many models are on offer.
    pub model_count: usize,
}

/// How long a cached list is used.
const FRESH: Duration = Duration::from_secs(5 * 60);
/// Timeout of a request to a provider; shorter than that of the requests we serve, which wait for it.
const PATIENCE: Duration = Duration::from_secs(20);
/// Shorter still, because the request that adds a credential waits for it.
const SEED_PATIENCE: Duration = Duration::from_secs(10);
const CLOSE_PATIENCE: Duration = Duration::from_secs(3);

impl Models {
    /// Creates access to models through this store and egress; `refresh` says where the price list comes from.
    pub fn new(store: Store, secrets: Secrets, egress: Egress, refresh: Refresh) -> Self {
        let kept = Arc::new(KeptPrices(store.clone()));
        Self(Arc::new(Parts {
            prices: Prices::new(egress.clone(), kept, refresh),
            store,
            secrets,
            egress,
            lists: Mutex::default(),
        }))
    }

    /// The models of a credential, with prices and context windows. If the provider fails to list them, returns its fallback models and the
    /// reason.
    pub async fn offer(
        &self,
        site: &SiteId,
        id: &CredentialId,
        now: Timestamp,
    ) -> Result<Offer, CredentialError> {
        let provider = known(&self.store().credential(site, id).await?.provider_id)?;
        let (models, problem) = match self.live(site, id, now).await {
            Ok(models) => (models.to_vec(), None),
            Err(CredentialError::Provider(error)) => (usual(provider), Some(error.to_string())),
            Err(error) => return Err(error),
        };
        let catalogue = self.catalogue(now).await;
        let enriched = models
            .into_iter()
            .map(|model| enriched(provider, model, &catalogue));
        Ok(Offer {
            models: enriched.collect(),
            live: problem.is_none(),
            problem,
        })
    }

    /// The models as the provider lists them, cached for a few minutes.
    pub async fn live(
        &self,
        site: &SiteId,
        id: &CredentialId,
        now: Timestamp,
    ) -> Result<Arc<[ModelInfo]>, CredentialError> {
        // The cache is keyed by credential alone; reading the row checks that the credential belongs to the site.
        let client = self.client(site, id).await?;
        let kept = self.lists().get(id).cloned();
        if let Some(kept) = kept.filter(|kept| now.since(kept.at) < FRESH) {
            return Ok(kept.models);
        }
        let models = in_time(PATIENCE, client.list_models()).await?;
        Ok(self.keep(id, now, models))
    }

    /// Tests a credential against its provider. A rejected credential is an `Ok` result that says why.
    pub async fn test_credential(
        &self,
        site: &SiteId,
        id: &CredentialId,
        now: Timestamp,
    ) -> Result<CredentialTest, CredentialError> {
        let client = self.client(site, id).await?;
        let name = client.provider().record().name;
        let error = match in_time(PATIENCE, client.check()).await {
            Ok(models) => {
                let count = self.keep(id, now, models).len();
                return Ok(CredentialTest {
                    ok: true,
                    message: match count {
                        0 => format!("{name} answers, but has no model that can be used here."),
                        1 => format!("{name} answers and offers one model."),
                        more => format!("{name} answers and offers {more} models."),
                    },
                    code: None,
                    model_count: count,
                });
            }
            Err(error) => error,
        };
        self.forget(id);
        Ok(CredentialTest {
            ok: false,
            message: error.to_string(),
            code: Some(error.class),
            model_count: 0,
        })
    }

    /// Makes a credential the default of every scope that has none, with the smartest model it offers, else the first that can use tools,
    /// else the first. Only models that the provider itself lists are considered; without a list no default is set.
    pub(crate) async fn seed_defaults(&self, site: &SiteId, id: &CredentialId, by: &Stamp) {
        let asking = async {
            let client = self.client(site, id).await?;
            Ok::<_, CredentialError>(in_time(SEED_PATIENCE, client.list_models()).await?)
        };
        let models = match asking.await {
            Ok(models) => self.keep(id, by.at, models),
            Err(error) => {
                tracing::info!(%error, "no defaults were chosen for a new credential");
                return;
            }
        };
        let usable = || models.iter().filter(|model| model.tools != Some(false));
        let chosen = usable().find(|model| model.tier == Some(Tier::Smartest));
        let Some(model) = chosen.or_else(|| usable().next()).or(models.first()) else {
            return;
        };
        for scope in Scope::ALL {
            let default = AiDefault {
                scope,
                credential_id: id.clone(),
                model_id: model.id.clone(),
            };
            if let Err(error) = self.store().seed_ai_default(site, &default, by).await {
                tracing::warn!(%error, "a default for a new credential was not kept");
            }
        }
    }

    /// Waits for background work before the process ends. The timeout keeps a network that is down from delaying the shutdown.
    pub async fn close(&self) {
        if timeout(CLOSE_PATIENCE, self.0.prices.settle())
            .await
            .is_err()
        {
            tracing::debug!("the price list was not waited for");
        }
    }

    pub(crate) fn store(&self) -> &Store {
        &self.0.store
    }

    pub(crate) fn secrets(&self) -> &Secrets {
        &self.0.secrets
    }

    pub(crate) fn egress(&self) -> &Egress {
        &self.0.egress
    }

    pub(crate) fn prices(&self) -> &Prices {
        &self.0.prices
    }

    /// Drops the cached list of a credential.
    pub(crate) fn forget(&self, id: &CredentialId) {
        self.lists().remove(id);
    }

    fn keep(&self, id: &CredentialId, at: Timestamp, models: Vec<ModelInfo>) -> Arc<[ModelInfo]> {
        let models: Arc<[ModelInfo]> = models.into();
        let listed = ModelListing {
            at,
            models: Arc::clone(&models),
        };
        self.lists().insert(id.clone(), listed);
        models
    }

    fn lists(&self) -> std::sync::MutexGuard<'_, HashMap<CredentialId, ModelListing>> {
        // A poisoned lock is safe to use: no operation under it can leave the map in an inconsistent state.
        self.0.lists.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn in_time<T>(
    patience: Duration,
    asking: impl Future<Output = Result<T, ModelError>>,
) -> Result<T, ModelError> {
    match timeout(patience, asking).await {
        Ok(answer) => answer,
        Err(_elapsed) => {
            let detail = format!("no answer within {} s", patience.as_secs());
            Err(ModelError::new(ErrorClass::TimeoutIdle, detail))
        }
    }
}

/// The provider's fallback models, shown while it cannot be reached.
fn usual(provider: ProviderId) -> Vec<ModelInfo> {
    let ids = provider.record().fallback_models.iter();
    ids.map(|id| ModelInfo {
        id: (*id).to_owned(),
        name: (*id).to_owned(),
        ..ModelInfo::default()
    })
    .collect()
}

/// Completes a model from the price list. Prices and context windows that the provider states itself take precedence; models on a
/// local machine have no entry.
fn enriched(provider: ProviderId, mut model: ModelInfo, catalogue: &Catalogue) -> ModelOffer {
    let listed = match provider {
        ProviderId::Anthropic | ProviderId::OpenAi => catalogue.get(&model.id),
        ProviderId::OpenRouter | ProviderId::Ollama | ProviderId::Venice | ProviderId::Offline => {
            None
        }
    };
    if model.context_window.is_none() {
        model.context_window = listed.and_then(|price| price.context_window);
    }
    let price = model.price.as_ref().or(listed);
    ModelOffer {
        pricing: price.and_then(quote),
        model,
    }
}

fn quote(price: &ModelPrice) -> Option<Quote> {
    Some(Quote {
        prompt: price.prompt?.per_million(),
        completion: price.completion?.per_million(),
        cache_read: price.cache_read.map(Rate::per_million),
        cache_write: price.cache_write.map(Rate::per_million),
    })
}

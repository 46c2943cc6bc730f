//! Caches the price list and refreshes it.
//!
//! The cached list is returned at once, whatever its age; one older than six hours is refreshed in the background. No request is sent
//! before the caller permits it, or if refreshing is off. A refresh that fails leaves the cached list unchanged.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::future::BoxFuture;
use serde::{Deserialize, Serialize};
use sitewright_egress::{Egress, Request};
use tokio::sync::OnceCell;
use tokio::task::JoinSet;

use super::Catalogue;

/// How old a list may be before it is refreshed.
const FRESH_MS: i64 = 6 * 60 * 60 * 1000;
/// The pause before a failed refresh is retried.
const RETRY_MS: i64 = 10 * 60 * 1000;
const FETCH_TIME: Duration = Duration::from_secs(30);
const FETCH_BYTES_MAX: u64 = 32 * 1024 * 1024;
/// The default source of the list.
const SOURCE: &str = "https://openrouter.ai/api/v1/models";

/// A list and the time it was fetched.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StoredCatalogue {
    /// Milliseconds since 1970.
    pub fetched_at_ms: i64,
    pub catalogue: Catalogue,
}

/// Durable storage for the list, so that it survives a restart.
pub trait PriceStore: Send + Sync {
    /// Returns the list that was saved last; `None` if there is none, or if it cannot be read.
    fn load(&self) -> BoxFuture<'_, Option<StoredCatalogue>>;
    /// Saves a list; an error is logged and otherwise ignored.
    fn save(&self, stored: StoredCatalogue) -> BoxFuture<'_, Result<(), String>>;
}

/// Whether and from where the list is fetched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refresh {
    /// Never.
    Off,
    /// From OpenRouter.
    On,
    /// From another URL that serves the same format.
    From(String),
}

/// Whether requests for the list are allowed yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutgoingPermission {
    /// A credential exists.
    Allowed,
    /// No provider is set up, so no request may be sent.
    NotYet,
}

/// The price list, shared by everything that needs it.
pub struct Prices {
    egress: Egress,
    store: Arc<dyn PriceStore>,
    source: Option<String>,
    loaded: OnceCell<()>,
    /// A lock rather than a message: readers only clone an `Arc`, and must not wait for a task.
    memo: Arc<Mutex<Memo>>,
    tasks: Mutex<JoinSet<()>>,
}

struct Memo {
    catalogue: Arc<Catalogue>,
    fetched_at_ms: Option<i64>,
    tried_at_ms: Option<i64>,
    refreshing: bool,
}

impl Prices {
    /// Creates a list that starts with what `store` has, else with the built-in one.
    pub fn new(egress: Egress, store: Arc<dyn PriceStore>, refresh: Refresh) -> Self {
        let source = match refresh {
            Refresh::Off => None,
            Refresh::On => Some(SOURCE.to_owned()),
            Refresh::From(url) => Some(url),
        };
        let memo = Memo {
            catalogue: Catalogue::bundled(),
            fetched_at_ms: None,
            tried_at_ms: None,
            refreshing: false,
        };
        Self {
            egress,
            store,
            source,
            loaded: OnceCell::new(),
            memo: Arc::new(Mutex::new(memo)),
            tasks: Mutex::new(JoinSet::new()),
        }
    }

    /// Returns the cached list without waiting for the network. Starts a refresh in the background if one is due.
    pub async fn catalogue(&self, now_ms: i64, outside: OutgoingPermission) -> Arc<Catalogue> {
        self.loaded
            .get_or_init(|| async {
                if let Some(stored) = self.store.load().await {
                    let mut memo = lock(&self.memo);
                    memo.catalogue = Arc::new(stored.catalogue);
                    memo.fetched_at_ms = Some(stored.fetched_at_ms);
                }
            })
            .await;
        let (catalogue, due) = {
            let mut memo = lock(&self.memo);
            let due = outside == OutgoingPermission::Allowed
                && self.source.is_some()
                && memo.is_due(now_ms);
            if due {
                memo.refreshing = true;
                memo.tried_at_ms = Some(now_ms);
            }
            (Arc::clone(&memo.catalogue), due)
        };
        if due {
            self.refresh(now_ms);
        }
        catalogue
    }

    /// Waits for a running refresh, before the process ends.
    pub async fn settle(&self) {
        let mut tasks = std::mem::take(&mut *lock(&self.tasks));
        while tasks.join_next().await.is_some() {}
    }

    fn refresh(&self, now_ms: i64) {
        let Some(source) = self.source.clone() else {
            return;
        };
        let (egress, store, memo) = (
            self.egress.clone(),
            Arc::clone(&self.store),
            Arc::clone(&self.memo),
        );
        let mut tasks = lock(&self.tasks);
        // Finished refreshes stay in the set until they are joined.
        while tasks.try_join_next().is_some() {}
        tasks.spawn(async move {
            let fetched = fetch(&egress, source).await;
            let saved = {
                let mut memo = lock(&memo);
                memo.refreshing = false;
                fetched.map(|catalogue| {
                    memo.catalogue = Arc::new(catalogue.clone());
                    memo.fetched_at_ms = Some(now_ms);
                    StoredCatalogue {
                        fetched_at_ms: now_ms,
                        catalogue,
                    }
                })
            };
            let result = match saved {
                Ok(stored) => store.save(stored).await,
                Err(problem) => Err(problem),
            };
            if let Err(problem) = result {
                tracing::warn!(%problem, "the price list was not refreshed; the old one stays");
            }
        });
    }
}

impl Memo {
    fn is_due(&self, now_ms: i64) -> bool {
        let past = |time: Option<i64>, span: i64| time.is_none_or(|time| now_ms - time >= span);
        !self.refreshing && past(self.fetched_at_ms, FRESH_MS) && past(self.tried_at_ms, RETRY_MS)
    }
}

async fn fetch(egress: &Egress, source: String) -> Result<Catalogue, String> {
    let request = Request::get(source)
        .with_total(FETCH_TIME)
        .with_max_body(FETCH_BYTES_MAX);
    let response = egress
        .send(request)
        .await
        .map_err(|error| error.to_string())?;
    if !response.status.is_success() {
        return Err(format!("it answered {}", response.status));
    }
    let body = response
        .body
        .collect()
        .await
        .map_err(|error| error.to_string())?;
    Catalogue::from_openrouter(&body).map_err(|error| error.to_string())
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    // A poisoned lock is safe to use: no operation under it can leave an inconsistent state.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

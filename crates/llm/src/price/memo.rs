//! Keeps the list at hand and fresh.
//!
//! What is in memory is answered at once, whatever its age; a list older than six hours is fetched again behind the scenes.
//! Nothing goes outside before the caller says that it may, or when it is switched off. A refresh that fails changes nothing.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::future::BoxFuture;
use serde::{Deserialize, Serialize};
use sitewright_egress::{Egress, Request};
use tokio::sync::OnceCell;
use tokio::task::JoinSet;

use super::Catalogue;

/// How long a list is good.
const FRESH_MS: i64 = 6 * 60 * 60 * 1000;
/// How long a failed refresh is not tried again.
const RETRY_MS: i64 = 10 * 60 * 1000;
const FETCH_TIME: Duration = Duration::from_secs(30);
const FETCH_BYTES_MAX: u64 = 32 * 1024 * 1024;
/// Where the list is.
const SOURCE: &str = "https://openrouter.ai/api/v1/models";

/// A list with the time it was fetched.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StoredCatalogue {
    /// Milliseconds since 1970.
    pub fetched_at_ms: i64,
    /// The list.
    pub catalogue: Catalogue,
}

/// Where a list survives a restart.
pub trait PriceStore: Send + Sync {
    /// The list that was saved last. What cannot be read is none.
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
    /// From another place that answers the same.
    From(String),
}

/// Whether anything may go outside yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutgoingPermission {
    /// A credential exists.
    Allowed,
    /// Nobody has set up a provider: nothing goes out.
    NotYet,
}

/// The list of prices, shared by everything that needs one.
pub struct Prices {
    egress: Egress,
    store: Arc<dyn PriceStore>,
    source: Option<String>,
    loaded: OnceCell<()>,
    /// A lock and not a message: readers take a copy of a pointer and must not wait for a task.
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
    /// A list that starts with what `store` has, else with the built-in one.
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

    /// The list as it is known, at once. Starts a refresh in the background when it is due.
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

    /// Waits for a refresh that is under way, before the end of the process.
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
        // Refreshes that have ended leave their results here.
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
    // Nothing that is done under the locks can leave half a state.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

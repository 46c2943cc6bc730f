//! Refused requests as entries of the audit log and as metrics. A flood of them must not become a flood of writes: the first of a kind
//! from a caller is written at once, and the rest of the same minute are counted into one entry.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use serde_json::json;
use sitewright_store::{Actor, Refusal, RefusalKind, SiteId, Stamp, Store, StoreError, Timestamp};

const WINDOW: Duration = Duration::from_secs(60);
/// How many different callers are told apart in a minute; the others are counted together.
const CALLERS_MAX: usize = 1000;

/// A refused request: what was refused, to whom, and where they came from.
#[derive(Debug, Clone)]
pub(crate) struct RefusedRequest {
    pub(crate) kind: RefusalKind,
    pub(crate) actor: Actor,
    pub(crate) site: Option<SiteId>,
    pub(crate) address: String,
    /// The account, route or capability.
    pub(crate) subject: String,
}

/// The refusals of this minute.
#[derive(Debug, Default)]
pub(crate) struct Refusals {
    seen: Mutex<HashMap<Key, Repeats>>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Key {
    kind: &'static str,
    /// Who, or from where.
    caller: String,
}

#[derive(Debug)]
struct Repeats {
    first: RefusedRequest,
    since: Timestamp,
    /// How many came after the first.
    more: u64,
}

impl Refusals {
    /// Counts a refusal, and writes it to the log when it is the first of its kind from this caller in a minute.
    pub(crate) async fn note(&self, store: &Store, refused: RefusedRequest, now: Timestamp) {
        metrics::counter!("sitewright_refusals_total", "kind" => refused.kind.action())
            .increment(1);
        self.flush(store, now).await;
        if let Some(first) = self.count(refused, now) {
            save(store, &first, 1, now).await;
        }
    }

    /// Writes the counts of windows that are over.
    pub(crate) async fn flush(&self, store: &Store, now: Timestamp) {
        for repeats in self.take_ended(|since| now.since(since) >= WINDOW) {
            save(store, &repeats.first, repeats.more, now).await;
        }
    }

    /// Writes all counts, before the process ends.
    pub(crate) async fn flush_all(&self, store: &Store, now: Timestamp) {
        for repeats in self.take_ended(|_since| true) {
            save(store, &repeats.first, repeats.more, now).await;
        }
    }

    fn count(&self, refused: RefusedRequest, now: Timestamp) -> Option<RefusedRequest> {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let caller = match &refused.actor {
            Actor::Anonymous => refused.address.clone(),
            actor => actor.to_string(),
        };
        let mut key = Key {
            kind: refused.kind.action(),
            caller,
        };
        if seen.len() >= CALLERS_MAX && !seen.contains_key(&key) {
            key.caller.clear();
        }
        if let Some(repeats) = seen.get_mut(&key) {
            repeats.more += 1;
            return None;
        }
        let first = refused.clone();
        seen.insert(
            key,
            Repeats {
                first,
                since: now,
                more: 0,
            },
        );
        Some(refused)
    }

    fn take_ended(&self, is_over: impl Fn(Timestamp) -> bool) -> Vec<Repeats> {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let ended = seen.extract_if(|_, repeats| is_over(repeats.since));
        ended
            .map(|(_, repeats)| repeats)
            .filter(|repeats| repeats.more > 0)
            .collect()
    }
}

/// Writes an entry. The request has been refused already, so a log that cannot be written is only reported.
async fn save(store: &Store, refused: &RefusedRequest, count: u64, now: Timestamp) {
    let refusal = Refusal {
        kind: refused.kind,
        site: refused.site.as_ref(),
        subject: &refused.subject,
        detail: json!({ "address": refused.address, "count": count }),
    };
    let by = Stamp {
        actor: refused.actor.clone(),
        at: now,
    };
    let saved: Result<(), StoreError> = store.record_refusal(refusal, &by).await;
    if let Err(error) = saved {
        tracing::warn!(
            error = &error as &dyn std::error::Error,
            "a refused request could not be recorded"
        );
    }
}

//! Notifies waiters of changes: on this node directly, on other nodes through Postgres notifications.

use std::sync::{Arc, Mutex, PoisonError};

use sqlx::AnyConnection;
use sqlx::postgres::PgListener;
use tokio::sync::broadcast;
use tokio::task::JoinSet;

use crate::{DatabaseKind, SiteId, Store, StoreError};

/// The notifications about changes of sites.
pub(crate) const CHANGES: &str = "sitewright_changes";
/// The notifications about breadcrumbs, apart from those of changes: a busy stream of records must not wake every open editor.
pub(crate) const BREADCRUMBS: &str = "sitewright_breadcrumbs";
/// How many notifications a slow waiter may fall behind. Lagging counts as a notification, so it never misses that something changed.
const BELLS: usize = 256;

/// Notifies waiters when a site changes.
#[derive(Debug, Clone)]
pub(crate) struct Bell {
    channel: &'static str,
    /// Carries the site, or none if any site may have changed.
    sender: broadcast::Sender<Option<SiteId>>,
    /// The task that listens to other nodes, started by the first waiter.
    listening: Arc<Mutex<JoinSet<Result<(), sqlx::Error>>>>,
}

impl Bell {
    pub(crate) fn new(channel: &'static str) -> Self {
        Self {
            channel,
            sender: broadcast::Sender::new(BELLS),
            listening: Arc::default(),
        }
    }

    pub(crate) fn ring(&self, site: &SiteId) {
        // Sending fails if there are no waiters, which is fine.
        drop(self.sender.send(Some(site.clone())));
    }

    /// Stops listening to other nodes.
    pub(crate) fn close(&self) {
        let mut listening = self
            .listening
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        listening.abort_all();
    }
}

/// A waiter for changes of a site.
#[derive(Debug)]
pub struct Wake {
    site: SiteId,
    bells: broadcast::Receiver<Option<SiteId>>,
}

impl Wake {
    /// Waits until the site may have changed since the last call. Returns false when there will be no more changes.
    pub async fn changed(&mut self) -> bool {
        loop {
            match self.bells.recv().await {
                Ok(Some(site)) if site != self.site => {}
                Ok(_) | Err(broadcast::error::RecvError::Lagged(_)) => return true,
                Err(broadcast::error::RecvError::Closed) => return false,
            }
        }
    }
}

impl Store {
    /// Returns a waiter for changes of a site from now on, on whichever node they are committed.
    pub fn wake(&self, site: &SiteId) -> Wake {
        self.wake_by(&self.bell, site)
    }

    /// Returns a waiter for new events of a site's breadcrumbs, like [`wake`](Self::wake).
    pub fn wake_for_breadcrumbs(&self, site: &SiteId) -> Wake {
        self.wake_by(&self.breadcrumb_bell, site)
    }

    fn wake_by(&self, bell: &Bell, site: &SiteId) -> Wake {
        if let Some(address) = &self.postgres {
            bell.listen(address);
        }
        Wake {
            site: site.clone(),
            bells: bell.sender.subscribe(),
        }
    }
}

impl Bell {
    fn listen(&self, address: &str) {
        let bell = self.clone();
        let mut listening = bell
            .listening
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        // A listener that ended could not reach the database; a new one is started.
        while listening.try_join_next().is_some() {}
        if listening.is_empty() {
            listening.spawn(hear(address.to_owned(), self.clone()));
        }
    }
}

/// Forwards the notifications of other nodes. Ends if the database cannot be reached at all; the next waiter starts it again, and
/// waiters poll the log at intervals in any case.
async fn hear(address: String, bell: Bell) -> Result<(), sqlx::Error> {
    let Bell {
        channel, sender, ..
    } = bell;
    let mut listener = PgListener::connect(&address).await?;
    listener.listen(channel).await?;
    // What was committed between the first `wake` and this moment was not received here.
    drop(sender.send(None));
    loop {
        let heard = listener.try_recv().await?;
        // None means that the connection was lost and re-established, so notifications may have been missed.
        let site = heard.map(|heard| SiteId::from(heard.payload().to_owned()));
        drop(sender.send(site));
    }
}

/// Notifies other nodes when the transaction commits.
pub(crate) async fn announce(
    store: &Store,
    write: &mut AnyConnection,
    site: &SiteId,
) -> Result<(), StoreError> {
    announce_on(CHANGES, store, write, site).await
}

/// The same on any channel.
pub(crate) async fn announce_on(
    channel: &'static str,
    store: &Store,
    write: &mut AnyConnection,
    site: &SiteId,
) -> Result<(), StoreError> {
    match store.backend() {
        DatabaseKind::Sqlite => {}
        DatabaseKind::Postgres => {
            sqlx::query("SELECT pg_notify($1, $2)::TEXT")
                .bind(channel)
                .bind(site.as_str())
                .execute(write)
                .await?;
        }
    }
    Ok(())
}

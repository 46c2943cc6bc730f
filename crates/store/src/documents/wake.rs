//! Waking those who wait for changes: on this node at once, on other nodes of a Postgres by its notifications.

use std::sync::{Arc, Mutex, PoisonError};

use sqlx::AnyConnection;
use sqlx::postgres::PgListener;
use tokio::sync::broadcast;
use tokio::task::JoinSet;

use crate::{Backend, SiteId, Store, StoreError};

const CHANNEL: &str = "sitewright_changes";
/// How many bells may ring before a slow waiter is told that it missed some, which is a bell as well.
const BELLS: usize = 256;

/// Rings when a site has changed.
#[derive(Debug, Clone)]
pub(crate) struct Bell {
    /// Names the site, or none when any of them may have changed.
    sender: broadcast::Sender<Option<SiteId>>,
    /// Listens to other nodes, from the first waiter on.
    listening: Arc<Mutex<JoinSet<Result<(), sqlx::Error>>>>,
}

impl Default for Bell {
    fn default() -> Self {
        Self {
            sender: broadcast::Sender::new(BELLS),
            listening: Arc::default(),
        }
    }
}

impl Bell {
    pub(crate) fn ring(&self, site: &SiteId) {
        // Nobody may be waiting.
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

/// Waits for changes of a site.
#[derive(Debug)]
pub struct Wake {
    site: SiteId,
    bells: broadcast::Receiver<Option<SiteId>>,
}

impl Wake {
    /// Waits until the site may have changed since the last call. False when there will be no more changes.
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
    /// Waits for changes of a site from now on, wherever they are committed.
    pub fn wake(&self, site: &SiteId) -> Wake {
        if let Some(address) = &self.postgres {
            self.listen(address);
        }
        Wake {
            site: site.clone(),
            bells: self.bell.sender.subscribe(),
        }
    }

    fn listen(&self, address: &str) {
        let bell = self.bell.clone();
        let mut listening = bell
            .listening
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        // One that ended could not reach the database.
        while listening.try_join_next().is_some() {}
        if listening.is_empty() {
            listening.spawn(hear(address.to_owned(), self.bell.sender.clone()));
        }
    }
}

/// Passes on what other nodes announce. Ends when the database cannot be reached at all; the next waiter tries again, and
/// those who wait look at the log now and then in any case.
async fn hear(
    address: String,
    sender: broadcast::Sender<Option<SiteId>>,
) -> Result<(), sqlx::Error> {
    let mut listener = PgListener::connect(&address).await?;
    listener.listen(CHANNEL).await?;
    // What was committed between the first `wake` and this moment was announced to nobody here.
    drop(sender.send(None));
    loop {
        let heard = listener.try_recv().await?;
        // Without one, the connection was lost and made again, and what was missed is not known.
        let site = heard.map(|heard| SiteId::from(heard.payload().to_owned()));
        drop(sender.send(site));
    }
}

/// Tells other nodes, when the transaction is committed.
pub(crate) async fn announce(
    store: &Store,
    write: &mut AnyConnection,
    site: &SiteId,
) -> Result<(), StoreError> {
    match store.backend() {
        Backend::Sqlite => {}
        Backend::Postgres => {
            sqlx::query("SELECT pg_notify($1, $2)::TEXT")
                .bind(CHANNEL)
                .bind(site.as_str())
                .execute(write)
                .await?;
        }
    }
    Ok(())
}

//! The price list of models: stored, so that a start needs no network, and never fetched before a credential exists.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use sitewright_llm::{Catalogue, OutgoingPermission, PriceStore, StoredCatalogue};
use sitewright_store::{Store, StoreError, StoredPrices, Timestamp};

use crate::Models;

impl Models {
    /// Returns the known prices without waiting. A refresh that is due runs in the background.
    pub async fn catalogue(&self, now: Timestamp) -> Arc<Catalogue> {
        let outside = match self.store().has_credentials().await {
            Ok(true) => OutgoingPermission::Allowed,
            // If the store cannot be read, no request is allowed.
            Ok(false) | Err(_) => OutgoingPermission::NotYet,
        };
        self.prices().catalogue(now.millis(), outside).await
    }
}

/// Stores the price list in the database.
pub(crate) struct KeptPrices(pub(crate) Store);

impl PriceStore for KeptPrices {
    fn load(&self) -> BoxFuture<'_, Option<StoredCatalogue>> {
        Box::pin(async {
            let kept = self.0.prices().await.ok()??;
            Some(StoredCatalogue {
                fetched_at_ms: kept.fetched_at.millis(),
                catalogue: serde_json::from_str(&kept.catalogue).ok()?,
            })
        })
    }

    fn save(&self, stored: StoredCatalogue) -> BoxFuture<'_, Result<(), String>> {
        Box::pin(async move {
            let catalogue =
                serde_json::to_string(&stored.catalogue).map_err(|error| error.to_string())?;
            let prices = StoredPrices {
                fetched_at: Timestamp::from_millis(stored.fetched_at_ms),
                catalogue,
            };
            let kept = self.0.keep_prices(&prices).await;
            kept.map_err(|error: StoreError| error.to_string())
        })
    }
}

//! The list of model prices, stored as text. Only `llm` interprets it.

use sqlx::Row;

use crate::{Store, StoreError, Timestamp};

/// A list of prices as it was fetched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredPrices {
    pub fetched_at: Timestamp,
    /// The list, as JSON.
    pub catalogue: String,
}

impl Store {
    /// The stored list.
    pub async fn prices(&self) -> Result<Option<StoredPrices>, StoreError> {
        let row = sqlx::query("SELECT fetched_at, catalogue FROM ai_prices WHERE id = 1")
            .fetch_optional(self.reader())
            .await?;
        row.map(|row| {
            Ok(StoredPrices {
                fetched_at: Timestamp::from_millis(row.try_get("fetched_at")?),
                catalogue: row.try_get("catalogue")?,
            })
        })
        .transpose()
    }

    /// Stores a list, unless another node has stored a newer one.
    pub async fn keep_prices(&self, prices: &StoredPrices) -> Result<(), StoreError> {
        let mut write = self.write().await?;
        sqlx::query(
            "INSERT INTO ai_prices (id, fetched_at, catalogue) VALUES (1, $1, $2) \
             ON CONFLICT (id) DO UPDATE SET fetched_at = excluded.fetched_at, catalogue = excluded.catalogue \
             WHERE excluded.fetched_at >= ai_prices.fetched_at",
        )
        .bind(prices.fetched_at.millis())
        .bind(&prices.catalogue)
        .execute(&mut *write)
        .await?;
        Ok(write.commit().await?)
    }
}

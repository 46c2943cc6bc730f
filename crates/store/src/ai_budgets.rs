//! What the turns of a site may use. Caps apply even if no one has set them.

use serde::{Deserialize, Serialize};
use serde_json::json;
use sqlx::Row;

use crate::audit::Record;
use crate::{SiteId, Stamp, Store, StoreError};

/// The caps of a site. Within a turn, cost caps only work where a price is known, so tokens have their own caps; in the sum of a month, a
/// run without a known price counts at an assumed one.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct AiBudget {
    /// US dollars per turn; none means no cap.
    pub turn_usd: Option<f64>,
    /// Input and output tokens per turn.
    pub turn_tokens: u64,
    /// Rounds with the model per turn.
    pub turn_rounds: u32,
    /// Minutes per turn; waiting for a person does not count.
    pub turn_minutes: u32,
    /// US dollars per person and calendar month (UTC); none means no cap.
    pub user_month_usd: Option<f64>,
    /// Input and output tokens per person and calendar month (UTC); none means no cap.
    pub user_month_tokens: Option<u64>,
}

impl Default for AiBudget {
    fn default() -> Self {
        Self {
            turn_usd: Some(2.0),
            turn_tokens: 2_000_000,
            turn_rounds: 50,
            turn_minutes: 30,
            user_month_usd: Some(50.0),
            user_month_tokens: Some(200_000_000),
        }
    }
}

impl Store {
    /// The caps of a site.
    pub async fn ai_budget(&self, site: &SiteId) -> Result<AiBudget, StoreError> {
        let row = sqlx::query("SELECT caps FROM ai_budgets WHERE site_id = $1")
            .bind(site.as_str())
            .fetch_optional(self.reader())
            .await?;
        let Some(row) = row else {
            return Ok(AiBudget::default());
        };
        let corrupt = |_error| StoreError::Corrupt { what: "AI budget" };
        serde_json::from_str(row.try_get("caps")?).map_err(corrupt)
    }

    /// Sets the caps of a site.
    pub async fn set_ai_budget(
        &self,
        site: &SiteId,
        budget: &AiBudget,
        by: &Stamp,
    ) -> Result<(), StoreError> {
        let caps = json!(budget);
        let mut write = self.write().await?;
        sqlx::query(
            "INSERT INTO ai_budgets (site_id, caps) VALUES ($1, $2) \
             ON CONFLICT (site_id) DO UPDATE SET caps = excluded.caps",
        )
        .bind(site.as_str())
        .bind(caps.to_string())
        .execute(&mut *write)
        .await?;
        Record::of("ai.budget.set")
            .on(site)
            .with(caps)
            .save(&mut write, by)
            .await?;
        self.commit(write).await
    }
}

//! The policy of a site, as text. Only the runtime interprets it.

use serde_json::json;
use sqlx::Row;

use crate::audit::Record;
use crate::{SiteId, Stamp, Store, StoreError};

/// A site's own policy texts.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SitePolicy {
    /// The policy in force; none while the site uses the one that Sitewright ships with.
    pub active: Option<String>,
    /// A policy that is evaluated next to the active one, but decides nothing.
    pub candidate: Option<String>,
}

impl Store {
    /// The policy of a site.
    pub async fn policy(&self, site: &SiteId) -> Result<SitePolicy, StoreError> {
        let row = sqlx::query("SELECT active, candidate FROM policies WHERE site_id = $1")
            .bind(site.as_str())
            .fetch_optional(self.reader())
            .await?;
        row.map_or(Ok(SitePolicy::default()), |row| {
            Ok(SitePolicy {
                active: row.try_get("active")?,
                candidate: row.try_get("candidate")?,
            })
        })
    }

    /// Replaces the policy of a site. The activity log gets the text, so that every version can be found again.
    pub async fn set_policy(
        &self,
        site: &SiteId,
        policy: &SitePolicy,
        by: &Stamp,
    ) -> Result<(), StoreError> {
        let mut write = self.write().await?;
        sqlx::query(
            "INSERT INTO policies (site_id, active, candidate) VALUES ($1, $2, $3) \
             ON CONFLICT (site_id) DO UPDATE SET active = excluded.active, candidate = excluded.candidate",
        )
        .bind(site.as_str())
        .bind(policy.active.as_deref())
        .bind(policy.candidate.as_deref())
        .execute(&mut *write)
        .await?;
        Record::of("policy.changed")
            .on(site)
            .with(json!({ "active": policy.active, "candidate": policy.candidate }))
            .save(&mut write, by)
            .await?;
        self.commit(write).await
    }
}

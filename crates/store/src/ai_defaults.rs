//! The default model for new conversations, per scope.

use serde_json::json;
use sitewright_tool::Scope;
use sqlx::Row;
use sqlx::any::AnyRow;

use crate::audit::Record;
use crate::credentials::is_reference;
use crate::{CredentialId, SiteId, Stamp, Store, StoreError};

/// The default model of a scope.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AiDefault {
    pub scope: Scope,
    /// The credential to use.
    pub credential_id: CredentialId,
    /// The model, as its provider names it.
    pub model_id: String,
}

impl Store {
    /// The defaults of a site, in the order of the scopes.
    pub async fn ai_defaults(&self, site: &SiteId) -> Result<Vec<AiDefault>, StoreError> {
        let rows = sqlx::query("SELECT * FROM ai_defaults WHERE site_id = $1")
            .bind(site.as_str())
            .fetch_all(self.reader())
            .await?;
        let mut defaults: Vec<AiDefault> = rows.iter().map(read).collect::<Result<_, _>>()?;
        defaults.sort_by_key(|default| default.scope);
        Ok(defaults)
    }

    /// The default of a scope.
    pub async fn ai_default(
        &self,
        site: &SiteId,
        scope: Scope,
    ) -> Result<Option<AiDefault>, StoreError> {
        let row = sqlx::query("SELECT * FROM ai_defaults WHERE site_id = $1 AND scope = $2")
            .bind(site.as_str())
            .bind(scope.as_str())
            .fetch_optional(self.reader())
            .await?;
        row.as_ref().map(read).transpose()
    }

    /// Sets the default of a scope. The credential must belong to the site.
    pub async fn set_ai_default(
        &self,
        site: &SiteId,
        default: &AiDefault,
        by: &Stamp,
    ) -> Result<(), StoreError> {
        let sql = "INSERT INTO ai_defaults (site_id, scope, credential_id, model_id) \
             SELECT $1, $2, id, $4 FROM ai_credentials WHERE id = $3 AND site_id = $1 \
             ON CONFLICT (site_id, scope) DO UPDATE SET credential_id = excluded.credential_id, model_id = excluded.model_id";
        self.write_default(sql, site, default, by)
            .await?
            .then_some(())
            .ok_or(StoreError::NotFound { what: "credential" })
    }

    /// Sets the default of a scope that has none, and returns whether it did.
    pub async fn seed_ai_default(
        &self,
        site: &SiteId,
        default: &AiDefault,
        by: &Stamp,
    ) -> Result<bool, StoreError> {
        let sql = "INSERT INTO ai_defaults (site_id, scope, credential_id, model_id) \
             SELECT $1, $2, id, $4 FROM ai_credentials WHERE id = $3 AND site_id = $1 \
             ON CONFLICT (site_id, scope) DO NOTHING";
        self.write_default(sql, site, default, by).await
    }

    /// Removes the default of a scope. Succeeds if there is none.
    pub async fn clear_ai_default(
        &self,
        site: &SiteId,
        scope: Scope,
        by: &Stamp,
    ) -> Result<(), StoreError> {
        let mut write = self.write().await?;
        let cleared = sqlx::query("DELETE FROM ai_defaults WHERE site_id = $1 AND scope = $2")
            .bind(site.as_str())
            .bind(scope.as_str())
            .execute(&mut *write)
            .await?;
        if cleared.rows_affected() > 0 {
            Record::of("ai.default.cleared")
                .on(site)
                .about(scope.as_str())
                .save(&mut write, by)
                .await?;
        }
        self.commit(write).await
    }

    async fn write_default(
        &self,
        sql: &'static str,
        site: &SiteId,
        default: &AiDefault,
        by: &Stamp,
    ) -> Result<bool, StoreError> {
        let mut write = self.write().await?;
        let written = sqlx::query(sql)
            .bind(site.as_str())
            .bind(default.scope.as_str())
            .bind(default.credential_id.as_str())
            .bind(&default.model_id)
            .execute(&mut *write)
            .await;
        match written {
            Ok(done) if done.rows_affected() > 0 => (),
            Ok(_nothing) => return Ok(false),
            // Another node removed the credential at the same time.
            Err(error) if is_reference(&error) => return Ok(false),
            Err(error) => return Err(error.into()),
        }
        Record::of("ai.default.set")
            .on(site)
            .about(default.scope.as_str())
            .with(json!({ "credential": default.credential_id, "model": default.model_id }))
            .save(&mut write, by)
            .await?;
        self.commit(write).await?;
        Ok(true)
    }
}

fn read(row: &AnyRow) -> Result<AiDefault, StoreError> {
    let written: &str = row.try_get("scope")?;
    let scope = Scope::ALL
        .into_iter()
        .find(|scope| scope.as_str() == written);
    Ok(AiDefault {
        scope: scope.ok_or(StoreError::Corrupt { what: "default" })?,
        credential_id: CredentialId::from(row.try_get::<String, _>("credential_id")?),
        model_id: row.try_get("model_id")?,
    })
}

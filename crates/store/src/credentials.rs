//! Credentials of model providers. The key is encrypted and only decrypted for calls to the provider; everything else reads the
//! rest of the row. Only `agent` knows which providers exist and what they need.

use secrecy::SecretString;
use serde_json::json;
use sqlx::Row;
use sqlx::any::AnyRow;

use crate::audit::Record;
use crate::{CredentialId, Secrets, SiteId, Stamp, Store, StoreError, Timestamp};

/// A credential for a provider, without its secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Credential {
    pub id: CredentialId,
    pub site: SiteId,
    pub provider_id: String,
    pub label: String,
    /// The provider's address; none for its default.
    pub base_url: Option<String>,
    pub has_key: bool,
    pub created_at: Timestamp,
}

/// A credential to add.
#[derive(Debug, Clone, Copy)]
pub struct NewCredential<'a> {
    pub site: &'a SiteId,
    pub provider_id: &'a str,
    pub label: &'a str,
    /// The provider's address; none for its default.
    pub base_url: Option<&'a str>,
    pub key: Option<&'a SecretString>,
}

/// A partial update of a credential; `None` leaves a part as it is.
#[derive(Debug, Clone, Copy, Default)]
pub struct CredentialChange<'a> {
    pub label: Option<&'a str>,
    /// The provider's address; `Some(None)` resets it to the default.
    pub base_url: Option<Option<&'a str>>,
    /// The key; `Some(None)` removes it.
    pub key: Option<Option<&'a SecretString>>,
}

/// What is needed to call a provider.
#[derive(Debug, Clone)]
pub struct CredentialSecret {
    pub provider_id: String,
    /// The provider's address; none for its default.
    pub base_url: Option<String>,
    pub key: Option<SecretString>,
}

impl Store {
    /// The credentials of a site, oldest first.
    pub async fn credentials(&self, site: &SiteId) -> Result<Vec<Credential>, StoreError> {
        let rows =
            sqlx::query("SELECT * FROM ai_credentials WHERE site_id = $1 ORDER BY created_at, id")
                .bind(site.as_str())
                .fetch_all(self.reader())
                .await?;
        rows.iter().map(read).collect()
    }

    /// One credential of a site.
    pub async fn credential(
        &self,
        site: &SiteId,
        id: &CredentialId,
    ) -> Result<Credential, StoreError> {
        read(&self.credential_row(site, id).await?)
    }

    /// What is needed to call the provider of a credential.
    pub async fn credential_secret(
        &self,
        site: &SiteId,
        id: &CredentialId,
        secrets: &Secrets,
    ) -> Result<CredentialSecret, StoreError> {
        let row = self.credential_row(site, id).await?;
        let sealed: Option<&str> = row.try_get("sealed_key")?;
        let key = sealed
            .map(|sealed| secrets.open_sealed(site, &bound_name(id), sealed))
            .transpose()?;
        Ok(CredentialSecret {
            provider_id: row.try_get("provider_id")?,
            base_url: row.try_get("base_url")?,
            key,
        })
    }

    /// Whether any site of the instance has a credential.
    pub async fn has_credentials(&self) -> Result<bool, StoreError> {
        let row = sqlx::query("SELECT id FROM ai_credentials LIMIT 1")
            .fetch_optional(self.reader())
            .await?;
        Ok(row.is_some())
    }

    /// Removes a credential. Fails if it is the default of any scope; the error names the scopes.
    pub async fn remove_credential(
        &self,
        site: &SiteId,
        id: &CredentialId,
        by: &Stamp,
    ) -> Result<(), StoreError> {
        let mut write = self.write().await?;
        let removed = sqlx::query(
            "DELETE FROM ai_credentials WHERE site_id = $1 AND id = $2 \
             AND NOT EXISTS (SELECT 1 FROM ai_defaults WHERE credential_id = $2)",
        )
        .bind(site.as_str())
        .bind(id.as_str())
        .execute(&mut *write)
        .await;
        let removed = match removed {
            Ok(done) => done.rows_affected() > 0,
            // Another node stored a default with it at the same time.
            Err(error) if is_reference(&error) => false,
            Err(error) => return Err(error.into()),
        };
        if !removed {
            write.rollback().await?;
            return Err(self.why_it_stays(site, id).await?);
        }
        Record::of("ai.credential.removed")
            .on(site)
            .about(id.as_str())
            .save(&mut write, by)
            .await?;
        self.commit(write).await
    }

    async fn why_it_stays(
        &self,
        site: &SiteId,
        id: &CredentialId,
    ) -> Result<StoreError, StoreError> {
        self.credential(site, id).await?;
        let rows =
            sqlx::query("SELECT scope FROM ai_defaults WHERE credential_id = $1 ORDER BY scope")
                .bind(id.as_str())
                .fetch_all(self.reader())
                .await?;
        let scopes: Result<Vec<String>, _> = rows.iter().map(|row| row.try_get("scope")).collect();
        Ok(StoreError::InUse {
            what: "the credential",
            by: format!("it is the default for {}", scopes?.join(", ")),
        })
    }

    async fn credential_row(&self, site: &SiteId, id: &CredentialId) -> Result<AnyRow, StoreError> {
        sqlx::query("SELECT * FROM ai_credentials WHERE site_id = $1 AND id = $2")
            .bind(site.as_str())
            .bind(id.as_str())
            .fetch_optional(self.reader())
            .await?
            .ok_or(NO_CREDENTIAL)
    }
}

impl Secrets {
    /// Adds a credential.
    pub async fn add_credential(
        &self,
        new: &NewCredential<'_>,
        by: &Stamp,
    ) -> Result<Credential, StoreError> {
        let id = CredentialId::new();
        let sealed = self.sealed_key(new.site, &id, new.key)?;
        let mut write = self.store().write().await?;
        self.require_current_key(&mut write).await?;
        sqlx::query(
            "INSERT INTO ai_credentials (id, site_id, provider_id, label, base_url, sealed_key, created_at) \
             VALUES ($1, $2, $3, $4, $5, $6, $7)",
        )
        .bind(id.as_str())
        .bind(new.site.as_str())
        .bind(new.provider_id)
        .bind(new.label)
        .bind(new.base_url)
        .bind(sealed)
        .bind(by.at.millis())
        .execute(&mut *write)
        .await?;
        Record::of("ai.credential.added")
            .on(new.site)
            .about(id.as_str())
            .with(json!({ "provider": new.provider_id, "label": new.label }))
            .save(&mut write, by)
            .await?;
        self.store().commit(write).await?;
        Ok(Credential {
            id,
            site: new.site.clone(),
            provider_id: new.provider_id.to_owned(),
            label: new.label.to_owned(),
            base_url: new.base_url.map(str::to_owned),
            has_key: new.key.is_some(),
            created_at: by.at,
        })
    }

    /// Changes a credential. The activity log records which parts changed, but not their values.
    pub async fn change_credential(
        &self,
        site: &SiteId,
        id: &CredentialId,
        change: &CredentialChange<'_>,
        by: &Stamp,
    ) -> Result<Credential, StoreError> {
        let sealed = change
            .key
            .map(|key| self.sealed_key(site, id, key))
            .transpose()?;
        let changed: Vec<&str> = [
            ("label", change.label.is_some()),
            ("baseUrl", change.base_url.is_some()),
            ("apiKey", change.key.is_some()),
        ]
        .into_iter()
        .filter_map(|(name, is_changed)| is_changed.then_some(name))
        .collect();
        let mut write = self.store().write().await?;
        self.require_current_key(&mut write).await?;
        let row = sqlx::query(
            "UPDATE ai_credentials SET label = COALESCE($3, label), \
             base_url = CASE WHEN $4 = 1 THEN $5 ELSE base_url END, \
             sealed_key = CASE WHEN $6 = 1 THEN $7 ELSE sealed_key END \
             WHERE site_id = $1 AND id = $2 RETURNING *",
        )
        .bind(site.as_str())
        .bind(id.as_str())
        .bind(change.label)
        .bind(i64::from(change.base_url.is_some()))
        .bind(change.base_url.flatten())
        .bind(i64::from(sealed.is_some()))
        .bind(sealed.flatten())
        .fetch_optional(&mut *write)
        .await?;
        let credential = read(&row.ok_or(NO_CREDENTIAL)?)?;
        Record::of("ai.credential.changed")
            .on(site)
            .about(id.as_str())
            .with(json!({ "changed": changed }))
            .save(&mut write, by)
            .await?;
        self.store().commit(write).await?;
        Ok(credential)
    }

    fn sealed_key(
        &self,
        site: &SiteId,
        id: &CredentialId,
        key: Option<&SecretString>,
    ) -> Result<Option<String>, StoreError> {
        key.map(|key| self.seal(site, &bound_name(id), key))
            .transpose()
    }
}

const NO_CREDENTIAL: StoreError = StoreError::NotFound { what: "credential" };

/// Keys and other secrets are bound to different names, so that neither can be decrypted as the other.
pub(crate) fn bound_name(id: &CredentialId) -> String {
    format!("credential {id}")
}

pub(crate) fn is_reference(error: &sqlx::Error) -> bool {
    let database = error.as_database_error();
    database.is_some_and(|error| error.is_foreign_key_violation())
}

fn read(row: &AnyRow) -> Result<Credential, StoreError> {
    Ok(Credential {
        id: CredentialId::from(row.try_get::<String, _>("id")?),
        site: SiteId::from(row.try_get::<String, _>("site_id")?),
        provider_id: row.try_get("provider_id")?,
        label: row.try_get("label")?,
        base_url: row.try_get("base_url")?,
        has_key: row.try_get::<Option<String>, _>("sealed_key")?.is_some(),
        created_at: Timestamp::from_millis(row.try_get("created_at")?),
    })
}

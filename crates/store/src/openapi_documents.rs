//! OpenAPI documents, each encrypted as a whole with its credentials. Only `connect` interprets one.

use secrecy::SecretString;
use serde_json::json;
use sqlx::Row;

use crate::audit::Record;
use crate::registered_tools::count;
use crate::{Secrets, SiteId, Stamp, Store, StoreError, Timestamp};

/// A stored document.
#[derive(Debug, Clone)]
pub struct OpenApiDocument {
    pub site: SiteId,
    pub name: String,
    /// The version in use; none if it cannot be decrypted with the current key.
    pub document: Option<SecretString>,
    /// A new version that a person has to review.
    pub waiting: Option<SecretString>,
    pub added_at: Timestamp,
}

/// A version of a document to store.
#[derive(Debug, Clone, Copy)]
pub struct NewOpenApiDocument<'a> {
    pub site: &'a SiteId,
    pub name: &'a str,
    pub document: &'a SecretString,
    /// The names of its tools, for the activity log.
    pub tools: &'a [String],
}

impl Secrets {
    /// Stores a version of a document that is used from now on. A version that waited for a review is dropped.
    pub async fn put_openapi_document(
        &self,
        new: &NewOpenApiDocument<'_>,
        by: &Stamp,
    ) -> Result<(), StoreError> {
        let sealed = self.seal(new.site, &bound_name(new.name), new.document)?;
        let mut write = self.store().write().await?;
        count(&mut write).await?;
        self.require_current_key(&mut write).await?;
        sqlx::query(
            "INSERT INTO openapi_documents (site_id, name, sealed, waiting, added_at) VALUES ($1, $2, $3, NULL, $4) \
             ON CONFLICT (site_id, name) DO UPDATE SET sealed = excluded.sealed, waiting = NULL, added_at = excluded.added_at",
        )
        .bind(new.site.as_str())
        .bind(new.name)
        .bind(sealed)
        .bind(by.at.millis())
        .execute(&mut *write)
        .await?;
        Record::of("openapi.added")
            .on(new.site)
            .about(new.name)
            .with(json!({ "tools": new.tools }))
            .save(&mut write, by)
            .await?;
        self.store().commit(write).await
    }

    /// Stores a new version of a document that is not used until a person has reviewed it.
    pub async fn put_waiting_openapi_document(
        &self,
        new: &NewOpenApiDocument<'_>,
        by: &Stamp,
    ) -> Result<(), StoreError> {
        let sealed = self.seal(new.site, &bound_name(new.name), new.document)?;
        let mut write = self.store().write().await?;
        count(&mut write).await?;
        self.require_current_key(&mut write).await?;
        let updated = sqlx::query(
            "UPDATE openapi_documents SET waiting = $1 WHERE site_id = $2 AND name = $3",
        )
        .bind(sealed)
        .bind(new.site.as_str())
        .bind(new.name)
        .execute(&mut *write)
        .await?;
        if updated.rows_affected() == 0 {
            return Err(StoreError::NotFound { what: "document" });
        }
        Record::of("openapi.review_needed")
            .on(new.site)
            .about(new.name)
            .save(&mut write, by)
            .await?;
        self.store().commit(write).await
    }

    /// All documents.
    pub async fn openapi_documents(&self) -> Result<Vec<OpenApiDocument>, StoreError> {
        let rows = sqlx::query(
            "SELECT site_id, name, sealed, waiting, added_at FROM openapi_documents ORDER BY site_id, name",
        )
        .fetch_all(self.store().reader())
        .await?;
        rows.into_iter()
            .map(|row| {
                let site = SiteId::from(row.try_get::<String, _>("site_id")?);
                let name: String = row.try_get("name")?;
                let bound = bound_name(&name);
                let waiting: Option<String> = row.try_get("waiting")?;
                let sealed: &str = row.try_get("sealed")?;
                let open = |sealed: &str| self.open_sealed(&site, &bound, sealed).ok();
                Ok(OpenApiDocument {
                    document: open(sealed),
                    waiting: waiting.and_then(|sealed| open(&sealed)),
                    added_at: Timestamp::from_millis(row.try_get("added_at")?),
                    site,
                    name,
                })
            })
            .collect()
    }
}

impl Store {
    /// Removes a document and its tools.
    pub async fn remove_openapi_document(
        &self,
        site: &SiteId,
        name: &str,
        by: &Stamp,
    ) -> Result<(), StoreError> {
        let mut write = self.write().await?;
        count(&mut write).await?;
        let removed = sqlx::query("DELETE FROM openapi_documents WHERE site_id = $1 AND name = $2")
            .bind(site.as_str())
            .bind(name)
            .execute(&mut *write)
            .await?;
        if removed.rows_affected() == 0 {
            return Err(StoreError::NotFound { what: "document" });
        }
        Record::of("openapi.removed")
            .on(site)
            .about(name)
            .save(&mut write, by)
            .await?;
        self.commit(write).await
    }
}

/// Documents and other secrets are bound to different names, so that neither can be decrypted as the other.
pub(crate) fn bound_name(name: &str) -> String {
    format!("openapi document {name}")
}

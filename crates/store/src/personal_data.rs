//! People's permissions to give personal data to tools.

use serde_json::json;
use sqlx::Row;

use crate::audit::Record;
use crate::{SiteId, Stamp, Store, StoreError, Timestamp};

/// A permission that a person gave. It lasts until it is revoked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PersonalDataGrant {
    /// Whose data it is: the id of a user, or `local`.
    pub person: String,
    pub tool: String,
    /// Such as `email`.
    pub field: String,
    pub given_at: Timestamp,
}

impl Store {
    /// Records that a person lets a tool have these fields.
    pub async fn grant_personal_data(
        &self,
        site: &SiteId,
        grants: &[PersonalDataGrant],
        by: &Stamp,
    ) -> Result<(), StoreError> {
        let mut write = self.write().await?;
        for grant in grants {
            sqlx::query(
                "INSERT INTO personal_data_grants (site_id, person, tool, field, given_at) VALUES ($1, $2, $3, $4, $5) \
                 ON CONFLICT (site_id, person, tool, field) DO NOTHING",
            )
            .bind(site.as_str())
            .bind(&grant.person)
            .bind(&grant.tool)
            .bind(&grant.field)
            .bind(grant.given_at.millis())
            .execute(&mut *write)
            .await?;
            Record::of("personal_data.granted")
                .on(site)
                .about(&grant.tool)
                .with(json!({ "field": grant.field, "person": grant.person }))
                .save(&mut write, by)
                .await?;
        }
        self.commit(write).await
    }

    /// Takes back all permissions of a person for a tool. Returns how many there were.
    pub async fn revoke_personal_data(
        &self,
        site: &SiteId,
        person: &str,
        tool: &str,
        by: &Stamp,
    ) -> Result<u64, StoreError> {
        let mut write = self.write().await?;
        let gone = sqlx::query(
            "DELETE FROM personal_data_grants WHERE site_id = $1 AND person = $2 AND tool = $3",
        )
        .bind(site.as_str())
        .bind(person)
        .bind(tool)
        .execute(&mut *write)
        .await?;
        Record::of("personal_data.revoked")
            .on(site)
            .about(tool)
            .with(json!({ "person": person }))
            .save(&mut write, by)
            .await?;
        self.commit(write).await?;
        Ok(gone.rows_affected())
    }

    /// The permissions of a person.
    pub async fn personal_data_grants(
        &self,
        site: &SiteId,
        person: &str,
    ) -> Result<Vec<PersonalDataGrant>, StoreError> {
        let rows = sqlx::query(
            "SELECT person, tool, field, given_at FROM personal_data_grants WHERE site_id = $1 AND person = $2 \
             ORDER BY tool, field",
        )
        .bind(site.as_str())
        .bind(person)
        .fetch_all(self.reader())
        .await?;
        rows.iter()
            .map(|row| {
                Ok(PersonalDataGrant {
                    person: row.try_get("person")?,
                    tool: row.try_get("tool")?,
                    field: row.try_get("field")?,
                    given_at: Timestamp::from_millis(row.try_get("given_at")?),
                })
            })
            .collect()
    }
}

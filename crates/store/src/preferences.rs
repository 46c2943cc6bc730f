//! Preferences of the admin interface, stored per person so that they apply wherever the person
//! signs in. Only the interface knows what the names mean.

use std::collections::BTreeMap;

use sqlx::Row;

use crate::{Store, StoreError, UserId};

/// The maximum number of preferences per person.
const PREFERENCES_MAX: usize = 32;

impl Store {
    /// The preferences of a person, by name.
    pub async fn preferences(&self, user: &UserId) -> Result<BTreeMap<String, String>, StoreError> {
        let rows = sqlx::query("SELECT name, value FROM preferences WHERE user_id = $1")
            .bind(user.as_str())
            .fetch_all(self.reader())
            .await?;
        let pairs = rows
            .iter()
            .map(|row| Ok((row.try_get("name")?, row.try_get("value")?)));
        pairs.collect()
    }

    /// Sets preferences of a person and deletes those whose value is `None`. Others are unchanged.
    /// Fails if the person would then have too many.
    pub async fn set_preferences(
        &self,
        user: &UserId,
        values: &BTreeMap<String, Option<String>>,
    ) -> Result<(), StoreError> {
        let mut write = self.write().await?;
        for (name, value) in values {
            let query = match value {
                Some(value) => sqlx::query(
                    "INSERT INTO preferences (user_id, name, value) VALUES ($1, $2, $3) \
                     ON CONFLICT (user_id, name) DO UPDATE SET value = excluded.value",
                )
                .bind(user.as_str())
                .bind(name)
                .bind(value),
                None => sqlx::query("DELETE FROM preferences WHERE user_id = $1 AND name = $2")
                    .bind(user.as_str())
                    .bind(name),
            };
            query.execute(&mut *write).await?;
        }
        let row = sqlx::query("SELECT COUNT(*) AS kept FROM preferences WHERE user_id = $1")
            .bind(user.as_str())
            .fetch_one(&mut *write)
            .await?;
        if usize::try_from(row.try_get::<i64, _>("kept")?).unwrap_or(usize::MAX) > PREFERENCES_MAX {
            return Err(StoreError::Refused {
                rule: "at most 32 preferences are kept for a person; take others away first",
            });
        }
        self.commit(write).await
    }
}

//! Tools that were registered over the API, each encrypted as a whole. Only `connect` interprets a registration.

use secrecy::SecretString;
use serde_json::json;
use sqlx::Row;

use crate::audit::Record;
use crate::database::Write;
use crate::quotas;
use crate::{Secrets, SiteId, Stamp, Store, StoreError, Timestamp};

/// Counts every change of the registered tools, so that other nodes notice changes with one small read.
const VERSION: &str = "registered_tools";

/// A tool to store.
#[derive(Debug, Clone, Copy)]
pub struct NewRegisteredTool<'a> {
    pub site: &'a SiteId,
    pub name: &'a str,
    /// The definition, including secrets.
    pub registration: &'a SecretString,
    /// Where its calls go, for the activity log; contains nothing secret.
    pub host: &'a str,
    /// Whether it may replace a tool of the same name that the site already has.
    pub replace: bool,
}

/// A stored tool.
#[derive(Debug, Clone)]
pub struct RegisteredTool {
    pub site: SiteId,
    pub name: String,
    /// The definition, including secrets; none if it cannot be decrypted with the current key.
    pub registration: Option<SecretString>,
    pub registered_at: Timestamp,
}

impl Secrets {
    /// Stores a tool. Fails if the name is taken, unless the tool belongs to the same site and may be replaced.
    pub async fn register_tool(
        &self,
        tool: &NewRegisteredTool<'_>,
        by: &Stamp,
    ) -> Result<(), StoreError> {
        let sealed = self.seal(tool.site, &bound_name(tool.name), tool.registration)?;
        let mut write = self.store().write().await?;
        // This comes first because it locks the row, so that two nodes cannot take the same name.
        count(&mut write).await?;
        self.require_current_key(&mut write).await?;
        let owner = sqlx::query("SELECT site_id FROM registered_tools WHERE name = $1")
            .bind(tool.name)
            .fetch_optional(&mut *write)
            .await?;
        let action = match owner {
            None => "tool.registered",
            Some(row)
                if tool.replace && row.try_get::<&str, _>("site_id")? == tool.site.as_str() =>
            {
                "tool.replaced"
            }
            Some(_) => {
                return Err(StoreError::Taken {
                    what: "the name",
                    value: tool.name.to_owned(),
                });
            }
        };
        sqlx::query(
            "INSERT INTO registered_tools (name, site_id, sealed, registered_at) VALUES ($1, $2, $3, $4) \
             ON CONFLICT (name) DO UPDATE SET sealed = excluded.sealed, registered_at = excluded.registered_at",
        )
        .bind(tool.name)
        .bind(tool.site.as_str())
        .bind(sealed)
        .bind(by.at.millis())
        .execute(&mut *write)
        .await?;
        let limit = self.store().quotas.for_tools();
        limit
            .check_rows(&mut write, quotas::TOOLS, tool.site, "")
            .await?;
        Record::of(action)
            .on(tool.site)
            .about(tool.name)
            .with(json!({ "host": tool.host }))
            .save(&mut write, by)
            .await?;
        self.store().commit(write).await
    }

    /// All registered tools, by name.
    pub async fn registered_tools(&self) -> Result<Vec<RegisteredTool>, StoreError> {
        let rows = sqlx::query(
            "SELECT name, site_id, sealed, registered_at FROM registered_tools ORDER BY name",
        )
        .fetch_all(self.store().reader())
        .await?;
        rows.into_iter()
            .map(|row| {
                let site = SiteId::from(row.try_get::<String, _>("site_id")?);
                let name: String = row.try_get("name")?;
                let sealed: &str = row.try_get("sealed")?;
                let registration = self.open_sealed(&site, &bound_name(&name), sealed).ok();
                Ok(RegisteredTool {
                    registration,
                    registered_at: Timestamp::from_millis(row.try_get("registered_at")?),
                    site,
                    name,
                })
            })
            .collect()
    }
}

impl Store {
    /// Removes a tool that a site registered.
    pub async fn remove_registered_tool(
        &self,
        site: &SiteId,
        name: &str,
        by: &Stamp,
    ) -> Result<(), StoreError> {
        let mut write = self.write().await?;
        count(&mut write).await?;
        let removed = sqlx::query("DELETE FROM registered_tools WHERE name = $1 AND site_id = $2")
            .bind(name)
            .bind(site.as_str())
            .execute(&mut *write)
            .await?;
        if removed.rows_affected() == 0 {
            return Err(StoreError::NotFound {
                what: "registered tool",
            });
        }
        Record::of("tool.removed")
            .on(site)
            .about(name)
            .save(&mut write, by)
            .await?;
        self.commit(write).await
    }

    /// A number that grows with every change of the registered tools, on any node.
    pub async fn registered_tools_version(&self) -> Result<i64, StoreError> {
        let row = sqlx::query("SELECT value FROM instance WHERE name = $1")
            .bind(VERSION)
            .fetch_optional(self.reader())
            .await?;
        let Some(row) = row else { return Ok(0) };
        let corrupt = |_error| StoreError::Corrupt {
            what: "count of registered tools",
        };
        row.try_get::<&str, _>("value")?.parse().map_err(corrupt)
    }
}

/// Counts a change of the tools that come from elsewhere.
pub(crate) async fn count(write: &mut Write) -> Result<(), StoreError> {
    sqlx::query(
        "INSERT INTO instance (name, value) VALUES ($1, '1') \
         ON CONFLICT (name) DO UPDATE SET value = CAST(CAST(instance.value AS BIGINT) + 1 AS TEXT)",
    )
    .bind(VERSION)
    .execute(&mut **write)
    .await?;
    Ok(())
}

/// Tools and other secrets are bound to different names, so that neither can be decrypted as the other.
pub(crate) fn bound_name(name: &str) -> String {
    format!("registered tool {name}")
}

//! Roles: named sets of capabilities. Five are built in and the same on every site; a site may add its own.

use std::fmt;

use serde_json::json;
use sitewright_tool::{Capability, CapabilitySet};
use sqlx::Row;
use sqlx::any::AnyRow;

use crate::audit::{Record, Stamp};
use crate::{SiteId, Store, StoreError};

/// The name of a role in rows and in the HTTP API.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct RoleKey(String);

impl RoleKey {
    /// Parses a key: 1 to 40 lower-case letters, digits and hyphens, starting with a letter.
    pub fn parse(text: &str) -> Option<Self> {
        let mut bytes = text.bytes();
        let starts = bytes.next().is_some_and(|first| first.is_ascii_lowercase());
        let goes_on =
            bytes.all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-');
        (starts && goes_on && text.len() <= 40).then(|| Self(text.to_owned()))
    }

    /// The key as it is stored and sent.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for RoleKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// A role that exists on every site and cannot be changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BuiltInRole {
    /// Can do everything, and is the only role that can make owners.
    Owner,
    /// Can do everything on the site.
    Admin,
    /// Edits and publishes pages and content.
    Editor,
    /// Writes content for others to publish.
    Author,
    /// Reads, and changes nothing.
    Viewer,
}

impl BuiltInRole {
    /// From most to fewest capabilities.
    pub const ALL: [Self; 5] = [
        Self::Owner,
        Self::Admin,
        Self::Editor,
        Self::Author,
        Self::Viewer,
    ];

    /// The role's key.
    pub fn key(self) -> RoleKey {
        let key = match self {
            Self::Owner => "owner",
            Self::Admin => "admin",
            Self::Editor => "editor",
            Self::Author => "author",
            Self::Viewer => "viewer",
        };
        RoleKey(key.to_owned())
    }

    fn role(self) -> Role {
        let name = match self {
            Self::Owner => "Owner",
            Self::Admin => "Administrator",
            Self::Editor => "Editor",
            Self::Author => "Author",
            Self::Viewer => "Viewer",
        };
        Role {
            key: self.key(),
            name: name.to_owned(),
            capabilities: self.capabilities(),
            built_in: true,
        }
    }

    fn capabilities(self) -> CapabilitySet {
        use Capability::{
            AiChat, AiToolsWrite, ContentPublish, ContentRead, ContentWrite, SitePublish, SiteRead,
            SiteWrite, ToolsCall, ToolsRead,
        };
        let viewer = [SiteRead, ContentRead, ToolsRead];
        let author = [AiChat, AiToolsWrite, ContentWrite, ToolsCall];
        let editor = [SiteWrite, SitePublish, ContentPublish];
        match self {
            Self::Owner | Self::Admin => CapabilitySet::all(),
            Self::Editor => viewer.into_iter().chain(author).chain(editor).collect(),
            Self::Author => viewer.into_iter().chain(author).collect(),
            Self::Viewer => viewer.into_iter().collect(),
        }
    }
}

/// A role of a site.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Role {
    /// Its name in rows and in the HTTP API.
    pub key: RoleKey,
    /// Its name on screen.
    pub name: String,
    pub capabilities: CapabilitySet,
    /// Whether it is the same on every site and cannot be changed.
    pub built_in: bool,
}

impl Store {
    /// The roles of a site: the built-in ones, then its own by name.
    pub async fn roles(&self, site: &SiteId) -> Result<Vec<Role>, StoreError> {
        let rows = sqlx::query(
            "SELECT role, name, capabilities FROM roles WHERE site_id = $1 ORDER BY name, role",
        )
        .bind(site.as_str())
        .fetch_all(self.reader())
        .await?;
        let own = rows.iter().map(own_role);
        BuiltInRole::ALL
            .into_iter()
            .map(|built_in| Ok(built_in.role()))
            .chain(own)
            .collect()
    }

    /// One role of a site.
    pub async fn role(&self, site: &SiteId, key: &RoleKey) -> Result<Role, StoreError> {
        if let Some(built_in) = BuiltInRole::ALL
            .into_iter()
            .find(|built_in| built_in.key() == *key)
        {
            return Ok(built_in.role());
        }
        let row = sqlx::query(
            "SELECT role, name, capabilities FROM roles WHERE site_id = $1 AND role = $2",
        )
        .bind(site.as_str())
        .bind(key.as_str())
        .fetch_optional(self.reader())
        .await?;
        own_role(&row.ok_or(StoreError::NotFound { what: "role" })?)
    }

    /// Creates or changes a site's own role.
    pub async fn put_role(&self, site: &SiteId, role: &Role, by: &Stamp) -> Result<(), StoreError> {
        refuse_built_in(&role.key)?;
        let capabilities = capabilities_text(&role.capabilities);
        let mut write = self.write().await?;
        sqlx::query(
            "INSERT INTO roles (site_id, role, name, capabilities) VALUES ($1, $2, $3, $4) \
             ON CONFLICT (site_id, role) DO UPDATE SET name = excluded.name, capabilities = excluded.capabilities",
        )
        .bind(site.as_str())
        .bind(role.key.as_str())
        .bind(&role.name)
        .bind(&capabilities)
        .execute(&mut *write)
        .await?;
        Record::of("role.changed")
            .on(site)
            .about(role.key.as_str())
            .with(json!({ "name": role.name, "capabilities": role.capabilities }))
            .save(&mut write, by)
            .await?;
        self.commit(write).await
    }

    /// Removes a role. Fails if anyone has it.
    pub async fn remove_role(
        &self,
        site: &SiteId,
        key: &RoleKey,
        by: &Stamp,
    ) -> Result<(), StoreError> {
        refuse_built_in(key)?;
        let mut write = self.write().await?;
        let removed = sqlx::query("DELETE FROM roles WHERE site_id = $1 AND role = $2")
            .bind(site.as_str())
            .bind(key.as_str())
            .execute(&mut *write)
            .await?;
        if removed.rows_affected() == 0 {
            return Err(StoreError::NotFound { what: "role" });
        }
        let in_use =
            sqlx::query("SELECT user_id FROM members WHERE site_id = $1 AND role = $2 LIMIT 1")
                .bind(site.as_str())
                .bind(key.as_str())
                .fetch_optional(&mut *write)
                .await?;
        if in_use.is_some() {
            return Err(StoreError::Refused {
                rule: "People still have this role; give them another one first.",
            });
        }
        Record::of("role.removed")
            .on(site)
            .about(key.as_str())
            .save(&mut write, by)
            .await?;
        self.commit(write).await
    }
}

pub(crate) fn capabilities_text(set: &CapabilitySet) -> String {
    json!(set).to_string()
}

pub(crate) fn capabilities_from(text: &str) -> Result<CapabilitySet, StoreError> {
    serde_json::from_str(text).map_err(|_error| StoreError::Corrupt {
        what: "list of capabilities",
    })
}

fn refuse_built_in(key: &RoleKey) -> Result<(), StoreError> {
    if BuiltInRole::ALL
        .into_iter()
        .any(|built_in| built_in.key() == *key)
    {
        return Err(StoreError::Refused {
            rule: "The built-in roles cannot be changed; make a role of your own.",
        });
    }
    Ok(())
}

fn own_role(row: &AnyRow) -> Result<Role, StoreError> {
    let key: String = row.try_get("role")?;
    Ok(Role {
        key: RoleKey(key),
        name: row.try_get("name")?,
        capabilities: capabilities_from(row.try_get("capabilities")?)?,
        built_in: false,
    })
}

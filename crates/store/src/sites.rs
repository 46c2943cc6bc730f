//! The sites of an instance. The first one is created with the database.

use sqlx::Row;
use sqlx::any::AnyRow;

use crate::{SiteId, Store, StoreError, Timestamp};

/// A site of this instance.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Site {
    pub id: SiteId,
    /// Its short name in addresses and on the command line.
    pub slug: String,
    /// Its name on screen.
    pub name: String,
}

impl Store {
    /// All sites, oldest first.
    pub async fn sites(&self) -> Result<Vec<Site>, StoreError> {
        let rows = sqlx::query("SELECT id, slug, name FROM sites ORDER BY created_at, id")
            .fetch_all(self.reader())
            .await?;
        rows.iter().map(site).collect()
    }

    /// One site.
    pub async fn site(&self, id: &SiteId) -> Result<Site, StoreError> {
        let row = sqlx::query("SELECT id, slug, name FROM sites WHERE id = $1")
            .bind(id.as_str())
            .fetch_optional(self.reader())
            .await?;
        site(&row.ok_or(StoreError::NotFound { what: "site" })?)
    }

    /// The site with this slug.
    pub async fn site_by_slug(&self, slug: &str) -> Result<Site, StoreError> {
        let row = sqlx::query("SELECT id, slug, name FROM sites WHERE slug = $1")
            .bind(slug)
            .fetch_optional(self.reader())
            .await?;
        site(&row.ok_or(StoreError::NotFound { what: "site" })?)
    }

    /// Creates a site.
    pub async fn create_site(
        &self,
        slug: &str,
        name: &str,
        now: Timestamp,
    ) -> Result<Site, StoreError> {
        let site = Site {
            id: SiteId::new(),
            slug: slug.to_owned(),
            name: name.to_owned(),
        };
        let mut write = self.write().await?;
        sqlx::query("INSERT INTO sites (id, slug, name, created_at) VALUES ($1, $2, $3, $4)")
            .bind(site.id.as_str())
            .bind(slug)
            .bind(name)
            .bind(now.millis())
            .execute(&mut *write)
            .await
            .map_err(|error| StoreError::on_duplicate(error, "the site", slug))?;
        write.commit().await?;
        Ok(site)
    }

    pub(crate) async fn ensure_a_site(&self) -> Result<(), StoreError> {
        let mut write = self.write().await?;
        // The id is fixed, so that two nodes that start on an empty database at the same time create one site, not two.
        sqlx::query(
            "INSERT INTO sites (id, slug, name, created_at) SELECT 'main', 'main', 'My site', $1 \
             WHERE NOT EXISTS (SELECT 1 FROM sites) ON CONFLICT DO NOTHING",
        )
        .bind(Timestamp::now().millis())
        .execute(&mut *write)
        .await?;
        write.commit().await?;
        Ok(())
    }
}

pub(crate) fn site(row: &AnyRow) -> Result<Site, StoreError> {
    Ok(Site {
        id: SiteId::from(row.try_get::<String, _>("id")?),
        slug: row.try_get("slug")?,
        name: row.try_get("name")?,
    })
}

//! Links that show the draft of a page to whoever has one, until they expire or are withdrawn.

use serde_json::json;
use sitewright_site::BodyId;
use sqlx::Row;
use sqlx::any::AnyRow;

use crate::audit::{Actor, Record, Stamp};
use crate::quotas;
use crate::{PreviewLinkId, SiteId, Store, StoreError, Timestamp};

/// A link to the draft of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PreviewLink {
    pub id: PreviewLinkId,
    pub site: SiteId,
    pub page: BodyId,
    /// Who made it. It stops working when they may no longer sign in.
    pub actor: Actor,
    pub created_at: Timestamp,
    pub expires_at: Timestamp,
}

impl Store {
    /// Creates a link to the draft of a page.
    pub async fn create_preview_link(
        &self,
        site: &SiteId,
        page: BodyId,
        expires_at: Timestamp,
        by: &Stamp,
    ) -> Result<PreviewLink, StoreError> {
        let link = PreviewLink {
            id: PreviewLinkId::new(),
            site: site.clone(),
            page,
            actor: by.actor.clone(),
            created_at: by.at,
            expires_at,
        };
        let mut write = self.write().await?;
        sqlx::query(
            "INSERT INTO preview_links (id, site_id, page, actor, created_at, expires_at) VALUES ($1, $2, $3, $4, $5, $6)",
        )
        .bind(link.id.as_str())
        .bind(site.as_str())
        .bind(page.to_string())
        .bind(by.actor.to_string())
        .bind(by.at.millis())
        .bind(expires_at.millis())
        .execute(&mut *write)
        .await?;
        let limit = self.quotas.for_preview_links();
        limit
            .check_rows(&mut write, quotas::PREVIEW_LINKS, site, "")
            .await?;
        Record::of("preview_link.made")
            .on(site)
            .about(link.id.as_str())
            .with(json!({ "page": page, "until": expires_at.millis() }))
            .save(&mut write, by)
            .await?;
        self.commit(write).await?;
        Ok(link)
    }

    /// A link by its id; none once it is withdrawn.
    pub async fn preview_link(
        &self,
        id: &PreviewLinkId,
    ) -> Result<Option<PreviewLink>, StoreError> {
        let row = sqlx::query("SELECT * FROM preview_links WHERE id = $1")
            .bind(id.as_str())
            .fetch_optional(&mut *self.connection().await?)
            .await?;
        row.as_ref().map(preview_link).transpose()
    }

    /// The links to a page that have not expired, newest first.
    pub async fn preview_links(
        &self,
        site: &SiteId,
        page: BodyId,
        now: Timestamp,
    ) -> Result<Vec<PreviewLink>, StoreError> {
        let rows = sqlx::query(
            "SELECT * FROM preview_links WHERE site_id = $1 AND page = $2 AND expires_at > $3 ORDER BY id DESC LIMIT 100",
        )
        .bind(site.as_str())
        .bind(page.to_string())
        .bind(now.millis())
        .fetch_all(&mut *self.connection().await?)
        .await?;
        rows.iter().map(preview_link).collect()
    }

    /// Withdraws a link, so that it shows nothing from now on.
    pub async fn withdraw_preview_link(
        &self,
        site: &SiteId,
        id: &PreviewLinkId,
        by: &Stamp,
    ) -> Result<(), StoreError> {
        let mut write = self.write().await?;
        let removed = sqlx::query("DELETE FROM preview_links WHERE site_id = $1 AND id = $2")
            .bind(site.as_str())
            .bind(id.as_str())
            .execute(&mut *write)
            .await?;
        if removed.rows_affected() == 0 {
            return Err(StoreError::NotFound {
                what: "preview link",
            });
        }
        Record::of("preview_link.withdrawn")
            .on(site)
            .about(id.as_str())
            .save(&mut write, by)
            .await?;
        self.commit(write).await
    }
}

fn preview_link(row: &AnyRow) -> Result<PreviewLink, StoreError> {
    const CORRUPT: StoreError = StoreError::Corrupt {
        what: "preview link",
    };
    let (page, actor): (String, String) = (row.try_get("page")?, row.try_get("actor")?);
    Ok(PreviewLink {
        id: PreviewLinkId::from(row.try_get::<String, _>("id")?),
        site: SiteId::from(row.try_get::<String, _>("site_id")?),
        page: page.parse().map_err(|_error| CORRUPT)?,
        actor: Actor::parse(&actor).ok_or(CORRUPT)?,
        created_at: Timestamp::from_millis(row.try_get("created_at")?),
        expires_at: Timestamp::from_millis(row.try_get("expires_at")?),
    })
}

//! Entries as they were published. An edit of a published entry changes its draft; visitors and other programs see the copy that was
//! made when somebody decided to publish it, until the next such decision.

use sitewright_site::RecordId;
use sqlx::AnyConnection;

use super::live::LiveSite;
use crate::{SiteId, Store, StoreError};

const COLUMNS: &str = "site_id, id, collection_id, slug, locale, status, title, publish_at, unpublish_at, published_at, sort_order, \
    created_at, updated_at, seq, format, document, translation_of";

/// Which state of entries is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryState {
    /// As they are being edited.
    Draft,
    /// As they were last published.
    Published,
}

impl EntryState {
    pub(crate) fn entries(self) -> &'static str {
        match self {
            Self::Draft => "content_entries",
            Self::Published => "published_entries",
        }
    }

    pub(crate) fn values(self) -> &'static str {
        match self {
            Self::Draft => "content_values",
            Self::Published => "published_values",
        }
    }
}

/// Which entries of a site are published as they are now.
#[derive(Debug, Clone, Copy)]
pub struct PublishedSite<'a> {
    /// The last change that visitors see. Entries that have changed since keep the copy they have.
    pub seq: u64,
    /// Entries that keep the copy they have.
    pub left_out: &'a [RecordId],
}

impl Store {
    /// Publishes an entry as it is now.
    pub async fn publish_entry(&self, site: &SiteId, id: RecordId) -> Result<(), StoreError> {
        let mut write = self.write().await?;
        copy(&mut write, site, id).await?;
        write.commit().await?;
        Ok(())
    }

    /// Publishes all entries of a site.
    pub async fn publish_all_entries(
        &self,
        site: &SiteId,
        published: PublishedSite<'_>,
    ) -> Result<(), StoreError> {
        let seq = i64::try_from(published.seq).unwrap_or(i64::MAX);
        let left_out = published.left_out.iter().map(ToString::to_string);
        let left_out: Vec<String> = left_out.collect();
        let mut write = self.write().await?;
        let changed = sqlx::query_scalar::<_, String>(
            "SELECT e.id FROM content_entries e LEFT JOIN published_entries p ON p.site_id = e.site_id AND p.id = e.id \
             WHERE e.site_id = $1 AND e.status = 'published' AND e.seq <= $2 AND (p.seq IS NULL OR p.seq < e.seq)",
        )
        .bind(site.as_str())
        .bind(seq)
        .fetch_all(&mut *write)
        .await?;
        for id in changed.iter().filter(|id| !left_out.contains(id)) {
            let id = id
                .parse()
                .map_err(|_bad| StoreError::Corrupt { what: "entry" })?;
            copy(&mut write, site, id).await?;
        }
        write.commit().await?;
        Ok(())
    }
}

impl LiveSite {
    /// Reads entries from here on as they were published.
    #[must_use]
    pub fn with_published_entries(mut self) -> Self {
        self.entry_state = EntryState::Published;
        self
    }
}

/// Makes the published copy of an entry what the entry is now: none if it is not published.
pub(super) async fn copy(
    write: &mut AnyConnection,
    site: &SiteId,
    id: RecordId,
) -> Result<(), StoreError> {
    let insert = format!(
        "INSERT INTO published_entries ({COLUMNS}) SELECT {COLUMNS} FROM content_entries \
         WHERE site_id = $1 AND id = $2 AND status = 'published'"
    );
    let statements = [
        "DELETE FROM published_values WHERE site_id = $1 AND entry_id = $2",
        "DELETE FROM published_entries WHERE site_id = $1 AND id = $2",
        insert.as_str(),
        "INSERT INTO published_values (site_id, entry_id, field_id, value) SELECT v.site_id, v.entry_id, v.field_id, v.value \
         FROM content_values v JOIN published_entries p ON p.site_id = v.site_id AND p.id = v.entry_id \
         WHERE v.site_id = $1 AND v.entry_id = $2",
    ];
    for statement in statements {
        sqlx::query(sqlx::AssertSqlSafe(statement.to_owned()))
            .bind(site.as_str())
            .bind(id.to_string())
            .execute(&mut *write)
            .await?;
    }
    Ok(())
}

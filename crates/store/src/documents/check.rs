//! Reading a site from its rows alone, without the replicas in memory: what a restart would see.

use serde::Serialize;
use sitewright_site::{BodyId, BodySnapshot, Site};
use sqlx::{AnyConnection, Row};

use super::log::{self, LogDamage, Until};
use crate::{SiteId, Store, StoreError};

/// A site as loaded from its rows, with every readable document open.
#[derive(Debug)]
pub struct StoredSite {
    /// A damaged part is at the last entry that can be replayed.
    pub site: Site,
    /// The last entry of the log.
    pub end: u64,
    /// The parts that cannot be replayed to the end of the log.
    pub damage: Vec<PartDamage>,
}

/// A part of a site that cannot be replayed to the end of the log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PartDamage {
    /// None for the shell, whose damage makes the whole site read-only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub document: Option<BodyId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The first entry that cannot be replayed; none if nothing of the document can be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entry: Option<u64>,
    pub reason: String,
}

/// An entry of the log exactly as its row stores it, whether or not it can be parsed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RawEntry {
    /// Its sequence number in the log.
    pub seq: u64,
    pub change_id: String,
    /// The author, as JSON.
    pub author: String,
    pub summary: String,
    /// When it was committed, in milliseconds since 1970.
    pub at: i64,
    /// The format version of `ops` and `replaced`.
    pub format: i64,
    /// The ops, as JSON.
    pub ops: String,
    /// What each op replaced, as JSON.
    pub replaced: String,
}

impl Store {
    /// Loads the whole site from its rows. The replicas in memory are neither used nor changed.
    pub async fn stored_site(&self, site: &SiteId) -> Result<StoredSite, StoreError> {
        let mut read = self.read().await?;
        let stored = read_parts(&mut read, site, Documents::Keep).await?;
        read.rollback().await?;
        Ok(stored)
    }

    /// Checks that the whole site can be read from its rows, and returns the damaged parts.
    pub async fn check_site(&self, site: &SiteId) -> Result<Vec<PartDamage>, StoreError> {
        let mut read = self.read().await?;
        // A site gets its log when it is first opened.
        let damage = match log::end(&mut read, site).await? {
            Some(_) => read_parts(&mut read, site, Documents::Drop).await?.damage,
            None => Vec::new(),
        };
        read.rollback().await?;
        Ok(damage)
    }

    /// Up to `limit` entries after `after` as their rows store them, oldest first, including unreadable ones.
    pub async fn raw_entries(
        &self,
        site: &SiteId,
        after: u64,
        limit: u16,
    ) -> Result<Vec<RawEntry>, StoreError> {
        let rows = sqlx::query(
            "SELECT seq, change_id, author, summary, at, format, ops, replaced FROM site_changes \
             WHERE site_id = $1 AND seq > $2 ORDER BY seq LIMIT $3",
        )
        .bind(site.as_str())
        .bind(log::signed(after))
        .bind(i64::from(limit))
        .fetch_all(self.reader())
        .await?;
        rows.iter()
            .map(|row| {
                Ok(RawEntry {
                    seq: log::number(row, "seq")?,
                    change_id: row.try_get("change_id")?,
                    author: row.try_get("author")?,
                    summary: row.try_get("summary")?,
                    at: row.try_get("at")?,
                    format: row.try_get("format")?,
                    ops: row.try_get("ops")?,
                    replaced: row.try_get("replaced")?,
                })
            })
            .collect()
    }
}

/// What happens to a document after it is read. Dropping each one lets a check of a large site hold a single document at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Documents {
    Keep,
    Drop,
}

/// Reads the shell and every document that it lists.
pub(super) async fn read_parts(
    connection: &mut AnyConnection,
    id: &SiteId,
    documents: Documents,
) -> Result<StoredSite, StoreError> {
    let end = log::end(connection, id)
        .await?
        .ok_or(StoreError::NotFound { what: "site" })?;
    let mut damage = Vec::new();
    let shell = match log::shell(connection, id).await {
        Err(StoreError::Corrupt { what }) => {
            damage.push(PartDamage {
                document: None,
                title: None,
                entry: None,
                reason: format!("no snapshot of the {what} can be read"),
            });
            let site = Site::default();
            return Ok(StoredSite { site, end, damage });
        }
        shell => shell?,
    };
    let mut until = Until::End;
    if let Some(LogDamage { seq, reason }) = shell.damage {
        until = Until::Damage(seq);
        damage.push(PartDamage {
            document: None,
            title: None,
            entry: Some(seq),
            reason,
        });
    }
    let mut site = shell.document;
    for (body, title) in listed_documents(&site) {
        let loaded = log::readable_body(connection, id, body, until).await?;
        let part = |entry, reason| PartDamage {
            document: Some(body),
            title: Some(title.clone()),
            entry,
            reason,
        };
        let Some(loaded) = loaded else {
            damage.push(part(None, "no snapshot of it can be read".to_owned()));
            continue;
        };
        damage.extend(
            loaded
                .damage
                .map(|LogDamage { seq, reason }| part(Some(seq), reason)),
        );
        if let Err(misplaced) = open(&mut site, body, &loaded.document, documents) {
            damage.push(part(None, misplaced));
        }
    }
    Ok(StoredSite { site, end, damage })
}

fn open(
    site: &mut Site,
    body: BodyId,
    document: &BodySnapshot,
    documents: Documents,
) -> Result<(), String> {
    site.open(body, document)
        .map_err(|misplaced| misplaced.to_string())?;
    if documents == Documents::Drop {
        site.bodies.remove(&body);
    }
    Ok(())
}

/// The pages, templates and components, with their titles.
fn listed_documents(site: &Site) -> Vec<(BodyId, String)> {
    let pages = site.shell.pages.iter();
    let components = site.shell.components.iter();
    pages
        .map(|(id, page)| (id, page.title.clone()))
        .chain(components.map(|(id, component)| (id, component.name.clone())))
        .collect()
}

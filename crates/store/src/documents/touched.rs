//! Which documents changes touched, since when, and who made them.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

use sitewright_site::{Author, BodyId, RecordId};
use sitewright_tool::Taint;
use sqlx::Row;
use sqlx::any::AnyRow;

use super::log;
use crate::{SiteId, Store, StoreError};

/// A change and the documents it touched.
#[derive(Debug, Clone, PartialEq)]
pub struct TouchedBy {
    /// Its sequence number in the log.
    pub seq: u64,
    pub author: Author,
    /// Whether anything from outside had a part in the change.
    pub taint: Taint,
    pub touched: Touched,
}

/// Parts of a site.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Touched {
    /// Pages, templates and components.
    pub bodies: BTreeSet<BodyId>,
    /// Entries of collections.
    pub records: BTreeSet<RecordId>,
    /// Whether the shell, which all documents share, is among them.
    pub shell: bool,
}

impl Touched {
    pub(super) fn add(&mut self, body: &str) -> Result<(), StoreError> {
        if body == log::SHELL {
            self.shell = true;
            return Ok(());
        }
        if let Some(id) = body.strip_prefix(log::RECORD) {
            let bad = |_bad| StoreError::Corrupt { what: "entry" };
            self.records.insert(id.parse().map_err(bad)?);
            return Ok(());
        }
        let id = body
            .parse()
            .map_err(|_bad| StoreError::Corrupt { what: "document" })?;
        self.bodies.insert(id);
        Ok(())
    }
}

impl Store {
    /// The parts of a site that were touched after an entry; none if some of the entries since have been collapsed.
    pub async fn touched_since(
        &self,
        site: &SiteId,
        after: u64,
    ) -> Result<Option<Touched>, StoreError> {
        let mut connection = self.reader().acquire().await?;
        if after + 1 < log::kept_from(&mut connection, site).await? {
            return Ok(None);
        }
        let rows = sqlx::query(
            "SELECT DISTINCT body_id FROM site_change_bodies WHERE site_id = $1 AND seq > $2",
        )
        .bind(site.as_str())
        .bind(log::signed(after))
        .fetch_all(&mut *connection)
        .await?;
        let mut touched = Touched::default();
        for row in &rows {
            touched.add(row.try_get("body_id")?)?;
        }
        Ok(Some(touched))
    }

    /// The parts of a site that each change of a range touched, by the change's sequence number.
    pub async fn touched_by(
        &self,
        site: &SiteId,
        range: RangeInclusive<u64>,
    ) -> Result<BTreeMap<u64, Touched>, StoreError> {
        let rows = sqlx::query(
            "SELECT seq, body_id FROM site_change_bodies WHERE site_id = $1 AND seq >= $2 AND seq <= $3",
        )
        .bind(site.as_str())
        .bind(log::signed(*range.start()))
        .bind(log::signed(*range.end()))
        .fetch_all(self.reader())
        .await?;
        let mut changes: BTreeMap<u64, Touched> = BTreeMap::new();
        for row in &rows {
            let touched = changes.entry(log::number(row, "seq")?).or_default();
            touched.add(row.try_get("body_id")?)?;
        }
        Ok(changes)
    }

    /// Who touched what after an entry, newest first. `limit` counts pairs of a change and a document.
    pub async fn authors_since(
        &self,
        site: &SiteId,
        after: u64,
        limit: u32,
    ) -> Result<Vec<TouchedBy>, StoreError> {
        let rows = sqlx::query(
            "SELECT b.seq, b.body_id, c.author, c.tainted FROM site_change_bodies b \
             JOIN site_changes c ON c.site_id = b.site_id AND c.seq = b.seq \
             WHERE b.site_id = $1 AND b.seq > $2 ORDER BY b.seq DESC LIMIT $3",
        )
        .bind(site.as_str())
        .bind(log::signed(after))
        .bind(i64::from(limit))
        .fetch_all(self.reader())
        .await?;
        let mut changes: Vec<TouchedBy> = Vec::new();
        for row in &rows {
            let body: String = row.try_get("body_id")?;
            let seq = log::number(row, "seq")?;
            if changes.last().is_none_or(|last| last.seq != seq) {
                changes.push(change(row, seq)?);
            }
            if let Some(last) = changes.last_mut() {
                last.touched.add(&body)?;
            }
        }
        Ok(changes)
    }
}

fn change(row: &AnyRow, seq: u64) -> Result<TouchedBy, StoreError> {
    Ok(TouchedBy {
        seq,
        author: log::json(row, "author")?,
        taint: match row.try_get::<i64, _>("tainted")? {
            0 => Taint::Trusted,
            _ => Taint::Untrusted,
        },
        touched: Touched::default(),
    })
}

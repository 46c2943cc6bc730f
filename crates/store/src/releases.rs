//! Releases: what is published. A release is an immutable map from address to file; visitors see the release of the last switch.
//!
//! Files are blobs, and are written before the release that names them. The release and the switch to it are one transaction, so a
//! process that dies at any point leaves either the old release or the new one, each complete.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::json;
use sitewright_site::{BodyId, RecordId, UsedEntries};
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, Row};

use crate::audit::Record;
use crate::blob_marks::{end_claims, lock_files};
use crate::database::Write;
use crate::{Actor, BlobId, ReleaseId, SiteId, Stamp, Store, StoreError, Timestamp};

/// A release of a site, without its files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Release {
    pub id: ReleaseId,
    /// Counts up from 1 per site.
    pub number: u64,
    /// The entry of the site's log that it was made from.
    pub seq: u64,
    /// Who published it.
    pub actor: Actor,
    /// The publisher's note.
    pub note: String,
    pub at: Timestamp,
    /// The number of pages.
    pub pages: u64,
}

/// The files of a release by their addresses, such as `/about`.
pub type ReleaseRoutes = BTreeMap<String, ReleaseRoute>;

/// The file at an address.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReleaseRoute {
    pub file: BlobId,
    /// The media type, such as `text/html; charset=utf-8`.
    pub content_type: String,
    /// The page it was made from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page: Option<BodyId>,
    /// The title of the page.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub title: String,
    /// The entry of the site's log that it was made from; older than the release's if the page was left out of that release.
    pub seq: u64,
    /// Whether it is a page, or generated from the pages.
    pub kind: RouteKind,
    /// Whether it is listed for search engines.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_listed: bool,
    /// Whether it contains code that runs for visitors.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub has_scripts: bool,
    /// The part of its content security policy that says which scripts may run. Absent on pages that an older version published.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub script_policy: Option<String>,
    /// What entries of collections have to do with it; absent when they have nothing to do with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entries: Option<Box<RouteEntries>>,
}

/// What entries of collections have to do with the file at an address.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct RouteEntries {
    /// The entry whose page it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entry: Option<RecordId>,
    /// Which part of a page with a long list it is, counted from 0.
    pub part: u32,
    /// The digest of everything on it that does not come from entries.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frame: Option<String>,
    pub used: UsedEntries,
}

/// The kind of content at an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum RouteKind {
    /// A page of the site.
    Page,
    /// The page shown for addresses that do not exist.
    NotFound,
    /// Generated from the pages, such as the sitemap for search engines.
    Made,
}

/// A file with its compressed forms, if they are smaller.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReleaseFile {
    pub blob: BlobId,
    /// The uncompressed size.
    pub bytes: u64,
    /// The brotli form.
    pub brotli: Option<BlobId>,
    /// The gzip form.
    pub gzip: Option<BlobId>,
}

impl ReleaseFile {
    /// The blobs of all its forms.
    pub fn blobs(&self) -> impl Iterator<Item = BlobId> {
        let forms = [Some(&self.blob), self.brotli.as_ref(), self.gzip.as_ref()];
        forms.into_iter().flatten().cloned()
    }
}

/// A release that is about to be published.
#[derive(Debug, Clone, Copy)]
pub struct NewRelease<'a> {
    /// The entry of the site's log that it is made from.
    pub seq: u64,
    /// The publisher's note.
    pub note: &'a str,
    pub routes: &'a ReleaseRoutes,
    /// Files that no earlier release has, or whose compressed forms were made again. Their blobs must already be written.
    pub files: &'a [ReleaseFile],
    /// Files that were written for an earlier release. If the last release that had one is collected meanwhile, nothing is published.
    pub reused: &'a [BlobId],
}

/// A switch of what visitors see to another release.
#[derive(Debug, Clone, Copy)]
pub struct Switch<'a> {
    /// The release visitors see before the switch. If it is a different one by then, nothing is switched.
    pub from: Option<&'a ReleaseId>,
    /// The call that makes the switch; one call makes one switch.
    pub call: Option<&'a str>,
    /// What was approved.
    pub agreed: Option<&'a str>,
    pub by: &'a Stamp,
}

/// A switch that a call has made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReleaseSwitch {
    /// The release visitors see since the switch.
    pub release: ReleaseId,
    /// What was approved.
    pub agreed: Option<String>,
}

const COLUMNS: &str = "id, number, seq, actor, note, at, pages";
/// The number of values per statement; both databases allow many more.
const PER_STATEMENT: usize = 200;

impl Store {
    /// The release that visitors of a site see; none before the first one.
    pub async fn current_release(&self, site: &SiteId) -> Result<Option<ReleaseId>, StoreError> {
        let mut connection = self.reader().acquire().await?;
        let last = last_switch(&mut connection, site).await?;
        Ok(last.map(|(release, _)| release))
    }

    /// One release of a site.
    pub async fn release(&self, site: &SiteId, id: &ReleaseId) -> Result<Release, StoreError> {
        let sql = format!("SELECT {COLUMNS} FROM releases WHERE site_id = $1 AND id = $2");
        let row = sqlx::query(sqlx::AssertSqlSafe(sql))
            .bind(site.as_str())
            .bind(id.as_str())
            .fetch_optional(self.reader())
            .await?;
        read(&row.ok_or(StoreError::NotFound { what: "release" })?)
    }

    /// The releases of a site with a number below `before`, newest first.
    pub async fn releases(
        &self,
        site: &SiteId,
        before: Option<u64>,
        limit: u16,
    ) -> Result<Vec<Release>, StoreError> {
        let sql = format!(
            "SELECT {COLUMNS} FROM releases WHERE site_id = $1 AND number < $2 ORDER BY number DESC LIMIT $3"
        );
        let rows = sqlx::query(sqlx::AssertSqlSafe(sql))
            .bind(site.as_str())
            .bind(before.map_or(i64::MAX, signed))
            .bind(i64::from(limit))
            .fetch_all(self.reader())
            .await?;
        rows.iter().map(read).collect()
    }

    /// The map of a release.
    pub async fn release_routes(
        &self,
        site: &SiteId,
        id: &ReleaseId,
    ) -> Result<ReleaseRoutes, StoreError> {
        let row = sqlx::query("SELECT routes FROM releases WHERE site_id = $1 AND id = $2")
            .bind(site.as_str())
            .bind(id.as_str())
            .fetch_optional(self.reader())
            .await?;
        let row = row.ok_or(StoreError::NotFound { what: "release" })?;
        let text: String = row.try_get("routes")?;
        serde_json::from_str(&text).map_err(|_error| CORRUPT)
    }

    /// What is known about files; files that no release has are left out.
    pub async fn release_files(
        &self,
        site: &SiteId,
        blobs: &[BlobId],
    ) -> Result<Vec<ReleaseFile>, StoreError> {
        let mut files = Vec::with_capacity(blobs.len());
        for chunk in blobs.chunks(PER_STATEMENT) {
            let places: Vec<String> = (2..=chunk.len() + 1).map(|at| format!("${at}")).collect();
            let sql = format!(
                "SELECT blob, bytes, brotli, gzip FROM release_files WHERE site_id = $1 AND blob IN ({})",
                places.join(", ")
            );
            let mut query = sqlx::query(sqlx::AssertSqlSafe(sql)).bind(site.as_str());
            for blob in chunk {
                query = query.bind(blob.as_str());
            }
            let rows = query.fetch_all(self.reader()).await?;
            for row in &rows {
                files.push(read_file(row)?);
            }
        }
        Ok(files)
    }

    /// Records files whose compressed forms were made again, after their blobs are written. What releases show is unchanged.
    pub async fn keep_release_files(
        &self,
        site: &SiteId,
        files: &[ReleaseFile],
    ) -> Result<(), StoreError> {
        if files.is_empty() {
            return Ok(());
        }
        let mut write = self.write().await?;
        lock_files(&mut write, site).await?;
        write_files(&mut write, site, files).await?;
        self.commit(write).await
    }

    /// The switch that a call has made, if any.
    pub async fn switch_of_call(
        &self,
        site: &SiteId,
        call: &str,
    ) -> Result<Option<ReleaseSwitch>, StoreError> {
        let row = sqlx::query(
            "SELECT release_id, agreed FROM release_switches WHERE site_id = $1 AND call_id = $2",
        )
        .bind(site.as_str())
        .bind(call)
        .fetch_optional(self.reader())
        .await?;
        let read = |row: AnyRow| -> Result<ReleaseSwitch, StoreError> {
            Ok(ReleaseSwitch {
                release: ReleaseId::from(row.try_get::<String, _>("release_id")?),
                agreed: row.try_get("agreed")?,
            })
        };
        row.map(read).transpose()
    }

    /// Stores a release and switches visitors to it in one transaction. Returns none, and changes nothing, if visitors no longer
    /// see the release that the switch starts from, or a reused file is gone.
    pub async fn publish(
        &self,
        site: &SiteId,
        new: NewRelease<'_>,
        switch: Switch<'_>,
    ) -> Result<Option<Release>, StoreError> {
        let pages = |route: &&ReleaseRoute| route.kind == RouteKind::Page;
        let pages = new.routes.values().filter(pages).count();
        let map = serde_json::to_string(new.routes).map_err(|_error| CORRUPT)?;
        let mut write = self.write().await?;
        lock_files(&mut write, site).await?;
        let Some(turn) = next_turn(&mut write, site, switch).await? else {
            return Ok(None);
        };
        if count_files(&mut write, site, new.reused).await? < new.reused.len() {
            return Ok(None);
        }
        write_files(&mut write, site, new.files).await?;
        let last = sqlx::query("SELECT MAX(number) AS number FROM releases WHERE site_id = $1")
            .bind(site.as_str())
            .fetch_one(&mut *write)
            .await?;
        let last: Option<i64> = last.try_get("number")?;
        let release = Release {
            id: ReleaseId::new(),
            number: u64::try_from(last.unwrap_or(0)).map_err(|_error| CORRUPT)? + 1,
            seq: new.seq,
            actor: switch.by.actor.clone(),
            note: new.note.to_owned(),
            at: switch.by.at,
            pages: pages as u64,
        };
        let inserted = sqlx::query(
            "INSERT INTO releases (id, site_id, number, seq, actor, note, at, pages, routes) \
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT DO NOTHING",
        )
        .bind(release.id.as_str())
        .bind(site.as_str())
        .bind(signed(release.number))
        .bind(signed(release.seq))
        .bind(release.actor.to_string())
        .bind(&release.note)
        .bind(release.at.millis())
        .bind(signed(release.pages))
        .bind(map)
        .execute(&mut *write)
        .await?;
        // Another node took the number, so its switch came before this one.
        if inserted.rows_affected() == 0 {
            return Ok(None);
        }
        let record = Record::of("site.published").with(json!({
            "number": release.number, "seq": release.seq, "pages": release.pages, "note": release.note,
        }));
        let step = (turn, switch);
        Ok(self
            .switch(write, (site, &release.id), step, record)
            .await?
            .then_some(release))
    }

    /// Switches visitors to an earlier release. Returns false if they no longer see the release that the switch starts from, or the
    /// earlier one was collected.
    pub async fn show_release(
        &self,
        site: &SiteId,
        release: &Release,
        switch: Switch<'_>,
    ) -> Result<bool, StoreError> {
        let mut write = self.write().await?;
        lock_files(&mut write, site).await?;
        let Some(turn) = next_turn(&mut write, site, switch).await? else {
            return Ok(false);
        };
        let there = sqlx::query("SELECT 1 FROM releases WHERE site_id = $1 AND id = $2")
            .bind(site.as_str())
            .bind(release.id.as_str())
            .fetch_optional(&mut *write)
            .await?;
        if there.is_none() {
            return Ok(false);
        }
        let record = Record::of("site.rolled_back").with(json!({ "number": release.number }));
        self.switch(write, (site, &release.id), (turn, switch), record)
            .await
    }

    async fn switch(
        &self,
        mut write: Write,
        (site, release): (&SiteId, &ReleaseId),
        (turn, switch): (i64, Switch<'_>),
        record: Record<'_>,
    ) -> Result<bool, StoreError> {
        let switched = sqlx::query(
            "INSERT INTO release_switches (site_id, turn, release_id, actor, call_id, agreed, at) \
             VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING",
        )
        .bind(site.as_str())
        .bind(turn)
        .bind(release.as_str())
        .bind(switch.by.actor.to_string())
        .bind(switch.call)
        .bind(switch.agreed)
        .bind(switch.by.at.millis())
        .execute(&mut *write)
        .await?;
        if switched.rows_affected() == 0 {
            return Ok(false);
        }
        record
            .on(site)
            .about(release.as_str())
            .save(&mut write, switch.by)
            .await?;
        crate::documents::announce(self, &mut write, site).await?;
        self.commit(write).await?;
        self.bell.ring(site);
        Ok(true)
    }
}

const CORRUPT: StoreError = StoreError::Corrupt { what: "release" };

/// The release of the last switch, and the number of that switch.
pub(crate) async fn last_switch(
    connection: &mut AnyConnection,
    site: &SiteId,
) -> Result<Option<(ReleaseId, i64)>, StoreError> {
    let row = sqlx::query(
        "SELECT release_id, turn FROM release_switches WHERE site_id = $1 ORDER BY turn DESC LIMIT 1",
    )
    .bind(site.as_str())
    .fetch_optional(connection)
    .await?;
    let read = |row: AnyRow| -> Result<_, StoreError> {
        let release = ReleaseId::from(row.try_get::<String, _>("release_id")?);
        Ok((release, row.try_get("turn")?))
    };
    row.map(read).transpose()
}

/// The number of the next switch; none if it does not start from the release of the last one.
async fn next_turn(
    write: &mut AnyConnection,
    site: &SiteId,
    switch: Switch<'_>,
) -> Result<Option<i64>, StoreError> {
    let last = last_switch(write, site).await?;
    let current = last.as_ref().map(|(release, _)| release);
    let turn = last.as_ref().map_or(1, |(_, turn)| turn + 1);
    Ok((current == switch.from).then_some(turn))
}

/// How many of these files have a row.
async fn count_files(
    connection: &mut AnyConnection,
    site: &SiteId,
    files: &[BlobId],
) -> Result<usize, StoreError> {
    let mut found = 0;
    for chunk in files.chunks(PER_STATEMENT) {
        let places: Vec<String> = (2..=chunk.len() + 1).map(|at| format!("${at}")).collect();
        let sql = format!(
            "SELECT COUNT(*) AS found FROM release_files WHERE site_id = $1 AND blob IN ({})",
            places.join(", ")
        );
        let mut query = sqlx::query(sqlx::AssertSqlSafe(sql)).bind(site.as_str());
        for blob in chunk {
            query = query.bind(blob.as_str());
        }
        let row = query.fetch_one(&mut *connection).await?;
        let count: i64 = row.try_get("found")?;
        found += usize::try_from(count).map_err(|_error| CORRUPT)?;
    }
    Ok(found)
}

/// Writes the rows of files, which are named from then on. Must run under the lock of the site's files.
async fn write_files(
    write: &mut AnyConnection,
    site: &SiteId,
    files: &[ReleaseFile],
) -> Result<(), StoreError> {
    let named: Vec<BlobId> = files.iter().flat_map(ReleaseFile::blobs).collect();
    end_claims(write, site, &named).await?;
    for chunk in files.chunks(PER_STATEMENT) {
        let row = |at: usize| {
            let first = 2 + at * 4;
            let (second, third, fourth) = (first + 1, first + 2, first + 3);
            format!("($1, ${first}, ${second}, ${third}, ${fourth})")
        };
        let rows: Vec<String> = (0..chunk.len()).map(row).collect();
        let sql = format!(
            "INSERT INTO release_files (site_id, blob, bytes, brotli, gzip) VALUES {} \
             ON CONFLICT (site_id, blob) DO UPDATE SET bytes = excluded.bytes, brotli = excluded.brotli, gzip = excluded.gzip",
            rows.join(", ")
        );
        let mut query = sqlx::query(sqlx::AssertSqlSafe(sql)).bind(site.as_str());
        for file in chunk {
            query = query
                .bind(file.blob.as_str())
                .bind(signed(file.bytes))
                .bind(file.brotli.as_ref().map(BlobId::as_str))
                .bind(file.gzip.as_ref().map(BlobId::as_str));
        }
        query.execute(&mut *write).await?;
    }
    Ok(())
}

fn read(row: &AnyRow) -> Result<Release, StoreError> {
    let number = |name: &str| -> Result<u64, StoreError> {
        u64::try_from(row.try_get::<i64, _>(name)?).map_err(|_error| CORRUPT)
    };
    Ok(Release {
        id: ReleaseId::from(row.try_get::<String, _>("id")?),
        number: number("number")?,
        seq: number("seq")?,
        actor: Actor::parse(row.try_get("actor")?).ok_or(CORRUPT)?,
        note: row.try_get("note")?,
        at: Timestamp::from_millis(row.try_get("at")?),
        pages: number("pages")?,
    })
}

fn read_file(row: &AnyRow) -> Result<ReleaseFile, StoreError> {
    let blob = |name: &str| -> Result<Option<BlobId>, StoreError> {
        let text: Option<String> = row.try_get(name)?;
        text.map(|text| BlobId::parse(&text).ok_or(CORRUPT))
            .transpose()
    };
    Ok(ReleaseFile {
        blob: blob("blob")?.ok_or(CORRUPT)?,
        bytes: u64::try_from(row.try_get::<i64, _>("bytes")?).map_err(|_error| CORRUPT)?,
        brotli: blob("brotli")?,
        gzip: blob("gzip")?,
    })
}

/// Counts never come near the limit of either type.
fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

//! The rows of the log and of snapshots. This module knows nothing about the replicas in memory.

use serde::de::DeserializeOwned;
use sitewright_site::{
    Astray, BodyId, BodySnapshot, ChangeId, FORMAT, Logged, Op, ReplayError, ShellSnapshot, Site,
    StoredFormat, read_stored, replay_body, replay_shell,
};
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, Row};

use crate::{SiteId, StoreError};

/// The shell's name where documents are named by id.
pub(super) const SHELL: &str = "";
/// What the names of entries of collections begin with there.
pub(super) const RECORD: &str = "entry:";

/// The last entry of a site's log; none if the site has no log yet.
pub(super) async fn end(
    connection: &mut AnyConnection,
    site: &SiteId,
) -> Result<Option<u64>, StoreError> {
    let row = sqlx::query("SELECT seq FROM site_logs WHERE site_id = $1")
        .bind(site.as_str())
        .fetch_optional(connection)
        .await?;
    row.map(|row| number(&row, "seq")).transpose()
}

/// The oldest entry that has not been collapsed.
pub(super) async fn kept_from(
    connection: &mut AnyConnection,
    site: &SiteId,
) -> Result<u64, StoreError> {
    let row = sqlx::query("SELECT kept_from FROM site_logs WHERE site_id = $1")
        .bind(site.as_str())
        .fetch_optional(connection)
        .await?;
    row.map_or(Ok(1), |row| number(&row, "kept_from"))
}

/// Locks a site's log until the transaction ends, and returns its last entry; none if the site has no log.
pub(super) async fn lock(
    connection: &mut AnyConnection,
    site: &SiteId,
) -> Result<Option<u64>, StoreError> {
    let row = sqlx::query("UPDATE site_logs SET seq = seq WHERE site_id = $1 RETURNING seq")
        .bind(site.as_str())
        .fetch_optional(connection)
        .await?;
    row.map(|row| number(&row, "seq")).transpose()
}

/// Up to `limit` entries after `after`, oldest first.
pub(super) async fn entries(
    connection: &mut AnyConnection,
    site: &SiteId,
    after: u64,
    limit: u32,
) -> Result<Vec<Logged>, StoreError> {
    let rows = sqlx::query(
        "SELECT seq, change_id, author, turn, summary, at, format, ops FROM site_changes \
         WHERE site_id = $1 AND seq > $2 ORDER BY seq LIMIT $3",
    )
    .bind(site.as_str())
    .bind(signed(after))
    .bind(i64::from(limit))
    .fetch_all(connection)
    .await?;
    rows.iter().map(entry).collect()
}

/// A part of a site as loaded from its rows.
#[derive(Debug)]
pub(super) struct LoadedLog<T> {
    pub(super) document: T,
    /// The last entry that `document` includes.
    pub(super) at: u64,
    /// The number of entries that were replayed onto the snapshot.
    pub(super) replayed: usize,
    /// Why replay stopped early. If set, `document` is in the state before that entry.
    pub(super) damage: Option<LogDamage>,
}

/// The first entry of a log that cannot be replayed onto the state before it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogDamage {
    pub seq: u64,
    pub reason: String,
}

/// How far to replay.
#[derive(Debug, Clone, Copy)]
pub(super) enum Until {
    End,
    /// Up to the entry before this one, which cannot be replayed onto the shell, so that documents match the shell's state.
    Damage(u64),
}

/// The shell at the end of the log, with no document open. If damaged, it is at the last entry that can be replayed.
pub(super) async fn shell(
    connection: &mut AnyConnection,
    site: &SiteId,
) -> Result<LoadedLog<Site>, StoreError> {
    let replay = |snapshot: Option<ShellSnapshot>, entries: &[Logged]| {
        replay_shell(snapshot.unwrap_or_default(), entries).map(Some)
    };
    let part = StoredPart { site, name: SHELL };
    let loaded = part.load(connection, Until::End, replay).await?;
    loaded.ok_or(StoreError::Corrupt {
        what: "site document",
    })
}

/// A document at the last entry about it. If damaged, it is at the last entry that can be replayed; none if nothing can be read.
pub(super) async fn body(
    connection: &mut AnyConnection,
    site: &SiteId,
    body: BodyId,
    until: Until,
) -> Result<Option<LoadedLog<BodySnapshot>>, StoreError> {
    let replay = |snapshot, entries: &[Logged]| replay_body(body, snapshot, entries);
    let part = StoredPart {
        site,
        name: &body.to_string(),
    };
    part.load(connection, until, replay).await
}

/// Like [`body`], but a document that did not exist yet before the damage is loaded to the end of the log: better newer than missing.
pub(super) async fn readable_body(
    connection: &mut AnyConnection,
    site: &SiteId,
    id: BodyId,
    until: Until,
) -> Result<Option<LoadedLog<BodySnapshot>>, StoreError> {
    match (body(connection, site, id, until).await?, until) {
        (None, Until::Damage(_)) => body(connection, site, id, Until::End).await,
        (loaded, _) => Ok(loaded),
    }
}

/// The shell or a document: a part with its own snapshots and entries.
struct StoredPart<'a> {
    site: &'a SiteId,
    name: &'a str,
}

impl StoredPart<'_> {
    /// Replays the entries since the newest snapshot.
    ///
    /// If the snapshot or an entry cannot be read, older snapshots are tried in turn, and finally the beginning of the log if it
    /// has not been collapsed. The attempt that gets furthest wins: a damaged snapshot then loses nothing, and a damaged entry only
    /// loses what came after it. Going back stops at the oldest state from which all entries are stored, and never crosses a
    /// recovery, because no ops lead from before it to the current site.
    async fn load<S: StoredFormat, T>(
        &self,
        connection: &mut AnyConnection,
        until: Until,
        replay: impl Fn(Option<S>, &[Logged]) -> Result<Option<T>, ReplayError>,
    ) -> Result<Option<LoadedLog<T>>, StoreError> {
        let mut furthest: Option<LoadedLog<T>> = None;
        let mut upto = until.last();
        loop {
            let row = self.snapshot_row(connection, upto).await?;
            let at = row.as_ref().map_or(Ok(0), |row| number(row, "seq"))?;
            let is_newest = row.is_some() && upto == u64::MAX;
            if !is_newest && at < replayable_from(connection, self.site).await? {
                return Ok(furthest);
            }
            let entries = self.entries(connection, at, until.last()).await?;
            let loaded = match entries.replay(row.as_ref(), &replay) {
                Ok(loaded) => loaded,
                Err(unreadable) => {
                    tracing::error!(
                        site = %self.site,
                        document = self.name,
                        seq = at,
                        error = %unreadable,
                        "snapshot cannot be read"
                    );
                    None
                }
            };
            match loaded {
                Some(loaded) if loaded.damage.is_none() => return Ok(Some(loaded)),
                Some(loaded)
                    if furthest
                        .as_ref()
                        .is_none_or(|best| best.reads_less_than(&loaded)) =>
                {
                    furthest = Some(loaded);
                }
                _ => {}
            }
            match at.checked_sub(1) {
                Some(before) => upto = before,
                None => return Ok(furthest),
            }
        }
    }

    /// The newest snapshot at or before an entry.
    async fn snapshot_row(
        &self,
        connection: &mut AnyConnection,
        upto: u64,
    ) -> Result<Option<AnyRow>, StoreError> {
        let row = sqlx::query(
            "SELECT seq, format, document FROM site_snapshots WHERE site_id = $1 AND body_id = $2 AND seq <= $3 \
             ORDER BY seq DESC LIMIT 1",
        )
        .bind(self.site.as_str())
        .bind(self.name)
        .bind(signed(upto))
        .fetch_optional(connection)
        .await?;
        Ok(row)
    }

    /// The entries about this part after `after` and up to `upto`, oldest first.
    async fn entries(
        &self,
        connection: &mut AnyConnection,
        after: u64,
        upto: u64,
    ) -> Result<Entries, StoreError> {
        let rows = sqlx::query(
            "SELECT c.seq, c.change_id, c.author, c.turn, c.summary, c.at, c.format, c.ops FROM site_change_bodies b \
             JOIN site_changes c ON c.site_id = b.site_id AND c.seq = b.seq \
             WHERE b.site_id = $1 AND b.body_id = $2 AND b.seq > $3 AND b.seq <= $4 ORDER BY b.seq",
        )
        .bind(self.site.as_str())
        .bind(self.name)
        .bind(signed(after))
        .bind(signed(upto))
        .fetch_all(connection)
        .await?;
        let mut entries = Entries {
            after,
            readable: Vec::with_capacity(rows.len()),
            damage: None,
        };
        for row in &rows {
            match entry(row) {
                Ok(entry) => entries.readable.push(entry),
                Err(error) => {
                    entries.damage = Some(LogDamage {
                        seq: number(row, "seq")?,
                        reason: error.to_string(),
                    });
                    break;
                }
            }
        }
        Ok(entries)
    }
}

/// Entries about a part of a site, up to the first one that cannot be read.
struct Entries {
    after: u64,
    readable: Vec<Logged>,
    damage: Option<LogDamage>,
}

impl Entries {
    /// Replays the entries onto the snapshot in `row`, up to the first one that does not apply.
    fn replay<S: StoredFormat, T>(
        self,
        row: Option<&AnyRow>,
        replay: &impl Fn(Option<S>, &[Logged]) -> Result<Option<T>, ReplayError>,
    ) -> Result<Option<LoadedLog<T>>, StoreError> {
        let snapshot = || row.map(|row| stored(row, "document")).transpose();
        match replay(snapshot()?, &self.readable) {
            Ok(document) => Ok(self.loaded(document)),
            Err(error) => {
                let readable = self.before(error);
                let document = replay(snapshot()?, &readable.readable).ok().flatten();
                Ok(readable.loaded(document))
            }
        }
    }

    /// Keeps only the entries before the one that failed.
    fn before(mut self, error: ReplayError) -> Self {
        self.readable.retain(|entry| entry.seq < error.seq);
        self.damage = Some(LogDamage {
            seq: error.seq,
            reason: error.source.to_string(),
        });
        self
    }

    fn loaded<T>(self, document: Option<T>) -> Option<LoadedLog<T>> {
        Some(LoadedLog {
            document: document?,
            at: self.readable.last().map_or(self.after, |entry| entry.seq),
            replayed: self.readable.len(),
            damage: self.damage,
        })
    }
}

impl<T> LoadedLog<T> {
    fn reads_less_than(&self, other: &Self) -> bool {
        let reach = |loaded: &Self| loaded.damage.as_ref().map_or(u64::MAX, |damage| damage.seq);
        reach(self) < reach(other)
    }
}

impl Until {
    fn last(self) -> u64 {
        match self {
            Self::End => u64::MAX,
            Self::Damage(seq) => seq - 1,
        }
    }
}

/// The oldest state from which all later entries are stored and lead to the current site.
async fn replayable_from(connection: &mut AnyConnection, site: &SiteId) -> Result<u64, StoreError> {
    let kept_from = kept_from(connection, site).await?;
    Ok(recovered_at(connection, site)
        .await?
        .max(kept_from.saturating_sub(1)))
}

/// The entry of the last recovery; 0 if the site was never recovered.
pub(super) async fn recovered_at(
    connection: &mut AnyConnection,
    site: &SiteId,
) -> Result<u64, StoreError> {
    let row = sqlx::query("SELECT recovered_at FROM site_logs WHERE site_id = $1")
        .bind(site.as_str())
        .fetch_one(connection)
        .await?;
    number(&row, "recovered_at")
}

/// The whole site at a restore point; none if there is no restore point at `seq`.
pub(super) async fn restore_point(
    connection: &mut AnyConnection,
    site: &SiteId,
    seq: u64,
) -> Result<Option<Site>, StoreError> {
    let point = sqlx::query("SELECT seq FROM site_restore_points WHERE site_id = $1 AND seq = $2")
        .bind(site.as_str())
        .bind(signed(seq))
        .fetch_optional(&mut *connection)
        .await?;
    if point.is_none() {
        return Ok(None);
    }
    let missing = || StoreError::Corrupt {
        what: "restore point",
    };
    let shell: ShellSnapshot = StoredPart { site, name: SHELL }
        .snapshot_row(connection, seq)
        .await?
        .map(|row| stored(&row, "document"))
        .ok_or_else(missing)??;
    let mut target = Site::from_shell(shell);
    let pages = target.shell.pages.iter().map(|(id, _)| id);
    let components = target.shell.components.iter().map(|(id, _)| id);
    for body in pages.chain(components).collect::<Vec<_>>() {
        let name = body.to_string();
        let document: BodySnapshot = StoredPart { site, name: &name }
            .snapshot_row(connection, seq)
            .await?
            .map(|row| stored(&row, "document"))
            .ok_or_else(missing)??;
        target
            .open(body, &document)
            .map_err(|_misplaced| missing())?;
    }
    Ok(Some(target))
}

/// Writes a snapshot of a document. It replaces the previous one, unless a restore point needs that.
pub(super) async fn write_snapshot(
    connection: &mut AnyConnection,
    site: &SiteId,
    body: &str,
    seq: u64,
    document: &impl serde::Serialize,
) -> Result<(), StoreError> {
    forget_snapshots(connection, site, body).await?;
    sqlx::query(
        "INSERT INTO site_snapshots (site_id, body_id, seq, format, document, restore_point) VALUES ($1, $2, $3, $4, $5, 0) \
         ON CONFLICT (site_id, body_id, seq) DO UPDATE SET format = excluded.format, document = excluded.document",
    )
    .bind(site.as_str())
    .bind(body)
    .bind(signed(seq))
    .bind(i64::from(FORMAT))
    .bind(written(document)?)
    .execute(connection)
    .await?;
    Ok(())
}

/// The names of the parts that have a snapshot.
pub(super) async fn parts_with_snapshots(
    connection: &mut AnyConnection,
    site: &SiteId,
) -> Result<Vec<String>, StoreError> {
    let rows = sqlx::query("SELECT DISTINCT body_id FROM site_snapshots WHERE site_id = $1")
        .bind(site.as_str())
        .fetch_all(connection)
        .await?;
    rows.iter().map(|row| Ok(row.try_get("body_id")?)).collect()
}

/// Records that an entry touches a part.
pub(super) async fn name_part(
    connection: &mut AnyConnection,
    site: &SiteId,
    part: &str,
    seq: u64,
) -> Result<(), StoreError> {
    sqlx::query("INSERT INTO site_change_bodies (site_id, body_id, seq) VALUES ($1, $2, $3)")
        .bind(site.as_str())
        .bind(part)
        .bind(signed(seq))
        .execute(connection)
        .await?;
    Ok(())
}

/// Deletes the snapshots of a document, except those that a restore point needs.
pub(super) async fn forget_snapshots(
    connection: &mut AnyConnection,
    site: &SiteId,
    body: &str,
) -> Result<(), StoreError> {
    sqlx::query(
        "DELETE FROM site_snapshots WHERE site_id = $1 AND body_id = $2 AND restore_point = 0",
    )
    .bind(site.as_str())
    .bind(body)
    .execute(connection)
    .await?;
    Ok(())
}

/// The documents that may contain a text, because it occurs in their snapshot or in a later entry about them. The text must not
/// contain LIKE wildcards; ids never do.
pub(super) async fn bodies_mentioning(
    connection: &mut AnyConnection,
    site: &SiteId,
    text: &str,
) -> Result<Vec<BodyId>, StoreError> {
    let pattern = format!("%{text}%");
    let rows = sqlx::query(
        "SELECT body_id FROM site_snapshots WHERE site_id = $1 AND body_id <> '' AND document LIKE $2 \
         UNION SELECT b.body_id FROM site_change_bodies b \
         JOIN site_changes c ON c.site_id = b.site_id AND c.seq = b.seq \
         WHERE b.site_id = $1 AND b.body_id <> '' AND c.ops LIKE $2 AND b.seq > \
         (SELECT MAX(s.seq) FROM site_snapshots s WHERE s.site_id = b.site_id AND s.body_id = b.body_id)",
    )
    .bind(site.as_str())
    .bind(pattern)
    .fetch_all(connection)
    .await?;
    let bodies = rows.iter().map(|row| row.try_get::<String, _>("body_id"));
    bodies
        .map(|body| {
            body?
                .parse()
                .map_err(|_bad| StoreError::Corrupt { what: "document" })
        })
        .collect()
}

pub(super) fn entry(row: &AnyRow) -> Result<Logged, StoreError> {
    let ops: Vec<Op> = stored(row, "ops")?;
    Ok(Logged {
        seq: number(row, "seq")?,
        at: row.try_get("at")?,
        id: ChangeId::from(row.try_get::<String, _>("change_id")?),
        author: json(row, "author")?,
        turn: row.try_get("turn")?,
        summary: row.try_get("summary")?,
        ops,
        format: u32::try_from(row.try_get::<i64, _>("format")?)
            .map_err(|_error| StoreError::Corrupt { what: "change" })?,
    })
}

/// Deserializes a column that was stored in the version given by the row's `format` column.
pub(crate) fn stored<T: StoredFormat>(row: &AnyRow, column: &str) -> Result<T, StoreError> {
    let text: String = row.try_get(column)?;
    let format = number(row, "format")?;
    read_stored(format, &text).map_err(|error| StoreError::Unreadable {
        what: "site document",
        reason: error.to_string(),
    })
}

pub(super) fn json<T: DeserializeOwned>(row: &AnyRow, column: &str) -> Result<T, StoreError> {
    let text: String = row.try_get(column)?;
    serde_json::from_str(&text).map_err(|error| StoreError::Unreadable {
        what: "site document",
        reason: error.to_string(),
    })
}

pub(super) fn written(value: &impl serde::Serialize) -> Result<String, StoreError> {
    serde_json::to_string(value).map_err(|_error| StoreError::Corrupt {
        what: "site document",
    })
}

pub(crate) fn number(row: &AnyRow, column: &str) -> Result<u64, StoreError> {
    u64::try_from(row.try_get::<i64, _>(column)?)
        .map_err(|_error| StoreError::Corrupt { what: "sequence" })
}

/// Sequence numbers count up by one and never come near the limit of either type.
pub(super) fn signed(seq: u64) -> i64 {
    i64::try_from(seq).unwrap_or(i64::MAX)
}

pub(super) fn astray(_: Astray) -> StoreError {
    StoreError::Corrupt {
        what: "log of changes",
    }
}

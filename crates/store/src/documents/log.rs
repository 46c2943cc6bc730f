//! Rows of the log and of snapshots. Nothing here knows what is in memory.

use serde::de::DeserializeOwned;
use sitewright_site::{
    Astray, BodyId, BodySnapshot, ChangeId, FORMAT, Logged, Op, Replica, ShellSnapshot, Site,
    Stored, read_stored,
};
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, Row};

use crate::{SiteId, StoreError};

/// The name of the shell among the documents.
pub(super) const SHELL: &str = "";

/// Where the log of a site ends; nothing for a site that has none yet.
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

/// The oldest entry that is kept.
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

/// Takes the lock of a site's log until the transaction ends, and tells where it ends.
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

/// The entries after `after`, at most `limit`, the oldest first.
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

/// The entries after `after` that are about a document, the oldest first.
async fn entries_of(
    connection: &mut AnyConnection,
    site: &SiteId,
    body: &str,
    after: u64,
) -> Result<Vec<Logged>, StoreError> {
    let rows = sqlx::query(
        "SELECT c.seq, c.change_id, c.author, c.turn, c.summary, c.at, c.format, c.ops FROM site_change_bodies b \
         JOIN site_changes c ON c.site_id = b.site_id AND c.seq = b.seq \
         WHERE b.site_id = $1 AND b.body_id = $2 AND b.seq > $3 ORDER BY b.seq",
    )
    .bind(site.as_str())
    .bind(body)
    .bind(signed(after))
    .fetch_all(connection)
    .await?;
    rows.iter().map(entry).collect()
}

/// What was loaded.
pub(super) struct Loaded<T> {
    pub(super) document: T,
    /// The entry it is as of.
    pub(super) at: u64,
    /// How many entries had to be read for it.
    pub(super) replayed: usize,
}

/// The shell as of the end of the log, with no document open.
pub(super) async fn shell(
    connection: &mut AnyConnection,
    site: &SiteId,
    end: u64,
) -> Result<Loaded<Replica>, StoreError> {
    let (shell, at): (ShellSnapshot, u64) = snapshot(connection, site, (SHELL, u64::MAX))
        .await?
        .ok_or(StoreError::Corrupt {
            what: "site document",
        })?;
    let mut replica = Replica::new(shell, at);
    let entries = entries_of(connection, site, SHELL, at).await?;
    let replayed = entries.len();
    for entry in entries {
        replica.skip_to(entry.seq - 1);
        replica.receive(entry).map_err(astray)?;
    }
    replica.skip_to(end);
    // New documents came with their entries, and what happened in them since was skipped.
    let opened: Vec<BodyId> = replica.site().bodies.keys().copied().collect();
    for body in opened {
        replica.close(body);
    }
    Ok(Loaded {
        document: replica,
        at: end,
        replayed,
    })
}

/// A document as of the end of the log, or of a newer entry about it that came meanwhile; nothing when there is none.
pub(super) async fn body(
    connection: &mut AnyConnection,
    site: &SiteId,
    (body, end): (BodyId, u64),
) -> Result<Option<Loaded<BodySnapshot>>, StoreError> {
    let name = body.to_string();
    let Some((document, at)) =
        snapshot::<BodySnapshot>(connection, site, (&name, u64::MAX)).await?
    else {
        return Ok(None);
    };
    let entries = entries_of(connection, site, &name, at).await?;
    let (replayed, newest) = (
        entries.len(),
        entries.last().map_or(end, |entry| entry.seq.max(end)),
    );
    if replayed == 0 {
        return Ok(Some(Loaded {
            document,
            at: newest,
            replayed,
        }));
    }
    let mut replica = Replica::new(ShellSnapshot::default(), at);
    replica.open(body, &document, at).map_err(astray)?;
    for mut entry in entries {
        entry.ops.retain(|op| op.tree() == Some(body));
        replica.skip_to(entry.seq - 1);
        replica.receive(entry).map_err(astray)?;
    }
    let document = replica
        .site()
        .body_snapshot(body)
        .ok_or(StoreError::Corrupt { what: "document" })?;
    Ok(Some(Loaded {
        document,
        at: newest,
        replayed,
    }))
}

/// The whole site as it was at a restore point; nothing when there is none there.
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
    let (shell, _) = snapshot::<ShellSnapshot>(connection, site, (SHELL, seq))
        .await?
        .ok_or_else(missing)?;
    let mut target = Site::from_shell(shell);
    let pages = target.shell.pages.iter().map(|(id, _)| id);
    let components = target.shell.components.iter().map(|(id, _)| id);
    for body in pages.chain(components).collect::<Vec<_>>() {
        let (document, _) = snapshot::<BodySnapshot>(connection, site, (&body.to_string(), seq))
            .await?
            .ok_or_else(missing)?;
        target
            .open(body, &document)
            .map_err(|_misplaced| missing())?;
    }
    Ok(Some(target))
}

/// The newest snapshot of a document up to an entry.
async fn snapshot<T: Stored>(
    connection: &mut AnyConnection,
    site: &SiteId,
    (body, upto): (&str, u64),
) -> Result<Option<(T, u64)>, StoreError> {
    let row = sqlx::query(
        "SELECT seq, format, document FROM site_snapshots WHERE site_id = $1 AND body_id = $2 AND seq <= $3 \
         ORDER BY seq DESC LIMIT 1",
    )
    .bind(site.as_str())
    .bind(body)
    .bind(signed(upto))
    .fetch_optional(connection)
    .await?;
    let Some(row) = row else { return Ok(None) };
    Ok(Some((stored(&row, "document")?, number(&row, "seq")?)))
}

/// Writes a document as of an entry, in place of the one before it unless that one belongs to a restore point.
pub(super) async fn write_snapshot(
    connection: &mut AnyConnection,
    site: &SiteId,
    (body, seq): (&str, u64),
    document: &impl serde::Serialize,
) -> Result<(), StoreError> {
    forget_snapshots(connection, site, body).await?;
    sqlx::query(
        "INSERT INTO site_snapshots (site_id, body_id, seq, format, document, restore_point) VALUES ($1, $2, $3, $4, $5, 0) \
         ON CONFLICT (site_id, body_id, seq) DO UPDATE SET document = excluded.document",
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

/// Drops the snapshots of a document that no restore point needs.
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

/// The documents that may hold a text: it stands in their snapshot or in an entry about them since. The text is of signs that mean
/// nothing to LIKE, as ids are.
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

/// Reads what was stored under the number in the column `format`.
pub(super) fn stored<T: Stored>(row: &AnyRow, column: &str) -> Result<T, StoreError> {
    let text: String = row.try_get(column)?;
    let format = number(row, "format")?;
    read_stored(format, &text).map_err(|_error| StoreError::Corrupt {
        what: "site document",
    })
}

pub(super) fn json<T: DeserializeOwned>(row: &AnyRow, column: &str) -> Result<T, StoreError> {
    let text: String = row.try_get(column)?;
    serde_json::from_str(&text).map_err(|_error| StoreError::Corrupt {
        what: "site document",
    })
}

pub(super) fn written(value: &impl serde::Serialize) -> Result<String, StoreError> {
    serde_json::to_string(value).map_err(|_error| StoreError::Corrupt {
        what: "site document",
    })
}

pub(super) fn number(row: &AnyRow, column: &str) -> Result<u64, StoreError> {
    u64::try_from(row.try_get::<i64, _>(column)?)
        .map_err(|_error| StoreError::Corrupt { what: "sequence" })
}

/// Sequences are counted one by one and never come near the end of either type.
pub(super) fn signed(seq: u64) -> i64 {
    i64::try_from(seq).unwrap_or(i64::MAX)
}

pub(super) fn astray(_: Astray) -> StoreError {
    StoreError::Corrupt {
        what: "log of changes",
    }
}

//! Committing: the only way a site changes, whether the change comes from a tab, a tool or a script.

mod error;

use std::collections::BTreeSet;

use serde_json::json;
use sha2::{Digest, Sha256};
use sitewright_site::gate::{self, Authority};
use sitewright_site::{
    Applied, Author, BodyId, Change, ChangeId, Entity, FORMAT, Logged, Op, OpError, OpScope,
};
use sitewright_tool::{CapabilitySet, Taint};
use sqlx::{AnyConnection, Row};

use super::live::LiveSite;
use super::log;
use super::record_rules::{self, CollectionsBefore, Rules};
use crate::audit::Record;
use crate::{CallInCommit, SiteId, Stamp, StoreError, Timestamp};

pub use error::CommitError;

/// A new snapshot of a document is written after this many entries, or this many bytes of entries.
const ENTRIES_PER_SNAPSHOT: usize = 64;
const BYTES_PER_SNAPSHOT: usize = 512 * 1024;
/// The maximum number of entries that a conflict error carries.
const NEWER_MAX: usize = 50;

/// Who commits a change, and with which permissions.
#[derive(Debug, Clone)]
pub struct Committer {
    pub author: Author,
    pub capabilities: CapabilitySet,
    /// The actor and time for the activity log.
    pub by: Stamp,
    /// Whether a person approved exactly this change.
    pub is_approved: bool,
    /// Whether anything from outside had a part in the change.
    pub taint: Taint,
}

impl Committer {
    /// A committer that acts without a person's approval, and without input from outside.
    pub fn new(author: Author, capabilities: CapabilitySet, by: Stamp) -> Self {
        Self {
            author,
            capabilities,
            by,
            is_approved: false,
            taint: Taint::Trusted,
        }
    }

    fn authority(&self) -> Authority<'_> {
        Authority {
            author: &self.author,
            capabilities: &self.capabilities,
            is_approved: self.is_approved,
        }
    }
}

/// A change that is in the log.
#[derive(Debug, Clone, PartialEq)]
pub struct CommittedChange {
    /// The entry, with the ops as they were applied: a slug that was already taken has been replaced by a free one.
    pub entry: Logged,
    /// The ops that were not applied, by index, and why.
    pub left_out: Vec<(usize, String)>,
    /// Whether the change was already in the log, so that this is the reply to a retry.
    pub is_repeated: bool,
}

impl LiveSite {
    /// Appends a change to the log, or returns why it was rejected. Idempotent: a retry with the same id and content gets the first reply.
    pub async fn commit(
        &mut self,
        change: &Change,
        by: &Committer,
    ) -> Result<CommittedChange, CommitError> {
        self.commit_with(change, by, None).await
    }

    /// Like [`Self::commit`], for the change of a call. The call's row ends in the same transaction, so either both are stored or
    /// neither is. If any op cannot be applied, the whole change is rejected, because the call's outcome speaks for all of it.
    pub async fn commit_call(
        &mut self,
        change: &Change,
        by: &Committer,
        call: &CallInCommit<'_>,
    ) -> Result<CommittedChange, CommitError> {
        self.commit_with(change, by, Some(call)).await
    }

    /// Checks whether the gate would accept a change to the site in its current state. The caller
    /// must have opened the documents it touches.
    pub fn admits(&self, change: &Change, by: &Committer) -> Result<(), CommitError> {
        self.refuse_damaged(change)?;
        gate::check_form(change, log::written(change)?.len())?;
        gate::check_authority(self.site(), change, by.authority())?;
        Ok(())
    }

    /// The commit path. One transaction holds the lock of the site's log from its first statement to the commit, so the log has one
    /// order across nodes, and the checks see the exact state that the change is applied to.
    ///
    /// Cheap checks of the form come before the lock; a retry is answered from its stored entry before anything else is looked up.
    /// Then the replica catches up with the log, conflicts and authority are checked, and the ops are applied to the replica in
    /// memory. From there until the database has committed, `is_sound` is false: if the commit fails or its future is dropped, the
    /// replica holds a change that the log may lack, and the next caller reloads it instead of trusting it. Only a refusal right
    /// after applying undoes the ops in place, because nothing has been written yet.
    async fn commit_with(
        &mut self,
        change: &Change,
        by: &Committer,
        call: Option<&CallInCommit<'_>>,
    ) -> Result<CommittedChange, CommitError> {
        gate::check_form(change, log::written(change)?.len())?;
        let digest = digest(change, &by.author)?;
        let store = self.store.clone();
        let mut write = store.write().await?;
        let end = log::lock(&mut write, &self.id)
            .await?
            .ok_or(StoreError::NotFound { what: "site" })?;
        if let Some(first) = repeated(&mut write, &self.id, change, &digest).await? {
            return Ok(first);
        }
        self.catch_up(&mut write, end).await?;
        self.open_parts(&mut write, change).await?;
        self.refuse_damaged(change)?;
        let touched = self.site().conflicts(change);
        if !touched.is_empty() {
            let newer = self.last_changes_of(&mut write, &touched).await?;
            return Err(CommitError::Conflict { touched, newer });
        }
        gate::check_authority(self.site(), change, by.authority())?;
        let before = CollectionsBefore::of(self.site(), change);
        self.live.is_sound = false;
        let applied = self.live.replica.attempt(&change.ops);
        let is_whole = call.is_none() || applied.rejected.is_empty();
        let checked = match is_whole && !applied.done.is_empty() {
            true => {
                self.check_applied(&mut write, change, &before, &applied)
                    .await
            }
            false => Err(CommitError::Impossible(applied.rejected.clone())),
        };
        if let Err(refused) = checked {
            self.live.is_sound = self.site_mut().undo_all(&applied).is_ok();
            return Err(refused);
        }
        let entry = Entry {
            seq: end + 1,
            id: &change.id,
            digest: &digest,
            author: &by.author,
            turn: change.turn.as_deref(),
            summary: &change.summary,
            at: by.by.at,
            taint: by.taint,
        };
        let bytes = entry.write(&mut write, &self.id, &applied).await?;
        self.snapshots(&mut write, &entry, &applied, bytes).await?;
        self.write_records(&mut write, &applied, entry.seq, entry.at)
            .await?;
        self.write_due(&mut write, &applied, &by.by).await?;
        self.side_effects(&mut write, &applied, by).await?;
        // The replica already has the change, but `is_sound` is still false, so after this early return the next caller reloads it.
        if let Some(call) = call
            && !call.save(&mut write, &by.by).await?
        {
            return Err(CommitError::CallOver(None));
        }
        super::wake::announce(&store, &mut write, &self.id).await?;
        store.commit(write).await?;
        self.live.replica.keep();
        self.live.is_sound = true;
        let about: Vec<BodyId> = change.bodies().collect();
        self.live.tidy(&about);
        store.bell.ring(&self.id);
        Ok(CommittedChange {
            entry: entry.logged(applied.done.into_iter().map(|done| done.op).collect()),
            left_out: left_out(&applied.rejected),
            is_repeated: false,
        })
    }

    /// Opens the documents and entries that a change is about.
    async fn open_parts(
        &mut self,
        write: &mut AnyConnection,
        change: &Change,
    ) -> Result<(), StoreError> {
        for body in change.bodies() {
            self.open_with(write, body).await?;
        }
        for id in change.records() {
            self.open_record_with(write, id).await?;
        }
        Ok(())
    }

    /// Checks the site as it is with the change.
    async fn check_applied(
        &self,
        write: &mut AnyConnection,
        change: &Change,
        before: &CollectionsBefore,
        applied: &Applied,
    ) -> Result<(), CommitError> {
        gate::check_result(self.site(), change)?;
        let is_new =
            |op: &Op| matches!(op.scope(), OpScope::Document(_)) && matches!(op, Op::Insert { .. });
        if applied.done.iter().any(|done| is_new(&done.op)) {
            let shell = &self.site().shell;
            let count = shell.pages.iter().count() + shell.components.iter().count();
            self.store.quotas.for_documents().check(count as u64)?;
        }
        let rules = Rules {
            id: &self.id,
            site: self.site(),
            applied,
        };
        record_rules::check(write, rules, before).await
    }

    fn refuse_damaged(&self, change: &Change) -> Result<(), CommitError> {
        let site = self.damage().map(|damage| (None, damage));
        let mut bodies = change
            .bodies()
            .filter_map(|body| Some((Some(body), self.damage_of(body)?)));
        match site.or_else(|| bodies.next()) {
            Some((document, damage)) => Err(CommitError::ReadOnly {
                document,
                damage: damage.clone(),
            }),
            None => Ok(()),
        }
    }

    /// An entry of the log; none if it has been collapsed.
    pub async fn entry(&self, seq: u64) -> Result<Option<Logged>, StoreError> {
        let Some(before) = seq.checked_sub(1) else {
            return Ok(None);
        };
        let mut connection = self.store.reader().acquire().await?;
        let entries = log::entries(&mut connection, &self.id, before, 1).await?;
        Ok(entries.into_iter().find(|entry| entry.seq == seq))
    }

    /// The entries that last touched these entities, oldest first.
    async fn last_changes_of(
        &self,
        write: &mut AnyConnection,
        touched: &[Entity],
    ) -> Result<Vec<Logged>, StoreError> {
        let seqs: BTreeSet<u64> = touched
            .iter()
            .map(|entity| self.site().rev(*entity))
            .collect();
        let mut newer = Vec::new();
        for seq in seqs.into_iter().filter(|seq| *seq > 0).take(NEWER_MAX) {
            newer.extend(log::entries(write, &self.id, seq - 1, 1).await?);
        }
        Ok(newer)
    }

    /// Writes snapshots of documents that have enough new entries, and deletes the snapshots of documents that no longer exist.
    async fn snapshots(
        &mut self,
        write: &mut AnyConnection,
        entry: &Entry<'_>,
        applied: &Applied,
        bytes: usize,
    ) -> Result<(), StoreError> {
        let site = self.id.clone();
        let parts = bodies_of(applied).into_iter();
        for body in parts.filter(|part| !part.starts_with(log::RECORD)) {
            let is_new = applied.done.iter().any(|done| {
                matches!((done.op.scope(), &done.op), (OpScope::Document(new), Op::Insert { .. })
                    if new.to_string() == body)
            });
            let since = self.live.since.entry(body.clone()).or_default();
            since.entries += 1;
            since.bytes += bytes;
            let is_due = since.entries >= ENTRIES_PER_SNAPSHOT || since.bytes >= BYTES_PER_SNAPSHOT;
            if body == log::SHELL {
                if is_due {
                    let shell = self.live.replica.site().shell_snapshot();
                    log::write_snapshot(write, &site, log::SHELL, entry.seq, &shell).await?;
                    self.live.since.remove(&body);
                }
                continue;
            }
            let open = body
                .parse()
                .ok()
                .and_then(|id| self.live.replica.site().body_snapshot(id));
            match open {
                Some(document) if is_due || is_new => {
                    log::write_snapshot(write, &site, &body, entry.seq, &document).await?;
                    self.live.since.remove(&body);
                }
                Some(_) => {}
                None => {
                    log::forget_snapshots(write, &site, &body).await?;
                    self.live.since.remove(&body);
                }
            }
        }
        Ok(())
    }

    /// Updates rows outside the log: the site's name, and the activity log if the change touches code.
    async fn side_effects(
        &self,
        write: &mut crate::database::Write,
        applied: &Applied,
        by: &Committer,
    ) -> Result<(), StoreError> {
        let renamed = applied.done.iter().any(|done| {
            matches!(&done.op, Op::Put { entity: Entity::Site, field, .. } if field == "name")
        });
        if renamed {
            sqlx::query("UPDATE sites SET name = $1 WHERE id = $2")
                .bind(&self.site().shell.settings.name)
                .bind(self.id.as_str())
                .execute(&mut **write)
                .await?;
        }
        let mut ops = applied.done.iter().map(|done| &done.op);
        if ops.any(|op| gate::touches_code(self.site(), op)) {
            Record::of("site.code_changed")
                .on(&self.id)
                .with(json!({ "author": by.author }))
                .save(write, &by.by)
                .await?;
        }
        Ok(())
    }
}

/// An entry that is about to be written to the log.
pub(super) struct Entry<'a> {
    pub(super) seq: u64,
    pub(super) id: &'a ChangeId,
    pub(super) digest: &'a str,
    pub(super) author: &'a Author,
    pub(super) turn: Option<&'a str>,
    pub(super) summary: &'a str,
    pub(super) at: Timestamp,
    pub(super) taint: Taint,
}

impl Entry<'_> {
    /// Writes the entry and returns its size in bytes.
    pub(super) async fn write(
        &self,
        write: &mut AnyConnection,
        site: &SiteId,
        applied: &Applied,
    ) -> Result<usize, StoreError> {
        let ops: Vec<&Op> = applied.done.iter().map(|done| &done.op).collect();
        let replaced: Vec<_> = applied.done.iter().map(|done| &done.was).collect();
        let (ops, replaced) = (log::written(&ops)?, log::written(&replaced)?);
        let bytes = ops.len() + replaced.len();
        sqlx::query("UPDATE site_logs SET seq = $1 WHERE site_id = $2")
            .bind(log::signed(self.seq))
            .bind(site.as_str())
            .execute(&mut *write)
            .await?;
        sqlx::query(
            "INSERT INTO site_changes (site_id, seq, change_id, digest, author, turn, summary, at, format, ops, replaced, left_out, bytes, tainted) \
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)",
        )
        .bind(site.as_str())
        .bind(log::signed(self.seq))
        .bind(self.id.as_str())
        .bind(self.digest)
        .bind(log::written(self.author)?)
        .bind(self.turn)
        .bind(self.summary)
        .bind(self.at.millis())
        .bind(i64::from(FORMAT))
        .bind(ops)
        .bind(replaced)
        .bind(log::written(&left_out(&applied.rejected))?)
        .bind(i64::try_from(bytes).unwrap_or(i64::MAX))
        .bind(i64::from(self.taint == Taint::Untrusted))
        .execute(&mut *write)
        .await?;
        for body in bodies_of(applied) {
            log::name_part(write, site, &body, self.seq).await?;
        }
        Ok(bytes)
    }

    fn logged(&self, ops: Vec<Op>) -> Logged {
        Logged {
            seq: self.seq,
            at: self.at.millis(),
            id: self.id.clone(),
            author: self.author.clone(),
            turn: self.turn.map(str::to_owned),
            summary: self.summary.to_owned(),
            ops,
            format: FORMAT,
        }
    }
}

fn left_out(rejected: &[(usize, OpError)]) -> Vec<(usize, String)> {
    rejected
        .iter()
        .map(|(position, why)| (*position, why.to_string()))
        .collect()
}

/// The documents and entries that the ops touch; the shell is the empty name.
fn bodies_of(applied: &Applied) -> Vec<String> {
    let mut bodies: Vec<String> = Vec::new();
    for done in &applied.done {
        let scope = done.op.scope();
        if scope.includes_shell() {
            bodies.push(log::SHELL.to_owned());
        }
        bodies.extend(scope.body().map(|body| body.to_string()));
        let entry = scope.record();
        bodies.extend(entry.map(|id| format!("{}{id}", log::RECORD)));
    }
    bodies.sort_unstable();
    bodies.dedup();
    bodies
}

/// The fingerprint that decides whether a second change with the same id is a retry or a different change.
fn digest(change: &Change, author: &Author) -> Result<String, StoreError> {
    let mut hash = Sha256::new();
    hash.update(log::written(author)?);
    hash.update(log::written(&change.ops)?);
    Ok(hex::encode(hash.finalize()))
}

async fn repeated(
    write: &mut AnyConnection,
    site: &SiteId,
    change: &Change,
    digest: &str,
) -> Result<Option<CommittedChange>, CommitError> {
    let row = sqlx::query(
        "SELECT seq, change_id, author, turn, summary, at, format, ops, digest, left_out FROM site_changes \
         WHERE site_id = $1 AND change_id = $2",
    )
    .bind(site.as_str())
    .bind(change.id.as_str())
    .fetch_optional(write)
    .await?;
    let Some(row) = row else { return Ok(None) };
    if row.try_get::<String, _>("digest")? != digest {
        return Err(CommitError::IdTaken(change.id.clone()));
    }
    Ok(Some(CommittedChange {
        entry: log::entry(&row)?,
        left_out: log::json(&row, "left_out")?,
        is_repeated: true,
    }))
}

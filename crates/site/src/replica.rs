//! A copy of a site that follows the log: the confirmed state, with local changes that are not confirmed yet on top.
//!
//! The server's order is authoritative. When an entry arrives, pending changes are undone, the entry is applied, and the
//! pending changes are applied again on top. Replicas with equal logs are therefore equal, whatever was pending.

use std::collections::{BTreeSet, HashMap, VecDeque};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    Applied, Author, BodyId, BodySnapshot, Change, ChangeId, Entity, Op, OpError, OpScope,
    OpenRecord, PlacementError, RecordId, ShellSnapshot, Site,
};

/// How many log entries are cached, to bring documents up to date that were fetched a moment ago.
const RECENT: usize = 512;
/// Where the sequences of pending changes start; no log grows that long.
const UNCONFIRMED: u64 = 1 << 52;

/// A change as the log has it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Logged {
    /// Its place in the log.
    pub seq: u64,
    /// When it was committed, in milliseconds since 1970.
    pub at: i64,
    /// The change.
    pub id: ChangeId,
    /// Who made it.
    pub author: Author,
    /// The turn of the conversation it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<String>,
    /// What it does, in a few words.
    pub summary: String,
    /// The steps as they happened.
    pub ops: Vec<Op>,
    /// The version of its shape.
    pub format: u32,
}

/// A copy of a site that follows the log.
///
/// It contains the shell and those documents and entries of collections that are open. Sequences of pending changes start at `UNCONFIRMED`, so they never
/// collide with those of the log; when a change is confirmed, expectations of later pending changes that refer to its
/// provisional sequence are rewritten to the real one. Documents are fetched separately from the log, so each one has its own
/// position in it, which may be ahead of the replica's; entries that a document already contains are skipped for it.
#[derive(Debug, Clone, Default)]
pub struct Replica {
    site: Site,
    seq: u64,
    /// The last entry that each open document contains, which may be later than `seq`.
    opened: HashMap<BodyId, u64>,
    /// The same for entries of collections.
    opened_records: HashMap<RecordId, u64>,
    recent: VecDeque<Logged>,
    pending: Vec<Pending>,
    /// How many changes were made here; numbers the provisional sequences.
    made: u64,
}

#[derive(Debug, Clone)]
struct Pending {
    change: Change,
    /// The provisional sequence, until the change is confirmed and gets its real one.
    stamp: u64,
    applied: Applied,
}

/// Why a replica cannot follow the log.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Astray {
    /// Entries are missing in between.
    #[error("the log goes on at {expected}, and {found} came")]
    Gap {
        /// The sequence that would be next.
        expected: u64,
        /// The sequence that arrived.
        found: u64,
    },
    /// The document is older than the oldest cached entry, or was created or deleted since it was fetched.
    #[error("the document is too old to be brought up to date; fetch it again")]
    Old,
    /// The document's nodes do not form a tree.
    #[error(transparent)]
    Misplaced(#[from] PlacementError),
    /// An op of the log fails on this replica, so the two have diverged.
    #[error("a step of the log cannot be done here: {0}")]
    Diverged(#[from] OpError),
}

impl Replica {
    /// A replica of a shell as of a log entry, with no document open.
    pub fn new(shell: ShellSnapshot, seq: u64) -> Self {
        Self::from_site(Site::from_shell(shell), seq)
    }

    /// A replica of a site as of a log entry.
    pub fn from_site(site: Site, seq: u64) -> Self {
        let opened = site.bodies.keys().map(|body| (*body, seq)).collect();
        let opened_records = site.records.keys().map(|id| (*id, seq)).collect();
        Self {
            site,
            seq,
            opened,
            opened_records,
            ..Self::default()
        }
    }

    /// The site with pending changes applied.
    pub fn site(&self) -> &Site {
        &self.site
    }

    /// Mutable access for dry runs: a tool must undo every op before it returns.
    pub fn site_mut(&mut self) -> &mut Site {
        &mut self.site
    }

    /// The sequence of the last entry that was applied.
    pub fn seq(&self) -> u64 {
        self.seq
    }

    /// The changes that are not confirmed, oldest first.
    pub fn pending(&self) -> impl Iterator<Item = &Change> {
        self.pending.iter().map(|pending| &pending.change)
    }

    /// Opens a document that was fetched as of entry `at`, which may be before or after this replica's position.
    ///
    /// A document from before is brought up to date from the cached entries. Fails with `Astray::Old` when one of those is no
    /// longer cached, or created or deleted the document; the caller then fetches it again.
    pub fn open(&mut self, body: BodyId, tree: &BodySnapshot, at: u64) -> Result<(), Astray> {
        let document = OpScope::Document(body);
        self.reaches_back_to(at, |op| op.scope() == document)?;
        self.take_back()?;
        self.site.open(body, tree)?;
        self.opened.insert(body, at);
        let recent = std::mem::take(&mut self.recent);
        let mut followed = Ok(());
        for entry in recent.iter().filter(|entry| entry.seq > at) {
            let mut of_it = entry
                .ops
                .iter()
                .filter(|op| op.scope() == OpScope::Body(body));
            followed = of_it.try_for_each(|op| self.site.apply_logged(op, entry.seq).map(drop));
            if followed.is_err() {
                break;
            }
            self.opened.insert(body, entry.seq);
        }
        self.recent = recent;
        self.do_again();
        Ok(followed?)
    }

    /// Opens an entry of a collection that was fetched as of log entry `at`, in the same way as a document.
    pub fn open_record(&mut self, id: RecordId, record: OpenRecord, at: u64) -> Result<(), Astray> {
        let scope = OpScope::Record(id);
        let is_whole = |op: &Op| matches!(op, Op::Insert { .. } | Op::Remove { .. });
        self.reaches_back_to(at, |op| op.scope() == scope && is_whole(op))?;
        self.take_back()?;
        self.site.open_record(id, record);
        self.opened_records.insert(id, at.max(self.seq));
        let mut followed = Ok(());
        for entry in self.recent.iter().filter(|entry| entry.seq > at) {
            let mut of_it = entry.ops.iter().filter(|op| op.scope() == scope);
            followed = of_it.try_for_each(|op| self.site.apply_logged(op, entry.seq).map(drop));
            if followed.is_err() {
                break;
            }
        }
        self.do_again();
        Ok(followed?)
    }

    /// Fails if an entry since `at` is not cached any more, or has an op that nothing fetched earlier can follow.
    fn reaches_back_to(&self, at: u64, breaks: impl Fn(&Op) -> bool) -> Result<(), Astray> {
        let mut since = self.recent.iter().filter(|entry| entry.seq > at);
        let missed = since.clone().count() as u64;
        if at + missed < self.seq || since.any(|entry| entry.ops.iter().any(&breaks)) {
            return Err(Astray::Old);
        }
        Ok(())
    }

    /// Closes an entry of a collection, unless a pending change touches it.
    pub fn close_record(&mut self, id: RecordId) {
        let mut ops = self.pending.iter().flat_map(|pending| &pending.change.ops);
        if ops.any(|op| op.scope().record() == Some(id)) {
            return;
        }
        self.opened_records.remove(&id);
        self.site.records.remove(&id);
    }

    /// Closes a document, unless a pending change touches it.
    pub fn close(&mut self, body: BodyId) {
        let mut ops = self.pending.iter().flat_map(|pending| &pending.change.ops);
        if ops.any(|op| op.scope().body() == Some(body)) {
            return;
        }
        self.opened.remove(&body);
        self.site.bodies.remove(&body);
    }

    /// Applies a change locally, to be confirmed later. Ops that fail are listed in the result; they stay in the change and are
    /// tried again when the log moves on.
    pub fn act(&mut self, change: Change) -> &Applied {
        self.made += 1;
        let stamp = UNCONFIRMED + self.made;
        let applied = self.site.apply_all(&change.ops, stamp);
        self.pending.push(Pending {
            change,
            stamp,
            applied,
        });
        let last = self.pending.len() - 1;
        &self.pending[last].applied
    }

    /// Applies the next log entry and returns the entities that may look different. An entry that was applied before changes
    /// nothing.
    pub fn receive(&mut self, entry: Logged) -> Result<BTreeSet<Entity>, Astray> {
        if entry.seq <= self.seq {
            return Ok(BTreeSet::new());
        }
        if entry.seq != self.seq + 1 {
            return Err(Astray::Gap {
                expected: self.seq + 1,
                found: entry.seq,
            });
        }
        let mut touched = self.take_back()?;
        self.follow(&entry, &mut touched)?;
        self.confirm(&entry);
        self.seq = entry.seq;
        if self.recent.len() == RECENT {
            self.recent.pop_front();
        }
        self.recent.push_back(entry);
        touched.extend(self.do_again());
        Ok(touched)
    }

    /// Drops a pending change that was refused and returns the entities that may look different.
    pub fn drop_pending(&mut self, id: &ChangeId) -> Result<BTreeSet<Entity>, Astray> {
        let mut touched = self.take_back()?;
        self.pending.retain(|pending| pending.change.id != *id);
        touched.extend(self.do_again());
        Ok(touched)
    }

    /// Applies ops as the next log entry, for the owner of the log. They count once `keep` is called; until then the caller can
    /// undo them with `Site::undo_all`.
    pub fn attempt(&mut self, ops: &[Op]) -> Applied {
        self.site.apply_all(ops, self.seq + 1)
    }

    /// Marks the attempted ops as committed to the log.
    pub fn keep(&mut self) {
        self.seq += 1;
        self.opened = self
            .site
            .bodies
            .keys()
            .map(|body| (*body, self.seq))
            .collect();
        let records = self.site.records.keys();
        self.opened_records = records.map(|id| (*id, self.seq)).collect();
    }

    /// Undoes all pending changes, the last one first.
    fn take_back(&mut self) -> Result<BTreeSet<Entity>, Astray> {
        let mut touched = BTreeSet::new();
        for pending in self.pending.iter().rev() {
            touched.extend(pending.applied.touched());
            self.site.undo_all(&pending.applied)?;
        }
        Ok(touched)
    }

    /// Applies all pending changes again, on the current state.
    fn do_again(&mut self) -> BTreeSet<Entity> {
        let mut touched = BTreeSet::new();
        for pending in &mut self.pending {
            pending.applied = self.site.apply_all(&pending.change.ops, pending.stamp);
            touched.extend(pending.applied.touched());
        }
        touched
    }

    /// Applies those ops of an entry whose target is here: the shell, and the documents and entries of collections that are open.
    fn follow(&mut self, entry: &Logged, touched: &mut BTreeSet<Entity>) -> Result<(), Astray> {
        for op in &entry.ops {
            match (op.scope(), op) {
                (OpScope::Body(body), _) => {
                    // A document that is not open is skipped. So is one that already contains this entry, because it was
                    // fetched later.
                    if self.opened.get(&body).is_none_or(|at| *at >= entry.seq) {
                        continue;
                    }
                }
                (OpScope::Document(body), Op::Remove { entity }) => {
                    self.opened.remove(&body);
                    self.site.delete_document(*entity)?;
                    touched.insert(*entity);
                    continue;
                }
                (OpScope::Document(body), _) => {
                    self.site.bodies.remove(&body);
                    // Later ops of this entry may add nodes to the new document, so it counts as one entry behind.
                    self.opened.insert(body, entry.seq - 1);
                }
                (OpScope::Record(id), op) => {
                    if !self.follows_record(id, op, entry) {
                        continue;
                    }
                }
                (OpScope::Shell, _) => {}
            }
            let done = self.site.apply_logged(op, entry.seq)?;
            touched.extend(done.touched());
        }
        let bodies = self.opened.values_mut();
        for at in bodies.chain(self.opened_records.values_mut()) {
            *at = (*at).max(entry.seq);
        }
        Ok(())
    }

    /// Whether an op of the log about an entry of a collection applies here. Entries that are not open are skipped, new ones too:
    /// there may be very many. One that was made here is open already and stays so when the log confirms it.
    fn follows_record(&mut self, id: RecordId, op: &Op, entry: &Logged) -> bool {
        match (self.opened_records.get(&id), op) {
            (Some(at), _) if *at >= entry.seq => false,
            (Some(_), Op::Remove { .. }) => {
                self.opened_records.remove(&id);
                true
            }
            (Some(_), _) => true,
            (None, Op::Insert { .. }) => {
                let is_mine = self
                    .pending
                    .iter()
                    .any(|pending| pending.change.id == entry.id);
                if is_mine {
                    self.opened_records.insert(id, entry.seq - 1);
                }
                is_mine
            }
            (None, _) => false,
        }
    }

    /// Drops the pending change that an entry confirms. Expectations of later pending changes that refer to its provisional
    /// sequence then refer to the entry's.
    fn confirm(&mut self, entry: &Logged) {
        let Some(at) = self
            .pending
            .iter()
            .position(|pending| pending.change.id == entry.id)
        else {
            return;
        };
        let stamp = self.pending.remove(at).stamp;
        let expects = self
            .pending
            .iter_mut()
            .flat_map(|pending| &mut pending.change.expects);
        for expect in expects.filter(|expect| expect.rev == stamp) {
            expect.rev = entry.seq;
        }
    }
}

impl Applied {
    /// Every entity that was touched.
    pub fn touched(&self) -> impl Iterator<Item = Entity> {
        self.done.iter().flat_map(crate::Done::touched)
    }
}

#[cfg(test)]
#[path = "replica_tests.rs"]
mod tests;

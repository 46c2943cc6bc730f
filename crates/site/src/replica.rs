//! A copy of a site that follows the log: what is confirmed, and on top of it what was done here and is not confirmed yet.
//!
//! The server's order is the order. When something of somebody else arrives, what was done here is taken back, the log is
//! applied, and what was done here is done again. Equal logs give equal copies, whatever was pending.

use std::collections::{BTreeSet, HashMap, VecDeque};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    Applied, Author, BodyId, BodySnapshot, Change, ChangeId, Entity, Op, OpError, OpScope,
    PlacementError, ShellSnapshot, Site,
};

/// How many entries of the log are kept, for documents that were fetched a moment ago.
const RECENT: usize = 512;
/// Where the sequences of what is not confirmed begin; no log gets there.
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

/// A copy of a site.
#[derive(Debug, Clone, Default)]
pub struct Replica {
    site: Site,
    seq: u64,
    /// The entry up to which each open document has been brought: it may be ahead of the shell.
    opened: HashMap<BodyId, u64>,
    recent: VecDeque<Logged>,
    pending: Vec<Pending>,
    /// How many changes were made here.
    made: u64,
}

#[derive(Debug, Clone)]
struct Pending {
    change: Change,
    /// Stands for the sequence it will get.
    stamp: u64,
    applied: Applied,
}

/// Why a copy could not follow.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Astray {
    /// Entries are missing in between.
    #[error("the log goes on at {expected}, and {found} came")]
    Gap {
        /// The entry that would be next.
        expected: u64,
        /// The entry that came.
        found: u64,
    },
    /// The document is from before what is still remembered.
    #[error("the document is too old to be brought up to date; fetch it again")]
    Old,
    /// The document is no tree.
    #[error(transparent)]
    Misplaced(#[from] PlacementError),
    /// A step that happened elsewhere does not happen here.
    #[error("a step of the log cannot be done here: {0}")]
    Diverged(#[from] OpError),
}

impl Replica {
    /// The copy of a shell as it was at an entry of the log.
    pub fn new(shell: ShellSnapshot, seq: u64) -> Self {
        Self::from_site(Site::from_shell(shell), seq)
    }

    /// The copy of a site as it was at an entry of the log.
    pub fn from_site(site: Site, seq: u64) -> Self {
        let opened = site.bodies.keys().map(|body| (*body, seq)).collect();
        Self {
            site,
            seq,
            opened,
            ..Self::default()
        }
    }

    /// The site as it is here.
    pub fn site(&self) -> &Site {
        &self.site
    }

    /// The site as it is here, for tools, which leave it as it was.
    pub fn site_mut(&mut self) -> &mut Site {
        &mut self.site
    }

    /// The last entry that was taken in.
    pub fn seq(&self) -> u64 {
        self.seq
    }

    /// The changes that are not confirmed, the oldest first.
    pub fn pending(&self) -> impl Iterator<Item = &Change> {
        self.pending.iter().map(|pending| &pending.change)
    }

    /// Opens a document that was fetched as of an entry, before or after where this copy is.
    pub fn open(&mut self, body: BodyId, tree: &BodySnapshot, at: u64) -> Result<(), Astray> {
        let missed = self.recent.iter().filter(|entry| entry.seq > at).count() as u64;
        let document = OpScope::Document(body);
        let made_since = |entry: &Logged| entry.ops.iter().any(|op| op.scope() == document);
        let since = self.recent.iter().filter(|entry| entry.seq > at);
        if at + missed < self.seq || since.into_iter().any(made_since) {
            return Err(Astray::Old);
        }
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
            followed = of_it.try_for_each(|op| self.site.apply(op, entry.seq).map(drop));
            if followed.is_err() {
                break;
            }
            self.opened.insert(body, entry.seq);
        }
        self.recent = recent;
        self.do_again();
        Ok(followed?)
    }

    /// Closes a document, unless something unconfirmed is in it.
    pub fn close(&mut self, body: BodyId) {
        let mut ops = self.pending.iter().flat_map(|pending| &pending.change.ops);
        if ops.any(|op| op.scope().body() == Some(body)) {
            return;
        }
        self.opened.remove(&body);
        self.site.bodies.remove(&body);
    }

    /// Does something here, to be confirmed later. What could not be done is in the answer.
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

    /// Takes in the next entry of the log, and tells what looks different now. One that was taken in before changes nothing.
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

    /// Drops a change that was refused, and tells what looks different now.
    pub fn drop_pending(&mut self, id: &ChangeId) -> Result<BTreeSet<Entity>, Astray> {
        let mut touched = self.take_back()?;
        self.pending.retain(|pending| pending.change.id != *id);
        touched.extend(self.do_again());
        Ok(touched)
    }

    /// Does a change as the next entry of the log, for whoever keeps the log. It counts once it is kept; until then it can
    /// be taken back with `Site::undo_all`.
    pub fn attempt(&mut self, ops: &[Op]) -> Applied {
        self.site.apply_all(ops, self.seq + 1)
    }

    /// What was attempted is in the log now.
    pub fn keep(&mut self) {
        self.seq += 1;
        self.opened = self
            .site
            .bodies
            .keys()
            .map(|body| (*body, self.seq))
            .collect();
    }

    /// Takes back what is not confirmed, the last first.
    fn take_back(&mut self) -> Result<BTreeSet<Entity>, Astray> {
        let mut touched = BTreeSet::new();
        for pending in self.pending.iter().rev() {
            touched.extend(pending.applied.touched());
            self.site.undo_all(&pending.applied)?;
        }
        Ok(touched)
    }

    /// Does what is not confirmed again, on what is there now.
    fn do_again(&mut self) -> BTreeSet<Entity> {
        let mut touched = BTreeSet::new();
        for pending in &mut self.pending {
            pending.applied = self.site.apply_all(&pending.change.ops, pending.stamp);
            touched.extend(pending.applied.touched());
        }
        touched
    }

    /// Applies the ops of an entry to the parts that are here: the shell, and the documents that are open.
    fn follow(&mut self, entry: &Logged, touched: &mut BTreeSet<Entity>) -> Result<(), Astray> {
        for op in &entry.ops {
            match (op.scope(), op) {
                (OpScope::Body(body), _) => {
                    // A document may have been fetched when it was further than this copy.
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
                    // The ops that follow in this entry may well fill it.
                    self.opened.insert(body, entry.seq - 1);
                }
                (OpScope::Shell, _) => {}
            }
            let done = self.site.apply(op, entry.seq)?;
            touched.extend(done.touched());
        }
        for at in self.opened.values_mut() {
            *at = (*at).max(entry.seq);
        }
        Ok(())
    }

    /// Drops the pending change that an entry confirms. Later ones that expect what it made expect the entry now.
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
    /// Everything that was touched.
    pub fn touched(&self) -> impl Iterator<Item = Entity> {
        self.done.iter().flat_map(crate::Done::touched)
    }
}

#[cfg(test)]
#[path = "replica_tests.rs"]
mod tests;

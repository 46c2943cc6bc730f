//! Changes: ops that belong together. A change is the unit that is logged, sent, undone and reverted.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sitewright_tool::tagged;

use crate::{BodyId, ChangeId, Done, Entity, Op, OpError, OpScope, RecordId, Site};

/// The version of the stored format of changes and snapshots.
pub const FORMAT: u32 = 1;
/// The maximum number of ops in a change.
pub(crate) const OPS_MAX: usize = 20_000;
/// The maximum size of a change as JSON, in bytes.
pub const CHANGE_BYTES_MAX: usize = 4 * 1024 * 1024;

/// Ops that belong together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Change {
    /// The change. A second one with the same id changes nothing.
    pub id: ChangeId,
    /// Who made it.
    pub author: Author,
    /// The turn of the conversation it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<String>,
    /// What it does, in a few words.
    pub summary: String,
    /// The steps.
    pub ops: Vec<Op>,
    /// What must not have been touched since its maker looked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub expects: Vec<Expect>,
    /// The version of its shape.
    pub format: u32,
}

tagged! {
    /// Who made a change.
    #[derive(Debug, Clone, PartialEq, Eq, JsonSchema)]
    tag "kind" (rename_all = "camelCase", deny_unknown_fields)
    pub enum Author {
        /// A person.
        Person {
            /// Their id.
            id: String,
        },
        /// An agent, for the person who started its turn.
        Agent {
            /// The person's id.
            id: String,
        },
        /// A script with a token.
        Script {
            /// The token's id.
            id: String,
        },
        /// The machine itself.
        Local,
    }
}

/// A part of the site as its maker saw it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Expect {
    /// The part.
    pub entity: Entity,
    /// The last sequence that had touched it.
    pub rev: u64,
}

/// The result of applying a change.
#[derive(Debug, Clone, PartialEq)]
pub struct Applied {
    /// The ops that were applied, in order.
    pub done: Vec<Done>,
    /// The ops that failed, by their position in the change, and why.
    pub rejected: Vec<(usize, OpError)>,
}

impl Change {
    /// The documents that must be open to apply the change.
    pub fn bodies(&self) -> impl Iterator<Item = BodyId> {
        // A document that an op creates does not exist yet.
        let existing = self
            .ops
            .iter()
            .filter(|op| !matches!((op.scope(), op), (OpScope::Document(_), Op::Insert { .. })));
        existing.filter_map(|op| op.scope().body())
    }

    /// The entries of collections that must be open to check and apply the change, as far as they exist.
    pub fn records(&self) -> BTreeSet<RecordId> {
        let changed = self.ops.iter().filter_map(|op| op.scope().record());
        let expected = self
            .expects
            .iter()
            .filter_map(|expect| match expect.entity {
                Entity::Record { id } => Some(id),
                _ => None,
            });
        changed.chain(expected).collect()
    }
}

impl Site {
    /// The expected entities that were touched since the author saw them.
    pub fn conflicts(&self, change: &Change) -> Vec<Entity> {
        let moved = |expect: &&Expect| self.rev(expect.entity) != expect.rev;
        change
            .expects
            .iter()
            .filter(moved)
            .map(|expect| expect.entity)
            .collect()
    }

    /// Expectations for these ops at the current state: the existing entities that they change or remove.
    pub fn expects(&self, ops: &[Op]) -> Vec<Expect> {
        let mut entities: Vec<Entity> = ops
            .iter()
            .filter(|op| !matches!(op, Op::Insert { .. }))
            .filter_map(Op::entity)
            .filter(|entity| self.has(*entity))
            .collect();
        entities.sort_unstable();
        entities.dedup();
        entities
            .into_iter()
            .map(|entity| Expect {
                entity,
                rev: self.rev(entity),
            })
            .collect()
    }

    /// Applies every op that can be applied. An op that fails, such as one whose target is gone, is reported and does not stop
    /// the others.
    pub fn apply_all(&mut self, ops: &[Op], seq: u64) -> Applied {
        let mut applied = Applied {
            done: Vec::with_capacity(ops.len()),
            rejected: Vec::new(),
        };
        for (position, op) in ops.iter().enumerate() {
            match self.apply(op, seq) {
                Ok(done) => applied.done.push(done),
                Err(error) => applied.rejected.push((position, error)),
            }
        }
        applied
    }

    /// Undoes what `apply_all` did, exactly. Nothing else may have been applied since.
    pub fn undo_all(&mut self, applied: &Applied) -> Result<(), OpError> {
        applied
            .done
            .iter()
            .rev()
            .try_for_each(|done| self.undo(done))
    }
}

#[cfg(test)]
#[path = "change_tests.rs"]
pub(crate) mod tests;

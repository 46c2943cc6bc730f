//! A site in storage: the shell and each document separately, so that opening a page loads only that page.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{BodyId, Entity, OpenRecord, PlacementError, RecordId, Shell, Site, Subtree, Tree};

/// The shell, and how recently its parts were touched.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ShellSnapshot {
    /// The shell.
    pub shell: Shell,
    /// The last sequence that touched each part, in the order of the parts.
    pub revs: Vec<(Entity, u64)>,
}

/// A document's tree, and how recently its nodes were touched.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BodySnapshot {
    /// The nodes.
    pub nodes: Subtree,
    /// The last sequence that touched each, in the order of the nodes.
    pub revs: Vec<u64>,
}

impl BodySnapshot {
    /// A document as created by a log entry.
    pub(crate) fn new(nodes: Subtree, seq: u64) -> Self {
        let revs = vec![seq; nodes.nodes().len()];
        Self { nodes, revs }
    }
}

impl Site {
    /// A snapshot of the shell.
    pub fn shell_snapshot(&self) -> ShellSnapshot {
        let mut revs: Vec<(Entity, u64)> = self
            .revs
            .iter()
            .map(|(entity, rev)| (*entity, *rev))
            .collect();
        revs.sort_unstable();
        ShellSnapshot {
            shell: self.shell.clone(),
            revs,
        }
    }

    /// A snapshot of a document; `None` if it is not open.
    pub fn body_snapshot(&self, body: BodyId) -> Option<BodySnapshot> {
        let tree = self.bodies.get(&body)?;
        Some(BodySnapshot {
            nodes: tree.subtree(tree.root())?,
            revs: tree.revs(tree.root()).map(|(_, rev)| rev).collect(),
        })
    }

    /// A site with this shell and no open document.
    pub fn from_shell(snapshot: ShellSnapshot) -> Self {
        Self {
            shell: snapshot.shell,
            bodies: Default::default(),
            records: Default::default(),
            revs: snapshot.revs.into_iter().collect(),
        }
    }

    /// Opens a document and replaces the tree that was open for it, if any.
    pub fn open(&mut self, body: BodyId, snapshot: &BodySnapshot) -> Result<(), PlacementError> {
        let mut tree = Tree::from_subtree(&snapshot.nodes)?;
        for (grown, rev) in snapshot.nodes.nodes().iter().zip(&snapshot.revs) {
            tree.stamp(grown.id, *rev);
        }
        self.bodies.insert(body, tree);
        Ok(())
    }

    /// Opens an entry of a collection and replaces the one that was open under this id, if any.
    pub fn open_record(&mut self, id: RecordId, record: OpenRecord) {
        self.records.insert(id, record);
    }
}

//! Replaying the log onto one stored part of a site: the shell, or one document. Entries of collections are stored as they are and
//! never replayed.
//!
//! Each part has its own snapshot, so it sees only the entries about it since that snapshot, and of those only the ops in its
//! scope. An entry about the shell may also change nodes of a document; those come from the document's own snapshot and
//! entries, and the shell's replay must skip them. [`crate::Replica`] is for copies that see every entry.

use crate::{
    BodyId, BodySnapshot, Entity, Logged, NewEntity, Op, OpError, OpScope, PlacementError,
    ShellSnapshot, Site,
};

/// A log entry that does not apply to the state before it.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("entry {seq} cannot be replayed: {source}")]
pub struct ReplayError {
    pub seq: u64,
    pub source: OpError,
}

/// The shell after these entries, with no document open. `entries` are those about the shell since the snapshot, oldest first.
pub fn replay_shell(snapshot: ShellSnapshot, entries: &[Logged]) -> Result<Site, ReplayError> {
    let mut site = Site::from_shell(snapshot);
    for entry in entries {
        for op in &entry.ops {
            site.apply_to_shell(op, entry.seq)
                .map_err(|source| ReplayError {
                    seq: entry.seq,
                    source,
                })?;
        }
    }
    Ok(site)
}

/// A document after these entries; `None` if it was deleted. `entries` are those about the document since the snapshot, oldest
/// first. Without a snapshot, they start with the one that created it.
pub fn replay_body(
    body: BodyId,
    snapshot: Option<BodySnapshot>,
    entries: &[Logged],
) -> Result<Option<BodySnapshot>, ReplayError> {
    // The common case is a document without entries since its snapshot. It skips building the tree.
    if entries.is_empty() {
        return Ok(snapshot);
    }
    let failed_at = |seq| move |source: OpError| ReplayError { seq, source };
    let mut site = Site::default();
    if let Some(snapshot) = &snapshot {
        let opened = site.open(body, snapshot);
        opened.map_err(|misplaced: PlacementError| failed_at(entries[0].seq)(misplaced.into()))?;
    }
    for entry in entries {
        for op in entry
            .ops
            .iter()
            .filter(|op| op.scope().body() == Some(body))
        {
            site.apply_to_body(op, entry.seq)
                .map_err(failed_at(entry.seq))?;
        }
    }
    Ok(site.body_snapshot(body))
}

impl Site {
    /// Applies the shell's part of an op, with no document open.
    fn apply_to_shell(&mut self, op: &Op, seq: u64) -> Result<(), OpError> {
        match (op.scope(), op) {
            (OpScope::Body(_) | OpScope::Record(_), _) => Ok(()),
            (OpScope::Document(_), Op::Remove { entity }) => self.delete_document(*entity),
            (OpScope::Document(body), _) => {
                self.apply_logged(op, seq)?;
                // The shell lists the document. Its nodes would go stale, because most entries about them are not replayed
                // here.
                self.bodies.remove(&body);
                Ok(())
            }
            (OpScope::Shell, _) => self.apply_logged(op, seq).map(drop),
        }
    }

    /// Applies a document's part of an op, with no shell.
    fn apply_to_body(&mut self, op: &Op, seq: u64) -> Result<(), OpError> {
        match (op.scope(), op) {
            (OpScope::Shell | OpScope::Record(_), _) => Ok(()),
            (OpScope::Document(body), Op::Insert { new }) => {
                if let NewEntity::Page { tree, .. } | NewEntity::Component { tree, .. } = &**new {
                    self.open(body, &BodySnapshot::new(tree.clone(), seq))?;
                }
                Ok(())
            }
            (OpScope::Document(body), _) => {
                self.bodies.remove(&body);
                Ok(())
            }
            (OpScope::Body(_), _) => self.apply_logged(op, seq).map(drop),
        }
    }

    /// Deletes a document, whether or not it is open. Unlike `apply`, it returns nothing to undo it with.
    pub fn delete_document(&mut self, document: Entity) -> Result<(), OpError> {
        let deleted = match document {
            Entity::Page { id } => self.shell.pages.remove(id).map(|_page| id),
            Entity::Component { id } => self.shell.components.remove(id).map(|_component| id),
            Entity::Site
            | Entity::Node { .. }
            | Entity::Item { .. }
            | Entity::Piece { .. }
            | Entity::Record { .. } => None,
        };
        let id = deleted.ok_or(OpError::Missing(document))?;
        self.bodies.remove(&id);
        self.stamp(document, 0);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::NodeId;

    /// A log of an earlier version can be read although it has an op that is refused today.
    #[test]
    fn stricter_rules_leave_a_stored_site_readable() {
        let (body, root) = (BodyId::from(1), NodeId::from(1));
        let old = {
            let refresh = json!([{ "name": "http-equiv", "value": "refresh" },
                { "name": "content", "value": "0;url=https://elsewhere.example" }]);
            json!({ "op": "insert", "new": { "type": "nodes", "body": body, "place": { "parent": root }, "nodes":
                [{ "id": NodeId::from(2), "node": { "kind": { "element": { "tag": "meta", "attrs": refresh } } } }] } })
        };
        let page = json!({ "op": "insert", "new": { "type": "page", "id": body, "page": { "title": "P", "slug": "p" },
            "tree": [{ "id": root, "node": { "kind": { "element": { "tag": "body" } } } }] } });
        let ops: Vec<Op> = [page, old]
            .map(|op| serde_json::from_value(op).unwrap())
            .to_vec();
        let mut site = Site::default();
        assert_eq!(site.apply_all(&ops, 1).rejected.len(), 1);
        let entry = Logged {
            seq: 1,
            at: 0,
            id: "c".to_owned().into(),
            author: crate::Author::Local,
            turn: None,
            summary: String::new(),
            ops,
            format: crate::FORMAT,
        };
        let replayed = replay_body(body, None, &[entry]).unwrap();
        assert!(replayed.is_some());
    }
}

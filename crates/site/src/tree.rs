//! The tree of a document: nodes found by their id, siblings linked, so that placing, removing and changing one costs the
//! same in a page of five nodes and of fifty thousand.

use std::collections::HashMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Node, NodeId};

/// The deepest a node may stand.
pub const DEPTH_MAX: usize = 512;

/// A document's nodes under one root.
#[derive(Debug, Clone)]
pub struct Tree {
    root: NodeId,
    slots: HashMap<NodeId, Slot>,
}

#[derive(Debug, Clone)]
struct Slot {
    node: Node,
    parent: Option<NodeId>,
    before: Option<NodeId>,
    after: Option<NodeId>,
    first: Option<NodeId>,
    last: Option<NodeId>,
}

/// Where a node stands: under a parent, behind a sibling or first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Place {
    /// The parent.
    pub parent: NodeId,
    /// The sibling it stands behind; absent for the first child.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<NodeId>,
}

/// A node and everything under it, with ids: each node after its parent, siblings in order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Subtree(Vec<Grown>);

/// A node of a subtree.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Grown {
    /// The node's id.
    pub id: NodeId,
    /// The position of its parent in the subtree; absent for the root alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<u32>,
    /// The node.
    pub node: Node,
}

/// Why nodes cannot stand where they are to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Misplaced {
    /// A node would stand in itself.
    #[error("{inner} is inside {outer}, so {outer} cannot be placed there")]
    Cycle {
        /// The node that is to be placed.
        outer: NodeId,
        /// The parent it is to be placed under.
        inner: NodeId,
    },
    /// It would stand too deep.
    #[error("nodes can be nested {DEPTH_MAX} deep at most")]
    TooDeep,
    /// The root has no place.
    #[error("the root of a document stays where it is")]
    Root,
    /// An id is used twice, or the list is not in order.
    #[error("the nodes do not form one tree with ids of their own")]
    Malformed,
}

impl Subtree {
    /// A subtree of nodes in order; refused when they do not form one tree.
    pub fn new(nodes: Vec<Grown>) -> Result<Self, Misplaced> {
        let subtree = Self(nodes);
        subtree.depth()?;
        Ok(subtree)
    }

    /// The nodes, each after its parent.
    pub fn nodes(&self) -> &[Grown] {
        &self.0
    }

    /// How deep it is; an error when the list is no tree. What came over the wire has not been through `new`.
    fn depth(&self) -> Result<usize, Misplaced> {
        let mut depths: Vec<usize> = Vec::with_capacity(self.0.len());
        for (position, grown) in self.0.iter().enumerate() {
            let depth = match (position, grown.parent) {
                (0, None) => 1,
                (0, Some(_)) | (_, None) => return Err(Misplaced::Malformed),
                (_, Some(parent)) => depths.get(parent as usize).ok_or(Misplaced::Malformed)? + 1,
            };
            if depth > DEPTH_MAX {
                return Err(Misplaced::TooDeep);
            }
            depths.push(depth);
        }
        depths.into_iter().max().ok_or(Misplaced::Malformed)
    }
}

impl Tree {
    /// A tree of one node.
    pub fn new(root: NodeId, node: Node) -> Self {
        let slot = Slot {
            node,
            parent: None,
            before: None,
            after: None,
            first: None,
            last: None,
        };
        Self {
            root,
            slots: HashMap::from([(root, slot)]),
        }
    }

    /// A tree of these nodes, the first as its root.
    pub(crate) fn from_subtree(subtree: &Subtree) -> Result<Self, Misplaced> {
        subtree.depth()?;
        let (root, others) = subtree.0.split_first().ok_or(Misplaced::Malformed)?;
        let mut tree = Self::new(root.id, root.node.clone());
        for Grown { id, parent, node } in others {
            let parent = parent
                .and_then(|parent| subtree.0.get(parent as usize))
                .ok_or(Misplaced::Malformed)?
                .id;
            let slot = Slot {
                node: node.clone(),
                parent: None,
                before: None,
                after: None,
                first: None,
                last: None,
            };
            if tree.slots.insert(*id, slot).is_some() {
                return Err(Misplaced::Malformed);
            }
            let after = tree.slots.get(&parent).and_then(|slot| slot.last);
            tree.link(*id, Place { parent, after });
        }
        Ok(tree)
    }

    /// The root.
    pub fn root(&self) -> NodeId {
        self.root
    }

    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// Whether there is only the root.
    pub fn is_empty(&self) -> bool {
        self.slots.len() == 1
    }

    /// The node with this id.
    pub fn node(&self, id: NodeId) -> Option<&Node> {
        self.slots.get(&id).map(|slot| &slot.node)
    }

    pub(crate) fn node_mut(&mut self, id: NodeId) -> Option<&mut Node> {
        self.slots.get_mut(&id).map(|slot| &mut slot.node)
    }

    /// The node's parent.
    pub fn parent(&self, id: NodeId) -> Option<NodeId> {
        self.slots.get(&id)?.parent
    }

    /// Where the node stands; nothing for the root and for what is not there.
    pub fn place(&self, id: NodeId) -> Option<Place> {
        let slot = self.slots.get(&id)?;
        Some(Place {
            parent: slot.parent?,
            after: slot.before,
        })
    }

    /// The node's children in order.
    pub fn children(&self, id: NodeId) -> impl Iterator<Item = NodeId> {
        let mut next = self.slots.get(&id).and_then(|slot| slot.first);
        std::iter::from_fn(move || {
            let child = next?;
            next = self.slots.get(&child)?.after;
            Some(child)
        })
    }

    /// The node and everything under it in the order of the text.
    pub fn walk(&self, from: NodeId) -> impl Iterator<Item = NodeId> {
        let mut next = self.slots.contains_key(&from).then_some(from);
        std::iter::from_fn(move || {
            let here = next?;
            next = self.following(here, from);
            Some(here)
        })
    }

    /// The node after `here` in the order of the text, within `top`.
    fn following(&self, here: NodeId, top: NodeId) -> Option<NodeId> {
        if let Some(child) = self.slots.get(&here)?.first {
            return Some(child);
        }
        let mut at = here;
        while at != top {
            let slot = self.slots.get(&at)?;
            if let Some(sibling) = slot.after {
                return Some(sibling);
            }
            at = slot.parent?;
        }
        None
    }

    /// The node and everything under it, as a value.
    pub fn subtree(&self, id: NodeId) -> Option<Subtree> {
        let mut positions: HashMap<NodeId, u32> = HashMap::new();
        let mut nodes = Vec::new();
        for (position, here) in self.walk(id).enumerate() {
            let slot = self.slots.get(&here)?;
            let parent = if here == id {
                None
            } else {
                positions.get(&slot.parent?).copied()
            };
            positions.insert(here, u32::try_from(position).ok()?);
            nodes.push(Grown {
                id: here,
                parent,
                node: slot.node.clone(),
            });
        }
        (!nodes.is_empty()).then_some(Subtree(nodes))
    }

    /// How deep the node stands; the root stands at 1.
    fn depth(&self, id: NodeId) -> usize {
        std::iter::successors(Some(id), |at| self.parent(*at))
            .take(DEPTH_MAX + 1)
            .count()
    }

    /// Puts a subtree in its place. An anchor that is not a child of the parent means last.
    ///
    /// The parent must be there: whether it is, is for the caller to find out first.
    pub(crate) fn insert(&mut self, subtree: &Subtree, place: Place) -> Result<(), Misplaced> {
        let depth = subtree.depth()?;
        if self.depth(place.parent) + depth > DEPTH_MAX {
            return Err(Misplaced::TooDeep);
        }
        let mut ids = std::collections::HashSet::with_capacity(subtree.0.len());
        if subtree
            .0
            .iter()
            .any(|grown| self.slots.contains_key(&grown.id) || !ids.insert(grown.id))
        {
            return Err(Misplaced::Malformed);
        }
        for Grown { id, parent, node } in &subtree.0 {
            let slot = Slot {
                node: node.clone(),
                parent: None,
                before: None,
                after: None,
                first: None,
                last: None,
            };
            self.slots.insert(*id, slot);
            let place = match parent {
                None => place,
                Some(parent) => {
                    let parent = subtree.0[*parent as usize].id;
                    Place {
                        parent,
                        after: self.slots.get(&parent).and_then(|slot| slot.last),
                    }
                }
            };
            self.link(*id, place);
        }
        Ok(())
    }

    /// Takes a node and everything under it out, and tells where it stood.
    pub(crate) fn remove(&mut self, id: NodeId) -> Option<(Subtree, Place)> {
        let place = self.place(id)?;
        let subtree = self.subtree(id)?;
        self.unlink(id);
        for grown in &subtree.0 {
            self.slots.remove(&grown.id);
        }
        Some((subtree, place))
    }

    /// Puts a node elsewhere, and tells where it stood. An anchor that is not a child of the parent means last.
    pub(crate) fn relocate(&mut self, id: NodeId, place: Place) -> Result<Place, Misplaced> {
        let was = self.place(id).ok_or(Misplaced::Root)?;
        let mut above = std::iter::successors(Some(place.parent), |at| self.parent(*at));
        if above.any(|at| at == id) {
            return Err(Misplaced::Cycle {
                outer: id,
                inner: place.parent,
            });
        }
        if self.depth(place.parent) + self.height(id) > DEPTH_MAX {
            return Err(Misplaced::TooDeep);
        }
        self.unlink(id);
        // Standing behind itself is standing where it was.
        let after = if place.after == Some(id) {
            was.after
        } else {
            place.after
        };
        self.link(
            id,
            Place {
                parent: place.parent,
                after,
            },
        );
        Ok(was)
    }

    /// How many levels the node and what is under it take.
    fn height(&self, id: NodeId) -> usize {
        let base = self.depth(id);
        // Leaves alone would do; walking once keeps it simple, and only what moves is walked.
        let mut deepest = base;
        let mut depth = base;
        let mut here = id;
        while let Some(slot) = self.slots.get(&here) {
            if let Some(child) = slot.first {
                here = child;
                depth += 1;
                deepest = deepest.max(depth);
                continue;
            }
            let mut up = here;
            loop {
                if up == id {
                    return deepest - base + 1;
                }
                let Some(slot) = self.slots.get(&up) else {
                    return deepest - base + 1;
                };
                if let Some(sibling) = slot.after {
                    here = sibling;
                    break;
                }
                let Some(parent) = slot.parent else {
                    return deepest - base + 1;
                };
                up = parent;
                depth -= 1;
            }
        }
        deepest - base + 1
    }

    fn link(&mut self, id: NodeId, place: Place) {
        let is_child = |anchor: &NodeId| self.parent(*anchor) == Some(place.parent);
        let before = match place.after {
            Some(anchor) if is_child(&anchor) => Some(anchor),
            Some(_) => self.slots.get(&place.parent).and_then(|slot| slot.last),
            None => None,
        };
        let after = match before {
            Some(before) => self
                .slots
                .get_mut(&before)
                .and_then(|slot| slot.after.replace(id)),
            None => self
                .slots
                .get_mut(&place.parent)
                .and_then(|slot| slot.first.replace(id)),
        };
        match after {
            Some(after) => {
                if let Some(slot) = self.slots.get_mut(&after) {
                    slot.before = Some(id);
                }
            }
            None => {
                if let Some(slot) = self.slots.get_mut(&place.parent) {
                    slot.last = Some(id);
                }
            }
        }
        if let Some(slot) = self.slots.get_mut(&id) {
            slot.parent = Some(place.parent);
            slot.before = before;
            slot.after = after;
        }
    }

    fn unlink(&mut self, id: NodeId) {
        let Some((parent, before, after)) = self
            .slots
            .get_mut(&id)
            .map(|slot| (slot.parent.take(), slot.before.take(), slot.after.take()))
        else {
            return;
        };
        match before.and_then(|before| self.slots.get_mut(&before)) {
            Some(slot) => slot.after = after,
            None => {
                if let Some(slot) = parent.and_then(|parent| self.slots.get_mut(&parent)) {
                    slot.first = after;
                }
            }
        }
        match after.and_then(|after| self.slots.get_mut(&after)) {
            Some(slot) => slot.before = before,
            None => {
                if let Some(slot) = parent.and_then(|parent| self.slots.get_mut(&parent)) {
                    slot.last = before;
                }
            }
        }
    }
}

impl PartialEq for Tree {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.subtree(self.root) == other.subtree(other.root)
    }
}

impl Serialize for Tree {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.subtree(self.root).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Tree {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::from_subtree(&Subtree::deserialize(deserializer)?).map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
#[path = "tree_tests.rs"]
mod tests;

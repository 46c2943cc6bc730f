//! The tree of a document. Nodes are found by id and siblings are linked, so that moving, removing and changing a node costs
//! the same in a page of five nodes as in one of fifty thousand.

use std::collections::{HashMap, HashSet};
use std::num::NonZeroU32;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Kind, Node, NodeId};

/// The maximum depth of a node.
pub(crate) const DEPTH_MAX: usize = 512;

/// A document's nodes under one root.
///
/// Nodes that are inserted together are stored in document order and linked by position: walking a page reads memory in order,
/// and only a lookup by id goes through the map. Links are stored apart from nodes, because navigating the tree or moving a
/// node needs the links of many nodes and the content of few.
#[derive(Debug, Clone)]
pub struct Tree {
    root: Spot,
    links: Vec<Links>,
    slots: Vec<Slot>,
    spots: HashMap<NodeId, Spot>,
    /// Positions that can be reused.
    free: Vec<Spot>,
}

/// The position of a node in its tree, counted from one; valid until the tree changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Spot(NonZeroU32);

impl Spot {
    const FIRST: Self = Self(NonZeroU32::MIN);

    fn index(self) -> usize {
        self.0.get() as usize - 1
    }
}

#[derive(Debug, Clone)]
struct Links {
    id: NodeId,
    parent: Option<Spot>,
    before: Option<Spot>,
    after: Option<Spot>,
    first: Option<Spot>,
    last: Option<Spot>,
}

impl Links {
    fn none(id: NodeId) -> Self {
        Self {
            id,
            parent: None,
            before: None,
            after: None,
            first: None,
            last: None,
        }
    }
}

/// The content of a node. The last sequence that touched it is stored next to it, because every op on the node writes it.
#[derive(Debug, Clone)]
struct Slot {
    node: Node,
    rev: u64,
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
pub struct Subtree(Vec<SubtreeNode>);

/// A node of a subtree.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SubtreeNode {
    /// The node's id.
    pub id: NodeId,
    /// The position of its parent in the subtree; absent for the root alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<u32>,
    /// The node.
    pub node: Node,
}

/// Why nodes cannot be placed where requested.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PlacementError {
    /// A node would be inside itself.
    #[error("{inner} is inside {outer}, so {outer} cannot be placed there")]
    Cycle {
        /// The node to be placed.
        outer: NodeId,
        /// The requested parent.
        inner: NodeId,
    },
    /// The node would be nested too deep.
    #[error("nodes can be nested {DEPTH_MAX} deep at most")]
    TooDeep,
    /// The root cannot be moved or removed.
    #[error("the root of a document stays where it is")]
    Root,
    /// An id is used twice, or the list is not in order.
    #[error("the nodes do not form one tree with ids of their own")]
    Malformed,
}

impl Subtree {
    /// A subtree of nodes in order; fails if they do not form one tree.
    pub fn new(nodes: Vec<SubtreeNode>) -> Result<Self, PlacementError> {
        let subtree = Self(nodes);
        subtree.depth()?;
        Ok(subtree)
    }

    /// The nodes, each after its parent.
    pub fn nodes(&self) -> &[SubtreeNode] {
        &self.0
    }

    /// The depth of the subtree; an error if the list is not a tree. A deserialized subtree has not been validated by `new`.
    fn depth(&self) -> Result<usize, PlacementError> {
        let mut depths: Vec<usize> = Vec::with_capacity(self.0.len());
        for (position, grown) in self.0.iter().enumerate() {
            let depth = match (position, grown.parent) {
                (0, None) => 1,
                (0, Some(_)) | (_, None) => return Err(PlacementError::Malformed),
                (_, Some(parent)) => {
                    depths
                        .get(parent as usize)
                        .ok_or(PlacementError::Malformed)?
                        + 1
                }
            };
            if depth > DEPTH_MAX {
                return Err(PlacementError::TooDeep);
            }
            depths.push(depth);
        }
        depths.into_iter().max().ok_or(PlacementError::Malformed)
    }
}

impl Tree {
    /// A tree with a single node.
    pub fn new(root: NodeId, node: Node) -> Self {
        Self {
            root: Spot::FIRST,
            links: vec![Links::none(root)],
            slots: vec![Slot { node, rev: 0 }],
            spots: HashMap::from([(root, Spot::FIRST)]),
            free: Vec::new(),
        }
    }

    /// A tree of these nodes; the first one is the root.
    pub(crate) fn from_subtree(subtree: &Subtree) -> Result<Self, PlacementError> {
        subtree.depth()?;
        let (root, others) = subtree.0.split_first().ok_or(PlacementError::Malformed)?;
        let mut tree = Self::new(root.id, root.node.clone());
        // Growing by doubling could leave half of the capacity unused.
        tree.links.reserve_exact(others.len());
        tree.slots.reserve_exact(others.len());
        tree.spots.reserve(others.len());
        for SubtreeNode { id, parent, node } in others {
            let parent = parent
                .and_then(|parent| subtree.0.get(parent as usize))
                .ok_or(PlacementError::Malformed)?
                .id;
            let parent = tree.spot(parent).ok_or(PlacementError::Malformed)?;
            if tree.spots.contains_key(id) {
                return Err(PlacementError::Malformed);
            }
            let spot = tree.add(*id, node.clone());
            let last = tree.links(parent).last;
            tree.link(spot, parent, last);
        }
        Ok(tree)
    }

    /// The root.
    pub fn root(&self) -> NodeId {
        self.links(self.root).id
    }

    /// The number of nodes.
    pub fn len(&self) -> usize {
        self.spots.len()
    }

    /// Whether there is only the root.
    pub fn is_empty(&self) -> bool {
        self.spots.len() == 1
    }

    /// The node with this id.
    pub fn node(&self, id: NodeId) -> Option<&Node> {
        self.spot(id).map(|spot| self.node_at(spot))
    }

    pub(crate) fn node_mut(&mut self, id: NodeId) -> Option<&mut Node> {
        let spot = self.spot(id)?;
        Some(&mut self.slots[spot.index()].node)
    }

    /// The last sequence that touched the node; 0 if it was never touched or does not exist.
    pub(crate) fn rev(&self, id: NodeId) -> u64 {
        self.spot(id).map_or(0, |spot| self.slots[spot.index()].rev)
    }

    /// Records the sequence that touched a node and returns the previous one. Does nothing for a node that does not exist.
    pub(crate) fn stamp(&mut self, id: NodeId, rev: u64) -> u64 {
        match self.spot(id) {
            Some(spot) => std::mem::replace(&mut self.slots[spot.index()].rev, rev),
            None => 0,
        }
    }

    /// The sequences of a node and its descendants, in the order of `subtree`.
    pub(crate) fn revs(&self, from: NodeId) -> impl Iterator<Item = (NodeId, u64)> {
        let top = self.spot(from);
        top.into_iter()
            .flat_map(|top| self.walk_at(top))
            .map(|spot| (self.links(spot).id, self.slots[spot.index()].rev))
    }

    /// The position of a node, for walking without further map lookups.
    pub(crate) fn spot(&self, id: NodeId) -> Option<Spot> {
        self.spots.get(&id).copied()
    }

    /// The position of the root.
    pub(crate) fn root_spot(&self) -> Spot {
        self.root
    }

    pub(crate) fn id_at(&self, spot: Spot) -> NodeId {
        self.links(spot).id
    }

    pub(crate) fn node_at(&self, spot: Spot) -> &Node {
        &self.slots[spot.index()].node
    }

    /// The children of the node at a position, in order.
    pub(crate) fn children_at(&self, spot: Spot) -> impl Iterator<Item = Spot> {
        std::iter::successors(self.links(spot).first, |child| self.links(*child).after)
    }

    /// The sibling after the node at a position.
    pub(crate) fn next_at(&self, spot: Spot) -> Option<Spot> {
        self.links(spot).after
    }

    /// The node's parent.
    pub fn parent(&self, id: NodeId) -> Option<NodeId> {
        let parent = self.links(self.spot(id)?).parent?;
        Some(self.id_at(parent))
    }

    /// The node's parent and previous sibling; `None` for the root and for a node that does not exist.
    pub fn place(&self, id: NodeId) -> Option<Place> {
        let links = self.links(self.spot(id)?);
        Some(Place {
            parent: self.id_at(links.parent?),
            after: links.before.map(|before| self.id_at(before)),
        })
    }

    /// The node's children in order.
    pub fn children(&self, id: NodeId) -> impl Iterator<Item = NodeId> {
        self.spot(id)
            .into_iter()
            .flat_map(|spot| self.children_at(spot))
            .map(|spot| self.id_at(spot))
    }

    /// The node and its descendants in document order.
    pub fn walk(&self, from: NodeId) -> impl Iterator<Item = NodeId> {
        let top = self.spot(from);
        top.into_iter()
            .flat_map(|top| self.walk_at(top))
            .map(|spot| self.id_at(spot))
    }

    fn walk_at(&self, top: Spot) -> impl Iterator<Item = Spot> {
        std::iter::successors(Some(top), move |here| self.following(*here, top))
    }

    /// The position after `here` in document order, within `top`.
    fn following(&self, here: Spot, top: Spot) -> Option<Spot> {
        if let Some(child) = self.links(here).first {
            return Some(child);
        }
        let mut at = here;
        while at != top {
            let links = self.links(at);
            if let Some(sibling) = links.after {
                return Some(sibling);
            }
            at = links.parent?;
        }
        None
    }

    /// A copy of the node and its descendants.
    pub fn subtree(&self, id: NodeId) -> Option<Subtree> {
        let top = self.spot(id)?;
        let mut nodes: Vec<SubtreeNode> = Vec::new();
        // The path from the top to the previous node, as positions in the tree and in the list.
        let mut above: Vec<(Spot, u32)> = Vec::new();
        for (position, here) in (0u32..).zip(self.walk_at(top)) {
            let links = self.links(here);
            while here != top && above.last().map(|(spot, _)| *spot) != links.parent {
                above.pop();
            }
            let parent = above.last().map(|(_, position)| *position);
            nodes.push(SubtreeNode {
                id: links.id,
                parent,
                node: self.node_at(here).clone(),
            });
            above.push((here, position));
        }
        Some(Subtree(nodes))
    }

    /// The depth of a node; the root has depth 1.
    fn depth(&self, spot: Spot) -> usize {
        std::iter::successors(Some(spot), |at| self.links(*at).parent)
            .take(DEPTH_MAX + 1)
            .count()
    }

    /// Inserts a subtree. If `place.after` is not a child of the parent, the subtree becomes the last child.
    ///
    /// The caller must check that the parent exists.
    pub(crate) fn insert(&mut self, subtree: &Subtree, place: Place) -> Result<(), PlacementError> {
        let depth = subtree.depth()?;
        let parent = self.spot(place.parent).ok_or(PlacementError::Malformed)?;
        if self.depth(parent) + depth > DEPTH_MAX {
            return Err(PlacementError::TooDeep);
        }
        let mut ids = HashSet::with_capacity(subtree.0.len());
        if subtree
            .0
            .iter()
            .any(|grown| self.spots.contains_key(&grown.id) || !ids.insert(grown.id))
        {
            return Err(PlacementError::Malformed);
        }
        let mut spots: Vec<Spot> = Vec::with_capacity(subtree.0.len());
        for SubtreeNode {
            id,
            parent: within,
            node,
        } in &subtree.0
        {
            let spot = self.add(*id, node.clone());
            match within.and_then(|within| spots.get(within as usize).copied()) {
                None => self.link(spot, parent, self.anchor(parent, place.after)),
                Some(within) => self.link(spot, within, self.links(within).last),
            }
            spots.push(spot);
        }
        Ok(())
    }

    /// Removes a node with its descendants and returns them with their former place.
    pub(crate) fn remove(&mut self, id: NodeId) -> Option<(Subtree, Place)> {
        let place = self.place(id)?;
        let subtree = self.subtree(id)?;
        self.unlink(self.spot(id)?);
        for grown in &subtree.0 {
            if let Some(spot) = self.spots.remove(&grown.id) {
                // Frees the node's content at once; its position is reused by the next node that is added.
                self.slots[spot.index()].node = Node::new(Kind::Outlet);
                self.free.push(spot);
            }
        }
        Some((subtree, place))
    }

    /// Moves a node and returns its former place. If `place.after` is not a child of the parent, the node becomes the last
    /// child.
    pub(crate) fn relocate(&mut self, id: NodeId, place: Place) -> Result<Place, PlacementError> {
        let was = self.place(id).ok_or(PlacementError::Root)?;
        let spot = self.spot(id).ok_or(PlacementError::Root)?;
        let parent = self.spot(place.parent).ok_or(PlacementError::Malformed)?;
        let mut above = std::iter::successors(Some(parent), |at| self.links(*at).parent);
        if above.any(|at| at == spot) {
            return Err(PlacementError::Cycle {
                outer: id,
                inner: place.parent,
            });
        }
        if self.depth(parent) + self.height(spot) > DEPTH_MAX {
            return Err(PlacementError::TooDeep);
        }
        // A node that is its own anchor keeps its predecessor.
        let after = if place.after == Some(id) {
            was.after
        } else {
            place.after
        };
        self.unlink(spot);
        self.link(spot, parent, self.anchor(parent, after));
        Ok(was)
    }

    /// How many levels a node and its descendants span.
    fn height(&self, top: Spot) -> usize {
        let mut above: Vec<Spot> = Vec::new();
        let mut deepest = 0;
        for here in self.walk_at(top) {
            while here != top && above.last().copied() != self.links(here).parent {
                above.pop();
            }
            above.push(here);
            deepest = deepest.max(above.len());
        }
        deepest
    }

    /// The child to insert after: the requested one, or the last child if that one is not a child; `None` for the first
    /// position.
    fn anchor(&self, parent: Spot, after: Option<NodeId>) -> Option<Spot> {
        let wanted = after?;
        let is_child = |spot: &Spot| self.links(*spot).parent == Some(parent);
        self.spot(wanted)
            .filter(is_child)
            .or(self.links(parent).last)
    }

    fn add(&mut self, id: NodeId, node: Node) -> Spot {
        let spot = match self.free.pop() {
            Some(spot) => {
                *self.links_mut(spot) = Links::none(id);
                self.slots[spot.index()] = Slot { node, rev: 0 };
                spot
            }
            None => {
                self.links.push(Links::none(id));
                self.slots.push(Slot { node, rev: 0 });
                // A tree has far fewer nodes than `u32` has values, because changes and imports are limited in size.
                let count = u32::try_from(self.slots.len()).ok();
                Spot(count.and_then(NonZeroU32::new).unwrap_or(NonZeroU32::MAX))
            }
        };
        self.spots.insert(id, spot);
        spot
    }

    fn link(&mut self, spot: Spot, parent: Spot, before: Option<Spot>) {
        let after = match before {
            Some(before) => self.links_mut(before).after.replace(spot),
            None => self.links_mut(parent).first.replace(spot),
        };
        match after {
            Some(after) => self.links_mut(after).before = Some(spot),
            None => self.links_mut(parent).last = Some(spot),
        }
        let links = self.links_mut(spot);
        (links.parent, links.before, links.after) = (Some(parent), before, after);
    }

    fn unlink(&mut self, spot: Spot) {
        let links = self.links_mut(spot);
        let (parent, before, after) =
            (links.parent.take(), links.before.take(), links.after.take());
        match (before, parent) {
            (Some(before), _) => self.links_mut(before).after = after,
            (None, Some(parent)) => self.links_mut(parent).first = after,
            (None, None) => {}
        }
        match (after, parent) {
            (Some(after), _) => self.links_mut(after).before = before,
            (None, Some(parent)) => self.links_mut(parent).last = before,
            (None, None) => {}
        }
    }

    fn links(&self, spot: Spot) -> &Links {
        &self.links[spot.index()]
    }

    fn links_mut(&mut self, spot: Spot) -> &mut Links {
        &mut self.links[spot.index()]
    }
}

impl PartialEq for Tree {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.subtree(self.root()) == other.subtree(other.root())
    }
}

impl Serialize for Tree {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.subtree(self.root()).serialize(serializer)
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

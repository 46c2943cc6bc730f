//! Applying ops, and undoing them exactly. An op whose target is gone fails alone; the remaining ops of its change are still
//! applied.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    BadField, BodyId, Entity, NewEntity, NodeId, Op, OpScope, Place, PlacementError, Site, Subtree,
    SubtreeNode, Violation, invariants,
};

/// An op that was applied, with the state it replaced.
#[derive(Debug, Clone, PartialEq)]
pub struct Done {
    /// The op as applied, which may differ from the requested one: a slug that is taken is made unique.
    pub op: Op,
    /// The state before the op.
    pub was: PriorState,
    /// The previous sequence of each entity the op touched; 0 for new ones. `undo` restores them. The log does not store them,
    /// because a later revert stamps new ones.
    revs: Vec<(Entity, u64)>,
}

/// What was there before an op.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum PriorState {
    /// Nothing: the op brought something new.
    Nothing,
    /// A field held this.
    Value {
        /// The value; null when it was not set.
        value: Value,
        /// The position of an attribute among its siblings.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        at: Option<usize>,
    },
    /// A node stood here.
    Place(Place),
    /// Something stood behind this in its list.
    After(Option<Entity>),
    /// This was there.
    Removed(Box<NewEntity>),
}

/// Why an op was not applied.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum OpError {
    /// The entity it refers to no longer exists.
    #[error("what it refers to no longer exists")]
    Missing(Entity),
    /// The target position is invalid.
    #[error(transparent)]
    Misplaced(#[from] PlacementError),
    /// The field does not exist, or the value has the wrong type.
    #[error(transparent)]
    Field(#[from] BadField),
    /// It would bring in code, or a tree that the HTML parser reads back as a different one.
    #[error(transparent)]
    Violation(#[from] Violation),
    /// An entity with this id already exists.
    #[error("there is one with this id already")]
    Exists(Entity),
    /// The two entities are not in the same list.
    #[error("these two do not stand in the same list")]
    OtherList,
}

impl Site {
    /// Applies one op and stamps every entity it touches with `seq`.
    ///
    /// The returned `Done` holds the op as it took effect, which is what the log stores: slugs are made unique, and the anchor
    /// of a move is replaced by the actual predecessor. It also holds the prior state and sequences, so that `undo` restores
    /// the site exactly. The invariants are checked before anything is written, for every op that is not in the log yet.
    /// When the op fails, the site is unchanged.
    pub fn apply(&mut self, op: &Op, seq: u64) -> Result<Done, OpError> {
        invariants::check(self, op)?;
        self.apply_logged(op, seq)
    }

    /// Applies an op of the log. The invariants are not checked again: they were when it was committed, and a rule that has become
    /// stricter since must not make a stored site unreadable. What it would refuse is found when the page is published.
    pub(crate) fn apply_logged(&mut self, op: &Op, seq: u64) -> Result<Done, OpError> {
        let (op, was, touched) = match op {
            Op::Put {
                entity,
                field,
                value,
            } => {
                let value = self.admissible(*entity, field, value);
                let (held, at) = self.put(*entity, field, &value, None)?;
                let op = Op::Put {
                    entity: *entity,
                    field: field.clone(),
                    value,
                };
                (op, PriorState::Value { value: held, at }, vec![*entity])
            }
            Op::Place { body, node, place } => {
                let was = self.relocate(*body, *node, *place)?;
                let entity = |node: NodeId| Entity::Node { body: *body, node };
                // The log needs the actual position, because a revert compares it with the current one.
                let place = self
                    .bodies
                    .get(body)
                    .and_then(|tree| tree.place(*node))
                    .unwrap_or(*place);
                let op = Op::Place {
                    body: *body,
                    node: *node,
                    place,
                };
                (
                    op,
                    PriorState::Place(was),
                    vec![entity(*node), entity(place.parent), entity(was.parent)],
                )
            }
            Op::Order { entity, after } => {
                let was = self.order(*entity, *after)?;
                let op = Op::Order {
                    entity: *entity,
                    after: self.before(*entity),
                };
                (op, PriorState::After(was), vec![*entity])
            }
            Op::Insert { new } => {
                let new = self.insert(new)?;
                let touched = touched_by(&new);
                (
                    Op::Insert { new: Box::new(new) },
                    PriorState::Nothing,
                    touched,
                )
            }
            Op::Remove { entity } => return self.take_out(*entity, seq),
        };
        let revs = touched
            .into_iter()
            .map(|entity| (entity, self.stamp(entity, seq)))
            .collect();
        Ok(Done { op, was, revs })
    }

    /// Removes an entity. Its sequences are collected first, because removal discards them.
    fn take_out(&mut self, entity: Entity, seq: u64) -> Result<Done, OpError> {
        let mut revs = self.revs_within(entity);
        let removed = self.remove(entity)?;
        // A removed entity has no sequence. The nodes of a document took theirs with them.
        for (gone, _) in &revs {
            self.stamp(*gone, 0);
        }
        if let NewEntity::Nodes { body, place, .. } = &removed {
            let parent = Entity::Node {
                body: *body,
                node: place.parent,
            };
            revs.push((parent, self.stamp(parent, seq)));
        }
        Ok(Done {
            op: Op::Remove { entity },
            was: PriorState::Removed(Box::new(removed)),
            revs,
        })
    }

    /// The last sequence of an entity and of everything it contains.
    fn revs_within(&self, entity: Entity) -> Vec<(Entity, u64)> {
        let nodes = |body: BodyId, from: Option<NodeId>| {
            let tree = self.bodies.get(&body);
            tree.zip(from)
                .into_iter()
                .flat_map(|(tree, from)| tree.revs(from))
                .map(move |(node, rev)| (Entity::Node { body, node }, rev))
        };
        let mut revs: Vec<(Entity, u64)> = match entity {
            Entity::Node { body, node } => return nodes(body, Some(node)).collect(),
            Entity::Page { id } | Entity::Component { id } => {
                nodes(id, self.bodies.get(&id).map(crate::Tree::root)).collect()
            }
            Entity::Item { id: sheet, .. } => self
                .shell
                .items
                .pieces(sheet)
                .map(|(id, _)| Entity::Piece { sheet, id })
                .map(|piece| (piece, self.rev(piece)))
                .collect(),
            Entity::Site | Entity::Piece { .. } | Entity::Record { .. } => Vec::new(),
        };
        revs.push((entity, self.rev(entity)));
        revs
    }

    /// Undoes the most recent op. Undoing ops in reverse order restores exactly the previous site.
    pub fn undo(&mut self, done: &Done) -> Result<(), OpError> {
        match (&done.op, &done.was) {
            (Op::Put { entity, field, .. }, PriorState::Value { value, at }) => {
                self.put(*entity, field, value, *at)?;
            }
            (Op::Place { body, node, .. }, PriorState::Place(place)) => {
                self.relocate(*body, *node, *place)?;
            }
            (Op::Order { entity, .. }, PriorState::After(after)) => {
                self.order(*entity, *after)?;
            }
            (Op::Insert { new }, _) => {
                if let Some(entity) = new.entity() {
                    self.remove(entity)?;
                }
            }
            (Op::Remove { .. }, PriorState::Removed(new)) => {
                self.insert(new)?;
            }
            // Unreachable for a `Done` of `apply`, which pairs each op with its own kind of prior state.
            (Op::Put { .. } | Op::Place { .. } | Op::Order { .. } | Op::Remove { .. }, _) => {}
        }
        for (entity, rev) in done.revs.iter().rev() {
            self.stamp(*entity, *rev);
        }
        Ok(())
    }

    /// Undoes the last op of the log on a replica in which only some documents are open. When the op created a document that is
    /// not open, only its entry in the shell is removed.
    pub fn rewind(&mut self, done: &Done) -> Result<(), OpError> {
        match done.op.scope() {
            OpScope::Document(id)
                if done.was == PriorState::Nothing && !self.bodies.contains_key(&id) =>
            {
                self.shell.pages.remove(id);
                self.shell.components.remove(id);
                Ok(())
            }
            _ => self.undo(done),
        }
    }
}

impl Done {
    /// An op from the log with the state it replaced, for reverting it.
    pub fn of_log(op: Op, was: PriorState) -> Self {
        Self {
            op,
            was,
            revs: Vec::new(),
        }
    }

    /// Every entity the op touched.
    pub fn touched(&self) -> impl Iterator<Item = Entity> {
        self.revs.iter().map(|(entity, _)| *entity)
    }
}

fn touched_by(new: &NewEntity) -> Vec<Entity> {
    let nodes = |body: BodyId, tree: &Subtree| -> Vec<Entity> {
        tree.nodes()
            .iter()
            .map(|SubtreeNode { id, .. }| Entity::Node { body, node: *id })
            .collect()
    };
    match new {
        NewEntity::Nodes {
            body,
            nodes: tree,
            place,
        } => {
            let mut touched = nodes(*body, tree);
            touched.push(Entity::Node {
                body: *body,
                node: place.parent,
            });
            touched
        }
        NewEntity::Page { id, tree, .. } => {
            let mut touched = nodes(*id, tree);
            touched.push(Entity::Page { id: *id });
            touched
        }
        NewEntity::Component { id, tree, .. } => {
            let mut touched = nodes(*id, tree);
            touched.push(Entity::Component { id: *id });
            touched
        }
        NewEntity::Item {
            id, item, pieces, ..
        } => {
            let mut touched: Vec<Entity> = pieces
                .iter()
                .map(|(piece, _)| Entity::Piece {
                    sheet: *id,
                    id: *piece,
                })
                .collect();
            touched.push(Entity::Item {
                list: item.list(),
                id: *id,
            });
            touched
        }
        NewEntity::Piece { sheet, id, .. } => vec![Entity::Piece {
            sheet: *sheet,
            id: *id,
        }],
        NewEntity::Record { id, .. } => vec![Entity::Record { id: *id }],
    }
}

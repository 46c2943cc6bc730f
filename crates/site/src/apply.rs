//! Applying ops, and taking them back exactly. Applying is total: an op whose target is gone is reported and the others go on.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    BadField, BodyId, Entity, NewEntity, NodeId, Op, OpScope, Place, PlacementError, Site, Subtree,
    SubtreeNode, Violation, invariants,
};

/// An op that happened, with what it replaced.
#[derive(Debug, Clone, PartialEq)]
pub struct Done {
    /// The op as it happened, which may differ from what was asked: a slug that was taken is made unique.
    pub op: Op,
    /// What was there before.
    pub was: PriorState,
    /// The sequences that had last touched what it touched; 0 for what was new. Taking back at once needs
    /// them; a revert later makes new ones, so the log does not keep them.
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

/// Why an op did not happen.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum OpError {
    /// What it names is not there any more.
    #[error("what it names is not there any more")]
    Missing(Entity),
    /// The place it names cannot be.
    #[error(transparent)]
    Misplaced(#[from] PlacementError),
    /// The field or the value does not fit.
    #[error(transparent)]
    Field(#[from] BadField),
    /// It would bring code, or a tree that reads as another one once it is written.
    #[error(transparent)]
    Violation(#[from] Violation),
    /// There is one with this id already.
    #[error("there is one with this id already")]
    Exists(Entity),
    /// The two things do not stand in the same list.
    #[error("these two do not stand in the same list")]
    OtherList,
}

impl Site {
    /// Does one step and stamps what it touched with `seq`.
    pub fn apply(&mut self, op: &Op, seq: u64) -> Result<Done, OpError> {
        invariants::check(self, op)?;
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
                // The place as it came to be, so that a revert can tell whether it still is.
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

    /// Removing, which must remember sequences before they go.
    fn take_out(&mut self, entity: Entity, seq: u64) -> Result<Done, OpError> {
        let mut revs = self.revs_within(entity);
        let removed = self.remove(entity)?;
        // What was removed has no sequence any more; a document's nodes took theirs with them.
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

    /// A thing and everything in it, with the sequences that last touched them.
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
            Entity::Site | Entity::Piece { .. } => Vec::new(),
        };
        revs.push((entity, self.rev(entity)));
        revs
    }

    /// Takes back the last step that happened. Taking steps back in reverse order gives exactly the site that was.
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
            // `apply` pairs each op with the kind of memory above.
            (Op::Put { .. } | Op::Place { .. } | Op::Order { .. } | Op::Remove { .. }, _) => {}
        }
        for (entity, rev) in done.revs.iter().rev() {
            self.stamp(*entity, *rev);
        }
        Ok(())
    }

    /// Takes back the last step of the log, on a copy in which only some documents are open. One that a step brought and that is
    /// closed goes without its nodes.
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
    /// An op of the log with what it replaced, for reverting it.
    pub fn of_log(op: Op, was: PriorState) -> Self {
        Self {
            op,
            was,
            revs: Vec::new(),
        }
    }

    /// Everything it touched.
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
    }
}

//! Reverting changes that others have built on since. Undo, redo, reverting a turn and restoring all use this one function.
//!
//! Ops are processed in reverse order. Where the current state is still what the op left, the prior state is restored; where
//! someone has changed it since, it is left alone and reported.

use serde_json::Value;

use crate::tools::is_of_template;
use crate::{Applied, Done, Entity, NewEntity, Op, OpError, PriorState, Site};

/// The result of a revert.
#[derive(Debug, Clone, PartialEq)]
pub struct Reverted {
    /// The inverse ops, already applied.
    pub applied: Applied,
    /// Entities skipped because someone changed them after the reverted change.
    pub left: Vec<Entity>,
}

impl Site {
    /// Reverts these ops, the last one first, by applying their inverses as new ops.
    ///
    /// Unlike `undo`, this works when later changes have been applied: an inverse is built only if the entity still is as the
    /// op left it. Otherwise, or if the inverse itself fails, the entity is listed in `left` and its current state wins.
    /// Inverses get the sequence `seq`, so a revert is an ordinary change in the log and can be reverted in turn.
    pub fn revert<'a>(
        &mut self,
        done: impl DoubleEndedIterator<Item = &'a Done>,
        seq: u64,
    ) -> Reverted {
        let mut reverted = Reverted {
            applied: Applied {
                done: Vec::new(),
                rejected: Vec::new(),
            },
            left: Vec::new(),
        };
        for done in done.rev() {
            let Some(entity) = done.op.entity() else {
                continue;
            };
            match self.inverse(done) {
                Ok(Some(op)) => match self.apply(&op, seq) {
                    Ok(done) => reverted.applied.done.push(done),
                    Err(_) => reverted.left.push(entity),
                },
                Ok(None) => {}
                Err(Touched) => reverted.left.push(entity),
            }
        }
        reverted.left.dedup();
        reverted
    }

    /// The op that reverts this one. `None` when there is nothing to revert; an error when the entity was changed since.
    fn inverse(&self, done: &Done) -> Result<Option<Op>, Touched> {
        match (&done.op, &done.was) {
            (
                Op::Put {
                    entity,
                    field,
                    value,
                },
                PriorState::Value { value: was, .. },
            ) => {
                let current = self.field(*entity, field)?;
                // Default values are not serialized, so they read as null; `same` treats the two as equal.
                if !same(&current, value) {
                    return Err(Touched);
                }
                let unchanged = same(was, value);
                Ok((!unchanged).then(|| Op::Put {
                    entity: *entity,
                    field: field.clone(),
                    value: was.clone(),
                }))
            }
            (Op::Place { body, node, place }, PriorState::Place(was)) => {
                let tree = self.bodies.get(body).ok_or(Touched)?;
                if tree.place(*node) != Some(*place) || tree.node(was.parent).is_none() {
                    return Err(Touched);
                }
                Ok(Some(Op::Place {
                    body: *body,
                    node: *node,
                    place: *was,
                }))
            }
            (Op::Order { entity, after }, PriorState::After(was)) => {
                if !self.has(*entity) || self.before(*entity) != *after {
                    return Err(Touched);
                }
                Ok(Some(Op::Order {
                    entity: *entity,
                    after: *was,
                }))
            }
            (Op::Insert { new }, _) => {
                let entity = new.entity().ok_or(Touched)?;
                if !self.has(entity) || is_of_template(self, new) {
                    return Ok(None);
                }
                if self
                    .as_new(entity)
                    .is_some_and(|current| same_thing(&current, new))
                {
                    Ok(Some(Op::Remove { entity }))
                } else {
                    Err(Touched)
                }
            }
            (Op::Remove { entity }, PriorState::Removed(new)) => {
                if self.has(*entity) {
                    return Err(Touched);
                }
                Ok(Some(Op::Insert { new: new.clone() }))
            }
            (Op::Put { .. } | Op::Place { .. } | Op::Order { .. } | Op::Remove { .. }, _) => {
                Err(Touched)
            }
        }
    }

    /// The entity as it is now, in the form that would insert it again.
    pub(crate) fn as_new(&self, entity: Entity) -> Option<NewEntity> {
        match entity {
            Entity::Site => None,
            Entity::Node { body, node } => {
                let tree = self.bodies.get(&body)?;
                Some(NewEntity::Nodes {
                    body,
                    nodes: tree.subtree(node)?,
                    place: tree.place(node)?,
                })
            }
            Entity::Page { id } => {
                let tree = self.bodies.get(&id)?;
                let page = self.shell.pages.get(id)?.clone();
                Some(NewEntity::Page {
                    id,
                    page: Box::new(page),
                    tree: tree.subtree(tree.root())?,
                    after: self.shell.pages.before(id),
                })
            }
            Entity::Component { id } => {
                let tree = self.bodies.get(&id)?;
                let component = self.shell.components.get(id)?.clone();
                Some(NewEntity::Component {
                    id,
                    component: Box::new(component),
                    tree: tree.subtree(tree.root())?,
                    after: self.shell.components.before(id),
                })
            }
            Entity::Item { list, id } => {
                let item = Box::new(self.shell.items.get(list, id)?.clone());
                let pieces = self
                    .shell
                    .items
                    .pieces(id)
                    .map(|(id, piece)| (id, piece.clone()))
                    .collect();
                Some(NewEntity::Item {
                    id,
                    item,
                    pieces,
                    after: self.shell.items.before(list, id),
                })
            }
            Entity::Piece { sheet, id } => {
                let pieces = self.shell.items.sheet(sheet)?;
                Some(NewEntity::Piece {
                    sheet,
                    id,
                    piece: Box::new(pieces.get(id)?.clone()),
                    after: pieces.before(id),
                })
            }
            Entity::Record { id } => {
                let record = Box::new(self.records.get(&id)?.record.clone());
                Some(NewEntity::Record { id, record })
            }
        }
    }
}

/// The entity was changed after the op that is being reverted.
struct Touched;

impl From<OpError> for Touched {
    fn from(_: OpError) -> Self {
        Self
    }
}

pub(crate) fn same(one: &Value, other: &Value) -> bool {
    let is_default = |value: &Value| match value {
        Value::Null | Value::Bool(false) => true,
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        Value::String(_) | Value::Number(_) | Value::Bool(true) => false,
    };
    one == other || (is_default(one) && is_default(other))
}

/// Whether both have the same content. Their position among siblings is ignored, because neighbours may have been added or
/// removed.
pub(crate) fn same_thing(one: &NewEntity, other: &NewEntity) -> bool {
    match (one, other) {
        (
            NewEntity::Nodes {
                nodes: one,
                place: here,
                ..
            },
            NewEntity::Nodes {
                nodes: other,
                place: there,
                ..
            },
        ) => one == other && here.parent == there.parent,
        (
            NewEntity::Page {
                page: one, tree, ..
            },
            NewEntity::Page {
                page: other,
                tree: grown,
                ..
            },
        ) => one == other && tree == grown,
        (
            NewEntity::Component {
                component: one,
                tree,
                ..
            },
            NewEntity::Component {
                component: other,
                tree: grown,
                ..
            },
        ) => one == other && tree == grown,
        (
            NewEntity::Item {
                item: one, pieces, ..
            },
            NewEntity::Item {
                item: other,
                pieces: were,
                ..
            },
        ) => one == other && pieces == were,
        (NewEntity::Piece { piece: one, .. }, NewEntity::Piece { piece: other, .. }) => {
            one == other
        }
        (NewEntity::Record { record: one, .. }, NewEntity::Record { record: other, .. }) => {
            one == other
        }
        (
            NewEntity::Nodes { .. }
            | NewEntity::Page { .. }
            | NewEntity::Component { .. }
            | NewEntity::Item { .. }
            | NewEntity::Piece { .. }
            | NewEntity::Record { .. },
            _,
        ) => false,
    }
}

impl Op {
    /// The entity the op is about.
    pub fn entity(&self) -> Option<Entity> {
        match self {
            Self::Put { entity, .. } | Self::Order { entity, .. } | Self::Remove { entity } => {
                Some(*entity)
            }
            Self::Place { body, node, .. } => Some(Entity::Node {
                body: *body,
                node: *node,
            }),
            Self::Insert { new } => new.entity(),
        }
    }
}

//! Access by id: reading, writing, moving, inserting and removing the entities that ops refer to.

use serde_json::Value;

use crate::content::OpenRecord;
use crate::field::{
    field_of, item_field, node_field, piece_field, put_field, put_item_field, put_node_field,
    put_piece_field,
};
use crate::item::RemovedItem;
use crate::{
    BodyId, Entity, List, NewEntity, NodeId, OpError, Page, Place, PlacementError, Site, Subtree,
    Tree,
};

impl Site {
    /// The current value of a field; fails if the entity or the field does not exist.
    pub fn field(&self, entity: Entity, field: &str) -> Result<Value, OpError> {
        let missing = OpError::Missing(entity);
        match entity {
            Entity::Site => Ok(field_of(&self.shell.settings, field)?),
            Entity::Node { body, node } => {
                let node = self
                    .bodies
                    .get(&body)
                    .and_then(|tree| tree.node(node))
                    .ok_or(missing)?;
                Ok(node_field(node, field)?.value)
            }
            Entity::Page { id } => Ok(field_of(self.shell.pages.get(id).ok_or(missing)?, field)?),
            Entity::Component { id } => Ok(field_of(
                self.shell.components.get(id).ok_or(missing)?,
                field,
            )?),
            Entity::Item { list, id } => Ok(item_field(
                self.shell.items.get(list, id).ok_or(missing)?,
                field,
            )?),
            Entity::Piece { sheet, id } => Ok(piece_field(
                self.shell.items.piece(sheet, id).ok_or(missing)?,
                field,
            )?),
            Entity::Record { id } => Ok(field_of(
                &self.records.get(&id).ok_or(missing)?.record,
                field,
            )?),
        }
    }

    /// Whether the entity exists. An entry of a collection that is not open does not exist here.
    pub fn has(&self, entity: Entity) -> bool {
        match entity {
            Entity::Site => true,
            Entity::Node { body, node } => self
                .bodies
                .get(&body)
                .is_some_and(|tree| tree.node(node).is_some()),
            Entity::Page { id } => self.shell.pages.get(id).is_some(),
            Entity::Component { id } => self.shell.components.get(id).is_some(),
            Entity::Item { list, id } => self.shell.items.get(list, id).is_some(),
            Entity::Piece { sheet, id } => self.shell.items.piece(sheet, id).is_some(),
            Entity::Record { id } => self.records.contains_key(&id),
        }
    }

    pub(crate) fn put(
        &mut self,
        entity: Entity,
        field: &str,
        value: &Value,
        at: Option<usize>,
    ) -> Result<(Value, Option<usize>), OpError> {
        let missing = OpError::Missing(entity);
        let held = match entity {
            Entity::Site => put_field(&mut self.shell.settings, field, value)?,
            Entity::Node { body, node } => {
                let node = self
                    .bodies
                    .get_mut(&body)
                    .and_then(|tree| tree.node_mut(node))
                    .ok_or(missing)?;
                let held = put_node_field(node, field, value, at)?;
                return Ok((held.value, held.at));
            }
            Entity::Page { id } => {
                let put = |page: &mut Page| put_field(page, field, value);
                self.shell.pages.change(id, put).ok_or(missing)??
            }
            Entity::Component { id } => put_field(
                self.shell.components.get_mut(id).ok_or(missing)?,
                field,
                value,
            )?,
            Entity::Item { list, id } => put_item_field(
                self.shell.items.get_mut(list, id).ok_or(missing)?,
                field,
                value,
            )?,
            Entity::Piece { sheet, id } => {
                let pieces = self.shell.items.sheet_mut(sheet);
                put_piece_field(
                    pieces
                        .and_then(|pieces| pieces.get_mut(id))
                        .ok_or(missing)?,
                    field,
                    value,
                )?
            }
            Entity::Record { id } => {
                let open = self.records.get_mut(&id).ok_or(missing)?;
                put_field(&mut open.record, field, value)?
            }
        };
        Ok((held, None))
    }

    pub(crate) fn relocate(
        &mut self,
        body: BodyId,
        node: NodeId,
        place: Place,
    ) -> Result<Place, OpError> {
        let entity = |node| Entity::Node { body, node };
        let tree = self
            .bodies
            .get_mut(&body)
            .ok_or(OpError::Missing(Entity::Node { body, node }))?;
        for needed in [node, place.parent] {
            if tree.node(needed).is_none() {
                return Err(OpError::Missing(entity(needed)));
            }
        }
        Ok(tree.relocate(node, place)?)
    }

    pub(crate) fn order(
        &mut self,
        entity: Entity,
        after: Option<Entity>,
    ) -> Result<Option<Entity>, OpError> {
        let shell = &mut self.shell;
        let was = match (entity, after) {
            (Entity::Page { id }, None | Some(Entity::Page { .. })) => {
                let was = shell.pages.relocate(id, after.and_then(Entity::body));
                was.map(|was| was.map(|id| Entity::Page { id }))
            }
            (Entity::Component { id }, None | Some(Entity::Component { .. })) => {
                let was = shell.components.relocate(id, after.and_then(Entity::body));
                was.map(|was| was.map(|id| Entity::Component { id }))
            }
            (Entity::Item { list, id }, after) => {
                let after = match after {
                    None => None,
                    Some(Entity::Item { list: other, id }) if other == list => Some(id),
                    Some(_) => return Err(OpError::OtherList),
                };
                let was = shell.items.relocate(list, id, after);
                was.map(|was| was.map(|id| Entity::Item { list, id }))
            }
            (Entity::Piece { sheet, id }, after) => {
                let after = match after {
                    None => None,
                    Some(Entity::Piece { sheet: other, id }) if other == sheet => Some(id),
                    Some(_) => return Err(OpError::OtherList),
                };
                let was = shell
                    .items
                    .sheet_mut(sheet)
                    .and_then(|pieces| pieces.relocate(id, after));
                was.map(|was| was.map(|id| Entity::Piece { sheet, id }))
            }
            (
                Entity::Site
                | Entity::Node { .. }
                | Entity::Page { .. }
                | Entity::Component { .. }
                | Entity::Record { .. },
                _,
            ) => {
                return Err(OpError::OtherList);
            }
        };
        was.ok_or(OpError::Missing(entity))
    }

    /// The entity before this one in its list.
    pub(crate) fn before(&self, entity: Entity) -> Option<Entity> {
        match entity {
            Entity::Page { id } => self.shell.pages.before(id).map(|id| Entity::Page { id }),
            Entity::Component { id } => self
                .shell
                .components
                .before(id)
                .map(|id| Entity::Component { id }),
            Entity::Item { list, id } => self
                .shell
                .items
                .before(list, id)
                .map(|id| Entity::Item { list, id }),
            Entity::Piece { sheet, id } => {
                let before = self
                    .shell
                    .items
                    .sheet(sheet)
                    .and_then(|pieces| pieces.before(id));
                before.map(|id| Entity::Piece { sheet, id })
            }
            Entity::Site | Entity::Node { .. } | Entity::Record { .. } => None,
        }
    }

    pub(crate) fn insert(&mut self, new: &NewEntity) -> Result<NewEntity, OpError> {
        if let Some(entity) = new.entity().filter(|entity| self.has(*entity)) {
            return Err(OpError::Exists(entity));
        }
        match new {
            NewEntity::Nodes { body, nodes, place } => self.insert_nodes(*body, nodes, *place)?,
            NewEntity::Page {
                id,
                page,
                tree,
                after,
            } => {
                let mut page = page.clone();
                page.slug = self.shell.pages.free_slug(*id, &page);
                self.add_body(*id, tree)?;
                self.shell.pages.insert(*id, (*page).clone(), *after);
                let (id, tree, after) = (*id, tree.clone(), *after);
                return Ok(NewEntity::Page {
                    id,
                    page,
                    tree,
                    after,
                });
            }
            NewEntity::Component {
                id,
                component,
                tree,
                after,
            } => {
                self.add_body(*id, tree)?;
                let component = (**component).clone();
                self.shell.components.insert(*id, component, *after);
            }
            NewEntity::Item {
                id,
                item,
                pieces,
                after,
            } => {
                let item = (**item).clone();
                self.shell.items.insert(*id, item, pieces, *after);
            }
            NewEntity::Piece {
                sheet,
                id,
                piece,
                after,
            } => {
                let missing = OpError::Missing(Entity::Item {
                    list: List::Sheets,
                    id: *sheet,
                });
                let pieces = self.shell.items.sheet_mut(*sheet).ok_or(missing)?;
                pieces.insert(*id, (**piece).clone(), *after);
            }
            NewEntity::Record { id, record } => {
                let record = (**record).clone();
                self.records.insert(*id, OpenRecord { record, rev: 0 });
            }
        }
        Ok(new.clone())
    }

    fn insert_nodes(&mut self, body: BodyId, nodes: &Subtree, place: Place) -> Result<(), OpError> {
        let parent = Entity::Node {
            body,
            node: place.parent,
        };
        let tree = self.bodies.get_mut(&body).ok_or(OpError::Missing(parent))?;
        if tree.node(place.parent).is_none() {
            return Err(OpError::Missing(parent));
        }
        Ok(tree.insert(nodes, place)?)
    }

    /// Opens the tree of a new document. Fails if a document with this id is open.
    fn add_body(&mut self, id: BodyId, tree: &Subtree) -> Result<(), OpError> {
        if self.bodies.contains_key(&id) {
            return Err(OpError::Exists(Entity::Page { id }));
        }
        self.bodies.insert(id, Tree::from_subtree(tree)?);
        Ok(())
    }

    pub(crate) fn remove(&mut self, entity: Entity) -> Result<NewEntity, OpError> {
        let missing = || OpError::Missing(entity);
        if !self.has(entity) {
            return Err(missing());
        }
        match entity {
            Entity::Site => Err(missing()),
            Entity::Node { body, node } => {
                let tree = self.bodies.get_mut(&body).ok_or_else(missing)?;
                if tree.root() == node {
                    return Err(PlacementError::Root.into());
                }
                let (nodes, place) = tree.remove(node).ok_or_else(missing)?;
                Ok(NewEntity::Nodes { body, nodes, place })
            }
            Entity::Page { id } => {
                let tree = self.take_body(id).ok_or_else(missing)?;
                let (page, after) = self.shell.pages.remove(id).ok_or_else(missing)?;
                Ok(NewEntity::Page {
                    id,
                    page: Box::new(page),
                    tree,
                    after,
                })
            }
            Entity::Component { id } => {
                let tree = self.take_body(id).ok_or_else(missing)?;
                let (component, after) = self.shell.components.remove(id).ok_or_else(missing)?;
                Ok(NewEntity::Component {
                    id,
                    component: Box::new(component),
                    tree,
                    after,
                })
            }
            Entity::Item { list, id } => {
                let RemovedItem {
                    item,
                    pieces,
                    after,
                } = self.shell.items.remove(list, id).ok_or_else(missing)?;
                Ok(NewEntity::Item {
                    id,
                    item: Box::new(item),
                    pieces,
                    after,
                })
            }
            Entity::Piece { sheet, id } => {
                let pieces = self.shell.items.sheet_mut(sheet).ok_or_else(missing)?;
                let (piece, after) = pieces.remove(id).ok_or_else(missing)?;
                Ok(NewEntity::Piece {
                    sheet,
                    id,
                    piece: Box::new(piece),
                    after,
                })
            }
            Entity::Record { id } => {
                let open = self.records.remove(&id).ok_or_else(missing)?;
                Ok(NewEntity::Record {
                    id,
                    record: Box::new(open.record),
                })
            }
        }
    }

    fn take_body(&mut self, id: BodyId) -> Option<Subtree> {
        let tree = self.bodies.remove(&id)?;
        tree.subtree(tree.root())
    }

    /// The value to store: a slug that a sibling has is made unique, in the same way on every replica.
    pub(crate) fn admissible(&self, entity: Entity, field: &str, value: &Value) -> Value {
        let (Entity::Page { id }, "slug", Value::String(slug)) = (entity, field, value) else {
            return value.clone();
        };
        let Some(page) = self.shell.pages.get(id) else {
            return value.clone();
        };
        let mut page = page.clone();
        page.slug.clone_from(slug);
        Value::String(self.shell.pages.free_slug(id, &page))
    }
}

impl Entity {
    fn body(self) -> Option<BodyId> {
        match self {
            Self::Page { id } | Self::Component { id } => Some(id),
            Self::Site
            | Self::Node { .. }
            | Self::Item { .. }
            | Self::Piece { .. }
            | Self::Record { .. } => None,
        }
    }
}

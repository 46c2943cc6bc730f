//! Locks: people set them to limit what agents may do to an entity.

use crate::{
    BodyId, Entity, Item, ItemId, Kind, List, Lock, NewEntity, NodeId, Op, Piece, Site, Tree,
};

use super::{GateError, LockReason};

/// Fails if the op touches something that is locked for agents.
pub(super) fn check_locks(site: &Site, op: &Op) -> Result<(), GateError> {
    let kind = match op {
        Op::Put { field, .. } if field == "lock" => {
            return Err(GateError::LockChange);
        }
        // An agent that could lift a protection could delete what is protected.
        Op::Put {
            entity: Entity::Page { .. },
            field,
            value,
        } if field == "isProtected" && *value != serde_json::Value::Bool(true) => {
            return Err(GateError::LockChange);
        }
        Op::Put {
            entity: Entity::Node { body, node },
            field,
            ..
        } if field == "text" && is_text(site, *body, *node) => Step::Words,
        Op::Put { .. } | Op::Place { .. } | Op::Order { .. } | Op::Insert { .. } => Step::Other,
        Op::Remove { .. } => Step::Removal,
    };
    for entity in reached(op) {
        for lock in locks(site, entity, kind) {
            kind.passes(lock, entity)?;
        }
    }
    Ok(())
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    /// The wording of a text node.
    Words,
    Removal,
    Other,
}

impl Step {
    fn passes(self, lock: Lock, entity: Entity) -> Result<(), GateError> {
        let reason = match lock {
            Lock::Open => return Ok(()),
            Lock::TextOnly if self == Self::Words => return Ok(()),
            Lock::Ask => return Err(GateError::ApprovalRequired { entity }),
            Lock::TextOnly => LockReason::TextOnly,
            Lock::Locked => LockReason::Locked,
        };
        Err(GateError::Locked { entity, reason })
    }
}

fn is_text(site: &Site, body: BodyId, node: NodeId) -> bool {
    let node = site.bodies.get(&body).and_then(|tree| tree.node(node));
    node.is_some_and(|node| matches!(node.kind, Kind::Text(_)))
}

/// The entities whose locks apply to an op.
fn reached(op: &Op) -> Vec<Entity> {
    match op {
        Op::Put { entity, .. } | Op::Order { entity, .. } | Op::Remove { entity } => vec![*entity],
        Op::Place { body, node, place } => [*node, place.parent]
            .map(|node| Entity::Node { body: *body, node })
            .to_vec(),
        Op::Insert { new } => match &**new {
            NewEntity::Nodes { body, place, .. } => vec![Entity::Node {
                body: *body,
                node: place.parent,
            }],
            NewEntity::Piece { sheet, .. } => vec![Entity::Item {
                list: List::Sheets,
                id: *sheet,
            }],
            NewEntity::Page { .. }
            | NewEntity::Component { .. }
            | NewEntity::Item { .. }
            | NewEntity::Record { .. } => Vec::new(),
        },
    }
}

/// The locks on an entity: its own, those of everything it is in, and for a removal those of everything in it.
fn locks(site: &Site, entity: Entity, kind: Step) -> Vec<Lock> {
    match entity {
        Entity::Site | Entity::Record { .. } => Vec::new(),
        Entity::Node { body, node } => {
            let mut locks = document_lock(site, body);
            let Some(tree) = site.bodies.get(&body) else {
                return locks;
            };
            let above = std::iter::successors(Some(node), |node| tree.parent(*node));
            locks.extend(above.filter_map(|id| lock_of(tree, id)));
            if kind == Step::Removal {
                locks.extend(tree.walk(node).filter_map(|id| lock_of(tree, id)));
            }
            locks
        }
        Entity::Page { id } | Entity::Component { id } => {
            let mut locks = document_lock(site, id);
            if let Some(tree) = site.bodies.get(&id).filter(|_| kind == Step::Removal) {
                locks.extend(tree.walk(tree.root()).filter_map(|id| lock_of(tree, id)));
            }
            locks
        }
        Entity::Item { list, id } => {
            let mut locks = item_lock(site, list, id);
            if list == List::Sheets && kind == Step::Removal {
                locks.extend(site.shell.items.pieces(id).map(|(_, piece)| piece.lock()));
            }
            locks
        }
        Entity::Piece { sheet, id } => {
            let mut locks = item_lock(site, List::Sheets, sheet);
            locks.extend(site.shell.items.piece(sheet, id).map(Piece::lock));
            locks
        }
    }
}

fn lock_of(tree: &Tree, node: NodeId) -> Option<Lock> {
    tree.node(node).map(|node| node.lock)
}

fn document_lock(site: &Site, body: BodyId) -> Vec<Lock> {
    let page = site.shell.pages.get(body).map(|page| page.lock);
    let component = site.shell.components.get(body).map(|found| found.lock);
    page.or(component).into_iter().collect()
}

fn item_lock(site: &Site, list: List, id: ItemId) -> Vec<Lock> {
    let lock = site.shell.items.get(list, id).and_then(|item| match item {
        Item::Sheet(sheet) => Some(sheet.lock),
        Item::File(file) => Some(file.lock),
        Item::Color(color) => Some(color.lock),
        Item::Font(font) => Some(font.lock),
        Item::TypeScale(scale) | Item::SpacingScale(scale) => Some(scale.lock),
        Item::Breakpoint(_)
        | Item::Family(_)
        | Item::Collection(_)
        | Item::Navigation(_)
        | Item::NavItem(_) => None,
    });
    lock.into_iter().collect()
}

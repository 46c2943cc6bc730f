//! What a change must be to be committed, besides that its steps can be done: size, what its author may do, locks. Pure.

use sitewright_site::{
    Author, BodyId, CHANGE_BYTES_MAX, Change, Code, Entity, FORMAT, Item, ItemId, Kind, List, Lock,
    New, NodeId, OPS_MAX, Op, Piece, Site, Tree,
};
use sitewright_tool::Capability;

use super::commit::{CommitError, Committer};

/// The most nodes a document may have.
const NODES_MAX: usize = 200_000;
/// The longest summary, in characters.
const SUMMARY_MAX: usize = 500;
const ID_MAX: usize = 100;

/// Checks what does not depend on the site.
pub(super) fn shape(change: &Change, written: &str) -> Result<(), CommitError> {
    let too_large = |what: String| Err(CommitError::TooLarge(what));
    if change.format != FORMAT {
        return Err(CommitError::ReloadRequired);
    }
    if change.ops.len() > OPS_MAX {
        return too_large(format!(
            "the change has {} steps and may have {OPS_MAX}; send it in parts",
            change.ops.len()
        ));
    }
    if written.len() > CHANGE_BYTES_MAX {
        return too_large(format!(
            "the change has {} bytes and may have {CHANGE_BYTES_MAX}; send it in parts",
            written.len()
        ));
    }
    if change.summary.chars().count() > SUMMARY_MAX {
        return too_large(format!(
            "`summary` may have {SUMMARY_MAX} characters; say it shorter"
        ));
    }
    let id = change.id.as_str();
    if id.is_empty() || id.len() > ID_MAX || !id.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err(CommitError::Invalid(format!(
            "`id` must be 1 to {ID_MAX} letters, digits and signs without spaces"
        )));
    }
    if change.turn.as_ref().is_some_and(|turn| turn.len() > ID_MAX) {
        return Err(CommitError::Invalid(format!(
            "`turn` may have {ID_MAX} characters"
        )));
    }
    if change.ops.is_empty() {
        return Err(CommitError::Invalid(
            "`ops` is empty; a change does something".to_owned(),
        ));
    }
    Ok(())
}

/// Checks what the author may do to the site as it is. The documents that the change is about are open.
pub(super) fn admit(site: &Site, change: &Change, by: &Committer) -> Result<(), CommitError> {
    require(by, Capability::SiteWrite, "change the site")?;
    for op in &change.ops {
        if touches_code(site, op) {
            require(by, Capability::SiteCode, "write scripts and code for pages")?;
        }
        if let Op::Remove {
            entity: Entity::Page { id },
        } = op
            && let Some(page) = site.shell.pages.get(*id).filter(|page| page.is_protected)
            // Restoring takes a page out and brings it in again as it was.
            && !change.ops.iter().any(|op| brings(op, *id))
        {
            return Err(CommitError::Invalid(format!(
                "the page `{}` is protected and cannot be deleted",
                page.title
            )));
        }
        if matches!(by.author, Author::Agent { .. }) {
            match unlocked(site, op) {
                Err(CommitError::ApprovalRequired { .. }) if by.is_approved => {}
                answer => answer?,
            }
        }
    }
    Ok(())
}

/// What of a change a person may have to say yes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Touches {
    /// Whether scripts would be different.
    pub code: bool,
    /// Whether code that stands in every page would be different.
    pub head_code: bool,
    /// How many steps touch something that an agent must ask about.
    pub asking_locks: u32,
}

/// What of steps a person may have to say yes to, on the site as it is.
pub fn touches(site: &Site, ops: &[Op], author: &Author) -> Touches {
    let mut touches = Touches::default();
    for op in ops {
        if touches_code(site, op) {
            match op {
                Op::Put {
                    entity: Entity::Site,
                    ..
                } => touches.head_code = true,
                _ => touches.code = true,
            }
        }
        let asks = matches!(author, Author::Agent { .. })
            && matches!(
                unlocked(site, op),
                Err(CommitError::ApprovalRequired { .. })
            );
        touches.asking_locks += u32::from(asks);
    }
    touches
}

fn brings(op: &Op, page: BodyId) -> bool {
    matches!(op, Op::Insert { new } if matches!(**new, New::Page { id, .. } if id == page))
}

/// Checks the site after the change was tried.
pub(super) fn sound(site: &Site, change: &Change) -> Result<(), CommitError> {
    let mut pages = site.shell.pages.iter();
    if !pages.any(|(_, page)| page.template.is_none()) {
        return Err(CommitError::Invalid(
            "this takes away the last page, and a site needs one".to_owned(),
        ));
    }
    for op in &change.ops {
        if let Some(Entity::Page { id }) = op.entity()
            && let Some(page) = site.shell.pages.get(id)
        {
            page.check_slug()
                .map_err(|problem| CommitError::Invalid(problem.to_string()))?;
        }
    }
    let mut touched = change.ops.iter().filter_map(|op| op.scope().body());
    let full = touched.find(|body| {
        let tree = site.bodies.get(body);
        tree.is_some_and(|tree| tree.len() > NODES_MAX)
    });
    match full {
        Some(_) => Err(CommitError::TooLarge(format!(
            "a document may have {NODES_MAX} nodes"
        ))),
        None => Ok(()),
    }
}

/// Whether a step changes the site's own code.
pub(super) fn touches_code(site: &Site, op: &Op) -> bool {
    let is_script = |item: &Item| match item {
        Item::File(file) => matches!(file.code, Code::Script { .. }),
        Item::Breakpoint(_)
        | Item::Sheet(_)
        | Item::Color(_)
        | Item::Font(_)
        | Item::TypeScale(_)
        | Item::SpacingScale(_)
        | Item::Family(_) => false,
    };
    match op {
        Op::Put {
            entity: Entity::Site,
            field,
            ..
        } => matches!(field.as_str(), "headCode" | "bodyCode"),
        Op::Put {
            entity:
                Entity::Item {
                    list: List::Files,
                    id,
                },
            field,
            ..
        } => {
            field.starts_with("code")
                || site
                    .shell
                    .items
                    .get(List::Files, *id)
                    .is_some_and(is_script)
        }
        Op::Remove {
            entity:
                Entity::Item {
                    list: List::Files,
                    id,
                },
        }
        | Op::Order {
            entity:
                Entity::Item {
                    list: List::Files,
                    id,
                },
            ..
        } => site
            .shell
            .items
            .get(List::Files, *id)
            .is_some_and(is_script),
        Op::Insert { new } => matches!(&**new, New::Item { item, .. } if is_script(item)),
        Op::Put { .. } | Op::Place { .. } | Op::Order { .. } | Op::Remove { .. } => false,
    }
}

fn require(by: &Committer, capability: Capability, what: &str) -> Result<(), CommitError> {
    if by.capabilities.has(capability) {
        return Ok(());
    }
    Err(CommitError::Forbidden(format!(
        "this needs the permission `{capability}`, to {what}"
    )))
}

/// What an agent may not touch: people lock it.
fn unlocked(site: &Site, op: &Op) -> Result<(), CommitError> {
    let kind = match op {
        Op::Put { field, .. } if field == "lock" => {
            return Err(CommitError::Forbidden(
                "locks are set by people; ask for it to be changed".to_owned(),
            ));
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
            kind.passes(lock).map_err(|refusal| refusal.about(entity))?;
        }
    }
    Ok(())
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    /// Other words in a text.
    Words,
    Removal,
    Other,
}

enum Refusal {
    Locked(&'static str),
    Ask,
}

impl Refusal {
    fn about(self, entity: Entity) -> CommitError {
        match self {
            Self::Locked(reason) => CommitError::Locked { entity, reason },
            Self::Ask => CommitError::ApprovalRequired { entity },
        }
    }
}

impl Step {
    fn passes(self, lock: Lock) -> Result<(), Refusal> {
        match lock {
            Lock::Open => Ok(()),
            Lock::TextOnly if self == Self::Words => Ok(()),
            Lock::TextOnly => Err(Refusal::Locked("only its text may be changed")),
            Lock::Ask => Err(Refusal::Ask),
            Lock::Locked => Err(Refusal::Locked("it is locked")),
        }
    }
}

fn is_text(site: &Site, body: BodyId, node: NodeId) -> bool {
    let node = site.bodies.get(&body).and_then(|tree| tree.node(node));
    node.is_some_and(|node| matches!(node.kind, Kind::Text(_)))
}

/// The things whose locks count for a step.
fn reached(op: &Op) -> Vec<Entity> {
    match op {
        Op::Put { entity, .. } | Op::Order { entity, .. } | Op::Remove { entity } => vec![*entity],
        Op::Place { body, node, place } => [*node, place.parent]
            .map(|node| Entity::Node { body: *body, node })
            .to_vec(),
        Op::Insert { new } => match &**new {
            New::Nodes { body, place, .. } => vec![Entity::Node {
                body: *body,
                node: place.parent,
            }],
            New::Piece { sheet, .. } => vec![Entity::Item {
                list: List::Sheets,
                id: *sheet,
            }],
            New::Page { .. } | New::Component { .. } | New::Item { .. } => Vec::new(),
        },
    }
}

/// The locks on a thing: its own, those of what it stands in, and for a removal those of what stands in it.
fn locks(site: &Site, entity: Entity, kind: Step) -> Vec<Lock> {
    match entity {
        Entity::Site => Vec::new(),
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
        Item::Breakpoint(_) | Item::Family(_) => None,
    });
    lock.into_iter().collect()
}

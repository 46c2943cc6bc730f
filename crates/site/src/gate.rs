//! The conditions a change must meet to be committed, besides that its ops apply: size limits, permissions and locks.
//!
//! The server checks them at every commit. The check is pure, so that a tab can run it before it applies a change.

mod content;
mod error;
mod locks;

use sitewright_tool::{Capability, CapabilitySet};

use crate::content::check_touched;
use crate::{
    Author, BodyId, CHANGE_BYTES_MAX, Change, Code, Entity, FORMAT, Item, List, NewEntity, OPS_MAX,
    Op, Site,
};

pub use content::goes_live;
pub use error::{GateError, LockReason, Measure};
use locks::check_locks;

/// The maximum number of nodes in a document.
const NODES_MAX: usize = 200_000;
/// The maximum length of a summary, in characters.
const SUMMARY_MAX: usize = 500;
/// The maximum length of the id of a change or turn, in bytes.
const ID_MAX: usize = 100;

/// The author of a change with their permissions, as far as the gate needs to know.
#[derive(Debug, Clone, Copy)]
pub struct Authority<'a> {
    pub author: &'a Author,
    pub capabilities: &'a CapabilitySet,
    /// Whether a person approved this very change.
    pub is_approved: bool,
}

/// Checks what does not depend on the site. `bytes` is the length of the change as JSON.
pub fn check_form(change: &Change, bytes: usize) -> Result<(), GateError> {
    if change.format != FORMAT {
        return Err(GateError::ReloadRequired);
    }
    for (what, found, max) in [
        (Measure::Steps, change.ops.len(), OPS_MAX),
        (Measure::Bytes, bytes, CHANGE_BYTES_MAX),
        (
            Measure::Summary,
            change.summary.chars().count(),
            SUMMARY_MAX,
        ),
    ] {
        if found > max {
            return Err(GateError::TooLarge { what, found, max });
        }
    }
    let id = change.id.as_str();
    if id.is_empty() || id.len() > ID_MAX || !id.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err(GateError::ChangeId);
    }
    if change.turn.as_ref().is_some_and(|turn| turn.len() > ID_MAX) {
        return Err(GateError::TurnId);
    }
    if change.ops.is_empty() {
        return Err(GateError::Empty);
    }
    Ok(())
}

/// Checks permissions, protected pages and locks against the current site. The documents that the change is about must be open.
///
/// Protected pages hold for every author; locks hold for agents only. An approval lifts locks that ask and no others.
pub fn check_authority(
    site: &Site,
    change: &Change,
    authority: Authority<'_>,
) -> Result<(), GateError> {
    let require = |capability, purpose| {
        if authority.capabilities.has(capability) {
            return Ok(());
        }
        Err(GateError::Missing {
            capability,
            purpose,
        })
    };
    for op in &change.ops {
        if content::is_content(op) {
            require(Capability::ContentWrite, "change entries and menus")?;
            if content::goes_live(site, op) {
                require(Capability::ContentPublish, "publish and archive entries")?;
            }
            if content::sets_up(op) && matches!(authority.author, Author::Agent { .. }) {
                return Err(GateError::SetUp);
            }
        } else {
            require(Capability::SiteWrite, "change the site")?;
        }
        if touches_code(site, op) {
            require(Capability::SiteCode, "write scripts and code for pages")?;
        }
        if let Op::Remove {
            entity: Entity::Page { id },
        } = op
            && let Some(page) = site.shell.pages.get(*id).filter(|page| page.is_protected)
            // A restore removes a page and inserts it again as it was; that is not a deletion.
            && !change.ops.iter().any(|op| brings(op, *id))
        {
            return Err(GateError::Protected {
                page: *id,
                title: page.title.clone(),
            });
        }
        if matches!(authority.author, Author::Agent { .. }) {
            match check_locks(site, op) {
                Err(GateError::ApprovalRequired { .. }) if authority.is_approved => {}
                answer => answer?,
            }
        }
    }
    Ok(())
}

/// The parts of a change that a person may have to approve.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Touches {
    /// Whether the change edits scripts.
    pub code: bool,
    /// Whether the change edits code that is included in every page.
    pub head_code: bool,
    /// How many ops touch something that an agent needs approval for.
    pub asking_locks: u32,
}

/// The parts of these ops that a person may have to approve, on the site as it is.
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
                check_locks(site, op),
                Err(GateError::ApprovalRequired { .. })
            );
        touches.asking_locks += u32::from(asks);
    }
    touches
}

fn brings(op: &Op, page: BodyId) -> bool {
    matches!(op, Op::Insert { new } if matches!(**new, NewEntity::Page { id, .. } if id == page))
}

/// Checks the site after the change was applied: it needs a page, the slugs of changed pages must be valid, and changed
/// documents must not be too large; changed entries must fit their collection, and changed collections and menus be usable.
pub fn check_result(site: &Site, change: &Change) -> Result<(), GateError> {
    let mut pages = site.shell.pages.iter();
    if !pages.any(|(_, page)| page.template.is_none()) {
        return Err(GateError::LastPage);
    }
    for op in &change.ops {
        if let Some(Entity::Page { id }) = op.entity()
            && let Some(page) = site.shell.pages.get(id)
        {
            page.check_slug()?;
        }
    }
    check_touched(site, change)?;
    let touched = change.ops.iter().filter_map(|op| op.scope().body());
    let mut sizes = touched.filter_map(|body| Some(site.bodies.get(&body)?.len()));
    match sizes.find(|nodes| *nodes > NODES_MAX) {
        Some(found) => Err(GateError::TooLarge {
            what: Measure::Nodes,
            found,
            max: NODES_MAX,
        }),
        None => Ok(()),
    }
}

/// Whether an op changes the site's own code: scripts, and the code in the settings.
pub fn touches_code(site: &Site, op: &Op) -> bool {
    let is_script = |item: &Item| match item {
        Item::File(file) => matches!(file.code, Code::Script { .. }),
        Item::Breakpoint(_)
        | Item::Sheet(_)
        | Item::Color(_)
        | Item::Font(_)
        | Item::TypeScale(_)
        | Item::SpacingScale(_)
        | Item::Family(_)
        | Item::Collection(_)
        | Item::Navigation(_)
        | Item::NavItem(_) => false,
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
        Op::Insert { new } => matches!(&**new, NewEntity::Item { item, .. } if is_script(item)),
        Op::Put { .. } | Op::Place { .. } | Op::Order { .. } | Op::Remove { .. } => false,
    }
}

#[cfg(test)]
mod tests;

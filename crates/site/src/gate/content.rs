//! Which permissions ops on content need.

use crate::{Entity, EntryStatus, List, NewEntity, Op, Record, Site};

/// Whether an op is about content: entries, collections and menus.
pub(super) fn is_content(op: &Op) -> bool {
    match op.entity() {
        Some(Entity::Record { .. }) => true,
        Some(Entity::Item { list, .. }) => match list {
            List::Collections | List::Navigations | List::NavItems => true,
            List::Breakpoints
            | List::Sheets
            | List::Colors
            | List::Fonts
            | List::TypeScales
            | List::SpacingScales
            | List::Families
            | List::Files => false,
        },
        Some(
            Entity::Site
            | Entity::Node { .. }
            | Entity::Page { .. }
            | Entity::Component { .. }
            | Entity::Piece { .. },
        )
        | None => false,
    }
}

/// Whether an op defines what content there can be, rather than content itself.
pub(super) fn sets_up(op: &Op) -> bool {
    matches!(
        op.entity(),
        Some(Entity::Item {
            list: List::Collections | List::Navigations,
            ..
        })
    )
}

/// Whether an op decides about what visitors see of an entry: it publishes or archives one, or takes a published one away, or changes
/// when visitors see it.
pub fn goes_live(site: &Site, op: &Op) -> bool {
    let is_published = |record: &Record| record.status == EntryStatus::Published;
    match op {
        Op::Insert { new } => {
            matches!(&**new, NewEntity::Record { record, .. } if record.status != EntryStatus::Draft)
        }
        Op::Put {
            entity: Entity::Record { id },
            field,
            ..
        } => match field.as_str() {
            "status" => true,
            "publishAt" | "unpublishAt" => {
                let open = site.records.get(id);
                open.is_some_and(|open| is_published(&open.record))
            }
            _ => false,
        },
        Op::Remove {
            entity: Entity::Record { id },
        } => site
            .records
            .get(id)
            .is_some_and(|open| is_published(&open.record)),
        Op::Put { .. } | Op::Place { .. } | Op::Order { .. } | Op::Remove { .. } => false,
    }
}

//! Counts what a planned change would do, for policies.

use std::collections::BTreeSet;

use sitewright_site::gate::{goes_live, touches};
use sitewright_site::{Author, BodyId, Entity, NewEntity, Op, Site};

use crate::PlannedChange;

/// Counts what ops would do to the site as it is before them.
pub(crate) fn planned(site: &Site, ops: &[Op], author: &Author) -> PlannedChange {
    let touched = touches(site, ops, author);
    let mut change = PlannedChange {
        code_touched: touched.code,
        head_code: touched.head_code,
        locks_touched: touched.asking_locks,
        ..PlannedChange::default()
    };
    let mut pages = BTreeSet::new();
    for op in ops {
        change.publishes |= goes_live(site, op);
        pages.extend(page_of(site, op));
        match op {
            Op::Remove {
                entity: Entity::Page { .. },
            } => change.pages_removed += 1,
            Op::Remove {
                entity: Entity::Node { body, node },
            } => {
                let tree = site.bodies.get(body);
                let nodes = tree.map_or(0, |tree| tree.walk(*node).count());
                change.nodes_removed += u32::try_from(nodes).unwrap_or(u32::MAX);
            }
            _ => {}
        }
    }
    change.pages_touched = u32::try_from(pages.len()).unwrap_or(u32::MAX);
    change
}

/// The page that an op creates or changes, if it is about a page.
fn page_of(site: &Site, op: &Op) -> Option<BodyId> {
    if let Op::Insert { new } = op
        && let NewEntity::Page { id, .. } = &**new
    {
        return Some(*id);
    }
    let body = op.scope().body()?;
    site.shell.pages.get(body).map(|_| body)
}

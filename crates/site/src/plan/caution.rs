//! Reasons to ask a person before a plan is applied. They only state facts; the policy decides what follows from them.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;

use crate::{BodyId, Entity, NewEntity, Op, Site};

use super::PlanOp;
use super::act::counts;

/// The number of removals from which a plan counts as removing a lot.
const MANY_REMOVALS: usize = 3;

/// A reason to ask before a plan is applied.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(tag = "reason", rename_all = "snake_case")]
pub enum Caution {
    /// It removes pages.
    RemovesPages {
        /// Which.
        pages: Vec<BodyId>,
    },
    /// It touches more than one page. A page that is only copied is not touched.
    TouchesPages {
        /// Which.
        pages: Vec<BodyId>,
    },
    /// It has three or more operations that remove something.
    ManyRemovals {
        /// How many.
        count: usize,
    },
    /// More than half of what stood directly under a page's root is gone.
    EmptiesPage {
        /// The page.
        page: BodyId,
        /// How much is gone.
        removed: usize,
        /// How much there was.
        of: usize,
    },
    /// It writes code that runs on every page.
    WritesCode,
}

/// The reasons for caution in the operations that were done and the steps they produced.
pub(super) fn cautions(
    done: &[&PlanOp],
    steps: &[Op],
    (before, after): (&Site, &Site),
) -> Vec<Caution> {
    let mut cautions = Vec::new();
    let removed: Vec<BodyId> = steps
        .iter()
        .filter_map(|step| match step {
            Op::Remove {
                entity: Entity::Page { id },
            } => Some(*id),
            _ => None,
        })
        .collect();
    if !removed.is_empty() {
        cautions.push(Caution::RemovesPages { pages: removed });
    }
    let touched: BTreeSet<BodyId> = steps.iter().filter_map(document).collect();
    let is_page =
        |id: &BodyId| before.shell.pages.get(*id).is_some() || after.shell.pages.get(*id).is_some();
    let pages: Vec<BodyId> = touched.into_iter().filter(is_page).collect();
    if pages.len() > 1 {
        cautions.push(Caution::TouchesPages {
            pages: pages.clone(),
        });
    }
    let removals = done.iter().filter(|op| {
        matches!(
            op,
            PlanOp::RemovePage { .. } | PlanOp::RemoveNode { .. } | PlanOp::RemoveItem { .. }
        )
    });
    let count = removals.count();
    if count >= MANY_REMOVALS {
        cautions.push(Caution::ManyRemovals { count });
    }
    cautions.extend(
        pages
            .iter()
            .filter_map(|page| emptied(*page, before, after)),
    );
    let writes_code = done.iter().any(|op| {
        matches!(op, PlanOp::UpdateSiteSettings { settings }
            if settings.head_code.is_some() || settings.body_code.is_some())
    });
    if writes_code {
        cautions.push(Caution::WritesCode);
    }
    cautions
}

/// The document that a step affects.
fn document(step: &Op) -> Option<BodyId> {
    let entity = match step {
        Op::Put { entity, .. } | Op::Order { entity, .. } | Op::Remove { entity } => *entity,
        Op::Place { body, .. } => return Some(*body),
        Op::Insert { new } => match &**new {
            NewEntity::Nodes { body, .. } => return Some(*body),
            new => new.entity()?,
        },
    };
    match entity {
        Entity::Node { body, .. } => Some(body),
        Entity::Page { id } | Entity::Component { id } => Some(id),
        Entity::Site | Entity::Item { .. } | Entity::Piece { .. } | Entity::Record { .. } => None,
    }
}

fn emptied(page: BodyId, before: &Site, after: &Site) -> Option<Caution> {
    let was = before.bodies.get(&page)?;
    let is = after.bodies.get(&page)?;
    let sections = was.children(was.root()).filter(|id| counts(was, *id));
    let (mut removed, mut of) = (0, 0);
    for section in sections {
        of += 1;
        removed += usize::from(is.node(section).is_none());
    }
    (removed * 2 > of).then_some(Caution::EmptiesPage { page, removed, of })
}

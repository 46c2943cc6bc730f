//! Which templates wrap a page.

use crate::{BodyId, Kind, Page, Site, TemplateTarget};

use super::Facts;

/// The templates around a page, outermost first: the best one for everything, then the best one for the collection of the entry
/// the page shows. A template is not wrapped in templates itself, and a template that is open and has no outlet is skipped.
pub(crate) fn templates_for(site: &Site, id: BodyId, page: &Page, facts: &Facts) -> Vec<BodyId> {
    if page.template.is_some() {
        return Vec::new();
    }
    let everywhere = best(site, id, |target| {
        matches!(target, TemplateTarget::Everywhere)
    });
    let collection = facts.collection.as_deref().and_then(|collection| {
        best(site, id, |target| match target {
            TemplateTarget::PostTypes { table_slugs } => {
                table_slugs.iter().any(|slug| slug == collection)
            }
            TemplateTarget::Everywhere | TemplateTarget::NotFound => false,
        })
    });
    everywhere.into_iter().chain(collection).collect()
}

fn best(site: &Site, page: BodyId, fits: impl Fn(&TemplateTarget) -> bool) -> Option<BodyId> {
    let mut best: Option<(BodyId, i32)> = None;
    for (id, candidate) in site.shell.pages.iter() {
        let Some(template) = candidate
            .template
            .as_ref()
            .filter(|template| id != page && fits(&template.target))
        else {
            continue;
        };
        // Among equal priorities the first in the list wins.
        if has_outlet(site, id) && best.is_none_or(|(_, priority)| template.priority > priority) {
            best = Some((id, template.priority));
        }
    }
    best.map(|(id, _)| id)
}

/// Whether page content can be placed in the template. A template that is not open counts as having an outlet; once it is open,
/// its tree decides.
fn has_outlet(site: &Site, id: BodyId) -> bool {
    let Some(tree) = site.bodies.get(&id) else {
        return true;
    };
    tree.walk(tree.root()).any(|node| {
        tree.node(node)
            .is_some_and(|node| node.kind == Kind::Outlet)
    })
}

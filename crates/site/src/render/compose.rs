//! Which templates wrap a page.

use crate::{BodyId, Kind, Page, Site, TemplateTarget};

use super::Facts;

/// The templates around a page, outermost first: the best one for everything, then the best one for the collection of the entry
/// the page shows. A template is not wrapped in templates itself, and a template that is open and has no outlet is skipped.
pub(crate) fn templates_for(site: &Site, id: BodyId, page: &Page, facts: &Facts) -> Vec<BodyId> {
    if page.template.is_some() {
        return Vec::new();
    }
    let collection = facts.collection.as_deref().and_then(|collection| {
        best(site, |template, target| {
            template != id && is_for(target, collection) && has_outlet(site, template)
        })
    });
    let everywhere = everywhere(site).filter(|template| *template != id);
    everywhere.into_iter().chain(collection).collect()
}

/// The templates of the page of an entry, outermost first, and the one of its collection. The latter needs no outlet: it shows the
/// entry by bindings, and an outlet in it shows the entry's text.
pub(super) fn entry_layers(site: &Site, collection: &str) -> (Vec<BodyId>, Option<BodyId>) {
    let own = best(site, |_, target| is_for(target, collection));
    (everywhere(site).into_iter().chain(own).collect(), own)
}

fn everywhere(site: &Site) -> Option<BodyId> {
    best(site, |id, target| {
        matches!(target, TemplateTarget::Everywhere) && has_outlet(site, id)
    })
}

fn is_for(target: &TemplateTarget, collection: &str) -> bool {
    match target {
        TemplateTarget::PostTypes { table_slugs } => {
            table_slugs.iter().any(|slug| slug == collection)
        }
        TemplateTarget::Everywhere | TemplateTarget::NotFound => false,
    }
}

fn best(site: &Site, fits: impl Fn(BodyId, &TemplateTarget) -> bool) -> Option<BodyId> {
    let mut best: Option<(BodyId, i32)> = None;
    for (id, candidate) in site.shell.pages.iter() {
        let Some(template) = candidate.template.as_ref() else {
            continue;
        };
        // Among equal priorities the first in the list wins.
        if best.is_none_or(|(_, priority)| template.priority > priority)
            && fits(id, &template.target)
        {
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

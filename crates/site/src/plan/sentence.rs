//! Describes an operation in a sentence for a person.

use crate::Site;

use super::{NodeRef, PageRef, PlanOp, Ref};

/// The maximum length of a sentence in characters, as in the change log.
const SENTENCE_MAX: usize = 500;

/// The sentence for an operation; the rest of the plan is needed to say what `@name` refers to.
pub(super) fn of(op: &PlanOp, plan: &[PlanOp], site: &Site) -> String {
    written(op, plan, site).chars().take(SENTENCE_MAX).collect()
}

fn written(op: &PlanOp, plan: &[PlanOp], site: &Site) -> String {
    let names = Names { plan, site };
    match op {
        PlanOp::CreatePage { title, .. } => format!("Adds the page “{title}”."),
        PlanOp::RenamePage { page, title, slug } => match (title, slug) {
            (Some(title), _) => format!("Renames {} to “{title}”.", names.page(page)),
            (None, Some(slug)) => {
                format!("Gives {} the address `{slug}`.", names.page(page))
            }
            (None, None) => format!("Renames {}.", names.page(page)),
        },
        PlanOp::RemovePage { page } => format!("Removes {}.", names.page(page)),
        PlanOp::MovePage { page, parent, .. } => match parent {
            Some(Some(parent)) => {
                format!("Moves {} under {}.", names.page(page), names.page(parent))
            }
            Some(None) | None => format!("Moves {}.", names.page(page)),
        },
        PlanOp::DuplicatePage { page, title, .. } => {
            format!("Copies {} as “{title}”.", names.page(page))
        }
        PlanOp::UpdatePageSettings { page, .. } => {
            format!("Changes the settings of {}.", names.page(page))
        }
        PlanOp::AddSection { page, .. } => format!("Adds a section to {}.", names.page(page)),
        PlanOp::AddNode { parent, .. } => format!("Adds content to {}.", names.node(parent)),
        PlanOp::ReplaceNode { node, .. } => format!("Replaces {}.", names.node(node)),
        PlanOp::ReplaceContent { node, .. } => {
            format!("Replaces what {} holds.", names.node(node))
        }
        PlanOp::UpdateProps { node, props, .. } => {
            let props: Vec<&str> = props.keys().map(String::as_str).collect();
            format!("Changes {} of {}.", props.join(", "), names.node(node))
        }
        PlanOp::UpdateText { node, .. } => format!("Changes the text of {}.", names.node(node)),
        PlanOp::UpdateClasses { node, .. } => {
            format!("Changes the classes of {}.", names.node(node))
        }
        PlanOp::RemoveNode { node } => format!("Removes {}.", names.node(node)),
        PlanOp::MoveNode { node, .. } => format!("Moves {}.", names.node(node)),
        PlanOp::DuplicateNode { node, .. } => format!("Copies {}.", names.node(node)),
        PlanOp::AddItem { list, .. } => format!("Adds an item to {}.", names.node(list)),
        PlanOp::UpdateItem { list, index, .. } => {
            format!(
                "Changes item {} of {}.",
                u64::from(*index) + 1,
                names.node(list)
            )
        }
        PlanOp::RemoveItem { list, index, .. } => {
            format!(
                "Removes item {} of {}.",
                u64::from(*index) + 1,
                names.node(list)
            )
        }
        PlanOp::MoveItem { list, index, .. } => {
            format!(
                "Moves item {} of {}.",
                u64::from(*index) + 1,
                names.node(list)
            )
        }
        PlanOp::ApplyCss { .. } => "Changes styles.".to_owned(),
        PlanOp::UpdateSiteSettings { .. } => "Changes the settings of the site.".to_owned(),
    }
}

struct Names<'a> {
    plan: &'a [PlanOp],
    site: &'a Site,
}

impl Names<'_> {
    fn page(&self, page: &PageRef) -> String {
        let title = match page {
            Ref::Known(id) => self.site.shell.pages.get(*id).map(|page| &page.title),
            Ref::Made(name) => self.plan.iter().find_map(|op| match op {
                PlanOp::CreatePage { title, .. } | PlanOp::DuplicatePage { title, .. } => {
                    (op.made_name() == Some(name)).then_some(title)
                }
                _ => None,
            }),
        };
        title.map_or_else(
            || format!("the page {page}"),
            |title| format!("the page “{title}”"),
        )
    }

    /// The display name of a node, when its document is loaded.
    fn node(&self, node: &NodeRef) -> String {
        let Ref::Known(id) = node else {
            return format!("the new {node}");
        };
        let mut trees = self.site.bodies.values();
        trees.find_map(|tree| tree.node(*id)).map_or_else(
            || format!("the node {id}"),
            |found| format!("`{}` ({id})", crate::tools::name_of(found)),
        )
    }
}

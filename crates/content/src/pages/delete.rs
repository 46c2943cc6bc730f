//! Deleting pages, with what that does elsewhere.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sitewright_site::{BodyId, Entity, NavTarget, Op, Reference, Stop, Work};

use super::find::{named, open_all, pages};
use super::touched;
use crate::confirm::{Deletion, Words, check_list};
use crate::entry::remove_nav_items;
use crate::sections::shown::{SectionContent, sections};

/// The most documents that are searched for links.
const SEARCHED_MAX: usize = 100;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct DeletePage {
    /// The pages, also for one.
    ids: Vec<BodyId>,
    /// Whether the pages under them are deleted, too.
    #[serde(default)]
    cascade: bool,
    /// Required for deletion. The first call returns a preview; set true to execute.
    #[serde(default, rename = "confirmed")]
    #[expect(dead_code, reason = "the pipeline reads it before the tool runs")]
    is_confirmed: bool,
}

/// A page that is to be deleted.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct DeletedPage {
    id: BodyId,
    name: String,
    slug: String,
    /// How many sections go with it.
    sections: usize,
    /// The menu items that go with it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    nav_items: Vec<String>,
    /// The documents whose links to it lead nowhere afterwards.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    linked_from: Vec<String>,
}

pub(super) fn delete(
    input: DeletePage,
    work: &mut Work<'_>,
) -> Result<Deletion<DeletedPage>, Stop> {
    check_list("ids", &input.ids)?;
    let missing: Vec<String> = input
        .ids
        .iter()
        .filter(|id| pages(work).all(|(known, _)| known != **id))
        .map(BodyId::to_string)
        .collect();
    if !missing.is_empty() {
        return Err(Stop::not_found(format!(
            "There is no page {}; nothing was deleted. getPage names those there are.",
            missing.join(", ")
        )));
    }
    let ids = with_children(&input, work)?;
    refuse_kept(&ids, work)?;
    open_all(&ids, work)?;
    let searched = open_documents(work)?;
    let mut deleted = Vec::with_capacity(ids.len());
    for id in &ids {
        let page = named(*id, work)?;
        deleted.push(DeletedPage {
            id: *id,
            name: page.title.clone(),
            slug: page.slug.clone(),
            sections: sections(*id, SectionContent::LeftOut, work)?.len(),
            linked_from: linked_from(*id, &ids, work),
            nav_items: remove_nav_items(&NavTarget::Page { id: *id }, work)?,
        });
        work.step(Op::Remove {
            entity: Entity::Page { id: *id },
        })?;
        work.receipt().removed.push(touched(*id, &page));
    }
    if !searched {
        let note = "The site has too many documents to search all of them for links.";
        work.receipt().notes.push(note.to_owned());
    }
    let words = Words {
        one: "page",
        several: "pages",
    };
    let note = "Gone with its sections; undo and the history bring it back.";
    Ok(Deletion::of(deleted, &words, note, work))
}

/// The pages with those under them, the lowest first. Without `cascade`, a page with others under it is refused.
fn with_children(input: &DeletePage, work: &Work<'_>) -> Result<Vec<BodyId>, Stop> {
    let mut ids = input.ids.clone();
    let mut at = 0;
    while let Some(parent) = ids.get(at).copied() {
        let below: Vec<BodyId> = pages(work)
            .filter(|(id, page)| page.parent_id == Some(parent) && !ids.contains(id))
            .map(|(id, _)| id)
            .collect();
        if !below.is_empty() && !input.cascade {
            let names = below
                .iter()
                .filter_map(|id| work.site().shell.pages.get(*id));
            let names: Vec<String> = names.map(|page| format!("`{}`", page.title)).collect();
            return Err(Stop::conflict(format!(
                "Pages lie under `{}`: {}. Delete or move them first, or set cascade: true.",
                named(parent, work)?.title,
                names.join(", ")
            )));
        }
        ids.extend(below);
        at += 1;
    }
    ids.reverse();
    Ok(ids)
}

/// Refuses to delete protected pages, and the last page.
fn refuse_kept(ids: &[BodyId], work: &Work<'_>) -> Result<(), Stop> {
    for id in ids {
        let page = named(*id, work)?;
        if page.is_protected {
            return Err(Stop::conflict(format!(
                "The page `{}` is protected and cannot be deleted.",
                page.title
            )));
        }
    }
    match pages(work).all(|(id, _)| ids.contains(&id)) {
        true => Err(Stop::conflict(
            "These are all the pages, and a site needs one. Create another page first.",
        )),
        false => Ok(()),
    }
}

/// Opens all documents, to search them for links; false if there are too many.
fn open_documents(work: &Work<'_>) -> Result<bool, Stop> {
    let shell = &work.site().shell;
    let documents = shell.pages.iter().map(|(id, _)| id);
    let documents = documents.chain(shell.components.iter().map(|(id, _)| id));
    let closed: Vec<BodyId> = documents
        .filter(|id| !work.site().bodies.contains_key(id))
        .collect();
    if closed.len() > SEARCHED_MAX {
        return Ok(false);
    }
    open_all(&closed, work)?;
    Ok(true)
}

/// The titles of the documents with links to a page, without those that are deleted, too.
fn linked_from(id: BodyId, gone: &[BodyId], work: &Work<'_>) -> Vec<String> {
    let shell = &work.site().shell;
    let mut titles: Vec<String> = Vec::new();
    for referrer in work.site().referrers(&Reference::Page { id }) {
        let page = shell
            .pages
            .get(referrer.body)
            .map(|page| page.title.clone());
        let component = || Some(shell.components.get(referrer.body)?.name.clone());
        let title = page.or_else(component).unwrap_or_default();
        if !gone.contains(&referrer.body) && !titles.contains(&title) {
            titles.push(title);
        }
    }
    titles
}

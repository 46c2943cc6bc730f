//! Pages: adding, renaming, copying and deleting them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use sitewright_tool::Touched;
use sitewright_tool::definition::edit;

use crate::{
    BodyId, Element, Entity, Item, ItemId, Kind, List, Namespace, Need, NewEntity, Node, NodeId,
    Op, Page, Reference, Sheet, Subtree, SubtreeNode, Target,
};

use crate::page::{HOME, slugified};

use super::menu;
use super::nodes::copy;
use super::work::{Stop, Work};
use super::{Nothing, PureBody as _, SiteTool};

/// The maximum number of documents that are loaded to search them for links.
const LOOKED_THROUGH_MAX: usize = 100;

/// The deepest nesting that tools create. Lower than the limit of the invariants, to leave room for pages added later.
const PARENTS_MAX: usize = 16;

pub(super) fn tools() -> Vec<SiteTool> {
    vec![
        edit("addPage", "Add a page", "Makes an empty page and shows it. Build it with insertHtml under the rootNodeId it answers. A slug \
               that is taken is made unique.")
        .words("Adding a page", "Added a page").with(add),
        edit("deletePage", "Delete a page", "Removes a page with everything on it. The last page and protected ones cannot be deleted.")
            .words("Deleting a page", "Deleted a page").with(delete),
        edit("renamePage", "Rename a page", "Changes a page's title and, when given, its slug. The slug `index` makes it the home page; the \
               one that was it becomes `home`.")
        .words("Renaming a page", "Renamed a page").with(rename),
        edit("duplicatePage", "Duplicate a page", "Copies a page with everything on it under a new title.").words("Duplicating a page", "Duplicated a page").with(duplicate),
    ]
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct AddPage {
    /// Its title.
    pub(crate) title: String,
    /// Its part of the address; made from the title when left out.
    pub(crate) slug: Option<String>,
    /// Whether to add a link to it to the main menu.
    #[serde(default)]
    pub(crate) in_menu: bool,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AddedPage {
    /// The page.
    pub(crate) page_id: BodyId,
    /// Its root, for inserting.
    pub(crate) root_node_id: NodeId,
}

pub(crate) fn add(input: AddPage, work: &mut Work<'_>) -> Result<AddedPage, Stop> {
    let (page_id, root_node_id) = add_under(None, &input.title, input.slug.as_deref(), work)?;
    if input.in_menu {
        menu::add_link(page_id, input.title.trim(), work)?;
    }
    Ok(AddedPage {
        page_id,
        root_node_id,
    })
}

/// Creates an empty page, and returns its id and that of its root node.
pub(crate) fn add_under(
    parent: Option<BodyId>,
    written: &str,
    wanted: Option<&str>,
    work: &mut Work<'_>,
) -> Result<(BodyId, NodeId), Stop> {
    check_parent(None, parent, work)?;
    let page = Page {
        parent_id: parent,
        ..Page::new(title(written)?, slug(wanted, written, parent)?)
    };
    let body = Element {
        tag: "body".into(),
        namespace: Namespace::Html,
        attrs: Vec::new(),
    };
    let root_node_id = work.mint.mint();
    let root = SubtreeNode {
        id: root_node_id,
        parent: None,
        node: Node::new(Kind::Element(body)),
    };
    let tree =
        Subtree::new(vec![root]).map_err(|misplaced| Stop::invalid(misplaced.to_string()))?;
    Ok((insert(work, page, tree)?, root_node_id))
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct DeletePage {
    /// The page.
    pub(crate) page_id: BodyId,
}

pub(crate) fn delete(input: DeletePage, work: &mut Work<'_>) -> Result<Nothing, Stop> {
    let page = found(work, input.page_id)?;
    if page.is_protected {
        return Err(Stop::conflict(format!(
            "The page `{}` is protected and cannot be deleted.",
            page.title
        )));
    }
    let pages = work
        .site
        .shell
        .pages
        .iter()
        .filter(|(_, page)| page.template.is_none())
        .count();
    if page.template.is_none() && pages <= 1 {
        return Err(Stop::conflict(
            "This is the last page, and a site needs one. Add another page first.",
        ));
    }
    work.tree(input.page_id)?;
    who_is_left(work, input.page_id)?;
    work.step(Op::Remove {
        entity: Entity::Page { id: input.page_id },
    })?;
    work.receipt.removed.push(touched(input.page_id, &page));
    Ok(Nothing {})
}

/// Notes which documents link to a page that is about to be removed, and which pages are under it.
fn who_is_left(work: &mut Work<'_>, id: BodyId) -> Result<(), Stop> {
    let shell = &work.site.shell;
    let documents = shell.pages.iter().map(|(id, _)| id);
    let documents = documents.chain(shell.components.iter().map(|(id, _)| id));
    let closed: Vec<BodyId> = documents
        .filter(|id| !work.site.bodies.contains_key(id))
        .collect();
    if !closed.is_empty() && closed.len() <= LOOKED_THROUGH_MAX {
        return Err(Stop::Needs(closed.into_iter().map(Need::Body).collect()));
    }
    let mut notes = Vec::new();
    if !closed.is_empty() {
        let note = format!(
            "{} documents were not looked through for links to it.",
            closed.len()
        );
        notes.push(note);
    }
    let mut linking: Vec<BodyId> = Vec::new();
    for referrer in work.site.referrers(&Reference::Page { id }) {
        if referrer.body != id && !linking.contains(&referrer.body) {
            linking.push(referrer.body);
        }
    }
    let title = |id: &BodyId| {
        let page = shell.pages.get(*id).map(|page| page.title.as_str());
        let component = || Some(shell.components.get(*id)?.name.as_str());
        format!("`{}`", page.or_else(component).unwrap_or_default())
    };
    if !linking.is_empty() {
        let titles: Vec<String> = linking.iter().map(title).collect();
        notes.push(format!(
            "Links to it are left without a page in {}.",
            titles.join(", ")
        ));
    }
    let children = shell.pages.iter();
    let children = children.filter(|(_, page)| page.parent_id == Some(id));
    let children: Vec<String> = children.map(|(id, _)| title(&id)).collect();
    if !children.is_empty() {
        notes.push(format!(
            "Pages that lay under it lie under no page: {}.",
            children.join(", ")
        ));
    }
    work.receipt.notes.extend(notes);
    Ok(())
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct RenamePage {
    /// The page.
    page_id: BodyId,
    /// Its new title.
    title: String,
    /// Its new part of the address; kept when left out.
    slug: Option<String>,
}

fn rename(input: RenamePage, work: &mut Work<'_>) -> Result<Nothing, Stop> {
    let page = found(work, input.page_id)?;
    let entity = Entity::Page { id: input.page_id };
    let title = title(&input.title)?;
    let slug = input
        .slug
        .as_deref()
        .map(|wanted| slug(Some(wanted), &title, page.parent_id))
        .transpose()?;
    let mut changed = false;
    if title != page.title {
        work.step(Op::Put {
            entity,
            field: "title".to_owned(),
            value: json!(title),
        })?;
        changed = true;
    }
    if let Some(slug) = slug.filter(|slug| *slug != page.slug) {
        make_way(work, input.page_id, &page, &slug)?;
        work.step(Op::Put {
            entity,
            field: "slug".to_owned(),
            value: json!(slug),
        })?;
        changed = true;
    }
    let touched = touched(input.page_id, &page);
    if changed {
        work.receipt.changed.push(touched)
    } else {
        work.receipt.unchanged.push(touched)
    };
    Ok(Nothing {})
}

/// Frees a slug. A previous home page is renamed to `home`; any other conflict is refused with the name of the page.
pub(super) fn make_way(
    work: &mut Work<'_>,
    id: BodyId,
    page: &Page,
    slug: &str,
) -> Result<(), Stop> {
    let holder = work.site.shell.pages.iter().find(|(other, sibling)| {
        *other != id
            && sibling.slug == slug
            && sibling.parent_id == page.parent_id
            && sibling.locale == page.locale
    });
    let Some((other, holder)) = holder.map(|(other, holder)| (other, holder.clone())) else {
        return Ok(());
    };
    if slug != HOME {
        return Err(Stop::conflict(format!(
            "The page `{}` already has the address `{slug}`; choose another one.",
            holder.title
        )));
    }
    work.step(Op::Put {
        entity: Entity::Page { id: other },
        field: "slug".to_owned(),
        value: json!("home"),
    })?;
    work.receipt.changed.push(touched(other, &holder));
    let renamed = work
        .site
        .shell
        .pages
        .get(other)
        .map(|page| page.slug.clone())
        .unwrap_or_default();
    work.receipt.notes.push(format!(
        "`{}` was the home page and has the slug `{renamed}` now.",
        holder.title
    ));
    Ok(())
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct DuplicatePage {
    /// The page.
    pub(crate) page_id: BodyId,
    /// The title of the copy.
    pub(crate) title: String,
    /// Its part of the address; made from the title when left out.
    pub(crate) slug: Option<String>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DuplicatedPage {
    /// The copy.
    pub(crate) page_id: BodyId,
}

pub(crate) fn duplicate(input: DuplicatePage, work: &mut Work<'_>) -> Result<DuplicatedPage, Stop> {
    let page = found(work, input.page_id)?;
    let tree = work.tree(input.page_id)?;
    let original = tree
        .subtree(tree.root())
        .ok_or_else(|| Stop::not_found("The page has no content."))?;
    let tree = copy(&original, work)?;
    let page = Page {
        title: title(&input.title)?,
        slug: slug(input.slug.as_deref(), &input.title, page.parent_id)?,
        is_protected: false,
        ..page
    };
    let copy = insert(work, page, tree)?;
    share_stylesheets(work, input.page_id, copy)?;
    Ok(DuplicatedPage { page_id: copy })
}

fn insert(work: &mut Work<'_>, page: Page, tree: Subtree) -> Result<BodyId, Stop> {
    let id = work.mint.mint();
    let wanted = page.slug.clone();
    let after = work.site.shell.pages.last();
    work.step(Op::Insert {
        new: Box::new(NewEntity::Page {
            id,
            page: Box::new(page),
            tree,
            after,
        }),
    })?;
    record_page(work, id, &wanted);
    Ok(id)
}

/// Records a page that was inserted in the receipt, with the slug that it got in place of the one it asked for, and shows it.
pub(super) fn record_page(work: &mut Work<'_>, id: BodyId, wanted: &str) {
    if let Some(page) = work.site.shell.pages.get(id) {
        work.receipt.created.push(touched(id, page));
        if page.slug != wanted {
            work.receipt.notes.push(format!(
                "The slug `{wanted}` is taken; the page has `{}`.",
                page.slug
            ));
        }
    }
    work.open = work.document_ref(id);
}

/// Extends the stylesheets of a page, such as an imported one has, to its copy.
fn share_stylesheets(work: &mut Work<'_>, original: BodyId, copy: BodyId) -> Result<(), Stop> {
    let sheets = work.site.shell.items.list(List::Sheets);
    let targeted: Vec<(ItemId, Vec<BodyId>)> = sheets
        .filter_map(|(id, item)| match item {
            Item::Sheet(Sheet {
                target: Target::Documents { ids },
                ..
            }) if ids.contains(&original) => Some((id, ids.clone())),
            _ => None,
        })
        .collect();
    for (id, mut ids) in targeted {
        ids.push(copy);
        let sheet = Entity::Item {
            list: List::Sheets,
            id,
        };
        work.put(sheet, "target", json!(Target::Documents { ids }))?;
    }
    Ok(())
}

/// The page with this id; templates count as pages.
pub(super) fn found(work: &Work<'_>, id: BodyId) -> Result<Page, Stop> {
    let page = work.site.shell.pages.get(id).cloned();
    page.ok_or_else(|| {
        Stop::not_found(format!(
            "There is no page {id}; list_documents names those there are."
        ))
    })
}

pub(super) fn touched(id: BodyId, page: &Page) -> Touched {
    Touched {
        kind: "page".to_owned(),
        id: id.to_string(),
        name: Some(page.title.clone()),
        also_used_in: None,
    }
}

pub(super) fn title(title: &str) -> Result<String, Stop> {
    let title = title.trim();
    if title.is_empty() || title.chars().any(char::is_control) {
        return Err(Stop::invalid_at(
            "title",
            "Enter a title, as one line of text.",
        ));
    }
    Ok(title.to_owned())
}

/// Checks that the parent exists, can have pages under it, and is not the page itself or one under it. `id` is `None`
/// for a new page.
pub(super) fn check_parent(
    id: Option<BodyId>,
    parent: Option<BodyId>,
    work: &Work<'_>,
) -> Result<(), Stop> {
    let Some(parent) = parent else { return Ok(()) };
    let refuse = |message: String| Err(Stop::invalid_at("parentId", message));
    let pages = &work.site.shell.pages;
    let Some(found) = pages.get(parent) else {
        return refuse(format!(
            "There is no page {parent}; list_documents names those there are."
        ));
    };
    if found.template.is_some() {
        return refuse(format!(
            "`{}` is a template and has no address.",
            found.title
        ));
    }
    if found.slug == HOME && found.parent_id.is_none() {
        return refuse(
            "Pages can’t be under the home page; leave the parent out for `/…`.".to_owned(),
        );
    }
    let mut above = vec![parent];
    while let Some(next) = above.last().and_then(|id| pages.get(*id)?.parent_id) {
        if above.contains(&next) {
            break;
        }
        above.push(next);
    }
    if id.is_some_and(|id| above.contains(&id)) {
        return refuse(format!("`{}` is under this page itself.", found.title));
    }
    if above.len() >= PARENTS_MAX {
        return refuse(format!("Pages can be nested {PARENTS_MAX} deep at most."));
    }
    Ok(())
}

/// The requested slug, or one derived from the title.
fn slug(wanted: Option<&str>, title: &str, parent: Option<BodyId>) -> Result<String, Stop> {
    let slug = match wanted
        .map(|slug| slug.trim().trim_matches('/'))
        .filter(|slug| !slug.is_empty())
    {
        Some(wanted) => wanted.to_owned(),
        None => slugified(title),
    };
    check_slug(&slug, parent)?;
    Ok(slug)
}

/// Refuses slugs that are invalid in an address or reserved by Sitewright.
pub(super) fn check_slug(slug: &str, parent: Option<BodyId>) -> Result<(), Stop> {
    let page = Page {
        parent_id: parent,
        ..Page::new("", slug)
    };
    page.check_slug()
        .map_err(|problem| Stop::invalid_at("slug", format!("{problem}.")))
}

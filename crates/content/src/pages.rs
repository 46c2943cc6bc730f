//! The tools for pages as content: their names, addresses and descriptions. What is on them is made with the site's tools.

mod delete;
pub(crate) mod find;
mod shown;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sitewright_site::{
    BodyId, Element, Entity, Kind, Namespace, NewEntity, Node, Op, Page, PureBody as _, SiteTool,
    Stop, Subtree, SubtreeNode, Work,
};
use sitewright_tool::definition::{edit, query};
use sitewright_tool::{Capability, DefinitionBuilder, Scope, Touched};

use crate::entry;
use find::{get, named};
use shown::ShownPage;

/// The slug of the home page.
const HOME: &str = "index";

pub(crate) fn tools() -> Vec<SiteTool> {
    vec![
        query("getPage", "Get pages", "Get page(s). By id, slug, parentId, query, or all. Default lightweight; includeContent for sections. Returns items.")
            .scopes(&[Scope::Content])
            .words("Looking at pages", "Looked at pages")
            .tags(&["page", "list", "search"])
            .with(get),
        change("createPage", "Create a page", "Create empty page. parentId nests it. Add sections with createSection. Returns pageId.")
            .words("Creating a page", "Created a page")
            .tags(&["page", "add"])
            .with(create),
        change("updatePage", "Update a page", "Update page metadata. By id. parentId: null moves it to the root. Use updateSection for content.")
            .words("Updating a page", "Updated a page")
            .tags(&["page", "rename", "move", "edit"])
            .with(update),
        change("deletePage", "Delete pages", "Delete page(s) and all sections. Array param. Requires confirmed. Pages with children need cascade.")
            .confirmation("preview")
            // The words of the site's tool of the same name, so that both are described alike.
            .words("Deleting a page", "Deleted a page")
            .tags(&["page", "remove"])
            .with(delete::delete),
    ]
}

/// A tool that changes pages, which are part of the site.
pub(crate) fn change(name: &'static str, title: &str, description: &str) -> DefinitionBuilder {
    edit(name, title, description)
        .on_server()
        .scopes(&[Scope::Content])
        .confirmed_by(Capability::SiteWrite)
}

/// What search engines and others show of a page.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Meta {
    /// What search engines show under the title; null for nothing.
    #[serde(default, deserialize_with = "entry::given")]
    description: Option<Option<String>>,
    /// The picture that others show with a link to it; null for none.
    #[serde(default, deserialize_with = "entry::given")]
    social_image: Option<Option<String>>,
    /// The address search engines should know it by; null for its own.
    #[serde(default, deserialize_with = "entry::given")]
    canonical: Option<Option<String>>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct CreatePage {
    /// Its name.
    name: String,
    /// Its part of the address.
    slug: String,
    /// The page it lies under.
    parent_id: Option<BodyId>,
    /// Whether it cannot be deleted.
    #[serde(default)]
    is_protected: bool,
    /// What search engines and others show of it.
    #[serde(default)]
    meta: Meta,
    /// Whether search engines list it.
    indexing: Option<bool>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct SavedPage {
    success: bool,
    page_id: BodyId,
    item: ShownPage,
}

fn create(input: CreatePage, work: &mut Work<'_>) -> Result<SavedPage, Stop> {
    let page = Page {
        parent_id: input.parent_id,
        is_protected: input.is_protected,
        ..Page::new(line(&input.name)?, input.slug.trim().trim_matches('/'))
    };
    check_place(None, &page, work)?;
    let element = Element {
        tag: "body".into(),
        namespace: Namespace::Html,
        attrs: Vec::new(),
    };
    let root = SubtreeNode {
        id: work.mint(),
        parent: None,
        node: Node::new(Kind::Element(element)),
    };
    let tree = Subtree::new(vec![root]).map_err(|error| Stop::invalid(error.to_string()))?;
    let id: BodyId = work.mint();
    let after = work.site().shell.pages.iter().last().map(|(id, _)| id);
    make_way(None, &page, work)?;
    work.step(Op::Insert {
        new: Box::new(NewEntity::Page {
            id,
            page: Box::new(page.clone()),
            tree,
            after,
        }),
    })?;
    put_meta(id, &input.meta, input.indexing, work)?;
    work.receipt().created.push(touched(id, &page));
    saved(id, work)
}

/// What is to be different about a page.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
struct PagePatch {
    /// Another name.
    name: Option<String>,
    /// Another part of the address; `index` makes it the home page.
    slug: Option<String>,
    /// The page it is to lie under; null for the root.
    #[serde(deserialize_with = "entry::given")]
    parent_id: Option<Option<BodyId>>,
    /// Whether it cannot be deleted.
    is_protected: Option<bool>,
    /// What search engines and others show of it.
    meta: Option<Meta>,
    /// Whether search engines list it.
    indexing: Option<bool>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct UpdatePage {
    /// The page.
    id: Option<BodyId>,
    /// Another name.
    name: Option<String>,
    /// Another part of the address. With updates, the page itself.
    slug: Option<String>,
    /// The page it is to lie under; null for the root.
    #[serde(default, deserialize_with = "entry::given")]
    parent_id: Option<Option<BodyId>>,
    /// Whether it cannot be deleted.
    is_protected: Option<bool>,
    /// What search engines and others show of it.
    meta: Option<Meta>,
    /// Whether search engines list it.
    indexing: Option<bool>,
    /// The changes to the page that slug names, instead of id and the fields above.
    #[schemars(with = "Option<serde_json::Map<String, Value>>")]
    updates: Option<PagePatch>,
}

fn update(input: UpdatePage, work: &mut Work<'_>) -> Result<SavedPage, Stop> {
    let (id, patch) = match (input.id, input.updates) {
        (Some(id), None) => {
            let patch = PagePatch {
                name: input.name,
                slug: input.slug,
                parent_id: input.parent_id,
                is_protected: input.is_protected,
                meta: input.meta,
                indexing: input.indexing,
            };
            (id, patch)
        }
        (None, Some(patch)) => match input.slug {
            Some(slug) => (find::one_called(&slug, work)?, patch),
            None => return Err(Stop::invalid("Provide id, or slug with updates.")),
        },
        (Some(_), Some(_)) | (None, None) => {
            return Err(Stop::invalid(
                "Provide id with the fields to change, or slug with updates.",
            ));
        }
    };
    let before = named(id, work)?;
    let steps = work.steps();
    apply(id, &before, patch, work)?;
    let after = named(id, work)?;
    let touched = touched(id, &after);
    match work.steps() > steps {
        true => work.receipt().changed.push(touched),
        false => work.receipt().unchanged.push(touched),
    }
    saved(id, work)
}

fn apply(id: BodyId, before: &Page, patch: PagePatch, work: &mut Work<'_>) -> Result<(), Stop> {
    let entity = Entity::Page { id };
    let mut after = before.clone();
    if let Some(name) = &patch.name {
        after.title = line(name)?;
    }
    if let Some(slug) = &patch.slug {
        slug.trim().trim_matches('/').clone_into(&mut after.slug);
    }
    if let Some(parent) = patch.parent_id {
        after.parent_id = parent;
    }
    if after.slug != before.slug || after.parent_id != before.parent_id {
        check_place(Some(id), &after, work)?;
        make_way(Some(id), &after, work)?;
    }
    work.put(entity, "title", json!(after.title))?;
    work.put(entity, "parentId", json!(after.parent_id))?;
    work.put(entity, "slug", json!(after.slug))?;
    if let Some(is_protected) = patch.is_protected {
        work.put(entity, "isProtected", json!(is_protected))?;
    }
    put_meta(id, &patch.meta.unwrap_or_default(), patch.indexing, work)
}

fn put_meta(
    id: BodyId,
    meta: &Meta,
    indexing: Option<bool>,
    work: &mut Work<'_>,
) -> Result<(), Stop> {
    let entity = Entity::Page { id };
    for (field, value) in [
        ("settings.description", &meta.description),
        ("settings.socialImage", &meta.social_image),
        ("settings.canonical", &meta.canonical),
    ] {
        if let Some(value) = value {
            let value = value
                .as_deref()
                .map(str::trim)
                .filter(|value| !value.is_empty());
            work.put(entity, field, value.map_or(Value::Null, Value::from))?;
        }
    }
    match indexing {
        Some(indexing) => work.put(entity, "settings.noIndex", json!(!indexing)),
        None => Ok(()),
    }
}

/// Refuses an address that a page cannot have: a slug that is not valid there, or a parent that is no page, or the page itself.
fn check_place(id: Option<BodyId>, page: &Page, work: &Work<'_>) -> Result<(), Stop> {
    page.check_slug().map_err(|problem| {
        Stop::invalid_at("slug", sitewright_tool::sentence(&problem.to_string()))
    })?;
    let Some(parent) = page.parent_id else {
        return Ok(());
    };
    let refuse = |message: String| Err(Stop::invalid_at("parentId", message));
    let pages = &work.site().shell.pages;
    let Some(found) = pages.get(parent) else {
        return refuse(format!(
            "parentId: there is no page {parent}; getPage names those there are."
        ));
    };
    if found.template.is_some() || (found.slug == HOME && found.parent_id.is_none()) {
        return refuse(format!(
            "parentId: no page can lie under `{}`.",
            found.title
        ));
    }
    let mut above = Some(parent);
    let mut count = 0;
    while let Some(at) = above {
        if Some(at) == id {
            return refuse(format!(
                "parentId: `{}` lies under this page itself.",
                found.title
            ));
        }
        count += 1;
        if count > 16 {
            return refuse("parentId: pages may lie 16 deep.".to_owned());
        }
        above = pages.get(at).and_then(|page| page.parent_id);
    }
    Ok(())
}

/// Refuses a slug that a sibling has, and names that page. The home page makes way for another one.
fn make_way(id: Option<BodyId>, page: &Page, work: &mut Work<'_>) -> Result<(), Stop> {
    let holder = work.site().shell.pages.iter().find(|(other, sibling)| {
        Some(*other) != id
            && sibling.slug == page.slug
            && sibling.parent_id == page.parent_id
            && sibling.locale == page.locale
    });
    let Some((other, holder)) = holder.map(|(other, holder)| (other, holder.clone())) else {
        return Ok(());
    };
    if page.slug != HOME {
        return Err(Stop::conflict(format!(
            "The page `{}` ({other}) has the slug `{}`; choose another one.",
            holder.title, page.slug
        )));
    }
    work.put(Entity::Page { id: other }, "slug", json!("home"))?;
    let note = format!(
        "`{}` was the home page and has the slug `home` now.",
        holder.title
    );
    work.receipt().notes.push(note);
    work.receipt().changed.push(touched(other, &holder));
    Ok(())
}

fn saved(id: BodyId, work: &Work<'_>) -> Result<SavedPage, Stop> {
    Ok(SavedPage {
        success: true,
        page_id: id,
        item: ShownPage::of(id, &named(id, work)?, work),
    })
}

fn line(name: &str) -> Result<String, Stop> {
    let name = name.trim();
    match name.is_empty() || name.chars().any(char::is_control) {
        true => Err(Stop::invalid_at("name", "name must be a line of text.")),
        false => Ok(name.to_owned()),
    }
}

fn touched(id: BodyId, page: &Page) -> Touched {
    Touched {
        kind: "page".to_owned(),
        id: id.to_string(),
        name: Some(page.title.clone()),
        also_used_in: None,
    }
}

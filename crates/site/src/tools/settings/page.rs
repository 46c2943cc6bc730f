//! The settings of a page.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sitewright_tool::definition::{edit, view};

use crate::{BodyId, Entity, Op, Page};

use super::super::pages::{check_parent, check_slug, found, make_way, title, touched};
use super::super::work::{Stop, Work};
use super::super::{Nothing, PureBody as _, SiteTool};
use super::{address, given, language, text};

const DESCRIPTION_MAX: usize = 1_000;

pub(super) fn tools() -> Vec<SiteTool> {
    vec![
        view("getPageSettings", "Read a page's settings", "Answers a page's title, address, language and what search engines and others show of it.")
            .words("Reading the page's settings", "Read the page's settings").with(get),
        edit("updatePageSettings", "Change a page's settings", "Changes settings of a page; those left out stay, null takes one away. The slug `index` makes it \
               the home page; the one that was it becomes `home`. Links to the page follow when its address changes.")
        .words("Changing the page's settings", "Changed the page's settings").with(update),
    ]
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct GetPageSettings {
    /// The page, by its id or its address.
    page_id: String,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Settings {
    page_id: BodyId,
    title: String,
    slug: String,
    /// The address, from the slugs of the pages it lies under and its own.
    path: String,
    parent_id: Option<BodyId>,
    /// Its language; null when it is the site's.
    locale: Option<String>,
    /// Whether it is kept out of publishing.
    draft: bool,
    /// Whether it cannot be deleted; people decide that.
    is_protected: bool,
    description: Option<String>,
    social_image: Option<String>,
    canonical: Option<String>,
    no_index: bool,
    hide_in_menus: bool,
}

fn get(input: GetPageSettings, work: &mut Work<'_>) -> Result<Settings, Stop> {
    let page_id = by_id_or_path(work, &input.page_id)?;
    let page = found(work, page_id)?;
    let settings = page.settings;
    Ok(Settings {
        page_id,
        title: page.title,
        slug: page.slug,
        path: work.site.permalink(page_id),
        parent_id: page.parent_id,
        locale: page.locale,
        draft: page.draft,
        is_protected: page.is_protected,
        description: settings.description,
        social_image: settings.social_image,
        canonical: settings.canonical,
        no_index: settings.no_index,
        hide_in_menus: settings.hide_in_menus,
    })
}

#[derive(Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct UpdatePageSettings {
    /// The page, by its id or its address.
    pub(crate) page_id: String,
    /// Its title.
    pub(crate) title: Option<String>,
    /// Its part of the address.
    pub(crate) slug: Option<String>,
    /// The page it lies under in addresses; null for none.
    #[serde(default, deserialize_with = "given")]
    pub(crate) parent_id: Option<Option<BodyId>>,
    /// Its language, such as `de-AT`; null for the site's.
    #[serde(default, deserialize_with = "given")]
    pub(crate) locale: Option<Option<String>>,
    /// Whether it is kept out of publishing.
    pub(crate) draft: Option<bool>,
    /// What search engines show under the title.
    #[serde(default, deserialize_with = "given")]
    pub(crate) description: Option<Option<String>>,
    /// The address of the picture that others show with a link to it.
    #[serde(default, deserialize_with = "given")]
    pub(crate) social_image: Option<Option<String>>,
    /// The address search engines should know it by, when it is not its own.
    #[serde(default, deserialize_with = "given")]
    pub(crate) canonical: Option<Option<String>>,
    /// Whether search engines are asked to leave it out.
    pub(crate) no_index: Option<bool>,
    /// Whether it is left out of generated menus.
    pub(crate) hide_in_menus: Option<bool>,
}

pub(crate) fn update(input: UpdatePageSettings, work: &mut Work<'_>) -> Result<Nothing, Stop> {
    let id = by_id_or_path(work, &input.page_id)?;
    let page = found(work, id)?;
    let entity = Entity::Page { id };
    let mut wanted: Vec<(&str, Value)> = Vec::new();
    let steps_before = work.steps();
    if let Some(written) = &input.title {
        wanted.push(("title", json!(title(written)?)));
    }
    let moves = input.slug.is_some() || input.parent_id.is_some() || input.locale.is_some();
    if moves {
        relocate(&input, id, &page, work)?;
    }
    wanted.extend(input.draft.map(|draft| ("draft", json!(draft))));
    if let Some(description) = &input.description {
        let description = match description {
            Some(written) => text("description", written, DESCRIPTION_MAX)?,
            None => None,
        };
        wanted.push(("settings.description", json!(description)));
    }
    for (field, name, given) in [
        ("settings.socialImage", "socialImage", &input.social_image),
        ("settings.canonical", "canonical", &input.canonical),
    ] {
        let Some(given) = given else { continue };
        let address = match given {
            Some(written) => address(name, written)?,
            None => None,
        };
        wanted.push((field, json!(address)));
    }
    wanted.extend(input.no_index.map(|no| ("settings.noIndex", json!(no))));
    let hide = input
        .hide_in_menus
        .map(|hide| ("settings.hideInMenus", json!(hide)));
    wanted.extend(hide);
    if wanted.is_empty() && !moves {
        return Err(Stop::invalid("Name at least one setting to change."));
    }
    for (field, value) in wanted {
        work.put(entity, field, value)?;
    }
    let touched = touched(id, &found(work, id)?);
    if work.steps() > steps_before {
        work.receipt.changed.push(touched);
    } else {
        work.receipt.unchanged.push(touched);
    }
    Ok(Nothing {})
}

/// Changes the slug, parent or language of a page, after checking that its new address is valid.
fn relocate(
    input: &UpdatePageSettings,
    id: BodyId,
    page: &Page,
    work: &mut Work<'_>,
) -> Result<(), Stop> {
    let mut moved = page.clone();
    moved.parent_id = input.parent_id.unwrap_or(page.parent_id);
    if let Some(locale) = &input.locale {
        moved.locale = match locale
            .as_deref()
            .map(str::trim)
            .filter(|locale| !locale.is_empty())
        {
            Some(locale) => Some(language("locale", locale)?),
            None => None,
        };
    }
    if let Some(slug) = &input.slug {
        moved.slug = slug.trim().trim_matches('/').to_owned();
    }
    if moved == *page {
        return Ok(());
    }
    check_parent(Some(id), moved.parent_id, work)?;
    check_slug(&moved.slug, moved.parent_id)?;
    let address = work.site.permalink(id);
    make_way(work, id, &moved, &moved.slug)?;
    let entity = Entity::Page { id };
    work.put(entity, "parentId", json!(moved.parent_id))?;
    work.put(entity, "locale", json!(moved.locale))?;
    // Put even an unchanged slug: uniqueness among the new siblings must be ensured wherever this change is applied.
    work.step(Op::Put {
        entity,
        field: "slug".to_owned(),
        value: json!(moved.slug),
    })?;
    let now = work.site.permalink(id);
    if now != address {
        let note = format!("Its address was `{address}` and is `{now}` now.");
        work.receipt.notes.push(note);
    }
    Ok(())
}

/// Finds a page by its id, its path, or a slug that only one page has.
fn by_id_or_path(work: &Work<'_>, wanted: &str) -> Result<BodyId, Stop> {
    let pages = &work.site.shell.pages;
    if let Ok(id) = wanted.parse::<BodyId>()
        && pages.get(id).is_some()
    {
        return Ok(id);
    }
    let path = wanted.trim().trim_matches('/');
    let by_path = pages.iter().find(|(id, _)| {
        let permalink = work.site.permalink(*id);
        wanted.starts_with('/') && permalink.trim_matches('/') == path
    });
    if let Some((id, _)) = by_path {
        return Ok(id);
    }
    let by_slug: Vec<BodyId> = pages
        .iter()
        .filter(|(_, page)| page.slug == path)
        .map(|(id, _)| id)
        .collect();
    match by_slug.as_slice() {
        [only] => Ok(*only),
        [] => Err(Stop::not_found(format!(
            "There is no page `{wanted}`; list_documents names those there are."
        ))),
        several => {
            let paths: Vec<String> = several.iter().map(|id| work.site.permalink(*id)).collect();
            let message = format!(
                "pageId: several pages have the slug `{path}`: {}. Name one by its path.",
                paths.join(", ")
            );
            Err(Stop::invalid_at("pageId", message))
        }
    }
}

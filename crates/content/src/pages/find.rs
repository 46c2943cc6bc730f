//! Finding pages.

use schemars::JsonSchema;
use serde::Deserialize;
use sitewright_site::{BodyId, Need, Page, Stop, Work};

use super::shown::ShownPage;
use crate::listing::{Listing, Selectors, limit, offset};
use crate::sections::shown::{SectionContent, sections};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct GetPage {
    /// Get by id.
    id: Option<BodyId>,
    /// Get by slug or full path, such as `about` or `company/about`.
    slug: Option<String>,
    /// Get the pages under this one.
    parent_id: Option<BodyId>,
    /// Get the pages whose name, address or description contains this.
    query: Option<String>,
    /// Get all.
    #[serde(default)]
    all: bool,
    /// Whether the pages under each come with it.
    #[serde(default)]
    include_children: bool,
    /// Whether the sections come with each page.
    #[serde(default)]
    include_content: bool,
    /// How many at most.
    limit: Option<u32>,
    /// The `next` of the answer before.
    cursor: Option<String>,
}

pub(super) fn get(input: GetPage, work: &mut Work<'_>) -> Result<Listing<ShownPage>, Stop> {
    Selectors {
        all: &[
            ("id", input.id.is_some()),
            ("slug", input.slug.is_some()),
            ("parentId", input.parent_id.is_some()),
            ("query", input.query.is_some()),
            ("all", input.all),
        ],
        missing: "Provide id, slug, parentId, query, or set all: true.",
    }
    .check()?;
    let found: Vec<BodyId> = match (&input.slug, &input.query) {
        (Some(slug), _) => called(slug, work),
        (None, Some(query)) => containing(query, work),
        (None, None) => pages(work)
            .filter(|(id, page)| {
                input.id.is_none_or(|wanted| wanted == *id)
                    && input
                        .parent_id
                        .is_none_or(|parent| page.parent_id == Some(parent))
            })
            .map(|(id, _)| id)
            .collect(),
    };
    if let (Some(slug), [_, _, ..]) = (&input.slug, found.as_slice()) {
        return Err(ambiguous(slug, &found, work));
    }
    let (limit, total) = (limit(input.limit)? as usize, found.len());
    let from = offset(input.cursor.as_deref())?;
    let page: Vec<BodyId> = found.into_iter().skip(from).take(limit).collect();
    if input.include_content {
        open_all(&page, work)?;
    }
    let items = page.into_iter().map(|id| shown(id, &input, work));
    let next = (from + limit < total).then(|| (from + limit).to_string());
    Ok(Listing::new(
        items.collect::<Result<_, _>>()?,
        total as u64,
        next,
    ))
}

fn shown(id: BodyId, input: &GetPage, work: &Work<'_>) -> Result<ShownPage, Stop> {
    let mut item = ShownPage::of(id, &named(id, work)?, work);
    if input.include_children {
        let children = pages(work).filter(|(_, page)| page.parent_id == Some(id));
        let children = children.map(|(id, page)| ShownPage::of(id, page, work));
        item.children = Some(children.collect());
    }
    if input.include_content {
        item.sections = Some(sections(id, SectionContent::Included, work)?);
    }
    Ok(item)
}

/// Asks for the documents that are not open, all at once.
pub(crate) fn open_all(ids: &[BodyId], work: &Work<'_>) -> Result<(), Stop> {
    let closed: Vec<Need> = ids
        .iter()
        .filter(|id| !work.site().bodies.contains_key(id))
        .map(|id| Need::Body(*id))
        .collect();
    match closed.is_empty() {
        true => Ok(()),
        false => Err(Stop::Needs(closed)),
    }
}

/// The pages, without templates.
pub(crate) fn pages<'w>(work: &'w Work<'_>) -> impl Iterator<Item = (BodyId, &'w Page)> {
    let pages = work.site().shell.pages.iter();
    pages.filter(|(_, page)| page.template.is_none())
}

/// The page with this id.
pub(crate) fn named(id: BodyId, work: &Work<'_>) -> Result<Page, Stop> {
    let page = work.site().shell.pages.get(id);
    let page = page.filter(|page| page.template.is_none()).cloned();
    page.ok_or_else(|| {
        Stop::not_found(format!(
            "There is no page {id}; getPage names those there are."
        ))
    })
}

/// The pages with a slug or full path.
fn called(slug: &str, work: &Work<'_>) -> Vec<BodyId> {
    let wanted = slug.trim().trim_matches('/');
    let path = format!("/{wanted}");
    let exact = |id: &BodyId| work.site().permalink(*id) == path;
    let by_path: Vec<BodyId> = pages(work).map(|(id, _)| id).filter(exact).collect();
    match by_path.is_empty() {
        false => by_path,
        true => pages(work)
            .filter(|(_, page)| page.slug == wanted)
            .map(|(id, _)| id)
            .collect(),
    }
}

/// The one page with a slug or full path.
pub(super) fn one_called(slug: &str, work: &Work<'_>) -> Result<BodyId, Stop> {
    let found = called(slug, work);
    match found.as_slice() {
        [one] => Ok(*one),
        [] => Err(Stop::not_found(format!(
            "There is no page `{slug}`; getPage names those there are."
        ))),
        _ => Err(ambiguous(slug, &found, work)),
    }
}

fn ambiguous(slug: &str, found: &[BodyId], work: &Work<'_>) -> Stop {
    let paths = found
        .iter()
        .map(|id| format!("`{}` ({id})", work.site().permalink(*id)));
    let paths: Vec<String> = paths.collect();
    Stop::conflict(format!(
        "Several pages have the slug `{slug}`: {}. Say which by its full path or id.",
        paths.join(", ")
    ))
}

/// The pages whose name, address or description contains a text.
fn containing(query: &str, work: &Work<'_>) -> Vec<BodyId> {
    let words: Vec<String> = query.split_whitespace().map(str::to_lowercase).collect();
    let holds = |text: &str| {
        let text = text.to_lowercase();
        words.iter().all(|word| text.contains(word))
    };
    pages(work)
        .filter(|(id, page)| {
            let description = page.settings.description.as_deref().unwrap_or_default();
            holds(&format!(
                "{} {} {description}",
                page.title,
                work.site().permalink(*id)
            ))
        })
        .map(|(id, _)| id)
        .collect()
}

//! Finding sections.

use schemars::JsonSchema;
use serde::Deserialize;
use sitewright_site::{BodyId, NodeId, Stop, Tree, Work};

use super::shown::{SectionContent, ShownSection, section_nodes, sections};
use crate::listing::{Listing, Selectors};
use crate::pages::find::{named, open_all, pages};

/// The most pages that are opened to search their sections.
const SEARCHED_MAX: usize = 200;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct GetSection {
    /// Get by id.
    page_section_id: Option<NodeId>,
    /// Get the sections of this page. With query, only search these.
    page_id: Option<BodyId>,
    /// Get the sections whose texts contain these words.
    query: Option<String>,
    /// Whether the fields come with each section.
    #[serde(default)]
    include_content: bool,
    /// How many at most.
    limit: Option<u32>,
    /// The `next` of the answer before.
    cursor: Option<String>,
}

pub(super) fn get(input: GetSection, work: &mut Work<'_>) -> Result<Listing<ShownSection>, Stop> {
    Selectors {
        all: &[
            ("pageSectionId", input.page_section_id.is_some()),
            // Beside a query, the page is a filter.
            ("pageId", input.page_id.is_some() && input.query.is_none()),
            ("query", input.query.is_some()),
        ],
        missing: "Provide pageSectionId, pageId, or query.",
    }
    .check()?;
    let content = match input.include_content {
        true => SectionContent::Included,
        false => SectionContent::LeftOut,
    };
    let found = match (input.page_section_id, &input.query, input.page_id) {
        (Some(id), ..) => match page_of(id, work)? {
            Some(page) => {
                let mut all = sections(page, content, work)?;
                all.retain(|section| section.page_section_id == id);
                all
            }
            None => Vec::new(),
        },
        (None, Some(query), page) => containing(query, page, content, work)?,
        (None, None, Some(page)) => {
            named(page, work)?;
            sections(page, content, work)?
        }
        (None, None, None) => Vec::new(),
    };
    Listing::page_of(found, input.limit, input.cursor.as_deref())
}

fn containing(
    query: &str,
    page: Option<BodyId>,
    content: SectionContent,
    work: &Work<'_>,
) -> Result<Vec<ShownSection>, Stop> {
    let searched: Vec<BodyId> = match page {
        Some(page) => {
            named(page, work)?;
            vec![page]
        }
        None => pages(work).map(|(id, _)| id).collect(),
    };
    if searched.len() > SEARCHED_MAX {
        let message = format!(
            "query: the site has {} pages, and {SEARCHED_MAX} can be searched at once. Name one with pageId; getPage finds it.",
            searched.len()
        );
        return Err(Stop::invalid_at("query", message));
    }
    open_all(&searched, work)?;
    let words: Vec<String> = query.split_whitespace().map(str::to_lowercase).collect();
    let mut found = Vec::new();
    for page in searched {
        let mut all = sections(page, content, work)?;
        all.retain(|section| {
            let text = section.text.to_lowercase();
            words.iter().all(|word| text.contains(word))
        });
        found.extend(all);
    }
    Ok(found)
}

/// The page that a section is on; `None` when there is no such section.
fn page_of(id: NodeId, work: &Work<'_>) -> Result<Option<BodyId>, Stop> {
    let Some(page) = work.document_of(id)? else {
        return Ok(None);
    };
    let is_section = |tree: &Tree| section_nodes(tree).any(|node| node == id);
    let is_page = pages(work).any(|(known, _)| known == page);
    let tree = work.site().bodies.get(&page);
    Ok((is_page && tree.is_some_and(is_section)).then_some(page))
}

/// The page of a section that must exist.
pub(super) fn page_with(argument: &str, id: NodeId, work: &Work<'_>) -> Result<BodyId, Stop> {
    if let Some(page) = page_of(id, work)? {
        return Ok(page);
    }
    let template = super::template::all(work.site());
    let mut templates = template.iter();
    let template = templates.find(|template| template.id.to_string() == id.to_string());
    Err(match template {
        Some(template) => Stop::invalid_at(
            argument,
            format!(
                "{argument}: {id} is the id of the template `{}`. Use the pageSectionId that createSection and getSection return.",
                template.key
            ),
        ),
        None => Stop::not_found(format!(
            "There is no section {id}; getSection names those of a page."
        )),
    })
}

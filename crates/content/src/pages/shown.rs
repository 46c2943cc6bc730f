//! Pages in answers.

use schemars::JsonSchema;
use serde::Serialize;
use sitewright_site::{BodyId, Kind, Need, NodeId, Page, Stop, Tree, Work};

/// The most characters of the text of a section.
const TEXT_MAX: usize = 2_000;

/// A page in an answer.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct ShownPage {
    id: BodyId,
    name: String,
    slug: String,
    /// Its address.
    permalink: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    parent_id: Option<BodyId>,
    is_protected: bool,
    /// Whether it is kept out of publishing.
    draft: bool,
    /// Whether search engines list it.
    indexing: bool,
    meta: ShownMeta,
    /// The pages under it, when they were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) children: Option<Vec<ShownPage>>,
    /// What is on it, when it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) sections: Option<Vec<ShownSection>>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ShownMeta {
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    social_image: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    canonical: Option<String>,
}

/// A section of a page: something at the top level of what is on it.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct ShownSection {
    page_section_id: NodeId,
    /// The key of its template; `html` for what was made without one.
    template_key: String,
    hidden: bool,
    /// What it says, shortened.
    text: String,
}

impl ShownPage {
    pub(super) fn of(id: BodyId, page: &Page, work: &Work<'_>) -> Self {
        Self {
            id,
            name: page.title.clone(),
            slug: page.slug.clone(),
            permalink: work.site().permalink(id),
            parent_id: page.parent_id,
            is_protected: page.is_protected,
            draft: page.draft,
            indexing: !page.settings.no_index,
            meta: ShownMeta {
                description: page.settings.description.clone(),
                social_image: page.settings.social_image.clone(),
                canonical: page.settings.canonical.clone(),
            },
            children: None,
            sections: None,
        }
    }
}

/// The sections of a page.
pub(super) fn sections(id: BodyId, work: &Work<'_>) -> Result<Vec<ShownSection>, Stop> {
    let Some(tree) = work.site().bodies.get(&id) else {
        return Err(Stop::Needs(vec![Need::Body(id)]));
    };
    let sections = tree.children(tree.root()).filter_map(|node| {
        let found = tree.node(node)?;
        let key = match &found.kind {
            Kind::Component(used) => {
                let id = used.id.parse().ok();
                let component = id.and_then(|id| work.site().shell.components.get(id));
                component.and_then(|component| component.template_key.clone())
            }
            Kind::Element(_) | Kind::Loop(_) | Kind::Outlet => None,
            Kind::Text(_) | Kind::Comment(_) => return None,
        };
        Some(ShownSection {
            page_section_id: node,
            template_key: key.unwrap_or_else(|| "html".to_owned()),
            hidden: found.hidden,
            text: text_in(tree, node),
        })
    });
    Ok(sections.collect())
}

fn text_in(tree: &Tree, node: NodeId) -> String {
    let mut words: Vec<&str> = Vec::new();
    for id in tree.walk(node) {
        if let Some(Kind::Text(text)) = tree.node(id).map(|node| &node.kind) {
            words.extend(text.split_whitespace());
        }
    }
    words.join(" ").chars().take(TEXT_MAX).collect()
}

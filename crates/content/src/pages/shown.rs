//! Pages in answers.

use schemars::JsonSchema;
use serde::Serialize;
use sitewright_site::{BodyId, Page, Work};

use crate::sections::shown::ShownSection;

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

//! The settings that a plan may change, and their conversion to the input of the tools.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::BodyId;
use crate::tools::settings::given;
use crate::tools::settings::page::UpdatePageSettings;
use crate::tools::settings::site::UpdateSiteSettings;

/// Settings of a page that change; null takes one away.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct PageSettingsPatch {
    /// Its title.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 200))]
    pub title: Option<String>,
    /// Its language, such as `de-AT`; null for the site's.
    #[serde(deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    pub locale: Option<Option<String>>,
    /// Whether it is kept out of publishing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub draft: Option<bool>,
    /// What search engines show under the title.
    #[serde(deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    pub description: Option<Option<String>>,
    /// The address of the picture that others show with a link to it.
    #[serde(deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    pub social_image: Option<Option<String>>,
    /// The address search engines should know it by, when it is not its own.
    #[serde(deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    pub canonical: Option<Option<String>>,
    /// Whether search engines are asked to leave it out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub no_index: Option<bool>,
    /// Whether it is left out of generated menus.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hide_in_menus: Option<bool>,
}

/// Settings of the site that change; null takes one away.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SiteSettingsPatch {
    /// Its name.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 200))]
    pub name: Option<String>,
    /// Its language, such as `en` or `de-AT`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// How a page's title is shown: `{title}` is filled in, and `{site}` by the site's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 200))]
    pub title_pattern: Option<String>,
    /// The address of the small picture browsers show with it.
    #[serde(deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    pub favicon: Option<Option<String>>,
    /// The address of the picture others show with a link to a page that has none of its own.
    #[serde(deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    pub social_image: Option<Option<String>>,
    /// Whether search engines are asked to stay away from the whole site.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub discourage_search_engines: Option<bool>,
    /// Code at the end of every head; needs the right to write code.
    #[serde(deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    pub head_code: Option<Option<String>>,
    /// Code at the end of every body; needs the right to write code.
    #[serde(deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    pub body_code: Option<Option<String>>,
}

impl PageSettingsPatch {
    pub(super) fn for_page(self, page: BodyId) -> UpdatePageSettings {
        let Self {
            title,
            locale,
            draft,
            description,
            social_image,
            canonical,
            no_index,
            hide_in_menus,
        } = self;
        UpdatePageSettings {
            page_id: page.to_string(),
            title,
            slug: None,
            parent_id: None,
            locale,
            draft,
            description,
            social_image,
            canonical,
            no_index,
            hide_in_menus,
        }
    }
}

impl From<SiteSettingsPatch> for UpdateSiteSettings {
    fn from(patch: SiteSettingsPatch) -> Self {
        let SiteSettingsPatch {
            name,
            language,
            title_pattern,
            favicon,
            social_image,
            discourage_search_engines,
            head_code,
            body_code,
        } = patch;
        Self {
            name,
            language,
            title_pattern,
            favicon,
            social_image,
            discourage_search_engines,
            head_code,
            body_code,
        }
    }
}

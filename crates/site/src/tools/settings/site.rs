//! The settings of the site.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sitewright_tool::Touched;
use sitewright_tool::definition::{edit, view};

use crate::Entity;

use super::super::work::{Stop, Work};
use super::super::{Nothing, PureBody as _, SiteTool};
use super::{address, given, language, line};

const NAME_MAX: usize = 200;
const CODE_MAX: usize = 200_000;

pub(super) fn tools() -> Vec<SiteTool> {
    vec![
        view("getSiteSettings", "Read the site's settings", "Answers the site's name, language, title pattern, pictures and code.").words("Reading the site's settings", "Read the site's settings").with(get),
        edit("updateSiteSettings", "Change the site's settings", "Changes settings of the site; those left out stay, null takes one away. headCode and bodyCode run \
               on every page and are only for callers who may write code.")
        .words("Changing the site's settings", "Changed the site's settings").with(update),
    ]
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct GetSiteSettings {}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Settings {
    name: String,
    language: String,
    title_pattern: String,
    favicon: Option<String>,
    social_image: Option<String>,
    discourage_search_engines: bool,
    head_code: String,
    body_code: String,
}

fn get(_: GetSiteSettings, work: &mut Work<'_>) -> Result<Settings, Stop> {
    let crate::SiteSettings {
        name,
        language,
        title_pattern,
        favicon,
        social_image,
        head_code,
        body_code,
        discourage_search_engines,
    } = work.site.shell.settings.clone();
    Ok(Settings {
        name,
        language,
        title_pattern,
        favicon,
        social_image,
        discourage_search_engines,
        head_code,
        body_code,
    })
}

#[derive(Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct UpdateSiteSettings {
    /// Its name.
    pub(crate) name: Option<String>,
    /// Its language, such as `en` or `de-AT`.
    pub(crate) language: Option<String>,
    /// How a page's title is shown: `{title}` is filled in, and `{site}` by the site's name.
    pub(crate) title_pattern: Option<String>,
    /// The address of the small picture browsers show with it.
    #[serde(default, deserialize_with = "given")]
    pub(crate) favicon: Option<Option<String>>,
    /// The address of the picture others show with a link to a page that has none of its own.
    #[serde(default, deserialize_with = "given")]
    pub(crate) social_image: Option<Option<String>>,
    /// Whether search engines are asked to stay away from the whole site.
    pub(crate) discourage_search_engines: Option<bool>,
    /// Code at the end of every head; needs the right to write code.
    #[serde(default, deserialize_with = "given")]
    pub(crate) head_code: Option<Option<String>>,
    /// Code at the end of every body; needs the right to write code.
    #[serde(default, deserialize_with = "given")]
    pub(crate) body_code: Option<Option<String>>,
}

pub(crate) fn update(input: UpdateSiteSettings, work: &mut Work<'_>) -> Result<Nothing, Stop> {
    let mut wanted: Vec<(&str, Value)> = Vec::new();
    if let Some(name) = &input.name {
        wanted.push(("name", json!(line("name", name, NAME_MAX)?)));
    }
    if let Some(written) = &input.language {
        wanted.push(("language", json!(language("language", written)?)));
    }
    if let Some(pattern) = &input.title_pattern {
        let pattern = line("titlePattern", pattern, NAME_MAX)?;
        if !pattern.contains("{title}") {
            let message =
                "The format must contain {title}, or every page would have the same title.";
            return Err(Stop::invalid_at("titlePattern", message));
        }
        wanted.push(("titlePattern", json!(pattern)));
    }
    for (field, given) in [
        ("favicon", &input.favicon),
        ("socialImage", &input.social_image),
    ] {
        let Some(given) = given else { continue };
        let address = match given {
            Some(written) => address(field, written)?,
            None => None,
        };
        wanted.push((field, json!(address)));
    }
    let discourage = input.discourage_search_engines;
    wanted.extend(discourage.map(|yes| ("discourageSearchEngines", json!(yes))));
    for (field, given) in [("headCode", input.head_code), ("bodyCode", input.body_code)] {
        let Some(given) = given else { continue };
        let code = given.unwrap_or_default();
        if code.chars().count() > CODE_MAX {
            let message = format!(
                "Use at most {CODE_MAX} characters; put the rest into code files (write_code_asset)."
            );
            return Err(Stop::invalid_at(field, message));
        }
        wanted.push((field, json!(code)));
    }
    if wanted.is_empty() {
        return Err(Stop::invalid("Name at least one setting to change."));
    }
    let steps_before = work.steps();
    for (field, value) in wanted {
        work.put(Entity::Site, field, value)?;
    }
    let touched = Touched {
        kind: "site".to_owned(),
        id: "site".to_owned(),
        name: Some(work.site.shell.settings.name.clone()),
        also_used_in: None,
    };
    if work.steps() > steps_before {
        work.receipt.changed.push(touched);
    } else {
        work.receipt.unchanged.push(touched);
    }
    Ok(Nothing {})
}

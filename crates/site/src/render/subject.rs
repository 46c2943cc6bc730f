//! What a rendering is about: a page, or the page of an entry.

use std::borrow::Cow;

use serde_json::Value;

use crate::binding::plain_text;
use crate::{BodyId, Page, Site};

/// The longest description that is made of an entry, in characters.
const DESCRIPTION_MAX: usize = 300;

/// The page that a rendering shows.
pub(super) struct Subject<'a> {
    /// The page's document; absent for an entry.
    pub(super) id: Option<BodyId>,
    /// Its settings. An entry has those of its template, with its own title, description and picture.
    pub(super) page: Cow<'a, Page>,
    pub(super) address: String,
    /// Whether a template shows the entry; otherwise its title and text are shown as they are.
    pub(super) has_template: bool,
}

impl<'a> Subject<'a> {
    pub(super) fn of_page(site: &Site, id: BodyId, page: &'a Page) -> Self {
        Self {
            id: Some(id),
            page: Cow::Borrowed(page),
            address: site.permalink(id),
            has_template: false,
        }
    }

    pub(super) fn of_entry(site: &Site, template: Option<BodyId>, entry: &Value) -> Self {
        let found = template.and_then(|id| site.shell.pages.get(id));
        let text = |name: &str| {
            let text = entry.get(name).map(plain_text).unwrap_or_default();
            (!text.trim().is_empty()).then(|| text.trim().to_owned())
        };
        let mut page = found.cloned().unwrap_or_else(|| Page::new("", ""));
        page.template = None;
        page.title = text("title").unwrap_or_default();
        page.slug = text("slug").unwrap_or_default();
        page.locale = text("locale").or(page.locale);
        let described = text("description").or_else(|| text("excerpt"));
        let described = described.map(|text| text.chars().take(DESCRIPTION_MAX).collect());
        page.settings.description = described.or(page.settings.description);
        page.settings.social_image = text("featuredMedia").or(page.settings.social_image);
        page.settings.canonical = None;
        Self {
            id: None,
            page: Cow::Owned(page),
            address: text("permalink").unwrap_or_default(),
            has_template: found.is_some(),
        }
    }
}

/// The address of a part of a page whose list has several, counted from 0.
pub fn part_address(address: &str, part: u32) -> String {
    match part {
        0 => address.to_owned(),
        part => format!("{}/page/{}", address.trim_end_matches('/'), part + 1),
    }
}

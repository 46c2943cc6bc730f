//! The lines about a site for the content scope: what people have set up, which no tool makes, and what the person has open.

use std::collections::BTreeSet;

use sitewright_site::{Collection, EntryStatus, FieldKind, Site};

use super::{About, LISTED_MAX, listed, quoted, title_of};

/// The most fields that are listed of one collection.
const FIELDS_MAX: usize = 30;

pub(super) fn lines(about: &About<'_>) -> String {
    let About { site, .. } = about;
    format!(
        "Site: {} · language: {} · further locales: [{}]\n· Collections: [{}]\n· Navigations: [{}]\n· Pages: [{}]\n· Open: {}",
        quoted(&site.shell.settings.name),
        site.shell.settings.language,
        further_locales(site),
        collections(site),
        navigations(site),
        pages(site),
        open(about),
    )
}

/// The locales of pages besides the site's own language.
fn further_locales(site: &Site) -> String {
    let locales = site
        .shell
        .pages
        .iter()
        .filter_map(|(_, page)| page.locale.clone());
    let further: BTreeSet<String> = locales
        .filter(|locale| *locale != site.shell.settings.language)
        .collect();
    listed(further.into_iter(), LISTED_MAX, "getPage")
}

fn collections(site: &Site) -> String {
    let lines = site.collections().map(|(id, collection)| {
        let place = match &collection.route_base {
            Some(base) => format!("posts at {base}"),
            None => "no pages".to_owned(),
        };
        let label = quoted(&collection.label);
        format!(
            "{id}={} {label} ({place}; fields: {})",
            collection.slug,
            fields(collection)
        )
    });
    listed(lines, LISTED_MAX, "getEntry")
}

fn fields(collection: &Collection) -> String {
    let lines = collection.fields.iter().map(|field| {
        let mark = if field.required { "*" } else { "" };
        format!("{}{mark} {}", field.name, kind(&field.kind))
    });
    listed(lines, FIELDS_MAX, "getEntry")
}

fn kind(kind: &FieldKind) -> &'static str {
    match kind {
        FieldKind::Text { .. } => "text",
        FieldKind::RichText => "Markdown",
        FieldKind::Number { .. } => "number",
        FieldKind::Boolean => "boolean",
        FieldKind::Date => "date",
        FieldKind::Choice { .. } => "choice",
        FieldKind::Reference { .. } => "reference",
        FieldKind::References { .. } => "references",
        FieldKind::Media => "media",
        FieldKind::Slug => "slug",
        FieldKind::Json => "JSON",
        FieldKind::Group { .. } => "group",
        FieldKind::Repeater { .. } => "repeater",
    }
}

fn navigations(site: &Site) -> String {
    let lines = site.navigations().map(|(id, navigation)| {
        let own = |item: &&sitewright_site::NavItem| item.navigation == id && item.parent.is_none();
        let top = site.nav_items().map(|(_, item)| item).filter(own).count();
        let label = quoted(&navigation.label);
        format!(
            "{id}={} {label} ({top} of {} items)",
            navigation.slug, navigation.max_items
        )
    });
    listed(lines, LISTED_MAX, "getNavItem")
}

fn pages(site: &Site) -> String {
    let pages = site.shell.pages.iter();
    let ordinary = pages.filter(|(_, page)| page.template.is_none());
    let lines = ordinary.map(|(id, page)| format!("{id}={} {}", page.slug, quoted(&page.title)));
    listed(lines, LISTED_MAX, "getPage")
}

/// The entry that is open, or else the page. An entry that does not exist counts as none.
fn open(about: &About<'_>) -> String {
    let About { site, view, .. } = about;
    let entry = about
        .entry
        .and_then(|id| Some((id, &site.records.get(&id)?.record)));
    if let Some((id, record)) = entry {
        let collection = site.collection(record.collection);
        let slug = collection.map_or("?", |collection| collection.slug.as_str());
        let status = match record.status {
            EntryStatus::Draft => "draft",
            EntryStatus::Published => "published",
            EntryStatus::Archived => "archived",
        };
        let title = quoted(&record.title);
        return format!("entry {id}={slug}/{} {title} ({status})", record.slug);
    }
    let page = view.current.and_then(|id| Some((id, title_of(site, id)?)));
    page.map_or_else(
        || "nothing".to_owned(),
        |(id, title)| format!("page {id}={}", quoted(&title)),
    )
}

#[cfg(test)]
#[path = "content_tests.rs"]
mod tests;

//! Finding collections.

use sitewright_site::{Collection, ItemId, Site, Stop};

/// The collection that an input names, by its id or slug.
pub(crate) fn found(site: &Site, field: &str, named: &str) -> Result<(ItemId, Collection), Stop> {
    let id = named.parse::<ItemId>().ok();
    let mut collections = site.collections();
    let found =
        collections.find(|(known, collection)| id == Some(*known) || collection.slug == named);
    if let Some((id, collection)) = found {
        return Ok((id, collection.clone()));
    }
    let known: Vec<String> = site
        .collections()
        .map(|(id, collection)| format!("`{}` ({id})", collection.slug))
        .collect();
    let known = match known.is_empty() {
        true => "there are none; people make them in the administration".to_owned(),
        false => format!("there are {}", known.join(", ")),
    };
    Err(Stop::invalid_at(
        field,
        format!("{field}: there is no collection `{named}`; {known}."),
    ))
}

/// The collections whose entries have pages.
pub(crate) fn with_pages(site: &Site) -> Vec<ItemId> {
    site.collections()
        .filter(|(_, collection)| collection.route_base.is_some())
        .map(|(id, _)| id)
        .collect()
}

/// The collection of posts that an input names by its slug.
pub(crate) fn of_posts(site: &Site, named: &str) -> Result<(ItemId, Collection), Stop> {
    let (id, collection) = found(site, "collectionSlug", named)?;
    if collection.route_base.is_none() {
        let message = format!(
            "collectionSlug: the entries of `{named}` have no pages, so they are no posts; use the entry tools."
        );
        return Err(Stop::invalid_at("collectionSlug", message));
    }
    Ok((id, collection))
}

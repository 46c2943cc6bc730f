//! Assembles a release: the draft's pages, less what is left out, and the files generated from them.

use std::collections::{BTreeSet, HashMap};

use bytes::Bytes;
use serde_json::json;
use sitewright_store::{BlobId, ReleaseId, ReleaseRoute, ReleaseRoutes, RouteKind};

use crate::PublishError;
use crate::draft::Draft;
use crate::made::{HTML, NOT_FOUND_ADDRESS, made};
use crate::rendering::RenderedPage;

/// A release that could be published.
#[derive(Debug)]
pub(crate) struct ReleaseContents {
    pub(crate) routes: ReleaseRoutes,
    /// The bytes of files that were rendered or generated for it.
    pub(crate) bytes: HashMap<BlobId, Bytes>,
}

/// The files that a route map refers to, each once, sorted.
pub(crate) fn files_of(routes: &ReleaseRoutes) -> Vec<BlobId> {
    let files: BTreeSet<&BlobId> = routes.values().map(|route| &route.file).collect();
    files.into_iter().cloned().collect()
}

/// A rendered page as a route of a release.
pub(crate) fn route_of(page: &RenderedPage, kind: RouteKind, seq: u64) -> ReleaseRoute {
    ReleaseRoute {
        file: page.file.clone(),
        content_type: HTML.to_owned(),
        page: page.page,
        title: page.title.clone(),
        seq,
        kind,
        is_listed: page.is_listed && kind == RouteKind::Page,
        has_scripts: page.has_scripts,
        script_policy: page.has_scripts.then(|| page.script_policy.clone()),
        entries: page.entries.clone(),
    }
}

/// The pages of the draft as routes of a release.
pub(crate) fn draft_routes(draft: &Draft) -> ReleaseRoutes {
    let pages = draft.pages.iter();
    let route = |page: &RenderedPage| route_of(page, RouteKind::Page, draft.seq);
    let mut routes: ReleaseRoutes = pages
        .map(|(address, page)| (address.clone(), route(page)))
        .collect();
    routes.insert(
        NOT_FOUND_ADDRESS.to_owned(),
        route_of(&draft.not_found, RouteKind::NotFound, draft.seq),
    );
    routes
}

/// The release that the draft would create after the current one. An address that is left out keeps its current content, if any.
pub(crate) fn compose(
    draft: &Draft,
    current: &ReleaseRoutes,
    leave_out: &BTreeSet<String>,
    base: Option<&str>,
) -> Result<ReleaseContents, PublishError> {
    let mut routes = draft_routes(draft);
    for address in leave_out {
        let published = current.get(address).filter(|route| is_chosen(route));
        match published {
            Some(published) => drop(routes.insert(address.clone(), published.clone())),
            None if routes.remove(address).is_some() => {}
            None => return Err(PublishError::UnknownAddress(address.clone())),
        }
    }
    refuse_code(draft, &routes)?;
    let rendered = draft.pages.values().chain([&draft.not_found]);
    let mut bytes: HashMap<BlobId, Bytes> = rendered
        .map(|page| (page.file.clone(), page.html.clone()))
        .collect();
    for (address, (route, content)) in made(&routes, base, draft.is_discouraged, draft.seq) {
        bytes.insert(route.file.clone(), content);
        routes.insert(address.to_owned(), route);
    }
    Ok(ReleaseContents { routes, bytes })
}

/// Refuses a release with a page whose code nobody was allowed to write.
fn refuse_code(draft: &Draft, routes: &ReleaseRoutes) -> Result<(), PublishError> {
    let pages = draft
        .pages
        .iter()
        .map(|(address, page)| (address.as_str(), page));
    for (address, page) in pages.chain([(NOT_FOUND_ADDRESS, &draft.not_found)]) {
        let is_published = routes
            .get(address)
            .is_some_and(|route| route.file == page.file);
        if let Some(why) = page.refusal.as_ref().filter(|_| is_published) {
            return Err(PublishError::Code {
                address: address.to_owned(),
                why: why.clone(),
            });
        }
    }
    Ok(())
}

/// Whether the content at an address is authored, as opposed to generated from the rest.
pub(crate) fn is_chosen(route: &ReleaseRoute) -> bool {
    match route.kind {
        RouteKind::Page | RouteKind::NotFound => true,
        RouteKind::Made => false,
    }
}

/// Whether visitors would see no difference.
pub(crate) fn is_same(one: &ReleaseRoutes, other: &ReleaseRoutes) -> bool {
    one.len() == other.len()
        && one
            .iter()
            .zip(other)
            .all(|((address, route), (other_address, other))| {
                address == other_address
                    && is_same_route(route, other)
                    && route.entries == other.entries
            })
}

pub(crate) fn is_same_route(one: &ReleaseRoute, other: &ReleaseRoute) -> bool {
    one.file == other.file
        && one.content_type == other.content_type
        && one.is_listed == other.is_listed
        && one.has_scripts == other.has_scripts
}

/// A digest of the published release and of what the draft would make of it; equal digests mean equal comparisons.
pub(crate) fn version(
    current: Option<&ReleaseId>,
    draft: &ReleaseRoutes,
    base: Option<&str>,
    is_discouraged: bool,
) -> String {
    let files = draft
        .iter()
        .map(|(address, route)| (address, &route.file, route.is_listed));
    sitewright_tool::digest(&json!({
        "current": current, "files": files.collect::<Vec<_>>(), "base": base, "isDiscouraged": is_discouraged,
    }))
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet, HashMap};
    use std::sync::Arc;

    use sitewright_site::SiteSettings;
    use sitewright_store::ReleaseRoutes;

    use super::compose;
    use crate::PublishError;
    use crate::draft::Draft;
    use crate::made::not_found;
    use crate::rendering::RenderedPage;

    /// H3: a page with code that nobody was allowed to write is refused, and the others can be published without it.
    #[test]
    fn h3_a_page_that_is_refused_is_left_out_or_nothing_is_published() {
        let page = |address: &str, refusal: Option<&str>| {
            let page = RenderedPage {
                address: address.to_owned(),
                html: format!("<p>{address}</p>").into(),
                file: sitewright_store::BlobId::of(format!("<p>{address}</p>").as_bytes()),
                refusal: refusal.map(str::to_owned),
                ..not_found(&SiteSettings::default())
            };
            (address.to_owned(), Arc::new(page))
        };
        let draft = Draft {
            seq: 1,
            pages: BTreeMap::from([page("/", None), page("/about", Some("It would run code."))]),
            not_found: Arc::new(not_found(&SiteSettings::default())),
            touched: HashMap::new(),
            is_discouraged: false,
            problems: Vec::new(),
        };
        let current = ReleaseRoutes::new();
        let refused = compose(&draft, &current, &BTreeSet::new(), None).map(drop);
        let Err(PublishError::Code { address, why }) = refused else {
            unreachable!("it was published");
        };
        assert_eq!(
            (address.as_str(), why.as_str()),
            ("/about", "It would run code.")
        );
        let leave_out = BTreeSet::from(["/about".to_owned()]);
        assert!(
            compose(&draft, &current, &leave_out, None)
                .is_ok_and(|made| made.routes.contains_key("/"))
        );
    }
}

//! What publishing would change for visitors, and who made those changes.

use std::collections::{BTreeSet, HashMap};

use schemars::JsonSchema;
use serde::Serialize;
use sitewright_site::{Author, BodyId};
use sitewright_store::{Release, ReleaseRoute, ReleaseRoutes, TouchedBy};
use sitewright_tool::Taint;

use crate::compose::{is_chosen, is_same_route};
use crate::draft::Draft;

/// What publishing would change.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// The release that visitors see.
    pub release: Option<Release>,
    /// The log entry that the draft is at.
    pub seq: u64,
    /// Identifies this comparison: publishing with this version publishes exactly this, or fails.
    pub version: String,
    pub pages: usize,
    /// Addresses that would show something else, in order.
    pub changes: Vec<RouteChange>,
    /// What is not published although the user may expect it to be, in sentences.
    pub problems: Vec<String>,
}

/// An address that would show something else.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RouteChange {
    /// The address, such as `/about`.
    pub address: String,
    /// The title of the page.
    pub title: String,
    /// What would happen to it.
    pub change: RouteChangeKind,
    /// Who made the changes since it was published, the latest first.
    pub authors: Vec<Author>,
    /// Whether something from outside had a part in them.
    pub tainted: bool,
    /// Whether it would bring code that runs for visitors.
    pub has_scripts: bool,
    /// What could not be rendered, and texts that are still placeholders, in sentences.
    pub problems: Vec<String>,
}

/// What would happen to an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum RouteChangeKind {
    /// There would be a page where there was none.
    New,
    /// The page would be another one.
    Changed,
    /// There would be no page any more.
    Removed,
}

/// The addresses where two route maps differ, without authors.
pub(crate) fn differences(from: &ReleaseRoutes, to: &ReleaseRoutes) -> Vec<RouteChange> {
    let chosen = |(_, route): &(&String, &ReleaseRoute)| is_chosen(route);
    let addresses: BTreeSet<&String> = from
        .iter()
        .chain(to)
        .filter(chosen)
        .map(|(address, _)| address)
        .collect();
    let difference = |address: &String| {
        let (was, is) = (from.get(address), to.get(address));
        let change = match (was, is) {
            (None, _) => RouteChangeKind::New,
            (_, None) => RouteChangeKind::Removed,
            (Some(was), Some(is)) if !is_same_route(was, is) => RouteChangeKind::Changed,
            (Some(_), Some(_)) => return None,
        };
        let route = is.or(was)?;
        Some(RouteChange {
            address: address.clone(),
            title: route.title.clone(),
            change,
            authors: Vec::new(),
            tainted: false,
            has_scripts: is.is_some_and(|route| route.has_scripts),
            problems: Vec::new(),
        })
    };
    addresses.into_iter().filter_map(difference).collect()
}

/// The log entry after which changes of an address count: that of its published version, else the beginning of the log.
pub(crate) fn begins(address: &str, current: &ReleaseRoutes) -> u64 {
    current.get(address).map_or(0, |route| route.seq)
}

/// Adds the authors to each difference, from the entries logged since.
pub(crate) fn attribute(
    changes: &mut [RouteChange],
    draft: &Draft,
    current: &ReleaseRoutes,
    logged: &[TouchedBy],
) {
    // Page settings live in the shell, so their changes look like changes of the whole site. The last entry that touched a page's
    // settings identifies the ones that belong to that page.
    let mut settings: HashMap<u64, Vec<BodyId>> = HashMap::new();
    for (page, seq) in &draft.touched {
        settings.entry(*seq).or_default().push(*page);
    }
    for change in changes {
        let since = begins(&change.address, current);
        let page = draft.pages.get(&change.address);
        let published = current.get(&change.address);
        // For a page that was never published only changes of the page itself count; templates and components around it are older.
        let own = published.map_or_else(|| page.and_then(|page| page.page), |route| route.page);
        let own: Vec<BodyId> = own.into_iter().collect();
        let documents = match (page, published) {
            (Some(page), Some(_)) => page.documents.as_slice(),
            _ => &own,
        };
        if let Some(page) = page {
            change.problems.clone_from(&page.problems);
        }
        let entries = page.map_or_else(
            || published.and_then(|route| route.entries.as_ref()),
            |page| page.entries.as_ref(),
        );
        let own_entry = entries.and_then(|entries| entries.entry);
        let newer = || logged.iter().filter(|entry| entry.seq > since);
        let of_settings = |entry: &TouchedBy| settings.get(&entry.seq);
        let is_direct = |entry: &&TouchedBy| {
            let is_own = |body: &BodyId| documents.contains(body);
            own_entry.is_some_and(|id| entry.touched.records.contains(&id))
                || entry.touched.bodies.iter().any(is_own)
                || of_settings(entry).is_some_and(|pages| pages.iter().any(is_own))
        };
        let is_shared = |entry: &&TouchedBy| {
            entry.touched.shell && entry.touched.bodies.is_empty() && of_settings(entry).is_none()
        };
        let mut behind: Vec<&TouchedBy> = newer().filter(is_direct).collect();
        if behind.is_empty() {
            behind = newer().filter(is_shared).collect();
        }
        if behind.is_empty() {
            behind = newer().filter(|entry| entry.touched.shell).collect();
        }
        change.tainted = behind.iter().any(|entry| entry.taint == Taint::Untrusted);
        for entry in behind {
            if !change.authors.contains(&entry.author) {
                change.authors.push(entry.author.clone());
            }
        }
    }
}

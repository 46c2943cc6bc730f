//! Releases of entries: the page of an entry and the pages that list it, while everything else stays as visitors see it.
//!
//! Pages show entries as they were published: the one that is being released as it is now, others without what was edited in them since.
//! Which pages list an entry is known from the routes of the current release, so the work grows with the change and with the pages
//! that show it. A page with other unpublished changes is left as it is: publishing an entry must not publish those, too.

use std::collections::{BTreeSet, HashMap};
use std::time::Duration;

use sitewright_site::{BodyId, RecordId, UsedEntries};
use sitewright_store::{
    LiveSite, ReleaseRoute, ReleaseRoutes, RouteKind, SiteId, Stamp, StoreError, Timestamp,
};

use crate::PublishError;
use crate::compose::{ReleaseContents, is_same, route_of};
use crate::made::{SITEMAP_ADDRESS, is_made, made};
use crate::publisher::{Authorization, Current, PublishResult, Publisher, ReleaseStep, TRIES};
use crate::rendering::{PageKey, RenderedPage, render};

/// How long one node has for a release before another one may try.
const LEASE: Duration = Duration::from_secs(60);
/// How many parts of a list are rendered for a release.
const PARTS_MAX: u32 = 1_000;

/// The result of releasing entries.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct EntryRelease {
    /// The release; none if visitors see no difference.
    pub published: Option<PublishResult>,
    /// Addresses that show the entries and were left as they are, because they have other unpublished changes.
    pub left: Vec<String>,
}

impl Publisher {
    /// Releases the entries of a site that are due. Several nodes may call it; each entry is released by one of them. Before the first
    /// release of the site there is nothing to add to, and entries wait for it.
    pub async fn release_due(
        &self,
        site: &SiteId,
        now: Timestamp,
    ) -> Result<EntryRelease, PublishError> {
        let next = self.store().next_due(site).await?;
        if next.is_none_or(|next| next > now) {
            return Ok(EntryRelease::default());
        }
        let due = self.store().claim_due(site, now, LEASE).await?;
        let Some(last) = due.last() else {
            return Ok(EntryRelease::default());
        };
        let ids: BTreeSet<RecordId> = due.iter().map(|due| due.id).collect();
        let by = Stamp {
            actor: last.actor.clone(),
            at: now,
        };
        let order = Authorization {
            by: &by,
            call: None,
            agreed: None,
        };
        let released = self.release_entries(site, &ids, order).await?;
        self.store().settle_due(site, &due).await?;
        Ok(released)
    }

    /// Publishes an entry as it is now, also one that visitors see and that was edited since.
    pub async fn publish_entry(
        &self,
        site: &SiteId,
        id: RecordId,
        order: Authorization<'_>,
    ) -> Result<EntryRelease, PublishError> {
        self.store().publish_entry(site, id).await?;
        self.release_entries(site, &BTreeSet::from([id]), order)
            .await
    }

    /// Releases entries as they were published: their pages, or that they have none any more, and the pages that show them.
    pub(crate) async fn release_entries(
        &self,
        site: &SiteId,
        ids: &BTreeSet<RecordId>,
        order: Authorization<'_>,
    ) -> Result<EntryRelease, PublishError> {
        let switching = self.switching(site);
        let _switching = switching.lock().await;
        for _ in 0..TRIES {
            let current = self.current(site).await?;
            if current.release.is_none() {
                return Ok(EntryRelease::default());
            }
            let prepared = self.prepare(site, ids, &current).await?;
            if is_same(&current.routes, &prepared.contents.routes) {
                return Ok(EntryRelease {
                    published: None,
                    left: prepared.left,
                });
            }
            let step = ReleaseStep {
                from: &current,
                contents: &prepared.contents,
                seq: prepared.seq,
                note: "",
                order,
            };
            if let Some(published) = self.switch_to(site, step).await? {
                return Ok(EntryRelease {
                    published: Some(published),
                    left: prepared.left,
                });
            }
        }
        Err(PublishError::Busy)
    }

    async fn prepare(
        &self,
        site: &SiteId,
        ids: &BTreeSet<RecordId>,
        current: &Current,
    ) -> Result<PreparedRelease, PublishError> {
        let live = self.store().live_site(site).await?;
        let mut live = live.with_published_entries();
        let used = self.used_of(site, ids).await?;
        let mut release = PreparedRelease {
            contents: ReleaseContents {
                routes: current.routes.clone(),
                bytes: HashMap::new(),
            },
            left: Vec::new(),
            seq: live.seq(),
        };
        let is_gone = |route: &ReleaseRoute| entry_of(route).is_some_and(|id| ids.contains(&id));
        release.contents.routes.retain(|_, route| !is_gone(route));
        let mut keys: BTreeSet<PageKey> = ids.iter().map(|id| PageKey::Entry { id: *id }).collect();
        let mut lists: BTreeSet<BodyId> = BTreeSet::new();
        for route in release
            .contents
            .routes
            .values()
            .filter(|route| shows(route, &used))
        {
            match (entry_of(route), route.page) {
                (Some(id), _) => drop(keys.insert(PageKey::Entry { id })),
                (None, page) => lists.extend(page),
            }
        }
        let keys: Vec<PageKey> = keys.into_iter().collect();
        let rendered;
        (live, rendered) = render(live, &keys, self.target()).await?;
        for (key, page) in rendered {
            let is_meant = key.entry().is_some_and(|id| ids.contains(&id));
            release.add_entry(&page, is_meant, &current.routes)?;
        }
        for id in lists {
            let parts;
            (live, parts) = self.parts(live, id).await?;
            release.add_list(id, &parts, &current.routes)?;
        }
        if let Some(damage) = live.any_damage() {
            return Err(PublishError::Damaged { entry: damage.seq });
        }
        live.tidy();
        release.add_made(self.base());
        Ok(release)
    }

    /// What pages show of entries.
    async fn used_of(
        &self,
        site: &SiteId,
        ids: &BTreeSet<RecordId>,
    ) -> Result<UsedEntries, StoreError> {
        let all: Vec<RecordId> = ids.iter().copied().collect();
        let rows = self.store().entries_with_ids(site, &all).await?;
        let mut used = UsedEntries {
            collections: rows.iter().map(|row| row.record.collection).collect(),
            entries: ids.clone(),
        };
        let there: BTreeSet<RecordId> = rows.iter().map(|row| row.id).collect();
        for id in ids.difference(&there) {
            let gone = self.store().binned_entry(site, *id).await?;
            used.collections
                .extend(gone.map(|gone| gone.record.collection));
        }
        Ok(used)
    }

    /// A page with all parts of its list.
    async fn parts(
        &self,
        mut live: LiveSite,
        id: BodyId,
    ) -> Result<(LiveSite, Vec<RenderedPage>), PublishError> {
        let mut parts = Vec::new();
        for part in 0..PARTS_MAX {
            let rendered;
            (live, rendered) = render(live, &[PageKey::Page { id, part }], self.target()).await?;
            let has_more = rendered.iter().any(|(_, page)| page.has_more);
            parts.extend(rendered.into_iter().map(|(_, page)| page));
            if !has_more {
                break;
            }
        }
        Ok((live, parts))
    }
}

/// A release in the making.
struct PreparedRelease {
    contents: ReleaseContents,
    left: Vec<String>,
    seq: u64,
}

impl PreparedRelease {
    /// Adds the page of an entry: one that is being released, or one that shows others and must have no unpublished changes of its own.
    fn add_entry(
        &mut self,
        page: &RenderedPage,
        is_meant: bool,
        current: &ReleaseRoutes,
    ) -> Result<(), PublishError> {
        let there = self.contents.routes.get(&page.address);
        let is_own = |route: &ReleaseRoute| entry_of(route) == own_entry(page);
        let is_taken = is_made(&page.address) || there.is_some_and(|route| !is_own(route));
        if is_taken || !(is_meant || has_same_frame(page, current)) {
            self.left.push(page.address.clone());
            return Ok(());
        }
        self.add(page)
    }

    /// Adds a page whose list shows the entries, with all its parts.
    fn add_list(
        &mut self,
        id: BodyId,
        parts: &[RenderedPage],
        current: &ReleaseRoutes,
    ) -> Result<(), PublishError> {
        let Some(first) = parts.first() else {
            return Ok(());
        };
        if !has_same_frame(first, current) {
            self.left.push(first.address.clone());
            return Ok(());
        }
        self.contents.routes.retain(|_, route| {
            route.page != Some(id) || route.kind != RouteKind::Page || entry_of(route).is_some()
        });
        for part in parts {
            match self.contents.routes.contains_key(&part.address) {
                true => self.left.push(part.address.clone()),
                false => self.add(part)?,
            }
        }
        Ok(())
    }

    fn add(&mut self, page: &RenderedPage) -> Result<(), PublishError> {
        if let Some(why) = &page.refusal {
            return Err(PublishError::Code {
                address: page.address.clone(),
                why: why.clone(),
            });
        }
        let bytes = (page.file.clone(), page.html.clone());
        self.contents.bytes.extend([bytes]);
        let route = route_of(page, RouteKind::Page, self.seq);
        self.contents.routes.insert(page.address.clone(), route);
        Ok(())
    }

    /// Makes the sitemap again. The rest of what is made depends on settings, whose changes are published with the site.
    fn add_made(&mut self, base: Option<&str>) {
        let routes = &mut self.contents.routes;
        let mut files = made(routes, base, false, self.seq);
        if let Some((route, bytes)) = files.remove(SITEMAP_ADDRESS) {
            self.contents.bytes.insert(route.file.clone(), bytes);
            let before = routes.get(SITEMAP_ADDRESS);
            if before.is_none_or(|before| before.file != route.file) {
                routes.insert(SITEMAP_ADDRESS.to_owned(), route);
            }
        }
    }
}

fn entry_of(route: &ReleaseRoute) -> Option<RecordId> {
    route.entries.as_ref().and_then(|entries| entries.entry)
}

fn own_entry(page: &RenderedPage) -> Option<RecordId> {
    page.entries.as_ref().and_then(|entries| entries.entry)
}

fn shows(route: &ReleaseRoute, used: &UsedEntries) -> bool {
    route.entries.as_ref().is_some_and(|entries| {
        !entries.used.collections.is_disjoint(&used.collections)
            || !entries.used.entries.is_disjoint(&used.entries)
    })
}

/// Whether a page differs from what visitors see only in what it shows of entries.
fn has_same_frame(page: &RenderedPage, current: &ReleaseRoutes) -> bool {
    let published = current.get(&page.address);
    let published = published.and_then(|route| route.entries.as_ref()?.frame.as_deref());
    published.is_some() && published == page.frame()
}

//! The draft of a site, rendered. A rendered page is cached until something it was made of changes.
//!
//! Rendering alternates with editing: a few pages are rendered per turn, then the site is released so that edits can get in. Pages
//! that those edits touch are rendered again. The last pages are rendered while the site is held, so that in the end every page is as
//! of the same log entry.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use sitewright_site::{BodyId, ItemId, RecordId, Site, TemplateTarget, UsedEntries};
use sitewright_store::{ListedEntry, LiveSite, SiteId, Store, StoreError, Timestamp, Touched};

use crate::made::{NOT_FOUND, is_made};
use crate::rendering::{PageKey, RenderedPage, entry_frames, render};
use crate::{PublicSite, PublishError, made};

/// How many pages are rendered before the site is released to waiting edits.
const PAGES_PER_TURN: usize = 32;
/// How many turns beyond those that the pages need before the site is held to the end. Continuous editing would otherwise keep a
/// draft from ever completing.
const PATIENCE: usize = 16;
/// How many parts a page with a long list may have.
const PARTS_MAX: u32 = 1_000;

/// The draft of a site as of one log entry.
#[derive(Debug, Clone)]
pub(crate) struct Draft {
    pub(crate) seq: u64,
    /// The pages by address.
    pub(crate) pages: BTreeMap<String, Arc<RenderedPage>>,
    /// The page shown for unknown addresses.
    pub(crate) not_found: Arc<RenderedPage>,
    /// The last log entry that touched each page's own settings.
    pub(crate) touched: HashMap<BodyId, u64>,
    /// Whether the site asks search engines not to list it.
    pub(crate) is_discouraged: bool,
    /// What is not published although the user may expect it to be, in sentences.
    pub(crate) problems: Vec<String>,
}

/// The rendered drafts of the sites.
#[derive(Debug, Default)]
pub(crate) struct Drafts(Mutex<HashMap<SiteId, Arc<tokio::sync::Mutex<RenderCache>>>>);

/// The rendered pages of one site.
#[derive(Debug, Default)]
struct RenderCache {
    /// The log entry up to which changes have been taken into account.
    seq: u64,
    /// The time up to which schedules of entries have been taken into account.
    at: Option<Timestamp>,
    pages: HashMap<PageKey, Arc<RenderedPage>>,
    /// The entries that have pages, in order of precedence.
    entries: Vec<ListedEntry>,
    /// What the pages of entries have in common, by collection. Absent when it may have changed.
    frames: Option<HashMap<ItemId, String>>,
}

impl Drafts {
    /// The draft of a site as of the current log entry.
    ///
    /// Each turn of the loop locks the site, drops cached pages that edits have invalidated, and renders up to `PAGES_PER_TURN` of the
    /// missing ones. The turn that can render all that are missing is the last: it keeps the lock until the draft is assembled, so all
    /// pages belong to one log entry. Fails if the log cannot be read to its end.
    pub(crate) async fn of(
        &self,
        store: &Store,
        site: &SiteId,
        target: &PublicSite,
    ) -> Result<Arc<Draft>, PublishError> {
        let kept = {
            let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(all.entry(site.clone()).or_default())
        };
        let mut kept = kept.lock().await;
        let mut turns = 0;
        loop {
            let mut live = store.live_site(site).await?;
            kept.forget_changed(store, site, &live).await?;
            kept.compare_frames(&mut live, target).await?;
            let mut missing = kept.missing(live.site());
            let is_last_turn = missing.len() <= PAGES_PER_TURN
                || turns >= missing.len() / PAGES_PER_TURN + PATIENCE;
            if !is_last_turn {
                missing.truncate(PAGES_PER_TURN);
            }
            turns += 1;
            while !missing.is_empty() {
                let rendered;
                (live, rendered) = render(live, &missing, target).await?;
                tracing::debug!(target: "sitewright::publish", rendered = rendered.len());
                let rendered = rendered.into_iter().map(|(id, page)| (id, Arc::new(page)));
                kept.pages.extend(rendered);
                // A list that goes on has another part, which is only known now.
                missing = match is_last_turn {
                    true => kept.further_parts(&missing),
                    false => Vec::new(),
                };
            }
            // The site is still held: releasing it first could let in an edit that invalidates a page, and the loop might never end.
            let draft = is_last_turn.then(|| Arc::new(kept.draft(live.site())));
            // A log that cannot be read to its end yields an older edition, which must not replace the one that visitors see.
            if let Some(damage) = live.any_damage() {
                return Err(PublishError::Damaged { entry: damage.seq });
            }
            live.tidy();
            drop(live);
            if let Some(draft) = draft {
                return Ok(draft);
            }
        }
    }
}

impl RenderCache {
    /// Drops pages that were rendered from something that has changed since, by a change or by the schedule of an entry.
    async fn forget_changed(
        &mut self,
        store: &Store,
        site: &SiteId,
        live: &LiveSite,
    ) -> Result<(), StoreError> {
        let (seq, now) = (live.seq(), Timestamp::now());
        let timed = match self.at {
            Some(before) => store.entries_timed(site, before, now).await?,
            None => Vec::new(),
        };
        if seq == self.seq && timed.is_empty() && self.at.is_some() {
            self.at = Some(now);
            return Ok(());
        }
        let touched = match self.pages.is_empty() {
            true => None,
            false => store.touched_since(site, self.seq).await?,
        };
        match touched {
            Some(mut touched) => {
                touched.records.extend(timed);
                let used = used_of(store, site, &touched).await?;
                self.forget(&touched, used.as_ref(), &templates(live.site()));
            }
            None => {
                self.pages.clear();
                self.frames = None;
            }
        }
        let routable: Vec<ItemId> = routable(live.site());
        self.entries = store.visible_entries(site, &routable, now).await?;
        (self.seq, self.at) = (seq, Some(now));
        Ok(())
    }

    fn forget(
        &mut self,
        touched: &Touched,
        used: Option<&UsedEntries>,
        templates: &BTreeSet<BodyId>,
    ) {
        // The shell and templates can affect any page.
        let is_shared = touched.shell || !touched.bodies.is_disjoint(templates);
        if is_shared || !touched.bodies.is_empty() {
            self.frames = None;
        }
        let shows_changed_entries = |page: &RenderedPage| {
            let Some(entries) = page
                .entries
                .as_ref()
                .filter(|_| !touched.records.is_empty())
            else {
                return false;
            };
            let Some(used) = used else { return true };
            !entries.used.collections.is_disjoint(&used.collections)
                || !entries.used.entries.is_disjoint(&used.entries)
        };
        self.pages.retain(|key, page| {
            let mut documents = page.documents.iter();
            let is_own = match key {
                PageKey::Page { .. } => {
                    is_shared || documents.any(|body| touched.bodies.contains(body))
                }
                // What else is on the page of an entry is compared as a whole: see `compare_frames`.
                PageKey::Entry { id } => touched.records.contains(id),
            };
            !is_own && !shows_changed_entries(page)
        });
    }

    /// Drops the pages of entries whose templates, or anything else around them, look different than when they were rendered.
    async fn compare_frames(
        &mut self,
        live: &mut LiveSite,
        target: &PublicSite,
    ) -> Result<(), PublishError> {
        if self.frames.is_some() {
            return Ok(());
        }
        let collections: Vec<ItemId> = routable(live.site());
        let frames = match self.entries.is_empty() {
            true => HashMap::new(),
            false => entry_frames(live, &collections, target).await?,
        };
        let collections = self.entries.iter();
        let collections: HashMap<RecordId, ItemId> = collections
            .map(|entry| (entry.id, entry.collection))
            .collect();
        self.pages.retain(|key, page| match key {
            PageKey::Page { .. } => true,
            PageKey::Entry { id } => {
                let frame = collections.get(id).and_then(|found| frames.get(found));
                frame.is_some() && frame.map(String::as_str) == page.frame()
            }
        });
        self.frames = Some(frames);
        Ok(())
    }

    /// The pages that still have to be rendered.
    fn missing(&self, site: &Site) -> Vec<PageKey> {
        let pages = public_pages(site).into_iter().chain(not_found_page(site));
        let pages = pages.map(|id| self.first_missing_part(PageKey::page(id)));
        let entries = self
            .entries
            .iter()
            .map(|entry| PageKey::Entry { id: entry.id });
        let entries = entries.filter(|key| !self.pages.contains_key(key));
        pages.flatten().chain(entries).collect()
    }

    /// The parts that follow pages which were just rendered.
    fn further_parts(&self, rendered: &[PageKey]) -> Vec<PageKey> {
        let parts = rendered.iter();
        parts
            .filter_map(|key| self.first_missing_part(*key))
            .collect()
    }

    /// The first part of a page, from this one on, that is not rendered yet.
    fn first_missing_part(&self, key: PageKey) -> Option<PageKey> {
        let PageKey::Page { id, part } = key else {
            return None;
        };
        for part in part..PARTS_MAX {
            let key = PageKey::Page { id, part };
            match self.pages.get(&key) {
                None => return Some(key),
                Some(page) if page.has_more => {}
                Some(_) => return None,
            }
        }
        None
    }

    /// The parts of a page that are rendered, in order.
    fn parts(&self, id: BodyId) -> impl Iterator<Item = &Arc<RenderedPage>> {
        let mut is_over = false;
        (0..PARTS_MAX).map_while(move |part| {
            let page = (!is_over).then(|| self.pages.get(&PageKey::Page { id, part }))??;
            is_over = !page.has_more;
            Some(page)
        })
    }

    fn draft(&self, site: &Site) -> Draft {
        let not_found = not_found_page(site);
        let mut problems = Vec::new();
        let mut pages: BTreeMap<String, Arc<RenderedPage>> = BTreeMap::new();
        let own = public_pages(site);
        let own = own.into_iter().flat_map(|id| self.parts(id));
        let entries = self.entries.iter();
        let entries = entries.filter_map(|entry| self.pages.get(&PageKey::Entry { id: entry.id }));
        for page in own.chain(entries) {
            let address = &page.address;
            if is_made(address) {
                problems.push(format!(
                    "The page “{}” is not published: `{address}` is made by publishing itself. Give it another slug.",
                    page.title
                ));
            } else if let Some(first) = pages.get(address) {
                problems.push(format!(
                    "The page “{}” is not published: “{}” has the same address `{address}`. Give one of them another slug.",
                    page.title, first.title
                ));
            } else {
                pages.insert(address.clone(), Arc::clone(page));
            }
        }
        let own = not_found.and_then(|id| self.pages.get(&PageKey::page(id)).cloned());
        let settings = &site.shell.settings;
        Draft {
            seq: self.seq,
            pages,
            not_found: own.unwrap_or_else(|| Arc::new(made::not_found(settings))),
            touched: touched(site),
            is_discouraged: settings.discourage_search_engines,
            problems,
        }
    }
}

/// The collections whose entries have pages.
fn routable(site: &Site) -> Vec<ItemId> {
    let collections = site.collections();
    let routable = collections.filter(|(_, collection)| collection.route_base.is_some());
    routable.map(|(id, _)| id).collect()
}

/// What pages would show of the entries that were touched; none if that is not known, because one of them no longer exists.
async fn used_of(
    store: &Store,
    site: &SiteId,
    touched: &Touched,
) -> Result<Option<UsedEntries>, StoreError> {
    let ids: Vec<RecordId> = touched.records.iter().copied().collect();
    let rows = store.entries_with_ids(site, &ids).await?;
    Ok((rows.len() == ids.len()).then(|| UsedEntries {
        collections: rows.iter().map(|row| row.record.collection).collect(),
        entries: touched.records.clone(),
    }))
}

/// The pages that visitors can see, in order of precedence.
fn public_pages(site: &Site) -> Vec<BodyId> {
    let not_found = not_found_page(site);
    let is_public = |id: BodyId| {
        let page = site.shell.pages.get(id);
        page.is_some_and(|page| page.template.is_none() && !page.draft && not_found != Some(id))
    };
    let pages = site.shell.pages.iter().map(|(id, _)| id);
    // When two pages share an address, the one in the site's main language gets it.
    let (own, other): (Vec<BodyId>, Vec<BodyId>) =
        pages.filter(|id| is_public(*id)).partition(|id| {
            let page = site.shell.pages.get(*id);
            page.is_some_and(|page| page.locale.is_none())
        });
    own.into_iter().chain(other).collect()
}

/// The page for unknown addresses: the not-found template with the highest priority, else the page with the slug `404`.
fn not_found_page(site: &Site) -> Option<BodyId> {
    let pages = || site.shell.pages.iter().filter(|(_, page)| !page.draft);
    let template = pages()
        .filter_map(|(id, page)| {
            let template = page.template.as_ref()?;
            (template.target == TemplateTarget::NotFound).then_some((template.priority, id))
        })
        .reduce(|best, next| if next.0 > best.0 { next } else { best });
    template.map(|(_, id)| id).or_else(|| {
        let mut own = pages().filter(|(_, page)| {
            page.slug == NOT_FOUND && page.parent_id.is_none() && page.template.is_none()
        });
        own.next().map(|(id, _)| id)
    })
}

fn templates(site: &Site) -> BTreeSet<BodyId> {
    let pages = site.shell.pages.iter();
    let templates = pages.filter(|(_, page)| page.template.is_some());
    templates.map(|(id, _)| id).collect()
}

fn touched(site: &Site) -> HashMap<BodyId, u64> {
    let pages = site.shell.pages.iter();
    pages
        .map(|(id, _)| (id, site.rev(sitewright_site::Entity::Page { id })))
        .collect()
}

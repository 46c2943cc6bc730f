//! The draft of a site, rendered. A rendered page is cached until something it was made of changes.
//!
//! Rendering alternates with editing: a few pages are rendered per turn, then the site is released so that edits can get in. Pages
//! that those edits touch are rendered again. The last pages are rendered while the site is held, so that in the end every page is as
//! of the same log entry.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use sitewright_site::{BodyId, Site, TemplateTarget};
use sitewright_store::{LiveSite, SiteId, Store, StoreError};

use crate::made::{NOT_FOUND, is_made};
use crate::rendering::{RenderedPage, render};
use crate::{PublicSite, PublishError, made};

/// How many pages are rendered before the site is released to waiting edits.
const PAGES_PER_TURN: usize = 32;
/// How many turns beyond those that the pages need before the site is held to the end. Continuous editing would otherwise keep a
/// draft from ever completing.
const PATIENCE: usize = 16;

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
    pages: HashMap<BodyId, Arc<RenderedPage>>,
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
            let mut missing = kept.missing(live.site());
            let is_last_turn = missing.len() <= PAGES_PER_TURN
                || turns >= missing.len() / PAGES_PER_TURN + PATIENCE;
            if !is_last_turn {
                missing.truncate(PAGES_PER_TURN);
            }
            turns += 1;
            if !missing.is_empty() {
                let rendered;
                (live, rendered) = render(live, &missing, target).await?;
                tracing::debug!(target: "sitewright::publish", rendered = rendered.len());
                let rendered = rendered.into_iter().map(|(id, page)| (id, Arc::new(page)));
                kept.pages.extend(rendered);
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
    /// Drops pages that were rendered from something that has changed since.
    async fn forget_changed(
        &mut self,
        store: &Store,
        site: &SiteId,
        live: &LiveSite,
    ) -> Result<(), StoreError> {
        let seq = live.seq();
        if seq == self.seq {
            return Ok(());
        }
        let touched = match self.pages.is_empty() {
            true => None,
            false => store.touched_since(site, self.seq).await?,
        };
        let templates = templates(live.site());
        match touched {
            Some(touched) if !touched.shell && touched.bodies.is_disjoint(&templates) => {
                let is_untouched = |page: &RenderedPage| {
                    let mut documents = page.documents.iter();
                    let shows_changed_entries = page.uses_entries && !touched.records.is_empty();
                    !shows_changed_entries && !documents.any(|body| touched.bodies.contains(body))
                };
                self.pages.retain(|_, page| is_untouched(page));
            }
            // The shell and templates can affect any page.
            Some(_) | None => self.pages.clear(),
        }
        self.seq = seq;
        Ok(())
    }

    /// The pages that still have to be rendered.
    fn missing(&self, site: &Site) -> Vec<BodyId> {
        let mut missing = public_pages(site);
        missing.extend(not_found_page(site));
        missing.retain(|id| !self.pages.contains_key(id));
        missing
    }

    fn draft(&self, site: &Site) -> Draft {
        let not_found = not_found_page(site);
        let mut problems = Vec::new();
        let mut pages: BTreeMap<String, Arc<RenderedPage>> = BTreeMap::new();
        for id in public_pages(site) {
            let Some(page) = self.pages.get(&id) else {
                continue;
            };
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
        let own = not_found.and_then(|id| self.pages.get(&id).cloned());
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

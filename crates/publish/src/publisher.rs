//! Publishing: comparing, writing files, switching releases, rolling back.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::json;
use sitewright_site::{BodyId, RecordId};
use sitewright_store::{
    BlobId, Blobs, NewRelease, PublishedSite, Release, ReleaseId, ReleaseRoutes, SiteId, Stamp,
    Store, StoreError, Switch, Timestamp,
};

use crate::compare::{self, Comparison, RouteChange};
use crate::compose::{ReleaseContents, compose, draft_routes, files_of, is_same, version};
use crate::draft::{Draft, Drafts};
use crate::release_cache::{Places, ReleaseCache, load};
use crate::rendering::{PageKey, RenderedPage, render};
use crate::stored::StoredFile;
use crate::{DamagedAddress, Host, PublishError, ShownRelease};

/// How often publishing is retried because another node switched first. Each retry means that the other node has published.
pub(crate) const TRIES: usize = 16;
/// How many log entries are read to attribute changes to their authors.
const LOGGED_MAX: u32 = 20_000;

/// How many drafts are kept for preview links.
const PREVIEWS_MAX: usize = 32;
/// How many damaged addresses are listed among the problems of a comparison.
const TOLD_MAX: usize = 20;

/// Publishes the sites of an instance. Cheap to clone; all clones share one state.
#[derive(Debug, Clone)]
pub struct Publisher(Arc<Parts>);

#[derive(Debug)]
struct Parts {
    store: Store,
    blobs: Blobs,
    target: PublicSite,
    drafts: Drafts,
    shelf: ReleaseCache,
    /// The last release that was read and is not shown: exporting one asks for its files one by one.
    older: Mutex<Option<Arc<ShownRelease>>>,
    /// Drafts as preview links show them, by the last change that is in them. Anyone with a link may ask as often as they like, and
    /// rendering holds the site.
    previews: Mutex<HashMap<(SiteId, BodyId), (u64, RenderedPage)>>,
    /// Held while a site is published or rolled back, so that calls on this node queue instead of failing with a conflict.
    switching: Mutex<HashMap<SiteId, Arc<tokio::sync::Mutex<()>>>>,
}

/// Where visitors see the sites of an instance.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublicSite {
    /// The public address, when it is known.
    pub base: Option<String>,
    /// What else is served there.
    pub host: Host,
}

/// What is to be published.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PublishOptions {
    /// Addresses that keep their current content.
    pub leave_out: BTreeSet<String>,
    /// The comparison that the caller has seen; publishing fails if it is out of date. Unchecked when absent.
    pub version: Option<String>,
    pub note: String,
}

/// On whose authority something is published.
#[derive(Debug, Clone, Copy)]
pub struct Authorization<'a> {
    pub by: &'a Stamp,
    /// The call that publishes; it switches releases at most once, however often it is retried.
    pub call: Option<&'a str>,
    /// The version that was approved.
    pub agreed: Option<&'a str>,
}

/// The result of publishing.
#[derive(Debug, Clone, PartialEq)]
pub struct PublishResult {
    /// The release that visitors see.
    pub release: Release,
    /// The number of the release that visitors saw before; the same release when nothing changed.
    pub before: Option<u64>,
    /// What is different for visitors.
    pub changes: Vec<RouteChange>,
    /// Addresses whose stored files are damaged and could not be rewritten.
    pub damaged: Vec<DamagedAddress>,
}

/// The result of a rollback, or the forecast of one.
#[derive(Debug, Clone, PartialEq)]
pub struct RolledBack {
    /// The release that visitors saw.
    pub from: Release,
    /// The release that visitors see.
    pub to: Release,
    /// What is different for visitors.
    pub changes: Vec<RouteChange>,
    /// Addresses whose stored files are damaged and could not be rewritten; empty in a forecast, where it is not known yet.
    pub damaged: Vec<DamagedAddress>,
}

/// The published release and its routes; both empty before the first publishing.
pub(crate) struct Current {
    pub(crate) release: Option<Release>,
    pub(crate) routes: ReleaseRoutes,
}

/// A step from one release to the next.
pub(crate) struct ReleaseStep<'a> {
    pub(crate) from: &'a Current,
    pub(crate) contents: &'a ReleaseContents,
    /// The log entry that it is made from.
    pub(crate) seq: u64,
    pub(crate) note: &'a str,
    pub(crate) order: Authorization<'a>,
}

impl Current {
    fn id(&self) -> Option<&ReleaseId> {
        self.release.as_ref().map(|release| &release.id)
    }
}

impl Publisher {
    /// Creates a publisher for sites that visitors see there.
    pub fn new(store: Store, blobs: Blobs, target: PublicSite) -> Self {
        Self(Arc::new(Parts {
            store,
            blobs,
            target,
            drafts: Drafts::default(),
            shelf: ReleaseCache::default(),
            previews: Mutex::default(),
            older: Mutex::default(),
            switching: Mutex::default(),
        }))
    }

    /// The release that visitors of a site see. Reads the database only when the release is not cached.
    pub async fn shown(&self, site: &SiteId) -> Result<Option<Arc<ShownRelease>>, StoreError> {
        match self.0.shelf.get(site) {
            Some(known) => Ok(known),
            None => self.refresh(site).await,
        }
    }

    /// Checks whether any node has published another release, and loads it.
    pub async fn refresh(&self, site: &SiteId) -> Result<Option<Arc<ShownRelease>>, StoreError> {
        let shelf = &self.0.shelf;
        shelf.refresh(self.places(), site, &HashMap::new()).await
    }

    /// The addresses of the shown release whose stored files are damaged. This is what the last read found and does no I/O;
    /// [`Publisher::check`] reads the files.
    pub fn damaged(&self, site: &SiteId) -> Vec<DamagedAddress> {
        let shown = self.0.shelf.get(site).flatten();
        shown.map_or_else(Vec::new, |shown| shown.damaged().to_vec())
    }

    /// A release with all its files, whether or not visitors see it.
    pub async fn release(
        &self,
        site: &SiteId,
        id: &ReleaseId,
    ) -> Result<Arc<ShownRelease>, StoreError> {
        if let Some(shown) = self.shown(site).await?
            && shown.release.id == *id
        {
            return Ok(shown);
        }
        let parts = &self.0;
        let older =
            |kept: &Option<Arc<ShownRelease>>| kept.clone().filter(|kept| kept.release.id == *id);
        if let Some(kept) = older(&parts.older.lock().unwrap_or_else(PoisonError::into_inner)) {
            return Ok(kept);
        }
        let release = parts.store.release(site, id).await?;
        let routes = parts.store.release_routes(site, id).await?;
        let loaded = load(self.places(), site, release, routes, HashMap::new()).await?;
        let loaded = Arc::new(loaded);
        *parts.older.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(&loaded));
        Ok(loaded)
    }

    /// Renders one page of the draft as visitors would see it; `None` when the page does not exist.
    pub async fn preview(
        &self,
        site: &SiteId,
        page: BodyId,
    ) -> Result<Option<RenderedPage>, PublishError> {
        let live = self.0.store.live_site(site).await?;
        let seq = live.seq();
        let key = (site.clone(), page);
        if let Some((rendered_at, shown)) = self.previews().get(&key)
            && *rendered_at == seq
        {
            return Ok(Some(shown.clone()));
        }
        let (live, mut rendered) = render(live, &[PageKey::page(page)], &self.0.target).await?;
        drop(live);
        let rendered = rendered.pop().map(|(_, page)| page);
        if let Some(shown) = &rendered {
            let mut previews = self.previews();
            if previews.len() >= PREVIEWS_MAX {
                previews.clear();
            }
            previews.insert(key, (seq, shown.clone()));
        }
        Ok(rendered)
    }

    fn previews(&self) -> MutexGuard<'_, HashMap<(SiteId, BodyId), (u64, RenderedPage)>> {
        self.0
            .previews
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// What publishing the draft would change for visitors, and who made those changes.
    pub async fn compare(&self, site: &SiteId) -> Result<Comparison, PublishError> {
        let draft = self.draft(site).await?;
        let current = self.current(site).await?;
        let routes = draft_routes(&draft);
        let mut changes = compare::differences(&current.routes, &routes);
        let begins = |change: &RouteChange| compare::begins(&change.address, &current.routes);
        if let Some(since) = changes.iter().map(begins).min() {
            let store = &self.0.store;
            let logged = store.authors_since(site, since, LOGGED_MAX).await?;
            compare::attribute(&mut changes, &draft, &current.routes, &logged);
        }
        Ok(Comparison {
            seq: draft.seq,
            version: self.version(&draft, &current, &routes),
            pages: draft.pages.len(),
            changes,
            problems: self.problems(site, &draft),
            release: current.release,
        })
    }

    /// What the user should know before publishing, in sentences.
    fn problems(&self, site: &SiteId, draft: &Draft) -> Vec<String> {
        let mut damaged: Vec<String> = Vec::new();
        for address in self
            .damaged(site)
            .into_iter()
            .map(|damaged| damaged.address)
        {
            if damaged.last() != Some(&address) {
                damaged.push(address);
            }
        }
        let sentence = |address: &String| {
            format!("The stored file of `{address}` is damaged. Publishing writes it anew.")
        };
        let damaged = damaged.iter().take(TOLD_MAX).map(sentence);
        draft.problems.iter().cloned().chain(damaged).collect()
    }

    /// What publishing with these options would change. Fails where publishing itself would fail.
    pub(crate) async fn foresee(
        &self,
        site: &SiteId,
        options: &PublishOptions,
    ) -> Result<Comparison, PublishError> {
        let mut comparison = self.compare(site).await?;
        agreed(options.version.as_deref(), &comparison.version)?;
        let draft = self.draft(site).await?;
        let current = self.current(site).await?;
        compose(&draft, &current.routes, &options.leave_out, self.base())?;
        comparison
            .changes
            .retain(|change| !options.leave_out.contains(&change.address));
        Ok(comparison)
    }

    /// Makes the draft, less what is left out, visible to visitors. When nothing is different for them, no release is created, but
    /// damaged files of the current release are still rewritten.
    ///
    /// Each attempt renders the draft, writes the files that storage lacks, and then switches the release with a compare-and-swap on
    /// the current one. Files are named by their content and written before the switch, so a failure before it leaves visitors with
    /// the old release and harmless extra files. When another node has switched in between, the attempt starts over against its
    /// release. The database lets `order.call` switch only once; a caller that retries looks for the earlier switch first.
    ///
    /// Without `options.version` and `order.agreed`, edits that others make in the meantime are not a conflict: what was rendered is
    /// published, as of one log entry.
    pub async fn publish(
        &self,
        site: &SiteId,
        options: &PublishOptions,
        order: Authorization<'_>,
    ) -> Result<PublishResult, PublishError> {
        let switching = self.switching(site);
        let _switching = switching.lock().await;
        for _ in 0..TRIES {
            let draft = self.draft(site).await?;
            let current = self.current(site).await?;
            let routes = draft_routes(&draft);
            let version = self.version(&draft, &current, &routes);
            agreed(options.version.as_deref(), &version)?;
            agreed(order.agreed, &version)?;
            let composed = compose(&draft, &current.routes, &options.leave_out, self.base())?;
            let same = current
                .release
                .as_ref()
                .filter(|_| is_same(&current.routes, &composed.routes));
            let left_out = left_out_entries(&routes, &options.leave_out);
            let shown = PublishedSite {
                seq: draft.seq,
                left_out: &left_out,
            };
            if let Some(release) = same {
                let damaged = self.mend_current(site, &composed).await?;
                self.0.store.publish_all_entries(site, shown).await?;
                return Ok(PublishResult {
                    before: Some(release.number),
                    release: release.clone(),
                    changes: Vec::new(),
                    damaged,
                });
            }
            let step = ReleaseStep {
                from: &current,
                contents: &composed,
                seq: draft.seq,
                note: &options.note,
                order,
            };
            if let Some(published) = self.switch_to(site, step).await? {
                self.0.store.publish_all_entries(site, shown).await?;
                return Ok(published);
            }
        }
        Err(PublishError::Busy)
    }

    /// Writes the files that storage lacks and switches visitors to a new release; none if somebody else has switched meanwhile.
    pub(crate) async fn switch_to(
        &self,
        site: &SiteId,
        step: ReleaseStep<'_>,
    ) -> Result<Option<PublishResult>, PublishError> {
        let ReleaseStep {
            from,
            contents,
            seq,
            note,
            order,
        } = step;
        let needed = files_of(&contents.routes);
        // Before the files are read, so that one whose last release is collected in between is noticed at the switch.
        let reused = self.0.store.release_files(site, &needed).await?;
        let reused: Vec<BlobId> = reused.into_iter().map(|row| row.blob).collect();
        let stored = self.stored_files(site, &needed).await?;
        let written = self.write_lacking(site, &needed, stored, &contents.bytes);
        let written = written.await?;
        tracing::debug!(target: "sitewright::publish", stage = "written");
        let new = NewRelease {
            seq,
            note,
            routes: &contents.routes,
            files: &written.rows,
            reused: &reused,
        };
        let switch = Switch {
            from: from.id(),
            call: order.call,
            agreed: order.agreed,
            by: order.by,
        };
        let Some(release) = self.0.store.publish(site, new, switch).await? else {
            return Ok(None);
        };
        tracing::debug!(target: "sitewright::publish", stage = "switched");
        let damaged = self.show(site, &written.files).await;
        Ok(Some(PublishResult {
            before: from.release.as_ref().map(|release| release.number),
            release,
            changes: compare::differences(&from.routes, &contents.routes),
            damaged,
        }))
    }

    /// What rolling back would change, and the digest that an approval refers to. Without a number, the target is the previous release.
    pub(crate) async fn foresee_return(
        &self,
        site: &SiteId,
        to: Option<u64>,
    ) -> Result<(RolledBack, String), PublishError> {
        let store = &self.0.store;
        let Current { release, routes } = self.current(site).await?;
        let from = release.ok_or(PublishError::NothingPublished)?;
        let before = to.map_or(from.number, |number| number.saturating_add(1));
        let found = store.releases(site, Some(before), 1).await?.pop();
        let to = match to {
            Some(number) => found
                .filter(|release| release.number == number)
                .ok_or(PublishError::UnknownRelease(number))?,
            None => found.ok_or(PublishError::NothingEarlier(from.number))?,
        };
        let target = store.release_routes(site, &to.id).await?;
        // An approval may take days, and the release must still be there then.
        store.plan_rollback(site, &to.id, Timestamp::now()).await?;
        let agreed = sitewright_tool::digest(&json!({ "from": from.id, "to": to.id }));
        let changes = compare::differences(&routes, &target);
        let rolled = RolledBack {
            from,
            to,
            changes,
            damaged: Vec::new(),
        };
        Ok((rolled, agreed))
    }

    /// Shows visitors an earlier release again. The draft does not change. Damaged files of the release are rewritten where their
    /// bytes can be recovered.
    pub async fn roll_back(
        &self,
        site: &SiteId,
        to: Option<u64>,
        order: Authorization<'_>,
    ) -> Result<RolledBack, PublishError> {
        let switching = self.switching(site);
        let _switching = switching.lock().await;
        let (rolled, version) = self.foresee_return(site, to).await?;
        agreed(order.agreed, &version)?;
        tracing::debug!(target: "sitewright::publish", stage = "target chosen");
        let files = self.mend_release(site, &rolled.to).await?;
        if rolled.from.id != rolled.to.id {
            let switch = Switch {
                from: Some(&rolled.from.id),
                call: order.call,
                agreed: order.agreed,
                by: order.by,
            };
            if !self.0.store.show_release(site, &rolled.to, switch).await? {
                return Err(PublishError::Changed);
            }
        }
        let damaged = self.show(site, &files).await;
        Ok(RolledBack { damaged, ..rolled })
    }

    pub(crate) fn store(&self) -> &Store {
        &self.0.store
    }

    pub(crate) fn blobs(&self) -> &Blobs {
        &self.0.blobs
    }

    pub(crate) fn places(&self) -> Places<'_> {
        Places {
            store: &self.0.store,
            blobs: &self.0.blobs,
        }
    }

    /// The release that this process has cached for visitors, if any.
    pub(crate) fn in_memory(&self, site: &SiteId) -> Option<Arc<ShownRelease>> {
        self.0.shelf.get(site).flatten()
    }

    pub(crate) fn target(&self) -> &PublicSite {
        &self.0.target
    }

    pub(crate) fn base(&self) -> Option<&str> {
        self.0.target.base.as_deref()
    }

    pub(crate) fn switching(&self, site: &SiteId) -> Arc<tokio::sync::Mutex<()>> {
        let mut all = self
            .0
            .switching
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        Arc::clone(all.entry(site.clone()).or_default())
    }

    pub(crate) async fn draft(&self, site: &SiteId) -> Result<Arc<Draft>, PublishError> {
        let parts = &self.0;
        parts.drafts.of(&parts.store, site, &parts.target).await
    }

    fn version(&self, draft: &Draft, current: &Current, routes: &ReleaseRoutes) -> String {
        version(current.id(), routes, self.base(), draft.is_discouraged)
    }

    pub(crate) async fn current(&self, site: &SiteId) -> Result<Current, StoreError> {
        let store = &self.0.store;
        let Some(id) = store.current_release(site).await? else {
            return Ok(Current {
                release: None,
                routes: ReleaseRoutes::new(),
            });
        };
        Ok(Current {
            release: Some(store.release(site, &id).await?),
            routes: store.release_routes(site, &id).await?,
        })
    }

    /// Loads the release that was just switched to, and returns what is damaged in it. A failure is only logged: the next periodic
    /// refresh loads the release.
    pub(crate) async fn show(
        &self,
        site: &SiteId,
        files: &HashMap<BlobId, StoredFile>,
    ) -> Vec<DamagedAddress> {
        match self.0.shelf.refresh(self.places(), site, files).await {
            Ok(shown) => shown.map_or_else(Vec::new, |shown| shown.damaged().to_vec()),
            Err(error) => {
                let error = &error as &dyn std::error::Error;
                tracing::warn!(error, %site, "what was published could not be loaded; trying again");
                Vec::new()
            }
        }
    }
}

/// The entries whose pages are left out.
fn left_out_entries(draft: &ReleaseRoutes, leave_out: &BTreeSet<String>) -> Vec<RecordId> {
    let routes = leave_out.iter().filter_map(|address| draft.get(address));
    let entries = routes.filter_map(|route| route.entries.as_ref()?.entry);
    entries.collect()
}

fn agreed(seen: Option<&str>, is: &str) -> Result<(), PublishError> {
    match seen {
        Some(seen) if seen != is => Err(PublishError::Changed),
        _ => Ok(()),
    }
}

//! Publishing: comparing, writing files, switching, going back.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::json;
use sitewright_site::BodyId;
use sitewright_store::{
    BlobId, Blobs, NewRelease, Release, ReleaseId, ReleaseRoutes, SiteId, Stamp, Store, StoreError,
    Switch,
};

use crate::compare::{self, Comparison, RouteChange};
use crate::compose::{compose, draft_routes, files_of, is_same, version};
use crate::draft::{Draft, Drafts};
use crate::release_cache::{Places, ReleaseCache, load};
use crate::rendering::{RenderedPage, render};
use crate::stored::StoredFile;
use crate::{DamagedAddress, PublishError, ShownRelease};

/// How often publishing begins anew because another node was faster. Each time that other node has published.
const TRIES: usize = 16;
/// How many documents of changes are looked at to tell who is behind them.
const LOGGED_MAX: u32 = 20_000;

/// How many damaged addresses are told to whoever is about to publish.
const TOLD_MAX: usize = 20;

/// Publishes the sites of an instance. Cheap to clone; all clones are one.
#[derive(Debug, Clone)]
pub struct Publisher(Arc<Parts>);

#[derive(Debug)]
struct Parts {
    store: Store,
    blobs: Blobs,
    base: Option<String>,
    drafts: Drafts,
    shelf: ReleaseCache,
    /// Held while a site is published or goes back, so that calls on this node take turns instead of refusing each other.
    switching: Mutex<HashMap<SiteId, Arc<tokio::sync::Mutex<()>>>>,
}

/// What is to be published.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PublishOptions {
    /// Addresses that keep what they have.
    pub leave_out: BTreeSet<String>,
    /// The comparison that whoever publishes has seen; any when left out.
    pub version: Option<String>,
    /// What to write about it.
    pub note: String,
}

/// On whose word something is published.
#[derive(Debug, Clone, Copy)]
pub struct Authorization<'a> {
    /// Who does it.
    pub by: &'a Stamp,
    /// The call that does it; done once however often it is repeated.
    pub call: Option<&'a str>,
    /// What was agreed to.
    pub agreed: Option<&'a str>,
}

/// What came of publishing.
#[derive(Debug, Clone, PartialEq)]
pub struct PublishResult {
    /// What visitors see.
    pub release: Release,
    /// The number of the release that they saw before; the same one when nothing is different.
    pub before: Option<u64>,
    /// What is different for them.
    pub changes: Vec<RouteChange>,
    /// Addresses whose stored files are damaged and could not be written anew.
    pub damaged: Vec<DamagedAddress>,
}

/// What came, or would come, of going back.
#[derive(Debug, Clone, PartialEq)]
pub struct RolledBack {
    /// What visitors saw.
    pub from: Release,
    /// What they see.
    pub to: Release,
    /// What is different for them.
    pub changes: Vec<RouteChange>,
    /// Addresses whose stored files are damaged and could not be written anew; unknown before it is done.
    pub damaged: Vec<DamagedAddress>,
}

/// What is published now.
struct Current {
    release: Option<Release>,
    routes: ReleaseRoutes,
}

impl Current {
    fn id(&self) -> Option<&ReleaseId> {
        self.release.as_ref().map(|release| &release.id)
    }
}

impl Publisher {
    /// A publisher; `base` is where the sites are for visitors, when that is known.
    pub fn new(store: Store, blobs: Blobs, base: Option<String>) -> Self {
        Self(Arc::new(Parts {
            store,
            blobs,
            base,
            drafts: Drafts::default(),
            shelf: ReleaseCache::default(),
            switching: Mutex::default(),
        }))
    }

    /// What visitors of a site see, without a look at the database when it is known.
    pub async fn shown(&self, site: &SiteId) -> Result<Option<Arc<ShownRelease>>, StoreError> {
        match self.0.shelf.get(site) {
            Some(known) => Ok(known),
            None => self.refresh(site).await,
        }
    }

    /// Looks whether something else was published, on any node, and loads it.
    pub async fn refresh(&self, site: &SiteId) -> Result<Option<Arc<ShownRelease>>, StoreError> {
        let shelf = &self.0.shelf;
        shelf.refresh(self.places(), site, &HashMap::new()).await
    }

    /// The addresses that visitors of a site see, or should, whose stored files are damaged: as of the last time they were read, which
    /// costs nothing here. [`Publisher::check`] reads them.
    pub fn damaged(&self, site: &SiteId) -> Vec<DamagedAddress> {
        let shown = self.0.shelf.get(site).flatten();
        shown.map_or_else(Vec::new, |shown| shown.damaged().to_vec())
    }

    /// A release with all its files, whether visitors see it or not.
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
        let release = parts.store.release(site, id).await?;
        let routes = parts.store.release_routes(site, id).await?;
        let loaded = load(self.places(), site, release, routes, HashMap::new()).await?;
        Ok(Arc::new(loaded))
    }

    /// One page of the draft as visitors would see it; nothing when there is no such page.
    pub async fn preview(
        &self,
        site: &SiteId,
        page: BodyId,
    ) -> Result<Option<RenderedPage>, PublishError> {
        let live = self.0.store.live_site(site).await?;
        let (_, mut rendered) = render(live, &[page], self.base()).await?;
        Ok(rendered.pop().map(|(_, page)| page))
    }

    /// What publishing the draft would change for visitors, and who is behind it.
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

    /// What somebody should know before they publish, in sentences.
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

    /// What publishing a wish would change; refused when it cannot be done.
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

    /// Shows visitors the draft, less what is left out. When nothing is different for them, no release is made; files of the current
    /// one that are damaged in storage are written anew all the same.
    ///
    /// Without a `version` and an agreement, edits that others make meanwhile are no conflict: what was rendered is published, as of
    /// one entry of the log.
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
            let version = self.version(&draft, &current, &draft_routes(&draft));
            agreed(options.version.as_deref(), &version)?;
            agreed(order.agreed, &version)?;
            let composed = compose(&draft, &current.routes, &options.leave_out, self.base())?;
            let same = current
                .release
                .as_ref()
                .filter(|_| is_same(&current.routes, &composed.routes));
            if let Some(release) = same {
                let damaged = self.mend_current(site, &composed).await?;
                return Ok(PublishResult {
                    before: Some(release.number),
                    release: release.clone(),
                    changes: Vec::new(),
                    damaged,
                });
            }
            let needed = files_of(&composed.routes);
            let stored = self.stored_files(site, &needed).await?;
            let written = self.write_lacking(site, &needed, stored, &composed.bytes);
            let written = written.await?;
            tracing::debug!(target: "sitewright::publish", stage = "written");
            let new = NewRelease {
                seq: draft.seq,
                note: &options.note,
                routes: &composed.routes,
                files: &written.rows,
            };
            let switch = Switch {
                from: current.id(),
                call: order.call,
                agreed: order.agreed,
                by: order.by,
            };
            let Some(release) = self.0.store.publish(site, new, switch).await? else {
                continue;
            };
            tracing::debug!(target: "sitewright::publish", stage = "switched");
            let damaged = self.show(site, &written.files).await;
            return Ok(PublishResult {
                before: current.release.map(|release| release.number),
                release,
                changes: compare::differences(&current.routes, &composed.routes),
                damaged,
            });
        }
        Err(PublishError::Busy)
    }

    /// What going back would change: to the release with a number, else to the one before.
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

    /// Shows visitors an earlier release again. The draft stays as it is. Files of the release that are damaged in storage are written
    /// anew where their bytes can be had.
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

    /// What this process has in memory of what visitors see.
    pub(crate) fn in_memory(&self, site: &SiteId) -> Option<Arc<ShownRelease>> {
        self.0.shelf.get(site).flatten()
    }

    pub(crate) fn base(&self) -> Option<&str> {
        self.0.base.as_deref()
    }

    fn switching(&self, site: &SiteId) -> Arc<tokio::sync::Mutex<()>> {
        let mut all = self
            .0
            .switching
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        Arc::clone(all.entry(site.clone()).or_default())
    }

    pub(crate) async fn draft(&self, site: &SiteId) -> Result<Arc<Draft>, PublishError> {
        let parts = &self.0;
        parts.drafts.of(&parts.store, site, self.base()).await
    }

    fn version(&self, draft: &Draft, current: &Current, routes: &ReleaseRoutes) -> String {
        version(current.id(), routes, (self.base(), draft.is_discouraged))
    }

    async fn current(&self, site: &SiteId) -> Result<Current, StoreError> {
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

    /// Shows what was switched to on this node at once, and tells what of it is damaged. Should it fail, the next look does it.
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

fn agreed(seen: Option<&str>, is: &str) -> Result<(), PublishError> {
    match seen {
        Some(seen) if seen != is => Err(PublishError::Changed),
        _ => Ok(()),
    }
}

//! Publishing: comparing, writing files, switching, going back.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use bytes::Bytes;
use futures_util::{StreamExt as _, TryStreamExt as _};
use serde_json::json;
use sitewright_site::BodyId;
use sitewright_store::{
    BlobId, Blobs, By, NewRelease, Release, ReleaseFile, ReleaseId, ReleaseRoutes, SiteId, Store,
    StoreError, Switch,
};

use crate::compare::{self, Comparison, RouteChange};
use crate::compose::{Composed, compose, draft_routes, is_same, version};
use crate::compress::{Packed, pack};
use crate::draft::{Draft, Drafts};
use crate::rendering::{RenderedPage, render};
use crate::shelf::{AT_ONCE, Shelf, load};
use crate::{PublishError, Shown};

/// How often publishing begins anew because another node was faster.
const TRIES: usize = 3;
/// How many files are compressed at once: visitors need the processors, too.
const PACKED_AT_ONCE: usize = 2;
/// How many documents of changes are looked at to tell who is behind them.
const LOGGED_MAX: u32 = 20_000;

/// Publishes the sites of an instance. Cheap to clone; all clones are one.
#[derive(Debug, Clone)]
pub struct Publisher(Arc<Parts>);

#[derive(Debug)]
struct Parts {
    store: Store,
    blobs: Blobs,
    base: Option<String>,
    drafts: Drafts,
    shelf: Shelf,
}

/// What is to be published.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Wish {
    /// Addresses that keep what they have.
    pub leave_out: BTreeSet<String>,
    /// The comparison that whoever publishes has seen; any when left out.
    pub version: Option<String>,
    /// What to write about it.
    pub note: String,
}

/// On whose word something is published.
#[derive(Debug, Clone, Copy)]
pub struct Order<'a> {
    /// Who does it.
    pub by: &'a By,
    /// The call that does it; done once however often it is repeated.
    pub call: Option<&'a str>,
    /// What was agreed to.
    pub agreed: Option<&'a str>,
}

/// What came of publishing.
#[derive(Debug, Clone, PartialEq)]
pub struct Published {
    /// What visitors see.
    pub release: Release,
    /// The number of the release that they saw before; the same one when nothing is different.
    pub before: Option<u64>,
    /// What is different for them.
    pub changes: Vec<RouteChange>,
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
            shelf: Shelf::default(),
        }))
    }

    /// What visitors of a site see, without a look at the database when it is known.
    pub async fn shown(&self, site: &SiteId) -> Result<Option<Arc<Shown>>, StoreError> {
        match self.0.shelf.get(site) {
            Some(known) => Ok(known),
            None => self.refresh(site).await,
        }
    }

    /// Looks whether something else was published, on any node, and loads it.
    pub async fn refresh(&self, site: &SiteId) -> Result<Option<Arc<Shown>>, StoreError> {
        let parts = &self.0;
        let places = (&parts.store, &parts.blobs);
        parts.shelf.refresh(places, site, &HashMap::new()).await
    }

    /// A release with all its files, whether visitors see it or not.
    pub async fn release(&self, site: &SiteId, id: &ReleaseId) -> Result<Arc<Shown>, StoreError> {
        if let Some(shown) = self.shown(site).await?
            && shown.release.id == *id
        {
            return Ok(shown);
        }
        let parts = &self.0;
        let release = parts.store.release(site, id).await?;
        let routes = parts.store.release_routes(site, id).await?;
        let places = (&parts.store, &parts.blobs);
        let loaded = load(places, site, (release, routes), HashMap::new()).await?;
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
            problems: draft.problems.clone(),
            release: current.release,
        })
    }

    /// What publishing a wish would change; refused when it cannot be done.
    pub(crate) async fn foresee(
        &self,
        site: &SiteId,
        wish: &Wish,
    ) -> Result<Comparison, PublishError> {
        let mut comparison = self.compare(site).await?;
        agreed(wish.version.as_deref(), &comparison.version)?;
        let draft = self.draft(site).await?;
        let current = self.current(site).await?;
        compose(&draft, &current.routes, &wish.leave_out, self.base())?;
        comparison
            .changes
            .retain(|change| !wish.leave_out.contains(&change.address));
        Ok(comparison)
    }

    /// Shows visitors the draft, less what is left out. When nothing is different for them, nothing happens.
    pub async fn publish(
        &self,
        site: &SiteId,
        wish: &Wish,
        order: Order<'_>,
    ) -> Result<Published, PublishError> {
        for _ in 0..TRIES {
            let draft = self.draft(site).await?;
            let current = self.current(site).await?;
            let version = self.version(&draft, &current, &draft_routes(&draft));
            agreed(wish.version.as_deref(), &version)?;
            agreed(order.agreed, &version)?;
            let composed = compose(&draft, &current.routes, &wish.leave_out, self.base())?;
            if let Some(release) = &current.release
                && is_same(&current.routes, &composed.routes)
            {
                return Ok(Published {
                    before: Some(release.number),
                    release: release.clone(),
                    changes: Vec::new(),
                });
            }
            let (files, packed) = self.write(site, &composed).await?;
            tracing::debug!(target: "sitewright::publish", stage = "written");
            let new = NewRelease {
                seq: draft.seq,
                note: &wish.note,
                routes: &composed.routes,
                files: &files,
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
            self.show(site, &packed).await;
            return Ok(Published {
                before: current.release.map(|release| release.number),
                release,
                changes: compare::differences(&current.routes, &composed.routes),
            });
        }
        Err(PublishError::Changed)
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
        Ok((RolledBack { from, to, changes }, agreed))
    }

    /// Shows visitors an earlier release again. The draft stays as it is.
    pub async fn roll_back(
        &self,
        site: &SiteId,
        to: Option<u64>,
        order: Order<'_>,
    ) -> Result<RolledBack, PublishError> {
        let (rolled, version) = self.foresee_return(site, to).await?;
        agreed(order.agreed, &version)?;
        if rolled.from.id == rolled.to.id {
            return Ok(rolled);
        }
        let switch = Switch {
            from: Some(&rolled.from.id),
            call: order.call,
            agreed: order.agreed,
            by: order.by,
        };
        if !self.0.store.show_release(site, &rolled.to, switch).await? {
            return Err(PublishError::Changed);
        }
        self.show(site, &HashMap::new()).await;
        Ok(rolled)
    }

    pub(crate) fn store(&self) -> &Store {
        &self.0.store
    }

    fn base(&self) -> Option<&str> {
        self.0.base.as_deref()
    }

    async fn draft(&self, site: &SiteId) -> Result<Arc<Draft>, PublishError> {
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

    /// Compresses and writes the files that no release had before.
    async fn write(
        &self,
        site: &SiteId,
        composed: &Composed,
    ) -> Result<(Vec<ReleaseFile>, HashMap<BlobId, Packed>), PublishError> {
        let Parts { store, blobs, .. } = &*self.0;
        let wanted: BTreeSet<&BlobId> = composed.routes.values().map(|route| &route.file).collect();
        let wanted: Vec<BlobId> = wanted.into_iter().cloned().collect();
        let known = store.release_files(site, &wanted).await?;
        let known: BTreeSet<BlobId> = known.into_iter().map(|file| file.blob).collect();
        let new = wanted.into_iter().filter(|file| !known.contains(file));
        let new = new.filter_map(|file| Some((composed.bytes.get(&file)?.clone(), file)));
        let packing = futures_util::stream::iter(new)
            .map(packed)
            .buffer_unordered(PACKED_AT_ONCE);
        let writing = packing.map_ok(|(file, packed)| write_file(blobs, site, (file, packed)));
        let written: Vec<(ReleaseFile, Packed)> =
            writing.try_buffer_unordered(AT_ONCE).try_collect().await?;
        let packed = written
            .iter()
            .map(|(file, packed)| (file.blob.clone(), packed.clone()));
        let packed = packed.collect();
        Ok((written.into_iter().map(|(file, _)| file).collect(), packed))
    }

    /// Shows what was switched to on this node at once. Should it fail, the next look does it.
    async fn show(&self, site: &SiteId, packed: &HashMap<BlobId, Packed>) {
        let parts = &self.0;
        let places = (&parts.store, &parts.blobs);
        if let Err(error) = parts.shelf.refresh(places, site, packed).await {
            let error = &error as &dyn std::error::Error;
            tracing::warn!(error, %site, "what was published could not be loaded; trying again");
        }
    }
}

fn agreed(seen: Option<&str>, is: &str) -> Result<(), PublishError> {
    match seen {
        Some(seen) if seen != is => Err(PublishError::Changed),
        _ => Ok(()),
    }
}

async fn packed((bytes, file): (Bytes, BlobId)) -> Result<(BlobId, Packed), PublishError> {
    let packed = tokio::task::spawn_blocking(move || pack(bytes))
        .await
        .map_err(|_panicked| PublishError::BrokeDown)?;
    Ok((file, packed))
}

async fn write_file(
    blobs: &Blobs,
    site: &SiteId,
    (file, packed): (BlobId, Packed),
) -> Result<(ReleaseFile, Packed), PublishError> {
    let put = async |bytes: Option<&Bytes>| match bytes {
        Some(bytes) => blobs.put(site, bytes.clone()).await.map(Some),
        None => Ok(None),
    };
    let (plain, brotli, gzip) = tokio::try_join!(
        blobs.put(site, packed.plain.clone()),
        put(packed.brotli.as_ref()),
        put(packed.gzip.as_ref()),
    )?;
    debug_assert_eq!(plain, file, "a file is named by its bytes");
    let file = ReleaseFile {
        blob: file,
        bytes: packed.plain.len() as u64,
        brotli,
        gzip,
    };
    Ok((file, packed))
}

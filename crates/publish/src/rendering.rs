//! Renders pages of the draft as visitors would see them, on the blocking thread pool.

use std::collections::HashMap;

use bytes::Bytes;
use http::HeaderValue;
use serde_json::{Value, json};
use sitewright_site::{
    BodyId, EntryRow, Facts, ItemId, Need, Outcome, Purpose, RecordId, Rendered, Site, part_address,
};
use sitewright_store::{BlobId, LiveSite, RouteEntries, StoreError, Timestamp};

use crate::page_code::PageCode;
use crate::page_policy::{Host, draft_policy};
use crate::{PublicSite, PublishError, placeholders};

/// How many rounds of missing data a page may request before rendering gives up.
const ROUNDS_MAX: usize = 64;

/// Something that has an address of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum PageKey {
    /// A page, or a further part of one whose list is long.
    Page { id: BodyId, part: u32 },
    /// The page of an entry.
    Entry { id: RecordId },
}

impl PageKey {
    /// A page's first part.
    pub(crate) fn page(id: BodyId) -> Self {
        Self::Page { id, part: 0 }
    }

    /// The entry whose page it is.
    pub(crate) fn entry(self) -> Option<RecordId> {
        match self {
            Self::Entry { id } => Some(id),
            Self::Page { .. } => None,
        }
    }
}

/// A page as visitors would see it.
#[derive(Debug, Clone, PartialEq)]
pub struct RenderedPage {
    /// Its address, such as `/about`.
    pub address: String,
    pub title: String,
    /// The complete HTML document.
    pub html: Bytes,
    /// Whether the page contains code that runs for visitors.
    pub has_scripts: bool,
    /// Why the page is not published: it holds code that nobody with permission put there.
    pub refusal: Option<String>,
    /// Whether search engines should list it.
    pub is_listed: bool,
    /// What could not be rendered, and placeholder texts that are still unreplaced, in sentences.
    pub problems: Vec<String>,
    pub(crate) page: Option<BodyId>,
    pub(crate) file: BlobId,
    /// The part of its content security policy that says which scripts may run.
    pub(crate) script_policy: String,
    /// The page, the templates around it and the components in it.
    pub(crate) documents: Vec<BodyId>,
    /// What entries of collections have to do with it.
    pub(crate) entries: Option<Box<RouteEntries>>,
    /// Whether its list goes on in another part.
    pub(crate) has_more: bool,
}

impl RenderedPage {
    /// The content security policy under which the draft may be shown to someone on a host.
    pub fn draft_policy(&self, host: Host) -> HeaderValue {
        draft_policy(&self.script_policy, host)
    }

    /// The digest of what does not come from entries.
    pub(crate) fn frame(&self) -> Option<&str> {
        self.entries.as_ref()?.frame.as_deref()
    }
}

/// Renders pages and returns the site with them. Pages that no longer exist are left out, and so are entries that visitors do not see.
///
/// The renderer is synchronous and cannot load anything, so it runs in rounds: each round tries every page that is left and collects
/// what those pages need (bodies, rows, addresses), which is then loaded before the next round. The site moves into the blocking
/// task and back, so no edit gets in between rounds. After `ROUNDS_MAX` rounds rendering fails with `Endless`, because a
/// page that keeps asking for more would never finish.
pub(crate) async fn render(
    mut live: LiveSite,
    pages: &[PageKey],
    target: &PublicSite,
) -> Result<(LiveSite, Vec<(PageKey, RenderedPage)>), PublishError> {
    let mut press = Press::new(&mut live, pages, target).await?;
    let mut left = pages.to_vec();
    let mut rendered = Vec::with_capacity(pages.len());
    for _ in 0..ROUNDS_MAX {
        let work = move || {
            let round = press.round(live.site(), left);
            (live, press, round)
        };
        let (live_back, press_back, round) = tokio::task::spawn_blocking(work)
            .await
            .map_err(|_panicked| PublishError::BrokeDown)?;
        (live, press) = (live_back, press_back);
        rendered.extend(round.done);
        left = round.left;
        if left.is_empty() {
            return Ok((live, rendered));
        }
        for need in round.needs {
            satisfy(&mut live, &mut press.facts, need).await?;
        }
    }
    let stuck = left.first().map(|key| press.address(live.site(), *key));
    Err(PublishError::Endless(stuck.flatten().unwrap_or_default()))
}

/// The digests of the pages of entries of these collections, as far as they do not depend on an entry. While a digest stays the same,
/// rendered pages of entries stay right, whatever else has changed in the site.
pub(crate) async fn entry_frames(
    live: &mut LiveSite,
    collections: &[ItemId],
    target: &PublicSite,
) -> Result<HashMap<ItemId, String>, PublishError> {
    let mut press = Press::new(live, &[], target).await?;
    let mut frames = HashMap::new();
    for collection in collections {
        press.show_blank_entry(live.site(), *collection);
        for _ in 0..ROUNDS_MAX {
            match press.frame_of(live.site(), None) {
                Ok(frame) => {
                    frames.extend(frame.map(|frame| (*collection, frame)));
                    break;
                }
                Err(needs) => {
                    for need in needs {
                        satisfy(live, &mut press.facts, need).await?;
                    }
                }
            }
        }
    }
    Ok(frames)
}

/// What rendering some pages takes.
struct Press {
    facts: Facts,
    host: Host,
    /// The entries whose pages are rendered.
    rows: HashMap<RecordId, EntryRow>,
    /// The frames of the pages of entries, by collection.
    frames: HashMap<ItemId, Option<String>>,
    now: Timestamp,
}

/// The result of one attempt to render some pages.
struct Round {
    done: Vec<(PageKey, RenderedPage)>,
    /// Pages that need something that is not loaded yet.
    left: Vec<PageKey>,
    needs: Vec<Need>,
}

impl Press {
    async fn new(
        live: &mut LiveSite,
        pages: &[PageKey],
        target: &PublicSite,
    ) -> Result<Self, StoreError> {
        let own = pages.iter().filter_map(|key| match key {
            PageKey::Page { id, .. } => Some(*id),
            PageKey::Entry { .. } => None,
        });
        let own: Vec<BodyId> = own.chain(templates(live.site())).collect();
        for page in own {
            live.open(page).await?;
        }
        let entries: Vec<RecordId> = pages.iter().filter_map(|key| key.entry()).collect();
        let rows = live.entries_with_ids(&entries).await?;
        Ok(Self {
            facts: Facts {
                base: target.base.clone(),
                ..Facts::default()
            },
            host: target.host,
            rows: rows.into_iter().map(|row| (row.id, row)).collect(),
            frames: HashMap::new(),
            now: Timestamp::now(),
        })
    }

    fn round(&mut self, site: &Site, pages: Vec<PageKey>) -> Round {
        let mut round = Round {
            done: Vec::with_capacity(pages.len()),
            left: Vec::new(),
            needs: Vec::new(),
        };
        for key in pages {
            let Some(address) = self.turn_to(site, key) else {
                continue;
            };
            match self.render(site, key, Purpose::Publish) {
                Some(Outcome::Done(rendered)) => {
                    let rendered = self.finished(site, key, (address, rendered));
                    round.done.push((key, rendered));
                }
                Some(Outcome::Needs(needs)) => {
                    round.left.push(key);
                    round.needs.extend(needs);
                }
                None => {}
            }
        }
        round
    }

    /// The address of a page; none if visitors do not see it.
    fn address(&self, site: &Site, key: PageKey) -> Option<String> {
        match key {
            PageKey::Page { id, part } => {
                site.shell.pages.get(id)?;
                Some(part_address(&site.permalink(id), part))
            }
            PageKey::Entry { id } => {
                let row = self.rows.get(&id)?;
                site.entry_address(row, self.now.millis())
            }
        }
    }

    /// Makes the facts those of a page, and returns its address.
    fn turn_to(&mut self, site: &Site, key: PageKey) -> Option<String> {
        let address = self.address(site, key)?;
        let facts = &mut self.facts;
        let slug = match key {
            PageKey::Page { id, part } => {
                (facts.part, facts.entry, facts.collection) = (part, None, None);
                &site.shell.pages.get(id)?.slug
            }
            PageKey::Entry { id } => {
                let row = self.rows.get(&id)?;
                let collection = site.collection(row.record.collection)?;
                facts.part = 0;
                facts.entry = Some(site.entry_row(row));
                facts.collection = Some(collection.slug.clone());
                &row.record.slug
            }
        };
        facts.route = route(&address, slug);
        Some(address)
    }

    fn show_blank_entry(&mut self, site: &Site, collection: ItemId) {
        let slug = site.collection(collection).map(|found| found.slug.clone());
        self.facts.entry = Some(json!({}));
        self.facts.collection = slug;
        self.facts.route = route("", "");
        self.facts.part = 0;
    }

    fn render(&self, site: &Site, key: PageKey, purpose: Purpose) -> Option<Outcome<Rendered>> {
        match key {
            PageKey::Page { id, .. } => site.render(id, purpose, &self.facts),
            PageKey::Entry { .. } => site.render_entry(purpose, &self.facts),
        }
    }

    /// The digest of what the current page, or the blank page of an entry, is without entries. The canvas's form is used because
    /// publishing leaves out styles that the blank page has no use for, and code is added because the canvas has none.
    fn frame_of(&mut self, site: &Site, page: Option<BodyId>) -> Result<Option<String>, Vec<Need>> {
        self.facts.has_blank_entries = true;
        let rendered = match page {
            Some(id) => site.render(id, Purpose::Canvas, &self.facts),
            None => site.render_entry(Purpose::Canvas, &self.facts),
        };
        self.facts.has_blank_entries = false;
        match rendered {
            Some(Outcome::Needs(needs)) => Err(needs),
            Some(Outcome::Done(blank)) => {
                let code = site.code_page(&blank.documents);
                let listed = !site.shell.settings.discourage_search_engines;
                let all = json!([blank.html, code, self.facts.base, listed]);
                Ok(Some(sitewright_tool::digest(&all)))
            }
            None => Ok(None),
        }
    }

    /// What entries have to do with a page; none if nothing.
    fn entries_of(
        &mut self,
        site: &Site,
        key: PageKey,
        rendered: &Rendered,
    ) -> Option<Box<RouteEntries>> {
        let used = rendered.used.clone();
        let (entry, part, frame) = match key {
            PageKey::Page { id, part } => {
                let is_apart = used.collections.is_empty() && used.entries.is_empty();
                if is_apart {
                    return None;
                }
                // Everything the page needs was loaded to render it; what still lacks something has no frame.
                (None, part, self.frame_of(site, Some(id)).ok().flatten())
            }
            PageKey::Entry { id } => {
                let collection = self.rows.get(&id)?.record.collection;
                let frame = match self.frames.get(&collection) {
                    Some(known) => known.clone(),
                    None => {
                        self.show_blank_entry(site, collection);
                        let frame = self.frame_of(site, None).ok().flatten();
                        self.frames.insert(collection, frame.clone());
                        frame
                    }
                };
                (Some(id), 0, frame)
            }
        };
        Some(Box::new(RouteEntries {
            entry,
            part,
            frame,
            used,
        }))
    }

    fn finished(
        &mut self,
        site: &Site,
        key: PageKey,
        (address, rendered): (String, Rendered),
    ) -> RenderedPage {
        let entries = self.entries_of(site, key, &rendered);
        let Rendered {
            html,
            documents,
            mut problems,
            used: _,
            has_more,
        } = rendered;
        problems.extend(placeholders::told(&html));
        let code = PageCode::of(&html, &site.code_page(&documents));
        problems.extend(code.refusal.clone());
        if self.host == Host::Shared {
            problems.extend(kept_here(&code));
        }
        let is_discouraged = site.shell.settings.discourage_search_engines;
        let (page, title, is_listed) = match key {
            PageKey::Page { id, part } => {
                let page = site.shell.pages.get(id);
                let is_own = |page: &sitewright_site::Page| {
                    let own_address = page.settings.canonical.as_ref();
                    !page.settings.no_index && own_address.is_none_or(|own| *own == address)
                };
                let title = page.map(|page| page.title.clone());
                (Some(id), title, part == 0 && page.is_some_and(is_own))
            }
            PageKey::Entry { id } => {
                let title = self.rows.get(&id).map(|row| row.record.title.clone());
                (
                    None,
                    title,
                    !html.contains("<meta name=\"robots\" content=\"noindex\">"),
                )
            }
        };
        RenderedPage {
            page,
            title: title.unwrap_or_default(),
            has_scripts: code.has_scripts,
            refusal: code.refusal,
            script_policy: code.policy,
            is_listed: is_listed && !is_discouraged,
            problems,
            file: BlobId::of(html.as_bytes()),
            html: Bytes::from(html),
            documents,
            entries,
            has_more,
            address,
        }
    }
}

/// The parts of an address, for bindings.
fn route(address: &str, slug: &str) -> Value {
    let segments: Vec<&str> = address.split('/').filter(|part| !part.is_empty()).collect();
    json!({ "path": address, "slug": slug, "segments": segments, "query": {} })
}

/// What does not work on a host that the administration is on, too.
fn kept_here(code: &PageCode) -> Vec<String> {
    let mut told = Vec::new();
    if let Some(address) = code.frames_elsewhere.first() {
        told.push(format!(
            "The frame with `{address}` stays empty: the administration is on the same host. Set `admin_url` to give it a host of its own."
        ));
    }
    if let Some(address) = code.forms_elsewhere.first() {
        told.push(format!(
            "The form that goes to `{address}` cannot be sent: the administration is on the same host. Set `admin_url` to give it a host of its own."
        ));
    }
    told
}

/// All templates: the renderer picks the one that wraps a page by comparing them, so each must be loaded.
fn templates(site: &Site) -> Vec<BodyId> {
    let pages = site.shell.pages.iter();
    let templates = pages.filter(|(_, page)| page.template.is_some());
    templates.map(|(id, _)| id).collect()
}

/// Loads what a page needs.
async fn satisfy(live: &mut LiveSite, facts: &mut Facts, need: Need) -> Result<(), StoreError> {
    match need {
        Need::Body(body) => {
            live.open(body).await?;
        }
        Need::Rows { key, query } => {
            let rows = live.rows(&query, Timestamp::now()).await?;
            facts.rows.insert(key, rows);
        }
        Need::Address(reference) => {
            let address = live.address(&reference, Timestamp::now()).await?;
            facts.addresses.insert(reference, address);
        }
        // Only tools need these.
        Need::Owner(_)
        | Need::Frame(_)
        | Need::FontFamily(_)
        | Need::Record(_)
        | Need::Entries(_) => {}
    }
    Ok(())
}

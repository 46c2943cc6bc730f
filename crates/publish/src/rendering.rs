//! Renders pages of the draft as visitors would see them, on the blocking thread pool.

use bytes::Bytes;
use http::HeaderValue;
use serde_json::json;
use sitewright_site::{BodyId, Facts, Need, Outcome, Page, Purpose, Rendered, Site};
use sitewright_store::{BlobId, LiveSite, StoreError, Timestamp};

use crate::page_code::PageCode;
use crate::page_policy::{Host, draft_policy};
use crate::{PublicSite, PublishError, placeholders};

/// How many rounds of missing data a page may request before rendering gives up.
const ROUNDS_MAX: usize = 64;

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
    /// Whether entries of collections had a part in it.
    pub(crate) uses_entries: bool,
}

impl RenderedPage {
    /// The content security policy under which the draft may be shown to someone on a host.
    pub fn draft_policy(&self, host: Host) -> HeaderValue {
        draft_policy(&self.script_policy, host)
    }
}

/// Renders pages and returns the site with them. Pages that no longer exist are left out.
///
/// The renderer is synchronous and cannot load anything, so it runs in rounds: each round tries every page that is left and collects
/// what those pages need (bodies, rows, addresses), which is then loaded before the next round. The site moves into the blocking
/// task and back, so no edit gets in between rounds. After `ROUNDS_MAX` rounds rendering fails with `Endless`, because a
/// page that keeps asking for more would never finish.
pub(crate) async fn render(
    mut live: LiveSite,
    pages: &[BodyId],
    target: &PublicSite,
) -> Result<(LiveSite, Vec<(BodyId, RenderedPage)>), PublishError> {
    let host = target.host;
    let mut facts = Facts {
        base: target.base.clone(),
        ..Facts::default()
    };
    for page in pages.iter().copied().chain(templates(live.site())) {
        live.open(page).await?;
    }
    let mut left = pages.to_vec();
    let mut rendered = Vec::with_capacity(pages.len());
    for _ in 0..ROUNDS_MAX {
        let work = move || {
            let round = round(live.site(), left, &mut facts, host);
            (live, facts, round)
        };
        let (live_back, facts_back, round) = tokio::task::spawn_blocking(work)
            .await
            .map_err(|_panicked| PublishError::BrokeDown)?;
        (live, facts) = (live_back, facts_back);
        rendered.extend(round.done);
        left = round.left;
        if left.is_empty() {
            return Ok((live, rendered));
        }
        for need in round.needs {
            satisfy(&mut live, &mut facts, need).await?;
        }
    }
    let stuck = left.first().map(|page| live.site().permalink(*page));
    Err(PublishError::Endless(stuck.unwrap_or_default()))
}

/// The result of one attempt to render some pages.
struct Round {
    done: Vec<(BodyId, RenderedPage)>,
    /// Pages that need something that is not loaded yet.
    left: Vec<BodyId>,
    needs: Vec<Need>,
}

fn round(site: &Site, pages: Vec<BodyId>, facts: &mut Facts, host: Host) -> Round {
    let mut round = Round {
        done: Vec::with_capacity(pages.len()),
        left: Vec::new(),
        needs: Vec::new(),
    };
    for id in pages {
        let Some(page) = site.shell.pages.get(id) else {
            continue;
        };
        let address = site.permalink(id);
        let segments: Vec<&str> = address.split('/').filter(|part| !part.is_empty()).collect();
        facts.route =
            json!({ "path": address, "slug": page.slug, "segments": segments, "query": {} });
        match site.render(id, Purpose::Publish, facts) {
            Some(Outcome::Done(rendered)) => {
                let rendered = finished(site, (id, page), (address, rendered), host);
                round.done.push((id, rendered));
            }
            Some(Outcome::Needs(needs)) => {
                round.left.push(id);
                round.needs.extend(needs);
            }
            None => {}
        }
    }
    round
}

fn finished(
    site: &Site,
    (id, page): (BodyId, &Page),
    (address, rendered): (String, Rendered),
    host: Host,
) -> RenderedPage {
    let Rendered {
        html,
        documents,
        mut problems,
        uses_entries,
    } = rendered;
    problems.extend(placeholders::told(&html));
    let settings = &site.shell.settings;
    let code = PageCode::of(&html, &site.code_page(&documents));
    problems.extend(code.refusal.clone());
    if host == Host::Shared {
        problems.extend(kept_here(&code));
    }
    let own_address = page.settings.canonical.as_ref();
    let is_own = own_address.is_none_or(|own| *own == address);
    RenderedPage {
        page: Some(id),
        title: page.title.clone(),
        has_scripts: code.has_scripts,
        refusal: code.refusal,
        script_policy: code.policy,
        is_listed: !page.settings.no_index && !settings.discourage_search_engines && is_own,
        problems,
        file: BlobId::of(html.as_bytes()),
        html: Bytes::from(html),
        documents,
        uses_entries,
        address,
    }
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

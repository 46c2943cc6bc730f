//! Runs site tools without a browser: the same functions that a tab runs, on the server's replica of the site.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use sitewright_site::{
    BodyId, Facts, FontQuery, FontReport, FrameReport, Need, Outcome, SiteTool, ToolRun, View,
};
use sitewright_store::{LiveSite, Store, StoreError, Timestamp};
use sitewright_tool::{ErrorCode, ToolError};

use crate::Fonts;
use crate::call::{ResolvedCall, failed};

/// How many times a tool may ask for more data before it is stopped.
const ROUNDS_MAX: usize = 64;

/// With at most this many nodes, pages, items and rules in memory, and with short arguments, a tool finishes within a millisecond and
/// runs on the calling thread: waking another one would take longer than most reads.
const SMALL_SITE: usize = 2_000;

/// Runs a site tool and returns the ops it planned, uncommitted, with the site locked until the returned guard is dropped.
///
/// A tool is pure, so it cannot load anything: it returns the data it needs, and is run again from the start with more facts
/// until it needs nothing. Fonts are downloaded with the site unlocked, because others would wait for the network; the tool then
/// runs on the site as it is afterwards. A panic in a tool becomes an internal error.
pub(crate) async fn run(
    store: &Store,
    fonts: &dyn Fonts,
    tool: &Arc<SiteTool>,
    resolved: &ResolvedCall,
) -> Result<(LiveSite, ToolRun), ToolError> {
    let hold = async || {
        let live = store.live_site(&resolved.call.site).await;
        live.map_err(|error| failed(&error))
    };
    let mut live = hold().await?;
    let mut facts = Facts::default();
    let mut view = resolved
        .call
        .editor
        .as_ref()
        .map_or_else(View::default, |editor| editor.view());
    let is_there = |body: &BodyId| {
        let shell = &live.site().shell;
        shell.pages.get(*body).is_some() || shell.components.get(*body).is_some()
    };
    view.current = view.current.filter(is_there);
    if view.current.is_none() {
        view.current = live.site().home_page();
    }
    for _ in 0..ROUNDS_MAX {
        let (outcome, back) = {
            let (tool, view) = (Arc::clone(tool), view.clone());
            let change = resolved.change_id();
            let (input, known) = (resolved.call.arguments.clone(), facts.clone());
            let is_quick = resolved.is_short() && live.site().is_within(SMALL_SITE);
            let work = move || {
                let outcome = tool.run(input, live.site_mut(), &view, (&known, change));
                (outcome, live)
            };
            let ended = if is_quick {
                catch_unwind(AssertUnwindSafe(work)).ok()
            } else {
                // Importing a large document takes long enough to block other tasks of this thread.
                tokio::task::spawn_blocking(work).await.ok()
            };
            ended.ok_or_else(|| {
                ToolError::new(ErrorCode::Internal, "The tool failed unexpectedly.")
            })?
        };
        live = back;
        match outcome? {
            Outcome::Done(run) => return Ok((live, run)),
            Outcome::Needs(needs) => {
                let (wishes, needs) = fonts_apart(needs);
                if !wishes.is_empty() {
                    // Unlocks the site, so that no one waits for it during the download.
                    drop(live);
                    facts.fonts.extend(got(fonts, resolved, wishes).await);
                    live = hold().await?;
                }
                for need in needs {
                    satisfy(&mut live, &mut facts, need)
                        .await
                        .map_err(|error| failed(&error))?;
                }
            }
        }
    }
    Err(ToolError::new(
        ErrorCode::Internal,
        "The tool asked for more and more and was stopped.",
    ))
}

/// Separates requests for fonts from needs that the store can satisfy.
fn fonts_apart(needs: Vec<Need>) -> (Vec<FontQuery>, Vec<Need>) {
    let (mut wishes, mut others) = (Vec::new(), Vec::new());
    for need in needs {
        match need {
            Need::FontFamily(wish) => wishes.push(wish),
            other => others.push(other),
        }
    }
    (wishes, others)
}

async fn got(
    fonts: &dyn Fonts,
    resolved: &ResolvedCall,
    wishes: Vec<FontQuery>,
) -> Vec<(FontQuery, FontReport)> {
    let (site, by) = (&resolved.call.site, &resolved.call.by.by);
    let mut reports = Vec::with_capacity(wishes.len());
    for wish in wishes {
        let report = fonts.install(site, &wish, by).await;
        reports.push((wish, report));
    }
    reports
}

/// Loads what a tool needs.
async fn satisfy(live: &mut LiveSite, facts: &mut Facts, need: Need) -> Result<(), StoreError> {
    match need {
        Need::Body(body) => {
            live.open(body).await?;
        }
        Need::Owner(node) => {
            if live.open_owner(node).await?.is_none() {
                facts.unknown_nodes.insert(node);
            }
        }
        Need::Rows { key, query } => {
            let rows = live.rows(&query, Timestamp::now()).await?;
            facts.rows.insert(key, rows);
        }
        Need::Address(reference) => {
            let address = live.address(&reference, Timestamp::now()).await?;
            facts.addresses.insert(reference, address);
        }
        Need::Frame(query) => {
            let reason = "No browser is connected; open the page in the editor to look at it";
            facts.frames.insert(
                query,
                FrameReport::Impossible {
                    reason: reason.to_owned(),
                },
            );
        }
        Need::Record(id) => {
            if !live.open_record(id).await? {
                facts.unknown_records.insert(id);
            }
        }
        Need::Entries(query) => {
            let list = live.entries(&query).await?;
            facts.entries.insert(*query, list);
        }
        // Installed by `run` while the site is unlocked.
        Need::FontFamily(_) => {}
    }
    Ok(())
}

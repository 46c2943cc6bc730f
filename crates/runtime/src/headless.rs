//! Site tools without a browser: the same functions that a tab runs, on the server's copy of the site.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use sitewright_site::{
    BodyId, Facts, FontQuery, FontReport, FrameReport, Need, Outcome, SiteTool, ToolRun, View,
};
use sitewright_store::{LiveSite, Store, StoreError};
use sitewright_tool::{ErrorCode, ToolError};

use crate::Fonts;
use crate::call::{ResolvedCall, failed};

/// How often a tool may ask for more before it is stopped.
const ROUNDS_MAX: usize = 64;

/// With at most so much in memory, and short arguments, a tool is done within a millisecond, and runs where it is called: waking
/// another thread up would take longer than most reads.
const SMALL_SITE: usize = 2_000;

/// Runs a tool of the site until it lacks nothing. What it planned is not committed; the site is held until the answer is dropped.
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
                // Imports of large documents take long enough to hold others up.
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
                    // Nobody waits for the site while files travel.
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

/// The fonts that are wished for, apart from what the store has.
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

/// Gets what a tool lacks. There are no collections, entries or media yet, so those are none.
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
        Need::Collections => facts.collections = Some(Vec::new()),
        Need::Rows { key, .. } => {
            facts.rows.insert(key, Vec::new());
        }
        Need::Address(reference) => {
            facts.addresses.insert(reference, None);
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
        // Got while the site was not held.
        Need::FontFamily(_) => {}
    }
    Ok(())
}

//! Site tools without a browser: the same functions that a tab runs, on the server's copy of the site.

use std::sync::Arc;
use std::time::Instant;

use serde_json::Value;
use sitewright_site::{
    BodyId, Change, ChangeId, FORMAT, Facts, FontReport, FrameReport, Need, Outcome, Site, ToolRun,
    View,
};
use sitewright_store::{Committer, LiveSite, SiteId, Store, StoreError};
use sitewright_tool::{Capability, Envelope, ErrorCode, Scope, Taint, ToolError};

use crate::Registry;
use crate::registry::{Entry, Work};

/// How often a tool may ask for more before it is stopped.
const ROUNDS_MAX: usize = 64;

/// A call of a tool.
#[derive(Debug, Clone)]
pub struct Call {
    /// The site it is about.
    pub site: SiteId,
    /// The scope of the tool, where it was said.
    pub scope: Option<Scope>,
    /// The tool.
    pub tool: String,
    /// What goes in.
    pub arguments: Value,
    /// The change it makes, if it makes one; what is new gets its ids from it.
    pub change: ChangeId,
    /// The turn it belongs to.
    pub turn: Option<String>,
    /// On whose behalf.
    pub by: Committer,
}

impl Registry {
    /// Runs a tool of the site. The answer says ok only for what is in the log, or for a tool that only looks.
    pub async fn call(&self, store: &Store, call: Call) -> Envelope {
        let started = Instant::now();
        let outcome = self.run(store, call).await;
        let latency_ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
        match outcome {
            Ok(run) => Envelope {
                ok: true,
                data: Some(run.data),
                error: None,
                images: run.images,
                receipt: Some(run.receipt),
                taint: Taint::default(),
                latency_ms,
                attempts: 1,
            },
            Err(error) => Envelope {
                ok: false,
                data: None,
                error: Some(error),
                images: Vec::new(),
                receipt: None,
                taint: Taint::default(),
                latency_ms,
                attempts: 1,
            },
        }
    }

    async fn run(&self, store: &Store, call: Call) -> Result<ToolRun, ToolError> {
        let tool = self.find(call.scope, &call.tool).map_err(|unknown| {
            ToolError::new(ErrorCode::UnknownTool, sentence(&unknown.to_string()))
        })?;
        if !call.by.capabilities.has(Capability::SiteRead) {
            return Err(ToolError::new(
                ErrorCode::Forbidden,
                format!("This needs the permission `{}`.", Capability::SiteRead),
            ));
        }
        let live = store.live_site(&call.site).await.map_err(failed)?;
        let (mut live, run) = until_done(live, &tool, &call).await?;
        if run.ops.is_empty() {
            return Ok(run);
        }
        let change = Change {
            id: call.change,
            author: call.by.author.clone(),
            turn: call.turn,
            summary: tool.manifest().title.clone().unwrap_or(call.tool),
            expects: live.site().expects(&run.ops),
            ops: run.ops.clone(),
            format: FORMAT,
        };
        let committed = live
            .commit(&change, &call.by)
            .await
            .map_err(|refused| ToolError::new(refused.code(), sentence(&refused.to_string())))?;
        match committed.left_out.first() {
            None => Ok(run),
            // The copy was up to date, so another node must have been faster: the receipt would not be true.
            Some((_, why)) => Err(ToolError::new(
                ErrorCode::Conflict,
                format!(
                    "Somebody changed the site meanwhile, and part of this was left out: {why}. Read the document again."
                ),
            )),
        }
    }
}

/// Runs the tool until it lacks nothing.
async fn until_done(
    mut live: LiveSite,
    entry: &Arc<Entry>,
    call: &Call,
) -> Result<(LiveSite, ToolRun), ToolError> {
    let mut facts = Facts::default();
    let view = View {
        current: first_page(live.site()),
        ..View::default()
    };
    for _ in 0..ROUNDS_MAX {
        let (outcome, back) = {
            let (entry, view) = (Arc::clone(entry), view.clone());
            let (input, change, known) =
                (call.arguments.clone(), call.change.clone(), facts.clone());
            // Imports of large documents take long enough to hold others up.
            let work = move || {
                let outcome = match &entry.work {
                    Work::Site(tool) => tool.run(input, live.site_mut(), &view, (&known, change)),
                    Work::Elsewhere(_) => Err(ToolError::new(
                        ErrorCode::Internal,
                        "The tool is not one of the site.",
                    )),
                };
                (outcome, live)
            };
            tokio::task::spawn_blocking(work)
                .await
                .map_err(|_panicked| ToolError::new(ErrorCode::Internal, "The tool broke down."))?
        };
        live = back;
        match outcome? {
            Outcome::Done(run) => return Ok((live, run)),
            Outcome::Needs(needs) => {
                for need in needs {
                    satisfy(&mut live, &mut facts, need).await.map_err(failed)?;
                }
            }
        }
    }
    Err(ToolError::new(
        ErrorCode::Internal,
        "The tool asked for more and more and was stopped.",
    ))
}

/// Gets what a tool lacks. There are no collections, entries or media yet, so those are none.
async fn satisfy(live: &mut LiveSite, facts: &mut Facts, need: Need) -> Result<(), StoreError> {
    match need {
        Need::Body(body) => {
            live.open(body).await?;
        }
        Need::Owner(node) => {
            if !live.open_owner(node).await? {
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
        Need::FontFamily(query) => {
            let reason =
                "Fonts cannot be installed here yet; bind an installed family with familyId";
            facts.fonts.insert(
                query,
                FontReport::Refused {
                    reason: reason.to_owned(),
                },
            );
        }
    }
    Ok(())
}

/// The document a caller without an editor looks at: the home page, else the first.
fn first_page(site: &Site) -> Option<BodyId> {
    let mut pages = site.shell.pages.iter();
    let home = pages.find(|(_, page)| page.slug == "index" && page.parent_id.is_none());
    home.or_else(|| site.shell.pages.iter().next())
        .map(|(id, _)| id)
}

fn failed(error: StoreError) -> ToolError {
    let code = match error {
        StoreError::NotFound { .. } => ErrorCode::NotFound,
        StoreError::Database(_) => ErrorCode::Unavailable,
        _ => ErrorCode::Internal,
    };
    ToolError::new(code, sentence(&error.to_string()))
}

fn sentence(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars.next().map(|first| first.to_uppercase().to_string());
    format!("{}{}.", first.unwrap_or_default(), chars.as_str())
}

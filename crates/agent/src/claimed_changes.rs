//! Checks what a turn's calls claim to have changed against the site, so that the final answer does not report changes that are gone.

use sitewright_runtime::CallOutcome;
use sitewright_site::{BodyId, NodeId};
use sitewright_store::{SiteId, Store, StoreError};
use sitewright_tool::Touched;

/// The changes that the calls of a turn have reported.
#[derive(Debug, Clone, Default)]
pub(crate) struct ClaimedChanges {
    made: Vec<Touched>,
    /// The tools whose last call failed, with the reason.
    failed: Vec<(String, String)>,
    /// The mismatches that the model was last informed of.
    pub(crate) told: Vec<String>,
}

/// How much of an error message is quoted.
const WHY_CHARS_MAX: usize = 200;

impl ClaimedChanges {
    /// Records the outcome of a call.
    pub(crate) fn add(&mut self, tool: &str, outcome: &CallOutcome) {
        self.failed.retain(|(failed, _)| failed != tool);
        let receipt = match outcome {
            CallOutcome::Done(answer) => answer.receipt.as_ref(),
            CallOutcome::Refused(error) | CallOutcome::Unknown(error) => {
                let why = error.message.chars().take(WHY_CHARS_MAX).collect();
                self.failed.push((tool.to_owned(), why));
                None
            }
            CallOutcome::Waiting(_) => None,
        };
        let Some(receipt) = receipt else { return };
        let touched = receipt.created.iter().chain(&receipt.changed);
        self.made.extend(touched.cloned());
        let gone = |made: &Touched| receipt.removed.iter().any(|removed| removed.id == made.id);
        self.made.retain(|made| !gone(made));
    }

    /// Compares the claims with the site. Returns one sentence for each reported entity that no longer exists, and for each tool whose last
    /// call failed.
    pub(crate) async fn mismatches(
        &self,
        store: &Store,
        site: &SiteId,
    ) -> Result<Vec<String>, StoreError> {
        let mut wrong: Vec<String> = self
            .failed
            .iter()
            .map(|(tool, why)| format!("the last call of {tool} failed ({why})"))
            .collect();
        if self.made.is_empty() {
            return Ok(wrong);
        }
        let mut live = store.live_site(site).await?;
        for made in &self.made {
            let is_there = match made.kind.as_str() {
                "page" | "template" | "document" => {
                    let id: Option<BodyId> = made.id.parse().ok();
                    id.is_none_or(|id| live.site().shell.pages.get(id).is_some())
                }
                "node" => match made.id.parse::<NodeId>() {
                    Ok(node) => {
                        let is_open = live
                            .site()
                            .bodies
                            .values()
                            .any(|tree| tree.node(node).is_some());
                        is_open || live.open_owner(node).await?.is_some()
                    }
                    Err(_other) => true,
                },
                _ => true,
            };
            if !is_there {
                let name = made.name.as_ref().unwrap_or(&made.id);
                wrong.push(format!("the {} {name} is not there any more", made.kind));
            }
        }
        Ok(wrong)
    }
}

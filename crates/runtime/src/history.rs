//! Undo and redo as tools: undo the last change, undo the last turn, redo.
//!
//! They only affect changes by the same author: an agent undoes what agents did for the same person, never what people did. Entities
//! that someone changed later are skipped, and the reply counts them. There is no undo stack: the ids of the changes that undo and
//! redo make say what they reverted.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use sitewright_site::{Author, ChangeId};
use sitewright_store::{
    CommitError, Committer, HistoryEntry, LiveSite, RevertTarget, SiteId, Store,
};
use sitewright_tool::definition::outside;
use sitewright_tool::{
    Capability, DefinitionBuilder, Effect, ErrorCode, Scope, ToolError, digest, sentence,
};

use crate::planned::planned;
use crate::{Attempt, Failure, Foreseen, Outside, PlannedChange, Tool, ToolOutput};

/// How many changes of the history are searched, rounded up to whole pages.
const LOOKED_THROUGH_MAX: usize = 1_000;
const PAGE: u16 = 200;
/// The prefix of the id of a change that undoes; the id of the reverted change or turn follows.
const UNDO: &str = "undo~";
const REDO: &str = "redo~";

/// The tools `undo`, `revertTurn` and `redo`.
pub fn history_tools(store: &Store) -> Vec<Tool> {
    let tool = |definition: DefinitionBuilder, work: Work| {
        let definition = definition
            .needs(Capability::SiteWrite)
            .scopes(&[Scope::Site])
            .idempotent();
        let store = store.clone();
        Tool::outside(definition, HistoryTool { store, work })
    };
    vec![
        tool(
            outside(
                "undo",
                "Undo a change",
                "Undoes the last change that was made on this person's behalf and is not undone yet.",
                Effect::Draft,
            )
            .words("Undoing a change", "Undid a change"),
            Work::Undo,
        ),
        tool(
            outside(
                "revertTurn",
                "Undo the last request",
                "Undoes everything that the last turn of this person's conversations changed and that is not undone yet.",
                Effect::Draft,
            )
            .words("Undoing the last request", "Undid the last request"),
            Work::RevertTurn,
        ),
        tool(
            outside(
                "redo",
                "Redo",
                "Redoes what undo or revertTurn undid last.",
                Effect::Draft,
            )
            .words("Redoing a change", "Redid a change"),
            Work::Redo,
        ),
    ]
}

#[derive(Debug, Clone, Copy)]
enum Work {
    Undo,
    RevertTurn,
    Redo,
}

struct HistoryTool {
    store: Store,
    work: Work,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct NoArguments {}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct RevertReport {
    /// What was taken back, in a few words each.
    taken_back: Vec<String>,
    /// How many things stay as they are, because somebody has been at them since.
    left: usize,
}

impl Work {
    /// What to revert, with the prefix of the id of the reverting change and the summaries of the reverted ones. `None` if there is
    /// nothing to revert.
    ///
    /// Walks the author's changes from the newest to the oldest. A change whose id begins with `undo~` or `redo~` names what it
    /// reverted, so older entries that it reverted are skipped. `redo` looks for the newest undo that is not redone, and stops at the
    /// first ordinary change: what was undone before that can no longer be redone.
    fn target(
        self,
        entries: &[HistoryEntry],
        author: &Author,
    ) -> Option<(RevertTarget, String, Vec<String>)> {
        let mut taken_back: Vec<String> = Vec::new();
        let own = entries.iter().filter(|entry| entry.author == *author);
        for entry in own.clone() {
            let id = entry.id.as_str();
            if let Some(undone) = id.strip_prefix(REDO) {
                taken_back.push(target_of(undone));
                continue;
            }
            if taken_back.iter().any(|taken| taken == id) {
                continue;
            }
            if let Some(undone) = id.strip_prefix(UNDO) {
                if let Self::Redo = self {
                    let taken = RevertTarget::Change(entry.id.clone());
                    return Some((taken, format!("{REDO}{id}"), vec![entry.summary.clone()]));
                }
                taken_back.push(target_of(undone));
                continue;
            }
            match (self, &entry.turn) {
                (Self::Redo, _) => return None,
                (Self::RevertTurn, None) => {}
                (Self::RevertTurn, Some(turn)) if taken_back.contains(turn) => {}
                (Self::RevertTurn, Some(turn)) => {
                    let of_turn = own
                        .clone()
                        .filter(|entry| entry.turn.as_ref() == Some(turn));
                    let mut words: Vec<String> =
                        of_turn.map(|entry| entry.summary.clone()).collect();
                    words.reverse();
                    return Some((
                        RevertTarget::Turn(turn.clone()),
                        format!("{UNDO}{turn}"),
                        words,
                    ));
                }
                (Self::Undo, turn)
                    if turn.as_ref().is_some_and(|turn| taken_back.contains(turn)) => {}
                (Self::Undo, _) => {
                    let taken = RevertTarget::Change(entry.id.clone());
                    return Some((taken, format!("{UNDO}{id}"), vec![entry.summary.clone()]));
                }
            }
        }
        None
    }
}

/// The target in the rest of an id, without the idempotency key of the call that made it.
fn target_of(rest: &str) -> String {
    rest.rsplit_once('~')
        .map_or(rest, |(target, _)| target)
        .to_owned()
}

/// An idempotency key for the id of a change. The id of a redo contains the key of the undo, too, and must not get too long.
fn short_key(key: &str) -> String {
    const CHARS_MAX: usize = 24;
    match key.len() > CHARS_MAX {
        true => ChangeId::of_call("key", key).as_str().to_owned(),
        false => key.to_owned(),
    }
}

impl Outside for HistoryTool {
    type Input = NoArguments;
    type Data = RevertReport;

    /// Brings the facts of the ops that the revert would commit. Without them, one approved removal could be undone and redone, and so
    /// repeated, without asking again.
    async fn foresee(&self, _: NoArguments, attempt: Attempt<'_>) -> Result<Foreseen, ToolError> {
        let step = self.next_step(&attempt).await?;
        Ok(Foreseen {
            preview: Some(json!({ "change": step.facts, "takenBack": step.words })),
            change: step.facts,
            agreed: Some(step.digest),
        })
    }

    async fn run(
        &self,
        _: NoArguments,
        attempt: Attempt<'_>,
    ) -> Result<ToolOutput<RevertReport>, Failure> {
        let report = self.take_back(attempt).await;
        report.map(ToolOutput::from).map_err(Failure::answered)
    }
}

/// The revert that a call would make.
struct RevertStep {
    live: LiveSite,
    target: RevertTarget,
    /// The beginning of the id of the reverting change.
    start: String,
    /// The summaries of the reverted changes.
    words: Vec<String>,
    facts: PlannedChange,
    /// The digest of the target and the ops, which an approval is bound to.
    digest: String,
}

impl HistoryTool {
    async fn take_back(&self, attempt: Attempt<'_>) -> Result<RevertReport, ToolError> {
        let by = committer(&attempt)?;
        let mut step = self.next_step(&attempt).await?;
        if attempt.agreed.is_some_and(|agreed| agreed != step.digest) {
            let message =
                "What this would undo has changed since it was approved; make the call again.";
            return Err(ToolError::new(ErrorCode::Conflict, message));
        }
        let id = ChangeId::from(format!(
            "{}~{}",
            step.start,
            short_key(attempt.idempotency_key)
        ));
        let summary = match self.work {
            Work::Undo => "Undid a change",
            Work::RevertTurn => "Undid the last request",
            Work::Redo => "Redid a change",
        };
        let change = (id, summary.to_owned());
        let reverted = step.live.revert(&step.target, change, by).await;
        let (_, left) = reverted.map_err(|error| refused(&error))?;
        Ok(RevertReport {
            taken_back: step.words,
            left: left.len(),
        })
    }

    /// Finds what the call would revert, and plans it. The site stays locked until the step is dropped.
    async fn next_step(&self, attempt: &Attempt<'_>) -> Result<RevertStep, ToolError> {
        let site = SiteId::from(attempt.context.site_id.clone());
        let by = committer(attempt)?;
        let mut live = self.store.live_site(&site).await.map_err(failed)?;
        let entries = self.entries(&site).await?;
        let Some((target, start, words)) = self.work.target(&entries, &by.author) else {
            let message = match self.work {
                Work::Undo | Work::RevertTurn => {
                    "There is nothing to undo: nothing was changed on this person's behalf."
                }
                Work::Redo => "There is nothing to redo: the last change was not an undo.",
            };
            return Err(ToolError::new(ErrorCode::NotFound, message));
        };
        let planned_revert = live.plan_revert(&target).await;
        let ops = planned_revert.map_err(|error| refused(&error))?.ops;
        let facts = planned(live.site(), &ops, &by.author);
        Ok(RevertStep {
            live,
            target,
            words,
            facts,
            digest: digest(&json!({ "revert": start, "ops": ops })),
            start,
        })
    }

    /// The latest changes of the site, newest first.
    async fn entries(&self, site: &SiteId) -> Result<Vec<HistoryEntry>, ToolError> {
        let mut entries = Vec::new();
        let mut before = None;
        loop {
            let page = self.store.history(site, None, before, PAGE).await;
            let page = page.map_err(failed)?;
            entries.extend(page.entries);
            before = page.next;
            if before.is_none() || entries.len() >= LOOKED_THROUGH_MAX {
                return Ok(entries);
            }
        }
    }
}

fn committer<'a>(attempt: &Attempt<'a>) -> Result<&'a Committer, ToolError> {
    attempt.committer.ok_or_else(|| {
        let message = "This caller acts for no one, so it has no changes to undo.";
        ToolError::new(ErrorCode::Forbidden, message)
    })
}

fn failed(error: sitewright_store::StoreError) -> ToolError {
    crate::call::failed(&error)
}

fn refused(error: &CommitError) -> ToolError {
    ToolError::new(error.code(), sentence(&error.to_string()))
}

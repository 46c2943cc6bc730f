//! The editor a call comes from: what it shows, what was read in it, and a tab that can run tools.
//!
//! A tab plans and never commits: the change it returns passes the same checks as one that the server plans itself.

use futures_util::future::BoxFuture;
use serde_json::Value;
use sitewright_site::{BodyId, Change, DocumentRef, Entity, Logged, ToolRun, View};
use sitewright_store::{CallId, LiveSite};
use sitewright_tool::{
    Envelope, ErrorCode, Execution, Receipt, ToolCapability, ToolError, sentence,
};

use crate::call::{ResolvedCall, failed};

/// An editor that calls come from.
pub trait Editor: Send + Sync {
    /// What the editor currently shows.
    fn view(&self) -> View;

    /// Notifies the editor that a tool has opened a document.
    fn opened(&self, document: BodyId);

    /// The log entry up to which the caller has read a document, or the site if no document is given.
    fn read_up_to(&self, document: Option<BodyId>) -> u64;

    /// Runs a tool in a tab. With [`NoTab::Gone`] the server runs it itself; with [`NoTab::Silent`] the call times out.
    fn run<'a>(&'a self, call: EditorCall<'a>) -> BoxFuture<'a, Result<TabAnswer, NoTab>>;
}

/// A call for a tab.
#[derive(Debug, Clone, Copy)]
pub struct EditorCall<'a> {
    /// The id of the call and of its change, from which new entities derive their ids.
    pub id: &'a CallId,
    pub tool: &'a str,
    pub arguments: &'a Value,
    /// Whether the tool changes something.
    pub is_write: bool,
}

/// What a tab answered.
#[derive(Debug, Clone)]
pub struct TabAnswer {
    /// The reply of the tool.
    pub envelope: Envelope,
    /// The change that the tool planned, not committed.
    pub change: Option<Change>,
    /// The document that the tool opened.
    pub open: Option<DocumentRef>,
}

/// Why no tab answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoTab {
    /// There is no tab, or it was closed.
    Gone,
    /// The tab is connected and did not answer in time.
    Silent,
}

/// What a tab planned for a call: the run, and the change with the expectations of the tab. `None` if the server must plan it.
pub(crate) async fn planned_in_tab(
    resolved: &ResolvedCall,
) -> Result<Option<(ToolRun, Option<Change>)>, ToolError> {
    let manifest = resolved.entry.manifest();
    let Some(editor) = &resolved.call.editor else {
        return Ok(None);
    };
    if manifest.execution != Execution::Browser {
        return Ok(None);
    }
    let call = EditorCall {
        id: &resolved.id,
        tool: &resolved.call.tool,
        arguments: &resolved.call.arguments,
        is_write: manifest.capability == ToolCapability::Write,
    };
    let answer = match editor.run(call).await {
        Ok(answer) => answer,
        Err(NoTab::Gone) => return Ok(None),
        Err(NoTab::Silent) => {
            let message = "The editor did not answer in time; nothing was changed.";
            return Err(ToolError::new(ErrorCode::Timeout, message));
        }
    };
    if let Some(error) = answer.envelope.error {
        return Err(error);
    }
    // A tab that reports success of a write without a change is not trusted: the server plans the call itself.
    if manifest.capability == ToolCapability::Write && answer.change.is_none() {
        return Ok(None);
    }
    let mut change = answer.change;
    let run = ToolRun {
        data: answer.envelope.data.unwrap_or_default(),
        ops: change
            .as_mut()
            .map(|change| change.ops.clone())
            .unwrap_or_default(),
        receipt: answer.envelope.receipt.unwrap_or_else(Receipt::default),
        open: answer.open,
        images: answer.envelope.images,
        question: None,
    };
    Ok(Some((run, change)))
}

/// Refuses a change to anything that someone else changed after the caller read it, so that an agent does not overwrite a person's
/// edit. Changes by the same turn do not count.
pub(crate) async fn is_as_read(
    resolved: &ResolvedCall,
    live: &LiveSite,
    change: &Change,
) -> Result<(), ToolError> {
    if resolved.call.editor.is_none() && resolved.call.read_up_to.is_none() {
        return Ok(());
    }
    for expect in &change.expects {
        let document = match expect.entity {
            Entity::Node { body, .. } => Some(body),
            Entity::Page { id } | Entity::Component { id } => Some(id),
            Entity::Site | Entity::Item { .. } | Entity::Piece { .. } | Entity::Record { .. } => {
                None
            }
        };
        let by_editor = resolved
            .call
            .editor
            .as_ref()
            .map(|editor| editor.read_up_to(document));
        if expect.rev <= by_editor.max(resolved.call.read_up_to).unwrap_or(0) {
            continue;
        }
        let entry = live
            .entry(expect.rev)
            .await
            .map_err(|error| failed(&error))?;
        // A call outside any turn has no changes of its own to build on: without this, every change that was made outside a turn would
        // count as its own.
        let is_own = |entry: &Logged| {
            let turn = resolved.call.turn.as_ref();
            turn.is_some() && entry.turn.as_ref() == turn
        };
        let is_own = entry.as_ref().is_none_or(is_own);
        if !is_own {
            let what = entry.map(|entry| entry.summary).unwrap_or_default();
            let message = format!(
                "someone else has changed this since you read it (“{what}”), and their change stays: read the document again with \
                 read_document, then repeat what still makes sense"
            );
            return Err(ToolError::new(ErrorCode::Conflict, sentence(&message)));
        }
    }
    Ok(())
}

//! The bridge between a turn and its editor: what the editor shows, what the model has read, and the tab that runs tools.
//!
//! A tab must answer within 90 s. If it disconnects, its pending calls fall back to the server at once, and so do all later ones.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::future::BoxFuture;
use sitewright_runtime::{Editor, EditorCall, NoTab, TabAnswer};
use sitewright_site::{BodyId, View};
use tokio::sync::oneshot;

use crate::board::{Board, Event};

/// How long a tab may take to answer.
pub(crate) const BROWSER_TOOL_TIMEOUT: Duration = Duration::from_secs(90);

pub(crate) struct EditorBridge {
    /// The id under which a tab answers. It is a shared secret: anyone who knows it can answer for the tab.
    pub(crate) bridge_id: String,
    board: Arc<Board>,
    timeout: Duration,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    view: View,
    /// The log entry at which the turn began.
    began: u64,
    /// The log entry up to which the site's shared parts were read, followed by that of each document read since the turn began.
    read: u64,
    read_documents: HashMap<BodyId, u64>,
    tabs: usize,
    asked: u64,
    pending: HashMap<String, Pending>,
    is_silent: bool,
}

/// A call that waits for a tab's answer.
struct Pending {
    is_write: bool,
    answer: oneshot::Sender<TabAnswer>,
}

impl EditorBridge {
    pub(crate) fn new(board: Arc<Board>, view: View, read: u64) -> Self {
        Self {
            bridge_id: uuid::Uuid::new_v4().simple().to_string(),
            board,
            timeout: BROWSER_TOOL_TIMEOUT,
            state: Mutex::new(State {
                view,
                began: read,
                read,
                ..State::default()
            }),
        }
    }

    /// Attaches a tab until the returned guard is dropped.
    pub(crate) fn attach_tab(self: &Arc<Self>) -> Tab {
        self.state().tabs += 1;
        Tab(Arc::clone(self))
    }

    /// Records what the editor shows.
    pub(crate) fn shows(&self, view: View) {
        self.state().view = view;
    }

    /// Records that the model has read a document as of a log entry, or the site's shared parts if no document is given.
    pub(crate) fn has_read(&self, document: Option<BodyId>, seq: u64) {
        let mut state = self.state();
        state.read = state.read.max(seq);
        if let Some(document) = document {
            let read = state.read_documents.entry(document).or_default();
            *read = seq.max(*read);
        }
    }

    /// Delivers a tab's answer. Returns false if no call waits for it.
    pub(crate) fn answered(&self, request: &str, answer: TabAnswer) -> bool {
        let waiting = self.state().pending.remove(request);
        waiting.is_some_and(|waiting| waiting.answer.send(answer).is_ok())
    }

    /// Whether the pending call is a write; `None` if no call waits for this answer.
    pub(crate) fn waits_for(&self, request: &str) -> Option<bool> {
        let state = self.state();
        state.pending.get(request).map(|pending| pending.is_write)
    }

    /// Whether an attached tab has failed to answer in time.
    pub(crate) fn is_silent(&self) -> bool {
        self.state().is_silent
    }

    /// The number of calls that wait for an answer.
    pub(crate) fn pending(&self) -> usize {
        self.state().pending.len()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Guard of an attached tab. Dropping the last one makes every pending call fail with `NoTab::Gone`.
pub struct Tab(Arc<EditorBridge>);

impl Drop for Tab {
    fn drop(&mut self) {
        let mut state = self.0.state();
        state.tabs = state.tabs.saturating_sub(1);
        if state.tabs == 0 {
            // Dropping the senders wakes the waiting calls with an error.
            state.pending.clear();
        }
    }
}

/// Removes a pending call when its future is dropped, so that a late answer finds no one.
struct Question<'a> {
    bridge: &'a EditorBridge,
    id: String,
}

impl Drop for Question<'_> {
    fn drop(&mut self) {
        self.bridge.state().pending.remove(&self.id);
    }
}

impl Editor for EditorBridge {
    fn view(&self) -> View {
        self.state().view.clone()
    }

    fn opened(&self, document: BodyId) {
        let mut state = self.state();
        if state.view.current != Some(document) {
            state.view.current = Some(document);
            state.view.selected = None;
        }
    }

    fn read_up_to(&self, document: Option<BodyId>) -> u64 {
        let state = self.state();
        let read = document.and_then(|document| state.read_documents.get(&document));
        // A document that was not read during the turn is known to the model as of the turn's beginning.
        match (document, read) {
            (Some(_), Some(read)) => *read,
            (Some(_), None) => state.began,
            (None, _) => state.read,
        }
    }

    fn run<'a>(&'a self, call: EditorCall<'a>) -> BoxFuture<'a, Result<TabAnswer, NoTab>> {
        Box::pin(async move {
            let (answer, answered) = oneshot::channel();
            let question = {
                let mut state = self.state();
                if state.tabs == 0 {
                    return Err(NoTab::Gone);
                }
                state.asked += 1;
                let id = format!("{}-{}", call.id, state.asked);
                let pending = Pending {
                    is_write: call.is_write,
                    answer,
                };
                state.pending.insert(id.clone(), pending);
                Question { bridge: self, id }
            };
            self.board.own(&Event::ToolRequest {
                request_id: question.id.clone(),
                tool_name: call.tool.to_owned(),
                input: call.arguments.clone(),
                change_id: call.id.to_string(),
            });
            match tokio::time::timeout(self.timeout, answered).await {
                Ok(Ok(answer)) => Ok(answer),
                Ok(Err(_gone)) => Err(NoTab::Gone),
                Err(_elapsed) => {
                    self.state().is_silent = true;
                    Err(NoTab::Silent)
                }
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::json;
    use sitewright_runtime::{Editor as _, EditorCall, NoTab, TabAnswer};
    use sitewright_site::View;
    use sitewright_store::CallId;
    use sitewright_tool::Envelope;
    use tokio::time::Instant;

    use super::{BROWSER_TOOL_TIMEOUT, EditorBridge};
    use crate::board::Board;

    fn bridge() -> Arc<EditorBridge> {
        let board = Arc::new(Board::new("t", "c", Vec::new()));
        Arc::new(EditorBridge::new(board, View::default(), 0))
    }

    async fn asked(bridge: &EditorBridge) -> Result<TabAnswer, NoTab> {
        let (id, arguments) = (CallId::new(), json!({}));
        let call = EditorCall {
            id: &id,
            tool: "addPage",
            arguments: &arguments,
            is_write: true,
        };
        bridge.run(call).await
    }

    #[tokio::test(start_paused = true)]
    async fn a_tab_that_is_there_and_silent_is_given_up_after_90_seconds() {
        let bridge = bridge();
        let _tab = bridge.attach_tab();
        let began = Instant::now();
        assert_eq!(asked(&bridge).await.err(), Some(NoTab::Silent));
        assert_eq!(began.elapsed(), BROWSER_TOOL_TIMEOUT);
        assert!(bridge.is_silent());
        assert_eq!(bridge.pending(), 0);
    }

    #[tokio::test(start_paused = true)]
    async fn a_tab_that_goes_away_is_not_waited_for() {
        let bridge = bridge();
        assert_eq!(asked(&bridge).await.err(), Some(NoTab::Gone));
        let tab = bridge.attach_tab();
        let began = Instant::now();
        let (answer, ()) = tokio::join!(asked(&bridge), async { drop(tab) });
        assert_eq!(answer.err(), Some(NoTab::Gone));
        assert_eq!((began.elapsed().as_secs(), bridge.pending()), (0, 0));
        assert!(!bridge.is_silent());
    }

    #[tokio::test(start_paused = true)]
    async fn a_question_that_is_given_up_is_forgotten() {
        let bridge = bridge();
        let _tab = bridge.attach_tab();
        let mut question = Box::pin(asked(&bridge));
        assert!(futures_util::poll!(&mut question).is_pending());
        assert_eq!(bridge.pending(), 1);
        let id = bridge
            .state()
            .pending
            .keys()
            .next()
            .cloned()
            .expect("an id");
        assert_eq!(bridge.waits_for(&id), Some(true));
        drop(question);
        assert_eq!(bridge.pending(), 0);
        let late = TabAnswer {
            envelope: Envelope::done(json!({})),
            change: None,
            open: None,
        };
        assert!(!bridge.answered(&id, late));
        tokio::time::advance(2 * BROWSER_TOOL_TIMEOUT).await;
        assert!(!bridge.is_silent(), "its time limit is gone with it");
    }
}

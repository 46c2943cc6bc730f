//! Calls that changed nothing are recorded behind the caller's back, many in one transaction: looking must not cost a commit.

use std::time::Duration;

use sitewright_store::{CallRecord, Store};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// How many may wait to be recorded; when there are more, callers wait.
const WAITING_MAX: usize = 1024;
const BATCH_MAX: usize = 256;
/// How long a record may wait for others.
const BATCH_EVERY: Duration = Duration::from_millis(100);

/// Where calls go to be recorded.
#[derive(Debug, Clone)]
pub(crate) struct Looks(mpsc::Sender<CallRecord>);

/// The other end: what is to be recorded.
#[derive(Debug)]
pub(crate) struct Recorder(mpsc::Receiver<CallRecord>);

impl Looks {
    pub(crate) fn new() -> (Self, Recorder) {
        let (sender, receiver) = mpsc::channel(WAITING_MAX);
        (Self(sender), Recorder(receiver))
    }

    pub(crate) async fn record(&self, call: CallRecord) {
        if self.0.send(call).await.is_err() {
            tracing::warn!("a call could not be recorded: the server is stopping");
        }
    }
}

impl Recorder {
    /// Records until the end, and then what is left.
    pub(crate) async fn run(mut self, store: Store, end: CancellationToken) {
        let mut batch = Vec::with_capacity(BATCH_MAX);
        loop {
            let count = tokio::select! {
                biased;
                () = end.cancelled(), if !self.0.is_closed() => {
                    self.0.close();
                    continue;
                }
                count = self.0.recv_many(&mut batch, BATCH_MAX) => count,
            };
            if count == 0 {
                return;
            }
            if let Err(error) = store.record_calls(&batch).await {
                let error = &error as &dyn std::error::Error;
                tracing::warn!(error, calls = count, "calls could not be recorded");
            }
            batch.clear();
            if count == BATCH_MAX {
                continue;
            }
            tokio::select! {
                () = end.cancelled() => {}
                () = tokio::time::sleep(BATCH_EVERY) => {}
            }
        }
    }
}

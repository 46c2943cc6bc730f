//! Calls that changed nothing are recorded in the background, many in one transaction, so that a read never waits for a commit.
//! While the database does not accept writes, records are queued and written late; those that exceed the queue are counted as lost.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use sitewright_store::{CallRecord, Store, Timestamp};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// The capacity of the queue to the recorder; when it is full, callers wait.
const WAITING_MAX: usize = 1024;
const BATCH_MAX: usize = 256;
/// The capacity of the backlog while the database does not accept writes. Later records are lost: callers must not wait until a
/// disk has space again.
const BACKLOG_MAX: usize = 4096;
/// How long a record may wait for others to be written with it.
const BATCH_EVERY: Duration = Duration::from_millis(100);
/// The pause after a failed write before the next attempt.
const RETRY_EVERY: Duration = Duration::from_secs(1);

/// The sending end, which the pipeline uses.
#[derive(Debug, Clone)]
pub(crate) struct ReadRecorder {
    calls: mpsc::Sender<CallRecord>,
    counts: Arc<Counts>,
}

/// The receiving end, which writes the records.
#[derive(Debug)]
pub(crate) struct Recorder {
    calls: mpsc::Receiver<CallRecord>,
    counts: Arc<Counts>,
}

/// Whether read-only calls are being recorded, for monitoring.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RecorderStatus {
    /// Whether the last write failed and calls are waiting for a retry.
    pub is_failing: bool,
    /// Calls waiting for the database to accept writes again.
    pub waiting: u64,
    /// Calls since the start of the process that will never be recorded.
    pub lost: u64,
}

#[derive(Debug, Default)]
struct Counts {
    is_failing: AtomicBool,
    waiting: AtomicU64,
    lost: AtomicU64,
}

impl ReadRecorder {
    pub(crate) fn new() -> (Self, Recorder) {
        let (sender, receiver) = mpsc::channel(WAITING_MAX);
        let counts = Arc::new(Counts::default());
        let looks = Self {
            calls: sender,
            counts: Arc::clone(&counts),
        };
        let recorder = Recorder {
            calls: receiver,
            counts,
        };
        (looks, recorder)
    }

    pub(crate) async fn record(&self, call: CallRecord) {
        if self.calls.send(call).await.is_err() {
            tracing::warn!("a call could not be recorded: the server is stopping");
            self.counts.add_lost(1);
        }
    }

    pub(crate) fn status(&self) -> RecorderStatus {
        RecorderStatus {
            is_failing: self.counts.is_failing.load(Ordering::Relaxed),
            waiting: self.counts.waiting.load(Ordering::Relaxed),
            lost: self.counts.lost.load(Ordering::Relaxed),
        }
    }
}

impl Recorder {
    /// Records calls until `end` is cancelled, and then those that are still queued.
    pub(crate) async fn run(mut self, store: Store, end: CancellationToken) {
        let mut backlog = VecDeque::new();
        while self.receive(&mut backlog, &end).await {
            let is_full = backlog.len() >= BATCH_MAX;
            self.write_backlog(&store, &mut backlog).await;
            if !is_full && backlog.is_empty() {
                tokio::select! {
                    () = end.cancelled() => {}
                    () = tokio::time::sleep(BATCH_EVERY) => {}
                }
            }
        }
        self.write_backlog(&store, &mut backlog).await;
        if !backlog.is_empty() {
            tracing::error!(
                calls = backlog.len(),
                "calls could not be recorded before the end"
            );
        }
    }

    /// Waits for calls or, with a backlog, until the next retry. Returns false once the queue is closed and empty.
    async fn receive(
        &mut self,
        backlog: &mut VecDeque<CallRecord>,
        end: &CancellationToken,
    ) -> bool {
        let retry = tokio::time::sleep(RETRY_EVERY);
        tokio::pin!(retry);
        let has_backlog = !backlog.is_empty();
        let mut batch = Vec::with_capacity(BATCH_MAX);
        loop {
            let count = tokio::select! {
                biased;
                () = end.cancelled(), if !self.calls.is_closed() => {
                    self.calls.close();
                    continue;
                }
                () = &mut retry, if has_backlog => return true,
                count = self.calls.recv_many(&mut batch, BATCH_MAX) => count,
            };
            let room = BACKLOG_MAX.saturating_sub(backlog.len());
            let lost = batch.len().saturating_sub(room);
            self.counts.add_lost(lost);
            backlog.extend(batch.drain(..).take(room));
            self.counts.set_waiting(backlog, has_backlog);
            if count == 0 || !has_backlog {
                return count > 0;
            }
        }
    }

    /// Writes the backlog in batches until it is empty or the database does not accept writes.
    async fn write_backlog(&self, store: &Store, backlog: &mut VecDeque<CallRecord>) {
        while !backlog.is_empty() {
            let batch = backlog.len().min(BATCH_MAX);
            let written = store
                .record_calls(&backlog.make_contiguous()[..batch])
                .await;
            let is_written = match written {
                Ok(()) => {
                    backlog.drain(..batch);
                    true
                }
                Err(error) => {
                    self.report(&error, backlog.len());
                    store.probe(Timestamp::now()).await.is_ok()
                        && self.write_singly(store, backlog, batch).await
                }
            };
            self.counts.set_failing(!is_written);
            self.counts.set_waiting(backlog, !is_written);
            if !is_written {
                return;
            }
        }
    }

    /// Writes rows one at a time, so that one that the database rejects does not block the rest. A row that fails while the database
    /// accepts other writes is dropped and counted as lost. Returns false if the database accepts no writes.
    async fn write_singly(
        &self,
        store: &Store,
        backlog: &mut VecDeque<CallRecord>,
        count: usize,
    ) -> bool {
        for _ in 0..count {
            let Some(call) = backlog.front() else { break };
            if let Err(error) = store.record_calls(std::slice::from_ref(call)).await {
                if store.probe(Timestamp::now()).await.is_err() {
                    return false;
                }
                let error = &error as &dyn std::error::Error;
                tracing::error!(error, call = %call.id, "a call could not be recorded");
                self.counts.add_lost(1);
            }
            backlog.pop_front();
        }
        true
    }

    /// Logs an outage once, not once per failed write.
    fn report(&self, error: &sitewright_store::StoreError, waiting: usize) {
        if !self.counts.is_failing.load(Ordering::Relaxed) {
            let error = error as &dyn std::error::Error;
            tracing::error!(
                error,
                calls = waiting,
                "calls cannot be recorded; trying again"
            );
        }
    }
}

impl Counts {
    fn add_lost(&self, calls: usize) {
        if calls > 0 {
            let calls = u64::try_from(calls).unwrap_or(u64::MAX);
            self.lost.fetch_add(calls, Ordering::Relaxed);
            metrics::counter!("sitewright_calls_unrecorded_total").increment(calls);
        }
    }

    fn set_failing(&self, is_failing: bool) {
        let was_failing = self.is_failing.swap(is_failing, Ordering::Relaxed);
        if was_failing && !is_failing {
            let lost = self.lost.load(Ordering::Relaxed);
            tracing::info!(lost, "calls are recorded again");
        }
    }

    fn set_waiting(&self, backlog: &VecDeque<CallRecord>, is_failing: bool) {
        let waiting = if is_failing { backlog.len() } else { 0 };
        let waiting = u32::try_from(waiting).unwrap_or(u32::MAX);
        self.waiting.store(u64::from(waiting), Ordering::Relaxed);
        metrics::gauge!("sitewright_calls_waiting_to_be_recorded").set(f64::from(waiting));
    }
}

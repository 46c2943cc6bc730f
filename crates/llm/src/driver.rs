//! Drives a turn: performs the I/O that the loop asks for, and feeds it the results.

use std::collections::VecDeque;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;

use crate::client::ModelClient;
use crate::error::ModelError;
use crate::message::{Message, ToolCall};
use crate::request::ToolSpec;
use crate::stream::StreamEvent;
use crate::tool_loop::{Ending, LoopInput, LoopOutput, ToolLoop, ToolOutcome, TurnEvent};

/// The owner of a turn, which handles its events and runs its tools. The driver's task owns the host and calls one method at a time. A
/// batch runs concurrently and therefore has no access to the host; it sends reports, which the driver passes to the host.
pub trait TurnHost: Send {
    /// What a batch reports to the host.
    type Report: Send;

    /// A running batch of calls. Dropping it abandons the calls.
    type Batch: Future<Output = ()> + Send + Unpin;

    /// Handles an event. Events arrive in order, and the turn waits until each is handled.
    fn event(&mut self, event: TurnEvent) -> BoxFuture<'_, ()>;

    /// Starts a batch of calls, which reports each outcome as soon as it is known. The model is told that calls without an outcome were
    /// not answered. The batch is dropped once the host has handled the last outcome, so it must not have work left after that.
    fn run(&mut self, batch: Vec<ToolCall>, reports: mpsc::Sender<Self::Report>) -> Self::Batch;

    /// Handles a report. Returns the outcome of a call if the report contains one.
    fn report(&mut self, report: Self::Report) -> Option<ToolOutcome>;

    /// Returns what changed since the last round. Called before each round.
    fn news(&mut self) -> BoxFuture<'_, News> {
        Box::pin(async { News::default() })
    }

    /// How long the turn has waited for people so far; its time limit does not count that.
    fn waited(&self) -> Duration {
        Duration::ZERO
    }
}

/// What changed between two rounds.
#[derive(Debug, Default)]
pub struct News {
    /// Messages that people sent during the last round; they are already stored.
    pub said: Vec<Message>,
    /// The tools on offer from now on, if they changed.
    pub tools: Option<Arc<[ToolSpec]>>,
}

/// What answers the rounds of a turn.
#[derive(Clone, Copy)]
pub enum Backend<'a> {
    /// A provider over the network.
    Provider(&'a ModelClient),
    /// The built-in commands, in this process.
    BuiltIn(&'a dyn LocalModel),
}

/// A planner in this process, without network, key or cost.
pub trait LocalModel: Send + Sync {
    /// Answers a conversation with the events of one round, including the one that ends it.
    fn answer<'a>(&'a self, conversation: &'a [Message]) -> BoxFuture<'a, Vec<StreamEvent>>;
}

/// Runs a turn to its end. Cancelling `abort` stops it and closes the connection to the provider at once.
///
/// The loop is a pure state machine, so the driver only alternates between two things: performing an output of the loop (sending a
/// round, pausing, running tools) and feeding what happens back as inputs. An input may produce new outputs, which are queued; reading
/// a stream or waiting for tools ends as soon as the queue is not empty, because the loop only asks for something new once it needs
/// no more of the current step. Every wait also ends at an abort or at the turn's deadline, and both are ordinary inputs of the loop,
/// which decides how the turn ends. Time spent waiting for people moves the deadline.
pub async fn run_turn<H: TurnHost>(
    tool_loop: &mut ToolLoop,
    answerer: Backend<'_>,
    host: &mut H,
    abort: &CancellationToken,
) -> Ending {
    let mut run = Run {
        tool_loop,
        answerer,
        host,
        abort,
        began: Instant::now(),
        todo: VecDeque::new(),
    };
    run.tell(LoopInput::Begin).await;
    while let Some(output) = run.todo.pop_front() {
        match output {
            LoopOutput::Send => run.round().await,
            LoopOutput::Wait(pause) => run.pause(pause).await,
            LoopOutput::Run(batch) => run.tools(batch).await,
            LoopOutput::Over(ending) => return ending,
            // The stream and the batch are locals of the functions above, so they are already dropped here.
            LoopOutput::Close => (),
            LoopOutput::Emit(event) => run.host.event(event).await,
        }
    }
    // The loop ends every turn with `Over`. Without it, the loop waits for an input that cannot come any more, so the turn is stopped.
    Ending::Stopped
}

struct Run<'a, H> {
    tool_loop: &'a mut ToolLoop,
    answerer: Backend<'a>,
    host: &'a mut H,
    abort: &'a CancellationToken,
    began: Instant,
    /// Outputs still to be performed. Events go to the host directly, unless they come after a queued output.
    todo: VecDeque<LoopOutput>,
}

/// Why a wait was cut short.
enum Cut {
    Abort,
    Deadline,
}

impl<H: TurnHost> Run<'_, H> {
    async fn tell(&mut self, input: LoopInput) {
        let spent = self.began.elapsed().saturating_sub(self.host.waited());
        let now_ms = u64::try_from(spent.as_millis()).unwrap_or(u64::MAX);
        for output in self.tool_loop.step(now_ms, input) {
            match output {
                LoopOutput::Emit(event) if self.todo.is_empty() => self.host.event(event).await,
                other => self.todo.push_back(other),
            }
        }
    }

    fn deadline(&self) -> Instant {
        let limit = Duration::from_millis(self.tool_loop.deadline_ms().min(YEAR_MS));
        self.began + limit + self.host.waited()
    }

    async fn cut(&mut self, cut: Cut) {
        let input = match cut {
            Cut::Abort => LoopInput::Abort,
            Cut::Deadline => LoopInput::Tick,
        };
        self.tell(input).await;
    }

    async fn pause(&mut self, pause: Duration) {
        let until = Instant::now() + pause;
        match unless_cut(self.abort, self.deadline(), sleep_until(until)).await {
            Ok(()) => self.tell(LoopInput::Woke).await,
            Err(cut) => self.cut(cut).await,
        }
    }

    async fn round(&mut self) {
        let news = self.host.news().await;
        self.tool_loop.take_up(news.said, news.tools);
        match self.answerer {
            Backend::Provider(client) => self.stream(client).await,
            Backend::BuiltIn(model) => {
                let events = model.answer(self.tool_loop.messages());
                match unless_cut(self.abort, self.deadline(), events).await {
                    Ok(events) => {
                        for event in events {
                            self.tell(LoopInput::Stream(event)).await;
                        }
                    }
                    Err(cut) => self.cut(cut).await,
                }
            }
        }
    }

    async fn stream(&mut self, client: &ModelClient) {
        let body = self.tool_loop.request_body();
        let mut decoder = self.tool_loop.decoder();
        let left = self.deadline().saturating_duration_since(Instant::now());
        let open = client.open(body, left + GRACE);
        let mut stream = match unless_cut(self.abort, self.deadline(), open).await {
            Ok(Ok(stream)) => stream,
            Ok(Err(error)) => return self.failed(error).await,
            Err(cut) => return self.cut(cut).await,
        };
        // Created once for the whole stream, so that the waiter and the timer are not registered again for every chunk.
        let mut cancelled = pin!(self.abort.cancelled());
        let mut deadline = pin!(sleep_until(self.deadline()));
        let mut events = Vec::new();
        // An output in the queue means that the loop is done with this stream, which closes when this function returns.
        while self.todo.is_empty() {
            let chunk = tokio::select! {
                biased;
                () = &mut cancelled => Err(Cut::Abort),
                chunk = stream.chunk() => Ok(chunk),
                () = &mut deadline => Err(Cut::Deadline),
            };
            match chunk {
                Ok(Ok(Some(bytes))) => decoder.push(&bytes, &mut events),
                Ok(Ok(None)) => decoder.end(&mut events),
                Ok(Err(error)) => events.push(StreamEvent::Failed(error)),
                Err(cut) => {
                    drop(stream);
                    return self.cut(cut).await;
                }
            }
            for event in events.drain(..) {
                let event = match event {
                    StreamEvent::Failed(error) => StreamEvent::Failed(client.discreet(error)),
                    event => event,
                };
                self.tell(LoopInput::Stream(event)).await;
            }
        }
    }

    async fn failed(&mut self, error: ModelError) {
        self.tell(LoopInput::Stream(StreamEvent::Failed(error)))
            .await;
    }

    async fn tools(&mut self, batch: Vec<ToolCall>) {
        let (sender, mut reports) = mpsc::channel(batch.len().max(1));
        let mut running = self.host.run(batch, sender);
        let mut ended = false;
        while self.todo.is_empty() {
            let next = async {
                tokio::select! {
                    biased;
                    report = reports.recv() => report,
                    () = &mut running, if !ended => {
                        ended = true;
                        // Reports that were sent before the batch ended are still in the channel.
                        reports.recv().await
                    }
                }
            };
            match unless_cut(self.abort, self.deadline(), next).await {
                Ok(Some(report)) => self.take_report(report).await,
                Ok(None) => self.tell(LoopInput::ToolsEnded).await,
                // The host may have started to wait for a person in the meantime, which moves the deadline.
                Err(Cut::Deadline) if Instant::now() < self.deadline() => (),
                Err(cut) => {
                    drop(running);
                    // Calls that have finished must not be reported to the model as unfinished.
                    while let Ok(report) = reports.try_recv() {
                        self.take_report(report).await;
                    }
                    if self.todo.is_empty() {
                        self.cut(cut).await;
                    }
                    return;
                }
            }
        }
    }

    async fn take_report(&mut self, report: H::Report) {
        if let Some(outcome) = self.host.report(report) {
            self.tell(LoopInput::ToolDone(outcome)).await;
        }
    }
}

/// The loop ends a turn at its deadline. The connection's own timeout is slightly later, as a safety net.
const GRACE: Duration = Duration::from_secs(5);
const YEAR_MS: u64 = 365 * 24 * 60 * 60 * 1000;

async fn unless_cut<T>(
    abort: &CancellationToken,
    deadline: Instant,
    work: impl Future<Output = T>,
) -> Result<T, Cut> {
    tokio::select! {
        biased;
        () = abort.cancelled() => Err(Cut::Abort),
        done = work => Ok(done),
        () = sleep_until(deadline) => Err(Cut::Deadline),
    }
}

//! Runs a turn: does what the loop asks for, and tells it what came of it.

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

/// Who a turn is run for. One task owns it: the driver, which calls one method at a time. A batch runs beside that and therefore has
/// no access to the host; it reports what happens, and the host takes the reports in.
pub trait TurnHost: Send {
    /// What a batch reports.
    type Report: Send;

    /// A batch of calls that is under way. Dropping it gives the batch up.
    type Batch: Future<Output = ()> + Send + Unpin;

    /// Takes in an event. They come in order, and the turn waits until this one is taken in.
    fn event(&mut self, event: TurnEvent) -> BoxFuture<'_, ()>;

    /// Starts a batch of calls, which reports each outcome as soon as it is there. Calls without one are reported to the model as
    /// unanswered. The batch is dropped once the host has taken in the last outcome, so it must not hold work after that.
    fn run(&mut self, batch: Vec<ToolCall>, reports: mpsc::Sender<Self::Report>) -> Self::Batch;

    /// Takes in a report, and returns the outcome of a call where it is one.
    fn report(&mut self, report: Self::Report) -> Option<ToolOutcome>;

    /// What is new for the next round. Asked before each.
    fn news(&mut self) -> BoxFuture<'_, News> {
        Box::pin(async { News::default() })
    }

    /// How long the turn has waited for people so far, which its time limit leaves out.
    fn waited(&self) -> Duration {
        Duration::ZERO
    }
}

/// What came up between two rounds.
#[derive(Debug, Default)]
pub struct News {
    /// What people said meanwhile; it is stored already.
    pub said: Vec<Message>,
    /// The tools on offer from now on, where those changed.
    pub tools: Option<Arc<[ToolSpec]>>,
}

/// Who answers the rounds of a turn.
#[derive(Clone, Copy)]
pub enum Backend<'a> {
    /// A provider over the network.
    Provider(&'a ModelClient),
    /// A planner in this process.
    BuiltIn(&'a dyn LocalModel),
}

/// A planner in this process: no network, no key, no cost.
pub trait LocalModel: Send + Sync {
    /// Answers a conversation with the events of one round, the end included.
    fn answer<'a>(&'a self, conversation: &'a [Message]) -> BoxFuture<'a, Vec<StreamEvent>>;
}

/// Runs a turn to its end. `abort` stops it: the connection to the provider closes at once.
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
            // The stream and the tools are values of the functions above, which have returned.
            LoopOutput::Close => (),
            LoopOutput::Emit(event) => run.host.event(event).await,
        }
    }
    // The loop always says that it is over; a turn that waits for nothing is stopped.
    Ending::Stopped
}

struct Run<'a, H> {
    tool_loop: &'a mut ToolLoop,
    answerer: Backend<'a>,
    host: &'a mut H,
    abort: &'a CancellationToken,
    began: Instant,
    /// What is still to do, events excepted: those are told at once.
    todo: VecDeque<LoopOutput>,
}

/// Why a wait ended early.
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
        // One registration for the whole stream, not one for each of its chunks.
        let mut cancelled = pin!(self.abort.cancelled());
        let mut deadline = pin!(sleep_until(self.deadline()));
        let mut events = Vec::new();
        // Whatever the loop asks for next comes after this stream, which closes when this function returns.
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
                        // What was sent before the end is still in the queue.
                        reports.recv().await
                    }
                }
            };
            match unless_cut(self.abort, self.deadline(), next).await {
                Ok(Some(report)) => self.take_report(report).await,
                Ok(None) => self.tell(LoopInput::ToolsEnded).await,
                // The host may have begun to wait for a person since, which moves the deadline.
                Err(Cut::Deadline) if Instant::now() < self.deadline() => (),
                Err(cut) => {
                    drop(running);
                    // What a tool has done is known, even when nobody waits for the others any more.
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

/// The loop ends a turn at its deadline; the connection's own limit is a little later and only a net below.
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

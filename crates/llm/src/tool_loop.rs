//! A turn as a pure state machine: the same inputs at the same times produce the same outputs.
//!
//! It handles rounds, batches of calls, limits and retries, but does no I/O, has no clock and spawns no tasks. The
//! [`run_turn`](crate::run_turn) driver feeds it the events of streams and tools, and performs its outputs.

mod elision;
mod event;
mod limits;
mod round;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};

use crate::error::{ErrorClass, ModelError};
use crate::history::{CallIds, Reader, repair};
use crate::message::{Block, Message, Role, ToolCall, ToolResult};
use crate::price::{Catalogue, normalize_context_tokens, resolve_cost_usd};
use crate::prompt::SystemPrompt;
use crate::provider::ProviderId;
use crate::request::{ModelRequest, ModelSettings, ToolSpec};
use crate::retry;
use crate::stream::{StopReason, StreamEvent, Usage};
use crate::wire::{self, StreamDecoder, WrittenTools};
use elision::HeavyResults;
pub use event::{CallStatus, Ending, LoopInput, LoopOutput, ToolOutcome, TurnEvent, TurnFailure};
pub use limits::{Limit, ReachedLimit, TurnLimits};
use round::Round;

/// How often a provider may pause a turn and ask to be called again, before it counts as stuck.
const PAUSES_MAX: u32 = 5;
/// How often a model may try again after its only call of a round was cut off.
const CUT_OFFS_MAX: u32 = 2;

const CUT_OFF_NOTE: &str = "Your last call was cut off at the output limit and was not run. Send it again in smaller pieces.";
const GO_ON_NOTE: &str = "Go on.";
const STOPPED: &str = "Stopped by the user before it finished.";
const NO_ANSWER: &str =
    "The tool did not answer. Check whether it took effect before calling again.";

/// The inputs of a turn.
#[derive(Debug, Clone)]
pub struct TurnPlan {
    pub provider: ProviderId,
    pub settings: ModelSettings,
    pub system: SystemPrompt,
    /// The tools on offer, shared by all turns that offer the same.
    pub tools: Arc<[ToolSpec]>,
    /// The conversation so far. It ends with the new message, or, in a resumed turn, possibly with calls that have no results yet; those
    /// are run first.
    pub history: Vec<Message>,
    /// Whether the turn resumes where an earlier run of it ended.
    pub goes_on: bool,
    pub limits: TurnLimits,
    /// The prices from which the cost of rounds is computed.
    pub prices: Arc<Catalogue>,
    /// Seeds the jitter of retries; any number.
    pub seed: u64,
}

/// A turn, driven by [`ToolLoop::step`].
#[derive(Debug)]
pub struct ToolLoop {
    plan: TurnPlan,
    tools: WrittenTools,
    messages: Vec<Message>,
    ids: CallIds,
    heavy: HeavyResults,
    phase: Phase,
    round: Round,
    rounds: u32,
    retries: u32,
    pauses: u32,
    cut_offs: u32,
    empty_retried: bool,
    /// Calls of an earlier run of the turn that have no results yet.
    open: Vec<ToolCall>,
    began_ms: u64,
    usage: Usage,
    /// `None` once a round had no known price.
    cost_usd: Option<f64>,
    random: u64,
}

#[derive(Debug)]
enum Phase {
    Ready,
    Streaming,
    Waiting,
    Running(Batch),
    Over,
}

/// Calls of one round and the results so far.
#[derive(Debug, Default)]
struct Batch {
    calls: Vec<ToolCall>,
    results: BTreeMap<String, ToolResult>,
    ends_turn: bool,
    /// Another call after these was cut off.
    call_lost: bool,
}

impl ToolLoop {
    /// Prepares a turn, and repairs its history.
    pub fn new(mut plan: TurnPlan) -> Self {
        let mut history = std::mem::take(&mut plan.history);
        let unfinished = history.pop_if(|last| plan.goes_on && !calls_of(last).is_empty());
        let open = unfinished.as_ref().map(calls_of).unwrap_or_default();
        let reader = Reader {
            format: plan.provider.record().format,
            model: &plan.settings.model,
            rules: plan.settings.capabilities.rules,
        };
        let mut messages = repair(&history, reader);
        messages.extend(unfinished);
        // A trailing assistant message would count as a prefill of the next answer, which models refuse.
        if messages
            .last()
            .is_some_and(|last| last.role == Role::Assistant && open.is_empty())
        {
            messages.push(Message::user(GO_ON_NOTE));
        }
        Self {
            ids: CallIds::of(&messages),
            heavy: HeavyResults::new(&plan.tools),
            tools: WrittenTools::new(plan.provider.record().format, &plan.tools),
            messages,
            phase: Phase::Ready,
            round: Round::default(),
            rounds: 0,
            retries: 0,
            pauses: 0,
            cut_offs: 0,
            empty_retried: false,
            open,
            began_ms: 0,
            usage: Usage::default(),
            cost_usd: Some(0.0),
            random: plan.seed | 1,
            plan,
        }
    }

    /// Handles an input and returns the outputs to perform, in order. `now_ms` must never decrease.
    ///
    /// The phase decides which inputs are valid; any other input is ignored, because it is late, such as a result of a batch that was
    /// already abandoned. While a phase is handled, `self.phase` is `Over`, and each handler sets the next one: a handler that forgets to
    /// do so ends the turn instead of repeating a step.
    pub fn step(&mut self, now_ms: u64, input: LoopInput) -> Vec<LoopOutput> {
        let mut out = Vec::new();
        let phase = std::mem::replace(&mut self.phase, Phase::Over);
        match (phase, input) {
            (Phase::Over, _) => (),
            (phase, LoopInput::Abort) => self.stop(phase, Ending::Stopped, STOPPED, &mut out),
            (phase, LoopInput::Tick) => match self.time_limit(now_ms) {
                Some(limit) => self.out_of_time(phase, limit, &mut out),
                None => self.phase = phase,
            },
            (Phase::Ready, LoopInput::Begin) => {
                self.began_ms = now_ms;
                let open = std::mem::take(&mut self.open);
                if open.is_empty() {
                    self.send(now_ms, &mut out);
                } else {
                    let open = open.into_iter().map(|call| (call, None)).collect();
                    self.start(now_ms, open, false, &mut out);
                }
            }
            (Phase::Waiting, LoopInput::Woke) => self.send(now_ms, &mut out),
            (Phase::Streaming, LoopInput::Stream(event)) => self.stream(now_ms, event, &mut out),
            (Phase::Running(batch), LoopInput::ToolDone(outcome)) => {
                self.tool_done(now_ms, batch, outcome, &mut out);
            }
            (Phase::Running(batch), LoopInput::ToolsEnded) => {
                self.tools_ended(now_ms, batch, &mut out)
            }
            // A late input, such as a result after its batch was abandoned.
            (phase, _) => self.phase = phase,
        }
        out
    }

    /// The request that [`LoopOutput::Send`] asks to send.
    fn request(&self) -> ModelRequest<'_> {
        ModelRequest {
            settings: &self.plan.settings,
            system: &self.plan.system,
            messages: &self.messages,
            tools: &self.plan.tools,
        }
    }

    /// The body of the request that [`LoopOutput::Send`] asks to send.
    pub fn request_body(&self) -> Vec<u8> {
        let record = self.plan.provider.record();
        wire::encode(record.format, &record.quirks, &self.request(), &self.tools)
    }

    pub(crate) fn decoder(&self) -> StreamDecoder {
        let record = self.plan.provider.record();
        let model = &self.plan.settings.model;
        StreamDecoder::new(record.format, &record.quirks, model, &self.tools)
    }

    /// The time, on the clock of `now_ms`, at which the turn must be over. The driver must send a [`LoopInput::Tick`] then.
    pub fn deadline_ms(&self) -> u64 {
        let limit = self.plan.limits.time.as_millis();
        let limit = u64::try_from(limit).unwrap_or(u64::MAX);
        self.began_ms.saturating_add(limit)
    }

    /// The model that answered the latest round, as the provider reports it; the requested name may be an alias.
    pub fn answering_model(&self) -> &str {
        &self.round.model
    }

    /// Adds new messages to the conversation and replaces the tools on offer. Must only be called between rounds.
    pub(crate) fn take_up(&mut self, said: Vec<Message>, tools: Option<Arc<[ToolSpec]>>) {
        self.messages.extend(said);
        if let Some(tools) = tools {
            self.tools = WrittenTools::new(self.plan.provider.record().format, &tools);
            self.heavy.offer(&tools);
            self.plan.tools = tools;
        }
    }

    /// The conversation as the provider sees it now.
    pub fn messages(&self) -> &[Message] {
        &self.messages
    }

    fn send(&mut self, now_ms: u64, out: &mut Vec<LoopOutput>) {
        if let Some(limit) = self.limit(now_ms) {
            out.push(LoopOutput::Emit(TurnEvent::Budget(limit)));
            return self.finish(Ending::OutOfBudget(limit), out);
        }
        self.round = Round::default();
        self.phase = Phase::Streaming;
        out.push(LoopOutput::Send);
    }

    fn stream(&mut self, now_ms: u64, event: StreamEvent, out: &mut Vec<LoopOutput>) {
        self.phase = Phase::Streaming;
        match event {
            StreamEvent::Started { model } => self.round.model = model,
            StreamEvent::Text(text) => {
                self.round.text.push_str(&text);
                out.push(LoopOutput::Emit(TurnEvent::Text { text }));
            }
            StreamEvent::Reasoning(text) => {
                self.round.reasoned += text.len();
                out.push(LoopOutput::Emit(TurnEvent::Reasoning { text }));
            }
            StreamEvent::Block(block) => self.round.content.push(block),
            StreamEvent::Call { mut call, problem } => {
                call.tool_call_id = self.ids.claim(&call.tool_call_id);
                self.round.calls.push((call.clone(), problem));
                self.round.content.push(Block::ToolCall(call));
            }
            StreamEvent::Usage(usage) => self.round.usage = Some(usage),
            StreamEvent::Ended(stop) => self.round_ended(now_ms, stop, out),
            StreamEvent::Failed(error) => self.round_failed(error, out),
        }
    }

    fn round_ended(&mut self, now_ms: u64, stop: StopReason, out: &mut Vec<LoopOutput>) {
        self.retries = 0;
        self.count_round(out);
        match stop {
            StopReason::Refusal { explanation } => {
                // The refused answer is not recorded: with it in the history, the next turn would be refused too.
                self.finish(Ending::Refused { explanation }, out);
            }
            StopReason::ContextFull => {
                self.record_words(out);
                let error = ModelError::new(ErrorClass::ContextOverflow, "");
                self.finish(Ending::Failed(error), out);
            }
            StopReason::End | StopReason::ToolCalls | StopReason::Pause
                if !self.round.calls.is_empty() =>
            {
                self.run(now_ms, false, out);
            }
            StopReason::Pause if self.pauses < PAUSES_MAX => {
                self.pauses += 1;
                self.record_answer(out);
                self.send(now_ms, out);
            }
            StopReason::Pause => {
                self.record_words(out);
                let error = ModelError::new(ErrorClass::Server, "it paused too often");
                self.finish(Ending::Failed(error), out);
            }
            StopReason::Length { call_lost } => self.ran_into_length(now_ms, call_lost, out),
            StopReason::End | StopReason::ToolCalls => {
                let retry = self.round.content.is_empty()
                    && self.plan.provider.record().retries_empty
                    && !self.empty_retried;
                if retry {
                    self.empty_retried = true;
                    return self.send(now_ms, out);
                }
                self.record_words(out);
                self.finish(Ending::Done, out);
            }
        }
    }

    fn ran_into_length(&mut self, now_ms: u64, call_lost: bool, out: &mut Vec<LoopOutput>) {
        if !self.round.calls.is_empty() {
            return self.run(now_ms, call_lost, out);
        }
        self.record_words(out);
        if !call_lost || self.cut_offs >= CUT_OFFS_MAX {
            return self.finish(Ending::CutOff, out);
        }
        self.cut_offs += 1;
        self.record(Message::user(CUT_OFF_NOTE), out);
        self.send(now_ms, out);
    }

    fn round_failed(&mut self, error: ModelError, out: &mut Vec<LoopOutput>) {
        let jitter = self.random();
        if !self.round.was_shown()
            && let Some(pause) = retry::pause(&error, self.retries, jitter)
        {
            self.retries += 1;
            self.phase = Phase::Waiting;
            let after_ms = u64::try_from(pause.as_millis()).unwrap_or(u64::MAX);
            let reason = error.to_string();
            out.push(LoopOutput::Emit(TurnEvent::Retry { after_ms, reason }));
            out.push(LoopOutput::Wait(pause));
            return;
        }
        if self.round.was_shown() {
            self.keep_partial_answer(out);
        }
        self.finish(Ending::Failed(error), out);
    }

    /// Emits the calls, records the answer that contains them, and runs those that are valid.
    fn run(&mut self, now_ms: u64, call_lost: bool, out: &mut Vec<LoopOutput>) {
        let calls = std::mem::take(&mut self.round.calls);
        for (call, _) in &calls {
            out.push(LoopOutput::Emit(TurnEvent::tool_call(call)));
        }
        self.record_answer(out);
        self.start(now_ms, calls, call_lost, out);
    }

    fn start(
        &mut self,
        now_ms: u64,
        calls: Vec<(ToolCall, Option<String>)>,
        call_lost: bool,
        out: &mut Vec<LoopOutput>,
    ) {
        let mut batch = Batch {
            call_lost,
            ..Batch::default()
        };
        let mut runnable = Vec::new();
        let mut refused = Vec::new();
        for (call, problem) in calls {
            let unknown = !self
                .plan
                .tools
                .iter()
                .any(|tool| tool.name == call.tool_name);
            let problem = problem.or_else(|| {
                unknown.then(|| format!("There is no tool `{}` on offer.", call.tool_name))
            });
            match problem {
                Some(problem) => refused.push(ToolResult::failed(&call, problem)),
                None => runnable.push(self.prepared(call.clone())),
            }
            batch.calls.push(call);
        }
        for result in refused {
            out.push(LoopOutput::Emit(TurnEvent::tool_result(&result)));
            batch.results.insert(result.tool_call_id.clone(), result);
        }
        if runnable.is_empty() {
            return self.batch_done(now_ms, batch, out);
        }
        self.phase = Phase::Running(batch);
        out.push(LoopOutput::Run(runnable));
    }

    /// Sets the argument that asks for pictures. Whether the model can see them decides, never the model's own argument.
    fn prepared(&self, mut call: ToolCall) -> ToolCall {
        let tool = self
            .plan
            .tools
            .iter()
            .find(|tool| tool.name == call.tool_name);
        if let Some(argument) = tool.and_then(|tool| tool.pictures)
            && let Value::Object(input) = &mut call.input
        {
            let sees = self.plan.settings.capabilities.vision_input;
            input.insert(argument.to_owned(), json!(sees));
        }
        call
    }

    fn tool_done(
        &mut self,
        now_ms: u64,
        mut batch: Batch,
        outcome: ToolOutcome,
        out: &mut Vec<LoopOutput>,
    ) {
        let ToolOutcome { result, ends_turn } = outcome;
        let id = &result.tool_call_id;
        let asked = batch.calls.iter().any(|call| call.tool_call_id == *id);
        if asked && !batch.results.contains_key(id) {
            out.push(LoopOutput::Emit(TurnEvent::tool_result(&result)));
            batch.ends_turn |= ends_turn;
            batch.results.insert(id.clone(), result);
        }
        if batch.results.len() == batch.calls.len() {
            self.batch_done(now_ms, batch, out);
        } else {
            self.phase = Phase::Running(batch);
        }
    }

    fn tools_ended(&mut self, now_ms: u64, mut batch: Batch, out: &mut Vec<LoopOutput>) {
        self.answer_the_rest(&mut batch, NO_ANSWER, out);
        self.batch_done(now_ms, batch, out);
    }

    fn answer_the_rest(&mut self, batch: &mut Batch, why: &str, out: &mut Vec<LoopOutput>) {
        for call in &batch.calls {
            if !batch.results.contains_key(&call.tool_call_id) {
                let result = ToolResult::failed(call, why);
                out.push(LoopOutput::Emit(TurnEvent::tool_result(&result)));
                batch.results.insert(call.tool_call_id.clone(), result);
            }
        }
    }

    fn batch_done(&mut self, now_ms: u64, batch: Batch, out: &mut Vec<LoopOutput>) {
        let (ends_turn, call_lost) = (batch.ends_turn, batch.call_lost);
        self.record_results(batch, out);
        if ends_turn {
            return self.finish(Ending::EndedByTool, out);
        }
        if call_lost {
            self.record(Message::user(CUT_OFF_NOTE), out);
        }
        self.send(now_ms, out);
    }

    /// Records the results of a batch as one message, in the order of the calls, and elides older results of the same heavy tools.
    fn record_results(&mut self, mut batch: Batch, out: &mut Vec<LoopOutput>) {
        let results = batch.calls.iter();
        let results = results.filter_map(|call| batch.results.remove(&call.tool_call_id));
        let message = Message {
            role: Role::Tool,
            content: results.map(Block::ToolResult).collect(),
        };
        self.record(message, out);
        let bound = self
            .plan
            .settings
            .capabilities
            .rules
            .reasoning_bound_to_prefix;
        self.heavy.elide(&mut self.messages, bound);
    }

    fn record_answer(&mut self, out: &mut Vec<LoopOutput>) {
        let content = std::mem::take(&mut self.round.content);
        if !content.is_empty() {
            self.record(Message::assistant(content), out);
        }
    }

    /// Records the answer without its calls, which will never be run. An answer of reasoning alone is not recorded.
    fn record_words(&mut self, out: &mut Vec<LoopOutput>) {
        let content = &mut self.round.content;
        content.retain(|block| !matches!(block, Block::ToolCall(_)));
        if content
            .iter()
            .all(|block| matches!(block, Block::Reasoning(_)))
        {
            content.clear();
        }
        self.record_answer(out);
    }

    fn record(&mut self, message: Message, out: &mut Vec<LoopOutput>) {
        self.messages.push(message.clone());
        out.push(LoopOutput::Emit(TurnEvent::Message(message)));
    }

    /// Records what a stream said before it broke: the text stays, calls are dropped, and the usage is estimated.
    fn keep_partial_answer(&mut self, out: &mut Vec<LoopOutput>) {
        let guess = self.guessed_usage();
        self.round.usage = Some(guess);
        self.count_round(out);
        let text = std::mem::take(&mut self.round.text);
        self.round.content.clear();
        if !text.is_empty() {
            self.record(Message::assistant(vec![Block::text(text)]), out);
        }
    }

    /// Estimates the usage of a broken stream at four bytes per token. Numbers that the provider has already reported take precedence.
    fn guessed_usage(&self) -> Usage {
        let said = self.round.usage.unwrap_or_default();
        let prompt = round::tokens_about(&self.messages);
        let output = (self.round.text.len() + self.round.reasoned) as u64 / 4;
        Usage {
            prompt_tokens: if said.prompt_tokens > 0 {
                said.prompt_tokens
            } else {
                prompt
            },
            completion_tokens: said.completion_tokens.max(output),
            estimated: true,
            ..said
        }
    }

    fn count_round(&mut self, out: &mut Vec<LoopOutput>) {
        self.rounds += 1;
        let Some(usage) = self.round.usage.take() else {
            self.cost_usd = None;
            return;
        };
        let TurnPlan {
            provider,
            settings,
            prices,
            ..
        } = &self.plan;
        let cost = resolve_cost_usd(prices, *provider, &settings.model, &usage);
        self.cost_usd = self.cost_usd.zip(cost).map(|(sum, more)| sum + more);
        self.usage.add(&usage);
        let context_tokens = normalize_context_tokens(*provider, &usage);
        out.push(LoopOutput::Emit(TurnEvent::Context {
            context_tokens,
            used: self.used(),
        }));
    }

    /// What the turn used so far.
    fn used(&self) -> Usage {
        Usage {
            cost_usd: self.cost_usd,
            ..self.usage
        }
    }

    fn stop(&mut self, phase: Phase, ending: Ending, why: &str, out: &mut Vec<LoopOutput>) {
        match phase {
            Phase::Streaming => {
                out.push(LoopOutput::Close);
                if self.round.has_begun() {
                    self.keep_partial_answer(out);
                }
            }
            Phase::Running(mut batch) => {
                out.push(LoopOutput::Close);
                self.answer_the_rest(&mut batch, why, out);
                self.record_results(batch, out);
            }
            Phase::Ready | Phase::Waiting | Phase::Over => (),
        }
        self.finish(ending, out);
    }

    fn out_of_time(&mut self, phase: Phase, limit: ReachedLimit, out: &mut Vec<LoopOutput>) {
        out.push(LoopOutput::Emit(TurnEvent::Budget(limit)));
        let why = "The turn ran out of time before this finished.";
        self.stop(phase, Ending::OutOfBudget(limit), why, out);
    }

    fn finish(&mut self, ending: Ending, out: &mut Vec<LoopOutput>) {
        self.phase = Phase::Over;
        if self.rounds > 0 {
            out.push(LoopOutput::Emit(TurnEvent::Usage(self.used())));
        }
        out.push(LoopOutput::Emit(match ending.failure() {
            Some(TurnFailure { message, class }) => TurnEvent::Error { message, class },
            None => TurnEvent::Done,
        }));
        out.push(LoopOutput::Over(ending));
    }

    fn limit(&self, now_ms: u64) -> Option<ReachedLimit> {
        let spent = limits::Spending {
            rounds: self.rounds,
            time: Duration::from_millis(now_ms.saturating_sub(self.began_ms)),
            tokens: normalize_context_tokens(self.plan.provider, &self.usage)
                .saturating_add(self.usage.completion_tokens),
            cost_usd: self.cost_usd,
        };
        self.plan.limits.reached(&spent)
    }

    fn time_limit(&self, now_ms: u64) -> Option<ReachedLimit> {
        let limit = self.limit(now_ms);
        limit.filter(|reached| reached.limit == Limit::Time)
    }

    /// A pseudo-random number between 0 and 1, determined by the seed (xorshift).
    fn random(&mut self) -> f64 {
        let mut x = self.random;
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        self.random = x;
        (x >> 11) as f64 / (1_u64 << 53) as f64
    }
}

fn calls_of(message: &Message) -> Vec<ToolCall> {
    let blocks = message.content.iter();
    let calls = blocks.filter_map(|block| match block {
        Block::ToolCall(call) => Some(call.clone()),
        _ => None,
    });
    calls.collect()
}

#[cfg(test)]
mod tests;

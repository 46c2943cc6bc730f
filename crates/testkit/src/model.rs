//! Model providers that speak their wire formats from a scenario, misbehave on request and are strict about what they are sent.
//!
//! A scenario is a list of rounds; each request gets the next one, or the one that its history has come to. A request that a real provider would refuse is refused in
//! the provider's own words, and the test that sent it fails with the reason when the simulator is dropped. The streams are
//! checked against the providers' own Python SDKs (`cargo xtask test`), so that this cannot become a dialect of ours.
//!
//! ```
//! use sitewright_testkit::model::{Dialect, ModelSimulator, Scenario};
//!
//! let scenario = Scenario::from_json(r#"{"rounds": [{"reply": {"blocks": [{"text": "Hello"}]}}]}"#);
//! let simulator = ModelSimulator::start(Dialect::Anthropic, scenario);
//! assert!(simulator.base_url().starts_with("http://127.0.0.1:"));
//! ```

mod check;
mod fault;
mod lists;
mod scenario;
mod write;

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::{Value, json};

use crate::vendor::{Answer, Received, Reply, Vendor};
pub use scenario::{Block, Call, Failure, Faults, ModelReply, Order, Round, Scenario, Usage};

/// Whose wire format is spoken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// `POST /v1/messages`.
    Anthropic,
    /// `POST /v1/responses`.
    OpenAi,
    /// `POST /api/v1/responses`, with cost.
    OpenRouter,
    /// `POST /v1/chat/completions`.
    Ollama,
    /// `POST /api/v1/chat/completions`.
    Venice,
}

impl Dialect {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self::Anthropic,
        Self::OpenAi,
        Self::OpenRouter,
        Self::Ollama,
        Self::Venice,
    ];

    /// The id of the provider.
    pub fn id(self) -> &'static str {
        match self {
            Self::Anthropic => "anthropic",
            Self::OpenAi => "openai",
            Self::OpenRouter => "openrouter",
            Self::Ollama => "ollama",
            Self::Venice => "venice",
        }
    }

    /// The provider with this id.
    ///
    /// # Panics
    /// When there is none.
    pub fn from_id(id: &str) -> Self {
        let found = Self::ALL.into_iter().find(|dialect| dialect.id() == id);
        found.unwrap_or_else(|| panic!("there is no dialect {id}"))
    }

    /// Where its paths begin.
    fn base_path(self) -> &'static str {
        match self {
            Self::Anthropic | Self::Ollama => "",
            Self::OpenAi => "/v1",
            Self::OpenRouter | Self::Venice => "/api/v1",
        }
    }

    fn chat_path(self) -> &'static str {
        match self {
            Self::Anthropic => "/v1/messages",
            Self::OpenAi => "/v1/responses",
            Self::OpenRouter => "/api/v1/responses",
            Self::Ollama => "/v1/chat/completions",
            Self::Venice => "/api/v1/chat/completions",
        }
    }
}

/// A running provider.
#[derive(Debug)]
pub struct ModelSimulator {
    vendor: Vendor,
    dialect: Dialect,
    state: Arc<Mutex<State>>,
}

#[derive(Debug, Default)]
struct State {
    rounds: VecDeque<Round>,
    order: Order,
    answered: usize,
    problems: Vec<String>,
}

impl State {
    fn next_round(&mut self, body: &Value) -> Option<Round> {
        match self.order {
            Order::Requests => self.rounds.pop_front(),
            Order::History => {
                let history = body.to_string();
                let goes_on = |round: &&Round| !round.is_in(&history);
                self.rounds.iter().find(goes_on).cloned()
            }
        }
    }
}

impl ModelSimulator {
    /// Starts a provider that plays a scenario.
    pub fn start(dialect: Dialect, scenario: Scenario) -> Self {
        let state = State {
            rounds: scenario.rounds.into(),
            order: scenario.order,
            ..State::default()
        };
        let state = Arc::new(Mutex::new(state));
        let shared = Arc::clone(&state);
        let vendor = Vendor::answering(move |received| answer(dialect, received, &shared));
        Self {
            vendor,
            dialect,
            state,
        }
    }

    /// The base URL, as it is written in a credential.
    pub fn base_url(&self) -> String {
        self.vendor.url(self.dialect.base_path())
    }

    /// The bodies of the requests for an answer so far.
    pub fn requests(&self) -> Vec<Value> {
        let all = self.vendor.requests();
        let chats = all.iter().filter(|received| received.method == "POST");
        chats
            .map(|received| serde_json::from_slice(&received.body).unwrap_or(Value::Null))
            .collect()
    }

    /// Every request so far, as it arrived.
    pub fn received(&self) -> Vec<Received> {
        self.vendor.requests()
    }

    /// What was wrong with requests so far.
    pub fn problems(&self) -> Vec<String> {
        lock(&self.state).problems.clone()
    }

    /// Takes note that the test expected those problems, so that they do not fail it.
    pub fn forgive(&self) -> Vec<String> {
        std::mem::take(&mut lock(&self.state).problems)
    }

    /// How many rounds were not asked for.
    pub fn rounds_left(&self) -> usize {
        lock(&self.state).rounds.len()
    }

    /// Waits, on the thread that runs it, until so many requests of any kind have come; see [`Vendor::until_requests`].
    pub fn until_requests(&self, count: usize) -> impl FnOnce() + Send + use<> {
        self.vendor.until_requests(count)
    }

    /// Whether a client hung up on a stalled stream, waiting at most so long for it.
    pub fn saw_hang_up(&self, patience: Duration) -> bool {
        self.vendor.saw_hang_up(patience)
    }
}

impl Drop for ModelSimulator {
    fn drop(&mut self) {
        let problems = self.problems();
        if !problems.is_empty() && !std::thread::panicking() {
            panic!(
                "the {} simulator refused: {}",
                self.dialect.id(),
                problems.join("; ")
            );
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn answer(dialect: Dialect, received: &Received, state: &Mutex<State>) -> Answer {
    let path = received.path.split('?').next().unwrap_or_default();
    if received.method == "GET" {
        return lists::answer(dialect, path);
    }
    let mut state = lock(state);
    if path != dialect.chat_path() {
        return refuse(dialect, &mut state, format!("there is no POST {path}"));
    }
    if let Err(problem) = check::request(dialect, received) {
        return refuse(dialect, &mut state, problem);
    }
    let body: Value = serde_json::from_slice(&received.body).unwrap_or(Value::Null);
    let Some(round) = state.next_round(&body) else {
        return refuse(
            dialect,
            &mut state,
            "the scenario has no round left".to_owned(),
        );
    };
    state.answered += 1;
    if let Some(missing) = round.missing_in(&body) {
        return refuse(dialect, &mut state, missing);
    }
    match round {
        Round {
            error: Some(failure),
            ..
        } => failed(dialect, &failure),
        Round {
            reply: Some(reply), ..
        } => {
            let reply = reply.filled_from(&body);
            let frames = write::frames(dialect, &body, &reply, state.answered);
            fault::answer(dialect, frames, &reply.faults)
        }
        Round { .. } => refuse(
            dialect,
            &mut state,
            "the round has neither a reply nor an error".to_owned(),
        ),
    }
}

fn refuse(dialect: Dialect, state: &mut State, problem: String) -> Answer {
    let failure = Failure {
        status: 400,
        kind: Some("invalid_request_error".to_owned()),
        message: problem.clone(),
        ..Failure::default()
    };
    state.problems.push(problem);
    failed(dialect, &failure)
}

/// An error before the stream, in the shape the provider gives it.
fn failed(dialect: Dialect, failure: &Failure) -> Answer {
    let mut reply = match &failure.body {
        Some(body) => Reply::new(failure.status, body.clone()),
        None => {
            let body = write::error_body(dialect, failure);
            Reply::new(failure.status, body.to_string())
                .with_header("content-type", "application/json")
        }
    };
    if let Some(after) = &failure.retry_after {
        reply = reply.with_header("retry-after", after);
    }
    let id_header = match dialect {
        Dialect::Anthropic => "request-id",
        _ => "x-request-id",
    };
    Answer::Reply(reply.with_header(id_header, "req_simulated"))
}

/// A value of JSON, short enough for a message.
fn short(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(120) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text,
    }
}

/// An empty list or object is often what a test means by nothing.
fn given(value: &Value) -> bool {
    !matches!(value, Value::Null) && *value != json!([]) && *value != json!({})
}

#[cfg(test)]
mod tests;

//! Turns over real sockets, against providers that speak their own wire formats.

#![expect(clippy::unwrap_used, reason = "a panic in a test is a failed test")]

mod faults;
mod gates;
mod lists;
mod prices;
mod turns;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::future::BoxFuture;
use serde_json::{Value, json};
use sitewright_egress::{Egress, EgressPolicy, Limits};
use sitewright_llm::{
    Backend, Capabilities, Catalogue, Ending, Message, ModelClient, ModelSettings, ProviderId,
    SystemPrompt, ToolCall, ToolLoop, ToolOutcome, ToolResult, ToolSpec, TurnEvent, TurnHost,
    TurnLimits, TurnPlan, run_turn,
};
use sitewright_testkit::model::{Dialect, ModelSimulator};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// A client that may talk to this machine.
fn egress() -> Egress {
    let allow = "127.0.0.1/32".parse().unwrap();
    Egress::new(EgressPolicy { allow }, Limits::default()).unwrap()
}

fn provider(dialect: Dialect) -> ProviderId {
    dialect.id().parse().unwrap()
}

fn model(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::Anthropic => "claude-opus-5-5",
        Dialect::OpenAi => "gpt-6-sol",
        Dialect::OpenRouter => "anthropic/claude-opus-5.5",
        Dialect::Ollama => "qwen3",
        Dialect::Venice => "kimi-k3",
    }
}

fn client(simulator: &ModelSimulator, dialect: Dialect) -> ModelClient {
    let key = Some("sk-test-0123456789".into());
    ModelClient::new(
        egress(),
        provider(dialect),
        Some(&simulator.base_url()),
        key,
    )
}

fn plan(dialect: Dialect) -> TurnPlan {
    let tool = |name: &str, heavy: bool| ToolSpec {
        name: name.to_owned(),
        description: format!("The tool {name}."),
        input_schema: json!({ "type": "object", "properties": { "city": { "type": "string", "format": "uint8" } } }),
        heavy,
        pictures: None,
    };
    let model = model(dialect);
    TurnPlan {
        provider: provider(dialect),
        settings: ModelSettings::new(model, Capabilities::of(model)),
        system: SystemPrompt::new("You build sites.", "Page: Home."),
        tools: Arc::new([
            tool("ping", false),
            tool("get_weather", false),
            tool("read_document", true),
        ]),
        history: vec![Message::user("How is the weather?")],
        goes_on: false,
        limits: TurnLimits::default(),
        prices: Catalogue::bundled(),
        seed: 1,
    }
}

type Answering = dyn Fn(&ToolCall) -> Option<ToolResult> + Send + Sync;

/// Remembers events and answers calls.
struct Host {
    events: Mutex<Vec<TurnEvent>>,
    batches: Mutex<Vec<Vec<ToolCall>>>,
    answering: Box<Answering>,
    /// Told of every text, so that a test can stop a turn in the middle.
    on_text: Box<dyn Fn() + Send + Sync>,
}

impl Default for Host {
    fn default() -> Self {
        Self {
            events: Mutex::default(),
            batches: Mutex::default(),
            answering: Box::new(|call| Some(answer(call, json!({ "celsius": 4 })))),
            on_text: Box::new(|| ()),
        }
    }
}

fn answer(call: &ToolCall, data: Value) -> ToolResult {
    ToolResult {
        ok: true,
        data: Some(data),
        error: None,
        ..ToolResult::failed(call, "")
    }
}

impl<'a> TurnHost for &'a Host {
    type Report = ToolOutcome;
    type Batch = BoxFuture<'a, ()>;

    fn event(&mut self, event: TurnEvent) -> BoxFuture<'_, ()> {
        let text = matches!(event, TurnEvent::Text { .. });
        self.events.lock().unwrap().push(event);
        if text {
            (self.on_text)();
        }
        Box::pin(std::future::ready(()))
    }

    fn report(&mut self, outcome: ToolOutcome) -> Option<ToolOutcome> {
        Some(outcome)
    }

    fn run(&mut self, batch: Vec<ToolCall>, done: mpsc::Sender<ToolOutcome>) -> Self::Batch {
        let host = *self;
        self.batches.lock().unwrap().push(batch.clone());
        Box::pin(async move {
            for call in &batch {
                match (host.answering)(call) {
                    Some(result) => drop(
                        done.send(ToolOutcome {
                            result,
                            ends_turn: false,
                        })
                        .await,
                    ),
                    None => std::future::pending().await,
                }
            }
        })
    }
}

impl Host {
    fn text(&self) -> String {
        let events = self.events.lock().unwrap();
        let texts = events.iter().filter_map(|event| match event {
            TurnEvent::Text { text } => Some(text.as_str()),
            _ => None,
        });
        texts.collect()
    }

    /// The events as they are written, messages excepted.
    fn written(&self) -> Vec<Value> {
        let events = self.events.lock().unwrap();
        let told = events
            .iter()
            .filter(|event| !matches!(event, TurnEvent::Message(_)));
        told.map(|event| serde_json::to_value(event).unwrap())
            .collect()
    }

    fn written_of(&self, kind: &str) -> Vec<Value> {
        let mut events = self.written();
        events.retain(|event| event["type"] == kind);
        events
    }
}

async fn run(plan: TurnPlan, client: &ModelClient, host: &Host) -> (Ending, ToolLoop) {
    let mut turn = ToolLoop::new(plan);
    let ending = run_turn(
        &mut turn,
        Backend::Provider(client),
        &mut { host },
        &CancellationToken::new(),
    )
    .await;
    (ending, turn)
}

/// Nothing in these tests takes this long unless it hangs.
const PATIENCE: Duration = Duration::from_secs(120);

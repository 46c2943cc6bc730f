//! What a turn costs beyond its model. Prints a JSON object per measure for `cargo xtask bench`.

#![expect(
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a benchmark that cannot run has failed, and it prints"
)]

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use futures_util::future::{BoxFuture, join_all};
use secrecy::SecretString;
use serde_json::{Value, json};
use sitewright_agent::{Agent, Executor, Mode, Models, NewAccess, NewMessage};
use sitewright_egress::{Egress, EgressPolicy, Limits};
use sitewright_llm::{
    Backend, Block, Capabilities, Catalogue, Message, ModelClient, ModelSettings, ProviderId,
    Refresh, Role, SystemPrompt, ToolCall, ToolLoop, ToolOutcome, ToolResult, TurnEvent, TurnHost,
    TurnLimits, TurnPlan, run_turn,
};
use sitewright_runtime::{Pipeline, Registry};
use sitewright_site::View;
use sitewright_store::{
    Actor, Conversation, ConversationId, ConversationOwner, KeySource, NewTurnMessage, Place,
    Secrets, SiteId, Stamp, Store, Timestamp, TurnId, TurnRecord, TurnState,
};
use sitewright_testkit::model::{Dialect, Faults, ModelSimulator, Scenario};
use sitewright_tool::{CapabilitySet, Scope};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

const MODEL: &str = "claude-opus-5-5";
const TURNS: usize = 200;
const MESSAGES: usize = 10_000;
const DELTAS: usize = 100;
const ALONE: usize = 20;

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .expect("a runtime");
    runtime.block_on(measure());
}

async fn measure() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = Store::open(&Place::File(folder.path().join("bench.db")))
        .await
        .expect("a store");
    let secrets = Secrets::open(&store, &KeySource::File(folder.path().join("key")))
        .await
        .expect("a key");
    let allow = "127.0.0.1/32".parse().expect("a list");
    let egress = Egress::new(EgressPolicy { allow }, Limits::default()).expect("a way out");
    let pipeline = Pipeline::new(store.clone(), Registry::built_in());
    let models = Models::new(store.clone(), secrets, egress.clone(), Refresh::Off);
    let everybody = Arc::new(|_: &SiteId, _: &sitewright_runtime::ToolSource, _: &str| true);
    let agent = Agent::new(store.clone(), pipeline.clone(), models, everybody);
    history(&store).await;
    let simulator = provider(3 * TURNS + ALONE);
    forwarding(&agent, &egress, &simulator).await;
    many_at_once(&agent, &simulator).await;
    agent.close().await;
    pipeline.close().await;
    store.close().await;
}

fn provider(rounds: usize) -> ModelSimulator {
    let faults = Faults {
        piece_chars: Some(4),
        ..Faults::default()
    };
    let one = Scenario::says(&"abcd".repeat(DELTAS)).with_faults(&faults);
    let round = one.rounds[0].clone();
    let scenario = Scenario {
        rounds: vec![round; rounds],
        ..Scenario::default()
    };
    ModelSimulator::start(Dialect::Anthropic, scenario)
}

fn site() -> SiteId {
    SiteId::from("main".to_owned())
}

fn conversation() -> Conversation {
    let now = Timestamp::now();
    Conversation {
        id: ConversationId::new(),
        site: site(),
        owner: "local".to_owned(),
        scope: Scope::Site,
        title: "Bench".to_owned(),
        credential: None,
        model: None,
        context_tokens: None,
        is_tainted: false,
        created_at: now,
        updated_at: now,
    }
}

/// A long conversation: reading its rows, their blocks, and mending it for the provider.
async fn history(store: &Store) {
    let conversation = conversation();
    let now = Timestamp::now();
    store
        .create_conversation(&conversation, &Stamp::local(now))
        .await
        .expect("a conversation");
    let turn = TurnRecord {
        id: TurnId::new(),
        site: site(),
        conversation: conversation.id.clone(),
        actor: Actor::Local,
        state: TurnState::Running,
        request: json!({}),
        outcome: None,
        holder: "bench".to_owned(),
        held_until: now.after(Duration::from_secs(3600)),
        started_at: now,
        ended_at: None,
    };
    let text = json!([{ "kind": "text", "text": "Make the heading of the second section a little larger, please." }]);
    store
        .begin_turn(&turn, &text.to_string())
        .await
        .expect("a turn");
    for number in 1..MESSAGES {
        let (role, content) = message(number);
        let message = NewTurnMessage {
            role,
            content: &content.to_string(),
            is_tainted: false,
            at: now,
        };
        store.add_message(&turn, message).await.expect("a message");
    }
    let (mut times, mut reading) = (Vec::new(), Vec::new());
    for _ in 0..30 {
        let started = Instant::now();
        drop(store.said(&conversation.id).await.expect("rows"));
        reading.push(started.elapsed());
        let started = Instant::now();
        let said = store.said(&conversation.id).await.expect("rows");
        let history: Vec<Message> = said
            .iter()
            .map(|(role, content)| Message {
                role: match role.as_str() {
                    "user" => Role::User,
                    "assistant" => Role::Assistant,
                    _ => Role::Tool,
                },
                content: serde_json::from_str(content).expect("blocks"),
            })
            .collect();
        let turn = ToolLoop::new(plan(history));
        times.push(started.elapsed());
        assert!(turn.messages().len() >= MESSAGES);
    }
    let found = median(&mut times) / 1000.0;
    let target = json!({ "text": format!("under 50 ms, found {found:.1}"), "met": found < 50.0 });
    let reading = median(&mut reading) / 1000.0;
    print_row(
        "building a history of 10,000 messages, against reading its rows",
        (
            &format!("{found:.1} ms"),
            &format!("{reading:.1} ms"),
            found / reading,
        ),
        &target,
    );
}

fn message(number: usize) -> (&'static str, Value) {
    let id = format!("c{}", number / 4);
    match number % 4 {
        0 => (
            "user",
            json!([{ "kind": "text", "text": "And the next one, please." }]),
        ),
        1 => (
            "assistant",
            json!([{ "kind": "text", "text": "I look at it." }, { "kind": "toolCall", "toolCallId": id, "toolName": "renameNode", "input": { "nodeId": "abcdefghijkl", "label": "Hero" } }]),
        ),
        2 => (
            "tool",
            json!([{ "kind": "toolResult", "toolCallId": id, "toolName": "renameNode", "ok": true, "receipt": { "changed": [{ "kind": "node", "id": "abcdefghijkl" }] } }]),
        ),
        _ => (
            "assistant",
            json!([{ "kind": "text", "text": "It is done." }]),
        ),
    }
}

fn plan(history: Vec<Message>) -> TurnPlan {
    TurnPlan {
        provider: ProviderId::Anthropic,
        settings: ModelSettings::new(MODEL, Capabilities::of(MODEL)),
        system: SystemPrompt::new("You build sites.", "Page: Home."),
        tools: Arc::new([]),
        history,
        goes_on: false,
        limits: TurnLimits::default(),
        prices: Catalogue::bundled(),
        seed: 1,
    }
}

/// Throws away what the loop says.
struct Nobody(Mutex<usize>);

impl<'a> TurnHost for &'a Nobody {
    type Report = ToolOutcome;
    type Batch = BoxFuture<'a, ()>;

    fn event(&mut self, event: TurnEvent) -> BoxFuture<'_, ()> {
        if matches!(event, TurnEvent::Text { .. }) {
            *self.0.lock().expect("a count") += 1;
        }
        Box::pin(std::future::ready(()))
    }

    fn report(&mut self, outcome: ToolOutcome) -> Option<ToolOutcome> {
        Some(outcome)
    }

    fn run(&mut self, batch: Vec<ToolCall>, done: mpsc::Sender<ToolOutcome>) -> Self::Batch {
        Box::pin(async move {
            for call in &batch {
                let outcome = ToolOutcome {
                    result: ToolResult::failed(call, "none"),
                    ends_turn: false,
                };
                drop(done.send(outcome).await);
            }
        })
    }
}

/// A turn of many deltas, watched, against the loop alone.
async fn forwarding(agent: &Agent, egress: &Egress, simulator: &ModelSimulator) {
    let access = NewAccess {
        provider_id: "anthropic".to_owned(),
        label: "Bench".to_owned(),
        base_url: Some(simulator.base_url()),
        api_key: Some(SecretString::from("sk-bench")),
    };
    let by = Stamp::local(Timestamp::now());
    agent
        .models()
        .add_credential(&site(), &access, &by)
        .await
        .expect("a credential");
    let key = Some(SecretString::from("sk-bench"));
    let base = simulator.base_url();
    let client = ModelClient::new(egress.clone(), ProviderId::Anthropic, Some(&base), key);
    let (mut product, mut baseline) = (Vec::new(), Vec::new());
    for _ in 0..TURNS {
        let started = Instant::now();
        let events = one_turn(agent).await;
        product.push(started.elapsed());
        assert!(events >= DELTAS, "{events}");
        let host = Nobody(Mutex::new(0));
        let mut turn = ToolLoop::new(plan(vec![Message::user("hi")]));
        let started = Instant::now();
        let never = CancellationToken::new();
        run_turn(&mut turn, Backend::Provider(&client), &mut &host, &never).await;
        baseline.push(started.elapsed());
    }
    let (product, baseline) = (median(&mut product), median(&mut baseline));
    let each = (product - baseline) / DELTAS as f64;
    let target = json!({ "text": format!("under 1 ms added for each delta, found {:.3}", each / 1000.0), "met": each < 1000.0 });
    print_row(
        "a turn of 100 deltas with everything kept and watched, against the loop alone",
        (
            &format!("{product:.0} µs"),
            &format!("{baseline:.0} µs"),
            product / baseline,
        ),
        &target,
    );
}

/// Runs a turn in a conversation of its own, and counts its events.
async fn one_turn(agent: &Agent) -> usize {
    let by = Stamp::local(Timestamp::now());
    let begun = agent
        .begin_conversation(
            ConversationOwner {
                site: &site(),
                owner: "local",
            },
            Scope::Site,
            None,
            &by,
        )
        .await
        .expect("a conversation");
    let mut sent = agent
        .send(NewMessage {
            site: site(),
            conversation: begun.id,
            owner: "local".to_owned(),
            person: None,
            actor: Actor::Local,
            capabilities: CapabilitySet::all(),
            content: vec![Block::text("hi")],
            mode: Mode::Edit,
            executor: Executor::Headless,
            view: View::default(),
            entry: None,
        })
        .await
        .expect("a turn");
    let (mut events, mut last) = (0, String::new());
    while let Some(line) = sent.watch.next().await {
        events += 1;
        last = line.to_string();
    }
    assert!(last.contains("\"type\":\"done\""), "{last}");
    events
}

async fn many_at_once(agent: &Agent, simulator: &ModelSimulator) {
    let started = Instant::now();
    let turns = join_all((0..TURNS).map(|_| one_turn(agent))).await;
    let together = started.elapsed();
    let started = Instant::now();
    for _ in 0..ALONE {
        one_turn(agent).await;
    }
    let alone = started.elapsed().as_secs_f64() * 1000.0 / ALONE as f64;
    let each = together.as_secs_f64() * 1000.0 / TURNS as f64;
    let is_whole = turns.iter().all(|events| *events >= DELTAS) && simulator.problems().is_empty();
    let target = json!({ "text": format!("{TURNS} without an error"), "met": is_whole && agent.under_way() == (0, 0) });
    print_row(
        "one of 200 turns at once, against one after another",
        (
            &format!("{each:.1} ms"),
            &format!("{alone:.1} ms"),
            each / alone,
        ),
        &target,
    );
}

/// In microseconds.
fn median(times: &mut [Duration]) -> f64 {
    times.sort_unstable();
    times[times.len() / 2].as_secs_f64() * 1e6
}

fn print_row(measure: &str, (product, baseline, ratio): (&str, &str, f64), target: &Value) {
    println!(
        "{}",
        json!({ "measure": measure, "product": product, "baseline": baseline, "ratio": ratio, "target": target })
    );
}

//! The fixture on a real store, and a conversation with the commands on a copy of it.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use futures_util::future::BoxFuture;
use serde_json::{Value, json};
use sitewright_commands::{Commands, Situation};
use sitewright_llm::{
    Backend, Block, Capabilities, Catalogue, LocalModel, Message, ModelSettings, ProviderId, Role,
    StreamEvent, SystemPrompt, ToolCall, ToolLoop, ToolOutcome, ToolSpec, TurnEvent, TurnHost,
    TurnLimits, TurnPlan, run_turn,
};
use sitewright_runtime::{
    Attempt, Call, CardDecision, Failure, Outside, Pipeline, Registry, Tool, ToolOutput,
    ToolSource, history_tools,
};
use sitewright_site::{Author, BodyId, NodeId, Site};
use sitewright_store::{Actor, Committer, Place, SiteId, Stamp, Store, Timestamp};
use sitewright_tool::definition::outside;
use sitewright_tool::{CapabilitySet, Effect, Envelope, ErrorCode, Scope};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::snapshot::Snapshot;

pub(crate) fn main_site() -> SiteId {
    SiteId::from("main".to_owned())
}

fn local() -> Committer {
    Committer::new(
        Author::Local,
        CapabilitySet::all(),
        Stamp::local(Timestamp::now()),
    )
}

fn ana() -> Stamp {
    Stamp {
        actor: Actor::User("ana".to_owned().into()),
        at: Timestamp::now(),
    }
}

fn agent() -> Committer {
    Committer::new(
        Author::Agent {
            id: "ana".to_owned(),
        },
        CapabilitySet::all(),
        Stamp::local(Timestamp::now()),
    )
}

/// Makes the fixture's database and tells where it is.
pub(crate) async fn build(folder: &Path, fixture: &Value) -> PathBuf {
    let file = folder.join("fixture.db");
    let store = Store::open(&Place::File(file.clone()))
        .await
        .expect("a store");
    let pipeline = Pipeline::new(store.clone(), Registry::built_in());
    let home = documents(&store)
        .await
        .pages
        .into_iter()
        .find(|page| page.slug == "index")
        .expect("a home page");
    let mut answers = serde_json::Map::new();
    answers.insert(
        "home".to_owned(),
        json!({ "pageId": home.id.to_string(), "rootNodeId": home.root.to_string() }),
    );
    for step in fixture["calls"].as_array().expect("calls") {
        let input = filled(&step["input"], &answers);
        let tool = step["tool"].as_str().expect("a tool");
        let call = Call::new(main_site(), tool, input, local());
        let answer = Envelope::from(pipeline.call(call).await);
        assert!(answer.ok, "{tool}: {:?}", answer.error);
        if let Some(name) = step["as"].as_str() {
            answers.insert(name.to_owned(), answer.data.unwrap_or_default());
        }
    }
    pipeline.close().await;
    store.close().await;
    file
}

fn filled(input: &Value, answers: &serde_json::Map<String, Value>) -> Value {
    match input {
        Value::String(text) if text.starts_with('$') => {
            let (name, field) = text[1..].split_once('.').expect("a field");
            answers[name][field].clone()
        }
        Value::Object(fields) => fields
            .iter()
            .map(|(name, value)| (name.clone(), filled(value, answers)))
            .collect::<serde_json::Map<_, _>>()
            .into(),
        other => other.clone(),
    }
}

async fn documents(store: &Store) -> Snapshot {
    Snapshot::of(&site(store).await)
}

pub(crate) async fn site(store: &Store) -> Site {
    let mut live = store.live_site(&main_site()).await.expect("the site");
    let bodies: Vec<BodyId> = live.site().shell.pages.iter().map(|(id, _)| id).collect();
    for body in bodies {
        live.open(body).await.expect("a document");
    }
    live.site().clone()
}

/// Publishing as far as the tests need it: it is written down that it happened.
struct Publishing {
    done: Arc<Mutex<u32>>,
}

impl Outside for Publishing {
    type Input = Value;
    type Data = Value;

    async fn run(&self, _: Value, _: Attempt<'_>) -> Result<ToolOutput, Failure> {
        *self.done.lock().expect("a lock") += 1;
        Ok(ToolOutput::from(json!({ "published": true })))
    }
}

/// The commands with the site as it is in each round.
struct OnSite<'s> {
    commands: Commands,
    store: &'s Store,
}

impl LocalModel for OnSite<'_> {
    fn answer<'a>(&'a self, conversation: &'a [Message]) -> BoxFuture<'a, Vec<StreamEvent>> {
        Box::pin(async move {
            let site = site(self.store).await;
            self.commands.answer(conversation, &site)
        })
    }
}

/// A conversation on a copy of the fixture.
pub(crate) struct Conversation {
    pub(crate) store: Store,
    pipeline: Pipeline,
    tools: Vec<String>,
    specs: Arc<[ToolSpec]>,
    published: Arc<Mutex<u32>>,
    messages: Vec<Message>,
    turns: usize,
    _folder: tempfile::TempDir,
}

/// What came of a sentence.
#[derive(Debug)]
pub(crate) struct Said {
    pub(crate) text: String,
    pub(crate) opened: Option<String>,
    pub(crate) published: bool,
    /// Calls that a person was asked about.
    pub(crate) asked: usize,
    /// Every call that was made and its error, for telling what went on.
    pub(crate) calls: Vec<String>,
}

impl Conversation {
    pub(crate) async fn on(fixture: &Path) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("site.db");
        std::fs::copy(fixture, &file).expect("a copy");
        let store = Store::open(&Place::File(file)).await.expect("a store");
        let registry = Registry::built_in();
        for tool in history_tools(&store) {
            registry
                .register(ToolSource::BuiltIn, tool)
                .expect("a name");
        }
        let published = Arc::new(Mutex::new(0));
        let definition = outside(
            "publishSite",
            "Publish",
            "Publishes the site.",
            Effect::Durable,
        )
        .scopes(&[Scope::Site]);
        let publishing = Publishing {
            done: Arc::clone(&published),
        };
        registry
            .register(ToolSource::BuiltIn, Tool::outside(definition, publishing))
            .expect("a name");
        let listed = registry.list(Some(Scope::Site));
        let specs: Arc<[ToolSpec]> = listed
            .iter()
            .map(|tool| ToolSpec::from(&tool.definition))
            .collect();
        Self {
            pipeline: Pipeline::new(store.clone(), registry),
            tools: listed
                .iter()
                .map(|tool| tool.definition.manifest.name.to_string())
                .collect(),
            specs,
            store,
            published,
            messages: Vec::new(),
            turns: 0,
            _folder: folder,
        }
    }

    pub(crate) async fn snapshot(&self) -> Snapshot {
        documents(&self.store).await
    }

    /// Says a sentence and waits for the end of the turn.
    pub(crate) async fn say(
        &mut self,
        sentence: &str,
        (page, selected): (BodyId, Option<NodeId>),
        yes: bool,
    ) -> Said {
        self.turns += 1;
        let commands = OnSite {
            commands: Commands::new(Situation {
                current: Some(page),
                selected,
                tools: self.tools.clone(),
                now_ms: 0,
            }),
            store: &self.store,
        };
        let published = *self.published.lock().expect("a lock");
        self.messages.push(Message::user(sentence));
        let plan = TurnPlan {
            provider: ProviderId::Offline,
            settings: ModelSettings::new("offline", Capabilities::of("offline")),
            system: SystemPrompt::new("", ""),
            tools: Arc::clone(&self.specs),
            history: self.messages.clone(),
            goes_on: false,
            limits: TurnLimits::default(),
            prices: Catalogue::bundled(),
            seed: 1,
        };
        let host = Host {
            pipeline: self.pipeline.clone(),
            yes,
            turn: format!("turn-{}", self.turns),
            seen: Mutex::default(),
            round: Mutex::new(0),
        };
        let mut tool_loop = ToolLoop::new(plan);
        run_turn(
            &mut tool_loop,
            Backend::BuiltIn(&commands),
            &mut &host,
            &CancellationToken::new(),
        )
        .await;
        let seen = host.seen.into_inner().expect("a lock");
        self.messages.extend(seen.messages.clone());
        let text = seen
            .messages
            .iter()
            .rev()
            .find(|message| message.role == Role::Assistant)
            .map(text_of)
            .unwrap_or_default();
        Said {
            text,
            opened: seen.opened,
            published: *self.published.lock().expect("a lock") > published,
            asked: seen.asked,
            calls: seen.calls,
        }
    }

    /// The names of the tools on offer.
    pub(crate) fn tools(&self) -> Vec<String> {
        self.tools.clone()
    }

    pub(crate) fn messages(&self) -> &[Message] {
        &self.messages
    }

    pub(crate) async fn close(self) {
        self.pipeline.close().await;
        self.store.close().await;
    }
}

fn text_of(message: &Message) -> String {
    let texts = message.content.iter().filter_map(|block| match block {
        Block::Text { text, .. } => Some(text.clone()),
        _ => None,
    });
    texts.collect::<Vec<_>>().join("\n")
}

#[derive(Debug, Default)]
struct Seen {
    messages: Vec<Message>,
    opened: Option<String>,
    asked: usize,
    calls: Vec<String>,
}

struct Host {
    pipeline: Pipeline,
    yes: bool,
    turn: String,
    seen: Mutex<Seen>,
    round: Mutex<u32>,
}

impl<'a> TurnHost for &'a Host {
    type Report = ToolOutcome;
    type Batch = BoxFuture<'a, ()>;

    fn event(&mut self, event: TurnEvent) -> BoxFuture<'_, ()> {
        if let TurnEvent::Message(message) = event {
            self.seen.lock().expect("a lock").messages.push(message);
        }
        Box::pin(std::future::ready(()))
    }

    fn report(&mut self, outcome: ToolOutcome) -> Option<ToolOutcome> {
        Some(outcome)
    }

    fn run(&mut self, batch: Vec<ToolCall>, done: mpsc::Sender<ToolOutcome>) -> Self::Batch {
        let host = *self;
        Box::pin(async move {
            let round = {
                let mut round = host.round.lock().expect("a lock");
                *round += 1;
                *round
            };
            for call in batch {
                let envelope = host.call(&call, round).await;
                let outcome = ToolOutcome::new(&call, envelope);
                if done.send(outcome).await.is_err() {
                    return;
                }
            }
        })
    }
}

impl Host {
    async fn call(&self, call: &ToolCall, round: u32) -> Envelope {
        let made = Call {
            scope: Some(Scope::Site),
            key: Some(format!("{}:{round}:{}", self.turn, call.tool_call_id)),
            person: Some("ana".to_owned()),
            planner: "offline".to_owned(),
            turn: Some(self.turn.clone()),
            ..Call::new(main_site(), &call.tool_name, call.input.clone(), agent())
        };
        let mut envelope = Envelope::from(self.pipeline.call(made.clone()).await);
        if envelope
            .error
            .as_ref()
            .is_some_and(|error| error.code == ErrorCode::ApprovalRequired)
        {
            self.seen.lock().expect("a lock").asked += 1;
            let details = envelope
                .error
                .as_ref()
                .and_then(|error| error.details.clone())
                .unwrap_or_default();
            let card = details["approval"]["id"]
                .as_str()
                .expect("an approval")
                .to_owned();
            let decided = if self.yes {
                CardDecision::Yes
            } else {
                CardDecision::No
            };
            self.pipeline
                .decide((&main_site(), &card), decided, &ana())
                .await
                .expect("a decision");
            envelope = self.pipeline.call(made).await.into();
        }
        let mut seen = self.seen.lock().expect("a lock");
        let error = envelope
            .error
            .as_ref()
            .map(|error| format!(" !! {}", error.message))
            .unwrap_or_default();
        seen.calls
            .push(format!("{} {}{error}", call.tool_name, call.input));
        if call.tool_name == "open_document" && envelope.ok {
            seen.opened = call.input["document"]["id"].as_str().map(str::to_owned);
        }
        envelope
    }
}

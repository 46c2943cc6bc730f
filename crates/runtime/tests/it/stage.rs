//! What the tests need: an instance on either database, callers, and a tool outside that counts what it did.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde_json::{Value, json};
use sitewright_runtime::{
    Attempt, Call, Delivery, Failure, Outside, Pipeline, Registry, Tool, ToolOutput, ToolSource,
};
use sitewright_site::Author;
use sitewright_store::{
    Actor, CallFilter, CallRecord, Committer, NewToken, Place, RunQuery, SiteId, Stamp, Store,
    Timestamp, TokenKind,
};
use sitewright_testkit::{FreshDatabase, block_on};
use sitewright_tool::{
    CapabilitySet, Definition, Envelope, ErrorCode, Taint, ToolError, ToolManifest,
};

/// Makes of each `async fn name(stage: Stage) -> anyhow::Result<()>` two tests, `sqlite::name` and `postgres::name`.
macro_rules! on_both {
    ($($name:ident)*) => { sitewright_testkit::on_both_databases! { crate::stage::run: $($name)* } };
}
pub(crate) use on_both;

pub(crate) fn run<F: Future<Output = anyhow::Result<()>>>(
    database: Option<FreshDatabase>,
    test: impl FnOnce(Stage) -> F,
) {
    let Some(database) = database else { return };
    block_on(async { test(Stage::open(database).await?).await });
}

/// An instance with a pipeline, and a tool outside.
pub(crate) struct Stage {
    pub(crate) store: Store,
    pub(crate) pipeline: Pipeline,
    pub(crate) outside: Arc<OtherSide>,
    pub(crate) database: FreshDatabase,
}

impl Stage {
    pub(crate) async fn open(database: FreshDatabase) -> anyhow::Result<Self> {
        let store = Store::open(&Place::at(&database.address)).await?;
        Ok(Self {
            outside: Arc::default(),
            pipeline: Pipeline::new(store.clone(), Registry::built_in()),
            store,
            database,
        })
    }

    /// The same instance after a restart: nothing but the rows is left.
    pub(crate) async fn restarted(self) -> anyhow::Result<Self> {
        self.pipeline.close().await;
        self.store.close().await;
        let stage = Self::open(self.database).await?;
        let outside = self.outside;
        Ok(Self { outside, ..stage })
    }

    /// Makes a call and answers what a caller over HTTP gets.
    pub(crate) async fn call(&self, call: Call) -> Envelope {
        self.pipeline.call(call).await.into()
    }

    /// Connects a tool outside that behaves as it is told.
    pub(crate) fn connect(&self, changes: Value) -> anyhow::Result<()> {
        let manifest = manifest(&changes)?;
        let tool = Simulated {
            honours_keys: manifest.idempotent,
            outside: Arc::clone(&self.outside),
        };
        let tool = Tool::new(Definition::imported(manifest), tool);
        self.pipeline.tools().register(ToolSource::File, tool)?;
        Ok(())
    }

    pub(crate) async fn calls(&self) -> anyhow::Result<Vec<CallRecord>> {
        Ok(self
            .store
            .calls(&main_site(), CallFilter::default(), 100)
            .await?)
    }

    /// An agent with a token, on behalf of Ana.
    pub(crate) async fn agent(&self) -> anyhow::Result<Committer> {
        let new = NewToken {
            site: &main_site(),
            name: "agent",
            kind: TokenKind::Agent,
            capabilities: CapabilitySet::all(),
            maker: None,
            parent: None,
            expires_at: None,
        };
        let (_, token) = self
            .store
            .create_token(new, &Stamp::local(Timestamp::now()))
            .await?;
        Ok(Committer::new(
            Author::Agent {
                id: "ana".to_owned(),
            },
            CapabilitySet::all(),
            Stamp {
                actor: Actor::Token(token.id),
                at: Timestamp::now(),
            },
        ))
    }
}

/// The newest missions, whoever started them.
pub(crate) const EVERYONE: RunQuery<'static> = RunQuery {
    actor: None,
    before: None,
    limit: 10,
};

pub(crate) fn main_site() -> SiteId {
    SiteId::from("main".to_owned())
}

/// Whoever sits at the machine.
pub(crate) fn local() -> Committer {
    Committer::new(
        Author::Local,
        CapabilitySet::all(),
        Stamp::local(Timestamp::now()),
    )
}

pub(crate) fn ana() -> Stamp {
    Stamp {
        actor: Actor::User("ana".to_owned().into()),
        at: Timestamp::now(),
    }
}

pub(crate) fn call(tool: &str, arguments: Value, by: &Committer) -> Call {
    Call::new(main_site(), tool, arguments, by.clone())
}

pub(crate) fn keyed(key: &str, call: Call) -> Call {
    Call {
        key: Some(key.to_owned()),
        ..call
    }
}

pub(crate) fn code(envelope: &Envelope) -> Option<ErrorCode> {
    envelope.error.as_ref().map(|error| error.code)
}

/// How the other side behaves in one attempt.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Behaviour {
    /// Does it and says so.
    Answers,
    /// Does it and is silent.
    DoesItAndHangs,
    /// Does it, and the line breaks.
    DoesItAndDropsTheLine,
    /// Does it, and answers something else than it promised.
    DoesItAndAnswersNonsense,
    /// Is not there.
    IsDown,
    /// Says that it is too busy.
    IsBusy,
    /// Says no.
    Refuses,
}

/// The other side: what it does next, and what it has done. It behaves well when nothing is said.
#[derive(Debug, Default)]
pub(crate) struct OtherSide {
    pub(crate) next: Mutex<VecDeque<Behaviour>>,
    done: Mutex<Vec<String>>,
    attempts: Mutex<u32>,
}

impl OtherSide {
    pub(crate) fn will(&self, behaviours: &[Behaviour]) {
        lock(&self.next).extend(behaviours);
    }

    /// The keys under which it did something, in order.
    pub(crate) fn done(&self) -> Vec<String> {
        lock(&self.done).clone()
    }

    pub(crate) fn attempts(&self) -> u32 {
        *lock(&self.attempts)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn manifest(changes: &Value) -> anyhow::Result<ToolManifest> {
    let mut manifest = json!({
        "name": "mail.send", "description": "Sends a letter.",
        "inputSchema": { "type": "object", "properties": { "to": { "type": "string" } }, "required": ["to"] },
        "outputSchema": { "type": "object", "required": ["sent"] },
        "capability": "write", "timeoutMs": 250, "idempotent": false,
        "retryPolicy": { "maxAttempts": 3, "backoffMs": 1 },
    });
    for (field, value) in changes.as_object().into_iter().flatten() {
        manifest[field] = value.clone();
    }
    Ok(serde_json::from_value(manifest)?)
}

/// Connects a tool whose effects are lines in a file, which outlives the process.
pub(crate) fn connect_file(
    pipeline: &Pipeline,
    idempotent: bool,
    effects: &Path,
) -> anyhow::Result<()> {
    let manifest = manifest(&json!({ "idempotent": idempotent, "timeoutMs": 5000 }))?;
    let tool = InFile {
        honours_keys: idempotent,
        effects: effects.to_owned(),
    };
    let tool = Tool::new(Definition::imported(manifest), tool);
    pipeline.tools().register(ToolSource::File, tool)?;
    Ok(())
}

struct InFile {
    honours_keys: bool,
    effects: PathBuf,
}

impl Outside for InFile {
    type Input = Value;
    type Data = Value;

    async fn run(&self, input: Value, attempt: Attempt<'_>) -> Result<ToolOutput, Failure> {
        let mut done = std::fs::read_to_string(&self.effects).expect("the effects");
        let key = attempt.idempotency_key;
        if !(self.honours_keys && done.lines().any(|line| line == key)) {
            done.push_str(&format!("{key}\n"));
            std::fs::write(&self.effects, done).expect("an effect");
        }
        let data = json!({ "sent": input["to"] });
        Ok(ToolOutput {
            data,
            ..ToolOutput::default()
        })
    }
}

struct Simulated {
    honours_keys: bool,
    outside: Arc<OtherSide>,
}

impl Outside for Simulated {
    type Input = Value;
    type Data = Value;

    async fn run(&self, input: Value, attempt: Attempt<'_>) -> Result<ToolOutput, Failure> {
        *lock(&self.outside.attempts) += 1;
        let behaviour = lock(&self.outside.next)
            .pop_front()
            .unwrap_or(Behaviour::Answers);
        let does = || {
            let mut done = lock(&self.outside.done);
            let key = attempt.idempotency_key.to_owned();
            // As a vendor that honours keys would.
            if !(self.honours_keys && done.contains(&key)) {
                done.push(key);
            }
        };
        let failure = |code, delivery| Failure {
            error: ToolError::new(code, "The other side said so."),
            delivery,
            retry_after: (code == ErrorCode::RateLimited).then_some(Duration::from_millis(5)),
        };
        let output = |data: Value| ToolOutput {
            data,
            taint: Taint::Untrusted,
            ..ToolOutput::default()
        };
        match behaviour {
            Behaviour::Answers => {
                does();
                tokio::task::yield_now().await;
                Ok(output(json!({ "sent": input["to"] })))
            }
            Behaviour::DoesItAndHangs => {
                does();
                std::future::pending().await
            }
            Behaviour::DoesItAndDropsTheLine => {
                does();
                Err(failure(ErrorCode::UpstreamError, Delivery::Unknown))
            }
            Behaviour::DoesItAndAnswersNonsense => {
                does();
                Ok(output(json!("nonsense")))
            }
            Behaviour::IsDown => Err(failure(ErrorCode::UpstreamError, Delivery::Never)),
            Behaviour::IsBusy => Err(failure(ErrorCode::RateLimited, Delivery::Answered)),
            Behaviour::Refuses => Err(failure(ErrorCode::InvalidInput, Delivery::Answered)),
        }
    }
}

//! Records, a pipeline and tools on a database, as one process has them.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::Result;
use serde_json::{Value, json};
use sitewright_agent::{Agent, Models};
use sitewright_breadcrumbs::{
    BreadcrumbCaller, BreadcrumbParts, Breadcrumbs, NewRecord, RecordQuery, Selector,
    breadcrumb_tools,
};
use sitewright_egress::{AllowList, Egress, EgressPolicy, Limits};
use sitewright_llm::Refresh;
use sitewright_runtime::{
    Attempt, Call, CallReply, CardDecision, Failure, Outside, Pipeline, Registry, Tool, ToolOutput,
    ToolSource, workflow_tool,
};
use sitewright_site::Author;
use sitewright_store::{
    Breadcrumb, CallFilter, CallState, Committer, KeySource, Place, Secrets, SiteId, Stamp, Store,
    Timestamp,
};
use sitewright_tool::{CapabilitySet, Definition, Scope, Taint};
use tokio::sync::Semaphore;

const KEY: &str = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";

/// What outlives a process: a tool that counts its effects and waits until it may go on.
#[derive(Clone)]
pub(crate) struct World {
    pub(crate) effects: Arc<AtomicUsize>,
    pub(crate) begun: Arc<Semaphore>,
    pub(crate) gate: Arc<Semaphore>,
}

impl World {
    pub(crate) fn new() -> Self {
        Self {
            effects: Arc::default(),
            begun: Arc::new(Semaphore::new(0)),
            gate: Arc::new(Semaphore::new(0)),
        }
    }

    pub(crate) fn count(&self) -> usize {
        self.effects.load(Ordering::SeqCst)
    }
}

struct Slow(World);

impl Outside for Slow {
    type Input = Value;
    type Data = Value;

    async fn run(&self, _: Value, _: Attempt<'_>) -> Result<ToolOutput, Failure> {
        self.0.begun.add_permits(1);
        let passed = self.0.gate.acquire().await;
        passed.expect("the gate is never closed").forget();
        let count = self.0.effects.fetch_add(1, Ordering::SeqCst) + 1;
        Ok(ToolOutput::from(json!({ "count": count })))
    }
}

/// A tool whose answers come from outside.
struct Vendor;

impl Outside for Vendor {
    type Input = Value;
    type Data = Value;

    async fn run(&self, input: Value, attempt: Attempt<'_>) -> Result<ToolOutput, Failure> {
        let taint = attempt
            .committer
            .map(|committer| format!("{:?}", committer.taint));
        Ok(ToolOutput {
            taint: Taint::Untrusted,
            ..ToolOutput::from(json!({ "said": input, "taint": taint }))
        })
    }
}

fn imported(name: &str, capability: &str, work: impl Outside) -> Result<Tool> {
    let manifest = json!({
        "name": name, "description": "For tests.", "inputSchema": { "type": "object" }, "outputSchema": {},
        "capability": capability, "effect": if capability == "read" { "none" } else { "draft" }, "timeoutMs": 60000,
        "idempotent": true, "retryPolicy": { "maxAttempts": 1 },
    });
    let definition = Definition::imported(serde_json::from_value(manifest)?);
    Ok(Tool::new(definition, work))
}

/// One process.
pub(crate) struct Node {
    pub(crate) store: Store,
    pub(crate) pipeline: Pipeline,
    pub(crate) breadcrumbs: Breadcrumbs,
    pub(crate) site: SiteId,
}

impl Node {
    pub(crate) async fn open(place: &Place, world: &World) -> Result<Self> {
        let store = Store::open(place).await?;
        let secrets = Secrets::open(&store, &KeySource::Given(KEY.into())).await?;
        let policy = EgressPolicy {
            allow: AllowList::default(),
        };
        let egress = Egress::new(policy, Limits::default())?;
        let models = Models::new(store.clone(), secrets.clone(), egress, Refresh::Off);
        let pipeline = Pipeline::new(store.clone(), Registry::built_in());
        let everybody = Arc::new(|_: &SiteId, _: &ToolSource, _: &str| true);
        let agent = Agent::new(store.clone(), pipeline.clone(), models, everybody);
        let breadcrumbs = Breadcrumbs::new(BreadcrumbParts {
            store: store.clone(),
            secrets,
            pipeline: pipeline.clone(),
            agent: agent.clone(),
        });
        let mut tools = breadcrumb_tools(&breadcrumbs, agent.models());
        tools.push(workflow_tool(&pipeline));
        tools.push(imported("slow", "write", Slow(world.clone()))?);
        tools.push(imported("vendor", "read", Vendor)?);
        for tool in tools {
            pipeline.tools().register(ToolSource::BuiltIn, tool)?;
        }
        let site = store.sites().await?.remove(0).id;
        Ok(Self {
            store,
            pipeline,
            breadcrumbs,
            site,
        })
    }

    pub(crate) fn caller(&self) -> BreadcrumbCaller {
        let by = Stamp::local(Timestamp::now());
        BreadcrumbCaller {
            site: self.site.clone(),
            committer: Committer::new(Author::Local, CapabilitySet::all(), by),
            person: None,
            session: "test".to_owned(),
        }
    }

    /// Creates a record with requests of one tool.
    pub(crate) async fn ask(&self, tool: &str, count: usize) -> Result<Breadcrumb> {
        let requests: Vec<Value> = (0..count)
            .map(|number| json!({ "tool": tool, "input": {}, "requestId": format!("r{number}"), "return_to_llm": false }))
            .collect();
        let record: NewRecord = serde_json::from_value(json!({
            "schema_name": "agent.response.v1", "title": "Response", "context": { "tool_requests": requests },
        }))?;
        Ok(self
            .breadcrumbs
            .create(&self.caller(), record, None)
            .await?)
    }

    /// The answers there are.
    pub(crate) async fn answers(&self) -> Result<Vec<Breadcrumb>> {
        let query = RecordQuery {
            selector: Selector {
                schema_name: Some("tool.response.v1".to_owned()),
                ..Selector::default()
            },
            limit: 500,
            ..RecordQuery::default()
        };
        let page = self.breadcrumbs.search(&self.caller(), &query).await?;
        Ok(page.breadcrumbs)
    }

    /// Waits until there are so many answers.
    pub(crate) async fn until_answered(&self, count: usize) -> Result<Vec<Breadcrumb>> {
        let mut wake = self.store.wake_for_breadcrumbs(&self.site);
        loop {
            let answers = self.answers().await?;
            if answers.len() >= count {
                return Ok(answers);
            }
            wake.changed().await;
        }
    }

    /// Waits until no record has open requests.
    pub(crate) async fn until_quiet(&self) -> Result<()> {
        while !self.store.open_breadcrumb_runs().await?.is_empty() {
            tokio::task::yield_now().await;
        }
        Ok(())
    }

    pub(crate) async fn close(self) {
        self.breadcrumbs.close().await;
        self.pipeline.close().await;
        self.store.close().await;
    }

    /// Waits until a call waits for a person, and approves it. Returns the tool's name.
    pub(crate) async fn approve_waiting_call(&self) -> Result<String> {
        let filter = CallFilter {
            state: Some(CallState::Waiting),
            ..CallFilter::default()
        };
        loop {
            let waiting = self.store.calls(&self.site, filter, 1).await?;
            if let Some(call) = waiting.first() {
                let by = Stamp::local(Timestamp::now());
                let place = (&self.site, call.id.as_str());
                self.pipeline.decide(place, CardDecision::Yes, &by).await?;
                return Ok(call.tool.clone());
            }
            tokio::task::yield_now().await;
        }
    }

    pub(crate) async fn workflow(&self, input: Value) -> CallReply {
        let caller = self.caller();
        let call = Call {
            scope: Some(Scope::Breadcrumbs),
            ..Call::new(self.site.clone(), "workflow", input, caller.committer)
        };
        self.pipeline.call(call).await
    }
}

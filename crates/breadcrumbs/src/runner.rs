//! Executes the tool requests of records: all requests of a record at once, through the pipeline, with exactly one answer each.
//!
//! One process works on a record at a time; it holds the row of the run by its name and by `due`, the time at which others may take
//! over. Should two processes work on one record all the same, their calls have the same keys, and the second answer is not stored.

use std::sync::{Arc, PoisonError};
use std::time::Duration;

use futures_util::future::join_all;
use serde_json::{Map, Value, json};
use sitewright_runtime::{Call, CallOutcome, CallReply};
use sitewright_store::{
    Breadcrumb, BreadcrumbId, BreadcrumbReader, BreadcrumbRequest, BreadcrumbRun, DatabaseKind,
    EventKind, RequestState, SiteId, StoreError, Timestamp, Visibility,
};
use sitewright_tool::{ErrorCode, Taint, ToolError};
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio_util::sync::CancellationToken;

use crate::breadcrumbs::LEASE;
use crate::config::without_secrets;
use crate::record::search_text;
use crate::schema::TOOL_RESPONSE;
use crate::{BreadcrumbCaller, BreadcrumbError, Breadcrumbs, NewRecord};

/// How often a request that waits for a person looks for the decision, which another node may have taken.
const LOOK_EVERY: Duration = Duration::from_secs(2);
/// How many requests of a record are called or stored at the same time. A thousand at once would wait for the database until they
/// give up. One that waits for a person does not count.
const AT_ONCE: usize = 64;
/// When a run that could not go on is tried again.
const TRY_AGAIN: Duration = Duration::from_secs(5);
/// The most of a tool's output that is put into a record; a record has some more for the rest of its content.
const OUTPUT_BYTES_MAX: usize = 1_000_000;
/// Answers are kept for thirty days.
const RESPONSE_TTL_SECONDS: i64 = 30 * 24 * 60 * 60;

/// What every request of a run has in common.
pub(crate) struct RunContext {
    pub(crate) run: BreadcrumbRun,
    pub(crate) record: Breadcrumb,
    pub(crate) caller: BreadcrumbCaller,
    stop: CancellationToken,
    at_once: Semaphore,
}

impl RunContext {
    /// Waits until fewer than [`AT_ONCE`] others are at work. The semaphore is never closed.
    async fn permit(&self) -> Option<SemaphorePermit<'_>> {
        self.at_once.acquire().await.ok()
    }
}

impl Breadcrumbs {
    /// Goes on with the runs of processes that are gone. With SQLite there is no other process, so after a restart all runs are.
    pub async fn resume(&self) -> Result<(), StoreError> {
        let is_alone = self.store().backend() == DatabaseKind::Sqlite;
        self.take_over(is_alone).await
    }

    /// Periodic work: takes over runs whose holder is gone, and stops those that a person stopped on another node.
    pub async fn tend(&self) -> Result<(), StoreError> {
        self.take_over(false).await
    }

    /// Renews the leases of this process. It reads the clock itself: a time from before slow work would set a lease that has run out.
    pub async fn renew_leases(&self) -> Result<(), StoreError> {
        if self.running().is_empty() {
            return Ok(());
        }
        let due = Timestamp::now().after(LEASE);
        self.store().hold_breadcrumb_runs(&self.0.node, due).await
    }

    /// Wakes the requests that wait for an approval, after a decision was made on this node.
    pub fn decided(&self) {
        self.0.decided.notify_waiters();
    }

    /// Stops the work of this process; what is not answered is taken up at the next start.
    pub async fn close(&self) {
        self.0.stopping.cancel();
        self.0.tasks.close();
        self.0.tasks.wait().await;
    }

    /// Stops the open requests of a record; each is answered with an error. Returns false if there are none.
    pub async fn stop(
        &self,
        caller: &BreadcrumbCaller,
        id: &BreadcrumbId,
    ) -> Result<bool, BreadcrumbError> {
        let record = self.get(caller, id).await?;
        if !caller.owns(&record) {
            return Err(BreadcrumbError::NotOwner);
        }
        let is_open = self.store().stop_breadcrumb_run(&caller.site, id).await?;
        if let Some(stop) = self.running().get(id) {
            stop.cancel();
        }
        Ok(is_open)
    }

    /// The requests of a record, with their states.
    pub async fn requests(
        &self,
        caller: &BreadcrumbCaller,
        id: &BreadcrumbId,
    ) -> Result<Vec<BreadcrumbRequest>, BreadcrumbError> {
        self.get(caller, id).await?;
        Ok(self.store().breadcrumb_requests(id).await?)
    }

    async fn take_over(&self, is_alone: bool) -> Result<(), StoreError> {
        let now = Timestamp::now();
        for run in self.store().open_breadcrumb_runs().await? {
            if let Some(stop) = self.running().get(&run.id) {
                if run.is_stopped {
                    stop.cancel();
                }
                continue;
            }
            let is_due = run.due.is_some_and(|due| due <= now);
            let is_orphan = is_alone && run.holder != self.0.node;
            if !is_due && !is_orphan {
                continue;
            }
            let due = now.after(LEASE);
            if !self
                .store()
                .take_breadcrumb_run(&run, &self.0.node, due)
                .await?
            {
                continue;
            }
            let reader = machine(&run.site, now);
            match self.store().breadcrumb(reader, &run.id).await {
                Ok(record) => self.start(record),
                // Whoever deleted the record does not wait for its answers.
                Err(StoreError::NotFound { .. }) => {
                    self.store().end_breadcrumb_run(&run.id).await?;
                }
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    fn running(
        &self,
    ) -> std::sync::MutexGuard<'_, std::collections::HashMap<BreadcrumbId, CancellationToken>> {
        self.0
            .running
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Works on a record whose run this process holds.
    pub(crate) fn start(&self, record: Breadcrumb) {
        let stop = CancellationToken::new();
        let id = record.id.clone();
        if self.running().insert(id.clone(), stop.clone()).is_some() {
            return;
        }
        let breadcrumbs = self.clone();
        self.0.tasks.spawn(async move {
            // A database that is busy or away fails a run in the middle. Requests that have their answer are not repeated.
            while let Err(error) = breadcrumbs.work(&record, stop.clone()).await {
                warn(&id, &error);
                tokio::select! {
                    () = tokio::time::sleep(TRY_AGAIN) => {}
                    () = breadcrumbs.0.stopping.cancelled() => break,
                }
            }
            breadcrumbs.running().remove(&id);
        });
    }

    async fn work(
        &self,
        record: &Breadcrumb,
        stop: CancellationToken,
    ) -> Result<(), BreadcrumbError> {
        let run = self
            .store()
            .breadcrumb_run(&record.site, &record.id)
            .await?;
        let Some(run) = run.filter(|run| run.due.is_some()) else {
            return Ok(());
        };
        if run.is_stopped {
            stop.cancel();
        }
        let caller = BreadcrumbCaller::of_run(self.store(), &run).await?;
        let context = Arc::new(RunContext {
            run,
            record: record.clone(),
            caller,
            stop,
            at_once: Semaphore::new(AT_ONCE),
        });
        let requests = self.store().breadcrumb_requests(&context.record.id).await?;
        let open = requests
            .into_iter()
            .filter(|request| request.state != RequestState::Answered);
        // Tasks of their own, so that one slow poll does not hold up the others.
        let answers = open.map(|request| {
            let (breadcrumbs, context) = (self.clone(), Arc::clone(&context));
            self.0
                .tasks
                .spawn(async move { breadcrumbs.answer(&context, &request).await })
        });
        for answered in join_all(answers).await {
            let broken = |_panicked| StoreError::Corrupt {
                what: "run of a breadcrumb",
            };
            answered.map_err(broken)??;
        }
        if self.0.stopping.is_cancelled() {
            return Ok(());
        }
        stage("answered");
        self.return_to_model(&context).await?;
        if self.0.stopping.is_cancelled() {
            return Ok(());
        }
        self.store().end_breadcrumb_run(&context.record.id).await?;
        Ok(())
    }

    /// Makes the call of a request and stores its answer.
    async fn answer(
        &self,
        context: &RunContext,
        request: &BreadcrumbRequest,
    ) -> Result<(), BreadcrumbError> {
        let reply = match self.call_for(context, request).await {
            Ok(call) => self.reply(context, request, call).await?,
            Err(error) => Some(refused(error.into())),
        };
        let Some(reply) = reply.filter(|_| !self.0.stopping.is_cancelled()) else {
            return Ok(());
        };
        stage("called");
        let response = response(context, request, reply);
        let permit = context.permit().await;
        let stored = self
            .store()
            .answer_request(&context.record.id, request.position, &response)
            .await?;
        drop(permit);
        if stored.is_none() {
            tracing::debug!(breadcrumb = %context.record.id, "a request was answered already");
        }
        Ok(())
    }

    /// The reply of a call, however long a person takes to approve it; `None` if the process stops before.
    async fn reply(
        &self,
        context: &RunContext,
        request: &BreadcrumbRequest,
        call: Call,
    ) -> Result<Option<CallReply>, BreadcrumbError> {
        loop {
            let decided = self.0.decided.notified();
            let permit = context.permit().await;
            // A call with an effect goes on by itself, and its key finds it again.
            let reply = tokio::select! {
                reply = self.0.pipeline.call(call.clone()) => reply,
                () = self.0.stopping.cancelled() => return Ok(None),
            };
            drop(permit);
            let CallOutcome::Waiting(pending) = &reply.outcome else {
                return Ok(Some(reply));
            };
            let (id, position) = (&context.record.id, request.position);
            if self.store().set_request_waiting(id, position).await? {
                let detail = json!({
                    "request_id": request.request_id, "tool": call.tool, "reason": pending.reason, "approval": pending.approval(),
                });
                self.store()
                    .tell_about_breadcrumb(&context.record, EventKind::Waiting, &detail)
                    .await?;
            }
            tokio::select! {
                () = decided => {}
                () = tokio::time::sleep(LOOK_EVERY) => {}
                () = context.stop.cancelled() => {
                    let message = "It was stopped while it waited for approval.";
                    return Ok(Some(refused(ToolError::new(ErrorCode::Cancelled, message))));
                }
                () = self.0.stopping.cancelled() => return Ok(None),
            }
        }
    }

    async fn call_for(
        &self,
        context: &RunContext,
        request: &BreadcrumbRequest,
    ) -> Result<Call, BreadcrumbError> {
        let tool = request.body["tool"].as_str().unwrap_or_default();
        let mut arguments = request.body["input"]
            .as_object()
            .cloned()
            .unwrap_or_default();
        if let Some(config_id) = request.body["config_id"].as_str() {
            self.add_configuration(&context.caller, &mut arguments, tool, config_id)
                .await?;
        }
        let caller = &context.caller;
        let scope = self.0.pipeline.tools().preferred_scope(tool);
        let session = context.run.session.clone();
        Ok(Call {
            scope,
            key: Some(format!(
                "breadcrumb:{}:{}",
                context.record.id, request.position
            )),
            person: caller.person.clone(),
            session: session.unwrap_or_else(|| caller.session.clone()),
            stop: context.stop.clone(),
            ..Call::new(
                caller.site.clone(),
                tool,
                Value::Object(arguments),
                caller.committer.clone(),
            )
        })
    }

    /// Adds a configuration to the input of a tool. A tool that takes a `config_id` resolves it itself, so that secrets are never among the
    /// recorded arguments; for others, settings that the tool's input knows are defaults.
    async fn add_configuration(
        &self,
        caller: &BreadcrumbCaller,
        arguments: &mut Map<String, Value>,
        tool: &str,
        config_id: &str,
    ) -> Result<(), BreadcrumbError> {
        let record = self.config_record(caller, config_id, tool).await?;
        let tools = self.0.pipeline.tools();
        let listed = tools.list(tools.preferred_scope(tool));
        let listed = listed
            .iter()
            .find(|listed| listed.definition.name() == tool);
        let fields = listed
            .and_then(|listed| {
                let schema = &listed.definition.manifest.input_schema;
                schema.get("properties")?.as_object().cloned()
            })
            .unwrap_or_default();
        if fields.contains_key("config_id") {
            arguments.insert("config_id".to_owned(), json!(config_id));
            return Ok(());
        }
        let config = record.context["config"].as_object().cloned();
        for (name, value) in without_secrets(config.unwrap_or_default()) {
            if fields.contains_key(&name) {
                arguments.entry(name).or_insert(value);
            }
        }
        Ok(())
    }
}

fn warn(id: &BreadcrumbId, error: &BreadcrumbError) {
    let error = error as &dyn std::error::Error;
    tracing::warn!(error, breadcrumb = %id, "the requests of a record could not be finished; trying again");
}

/// The eyes of the runner itself.
pub(crate) fn machine(site: &SiteId, now: Timestamp) -> BreadcrumbReader<'_> {
    BreadcrumbReader {
        site,
        owner: None,
        now,
    }
}

fn refused(error: ToolError) -> CallReply {
    CallReply {
        outcome: CallOutcome::Refused(error),
        taint: Taint::Trusted,
        latency: Duration::ZERO,
        attempts: 0,
    }
}

/// Tells how far a run has come; tests listen to it and die there.
fn stage(name: &str) {
    tracing::debug!(target: "sitewright::breadcrumb", stage = name);
}

/// The record that answers a request.
fn response(context: &RunContext, request: &BreadcrumbRequest, reply: CallReply) -> Breadcrumb {
    let tool = request.body["tool"].as_str().unwrap_or_default();
    let mut content = Map::new();
    content.insert("request_id".to_owned(), json!(request.request_id));
    content.insert("tool".to_owned(), json!(tool));
    match reply.outcome {
        CallOutcome::Done(answer) => {
            content.insert("status".to_owned(), json!("success"));
            content.insert("output".to_owned(), limit_output(answer.data));
        }
        CallOutcome::Waiting(pending) => fail(&mut content, pending.error()),
        CallOutcome::Refused(error) | CallOutcome::Unknown(error) => fail(&mut content, error),
    }
    let record = &context.record;
    let mut tags = vec![
        "tool:response".to_owned(),
        format!("request:{}", request.request_id.replace(',', " ")),
        format!("record:{}", record.id),
        match request.returns {
            true => "to:llm".to_owned(),
            false => "to:user".to_owned(),
        },
    ];
    tags.extend(
        record
            .tags
            .iter()
            .filter(|tag| tag.starts_with("session:"))
            .cloned(),
    );
    let new = NewRecord {
        schema_name: TOOL_RESPONSE.to_owned(),
        title: format!("Response of {tool}"),
        tags,
        context: content,
        visibility: record.visibility,
        // A tool may answer with what it was given.
        sensitivity: record.sensitivity,
        ttl: Some(RESPONSE_TTL_SECONDS),
    };
    let (at, by) = (Timestamp::now(), &context.caller.by().actor);
    Breadcrumb {
        id: BreadcrumbId::generate(),
        site: record.site.clone(),
        owner: record.owner.clone(),
        search: search_text(&new),
        schema_name: new.schema_name,
        title: new.title,
        tags: new.tags,
        context: Value::Object(new.context),
        version: 1,
        visibility: match record.visibility {
            Visibility::Private => Visibility::Private,
            Visibility::Public | Visibility::Team => new.visibility,
        },
        sensitivity: new.sensitivity,
        ttl: new.ttl,
        expires_at: Some(at.after(Duration::from_secs(RESPONSE_TTL_SECONDS.unsigned_abs()))),
        taint: match context.caller.committer.taint {
            Taint::Untrusted => Taint::Untrusted,
            Taint::Trusted => reply.taint,
        },
        seq: 0,
        created_by: by.clone(),
        created_at: at,
        updated_by: by.clone(),
        updated_at: at,
    }
}

/// An error in the standard form. What a workflow has done before it failed is its output.
fn fail(content: &mut Map<String, Value>, error: ToolError) {
    let partial = error
        .details
        .filter(|details| details.get("results").is_some())
        .map(limit_output);
    content.insert("status".to_owned(), json!("error"));
    content.insert("output".to_owned(), partial.unwrap_or_else(|| json!({})));
    content.insert("error".to_owned(), json!(error.message));
}

/// The output of a tool, or a note in its place if a record cannot hold it.
fn limit_output(output: Value) -> Value {
    let bytes = output.to_string().len();
    if bytes <= OUTPUT_BYTES_MAX {
        return output;
    }
    let message = format!(
        "The output has {bytes} bytes and is left out: a record holds {OUTPUT_BYTES_MAX} of them. Ask the tool for less."
    );
    json!({ "omitted": true, "bytes": bytes, "message": message })
}

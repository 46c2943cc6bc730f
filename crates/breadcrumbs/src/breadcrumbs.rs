//! Writing, reading and finding records.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;

use serde_json::{Value, json};
use sitewright_agent::Agent;
use sitewright_runtime::Pipeline;
use sitewright_site::Author;
use sitewright_store::{
    Breadcrumb, BreadcrumbEvent, BreadcrumbFilter, BreadcrumbId, BreadcrumbPage, BreadcrumbRequest,
    CreatedBreadcrumb, IdempotencyKey, NewBreadcrumbRun, RequestState, Secrets, SessionClaim,
    Store, StoreError, Timestamp,
};
use sitewright_tool::digest;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::config::{store_secrets, stored_secrets, take_secrets, with_secrets};
use crate::record::{check_limits, search_text};
use crate::schema::{TOOL_CONFIG, check_context, tool_requests};
use crate::{BreadcrumbCaller, BreadcrumbError, NewRecord, RecordPatch, Selector};

/// How long a run is held without being renewed.
pub(crate) const LEASE: Duration = Duration::from_secs(60);
/// The most versions of a record.
const VERSIONS_MAX: i64 = 10_000;
/// How many records a search with conditions on their content reads at most.
const SCAN_MAX: usize = 20_000;
const PAGE_MAX: u16 = 500;
const KEY_BYTES_MAX: usize = 200;
const SESSION: &str = "session:";

/// The records of an instance, and the runner of their requests. Cheap to clone; clones share their state.
#[derive(Clone)]
pub struct Breadcrumbs(pub(crate) Arc<Parts>);

/// What records need of the instance.
pub struct BreadcrumbParts {
    pub store: Store,
    pub secrets: Secrets,
    pub pipeline: Pipeline,
    pub agent: Agent,
}

pub(crate) struct Parts {
    pub(crate) store: Store,
    pub(crate) secrets: Secrets,
    pub(crate) pipeline: Pipeline,
    pub(crate) agent: Agent,
    /// Identifies this process as the holder of its runs.
    pub(crate) node: String,
    /// The runs of this process, with what stops them. A lock and not a message: runs end in tasks of their own.
    pub(crate) running: Mutex<HashMap<BreadcrumbId, CancellationToken>>,
    pub(crate) tasks: TaskTracker,
    pub(crate) stopping: CancellationToken,
    /// Notified when a person has decided about a call on this node.
    pub(crate) decided: Notify,
}

/// A reference that tools hold: the pipeline owns the tools, and records own the pipeline.
#[derive(Clone)]
pub(crate) struct WeakBreadcrumbs(Weak<Parts>);

impl WeakBreadcrumbs {
    pub(crate) fn upgrade(&self) -> Option<Breadcrumbs> {
        self.0.upgrade().map(Breadcrumbs)
    }
}

/// Which records to list.
#[derive(Debug, Clone, Default)]
pub struct RecordQuery {
    pub selector: Selector,
    /// A text that a record must contain.
    pub text: Option<String>,
    /// Where to go on.
    pub after: Option<i64>,
    pub newest_first: bool,
    pub limit: u16,
}

/// Where the run of a record belongs.
struct RunPlace {
    session: Option<String>,
    /// How many rounds of a model led to it.
    depth: i64,
}

/// A record with everything that is written beside it.
struct Draft {
    record: Breadcrumb,
    run: Option<NewBreadcrumbRun>,
}

impl Breadcrumbs {
    /// The records of an instance. Nothing runs before [`resume`](Self::resume) or a new record.
    pub fn new(parts: BreadcrumbParts) -> Self {
        let BreadcrumbParts {
            store,
            secrets,
            pipeline,
            agent,
        } = parts;
        Self(Arc::new(Parts {
            store,
            secrets,
            pipeline,
            agent,
            node: uuid::Uuid::now_v7().simple().to_string(),
            running: Mutex::default(),
            tasks: TaskTracker::new(),
            stopping: CancellationToken::new(),
            decided: Notify::new(),
        }))
    }

    pub(crate) fn downgrade(&self) -> WeakBreadcrumbs {
        WeakBreadcrumbs(Arc::downgrade(&self.0))
    }

    pub(crate) fn store(&self) -> &Store {
        &self.0.store
    }

    /// Creates a record and starts its requests. With a key, a repeat gets the first one's record and starts nothing.
    pub async fn create(
        &self,
        caller: &BreadcrumbCaller,
        new: NewRecord,
        key: Option<&str>,
    ) -> Result<Breadcrumb, BreadcrumbError> {
        self.create_at_depth(caller, new, key, 0).await
    }

    /// The same for a record that a model wrote after `depth` rounds.
    pub(crate) async fn create_at_depth(
        &self,
        caller: &BreadcrumbCaller,
        mut new: NewRecord,
        key: Option<&str>,
        depth: i64,
    ) -> Result<Breadcrumb, BreadcrumbError> {
        check(&new)?;
        check_key(key)?;
        let digest = digest(&json!(new));
        let id = BreadcrumbId::generate();
        let sealed = match new.schema_name == TOOL_CONFIG {
            true => take_secrets(&mut new.context, new.sensitivity, &Default::default()),
            false => Default::default(),
        };
        let session = self.claim_sessions(caller, &new.tags).await?;
        let draft = self.draft(caller, new, id.clone(), RunPlace { session, depth })?;
        let site = &caller.site;
        if !sealed.is_empty() {
            // Before the record, so that a crash leaves a secret without a record and not the other way round.
            store_secrets(&self.0.secrets, site, &id, &sealed, caller.by()).await?;
        }
        let key = key.map(|key| IdempotencyKey {
            key,
            digest: &digest,
        });
        let created = self
            .store()
            .create_breadcrumb(&draft.record, draft.run.as_ref(), key)
            .await;
        let is_new = matches!(created, Ok(CreatedBreadcrumb::New(_)));
        if !is_new && !sealed.is_empty() {
            store_secrets(&self.0.secrets, site, &id, &Default::default(), caller.by()).await?;
        }
        match created? {
            CreatedBreadcrumb::New(record) => {
                if draft.run.is_some() {
                    self.start(record.clone());
                }
                Ok(record)
            }
            CreatedBreadcrumb::Repeated(record) => Ok(record),
            CreatedBreadcrumb::KeyTaken => Err(BreadcrumbError::KeyTaken),
        }
    }

    /// Makes the sessions that tags name the caller's. Returns the one whose model gets results.
    async fn claim_sessions(
        &self,
        caller: &BreadcrumbCaller,
        tags: &[String],
    ) -> Result<Option<String>, BreadcrumbError> {
        let owner = caller.owner();
        let mut first = None;
        for session in tags.iter().filter_map(|tag| tag.strip_prefix(SESSION)) {
            let claim = self
                .store()
                .claim_session(&caller.site, session, &owner)
                .await?;
            if claim == SessionClaim::Foreign && !caller.is_machine() {
                return Err(BreadcrumbError::ForeignSession(session.to_owned()));
            }
            first.get_or_insert_with(|| session.to_owned());
        }
        Ok(first)
    }

    fn draft(
        &self,
        caller: &BreadcrumbCaller,
        new: NewRecord,
        id: BreadcrumbId,
        place: RunPlace,
    ) -> Result<Draft, BreadcrumbError> {
        let requests = tool_requests(&new.schema_name, &new.context);
        let at = Timestamp::now();
        let run = match requests.is_empty() {
            true => None,
            false => Some(NewBreadcrumbRun {
                caller: caller.stored()?,
                session: place.session,
                depth: place.depth,
                holder: self.0.node.clone(),
                due: at.after(LEASE),
                requests: (0..)
                    .zip(&requests)
                    .map(|(position, request)| BreadcrumbRequest {
                        position,
                        request_id: request.request_id.clone(),
                        body: json!({
                            "tool": request.tool, "input": request.input, "config_id": request.config_id,
                        }),
                        returns: request.return_to_llm,
                        state: RequestState::Open,
                        response: None,
                    })
                    .collect(),
            }),
        };
        let search = search_text(&new);
        let by = caller.by();
        let record = Breadcrumb {
            id,
            site: caller.site.clone(),
            owner: caller.owner(),
            schema_name: new.schema_name,
            title: new.title,
            tags: new.tags,
            context: Value::Object(new.context),
            version: 1,
            visibility: new.visibility,
            sensitivity: new.sensitivity,
            ttl: new.ttl,
            expires_at: expiry(new.ttl, at),
            taint: caller.committer.taint,
            seq: 0,
            created_by: by.actor.clone(),
            created_at: at,
            updated_by: by.actor.clone(),
            updated_at: at,
            search,
        };
        Ok(Draft { record, run })
    }

    /// Reads a record.
    pub async fn get(
        &self,
        caller: &BreadcrumbCaller,
        id: &BreadcrumbId,
    ) -> Result<Breadcrumb, BreadcrumbError> {
        let owner = caller.owner();
        found(self.store().breadcrumb(caller.reader(&owner), id).await)
    }

    /// Every version of a record, the oldest first.
    pub async fn history(
        &self,
        caller: &BreadcrumbCaller,
        id: &BreadcrumbId,
    ) -> Result<Vec<Breadcrumb>, BreadcrumbError> {
        let owner = caller.owner();
        let reader = caller.reader(&owner);
        found(self.store().breadcrumb_history(reader, id).await)
    }

    /// Changes a record that still has the version that the patch names. Its schema and its requests stay what they were.
    pub async fn update(
        &self,
        caller: &BreadcrumbCaller,
        id: &BreadcrumbId,
        patch: RecordPatch,
    ) -> Result<Breadcrumb, BreadcrumbError> {
        let current = self.get(caller, id).await?;
        if current.version != patch.version {
            return Err(BreadcrumbError::Conflict(Box::new(current)));
        }
        if current.version >= VERSIONS_MAX {
            let message =
                format!("A record has at most {VERSIONS_MAX} versions; create a new one.");
            return Err(BreadcrumbError::field("version", message));
        }
        // Whoever could lower the sensitivity of a record would read with a model what models may not see.
        let decides_who_reads = patch.visibility.is_some() || patch.sensitivity.is_some();
        if !caller.owns(&current) && (current.schema_name == TOOL_CONFIG || decides_who_reads) {
            return Err(BreadcrumbError::NotOwner);
        }
        let mut new = patched(&current, patch);
        check(&new)?;
        if current.schema_name == TOOL_CONFIG {
            let (secrets, site) = (&self.0.secrets, &caller.site);
            let before = stored_secrets(secrets, site, id).await?;
            let sealed = take_secrets(&mut new.context, new.sensitivity, &before);
            if sealed != before {
                store_secrets(secrets, site, id, &sealed, caller.by()).await?;
            }
        }
        self.claim_sessions(caller, &new.tags).await?;
        let by = caller.by();
        let changed = Breadcrumb {
            search: search_text(&new),
            title: new.title,
            tags: new.tags,
            context: Value::Object(new.context),
            visibility: new.visibility,
            sensitivity: new.sensitivity,
            ttl: new.ttl,
            expires_at: expiry(new.ttl, by.at),
            // A record that held something from outside may still do so.
            taint: match current.taint {
                sitewright_tool::Taint::Untrusted => current.taint,
                sitewright_tool::Taint::Trusted => caller.committer.taint,
            },
            ..current
        };
        match self.store().replace_breadcrumb(&changed, by).await? {
            Some(record) => Ok(record),
            None => {
                let current = self.get(caller, id).await?;
                Err(BreadcrumbError::Conflict(Box::new(current)))
            }
        }
    }

    /// Deletes a record with its history and its secrets.
    pub async fn delete(
        &self,
        caller: &BreadcrumbCaller,
        id: &BreadcrumbId,
    ) -> Result<(), BreadcrumbError> {
        let record = self.get(caller, id).await?;
        // Nothing brings a deleted record back, and no policy is asked here.
        let is_agent = matches!(caller.committer.author, Author::Agent { .. });
        if !caller.owns(&record) && (record.schema_name == TOOL_CONFIG || is_agent) {
            return Err(BreadcrumbError::NotOwner);
        }
        let by = caller.by();
        self.store().delete_breadcrumb(&record, by).await?;
        if record.schema_name == TOOL_CONFIG {
            let none = Default::default();
            store_secrets(&self.0.secrets, &caller.site, id, &none, by).await?;
        }
        Ok(())
    }

    /// Lists records. Conditions on the content are evaluated here, on a bounded number of records.
    pub async fn search(
        &self,
        caller: &BreadcrumbCaller,
        query: &RecordQuery,
    ) -> Result<BreadcrumbPage, BreadcrumbError> {
        let bad = |error: crate::BadSelector| BreadcrumbError::field("selector", error.to_string());
        query.selector.check().map_err(bad)?;
        let owner = caller.owner();
        let reader = caller.reader(&owner);
        let limit = query.limit.clamp(1, PAGE_MAX);
        let selector = &query.selector;
        let is_simple = selector.any_tags.is_empty() && selector.context_match.is_empty();
        let mut filter = BreadcrumbFilter {
            schema_name: selector.schema_name.as_deref(),
            tags: &selector.all_tags,
            text: query.text.as_deref().filter(|text| !text.trim().is_empty()),
            after: query.after,
            newest_first: query.newest_first,
            limit: if is_simple { limit } else { PAGE_MAX },
        };
        if is_simple {
            return Ok(self.store().breadcrumbs(reader, filter).await?);
        }
        let mut found = Vec::new();
        let mut scanned = 0;
        loop {
            let page = self.store().breadcrumbs(reader, filter).await?;
            for record in page.breadcrumbs {
                scanned += 1;
                filter.after = Some(record.seq);
                if selector.matches(&record) {
                    found.push(record);
                }
                if found.len() >= usize::from(limit) {
                    break;
                }
            }
            let is_over = page.next.is_none() && found.len() < usize::from(limit);
            if is_over || found.len() >= usize::from(limit) || scanned >= SCAN_MAX {
                return Ok(BreadcrumbPage {
                    breadcrumbs: found,
                    next: filter.after.filter(|_| !is_over),
                });
            }
        }
    }

    /// The events after a number; `None` if some of them are not kept any more.
    pub async fn events(
        &self,
        caller: &BreadcrumbCaller,
        after: i64,
        limit: u16,
    ) -> Result<Option<Vec<BreadcrumbEvent>>, BreadcrumbError> {
        let owner = caller.owner();
        let reader = caller.reader(&owner);
        Ok(self.store().breadcrumb_events(reader, after, limit).await?)
    }

    /// The configuration of a tool with its secrets, for the tool itself.
    pub(crate) async fn configuration(
        &self,
        caller: &BreadcrumbCaller,
        config_id: &str,
        tool: &str,
    ) -> Result<Value, BreadcrumbError> {
        let record = self.config_record(caller, config_id, tool).await?;
        let sealed = stored_secrets(&self.0.secrets, &caller.site, &record.id).await?;
        let config = record.context.get("config").cloned().unwrap_or_default();
        Ok(with_secrets(config, &sealed))
    }

    /// The record that a `config_id` names, if the caller may use it for this tool.
    pub(crate) async fn config_record(
        &self,
        caller: &BreadcrumbCaller,
        config_id: &str,
        tool: &str,
    ) -> Result<Breadcrumb, BreadcrumbError> {
        let wrong = |message: String| BreadcrumbError::field("config_id", message);
        let id = BreadcrumbId::from(config_id.to_owned());
        let record = match self.get(caller, &id).await {
            Err(BreadcrumbError::NotFound) => {
                let message = format!(
                    "There is no configuration `{config_id}`; `config_id` is the id of a `tool.config.v1` record."
                );
                return Err(wrong(message));
            }
            other => other?,
        };
        if record.schema_name != TOOL_CONFIG {
            return Err(wrong(format!(
                "`{config_id}` is a `{}` and no `tool.config.v1`.",
                record.schema_name
            )));
        }
        let named = record.context["tool_name"].as_str().unwrap_or_default();
        if named != tool {
            return Err(wrong(format!(
                "The configuration `{config_id}` is for `{named}` and not for `{tool}`."
            )));
        }
        Ok(record)
    }
}

fn found<T>(result: Result<T, StoreError>) -> Result<T, BreadcrumbError> {
    match result {
        Err(StoreError::NotFound { .. }) => Err(BreadcrumbError::NotFound),
        other => Ok(other?),
    }
}

fn check(new: &NewRecord) -> Result<(), BreadcrumbError> {
    let mut problems = check_limits(new);
    problems.extend(check_context(&new.schema_name, &new.context));
    match problems.is_empty() {
        true => Ok(()),
        false => Err(BreadcrumbError::Invalid(problems)),
    }
}

fn check_key(key: Option<&str>) -> Result<(), BreadcrumbError> {
    let is_good = |key: &str| {
        (1..=KEY_BYTES_MAX).contains(&key.len()) && key.bytes().all(|byte| byte.is_ascii_graphic())
    };
    match key {
        Some(key) if !is_good(key) => {
            let message = format!(
                "`Idempotency-Key` must be 1 to {KEY_BYTES_MAX} letters, digits and signs without spaces."
            );
            Err(BreadcrumbError::field("Idempotency-Key", message))
        }
        _ => Ok(()),
    }
}

fn expiry(ttl: Option<i64>, at: Timestamp) -> Option<Timestamp> {
    let seconds = u64::try_from(ttl?).unwrap_or_default();
    Some(at.after(Duration::from_secs(seconds)))
}

fn patched(current: &Breadcrumb, patch: RecordPatch) -> NewRecord {
    let RecordPatch {
        version: _,
        title,
        tags,
        context,
        visibility,
        sensitivity,
        ttl,
    } = patch;
    NewRecord {
        schema_name: current.schema_name.clone(),
        title: title.unwrap_or_else(|| current.title.clone()),
        tags: tags.unwrap_or_else(|| current.tags.clone()),
        context: context
            .or_else(|| current.context.as_object().cloned())
            .unwrap_or_default(),
        visibility: visibility.unwrap_or(current.visibility),
        sensitivity: sensitivity.unwrap_or(current.sensitivity),
        ttl: ttl.or(current.ttl),
    }
}

//! The calls of tools, one row each: approval, idempotency key, intent and outcome of a call are one record.
//!
//! A row only changes by a step of [`CallLife`]. What the runtime needs to run a call later is
//! stored here for it, but never read by this crate.

mod life;

use std::time::Duration;

use serde_json::{Value, json};
use sitewright_tool::{Envelope, Scope};
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, Row};

use crate::audit::Record;
use crate::database::Write;
use crate::grants::give_grant;
use crate::{Actor, CallId, GrantRow, RetentionClock, SiteId, Stamp, Store, StoreError, Timestamp};

pub use life::{CallLife, CallState, End, Lease, NoStep, Permission, SettledOutcome, Step};

/// A call of a tool, as its row stores it.
#[derive(Debug, Clone, PartialEq)]
pub struct CallRecord {
    /// Also the id of the change that the call makes.
    pub id: CallId,
    pub site: SiteId,
    pub actor: Actor,
    /// The idempotency key: a retry of the call has the same one.
    pub key: String,
    /// The card on which a person decides; calls of one round share a card.
    pub card: String,
    /// The scope it was called in.
    pub scope: Scope,
    pub tool: String,
    /// The digest of scope, tool and arguments.
    pub digest: String,
    /// The arguments; none for a read-only call with long arguments.
    pub arguments: Option<Value>,
    /// What the runtime needs to run it later.
    pub request: Value,
    /// The facts that the policy judged, and its verdict.
    pub judged: Option<Value>,
    /// What the call would do, for the person who decides.
    pub preview: Option<Value>,
    /// The state of the call and what determines its next step.
    pub life: CallLife,
    pub outcome: Option<Envelope>,
    /// When the call was made.
    pub at: Timestamp,
    pub ended_at: Option<Timestamp>,
}

/// Why a call did not take a step. The call is unchanged.
#[derive(Debug, thiserror::Error)]
pub enum StepError {
    /// The call's state does not allow it.
    #[error(transparent)]
    No(#[from] NoStep),
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<sqlx::Error> for StepError {
    fn from(error: sqlx::Error) -> Self {
        Self::Store(error.into())
    }
}

/// Which calls to list.
#[derive(Debug, Clone, Copy, Default)]
pub struct CallFilter<'a> {
    pub state: Option<CallState>,
    /// Only calls of this caller.
    pub actor: Option<&'a Actor>,
    /// Only calls made before this one.
    pub before: Option<&'a CallId>,
}

/// What is recorded with a step, besides the new state.
#[derive(Debug, Clone, Copy)]
pub struct StepRecord<'a> {
    /// The outcome, if the step ends the call.
    pub outcome: Option<&'a Envelope>,
    /// Who takes the step, and when.
    pub by: &'a Stamp,
}

/// How many calls one statement stores: thousands of reads a second otherwise spend their time between threads. One number, so that the
/// database parses the statement once.
const CALLS_PER_STATEMENT: usize = 32;
const CALL_COLUMNS: usize = 18;

impl Store {
    /// Stores a call that is about to run or to wait. If a call with the same key already exists, returns that one and stores nothing.
    pub async fn begin_call(&self, call: &CallRecord) -> Result<Option<CallRecord>, StoreError> {
        let mut write = self.write().await?;
        if insert(&mut write, std::slice::from_ref(call)).await? == 0 {
            write.rollback().await?;
            let twin = self.call_by_key(&call.site, &call.actor, &call.key).await?;
            return match twin {
                Some(twin) => Ok(Some(twin)),
                None => Err(StoreError::Corrupt { what: "call" }),
            };
        }
        let by = Stamp {
            actor: call.actor.clone(),
            at: call.at,
        };
        audit(&mut write, call, &by).await?;
        self.commit(write).await?;
        Ok(None)
    }

    /// Stores calls that are over and changed nothing. A call whose key is taken is skipped.
    pub async fn record_calls(&self, calls: &[CallRecord]) -> Result<(), StoreError> {
        let mut write = self.write().await?;
        let (many, few) = calls.as_chunks::<CALLS_PER_STATEMENT>();
        for calls in many {
            insert(&mut write, calls).await?;
        }
        for call in few {
            insert(&mut write, std::slice::from_ref(call)).await?;
        }
        write.commit().await?;
        Ok(())
    }

    /// One call of a site.
    pub async fn call(&self, site: &SiteId, id: &CallId) -> Result<CallRecord, StoreError> {
        let row = sqlx::query("SELECT * FROM calls WHERE site_id = $1 AND id = $2")
            .bind(site.as_str())
            .bind(id.as_str())
            .fetch_optional(self.reader())
            .await?;
        row.as_ref()
            .map(record)
            .transpose()?
            .ok_or(StoreError::NotFound { what: "call" })
    }

    /// The call that an actor made with an idempotency key.
    pub async fn call_by_key(
        &self,
        site: &SiteId,
        actor: &Actor,
        key: &str,
    ) -> Result<Option<CallRecord>, StoreError> {
        let mut connection = self.reader().acquire().await?;
        by_key(&mut connection, site, actor, key).await
    }

    /// The calls of a site, newest first.
    pub async fn calls(
        &self,
        site: &SiteId,
        filter: CallFilter<'_>,
        limit: u16,
    ) -> Result<Vec<CallRecord>, StoreError> {
        // Ids sort by time, and `~` sorts after every id.
        let rows = sqlx::query(
            "SELECT * FROM calls WHERE site_id = $1 AND ($2 = '' OR state = $2) AND id < $3 AND ($4 = '' OR actor = $4) \
             ORDER BY id DESC LIMIT $5",
        )
        .bind(site.as_str())
        .bind(filter.state.map_or("", CallState::as_str))
        .bind(filter.before.map_or("~", CallId::as_str))
        .bind(filter.actor.map(ToString::to_string).unwrap_or_default())
        .bind(i64::from(limit))
        .fetch_all(self.reader())
        .await?;
        rows.iter().map(record).collect()
    }

    /// The calls of a card, or the single call with this id.
    pub async fn calls_of_card(
        &self,
        site: &SiteId,
        card: &str,
    ) -> Result<Vec<CallRecord>, StoreError> {
        let rows = sqlx::query(
            "SELECT * FROM calls WHERE site_id = $1 AND (card = $2 OR id = $2) ORDER BY id",
        )
        .bind(site.as_str())
        .bind(card)
        .fetch_all(self.reader())
        .await?;
        rows.iter().map(record).collect()
    }

    /// The calls of all sites that need attention: their expiry or lease has run out, or they are ready and no process runs them.
    pub async fn due_calls(&self, now: Timestamp) -> Result<Vec<CallRecord>, StoreError> {
        let rows = sqlx::query(
            "SELECT * FROM calls WHERE state = 'ready' OR (state IN ('waiting', 'running') AND due <= $1) ORDER BY id LIMIT 500",
        )
        .bind(now.millis())
        .fetch_all(self.reader())
        .await?;
        rows.iter().map(record).collect()
    }

    /// The calls that are running according to their rows.
    pub async fn running_calls(&self) -> Result<Vec<CallRecord>, StoreError> {
        let rows = sqlx::query("SELECT * FROM calls WHERE state = 'running' ORDER BY id")
            .fetch_all(self.reader())
            .await?;
        rows.iter().map(record).collect()
    }

    /// Applies steps to a call, either all of them or none, and returns the call afterwards.
    pub async fn step_call(
        &self,
        id: &CallId,
        steps: &[Step<'_>],
        stepped: StepRecord<'_>,
    ) -> Result<CallRecord, StepError> {
        let mut write = self.write().await?;
        let mut call = locked(&mut write, id)
            .await?
            .ok_or(StoreError::NotFound { what: "call" })?;
        for step in steps {
            call.life.take(step)?;
        }
        save(&mut write, &mut call, stepped).await?;
        self.commit(write).await?;
        Ok(call)
    }

    /// Applies a step to every waiting call of a card and stores the grants that come with the decision, either all of it or nothing.
    /// Fails if the card has no waiting call.
    pub async fn step_card(
        &self,
        (site, card): (&SiteId, &str),
        step: &Step<'_>,
        grants: &[GrantRow],
        stepped: StepRecord<'_>,
    ) -> Result<Vec<CallRecord>, StepError> {
        let all = self.calls_of_card(site, card).await?;
        let waiting = all
            .iter()
            .filter(|call| call.life.state == CallState::Waiting);
        let mut ids: Vec<&CallId> = waiting.map(|call| &call.id).collect();
        if ids.is_empty() {
            let decided = all.first().ok_or(StoreError::NotFound { what: "call" })?;
            ids.push(&decided.id);
        }
        let mut write = self.write().await?;
        let mut calls = Vec::with_capacity(ids.len());
        for id in ids {
            let mut call = locked(&mut write, id)
                .await?
                .ok_or(StoreError::NotFound { what: "call" })?;
            call.life.take(step)?;
            save(&mut write, &mut call, stepped).await?;
            calls.push(call);
        }
        for grant in grants {
            give_grant(&mut write, site, grant, stepped.by).await?;
        }
        self.commit(write).await?;
        Ok(calls)
    }

    /// Deletes calls that are over and older than `age`, as far as the clock can be trusted, and returns how many were deleted.
    pub async fn forget_calls(
        &self,
        clock: &RetentionClock,
        age: Duration,
    ) -> Result<u64, StoreError> {
        let Some(before) = clock.cutoff(age) else {
            return Ok(0);
        };
        let mut write = self.write().await?;
        let gone = sqlx::query(
            "DELETE FROM calls WHERE at < $1 AND state IN ('done', 'failed', 'denied', 'expired')",
        )
        .bind(before.millis())
        .execute(&mut *write)
        .await?;
        sqlx::query("DELETE FROM grants WHERE expires_at < $1")
            .bind(before.millis())
            .execute(&mut *write)
            .await?;
        write.commit().await?;
        Ok(gone.rows_affected())
    }
}

/// A call whose change is being committed. Its row ends in the transaction of the change.
#[derive(Debug)]
pub struct CallInCommit<'a> {
    /// The call in its state before the commit.
    pub call: &'a CallRecord,
    /// Whether the call has no row yet.
    pub is_new: bool,
    /// The process that runs the call, and until when it is trusted to be alive.
    pub lease: Lease,
    /// The digest of what the call is about to do; it must match what was allowed.
    pub bound: &'a str,
    /// The call's reply once the change is in the log.
    pub outcome: &'a Envelope,
}

impl CallInCommit<'_> {
    /// Ends the call. Returns false if the call is already over, or another call with the same key was stored first.
    pub(crate) async fn save(&self, write: &mut Write, by: &Stamp) -> Result<bool, StepError> {
        let mut call = match self.is_new {
            true => self.call.clone(),
            false => locked(write, &self.call.id)
                .await?
                .ok_or(StoreError::NotFound { what: "call" })?,
        };
        if call.life.state.is_final() {
            return Ok(false);
        }
        call.life.take(&Step::Claim {
            lease: self.lease.clone(),
            at: by.at,
            bound: self.bound,
        })?;
        call.life.take(&Step::Finish {
            holder: &self.lease.holder,
            end: End::Done,
        })?;
        call.outcome = Some(self.outcome.clone());
        call.ended_at = Some(by.at);
        if !self.is_new {
            let outcome = Some(self.outcome);
            save(write, &mut call, StepRecord { outcome, by }).await?;
            return Ok(true);
        }
        let is_first = insert(write, std::slice::from_ref(&call)).await? == 1;
        if is_first {
            audit(write, &call, by).await?;
        }
        Ok(is_first)
    }
}

/// Stores calls whose key is free, and returns how many.
async fn insert(write: &mut AnyConnection, calls: &[CallRecord]) -> Result<u64, StoreError> {
    let row = |at: usize| {
        let places: Vec<String> = (1..=CALL_COLUMNS)
            .map(|column| format!("${}", at * CALL_COLUMNS + column))
            .collect();
        format!("({})", places.join(", "))
    };
    let rows: Vec<String> = (0..calls.len()).map(row).collect();
    let sql = format!(
        "INSERT INTO calls (id, site_id, actor, key, card, scope, tool, digest, arguments, request, judged, preview, state, due, life, \
         outcome, at, ended_at) VALUES {} ON CONFLICT DO NOTHING",
        rows.join(", ")
    );
    let mut query = sqlx::query(sqlx::AssertSqlSafe(sql));
    for call in calls {
        query = query
            .bind(call.id.as_str())
            .bind(call.site.as_str())
            .bind(call.actor.to_string())
            .bind(&call.key)
            .bind(&call.card)
            .bind(call.scope.as_str())
            .bind(&call.tool)
            .bind(&call.digest)
            .bind(call.arguments.as_ref().map(Value::to_string))
            .bind(call.request.to_string())
            .bind(call.judged.as_ref().map(Value::to_string))
            .bind(call.preview.as_ref().map(Value::to_string))
            .bind(call.life.state.as_str())
            .bind(call.life.due().map(Timestamp::millis))
            .bind(text(&call.life)?)
            .bind(call.outcome.as_ref().map(text).transpose()?)
            .bind(call.at.millis())
            .bind(call.ended_at.map(Timestamp::millis));
    }
    Ok(query.execute(write).await?.rows_affected())
}

/// Writes the state of a call and records the step in the activity log.
async fn save(
    write: &mut Write,
    call: &mut CallRecord,
    stepped: StepRecord<'_>,
) -> Result<(), StoreError> {
    if let Some(outcome) = stepped.outcome {
        call.outcome = Some(outcome.clone());
    }
    call.ended_at = call.life.state.is_final().then_some(stepped.by.at);
    sqlx::query(
        "UPDATE calls SET state = $1, due = $2, life = $3, outcome = $4, ended_at = $5 WHERE id = $6",
    )
    .bind(call.life.state.as_str())
    .bind(call.life.due().map(Timestamp::millis))
    .bind(text(&call.life)?)
    .bind(call.outcome.as_ref().map(text).transpose()?)
    .bind(call.ended_at.map(Timestamp::millis))
    .bind(call.id.as_str())
    .execute(&mut **write)
    .await?;
    audit(write, call, stepped.by).await
}

async fn audit(write: &mut Write, call: &CallRecord, by: &Stamp) -> Result<(), StoreError> {
    let action = match call.life.state {
        CallState::Waiting => "call.asked",
        CallState::Ready => "call.ready",
        CallState::Running => "call.begun",
        CallState::Done => "call.done",
        CallState::Failed => "call.failed",
        CallState::Unknown => "call.outcome_unknown",
        CallState::Denied => "call.denied",
        CallState::Expired => "call.expired",
    };
    let mut detail =
        json!({ "call": call.id, "digest": call.digest, "for": call.actor.to_string() });
    if let Some(object) = detail.as_object_mut() {
        if let Permission::Approval { by, .. } = &call.life.permission {
            object.insert("approvedBy".to_owned(), json!(by));
        }
        let error = call
            .outcome
            .as_ref()
            .and_then(|outcome| outcome.error.as_ref());
        if let Some(error) = error {
            object.insert("code".to_owned(), json!(error.code));
        }
        let grant = call.judged.as_ref().and_then(|judged| judged.get("grant"));
        if let Some(grant) = grant {
            object.insert("grant".to_owned(), grant.clone());
        }
    }
    Record::of(action)
        .on(&call.site)
        .about(&call.tool)
        .with(detail)
        .save(write, by)
        .await
}

/// Withdraws the calls of an actor that wait for approval, on one site or on all: an actor who may no longer call would only be refused
/// after someone has approved them.
pub(crate) async fn withdraw_calls(
    write: &mut Write,
    actor: &Actor,
    site: Option<&SiteId>,
    by: &Stamp,
) -> Result<(), StoreError> {
    let rows = sqlx::query(
        "SELECT id FROM calls WHERE state = 'waiting' AND actor = $1 AND ($2 = '' OR site_id = $2) ORDER BY id",
    )
    .bind(actor.to_string())
    .bind(site.map_or("", SiteId::as_str))
    .fetch_all(&mut **write)
    .await?;
    for row in &rows {
        let id = CallId::from(row.try_get::<String, _>("id")?);
        let Some(mut call) = locked(write, &id).await? else {
            continue;
        };
        // On Postgres, another node may have decided on it since it was listed.
        if call.life.take(&Step::Withdraw).is_ok() {
            save(write, &mut call, StepRecord { outcome: None, by }).await?;
        }
    }
    Ok(())
}

/// A call, locked until the transaction ends.
async fn locked(write: &mut AnyConnection, id: &CallId) -> Result<Option<CallRecord>, StoreError> {
    // On Postgres, writing the unchanged value locks the row, with the same SQL text as on SQLite.
    let row = sqlx::query("UPDATE calls SET state = state WHERE id = $1 RETURNING *")
        .bind(id.as_str())
        .fetch_optional(write)
        .await?;
    row.as_ref().map(record).transpose()
}

async fn by_key(
    connection: &mut AnyConnection,
    site: &SiteId,
    actor: &Actor,
    key: &str,
) -> Result<Option<CallRecord>, StoreError> {
    let row = sqlx::query("SELECT * FROM calls WHERE site_id = $1 AND actor = $2 AND key = $3")
        .bind(site.as_str())
        .bind(actor.to_string())
        .bind(key)
        .fetch_optional(connection)
        .await?;
    row.as_ref().map(record).transpose()
}

fn record(row: &AnyRow) -> Result<CallRecord, StoreError> {
    let corrupt = || StoreError::Corrupt { what: "call" };
    let scope: String = row.try_get("scope")?;
    let scope = Scope::ALL.into_iter().find(|known| known.as_str() == scope);
    let actor: String = row.try_get("actor")?;
    let time = |column: &str| -> Result<Option<Timestamp>, StoreError> {
        let millis: Option<i64> = row.try_get(column)?;
        Ok(millis.map(Timestamp::from_millis))
    };
    Ok(CallRecord {
        id: CallId::from(row.try_get::<String, _>("id")?),
        site: SiteId::from(row.try_get::<String, _>("site_id")?),
        actor: Actor::parse(&actor).ok_or_else(corrupt)?,
        key: row.try_get("key")?,
        card: row.try_get("card")?,
        scope: scope.ok_or_else(corrupt)?,
        tool: row.try_get("tool")?,
        digest: row.try_get("digest")?,
        arguments: json_of(row, "arguments")?,
        request: json_of(row, "request")?.ok_or_else(corrupt)?,
        judged: json_of(row, "judged")?,
        preview: json_of(row, "preview")?,
        life: json_of(row, "life")?.ok_or_else(corrupt)?,
        outcome: json_of(row, "outcome")?,
        at: time("at")?.ok_or_else(corrupt)?,
        ended_at: time("ended_at")?,
    })
}

fn json_of<T: serde::de::DeserializeOwned>(
    row: &AnyRow,
    column: &str,
) -> Result<Option<T>, StoreError> {
    let text: Option<String> = row.try_get(column)?;
    text.map(|text| serde_json::from_str(&text))
        .transpose()
        .map_err(|_unreadable| StoreError::Corrupt { what: "call" })
}

fn text<T: serde::Serialize>(value: &T) -> Result<String, StoreError> {
    serde_json::to_string(value).map_err(|_unwritable| StoreError::Corrupt { what: "call" })
}

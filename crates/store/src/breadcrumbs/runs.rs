//! Records whose tool requests are executed: who works on them, and which requests have their answer.
//!
//! A request has exactly one answer because the answering record and the state of the request are written in one transaction, which
//! fails if the request is answered already.

use serde_json::Value;
use sqlx::Row;
use sqlx::any::AnyRow;

use super::Breadcrumb;
use super::records::insert;
use crate::database::Write;
use crate::{Actor, BreadcrumbId, SiteId, Store, StoreError, Timestamp, TurnId};

/// What a new run needs besides its record.
#[derive(Debug, Clone, PartialEq)]
pub struct NewBreadcrumbRun {
    /// On whose behalf it runs, for the runner.
    pub caller: Value,
    pub session: Option<String>,
    /// How many rounds of a model led to it.
    pub depth: i64,
    pub holder: String,
    pub due: Timestamp,
    pub requests: Vec<BreadcrumbRequest>,
}

/// A record whose requests are executed.
#[derive(Debug, Clone, PartialEq)]
pub struct BreadcrumbRun {
    pub id: BreadcrumbId,
    pub site: SiteId,
    pub actor: Actor,
    /// On whose behalf it runs, for the runner.
    pub caller: Value,
    pub session: Option<String>,
    pub depth: i64,
    /// Whether a person stopped it.
    pub is_stopped: bool,
    /// The turn in which a model got the answers, once there is one.
    pub turn: Option<TurnId>,
    pub holder: String,
    /// When another process may take it over; `None` once everything is done.
    pub due: Option<Timestamp>,
    pub at: Timestamp,
}

/// A request of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct BreadcrumbRequest {
    pub position: i64,
    /// The id that its author chose.
    pub request_id: String,
    pub body: Value,
    /// Whether the answer goes back to the model.
    pub returns: bool,
    pub state: RequestState,
    /// The answering record.
    pub response: Option<BreadcrumbId>,
}

/// How far a request is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RequestState {
    Open,
    /// A person has to approve its call.
    Waiting,
    Answered,
}

impl RequestState {
    /// The spelling in rows and answers.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Waiting => "waiting",
            Self::Answered => "answered",
        }
    }

    fn parse(text: &str) -> Option<Self> {
        [Self::Open, Self::Waiting, Self::Answered]
            .into_iter()
            .find(|one| one.as_str() == text)
    }
}

pub(super) async fn insert_run(
    write: &mut Write,
    record: &Breadcrumb,
    run: &NewBreadcrumbRun,
) -> Result<(), StoreError> {
    sqlx::query(
        "INSERT INTO breadcrumb_runs (breadcrumb_id, site_id, actor, caller, session, depth, stopped, turn_id, holder, due, at) \
         VALUES ($1, $2, $3, $4, $5, $6, 0, NULL, $7, $8, $9)",
    )
    .bind(record.id.as_str())
    .bind(record.site.as_str())
    .bind(record.created_by.to_string())
    .bind(run.caller.to_string())
    .bind(&run.session)
    .bind(run.depth)
    .bind(&run.holder)
    .bind(run.due.millis())
    .bind(record.created_at.millis())
    .execute(&mut **write)
    .await?;
    for request in &run.requests {
        sqlx::query(
            "INSERT INTO breadcrumb_requests (breadcrumb_id, position, request_id, body, returns, state) VALUES ($1, $2, $3, $4, $5, $6)",
        )
        .bind(record.id.as_str())
        .bind(request.position)
        .bind(&request.request_id)
        .bind(request.body.to_string())
        .bind(i64::from(request.returns))
        .bind(request.state.as_str())
        .execute(&mut **write)
        .await?;
    }
    Ok(())
}

impl Store {
    /// The run of a record, if its requests are or were executed.
    pub async fn breadcrumb_run(
        &self,
        site: &SiteId,
        id: &BreadcrumbId,
    ) -> Result<Option<BreadcrumbRun>, StoreError> {
        let row =
            sqlx::query("SELECT * FROM breadcrumb_runs WHERE site_id = $1 AND breadcrumb_id = $2")
                .bind(site.as_str())
                .bind(id.as_str())
                .fetch_optional(self.reader())
                .await?;
        row.as_ref().map(run).transpose()
    }

    /// The runs of all sites that are not done.
    pub async fn open_breadcrumb_runs(&self) -> Result<Vec<BreadcrumbRun>, StoreError> {
        let rows = sqlx::query(
            "SELECT * FROM breadcrumb_runs WHERE due IS NOT NULL ORDER BY due LIMIT 1000",
        )
        .fetch_all(self.reader())
        .await?;
        rows.iter().map(run).collect()
    }

    /// Takes a run over from its holder. Returns false if another process was first.
    pub async fn take_breadcrumb_run(
        &self,
        taken: &BreadcrumbRun,
        holder: &str,
        due: Timestamp,
    ) -> Result<bool, StoreError> {
        let mut write = self.write().await?;
        let done = sqlx::query(
            "UPDATE breadcrumb_runs SET holder = $1, due = $2 WHERE breadcrumb_id = $3 AND holder = $4 AND due = $5",
        )
        .bind(holder)
        .bind(due.millis())
        .bind(taken.id.as_str())
        .bind(&taken.holder)
        .bind(taken.due.map(Timestamp::millis))
        .execute(&mut *write)
        .await?;
        write.commit().await?;
        Ok(done.rows_affected() == 1)
    }

    /// Renews the leases of a process.
    pub async fn hold_breadcrumb_runs(
        &self,
        holder: &str,
        due: Timestamp,
    ) -> Result<(), StoreError> {
        let mut write = self.write().await?;
        sqlx::query("UPDATE breadcrumb_runs SET due = $1 WHERE holder = $2 AND due IS NOT NULL")
            .bind(due.millis())
            .bind(holder)
            .execute(&mut *write)
            .await?;
        write.commit().await?;
        Ok(())
    }

    /// Ends a run: nobody has to look at it again.
    pub async fn end_breadcrumb_run(&self, id: &BreadcrumbId) -> Result<(), StoreError> {
        let mut write = self.write().await?;
        sqlx::query("UPDATE breadcrumb_runs SET due = NULL WHERE breadcrumb_id = $1")
            .bind(id.as_str())
            .execute(&mut *write)
            .await?;
        write.commit().await?;
        Ok(())
    }

    /// Marks a run as stopped by a person. Returns false if it is over.
    pub async fn stop_breadcrumb_run(
        &self,
        site: &SiteId,
        id: &BreadcrumbId,
    ) -> Result<bool, StoreError> {
        let mut write = self.write().await?;
        let done = sqlx::query(
            "UPDATE breadcrumb_runs SET stopped = 1 WHERE site_id = $1 AND breadcrumb_id = $2 AND due IS NOT NULL",
        )
        .bind(site.as_str())
        .bind(id.as_str())
        .execute(&mut *write)
        .await?;
        self.commit_breadcrumbs(write, site).await?;
        Ok(done.rows_affected() == 1)
    }

    /// Remembers the turn in which a model gets the answers.
    pub async fn set_breadcrumb_turn(
        &self,
        id: &BreadcrumbId,
        turn: &TurnId,
    ) -> Result<(), StoreError> {
        let mut write = self.write().await?;
        sqlx::query("UPDATE breadcrumb_runs SET turn_id = $1 WHERE breadcrumb_id = $2")
            .bind(turn.as_str())
            .bind(id.as_str())
            .execute(&mut *write)
            .await?;
        write.commit().await?;
        Ok(())
    }

    /// The requests of a run, in the order of the record.
    pub async fn breadcrumb_requests(
        &self,
        id: &BreadcrumbId,
    ) -> Result<Vec<BreadcrumbRequest>, StoreError> {
        let rows = sqlx::query(
            "SELECT * FROM breadcrumb_requests WHERE breadcrumb_id = $1 ORDER BY position",
        )
        .bind(id.as_str())
        .fetch_all(self.reader())
        .await?;
        rows.iter().map(request).collect()
    }

    /// Marks a request as waiting for a person. Returns false if it waits or is answered already.
    pub async fn set_request_waiting(
        &self,
        id: &BreadcrumbId,
        position: i64,
    ) -> Result<bool, StoreError> {
        let mut write = self.write().await?;
        let done = sqlx::query(
            "UPDATE breadcrumb_requests SET state = 'waiting' WHERE breadcrumb_id = $1 AND position = $2 AND state = 'open'",
        )
        .bind(id.as_str())
        .bind(position)
        .execute(&mut *write)
        .await?;
        write.commit().await?;
        Ok(done.rows_affected() == 1)
    }

    /// Stores the answer to a request. Returns `None`, and stores nothing, if the request has its answer already.
    pub async fn answer_request(
        &self,
        id: &BreadcrumbId,
        position: i64,
        response: &Breadcrumb,
    ) -> Result<Option<Breadcrumb>, StoreError> {
        let mut write = self.write().await?;
        let done = sqlx::query(
            "UPDATE breadcrumb_requests SET state = 'answered', response_id = $1 \
             WHERE breadcrumb_id = $2 AND position = $3 AND state <> 'answered'",
        )
        .bind(response.id.as_str())
        .bind(id.as_str())
        .bind(position)
        .execute(&mut *write)
        .await?;
        if done.rows_affected() == 0 {
            write.rollback().await?;
            return Ok(None);
        }
        let record = insert(&mut write, response, None).await?;
        self.commit_breadcrumbs(write, &record.site).await?;
        Ok(Some(record))
    }
}

fn run(row: &AnyRow) -> Result<BreadcrumbRun, StoreError> {
    const CORRUPT: StoreError = StoreError::Corrupt {
        what: "run of a breadcrumb",
    };
    let text = |column: &str| row.try_get::<String, _>(column);
    let due: Option<i64> = row.try_get("due")?;
    let turn: Option<String> = row.try_get("turn_id")?;
    Ok(BreadcrumbRun {
        id: BreadcrumbId::from(text("breadcrumb_id")?),
        site: SiteId::from(text("site_id")?),
        actor: Actor::parse(&text("actor")?).ok_or(CORRUPT)?,
        caller: serde_json::from_str(&text("caller")?).map_err(|_unreadable| CORRUPT)?,
        session: row.try_get("session")?,
        depth: row.try_get("depth")?,
        is_stopped: row.try_get::<i64, _>("stopped")? != 0,
        turn: turn.map(TurnId::from),
        holder: text("holder")?,
        due: due.map(Timestamp::from_millis),
        at: Timestamp::from_millis(row.try_get("at")?),
    })
}

fn request(row: &AnyRow) -> Result<BreadcrumbRequest, StoreError> {
    const CORRUPT: StoreError = StoreError::Corrupt {
        what: "request of a breadcrumb",
    };
    let text = |column: &str| row.try_get::<String, _>(column);
    let response: Option<String> = row.try_get("response_id")?;
    Ok(BreadcrumbRequest {
        position: row.try_get("position")?,
        request_id: text("request_id")?,
        body: serde_json::from_str(&text("body")?).map_err(|_unreadable| CORRUPT)?,
        returns: row.try_get::<i64, _>("returns")? != 0,
        state: RequestState::parse(&text("state")?).ok_or(CORRUPT)?,
        response: response.map(BreadcrumbId::from),
    })
}

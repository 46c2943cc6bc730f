//! The rows of workflows: how far each has come. Their content is the runtime's.

use futures_util::TryStreamExt as _;
use serde_json::Value;
use sqlx::Row;
use sqlx::any::AnyRow;

use crate::stored_json::stored_json;
use crate::{Actor, SiteId, Store, StoreError, Timestamp};

/// Which missions or workflows are listed.
#[derive(Debug, Clone, Copy)]
pub struct RunQuery<'a> {
    /// Only those that this actor started; everybody's without one.
    pub actor: Option<&'a Actor>,
    /// Only those before this one.
    pub before: Option<&'a str>,
    pub limit: u16,
}

/// A workflow as its row stores it.
#[derive(Debug, Clone, PartialEq)]
pub struct WorkflowRecord {
    /// The id of the call that runs it.
    pub id: String,
    pub site: SiteId,
    pub actor: Actor,
    pub body: Value,
    pub at: Timestamp,
    pub ended_at: Option<Timestamp>,
}

impl Store {
    /// Stores how far a workflow has come.
    pub async fn save_workflow(&self, workflow: &WorkflowRecord) -> Result<(), StoreError> {
        let mut write = self.write().await?;
        sqlx::query(
            "INSERT INTO workflow_runs (id, site_id, actor, body, at, ended_at) VALUES ($1, $2, $3, $4, $5, $6) \
             ON CONFLICT (id) DO UPDATE SET body = excluded.body, ended_at = excluded.ended_at",
        )
        .bind(&workflow.id)
        .bind(workflow.site.as_str())
        .bind(workflow.actor.to_string())
        .bind(workflow.body.to_string())
        .bind(workflow.at.millis())
        .bind(workflow.ended_at.map(Timestamp::millis))
        .execute(&mut *write)
        .await?;
        write.commit().await?;
        Ok(())
    }

    /// One workflow of a site.
    pub async fn workflow(&self, site: &SiteId, id: &str) -> Result<WorkflowRecord, StoreError> {
        let row = sqlx::query("SELECT * FROM workflow_runs WHERE site_id = $1 AND id = $2")
            .bind(site.as_str())
            .bind(id)
            .fetch_optional(self.reader())
            .await?;
        let found = row.as_ref().map(record).transpose()?;
        found.ok_or(StoreError::NotFound { what: "workflow" })
    }

    /// The workflows of a site, newest first, each as `summarise` reduces it: whole, a page of them can have a hundred megabytes.
    pub async fn workflows<Summary>(
        &self,
        site: &SiteId,
        query: RunQuery<'_>,
        summarise: impl Fn(WorkflowRecord) -> Summary,
    ) -> Result<Vec<Summary>, StoreError> {
        // Ids sort by time, and `~` sorts after every id.
        let mut rows = sqlx::query(
            "SELECT * FROM workflow_runs WHERE site_id = $1 AND id < $2 AND ($3 = '' OR actor = $3) ORDER BY id DESC LIMIT $4",
        )
        .bind(site.as_str())
        .bind(query.before.unwrap_or("~"))
        .bind(query.actor.map_or_else(String::new, ToString::to_string))
        .bind(i64::from(query.limit))
        .fetch(self.reader());
        let mut found = Vec::new();
        while let Some(row) = rows.try_next().await? {
            found.push(summarise(record(&row)?));
        }
        Ok(found)
    }
}

fn record(row: &AnyRow) -> Result<WorkflowRecord, StoreError> {
    const CORRUPT: StoreError = StoreError::Corrupt { what: "workflow" };
    let text = |column: &str| row.try_get::<String, _>(column);
    let ended_at: Option<i64> = row.try_get("ended_at")?;
    Ok(WorkflowRecord {
        id: text("id")?,
        site: SiteId::from(text("site_id")?),
        actor: Actor::parse(&text("actor")?).ok_or(CORRUPT)?,
        body: stored_json(&text("body")?),
        at: Timestamp::from_millis(row.try_get("at")?),
        ended_at: ended_at.map(Timestamp::from_millis),
    })
}

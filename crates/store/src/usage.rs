//! What turns used: one row per run of a model, and the sums for budgets, estimates and the audit page.
//!
//! The database computes the sums, but not by day: where a day ends depends on the reader's time zone. Times are summed by quarters
//! of an hour instead, because the days of every time zone consist of whole quarters.

use sitewright_tool::Scope;
use sqlx::Row;
use sqlx::any::AnyRow;

use crate::{Actor, ConversationId, SiteId, Store, StoreError, Timestamp, TurnId, UsageId};

/// One run of a model within a turn. Token counts are the provider's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UsageRow {
    /// Recording the same id again replaces the row, so that a retry counts once.
    pub id: UsageId,
    pub site: SiteId,
    pub turn_id: TurnId,
    pub conversation_id: ConversationId,
    /// The actor who made the request.
    pub user_id: Actor,
    /// The scope of the conversation.
    pub scope: Scope,
    pub provider_id: String,
    /// The model, as its provider names it.
    pub model_id: String,
    pub prompt_tokens: u64,
    pub completion_tokens: u64,
    /// Input that was read from a cache.
    pub cache_read_tokens: u64,
    /// Input that was written to a cache.
    pub cache_creation_tokens: u64,
    /// All input and output, counted the same way for every provider.
    pub tokens: u64,
    /// The cost; none if it is not known.
    pub cost_picodollars: Option<u64>,
    /// When the run ended.
    pub at: Timestamp,
}

/// What was spent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct UsageTotal {
    /// All input and output.
    pub tokens: u64,
    /// The sum of the known costs.
    pub cost_picodollars: u64,
    /// Whether some runs have no known cost.
    pub has_unknown: bool,
}

/// What a past turn used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TurnCost {
    pub turn_id: TurnId,
    /// All input and output.
    pub tokens: u64,
    /// The cost; none if part of it is not known.
    pub cost_picodollars: Option<u64>,
    /// When its last run ended.
    pub at: Timestamp,
}

/// The sum of several runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct UsageSum {
    pub runs: u64,
    /// Input, as the providers count it.
    pub prompt_tokens: u64,
    /// Output, as the providers count it.
    pub completion_tokens: u64,
    /// Input that was read from a cache.
    pub cache_read_tokens: u64,
    /// Input that was written to a cache.
    pub cache_creation_tokens: u64,
    /// All input and output, counted the same way for every provider.
    pub tokens: u64,
    /// The sum of the known costs.
    pub cost_picodollars: u64,
    /// The number of runs without a known cost.
    pub unpriced_runs: u64,
}

/// What sums are grouped by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UsageBy {
    /// A single sum.
    Nothing,
    /// The person, or the token or the machine if there is no person.
    User,
    Scope,
    /// The provider and the model.
    Model,
    /// Quarters of an hour since 1970.
    Quarter,
}

/// One group and its sum.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rollup {
    /// The group: `user:ID` (or `token:ID`, `local`), the scope, the provider, or the number of the quarter.
    pub key: String,
    /// The model if grouped by model, otherwise empty.
    pub model: String,
    /// The current name of the person or token; none if it no longer exists.
    pub name: Option<String>,
    pub sum: UsageSum,
}

/// Rows to read per requested past turn; few turns have more runs.
const RUNS_PER_TURN: i64 = 50;

const SUMS: &str = "CAST(COUNT(*) AS BIGINT) AS runs, \
     CAST(COALESCE(SUM(prompt_tokens), 0) AS BIGINT) AS prompt_tokens, \
     CAST(COALESCE(SUM(completion_tokens), 0) AS BIGINT) AS completion_tokens, \
     CAST(COALESCE(SUM(cache_read_tokens), 0) AS BIGINT) AS cache_read_tokens, \
     CAST(COALESCE(SUM(cache_creation_tokens), 0) AS BIGINT) AS cache_creation_tokens, \
     CAST(COALESCE(SUM(tokens), 0) AS BIGINT) AS tokens, \
     CAST(COALESCE(SUM(cost_picodollars), 0) AS BIGINT) AS cost_picodollars, \
     CAST(COUNT(*) - COUNT(cost_picodollars) AS BIGINT) AS unpriced_runs";

impl Store {
    /// Records a run.
    pub async fn record_usage(&self, row: &UsageRow) -> Result<(), StoreError> {
        let payer = self.payer(&row.user_id).await?.to_string();
        let mut write = self.write().await?;
        sqlx::query(
            "INSERT INTO ai_usage (id, site_id, turn_id, conversation_id, actor, payer, scope, provider_id, model_id, \
             prompt_tokens, completion_tokens, cache_read_tokens, cache_creation_tokens, tokens, cost_picodollars, at) \
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16) \
             ON CONFLICT (id) DO UPDATE SET prompt_tokens = excluded.prompt_tokens, \
             completion_tokens = excluded.completion_tokens, cache_read_tokens = excluded.cache_read_tokens, \
             cache_creation_tokens = excluded.cache_creation_tokens, tokens = excluded.tokens, \
             cost_picodollars = excluded.cost_picodollars, at = excluded.at",
        )
        .bind(row.id.as_str())
        .bind(row.site.as_str())
        .bind(row.turn_id.as_str())
        .bind(row.conversation_id.as_str())
        .bind(row.user_id.to_string())
        .bind(payer)
        .bind(row.scope.as_str())
        .bind(&row.provider_id)
        .bind(&row.model_id)
        .bind(stored(row.prompt_tokens, TOKENS_MAX))
        .bind(stored(row.completion_tokens, TOKENS_MAX))
        .bind(stored(row.cache_read_tokens, TOKENS_MAX))
        .bind(stored(row.cache_creation_tokens, TOKENS_MAX))
        .bind(stored(row.tokens, TOKENS_MAX))
        .bind(row.cost_picodollars.map(|cost| stored(cost, COST_MAX)))
        .bind(row.at.millis())
        .execute(&mut *write)
        .await?;
        Ok(write.commit().await?)
    }

    /// What a site spent since a time; with `user`, only what is charged to that person.
    ///
    /// What a token spends is charged to the person who created it, so that a token cannot be used to get around a cap.
    pub async fn spent_since(
        &self,
        site: &SiteId,
        user: Option<&Actor>,
        since: Timestamp,
    ) -> Result<UsageTotal, StoreError> {
        let whose = if user.is_some() {
            "payer = $3"
        } else {
            "$3 = ''"
        };
        let sql =
            format!("SELECT {SUMS} FROM ai_usage WHERE site_id = $1 AND at >= $2 AND {whose}");
        let payer = match user {
            Some(actor) => self.payer(actor).await?.to_string(),
            None => String::new(),
        };
        let row = sqlx::query(sqlx::AssertSqlSafe(sql))
            .bind(site.as_str())
            .bind(since.millis())
            .bind(payer)
            .fetch_one(self.reader())
            .await?;
        let sum = read_sum(&row)?;
        Ok(UsageTotal {
            tokens: sum.tokens,
            cost_picodollars: sum.cost_picodollars,
            has_unknown: sum.unpriced_runs > 0,
        })
    }

    /// What the latest turns of a scope used, newest first.
    pub async fn turn_costs(
        &self,
        site: &SiteId,
        scope: Scope,
        limit: u32,
    ) -> Result<Vec<TurnCost>, StoreError> {
        let sql = format!(
            "SELECT turn_id, MAX(at) AS ended_at, {SUMS} FROM ai_usage WHERE turn_id IN (SELECT turn_id FROM \
             (SELECT turn_id FROM ai_usage WHERE site_id = $1 AND scope = $2 ORDER BY at DESC LIMIT $3) AS recent) \
             GROUP BY turn_id ORDER BY ended_at DESC, turn_id DESC LIMIT $4"
        );
        let rows = sqlx::query(sqlx::AssertSqlSafe(sql))
            .bind(site.as_str())
            .bind(scope.as_str())
            .bind(i64::from(limit).saturating_mul(RUNS_PER_TURN))
            .bind(i64::from(limit))
            .fetch_all(self.reader())
            .await?;
        rows.iter()
            .map(|row| {
                let sum = read_sum(row)?;
                Ok(TurnCost {
                    turn_id: TurnId::from(row.try_get::<String, _>("turn_id")?),
                    tokens: sum.tokens,
                    cost_picodollars: (sum.unpriced_runs == 0).then_some(sum.cost_picodollars),
                    at: Timestamp::from_millis(row.try_get("ended_at")?),
                })
            })
            .collect()
    }

    /// What a site used since a time, by group, most expensive first.
    pub async fn usage_by(
        &self,
        site: &SiteId,
        since: Timestamp,
        by: UsageBy,
    ) -> Result<Vec<Rollup>, StoreError> {
        let (key, model) = match by {
            UsageBy::Nothing => ("''", "''"),
            UsageBy::User => ("payer", "''"),
            UsageBy::Scope => ("scope", "''"),
            UsageBy::Model => ("provider_id", "model_id"),
            UsageBy::Quarter => ("CAST(at / 900000 AS TEXT)", "''"),
        };
        let sql = format!(
            "SELECT sums.*, COALESCE(users.name, tokens.name) AS name FROM \
             (SELECT {key} AS key, {model} AS model, {SUMS} FROM ai_usage WHERE site_id = $1 AND at >= $2 GROUP BY 1, 2) AS sums \
             LEFT JOIN users ON sums.key = 'user:' || users.id LEFT JOIN tokens ON sums.key = 'token:' || tokens.id \
             ORDER BY sums.cost_picodollars DESC, sums.tokens DESC, sums.key, sums.model"
        );
        let rows = sqlx::query(sqlx::AssertSqlSafe(sql))
            .bind(site.as_str())
            .bind(since.millis())
            .fetch_all(self.reader())
            .await?;
        rows.iter()
            .map(|row| {
                Ok(Rollup {
                    key: row.try_get("key")?,
                    model: row.try_get("model")?,
                    name: row.try_get("name")?,
                    sum: read_sum(row)?,
                })
            })
            .collect()
    }

    /// The person who is charged for an actor.
    pub(crate) async fn payer(&self, actor: &Actor) -> Result<Actor, StoreError> {
        let Actor::Token(id) = actor else {
            return Ok(actor.clone());
        };
        let row = sqlx::query("SELECT user_id FROM tokens WHERE id = $1")
            .bind(id.as_str())
            .fetch_optional(self.reader())
            .await?;
        let maker: Option<String> = match row {
            Some(row) => row.try_get("user_id")?,
            None => None,
        };
        Ok(maker.map_or_else(|| actor.clone(), |id| Actor::User(id.into())))
    }
}

fn read_sum(row: &AnyRow) -> Result<UsageSum, StoreError> {
    let number = |name: &str| -> Result<u64, StoreError> {
        let corrupt = |_error| StoreError::Corrupt { what: "AI usage" };
        u64::try_from(row.try_get::<i64, _>(name)?).map_err(corrupt)
    };
    Ok(UsageSum {
        runs: number("runs")?,
        prompt_tokens: number("prompt_tokens")?,
        completion_tokens: number("completion_tokens")?,
        cache_read_tokens: number("cache_read_tokens")?,
        cache_creation_tokens: number("cache_creation_tokens")?,
        tokens: number("tokens")?,
        cost_picodollars: number("cost_picodollars")?,
        unpriced_runs: number("unpriced_runs")?,
    })
}

/// Numbers come from providers. These limits are beyond what one run can use, and keep the sums of many runs within a BIGINT.
const TOKENS_MAX: u64 = 1_000_000_000_000;
const COST_MAX: u64 = 1_000_000_000_000_000;

fn stored(number: u64, most: u64) -> i64 {
    i64::try_from(number.min(most)).unwrap_or(i64::MAX)
}

//! Reservations: what open turns may still spend of the month of the person who pays. A turn reserves its share before it begins, so that
//! turns that run at the same time cannot each spend what is left.

use sqlx::{AnyConnection, Row};

use crate::{Actor, SiteId, Store, StoreError, Timestamp, TurnId, TurnRecord};

/// Amounts of tokens and money; none means no cap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SpendingCaps {
    pub tokens: Option<u64>,
    pub cost_picodollars: Option<u64>,
}

/// The month that spending is counted in.
#[derive(Debug, Clone, Copy)]
pub struct SpendingMonth {
    pub since: Timestamp,
    pub caps: SpendingCaps,
    /// What a token counts as where the price of a run is not known.
    pub assumed_picodollars_per_token: u64,
}

impl Store {
    /// What is left of a month for the person who pays for an actor, after what was used and what open turns have reserved.
    pub async fn spending_left(
        &self,
        site: &SiteId,
        actor: &Actor,
        month: &SpendingMonth,
    ) -> Result<SpendingCaps, StoreError> {
        let payer = self.payer(actor).await?.to_string();
        let mut connection = self.reader().acquire().await?;
        left(&mut connection, site, &payer, month, None).await
    }

    /// Reserves what a turn may spend: its own caps, as far as the month has as much left. Returns what is left of the month for it; the
    /// turn may spend the smaller of both. Reserves nothing and returns `None` if nothing is left.
    pub async fn reserve_spending(
        &self,
        turn: &TurnRecord,
        own: SpendingCaps,
        month: &SpendingMonth,
    ) -> Result<Option<SpendingCaps>, StoreError> {
        let payer = self.payer(&turn.actor).await?.to_string();
        let mut write = self.write().await?;
        // Writing the site's row locks it on Postgres, so that two turns cannot both find the same amount left.
        sqlx::query("UPDATE sites SET name = name WHERE id = $1")
            .bind(turn.site.as_str())
            .execute(&mut *write)
            .await?;
        let left = left(&mut write, &turn.site, &payer, month, Some(&turn.id)).await?;
        if left.is_used_up() {
            write.rollback().await?;
            return Ok(None);
        }
        sqlx::query(
            "INSERT INTO ai_reservations (turn_id, site_id, payer, tokens, cost_picodollars) VALUES ($1, $2, $3, $4, $5) \
             ON CONFLICT (turn_id) DO UPDATE SET tokens = excluded.tokens, cost_picodollars = excluded.cost_picodollars",
        )
        .bind(turn.id.as_str())
        .bind(turn.site.as_str())
        .bind(payer)
        .bind(smaller(own.tokens, left.tokens).map(stored))
        .bind(smaller(own.cost_picodollars, left.cost_picodollars).map(stored))
        .execute(&mut *write)
        .await?;
        write.commit().await?;
        Ok(Some(left))
    }
}

impl SpendingCaps {
    /// Whether there is a cap and nothing is left under it.
    pub fn is_used_up(&self) -> bool {
        self.tokens == Some(0) || self.cost_picodollars == Some(0)
    }
}

/// Ends the reservation of a turn, in the transaction that ends the turn.
pub(crate) async fn release(write: &mut AnyConnection, turn: &TurnId) -> Result<(), StoreError> {
    sqlx::query("DELETE FROM ai_reservations WHERE turn_id = $1")
        .bind(turn.as_str())
        .execute(write)
        .await?;
    Ok(())
}

fn smaller(one: Option<u64>, other: Option<u64>) -> Option<u64> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.min(other)),
        (one, other) => one.or(other),
    }
}

/// What is left of a month. A turn's own reservation does not count against it.
async fn left(
    connection: &mut AnyConnection,
    site: &SiteId,
    payer: &str,
    month: &SpendingMonth,
    except: Option<&TurnId>,
) -> Result<SpendingCaps, StoreError> {
    let used = sqlx::query(
        "SELECT CAST(COALESCE(SUM(tokens), 0) AS BIGINT) AS tokens, \
         CAST(COALESCE(SUM(cost_picodollars), 0) AS BIGINT) AS cost, \
         CAST(COALESCE(SUM(CASE WHEN cost_picodollars IS NULL THEN tokens ELSE 0 END), 0) AS BIGINT) AS unpriced \
         FROM ai_usage WHERE site_id = $1 AND payer = $2 AND at >= $3",
    )
    .bind(site.as_str())
    .bind(payer)
    .bind(month.since.millis())
    .fetch_one(&mut *connection)
    .await?;
    let number = |name: &str| -> Result<u64, StoreError> {
        Ok(used.try_get::<i64, _>(name)?.unsigned_abs())
    };
    let assumed = number("unpriced")?.saturating_mul(month.assumed_picodollars_per_token);
    let mut tokens = number("tokens")?;
    let mut cost = number("cost")?.saturating_add(assumed);
    let rows = sqlx::query(
        "SELECT r.tokens, r.cost_picodollars AS cost, \
         CAST((SELECT COALESCE(SUM(u.tokens), 0) FROM ai_usage u WHERE u.turn_id = r.turn_id) AS BIGINT) AS used_tokens, \
         CAST((SELECT COALESCE(SUM(u.cost_picodollars), 0) FROM ai_usage u WHERE u.turn_id = r.turn_id) AS BIGINT) AS used_cost \
         FROM ai_reservations r JOIN turns t ON t.id = r.turn_id \
         WHERE r.site_id = $1 AND r.payer = $2 AND t.state IN ('running', 'waiting') AND r.turn_id <> $3",
    )
    .bind(site.as_str())
    .bind(payer)
    .bind(except.map_or("", TurnId::as_str))
    .fetch_all(connection)
    .await?;
    for row in &rows {
        // What the turn has used is among the usage already.
        let open = |reserved: &str, used: &str| -> Result<u64, StoreError> {
            let reserved: Option<i64> = row.try_get(reserved)?;
            let used: i64 = row.try_get(used)?;
            let reserved = reserved.unwrap_or_default().unsigned_abs();
            Ok(reserved.saturating_sub(used.unsigned_abs()))
        };
        tokens = tokens.saturating_add(open("tokens", "used_tokens")?);
        cost = cost.saturating_add(open("cost", "used_cost")?);
    }
    let SpendingCaps {
        tokens: tokens_cap,
        cost_picodollars: cost_cap,
    } = month.caps;
    Ok(SpendingCaps {
        tokens: tokens_cap.map(|cap| cap.saturating_sub(tokens)),
        cost_picodollars: cost_cap.map(|cap| cap.saturating_sub(cost)),
    })
}

/// Caps are people's, and fit a column unless they are beyond any bill.
fn stored(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

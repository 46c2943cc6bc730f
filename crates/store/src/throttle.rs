//! Counts attempts, so that guessing passwords is slow. The counts are rows: every node sees them, and they survive a restart.

use std::time::Duration;

use sqlx::Row;

use crate::{Store, StoreError, Timestamp};

/// How many attempts are allowed in a time span.
#[derive(Debug, Clone, Copy)]
pub struct Throttle {
    pub attempts: i64,
    /// Counted from the first attempt.
    pub span: Duration,
}

/// Whether an attempt is allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ThrottleVerdict {
    Allowed,
    /// Not allowed until this much time has passed.
    Wait(Duration),
}

impl Store {
    /// Counts an attempt on `subject` and returns whether it is allowed. Counting and deciding are one statement, so that concurrent
    /// attempts are all counted. Attempts beyond the limit are refused without a write: a flood of them must not hold up others.
    pub async fn attempt(
        &self,
        subject: &str,
        rule: Throttle,
        now: Timestamp,
    ) -> Result<ThrottleVerdict, StoreError> {
        let begun = now.before(rule.span).millis();
        let full = sqlx::query(
            "SELECT started_at FROM throttle WHERE subject = $1 AND attempts >= $2 AND started_at > $3",
        )
        .bind(subject)
        .bind(rule.attempts)
        .bind(begun)
        .fetch_optional(self.reader())
        .await?;
        if let Some(row) = full {
            return Ok(wait(row.try_get("started_at")?, rule, now));
        }
        let mut write = self.write().await?;
        let row = sqlx::query(
            "INSERT INTO throttle (subject, started_at, attempts) VALUES ($1, $2, 1) ON CONFLICT (subject) DO UPDATE SET \
             attempts = CASE WHEN throttle.started_at <= $3 THEN 1 ELSE throttle.attempts + 1 END, \
             started_at = CASE WHEN throttle.started_at <= $3 THEN $2 ELSE throttle.started_at END RETURNING attempts, started_at",
        )
        .bind(subject)
        .bind(now.millis())
        .bind(begun)
        .fetch_one(&mut *write)
        .await?;
        let (attempts, started): (i64, i64) =
            (row.try_get("attempts")?, row.try_get("started_at")?);
        write.commit().await?;
        if attempts <= rule.attempts {
            return Ok(ThrottleVerdict::Allowed);
        }
        Ok(wait(started, rule, now))
    }

    /// Resets the count of `subject`, after an attempt that succeeded.
    pub async fn forget_attempts(&self, subject: &str) -> Result<(), StoreError> {
        let mut write = self.write().await?;
        sqlx::query("DELETE FROM throttle WHERE subject = $1")
            .bind(subject)
            .execute(&mut *write)
            .await?;
        write.commit().await?;
        Ok(())
    }
}

fn wait(started: i64, rule: Throttle, now: Timestamp) -> ThrottleVerdict {
    ThrottleVerdict::Wait(Timestamp::from_millis(started).after(rule.span).since(now))
}

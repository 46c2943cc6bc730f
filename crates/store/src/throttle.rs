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

/// What is counted, and how often it may happen.
#[derive(Debug, Clone)]
pub struct ThrottledSubject {
    pub subject: String,
    pub rule: Throttle,
}

impl Store {
    /// Counts an attempt on each subject and returns whether it is allowed: the first refusal counts. Counting and deciding are one
    /// transaction, so that concurrent attempts are all counted. When any of the counts is full already, nothing is written: a flood
    /// of attempts on one account, each from another client, must not hold up the writes of others.
    pub async fn attempt(
        &self,
        subjects: &[ThrottledSubject],
        now: Timestamp,
    ) -> Result<ThrottleVerdict, StoreError> {
        for ThrottledSubject { subject, rule } in subjects {
            let full = sqlx::query(
                "SELECT started_at FROM throttle WHERE subject = $1 AND attempts >= $2 AND started_at > $3",
            )
            .bind(subject)
            .bind(rule.attempts)
            .bind(now.before(rule.span).millis())
            .fetch_optional(self.reader())
            .await?;
            if let Some(row) = full {
                return Ok(wait(row.try_get("started_at")?, *rule, now));
            }
        }
        // Two nodes lock the rows in the same order, or Postgres aborts one of them as a deadlock.
        let mut sorted: Vec<&ThrottledSubject> = subjects.iter().collect();
        sorted.sort_unstable_by_key(|counted| &counted.subject);
        let mut verdict = ThrottleVerdict::Allowed;
        let mut write = self.write().await?;
        for ThrottledSubject { subject, rule } in sorted {
            let row = sqlx::query(
                "INSERT INTO throttle (subject, started_at, attempts) VALUES ($1, $2, 1) ON CONFLICT (subject) DO UPDATE SET \
                 attempts = CASE WHEN throttle.started_at <= $3 THEN 1 ELSE throttle.attempts + 1 END, \
                 started_at = CASE WHEN throttle.started_at <= $3 THEN $2 ELSE throttle.started_at END RETURNING attempts, started_at",
            )
            .bind(subject)
            .bind(now.millis())
            .bind(now.before(rule.span).millis())
            .fetch_one(&mut *write)
            .await?;
            if row.try_get::<i64, _>("attempts")? > rule.attempts {
                verdict = wait(row.try_get("started_at")?, *rule, now);
            }
        }
        write.commit().await?;
        Ok(verdict)
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

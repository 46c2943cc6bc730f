//! Whether the clock can be believed when old rows are to be deleted for good.
//!
//! A machine may start with a clock that is a year ahead: everything is too old then, and setting the clock right brings nothing back.
//! One reading cannot show that it is wrong, and neither can the newest row, which the wrong clock may have dated. So each round of
//! deleting leaves its reading in the database. Readings that follow one another by no more than a week, in whichever processes,
//! make a run; a jump in either direction begins a new one. Only a run that is a week long deletes anything by age. A wrong clock
//! must therefore go unnoticed for a week to do harm, one that is off by less than a week deletes that much too early, and a
//! server that was switched off for longer begins to delete a week later.

use std::time::Duration;

use sqlx::Row;

use crate::{Store, StoreError, Timestamp};

const WEEK: Duration = Duration::from_secs(7 * 24 * 60 * 60);
/// How far a clock may be set back within a run.
const SET_BACK_MAX: Duration = Duration::from_secs(24 * 60 * 60);

/// A reading of the clock for whatever deletes by age.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetentionClock {
    now: Timestamp,
    is_proven: bool,
}

impl RetentionClock {
    /// The reading.
    pub fn now(&self) -> Timestamp {
        self.now
    }

    /// Before when things are older than `age`; nothing while the clock is not proven.
    pub(crate) fn cutoff(&self, age: Duration) -> Option<Timestamp> {
        self.is_proven.then(|| self.now.before(age))
    }
}

/// Readings that follow one another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Run {
    first: Timestamp,
    last: Timestamp,
}

impl Run {
    fn parse(text: &str) -> Option<Self> {
        let (first, last) = text.split_once(' ')?;
        let read = |text: &str| text.parse().ok().map(Timestamp::from_millis);
        Some(Self {
            first: read(first)?,
            last: read(last)?,
        })
    }

    /// The run with one more reading, or the one that begins with it.
    fn extend(run: Option<Self>, now: Timestamp) -> Self {
        match run {
            Some(run) if now.since(run.last) <= WEEK && run.last.since(now) <= SET_BACK_MAX => {
                Self { last: now, ..run }
            }
            _ => Self {
                first: now,
                last: now,
            },
        }
    }

    fn is_proven(self) -> bool {
        self.last.since(self.first) >= WEEK
    }
}

impl Store {
    /// Leaves a reading of the clock, and tells whether things may be deleted by it.
    pub async fn retention_clock(&self, now: Timestamp) -> Result<RetentionClock, StoreError> {
        let mut write = self.write().await?;
        let stored = sqlx::query("SELECT value FROM instance WHERE name = 'clock'")
            .fetch_optional(&mut *write)
            .await?;
        let stored = stored.map(|row| row.try_get::<String, _>("value"));
        // What cannot be read proves nothing.
        let run = Run::extend(stored.transpose()?.as_deref().and_then(Run::parse), now);
        sqlx::query(
            "INSERT INTO instance (name, value) VALUES ('clock', $1) \
             ON CONFLICT (name) DO UPDATE SET value = excluded.value",
        )
        .bind(format!("{} {}", run.first.millis(), run.last.millis()))
        .execute(&mut *write)
        .await?;
        write.commit().await?;
        Ok(RetentionClock {
            now,
            is_proven: run.is_proven(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{Run, Timestamp};

    /// Hours of readings, and whether the last of them may delete.
    fn check(hours: &[i64], expected: bool) {
        let readings = hours.iter().map(|hour| hour * 60 * 60 * 1000);
        let run = readings.fold(None, |run, millis| {
            Some(Run::extend(run, Timestamp::from_millis(millis)))
        });
        assert_eq!(run.map(Run::is_proven), Some(expected), "{hours:?}");
    }

    #[test]
    fn a_clock_is_proven_by_a_week_of_readings_without_a_jump() {
        const YEAR: i64 = 365 * 24;
        let week: Vec<i64> = (0..=7 * 24).collect();
        check(&week, true);
        check(&week[..7 * 24], false);
        check(&[0], false);
        // Seldom, but without a longer gap than a week.
        check(&[0, 160, 320], true);
        check(&[0, 160, 320, 500], false);
        // A start with the clock ahead, a day of it, and the right time again.
        let after = |more: &[i64]| [&week, more].concat();
        check(&after(&[169 + YEAR]), false);
        check(&after(&[169 + YEAR, 170 + YEAR, 193 + YEAR]), false);
        check(&after(&[169 + YEAR, 170]), false);
        check(&after(&[169 + YEAR, 170, 170 + 7 * 24]), true);
        // A clock that is set back a little goes on, and one that was reset does not.
        check(&after(&[180, 175]), true);
        check(&after(&[-YEAR]), false);
    }
}

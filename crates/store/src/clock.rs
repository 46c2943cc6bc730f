//! Whether the clock can be trusted when old rows are about to be deleted for good.
//!
//! A machine may start with a clock that is a year ahead: then everything looks too old, and correcting the clock brings nothing
//! back. A single reading cannot show that the clock is wrong, and neither can the newest row, which the wrong clock may have
//! dated. Therefore each round of deletion stores its reading in the database. Readings that are no more than a week apart, from
//! whichever process, form a run; a jump in either direction starts a new run. Only a run that is at least a week long allows
//! deletion by age. So a wrong clock only does harm if it goes unnoticed for a week; a clock that is off by less than a week
//! deletes that much too early; and a server that was off for longer than a week starts to delete a week later.

use std::time::Duration;

use sqlx::Row;

use crate::{Store, StoreError, Timestamp};

const WEEK: Duration = Duration::from_secs(7 * 24 * 60 * 60);
/// How far the clock may be set back within a run.
const SET_BACK_MAX: Duration = Duration::from_secs(24 * 60 * 60);

/// A reading of the clock, for code that deletes by age.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetentionClock {
    now: Timestamp,
    is_proven: bool,
}

impl RetentionClock {
    /// The time of the reading.
    pub fn now(&self) -> Timestamp {
        self.now
    }

    /// Whether anything may be deleted by its age.
    pub fn is_trusted(&self) -> bool {
        self.is_proven
    }

    /// The time before which things are older than `age`; none while the clock is not proven.
    pub(crate) fn cutoff(&self, age: Duration) -> Option<Timestamp> {
        self.is_proven.then(|| self.now.before(age))
    }
}

/// A run of consecutive readings.
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

    /// The run extended by a reading, or a new run if the reading does not continue it.
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
    /// Stores a reading of the clock, and returns whether it may be used for deletion.
    pub async fn retention_clock(&self, now: Timestamp) -> Result<RetentionClock, StoreError> {
        let mut write = self.write().await?;
        let stored = sqlx::query("SELECT value FROM instance WHERE name = 'clock'")
            .fetch_optional(&mut *write)
            .await?;
        let stored = stored.map(|row| row.try_get::<String, _>("value"));
        // A stored run that cannot be parsed proves nothing, so a new one starts.
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

    /// Takes readings in hours; `expected` says whether the last of them may delete.
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
        // Rarely, but never more than a week apart.
        check(&[0, 160, 320], true);
        check(&[0, 160, 320, 500], false);
        // The clock is ahead at startup, stays so for a day, and is then corrected.
        let after = |more: &[i64]| [&week, more].concat();
        check(&after(&[169 + YEAR]), false);
        check(&after(&[169 + YEAR, 170 + YEAR, 193 + YEAR]), false);
        check(&after(&[169 + YEAR, 170]), false);
        check(&after(&[169 + YEAR, 170, 170 + 7 * 24]), true);
        // A clock that is set back a little continues the run; one that was reset does not.
        check(&after(&[180, 175]), true);
        check(&after(&[-YEAR]), false);
    }
}

//! What a test needs from the machine, and what happens when it is not there.

use std::fmt;

/// Something a test needs is not on this machine; the text says what, and how to get it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Missing(pub String);

impl fmt::Display for Missing {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

impl std::error::Error for Missing {}

/// Decides what a missing prerequisite means: under `CI` the test fails, elsewhere it says NOT RUN and gets `None`.
///
/// ```
/// use sitewright_testkit::{Postgres, unless_missing};
///
/// let Some(postgres) = unless_missing(Postgres::shared()) else { return };
/// assert!(postgres.url().starts_with("postgres://"));
/// ```
///
/// # Panics
/// When something is missing and the variable `CI` is set.
pub fn unless_missing<T>(found: Result<T, Missing>) -> Option<T> {
    match found {
        Ok(found) => Some(found),
        Err(missing) if under_ci() => panic!("{missing}"),
        Err(missing) => {
            eprintln!("NOT RUN: {missing}");
            None
        }
    }
}

/// Whether a missing prerequisite is a failure: `CI` is set to anything but nothing, `0` or `false`.
#[must_use]
pub fn under_ci() -> bool {
    std::env::var("CI").is_ok_and(|value| !matches!(value.as_str(), "" | "0" | "false"))
}

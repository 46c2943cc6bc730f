//! What a test needs from the machine, and what happens when it is not there: the test fails, unless somebody asked to leave
//! out everything that needs it.

use std::fmt;

/// The variable that lists, with commas, what tests are to do without: `SITEWRIGHT_TEST_WITHOUT=postgres,browser`.
pub const WITHOUT_VARIABLE: &str = "SITEWRIGHT_TEST_WITHOUT";

/// Something that some tests need and not every machine has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Prerequisite {
    /// The programs of Postgres.
    Postgres,
    /// Chromium.
    Browser,
    /// Packages of npm and PyPI that tests read as data.
    Packages,
    /// The model providers' Python SDKs.
    Sdks,
    /// A C++ compiler for libFuzzer.
    Fuzzer,
}

impl Prerequisite {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self::Postgres,
        Self::Browser,
        Self::Packages,
        Self::Sdks,
        Self::Fuzzer,
    ];

    /// What it is called by whoever leaves it out.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Postgres => "postgres",
            Self::Browser => "browser",
            Self::Packages => "packages",
            Self::Sdks => "sdks",
            Self::Fuzzer => "fuzzer",
        }
    }

    /// Reads a list of names, separated by commas.
    ///
    /// # Errors
    /// The first name that there is none of.
    pub fn parse_list(names: &str) -> Result<Vec<Self>, UnknownPrerequisite> {
        let names = names.split(',').map(str::trim);
        names
            .filter(|name| !name.is_empty())
            .map(|name| {
                let found = Self::ALL.into_iter().find(|one| one.name() == name);
                found.ok_or_else(|| UnknownPrerequisite(name.to_owned()))
            })
            .collect()
    }
}

/// A name that is none of a prerequisite.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownPrerequisite(String);

impl fmt::Display for UnknownPrerequisite {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = Prerequisite::ALL.map(Prerequisite::name).join(", ");
        write!(out, "Tests cannot leave out `{}`: use {names}.", self.0)
    }
}

impl std::error::Error for UnknownPrerequisite {}

/// Something a test needs cannot be had.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Missing {
    /// Somebody asked to do without it.
    LeftOut(Prerequisite),
    /// It is not on this machine.
    Absent {
        /// What it is.
        what: Prerequisite,
        /// In sentences, what was looked for and how to get it.
        remedy: String,
    },
}

impl Missing {
    /// It is not there, and this is how to get it.
    pub fn absent(what: Prerequisite, remedy: impl Into<String>) -> Self {
        Self::Absent {
            what,
            remedy: remedy.into(),
        }
    }

    /// What it is.
    #[must_use]
    pub fn what(&self) -> Prerequisite {
        match self {
            Self::LeftOut(what) | Self::Absent { what, .. } => *what,
        }
    }
}

impl fmt::Display for Missing {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::LeftOut(what) => write!(out, "{} is left out, as asked", what.name()),
            Self::Absent { what, remedy } => {
                let name = what.name();
                write!(
                    out,
                    "{remedy} To leave out the tests that need it: `cargo xtask test --without {name}`, or \
                     {WITHOUT_VARIABLE}={name} for nextest."
                )
            }
        }
    }
}

impl std::error::Error for Missing {}

/// Refuses a prerequisite that the environment says to leave out, whether it is there or not.
///
/// # Errors
/// When it is left out.
///
/// # Panics
/// When the variable names something that there is not: a slip must not run fewer tests, nor more.
pub fn unless_left_out(what: Prerequisite) -> Result<(), Missing> {
    let listed = std::env::var(WITHOUT_VARIABLE).unwrap_or_default();
    let listed = Prerequisite::parse_list(&listed)
        .unwrap_or_else(|unknown| panic!("{WITHOUT_VARIABLE}: {unknown}"));
    if listed.contains(&what) {
        return Err(Missing::LeftOut(what));
    }
    Ok(())
}

/// What a test needs, or `None` when somebody asked to leave such tests out.
///
/// ```
/// use sitewright_testkit::{Postgres, unless_missing};
///
/// let Some(postgres) = unless_missing(Postgres::shared()) else { return };
/// assert!(postgres.url().starts_with("postgres://"));
/// ```
///
/// # Panics
/// When it is not on this machine.
pub fn unless_missing<T>(found: Result<T, Missing>) -> Option<T> {
    match found {
        Ok(found) => Some(found),
        Err(missing @ Missing::LeftOut(_)) => {
            eprintln!("NOT RUN: {missing}");
            None
        }
        Err(missing @ Missing::Absent { .. }) => panic!("{missing}"),
    }
}

#[cfg(test)]
mod tests {
    use super::{Missing, Prerequisite, unless_missing};

    #[test]
    fn what_is_absent_fails_the_test_and_what_was_left_out_does_not() {
        let left_out = Missing::LeftOut(Prerequisite::Postgres);
        assert_eq!(unless_missing::<()>(Err(left_out)), None);
        let absent = Missing::absent(Prerequisite::Browser, "Chromium is not installed.");
        let panicked = std::panic::catch_unwind(|| unless_missing::<()>(Err(absent)));
        let said = panicked.expect_err("it is not there");
        assert_eq!(
            said.downcast_ref::<String>().map(String::as_str),
            Some(
                "Chromium is not installed. To leave out the tests that need it: `cargo xtask test --without browser`, or \
                 SITEWRIGHT_TEST_WITHOUT=browser for nextest."
            )
        );
    }

    #[test]
    fn a_list_is_read_and_a_slip_is_named() {
        let check = |names: &str, expected: Result<Vec<Prerequisite>, &str>| {
            let read = Prerequisite::parse_list(names).map_err(|unknown| unknown.to_string());
            assert_eq!(read, expected.map_err(str::to_owned));
        };
        check("", Ok(vec![]));
        check(
            "postgres, browser",
            Ok(vec![Prerequisite::Postgres, Prerequisite::Browser]),
        );
        check(
            "postgres,chrome",
            Err("Tests cannot leave out `chrome`: use postgres, browser, packages, sdks, fuzzer."),
        );
    }
}

//! The prerequisites that the tests of this run do without: those that were left out on request, and those that turned out to be
//! missing.

use std::process::Command;

use anyhow::{Context as _, Result};
use sitewright_testkit::{Missing, Prerequisite, WITHOUT_VARIABLE};

#[derive(Debug)]
pub(crate) struct Without(Vec<Prerequisite>);

impl Without {
    /// The prerequisites that a flag or the environment leaves out.
    pub(crate) fn new(mut asked: Vec<Prerequisite>) -> Result<Self> {
        let listed = std::env::var(WITHOUT_VARIABLE).unwrap_or_default();
        asked.extend(Prerequisite::parse_list(&listed).context(WITHOUT_VARIABLE)?);
        Ok(Self(asked))
    }

    /// Looks for a prerequisite, unless it is left out. A missing one is left out from here on: the summary reports it as one
    /// failure, which hundreds of failed tests would otherwise bury.
    pub(crate) fn find<T>(
        &mut self,
        what: Prerequisite,
        look: impl FnOnce() -> Result<T, Missing>,
    ) -> Result<T, Missing> {
        if self.0.contains(&what) {
            return Err(Missing::LeftOut(what));
        }
        look().inspect_err(|missing| self.0.push(missing.what()))
    }

    /// Passes the list to the tests that a command runs.
    pub(crate) fn export_to(&self, command: &mut Command) {
        let names: Vec<&str> = self.0.iter().map(|what| what.name()).collect();
        command.env(WITHOUT_VARIABLE, names.join(","));
    }
}

#[cfg(test)]
mod tests {
    use super::{Command, Missing, Prerequisite, WITHOUT_VARIABLE, Without};

    #[test]
    fn what_is_left_out_is_not_looked_for_and_what_is_absent_is_told_to_tests() {
        let mut without = Without(vec![Prerequisite::Postgres]);
        let left_out = without.find(Prerequisite::Postgres, || Ok(()));
        assert_eq!(left_out, Err(Missing::LeftOut(Prerequisite::Postgres)));
        assert_eq!(without.find(Prerequisite::Sdks, || Ok(1)), Ok(1));
        let absent = || Missing::absent(Prerequisite::Browser, "Install one.");
        assert_eq!(
            without.find::<()>(Prerequisite::Browser, || Err(absent())),
            Err(absent())
        );
        let mut command = Command::new("true");
        without.export_to(&mut command);
        let exported: Vec<_> = command.get_envs().collect();
        let expected = ("postgres,browser").as_ref();
        assert_eq!(exported, [(WITHOUT_VARIABLE.as_ref(), Some(expected))]);
    }
}

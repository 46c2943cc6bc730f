//! How Rust tests are run: by nextest if it is installed, otherwise by Cargo itself.

use std::process::Command;

use sitewright_testkit::postgres::SHARED_POSTGRES_VARIABLE;
use sitewright_testkit::{Missing, Postgres};

use crate::paths::Paths;
use crate::prepare;
use crate::progress::Progress;

/// Which tests to run.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Selection<'a> {
    Workspace,
    /// Tests of one package whose name contains a text, in the build profile `soak`.
    Soak {
        package: &'a str,
        text: &'a str,
    },
}

pub(crate) fn command(paths: &Paths, selection: Selection<'_>) -> Command {
    let nextest = has_nextest();
    let mut cargo = Command::new("cargo");
    cargo.current_dir(&paths.root);
    if nextest {
        cargo.args([
            "nextest",
            "run",
            "--no-fail-fast",
            "--locked",
            // After the summary, so that the output of all failed tests is in one place.
            "--failure-output",
            "final",
        ]);
    } else {
        cargo.args([
            "test",
            "--no-fail-fast",
            "--locked",
            "--bins",
            "--lib",
            "--tests",
        ]);
    }
    match selection {
        Selection::Workspace => cargo.arg("--workspace"),
        Selection::Soak { package, text } if nextest => cargo
            .args(["--cargo-profile", "soak", "--package", package, "-E"])
            .arg(format!("test({text})")),
        Selection::Soak { package, text } => {
            cargo.args(["--profile", "soak", "--package", package, text])
        }
    };
    cargo
}

/// Builds every test, and with them the programs that tests start.
///
/// After the tests have run this is a no-op. Building the program by itself would compile most of the workspace a second time,
/// because Cargo enables other features of shared dependencies when it builds a single package.
pub(crate) fn build(paths: &Paths) -> Command {
    let mut cargo = Command::new("cargo");
    cargo
        .current_dir(&paths.root)
        .args(["test", "--no-run", "--workspace", "--locked"]);
    cargo
}

/// Runs the examples in documentation, which nextest does not.
pub(crate) fn documentation(paths: &Paths) -> Command {
    let mut cargo = Command::new("cargo");
    cargo
        .current_dir(&paths.root)
        .args(["test", "--doc", "--workspace", "--locked"]);
    cargo
}

/// The simulated model providers as a program, for tests in other languages.
pub(crate) fn simulator(paths: &Paths) -> Command {
    let mut cargo = Command::new("cargo");
    cargo.current_dir(&paths.root).args([
        "build",
        "--locked",
        "--package",
        "sitewright-testkit",
        "--bin",
        "model-simulator",
    ]);
    cargo
}

/// The Postgres that all tests of one run share; it runs until the value is dropped.
#[derive(Debug)]
pub(crate) enum Database {
    /// An external one, named by the environment variable.
    Given,
    Started(Postgres),
}

impl Database {
    pub(crate) fn prepare(progress: &Progress) -> Result<Self, Missing> {
        if std::env::var_os(SHARED_POSTGRES_VARIABLE).is_some_and(|url| !url.is_empty()) {
            return Ok(Self::Given);
        }
        prepare::postgres(progress)?;
        Postgres::start().map(Self::Started)
    }

    pub(crate) fn export_to(&self, command: &mut Command) {
        match self {
            Self::Given => {}
            Self::Started(postgres) => {
                command.env(SHARED_POSTGRES_VARIABLE, postgres.url());
            }
        }
    }
}

fn has_nextest() -> bool {
    Command::new("cargo")
        .args(["nextest", "--version"])
        .output()
        .is_ok_and(|output| output.status.success())
}

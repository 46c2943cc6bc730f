//! The long versions of the tests: the same tests, told by the environment to go on for longer.

use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Result, bail};

use crate::paths::Paths;
use crate::prepare;
use crate::progress::{Progress, say};
use crate::rust_tests::{self, Database, Selection};
use crate::test::Summary;

/// One long test. Add a line to `SOAKS` to have it run.
struct Soak {
    name: &'static str,
    package: &'static str,
    /// Tests whose name contains this.
    tests: &'static str,
    environment: &'static [(&'static str, &'static str)],
}

/// Long is the point, endless is not.
const LIMIT: Duration = Duration::from_secs(6 * 60 * 60);

const SOAKS: &[Soak] = &[
    Soak {
        name: "kill",
        package: "sitewright-cli",
        tests: "kill",
        environment: &[("SITEWRIGHT_KILL_ROUNDS", "500")],
    },
    Soak {
        name: "parity",
        package: "sitewright-site",
        tests: "parity",
        environment: &[],
    },
];

pub(crate) fn soak(paths: &Paths, progress: &Progress, only: Option<&str>) -> Result<ExitCode> {
    let chosen: Vec<&Soak> = SOAKS
        .iter()
        .filter(|soak| only.is_none_or(|name| name == soak.name))
        .collect();
    if chosen.is_empty() {
        let names: Vec<&str> = SOAKS.iter().map(|soak| soak.name).collect();
        bail!(
            "There is no soak `{}`: use {}.",
            only.unwrap_or_default(),
            names.join(", ")
        );
    }
    let mut summary = Summary::new(progress);
    say("Preparing");
    let database = Database::prepare(progress);
    if let Err(missing) = &database {
        summary.missing("soaks on Postgres", missing);
    }
    for (what, prepared) in [
        ("soaks in a browser", prepare::chromium(progress).map(drop)),
        (
            "soaks on real templates",
            prepare::templates(paths, progress),
        ),
    ] {
        if let Err(missing) = prepared {
            summary.missing(what, &missing);
        }
    }
    say("Soaking");
    for soak in chosen {
        let Soak {
            name,
            package,
            tests,
            environment,
        } = soak;
        let mut command = rust_tests::command(
            paths,
            Selection::Named {
                package,
                text: tests,
            },
        );
        command
            .env("SITEWRIGHT_SOAK", "1")
            .envs(environment.iter().copied());
        if let Ok(database) = &database {
            database.export_to(&mut command);
        }
        summary.program_with(
            &progress.limited(LIMIT),
            &format!("soak {name}"),
            &mut command,
        );
    }
    Ok(summary.finish())
}

//! The long versions of the tests: the same tests, optimised, with environment variables that make them run longer, and the same
//! fuzzing targets, run by libFuzzer.

mod fuzz;

use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Result, bail};
use sitewright_testkit::Prerequisite;

use crate::paths::Paths;
use crate::prepare;
use crate::progress::{Progress, say};
use crate::rust_tests::{self, Database, Selection};
use crate::test::Summary;
use crate::without::Without;
use fuzz::Fuzz;

/// One long test. Add a line to `SOAKS` to have it run.
struct Soak {
    /// `fuzz` alone selects all whose name begins with it.
    name: &'static str,
    work: Work,
}

enum Work {
    Tests {
        package: &'static str,
        /// Tests whose name contains this.
        tests: &'static str,
        environment: &'static [(&'static str, &'static str)],
    },
    /// A target of `crates/site/fuzz`.
    Fuzz { target: &'static str },
}

/// The time limit of one long test, so that a hang still ends.
const LIMIT: Duration = Duration::from_secs(6 * 60 * 60);

const SOAKS: &[Soak] = &[
    Soak {
        name: "kill",
        work: Work::Tests {
            package: "sitewright-cli",
            tests: "kill",
            environment: &[("SITEWRIGHT_KILL_ROUNDS", "500")],
        },
    },
    Soak {
        name: "flood",
        work: Work::Tests {
            package: "sitewright-cli",
            tests: "flood",
            environment: &[("SITEWRIGHT_FLOOD_REQUESTS", "2000")],
        },
    },
    Soak {
        name: "reopening",
        work: Work::Tests {
            package: "sitewright-publish",
            tests: "reopening",
            // Four tests make a million calls.
            environment: &[("SITEWRIGHT_REOPENING_CALLS", "250000")],
        },
    },
    Soak {
        name: "parity",
        work: Work::Tests {
            package: "sitewright-site",
            tests: "parity",
            environment: &[],
        },
    },
    Soak {
        name: "openapi",
        work: Work::Tests {
            package: "sitewright-connect",
            tests: "real_documents_import_within_limits",
            environment: &[("SITEWRIGHT_OPENAPI_CORPUS", "all")],
        },
    },
    Soak {
        name: "streams",
        work: Work::Tests {
            package: "sitewright-llm",
            tests: "random_damage",
            environment: &[("PROPTEST_CASES", "200000")],
        },
    },
    Soak {
        name: "code",
        work: Work::Tests {
            package: "sitewright-site",
            tests: "generated_ops_bring_no_code",
            environment: &[("SITEWRIGHT_CODE_SEQUENCES", "10000000")],
        },
    },
    Soak {
        name: "fuzz-html",
        work: Work::Fuzz { target: "html" },
    },
    Soak {
        name: "fuzz-css",
        work: Work::Fuzz { target: "css" },
    },
    Soak {
        name: "fuzz-ops",
        work: Work::Fuzz { target: "ops" },
    },
    Soak {
        name: "fuzz-code",
        work: Work::Fuzz { target: "code" },
    },
];

pub(crate) fn soak(
    paths: &Paths,
    progress: &Progress,
    only: Option<&str>,
    without: Vec<Prerequisite>,
) -> Result<ExitCode> {
    let mut without = Without::new(without)?;
    let chosen: Vec<&Soak> = SOAKS
        .iter()
        .filter(|soak| only.is_none_or(|name| soak.answers_to(name)))
        .collect();
    if chosen.is_empty() {
        let names: Vec<&str> = SOAKS.iter().map(|soak| soak.name).collect();
        bail!(
            "There is no soak `{}`: use {}, or fuzz for all that begin so.",
            only.unwrap_or_default(),
            names.join(", ")
        );
    }
    let mut summary = Summary::new(progress);
    let (tests, targets): (Vec<&Soak>, Vec<&Soak>) = chosen
        .into_iter()
        .partition(|soak| matches!(soak.work, Work::Tests { .. }));
    if !tests.is_empty() {
        soak_tests(paths, &mut summary, &mut without, &tests);
    }
    if !targets.is_empty() {
        soak_targets(paths, &mut summary, &mut without, &targets);
    }
    Ok(summary.finish())
}

fn soak_tests(paths: &Paths, summary: &mut Summary<'_>, without: &mut Without, soaks: &[&Soak]) {
    say("Preparing");
    let progress = summary.progress();
    let database = without.find(Prerequisite::Postgres, || Database::prepare(progress));
    if let Err(missing) = &database {
        summary.missing("soaks on Postgres", missing);
    }
    let browser = without.find(Prerequisite::Browser, || prepare::chromium(progress));
    let templates = without.find(Prerequisite::Packages, || {
        prepare::templates(paths, progress)
    });
    let documents = match soaks.iter().any(|soak| soak.name == "openapi") {
        true => without.find(Prerequisite::Packages, || {
            prepare::openapi_documents(paths, progress)
        }),
        false => Ok(()),
    };
    for (what, prepared) in [
        ("soaks in a browser", browser.map(drop)),
        ("soaks on real templates", templates),
        ("soaks on OpenAPI documents", documents),
    ] {
        if let Err(missing) = prepared {
            summary.missing(what, &missing);
        }
    }
    say("Soaking");
    for Soak { name, work } in soaks {
        let Work::Tests {
            package,
            tests,
            environment,
        } = work
        else {
            continue;
        };
        let text = tests;
        let mut command = rust_tests::command(paths, Selection::Soak { package, text });
        command
            .env("SITEWRIGHT_SOAK", "1")
            // The measurements of a long test are in its log.
            .env("NEXTEST_SUCCESS_OUTPUT", "final")
            .envs(environment.iter().copied());
        if let Ok(database) = &database {
            database.export_to(&mut command);
        }
        without.export_to(&mut command);
        summary.program_with(
            &progress.limited(LIMIT),
            &format!("soak {name}"),
            &mut command,
        );
    }
}

fn soak_targets(paths: &Paths, summary: &mut Summary<'_>, without: &mut Without, soaks: &[&Soak]) {
    let progress = summary.progress();
    if let Err(missing) = without.find(Prerequisite::Fuzzer, Fuzz::compiler) {
        return summary.missing("soaks with libFuzzer", &missing);
    }
    say("Fuzzing");
    let mut fuzz = None;
    summary.step("targets for fuzzing", || {
        fuzz = Some(Fuzz::build(paths, progress)?);
        Ok(())
    });
    let Some(fuzz) = fuzz else { return };
    for Soak { name, work } in soaks {
        if let Work::Fuzz { target } = work {
            let title = format!("soak {name}");
            summary.step(&title, || fuzz.run(progress, &title, target));
        }
    }
}

impl Soak {
    fn answers_to(&self, name: &str) -> bool {
        let rest = self.name.strip_prefix(name);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
    }
}

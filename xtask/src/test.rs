//! Runs everything CI runs, cheapest failures first, and prints one summary.

mod count;
mod failures;
mod summary;

use std::path::PathBuf;
use std::process::{Command, ExitCode};
use std::time::Duration;

use anyhow::Result;
use sitewright_testkit::browser::BROWSER_VARIABLE;
use sitewright_testkit::{Missing, Prerequisite};

use crate::arguments::{Part, Profile};
use crate::paths::Paths;
use crate::progress::{Progress, say};
use crate::rust_tests::{self, Database, Selection};
use crate::without::Without;
use crate::{check, prepare, release, wasm, web};
pub(crate) use summary::Summary;

/// An SDK that waits for something that never arrives would wait for ever.
const SDK_LIMIT: Duration = Duration::from_secs(10 * 60);
/// The browser tests have their own timeouts, and each file stops at its first failure; this limit is for hangs outside them.
const BROWSER_LIMIT: Duration = Duration::from_secs(30 * 60);

/// Which build the server for browser tests comes from.
#[derive(Debug, Clone, Copy)]
enum ServerBuild {
    /// From the build of the Rust tests, which already contains it.
    WithTests,
    /// From a build of its own, which is faster than building all tests.
    Alone,
}

/// What the steps share: the paths, the progress, and each other's results.
struct Run<'a> {
    paths: &'a Paths,
    progress: &'a Progress,
    summary: Summary<'a>,
    without: Without,
}

pub(crate) fn test(
    paths: &Paths,
    progress: &Progress,
    parts: &[Part],
    without: Vec<Prerequisite>,
) -> Result<ExitCode> {
    let wants = |part| parts.contains(&part);
    let mut run = Run {
        paths,
        progress,
        summary: Summary::new(progress),
        without: Without::new(without)?,
    };

    say("Preparing");
    let needed = run.prepare(parts);
    let needs_web = wants(Part::Lint) || wants(Part::Web) || wants(Part::Browser);
    let web = !needs_web
        || run
            .summary
            .step("web dependencies", || web::install(paths, progress));

    say("Testing");
    if wants(Part::Lint) {
        check::rust(paths, &mut run.summary);
    }
    // TypeScript checks the shell against the core's generated types, so the core comes first.
    let core = web && needs_web && run.summary.step("wasm", || wasm::build(paths, progress));
    if wants(Part::Lint) && core {
        check::web(paths, &mut run.summary);
    }
    if wants(Part::Web) && core {
        run.summary
            .program("web unit tests", &mut web::script(paths, "test"));
    }
    let shell = core
        && (wants(Part::Web) || wants(Part::Browser))
        && run
            .summary
            .step("web build", || web::build(paths, progress));
    if let Some(Err(missing)) = &needed.packages {
        run.summary.missing("tests on packages", missing);
    }
    if let Some(database) = needed.database {
        run.rust(database, &needed.chromium);
    }
    if wants(Part::Sdks) {
        run.sdks();
    }
    if let Some(chromium) = needed.chromium.filter(|_| wants(Part::Browser)) {
        let server = match wants(Part::Rust) {
            true => ServerBuild::WithTests,
            false => ServerBuild::Alone,
        };
        run.browser(chromium, shell, server);
    }
    Ok(run.summary.finish())
}

/// What the tests need besides the workspace; `None` where no part of this run needs it.
struct Needed {
    database: Option<Result<Database, Missing>>,
    chromium: Option<Result<PathBuf, Missing>>,
    packages: Option<Result<(), Missing>>,
}

impl Run<'_> {
    fn prepare(&mut self, parts: &[Part]) -> Needed {
        let wants = |part| parts.contains(&part);
        let (paths, progress, without) = (self.paths, self.progress, &mut self.without);
        Needed {
            database: wants(Part::Rust)
                .then(|| without.find(Prerequisite::Postgres, || Database::prepare(progress))),
            // The Rust tests render real templates in a browser.
            chromium: (wants(Part::Rust) || wants(Part::Browser))
                .then(|| without.find(Prerequisite::Browser, || prepare::chromium(progress))),
            packages: wants(Part::Rust).then(|| {
                without.find(Prerequisite::Packages, || {
                    prepare::templates(paths, progress)?;
                    prepare::schema_suite(paths, progress)?;
                    prepare::vectors(paths, progress)
                })
            }),
        }
    }

    fn rust(
        &mut self,
        database: Result<Database, Missing>,
        chromium: &Option<Result<PathBuf, Missing>>,
    ) {
        let mut tests = rust_tests::command(self.paths, Selection::Workspace);
        match &database {
            Ok(database) => database.export_to(&mut tests),
            Err(missing) => self.summary.missing("tests on Postgres", missing),
        }
        match chromium {
            Some(Ok(chromium)) => {
                tests.env(BROWSER_VARIABLE, chromium);
            }
            Some(Err(missing)) => self.summary.missing("Rust tests in a browser", missing),
            None => {}
        }
        self.without.export_to(&mut tests);
        self.summary.program("Rust tests", &mut tests);
        let mut documentation = rust_tests::documentation(self.paths);
        self.without.export_to(&mut documentation);
        self.summary
            .program("documentation tests", &mut documentation);
    }

    /// Has the providers' own SDKs read the streams of the simulated model providers.
    fn sdks(&mut self) {
        const NAME: &str = "provider SDKs";
        let (paths, progress) = (self.paths, self.progress);
        let found = self
            .without
            .find(Prerequisite::Sdks, || prepare::sdks(paths, progress));
        let python = match found {
            Ok(python) => python,
            Err(missing) => return self.summary.missing(NAME, &missing),
        };
        let built = self.summary.step("model simulator", || {
            progress.program("model simulator", &mut rust_tests::simulator(paths))
        });
        if !built {
            return self.summary.skipped(NAME, "the simulator did not build");
        }
        let mut check = Command::new(python);
        check
            .arg(paths.root.join("crates/testkit/python/check_sdks.py"))
            .arg(paths.target.join("debug/model-simulator"));
        self.summary
            .program_with(&progress.limited(SDK_LIMIT), NAME, &mut check);
    }

    fn browser(&mut self, chromium: Result<PathBuf, Missing>, shell: bool, server: ServerBuild) {
        const NAME: &str = "browser tests";
        let chromium = match chromium {
            Ok(chromium) => chromium,
            Err(missing) => return self.summary.missing(NAME, &missing),
        };
        if !shell {
            return self.summary.skipped(NAME, "the shell did not build");
        }
        let (paths, progress) = (self.paths, self.progress);
        let mut program = None;
        self.summary.step("server for browser tests", || {
            program = Some(match server {
                ServerBuild::WithTests => {
                    progress.program("server", &mut rust_tests::build(paths))?;
                    paths.program("debug")
                }
                ServerBuild::Alone => release::server(paths, progress, Profile::Dev)?,
            });
            Ok(())
        });
        let Some(program) = program else {
            return self.summary.skipped(NAME, "the server did not build");
        };
        let mut tests = web::script(paths, "e2e");
        tests
            .env("SITEWRIGHT_BIN", program)
            .env("CHROMIUM", chromium);
        self.summary
            .program_with(&progress.limited(BROWSER_LIMIT), NAME, &mut tests);
    }
}

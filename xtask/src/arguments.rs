//! Parses the command line, and holds the help text.

use anyhow::{Result, bail};
use sitewright_testkit::Prerequisite;

pub(crate) const HELP: &str = "\
cargo xtask <command>: prepare, build, run, test and measure Sitewright

Start here
  run [--release] [-- ARGS]   Build what changed and serve ./data; prints the address and the setup link.
                              ARGS go to `sitewright serve`:  cargo xtask run -- --listen 127.0.0.1:9000
  test [PART...]              Everything CI runs, with a summary. Parts: lint, rust, sdks, web, e2e
                              cargo xtask test rust      only the Rust tests
                              cargo xtask test --without postgres,browser
                              What cannot be had is a failure unless it is left out so: postgres, browser, packages, sdks

While working
  check                       The fast loop: format, clippy, rustdoc, tidy, TypeScript and its lints
  tidy                        House rules: layers, sizes, names, licences (seconds, builds nothing)
  web                         The wasm core and the shell, into web/dist

For a release
  build                       The release binary with the shell in it: <target>/release/sitewright
  sbom                        The bill of materials in CycloneDX, part of build: <target>/sitewright.cdx.json
  bench [NAME]                Measure against raw baselines and update docs/benchmarks.md
  soak [NAME]                 The long versions of the tests: hundreds of kills, all pages of real templates

Options
  --verbose, -v               Show the output of every step, not only of failing ones
  --help, -h                  This text

Both of the first two prepare the machine: the wasm target (rustup, else Debian's rustc-web), web dependencies from the lock
file, and for tests Chromium, Postgres, site templates and the JSON Schema Test Suite. They install packages only as
root on Debian; elsewhere they say what is missing.

Environment
  CARGO_TARGET_DIR            Where builds go (default: target); wasm goes to its folder `wasm`
  CHROMIUM                    The browser to use
  SITEWRIGHT_TEST_POSTGRES    Base URL of a running Postgres for the tests; else one is started
  SITEWRIGHT_TEST_WITHOUT     What tests do without, as `--without` lists it; for plain `cargo nextest run`
  SITEWRIGHT_PACKAGES         Where fetched test data is kept (default: ~/.cache/sitewright/packages)
";

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Request {
    pub(crate) command: Command,
    pub(crate) output: Output,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Command {
    Help,
    Run {
        profile: Profile,
        server_arguments: Vec<String>,
    },
    Test {
        parts: Vec<Part>,
        without: Vec<Prerequisite>,
    },
    Check,
    Tidy,
    Web,
    Build,
    Sbom,
    Bench {
        only: Option<String>,
    },
    Soak {
        only: Option<String>,
        without: Vec<Prerequisite>,
    },
    /// This program again, as the bare server that `bench` compares with.
    BaselineServer {
        port: u16,
    },
}

/// When the output of a step's program is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Output {
    WhenFailing,
    Always,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Profile {
    Dev,
    Release,
}

/// A part of the tests that can be run on its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    Lint,
    Rust,
    Sdks,
    Web,
    Browser,
}

impl Part {
    pub(crate) const ALL: [Self; 5] =
        [Self::Lint, Self::Rust, Self::Sdks, Self::Web, Self::Browser];

    fn parse(name: &str) -> Result<Self> {
        Ok(match name {
            "lint" => Self::Lint,
            "rust" => Self::Rust,
            "sdks" => Self::Sdks,
            "web" => Self::Web,
            "e2e" => Self::Browser,
            other => {
                bail!("There is no part `{other}` of the tests: use lint, rust, sdks, web or e2e.")
            }
        })
    }
}

pub(crate) fn parse(arguments: &[String]) -> Result<Request> {
    let (ours, theirs) = match arguments.iter().position(|argument| argument == "--") {
        Some(at) => (&arguments[..at], &arguments[at + 1..]),
        None => (arguments, &[][..]),
    };
    let mut output = Output::WhenFailing;
    let mut profile = Profile::Dev;
    let mut without = Vec::new();
    let mut words = Vec::new();
    let mut arguments = ours.iter();
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--help" | "-h" | "help" => {
                return Ok(Request {
                    command: Command::Help,
                    output,
                });
            }
            "--verbose" | "-v" => output = Output::Always,
            "--release" => profile = Profile::Release,
            "--without" => match arguments.next() {
                Some(names) => without.extend(Prerequisite::parse_list(names)?),
                None => bail!("`--without` takes a list, such as `--without postgres,browser`."),
            },
            flag if flag.starts_with('-') => bail!("There is no option `{flag}`."),
            word => words.push(word),
        }
    }
    let Some((name, rest)) = words.split_first() else {
        return Ok(Request {
            command: Command::Help,
            output,
        });
    };
    let mut command = command(name, rest, profile, theirs)?;
    match &mut command {
        Command::Test { without: place, .. } | Command::Soak { without: place, .. } => {
            *place = without;
        }
        _ if !without.is_empty() => bail!("`--without` belongs to `test` and `soak`."),
        _ => {}
    }
    if profile == Profile::Release && !matches!(command, Command::Run { .. }) {
        bail!("`--release` belongs to `run`; `build` always makes a release.");
    }
    if !theirs.is_empty() && !matches!(command, Command::Run { .. }) {
        bail!("Only `run` passes arguments on after `--`.");
    }
    Ok(Request { command, output })
}

fn command(name: &str, rest: &[&str], profile: Profile, theirs: &[String]) -> Result<Command> {
    let only = || match rest {
        [] => Ok(None),
        [one] => Ok(Some((*one).to_owned())),
        _ => bail!("`{name}` takes one name at most."),
    };
    let none = |command| {
        if rest.is_empty() {
            Ok(command)
        } else {
            bail!("`{name}` takes no arguments.")
        }
    };
    match name {
        "run" => none(Command::Run {
            profile,
            server_arguments: theirs.to_vec(),
        }),
        "test" => {
            let parts = rest
                .iter()
                .map(|part| Part::parse(part))
                .collect::<Result<Vec<_>>>()?;
            Ok(Command::Test {
                parts: if parts.is_empty() {
                    Part::ALL.to_vec()
                } else {
                    parts
                },
                without: Vec::new(),
            })
        }
        "check" => none(Command::Check),
        "tidy" => none(Command::Tidy),
        "web" => none(Command::Web),
        "build" => none(Command::Build),
        "sbom" => none(Command::Sbom),
        "bench" => Ok(Command::Bench { only: only()? }),
        "soak" => Ok(Command::Soak {
            only: only()?,
            without: Vec::new(),
        }),
        "baseline-server" => match rest {
            [port] => Ok(Command::BaselineServer {
                port: port.parse()?,
            }),
            _ => bail!("`baseline-server` takes a port."),
        },
        other => bail!("There is no command `{other}`."),
    }
}

#[cfg(test)]
mod tests {
    use super::{Command, Output, Part, Prerequisite, Profile, Request, parse};

    fn check(line: &str, expected: Result<Request, &str>) {
        let arguments: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        assert_eq!(
            parse(&arguments).map_err(|mistake| mistake.to_string()),
            expected.map_err(str::to_owned)
        );
    }

    #[test]
    fn a_command_line_becomes_a_request() {
        let quiet = |command| {
            Ok(Request {
                command,
                output: Output::WhenFailing,
            })
        };
        check("", quiet(Command::Help));
        check("test --help", quiet(Command::Help));
        check(
            "test",
            quiet(Command::Test {
                parts: Part::ALL.to_vec(),
                without: vec![],
            }),
        );
        check(
            "test rust e2e",
            quiet(Command::Test {
                parts: vec![Part::Rust, Part::Browser],
                without: vec![],
            }),
        );
        check(
            "test rust --without postgres,browser",
            quiet(Command::Test {
                parts: vec![Part::Rust],
                without: vec![Prerequisite::Postgres, Prerequisite::Browser],
            }),
        );
        check(
            "check -v",
            Ok(Request {
                command: Command::Check,
                output: Output::Always,
            }),
        );
        let server_arguments = vec!["--listen".to_owned(), "127.0.0.1:9".to_owned()];
        check(
            "run --release -- --listen 127.0.0.1:9",
            quiet(Command::Run {
                profile: Profile::Release,
                server_arguments,
            }),
        );
    }

    #[test]
    fn a_mistake_is_named() {
        check("tset", Err("There is no command `tset`."));
        check(
            "test unit",
            Err("There is no part `unit` of the tests: use lint, rust, sdks, web or e2e."),
        );
        check("test --relase", Err("There is no option `--relase`."));
        check(
            "build --release",
            Err("`--release` belongs to `run`; `build` always makes a release."),
        );
        check(
            "check -- x",
            Err("Only `run` passes arguments on after `--`."),
        );
        check("tidy now", Err("`tidy` takes no arguments."));
        check(
            "check --without postgres",
            Err("`--without` belongs to `test` and `soak`."),
        );
        check(
            "test --without mysql",
            Err("Tests cannot leave out `mysql`: use postgres, browser, packages, sdks, fuzzer."),
        );
        check(
            "test --without",
            Err("`--without` takes a list, such as `--without postgres,browser`."),
        );
    }
}

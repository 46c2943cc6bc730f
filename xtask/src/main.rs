//! The developer's commands: prepare the machine, build, run, test and measure.
//!
//! Everything a newcomer or CI has to do is one of these commands, and none of them needs a manual step first. If something
//! cannot be prepared, the error says in one sentence what is missing and how to fix it.

mod arguments;
mod bench;
mod browser_bundle;
mod check;
mod compress;
mod paths;
mod prepare;
mod progress;
mod release;
mod run;
mod rust_tests;
mod sbom;
mod soak;
mod stamp;
mod test;
mod tidy;
mod wasm;
mod web;
mod without;

use std::process::ExitCode;

use anyhow::Result;
use arguments::{Command, Request};
use paths::Paths;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let request = match arguments::parse(&arguments) {
        Ok(request) => request,
        Err(mistake) => {
            eprintln!("{mistake}\n`cargo xtask --help` lists the commands.");
            return ExitCode::from(2);
        }
    };
    match dispatch(request) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("\n{error:#}");
            ExitCode::FAILURE
        }
    }
}

fn dispatch(request: Request) -> Result<ExitCode> {
    let Request { command, output } = request;
    if let Command::Help = command {
        print!("{}", arguments::HELP);
        return Ok(ExitCode::SUCCESS);
    }
    if let Command::BaselineServer { port } = command {
        return bench::serve_baseline(port);
    }
    let paths = Paths::find()?;
    let progress = progress::Progress::new(&paths, output)?;
    match command {
        Command::Help | Command::BaselineServer { .. } => Ok(ExitCode::SUCCESS),
        Command::Run {
            profile,
            server_arguments,
        } => run::run(&paths, &progress, profile, &server_arguments),
        Command::Test { parts, without } => test::test(&paths, &progress, &parts, without),
        Command::Check => check::check(&paths, &progress),
        Command::Tidy => tidy::tidy(&paths),
        Command::Web => browser_bundle::build(&paths, &progress).map(|()| ExitCode::SUCCESS),
        Command::Sbom => sbom::write(&paths).map(|_| ExitCode::SUCCESS),
        Command::Build => release::build(&paths, &progress).map(|_| ExitCode::SUCCESS),
        Command::Bench { only } => bench::bench(&paths, &progress, only.as_deref()),
        Command::Soak { only, without } => soak::soak(&paths, &progress, only.as_deref(), without),
    }
}

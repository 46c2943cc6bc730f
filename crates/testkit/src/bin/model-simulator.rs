//! Plays scenarios for programs in other languages: the SDK check and browser tests.
//!
//! `model-simulator DIALECT/SCENARIO…` starts one simulator for each argument, prints a line of JSON that maps the arguments
//! to base URLs, and runs until its standard input ends. It then fails when a request was refused.

use std::io::Read;
use std::process::ExitCode;

use sitewright_testkit::model::{Dialect, ModelSimulator, Scenario};

fn main() -> ExitCode {
    let mut simulators = Vec::new();
    for argument in std::env::args().skip(1) {
        let (dialect, scenario) = argument
            .split_once('/')
            .unwrap_or_else(|| panic!("{argument} is not DIALECT/SCENARIO"));
        let simulator = ModelSimulator::start(Dialect::from_id(dialect), Scenario::named(scenario));
        simulators.push((argument, simulator));
    }
    let urls: serde_json::Map<String, serde_json::Value> = simulators
        .iter()
        .map(|(argument, simulator)| (argument.clone(), simulator.base_url().into()))
        .collect();
    println!("{}", serde_json::Value::Object(urls));
    // Whoever started us closes its end when it is done.
    drop(std::io::stdin().read_to_end(&mut Vec::new()));
    let mut outcome = ExitCode::SUCCESS;
    for (argument, simulator) in &simulators {
        for problem in simulator.forgive() {
            eprintln!("{argument}: {problem}");
            outcome = ExitCode::FAILURE;
        }
    }
    outcome
}

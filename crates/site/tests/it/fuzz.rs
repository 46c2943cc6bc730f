//! Targets for fuzzing: what must hold for any bytes whatsoever.
//!
//! The same functions are used twice. Here the corpus and a few thousand mutations of it are checked, the same ones each time.
//! `cargo xtask soak fuzz` has libFuzzer look for more with them, from `crates/site/fuzz`. What that finds goes into
//! `tests/corpus` as a file, so that it is checked here from then on.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a panic in a test is a failed test"
)]

pub(crate) mod css;
pub(crate) mod html;
mod mutate;
mod ops;

use std::panic::catch_unwind;
use std::path::{Path, PathBuf};

use mutate::{Mutator, words};

/// How many mutations are checked for each target, unless `SITEWRIGHT_FUZZ_INPUTS` says otherwise.
const INPUTS: usize = 2_000;

#[test]
fn no_html_breaks_the_import() {
    run("html", html::check);
}

#[test]
fn no_css_breaks_the_parser_or_the_plans() {
    run("css", css::check);
}

#[test]
fn no_ops_break_the_site() {
    run("ops", ops::check);
}

fn run(name: &str, check: fn(&[u8]) -> Result<(), String>) {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus");
    let mut files: Vec<PathBuf> = std::fs::read_dir(corpus.join(name))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    let seeds: Vec<Vec<u8>> = files
        .iter()
        .map(|file| std::fs::read(file).unwrap())
        .collect();
    let words = words(&std::fs::read_to_string(corpus.join(format!("{name}.dict"))).unwrap());
    for (file, seed) in files.iter().zip(&seeds) {
        judge(&file.display().to_string(), seed, check);
    }
    let mut mutator = Mutator::new(seeds, words);
    for number in 0..inputs() {
        judge(&format!("mutation {number}"), &mutator.next(), check);
    }
}

fn judge(what: &str, input: &[u8], check: fn(&[u8]) -> Result<(), String>) {
    let problem = match catch_unwind(|| check(input)) {
        Ok(Ok(())) => return,
        Ok(Err(problem)) => problem,
        Err(_) => "a panic, told above".to_owned(),
    };
    panic!(
        "{what}: {problem}\nthe input: b\"{}\"",
        input.escape_ascii()
    );
}

fn inputs() -> usize {
    #[expect(
        clippy::disallowed_methods,
        reason = "whoever hunts for more than the usual says how much"
    )]
    let wanted = std::env::var("SITEWRIGHT_FUZZ_INPUTS").ok();
    wanted.map_or(INPUTS, |wanted| wanted.parse().unwrap())
}

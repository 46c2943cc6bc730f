//! Runs a target on its corpus and on mutations of it, the same ones each time.

use std::panic::catch_unwind;
use std::path::{Path, PathBuf};

use super::mutate::{Mutator, words};

/// How many mutations are checked for each target, unless `SITEWRIGHT_FUZZ_INPUTS` says otherwise.
const INPUTS: usize = 2_000;

/// Fails the test with the input that broke the target.
pub(super) fn run(name: &str, check: fn(&[u8]) -> Result<(), String>) {
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

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

mod code;
#[path = "../../../markup/tests/it/fuzz/mutate.rs"]
mod mutate;
mod ops;
#[path = "../../../markup/tests/it/fuzz/run.rs"]
mod run;
mod sequences;

use run::run;

#[test]
fn no_ops_break_the_site() {
    run("ops", ops::check);
}

/// H3: no sequence of ops and bindings makes a page that runs code.
#[test]
fn no_ops_bring_code() {
    run("code", code::check);
}

/// The same for generated sequences, on all processors. `cargo xtask soak code` checks ten million.
#[test]
fn generated_ops_bring_no_code() {
    sequences::check(code::check);
}

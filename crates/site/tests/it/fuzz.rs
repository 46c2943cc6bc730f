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

#[path = "../../../markup/tests/it/fuzz/mutate.rs"]
mod mutate;
mod ops;
#[path = "../../../markup/tests/it/fuzz/run.rs"]
mod run;

use run::run;

#[test]
fn no_ops_break_the_site() {
    run("ops", ops::check);
}

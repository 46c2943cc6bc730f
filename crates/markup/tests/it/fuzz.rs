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
mod run;

use run::run;

#[test]
fn no_html_breaks_the_import() {
    run("html", html::check);
}

#[test]
fn no_css_breaks_the_parser_or_the_plans() {
    run("css", css::check);
}

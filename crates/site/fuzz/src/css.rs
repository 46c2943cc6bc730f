//! libFuzzer on stylesheets and plans.

#![no_main]

#[path = "../../../markup/tests/it/fuzz/css.rs"]
mod css;

libfuzzer_sys::fuzz_target!(|data: &[u8]| if let Err(problem) = css::check(data) {
    panic!("{problem}");
});

//! libFuzzer on ops.

#![no_main]

#[path = "../../tests/it/fuzz/ops.rs"]
mod ops;

libfuzzer_sys::fuzz_target!(|data: &[u8]| if let Err(problem) = ops::check(data) {
    panic!("{problem}");
});

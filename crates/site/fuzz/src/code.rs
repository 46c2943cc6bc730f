//! libFuzzer on ops that would bring code.

#![no_main]

#[path = "../../tests/it/fuzz/code.rs"]
mod code;
#[expect(dead_code, reason = "tests use more of it")]
#[path = "../../../markup/tests/it/html_tree.rs"]
mod html_tree;

libfuzzer_sys::fuzz_target!(|data: &[u8]| if let Err(problem) = code::check(data) {
    panic!("{problem}");
});

//! libFuzzer on HTML import.

#![no_main]

#[path = "../../../markup/tests/it/fuzz/html.rs"]
mod html;
#[expect(dead_code, reason = "tests use more of it")]
#[path = "../../../markup/tests/it/html_tree.rs"]
mod html_tree;

libfuzzer_sys::fuzz_target!(|data: &[u8]| if let Err(problem) = html::check(data) {
    panic!("{problem}");
});

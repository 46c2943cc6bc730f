//! The `sitewright` binary.
fn main() {}

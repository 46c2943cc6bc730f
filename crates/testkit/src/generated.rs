//! Files in the repository that are made from the code and committed.

use std::path::Path;

/// Set to anything, a test that compares a committed file writes it instead.
const WRITE_VARIABLE: &str = "SITEWRIGHT_WRITE_GENERATED";

/// Compares a committed file with what the code makes of it.
///
/// It is written only when the person asks for that. A test that mended the file by itself would pass at the second run, and a
/// stale file would be committed after a run of which only the end was read.
///
/// # Panics
/// When the file differs, or cannot be written.
pub fn check_generated(path: impl AsRef<Path>, text: &str) {
    let path = path.as_ref();
    if std::fs::read_to_string(path).is_ok_and(|committed| committed == text) {
        return;
    }
    assert!(
        std::env::var_os(WRITE_VARIABLE).is_some(),
        "{} is out of date: run this test with {WRITE_VARIABLE}=1 to write it anew, and commit it",
        path.display()
    );
    std::fs::write(path, text)
        .unwrap_or_else(|error| panic!("{} cannot be written: {error}", path.display()));
}

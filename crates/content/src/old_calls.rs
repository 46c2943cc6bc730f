//! The names that content tools had before, from one data file.

use sitewright_tool::OldCall;

/// The calls by old names. A file that cannot be read gives none, which a test notices.
pub fn old_calls() -> Vec<OldCall> {
    serde_json::from_str(include_str!("../old_calls.json")).unwrap_or_default()
}

//! Values of any shape that a row stores as JSON.

use serde_json::{Value, json};

/// The field that stands in the place of a value that can no longer be read, with the reason.
pub const UNREADABLE: &str = "unreadable";

/// Reads a value. One that cannot be read must not take the rows around it along, so it is replaced by an object that says so; the row
/// keeps what it has. Earlier versions stored values that are nested deeper than any reader follows.
pub(crate) fn stored_json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(
        |error| json!({ UNREADABLE: format!("The stored value cannot be read: {error}.") }),
    )
}

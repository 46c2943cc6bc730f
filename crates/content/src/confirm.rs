//! What a delete shows before it is confirmed, and what it answers afterwards.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use sitewright_site::{Stop, Work};

/// The answer of a delete that was confirmed.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Deletion<T> {
    success: bool,
    /// What is gone.
    deleted: Vec<T>,
    /// How it can come back.
    note: &'static str,
}

/// The kinds of things that are deleted, for one and for several.
pub(crate) struct Words {
    pub(crate) one: &'static str,
    pub(crate) several: &'static str,
}

impl<T: Serialize> Deletion<T> {
    /// The answer for these things, with the question that comes before it.
    pub(crate) fn of(
        items: Vec<T>,
        words: &Words,
        note: &'static str,
        work: &mut Work<'_>,
    ) -> Self {
        let what = match items.len() {
            1 => format!("1 {}", words.one),
            count => format!("{count} {}", words.several),
        };
        work.ask(json!({ "requiresConfirmation": true, "message": format!("Delete {what}?"), "items": items }));
        Self {
            success: true,
            deleted: items,
            note,
        }
    }
}

/// Refuses an empty list, one that is too long, and things that are named twice.
pub(crate) fn check_list<T: PartialEq>(field: &str, list: &[T]) -> Result<(), Stop> {
    const MOST: usize = 100;
    if list.is_empty() {
        let message = format!("{field} is empty; name at least one.");
        return Err(Stop::invalid_at(field, message));
    }
    if list.len() > MOST {
        let message = format!("{field} may name {MOST} at a time.");
        return Err(Stop::invalid_at(field, message));
    }
    let is_twice = |at: usize| list[..at].contains(&list[at]);
    if (0..list.len()).any(is_twice) {
        let message = format!("{field} names something twice.");
        return Err(Stop::invalid_at(field, message));
    }
    Ok(())
}

//! The shapes in which changes and snapshots are stored, by number. Whatever was written once can be read for ever: an older
//! shape is brought up one number at a time, a newer one asks for a newer Sitewright.
//!
//! To change a shape: raise `FORMAT`, add the step from the number before to `UPGRADES`, and freeze fixtures of the new
//! number beside those there are. Fixtures that are there are never edited.

use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::{BodySnapshot, Change, FORMAT, Op, PriorState, ShellSnapshot};

/// Something that is stored under a number of its shape.
pub trait StoredFormat: DeserializeOwned {
    /// What it is.
    const SHAPE: Shape;
}

/// What is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// A whole change.
    Change,
    /// The steps of one.
    Ops,
    /// What the steps replaced.
    Replaced,
    /// A shell.
    Shell,
    /// A document.
    Body,
}

/// Why something stored cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum FormatError {
    /// Somebody newer wrote it; reloading brings what can read it.
    #[error(
        "this was written in format {found}, and {FORMAT} is the newest known here; reload, or update Sitewright"
    )]
    Newer {
        /// Its number.
        found: u64,
    },
    /// It carries no number that there ever was.
    #[error("this carries no format; formats count from 1")]
    Unknown,
    /// It is not what its number says.
    #[error("this is not of format {FORMAT}: {0}")]
    Malformed(#[from] serde_json::Error),
}

type Upgrade = fn(Shape, Value) -> Value;

/// From each number to the next, the first from 1 to 2. A number without its step does not compile.
const UPGRADES: [Upgrade; FORMAT as usize - 1] = [];

/// Reads a change of any number that there ever was.
pub fn upgrade_change(mut change: Value) -> Result<Change, FormatError> {
    let format = change.get("format").and_then(Value::as_u64);
    change = upgraded((Shape::Change, change), format.unwrap_or(0), &UPGRADES)?;
    if let Some(number) = change.get_mut("format") {
        *number = FORMAT.into();
    }
    Ok(serde_json::from_value(change)?)
}

/// Reads what was stored under a number.
pub fn read_stored<T: StoredFormat>(format: u64, text: &str) -> Result<T, FormatError> {
    if format == u64::from(FORMAT) {
        return Ok(serde_json::from_str(text)?);
    }
    let value = serde_json::from_str(text)?;
    let value = upgraded((T::SHAPE, value), format, &UPGRADES)?;
    Ok(serde_json::from_value(value)?)
}

fn upgraded(
    (shape, value): (Shape, Value),
    format: u64,
    upgrades: &[Upgrade],
) -> Result<Value, FormatError> {
    let done = format.checked_sub(1).ok_or(FormatError::Unknown)?;
    let steps = usize::try_from(done)
        .ok()
        .and_then(|done| upgrades.get(done..));
    let steps = steps.ok_or(FormatError::Newer { found: format })?;
    Ok(steps
        .iter()
        .fold(value, |value, upgrade| upgrade(shape, value)))
}

impl StoredFormat for Change {
    const SHAPE: Shape = Shape::Change;
}

impl StoredFormat for Vec<Op> {
    const SHAPE: Shape = Shape::Ops;
}

impl StoredFormat for Vec<PriorState> {
    const SHAPE: Shape = Shape::Replaced;
}

impl StoredFormat for ShellSnapshot {
    const SHAPE: Shape = Shape::Shell;
}

impl StoredFormat for BodySnapshot {
    const SHAPE: Shape = Shape::Body;
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{FormatError, Shape, Upgrade, read_stored, upgrade_change, upgraded};
    use crate::{Change, Op};

    #[test]
    fn an_older_shape_is_brought_up_one_number_at_a_time() {
        let upgrades: [Upgrade; 2] = [
            |_, value| json!([value, "to 2"]),
            |shape, value| json!([value, "to 3", shape == Shape::Body]),
        ];
        let read = |format| upgraded((Shape::Body, json!("x")), format, &upgrades);
        assert_eq!(read(1).unwrap(), json!([["x", "to 2"], "to 3", true]));
        assert_eq!(read(2).unwrap(), json!(["x", "to 3", true]));
        assert_eq!(read(3).unwrap(), json!("x"));
        assert!(matches!(read(4), Err(FormatError::Newer { found: 4 })));
        assert!(matches!(read(u64::MAX), Err(FormatError::Newer { .. })));
        assert!(matches!(read(0), Err(FormatError::Unknown)));
    }

    #[test]
    fn what_is_newer_or_carries_no_number_is_refused() {
        let change = |format: Value| json!({ "id": "c", "author": { "kind": "local" }, "summary": "", "ops": [], "format": format });
        assert!(upgrade_change(change(json!(1))).is_ok_and(|change: Change| change.ops.is_empty()));
        let newer = upgrade_change(change(json!(2))).map_err(|error| error.to_string());
        assert_eq!(
            newer,
            Err("this was written in format 2, and 1 is the newest known here; reload, or update Sitewright".to_owned())
        );
        for none in [json!(null), json!(0), json!("1"), json!(-1)] {
            assert!(matches!(
                upgrade_change(change(none)),
                Err(FormatError::Unknown)
            ));
        }
        assert!(matches!(
            read_stored::<Vec<Op>>(2, "[]"),
            Err(FormatError::Newer { .. })
        ));
        assert!(matches!(
            read_stored::<Vec<Op>>(1, "[{}]"),
            Err(FormatError::Malformed(_))
        ));
        assert!(matches!(
            upgrade_change(json!([])),
            Err(FormatError::Unknown)
        ));
    }
}

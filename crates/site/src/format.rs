//! The stored formats of changes and snapshots, by version number. Everything that was ever written stays readable: an older
//! format is upgraded one version at a time, a newer one requires a newer Sitewright.
//!
//! To change a format: raise `FORMAT`, add the step from the previous version to `UPGRADES`, and add fixtures of the new
//! version next to the existing ones. Existing fixtures are never edited.

use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::{BodySnapshot, Change, FORMAT, Op, PriorState, Record, ShellSnapshot};

/// Something that is stored with a format version.
pub trait StoredFormat: DeserializeOwned {
    /// Which of the stored values it is.
    const SHAPE: Shape;
}

/// The kinds of stored values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    Change,
    /// The ops of a change.
    Ops,
    /// The prior state of each op.
    Replaced,
    Shell,
    Body,
    Record,
}

/// Why a stored value cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum FormatError {
    /// It was written by a newer version; reloading the page gets one that can read it.
    #[error(
        "this was written in format {found}, and {FORMAT} is the newest known here; reload, or update Sitewright"
    )]
    Newer {
        /// Its version.
        found: u64,
    },
    /// It has no version number, or one that never existed.
    #[error("this carries no format; formats count from 1")]
    Unknown,
    /// It does not match its version.
    #[error("this is not of format {FORMAT}: {0}")]
    Malformed(#[from] serde_json::Error),
}

type Upgrade = fn(Shape, Value) -> Value;

/// The step from each version to the next, starting with 1 to 2. A version without its step does not compile.
const UPGRADES: [Upgrade; FORMAT as usize - 1] = [];

/// Reads a change of any version.
pub fn upgrade_change(mut change: Value) -> Result<Change, FormatError> {
    let format = change.get("format").and_then(Value::as_u64);
    change = upgraded((Shape::Change, change), format.unwrap_or(0), &UPGRADES)?;
    if let Some(number) = change.get_mut("format") {
        *number = FORMAT.into();
    }
    Ok(serde_json::from_value(change)?)
}

/// Reads a value that was stored with this version.
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

impl StoredFormat for Record {
    const SHAPE: Shape = Shape::Record;
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

//! Content: collections of entries, and menus.
//!
//! Collections and menus are few and belong to the shell. Entries are many: each is a part of the site of its own, which is opened
//! when something needs it, and which the shell does not list.

mod check;
mod collection;
mod navigation;
mod record;
mod rows;
mod start;
mod value;

pub(crate) use check::check_touched;
pub use check::{CollectionProblem, ContentProblem, EntryProblem, NavProblem};
pub use collection::{Collection, Field, FieldKind};
pub use navigation::{NavItem, NavTarget, Navigation};
pub use record::{EntryStatus, OpenRecord, Record};
pub use start::content_ops;
pub use value::BadValue;

#[cfg(test)]
pub(crate) mod tests;

//! The documents of the sites: the log of changes, snapshots to open them from, and live copies in memory.
//!
//! A site changes through [`LiveSite::commit`] and nothing else. The row of `site_logs` is the lock of a site's log: whoever
//! commits holds it, on this node or another, so the log has one order.

mod check;
mod commit;
mod history;
mod live;
mod log;
mod past;
mod recovery;
mod seals;
mod touched;
mod wake;

pub use check::{PartDamage, RawEntry, StoredSite};
pub use commit::{CommitError, CommittedChange, Committer};
pub use history::{Changes, History, HistoryEntry, HistoryLimits, RestorePoint, RevertTarget};
pub use live::LiveSite;
pub(crate) use live::Lives;
pub use log::LogDamage;
pub use past::PastChange;
pub use recovery::{RecoverTo, Recovery};
pub(crate) use seals::{HISTORY_COLLAPSED, HISTORY_SEALED, HistorySeals};
pub use touched::{Touched, TouchedBy};
pub use wake::Wake;
pub(crate) use wake::{Bell, announce};

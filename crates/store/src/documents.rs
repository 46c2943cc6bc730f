//! The documents of the sites: the log of changes, the snapshots they are loaded from, and the replicas in memory.
//!
//! [`LiveSite::commit`] is the only way to change a site. The site's row in `site_logs` is the lock of its log: every commit holds
//! it, on whichever node it runs, so the log has a single order.

mod check;
mod commit;
mod due;
mod history;
mod live;
mod log;
mod past;
mod published;
mod record_rules;
mod records;
mod recovery;
mod seals;
mod touched;
mod wake;

pub use check::{PartDamage, RawEntry, StoredSite};
pub use commit::{CommitError, CommittedChange, Committer};
pub use due::DueEntry;
pub use history::{
    Changes, History, HistoryEntry, HistoryFilter, HistoryLimits, PlannedRevert, RestorePoint,
    RevertTarget,
};
pub use live::LiveSite;
pub(crate) use live::Lives;
pub use log::LogDamage;
pub(crate) use log::{number as stored_number, stored};
pub use past::PastChange;
pub use published::{EntryState, PublishedSite};
pub use recovery::{RecoverTo, Recovery};
pub(crate) use seals::{HISTORY_COLLAPSED, HISTORY_SEALED, HistorySeals};
pub use touched::{Touched, TouchedBy};
pub use wake::Wake;
pub(crate) use wake::{BREADCRUMBS, Bell, CHANGES, announce, announce_on};

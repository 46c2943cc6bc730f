//! Turns a version of a site into static files, and serves them from memory.
//!
//! A [`Publisher`] renders the draft, reports what publishing it would change for visitors, writes files named by their content, and
//! switches to them. What visitors see is a [`ShownRelease`] in memory; answering a visitor needs no database.
//!
//! This crate knows nothing of the administration's routes, writes no SQL and never changes the draft. Rendering and compression run
//! on the blocking thread pool.

mod check;
mod compare;
mod compose;
mod compress;
mod draft;
mod entry_release;
mod error;
mod export;
mod host_files;
mod made;
mod mending;
mod page_code;
mod page_policy;
mod placeholders;
mod publisher;
mod release_cache;
mod rendering;
mod shown;
mod stored;
mod tools;
mod visit;

pub use check::{BlobOwner, CheckOptions, DamagedBlob, ReleaseAddress, StorageReport};
pub use compare::{Comparison, RouteChange, RouteChangeKind};
pub use entry_release::EntryRelease;
pub use error::PublishError;
pub use export::{ExportFile, NoFolder, export_files, uploads_of};
pub use host_files::{HostFile, host_files};
pub use page_policy::Host;
pub use publisher::{
    Authorization, PublicSite, PublishOptions, PublishResult, Publisher, RolledBack,
};
pub use rendering::RenderedPage;
pub use shown::{DamagedAddress, ShownFile, ShownRelease};
pub use stored::{Damage, FileForm};
pub use tools::publishing_tools;
pub use visit::Visit;

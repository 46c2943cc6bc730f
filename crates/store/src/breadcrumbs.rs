//! Breadcrumbs: versioned JSON records of a site, in the order of their events.
//!
//! Every event takes the next number of its site under the lock of the site's row in `breadcrumb_logs`, and the lock is held until the
//! commit. So whoever has read up to a number has read everything before it, on every node. Records have no entries in the audit
//! log: each version names its author already. Records of configurations are the exception, because they hold access to other systems.

mod events;
mod records;
mod runs;
mod sessions;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use sitewright_tool::Taint;

use crate::{Actor, BreadcrumbId, SiteId, Timestamp};

pub use events::{BreadcrumbEvent, EventKind};
pub use runs::{BreadcrumbRequest, BreadcrumbRun, NewBreadcrumbRun, RequestState};
pub use sessions::SessionClaim;

/// The schema of records that hold the configuration of a tool.
const CONFIG_SCHEMA: &str = "tool.config.v1";

/// A record as one of its versions stores it.
#[derive(Debug, Clone, PartialEq)]
pub struct Breadcrumb {
    pub id: BreadcrumbId,
    pub site: SiteId,
    /// The person, token or machine it belongs to.
    pub owner: String,
    pub schema_name: String,
    pub title: String,
    pub tags: Vec<String>,
    pub context: Value,
    pub version: i64,
    pub visibility: Visibility,
    pub sensitivity: Sensitivity,
    /// How many seconds it is kept after it was last written.
    pub ttl: Option<i64>,
    pub expires_at: Option<Timestamp>,
    /// Whether anything in it came from outside.
    pub taint: Taint,
    /// The event that created it; 0 for a record that is not stored yet.
    pub seq: i64,
    pub created_by: Actor,
    pub created_at: Timestamp,
    pub updated_by: Actor,
    pub updated_at: Timestamp,
    /// Lower-case text by which it is found. Not read back from the database.
    pub search: String,
}

/// Who may see a record, besides its owner.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Visibility {
    /// Everyone who may see the site's records.
    Public,
    /// Everyone who may see the site's records.
    #[default]
    Team,
    /// Nobody else.
    Private,
}

/// How carefully the content of a record is handled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Sensitivity {
    /// Shown to models.
    #[default]
    Low,
    /// Personal data: not shown to models, not searched.
    Pii,
    /// Not shown to models, not searched, not streamed.
    Secret,
}

impl Visibility {
    /// The spelling in rows; the same as serde's.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Public => "public",
            Self::Team => "team",
            Self::Private => "private",
        }
    }

    fn parse(text: &str) -> Option<Self> {
        [Self::Public, Self::Team, Self::Private]
            .into_iter()
            .find(|one| one.as_str() == text)
    }
}

impl Sensitivity {
    /// The spelling in rows; the same as serde's.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Pii => "pii",
            Self::Secret => "secret",
        }
    }

    fn parse(text: &str) -> Option<Self> {
        [Self::Low, Self::Pii, Self::Secret]
            .into_iter()
            .find(|one| one.as_str() == text)
    }
}

/// Whose eyes a query has.
#[derive(Debug, Clone, Copy)]
pub struct BreadcrumbReader<'a> {
    pub site: &'a SiteId,
    /// The owner whose private records are visible; `None` sees every record, for the machine itself.
    pub owner: Option<&'a str>,
    /// Records that expired before are gone.
    pub now: Timestamp,
}

/// Which records to list. Empty fields do not restrict.
#[derive(Debug, Clone, Copy, Default)]
pub struct BreadcrumbFilter<'a> {
    pub schema_name: Option<&'a str>,
    /// Tags that a record must have, all of them.
    pub tags: &'a [String],
    /// A text that it must contain.
    pub text: Option<&'a str>,
    /// Only records after this sequence number, or before it when the newest come first.
    pub after: Option<i64>,
    pub newest_first: bool,
    pub limit: u16,
}

/// Records, and where to go on.
#[derive(Debug, Clone, PartialEq)]
pub struct BreadcrumbPage {
    pub breadcrumbs: Vec<Breadcrumb>,
    /// What to pass as `after` for the next page; `None` at the end.
    pub next: Option<i64>,
}

/// A key under which the same request creates one record.
#[derive(Debug, Clone, Copy)]
pub struct IdempotencyKey<'a> {
    pub key: &'a str,
    /// Of everything that the request says.
    pub digest: &'a str,
}

/// What came of creating a record.
#[derive(Debug, Clone, PartialEq)]
pub enum CreatedBreadcrumb {
    New(Breadcrumb),
    /// The key was used for the same request before.
    Repeated(Breadcrumb),
    /// The key was used for another request.
    KeyTaken,
}

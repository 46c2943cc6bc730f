//! Entries of collections.

use std::collections::BTreeMap;
use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::{FieldId, ItemId, RecordId};

/// An entry of a collection. When it was created, changed and first published is known from the log and not part of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
// TypeScript has a `Record` of its own.
#[schemars(rename = "EntryRecord")]
pub struct Record {
    /// Its collection.
    pub collection: ItemId,
    /// Its part of the address, unique in its collection and locale.
    pub slug: String,
    /// Its title.
    pub title: String,
    /// Its language; absent for the site's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub locale: Option<String>,
    /// The entry that it translates.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub translation_of: Option<RecordId>,
    /// The digest of the entry that it translates, as that was when this translation last matched it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source_digest: Option<String>,
    /// Whether visitors see it.
    #[serde(default)]
    pub status: EntryStatus,
    /// From when on visitors see it, in milliseconds since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub publish_at: Option<i64>,
    /// Until when visitors see it, in milliseconds since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unpublish_at: Option<i64>,
    /// Its place where entries are ordered by hand: the least comes first.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub sort_order: i64,
    /// The values of its fields. Values of fields that the collection no longer has stay here, so that bringing a field back brings
    /// its values back.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub values: BTreeMap<FieldId, Value>,
}

impl Record {
    /// The digest of what a translation translates: the title and the values. Publishing or scheduling an entry does not change it.
    pub fn digest(&self) -> String {
        sitewright_tool::digest(&json!({ "title": self.title, "values": self.values }))
    }

    /// Whether the entry that this one translates has changed since this translation last matched it.
    pub fn is_behind(&self, source: &Self) -> bool {
        self.source_digest
            .as_ref()
            .is_some_and(|digest| *digest != source.digest())
    }
}

/// Whether visitors see an entry.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Hash,
    PartialOrd,
    Ord,
    Default,
    Serialize,
    Deserialize,
    JsonSchema,
)]
#[serde(rename_all = "camelCase")]
pub enum EntryStatus {
    /// Not yet.
    #[default]
    Draft,
    /// They do, within its times.
    Published,
    /// Not any more.
    Archived,
}

impl EntryStatus {
    /// Its spelling in rows and tools; the same as serde's.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Draft => "draft",
            Self::Published => "published",
            Self::Archived => "archived",
        }
    }
}

impl fmt::Display for EntryStatus {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// An entry that is open, with the last sequence that touched it.
#[derive(Debug, Clone, PartialEq)]
pub struct OpenRecord {
    pub record: Record,
    pub rev: u64,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "the signature that serde calls"
)]
fn is_zero(number: &i64) -> bool {
    *number == 0
}

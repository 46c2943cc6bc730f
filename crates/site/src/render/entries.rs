//! Queries for entries of collections. Only the host can answer them: entries are in rows, found by index.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Direction, EntryStatus, FieldId, ItemId, Record, RecordId};

/// Which entries are wanted; equal for equal wishes.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct EntryQuery {
    /// Which.
    pub filter: EntryFilter,
    /// In which order.
    pub order: EntryOrder,
    /// Which end of the order comes first.
    pub direction: Direction,
    /// How many at most.
    pub limit: u32,
    /// How many to leave out at the start.
    #[serde(default)]
    pub offset: u32,
    /// Where to go on: the `next` of the answer before.
    #[serde(default)]
    pub cursor: Option<String>,
}

/// Which entries are wanted. What is left out does not matter.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
pub struct EntryFilter {
    /// The entry with this id.
    pub id: Option<RecordId>,
    /// Those of these collections; all when it is empty.
    pub collections: Vec<ItemId>,
    /// Those with this slug.
    pub slug: Option<String>,
    /// Those with this status.
    pub status: Option<EntryStatus>,
    /// Those that visitors see at this time, in milliseconds since 1970.
    pub visible_at: Option<i64>,
    /// Those in this language; the empty text for the site's own.
    pub locale: Option<String>,
    /// Whether an entry that is missing in the language is found in the nearest one: `pt` for `pt-BR`, then the site's own.
    pub falls_back: bool,
    /// That entry and its translations.
    pub family: Option<RecordId>,
    /// Those whose fields all have these values, as text.
    pub values: BTreeMap<FieldId, String>,
    /// Those of which any field has its value here.
    pub any_value: BTreeMap<FieldId, String>,
    /// Those that refer to this entry.
    pub refers_to: Option<RecordId>,
    /// Those with words that begin like each of these.
    pub search: Option<String>,
}

/// What entries are ordered by.
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
pub enum EntryOrder {
    /// When they were created.
    #[default]
    CreatedAt,
    /// When they were last changed.
    UpdatedAt,
    /// When they were published.
    PublishedAt,
    /// By hand.
    SortOrder,
    /// By title.
    Title,
    /// By slug.
    Slug,
}

/// The answer to a query.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct EntryList {
    /// The entries.
    pub rows: Vec<EntryRow>,
    /// How many fit the filter.
    pub total: u64,
    /// The cursor of those that follow; absent on the last page.
    pub next: Option<String>,
}

/// An entry with what the log knows of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct EntryRow {
    /// The entry.
    pub id: RecordId,
    /// What is in it.
    pub record: Record,
    /// The last sequence that touched it.
    pub rev: u64,
    /// When it was created, in milliseconds since 1970.
    pub created_at: i64,
    /// When it was last changed.
    pub updated_at: i64,
    /// When it was published, or is to be; absent for one that never was.
    pub published_at: Option<i64>,
}

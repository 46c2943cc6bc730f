//! The tools for entries of any collection.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};
use sitewright_site::{
    EntryFilter, EntryQuery, EntryStatus, PureBody as _, RecordId, SiteTool, Stop, Work,
};

use crate::confirm::{Deletion, Words, check_list};
use crate::entry::{self, DeletedEntry, EntryPatch, NewEntry, SavedEntry, ShownEntry, Timing};
use crate::listing::{Listing, Selectors, limit};
use crate::translations::{self, Language};
use crate::{change, collection, delete as deletes, fields, read};

pub(crate) fn tools() -> Vec<SiteTool> {
    vec![
        read("getEntry", "Get entries", "Get collection entry(s). By id, slug, collectionId, query, or all. Lightweight by default; includeContent for fields. \
              Returns items.")
        .words("Looking at entries", "Looked at entries")
        .tags(&["entry", "collection", "content", "list"])
        .with(get),
        change("createEntry", "Create an entry", "Create collection entry. Fields by name in content. Returns its id.")
            .words("Creating an entry", "Created an entry")
            .tags(&["entry", "collection", "content", "add"])
            .with(create),
        change("updateEntry", "Update an entry", "Update entry content or status. By id. Merges content; null removes a field. Returns the entry.")
            .words("Updating an entry", "Updated an entry")
            .tags(&["entry", "collection", "content", "edit", "publish"])
            .with(update),
        deletes("deleteEntry", "Delete entries", "Delete entry(s). Array param. Requires confirmed. Restorable from the bin for 30 days.")
            .words("Deleting entries", "Deleted entries")
            .tags(&["entry", "collection", "content", "remove"])
            .with(delete),
    ]
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct GetEntry {
    /// Get by id.
    id: Option<RecordId>,
    /// Get by slug.
    slug: Option<String>,
    /// The collection, by id or slug; alone it lists its entries.
    collection_id: Option<String>,
    /// Get those with these words; with collectionId or all, only search these.
    query: Option<String>,
    /// Get all.
    #[serde(default)]
    all: bool,
    /// Whether the fields come with each entry.
    #[serde(default)]
    include_content: bool,
    /// Only entries with this status.
    #[schemars(with = "Option<entry::StatusWord>")]
    status: Option<EntryStatus>,
    /// In this language, such as `de`; what is not translated comes in the nearest one.
    locale: Option<String>,
    /// How many at most.
    limit: Option<u32>,
    /// The `next` of the answer before.
    cursor: Option<String>,
}

fn get(input: GetEntry, work: &mut Work<'_>) -> Result<Listing<ShownEntry>, Stop> {
    let is_whole = input.id.is_none() && input.slug.is_none() && !input.all;
    Selectors {
        all: &[
            ("id", input.id.is_some()),
            ("slug", input.slug.is_some()),
            ("all", input.all),
            ("collectionId", is_whole && input.collection_id.is_some()),
            // Beside a list, the words are a filter.
            (
                "query",
                input.query.is_some() && !(input.all || input.collection_id.is_some()),
            ),
        ],
        missing: "Provide id, slug, collectionId, query, or set all: true.",
    }
    .check()?;
    let collections = match &input.collection_id {
        Some(named) => vec![collection::found(work.site(), "collectionId", named)?.0],
        None => Vec::new(),
    };
    let is_one = input.id.is_some() || input.slug.is_some();
    let query = EntryQuery {
        filter: EntryFilter {
            id: input.id,
            collections,
            slug: input.slug,
            status: input.status,
            search: input.query,
            // One entry is found first, whatever its language, and then looked for in the language that is asked for.
            locale: input.locale.clone().filter(|_| !is_one),
            falls_back: true,
            ..EntryFilter::default()
        },
        limit: limit(input.limit)?,
        cursor: input.cursor,
        ..EntryQuery::default()
    };
    let list = match only_id(&query) {
        Some(id) => translations::with_translations(id, query, work)?,
        None => entry::listed(query, work)?,
    };
    let rows = match &input.locale {
        Some(locale) if is_one => translations::in_language(list.rows, locale, work)?,
        _ => list.rows,
    };
    let mut items: Vec<ShownEntry> = rows
        .iter()
        .map(|row| ShownEntry::of_row(row, input.include_content, work))
        .collect();
    if input.id.is_some() {
        for (row, item) in rows.iter().zip(&mut items) {
            translations::describe(row, item, work)?;
        }
    }
    Ok(Listing::new(items, list.total, list.next))
}

/// The id of a query that asks for nothing else.
fn only_id(query: &EntryQuery) -> Option<RecordId> {
    let id = query.filter.id?;
    let plain = EntryFilter {
        id: Some(id),
        falls_back: query.filter.falls_back,
        ..EntryFilter::default()
    };
    (query.filter == plain && query.cursor.is_none()).then_some(id)
}

/// The status that a new entry may have.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
enum FirstStatus {
    Draft,
    Published,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct CreateEntry {
    /// The collection, by id or slug.
    collection_id: String,
    /// Its part of the address.
    slug: String,
    /// Its title.
    title: String,
    /// Its fields, by name.
    #[serde(default)]
    content: Map<String, Value>,
    /// draft unless it is to be live at once.
    status: Option<FirstStatus>,
    /// Its place among entries ordered by hand.
    #[serde(default)]
    sort_order: i64,
    /// Its language, such as `de`, when it is not the site's own.
    locale: Option<String>,
    /// The entry that it translates into that language.
    translation_of: Option<RecordId>,
    /// From when on visitors see it, in ISO 8601.
    publish_at: Option<String>,
    /// Until when visitors see it, in ISO 8601.
    unpublish_at: Option<String>,
}

fn create(input: CreateEntry, work: &mut Work<'_>) -> Result<SavedEntry, Stop> {
    let (id, found) = collection::found(work.site(), "collectionId", &input.collection_id)?;
    let language = Language::of_new(input.locale, input.translation_of, id, work)?;
    let new = NewEntry {
        collection_id: id,
        slug: input.slug,
        title: input.title,
        status: match input.status {
            Some(FirstStatus::Published) => EntryStatus::Published,
            Some(FirstStatus::Draft) | None => EntryStatus::Draft,
        },
        values: fields::by_id(&found, &input.content)?,
        timing: Timing {
            publish_at: input.publish_at.map(Some),
            unpublish_at: input.unpublish_at.map(Some),
        },
        sort_order: input.sort_order,
        language,
    };
    entry::create(new, work)
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct UpdateEntry {
    /// The entry.
    id: RecordId,
    /// Another part of the address.
    slug: Option<String>,
    /// Another title.
    title: Option<String>,
    /// The fields that are to be different, by name; null takes one away.
    content: Option<Map<String, Value>>,
    /// draft, published or archived.
    #[schemars(with = "Option<entry::StatusWord>")]
    status: Option<EntryStatus>,
    /// Its place among entries ordered by hand.
    sort_order: Option<i64>,
    /// true for a translation that matches what it translates as that is by now.
    #[serde(default)]
    matches_source: bool,
    /// The version you read: refused if it has changed since.
    version: Option<u64>,
    /// From when on visitors see it, in ISO 8601; null for no such time.
    #[serde(default, deserialize_with = "entry::given")]
    publish_at: Option<Option<String>>,
    /// Until when visitors see it, in ISO 8601; null for no such time.
    #[serde(default, deserialize_with = "entry::given")]
    unpublish_at: Option<Option<String>>,
}

fn update(input: UpdateEntry, work: &mut Work<'_>) -> Result<SavedEntry, Stop> {
    let before = entry::opened(input.id, work)?.ok_or_else(|| entry::missing(input.id))?;
    let collection = entry::collection_of(&before, work)?;
    let values = match &input.content {
        Some(content) => fields::by_id(&collection, content)?,
        None => Vec::new(),
    };
    let source_digest = match input.matches_source {
        true => Some(translations::source_digest(&before, work)?),
        false => None,
    };
    let patch = EntryPatch {
        slug: input.slug,
        title: input.title,
        status: input.status,
        values,
        timing: Timing {
            publish_at: input.publish_at,
            unpublish_at: input.unpublish_at,
        },
        sort_order: input.sort_order,
        source_digest,
        version: input.version,
    };
    entry::update(input.id, patch, work)
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct DeleteEntry {
    /// The entries, also for one.
    ids: Vec<RecordId>,
    /// Required for deletion. The first call returns a preview; set true to execute.
    #[serde(default, rename = "confirmed")]
    #[expect(dead_code, reason = "the pipeline reads it before the tool runs")]
    is_confirmed: bool,
}

fn delete(input: DeleteEntry, work: &mut Work<'_>) -> Result<Deletion<DeletedEntry>, Stop> {
    check_list("ids", &input.ids)?;
    let deleted = entry::delete(&input.ids, work)?;
    let words = Words {
        one: "entry",
        several: "entries",
    };
    Ok(Deletion::of(deleted, &words, entry::BIN_NOTE, work))
}

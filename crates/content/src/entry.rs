//! What the tools for entries and for posts share: finding, showing, creating, changing and deleting entries.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use sitewright_site::{
    Collection, Entity, EntryFilter, EntryList, EntryQuery, EntryRow, EntryStatus, ItemId, List,
    NavTarget, Need, NewEntity, Op, Record, RecordId, Stop, Work,
};
use sitewright_tool::Touched;

use crate::date;
use crate::fields::{self, FieldValue};
use crate::translations::{Language, ShownTranslation, family_of, translations_of};

/// What the answer of a delete says about the bin.
pub(crate) const BIN_NOTE: &str =
    "Gone from lists, tools and addresses; people can restore it from the bin for 30 days.";
/// How many entries that refer to one a preview names.
const REFERRERS_MAX: u32 = 20;

/// An entry in an answer.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ShownEntry {
    id: RecordId,
    collection_id: ItemId,
    /// The slug of the collection.
    collection_slug: String,
    slug: String,
    title: String,
    status: EntryStatus,
    /// Its address, when entries of the collection have pages.
    #[serde(skip_serializing_if = "Option::is_none")]
    permalink: Option<String>,
    /// Its language, when it is not the site's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    locale: Option<String>,
    /// The entry that it translates.
    #[serde(skip_serializing_if = "Option::is_none")]
    translation_of: Option<RecordId>,
    /// Whether that entry has changed since this translation last matched it, where it was looked at.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) source_changed: Option<bool>,
    /// Its translations, for one entry.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) translations: Option<Vec<ShownTranslation>>,
    sort_order: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    publish_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unpublish_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    published_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    created_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    updated_at: Option<String>,
    /// What updateEntry takes as version.
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<u64>,
    /// Its fields by name, when they were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    content: Option<Map<String, Value>>,
}

impl ShownEntry {
    /// An entry as a row has it.
    pub(crate) fn of_row(row: &EntryRow, with_content: bool, work: &Work<'_>) -> Self {
        Self {
            published_at: row.published_at.and_then(date::written),
            created_at: date::written(row.created_at),
            updated_at: date::written(row.updated_at),
            version: Some(row.rev),
            ..Self::of(row.id, &row.record, with_content, work)
        }
    }

    /// An entry as a call leaves it.
    pub(crate) fn of(id: RecordId, record: &Record, with_content: bool, work: &Work<'_>) -> Self {
        let collection = work.site().collection(record.collection);
        Self {
            id,
            collection_id: record.collection,
            collection_slug: collection
                .map(|found| found.slug.clone())
                .unwrap_or_default(),
            slug: record.slug.clone(),
            title: record.title.clone(),
            status: record.status,
            permalink: collection.and_then(|found| found.permalink(record)),
            locale: record.locale.clone(),
            translation_of: record.translation_of,
            source_changed: None,
            translations: None,
            sort_order: record.sort_order,
            publish_at: record.publish_at.and_then(date::written),
            unpublish_at: record.unpublish_at.and_then(date::written),
            published_at: None,
            created_at: None,
            updated_at: None,
            version: None,
            content: collection
                .filter(|_| with_content)
                .map(|collection| collection.named_values(record)),
        }
    }
}

/// The answer of a tool that creates or changes one entry.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SavedEntry {
    success: bool,
    id: RecordId,
    item: ShownEntry,
}

/// The entries that fit a query.
pub(crate) fn listed(query: EntryQuery, work: &Work<'_>) -> Result<EntryList, Stop> {
    match work.facts().entries.get(&query) {
        Some(list) => Ok(list.clone()),
        None => Err(Stop::Needs(vec![Need::Entries(Box::new(query))])),
    }
}

/// Asks for the answers to several queries at once: a host answers only so many times.
pub(crate) fn fetch_all(
    queries: impl IntoIterator<Item = EntryQuery>,
    work: &Work<'_>,
) -> Result<(), Stop> {
    let unknown = queries
        .into_iter()
        .filter(|query| !work.facts().entries.contains_key(query));
    let needs: Vec<Need> = unknown
        .map(|query| Need::Entries(Box::new(query)))
        .collect();
    match needs.is_empty() {
        true => Ok(()),
        false => Err(Stop::Needs(needs)),
    }
}

/// The entry with this id, opened.
pub(crate) fn opened(id: RecordId, work: &Work<'_>) -> Result<Option<Record>, Stop> {
    if let Some(open) = work.site().records.get(&id) {
        return Ok(Some(open.record.clone()));
    }
    match work.facts().unknown_records.contains(&id) {
        true => Ok(None),
        false => Err(Stop::Needs(vec![Need::Record(id)])),
    }
}

/// Opens several entries; refuses if any of them does not exist, naming all that do not.
pub(crate) fn opened_all(ids: &[RecordId], work: &Work<'_>) -> Result<Vec<Record>, Stop> {
    let closed: Vec<Need> = ids
        .iter()
        .filter(|id| !work.site().records.contains_key(id))
        .filter(|id| !work.facts().unknown_records.contains(id))
        .map(|id| Need::Record(*id))
        .collect();
    if !closed.is_empty() {
        return Err(Stop::Needs(closed));
    }
    let missing: Vec<String> = ids
        .iter()
        .filter(|id| !work.site().records.contains_key(id))
        .map(RecordId::to_string)
        .collect();
    if !missing.is_empty() {
        return Err(Stop::not_found(format!(
            "There is no entry {}; nothing was deleted. getEntry names those there are.",
            missing.join(", ")
        )));
    }
    let records = ids.iter().filter_map(|id| work.site().records.get(id));
    Ok(records.map(|open| open.record.clone()).collect())
}

/// A new entry.
pub(crate) struct NewEntry {
    pub(crate) collection_id: ItemId,
    pub(crate) slug: String,
    pub(crate) title: String,
    pub(crate) status: EntryStatus,
    pub(crate) values: Vec<FieldValue>,
    pub(crate) timing: Timing,
    pub(crate) sort_order: i64,
    pub(crate) language: Language,
}

/// From when and until when visitors see an entry.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Timing {
    /// From when on visitors see it, in ISO 8601.
    #[serde(default, deserialize_with = "given")]
    pub(crate) publish_at: Option<Option<String>>,
    /// Until when visitors see it, in ISO 8601.
    #[serde(default, deserialize_with = "given")]
    pub(crate) unpublish_at: Option<Option<String>>,
}

/// The words of [`EntryStatus`] for schemas. Each variant of that one is described, which every model that is offered a tool would pay for.
#[derive(JsonSchema)]
#[serde(rename_all = "camelCase")]
#[expect(dead_code, reason = "it is a schema only")]
pub(crate) enum StatusWord {
    Draft,
    Published,
    Archived,
}

/// Reads a field that may be null apart from one that is left out.
pub(crate) fn given<'de, D, T>(source: D) -> Result<Option<Option<T>>, D::Error>
where
    D: serde::Deserializer<'de>,
    T: Deserialize<'de>,
{
    Option::<T>::deserialize(source).map(Some)
}

impl Timing {
    /// The times that are given, by the names that entries have for them; null takes one away.
    fn millis(&self) -> Result<Vec<(&'static str, Option<i64>)>, Stop> {
        let mut times = Vec::new();
        for (field, time) in [
            ("publishAt", &self.publish_at),
            ("unpublishAt", &self.unpublish_at),
        ] {
            if let Some(time) = time {
                let millis = time.as_deref().map(|time| date::read(field, time));
                times.push((field, millis.transpose()?));
            }
        }
        Ok(times)
    }
}

pub(crate) fn create(new: NewEntry, work: &mut Work<'_>) -> Result<SavedEntry, Stop> {
    let id: RecordId = work.mint();
    let mut record = Record {
        collection: new.collection_id,
        slug: new.slug.trim().trim_matches('/').to_owned(),
        title: new.title.trim().to_owned(),
        locale: new.language.locale,
        translation_of: new.language.translation_of,
        source_digest: new.language.source_digest,
        status: new.status,
        publish_at: None,
        unpublish_at: None,
        sort_order: new.sort_order,
        values: new
            .values
            .into_iter()
            .filter(|value| !value.value.is_null())
            .map(|value| (value.field, value.value))
            .collect(),
    };
    for (field, millis) in new.timing.millis()? {
        match field {
            "publishAt" => record.publish_at = millis,
            _ => record.unpublish_at = millis,
        }
    }
    check(&record, work)?;
    refuse_taken(id, &record, work)?;
    let touched = touched(id, &record);
    work.step(Op::Insert {
        new: Box::new(NewEntity::Record {
            id,
            record: Box::new(record.clone()),
        }),
    })?;
    work.receipt().created.push(touched);
    if record.status == EntryStatus::Published {
        note_published(&record, work);
    }
    Ok(SavedEntry {
        success: true,
        id,
        item: ShownEntry::of(id, &record, true, work),
    })
}

/// Says where and from when on visitors see an entry that was published.
fn note_published(record: &Record, work: &mut Work<'_>) {
    let collection = work.site().collection(record.collection);
    let address = collection.and_then(|found| found.permalink(record));
    let place = address.map_or_else(
        || "in the lists that show it".to_owned(),
        |address| format!("at {address} and in the lists that show it"),
    );
    let from = record.publish_at.and_then(date::written);
    let from = from.map_or_else(String::new, |from| format!(" from {from} on"));
    work.receipt().notes.push(format!(
        "Visitors see it {place}{from}, once the site is published for the first time. A list with other unpublished changes \
         shows it when the site is next published."
    ));
}

/// What is to be changed of an entry.
#[derive(Default)]
pub(crate) struct EntryPatch {
    pub(crate) slug: Option<String>,
    pub(crate) title: Option<String>,
    pub(crate) status: Option<EntryStatus>,
    pub(crate) values: Vec<FieldValue>,
    pub(crate) timing: Timing,
    pub(crate) sort_order: Option<i64>,
    /// The digest of the source, for a translation that matches it.
    pub(crate) source_digest: Option<String>,
    /// The version that the caller has seen.
    pub(crate) version: Option<u64>,
}

/// Refuses a change of an entry that is no longer what its author has seen.
fn refuse_stale(entity: Entity, seen: Option<u64>, work: &Work<'_>) -> Result<(), Stop> {
    let version = work.site().rev(entity);
    match seen {
        Some(seen) if seen != version => Err(Stop::conflict(format!(
            "The entry has changed since version {seen}: it is at version {version}. Read it again, then send what is still to be changed."
        ))),
        _ => Ok(()),
    }
}

pub(crate) fn update(
    id: RecordId,
    patch: EntryPatch,
    work: &mut Work<'_>,
) -> Result<SavedEntry, Stop> {
    let entity = Entity::Record { id };
    let before = opened(id, work)?.ok_or_else(|| missing(id))?;
    refuse_stale(entity, patch.version, work)?;
    let collection = collection_of(&before, work)?;
    let slug = patch
        .slug
        .as_deref()
        .map(|slug| slug.trim().trim_matches('/'));
    let title = patch.title.as_deref().map(str::trim);
    let mut puts: Vec<(String, Value)> = Vec::new();
    puts.extend(slug.map(|slug| ("slug".to_owned(), json!(slug))));
    puts.extend(title.map(|title| ("title".to_owned(), json!(title))));
    puts.extend(
        patch
            .status
            .map(|status| ("status".to_owned(), json!(status))),
    );
    puts.extend(
        patch
            .sort_order
            .map(|order| ("sortOrder".to_owned(), json!(order))),
    );
    puts.extend(
        patch
            .source_digest
            .map(|digest| ("sourceDigest".to_owned(), json!(digest))),
    );
    for (field, millis) in patch.timing.millis()? {
        puts.push((field.to_owned(), json!(millis)));
    }
    for FieldValue { field, value } in patch.values {
        let kind = collection.fields.iter().find(|known| known.id == field);
        let value = kind.map_or(value.clone(), |known| {
            fields::merged(before.values.get(&field), &value, &known.kind)
        });
        puts.push((format!("values.{field}"), value));
    }
    if puts.is_empty() {
        return Err(Stop::invalid(
            "There is nothing to change in this call; send the fields that are to be different.",
        ));
    }
    let steps = work.steps();
    for (field, value) in puts {
        work.put(entity, &field, value)?;
    }
    let after = opened(id, work)?.ok_or_else(|| missing(id))?;
    check(&after, work)?;
    if after.slug != before.slug {
        refuse_taken(id, &after, work)?;
    }
    let touched = touched(id, &after);
    match work.steps() > steps {
        true => work.receipt().changed.push(touched),
        false => work.receipt().unchanged.push(touched),
    }
    if after.status == EntryStatus::Published && before.status != after.status {
        note_published(&after, work);
    }
    Ok(SavedEntry {
        success: true,
        id,
        item: ShownEntry::of(id, &after, true, work),
    })
}

/// An entry that is to be deleted, with what that does elsewhere.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DeletedEntry {
    id: RecordId,
    slug: String,
    title: String,
    /// The menu items that go with it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    nav_items: Vec<String>,
    /// Its translations, which are deleted with it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    translations: Vec<String>,
    /// Entries that refer to it; their references lead nowhere afterwards.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    referred_to_by: Vec<String>,
}

/// Deletes entries, with the menu items that lead to them. All of them, or none.
pub(crate) fn delete(ids: &[RecordId], work: &mut Work<'_>) -> Result<Vec<DeletedEntry>, Stop> {
    let records = opened_all(ids, work)?;
    let queries = ids.iter().map(|id| referring_to(*id));
    fetch_all(queries.chain(ids.iter().map(|id| family_of(*id))), work)?;
    let mut deleted = Vec::with_capacity(ids.len());
    for (id, record) in ids.iter().zip(records) {
        let referrers = listed(referring_to(*id), work)?.rows.into_iter();
        let referrers = referrers.filter(|row| !ids.contains(&row.id));
        let referred_to_by = referrers.map(|row| row.record.title).collect();
        let mut translations = Vec::new();
        for (translation, record) in translations_of(*id, work)? {
            if !ids.contains(&translation) {
                translations.push(record.title.clone());
                remove(translation, &record, work)?;
            }
        }
        deleted.push(DeletedEntry {
            id: *id,
            slug: record.slug.clone(),
            title: record.title.clone(),
            nav_items: remove(*id, &record, work)?,
            translations,
            referred_to_by,
        });
    }
    Ok(deleted)
}

/// Removes an entry and the menu items that lead to it; returns what those say.
fn remove(id: RecordId, record: &Record, work: &mut Work<'_>) -> Result<Vec<String>, Stop> {
    let nav_items = remove_nav_items(&NavTarget::Entry { id }, work)?;
    work.step(Op::Remove {
        entity: Entity::Record { id },
    })?;
    work.receipt().removed.push(touched(id, record));
    Ok(nav_items)
}

fn referring_to(id: RecordId) -> EntryQuery {
    EntryQuery {
        filter: EntryFilter {
            refers_to: Some(id),
            ..EntryFilter::default()
        },
        limit: REFERRERS_MAX,
        ..EntryQuery::default()
    }
}

/// Removes the menu items that lead to something that is deleted. One that holds other items stays, and leads nowhere.
pub(crate) fn remove_nav_items(
    target: &NavTarget,
    work: &mut Work<'_>,
) -> Result<Vec<String>, Stop> {
    let leading: Vec<(ItemId, String, bool)> = work
        .site()
        .nav_items()
        .filter(|(_, item)| item.target == *target)
        .map(|(item_id, item)| {
            let mut others = work.site().nav_items();
            let is_parent = others.any(|(_, other)| other.parent == Some(item_id));
            (item_id, item.label.clone(), is_parent)
        })
        .collect();
    let mut labels = Vec::with_capacity(leading.len());
    for (item, label, is_parent) in leading {
        let entity = Entity::Item {
            list: List::NavItems,
            id: item,
        };
        let touched = Touched {
            kind: "navItem".to_owned(),
            id: item.to_string(),
            name: Some(label.clone()),
            also_used_in: None,
        };
        match is_parent {
            true => {
                work.put(entity, "target", json!(NavTarget::Placeholder))?;
                work.receipt().changed.push(touched);
            }
            false => {
                work.step(Op::Remove { entity })?;
                work.receipt().removed.push(touched);
            }
        }
        labels.push(label);
    }
    Ok(labels)
}

/// Refuses a slug that another entry of the collection has, and names that entry.
fn refuse_taken(id: RecordId, record: &Record, work: &Work<'_>) -> Result<(), Stop> {
    let query = EntryQuery {
        filter: EntryFilter {
            collections: vec![record.collection],
            slug: Some(record.slug.clone()),
            locale: Some(record.locale.clone().unwrap_or_default()),
            ..EntryFilter::default()
        },
        limit: 2,
        ..EntryQuery::default()
    };
    let list = listed(query, work)?;
    match list.rows.iter().find(|row| row.id != id) {
        None => Ok(()),
        Some(holder) => Err(Stop::conflict(format!(
            "The entry `{}` ({}) has the slug `{}`; choose another one, or update that entry.",
            holder.record.title, holder.id, record.slug
        ))),
    }
}

/// Checks an entry as the gate will, so that the refusal comes with the plan.
fn check(record: &Record, work: &Work<'_>) -> Result<(), Stop> {
    let collection = collection_of(record, work)?;
    record
        .check(&collection)
        .map_err(|problem| Stop::invalid(sitewright_tool::sentence(&problem.to_string())))
}

pub(crate) fn collection_of(record: &Record, work: &Work<'_>) -> Result<Collection, Stop> {
    let collection = work.site().collection(record.collection).cloned();
    collection.ok_or_else(|| {
        Stop::conflict(format!(
            "The collection of `{}` no longer exists.",
            record.title
        ))
    })
}

pub(crate) fn missing(id: RecordId) -> Stop {
    Stop::not_found(format!(
        "There is no entry {id}; getEntry names those there are."
    ))
}

fn touched(id: RecordId, record: &Record) -> Touched {
    Touched {
        kind: "entry".to_owned(),
        id: id.to_string(),
        name: Some(record.title.clone()),
        also_used_in: None,
    }
}
